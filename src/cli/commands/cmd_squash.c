/* Fewer words for the same: squash, and compaction by hand. */
#include "cli/commands.h"

#include <inttypes.h>

#define SELECT_MOST 1000 /* hits of one search */

/* --- Squashes ----------------------------------------------------------------------------- */

/* A dry run says which messages a squash is made of, in the order of the conversation and with what goes
 * with them. */
static skein_rc squash(skn_cli *cli, const skn_uids *ids, skn_str text, bool look,
                       const skn_json **out)
{
    skn_door_body b;
    skn_jw       *w = skn_change_begin(cli, &b, look);

    skn_body_ids(w, "sourceMessageIds", ids);
    skn_jw_kstr(w, "content", text);
    return skn_send(cli, &b, "POST", NULL, "{chat}/squashes", out);
}

/* "4 messages", or "4 messages (2 chosen, 2 belong to their tool calls)". */
static skn_str size_of(skn_cli *cli, size_t chosen, const skn_json *made)
{
    const skn_json *sources = skn_json_get(made, "sourceMessageIds");
    size_t          squashed = sources ? sources->count : 0;
    size_t          more = squashed > chosen ? squashed - chosen : 0;

    if (!more)
        return skn_arena_printf(cli->keep, "%zu messages", squashed);
    return skn_arena_printf(cli->keep,
                            "%zu messages (%zu chosen, %zu belong%s to their tool calls)",
                            squashed, chosen, more, more == 1 ? "s" : "");
}

/* The messages' own texts, each under its sender's name. */
static skein_rc join_texts(skn_cli *cli, const skn_uids *ids, skn_str *out)
{
    const skn_json *made, *first;
    skein_message   m;
    skn_buf         all;
    skein_rc        rc = squash(cli, ids, SKN_STR("-"), true, &made);

    if (rc)
        return rc;
    skn_buf_init(&all, SKN_TEXT_LIMIT);
    first = skn_first(made, "sourceMessageIds");
    for (const skn_json *id = first; id && !rc; id = id->next) {
        if ((rc = skn_need_message(cli, id->text, &m)))
            break;
        skn_buf_addf(&all, "%s%.*s: ", id != first ? "\n\n" : "", SKN_FMT(m.sender));
        skn_buf_add(&all, m.content);
    }
    if (!rc && all.over)
        rc = skn_fail(&cli->err, SKEIN_LIMIT, "the texts are over %zu bytes together",
                      all.limit);
    *out = rc ? SKN_NONE : skn_arena_copy(cli->keep, skn_buf_str(&all));
    skn_buf_release(&all);
    return rc;
}

/* What is found in the current version of the conversation, outside of delegations. */
static skein_rc select_messages(skn_cli *cli, const skein_conversation *chat, const char *query,
                                skn_uids *out)
{
    skein_message m;
    skn_json_list hits = {0};
    skein_rc      rc = skn_door_all(
             cli,
             skn_arena_text(cli->keep, "%s/search?q=%s&current=true&chatId=%s", cli->door->world,
                            skn_door_part(cli, skn_str_of(query)), skn_door_part(cli, chat->uid)),
             SELECT_MOST, &hits);

    if (rc)
        return rc;
    if (hits.n == SELECT_MOST)
        return skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" selects %d messages or more", query,
                        SELECT_MOST);
    *out = (skn_uids){0};
    for (size_t i = 0; i < hits.n && !rc; i++) {
        rc = skn_need_message(cli, skn_json_str(hits.p[i], "messageId"), &m);
        if (!rc && m.position >= 0)
            skn_vec_add(cli->keep, out, m.uid);
    }
    return rc;
}

/* Two or more, named or selected; not both. */
static skein_rc sources(skn_cli *cli, const skein_conversation *chat, skn_uids *out)
{
    const char *query = skn_opt(cli, "select");
    skein_rc    rc;

    if (!query == !cli->arg_count)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"skein squash\" needs either messages or --select QUERY");
    if (!query)
        return skn_need_messages(cli, 0, out);
    if ((rc = select_messages(cli, chat, query, out)) || out->n > 1)
        return rc;
    return skn_fail(&cli->err, SKEIN_NOT_FOUND, "\"%s\" selects %s, and a squash needs two",
                    query, out->n ? "one message" : "no message");
}

