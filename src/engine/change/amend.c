/* amend.c: changes in place: amend, delete, restore. Each is a new version. */
#include "engine/feed.h"

/* --- Another message in the place of one ---------------------------------------------------------------- */

/* c->message is the old one with what is new of it, and becomes its new version. */
static skein_rc put_in_place(skn_change_call *c, const skn_target *old, const char *word,
                             skein_error *err)
{
    skn_draft     *d = &c->draft;
    skein_message *m = c->message;
    int64_t        at;
    skein_rc       rc;

    m->uid = SKN_NONE;
    m->born_in.v = d->conversation.id;
    m->version_of = old->message.id;
    m->squash_uid = SKN_NONE;
    m->created_at = d->now;
    if ((rc = skn_message_insert(d->tx, m, d->a, err)))
        return rc;
    d->amended_from = old->message.id.v;
    d->amended_to = m->id.v;
    d->note = skn_arena_printf(d->a, "%s %.*s", word, SKN_FMT(old->message.uid));
    for (size_t i = 0; i < d->lane_count; i++) {
        if ((rc = skn_thread_position(&d->trees, &d->lanes[i].from, &old->places, &at, err)) ||
            (at >= 0 &&
             (rc = skn_draft_replace(d, &d->lanes[i], at, at + 1, &d->amended_to, 1, err))))
            return rc;
        if (&d->lanes[i] == d->main)
            m->position = at;
    }
    return SKEIN_OK;
}

static skein_rc was_erased(const skein_message *m, skein_error *err)
{
    return skn_fail(err, SKEIN_CONFLICT, "message \"%.*s\" was erased", SKN_FMT(m->uid));
}

/* --- Amend ------------------------------------------------------------------------------------------ */

static skein_rc check_amend(const skn_change_call *c, const skein_message *m, skein_error *err)
{
    skein_new_message as_new = {.role = m->role,
                                .content = c->content,
                                .calls = m->calls,
                                .call_count = m->call_count,
                                .tool_call_id = m->tool_call_id,
                                .thinking = m->thinking};

    return m->purged ? was_erased(m, err) : skn_check_new(c->w->e, &as_new, err);
}

/* All of the old one but its id and text, which nobody cut short. */
static skein_rc amend(skn_change_call *c, skein_error *err)
{
    skn_draft *d = &c->draft;
    skn_target t;
    skein_rc   rc;

    if ((rc = skn_draft_target(d, c->id, &t, err)) || (rc = check_amend(c, &t.message, err)))
        return rc;
    *c->message = t.message;
    c->message->content = c->content;
    c->message->unfinished = SKEIN_WHOLE;
    rc = put_in_place(c, &t, "amend", err);
    return rc ? rc
              : skn_edit_error_solved(d->tx, d->conversation.world_id, d->conversation.id,
                                      t.message.uid, err);
}

skein_rc skein_amend(skein_engine *e, const skein_change *how, skein_message_id message,
                     skein_str content, skein_mem *mem, skein_version *out,
                     skein_message *amended, skein_error *err)
{
    skein_message   scratch;
    skn_change_call c = {.how = how,
                         .kind = "amend",
                         .version = out,
                         .message = amended ? amended : &scratch,
                         .make = amend,
                         .id = message,
                         .content = content};
    skein_rc        rc = skn_check_text(e, content, "the text", err);

    if (rc)
        return rc;
    c.request = skn_arena_printf(mem, "%lld %.*s", (long long)message.v, SKN_FMT(content));
    return skn_change_run(e, &c, mem, err);
}

/* --- Delete ------------------------------------------------------------------------------------------- */

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

static skein_rc delete (skn_change_call *c, skein_error *err)
{
    skn_draft  *d = &c->draft;
    skn_target *targets;
    size_t      count = c->ids.count, found;
    int64_t    *at;
    skein_rc    rc;

    if ((rc = skn_change_targets(d, c->ids, &targets, err)) ||
        (rc = skn_draft_close_pairs(d, &targets, &count, err)))
        return rc;
    d->note = skn_arena_printf(d->a, "delete %zu", count);
    for (size_t i = 0; i < d->lane_count; i++) {
        rc = skn_change_positions(d, &d->lanes[i], targets, count, &at, &found, err);
        if (rc || (rc = skn_change_cut(d, &d->lanes[i], at, found, err)))
            return rc;
    }
    return solve(d, targets, count, err);
}

skein_rc skein_delete(skein_engine *e, const skein_change *how, skein_message_ids ids,
                      skein_mem *mem, skein_version *out, skein_error *err)
{
    skn_change_call c = {.how = how,
                         .kind = "delete",
                         .request = skn_change_ids_text(mem, ids, 0),
                         .version = out,
                         .make = delete,
                         .ids = ids};

    return skn_change_run(e, &c, mem, err);
}

