#include "base/hash.h"
#include "engine/modelview.h"

/* The calls of one id, and which of them wait for a result, latest first. */
typedef struct waiting {
    size_t top;  /* a call, or SKN_UNPAIRED */
    size_t last; /* the latest message that made a call of this id */
} waiting;

typedef struct pairing {
    skn_pairs *out;
    skn_arena *a;
    skn_map   *ids;
    size_t    *below;  /* of a call: the one that waited before it */
    size_t    *called; /* of a call: the message that made it */
} pairing;

size_t skn_calls_of(const skein_message *m)
{
    if (m->role != SKEIN_ASSISTANT || m->purged || !m->calls)
        return 0;
    return m->call_count;
}

static skn_str key_of(skn_str id)
{
    return id.p ? id : SKN_STR("");
}

static void open_call(pairing *p, skn_str id, size_t message, size_t call)
{
    void   **slot = skn_map_slot(p->ids, key_of(id));
    waiting *w = *slot;

    if (!w) {
        *slot = w = SKN_NEW(p->a, waiting);
        w->top = SKN_UNPAIRED;
    }
    p->below[call] = w->top;
    p->called[call] = message;
    p->out->result[call] = SKN_UNPAIRED;
    w->top = call;
    w->last = message;
}

static void close_call(pairing *p, skn_str id, size_t message)
{
    waiting *w = skn_map_get(p->ids, key_of(id));

    if (!w)
        return;
    if (w->top == SKN_UNPAIRED) {
        p->out->caller[message] = w->last;
        p->out->extra[message] = true;
        return;
    }
    p->out->caller[message] = p->called[w->top];
    p->out->result[w->top] = message;
    w->top = p->below[w->top];
}

void skn_pairs_find(skn_pairs *out, const skein_message *msgs, size_t n, skn_arena *a)
{
    pairing p = {.out = out, .a = a, .ids = skn_map_new(a)};
    size_t  calls = 0;

    for (size_t i = 0; i < n; i++)
        calls += skn_calls_of(&msgs[i]);
    out->first_call = SKN_ARRAY(a, n, size_t);
    out->caller = SKN_ARRAY(a, n, size_t);
    out->extra = SKN_ARRAY(a, n, bool);
    out->result = SKN_ARRAY(a, calls, size_t);
    p.below = SKN_ARRAY(a, calls, size_t);
    p.called = SKN_ARRAY(a, calls, size_t);
    calls = 0;
    for (size_t i = 0; i < n; i++) {
        out->first_call[i] = calls;
        out->caller[i] = SKN_UNPAIRED;
        for (size_t k = 0; k < skn_calls_of(&msgs[i]); k++)
            open_call(&p, msgs[i].calls[k].call_id, i, calls++);
        if (msgs[i].role == SKEIN_TOOL)
            close_call(&p, msgs[i].tool_call_id, i);
    }
}

size_t skn_closed_prefix(const skein_message *msgs, size_t n)
{
    skn_arena *a = skn_arena_new();
    skn_pairs  pairs;
    size_t     open = 0, closed = 0;

    skn_pairs_find(&pairs, msgs, n, a);
    for (size_t i = 0; i < n; i++) {
        open += skn_calls_of(&msgs[i]);
        if (pairs.caller[i] != SKN_UNPAIRED && !pairs.extra[i])
            open--;
        if (!open)
            closed = i + 1;
    }
    skn_arena_free(a);
    return closed;
}

static size_t take(bool *selected, size_t i)
{
    if (selected[i])
        return 0;
    selected[i] = true;
    return 1;
}

/* A result has one caller and a caller is no result, so one step up and one step down reach the
 * fixpoint. */
size_t skn_pair_closure(const skein_message *msgs, size_t n, bool *selected)
{
    skn_arena *a = skn_arena_new();
    skn_pairs  pairs;
    size_t     added = 0;

    skn_pairs_find(&pairs, msgs, n, a);
    for (size_t i = 0; i < n; i++)
        if (selected[i] && pairs.caller[i] != SKN_UNPAIRED)
            added += take(selected, pairs.caller[i]);
    for (size_t i = 0; i < n; i++)
        if (pairs.caller[i] != SKN_UNPAIRED && selected[pairs.caller[i]])
            added += take(selected, i);
    skn_arena_free(a);
    return added;
}
