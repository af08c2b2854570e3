/* The inbox: what agents tell and ask people. */
#include "cli/commands.h"

#include "base/amount.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/discover.h"
#include "cli/far_agent.h"
#include "cli/far_view.h"
#include "cli/paste.h"

#include <inttypes.h>
#include <string.h>

#define LISTED_MOST   1000
#define SNOOZE_MOST   ((int64_t)366 * 24 * 3600 * 1000)
#define EXIT_THERE_IS 10

static bool needs_person(const skein_inbox_item *item)
{
    return skn_str_is(item->kind, "question") || skn_str_is(item->kind, "approval") ||
           skn_str_is(item->kind, "failure");
}

/* Of the world that is named, or of all. */
static skein_rc read_inbox(skn_cli *cli, int done, size_t limit, skein_inbox *out)
{
    skein_inbox_query what = {.done = done, .limit = limit};
    skein_world       world;
    skein_rc          rc;

    if (skn_opt(cli, "world") && (rc = skn_need_world(cli, &world)))
        return rc;
    return skn_far_inbox(cli, &what, out);
}

/* --- Which one is meant ------------------------------------------------------------------- */

static skein_rc none_such(skn_cli *cli, skn_str ref)
{
    cli->more.thing = "inbox item";
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no inbox item \"%.*s\"", SKN_FMT(ref));
    return skn_hint(&cli->err, SKEIN_NOT_FOUND, "\"skein inbox\" lists them with their ids");
}

/* Its id, with or without "in_", or a beginning of it that no other has. */
static skein_rc find_by_start(skn_cli *cli, skn_str ref, skein_inbox_item *out)
{
    skn_str     start = skn_str_starts(ref, SKN_STR("in_"))
                            ? ref
                            : skn_arena_printf(cli->keep, "in_%.*s", SKN_FMT(ref));
    skein_inbox all;
    size_t      hits = 0;
    skein_rc    rc = read_inbox(cli, -1, LISTED_MOST, &all);

    if (rc)
        return rc;
    for (size_t i = 0; start.n >= 7 && i < all.count; i++)
        if (skn_str_starts(all.at[i].uid, start)) {
            *out = all.at[i];
            hits++;
        }
    if (hits > 1)
        return skn_fail(&cli->err, SKEIN_INVALID, "\"%.*s\" fits %zu inbox items", SKN_FMT(ref),
                        hits);
    return hits ? skn_far_inbox_get(cli, out->uid, out) : none_such(cli, ref);
}

/* Its number counts what is listed now: enough to look at one, not to decide by. What is reopened is in the list of
 * what is done. */
static skein_rc find_by_number(skn_cli *cli, skn_str ref, int64_t n, skein_inbox_item *out)
{
    skein_inbox listed;
    bool        done = !strcmp(cli->command->name, "inbox reopen");
    skein_rc    rc = read_inbox(cli, done ? 1 : 0, LISTED_MOST, &listed);

    if (rc)
        return rc;
    if (n < 1 || (uint64_t)n > listed.count)
        return none_such(cli, ref);
    return skn_far_inbox_get(cli, listed.at[n - 1].uid, out);
}

static skein_rc need_item(skn_cli *cli, size_t arg, bool number, skein_inbox_item *out)
{
    skn_str     ref = skn_arg(cli, arg);
    skein_error err = cli->err;
    int64_t     n;

    if (skn_far_inbox_get(cli, ref, out) == SKEIN_OK)
        return SKEIN_OK;
    if (cli->err.rc != SKEIN_NOT_FOUND && cli->err.rc != SKEIN_INVALID)
        return cli->err.rc;
    cli->err = err;
    if (skn_str_int(ref, &n) && ref.n < 4) {
        if (number)
            return find_by_number(cli, ref, n, out);
        skn_fail(&cli->err, SKEIN_USAGE, "a decision needs the item's id, not its number");
        return skn_hint(&cli->err, SKEIN_USAGE, "\"skein inbox\" shows the ids");
    }
    return find_by_start(cli, ref, out);
}

/* --- Listing ------------------------------------------------------------------------------ */

