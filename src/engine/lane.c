/* lane.c: the lanes of a conversation; a delegation's lane is the child of the lane that called. */
#include "engine/chat_work.h"

typedef struct call {
    skein_mem            *mem;
    skein_conversation_id conversation;
    skn_str               parent, call_id;
    int64_t               message, id;
    skein_lane_state      state;
    skein_lane           *out;
    skein_lanes          *list;
} call;

static skein_rc fill(skn_trees *f, int64_t version, const skn_lane_row *row, skein_lane *out,
                     skein_error *err)
{
    skn_thread_row t = {0};
    bool           found;
    skein_rc       rc = skn_thread_of(f->tx, version, row->id, f->a, &t, &found, err);

    *out = (skein_lane){.id = {row->id},
                        .key = row->key,
                        .agent = {row->agent_id},
                        .agent_name = row->agent_name,
                        .parent = {row->parent_id},
                        .ordinal = row->ordinal,
                        .spawn_message = {row->spawn_message_id},
                        .spawn_call_id = row->spawn_call_id,
                        .state = row->state,
                        .thread = {t.id},
                        .length = t.base_length + t.own_length};
    if (row->agent_id && !row->parent_id && !skn_str_eq(row->key, SKN_MAIN))
        out->key = skn_arena_printf(f->a, "@%.*s", SKN_FMT(row->agent_name));
    return rc;
}

static skein_rc lane_list(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row conversation;
    skn_lane_rows        rows;
    skn_trees            f;
    skein_rc             rc;

    if ((rc = skn_conversation_need(tx, c->conversation, c->mem, &conversation, err)) ||
        (rc = skn_lane_rows_of(tx, conversation.id, false, c->mem, &rows, err)))
        return rc;
    skn_trees_init(&f, tx, c->mem, conversation.id);
    c->list->at = SKN_ARRAY(c->mem, rows.count, skein_lane);
    c->list->count = rows.count;
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++)
        rc = fill(&f, conversation.version_id, &rows.at[i], &c->list->at[i], err);
    return rc;
}

skein_rc skein_lane_list(skein_engine *e, skein_conversation_id conversation, skein_mem *mem,
                         skein_lanes *out, skein_error *err)
{
    call c = {.mem = mem, .conversation = conversation, .list = out};

    return skn_store_read(e->store, lane_list, &c, err);
}

/* The message whose call makes the lane is one of this conversation, in whatever version. */
static skein_rc check_spawn(skn_tx *tx, const call *c, const skn_conversation_row *row,
                            skein_error *err)
{
    skein_message m;
    skn_ids       kin;
    bool          found;
    skein_rc      rc;

    if (c->message == 0)
        return SKEIN_OK;
    if ((rc = skn_message_get(tx, c->message, c->mem, &m, &found, err)) ||
        (rc = skn_conversation_kin(tx, row, c->mem, &kin, err)))
        return rc;
    if (found && skn_is_kin(&kin, m.born_in.v))
        return SKEIN_OK;
    return skn_fail(err, SKEIN_NOT_FOUND,
                    "conversation \"%.*s\" has no message with the number "
                    "%lld",
                    SKN_FMT(row->uid), (long long)c->message);
}

/* The link to the call is written together with the lane, never guessed later. */
skein_rc skn_lane_make(skn_tx *tx, const skn_lane_row *parent, int64_t now, skn_arena *a,
                       skn_lane_row *row, skein_error *err)
{
    bool     found;
    skein_rc rc;

    row->parent_id = parent->id;
    if ((rc = skn_lane_count_child(tx, parent->id, &row->ordinal, err)))
        return rc;
    row->key = skn_arena_printf(a, "%.*s.%lld", SKN_FMT(parent->key), (long long)row->ordinal);
    rc = skn_lane_insert(tx, row, now, &row->id, err);
    return rc ? rc : skn_lane_get(tx, row->id, a, row, &found, err);
}

static skein_rc lane_new(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row conversation;
    skn_lane_row         parent, row = {0};
    skn_trees            f;
    skein_rc             rc;

    if ((rc = skn_conversation_take(tx, c->conversation, c->mem, &conversation, err)) ||
        (rc = skn_lane_need(tx, &conversation, c->parent, c->mem, &parent, err)) ||
        (rc = check_spawn(tx, c, &conversation, err)))
        return rc;
    row = (skn_lane_row){.conversation_id = conversation.id,
                         .spawn_message_id = c->message,
                         .spawn_call_id = c->call_id};
    if ((rc = skn_lane_make(tx, &parent, SKN_NOW(), c->mem, &row, err)))
        return rc;
    skn_feed_lane(tx, &conversation, &row, SKN_NONE);
    skn_trees_init(&f, tx, c->mem, conversation.id);
    return fill(&f, conversation.version_id, &row, c->out, err);
}

skein_rc skein_lane_new(skein_engine *e, skein_conversation_id conversation, skein_str parent,
                        skein_message_id spawn_message, skein_str spawn_call_id, skein_mem *mem,
                        skein_lane *out, skein_error *err)
{
    call     c = {.mem = mem,
                  .conversation = conversation,
                  .parent = parent,
                  .call_id = spawn_call_id,
                  .message = spawn_message.v,
                  .out = out};
    skein_rc rc;

    if (spawn_call_id.p &&
        (rc = skn_check_word(spawn_call_id, "a tool call's id", SKN_WORD_MAX, err)))
        return rc;
    if (parent.p && parent.n > 0 && parent.p[0] == '@')
        return skn_fail(err, SKEIN_INVALID,
                        "an agent's memory has no delegations; use \"main\"");
    return skn_store_write(e->store, lane_new, &c, err);
}

static skein_rc lane_finish(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row conversation;
    skn_lane_row         row;
    bool                 found, changed;
    skein_rc             rc;

    if ((rc = skn_lane_get(tx, c->id, c->mem, &row, &found, err)))
        return rc;
    if (!found || !row.parent_id)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no delegation with the number %lld",
                        (long long)c->id);
    if ((rc = skn_lane_set_state(tx, c->id, c->state, &changed, err)))
        return rc;
    if (!changed && row.state != c->state)
        return skn_fail(err, SKEIN_CONFLICT, "delegation \"%.*s\" has already ended",
                        SKN_FMT(row.key));
    if (!changed ||
        (rc = skn_conversation_need(tx, (skein_conversation_id){row.conversation_id}, c->mem,
                                    &conversation, err)))
        return rc;
    row.state = c->state;
    skn_feed_lane(tx, &conversation, &row, SKN_NONE);
    return SKEIN_OK;
}

skein_rc skein_lane_finish(skein_engine *e, skein_lane_id lane, skein_lane_state state,
                           skein_error *err)
{
    call     c = {.mem = skn_arena_new(), .id = lane.v, .state = state};
    skein_rc rc = state == SKEIN_LANE_RUNNING
                      ? skn_fail(err, SKEIN_USAGE, "a delegation cannot be set running")
                      : skn_store_write(e->store, lane_finish, &c, err);

    skn_arena_free(c.mem);
    return rc;
}
