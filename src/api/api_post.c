/* Sending a message. It is stored; then the call is answered at once, or when all agents have answered. The caller
 * waits: see skn_posting. */
#include "api/call.h"

#define DEEPEST     100
#define SLACK       1000000 /* microseconds by which clocks of processes may differ */
#define EVENTS_MOST 100000  /* that one message may cause while somebody waits for it */

/* --- Reading what is to be said ----------------------------------------------------------- */

/* Where: chatId, or the foreground of "agent", or the current chat. */
static skein_rc find_place(skn_api_call *c)
{
    skn_str     chat, name;
    skein_agent agent;
    skein_rc    rc;

    if ((rc = skn_call_chat_id(c, &chat)) || (rc = skn_call_text(c, "agent", false, &name)))
        return rc;
    if (chat.p || !name.p) {
        rc = skn_api_chat_or_current(c);
        if (rc == SKEIN_SESSION_OFF && !chat.p &&
            !skein_chat_first(c->engine, c->world.id, c->mem, &c->chat, NULL)) {
            c->error = (skein_error){.rc = SKEIN_OK};
            rc = SKEIN_OK;
        }
        return rc || c->chat.mode != SKEIN_BACKGROUND
                   ? rc
                   : skn_call_invalid(
                         c, "/chatId",
                         "is an agent's background, where nobody else speaks; give "
                         "the agent a task, or tell it something");
    }
    rc = skn_find_agent(c, name, &agent);
    return rc ? rc
              : skein_conversation_of(c->engine, agent.id, SKEIN_FOREGROUND, c->mem, &c->chat,
                                      &c->error);
}

static skein_rc bad_link(skn_api_call *c, const char *problem, skn_str chain, const char *why)
{
    skein_rc rc = skn_call_problem(c, 400, problem, "%s", why);

    c->problem_extra = skn_arena_printf(c->mem, "\"chain\":[%.*s],\"limit\":%d", SKN_FMT(chain),
                                        DEEPEST);
    return rc;
}

static void add_link(skn_buf *chain, skn_str uid)
{
    skn_jw w;

    if (chain->n)
        skn_buf_addc(chain, ',');
    skn_jw_init(&w, chain);
    skn_jw_str(&w, uid);
}

/* Looks for the new message among the ancestors of its parent. */
static skein_rc check_ring(skn_api_call *c, const skein_message *parent, skn_str own)
{
    skein_messages up;
    skn_buf        chain;
    skein_rc       rc = skein_reply_ancestors(c->engine, c->chat.id, 0, parent->id, c->mem, &up,
                                              &c->error);
    bool           ring = skn_str_eq(parent->uid, own);

    if (rc)
        return rc;
    skn_buf_init(&chain, 65536);
    add_link(&chain, own);
    add_link(&chain, parent->uid);
    for (size_t i = 0; i < up.count && !ring; i++) {
        add_link(&chain, up.at[i].uid);
        ring = skn_str_eq(up.at[i].uid, own);
    }
    if (ring)
        rc = bad_link(c, "circular-reply", skn_arena_copy(c->mem, skn_buf_str(&chain)),
                      "the replies would form a ring");
    skn_buf_release(&chain);
    return rc;
}

/* A reply to an unknown message is stored with a warning; a reply that can never be right is refused. */
static skein_rc check_reply(skn_api_call *c, skn_str to, skn_str client)
{
    skein_message parent;
    skn_str       own;
    skein_rc      rc = skn_call_text(c, "messageId", false, &own);

    if (rc || !to.p)
        return rc;
    if (skn_str_eq(to, own) || skn_str_eq(to, client))
        return bad_link(c, "self-reply", SKN_STR(""), "a message cannot reply to itself");
    if (skein_message_find(c->engine, c->chat.id, 0, to, c->mem, &parent, NULL) ||
        !skn_str_eq(parent.uid, to))
        return SKEIN_OK;
    if (parent.reply_depth + 1 >= DEEPEST)
        return bad_link(c, "too-deep", SKN_STR(""), "the reply thread is over 100 levels deep");
    return own.p ? check_ring(c, &parent, own) : SKEIN_OK;
}

