#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_digest(const char *digest, skn_str bytes, size_t piece)
{
    char       out[SKN_SHA256_TEXT];
    skn_sha256 s;

    skn_sha256_init(&s);
    for (size_t at = 0; at < bytes.n; at += piece)
        skn_sha256_add(&s, skn_str_sub(bytes, at, at + piece < bytes.n ? at + piece : bytes.n));
    assert_int_equal(skn_sha256_text(&s, out).n, 64);
    assert_string_equal(out, digest);
}

/* FIPS 180-4's own examples, and the lengths around a block's end. */
static void known_texts_have_their_known_digests(void **state)
{
    char *a = malloc(1000000);

    (void)state;
    assert_digest("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                  SKN_STR(""), 1);
    assert_digest("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                  SKN_STR("abc"), 3);
    assert_digest("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                  SKN_STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), 100);
    memset(a, 'a', 1000000);
    assert_digest("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
                  (skn_str){a, 1000000}, 1000000);
    assert_digest("9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
                  (skn_str){a, 55}, 55);
    assert_digest("b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
                  (skn_str){a, 56}, 56);
    assert_digest("ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
                  (skn_str){a, 64}, 64);
    free(a);
}

static void pieces_do_not_matter(void **state)
{
    char *a = malloc(1000000);

    (void)state;
    memset(a, 'a', 1000000);
    for (size_t piece = 1; piece < 200; piece += 7)
        assert_digest("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
                      (skn_str){a, 1000000}, piece);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts_have_their_known_digests),
        cmocka_unit_test(pieces_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
