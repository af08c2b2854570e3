/* call_read.c: what models were sent and answered, read back. */
#include "engine/core.h"
#include "engine/engine.h"

#define LIST_MOST ((size_t)1000)

typedef struct call {
    skein_mem         *mem;
    int64_t            world, agent, since;
    skn_str            uid;
    size_t             limit;
    skein_model_calls *list;
    skein_model_call  *one;
    int64_t            tokens;
} call;

static skn_str hex(skn_str bytes, skn_arena *a)
{
    static const char digits[] = "0123456789abcdef";
    char             *out = SKN_ARRAY(a, 2 * bytes.n + 1, char);

    for (size_t i = 0; i < bytes.n; i++) {
        unsigned char c = (unsigned char)bytes.p[i];

        out[2 * i] = digits[c >> 4];
        out[2 * i + 1] = digits[c & 15];
    }
    return (skn_str){out, 2 * bytes.n};
}

size_t skn_call_hashes(skn_str request, skn_str response, skn_arena *a, skn_str **out)
{
    size_t n = request.n / SKN_HASH_BYTES;

    *out = SKN_ARRAY(a, n + 1, skn_str);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = hex((skn_str){request.p + i * SKN_HASH_BYTES, SKN_HASH_BYTES}, a);
    if (response.p)
        (*out)[n++] = response;
    return n;
}

/* --- One call ------------------------------------------------------------------------------------- */

static skein_rc join(skn_tx *tx, call *c, const skn_call_row *row, skein_error *err)
{
    skn_str *hashes, *bytes;
    size_t   n = skn_call_hashes(row->request, row->response, c->mem, &hashes);
    skein_rc rc;

    if (n == 0)
        return SKEIN_OK;
    bytes = SKN_ARRAY(c->mem, n, skn_str);
    if ((rc = skn_pieces_read(tx, hashes, n, bytes, c->mem, err)))
        return rc;
    for (size_t i = 0; i < n; i++)
        if (!bytes[i].p)
            return skn_fail(err, SKEIN_DAMAGED, "a piece of call \"%.*s\" is missing",
                            SKN_FMT(row->call.uid));
    c->one->pieces = bytes;
    c->one->piece_count = n - (row->response.p != NULL);
    c->one->response = row->response.p ? bytes[n - 1] : SKN_NONE;
    return SKEIN_OK;
}

/* A program that is killed takes with it what it had sent. */
skein_rc skn_no_call_for(skn_str message, const skein_delivery *failed, skein_error *err)
{
    if (skn_str_is(failed->error, SKN_WENT_AWAY))
        return skn_fail(err, SKEIN_NOT_FOUND,
                        "what was sent to a model for message \"%.*s\" is not known: %.*s "
                        "failed: " SKN_WENT_AWAY,
                        SKN_FMT(message), SKN_FMT(failed->agent));
    return skn_fail(err, SKEIN_NOT_FOUND,
                    "nothing was sent to a model for message \"%.*s\": %.*s failed: %.*s",
                    SKN_FMT(message), SKN_FMT(failed->agent), SKN_FMT(failed->error));
}

static skein_rc get(skn_tx *tx, void *arg, skein_error *err)
{
    call        *c = arg;
    skn_call_row row;
    bool         found;
    skein_rc     rc = skn_call_get(tx, c->world, c->uid, c->mem, &row, &found, err);

    if (rc)
        return rc;
    if (!found)
        return skn_hint(
            err,
            skn_fail(err, SKEIN_NOT_FOUND, "no model was asked for \"%.*s\"", SKN_FMT(c->uid)),
            "Only messages of agents, and those that an agent failed to answer, have a model's "
            "call.");
    *c->one = row.call;
    return join(tx, c, &row, err);
}

skein_rc skein_model_call_get(skein_engine *e, skein_world_id world, skein_str uid,
                              skein_mem *mem, skein_model_call *out, skein_error *err)
{
    call     c = {.mem = mem, .world = world.v, .uid = uid, .one = out};
    skein_rc rc = skn_check_word(uid, "the id", SKN_WORD_MAX, err);

    return rc ? rc : skn_store_read(e->store, get, &c, err);
}

/* --- Lists and sums --------------------------------------------------------------------------------- */

static skein_rc list(skn_tx *tx, void *arg, skein_error *err)
{
    call *c = arg;

    return skn_model_calls_of(tx, c->world, c->uid, c->agent, c->limit, c->mem, c->list, err);
}

skein_rc skein_model_call_list(skein_engine *e, skein_world_id world, skein_str message_uid,
                               skein_agent_id agent, size_t limit, skein_mem *mem,
                               skein_model_calls *out, skein_error *err)
{
    call c = {.mem = mem,
              .world = world.v,
              .agent = agent.v,
              .uid = message_uid,
              .limit = limit == 0          ? 100
                       : limit > LIST_MOST ? LIST_MOST
                                           : limit,
              .list = out};

    return skn_store_read(e->store, list, &c, err);
}

static skein_rc sum(skn_tx *tx, void *arg, skein_error *err)
{
    call *c = arg;

    return skn_call_tokens(tx, c->world, c->since, &c->tokens, err);
}

skein_rc skein_tokens_spent(skein_engine *e, skein_world_id world, int64_t since,
                            int64_t *tokens, skein_error *err)
{
    call     c = {.world = world.v, .since = since};
    skein_rc rc = skn_store_read(e->store, sum, &c, err);

    *tokens = c.tokens;
    return rc;
}

typedef struct uses_call {
    int64_t           since;
    skein_mem        *mem;
    skein_model_uses *out;
} uses_call;

static skein_rc list_uses(skn_tx *tx, void *arg, skein_error *err)
{
    uses_call *c = arg;

    return skn_call_spending(tx, c->since, c->mem, c->out, err);
}

skein_rc skein_models_used(skein_engine *e, int64_t since, skein_mem *mem,
                           skein_model_uses *out, skein_error *err)
{
    uses_call c = {since, mem, out};

    *out = (skein_model_uses){0};
    return skn_store_read(e->store, list_uses, &c, err);
}
