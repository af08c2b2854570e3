/* The inbox: what agents tell and ask people. */
#include "cli/commands.h"

#include "base/clock.h"
#include "cli/paste.h"

#include <inttypes.h>

#define SNOOZE_MOST   ((int64_t)366 * 24 * 3600 * 1000)
#define EXIT_THERE_IS 10
#define ITEM          "/inbox/{id}"

static bool needs_person(const skn_json *item)
{
    return skn_is_among(SKN_STR("question,approval,failure"), skn_json_str(item, "type"));
}

/* "world=NAME" of the world that this run is about, or nothing. */
static const char *of_world(skn_cli *cli, const char *before)
{
    if (!cli->door->world)
        return "";
    return skn_arena_text(cli->keep, "%sworld=%s", before,
                          cli->door->world + sizeof "/worlds/" - 1);
}

skein_rc skn_inbox_list(skn_cli *cli, const char *query, size_t most, skn_json_list *out)
{
    return skn_door_all(
        cli, skn_arena_text(cli->keep, "/inbox?%s%s", query, of_world(cli, "&")), most, out);
}

/* Of the world that is named, or of all. */
static skein_rc read_inbox(skn_cli *cli, const char *state, skn_json_list *out)
{
    skein_rc rc;

    if (skn_opt(cli, "world") && (rc = skn_need_world(cli, NULL)))
        return rc;
    return skn_inbox_list(cli, state, SKN_INBOX_MOST, out);
}

/* --- Which one is meant ------------------------------------------------------------------- */

static skein_rc none_such(skn_cli *cli, skn_str ref)
{
    cli->more.thing = "inbox item";
    return skn_fail_hint(&cli->err, SKEIN_NOT_FOUND,
                         "\"skein inbox\" lists them with their ids",
                         "there is no inbox item \"%.*s\"", SKN_FMT(ref));
}

/* Its id, with or without "in_", or a beginning of it that no other has. */
static skein_rc find_by_start(skn_cli *cli, skn_str ref, const skn_json **out)
{
    skn_str       start = skn_str_starts(ref, SKN_STR("in_"))
                              ? ref
                              : skn_arena_printf(cli->keep, "in_%.*s", SKN_FMT(ref));
    skn_json_list all = {0};
    size_t        hits = 0;
    skein_rc      rc = read_inbox(cli, "state=all", &all);

    if (rc)
        return rc;
    for (size_t i = 0; start.n >= 7 && i < all.n; i++)
        if (skn_str_starts(skn_json_str(all.p[i], "id"), start)) {
            *out = all.p[i];
            hits++;
        }
    if (hits > 1)
        return skn_fail(&cli->err, SKEIN_INVALID, "\"%.*s\" fits %zu inbox items", SKN_FMT(ref),
                        hits);
    return hits ? skn_read(cli, *out, ITEM, out) : none_such(cli, ref);
}

/* Its number counts what is listed now: enough to look at one, not to decide by. What is reopened is in the list of
 * what is done. */
static skein_rc find_by_number(skn_cli *cli, skn_str ref, int64_t n, const skn_json **out)
{
    skn_json_list listed = {0};
    bool          done = skn_verb_is(cli, "reopen");
    skein_rc      rc = read_inbox(cli, done ? "state=done" : "state=open", &listed);

    if (rc)
        return rc;
    if (n < 1 || (uint64_t)n > listed.n)
        return none_such(cli, ref);
    return skn_read(cli, listed.p[n - 1], ITEM, out);
}

static skein_rc need_item(skn_cli *cli, size_t arg, bool number, const skn_json **out)
{
    skn_str     ref = skn_arg(cli, arg);
    skein_error err = cli->err;
    int64_t     n;

    if (!skn_door_get(cli, out, "/inbox/%s", skn_door_part(cli, ref)))
        return SKEIN_OK;
    if (cli->err.rc != SKEIN_NOT_FOUND && cli->err.rc != SKEIN_INVALID)
        return cli->err.rc;
    cli->err = err;
    if (skn_str_int(ref, &n) && ref.n < 4) {
        if (number)
            return find_by_number(cli, ref, n, out);
        return skn_fail_hint(&cli->err, SKEIN_USAGE, "\"skein inbox\" shows the ids",
                             "a decision needs the item's id, not its number");
    }
    return find_by_start(cli, ref, out);
}

/* --- Listing ------------------------------------------------------------------------------ */

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

static skn_str sender_of(const skn_json *item)
{
    return skn_has(item, "agent") ? skn_json_str(item, "agent") : SKN_STR("skein");
}

