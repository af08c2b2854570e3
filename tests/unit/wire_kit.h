/* wire_kit.h: reads the bytes of an answer with a wire format, in pieces of any size, and writes down all
 * that comes of it: two readings are the same when their notes are. */
#ifndef SKN_TESTS_WIRE_KIT_H
#define SKN_TESTS_WIRE_KIT_H

#include "provider/wire.h"

typedef struct wire_notes {
    skn_buf         text, thinking, calls;
    skn_wire_answer answer; /* after the end; its calls are released */
    size_t          deltas;
} wire_notes;

static inline void wire_on_delta(void *arg, skn_part part, skn_str text)
{
    wire_notes *n = arg;

    if (part == SKN_PART_ARGS)
        return;
    n->deltas++;
    skn_buf_add(part == SKN_PART_TEXT ? &n->text : &n->thinking, text);
}

static inline void wire_on_call(void *arg, const skein_tool_call *call)
{
    wire_notes *n = arg;

    skn_buf_addf(&n->calls, "%.*s %.*s %.*s;", SKN_FMT(call->call_id), SKN_FMT(call->tool_name),
                 SKN_FMT(call->args));
}

typedef struct wire_bytes {
    const skn_wire_format *format;
    int                    status; /* 0: 200 */
    const char            *type;   /* NULL: text/event-stream */
    skn_str                bytes;
    bool                   cut;
} wire_bytes;

/* Reads the first `at` bytes, and then `step` bytes at a time (0: all the rest). */
static inline void wire_read(wire_notes *n, const wire_bytes *b, size_t at, size_t step)
{
    skn_answer_sink sink = {.delta = wire_on_delta, .call = wire_on_call, .arg = n};
    skn_arena      *a = skn_arena_new(), *scratch = skn_arena_new();
    skn_wire_reader r;
    skn_str         rest = b->bytes;

    *n = (wire_notes){0};
    skn_buf_init(&n->text, 1 << 24);
    skn_buf_init(&n->thinking, 1 << 24);
    skn_buf_init(&n->calls, 1 << 24);
    skn_wire_answer_init(&n->answer, a, scratch, &sink, SKN_STR("m_1"));
    skn_wire_read_start(&r, b->format, &n->answer, b->status ? b->status : 200,
                        skn_str_of(b->type ? b->type : "text/event-stream"));
    for (size_t take = at; rest.n; take = step ? step : rest.n) {
        take = take < rest.n ? take : rest.n;
        if (!skn_wire_read_bytes(&r, skn_str_sub(rest, 0, take)))
            break;
        rest = skn_str_sub(rest, take, rest.n);
    }
    skn_wire_read_end(&r, b->cut);
    if (!n->answer.failed)
        skn_wire_hand_calls(&n->answer);
    skn_wire_read_release(&r);
    skn_wire_answer_release(&n->answer);
    skn_arena_free(scratch);
    skn_arena_free(a);
}

static inline void wire_notes_release(wire_notes *n)
{
    skn_buf_release(&n->text);
    skn_buf_release(&n->thinking);
    skn_buf_release(&n->calls);
}

static inline bool wire_same(const wire_notes *a, const wire_notes *b)
{
    const skn_wire_answer *x = &a->answer, *y = &b->answer;

    return skn_str_eq(skn_buf_str(&a->text), skn_buf_str(&b->text)) &&
           skn_str_eq(skn_buf_str(&a->thinking), skn_buf_str(&b->thinking)) &&
           skn_str_eq(skn_buf_str(&a->calls), skn_buf_str(&b->calls)) &&
           x->failed == y->failed && x->state == y->state &&
           skn_str_eq(skn_str_of(x->error.message), skn_str_of(y->error.message)) &&
           skn_str_eq(skn_str_of(x->finish), skn_str_of(y->finish)) &&
           x->tokens_in == y->tokens_in && x->tokens_out == y->tokens_out &&
           x->tokens_cached == y->tokens_cached && x->tokens_written == y->tokens_written;
}

#endif
