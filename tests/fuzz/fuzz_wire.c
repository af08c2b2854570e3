/* Any bytes as the answer of a model, in each wire format: read whole and in pieces they mean the same,
 * and what comes of them is text that can be stored. */
#include "base/utf8.h"
#include "unit/wire_kit.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_wire: %s\n", what);
    abort();
}

static void check_text(const wire_notes *n)
{
    const skn_wire_answer *w = &n->answer;

    expect(skn_utf8_valid(skn_buf_str(&n->text), NULL), "text that cannot be stored");
    expect(skn_utf8_valid(skn_buf_str(&n->thinking), NULL), "thinking that cannot be stored");
    expect(skn_utf8_valid(skn_buf_str(&n->calls), NULL), "a call that cannot be stored");
    expect(skn_utf8_valid(skn_str_of(w->error.message), NULL), "an error that cannot be told");
    expect(w->failed == (w->state != SKN_ASK_ANSWERED), "a failure without a state");
    expect(w->failed || w->finish, "an answer without an end");
    expect(w->failed || n->text.n || n->thinking.n || n->calls.n, "an answer without anything");
}

/* The first byte chooses the format, the label and the status; the second, where it is cut (255: of Responses). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"text/event-stream", "application/json",
                                        "application/x-ndjson", ""};
    wire_bytes               b;
    wire_notes               whole, parted, single;
    size_t                   at;

    if (size < 2)
        return 0;
    b = (wire_bytes){.format = skn_wire_format_of(
                         data[1] == 255 ? SKN_WIRE_RESPONSES : (skn_wire_kind)(data[0] % 3)),
                     .type = types[data[0] / 3 % 4],
                     .status = data[0] >= 192 ? 400 : 200,
                     .cut = data[0] >= 96 && data[0] < 192,
                     .bytes = {(const char *)data + 2, size - 2}};
    at = data[1] * b.bytes.n / 256;
    wire_read(&whole, &b, b.bytes.n, 0);
    wire_read(&parted, &b, at ? at : 1, 0);
    wire_read(&single, &b, 1, 1);
    check_text(&whole);
    expect(wire_same(&whole, &parted), "cut in two it means something else");
    expect(wire_same(&whole, &single), "byte by byte it means something else");
    wire_notes_release(&whole);
    wire_notes_release(&parted);
    wire_notes_release(&single);
    return 0;
}
