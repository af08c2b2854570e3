/* What there is: the store, the server on it, its worlds. And the way to its web page. */
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/default_model.h"
#include "cli/input.h"
#include "cli/unanswered.h"

#include <inttypes.h>

#define ASK_MS 10000

/* --- Status --------------------------------------------------------------------------------- */

/* Where no server runs nobody answers, and nothing is said of it. */
static void say_answers(skn_cli *cli, const skein_world *world)
{
    skn_str text = skn_answers_text(cli, world);

    if (!text.n)
        return;
    skn_print_raw(cli, SKN_STR("         "));
    skn_print_line(cli, text, 0);
    skn_print_raw(cli, SKN_STR("\n"));
}

static void world_shape(skn_cli *cli, const skn_json *whole, skn_jw *w)
{
    const skn_json *answers, *chats = skn_json_get(whole, "chats");
    const skn_json *agents = skn_json_get(whole, "agents");
    int64_t         messages = 0;
    skein_world     world;

    skn_door_read_world(cli, whole, &world);
    for (const skn_json *c = skn_first(whole, "chats"); c; c = c->next)
        messages += skn_door_int(c, "messageCount", 0);
    answers = cli->json ? skn_answers_with(cli, &world) : NULL;
    skn_jw_object(w);
    skn_jw_kstr(w, "name", world.name);
    skn_jw_kint(w, "agents", agents ? agents->count : 0);
    skn_jw_kint(w, "chats", chats ? chats->count : 0);
    skn_jw_kint(w, "messages", messages);
    skn_jw_kraw(w, "answersWith", answers ? answers->raw : SKN_STR("null"));
    skn_outlook_json(w, skn_first(whole, "agents"));
    skn_jw_object_end(w);
}

/* A world, and what its agents have before them. */
static void say_world(skn_cli *cli, const skn_json *v, const skn_json *whole)
{
    skein_world world;

    skn_say(cli, v,
            "world    {name}: {agents} agent{agents s}, {chats} conversation{chats s}, "
            "{messages} message{messages s}\n");
    skn_door_read_world(cli, whole, &world);
    say_answers(cli, &world);
    for (const skn_json *a = skn_first(whole, "agents"); a; a = a->next) {
        skn_print_last_turn(cli, a);
        skn_print_outlook(cli, a, "         ");
    }
}

/* --- What is current ------------------------------------------------------------------------ */

typedef struct here {
    bool               world_known, chat_known;
    skein_world        world;
    skein_conversation chat;
    const char        *by; /* who named the world */
} here;

/* Where it cannot be told which is meant there is none; only a file that makes no sense is a failure. */
static skein_rc find_here(skn_cli *cli, bool there, here *out)
{
    skn_current now = {.world = NULL};
    skein_rc    rc = skn_current_of(cli, &now);

    *out = (here){.by = now.by ? now.by : now.world ? "default" : "only"};
    if (rc || !there)
        return rc;
    out->world_known = !skn_need_world(cli, &out->world);
    out->chat_known = out->world_known && !skn_need_chat(cli, NULL, &out->chat);
    cli->err = (skein_error){.rc = SKEIN_OK};
    return SKEIN_OK;
}

static void here_json(skn_jw *w, const here *now)
{
    skn_jw_key(w, "current");
    if (!now->world_known) {
        skn_jw_null(w);
        return;
    }
    skn_jw_object(w);
    skn_jw_kstr(w, "world", now->world.name);
    skn_jw_kstr(w, "chatId", now->chat_known ? now->chat.uid : SKN_NONE);
    skn_jw_kstr(w, "by", skn_str_of(now->by));
    skn_jw_object_end(w);
}

static void status_server(skn_jw *w, const skn_server *server)
{
    skn_jw_kobject(w, "server");
    skn_jw_kstr(w, "url", skn_str_of(server->url));
    skn_jw_kstr(w, "socket", skn_str_of(server->socket));
    if (server->pid)
        skn_jw_kint(w, "pid", server->pid);
    else
        skn_jw_knull(w, "pid");
    skn_jw_ktime(w, "startedAt", server->started_at);
    skn_jw_kstr(w, "version", skn_str_of(server->version));
    skn_jw_kbool(w, "readOnly", server->read_only);
    skn_jw_object_end(w);
}

