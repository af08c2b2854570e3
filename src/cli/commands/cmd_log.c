#include "base/clock.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/news.h"
#include "cli/paste.h"
#include "cli/unanswered.h"

#include <inttypes.h>
#include <signal.h>
#include <time.h>

#define PAGE          500
#define GRAPH_MAX     1000
#define FOLLOW_MS     200
#define WORDINGS_MOST 100 /* of one message that are looked up */

/* --- Summaries ---------------------------------------------------------------------------- */

/* When something was stored: of two in one millisecond the ids, which grow, say which was first. */
typedef struct moment {
    int64_t at;
    skn_str uid;
} moment;

static bool is_before(moment a, moment b)
{
    return a.at != b.at ? a.at < b.at : skn_str_cmp(a.uid, b.uid) < 0;
}

/* Where in a conversation what agents remember of it was summarised. A summary is a message of
 * an agent's memory, not of the main lane; the main lane shows a quiet line. */
typedef struct summary_lines {
    skein_mem    *mem;
    skn_json_list of;   /* newest first; lives until it is read again */
    moment        seen; /* what was made until then is not printed again */
} summary_lines;

/* Of every agent's memory of the conversation; again when there may be more. */
static skein_rc summaries_read(skn_cli *cli, summary_lines *lines)
{
    skn_door_question q;
    skein_rc          rc;

    if (lines->mem)
        skein_mem_reset(lines->mem);
    else
        lines->mem = skein_mem_new();
    lines->of = (skn_json_list){0};
    rc = skn_read_all(skn_door_ask_apart(cli, lines->mem, &q), NULL,
                      "{chat}/compactions?memories=true", 0, &lines->of);
    cli->err = q.cli.err;
    return rc;
}

static moment made_at(const skn_json *summary)
{
    return (moment){skn_door_time(summary, "createdAt"), skn_json_str(summary, "messageId")};
}

/* Leaves those out that were made before this. */
static void summaries_skip(skn_cli *cli, summary_lines *lines, moment before)
{
    for (size_t i = 0; i < lines->of.n; i++) {
        moment made = made_at(lines->of.p[i]);

        if (is_before(made, before) && is_before(lines->seen, made))
            lines->seen = (moment){made.at, skn_arena_copy(cli->keep, made.uid)};
    }
}

/* Prints those that were made before this. */
static void summaries_until(skn_cli *cli, summary_lines *lines, moment before)
{
    for (size_t i = lines->of.n; i-- > 0;) {
        const skn_json *s = lines->of.p[i];
        skn_str         text;

        if (!is_before(lines->seen, made_at(s)) || !is_before(made_at(s), before))
            continue;
        skn_print_raw(cli, SKN_STR("  ─ "));
        text = skn_summary_line_text(cli->keep, skn_json_str(s, "memoryOf"),
                                     skn_door_int(s, "covers", 0),
                                     skn_json_str(s, "messageId"));
        skn_print_colour(cli, SKN_DIM, skn_str_of(skn_pasteable(cli, text.p)));
        skn_print_raw(cli, SKN_STR("\n"));
    }
    summaries_skip(cli, lines, before);
}

static void summaries_end(summary_lines *lines)
{
    skein_mem_free(lines->mem);
}

/* --- The messages -------------------------------------------------------------------------- */

typedef struct log_job {
    skein_world        world;
    skein_conversation chat;
    skn_door_slice     slice;
    int64_t            length; /* of what is read, once that began */
    int64_t            newest; /* the last time in it, so far */
    int64_t        after; /* only what was said after this time: of another version the news */
    int64_t        most;  /* read only so much of it; -1: all */
    int64_t        count; /* -n; 0: all */
    int64_t        since, until; /* microseconds; INT64_MIN and _MAX: no bound */
    bool           main_thread, no_memory_only, oneline;
    skn_map       *thread;    /* ids that --thread lets through; NULL: all */
    skn_map       *leads;     /* agents that lead themselves, for --main-thread */
    summary_lines *summaries; /* made between the messages; NULL: they are not shown */
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
    return skn_fail_hint(&cli->err, SKEIN_USAGE,
                         "Times look like 2026-11-15, 2026-11-15T14:02:00Z or 2h",
                         "\"%s\" is not a time for \"--%s\"", text, option);
}

static skein_rc read_thread(skn_cli *cli, log_job *job)
{
    const char   *ref = skn_opt(cli, "thread");
    skein_message root;
    skein_rc      rc;

    if (!ref)
        return SKEIN_OK;
    if ((rc = skn_need_message(cli, skn_str_of(ref), &root)))
        return rc;
    return skn_door_subtree(cli, root.uid, job->slice.thread, &job->thread);
}

