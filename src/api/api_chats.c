/* Conversations: the chats of a world, and those that its agents have for themselves. */
#include "api/call.h"

#include "base/hash.h"

typedef struct wanted {
    bool       any_mode, any_agent;
    skein_mode mode;
    skn_str    agent;
} wanted;

/* Background conversations are listed under their agent, or when they are asked for. */
static bool is_wanted(const wanted *q, const skein_conversation *chat)
{
    if (!q->any_agent && !skn_str_eq(chat->agent_name, q->agent))
        return false;
    return q->any_mode ? !q->any_agent || chat->mode != SKEIN_BACKGROUND
                       : chat->mode == q->mode;
}

static skein_rc read_wanted(skn_api_call *c, wanted *q)
{
    skn_str     mode = skn_call_query(c, "mode"), name = skn_call_query(c, "agent");
    skein_agent agent;
    skein_rc    rc;

    *q = (wanted){.any_mode = !mode.p, .any_agent = !name.p};
    if (mode.p && !skn_mode_from(mode, &q->mode))
        return skn_call_invalid(c, "/mode", "is none of chat, foreground and background");
    if (!name.p)
        return SKEIN_OK;
    if ((rc = skn_find_agent(c, name, &agent)))
        return rc;
    q->agent = agent.name;
    return SKEIN_OK;
}

skein_rc skn_api_list_chats(skn_api_call *c)
{
    skein_conversations all;
    wanted              q;
    bool                removed, archived;
    size_t              n = 0;
    skein_rc            rc;

    if ((rc = read_wanted(c, &q)) || (rc = skn_api_flag(c, "removed", &removed)) ||
        (rc = skn_api_flag(c, "archived", &archived)) ||
        (rc = removed || archived
                  ? skein_conversation_removed(c->engine, c->world.id, c->mem, &all, &c->error)
                  : skein_conversation_list(c->engine, c->world.id, c->mem, &all, &c->error)))
        return rc;
    for (size_t i = 0; i < all.count; i++)
        if (is_wanted(&q, &all.at[i]))
            all.at[n++] = all.at[i];
    return skn_answer_list(c, SKN_STR("chats"), SKN_LIST_FIELDS, all.at, n, &skn_chat_shape);
}

/* The state and a hash of the whole chat: the same whichever fields an answer has. */
static skn_str chat_tag(skn_api_call *c, const skein_conversation *chat)
{
    skn_str state = skn_call_chat_etag(c, chat), tag;
    skn_buf b;
    skn_jw  w;

    skn_jw_open(&w, &b, 64 * 1024);
    skn_shape_chat(&w, chat);
    tag = skn_arena_printf(c->mem, "%.*s-%08x\"", (int)state.n - 1, state.p,
                           (unsigned)(skn_hash_bytes(7, skn_buf_str(&b)) & 0xffffffff));
    skn_buf_release(&b);
    return tag;
}

static skein_rc answer_chat(skn_api_call *c, const skein_conversation *chat)
{
    skn_call_add_header(c, "ETag", chat_tag(c, chat));
    return skn_answer_one(c, &skn_chat_shape, chat);
}

/* Two calls at the same time get the same first chat. Where all are archived, another one is made. */
static skein_rc first_chat(skn_api_call *c, skn_str title, skein_conversation *out)
{
    skein_rc rc = skein_chat_first(c->engine, c->world.id, c->mem, out, &c->error);

    if (rc != SKEIN_SESSION_OFF)
        return rc;
    c->error = (skein_error){.rc = SKEIN_OK};
    return skein_chat_new(c->engine, c->world.id, title, c->mem, out, &c->error);
}

