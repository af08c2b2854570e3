/* branch.c: a new chat that begins with what another one holds: the same messages under the same ids,
 * by reference. Later changes on either side do not touch the other. */
#include "engine/core.h"
#include "engine/feed.h"

typedef struct call {
    skein_engine       *e;
    const skein_change *how;
    skein_mem          *mem;
    skein_conversation *out;
    int64_t             version, length;
    skn_str             title;
    bool                dry_done;
} call;

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
static skein_rc make_target(call *c, skn_draft *d, skein_error *err)
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

static skein_rc branch(skn_tx *tx, void *arg, skein_error *err)
{
    call         *c = arg;
    skn_draft     d;
    skein_version version;
    skn_trees     f;
    skein_rc      rc;

    if ((rc = skn_draft_begin(&d, c->e, tx, c->mem, c->how, c->version, "fork", err)) ||
        (rc = cut_lanes(&d, c->length, err)) || (rc = make_target(c, &d, err)) ||
        (rc = copy_lanes(&d, err)))
        return rc;
    d.note = skn_arena_printf(c->mem, "from %.*s v%lld", SKN_FMT(d.conversation.uid),
                              (long long)d.base.number);
    if ((rc = skn_draft_commit(&d, &version, err)) ||
        (rc = skn_lanes_complete(tx, &d.target, d.now, c->mem, err)))
        return rc;
    skn_trees_init(&f, tx, c->mem, d.target.id);
    if ((rc = skn_conversation_fill(&f, &d.target, c->out, err)))
        return rc;
    skn_feed_chat_is(tx, &d.target, "chat.created");
    if (!c->how->dry_run)
        return SKEIN_OK;
    c->dry_done = true; /* a failure without a fault: the transaction takes everything back */
    return SKEIN_NOTHING;
}

skein_rc skein_branch(skein_engine *e, const skein_change *how, int64_t version, int64_t length,
                      skein_str title, skein_mem *mem, skein_conversation *out,
                      skein_error *err)
{
    call     c = {e, how, mem, out, version, length, title, false};
    skein_rc rc;

    if (title.p && (rc = skn_check_word(title, "the title", SKN_TITLE_MAX, err)))
        return rc;
    rc = skn_store_write(e->store, branch, &c, err);
    if (rc != SKEIN_NOTHING || !c.dry_done)
        return rc;
    out->id.v = out->thread.v = 0; /* it was never made */
    out->uid = out->thread_uid = SKN_NONE;
    return SKEIN_OK;
}
