#include "cli/waits.h"

#include "cli/far_inbox.h"
#include "cli/print.h"

enum { DECISIONS_MOST = 1000, RESULT_SHOWN = 100 };

void skn_print_waits(skn_cli *cli, skn_str inbox_uid)
{
    if (inbox_uid.n)
        skn_print(cli, ": skein inbox allow %.*s, or deny", SKN_FMT(inbox_uid));
}

void skn_print_until(skn_cli *cli, int64_t until)
{
    if (!until)
        return;
    skn_print(cli, ", until ");
    skn_print_time(cli, until);
}

/* "demo_lookup: allowed, not run: …" */
static void print_decision(skn_cli *cli, const skein_inbox_item *item)
{
    skn_print_line(cli, item->tool, 0);
    if (item->open) {
        skn_print_raw(cli, SKN_STR(" waits for you"));
        skn_print_waits(cli, item->uid);
        if (item->definition_state.n)
            skn_print(cli, "; what the tool is: skein inbox show %.*s", SKN_FMT(item->uid));
    } else {
        skn_print_raw(cli, SKN_STR(": "));
        skn_print_line(cli, item->answer, 0);
        skn_print_raw(cli,
                      item->result.n ? SKN_STR("; ") : SKN_STR(", nothing came of it yet"));
        skn_print_line(cli, item->result, RESULT_SHOWN);
    }
    skn_print_raw(cli, SKN_STR("\n"));
}

skein_rc skn_print_decisions(skn_cli *cli, skein_world_id world, skn_str message_uid)
{
    const skein_inbox_query what = {
        .world = world, .kind = SKN_STR("approval"), .done = -1, .limit = DECISIONS_MOST};
    skein_inbox all;
    skein_rc    rc;

    if (!message_uid.n)
        return SKEIN_OK;
    rc = cli->far ? skn_far_inbox(cli, &what, &all)
                  : skein_inbox_list(cli->engine, &what, cli->keep, &all, &cli->err);
    for (size_t i = 0; !rc && i < all.count; i++)
        if (skn_str_eq(all.at[i].work_message_uid, message_uid))
            print_decision(cli, &all.at[i]);
    return rc;
}

bool skn_call_not_run(const skein_message *m)
{
    return m->tool_failed && skn_str_starts(m->content, SKN_STR("not run: "));
}

/* A limit of spending has no item of its own turn; it is in the inbox too. */
static bool note_waits(skn_cli *cli, const skein_turn *t)
{
    if (t->inbox_uid.n)
        skn_note(cli, "%.*s waits for your answer: skein inbox allow %.*s (or deny)",
                 SKN_FMT(t->agent_name), SKN_FMT(t->inbox_uid));
    else if (t->waits == SKEIN_WAITS_FOR_PERSON)
        skn_note(cli, "%.*s waits for your answer: skein inbox", SKN_FMT(t->agent_name));
    else
        return false;
    return true;
}

static bool note_near(skn_cli *cli, skein_conversation_id chat)
{
    skein_turns turns;
    bool        any = false;

    if (skein_turns_open(cli->engine, (skein_world_id){0}, chat, cli->keep, &turns, NULL))
        return false;
    for (size_t i = 0; i < turns.count; i++)
        any = note_waits(cli, &turns.at[i]) || any;
    return any;
}

/* That it cannot be asked now is no failure: the message waits all the same. */
static bool note_far(skn_cli *cli)
{
    const skein_inbox_query what = {.limit = DECISIONS_MOST};
    skein_error             err = cli->err;
    skein_inbox             all = {.count = 0};
    bool                    any = false;

    if (skn_far_inbox(cli, &what, &all))
        cli->err = err;
    for (size_t i = 0; i < all.count; i++) {
        skein_turn t = {.agent_name = all.at[i].agent, .inbox_uid = all.at[i].uid};

        if (all.at[i].open && skn_str_is(all.at[i].kind, "approval") &&
            skn_str_eq(all.at[i].chat_uid, cli->far->chat_uid))
            any = note_waits(cli, &t);
    }
    return any;
}

void skn_note_queued(skn_cli *cli, skein_conversation_id chat)
{
    bool any = cli->far ? note_far(cli) : note_near(cli, chat);

    skn_note(cli, any ? "The message is queued: it is said when that is answered."
                      : "Agents are at work: it waits until they are done.");
}
