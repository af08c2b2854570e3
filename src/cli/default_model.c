#include "cli/default_model.h"
#include "cli/config_cli.h"
#include "cli/paste.h"
#include "cli/say.h"
#include "config/provider_plan.h"

#include <stdlib.h>

enum { MOST_NAMES = 8 };

#define PROVIDERS "/providers?limit=500"

static skn_str default_of(const skn_json *providers)
{
    skn_str model = SKN_NONE;

    for (const skn_json *p = skn_first(providers, "data"); p && !model.n; p = p->next)
        model = skn_json_str(p, "defaultModel");
    return model;
}

skein_rc skn_default_model(skn_cli *cli, skn_str *out)
{
    const skn_json *answer;
    skein_rc        rc = skn_door_get(cli, &answer, PROVIDERS);

    *out = rc ? SKN_NONE : default_of(answer);
    return rc;
}

const skn_config_value *skn_default_model_set(skn_cli *cli)
{
    skn_config    *c = skn_config_make(skn_config_sources_of(cli, NULL), cli->keep);
    skein_settings list = {NULL, 0};
    skein_error    err;

    if (cli->engine && skein_setting_list(cli->engine, cli->keep, &list, &err))
        list.count = 0;
    for (size_t i = 0; i < list.count; i++)
        (void)skn_config_stored(c, &list.at[i], cli->keep);
    return &c->values[SKN_CONFIG_DEFAULT_MODEL];
}

skn_str skn_default_model_shown(skn_cli *cli)
{
    const skn_json *told = skn_server_told(cli, PROVIDERS);
    skn_str         model = told ? default_of(told) : skn_default_model_set(cli)->text;

    return model.n || !told ? model : SKN_STR("a model that is not there");
}

static bool is_usual(const skn_json *model, skn_str usual)
{
    return usual.n && skn_str_eq(skn_json_str(model, "model"), usual);
}

skn_str skn_model_mark(const skn_json *model, skn_str usual)
{
    return is_usual(model, usual) ? SKN_STR("  (default)") : SKN_STR("");
}

skein_rc skn_model_item(skn_cli *cli, const skn_json *model, skn_str usual)
{
    skn_jw *w = skn_item_with(cli, model);

    skn_jw_kbool(w, "default", is_usual(model, usual));
    return skn_item_close(cli);
}

/* --- Taking ------------------------------------------------------------------------------- */

/* One that talks: a list may begin with one that only makes vectors of texts. */
static skn_str first_model(const skn_json *answer)
{
    for (const skn_json *m = skn_first(answer, "data"); m; m = m->next)
        if (skn_str_find(skn_json_str(m, "name"), SKN_STR("embed")) < 0)
            return skn_json_str(m, "model");
    return SKN_NONE;
}

static skein_rc cannot_take(skn_cli *cli, skn_str provider, const char *why)
{
    skn_str because = skn_arena_copy(cli->keep, skn_str_of(why)); /* it may be in cli->err */

    skn_fail(&cli->err, SKEIN_PROVIDER,
             "\"%.*s\" is there, but it names no model: %.*s. No agent's model has changed",
             SKN_FMT(provider), SKN_FMT(because));
    return skn_hint(&cli->err, SKEIN_PROVIDER,
                    "A key: skein provider login %.*s. Then: skein provider use %.*s --default",
                    SKN_FMT(provider), SKN_FMT(provider));
}

skein_rc skn_default_model_take(skn_cli *cli, skn_str provider)
{
    const skn_json *answer;
    skn_door_body   b;
    skn_str         model;

    if (skn_door_get(cli, &answer, "/providers/%s/models?limit=500",
                     skn_door_part(cli, provider)))
        return cannot_take(cli, provider, cli->err.message);
    model = first_model(answer);
    if (!model.n)
        return cannot_take(cli, provider, "its list is empty");
    skn_jw_kstr(skn_door_body_begin(cli, &b), "defaults.model", model);
    return skn_door_send(&b, "PATCH", "/settings", &answer);
}

/* --- Saying ------------------------------------------------------------------------------- */

/* Whom a list is about: agents that name a model of this provider; absent: that name none. */
static bool is_meant(const skn_json *agent, skn_str provider)
{
    skn_str model = skn_json_str(agent, "model");

    if (!provider.p)
        return !model.n;
    return model.n > provider.n && skn_str_starts(model, provider) &&
           model.p[provider.n] == '/';
}

