/* model_calls.c: keeping what models were sent and answered. A request comes in pieces, each of which is kept
 * once, by the hash of its bytes. */
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/work/act.h"

#include <stdlib.h>

#define PIECES_MAX  ((size_t)1 << 17)
#define REQUEST_MAX ((size_t)256 << 20) /* bytes of all pieces */
#define ERROR_MAX   ((size_t)2000)
#define MADE_OF_MAX ((size_t)8 << 20)

/* --- Pieces -------------------------------------------------------------------------------------- */

/* The pieces of a request, then the response. */
typedef struct pieces {
    const skein_model_call *call;
    size_t                  count;
    skn_str                *hashes;
    bool                   *known;
} pieces;

static skn_str piece_at(const pieces *p, size_t i)
{
    return i < p->call->piece_count ? p->call->pieces[i] : p->call->response;
}

/* Too much is not kept at all; what it cost is. */
static bool fits(const skein_model_call *c)
{
    size_t all = c->response.n;

    if (c->piece_count > PIECES_MAX || c->made_of.n > MADE_OF_MAX)
        return false;
    for (size_t i = 0; i < c->piece_count && all <= REQUEST_MAX; i++)
        all += c->pieces[i].n;
    return all <= REQUEST_MAX;
}

static void hash_all(pieces *p, skn_arena *a)
{
    p->hashes = SKN_ARRAY(a, p->count, skn_str);
    for (size_t i = 0; i < p->count; i++) {
        char       text[SKN_SHA256_TEXT];
        skn_sha256 h;

        skn_sha256_init(&h);
        skn_sha256_add(&h, piece_at(p, i));
        p->hashes[i] = skn_arena_copy(a, skn_sha256_text(&h, text));
    }
}

typedef struct fresh {
    skn_str hash;
    size_t  at;
} fresh;

static int by_hash(const void *a, const void *b)
{
    return skn_str_cmp(((const fresh *)a)->hash, ((const fresh *)b)->hash);
}

/* All writers take them in the same order, so that no two wait for each other. */
static skein_rc insert_new(skn_working *w, const pieces *p, skein_error *err)
{
    fresh   *list = SKN_ARRAY(w->a, p->count, fresh);
    size_t   n = 0;
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; i < p->count; i++)
        if (!p->known[i])
            list[n++] = (fresh){p->hashes[i], i};
    if (n == 0)
        return SKEIN_OK;
    qsort(list, n, sizeof *list, by_hash);
    for (size_t i = 0; rc == SKEIN_OK && i < n; i++)
        if (i == 0 || !skn_str_eq(list[i].hash, list[i - 1].hash))
            rc = skn_piece_insert(w->tx, list[i].hash, piece_at(p, list[i].at), err);
    return rc;
}

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* The hashes of the request as their bytes. */
static skn_str pack(const pieces *p, skn_arena *a)
{
    size_t         n = p->call->piece_count;
    unsigned char *out = SKN_ARRAY(a, n * SKN_HASH_BYTES + 1, unsigned char);

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < SKN_HASH_BYTES; k++)
            out[i * SKN_HASH_BYTES + k] = (unsigned char)(digit(p->hashes[i].p[2 * k]) << 4 |
                                                          digit(p->hashes[i].p[2 * k + 1]));
    return (skn_str){(const char *)out, n * SKN_HASH_BYTES};
}

/* What was read before text was erased may hold that text. */
static skein_rc keep_pieces(skn_working *w, const skein_model_call *call, int64_t asked,
                            skn_call_row *row, skein_error *err)
{
    pieces   p = {.call = call, .count = call->piece_count + (call->response.p != NULL)};
    int64_t  erased_at;
    skein_rc rc;

    if (p.count == 0 || !fits(call))
        return SKEIN_OK;
    hash_all(&p, w->a);
    p.known = SKN_ARRAY(w->a, p.count, bool);
    if ((rc = skn_pieces_share(w->tx, err)) ||
        (rc = skn_pieces_known(w->tx, p.hashes, p.count, p.known, &erased_at, w->a, err)))
        return rc;
    if (erased_at >= asked) {
        row->call.error = SKN_NONE;
        return SKEIN_OK;
    }
    row->call.made_of = call->made_of;
    row->request = pack(&p, w->a);
    row->response = call->response.p ? p.hashes[call->piece_count] : SKN_NONE;
    return insert_new(w, &p, err);
}

/* --- The call -------------------------------------------------------------------------------------- */

/* A provider's words need not be text. */
static skn_str readable(skn_str s)
{
    size_t bad;

    s = skn_utf8_cut(s, ERROR_MAX);
    return !s.p || skn_utf8_valid(s, &bad) ? s : skn_str_sub(s, 0, bad);
}

