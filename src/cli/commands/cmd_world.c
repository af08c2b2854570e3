#include "cli/commands.h"
#include "cli/default_model.h"

/* A server that runs here knows more of it: which models answer. */
static skein_rc world_item(skn_cli *cli, const skein_world *world)
{
    const skn_json *whole = skn_told_of_world(cli, world, NULL);
    skein_rc        rc = SKEIN_OK;

    if (!whole)
        rc = skn_door_get(cli, &whole, "/worlds/%s", skn_door_part(cli, world->name));
    return rc ? rc : skn_door_item(cli, whole);
}

skein_rc skn_world_tell(skn_cli *cli, const skn_json *v, const char *text)
{
    skein_world world;

    skn_door_read_world(cli, v, &world);
    if (cli->json)
        return world_item(cli, &world);
    skn_say(cli, v, text);
    return SKEIN_OK;
}

/* Says that a world is free to be made, without making it. */
static skein_rc world_would_be(skn_cli *cli)
{
    skein_world there;
    skn_str     name;
    skein_rc    rc = skn_name_normal(skn_arg(cli, 0), cli->keep, &name, &cli->err);

    if (rc)
        return rc;
    rc = skn_door_world(cli, name, &there);
    if (!rc && skn_str_eq(there.name, name))
        return skn_fail(&cli->err, SKEIN_CONFLICT, "there is already a world \"%.*s\"",
                        SKN_FMT(name));
    if (rc && rc != SKEIN_NOT_FOUND)
        return rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
    skn_would(cli, "make the world %.*s", SKN_FMT(name));
    return SKEIN_OK;
}

/* The world is there either way: that it is not the default is not a failure of making it. */
static void keep_default(skn_cli *cli, const skein_world *world)
{
    if (!skn_current_set(cli, world))
        return;
    skn_note(cli, "warning: it is not the default: %s", cli->err.message);
    cli->err = (skein_error){.rc = SKEIN_OK};
}

skein_rc skn_cmd_world_new(skn_cli *cli)
{
    skn_str         about = skn_str_of(skn_opt(cli, "description"));
    int64_t         turns, compact_at;
    skein_world     world;
    const skn_json *made;
    skn_door_body   b;
    skein_rc        rc;

    if ((rc = skn_opt_int(cli, "turn-limit", 1, SKN_TURN_LIMIT_MAX, 0, &turns)) ||
        (rc = skn_opt_int(cli, "compact-at", 2, SKN_COMPACT_AT_MAX, 0, &compact_at)))
        return rc;
    if (cli->dry_run)
        return world_would_be(cli);
    skn_jw_kstr(skn_door_body_begin(cli, &b), "name", skn_arg(cli, 0));
    skn_jw_kgiven(&b.w, "description", about);
    if (turns)
        skn_jw_kint(&b.w, "turnLimit", turns);
    if (compact_at)
        skn_jw_kint(&b.w, "compactAt", compact_at);
    if ((rc = skn_send(cli, &b, "POST", NULL, "/worlds", &made)))
        return rc;
    skn_door_read_world(cli, made, &world);
    keep_default(cli, &world);
    return skn_world_tell(
        cli, made,
        world.name.n == 0 ? "Made the world. It is the default now.\n"
                          : "Made the world {name}. It is the default now. Take it back with "
                            "\"skein world rm {name}\".\n");
}

