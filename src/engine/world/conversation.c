/* conversation.c: conversations and their lanes. */
#include "engine/work/chat_work.h"

static skein_rc make_lane(skn_working *w, int64_t conversation, skn_str key, int64_t agent,
                          int64_t *id, skein_error *err)
{
    skn_lane_row row = {.conversation_id = conversation, .key = key, .agent_id = agent};

    return skn_lane_insert(w->tx, &row, w->now, id, err);
}

skein_rc skn_lanes_complete(skn_working *w, const skn_conversation_row *c, skein_error *err)
{
    skein_agents missing;
    int64_t      id;
    skein_rc     rc;

    if (c->mode != SKEIN_CHAT)
        return SKEIN_OK;
    if ((rc = skn_agent_laneless(w->tx, c->world_id, c->id, w->a, &missing, err)))
        return rc;
    for (size_t i = 0; i < missing.count; i++) {
        /* By number, not by name: a name may be given again to another agent. */
        skn_str key = skn_arena_printf(w->a, "@%lld", (long long)missing.at[i].id.v);

        if ((rc = make_lane(w, c->id, key, missing.at[i].id.v, &id, err)))
            return rc;
    }
    return SKEIN_OK;
}

/* The row itself; a made id that is taken is made again. */
static skein_rc insert_row(skn_working *w, skn_conversation_row *c, skein_error *err)
{
    char     uid[11];
    skein_rc rc = SKEIN_OK;

    c->id = 0;
    for (int tries = 0; rc == SKEIN_OK && c->id == 0 && tries < 5; tries++) {
        skn_tx_uid(w->tx, uid);
        c->uid = skn_arena_printf(w->a, "c_%s", uid);
        rc = skn_conversation_insert(w->tx, c, &c->id, err);
        if (c->agent_id)
            break;
    }
    return rc;
}

/* Makes the rows of a new conversation: itself, its first version and main lane, and a lane for every
 * agent of a chat. c->id is 0 when its (agent, mode) was taken meanwhile. */
static skein_rc make_conversation(skn_working *w, skn_conversation_row *c, skein_error *err)
{
    skn_version_row version = {.kind = SKN_STR("start"), .actor = SKN_STR("human")};
    skn_thread_row  thread = {0};
    skein_rc        rc;

    if ((rc = insert_row(w, c, err)) || c->id == 0)
        return rc;
    version.conversation_id = c->id;
    version.created_at = c->created_at;
    if ((rc = skn_version_insert(w->tx, &version, &c->version_id, err)) ||
        (rc = make_lane(w, c->id, SKN_MAIN, c->agent_id, &thread.lane_id, err)))
        return rc;
    thread.version_id = c->version_id;
    if ((rc = skn_thread_insert(w->tx, &thread, w->a, err)) ||
        (rc = skn_conversation_set_version(w->tx, c->id, c->version_id, err)))
        return rc;
    return skn_lanes_complete(w, c, err);
}

skein_rc skn_conversation_fill(skn_tx *tx, const skn_conversation_row *row, skn_arena *a,
                               skein_conversation *out, skein_error *err)
{
    skn_version_row version;
    skein_version   v;
    skn_thread      t;
    skn_lane_row    lane;
    skein_messages  last;
    skn_trees       f;
    bool            found;
    skein_rc        rc;

    *out = (skein_conversation){.id = {row->id},
                                .uid = row->uid,
                                .world = {row->world_id},
                                .mode = row->mode,
                                .agent = {row->agent_id},
                                .agent_name = row->agent_name,
                                .title = row->title,
                                .branched_from = {row->branched_from_id},
                                .created_at = row->created_at,
                                .archived = row->removed_at != 0,
                                .reply_expected = row->expects,
                                .read_only = row->read_only};
    skn_trees_init(&f, tx, a, row->id);
    if ((rc = skn_version_pick(tx, row, 0, a, &version, err)) ||
        (rc = skn_version_fill(tx, row, &version, a, &v, err)) ||
        (rc = skn_lane_need(tx, row, SKN_MAIN, a, &lane, err)) ||
        (rc = skn_thread_load(&f, version.id, lane.id, &t, &found, err)))
        return rc;
    out->version = v.number;
    out->thread = v.thread;
    out->thread_uid = v.thread_uid;
    out->length = v.length;
    if (v.length == 0)
        return SKEIN_OK;
    if ((rc = skn_thread_messages(&f, &t, t.length - 1, t.length, &last, err)))
        return rc;
    out->last_activity_at = last.count ? last.at[0].created_at : 0;
    return SKEIN_OK;
}

