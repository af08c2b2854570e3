#include "cli/flow.h"

#include "base/utf8.h"
#include "cli/chat.h"

#include <string.h>

#define WORD_MOST ((size_t)256 << 20)

void skn_flow_begin(skn_flow *f, skn_str head, size_t indent)
{
    skn_buf_release(&f->word);
    *f = (skn_flow){.indent = indent, .column = skn_chat_columns(head)};
    skn_buf_init(&f->word, WORD_MOST);
}

void skn_flow_release(skn_flow *f)
{
    skn_buf_release(&f->word);
}

static void next_row(skn_flow *f, skn_cli *cli)
{
    skn_print(cli, "\n%*s", (int)f->indent, "");
    f->column = f->indent;
}

/* The last column stays free: behind it terminals differ in where the cursor is. */
static size_t row_columns(const skn_cli *cli)
{
    return skn_wraps(cli) ? (size_t)cli->out.width - 1 : SIZE_MAX;
}

static void take_back(skn_flow *f, skn_cli *cli, size_t columns)
{
    skn_buf_fill(&cli->out.bytes, '\b', columns);
    skn_buf_fill(&cli->out.bytes, ' ', columns);
    next_row(f, cli);
}

static skn_str last_of(skn_str s)
{
    size_t n = s.n < 4 ? s.n : 4, from = s.n - n;

    while (from + 1 < s.n && ((unsigned char)s.p[from] & 0xc0) == 0x80)
        from++;
    for (size_t next = from + 1; next < s.n; next++)
        if (((unsigned char)s.p[next] & 0xc0) != 0x80)
            from = next;
    return skn_str_sub(s, from, s.n);
}

/* Clean, judged with the character before it. */
static void add_clean(skn_flow *f, skn_str text)
{
    skn_str before = {f->last, f->last_bytes}, last = last_of(text);
    skn_buf both, shown;

    skn_buf_init(&both, WORD_MOST);
    skn_buf_init(&shown, WORD_MOST);
    skn_buf_add(&both, before);
    skn_buf_add(&both, text);
    skn_clean_add(&shown, skn_buf_str(&both), false);
    skn_buf_clear(&both);
    skn_clean_add(&both, before, false);
    skn_buf_add(&f->word, skn_str_sub(skn_buf_str(&shown), both.n, shown.n));
    skn_buf_release(&both);
    skn_buf_release(&shown);
    memcpy(f->last, last.p, last.n);
    f->last_bytes = last.n;
}

/* More of a word; one that is longer than a row is broken by the terminal. */
static void add_word(skn_flow *f, skn_cli *cli, skn_str text)
{
    size_t  from = f->word.n, columns, most = row_columns(cli);
    skn_str more;

    add_clean(f, text);
    more = skn_str_sub(skn_buf_str(&f->word), from, f->word.n);
    columns = skn_utf8_columns(more);
    if (f->column + columns > most && f->column > f->indent + f->shown &&
        f->indent + f->shown + columns <= most) {
        take_back(f, cli, f->shown);
        more = skn_buf_str(&f->word);
        columns += f->shown;
        f->shown = 0;
    }
    skn_print_raw(cli, more);
    f->column += columns;
    f->shown += columns;
    if (f->column > most)
        f->column %= (size_t)cli->out.width;
    if (f->shown > most || !skn_wraps(cli)) /* it is not taken back any more */
        skn_buf_clear(&f->word);
}

static void end_word(skn_flow *f)
{
    skn_buf_clear(&f->word);
    f->shown = 0;
    f->last_bytes = 0;
}

static void add_blank(skn_flow *f, skn_cli *cli)
{
    end_word(f);
    if (f->column++ < row_columns(cli))
        skn_print_raw(cli, SKN_STR(" "));
}

static void add_line(skn_flow *f, skn_cli *cli)
{
    end_word(f);
    next_row(f, cli);
}

void skn_flow_add(skn_flow *f, skn_cli *cli, skn_str text)
{
    size_t n;

    for (; text.n; text = skn_str_sub(text, n, text.n)) {
        for (n = 0; n < text.n && text.p[n] != ' ' && text.p[n] != '\n'; n++)
            ;
        if (n) {
            add_word(f, cli, skn_str_sub(text, 0, n));
            continue;
        }
        n = 1;
        if (text.p[0] == ' ')
            add_blank(f, cli);
        else
            add_line(f, cli);
    }
}
