/* Answers from a recording. Requests that differ only in ids and times have the same hash, which finds the file; the
 * recorded bytes go through the reader of their format as if they came over the network. */
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "provider/record.h"
#include "provider/wire.h"
#include "provider/wire_json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 64 << 10, MOST_FILES = 1 << 20 };

typedef struct replay {
    skn_provider           base;
    skn_loop              *loop;
    skn_arena             *a;
    const char            *folder;
    const skn_wire_format *format;
    skn_map               *played; /* stem -> number of answers played, as a pointer */
    skn_vec(skn_model) models;
} replay;

/* A request and the answer that is played for it. */
typedef struct showing {
    skn_asking       base;
    skn_answer_sink  sink;
    skn_arena       *a, *scratch;
    skn_timer       *timer;
    skn_wire_request request;
    skn_str          bytes; /* of the answer */
    size_t           at;
    skn_wire_answer  answer;
    skn_wire_reader  reader;
    skn_answer       end;  /* as recorded */
    skn_answer_sink  ours; /* passes calls on with the ids of this run */
    skn_record_ids   ids, recorded;
    bool             found, started, handing, cancelled;
} showing;

/* --- Files -------------------------------------------------------------------------------------- */

static bool load(const char *path, size_t most, skn_arena *a, skn_str *out)
{
    int     fd = open(path, O_RDONLY | O_CLOEXEC);
    char   *piece;
    skn_buf all;
    ssize_t n = 0;

    if (fd < 0)
        return false;
    piece = skn_heap(AT_ONCE);
    skn_buf_init(&all, most);
    while (!all.over && ((n = read(fd, piece, AT_ONCE)) > 0 || (n < 0 && errno == EINTR)))
        skn_buf_add(&all, (skn_str){piece, n > 0 ? (size_t)n : 0});
    close(fd);
    free(piece);
    *out = skn_arena_copy(a, skn_buf_str(&all));
    n = n < 0 || all.over;
    skn_buf_release(&all);
    return !n;
}

static const skn_wire_format *format_from(skn_str word)
{
    skn_wire_kind kind;

    return skn_wire_kind_from(word, &kind) ? skn_wire_format_of(kind) : NULL;
}

static skn_ask_state state_from(skn_str word)
{
    for (int s = SKN_ASK_ANSWERED; s < SKN_ASK_FAILED; s++)
        if (skn_str_is(word, skn_ask_state_word((skn_ask_state)s)))
            return (skn_ask_state)s;
    return SKN_ASK_FAILED;
}

static const skn_json *load_meta(const char *path, skn_arena *a)
{
    const skn_json *v;
    skn_str         text;
    skein_error     err;

    if (!load(path, SKN_RECORD_META, a, &text) || skn_json_parse(&v, text, path, a, &err))
        return NULL;
    return v;
}

static bool read_end(showing *s, const skn_json *meta)
{
    skn_str     state, words;
    int64_t     status;
    skein_error err;

    if (!meta || skn_json_text(meta, "state", &state, &err) ||
        skn_json_text(meta, "error", &words, &err) ||
        skn_json_int(meta, "status", 0, &status, &err) ||
        skn_json_flag(meta, "retryable", false, &s->end.retryable, &err))
        return false;
    for (const skn_json *id = skn_wire_first(meta, "ids"); id; id = id->next)
        skn_vec_add(s->a, &s->recorded, id->text);
    s->end.status = (int)(status >= 0 && status < 1000 ? status : 0);
    s->end.state = state_from(state);
    if (s->end.state != SKN_ASK_ANSWERED)
        skn_fail(&s->end.error, SKEIN_PROVIDER, "%.*s", SKN_FMT(words));
    return true;
}

/* Finds the next answer to this request, or the last one again when all were played. */
static void find_answer(showing *s)
{
    replay  *r = (replay *)s->base.provider;
    skn_str  request = skn_buf_str(&s->request.body);
    skn_str  stem = skn_record_stem(r->folder, r->base.name,
                                    skn_record_plain(request, &s->ids, s->a), s->a);
    int64_t  count = skn_record_count(stem, s->a);
    int64_t *played = skn_map_get(r->played, stem);

    if (!count)
        return;
    if (!played)
        *skn_map_slot(r->played, stem) = played = SKN_NEW(r->a, int64_t);
    if (*played < count)
        ++*played;
    s->found = read_end(s, load_meta(skn_record_file(stem, *played, "meta", s->a), s->a)) &&
               load(skn_record_file(stem, *played, "response", s->a), SKN_RECORD_MOST, s->a,
                    &s->bytes);
    s->bytes = skn_record_rename(s->bytes, &s->recorded, &s->ids, s->a);
}

/* --- Playing ------------------------------------------------------------------------------------ */

static void free_showing(showing *s)
{
    if (s->started)
        skn_wire_read_release(&s->reader);
    skn_wire_answer_release(&s->answer);
    skn_buf_release(&s->request.body);
    skn_timer_free(s->timer);
    skn_arena_free(s->scratch);
    skn_arena_free(s->a);
    free(s);
}

