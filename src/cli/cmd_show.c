#include "cli/commands.h"

#include "base/error.h"
#include "cli/far_change.h"
#include "cli/show_summary.h"
#include "cli/unanswered.h"
#include "cli/waits.h"

#include <inttypes.h>

#define AROUND 3

typedef struct show_job {
    skein_world        world;
    skein_conversation chat;
} show_job;

/* --- A message ---------------------------------------------------------------------------- */

/* A version that holds the message, so that what surrounds it can be told: the current one, or
 * else the newest. The message is read again there to have its position. */
static skein_rc place_message(skn_cli *cli, const show_job *job, skein_message *m,
                              skein_message_facts *facts, int64_t *version)
{
    skein_messages one = {m, 1};
    skein_rc       rc;

    *version = job->chat.version;
    rc = skein_message_explain(cli->engine, job->chat.id, 0, &one, cli->keep, facts, &cli->err);
    if (rc || m->position >= 0 || !facts->version_count)
        return rc;
    *version = facts->versions[0];
    if ((rc = skein_message_find(cli->engine, job->chat.id, *version, m->uid, cli->keep, m,
                                 &cli->err)))
        return rc;
    return skein_message_explain(cli->engine, job->chat.id, *version, &one, cli->keep, facts,
                                 &cli->err);
}

static void versions_line(skn_cli *cli, const show_job *job, const skein_message_facts *f)
{
    bool current = false;

    for (size_t i = 0; i < f->version_count; i++)
        current |= f->versions[i] == job->chat.version;
    if (!f->version_count)
        return;
    skn_print_raw(cli, current ? SKN_STR("in ") : SKN_STR("only in "));
    for (size_t i = 0; i < f->version_count; i++)
        skn_print(cli, "%sv%" PRId64, i ? ", " : "", f->versions[i]);
    skn_print_raw(cli, SKN_STR("\n"));
}

/* Where it stands in the version that it was read from. */
static void place_line(skn_cli *cli, const show_job *job, const skein_message *m,
                       const skein_message_facts *f, int64_t version)
{
    skn_print(cli, "role %s, ", skein_role_name(m->role));
    if (m->position < 0)
        skn_print_raw(cli,
                      f->version_count ? SKN_STR("not in the room") : SKN_STR("in no version"));
    else if (version == job->chat.version)
        skn_print(cli, "position %" PRId64, m->position);
    else
        skn_print(cli, "not in this version (position %" PRId64 " in v%" PRId64 ")",
                  m->position, version);
    skn_print(cli, ", replies %" PRId64 ", reply depth %d\n", f->reply_count, m->reply_depth);
}

