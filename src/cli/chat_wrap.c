/* chat_wrap.c: texts of a chat in rows that end between words. */
#include "cli/chat.h"

#include "base/utf8.h"

#define FENCE SKN_STR("```")
#define ESC   27

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

size_t skn_chat_columns(skn_str printed)
{
    size_t used = 0, n;

    for (size_t at = 0; at < printed.n; at += n) {
        n = character(printed, at);
        used += printed.p[at] == ESC ? 0 : skn_utf8_columns(skn_str_sub(printed, at, at + n));
    }
    return used;
}

/* Where the row ends: at the last blank that fits. A word that is longer than the row is cut where the room
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

bool skn_chat_piece(skn_str *rest, size_t columns, bool cut, skn_str *out)
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

static void print_row(skn_chat *c, skn_str text, size_t indent)
{
    skn_buf_fill(&c->cli->out.bytes, ' ', text.n ? indent : 0);
    skn_clean_add(&c->cli->out.bytes, text, false);
    skn_print_raw(c->cli, SKN_STR("\n"));
}

/* Columns for text; line by line, and for code, whatever it needs. */
static size_t room(const skn_chat *c, size_t indent, bool code)
{
    size_t width = (size_t)c->cli->out.width;

    if (c->plain || code)
        return SIZE_MAX;
    return width > indent + 8 ? width - indent : 8;
}

void skn_chat_wrap(skn_chat *c, skn_str text, size_t indent, bool begun)
{
    bool    code = false;
    skn_str line, piece;

    while (text.n && skn_str_split(&text, '\n', &line)) {
        bool fence = skn_str_starts(skn_str_trim(line), FENCE);

        if (skn_str_ends(line, SKN_STR("\r")))
            line.n--;
        if (!line.n)
            print_row(c, line, 0);
        while (skn_chat_piece(&line, room(c, indent, code || fence), false, &piece)) {
            print_row(c, piece, begun ? 0 : indent);
            begun = false;
        }
        code = code != fence;
    }
}

void skn_chat_wrap_printed(skn_chat *c, skn_buf *out)
{
    skn_buf all = *out;
    skn_str rest = skn_buf_str(&all), line, piece;

    skn_buf_init(out, all.limit);
    while (rest.n && skn_str_split(&rest, '\n', &line)) {
        bool ended = line.p + line.n < all.p + all.n;

        if (!line.n)
            skn_buf_add(out, SKN_STR("\n"));
        while (skn_chat_piece(&line, room(c, 0, false), false, &piece)) {
            skn_buf_add(out, piece);
            skn_buf_add(out, line.n || ended ? SKN_STR("\n") : SKN_STR(""));
        }
    }
    skn_buf_release(&all);
}