static skein_rc item_json(skn_cli *cli, const skein_inbox_item *item)
{
    skn_shape_inbox_item(skn_item(cli), item, cli->keep);
    return skn_item_end(cli);
}

/* "3 min": how long ago. */
static void age(skn_cli *cli, int64_t since)
{
    int64_t minutes = (skn_clock_micros() - since) / 60000000;

    if (minutes < 60)
        skn_print(cli, "%4" PRId64 " min  ", minutes > 0 ? minutes : 0);
    else if (minutes < 48 * 60)
        skn_print(cli, "%4" PRId64 " h    ", minutes / 60);
    else
        skn_print(cli, "%4" PRId64 " d    ", minutes / (24 * 60));
}

static void item_line(skn_cli *cli, size_t number, const skein_inbox_item *item)
{
    size_t row = skn_row_begin(cli);

    skn_print(cli, "%2zu%c ", number, item->read_at ? ' ' : '*');
    skn_print_colour(cli, SKN_YELLOW, item->uid);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, item->agent.n ? item->agent : SKN_STR("skein"), 8);
    skn_print(cli, "  %-8.*s  ", SKN_FMT(item->kind));
    skn_print_sender(cli, item->world_name, 10);
    age(cli, item->created_at);
    skn_print_line(cli, item->title, 60);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

static void item_lines(skn_cli *cli, const skein_inbox *inbox)
{
    bool only = skn_opt(cli, "needs-me") != NULL, before = false;

    for (size_t i = 0; i < inbox->count; i++) {
        bool needs = needs_person(&inbox->at[i]);

        if (only && !needs)
            continue;
        if (i == 0 || needs != before)
            skn_print(cli, "%s\n", needs ? "NEEDS YOU" : "BRIEFINGS AND NEWS");
        before = needs;
        item_line(cli, i + 1, &inbox->at[i]);
    }
}

int skn_cmd_inbox_ls(skn_cli *cli)
{
    bool        only = skn_opt(cli, "needs-me") != NULL, done = skn_opt(cli, "done") != NULL;
    skein_inbox inbox;
    size_t      shown = 0;
    skein_rc    rc = read_inbox(cli, done ? 1 : 0, LISTED_MOST, &inbox);

    if (rc)
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < inbox.count && !rc; i++)
        if (!only || needs_person(&inbox.at[i])) {
            shown++;
            rc = cli->json ? item_json(cli, &inbox.at[i]) : SKEIN_OK;
        }
    if (cli->json)
        skn_list_done(cli, rc);
    else
        item_lines(cli, &inbox);
    if (!cli->json && !shown)
        skn_print(cli, only ? "Nothing needs you.\n" : "The inbox is empty.\n");
    if (rc || !skn_opt(cli, "exit-code"))
        return (int)rc;
    return skn_status(cli, inbox.needs_you > 0 ? EXIT_THERE_IS : 0);
}

/* --- One of them -------------------------------------------------------------------------- */

static void block(skn_cli *cli, const char *heading, skn_str text)
{
    if (!text.n)
        return;
    skn_print(cli, "%s", heading);
    skn_print_block(cli, text, 4);
}

/* What a person can do about it. */
static void ways(skn_cli *cli, const skein_inbox_item *item)
{
    if (item->work_chat_uid.n)
        skn_print(cli, "The work: skein log -c %.*s\n", SKN_FMT(item->work_chat_uid));
    if (item->answer.n)
        return;
    if (skn_str_is(item->kind, "failure") && item->task_uid.n)
        skn_print(cli,
                  "It is tried again by itself. At once: skein task retry %.*s, or never: "
                  "skein task cancel %.*s\n",
                  SKN_FMT(item->task_uid), SKN_FMT(item->task_uid));
    else if (skn_str_is(item->kind, "approval"))
        skn_print(cli, "Decide: skein inbox allow %.*s, or deny\n", SKN_FMT(item->uid));
    else if (skn_str_is(item->kind, "question") || skn_str_is(item->kind, "briefing"))
        skn_print(cli, "Answer: skein inbox reply %.*s TEXT\n", SKN_FMT(item->uid));
}

