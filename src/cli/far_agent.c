#include "cli/far_agent.h"
#include "base/error.h"
#include "cli/place.h"

static const char *agent_path(skn_cli *cli, const skein_agent *agent, const char *rest)
{
    return skn_arena_printf(cli->keep, "%s/agents/%s%s", cli->door->world,
                            skn_far_part(cli, agent->name), rest)
        .p;
}

/* A body that is answered with the agent. */
static skein_rc send(skn_far_body *b, const char *method, const char *path, skein_agent *agent)
{
    const skn_json *v;
    skein_rc        rc = skn_far_send(b, method, path, &v);

    if (!rc)
        skn_far_read_agent(b->cli, v, agent);
    return rc;
}

skein_rc skn_far_agent_do(skn_cli *cli, const char *what, skein_agent *agent)
{
    const char  *path = agent_path(cli, agent, skn_arena_printf(cli->keep, "/%s", what).p);
    skn_far_body b;

    skn_far_body_begin(cli, &b);
    return send(&b, "POST", path, agent);
}

skein_rc skn_far_agent_timer(skn_cli *cli, int64_t ms, skein_agent *agent)
{
    skn_far_body b;

    skn_jw_kint(skn_far_body_begin(cli, &b), "runEvery", ms);
    return send(&b, "PATCH", agent_path(cli, agent, ""), agent);
}

skein_rc skn_far_agent_new(skn_cli *cli, skein_agent *agent)
{
    skn_far_body b;
    skn_jw      *w = skn_far_body_begin(cli, &b);

    skn_jw_kstr(w, "name", agent->name);
    skn_jw_kstr(w, "systemPrompt", agent->system_prompt);
    skn_jw_kstr(w, "model", agent->model);
    skn_jw_kstr(w, "lead", agent->lead_name);
    return send(&b, "POST", skn_arena_printf(cli->keep, "%s/agents", cli->door->world).p,
                agent);
}

/* An option that was given; an empty one removes what it is about. */
static void write_option(skn_cli *cli, skn_jw *w, const char *option, const char *member)
{
    const char *given = skn_opt(cli, option);

    if (given)
        skn_jw_kstr(w, member, *given ? skn_str_of(given) : SKN_NONE);
}

bool skn_is_usual(skn_str value)
{
    return skn_str_is(value, "all") || skn_str_is(value, "default");
}

/* "recall,remember"; "all": every one. */
static void write_tools(skn_cli *cli, skn_jw *w)
{
    skn_str names = skn_str_of(skn_opt(cli, "tools")), one;

    if (!names.p)
        return;
    skn_jw_key(w, "tools");
    if (skn_is_usual(names)) {
        skn_jw_null(w);
        return;
    }
    skn_jw_array(w);
    while (skn_str_split(&names, ',', &one))
        if (skn_str_trim(one).n)
            skn_jw_str(w, skn_str_trim(one));
    skn_jw_array_end(w);
}

/* A number, which was checked; "default": as many as its model gives. */
static void write_tokens(skn_cli *cli, skn_jw *w)
{
    skn_str value = skn_str_of(skn_opt(cli, "max-tokens"));
    int64_t n;

    if (!value.p)
        return;
    skn_jw_key(w, "maxTokens");
    if (skn_str_int(value, &n))
        skn_jw_int(w, n);
    else
        skn_jw_null(w);
}

skein_rc skn_far_agent_edit(skn_cli *cli, skn_str model, skein_agent *agent)
{
    skn_far_body b;
    skn_jw      *w = skn_far_body_begin(cli, &b);

    write_option(cli, w, "prompt", "systemPrompt");
    write_option(cli, w, "lead", "lead");
    if (skn_opt(cli, "model"))
        skn_jw_kstr(w, "model", model);
    write_tools(cli, w);
    write_tokens(cli, w);
    return send(&b, "PATCH", agent_path(cli, agent, ""), agent);
}

skein_rc skn_far_agent_remove(skn_cli *cli, const skein_agent *agent, bool force)
{
    const skn_json *none;

    return skn_far_change(cli, "DELETE", agent_path(cli, agent, force ? "?force=true" : ""),
                          SKN_NONE, &none);
}

skein_rc skn_far_tell(skn_cli *cli, const skein_agent *agent, const skein_tell *what,
                      skein_message *out, const skn_json **whole)
{
    skn_far_body b;
    skn_jw      *w = skn_far_body_begin(cli, &b);
    skein_rc     rc;

    skn_jw_kstr(w, "text", what->text);
    skn_jw_kstr(w, "from", what->from);
    skn_jw_kbool(w, "responseExpected", what->response_expected);
    if (!(rc = skn_far_send(&b, "POST", agent_path(cli, agent, "/tell"), whole)))
        skn_far_read_message(cli, *whole, out, NULL, NULL);
    return rc;
}

