#include "engine/audit.h"

#include "base/utf8.h"
#include "engine/core.h"

#define CHANGES_MOST ((size_t)1000)

void skn_engine_by(skein_engine *e, skn_actor *by)
{
    e->by = by;
}

skein_engine *skn_engine_for(const skein_engine *e, skn_actor *by, skn_arena *a)
{
    skein_engine *out = SKN_NEW(a, skein_engine);

    *out = *e;
    out->by = by;
    return out;
}

/* --- Writing ------------------------------------------------------------------------------------- */

/* Once, also when the transaction was tried again. */
static void note(skn_actor *by, const skein_audit_row *row)
{
    skein_audit_row copy = *row;

    for (size_t i = 0; i < by->noted.n; i++)
        if (skn_str_eq(by->noted.p[i].what, row->what) &&
            skn_str_eq(by->noted.p[i].subject, row->subject))
            return;
    copy.subject = skn_arena_copy(by->a, row->subject);
    copy.detail = skn_arena_copy(by->a, row->detail);
    skn_vec_add(by->a, &by->noted, copy);
}

static skn_str limited(skn_str text, size_t most)
{
    return text.n > most ? skn_utf8_cut(text, most) : text;
}

skein_rc skn_audit_in(skn_working *w, const char *what, skn_str subject, skn_str detail,
                      skein_error *err)
{
    const skn_actor *by = w->e->by;
    skein_audit_row  row = {.at = SKN_NOW(),
                            .who = by ? by->name : SKN_STR("skein"),
                            .from = by ? by->from : SKN_STR("process"),
                            .what = skn_str_of(what),
                            .subject = limited(subject, SKN_TITLE_MAX),
                            .detail = limited(detail, CHANGES_MOST),
                            .request_id = by ? by->request_id : SKN_NONE};
    skein_rc         rc;

    row.subject = row.subject.p ? row.subject : SKN_STR("");
    rc = skn_audit_insert(w->tx, &row, err);
    if (!rc && w->e->by)
        note(w->e->by, &row);
    return rc;
}

typedef struct note_call {
    const char *what;
    skn_str     subject, detail;
} note_call;

static skein_rc add_note(skn_working *w, void *arg, skein_error *err)
{
    note_call *c = arg;

    return skn_audit_in(w, c->what, c->subject, c->detail, err);
}

skein_rc skn_audit_add(skein_engine *e, const char *what, skn_str subject, skn_str detail,
                       skein_error *err)
{
    note_call c = {.what = what, .subject = subject, .detail = detail};

    return skn_write(e, NULL, add_note, &c, err);
}

/* --- What differs ---------------------------------------------------------------------------------- */

static const skn_json *read_object(skn_str text, skn_arena *a)
{
    const skn_json *v;

    return text.n && !skn_json_parse(&v, text, "it", a, NULL) && v->kind == SKN_JSON_OBJECT
               ? v
               : NULL;
}

static void name_change(skn_buf *b, skn_str above, skn_str key, const char *how)
{
    skn_buf_addf(b, "%s%.*s%s%.*s%s", b->n ? ", " : "", SKN_FMT(above), above.n ? "." : "",
                 SKN_FMT(limited(key, 80)), how);
}

static void compare(skn_buf *b, skn_str above, const skn_json *before, const skn_json *after,
                    bool deeper)
{
    for (const skn_json *m = after ? after->first : NULL; m; m = m->next) {
        const skn_json *was = skn_json_member(before, m->key);

        if (was && skn_str_eq(was->raw, m->raw))
            continue;
        if (deeper && m->kind == SKN_JSON_OBJECT)
            compare(b, m->key, was && was->kind == SKN_JSON_OBJECT ? was : NULL, m, false);
        else
            name_change(b, above, m->key, "");
    }
    for (const skn_json *m = before ? before->first : NULL; m; m = m->next)
        if (!skn_json_member(after, m->key))
            name_change(b, above, m->key, " removed");
}

skn_str skn_audit_changes(skn_str before, skn_str after, skn_arena *a)
{
    skn_buf b;
    skn_str out;

    skn_buf_init(&b, 256 << 10);
    compare(&b, SKN_STR(""), read_object(before, a), read_object(after, a), true);
    out = skn_arena_copy(a, limited(skn_buf_str(&b), CHANGES_MOST));
    skn_buf_release(&b);
    return out;
}
