#include "cli/answering.h"

#include "cli/discover.h"
#include "cli/far.h"
#include "cli/news.h"
#include "cli/server_ask.h"

static const skn_json *member_of(const skn_json *world)
{
    const skn_json *v = world ? skn_json_get(world, "answersWith") : NULL;

    return v && v->kind == SKN_JSON_ARRAY ? v : NULL;
}

const skn_json *skn_answers_with(skn_cli *cli, const skein_world *world)
{
    skein_error     before = cli->err;
    const skn_json *v = NULL;
    const char     *name = skn_client_encode(cli->keep, world->name);
    skn_str         path = skn_arena_printf(cli->keep, "/worlds/%s?fields=answersWith", name);
    skn_server      server;
    bool            found = false;

    if (cli->far ? skn_far_get(cli, &v, "%.*s", SKN_FMT(path))
                 : skn_discover_here(cli, &server, &found) || !found ||
                       skn_server_ask(cli, &server, "GET", path.p, SKN_NONE, &v))
        v = NULL;
    cli->err = before;
    return member_of(v);
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

skn_str skn_answers_text(skn_cli *cli, const skn_json *answers)
{
    skn_str text = SKN_STR("");

    for (const skn_json *one = answers ? answers->first : NULL; one; one = one->next) {
        skn_str model = skn_news_text(one, "model"), at = where(cli, one);

        text = skn_arena_printf(cli->keep, "%.*s%s%.*s (%.*s)", SKN_FMT(text),
                                text.n ? ", " : "", SKN_FMT(model), SKN_FMT(at));
    }
    return text;
}
