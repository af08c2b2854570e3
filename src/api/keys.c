/* Idempotency-Key: the same request twice is done once.
 *
 * The answer of a success is kept for a day. A failure has changed nothing and may be tried again, so it is not kept. A
 * crash between a change and the keeping of its answer is harmless where the engine knows the key: it gives the first
 * outcome again. Other operations (SKN_ROUTE_ONCE) are marked before they start: after a crash their outcome is unknown,
 * and they are not repeated. */
#include "api/call.h"
#include "base/hash.h"
#include "base/uid.h"

#include <stdlib.h>

enum { BUCKETS = 1024 };

typedef struct running {
    char           *key;
    struct running *next;
} running;

struct skn_keys {
    uint64_t seed;
    running *at[BUCKETS];
};

skn_keys *skn_keys_new(void)
{
    skn_keys *k = skn_heap(sizeof *k);

    k->seed = skn_random();
    return k;
}

void skn_keys_free(skn_keys *k)
{
    for (size_t i = 0; k && i < BUCKETS; i++)
        for (running *r = k->at[i], *next; r; r = next) {
            next = r->next;
            free(r->key);
            free(r);
        }
    free(k);
}

static running **place_of(skn_keys *k, skn_str key)
{
    running **r = &k->at[skn_hash_bytes(k->seed, key) % BUCKETS];

    while (*r && !skn_str_is(key, (*r)->key))
        r = &(*r)->next;
    return r;
}

bool skn_keys_begin(skn_keys *k, skn_str key)
{
    running **place = place_of(k, key);

    if (*place)
        return false;
    *place = skn_heap(sizeof **place);
    (*place)->key = skn_heap_copy(key);
    return true;
}

void skn_keys_end(skn_keys *k, skn_str key)
{
    running **place = place_of(k, key), *r = *place;

    if (!r)
        return;
    *place = r->next;
    free(r->key);
    free(r);
}

/* Method, path (whatever its prefix) with its query, and body. */
int64_t skn_keys_hash(const skn_api_call *c)
{
    skn_sha256 s;
    char       text[SKN_SHA256_TEXT];
    uint64_t   hash = 0;

    skn_sha256_init(&s);
    skn_sha256_add(&s, c->method);
    skn_sha256_add(&s, SKN_STR(" "));
    skn_sha256_add(&s, skn_path_bare(c->path));
    skn_sha256_add(&s, SKN_STR("?"));
    skn_sha256_add(&s, c->query);
    skn_sha256_add(&s, SKN_STR("\n"));
    skn_sha256_add(&s, c->body);
    skn_sha256_text(&s, text);
    for (size_t i = 0; i < 16; i++)
        hash = hash << 4 | (uint64_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    return (int64_t)hash;
}

/* The kept head has one header to a line; the first line is the type. */
static void put_back(skn_api_call *c, const skein_kept_answer *kept)
{
    skn_str rest = kept->head, line;
    bool    first = true;

    c->status = (int)kept->status;
    for (; skn_str_split(&rest, '\n', &line); first = false) {
        ptrdiff_t colon = skn_str_find(line, SKN_STR(": "));

        if (first)
            c->type = skn_arena_copy(c->mem, line).p;
        else if (colon > 0)
            skn_call_add_header(c,
                                skn_arena_copy(c->mem, skn_str_sub(line, 0, (size_t)colon)).p,
                                skn_str_sub(line, (size_t)colon + 2, line.n));
    }
    skn_call_add_header(c, "Idempotency-Replayed", SKN_STR("true"));
    skn_buf_add(&c->out, kept->body);
}

/* Retrying does not help: the client has to look. */
static skein_rc outcome_unknown(skn_api_call *c)
{
    c->more.done = true;
    return skn_call_problem(
        c, 409, "idempotency-running",
        "a request with this key has begun; it is still at work, or its program "
        "has ended, and its outcome is unknown: check it before you repeat it with another "
        "key");
}

/* An engine that knows the key says what is left. Anything else would be done a second time. */
static skein_rc answer_erased(skn_api_call *c)
{
    if (c->route->flags & SKN_ROUTE_KNOWN)
        return SKEIN_OK;
    c->more.done = true;
    return skn_call_problem(c, 409, "idempotency-running",
                            "the first request with this key was done, and its answer has been "
                            "erased since: check before you repeat it with another key");
}

skein_rc skn_keys_find(skn_api_call *c, int64_t hash, bool *again)
{
    skein_kept_answer kept = {0};
    bool              found = false;
    skein_rc rc = skein_answer_find(c->engine, c->key, c->mem, &kept, &found, &c->error);

    *again = false;
    if (rc || !found || kept.status == SKEIN_ANSWER_FAILED)
        return rc;
    if (kept.request != hash)
        return skn_call_problem(c, 422, "idempotency-mismatch",
                                "the Idempotency-Key was used for another request");
    if (kept.status == SKEIN_ANSWER_BEGUN)
        return outcome_unknown(c);
    if (kept.status == SKEIN_ANSWER_ERASED)
        return answer_erased(c);
    put_back(c, &kept);
    *again = true;
    return SKEIN_OK;
}

skein_rc skn_keys_mark(skn_api_call *c, int64_t hash)
{
    bool     begun;
    skein_rc rc = skein_answer_begin(c->engine, c->key, hash, &begun, &c->error);

    return rc || begun
               ? rc
               : skn_call_problem(c, 409, "idempotency-running",
                                  "a request with this Idempotency-Key is still running");
}

static void not_kept(const skn_api_call *c, const skein_error *err)
{
    skn_log_say(c->api->o.log, SKN_LOG_WARN, "the answer to a key could not be kept: %s",
                err->message);
}

void skn_keys_unmark(skn_api_call *c, int64_t hash)
{
    const skein_kept_answer failed = {.key = c->key,
                                      .request = hash,
                                      .status = SKEIN_ANSWER_FAILED,
                                      .head = SKN_STR(""),
                                      .body = SKN_STR("")};
    skein_error             err;

    if (skein_answer_keep(c->engine, &failed, &err))
        not_kept(c, &err);
}

void skn_keys_keep(skn_api_call *c, int64_t hash)
{
    skein_kept_answer kept = {.key = c->key, .request = hash};
    skn_buf           head;
    skein_error       err;

    skn_buf_init(&head, 64 * 1024);
    skn_buf_addf(&head, "%s\n", c->type ? c->type : "application/json");
    for (size_t i = c->admitted; i < c->headers.n; i++)
        skn_buf_addf(&head, "%.*s: %.*s\n", SKN_FMT(c->headers.p[i].name),
                     SKN_FMT(c->headers.p[i].value));
    kept.status = c->status ? c->status : 200;
    kept.head = skn_buf_str(&head);
    kept.body = skn_buf_str(&c->out);
    if (skein_answer_keep(c->engine, &kept, &err))
        not_kept(c, &err);
    skn_buf_release(&head);
}
