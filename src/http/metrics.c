/* Counters, in the text format of Prometheus. */
#include "http/inside.h"
#include "http/jobs.h"
#include "http/served.h"

#include <sys/resource.h>
#include <unistd.h>

static const double      bounds[SKN_BUCKETS] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                0.05,   0.1,   0.25,   0.5,   1,    5};
static const char *const methods[SKN_METHODS] = {"GET",   "HEAD",   "POST",    "PUT",
                                                 "PATCH", "DELETE", "OPTIONS", "other"};

/* --- Counting ----------------------------------------------------------------------------------- */

static void add_count(atomic_ullong *to, uint64_t n)
{
    atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

void skn_count_time(skn_times *t, int64_t nanos)
{
    size_t i = 0;

    while (i < SKN_BUCKETS && (double)nanos > bounds[i] * 1e9)
        i++;
    add_count(&t->bucket[i], 1);
    add_count(&t->nanos, (uint64_t)(nanos > 0 ? nanos : 0));
    add_count(&t->count, 1);
}

void skn_count_request(skn_counts *n, skn_str method, int status, int64_t nanos)
{
    size_t m = 0;

    while (m < SKN_METHODS - 1 && !skn_str_is(method, methods[m]))
        m++;
    if (status > 0 && status < SKN_STATUSES)
        atomic_fetch_add_explicit(&n->requests[m][status], 1, memory_order_relaxed);
    skn_count_time(&n->request, nanos);
}

/* --- What the events tell ------------------------------------------------------------------------ */

static skn_model_count *model_locked(skn_counts *n, skn_str model)
{
    for (size_t i = 0; i < n->model_count; i++)
        if (skn_str_is(model, n->models[i].name))
            return &n->models[i];
    if (n->model_count == SKN_MODELS || model.n >= sizeof n->models[0].name)
        return NULL;
    memcpy(n->models[n->model_count].name, model.p, model.n);
    return &n->models[n->model_count++];
}

static int64_t number_of(const skn_json *v, const char *name, const char *other)
{
    const skn_json *m = skn_json_get(v, name);
    int64_t         n;

    m = m ? m : skn_json_get(v, other);
    return m && m->kind == SKN_JSON_NUMBER && skn_str_int(m->text, &n) && n > 0 ? n : 0;
}

static void count_answer_locked(skn_counts *n, const skein_event *e, bool ok, skn_arena *a)
{
    const skn_json  *data, *usage;
    skn_model_count *m;
    skn_str          model;

    if (skn_json_parse(&data, e->data, "an event", a, NULL))
        return;
    usage = skn_json_get(data, "usage");
    n->tokens_in += number_of(usage, "in", "inputTokens");
    n->tokens_out += number_of(usage, "out", "outputTokens");
    n->tokens_cached += number_of(usage, "cached", "cachedTokens");
    n->cost_nanos += number_of(usage, "cost", "costNanos");
    model = skn_json_str(data, "model");
    if (!ok && !skn_str_is(skn_json_str(data, "finishReason"), "error"))
        return; /* somebody stopped it: the model did not fail */
    m = model.n ? model_locked(n, model) : NULL;
    if (m)
        *(ok ? &m->ok : &m->failed) += 1;
}

static void count_event_locked(skn_counts *n, const skein_event *e, skn_arena *a)
{
    bool completed = skn_str_is(e->type, "message.completed");

    if (completed || skn_str_is(e->type, "message.created"))
        n->messages++;
    if (completed || skn_str_is(e->type, "message.failed"))
        count_answer_locked(n, e, completed, a);
}

void skn_count_begin(skn_http *h)
{
    int64_t forgotten;

    h->counts.begun = !skein_events_span(h->o.engine, &h->counts.seq, &forgotten, NULL);
}

/* False when there is no more. */
static bool count_page(skein_engine *e, skn_counts *n)
{
    const skein_event_query q = {.after = n->seq, .limit = 500};
    skn_arena              *page = skn_arena_new();
    skein_events            list = {.count = 0};

    if (skein_events_read(e, &q, page, &list, NULL))
        list.count = 0;
    pthread_mutex_lock(&n->mu);
    for (size_t i = 0; i < list.count; i++)
        count_event_locked(n, &list.at[i], page);
    pthread_mutex_unlock(&n->mu);
    if (list.count)
        n->seq = list.at[list.count - 1].seq;
    skn_arena_free(page);
    return list.count > 0;
}

/* Counts the events since the last time. Only one of several threads reads; the others use what is known. */
static void catch_up(skn_api_call *c)
{
    skn_counts *n = &c->by->http->counts;

    if (!n->begun || atomic_exchange(&n->reading, true))
        return;
    while (count_page(c->engine, n))
        continue;
    atomic_store(&n->reading, false);
}

/* --- Telling -------------------------------------------------------------------------------------- */

static void head(skn_buf *b, const char *name, const char *type, const char *help)
{
    skn_buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void gauge(skn_buf *b, const char *name, const char *help, int64_t v)
{
    head(b, name, "gauge", help);
    skn_buf_addf(b, "%s %lld\n", name, (long long)v);
}

static void counter(skn_buf *b, const char *name, const char *help, int64_t v)
{
    head(b, name, "counter", help);
    skn_buf_addf(b, "%s %lld\n", name, (long long)v);
}

static void times(skn_buf *b, const char *name, const char *label, skn_times *t)
{
    unsigned long long sum = 0;

    for (size_t i = 0; i <= SKN_BUCKETS; i++) {
        char bound[32] = "+Inf";

        if (i < SKN_BUCKETS)
            snprintf(bound, sizeof bound, "%g", bounds[i]);
        sum += atomic_load(&t->bucket[i]);
        skn_buf_addf(b, "%s_bucket{%s%sle=\"%s\"} %llu\n", name, label, *label ? "," : "",
                     bound, sum);
    }
    skn_buf_addf(b, *label ? "%s_sum{%s} %.6f\n" : "%s_sum%s %.6f\n", name, label,
                 (double)atomic_load(&t->nanos) / 1e9);
    skn_buf_addf(b, *label ? "%s_count{%s} %llu\n" : "%s_count%s %llu\n", name, label, sum);
}

static void tell_requests(skn_buf *b, skn_counts *n)
{
    head(b, "skein_http_requests_total", "counter", "Answered requests.");
    for (size_t m = 0; m < SKN_METHODS; m++)
        for (size_t s = 0; s < SKN_STATUSES; s++) {
            unsigned count = atomic_load_explicit(&n->requests[m][s], memory_order_relaxed);

            if (count)
                skn_buf_addf(b, "skein_http_requests_total{method=\"%s\",status=\"%zu\"} %u\n",
                             methods[m], s, count);
        }
    head(b, "skein_http_request_seconds", "histogram",
         "Time from the first byte of a request to its answer.");
    times(b, "skein_http_request_seconds", "", &n->request);
    head(b, "skein_db_seconds", "histogram", "Calls of the store, by kind.");
    times(b, "skein_db_seconds", "op=\"read\"", &n->reads);
    times(b, "skein_db_seconds", "op=\"change\"", &n->changes);
    head(b, "skein_edit_seconds", "histogram", "Edits and removals of messages.");
    times(b, "skein_edit_seconds", "", &n->edits);
}

/* Names of models come from agents; what could end the label is left out. */
static void label_text(skn_buf *b, skn_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] >= ' ' && text.p[i] != '"' && text.p[i] != '\\')
            skn_buf_addc(b, text.p[i]);
}

