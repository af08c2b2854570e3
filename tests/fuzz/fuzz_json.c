/* What was read can be read again, to the same tree: from each value's own source, and from
 * what the writer makes of the tree. */
#include "base/json.h"
#include "base/json_write.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_json: %s\n", what);
    abort();
}

/* The next value in source order, parents before children, or NULL; *stack holds the way up. */
static const skn_json *next_value(const skn_json *v, const skn_json *stack[], size_t *depth)
{
    if (v->first) {
        expect(*depth < SKN_JSON_DEPTH, "tree is deeper than the limit");
        stack[(*depth)++] = v;
        return v->first;
    }
    while (!v->next && *depth > 0)
        v = stack[--*depth];
    return *depth > 0 ? v->next : NULL;
}

static void expect_same_value(const skn_json *x, const skn_json *y)
{
    expect(x->kind == y->kind, "kind differs");
    expect(x->boolean == y->boolean, "boolean differs");
    expect(x->count == y->count, "count differs");
    expect(skn_str_eq(x->text, y->text), "text differs");
}

static void expect_same_tree(const skn_json *x, const skn_json *y)
{
    const skn_json *x_stack[SKN_JSON_DEPTH], *y_stack[SKN_JSON_DEPTH];
    size_t          x_depth = 0, y_depth = 0;

    expect_same_value(x, y);
    for (;;) {
        x = next_value(x, x_stack, &x_depth);
        y = next_value(y, y_stack, &y_depth);
        expect(!x == !y && x_depth == y_depth, "shape differs");
        if (!x)
            return;
        expect_same_value(x, y);
        expect(skn_str_eq(x->key, y->key), "key differs");
    }
}

static void close_one(skn_jw *w, const skn_json *v)
{
    if (v->kind == SKN_JSON_OBJECT)
        skn_jw_object_end(w);
    else
        skn_jw_array_end(w);
}

static void write_one(skn_jw *w, const skn_json *v)
{
    if (v->key.p)
        skn_jw_key_str(w, v->key);
    switch (v->kind) {
    case SKN_JSON_NULL:
        skn_jw_null(w);
        break;
    case SKN_JSON_BOOL:
        skn_jw_bool(w, v->boolean);
        break;
    case SKN_JSON_NUMBER:
        skn_jw_raw(w, v->text);
        break;
    case SKN_JSON_STRING:
        skn_jw_str(w, v->text);
        break;
    case SKN_JSON_ARRAY:
        skn_jw_array(w);
        break;
    case SKN_JSON_OBJECT:
        skn_jw_object(w);
        break;
    }
    if (v->kind >= SKN_JSON_ARRAY && !v->first)
        close_one(w, v);
}

static void write_tree(skn_buf *out, const skn_json *v)
{
    const skn_json *stack[SKN_JSON_DEPTH];
    size_t          depth = 0, before;
    skn_jw          w;

    skn_jw_init(&w, out);
    for (;;) {
        write_one(&w, v);
        before = depth;
        v = next_value(v, stack, &depth);
        for (; before > depth; before--) /* what was left behind stands above the stack's top */
            close_one(&w, stack[before - 1]);
        if (!v)
            break;
    }
    expect(w.depth == 0, "brackets are left open");
}

static const skn_json *must_read(skn_str source, skn_arena *a)
{
    const skn_json *v;

    expect(skn_json_parse(&v, source, "again", a, NULL) == SKEIN_OK, "cannot be read again");
    return v;
}

static void check_raw(const skn_json *v)
{
    const skn_json *stack[SKN_JSON_DEPTH];
    size_t          depth = 0;
    skn_arena      *a = skn_arena_new();

    for (; v; v = next_value(v, stack, &depth)) {
        const skn_json *again = must_read(v->raw, a);

        expect_same_value(v, again);
        expect(skn_str_eq(v->raw, again->raw), "source differs");
        skn_arena_reset(a);
    }
    skn_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skn_arena      *a = skn_arena_new();
    const skn_json *v;
    skein_error     err = {0};
    skn_buf         out;
    skein_rc rc = skn_json_parse(&v, (skn_str){(const char *)data, size}, "input", a, &err);

    if (rc) {
        expect(rc == SKEIN_INVALID && err.rc == rc && err.message[0] && !v, "error not said");
    } else {
        skn_buf_init(&out, size * 6 + 16); /* at worst every byte becomes "\u00xx" */
        write_tree(&out, v);
        expect(!out.over, "written text is too long");
        expect_same_tree(v, must_read(skn_buf_str(&out), a));
        check_raw(v);
        skn_buf_release(&out);
    }
    skn_arena_free(a);
    return 0;
}
