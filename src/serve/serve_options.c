/* Where a server listens and who may connect, from options and configuration. */
#include "base/clean.h"
#include "base/error.h"
#include "cli/place.h"
#include "cli/print.h"
#include "config/secrets.h"
#include "serve/serve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* --- The configuration ---------------------------------------------------------------------- */

/* Reads the configuration. Errors in it stop the start: the last is the failure, the others are printed. */
static skein_rc read_config(skn_serve *s)
{
    skn_config *c;
    skn_str     line = SKN_NONE;

    s->sources = skn_config_sources_of(s->cli, NULL);
    s->config_mem = skn_arena_new();
    s->config = c = skn_config_make(s->sources, s->config_mem);
    memcpy(s->own, c->values, sizeof s->own);
    for (size_t i = 0; i < c->problems.n; i++) {
        if (!c->problems.p[i].error)
            continue;
        if (line.p)
            skn_note(s->cli, "%.*s", SKN_FMT(line));
        line = skn_config_line(&c->problems.p[i], s->config_mem);
    }
    return line.p ? skn_fail(&s->cli->err, SKEIN_USAGE, "%.*s", SKN_FMT(line)) : SKEIN_OK;
}

/* --- Address -------------------------------------------------------------------------------- */

static skein_rc find_address(skn_serve *s)
{
    int      count;
    int64_t  port;
    skein_rc rc = skn_opt_int(s->cli, "port", 0, 65535, -1, &port);

    if (rc)
        return rc;
    skn_listen_parse(s->config->values[SKN_CONFIG_LISTEN].text, s->host, &s->port);
    if (port >= 0) {
        s->port = (int)port;
        s->config->values[SKN_CONFIG_LISTEN].from = SKN_FROM_FLAG;
        s->config->values[SKN_CONFIG_LISTEN].source = "--port";
        s->config->values[SKN_CONFIG_LISTEN].text = skn_arena_printf(
            s->config_mem, strchr(s->host, ':') ? "[%s]:%d" : "%s:%d", s->host, s->port);
    }
    s->fd = skn_notify_socket(&count);
    s->passed = s->fd >= 0;
    if (count > 1)
        skn_note(s->cli, "%d sockets were passed on; the first is used.", count);
    return s->passed ? skn_serve_listen(s) : SKEIN_OK;
}

/* --- Sign-in -------------------------------------------------------------------------------- */

/* Returns the token file: --token-file, the environment, or systemd's credential "token". */
static const char *token_file(skn_serve *s)
{
    const char *file = skn_opt(s->cli, "token-file"), *folder;

    if (!file)
        file = getenv("SKEIN_TOKEN_FILE");
    if (file && *file)
        return file;
    folder = getenv("CREDENTIALS_DIRECTORY");
    if (!folder || *folder != '/')
        return NULL;
    file = skn_arena_printf(s->cli->keep, "%s/token", folder).p;
    return access(file, F_OK) == 0 ? file : NULL;
}

/* Makes the path absolute, because other programs run in other folders. */
static const char *absolute(skn_cli *cli, const char *path)
{
    char here[4096];

    if (*path == '/' || !getcwd(here, sizeof here))
        return path;
    return skn_arena_printf(cli->keep, "%s/%s", here, path).p;
}

static skein_rc read_token(skn_serve *s)
{
    const char *file = token_file(s);
    int         open;
    skein_rc    rc;

    if (!file)
        return SKEIN_OK;
    if ((rc = skn_token_read(s->cli, file, &s->token, &open))) {
        s->cli->err.rc =
            SKEIN_USAGE; /* the configuration is wrong, whatever is wrong with the file */
        return SKEIN_USAGE;
    }
    s->token_file = absolute(s->cli, file);
    s->token_named = true;
    if (open)
        skn_note(s->cli, "warning: %s is readable by others (%04o). Try: chmod 600 %.*s", file,
                 (unsigned)open, SKN_FMT(skn_shell_word(s->cli->keep, file)));
    return SKEIN_OK;
}

static skein_rc check_sign_in(skn_serve *s)
{
    int64_t      wanted = s->config->values[SKN_CONFIG_SIGN_IN].number;
    bool         far = !skn_is_loopback(s->host);
    skein_error *err = &s->cli->err;

    if (wanted == 0 && far)
        return skn_fail_hint(err, SKEIN_USAGE, "Remove server.signIn, and give a token",
                             "\"%s\" can be reached from other computers, but sign-in is "
                             "off",
                             s->host);
    if (wanted == 0 && s->token.p)
        return skn_fail(err, SKEIN_USAGE, "there is a token, but server.signIn is off");
    if (s->token.p || (!far && wanted <= 0))
        return SKEIN_OK;
    if (far)
        skn_fail(err, SKEIN_USAGE,
                 "\"%s\" can be reached from other computers, so a token is needed", s->host);
    else
        skn_fail(err, SKEIN_USAGE, "server.signIn is on, so a token is needed");
    return skn_hint(
        err, SKEIN_USAGE,
        "Give one with --token-file FILE (openssl rand -hex 32 > FILE creates one)%s",
        far ? ", or listen on 127.0.0.1" : "");
}

