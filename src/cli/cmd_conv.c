#include "base/error.h"
#include "cli/commands.h"
#include "cli/news.h"

skein_rc skn_chat_item(skn_cli *cli, const skein_conversation *chat)
{
    skn_shape_chat(skn_item(cli), chat);
    return skn_item_end(cli);
}

static skein_rc make_chat(skn_cli *cli, skn_far_body *b, skein_conversation *out)
{
    const skn_json *v;
    skein_rc        rc = skn_send(cli, b, "POST", NULL, "{world}/chats", &v);

    if (!rc)
        skn_far_read_chat(cli, v, out);
    return rc;
}

skein_rc skn_chat_new(skn_cli *cli, skn_str title, skein_conversation *out)
{
    skn_far_body b;
    skn_jw      *w = skn_far_body_begin(cli, &b);

    if (title.p)
        skn_jw_kstr(w, "title", title);
    return make_chat(cli, &b, out);
}

skein_rc skn_chat_of(skn_cli *cli, skn_str agent, skein_mode mode, skein_conversation *out)
{
    skn_far_body b;
    skn_jw      *w = skn_far_body_begin(cli, &b);

    skn_jw_kstr(w, "mode", skn_str_of(skn_mode_name(mode)));
    skn_jw_kstr(w, "agent", agent);
    return make_chat(cli, &b, out);
}

/* Absent: none. */
static skein_rc set_current(skn_cli *cli, skn_str chat_uid)
{
    const skn_json *v;
    skn_far_body    b;

    skn_jw_kstr(skn_far_body_begin(cli, &b), "currentChatId", chat_uid);
    return skn_send(cli, &b, "PATCH", NULL, "{world}", &v);
}

static void chat_name(skn_cli *cli, const skein_conversation *c)
{
    if (c->mode == SKEIN_CHAT)
        skn_print_line(cli, c->title.n ? c->title : SKN_STR("(no title)"), 60);
    else
        skn_print(cli, "%s of @%.*s", skn_mode_name(c->mode), SKN_FMT(c->agent_name));
}

int skn_cmd_conv_new(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skn_str            title = skn_str_of(skn_opt(cli, "title"));
    skein_rc           rc = skn_need_world(cli, &world);

    if (rc)
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "make a conversation in %.*s and make it current", SKN_FMT(world.name));
        return 0;
    }
    if ((rc = skn_chat_new(cli, title, &chat)))
        return (int)rc;
    if (cli->json)
        return (int)skn_chat_item(cli, &chat);
    skn_print(cli,
              "Made the conversation %.*s in %.*s; it is current. Take it back with "
              "\"skein conv rm %.*s\".\n",
              SKN_FMT(chat.uid), SKN_FMT(world.name), SKN_FMT(chat.uid));
    return 0;
}

