/* The road of a child's standard streams: one message a line.
 *
 * The child has a process group of its own. No signal reports its end: its owner checks from time to time. */
#include "mcp/mcp_inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUEUE_MOST (SKN_MCP_LINE * 2) /* written, and not yet read by the child */
#define PIECE      ((size_t)64 * 1024)
enum {
    LOOK_FAST = 10,   /* ms between looks at a child that is ending */
    LOOK_SLOW = 1000, /* at one that others wait for */
    SILENT = 300,     /* ms from the end of its output to its end */
    ASK = 500,        /* ms from closing its input to SIGTERM */
    TELL = 2000,      /* from there to SIGKILL */
    SIGNALS = 65,
    SPARE = 256 /* descriptors that other threads may open before the fork */
};

/* --- The child -------------------------------------------------------------------------------- */

typedef struct child {
    pid_t pid;          /* 0: none */
    int   in, out, err; /* our ends, not blocking; -1: closed */
    int   why;          /* says why the program could not be run; -1: closed */
    bool  never_ran;    /* known once it ended */
    char  words[200];   /* how it ended: "it ended with status 1" */
} child;

/* Everything the child needs, made before the fork: afterwards it may not even allocate. */
typedef struct plan {
    char **argv, **env;
    char  *path, *cwd;
    int    in[2], out[2], err[2], why[2];
    int    highest; /* descriptor to close */
} plan;

static char **texts_of(skn_arena *a, const skn_str *texts, size_t count)
{
    char **out = SKN_ARRAY(a, count + 1, char *);

    for (size_t i = 0; i < count; i++) {
        out[i] = SKN_ARRAY(a, texts[i].n + 1, char);
        if (texts[i].n)
            memcpy(out[i], texts[i].p, texts[i].n);
    }
    return out;
}

static const char *path_of(char **env)
{
    for (; *env; env++)
        if (!strncmp(*env, "PATH=", 5))
            return *env + 5;
    return "/usr/local/bin:/usr/bin:/bin";
}

/* Where the program is; as it was given when PATH does not have it, so that exec says why. */
static char *find_program(skn_arena *a, char *name, char **env)
{
    skn_str rest = skn_str_of(path_of(env)), dir;
    char   *path;
    size_t  size;

    if (strchr(name, '/'))
        return name;
    while (skn_str_split(&rest, ':', &dir)) {
        dir = dir.n ? dir : SKN_STR(".");
        size = dir.n + strlen(name) + 2;
        path = SKN_ARRAY(a, size, char);
        snprintf(path, size, "%.*s/%s", SKN_FMT(dir), name);
        if (access(path, X_OK) == 0)
            return path;
    }
    return name;
}

/* Descriptors are numbered from below: what is open now, and some that other threads may open before
 * the fork. Those of ours are closed by exec anyway; this is for those of libraries. */
static int highest_open(void)
{
    DIR           *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    struct rlimit  limit;
    long           n = 0, one;

    if (!dir)
        return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 4096
                   ? (int)limit.rlim_cur
                   : 4096;
    while ((entry = readdir(dir)))
        if ((one = strtol(entry->d_name, NULL, 10)) > n)
            n = one;
    closedir(dir);
    return (int)n + SPARE;
}

/* In the child: only calls that are safe after a fork from a process with threads. */
static _Noreturn void fail_in_child(int why)
{
    int error = errno;

    while (write(why, &error, sizeof error) < 0 && errno == EINTR)
        continue;
    _exit(127);
}

static _Noreturn void become(const plan *p)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};
    sigset_t         none;
    int              why;

    setpgid(0, 0);
    for (int i = 1; i < SIGNALS; i++)
        sigaction(i, &normal, NULL);
    why = fcntl(p->why[1], F_DUPFD_CLOEXEC, 10);
    if (why < 0 || dup2(p->in[0], 0) < 0 || dup2(p->out[1], 1) < 0 || dup2(p->err[1], 2) < 0)
        fail_in_child(p->why[1]);
    for (int fd = 3; fd <= p->highest; fd++)
        if (fd != why)
            close(fd);
    if (p->cwd && chdir(p->cwd) != 0)
        fail_in_child(why);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(p->path, p->argv, p->env);
    fail_in_child(why);
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_pair(int pair[2])
{
    close_one(&pair[0]);
    close_one(&pair[1]);
}

