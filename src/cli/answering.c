#include "cli/answering.h"

#include "cli/discover.h"
#include "cli/far.h"
#include "cli/news.h"
#include "cli/server_ask.h"

static const skn_json *list_of(const skn_json *v, const char *name)
{
    const skn_json *list = v ? skn_json_get(v, name) : NULL;

    return list && list->kind == SKN_JSON_ARRAY ? list : NULL;
}

/* What the server of the store tells of this; NULL: there is none, or it cannot. */
static const skn_json *told(skn_cli *cli, skn_str path)
{
    skein_error     before = cli->err;
    const skn_json *v = NULL;
    skn_server      server;
    bool            found = false;

    if (cli->far ? skn_far_get(cli, &v, "%.*s", SKN_FMT(path))
                 : skn_discover_here(cli, &server, &found) || !found ||
                       skn_server_ask(cli, &server, "GET", path.p, SKN_NONE, &v))
        v = NULL;
    cli->err = before;
    return v;
}

const skn_json *skn_told_of_world(skn_cli *cli, const skein_world *world, const char *fields)
{
    const char *name = skn_client_encode(cli->keep, world->name);

    return told(cli, skn_arena_printf(cli->keep, "/worlds/%s%s%s", name,
                                      fields ? "?fields=" : "", fields ? fields : ""));
}

const skn_json *skn_answers_with(skn_cli *cli, const skein_world *world)
{
    return list_of(skn_told_of_world(cli, world, "answersWith"), "answersWith");
}

static bool is_set(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_BOOL && m->boolean;
}

static skn_str where(skn_cli *cli, const skn_json *one)
{
    const skn_json *local = skn_json_get(one, "local");
    skn_str         host = skn_news_text(one, "host");

    if (!local || local->kind != SKN_JSON_BOOL)
        return SKN_STR("not set up");
    if (is_set(one, "local"))
        return is_set(one, "scripted") ? SKN_STR("scripted, on this computer")
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
    provider = told(
        cli, skn_arena_printf(cli->keep, "/providers/%s", skn_client_encode(cli->keep, name)));
    return provider && skn_str_is(skn_news_text(provider, "state"), "over-budget");
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
        skn_str model = skn_news_text(one, "model"), at = where(cli, one);

        text = skn_arena_printf(cli->keep, "%.*s%s%.*s (%.*s%s)", SKN_FMT(text),
                                text.n ? ", " : "answers with ", SKN_FMT(model), SKN_FMT(at),
                                is_spent(cli, model) ? "; its budget is used up" : "");
    }
    return text.n ? text : nobody(agents);
}
