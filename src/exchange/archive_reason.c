/* archive_reason.c: what a model wants back of its thinking, on its way in. Requests contain it as it stands, so an
 * archive may only bring what skein itself keeps of answers (provider/wire_reason.c). */
#include "base/json.h"
#include "exchange/archive.h"

static const struct {
    const char *format, *type;  /* type: of the part; NULL: it has none */
    const char *texts, *others; /* members that are texts, and that `is_nested` checks */
} kinds[] = {
    {"anthropic", "thinking", "type thinking signature", ""},
    {"anthropic", "redacted_thinking", "type data", ""},
    {"openai", NULL, "reasoning_content", "extra_content"},
    {"openai-responses", "reasoning", "type id encrypted_content status", "summary content"},
    {"ollama", NULL, "thinking", ""}};

static bool is_text(const skn_json *v)
{
    return v->kind == SKN_JSON_STRING || v->kind == SKN_JSON_NULL;
}

static bool has_only(const skn_json *v, const char *names)
{
    if (!v || v->kind != SKN_JSON_OBJECT)
        return false;
    for (const skn_json *m = v->first; m; m = m->next)
        if (!skn_str_among(m->key, names) || !is_text(m))
            return false;
    return true;
}

/* {"google":{"thought_signature":"…"}}, or a list of {"type":"…","text":"…"}. */
static bool is_nested(const skn_json *v)
{
    if (v->kind == SKN_JSON_OBJECT)
        return v->count == 1 && skn_str_is(v->first->key, "google") &&
               has_only(v->first, "thought_signature");
    if (v->kind != SKN_JSON_ARRAY)
        return false;
    for (const skn_json *one = v->first; one; one = one->next)
        if (!has_only(one, "type text"))
            return false;
    return true;
}

static bool is_part(skn_str format, const skn_json *part)
{
    skn_str type = skn_json_str(part, "type");

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const skn_json *m = part->first;

        if (!skn_str_is(format, kinds[i].format) ||
            (kinds[i].type ? !skn_str_is(type, kinds[i].type) : type.p != NULL))
            continue;
        while (m && (skn_str_among(m->key, kinds[i].texts)
                         ? is_text(m)
                         : skn_str_among(m->key, kinds[i].others) && is_nested(m)))
            m = m->next;
        if (!m)
            return true;
    }
    return false;
}

bool skn_archive_reason_valid(skn_str reasoning)
{
    skn_arena      *scratch = skn_arena_new();
    const skn_json *v, *parts;
    bool            valid = !skn_json_parse(&v, reasoning, "it", scratch, NULL);

    parts = valid ? skn_json_get(v, "parts") : NULL;
    valid = parts && v->count == 3 && parts->kind == SKN_JSON_ARRAY;
    for (const skn_json *one = valid ? parts->first : NULL; one && valid; one = one->next) {
        const skn_json *part = skn_json_get(one, "part"), *call = skn_json_get(one, "call");

        valid = one->count == 2 && call && call->kind == SKN_JSON_NUMBER && part &&
                part->kind == SKN_JSON_OBJECT && is_part(skn_json_str(v, "type"), part);
    }
    skn_arena_free(scratch);
    return valid;
}
