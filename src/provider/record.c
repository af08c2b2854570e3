/* A provider in front of another one that records requests and answers. Only the last try of a request is recorded:
 * nothing of earlier tries was passed on. */
#include "provider/record.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct recorder {
    skn_provider  base;
    skn_provider *inner;
    char         *folder;
} recorder;

/* A request in progress. */
typedef struct take {
    skn_asking      base;
    skn_asking     *inner;
    skn_answer_sink sink;
    char           *model;
    skn_buf         request, response;
    bool            over; /* done was called */
} take;

/* --- Files -------------------------------------------------------------------------------------- */

skn_str skn_record_stem(const char *folder, const char *name, skn_str request, skn_arena *a)
{
    char       text[SKN_SHA256_TEXT];
    skn_sha256 sum;

    skn_sha256_init(&sum);
    skn_sha256_add(&sum, request);
    skn_sha256_text(&sum, text);
    return skn_arena_printf(a, "%s/%s-%s", folder, name, text);
}

const char *skn_record_file(skn_str stem, int64_t number, const char *kind, skn_arena *a)
{
    return skn_arena_printf(a, "%.*s.%lld.%s", SKN_FMT(stem), (long long)number, kind).p;
}

static bool is_there(skn_str stem, int64_t number, skn_arena *a)
{
    return access(skn_record_file(stem, number, "meta", a), F_OK) == 0;
}

