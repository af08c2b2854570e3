#include "http/sessions.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LINKS_MOST = 16 };

typedef struct once {
    char    hash[SKN_SHA256_TEXT]; /* empty: none */
    int64_t expires_at;
} once;

struct skn_sessions_kept {
    pthread_mutex_t mu;
    /* All below is guarded by mu. */
    skn_arena   *a; /* of the list */
    skn_sessions list;
    once         links[LINKS_MOST];
    size_t       next_link;
    int64_t      changes; /* of the list by this server: what was read before one is old */
    int64_t      read_ms; /* when it was last read; monotonic */
    bool         reading, loaded;
};

/* A list as it stands in the store. */
typedef struct reading {
    skn_http    *http;
    skn_arena   *a;
    skn_sessions list;
    int64_t      changes;
    skein_rc     rc;
} reading;

static void make_secret(char out[SKN_SECRET_TEXT])
{
    for (size_t i = 0; i < 4; i++)
        snprintf(out + 16 * i, 17, "%016" PRIx64, skn_random());
}

skn_sessions_kept *skn_sessions_new(void)
{
    skn_sessions_kept *k = skn_heap(sizeof *k);

    pthread_mutex_init(&k->mu, NULL);
    k->a = skn_arena_new();
    return k;
}

void skn_sessions_free(skn_sessions_kept *k)
{
    if (!k)
        return;
    pthread_mutex_destroy(&k->mu);
    skn_arena_free(k->a);
    free(k);
}

/* --- Who it is ------------------------------------------------------------------------------- */

/* The hash reveals nothing of the secret, so a plain comparison is safe. */
bool skn_sessions_find(skn_sessions_kept *k, skn_str secret, int64_t peer_uid,
                       char uid[SKN_UID_LEN + 1])
{
    char    hash[SKN_SHA256_TEXT];
    int64_t now = skn_clock_micros();
    bool    found = false;

    if (secret.n != SKN_SECRET_TEXT - 1)
        return false;
    skn_sha256_of(secret, hash);
    pthread_mutex_lock(&k->mu);
    for (size_t i = 0; !found && i < k->list.count; i++) {
        const skn_session *s = &k->list.at[i];

        found = skn_str_is(s->hash, hash) && s->expires_at > now && s->peer_uid == peer_uid;
        if (found)
            snprintf(uid, SKN_UID_LEN + 1, "%.*s", SKN_FMT(s->uid));
    }
    pthread_mutex_unlock(&k->mu);
    return found;
}

bool skn_sessions_loaded(skn_sessions_kept *k)
{
    bool loaded;

    pthread_mutex_lock(&k->mu);
    loaded = k->loaded;
    pthread_mutex_unlock(&k->mu);
    return loaded;
}

bool skn_sessions_has(skn_sessions_kept *k, skn_str uid)
{
    bool has = false;

    pthread_mutex_lock(&k->mu);
    for (size_t i = 0; !has && i < k->list.count; i++)
        has = skn_str_eq(k->list.at[i].uid, uid);
    pthread_mutex_unlock(&k->mu);
    return has;
}

/* --- The copy -------------------------------------------------------------------------------- */

static skn_session copy_session(skn_arena *a, const skn_session *s)
{
    skn_session copy = *s;

    copy.uid = skn_arena_copy(a, s->uid);
    copy.hash = skn_arena_copy(a, s->hash);
    copy.label = skn_arena_copy(a, s->label);
    return copy;
}

/* Its sessions but `without`, then `more`, which may be NULL, in an arena of their own. */
static void replace_locked(skn_sessions_kept *k, skn_str without, const skn_session *more)
{
    skn_arena   *a = skn_arena_new();
    skn_sessions to = {SKN_ARRAY(a, k->list.count + 1, skn_session), 0};

    for (size_t i = 0; i < k->list.count; i++)
        if (!skn_str_eq(k->list.at[i].uid, without))
            to.at[to.count++] = copy_session(a, &k->list.at[i]);
    if (more)
        to.at[to.count++] = copy_session(a, more);
    skn_arena_free(k->a);
    k->a = a;
    k->list = to;
    k->changes++;
}

void skn_sessions_all(skn_sessions_kept *k, skn_arena *a, skn_sessions *out)
{
    pthread_mutex_lock(&k->mu);
    *out = (skn_sessions){SKN_ARRAY(a, k->list.count + 1, skn_session), k->list.count};
    for (size_t i = 0; i < out->count; i++)
        out->at[i] = copy_session(a, &k->list.at[i]);
    pthread_mutex_unlock(&k->mu);
}

static void work_read(void *arg)
{
    reading    *r = arg;
    skein_error err;

    r->rc = skn_session_list(r->http->o.engine, skn_clock_micros(), r->a, &r->list, &err);
}

