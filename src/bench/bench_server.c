/* bench_server.c: what the server adds to the engine, over loopback. */
#include "bench/bench_server.h"
#include "base/clock.h"
#include "http/http.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERSION_CLIENTS 16
#define REST_MS         300 /* until a server that was just started is idle */
#define STARTS          5
#define BODY_VALUES     99000

typedef struct serving {
    skn_bench_store store, plain; /* the server's, and the engine's own for comparison */
    skn_bench_child child;
    skn_str         chats[SKN_BENCH_CLIENTS];
} serving;

/* --- Making --------------------------------------------------------------------------------- */

static skein_rc make_chats(skn_bench *b, serving *p)
{
    skein_conversation chat;
    skein_rc           rc = SKEIN_OK;

    for (int i = 0; i < SKN_BENCH_CLIENTS && rc == SKEIN_OK; i++) {
        rc = skein_chat_new(p->store.engine, p->store.world, SKN_STR("client"), b->cli->keep,
                            &chat, &b->cli->err);
        p->chats[i] = chat.uid;
    }
    return rc;
}

/* The store is closed again: from then on it is the server's. */
static skein_rc make_store(skn_bench *b, serving *p)
{
    skein_rc rc = skn_bench_open(b, "http", 0, &p->store);

    if (rc)
        return rc;
    rc = make_chats(b, p);
    skn_bench_close(&p->store);
    return rc;
}

/* --- Starting, resting ---------------------------------------------------------------------- */

static skein_rc start_often(skn_bench *b, serving *p)
{
    skn_samples first = {.n = 0}, memory = {.n = 0};
    skein_rc    rc;

    for (int i = 0; i < (b->quick ? 1 : STARTS); i++) {
        skn_bench_stop(&p->child);
        if ((rc = skn_bench_go_on(b)) || (rc = skn_bench_serve(b, &p->store, NULL, &p->child)))
            return rc;
        poll(NULL, 0, REST_MS);
        skn_samples_add(&first, p->child.first_ms);
        skn_samples_add(&memory, (double)skn_bench_status_kb(p->child.pid, "VmRSS") / 1024);
    }
    rc = skn_bench_compare(b, SKN_ROW_START, &first, NULL);
    return rc ? rc : skn_bench_compare(b, SKN_ROW_AT_REST, &memory, NULL);
}

/* --- The smallest answer -------------------------------------------------------------------- */

/* Requests to a child, and which. */
typedef struct asking {
    const skn_bench_child *child;
    skn_bench_load         load;
} asking;

/* Requests per second. */
static skein_rc round_load(skn_bench *b, void *what, skn_samples *out)
{
    const asking *a = what;
    double        seconds = 0;
    skein_rc      rc = skn_bench_send(b, a->child, &a->load, &seconds);

    if (rc == SKEIN_OK)
        skn_samples_add(out, (double)a->load.count / seconds);
    return rc;
}

static asking same_for_all(skn_bench *b, const skn_bench_child *child, const char *path,
                           int clients, int64_t count)
{
    asking a = {.child = child, .load = {.clients = clients, .count = count}};

    for (int i = 0; i < clients; i++)
        a.load.request[i] = skn_bench_request(b, child, "GET", path, "", NULL);
    return a;
}

static skein_rc compare_bare(skn_bench *b, const serving *p, const skn_bench_child *bare)
{
    asking ours = same_for_all(b, &p->child, "/version", VERSION_CLIENTS, b->size.requests);
    asking theirs = same_for_all(b, bare, "/version", VERSION_CLIENTS, b->size.requests);

    return skn_bench_in_turns(b, SKN_ROW_VERSION, b->size.rounds, round_load, &ours, &theirs);
}

static skein_rc versions(skn_bench *b, const serving *p)
{
    skn_bench_child bare = {.pid = 0};
    skn_bench_reply r;
    skein_rc        rc;

    if ((rc = skn_bench_ask(b, &p->child, "GET", "/version", "", NULL, &r)) ||
        (rc = skn_bench_bare(b, r.body, &bare)))
        return rc;
    rc = compare_bare(b, p, &bare);
    skn_bench_stop(&bare);
    return rc;
}

/* --- Posting -------------------------------------------------------------------------------- */

/* What the engine does by itself, on one thread. */
static skein_rc round_engine(skn_bench *b, const serving *p, skn_samples *out)
{
    int64_t  start = skn_clock_monotonic();
    skein_rc rc = skn_bench_say(p->plain.engine, p->plain.chat, b->size.batch, &b->cli->err);

    skn_samples_add(out, (double)b->size.batch / skn_bench_since(start));
    return rc;
}