static void tell_sent(showing *s)
{
    size_t   n = s->request.ends.n, from = 0;
    skn_str  all = skn_buf_str(&s->request.body);
    skn_str *pieces = SKN_ARRAY(s->a, n + 1, skn_str);

    for (size_t i = 0; i < n; i++) {
        pieces[i] = skn_str_sub(all, from, s->request.ends.p[i]);
        from = s->request.ends.p[i];
    }
    if (s->sink.sent)
        s->sink.sent(s->sink.arg, pieces, n);
}

static void start(showing *s)
{
    s->started = true;
    tell_sent(s);
    skn_wire_read_start(&s->reader, ((replay *)s->base.provider)->format, &s->answer,
                        s->end.status ? s->end.status : 200, SKN_NONE);
}

/* An answer that was complete when it was recorded is complete now, unless the recording was changed. */
static void settle(showing *s)
{
    skn_answer *end = &s->end;

    skn_wire_read_end(&s->reader, end->state == SKN_ASK_CUT);
    if (end->state == SKN_ASK_ANSWERED && s->answer.failed) {
        end->state = s->answer.state;
        end->error = s->answer.error;
    } else if (end->state == SKN_ASK_ANSWERED) {
        end->reasoning = skn_wire_reason_keep(&s->answer, &s->request);
        skn_wire_hand_calls(&s->answer);
    }
    end->finish = s->answer.finish;
    end->tokens_in = s->answer.tokens_in;
    end->tokens_out = s->answer.tokens_out;
    skn_wire_count_cached(&s->answer, end);
}

static void not_found(showing *s)
{
    const replay *r = (const replay *)s->base.provider;

    s->end.state = SKN_ASK_FAILED;
    s->end.tries = 0;
    skn_fail(&s->end.error, SKEIN_PROVIDER,
             "the recording of \"%s\" in %s has no answer to this request", r->base.name,
             r->folder);
    skn_hint(
        &s->end.error, SKEIN_PROVIDER,
        "It answers only what was asked when it was made, of agents with the same settings");
}

/* Plays one piece; returns false if it was the last. */
static bool play_piece(showing *s)
{
    skn_str piece = skn_str_sub(s->bytes, s->at, s->at + AT_ONCE);
    bool    more;

    s->at += piece.n;
    if (piece.n && s->sink.received)
        s->sink.received(s->sink.arg, piece);
    more = !s->answer.stopped && skn_wire_read_bytes(&s->reader, piece);
    return more && s->at < s->bytes.n;
}

static void go_on(void *arg)
{
    showing *s = arg;
    bool     more = false;

    s->handing = true;
    if (!s->found)
        not_found(s);
    else if (!s->started)
        start(s);
    if (s->found && !s->answer.stopped)
        more = play_piece(s);
    if (s->found && !more && !s->answer.stopped)
        settle(s);
    if (!more && !s->cancelled)
        s->sink.done(s->sink.arg, &s->end);
    s->handing = false;
    if (!more || s->cancelled)
        free_showing(s);
    else
        skn_timer_start(s->timer, 0);
}

/* A model may write an id in pieces, so ids are replaced in complete calls only. */
static void on_call(void *arg, const skein_tool_call *call)
{
    showing        *s = arg;
    skein_tool_call ours = *call;

    ours.args = skn_record_rename(call->args, &s->recorded, &s->ids, s->a);
    s->sink.call(s->sink.arg, &ours);
}

static void on_delta(void *arg, skn_part part, skn_str text)
{
    showing *s = arg;

    s->sink.delta(s->sink.arg, part, text);
}

static skn_asking *ask(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink)
{
    replay  *r = (replay *)p;
    showing *s = skn_heap(sizeof *s);

    s->base.provider = p;
    s->sink = *sink;
    s->ours = (skn_answer_sink){.delta = on_delta, .call = on_call, .arg = s};
    s->a = skn_arena_new();
    s->scratch = skn_arena_new();
    s->timer = skn_timer_new(r->loop, go_on, s);
    s->end = (skn_answer){
        .tokens_in = -1, .tokens_out = -1, .first_ms = -1, .tries = 1, .replayed = true};
    s->request.a = s->a;
    skn_wire_request_write(&s->request, r->format, p->name, what, SKN_RECORD_MOST);
    skn_wire_answer_init(&s->answer, s->a, s->scratch, &s->ours,
                         skn_arena_copy(s->a, what->id));
    find_answer(s);
    skn_timer_start(s->timer, 0);
    return &s->base;
}

static void cancel(skn_asking *a)
{
    showing *s = (showing *)a;

    s->cancelled = s->answer.stopped = true;
    if (!s->handing)
        free_showing(s);
}

static void free_replay(skn_provider *p)
{
    replay *r = (replay *)p;

    skn_arena_free(r->a);
    free(r);
}

/* --- Opening ------------------------------------------------------------------------------------ */

