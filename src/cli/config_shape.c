/* The configuration for who reads it: as JSON, and providers as text. Keys are never in it. */
#include "cli/config.h"

#include <string.h>

void skn_config_value_shape(skn_jw *w, const skn_config *c, skn_config_id id)
{
    const skn_config_value *v = &c->values[id];
    skn_config_type         type = skn_config_rows[id].type;

    if (type == SKN_IS_ORIGINS) {
        skn_jw_array(w);
        for (size_t i = 0; i < v->count; i++)
            skn_jw_str(w, skn_str_of(v->list[i]));
        skn_jw_array_end(w);
    } else if (type == SKN_IS_NUMBER) {
        skn_jw_int(w, v->number);
    } else if (type == SKN_IS_SWITCH || (type == SKN_IS_MAYBE && v->number >= 0)) {
        skn_jw_bool(w, v->number);
    } else {
        skn_jw_str(w, v->text);
    }
}

/* "…9f3a": enough to tell one key from another. */
static skn_str masked(skn_str secret, skn_arena *a)
{
    if (secret.n < 16)
        return SKN_STR("…");
    return skn_arena_printf(a, "…%.*s", 4, secret.p + secret.n - 4);
}

/* "{ env: NAME }" */
static skn_str key_text(const skn_yaml *key, skn_arena *a)
{
    const skn_yaml *from = key->first;

    if (key->kind == SKN_YAML_TEXT)
        return masked(key->text, a);
    if (!from || from->kind != SKN_YAML_TEXT)
        return skn_arena_printf(a, "{ command: %.*s … }",
                                from && from->first ? (int)from->first->text.n : 0,
                                from && from->first ? from->first->text.p : "");
    return skn_arena_printf(a, "{ %.*s: %.*s }", SKN_FMT(from->key), SKN_FMT(from->text));
}

skn_str skn_config_provider_text(const skn_config_provider *p, skn_arena *a)
{
    const skn_yaml *url = skn_yaml_get(p->at, "baseUrl"), *key = skn_yaml_get(p->at, "apiKey");
    skn_str         text = p->type;

    if (url)
        text = skn_arena_printf(a, "%.*s %.*s", SKN_FMT(text), SKN_FMT(url->text));
    if (key)
        text = skn_arena_printf(a, "%.*s, key %.*s", SKN_FMT(text), SKN_FMT(key_text(key, a)));
    return text;
}

static void shape_row(skn_jw *w, const skn_config *c, skn_config_id id, skn_arena *scratch)
{
    const skn_config_row *row = &skn_config_rows[id];

    skn_jw_key_str(w, skn_arena_printf(scratch, "%s.%s", row->section, row->key));
    skn_jw_object(w);
    skn_jw_key(w, "value");
    skn_config_value_shape(w, c, id);
    skn_jw_kstr(w, "origin", skn_config_origin(&c->values[id], scratch));
    skn_jw_kbool(w, "restart", row->use == SKN_USE_RESTART);
    skn_jw_object_end(w);
}

void skn_config_shape(skn_jw *w, const skn_config *c, const skn_config *tried,
                      skn_arena *scratch)
{
    skn_jw_object(w);
    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        shape_row(w, c, (skn_config_id)i, scratch);
    for (size_t i = 0; i < c->providers.n; i++) {
        const skn_config_provider *p = &c->providers.p[i];

        skn_jw_key_str(w, skn_arena_printf(scratch, "providers.%.*s", SKN_FMT(p->name)));
        skn_jw_object(w);
        skn_jw_kstr(w, "value", skn_config_provider_text(p, scratch));
        skn_jw_kstr(w, "origin", skn_arena_printf(scratch, "%s:%d", p->file, p->at->key_line));
        skn_jw_kbool(w, "restart", true);
        skn_jw_object_end(w);
    }
    for (size_t i = 0; i < c->secrets.n; i++) {
        const skn_config_secret *s = &c->secrets.p[i];

        skn_jw_key_str(w,
                       skn_arena_printf(scratch, "secrets.env.%.*s", SKN_FMT(s->grant.name)));
        skn_jw_object(w);
        skn_jw_kstr(w, "value", skn_config_secret_text(s, scratch));
        skn_jw_kstr(w, "origin", skn_arena_printf(scratch, "%s:%d", s->file, s->line));
        skn_jw_kbool(w, "restart", false);
        skn_jw_object_end(w);
    }
    skn_jw_key(w, "problems");
    skn_jw_array(w);
    for (size_t i = 0; i < tried->problems.n; i++)
        skn_jw_str(w, skn_config_line(&tried->problems.p[i], scratch));
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}