static void was_read(void *arg)
{
    reading           *r = arg;
    skn_sessions_kept *k = r->http->sessions;
    skn_http          *h = r->http;

    pthread_mutex_lock(&k->mu);
    k->reading = false;
    k->loaded |= !r->rc;
    if (!r->rc && r->changes == k->changes) {
        skn_arena_free(k->a);
        k->a = r->a;
        k->list = r->list;
        r->a = NULL;
    }
    pthread_mutex_unlock(&k->mu);
    skn_arena_free(r->a);
    free(r);
    h->calls--;
    skn_http_call_ended(h);
}

void skn_sessions_refresh(skn_http *h, int64_t now_ms)
{
    skn_sessions_kept *k = h->sessions;
    reading           *r = NULL;

    if (!h->o.engine || h->closing)
        return;
    pthread_mutex_lock(&k->mu);
    k->loaded |= h->o.read_only; /* its sessions are only here */
    if (!h->o.read_only && !k->reading &&
        (!k->read_ms || now_ms - k->read_ms >= SKN_SESSIONS_MS)) {
        k->reading = true;
        k->read_ms = now_ms;
        r = skn_heap(sizeof *r);
        *r = (reading){.http = h, .a = skn_arena_new(), .changes = k->changes};
    }
    pthread_mutex_unlock(&k->mu);
    if (!r)
        return;
    h->calls++; /* so that the server does not go meanwhile */
    skn_workers_run(h->o.inner, work_read, was_read, r);
}

/* --- Signing in and out ---------------------------------------------------------------------- */

skein_rc skn_sessions_begin(skn_api_call *c, skn_str label, skn_str with,
                            char secret[SKN_SECRET_TEXT], skn_session *out)
{
    skn_http          *h = c->by->http;
    skn_sessions_kept *k = h->sessions;
    char               uid[SKN_UID_LEN + 1], hash[SKN_SHA256_TEXT];
    skein_rc           rc = SKEIN_OK;

    make_secret(secret);
    skn_sha256_of(skn_str_of(secret), hash);
    skn_uid_next(h->ids, uid);
    *out = (skn_session){.uid = skn_arena_copy(c->mem, skn_str_of(uid)),
                         .hash = skn_arena_copy(c->mem, skn_str_of(hash)),
                         .label = label,
                         .peer_uid = skn_conn_peer(c->by->conn)->uid,
                         .created_at = skn_clock_micros()};
    out->expires_at = out->created_at + SKN_SESSION_MICROS;
    if (!h->o.read_only) /* else it lasts as long as this server */
        rc = skn_session_put(c->engine, out, with, &c->error);
    if (rc)
        return rc;
    pthread_mutex_lock(&k->mu);
    replace_locked(k, k->list.count >= SKN_SESSIONS_MOST ? k->list.at[0].uid : SKN_NONE, out);
    pthread_mutex_unlock(&k->mu);
    return SKEIN_OK;
}

skein_rc skn_sessions_end(skn_api_call *c, skn_str uid, int64_t *gone)
{
    skn_http          *h = c->by->http;
    skn_sessions_kept *k = h->sessions;
    skein_rc           rc = SKEIN_OK;
    int64_t            here;

    *gone = 0;
    if (!h->o.read_only)
        rc = skn_session_remove(c->engine, uid, gone, &c->error);
    if (rc)
        return rc;
    pthread_mutex_lock(&k->mu);
    here = (int64_t)k->list.count;
    if (!uid.p)
        k->list.count = 0;
    replace_locked(k, uid, NULL);
    here -= (int64_t)k->list.count;
    pthread_mutex_unlock(&k->mu);
    if (here > *gone)
        *gone = here;
    return SKEIN_OK;
}

/* --- Links ----------------------------------------------------------------------------------- */

void skn_link_new(skn_sessions_kept *k, char code[SKN_SECRET_TEXT], int64_t *expires_at)
{
    once *l;

    make_secret(code);
    *expires_at = skn_clock_micros() + SKN_LINK_MICROS;
    pthread_mutex_lock(&k->mu);
    l = &k->links[k->next_link++ % LINKS_MOST];
    skn_sha256_of(skn_str_of(code), l->hash);
    l->expires_at = *expires_at;
    pthread_mutex_unlock(&k->mu);
}

bool skn_link_take(skn_sessions_kept *k, skn_str code)
{
    char hash[SKN_SHA256_TEXT];
    bool found = false;

    skn_sha256_of(code, hash);
    pthread_mutex_lock(&k->mu);
    for (size_t i = 0; !found && i < LINKS_MOST; i++) {
        once *l = &k->links[i];

        if (strcmp(l->hash, hash) != 0)
            continue;
        found = l->expires_at > skn_clock_micros();
        l->hash[0] = '\0';
    }
    pthread_mutex_unlock(&k->mu);
    return found;
}