/* Both ends are ours alone, and above those that the child will have. */
static bool open_pair(int pair[2])
{
    int made[2];

    if (pipe(made) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        pair[i] = fcntl(made[i], F_DUPFD_CLOEXEC, 3);
        close(made[i]);
    }
    return pair[0] >= 0 && pair[1] >= 0;
}

static bool open_pairs(plan *p)
{
    p->in[0] = p->in[1] = p->out[0] = p->out[1] = -1;
    p->err[0] = p->err[1] = p->why[0] = p->why[1] = -1;
    return open_pair(p->in) && open_pair(p->out) && open_pair(p->err) && open_pair(p->why);
}

/* No signal may reach the child before it has given up our handlers. */
static pid_t fork_quietly(const plan *p)
{
    sigset_t all, before;
    pid_t    pid;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = fork();
    if (pid == 0)
        become(p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

static void keep_ours(child *c, plan *p, pid_t pid)
{
    int *const ends[] = {&c->in, &c->out, &c->err, &c->why};

    setpgid(pid, pid); /* the child does it, too; the first one counts */
    *c = (child){
        .pid = pid, .in = p->in[1], .out = p->out[0], .err = p->err[0], .why = p->why[0]};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        fcntl(*ends[i], F_SETFL, O_NONBLOCK);
    p->in[1] = p->out[0] = p->err[0] = p->why[0] = -1;
}

static skein_rc child_run(child *c, const skn_mcp_options *what, skein_error *err)
{
    skn_arena *a = skn_arena_new();
    plan       p = {.argv = texts_of(a, what->argv, what->argc),
                    .env = texts_of(a, what->env, what->env_count),
                    .cwd = what->cwd.n ? *texts_of(a, &what->cwd, 1) : NULL};
    pid_t      pid = -1;
    skein_rc   rc = SKEIN_OK;

    *c = (child){.in = -1, .out = -1, .err = -1, .why = -1};
    p.path = find_program(a, p.argv[0], p.env);
    if (open_pairs(&p)) {
        p.highest = highest_open();
        pid = fork_quietly(&p);
    }
    if (pid < 0)
        rc = skn_fail(err, SKEIN_FAILED, "cannot start \"%.100s\": %s", p.argv[0],
                      strerror(errno));
    else
        keep_ours(c, &p, pid);
    close_pair(p.in);
    close_pair(p.out);
    close_pair(p.err);
    close_pair(p.why);
    skn_arena_free(a);
    return rc;
}

static int reap(child *c)
{
    int status = 0;

    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    c->pid = 0;
    return status;
}

static void say_how(child *c, int status)
{
    int error = 0;

    if (c->why >= 0 && read(c->why, &error, sizeof error) == (ssize_t)sizeof error) {
        c->never_ran = true;
        snprintf(c->words, sizeof c->words, "its command cannot be run: %s", strerror(error));
    } else if (WIFSIGNALED(status)) {
        snprintf(c->words, sizeof c->words, "it was ended by signal %d", WTERMSIG(status));
    } else {
        snprintf(c->words, sizeof c->words, "it ended with status %d", WEXITSTATUS(status));
    }
}

/* Has it ended? Then what is left of its group is killed, and `words` say how it was. The group is killed before the
 * child is waited for, so that the group's number cannot have become somebody else's. */
static bool child_ended(child *c)
{
    siginfo_t info = {.si_pid = 0};

    if (!c->pid)
        return true;
    if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid)
        return false;
    kill(-c->pid, SIGKILL);
    say_how(c, reap(c));
    return true;
}

/* To it and whatever it has started. */
static void child_signal(const child *c, int signal)
{
    if (c->pid)
        kill(-c->pid, signal);
}

/* Kills it if it still runs, waits for its end, and closes everything. */
static void child_release(child *c)
{
    child_signal(c, SIGKILL);
    if (c->pid)
        reap(c);
    close_one(&c->in);
    close_one(&c->out);
    close_one(&c->err);
    close_one(&c->why);
}

/* --- The road --------------------------------------------------------------------------------- */

typedef enum stage { RUNNING, ENDING, CLOSING } stage;

typedef struct way {
    skn_mcp   *s;
    child      child;
    skn_watch *in, *out, *err;
    skn_buf    line, queue;
    size_t     written; /* of the queue */
    skn_timer *look;
    stage      stage;
    int64_t    waited; /* ms, in this stage */
    bool       told, killed;
} way;

static void free_way(way *w)
{
    skn_watch_free(w->in);
    skn_watch_free(w->out);
    skn_watch_free(w->err);
    skn_timer_free(w->look);
    child_release(&w->child);
    skn_buf_release(&w->line);
    skn_buf_release(&w->queue);
    w->s->way = NULL;
    free(w);
}

static void read_rest(way *w);

/* --- Its end ---------------------------------------------------------------------------------- */

static void close_input(way *w)
{
    skn_watch_free(w->in);
    w->in = NULL;
    close_one(&w->child.in);
}

/* Asked, told, killed. What has been killed is gone soon, unless it hangs in the kernel; that is
 * looked at for as long as it takes. */
static void press(way *w)
{
    if (!w->told && w->waited >= ASK) {
        w->told = true;
        child_signal(&w->child, SIGTERM);
    }
    if (!w->killed && w->waited >= ASK + TELL) {
        w->killed = true;
        child_signal(&w->child, SIGKILL);
    }
}

static void on_look(void *arg)
{
    way *w = arg;
    bool ended = child_ended(&w->child);

    w->waited += LOOK_FAST;
    if (ended)
        read_rest(w);
    if (w->stage == CLOSING && ended) {
        skn_mcp *s = w->s;

        free_way(w);
        skn_mcp_gone(s);
        return;
    }
    if (w->stage == CLOSING)
        press(w);
    else if (ended)
        skn_mcp_broke(w->s, w->child.never_ran, "%s", w->child.words);
    else if (w->stage == ENDING && w->waited >= SILENT)
        skn_mcp_broke(w->s, false, "it closed its output");
    if (w->stage != RUNNING)
        skn_timer_start(w->look, LOOK_FAST);
    else if (!ended && (w->s->calls || w->s->state == SKN_MCP_STARTING))
        skn_timer_start(w->look, LOOK_SLOW);
}

static void look_soon(way *w)
{
    if (w->stage != RUNNING)
        return;
    w->stage = ENDING;
    w->waited = 0;
    skn_watch_read(w->out, false);
    skn_timer_start(w->look, 0);
}

/* --- What it says ----------------------------------------------------------------------------- */

static void end_line(way *w)
{
    skn_str line = skn_str_trim(skn_buf_str(&w->line));

    if (w->line.over)
        skn_mcp_broke(w->s, false, "it sent a message of more than %zu bytes", SKN_MCP_LINE);
    else if (line.n)
        skn_mcp_take(w->s, line);
    skn_buf_clear(&w->line);
    if (w->line.cap > 1024 * 1024)
        skn_buf_release(&w->line);
}

static void take_bytes(way *w, skn_str bytes)
{
    while (bytes.n && skn_mcp_alive(w->s)) {
        const char *end = memchr(bytes.p, '\n', bytes.n);
        size_t      n = end ? (size_t)(end - bytes.p) : bytes.n;

        skn_buf_add(&w->line, skn_str_sub(bytes, 0, n));
        if (end || w->line.over)
            end_line(w);
        bytes = skn_str_sub(bytes, n + (end != NULL), bytes.n);
    }
}

static void on_output(void *arg)
{
    way    *w = arg;
    char    bytes[PIECE];
    ssize_t n = read(w->child.out, bytes, sizeof bytes);

    if (n > 0)
        take_bytes(w, (skn_str){bytes, (size_t)n});
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        look_soon(w);
}

/* The tail stays at most so long, and is made readable once for each piece. */
static void keep_tail(skn_mcp *s, skn_str bytes)
{
    size_t over;

    bytes = skn_str_sub(bytes, bytes.n > SKN_MCP_TAIL ? bytes.n - SKN_MCP_TAIL : 0, bytes.n);
    over = s->tail.n + bytes.n > SKN_MCP_TAIL ? s->tail.n + bytes.n - SKN_MCP_TAIL : 0;
    if (over) {
        memmove(s->tail.p, s->tail.p + over, s->tail.n - over);
        s->tail.n -= over;
    }
    skn_buf_add(&s->tail, bytes);
    skn_buf_clear(&s->tail_text);
    skn_mcp_add_clean(&s->tail_text, skn_buf_str(&s->tail));
}

static void on_errors(void *arg)
{
    way    *w = arg;
    char    bytes[SKN_MCP_TAIL];
    ssize_t n = read(w->child.err, bytes, sizeof bytes);

    if (n > 0)
        keep_tail(w->s, (skn_str){bytes, (size_t)n});
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        skn_watch_read(w->err, false);
}

/* What it said before it ended still counts: an answer may be the last thing it did. */
static void read_rest(way *w)
{
    char    bytes[SKN_MCP_TAIL];
    ssize_t n;

    while (w->out && skn_mcp_alive(w->s) && (n = read(w->child.out, bytes, sizeof bytes)) > 0)
        take_bytes(w, (skn_str){bytes, (size_t)n});
    while (w->err && (n = read(w->child.err, bytes, sizeof bytes)) > 0)
        keep_tail(w->s, (skn_str){bytes, (size_t)n});
}

/* --- What it is sent -------------------------------------------------------------------------- */

static void on_input(void *arg)
{
    way *w = arg;

    while (w->written < w->queue.n) {
        ssize_t n = write(w->child.in, w->queue.p + w->written, w->queue.n - w->written);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            skn_watch_write(w->in, true);
            return;
        }
        if (n < 0) {
            skn_watch_write(w->in, false);
            look_soon(w);
            return;
        }
        w->written += (size_t)n;
    }
    skn_watch_write(w->in, false);
    skn_buf_clear(&w->queue);
    w->written = 0;
}