static void tell_model(skn_buf *b, const skn_model_count *m, const char *result, int64_t count)
{
    skn_str name = skn_str_of(m->name), provider;
    skn_str rest = name;

    if (!count || !skn_str_split(&rest, '/', &provider))
        return;
    skn_buf_add(b, SKN_STR("skein_llm_calls_total{provider=\""));
    label_text(b, provider);
    skn_buf_add(b, SKN_STR("\",model=\""));
    label_text(b, rest);
    skn_buf_addf(b, "\",result=\"%s\"} %lld\n", result, (long long)count);
}

static void tell_events(skn_buf *b, skn_counts *n)
{
    pthread_mutex_lock(&n->mu);
    counter(b, "skein_messages_total", "Stored messages.", n->messages);
    head(b, "skein_tokens_total", "counter", "Tokens that models read and wrote.");
    skn_buf_addf(b, "skein_tokens_total{direction=\"in\"} %lld\n", (long long)n->tokens_in);
    skn_buf_addf(b, "skein_tokens_total{direction=\"out\"} %lld\n", (long long)n->tokens_out);
    skn_buf_addf(b, "skein_tokens_total{direction=\"cached\"} %lld\n",
                 (long long)n->tokens_cached);
    head(b, "skein_cost_dollars_total", "counter",
         "What answers cost, where prices are known.");
    skn_buf_addf(b, "skein_cost_dollars_total %lld.%09lld\n",
                 (long long)(n->cost_nanos / 1000000000),
                 (long long)(n->cost_nanos % 1000000000));
    head(b, "skein_llm_calls_total", "counter", "Requests to models.");
    for (size_t i = 0; i < n->model_count; i++) {
        tell_model(b, &n->models[i], "ok", n->models[i].ok);
        tell_model(b, &n->models[i], "failed", n->models[i].failed);
    }
    pthread_mutex_unlock(&n->mu);
}

static void tell_process(skn_buf *b, const skn_http *h)
{
    struct rusage use;
    long          pages = 0;
    FILE         *f = fopen("/proc/self/statm", "r");

    if (f && fscanf(f, "%*s %ld", &pages) == 1)
        gauge(b, "process_resident_memory_bytes", "Resident memory.",
              (int64_t)pages * sysconf(_SC_PAGESIZE));
    if (f)
        fclose(f);
    if (getrusage(RUSAGE_SELF, &use) == 0) {
        head(b, "process_cpu_seconds_total", "counter", "Processor time.");
        skn_buf_addf(b, "process_cpu_seconds_total %.3f\n",
                     (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                         (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6);
    }
    gauge(b, "process_start_time_seconds", "Start time of the process, in seconds since 1970.",
          h->started / 1000000);
}

skein_rc skn_http_metrics(skn_api_call *c)
{
    skn_counts *n = &c->by->http->counts;
    skn_buf    *b = &c->out;

    catch_up(c);
    c->type = "text/plain; version=0.0.4; charset=utf-8";
    tell_requests(b, n);
    tell_events(b, n);
    gauge(b, "skein_sse_clients", "Open streams of events.", atomic_load(&n->streams));
    gauge(b, "skein_sse_lag_events",
          "Number of events that the slowest stream has yet to send.", atomic_load(&n->lag));
    gauge(b, "skein_http_connections", "Open connections.", atomic_load(&n->connections));
    gauge(b, "skein_jobs", "Running jobs.", skn_jobs_running(c->by->http->jobs));
    counter(b, "skein_guessed_replies_total", "Reply links that an import guessed.",
            (int64_t)atomic_load(&c->api->guessed));
    if (c->by->http->o.metrics)
        c->by->http->o.metrics(c->by->http->o.arg, b);
    tell_process(b, c->by->http);
    return SKEIN_OK;
}
