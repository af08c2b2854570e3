/* Settings: the configuration that the server was started with, which only files, the environment
 * and options change, and what people set while they work, which is kept in the store. */
#include "base/error.h"
#include "base/hash.h"
#include "http/about.h"

enum { VALUE_MOST = 64 * 1024, NAME_MOST = 64, AT_ONCE = 100 };

static skn_str settings_tag(skn_http_call *c, skn_str text)
{
    return skn_arena_printf(c->mem, "\"s%016llx\"",
                            (unsigned long long)skn_hash_bytes(11, text));
}

static skein_rc write_settings(skn_http_call *c)
{
    skein_settings list;
    skn_jw        *w = &c->w;
    skein_rc       rc = skein_setting_list(c->engine, c->mem, &list, &c->error);

    if (rc)
        return rc;
    skn_jw_object(w);
    skn_jw_key(w, "configuration");
    skn_jw_raw(w, skn_http_shown_settings(c->http, c->mem));
    skn_jw_key(w, "preferences");
    skn_jw_object(w);
    for (size_t i = 0; i < list.count; i++) {
        skn_jw_key_str(w, list.at[i].key);
        skn_jw_raw(w, list.at[i].value);
    }
    skn_jw_object_end(w);
    skn_jw_object_end(w);
    return SKEIN_OK;
}

skein_rc skn_api_get_settings(skn_http_call *c)
{
    skein_rc rc = write_settings(c);
    bool     same;

    if (rc == SKEIN_OK)
        skn_call_etag(c, settings_tag(c, skn_buf_str(&c->out)), &same);
    return rc;
}

/* "theme", "keys.send" */
static bool name_ok(skn_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.p[i];

        if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
              (ch >= '0' && ch <= '9') || ch == '.' || ch == '_' || ch == '-'))
            return false;
    }
    return s.n >= 1 && s.n <= NAME_MOST;
}

static skein_rc read_patch(skn_http_call *c, skein_setting *list, size_t *count)
{
    const skn_json *patch = c->json;
    const skn_json *inner = skn_json_get(patch, "preferences");

    patch = inner && inner->kind == SKN_JSON_OBJECT ? inner : patch;
    *count = 0;
    if (!patch || patch->kind != SKN_JSON_OBJECT)
        return skn_call_invalid(c, "", "must be an object");
    if (patch->count > AT_ONCE)
        return skn_call_invalid(c, "", "has more than 100 members");
    for (const skn_json *m = patch->first; m; m = m->next) {
        const char *at = skn_arena_printf(c->mem, "/%.*s", SKN_FMT(m->key)).p;

        if (!name_ok(m->key))
            return skn_call_invalid(c, at, "is no name of a setting");
        if (m->raw.n > VALUE_MOST)
            return skn_call_invalid(c, at, "is longer than 64 kB");
        list[*count].key = m->key;
        list[(*count)++].value = m->kind == SKN_JSON_NULL ? SKN_NONE : m->raw;
    }
    return SKEIN_OK;
}

/* If-Match holds only while the settings are as the client read them. */
static skein_rc check_match(skn_http_call *c)
{
    skn_str  want = skn_call_header(c, "If-Match");
    skein_rc rc;
    bool     same;

    if (!want.p || skn_str_is(skn_str_trim(want), "*"))
        return SKEIN_OK;
    if ((rc = write_settings(c)))
        return rc;
    same = skn_str_eq(skn_str_trim(want), settings_tag(c, skn_buf_str(&c->out)));
    skn_buf_clear(&c->out);
    skn_jw_init(&c->w, &c->out);
    return same ? SKEIN_OK
                : skn_call_problem(c, 412, "version-changed",
                                   "the settings were changed since they were read");
}

skein_rc skn_api_update_settings(skn_http_call *c)
{
    skein_setting *list = SKN_ARRAY(c->mem, AT_ONCE, skein_setting);
    size_t         count;
    skein_rc       rc = read_patch(c, list, &count);

    if (rc || (rc = check_match(c)) ||
        (rc = skein_setting_put(c->engine, list, count, &c->error)))
        return rc;
    return skn_api_get_settings(c);
}

/* The files are read on the loop, where the settings live; the answer needs the store. */
static void show_reloaded(void *arg)
{
    skn_http_call *c = arg;

    write_settings(c);
}

static void answer_reloaded(void *arg)
{
    skn_http_call *c = arg;

    skn_call_answer(c, c->error.rc);
}

void skn_api_reload_settings(skn_http_call *c)
{
    const skn_http_options *o = skn_http_opts(c->http);
    skein_rc                rc = SKEIN_OK;

    if (!o->reload)
        rc = skn_fail(&c->error, SKEIN_INVALID, "this server has no configuration to read");
    else
        rc = o->reload(o->arg, &c->error);
    if (rc)
        skn_call_answer(c, rc);
    else
        skn_workers_run(o->workers, show_reloaded, answer_reloaded, c);
}
