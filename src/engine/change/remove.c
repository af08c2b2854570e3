/* remove.c: a message and all after it leave every lane at once, and, in an edit, another
 * text is sent in their place in the same transaction. Nothing is lost: the version before keeps it. */
#include "engine/work/chat_work.h"

#include "base/utf8.h"

#define SHOWN_FIRST 10 /* of what leaves; and the last */
#define SHOWN_BYTES 200

typedef struct removal_call {
    skn_change_call change; /* first: it is handed on as that */
    bool            user_only, is_edit;
    skein_removal  *out;
    skn_str         edit; /* names it in its events */

    const skein_again *another; /* NULL: no agent is asked for another answer */
    skein_agent        agent;   /* whose answer it is */
} removal_call;

/* --- What leaves, in numbers ---------------------------------------------------------------------------- */

typedef struct tally {
    skn_tx    *tx;
    skn_arena *a;
    skn_map   *senders; /* name -> index + 1 */
    skn_vec(skein_removal_agent) v;
    skn_vec(skn_str) squashes; /* whose writer has yet to be looked up */
    int64_t            side_effects, tool_results, briefings, seen;
    skein_removal_line shown[SHOWN_FIRST + 1];
    size_t             shown_count;
} tally;

static skein_removal_line line_of(skn_arena *a, const skein_message *m)
{
    skn_str text = m->content;

    for (size_t i = 0; !m->content.n && i < m->call_count; i++)
        text = skn_arena_printf(a, "%.*s%s%.*s", SKN_FMT(text), i ? ", " : "calls ",
                                SKN_FMT(m->calls[i].tool_name));
    return (skein_removal_line){m->uid, m->sender, skn_utf8_cut(text, SHOWN_BYTES)};
}

/* The first ones, and behind them always the last one so far. */
static void show_message(tally *t, const skein_message *m)
{
    if (t->shown_count <= SHOWN_FIRST)
        t->shown_count++;
    t->shown[t->shown_count - 1] = line_of(t->a, m);
    t->seen++;
}

static void count_writer(tally *t, skn_str writer)
{
    void **slot = skn_map_slot(t->senders, writer);

    if (!*slot) {
        skein_removal_agent entry = {writer, 0};

        skn_vec_add(t->a, &t->v, entry);
        *slot = (void *)(uintptr_t)t->v.n;
    }
    t->v.p[(uintptr_t)*slot - 1].count++;
}

/* The sender of a squash is whose words it counts as; a model wrote it, or else who made it. */
static skein_rc count_message(void *arg, skein_message *m, skein_error *err)
{
    tally   *t = arg;
    bool     briefing = false;
    skein_rc rc = SKEIN_OK;

    if (m->role == SKEIN_ASSISTANT && m->author == SKEIN_BY_AGENT)
        rc = skn_inbox_is_briefing(t->tx, m->id.v, &briefing, err);
    if (m->squash_uid.n && !m->model.n)
        skn_vec_add(t->a, &t->squashes, m->squash_uid);
    else
        count_writer(t, m->squash_uid.n ? m->model : m->sender);
    show_message(t, m);
    t->side_effects += (int64_t)m->call_count;
    t->tool_results += m->role == SKEIN_TOOL;
    t->briefings += briefing;
    return rc;
}

static skein_rc count_squashes(tally *t, skn_tx *tx, skein_error *err)
{
    skn_squash_row  squash;
    skn_version_row made;
    bool            found;
    skein_rc        rc;

    for (size_t i = 0; i < t->squashes.n; i++) {
        if ((rc = skn_squash_by_uid(tx, t->squashes.p[i], t->a, &squash, &found, err)) ||
            (found && (rc = skn_version_get(tx, squash.version_id, t->a, &made, &found, err))))
            return rc;
        count_writer(t, found ? made.actor : SKN_STR("human"));
    }
    return SKEIN_OK;
}

static void keep_shown(removal_call *c, skn_arena *a, const skein_removal_line *at,
                       size_t count, int64_t of)
{
    c->out->preview = SKN_ARRAY(a, count, skein_removal_line);
    for (size_t i = 0; i < count; i++)
        c->out->preview[i] = at[i];
    c->out->preview_count = count;
    c->out->preview_skipped = of - (int64_t)count;
}