static void show_definition(skn_cli *cli, const skein_inbox_item *item)
{
    skn_definition_parts d;

    skn_definition_read(item, cli->keep, &d);
    if (d.why)
        skn_print(cli, "%s\n", d.why);
    for (size_t i = 0; i < d.parts.n; i++) {
        skn_print_block(cli, d.parts.p[i].label, 2);
        skn_print_block(cli, d.parts.p[i].text, 6);
    }
}

static void show_item(skn_cli *cli, const skein_inbox_item *item)
{
    skn_print_colour(cli, SKN_BOLD, item->title);
    skn_print(cli, "\n%.*s, %.*s from ", SKN_FMT(item->uid), SKN_FMT(item->kind));
    skn_print_sender(cli, item->agent.n ? item->agent : SKN_STR("skein"), 0);
    skn_print(cli, " in %.*s, ", SKN_FMT(item->world_name));
    skn_print_time(cli, item->created_at);
    skn_print(cli, "%s%s\n", item->done_at ? ", done" : "",
              item->snoozed_until > skn_clock_micros() ? ", snoozed" : "");
    if (!item->tool.n)
        block(cli, "", item->briefing.n ? item->briefing : item->content);
    if (item->tool.n) {
        skn_print_raw(cli, SKN_STR("wants to call "));
        skn_print_line(cli, skn_clean_consent(cli->keep, item->tool), 0);
        skn_print_raw(cli, SKN_STR("\n"));
        block(cli, "", skn_clean_consent(cli->keep, item->args));
        show_definition(cli, item);
    }
    block(cli, "answered\n", item->answer);
    block(cli, "because\n", item->reason);
    block(cli, "result\n", item->result);
    ways(cli, item);
}

int skn_cmd_inbox_show(skn_cli *cli)
{
    const skein_inbox_change seen = {.read = 1, .done = -1, .snoozed_until = -1};
    skein_inbox_item         item, now;
    skein_rc                 rc = need_item(cli, 0, true, &item);

    if (!rc && !cli->dry_run && !item.read_at) {
        rc = skn_far_inbox_set(cli, item.uid, &seen, &now);
        item.read_at = rc ? 0 : now.read_at;
    }
    if (rc)
        return (int)rc;
    if (cli->json)
        return (int)item_json(cli, &item);
    show_item(cli, &item);
    return 0;
}

/* --- Changing ----------------------------------------------------------------------------- */

static skein_rc change(skn_cli *cli, const skein_inbox_change *what, skein_inbox_item *item)
{
    return cli->dry_run ? SKEIN_OK : skn_far_inbox_set(cli, item->uid, what, item);
}

/* All are looked up before any is changed: numbers count what is listed, and a change shifts them. */
static int mark(skn_cli *cli, int done)
{
    const skein_inbox_change what = {.read = -1, .done = done, .snoozed_until = -1};
    skein_inbox_item        *items = SKN_ARRAY(cli->keep, cli->arg_count, skein_inbox_item);
    skein_rc                 rc = SKEIN_OK;

    for (size_t i = 0; i < cli->arg_count && !rc; i++)
        rc = need_item(cli, i, true, &items[i]);
    if (rc)
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < cli->arg_count && !rc; i++) {
        skein_inbox_item item = items[i];

        if ((rc = change(cli, &what, &item)))
            break;
        if (cli->json) {
            rc = item_json(cli, &item);
            continue;
        }
        skn_print(cli, "%.*s %s %s.", SKN_FMT(item.uid), cli->dry_run ? "would be" : "is",
                  done ? "done" : "open again");
        if (done && !cli->dry_run)
            skn_print(cli, " Take it back with \"skein inbox reopen %.*s\".",
                      SKN_FMT(item.uid));
        skn_print_raw(cli, SKN_STR("\n"));
    }
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

int skn_cmd_inbox_done(skn_cli *cli)
{
    return mark(cli, 1);
}

int skn_cmd_inbox_reopen(skn_cli *cli)
{
    return mark(cli, 0);
}