skein_rc skn_call_keep(skn_working *w, const skein_model_call *call, skn_str *uid,
                       skein_error *err)
{
    skn_call_row row = {.call = *call, .request = SKN_STR("")};
    int64_t      asked = call->created_at ? call->created_at : w->now - call->total_ms * 1000;
    char         made[11];
    skein_rc     rc;

    row.call.created_at = asked;
    row.call.made_of = SKN_NONE; /* with the pieces, or not at all */
    row.call.error = readable(call->error);
    row.call.model = call->model.p ? call->model : SKN_STR("");
    row.call.state = call->state.p ? call->state : SKN_STR("answered");
    skn_tx_uid(w->tx, made);
    row.call.uid = skn_arena_printf(w->a, "call_%s", made);
    if ((rc = keep_pieces(w, call, asked, &row, err)) ||
        (rc = skn_call_insert(w->tx, &row, err)))
        return rc;
    *uid = row.call.uid;
    return SKEIN_OK;
}

/* --- A call by itself, and one of what is stored with it -------------------------------------------------------------------------------- */

typedef struct keeping {
    const skein_model_call *call;
    skein_mem              *mem;
    skein_str              *uid;
} keeping;

static skein_rc check_purpose(skn_str purpose, skein_error *err)
{
    if (skn_str_among(purpose, "turn summary squash knowledge"))
        return SKEIN_OK;
    return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a purpose of a model's call",
                    SKN_FMT(skn_utf8_cut(purpose, 40)));
}

static skein_rc check_made_of(skn_str made_of, skein_error *err)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_- \n";

    for (size_t i = 0; i < made_of.n; i++)
        if (!memchr(allowed, made_of.p[i], sizeof allowed - 1))
            return skn_fail(err, SKEIN_INVALID,
                            "what a model's call was made of is not a list of message ids");
    return SKEIN_OK;
}

static skein_rc check_call(const skein_model_call *call, skein_error *err)
{
    skein_rc rc;

    if ((rc = check_purpose(call->purpose, err)) || (rc = check_made_of(call->made_of, err)) ||
        (rc = skn_check_word(call->model, "the model's name", SKN_WORD_MAX, err)))
        return rc;
    return skn_check_word(call->state, "the state of the call", SKN_WORD_MAX, err);
}

skein_rc skn_call_keep_with(skn_working *w, skein_model_call *call,
                            const skn_conversation_row *chat, skn_str message, skein_error *err)
{
    skein_model_call kept;
    skein_rc         rc;

    if (!call)
        return SKEIN_OK;
    if ((rc = check_call(call, err)))
        return rc;
    kept = *call;
    kept.world.v = chat->world_id;
    kept.chat.v = chat->id;
    kept.message_uid = message;
    return skn_call_keep(w, &kept, &call->uid, err);
}

static skein_rc keep_call(skn_working *w, void *arg, skein_error *err)
{
    keeping             *k = arg;
    skein_model_call     call = *k->call;
    skn_conversation_row row;
    skein_world          world;
    skein_rc             rc;

    if ((rc = skn_world_need(w->tx, call.world.v, k->mem, &world, err)) ||
        (call.chat.v && (rc = skn_conversation_need(w->tx, call.chat, k->mem, &row, err))))
        return rc;
    if (call.chat.v && row.world_id != world.id.v)
        return skn_fail(err, SKEIN_INVALID, "conversation \"%.*s\" is in another world",
                        SKN_FMT(row.uid));
    return skn_call_keep(w, &call, k->uid, err);
}

skein_rc skein_model_call_keep(skein_engine *e, const skein_model_call *call, skein_mem *mem,
                               skein_str *uid, skein_error *err)
{
    keeping  k = {call, mem, uid};
    skein_rc rc = check_call(call, err);

    return rc ? rc : skn_write(e, mem, keep_call, &k, err);
}

/* What models were sent and answered, read back. */

#define LIST_MOST ((size_t)1000)

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