/* Reads all that leaves, so only a dry run asks for it. */
static skein_rc count_senders(removal_call *c, int64_t cut, skein_error *err)
{
    skn_draft *d = &c->change.draft;
    tally      t = {.tx = d->tx, .a = d->a, .senders = skn_map_new(d->a)};
    skein_rc   rc = skn_thread_each(&d->trees, &d->main->from, cut, d->main->from.length, NULL,
                                    count_message, &t, err);

    if (rc == SKEIN_OK)
        rc = count_squashes(&t, d->tx, err);
    c->out->by_sender = t.v.p;
    c->out->by_sender_count = t.v.n;
    c->out->side_effects = t.side_effects;
    c->out->tool_results = t.tool_results;
    c->out->briefings = t.briefings;
    keep_shown(c, d->a, t.shown, t.shown_count, t.seen);
    return rc;
}

/* --- Cutting lanes ----------------------------------------------------------------------------------------- */

static void note_lane(removal_call *c, const skn_lane_row *l, int64_t length, int64_t gone)
{
    skein_removal_agent entry = {l->agent_name, gone};

    if (skn_str_eq(l->key, SKN_MAIN)) {
        c->out->count = gone;
        c->out->is_first = gone == length;
    } else if (l->parent_id) {
        c->out->delegations += gone > 0;
    } else if (!l->agent_gone) {
        c->out->by_agent[c->out->by_agent_count++] = entry;
    }
}

static skein_rc cut_lanes(removal_call *c, const skn_target *t, skein_error *err)
{
    skn_draft *d = &c->change.draft;
    int64_t    cut;
    skein_rc   rc;

    c->out->by_agent = SKN_ARRAY(d->a, d->lane_count, skein_removal_agent);
    for (size_t i = 0; i < d->lane_count; i++) {
        skn_lane_draft *l = &d->lanes[i];

        if ((rc = skn_draft_place(d, l, t, &cut, err)))
            return rc;
        note_lane(c, &l->lane, l->from.length, l->from.length - cut);
        if (cut < l->from.length &&
            (rc = skn_draft_splice(d, l, cut, l->from.length, NULL, 0, err)))
            return rc;
        if (l == d->main && d->how->dry_run && (rc = count_senders(c, cut, err)))
            return rc;
    }
    return SKEIN_OK;
}

/* --- What is told ---------------------------------------------------------------------------------------------- */

static void tell_phase(const removal_call *c, const skn_conversation_row *at, const char *phase,
                       bool done)
{
    skn_feed_edit(c->change.draft.tx, at, c->edit, c->out->message_uid, phase,
                  done ? c->out->by_agent_count : 0, c->out->by_agent_count);
}

/* --- Sending the new text -------------------------------------------------------------------------------------- */

/* Before anything changes: a chat that is not in session takes no new message. */
static skein_rc check_session(removal_call *c, skein_error *err)
{
    skn_draft  *d = &c->change.draft;
    skein_world world;
    bool        found;
    skein_rc    rc;

    if (!c->is_edit || d->conversation.mode != SKEIN_CHAT)
        return SKEIN_OK;
    if ((rc = skn_world_get(d->tx, d->conversation.world_id, d->a, &world, &found, err)))
        return rc;
    if (found && world.current_chat.v != 0)
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_SESSION_OFF,
                         "Make a chat the current one: \"skein conv use CHAT\".",
                         "session mode is off in this world");
}

/* Who heard the old message hears the new one. One that all heard goes to all, also to those who came
 * since and remember nothing yet. */
static skein_rc find_hearers(const removal_call *c, const skn_target *t, skein_new_message *m,
                             skein_error *err)
{
    const skn_draft *d = &c->change.draft;
    skn_str         *names = SKN_ARRAY(d->a, d->lane_count, skn_str);
    int64_t          at;
    skein_rc         rc;

    for (size_t i = 0; i < d->lane_count; i++) {
        const skn_lane_draft *l = &d->lanes[i];
        skn_trees             f = d->trees;

        if (l == d->main || l->lane.parent_id || l->lane.agent_gone || l->from.length == 0)
            continue;
        if ((rc = skn_thread_position(&f, &l->from, &t->places, &at, err)))
            return rc;
        if (at >= 0)
            names[m->heard_by_count++] = l->lane.agent_name;
        else
            m->heard_by_given = true;
    }
    m->heard_by = names;
    if (!m->heard_by_given)
        m->heard_by_count = 0;
    return SKEIN_OK;
}

