#include "cli/commands.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "cli/far_view.h"
#include "cli/log_far.h"
#include "cli/outlook.h"
#include "cli/summary_lines.h"
#include "cli/unanswered.h"

#include <inttypes.h>
#include <time.h>

#define PAGE      200
#define GRAPH_MAX 1000
#define FOLLOW_MS 200

typedef struct log_job {
    skein_world        world;
    skein_conversation chat;
    skein_slice        slice;
    int64_t            length;       /* of what is read */
    int64_t            newest;       /* the greatest id at its end, so far */
    int64_t            most;         /* read only so much of it; -1: all */
    int64_t            count;        /* -n; 0: all */
    int64_t            since, until; /* microseconds; INT64_MIN and _MAX: no bound */
    bool               main_thread, no_memory_only, oneline;
    skn_far_slice      far;       /* the same slice of a store that is elsewhere */
    skn_far_log        got;       /* all of it that is needed, read at once */
    skn_map           *thread;    /* ids that --thread lets through; NULL: all */
    skn_map           *leads;     /* agents that lead themselves, for --main-thread */
    skn_summary_lines *summaries; /* made between the messages; NULL: they are not shown */
} log_job;

/* --- What to read ------------------------------------------------------------------------- */

/* RFC 3339, a date, or a time ago: 30s 20m 2h 3d. */
static skein_rc read_time(skn_cli *cli, const char *option, int64_t fallback, int64_t *out)
{
    static const struct {
        char    letter;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    const char *text = skn_opt(cli, option);
    skn_str     s = skn_str_of(text);
    int64_t     number;

    *out = fallback;
    if (!text || skn_time_parse(s, out))
        return SKEIN_OK;
    for (size_t i = 0; s.n > 1 && i < sizeof units / sizeof units[0]; i++)
        if (s.p[s.n - 1] == units[i].letter &&
            skn_str_int(skn_str_sub(s, 0, s.n - 1), &number) && number >= 0 &&
            number < 1000000000) {
            *out = skn_clock_micros() - number * units[i].seconds * 1000000;
            return SKEIN_OK;
        }
    skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not a time for \"--%s\"", text, option);
    return skn_hint(&cli->err, SKEIN_USAGE,
                    "Times look like 2026-11-15, 2026-11-15T14:02:00Z or 2h");
}

static skein_rc read_thread(skn_cli *cli, log_job *job)
{
    const char      *ref = skn_opt(cli, "thread");
    skein_message    root;
    skein_reply_tree tree;
    skein_rc         rc;

    if (!ref)
        return SKEIN_OK;
    if ((rc = skn_need_message(cli, &job->chat, skn_str_of(ref), &root)))
        return rc;
    if (cli->far)
        return skn_far_subtree(cli, root.uid, job->far.thread, &job->thread);
    if ((rc = skein_reply_tree_read(cli->engine, job->chat.id, job->slice.version, root.id,
                                    cli->mem, &tree, &cli->err)))
        return rc;
    job->thread = skn_map_new(cli->keep);
    for (size_t i = 0; i < tree.count; i++)
        *skn_map_slot_int(job->thread, tree.at[i].message.id.v) = job;
    return SKEIN_OK;
}

static skein_rc read_leads(skn_cli *cli, log_job *job)
{
    skein_agents agents;
    skein_rc     rc;

    job->main_thread = skn_opt(cli, "main-thread");
    if (!job->main_thread)
        return SKEIN_OK;
    if ((rc = skn_agents_of(cli, &job->world, &agents)))
        return rc;
    job->leads = skn_map_new(cli->keep);
    for (size_t i = 0; i < agents.count; i++)
        if (!agents.at[i].lead.v)
            *skn_map_slot(job->leads, agents.at[i].name) = job;
    return SKEIN_OK;
}

