/* post.c: saying something that is to be answered, or letting it wait while agents are at work. */
#include "engine/engine.h"
#include "engine/work/chat_work.h"

#define WAITING_MAX 1000 /* messages in the queue of a chat */

/* --- The sender's own names for messages ------------------------------------------------------------------ */

static skn_key client_key(const skn_working *w, skn_str client_id)
{
    return (skn_key){w->chat.id, client_id, true};
}

static uint64_t mix(uint64_t h, skn_str s)
{
    return skn_hash_bytes(h + (s.p ? s.n + 1 : 0), s.p ? s : SKN_STR(""));
}

/* What makes one post another than the one before. It is kept for a week: what is absent must not change it. */
static int64_t post_hash(const skein_post *p)
{
    const skein_new_message *m = p->message;
    uint64_t                 h = mix(
                        mix(mix(mix(1 + (uint64_t)p->most_tokens, m->sender), m->content), m->reply_to),
                        p->model);

    for (size_t i = 0; i < m->instruction_count; i++)
        h = mix(mix(h, m->instructions[i].type), m->instructions[i].target);
#define MESSAGE_GIVEN(column, member, ...)
#define MESSAGE_MADE(column, member, ...)
#define MESSAGE_SAID(column, member, ...)                                                      \
    if (m->member.p)                                                                           \
        h = mix(mix(h, SKN_STR(#column)), m->member);
#include "store/message.def"
    return (int64_t)h;
}

/* --- Saying it ------------------------------------------------------------------------------------------ */

static void list_deliveries(skn_working *w, const skn_routed *to, skein_posted *out)
{
    skein_delivery *at = SKN_ARRAY(w->a, to->agents.count, skein_delivery);

    for (size_t i = 0; i < to->agents.count; i++)
        at[i] = (skein_delivery){.agent = to->agents.at[i].name,
                                 .state = to->answers[i] ? SKN_STR("queued")
                                                         : SKN_STR("inMemory")};
    out->deliveries = (skein_deliveries){at, to->agents.count};
    out->waiting = (int64_t)to->count;
}

static void tell_created(skn_working *w, const skein_message *m, const skn_saying *s,
                         const skein_posted *p)
{
    skn_told d;

    skn_told_open(&d);
    skn_jw_kgiven(&d.w, "clientMessageId", s->client_id);
    skn_jw_kbool(&d.w, "queued", false);
    skn_jw_karray(&d.w, "delivery");
    for (size_t i = 0; i < p->deliveries.count; i++) {
        skn_jw_object(&d.w);
        skn_jw_kstr(&d.w, "agent", p->deliveries.at[i].agent);
        skn_jw_kstr(&d.w, "state", p->deliveries.at[i].state);
        skn_jw_object_end(&d.w);
    }
    skn_jw_array_end(&d.w);
    skn_feed_message(w->tx, &w->chat, "message.created", m, m->uid, &d);
}

/* Writes who has to answer, as it then stands. */
static skein_rc deliver(skn_working *w, const skein_message *m, const skn_routed *to,
                        const skn_saying *s, skn_delivery_rows *out, skein_error *err)
{
    int64_t     id = m->id.v;
    skein_world world = {0};
    bool        found;
    skein_rc    rc;

    *out = (skn_delivery_rows){0};
    if (to->count == 0)
        return SKEIN_OK;
    if ((rc = skn_world_get(w->tx, w->chat.world_id, w->a, &world, &found, err)) ||
        (rc = skn_deliver(w, m, to, m->uid, skn_turn_limit(&world), s, err)))
        return rc;
    return skn_delivery_of(w->tx, &(skn_ids){&id, 1}, w->a, out, err);
}

skein_rc skn_wake(skn_working *w, const skein_message *m, const skn_saying *s,
                  skein_posted *out, skein_error *err)
{
    skn_delivery_rows rows;
    skn_routed        to;
    skein_rc          rc = skn_route(w, m, &to, err);

    if (rc || (rc = deliver(w, m, &to, s, &rows, err)))
        return rc;
    list_deliveries(w, &to, out);
    for (size_t i = 0; i < rows.count; i++)
        out->waiting -= skn_is_resting(&rows.at[i]);
    tell_created(w, m, s, out);
    if (s->idle && out->waiting > 0)
        skn_tell_busy(w, m->uid, &rows);
    return SKEIN_OK;
}

/* What is posted in an agent's name is that agent's word: the assistant's side of its memory. */
static skein_rc settle_role(skn_working *w, skein_new_message *n, skein_error *err)
{
    skein_agent agent;
    bool        found = false;
    skein_rc    rc = SKEIN_OK;

    if (n->role == SKEIN_USER && n->sender.p && w->chat.mode == SKEIN_CHAT)
        rc = skn_agent_by_ref(w->tx, w->chat.world_id, n->sender, SKN_NONE, w->a, &agent,
                              &found, err);
    if (found && skn_str_eq(agent.name, n->sender))
        n->role = SKEIN_ASSISTANT;
    return rc;
}

static skein_rc store_message(skn_working *w, const skein_new_message *what,
                              const skn_saying *s, skein_posted *out, skein_error *err)
{
    skein_new_message n = *what;
    skein_rc          rc = settle_role(w, &n, err);

    if (rc || (rc = skn_message_say(w, &w->chat, SKN_NONE, &n, &out->message, err)))
        return rc;
    return skn_wake(w, &out->message, s, out, err);
}

/* --- Waiting ------------------------------------------------------------------------------------------------ */

/* What is damaged reads as a message without a text: the queue goes on. */
static skein_message message_of(const skn_waiting_row *row, skn_arena *a)
{
    const skn_json  *v = NULL;
    skn_told_message told;

    if (skn_json_parse(&v, row->said, "a waiting message", a, NULL))
        v = NULL;
    skn_shape_read(&skn_message_shape, v, a, &told);
    skn_shape_keep(&skn_message_shape, &told, a);
    told.m.uid = row->uid;
    told.m.born_in.v = row->conversation_id;
    told.m.role = SKEIN_USER;
    told.m.author = SKEIN_BY_HUMAN;
    told.m.created_at = row->created_at;
    told.m.position = -1;
    return told.m;
}

void skn_show_waiting(const skn_waiting_row *row, skn_arena *a, skein_posted *out)
{
    *out = (skein_posted){.queued = true, .message = message_of(row, a)};
}

skein_waiting skn_waiting_of(const skn_waiting_row *row, skn_arena *a)
{
    skein_message m = message_of(row, a);

    return (skein_waiting){m.uid,      m.sender,       m.content,
                           m.reply_to, row->client_id, m.created_at};
}

skein_rc skn_waiting_edit(skn_working *w, const skn_waiting_row *row, skn_str content,
                          skein_error *err)
{
    skein_message     m = message_of(row, w->a);
    skein_new_message n = skn_say_again(&m);

    n.content = content;
    return skn_waiting_set(w->tx, row->id, skn_message_json(&n, w->a), err);
}

/* The announced id is taken by something else: the clients that wait for it learn that no message follows. */
static skein_rc rename_waiting(skn_working *w, const skn_waiting_row *row, skn_str *uid,
                               skein_error *err)
{
    char fresh[11];

    skn_tx_uid(w->tx, fresh);
    *uid = skn_arena_copy(w->a, skn_str_of(fresh));
    skn_note_over(w, row->uid);
    return skn_key_move(w, client_key(w, row->client_id), *uid, err);
}

skein_rc skn_say_waiting(skn_working *w, const skn_waiting_row *row, bool idle,
                         skein_posted *out, skein_error *err)
{
    skein_message     m = message_of(row, w->a);
    skein_new_message n = skn_say_again(&m);
    skn_saying        s = {.client_id = row->client_id,
                           .model = row->model,
                           .most_tokens = row->most_tokens,
                           .idle = idle};
    skein_rc          rc = skn_waiting_delete(w->tx, row->id, err);

    *out = (skein_posted){0};
    n.uid = row->uid;
    if (rc || (rc = store_message(w, &n, &s, out, err)) != SKEIN_CONFLICT)
        return rc;
    rc = rename_waiting(w, row, &n.uid, err);
    return rc ? rc : store_message(w, &n, &s, out, err);
}

static skein_rc check_room(skn_working *w, skein_error *err)
{
    int64_t  count;
    skein_rc rc = skn_waiting_count(w->tx, w->chat.id, &count, err);

    if (rc || count < WAITING_MAX)
        return rc;
    return skn_fail_hint(err, SKEIN_LIMIT,
                         "Wait until the agents have answered, or take some out of the queue.",
                         "%d messages wait in this chat already", WAITING_MAX);
}

static skein_rc let_wait(skn_working *w, const skein_post *p, skein_posted *out,
                         skein_error *err)
{
    skein_new_message n = *p->message;
    skn_waiting_row   row = {.conversation_id = w->chat.id,
                             .client_id = p->client_id,
                             .created_at = w->now,
                             .model = p->model,
                             .most_tokens = p->most_tokens};
    char              uid[11];
    skein_rc          rc;

    if ((rc = check_room(w, err)))
        return rc;
    skn_tx_uid(w->tx, uid);
    row.uid = skn_arena_copy(w->a, skn_str_of(uid));
    n.sender = n.sender.p ? n.sender : SKN_STR("human");
    row.said = skn_message_json(&n, w->a);
    if ((rc = skn_waiting_insert(w->tx, &row, err)))
        return rc;
    skn_show_waiting(&row, w->a, out);
    return skn_tell_queue(w, row.uid, err);
}

/* --- Posting ------------------------------------------------------------------------------------------------- */

typedef struct post_call {
    const skein_post *post;
    skein_posted     *out;
} post_call;

/* Also those that were asked on by who answered it. */
static skein_rc still_waiting(skn_working *w, skn_str cause, int64_t *count, skein_error *err)
{
    skn_delivery_rows rows;
    skein_rc          rc = skn_delivery_pending(w->tx, w->chat.id, w->a, &rows, err);

    *count = 0;
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++)
        *count += skn_str_eq(rows.at[i].cause, cause) && !skn_is_resting(&rows.at[i]);
    return rc;
}

/* A repeated post: answers with the outcome of the first. */
static skein_rc answer_again(skn_working *w, skn_str uid, skein_posted *out, skein_error *err)
{
    skein_messages  one = {&out->message, 1};
    skn_waiting_row row;
    bool            found;
    skein_rc        rc;

    if ((rc = skn_waiting_get(w->tx, w->chat.id, uid, w->a, &row, &found, err)))
        return rc;
    if (found) {
        skn_show_waiting(&row, w->a, out);
        out->again = true;
        return SKEIN_OK;
    }
    out->again = true;
    if ((rc = skn_message_by_uid(w->tx, uid, w->a, &out->message, &found, err)))
        return rc;
    if (!found)
        return skn_fail_hint(err, SKEIN_CONFLICT,
                             "To send it anyway, post it with another client's message id.",
                             "the message \"%.*s\" was taken out of the queue", SKN_FMT(uid));
    rc = skn_deliveries_read(w, &one, &out->deliveries, err);
    return rc ? rc : still_waiting(w, uid, &out->waiting, err);
}

static skein_rc post_message(skn_working *w, void *arg, skein_error *err)
{
    post_call        *c = arg;
    const skein_post *p = c->post;
    skn_saying        s = {
               .client_id = p->client_id, .model = p->model, .most_tokens = p->most_tokens};
    skein_new_message n = *p->message;
    int64_t           hash = post_hash(p);
    skn_delivery_rows pending;
    skn_str           first;
    bool              again;
    skein_rc          rc;

    *c->out = (skein_posted){0};
    n.heard_by_given = false; /* all agents of a chat get it */
    n.heard_by_count = 0;
    if ((rc = skn_working_hold(w, p->chat, err)) ||
        (rc = skn_key_find(w, client_key(w, p->client_id), hash, &first, &again, err)))
        return rc;
    if (again)
        return answer_again(w, first, c->out, err);
    if ((rc = skn_sweep(w, &pending, err)) ||
        (w->over.n > 0 && ((rc = skn_settle(w, err)) || (rc = skn_sweep(w, &pending, err)))))
        return rc;
    s.idle = skn_in_room(&pending) == 0;
    rc = s.idle || p->now ? store_message(w, &n, &s, c->out, err) : let_wait(w, p, c->out, err);
    return rc ? rc
              : skn_key_keep(w, client_key(w, p->client_id), hash, c->out->message.uid, err);
}

static skein_rc check_post(const skein_engine *e, const skein_post *p, skein_error *err)
{
    skein_rc rc = p->message ? skn_check_new(e, p->message, err)
                             : skn_fail(err, SKEIN_INVALID, "there is no message");

    if (rc)
        return rc;
    if (p->message->role != SKEIN_USER)
        return skn_fail(err, SKEIN_INVALID, "a message of role \"%s\" cannot be posted",
                        skein_role_name(p->message->role));
    if (p->message->uid.p)
        return skn_fail(err, SKEIN_INVALID, "the id of a posted message is made here");
    if ((rc = skn_check_given(p->client_id, "the client's message id", SKN_WORD_MAX, err)))
        return rc;
    if (p->most_tokens < 0 || p->most_tokens > SKN_AGENT_TOKENS_MOST)
        return skn_fail(err, SKEIN_INVALID, "an answer has 1 to %lld tokens",
                        (long long)SKN_AGENT_TOKENS_MOST);
    return skn_check_given(p->model, "the model's name", SKN_WORD_MAX, err);
}

skein_rc skein_post_message(skein_engine *e, const skein_post *what, skein_mem *mem,
                            skein_posted *out, skein_error *err)
{
    post_call c = {what, out};
    skein_rc  rc = check_post(e, what, err);

    *out = (skein_posted){0};
    return rc ? rc : skn_write(e, mem, post_message, &c, err);
}

/* --- Deliveries ------------------------------------------------------------------------------------------------ */

static skein_rc deliveries_of(skein_engine *e, skn_tx *tx, skein_conversation_id chat,
                              int64_t version, const skein_messages *messages, skein_mem *mem,
                              skein_deliveries *out, skein_error *err)
{
    skn_conversation_row row;
    skn_version_row      at;
    skn_working          w = {.e = e, .tx = tx, .a = mem};
    skein_rc             rc;

    if ((rc = skn_conversation_need(tx, chat, mem, &row, err)) ||
        (rc = skn_version_pick(tx, &row, version, mem, &at, err)))
        return rc;
    row.version_id = at.id; /* the one whose memories are looked at */
    skn_working_at(&w, &row);
    return skn_deliveries_read(&w, messages, out, err);
}

skein_rc skein_deliveries_in(skein_engine *e, skein_conversation_id chat, int64_t version,
                             const skein_messages *messages, skein_mem *mem,
                             skein_deliveries *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    if (messages->count > SKN_BATCH_MAX)
        return skn_fail(err, SKEIN_LIMIT, "%zu messages at once; the limit is %zu",
                        messages->count, SKN_BATCH_MAX);
    while (skn_snapshot_next(&s, err))
        s.rc = deliveries_of(e, s.tx, chat, version, messages, mem, out, err);
    return s.rc;
}

skein_rc skn_maybe_failed(skein_engine *e, skein_conversation_id chat, skein_messages *list,
                          skein_mem *mem, skein_error *err)
{
    int64_t          *ids = SKN_ARRAY(mem, list->count, int64_t);
    skn_map          *failed = skn_map_new(mem);
    skn_delivery_rows rows = {0};
    skn_snapshot      s = {.store = e->store};
    size_t            n = 0;

    for (size_t i = 0; i < list->count; i++)
        ids[i] = list->at[i].id.v;
    while (skn_snapshot_next(&s, err))
        s.rc = skn_delivery_of(s.tx, &(skn_ids){ids, list->count}, mem, &rows, err);
    for (size_t i = 0; i < rows.count; i++)
        if (rows.at[i].conversation_id == chat.v &&
            (rows.at[i].state == SKN_UNANSWERED || rows.at[i].state == SKN_DROPPED))
            *skn_map_slot_int(failed, rows.at[i].message_id) = list;
    for (size_t i = 0; i < list->count; i++)
        if (skn_map_get_int(failed, ids[i]))
            list->at[n++] = list->at[i];
    list->count = s.rc ? 0 : n;
    return s.rc;
}

skein_rc skein_deliveries_of(skein_engine *e, skein_conversation_id chat,
                             const skein_messages *messages, skein_mem *mem,
                             skein_deliveries *out, skein_error *err)
{
    return skein_deliveries_in(e, chat, 0, messages, mem, out, err);
}

/* What somebody who said something should know at once. */

static bool is_paused(const skein_agents *agents, const skein_agent_work *work, skn_str name)
{
    for (size_t i = 0; i < agents->count; i++)
        if (skn_str_eq(agents->at[i].name, name))
            return work[i].paused;
    return false;
}

static void no_agents(skein_notice *out)
{
    *out = (skein_notice){
        SKN_STR("no-agents"), SKN_STR("This world has no agents, so nobody answers."),
        SKN_STR("Add an agent: on the Agents page, or with \"skein agent new NAME\".")};
}

/* All who have to answer are paused: names them, or leaves it. */
static void all_paused(const skein_deliveries *list, const skein_agents *agents,
                       const skein_agent_work *work, skein_mem *mem, skein_notice *out)
{
    skn_str names = SKN_NONE, first = SKN_NONE;
    size_t  n = 0;

    for (size_t i = 0; i < list->count; i++) {
        skn_str name = list->at[i].agent;

        if (!skn_str_is(list->at[i].state, "queued"))
            continue;
        if (!is_paused(agents, work, name))
            return;
        names = n++ ? skn_arena_printf(mem, "%.*s, %.*s", SKN_FMT(names), SKN_FMT(name)) : name;
        first = first.p ? first : name;
    }
    if (!n)
        return;
    *out = (skein_notice){SKN_STR("all-paused"),
                          skn_arena_printf(mem, "%.*s %s paused: the message waits.",
                                           SKN_FMT(names), n == 1 ? "is" : "are"),
                          skn_arena_printf(mem,
                                           "Resume %s: on the Agents page, or with \"skein "
                                           "agent resume %.*s\".",
                                           n == 1 ? "it" : "them", SKN_FMT(first))};
}

skein_rc skein_posted_notice(skein_engine *e, skein_world_id world, const skein_posted *posted,
                             skein_mem *mem, skein_notice *out, skein_error *err)
{
    skein_agents      agents;
    skein_agent_work *work;
    skein_rc          rc = skein_agent_list(e, world, mem, &agents, err);

    *out = (skein_notice){.code = SKN_NONE};
    if (rc)
        return rc;
    if (!agents.count) {
        no_agents(out);
        return SKEIN_OK;
    }
    work = SKN_ARRAY(mem, agents.count, skein_agent_work);
    if ((rc = skein_agent_work_of(e, &agents, mem, work, err)))
        return rc;
    all_paused(&posted->deliveries, &agents, work, mem, out);
    return SKEIN_OK;
}
