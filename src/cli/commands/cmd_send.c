/* Saying something: to the server that runs on the store, which has it answered, or into the store. */
#include "api/call.h"
#include "base/uid.h"
#include "cli/answers.h"
#include "cli/commands.h"

#include <inttypes.h>
#include <unistd.h>

#define POST_MS 30000

typedef struct sending {
    skein_world        world;
    skein_conversation chat;
    skein_new_message  message;
    skn_server         server;
    bool               served;
    int64_t            timeout_ms;  /* -1: none */
    int64_t            most_tokens; /* of each answer; 0: as the agents have it */
} sending;

/* --- What to say -------------------------------------------------------------------------- */

static skein_rc given_text(skn_cli *cli, skn_str *out)
{
    const char *file = skn_opt(cli, "file");
    bool        dash = cli->arg_count == 1 && skn_str_is(skn_arg(cli, 0), "-");
    skein_rc    rc;

    if (cli->arg_count && !dash) {
        if (file)
            return skn_fail(&cli->err, SKEIN_USAGE, "give the text or a file, not both");
        *out = skn_args_joined(cli, 0);
        return SKEIN_OK;
    }
    if (!file && !dash && isatty(STDIN_FILENO) && !skn_opt(cli, "attach"))
        return skn_fail_hint(&cli->err, SKEIN_USAGE, "Try: skein send \"hello\"",
                             "\"skein send\" needs a text");
    if (!file && !dash && skn_opt(cli, "attach")) { /* a file may go without words */
        *out = SKN_STR("");
        return SKEIN_OK;
    }
    rc = skn_read_file(cli, file ? file : "-", SKN_TEXT_LIMIT, out);
    if (!rc && out->n && out->p[out->n - 1] == '\n')
        out->n--;
    return rc;
}

static skein_rc check_text(skn_cli *cli, skn_str text)
{
    if (skn_str_trim(text).n || skn_opt(cli, "attach"))
        return SKEIN_OK;
    return skn_fail_hint(&cli->err, SKEIN_INVALID, "Try: skein send \"hello\"",
                         "the message has no text");
}

static skn_names names_of(skn_cli *cli, const char *option)
{
    skn_vec(const char *) list = {0};
    size_t      at = 0;
    const char *name;

    while ((name = skn_opt_next(cli, option, &at)))
        skn_vec_add(cli->keep, &list, name);
    return (skn_names){list.p, list.n};
}

static skein_rc prepare(skn_cli *cli, sending *s)
{
    skn_saying what = {.reply_to = skn_opt(cli, "reply-to"),
                       .to = names_of(cli, "to"),
                       .expect = names_of(cli, "expect-reply"),
                       .tags = names_of(cli, "tag")};
    bool       any = true;
    skein_rc   rc;

    /* What is refused makes no conversation, and a dry run makes none. */
    if ((rc = skn_await_timeout(cli, &s->timeout_ms)) ||
        (rc = skn_opt_int(cli, "max-tokens", 1, SKN_AGENT_TOKENS_MOST, 0, &s->most_tokens)) ||
        (rc = skn_need_chat_if_any(cli, &s->world, &s->chat, &any)) ||
        (rc = given_text(cli, &what.text)) || (rc = check_text(cli, what.text)))
        return rc;
    if (!any && cli->dry_run) {
        s->message.content = what.text;
        return SKEIN_OK;
    }
    if ((!any && (rc = skn_make_first_chat(cli, &s->chat))) ||
        (rc = skn_say_compose(cli, &s->chat, &what, &s->message)))
        return rc;
    return skn_discover(cli, &s->server, &s->served);
}

/* --- Without a server --------------------------------------------------------------------- */

