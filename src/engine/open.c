/* open.c: an engine and its store. */
#include "base/utf8.h"
#include "engine/core.h"
#include "engine/engine.h"
#include "engine/timeline/timeline_cache.h"

#include <assert.h>
#include <stdlib.h>

skein_rc skein_open(skein_engine **out, const skein_options *options, skein_error *err)
{
    skn_store_options how = {.read_only = options->read_only};
    skn_store        *store;
    skein_rc          rc;

    *out = NULL;
    if (!options->store.p || options->store.n == 0)
        return skn_fail_hint(err, SKEIN_USAGE,
                             "Name one: sqlite:PATH or postgresql://HOST/DATABASE.",
                             "no store was named");
    if ((rc = skn_store_open(&store, options->store, &how, err)))
        return rc;
    *out = skn_heap(sizeof **out);
    (*out)->store = store;
    (*out)->max_text = options->max_text ? options->max_text : SKN_TEXT_MAX;
    (*out)->timelines = skn_timeline_cache_new();
    (*out)->env_rule = skn_env_rule_new();
    return SKEIN_OK;
}

typedef struct writing {
    skein_engine *e;
    skn_arena    *a;
    skn_job      *job;
    void         *arg;
    bool          dry, done;
} writing;

/* The code that closed something has settled: skn_settle, or skn_tell_over. */
static skein_rc run_job(skn_tx *tx, void *arg, skein_error *err)
{
    writing    *c = arg;
    skn_working w = {.e = c->e, .tx = tx, .a = c->a, .now = SKN_NOW()};
    skein_rc    rc = c->job(&w, c->arg, err);

    assert(rc || w.over.n == 0);
    c->done = rc == SKEIN_OK;
    return c->done && c->dry ? SKEIN_NOTHING : rc; /* so that the store takes it back */
}

skein_rc skn_write_dry(skein_engine *e, bool dry, skein_mem *mem, skn_job *job, void *arg,
                       skein_error *err)
{
    skn_arena *own = mem ? NULL : skn_arena_new();
    writing    c = {.e = e, .a = mem ? mem : own, .job = job, .arg = arg, .dry = dry};
    skein_rc   rc = skn_store_write(e->store, run_job, &c, err);

    skn_arena_free(own);
    return c.done && rc == SKEIN_NOTHING ? SKEIN_OK : rc;
}

skein_rc skn_write(skein_engine *e, skein_mem *mem, skn_job *job, void *arg, skein_error *err)
{
    return skn_write_dry(e, false, mem, job, arg, err);
}

void skein_close(skein_engine *e)
{
    if (!e)
        return;
    skn_timeline_cache_free(e->timelines);
    skn_env_rule_free(e->env_rule);
    skn_store_close(e->store);
    free(e);
}

size_t skn_text_most(const skein_engine *e)
{
    return e->max_text;
}

skn_str skn_text_fit(const skein_engine *e, skn_str s)
{
    size_t bad;

    s = skn_utf8_cut(s, e->max_text);
    return skn_utf8_valid(s, &bad) ? s : skn_str_sub(s, 0, bad);
}

const char *skein_version_text(void)
{
    return SKEIN_VERSION;
}

skein_rc skein_backup(skein_engine *e, skein_str path, skein_error *err)
{
    return skn_store_backup(e->store, path, err);
}

skn_env_rule *skn_engine_env_rule(skein_engine *e)
{
    return e->env_rule;
}

/* What those above the engine may know of the store. */

int skn_schema_known(void)
{
    return skn_store_schema();
}

skein_rc skn_floor_measure(skein_engine *e, skein_conversation_id conversation, skn_str text,
                           int64_t count, int64_t *nanos, skein_error *err)
{
    return skn_store_floor(e->store, &(skn_floor){conversation.v, text, count}, nanos, err);
}
