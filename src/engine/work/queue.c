/* queue.c: messages that wait until the agents of their chat are done. */
#include "engine/work/chat_work.h"

typedef struct call {
    skein_engine         *e;
    skein_conversation_id chat;
    skn_str               uid, content;
    skein_mem            *mem;
    skein_queue          *list;
    skein_posted         *out;
    skein_world_id        world;
    skein_conversation   *home;
} call;

static skein_rc queue_list(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row chat;
    skn_waiting_rows     rows;
    skein_rc             rc;

    if ((rc = skn_conversation_need(tx, c->chat, c->mem, &chat, err)) ||
        (rc = skn_waiting_list(tx, chat.id, c->mem, &rows, err)))
        return rc;
    c->list->at = SKN_ARRAY(c->mem, rows.count, skein_waiting);
    c->list->count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        c->list->at[i] = rows.at[i].message;
    return SKEIN_OK;
}

skein_rc skein_queue_list(skein_engine *e, skein_conversation_id chat, skein_mem *mem,
                          skein_queue *out, skein_error *err)
{
    call c = {.e = e, .chat = chat, .mem = mem, .list = out};

    *out = (skein_queue){0};
    return skn_store_read(e->store, queue_list, &c, err);
}

static skein_rc queue_find(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row chat = {0};
    skn_waiting_row      row;
    skn_trees            f;
    bool                 found;
    skein_rc             rc = skn_waiting_anywhere(tx, c->uid, c->mem, &row, &found, err);

    if (rc == SKEIN_OK && found)
        rc = skn_conversation_row_get(tx, row.conversation_id, c->mem, &chat, &found, err);
    if (rc)
        return rc;
    if (!found || chat.world_id != c->world.v)
        return skn_fail(err, SKEIN_NOT_FOUND, "no message \"%.*s\" waits in this world",
                        SKN_FMT(c->uid));
    skn_show_waiting(&row, c->out);
    skn_trees_init(&f, tx, c->mem, chat.id);
    return skn_conversation_fill(&f, &chat, c->home, err);
}