/* --- Calls ------------------------------------------------------------------------------------------ */

typedef struct chat_call {
    skein_conversation  *out;
    skn_conversation_row row;
    skn_str              ref;
    int64_t              world, id;
    skein_mode           mode;
    bool                 force;

    const skein_conversation_change *change;
} chat_call;

static skein_rc fill_conversation(skn_working *w, chat_call *c, skein_error *err)
{
    return skn_conversation_fill(w->tx, &c->row, w->a, c->out, err);
}

static skein_rc chat_new(skn_working *w, void *arg, skein_error *err)
{
    chat_call  *c = arg;
    skein_world world;
    skein_rc    rc;

    if ((rc = skn_world_need(w->tx, c->row.world_id, w->a, &world, err)) ||
        (rc = make_conversation(w, &c->row, err)) ||
        (rc = skn_world_chat(w->tx, world.id.v, c->row.id, err)))
        return rc;
    skn_feed_chat_is(w->tx, &c->row, "chat.created");
    world.current_chat.v = c->row.id;
    world.current_chat_uid = c->row.uid;
    skn_feed_world_is(w->tx, &world);
    return fill_conversation(w, c, err);
}

skein_rc skein_chat_new(skein_engine *e, skein_world_id world, skein_str title, skein_mem *mem,
                        skein_conversation *out, skein_error *err)
{
    chat_call c = {.out = out};
    skein_rc  rc;

    if ((rc = skn_check_given(title, "the title", SKN_TITLE_MAX, err)))
        return rc;
    c.row = (skn_conversation_row){
        .world_id = world.v, .mode = SKEIN_CHAT, .title = skn_arena_copy(mem, title)};
    c.row.created_at = SKN_NOW();
    return skn_write(e, mem, chat_new, &c, err);
}

/* Was there ever one, also one that is archived now? */
static skein_rc had_chat(skn_working *w, chat_call *c, bool *had, skein_error *err)
{
    skn_conversation_rows rows[2];
    skein_rc              rc;

    *had = false;
    if ((rc = skn_conversation_list(w->tx, c->row.world_id, w->a, &rows[0], err)) ||
        (rc = skn_conversation_hidden_in(w->tx, c->row.world_id, w->a, &rows[1], err)))
        return rc;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < rows[k].count; i++)
            *had = *had || rows[k].at[i].mode == SKEIN_CHAT;
    return SKEIN_OK;
}

/* The world is held, so that of two who come at once one makes it and the other finds it. */
static skein_rc chat_first(skn_working *w, void *arg, skein_error *err)
{
    chat_call  *c = arg;
    skein_world world;
    bool        found, had;
    skein_rc    rc;

    if ((rc = skn_world_hold(w->tx, c->row.world_id, &found, err)) ||
        (rc = skn_world_need(w->tx, c->row.world_id, w->a, &world, err)))
        return rc;
    if (world.current_chat.v) {
        rc = skn_conversation_need(w->tx, world.current_chat, w->a, &c->row, err);
        return rc ? rc : fill_conversation(w, c, err);
    }
    if ((rc = had_chat(w, c, &had, err)))
        return rc;
    return had ? skn_fail(err, SKEIN_SESSION_OFF, "session mode is off in this world")
               : chat_new(w, arg, err);
}

skein_rc skein_chat_first(skein_engine *e, skein_world_id world, skein_mem *mem,
                          skein_conversation *out, skein_error *err)
{
    chat_call c = {.out = out};

    c.row = (skn_conversation_row){
        .world_id = world.v, .mode = SKEIN_CHAT, .created_at = SKN_NOW()};
    return skn_write(e, mem, chat_first, &c, err);
}

/* Two may come for the first use at once: one makes it, the other finds it. */
skein_rc skn_conversation_own(skn_working *w, int64_t agent_id, skein_mode mode,
                              skn_conversation_row *out, skein_error *err)
{
    skn_conversation_row fresh = {.agent_id = agent_id, .mode = mode, .created_at = w->now};
    skein_agent          agent;
    bool                 found;
    skein_rc             rc;

    if ((rc = skn_agent_need(w->tx, agent_id, w->a, &agent, err)) ||
        (rc = skn_conversation_by_agent(w->tx, agent_id, mode, w->a, out, &found, err)) ||
        found)
        return rc;
    fresh.world_id = agent.world.v;
    if ((rc = make_conversation(w, &fresh, err)) ||
        (rc = skn_conversation_by_agent(w->tx, agent_id, mode, w->a, out, &found, err)))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_CONFLICT,
                        "the id of the new conversation is taken; try again");
    if (fresh.id)
        skn_feed_chat_is(w->tx, out, "chat.created");
    return SKEIN_OK;
}

