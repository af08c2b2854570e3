/* Agents: making, listing, changing, pausing and waking them, telling them something, giving them tasks. */
#include "cli/commands.h"
#include "cli/default_model.h"
#include "cli/unanswered.h"
#include "runtime/runtime.h"

#define LISTED_MOST 1000
#define AGENT       "{world}/agents/{name}"

skein_rc skn_agent_named(skn_cli *cli, skn_str name, const skn_json **out)
{
    skn_str  bare = skn_str_sub(name, skn_str_starts(name, SKN_STR("@")), name.n);
    skein_rc rc = skn_door_get(cli, out, "%s/agents/%s", cli->door->world,
                               skn_door_part(cli, bare));

    return skn_missing(cli, rc, "agent");
}

static skein_rc find_agent(skn_cli *cli, const skn_json **out)
{
    skein_rc rc = skn_need_world(cli, NULL);

    return rc ? rc : skn_agent_named(cli, skn_arg(cli, 0), out);
}

/* --- Showing ------------------------------------------------------------------------------ */

void skn_agent_line(skn_cli *cli, const skn_json *a, skn_str usual)
{
    size_t row = skn_row_begin(cli);

    skn_say(cli, a,
            "  @{sender name 16}[state!=idle:" SKN_DOING "]" SKN_WAITS
            "[waitingMessages:  {waitingMessages} message{waitingMessages s} queued]"
            "[lead:  works for @{lead}]  {dim model}");
    if (!skn_has(a, "model")) {
        skn_print_colour(cli, SKN_DIM, usual);
        skn_print_raw(cli, SKN_STR(" (default)"));
    }
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

skein_rc skn_cmd_agent_ls(skn_cli *cli)
{
    skn_json_list agents = {0};
    skn_str       usual;
    skein_rc      rc = skn_read_all(cli, NULL, "{world}/agents", 0, &agents);

    if (rc || cli->json)
        return rc ? rc : skn_say_list(cli, &agents, NULL);
    usual = skn_default_model_shown(cli);
    for (size_t i = 0; i < agents.n; i++)
        skn_agent_line(cli, agents.p[i], usual);
    return SKEIN_OK;
}

skein_rc skn_cmd_agent_show(skn_cli *cli)
{
    const skn_json *agent, *tools;
    skein_rc        rc = find_agent(cli, &agent);

    if (rc || cli->json)
        return rc ? rc : skn_door_item(cli, agent);
    skn_agent_line(cli, agent, skn_default_model_shown(cli));
    skn_print_last_turn(cli, agent);
    skn_print_outlook(cli, agent, "  ");
    tools = skn_json_get(agent, "tools"); /* an agent without a list has every tool */
    skn_say(cli, agent, "  id {id}, in {.world} since {time createdAt}\n  tools: ");
    skn_say(cli, agent,
            !tools || tools->kind != SKN_JSON_ARRAY ? "all\n"
                                                    : "[tools:{list tools}][!tools:none]\n");
    skn_say(cli, agent,
            "[fallback:  when its model cannot answer: {fallback}\n]"
            "[noTools:  offered none: {noTools}\n]"
            "[maxTokens:  tokens of an answer: at most {maxTokens}\n]"
            "[temperature:  temperature: {temperature}\n][topP:  topP: {topP}\n]"
            "[seed:  seed: {seed}\n][stop:  stops at: {list stop}\n]"
            "[effort:  effort: {effort}\n][thinkingTokens:  thinkingTokens: {thinkingTokens}\n]"
            "[schema:  answers in JSON by a schema: agent show {name} --json=schema\n]"
            "[systemPrompt:  system prompt\n{block systemPrompt 4}]");
    return SKEIN_OK;
}

/* --- Making, changing, removing ----------------------------------------------------------- */

static skein_rc agent_would_be(skn_cli *cli)
{
    skn_json_list agents = {0};
    skn_str       name;
    skein_rc      rc = skn_name_normal(skn_arg(cli, 0), cli->keep, &name, &cli->err);

    if (!rc)
        rc = skn_read_all(cli, NULL, "{world}/agents", 0, &agents);
    for (size_t i = 0; !rc && i < agents.n; i++)
        if (skn_str_eq(skn_json_str(agents.p[i], "name"), name))
            rc = skn_fail(&cli->err, SKEIN_CONFLICT, "there is already an agent \"%.*s\"",
                          SKN_FMT(name));
    if (!rc)
        skn_would(cli, "make the agent %.*s", SKN_FMT(name));
    return rc;
}

skein_rc skn_cmd_agent_new(skn_cli *cli)
{
    const skn_json *agent = NULL;
    skn_door_body   b;
    skn_str         model;
    skein_rc        rc = skn_need_world(cli, NULL);

    if (rc || (rc = skn_model_option(cli, &model)))
        return rc;
    if (cli->dry_run)
        return agent_would_be(cli);
    skn_jw_kstr(skn_door_body_begin(cli, &b), "name", skn_arg(cli, 0));
    skn_jw_kstr(&b.w, "systemPrompt", skn_str_of(skn_opt(cli, "prompt")));
    skn_jw_kstr(&b.w, "model", model);
    skn_jw_kstr(&b.w, "lead", skn_str_of(skn_opt(cli, "lead")));
    rc = skn_send(cli, &b, "POST", NULL, "{world}/agents", &agent);
    return skn_tell(
        cli, rc, agent,
        "Made the agent {name} in {.world}. Take it back with \"skein agent rm {name}\".\n");
}

skein_rc skn_cmd_agent_rm(skn_cli *cli)
{
    const skn_json *agent;
    skein_rc        rc = find_agent(cli, &agent);

    if (rc || (rc = skn_confirm(cli, "Remove this agent?", false)))
        return rc;
    return skn_do(cli,
                  &(skn_deed){"DELETE", skn_opt(cli, "force") ? AGENT "?force=true" : AGENT,
                              "remove the agent {name}",
                              "Removed the agent {name}. What it said stays.\n", true},
                  NULL, &agent);
}

/* "all" and "default" of --tools and --max-tokens: as if it had never been said. */
static bool is_usual(skn_str value)
{
    return skn_str_is(value, "all") || skn_str_is(value, "default");
}

/* Tools of servers have "__" in their names, and may come later. */
static skein_rc check_tools(skn_cli *cli)
{
    skn_str names = skn_str_of(skn_opt(cli, "tools")), name;

    while (!is_usual(names) && skn_str_split(&names, ',', &name)) {
        name = skn_str_trim(name);
        if (!name.n || skn_str_find(name, SKN_STR("__")) >= 0 ||
            skn_str_ends(name, SKN_STR("*")) || skn_runtime_has_tool(name))
            continue;
        return skn_fail_hint(&cli->err, SKEIN_INVALID,
                             "docs/tools.md lists them; those of servers are SERVER__NAME",
                             "there is no tool \"%.*s\"", SKN_FMT(name));
    }
    return SKEIN_OK;
}

static skein_rc check_tokens(skn_cli *cli)
{
    skn_str value = skn_str_of(skn_opt(cli, "max-tokens"));
    int64_t n;

    if (!value.p || is_usual(value) ||
        (skn_str_int(value, &n) && n >= 1 && n <= SKN_AGENT_TOKENS_MOST))
        return SKEIN_OK;
    return skn_fail(&cli->err, SKEIN_USAGE,
                    "\"%.*s\" must be a whole number from 1 to 1000000000, or default",
                    SKN_FMT(value));
}

/* "recall,remember"; "all": every one. */
static void write_tools(skn_jw *w, skn_str names)
{
    skn_str one;

    if (is_usual(names)) {
        skn_jw_knull(w, "tools");
        return;
    }
    skn_jw_karray(w, "tools");
    while (skn_str_split(&names, ',', &one))
        if (skn_str_trim(one).n)
            skn_jw_str(w, skn_str_trim(one));
    skn_jw_array_end(w);
}

/* "topP=0.9", "effort=low", "stop=["END"]", "seed=": JSON, or else a text; nothing takes it back. */
static void write_settings(skn_cli *cli, skn_jw *w)
{
    const skn_json *json;
    const char     *one;
    size_t          at = 0;

    while ((one = skn_opt_next(cli, "set", &at))) {
        skn_str value = skn_str_of(one), key;

        skn_str_split(&value, '=', &key);
        skn_jw_key_str(w, key);
        if (!value.n)
            skn_jw_null(w);
        else if (!skn_json_parse(&json, value, "the value", cli->keep, NULL))
            skn_jw_raw(w, json->raw);
        else
            skn_jw_str(w, value);
    }
}

static skein_rc check_settings(skn_cli *cli)
{
    const char *one;
    size_t      at = 0;

    while ((one = skn_opt_next(cli, "set", &at)))
        if (skn_str_find(skn_str_of(one), SKN_STR("=")) <= 0)
            return skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" must be like topP=0.9", one);
    return SKEIN_OK;
}