static void item_line(skn_cli *cli, size_t number, const skn_json *item)
{
    size_t row = skn_row_begin(cli);

    skn_print(cli, "%2zu%c ", number, skn_has(item, "readAt") ? ' ' : '*');
    skn_say(cli, item, "{yellow id}  ");
    skn_print_sender(cli, sender_of(item), 8);
    skn_say(cli, item, "  {type 8}  {sender world 10}");
    age(cli, skn_door_time(item, "createdAt"));
    skn_say(cli, item, "{line title 60}\n");
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

/* A number counts all that is listed, also where only what needs the person is shown. */
static void item_lines(skn_cli *cli, const skn_json_list *all, bool only)
{
    bool before = false;

    for (size_t i = 0; i < all->n; i++) {
        bool needs = needs_person(all->p[i]);

        if (only && !needs)
            continue;
        if (i == 0 || needs != before)
            skn_print(cli, "%s\n", needs ? "NEEDS YOU" : "BRIEFINGS AND NEWS");
        before = needs;
        item_line(cli, i + 1, all->p[i]);
    }
}

/* How many need the person, of all that are open. */
static skein_rc status_of(skn_cli *cli)
{
    const skn_json *counts;
    skein_rc rc = skn_door_get(cli, &counts, "/inbox/unread-count%s", of_world(cli, "?"));

    return rc ? rc : skn_status(cli, skn_has(counts, "needsYou") ? EXIT_THERE_IS : 0);
}

skein_rc skn_cmd_inbox_ls(skn_cli *cli)
{
    bool          only = skn_opt(cli, "needs-me") != NULL;
    skn_json_list all = {0}, shown = {0};
    skein_rc rc = read_inbox(cli, skn_opt(cli, "done") ? "state=done" : "state=open", &all);

    if (rc)
        return rc;
    for (size_t i = 0; i < all.n; i++)
        if (!only || needs_person(all.p[i]))
            skn_vec_add(cli->keep, &shown, all.p[i]);
    if (cli->json)
        rc = skn_say_list(cli, &shown, NULL);
    else if (shown.n)
        item_lines(cli, &all, only);
    else
        skn_print(cli, only ? "Nothing needs you.\n" : "The inbox is empty.\n");
    return rc || !skn_opt(cli, "exit-code") ? rc : status_of(cli);
}

/* --- One of them -------------------------------------------------------------------------- */

static void show_definition(skn_cli *cli, const skn_json *item)
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

/* The tool that it wants to call, as a person should see it who is to allow it. */
static void show_call(skn_cli *cli, const skn_json *item)
{
    skn_str args = skn_clean_consent(cli->keep, skn_args_of(item));

    skn_print_raw(cli, SKN_STR("wants to call "));
    skn_print_line(cli, skn_clean_consent(cli->keep, skn_json_str(item, "tool")), 0);
    skn_print_raw(cli, SKN_STR("\n"));
    if (args.n)
        skn_print_block(cli, args, 4);
    show_definition(cli, item);
}

static skein_rc show_item(skn_cli *cli, const skn_json *item)
{
    const skn_json *briefing = NULL;
    skein_rc        rc = SKEIN_OK;

    if (skn_has(item, "briefingId") &&
        (rc = skn_read(cli, item, "/briefings/{briefingId}", &briefing)))
        return rc;
    skn_say(cli, item, "{bold title}\n{id}, {type} from ");
    skn_print_sender(cli, sender_of(item), 0);
    skn_say(cli, item, " in {world}, {time createdAt}[doneAt:, done]");
    skn_print(cli, "%s\n",
              skn_door_time(item, "snoozedUntil") > skn_clock_micros() ? ", snoozed" : "");
    if (skn_has(item, "tool"))
        show_call(cli, item);
    else if (skn_has(briefing, "text"))
        skn_say_block(cli, briefing, "", "text");
    else
        skn_say_block(cli, item, "", "content");
    skn_say(cli, item,
            "[answer:answered\n{block answer 4}][reason:because\n{block reason 4}]"
            "[result:result\n{block result 4}]"
            "[workChatId:The work: skein log -c {workChatId}\n][!answer:"
            "[type=failure:[taskId:It is tried again by itself. At once: skein task retry "
            "{taskId}, or never: skein task cancel {taskId}\n]]"
            "[type=approval:Decide: skein inbox allow {id}, or deny\n]"
            "[type=question:Answer: skein inbox reply {id} TEXT\n]"
            "[type=briefing:Answer: skein inbox reply {id} TEXT\n]]");
    return SKEIN_OK;
}

skein_rc skn_cmd_inbox_show(skn_cli *cli)
{
    const skn_json *item;
    skn_door_body   b;
    skein_rc        rc = need_item(cli, 0, true, &item);

    if (!rc && !cli->dry_run && !skn_has(item, "readAt")) {
        skn_jw_kbool(skn_door_body_begin(cli, &b), "read", true);
        rc = skn_send(cli, &b, "PATCH", item, ITEM, &item);
    }
    if (rc)
        return rc;
    return (cli->json ? skn_door_item(cli, item) : show_item(cli, item));
}

/* --- Changing ----------------------------------------------------------------------------- */

/* All are looked up before any is changed: numbers count what is listed, and a change shifts them. */
skein_rc skn_cmd_inbox_mark(skn_cli *cli)
{
    bool            done = skn_verb_is(cli, "done");
    skn_json_list   items = {0};
    const skn_json *item;
    skn_door_body   b;
    skein_rc        rc = SKEIN_OK;

    for (size_t i = 0; i < cli->arg_count && !rc; i++)
        if (!(rc = need_item(cli, i, true, &item)))
            skn_vec_add(cli->keep, &items, item);
    if (rc)
        return rc;
    skn_list_begin(cli);
    for (size_t i = 0; i < items.n && !rc; i++) {
        if (!cli->dry_run) {
            skn_jw_kbool(skn_door_body_begin(cli, &b), "done", done);
            rc = skn_send(cli, &b, "PATCH", items.p[i], ITEM, &items.p[i]);
        }
        rc = skn_tell(
            cli, rc, items.p[i],
            done ? "[.dry:{id} would be done.\n][!.dry:{id} is done. Take it back with "
                   "\"skein inbox reopen {id}\".\n]"
                 : "{id} [.dry:would be][!.dry:is] open again.\n");
    }
    skn_list_done(cli, rc);
    return rc;
}

skein_rc skn_cmd_inbox_snooze(skn_cli *cli)
{
    const skn_json *item;
    skn_door_body   b;
    skn_str         text = skn_arg(cli, 1);
    int64_t         ms = 0, until;
    skein_rc        rc;

    if (!skn_str_is(text, "off") &&
        (!skn_amount_duration(text, &ms) || ms <= 0 || ms > SNOOZE_MOST))
        return skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" is not a time to wait: 30m, 2h, 3d",
                        SKN_FMT(text));
    until = ms ? skn_clock_micros() + ms * 1000 : 0;
    if ((rc = need_item(cli, 0, true, &item)))
        return rc;
    if (!cli->dry_run) {
        skn_jw_ktime(skn_door_body_begin(cli, &b), "snoozedUntil", until);
        if ((rc = skn_send(cli, &b, "PATCH", item, ITEM, &item)))
            return rc;
    }
    if (cli->json || !ms)
        return skn_tell(cli, rc, item, "{id} [.dry:would be][!.dry:is] shown again.\n");
    skn_say(cli, item, "{id} [.dry:would be][!.dry:is] hidden until ");
    skn_print_time(cli, until);
    skn_say(cli, item, ". Sooner with \"skein inbox snooze {id} off\".\n");
    return rc;
}