static skein_rc read_leads(skn_cli *cli, log_job *job)
{
    skein_agents agents;
    skein_rc     rc;

    job->main_thread = skn_opt(cli, "main-thread");
    if (!job->main_thread)
        return SKEIN_OK;
    if ((rc = skn_door_agents(cli, &agents)))
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

    job->most = -1;
    job->newest = job->after = INT64_MIN;
    job->slice = (skn_door_slice){.thread = job->chat.thread_uid,
                                  .lane = skn_str_of(skn_opt(cli, "lane")),
                                  .raw = skn_opt(cli, "raw")};
    if (at && !(rc = skn_need_version_at(cli, &job->chat, at, &version, &job->most)))
        job->slice.thread = version.thread_uid;
    if (!rc && job->most >= 0 && (agent || job->slice.lane.p))
        rc = skn_fail(&cli->err, SKEIN_USAGE,
                      "a length goes with the main lane, not with --agent or --lane");
    if (!rc && agent && !(rc = skn_need_agent(cli, agent, &who)))
        job->slice.agent = who.name;
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
    if (m->created_at < job->since || m->created_at > job->until || m->created_at <= job->after)
        return false;
    if (job->thread && !skn_map_get(job->thread, m->uid))
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

/* A page, and who can be asked more of it: both live until the next one is read. */
typedef struct page {
    skn_door_question ask;
    skn_door_log      log;
} page;

/* The first one tells how long it is: what is said later is news. */
static skein_rc read_page(skn_cli *cli, log_job *job, int64_t from, int64_t count, page *out)
{
    skein_rc rc;

    skein_mem_reset(cli->mem);
    rc = skn_door_log_part(skn_door_ask_apart(cli, cli->mem, &out->ask), &job->slice, from,
                           count, &out->log);
    cli->err = out->ask.cli.err;
    cli->more = out->ask.cli.more;
    if (rc || job->length >= 0)
        return rc;
    job->length = job->most >= 0 && job->most < out->log.length ? job->most : out->log.length;
    return SKEIN_OK;
}

/* Who wrote the message that this one answers; only looked up for people. */
static skn_str parent_sender(page *p, size_t i)
{
    skn_str       uid = p->log.facts[i].shown_reply;
    skein_message m;

    if (!uid.n)
        return SKN_NONE;
    for (size_t j = i; j-- > 0;)
        if (skn_str_eq(p->log.list.at[j].uid, uid))
            return p->log.list.at[j].sender;
    return skn_door_message(&p->ask.cli, uid, &m, NULL, NULL) ? SKN_NONE : m.sender;
}

/* Was what it answers answered by the same agent since, or is it said there how to ask again? */
static bool settled_above(const skn_door_log *p, const skein_message *m)
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
static void print_again(skn_cli *cli, const log_job *job, const skn_door_log *p, size_t i)
{
    if (job->oneline || skn_opt(cli, "at"))
        return;
    skn_print_again(cli, &p->list.at[i], &p->deliveries[i], job->slice.lane);
    if (!settled_above(p, &p->list.at[i]))
        skn_print_stopped_again(cli, &p->list.at[i], job->slice.lane);
}

static skein_rc print_one(skn_cli *cli, const log_job *job, page *p, size_t i)
{
    const skein_message    *m = &p->log.list.at[i];
    const skein_deliveries *d = &p->log.deliveries[i];

    if (cli->json) {
        skn_shape_message_delivered(skn_item(cli), job->chat.uid, m, &p->log.facts[i],
                                    d->count ? d : NULL);
        return skn_item_end(cli);
    }
    if (job->oneline)
        skn_print_oneline(cli, m, &p->log.facts[i]);
    else
        skn_print_message(cli, m, &p->log.facts[i], parent_sender(p, i));
    skn_print_unanswered(cli, d);
    print_again(cli, job, &p->log, i);
    return SKEIN_OK;
}

/* Where to begin so that `count` wanted messages follow: counted from the end, page by page. */
static skein_rc find_start(skn_cli *cli, log_job *job, int64_t *start)
{
    int64_t  found = 0, end;
    page     p;
    skein_rc rc;

    *start = 0;
    if (!job->count)
        return SKEIN_OK;
    if (!has_filter(job) && job->most < 0) {
        *start = -job->count;
        return SKEIN_OK;
    }
    if ((rc = read_page(cli, job, -1, 1, &p)))
        return rc;
    if (!has_filter(job)) {
        *start = job->length > job->count ? job->length - job->count : 0;
        return SKEIN_OK;
    }
    for (end = job->length; end > 0; end -= PAGE) {
        int64_t from = end > PAGE ? end - PAGE : 0;

        if ((rc = read_page(cli, job, from, end - from, &p)))
            return rc;
        for (size_t i = p.log.list.count; i-- > 0;)
            if (wanted(job, &p.log.list.at[i], &p.log.facts[i]) && ++found == job->count) {
                *start = from + (int64_t)i;
                return SKEIN_OK;
            }
    }
    return SKEIN_OK;
}

/* What was reworded has the place of its first words; only summaries are put between them. */
static moment said_at(const log_job *job, page *p, size_t i)
{
    skein_message       m = p->log.list.at[i];
    skein_message_facts f = p->log.facts[i];

    for (int n = 0; job->summaries->of.n && m.version_of.v && f.original_count; n++)
        if (n == WORDINGS_MOST ||
            skn_door_message(&p->ask.cli, f.original_ids[0], &m, &f, NULL))
            break;
    return (moment){m.created_at, m.uid};
}

static skein_rc print_page(skn_cli *cli, log_job *job, page *p)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < p->log.list.count; i++) {
        const skein_message *m = &p->log.list.at[i];

        if (wanted(job, m, &p->log.facts[i])) {
            if (job->summaries)
                summaries_until(cli, job->summaries, said_at(job, p, i));
            rc = print_one(cli, job, p, i);
        }
        job->newest = m->created_at > job->newest ? m->created_at : job->newest;
    }
    return rc;
}

