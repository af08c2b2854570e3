#include "cli/commands.h"

#include "cli/unanswered.h"

#include <inttypes.h>

#define AROUND 3
#define PAGE   200

typedef struct show_job {
    skein_world        world;
    skein_conversation chat;
} show_job;

/* --- A message ---------------------------------------------------------------------------- */

static void versions_line(skn_cli *cli, const show_job *job, const skn_json *v)
{
    const skn_json *first = skn_first(v, "versions");
    bool            current = false;
    int64_t         number;

    for (const skn_json *n = first; n; n = n->next)
        current |= skn_str_int(n->text, &number) && number == job->chat.version;
    if (!first)
        return;
    skn_print_raw(cli, current ? SKN_STR("in ") : SKN_STR("only in "));
    for (const skn_json *n = first; n; n = n->next)
        skn_print(cli, "v%.*s%s", SKN_FMT(n->text), n->next ? ", " : "\n");
}

/* The other answers of its agent to the same message. */
static void alternatives_line(skn_cli *cli, const skein_message *m, const skn_json *v)
{
    const skn_json *first = skn_first(v, "alternatives"), *other = first;
    size_t          n = 0, own = 0;

    for (const skn_json *id = first; id; id = id->next) {
        n++;
        if (skn_str_eq(id->text, m->uid))
            own = n;
        else
            other = id;
    }
    if (!first)
        return;
    skn_print(cli, "answer %zu of %zu:", own, n);
    for (const skn_json *id = first; id; id = id->next) {
        skn_print_raw(cli, SKN_STR(" "));
        skn_print_id(cli, id->text);
    }
    skn_print(cli, "; make another one current with \"skein switch %.*s\"\n",
              SKN_FMT(other->text));
}

/* Where it stands in the version that it was read from. */
static void place_line(skn_cli *cli, const show_job *job, const skn_json *v, int64_t version)
{
    skn_say(cli, v, "role {role}, ");
    if (skn_door_int(v, "position", -1) < 0)
        skn_print_raw(cli, skn_has(v, "versions") ? SKN_STR("not in the main lane")
                                                  : SKN_STR("in no version"));
    else if (version == job->chat.version)
        skn_say(cli, v, "position {position}");
    else {
        skn_say(cli, v, "not in this version (position {position}");
        skn_print(cli, " in v%" PRId64 ")", version);
    }
    skn_say(cli, v, ", replies {replyCount}, reply depth {replyDepth}\n");
}

static void details(skn_cli *cli, const show_job *job, const skn_json *v, int64_t version)
{
    place_line(cli, job, v, version);
    versions_line(cli, job, v);
    skn_say(cli, v, "[thinking:thinking\n{block thinking 4}][model:model {line model}\n]");
    for (const skn_json *i = skn_first(v, "instructions"); i; i = i->next)
        if (!skn_str_starts(skn_json_str(i, "type"), SKN_STR("Source.")))
            skn_say(cli, i, "instruction {line type}[target: → {target}]\n");
}

/* Who is not among the deliveries has it in memory. */
static void delivery(skn_cli *cli, const skn_json *v, const skein_deliveries *d)
{
    for (const skn_json *who = skn_first(v, "seenByAgents"); who; who = who->next) {
        skn_str state = SKN_STR("in memory");

        for (size_t i = 0; i < d->count; i++)
            if (skn_str_eq(d->at[i].agent, who->text) &&
                !skn_str_is(d->at[i].state, "inMemory"))
                state = d->at[i].state;
        skn_print_sender(cli, who->text, 16);
        skn_print(cli, "  %.*s\n", SKN_FMT(state));
    }
    skn_print_unanswered(cli, d);
}

static skein_rc origin(skn_cli *cli, const skn_json *v)
{
    skein_message m;
    skein_rc      rc = SKEIN_OK;

    if (!skn_has(v, "originalIds"))
        skn_print_raw(cli, SKN_STR("This is the original text.\n"));
    for (const skn_json *id = skn_first(v, "originalIds"); id && !rc; id = id->next)
        if (!(rc = skn_need_message(cli, id->text, &m)))
            skn_print_oneline(cli, &m, NULL);
    return rc;
}

static skein_rc around(skn_cli *cli, const skein_message *m, int64_t version)
{
    const skn_door_slice slice = {.thread = skn_arena_printf(cli->keep, "v%" PRId64, version)};
    int64_t              from = m->position > AROUND ? m->position - AROUND : 0;
    skn_door_log         log;
    skein_rc             rc;

    if (m->position < 0)
        return skn_fail(&cli->err, SKEIN_NOT_FOUND, "\"%.*s\" is not in the main lane",
                        SKN_FMT(m->uid));
    rc = skn_door_log_part(cli, &slice, from, m->position - from + AROUND + 1, &log);
    for (size_t i = 0; !rc && i < log.list.count; i++) {
        skn_print_raw(cli,
                      skn_str_eq(log.list.at[i].uid, m->uid) ? SKN_STR("> ") : SKN_STR("  "));
        skn_print_oneline(cli, &log.list.at[i], NULL);
    }
    return rc;
}