/* "openai-….meta" is of "openai", and "openai-2-….meta" is not. */
static bool is_of(skn_str file, skn_str name)
{
    return skn_str_starts(file, name) && skn_str_ends(file, SKN_STR(".meta")) &&
           file.n > name.n + 65 && file.p[name.n] == '-' && file.p[name.n + 65] == '.';
}

static void add_model(replay *r, const skn_json *meta)
{
    skn_model m = {.name = skn_json_str(meta, "model"), .window = skn_wire_int(meta, "window")};

    if (m.window < 0) /* from an older recording */
        m.window = 0;
    for (size_t i = 0; i < r->models.n; i++)
        if (skn_str_eq(r->models.p[i].name, m.name)) {
            if (m.window)
                r->models.p[i].window = m.window;
            return;
        }
    m.name = skn_arena_copy(r->a, m.name);
    skn_vec_add(r->a, &r->models, m);
}

/* Reads the provider's files; returns false if the folder cannot be read. */
static bool read_folder(replay *r, const char *folder)
{
    DIR           *dir = opendir(folder);
    struct dirent *entry;
    skn_arena     *a = skn_arena_new();
    int            seen = 0;

    while (dir && seen++ < MOST_FILES && (entry = readdir(dir))) {
        const skn_json *meta = NULL;

        skn_arena_reset(a);
        if (is_of(skn_str_of(entry->d_name), skn_str_of(r->base.name)))
            meta = load_meta(skn_arena_printf(a, "%s/%s", folder, entry->d_name).p, a);
        if (!meta || !format_from(skn_json_str(meta, "format")))
            continue;
        r->format = format_from(skn_json_str(meta, "format"));
        add_model(r, meta);
    }
    if (dir)
        closedir(dir);
    skn_arena_free(a);
    return dir != NULL;
}

static skn_window window(skn_provider *p, skn_str model, bool ask)
{
    const replay *r = (const replay *)p;

    for (size_t i = 0; i < r->models.n; i++)
        if (skn_str_eq(r->models.p[i].name, model))
            return (skn_window){r->models.p[i].window, "provider", false, r->format, 0};
    (void)ask;
    return (skn_window){.format = r->format};
}

static const char usual_file[] = "default.model";

void skn_record_usual(const char *folder, skn_str model)
{
    skn_arena  *a = skn_arena_new();
    const char *path = skn_arena_printf(a, "%s/%s", folder, usual_file).p;
    int         fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd >= 0) {
        (void)skn_fd_write(fd, model);
        close(fd);
    }
    skn_arena_free(a);
}

/* Older recordings lack the file: then it is the model of the first answer by name. */
static skn_str model_of_first(const char *folder, skn_arena *a)
{
    DIR            *dir = opendir(folder);
    struct dirent  *entry;
    const skn_json *meta = NULL;
    const char     *first = NULL;
    int             seen = 0;

    while (dir && seen++ < MOST_FILES && (entry = readdir(dir)))
        if (skn_str_ends(skn_str_of(entry->d_name), SKN_STR(".meta")) &&
            (!first || strcmp(entry->d_name, first) < 0))
            first = skn_arena_copy(a, skn_str_of(entry->d_name)).p;
    if (dir)
        closedir(dir);
    if (first)
        meta = load_meta(skn_arena_printf(a, "%s/%s", folder, first).p, a);
    return meta ? skn_arena_printf(a, "%.*s/%.*s", SKN_FMT(skn_json_str(meta, "provider")),
                                   SKN_FMT(skn_json_str(meta, "model")))
                : SKN_NONE;
}

skn_str skn_replay_usual(const char *folder, skn_arena *a)
{
    skn_str first = model_of_first(folder, a), model;

    if (first.n &&
        load(skn_arena_printf(a, "%s/%s", folder, usual_file).p, 1 << 12, a, &model) && model.n)
        return model;
    return first;
}

skein_rc skn_replay_open(skn_provider **out, skn_loop *loop, const char *folder,
                         const char *name, skein_error *err)
{
    static const skn_provider_ops ops = {
        .ask = ask, .cancel = cancel, .free = free_replay, .window = window};
    replay *r = skn_heap(sizeof *r);
    bool    readable;

    *out = NULL;
    r->a = skn_arena_new();
    r->base = (skn_provider){&ops, skn_arena_copy(r->a, skn_str_of(name)).p};
    readable = read_folder(r, folder);
    if (!r->format) {
        free_replay(&r->base);
        return readable ? skn_fail(err, SKEIN_NOT_FOUND,
                                   "the folder \"%s\" has no recording of \"%s\"", folder, name)
                        : skn_fail(err, SKEIN_IO, "the folder \"%s\" cannot be read: %s",
                                   folder, strerror(errno));
    }
    r->loop = loop;
    r->folder = skn_arena_copy(r->a, skn_str_of(folder)).p;
    r->played = skn_map_new(r->a);
    *out = &r->base;
    return SKEIN_OK;
}