static void world_line(skn_cli *cli, const skein_world *world, const skn_json *whole)
{
    skn_str answers = skn_answers_text(cli, world);
    size_t  row = skn_row_begin(cli);

    skn_say(
        cli, whole,
        "{sender name 20}  {size agents} agent{agents s}, {size chats} conversation{chats s}");
    skn_print_raw(cli, answers.n ? SKN_STR("  ") : SKN_STR(""));
    skn_print_line(cli, answers, 0);
    skn_say(cli, whole, "[description:  {line description 60}]\n");
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

skein_rc skn_cmd_world_ls(skn_cli *cli)
{
    const skn_json *whole;
    skn_json_list   list = {0};
    skein_world     world;
    skein_rc        rc;

    if (skn_opt(cli, "removed"))
        return skn_worlds_removed(cli);
    if ((rc = skn_door_all(cli, "/worlds", 0, &list)))
        return rc;
    skn_list_begin(cli);
    for (size_t i = 0; i < list.n && !rc; i++) {
        skn_door_read_world(cli, list.p[i], &world);
        if (!cli->json) {
            world_line(cli, &world, list.p[i]);
            continue;
        }
        whole = skn_is_elsewhere(cli) ? NULL : skn_told_of_world(cli, &world, NULL);
        rc = skn_door_item(cli, whole ? whole : list.p[i]);
    }
    skn_list_done(cli, rc);
    return rc;
}

skein_rc skn_world_named(skn_cli *cli, skein_world *out)
{
    skein_rc rc;

    if (!cli->arg_count)
        return skn_need_world(cli, out);
    if ((rc = skn_door_world(cli, skn_arg(cli, 0), out)))
        return rc;
    skn_door_enter(cli, out);
    return SKEIN_OK;
}

skein_rc skn_cmd_world_use(skn_cli *cli)
{
    skein_world world;
    skn_current now;
    skein_rc    rc = skn_world_named(cli, &world);

    if (rc || skn_dry(cli, NULL, "make {.world} the default") ||
        (rc = skn_current_set(cli, &world)) || (rc = skn_current_of(cli, &now)))
        return rc;
    if (cli->json)
        return world_item(cli, &world);
    skn_say(cli, NULL, "The default is the world {.world} now.\n");
    if (now.by)
        skn_note(cli, "Here the world is still \"%s\", which is named by %s.", now.world,
                 now.by);
    return SKEIN_OK;
}

static void chat_line(skn_cli *cli, const skn_json *chat, bool current)
{
    skn_say(cli, chat, current ? "* {id}" : "  {id}");
    skn_say(cli, chat,
            "  v{version}  {messageCount 6} message{messageCount s}"
            "[mode!=chat:  {mode} of @{agent}][mode=chat:[title:  {line title 60}]]\n");
}

skein_rc skn_cmd_world_show(skn_cli *cli)
{
    const skn_json *whole;
    skein_world     world;
    skn_str         usual;
    skein_rc        rc = skn_world_named(cli, &world);

    if (rc || cli->json)
        return rc ? rc : world_item(cli, &world);
    if ((rc = skn_read(cli, NULL, "{world}", &whole)))
        return rc;
    skn_say(cli, whole, "{sender name}  ({id})\n");
    skn_print_block(cli, world.description, 2);
    skn_say(cli, whole,
            "turns {turnLimit}, compacts at {compactAt} messages, session "
            "[currentChatId:on][!currentChatId:off]\n"
            "[settings:settings {line settings}\n]"); /* without secrets */
    usual = skn_has(whole, "agents") ? skn_default_model_shown(cli) : SKN_NONE;
    for (const skn_json *a = skn_first(whole, "agents"); a; a = a->next)
        skn_agent_line(cli, a, usual);
    for (const skn_json *v = skn_first(whole, "chats"); v; v = v->next)
        chat_line(cli, v, skn_str_eq(skn_json_str(v, "id"), world.current_chat_uid));
    return SKEIN_OK;
}

skein_rc skn_cmd_world_rm(skn_cli *cli)
{
    const char     *path = skn_opt(cli, "force") ? "{world}?force=true" : "{world}";
    const skn_json *none;
    skein_world     world;
    skein_rc        rc = skn_world_named(cli, &world);

    if (rc || (rc = skn_confirm(cli, "Remove this world with all its conversations?", false)))
        return rc;
    if (cli->json && (rc = world_item(cli, &world)))
        return rc;
    if (!cli->dry_run && (rc = skn_send(cli, NULL, "DELETE", NULL, path, &none)))
        return rc;
    if (!cli->json)
        skn_say(cli, NULL,
                "[.dry:Would remove the world {.world}. Nothing was changed.\n]"
                "[!.dry:Removed the world {.world}. Its texts stay in the store.\n"
                "Bring it back with \"skein world restore {.world}\".\n]");
    return SKEIN_OK;
}

/* The settings of a world: one of them, the rest stays (docs/worlds.md). */

#define SETTINGS_MOST ((size_t)1 << 20)

static const char *const names[] = {
    "description",   "turnLimit",    "compactAt",  "delegationDepth", "delegationsMost",
    "monthlyTokens", "monthlyCents", "dailyCents", "compactShare",    "maxTokens",
    "approvals",     "mcpServers",   "knowledge",  "promptFacts",     "person"};

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

/* The value is neither an object nor a file: says what is wanted. */
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

    skn_jw_open(&w, &b, 6 * text.n + 8);
    skn_jw_str(&w, text);
    return skn_buf_keep(&b, cli->keep);
}