static skein_rc conversation_of(skn_working *w, void *arg, skein_error *err)
{
    chat_call *c = arg;
    skein_rc   rc = skn_conversation_own(w, c->id, c->mode, &c->row, err);

    return rc ? rc : fill_conversation(w, c, err);
}

skein_rc skein_conversation_of(skein_engine *e, skein_agent_id agent, skein_mode mode,
                               skein_mem *mem, skein_conversation *out, skein_error *err)
{
    chat_call c = {.out = out, .id = agent.v, .mode = mode};

    if (mode == SKEIN_CHAT)
        return skn_fail(err, SKEIN_USAGE,
                        "an agent has no chat of its own, only a foreground "
                        "and a background conversation");
    return skn_write(e, mem, conversation_of, &c, err);
}

static skein_rc pick_one(const skn_conversation_rows *rows, skn_str ref,
                         skn_conversation_row *out, bool *found, skein_error *err)
{
    skein_rc rc;

    *found = rows->count == 1;
    if (*found)
        *out = rows->at[0];
    if (rows->count < 2)
        return SKEIN_OK;
    rc = skn_fail(err, SKEIN_INVALID, "\"%.*s\" names more than one conversation",
                  SKN_FMT(ref));
    return skn_hint(err, rc, "Among them \"%.*s\" and \"%.*s\".", SKN_FMT(rows->at[0].uid),
                    SKN_FMT(rows->at[1].uid));
}

static skein_rc find_row(skn_tx *tx, int64_t world, skn_str ref, skn_arena *a,
                         skn_conversation_row *out, skein_error *err)
{
    skn_conversation_rows rows;
    bool                  found;
    skein_rc              rc = skn_conversation_by_uid(tx, ref, a, out, &found, err);

    if (!rc && !found && ref.n >= 4 &&
        !(rc = skn_conversation_by_prefix(tx, ref, a, &rows, err)))
        rc = pick_one(&rows, ref, out, &found, err);
    if (!rc && !found && world &&
        !(rc = skn_conversation_by_title(tx, world, ref, a, &rows, err)))
        rc = pick_one(&rows, ref, out, &found, err);
    if (rc || (found && (!world || out->world_id == world)))
        return rc;
    return skn_fail_hint(err, SKEIN_NOT_FOUND, "\"skein conv ls\" lists the conversations.",
                         "there is no conversation \"%.*s\"", SKN_FMT(ref));
}

skein_rc skein_conversation_find(skein_engine *e, skein_world_id world, skein_str ref,
                                 skein_mem *mem, skein_conversation *out, skein_error *err)
{
    skn_conversation_row row;
    skn_snapshot         s = {.store = e->store};

    s.rc = skn_check_word(ref, "the conversation's id", SKN_TITLE_MAX, err);
    while (skn_snapshot_next(&s, err))
        if (!(s.rc = find_row(s.tx, world.v, ref, mem, &row, err)))
            s.rc = skn_conversation_fill(s.tx, &row, mem, out, err);
    return s.rc;
}

skein_rc skein_conversation_get(skein_engine *e, skein_conversation_id id, skein_mem *mem,
                                skein_conversation *out, skein_error *err)
{
    skn_conversation_row row;
    skn_snapshot         s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        if (!(s.rc = skn_conversation_need(s.tx, id, mem, &row, err)))
            s.rc = skn_conversation_fill(s.tx, &row, mem, out, err);
    return s.rc;
}

static skein_rc list_chats(skein_engine *e, int64_t world, bool removed, skein_mem *mem,
                           skein_conversations *out, skein_error *err)
{
    skn_conversation_rows rows;
    skn_snapshot          s = {.store = e->store};

    while (skn_snapshot_next(&s, err)) {
        s.rc = removed ? skn_conversation_hidden_in(s.tx, world, mem, &rows, err)
                       : skn_conversation_list(s.tx, world, mem, &rows, err);
        *out = (skein_conversations){0};
        if (!s.rc)
            out->at = SKN_ARRAY(mem, rows.count, skein_conversation);
        for (size_t i = 0; !s.rc && i < rows.count; i++)
            s.rc = skn_conversation_fill(s.tx, &rows.at[i], mem, &out->at[out->count++], err);
    }
    return s.rc;
}

