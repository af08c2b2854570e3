/* retag.c: changes of what surrounds the texts: a message's instructions, an agent's memory. Each is a
 * new version. */
#include "engine/core.h"
#include "engine/feed.h"

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
    d->edited_from = t.message.id.v;
    d->edited_to = c->change.message->id.v;
    d->note = skn_arena_printf(d->a, "tag %.*s", SKN_FMT(t.message.uid));
    for (size_t i = 0; i < d->lane_count; i++) {
        if ((rc = skn_thread_position(&d->trees, &d->lanes[i].from, &t.places, &at, err)))
            return rc;
        if (at >= 0 &&
            (rc = skn_draft_replace(d, &d->lanes[i], at, at + 1, &d->edited_to, 1, err)))
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
                                 .kind = "edit",
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
