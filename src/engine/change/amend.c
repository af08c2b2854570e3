/* amend.c: changes in place: amend, delete, restore. Each is a new version. */
#include "engine/core.h"
#include "engine/feed.h"

/* --- Edit ------------------------------------------------------------------------------------------- */

typedef struct amend_call {
    skn_change_call  change;
    skein_message_id id;
    skn_str          content;
} amend_call;

static skein_rc check_amend(const amend_call *c, const skein_message *m, skein_error *err)
{
    skein_new_message as_new = {.role = m->role,
                                .content = c->content,
                                .calls = m->calls,
                                .call_count = m->call_count,
                                .tool_call_id = m->tool_call_id,
                                .thinking = m->thinking};

    if (m->purged)
        return skn_fail(err, SKEIN_CONFLICT, "message \"%.*s\" was erased", SKN_FMT(m->uid));
    return skn_check_new(c->change.e, &as_new, err);
}

/* The new version of a message: all of the old one but its id and text, which nobody cut short. */
static skein_rc make_amended(const amend_call *c, const skn_target *t, skein_message *out,
                             skein_error *err)
{
    const skn_draft *d = &c->change.draft;

    *out = t->message;
    out->uid = SKN_NONE;
    out->born_in.v = d->conversation.id;
    out->content = c->content;
    out->version_of = t->message.id;
    out->squash_uid = SKN_NONE;
    out->unfinished = SKEIN_WHOLE;
    out->created_at = d->now;
    return skn_message_insert(d->tx, out, d->a, err);
}

static skein_rc amend(skn_tx *tx, void *arg, skein_error *err)
{
    amend_call *c = arg;
    skn_draft  *d = &c->change.draft;
    skn_target  t;
    int64_t     at;
    skein_rc    rc;

    if ((rc = skn_change_start(&c->change, tx, 0, err)) || c->change.replayed)
        return rc;
    if ((rc = skn_draft_target(d, c->id, &t, err)) || (rc = check_amend(c, &t.message, err)) ||
        (rc = make_amended(c, &t, c->change.message, err)))
        return rc;
    d->amended_from = t.message.id.v;
    d->amended_to = c->change.message->id.v;
    d->note = skn_arena_printf(d->a, "amend %.*s", SKN_FMT(t.message.uid));
    for (size_t i = 0; i < d->lane_count; i++) {
        if ((rc = skn_thread_position(&d->trees, &d->lanes[i].from, &t.places, &at, err)))
            return rc;
        if (at >= 0 &&
            (rc = skn_draft_replace(d, &d->lanes[i], at, at + 1, &d->amended_to, 1, err)))
            return rc;
        if (&d->lanes[i] == d->main)
            c->change.message->position = at;
    }
    rc = skn_edit_error_solved(tx, d->conversation.world_id, d->conversation.id, t.message.uid,
                               err);
    return rc ? rc : skn_change_finish(&c->change, err);
}

skein_rc skein_amend(skein_engine *e, const skein_change *how, skein_message_id message,
                     skein_str content, skein_mem *mem, skein_version *out,
                     skein_message *amended, skein_error *err)
{
    skein_message scratch;
    amend_call    c = {.id = message, .content = content};
    skein_rc      rc = skn_check_text(e, content, "the text", err);

    if (rc)
        return rc;
    c.change = (skn_change_call){
        .e = e,
        .how = how,
        .mem = mem,
        .kind = "amend",
        .version = out,
        .message = amended ? amended : &scratch,
        .request = skn_arena_printf(mem, "%lld %.*s", (long long)message.v, SKN_FMT(content))};
    return skn_change_run(&c.change, amend, &c, err);
}

/* --- Delete ------------------------------------------------------------------------------------------- */

typedef struct delete_call {
    skn_change_call   change;
    skein_message_ids ids;
} delete_call;

static bool is_target(const skn_target *targets, size_t count, skn_str uid)
{
    for (size_t i = 0; i < count; i++)
        if (skn_str_eq(targets[i].message.uid, uid))
            return true;
    return false;
}

/* There may be many targets, but there are few failures. */
static skein_rc solve(skn_draft *d, const skn_target *targets, size_t count, skein_error *err)
{
    int64_t           world = d->conversation.world_id, chat = d->conversation.id;
    skein_edit_errors all = {0};
    skein_rc          rc = skn_edit_error_rows(d->tx, world, d->a, &all, err);

    for (size_t i = 0; !rc && i < all.count; i++)
        if (all.at[i].chat.v == chat && is_target(targets, count, all.at[i].message_uid))
            rc = skn_edit_error_solved(d->tx, world, chat, all.at[i].message_uid, err);
    return rc;
}

