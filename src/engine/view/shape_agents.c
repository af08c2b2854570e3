/* shape_agents.c: tasks, inbox, knowledge, delegations and calls of models as JSON. */
#include "base/shape_rows.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/work/act.h"

skn_str skn_task_label(const skein_task *task)
{
    if (!skn_str_is(task->status, "pending"))
        return task->status;
    if (task->running)
        return task->waits ? SKN_STR("waiting") : SKN_STR("running");
    if (task->waits_for.p)
        return SKN_STR("waiting");
    return task->attempts ? SKN_STR("retrying") : task->status;
}

/* Without the words that the lead was asked it with. */
skn_str skn_task_question(const skein_task *task)
{
    skn_str before = SKN_STR(SKN_SUBORDINATE), asks = SKN_STR(SKN_ASKS);
    skn_str q = task->question, rest = q;

    if (!skn_str_starts(q, before))
        return q;
    rest = skn_str_sub(q, before.n, q.n);
    if (!skn_str_starts(rest, task->agent_name))
        return q;
    rest = skn_str_sub(rest, task->agent_name.n, rest.n);
    return skn_str_starts(rest, asks) ? skn_str_sub(rest, asks.n, rest.n) : q;
}

/* --- Members that are computed ------------------------------------------------------------------ */

static void put_label(skn_jw *w, const void *task)
{
    skn_jw_str(w, skn_task_label(task));
}

static void put_waits_for(skn_jw *w, const void *task)
{
    const skein_task *t = task;

    skn_jw_str(w, t->waits ? SKN_STR("human") : t->waits_for);
}

static void put_question(skn_jw *w, const void *task)
{
    skn_jw_str(w, skn_task_question(task));
}

/* Only its label says that its turn waits for a person. */
static void task_was_read(const skn_json *v, void *task, skn_arena *a)
{
    const skn_json *label = skn_json_get(v, "label");
    skein_task     *t = task;

    (void)a;
    t->waits = t->running && label && skn_str_is(label->text, "waiting");
}

static void put_true(skn_jw *w, const void *thing)
{
    (void)thing;
    skn_jw_bool(w, true);
}

/* What a server sent need not be text: every byte that is not UTF-8 becomes U+FFFD. */
static skn_str as_text(skn_str s, skn_arena *a)
{
    skn_buf b;
    size_t  bad;

    if (!s.p || skn_utf8_valid(s, &bad))
        return s;
    skn_buf_init(&b, SIZE_MAX);
    while (!skn_utf8_valid(s, &bad)) {
        skn_buf_add(&b, (skn_str){s.p, bad});
        skn_buf_add(&b, SKN_STR("\xEF\xBF\xBD"));
        s.p += bad + 1;
        s.n -= bad + 1;
    }
    skn_buf_add(&b, s);
    return skn_buf_keep(&b, a);
}

static void put_request(skn_jw *w, const void *call)
{
    const skein_model_call *c = call;
    skn_arena              *a = skn_arena_new();
    skn_buf                 b;
    const skn_json         *v;
    skn_str                 text;

    skn_buf_init(&b, SIZE_MAX);
    for (size_t i = 0; i < c->piece_count; i++)
        skn_buf_add(&b, c->pieces[i]);
    text = c->piece_count ? as_text(skn_buf_str(&b), a) : SKN_NONE;
    if (text.p && skn_json_parse(&v, text, "text", a, NULL) == SKEIN_OK)
        skn_jw_raw(w, v->raw);
    else
        skn_jw_str(w, text);
    skn_buf_release(&b);
    skn_arena_free(a);
}

/* One that was not JSON is a text. */
static void take_request(const skn_json *v, void *call, skn_arena *a)
{
    skein_model_call *c = call;
    skn_str          *piece = SKN_NEW(a, skn_str);

    *piece = v->kind == SKN_JSON_STRING ? v->text : v->raw;
    c->pieces = piece;
    c->piece_count = v->kind != SKN_JSON_NULL;
}

