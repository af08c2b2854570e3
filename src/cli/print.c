#include "cli/print.h"
#include "base/clock.h"
#include "base/uid.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/paste.h"

#include <errno.h>
#include <stdarg.h>
#include <time.h>

#define ESC 27

static const char *const codes[] = {"\033[2m",  "\033[1m",  "\033[31m",
                                    "\033[32m", "\033[33m", "\033[36m"};

void skn_print(skn_cli *cli, const char *fmt, ...)
{
    char    line[2048];
    va_list args;
    int     n;

    fmt = skn_pasteable_format(cli, fmt);
    va_start(args, fmt);
    n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (n > 0)
        skn_clean_add(&cli->out.bytes,
                      (skn_str){line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1},
                      true);
    skn_print_raw(cli, SKN_STR(""));
}

void skn_print_colour(skn_cli *cli, skn_colour colour, skn_str text)
{
    if (cli->out.colour)
        skn_print_raw(cli, skn_str_of(codes[colour]));
    skn_clean_add(&cli->out.bytes, text, false);
    if (cli->out.colour)
        skn_print_raw(cli, SKN_STR("\033[0m"));
}

void skn_print_block(skn_cli *cli, skn_str text, int indent)
{
    skn_str line;

    while (skn_str_split(&text, '\n', &line)) {
        if (!text.n && !line.n)
            break; /* the text ended with a line end */
        if (skn_str_ends(line, SKN_STR("\r")))
            line.n--;
        skn_print(cli, "%*s", line.n ? indent : 0, "");
        skn_clean_add(&cli->out.bytes, line, false);
        skn_print_raw(cli, SKN_STR("\n"));
    }
}

/* What fits, up to a blank unless that would leave less than half of it. */
static skn_str cut_line(skn_str line, size_t columns)
{
    size_t whole, end;

    while (skn_utf8_columns(line) > columns)
        line = skn_utf8_cut(line, line.n - 1);
    whole = line.n;
    for (end = whole; end > whole / 2; end--)
        if (line.p[end] == ' ')
            return skn_str_trim(skn_str_sub(line, 0, end));
    return line;
}

void skn_print_line(skn_cli *cli, skn_str text, size_t columns)
{
    skn_buf clean;
    skn_str line = SKN_STR("");

    text = skn_str_trim(text);
    skn_str_split(&text, '\n', &line);
    line = skn_str_trim(line);
    skn_buf_init(&clean, line.n * 4 + 16);
    skn_clean_add(&clean, line, false);
    line = skn_buf_str(&clean);
    if (columns > 1 && skn_utf8_columns(line) > columns) {
        skn_print_raw(cli, cut_line(line, columns - 1));
        skn_print_raw(cli, SKN_STR("…"));
    } else {
        skn_print_raw(cli, line);
    }
    skn_buf_release(&clean);
}

void skn_print_told(skn_cli *cli, skn_str text)
{
    const char *told = skn_arena_copy(cli->keep, text.p ? text : SKN_STR("")).p;

    skn_print_line(cli, skn_str_of(skn_pasteable(cli, told)), 0);
}

skn_str skn_sender_name(skn_str sender)
{
    return skn_str_is(sender, "human") ? SKN_STR("you") : sender;
}

void skn_print_text(skn_cli *cli, skn_str text)
{
    if (!cli->out.terminal) {
        skn_print_raw(cli, text);
        return;
    }
    skn_clean_add(&cli->out.bytes, text, true);
    skn_print_raw(cli, SKN_STR(""));
}

void skn_print_sender(skn_cli *cli, skn_str sender, size_t columns)
{
    skn_str name = skn_sender_name(sender);
    size_t  used = skn_utf8_columns(name);

    skn_print_colour(cli, SKN_BOLD, name);
    skn_buf_fill(&cli->out.bytes, ' ', used < columns ? columns - used : 0);
}

