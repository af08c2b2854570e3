#include "child.h"

#include "base/clock.h"
#include "store/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPORT_FD      3
#define START_FD       4
#define SILENCE_MICROS (60 * INT64_C(1000000)) /* a child that says nothing so long is stuck */

/* --- In the test ------------------------------------------------------------------------------ */

/* Those that were started and not waited for; when a test fails, they are ended. */
static struct {
    pid_t pid[64];
    int   n;
} running;

static void end_all(void)
{
    while (running.n > 0) {
        kill(running.pid[--running.n], SIGKILL);
        waitpid(running.pid[running.n], NULL, 0);
    }
}

static void remember(pid_t pid)
{
    assert_true(pid > 0);
    assert_true(running.n < 64);
    running.pid[running.n++] = pid;
}

static int wait_for(pid_t pid)
{
    int status = 0, i = 0;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    while (i < running.n && running.pid[i] != pid)
        i++;
    if (i < running.n)
        running.pid[i] = running.pid[--running.n];
    return status;
}

static void exec_self(const char *const args[], const int reports[2], const int start[2])
{
    char *argv[SKN_CHILD_ARGS + 2] = {skn_heap_copy(SKN_STR("child"))};
    int   n = 1;

    for (; args[n - 1] && n <= SKN_CHILD_ARGS; n++)
        argv[n] = skn_heap_copy(skn_str_of(args[n - 1]));
    if (dup2(reports[1], REPORT_FD) == REPORT_FD && dup2(start[0], START_FD) == START_FD)
        execv("/proc/self/exe", argv);
    _exit(120);
}

/* Pipes whose ends stay clear of the two numbers that the child's get. */
static void make_pipe(int fds[2])
{
    int low[2];

    assert_int_equal(pipe(low), 0);
    for (int i = 0; i < 2; i++) {
        fds[i] = fcntl(low[i], F_DUPFD_CLOEXEC, START_FD + 1);
        assert_true(fds[i] > START_FD);
        close(low[i]);
    }
}

void skn_child_start(skn_child *c, const char *const args[])
{
    int reports[2], start[2];

    make_pipe(reports);
    make_pipe(start);
    *c = (skn_child){.reports = reports[0], .starting = start[1]};
    fflush(NULL);
    c->pid = fork();
    if (c->pid == 0)
        exec_self(args, reports, start);
    remember(c->pid);
    close(reports[1]);
    close(start[0]);
}

void skn_child_go(skn_child *c)
{
    if (c->starting >= 0)
        close(c->starting);
    c->starting = -1;
}

/* Cuts what was read into lines; a child may be killed between two, but never within one. */
static void hand_over(skn_child *c, skn_child_sink *sink, void *arg)
{
    skn_str all = {c->rest, c->rest_n}, line;

    for (;;) {
        const char *end = memchr(all.p, '\n', all.n);

        if (!end)
            break;
        line = (skn_str){all.p, (size_t)(end - all.p)};
        if (skn_str_starts(line, SKN_STR("die "))) {
            end_all();
            fail_msg("a child says: %.*s", SKN_FMT(line));
        }
        sink(arg, line);
        all = skn_str_sub(all, line.n + 1, all.n);
    }
    memmove(c->rest, all.p, all.n);
    c->rest_n = all.n;
}

/* One read; false at the end. */
static bool read_some(skn_child *c, skn_child_sink *sink, void *arg)
{
    ssize_t n = read(c->reports, c->rest + c->rest_n, sizeof c->rest - c->rest_n);

    if (n > 0) {
        c->rest_n += (size_t)n;
        hand_over(c, sink, arg);
        return true;
    }
    if (n < 0 && errno == EINTR)
        return true;
    assert_int_equal(c->rest_n, 0);
    close(c->reports);
    c->reports = -1;
    return false;
}

static bool readable(int fd, int64_t micros)
{
    struct timespec t = {.tv_sec = (time_t)(micros / 1000000),
                         .tv_nsec = (long)(micros % 1000000) * 1000};
    fd_set          set;

    FD_ZERO(&set);
    FD_SET(fd, &set);
    return pselect(fd + 1, &set, NULL, NULL, &t, NULL) > 0;
}

bool skn_child_lines(skn_child *c, int64_t micros, skn_child_sink *sink, void *arg)
{
    int64_t until = skn_clock_monotonic() + micros * 1000, left = micros;

    if (micros < 0) {
        if (!readable(c->reports, SILENCE_MICROS)) {
            end_all();
            fail_msg("a child has said nothing for a minute");
        }
        return read_some(c, sink, arg);
    }
    while (left >= 0) {
        if (readable(c->reports, left) && !read_some(c, sink, arg))
            return false;
        left = (until - skn_clock_monotonic()) / 1000;
    }
    return true;
}

static void end_well(skn_child *c)
{
    int status;

    skn_child_go(c);
    status = wait_for(c->pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("a child ended with status %#x", (unsigned)status);
}

void skn_child_finish(skn_child *c, skn_child_sink *sink, void *arg)
{
    skn_child_go(c);
    while (skn_child_lines(c, -1, sink, arg))
        ;
    end_well(c);
}

void skn_child_kill(skn_child *c, skn_child_sink *sink, void *arg)
{
    int status;

    kill(c->pid, SIGKILL);
    while (c->reports >= 0)
        read_some(c, sink, arg);
    status = wait_for(c->pid);
    if (!WIFSIGNALED(status) && status != 0) /* it may just have finished */
        fail_msg("a child ended with status %#x before it was killed", (unsigned)status);
    skn_child_go(c);
}

void skn_child_finish_all(skn_child *c, size_t count, skn_child_sink *sink, void *const arg[])
{
    struct pollfd fds[32];
    size_t        open = count;

    assert_true(count <= 32);
    for (size_t i = 0; i < count; i++) {
        fds[i] = (struct pollfd){.fd = c[i].reports, .events = POLLIN};
        skn_child_go(&c[i]);
    }
    while (open > 0) {
        if (poll(fds, (nfds_t)count, (int)(SILENCE_MICROS / 1000)) == 0) {
            end_all();
            fail_msg("%zu children have said nothing for a minute", open);
        }
        for (size_t i = 0; i < count; i++)
            if (fds[i].revents && !read_some(&c[i], sink, arg[i])) {
                fds[i].fd = -1;
                open--;
            }
    }
    for (size_t i = 0; i < count; i++)
        end_well(&c[i]);
}

/* --- In the child ----------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 0))) static void write_line(const char *prefix,
                                                             const char *fmt, va_list args)
{
    char line[SKN_CHILD_LINE];
    int  n = snprintf(line, sizeof line, "%s", prefix);

    n += vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, args);
    if (n > (int)sizeof line - 2)
        n = (int)sizeof line - 2;
    for (int i = 0; i < n; i++)
        if (line[i] == '\n')
            line[i] = ' ';
    line[n++] = '\n';
    if (write(REPORT_FD, line, (size_t)n) != n)
        _exit(121);
}

void skn_child_report(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    write_line("", fmt, args);
    va_end(args);
}

void skn_child_die(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    write_line("die ", fmt, args);
    va_end(args);
    _exit(122);
}

void skn_child_wait_start(void)
{
    char c;

    while (read(START_FD, &c, 1) < 0 && errno == EINTR)
        ;
}
