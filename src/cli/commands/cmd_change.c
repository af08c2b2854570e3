/* Changes that make a version: amend, insert, rm, move, and the edit that sends again. */
#include "cli/commands.h"

#include "cli/answers.h"
#include "cli/unanswered.h"

#include <inttypes.h>

skein_rc skn_need_state(skn_cli *cli, const skein_conversation *chat, const char *text)
{
    const char   *dot = strrchr(text, '.');
    skein_version version;
    int64_t       length;
    skein_rc      rc;

    if (!dot || !skn_str_int(skn_str_of(dot + 1), &length) || length < 0)
        return skn_fail_hint(&cli->err, SKEIN_USAGE,
                             "States look like v7.12: version and length",
                             "\"%s\" is not a state of a conversation", text);
    rc = skn_need_version(cli, chat,
                          skn_arena_copy(cli->keep, (skn_str){text, (size_t)(dot - text)}).p,
                          &version);
    if (!rc)
        cli->door->match = skn_arena_text(cli->keep, "\"%.*s.%" PRId64 "\"",
                                          SKN_FMT(version.thread_uid), length);
    return rc;
}

void skn_keep_state(skn_cli *cli, const skein_conversation *chat)
{
    cli->more.current = skn_arena_text(cli->keep, "%.*s.%" PRId64, SKN_FMT(chat->thread_uid),
                                       chat->length);
}

/* A message named by its place, as the id that stays when others come behind it. */
static skein_rc fix_place(skn_cli *cli, const char **ref)
{
    skein_message m;
    skein_rc      rc;

    if (!*ref || **ref != '@')
        return SKEIN_OK;
    if (!(rc = skn_need_message(cli, skn_str_of(*ref), &m)))
        *ref = skn_arena_copy(cli->keep, m.uid).p;
    return rc;
}

static skein_rc fix_places(skn_cli *cli)
{
    static const char *const options[] = {"before", "from"};
    skein_rc                 rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < cli->arg_count; i++)
        rc = fix_place(cli, &cli->args[i]);
    for (size_t i = 0; !rc && i < sizeof options / sizeof *options; i++) {
        const char *given = skn_opt(cli, options[i]), *fixed = given;

        if (!(rc = fix_place(cli, &fixed)) && fixed != given)
            skn_opt_give(cli, options[i], fixed);
    }
    return rc;
}

/* "@" is the last message now; what the agents say meanwhile is part of the conversation then. */
static skein_rc wait_for(skn_cli *cli, skein_conversation *chat)
{
    skein_rc rc = fix_places(cli);

    if (!rc)
        rc = skn_wait_idle(cli);
    return rc ? rc : skn_need_chat(cli, NULL, chat);
}

static skein_rc find_newest(skn_cli *cli)
{
    skn_json_list all = {0};
    skein_rc      rc = skn_read_all(cli, NULL, "{chat}/threads", 0, &all);

    for (size_t i = 0; !rc && i < all.n; i++)
        if (skn_door_int(all.p[i], "number", 0) > cli->newest)
            cli->newest = skn_door_int(all.p[i], "number", 0);
    return rc;
}

/* A key may be of a change that was made before: the number of its version tells that. */
static bool was_made(const skn_cli *cli, skn_str version)
{
    return skn_door_version_number(version) <= cli->newest;
}

bool skn_say_made(skn_cli *cli, skn_str version, skn_str what)
{
    if (!was_made(cli, version))
        return false;
    skn_print(cli, "This was done already and made %.*s%s", SKN_FMT(version),
              what.n ? ": " : "");
    skn_print_line(cli, what, 0);
    skn_print_raw(cli, SKN_STR(". Nothing was changed now.\n"));
    return true;
}

skein_rc skn_need_change(skn_cli *cli, skein_world *world, skein_conversation *chat)
{
    const char        *expect = skn_opt(cli, "expect");
    skein_world        own_world;
    skein_conversation own;
    skein_rc           rc;

    world = world ? world : &own_world;
    chat = chat ? chat : &own;
    if ((rc = skn_need_chat(cli, world, chat)))
        return rc;
    if (skn_opt(cli, "wait") && !cli->dry_run && (rc = wait_for(cli, chat)))
        return rc;
    skn_keep_state(cli, chat);
    cli->changing_world = skn_arena_copy(cli->keep, world->name).p;
    if (skn_opt(cli, "key") && !cli->dry_run && (rc = find_newest(cli)))
        return rc;
    return expect ? skn_need_state(cli, chat, expect) : SKEIN_OK;
}