int skn_cmd_conv_ls(skn_cli *cli)
{
    bool                archived = skn_opt(cli, "archived") || skn_opt(cli, "removed");
    skein_world         world;
    skein_conversations all;
    skein_rc            rc = skn_need_world(cli, &world);

    if (rc || (rc = archived ? skn_chats_removed(cli, &world, &all) : skn_far_chats(cli, &all)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < all.count && !rc; i++) {
        const skein_conversation *c = &all.at[i];

        if (cli->json) {
            rc = skn_chat_item(cli, c);
            continue;
        }
        skn_print(cli, "%c %.*s  v%-4lld %7lld  ",
                  skn_str_eq(c->uid, world.current_chat_uid) ? '*' : ' ', SKN_FMT(c->uid),
                  (long long)c->version, (long long)c->length);
        chat_name(cli, c);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    if (cli->json)
        skn_list_done(cli, rc);
    else if (archived && !all.count)
        skn_print(cli, "No conversation is archived.\n");
    return (int)rc;
}

/* An argument stands for -c. */
skein_rc skn_chat_named(skn_cli *cli, skein_world *world, skein_conversation *out)
{
    static const skn_option named = {"conversation", 'c', "REF", ""};

    if (cli->arg_count) {
        cli->given[cli->given_count].option = &named;
        cli->given[cli->given_count].value = cli->args[0];
        cli->given_count++;
    }
    return skn_need_chat(cli, world, out);
}

int skn_cmd_conv_show(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_rc           rc = skn_chat_named(cli, &world, &chat);

    if (rc)
        return (int)rc;
    if (cli->json)
        return (int)skn_chat_item(cli, &chat);
    skn_print(cli, "%.*s  ", SKN_FMT(chat.uid));
    chat_name(cli, &chat);
    skn_print(cli, "\n  %s in %.*s, at v%lld (%.*s) with %lld message%s\n",
              skn_mode_name(chat.mode), SKN_FMT(world.name), (long long)chat.version,
              SKN_FMT(chat.thread_uid), (long long)chat.length, skn_plural(chat.length));
    if (chat.archived)
        skn_print(cli,
                  "  archived: it can be read, not changed; restore it with \"skein conv "
                  "restore %.*s\"\n",
                  SKN_FMT(chat.uid));
    if (chat.last_activity_at) {
        skn_print(cli, "  last said ");
        skn_print_time(cli, chat.last_activity_at);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    return 0;
}

static int leave_session(skn_cli *cli)
{
    skein_world world;
    skein_rc    rc = skn_need_world(cli, &world);

    if (!rc && !cli->dry_run)
        rc = set_current(cli, SKN_NONE);
    if (!rc && !cli->json && cli->dry_run)
        skn_would(cli, "leave %.*s without a current conversation", SKN_FMT(world.name));
    else if (!rc && !cli->json)
        skn_print(cli,
                  "%.*s has no current conversation now: clients of the API have to name one, "
                  "and commands take the newest. Choose one with \"skein conv use REF\".\n",
                  SKN_FMT(world.name));
    if (!rc && cli->json)
        skn_print(cli, "null\n");
    return (int)rc;
}

int skn_cmd_conv_use(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_rc           rc;

    if (skn_str_is(skn_arg(cli, 0), "none"))
        return leave_session(cli);
    if ((rc = skn_chat_named(cli, &world, &chat)))
        return (int)rc;
    if (!cli->dry_run && (rc = set_current(cli, chat.uid)))
        return (int)rc;
    if (cli->json)
        return (int)skn_chat_item(cli, &chat);
    skn_print(cli, cli->dry_run ? "Would make %.*s current: " : "Current is %.*s: ",
              SKN_FMT(chat.uid));
    chat_name(cli, &chat);
    skn_print_raw(cli, SKN_STR("\n"));
    return 0;
}

int skn_cmd_conv_of(skn_cli *cli)
{
    const char        *word = skn_opt(cli, "mode");
    skein_world        world;
    skein_agent        agent;
    skein_conversation chat;
    skein_mode         mode = SKEIN_FOREGROUND;
    skein_rc           rc;

    if (word && (!skn_mode_from(skn_str_of(word), &mode) || mode == SKEIN_CHAT))
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"--mode\" is foreground or background, not \"%s\"", word);
    if ((rc = skn_need_world(cli, &world)) ||
        (rc = skn_need_agent(cli, &world, cli->args[0], &agent)))
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "give the %s conversation of @%.*s", skn_mode_name(mode),
                  SKN_FMT(agent.name));
        return 0;
    }
    if ((rc = skn_chat_of(cli, agent.name, mode, &chat)))
        return (int)rc;
    if (cli->json)
        return (int)skn_chat_item(cli, &chat);
    skn_print(cli, "%.*s  ", SKN_FMT(chat.uid));
    chat_name(cli, &chat);
    skn_print_raw(cli, SKN_STR("\n"));
    return 0;
}

