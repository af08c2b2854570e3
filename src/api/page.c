#include "api/call.h"
#include "base/url.h"

#include <inttypes.h>

enum { CURSOR_MOST = 512 };

/* --- Cursors ------------------------------------------------------------------------------ */

/* Cuts ":NUMBER" off the end. */
static bool last_number(skn_str *s, int64_t *out)
{
    size_t i = s->n;

    while (i > 0 && s->p[i - 1] != ':')
        i--;
    if (i == 0 || !skn_str_int(skn_str_sub(*s, i, s->n), out) || *out < 0)
        return false;
    s->n = i - 1;
    return true;
}

static bool read_cursor(skn_api_call *c, skn_str cursor, skn_page *p)
{
    skn_str text;

    p->asked = cursor.n <= CURSOR_MOST && skn_base64url_read(c->mem, cursor, &text) &&
               last_number(&text, &p->count) && last_number(&text, &p->from) &&
               skn_str_eq(text, p->tag);
    return p->asked;
}

skn_str skn_page_cursor(skn_api_call *c, const skn_page *p, int64_t from, int64_t count)
{
    int64_t at = p->newest_first ? p->total - from : from;

    return skn_base64url(c->mem, skn_arena_printf(c->mem, "%.*s:%" PRId64 ":%" PRId64,
                                                  SKN_FMT(p->tag), at, count));
}

skein_rc skn_page_after(skn_api_call *c, skn_str tag, skn_str *last)
{
    skn_str cursor = skn_call_query(c, "cursor"), text;

    *last = SKN_NONE;
    if (!cursor.p)
        return SKEIN_OK;
    if (cursor.n > CURSOR_MOST || !skn_base64url_read(c->mem, cursor, &text) ||
        !skn_str_starts(text, tag))
        return skn_call_invalid(c, "/cursor", "is not a cursor of this list");
    *last = skn_str_sub(text, tag.n, text.n);
    return SKEIN_OK;
}

void skn_page_end_after(skn_api_call *c, skn_str tag, skn_str last)
{
    skn_str next = skn_arena_printf(c->mem, "%.*s%.*s", SKN_FMT(tag), SKN_FMT(last));

    skn_call_list_end(c, last.p ? skn_base64url(c->mem, next) : SKN_NONE, SKN_NONE, -1);
}

/* --- Pages -------------------------------------------------------------------------------- */

skein_rc skn_page_limit(skn_api_call *c, int64_t fallback, int64_t *out)
{
    return skn_call_query_int(c, "limit", 1, c->by ? SKN_PAGE_MOST : SKN_PAGE_HERE, fallback,
                              out);
}

skein_rc skn_page_read(skn_api_call *c, skn_str tag, int64_t fallback, bool newest_first,
                       skn_page *out)
{
    skn_str  cursor = skn_call_query(c, "cursor");
    skein_rc rc;

    *out = (skn_page){.tag = tag, .newest_first = newest_first};
    if ((rc = skn_page_limit(c, fallback, &out->limit)))
        return rc;
    if (cursor.p && !read_cursor(c, cursor, out))
        return skn_call_invalid(c, "/cursor", "is not a cursor of this list");
    return SKEIN_OK;
}

void skn_page_fit(skn_page *p, int64_t total)
{
    int64_t most = p->asked && p->count > 0 && p->count < p->limit ? p->count : p->limit;

    p->total = total;
    if (p->asked && p->newest_first)
        p->from = total - p->from;
    if (p->from < 0)
        p->from = 0;
    if (p->from > total)
        p->from = total;
    p->count = total - p->from < most ? total - p->from : most;
}

skein_rc skn_page_open(skn_api_call *c, skn_str tag, size_t total, int how, skn_page *out)
{
    int64_t  limit = how & SKN_LIST_WHOLE ? SKN_PAGE_MOST : SKN_PAGE_DEFAULT;
    skein_rc rc = skn_page_read(c, tag, limit, how & SKN_LIST_NEWEST, out);

    if (rc)
        return rc;
    skn_page_fit(out, (int64_t)total);
    skn_call_list(c);
    return SKEIN_OK;
}

void skn_page_end(skn_api_call *c, const skn_page *p)
{
    int64_t end = p->from + p->count, before = p->from < p->limit ? p->from : p->limit;
    skn_str next = SKN_NONE, prev = SKN_NONE;

    if (end < p->total)
        next = skn_page_cursor(c, p, end, p->limit);
    if (before > 0)
        prev = skn_page_cursor(c, p, p->from - before, before);
    skn_call_list_end(c, next, prev, p->picked ? -1 : p->total);
}