static skein_rc read_content(skn_api_call *c, skn_str *out)
{
    bool old = skn_api_has(c, "message") && !skn_api_has(c, "content");

    const char *name = old ? "message" : "content";

    return skn_api_has(c, "files") ? skn_call_text(c, name, false, out)
                                   : skn_call_words(c, name, true, out);
}

static skein_rc read_post(skn_api_call *c, skein_post *post, skein_new_message *m)
{
    skein_instruction *instructions;
    skein_rc           rc;

    *m = (skein_new_message){.role = SKEIN_USER};
    *post = (skein_post){.message = m};
    if ((rc = read_content(c, &m->content)) || (rc = skn_call_said(c, m)) ||
        (rc = skn_call_text(c, "clientMessageId", false, &post->client_id)) ||
        (rc = skn_call_text(c, "model", false, &post->model)) ||
        (rc = skn_call_int(c, "maxTokens", 1, SKN_AGENT_TOKENS_MOST, 0, &post->most_tokens)) ||
        (rc = skn_call_flag(c, "now", false, &post->now)) ||
        (rc = skn_api_instructions(c, c->json, &instructions, &m->instruction_count)))
        return rc;
    m->instructions = instructions;
    if ((rc = skn_api_take_files(c, &m->files)))
        return rc;
    if (!post->client_id.p)
        post->client_id = c->key;
    return SKEIN_OK;
}

/* --- Where its events begin ------------------------------------------------------- */

/* Of a message that was stored before: the events from shortly before it, found by bisection. */
static skein_rc find_start(skn_posting *p, int64_t oldest)
{
    skn_api_call *c = p->c;
    int64_t       lo = oldest, hi = p->before, said = p->posted.message.created_at - SLACK;
    skein_rc      rc;

    while (lo < hi) {
        skein_event_query q = {.after = lo + (hi - lo) / 2, .limit = 1};
        skein_events      one;

        if ((rc = skein_events_read(c->engine, &q, c->mem, &one, &c->error)))
            return rc;
        if (one.count && one.at[0].at < said && one.at[0].seq <= hi)
            lo = one.at[0].seq;
        else
            hi = q.after;
    }
    p->before = lo;
    return SKEIN_OK;
}

/* --- Storing it ------------------------------------------------------------------ */

static skein_rc store(skn_posting *p)
{
    skn_api_call *c = p->c;
    int64_t       forgotten = 0;
    bool          follow;
    skein_rc      rc;

    if ((rc = skn_find_named(c)) || (!c->chat.id.v && (rc = find_place(c))) ||
        (rc = read_post(c, &p->post, &p->message)) ||
        (rc = skn_call_flag(c, "stream", false, &p->stream)))
        return rc;
    p->stream = p->stream || c->wants_stream;
    p->post.chat = c->chat.id;
    follow = p->stream || c->wait_ms > 0;
    if ((rc = check_reply(c, p->message.reply_to, p->post.client_id)) ||
        (follow && (rc = skein_events_span(c->engine, &p->before, &forgotten, &c->error))) ||
        (rc = skein_post_message(c->engine, &p->post, c->mem, &p->posted, &c->error)) ||
        (rc = skein_posted_notice(c->engine, c->world.id, &p->posted, c->mem, &p->notice,
                                  &c->error)))
        return rc;
    return follow && p->posted.again ? find_start(p, forgotten) : SKEIN_OK;
}

skein_rc skn_post_store(skn_posting *p)
{
    return skn_api_blame(p->c, store(p));
}

void skn_post_answer(skn_posting *p)
{
    skn_api_call *c = p->c;
    bool          named = skn_api_has(c, "clientMessageId");

    skn_api_location(c, 202, "/messages/%.*s", SKN_FMT(p->posted.message.uid));
    skn_api_write_posted(c, &p->posted, named ? p->post.client_id : SKN_NONE, &p->notice);
}