/* As if it was posted: all get it, and those it is for have to answer. */
static bool wakes(const removal_call *c, const skn_target *t)
{
    return c->change.how->wake && t->lane == c->change.draft.main;
}

static skein_rc wake(removal_call *c, skn_working *w, skein_error *err)
{
    skn_saying   s = {.client_id = c->change.how->client_id, .idle = true};
    skein_posted posted = {0};

    return skn_wake(w, c->change.message, &s, &posted, err);
}

static int64_t client_hash(const removal_call *c)
{
    return (int64_t)skn_hash_bytes((uint64_t)c->change.id.v, c->change.content);
}

static skn_key client_key(const removal_call *c)
{
    return (skn_key){c->change.draft.conversation.id, c->change.how->client_id, true};
}

/* A client's id names one message; an edit that came twice has its key to be known by. */
static skein_rc check_client(removal_call *c, skein_error *err)
{
    skn_str  first;
    bool     found;
    skein_rc rc;

    if (!c->is_edit)
        return SKEIN_OK;
    rc = skn_key_find(c->change.w, client_key(c), client_hash(c), &first, &found, err);
    if (rc || !found)
        return rc;
    return skn_fail(err, SKEIN_CONFLICT, "the client's message id \"%.*s\" was used before",
                    SKN_FMT(c->change.how->client_id));
}

static skein_rc send_again(removal_call *c, const skn_target *t, skein_error *err)
{
    skn_draft           *d = &c->change.draft;
    skein_new_message    m = skn_say_again(&t->message);
    skn_conversation_row now_at = d->conversation;
    skn_str              lane = SKN_NONE;
    skn_working          w = *d->w;
    skein_rc             rc;

    m.content = c->change.content;
    now_at.version_id = d->version_id;
    skn_working_at(&w, &now_at);
    if (t->lane != d->main)
        lane = t->lane->lane.key; /* what was asked in a delegation is asked there again */
    if ((!wakes(c, t) && (rc = find_hearers(c, t, &m, err))) ||
        (rc = skn_message_say(&w, &now_at, lane, &m, c->change.message, err)))
        return rc;
    c->change.version->length += t->lane == d->main;
    tell_phase(c, &now_at, "resubmitting", true);
    if (!wakes(c, t))
        skn_feed_message(d->tx, &now_at, "message.created", c->change.message,
                         c->change.message->uid,
                         SKN_TOLD(SKN_M_GIVEN("clientMessageId", c->change.how->client_id)));
    else if ((rc = wake(c, &w, err)))
        return rc;
    return skn_key_keep(&w, client_key(c), client_hash(c), c->change.message->uid, err);
}

/* --- Asking for another answer ---------------------------------------------------------------------------------- */

static skein_rc no_answer(const skein_message *m, skein_error *err)
{
    return skn_fail_hint(err, SKEIN_CONFLICT, "Name an answer of an agent.",
                         "message \"%.*s\" is no answer of an agent of this world",
                         SKN_FMT(m->uid));
}

/* What it answers, in the main lane of this version. */
static skein_rc find_question(removal_call *c, const skein_message *m, skein_error *err)
{
    skn_draft     *d = &c->change.draft;
    skein_message *question = &c->out->added;
    int64_t        at = -1;
    bool           found = false;
    skein_rc       rc;

    if (m->role != SKEIN_ASSISTANT || m->author != SKEIN_BY_AGENT || !m->reply_to_id.v ||
        d->conversation.mode == SKEIN_BACKGROUND)
        return no_answer(m, err);
    if ((rc = skn_agent_get(d->tx, m->author_agent.v, d->a, &c->agent, &found, err)) ||
        (found && (rc = skn_message_get(d->tx, m->reply_to_id.v, d->a, question, &found, err))))
        return rc;
    if (!found)
        return no_answer(m, err);
    rc = skn_thread_position_of(&d->trees, &d->main->from, question->id.v, &at, err);
    if (rc || (at >= 0 && !question->purged))
        return rc;
    return skn_fail(err, SKEIN_CONFLICT,
                    "the message that \"%.*s\" answers is not in the current version",
                    SKN_FMT(m->uid));
}

