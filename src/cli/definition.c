#include "cli/definition.h"

#include "base/clean.h"
#include "base/json.h"

static void add(skn_definition_parts *out, skn_str label, skn_str text, skn_arena *a)
{
    if (text.n)
        skn_vec_add(a, &out->parts,
                    ((skn_defined){skn_clean_consent(a, label), skn_clean_consent(a, text)}));
}

void skn_definition_read(const skein_inbox_item *item, skn_arena *a, skn_definition_parts *out)
{
    const skn_json *v;

    *out = (skn_definition_parts){.why = NULL};
    if (!item->definition_state.n)
        return;
    out->why =
        skn_str_is(item->definition_state, "new")
            ? "This tool was not used here before. What its server says of it:"
            : "This tool is not what it was when it was allowed. What its server says of "
              "it now:";
    if (skn_json_parse(&v, item->definition, "it", a, NULL) || v->kind != SKN_JSON_OBJECT) {
        add(out, SKN_STR("definition"), item->definition, a);
        return;
    }
    for (const skn_json *m = v->first; m; m = m->next)
        add(out, m->key, m->kind == SKN_JSON_STRING ? m->text : m->raw, a);
}
