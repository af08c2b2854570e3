/* Models: which there are, and which one answers for agents that name none. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/news.h"
#include "cli/server_ask.h"

#include <string.h>

/* The models of a provider that can be asked; one that cannot has none. */
static const skn_json *models_of(skn_cli *cli, const skn_server *server, skn_str name)
{
    const skn_json *answer = NULL;
    skn_str         path = skn_arena_printf(cli->keep, "/providers/%s/models?limit=500",
                                            skn_client_encode(cli->keep, name));

    if (skn_server_ask(cli, server, "GET", path.p, SKN_NONE, &answer)) {
        skn_note(cli, "%.*s: %s", SKN_FMT(name), cli->err.message);
        cli->err = (skein_error){.rc = SKEIN_OK};
        return NULL;
    }
    answer = skn_json_get(answer, "data");
    return answer ? answer->first : NULL;
}

static skein_rc print_models(skn_cli *cli, const skn_json *first)
{
    skein_rc rc = SKEIN_OK;

    for (const skn_json *m = first; m && !rc; m = m->next)
        if (cli->json) {
            skn_jw_raw(skn_item(cli), m->raw);
            rc = skn_item_end(cli);
        } else {
            skn_print_line(cli, skn_news_text(m, "model"), 0);
            skn_print_raw(cli, SKN_STR("\n"));
        }
    return rc;
}

/* Without consent or a key nobody is asked. */
static bool is_usable(const skn_json *provider)
{
    skn_str state = skn_news_text(provider, "state");

    return !skn_str_is(state, "unused") && !skn_str_is(state, "no-key") &&
           !skn_str_is(state, "not-there");
}

int skn_cmd_model_ls(skn_cli *cli)
{
    const skn_json *answer, *data;
    skn_server      server;
    skein_rc        rc = skn_need_server(cli, "a list of models", &server);

    if (rc ||
        (rc = skn_server_ask(cli, &server, "GET", "/providers?limit=500", SKN_NONE, &answer)))
        return (int)rc;
    data = skn_json_get(answer, "data");
    if (cli->json)
        skn_list_begin(cli);
    for (const skn_json *p = data ? data->first : NULL; p && !rc; p = p->next) {
        skn_str name = skn_news_text(p, "name");

        if (cli->arg_count ? skn_str_eq(name, skn_arg(cli, 0)) : is_usable(p))
            rc = print_models(cli, models_of(cli, &server, name));
    }
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* A server that runs is told: then it counts when the command has ended. */
/* A server knows who there is; a name that nobody has would make every turn fail. */
static skein_rc need_provider(skn_cli *cli, const skn_server *server, skn_str model)
{
    skn_str         rest = model, name;
    const skn_json *answer, *data;
    skein_rc        rc;

    if (skn_str_is(model, "auto"))
        return SKEIN_OK;
    if ((rc = skn_server_ask(cli, server, "GET", "/providers?limit=500", SKN_NONE, &answer)))
        return rc;
    skn_str_split(&rest, '/', &name);
    data = skn_json_get(answer, "data");
    for (const skn_json *p = data ? data->first : NULL; p; p = p->next)
        if (skn_str_eq(skn_news_text(p, "name"), name))
            return SKEIN_OK;
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no provider \"%.*s\"", SKN_FMT(name));
    return skn_hint(&cli->err, SKEIN_NOT_FOUND, "\"skein provider ls\" lists those there are");
}

static skein_rc put(skn_cli *cli, skn_str model)
{
    const skein_setting one = {SKN_STR("defaults.model"),
                               skn_arena_printf(cli->keep, "\"%.*s\"", SKN_FMT(model))};
    const skn_json     *answer;
    skn_server          server;
    bool                found;
    skn_str             body;
    skein_rc            rc = skn_discover(cli, &server, &found);

    if (rc)
        return rc;
    if (!found)
        return skein_setting_put(cli->engine, &one, 1, &cli->err);
    if ((rc = need_provider(cli, &server, model)))
        return rc;
    body = skn_arena_printf(cli->keep, "{\"%.*s\":%.*s}", SKN_FMT(one.key), SKN_FMT(one.value));
    return skn_server_ask(cli, &server, "PATCH", "/settings", body, &answer);
}

static bool is_plain(const char *model)
{
    for (const char *c = model; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == '"' || *c == '\\' || *c == 0x7f)
            return false;
    return true;
}

int skn_cmd_model_use(skn_cli *cli)
{
    const char *model = cli->args[0], *slash = strchr(model, '/');
    skn_jw     *w;
    skein_rc    rc;

    if (!is_plain(model) ||
        (strcmp(model, "auto") != 0 && (!slash || slash == model || !slash[1])))
        return (int)skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not PROVIDER/MODEL, or auto",
                             model);
    if (cli->dry_run) {
        skn_would(cli, "let %s answer for agents that name no model", model);
        return 0;
    }
    if ((rc = put(cli, skn_str_of(model))))
        return (int)rc;
    if (!cli->json) {
        skn_print(cli, "%s answers for agents that name no model.\n", model);
        return 0;
    }
    w = skn_item(cli);
    skn_jw_object(w);
    skn_jw_kstr(w, "model", skn_str_of(model));
    skn_jw_object_end(w);
    return (int)skn_item_end(cli);
}