static asking posting(skn_bench *b, const serving *p, int clients, int64_t count)
{
    asking a = {.child = &p->child, .load = {.clients = clients, .count = count}};

    for (int i = 0; i < clients; i++)
        a.load.request[i] = skn_bench_post(b, &p->store, &p->child, "",
                                           skn_bench_message(b, p->chats[i].p));
    return a;
}

static skein_rc posts(skn_bench *b, const serving *p)
{
    skn_samples engine = {.n = 0}, one = {.n = 0}, many = {.n = 0};
    asking      alone = posting(b, p, 1, b->size.batch);
    asking      crowd = posting(b, p, SKN_BENCH_CLIENTS, b->size.batch * 8);
    skein_rc    rc = round_load(b, &alone, &one); /* to warm up */

    one.n = 0;
    for (int64_t i = 0; i < b->size.rounds && rc == SKEIN_OK; i++)
        if (!(rc = skn_bench_go_on(b)) && !(rc = round_engine(b, p, &engine)) &&
            !(rc = round_load(b, &alone, &one)))
            rc = round_load(b, &crowd, &many);
    if (rc || (rc = skn_bench_compare(b, SKN_ROW_POST_ONE, &one, &engine)))
        return rc;
    return skn_bench_compare(b, SKN_ROW_POST_MANY, &many, &one);
}

/* --- Pages ---------------------------------------------------------------------------------- */

/* Milliseconds of one request. */
static skein_rc round_page(skn_bench *b, void *what, skn_samples *out)
{
    const asking *a = what;
    double        seconds = 0;
    skein_rc      rc = skn_bench_send(b, a->child, &a->load, &seconds);

    if (rc == SKEIN_OK)
        skn_samples_add(out, seconds * 1e3 / (double)a->load.count);
    return rc;
}

static asking paging(skn_bench *b, const skn_bench_store *s, const skn_bench_child *child)
{
    return same_for_all(b, child,
                        skn_bench_text(b, "/worlds/%s/chats/%s/messages?limit=50",
                                       s->world_name.p, s->chat_uid.p),
                        1, b->size.reads);
}

static skein_rc compare_pages(skn_bench *b, const skn_bench_store s[2],
                              const skn_bench_child child[2])
{
    asking small = paging(b, &s[0], &child[0]), large = paging(b, &s[1], &child[1]);

    return skn_bench_in_turns(b, SKN_ROW_PAGE, b->size.many_rounds, round_page, &large, &small);
}

static skein_rc fill_store(skn_bench *b, const char *name, int64_t length, skn_bench_store *s)
{
    skein_rc rc = skn_bench_open(b, name, 0, s);

    if (rc)
        return rc;
    rc = skn_bench_fill(b, s, length);
    skn_bench_close(s);
    return rc;
}

static skein_rc pages(skn_bench *b)
{
    skn_bench_store s[2] = {{.length = 0}, {.length = 0}};
    skn_bench_child child[2] = {{.pid = 0}, {.pid = 0}};
    skein_rc        rc;

    if (!(rc = fill_store(b, "http-small", b->size.small, &s[0])) &&
        !(rc = fill_store(b, "http-large", b->size.large, &s[1])) &&
        !(rc = skn_bench_serve(b, &s[0], NULL, &child[0])) &&
        !(rc = skn_bench_serve(b, &s[1], NULL, &child[1])))
        rc = compare_pages(b, s, child);
    skn_bench_stop(&child[0]);
    skn_bench_stop(&child[1]);
    return rc;
}

/* --- Removing ------------------------------------------------------------------------------- */

typedef struct removing {
    skn_bench_store store;
    skn_bench_child child;
    const char     *remove, *travel; /* paths */
} removing;

static skein_rc make_room(skn_bench *b, removing *r)
{
    skein_slice    what = {.count = 1};
    skein_messages m;
    skein_rc       rc;

    if ((rc = skn_bench_open(b, "http-room", b->size.agents, &r->store)))
        return rc;
    what.conversation = r->store.chat;
    if (!(rc = skn_bench_fill(b, &r->store, b->size.room)))
        rc = skein_read(r->store.engine, &what, b->cli->keep, &m, NULL, &b->cli->err);
    skn_bench_close(&r->store);
    if (rc)
        return rc;
    r->remove = skn_bench_text(b, "/worlds/%s/messages/%.*s?chatId=%s", r->store.world_name.p,
                               SKN_FMT(m.at[0].uid), r->store.chat_uid.p);
    r->travel = skn_bench_text(b, "/worlds/%s/chats/%s/currentThread", r->store.world_name.p,
                               r->store.chat_uid.p);
    return skn_bench_serve(b, &r->store, NULL, &r->child);
}