static skein_rc read_slice(skn_cli *cli, log_job *job)
{
    const char   *agent = skn_opt(cli, "agent"), *at = skn_opt(cli, "at");
    skein_version version;
    skein_agent   who;
    skein_rc      rc = SKEIN_OK;

    job->slice.conversation = job->chat.id;
    job->slice.lane = skn_str_of(skn_opt(cli, "lane"));
    job->slice.raw = skn_opt(cli, "raw");
    job->most = -1;
    job->far = (skn_far_slice){
        .thread = job->chat.thread_uid, .lane = job->slice.lane, .raw = job->slice.raw};
    if (at && !(rc = skn_need_version_at(cli, &job->chat, at, &version, &job->most))) {
        job->slice.version = version.number;
        job->far.thread = version.thread_uid;
    }
    if (!rc && job->most >= 0 && (agent || job->slice.lane.p))
        rc = skn_fail(&cli->err, SKEIN_USAGE,
                      "a length goes with the room, not with --agent or --lane");
    if (!rc && agent && !(rc = skn_need_agent(cli, &job->world, agent, &who))) {
        job->slice.agent = who.id;
        job->far.agent = who.name;
    }
    return rc;
}

static skein_rc read_options(skn_cli *cli, log_job *job)
{
    skein_rc rc;

    if ((rc = skn_opt_int(cli, "count", 1, INT64_MAX / 2, 0, &job->count)) ||
        (rc = read_time(cli, "since", INT64_MIN, &job->since)) ||
        (rc = read_time(cli, "until", INT64_MAX, &job->until)) ||
        (rc = skn_need_chat(cli, &job->world, &job->chat)) || (rc = read_slice(cli, job)) ||
        (rc = read_thread(cli, job)) || (rc = read_leads(cli, job)))
        return rc;
    job->no_memory_only = skn_opt(cli, "no-memory-only");
    job->oneline = skn_opt(cli, "oneline") || skn_opt(cli, "graph");
    return SKEIN_OK;
}

/* --- Reading ------------------------------------------------------------------------------ */

static bool wanted(const log_job *job, const skein_message *m, const skein_message_facts *f)
{
    if (m->created_at < job->since || m->created_at > job->until)
        return false;
    if (job->thread && !skn_map_get_int(job->thread, m->id.v))
        return false;
    if (job->no_memory_only && f->memory_only)
        return false;
    return !job->main_thread || !m->reply_to.n || m->author == SKEIN_BY_HUMAN ||
           (m->author_agent.v && skn_map_get(job->leads, m->sender));
}

static bool has_filter(const log_job *job)
{
    return job->since != INT64_MIN || job->until != INT64_MAX || job->thread ||
           job->no_memory_only || job->main_thread;
}

typedef struct page {
    skein_messages       list;
    skein_message_facts *facts;
    skein_deliveries    *deliveries; /* of what is printed one by one */
} page;

/* A part of what was read from elsewhere. */
static skein_rc cut_page(const skn_far_log *all, int64_t from, int64_t count, page *out)
{
    out->list = (skein_messages){all->list.at + from, (size_t)count};
    out->facts = all->facts + from;
    out->deliveries = all->deliveries + from;
    return SKEIN_OK;
}

static skein_rc read_page(skn_cli *cli, const log_job *job, int64_t from, int64_t count,
                          skein_mem *mem, page *out)
{
    skein_slice slice = job->slice;
    skein_at    at;
    skein_rc    rc;

    if (cli->far)
        return cut_page(&job->got, from, count, out);
    slice.from = from;
    slice.count = count;
    if ((rc = skein_read(cli->engine, &slice, mem, &out->list, &at, &cli->err)))
        return rc;
    out->facts = SKN_ARRAY(mem, out->list.count + 1, skein_message_facts);
    return skein_message_explain(cli->engine, job->chat.id, slice.version, &out->list, mem,
                                 out->facts, &cli->err);
}

/* Only the end of it when that is all that was asked for. */
static skein_rc measure_far(skn_cli *cli, log_job *job)
{
    skein_rc rc;

    if (!has_filter(job) && job->most < 0)
        job->far.last = job->count;
    rc = skn_far_log_read(cli, &job->far, &job->got);
    job->length = rc ? 0 : (int64_t)job->got.list.count;
    if (job->most >= 0 && job->most < job->length)
        job->length = job->most;
    return rc;
}

