/* squash.c: one message in the place of several, which stay in the versions before. The text was made
 * outside of any transaction; whether its sources still stand is checked here. */
#include "engine/feed.h"
#include "engine/work/act.h"

typedef struct squash_call {
    skn_change_call          change; /* first: it is handed on as that */
    const skein_squash_spec *spec;
    skein_squash            *out;
} squash_call;

/* Were all sources said in this conversation, or in one it was branched from? */
static skein_rc were_here(const squash_call *c, bool *all, skein_error *err)
{
    const skn_draft *d = &c->change.draft;
    skn_ids          kin;
    skein_message    m;
    bool             found;
    skein_rc         rc = skn_conversation_kin(d->tx, &d->conversation, d->a, &kin, err);

    *all = true;
    for (size_t i = 0; rc == SKEIN_OK && *all && i < c->spec->sources.count; i++) {
        rc = skn_message_get(d->tx, c->spec->sources.at[i].v, d->a, &m, &found, err);
        *all = rc == SKEIN_OK && found && skn_is_kin(&kin, m.born_in.v);
    }
    return rc;
}

static skein_rc too_few(skein_error *err)
{
    return skn_fail(err, SKEIN_INVALID, "a squash needs two messages or more");
}

/* A source that is gone means that somebody was faster: a conflict, not a wrong id. */
static skein_rc find_sources(squash_call *c, skn_target **targets, size_t *count,
                             skein_error *err)
{
    skn_draft *d = &c->change.draft;
    bool       all;
    skein_rc   rc;

    *count = c->spec->sources.count;
    if (*count == 0)
        return too_few(err);
    rc = skn_change_targets(d, c->spec->sources, targets, err);
    if (rc == SKEIN_NOT_FOUND && were_here(c, &all, NULL) == SKEIN_OK && all) {
        rc = SKEIN_CONFLICT;
        if (err)
            err->rc = rc;
    }
    if (rc || (rc = skn_draft_close_pairs(d, targets, count, err)))
        return rc;
    return *count < 2 ? too_few(err) : SKEIN_OK; /* a call brings its results along */
}

/* What agents said and their tools answered stays on their side; with a person's words among it, it
 * becomes the user's, as a summary does. */
static skein_role result_role(const skn_target *targets, size_t count)
{
    bool agents = false;

    for (size_t i = 0; i < count; i++) {
        skein_role role = targets[i].message.role;

        if (role != SKEIN_ASSISTANT && role != SKEIN_TOOL)
            return SKEIN_USER;
        agents = agents || role == SKEIN_ASSISTANT;
    }
    return agents ? SKEIN_ASSISTANT : SKEIN_USER;
}

/* The one who said all of it, tools aside; NULL where several did. */
static const skein_message *only_speaker(const skn_target *targets, size_t count,
                                         skein_role role)
{
    const skein_message *first = NULL;

    for (size_t i = 0; i < count; i++) {
        const skein_message *m = &targets[i].message;

        if (role == SKEIN_ASSISTANT && m->role == SKEIN_TOOL)
            continue;
        if (m->role != role || (first && !skn_str_eq(m->sender, first->sender)))
            return NULL;
        first = first ? first : m;
    }
    return first;
}

static bool is_source(const skn_target *targets, size_t count, int64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (targets[i].message.id.v == id)
            return true;
    return false;
}

/* What the first source replied to, outside of them, was answered and stays so. */
static void keep_reply(skein_message *m, const skn_target *targets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const skein_message *from = &targets[i].message;

        if (from->reply_to_id.v == 0 || is_source(targets, count, from->reply_to_id.v))
            continue;
        m->reply_to = from->reply_to;
        m->reply_to_id = from->reply_to_id;
        m->reply_depth = from->reply_depth;
        return;
    }
}