/* What a summary stands for. */
static skein_rc print_covered(skn_cli *cli, const show_job *job, const skn_json *v)
{
    const skn_json *ids = skn_json_get(v, "coveredMessageIds");
    skn_door_slice  lane = {.thread = job->chat.thread_uid,
                            .lane = skn_json_str(v, "coveredLane")};
    int64_t         covers = skn_door_int(v, "covers", 0);
    skn_door_log    log;
    skein_rc        rc;

    if (!covers || !ids || (rc = skn_door_log_part(cli, &lane, 0, ids->count, &log)))
        return !covers || !ids ? SKEIN_OK : rc;
    skn_say(cli, v, "stands for the first {covers} message{covers s} of {coveredLane}:\n");
    for (size_t i = 0; i < log.list.count; i++) {
        skn_print_raw(cli, SKN_STR("  "));
        skn_print_oneline(cli, &log.list.at[i], NULL);
    }
    if (covers > (int64_t)log.list.count)
        skn_print(cli, "  and %" PRId64 " more\n", covers - (int64_t)log.list.count);
    return SKEIN_OK;
}

/* Only what is said in the main lane, and in the current version, can be asked for again. */
static void unanswered(skn_cli *cli, const show_job *job, const skein_message *m,
                       const skein_deliveries *d, int64_t version)
{
    skn_print_unanswered(cli, d);
    if (m->position >= 0 && version == job->chat.version)
        skn_print_again(cli, m, d, SKN_NONE);
}

static skein_rc print_whole(skn_cli *cli, const show_job *job, const skn_json *v)
{
    skein_message       m;
    skein_message_facts facts;
    skein_deliveries    d;
    int64_t             version;
    skein_rc            rc;

    skn_door_read_message(cli, v, &m, &facts, &d);
    version = skn_home_version(&facts, job->chat.version);
    if (skn_opt(cli, "origin"))
        return origin(cli, v);
    if (skn_opt(cli, "context"))
        return around(cli, &m, version);
    if (skn_opt(cli, "delivery")) {
        delivery(cli, v, &d);
        return SKEIN_OK;
    }
    skn_print_message(cli, &m, &facts, SKN_NONE);
    unanswered(cli, job, &m, &d, version);
    details(cli, job, v, version);
    alternatives_line(cli, &m, v);
    if (m.call_count && (rc = skn_print_decisions(cli, m.uid)))
        return rc;
    return print_covered(cli, job, v);
}

/* Told with all that surrounds it. */
static skein_rc show_message(skn_cli *cli, const show_job *job, const skein_message *m)
{
    const skn_json *v;
    skein_rc        rc;

    if (skn_opt(cli, "raw") && !cli->json) {
        skn_print_text(cli, m->content);
        return SKEIN_OK;
    }
    if ((rc = skn_fields_check(cli, SKN_FIELDS_SHOWN_MESSAGE, "a message")))
        return rc;
    if ((rc = skn_message_told(cli, m->uid, &v)))
        return skn_missing(cli, rc, "message");
    return cli->json ? skn_door_item(cli, v) : print_whole(cli, job, v);
}

/* --- Other things ------------------------------------------------------------------------- */

static skein_rc show_version(skn_cli *cli, const show_job *job)
{
    skein_version   version;
    const skn_json *v;
    int64_t         length;
    skn_jw         *w;
    skein_rc        rc = skn_need_version_at(cli, &job->chat, cli->args[0], &version, &length);

    if (rc || (rc = skn_fields_check(cli, SKN_FIELDS_VERSION, "a version")) ||
        (rc = skn_door_get(cli, &v, "%s/threads/%s", cli->door->chat,
                           skn_door_part(cli, version.thread_uid))))
        return rc;
    if (length < 0)
        length = version.length;
    if (cli->json) {
        w = skn_item_begin(cli);
        for (const skn_json *m = v->first; m; m = m->next) {
            skn_jw_key_str(w, m->key);
            if (skn_str_is(m->key, "length"))
                skn_jw_int(w, length);
            else
                skn_jw_raw(w, m->raw);
        }
        return skn_item_close(cli);
    }
    skn_say(cli, v, "{version}  {threadId}  {operation}[current:  (current)]\n  {line note}");
    skn_print(cli, "\n  %" PRId64 " message%s", length, skn_plural(length));
    skn_say(
        cli, v,
        "[originalVersion:, made from {originalVersion} when it had {originalLength}]\n  by ");
    skn_print_line(cli, skn_sender_name(skn_json_str(v, "by")), 0);
    skn_say(cli, v, " at {time createdAt}\n");
    return SKEIN_OK;
}

#define SQUASH "{world}/squashes/{.0}"

