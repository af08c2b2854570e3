/* The settings of a world: one of them, the rest stays (docs/worlds.md). */
#include "cli/commands.h"

#include "base/error.h"
#include "base/json.h"
#include "cli/discover.h"
#include "cli/far_world.h"
#include "cli/server_ask.h"

#include <string.h>

#define SETTINGS_MOST ((size_t)1 << 20)

static const char *const names[] = {
    "description",   "turnLimit",    "compactAt", "delegationDepth", "delegationsMost",
    "monthlyTokens", "compactShare", "approvals", "mcpServers",      "knowledge"};

static const char *name_at(const void *ctx, size_t i)
{
    (void)ctx;
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static skein_rc no_setting(skn_cli *cli, skn_str name)
{
    const char *near = skn_suggest(name.p, name_at, NULL);
    skn_buf     all;

    skn_fail(&cli->err, SKEIN_USAGE, "a world has no setting \"%.*s\"", SKN_FMT(name));
    if (near)
        return skn_hint(&cli->err, SKEIN_USAGE, "Did you mean \"%s\"?", near);
    skn_buf_init(&all, 500);
    for (size_t i = 0; name_at(NULL, i); i++)
        skn_buf_addf(&all, "%s%s", i ? ", " : "", name_at(NULL, i));
    skn_hint(&cli->err, SKEIN_USAGE, "There are: %.*s", SKN_FMT(skn_buf_str(&all)));
    skn_buf_release(&all);
    return SKEIN_USAGE;
}

/* --- The value ---------------------------------------------------------------------------- */

/* Who names no file may not know what is wanted. */
static skein_rc no_object(skn_cli *cli, skn_str key, skein_rc rc)
{
    bool tools = skn_str_is(key, "approvals");

    if (rc != SKEIN_NOT_FOUND)
        return rc;
    skn_fail(&cli->err, SKEIN_USAGE,
             "%.*s takes a JSON object, the name of a file with one, or null, and \"%s\" is "
             "none of these",
             SKN_FMT(key), cli->args[1]);
    return skn_hint(&cli->err, SKEIN_USAGE, "Try: skein world set %.*s '%s'", SKN_FMT(key),
                    tools ? "{\"TOOL\":\"ask\"}" : "{\"NAME\":{\"command\":[\"PROGRAM\"]}}");
}

static skn_str quoted(skn_cli *cli, skn_str text)
{
    skn_buf b;
    skn_jw  w;

    skn_buf_init(&b, 6 * text.n + 8);
    skn_jw_init(&w, &b);
    skn_jw_str(&w, text);
    return skn_body_keep(cli, &b);
}

/* What null stands for, in the numbers that every world has; 0: the setting goes. */
static int standard(skn_str key)
{
    return skn_str_is(key, "turnLimit")   ? SKN_TURN_LIMIT_STANDARD
           : skn_str_is(key, "compactAt") ? SKN_COMPACT_AT_STANDARD
                                          : 0;
}

/* Objects may stand in a file: what does not begin like one is the name of one. */
static skein_rc read_value(skn_cli *cli, skn_str key, skn_str *out)
{
    const skn_json *v;
    skein_error     err;
    skein_rc        rc;

    *out = skn_str_trim(skn_arg(cli, 1));
    if ((skn_str_is(key, "approvals") || skn_str_is(key, "mcpServers")) && out->n &&
        out->p[0] != '{' && !skn_str_is(*out, "null")) {
        if ((rc = skn_read_file(cli, cli->args[1], SETTINGS_MOST, out)))
            return no_object(cli, key, rc);
        return skn_json_parse(&v, *out, cli->args[1], cli->keep, &cli->err);
    }
    if (skn_json_parse(&v, *out, "value", cli->keep, &err))
        *out = quoted(cli, *out);
    return SKEIN_OK;
}

/* --- The command -------------------------------------------------------------------------- */

static bool is_known(skn_str key)
{
    const char *dot = memchr(key.p, '.', key.n);
    skn_str     name = dot ? skn_str_sub(key, 0, (size_t)(dot - key.p)) : key;

    if (dot && !skn_str_is(name, "approvals") && !skn_str_is(name, "mcpServers"))
        return false;
    for (size_t i = 0; name_at(NULL, i); i++)
        if (skn_str_is(name, name_at(NULL, i)))
            return true;
    return false;
}

static skein_rc number_of(skn_cli *cli, int64_t least, int64_t most, skn_str *out)
{
    skn_str text = skn_str_trim(skn_arg(cli, 1));
    int64_t n = standard(skn_arg(cli, 0));

    if (skn_str_is(text, "null") || (skn_str_int(text, &n) && n >= least && n <= most)) {
        *out = skn_arena_printf(cli->keep, "%lld", (long long)n);
        return SKEIN_OK;
    }
    return skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is no whole number from %lld to %lld",
                    cli->args[1], (long long)least, (long long)most);
}

