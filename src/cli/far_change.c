#include "cli/far_change.h"

#include "base/error.h"
#include "base/json_write.h"
#include "cli/place.h"
#include "cli/server_ask.h"

#include <inttypes.h>
#include <time.h>

#define LOOK_MS 200

/* A change says who makes it, and how. */
static skn_jw *begin(skn_cli *cli, const skein_change *how, skn_far_body *b)
{
    skn_jw *w = skn_far_body_begin(cli, b);

    if (how->dry_run) /* a look is not what the key is for */
        b->key = SKN_NONE;
    if (how->actor.p)
        skn_jw_kstr(w, "by", how->actor);
    if (how->dry_run)
        skn_jw_kbool(w, "dryRun", true);
    if (how->force)
        skn_jw_kbool(w, "force", true);
    return w;
}

static const char *chat_path(skn_cli *cli, const char *rest)
{
    return skn_arena_printf(cli->keep, "%s/%s", cli->door->chat, rest).p;
}

static void write_ids(skn_jw *w, const char *key, const skn_uids *ids)
{
    skn_jw_key(w, key);
    skn_jw_array(w);
    for (size_t i = 0; i < ids->n; i++)
        skn_jw_str(w, ids->p[i]);
    skn_jw_array_end(w);
}

/* --- Operations --------------------------------------------------------------------------- */

static skein_rc operate(skn_far_body *b, skein_version *out, skein_message *made)
{
    const skn_json *v;
    skein_rc        rc = skn_far_send(b, "POST", chat_path(b->cli, "operations"), &v);

    if (rc)
        return rc;
    skn_far_read_version(v, out);
    if (made)
        *made = (skein_message){.uid = skn_far_text(v, "messageId")};
    return SKEIN_OK;
}

skein_rc skn_far_amend(skn_cli *cli, const skein_change *how, skn_str target, skn_str text,
                       skein_version *out, skein_message *amended)
{
    skn_far_body b;
    skn_jw      *w = begin(cli, how, &b);

    skn_jw_kstr(w, "op", SKN_STR("edit"));
    skn_jw_kstr(w, "messageId", target);
    skn_jw_kstr(w, "content", text);
    return operate(&b, out, amended);
}

skein_rc skn_far_insert(skn_cli *cli, const skein_change *how, skn_str before, skn_str text,
                        skein_version *out, skein_message *inserted)
{
    skn_far_body b;
    skn_jw      *w = begin(cli, how, &b);

    skn_jw_kstr(w, "op", SKN_STR("insert"));
    skn_jw_kstr(w, "content", text);
    skn_jw_kstr(w, "before", before);
    return operate(&b, out, inserted);
}

skein_rc skn_far_delete(skn_cli *cli, const skein_change *how, const skn_uids *ids,
                        skein_version *out)
{
    skn_far_body b;
    skn_jw      *w = begin(cli, how, &b);

    skn_jw_kstr(w, "op", SKN_STR("delete"));
    write_ids(w, "messageIds", ids);
    return operate(&b, out, NULL);
}

skein_rc skn_far_reorder(skn_cli *cli, const skein_change *how, const skn_uids *ids,
                         skn_str before, skein_version *out)
{
    skn_far_body b;
    skn_jw      *w = begin(cli, how, &b);

    skn_jw_kstr(w, "op", SKN_STR("reorder"));
    write_ids(w, "messageIds", ids);
    skn_jw_kstr(w, "before", before);
    return operate(&b, out, NULL);
}

static void read_squash(skn_cli *cli, const skn_json *v, skein_squash *out)
{
    const skn_json *sources = skn_json_get(v, "sourceMessageIds");

    *out = (skein_squash){.uid = skn_far_text(v, "squashOperationId"),
                          .result = {.uid = skn_far_text(v, "resultMessageId"),
                                     .content = skn_far_text(v, "content")},
                          .prompt = skn_far_text(v, "prompt"),
                          .model = skn_far_text(v, "model"),
                          .by_agent = skn_far_flag(v, "performedByAgent"),
                          .created_at = skn_far_time(v, "createdAt")};
    out->version.thread_uid = skn_far_text(v, "threadId");
    out->version.number = skn_far_version_number(skn_far_text(v, "version"));
    out->sources = SKN_ARRAY(cli->keep, (sources ? sources->count : 0) + 1, skein_str);
    for (const skn_json *s = sources ? sources->first : NULL; s; s = s->next)
        out->sources[out->source_count++] = s->text;
}

