/* chat_screen.c: the live rows above the prompt. */
#include "cli/chat.h"

#include "base/clock.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_MS   50
#define TYPING_MOST 4 /* answers shown while they are written */
#define TEXT_ROWS   3 /* of each */
#define STATUS_ROWS 5 /* below them: what waits, a rule, the status, and a prompt */
#define ASK_ROWS    2 /* who waits for a yes or no */

static int64_t now_ms(void)
{
    return skn_clock_monotonic() / 1000000;
}

const char *skn_chat_prompt(void *chat)
{
    skn_chat *c = chat;

    skn_buf_clear(&c->prompt);
    if (c->reply_to[0])
        skn_buf_addf(&c->prompt, "↪ %s ", c->reply_to);
    if (c->revised[0])
        skn_buf_addf(&c->prompt, "edit %s ", c->revised);
    if (c->queued[0])
        skn_buf_add(&c->prompt, SKN_STR("waiting "));
    skn_buf_add(&c->prompt, SKN_STR("› "));
    return c->prompt.p;
}

/* --- Rows --------------------------------------------------------------------------------- */

size_t skn_chat_height(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
        return size.ws_row;
    return 24;
}

skn_str skn_chat_fit(skn_arena *mem, skn_str text, size_t columns)
{
    skn_buf clean;
    skn_str line = SKN_STR("");

    text = skn_str_trim(text);
    skn_str_split(&text, '\n', &line);
    line = skn_utf8_cut(skn_str_trim(line), columns * 8); /* more could not be shown */
    skn_buf_init(&clean, line.n * 4 + 16);
    skn_clean_add(&clean, line, false);
    for (size_t i = 0; i < clean.n; i++)
        if (clean.p[i] == '\t')
            clean.p[i] = ' ';
    line = skn_buf_str(&clean);
    if (skn_utf8_columns(line) > columns) {
        while (line.n && skn_utf8_columns(line) > columns - 1)
            line = skn_utf8_cut(line, line.n - 1);
        line = skn_arena_printf(mem, "%.*s…", SKN_FMT(line));
    } else {
        line = skn_arena_copy(mem, line);
    }
    skn_buf_release(&clean);
    return line;
}

void skn_chat_row_end(skn_chat *c)
{
    skn_print_raw(c->cli, SKN_STR("\033[K\n"));
    c->rows++;
}

void skn_chat_row(skn_chat *c, skn_colour colour, skn_str text)
{
    skn_print_colour(c->cli, colour, text);
    skn_chat_row_end(c);
}

/* The last rows of a text, broken between words. */
static void tail_rows(skn_chat *c, skn_str text, skn_str end)
{
    size_t  width = c->cli->out.width > 8 ? (size_t)c->cli->out.width - 4 : 4, count = 0;
    skn_str line, piece, rows[TEXT_ROWS];

    while (skn_str_split(&text, '\n', &line))
        while (skn_chat_piece(&line, width, true, &piece))
            rows[count++ % TEXT_ROWS] = piece;
    for (size_t i = count > TEXT_ROWS ? count - TEXT_ROWS : 0; i < count; i++) {
        skn_print_raw(c->cli, SKN_STR("  "));
        skn_clean_add(&c->cli->out.bytes, rows[i % TEXT_ROWS], false);
        skn_print_raw(c->cli, i + 1 == count ? end : SKN_STR(""));
        skn_chat_row_end(c);
    }
}

/* Long texts are broken again and again: only their end is looked at. */
static skn_str end_of(skn_str text)
{
    size_t from = text.n > 4096 ? text.n - 4096 : 0;

    while (from < text.n && ((unsigned char)text.p[from] & 0xc0) == 0x80)
        from++;
    return skn_str_sub(text, from, text.n);
}

static void typing_rows(skn_chat *c, const skn_typing *t)
{
    int64_t seconds = (now_ms() - t->since) / 1000;

    skn_chat_row(c, SKN_BOLD,
                 skn_arena_printf(c->mem, "%s  %s… %" PRId64 " s", t->agent,
                                  t->thinking ? "thinking" : "writing", seconds));
    tail_rows(c, end_of(skn_buf_str(&t->text)), SKN_STR("▍"));
}