static skein_rc make_result(squash_call *c, const skn_target *targets, size_t count,
                            skein_error *err)
{
    skn_draft           *d = &c->change.draft;
    const skein_message *speaker;
    char                 uid[11];
    skein_message       *m = c->change.message;

    skn_tx_uid(d->tx, uid);
    c->out->uid = skn_arena_printf(d->a, "sq_%s", uid);
    *m = (skein_message){.born_in = {d->conversation.id},
                         .role = result_role(targets, count),
                         .author = SKEIN_BY_HUMAN,
                         .sender = SKN_STR("human"),
                         .content = c->spec->content,
                         .squash_uid = c->out->uid,
                         .model = c->spec->model,
                         .created_at = d->now,
                         .position = -1};
    speaker = only_speaker(targets, count, m->role);
    if (speaker) {
        m->author = speaker->author;
        m->author_agent = speaker->author_agent;
        m->sender = speaker->sender;
    } else if (m->role == SKEIN_ASSISTANT) {
        m->author = SKEIN_BY_AGENT;
        m->sender = SKN_STR("assistant");
    }
    keep_reply(m, targets, count);
    return skn_message_insert(d->tx, m, d->a, err);
}

/* The result takes the place of the first source, in every lane that holds any: also where that one was
 * not heard, so that all lanes keep the same order. */
static skein_rc squash_lane(squash_call *c, skn_lane_draft *l, const skn_target *targets,
                            size_t count, skein_error *err)
{
    skn_draft *d = &c->change.draft;
    int64_t   *at, to;
    size_t     found, before = 0;
    skein_rc   rc = skn_change_positions(d, l, targets, count, &at, &found, err);

    if (rc || found == 0)
        return rc;
    if ((rc = skn_draft_place(d, l, &targets[0], &to, err)) ||
        (rc = skn_change_cut(d, l, at, found, err)))
        return rc;
    while (before < found && at[before] < to)
        before++;
    to -= (int64_t)before;
    if (l == d->main)
        c->change.message->position = to;
    d->place_key = targets[0].key;
    return skn_draft_replace(d, l, to, to, &c->change.message->id.v, 1, err);
}

static skein_rc write_squash(squash_call *c, const skn_target *targets, size_t count,
                             skein_error *err)
{
    skn_draft     *d = &c->change.draft;
    int64_t       *ids = SKN_ARRAY(d->a, count, int64_t);
    skn_squash_row row = {.conversation_id = d->conversation.id,
                          .version_id = d->version_id,
                          .result_message_id = c->change.message->id.v,
                          .created_at = d->now,
                          .prompt = c->spec->prompt,
                          .model = c->spec->model,
                          .by_agent = c->spec->agent.v != 0 || c->spec->by_agent};

    c->out->sources = SKN_ARRAY(d->a, count, skn_str);
    c->out->source_count = count;
    for (size_t i = 0; i < count; i++) {
        ids[i] = targets[i].message.id.v;
        c->out->sources[i] = targets[i].message.uid;
    }
    c->out->prompt = skn_arena_copy(d->a, c->spec->prompt);
    c->out->model = skn_arena_copy(d->a, c->spec->model);
    c->out->by_agent = row.by_agent;
    c->out->created_at = d->now;
    return skn_squash_insert(d->tx, c->out->uid, &row, ids, count, err);
}

static skein_rc load_squash(skn_tx *tx, skein_squash *out, skein_mem *mem, skein_error *err);

static void tell_squash(const squash_call *c, const skn_target *sources, size_t count)
{
    const skn_draft *d = &c->change.draft;
    skn_told         told;

    skn_told_open(&told);
    skn_jw_kstr(&told.w, "squashOperationId", c->out->uid);
    skn_jw_key(&told.w, "sourceMessageIds");
    skn_jw_array(&told.w);
    for (size_t i = 0; i < count; i++)
        skn_jw_str(&told.w, sources[i].message.uid);
    skn_jw_array_end(&told.w);
    skn_jw_kstr(&told.w, "resultMessageId", c->change.message->uid);
    skn_feed_chat(d->tx, &d->target, "squash.completed", SKN_NONE, &told);
}