skein_rc skn_far_squash(skn_cli *cli, const skein_change *how, const skn_uids *ids,
                        skn_str text, skein_squash *out)
{
    skn_far_body    b;
    skn_jw         *w = begin(cli, how, &b);
    const skn_json *v;
    skein_rc        rc;

    write_ids(w, "sourceMessageIds", ids);
    skn_jw_kstr(w, "content", text);
    if (!(rc = skn_far_send(&b, "POST", chat_path(cli, "squashes"), &v)))
        read_squash(cli, v, out);
    return rc;
}

skein_rc skn_far_squash_get(skn_cli *cli, skn_str uid, skein_squash *out)
{
    const skn_json *v;
    skein_rc        rc = skn_far_get(cli, &v, "%s/squashes/%s", cli->door->world,
                                     skn_far_part(cli, uid));

    if (!rc)
        read_squash(cli, v, out);
    return rc;
}

skein_rc skn_far_purge(skn_cli *cli, const skein_change *how, const skn_uids *ids,
                       const skn_json **out)
{
    skn_far_body b;
    skn_jw      *w = begin(cli, how, &b);

    if (ids->n)
        write_ids(w, "messageIds", ids);
    else
        skn_jw_kbool(w, "unreachable", true);
    return skn_far_send(&b, "POST", chat_path(cli, "purge"), out);
}

skein_rc skn_far_append(skn_cli *cli, const skn_append *what, const skn_json **out)
{
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);
    skein_rc        rc;

    if (what->lane.p)
        skn_jw_kstr(w, "lane", what->lane);
    if (what->call_id.p)
        skn_jw_kstr(w, "spawnCallId", what->call_id);
    if (what->strict)
        skn_jw_kbool(w, "strict", true);
    skn_jw_key(w, "messages");
    skn_jw_array(w);
    for (size_t i = 0; i < what->count; i++)
        skn_jw_raw(w, what->messages[i]);
    skn_jw_array_end(w);
    rc = skn_far_send(&b, "POST", chat_path(cli, "messages"), &v);
    *out = rc ? NULL : skn_json_get(v, "messages");
    return rc;
}

/* --- Removal ------------------------------------------------------------------------------ */

static skein_removal_agent *read_counts(skn_cli *cli, const skn_json *v, size_t *count)
{
    skein_removal_agent *out = SKN_ARRAY(cli->keep, (v ? v->count : 0) + 1,
                                         skein_removal_agent);

    *count = 0;
    for (const skn_json *m = v ? v->first : NULL; m; m = m->next) {
        out[*count].name = m->key;
        skn_str_int(m->text, &out[(*count)++].count);
    }
    return out;
}

/* "t_….12" in quotes: where the conversation stands. */
static void read_state(skn_str etag, skein_version *out)
{
    size_t dot = etag.n;

    while (dot > 0 && etag.p[dot - 1] != '.')
        dot--;
    if (dot < 2 || etag.n < dot + 1)
        return;
    out->thread_uid = skn_str_sub(etag, 1, dot - 1);
    skn_str_int(skn_str_sub(etag, dot, etag.n - 1), &out->length);
}

static void read_preview(skn_cli *cli, const skn_json *v, skein_removal *out)
{
    out->preview = SKN_ARRAY(cli->keep, (v ? v->count : 0) + 1, skein_removal_line);
    for (const skn_json *m = v ? v->first : NULL; m; m = m->next)
        out->preview[out->preview_count++] = (skein_removal_line){
            skn_far_text(m, "messageId"), skn_far_text(m, "sender"), skn_far_text(m, "text")};
}

