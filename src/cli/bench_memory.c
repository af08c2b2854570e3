/* bench_memory.c: memory, of a process that does nothing else. This program runs itself again for it,
 * with words behind "bench" that no help mentions: what to do, and the chat to do it with. */
#include "cli/bench_agents.h"

#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TAIL           50
#define APPEND_AT_ONCE 100

/* --- The other process ------------------------------------------------------------------------ */

/* A number of kB out of /proc/self/status; 0 when it is not there. */
static int64_t status_kb(const char *name)
{
    FILE   *f = fopen("/proc/self/status", "r");
    char    line[256];
    int64_t kb = 0;
    size_t  n = strlen(name);

    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, n) && line[n] == ':')
            kb = strtoll(line + n + 1, NULL, 10);
    if (f)
        fclose(f);
    return kb;
}

/* Both ends, and then the most that was ever resident. */
static skein_rc read_ends(skn_bench *b, const skn_bench_store *s, int64_t *kb)
{
    skein_slice    what = {.conversation = s->chat, .count = TAIL};
    skein_mem     *mem = b->cli->mem;
    skein_messages m;
    skein_rc       rc;

    if ((rc = skein_read(s->engine, &what, mem, &m, NULL, &b->cli->err)))
        return rc;
    what.from = -TAIL;
    rc = skein_read(s->engine, &what, mem, &m, NULL, &b->cli->err);
    *kb = status_kb("VmHWM");
    return rc;
}

/* How much more was resident while replies were checked and stored. */
static skein_rc append_replies(skn_bench *b, skn_bench_store *s, int64_t *kb)
{
    int64_t  before = status_kb("VmRSS");
    skein_rc rc = skn_bench_fill_chains(b, s, b->size.replies, b->size.levels, APPEND_AT_ONCE);

    *kb = status_kb("VmHWM") - before;
    return rc;
}

static skein_rc alone(skn_bench *b, skn_bench_store *s, int64_t *kb)
{
    skn_str            what = skn_arg(b->cli, 0);
    skein_conversation chat;
    skein_rc           rc;

    if ((rc = skein_conversation_find(s->engine, (skein_world_id){0}, skn_arg(b->cli, 1),
                                      b->cli->keep, &chat, &b->cli->err)))
        return rc;
    s->chat = chat.id;
    s->chat_uid = chat.uid;
    return skn_str_is(what, "resident") ? read_ends(b, s, kb) : append_replies(b, s, kb);
}

int skn_bench_alone(skn_bench *b)
{
    skein_options   options = SKEIN_OPTIONS_INIT;
    skn_bench_store s = {.address = skn_opt(b->cli, "db")};
    skn_str         what = skn_arg(b->cli, 0);
    int64_t         kb = 0;
    skein_rc        rc;

    if (b->cli->arg_count == 2 && skn_str_is(what, "bare"))
        return skn_bench_be_bare(b);
    if (b->cli->arg_count == 2 && skn_str_is(what, "model"))
        return skn_bench_be_model(b);
    if (b->cli->arg_count != 2 || !s.address ||
        (!skn_str_is(what, "resident") && !skn_str_is(what, "validation")))
        return (int)skn_fail(&b->cli->err, SKEIN_USAGE, "\"bench\" takes no \"%.*s\"",
                             SKN_FMT(what));
    options.store = skn_str_of(s.address);
    if (!(rc = skein_open(&s.engine, &options, &b->cli->err)))
        rc = alone(b, &s, &kb);
    skein_close(s.engine);
    if (rc == SKEIN_OK)
        skn_print(b->cli, "%" PRId64 "\n", kb);
    return (int)rc;
}

/* --- This one ----------------------------------------------------------------------------------- */

static void become_other(const skn_bench *b, const skn_bench_store *s, const char *what, int to)
{
    dup2(to, STDOUT_FILENO);
    pthread_sigmask(SIG_SETMASK, &b->signals, NULL);
    execl("/proc/self/exe", "skein", "bench", what, s->chat_uid.p, "--db", s->address,
          b->quick ? "--quick" : "--quiet", (char *)NULL);
    _exit(127);
}

static bool read_number(int from, int64_t *out)
{
    char   text[64];
    size_t n = 0;

    while (n < sizeof text) {
        ssize_t got = read(from, text + n, sizeof text - n);

        if (got > 0)
            n += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
    }
    return skn_str_int(skn_str_trim((skn_str){text, n}), out);
}

static skein_rc not_run(skn_bench *b)
{
    return skn_fail(&b->cli->err, SKEIN_FAILED,
                    "the memory of a process could not be measured");
}

static skein_rc run_other(skn_bench *b, const skn_bench_store *s, const char *what, int64_t *kb)
{
    int   ends[2], status = 0;
    bool  got;
    pid_t pid;

    if (pipe(ends) != 0)
        return not_run(b);
    skn_out_flush(b->cli);
    if ((pid = fork()) == 0)
        become_other(b, s, what, ends[1]);
    close(ends[1]);
    got = pid > 0 && read_number(ends[0], kb);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return got && status == 0 ? SKEIN_OK : not_run(b);
}

static skein_rc measure(skn_bench *b, const skn_bench_store *s, const char *what,
                        skn_bench_row row)
{
    int64_t  kb = 0;
    skein_rc rc = run_other(b, s, what, &kb);

    row.unit = "MB";
    row.figure = (double)kb / 1024;
    row.rounds = 1;
    return rc ? rc : skn_bench_add(b, &row);
}

skein_rc skn_bench_resident(skn_bench *b, const skn_bench_store *large)
{
    skn_str       of = skn_bench_count(b->cli->keep, large->length);
    skn_bench_row row = {.figure_max = 32};

    row.what = skn_arena_printf(b->cli->keep, "memory, both ends of %.*s read", SKN_FMT(of)).p;
    return measure(b, large, "resident", row);
}

skein_rc skn_bench_validation(skn_bench *b, const skn_bench_store *s)
{
    skn_str       of = skn_bench_count(b->cli->keep, b->size.replies);
    skn_bench_row row = {.figure_max = 10};

    row.what = skn_arena_printf(b->cli->keep, "memory to check %.*s replies", SKN_FMT(of)).p;
    return measure(b, s, "validation", row);
}