skein_rc skein_conversation_list(skein_engine *e, skein_world_id world, skein_mem *mem,
                                 skein_conversations *out, skein_error *err)
{
    return list_chats(e, world.v, false, mem, out, err);
}

skein_rc skein_conversation_removed(skein_engine *e, skein_world_id world, skein_mem *mem,
                                    skein_conversations *out, skein_error *err)
{
    return list_chats(e, world.v, true, mem, out, err);
}

/* The agent whose reply is expected, which has to be of this world. */
static skein_rc set_expected(skn_working *w, chat_call *c, skein_error *err)
{
    skein_agent agent = {.name = SKN_NONE};
    int64_t     id = c->change->reply_expected.v;
    bool        found = true;
    skein_rc    rc = id ? skn_agent_get(w->tx, id, w->a, &agent, &found, err) : SKEIN_OK;

    if (rc)
        return rc;
    if (id && (!found || agent.world.v != c->row.world_id))
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no agent with the number %lld",
                        (long long)id);
    c->row.expects_id = id;
    c->row.expects = agent.name;
    return SKEIN_OK;
}

static bool is_as_it_was(const skn_conversation_row *row, const skein_conversation *was)
{
    return skn_str_eq(row->title, was->title) &&
           skn_str_eq(row->expects, was->reply_expected) && row->read_only == was->read_only;
}

static skein_rc conversation_set(skn_working *w, void *arg, skein_error *err)
{
    chat_call                       *c = arg;
    const skein_conversation_change *to = c->change;
    skein_rc                         rc;

    if ((rc = skn_conversation_take(w->tx, (skein_conversation_id){c->id}, w->a, &c->row, err)))
        return rc;
    if (to->was && !is_as_it_was(&c->row, to->was))
        return skn_fail(err, SKEIN_VERSION_CHANGED, "the chat was changed since it was read");
    if (to->set_title)
        c->row.title = to->title;
    if (to->set_read_only)
        c->row.read_only = to->read_only;
    if ((to->set_reply_expected && (rc = set_expected(w, c, err))) ||
        (to->set_title && (rc = skn_conversation_title(w->tx, c->id, to->title, err))) ||
        (rc = skn_conversation_expect(w->tx, c->id, c->row.expects_id, c->row.read_only, err)))
        return rc;
    skn_feed_chat_is(w->tx, &c->row, "chat.updated");
    return SKEIN_OK;
}

skein_rc skein_conversation_set(skein_engine *e, skein_conversation_id id,
                                const skein_conversation_change *what, skein_error *err)
{
    chat_call c = {.id = id.v, .change = what};
    skein_rc  rc;

    if (what->set_title && what->title.p &&
        (rc = skn_check_word(what->title, "the title", SKN_TITLE_MAX, err)))
        return rc;
    return skn_write(e, NULL, conversation_set, &c, err);
}

skein_rc skein_conversation_rename(skein_engine *e, skein_conversation_id id, skein_str title,
                                   skein_error *err)
{
    skein_conversation_change what = {.set_title = true, .title = title};

    return skein_conversation_set(e, id, &what, err);
}

static void tell_removed(skn_working *w, const skn_conversation_row *row)
{
    skn_feed_chat(w->tx, row, "chat.updated", SKN_NONE,
                  SKN_TOLD(SKN_M_TEXT("id", row->uid), SKN_M_BOOL("removed", true),
                           SKN_M_BOOL("archived", true)));
}

static skein_rc conversation_remove(skn_working *w, void *arg, skein_error *err)
{
    chat_call           *c = arg;
    skn_conversation_row row;
    skein_world          world;
    bool                 found;
    skein_rc             rc;

    if ((rc = skn_conversation_take(w->tx, (skein_conversation_id){c->id}, w->a, &row, err)) ||
        (rc = skn_work_leave_chat(w, &row, c->force, "conversation", err)) ||
        (rc = skn_conversation_hide(w->tx, c->id, SKN_NOW(), &found, err)) ||
        (rc = skn_world_get(w->tx, row.world_id, w->a, &world, &found, err)))
        return rc;
    tell_removed(w, &row);
    if ((rc = skn_audit_in(w, "chat.remove", row.uid, world.name, err)))
        return rc;
    if (!found || world.current_chat.v != c->id)
        return SKEIN_OK;
    if ((rc = skn_world_chat(w->tx, world.id.v, 0, err)))
        return rc;
    world.current_chat_uid = SKN_NONE;
    skn_feed_world_is(w->tx, &world);
    return SKEIN_OK;
}

