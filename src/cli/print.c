#include "cli/print.h"

#include "cli/paste.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

void skn_print_unfinished(skn_cli *cli, skein_unfinished why, int spaces)
{
    if (why)
        skn_print(cli, "%*s(%s)", spaces, "", skein_unfinished_words(why));
}

const char *skn_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

void skn_would(skn_cli *cli, const char *fmt, ...)
{
    char    line[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (!cli->json) {
        skn_print(cli, "Would %s. Nothing was changed.\n", line);
        return;
    }
    skn_item(cli);
    skn_jw_object(&cli->jw);
    skn_jw_kbool(&cli->jw, "dryRun", true);
    skn_jw_kstr(&cli->jw, "would", skn_str_of(line));
    skn_jw_object_end(&cli->jw);
    skn_print_raw(cli, skn_buf_str(&cli->item));
    skn_print_raw(cli, SKN_STR("\n"));
}

/* --- JSON --------------------------------------------------------------------------------- */

void skn_list_begin(skn_cli *cli)
{
    cli->in_list = true;
    cli->list_started = false;
}

void skn_list_end(skn_cli *cli)
{
    skn_print_raw(cli, cli->list_started ? SKN_STR("]\n") : SKN_STR("[]\n"));
    cli->in_list = false;
}

void skn_list_done(skn_cli *cli, skein_rc rc)
{
    if (!rc || cli->list_started)
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
                !skn_has_member(item, SKN_STR("dryRun"));

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
    if (cli->item.over)
        return skn_fail(&cli->err, SKEIN_LIMIT, "the answer is over %zu bytes",
                        cli->item.limit);
    if (cli->in_list)
        skn_print_raw(cli, cli->list_started ? SKN_STR(",\n") : SKN_STR("["));
    cli->list_started = true;
    print_item(cli, skn_buf_str(&cli->item));
    if (!cli->in_list)
        skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}
