#include "cli/commands.h"

#include "cli/unanswered.h"

#include <errno.h>
#include <inttypes.h>

/* --- Of event lines ----------------------------------------------------------------------- */

static skein_rc read_events(skn_cli *cli, skein_timelines *set, const char *path)
{
    bool     standard = !strcmp(path, "-");
    FILE    *in = standard ? stdin : fopen(path, "re");
    skein_rc rc;

    if (!in)
        return skn_fail(&cli->err, errno == ENOENT ? SKEIN_NOT_FOUND : SKEIN_IO,
                        "\"%s\" cannot be read: %s", path, strerror(errno));
    rc = skn_timelines_read_file(set, in, standard ? "standard input" : path, &cli->err);
    if (!standard)
        fclose(in);
    return rc;
}

static skein_rc timeline_of_events(skn_cli *cli, const char *path)
{
    skein_timeline_options options = SKEIN_TIMELINE_OPTIONS_INIT;
    skein_timelines       *set;
    skein_rc               rc;

    options.guess_links = skn_opt(cli, "guess-links");
    set = skein_timelines_new(&options);
    rc = read_events(cli, set, path);
    if (!rc) { /* events are asked for by programs: JSON also without --json */
        skn_timelines_write_json(skn_item(cli), set, cli->keep);
        rc = skn_item_end(cli);
    }
    skein_timelines_free(set);
    return rc;
}

/* --- Of a conversation -------------------------------------------------------------------- */

typedef struct timeline_job {
    skein_conversation chat;
    skn_str            thread; /* of the version */
    skn_json_list      lanes;  /* delegations */
    skn_marks         *marks;
} timeline_job;

static void print_call(skn_cli *cli, const skn_json *item)
{
    const skn_json *call = skn_json_get(item, "call"), *input = skn_json_get(call, "input");
    const skn_json *result = skn_json_get(item, "result"),
                   *more = skn_json_get(item, "duplicates");

    skn_say(cli, call, "{line toolName} ");
    skn_print_line(cli, input ? input->raw : SKN_NONE, cli->out.terminal ? 60 : 0);
    skn_print_raw(cli, !result || result->kind != SKN_JSON_OBJECT ? SKN_STR("  … no result yet")
                       : skn_has(result, "success")               ? SKN_STR("  ok")
                                                                  : SKN_STR("  failed"));
    if (more && more->count)
        skn_print(cli, "  (%" PRIu32 " more results)", more->count);
    skn_say_if(cli, item, "delegation", "  ▸ {line delegation}");
    skn_say_if(cli, item, "guessed", " (guessed)");
}

/* What a result without its call says. */
static skn_str output_of(const skn_json *item)
{
    const skn_json *output = skn_json_get(skn_json_get(item, "result"), "output");

    return !output ? SKN_NONE : output->kind == SKN_JSON_STRING ? output->text : output->raw;
}

static void print_item(skn_cli *cli, const skn_json *item)
{
    skn_str          kind = skn_json_str(item, "kind"), text = skn_json_str(item, "content");
    skein_unfinished why = SKEIN_WHOLE;

    skn_print(cli, "  ");
    skn_say_if(cli, item, "at", "{time at}  ");
    skn_say(cli, item, "{kind 14} ");
    if (skn_str_is(kind, "tool_execution"))
        print_call(cli, item);
    else
        skn_print_line(cli, text.p ? text : output_of(item), 0);
    skein_unfinished_from(skn_json_str(item, "unfinished"), &why);
    skn_print_unfinished(cli, why, 0, 2);
    skn_print_raw(cli, SKN_STR("\n"));
}

/* Blanks between what it thought and said are a part like others, but nothing to be seen. */
static bool is_blank(const skn_json *item)
{
    return skn_str_is(skn_json_str(item, "kind"), "agent_message") &&
           skn_json_get(item, "part") && skn_str_trim(skn_json_str(item, "content")).n == 0;
}

/* A message may be several items: what it thought, said and called. */
static void print_marks(skn_cli *cli, const skn_marks *marks, const skn_json *item)
{
    skn_str message = skn_json_str(item, "messageId");

    if (!item->next || !skn_str_eq(message, skn_json_str(item->next, "messageId")))
        skn_print_marks(cli, marks, message);
}

static void print_head(skn_cli *cli, const skn_json *v, const skn_json *lane)
{
    skn_say(cli, v, "{bold lane}  {counts.items} items, ");
    if (lane)
        skn_say(cli, lane, "{messageCount} step{messageCount s}\n");
    else
        skn_say(cli, v, "{counts.messages} messages\n");
}

/* A lane, and then the delegations of its calls. */
static skein_rc print_lane(skn_cli *cli, const timeline_job *job, const skn_json *v)
{
    const skn_json *lane = skn_list_find(&job->lanes, "delegationId", skn_json_str(v, "lane"));
    skein_rc        rc;

    print_head(cli, v, lane);
    for (const skn_json *i = skn_first(v, "items"); i; i = i->next) {
        size_t row = skn_row_begin(cli);

        if (!is_blank(i))
            print_item(cli, i);
        skn_row_end(cli, row, SKN_ITEM_BEHIND);
        print_marks(cli, job->marks, i);
    }
    rc = lane ? skn_print_lane_failure(cli, &job->chat, lane) : SKEIN_OK;
    if (skn_opt(cli, "delegation"))
        return rc;
    for (const skn_json *d = skn_first(v, "delegations"); !rc && d; d = d->next)
        rc = print_lane(cli, job, d);
    return rc;
}

static skein_rc print_timeline(skn_cli *cli, timeline_job *job)
{
    const skn_json *v;
    skein_rc        rc = skn_door_get(
               cli, &v, "%s/timeline?threadId=%s%s", cli->door->chat, skn_door_part(cli, job->thread),
               skn_door_parameter(cli, "delegation", skn_str_of(skn_opt(cli, "delegation"))));

    if (rc || cli->json)
        return rc ? rc : skn_door_item(cli, v);
    if ((rc = skn_lanes_read(cli, false, &job->lanes)) ||
        (rc = skn_marks_read(cli, job->thread, &job->marks)))
        return rc;
    skn_out_page(cli);
    return print_lane(cli, job, v);
}

/* Of a world without a conversation. */
static void print_empty(skn_cli *cli)
{
    skein_timeline_options options = SKEIN_TIMELINE_OPTIONS_INIT;
    skein_timelines       *set = skein_timelines_new(&options);
    skein_timeline_view    view;

    if (!skein_timelines_declare(set, SKN_STR("main"), NULL)) {
        view = skein_build_timeline(skein_timelines_main(set), NULL, 0, cli->keep);
        skn_timeline_write_nested(skn_item(cli), &view, 0, cli->keep);
        (void)skn_item_end(cli);
    }
    skein_timelines_free(set);
}

skein_rc skn_cmd_timeline(skn_cli *cli)
{
    const char  *events = skn_opt(cli, "events");
    timeline_job job = {.marks = NULL};
    skein_rc     rc;

    if (events)
        return timeline_of_events(cli, events);
    if (skn_opt(cli, "guess-links"))
        return skn_fail(&cli->err, SKEIN_USAGE, "\"--guess-links\" goes with \"--events\"");
    if ((rc = skn_place_open(cli)) || (rc = skn_need_thread(cli, &job.chat, &job.thread))) {
        if (cli->untouched && cli->json && !skn_opt(cli, "at"))
            print_empty(cli);
        return rc;
    }
    return print_timeline(cli, &job);
}