/* "    tour: @lead, @ada and 3 more"; false when none of its agents is meant. */
static bool say_world(skn_cli *cli, const skn_json *world, skn_str provider)
{
    int64_t count = 0;

    for (const skn_json *a = skn_first(world, "agents"); a; a = a->next) {
        if (!is_meant(a, provider) || ++count > MOST_NAMES)
            continue;
        if (count == 1)
            skn_print(cli, "    %.*s: ", SKN_FMT(skn_json_str(world, "name")));
        skn_print(cli, "%s@%.*s", count > 1 ? ", " : "", SKN_FMT(skn_json_str(a, "name")));
    }
    if (count > MOST_NAMES)
        skn_print(cli, " and %lld more", (long long)(count - MOST_NAMES));
    if (count)
        skn_print_raw(cli, SKN_STR("\n"));
    return count > 0;
}

static skein_rc say_agents(skn_cli *cli, skn_str provider)
{
    const skn_json *answer;
    bool            any = false;
    skein_rc        rc = skn_door_get(cli, &answer, "/worlds?limit=500");

    for (const skn_json *w = rc ? NULL : skn_first(answer, "data"); w; w = w->next)
        any = say_world(cli, w, provider) || any;
    if (!rc && !any)
        skn_print_raw(cli, SKN_STR("    (there are none yet)\n"));
    return rc;
}

static bool is_any_meant(const skn_json *worlds, skn_str provider)
{
    for (const skn_json *w = worlds; w; w = w->next)
        for (const skn_json *a = skn_first(w, "agents"); a; a = a->next)
            if (is_meant(a, provider))
                return true;
    return false;
}

skein_rc skn_provider_users_say(skn_cli *cli, const skn_json *provider, bool *any)
{
    skn_str         name = skn_json_str(provider, "name");
    skn_str         usual = skn_json_str(provider, "defaultModel");
    const skn_json *worlds;
    bool            named;
    skein_rc        rc = skn_door_get(cli, &worlds, "/worlds?limit=500");

    if (rc)
        return rc;
    named = is_any_meant(skn_first(worlds, "data"), name);
    *any = named || usual.n;
    if (cli->json)
        return SKEIN_OK;
    if (usual.n) {
        skn_print_line(cli, usual, 0);
        skn_print_raw(cli, SKN_STR(" is the default. Without it these agents, which name no "
                                   "model, cannot answer:\n"));
        rc = say_agents(cli, SKN_NONE);
    }
    if (rc || !named)
        return rc;
    skn_print_raw(cli, SKN_STR("These agents have a model of it, and cannot answer until they "
                               "get another:\n"));
    return say_agents(cli, name);
}

static void say_model(skn_cli *cli, const char *words, skn_str model)
{
    skn_print(cli, "%s", skn_pasteable(cli, words));
    skn_print_line(cli, model.n ? model : SKN_STR("a model that is not there"), 0);
}

