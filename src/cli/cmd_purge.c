/* The one thing that cannot be taken back: erasing texts for ever. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/backups.h"
#include "cli/discover.h"
#include "cli/far_change.h"

#include <inttypes.h>

#define SHOWN_MOST    20 /* texts that are shown before they go */
#define SHOWN_COLUMNS 60

/* --- What would go ------------------------------------------------------------------------ */

static void show_text(skn_cli *cli, skn_str uid, skn_str sender, skn_str text)
{
    skn_print_id(cli, uid);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, sender, 5);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_line(cli, text, SHOWN_COLUMNS);
    skn_print_raw(cli, SKN_STR("\n"));
}

static void show_told(skn_cli *cli, const skn_json *m)
{
    show_text(cli, skn_far_text(m, "messageId"), skn_far_text(m, "sender"),
              skn_far_text(m, "text"));
}

static void show_rest(skn_cli *cli, int64_t count)
{
    if (count > SHOWN_MOST)
        skn_print(cli, "and %" PRId64 " more\n", count - SHOWN_MOST);
}

static const skn_json *list_of(const skn_json *told, const char *member)
{
    const skn_json *list = skn_json_get(told, member);

    return list && list->kind == SKN_JSON_ARRAY ? list : NULL;
}

static void show_unreachable(skn_cli *cli, const skn_json *told)
{
    const skn_json *first = list_of(told, "messages");
    int64_t         count = skn_far_int(told, "erased", 0);

    skn_print(cli, "%" PRId64 " message%s that the current version does not hold%s\n", count,
              skn_plural(count), count ? ":" : "");
    for (const skn_json *m = first ? first->first : NULL; m; m = m->next)
        show_told(cli, m);
    show_rest(cli, count);
}

static bool is_named(const skn_uids *ids, skn_str uid)
{
    for (size_t i = 0; i < ids->n; i++)
        if (skn_str_eq(ids->p[i], uid))
            return true;
    return false;
}

/* What the system made of their words, wherever it was said. */
static void show_repeats(skn_cli *cli, const skn_uids *ids, const skn_json *told)
{
    const skn_json *all = list_of(told, "messages");
    int64_t         rest = skn_far_int(told, "erased", 0) - (all ? all->count : 0);

    for (const skn_json *m = all ? all->first : NULL; m; m = m->next)
        if (!is_named(ids, skn_far_text(m, "messageId"))) {
            skn_print_raw(cli, SKN_STR("made of it: "));
            show_told(cli, m);
        }
    if (rest > 0)
        skn_print(cli, "and %" PRId64 " more made of it\n", rest);
}

/* Whoever is asked, or asks with -n, sees the texts first: they are gone for ever then. */
static bool shows_texts(const skn_cli *cli)
{
    return !cli->json && (cli->dry_run || (!cli->yes && cli->out.terminal));
}

static skein_rc show_texts(skn_cli *cli, const skein_conversation *chat, const skn_uids *ids,
                           const skn_json *told)
{
    skein_message m;
    skein_rc      rc = SKEIN_OK;

    if (!ids->n)
        show_unreachable(cli, told);
    for (size_t i = 0; i < ids->n && i < SHOWN_MOST && !rc; i++)
        if (!(rc = skn_need_message(cli, chat, ids->p[i], &m)))
            show_text(cli, m.uid, m.sender, m.purged ? SKN_STR("(erased)") : m.content);
    if (rc || !ids->n)
        return rc;
    show_rest(cli, (int64_t)ids->n);
    show_repeats(cli, ids, told);
    return SKEIN_OK;
}

/* --- Erasing ------------------------------------------------------------------------------ */

/* Shows what would go, asks, and erases; a dry run ends with the look. */
static skein_rc look_and_purge(skn_cli *cli, const skein_conversation *chat,
                               const skein_change *how, const skn_uids *ids,
                               const skn_json **told)
{
    skein_change look = *how;
    skein_rc     rc;

    look.dry_run = true;
    if (shows_texts(cli) && ((rc = skn_far_purge(cli, &look, ids, told)) ||
                             (rc = show_texts(cli, chat, ids, *told))))
        return rc;
    if ((rc = skn_confirm(cli, "Erase these texts for ever, in every version?", true)) ||
        (cli->dry_run && shows_texts(cli)))
        return rc;
    return skn_far_purge(cli, how, ids, told);
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

/* What was copied before is out of the store's reach. Copies of a store that is elsewhere are not seen from here. */
static void tell_backups(skn_cli *cli)
{
    skein_error before = cli->err;
    skn_traces  traces;
    int64_t     count = 0;

    if (!cli->far && !skn_traces_of(cli, &traces) && traces.backups)
        skn_backup_newest(traces.backups, &count);
    if (count)
        skn_note(cli, "Backups that were made before still have it: %s", traces.backups);
    cli->err = before;
}

/* Their words may stand in what was made of them, which goes only by its own name. */
static void tell_kept(skn_cli *cli, const skn_json *told)
{
    const skn_json *all = list_of(told, "kept");

    for (const skn_json *k = all ? all->first : NULL; k; k = k->next)
        skn_note(cli, "A %s %.*s and stays: skein purge %.*s",
                 skn_str_is(skn_far_text(k, "in"), "squash") ? "squash was made of"
                                                             : "summary covers",
                 SKN_FMT(skn_far_text(k, "messageId")),
                 SKN_FMT(skn_far_text(k, "keptMessageId")));
}

int skn_cmd_purge(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skn_uids           ids = {0};
    const skn_json    *told = NULL;
    int64_t            erased;
    skn_jw            *w;
    skein_rc           rc;

    if (!skn_opt(cli, "unreachable") == !cli->arg_count)
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"skein purge\" needs either messages or --unreachable");
    if ((rc = skn_need_change(cli, &world, &chat, &how)) ||
        (rc = skn_need_messages(cli, &chat, 0, &ids)) ||
        (rc = look_and_purge(cli, &chat, &how, &ids, &told)))
        return (int)rc;
    erased = skn_far_int(told, "erased", 0);
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
    tell_kept(cli, told);
    return 0;
}
