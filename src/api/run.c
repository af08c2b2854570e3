/* From an admitted request to its answer. */
#include "api/call.h"
#include "base/url.h"

enum {
    COPIES = 4,       /* of a text on its way into the store, at most */
    FILE_COPIES = 10, /* of a file that is imported: it is read whole */
    SMALL_BODY = 16 * 1024,
    MESSAGE_BYTES = 1024, /* of one, in what is made of a whole conversation, beside its text */
    UPLOAD_BYTES = 64,    /* of a byte of a file whose messages are short */
    LARGE = 16 * 1024 * 1024
};

#define LARGE_MOST ((size_t)1024 * 1024 * 1024) /* what large calls need together */

size_t skn_api_need(const skn_api_call *c)
{
    bool   file = c->route->flags & SKN_ROUTE_UPLOAD;
    size_t values, most = file ? SKN_JSON_VALUES : SKN_VALUES_MAX;

    if (c->route->flags & SKN_ROUTE_PLAIN || c->body.n <= SMALL_BODY)
        return 0;
    if (c->route->flags & SKN_ROUTE_BYTES)
        return COPIES * c->body.n;
    values = skn_json_guess(c->body);
    return (values < most ? values : most) * sizeof(skn_json) +
           (file ? FILE_COPIES : COPIES) * c->body.n;
}

bool skn_api_has_memory(skn_api_call *c, size_t others)
{
    size_t need = skn_api_need(c);

    if (c->route->flags & SKN_ROUTE_PLAIN)
        return true;
    if (!skn_heap_has(SKN_HEADROOM + (need ? others + need : 0)))
        return false;
    return !need || c->route->flags & SKN_ROUTE_UPLOAD || skn_arena_reserve(c->mem, need);
}

skein_rc skn_api_no_memory(skn_api_call *c)
{
    return skn_call_problem(c, 503, "overloaded",
                            "there is not enough memory for this request just now");
}

static void tag_answer(skn_api_call *c)
{
    if (!c->status && !c->type && c->route && strcmp(c->route->method, "GET") == 0)
        skn_call_tag_body(c);
}

static void shorten(skn_api_call *c)
{
    if (!c->minimal || !c->route || !(c->route->flags & SKN_ROUTE_CHANGES))
        return;
    c->status = !c->status || c->status == 200 ? 204 : c->status;
    skn_buf_clear(&c->out);
    skn_call_add_header(c, "Preference-Applied", SKN_STR("return=minimal"));
}

/* A failure that no handler expected: whether something was changed is not known. */
static bool surprised(const skn_api_call *c)
{
    bool changes = c->ran && c->route->flags & SKN_ROUTE_CHANGES;

    return changes && (!c->problem || c->out.starved) &&
           (c->rc == SKEIN_FAILED || c->rc == SKEIN_IO || c->rc == SKEIN_NO_MEMORY);
}

/* The change was made, but its result could not be read: the answer has only the place. */
static bool made_all_the_same(skn_api_call *c)
{
    if (!surprised(c) || c->status != 201)
        return false;
    c->minimal = true;
    c->rc = SKEIN_OK;
    return true;
}

/* How to find out: by the key, if the engine knows it; otherwise by looking. */
static void tell_unknown(skn_api_call *c)
{
    bool known = c->key.p && c->route->flags & SKN_ROUTE_KNOWN;

    c->more.done = !known;
    c->more.again = known;
    c->problem_extra = SKN_STR("\"outcome\":\"unknown\"");
    skn_hint(&c->error, c->rc,
             known      ? "The outcome is unknown. Send the request again with the same "
                          "Idempotency-Key: it runs once, and you get the result."
             : c->key.p ? "The outcome is unknown: check it. With the same Idempotency-Key the "
                          "request does not run again."
                        : "The outcome is unknown: check it before you repeat the request. A "
                          "request with an Idempotency-Key can be repeated: it runs once.");
}

