/* What was said last, as a page for browsers without JavaScript. It only shows. */
#include "base/clean.h"
#include "base/clock.h"
#include "base/url.h"
#include "base/utf8.h"
#include "http/inside.h"
#include "http/jobs.h"
#include "http/served.h"

enum { MESSAGES = 200, TEXT_MOST = 20000 };

static void begin_html(skn_api_call *c, skn_str title)
{
    c->type = "text/html; charset=utf-8";
    skn_buf_add(&c->out, SKN_STR("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
                                 "<meta name=\"viewport\" content=\"width=device-width, "
                                 "initial-scale=1\"><title>skein"));
    if (title.n) {
        skn_buf_add(&c->out, SKN_STR(": "));
        skn_clean_html(&c->out, title);
    }
    skn_buf_add(&c->out, SKN_STR("</title>\n"));
}

/* <br> for each line: a policy without styles has no other way to keep lines and wrap long ones. */
static void show_text(skn_buf *out, skn_str text)
{
    skn_str line, shown = skn_utf8_cut(text, TEXT_MOST);
    size_t  left = text.n - shown.n;

    while (skn_str_split(&shown, '\n', &line)) {
        skn_clean_html(out, line);
        skn_buf_add(out, SKN_STR("<br>\n"));
    }
    if (left)
        skn_buf_addf(out, "<em>… and %zu bytes more</em>", left);
}

static void show_message(skn_buf *out, const skein_message *m)
{
    char    text[SKN_TIME_TEXT];
    skn_str when = skn_time_format(m->created_at, text);

    skn_buf_add(out, SKN_STR("<article id=\"m-"));
    skn_clean_html(out, m->uid);
    skn_buf_add(out, SKN_STR("\">\n<h3>"));
    skn_clean_html(out, m->sender);
    skn_buf_addf(out, " <small><time datetime=\"%.*s\">%.16s</time> UTC</small></h3>\n<p>",
                 SKN_FMT(when), when.p);
    if (m->purged)
        skn_buf_add(out, SKN_STR("<em>erased</em>"));
    show_text(out, m->content);
    if (m->unfinished)
        skn_buf_addf(out, " <em>%s</em>", skein_unfinished_words(m->unfinished));
    for (size_t i = 0; i < m->call_count; i++) {
        skn_buf_add(out, SKN_STR("<em>uses "));
        skn_clean_html(out, m->calls[i].tool_name);
        skn_buf_add(out, SKN_STR("</em><br>\n"));
    }
    skn_buf_add(out, SKN_STR("</p>\n</article>\n"));
}

static skein_rc show_chat(skn_api_call *c)
{
    skein_slice    what = {.conversation = c->chat.id, .from = -MESSAGES};
    skein_messages list;
    skein_at       at;
    skein_rc       rc = skein_read(c->engine, &what, c->mem, &list, &at, &c->error);

    if (rc)
        return rc;
    skn_buf_add(&c->out, SKN_STR("<h2>"));
    skn_clean_html(&c->out, c->chat.title.n ? c->chat.title : c->chat.uid);
    skn_buf_add(&c->out, SKN_STR("</h2>\n<p>"));
    if (list.count)
        skn_buf_addf(&c->out, "The last %zu of %lld messages, oldest first.", list.count,
                     (long long)c->chat.length);
    else
        skn_buf_add(&c->out, SKN_STR("There are no messages."));
    skn_buf_add(&c->out, SKN_STR("</p>\n"));
    for (size_t i = 0; i < list.count; i++)
        show_message(&c->out, &list.at[i]);
    return SKEIN_OK;
}

/* Names of worlds are plain words: see engine.h. */
static void show_commands(skn_api_call *c, skn_str world)
{
    static const struct {
        const char *command, *what;
    } known[] = {
        {"skein chat", "talk to the agents"},
        {"skein log --follow", "show new messages as they come"},
        {"skein inbox ls", "list briefings, questions, approvals and failures"},
        {"skein tree", "show reply threads"},
        {"skein history", "list all versions"},
        {"skein help", "list all commands"},
    };

    skn_buf_add(&c->out, SKN_STR("<h2>In a terminal</h2>\n<dl>\n"));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        bool about = world.n && i + 1 < sizeof known / sizeof known[0];

        skn_buf_addf(&c->out, "<dt><code>%s%s", known[i].command, about ? " --world " : "");
        if (about)
            skn_clean_html(&c->out, world);
        skn_buf_addf(&c->out, "</code><dd>%s\n", known[i].what);
    }
    skn_buf_add(&c->out, SKN_STR("</dl>\n</html>\n"));
}