/* From a place on, or so many from the end. */
static skein_rc print_from(skn_cli *cli, log_job *job, int64_t from)
{
    page     p = {.log = {.length = 0}};
    int64_t  left = from < 0           ? -from
                    : job->length >= 0 ? job->length - from
                    : job->most >= 0   ? job->most
                                       : PAGE;
    skein_rc rc = SKEIN_OK;

    while (!rc && left > 0 && !cli->out.failure) {
        rc = read_page(cli, job, from, left < PAGE ? left : PAGE, &p);
        if (rc || !p.log.list.count)
            break;
        if (from < 0)
            from = job->length + from > 0 ? job->length + from : 0;
        if (from > 0 && job->newest == INT64_MIN && job->summaries) /* it begins here */
            summaries_skip(cli, job->summaries, said_at(job, &p, 0));
        rc = print_page(cli, job, &p);
        from += (int64_t)p.log.list.count;
        left = job->length - from;
    }
    if (!rc && job->summaries)
        summaries_until(cli, job->summaries, (moment){INT64_MAX, SKN_NONE});
    return rc;
}

static skein_rc print_log(skn_cli *cli, log_job *job)
{
    int64_t  from;
    skein_rc rc = find_start(cli, job, &from);

    return rc ? rc : print_from(cli, job, from);
}