skn_jw *skn_change_begin(skn_cli *cli, skn_door_body *b, bool look)
{
    skn_jw *w = skn_door_body_begin(cli, b);

    if (look) /* is not what the key is for */
        b->key = SKN_NONE;
    if (skn_opt(cli, "as"))
        skn_jw_kstr(w, "by", skn_str_of(skn_opt(cli, "as")));
    if (look)
        skn_jw_kbool(w, "dryRun", true);
    if (skn_opt(cli, "force"))
        skn_jw_kbool(w, "force", true);
    return w;
}

void skn_body_ids(skn_jw *w, const char *member, const skn_uids *ids)
{
    skn_jw_kstrs(w, member, ids->p, ids->n);
}

const char *skn_message_path(skn_cli *cli, skn_str uid, const char *rest)
{
    return skn_arena_text(cli->keep, "%s/messages/%s%s", cli->door->world,
                          skn_door_part(cli, uid), rest);
}

skein_rc skn_message_told(skn_cli *cli, skn_str uid, const skn_json **out)
{
    return skn_door_get(cli, out, "%s?chatId=%s", skn_message_path(cli, uid, ""),
                        skn_door_part(cli, cli->door->chat_uid));
}

/* --- Operations --------------------------------------------------------------------------- */

static skn_jw *operation(skn_cli *cli, skn_door_body *b, const char *op)
{
    skn_jw *w = skn_change_begin(cli, b, cli->dry_run);

    skn_jw_kstr(w, "op", skn_str_of(op));
    return w;
}

/* Shows the result of the change to a person. */
static void say_version(skn_cli *cli, const skein_conversation *before, const skn_json *v)
{
    skn_str what = skn_json_str(v, skn_has(v, "note") ? "note" : "operation");

    if (!cli->dry_run && skn_say_made(cli, skn_json_str(v, "version"), what))
        return;
    skn_print(cli, cli->dry_run ? "Would make a new version of v%" PRId64 : "v%" PRId64 " → ",
              before->version);
    skn_say(cli, v,
            "[.dry: with {length} message{length s}][!.dry:{version}]: "
            "[note:{line note}][!note:{line operation}]. "
            "[.dry:Nothing was changed.][!.dry:Undo with \"skein undo\".]\n");
}

/* `original`: the message that another one stands for now; absent: none. */
static skein_rc operate(skn_cli *cli, skn_door_body *b, const skein_conversation *before,
                        skn_str original)
{
    const skn_json *v;
    skn_jw         *w;
    skein_rc        rc = skn_send(cli, b, "POST", NULL, "{chat}/operations", &v);

    if (rc)
        return rc;
    if (!cli->json) {
        say_version(cli, before, v);
        return SKEIN_OK;
    }
    w = skn_item_with(cli, v);
    skn_jw_kgiven(w, "originalMessageId", original);
    return skn_item_close(cli);
}

skein_rc skn_cmd_amend(skn_cli *cli)
{
    skein_conversation chat;
    skein_message      target;
    skn_door_body      b;
    skn_str            text;
    skein_rc           rc = skn_need_change(cli, NULL, &chat);

    if (rc || (rc = skn_need_message(cli, skn_arg(cli, 0), &target)) ||
        (rc = skn_need_text(cli, target.content, &text)))
        return rc;
    skn_jw_kstr(operation(cli, &b, "amend"), "messageId", target.uid);
    skn_jw_kstr(&b.w, "content", text);
    return operate(cli, &b, &chat, target.uid);
}