skein_rc skn_default_model_say(skn_cli *cli, skn_str was, skn_str provider)
{
    skn_str  now;
    skein_rc rc = skn_default_model(cli, &now);

    if (rc)
        return rc;
    if (skn_str_eq(was, now)) {
        say_model(cli, "No agent's model changes: those without their own model stay with ",
                  now);
        skn_print(cli,
                  ".\nTo let them use its first model: skein provider use %.*s --default\n"
                  "All of its models: skein model ls %.*s\n",
                  SKN_FMT(provider), SKN_FMT(provider));
        return SKEIN_OK;
    }
    say_model(cli, "From now on agents that name no model answer with ", now);
    say_model(cli, ", no longer with ", was);
    skn_print_raw(cli, SKN_STR(":\n"));
    if ((rc = say_agents(cli, SKN_NONE)))
        return rc;
    say_model(cli, "Back: skein model use ", was.n ? was : SKN_STR("auto"));
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

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

static skein_rc ask_server(skn_cli *cli, skn_str name, skn_buf *all, bool *known)
{
    const skn_json *answer;
    skein_rc        rc = skn_door_get(cli, &answer, PROVIDERS);

    for (const skn_json *p = rc ? NULL : skn_first(answer, "data"); p; p = p->next) {
        add_name(all, skn_json_str(p, "name"));
        *known = *known || skn_str_eq(skn_json_str(p, "name"), name);
    }
    return rc;
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
    from.stored = skn_stored_setting(&stored);
    for (size_t i = 0; i < c->providers.n; i++)
        settings[i].name = c->providers.p[i].name;
    skn_plans_name(&plans, &from, cli->keep);
    for (size_t i = 0; i < plans.all.n; i++)
        if (plans.all.p[i].listed)
            add_name(all, plans.all.p[i].s.name);
    *known = skn_plan_find(&plans, name) != NULL;
    return SKEIN_OK;
}

skein_rc skn_need_provider_of(skn_cli *cli, skn_str model)
{
    skn_door *own = cli->door;
    skn_str   rest = model, name;
    bool      known = false, served;
    skn_buf   all;
    skein_rc  rc;

    skn_str_split(&rest, '/', &name);
    skn_buf_init(&all, 1000);
    if (!(rc = skn_visit_server(cli, &served)))
        rc = served ? ask_server(cli, name, &all, &known) : look_near(cli, name, &all, &known);
    cli->door = own;
    if (!rc && !known)
        rc = no_provider(cli, name, &all);
    skn_buf_release(&all);
    return rc;
}

skein_rc skn_model_option(skn_cli *cli, skn_str *out)
{
    const char *given = skn_opt(cli, "model");

    *out = SKN_NONE;
    if (!given || !*given || !strcmp(given, "default"))
        return SKEIN_OK;
    if (!skn_is_model_name(given))
        return skn_fail_hint(
            &cli->err, SKEIN_USAGE,
            "\"skein model ls\" lists them; \"default\" is the one of agents that "
            "name none",
            "\"%s\" is not a model: name one as PROVIDER/MODEL", given);
    *out = skn_str_of(given);
    return skn_need_provider_of(cli, *out);
}

/* --- Who would answer --------------------------------------------------------------------- */

static const skn_json *list_of(const skn_json *v, const char *name)
{
    const skn_json *list = v ? skn_json_get(v, name) : NULL;

    return list && list->kind == SKN_JSON_ARRAY ? list : NULL;
}

const skn_json *skn_told_of_world(skn_cli *cli, const skein_world *world, const char *fields)
{
    const char *name = skn_door_part(cli, world->name);

    return skn_server_told(cli, skn_arena_text(cli->keep, "/worlds/%s%s%s", name,
                                               fields ? "?fields=" : "", fields ? fields : ""));
}

const skn_json *skn_answers_with(skn_cli *cli, const skein_world *world)
{
    return list_of(skn_told_of_world(cli, world, "answersWith"), "answersWith");
}

static skn_str where(skn_cli *cli, const skn_json *one)
{
    const skn_json *local = skn_json_get(one, "local");
    skn_str         host = skn_json_str(one, "host");

    if (!local || local->kind != SKN_JSON_BOOL)
        return SKN_STR("not set up");
    if (skn_door_flag(one, "local"))
        return skn_door_flag(one, "scripted") ? SKN_STR("scripted, on this computer")
                                              : SKN_STR("on this computer");
    return host.n ? skn_arena_printf(cli->keep, "at %.*s", SKN_FMT(host))
                  : SKN_STR("on another computer");
}

/* Has the provider of the model cost what it may cost this month? */
static bool is_spent(skn_cli *cli, skn_str model)
{
    skn_str         name = SKN_STR("");
    const skn_json *provider;

    if (!skn_str_split(&model, '/', &name))
        return false;
    provider = skn_server_told(
        cli, skn_arena_text(cli->keep, "/providers/%s", skn_door_part(cli, name)));
    return provider && skn_str_is(skn_json_str(provider, "state"), "over-budget");
}

static skn_str nobody(const skn_json *agents)
{
    return agents && agents->first ? SKN_STR("nobody answers: all agents are paused")
                                   : SKN_STR("nobody answers: there are no agents");
}

skn_str skn_answers_text(skn_cli *cli, const skein_world *world)
{
    const skn_json *all = skn_told_of_world(cli, world, "answersWith,agents");
    const skn_json *answers = list_of(all, "answersWith"), *agents = list_of(all, "agents");
    skn_str         text = SKN_STR("");

    if (!answers)
        return text;
    for (const skn_json *one = answers->first; one; one = one->next) {
        skn_str model = skn_json_str(one, "model"), at = where(cli, one);

        text = skn_arena_printf(cli->keep, "%.*s%s%.*s (%.*s%s)", SKN_FMT(text),
                                text.n ? ", " : "answers with ", SKN_FMT(model), SKN_FMT(at),
                                is_spent(cli, model) ? "; its budget is used up" : "");
    }
    return text.n ? text : nobody(agents);
}