/* How long the lane is, and which version is read, so that all pages are of the same one. */
static skein_rc measure(skn_cli *cli, log_job *job)
{
    skein_slice    slice = job->slice;
    skein_messages last;
    skein_at       at;
    skein_rc       rc;

    if (cli->far)
        return measure_far(cli, job);
    slice.from = -1;
    slice.count = 1;
    if (!slice.version)
        job->slice.version = slice.version = job->chat.version;
    rc = skein_read(cli->engine, &slice, cli->mem, &last, &at, &cli->err);
    job->length = rc ? 0 : at.length;
    if (!rc && last.count && last.at[0].id.v > job->newest)
        job->newest = last.at[0].id.v;
    if (job->most >= 0 && job->most < job->length)
        job->length = job->most;
    return rc;
}

static skn_str far_sender(skn_cli *cli, const log_job *job, skn_str uid)
{
    skein_error   err = cli->err;
    skein_message m;

    for (size_t i = 0; i < job->got.list.count; i++)
        if (skn_str_eq(job->got.list.at[i].uid, uid))
            return job->got.list.at[i].sender;
    if (!skn_far_message(cli, uid, &m, NULL, NULL))
        return m.sender;
    cli->err = err;
    return SKN_NONE;
}

/* Who wrote the message that this one answers; only looked up for people. */
static skn_str parent_sender(skn_cli *cli, const log_job *job, const page *p, size_t i)
{
    skn_str       uid = p->facts[i].shown_reply;
    skein_message m;
    skein_error   err;

    if (!uid.n)
        return SKN_NONE;
    for (size_t j = i; j-- > 0;)
        if (skn_str_eq(p->list.at[j].uid, uid))
            return p->list.at[j].sender;
    if (cli->far)
        return far_sender(cli, job, uid);
    if (skein_message_find(cli->engine, job->chat.id, job->slice.version, uid, cli->mem, &m,
                           &err))
        return SKN_NONE;
    return m.sender;
}

/* Was what it answers answered by the same agent since, or is it said there how to ask again? */
static bool settled_above(const page *p, const skein_message *m)
{
    for (size_t i = 0; i < p->list.count; i++)
        for (size_t k = 0;
             skn_str_eq(p->list.at[i].uid, m->reply_to) && k < p->deliveries[i].count; k++)
            if (skn_str_eq(p->deliveries[i].at[k].agent, m->sender))
                return skn_str_is(p->deliveries[i].at[k].state, "answered") ||
                       skn_is_unanswered(&p->deliveries[i].at[k]);
    return false;
}

/* Only in what is current can be asked again. */
static void print_again(skn_cli *cli, const log_job *job, const page *p, size_t i)
{
    if (job->oneline || skn_opt(cli, "at"))
        return;
    skn_print_again(cli, &p->list.at[i], &p->deliveries[i], job->slice.lane);
    if (!settled_above(p, &p->list.at[i]))
        skn_print_stopped_again(cli, &p->list.at[i], job->slice.lane);
}

static skein_rc print_one(skn_cli *cli, const log_job *job, const page *p, size_t i)
{
    const skein_deliveries *d = &p->deliveries[i];

    if (cli->json) {
        skn_shape_message_delivered(skn_item(cli), job->chat.uid, &p->list.at[i], &p->facts[i],
                                    d->count ? d : NULL);
        return skn_item_end(cli);
    }
    if (job->oneline)
        skn_print_oneline(cli, &p->list.at[i], &p->facts[i]);
    else
        skn_print_message(cli, &p->list.at[i], &p->facts[i], parent_sender(cli, job, p, i));
    skn_print_unanswered(cli, d);
    print_again(cli, job, p, i);
    return SKEIN_OK;
}

/* Where to begin so that `count` wanted messages follow: counted from the end, page by page. */
static skein_rc find_start(skn_cli *cli, const log_job *job, int64_t *start)
{
    int64_t  found = 0, end;
    page     p;
    skein_rc rc;

    *start = 0;
    if (!job->count)
        return SKEIN_OK;
    if (!has_filter(job)) {
        *start = job->length > job->count ? job->length - job->count : 0;
        return SKEIN_OK;
    }
    for (end = job->length; end > 0; end -= PAGE) {
        int64_t from = end > PAGE ? end - PAGE : 0;

        skein_mem_reset(cli->mem);
        if ((rc = read_page(cli, job, from, end - from, cli->mem, &p)))
            return rc;
        for (size_t i = p.list.count; i-- > 0;)
            if (wanted(job, &p.list.at[i], &p.facts[i]) && ++found == job->count) {
                *start = from + (int64_t)i;
                return SKEIN_OK;
            }
    }
    return SKEIN_OK;
}