/* The value that null restores, of the two numbers that every world has; else 0. */
static int standard(skn_str key)
{
    return skn_str_is(key, "turnLimit")   ? SKN_TURN_LIMIT_STANDARD
           : skn_str_is(key, "compactAt") ? SKN_COMPACT_AT_STANDARD
                                          : 0;
}

/* "date,person" */
static skn_str listed(skn_cli *cli, skn_str text)
{
    skn_str one;
    skn_buf b;
    skn_jw  w;

    skn_jw_open(&w, &b, 8 * text.n + 8);
    skn_jw_array(&w);
    while (skn_str_split(&text, ',', &one))
        if (skn_str_trim(one).n)
            skn_jw_str(&w, skn_str_trim(one));
    skn_jw_array_end(&w);
    return skn_buf_keep(&b, cli->keep);
}

/* A setting that is an object may be given as the name of a file that holds it. */
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
        *out = skn_str_is(key, "promptFacts") ? listed(cli, *out) : quoted(cli, *out);
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
    return skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not a whole number from %lld to %lld",
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

/* A server merges what it gets into what it has: what is to go is named there, down to the last level. */
static void write_instead(skn_jw *w, const skn_json *old, const skn_json *value)
{
    if (value->kind != SKN_JSON_OBJECT || !old || old->kind != SKN_JSON_OBJECT) {
        skn_jw_raw(w, value->raw);
        return;
    }
    skn_jw_object(w);
    for (const skn_json *m = old->first; m; m = m->next)
        if (!skn_json_member(value, m->key)) {
            skn_jw_key_str(w, m->key);
            skn_jw_null(w);
        }
    for (const skn_json *m = value->first; m; m = m->next) {
        skn_jw_key_str(w, m->key);
        write_instead(w, skn_json_member(old, m->key), m);
    }
    skn_jw_object_end(w);
}

static void write_setting(skn_jw *w, const skn_json *old, skn_str key, const skn_json *value)
{
    const char *dot = memchr(key.p, '.', key.n);
    skn_str     name = dot ? skn_str_sub(key, 0, (size_t)(dot - key.p)) : key;

    skn_jw_key_str(w, name);
    if (!dot) {
        write_instead(w, skn_json_member(old, name), value);
        return;
    }
    skn_jw_object(w);
    write_setting(w, skn_json_member(old, name), skn_str_sub(key, name.n + 1, key.n), value);
    skn_jw_object_end(w);
}

/* These are the world's own, not its settings'. */
static bool is_own(skn_str key)
{
    return skn_str_is(key, "description") || skn_str_is(key, "turnLimit") ||
           skn_str_is(key, "compactAt");
}