static void status_shape(skn_cli *cli, const here *now, const skn_server *server,
                         const skn_json_list *worlds, bool there)
{
    skn_jw *w = skn_item_begin(cli);

    skn_jw_kstr(w, "program", skn_str_of(skein_version_text()));
    skn_jw_kstr(w, "store", skn_is_elsewhere(cli) ? SKN_NONE : skn_place_shown(cli));
    skn_jw_kbool(w, "exists", there);
    if (server)
        status_server(w, server);
    else
        skn_jw_knull(w, "server");
    here_json(w, now);
    skn_jw_karray(w, "worlds");
    for (size_t i = 0; i < worlds->n; i++)
        world_shape(cli, worlds->p[i], w);
    skn_jw_array_end(w);
}

static void say_status(skn_cli *cli, const skn_json *v, const here *now,
                       const skn_json_list *worlds)
{
    size_t i = 0;

    skn_say(cli, v,
            "program  skein {program}\n"
            "store    [store:{store}][!store:the server's][!exists:  (nothing is there yet)]\n"
            "[!server:server   none; commands open the store themselves\n]"
            "[server:server   {server.url}[server.pid:  pid {server.pid}]"
            "[server.startedAt:, since {time server.startedAt}]"
            "[server.readOnly:, only reads]\n]"
            "[exists:current  [!current:none; choose one with \"skein world use NAME\"\n]]"
            "[current:{current.world}]");
    if (now->chat_known) {
        skn_print(cli, ", conversation ");
        skn_print_line(cli, now->chat.title.n ? now->chat.title : now->chat.uid, 40);
        skn_print(cli, now->chat.archived ? ", archived: nobody answers in it" : "");
    }
    skn_say(cli, v,
            "[current:  ([current.by=only:the only world][current.by!=only:{current.by}])\n]");
    for (const skn_json *w = skn_first(v, "worlds"); w; w = w->next)
        say_world(cli, w, worlds->p[i++]);
}

static skein_rc status(skn_cli *cli, bool there, const skn_server *server)
{
    here            now;
    const skn_json *v;
    skn_json_list   worlds = {0};
    skein_rc        rc = find_here(cli, there, &now);

    if (rc || (there && (rc = skn_door_all(cli, "/worlds", 0, &worlds))))
        return rc;
    status_shape(cli, &now, server, &worlds, there);
    if (cli->json)
        return skn_item_close(cli);
    if (!(rc = skn_item_read(cli, &v)))
        say_status(cli, v, &now, &worlds);
    return rc;
}

/* One that runs on the store is known to run; one that was named is asked. */
static skein_rc ask_named(skn_cli *cli, skn_server *server)
{
    skn_request_spec  what = {.method = "GET", .path = "/worlds"};
    skn_client_answer got;
    skein_rc          rc;

    if (server->pid)
        return SKEIN_OK;
    rc = skn_client_call(cli, server, &what, ASK_MS, &got);
    if (!rc)
        server->version = got.version;
    return rc;
}

skein_rc skn_cmd_status(skn_cli *cli)
{
    skn_server server;
    bool       found, there;
    skein_rc   rc = skn_discover_any(cli, &server, &found);

    if (rc || (found && (rc = ask_named(cli, &server))))
        return rc;
    rc = skn_place_open(cli);
    there = !rc;
    if (rc && rc != SKEIN_NOT_FOUND)
        return rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
    return status(cli, there, found ? &server : NULL);
}

/* --- Open ----------------------------------------------------------------------------------- */

/* "w/launch/c/…", and a message or a version of it. */
static skein_rc page_of(skn_cli *cli, skn_str *out)
{
    skn_str            ref = cli->arg_count ? skn_arg(cli, 0) : SKN_NONE;
    skein_world        world;
    skein_conversation chat;
    skein_version      version;
    skein_message      message;
    skein_rc           rc;

    if ((rc = skn_place_open(cli)) || (rc = skn_need_chat(cli, &world, &chat)))
        return rc;
    *out = skn_arena_printf(cli->keep, "w/%.*s/c/%.*s", SKN_FMT(world.name), SKN_FMT(chat.uid));
    if (!ref.p)
        return SKEIN_OK;
    if (skn_is_version(ref)) {
        if ((rc = skn_need_version(cli, &chat, ref.p, &version)))
            return rc;
        *out = skn_arena_printf(cli->keep, "%.*s?v=%.*s", SKN_FMT(*out),
                                SKN_FMT(version.thread_uid));
        return SKEIN_OK;
    }
    if ((rc = skn_need_message(cli, ref, &message)))
        return rc;
    *out = skn_arena_printf(cli->keep, "%.*s#m-%.*s", SKN_FMT(*out), SKN_FMT(message.uid));
    return SKEIN_OK;
}

