/* Conversations: making, listing, showing, changing them. What was archived or removed comes back here, worlds too, and
 * both get other names. An agent keeps its name: messages carry it. */
#include "cli/commands.h"

#include <inttypes.h>

/* --- Making ------------------------------------------------------------------------------- */

static skein_rc make_chat(skn_cli *cli, skn_str title, const skn_json **out)
{
    skn_door_body b;
    skn_jw       *w = skn_door_body_begin(cli, &b);

    skn_jw_kgiven(w, "title", title);
    return skn_send(cli, &b, "POST", NULL, "{world}/chats", out);
}

/* The one of this kind that the agent has. */
static skein_rc make_of(skn_cli *cli, skn_str agent, skein_mode mode, const skn_json **out)
{
    skn_door_body b;
    skn_jw       *w = skn_door_body_begin(cli, &b);

    skn_jw_kstr(w, "mode", skn_str_of(skn_mode_name(mode)));
    skn_jw_kstr(w, "agent", agent);
    return skn_send(cli, &b, "POST", NULL, "{world}/chats", out);
}

skein_rc skn_chat_of(skn_cli *cli, skn_str agent, skein_mode mode, skein_conversation *out)
{
    const skn_json *chat;
    skein_rc        rc = make_of(cli, agent, mode, &chat);

    if (!rc)
        skn_door_read_chat(cli, chat, out);
    return rc;
}

#define CHAT_NAME                                                                              \
    "[mode!=chat:{mode} of @{agent}]"                                                          \
    "[mode=chat:[title:{line title 60}][!title:(no title)]]\n"

skein_rc skn_cmd_conv_new(skn_cli *cli)
{
    const skn_json *chat = NULL;
    skein_rc        rc = skn_need_world(cli, NULL);

    if (rc || skn_dry(cli, NULL, "make a conversation in {.world} and make it current"))
        return rc;
    rc = make_chat(cli, skn_str_of(skn_opt(cli, "title")), &chat);
    return skn_tell(cli, rc, chat,
                    "Made the conversation {id} in {.world}; it is current. Take it back with "
                    "\"skein conv rm {id}\".\n");
}

skein_rc skn_cmd_conv_of(skn_cli *cli)
{
    const char     *word = skn_opt(cli, "mode");
    skein_agent     agent;
    const skn_json *chat = NULL;
    skein_mode      mode = SKEIN_FOREGROUND;
    skein_rc        rc;

    if (word && (!skn_mode_from(skn_str_of(word), &mode) || mode == SKEIN_CHAT))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--mode\" is foreground or background, not \"%s\"", word);
    if ((rc = skn_need_world(cli, NULL)) || (rc = skn_need_agent(cli, cli->args[0], &agent)))
        return rc;
    if (skn_would(cli, "give the %s conversation of @%.*s", skn_mode_name(mode),
                  SKN_FMT(agent.name)))
        return SKEIN_OK;
    rc = make_of(cli, agent.name, mode, &chat);
    return skn_tell(cli, rc, chat, "{id}  " CHAT_NAME);
}

/* --- Listing and showing ------------------------------------------------------------------ */

/* In the order in which they were made. */
static void put_chats(skn_cli *cli, const skn_json_list *from, skn_json_list *all)
{
    for (size_t i = 0; i < from->n; i++) {
        const skn_json *chat = from->p[i];
        int64_t         made = skn_door_time(chat, "createdAt");
        size_t          at = all->n;

        skn_vec_add(cli->keep, all, chat);
        for (; at > 0 && skn_door_time(all->p[at - 1], "createdAt") > made; at--)
            all->p[at] = all->p[at - 1];
        all->p[at] = chat;
    }
}

/* What agents do in the background is listed only when that is asked for. */
static skein_rc list_chats(skn_cli *cli, bool archived, skn_json_list *out)
{
    skn_json_list chats = {0};
    skein_rc      rc;

    if (archived)
        return skn_read_all(cli, NULL, "{world}/chats?archived=true", 0, out);
    if (!(rc = skn_read_all(cli, NULL, "{world}/chats", 0, &chats)))
        rc = skn_read_all(cli, NULL, "{world}/chats?mode=background", 0, &chats);
    put_chats(cli, &chats, out);
    return rc;
}

skein_rc skn_cmd_conv_ls(skn_cli *cli)
{
    bool          archived = skn_opt(cli, "archived") || skn_opt(cli, "removed");
    skein_world   world;
    skn_json_list all = {0};
    skein_rc      rc = skn_need_world(cli, &world);

    if (rc || (rc = list_chats(cli, archived, &all)) || cli->json)
        return rc ? rc : skn_say_list(cli, &all, NULL);
    for (size_t i = 0; i < all.n; i++) {
        bool current = skn_str_eq(skn_json_str(all.p[i], "id"), world.current_chat_uid);

        skn_say(cli, all.p[i], current ? "* {id}  v" : "  {id}  v");
        skn_print(cli, "%-4" PRId64, skn_door_int(all.p[i], "version", 0));
        skn_say(cli, all.p[i], " {messageCount 7}  " CHAT_NAME);
    }
    if (archived && !all.n)
        skn_print(cli, "No conversation is archived.\n");
    return SKEIN_OK;
}

