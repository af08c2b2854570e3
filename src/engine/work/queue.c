/* queue.c: messages that wait until the agents of their chat are done. */
#include "engine/work/chat_work.h"

typedef struct queue_call {
    skein_conversation_id chat;
    skn_str               uid, content;
    skein_posted         *out;
} queue_call;

skein_rc skein_queue_list(skein_engine *e, skein_conversation_id chat, skein_mem *mem,
                          skein_queue *out, skein_error *err)
{
    skn_conversation_row row;
    skn_waiting_rows     rows = {0};
    skn_snapshot         s = {.store = e->store};

    *out = (skein_queue){0};
    while (skn_snapshot_next(&s, err))
        if (!(s.rc = skn_conversation_need(s.tx, chat, mem, &row, err)))
            s.rc = skn_waiting_list(s.tx, row.id, mem, &rows, err);
    if (!s.rc)
        out->at = SKN_ARRAY(mem, rows.count, skein_waiting);
    for (size_t i = 0; !s.rc && i < rows.count; i++)
        out->at[out->count++] = skn_waiting_of(&rows.at[i], mem);
    return s.rc;
}

static skein_rc queue_find(skn_tx *tx, skein_world_id world, skn_str uid, skein_mem *mem,
                           skein_posted *out, skein_conversation *home, skein_error *err)
{
    skn_conversation_row chat = {0};
    skn_waiting_row      row;
    bool                 found;
    skein_rc             rc = skn_waiting_anywhere(tx, uid, mem, &row, &found, err);

    if (rc == SKEIN_OK && found)
        rc = skn_conversation_row_get(tx, row.conversation_id, mem, &chat, &found, err);
    if (rc)
        return rc;
    if (!found || chat.world_id != world.v)
        return skn_fail(err, SKEIN_NOT_FOUND, "no message \"%.*s\" waits in this world",
                        SKN_FMT(uid));
    skn_show_waiting(&row, mem, out);
    return skn_conversation_fill(tx, &chat, mem, home, err);
}

skein_rc skein_queue_find(skein_engine *e, skein_world_id world, skein_str uid, skein_mem *mem,
                          skein_posted *out, skein_conversation *home, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    s.rc = skn_check_word(uid, "the message's id", SKN_WORD_MAX, err);
    while (skn_snapshot_next(&s, err))
        s.rc = queue_find(s.tx, world, uid, mem, out, home, err);
    return s.rc;
}

/* Holds the chat, and finds what is to be changed. */
static skein_rc find_waiting(queue_call *c, skn_working *w, skn_waiting_row *row,
                             skein_error *err)
{
    bool     found;
    skein_rc rc;

    if ((rc = skn_working_hold(w, c->chat, err)) ||
        (rc = skn_waiting_get(w->tx, w->chat.id, c->uid, w->a, row, &found, err)) || found)
        return rc;
    return skn_fail_hint(err, SKEIN_NOT_FOUND, "It may have been said meanwhile.",
                         "no message \"%.*s\" waits in this chat", SKN_FMT(c->uid));
}

static skein_rc change_queue(skein_engine *e, skein_mem *mem, queue_call *c, skn_job *job,
                             skein_error *err)
{
    skein_rc rc = skn_check_word(c->uid, "the message's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_write(e, mem, job, c, err);
}

static skein_rc queue_edit(skn_working *w, void *arg, skein_error *err)
{
    queue_call     *c = arg;
    skn_waiting_row row;
    skein_rc        rc;

    if ((rc = find_waiting(c, w, &row, err)) ||
        (rc = skn_waiting_edit(w, &row, c->content, err)))
        return rc;
    return skn_tell_queue(w, row.uid, err);
}

skein_rc skein_queue_edit(skein_engine *e, skein_conversation_id chat, skein_str uid,
                          skein_str content, skein_error *err)
{
    queue_call c = {.chat = chat, .uid = uid, .content = content};
    skein_rc rc = skn_check_new(e, &(skein_new_message){.role = SKEIN_USER, .content = content},
                                err);

    return rc ? rc : change_queue(e, NULL, &c, queue_edit, err);
}

/* Ends the streams of those who followed its effects. */
static skein_rc queue_remove(skn_working *w, void *arg, skein_error *err)
{
    queue_call     *c = arg;
    skn_waiting_row row;
    skein_rc        rc;

    if ((rc = find_waiting(c, w, &row, err)) || (rc = skn_waiting_delete(w->tx, row.id, err)) ||
        (rc = skn_tell_queue(w, row.uid, err)))
        return rc;
    skn_note_over(w, row.uid);
    return skn_settle(w, err);
}

skein_rc skein_queue_remove(skein_engine *e, skein_conversation_id chat, skein_str uid,
                            skein_error *err)
{
    queue_call c = {.chat = chat, .uid = uid};

    return change_queue(e, NULL, &c, queue_remove, err);
}

static skein_rc queue_send(skn_working *w, void *arg, skein_error *err)
{
    queue_call       *c = arg;
    skn_waiting_row   row;
    skn_delivery_rows pending;
    skein_rc          rc;

    if ((rc = find_waiting(c, w, &row, err)) || (rc = skn_sweep(w, &pending, err)) ||
        (rc = skn_say_waiting(w, &row, skn_in_room(&pending) == 0, c->out, err)) ||
        (rc = skn_tell_queue(w, c->out->message.uid, err)))
        return rc;
    skn_note_over(w, c->out->message.uid); /* unless somebody has to answer */
    return skn_settle(w, err);
}

skein_rc skein_queue_send(skein_engine *e, skein_conversation_id chat, skein_str uid,
                          skein_mem *mem, skein_posted *out, skein_error *err)
{
    queue_call c = {.chat = chat, .uid = uid, .out = out};

    return change_queue(e, mem, &c, queue_send, err);
}

/* Who is at work and who has to begin, seen at one moment: read one after the other, an
 * answer that hands on to the next agent would look like rest. */

static skein_rc work_now(skein_engine *e, int64_t world, int64_t chat, size_t limit,
                         skein_mem *mem, skein_turns *turns, skein_dues *dues, skein_error *err)
{
    skn_turn_rows rows = {0};
    skn_snapshot  s = {.store = e->store};

    *turns = (skein_turns){0};
    while (skn_snapshot_next(&s, err)) {
        s.rc = skn_turn_open_rows(s.tx, world, chat, mem, &rows, err);
        if (!s.rc && dues)
            s.rc = skn_due(s.tx, limit, mem, dues, err);
    }
    if (!s.rc)
        turns->at = SKN_ARRAY(mem, rows.count, skein_turn);
    for (size_t i = 0; !s.rc && i < rows.count; i++)
        turns->at[turns->count++] = rows.at[i].turn;
    return s.rc;
}

skein_rc skein_work_now(skein_engine *e, skein_world_id world, skein_conversation_id chat,
                        size_t limit, skein_mem *mem, skein_turns *turns, skein_dues *dues,
                        skein_error *err)
{
    *dues = (skein_dues){0};
    return work_now(e, world.v, chat.v, limit, mem, turns, dues, err);
}

skein_rc skein_turns_open(skein_engine *e, skein_world_id world, skein_conversation_id chat,
                          skein_mem *mem, skein_turns *out, skein_error *err)
{
    return work_now(e, world.v, chat.v, 0, mem, out, NULL, err);
}