/* A line leads only to a parent that is drawn too. */
static skein_rc print_graph(skn_cli *cli, log_job *job)
{
    int64_t      from;
    skn_graph   *graph = skn_graph_new(cli->keep);
    skn_map     *here = skn_map_new(cli->keep);
    skn_door_log p;
    skein_rc     rc;

    if (!job->count || job->count > GRAPH_MAX)
        job->count = GRAPH_MAX;
    if ((rc = find_start(cli, job, &from)) ||
        (rc = skn_door_log_part(cli, &job->slice, from,
                                job->length < 0 ? job->count : job->length - from, &p)))
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

skein_rc skn_need_thread(skn_cli *cli, skein_conversation *chat, skn_str *out)
{
    const char   *at = skn_opt(cli, "at");
    skein_version version;
    skein_rc      rc = skn_need_chat(cli, NULL, chat);

    if (!rc)
        *out = chat->thread_uid;
    if (!rc && at && !(rc = skn_need_version(cli, chat, at, &version)))
        *out = version.thread_uid;
    return rc;
}

/* --- Following ---------------------------------------------------------------------------- */

/* Where in another version what is new can be: behind a page that begins with what is known. */
static skein_rc look_back(skn_cli *cli, log_job *job, int64_t *from)
{
    page     p;
    bool     known;
    skein_rc rc;

    *from = -PAGE;
    do {
        if ((rc = read_page(cli, job, *from, PAGE, &p)))
            return rc;
        *from += *from < 0 ? job->length : 0;
        known = !p.log.list.count || p.log.list.at[0].created_at <= job->newest;
        *from -= known ? 0 : PAGE;
        *from = *from > 0 ? *from : 0;
    } while (!known && *from > 0);
    return SKEIN_OK;
}

/* Prints what was not there the last time. */
static skein_rc print_news(log_job *job, skn_cli *cli)
{
    int64_t            from = job->length;
    skein_conversation chat;
    skn_door_question  q;
    const skn_json    *v;
    skein_rc           rc;

    skein_mem_reset(cli->mem);
    rc = skn_door_get(skn_door_ask_apart(cli, cli->mem, &q), &v, "%s", cli->door->chat);
    cli->err = q.cli.err;
    if (rc)
        return rc;
    skn_door_read_chat(&q.cli, v, &chat);
    job->length = -1;
    if (!skn_str_eq(chat.thread_uid, job->slice.thread)) {
        job->slice.thread = skn_arena_copy(cli->keep, chat.thread_uid);
        if (!cli->json)
            skn_note(cli, "Now at v%" PRId64 ".", chat.version);
        if ((rc = look_back(cli, job, &from)))
            return rc;
        job->after = job->newest;
    }
    if (job->summaries && (rc = summaries_read(cli, job->summaries)))
        return rc;
    rc = print_from(cli, job, from);
    job->after = INT64_MIN;
    skn_out_flush(cli);
    return rc;
}

/* All messages are in the store, whichever program stores them: a server may start and stop meanwhile. */
static skein_rc wait_for_store(skn_cli *cli, log_job *job)
{
    const struct timespec nap = {.tv_nsec = FOLLOW_MS * 1000000L};
    int64_t               seen = 0, stamp = 0;
    skein_rc              rc = SKEIN_OK;

    while (!rc && !cli->out.failure) {
        if ((rc = skein_store_stamp(cli->engine, &stamp, &cli->err)))
            break;
        if (stamp != seen)
            rc = print_news(job, cli);
        else
            nanosleep(&nap, NULL);
        seen = stamp;
    }
    return rc;
}

typedef struct listening {
    skn_cli *cli;
    skn_news news;
    log_job *job;
} listening;

/* Each piece of a text has an event; the complete message has one, too. */
static bool tells_of_messages(skn_str type)
{
    return !skn_str_is(type, "message.delta") && !skn_str_is(type, "message.snapshot") &&
           (skn_str_starts(type, SKN_STR("message.")) ||
            skn_str_starts(type, SKN_STR("stream.")) ||
            skn_str_starts(type, SKN_STR("delegation.")) ||
            skn_str_starts(type, SKN_STR("thread.")));
}

static skein_rc take_news(void *arg, const skn_news_item *item)
{
    listening *l = arg;
    skein_rc   rc = tells_of_messages(item->type) ? print_news(l->job, l->cli) : SKEIN_OK;

    l->news.over = l->cli->out.failure != 0; /* nobody reads it any more */
    return rc;
}

static skein_rc listen_for(skn_cli *cli, log_job *job)
{
    listening l = {.cli = cli, .job = job};
    skein_rc  rc;

    skn_news_init(&l.news, cli, &cli->door->server);
    l.news.first = (skn_request_spec){
        .method = "GET",
        .path = skn_arena_text(cli->keep, "%s/events?chatId=%s", cli->door->world,
                               skn_door_part(cli, cli->door->chat_uid))};
    l.news.again = l.news.first;
    l.news.take = take_news;
    l.news.arg = &l;
    skn_interrupt_arm(SIGINT);
    rc = skn_news_wait(&l.news, -1);
    skn_interrupt_disarm(SIGINT);
    skn_news_release(&l.news);
    if (rc == SKEIN_NOTHING)
        raise(SIGINT); /* the person has ended it, as every command is ended */
    return rc;
}

static skein_rc follow(skn_cli *cli, log_job *job)
{
    skein_rc rc = print_log(cli, job);

    skn_out_flush(cli);
    if (rc)
        return rc;
    return skn_is_elsewhere(cli) ? listen_for(cli, job) : wait_for_store(cli, job);
}

static skein_rc check_follow(skn_cli *cli)
{
    if (skn_opt(cli, "at") || skn_opt(cli, "graph") || skn_opt(cli, "until"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--follow\" goes with neither --at nor --graph nor --until");
    return SKEIN_OK;
}

/* The whole conversation as it is now, for people: with the events beside its messages. */
static bool is_whole_now(skn_cli *cli, const log_job *job)
{
    return !cli->json && !job->oneline && !has_filter(job) && !skn_opt(cli, "at") &&
           !skn_opt(cli, "agent") && !skn_opt(cli, "lane");
}

static skein_rc print_whole(skn_cli *cli, log_job *job)
{
    skein_rc rc;

    if (skn_opt(cli, "follow"))
        return follow(cli, job);
    skn_out_page(cli);
    if (skn_opt(cli, "graph") && !cli->json)
        return print_graph(cli, job);
    skn_list_begin(cli);
    rc = print_log(cli, job);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!rc && is_whole_now(cli, job))
        rc = skn_print_queue(cli);
    return rc;
}

skein_rc skn_cmd_log(skn_cli *cli)
{
    log_job       job = {.length = -1};
    summary_lines summaries = {0};
    skein_rc      rc = skn_opt(cli, "follow") ? check_follow(cli) : SKEIN_OK;

    if (rc || (rc = read_options(cli, &job)))
        return rc;
    if (is_whole_now(cli, &job)) {
        job.summaries = &summaries;
        rc = summaries_read(cli, &summaries);
    }
    if (!rc)
        rc = print_whole(cli, &job);
    summaries_end(&summaries);
    return rc;
}