static void details(skn_cli *cli, const show_job *job, const skein_message *m,
                    const skein_message_facts *f, int64_t version)
{
    place_line(cli, job, m, f, version);
    versions_line(cli, job, f);
    if (m->thinking.n) {
        skn_print_raw(cli, SKN_STR("thinking\n"));
        skn_print_block(cli, m->thinking, 4);
    }
    if (m->model.n) {
        skn_print_raw(cli, SKN_STR("model "));
        skn_print_line(cli, m->model, 0);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    for (size_t i = 0; i < m->instruction_count; i++) {
        skn_print_raw(cli, SKN_STR("instruction "));
        skn_print_line(cli, m->instructions[i].type, 0);
        skn_print(cli, "%s%.*s\n", m->instructions[i].target.n ? " → " : "",
                  SKN_FMT(m->instructions[i].target));
    }
}

/* Who is not among the deliveries has it in memory. */
static skn_str delivery_state(const skein_deliveries *d, skn_str agent)
{
    for (size_t i = 0; i < d->count; i++)
        if (skn_str_eq(d->at[i].agent, agent) && !skn_str_is(d->at[i].state, "inMemory"))
            return d->at[i].state;
    return SKN_STR("in memory");
}

static void delivery(skn_cli *cli, const skein_message_facts *f, const skein_deliveries *d)
{
    for (size_t i = 0; i < f->seen_by_count; i++) {
        skn_print_sender(cli, f->seen_by[i], 16);
        skn_print(cli, "  %.*s\n", SKN_FMT(delivery_state(d, f->seen_by[i])));
    }
    skn_print_unanswered(cli, d);
}

static skein_rc origin(skn_cli *cli, const show_job *job, const skein_message_facts *f)
{
    skein_message m;
    skein_rc      rc = SKEIN_OK;

    if (!f->original_count)
        skn_print_raw(cli, SKN_STR("It was said as it is.\n"));
    for (size_t i = 0; i < f->original_count && !rc; i++) {
        rc = skn_need_message(cli, &job->chat, f->original_ids[i], &m);
        if (!rc)
            skn_print_oneline(cli, &m, NULL);
    }
    return rc;
}

static skein_rc around(skn_cli *cli, const show_job *job, const skein_message *m,
                       int64_t version)
{
    skein_slice    slice = {.conversation = job->chat.id, .version = version};
    skein_messages list;
    skein_at       at;
    skein_rc       rc;

    if (m->position < 0)
        return skn_fail(&cli->err, SKEIN_NOT_FOUND, "\"%.*s\" is not in the main lane",
                        SKN_FMT(m->uid));
    slice.from = m->position > AROUND ? m->position - AROUND : 0;
    slice.count = m->position - slice.from + AROUND + 1;
    if ((rc = skein_read(cli->engine, &slice, cli->keep, &list, &at, &cli->err)))
        return rc;
    for (size_t i = 0; i < list.count; i++) {
        skn_print_raw(cli, list.at[i].id.v == m->id.v ? SKN_STR("> ") : SKN_STR("  "));
        skn_print_oneline(cli, &list.at[i], NULL);
    }
    return SKEIN_OK;
}

static skein_rc message_json(skn_cli *cli, const show_job *job, const skein_message *m,
                             const skein_message_facts *facts, const skein_deliveries *d,
                             const skein_slice *lane, int64_t covers)
{
    skn_jw  *w = skn_item(cli);
    skein_rc rc = skn_fields_check(cli, SKN_FIELDS_SHOWN_MESSAGE, "a message");

    if (rc)
        return rc;
    skn_jw_object(w);
    skn_shape_message_delivered_members(w, job->chat.uid, m, facts, d->count ? d : NULL);
    if (lane)
        rc = skn_summary_members(cli, w, lane, covers);
    skn_jw_object_end(w);
    return rc ? rc : skn_item_end(cli);
}

/* The version that a server told a message's place of: the current one, or the newest that has it. */
static int64_t version_far(const show_job *job, const skein_message_facts *f)
{
    for (size_t i = 0; i < f->version_count; i++)
        if (f->versions[i] == job->chat.version)
            return job->chat.version;
    return f->version_count ? f->versions[0] : job->chat.version;
}

/* Only what is said in the room, and in the current version, can be asked for again. */
static void unanswered(skn_cli *cli, const show_job *job, const skein_message *m,
                       const skein_deliveries *d, int64_t version)
{
    skn_print_unanswered(cli, d);
    if (m->position >= 0 && version == job->chat.version)
        skn_print_again(cli, m, d, SKN_NONE);
}

/* A server tells a message with all that surrounds it. */
static skein_rc show_message_far(skn_cli *cli, const show_job *job, skein_message *m)
{
    skein_message_facts facts;
    skein_deliveries    d;
    skein_rc            rc = skn_far_message(cli, m->uid, m, &facts, &d);

    if (rc)
        return rc;
    if (cli->json)
        return message_json(cli, job, m, &facts, &d, NULL, 0);
    if (skn_opt(cli, "origin"))
        return origin(cli, job, &facts);
    if (skn_opt(cli, "delivery")) {
        delivery(cli, &facts, &d);
        return SKEIN_OK;
    }
    skn_print_message(cli, m, &facts, SKN_NONE);
    unanswered(cli, job, m, &d, version_far(job, &facts));
    details(cli, job, m, &facts, version_far(job, &facts));
    return SKEIN_OK;
}

static skein_rc show_message(skn_cli *cli, const show_job *job, skein_message *m)
{
    skein_message_facts facts = {.seen_by = NULL};
    skein_messages      one = {m, 1};
    skein_deliveries   *d;
    skein_slice         lane;
    int64_t             version, covers;
    skein_rc            rc;

    if (skn_opt(cli, "raw") && !cli->json) {
        skn_print_text(cli, m->content);
        return SKEIN_OK;
    }
    if (cli->far)
        return show_message_far(cli, job, m);
    if ((rc = place_message(cli, job, m, &facts, &version)) ||
        (rc = skn_deliveries_for(cli, &job->chat, version, &one, cli->keep, &d)) ||
        (rc = skn_show_summary_find(cli, &job->chat, m, &lane, &covers)))
        return rc;
    if (cli->json)
        return message_json(cli, job, m, &facts, d, covers ? &lane : NULL, covers);
    if (skn_opt(cli, "origin"))
        return origin(cli, job, &facts);
    if (skn_opt(cli, "context"))
        return around(cli, job, m, version);
    if (skn_opt(cli, "delivery")) {
        delivery(cli, &facts, d);
        return SKEIN_OK;
    }
    skn_print_message(cli, m, &facts, SKN_NONE);
    unanswered(cli, job, m, d, version);
    details(cli, job, m, &facts, version);
    if (m->call_count && (rc = skn_print_decisions(cli, m->uid)))
        return rc;
    return covers ? skn_summary_print(cli, &lane, covers) : SKEIN_OK;
}

/* --- Other things ------------------------------------------------------------------------- */

static skein_rc show_version(skn_cli *cli, const show_job *job)
{
    skein_version v;
    int64_t       length;
    skein_rc      rc = skn_need_version_at(cli, &job->chat, cli->args[0], &v, &length);

    if (rc || (rc = skn_fields_check(cli, SKN_FIELDS_THREAD, "a version")))
        return rc;
    if (length >= 0)
        v.length = length;
    if (cli->json) {
        skn_shape_thread(skn_item(cli), &v);
        return skn_item_end(cli);
    }
    skn_print(cli, "v%" PRId64 "  %.*s  %.*s%s\n", v.number, SKN_FMT(v.thread_uid),
              SKN_FMT(v.kind), v.current ? "  (current)" : "");
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_line(cli, v.note, 0);
    skn_print(cli, "\n  %" PRId64 " message%s", v.length, skn_plural(v.length));
    if (v.origin)
        skn_print(cli, ", made from v%" PRId64 " when it had %" PRId64, v.origin,
                  v.origin_length);
    skn_print_raw(cli, SKN_STR("\n  by "));
    skn_print_line(cli, skn_sender_name(v.actor), 0);
    skn_print_raw(cli, SKN_STR(" at "));
    skn_print_time(cli, v.created_at);
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

static skein_rc show_squash(skn_cli *cli)
{
    skein_squash s;
    skein_rc     rc = cli->far ? skn_far_squash_get(cli, skn_arg(cli, 0), &s)
                               : skein_squash_get(cli->engine, skn_arg(cli, 0), cli->keep, &s,
                                                  &cli->err);

    if (rc || (rc = skn_fields_check(cli, SKN_FIELDS_SQUASH, "a squash")))
        return rc;
    if (cli->json) {
        skn_shape_squash(skn_item(cli), &s);
        return skn_item_end(cli);
    }
    skn_print(cli, "%.*s  %zu messages → %.*s, in v%" PRId64 "\n", SKN_FMT(s.uid),
              s.source_count, SKN_FMT(s.result.uid), s.version.number);
    skn_print_block(cli, s.result.content, 4);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_line(cli, s.prompt.p ? s.prompt : SKN_STR("by hand"), 0);
    skn_print_raw(cli, s.model.n ? SKN_STR("  ") : SKN_STR(""));
    skn_print_line(cli, s.model, 0);
    skn_print_raw(cli, SKN_STR("\n  from"));
    for (size_t i = 0; i < s.source_count; i++)
        skn_print(cli, " %.*s", SKN_FMT(s.sources[i]));
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

static skein_rc show_lane(skn_cli *cli, const show_job *job)
{
    skein_lane        lane;
    skein_slice       slice = {.conversation = job->chat.id, .lane = skn_arg(cli, 0)};
    skein_messages    list;
    skein_deliveries *d;
    skein_at          at;
    bool              found;
    skein_rc          rc;

    if (cli->far)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "over a server a delegation is read with \"skein log --lane %s\"",
                        cli->args[0]);
    rc = skn_find_lane(cli, &job->chat, skn_arg(cli, 0), &lane, &found);
    if (!rc && !found) {
        skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no delegation \"%s\"", cli->args[0]);
        rc = skn_hint(&cli->err, SKEIN_NOT_FOUND, "\"skein lane ls\" lists them");
    }
    if (rc || (rc = skn_fields_check(cli, SKN_FIELDS_LANE, "a delegation")))
        return rc;
    if (cli->json) {
        skn_shape_lane(skn_item(cli), &lane);
        return skn_item_end(cli);
    }
    skn_print(cli, "%.*s  %s  %" PRId64 " message%s\n", SKN_FMT(lane.key),
              skn_lane_state_name(lane.state), lane.length, skn_plural(lane.length));
    skn_out_page(cli);
    for (slice.from = 0, slice.count = 200; slice.from < lane.length; slice.from += 200) {
        skein_mem_reset(cli->mem);
        if ((rc = skein_read(cli->engine, &slice, cli->mem, &list, &at, &cli->err)) ||
            (rc = skn_deliveries_for(cli, &job->chat, 0, &list, cli->mem, &d)))
            return rc;
        for (size_t i = 0; i < list.count; i++) {
            skn_print_oneline(cli, &list.at[i], NULL);
            skn_print_unanswered(cli, &d[i]);
        }
    }
    return SKEIN_OK;
}

/* A word that is no message may still be an agent; the first failure is the one to tell. */
static skein_rc show_agent(skn_cli *cli, const show_job *job, skein_rc otherwise)
{
    skein_error first = cli->err;
    skn_problem more = cli->more;
    skein_agent agent;

    cli->err = (skein_error){.rc = SKEIN_OK};
    if (!skn_need_agent(cli, &job->world, cli->args[0], &agent)) {
        skein_rc rc = skn_fields_check(cli, SKN_FIELDS_AGENT, "an agent");

        return rc ? rc : (skein_rc)skn_cmd_agent_show(cli);
    }
    cli->err = first;
    cli->more = more;
    return otherwise;
}

int skn_cmd_show(skn_cli *cli)
{
    show_job      job;
    skein_message m;
    skn_str       ref = skn_arg(cli, 0);
    bool          waits;
    skein_rc      rc;

    cli->whole_ids = true;
    if (skn_str_starts(ref, SKN_STR("sq_")))
        return cli->far && (rc = skn_need_world(cli, &job.world)) ? (int)rc
                                                                  : (int)show_squash(cli);
    if ((rc = skn_need_chat(cli, &job.world, &job.chat))) {
        if (rc != SKEIN_NOT_FOUND || skn_opt(cli, "conversation"))
            return (int)rc;
        if ((rc = skn_need_world(cli, &job.world)))
            return (int)rc;
        return (int)show_agent(cli, &job, SKEIN_NOT_FOUND);
    }
    if (skn_is_version(ref) || skn_is_version_at(ref))
        return (int)show_version(cli, &job);
    if (skn_is_lane(ref))
        return (int)show_lane(cli, &job);
    rc = skn_need_message(cli, &job.chat, ref, &m);
    if (rc == SKEIN_NOT_FOUND) {
        skein_rc shown = skn_queued_show(cli, ref, &waits);

        if (waits)
            return (int)shown;
    }
    if (rc == SKEIN_NOT_FOUND || rc == SKEIN_INVALID || rc == SKEIN_USAGE)
        return (int)show_agent(cli, &job, rc);
    return rc ? (int)rc : (int)show_message(cli, &job, &m);
}
