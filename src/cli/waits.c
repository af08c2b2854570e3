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

skein_rc skn_print_decisions(skn_cli *cli, skn_str message_uid)
{
    const skein_inbox_query what = {
        .kind = SKN_STR("approval"), .done = -1, .limit = DECISIONS_MOST};
    skein_inbox all;
    skein_rc    rc;

    if (!message_uid.n)
        return SKEIN_OK;
    rc = skn_far_inbox(cli, &what, &all);
    for (size_t i = 0; !rc && i < all.count; i++)
        if (skn_str_eq(all.at[i].work_message_uid, message_uid))
            print_decision(cli, &all.at[i]);
    return rc;
}

bool skn_call_not_run(const skein_message *m)
{
    return m->tool_failed && skn_str_starts(m->content, SKN_STR("not run: "));
}

void skn_turns_here(skn_cli *cli, skn_json_list *out)
{
    skein_error     before = cli->err;
    const skn_json *told = NULL, *busy = NULL;

    if (!skn_far_get(cli, &told, "%s/status", cli->door->world))
        busy = skn_json_get(told, "busy");
    cli->err = before;
    for (const skn_json *t = busy ? busy->first : NULL; t; t = t->next)
        if (skn_str_eq(skn_far_text(t, "chatId"), cli->door->chat_uid))
            skn_vec_add(cli->keep, out, t);
}

/* A limit of spending has no item of its own turn; it is in the inbox too. */
static bool note_waits(skn_cli *cli, const skn_json *turn)
{
    skn_str agent = skn_far_text(turn, "agent"), item = skn_far_text(turn, "inboxId");

    if (item.n)
        skn_note(cli, "%.*s waits for your answer: skein inbox allow %.*s (or deny)",
                 SKN_FMT(agent), SKN_FMT(item));
    else if (skn_far_flag(turn, "waitsForPerson"))
        skn_note(cli, "%.*s waits for your answer: skein inbox", SKN_FMT(agent));
    else
        return false;
    return true;
}

void skn_note_queued(skn_cli *cli)
{
    skn_json_list turns = {0};
    bool          any = false;

    skn_turns_here(cli, &turns);
    for (size_t i = 0; i < turns.n; i++)
        any = note_waits(cli, turns.p[i]) || any;
    skn_note(cli, any ? "The message is queued: it is said when that is answered."
                      : "Agents are at work: it waits until they are done.");
}
