/* Changes that make a version: amend, insert, rm, move, and the edit that sends again. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/await.h"
#include "cli/discover.h"
#include "cli/far_change.h"
#include "cli/unanswered.h"

#include <inttypes.h>
#include <string.h>

#define REF_LEAST       4 /* characters of an id that may stand for it */
#define PREVIEW_SENDER  8
#define PREVIEW_COLUMNS 60

skein_rc skn_need_state(skn_cli *cli, const skein_conversation *chat, const char *text,
                        skein_at *out)
{
    const char   *dot = strrchr(text, '.');
    skein_version version;
    int64_t       length;
    skein_rc      rc;

    if (!dot || !skn_str_int(skn_str_of(dot + 1), &length) || length < 0) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not a state of a conversation", text);
        return skn_hint(&cli->err, SKEIN_USAGE, "States look like v7.12: version and length");
    }
    rc = skn_need_version(cli, chat,
                          skn_arena_copy(cli->keep, (skn_str){text, (size_t)(dot - text)}).p,
                          &version);
    out->thread = rc ? (skein_thread_id){0} : version.thread;
    out->length = length;
    if (!rc)
        cli->door->match = skn_arena_printf(cli->keep, "\"%.*s.%" PRId64 "\"",
                                            SKN_FMT(version.thread_uid), length)
                               .p;
    return rc;
}

void skn_keep_state(skn_cli *cli, const skein_conversation *chat)
{
    cli->more.current =
        skn_arena_printf(cli->keep, "%.*s.%" PRId64, SKN_FMT(chat->thread_uid), chat->length).p;
}

/* A message named by its place, as the id that stays when others come behind it. */
static skein_rc fix_place(skn_cli *cli, const skein_conversation *chat, const char **ref)
{
    skein_message m;
    skein_rc      rc;

    if (!*ref || **ref != '@')
        return SKEIN_OK;
    if (!(rc = skn_need_message(cli, chat, skn_str_of(*ref), &m)))
        *ref = skn_arena_copy(cli->keep, m.uid).p;
    return rc;
}

static skein_rc fix_places(skn_cli *cli, const skein_conversation *chat)
{
    static const char *const options[] = {"before", "from"};
    skein_rc                 rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < cli->arg_count; i++)
        rc = fix_place(cli, chat, &cli->args[i]);
    for (size_t i = 0; !rc && i < sizeof options / sizeof *options; i++) {
        const char *given = skn_opt(cli, options[i]), *fixed = given;

        if (!(rc = fix_place(cli, chat, &fixed)) && fixed != given)
            skn_opt_give(cli, options[i], fixed);
    }
    return rc;
}

/* "@" is the last message now; what the agents say meanwhile is part of the conversation then. */
static skein_rc wait_for(skn_cli *cli, skein_conversation *chat)
{
    skein_world world;
    skein_rc    rc = fix_places(cli, chat);

    if (!rc)
        rc = cli->far ? skn_far_wait_idle(cli) : skn_wait_idle(cli, chat->id);
    return rc ? rc : skn_need_chat(cli, &world, chat);
}

static skein_rc find_newest(skn_cli *cli)
{
    skein_versions all;
    skein_rc       rc = skn_far_history(cli, &all);

    for (size_t i = 0; !rc && i < all.count; i++)
        if (all.at[i].number > cli->newest)
            cli->newest = all.at[i].number;
    return rc;
}

/* A key may be of a change that was made before: that is told by the number of its version. */
static bool was_made(const skn_cli *cli, int64_t version)
{
    return version <= cli->newest;
}

bool skn_say_made(skn_cli *cli, int64_t version, skn_str what)
{
    if (!was_made(cli, version))
        return false;
    skn_print(cli, "This was done already and made v%" PRId64 "%s", version,
              what.n ? ": " : "");
    skn_print_line(cli, what, 0);
    skn_print_raw(cli, SKN_STR(". Nothing was changed now.\n"));
    return true;
}