static skein_rc count_removal(skn_cli *cli, const char *path, skein_removal *out)
{
    const skn_json *v;
    skein_rc        rc = skn_far_get(cli, &v, "%s", path);

    if (rc)
        return rc;
    *out = (skein_removal){.message_uid = skn_far_text(v, "messageId"),
                           .count = skn_far_int(v, "count", 0),
                           .is_first = skn_far_flag(v, "isFirst"),
                           .delegations = skn_far_int(v, "delegations", 0),
                           .side_effects = skn_far_int(v, "sideEffects", -1),
                           .tool_results = skn_far_int(v, "toolResults", -1),
                           .briefings = skn_far_int(v, "briefings", 0),
                           .preview_skipped = skn_far_int(v, "previewSkipped", 0)};
    read_preview(cli, skn_json_get(v, "preview"), out);
    out->by_sender = read_counts(cli, skn_json_get(v, "byAgent"), &out->by_sender_count);
    out->by_agent = read_counts(cli, skn_json_get(v, "removedByAgent"), &out->by_agent_count);
    read_state(skn_far_text(v, "etag"), &out->previous);
    return SKEIN_OK;
}

static void read_removal(skn_cli *cli, const skn_json *v, skein_removal *out)
{
    *out = (skein_removal){.message_uid = skn_far_text(v, "messageId"),
                           .count = skn_far_int(v, "messagesRemovedTotal", 0),
                           .delegations = skn_far_int(v, "delegations", 0),
                           .side_effects = skn_far_int(v, "sideEffects", -1),
                           .added = {.uid = skn_far_text(v, "newMessageId")}};
    out->version.thread_uid = skn_far_text(v, "threadId");
    out->version.number = skn_far_version_number(skn_far_text(v, "version"));
    out->previous.thread_uid = skn_far_text(v, "previousThreadId");
    out->previous.number = skn_far_version_number(skn_far_text(v, "previousVersion"));
    out->by_agent = read_counts(cli, skn_json_get(v, "removedByAgent"), &out->by_agent_count);
}

skein_rc skn_far_remove(skn_cli *cli, const skein_change *how, skn_str target, skn_str text,
                        skein_removal *out)
{
    skn_far_body b;
    const char  *path = skn_arena_printf(cli->keep, "%s/messages/%s", cli->door->world,
                                         skn_far_part(cli, target))
                           .p;
    const skn_json *v;
    skn_jw         *w;
    skein_rc        rc;

    if (how->dry_run)
        return count_removal(cli,
                             skn_arena_printf(cli->keep, "%s/count?chatId=%s", path,
                                              skn_far_part(cli, cli->door->chat_uid))
                                 .p,
                             out);
    w = begin(cli, how, &b);
    skn_jw_kstr(w, "chatId", cli->door->chat_uid);
    if (text.p)
        skn_jw_kstr(w, "newContent", text);
    if (text.p && !how->wake)
        skn_jw_kbool(w, "answer", false);
    if (!(rc = skn_far_send(&b, text.p ? "PUT" : "DELETE", path, &v)))
        read_removal(cli, v, out);
    return rc;
}

skein_rc skn_far_edit_errors(skn_cli *cli, skein_edit_errors *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(
             cli, skn_arena_printf(cli->keep, "%s/edit-errors", cli->door->world).p, 0, &list);

    *out = (skein_edit_errors){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_edit_error)};
    for (size_t i = 0; !rc && i < list.n; i++)
        out->at[out->count++] = (skein_edit_error){
            .uid = skn_far_text(list.p[i], "id"),
            .chat_uid = skn_far_text(list.p[i], "chatId"),
            .message_uid = skn_far_text(list.p[i], "messageId"),
            .operation = skn_far_text(list.p[i], "operation"),
            .error = skn_far_text(list.p[i], "error"),
            .at = skn_far_time(list.p[i], "createdAt")};
    return rc;
}

/* --- Time travel -------------------------------------------------------------------------- */

static skein_rc read_move(skn_cli *cli, const skn_json *v, skein_move *out)
{
    *out = (skein_move){.what = skn_far_text(v, "move"),
                        .steps = skn_far_int(v, "steps", 0),
                        .newer = skn_far_int(v, "newerMessages", 0),
                        .returning = skn_far_int(v, "returning", -1),
                        .leaving = skn_far_int(v, "leaving", -1),
                        .side_effects = skn_far_int(v, "sideEffects", -1)};
    skn_far_read_version(v, &out->to);
    return skn_far_version(cli, 0, skn_far_text(v, "previousThreadId"), &out->from);
}

