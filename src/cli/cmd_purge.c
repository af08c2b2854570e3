/* The one thing that cannot be taken back: erasing texts for ever. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/backups.h"
#include "cli/discover.h"

#include <inttypes.h>

#define PART          500 /* messages that are looked at in one go */
#define SHOWN_MOST    20  /* texts that are shown before they go */
#define SHOWN_COLUMNS 60

/* --- What was made of them ---------------------------------------------------------------- */

static bool is_made_of(const skein_squash *q, skn_str uid)
{
    for (size_t i = 0; i < q->source_count; i++)
        if (skn_str_eq(q->sources[i], uid))
            return true;
    return false;
}

/* Text that a squash took over stands in another message, which is erased only by its own name. */
static skein_rc tell_squashes(skn_cli *cli, const skein_conversation *chat, skn_str uid)
{
    skein_uids   all;
    skein_squash q;
    skein_rc     rc = skein_squash_list(cli->engine, chat->id, 0, cli->keep, &all, &cli->err);

    for (size_t i = 0; !rc && i < all.count; i++) {
        rc = skein_squash_get(cli->engine, all.at[i], cli->keep, &q, &cli->err);
        if (!rc && !q.result.purged && is_made_of(&q, uid))
            skn_note(cli, "A squash was made of %.*s and stays: skein purge %.*s", SKN_FMT(uid),
                     SKN_FMT(q.result.uid));
    }
    return rc;
}

/* Is it among the first `count` messages of the lane? */
static skein_rc is_covered(skn_cli *cli, skein_slice lane, int64_t count, skn_str uid,
                           bool *out)
{
    skein_messages part = {.count = 1};
    skein_at       at;
    skein_rc       rc = SKEIN_OK;

    *out = false;
    while (!rc && !*out && lane.from < count && part.count) {
        lane.count = count - lane.from < PART ? count - lane.from : PART;
        rc = skein_read(cli->engine, &lane, cli->keep, &part, &at, &cli->err);
        for (size_t i = 0; !rc && i < part.count; i++)
            *out |= skn_str_eq(part.at[i].uid, uid);
        lane.from += PART;
    }
    return rc;
}

/* A model was told the text, and may have taken words of it into a summary. */
static skein_rc tell_summaries(skn_cli *cli, const skein_slice *lane, skn_str uid)
{
    skein_summaries list;
    bool            covered;
    skein_rc        rc = skein_summary_list(cli->engine, lane, cli->keep, &list, &cli->err);

    for (size_t i = 0; !rc && i < list.count; i++) {
        rc = is_covered(cli, *lane, list.at[i].covers, uid, &covered);
        if (!rc && covered && !list.at[i].message.purged)
            skn_note(cli, "A summary covers %.*s and stays: skein purge %.*s", SKN_FMT(uid),
                     SKN_FMT(list.at[i].message.uid));
    }
    return rc;
}

static skein_rc tell_copies(skn_cli *cli, const skein_conversation *chat, skn_str uid)
{
    skein_slice lane = {.conversation = chat->id};
    skein_lanes lanes;
    skein_rc    rc;

    if ((rc = tell_squashes(cli, chat, uid)) ||
        (rc = skein_lane_list(cli->engine, chat->id, cli->keep, &lanes, &cli->err)))
        return rc;
    for (size_t i = 0; !rc && i < lanes.count; i++) {
        lane.lane = lanes.at[i].key;
        rc = tell_summaries(cli, &lane, uid);
    }
    return rc;
}

static skein_rc tell_all_copies(skn_cli *cli, const skein_conversation *chat)
{
    skein_message m;
    skein_rc      rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < cli->arg_count; i++)
        if (!(rc = skn_need_message(cli, chat, skn_arg(cli, i), &m)))
            rc = tell_copies(cli, chat, m.uid);
    return rc;
}

/* --- What would go ------------------------------------------------------------------------ */

static void show_text(skn_cli *cli, const skein_message *m)
{
    skn_print_id(cli, m->uid);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, m->sender, 5);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_line(cli, m->purged ? SKN_STR("(erased)") : m->content, SHOWN_COLUMNS);
    skn_print_raw(cli, SKN_STR("\n"));
}

static void show_rest(skn_cli *cli, int64_t count)
{
    if (count > SHOWN_MOST)
        skn_print(cli, "and %" PRId64 " more\n", count - SHOWN_MOST);
}

static skein_rc show_unreachable(skn_cli *cli, const skein_change *how)
{
    skein_messages first;
    int64_t        count;
    skein_rc       rc = skn_purge_look(cli->engine, how, (skein_message_ids){0}, SHOWN_MOST,
                                       cli->keep, &first, &count, &cli->err);

    if (rc)
        return rc;
    skn_print(cli, "%" PRId64 " message%s that the current version does not hold%s\n", count,
              skn_plural(count), count ? ":" : "");
    for (size_t i = 0; i < first.count; i++)
        show_text(cli, &first.at[i]);
    show_rest(cli, count);
    return SKEIN_OK;
}