/* In the world that is meant, or else in whichever has it. */
static skein_rc find_squash(skn_cli *cli, const skn_json **out)
{
    skein_worlds all;
    skein_rc     rc = skn_read(cli, NULL, SQUASH, out);

    if (!rc || skn_opt(cli, "world") || skn_door_worlds(cli, &all))
        return rc;
    for (size_t i = 0; i < all.count; i++) {
        skn_door_enter(cli, &all.at[i]);
        if (!skn_read(cli, NULL, SQUASH, out)) {
            cli->err = (skein_error){.rc = SKEIN_OK};
            return SKEIN_OK;
        }
    }
    return rc;
}

static skein_rc show_squash(skn_cli *cli)
{
    const skn_json *s;
    skein_rc        rc = find_squash(cli, &s);

    if (rc || (rc = skn_fields_check(cli, SKN_FIELDS_SQUASH, "a squash")) || cli->json)
        return rc ? rc : skn_door_item(cli, s);
    skn_say(cli, s,
            "{squashOperationId}  {size sourceMessageIds} messages → {resultMessageId}, in "
            "{version}\n{block content 4}  [prompt:{line prompt}][!prompt:by hand]"
            "[model:  {line model}]\n  from");
    for (const skn_json *id = skn_first(s, "sourceMessageIds"); id; id = id->next)
        skn_print(cli, " %.*s", SKN_FMT(id->text));
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

static skein_rc find_lane(skn_cli *cli, skn_str key, const skn_json **out)
{
    skn_json_list lanes = {0};
    skein_rc      rc = skn_lanes_read(cli, true, &lanes);

    if (rc || (*out = skn_list_find(&lanes, "delegationId", key)))
        return rc;
    return skn_fail_hint(&cli->err, SKEIN_NOT_FOUND, "\"skein lane ls\" lists them",
                         "there is no delegation \"%.*s\"", SKN_FMT(key));
}

static skein_rc show_lane(skn_cli *cli, const show_job *job)
{
    const skn_json   *lane = NULL;
    skn_door_slice    slice = {.thread = job->chat.thread_uid, .lane = skn_arg(cli, 0)};
    skn_door_question q;
    skn_door_log      log;
    int64_t           length;
    skein_rc          rc = find_lane(cli, slice.lane, &lane);

    if (rc || (rc = skn_fields_check(cli, SKN_FIELDS_LANE, "a delegation")))
        return rc;
    if (cli->json)
        return skn_door_item(cli, lane);
    skn_say(cli, lane, "{delegationId}  {state}  {messageCount} message{messageCount s}\n");
    length = skn_door_int(lane, "messageCount", 0);
    skn_out_page(cli);
    for (int64_t from = 0; !rc && from < length; from += PAGE) {
        skein_mem_reset(cli->mem);
        rc = skn_door_log_part(skn_door_ask_apart(cli, cli->mem, &q), &slice, from, PAGE, &log);
        cli->err = q.cli.err;
        for (size_t i = 0; !rc && i < log.list.count; i++) {
            skn_print_oneline(cli, &log.list.at[i], NULL);
            skn_print_unanswered(cli, &log.deliveries[i]);
        }
    }
    return rc;
}

/* A word that is not a message may still be an agent; the first failure is the one to tell. */
static skein_rc show_agent(skn_cli *cli, skein_rc otherwise)
{
    skein_error first = cli->err;
    skn_problem more = cli->more;
    skein_agent agent;

    cli->err = (skein_error){.rc = SKEIN_OK};
    if (!skn_need_agent(cli, cli->args[0], &agent)) {
        skein_rc rc = skn_fields_check(cli, SKN_FIELDS_AGENT, "an agent");

        return rc ? rc : (skein_rc)skn_cmd_agent_show(cli);
    }
    cli->err = first;
    cli->more = more;
    return otherwise;
}

skein_rc skn_cmd_show(skn_cli *cli)
{
    show_job      job;
    skein_message m;
    skn_str       ref = skn_arg(cli, 0);
    bool          waits;
    skein_rc      rc;

    cli->whole_ids = true;
    if (skn_str_starts(ref, SKN_STR("sq_")))
        return show_squash(cli);
    if ((rc = skn_need_chat(cli, &job.world, &job.chat))) {
        if (rc != SKEIN_NOT_FOUND || skn_opt(cli, "conversation"))
            return rc;
        return show_agent(cli, rc);
    }
    if (skn_is_version(ref) || skn_is_version_at(ref))
        return show_version(cli, &job);
    if (skn_is_lane(ref))
        return show_lane(cli, &job);
    rc = skn_need_message(cli, ref, &m);
    if (rc == SKEIN_NOT_FOUND) {
        skein_rc shown = skn_queued_show(cli, ref, &waits);

        if (waits)
            return shown;
    }
    if (rc == SKEIN_NOT_FOUND || rc == SKEIN_INVALID || rc == SKEIN_USAGE)
        return show_agent(cli, rc);
    return rc ? rc : show_message(cli, &job, &m);
}