/* --- The answers to it       --------------------------------------------------------------- */

/* Each message that caused something has its own end: agents may work on others before and after. */
static void look_at(skn_posting *p, const skein_event *e)
{
    const skn_json *data;
    skn_str         uid;
    bool            ours = skn_str_eq(e->cause, p->posted.message.uid);

    p->idle = p->idle || (ours && skn_str_is(e->type, "world.idle"));
    if (ours && skn_str_is(e->type, "message.completed") &&
        !skn_json_parse(&data, e->data, "the event", p->c->mem, NULL) &&
        !skn_json_text(data, "messageId", &uid, NULL) && uid.p)
        skn_vec_add(p->c->mem, &p->replies, uid);
}

skein_rc skn_post_look(skn_posting *p)
{
    skn_api_call     *c = p->c;
    skein_event_query q = {.world = c->world.id, .chat = c->chat.id, .after = p->before};
    skein_events      events = {0};
    size_t            seen = 0;
    skein_rc          rc;

    p->replies.n = 0;
    p->idle = false;
    do {
        if ((rc = skein_events_read(c->engine, &q, c->mem, &events, &c->error)))
            return rc;
        for (size_t i = 0; i < events.count; i++)
            look_at(p, &events.at[i]);
        q.after = events.count ? events.at[events.count - 1].seq : q.after;
        seen += events.count;
    } while (events.count && seen < EVENTS_MOST && !p->idle); /* behind it there is no reply */
    return SKEIN_OK;
}

/* The message and what answers it, as they stand now; one that still waits is not among them. */
static skein_rc read_replies(skn_posting *p, skn_told_messages *told, bool *said)
{
    skn_api_call  *c = p->c;
    skein_messages list = {SKN_ARRAY(c->mem, p->replies.n + 1, skein_message), 0};
    skein_rc       rc = skn_find_message(c, p->posted.message.uid, &list.at[0]);

    *said = rc == SKEIN_OK;
    list.count = *said;
    if (rc && rc != SKEIN_NOT_FOUND)
        return rc;
    for (size_t i = 0; i < p->replies.n; i++)
        if ((rc = skn_find_message(c, p->replies.p[i], &list.at[list.count++])))
            return rc;
    return skn_api_explain(c, c->chat.version, &list, told);
}

skein_rc skn_post_gather(skn_posting *p)
{
    skn_api_call     *c = p->c;
    skn_told_messages told;
    bool              said;
    skein_rc          rc;

    if ((rc = skn_post_look(p)) ||
        (rc = skein_conversation_get(c->engine, c->chat.id, c->mem, &c->chat, &c->error)) ||
        (rc = read_replies(p, &told, &said)))
        return rc;
    skn_api_location(c, 200, "/messages/%.*s", SKN_FMT(p->posted.message.uid));
    skn_jw_object(&c->w);
    skn_jw_key(&c->w, "message");
    if (said)
        skn_api_write_message(c, &told, 0);
    else
        skn_shape_message(&c->w, c->chat.uid, &p->posted.message, NULL);
    skn_jw_karray(&c->w, "replies");
    for (size_t i = said; i < told.list.count; i++)
        skn_api_write_message(c, &told, i);
    skn_jw_array_end(&c->w);
    skn_jw_kbool(&c->w, "timedOut", p->late);
    skn_shape_noticed(&c->w, &p->notice);
    c->early = p->late;
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

/* --- Without a server ----------------------------------------------------------------------- */

/* Agents answer where they run: nobody waits for them here. */
skein_rc skn_api_post_message(skn_api_call *c)
{
    skn_posting p = {.c = c};
    bool        stream;
    skein_rc    rc = skn_call_flag(c, "stream", false, &stream);

    if (rc == SKEIN_OK && stream)
        rc = skn_call_problem(c, 501, "server-needed", "a stream needs a server");
    if (rc || (rc = skn_post_store(&p)))
        return rc;
    skn_post_answer(&p);
    return SKEIN_OK;
}
