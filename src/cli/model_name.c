#include "cli/model_name.h"

#include "base/error.h"
#include "cli/config_cli.h"
#include "cli/news.h"
#include "cli/provider_plan.h"
#include "cli/provider_slots.h"
#include "cli/server_ask.h"

#include <stdlib.h>
#include <string.h>

bool skn_is_model_name(const char *text)
{
    const char *slash = strchr(text, '/');

    for (const char *c = text; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == '"' || *c == '\\' || *c == 0x7f)
            return false;
    return slash && slash != text && slash[1];
}

/* "There are: office, demo" */
static skein_rc no_provider(skn_cli *cli, skn_str name, const skn_buf *all)
{
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no provider \"%.*s\"", SKN_FMT(name));
    return skn_hint(&cli->err, SKEIN_NOT_FOUND,
                    "There are: %.*s. \"skein model ls\" lists models",
                    SKN_FMT(skn_buf_str(all)));
}

static void add_name(skn_buf *all, skn_str name)
{
    skn_buf_addf(all, "%s%.*s", all->n ? ", " : "", SKN_FMT(name));
}

static skein_rc ask_server(skn_cli *cli, const skn_server *server, skn_str name, skn_buf *all,
                           bool *known)
{
    const skn_json *answer, *data;
    skein_rc        rc;

    if ((rc = skn_server_ask(cli, server, "GET", "/providers?limit=500", SKN_NONE, &answer)))
        return rc;
    data = skn_json_get(answer, "data");
    for (const skn_json *p = data ? data->first : NULL; p; p = p->next) {
        add_name(all, skn_news_text(p, "name"));
        *known = *known || skn_str_eq(skn_news_text(p, "name"), name);
    }
    return SKEIN_OK;
}

static const char *variable(void *arg, const char *name)
{
    (void)arg;
    return getenv(name);
}

/* As a server would have them: of the store, of the files, and those that the program knows by name. */
static skein_rc look_near(skn_cli *cli, skn_str name, skn_buf *all, bool *known)
{
    const skn_config     *c = skn_config_of(cli);
    skn_provider_setting *settings = SKN_ARRAY(cli->keep, c->providers.n + 1,
                                               skn_provider_setting);
    skn_plan_sources      from = {
             .settings = settings, .setting_count = c->providers.n, .env = variable};
    skein_settings     stored = {NULL, 0};
    skn_provider_plans plans;
    skein_rc           rc;

    if (cli->engine && (rc = skein_setting_list(cli->engine, cli->keep, &stored, &cli->err)))
        return rc;
    from.stored = skn_change_setting(&stored);
    for (size_t i = 0; i < c->providers.n; i++)
        settings[i].name = c->providers.p[i].name;
    skn_plans_name(&plans, &from, cli->keep);
    for (size_t i = 0; i < plans.all.n; i++)
        if (plans.all.p[i].listed)
            add_name(all, plans.all.p[i].s.name);
    *known = skn_plan_find(&plans, name) != NULL;
    return SKEIN_OK;
}

skein_rc skn_need_provider_of(skn_cli *cli, const skn_server *server, skn_str model)
{
    skn_str  rest = model, name;
    bool     known = false;
    skn_buf  all;
    skein_rc rc;

    skn_str_split(&rest, '/', &name);
    skn_buf_init(&all, 1000);
    rc = server ? ask_server(cli, server, name, &all, &known)
                : look_near(cli, name, &all, &known);
    if (!rc && !known)
        rc = no_provider(cli, name, &all);
    skn_buf_release(&all);
    return rc;
}

skein_rc skn_need_provider_here(skn_cli *cli, skn_str model)
{
    skn_server server;
    bool       found;
    skein_rc   rc = skn_discover(cli, &server, &found);

    return rc ? rc : skn_need_provider_of(cli, found ? &server : NULL, model);
}

skein_rc skn_model_option(skn_cli *cli, skn_str *out)
{
    const char *given = skn_opt(cli, "model");

    *out = SKN_NONE;
    if (!given || !*given || !strcmp(given, "default"))
        return SKEIN_OK;
    if (!skn_is_model_name(given)) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is no model: name one as PROVIDER/MODEL",
                 given);
        return skn_hint(&cli->err, SKEIN_USAGE,
                        "\"skein model ls\" lists them; \"default\" is the one of agents that "
                        "name none");
    }
    *out = skn_str_of(given);
    return skn_need_provider_here(cli, *out);
}
