/* What there is: the store, the server on it, its worlds. And the way to its web page. */
#include "cli/answering.h"
#include "cli/browser.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/current.h"
#include "cli/discover.h"
#include "cli/far.h"
#include "cli/outlook.h"
#include "cli/unanswered.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

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

static void status_world(skn_cli *cli, const skn_json *whole, skn_jw *w)
{
    const skn_json *answers, *chats = skn_json_get(whole, "chats");
    int64_t         messages = 0, chat_count = chats ? chats->count : 0;
    skein_world     world;
    skein_agents    agents;

    skn_far_read_world(cli, whole, &world);
    skn_far_read_agents(cli, whole, &agents);
    for (const skn_json *c = chats ? chats->first : NULL; c; c = c->next)
        messages += skn_far_int(c, "messageCount", 0);
    if (!cli->json) {
        skn_print(cli,
                  "world    %.*s: %zu agent%s, %" PRId64 " conversation%s, %" PRId64
                  " message%s\n",
                  SKN_FMT(world.name), agents.count, skn_plural((int64_t)agents.count),
                  chat_count, skn_plural(chat_count), messages, skn_plural(messages));
        say_answers(cli, &world);
        for (size_t i = 0; i < agents.count; i++) {
            skn_print_last_turn(cli, &agents.at[i]);
            skn_print_outlook(cli, &agents.at[i], "         ");
        }
        return;
    }
    answers = skn_answers_with(cli, &world);
    skn_jw_object(w);
    skn_jw_kstr(w, "name", world.name);
    skn_jw_kint(w, "agents", (int64_t)agents.count);
    skn_jw_kint(w, "chats", chat_count);
    skn_jw_kint(w, "messages", messages);
    skn_jw_key(w, "answersWith");
    skn_jw_raw(w, answers ? answers->raw : SKN_STR("null"));
    skn_outlook_json(cli, w, &agents);
    skn_jw_object_end(w);
}

static skein_rc status_worlds(skn_cli *cli, bool there, skn_jw *w)
{
    skn_json_list worlds = {0};
    skein_rc      rc = there ? skn_far_all(cli, "/worlds", 0, &worlds) : SKEIN_OK;

    for (size_t i = 0; i < worlds.n && !rc; i++)
        status_world(cli, worlds.p[i], w);
    return rc;
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
    skein_world world;
    skein_rc    rc = skn_current_of(cli, &now);

    *out = (here){.by = now.by ? now.by : now.world ? "default" : "only"};
    if (rc || !there)
        return rc;
    out->world_known = !skn_need_world(cli, &out->world);
    out->chat_known = out->world_known && !skn_need_chat(cli, &world, &out->chat);
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
    if (now->chat_known)
        skn_jw_kstr(w, "chatId", now->chat.uid);
    else
        skn_jw_knull(w, "chatId");
    skn_jw_kstr(w, "by", skn_str_of(now->by));
    skn_jw_object_end(w);
}

/* "current  launch, conversation "launch plan" (default)" */
static void here_text(skn_cli *cli, const here *now)
{
    if (!now->world_known) {
        skn_print(cli, "current  none; choose one with \"skein world use NAME\"\n");
        return;
    }
    skn_print(cli, "current  %.*s", SKN_FMT(now->world.name));
    if (now->chat_known) {
        skn_print(cli, ", conversation ");
        skn_print_line(cli, now->chat.title.n ? now->chat.title : now->chat.uid, 40);
        skn_print_raw(cli, now->chat.archived ? SKN_STR(", archived: nobody answers in it")
                                              : SKN_STR(""));
    }
    skn_print(cli, "  (%s%s)\n", strcmp(now->by, "only") ? "" : "the ",
              strcmp(now->by, "only") ? now->by : "only world");
}

