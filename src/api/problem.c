/* Failures as problems: RFC 9457, with a help page for each kind. */
#include "api/call.h"

#include "base/clean.h"
#include "base/clock.h"
#include "base/utf8.h"

enum { BUSY_MS = 5000, SOON_MS = 1000 };

const char *skn_problem_word_of(int status)
{
    const skn_problem_kind *k = skn_problem_kinds;

    while (k->word && k->status != status)
        k++;
    return k->word ? k->word : skn_problem_kinds[0].word;
}

/* --- Agents at work --------------------------------------------------------------------------- */

static void stop_action(skn_api_call *c, skn_jw *w)
{
    skn_jw_karray(w, "actions");
    skn_jw_object(w);
    skn_jw_kstr(w, "title", SKN_STR("Stop the agents"));
    skn_jw_kstr(w, "method", SKN_STR("POST"));
    skn_jw_kstr(w, "href",
                skn_arena_printf(c->mem, "/worlds/%.*s/messages/stop", SKN_FMT(c->world.name)));
    if (c->chat.uid.p) {
        skn_jw_kobject(w, "body");
        skn_jw_kstr(w, "chatId", c->chat.uid);
        skn_jw_object_end(w);
    }
    skn_jw_object_end(w);
    skn_jw_array_end(w);
}

/* The members without the braces around them. */
static skn_str busy_members(skn_api_call *c, const skein_turns *turns)
{
    skn_buf b;
    skn_jw  w;
    skn_str text;

    skn_jw_open(&w, &b, 1024 * 1024);
    skn_jw_object(&w);
    skn_jw_key(&w, "busy");
    skn_shape_busy(&w, turns, skn_clock_micros());
    if (c->world.name.p)
        stop_action(c, &w);
    skn_jw_kstr(&w, "reason", skn_str_of(c->error.message));
    skn_jw_object_end(&w);
    text = skn_buf_str(&b);
    text = skn_arena_copy(c->mem, b.over ? SKN_STR("") : skn_str_sub(text, 1, text.n - 1));
    skn_buf_release(&b);
    return text;
}

static void tell_busy(skn_api_call *c)
{
    c->more.retry_after_ms = BUSY_MS;
    c->problem = c->problem ? c->problem : "busy";
}

/* What was refused: for changes of messages in the words of the first clients. */
static const char *refused(const skn_api_call *c)
{
    static const struct {
        const char *route, *words;
    } others[] = {
        {"removeWorld", "Cannot remove the world while agents are responding"},
        {"removeChat", "Cannot remove the chat while agents are responding"},
        {"removeAgent", "Cannot remove the agent while it is responding"},
        {"clearAgentMemory", "Cannot clear the memory while agents are responding"},
        {"travel", "Cannot change the version while agents are responding"},
        {"squash", "Cannot squash messages while agents are responding"},
        {"retryAnswer", "Cannot ask again while agents are responding"},
        {"askAnother", "Cannot ask again while agents are responding"},
    };

    for (size_t i = 0; c->route && i < sizeof others / sizeof *others; i++)
        if (!strcmp(c->route->id, others[i].route))
            return others[i].words;
    return "Cannot edit messages while agents are responding";
}

static void tell_at_work(skn_api_call *c)
{
    skein_turns turns = {0};

    c->more.retry_after_ms = BUSY_MS;
    if (skein_turns_open(c->engine, c->world.id, c->chat.id, c->mem, &turns, NULL))
        return;
    c->problem_extra = busy_members(c, &turns);
    skn_fail_hint(&c->error, SKEIN_AT_WORK, "Please wait for agents to finish responding", "%s",
                  refused(c));
    c->problem = c->problem ? c->problem : "world-busy";
}

/* --- The document ------------------------------------------------------------------------------ */

static void name_kind(skn_api_call *c)
{
    const skn_problem_kind *k = skn_problem_named(skn_str_of(c->problem));

    if (!k)
        return;
    c->more.word = k->word;
    c->more.title = k->title;
    c->more.name = k->name;
    c->more.status = c->problem_status ? c->problem_status : k->status;
    c->more.again = k->again;
}

/* A failure that may be retried says when, in the document and in the header. Waiting does not help after a 412. */
static void say_when(skn_api_call *c, int status)
{
    int64_t ms = c->more.retry_after_ms;

    if (!skn_problem_again(&c->error, &c->more))
        ms = 0;
    else if (!ms && status != 412)
        ms = status == 503 && !c->more.word ? BUSY_MS : SOON_MS;
    c->more.retry_after_ms = ms;
    if (ms && (status == 423 || status == 429 || status == 503 || status == 409))
        skn_call_add_header(c, "Retry-After",
                            skn_arena_printf(c->mem, "%lld", (long long)(ms + 999) / 1000));
}

/* Headers of the answer that is not given. */
static void drop_headers(skn_api_call *c)
{
    size_t kept = 0;

    for (size_t i = 0; i < c->headers.n; i++)
        if (!skn_str_among(c->headers.p[i].name, "ETag Location Link Cache-Control"))
            c->headers.p[kept++] = c->headers.p[i];
    c->headers.n = kept;
}

void skn_problem_write(skn_api_call *c)
{
    size_t bad;
    int    status;

    if (c->error.rc == SKEIN_OK)
        skn_fail(&c->error, SKEIN_FAILED, "the request failed without a reason");
    if (c->error.rc == SKEIN_AT_WORK)
        tell_at_work(c);
    else if (c->error.rc == SKEIN_BUSY)
        tell_busy(c);
    drop_headers(c);
    name_kind(c);
    status = c->more.status ? c->more.status : skn_problem_of(&c->error, &c->more)->status;
    say_when(c, status);
    c->more.instance = skn_utf8_valid(c->path, &bad) ? c->path : SKN_STR("/");
    c->more.request_id = c->request_id;
    c->more.extra = c->problem_extra;
    c->status = status;
    c->type = "application/problem+json";
    skn_buf_clear(&c->out);
    skn_jw_init(&c->w, &c->out);
    skn_shape_problem(&c->w, &c->error, &c->more);
}

/* --- Help --------------------------------------------------------------------------------------- */

bool skn_problem_page(skn_str name, skn_buf *out)
{
    const skn_problem_kind *k = skn_problem_named(name);

    if (!k)
        return false;
    skn_buf_addf(out,
                 "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
                 "<meta name=\"viewport\" content=\"width=device-width\"><title>%s</title>\n"
                 "<h1>%s</h1>\n<p>Status %d, code <code>%s</code>.</p>\n<p>",
                 k->title, k->title, k->status, k->name);
    skn_clean_html(out, skn_str_of(k->help));
    skn_buf_add(out, SKN_STR("</p>\n<p><a href=\"/docs\">All of the API</a></p>\n</html>\n"));
    return true;
}