/* An answer that calls tools has several messages: the new one takes the place of all. */
static skein_rc find_answer(removal_call *c, skn_target *t, skein_error *err)
{
    skn_draft *d = &c->change.draft;
    skn_target first;
    skn_str    turn = t->message.turn_uid;
    skn_ids    ids;
    skein_rc   rc;

    if ((rc = find_question(c, &t->message, err)))
        return rc;
    if (t->lane != d->main)
        return no_answer(&t->message, err);
    if (!turn.n)
        return SKEIN_OK;
    if ((rc = skn_message_children(d->tx, t->message.reply_to_id.v, d->a, &ids, err)))
        return rc;
    for (size_t i = 0; i < ids.count && ids.at[i] < t->message.id.v; i++) {
        if ((rc = skn_message_get(d->tx, ids.at[i], d->a, &first.message, &(bool){false}, err)))
            return rc;
        if (!skn_str_eq(first.message.turn_uid, turn))
            continue;
        rc = skn_draft_target(d, first.message.id, &first, err);
        if (rc == SKEIN_NOT_FOUND)
            continue;
        if (rc == SKEIN_OK && first.lane == d->main && first.position < t->position)
            *t = first;
        return rc;
    }
    return SKEIN_OK;
}

static skein_rc ask_another(removal_call *c, skein_error *err)
{
    skn_draft           *d = &c->change.draft;
    skein_message        question = c->out->added;
    skn_conversation_row now_at = d->conversation;
    skn_working          w = *d->w;
    skein_posted         posted = {0};

    now_at.version_id = d->version_id;
    skn_working_at(&w, &now_at);
    tell_phase(c, &now_at, "resubmitting", true);
    return skn_ask_again(&w, &question, &c->agent, c->another, &posted, &c->out->cause, err);
}

static skein_rc check_target(const removal_call *c, const skein_message *m, skein_error *err)
{
    if (!c->user_only || (m->author == SKEIN_BY_HUMAN && m->role == SKEIN_USER))
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_NOT_USER_MESSAGE,
                         "To change it where it stands, use \"skein amend\".",
                         "message \"%.*s\" was not written by a person", SKN_FMT(m->uid));
}

/* The numbers of a removal that was made before: its threads begin with what was left of those they
 * come from. */
static skein_rc count_again(removal_call *c, const skn_conversation_row *row,
                            int64_t version_id, skein_error *err)
{
    skn_tx        *tx = c->change.w->tx;
    skn_arena     *mem = c->change.w->a;
    skn_lane_rows  lanes;
    skn_thread_row t;
    bool           found;
    skein_rc       rc = skn_lane_rows_of(tx, row->id, mem, &lanes, err);

    if (rc)
        return rc;
    c->out->by_agent = SKN_ARRAY(mem, lanes.count, skein_removal_agent);
    for (size_t i = 0; i < lanes.count; i++) {
        t = (skn_thread_row){0};
        if ((rc = skn_thread_of(tx, version_id, lanes.at[i].id, mem, &t, &found, err)))
            return rc;
        note_lane(c, &lanes.at[i], t.origin_length, t.origin_length - t.base_length);
    }
    return SKEIN_OK;
}

static skein_rc replay(skn_change_call *change, skein_error *err)
{
    removal_call        *c = (removal_call *)change;
    skn_tx              *tx = change->w->tx;
    skn_arena           *mem = change->w->a;
    skn_conversation_row row;
    skn_version_row      version, origin;
    skein_message        target;
    bool                 found;
    skein_rc             rc;

    if ((rc = skn_conversation_need(tx, change->how->conversation, mem, &row, err)) ||
        (rc = skn_version_pick(tx, &row, c->out->version.number, mem, &version, err)) ||
        (rc = skn_version_pick(tx, &row, c->out->version.origin, mem, &origin, err)) ||
        (rc = skn_message_get(tx, change->id.v, mem, &target, &found, err)) ||
        (rc = count_again(c, &row, version.id, err)) ||
        (rc = skn_version_fill(tx, &row, &origin, mem, &c->out->previous, err)))
        return rc;
    c->out->message_uid = found ? target.uid : SKN_NONE;
    if (c->another)
        c->out->cause = c->out->added.uid;
    c->out->previous.length = c->out->version.origin_length; /* it may have grown since */
    return SKEIN_OK;
}