/* --before ID, or --end; absent stands for the end. */
static skein_rc where(skn_cli *cli, skn_str *out)
{
    const char   *before = skn_opt(cli, "before");
    skein_message m = {.uid = SKN_NONE};
    skein_rc      rc = SKEIN_OK;

    if (!before == !skn_opt(cli, "end"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"skein %s\" needs either --before ID or --end", cli->command->name);
    if (before)
        rc = skn_need_message(cli, skn_str_of(before), &m);
    *out = m.uid;
    return rc;
}

skein_rc skn_cmd_insert(skn_cli *cli)
{
    skein_conversation chat;
    skn_door_body      b;
    skn_str            before, text;
    skein_rc           rc = skn_need_change(cli, NULL, &chat);

    if (rc || (rc = where(cli, &before)) || (rc = skn_need_text(cli, SKN_STR(""), &text)))
        return rc;
    skn_jw_kstr(operation(cli, &b, "insert"), "content", text);
    skn_jw_kstr(&b.w, "before", before);
    return operate(cli, &b, &chat, SKN_NONE);
}

skein_rc skn_cmd_move(skn_cli *cli)
{
    skein_conversation chat;
    skn_door_body      b;
    skn_uids           ids;
    skn_str            before;
    skein_rc           rc = skn_need_change(cli, NULL, &chat);

    if (rc || (rc = where(cli, &before)) || (rc = skn_need_messages(cli, 0, &ids)))
        return rc;
    skn_body_ids(operation(cli, &b, "reorder"), "messageIds", &ids);
    skn_jw_kstr(&b.w, "before", before);
    return operate(cli, &b, &chat, SKN_NONE);
}

/* --- Removal ------------------------------------------------------------------------------ */

static void say_preview(skn_cli *cli, const skn_json *r)
{
    for (const skn_json *m = skn_first(r, "preview"); m; m = m->next) {
        if (!m->next)
            skn_say_if(cli, r, "previewSkipped", "  … {previewSkipped} more …\n");
        skn_say(cli, m, "  {sender sender 8} {line text 60}\n");
    }
}

static void say_count(skn_cli *cli, const skn_json *r)
{
    if (!skn_has(r, "count")) { /* it stands in a delegation only */
        skn_say(cli, r,
                "This will remove it and what follows it from {delegations} "
                "delegation{delegations s}, and nothing from the main lane.\n");
        say_preview(cli, r);
        skn_print(cli, "Nothing is lost: undo with \"skein undo\".\n");
        return;
    }
    skn_say(cli, r,
            "This will remove {count} message{count s} (including this one) from the current "
            "version:\n  ");
    for (const skn_json *m = skn_first(r, "byAgent"); m; m = m->next) {
        skn_print_line(cli, skn_sender_name(m->key), 0);
        skn_print(cli, " %.*s%s", SKN_FMT(m->text), m->next ? ", " : "");
    }
    skn_say(cli, r,
            "[delegations:; {delegations} delegation{delegations s}]"
            "[briefings:; {briefings} briefing{briefings s}]\n");
    say_preview(cli, r);
    skn_say(cli, r,
            "[sideEffects:Tool calls among them: {sideEffects}; what they did outside stays.\n]"
            "Nothing is lost: undo with \"skein undo\".\n");
}

static skein_rc count_out(skn_cli *cli, const skn_json *r)
{
    if (cli->json)
        return skn_door_item(cli, r);
    say_count(cli, r);
    skn_print_raw(cli, SKN_STR("Nothing was changed (-n).\n"));
    return SKEIN_OK;
}

/* The main lane, the agents' memories and the delegations lose each their own. */
static void say_removed(skn_cli *cli, const skn_json *r)
{
    int64_t agents = 0;

    for (const skn_json *m = skn_first(r, "removedByAgent"); m; m = m->next)
        agents += !skn_str_is(m->text, "0");
    skn_say(
        cli, r,
        "Removed {messagesRemovedTotal} message{messagesRemovedTotal s} from the main lane");
    if (agents)
        skn_print(cli, ", also from the memory of %" PRId64 " agent%s", agents,
                  skn_plural(agents));
    skn_say(cli, r,
            "[delegations:, and from {delegations} delegation{delegations s}].\n"
            "[newMessageId:Sent the edited message as {newMessageId}.\n]"
            "Now at {version}. What was removed is in {previousVersion}; undo with \"skein "
            "undo\".\n");
}

static skein_rc removal_out(skn_cli *cli, const skn_json *r)
{
    if (cli->json)
        return skn_door_item(cli, r);
    if (skn_say_made(cli, skn_json_str(r, "version"), SKN_NONE))
        return SKEIN_OK;
    say_removed(cli, r);
    return SKEIN_OK;
}

static skein_rc look_at_removal(skn_cli *cli, const skein_message *target, const skn_json **out)
{
    return skn_door_get(cli, out, "%s?chatId=%s", skn_message_path(cli, target->uid, "/count"),
                        skn_door_part(cli, cli->door->chat_uid));
}

/* With a text the message is said again, in the same request; `answer`: agents answer it. */
static skein_rc remove_it(skn_cli *cli, const skein_message *target, skn_str text, bool answer,
                          const skn_json **out)
{
    skn_door_body b;
    skn_jw       *w;

    if (cli->dry_run)
        return look_at_removal(cli, target, out);
    w = skn_change_begin(cli, &b, false);
    skn_jw_kstr(w, "chatId", cli->door->chat_uid);
    skn_jw_kgiven(w, "newContent", text);
    if (text.p && !answer)
        skn_jw_kbool(w, "answer", false);
    return skn_door_send(&b, text.p ? "PUT" : "DELETE", skn_message_path(cli, target->uid, ""),
                         out);
}

/* On a terminal the person sees what goes before it goes. */
static skein_rc ask_removal(skn_cli *cli, const skein_message *target)
{
    const skn_json *r = NULL;
    skein_rc        rc;

    if (!cli->out.terminal || cli->yes || cli->dry_run || cli->json)
        return SKEIN_OK;
    if ((rc = look_at_removal(cli, target, &r)))
        return rc;
    say_count(cli, r);
    return skn_confirm(cli, "Continue?", false);
}

/* What --from names, or else the argument; it may name a place, which is fixed before the waiting. */
static skn_str first_to_go(const skn_cli *cli)
{
    const char *from = skn_opt(cli, "from");

    return from ? skn_str_of(from) : skn_arg(cli, 0);
}

static skein_rc remove_from(skn_cli *cli)
{
    skein_message   target;
    const skn_json *r = NULL;
    skein_rc        rc = skn_need_change(cli, NULL, NULL);

    if (rc || (rc = skn_need_message(cli, first_to_go(cli), &target)) ||
        (rc = ask_removal(cli, &target)) || (rc = remove_it(cli, &target, SKN_NONE, false, &r)))
        return rc;
    return (cli->dry_run ? count_out(cli, r) : removal_out(cli, r));
}

skein_rc skn_cmd_rm(skn_cli *cli)
{
    const char        *from = skn_opt(cli, "from");
    skein_conversation chat;
    skn_door_body      b;
    skn_uids           ids;
    skein_rc           rc;

    if (!from == !cli->arg_count)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"skein rm\" needs either messages or --from ID");
    if (from)
        return remove_from(cli);
    if ((rc = skn_need_change(cli, NULL, &chat)) || (rc = skn_need_messages(cli, 0, &ids)))
        return rc;
    skn_body_ids(operation(cli, &b, "delete"), "messageIds", &ids);
    return operate(cli, &b, &chat, SKN_NONE);
}