static skein_rc print_from(skn_cli *cli, const log_job *job, int64_t from)
{
    page     p;
    skein_rc rc = SKEIN_OK;

    for (; !rc && from < job->length && !cli->out.failure; from += PAGE) {
        int64_t left = job->length - from;

        skein_mem_reset(cli->mem);
        rc = read_page(cli, job, from, left < PAGE ? left : PAGE, cli->mem, &p);
        if (!rc && !cli->far)
            rc = skn_deliveries_for(cli, &job->chat, job->slice.version, &p.list, cli->mem,
                                    &p.deliveries);
        for (size_t i = 0; !rc && i < p.list.count; i++)
            if (wanted(job, &p.list.at[i], &p.facts[i])) {
                if (job->summaries)
                    skn_summary_lines_until(cli, job->summaries,
                                            skn_summary_order(cli, &p.list.at[i]));
                rc = print_one(cli, job, &p, i);
            }
    }
    if (!rc && job->summaries)
        skn_summary_lines_until(cli, job->summaries, INT64_MAX);
    return rc;
}

/* What was summarised before the part that is printed is no part of it. */
static skein_rc skip_summaries(skn_cli *cli, const log_job *job, int64_t from)
{
    page     p;
    skein_rc rc = read_page(cli, job, from, 1, cli->mem, &p);

    if (!rc && p.list.count)
        skn_summary_lines_skip(cli, job->summaries, skn_summary_order(cli, &p.list.at[0]));
    return rc;
}

static skein_rc print_log(skn_cli *cli, const log_job *job)
{
    int64_t  from;
    skein_rc rc = find_start(cli, job, &from);

    if (!rc && from > 0 && job->summaries)
        rc = skip_summaries(cli, job, from);
    return rc ? rc : print_from(cli, job, from);
}

/* A line leads only to a parent that is drawn too. */
static skein_rc print_graph(skn_cli *cli, log_job *job)
{
    int64_t    from, count = job->count ? job->count : GRAPH_MAX;
    skn_graph *graph = skn_graph_new(cli->keep);
    skn_map   *here = skn_map_new(cli->keep);
    page       p;
    skein_rc   rc;

    job->count = count < GRAPH_MAX ? count : GRAPH_MAX;
    if ((rc = find_start(cli, job, &from)) ||
        (rc = read_page(cli, job, from, job->length - from, cli->keep, &p)))
        return rc;
    for (size_t i = 0; i < p.list.count; i++)
        if (wanted(job, &p.list.at[i], &p.facts[i]))
            *skn_map_slot(here, p.list.at[i].uid) = &p.list.at[i];
    for (size_t i = p.list.count; i-- > 0;) {
        const skein_message *parent = skn_map_get(here, p.facts[i].shown_reply);

        if (!wanted(job, &p.list.at[i], &p.facts[i]))
            continue;
        skn_graph_node(cli, graph, p.list.at[i].id.v, parent ? parent->id.v : 0, '*');
        skn_print_oneline(cli, &p.list.at[i], &p.facts[i]);
    }
    return SKEIN_OK;
}

/* --- Following ---------------------------------------------------------------------------- */

/* Where in a new version the messages begin that were in none before. */
static skein_rc first_new(skn_cli *cli, const log_job *job, int64_t known, int64_t *from)
{
    page     p;
    skein_rc rc = SKEIN_OK;

    for (*from = job->length; !rc && *from > 0;) {
        int64_t start = *from > PAGE ? *from - PAGE : 0;

        skein_mem_reset(cli->mem);
        if ((rc = read_page(cli, job, start, *from - start, cli->mem, &p)))
            return rc;
        for (size_t i = p.list.count; i-- > 0; --*from)
            if (p.list.at[i].id.v <= known)
                return SKEIN_OK;
    }
    return rc;
}

