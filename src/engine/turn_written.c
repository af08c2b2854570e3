/* turn_written.c: what agents have written before their end: saved as it comes, and kept as a message when no more of it
 * will come. */
#include "base/utf8.h"
#include "engine/act.h"
#include "engine/engine.h"

/* --- As it comes ------------------------------------------------------------------------------------------------- */

typedef struct save_call {
    skein_piece *pieces;
    size_t       count;
} save_call;

static skein_rc save(skn_tx *tx, void *arg, skein_error *err)
{
    const save_call *c = arg;
    skein_rc         rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < c->count; i++)
        if (c->pieces[i].text.n)
            rc = skn_written_add(tx, &c->pieces[i], err);
    return rc;
}

/* A text may have come up to the middle of a character. */
static void cut_to_text(skein_piece *p)
{
    size_t bad;

    p->saved = false;
    if (!skn_utf8_valid(p->text, &bad))
        p->text.n = bad;
}

skein_rc skein_turns_save(skein_engine *e, skein_piece *pieces, size_t count, skein_error *err)
{
    save_call c = {pieces, count};

    for (size_t i = 0; i < count; i++)
        cut_to_text(&pieces[i]);
    return count ? skn_store_write(e->store, save, &c, err) : SKEIN_OK;
}

/* --- Kept as a message -------------------------------------------------------------------------------------------- */

static skein_rc keep_call(skn_working *w, const skein_turn *t, const skein_model_call *call,
                          skn_str message, skein_error *err)
{
    skein_model_call k;

    if (!call)
        return SKEIN_OK;
    k = *call;
    k.agent = t->agent;
    k.turn = t->id;
    return skn_call_keep_with(w->tx, &k, &w->chat, message, w->a, err);
}

static skein_rc append_partial(skn_working *w, const skein_turn *t, const skein_partial *p,
                               const skein_new_message *n, bool *kept, skein_error *err)
{
    const skein_model_call *call = p->call;
    const skein_step        used = {.tokens_in = call ? call->tokens_in : -1,
                                    .tokens_out = call ? call->tokens_out : -1,
                                    .estimated = call && call->estimated};
    skein_append_request    r = {
           .conversation = {w->chat.id}, .lane = t->lane_key, .messages = n, .count = 1};
    skein_messages stored;
    skein_rc       rc = skn_append_in(w->e, w->tx, &w->chat, &r, w->now, w->a, &stored, err);

    *kept = rc == SKEIN_OK;
    if (rc)
        return rc == SKEIN_CONFLICT ? SKEIN_OK : rc; /* its id was taken */
    skn_tell_completed(w, t, &stored.at[0], skn_str_of(skein_unfinished_name(n->unfinished)),
                       &used);
    return SKEIN_OK;
}

/* As much as a message can hold; calls that were begun are no part of it. */
static skein_rc keep_text(skn_working *w, const skein_turn *t, const skein_partial *p,
                          skein_unfinished why, bool *kept, skein_error *err)
{
    const skein_new_message n = {.uid = t->message_uid,
                                 .role = SKEIN_ASSISTANT,
                                 .sender = t->agent_name,
                                 .content = skn_text_fit(w->e, p->text),
                                 .thinking = skn_text_fit(w->e, p->thinking),
                                 .reply_to = t->trigger_uid,
                                 .model = p->call && p->call->model.n ? p->call->model
                                                                      : t->model,
                                 .turn_uid = t->uid,
                                 .unfinished = why};

    if (skn_str_trim(n.content).n == 0 || skn_check_new(w->e, &n, NULL))
        return SKEIN_OK;
    return append_partial(w, t, p, &n, kept, err);
}

/* Of a message that the turn has stored meanwhile nothing is left to be kept. */
static bool is_of(const skein_partial *p, const skein_turn *t)
{
    return p->turn == t->id &&
           (!p->message_uid.p || skn_str_eq(p->message_uid, t->message_uid));
}

/* How the model was asked is kept also when nothing of its answer is: it has cost something. */
skein_rc skn_keep_partial(skn_working *w, const skn_turn_row *row, const skein_partial *p,
                          skein_unfinished why, bool *kept, skein_error *err)
{
    const skein_turn *t = &row->turn;
    skein_rc          rc = SKEIN_OK;

    *kept = false;
    if (row->open_calls == 0 && !w->silent && is_of(p, t))
        rc = keep_text(w, t, p, why, kept, err);
    return rc ? rc : keep_call(w, t, p->call, *kept ? t->message_uid : SKN_NONE, err);
}

skein_rc skn_keep_written(skn_working *w, const skn_turn_row *row, skein_unfinished why,
                          bool *kept, skein_error *err)
{
    const skein_stop *given = w->written;
    skein_partial     saved = {.turn = row->turn.id};
    skein_rc          rc;

    for (size_t i = 0; given && i < given->partial_count; i++)
        if (is_of(&given->partials[i], &row->turn))
            return skn_keep_partial(w, row, &given->partials[i], why, kept, err);
    rc = skn_written_of(w->tx, row->turn.id, w->a, &saved.text, &saved.thinking, err);
    return rc ? rc : skn_keep_partial(w, row, &saved, why, kept, err);
}