void skn_print_time(skn_cli *cli, int64_t micros)
{
    char      text[SKN_TIME_TEXT];
    time_t    at = (time_t)(micros / 1000000), now = (time_t)(skn_clock_micros() / 1000000);
    struct tm then, today;

    if (!cli->out.terminal || !localtime_r(&at, &then) || !localtime_r(&now, &today)) {
        skn_print_raw(cli, skn_time_format(micros, text));
        return;
    }
    strftime(text, sizeof text,
             then.tm_year == today.tm_year && then.tm_yday == today.tm_yday ? "%H:%M"
                                                                            : "%Y-%m-%d %H:%M",
             &then);
    skn_print_colour(cli, SKN_DIM, skn_str_of(text));
}

void skn_print_unfinished(skn_cli *cli, skein_unfinished why, int64_t wrote, int spaces)
{
    if (why == SKEIN_THOUGHT && wrote > 0)
        skn_print(cli, "%*s(%s, %lld tokens)", spaces, "", skein_unfinished_words(why),
                  (long long)wrote);
    else if (why)
        skn_print(cli, "%*s(%s)", spaces, "", skein_unfinished_words(why));
}

const char *skn_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

bool skn_would(skn_cli *cli, const char *fmt, ...)
{
    char    line[512];
    va_list args;

    if (!cli->dry_run)
        return false;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (!cli->json) {
        skn_print(cli, "Would %s. Nothing was changed.\n", line);
        return true;
    }
    skn_item(cli);
    skn_jw_object(&cli->jw);
    skn_jw_kbool(&cli->jw, "dryRun", true);
    skn_jw_kstr(&cli->jw, "would", skn_str_of(line));
    skn_jw_object_end(&cli->jw);
    skn_print_raw(cli, skn_buf_str(&cli->item));
    skn_print_raw(cli, SKN_STR("\n"));
    return true;
}

/* --- JSON --------------------------------------------------------------------------------- */

void skn_list_begin(skn_cli *cli)
{
    cli->in_list = cli->json;
    cli->list_started = false;
}

void skn_list_end(skn_cli *cli)
{
    skn_print_raw(cli, cli->list_started ? SKN_STR("]\n") : SKN_STR("[]\n"));
    cli->in_list = false;
}

void skn_list_done(skn_cli *cli, skein_rc rc)
{
    if (cli->in_list && (!rc || cli->list_started))
        skn_list_end(cli);
    cli->in_list = false;
}

skn_jw *skn_item(skn_cli *cli)
{
    skn_buf_clear(&cli->item);
    skn_jw_init(&cli->jw, &cli->item);
    return &cli->jw;
}

/* Whatever answers a dry run says that it was one. */
static void print_item(skn_cli *cli, skn_str item)
{
    bool mark = cli->dry_run && cli->command->kind == SKN_CMD_WRITE &&
                skn_str_starts(item, SKN_STR("{\"")) &&
                (cli->fields ? !skn_is_among(skn_str_of(cli->fields), SKN_STR("dryRun"))
                             : !skn_has_member(item, SKN_STR("dryRun")));

    if (!mark && !cli->fields) {
        skn_item_add(&cli->out.bytes, item);
        skn_print_raw(cli, SKN_STR(""));
        return;
    }
    skn_print_raw(cli, mark ? SKN_STR("{\"dryRun\":true,") : SKN_STR("{"));
    if (cli->fields)
        skn_pick(&cli->out.bytes, item, cli->fields);
    else
        skn_print_raw(cli, skn_str_sub(item, 1, item.n));
}