skein_rc skein_conversation_remove(skein_engine *e, skein_conversation_id id, bool force,
                                   skein_error *err)
{
    chat_call c = {.id = id.v, .force = force};

    return skn_write(e, NULL, conversation_remove, &c, err);
}

/* Nobody works there any more by now. */
skein_rc skn_conversations_leave(skn_working *w, int64_t agent, skein_error *err)
{
    static const skein_mode modes[] = {SKEIN_FOREGROUND, SKEIN_BACKGROUND};
    skn_conversation_row    row;
    bool                    found;
    skein_rc                rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < sizeof modes / sizeof *modes; i++) {
        rc = skn_conversation_by_agent(w->tx, agent, modes[i], w->a, &row, &found, err);
        if (rc || !found)
            continue;
        rc = skn_conversation_hide(w->tx, row.id, SKN_NOW(), &found, err);
        tell_removed(w, &row);
    }
    return rc;
}

/* An agent has one conversation of a kind, so one that came after it stays. */
static skein_rc check_free(skn_working *w, chat_call *c, skein_error *err)
{
    skn_conversation_row other;
    bool                 found = false;
    skein_rc             rc = SKEIN_OK;

    if (c->row.agent_id)
        rc = skn_conversation_by_agent(w->tx, c->row.agent_id, c->row.mode, w->a, &other,
                                       &found, err);
    if (rc || !found)
        return rc;
    return skn_fail(err, SKEIN_CONFLICT, "the agent \"%.*s\" has another such conversation now",
                    SKN_FMT(c->row.agent_name));
}

/* What waited in it is said. */
static skein_rc conversation_restore(skn_working *w, void *arg, skein_error *err)
{
    chat_call  *c = arg;
    skein_world world = {.name = SKN_NONE};
    bool        found;
    skein_rc    rc = skn_conversation_hidden(w->tx, c->ref, w->a, &c->row, &found, err);

    if (rc)
        return rc;
    if (!found || c->row.world_id != c->world)
        return skn_fail_hint(err, SKEIN_NOT_FOUND,
                             "\"skein conv ls --archived\" lists those that were.",
                             "no conversation \"%.*s\" was removed here", SKN_FMT(c->ref));
    if ((rc = check_free(w, c, err)) ||
        (rc = skn_conversation_show(w->tx, c->row.id, &found, err)) ||
        (rc = skn_working_hold(w, (skein_conversation_id){c->row.id}, err)))
        return rc;
    skn_feed_chat_is(w->tx, &w->chat, "chat.updated");
    if ((rc = skn_world_get(w->tx, c->world, w->a, &world, &found, err)) ||
        (rc = skn_audit_in(w, "chat.restore", c->row.uid, world.name, err)) ||
        (rc = skn_settle(w, err)))
        return rc;
    c->row = w->chat;
    return fill_conversation(w, c, err);
}

