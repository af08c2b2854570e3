/* bench_child.c: this program again, as a server, in a process of its own. */
#include "cli/bench_server.h"

#include "base/clock.h"
#include "base/error.h"
#include "http/http.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

skein_rc skn_bench_start(skn_bench *b, const char *const *words, skn_bench_child *out)
{
    int  ends[2];
    bool there;

    if (pipe(ends) != 0)
        return skn_fail(&b->cli->err, SKEIN_IO, "no pipe: %s", strerror(errno));
    skn_out_flush(b->cli);
    if ((out->pid = fork()) == 0)
        become(b, words, ends[1]);
    close(ends[1]);
    there = out->pid > 0 && read_port(ends[0], &out->port);
    close(ends[0]);
    if (there)
        return SKEIN_OK;
    skn_bench_stop(out);
    return skn_fail(&b->cli->err, SKEIN_FAILED, "a server to measure could not be started");
}

static const char *make_folder(skn_bench *b)
{
    const char *above = getenv("TMPDIR");
    skn_str     name = skn_arena_printf(b->cli->keep, "%s/skein-bench-XXXXXX",
                                    above && *above ? above : "/tmp");
    char       *path = skn_arena_alloc(b->cli->keep, name.n + 1);

    memcpy(path, name.p, name.n);
    return mkdtemp(path);
}

/* In the server's own folder, so that it goes with it. */
static const char *write_script(skn_bench *b, const skn_bench_child *out, const char *script)
{
    const char *path = skn_arena_printf(b->cli->keep, "%s/script.yaml", out->folder).p;
    FILE       *f = fopen(path, "w");
    bool        good = f && fputs(script, f) >= 0;

    if (f)
        good = fclose(f) == 0 && good;
    return good ? path : NULL;
}

skein_rc skn_bench_serve_script(skn_bench *b, const skn_bench_store *s, const char *script,
                                skn_bench_child *out)
{
    const char     *words[] = {"skein",     "serve",    "--db",        s->address, "--data",
                               NULL,        "--listen", "127.0.0.1:0", "--socket", "off",
                               "--no-open", "-q",       "--log-level", "error",    NULL,
                               NULL,        NULL,       NULL};
    int64_t         began;
    skn_bench_reply first;
    skein_rc        rc;

    *out = (skn_bench_child){.folder = make_folder(b)};
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

skein_rc skn_bench_serve(skn_bench *b, const skn_bench_store *s, skn_bench_child *out)
{
    return skn_bench_serve_script(b, s, NULL, out);
}

skein_rc skn_bench_bare(skn_bench *b, skn_str body, skn_bench_child *out)
{
    const char *words[] = {"skein", "bench", "bare", NULL, NULL};

    *out = (skn_bench_child){.pid = 0};
    words[3] = skn_arena_copy(b->cli->keep, body).p;
    return skn_bench_start(b, words, out);
}

/* --- While it runs -------------------------------------------------------------------------- */

/* A number of kB out of its status. */
static int64_t status_kb(const skn_bench_child *child, const char *name)
{
    char    path[64], line[256];
    int64_t kb = 0;
    FILE   *f;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)child->pid);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, strlen(name)))
            kb = strtoll(line + strlen(name), NULL, 10);
    if (f)
        fclose(f);
    return kb;
}

int64_t skn_bench_child_kb(const skn_bench_child *child)
{
    return status_kb(child, "VmRSS:");
}

int64_t skn_bench_child_peak_kb(const skn_bench_child *child)
{
    return status_kb(child, "VmHWM:");
}

void skn_bench_stop(skn_bench_child *child)
{
    int status;

    if (child->pid > 0) {
        kill(child->pid, SIGTERM);
        while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
            continue;
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

int skn_bench_be_bare(skn_bench *b)
{
    skn_loop *loop = skn_loop_new();
    int       port = 0;
    skn_bare *bare = skn_bare_new(loop, skn_arg(b->cli, 1), &port);

    if (!bare) {
        skn_loop_free(loop);
        return (int)skn_fail(&b->cli->err, SKEIN_FAILED, "the HTTP library does not answer");
    }
    skn_loop_signal(loop, SIGTERM, stop_loop, loop);
    skn_print(b->cli, "http://127.0.0.1:%d/\n", port);
    skn_out_flush(b->cli);
    skn_loop_run(loop);
    skn_bare_free(bare);
    skn_loop_free(loop);
    return 0;
}