/* To remove and to begin an edit in two steps is the same here; only the note tells them apart. */
static const char *note_word(const removal_call *c)
{
    if (c->another)
        return "retry";
    return c->is_edit || c->change.how->resubmit ? SKEIN_NOTE_EDIT : "remove from";
}

static skein_rc remove_from(skn_change_call *change, skein_error *err)
{
    removal_call *c = (removal_call *)change;
    skn_draft    *d = &change->draft;
    skn_target    t;
    char          uid[11];
    skein_rc      rc;

    *c->out = (skein_removal){.side_effects = -1, .tool_results = -1};
    if ((rc = skn_draft_target(d, change->id, &t, err)) ||
        (c->another && (rc = find_answer(c, &t, err))) ||
        (rc = check_target(c, &t.message, err)) || (rc = check_session(c, err)) ||
        (rc = check_client(c, err)) || (rc = cut_lanes(c, &t, err)))
        return rc;
    if (d->how->dry_run && !c->out->preview_count) /* it stands in a delegation only */
        keep_shown(c, d->a, (skein_removal_line[]){line_of(d->a, &t.message)}, 1, 1);
    c->out->message_uid = t.message.uid;
    d->note = skn_arena_printf(d->a, "%s %.*s", note_word(c), SKN_FMT(t.message.uid));
    skn_tx_uid(d->tx, uid);
    c->edit = skn_arena_printf(d->a, "ed_%s", uid);
    tell_phase(c, &d->conversation, "removing", false);
    rc = skn_draft_commit(d, change->version, err);
    if (rc ||
        (rc = skn_version_fill(d->tx, &d->target, &d->base, d->a, &c->out->previous, err)) ||
        (rc = skn_edit_error_solved(d->tx, d->conversation.world_id, d->conversation.id,
                                    t.message.uid, err)))
        return rc;
    if ((c->is_edit && (rc = send_again(c, &t, err))) ||
        (c->another && (rc = ask_another(c, err))))
        return rc;
    tell_phase(c, &d->target, "done", true);
    return SKEIN_OK;
}

static skein_rc run_removal(removal_call *c, skein_engine *e, skein_mem *mem, skein_error *err)
{
    skn_change_call *change = &c->change;

    *c->out = (skein_removal){.side_effects = -1, .tool_results = -1};
    change->kind = c->is_edit ? "edit" : c->another ? "retry" : "remove";
    change->request = skn_arena_printf(mem, "%lld %d %.*s", (long long)change->id.v,
                                       c->user_only, SKN_FMT(change->content));
    change->version = &c->out->version;
    change->message = &c->out->added;
    change->make = remove_from;
    change->again = replay;
    return skn_change_run(e, change, mem, err);
}

skein_rc skein_remove_from(skein_engine *e, const skein_change *how, skein_message_id message,
                           bool user_only, skein_mem *mem, skein_removal *out, skein_error *err)
{
    removal_call c = {.change = {.how = how, .id = message, .content = SKN_STR("")},
                      .user_only = user_only,
                      .out = out};

    return run_removal(&c, e, mem, err);
}

skein_rc skein_edit(skein_engine *e, const skein_change *how, skein_message_id message,
                    skein_str content, skein_mem *mem, skein_removal *out, skein_error *err)
{
    removal_call c = {.change = {.how = how, .id = message, .content = content},
                      .user_only = true,
                      .is_edit = true,
                      .out = out};
    skein_rc rc = skn_check_new(e, &(skein_new_message){.role = SKEIN_USER, .content = content},
                                err);

    if (rc == SKEIN_OK && how->client_id.p)
        rc = skn_check_word(how->client_id, "the client's message id", SKN_WORD_MAX, err);
    return rc ? rc : run_removal(&c, e, mem, err);
}

skein_rc skein_ask_another(skein_engine *e, const skein_change *how, const skein_again *what,
                           skein_mem *mem, skein_removal *out, skein_error *err)
{
    removal_call c = {.change = {.how = how, .id = what->message}, .another = what, .out = out};
    skein_rc     rc = skn_again_check(what, err);

    c.change.content = skn_arena_printf(mem, "%.*s %lld %d", SKN_FMT(what->model),
                                        (long long)what->most_tokens, what->without_tools);
    return rc ? rc : run_removal(&c, e, mem, err);
}