/* An early answer is not kept: the engine knows the message by the key, and a repeated request waits for the rest. */
void skn_api_complete(skn_api_call *c)
{
    bool keep = c->key.p && !c->early;

    if (c->rc == SKEIN_OK && c->out.starved)
        c->rc = skn_api_no_memory(c);
    else if (c->rc == SKEIN_OK && c->out.over)
        c->rc = skn_call_problem(c, 413, "too-large", "the answer is larger than %zu bytes",
                                 c->out.limit);
    if (c->rc && !made_all_the_same(c)) {
        if (c->rc == SKEIN_FULL)
            atomic_store(&c->api->full, true);
        if (surprised(c))
            tell_unknown(c);
        else if (c->marked)
            skn_keys_unmark(c, c->hash);
        skn_problem_write(c);
        return;
    }
    if (c->replayed)
        return;
    if (c->route && c->route->flags & SKN_ROUTE_CHANGES)
        atomic_store(&c->api->full, false);
    if (!c->status && !c->out.n && c->route && c->route->flags & SKN_ROUTE_CHANGES)
        c->status = 204;
    tag_answer(c);
    shorten(c);
    if (keep && c->status < 300)
        skn_keys_keep(c, c->hash);
}

/* The answer that was kept under the key stays for the next request. */
void skn_api_lose_answer(skn_api_call *c)
{
    skn_buf_release(&c->out);
    c->out.starved = true;
    c->rc = skn_api_no_memory(c);
    if (surprised(c))
        tell_unknown(c);
    skn_problem_write(c);
}

skein_rc skn_api_route(skn_api_call *c, const skn_match *m)
{
    if (!m->allow.p)
        return skn_call_problem(c, 404, "not-found", "there is nothing at \"%.*s\"",
                                SKN_FMT(c->path));
    if (!m->route) {
        skn_call_add_header(c, "Allow", m->allow);
        return skn_call_problem(c, 405, "method", "\"%.*s\" is not possible here: %.*s",
                                SKN_FMT(c->method), SKN_FMT(m->allow));
    }
    if (m->bad || !skn_query_valid(c->query, c->mem))
        return skn_call_problem(c, 400, "bad-request", "the address does not decode to UTF-8");
    c->route = m->route;
    c->run = m->route->run;
    memcpy(c->params, m->params, sizeof c->params);
    return SKEIN_OK;
}

/* A dry run must not change anything. */
static skein_rc check_dry(skn_api_call *c)
{
    bool     dry = false;
    skein_rc rc;

    if (c->route->flags & SKN_ROUTE_DRY ||
        !(c->route->flags & (SKN_ROUTE_CHANGES | SKN_ROUTE_SIGN)))
        return SKEIN_OK;
    if ((rc = skn_api_flag(c, "dryRun", &dry)) || !dry)
        return rc;
    return skn_call_invalid(c, "/dryRun", "is not possible here; nothing was changed");
}

void skn_api_prepare(skn_api_call *c)
{
    c->rc = skn_read_body(c);
    if (c->rc == SKEIN_OK)
        c->rc = check_dry(c);
    if (c->rc == SKEIN_OK && c->key.p) {
        c->hash = skn_keys_hash(c);
        c->rc = skn_keys_find(c, c->hash, &c->replayed);
        if (c->rc == SKEIN_OK && !c->replayed && c->route->flags & SKN_ROUTE_ONCE)
            c->marked = (c->rc = skn_keys_mark(c, c->hash)) == SKEIN_OK;
    }
}

static size_t large_need(const skn_api_call *c)
{
    size_t need = c->route->flags & SKN_ROUTE_WHOLE    ? (size_t)c->chat.length * MESSAGE_BYTES
                  : c->route->flags & SKN_ROUTE_BYTES  ? 0
                  : c->route->flags & SKN_ROUTE_UPLOAD ? c->body.n * UPLOAD_BYTES
                                                       : 0;

    return need < LARGE ? 0 : need;
}

/* Large calls at the same time must not end the process together. One alone looks for itself that it finds memory, and
 * is never refused here. */
static bool take_large(skn_api_call *c)
{
    skn_api *api = c->api;
    size_t   need = large_need(c);
    bool     fits;

    if (!need)
        return true;
    pthread_mutex_lock(&api->mu);
    fits = !api->large ||
           (api->large + need <= LARGE_MOST && skn_heap_has(SKN_HEADROOM + api->large + need));
    if (fits) {
        api->large += need;
        c->large = need;
    }
    pthread_mutex_unlock(&api->mu);
    return fits;
}