static skein_rc squash(skn_change_call *change, skein_error *err)
{
    squash_call *c = (squash_call *)change;
    skn_draft   *d = &change->draft;
    skn_target  *targets;
    size_t       count;
    skein_rc     rc;

    if ((rc = find_sources(c, &targets, &count, err)) ||
        (rc = make_result(c, targets, count, err)))
        return rc;
    d->note = skn_arena_printf(d->a, "squash %zu to 1, %.*s", count, SKN_FMT(c->out->uid));
    for (size_t i = 0; i < d->lane_count; i++)
        if ((rc = squash_lane(c, &d->lanes[i], targets, count, err)))
            return rc;
    if ((rc = skn_draft_version(d, err)) || (rc = write_squash(c, targets, count, err)) ||
        (rc = skn_draft_commit(d, change->version, err)) ||
        (rc = skn_call_keep_with(d->w, c->spec->call, &d->conversation, c->change.message->uid,
                                 err)))
        return rc;
    tell_squash(c, targets, count);
    return SKEIN_OK;
}

static skein_rc squash_again(skn_change_call *change, skein_error *err)
{
    squash_call *c = (squash_call *)change;

    c->out->uid = change->message->squash_uid;
    return load_squash(change->w->tx, c->out, change->w->a, err);
}

skein_rc skein_squash_messages(skein_engine *e, const skein_change *how,
                               const skein_squash_spec *spec, skein_mem *mem, skein_squash *out,
                               skein_error *err)
{
    squash_call c = {.spec = spec, .out = out};
    skn_str     ids = skn_change_ids_text(mem, spec->sources, (int64_t)spec->content.n);
    skein_rc    rc;

    *out = (skein_squash){0};
    if (skn_str_trim(spec->content).n == 0)
        return skn_fail(err, SKEIN_INVALID, "the squash has no text");
    if ((rc = skn_check_text(e, spec->content, "the text", err)) ||
        (rc = skn_check_text(e, spec->prompt, "the prompt", err)) ||
        (rc = skn_check_given(spec->model, "the model's name", SKN_WORD_MAX, err)))
        return rc;
    c.change = (skn_change_call){.how = how,
                                 .kind = "squash",
                                 .version = &out->version,
                                 .message = &out->result,
                                 .make = squash,
                                 .again = squash_again};
    c.change.request = skn_arena_printf(mem, "%.*s %lld %.*s %.*s %.*s", SKN_FMT(ids),
                                        (long long)spec->agent.v, SKN_FMT(spec->model),
                                        SKN_FMT(spec->prompt), SKN_FMT(spec->content));
    return skn_change_run(e, &c.change, mem, err);
}

/* --- Reading ------------------------------------------------------------------------------------------ */

static skein_rc load_squash(skn_tx *tx, skein_squash *out, skein_mem *mem, skein_error *err)
{
    skn_squash_row       row;
    skn_conversation_row conversation;
    skn_version_row      version;
    skn_ids              ids;
    bool                 found;
    skein_rc             rc = skn_squash_by_uid(tx, out->uid, mem, &row, &found, err);

    if (rc)
        return rc;
    if (!found)
        return skn_fail_hint(err, SKEIN_NOT_FOUND, "\"skein history\" shows them.",
                             "there is no squash \"%.*s\"", SKN_FMT(out->uid));
    out->prompt = row.prompt;
    out->model = row.model;
    out->by_agent = row.by_agent;
    out->created_at = row.created_at;
    if ((rc = skn_squash_sources(tx, row.id, mem, &ids, &out->sources, err)) ||
        (rc = skn_message_get(tx, row.result_message_id, mem, &out->result, &found, err)) ||
        (rc = skn_conversation_need(tx, (skein_conversation_id){row.conversation_id}, mem,
                                    &conversation, err)) ||
        (rc = skn_version_get(tx, row.version_id, mem, &version, &found, err)))
        return rc;
    out->source_count = ids.count;
    return found ? skn_version_fill(tx, &conversation, &version, mem, &out->version, err)
                 : SKEIN_OK;
}

skein_rc skein_squash_get(skein_engine *e, skein_str uid, skein_mem *mem, skein_squash *out,
                          skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_squash){.uid = skn_arena_copy(mem, uid)};
    s.rc = skn_check_word(uid, "the squash's id", SKN_WORD_MAX, err);
    while (skn_snapshot_next(&s, err))
        s.rc = load_squash(s.tx, out, mem, err);
    return s.rc;
}