skein_rc skn_need_change(skn_cli *cli, skein_world *world, skein_conversation *chat,
                         skein_change *how)
{
    const char *expect = skn_opt(cli, "expect");
    skein_rc    rc = skn_need_chat(cli, world, chat);

    if (rc)
        return rc;
    if (skn_opt(cli, "wait") && !cli->dry_run && (rc = wait_for(cli, chat)))
        return rc;
    skn_keep_state(cli, chat);
    cli->changing_world = skn_arena_copy(cli->keep, world->name).p;
    *how = (skein_change){.conversation = chat->id,
                          .actor = skn_str_of(skn_opt(cli, "as")),
                          .dry_run = cli->dry_run,
                          .force = skn_opt(cli, "force"),
                          .key = skn_str_of(skn_opt(cli, "key"))};
    if (how->key.n && !how->dry_run && (rc = find_newest(cli)))
        return rc;
    return expect ? skn_need_state(cli, chat, expect, &how->expect) : SKEIN_OK;
}

/* What became of the conversation, for a person. */
static void say_version(skn_cli *cli, const skein_conversation *before, const skein_version *v)
{
    skn_str what = v->note.n ? v->note : v->kind;

    if (cli->dry_run) {
        skn_print(cli, "Would make a new version of v%" PRId64 " with %" PRId64 " message%s: ",
                  before->version, v->length, skn_plural(v->length));
        skn_print_line(cli, what, 0);
        skn_print_raw(cli, SKN_STR(". Nothing was changed.\n"));
        return;
    }
    if (skn_say_made(cli, v->number, what))
        return;
    skn_print(cli, "v%" PRId64 " → v%" PRId64 ": ", before->version, v->number);
    skn_print_line(cli, what, 0);
    skn_print(cli, ". Undo with \"skein undo\".\n");
}

static skein_rc version_out(skn_cli *cli, const skein_conversation *before,
                            const skein_version *v, skn_str message, skn_str original)
{
    skn_jw *w;

    if (!cli->json) {
        say_version(cli, before, v);
        return SKEIN_OK;
    }
    w = skn_item(cli);
    skn_jw_object(w);
    skn_shape_thread_members(w, v);
    if (message.p)
        skn_jw_kstr(w, "messageId", message);
    if (original.p)
        skn_jw_kstr(w, "originalMessageId", original);
    skn_jw_object_end(w);
    return skn_item_end(cli);
}

int skn_cmd_amend(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skein_message      target, edited = {.id = {0}};
    skein_version      version;
    skn_str            text;
    skein_rc           rc = skn_need_change(cli, &world, &chat, &how);

    if (rc || (rc = skn_need_message(cli, &chat, skn_arg(cli, 0), &target)) ||
        (rc = skn_need_text(cli, target.content, &text)) ||
        (rc = skn_far_amend(cli, &how, target.uid, text, &version, &edited)))
        return (int)rc;
    return (int)version_out(cli, &chat, &version, edited.uid, target.uid);
}