int skn_cmd_conv_rm(skn_cli *cli)
{
    const char        *path = skn_opt(cli, "force") ? "{chat}?force=true" : "{chat}";
    const skn_json    *none;
    skein_world        world;
    skein_conversation chat;
    skein_rc           rc = skn_chat_named(cli, &world, &chat);

    if (rc || (rc = skn_confirm(cli, "Archive this conversation?", false)))
        return (int)rc;
    if (!cli->dry_run && (rc = skn_send(cli, NULL, "DELETE", NULL, path, &none)))
        return (int)rc;
    if (cli->json)
        return (int)skn_chat_item(cli, &chat);
    skn_print(cli,
              cli->dry_run
                  ? "Would archive the conversation %.*s. Nothing was changed.\n"
                  : "Archived the conversation %.*s. It can still be read and found.\n",
              SKN_FMT(chat.uid));
    if (!cli->dry_run)
        skn_print(cli, "Bring it back with \"skein conv restore %.*s\".\n", SKN_FMT(chat.uid));
    return 0;
}

int skn_cmd_conv_restore(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_rc           rc = skn_need_world(cli, &world);

    if (rc)
        return (int)rc;
    if (cli->dry_run) {
        if (!(rc = skn_need_chat_removed(cli, &world, skn_arg(cli, 0))))
            skn_would(cli, "bring the conversation %s back", cli->args[0]);
        return (int)rc;
    }
    if ((rc = skn_chat_restore(cli, &world, skn_arg(cli, 0), &chat)))
        return (int)rc;
    if (cli->json)
        return (int)skn_chat_item(cli, &chat);
    skn_print(cli, "The conversation %.*s is back: ", SKN_FMT(chat.uid));
    chat_name(cli, &chat);
    skn_print_raw(cli, SKN_STR("\n"));
    return 0;
}

/* --- What its messages ask for ------------------------------------------------------------ */

static skein_rc read_set(skn_cli *cli, const skein_world *world, skein_conversation_change *out,
                         skein_agent *agent)
{
    const char *name = skn_opt(cli, "expect-reply"), *word = skn_opt(cli, "read-only");
    skein_rc    rc;

    *agent = (skein_agent){.name = SKN_NONE};
    *out = (skein_conversation_change){.set_reply_expected = name != NULL,
                                       .set_read_only = word != NULL};
    if (!name && !word)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"skein conv set\" needs --expect-reply AGENT or --read-only on|off");
    if (word && !skn_str_is(skn_str_of(word), "on") && !skn_str_is(skn_str_of(word), "off"))
        return skn_fail(&cli->err, SKEIN_USAGE, "\"--read-only\" is on or off, not \"%s\"",
                        word);
    out->read_only = word && skn_str_is(skn_str_of(word), "on");
    if (name && *name && (rc = skn_need_agent(cli, world, name, agent)))
        return rc;
    out->reply_expected = agent->id;
    return SKEIN_OK;
}

static skein_rc send_set(skn_cli *cli, const skein_conversation_change *what, skn_str agent,
                         skein_conversation *out)
{
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);
    skein_rc        rc;

    if (what->set_reply_expected)
        skn_jw_kstr(w, "replyExpected", agent);
    if (what->set_read_only)
        skn_jw_kbool(w, "readOnly", what->read_only);
    if (!(rc = skn_far_send(&b, "PATCH", cli->door->chat, &v)))
        skn_far_read_chat(cli, v, out);
    return rc;
}

static void say_set(skn_cli *cli, const skein_conversation *chat)
{
    skn_print(cli, "The conversation %.*s ", SKN_FMT(chat->uid));
    if (chat->reply_expected.n)
        skn_print(cli, "expects a reply of @%.*s", SKN_FMT(chat->reply_expected));
    else
        skn_print_raw(cli, SKN_STR("expects no reply"));
    skn_print(cli, " and is %s.\n", chat->read_only ? "read only" : "not read only");
}