static void put_response(skn_jw *w, const void *call)
{
    skn_arena *a = skn_arena_new();

    skn_jw_str(w, as_text(((const skein_model_call *)call)->response, a));
    skn_arena_free(a);
}

/* A list of ids for each part of the context. */
static void put_made_of(skn_jw *w, const void *call)
{
    skn_str parts = ((const skein_model_call *)call)->made_of, part, id;

    if (!parts.p) {
        skn_jw_null(w);
        return;
    }
    skn_jw_array(w);
    while (parts.n && skn_str_split(&parts, '\n', &part)) {
        skn_jw_array(w);
        while (part.n && skn_str_split(&part, ' ', &id))
            skn_jw_str(w, id);
        skn_jw_array_end(w);
    }
    skn_jw_array_end(w);
}

static void take_made_of(const skn_json *v, void *call, skn_arena *a)
{
    skn_buf b;

    if (v->kind != SKN_JSON_ARRAY)
        return;
    skn_buf_init(&b, SIZE_MAX);
    for (const skn_json *part = v->first; part; part = part->next) {
        for (const skn_json *id = part->first; id; id = id->next) {
            if (id != part->first)
                skn_buf_addc(&b, ' ');
            skn_buf_add(&b, id->text);
        }
        skn_buf_addc(&b, '\n');
    }
    ((skein_model_call *)call)->made_of = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
}

/* --- Tables ------------------------------------------------------------------------------------- */

static const skn_shape call_usage_shape, inbox_place_shape; /* parts of other shapes */
#include "engine/view/shapes/audit.def"
#include "engine/view/shapes/briefing.def"
#include "engine/view/shapes/call_usage.def"
#include "engine/view/shapes/delegation.def"
#include "engine/view/shapes/delivery.def"
#include "engine/view/shapes/edit_error.def"
#include "engine/view/shapes/event.def"
#include "engine/view/shapes/expected.def"
#include "engine/view/shapes/inbox_item.def"
#include "engine/view/shapes/inbox_place.def"
#include "engine/view/shapes/knowledge.def"
#include "engine/view/shapes/model_call.def"
#include "engine/view/shapes/model_call_whole.def"
#include "engine/view/shapes/notice.def"
#include "engine/view/shapes/queue_item.def"
#include "engine/view/shapes/task.def"
#include "engine/view/shapes/turn.def"
#include "engine/view/shapes/usage.def"

void skn_shape_event(skn_jw *w, const skein_event *event)
{
    skn_shape_write(w, &event_shape, event);
}

void skn_shape_deliveries(skn_jw *w, const skein_deliveries *list)
{
    skn_jw_array(w);
    for (size_t i = 0; i < list->count; i++)
        skn_shape_delivery(w, &list->at[i]);
    skn_jw_array_end(w);
}

void skn_shape_waiting(skn_jw *w, skein_str chat_uid, const skein_waiting *waiting)
{
    skn_shape_queue_item(w, &(skn_queue_item){*waiting, chat_uid});
}

void skn_shape_busy(skn_jw *w, const skein_turns *turns, int64_t now)
{
    skn_jw_array(w);
    for (size_t i = 0; i < turns->count; i++) {
        const skein_turn *t = &turns->at[i];

        skn_shape_turn(
            w, &(skn_shown_turn){.turn = *t,
                                 .doing = skn_str_of(skn_turn_doing(t)),
                                 .for_person = t->waits == SKEIN_WAITS_FOR_PERSON,
                                 .since_ms = now > t->since ? (now - t->since) / 1000 : 0});
    }
    skn_jw_array_end(w);
}

void skn_shape_noticed(skn_jw *w, const skein_notice *notice)
{
    skn_jw_key(w, "notice");
    if (notice->code.p)
        skn_shape_notice(w, notice);
    else
        skn_jw_null(w);
}
