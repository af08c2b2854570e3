/* The configuration of this run: where its sources are, and which options are settings. */
#include "cli/config_cli.h"

#include <stdlib.h>

extern char **environ;

#define SYSTEM_FILE "/etc/skein/skein.yaml"

static const struct {
    const char   *option;
    skn_config_id id;
    const char   *value; /* of a switch; NULL: the option's own */
} options[] = {
    {"listen", SKN_CONFIG_LISTEN, NULL},         {"socket", SKN_CONFIG_SOCKET, NULL},
    {"open", SKN_CONFIG_OPEN_BROWSER, "true"},   {"no-open", SKN_CONFIG_OPEN_BROWSER, "false"},
    {"data", SKN_CONFIG_DATA_DIR, NULL},         {"log-level", SKN_CONFIG_LOG_LEVEL, NULL},
    {"log-format", SKN_CONFIG_LOG_FORMAT, NULL}, {"no-commands", SKN_CONFIG_COMMANDS, "false"},
};

#define OPTION_COUNT (sizeof options / sizeof options[0])

const char *skn_env(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* All values of an option that may be repeated, with commas between. */
static const char *joined(skn_cli *cli, const char *option)
{
    size_t      at = 0;
    const char *value, *all = NULL;

    while ((value = skn_opt_next(cli, option, &at)))
        all = all ? skn_arena_text(cli->keep, "%s,%s", all, value) : value;
    return all;
}

static size_t gather(skn_cli *cli, skn_config_given *out)
{
    const char *data = skn_env("SKEIN_DATA"), *value;
    size_t      n = 0;

    if (data)
        out[n++] = (skn_config_given){SKN_CONFIG_DATA_DIR, data, "SKEIN_DATA"};
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if ((value = skn_opt(cli, options[i].option)))
            out[n++] = (skn_config_given){options[i].id,
                                          options[i].value ? options[i].value : value,
                                          skn_arena_text(cli->keep, "--%s", options[i].option)};
    if ((value = joined(cli, "allow-origin")))
        out[n++] = (skn_config_given){SKN_CONFIG_ALLOW_ORIGINS, value, "--allow-origin"};
    return n;
}

static skn_str default_folder(const char *home, skn_arena *a)
{
    const char *xdg = getenv("XDG_DATA_HOME");

    if (xdg && *xdg == '/')
        return skn_arena_printf(a, "%s/skein", xdg);
    return home && *home ? skn_arena_printf(a, "%s/.local/share/skein", home) : SKN_NONE;
}

skn_config_sources *skn_config_sources_of(skn_cli *cli, const char *file)
{
    skn_config_sources *from = SKN_NEW(cli->keep, skn_config_sources);
    skn_config_given   *given = SKN_ARRAY(cli->keep, OPTION_COUNT + 2, skn_config_given);

    if (!file)
        file = skn_opt(cli, "config");
    if (!file)
        file = skn_env("SKEIN_CONFIG");
    *from = (skn_config_sources){.file = file,
                                 .system = SYSTEM_FILE,
                                 .home = getenv("HOME"),
                                 .config_home = getenv("XDG_CONFIG_HOME"),
                                 .environment = environ,
                                 .given = given};
    from->given_count = gather(cli, given);
    return from;
}

skn_config *skn_config_make(const skn_config_sources *from, skn_arena *a)
{
    skn_config *c = skn_config_read(from, a);

    if (!c->values[SKN_CONFIG_DATA_DIR].text.n)
        c->values[SKN_CONFIG_DATA_DIR].text = default_folder(from->home, a);
    return c;
}

const skn_config *skn_config_of(skn_cli *cli)
{
    if (!cli->config)
        cli->config = skn_config_make(skn_config_sources_of(cli, NULL), cli->keep);
    return cli->config;
}

skn_str skn_config_plain(skn_str json, skn_arena *a)
{
    const skn_json *v;
    skein_error     err;

    if (skn_json_parse(&v, json, "setting", a, &err) || v->kind != SKN_JSON_STRING)
        return json;
    return v->text;
}

bool skn_config_stored(skn_config *c, const skein_setting *one, skn_arena *a)
{
    skn_config_id id = skn_config_find(one->key);

    if (id == SKN_CONFIG_COUNT)
        return false;
    if (skn_config_rows[id].use == SKN_USE_STORED)
        skn_config_store(c, id, skn_config_plain(one->value, a), a);
    return true;
}

skein_rc skn_config_data(skn_cli *cli, const char **folder)
{
    const char       *named = skn_opt(cli, "data");
    const skn_config *c;

    if (!named || !*named)
        named = skn_env("SKEIN_DATA");
    *folder = named;
    if (named && !skn_opt(cli, "config"))
        return SKEIN_OK;
    c = skn_config_of(cli);
    if (c->unreadable) { /* it may name another folder */
        skn_str line = skn_config_line(&c->problems.p[0], cli->keep);

        return skn_fail_hint(&cli->err, SKEIN_USAGE, "See \"skein config check\"", "%.*s",
                             SKN_FMT(line));
    }
    if (!named)
        *folder = c->values[SKN_CONFIG_DATA_DIR].text.p;
    return SKEIN_OK;
}
