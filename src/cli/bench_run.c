/* bench_run.c: the command: sizes, parts, verdict. */
#include "cli/bench.h"

#include "base/error.h"

#include <inttypes.h>

static const skn_bench_sizes full = {.large = 1000000,
                                     .middle = 10000,
                                     .small = 1000,
                                     .batch = 200,
                                     .edits = 10000,
                                     .edges = 100,
                                     .agents = 50,
                                     .room = 1000,
                                     .replies = 10000,
                                     .levels = 100,
                                     .threads = 16,
                                     .writers = 10,
                                     .rounds = 21,
                                     .many_rounds = 63,
                                     .reads = 20,
                                     .requests = 4000,
                                     .streams = 5000,
                                     .events = 20,
                                     .turns = 500,
                                     .chunks = 500,
                                     .tasks = 1000,
                                     .workers = 50,
                                     .depth = 1000};
/* Everything once, to see that it works. */
static const skn_bench_sizes quick = {.large = 2000,
                                      .middle = 500,
                                      .small = 200,
                                      .batch = 8,
                                      .edits = 20,
                                      .edges = 5,
                                      .agents = 5,
                                      .room = 20,
                                      .replies = 200,
                                      .levels = 100,
                                      .threads = 16,
                                      .writers = 10,
                                      .rounds = 2,
                                      .many_rounds = 2,
                                      .reads = 2,
                                      .requests = 20,
                                      .streams = 20,
                                      .events = 2,
                                      .turns = 5,
                                      .chunks = 5,
                                      .tasks = 20,
                                      .workers = 5,
                                      .depth = 10};

static skein_rc read_sizes(skn_bench *b)
{
    skn_cli *cli = b->cli;
    skn_str  part = skn_str_of(skn_opt(cli, "part"));
    skein_rc rc;

    if (part.p && !skn_str_is(part, "engine") && !skn_str_is(part, "server") &&
        !skn_str_is(part, "agents"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"%.*s\" is no part of it: engine, server, agents", SKN_FMT(part));
    b->quick = skn_opt(cli, "quick");
    b->size = b->quick ? quick : full;
    if ((rc = skn_opt_int(cli, "messages", b->size.middle, 100000000, b->size.large,
                          &b->size.large)) ||
        (rc = skn_opt_int(cli, "clients", 1, 100000, b->size.streams, &b->size.streams)))
        return rc;
    return skn_opt_int(cli, "agents", 1, 1000, b->size.agents, &b->size.agents);
}

static skein_rc run_engine(skn_bench *b)
{
    skein_rc rc;

    if ((rc = skn_bench_appends(b)) || (rc = skn_bench_by_size(b)) || (rc = skn_bench_rooms(b)))
        return rc;
    return skn_bench_replies(b);
}

static bool is_wanted(const skn_bench *b, const char *part)
{
    skn_str only = skn_str_of(skn_opt(b->cli, "part"));

    return !only.p || skn_str_is(only, part);
}

static skein_rc run_parts(skn_bench *b)
{
    skein_rc rc = SKEIN_OK;

    if (is_wanted(b, "engine"))
        rc = run_engine(b);
    if (rc == SKEIN_OK && is_wanted(b, "server"))
        rc = skn_bench_server(b);
    if (rc == SKEIN_OK && is_wanted(b, "agents"))
        rc = skn_bench_agents(b);
    return rc;
}

static void tell_how(const skn_bench *b)
{
    skn_str where = skn_bench_shown(b);

    if (b->cli->json)
        return;
    skn_print(
        b->cli,
        "skein %s, %.*s\nMedians of %d rounds or more, in turns with the reference; the ratio "
        "is the median of theirs.\n\n",
        skein_version_text(), SKN_FMT(where), b->size.rounds);
}

int skn_cmd_bench(skn_cli *cli)
{
    skn_bench b = {.cli = cli};
    skein_rc  rc = read_sizes(&b);

    if (rc)
        return (int)rc;
    if (cli->arg_count)
        return skn_bench_alone(&b);
    if ((rc = skn_bench_place(&b)))
        return (int)rc;
    tell_how(&b);
    if (cli->json)
        skn_list_begin(cli);
    skn_bench_head(&b);
    rc = run_parts(&b);
    if (cli->json && rc == SKEIN_OK)
        skn_list_end(cli);
    skn_bench_leave(&b);
    if (rc == SKEIN_OK && b.missed && !cli->json)
        skn_print(cli, "\n%zu missed\n", b.missed);
    return rc ? (int)rc : b.missed > 0;
}