static skein_rc delete (skn_tx *tx, void *arg, skein_error *err)
{
    delete_call *c = arg;
    skn_draft   *d = &c->change.draft;
    skn_target  *targets;
    size_t       count = c->ids.count, found;
    int64_t     *at;
    skein_rc     rc;

    if ((rc = skn_change_start(&c->change, tx, 0, err)) || c->change.replayed)
        return rc;
    if ((rc = skn_change_targets(d, c->ids, &targets, err)) ||
        (rc = skn_draft_close_pairs(d, &targets, &count, err)))
        return rc;
    d->note = skn_arena_printf(d->a, "delete %zu", count);
    for (size_t i = 0; i < d->lane_count; i++) {
        rc = skn_change_positions(d, &d->lanes[i], targets, count, &at, &found, err);
        if (rc || (rc = skn_change_cut(d, &d->lanes[i], at, found, err)))
            return rc;
    }
    rc = solve(d, targets, count, err);
    return rc ? rc : skn_change_finish(&c->change, err);
}

skein_rc skein_delete(skein_engine *e, const skein_change *how, skein_message_ids ids,
                      skein_mem *mem, skein_version *out, skein_error *err)
{
    delete_call c = {.ids = ids};

    c.change = (skn_change_call){.e = e,
                                 .how = how,
                                 .mem = mem,
                                 .kind = "delete",
                                 .version = out,
                                 .request = skn_change_ids_text(mem, ids, 0)};
    return skn_change_run(&c.change, delete, &c, err);
}

/* --- Restore ------------------------------------------------------------------------------------------------------ */

typedef struct restore_call {
    skn_change_call change;
    int64_t         version;
} restore_call;

static skein_rc restore(skn_tx *tx, void *arg, skein_error *err)
{
    restore_call *c = arg;
    skein_change  again = *c->change.how;
    skein_rc      rc;

    if ((rc = skn_change_start(&c->change, tx, 0, err)) || c->change.replayed)
        return rc;
    again.expect = (skein_at){{0}, 0}; /* was checked against the current version */
    rc = skn_draft_begin(&c->change.draft, c->change.e, tx, c->change.mem, &again, c->version,
                         c->change.kind, err);
    if (rc)
        return rc;
    c->change.draft.note = skn_arena_printf(c->change.mem, "restore v%lld",
                                            (long long)c->version);
    return skn_change_finish(&c->change, err);
}

skein_rc skein_restore(skein_engine *e, const skein_change *how, int64_t version,
                       skein_mem *mem, skein_version *out, skein_error *err)
{
    restore_call c = {.version = version};

    c.change = (skn_change_call){.e = e,
                                 .how = how,
                                 .mem = mem,
                                 .kind = "restore",
                                 .version = out,
                                 .request = skn_arena_printf(mem, "v%lld", (long long)version)};
    return skn_change_run(&c.change, restore, &c, err);
}

/* Changes of what surrounds the texts: a message's instructions, an agent's memory. Each is a
 * new version. */

/* --- Other instructions ------------------------------------------------------------------------------ */

typedef struct retag_call {
    skn_change_call          change;
    skein_message_id         id;
    const skein_instruction *instructions;
    size_t                   count;
} retag_call;

/* The same message with other instructions; where it comes from is not one that can be given. */
static skein_rc make_retagged(const retag_call *c, const skn_target *t, skein_message *out,
                              skein_error *err)
{
    const skn_draft *d = &c->change.draft;

    if (t->message.purged)
        return skn_fail(err, SKEIN_CONFLICT, "message \"%.*s\" was erased",
                        SKN_FMT(t->message.uid));
    *out = t->message;
    out->uid = SKN_NONE;
    out->born_in.v = d->conversation.id;
    out->version_of = t->message.id;
    out->squash_uid = SKN_NONE;
    out->created_at = d->now;
    out->instructions = SKN_ARRAY(d->a, c->count, skein_instruction);
    out->instruction_count = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!skn_str_starts(c->instructions[i].type, SKN_STR("Source.")))
            out->instructions[out->instruction_count++] = c->instructions[i];
    return skn_message_insert(d->tx, out, d->a, err);
}

static void tell(const retag_call *c, const skein_message *before)
{
    const skn_draft *d = &c->change.draft;
    skn_told         told;

    skn_told_open(&told);
    skn_jw_kstr(&told.w, "previousMessageId", before->uid);
    skn_feed_message(d->tx, &d->target, "message.retagged", c->change.message, SKN_NONE, &told);
}

