/* Settings: the configuration that the server was started with, which only files, the environment
 * and options change, and what people set while they work, which is kept in the store. */
#include "http/inside.h"
#include "http/served.h"

enum { VALUE_MOST = 64 * 1024, NAME_MOST = 64, AT_ONCE = 100 };

/* Headers of providers as those of tool servers: named, not shown. */
static void write_provider(skn_jw *w, const skn_json *v)
{
    skn_jw_object(w);
    for (const skn_json *m = v->first; m; m = m->next) {
        bool hide = skn_str_is(m->key, "headers") && m->kind == SKN_JSON_OBJECT;

        skn_jw_key_str(w, m->key);
        if (!hide) {
            skn_jw_raw(w, m->raw);
            continue;
        }
        skn_jw_object(w);
        for (const skn_json *h = m->first; h; h = h->next) {
            skn_jw_key_str(w, h->key);
            skn_jw_str(w, SKN_STR(SKN_HIDDEN));
        }
        skn_jw_object_end(w);
    }
    skn_jw_object_end(w);
}

static void write_providers(skn_jw *w, const skn_json *v)
{
    skn_jw_object(w);
    for (const skn_json *p = v->first; p; p = p->next) {
        skn_jw_key_str(w, p->key);
        if (p->kind == SKN_JSON_OBJECT)
            write_provider(w, p);
        else
            skn_jw_raw(w, p->raw);
    }
    skn_jw_object_end(w);
}

/* What somebody has scribbled on in the store would spoil the whole answer. */
static void write_preference(skn_api_call *c, const skein_setting *one)
{
    const skn_json *read;

    if (skn_json_parse(&read, one->value, "a setting", c->mem, NULL))
        return;
    skn_jw_key_str(&c->w, one->key);
    if (skn_str_is(one->key, "providers") && read->kind == SKN_JSON_OBJECT)
        write_providers(&c->w, read);
    else
        skn_jw_raw(&c->w, one->value);
}

/* Of what was written: all but the quote at the end. */
static skn_str settings_stem(skn_api_call *c)
{
    return skn_arena_printf(c->mem, "\"s%016llx",
                            (unsigned long long)skn_hash_bytes(11, skn_buf_str(&c->out)));
}

static skein_rc write_settings(skn_api_call *c, skein_settings *read)
{
    skein_settings list;
    skn_jw        *w = &c->w;
    skein_rc       rc = skein_setting_list(c->engine, c->mem, &list, &c->error);

    if (rc)
        return rc;
    if (read)
        *read = list;
    skn_jw_object(w);
    skn_jw_kraw(w, "configuration", skn_http_shown_settings(c->by->http, c->mem));
    skn_jw_kobject(w, "preferences");
    for (size_t i = 0; i < list.count; i++)
        write_preference(c, &list.at[i]);
    skn_jw_object_end(w);
    skn_jw_object_end(w);
    return SKEIN_OK;
}

skein_rc skn_http_get_settings(skn_api_call *c)
{
    skein_rc rc = write_settings(c, NULL);
    bool     same;

    if (rc == SKEIN_OK)
        skn_call_etag(c, skn_arena_printf(c->mem, "%.*s\"", SKN_FMT(settings_stem(c))), &same);
    return rc;
}

/* "ui.theme", "ui.keys.send" */
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

/* A page keeps what it likes under "ui."; all else is part of the configuration. */
static skein_rc check_setting(skn_api_call *c, const char *at, const skn_json *m)
{
    const skn_http_options *o = skn_http_opts(c->by->http);
    skn_str                 no = SKN_NONE;

    if (!name_ok(m->key))
        return skn_call_invalid(c, at, "is not a name of a setting");
    if (m->raw.n > VALUE_MOST)
        return skn_call_invalid(c, at, "is longer than 64 kB");
    if (skn_str_starts(m->key, SKN_STR("ui.")))
        return SKEIN_OK;
    no = o->refuse_setting ? o->refuse_setting(o->arg, m->key, m, c->mem)
                           : SKN_STR("is not a setting");
    return no.p ? skn_call_invalid(c, at, no.p) : SKEIN_OK;
}

static skein_rc read_patch(skn_api_call *c, skein_setting *list, size_t *count)
{
    const skn_json *patch = c->json;
    const skn_json *inner = skn_json_get(patch, "preferences");
    bool            within = inner && inner->kind == SKN_JSON_OBJECT;
    skein_rc        rc;

    patch = within ? inner : patch;
    *count = 0;
    if (!patch || patch->kind != SKN_JSON_OBJECT)
        return skn_call_invalid(c, "", "must be an object");
    if (patch->count > AT_ONCE)
        return skn_call_invalid(c, "", "has more than 100 members");
    for (const skn_json *m = patch->first; m; m = m->next) {
        const char *at = within ? "/preferences/" : "/";

        at = skn_arena_text(c->mem, "%s%.*s", at, SKN_FMT(m->key));
        if ((rc = check_setting(c, at, m)))
            return rc;
        list[*count].key = m->key;
        list[(*count)++].value = m->kind == SKN_JSON_NULL ? SKN_NONE : m->raw;
    }
    return SKEIN_OK;
}

/* --- Changing them ------------------------------------------------------------------------ */

typedef struct updating {
    skn_api_call *c;
    skein_setting list[AT_ONCE];
    size_t        count;
    skein_rc      rc;
} updating;

static skein_rc update(const updating *u)
{
    skn_api_call  *c = u->c;
    skein_settings was;
    bool           asked;
    skein_rc       rc;

    if ((rc = write_settings(c, &was)) ||
        (rc = skn_api_match(c, settings_stem(c), "the settings", &asked)))
        return rc;
    skn_buf_clear(&c->out);
    skn_jw_init(&c->w, &c->out);
    return skein_setting_put_from(c->engine, asked ? &was : NULL, u->list, u->count, &c->error);
}

static void work_update(void *arg)
{
    updating *u = arg;

    u->rc = update(u);
}

static void work_show(void *arg)
{
    updating *u = arg;

    u->rc = skn_http_get_settings(u->c);
}

static void answer_update(void *arg)
{
    updating *u = arg;

    skn_call_answer(u->c, u->rc);
}

static void settled(void *arg)
{
    updating *u = arg;

    skn_workers_run(skn_http_opts(u->c->by->http)->workers, work_show, answer_update, u);
}

/* The answer means that the setting is in use: the next message goes to the chosen model. */
static void updated(void *arg)
{
    updating               *u = arg;
    const skn_http_options *o = skn_http_opts(u->c->by->http);

    if (u->rc)
        answer_update(u);
    else if (o->settle)
        o->settle(o->arg, settled, u);
    else
        settled(u);
}

void skn_http_update_settings(skn_api_call *c)
{
    updating *u = SKN_NEW(c->mem, updating);

    u->c = c;
    if ((u->rc = read_patch(c, u->list,
                            &u->count))) /* on the loop, where providers are known */
        answer_update(u);
    else
        skn_workers_run(skn_http_opts(c->by->http)->workers, work_update, updated, u);
}

/* --- Reading the files again -------------------------------------------------------------- */

/* The files are read on the loop, where the settings live; the answer needs the store. */
void skn_http_reload_settings(skn_api_call *c)
{
    const skn_http_options *o = skn_http_opts(c->by->http);
    updating               *u = SKN_NEW(c->mem, updating);

    u->c = c;
    u->rc = o->reload ? o->reload(o->arg, &c->error)
                      : skn_fail(&c->error, SKEIN_INVALID,
                                 "this server has no configuration to read");
    updated(u);
}
