/* What a summary stands for: the first messages of the lane that it is in. */
#include "cli/show_summary.h"

#include "cli/commands.h"

#include <inttypes.h>

#define LISTED_MOST 200

/* Whether the lane has this summary; *out is then what it covers. */
static skein_rc look(skn_cli *cli, const skein_slice *lane, const skein_message *m,
                     int64_t *covers)
{
    skein_summaries list;
    skein_rc        rc = skein_summary_list(cli->engine, lane, cli->keep, &list, &cli->err);

    for (size_t i = 0; !rc && i < list.count; i++)
        if (list.at[i].message.id.v == m->id.v)
            *covers = list.at[i].covers;
    return rc;
}

skein_rc skn_show_summary_find(skn_cli *cli, const skein_conversation *chat,
                               const skein_message *m, skein_slice *lane, int64_t *covers)
{
    skein_lanes lanes;
    skein_rc    rc;

    *covers = 0;
    *lane = (skein_slice){.conversation = chat->id};
    if (m->role != SKEIN_SUMMARY || (rc = look(cli, lane, m, covers)) || *covers)
        return m->role != SKEIN_SUMMARY ? SKEIN_OK : rc;
    rc = skein_lane_list(cli->engine, chat->id, cli->keep, &lanes, &cli->err);
    for (size_t i = 0; !rc && !*covers && i < lanes.count; i++) {
        *lane = (skein_slice){.conversation = chat->id, .lane = lanes.at[i].key};
        rc = look(cli, lane, m, covers);
    }
    return rc;
}

static skein_rc covered(skn_cli *cli, skein_slice lane, int64_t covers, skein_messages *out)
{
    skein_at at;

    lane.from = 0;
    lane.count = covers < LISTED_MOST ? covers : LISTED_MOST;
    return skein_read(cli->engine, &lane, cli->keep, out, &at, &cli->err);
}

skein_rc skn_summary_print(skn_cli *cli, const skein_slice *lane, int64_t covers)
{
    skein_messages list;
    skein_rc       rc = covered(cli, *lane, covers, &list);

    if (rc)
        return rc;
    skn_print(cli, "stands for the first %" PRId64 " message%s of %.*s:\n", covers,
              skn_plural(covers), SKN_FMT(lane->lane.p ? lane->lane : SKN_STR("main")));
    for (size_t i = 0; i < list.count; i++) {
        skn_print_raw(cli, SKN_STR("  "));
        skn_print_oneline(cli, &list.at[i], NULL);
    }
    if (covers > (int64_t)list.count)
        skn_print(cli, "  and %" PRId64 " more\n", covers - (int64_t)list.count);
    return SKEIN_OK;
}

skein_rc skn_summary_members(skn_cli *cli, skn_jw *w, const skein_slice *lane, int64_t covers)
{
    skein_messages list;
    skein_rc       rc = covered(cli, *lane, covers, &list);

    if (rc)
        return rc;
    skn_jw_kint(w, "covers", covers);
    skn_jw_key(w, "coveredMessageIds");
    skn_jw_array(w);
    for (size_t i = 0; i < list.count; i++)
        skn_jw_str(w, list.at[i].uid);
    skn_jw_array_end(w);
    return SKEIN_OK;
}