/* Everything goes, out of every memory, and comes back. */
static skein_rc remove_once(skn_bench *b, void *what, skn_samples *out)
{
    const removing *r = what;
    int64_t         start = skn_clock_monotonic();
    skn_bench_reply gone, back;
    skn_str         match;
    skein_rc        rc = skn_bench_ask(b, &r->child, "DELETE", r->remove, "", NULL, &gone);

    if (rc)
        return rc;
    skn_samples_add(out, skn_bench_since(start) * 1e3);
    match = skn_arena_printf(b->cli->mem, "If-Match: %.*s\r\n", SKN_FMT(gone.etag));
    return skn_bench_ask(b, &r->child, "PUT", r->travel, match.p, "{\"move\":\"undo\"}", &back);
}

static skein_rc removals(skn_bench *b)
{
    removing r = {.remove = NULL};
    skein_rc rc = make_room(b, &r);

    if (rc == SKEIN_OK)
        rc = skn_bench_in_turns(b, SKN_ROW_DELETE, b->size.rounds, remove_once, &r, NULL);
    skn_bench_stop(&r.child);
    return rc;
}

/* --- Memory of a body ----------------------------------------------------------------------- */

/* As large, and of as many values, as the server takes where nothing else is said. */
static skein_rc body_memory(skn_bench *b, const serving *p)
{
    int64_t          before = skn_bench_status_kb(p->child.pid, "VmRSS"), peak;
    const char      *path = skn_bench_text(b, "/worlds/%s/chats", p->store.world_name.p);
    skn_bench_result r = {0};
    skn_bench_reply  made;
    skn_buf          body;
    skein_rc         rc;

    skn_buf_init(&body, 2 << 20);
    skn_buf_add(&body, SKN_STR("{\"title\":\"large\",\"numbers\":[0"));
    for (int i = 0; i < BODY_VALUES; i++)
        skn_buf_add(&body, SKN_STR(",123456789"));
    skn_buf_add(&body, SKN_STR("]}"));
    rc = skn_bench_ask(b, &p->child, "POST", path, "", body.p, &made);
    peak = skn_bench_status_kb(p->child.pid, "VmHWM");
    r.figure = (double)(peak - before) * 1024 / (double)body.n;
    skn_buf_release(&body);
    return rc ? rc : skn_bench_add(b, SKN_ROW_BODY, r);
}

/* --- All of it ------------------------------------------------------------------------------ */

static skein_rc by_one_server(skn_bench *b, serving *p)
{
    skein_rc rc;

    if ((rc = make_store(b, p)) || (rc = skn_bench_open(b, "http-plain", 0, &p->plain)) ||
        (rc = start_often(b, p)) || (rc = body_memory(b, p)) || (rc = versions(b, p)) ||
        (rc = posts(b, p)))
        return rc;
    /* A fresh one, so that its memory is that of the streams. */
    skn_bench_stop(&p->child);
    if ((rc = skn_bench_serve(b, &p->store, NULL, &p->child)))
        return rc;
    return skn_bench_streams(b, &p->store, &p->child);
}

skein_rc skn_bench_server(skn_bench *b)
{
    serving  p = {.child = {.pid = 0}};
    skein_rc rc = by_one_server(b, &p);

    skn_bench_stop(&p.child);
    skn_bench_close(&p.plain);
    if (rc || (rc = pages(b)))
        return rc;
    return removals(b);
}

/* This program again, as a server, in a process of its own. */

#define MOST_WORDS 24
#define START_MS   20000

/* --- Starting ------------------------------------------------------------------------------- */

static void become(const skn_bench *b, const char *const *words, int to)
{
    char *argv[MOST_WORDS + 1] = {NULL};

    for (size_t i = 0; i < MOST_WORDS && words[i]; i++)
        argv[i] = (char *)(uintptr_t)words[i]; /* exec's own, it changes nothing */
    dup2(to, STDOUT_FILENO);
    pthread_sigmask(SIG_SETMASK, &b->signals, NULL);
    execv("/proc/self/exe", argv);
    _exit(127);
}