/* Reads or creates the token. Other users than the server's need it; so do browsers and scripts where the system does
 * not say whose they are. */
skein_rc skn_serve_token(skn_serve *s)
{
    if (s->token_named || (s->read_only && access(s->traces.token, R_OK) != 0))
        return SKEIN_OK;
    s->token_file = absolute(s->cli, s->traces.token);
    return skn_token_ensure(s->cli, s->traces.token, &s->token);
}

/* --- The socket ----------------------------------------------------------------------------- */

static skein_rc find_socket(skn_serve *s)
{
    const skn_config_value *v = &s->config->values[SKN_CONFIG_SOCKET];
    bool                    is_auto = skn_str_is(v->text, "auto");
    struct sockaddr_un      at;

    s->socket = NULL;
    if (skn_str_is(v->text, "off") || (is_auto && s->read_only))
        return SKEIN_OK;
    s->socket = absolute(s->cli, is_auto ? s->traces.socket : v->text.p);
    if (strlen(s->socket) < sizeof at.sun_path)
        return SKEIN_OK;
    if (!is_auto)
        return skn_fail(&s->cli->err, SKEIN_USAGE,
                        "the path of the socket is longer than %zu bytes: \"%s\"",
                        sizeof at.sun_path - 1, s->socket);
    s->socket = NULL; /* the command line then uses the address */
    return SKEIN_OK;
}

skein_rc skn_serve_settle(skn_serve *s)
{
    skein_rc rc;

    s->read_only = skn_opt(s->cli, "read-only");
    if ((rc = read_config(s)) || (rc = find_address(s)) || (rc = read_token(s)) ||
        (rc = check_sign_in(s)) || (rc = skn_traces_of(s->cli, &s->traces)))
        return rc;
    return find_socket(s);
}

/* The settings while the server runs: how they are shown, logged and read again. */

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

/* --- Settings that people may change -------------------------------------------------------- */

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

/* Returns why no provider has this model, in the words of "skein model use"; absent if one has it. */
static skn_str no_provider(const skn_serve *s, skn_str model, skn_arena *a)
{
    skn_str            rest = model, name, all = SKN_STR("");
    skn_provider_info *info, one;
    size_t             count;

    if (!s->providers || skn_str_is(model, "auto"))
        return SKN_NONE;
    skn_str_split(&rest, '/', &name);
    if (skn_provider_set_get(s->providers, name, a, &one))
        return SKN_NONE;
    skn_provider_set_list(s->providers, a, &info, &count);
    for (size_t i = 0; i < count; i++)
        all = skn_arena_printf(a, "%.*s%s%.*s", SKN_FMT(all), i ? ", " : "",
                               SKN_FMT(info[i].name));
    return skn_arena_printf(a, "there is no provider \"%.*s\"; there are: %.*s", SKN_FMT(name),
                            SKN_FMT(all));
}

skn_str skn_serve_refuse_setting(void *arg, skn_str name, const skn_json *value, skn_arena *a)
{
    skn_config_id id = skn_config_find(name);
    skn_config    c = {.values = {{.from = SKN_FROM_BUILT_IN}}};

    if (id == SKN_CONFIG_COUNT || skn_config_rows[id].use != SKN_USE_STORED)
        return in_file(name)
                   ? SKN_STR("is not changed here: set it in skein.yaml")
                   : SKN_STR("is not a setting; names that begin with \"ui.\" are free");
    if (value->kind == SKN_JSON_NULL)
        return SKN_NONE;
    if (value->kind != SKN_JSON_STRING)
        return SKN_STR("must be a text");
    skn_config_store(&c, id, value->text, a);
    if (c.errors)
        return skn_arena_copy(a, c.problems.p[0].text);
    return id == SKN_CONFIG_DEFAULT_MODEL ? no_provider(arg, value->text, a) : SKN_NONE;
}

/* --- Reading the configuration again -------------------------------------------------------- */

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

/* Keeps what the store set, and a port that was given alone. */
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

/* --- The reload -------------------------------------------------------------------------------- */

static skein_rc refuse(skn_serve *s, const skn_config *c, skn_arena *a, skein_error *err)
{
    skn_str verdict = skn_config_verdict(c, a);

    skn_log_say(s->log, SKN_LOG_ERROR,
                "the configuration has %.*s: the settings stay as they were", SKN_FMT(verdict));
    skn_http_settings(s->http, skn_serve_settings(s, c, a));
    return skn_fail_hint(err, SKEIN_INVALID, "See \"skein config check\"",
                         "the configuration has %.*s", SKN_FMT(verdict));
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
    skn_log_say(s->log, SKN_LOG_INFO, "configuration reloaded");
    return SKEIN_OK;
}
