#include "cli/say.h"

#include "base/error.h"
#include "base/rand.h"
#include "cli/client.h"
#include "cli/far.h"
#include "cli/news.h"
#include "cli/print.h"

#include <inttypes.h>

typedef skn_vec(skein_instruction) instruction_list;

/* Whom it is for stands at its start, where every reader of the conversation sees it. */
static skein_rc address(skn_cli *cli, const skein_world *world, const skn_saying *what,
                        skn_str *text)
{
    skein_agent agent;
    skn_buf     out;
    skein_rc    rc = SKEIN_OK;

    skn_buf_init(&out, SKN_TEXT_LIMIT + 4096);
    for (size_t i = 0; i < what->to.count && !rc; i++)
        if (!(rc = skn_need_agent(cli, world, what->to.at[i], &agent)))
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

static skein_rc check_tags(skn_cli *cli, const skein_tags *all, const skn_saying *what)
{
    size_t found;

    for (size_t i = 0; i < what->tags.count; i++) {
        for (found = 0; found < all->count; found++)
            if (skn_str_is(all->at[found].name, what->tags.at[i]))
                break;
        if (found == all->count) {
            skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no tag \"%s\"", what->tags.at[i]);
            return skn_hint(&cli->err, SKEIN_NOT_FOUND, "Define it with \"skein tag new\"");
        }
    }
    return SKEIN_OK;
}

/* Tags that are on in the conversation, and those asked for here. */
static skein_rc add_tags(skn_cli *cli, const skein_conversation *chat, const skn_saying *what,
                         instruction_list *list)
{
    skein_tags all;
    skein_rc   rc = skn_far_tags(cli, chat, &all);

    if (rc || (rc = check_tags(cli, &all, what)))
        return rc;
    for (size_t i = 0; i < all.count; i++)
        if (all.at[i].include_in_message &&
            (all.at[i].active || is_asked_for(what, all.at[i].name)))
            instruct(cli, list, all.at[i].instruction, all.at[i].target);
    return SKEIN_OK;
}

static skein_rc add_expected(skn_cli *cli, const skein_world *world, const skn_saying *what,
                             instruction_list *list)
{
    skein_agent agent;
    skein_rc    rc;

    for (size_t i = 0; i < what->expect.count; i++) {
        if ((rc = skn_need_agent(cli, world, what->expect.at[i], &agent)))
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
    skein_rc           rc = skn_far_get(cli, &v, "%s/chats/%s", cli->door->world,
                                        skn_far_part(cli, chat->uid));

    if (rc)
        return rc;
    skn_far_read_chat(cli, v, &now);
    if (now.reply_expected.n)
        instruct(cli, list, SKN_STR("ResponseExpected"), now.reply_expected);
    if (now.read_only)
        instruct(cli, list, SKN_STR("ReadOnly"), SKN_NONE);
    return SKEIN_OK;
}

skein_rc skn_say_compose(skn_cli *cli, const skein_world *world, const skein_conversation *chat,
                         const skn_saying *what, skein_new_message *out)
{
    instruction_list list = {0};
    skein_message    parent;
    skein_rc         rc;

    *out = (skein_new_message){.role = SKEIN_USER, .sender = SKN_STR("human")};
    if ((rc = address(cli, world, what, &out->content)) ||
        (rc = add_expected(cli, world, what, &list)) || (rc = add_state(cli, chat, &list)) ||
        (rc = add_tags(cli, chat, what, &list)))
        return rc;
    if (what->reply_to) {
        if ((rc = skn_need_message(cli, chat, skn_str_of(what->reply_to), &parent)))
            return rc;
        out->reply_to = parent.uid;
    }
    out->instructions = list.p;
    out->instruction_count = list.n;
    return SKEIN_OK;
}

skn_str skn_say_body(skn_cli *cli, const skein_conversation *chat, const skein_new_message *m,
                     skn_str client, skn_str model)
{
    skn_buf b;
    skn_jw  w;
    skn_str body;

    skn_buf_init(&b, 7 * SKN_TEXT_LIMIT);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "content", m->content);
    skn_jw_kstr(&w, "chatId", chat->uid);
    skn_jw_kstr(&w, "clientMessageId", client);
    skn_jw_kstr(&w, "replyToMessageId", m->reply_to);
    skn_jw_kstr(&w, "model", model);
    skn_jw_key(&w, "instructions");
    skn_jw_array(&w);
    for (size_t i = 0; i < m->instruction_count; i++) {
        skn_jw_object(&w);
        skn_jw_kstr(&w, "type", m->instructions[i].type);
        if (m->instructions[i].target.p)
            skn_jw_kstr(&w, "target", m->instructions[i].target);
        skn_jw_object_end(&w);
    }
    skn_jw_array_end(&w);
    skn_jw_object_end(&w);
    body = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_buf_release(&b);
    return body;
}

skn_str skn_say_client_id(skn_cli *cli)
{
    return skn_arena_printf(cli->keep, "cli-%016" PRIx64, skn_random());
}

const char *skn_world_path(skn_cli *cli, const skein_world *world, const char *rest)
{
    return skn_arena_printf(cli->keep, "/worlds/%s/%s",
                            skn_client_encode(cli->keep, world->name), rest)
        .p;
}

void skn_say_notice(skn_cli *cli, const skn_json *answer)
{
    const skn_json *notice = skn_json_get(answer, "notice");

    if (notice && notice->kind == SKN_JSON_OBJECT)
        skn_note(cli, "%.*s %.*s", SKN_FMT(skn_news_text(notice, "text")),
                 SKN_FMT(skn_news_text(notice, "hint")));
}
