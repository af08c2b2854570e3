/* Providers of models: asked of the running server, which knows them and keeps their keys. */
#include "base/error.h"
#include "cli/commands.h"
#include "cli/default_model.h"
#include "cli/door_view.h"
#include "cli/input.h"
#include "cli/paste.h"
#include "config/provider_plan.h"
#include "config/secrets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *path_of(skn_cli *cli, skn_str name, const char *rest)
{
    return skn_arena_printf(cli->keep, "/providers/%s%s", skn_door_part(cli, name), rest).p;
}

static skein_rc ask(skn_cli *cli, const char *method, const char *path, skn_str body,
                    const skn_json **out)
{
    skein_rc rc = skn_need_server(cli, "this");

    return rc ? rc : skn_door_change(cli, method, path, body, out);
}

/* --- Shown -------------------------------------------------------------------------------- */

static double amount(const skn_json *v, const char *name)
{
    const skn_json *n = skn_json_get(v, name);

    return n && n->kind == SKN_JSON_NUMBER ? strtod(n->raw.p, NULL) : 0;
}

static void budget_line(skn_cli *cli, const skn_json *budget)
{
    if (!budget || budget->kind != SKN_JSON_OBJECT)
        return;
    skn_print(cli, "\n              %.2f of %.2f ", amount(budget, "used"),
              amount(budget, "monthly"));
    skn_say(cli, budget, "{line currency} used this month");
}

static skein_rc provider_line(skn_cli *cli, const skn_json *v)
{
    size_t  row = skn_row_begin(cli);
    skn_str state = skn_door_text(v, "state");

    skn_say(cli, v, "{sender name 12}  ");
    skn_print_sender(cli, skn_str_is(state, "not-tried") ? SKN_STR("not tried yet") : state,
                     13);
    skn_say(cli, v, "  {sender type 10}  ");
    skn_say_if(cli, v, "key.tail", "key {key.tail} ({line key.source})  ");
    skn_say(cli, v, "{line baseUrl}");
    skn_say_if(cli, v, "defaultModel", "\n              default model {line defaultModel}");
    budget_line(cli, skn_json_get(v, "budget"));
    if (skn_has(v, "detail")) {
        skn_print_raw(cli, SKN_STR("\n              "));
        skn_print_told(cli, skn_door_text(v, "detail"));
    }
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
    return SKEIN_OK;
}

/* The elements of "data", each by itself. */
static skein_rc print_list(skn_cli *cli, const skn_json *answer, skn_say_item *line,
                           const char *none)
{
    skn_json_list list = {0};
    skein_rc      rc;

    for (const skn_json *v = skn_first(answer, "data"); v; v = v->next)
        skn_vec_add(cli->keep, &list, v);
    if (!(rc = skn_say_list(cli, &list, line)) && !cli->json && !list.n)
        skn_print(cli, "%s\n", none);
    return rc;
}

skein_rc skn_cmd_provider_ls(skn_cli *cli)
{
    const skn_json *answer;
    skein_rc        rc = ask(cli, "GET", "/providers?limit=500", SKN_NONE, &answer);

    return (rc ? rc : print_list(cli, answer, provider_line, "There are none."));
}

skein_rc skn_cmd_provider_show(skn_cli *cli)
{
    const skn_json *answer;
    skein_rc        rc = ask(cli, "GET", path_of(cli, skn_arg(cli, 0), ""), SKN_NONE, &answer);

    if (rc || cli->json)
        return rc ? rc : skn_door_item(cli, answer);
    provider_line(cli, answer);
    skn_say(cli, answer, "  from {line origin}\n");
    return SKEIN_OK;
}