/* --- Edit --------------------------------------------------------------------------------- */

/* Who has to answer what was sent instead. */
static skein_rc say_responding(skn_cli *cli, const skn_json *made)
{
    const skn_json *m;
    bool            any = false;
    skein_rc        rc = skn_message_told(cli, skn_json_str(made, "newMessageId"), &m);

    for (const skn_json *d = rc || cli->json ? NULL : skn_first(m, "delivery"); d; d = d->next)
        if (!skn_is(d, "state", "inMemory")) {
            skn_say(cli, d, any ? ", {agent}" : "Agents responding: {agent}");
            any = true;
        }
    if (any)
        skn_print_raw(cli, SKN_STR(".\n"));
    return rc;
}

typedef struct editing {
    skein_world        world;
    skein_conversation chat;
    skn_server         server;
    bool               served; /* a server runs, which has it answered */
    skein_message      target;
    skn_str            text;
    bool               another; /* the target is an answer, and another one is asked for */
    int64_t            timeout_ms;
} editing;

/* Another answer takes the place of the target and of what follows. */
static skein_rc ask_another(skn_cli *cli, const skein_message *target, const skn_json **out)
{
    skn_door_body b;
    skn_jw       *w = skn_change_begin(cli, &b, cli->dry_run);

    skn_jw_kstr(w, "chatId", cli->door->chat_uid);
    skn_jw_kgiven(w, "model", skn_str_of(skn_opt(cli, "model")));
    skn_jw_kbool(w, "tools", !skn_opt(cli, "no-tools"));
    return skn_door_send(&b, "POST", skn_message_path(cli, target->uid, "/alternatives"), out);
}