static skein_rc check_fallback(skn_cli *cli)
{
    const char *given = skn_opt(cli, "fallback");

    return given && skn_is_model_name(given) ? skn_need_provider_of(cli, skn_str_of(given))
                                             : SKEIN_OK;
}

static void write_edit(skn_cli *cli, skn_jw *w, skn_str model)
{
    skn_str tools = skn_str_of(skn_opt(cli, "tools"));
    skn_str most = skn_str_of(skn_opt(cli, "max-tokens"));

    skn_body_option(cli, w, "prompt", "systemPrompt");
    skn_body_option(cli, w, "lead", "lead");
    skn_body_option(cli, w, "fallback", "fallback");
    if (skn_opt(cli, "model"))
        skn_jw_kstr(w, "model", model);
    if (tools.p)
        write_tools(w, tools);
    if (most.p)
        skn_jw_kraw(w, "maxTokens", is_usual(most) ? SKN_STR("null") : most);
    write_settings(cli, w);
}

skein_rc skn_cmd_agent_edit(skn_cli *cli)
{
    static const skn_deed deed = {"PATCH", AGENT, "change the agent {name}",
                                  "Changed the agent {name}. What it said stays.\n", false};
    const skn_json       *agent;
    skn_door_body         b;
    skn_str               model;
    skein_rc              rc;

    if ((rc = find_agent(cli, &agent)) || (rc = skn_model_option(cli, &model)) ||
        (rc = check_tools(cli)) || (rc = check_tokens(cli)) || (rc = check_settings(cli)) ||
        (rc = check_fallback(cli)))
        return rc;
    if (!skn_opt(cli, "prompt") && !skn_opt(cli, "model") && !skn_opt(cli, "lead") &&
        !skn_opt(cli, "tools") && !skn_opt(cli, "max-tokens") && !skn_opt(cli, "fallback") &&
        !skn_opt(cli, "set"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "give what is to change: --prompt, --model, --lead, --tools, "
                        "--fallback, --max-tokens or --set");
    write_edit(cli, skn_door_body_begin(cli, &b), model);
    return skn_do(cli, &deed, &b, &agent);
}

/* --- Pause, wake, timer ------------------------------------------------------------------- */

/* Without a server the agent does nothing yet: then `does` says what it will do ("begins"). */
static skein_rc order(skn_cli *cli, const skn_deed *deed, skn_door_body *b,
                      const skn_json *agent, const char *does)
{
    skein_rc rc = skn_do(cli, deed, b, &agent);

    if (!rc && does && !cli->dry_run)
        skn_note_nobody(cli, skn_json_str(agent, "name"), does);
    return rc;
}

skein_rc skn_cmd_agent_pause(skn_cli *cli)
{
    static const skn_deed deed = {
        "POST", AGENT "/pause", "pause {name}",
        "{name} starts no new work. To resume: skein agent resume {name}\n", true};
    const skn_json *agent;
    skein_rc        rc = find_agent(cli, &agent);

    return rc ? rc : order(cli, &deed, NULL, agent, NULL);
}

skein_rc skn_cmd_agent_resume(skn_cli *cli)
{
    static const skn_deed deed = {"POST", AGENT "/resume", "resume {name}",
                                  "{name} continues with waiting work.\n", true};
    const skn_json       *agent;
    skein_rc              rc = find_agent(cli, &agent);

    return rc ? rc : order(cli, &deed, NULL, agent, "goes on");
}

/* A paused agent begins nothing, woken or not. */
skein_rc skn_cmd_agent_wake(skn_cli *cli)
{
    static const skn_deed deed = {
        "POST", AGENT "/wake", "wake {name}",
        "[!paused:{name} looks for work now. Watch it: skein inspect {name}\n]"
        "[paused:{name} is paused: it looks for work when it is resumed. Resume it with "
        "\"skein agent resume {name}\".\n]",
        true};
    const skn_json *agent;
    skein_rc        rc = find_agent(cli, &agent);

    return rc ? rc : order(cli, &deed, NULL, agent, skn_has(agent, "paused") ? NULL : "begins");
}

skein_rc skn_cmd_agent_timer(skn_cli *cli)
{
    static const skn_deed deed = {
        "PATCH", AGENT, "set the timer of {name} to {.1}",
        "[!runEvery:{name} has no timer.\n]"
        "[runEvery:{name} gets a task every {.1}. End that with \"skein agent timer {name} "
        "off\".\n]",
        true};
    const skn_json *agent;
    skn_door_body   b;
    skn_str         text = skn_arg(cli, 1);
    int64_t         ms = 0;
    skein_rc        rc;

    if (!skn_str_is(text, "off") &&
        (!skn_amount_duration(text, &ms) || ms == 0 || !skn_timer_is_one(ms)))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"%.*s\" is not off and no time " SKN_TIMER_RANGE, SKN_FMT(text));
    if ((rc = find_agent(cli, &agent)))
        return rc;
    skn_jw_kint(skn_door_body_begin(cli, &b), "runEvery", ms);
    return order(cli, &deed, &b, agent, ms ? "begins" : NULL);
}

