/* Settings while the server runs: shown, logged, and read again. */
#include "cli/serve.h"

#include "base/error.h"
#include "cli/secrets.h"

#include <string.h>

skn_str skn_serve_settings(const skn_serve *s, const skn_config *tried, skn_arena *a)
{
    skn_buf out;
    skn_jw  w;
    skn_str text;

    skn_buf_init(&out, 1 << 20);
    skn_jw_init(&w, &out);
    skn_config_shape(&w, s->config, tried, a);
    text = skn_arena_copy(a, skn_buf_str(&out));
    skn_buf_release(&out);
    return text;
}

void skn_serve_problems(const skn_serve *s, const skn_config *c, skn_arena *a)
{
    for (size_t i = 0; i < c->problems.n; i++)
        skn_log_say(s->log, c->problems.p[i].error ? SKN_LOG_ERROR : SKN_LOG_WARN, "%.*s",
                    SKN_FMT(skn_config_line(&c->problems.p[i], a)));
}

void skn_serve_level(const skn_serve *s)
{
    skn_log_level level = SKN_LOG_INFO;

    skn_log_level_from(s->config->values[SKN_CONFIG_LOG_LEVEL].text, &level);
    skn_log_set_level(s->log, level);
}

/* --- What people may change ----------------------------------------------------------------- */

static bool in_file(skn_str name)
{
    skn_str section;

    if (skn_config_find(name) != SKN_CONFIG_COUNT)
        return true;
    skn_str_split(&name, '.', &section);
    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        if (skn_str_is(section, skn_config_rows[i].section))
            return true;
    return skn_str_is(section, "providers") || skn_str_is(section, "secrets");
}

skn_str skn_serve_refuse_setting(void *arg, skn_str name, const skn_json *value, skn_arena *a)
{
    skn_config_id id = skn_config_find(name);
    skn_config    c = {.values = {{.from = SKN_FROM_BUILT_IN}}};

    (void)arg;
    if (id == SKN_CONFIG_COUNT || skn_config_rows[id].use != SKN_USE_STORED)
        return in_file(name) ? SKN_STR("is not changed here: set it in skein.yaml")
                             : SKN_STR("is no setting; names that begin with \"ui.\" are free");
    if (value->kind == SKN_JSON_NULL)
        return SKN_NONE;
    if (value->kind != SKN_JSON_STRING)
        return SKN_STR("must be a text");
    skn_config_store(&c, id, value->text, a);
    return c.errors ? skn_arena_copy(a, c.problems.p[0].text) : SKN_NONE;
}

/* --- Reading it again ----------------------------------------------------------------------- */

static void say_changes(const skn_serve *s, const skn_config *c)
{
    for (int i = 0; i < SKN_CONFIG_COUNT; i++) {
        const skn_config_row *row = &skn_config_rows[i];
        bool                  restart = row->use == SKN_USE_RESTART;

        if (skn_str_eq(s->config->values[i].text, c->values[i].text))
            continue;
        skn_log_say(s->log, restart ? SKN_LOG_WARN : SKN_LOG_INFO, "%s.%s is \"%.*s\" now%s",
                    row->section, row->key, SKN_FMT(c->values[i].text),
                    restart ? ": a restart is needed" : "");
    }
}

/* What the store had to say at the start still counts, and so does a port that was given alone. */
static void keep_others(const skn_serve *s, skn_config *c, skn_arena *a)
{
    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        if (s->config->values[i].from == SKN_FROM_STORE)
            skn_config_store(c, (skn_config_id)i, s->config->values[i].text, a);
    if (skn_opt(s->cli, "port")) {
        c->values[SKN_CONFIG_LISTEN] = s->config->values[SKN_CONFIG_LISTEN];
        c->values[SKN_CONFIG_LISTEN].text = skn_arena_copy(
            a, s->config->values[SKN_CONFIG_LISTEN].text);
    }
}

void skn_serve_demo_only(const skn_serve *s, skn_config *c)
{
    static const skn_config_id looks[] = {SKN_CONFIG_DETECT_LOCAL,
                                          SKN_CONFIG_DETECT_ENVIRONMENT};

    for (size_t i = 0; skn_opt(s->cli, "demo") && i < sizeof looks / sizeof *looks; i++) {
        c->values[looks[i]].number = 0;
        c->values[looks[i]].text = SKN_STR("false");
    }
}

/* --- All of it --------------------------------------------------------------------------------- */

static skein_rc refuse(skn_serve *s, const skn_config *c, skn_arena *a, skein_error *err)
{
    skn_str verdict = skn_config_verdict(c, a);

    skn_log_say(s->log, SKN_LOG_ERROR,
                "the configuration has %.*s: the settings stay as they were", SKN_FMT(verdict));
    skn_http_settings(s->http, skn_serve_settings(s, c, a));
    skn_fail(err, SKEIN_INVALID, "the configuration has %.*s", SKN_FMT(verdict));
    return skn_hint(err, SKEIN_INVALID, "See \"skein config check\"");
}

skein_rc skn_serve_reload(skn_serve *s, skein_error *err)
{
    skn_arena  *a = skn_arena_new();
    skn_config *c = skn_config_make(s->sources, a);
    skein_rc    rc;

    skn_serve_problems(s, c, a);
    if (c->errors) {
        rc = refuse(s, c, a, err);
        skn_arena_free(a);
        return rc;
    }
    memcpy(s->own, c->values, sizeof s->own);
    keep_others(s, c, a);
    skn_serve_demo_only(s, c);
    say_changes(s, c);
    skn_arena_free(s->config_mem);
    s->config = c;
    s->config_mem = a;
    skn_secrets_grant(skn_engine_env_rule(s->cli->engine), c);
    skn_serve_level(s);
    skn_serve_jobs_apply(s->jobs);
    skn_serve_stored_take(s->stored, true, NULL, NULL);
    skn_http_settings(s->http, skn_serve_settings(s, c, a));
    skn_log_say(s->log, SKN_LOG_INFO, "configuration read again");
    return SKEIN_OK;
}
