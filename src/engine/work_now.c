/* work_now.c: who is at work and who has to begin, seen at one moment: read one after the other, an
 * answer that hands on to the next agent would look like rest. */
#include "engine/chat_work.h"

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
