/* Bytes as a client may send them: head, body, address, Host and Origin, JSON. The same bytes are
 * understood the same however they arrive; parameters come back when they are written again; and
 * what is accepted has one meaning only. */
#include "base/json.h"
#include "base/url.h"
#include "http/gate.h"
#include "http/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_request: %s\n", what);
    abort();
}

/* --- Head ------------------------------------------------------------------------------------------ */

/* Where the head ends when the bytes come `step` at a time. */
static size_t head_by(skn_str text, size_t step, skn_refusal *no)
{
    size_t from = 0, n = 0;

    for (size_t have = step; !n && !no->status; have += step) {
        n = skn_head_end(skn_str_sub(text, 0, have), &from, no);
        if (have >= text.n)
            break;
    }
    return n;
}

static size_t check_head(skn_str text)
{
    skn_refusal whole = {0}, slow = {0};
    size_t      n = head_by(text, text.n, &whole);

    expect(n <= text.n && (!n || !whole.status), "a head was found and refused");
    if (text.n > 2048)
        return n;
    expect(head_by(text, 1, &slow) == n || whole.status || slow.status,
           "the head ends elsewhere when it comes slowly");
    expect(!whole.status || slow.status, "what comes slowly is let in");
    return n;
}

static size_t count_named(const skn_request *r, const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < r->header_count; i++)
        n += r->headers[i].name.n == strlen(name) &&
             strncasecmp(r->headers[i].name.p, name, r->headers[i].name.n) == 0;
    return n;
}

static void check_meaning(const skn_request *r)
{
    expect(r->header_count <= SKN_HEADERS_MAX, "too many headers");
    expect(count_named(r, "content-length") + count_named(r, "transfer-encoding") <= 1,
           "the body's end is given twice");
    expect(count_named(r, "host") <= 1, "two hosts");
    expect(r->path.n && (r->path.p[0] == '/' || skn_str_is(r->path, "*")), "a strange path");
    expect(r->target.n <= SKN_URL_MAX, "the address is too long");
    for (size_t i = 0; i < r->header_count; i++)
        expect(!memchr(r->headers[i].name.p, ' ', r->headers[i].name.n), "a blank in a name");
}

/* --- Body ------------------------------------------------------------------------------------------ */

static int chunks_by(skn_str text, size_t step, skn_buf *out, size_t *used)
{
    skn_chunks  c = {0};
    skn_refusal no = {0};
    size_t      at = 0, n;
    bool        end = false;

    while (at < text.n && !end && !no.status) {
        end = skn_chunks_read(&c, skn_str_sub(text, at, at + step), &n, out, &no);
        expect(n > 0, "nothing was taken");
        at += n;
    }
    *used = at;
    return no.status ? no.status : end;
}

static void check_chunks(skn_str text)
{
    skn_buf whole, slow;
    size_t  used, used_slowly;
    int     a, b;

    skn_buf_init(&whole, 4096);
    skn_buf_init(&slow, 4096);
    a = chunks_by(text, text.n ? text.n : 1, &whole, &used);
    b = chunks_by(text, 1, &slow, &used_slowly);
    expect(a == b, "a body is another when it comes slowly");
    expect(a > 1 || used == used_slowly, "a body ends elsewhere when it comes slowly");
    expect(a > 1 || skn_str_eq(skn_buf_str(&whole), skn_buf_str(&slow)), "bodies differ");
    skn_buf_release(&whole);
    skn_buf_release(&slow);
}

static void check_json(skn_str text, skn_arena *a)
{
    const skn_json *v, *again;
    skein_error     err = {.rc = SKEIN_OK};

    if (skn_json_parse(&v, text, "the body", a, &err)) {
        expect(err.message[0] != '\0', "refused without a reason");
        return;
    }
    expect(!skn_json_parse(&again, v->raw, "the body", a, NULL), "its own text is refused");
    expect(again->kind == v->kind && again->count == v->count, "its own text differs");
}

/* --- Address ---------------------------------------------------------------------------------------- */

static void check_round_trip(skn_str text, skn_arena *a)
{
    skn_str decoded, again;
    skn_buf b;

    if (!skn_url_decode(text, true, a, &decoded))
        return;
    skn_buf_init(&b, 1 << 20);
    skn_url_encode(&b, decoded);
    expect(skn_url_decode(skn_buf_str(&b), true, a, &again) && skn_str_eq(again, decoded),
           "a parameter does not come back");
    expect(skn_url_decode(skn_buf_str(&b), false, a, &again) && skn_str_eq(again, decoded),
           "a part of a path does not come back");
    skn_buf_release(&b);
}

static void check_match(const skn_tree *tree, const skn_request *r, skn_arena *a)
{
    skn_match once, twice;

    skn_tree_match(tree, r->method, r->path, a, &once);
    skn_tree_match(tree, r->method, r->path, a, &twice);
    expect(once.route == twice.route && once.bad == twice.bad, "another route the second time");
    expect(!once.route || once.allow.p, "a route at a path that has none");
    for (size_t i = 0; i < 4; i++)
        expect(skn_str_eq(once.params[i], twice.params[i]), "other parameters");
}

static void check_gate(const skn_request *r)
{
    static const skn_gate gate = {.host = {"127.0.0.1", 9}, .port = 7534};
    skn_str               origin = skn_request_header(r, "origin");

    if (skn_gate_host(&gate, r->host, SKN_NONE))
        expect(r->host.n <= sizeof "localhost:07534" && !memchr(r->host.p, '/', r->host.n),
               "a strange host was let in");
    if (origin.p && skn_gate_origin(&gate, origin, r->host) == SKN_ORIGIN_OURS)
        expect(origin.n == r->host.n + 7, "a strange origin is ours");
}

static void check_query(skn_str query, skn_arena *a)
{
    skn_str rest = query, pair;
    bool    all = true;

    while (rest.p && skn_str_split(&rest, '&', &pair)) {
        skn_str part;

        check_round_trip(pair, a);
        all = all && skn_url_decode(pair, true, a, &part);
    }
    expect(!query.p || !all || skn_query_valid(query, a), "a query that decodes is refused");
    skn_query_get(query, "chatId", a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skn_str     text = {(const char *)data, size}, body;
    skn_arena  *a = skn_arena_new();
    skn_request r;
    skn_refusal no = {0};
    size_t      n = check_head(text);

    body = skn_str_sub(text, n, text.n);
    if (n) {
        skn_request_read(&r, skn_str_sub(text, 0, n), a, &no);
        expect(!no.status == !no.why, "refused without a reason");
    }
    if (n && !no.status) {
        check_meaning(&r);
        check_match(skn_tree_new(skn_routes, a), &r, a);
        check_gate(&r);
        check_query(r.query, a);
    }
    check_chunks(body);
    check_json(body, a);
    check_round_trip(text, a);
    skn_arena_free(a);
    return 0;
}
