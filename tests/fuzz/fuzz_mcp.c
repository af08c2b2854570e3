/* Whatever a tool server says: it is read or refused, a request's id comes back as it was, and the text
 * of a result is UTF-8 within its limit. */
#include "base/utf8.h"
#include "mcp/mcp_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RESULT = 256 };

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_mcp: %s\n", what);
    abort();
}

typedef struct told {
    skn_arena *a;
    size_t     count;
} told;

static bool same_id(void *arg, const skn_mcp_message *m)
{
    skn_str *id = arg;

    expect(m->kind == SKN_MCP_REQUEST && skn_str_eq(m->raw_id, *id), "another id came back");
    return true;
}

/* Our answer, with a method put in so that it reads as a request again. */
static void answer(told *t, skn_str id)
{
    skn_mcp_letter out;
    skn_buf        asked;
    skn_str        text;

    skn_mcp_letter_answer(&out, id);
    text = skn_mcp_letter_end(&out);
    expect(!memchr(text.p, '\n', text.n), "an answer has a line end");
    skn_buf_init(&asked, 4096);
    skn_buf_addf(&asked, "%.*s,\"method\":\"x\"}", (int)text.n - 1, text.p);
    expect(!skn_mcp_read(skn_buf_str(&asked), t->a, same_id, &id, NULL),
           "our answer is not JSON");
    skn_buf_release(&out.text);
    skn_buf_release(&asked);
}

static bool take(void *arg, const skn_mcp_message *m)
{
    told   *t = arg;
    skn_buf out;
    size_t  bad;

    t->count++;
    if (m->kind == SKN_MCP_REQUEST)
        answer(t, m->raw_id);
    if (m->kind != SKN_MCP_RESULT)
        return true;
    skn_buf_init(&out, RESULT);
    skn_mcp_result_text(m->body, &out);
    expect(out.n <= RESULT, "a result is over its limit");
    expect(out.over || skn_utf8_valid(skn_buf_str(&out), &bad), "a result is not UTF-8");
    skn_buf_release(&out);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skn_str text = {(const char *)data, size};
    told    t = {.a = skn_arena_new()};
    skn_buf clean;
    size_t  bad;

    if (skn_mcp_read(text, t.a, take, &t, NULL))
        expect(t.count == 0, "a message was taken from what cannot be read");
    skn_buf_init(&clean, size + 1);
    skn_mcp_add_clean(&clean, text);
    expect(clean.n == size && skn_utf8_valid(skn_buf_str(&clean), &bad), "not clean");
    skn_buf_release(&clean);
    skn_arena_free(t.a);
    return 0;
}