int skn_cmd_conv_set(skn_cli *cli)
{
    skein_world               world;
    skein_conversation        chat;
    skein_conversation_change what;
    skein_agent               agent;
    skein_rc                  rc = skn_chat_named(cli, &world, &chat);

    if (rc || (rc = read_set(cli, &world, &what, &agent)))
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "change what messages of %.*s ask for", SKN_FMT(chat.uid));
        return 0;
    }
    if ((rc = send_set(cli, &what, agent.name, &chat)))
        return (int)rc;
    if (cli->json)
        return (int)skn_chat_item(cli, &chat);
    say_set(cli, &chat);
    return 0;
}

/* What was removed: listing it, and bringing it back. */

/* What a dry run would bring back must be there. */
static skein_rc need_removed(skn_cli *cli, const char *kind, const char *path, skn_str ref)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, path, 0, &list);

    for (size_t i = 0; !rc && i < list.n; i++)
        if (skn_str_eq(skn_news_text(list.p[i], "id"), ref) ||
            skn_str_eq(skn_news_text(list.p[i], "name"), ref))
            return SKEIN_OK;
    return rc ? rc
              : skn_fail(&cli->err, SKEIN_NOT_FOUND, "no %s \"%.*s\" was removed here", kind,
                         SKN_FMT(ref));
}

/* --- Worlds ------------------------------------------------------------------------------- */

/* Its name may be another's now: its id is told. */
static void world_line(skn_cli *cli, const skein_world *world)
{
    skn_print(cli, "%.*s  ", SKN_FMT(world->uid));
    skn_print_sender(cli, world->name, 20);
    skn_print_raw(cli, world->description.n ? SKN_STR("  ") : SKN_STR(""));
    skn_print_line(cli, world->description, 60);
    skn_print_raw(cli, SKN_STR("\n"));
}

skein_rc skn_worlds_removed(skn_cli *cli)
{
    skn_json_list list = {0};
    skein_world   world;
    skein_rc      rc = skn_far_all(cli, "/worlds?removed=true", 0, &list);

    if (rc)
        return rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; !rc && i < list.n; i++) {
        skn_far_read_world(cli, list.p[i], &world);
        if (cli->json)
            rc = skn_far_item(cli, list.p[i]);
        else
            world_line(cli, &world);
    }
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!list.n)
        skn_print(cli, "No world was removed.\n");
    return rc;
}

static skein_rc restore_world(skn_cli *cli, skn_str ref, skn_str name, skein_world *out)
{
    const char *path =
        skn_arena_printf(cli->keep, "/worlds/%s/restore", skn_far_part(cli, ref)).p;
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);
    skein_rc        rc;

    if (name.p)
        skn_jw_kstr(w, "name", name);
    if (!(rc = skn_far_send(&b, "POST", path, &v)))
        skn_far_read_world(cli, v, out);
    return rc;
}

int skn_cmd_world_restore(skn_cli *cli)
{
    skn_str     ref = skn_arg(cli, 0), name = skn_str_of(skn_opt(cli, "as"));
    skein_world world;
    skein_rc    rc;

    if (cli->dry_run) {
        if (!(rc = need_removed(cli, "world", "/worlds?removed=true", ref)))
            skn_would(cli, "bring the world %s back", cli->args[0]);
        return (int)rc;
    }
    if ((rc = restore_world(cli, ref, name, &world)))
        return (int)rc;
    if (cli->json)
        return (int)skn_world_item(cli, &world);
    skn_print(cli, "The world %.*s is back, with its agents and conversations.\n",
              SKN_FMT(world.name));
    return 0;
}

/* --- Conversations ------------------------------------------------------------------------ */

/* The path of the list. */
static const char *archived_path(skn_cli *cli, const skein_world *world)
{
    skn_far_enter(cli, world);
    return skn_arena_printf(cli->keep, "%s/chats?archived=true", cli->door->world).p;
}

skein_rc skn_chats_removed(skn_cli *cli, const skein_world *world, skein_conversations *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, archived_path(cli, world), 0, &list);

    *out = (skein_conversations){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_conversation)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_far_read_chat(cli, list.p[i], &out->at[out->count++]);
    return rc;
}