/* A chat, or with "mode" and "agent" the one conversation of that kind which the agent has. */
static skein_rc make_chat(skn_api_call *c, skein_conversation *out)
{
    skn_str     title, mode, name;
    skein_mode  kind = SKEIN_CHAT;
    bool        first;
    skein_agent agent;
    skein_rc    rc;

    if ((rc = skn_call_text(c, "title", false, &title)) ||
        (rc = skn_call_flag(c, "first", false, &first)) ||
        (rc = skn_call_text(c, "mode", false, &mode)) ||
        (rc = skn_call_text(c, "agent", false, &name)))
        return rc;
    if (mode.p && !skn_mode_from(mode, &kind))
        return skn_call_invalid(c, "/mode", "is none of chat, foreground and background");
    if (kind == SKEIN_CHAT && first)
        return first_chat(c, title, out);
    if (kind == SKEIN_CHAT)
        return skein_chat_new(c->engine, c->world.id, title, c->mem, out, &c->error);
    if (!name.p)
        return skn_call_invalid(c, "/agent", "is required");
    rc = skn_find_agent(c, name, &agent);
    return rc ? rc : skein_conversation_of(c->engine, agent.id, kind, c->mem, out, &c->error);
}

skein_rc skn_api_create_chat(skn_api_call *c)
{
    skein_conversation chat;
    skein_rc           rc = make_chat(c, &chat);

    if (rc)
        return skn_api_blame(c, rc);
    skn_api_location(c, 201, "/chats/%.*s", SKN_FMT(chat.uid));
    return answer_chat(c, &chat);
}

skein_rc skn_api_get_chat(skn_api_call *c)
{
    bool same = false;

    skn_call_etag(c, chat_tag(c, &c->chat), &same);
    return same ? SKEIN_OK : skn_answer_one(c, &skn_chat_shape, &c->chat);
}

static skein_rc read_change(skn_api_call *c, skein_conversation_change *out)
{
    skein_agent agent = {.id = {0}};
    skn_str     name;
    skein_rc    rc;

    *out = (skein_conversation_change){.set_title = skn_api_has(c, "title"),
                                       .set_reply_expected = skn_api_has(c, "replyExpected"),
                                       .set_read_only = skn_api_has(c, "readOnly")};
    if ((rc = skn_call_text(c, "title", false, &out->title)) ||
        (rc = skn_call_text(c, "replyExpected", false, &name)) ||
        (rc = skn_api_flag(c, "readOnly", &out->read_only)) ||
        (name.p && (rc = skn_find_agent(c, name, &agent))))
        return rc;
    out->reply_expected = agent.id;
    return SKEIN_OK;
}

/* A tag with the state alone is about the messages; the tag of a chat is about all of it. */
static skein_rc check_match(skn_api_call *c, bool *asked)
{
    skn_str  tag = chat_tag(c, &c->chat);
    skein_at said;

    *asked = false;
    if (skn_call_names_state(skn_call_header(c, "If-Match")))
        return skn_call_if_match(c, &c->chat, false, &said);
    return skn_api_changed(c,
                           skn_api_match(c, skn_str_sub(tag, 0, tag.n - 1), "the chat", asked));
}

skein_rc skn_api_update_chat(skn_api_call *c)
{
    skein_conversation_change what;
    skein_conversation        now;
    bool                      asked;
    skein_rc                  rc;

    if ((rc = read_change(c, &what)) || (rc = check_match(c, &asked)))
        return rc;
    what.was = asked ? &c->chat : NULL;
    if ((what.set_title || what.set_reply_expected || what.set_read_only) &&
        (rc = skein_conversation_set(c->engine, c->chat.id, &what, &c->error)))
        return skn_api_changed(c, rc);
    rc = skein_conversation_get(c->engine, c->chat.id, c->mem, &now, &c->error);
    return rc ? rc : answer_chat(c, &now);
}

skein_rc skn_api_remove_chat(skn_api_call *c)
{
    bool     force;
    skein_rc rc = skn_api_flag(c, "force", &force);

    return rc ? rc : skein_conversation_remove(c->engine, c->chat.id, force, &c->error);
}

skein_rc skn_api_restore_chat(skn_api_call *c)
{
    skein_conversation chat;
    skein_rc rc = skein_conversation_restore(c->engine, c->world.id, c->params[1], c->mem,
                                             &chat, &c->error);

    return rc ? skn_api_missing(c, rc, "chat-not-found") : answer_chat(c, &chat);
}