/* Columns of a live row: the last one of the terminal stays free. */
static size_t room(const skn_chat *c)
{
    return c->cli->out.width > 20 ? (size_t)c->cli->out.width - 1 : 20;
}

/* What waits is cut rather than what can be done about it, of which the keys go first. */
static void queue_row(skn_chat *c)
{
    skn_str how = SKN_STR("   ↑ edit · /now sends it");
    skn_str head = skn_arena_printf(c->mem, "queue %zu: \"", c->waiting), text;
    size_t  used = head.n + 1, whole;

    if (!c->waiting)
        return;
    whole = skn_utf8_columns(skn_chat_fit(c->mem, skn_buf_str(&c->next), room(c)));
    if (used + whole + skn_utf8_columns(how) > room(c))
        how = SKN_STR("   /now sends it");
    used += skn_utf8_columns(how);
    text = skn_chat_fit(c->mem, skn_buf_str(&c->next), room(c) > used + 4 ? room(c) - used : 4);
    skn_chat_row(
        c, SKN_DIM,
        skn_arena_printf(c->mem, "%.*s%.*s\"%.*s", SKN_FMT(head), SKN_FMT(text), SKN_FMT(how)));
}

void skn_chat_rule(skn_chat *c)
{
    skn_buf b;

    skn_buf_init(&b, 8192);
    for (int i = 1; i < c->cli->out.width; i++)
        skn_buf_add(&b, SKN_STR("─"));
    skn_chat_row(c, SKN_DIM, skn_buf_str(&b));
    skn_buf_release(&b);
}

/* --- Drawing ------------------------------------------------------------------------------ */

void skn_chat_erase(skn_chat *c)
{
    if (c->plain || !c->drawn)
        return;
    skn_line_edit_hide(c->edit);
    if (c->rows)
        skn_print_raw(c->cli, skn_arena_printf(c->mem, "\r\033[%zuA\033[J", c->rows));
    c->rows = 0;
    c->drawn = false;
    c->changed = true;
}

/* Something that is being written has room too. */
static size_t details_most(const skn_chat *c, size_t height)
{
    size_t other = c->rows + STATUS_ROWS + ASK_ROWS + (c->typing.first ? TEXT_ROWS + 1 : 0);

    return height > other ? height - other : 0;
}

static void live_rows(skn_chat *c)
{
    size_t shown = 0, height = skn_chat_height();

    skn_chat_boxes(c);
    skn_chat_details(c, details_most(c, height));
    for (const skn_typing *t = c->typing.first; t && shown < TYPING_MOST; t = t->next)
        if (!t->lane[0] && (!c->rows || c->rows + TEXT_ROWS + 1 + STATUS_ROWS <= height)) {
            typing_rows(c, t);
            shown++;
        }
    skn_chat_ask_rows(c);
    queue_row(c);
    skn_chat_rule(c);
    skn_chat_row(c, SKN_DIM, skn_chat_status(c, room(c)));
}

/* Rows that are too long end at the edge: were they broken, there would be more of them. */
void skn_chat_draw(skn_chat *c)
{
    if (c->plain) {
        skn_out_flush(c->cli);
        return;
    }
    skn_chat_erase(c);
    skn_print_raw(c->cli, SKN_STR("\033[?7l"));
    if (c->overlay)
        c->overlay->rows(c, c->overlay->arg);
    else
        live_rows(c);
    skn_print_raw(c->cli, SKN_STR("\033[?7h"));
    skn_out_flush(c->cli);
    skn_line_edit_show(c->edit);
    c->drawn = true;
    c->changed = false;
    c->drawn_at = now_ms();
    skn_arena_reset(c->mem);
}

int64_t skn_chat_draw_soon(skn_chat *c)
{
    int64_t since = now_ms() - c->drawn_at;

    if (c->plain || !c->states) /* who is there is not known yet */
        return -1;
    if ((c->typing.first || c->delegated) && since >= 1000) /* the seconds go on */
        c->changed = true;
    if (c->changed && since < REDRAW_MS)
        return REDRAW_MS - since;
    if (c->changed)
        skn_chat_draw(c);
    return c->typing.first || c->delegated ? 1000 : -1;
}