/* Prints what was not there the last time. */
static skein_rc print_news(skn_cli *cli, log_job *job)
{
    int64_t            from = job->length, known = job->newest;
    skein_conversation chat;
    bool               other;
    skein_rc           rc;

    skein_mem_reset(cli->mem);
    if ((rc = skein_conversation_get(cli->engine, job->chat.id, cli->mem, &chat, &cli->err)))
        return rc;
    other = chat.version != job->slice.version;
    job->slice.version = chat.version;
    if ((rc = measure(cli, job)))
        return rc;
    if (other && !cli->json)
        skn_note(cli, "Now at v%" PRId64 ".", job->slice.version);
    if ((other && (rc = first_new(cli, job, known, &from))) ||
        (job->summaries && (rc = skn_summary_lines_read(cli, &job->chat, job->summaries))))
        return rc;
    rc = print_from(cli, job, from);
    skn_out_flush(cli);
    return rc;
}

/* All that is said is in the store, whoever says it: a server may come and go meanwhile. */
static skein_rc follow(skn_cli *cli, log_job *job)
{
    const struct timespec nap = {.tv_nsec = FOLLOW_MS * 1000000L};
    int64_t               seen = 0, stamp = 0;
    skein_rc              rc = print_log(cli, job);

    skn_out_flush(cli);
    while (!rc && !cli->out.failure) {
        if ((rc = skein_store_stamp(cli->engine, &stamp, &cli->err)))
            break;
        if (stamp != seen)
            rc = print_news(cli, job);
        else
            nanosleep(&nap, NULL);
        seen = stamp;
    }
    return rc;
}

static skein_rc follow_far(skn_cli *cli, log_job *job)
{
    skein_rc rc = print_log(cli, job);

    return rc ? rc : skn_log_follow_far(cli, &job->chat, &job->got.list);
}

/* What a filter lets through is known of the store alone. */
static skein_rc check_follow_far(skn_cli *cli)
{
    static const char *const alone[] = {"agent", "lane",        "since",         "thread",
                                        "raw",   "main-thread", "no-memory-only"};

    for (size_t i = 0; cli->far && i < sizeof alone / sizeof alone[0]; i++)
        if (skn_opt(cli, alone[i]))
            return skn_fail(&cli->err, SKEIN_USAGE,
                            "over a server \"--follow\" does not go with --%s", alone[i]);
    return SKEIN_OK;
}

static skein_rc check_follow(skn_cli *cli)
{
    if (skn_opt(cli, "at") || skn_opt(cli, "graph") || skn_opt(cli, "until"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--follow\" goes with neither --at nor --graph nor --until");
    return check_follow_far(cli);
}

/* The whole room as it is, for people: with what happens beside its messages. */
static bool is_room_now(skn_cli *cli, const log_job *job)
{
    return !cli->json && !job->oneline && !has_filter(job) && !skn_opt(cli, "at") &&
           !skn_opt(cli, "agent") && !skn_opt(cli, "lane");
}

static skein_rc print_whole(skn_cli *cli, log_job *job)
{
    skein_rc rc;

    if (skn_opt(cli, "follow"))
        return cli->far ? follow_far(cli, job) : follow(cli, job);
    skn_out_page(cli);
    if (skn_opt(cli, "graph") && !cli->json)
        return print_graph(cli, job);
    if (cli->json)
        skn_list_begin(cli);
    rc = print_log(cli, job);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!rc && is_room_now(cli, job))
        rc = skn_print_queue(cli);
    return rc;
}

int skn_cmd_log(skn_cli *cli)
{
    log_job           job = {.count = 0};
    skn_summary_lines summaries = {0};
    skein_rc          rc = skn_opt(cli, "follow") ? check_follow(cli) : SKEIN_OK;

    if (rc || (rc = read_options(cli, &job)) || (rc = measure(cli, &job)))
        return (int)rc;
    if (is_room_now(cli, &job) && !(cli->far && skn_opt(cli, "follow"))) {
        job.summaries = &summaries;
        rc = skn_summary_lines_read(cli, &job.chat, &summaries);
    }
    if (!rc)
        rc = print_whole(cli, &job);
    skn_summary_lines_end(&summaries);
    return (int)rc;
}