/* --before ID, or --end; absent stands for the end. */
static skein_rc where(skn_cli *cli, const skein_conversation *chat, skn_str *out)
{
    const char   *before = skn_opt(cli, "before");
    skein_message m = {.uid = SKN_NONE};
    skein_rc      rc = SKEIN_OK;

    if (!before == !skn_opt(cli, "end"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"skein %s\" needs either --before ID or --end", cli->command->name);
    if (before)
        rc = skn_need_message(cli, chat, skn_str_of(before), &m);
    *out = m.uid;
    return rc;
}

int skn_cmd_insert(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skn_str            before;
    skein_message      inserted = {.id = {0}};
    skein_version      version;
    skn_str            text;
    skein_rc           rc = skn_need_change(cli, &world, &chat, &how);

    if (rc || (rc = where(cli, &chat, &before)) ||
        (rc = skn_need_text(cli, SKN_STR(""), &text)) ||
        (rc = skn_far_insert(cli, &how, before, text, &version, &inserted)))
        return (int)rc;
    return (int)version_out(cli, &chat, &version, inserted.uid, SKN_NONE);
}

int skn_cmd_move(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skn_uids           ids;
    skn_str            before;
    skein_version      version;
    skein_rc           rc = skn_need_change(cli, &world, &chat, &how);

    if (rc || (rc = where(cli, &chat, &before)) ||
        (rc = skn_need_messages(cli, &chat, 0, &ids)) ||
        (rc = skn_far_reorder(cli, &how, &ids, before, &version)))
        return (int)rc;
    return (int)version_out(cli, &chat, &version, SKN_NONE, SKN_NONE);
}

/* --- Removal ------------------------------------------------------------------------------ */

static void say_preview(skn_cli *cli, const skein_removal *r)
{
    for (size_t i = 0; i < r->preview_count; i++) {
        const skein_removal_line *m = &r->preview[i];

        if (r->preview_skipped && i + 1 == r->preview_count)
            skn_print(cli, "  … %" PRId64 " more …\n", r->preview_skipped);
        skn_print_raw(cli, SKN_STR("  "));
        skn_print_sender(cli, m->sender, PREVIEW_SENDER);
        skn_print_raw(cli, SKN_STR(" "));
        skn_print_line(cli, m->text, PREVIEW_COLUMNS);
        skn_print_raw(cli, SKN_STR("\n"));
    }
}

static void say_count(skn_cli *cli, const skein_removal *r)
{
    if (!r->count) { /* it stands in a delegation only */
        skn_print(cli,
                  "This will remove it and what follows it from %" PRId64 " delegation%s, and "
                  "nothing from the room.\n",
                  r->delegations, skn_plural(r->delegations));
        say_preview(cli, r);
        skn_print(cli, "Nothing is lost: undo with \"skein undo\".\n");
        return;
    }
    skn_print(cli,
              "This will remove %" PRId64 " message%s (including this one) from the current "
              "version:\n  ",
              r->count, skn_plural(r->count));
    for (size_t i = 0; i < r->by_sender_count; i++) {
        skn_print_raw(cli, i ? SKN_STR(", ") : SKN_STR(""));
        skn_print_line(cli, skn_sender_name(r->by_sender[i].name), 0);
        skn_print(cli, " %" PRId64, r->by_sender[i].count);
    }
    if (r->delegations)
        skn_print(cli, "; %" PRId64 " delegation%s", r->delegations,
                  skn_plural(r->delegations));
    if (r->briefings)
        skn_print(cli, "; %" PRId64 " briefing%s", r->briefings, skn_plural(r->briefings));
    skn_print_raw(cli, SKN_STR("\n"));
    say_preview(cli, r);
    if (r->side_effects)
        skn_print(cli, "Tool calls among them: %" PRId64 "; what they did outside stays.\n",
                  r->side_effects);
    skn_print(cli, "Nothing is lost: undo with \"skein undo\".\n");
}

static skein_rc count_out(skn_cli *cli, const skein_world *world,
                          const skein_conversation *chat, const skein_message *target,
                          const skein_removal *r)
{
    if (cli->json) {
        skn_shape_count(skn_item(cli), chat->uid, world->current_chat.v != 0, target, r);
        return skn_item_end(cli);
    }
    say_count(cli, r);
    skn_print_raw(cli, SKN_STR("Nothing was changed (-n).\n"));
    return SKEIN_OK;
}

/* The room, the agents' memories and the delegations lose each their own. */
static void say_removed(skn_cli *cli, const skein_removal *r)
{
    int64_t agents = 0;

    for (size_t i = 0; i < r->by_agent_count; i++)
        agents += r->by_agent[i].count > 0;
    skn_print(cli, "Removed %" PRId64 " message%s from the room", r->count,
              skn_plural(r->count));
    if (agents)
        skn_print(cli, ", also from the memory of %" PRId64 " agent%s", agents,
                  skn_plural(agents));
    if (r->delegations)
        skn_print(cli, ", and from %" PRId64 " delegation%s", r->delegations,
                  skn_plural(r->delegations));
    skn_print_raw(cli, SKN_STR(".\n"));
}

static skein_rc removal_out(skn_cli *cli, const skein_world *world,
                            const skein_conversation *chat, const skein_removal *r)
{
    if (cli->json) {
        skn_shape_removal(skn_item(cli), world->name, chat->uid, r);
        return skn_item_end(cli);
    }
    if (skn_say_made(cli, r->version.number, SKN_STR("")))
        return SKEIN_OK;
    say_removed(cli, r);
    if (r->added.uid.p)
        skn_print(cli, "Sent the edited message as %.*s.\n", SKN_FMT(r->added.uid));
    skn_print(cli,
              "Now at v%" PRId64 ". What was removed is in v%" PRId64
              "; undo with \"skein undo\".\n",
              r->version.number, r->previous.number);
    return SKEIN_OK;
}

/* On a terminal the person sees what goes before it goes. */
static skein_rc ask_removal(skn_cli *cli, const skein_change *how, skn_str target)
{
    skein_change  look = *how;
    skein_removal r;
    skein_rc      rc;

    if (!cli->out.terminal || cli->yes || cli->dry_run || cli->json)
        return SKEIN_OK;
    look.dry_run = true;
    look.key = SKN_NONE;
    if ((rc = skn_far_remove(cli, &look, target, SKN_NONE, &r)))
        return rc;
    say_count(cli, &r);
    return skn_confirm(cli, "Continue?", false);
}

/* What --from names, or else the argument; it may name a place, which is fixed before the waiting. */
static skn_str first_to_go(const skn_cli *cli)
{
    const char *from = skn_opt(cli, "from");

    return from ? skn_str_of(from) : skn_arg(cli, 0);
}

static int remove_from(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skein_message      target;
    skein_removal      r;
    skein_rc           rc = skn_need_change(cli, &world, &chat, &how);

    if (rc || (rc = skn_need_message(cli, &chat, first_to_go(cli), &target)) ||
        (rc = ask_removal(cli, &how, target.uid)) ||
        (rc = skn_far_remove(cli, &how, target.uid, SKN_NONE, &r)))
        return (int)rc;
    return cli->dry_run ? (int)count_out(cli, &world, &chat, &target, &r)
                        : (int)removal_out(cli, &world, &chat, &r);
}

int skn_cmd_rm(skn_cli *cli)
{
    const char        *from = skn_opt(cli, "from");
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skn_uids           ids;
    skein_version      version;
    skein_rc           rc;

    if (!from == !cli->arg_count)
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"skein rm\" needs either messages or --from ID");
    if (from)
        return remove_from(cli);
    if ((rc = skn_need_change(cli, &world, &chat, &how)) ||
        (rc = skn_need_messages(cli, &chat, 0, &ids)) ||
        (rc = skn_far_delete(cli, &how, &ids, &version)))
        return (int)rc;
    return (int)version_out(cli, &chat, &version, SKN_NONE, SKN_NONE);
}