skein_rc skn_item_end(skn_cli *cli)
{
    skn_buf harmless;

    if (cli->item.over)
        return skn_fail(&cli->err, SKEIN_LIMIT, "the answer is over %zu bytes",
                        cli->item.limit);
    if (cli->in_list)
        skn_print_raw(cli, cli->list_started ? SKN_STR(",\n") : SKN_STR("["));
    cli->list_started = true;
    skn_buf_init(&harmless, SIZE_MAX / 2);
    skn_clean_json(&harmless, skn_buf_str(&cli->item));
    print_item(cli, skn_buf_str(&harmless));
    skn_buf_release(&harmless);
    if (!cli->in_list)
        skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

skn_jw *skn_item_begin(skn_cli *cli)
{
    skn_jw *w = skn_item(cli);

    skn_jw_object(w);
    return w;
}

skein_rc skn_item_close(skn_cli *cli)
{
    skn_jw_object_end(&cli->jw);
    return skn_item_end(cli);
}

/* How a message looks in a terminal. */

#define INDENT         4 /* of a text under its head */
#define SENDER_COLUMNS 6

static bool others_heard(const skein_message *m, const skein_message_facts *f)
{
    for (size_t i = 0; i < f->seen_by_count; i++)
        if (!skn_str_eq(f->seen_by[i], m->sender))
            return true;
    return false;
}

void skn_print_heard(skn_cli *cli, const skein_message *m, const skein_message_facts *f)
{
    bool first = true;

    if (others_heard(m, f))
        skn_print_raw(cli, SKN_STR("  "));
    for (size_t i = 0; i < f->seen_by_count; i++) {
        if (skn_str_eq(f->seen_by[i], m->sender))
            continue;
        skn_print_raw(cli, first ? SKN_STR("→ ") : SKN_STR(", "));
        skn_print_line(cli, f->seen_by[i], 0);
        first = false;
    }
}

void skn_print_notes(skn_cli *cli, const skein_message *m, const skein_message_facts *f)
{
    if (m->role == SKEIN_SUMMARY || m->role == SKEIN_SYSTEM)
        skn_print(cli, "   (%s)", skein_role_name(m->role));
    if (skn_str_is(m->model, "demo/scripted"))
        skn_print_raw(cli, SKN_STR("   (scripted)"));
    if (skn_str_starts(m->model, SKN_STR(SKN_REPLAYED)))
        skn_print_raw(cli, SKN_STR("   (replayed)"));
    if (m->version_of.v)
        skn_print_raw(cli, SKN_STR("   (amended)"));
    if (m->squash_uid.n)
        skn_print(cli, "   (squash %.*s)", SKN_FMT(m->squash_uid));
    if (skn_call_not_run(m))
        skn_print_raw(cli, SKN_STR("   (not run)"));
    else if (m->tool_failed)
        skn_print_raw(cli, SKN_STR("   (failed)"));
    skn_print_unfinished(cli, m->unfinished, f && f->usage.known ? f->usage.tokens_out : 0, 3);
    if (f && f->memory_only) {
        skn_print_raw(cli, SKN_STR("   "));
        skn_print_colour(cli, SKN_DIM, SKN_STR(SKN_MEMORY_ONLY));
    }
    if (m->warning.n) {
        skn_print_raw(cli, SKN_STR("   ! "));
        skn_print_colour(cli, SKN_YELLOW, m->warning);
    }
}

/* A chat breaks what commands print in it (skn_chat_wrap_printed). */
bool skn_wraps(const skn_cli *cli)
{
    return cli->out.terminal && !cli->inside && cli->out.width > 2 * INDENT;
}

size_t skn_row_begin(skn_cli *cli)
{
    if (skn_wraps(cli))
        skn_out_flush(cli);
    return cli->out.bytes.n;
}

/* Bytes of the character that stands there, or of the whole change of colour. */
static size_t character(skn_str s, size_t at)
{
    size_t n = 1;

    if (s.p[at] == ESC) {
        while (at + n < s.n && s.p[at + n - 1] != 'm')
            n++;
        return n;
    }
    while (at + n < s.n && ((unsigned char)s.p[at + n] & 0xc0) == 0x80)
        n++;
    return n;
}

size_t skn_line_columns(skn_str printed)
{
    size_t used = 0, n;

    for (size_t at = 0; at < printed.n; at += n) {
        n = character(printed, at);
        used += printed.p[at] == ESC ? 0 : skn_utf8_columns(skn_str_sub(printed, at, at + n));
    }
    return used;
}

/* Where the row ends: at the last blank that fits. A word that is longer than the row is cut where the line
 * ends, or stays whole: then the terminal breaks it, and it can be copied. */
static size_t row_end(skn_str s, size_t columns, bool cut)
{
    size_t used = 0, blank = 0, n;
    bool   word = false; /* blanks before the first one belong to it */

    for (size_t at = 0; at < s.n; at += n) {
        n = character(s, at);
        if (s.p[at] == ' ' && word && used > columns)
            return at;
        if (s.p[at] == ' ' && word)
            blank = at;
        used += s.p[at] == ESC ? 0 : skn_utf8_columns(skn_str_sub(s, at, at + n));
        if (s.p[at] == ' ' || s.p[at] == ESC)
            continue;
        word = true;
        if (used > columns && (blank || (cut && at)))
            return blank ? blank : at;
    }
    return s.n;
}

bool skn_line_piece(skn_str *rest, size_t columns, bool cut, skn_str *out)
{
    size_t end;

    if (!rest->n)
        return false;
    end = row_end(*rest, columns, cut);
    *out = skn_str_sub(*rest, 0, end);
    while (end < rest->n && rest->p[end] == ' ')
        end++;
    *rest = skn_str_sub(*rest, end, rest->n);
    return true;
}

static void break_line(skn_cli *cli, skn_str line, skn_str before)
{
    size_t  columns = (size_t)cli->out.width, used = skn_utf8_columns(before);
    skn_str piece;

    for (bool first = true; skn_line_piece(&line, columns, false, &piece); first = false) {
        skn_print_raw(cli, first ? SKN_NONE : before);
        skn_print_raw(cli, piece);
        skn_print_raw(cli, line.n ? SKN_STR("\n") : SKN_NONE);
        columns = (size_t)cli->out.width > used + INDENT ? (size_t)cli->out.width - used
                                                         : INDENT;
    }
}

void skn_row_end(skn_cli *cli, size_t begun, skn_str before)
{
    skn_buf *bytes = &cli->out.bytes, whole;
    skn_str  rest, line;
    bool     ended;

    if (!skn_wraps(cli) || bytes->n <= begun)
        return;
    if ((ended = bytes->p[bytes->n - 1] == '\n'))
        bytes->n--;
    skn_buf_init(&whole, bytes->limit);
    skn_buf_add(&whole, skn_str_sub(skn_buf_str(bytes), begun, bytes->n));
    rest = skn_buf_str(&whole);
    bytes->n = begun;
    while (skn_str_split(&rest, '\n', &line)) {
        break_line(cli, line, before);
        skn_print_raw(cli, rest.n ? SKN_STR("\n") : SKN_NONE);
    }
    skn_print_raw(cli, ended ? SKN_STR("\n") : SKN_NONE);
    skn_buf_release(&whole);
}

/* A text, on a terminal broken between words: the pager and the terminal would break inside them. */
static void text_block(skn_cli *cli, skn_str text)
{
    skn_str line, piece;
    size_t  columns = (size_t)cli->out.width - INDENT;

    if (!skn_wraps(cli)) {
        skn_print_block(cli, text, INDENT);
        return;
    }
    while (skn_str_split(&text, '\n', &line)) {
        if (!line.n && text.n)
            skn_print_raw(cli, SKN_STR("\n"));
        while (skn_line_piece(&line, columns, false, &piece))
            skn_print_block(cli, piece, INDENT);
    }
}

static void files(skn_cli *cli, const skein_message *m)
{
    skn_arena        *a = skn_arena_new();
    const skn_json   *list = NULL;
    skein_attachment *at;
    size_t            count = 0;

    if (m->files.n && skn_json_parse(&list, m->files, "files", a, NULL))
        list = NULL;
    at = list ? skn_attachment_list_from_json(list, a, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        skn_print_raw(cli, SKN_STR("    file "));
        skn_print_line(cli, at[i].name, 60);
        skn_print_raw(cli, SKN_STR("  ("));
        skn_print_line(cli, at[i].type, 60);
        if (at[i].width)
            skn_print(cli, ", %lld×%lld", (long long)at[i].width, (long long)at[i].height);
        skn_print(cli, ", %lld bytes)\n", (long long)at[i].size);
    }
    skn_arena_free(a);
}

static void body(skn_cli *cli, const skein_message *m)
{
    if (m->purged)
        skn_print_raw(cli, SKN_STR("    [erased]\n"));
    if (m->tool_call_id.n) {
        skn_print_raw(cli, SKN_STR("    result of "));
        skn_print_line(cli, m->tool_call_id, 60);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    text_block(cli, m->content);
    files(cli, m);
    for (size_t i = 0; i < m->call_count; i++) {
        skn_print_raw(cli, SKN_STR("    calls "));
        skn_print_line(cli, m->calls[i].tool_name, 0);
        skn_print_raw(cli, SKN_STR(" "));
        skn_print_line(cli, m->calls[i].args, cli->out.terminal ? 60 : 0);
        skn_print_raw(cli, SKN_STR("  ("));
        skn_print_line(cli, m->calls[i].call_id, 0);
        skn_print_raw(cli, SKN_STR(")\n"));
    }
}

/* The first characters are a time that messages share; the last 6 are 35 random bits. Other ids may end as they like. */
#define SHOWN ((size_t)6)

/* Would it be read as something else? */
static bool is_no_id(skn_str part)
{
    return part.p[0] == '-' || skn_is_version(part) || skn_str_starts(part, SKN_STR("sq_"));
}

skn_str skn_shown_id(const skn_cli *cli, skn_str uid)
{
    size_t from = SKN_UID_LEN - SHOWN;

    if (!cli->out.terminal || cli->whole_ids || uid.n != SKN_UID_LEN)
        return uid;
    while (from && is_no_id(skn_str_sub(uid, from, uid.n)))
        from--;
    return skn_str_sub(uid, from, uid.n);
}

void skn_print_id(skn_cli *cli, skn_str uid)
{
    skn_print_colour(cli, SKN_YELLOW, skn_shown_id(cli, uid));
}

void skn_print_message(skn_cli *cli, const skein_message *m, const skein_message_facts *f,
                       skn_str parent)
{
    skn_print_id(cli, m->uid);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, m->sender, SENDER_COLUMNS);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_time(cli, m->created_at);
    if (f->shown_reply.n) {
        skn_print_raw(cli, SKN_STR("   ↪ "));
        skn_print_line(cli, skn_sender_name(parent), 0);
        skn_print(cli, "%s%.*s", parent.n ? " " : "",
                  SKN_FMT(skn_shown_id(cli, f->shown_reply)));
    } else if (m->reply_to.n) {
        skn_print_raw(cli, SKN_STR("   ↪ ?"));
        skn_print_line(cli, m->reply_to, 0);
    } else if (others_heard(m, f)) {
        skn_print_raw(cli, SKN_STR(" "));
        skn_print_heard(cli, m, f);
    }
    skn_print_notes(cli, m, f);
    skn_print_raw(cli, SKN_STR("\n"));
    body(cli, m);
}

void skn_print_gist(skn_cli *cli, const skein_message *m, size_t columns)
{
    if (m->purged) {
        skn_print_raw(cli, SKN_STR("[erased]"));
    } else if (m->content.n || !m->call_count) {
        skn_print_line(cli, m->content, columns);
    } else {
        skn_print_raw(cli, SKN_STR("calls "));
        skn_print_line(cli, m->calls[0].tool_name, columns);
    }
}

static bool says_something(const skein_message *m)
{
    return m->purged || m->call_count || skn_str_trim(m->content).n;
}

void skn_print_head(skn_cli *cli, const skein_message *m)
{
    skn_print_id(cli, m->uid);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_sender(cli, m->sender, says_something(m) ? SENDER_COLUMNS : 0);
    skn_print_raw(cli, says_something(m) ? SKN_STR(" ") : SKN_STR(""));
}

void skn_print_oneline(skn_cli *cli, const skein_message *m, const skein_message_facts *f)
{
    skn_print_head(cli, m);
    skn_print_gist(cli, m, cli->out.width > 40 ? (size_t)cli->out.width - 30 : 0);
    skn_print_notes(cli, m, f);
    skn_print_raw(cli, SKN_STR("\n"));
}