static skein_rc change_it(skn_cli *cli, const editing *e, bool answer, const skn_json **out)
{
    return e->another ? ask_another(cli, &e->target, out)
                      : remove_it(cli, &e->target, e->text, answer, out);
}

static skein_rc change_out(skn_cli *cli, const editing *e, const skn_json *r)
{
    if (!e->another || cli->json || was_made(cli, skn_json_str(r, "version")))
        return removal_out(cli, r);
    skn_print_sender(cli, e->target.sender, 0);
    skn_say(
        cli, r,
        " answers {answersMessageId} again. Now at {version}; the old answer "
        "[messagesRemovedTotal!=1:and what followed it ]is in {previousVersion}. Back to it "
        "with \"skein undo\".\n");
    return SKEIN_OK;
}

static skein_rc prepare_edit(skn_cli *cli, editing *e)
{
    skein_rc rc;

    if ((rc = skn_await_timeout(cli, &e->timeout_ms)) ||
        (rc = skn_need_change(cli, &e->world, &e->chat)) ||
        (rc = skn_need_message(cli, cli->arg_count ? skn_arg(cli, 0) : SKN_STR("@you"),
                               &e->target)) ||
        (rc = skn_need_text(cli, e->target.content, &e->text)) ||
        (rc = ask_removal(cli, &e->target)) || (rc = skn_discover(cli, &e->server, &e->served)))
        return rc;
    return SKEIN_OK;
}

/* The stream of events is opened first, so that nothing is missed of what the edit causes. */
static skein_rc edit_and_wait(skn_cli *cli, const editing *e)
{
    const skn_json *r = NULL;
    skn_await       w;
    skein_rc        rc;

    skn_await_init(&w, cli, &e->world, &e->chat, &e->server);
    if (!(rc = skn_await_open(&w)) && !(rc = change_it(cli, e, true, &r)) &&
        !(rc = change_out(cli, e, r)) &&
        !was_made(cli, skn_json_str(r, "version"))) { /* else it was answered long ago */
        skn_await_message(&w, skn_json_str(r, e->another ? "cause" : "newMessageId"));
        rc = skn_await_answers(&w, e->timeout_ms);
    }
    skn_await_release(&w);
    return rc;
}

static skein_rc edit(skn_cli *cli)
{
    editing         e = {.another = false};
    const skn_json *r = NULL;
    skein_rc        rc = prepare_edit(cli, &e);

    if (rc)
        return rc;
    if (e.served && !cli->dry_run && !skn_opt(cli, "no-wait"))
        return edit_and_wait(cli, &e);
    if ((rc = remove_it(cli, &e.target, e.text, e.served, &r)))
        return rc;
    if (cli->dry_run)
        return count_out(cli, r);
    if ((rc = removal_out(cli, r)) || e.served)
        return rc ? rc : say_responding(cli, r);
    skn_note(cli, "%s: nobody answers.", skn_nobody_runs(cli));
    return SKEIN_OK;
}

skein_rc skn_retry_answer(skn_cli *cli, const skein_message *answer)
{
    editing         e = {.target = *answer, .another = true};
    const skn_json *r = NULL;
    skein_rc        rc;

    if ((rc = skn_await_timeout(cli, &e.timeout_ms)) ||
        (rc = skn_need_change(cli, &e.world, &e.chat)) ||
        (rc = skn_discover(cli, &e.server, &e.served)))
        return rc;
    if (e.served && !cli->dry_run && !skn_opt(cli, "no-wait"))
        return edit_and_wait(cli, &e);
    if ((rc = ask_another(cli, answer, &r)))
        return rc;
    if (cli->dry_run && cli->json)
        return skn_door_item(cli, r);
    if (cli->dry_run) {
        skn_say(cli, r,
                "Would ask for another answer: {messagesRemovedTotal} "
                "message{messagesRemovedTotal s} would leave the current version. Nothing was "
                "changed.\n");
        return SKEIN_OK;
    }
    if (!(rc = change_out(cli, &e, r)) && !e.served)
        skn_note(cli, "%s: it is answered once %s.", skn_nobody_runs(cli),
                 skn_only_reads(cli) ? "another runs" : "one does");
    return rc;
}