/* The same page by a link that signs the browser in, once. */
static skein_rc link_of(skn_cli *cli, const skn_server *server, skn_str page, const char **out)
{
    skn_request_spec  what = {.method = "POST", .path = "/api/v1/session/link"};
    skn_client_answer answer;
    const skn_json   *v;
    skn_str           code;
    skein_rc          rc = skn_client_call(cli, server, &what, ASK_MS, &answer);

    if (rc || (rc = skn_json_parse(&v, answer.body, "the answer", cli->keep, &cli->err)) ||
        (rc = skn_json_text(v, "code", &code, &cli->err)))
        return rc;
    *out = skn_arena_printf(cli->keep, "%s#sign-in=%.*s&to=%s", server->url, SKN_FMT(code),
                            skn_client_encode(cli->keep, page))
               .p;
    return SKEIN_OK;
}

skein_rc skn_cmd_open(skn_cli *cli)
{
    skn_server  server;
    bool        found, opened;
    skn_str     page = SKN_STR("");
    const char *url, *link;
    skn_jw     *w;
    skein_rc    rc = skn_discover_any(cli, &server, &found);

    if (rc)
        return rc;
    if (!found)
        return skn_fail_hint(&cli->err, SKEIN_NOT_FOUND, "Start one with \"skein serve\"",
                             "no server runs on %.*s", SKN_FMT(skn_place_shown(cli)));
    if ((cli->arg_count || skn_opt(cli, "world") || skn_opt(cli, "conversation")) &&
        (rc = page_of(cli, &page)))
        return rc;
    url = skn_arena_printf(cli->keep, "%s%.*s", server.url, SKN_FMT(page)).p;
    link = url;
    if (!cli->dry_run && (rc = link_of(cli, &server, page, &link)))
        return rc;
    opened = !cli->dry_run && skn_browser_here() && skn_browser_open(link);
    w = skn_item_begin(cli);
    skn_jw_kstr(w, "url", skn_str_of(url));
    skn_jw_kstr(w, "link", skn_str_of(link));
    skn_jw_kbool(w, "opened", opened);
    rc = skn_item_tell(cli, "{url}\n");
    if (!cli->json && !opened && !cli->dry_run)
        skn_note(cli,
                 "No browser here: open the address yourself, or this link, which signs a "
                 "browser in once, within 5 minutes:\n%s",
                 link);
    return rc;
}

/* 900000 -> "15 min". */
static void print_every(skn_cli *cli, int64_t ms)
{
    static const struct {
        const char *name;
        int64_t     ms;
    } units[] = {{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}};
    size_t u = 0;

    while (ms % units[u].ms)
        u++;
    skn_print(cli, "%" PRId64 " %s", ms / units[u].ms, units[u].name);
}

static void print_timer(skn_cli *cli, const skn_json *agent)
{
    skn_say(cli, agent, "{sender name} wakes every ");
    print_every(cli, skn_door_int(agent, "runEvery", 1));
    skn_say(cli, agent,
            "[paused:, but is paused][!paused:[nextRunAt:, next at {time nextRunAt}]]\n");
}

void skn_print_outlook(skn_cli *cli, const skn_json *agent, const char *indent)
{
    if (skn_has(agent, "problem")) {
        skn_print_raw(cli, skn_str_of(indent));
        skn_say(cli, agent, "{name}: {problem}\n");
    }
    if (skn_is(agent, "state", "interrupted") || skn_is(agent, "state", "waiting")) {
        skn_print_raw(cli, skn_str_of(indent));
        skn_say(cli, agent, "{name}" SKN_DOING "\n");
    }
    if (skn_has(agent, "waitingMessages")) {
        skn_print_raw(cli, skn_str_of(indent));
        skn_say(
            cli, agent,
            "{waitingMessages} message[waitingMessages=1: waits][waitingMessages!=1:s wait] "
            "until {name} is done\n");
    }
    if (skn_has(agent, "runEvery")) {
        skn_print_raw(cli, skn_str_of(indent));
        print_timer(cli, agent);
    }
}