static skein_rc list_worlds(skn_api_call *c)
{
    skein_worlds worlds;
    skein_rc     rc = skein_world_list(c->engine, c->mem, &worlds, &c->error);

    if (rc)
        return rc;
    skn_buf_addf(&c->out, "<h2>Worlds</h2>\n%s<ul>\n",
                 worlds.count ? "" : "<p>There are no worlds.</p>\n");
    for (size_t i = 0; i < worlds.count; i++) {
        skn_buf_add(&c->out, SKN_STR("<li><a href=\"/plain/w/"));
        skn_url_encode(&c->out, worlds.at[i].name);
        skn_buf_add(&c->out, SKN_STR("\">"));
        skn_clean_html(&c->out, worlds.at[i].name);
        skn_buf_add(&c->out, SKN_STR("</a> "));
        skn_clean_html(&c->out, worlds.at[i].description);
        skn_buf_add(&c->out, SKN_STR("</li>\n"));
    }
    skn_buf_add(&c->out, SKN_STR("</ul>\n"));
    return SKEIN_OK;
}

static skein_rc show_current(skn_api_call *c)
{
    skein_rc rc;

    if (!c->world.current_chat.v) {
        skn_buf_add(&c->out, SKN_STR("<p>This world has no current chat.</p>\n"));
        return SKEIN_OK;
    }
    rc = skein_conversation_get(c->engine, c->world.current_chat, c->mem, &c->chat, &c->error);
    return rc ? rc : show_chat(c);
}

skein_rc skn_http_plain_page(skn_api_call *c)
{
    skein_rc rc;

    begin_html(c, SKN_NONE);
    skn_buf_addf(&c->out, "<h1>skein %s</h1>\n", skein_version_text());
    if ((rc = list_worlds(c)))
        return rc;
    show_commands(c, SKN_NONE);
    return SKEIN_OK;
}

skein_rc skn_http_plain_world(skn_api_call *c)
{
    skein_rc rc;

    begin_html(c, c->world.name);
    skn_buf_add(&c->out, SKN_STR("<p><a href=\"/plain\">All worlds</a></p>\n<h1>"));
    skn_clean_html(&c->out, c->world.name);
    skn_buf_add(&c->out, SKN_STR("</h1>\n"));
    if ((rc = show_current(c)))
        return rc;
    show_commands(c, c->world.name);
    return SKEIN_OK;
}

/* The server's description of itself. */

static skein_rc plain(skn_api_call *c, skn_str text)
{
    c->type = "text/plain; charset=utf-8";
    skn_buf_add(&c->out, text);
    return SKEIN_OK;
}

/* --- Health --------------------------------------------------------------------------------------- */

typedef struct check {
    const char *name;
    bool        ok;
    skn_str     detail; /* absent: nothing to say */
} check;

enum { CHECKS = 3 };

static bool check_health(skn_api_call *c, check out[CHECKS])
{
    int64_t     stamp;
    skein_error err = {0};
    bool        store = c->engine && skein_store_stamp(c->engine, &stamp, &err) == SKEIN_OK;
    bool        full = atomic_load(&c->api->full);

    out[0] = (check){"store", store, SKN_NONE};
    out[1] = (check){"disk", !full, full ? SKN_STR("full") : SKN_NONE};
    out[2] = (check){"running", !c->by->http->closing, SKN_NONE};
    if (!c->engine)
        out[0].detail = SKN_STR("is being opened");
    else if (!store)
        out[0].detail = skn_arena_copy(c->mem, skn_str_of(err.message));
    if (c->by->http->closing)
        out[2].detail = SKN_STR("stopping");
    return out[0].ok && out[1].ok && out[2].ok;
}

skein_rc skn_http_livez(skn_api_call *c)
{
    return plain(c, SKN_STR("ok\n"));
}

