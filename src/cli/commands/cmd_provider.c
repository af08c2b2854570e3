/* Providers of models: asked of the running server, which knows them and keeps their keys. */
#include "cli/commands.h"
#include "cli/default_model.h"
#include "cli/input.h"
#include "cli/paste.h"
#include "config/secrets.h"

#include <stdlib.h>

#define PROVIDER "/providers/{.0}"

/* Of the server that runs; the path is a text of skn_path. */
static skein_rc ask_provider(skn_cli *cli, const char *method, const char *path, skn_str body,
                             const skn_json **out)
{
    skein_rc rc = skn_need_server(cli, "this");

    return rc ? rc : skn_door_change(cli, method, skn_path(cli, NULL, path), body, out);
}

/* --- Shown -------------------------------------------------------------------------------- */

double skn_door_amount(const skn_json *v, const char *key)
{
    const skn_json *n = skn_json_get(v, key);

    return n && n->kind == SKN_JSON_NUMBER ? strtod(n->raw.p, NULL) : 0;
}

static skein_rc provider_line(skn_cli *cli, const skn_json *v)
{
    const skn_json *budget = skn_json_get(v, "budget");
    size_t          row = skn_row_begin(cli);

    skn_say(cli, v, "{sender name 12}  ");
    skn_print_sender(cli,
                     skn_is(v, "state", "not-tried") ? SKN_STR("not tried yet")
                                                     : skn_json_str(v, "state"),
                     13);
    skn_say(cli, v,
            "  {sender type 10}  [key.tail:key {key.tail} ({line key.source})  ]{line baseUrl}"
            "[defaultModel:\n              default model {line defaultModel}]");
    if (skn_has(budget, "monthly"))
        skn_print(cli, "\n              %.2f of %.2f USD used this month",
                  skn_door_amount(budget, "used"), skn_door_amount(budget, "monthly"));
    if (skn_has(budget, "daily"))
        skn_print(cli, "\n              %.2f of %.2f USD used today",
                  skn_door_amount(budget, "usedToday"), skn_door_amount(budget, "daily"));
    if (skn_has(v, "detail")) {
        skn_print_raw(cli, SKN_STR("\n              "));
        skn_print_told(cli, skn_json_str(v, "detail"));
    }
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
    return SKEIN_OK;
}

/* The elements of "data". */
static skein_rc ask_list(skn_cli *cli, const char *method, const char *path, skn_str body,
                         skn_json_list *out)
{
    const skn_json *answer = NULL;
    skein_rc        rc = ask_provider(cli, method, path, body, &answer);

    for (const skn_json *v = skn_first(answer, "data"); v; v = v->next)
        skn_vec_add(cli->keep, out, v);
    return rc;
}

skein_rc skn_cmd_provider_ls(skn_cli *cli)
{
    skn_json_list list = {0};
    skein_rc      rc = ask_list(cli, "GET", "/providers?limit=500", SKN_NONE, &list);

    if (!rc && !cli->json && !list.n)
        skn_print(cli, "There are none.\n");
    return rc ? rc : skn_say_list(cli, &list, provider_line);
}

skein_rc skn_cmd_provider_show(skn_cli *cli)
{
    const skn_json *answer = NULL;
    skein_rc        rc = ask_provider(cli, "GET", PROVIDER, SKN_NONE, &answer);

    if (!rc && !cli->json)
        provider_line(cli, answer);
    return skn_tell(cli, rc, answer, "  from {line origin}\n");
}

skein_rc skn_cmd_provider_models(skn_cli *cli)
{
    skn_json_list list = {0};
    skein_rc      rc = ask_list(cli, "GET", PROVIDER "/models?limit=500", SKN_NONE, &list);

    return skn_tell_list(cli, rc, &list,
                         "{line model}[contextWindow:  reads {contextWindow} tokens]\n",
                         "It has none.\n");
}

skein_rc skn_cmd_provider_detect(skn_cli *cli)
{
    skn_json_list list = {0};
    skein_rc rc = ask_list(cli, "POST", "/providers/detect?limit=500", SKN_STR("{}"), &list);

    return skn_tell_list(
        cli, rc, &list,
        "{sender name 12}  [problem:{line problem}]"
        "[!problem:{line baseUrl}[key:  {line key.source} is set]"
        "[!key:[models!=:  {size models} model{models s}]]]\n",
        "Nothing was found. The server looks for model servers on this computer (detect.local) "
        "and for keys in its environment (detect.environment).\n");
}