/* An argument stands for -c. */
static skein_rc chat_named(skn_cli *cli, const skn_json **out)
{
    if (cli->arg_count)
        skn_opt_give(cli, "conversation", cli->args[0]);
    return skn_read(cli, NULL, "{chat}", out);
}

skein_rc skn_cmd_conv_show(skn_cli *cli)
{
    const skn_json *chat = NULL;
    skein_rc        rc = chat_named(cli, &chat);

    return skn_tell(cli, rc, chat,
                    "{id}  " CHAT_NAME
                    "  {mode} in {.world}, at v{version} ({currentThread}) with "
                    "{messageCount} message{messageCount s}\n"
                    "[archived:  archived: it can be read, not changed; restore it with "
                    "\"skein conv restore "
                    "{id}\"\n][lastActivityAt:  last message {time lastActivityAt}\n]");
}

/* --- Changing ----------------------------------------------------------------------------- */

/* Absent: none. */
static skein_rc set_current(skn_cli *cli, skn_str chat_uid)
{
    const skn_json *v;
    skn_door_body   b;

    skn_jw_kstr(skn_door_body_begin(cli, &b), "currentChatId", chat_uid);
    return skn_send(cli, &b, "PATCH", NULL, "{world}", &v);
}

static skein_rc leave_session(skn_cli *cli)
{
    skein_world world;
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc || (!cli->dry_run && (rc = set_current(cli, SKN_NONE))))
        return rc;
    if (cli->json)
        skn_print(cli, "null\n");
    else if (cli->dry_run)
        skn_would(cli, "leave %.*s without a current conversation", SKN_FMT(world.name));
    else
        skn_print(cli,
                  "%.*s has no current conversation now: clients of the API have to name one, "
                  "and commands take the newest. Choose one with \"skein conv use REF\".\n",
                  SKN_FMT(world.name));
    return SKEIN_OK;
}

skein_rc skn_cmd_conv_use(skn_cli *cli)
{
    const skn_json *chat = NULL;
    skein_rc        rc;

    if (skn_str_is(skn_arg(cli, 0), "none"))
        return leave_session(cli);
    if (!(rc = chat_named(cli, &chat)) && !cli->dry_run)
        rc = set_current(cli, skn_json_str(chat, "id"));
    return skn_tell(cli, rc, chat,
                    "[.dry:Would make {id} current][!.dry:Current is {id}]: " CHAT_NAME);
}

skein_rc skn_cmd_conv_rm(skn_cli *cli)
{
    const skn_json *chat;
    skein_rc        rc = chat_named(cli, &chat);

    if (rc || (rc = skn_confirm(cli, "Archive this conversation?", false)))
        return rc;
    return skn_do(
        cli,
        &(skn_deed){"DELETE", skn_opt(cli, "force") ? "{chat}?force=true" : "{chat}",
                    "archive the conversation {id}",
                    "Archived the conversation {id}. It can still be read and found.\n"
                    "Bring it back with \"skein conv restore {id}\".\n",
                    true},
        NULL, &chat);
}

/* What messages of it ask for. */
static skein_rc write_set(skn_cli *cli, skn_jw *w)
{
    const char *name = skn_opt(cli, "expect-reply"), *word = skn_opt(cli, "read-only");
    skein_agent agent = {.name = SKN_NONE};
    skein_rc    rc;

    if (!name && !word)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"skein conv set\" needs --expect-reply AGENT or --read-only on|off");
    if (word && strcmp(word, "on") != 0 && strcmp(word, "off") != 0)
        return skn_fail(&cli->err, SKEIN_USAGE, "\"--read-only\" is on or off, not \"%s\"",
                        word);
    if (name && *name && (rc = skn_need_agent(cli, name, &agent)))
        return rc;
    if (name)
        skn_jw_kstr(w, "replyExpected", agent.name);
    if (word)
        skn_jw_kbool(w, "readOnly", !strcmp(word, "on"));
    return SKEIN_OK;
}

skein_rc skn_cmd_conv_set(skn_cli *cli)
{
    static const skn_deed deed = {
        "PATCH", "{chat}", "change the options of {id}",
        "The conversation {id} expects [replyExpected:a reply of @{replyExpected}]"
        "[!replyExpected:no reply] and is [!readOnly:not ]read only.\n",
        false};
    const skn_json *chat;
    skn_door_body   b;
    skein_rc        rc = chat_named(cli, &chat);

    if (rc)
        return rc;
    if ((rc = write_set(cli, skn_door_body_begin(cli, &b)))) {
        skn_buf_release(&b.bytes);
        return rc;
    }
    return skn_do(cli, &deed, &b, &chat);
}

