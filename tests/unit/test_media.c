/* What bytes are, bytes as text, and forms with files in them. */
#include "api/multipart.h"
#include "base/media.h"
#include "base/url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void is(skn_str bytes, const char *type, int64_t width, int64_t height)
{
    skn_media m = skn_media_look(bytes);

    assert_string_equal(m.type, type);
    assert_int_equal(m.width, width);
    assert_int_equal(m.height, height);
}

static void images_are_known_by_their_headers(void **state)
{
    (void)state;
    is(SKN_STR("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\x80\0\0\1\xe0\x08\2\0\0\0"), "image/png",
       640, 480);
    is(SKN_STR("GIF89a\x03\0\x02\0\xf0"), "image/gif", 3, 2);
    is(SKN_STR("\xff\xd8\xff\xe0\0\4JF\xff\xc0\0\x11\x08\0\x10\0\x20\3"), "image/jpeg", 32, 16);
    is(SKN_STR("RIFF\x22\0\0\0WEBPVP8 \x16\0\0\0\x10\x01\0\x9d\x01\x2a\x40\1\xf0\0xx"),
       "image/webp", 320, 240);
    is(SKN_STR("RIFF\x22\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x3f\1\0\xef\0\0"), "image/webp", 320,
       240);
    is(SKN_STR("RIFF\x22\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x3f\xc1\x3b\0\0\0\0\0\0"), "image/webp",
       320, 240);
}

/* However short, none is read past its end (the sanitizers look). */
static void half_a_header_is_no_image(void **state)
{
    static const char *const begun[] = {"\x89PNG\r\n\x1a\n", "GIF89a", "\xff\xd8\xff\xc0"};

    (void)state;
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++)
        is(skn_str_of(begun[i]), "application/octet-stream", 0, 0);
    is(SKN_STR("RIFF\0\0\0\0WEBPVP8X"), "application/octet-stream", 0, 0);
    is(SKN_STR("\xff\xd8\xff\xe0\xff\xff\xff\xff\xff"), "application/octet-stream", 0, 0);
    is(SKN_STR("GIF89a\0\0\0\0\0\0"), "application/octet-stream", 0, 0);
}

static const char *type_of(skn_arena *a, skn_str bytes, const char *declared, const char *name)
{
    skn_media seen = skn_media_look(bytes);
    skn_str   type = skn_media_type(&seen, skn_str_of(declared), skn_str_of(name));

    return type.p ? skn_arena_copy(a, type).p : NULL;
}

static void what_is_declared_counts_where_the_bytes_do_not_contradict(void **state)
{
    skn_arena *a = skn_arena_new();
    skn_str    text = SKN_STR("hello"), gif = SKN_STR("GIF89a\x03\0\x02\0\xf0");
    skn_str    zip = SKN_STR("PK\3\4xxxx"), junk = SKN_STR("\xfe\xfd\0\1");

    (void)state;
    assert_string_equal(type_of(a, text, NULL, "a"), "text/plain");
    assert_string_equal(type_of(a, text, "text/csv; charset=utf-8", "a"), "text/csv");
    assert_string_equal(type_of(a, text, "application/octet-stream", "a.md"), "text/markdown");
    assert_string_equal(type_of(a, text, "text/html\r\nX: y", "a"), "text/plain");
    assert_null(type_of(a, text, "image/png", "a.png"));
    assert_string_equal(type_of(a, gif, "image/png", "a.png"), "image/gif");
    assert_string_equal(type_of(a, gif, "text/html", "a.html"), "image/gif");
    assert_string_equal(
        type_of(a, zip, NULL, "a.docx"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document");
    assert_string_equal(type_of(a, zip, "text/html", "a"), "application/zip");
    assert_string_equal(type_of(a, junk, "text/html", "a"), "application/octet-stream");
    assert_string_equal(type_of(a, junk, "application/x-thing", "a"), "application/x-thing");
    skn_arena_free(a);
}

static void bytes_go_to_base64_and_back(void **state)
{
    static const char *const pairs[][2] = {
        {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}};
    skn_arena *a = skn_arena_new();
    skn_str    back;

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        skn_buf b;

        skn_buf_init(&b, 1 << 20);
        skn_base64_add(&b, skn_str_of(pairs[i][0]));
        assert_true(skn_str_eq(skn_arena_copy(a, b.n ? skn_buf_str(&b) : SKN_STR("")),
                               skn_str_of(pairs[i][1])));
        assert_true(skn_base64_read(a, skn_str_of(pairs[i][1]), &back));
        assert_true(skn_str_eq(back, skn_str_of(pairs[i][0])));
        skn_buf_release(&b);
    }
    assert_false(skn_base64_read(a, SKN_STR("Zg="), &back));
    assert_false(skn_base64_read(a, SKN_STR("Zh=="), &back)); /* bits to spare */
    assert_false(skn_base64_read(a, SKN_STR("Z*=="), &back));
    skn_arena_free(a);
}

static void a_form_has_parts(void **state)
{
    skn_str type = SKN_STR("multipart/form-data; boundary=\"x y\"");
    skn_str body = SKN_STR(
        "ignored\r\n--x y\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\nhi\r\n"
        "--x y\r\ncontent-disposition: form-data; name=\"f\"; filename=\"a\\\"b.png\"; "
        "filename*=UTF-8''%C3%A4.png\r\nContent-Type: image/png\r\n\r\n\r\n--x\0\r\n--x "
        "y--\r\n");
    skn_arena *a = skn_arena_new();
    skn_form   f;
    skn_part   p;

    (void)state;
    assert_true(skn_form_open(&f, type, body, a));
    assert_true(skn_form_next(&f, &p, a));
    assert_true(skn_str_is(p.name, "content") && !p.filename.p && skn_str_is(p.bytes, "hi"));
    assert_true(skn_form_next(&f, &p, a));
    assert_true(skn_str_is(p.filename, "\xc3\xa4.png") && skn_str_is(p.type, "image/png"));
    assert_true(skn_str_eq(p.bytes, SKN_STR("\r\n--x\0")));
    assert_false(skn_form_next(&f, &p, a));
    assert_false(f.broken);
    for (size_t n = 0; n < body.n - 4; n++) { /* cut anywhere */
        skn_form_open(&f, type, skn_str_sub(body, 0, n), a);
        while (skn_form_next(&f, &p, a))
            ;
        assert_true(f.broken);
    }
    assert_false(skn_form_open(&f, SKN_STR("application/json"), body, a));
    assert_true(skn_str_is(
        skn_part_param(SKN_STR("form-data; name=n; filename=a.txt"), "filename", a), "a.txt"));
    skn_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_known_by_their_headers),
        cmocka_unit_test(half_a_header_is_no_image),
        cmocka_unit_test(what_is_declared_counts_where_the_bytes_do_not_contradict),
        cmocka_unit_test(bytes_go_to_base64_and_back),
        cmocka_unit_test(a_form_has_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
