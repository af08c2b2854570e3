/* session.c: browsers that are signed in. The server decides who is; here it is kept. */
#include "engine/core.h"
#include "engine/engine.h"

typedef struct session_call {
    skein_engine      *e;
    const skn_session *what;
    skn_str            uid, with;
    skein_mem         *mem;
    skn_sessions      *out;
    int64_t            now, *gone;
} session_call;

static skein_rc session_put(skn_tx *tx, void *arg, skein_error *err)
{
    session_call *c = arg;
    skein_rc      rc = skn_session_insert(tx, c->what, err);

    if (rc || (rc = skn_session_trim(tx, c->now, SKN_SESSIONS_MOST, err)))
        return rc;
    return skn_audit_in(tx, c->e, "sign-in", c->what->uid, c->with, err);
}

skein_rc skn_session_put(skein_engine *e, const skn_session *what, skn_str with,
                         skein_error *err)
{
    session_call c = {.e = e, .what = what, .with = with, .now = what->created_at};

    return skn_store_write(e->store, session_put, &c, err);
}

static skein_rc session_list(skn_tx *tx, void *arg, skein_error *err)
{
    session_call *c = arg;

    return skn_session_rows(tx, c->now, c->mem, c->out, err);
}

skein_rc skn_session_list(skein_engine *e, int64_t now, skein_mem *mem, skn_sessions *out,
                          skein_error *err)
{
    session_call c = {.now = now, .mem = mem, .out = out};

    *out = (skn_sessions){0};
    return skn_store_read(e->store, session_list, &c, err);
}

static skein_rc session_remove(skn_tx *tx, void *arg, skein_error *err)
{
    session_call *c = arg;
    skein_rc      rc = skn_session_delete(tx, c->uid, c->gone, err);

    if (rc || !*c->gone)
        return rc;
    return skn_audit_in(tx, c->e, "session.remove", c->uid.p ? c->uid : SKN_STR("all"),
                        SKN_NONE, err);
}

skein_rc skn_session_remove(skein_engine *e, skn_str uid, int64_t *gone, skein_error *err)
{
    session_call c = {.e = e, .uid = uid, .gone = gone};

    return skn_store_write(e->store, session_remove, &c, err);
}