static skn_str told_detail(skn_cli *cli, const skn_json *v)
{
    skn_str detail = skn_arena_copy(cli->keep, skn_json_str(v, "detail"));

    return detail.n ? skn_str_of(skn_pasteable(cli, detail.p)) : SKN_NONE;
}

/* The outcome decides the exit status as well. */
skein_rc skn_cmd_provider_test(skn_cli *cli)
{
    const skn_json *answer;
    bool            ok = false;
    skein_rc        rc = ask_provider(cli, "POST", PROVIDER "/test", SKN_STR("{}"), &answer);

    if (rc || (rc = skn_json_flag(answer, "ok", false, &ok, &cli->err)))
        return rc;
    rc = skn_tell(cli, rc, answer,
                  "{.0}: {line state} in {tookMs} ms, {size models} model{models s}\n");
    if (!cli->json)
        skn_print_block(cli, told_detail(cli, answer), 4);
    return rc ? rc : skn_status(cli, ok ? 0 : skein_rc_exit(SKEIN_PROVIDER));
}

/* --- Changed ------------------------------------------------------------------------------ */

static skein_rc change(skn_cli *cli, const char *method, skn_str body, const char *done)
{
    const skn_json *answer;
    skein_rc        rc = ask_provider(cli, method, PROVIDER, body, &answer);

    if (rc)
        return rc;
    if (cli->json)
        return answer ? skn_door_item(cli, answer) : SKEIN_OK;
    if (skn_json_get(answer, "name"))
        provider_line(cli, answer);
    skn_say(cli, answer, done);
    return SKEIN_OK;
}

/* A change after which agents could answer with another model: they do only with --default, and which agents
 * answer with which model is said either way. */
static skein_rc change_openly(skn_cli *cli, const char *method, const char *path, skn_str body,
                              const char *done)
{
    skn_str         provider, was;
    const skn_json *answer;
    skein_rc        rc;

    if ((rc = skn_need_server(cli, "this")) || (rc = skn_default_model(cli, &was)) ||
        (rc = ask_provider(cli, method, path, body, &answer)))
        return rc;
    provider = skn_json_str(answer, "name");
    if ((skn_opt(cli, "default") && (rc = skn_default_model_take(cli, provider))) ||
        (rc = skn_read(cli, answer, "/providers/{name}", &answer)))
        return rc;
    if (cli->json)
        return skn_door_item(cli, answer);
    provider_line(cli, answer);
    skn_say(cli, answer, done);
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
    return skn_buf_keep(&b.bytes, cli->keep);
}

skein_rc skn_cmd_provider_add(skn_cli *cli)
{
    const skn_json *none;
    skein_rc        rc;

    if (!skn_opt(cli, "type")) /* the server would refuse it in the words of its API */
        return skn_fail(
            &cli->err, SKEIN_USAGE,
            "--type is openai, openai-responses, openai-compatible, anthropic or ollama");
    if (cli->dry_run && (rc = ask_provider(cli, "POST", "/providers", add_body(cli), &none)))
        return rc;
    if (skn_dry(cli, NULL,
                skn_opt(cli, "default")
                    ? "add the provider {.0}, and let its first model answer for agents that "
                      "name none"
                    : "add the provider {.0}; no agent's model changes"))
        return SKEIN_OK;
    return change_openly(cli, "POST", "/providers", add_body(cli),
                         skn_opt(cli, "key-env")
                             ? "Added. Take it back with \"skein provider rm {.0}\".\n"
                             : "Added. A key: skein provider login {.0}. Take it back with "
                               "\"skein provider rm {.0}\".\n");
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

    /* A key is sent only to a server that has this provider and speaks our version. */
    if ((rc = ask_provider(cli, "GET", PROVIDER, SKN_NONE, &now)))
        return rc;
    if (skn_dry(cli, NULL, none ? "remove the key of {.0}" : "store a key for {.0}"))
        return SKEIN_OK;
    if (none)
        return change(cli, "PATCH", SKN_STR("{\"apiKey\":null}"), "No key is stored for it.\n");
    if ((rc = skn_key_input(cli, skn_arg(cli, 0), &key)))
        return rc;
    skn_jw_open(&w, &b, 65536);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "apiKey", key);
    skn_jw_object_end(&w);
    body = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_secret_wipe(skn_buf_str(&b));
    skn_buf_release(&b);
    rc = change(cli, "PATCH", body, "The key is stored. Try it: skein provider test {.0}\n");
    skn_secret_wipe(key);
    skn_secret_wipe(body);
    return rc;
}

