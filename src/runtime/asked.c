/* asked.c: what was sent to a model and what came back, as it is kept for whoever wants to know what
 * the model saw. */
#include "runtime/run.h"

#include "base/clock.h"

#include <stdlib.h>

static int64_t now_ms(void)
{
    return skn_clock_monotonic() / 1000000;
}

void skn_asked_init(skn_asked *q)
{
    q->a = skn_arena_new();
    skn_thin_init(&q->response, SKN_RUN_RESPONSE);
}

static void forget_response(skn_asked *q)
{
    skn_thin_release(&q->response);
    free(q->whole);
    q->whole = NULL;
}

void skn_asked_begin(skn_asked *q, const skein_context *context)
{
    skn_arena_reset(q->a);
    q->pieces = NULL;
    q->piece_count = 0;
    q->made_of = SKN_NONE;
    q->context = context;
    q->began = now_ms();
    forget_response(q);
}

/* Which messages stand in each part: the texts that are sent have no ids, and equal ones cannot be told apart. */
static skn_str made_of(const skein_context *c, skn_arena *a)
{
    skn_buf b;
    skn_str out;

    skn_buf_init(&b, SIZE_MAX);
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < c->at[i].source_count; k++) {
            if (k)
                skn_buf_addc(&b, ' ');
            skn_buf_add(&b, c->at[i].sources[k]);
        }
        skn_buf_addc(&b, '\n');
    }
    out = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}

void skn_asked_sent(skn_asked *q, const skn_str *pieces, size_t count)
{
    skn_arena_reset(q->a);
    forget_response(q);
    q->pieces = SKN_ARRAY(q->a, count, skn_str);
    q->piece_count = count;
    q->made_of = q->context ? made_of(q->context, q->a) : SKN_NONE;
    for (size_t i = 0; i < count; i++)
        q->pieces[i] = skn_arena_copy(q->a, pieces[i]);
}

void skn_asked_received(skn_asked *q, skn_str bytes)
{
    free(q->whole); /* it is whole no more */
    q->whole = NULL;
    skn_thin_add(&q->response, bytes);
}

bool skn_asked_record(skn_asked *q, const skn_answer *answer, skn_str model,
                      const char *purpose, skein_model_call *out)
{
    if (!q->piece_count)
        return false;
    if (!q->whole)
        q->whole = skn_thin_text(&q->response);
    *out = (skein_model_call){.purpose = skn_str_of(purpose),
                              .model = model,
                              .pieces = q->pieces,
                              .piece_count = q->piece_count,
                              .made_of = q->made_of,
                              .response = {q->whole, q->response.n},
                              .state = skn_str_of(skn_ask_state_word(answer->state)),
                              .tokens_in = answer->tokens_in,
                              .tokens_out = answer->tokens_out,
                              .estimated = answer->estimated,
                              .first_ms = answer->first_ms,
                              .total_ms = now_ms() - q->began,
                              .tries = answer->tries > 0 ? answer->tries : 1,
                              .created_at = q->read_at};
    if (answer->error.rc)
        out->error = skn_str_of(answer->error.message);
    return true;
}

void skn_asked_release(skn_asked *q)
{
    skn_arena_free(q->a);
    forget_response(q);
}
