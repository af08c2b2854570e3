/* background.c: an agent's own conversations, and what others say into its background. */
#include "base/utf8.h"
#include "engine/act.h"

skein_rc skn_own_conversation(skein_engine *e, skn_tx *tx, skn_arena *a, int64_t agent,
                              skein_mode mode, skn_conversation_row *out, skein_error *err)
{
    skein_rc rc = skn_conversation_own(tx, agent, mode, SKN_NOW(), a, out, err);

    (void)e;
    return rc ? rc : skn_conversation_take(tx, (skein_conversation_id){out->id}, a, out, err);
}

skn_str skn_said_by(const skein_engine *e, skn_arena *a, skn_str prefix, skn_str text)
{
    size_t room = prefix.n < e->max_text ? e->max_text - prefix.n : 0;

    text = skn_utf8_cut(text, room);
    return skn_arena_printf(a, "%.*s%.*s", SKN_FMT(prefix), SKN_FMT(text));
}

static skein_rc say(skein_engine *e, skn_tx *tx, skn_arena *a, const skn_conversation_row *chat,
                    const skn_heard *what, int64_t now, skein_message *out, skein_error *err)
{
    skein_new_message    n = {.role = SKEIN_USER,
                              .sender = what->sender,
                              .content = what->text,
                              .instructions = what->instructions,
                              .instruction_count = what->instruction_count};
    skein_append_request r = {.conversation = {chat->id}, .messages = &n, .count = 1};
    skein_messages       stored;
    skein_rc             rc;

    if ((rc = skn_check_new(e, &n, err)) ||
        (rc = skn_append_in(e, tx, chat, &r, now, a, &stored, err)) ||
        (rc = skn_copy_add(tx, stored.at[0].id.v, what->of[0], err)) ||
        (rc = skn_copy_add(tx, stored.at[0].id.v, what->of[1], err)))
        return rc;
    *out = stored.at[0];
    skn_feed_message(tx, chat, "message.created", out, what->cause, NULL);
    return SKEIN_OK;
}

/* Several reports that nobody has looked at yet are one reason to wake up; and who has more to do than
 * may wait for it wakes up anyhow. */
static skein_rc find_wake_up(skn_tx *tx, skn_arena *a, const skn_heard *what, skein_task *task,
                             bool *found, skein_error *err)
{
    skn_task_row row;
    int64_t      id = 0, waiting = 0;
    skein_rc     rc = SKEIN_OK;

    *found = false;
    if (skn_str_is(skn_str_of(what->source), "report"))
        rc = skn_task_of_source(tx, what->agent, what->source, true, &id, err);
    if (rc == SKEIN_OK && id == 0) {
        rc = skn_task_pending(tx, what->agent, &waiting, err);
        *found = waiting >= SKN_TASKS_MAX;
    }
    if (rc || id == 0 || (rc = skn_task_get(tx, id, a, &row, found, err)) || !*found)
        return rc;
    *task = row.task;
    return SKEIN_OK;
}

/* A task that asks again and again comes to an end like agents that wake each other: it has the hops that a new task
 * would have, and always the last one, for its result. */
static skein_rc go_on(skn_tx *tx, skn_arena *a, const skn_heard *what,
                      const skn_conversation_row *chat, skein_error *err)
{
    skn_task_row row;
    int64_t      hops;
    bool         found;
    skein_rc     rc = skn_task_get(tx, what->task, a, &row, &found, err);

    if (rc || !found)
        return rc;
    hops = what->hops_left > 0 ? what->hops_left : row.hops_left - 1;
    skn_task_tell(tx, &row, chat, "task.queued");
    return skn_task_hops(tx, what->task, hops > 1 ? hops : 1, err);
}

skein_rc skn_background_say(skein_engine *e, skn_tx *tx, skn_arena *a, const skn_heard *what,
                            int64_t now, skein_message *message, skein_task *task,
                            skein_error *err)
{
    skn_task_row         row = {.task = {.agent = {what->agent},
                                         .source = skn_str_of(what->source),
                                         .content = what->text,
                                         .created_at = now},
                                .assigned_by_id = what->by,
                                .cause = what->cause,
                                .hops_left = what->hops_left};
    skn_conversation_row chat;
    bool                 found;
    skein_rc             rc;

    *task = (skein_task){0};
    if ((rc = skn_own_conversation(e, tx, a, what->agent, SKEIN_BACKGROUND, &chat, err)) ||
        (rc = say(e, tx, a, &chat, what, now, message, err)))
        return rc;
    if (what->task)
        return go_on(tx, a, what, &chat, err);
    if (what->hops_left < 1 || (rc = find_wake_up(tx, a, what, task, &found, err)) || found)
        return rc;
    row.task.world.v = chat.world_id;
    row.message_id = message->id.v;
    rc = skn_task_add(tx, a, &row, &chat, err);
    *task = row.task;
    return rc;
}
