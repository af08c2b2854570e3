/* A reference is taken apart without loss: what the parts spell is the same reference, and what
 * is refused is refused with a message. */
#include "base/uid.h"
#include "engine/read/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_reference: %s\n", what);
    abort();
}

/* Spells a reference; returns the bytes written. */
static size_t spell(const skn_reference *r, char out[static 256])
{
    int n = r->id.p ? snprintf(out, 256, "%.*s", SKN_FMT(r->id))
                    : snprintf(out, 256, "@~%lld", (long long)r->back);

    for (int i = 0; i < r->up; i++)
        out[n++] = '^';
    return (size_t)n;
}

static void expect_whole(skn_str text, const skn_reference *r)
{
    skn_reference again;
    char          bytes[256];
    size_t        n;

    expect(r->up >= 0 && r->up <= SKN_UP_MAX && r->back >= 0, "a part is out of range");
    expect(!r->id.p || (skn_uid_valid(r->id) && r->back == 0), "the id is none");
    n = spell(r, bytes);
    expect(!skn_reference_parse((skn_str){bytes, n}, &again, NULL), "its spelling is refused");
    expect(again.up == r->up && again.back == r->back && !again.id.p == !r->id.p &&
               (!r->id.p || skn_str_eq(again.id, r->id)),
           "its spelling means something else");
    expect(!r->id.p || (n == text.n && !memcmp(bytes, text.p, n)), "bytes were lost");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skn_str       text = {(const char *)data, size};
    skein_error   err = {.rc = SKEIN_OK};
    skn_reference r;
    skein_rc      rc = skn_reference_parse(text, &r, &err);

    if (rc == SKEIN_OK)
        expect_whole(text, &r);
    else
        expect(rc == SKEIN_INVALID && err.rc == rc && err.message[0],
               "refused without a reason");
    return 0;
}