skein_rc skn_far_knowledge(skn_cli *cli, const skein_agent *agent, skn_str words, size_t most,
                           skein_knowledges *out)
{
    const char *query =
        words.p ? skn_arena_printf(cli->keep, "/knowledge?q=%s", skn_far_part(cli, words)).p
                : "/knowledge";
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, agent_path(cli, agent, query), most, &list);

    *out = (skein_knowledges){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_knowledge)};
    for (size_t i = 0; !rc && i < list.n; i++)
        out->at[out->count++] = (skein_knowledge){
            .uid = skn_far_text(list.p[i], "id"),
            .type = skn_far_text(list.p[i], "type"),
            .content = skn_far_text(list.p[i], "content"),
            .confidence = skn_far_int(list.p[i], "confidence", 0),
            .chat_uid = skn_far_text(list.p[i], "chatId"),
            .message_uid = skn_far_text(list.p[i], "messageId"),
            .created_at = skn_far_time(list.p[i], "createdAt")};
    return rc;
}

/* --- Tasks -------------------------------------------------------------------------------- */

static void read_task(const skn_json *v, skein_task *out)
{
    *out = (skein_task){.uid = skn_far_text(v, "id"),
                        .agent_name = skn_far_text(v, "agent"),
                        .assigned_by = skn_far_text(v, "assignedBy"),
                        .source = skn_far_text(v, "source"),
                        .content = skn_far_text(v, "content"),
                        .status = skn_far_text(v, "status"),
                        .running = skn_far_flag(v, "running"),
                        .waits = skn_far_flag(v, "running") &&
                                 skn_str_is(skn_far_text(v, "label"), "waiting"),
                        .waits_for = skn_far_text(v, "waitsFor"),
                        .question = skn_far_text(v, "question"),
                        .inbox_uid = skn_far_text(v, "inboxId"),
                        .attempts = skn_far_int(v, "attempts", 0),
                        .last_error = skn_far_text(v, "lastError"),
                        .result = skn_far_text(v, "result"),
                        .not_before = skn_far_time(v, "notBefore"),
                        .message_uid = skn_far_text(v, "messageId"),
                        .created_at = skn_far_time(v, "createdAt"),
                        .completed_at = skn_far_time(v, "completedAt")};
}

skein_rc skn_far_task_new(skn_cli *cli, const skein_agent *agent, skein_task *task)
{
    const skn_json *v;
    skn_far_body    b;
    skein_rc        rc;

    skn_jw_kstr(skn_far_body_begin(cli, &b), "content", task->content);
    if (!(rc = skn_far_send(&b, "POST", agent_path(cli, agent, "/tasks"), &v)))
        read_task(v, task);
    return rc;
}

skein_rc skn_far_tasks(skn_cli *cli, const skein_agent *agent, skn_str status, size_t most,
                       skein_tasks *out)
{
    const char *query =
        status.p ? skn_arena_printf(cli->keep, "/tasks?status=%s", skn_far_part(cli, status)).p
                 : "/tasks";
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, agent_path(cli, agent, query), most, &list);

    *out = (skein_tasks){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_task)};
    for (size_t i = 0; !rc && i < list.n; i++)
        read_task(list.p[i], &out->at[out->count++]);
    return rc;
}

skein_rc skn_far_task(skn_cli *cli, skn_str uid, skein_task *out)
{
    const skn_json *v;
    skein_rc rc = skn_far_get(cli, &v, "%s/tasks/%s", cli->door->world, skn_far_part(cli, uid));

    if (!rc)
        read_task(v, out);
    return rc;
}

static skein_rc change_task(skn_cli *cli, const char *method, skn_str uid, const char *rest,
                            skein_task *out)
{
    skn_str         path = skn_arena_printf(cli->keep, "%s/tasks/%s%s", cli->door->world,
                                            skn_far_part(cli, uid), rest);
    const skn_json *v;
    skein_rc        rc = skn_far_change(cli, method, path.p, SKN_NONE, &v);

    if (!rc)
        read_task(v, out);
    return rc;
}

skein_rc skn_far_task_cancel(skn_cli *cli, skn_str uid, skein_task *out)
{
    return change_task(cli, "DELETE", uid, "", out);
}

skein_rc skn_far_task_retry(skn_cli *cli, skn_str uid, skein_task *out)
{
    return change_task(cli, "POST", uid, "/retry", out);
}