skein_rc skein_queue_find(skein_engine *e, skein_world_id world, skein_str uid, skein_mem *mem,
                          skein_posted *out, skein_conversation *home, skein_error *err)
{
    call     c = {.uid = uid, .mem = mem, .out = out, .world = world, .home = home};
    skein_rc rc = skn_check_word(uid, "the message's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_store_read(e->store, queue_find, &c, err);
}

/* Holds the chat, and finds what is to be changed. */
static skein_rc find(call *c, skn_tx *tx, skn_working *w, skn_waiting_row *row,
                     skein_error *err)
{
    bool     found;
    skein_rc rc;

    if ((rc = skn_working_take(w, c->e, tx, c->mem, c->chat, err)) ||
        (rc = skn_waiting_get(tx, w->chat.id, c->uid, c->mem, row, &found, err)) || found)
        return rc;
    return skn_hint(err,
                    skn_fail(err, SKEIN_NOT_FOUND, "no message \"%.*s\" waits in this chat",
                             SKN_FMT(c->uid)),
                    "It may have been said meanwhile.");
}

static skein_rc change(call *c, skn_work *work, skein_error *err)
{
    skein_mem *scratch = c->mem ? NULL : skn_arena_new();
    skein_rc   rc = skn_check_word(c->uid, "the message's id", SKN_WORD_MAX, err);

    if (scratch)
        c->mem = scratch;
    if (rc == SKEIN_OK)
        rc = skn_store_write(c->e->store, work, c, err);
    skn_arena_free(scratch);
    return rc;
}

static skein_rc queue_edit(skn_tx *tx, void *arg, skein_error *err)
{
    call           *c = arg;
    skn_working     w;
    skn_waiting_row row;
    skein_rc        rc;

    if ((rc = find(c, tx, &w, &row, err)) ||
        (rc = skn_waiting_set(tx, row.id, c->content, err)))
        return rc;
    return skn_tell_queue(&w, row.message.uid, err);
}

skein_rc skein_queue_edit(skein_engine *e, skein_conversation_id chat, skein_str uid,
                          skein_str content, skein_error *err)
{
    call     c = {.e = e, .chat = chat, .uid = uid, .content = content};
    skein_rc rc = skn_check_new(e, &(skein_new_message){.role = SKEIN_USER, .content = content},
                                err);

    return rc ? rc : change(&c, queue_edit, err);
}

/* Who followed what it would cause is told that this is over. */
static skein_rc queue_remove(skn_tx *tx, void *arg, skein_error *err)
{
    call           *c = arg;
    skn_working     w;
    skn_waiting_row row;
    skein_rc        rc;

    if ((rc = find(c, tx, &w, &row, err)) || (rc = skn_waiting_delete(tx, row.id, err)) ||
        (rc = skn_tell_queue(&w, row.message.uid, err)))
        return rc;
    skn_note_over(&w, row.message.uid);
    return skn_working_done(&w, skn_settle(&w, err));
}

skein_rc skein_queue_remove(skein_engine *e, skein_conversation_id chat, skein_str uid,
                            skein_error *err)
{
    call c = {.e = e, .chat = chat, .uid = uid};

    return change(&c, queue_remove, err);
}

static skein_rc queue_send(skn_tx *tx, void *arg, skein_error *err)
{
    call             *c = arg;
    skn_working       w;
    skn_waiting_row   row;
    skn_delivery_rows pending;
    skein_rc          rc;

    if ((rc = find(c, tx, &w, &row, err)) || (rc = skn_sweep(&w, &pending, err)) ||
        (rc = skn_say_waiting(&w, &row, skn_in_room(&pending) == 0, c->out, err)) ||
        (rc = skn_tell_queue(&w, c->out->message.uid, err)))
        return rc;
    skn_note_over(&w, c->out->message.uid); /* unless somebody has to answer */
    return skn_working_done(&w, skn_settle(&w, err));
}

skein_rc skein_queue_send(skein_engine *e, skein_conversation_id chat, skein_str uid,
                          skein_mem *mem, skein_posted *out, skein_error *err)
{
    call c = {.e = e, .chat = chat, .uid = uid, .mem = mem, .out = out};

    return change(&c, queue_send, err);
}

/* Who is at work and who has to begin, seen at one moment: read one after the other, an
 * answer that hands on to the next agent would look like rest. */

typedef struct now_call {
    int64_t      world, chat;
    size_t       limit;
    skein_mem   *mem;
    skein_turns *turns;
    skein_dues  *dues;
} now_call;

static skein_rc work_now(skn_tx *tx, void *arg, skein_error *err)
{
    now_call     *c = arg;
    skn_turn_rows rows;
    skein_rc      rc = skn_turn_open_rows(tx, c->world, c->chat, c->mem, &rows, err);

    if (rc)
        return rc;
    c->turns->at = SKN_ARRAY(c->mem, rows.count, skein_turn);
    c->turns->count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        c->turns->at[i] = rows.at[i].turn;
    return c->dues ? skn_due(tx, c->limit, c->mem, c->dues, err) : SKEIN_OK;
}

skein_rc skein_work_now(skein_engine *e, skein_world_id world, skein_conversation_id chat,
                        size_t limit, skein_mem *mem, skein_turns *turns, skein_dues *dues,
                        skein_error *err)
{
    now_call c = {world.v, chat.v, limit, mem, turns, dues};

    *turns = (skein_turns){0};
    *dues = (skein_dues){0};
    return skn_store_read(e->store, work_now, &c, err);
}

skein_rc skein_turns_open(skein_engine *e, skein_world_id world, skein_conversation_id chat,
                          skein_mem *mem, skein_turns *out, skein_error *err)
{
    now_call c = {world.v, chat.v, 0, mem, out, NULL};

    *out = (skein_turns){0};
    return skn_store_read(e->store, work_now, &c, err);
}