skein_rc skn_cmd_conv_rename(skn_cli *cli)
{
    static const skn_deed deed = {
        "PATCH", "{chat}", "rename the conversation {id} to \"{.1}\"",
        "The conversation {id} [title:is now called {line title}.][!title:has no title now.]\n",
        false};
    const skn_json *chat;
    skn_door_body   b;
    skn_str         title = skn_arg(cli, 1);
    skein_rc        rc = chat_named(cli, &chat);

    if (rc)
        return rc;
    if (!skn_is(chat, "mode", "chat"))
        return skn_fail(
            &cli->err, SKEIN_INVALID, "the %.*s conversation of @%.*s is named after its agent",
            SKN_FMT(skn_json_str(chat, "mode")), SKN_FMT(skn_json_str(chat, "agent")));
    skn_jw_kstr(skn_door_body_begin(cli, &b), "title", title.n ? title : SKN_NONE);
    return skn_do(cli, &deed, &b, &chat);
}

/* --- What was archived or removed --------------------------------------------------------- */

/* What a dry run would bring back must be there. */
static skein_rc need_removed(skn_cli *cli, const char *kind, const char *path)
{
    const char   *ref = cli->args[0];
    skn_json_list list = {0};
    skein_rc      rc = skn_read_all(cli, NULL, path, 0, &list);

    for (size_t i = 0; !rc && i < list.n; i++)
        if (skn_is(list.p[i], "id", ref) || skn_is(list.p[i], "name", ref)) {
            skn_would(cli, "bring the %s %s back", kind, ref);
            return SKEIN_OK;
        }
    return rc ? rc
              : skn_fail(&cli->err, SKEIN_NOT_FOUND, "no %s \"%s\" was removed here", kind,
                         ref);
}

/* The argument may be a title, which becomes the id; of several with one title the id has to be given. */
static skein_rc find_archived(skn_cli *cli)
{
    skn_str         ref = skn_arg(cli, 0);
    skn_json_list   list = {0};
    const skn_json *found = NULL;
    size_t          fit = 0;
    skein_rc        rc = skn_read_all(cli, NULL, "{world}/chats?archived=true", 0, &list);

    for (size_t i = 0; i < list.n; i++) {
        if (skn_str_eq(skn_json_str(list.p[i], "id"), ref))
            return rc;
        if (ref.n && skn_str_eq(skn_json_str(list.p[i], "title"), ref)) {
            found = list.p[i];
            fit++;
        }
    }
    if (fit > 1)
        return skn_hint(&cli->err,
                        skn_fail(&cli->err, SKEIN_INVALID,
                                 "several archived conversations are called \"%.*s\"",
                                 SKN_FMT(ref)),
                        "Give the id: \"skein conv ls --archived\"");
    if (found)
        cli->args[0] = skn_arena_copy(cli->keep, skn_json_str(found, "id")).p;
    return rc;
}

skein_rc skn_cmd_conv_restore(skn_cli *cli)
{
    const skn_json *chat = NULL;
    skn_door_body   b;
    skein_rc        rc = find_archived(cli);

    if (rc)
        return rc;
    if (cli->dry_run)
        return need_removed(cli, "conversation", "{world}/chats?archived=true");
    skn_door_body_begin(cli, &b);
    rc = skn_send(cli, &b, "POST", NULL, "{world}/chats/{.0}/restore", &chat);
    return skn_tell(cli, rc, chat, "The conversation {id} is back: " CHAT_NAME);
}

/* With their ids: the name of a removed world may be another's now. */
skein_rc skn_worlds_removed(skn_cli *cli)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_door_all(cli, "/worlds?removed=true", 0, &list);

    return skn_tell_list(cli, rc, &list,
                         "{id}  {sender name 20}[description:  {line description 60}]\n",
                         "No world was removed.\n");
}

skein_rc skn_cmd_world_restore(skn_cli *cli)
{
    const skn_json *v;
    skn_door_body   b;
    skein_rc        rc;

    if (cli->dry_run)
        return need_removed(cli, "world", "/worlds?removed=true");
    skn_door_body_begin(cli, &b);
    skn_body_option(cli, &b.w, "as", "name");
    if ((rc = skn_send(cli, &b, "POST", NULL, "/worlds/{.0}/restore", &v)))
        return rc;
    return skn_world_tell(cli, v,
                          "The world {name} is back, with its agents and conversations.\n");
}

skein_rc skn_cmd_world_rename(skn_cli *cli)
{
    skein_world     world;
    const skn_json *v;
    skn_door_body   b;
    skn_str         name;
    skein_rc        rc = skn_world_named(cli, &world);

    if (rc || (rc = skn_name_normal(skn_arg(cli, 1), cli->keep, &name, &cli->err)))
        return rc;
    if (skn_would(cli, "rename the world %.*s to %.*s", SKN_FMT(world.name), SKN_FMT(name)))
        return SKEIN_OK;
    skn_jw_kstr(skn_door_body_begin(cli, &b), "name", name);
    if ((rc = skn_send(cli, &b, "PATCH", NULL, "{world}", &v)))
        return rc;
    return skn_world_tell(cli, v, "The world {.world} is now called {name}.\n");
}