/* --- Restore ------------------------------------------------------------------------------------------------------ */

static skein_rc restore(skn_change_call *c, skein_error *err)
{
    skein_change again = *c->how;
    skein_rc     rc;

    again.expect = (skein_at){{0}, 0}; /* was checked against the current version */
    rc = skn_draft_begin(&c->draft, c->w, &again, c->number, c->kind, err);
    c->draft.how = c->how;
    c->draft.note = skn_arena_printf(c->w->a, "restore v%lld", (long long)c->number);
    return rc;
}

skein_rc skein_restore(skein_engine *e, const skein_change *how, int64_t version,
                       skein_mem *mem, skein_version *out, skein_error *err)
{
    skn_change_call c = {.how = how,
                         .kind = "restore",
                         .request = skn_arena_printf(mem, "v%lld", (long long)version),
                         .version = out,
                         .make = restore,
                         .number = version};

    return skn_change_run(e, &c, mem, err);
}

/* Changes of what surrounds the texts: a message's instructions, an agent's memory. Each is a
 * new version. */

/* --- Other instructions ------------------------------------------------------------------------------ */

static void tell_amend(const skn_change_call *c, const skein_message *before)
{
    const skn_draft *d = &c->draft;

    skn_feed_message(d->tx, &d->target, "message.retagged", c->message, SKN_NONE,
                     SKN_TOLD(SKN_M_TEXT("previousMessageId", before->uid)));
}

/* The same message with other instructions; where it comes from is not one that can be given. */
static skein_rc retag(skn_change_call *c, skein_error *err)
{
    skn_draft     *d = &c->draft;
    skein_message *m = c->message;
    skn_target     t;
    skein_rc       rc;

    if ((rc = skn_draft_target(d, c->id, &t, err)))
        return rc;
    if (t.message.purged)
        return was_erased(&t.message, err);
    *m = t.message;
    m->instructions = skn_instructions_keep(c->as_new, d->a, &m->instruction_count);
    if ((rc = put_in_place(c, &t, "tag", err)) || (rc = skn_draft_commit(d, c->version, err)))
        return rc;
    tell_amend(c, &t.message);
    return SKEIN_OK;
}

static skn_str retag_request(skein_mem *mem, skein_message_id id, const skein_new_message *n)
{
    skn_buf b;

    skn_buf_init(&b, SIZE_MAX / 2);
    skn_buf_addf(&b, "tag %lld", (long long)id.v);
    for (size_t i = 0; i < n->instruction_count; i++) {
        const skein_instruction *in = &n->instructions[i];

        skn_buf_addf(&b, " %zu:%.*s %zu:%.*s", in->type.n, SKN_FMT(in->type), in->target.n,
                     SKN_FMT(in->target));
    }
    return skn_buf_keep(&b, mem);
}

skein_rc skein_retag(skein_engine *e, const skein_change *how, skein_message_id message,
                     const skein_instruction *instructions, size_t count, skein_mem *mem,
                     skein_version *out, skein_message *retagged, skein_error *err)
{
    skein_new_message as_new = {
        .content = SKN_STR("-"), .instructions = instructions, .instruction_count = count};
    skein_message   scratch;
    skn_change_call c = {.how = how,
                         .kind = "amend",
                         .version = out,
                         .message = retagged ? retagged : &scratch,
                         .make = retag,
                         .id = message,
                         .as_new = &as_new};
    skein_rc        rc = skn_check_new(e, &as_new, err);

    if (rc)
        return rc;
    c.request = retag_request(mem, message, &as_new);
    return skn_change_run(e, &c, mem, err);
}

/* --- An empty memory ---------------------------------------------------------------------------------- */

static skein_rc empty_memory(skn_change_call *c, skein_error *err)
{
    skn_draft *d = &c->draft;

    for (size_t i = 0; i < d->lane_count; i++) {
        skn_lane_draft *l = &d->lanes[i];

        if (l == d->main || l->lane.parent_id || l->lane.agent_id != c->number)
            continue;
        if (l->from.length == 0)
            break;
        d->note = skn_arena_printf(d->a, "empty the memory of %.*s",
                                   SKN_FMT(l->lane.agent_name));
        return skn_draft_replace(d, l, 0, l->from.length, NULL, 0, err);
    }
    return skn_fail(err, SKEIN_NOTHING, "this agent remembers nothing of the conversation");
}

skein_rc skein_forget(skein_engine *e, const skein_change *how, skein_agent_id agent,
                      skein_mem *mem, skein_version *out, skein_error *err)
{
    skn_change_call c = {.how = how,
                         .kind = "delete",
                         .request = skn_arena_printf(mem, "memory of %lld", (long long)agent.v),
                         .version = out,
                         .make = empty_memory,
                         .number = agent.v};

    return skn_change_run(e, &c, mem, err);
}