static void status_server(skn_jw *w, const skn_server *server)
{
    skn_jw_key(w, "server");
    skn_jw_object(w);
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

static skein_rc status_json(skn_cli *cli, bool there, const skn_server *server)
{
    here     now;
    skein_rc rc = find_here(cli, there, &now);
    skn_jw  *w = skn_item(cli);

    if (rc)
        return rc;
    skn_jw_object(w);
    skn_jw_kstr(w, "program", skn_str_of(skein_version_text()));
    skn_jw_kstr(w, "store", cli->far ? SKN_NONE : skn_place_shown(cli));
    skn_jw_kbool(w, "exists", there);
    if (server)
        status_server(w, server);
    else
        skn_jw_knull(w, "server");
    here_json(w, &now);
    skn_jw_key(w, "worlds");
    skn_jw_array(w);
    if ((rc = status_worlds(cli, there, w)))
        return rc;
    skn_jw_array_end(w);
    skn_jw_object_end(w);
    return skn_item_end(cli);
}

static void server_text(skn_cli *cli, const skn_server *server)
{
    if (!server) {
        skn_print(cli, "server   none; commands open the store themselves\n");
        return;
    }
    skn_print(cli, "server   %s", server->url);
    if (server->pid)
        skn_print(cli, "  pid %" PRId64, server->pid);
    if (server->started_at) {
        skn_print(cli, ", since ");
        skn_print_time(cli, server->started_at);
    }
    skn_print(cli, "%s\n", server->read_only ? ", only reads" : "");
}

static skein_rc status_text(skn_cli *cli, bool there, const skn_server *server)
{
    skn_str  store = cli->far ? SKN_STR("the server's") : skn_place_shown(cli);
    here     now;
    skein_rc rc = find_here(cli, there, &now);

    if (rc)
        return rc;
    skn_print(cli, "program  skein %s\nstore    %.*s%s\n", skein_version_text(), SKN_FMT(store),
              there ? "" : "  (nothing is there yet)");
    server_text(cli, server);
    if (there)
        here_text(cli, &now);
    return status_worlds(cli, there, NULL);
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

int skn_cmd_status(skn_cli *cli)
{
    skn_server server;
    bool       found, there;
    skein_rc   rc = skn_discover_any(cli, &server, &found);

    if (rc || (found && (rc = ask_named(cli, &server))))
        return (int)rc;
    rc = skn_place_open(cli);
    there = !rc;
    if (rc && rc != SKEIN_NOT_FOUND)
        return (int)rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
    rc = cli->json ? status_json(cli, there, found ? &server : NULL)
                   : status_text(cli, there, found ? &server : NULL);
    return (int)rc;
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
    if ((rc = skn_need_message(cli, &chat, ref, &message)))
        return rc;
    *out = skn_arena_printf(cli->keep, "%.*s#m-%.*s", SKN_FMT(*out), SKN_FMT(message.uid));
    return SKEIN_OK;
}

/* The same page by a link that signs the browser in, once; the address alone where there is none to be had. */
static const char *link_of(skn_cli *cli, const skn_server *server, skn_str page,
                           const char *url)
{
    skn_request_spec  what = {.method = "POST", .path = "/api/v1/session/link"};
    skn_client_answer answer;
    const skn_json   *v;
    skn_str           code = SKN_NONE;

    if (!skn_client_call(cli, server, &what, ASK_MS, &answer) &&
        !skn_json_parse(&v, answer.body, "the answer", cli->keep, NULL))
        (void)skn_json_text(v, "code", &code, NULL);
    cli->err = (skein_error){.rc = SKEIN_OK};
    if (!code.n)
        return url;
    return skn_arena_printf(cli->keep, "%s#sign-in=%.*s&to=%s", server->url, SKN_FMT(code),
                            skn_client_encode(cli->keep, page))
        .p;
}

int skn_cmd_open(skn_cli *cli)
{
    skn_server  server;
    bool        found, opened;
    skn_str     page = SKN_STR("");
    const char *url, *link;
    skn_jw     *w;
    skein_rc    rc = skn_discover_any(cli, &server, &found);

    if (rc)
        return (int)rc;
    if (!found) {
        skn_fail(&cli->err, SKEIN_NOT_FOUND, "no server runs on %.*s",
                 SKN_FMT(skn_place_shown(cli)));
        return (int)skn_hint(&cli->err, SKEIN_NOT_FOUND, "Start one with \"skein serve\"");
    }
    if ((cli->arg_count || skn_opt(cli, "world") || skn_opt(cli, "conversation")) &&
        (rc = page_of(cli, &page)))
        return (int)rc;
    url = skn_arena_printf(cli->keep, "%s%.*s", server.url, SKN_FMT(page)).p;
    link = cli->dry_run ? url : link_of(cli, &server, page, url);
    opened = !cli->dry_run && skn_browser_here() && skn_browser_open(link);
    if (cli->json) {
        w = skn_item(cli);
        skn_jw_object(w);
        skn_jw_kstr(w, "url", skn_str_of(url));
        skn_jw_kstr(w, "link", skn_str_of(link));
        skn_jw_kbool(w, "opened", opened);
        skn_jw_object_end(w);
        return (int)skn_item_end(cli);
    }
    skn_print(cli, "%s\n", url);
    if (!opened && !cli->dry_run)
        skn_note(cli,
                 "No browser here: open the address yourself, or this link, which signs a "
                 "browser in once, within 5 minutes:\n%s",
                 link);
    return 0;
}