/* Who has to answer what was sent instead. */
static skein_rc say_responding(skn_cli *cli, skein_message *added)
{
    skein_deliveries list = {NULL, 0};
    skein_rc         rc = skn_far_message(cli, added->uid, added, NULL, &list);
    bool             any = false;

    for (size_t i = 0; !rc && !cli->json && i < list.count; i++) {
        if (skn_str_is(list.at[i].state, "inMemory"))
            continue;
        skn_print(cli, "%s%.*s", any ? ", " : "Agents responding: ", SKN_FMT(list.at[i].agent));
        any = true;
    }
    if (any)
        skn_print_raw(cli, SKN_STR(".\n"));
    return rc;
}

typedef struct editing {
    skein_world        world;
    skein_conversation chat;
    skein_change       how; /* .wake: a server runs, which has it answered */
    skn_server         server;
    skein_message      target;
    skn_str            text;
    int64_t            timeout_ms;
} editing;

static skein_rc prepare_edit(skn_cli *cli, editing *e)
{
    skein_rc rc;

    if ((rc = skn_await_timeout(cli, &e->timeout_ms)) ||
        (rc = skn_need_change(cli, &e->world, &e->chat, &e->how)) ||
        (rc = skn_need_message(
             cli, &e->chat, cli->arg_count ? skn_arg(cli, 0) : SKN_STR("@you"), &e->target)) ||
        (rc = skn_need_text(cli, e->target.content, &e->text)) ||
        (rc = ask_removal(cli, &e->how, e->target.uid)) ||
        (rc = skn_discover(cli, &e->server, &e->how.wake)))
        return rc;
    return SKEIN_OK;
}

static skein_rc send_edit(skn_cli *cli, const editing *e, skein_removal *r)
{
    return skn_far_remove(cli, &e->how, e->target.uid, e->text, r);
}

/* The stream of events is opened first, so that nothing is missed of what the edit causes. */
static int edit_and_wait(skn_cli *cli, const editing *e)
{
    skein_removal r;
    skn_await     w;
    int           status;

    skn_await_init(&w, cli, &e->world, &e->chat, &e->server);
    if (!(status = (int)skn_await_open(&w)) && !(status = (int)send_edit(cli, e, &r)) &&
        !(status = (int)removal_out(cli, &e->world, &e->chat, &r)) &&
        !was_made(cli, r.version.number)) { /* else it was answered long ago */
        skn_await_message(&w, r.added.uid);
        status = skn_await_answers(&w, e->timeout_ms);
    }
    skn_await_release(&w);
    return status;
}

