/* docs/api.md is what the table of routes says. "test_route_docs --print" writes it again. */
#include "http/served.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *root; /* of the sources; set once, by main */

static void the_file_is_as_the_table_says(void **state)
{
    skn_buf now, kept;
    char    path[1024], bytes[4096];
    size_t  n;
    FILE   *f;

    (void)state;
    skn_buf_init(&now, 1 << 20);
    skn_buf_init(&kept, 1 << 20);
    skn_http_reference(&now);
    snprintf(path, sizeof path, "%s/docs/api.md", root);
    f = fopen(path, "r");
    assert_non_null(f);
    while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
        skn_buf_add(&kept, (skn_str){bytes, n});
    fclose(f);
    if (!skn_str_eq(skn_buf_str(&now), skn_buf_str(&kept)))
        fail_msg("docs/api.md is not what the routes are: test_route_docs --print");
    skn_buf_release(&now);
    skn_buf_release(&kept);
}

/* Both tables as one. */
static const skn_route *all_routes(void)
{
    static skn_route all[400];
    size_t           n = 0;

    for (const skn_route *r = skn_routes; r->method; r++)
        all[n++] = *r;
    for (const skn_route *r = skn_server_routes; r->method; r++)
        all[n++] = *r;
    assert_true(n < sizeof all / sizeof all[0]);
    return all;
}

static bool has_someone(const skn_route *r)
{
    skn_carrier  by = {0};
    skn_api_call c = {.route = r, .by = &by};

    skn_served_find(&c);
    return !c.run != !by.take;
}

static void every_route_has_a_name_a_line_and_someone_who_answers(void **state)
{
    (void)state;
    for (const skn_route *r = all_routes(); r->method; r++) {
        assert_true(has_someone(r));
        assert_true(r->path[0] == '/' && r->id[0] && r->summary[0]);
        assert_true(!strcmp(r->method, "GET") ==
                    !(r->flags & (SKN_ROUTE_CHANGES | SKN_ROUTE_SIGN)));
        for (const skn_route *o = r + 1; o->method; o++) {
            assert_string_not_equal(r->id, o->id);
            assert_true(strcmp(r->path, o->path) || strcmp(r->method, o->method));
        }
    }
}

static int print_all(void)
{
    skn_buf b;

    skn_buf_init(&b, 1 << 20);
    skn_http_reference(&b);
    fputs(b.p, stdout);
    skn_buf_release(&b);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_as_the_table_says),
        cmocka_unit_test(every_route_has_a_name_a_line_and_someone_who_answers),
    };

    root = argc > 1 ? argv[1] : ".";
    if (!strcmp(root, "--print"))
        return print_all();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