/* The line that begins with http:// says where it answers. */
static bool read_port(int from, int *port)
{
    char    line[512];
    size_t  n = 0;
    ssize_t got;

    while (n < sizeof line - 1 && (got = read(from, line + n, 1)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (line[n] != '\n') {
            n++;
            continue;
        }
        line[n] = '\0';
        if (sscanf(line, "http://127.0.0.1:%d", port) == 1)
            return true;
        n = 0;
    }
    return false;
}

bool skn_bench_spawn(skn_bench *b, const char *const *words, pid_t *pid, int *from)
{
    int ends[2];

    if (pipe(ends) != 0)
        return false;
    skn_out_flush(b->cli);
    if ((*pid = fork()) == 0)
        become(b, words, ends[1]);
    close(ends[1]);
    *from = ends[0];
    if (*pid > 0)
        return true;
    close(*from);
    return false;
}

skein_rc skn_bench_start(skn_bench *b, const char *const *words, skn_bench_child *out)
{
    int  from;
    bool there;

    if (!skn_bench_spawn(b, words, &out->pid, &from))
        return skn_fail(&b->cli->err, SKEIN_IO, "no process: %s", strerror(errno));
    there = read_port(from, &out->port);
    close(from);
    if (there)
        return SKEIN_OK;
    skn_bench_stop(out);
    return skn_fail(&b->cli->err, SKEIN_FAILED, "a server to measure could not be started");
}

/* In the server's own folder, so that it goes with it. */
static const char *write_script(skn_bench *b, const skn_bench_child *out, const char *script)
{
    const char *path = skn_bench_text(b, "%s/script.yaml", out->folder);
    FILE       *f = fopen(path, "w");
    bool        good = f && fputs(script, f) >= 0;

    if (f)
        good = fclose(f) == 0 && good;
    return good ? path : NULL;
}

skein_rc skn_bench_serve(skn_bench *b, const skn_bench_store *s, const char *script,
                         skn_bench_child *out)
{
    const char     *above = getenv("TMPDIR");
    const char     *words[] = {"skein",     "serve",    "--db",        s->address, "--data",
                               NULL,        "--listen", "127.0.0.1:0", "--socket", "off",
                               "--no-open", "-q",       "--log-level", "error",    NULL,
                               NULL,        NULL,       NULL};
    int64_t         began;
    skn_bench_reply first;
    skein_rc        rc;

    *out = (skn_bench_child){.folder = skn_bench_folder(b, above && *above ? above : "/tmp")};
    words[5] = out->folder;
    if (out->folder && script) {
        words[14] = "--no-delay";
        words[15] = "--script";
        words[16] = write_script(b, out, script);
    }
    if (!out->folder || (script && !words[16]))
        return skn_fail(&b->cli->err, SKEIN_IO, "no folder can be made: %s", strerror(errno));
    began = skn_clock_monotonic();
    if ((rc = skn_bench_start(b, words, out)))
        return rc;
    if ((rc = skn_bench_ask(b, out, "GET", "/version", "", NULL, &first)))
        skn_bench_stop(out);
    out->first_ms = skn_bench_since(began) * 1e3;
    return rc;
}

skein_rc skn_bench_bare(skn_bench *b, skn_str body, skn_bench_child *out)
{
    const char *words[] = {"skein", "bench", "bare", NULL, NULL};

    *out = (skn_bench_child){.pid = 0};
    words[3] = skn_arena_copy(b->cli->keep, body).p;
    return skn_bench_start(b, words, out);
}

/* --- Ending --------------------------------------------------------------------------------- */

int skn_bench_wait(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

void skn_bench_stop(skn_bench_child *child)
{
    if (child->pid > 0) {
        kill(child->pid, SIGTERM);
        skn_bench_wait(child->pid);
    }
    child->pid = 0;
    if (child->folder)
        skn_bench_remove(child->folder);
    child->folder = NULL;
}

/* --- The other process ---------------------------------------------------------------------- */

static void stop_loop(void *arg)
{
    skn_loop_stop(arg);
}

void skn_bench_answer(skn_bench *b, skn_loop *loop, int port)
{
    skn_loop_signal(loop, SIGTERM, stop_loop, loop);
    skn_print(b->cli, "http://127.0.0.1:%d/\n", port);
    skn_out_flush(b->cli);
    skn_loop_run(loop);
}

skein_rc skn_bench_be_bare(skn_bench *b)
{
    skn_loop *loop = skn_loop_new();
    int       port = 0;
    skn_bare *bare = skn_bare_new(loop, skn_arg(b->cli, 1), &port);
    skein_rc  rc = SKEIN_OK;

    if (bare)
        skn_bench_answer(b, loop, port);
    else
        rc = skn_fail(&b->cli->err, SKEIN_FAILED, "the HTTP library does not answer");
    skn_bare_free(bare);
    skn_loop_free(loop);
    return rc;
}
