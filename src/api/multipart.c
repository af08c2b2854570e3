#include "api/multipart.h"
#include "base/url.h"

#define BOUNDARY_BYTES ((size_t)200)

/* The next parameter behind a ";", which may stand in quotes. */
static bool next_param(skn_str *rest, skn_str *name, skn_str *value, skn_arena *a)
{
    ptrdiff_t semicolon = skn_str_find(*rest, SKN_STR(";"));
    char     *p;
    size_t    n = 0, i;

    if (semicolon < 0)
        return false;
    *rest = skn_str_trim(skn_str_sub(*rest, (size_t)semicolon + 1, rest->n));
    if (!skn_str_split(rest, '=', name))
        return false;
    *name = skn_str_trim(*name);
    if (!rest->n || rest->p[0] != '"') {
        ptrdiff_t end = skn_str_find(*rest, SKN_STR(";"));

        *value = skn_str_trim(skn_str_sub(*rest, 0, end < 0 ? rest->n : (size_t)end));
        *rest = skn_str_sub(*rest, end < 0 ? rest->n : (size_t)end, rest->n);
        return true;
    }
    p = skn_arena_alloc(a, rest->n);
    for (i = 1; i < rest->n && rest->p[i] != '"'; i++) {
        if (rest->p[i] == '\\' && i + 1 < rest->n &&
            (rest->p[i + 1] == '"' || rest->p[i + 1] == '\\'))
            i++;
        p[n++] = rest->p[i];
    }
    *value = (skn_str){p, n};
    *rest = skn_str_sub(*rest, i < rest->n ? i + 1 : i, rest->n);
    return true;
}

/* "UTF-8''na%20me" */
static skn_str extended(skn_str value, skn_arena *a)
{
    ptrdiff_t at = skn_str_find(value, SKN_STR("''"));
    skn_str   out;

    if (at < 0 || !skn_str_is_word(skn_str_sub(value, 0, (size_t)at), "UTF-8") ||
        !skn_url_decode(skn_str_sub(value, (size_t)at + 2, value.n), false, a, &out))
        return SKN_NONE;
    return out;
}

skn_str skn_part_param(skn_str header, const char *wanted, skn_arena *a)
{
    skn_str plain = SKN_NONE, name, value;

    while (header.p && next_param(&header, &name, &value, a)) {
        if (skn_str_is_word(name, wanted))
            plain = value;
        if (name.n && name.p[name.n - 1] == '*' &&
            skn_str_is_word(skn_str_sub(name, 0, name.n - 1), wanted)) {
            value = extended(value, a);
            if (value.p)
                return value;
        }
    }
    return plain;
}

static bool is_form(skn_str type)
{
    skn_str word;

    return type.p && skn_str_split(&type, ';', &word) &&
           skn_str_is_word(skn_str_trim(word), "multipart/form-data");
}

bool skn_form_open(skn_form *f, skn_str content_type, skn_str body, skn_arena *a)
{
    skn_str   given;
    ptrdiff_t at;

    *f = (skn_form){.rest = body};
    if (!is_form(content_type))
        return false;
    given = skn_part_param(content_type, "boundary", a);
    f->boundary = skn_arena_printf(a, "--%.*s", SKN_FMT(given));
    at = skn_str_find(body, f->boundary);
    f->broken = !given.n || given.n > BOUNDARY_BYTES || at < 0;
    if (!f->broken) /* what stands before the first part means nothing */
        f->rest = skn_str_sub(body, (size_t)at + f->boundary.n, body.n);
    f->boundary = skn_arena_printf(a, "\r\n--%.*s", SKN_FMT(given));
    return true;
}

static void read_head(skn_str head, skn_part *out, skn_arena *a)
{
    skn_str line, name;

    while (skn_str_split(&head, '\n', &line)) {
        if (!skn_str_split(&line, ':', &name))
            continue;
        name = skn_str_trim(name);
        line = skn_str_trim(line);
        if (skn_str_is_word(name, "Content-Type"))
            out->type = line;
        if (!skn_str_is_word(name, "Content-Disposition"))
            continue;
        out->name = skn_part_param(line, "name", a);
        out->filename = skn_part_param(line, "filename", a);
    }
}

/* Behind a boundary stands "--" at the end of all, or a line end and the next part. */
bool skn_form_next(skn_form *f, skn_part *out, skn_arena *a)
{
    ptrdiff_t blank, end;
    skn_str   part;

    *out = (skn_part){.name = SKN_NONE};
    if (f->broken || skn_str_starts(f->rest, SKN_STR("--")))
        return false;
    end = skn_str_find(f->rest, f->boundary);
    part = skn_str_sub(f->rest, 0, end < 0 ? 0 : (size_t)end);
    blank = skn_str_find(part, SKN_STR("\r\n\r\n"));
    if (end < 0 || blank < 0 || !skn_str_starts(part, SKN_STR("\r\n"))) {
        f->broken = true;
        return false;
    }
    read_head(skn_str_sub(part, 0, (size_t)blank), out, a);
    out->bytes = skn_str_sub(part, (size_t)blank + 4, part.n);
    f->rest = skn_str_sub(f->rest, (size_t)end + f->boundary.n, f->rest.n);
    return true;
}
