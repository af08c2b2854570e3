#include "cli/commands.h"

#include "base/error.h"

#include <unistd.h>

typedef skn_vec(skein_instruction) instruction_list;

static skein_rc given_text(skn_cli *cli, skn_str *out)
{
    const char *file = skn_opt(cli, "file");
    skn_buf     words;
    bool        dash = cli->arg_count == 1 && skn_str_is(skn_arg(cli, 0), "-");
    skein_rc    rc;

    if (cli->arg_count && !dash) {
        if (file)
            return skn_fail(&cli->err, SKEIN_USAGE, "give the text or a file, not both");
        skn_buf_init(&words, SKN_TEXT_LIMIT + 1);
        for (size_t i = 0; i < cli->arg_count; i++) {
            skn_buf_add(&words, i ? SKN_STR(" ") : SKN_STR(""));
            skn_buf_add(&words, skn_arg(cli, i));
        }
        *out = skn_arena_copy(cli->keep, skn_buf_str(&words));
        skn_buf_release(&words);
        return SKEIN_OK;
    }
    if (!file && !dash && isatty(STDIN_FILENO)) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"skein send\" needs a text");
        return skn_hint(&cli->err, SKEIN_USAGE, "Try: skein send \"hello\"");
    }
    rc = skn_read_file(cli, file ? file : "-", SKN_TEXT_LIMIT, out);
    if (!rc && out->n && out->p[out->n - 1] == '\n')
        out->n--;
    return rc;
}

/* Whom it is for stands at its start, where every reader of the conversation sees it. */
static skein_rc address(skn_cli *cli, const skein_world *world, skn_str *text)
{
    size_t      at = 0;
    const char *name;
    skein_agent agent;
    skn_buf     out;
    skein_rc    rc = SKEIN_OK;

    skn_buf_init(&out, SKN_TEXT_LIMIT + 4096);
    while ((name = skn_opt_next(cli, "to", &at))) {
        if ((rc = skn_need_agent(cli, world, name, &agent)))
            break;
        skn_buf_addf(&out, "@%.*s ", SKN_FMT(agent.name));
    }
    skn_buf_add(&out, *text);
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

static bool was_asked_for(const skn_cli *cli, skn_str tag)
{
    size_t      at = 0;
    const char *name;

    while ((name = skn_opt_next(cli, "tag", &at)))
        if (skn_str_is(tag, name))
            return true;
    return false;
}

/* Tags that are on in the conversation, and those asked for here. */
static skein_rc tags(skn_cli *cli, const skein_world *world, const skein_conversation *chat,
                     instruction_list *list)
{
    size_t      at = 0, found;
    const char *name;
    skein_tags  all;
    skein_rc rc = skein_tag_list(cli->engine, world->id, chat->id, cli->keep, &all, &cli->err);

    if (rc)
        return rc;
    while ((name = skn_opt_next(cli, "tag", &at))) {
        for (found = 0; found < all.count && !skn_str_is(all.at[found].name, name); found++)
            ;
        if (found == all.count) {
            skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no tag \"%s\"", name);
            return skn_hint(&cli->err, SKEIN_NOT_FOUND, "Define it with \"skein tag new\"");
        }
    }
    for (size_t i = 0; i < all.count; i++)
        if (all.at[i].include_in_message &&
            (all.at[i].active || was_asked_for(cli, all.at[i].name)))
            instruct(cli, list, all.at[i].instruction, all.at[i].target);
    return SKEIN_OK;
}

static skein_rc expected(skn_cli *cli, const skein_world *world, instruction_list *list)
{
    size_t      at = 0;
    const char *name;
    skein_agent agent;
    skein_rc    rc;

    while ((name = skn_opt_next(cli, "expect-reply", &at))) {
        if ((rc = skn_need_agent(cli, world, name, &agent)))
            return rc;
        instruct(cli, list, SKN_STR("ResponseExpected"), agent.name);
    }
    return SKEIN_OK;
}

static skein_rc compose(skn_cli *cli, const skein_world *world, const skein_conversation *chat,
                        skein_new_message *out)
{
    const char      *reply = skn_opt(cli, "reply-to");
    instruction_list list = {0};
    skein_message    parent;
    skein_rc         rc;

    *out = (skein_new_message){.role = SKEIN_USER, .sender = SKN_STR("human")};
    if ((rc = given_text(cli, &out->content)) || (rc = address(cli, world, &out->content)) ||
        (rc = expected(cli, world, &list)) || (rc = tags(cli, world, chat, &list)))
        return rc;
    if (reply) {
        if ((rc = skn_need_message(cli, chat, skn_str_of(reply), &parent)))
            return rc;
        out->reply_to = parent.uid;
    }
    out->instructions = list.p;
    out->instruction_count = list.n;
    return SKEIN_OK;
}

static skein_rc said(skn_cli *cli, const skein_conversation *chat, const skein_messages *stored)
{
    skein_message_facts  facts = {.seen_by = NULL};
    const skein_message *m = &stored->at[0];
    skn_jw              *w;
    skein_rc rc = skein_message_explain(cli->engine, chat->id, 0, stored, cli->keep, &facts,
                                        &cli->err);

    if (rc)
        return rc;
    if (cli->json) {
        w = skn_item(cli);
        skn_jw_object(w);
        skn_jw_kstr(w, "event", SKN_STR("message.created"));
        skn_shape_message_members(w, chat->uid, m, &facts);
        skn_jw_object_end(w);
        return skn_item_end(cli);
    }
    skn_print_sender(cli, m->sender, 5);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_colour(cli, SKN_YELLOW, m->uid);
    skn_print_heard(cli, m, &facts);
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

int skn_cmd_send(skn_cli *cli)
{
    skein_world          world;
    skein_conversation   chat;
    skein_new_message    message;
    skein_append_request req = {.messages = &message, .count = 1};
    skein_messages       stored;
    skein_rc             rc;

    if ((rc = skn_need_chat(cli, &world, &chat)) ||
        (rc = compose(cli, &world, &chat, &message)))
        return (int)rc;
    req.conversation = chat.id;
    if (cli->dry_run) {
        skn_would(cli, "say %zu bytes in %.*s", message.content.n, SKN_FMT(chat.uid));
        return 0;
    }
    if ((rc = skein_append(cli->engine, &req, cli->keep, &stored, &cli->err)) ||
        (rc = said(cli, &chat, &stored)))
        return (int)rc;
    if (!skn_opt(cli, "no-wait"))
        skn_note(cli, "No server runs here: it is stored, and nobody answers.");
    return 0;
}