skein_rc skn_need_chat_removed(skn_cli *cli, const skein_world *world, skn_str uid)
{
    return need_removed(cli, "conversation", archived_path(cli, world), uid);
}

skein_rc skn_chat_restore(skn_cli *cli, const skein_world *world, skn_str uid,
                          skein_conversation *out)
{
    const skn_json *v;
    skn_far_body    b;
    skein_rc        rc;

    skn_far_enter(cli, world);
    skn_far_body_begin(cli, &b);
    rc = skn_far_send(&b, "POST",
                      skn_arena_printf(cli->keep, "%s/chats/%s/restore", cli->door->world,
                                       skn_far_part(cli, uid))
                          .p,
                      &v);
    if (!rc)
        skn_far_read_chat(cli, v, out);
    return rc;
}

/* Other names for conversations and worlds. An agent keeps its name: messages carry it. */

/* --- A conversation ----------------------------------------------------------------------- */

static skein_rc set_title(skn_cli *cli, const skein_world *world, skein_conversation *chat,
                          skn_str title)
{
    const skn_json *v;
    skn_far_body    b;
    skein_rc        rc;

    skn_far_enter(cli, world);
    skn_far_enter_chat(cli, chat);
    skn_jw_kstr(skn_far_body_begin(cli, &b), "title", title);
    if (!(rc = skn_far_send(&b, "PATCH", cli->door->chat, &v)))
        chat->title = title;
    return rc;
}

static void say_title(skn_cli *cli, const skein_conversation *chat)
{
    skn_print(cli,
              chat->title.p ? "The conversation %.*s is now called "
                            : "The conversation %.*s has ",
              SKN_FMT(chat->uid));
    skn_print_line(cli, chat->title.p ? chat->title : SKN_STR("no title now"), 0);
    skn_print_raw(cli, SKN_STR(".\n"));
}

int skn_cmd_conv_rename(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skn_str            title = skn_arg(cli, 1);
    skein_rc           rc = skn_chat_named(cli, &world, &chat);

    if (rc)
        return (int)rc;
    if (chat.mode != SKEIN_CHAT)
        return (int)skn_fail(&cli->err, SKEIN_INVALID,
                             "the %s conversation of @%.*s is named after its agent",
                             skn_mode_name(chat.mode), SKN_FMT(chat.agent_name));
    if (cli->dry_run) {
        skn_would(cli, "call the conversation %.*s \"%.*s\"", SKN_FMT(chat.uid),
                  SKN_FMT(title));
        return 0;
    }
    if ((rc = set_title(cli, &world, &chat, title.n ? title : SKN_NONE)))
        return (int)rc;
    if (cli->json)
        return (int)skn_chat_item(cli, &chat);
    say_title(cli, &chat);
    return 0;
}

/* --- A world ------------------------------------------------------------------------------ */

static skein_rc set_world_name(skn_cli *cli, skein_world *world, skn_str name)
{
    const skn_json *v;
    skn_far_body    b;
    skein_rc        rc;

    skn_jw_kstr(skn_far_body_begin(cli, &b), "name", name);
    skn_far_enter(cli, world);
    if (!(rc = skn_far_send(&b, "PATCH", cli->door->world, &v)))
        skn_far_read_world(cli, v, world);
    return rc;
}

int skn_cmd_world_rename(skn_cli *cli)
{
    skein_world world;
    skn_str     old, name;
    skein_rc    rc = skn_world_named(cli, &world);

    if (rc || (rc = skn_name_normal(skn_arg(cli, 1), cli->keep, &name, &cli->err)))
        return (int)rc;
    old = world.name;
    if (cli->dry_run) {
        skn_would(cli, "call the world %.*s %.*s", SKN_FMT(old), SKN_FMT(name));
        return 0;
    }
    if ((rc = set_world_name(cli, &world, name)))
        return (int)rc;
    if (cli->json)
        return (int)skn_world_item(cli, &world);
    skn_print(cli, "The world %.*s is now called %.*s.\n", SKN_FMT(old), SKN_FMT(world.name));
    return 0;
}