/* --- Tell and task ------------------------------------------------------------------------ */

skn_str skn_args_joined(skn_cli *cli, size_t from)
{
    skn_buf b;

    skn_buf_init(&b, SIZE_MAX);
    for (size_t i = from; i < cli->arg_count; i++)
        skn_buf_addf(&b, "%s%s", i > from ? " " : "", cli->args[i]);
    return skn_buf_keep(&b, cli->keep);
}

skein_rc skn_arg_text(skn_cli *cli, size_t from, skn_str *out)
{
    if (cli->arg_count == from + 1 && skn_str_is(skn_arg(cli, from), "-"))
        return skn_read_file(cli, "-", SKN_TEXT_LIMIT, out);
    *out = skn_args_joined(cli, from);
    return skn_str_trim(*out).n ? SKEIN_OK
                                : skn_fail(&cli->err, SKEIN_USAGE, "there is no text");
}

skein_rc skn_cmd_agent_tell(skn_cli *cli)
{
    const skn_json *agent, *from = NULL, *told = NULL;
    skn_door_body   b;
    skn_str         text;
    skein_rc        rc;

    if ((rc = find_agent(cli, &agent)) || (rc = skn_arg_text(cli, 1, &text)) ||
        (skn_opt(cli, "from") &&
         (rc = skn_agent_named(cli, skn_str_of(skn_opt(cli, "from")), &from))))
        return rc;
    if (skn_would(cli, "tell %.*s %zu bytes", SKN_FMT(skn_json_str(agent, "name")), text.n))
        return SKEIN_OK;
    skn_jw_kstr(skn_door_body_begin(cli, &b), "text", text);
    skn_jw_kstr(&b.w, "from", skn_json_str(from, "name"));
    skn_jw_kbool(&b.w, "responseExpected", skn_opt(cli, "expect-reply") != NULL);
    if ((rc = skn_send(cli, &b, "POST", agent, AGENT "/tell", &told)))
        return rc;
    if (!cli->json)
        skn_say(cli, agent, "Told {name} as ");
    rc = skn_tell(cli, SKEIN_OK, told, "{messageId}, in its background. Watch it: ");
    if (!cli->json)
        skn_say(cli, agent, "skein inspect {name}\n");
    skn_note_nobody(cli, skn_json_str(agent, "name"), "reads it");
    return rc;
}

