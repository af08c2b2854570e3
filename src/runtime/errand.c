/* errand.c: one question to a model outside of a turn: for a summary, a squash, or what is to be
 * remembered. Nothing of it is told while it is written. */
#include "runtime/run.h"

#include <stdlib.h>
#include <string.h>

struct skn_errand {
    skn_runtime         *r;
    skn_arena           *a;
    skn_asking          *asking;
    skn_timer           *soon; /* for an end that must not come from inside skn_errand_start */
    skn_asked            asked;
    skn_str              model;
    const char          *purpose;
    bool                 whole, called;
    skn_buf              text;
    skein_prompt_message message;
    skein_context        context;
    skn_answer           told; /* how it ended; the record borrows from it */
    skn_errand_answer    answer;
    skn_errand_done     *done;
    void                *arg;
};

static void on_sent(void *arg, const skn_str *pieces, size_t count)
{
    skn_errand *e = arg;

    skn_asked_sent(&e->asked, pieces, count);
}

static void on_received(void *arg, skn_str bytes)
{
    skn_errand *e = arg;

    skn_asked_received(&e->asked, bytes);
}

static void on_delta(void *arg, skn_part part, skn_str text)
{
    skn_errand *e = arg;

    if (part == SKN_PART_TEXT)
        skn_buf_add(&e->text, text);
}

/* No tool was offered: it is never run. */
static void on_call(void *arg, const skein_tool_call *call)
{
    skn_errand *e = arg;

    (void)call;
    e->called = true;
}

/* An answer that came, and is none. */
static skein_rc refuse(const skn_errand *e, skein_error *err)
{
    const char *finish = e->told.finish;

    if (e->text.over)
        return skn_fail(err, SKEIN_PROVIDER, "the answer is over %d MB", SKN_RUN_TEXT >> 20);
    if (e->whole && e->called) {
        skn_fail(err, SKEIN_PROVIDER, "the model called a tool instead of writing the text");
        return skn_hint(err, SKEIN_PROVIDER, "try again, or name another model");
    }
    if (e->whole && finish && strcmp(finish, "length") == 0) {
        skn_fail(err, SKEIN_PROVIDER,
                 "the answer was cut off: the model may not write a longer one");
        return skn_hint(err, SKEIN_PROVIDER, "name a model that may write more");
    }
    return e->answer.text.n ? SKEIN_OK
                            : skn_fail(err, SKEIN_PROVIDER, "the model answered with nothing");
}

static void on_done(void *arg, const skn_answer *answer)
{
    skn_errand *e = arg;

    e->asking = NULL;
    e->told = *answer;
    e->answer.error = answer->error;
    e->answer.limit = skn_arena_copy(e->a, answer->limit);
    e->answer.text = skn_str_trim(skn_buf_str(&e->text));
    if (!skn_asked_record(&e->asked, &e->told, e->model, e->purpose, &e->answer.call))
        e->answer.call = (skein_model_call){0};
    if (!answer->error.rc && refuse(e, &e->answer.error) && e->answer.call.piece_count)
        e->answer.call.error = skn_str_of(e->answer.error.message);
    e->done(e->arg, &e->answer);
}

static void on_soon(void *arg)
{
    skn_errand *e = arg;

    e->done(e->arg, &e->answer);
}

static void ask(skn_errand *e, const skn_errand_wish *wish)
{
    const skn_answer_sink sink = {.sent = on_sent,
                                  .received = on_received,
                                  .delta = on_delta,
                                  .call = on_call,
                                  .done = on_done,
                                  .arg = e};
    skn_ask               what = {.agent = SKN_STR("skein"),
                                  .system_prompt = skn_arena_copy(e->a, wish->system),
                                  .context = &e->context,
                                  .asker = SKN_STR("skein"),
                                  .said = e->message.text,
                                  .id = skn_str_of(wish->purpose),
                                  .temperature = -1,
                                  .over_limit = wish->over_limit};
    skn_provider         *p = skn_runtime_provider(e->r, e->model, &what.model);

    if (p) {
        skn_asked_begin(&e->asked, NULL);
        e->asking = skn_ask_model(p, &what, &sink);
        return;
    }
    skn_fail(&e->answer.error, SKEIN_PROVIDER, "there is no provider for the model \"%.*s\"",
             SKN_FMT(e->model));
    skn_timer_start(e->soon, 0);
}

skn_errand *skn_errand_start(skn_runtime *r, const skn_errand_wish *wish, skn_errand_done *done,
                             void *arg)
{
    skn_errand *e = skn_heap(sizeof *e);

    e->r = r;
    e->a = skn_arena_new();
    e->done = done;
    e->arg = arg;
    e->purpose = wish->purpose;
    e->whole = wish->whole;
    e->soon = skn_timer_new(r->o.loop, on_soon, e);
    e->model = skn_arena_copy(e->a, skn_runtime_model(r, wish->model));
    e->message = (skein_prompt_message){.role = SKEIN_USER,
                                        .text = skn_arena_copy(e->a, wish->text)};
    e->context = (skein_context){.at = &e->message, .count = 1};
    skn_buf_init(&e->text, SKN_RUN_TEXT);
    skn_asked_init(&e->asked);
    e->asked.read_at = wish->read_at;
    ask(e, wish);
    return e;
}

void skn_errand_free(skn_errand *e)
{
    if (!e)
        return;
    skn_asking_cancel(e->asking);
    skn_timer_free(e->soon);
    skn_asked_release(&e->asked);
    skn_buf_release(&e->text);
    skn_arena_free(e->a);
    free(e);
}
