/* chat_input.c: what a person says in a chat, and stopping those who answer. */
#include "cli/chat_ask.h"

#include "base/error.h"
#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POST_MS    30000
#define POST_TRIES 4

static void forget_extras(skn_chat *c)
{
    c->reply_to[0] = '\0';
    while (c->tag_count)
        free(c->tags[--c->tag_count]);
}

/* The same name each time, so that it is stored once however often it has to be sent. */
static skein_rc post(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                     skn_client_answer *got)
{
    const struct timespec nap = {.tv_nsec = 500 * 1000000L};
    skein_rc              rc;

    for (int i = 1; (rc = skn_client_call(cli, server, what, POST_MS, got)); i++) {
        if (rc != SKEIN_UNREACHABLE || i == POST_TRIES)
            return rc;
        nanosleep(&nap, NULL);
    }
    return SKEIN_OK;
}

static skein_rc say(skn_chat *c, skn_cli *cli, skn_str text)
{
    const char       *tags[SKN_CHAT_NAMES];
    skn_saying        what = {.text = text, .tags = {tags, c->tag_count}};
    skein_new_message m;
    skn_str           model = skn_buf_str(&c->model);
    skn_request_spec  request = {.method = "POST"};
    skn_client_answer got;
    const skn_json   *v, *notice;
    skein_rc          rc;

    for (size_t i = 0; i < c->tag_count; i++)
        tags[i] = c->tags[i];
    if (c->reply_to[0])
        what.reply_to = c->reply_to;
    if ((rc = skn_say_compose(cli, &c->world, &c->chat, &what, &m)))
        return rc;
    request.path = skn_world_path(cli, &c->world, "messages");
    request.body = skn_say_body(cli, &c->chat, &m, skn_say_client_id(cli),
                                model.n ? model : SKN_NONE);
    if ((rc = post(cli, &c->news.server, &request, &got)) ||
        (rc = skn_json_parse(&v, got.body, "the answer of the server", cli->keep, &cli->err)))
        return rc;
    snprintf(c->said, sizeof c->said, "%.*s", SKN_FMT(skn_news_text(v, "messageId")));
    notice = skn_json_get(v, "notice");
    if (notice && notice->kind == SKN_JSON_OBJECT)
        skn_chat_tell(c, "%.*s %.*s", SKN_FMT(skn_news_text(notice, "text")),
                      SKN_FMT(skn_news_text(notice, "hint")));
    return SKEIN_OK;
}

/* It is shown when the server tells of it, like everybody's. */
void skn_chat_say(skn_chat *c, skn_str text)
{
    skn_arena       *mem = skn_arena_new();
    skn_far_question q;

    if (skn_chat_told(c, &q, say(c, skn_chat_ask(c, mem, &q), text)))
        skn_chat_complain(c);
    else
        forget_extras(c);
    skn_arena_free(mem);
    c->changed = true;
}

static skein_rc stop(skn_chat *c, skn_cli *cli, const char *agent, int64_t *count)
{
    skn_request_spec  request = {.method = "POST"};
    skn_client_answer got;
    const skn_json   *v;
    skn_str           name = SKN_NONE;
    skein_agent       who;
    skein_rc          rc;

    if (agent && (rc = skn_need_agent(cli, &c->world, agent, &who)))
        return rc;
    if (agent)
        name = who.name;
    request.path = skn_world_path(cli, &c->world, "messages/stop");
    request.body = skn_arena_printf(cli->keep, "{\"chatId\":\"%.*s\"%s%.*s%s}",
                                    SKN_FMT(c->chat.uid), name.n ? ",\"agents\":[\"" : "",
                                    SKN_FMT(name), name.n ? "\"]" : "");
    if ((rc = skn_client_call(cli, &c->news.server, &request, POST_MS, &got)) ||
        (rc = skn_json_parse(&v, got.body, "the answer of the server", cli->keep, &cli->err)))
        return rc;
    return skn_json_int(v, "stopped", 0, count, &cli->err);
}

void skn_chat_stop(skn_chat *c, const char *agent, const char *next)
{
    skn_arena       *mem = skn_arena_new();
    skn_far_question q;
    int64_t          count = 0;

    if (skn_chat_told(c, &q, stop(c, skn_chat_ask(c, mem, &q), agent, &count)))
        skn_chat_complain(c);
    else if (count)
        skn_chat_tell(c, "Stopped. What was written stays. Say what to do instead%s%s",
                      next ? "; " : ".", next ? next : "");
    else
        skn_chat_tell(c, "Nobody is at work.%s%s", next ? " " : "", next ? next : "");
    skn_arena_free(mem);
}

/* A slash begins a command; behind a blank it is text like any other. */
bool skn_chat_line(skn_chat *c, skn_str line)
{
    if (c->revised[0])
        skn_chat_revise(c, skn_str_trim(line));
    else if (c->queued[0])
        skn_chat_queue_put(c, skn_str_trim(line));
    else if (line.n && line.p[0] == '/')
        skn_chat_command(c, line);
    else if (skn_str_trim(line).n)
        skn_chat_say(c, skn_str_trim(line));
    else if (c->edit && c->boxed[0])
        skn_chat_delegation(c);
    return !c->asked;
}