static skein_rc send_setting(skn_cli *cli, skn_str key, skn_str value, const skn_json **now)
{
    const skn_json *was, *v;
    skn_door_body   b;
    skn_jw         *w;
    skein_rc        rc;

    if ((rc = skn_json_parse(&v, value, "the value", cli->keep, &cli->err)) ||
        (rc = skn_door_get(cli, &was, "%s", cli->door->world)))
        return rc;
    w = skn_door_body_begin(cli, &b);
    if (is_own(key)) {
        write_setting(w, was, key, v);
    } else {
        skn_jw_kobject(w, "settings");
        write_setting(w, skn_json_get(was, "settings"), key, v);
        skn_jw_object_end(w);
    }
    return skn_send(cli, &b, "PATCH", NULL, cli->dry_run ? "{world}?dryRun=true" : "{world}",
                    now);
}

/* What the configuration of this run does not allow, that of a server that runs here may: it has the last word. */
static skein_rc set_world(skn_cli *cli, const skein_world *world, const skn_json **now)
{
    skn_str     key = skn_arg(cli, 0), value;
    skein_error refused;
    skn_server  server;
    bool        found = false;
    skein_rc    rc;

    if ((rc = value_of(cli, key, &value)) || !(rc = send_setting(cli, key, value, now)) ||
        skn_is_elsewhere(cli) || cli->dry_run)
        return rc;
    refused = cli->err;
    if (skn_discover_here(cli, &server, &found) || !found) {
        cli->err = refused;
        return rc;
    }
    cli->err = (skein_error){.rc = SKEIN_OK};
    skn_door_begin(cli, &server);
    skn_door_enter(cli, world);
    return send_setting(cli, key, value, now);
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
    const skn_json *answer = skn_server_told(cli, "/settings"), *set;

    set = skn_json_get(skn_json_get(answer, "configuration"), "tools.commands");
    return skn_json_get(set, "value") && !skn_door_flag(set, "value");
}

static void note_commands(skn_cli *cli, const skein_world *was, const skein_world *now)
{
    if (!skn_is_elsewhere(cli) &&
        skn_world_new_command(now->settings, was->settings, cli->keep).p &&
        has_deaf_server(cli))
        skn_note(cli, "Commands are switched off in the server that runs here "
                      "(tools.commands): it does not start this one.");
}

skein_rc skn_cmd_world_set(skn_cli *cli)
{
    bool            gone = removes(cli);
    skein_world     world, was;
    const skn_json *now;
    skein_rc        rc;

    if ((rc = skn_need_world(cli, &was)) || (rc = set_world(cli, &was, &now)))
        return as_typed(cli, rc);
    if (skn_dry(cli, NULL, gone ? "remove {.0} of {.world}" : "set {.0} of {.world}"))
        return SKEIN_OK;
    skn_door_read_world(cli, now, &world);
    note_commands(cli, &was, &world);
    return skn_world_tell(
        cli, now,
        gone ? "{.0} of {name} is removed. \"skein world show\" shows what holds.\n"
             : "{.0} of {name} is set. \"skein world show\" shows what holds.\n");
}

/* The tool servers of a world. The server that runs them knows their state; without a server none
 * of them runs. */

static skein_rc print_server(skn_cli *cli, const skn_json *v)
{
    skn_say(cli, v,
            "{sender name 16}  {state} over {transport}"
            "[restarts:, started again {restarts} time{restarts s}][reason:: {line reason}]\n"
            "[stderr:[state!=ready:    the end of its standard error:\n{block stderr 6}]]");
    for (const skn_json *t = skn_first(v, "tools"); t; t = t->next) {
        skn_print_raw(cli, SKN_STR("    "));
        skn_print_line(cli, t->text, 0);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    return SKEIN_OK;
}

skein_rc skn_cmd_world_tools(skn_cli *cli)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_need_world(cli, NULL);

    if (rc || (rc = skn_door_to_server(cli)) ||
        (rc = skn_read_all(cli, NULL, "{world}/tool-servers", 0, &list)) ||
        (rc = skn_say_list(cli, &list, print_server)))
        return rc;
    if (!cli->json && !list.n)
        skn_say(cli, NULL, "{.world} has no tool servers (docs/worlds.md).\n");
    return SKEIN_OK;
}