static skein_rc retag(skn_tx *tx, void *arg, skein_error *err)
{
    retag_call *c = arg;
    skn_draft  *d = &c->change.draft;
    skn_target  t;
    int64_t     at;
    skein_rc    rc;

    if ((rc = skn_change_start(&c->change, tx, 0, err)) || c->change.replayed)
        return rc;
    if ((rc = skn_draft_target(d, c->id, &t, err)) ||
        (rc = make_retagged(c, &t, c->change.message, err)))
        return rc;
    d->amended_from = t.message.id.v;
    d->amended_to = c->change.message->id.v;
    d->note = skn_arena_printf(d->a, "tag %.*s", SKN_FMT(t.message.uid));
    for (size_t i = 0; i < d->lane_count; i++) {
        if ((rc = skn_thread_position(&d->trees, &d->lanes[i].from, &t.places, &at, err)))
            return rc;
        if (at >= 0 &&
            (rc = skn_draft_replace(d, &d->lanes[i], at, at + 1, &d->amended_to, 1, err)))
            return rc;
        if (&d->lanes[i] == d->main)
            c->change.message->position = at;
    }
    if ((rc = skn_draft_commit(d, c->change.version, err)))
        return rc;
    tell(c, &t.message);
    return skn_change_seal(&c->change, err);
}

static skn_str retag_request(skein_mem *mem, const retag_call *c)
{
    skn_buf b;
    skn_str text;

    skn_buf_init(&b, SIZE_MAX / 2);
    skn_buf_addf(&b, "tag %lld", (long long)c->id.v);
    for (size_t i = 0; i < c->count; i++)
        skn_buf_addf(&b, " %zu:%.*s %zu:%.*s", c->instructions[i].type.n,
                     SKN_FMT(c->instructions[i].type), c->instructions[i].target.n,
                     SKN_FMT(c->instructions[i].target));
    text = skn_arena_copy(mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text;
}

skein_rc skein_retag(skein_engine *e, const skein_change *how, skein_message_id message,
                     const skein_instruction *instructions, size_t count, skein_mem *mem,
                     skein_version *out, skein_message *retagged, skein_error *err)
{
    skein_message     scratch;
    retag_call        c = {.id = message, .instructions = instructions, .count = count};
    skein_new_message as_new = {
        .content = SKN_STR("-"), .instructions = instructions, .instruction_count = count};
    skein_rc rc = skn_check_new(e, &as_new, err);

    if (rc)
        return rc;
    c.change = (skn_change_call){.e = e,
                                 .how = how,
                                 .mem = mem,
                                 .kind = "amend",
                                 .version = out,
                                 .message = retagged ? retagged : &scratch,
                                 .request = retag_request(mem, &c)};
    return skn_change_run(&c.change, retag, &c, err);
}

/* --- An empty memory ---------------------------------------------------------------------------------- */

typedef struct forget_call {
    skn_change_call change;
    skein_agent_id  agent;
} forget_call;

static skein_rc forget(skn_tx *tx, void *arg, skein_error *err)
{
    forget_call *c = arg;
    skn_draft   *d = &c->change.draft;
    skein_rc     rc;

    if ((rc = skn_change_start(&c->change, tx, 0, err)) || c->change.replayed)
        return rc;
    for (size_t i = 0; i < d->lane_count; i++) {
        skn_lane_draft *l = &d->lanes[i];

        if (l == d->main || l->lane.parent_id || l->lane.agent_id != c->agent.v)
            continue;
        if (l->from.length == 0)
            break;
        d->note = skn_arena_printf(d->a, "empty the memory of %.*s",
                                   SKN_FMT(l->lane.agent_name));
        rc = skn_draft_replace(d, l, 0, l->from.length, NULL, 0, err);
        return rc ? rc : skn_change_finish(&c->change, err);
    }
    return skn_fail(err, SKEIN_NOTHING, "this agent remembers nothing of the conversation");
}

skein_rc skein_forget(skein_engine *e, const skein_change *how, skein_agent_id agent,
                      skein_mem *mem, skein_version *out, skein_error *err)
{
    forget_call c = {.agent = agent};

    c.change = (skn_change_call){
        .e = e,
        .how = how,
        .mem = mem,
        .kind = "delete",
        .version = out,
        .request = skn_arena_printf(mem, "memory of %lld", (long long)agent.v)};
    return skn_change_run(&c.change, forget, &c, err);
}