static skein_rc join(skn_tx *tx, const skn_call_row *row, skn_arena *a, skein_model_call *out,
                     skein_error *err)
{
    skn_str *hashes, *bytes;
    size_t   n = skn_call_hashes(row->request, row->response, a, &hashes);
    skein_rc rc;

    *out = row->call;
    if (n == 0)
        return SKEIN_OK;
    bytes = SKN_ARRAY(a, n, skn_str);
    if ((rc = skn_pieces_read(tx, hashes, n, bytes, a, err)))
        return rc;
    for (size_t i = 0; i < n; i++)
        if (!bytes[i].p)
            return skn_fail(err, SKEIN_DAMAGED, "a piece of call \"%.*s\" is missing",
                            SKN_FMT(row->call.uid));
    out->pieces = bytes;
    out->piece_count = n - (row->response.p != NULL);
    out->response = row->response.p ? bytes[n - 1] : SKN_NONE;
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

skein_rc skein_model_call_get(skein_engine *e, skein_world_id world, skein_str uid,
                              skein_mem *mem, skein_model_call *out, skein_error *err)
{
    skn_call_row row;
    bool         found = true;
    skn_snapshot s = {.store = e->store};

    s.rc = skn_check_word(uid, "the id", SKN_WORD_MAX, err);
    while (skn_snapshot_next(&s, err))
        if (!(s.rc = skn_call_get(s.tx, world.v, uid, mem, &row, &found, err)) && found)
            s.rc = join(s.tx, &row, mem, out, err);
    if (s.rc || found)
        return s.rc;
    return skn_fail_hint(
        err, SKEIN_NOT_FOUND,
        "Only messages of agents, and those that an agent failed to answer, have a model's "
        "call.",
        "no model was asked for \"%.*s\"", SKN_FMT(uid));
}

/* --- Lists and sums --------------------------------------------------------------------------------- */

skein_rc skein_model_call_list(skein_engine *e, skein_world_id world, skein_str message_uid,
                               skein_agent_id agent, size_t limit, skein_mem *mem,
                               skein_model_calls *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    limit = limit == 0 ? 100 : limit > LIST_MOST ? LIST_MOST : limit;
    while (skn_snapshot_next(&s, err))
        s.rc = skn_model_calls_of(s.tx, world.v, message_uid, agent.v, limit, mem, out, err);
    return s.rc;
}

skein_rc skein_costs_read(skein_engine *e, skein_world_id world,
                          skein_conversation_id conversation, int64_t since, skein_str by,
                          skein_mem *mem, skein_costs *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_costs){0};
    if (!skn_str_among(by, "world agent chat message turn model purpose day month"))
        return skn_fail(err, SKEIN_INVALID,
                        "costs are told by world, agent, chat, message, turn, model, purpose, "
                        "day or month");
    while (skn_snapshot_next(&s, err))
        s.rc = skn_call_costs(s.tx, by, world.v, since, conversation.v, mem, out, err);
    return s.rc;
}

/* What models were sent goes with the messages that were in it. Which of them a request had
 * cannot be told from its bytes, so all calls of the conversations concerned are emptied. */

/* A piece of a call that is emptied. */
typedef struct piece {
    skn_str hash;
    bool    used; /* by a call that stays */
} piece;

typedef struct leaving {
    skn_arena *a;
    skn_map   *by_hash;
    skn_vec(piece *) all;
    bool       collect; /* else: mark what is used */
    skn_arena *scratch;
} leaving;

static skein_rc look_at_call(void *arg, skn_str uid, skn_str request, skn_str response,
                             skein_error *err)
{
    leaving *l = arg;
    skn_str *hashes;
    size_t   n;

    (void)uid;
    (void)err;
    skn_arena_reset(l->scratch);
    n = skn_call_hashes(request, response, l->scratch, &hashes);
    for (size_t i = 0; i < n; i++) {
        piece *p = skn_map_get(l->by_hash, hashes[i]);

        if (p && !l->collect)
            p->used = true;
        if (p || !l->collect)
            continue;
        p = SKN_NEW(l->a, piece);
        p->hash = skn_arena_copy(l->a, hashes[i]);
        *skn_map_slot(l->by_hash, p->hash) = p;
        skn_vec_add(l->a, &l->all, p);
    }
    return SKEIN_OK;
}

static skein_rc erase(skn_working *w, leaving *l, const skn_ids *conversations,
                      skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    l->collect = true;
    for (size_t i = 0; rc == SKEIN_OK && i < conversations->count; i++)
        if (!(rc = skn_call_each(w->tx, conversations->at[i], look_at_call, l, err)))
            rc = skn_call_erase(w->tx, conversations->at[i], err);
    l->collect = false;
    if (rc == SKEIN_OK && l->all.n > 0)
        rc = skn_call_each(w->tx, 0, look_at_call, l, err);
    for (size_t i = 0; rc == SKEIN_OK && i < l->all.n; i++)
        if (!l->all.p[i]->used)
            rc = skn_piece_remove(w->tx, l->all.p[i]->hash, err);
    return rc;
}

skein_rc skn_calls_erase(skn_working *w, const skn_ids *conversations, skein_error *err)
{
    leaving  l = {.a = w->a, .by_hash = skn_map_new(w->a), .scratch = skn_arena_new()};
    skein_rc rc;

    if (!(rc = skn_pieces_hold(w->tx, err)) && !(rc = skn_pieces_erased(w->tx, w->now, err)))
        rc = erase(w, &l, conversations, err);
    skn_arena_free(l.scratch);
    return rc;
}
