/* How a message looks in a terminal. */
#include "cli/chat.h"
#include "cli/commands.h"

#include "base/hash.h"
#include "base/uid.h"
#include "base/utf8.h"
#include "cli/waits.h"

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
        skn_print_raw(cli, SKN_STR("   (edited)"));
    if (m->squash_uid.n)
        skn_print(cli, "   (squash %.*s)", SKN_FMT(m->squash_uid));
    if (skn_call_not_run(m))
        skn_print_raw(cli, SKN_STR("   (not run)"));
    else if (m->tool_failed)
        skn_print_raw(cli, SKN_STR("   (failed)"));
    skn_print_unfinished(cli, m->unfinished, 3);
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

static void break_line(skn_cli *cli, skn_str line, skn_str before)
{
    size_t  columns = (size_t)cli->out.width, used = skn_utf8_columns(before);
    skn_str piece;

    for (bool first = true; skn_chat_piece(&line, columns, false, &piece); first = false) {
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
        while (skn_chat_piece(&line, columns, false, &piece))
            skn_print_block(cli, piece, INDENT);
    }
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
