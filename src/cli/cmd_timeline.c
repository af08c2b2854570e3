#include "cli/commands.h"

#include "base/error.h"
#include "cli/far_view.h"
#include "cli/marks.h"
#include "cli/unanswered.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void print_item(skn_cli *cli, const skein_timeline_item *item)
{
    skn_print_raw(cli, SKN_STR("  "));
    if (item->record.at) {
        skn_print_time(cli, item->record.at);
        skn_print_raw(cli, SKN_STR("  "));
    }
    skn_print(cli, "%-14s ", skein_item_kind_name(item->kind));
    if (item->kind != SKEIN_ITEM_TOOL_EXECUTION) {
        skn_print_line(cli, item->text, 0);
        skn_print_unfinished(cli, item->record.unfinished, 2);
        skn_print_raw(cli, SKN_STR("\n"));
        return;
    }
    skn_print_line(cli, item->record.tool_name, 0);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_line(cli, item->record.input, cli->out.terminal ? 60 : 0);
    skn_print_raw(cli, !item->answered       ? SKN_STR("  … no result yet")
                       : item->result.failed ? SKN_STR("  failed")
                                             : SKN_STR("  ok"));
    if (item->duplicate_count)
        skn_print(cli, "  (%" PRIu32 " more results)", item->duplicate_count);
    if (item->delegation.n) {
        skn_print_raw(cli, SKN_STR("  ▸ "));
        skn_print_line(cli, item->delegation, 0);
        skn_print(cli, "%s", item->guessed ? " (guessed)" : "");
    }
    skn_print_raw(cli, SKN_STR("\n"));
}

typedef struct timeline_job {
    skein_conversation chat;
    skein_lanes        lanes;
    skein_timelines   *set;
    skn_marks         *marks;
} timeline_job;

/* NULL: of no conversation. */
static const skein_lane *lane_of(const timeline_job *job, const skein_timeline *t)
{
    for (size_t i = 0; i < job->lanes.count; i++)
        if (skn_str_eq(job->lanes.at[i].key, skein_timeline_lane(t)))
            return &job->lanes.at[i];
    return NULL;
}

/* A message may be several items: what it thought, said and called. */
static bool is_last_of_message(const skein_timeline *t, size_t i, size_t count)
{
    return i + 1 == count || !skn_str_eq(skein_timeline_item_at(t, i).record.message_id,
                                         skein_timeline_item_at(t, i + 1).record.message_id);
}

/* Blanks between what it thought and said are a part like others, but nothing to be seen. */
static bool is_blank(const skein_timeline_item *item)
{
    return item->kind == SKEIN_ITEM_AGENT_MESSAGE && item->split &&
           skn_str_trim(item->text).n == 0;
}

static skein_rc print_lane(skn_cli *cli, const timeline_job *job, const skein_timeline *t)
{
    skein_timeline_view view = skein_build_timeline(t, NULL, 0, cli->keep);
    const skein_lane   *lane = lane_of(job, t);

    skn_print_colour(cli, SKN_BOLD, skein_timeline_lane(t));
    if (lane && lane->parent.v)
        skn_print(cli, "  %zu items, %" PRId64 " step%s\n", view.item_count, lane->length,
                  skn_plural(lane->length));
    else
        skn_print(cli, "  %zu items, %zu messages\n", view.item_count, view.message_count);
    for (size_t i = 0; i < view.item_count; i++) {
        skein_timeline_item item = skein_timeline_item_at(t, i);
        size_t              row;

        if (!is_blank(&item)) {
            row = skn_row_begin(cli);
            print_item(cli, &item);
            skn_row_end(cli, row, SKN_ITEM_BEHIND);
        }
        if (is_last_of_message(t, i, view.item_count))
            skn_print_marks(cli, job->marks, item.record.message_id);
    }
    return lane ? skn_print_lane_failure(cli, &job->chat, lane) : SKEIN_OK;
}

static skein_rc print_set(skn_cli *cli, const timeline_job *job)
{
    skein_rc rc = SKEIN_OK;

    if (cli->json) {
        skn_timelines_write_json(skn_item(cli), job->set, cli->keep);
        return skn_item_end(cli);
    }
    skn_out_page(cli);
    for (size_t i = 0; !rc && i < skein_timelines_count(job->set); i++)
        rc = print_lane(cli, job, skein_timelines_at(job->set, i));
    return rc;
}

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

static int timeline_of_events(skn_cli *cli, const char *path)
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
    return (int)rc;
}

/* --- Of a conversation -------------------------------------------------------------------- */

static skein_rc print_one(skn_cli *cli, const timeline_job *job, const char *lane)
{
    const skein_timeline *t = lane ? skein_timelines_get(job->set, skn_str_of(lane))
                                   : skein_timelines_main(job->set);
    skein_timeline_view   view;

    if (lane && !t)
        return skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no delegation \"%s\"", lane);
    if (!cli->json && lane)
        return print_lane(cli, job, t);
    if (!cli->json || !t)
        return print_set(cli, job);
    view = skein_build_timeline(t, NULL, 0, cli->keep);
    skn_timeline_write_nested(skn_item(cli), &view, 0, cli->keep);
    return skn_item_end(cli);
}

static skein_rc load(skn_cli *cli, timeline_job *job, int64_t version)
{
    skein_rc rc;

    if ((rc = skein_lane_list(cli->engine, job->chat.id, cli->keep, &job->lanes, &cli->err)) ||
        (!cli->json && (rc = skn_marks_read(cli, &job->chat, version, SKN_NONE, &job->marks))))
        return rc;
    return skein_timeline_read(cli->engine, job->chat.id, version, &job->set, &cli->err);
}

/* Of a world without a conversation. */
static void print_empty(skn_cli *cli, timeline_job *job)
{
    skein_timeline_options options = SKEIN_TIMELINE_OPTIONS_INIT;

    job->set = skein_timelines_new(&options);
    if (!skein_timelines_declare(job->set, SKN_STR("main"), NULL))
        (void)print_one(cli, job, NULL);
    skein_timelines_free(job->set);
}

int skn_cmd_timeline(skn_cli *cli)
{
    const char   *events = skn_opt(cli, "events"), *at = skn_opt(cli, "at");
    skein_world   world;
    timeline_job  job = {.set = NULL};
    skein_version version = {.number = 0};
    skein_rc      rc;

    if (events)
        return timeline_of_events(cli, events);
    if (skn_opt(cli, "guess-links"))
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"--guess-links\" goes with \"--events\"");
    if ((rc = skn_place_open(cli)) || (rc = skn_need_chat(cli, &world, &job.chat))) {
        if (cli->untouched && cli->json && !at)
            print_empty(cli, &job);
        return (int)rc;
    }
    if (at && (rc = skn_need_version(cli, &job.chat, at, &version)))
        return (int)rc;
    if (cli->far)
        return (int)skn_far_timeline(cli, at ? version.thread_uid : job.chat.thread_uid);
    if (!(rc = load(cli, &job, version.number)))
        rc = print_one(cli, &job, skn_opt(cli, "delegation"));
    skein_timelines_free(job.set);
    return (int)rc;
}