skein_rc skein_conversation_restore(skein_engine *e, skein_world_id world, skein_str uid,
                                    skein_mem *mem, skein_conversation *out, skein_error *err)
{
    chat_call c = {.out = out, .ref = uid, .world = world.v};
    skein_rc  rc = skn_check_word(uid, "the conversation's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_write(e, mem, conversation_restore, &c, err);
}

/* A new chat that begins with what another one holds: the same messages under the same ids,
 * by reference. Later changes on either side do not touch the other. */

typedef struct branch_call {
    const skein_change *how;
    skein_conversation *out;
    int64_t             version, length;
    skn_str             title;
} branch_call;

/* The main lane is cut at the length, the others where the first message cut off there stands or would
 * stand. */
static skein_rc cut_lanes(skn_draft *d, int64_t length, skein_error *err)
{
    skn_target first = {.lane = d->main, .position = length};
    skn_item   item;
    skein_rc   rc;

    if (length < 0 || length == d->main->from.length)
        return SKEIN_OK;
    if (length > d->main->from.length)
        return skn_fail(err, SKEIN_INVALID, "v%lld has only %lld messages",
                        (long long)d->base.number, (long long)d->main->from.length);
    if ((rc = skn_thread_item(&d->trees, &d->main->from, length, &item, err)) ||
        (rc = skn_item_placements(d->tx, item.message_id, d->a, &first.places, err)))
        return rc;
    first.key = item.key;
    for (size_t i = 0; rc == SKEIN_OK && i < d->lane_count; i++) {
        skn_lane_draft *l = &d->lanes[i];
        int64_t         cut = length;

        if (l != d->main)
            rc = skn_draft_place(d, l, &first, &cut, err);
        if (rc == SKEIN_OK && cut < l->from.length)
            rc = skn_draft_splice(d, l, cut, l->from.length, NULL, 0, err);
    }
    return rc;
}

/* The new conversation's own lanes; parents come before their children. */
static skein_rc copy_lanes(skn_draft *d, skein_error *err)
{
    skn_map *lanes = skn_map_new(d->a); /* old id -> its draft */
    skein_rc rc;

    for (size_t i = 0; i < d->lane_count; i++) {
        skn_lane_draft *l = &d->lanes[i], *parent;
        skn_lane_row    row = l->lane;
        bool            ended;

        row.conversation_id = d->target.id;
        row.branched_from_id = l->lane.id;
        if (l == d->main)
            row.agent_id = 0; /* a chat has no agent of its own */
        parent = row.parent_id ? skn_map_get_int(lanes, row.parent_id) : NULL;
        row.parent_id = parent ? parent->to_lane : 0;
        if (parent && row.state == SKEIN_LANE_RUNNING)
            row.state = SKEIN_LANE_INTERRUPTED; /* the work on it stays where it was begun */
        if ((rc = skn_lane_insert(d->tx, &row, d->now, &l->to_lane, err)) ||
            (row.state != SKEIN_LANE_RUNNING &&
             (rc = skn_lane_set_state(d->tx, l->to_lane, row.state, &ended, err))))
            return rc;
        if (parent && (rc = skn_lane_count_child(d->tx, parent->to_lane, &row.ordinal, err)))
            return rc;
        *skn_map_slot_int(lanes, l->lane.id) = l;
    }
    return SKEIN_OK;
}

/* A bare row: its version and lanes come with the draft. */
static skein_rc make_target(branch_call *c, skn_draft *d, skein_error *err)
{
    skn_conversation_row row = {.world_id = d->conversation.world_id,
                                .mode = SKEIN_CHAT,
                                .title = c->title.p ? skn_arena_copy(d->a, c->title)
                                                    : d->conversation.title,
                                .branched_from_id = d->conversation.id,
                                .created_at = d->now};
    char                 uid[11];
    skein_rc             rc;

    skn_tx_uid(d->tx, uid);
    row.uid = skn_arena_printf(d->a, "c_%s", uid);
    if ((rc = skn_conversation_insert(d->tx, &row, &row.id, err)))
        return rc;
    if (row.id == 0)
        return skn_fail(err, SKEIN_CONFLICT, "the id of the new chat is taken; try again");
    d->target = row;
    return SKEIN_OK;
}

static skein_rc branch(skn_working *w, void *arg, skein_error *err)
{
    branch_call  *c = arg;
    skn_draft     d;
    skein_version version;
    skein_rc      rc;

    if ((rc = skn_draft_begin(&d, w, c->how, c->version, "fork", err)) ||
        (rc = cut_lanes(&d, c->length, err)) || (rc = make_target(c, &d, err)) ||
        (rc = copy_lanes(&d, err)))
        return rc;
    d.note = skn_arena_printf(w->a, "from %.*s v%lld", SKN_FMT(d.conversation.uid),
                              (long long)d.base.number);
    if ((rc = skn_draft_commit(&d, &version, err)) ||
        (rc = skn_lanes_complete(w, &d.target, err)) ||
        (rc = skn_conversation_fill(w->tx, &d.target, w->a, c->out, err)))
        return rc;
    skn_feed_chat_is(w->tx, &d.target, "chat.created");
    return SKEIN_OK;
}

skein_rc skein_branch(skein_engine *e, const skein_change *how, int64_t version, int64_t length,
                      skein_str title, skein_mem *mem, skein_conversation *out,
                      skein_error *err)
{
    branch_call c = {how, out, version, length, title};
    skein_rc    rc;

    if ((rc = skn_check_given(title, "the title", SKN_TITLE_MAX, err)) ||
        (rc = skn_write_dry(e, how->dry_run, mem, branch, &c, err)) || !how->dry_run)
        return rc;
    out->id.v = out->thread.v = 0; /* it was never made */
    out->uid = out->thread_uid = SKN_NONE;
    return SKEIN_OK;
}