/* --- For programs ------------------------------------------------------------------------------ */

void skn_outlook_json(skn_jw *w, const skn_json *agents)
{
    skn_jw_karray(w, "waiting");
    for (const skn_json *a = agents; a; a = a->next)
        if (skn_has(a, "waitingMessages")) {
            skn_jw_object(w);
            skn_jw_kstr(w, "agent", skn_json_str(a, "name"));
            skn_jw_kint(w, "messages", skn_door_int(a, "waitingMessages", 0));
            skn_jw_object_end(w);
        }
    skn_jw_array_end(w);
    skn_jw_karray(w, "timers");
    for (const skn_json *a = agents; a; a = a->next)
        if (skn_has(a, "runEvery")) {
            skn_jw_object(w);
            skn_jw_kstr(w, "agent", skn_json_str(a, "name"));
            skn_jw_kint(w, "runEvery", skn_door_int(a, "runEvery", 0));
            skn_jw_ktime(w, "nextRunAt", skn_door_time(a, "nextRunAt"));
            skn_jw_object_end(w);
        }
    skn_jw_array_end(w);
}

/* --- The queue of a conversation ----------------------------------------------------------------- */

/* "ada and bo", who are at work there. */
static void print_busy(skn_cli *cli)
{
    skn_json_list turns = {0};

    skn_turns_here(cli, &turns);
    for (size_t i = 0; i < turns.n; i++)
        skn_print(cli, "%s%.*s",
                  i == 0             ? ""
                  : i + 1 == turns.n ? " and "
                                     : ", ",
                  SKN_FMT(skn_json_str(turns.p[i], "agent")));
    skn_print(cli, turns.n == 1 ? " is done:\n"
                   : turns.n    ? " are done:\n"
                                : "the agents are done:\n");
}

skein_rc skn_print_queue(skn_cli *cli)
{
    skn_json_list queue = {0};
    skein_rc      rc = skn_queue_read(cli, &queue);

    if (rc || !queue.n)
        return rc;
    skn_print(cli, "%zu message%s wait%s until ", queue.n, skn_plural((int64_t)queue.n),
              queue.n == 1 ? "s" : "");
    print_busy(cli);
    for (size_t i = 0; i < queue.n; i++)
        skn_say(cli, queue.p[i], "  {id messageId}  {sender sender}  {line content 60}\n");
    return SKEIN_OK;
}

/* "demo_lookup: allowed, not run: …" */
static void print_decision(skn_cli *cli, const skn_json *item)
{
    skn_say(
        cli, item,
        "{line tool}[open: waits for you: skein inbox allow {id}, or deny[definitionState:; "
        "what the tool is: skein inbox show {id}]][!open:: {line answer}"
        "[result:; {line result 100}][!result:, no result yet]]\n");
}

skein_rc skn_print_decisions(skn_cli *cli, skn_str message_uid)
{
    skn_json_list all = {0};
    skein_rc      rc;

    if (!message_uid.n)
        return SKEIN_OK;
    rc = skn_inbox_list(cli, "state=all&type=approval", SKN_INBOX_MOST, &all);
    for (size_t i = 0; !rc && i < all.n; i++)
        if (skn_str_eq(skn_json_str(all.p[i], "workMessageId"), message_uid))
            print_decision(cli, all.p[i]);
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

    if (!skn_door_get(cli, &told, "%s/status", cli->door->world))
        busy = skn_json_get(told, "busy");
    cli->err = before;
    for (const skn_json *t = busy ? busy->first : NULL; t; t = t->next)
        if (skn_str_eq(skn_json_str(t, "chatId"), cli->door->chat_uid))
            skn_vec_add(cli->keep, out, t);
}

/* A limit of spending has no item of its own turn; it is in the inbox too. */
static bool note_waits(skn_cli *cli, const skn_json *turn)
{
    skn_str agent = skn_json_str(turn, "agent"), item = skn_json_str(turn, "inboxId");

    if (item.n)
        skn_note(cli, "%.*s waits for your answer: skein inbox allow %.*s (or deny)",
                 SKN_FMT(agent), SKN_FMT(item));
    else if (skn_door_flag(turn, "waitsForPerson"))
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
    skn_note(cli, any ? "The message is queued: it is sent when that is answered."
                      : "Agents are at work: it waits until they are done.");
}
