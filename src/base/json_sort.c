#include "base/json_sort.h"

#include <stdlib.h>
#include <string.h>

typedef struct writing {
    skn_jw       *w;
    skn_json_say *say;
    const void   *arg;
    skn_arena    *a;
} writing;

static void write_value(const writing *to, const skn_json *v);

static int by_key(const void *one, const void *two)
{
    skn_str a = (*(const skn_json *const *)one)->key, b = (*(const skn_json *const *)two)->key;
    int     order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

    return order ? order : a.n < b.n ? -1 : a.n > b.n;
}

static void write_members(const writing *to, const skn_json *v)
{
    const skn_json **members = SKN_ARRAY(to->a, v->count + 1, const skn_json *);
    size_t           n = 0;

    for (const skn_json *m = v->first; m; m = m->next)
        members[n++] = m;
    qsort(members, n, sizeof *members, by_key);
    skn_jw_object(to->w);
    for (size_t i = 0; i < n; i++) {
        skn_jw_key_str(to->w, members[i]->key);
        write_value(to, members[i]);
    }
    skn_jw_object_end(to->w);
}

/* As deep as the reader lets a source be, SKN_JSON_DEPTH. */
static void write_value(const writing *to, const skn_json *v)
{
    switch (v->kind) {
    case SKN_JSON_NULL:
        skn_jw_null(to->w);
        break;
    case SKN_JSON_BOOL:
        skn_jw_bool(to->w, v->boolean);
        break;
    case SKN_JSON_NUMBER:
        skn_jw_raw(to->w, v->text);
        break;
    case SKN_JSON_STRING:
        skn_jw_str(to->w, to->say ? to->say(to->arg, v->text, to->a) : v->text);
        break;
    case SKN_JSON_ARRAY:
        skn_jw_array(to->w);
        for (const skn_json *e = v->first; e; e = e->next)
            write_value(to, e);
        skn_jw_array_end(to->w);
        break;
    case SKN_JSON_OBJECT:
        write_members(to, v);
        break;
    }
}

void skn_json_write_sorted(skn_jw *w, const skn_json *v, skn_json_say *say, const void *arg,
                           skn_arena *a)
{
    const writing to = {w, say, arg, a};

    write_value(&to, v);
}
