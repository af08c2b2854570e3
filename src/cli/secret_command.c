/* A key that a program prints: "pass show openai". It gets no shell, no terminal and five seconds. */
#include "cli/secrets.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct child {
    pid_t   pid;
    int     fd;       /* what it prints */
    int64_t deadline; /* monotonic */
} child;

/* Between fork and exec only what is safe in a process with threads. */
_Noreturn static void become(const char *const *words, int out)
{
    int      null = open("/dev/null", O_RDWR);
    sigset_t none;

    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execvp(words[0], (char *const *)(uintptr_t)words);
    _exit(errno == ENOENT ? 127 : 126);
}

static bool start(child *c, const char *const *words, int64_t most_ms)
{
    int ends[2];

    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    c->deadline = skn_clock_monotonic() + most_ms * 1000000;
    if ((c->pid = fork()) == 0)
        become(words, ends[1]);
    close(ends[1]);
    c->fd = ends[0];
    if (c->pid > 0)
        return true;
    close(ends[0]);
    return false;
}

static int left_ms(const child *c)
{
    int64_t left = (c->deadline - skn_clock_monotonic()) / 1000000;

    return left > 0 ? (int)left : 0;
}

/* Up to the first line's end; false when time is over. */
static bool read_line(const child *c, char *bytes, size_t room, size_t *got)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};

    *got = 0;
    while (*got < room) {
        int     ready = poll(&p, 1, left_ms(c));
        ssize_t n = 0;

        if (ready == 0)
            return false;
        if (ready > 0)
            n = read(c->fd, bytes + *got, room - *got);
        if (n == 0 && ready > 0)
            return true;
        if (n > 0 && memchr(bytes + *got, '\n', (size_t)n)) {
            *got += (size_t)n;
            return true;
        }
        *got += n > 0 ? (size_t)n : 0;
        if ((ready < 0 || n < 0) && errno != EINTR)
            return true;
    }
    return true;
}

/* Its exit status; -1 when it was ended here, or by a signal. */
static int wait_for(const child *c, bool late)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    int                   status = 0;
    pid_t                 who = 0;

    while (!late && (who = waitpid(c->pid, &status, WNOHANG)) == 0) {
        if (left_ms(c) == 0)
            late = true;
        else
            nanosleep(&pause, NULL);
    }
    if (late && who == 0) {
        kill(-c->pid, SIGKILL);
        kill(c->pid, SIGKILL); /* it may not have a group of its own yet */
        while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    return !late && who == c->pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static skein_rc say_why(const char *program, int status, bool late, skein_error *err)
{
    if (late)
        return skn_fail(err, SKEIN_TIMEOUT, "the command \"%s\" did not end in time", program);
    if (status == 127)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no program \"%s\"", program);
    if (status != 0)
        return skn_fail(err, SKEIN_FAILED, "the command \"%s\" failed with status %d", program,
                        status);
    return skn_fail(err, SKEIN_INVALID, "what \"%s\" prints is no key", program);
}

skein_rc skn_key_command(const char *const *words, int64_t most_ms, skn_arena *a, skn_str *out,
                         skein_error *err)
{
    char       *bytes = skn_arena_alloc(a, SKN_SECRET_MOST + 2);
    child       c;
    size_t      got;
    bool        late;
    int         status;
    const char *end;

    *out = SKN_NONE;
    if (!start(&c, words, most_ms))
        return skn_fail(err, SKEIN_FAILED, "the command \"%s\" cannot be run: %s", words[0],
                        strerror(errno));
    late = !read_line(&c, bytes, SKN_SECRET_MOST + 2, &got);
    status = wait_for(&c, late);
    close(c.fd); /* not before: it may still be printing */
    end = memchr(bytes, '\n', got);
    *out = skn_str_trim((skn_str){bytes, end ? (size_t)(end - bytes) : got});
    if (!late && status == 0 && skn_secret_valid(*out))
        return SKEIN_OK;
    skn_secret_wipe(*out);
    *out = SKN_NONE;
    return say_why(words[0], status, late || left_ms(&c) == 0, err);
}
