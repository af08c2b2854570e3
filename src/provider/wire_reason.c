/* wire_reason.c: thinking that a model wants back unchanged: signed blocks, encrypted items, thoughts
 * between calls. It is not read here. A message stores it as
 *
 *     {"type":"anthropic","model":"name/model","parts":[{"call":0,"part":{…}}, …]}
 *
 * and it is only sent to a model of that type and name. A part stands before the call of that number, or belongs to
 * it, depending on the format; -1: no call. */
#include "provider/wire_json.h"

enum { MOST_REASON = 1 << 20 }; /* a longer one is not stored: half of it is useless */

void skn_wire_reason_init(skn_wire_answer *w)
{
    skn_buf_init(&w->reason, MOST_REASON);
    skn_buf_init(&w->reason_text, MOST_REASON);
    skn_buf_init(&w->reason_signature, MOST_REASON);
}

void skn_wire_reason_release(skn_wire_answer *w)
{
    skn_buf_release(&w->reason);
    skn_buf_release(&w->reason_text);
    skn_buf_release(&w->reason_signature);
}

void skn_wire_reason(skn_wire_answer *w, int64_t call, skn_str part)
{
    skn_buf_addf(&w->reason, "%s{\"call\":%lld,\"part\":", w->reason.n ? "," : "",
                 (long long)call);
    skn_buf_add(&w->reason, part);
    skn_buf_addc(&w->reason, '}');
}

void skn_wire_thought(skn_wire_answer *w, const char *key, skn_str text)
{
    w->reason_key = key;
    skn_buf_add(&w->reason_text, text);
}

void skn_wire_thought_end(skn_wire_answer *w, int64_t call, const char *type)
{
    skn_buf part;
    skn_jw  out;

    if (!w->reason_key)
        return;
    skn_buf_init(&part, SIZE_MAX / 2);
    skn_jw_init(&out, &part);
    skn_jw_object(&out);
    if (type)
        skn_jw_kstr(&out, "type", skn_str_of(type));
    skn_jw_kstr(&out, w->reason_key, skn_buf_str(&w->reason_text));
    if (w->reason_signature.n)
        skn_jw_kstr(&out, "signature", skn_buf_str(&w->reason_signature));
    skn_jw_object_end(&out);
    skn_wire_reason(w, call, skn_buf_str(&part));
    w->reason.over |= w->reason_text.over || w->reason_signature.over;
    skn_buf_release(&part);
    skn_buf_clear(&w->reason_text);
    skn_buf_clear(&w->reason_signature);
    w->reason_key = NULL;
}

skn_str skn_wire_reason_keep(skn_wire_answer *w, const skn_wire_request *r)
{
    skn_buf b;
    skn_jw  out;

    skn_wire_thought_end(w, -1, NULL);
    if (!w->reason.n || w->reason.over)
        return SKN_NONE;
    skn_buf_init(&b, SIZE_MAX / 2);
    skn_jw_init(&out, &b);
    skn_jw_object(&out);
    skn_jw_kstr(&out, "type", skn_str_of(r->format->word));
    skn_jw_kstr(&out, "model", r->model);
    skn_jw_key(&out, "parts");
    skn_buf_addf(&b, "[%s]}", w->reason.p);
    return skn_buf_keep(&b, w->a);
}

const skn_json *skn_wire_reasons(const skn_wire_request *r, const skein_prompt_message *m)
{
    bool            any = m->reasoning.n && (m->call_count || !r->format->thinks_for_calls);
    const skn_json *v = any ? skn_wire_parse(m->reasoning, r->a) : NULL;

    if (!v || !skn_str_is(skn_json_str(v, "type"), r->format->word) ||
        !skn_str_eq(skn_json_str(v, "model"), r->model))
        return NULL;
    return skn_wire_first(v, "parts");
}

int64_t skn_thinking_beside(const skn_wire_format *f, const skn_json *settings)
{
    int64_t n = f && f->thinks_beside && settings
                    ? skn_wire_thinking(&(skn_ask){.settings = settings})
                    : 0;

    return n && n < f->thinks_beside ? f->thinks_beside : n;
}

/* Parts of calls that a message does not have are not sent, so they do not count. */
size_t skn_thought_bytes(const skn_wire_format *f, skn_str model, const skein_context *c)
{
    skn_wire_request r = {.format = f, .model = model};
    size_t           bytes = 0;
    int64_t          call;

    if (!f)
        return 0;
    r.a = skn_arena_new();
    for (size_t i = 0; i < c->count; i++) {
        const skn_json *part = skn_wire_reasons(&r, &c->at[i]);
        int64_t         calls = c->at[i].call_count ? (int64_t)c->at[i].call_count : 1;

        for (; part; part = part->next)
            if (!skn_json_int(part, "call", -1, &call, NULL) && call < calls &&
                skn_json_get(part, "part"))
                bytes += skn_json_get(part, "part")->raw.n;
        skn_arena_reset(r.a);
    }
    skn_arena_free(r.a);
    return bytes;
}

static const skn_json *next_of(const skn_json *at, int64_t call)
{
    int64_t n;

    for (; at; at = at->next)
        if (!skn_json_int(at, "call", -1, &n, NULL) && n == call && skn_json_get(at, "part"))
            break;
    return at;
}

void skn_wire_write_parts(skn_jw *w, const skn_json *parts, int64_t call)
{
    while ((parts = next_of(parts, call))) {
        skn_jw_raw(w, skn_json_get(parts, "part")->raw);
        parts = parts->next;
    }
}

void skn_wire_write_members(skn_jw *w, const skn_json *parts, int64_t call)
{
    while ((parts = next_of(parts, call))) {
        for (const skn_json *m = skn_json_get(parts, "part")->first; m; m = m->next) {
            skn_jw_key_str(w, m->key);
            skn_jw_raw(w, m->raw);
        }
        parts = parts->next;
    }
}

void skn_wire_request_write(skn_wire_request *r, const skn_wire_format *f, const char *name,
                            const skn_ask *what, size_t most)
{
    r->format = f;
    r->model = skn_arena_printf(r->a, "%s/%.*s", name, SKN_FMT(what->model));
    skn_buf_init(&r->body, most);
    f->write(r, what);
}