skein_rc skn_cmd_agent_task(skn_cli *cli)
{
    const skn_json *agent, *task;
    skn_door_body   b;
    skn_str         text;
    skein_rc        rc;

    if ((rc = find_agent(cli, &agent)) || (rc = skn_arg_text(cli, 1, &text)))
        return rc;
    if (skn_would(cli, "give %.*s a task of %zu bytes", SKN_FMT(skn_json_str(agent, "name")),
                  text.n))
        return SKEIN_OK;
    skn_jw_kstr(skn_door_body_begin(cli, &b), "content", text);
    if ((rc = skn_send(cli, &b, "POST", agent, AGENT "/tasks", &task)))
        return rc;
    rc = skn_tell(cli, SKEIN_OK, task,
                  "{agent} has the task {id}. Take it back with \"skein task cancel {id}\".\n");
    skn_note_nobody(cli, skn_json_str(agent, "name"), "begins");
    return rc;
}

/* --- Its knowledge ------------------------------------------------------------------------ */

skein_rc skn_cmd_agent_memory(skn_cli *cli)
{
    const char     *path = "{world}/agents/{name}/knowledge";
    const skn_json *agent;
    skn_json_list   list = {0};
    skn_str         words = SKN_NONE;
    skein_rc        rc;

    if ((rc = find_agent(cli, &agent)) ||
        (cli->arg_count > 1 && (rc = skn_arg_text(cli, 1, &words))))
        return rc;
    if (words.p)
        path = skn_arena_text(cli->keep, "%s?q=%s", path, skn_door_part(cli, words));
    rc = skn_read_all(cli, agent, path, LISTED_MOST, &list);
    rc = skn_tell_list(cli, rc, &list,
                       "{yellow id}  {type 10}  {confidence 3} %  {line content}\n", NULL);
    if (!rc && !cli->json && !list.n)
        skn_say(cli, agent,
                words.p ? "{name} has no notes with these words.\n"
                        : "{name} has no notes yet.\n");
    return rc;
}
