/* Models: which there are, and which one answers for agents that name none. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/default_model.h"
#include "cli/model_name.h"
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

static skein_rc print_models(skn_cli *cli, const skn_json *first, skn_str usual)
{
    skein_rc rc = SKEIN_OK;

    for (const skn_json *m = first; m && !rc; m = m->next)
        if (cli->json) {
            rc = skn_model_item(cli, m, usual);
        } else {
            skn_print_line(cli, skn_news_text(m, "model"), 0);
            skn_print_raw(cli, skn_model_mark(m, usual));
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
    skn_str         usual;
    skein_rc        rc = skn_need_server(cli, "a list of models", &server);

    if (rc || (rc = skn_default_model(cli, &server, &usual)) ||
        (cli->arg_count && (rc = skn_need_provider_of(cli, &server, skn_arg(cli, 0)))) ||
        (rc = skn_server_ask(cli, &server, "GET", "/providers?limit=500", SKN_NONE, &answer)))
        return (int)rc;
    data = skn_json_get(answer, "data");
    if (cli->json)
        skn_list_begin(cli);
    for (const skn_json *p = data ? data->first : NULL; p && !rc; p = p->next) {
        skn_str name = skn_news_text(p, "name");

        if (cli->arg_count ? skn_str_eq(name, skn_arg(cli, 0)) : is_usable(p))
            rc = print_models(cli, models_of(cli, &server, name), usual);
    }
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* A server that runs (else NULL) is told: then it counts when the command has ended. */
static skein_rc put(skn_cli *cli, const skn_server *server, skn_str model)
{
    const skein_setting one = {SKN_STR("defaults.model"),
                               skn_arena_printf(cli->keep, "\"%.*s\"", SKN_FMT(model))};
    const skn_json     *answer;
    skn_str             body;

    if (!server)
        return skein_setting_put(cli->engine, &one, 1, &cli->err);
    body = skn_arena_printf(cli->keep, "{\"%.*s\":%.*s}", SKN_FMT(one.key), SKN_FMT(one.value));
    return skn_server_ask(cli, server, "PATCH", "/settings", body, &answer);
}

int skn_cmd_model_use(skn_cli *cli)
{
    const char *model = cli->args[0];
    bool        is_auto = !strcmp(model, "auto"), found;
    skn_server  server;
    skn_jw     *w;
    skein_rc    rc;

    if (!is_auto && !skn_is_model_name(model))
        return (int)skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not PROVIDER/MODEL, or auto",
                             model);
    if ((rc = skn_discover(cli, &server, &found)) ||
        (!is_auto &&
         (rc = skn_need_provider_of(cli, found ? &server : NULL, skn_str_of(model)))))
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "let %s answer for agents that name no model", model);
        return 0;
    }
    if ((rc = put(cli, found ? &server : NULL, skn_str_of(model))))
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