skein_rc skn_far_travel(skn_cli *cli, const skein_change *how, const char *move, int64_t where,
                        skein_move *out)
{
    const char     *match = cli->door->match;
    const skn_json *v;
    skein_version   to;
    skn_far_body    b;
    skn_jw         *w;
    skein_rc        rc;

    if (!move && (rc = skn_far_version(cli, where, SKN_NONE, &to)))
        return rc;
    w = begin(cli, how, &b);
    skn_jw_kstr(w, move ? "move" : "threadId", move ? skn_str_of(move) : to.thread_uid);
    if (move)
        skn_jw_kint(w, "steps", where);
    cli->door->match = match ? match
                             : "*"; /* a move must say from where, even if from anywhere */
    rc = skn_far_send(&b, "PUT", chat_path(cli, "currentThread"), &v);
    cli->door->match = match;
    return rc ? rc : read_move(cli, v, out);
}

skein_rc skn_far_branch(skn_cli *cli, int64_t version, int64_t length, skn_str title,
                        skein_conversation *out)
{
    const skein_change how = {.dry_run = false};
    const skn_json    *v;
    skein_version      from;
    skn_far_body       b;
    skn_jw            *w;
    skein_rc           rc = skn_far_version(cli, version, SKN_NONE, &from);

    if (rc)
        return rc;
    w = begin(cli, &how, &b);
    skn_jw_kstr(w, "threadId", from.thread_uid);
    skn_jw_kint(w, "length", length < 0 ? from.length : length);
    if (title.p)
        skn_jw_kstr(w, "title", title);
    if (!(rc = skn_far_send(&b, "POST", chat_path(cli, "branches"), &v)))
        skn_far_read_chat(cli, v, out);
    return rc;
}

/* --- Delegations -------------------------------------------------------------------------- */

static void read_delegation(const skn_json *v, skein_delegation *out)
{
    *out = (skein_delegation){.chat_uid = skn_far_text(v, "chatId"),
                              .key = skn_far_text(v, "delegationId"),
                              .parent_key = skn_far_text(v, "parent"),
                              .agent = skn_far_text(v, "agent"),
                              .asked_by = skn_far_text(v, "askedBy"),
                              .title = skn_far_text(v, "title"),
                              .spawn_call_id = skn_far_text(v, "spawnCallId"),
                              .spawn_message_uid = skn_far_text(v, "spawnMessageId"),
                              .waited = skn_far_flag(v, "waited"),
                              .messages = skn_far_int(v, "messageCount", 0),
                              .created_at = skn_far_time(v, "createdAt")};
    skn_lane_state_from(skn_far_text(v, "state"), &out->state);
}

skein_rc skn_far_delegation(skn_cli *cli, skn_str key, skein_delegation *out)
{
    const skn_json *v;
    skein_rc        rc = skn_far_get(cli, &v, "%s/delegations/%s?chatId=%s", cli->door->world,
                                     skn_far_part(cli, key), skn_far_part(cli, cli->door->chat_uid));

    if (!rc)
        read_delegation(v, out);
    return rc;
}

skein_rc skn_far_delegation_list(skn_cli *cli, skein_delegations *out)
{
    const char *path = skn_arena_printf(cli->keep, "%s/delegations?chatId=%s", cli->door->world,
                                        skn_far_part(cli, cli->door->chat_uid))
                           .p;
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, path, 0, &list);

    *out = (skein_delegations){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_delegation)};
    for (size_t i = 0; !rc && i < list.n; i++)
        read_delegation(list.p[i], &out->at[out->count++]);
    return rc;
}

/* The body of a change of delegations in this chat. */
static skn_jw *begin_delegation(skn_cli *cli, skn_far_body *b)
{
    const skein_change how = {.dry_run = cli->dry_run};
    skn_jw            *w = begin(cli, &how, b);

    skn_jw_kstr(w, "chatId", cli->door->chat_uid);
    return w;
}

skein_rc skn_far_delegation_new(skn_cli *cli, skn_str parent, skn_str call_id,
                                skein_delegation *out)
{
    const char     *path = skn_arena_printf(cli->keep, "%s/delegations", cli->door->world).p;
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = begin_delegation(cli, &b);
    skein_rc        rc;

    skn_jw_kstr(w, "parent", parent);
    skn_jw_kstr(w, "spawnCallId", call_id);
    if (!(rc = skn_far_send(&b, "POST", path, &v)))
        read_delegation(v, out);
    return rc;
}