/* Answers are numbered without a gap, so few steps find the last one. */
int64_t skn_record_count(skn_str stem, skn_arena *a)
{
    int64_t low = 0, high = 1;

    while (high < INT32_MAX && is_there(stem, high, a)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (is_there(stem, middle, a))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Creates a file; returns false if it exists or cannot be created. */
static bool make_file(const char *path, skn_str bytes)
{
    int  fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok;

    if (fd < 0)
        return false;
    ok = skn_fd_write(fd, bytes);
    ok = close(fd) == 0 && ok;
    if (!ok)
        unlink(path);
    return ok;
}

static void write_meta(skn_buf *out, const take *t, const skn_answer *answer,
                       const skn_record_ids *ids)
{
    const skn_provider *inner = ((const recorder *)t->base.provider)->inner;
    bool                whole = answer->error.rc == SKEIN_OK;
    skn_jw              w;

    skn_jw_init(&w, out);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "provider", skn_str_of(inner->name));
    skn_jw_kstr(&w, "format", skn_str_of(skn_wire_word(inner)));
    skn_jw_kstr(&w, "model", skn_str_of(t->model));
    skn_jw_kint(&w, "status", answer->status);
    skn_jw_kstr(&w, "state", skn_str_of(skn_ask_state_word(answer->state)));
    skn_jw_kint(&w, "window",
                skn_provider_window(((const recorder *)t->base.provider)->inner,
                                    skn_str_of(t->model), false)
                    .tokens);
    skn_jw_key(&w, "ids");
    skn_jw_array(&w);
    for (size_t i = 0; i < ids->n; i++)
        skn_jw_str(&w, ids->p[i]);
    skn_jw_array_end(&w);
    if (!whole) {
        skn_jw_kstr(&w, "error", skn_str_of(answer->error.message));
        skn_jw_kbool(&w, "retryable", answer->retryable);
    }
    skn_jw_object_end(&w);
    skn_buf_addc(out, '\n');
}

static void keep(const take *t, const skn_answer *answer)
{
    const recorder *r = (const recorder *)t->base.provider;
    skn_arena      *a = skn_arena_new();
    skn_str         request = skn_buf_str(&t->request);
    skn_record_ids  ids = {0};
    skn_str stem = skn_record_stem(r->folder, r->base.name, skn_record_plain(request, &ids, a),
                                   a);
    int64_t number = skn_record_count(stem, a) + 1;
    skn_buf meta;

    skn_buf_init(&meta, SKN_RECORD_META);
    write_meta(&meta, t, answer, &ids);
    make_file(skn_arena_printf(a, "%.*s.request", SKN_FMT(stem)).p, request);
    unlink(skn_record_file(stem, number, "response", a)); /* left over from a crash */
    if (make_file(skn_record_file(stem, number, "response", a), skn_buf_str(&t->response)))
        make_file(skn_record_file(stem, number, "meta", a), skn_buf_str(&meta));
    skn_buf_release(&meta);
    skn_arena_free(a);
}

/* --- The provider ------------------------------------------------------------------------------- */

static void free_take(take *t)
{
    skn_buf_release(&t->request);
    skn_buf_release(&t->response);
    free(t->model);
    free(t);
}

static void on_sent(void *arg, const skn_str *pieces, size_t count)
{
    take *t = arg;

    skn_buf_clear(&t->request);
    skn_buf_clear(&t->response);
    for (size_t i = 0; i < count; i++)
        skn_buf_add(&t->request, pieces[i]);
    if (t->sink.sent)
        t->sink.sent(t->sink.arg, pieces, count);
}

static void on_received(void *arg, skn_str bytes)
{
    take *t = arg;

    skn_buf_add(&t->response, bytes);
    if (t->sink.received)
        t->sink.received(t->sink.arg, bytes);
}

static void on_delta(void *arg, skn_part part, skn_str text)
{
    take *t = arg;

    t->sink.delta(t->sink.arg, part, text);
}

static void on_call(void *arg, const skein_tool_call *call)
{
    take *t = arg;

    t->sink.call(t->sink.arg, call);
}

static void on_pause(void *arg, skn_ask_state why, const skein_error *err, int64_t ms)
{
    take *t = arg;

    if (t->sink.pause)
        t->sink.pause(t->sink.arg, why, err, ms);
}

/* Records nothing that never left this computer (no key, canned answers). */
static void on_done(void *arg, const skn_answer *answer)
{
    take *t = arg;

    t->over = true;
    if (t->request.n && !t->request.over && !t->response.over)
        keep(t, answer);
    t->sink.done(t->sink.arg, answer);
    free_take(t);
}

static skn_asking *ask(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink)
{
    recorder             *r = (recorder *)p;
    take                 *t = skn_heap(sizeof *t);
    const skn_answer_sink ours = {.sent = on_sent,
                                  .received = on_received,
                                  .delta = on_delta,
                                  .call = on_call,
                                  .pause = on_pause,
                                  .done = on_done,
                                  .arg = t};

    t->base.provider = p;
    t->sink = *sink;
    t->model = skn_heap_copy(what->model.p ? what->model : SKN_STR(""));
    skn_buf_init(&t->request, SKN_RECORD_MOST);
    skn_buf_init(&t->response, SKN_RECORD_MOST);
    t->inner = skn_ask_model(r->inner, what, &ours);
    return &t->base;
}

static void cancel(skn_asking *a)
{
    take *t = (take *)a;

    if (t->over)
        return;
    skn_asking_cancel(t->inner);
    free_take(t);
}

static void so_far(const skn_asking *a, skn_answer *out)
{
    skn_asking_so_far(((const take *)a)->inner, out);
}

static void free_recorder(skn_provider *p)
{
    recorder *r = (recorder *)p;

    free(r->folder);
    free(r);
}

static skn_window window(skn_provider *p, skn_str model, bool ask)
{
    return skn_provider_window(((recorder *)p)->inner, model, ask);
}

skn_provider *skn_recorder_new(skn_provider *inner, const char *folder, skein_error *err)
{
    static const skn_provider_ops ops = {.ask = ask,
                                         .cancel = cancel,
                                         .so_far = so_far,
                                         .free = free_recorder,
                                         .window = window};
    recorder                     *r;

    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        skn_fail(err, SKEIN_IO, "the folder \"%s\" cannot be created: %s", folder,
                 strerror(errno));
        return NULL;
    }
    r = skn_heap(sizeof *r);
    r->base = (skn_provider){&ops, inner->name};
    r->inner = inner;
    r->folder = skn_heap_copy(skn_str_of(folder));
    return &r->base;
}