/* --- Answering ---------------------------------------------------------------------------- */

static void say_answered(skn_cli *cli, const skn_json *item, const skn_json *told, bool allowed)
{
    skn_say(cli, told,
            "[message.messageId:Sent to {item.agent} as {message.messageId}. {item.id} is "
            "[item.doneAt:done][!item.doneAt:answered].\n][!message.messageId:{item.id}: ]");
    if (skn_has(told, "message.messageId"))
        return;
    skn_say(cli, item,
            allowed ? "[tool:{agent} may call {tool}.\n]"
                      "[!tool:it goes on until the end of the month.\n]"
                    : "[tool:{agent} may not call {tool}.\n][!tool:it stays stopped.\n]");
}

static skein_rc answer_item(skn_cli *cli, const skn_json *item, const char *member,
                            skn_str text)
{
    const skn_json *told;
    skn_door_body   b;
    skein_rc        rc;

    if (skn_dry(cli, item, "answer {id}"))
        return SKEIN_OK;
    skn_jw_kstr(skn_door_body_begin(cli, &b), member, text);
    if ((rc = skn_send(cli, &b, "POST", item, ITEM "/answer", &told)) || cli->json)
        return rc ? rc : skn_door_item(cli, told);
    say_answered(cli, item, told, skn_str_is(text, "allow"));
    if (skn_has(item, "tool"))
        skn_note_nobody(cli, skn_json_str(item, "agent"), "goes on");
    return SKEIN_OK;
}

skein_rc skn_cmd_inbox_reply(skn_cli *cli)
{
    const skn_json *item;
    skn_str         text, id;
    skein_rc        rc = need_item(cli, 0, true, &item);

    if (rc)
        return rc;
    if (skn_is(item, "type", "approval")) {
        id = skn_json_str(item, "id");
        skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" asks for a yes or no", SKN_FMT(id));
        return skn_hint(&cli->err, SKEIN_USAGE,
                        "\"skein inbox allow %.*s\" or \"skein inbox deny %.*s\"", SKN_FMT(id),
                        SKN_FMT(id));
    }
    rc = skn_arg_text(cli, 1, &text);
    return (rc ? rc : answer_item(cli, item, "text", text));
}

skein_rc skn_cmd_inbox_decide(skn_cli *cli)
{
    const skn_json *item;
    skein_rc        rc = need_item(cli, 0, false, &item);

    if (!rc && !skn_is(item, "type", "approval"))
        rc = skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" is a %.*s, it asks for no permission",
                      SKN_FMT(skn_json_str(item, "id")), SKN_FMT(skn_json_str(item, "type")));
    return rc ? rc
              : answer_item(cli, item, "decision",
                            skn_verb_is(cli, "allow") ? SKN_STR("allow") : SKN_STR("deny"));
}