/* The messages that are named, by the engine's own ids. */
static skein_rc named(skn_cli *cli, const skein_conversation *chat, skein_message_ids *out)
{
    skein_message_id *ids = SKN_ARRAY(cli->keep, cli->arg_count + 1, skein_message_id);
    skein_message     m;
    skein_rc          rc = SKEIN_OK;

    for (size_t i = 0; i < cli->arg_count && !rc; i++)
        if (!(rc = skn_need_message(cli, chat, skn_arg(cli, i), &m)))
            ids[i] = m.id;
    *out = (skein_message_ids){ids, cli->arg_count};
    return rc;
}

static bool is_named(const skein_message_ids *ids, int64_t message)
{
    for (size_t i = 0; i < ids->count; i++)
        if (ids->at[i].v == message)
            return true;
    return false;
}

/* What the system made of their words, wherever it was said. */
static skein_rc show_repeats(skn_cli *cli, const skein_conversation *chat,
                             const skein_change *how)
{
    skein_message_ids ids;
    skein_messages    all;
    int64_t           count;
    skein_rc          rc;

    if ((rc = named(cli, chat, &ids)) ||
        (rc = skn_purge_look(cli->engine, how, ids, ids.count + SHOWN_MOST, cli->keep, &all,
                             &count, &cli->err)))
        return rc;
    for (size_t i = 0; i < all.count; i++)
        if (!is_named(&ids, all.at[i].id.v)) {
            skn_print_raw(cli, SKN_STR("made of it: "));
            show_text(cli, &all.at[i]);
        }
    if (count > (int64_t)all.count)
        skn_print(cli, "and %" PRId64 " more made of it\n", count - (int64_t)all.count);
    return SKEIN_OK;
}

/* Whoever is asked, or asks with -n, sees the texts first: they are gone for ever then. */
static skein_rc show_texts(skn_cli *cli, const skein_conversation *chat,
                           const skein_change *how)
{
    skein_message m;
    skein_rc      rc = SKEIN_OK;

    if (cli->json || (!cli->dry_run && (cli->yes || !cli->out.terminal)))
        return SKEIN_OK;
    if (skn_opt(cli, "unreachable"))
        return show_unreachable(cli, how);
    for (size_t i = 0; i < cli->arg_count && !rc; i++)
        if (!(rc = skn_need_message(cli, chat, skn_arg(cli, i), &m)) && i < SHOWN_MOST)
            show_text(cli, &m);
    if (!rc)
        show_rest(cli, (int64_t)cli->arg_count);
    return rc ? rc : show_repeats(cli, chat, how);
}

/* --- Erasing ------------------------------------------------------------------------------ */

static skein_rc purge(skn_cli *cli, const skein_conversation *chat, skein_change *how,
                      int64_t *erased)
{
    skein_message_ids ids;
    skein_rc          rc;

    if (skn_opt(cli, "unreachable"))
        return skein_purge_unreachable(cli->engine, how, erased, &cli->err);
    if ((rc = named(cli, chat, &ids)))
        return rc;
    return skein_purge(cli->engine, how, ids, erased, &cli->err);
}

static void say_erased(skn_cli *cli, int64_t erased)
{
    if (!erased && cli->arg_count)
        skn_print(cli, "%s erased before.\n", cli->arg_count == 1 ? "It was" : "They were");
    else if (cli->dry_run)
        skn_print(cli, "Would erase %" PRId64 " message%s. Nothing was changed.\n", erased,
                  skn_plural(erased));
    else
        skn_print(cli, "Erased %" PRId64 " message%s; %s.\n", erased, skn_plural(erased),
                  erased == 1 ? "its place stays" : "their places stay");
}

/* What was copied before is out of the store's reach. */
static void tell_backups(skn_cli *cli)
{
    skein_error before = cli->err;
    skn_traces  traces;
    int64_t     count = 0;

    if (!skn_traces_of(cli, &traces) && traces.backups)
        skn_backup_newest(traces.backups, &count);
    if (count)
        skn_note(cli, "Backups that were made before still have it: %s", traces.backups);
    cli->err = before;
}

int skn_cmd_purge(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    int64_t            erased = 0;
    skn_jw            *w;
    skein_rc           rc;

    if (!skn_opt(cli, "unreachable") == !cli->arg_count)
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"skein purge\" needs either messages or --unreachable");
    if ((rc = skn_need_change(cli, &world, &chat, &how)) ||
        (rc = show_texts(cli, &chat, &how)) ||
        (rc = skn_confirm(cli, "Erase these texts for ever, in every version?", true)) ||
        (rc = purge(cli, &chat, &how, &erased)))
        return (int)rc;
    if (cli->json) {
        w = skn_item(cli);
        skn_jw_object(w);
        skn_jw_kint(w, "erased", erased);
        skn_jw_kbool(w, "dryRun", cli->dry_run);
        skn_jw_object_end(w);
        return (int)skn_item_end(cli);
    }
    say_erased(cli, erased);
    if (erased && !cli->dry_run)
        tell_backups(cli);
    return (int)tell_all_copies(cli, &chat);
}
