/* turn_doing.c: what an agent is at between the steps of its turn, for whoever looks: it writes, or its model is waited
 * for. Stored beside the steps, so it may come late: what was stored meanwhile counts. */
#include "engine/act.h"

typedef struct call {
    skein_engine     *e;
    const skein_turn *turn;
    skein_mem        *mem;
    skn_str           whom;
    int64_t           until;
    skn_turn_row      row;
    skn_working       w;
} call;

/* The turn, if it is still at the message that this is about. */
static skein_rc take_turn(skn_tx *tx, call *c, bool *same, skein_error *err)
{
    skein_rc rc = skn_turn_take(&c->w, c->e, tx, c->mem, c->turn, &c->row, err);

    *same = !rc && c->row.open_calls == 0 && !c->row.turn.writing &&
            skn_str_eq(c->row.turn.message_uid, c->turn->message_uid);
    return rc;
}

static skein_rc writing(skn_tx *tx, void *arg, skein_error *err)
{
    call    *c = arg;
    bool     same;
    skein_rc rc = take_turn(tx, c, &same, err);

    if (rc || !same)
        return rc;
    c->row.turn.writing = true;
    c->row.turn.tool = SKN_NONE;
    c->row.turn.waits = SKEIN_WAITS_NOT;
    c->row.turn.waits_until = 0;
    skn_tell_doing(&c->w, &c->row.turn);
    return skn_turn_write(tx, c->row.turn.id, err);
}

skein_rc skein_turn_writing(skein_engine *e, const skein_turn *turn, skein_error *err)
{
    call     c = {.e = e, .turn = turn, .mem = skn_arena_new()};
    skein_rc rc = skn_store_write(e->store, writing, &c, err);

    skn_arena_free(c.mem);
    return rc;
}

static skein_rc pause_turn(skn_tx *tx, void *arg, skein_error *err)
{
    call       *c = arg;
    skein_turn *t = &c->row.turn;
    bool        same, waits = c->until != 0;
    skein_rc    rc = take_turn(tx, c, &same, err);

    if (rc || !same ||
        (waits && (c->until <= c->w.now || t->waits == SKEIN_WAITS_FOR_PERSON)) ||
        (!waits && t->waits != SKEIN_WAITS_FOR_MODEL))
        return rc;
    t->tool = waits ? c->whom : SKN_NONE;
    t->waits = waits ? SKEIN_WAITS_FOR_MODEL : SKEIN_WAITS_NOT;
    t->waits_until = c->until;
    skn_tell_doing(&c->w, t);
    return skn_turn_move(tx, &c->row, err);
}

skein_rc skein_turn_pause(skein_engine *e, const skein_turn *turn, skein_str whom,
                          int64_t until, skein_error *err)
{
    call     c = {.e = e, .turn = turn, .mem = skn_arena_new(), .whom = whom, .until = until};
    skein_rc rc = until ? skn_check_word(whom, "whom it waits for", SKN_WORD_MAX, err)
                        : SKEIN_OK;

    if (!rc)
        rc = skn_store_write(e->store, pause_turn, &c, err);
    skn_arena_free(c.mem);
    return rc;
}