/* As JSON. */
static skein_rc value_of(skn_cli *cli, skn_str key, skn_str *out)
{
    if (!is_known(key))
        return no_setting(cli, key);
    if (skn_str_is(key, "turnLimit"))
        return number_of(cli, 1, SKN_TURN_LIMIT_MAX, out);
    if (skn_str_is(key, "compactAt"))
        return number_of(cli, 2, SKN_COMPACT_AT_MAX, out);
    if (!skn_str_is(key, "description"))
        return read_value(cli, key, out);
    *out = quoted(cli, skn_arg(cli, 1));
    return SKEIN_OK;
}

/* The engine names a place in the settings; a person has typed the name behind it. */
static skein_rc as_typed(skn_cli *cli, skein_rc rc)
{
    const skn_str place = SKN_STR("\"/settings/");
    skn_str       said = skn_arena_copy(cli->keep, skn_str_of(cli->err.message));
    ptrdiff_t     end;

    if (!skn_str_starts(said, place))
        return rc;
    said = skn_str_sub(said, place.n, said.n);
    end = skn_str_find(said, SKN_STR("\""));
    snprintf(cli->err.message, sizeof cli->err.message, "%.*s%.*s", end < 0 ? 0 : (int)end,
             said.p, SKN_FMT(skn_str_sub(said, (size_t)(end + 1), said.n)));
    return rc;
}

/* What the configuration of this run does not allow, that of a server that runs here may: it has the last word. */
static skein_rc set(skn_cli *cli, const skein_world *world, skein_world *now)
{
    skn_str     key = skn_arg(cli, 0), value;
    skein_error refused;
    skn_server  server;
    bool        found = false;
    skein_rc    rc;

    if ((rc = value_of(cli, key, &value)) || !(rc = skn_far_world_set(cli, key, value, now)) ||
        cli->far || cli->dry_run)
        return rc;
    refused = cli->err;
    if (skn_discover_here(cli, &server, &found) || !found) {
        cli->err = refused;
        return rc;
    }
    cli->err = (skein_error){.rc = SKEIN_OK};
    skn_far_begin(cli, &server);
    skn_far_enter(cli, world);
    return skn_far_world_set(cli, key, value, now);
}

/* null takes a setting away; but every world has its two numbers, and it may be described with that word. */
static bool removes(skn_cli *cli)
{
    return skn_str_is(skn_str_trim(skn_arg(cli, 1)), "null") &&
           !skn_str_is(skn_arg(cli, 0), "description") && !standard(skn_arg(cli, 0));
}

/* Does a server run here that starts no commands? One that cannot be asked is not known to. */
static bool has_deaf_server(skn_cli *cli)
{
    const skn_json *answer = NULL;
    skein_error     before = cli->err;
    skn_server      server;
    bool            found = false, commands = true;

    if (!skn_discover(cli, &server, &found) && found &&
        !skn_server_ask(cli, &server, "GET", "/settings", SKN_NONE, &answer))
        (void)skn_json_flag(
            skn_json_get(skn_json_get(answer, "configuration"), "tools.commands"), "value",
            true, &commands, NULL);
    cli->err = before;
    return !commands;
}

static void note_commands(skn_cli *cli, const skein_world *was, const skein_world *now)
{
    if (!cli->far && skn_world_new_command(now->settings, was->settings, cli->keep).p &&
        has_deaf_server(cli))
        skn_note(cli, "Commands are switched off in the server that runs here "
                      "(tools.commands): it does not start this one.");
}

int skn_cmd_world_set(skn_cli *cli)
{
    bool        gone = removes(cli);
    skein_world world, now;
    skein_rc    rc;

    if ((rc = skn_need_world(cli, &world)) || (rc = set(cli, &world, &now)))
        return (int)as_typed(cli, rc);
    if (cli->dry_run) {
        skn_would(cli, "%s %s of %.*s", gone ? "remove" : "set", cli->args[0],
                  SKN_FMT(world.name));
        return 0;
    }
    note_commands(cli, &world, &now);
    if (cli->json)
        return (int)skn_world_item(cli, &now);
    skn_print(cli, "%s of %.*s is %s. \"skein world show\" shows what holds.\n", cli->args[0],
              SKN_FMT(now.name), gone ? "removed" : "set");
    return 0;
}