static skein_rc model_line(skn_cli *cli, const skn_json *v)
{
    skn_say(cli, v, "{line model}");
    skn_say_if(cli, v, "contextWindow", "  reads {contextWindow} tokens");
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

skein_rc skn_cmd_provider_models(skn_cli *cli)
{
    const skn_json *answer;
    skein_rc rc = ask(cli, "GET", path_of(cli, skn_arg(cli, 0), "/models?limit=500"), SKN_NONE,
                      &answer);

    return (rc ? rc : print_list(cli, answer, model_line, "It has none."));
}

static skein_rc found_line(skn_cli *cli, const skn_json *v)
{
    const skn_json *key = skn_json_get(v, "key"), *models = skn_json_get(v, "models");

    skn_say(cli, v,
            skn_has(v, "problem") ? "{sender name 12}  {line problem}"
                                  : "{sender name 12}  {line baseUrl}");
    if (skn_has(v, "problem"))
        ;
    else if (key && key->kind == SKN_JSON_OBJECT)
        skn_say(cli, key, "  {line source} is set");
    else if (models)
        skn_print(cli, "  %" PRIu32 " model%s", models->count,
                  skn_plural((int64_t)models->count));
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

skein_rc skn_cmd_provider_detect(skn_cli *cli)
{
    const skn_json *answer;
    skein_rc rc = ask(cli, "POST", "/providers/detect?limit=500", SKN_STR("{}"), &answer);

    return (rc ? rc
               : print_list(cli, answer, found_line,
                            "Nothing was found. The server looks for model servers on this "
                            "computer (detect.local) and for keys in its environment "
                            "(detect.environment)."));
}

static skn_str told_detail(skn_cli *cli, const skn_json *v)
{
    skn_str detail = skn_arena_copy(cli->keep, skn_door_text(v, "detail"));

    return detail.n ? skn_str_of(skn_pasteable(cli, detail.p)) : SKN_NONE;
}

/* The outcome decides the exit status as well. */
skein_rc skn_cmd_provider_test(skn_cli *cli)
{
    const skn_json *answer;
    int64_t         models;
    bool            ok = false;
    skein_rc        rc = ask(cli, "POST", path_of(cli, skn_arg(cli, 0), "/test"), SKN_STR("{}"),
                             &answer);

    if (rc || (rc = skn_json_flag(answer, "ok", false, &ok, &cli->err)))
        return rc;
    models = skn_door_int(answer, "models", 0);
    if (cli->json) {
        rc = skn_door_item(cli, answer);
    } else {
        skn_print(cli, "%s: ", cli->args[0]);
        skn_say(cli, answer, "{line state} in {tookMs} ms, ");
        skn_print(cli, "%" PRId64 " model%s\n", models, skn_plural(models));
        skn_print_block(cli, told_detail(cli, answer), 4);
    }
    return rc ? rc : skn_status(cli, ok ? 0 : skein_rc_exit(SKEIN_PROVIDER));
}

/* --- Changed ------------------------------------------------------------------------------ */

static skein_rc change(skn_cli *cli, const char *method, const char *path, skn_str body,
                       const char *done)
{
    const skn_json *answer;
    skein_rc        rc = ask(cli, method, path, body, &answer);

    if (rc)
        return rc;
    if (cli->json)
        return answer ? skn_door_item(cli, answer) : SKEIN_OK;
    if (skn_json_get(answer, "name"))
        provider_line(cli, answer);
    skn_print_told(cli, skn_str_of(done));
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

/* A change after which agents could answer with another model: they do only with --default, and which agents
 * answer with which model is said either way. */
static skein_rc change_openly(skn_cli *cli, const char *method, const char *path, skn_str body,
                              skn_str done)
{
    skn_str         provider, was;
    const skn_json *answer;
    skein_rc        rc;

    if ((rc = skn_need_server(cli, "this")) || (rc = skn_default_model(cli, &was)) ||
        (rc = skn_door_change(cli, method, path, body, &answer)))
        return rc;
    provider = skn_door_text(answer, "name");
    if ((skn_opt(cli, "default") && (rc = skn_default_model_take(cli, provider))) ||
        (rc = skn_door_get(cli, &answer, "%s", path_of(cli, provider, ""))))
        return rc;
    if (cli->json)
        return skn_door_item(cli, answer);
    provider_line(cli, answer);
    skn_print_told(cli, done);
    skn_print_raw(cli, SKN_STR("\n"));
    return skn_default_model_say(cli, was, provider);
}

static skn_str add_body(skn_cli *cli)
{
    skn_door_body b;
    skn_jw       *w = skn_door_body_begin(cli, &b);

    skn_jw_kstr(w, "name", skn_arg(cli, 0));
    skn_jw_kstr(w, "type", skn_str_of(skn_opt(cli, "type")));
    skn_body_option(cli, w, "base-url", "baseUrl");
    skn_body_option(cli, w, "key-env", "apiKeyEnv");
    if (cli->dry_run)
        skn_jw_kbool(w, "dryRun", true);
    skn_jw_object_end(w);
    return skn_body_keep(cli, &b.bytes);
}

/* What the server would refuse in the words of its API. */
static skein_rc check_add(skn_cli *cli)
{
    if (!skn_opt(cli, "type"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "--type is openai, openai-compatible, anthropic or ollama");
    return SKEIN_OK;
}

skein_rc skn_cmd_provider_add(skn_cli *cli)
{
    const skn_json *none;
    skein_rc        rc = check_add(cli);

    if (rc || (cli->dry_run && (rc = ask(cli, "POST", "/providers", add_body(cli), &none))))
        return rc;
    if (cli->dry_run) {
        skn_would(cli, "add the provider %s%s", cli->args[0],
                  skn_opt(cli, "default")
                      ? ", and let its first model answer for agents that name none"
                      : "; no agent's model changes");
        return SKEIN_OK;
    }
    return change_openly(
        cli, "POST", "/providers", add_body(cli),
        skn_opt(cli, "key-env")
            ? skn_arena_printf(cli->keep, "Added. Take it back with \"skein provider rm %s\".",
                               cli->args[0])
            : skn_arena_printf(cli->keep,
                               "Added. A key: skein provider login %s. Take it back with "
                               "\"skein provider rm %s\".",
                               cli->args[0], cli->args[0]));
}

/* A key is never an argument: those can be seen by everybody on the computer. */
skein_rc skn_cmd_provider_login(skn_cli *cli)
{
    bool            none = skn_opt(cli, "none");
    const skn_json *now;
    skn_buf         b;
    skn_jw          w;
    skn_str         key, body;
    skein_rc        rc;

    if (cli->dry_run) {
        if ((rc = ask(cli, "GET", path_of(cli, skn_arg(cli, 0), ""), SKN_NONE, &now)))
            return rc;
        skn_would(cli, "%s a key for %s", none ? "forget" : "keep", cli->args[0]);
        return SKEIN_OK;
    }
    if (none)
        return change(cli, "PATCH", path_of(cli, skn_arg(cli, 0), ""),
                      SKN_STR("{\"apiKey\":null}"), "No key is kept for it.");
    if ((rc = skn_key_input(cli, skn_arg(cli, 0), &key)))
        return rc;
    skn_buf_init(&b, 65536);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "apiKey", key);
    skn_jw_object_end(&w);
    body = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_secret_wipe(skn_buf_str(&b));
    skn_buf_release(&b);
    rc = change(cli, "PATCH", path_of(cli, skn_arg(cli, 0), ""), body,
                skn_arena_printf(cli->keep, "The key is kept. Try it: skein provider test %s",
                                 cli->args[0])
                    .p);
    skn_secret_wipe(key);
    skn_secret_wipe(body);
    return rc;
}

skein_rc skn_cmd_provider_use(skn_cli *cli)
{
    const char     *path = path_of(cli, skn_arg(cli, 0), "");
    const skn_json *now;
    skein_rc        rc = ask(cli, "GET", path, SKN_NONE, &now);

    if (rc)
        return rc;
    if (!skn_door_flag(now, "local") && !cli->json) {
        skn_say(cli, now, "What you and the agents write will be sent to {line baseUrl}.\n");
        skn_out_flush(cli);
    }
    if (cli->dry_run) {
        skn_would(cli, "let agents use %s", cli->args[0]);
        return SKEIN_OK;
    }
    if ((rc = skn_confirm(cli, "Use it?", false)))
        return rc;
    return change_openly(
        cli, "PATCH", path, SKN_STR("{}"),
        skn_arena_printf(cli->keep,
                         "Agents may use it. Its models: skein provider models %s. No longer: "
                         "skein provider rm %s",
                         cli->args[0], cli->args[0]));
}

/* Who could not answer without it is told first, and must be thought of: it cannot be brought back. */
skein_rc skn_cmd_provider_rm(skn_cli *cli)
{
    const char     *path = path_of(cli, skn_arg(cli, 0), "");
    const skn_json *now, *none;
    bool            in_use = false;
    skein_rc        rc;

    if ((rc = ask(cli, "GET", path, SKN_NONE, &now)) ||
        (rc = ask(cli, "DELETE", path_of(cli, skn_arg(cli, 0), "?dryRun=true"), SKN_NONE,
                  &none)) ||
        (rc = skn_provider_users_say(cli, now, &in_use)))
        return rc;
    if (cli->dry_run) {
        skn_would(cli, "forget the provider %s and its key", cli->args[0]);
        return SKEIN_OK;
    }
    if ((rc = skn_confirm(cli, "Forget this provider and its key?", in_use)))
        return rc;
    return change(cli, "DELETE", path, SKN_NONE, "Forgotten, with its key.");
}

/* Models: which there are, and which one answers for agents that name none. */

/* The models of a provider that can be asked; one that cannot has none. */
static const skn_json *models_of(skn_cli *cli, skn_str name)
{
    const skn_json *answer = NULL;

    if (skn_door_get(cli, &answer, "%s", path_of(cli, name, "/models?limit=500"))) {
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
            skn_say(cli, m, "{line model}");
            skn_print_raw(cli, skn_model_mark(m, usual));
            skn_print_raw(cli, SKN_STR("\n"));
        }
    return rc;
}

/* Without consent or a key nobody is asked. */
static bool is_usable(const skn_json *provider)
{
    skn_str state = skn_door_text(provider, "state");

    return !skn_str_is(state, "unused") && !skn_str_is(state, "no-key") &&
           !skn_str_is(state, "not-there");
}

skein_rc skn_cmd_model_ls(skn_cli *cli)
{
    const skn_json *answer, *data;
    skn_str         usual;
    skein_rc        rc = skn_need_server(cli, "a list of models");

    if (rc || (rc = skn_default_model(cli, &usual)) ||
        (cli->arg_count && (rc = skn_need_provider_of(cli, skn_arg(cli, 0)))) ||
        (rc = skn_door_get(cli, &answer, "/providers?limit=500")))
        return rc;
    data = skn_json_get(answer, "data");
    if (cli->json)
        skn_list_begin(cli);
    for (const skn_json *p = data ? data->first : NULL; p && !rc; p = p->next) {
        skn_str name = skn_door_text(p, "name");

        if (cli->arg_count ? skn_str_eq(name, skn_arg(cli, 0)) : is_usable(p))
            rc = print_models(cli, models_of(cli, name), usual);
    }
    if (cli->json)
        skn_list_done(cli, rc);
    return rc;
}

/* A server that runs is told: then it counts when the command has ended. */
static skein_rc put(skn_cli *cli, skn_str model)
{
    const skein_setting one = {SKN_STR("defaults.model"),
                               skn_arena_printf(cli->keep, "\"%.*s\"", SKN_FMT(model))};
    const skn_json     *answer;
    skn_door_body       b;
    skein_rc            rc = skn_door_to_server(cli);

    if (rc || !skn_at_server(cli))
        return rc ? rc : skein_setting_put(cli->engine, &one, 1, &cli->err);
    skn_jw_kstr(skn_door_body_begin(cli, &b), "defaults.model", model);
    return skn_door_send(&b, "PATCH", "/settings", &answer);
}

skein_rc skn_cmd_model_use(skn_cli *cli)
{
    const char *model = cli->args[0];
    bool        is_auto = !strcmp(model, "auto");
    skn_jw     *w;
    skein_rc    rc;

    if (!is_auto && !skn_is_model_name(model))
        return skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not PROVIDER/MODEL, or auto", model);
    if (!is_auto && (rc = skn_need_provider_of(cli, skn_str_of(model))))
        return rc;
    if (cli->dry_run) {
        skn_would(cli, "let %s answer for agents that name no model", model);
        return SKEIN_OK;
    }
    if ((rc = put(cli, skn_str_of(model))))
        return rc;
    if (!cli->json) {
        skn_print(cli, "%s answers for agents that name no model.\n", model);
        return SKEIN_OK;
    }
    w = skn_item(cli);
    skn_jw_object(w);
    skn_jw_kstr(w, "model", skn_str_of(model));
    skn_jw_object_end(w);
    return skn_item_end(cli);
}