skein_rc skn_far_delegation_finish(skn_cli *cli, skn_str key, skein_lane_state state,
                                   skein_delegation *out)
{
    const char *path = skn_arena_printf(cli->keep, "%s/delegations/%s", cli->door->world,
                                        skn_far_part(cli, key))
                           .p;
    const skn_json *v;
    skn_far_body    b;
    skein_rc        rc;

    skn_jw_kstr(begin_delegation(cli, &b), "state", skn_str_of(skn_lane_state_name(state)));
    if (!(rc = skn_far_send(&b, "PATCH", path, &v)))
        read_delegation(v, out);
    return rc;
}

skein_rc skn_far_delegation_do(skn_cli *cli, skn_str key, const char *what)
{
    const skein_change how = {.dry_run = false};
    const char *path = skn_arena_printf(cli->keep, "%s/delegations/%s/%s", cli->door->world,
                                        skn_far_part(cli, key), what)
                           .p;
    const skn_json *v;
    skn_far_body    b;

    skn_jw_kstr(begin(cli, &how, &b), "chatId", cli->door->chat_uid);
    return skn_far_send(&b, "POST", path, &v);
}

/* --- Answers ------------------------------------------------------------------------------ */

skein_rc skn_far_answer_again(skn_cli *cli, skn_str message, skn_str agent, bool without_tools)
{
    const skein_change how = {.dry_run = false};
    const char *path = skn_arena_printf(cli->keep, "%s/messages/%s/retry", cli->door->world,
                                        skn_far_part(cli, message))
                           .p;
    const skn_json *v;
    skn_far_body    b;

    skn_jw_kstr(begin(cli, &how, &b), "chatId", cli->door->chat_uid);
    skn_jw_kstr(&b.w, "agent", agent);
    skn_jw_kbool(&b.w, "tools", !without_tools);
    return skn_far_send(&b, "POST", path, &v);
}

/* --- Conversations ------------------------------------------------------------------------ */

skein_rc skn_far_chat_new(skn_cli *cli, skn_str title, skein_conversation *out)
{
    const skein_change how = {.dry_run = false};
    const char        *path = skn_arena_printf(cli->keep, "%s/chats", cli->door->world).p;
    const skn_json    *v;
    skn_far_body       b;
    skn_jw            *w = begin(cli, &how, &b);
    skein_rc           rc;

    if (title.p)
        skn_jw_kstr(w, "title", title);
    if (!(rc = skn_far_send(&b, "POST", path, &v)))
        skn_far_read_chat(cli, v, out);
    return rc;
}

skein_rc skn_far_chat_of(skn_cli *cli, skn_str agent, skein_mode mode, skein_conversation *out)
{
    const char     *path = skn_arena_printf(cli->keep, "%s/chats", cli->door->world).p;
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);
    skein_rc        rc;

    skn_jw_kstr(w, "mode", skn_str_of(skn_mode_name(mode)));
    skn_jw_kstr(w, "agent", agent);
    if (!(rc = skn_far_send(&b, "POST", path, &v)))
        skn_far_read_chat(cli, v, out);
    return rc;
}

skein_rc skn_far_set_current(skn_cli *cli, skn_str chat_uid)
{
    const skein_change how = {.dry_run = false};
    const skn_json    *v;
    skn_far_body       b;

    skn_jw_kstr(begin(cli, &how, &b), "currentChatId", chat_uid);
    return skn_far_send(&b, "PATCH", cli->door->world, &v);
}

/* --- Waiting ------------------------------------------------------------------------------ */

/* Of the whole world, which a server tells at once: work that waits counts like work under way. */
skein_rc skn_far_wait_idle(skn_cli *cli)
{
    const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000L};
    const skn_json       *world;
    skein_rc              rc;

    while (!(rc = skn_far_get(cli, &world, "%s/status", cli->door->world)) &&
           skn_far_flag(world, "isProcessing"))
        nanosleep(&nap, NULL);
    return rc;
}
