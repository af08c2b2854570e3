/* What a model has to be asked for takes long: the request is answered with a job, and whoever asks models
 * here ends it. A request goes with its job. */
#include "base/error.h"
#include "http/inside.h"
#include "http/jobs.h"
#include "http/served.h"

#include <string.h>

typedef struct asking {
    skn_arena            *mem; /* this and all below */
    const skn_api_agents *agents;
    skn_job              *job;
    void                 *handle;
    bool                  compact; /* else squash */
    skn_squash_request    squash;
    skn_compact_request   summary;
    skn_str               world_name, chat_uid;
} asking;

/* --- The result (loop) -------------------------------------------------------------------- */

static void write_squash(const asking *a, skn_jw *w, const skn_api_made *made)
{
    if (made->squash) {
        skn_shape_squash_members(w, made->squash);
        skn_shape_undo(w, a->world_name, a->chat_uid, made->squash->version.origin_thread_uid);
    } else {
        skn_jw_kstr(w, "content", made->text);
        skn_jw_kstr(w, "prompt", a->squash.spec.prompt);
        skn_jw_kstr(w, "model", made->model);
    }
    skn_jw_kbool(w, "dryRun", !made->squash);
}

static void write_made(const asking *a, skn_jw *w, const skn_api_made *made)
{
    skn_jw_object(w);
    if (!a->compact) {
        write_squash(a, w, made);
    } else if (made->summary) {
        skn_shape_message_members(w, a->chat_uid, made->summary, NULL);
        skn_jw_kint(w, "covers", made->covers);
    }
    skn_jw_kstr(w, "callId", made->call);
    skn_jw_object_end(w);
}

static void told_progress(void *arg, int64_t done, int64_t total)
{
    skn_job_progress(((asking *)arg)->job, done, total);
}

static void told_done(void *arg, const skn_api_made *made, const skein_error *err)
{
    asking *a = arg;
    skn_buf b;
    skn_jw  w;

    skn_buf_init(&b, SKN_ANSWER_MAX);
    skn_jw_init(&w, &b);
    if (!err)
        write_made(a, &w, made);
    a->handle = NULL;
    skn_job_end(a->job, skn_buf_str(&b), err);
    skn_buf_release(&b);
}

/* --- The job (loop) ----------------------------------------------------------------------- */

static void start(skn_job *job, void *arg)
{
    asking               *a = arg;
    const skn_api_agents *to = a->agents;
    skn_api_waiter        who = {told_progress, told_done, a};

    a->job = job;
    a->handle = a->compact ? to->compact(to->arg, &a->summary, &who)
                           : to->squash(to->arg, &a->squash, &who);
}

static void cancel(void *arg)
{
    asking *a = arg;

    if (a->handle && a->agents->cancel)
        a->agents->cancel(a->agents->arg, a->handle);
}

static void drop(void *arg)
{
    skn_arena_free(((asking *)arg)->mem);
}

/* --- The request (worker) ----------------------------------------------------------------- */

static skein_rc send(skn_api_call *c, asking *a)
{
    skn_job_away away = {.kind = a->compact ? "compaction" : "squash",
                         .start = start,
                         .cancel = cancel,
                         .drop = drop,
                         .arg = a,
                         .world = c->world.id};
    char         id[SKN_JOB_ID];
    skein_rc     rc;

    a->world_name = skn_arena_copy(a->mem, c->world.name);
    a->chat_uid = skn_arena_copy(a->mem, c->chat.uid);
    if ((rc = skn_job_send(c->by->http->jobs, &away, id, &c->error))) {
        skn_arena_free(a->mem);
        return rc;
    }
    c->status = 202;
    skn_call_add_header(c, "Location", skn_arena_printf(c->mem, "/jobs/%s", id));
    if (!skn_job_shape(c->by->http->jobs, skn_str_of(id), &c->w))
        return skn_call_problem(c, 503, "overloaded", "too many jobs have ended at once");
    return SKEIN_OK;
}

static asking *new_asking(skn_api_call *c, bool compact)
{
    skn_arena *mem = skn_arena_new();
    asking    *a = SKN_NEW(mem, asking);

    a->mem = mem;
    a->agents = &c->api->o.agents;
    a->compact = compact;
    return a;
}

skein_rc skn_http_send_squash(skn_api_call *c, const skn_squash_request *request)
{
    size_t            count = request->spec.sources.count;
    asking           *a;
    skein_message_id *ids;

    if (!c->api->o.agents.squash)
        return skn_api_no_models(c);
    a = new_asking(c, false);
    ids = SKN_ARRAY(a->mem, count + 1, skein_message_id);
    memcpy(ids, request->spec.sources.at, count * sizeof *ids);
    a->squash = *request;
    a->squash.how.actor = skn_arena_copy(a->mem, request->how.actor);
    a->squash.how.key = SKN_NONE; /* another answer would be another request to the engine */
    a->squash.how.client_id = SKN_NONE;
    a->squash.spec.sources.at = ids;
    a->squash.spec.content = SKN_NONE;
    a->squash.spec.prompt = skn_arena_copy(a->mem, request->spec.prompt);
    a->squash.spec.model = skn_arena_copy(a->mem, request->spec.model);
    a->squash.rerun_of = skn_arena_copy(a->mem, request->rerun_of);
    return send(c, a);
}

skein_rc skn_http_send_compact(skn_api_call *c, const skn_compact_request *request)
{
    asking *a;

    if (!c->api->o.agents.compact)
        return skn_api_no_models(c);
    a = new_asking(c, true);
    a->summary = *request;
    a->summary.what.lane = skn_arena_copy(a->mem, request->what.lane);
    a->summary.model = skn_arena_copy(a->mem, request->model);
    a->summary.reason = skn_arena_copy(a->mem, request->reason);
    return send(c, a);
}