skein_rc skn_cmd_provider_use(skn_cli *cli)
{
    const skn_json *now;
    skein_rc        rc = ask_provider(cli, "GET", PROVIDER, SKN_NONE, &now);

    if (rc)
        return rc;
    if (!skn_door_flag(now, "local") && !cli->json) {
        skn_say(cli, now,
                "Your messages and those of agents will be sent to {line baseUrl}.\n");
        skn_out_flush(cli);
    }
    if (skn_dry(cli, NULL, "let agents use {.0}") || (rc = skn_confirm(cli, "Use it?", false)))
        return rc;
    return change_openly(cli, "PATCH", PROVIDER, SKN_STR("{}"),
                         "Agents may use it. Its models: skein provider models {.0}. To stop "
                         "that: skein provider rm {.0}\n");
}

/* Who could not answer without it is told first, and must be thought of: it cannot be brought back. */
skein_rc skn_cmd_provider_rm(skn_cli *cli)
{
    const skn_json *now, *none;
    bool            in_use = false;
    skein_rc        rc;

    if ((rc = ask_provider(cli, "GET", PROVIDER, SKN_NONE, &now)) ||
        (rc = ask_provider(cli, "DELETE", PROVIDER "?dryRun=true", SKN_NONE, &none)) ||
        (rc = skn_provider_users_say(cli, now, &in_use)) ||
        skn_dry(cli, NULL, "remove the provider {.0} and its key") ||
        (rc = skn_confirm(cli, "Remove this provider and its key?", in_use)))
        return rc;
    return change(cli, "DELETE", SKN_NONE, "Removed, with its key.\n");
}

/* Models: which there are, and which one answers for agents that name none. */

/* The models of a provider that can be asked; one that cannot has none. */
static const skn_json *models_of(skn_cli *cli, const skn_json *provider)
{
    const skn_json *answer = NULL;

    if (skn_read(cli, provider, "/providers/{name}/models?limit=500", &answer)) {
        skn_note(cli, "%.*s: %s", SKN_FMT(skn_json_str(provider, "name")), cli->err.message);
        cli->err = (skein_error){.rc = SKEIN_OK};
    }
    return skn_first(answer, "data");
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
    skn_str state = skn_json_str(provider, "state");

    return !skn_str_is(state, "unused") && !skn_str_is(state, "no-key") &&
           !skn_str_is(state, "not-there");
}

skein_rc skn_cmd_model_ls(skn_cli *cli)
{
    const skn_json *answer;
    skn_str         usual;
    skein_rc        rc = skn_need_server(cli, "a list of models");

    if (rc || (rc = skn_default_model(cli, &usual)) ||
        (cli->arg_count && (rc = skn_need_provider_of(cli, skn_arg(cli, 0)))) ||
        (rc = skn_door_get(cli, &answer, "/providers?limit=500")))
        return rc;
    skn_list_begin(cli);
    for (const skn_json *p = skn_first(answer, "data"); p && !rc; p = p->next)
        if (cli->arg_count ? skn_is(p, "name", cli->args[0]) : is_usable(p))
            rc = print_models(cli, models_of(cli, p), usual);
    skn_list_done(cli, rc);
    return rc;
}

/* A running server gets the change, so it holds when the command has ended. */
static skein_rc put_model(skn_cli *cli, skn_str model)
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
    skn_str  model = skn_arg(cli, 0);
    bool     is_auto = skn_str_is(model, "auto");
    skein_rc rc = SKEIN_OK;

    if (!is_auto && !skn_is_model_name(model.p))
        return skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not PROVIDER/MODEL, or auto",
                        model.p);
    if ((!is_auto && (rc = skn_need_provider_of(cli, model))) ||
        skn_dry(cli, NULL, "let {.0} answer for agents that name no model"))
        return rc;
    if ((rc = put_model(cli, model)))
        return rc;
    skn_jw_kstr(skn_item_begin(cli), "model", model);
    return skn_item_tell(cli, "{model} answers for agents that name no model.\n");
}