/* The newest that is meant, halves or others; *other is one of another message that may be meant as well. */
static const skn_json *pick_failed(const skn_json_list *all, skn_str ref, bool half,
                                   const skn_json **other)
{
    const skn_json *found = NULL;

    *other = NULL;
    for (size_t i = 0; i < all->n; i++) {
        skn_str id = skn_json_str(all->p[i], "id");
        skn_str message = skn_json_str(all->p[i], "messageId");

        if (skn_str_starts(id, SKN_STR(SKEIN_EDIT_HALF)) != half)
            continue;
        if (skn_str_eq(id, ref) || skn_str_eq(message, ref)) {
            *other = NULL;
            return all->p[i];
        }
        if (!skn_is_part(id, ref) && !skn_is_part(message, ref))
            continue;
        if (found && !skn_str_eq(skn_json_str(found, "messageId"), message))
            *other = all->p[i];
        found = found ? found : all->p[i];
    }
    return found;
}

static skein_rc refuse_half(skn_cli *cli, const skn_json *half)
{
    skn_fail(&cli->err, SKEIN_CONFLICT,
             "the messages of this edit were removed already, and its new text never came");
    return skn_hint(&cli->err, SKEIN_CONFLICT, "Put them back: skein undo -c %.*s",
                    SKN_FMT(skn_json_str(half, "chatId")));
}

static skein_rc refuse_several(skn_cli *cli, skn_str one, skn_str other)
{
    return skn_fail_hint(&cli->err, SKEIN_INVALID, "Give more characters of the id.",
                         "several failed edits have such an id: \"%.*s\", \"%.*s\"",
                         SKN_FMT(one), SKN_FMT(other));
}

/* The failed edit of a message, or with this id, or a beginning or an end of either; the newest, when a message has several.
 * Half an edit is meant only where nothing else can be. */
static skein_rc find_failed(skn_cli *cli, const skn_json **out)
{
    const skn_json    *other, *half;
    skn_str            ref = skn_arg(cli, 0);
    skn_json_list      all = {0};
    skein_message      m;
    skein_world        world;
    skein_conversation chat;
    skein_rc           rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_read_all(cli, NULL, "{world}/edit-errors", 0, &all)))
        return rc;
    if ((*out = pick_failed(&all, ref, false, &other)) && other)
        return refuse_several(cli, skn_json_str(*out, "messageId"),
                              skn_json_str(other, "messageId"));
    if (*out)
        return SKEIN_OK;
    if ((half = pick_failed(&all, ref, true, &other)))
        return refuse_half(cli, half);
    if ((rc = skn_need_chat(cli, NULL, &chat)) || (rc = skn_need_message(cli, ref, &m)))
        return rc;
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "no edit of \"%.*s\" failed in %.*s", SKN_FMT(ref),
             SKN_FMT(world.name));
    return skn_hint(&cli->err, SKEIN_NOT_FOUND, "Edit it as usual: skein edit %.*s",
                    SKN_FMT(skn_shell_word(cli->keep, cli->args[0])));
}

/* Where it stands is known from the failure; without a text what has to go goes, and nothing is sent. */
static skein_rc edit_again(skn_cli *cli)
{
    const skn_json *failed;
    skein_rc        rc = find_failed(cli, &failed);

    if (rc)
        return rc;
    cli->args[0] = skn_arena_copy(cli->keep, skn_json_str(failed, "messageId")).p;
    skn_opt_give(cli, "conversation",
                 skn_arena_copy(cli->keep, skn_json_str(failed, "chatId")).p);
    if (skn_opt(cli, "message") || skn_opt(cli, "file"))
        return edit(cli);
    return remove_from(cli);
}

skein_rc skn_cmd_edit(skn_cli *cli)
{
    if (!skn_opt(cli, "retry-failed"))
        return edit(cli);
    if (!cli->arg_count)
        return skn_fail(&cli->err, SKEIN_USAGE, "\"--retry-failed\" needs ID");
    return edit_again(cli);
}