/* What was written goes when it is as much as what was not, so that each byte is moved about once. */
static void make_room(way *w)
{
    if (w->written < w->queue.n / 2)
        return;
    memmove(w->queue.p, w->queue.p + w->written, w->queue.n - w->written);
    w->queue.n -= w->written;
    w->written = 0;
}

static void send_text(skn_mcp *s, skn_str text, int64_t id)
{
    way *w = s->way;

    if (!w || !w->in)
        return;
    if (w->queue.n)
        make_room(w);
    skn_buf_add(&w->queue, text);
    skn_buf_addc(&w->queue, '\n');
    if (w->queue.over) {
        skn_mcp_broke(s, false, "it does not read its input");
        return;
    }
    on_input(w);
    if (id && w->stage == RUNNING)
        skn_timer_start(w->look, LOOK_SLOW); /* its pipes may be held open by others */
}

static void initialized(skn_mcp *s, skn_str notice)
{
    send_text(s, notice, 0);
    skn_mcp_list_tools(s);
}

static void forget_request(skn_mcp *s, int64_t id)
{
    (void)s, (void)id;
}

static void open_way(skn_mcp *s)
{
    way        *w = skn_heap(sizeof *w);
    skein_error err;

    s->way = w;
    w->s = s;
    w->look = skn_timer_new(s->loop, on_look, w);
    skn_buf_init(&w->line, SKN_MCP_LINE);
    skn_buf_init(&w->queue, QUEUE_MOST);
    if (child_run(&w->child, &s->o, &err)) {
        skn_mcp_broke(s, false, "%s", err.message);
        return;
    }
    w->in = skn_watch_new(s->loop, w->child.in, NULL, on_input, w);
    w->out = skn_watch_new(s->loop, w->child.out, on_output, NULL, w);
    w->err = skn_watch_new(s->loop, w->child.err, on_errors, NULL, w);
    skn_watch_read(w->out, true);
    skn_watch_read(w->err, true);
}

/* From here on nobody listens; its output is read no more, but its last words are. */
static void close_way(skn_mcp *s, bool politely)
{
    way *w = s->way;

    close_input(w);
    if (w->out)
        skn_watch_read(w->out, false);
    w->stage = CLOSING;
    w->waited = 0;
    if (!politely) {
        w->told = w->killed = true;
        child_signal(&w->child, SIGKILL);
    }
    skn_timer_start(w->look, 0);
}

static void drop_way(skn_mcp *s)
{
    free_way(s->way);
}

const skn_mcp_road skn_mcp_stdio = {open_way,       send_text, initialized,
                                    forget_request, close_way, drop_way};

int64_t skn_mcp_pid(const skn_mcp *s)
{
    const way *w = s->road == &skn_mcp_stdio ? s->way : NULL;

    return w ? w->child.pid : 0;
}