static skein_rc said(skn_cli *cli, const skn_json *v)
{
    skein_message_facts facts;
    skein_message       m;
    skn_jw             *w;

    if (cli->json) {
        w = skn_item_begin(cli);
        skn_jw_kstr(w, "event", SKN_STR("message.created"));
        for (const skn_json *member = v->first; member; member = member->next)
            skn_jw_member(w, member);
        return skn_item_close(cli);
    }
    skn_door_read_message(cli, v, &m, &facts, NULL);
    skn_print_sender(cli, m.sender, 5);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_id(cli, m.uid);
    skn_print_heard(cli, &m, &facts);
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

static skein_rc store_it(skn_cli *cli, const sending *s)
{
    skn_str          body = skn_say_body(cli, &s->chat, &s->message, SKN_NONE, SKN_NONE, 0);
    const skn_append what = {.messages = &body, .count = 1};
    const skn_json  *stored;
    skein_rc         rc;

    if ((rc = skn_append_send(cli, &what, &stored)) || (rc = said(cli, stored->first)))
        return rc;
    if (!skn_opt(cli, "no-wait"))
        skn_note(cli, "%s: it is stored, and nobody answers.", skn_nobody_runs(cli));
    return SKEIN_OK;
}

/* --- With a server ------------------------------------------------------------------------ */

/* The answer to a post is the message, in the shape that the event has. */
static skein_rc post_only(skn_cli *cli, const sending *s, const skn_request_spec *post)
{
    skn_news          news = {.cli = cli};
    skn_news_item     item = {.type = SKN_STR("message.created")};
    skn_answers       answers;
    skn_client_answer got;
    bool              queued = false;
    skein_rc          rc;

    if ((rc = skn_client_call(cli, &s->server, post, POST_MS, &got)) ||
        (rc = skn_json_parse(&item.data, got.body, "the answer of the server", cli->keep,
                             &cli->err)))
        return rc;
    (void)skn_json_flag(item.data, "queued", false, &queued, NULL);
    item.message = item.cause = skn_json_str(item.data, "messageId");
    item.agent = skn_json_str(item.data, "sender");
    item.reply_to = skn_json_str(item.data, "replyToMessageId");
    item.text = skn_json_str(item.data, "content");
    skn_answers_init(&answers, cli, &news);
    answers.message = item.message;
    rc = skn_answers_take(&answers, &item);
    skn_answers_release(&answers);
    if (queued)
        skn_note_queued(cli);
    skn_say_notice(cli, item.data);
    return rc;
}

static skein_rc post_and_wait(skn_cli *cli, const sending *s, const skn_request_spec *post)
{
    skn_await w;
    skein_rc  rc;

    skn_await_init(&w, cli, &s->world, &s->chat, &s->server);
    w.news.first = *post;
    rc = skn_await_answers(&w, s->timeout_ms);
    skn_await_release(&w);
    return rc;
}

static skein_rc send_it(skn_cli *cli, const sending *s)
{
    skn_request_spec post = {.method = "POST",
                             .path = skn_world_path(cli, &s->world, "messages"),
                             .body = skn_say_body(cli, &s->chat, &s->message,
                                                  skn_say_client_id(cli), SKN_NONE,
                                                  s->most_tokens)};

    if (skn_opt(cli, "no-wait"))
        return post_only(cli, s, &post);
    return post_and_wait(cli, s, &post);
}

/* --- Files that go with it ------------------------------------------------------------------ */

#define FILE_LIMIT ((size_t)17 << 20) /* more is refused by every store */

static skein_rc upload(skn_cli *cli, const sending *s, const char *path, skn_str *id)
{
    const char       *slash = strrchr(path, '/');
    skn_request_spec  post = {.method = "POST", .type = "application/octet-stream"};
    skn_client_answer got;
    const skn_json   *v;
    skein_rc          rc = skn_read_file(cli, path, FILE_LIMIT, &post.body);

    post.path = skn_world_path(
        cli, &s->world,
        skn_arena_text(cli->keep, "files?name=%s",
                       skn_client_encode(cli->keep, skn_str_of(slash ? slash + 1 : path))));
    if (rc ||
        (rc = skn_client_call(cli, s->served ? &s->server : &cli->door->server, &post, POST_MS,
                              &got)) ||
        (rc = skn_json_parse(&v, got.body, "the answer of the server", cli->keep, &cli->err)))
        return rc;
    *id = skn_json_str(v, "id");
    return SKEIN_OK;
}

static skein_rc attach(skn_cli *cli, sending *s)
{
    skn_names all = names_of(cli, "attach");
    skn_buf   b;
    skn_jw    w;
    skein_rc  rc = SKEIN_OK;

    skn_jw_open(&w, &b, (size_t)1 << 20);
    skn_jw_array(&w);
    for (size_t i = 0; i < all.count && !rc; i++) {
        skn_str id;

        if (!(rc = upload(cli, s, all.at[i], &id)))
            skn_jw_str(&w, id);
    }
    skn_jw_array_end(&w);
    if (!rc && all.count)
        s->message.files = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_buf_release(&b);
    return rc;
}

skein_rc skn_cmd_send(skn_cli *cli)
{
    sending  s = {.timeout_ms = -1};
    skein_rc rc = prepare(cli, &s);

    if (rc)
        return rc;
    if (skn_would(cli, "say %zu bytes in %.*s", s.message.content.n,
                  SKN_FMT(s.chat.uid.n ? s.chat.uid : SKN_STR("a new conversation"))))
        return SKEIN_OK;
    skn_current_note(cli, &s.world);
    if ((rc = attach(cli, &s)))
        return rc;
    return s.served ? send_it(cli, &s) : store_it(cli, &s);
}

typedef skn_vec(skein_instruction) instruction_list;

/* Whom it is for stands at its start, where every reader of the conversation sees it. */
static skein_rc address(skn_cli *cli, const skn_saying *what, skn_str *text)
{
    skein_agent agent;
    skn_buf     out;
    skein_rc    rc = SKEIN_OK;

    skn_buf_init(&out, SKN_TEXT_LIMIT + 4096);
    for (size_t i = 0; i < what->to.count && !rc; i++)
        if (!(rc = skn_need_agent(cli, what->to.at[i], &agent)))
            skn_buf_addf(&out, "@%.*s ", SKN_FMT(agent.name));
    skn_buf_add(&out, what->text);
    if (!rc)
        *text = skn_arena_copy(cli->keep, skn_buf_str(&out));
    skn_buf_release(&out);
    return rc;
}

static void instruct(skn_cli *cli, instruction_list *list, skn_str type, skn_str target)
{
    skein_instruction one = {type, target.n ? target : SKN_NONE};

    for (size_t i = 0; i < list->n; i++)
        if (skn_str_eq(list->p[i].type, one.type) && skn_str_eq(list->p[i].target, one.target))
            return;
    skn_vec_add(cli->keep, list, one);
}

static bool is_asked_for(const skn_saying *what, skn_str tag)
{
    for (size_t i = 0; i < what->tags.count; i++)
        if (skn_str_is(tag, what->tags.at[i]))
            return true;
    return false;
}

static skein_rc check_tags(skn_cli *cli, const skn_json_list *all, const skn_saying *what)
{
    for (size_t i = 0; i < what->tags.count; i++)
        if (!skn_list_find(all, "name", skn_str_of(what->tags.at[i])))
            return skn_no_tag(skn_str_of(what->tags.at[i]), cli->keep, &cli->err);
    return SKEIN_OK;
}

/* Tags that are on in the conversation, and those asked for here. */
static skein_rc add_tags(skn_cli *cli, const skn_saying *what, instruction_list *list)
{
    skn_json_list all = {0};
    skein_rc      rc = skn_tags_read(cli, &all);

    if (rc || (rc = check_tags(cli, &all, what)))
        return rc;
    for (size_t i = 0; i < all.n; i++)
        if (skn_has(all.p[i], "includeInMessage") &&
            (skn_has(all.p[i], "active") || is_asked_for(what, skn_json_str(all.p[i], "name"))))
            instruct(cli, list, skn_json_str(all.p[i], "instruction"),
                     skn_json_str(all.p[i], "target"));
    return SKEIN_OK;
}

static skein_rc add_expected(skn_cli *cli, const skn_saying *what, instruction_list *list)
{
    skein_agent agent;
    skein_rc    rc;

    for (size_t i = 0; i < what->expect.count; i++) {
        if ((rc = skn_need_agent(cli, what->expect.at[i], &agent)))
            return rc;
        instruct(cli, list, SKN_STR("ResponseExpected"), agent.name);
    }
    return SKEIN_OK;
}

/* What the conversation asks for, as it is set now. */
static skein_rc add_state(skn_cli *cli, const skein_conversation *chat, instruction_list *list)
{
    skein_conversation now;
    const skn_json    *v;
    skein_rc           rc = skn_door_get(cli, &v, "%s/chats/%s", cli->door->world,
                                         skn_door_part(cli, chat->uid));

    if (rc)
        return rc;
    skn_door_read_chat(cli, v, &now);
    if (now.reply_expected.n)
        instruct(cli, list, SKN_STR("ResponseExpected"), now.reply_expected);
    if (now.read_only)
        instruct(cli, list, SKN_STR("ReadOnly"), SKN_NONE);
    return SKEIN_OK;
}

skein_rc skn_say_compose(skn_cli *cli, const skein_conversation *chat, const skn_saying *what,
                         skein_new_message *out)
{
    instruction_list list = {0};
    skein_message    parent;
    skein_rc         rc;

    *out = (skein_new_message){.role = SKEIN_USER, .sender = SKN_STR("human")};
    if ((rc = address(cli, what, &out->content)) || (rc = add_expected(cli, what, &list)) ||
        (rc = add_state(cli, chat, &list)) || (rc = add_tags(cli, what, &list)))
        return rc;
    if (what->reply_to) {
        if ((rc = skn_need_message(cli, skn_str_of(what->reply_to), &parent)))
            return rc;
        out->reply_to = parent.uid;
    }
    out->instructions = list.p;
    out->instruction_count = list.n;
    return SKEIN_OK;
}

skn_str skn_say_body(skn_cli *cli, const skein_conversation *chat, const skein_new_message *m,
                     skn_str client, skn_str model, int64_t most_tokens)
{
    skn_buf b;
    skn_jw  w;

    skn_jw_open(&w, &b, 7 * SKN_TEXT_LIMIT);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "content", m->content);
    skn_jw_kstr(&w, "chatId", chat->uid);
    skn_jw_kstr(&w, "clientMessageId", client);
    skn_jw_kstr(&w, "replyToMessageId", m->reply_to);
    skn_jw_kstr(&w, "model", model);
    if (most_tokens)
        skn_jw_kint(&w, "maxTokens", most_tokens);
    skn_jw_karray(&w, "instructions");
    for (size_t i = 0; i < m->instruction_count; i++) {
        skn_jw_object(&w);
        skn_jw_kstr(&w, "type", m->instructions[i].type);
        skn_jw_kgiven(&w, "target", m->instructions[i].target);
        skn_jw_object_end(&w);
    }
    skn_jw_array_end(&w);
    if (m->files.p) {
        skn_jw_key(&w, "files");
        skn_jw_raw(&w, m->files);
    }
    skn_jw_object_end(&w);
    return skn_buf_keep(&b, cli->keep);
}

skn_str skn_say_client_id(skn_cli *cli)
{
    return skn_arena_printf(cli->keep, "cli-%016" PRIx64, skn_random());
}

const char *skn_world_path(skn_cli *cli, const skein_world *world, const char *rest)
{
    return skn_arena_text(cli->keep, "/worlds/%s/%s", skn_client_encode(cli->keep, world->name),
                          rest);
}

void skn_say_notice(skn_cli *cli, const skn_json *answer)
{
    const skn_json *notice = skn_json_get(answer, "notice");

    if (notice && notice->kind == SKN_JSON_OBJECT)
        skn_note(cli, "%.*s %.*s", SKN_FMT(skn_json_str(notice, "text")),
                 SKN_FMT(skn_json_str(notice, "hint")));
}