int skn_cmd_inbox_snooze(skn_cli *cli)
{
    skein_inbox_change what = {.read = -1, .done = -1};
    skein_inbox_item   item;
    skn_str            text = skn_arg(cli, 1);
    int64_t            ms = 0;
    skein_rc           rc;

    if (!skn_str_is(text, "off") &&
        (!skn_amount_duration(text, &ms) || ms <= 0 || ms > SNOOZE_MOST))
        return (int)skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" is no time to wait: 30m, 2h, 3d",
                             SKN_FMT(text));
    what.snoozed_until = ms ? skn_clock_micros() + ms * 1000 : 0;
    if ((rc = need_item(cli, 0, true, &item)) || (rc = change(cli, &what, &item)))
        return (int)rc;
    if (cli->json)
        return (int)item_json(cli, &item);
    if (!ms) {
        skn_print(cli, "%.*s %s shown again.\n", SKN_FMT(item.uid),
                  cli->dry_run ? "would be" : "is");
        return 0;
    }
    skn_print(cli, "%.*s %s until ", SKN_FMT(item.uid),
              cli->dry_run ? "would be out of sight" : "is out of sight");
    skn_print_time(cli, what.snoozed_until);
    skn_print(cli, ". Sooner with \"skein inbox snooze %.*s off\".\n", SKN_FMT(item.uid));
    return 0;
}

/* --- Answering ---------------------------------------------------------------------------- */

static skein_rc answer(skn_cli *cli, const skein_inbox_item *item, skn_str text)
{
    skein_inbox_item now = *item;
    skein_message    told = {.uid = SKN_NONE};
    const skn_json  *whole = NULL;
    skein_rc         rc;

    if (cli->dry_run) {
        skn_would(cli, "answer %.*s", SKN_FMT(item->uid));
        return SKEIN_OK;
    }
    if ((rc = skn_far_inbox_answer(cli, item, text, &now, &told, &whole)))
        return rc;
    if (cli->json)
        return skn_far_item(cli, whole);
    if (told.uid.p)
        skn_print(cli, "Sent to %.*s as %.*s. %.*s is %s.\n", SKN_FMT(item->agent),
                  SKN_FMT(told.uid), SKN_FMT(item->uid), now.done_at ? "done" : "answered");
    else if (!item->tool.n)
        skn_print(cli, "%.*s: %s.\n", SKN_FMT(item->uid),
                  skn_str_is(text, "allow") ? "it goes on until the end of the month"
                                            : "it stays stopped");
    else
        skn_print_text(cli, skn_arena_printf(cli->keep, "%.*s: %.*s %s call %.*s.\n",
                                             SKN_FMT(item->uid), SKN_FMT(item->agent),
                                             skn_str_is(text, "allow") ? "may" : "may not",
                                             SKN_FMT(item->tool)));
    if (item->tool.n)
        skn_note_nobody(cli, item->agent, "goes on");
    return SKEIN_OK;
}

int skn_cmd_inbox_reply(skn_cli *cli)
{
    skein_inbox_item item;
    skn_str          text;
    skein_rc         rc = need_item(cli, 0, true, &item);

    if (rc)
        return (int)rc;
    if (skn_str_is(item.kind, "approval")) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" asks for a yes or no", SKN_FMT(item.uid));
        return (int)skn_hint(&cli->err, SKEIN_USAGE,
                             "\"skein inbox allow %.*s\" or \"skein inbox deny %.*s\"",
                             SKN_FMT(item.uid), SKN_FMT(item.uid));
    }
    rc = skn_arg_text(cli, 1, &text);
    return (int)(rc ? rc : answer(cli, &item, text));
}

static int decide(skn_cli *cli, const char *word)
{
    skein_inbox_item item;
    skein_rc         rc = need_item(cli, 0, false, &item);

    if (!rc && !skn_str_is(item.kind, "approval"))
        rc = skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" is a %.*s, it asks for no permission",
                      SKN_FMT(item.uid), SKN_FMT(item.kind));
    return (int)(rc ? rc : answer(cli, &item, skn_str_of(word)));
}

int skn_cmd_inbox_allow(skn_cli *cli)
{
    return decide(cli, "allow");
}

int skn_cmd_inbox_deny(skn_cli *cli)
{
    return decide(cli, "deny");
}
