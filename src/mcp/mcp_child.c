#include "mcp/mcp_child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS = 65, SPARE = 256 };

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

static void keep_ours(skn_mcp_child *c, plan *p, pid_t pid)
{
    int *const ends[] = {&c->in, &c->out, &c->err, &c->why};

    setpgid(pid, pid); /* the child does it too; whoever comes first */
    *c = (skn_mcp_child){
        .pid = pid, .in = p->in[1], .out = p->out[0], .err = p->err[0], .why = p->why[0]};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        fcntl(*ends[i], F_SETFL, O_NONBLOCK);
    p->in[1] = p->out[0] = p->err[0] = p->why[0] = -1;
}

skein_rc skn_mcp_child_run(skn_mcp_child *c, const skn_mcp_command *what, skein_error *err)
{
    skn_arena *a = skn_arena_new();
    plan       p = {.argv = texts_of(a, what->argv, what->argc),
                    .env = texts_of(a, what->env, what->env_count),
                    .cwd = what->cwd.n ? *texts_of(a, &what->cwd, 1) : NULL};
    pid_t      pid = -1;
    skein_rc   rc = SKEIN_OK;

    *c = (skn_mcp_child){.in = -1, .out = -1, .err = -1, .why = -1};
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

/* --- The end ---------------------------------------------------------------------------------- */

static void say_how(skn_mcp_child *c, int status)
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

bool skn_mcp_child_ended(skn_mcp_child *c)
{
    siginfo_t info = {.si_pid = 0};
    int       status = 0;

    if (!c->pid)
        return true;
    if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid)
        return false;
    kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    c->pid = 0;
    say_how(c, status);
    return true;
}

void skn_mcp_child_signal(const skn_mcp_child *c, int signal)
{
    if (c->pid)
        kill(-c->pid, signal);
}

void skn_mcp_child_close_in(skn_mcp_child *c)
{
    close_one(&c->in);
}

void skn_mcp_child_release(skn_mcp_child *c)
{
    if (c->pid) {
        kill(-c->pid, SIGKILL);
        while (waitpid(c->pid, &(int){0}, 0) < 0 && errno == EINTR)
            continue;
        c->pid = 0;
    }
    close_one(&c->in);
    close_one(&c->out);
    close_one(&c->err);
    close_one(&c->why);
}