static skein_rc squash_text(skn_cli *cli, const skn_uids *ids, skn_str *out)
{
    if (!skn_opt(cli, "join"))
        return skn_need_text(cli, SKN_STR(""), out);
    if (skn_opt(cli, "by-hand") || skn_opt(cli, "message") || skn_opt(cli, "file"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "--join makes the text from the messages and takes no other text");
    return join_texts(cli, ids, out);
}

/* --- By a model: the running server asks it ----------------------------------------------- */

static skein_rc need_server(skn_cli *cli, const char *what, const char *otherwise)
{
    skein_rc rc = skn_need_server(cli, what);

    if (rc == SKEIN_NOT_FOUND)
        return skn_hint(&cli->err, rc, "Start one with \"skein serve\", or %s", otherwise);
    return rc;
}

/* The text of -m or -F is what the model is to do. */
static skein_rc ask_squash(skn_cli *cli, const skn_uids *ids, const skn_json **made)
{
    skn_door_body b;
    skn_jw       *w;
    skn_str       prompt;
    skein_rc      rc;

    if ((rc = need_server(cli, "a squash by a model",
                          "write the text yourself with --by-hand -m TEXT, or use --join")) ||
        (rc = skn_need_text(cli, SKN_STR(""), &prompt)))
        return rc;
    w = skn_door_body_begin(cli, &b);
    skn_body_ids(w, "sourceMessageIds", ids);
    skn_jw_kstr(w, "prompt", prompt);
    skn_body_option(cli, w, "model", "model");
    skn_body_option(cli, w, "as", "by");
    skn_jw_kbool(w, "dryRun", cli->dry_run);
    skn_jw_kbool(w, "force", skn_opt(cli, "force") != NULL);
    return skn_door_job(&b, skn_path(cli, NULL, "{chat}/squashes"), made);
}

static skein_rc squash_by_model(skn_cli *cli, const skein_conversation *chat,
                                const skn_uids *ids)
{
    const skn_json *made, *look;
    skn_str         size;
    skein_rc        rc;

    if (skn_opt(cli, "expect") || skn_opt(cli, "key"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "--expect and --key go with --by-hand or --join only");
    if ((rc = squash(cli, ids, SKN_STR("-"), true, &look)) ||
        (rc = ask_squash(cli, ids, &made)) || cli->json)
        return rc ? rc : skn_door_item(cli, made);
    size = size_of(cli, ids->n, look);
    if (cli->dry_run) {
        skn_print(cli, "Would squash %.*s into one, by ", SKN_FMT(size));
        skn_say(cli, made, "{line model}:\n");
        skn_print_block(cli, skn_json_str(made, "content"), 4);
        skn_print_raw(cli, SKN_STR("Nothing was changed (-n).\n"));
        return SKEIN_OK;
    }
    skn_print(cli, "v%" PRId64 " → ", chat->version);
    skn_say(cli, made, "{version}: ");
    skn_print(cli, "squashed %.*s into ", SKN_FMT(size));
    skn_say(cli, made, "{resultMessageId} ({squashOperationId}):\n");
    skn_print_block(cli, skn_json_str(made, "content"), 4);
    skn_say(cli, made, "By {line model}. Undo with \"skein undo\".\n");
    return SKEIN_OK;
}

skein_rc skn_cmd_squash(skn_cli *cli)
{
    skein_conversation chat;
    skn_uids           ids;
    const skn_json    *made;
    skn_str            text, size;
    skein_rc           rc = skn_need_change(cli, NULL, &chat);

    if (rc || (rc = sources(cli, &chat, &ids)))
        return rc;
    if (!skn_opt(cli, "join") && !skn_opt(cli, "by-hand"))
        return squash_by_model(cli, &chat, &ids);
    if ((rc = squash_text(cli, &ids, &text)) ||
        (rc = squash(cli, &ids, text, cli->dry_run, &made)) || cli->json)
        return rc ? rc : skn_door_item(cli, made);
    size = size_of(cli, ids.n, made);
    if (cli->dry_run) {
        skn_print(cli, "Would squash %.*s into one:\n", SKN_FMT(size));
        skn_print_block(cli, text, 4);
        skn_print_raw(cli, SKN_STR("Nothing was changed (-n).\n"));
        return SKEIN_OK;
    }
    if (skn_say_made(cli, skn_json_str(made, "version"), SKN_STR("")))
        return SKEIN_OK;
    skn_print(cli, "v%" PRId64 " → ", chat.version);
    skn_say(cli, made, "{version}: ");
    skn_print(cli, "squashed %.*s into ", SKN_FMT(size));
    skn_say(cli, made, "{resultMessageId} ({squashOperationId}). Undo with \"skein undo\".\n");
    return SKEIN_OK;
}

/* --- Summaries ---------------------------------------------------------------------------- */

static skein_rc compaction_lane(skn_cli *cli, skn_str *out)
{
    const char *agent = skn_opt(cli, "agent"), *lane = skn_opt(cli, "lane");
    skein_agent who;
    skein_rc    rc;

    *out = skn_str_of(lane);
    if (!agent)
        return SKEIN_OK;
    if (lane)
        return skn_fail(&cli->err, SKEIN_USAGE, "give --agent or --lane, not both");
    if ((rc = skn_need_agent(cli, agent, &who)))
        return rc;
    *out = skn_arena_printf(cli->keep, "@%.*s", SKN_FMT(who.name));
    return SKEIN_OK;
}

/* Of an agent's memory, a delegation, or the main lane. */
static void write_lane(skn_jw *w, skn_str lane)
{
    if (lane.n && lane.p[0] == '@')
        skn_jw_kstr(w, "agent", skn_str_sub(lane, 1, lane.n));
    else if (lane.n)
        skn_jw_kstr(w, "delegation", lane);
    skn_jw_kstr(w, "reason", SKN_STR("manual"));
}

static skein_rc would_compact(skn_cli *cli, skn_str lane)
{
    const skn_json *plan;
    skn_door_body   b;
    skein_rc        rc;

    write_lane(skn_door_body_begin(cli, &b), lane);
    skn_jw_kbool(&b.w, "dryRun", true);
    if (!(rc = skn_send(cli, &b, "POST", NULL, "{chat}/compactions", &plan)))
        (void)skn_dry(cli, plan, "let a model summarise the first {covers} messages");
    return rc;
}

static skein_rc compact_by_model(skn_cli *cli, skn_str lane)
{
    const skn_json *made;
    skn_door_body   b;
    skein_rc        rc;

    if (skn_opt(cli, "covers"))
        return skn_fail(&cli->err, SKEIN_USAGE, "--covers goes with a text of your own: -m");
    if ((rc = need_server(cli, "a summary by a model", "write it yourself with -m TEXT")))
        return rc;
    if (cli->dry_run)
        return would_compact(cli, lane);
    write_lane(skn_door_body_begin(cli, &b), lane);
    skn_body_option(cli, &b.w, "model", "model");
    if ((rc = skn_door_job(&b, skn_path(cli, NULL, "{chat}/compactions"), &made)) || cli->json)
        return rc ? rc : skn_door_item(cli, made);
    skn_say(cli, made,
            "Summary {messageId} stands for the first {covers} message{covers s} in the "
            "context:\n");
    skn_print_block(cli, skn_json_str(made, "content"), 4);
    skn_print_raw(cli, SKN_STR("Nothing was removed.\n"));
    return SKEIN_OK;
}

skein_rc skn_cmd_compact(skn_cli *cli)
{
    const skn_json *made;
    skn_door_body   b;
    skn_str         lane, text;
    int64_t         covers;
    skein_rc        rc = skn_need_chat(cli, NULL, NULL);

    if (rc || (rc = compaction_lane(cli, &lane)))
        return rc;
    if (!skn_opt(cli, "message") && !skn_opt(cli, "file"))
        return compact_by_model(cli, lane);
    if ((rc = skn_opt_int(cli, "covers", 1, INT64_MAX, 0, &covers)) ||
        (rc = skn_need_text(cli, SKN_STR(""), &text)))
        return rc;
    if (skn_would(cli, "append a summary of %zu bytes", text.n))
        return SKEIN_OK;
    write_lane(skn_door_body_begin(cli, &b), lane);
    skn_jw_kstr(&b.w, "content", text);
    skn_body_option(cli, &b.w, "model", "model");
    if (covers)
        skn_jw_kint(&b.w, "covers", covers);
    if ((rc = skn_send(cli, &b, "POST", NULL, "{chat}/compactions", &made)) || cli->json)
        return rc ? rc : skn_door_item(cli, made);
    skn_say(cli, made,
            "Summary {messageId} stands for the first {covers} message{covers s} in the "
            "context. Nothing was removed.\n");
    return SKEIN_OK;
}
