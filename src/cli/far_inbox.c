#include "cli/far_inbox.h"

#include "base/error.h"
#include "cli/place.h"

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
