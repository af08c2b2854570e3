/* chat_print.c: a message of a chat, as it goes into the scrollback. */
#include "cli/chat.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

#define SENDER_COLUMNS 5

/* Is there room behind so many columns, with two blanks before it? */
static bool fits(const skn_chat *c, size_t used, skn_str text)
{
    return c->plain || used + skn_utf8_columns(text) + 2 < (size_t)c->cli->out.width;
}

/* To the right edge of the terminal, if there is room; else behind two blanks. */
static void print_right(skn_chat *c, size_t used, skn_str text, skn_colour colour)
{
    size_t width = (size_t)c->cli->out.width, need = skn_utf8_columns(text);

    if (!text.n)
        return;
    skn_buf_fill(&c->cli->out.bytes, ' ',
                 !c->plain && used + need + 2 < width ? width - used - need - 1 : 2);
    skn_print_colour(c->cli, colour, text);
}

/* Columns of what was printed since, colours not counted. */
static size_t columns_from(const skn_chat *c, size_t from)
{
    skn_str text = skn_buf_str(&c->cli->out.bytes), piece;
    size_t  columns = 0;
    bool    coloured = false;

    text = skn_str_sub(text, from < text.n ? from : text.n, text.n);
    while (skn_str_split(&text, '\033', &piece)) {
        ptrdiff_t end = coloured ? skn_str_find(piece, SKN_STR("m")) + 1 : 0;

        columns += skn_utf8_columns(skn_str_sub(piece, (size_t)end, piece.n));
        coloured = true;
    }
    return columns;
}

static skn_str heard_text(skn_chat *c, const skn_chat_about *about)
{
    const skn_names *heard = &about->heard;
    skn_buf          b;
    skn_str          text;

    skn_buf_init(&b, 4096);
    for (size_t i = 0; i < heard->count; i++)
        skn_buf_addf(&b, "%s%s", i ? ", " : "→ ", heard->at[i]);
    if (about->aside)
        skn_buf_addf(&b, "%s%s", b.n ? "   " : "", SKN_MEMORY_ONLY);
    text = skn_arena_copy(c->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text;
}

/* "you › text    → lead, ada": the first line, then the others under it. Who hears it stands under all of them
 * when there is no room behind the first. */
static void print_person(skn_chat *c, const skein_message *m, const skn_chat_about *a)
{
    skn_str rest = skn_str_trim(m->content), line = SKN_STR(""), to = heard_text(c, a);
    skn_str name = skn_sender_name(m->sender);
    size_t  indent = skn_utf8_columns(name) + 3, used;
    bool    behind;

    skn_str_split(&rest, '\n', &line);
    used = indent + skn_utf8_columns(line);
    behind = fits(c, used, to);
    skn_print_colour(c->cli, SKN_BOLD, name);
    skn_print_raw(c->cli, SKN_STR(" › "));
    if (behind) {
        skn_clean_add(&c->cli->out.bytes, line, false);
        print_right(c, used, to, SKN_DIM);
        skn_print_raw(c->cli, SKN_STR("\n"));
    } else {
        skn_chat_wrap(c, line, indent, true);
    }
    skn_chat_wrap(c, rest, indent, false);
    if (!behind)
        skn_chat_wrap(c, to, indent, false);
}

static void print_calls(skn_chat *c, const skein_message *m)
{
    for (size_t i = 0; i < m->call_count; i++) {
        skn_print_raw(c->cli, SKN_STR("  calls "));
        skn_print_line(c->cli, m->calls[i].tool_name, 60);
        skn_print_raw(c->cli, SKN_STR("\n"));
    }
}

/* What was cut off has failed, which says how to ask again; what an edit took away is not asked for again. */
static void print_unfinished(skn_chat *c, const skein_message *m)
{
    skn_print_unfinished(c->cli, m->unfinished, 2);
    if (m->unfinished == SKEIN_STOPPED && m->reply_to.n && m->position >= 0) {
        skn_print_raw(c->cli, SKN_STR("  Ask again: /retry "));
        skn_print_line(c->cli, m->reply_to, 0);
        skn_print_raw(c->cli, SKN_STR(" --agent "));
        skn_print_line(c->cli, m->sender, 0);
    }
    skn_print_raw(c->cli, SKN_STR("\n"));
}

/* "lead  ↪ you  14:02      b7c8d9e0f1 · demo/scripted", and the text under it. Where there is no room only
 * the id stays, and that goes into a row of its own before it is broken. */
static void print_agent(skn_chat *c, const skein_message *m, const skn_chat_about *a)
{
    size_t  from = c->cli->out.bytes.n, used;
    skn_str about, id = skn_shown_id(c->cli, m->uid);

    skn_print_sender(c->cli, m->sender, SENDER_COLUMNS);
    if (a->parent.n) {
        skn_print_raw(c->cli, SKN_STR(" ↪ "));
        skn_print_sender(c->cli, a->parent, SENDER_COLUMNS);
    }
    skn_print_raw(c->cli, SKN_STR(" "));
    skn_print_time(c->cli, m->created_at);
    if (a->aside) {
        skn_print_raw(c->cli, SKN_STR("   "));
        skn_print_colour(c->cli, SKN_DIM, SKN_STR(SKN_MEMORY_ONLY));
    }
    about = m->model.n ? skn_arena_printf(c->mem, "%.*s · %.*s", SKN_FMT(id), SKN_FMT(m->model))
                       : id;
    used = columns_from(c, from);
    if (!fits(c, used, about))
        about = id;
    if (!fits(c, used, about)) {
        skn_print_raw(c->cli, SKN_STR("\n"));
        used = 0;
    }
    print_right(c, used, about, SKN_DIM);
    skn_print_raw(c->cli, SKN_STR("\n"));
    skn_chat_wrap(c, skn_str_trim(m->content), 2, false);
    print_calls(c, m);
    if (m->unfinished)
        print_unfinished(c, m);
}

void skn_chat_print(skn_chat *c, const skein_message *m, const skn_chat_about *about)
{
    skn_chat_erase(c);
    if (m->role == SKEIN_USER)
        print_person(c, m, about);
    else
        print_agent(c, m, about);
    if (!c->plain)
        skn_print_raw(c->cli, SKN_STR("\n"));
    c->changed = true;
    if (c->plain)
        skn_out_flush(c->cli);
}

void skn_chat_tell(skn_chat *c, const char *fmt, ...)
{
    char    line[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    skn_chat_erase(c);
    skn_chat_wrap(c, skn_str_of(line), 0, false);
    c->changed = true;
    if (c->plain)
        skn_out_flush(c->cli);
}

void skn_chat_complain(skn_chat *c)
{
    skn_chat_erase(c);
    skn_out_flush(c->cli);
    skn_report(c->cli);
    c->cli->err = (skein_error){.rc = SKEIN_OK};
    c->changed = true;
}