static int edit(skn_cli *cli)
{
    editing       e;
    skein_removal r;
    skein_rc      rc = prepare_edit(cli, &e);

    if (rc)
        return (int)rc;
    if (e.how.wake && !cli->dry_run && !skn_opt(cli, "no-wait"))
        return edit_and_wait(cli, &e);
    if ((rc = send_edit(cli, &e, &r)))
        return (int)rc;
    if (cli->dry_run)
        return (int)count_out(cli, &e.world, &e.chat, &e.target, &r);
    if ((rc = removal_out(cli, &e.world, &e.chat, &r)) || e.how.wake)
        return rc ? (int)rc : (int)say_responding(cli, &r.added);
    skn_note(cli, "%s: nobody answers.", skn_nobody_runs(cli));
    return 0;
}

static bool is_part(skn_str id, skn_str ref)
{
    return ref.n >= REF_LEAST && (skn_str_starts(id, ref) || skn_str_ends(id, ref));
}

/* The newest that is meant, halves or others; *other is one of another message that may be meant as well. */
static const skein_edit_error *pick_failed(const skein_edit_errors *all, skn_str ref, bool half,
                                           const skein_edit_error **other)
{
    const skein_edit_error *found = NULL;

    *other = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const skein_edit_error *f = &all->at[i];

        if (skn_str_starts(f->uid, SKN_STR(SKEIN_EDIT_HALF)) != half)
            continue;
        if (skn_str_eq(f->uid, ref) || skn_str_eq(f->message_uid, ref)) {
            *other = NULL;
            return f;
        }
        if (!is_part(f->uid, ref) && !is_part(f->message_uid, ref))
            continue;
        if (found && !skn_str_eq(found->message_uid, f->message_uid))
            *other = f;
        found = found ? found : f;
    }
    return found;
}

static skein_rc refuse_half(skn_cli *cli, const skein_edit_error *half)
{
    skn_fail(&cli->err, SKEIN_CONFLICT,
             "the messages of this edit were removed already, and its new text never came");
    return skn_hint(&cli->err, SKEIN_CONFLICT, "Put them back: skein undo -c %.*s",
                    SKN_FMT(half->chat_uid));
}

static skein_rc refuse_several(skn_cli *cli, skn_str one, skn_str other)
{
    skn_fail(&cli->err, SKEIN_INVALID,
             "several failed edits have such an id: \"%.*s\", \"%.*s\"", SKN_FMT(one),
             SKN_FMT(other));
    return skn_hint(&cli->err, SKEIN_INVALID, "Give more characters of the id.");
}

/* The failed edit of a message, or with this id, or a beginning or an end of either; the newest, when a message has several.
 * Half an edit is meant only where nothing else can be. */
static skein_rc find_failed(skn_cli *cli, skein_edit_error *out)
{
    const skein_edit_error *found, *other;
    skn_str                 ref = skn_arg(cli, 0);
    skein_edit_errors       all;
    skein_world             world;
    skein_rc                rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_far_edit_errors(cli, &all)))
        return rc;
    if ((found = pick_failed(&all, ref, false, &other)) && other)
        return refuse_several(cli, found->message_uid, other->message_uid);
    if (found) {
        *out = *found;
        return SKEIN_OK;
    }
    if ((found = pick_failed(&all, ref, true, &other)))
        return refuse_half(cli, found);
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "no edit of \"%.*s\" failed in %.*s", SKN_FMT(ref),
             SKN_FMT(world.name));
    return skn_hint(&cli->err, SKEIN_NOT_FOUND, "Edit it as usual: skein edit %.*s",
                    SKN_FMT(ref));
}

/* Where it stands is known from the failure; without a text what has to go goes, and nothing is sent. */
static int edit_again(skn_cli *cli)
{
    skein_edit_error failed;
    skein_rc         rc = find_failed(cli, &failed);

    if (rc)
        return (int)rc;
    cli->args[0] = skn_arena_copy(cli->keep, failed.message_uid).p;
    skn_opt_give(cli, "conversation", skn_arena_copy(cli->keep, failed.chat_uid).p);
    if (skn_opt(cli, "message") || skn_opt(cli, "file"))
        return edit(cli);
    return remove_from(cli);
}

int skn_cmd_edit(skn_cli *cli)
{
    if (!skn_opt(cli, "retry-failed"))
        return edit(cli);
    if (!cli->arg_count)
        return (int)skn_fail(&cli->err, SKEIN_USAGE, "\"--retry-failed\" needs ID");
    return edit_again(cli);
}