void skn_api_release(skn_api_call *c)
{
    if (!c->large)
        return;
    pthread_mutex_lock(&c->api->mu);
    c->api->large -= c->large;
    pthread_mutex_unlock(&c->api->mu);
    c->large = 0;
}

static skein_rc run_operation(skn_api_call *c)
{
    skein_rc rc = c->route->flags & SKN_ROUTE_SERVED ? SKEIN_OK : skn_find_named(c);

    if (rc)
        return rc;
    if (!take_large(c))
        return skn_api_no_memory(c);
    c->ran = true;
    return c->run ? c->run(c)
                  : skn_call_problem(c, 501, "server-needed", "only a server does this");
}

void skn_api_run(skn_api_call *c)
{
    skn_api_prepare(c);
    if (c->rc == SKEIN_OK && !c->replayed)
        c->rc = run_operation(c);
    skn_api_complete(c);
}

/* What a request asks for, beside what its route does. */

enum { WAIT_MOST_S = 120, KEY_MOST = 255 };

void skn_read_prefer(skn_api_call *c)
{
    skn_str list = skn_call_header(c, "Prefer"), piece;
    int64_t seconds;

    while (list.p && skn_str_split(&list, ',', &piece)) {
        piece = skn_str_trim(piece);
        if (skn_str_is(piece, "respond-async"))
            c->async = true;
        else if (skn_str_is(piece, "return=minimal"))
            c->minimal = true;
        else if (skn_str_starts(piece, SKN_STR("wait=")) &&
                 skn_str_int(skn_str_sub(piece, 5, piece.n), &seconds) && seconds > 0)
            c->wait_ms = (seconds < WAIT_MOST_S ? seconds : WAIT_MOST_S) * 1000;
    }
    list = skn_call_header(c, "Accept");
    while (list.p && skn_str_split(&list, ',', &piece))
        if (skn_str_starts(skn_str_trim(piece), SKN_STR("text/event-stream")))
            c->wants_stream = true;
}

static bool is_json(skn_str type)
{
    skn_str word = type;

    skn_str_split(&type, ';', &word);
    word = skn_str_trim(word);
    return skn_str_is_word(word, "application/json") ||
           (word.n > 5 && skn_str_is_word(skn_str_sub(word, word.n - 5, word.n), "+json"));
}

skein_rc skn_read_body(skn_api_call *c)
{
    skn_str  type = skn_call_header(c, "Content-Type");
    skein_rc rc;

    if (!c->body.n || c->route->flags & SKN_ROUTE_UPLOAD || skn_str_is(c->method, "GET"))
        return SKEIN_OK;
    if (type.p && !is_json(type)) {
        rc = skn_call_problem(c, 415, "media-type", "\"%.*s\" is not understood here",
                              SKN_FMT(type));
        return skn_hint(&c->error, rc, "Send JSON with \"Content-Type: application/json\".");
    }
    rc = skn_json_parse_few(&c->json, c->body, "the body", SKN_VALUES_MAX, c->mem, &c->error);
    if (rc == SKEIN_LIMIT || rc == SKEIN_NO_MEMORY)
        return rc;
    if (rc)
        return skn_call_invalid(c, "",
                                skn_arena_text(c->mem, "is not JSON: %s", c->error.message));
    if (c->json->kind == SKN_JSON_OBJECT ||
        (c->json->kind == SKN_JSON_ARRAY && c->route->flags & SKN_ROUTE_LIST))
        return SKEIN_OK;
    return skn_call_invalid(c, "", "must be an object");
}

skein_rc skn_read_key(skn_api_call *c)
{
    skn_str key = skn_call_header(c, "Idempotency-Key");

    if (!key.p || !(c->route->flags & SKN_ROUTE_CHANGES))
        return SKEIN_OK;
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] <= ' ' || key.p[i] > '~')
            key.n = 0;
    if (key.n < 1 || key.n > KEY_MOST)
        return skn_call_problem(c, 400, "validation",
                                "Idempotency-Key must be 1 to 255 visible characters");
    c->key = key;
    return SKEIN_OK;
}