static void read_item(const skn_json *v, skein_inbox_item *out)
{
    const skn_json *args = skn_json_get(v, "args"), *defined = skn_json_get(v, "definition");

    *out = (skein_inbox_item){.uid = skn_far_text(v, "id"),
                              .kind = skn_far_text(v, "type"),
                              .world_name = skn_far_text(v, "world"),
                              .agent = skn_far_text(v, "agent"),
                              .title = skn_far_text(v, "title"),
                              .content = skn_far_text(v, "content"),
                              .chat_uid = skn_far_text(v, "chatId"),
                              .message_uid = skn_far_text(v, "messageId"),
                              .work_chat_uid = skn_far_text(v, "workChatId"),
                              .work_message_uid = skn_far_text(v, "workMessageId"),
                              .briefing_uid = skn_far_text(v, "briefingId"),
                              .call_id = skn_far_text(v, "toolCallId"),
                              .task_uid = skn_far_text(v, "taskId"),
                              .tool = skn_far_text(v, "tool"),
                              .args = args && args->kind != SKN_JSON_NULL ? args->raw
                                                                          : SKN_NONE,
                              .definition_state = skn_far_text(v, "definitionState"),
                              .answer = skn_far_text(v, "answer"),
                              .reason = skn_far_text(v, "reason"),
                              .result = skn_far_text(v, "result"),
                              .open = skn_far_flag(v, "open"),
                              .read_at = skn_far_time(v, "readAt"),
                              .done_at = skn_far_time(v, "doneAt"),
                              .snoozed_until = skn_far_time(v, "snoozedUntil"),
                              .created_at = skn_far_time(v, "createdAt")};
    if (defined && defined->kind != SKN_JSON_NULL)
        out->definition = defined->raw;
}

/* "world=NAME", or nothing. */
static const char *of_world(skn_cli *cli, const char *before)
{
    if (!cli->door->world)
        return "";
    return skn_arena_printf(cli->keep, "%sworld=%s", before,
                            cli->door->world + sizeof "/worlds/" - 1)
        .p;
}

skein_rc skn_far_inbox(skn_cli *cli, const skein_inbox_query *what, skein_inbox *out)
{
    const char *state = what->done < 0 ? "all" : what->done ? "done" : "open";
    const char *kind = what->kind.p
                           ? skn_arena_printf(cli->keep, "&type=%.*s", SKN_FMT(what->kind)).p
                           : "";
    const char *path =
        skn_arena_printf(cli->keep, "/inbox?state=%s%s%s", state, kind, of_world(cli, "&")).p;
    const skn_json *counts;
    skn_json_list   list = {0};
    skein_rc        rc;

    if ((rc = skn_far_all(cli, path, what->limit, &list)) ||
        (rc = skn_far_get(cli, &counts, "/inbox/unread-count%s", of_world(cli, "?"))))
        return rc;
    *out = (skein_inbox){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_inbox_item),
                         .unread = skn_far_int(counts, "unread", 0),
                         .needs_you = skn_far_int(counts, "needsYou", 0)};
    for (size_t i = 0; i < list.n; i++)
        read_item(list.p[i], &out->at[out->count++]);
    return SKEIN_OK;
}

skein_rc skn_far_inbox_count(skn_cli *cli, size_t most, size_t *out)
{
    const char *path = skn_arena_printf(cli->keep, "/inbox?fields=id%s", of_world(cli, "&")).p;
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, path, most, &list);

    *out = list.n;
    return rc;
}

/* The text of a briefing is kept beside the item. */
static skein_rc read_briefing(skn_cli *cli, skein_inbox_item *item)
{
    const skn_json *v;
    skein_rc        rc;

    if (!item->briefing_uid.n)
        return SKEIN_OK;
    rc = skn_far_get(cli, &v, "/briefings/%s", skn_far_part(cli, item->briefing_uid));
    if (!rc)
        item->briefing = skn_far_text(v, "text");
    return rc;
}

skein_rc skn_far_inbox_get(skn_cli *cli, skn_str id, skein_inbox_item *out)
{
    const skn_json *v;
    skein_rc        rc = skn_far_get(cli, &v, "/inbox/%s", skn_far_part(cli, id));

    if (rc)
        return rc;
    read_item(v, out);
    return read_briefing(cli, out);
}

skein_rc skn_far_inbox_set(skn_cli *cli, skn_str id, const skein_inbox_change *what,
                           skein_inbox_item *out)
{
    const char     *path = skn_arena_printf(cli->keep, "/inbox/%s", skn_far_part(cli, id)).p;
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);
    skein_rc        rc;

    if (what->read >= 0)
        skn_jw_kbool(w, "read", what->read > 0);
    if (what->done >= 0)
        skn_jw_kbool(w, "done", what->done > 0);
    if (what->snoozed_until >= 0)
        skn_jw_ktime(w, "snoozedUntil", what->snoozed_until);
    if (!(rc = skn_far_send(&b, "PATCH", path, &v)))
        read_item(v, out);
    return rc;
}

skein_rc skn_far_inbox_answer(skn_cli *cli, const skein_inbox_item *item, skn_str text,
                              skein_inbox_item *out, skein_message *told,
                              const skn_json **whole)
{
    const char *path =
        skn_arena_printf(cli->keep, "/inbox/%s/answer", skn_far_part(cli, item->uid)).p;
    bool         decide = skn_str_is(item->kind, "approval");
    skn_far_body b;
    skein_rc     rc;

    skn_jw_kstr(skn_far_body_begin(cli, &b), decide ? "decision" : "text", text);
    if ((rc = skn_far_send(&b, "POST", path, whole)))
        return rc;
    read_item(skn_json_get(*whole, "item"), out);
    told->uid = skn_far_text(skn_json_get(*whole, "message"), "messageId");
    return SKEIN_OK;
}
