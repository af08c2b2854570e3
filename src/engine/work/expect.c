/* expect.c: answers that agents wait for: open until they come, answered once; what comes after that is
 * surplus. */
#include "engine/work/act.h"

skein_rc skn_expect_answer(skn_working *w, const skein_agent *asker, int64_t asked,
                           int64_t message, int64_t task, skein_error *err)
{
    skn_expected_row row = {.world_id = asker->world.v,
                            .asker_id = asker->id.v,
                            .asked_id = asked,
                            .message_id = message,
                            .task_id = task,
                            .shown = {.state = SKN_STR("open"), .created_at = w->now}};

    return skn_expected_insert(w->tx, &row, err);
}

skein_rc skn_expect_person(skn_acting *c, skein_error *err)
{
    int64_t task = c->row.turn.task;

    return task ? skn_expect_answer(c->w, &c->me, 0, c->row.step_message_id, task, err)
                : SKEIN_OK;
}

static skein_rc add_surplus(skn_working *w, skn_expected_row row, int64_t answer,
                            skein_error *err)
{
    row.answer_id = answer;
    row.task_id = 0;
    row.shown.state = SKN_STR("surplus");
    row.shown.created_at = row.closed_at = w->now;
    return skn_expected_insert(w->tx, &row, err);
}

/* What a word of `asked` to `asker` answers. */
static skein_rc find_expected(skn_working *w, int64_t asker, int64_t asked, int64_t reply_to,
                              skn_expected_row *row, bool *found, skein_error *err)
{
    skein_rc rc = reply_to ? skn_expected_of(w->tx, reply_to, asked, w->a, row, found, err)
                           : skn_expected_first(w->tx, asker, asked, w->a, row, found, err);

    *found = rc == SKEIN_OK && *found && row->asker_id == asker;
    return rc;
}

skein_rc skn_expect_settle(skn_working *w, int64_t asker, int64_t asked, int64_t reply_to,
                           int64_t answer, bool *answered, skein_error *err)
{
    skn_arena       *a = skn_arena_new();
    skn_expected_row row;
    bool             found;
    skein_rc         rc = find_expected(w, asker, asked, reply_to, &row, &found, err);

    *answered = false;
    if (found) {
        *answered = skn_str_is(row.shown.state, "open");
        if (*answered)
            rc = skn_expected_close(w->tx, row.id, "answered", answer, w->now, err);
        else if (skn_str_is(row.shown.state, "answered"))
            rc = add_surplus(w, row, answer, err);
    }
    skn_arena_free(a);
    return rc;
}

skein_rc skn_expect_answered(skn_working *w, int64_t question, int64_t asked, int64_t answer,
                             int64_t *asker, skein_error *err)
{
    skn_expected_row row;
    bool             found = false;
    skein_rc         rc = SKEIN_OK;

    *asker = 0;
    if (question)
        rc = skn_expected_of(w->tx, question, asked, w->a, &row, &found, err);
    if (rc || !found || !skn_str_is(row.shown.state, "open"))
        return rc;
    *asker = row.asker_id;
    return skn_expected_close(w->tx, row.id, "answered", answer, w->now, err);
}

/* --- Tasks that wait for them ------------------------------------------------------------------------------------ */

skein_rc skn_expect_waiting(skn_working *w, const skn_expected_row *row, int64_t *task,
                            skein_error *err)
{
    skn_task_row waits;
    bool         found = false;
    skein_rc     rc = SKEIN_OK;

    *task = 0;
    if (row->task_id && skn_str_is(row->shown.state, "open"))
        rc = skn_task_get(w->tx, row->task_id, w->a, &waits, &found, err);
    if (rc == SKEIN_OK && found && skn_str_is(waits.task.status, "pending"))
        *task = row->task_id;
    return rc;
}

skein_rc skn_expect_task(skn_working *w, int64_t asker, int64_t asked, int64_t reply_to,
                         int64_t *task, skein_error *err)
{
    skn_expected_row row;
    bool             found;
    skein_rc         rc = find_expected(w, asker, asked, reply_to, &row, &found, err);

    *task = 0;
    return rc || !found ? rc : skn_expect_waiting(w, &row, task, err);
}

skein_rc skn_expect_none(skn_working *w, const skn_expected_row *row, skn_str why,
                         skein_error *err)
{
    skn_heard     what = {.agent = row->asker_id, .sender = SKN_STR("system")};
    skein_message said;
    skein_rc      rc = skn_expect_waiting(w, row, &what.task, err);

    if (rc || !what.task)
        return rc;
    what.text = skn_arena_printf(w->a,
                                 "The system tells you: your question gets no answer, for "
                                 "%.*s. Go on without it, or say what you need.",
                                 SKN_FMT(why));
    rc = skn_background_say(w, &what, &said, NULL, err);
    if (skn_is_gone(rc)) /* with its world */
        return skn_expected_close(w->tx, row->id, "undeliverable", 0, w->now, err);
    return rc ? rc
              : skn_expected_close(w->tx, row->id, "undeliverable", said.id.v, w->now, err);
}

skein_rc skn_expect_drop(skn_working *w, int64_t agent, skein_error *err)
{
    skn_expected_list owed;
    skein_rc          rc = skn_expected_owed(w->tx, agent, w->a, &owed, err);

    for (size_t i = 0; rc == SKEIN_OK && i < owed.count; i++)
        rc = skn_expect_none(
            w, &owed.at[i],
            skn_arena_printf(w->a, "%.*s was removed", SKN_FMT(owed.at[i].shown.asked)), err);
    return rc ? rc : skn_expected_drop(w->tx, agent, w->now, err);
}