/* --- Picking members ---------------------------------------------------------------------- */

static bool in_list(skn_str list, skn_str name)
{
    skn_str one;

    while (skn_str_split(&list, ',', &one))
        if (skn_str_eq(skn_str_trim(one), name))
            return true;
    return false;
}

bool skn_page_wants(skn_api_call *c, const char *names)
{
    skn_str wanted = skn_call_query(c, "fields"), rest = skn_str_of(names), one;

    if (!wanted.n || (c->route->flags & SKN_ROUTE_CHANGES))
        return true;
    while (skn_str_split(&rest, ',', &one))
        if (in_list(wanted, one))
            return true;
    return false;
}

static skein_rc check_fields(skn_api_call *c, skn_str wanted, const char *known)
{
    skn_str rest = wanted, one;

    while (skn_str_split(&rest, ',', &one)) {
        one = skn_str_trim(one);
        if (one.n > 0 && !in_list(skn_str_of(known), one)) {
            c->more.fields = known;
            return skn_call_invalid(c, "/fields",
                                    skn_arena_text(c->mem,
                                                   "names \"%.*s\", which is not a member",
                                                   (int)(one.n < 60 ? one.n : 60), one.p));
        }
    }
    return SKEIN_OK;
}

static void pick_members(skn_jw *w, const skn_json *item, skn_str wanted)
{
    skn_jw_object(w);
    for (const skn_json *m = item->first; m; m = m->next)
        if (in_list(wanted, m->key))
            skn_jw_member(w, m);
    skn_jw_object_end(w);
}

static void pick_items(skn_jw *w, const skn_json *list, skn_str wanted)
{
    skn_jw_object(w);
    for (const skn_json *m = list->first; m; m = m->next) {
        skn_jw_key_str(w, m->key);
        if (!skn_str_is(m->key, "data")) {
            skn_jw_raw(w, m->raw);
            continue;
        }
        skn_jw_array(w);
        for (const skn_json *item = m->first; item; item = item->next)
            pick_members(w, item, wanted);
        skn_jw_array_end(w);
    }
    skn_jw_object_end(w);
}

skein_rc skn_page_close(skn_api_call *c, const skn_page *p, const char *known)
{
    skn_page_end(c, p);
    return known ? skn_page_fields(c, known) : SKEIN_OK;
}

skein_rc skn_page_fields(skn_api_call *c, const char *known)
{
    return skn_page_fields_and(c, known, SKN_NONE);
}

skein_rc skn_page_fields_and(skn_api_call *c, const char *known, skn_str also)
{
    skn_str         wanted = skn_call_query(c, "fields"), whole;
    const skn_json *answer, *data;
    skein_rc        rc;

    if (!wanted.n || (c->route->flags & SKN_ROUTE_CHANGES))
        return SKEIN_OK;
    if ((rc = check_fields(c, wanted, known)))
        return rc;
    if (also.n)
        wanted = skn_arena_printf(c->mem, "%.*s,%.*s", SKN_FMT(wanted), SKN_FMT(also));
    if (c->out.over) /* which is reported at the end */
        return SKEIN_OK;
    if (!skn_arena_reserve(c->mem, c->out.n + sizeof(max_align_t)))
        return skn_no_memory(&c->error);
    whole = skn_arena_copy(c->mem, skn_buf_str(&c->out));
    if ((rc = skn_json_parse(&answer, whole, "the answer", c->mem, &c->error)))
        return rc;
    skn_buf_clear(&c->out);
    skn_jw_init(&c->w, &c->out);
    data = skn_json_get(answer, "data");
    if (data && data->kind == SKN_JSON_ARRAY && skn_json_get(answer, "page"))
        pick_items(&c->w, answer, wanted);
    else
        pick_members(&c->w, answer, wanted);
    return SKEIN_OK;
}

/* --- Whole answers ------------------------------------------------------------------------ */

skein_rc skn_answer_list(skn_api_call *c, skn_str tag, int how, const void *things,
                         size_t count, const skn_shape *shape)
{
    const char *known = how & SKN_LIST_FIELDS ? skn_shape_fields(shape, c->mem).p : NULL;
    skn_page    page;
    skein_rc    rc = skn_page_open(c, tag, count, how, &page);

    if (rc)
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++)
        skn_shape_write(&c->w, shape, (const char *)things + (size_t)i * shape->size);
    return skn_page_close(c, &page, known);
}

skein_rc skn_answer_one(skn_api_call *c, const skn_shape *shape, const void *thing)
{
    skn_shape_write(&c->w, shape, thing);
    return skn_page_fields(c, skn_shape_fields(shape, c->mem).p);
}