skein_rc skn_http_readyz(skn_api_call *c)
{
    check    list[CHECKS];
    bool     ok = check_health(c, list), verbose;
    skein_rc rc = skn_call_query_flag(c, "verbose", &verbose);

    if (rc)
        return rc;
    c->status = ok ? 200 : 503;
    if (!verbose)
        return plain(c, ok ? SKN_STR("ok\n") : SKN_STR("not ready\n"));
    c->type = "text/plain; charset=utf-8";
    for (size_t i = 0; i < CHECKS; i++)
        skn_buf_addf(&c->out, "%s %s%s%.*s\n", list[i].ok ? "ok" : "failed", list[i].name,
                     list[i].detail.p ? ": " : "", SKN_FMT(list[i].detail));
    return SKEIN_OK;
}

skein_rc skn_http_healthz(skn_api_call *c)
{
    check   list[CHECKS];
    bool    ok = check_health(c, list);
    skn_jw *w = &c->w;

    c->status = ok ? 200 : 503;
    skn_jw_object(w);
    skn_jw_kstr(w, "status", ok ? SKN_STR("ok") : SKN_STR("failed"));
    skn_jw_karray(w, "checks");
    for (size_t i = 0; i < CHECKS; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "name", skn_str_of(list[i].name));
        skn_jw_kbool(w, "ok", list[i].ok);
        skn_jw_kstr(w, "detail", list[i].detail);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_object_end(w);
    return SKEIN_OK;
}

/* --- What it is ------------------------------------------------------------------------------------ */

skein_rc skn_http_docs(skn_api_call *c)
{
    c->type = "text/html; charset=utf-8";
    skn_docs_page(&c->out);
    return SKEIN_OK;
}

/* --- Jobs ------------------------------------------------------------------------------------------ */

static skein_rc no_such_job(skn_api_call *c)
{
    return skn_call_problem(c, 404, "job-not-found", "there is no job \"%.*s\"",
                            SKN_FMT(c->params[0]));
}

skein_rc skn_http_get_job(skn_api_call *c)
{
    int64_t  lease;
    skein_rc rc = skn_call_query_int(c, "lease", 1, 3600, 0, &lease);

    if (rc)
        return rc;
    if (lease)
        skn_job_lease(c->by->http->jobs, c->params[0], lease);
    return skn_job_shape(c->by->http->jobs, c->params[0], &c->w) ? SKEIN_OK : no_such_job(c);
}

skein_rc skn_http_cancel_job(skn_api_call *c)
{
    if (!skn_job_cancel(c->by->http->jobs, c->params[0]))
        return no_such_job(c);
    return skn_http_get_job(c);
}

/* Requests to models take long, so they are answered with a job. The request lives as long as its job. */

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
        skn_shape_members(w, &skn_squash_shape, made->squash);
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

    skn_jw_open(&w, &b, SKN_ANSWER_MAX);
    if (!err)
        write_made(a, &w, made);
    a->handle = NULL;
    skn_job_end(a->job, skn_buf_str(&b), err);
    skn_buf_release(&b);
}

/* --- The job (loop) ----------------------------------------------------------------------- */

static void start_job(skn_job *job, void *arg)
{
    asking               *a = arg;
    const skn_api_agents *to = a->agents;
    skn_api_waiter        who = {told_progress, told_done, a};

    a->job = job;
    a->handle = a->compact ? to->compact(to->arg, &a->summary, &who)
                           : to->squash(to->arg, &a->squash, &who);
}

static void cancel_job(void *arg)
{
    asking *a = arg;

    if (a->handle && a->agents->cancel)
        a->agents->cancel(a->agents->arg, a->handle);
}

static void drop_job(void *arg)
{
    skn_arena_free(((asking *)arg)->mem);
}

/* --- The request (worker) ----------------------------------------------------------------- */

static skein_rc send_bytes(skn_api_call *c, asking *a)
{
    skn_job_away away = {.kind = a->compact ? "compaction" : "squash",
                         .start = start_job,
                         .cancel = cancel_job,
                         .drop = drop_job,
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
    return send_bytes(c, a);
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
    return send_bytes(c, a);
}
