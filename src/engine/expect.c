/* expect.c: answers that agents wait for: open until they come, answered once; what comes after that is
 * surplus. */
#include "engine/act.h"

skein_rc skn_expect_answer(skn_tx *tx, int64_t world, int64_t asker, int64_t asked,
                           int64_t message, int64_t now, skein_error *err)
{
    skn_expected_row row = {.world_id = world,
                            .asker_id = asker,
                            .asked_id = asked,
                            .message_id = message,
                            .shown = {.state = SKN_STR("open"), .created_at = now}};

    return skn_expected_insert(tx, &row, err);
}

static skein_rc add_surplus(skn_tx *tx, skn_expected_row row, int64_t answer, int64_t now,
                            skein_error *err)
{
    row.answer_id = answer;
    row.shown.state = SKN_STR("surplus");
    row.shown.created_at = row.closed_at = now;
    return skn_expected_insert(tx, &row, err);
}

skein_rc skn_expect_settle(skn_tx *tx, int64_t asker, int64_t asked, int64_t reply_to,
                           int64_t answer, int64_t now, bool *answered, skein_error *err)
{
    skn_arena       *a = skn_arena_new();
    skn_expected_row row;
    bool             found;
    skein_rc         rc = reply_to ? skn_expected_of(tx, reply_to, asked, a, &row, &found, err)
                                   : skn_expected_first(tx, asker, asked, a, &row, &found, err);

    *answered = false;
    if (rc == SKEIN_OK && found && row.asker_id == asker) {
        *answered = skn_str_is(row.shown.state, "open");
        if (*answered)
            rc = skn_expected_answer(tx, row.id, answer, now, err);
        else if (skn_str_is(row.shown.state, "answered"))
            rc = add_surplus(tx, row, answer, now, err);
    }
    skn_arena_free(a);
    return rc;
}

skein_rc skn_expect_answered(skn_tx *tx, int64_t question, int64_t asked, int64_t answer,
                             int64_t now, skn_arena *a, int64_t *asker, skein_error *err)
{
    skn_expected_row row;
    bool             found = false;
    skein_rc         rc = SKEIN_OK;

    *asker = 0;
    if (question)
        rc = skn_expected_of(tx, question, asked, a, &row, &found, err);
    if (rc || !found || !skn_str_is(row.shown.state, "open"))
        return rc;
    *asker = row.asker_id;
    return skn_expected_answer(tx, row.id, answer, now, err);
}

skein_rc skn_expect_drop(skn_tx *tx, int64_t agent, int64_t now, skein_error *err)
{
    return skn_expected_drop(tx, agent, now, err);
}

/* --- For those who look ------------------------------------------------------------------------------------------ */

typedef struct list_call {
    int64_t          world, agent;
    skein_mem       *mem;
    skein_expecteds *out;
} list_call;

static skein_rc expected_list(skn_tx *tx, void *arg, skein_error *err)
{
    list_call *c = arg;

    return skn_expected_rows(tx, c->world, c->agent, c->mem, c->out, err);
}

skein_rc skein_expected_list(skein_engine *e, skein_world_id world, skein_agent_id agent,
                             skein_mem *mem, skein_expecteds *out, skein_error *err)
{
    list_call c = {world.v, agent.v, mem, out};

    *out = (skein_expecteds){0};
    return skn_store_read(e->store, expected_list, &c, err);
}
