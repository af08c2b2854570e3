/* Versions of a conversation: listing, comparing, travelling, and the changes that make them. */
#include "api/call.h"
#include "base/shape_rows.h"
#include "base/utf8.h"

skein_rc skn_api_get_thread(skn_api_call *c)
{
    skein_version v;
    skein_rc      rc = skn_find_version(c, c->params[2], &v);

    if (rc)
        return rc;
    skn_shape_version(&c->w, &v);
    return SKEIN_OK;
}

skein_rc skn_api_list_thread_messages(skn_api_call *c)
{
    skein_version v;
    skein_rc      rc = skn_find_version(c, c->params[2], &v);

    return rc ? rc : skn_api_answer_named_lane(c, &v);
}

/* From the version that it was made from, unless another one is named. */
skein_rc skn_api_get_diff(skn_api_call *c)
{
    skn_str       from_id = skn_call_query(c, "from");
    skein_version from, to;
    skein_diff    diff;
    skein_rc      rc = skn_find_version(c, c->params[2], &to);

    if (rc)
        return rc;
    if (!from_id.p)
        from_id = to.origin_thread_uid;
    if (!from_id.p)
        return skn_call_invalid(c, "/from", "is required: this is the first version");
    if ((rc = skn_find_version(c, from_id, &from)) ||
        (rc = skein_diff_versions(c->engine, c->chat.id, from.number, to.number, c->mem, &diff,
                                  &c->error)))
        return rc;
    skn_shape_diff(&c->w, c->chat.uid, &from, &to, &diff);
    return SKEIN_OK;
}

/* --- Time travel -------------------------------------------------------------------------- */

skein_rc skn_api_get_current_thread(skn_api_call *c)
{
    skein_version v;
    skein_ways    ways;
    bool          same = false;
    skein_rc      rc;

    if ((rc = skn_find_version(c, SKN_NONE, &v)) ||
        (rc = skein_ways_of(c->engine, c->chat.id, c->mem, &ways, &c->error)))
        return rc;
    skn_call_etag(c, skn_call_chat_etag(c, &c->chat), &same);
    if (same)
        return SKEIN_OK;
    skn_jw_object(&c->w);
    skn_shape_members(&c->w, &skn_version_shape, &v);
    skn_jw_kbool(&c->w, "canUndo", ways.undo);
    skn_jw_kbool(&c->w, "canRedo", ways.redo);
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

/* The newest version that holds a message. */
static skein_rc version_with(skn_api_call *c, skn_str id, int64_t *out)
{
    skein_message       m;
    skein_messages      one = {&m, 1};
    skein_message_facts facts = {0};
    skein_rc            rc;

    if ((rc = skn_find_message(c, id, &m)) ||
        (rc = skein_message_explain(c->engine, c->chat.id, 0, &one, c->mem, &facts, &c->error)))
        return rc;
    *out = facts.version_count ? skn_home_version(&facts, c->chat.version) : 0;
    return *out ? SKEIN_OK
                : skn_fail(&c->error, SKEIN_NOT_FOUND,
                           "no version of this chat has message \"%.*s\"", SKN_FMT(id));
}

static skein_rc travel(skn_api_call *c, const skein_change *how, skein_move *out)
{
    skn_str       thread, move, message;
    skein_version to;
    int64_t       steps;
    skein_rc      rc;

    if ((rc = skn_call_text(c, "threadId", false, &thread)) ||
        (rc = skn_call_text(c, "messageId", false, &message)) ||
        (rc = skn_call_text(c, "move", false, &move)) ||
        (rc = skn_call_int(c, "steps", 1, 1000000, 1, &steps)))
        return rc;
    if (skn_str_is(move, "undo"))
        return skein_undo(c->engine, how, steps, c->mem, out, &c->error);
    if (skn_str_is(move, "redo"))
        return skein_redo(c->engine, how, steps, c->mem, out, &c->error);
    if (move.p)
        return skn_call_invalid(c, "/move", "is neither undo nor redo");
    if (!thread.p && !message.p)
        return skn_call_invalid(c, "/threadId", "is required, or \"messageId\", or \"move\"");
    rc = thread.p ? skn_find_version(c, thread, &to) : version_with(c, message, &to.number);
    return rc ? rc : skein_switch(c->engine, how, to.number, c->mem, out, &c->error);
}

skein_rc skn_api_travel(skn_api_call *c)
{
    skein_change how;
    skein_move   move;
    skein_rc     rc = skn_api_change(c, true, &how);

    if (rc)
        return rc;
    if ((rc = travel(c, &how, &move)))
        return skn_api_changed(c, rc);
    skn_jw_object(&c->w);
    skn_shape_move_members(&c->w, &move);
    skn_jw_kbool(&c->w, "dryRun", how.dry_run);
    if (!how.dry_run)
        skn_shape_undo(&c->w, c->world.name, c->chat.uid, move.from.thread_uid);
    skn_jw_object_end(&c->w);
    skn_api_fresh_etag(c);
    return SKEIN_OK;
}

/* --- Operations --------------------------------------------------------------------------- */

typedef struct operation {
    skn_api_call *c;
    skein_change  how;
    skein_version made;
    skein_message message; /* that stands there now; no id: none */
} operation;

static skein_rc need_message(skn_api_call *c, const char *member, skein_message *out)
{
    skn_str  id;
    skein_rc rc = skn_call_text(c, member, true, &id);

    return rc ? rc : skn_find_message(c, id, out);
}

static skein_rc operate_amend(operation *o)
{
    skn_api_call *c = o->c;
    skein_message m;
    skn_str       content;
    skein_rc      rc;

    if ((rc = need_message(c, "messageId", &m)) ||
        (rc = skn_call_text(c, "content", true, &content)))
        return rc;
    return skein_amend(c->engine, &o->how, m.id, content, c->mem, &o->made, &o->message,
                       &c->error);
}

static skein_rc operate_delete(operation *o)
{
    skn_api_call     *c = o->c;
    skein_message_ids ids;
    skein_message     m;
    skein_rc          rc;

    if (skn_api_has(c, "messageId") && !skn_api_has(c, "messageIds")) {
        rc = need_message(c, "messageId", &m);
        ids = (skein_message_ids){&m.id, 1};
    } else {
        rc = skn_api_ids(c, "messageIds", &ids);
    }
    return rc ? rc : skein_delete(c->engine, &o->how, ids, c->mem, &o->made, &c->error);
}

/* "before": a message, or null for the end. */
static skein_rc read_before(skn_api_call *c, skein_message_id *out)
{
    skein_message m = {.id = {0}};
    skn_str       id;
    skein_rc      rc = skn_call_text(c, "before", false, &id);

    if (rc == SKEIN_OK && id.p)
        rc = skn_find_message(c, id, &m);
    *out = m.id;
    return rc;
}

static skein_rc operate_reorder(operation *o)
{
    skn_api_call     *c = o->c;
    skein_message_ids ids;
    skein_message_id  before;
    skein_rc          rc;

    if ((rc = skn_api_ids(c, "messageIds", &ids)) || (rc = read_before(c, &before)))
        return rc;
    return skein_reorder(c->engine, &o->how, ids, before, c->mem, &o->made, &c->error);
}

static skein_rc operate_insert(operation *o)
{
    skn_api_call     *c = o->c;
    skein_new_message m = {.role = SKEIN_USER};
    skein_message_id  before;
    skn_str           role;
    skein_rc          rc;

    if ((rc = skn_call_text(c, "content", true, &m.content)) || (rc = skn_call_said(c, &m)) ||
        (rc = skn_call_text(c, "role", false, &role)) || (rc = read_before(c, &before)))
        return rc;
    if (role.p && (!skein_role_from(role, &m.role) || m.role == SKEIN_TOOL))
        return skn_call_invalid(c, "/role", "is none of user, assistant, summary and system");
    if ((rc = skn_api_take_files(c, &m.files)))
        return rc;
    return skein_insert(c->engine, &o->how, before, &m, c->mem, &o->made, &o->message,
                        &c->error);
}

static skein_rc operate_restore(operation *o)
{
    skn_api_call *c = o->c;
    skein_version v;
    skn_str       thread;
    skein_rc      rc;

    if ((rc = skn_call_text(c, "threadId", true, &thread)) ||
        (rc = skn_find_version(c, thread, &v)))
        return rc;
    return skein_restore(c->engine, &o->how, v.number, c->mem, &o->made, &c->error);
}

static const struct {
    const char *name;
    skein_rc (*run)(operation *o);
} operations[] = {{"amend", operate_amend},   {"edit", operate_amend}, /* its older name */
                  {"delete", operate_delete}, {"reorder", operate_reorder},
                  {"insert", operate_insert}, {"restore", operate_restore}};

static skein_rc run_operation(operation *o)
{
    skn_str  name;
    skein_rc rc = skn_call_text(o->c, "op", true, &name);

    if (rc)
        return rc;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (skn_str_is(name, operations[i].name))
            return operations[i].run(o);
    return skn_call_invalid(o->c, "/op",
                            "is none of amend, delete, reorder, insert and restore");
}

/* What the version's note says and a client should not overlook. */
static void write_warnings(skn_jw *w, const skein_version *made)
{
    skn_jw_karray(w, "warnings");
    if (skn_str_find(made->note, SKN_STR(SKEIN_NOTE_SPLITS)) >= 0)
        skn_jw_str(w, SKN_STR(SKEIN_NOTE_SPLITS));
    skn_jw_array_end(w);
}

skein_rc skn_api_operate(skn_api_call *c)
{
    operation o = {.c = c};
    skn_jw   *w = &c->w;
    skein_rc  rc = skn_api_change(c, false, &o.how);

    if (rc)
        return rc;
    if ((rc = run_operation(&o)))
        return skn_api_changed(c, rc);
    skn_jw_object(w);
    skn_shape_members(w, &skn_version_shape, &o.made);
    skn_jw_kstr(w, "messageId", o.message.uid);
    skn_jw_kbool(w, "dryRun", o.how.dry_run);
    write_warnings(w, &o.made);
    if (!o.how.dry_run) {
        skn_shape_undo(w, c->world.name, c->chat.uid, o.made.origin_thread_uid);
        skn_api_location(c, 201, "/chats/%.*s/threads/%.*s", SKN_FMT(c->chat.uid),
                         SKN_FMT(o.made.thread_uid));
        skn_api_fresh_etag(c);
    }
    skn_jw_object_end(w);
    return SKEIN_OK;
}

/* The one thing that cannot be taken back: erasing texts permanently. */

#define AT_ONCE    500 /* messages that are looked at in one go */
#define SHOWN_MOST 20  /* texts that are shown before they go, beside those that are named */
#define SHOWN_TEXT 400 /* bytes of each */

/* --- What was made of them and stays ------------------------------------------------------- */

/* A message that stays and has words of an erased one. */
typedef struct kept {
    skn_str uid, by, in;
} kept;

typedef skn_vec(kept) kept_list;

/* The answer to a purge. */
typedef struct purged {
    int64_t        erased;
    bool           dry_run;
    skein_message *shown;
    size_t         shown_count;
    kept          *kept;
    size_t         kept_count;
} purged;

static const skn_shape kept_shape, shown_shape; /* parts of other shapes */
#include "api/shapes/purge.def"
#include "api/shapes/purge_kept.def"
#include "api/shapes/purge_shown.def"

/* Skips a message that will be erased, too. */
static void keep_ids(skn_api_call *c, kept_list *all, skn_str uid, const char *in, skn_str by)
{
    const skn_json *ids = skn_json_get(c->json, "messageIds");

    for (const skn_json *v = ids->first; v; v = v->next)
        if (skn_str_eq(v->text, by))
            return;
    skn_vec_add(c->mem, all, ((kept){uid, by, skn_str_of(in)}));
}

/* The text of a squash is in another message, which is erased only by its own id. */
static skein_rc find_squashes(skn_api_call *c, skn_str uid, kept_list *out)
{
    skein_uids   all;
    skein_squash q;
    skein_rc     rc = skein_squash_list(c->engine, c->chat.id, 0, c->mem, &all, &c->error);

    for (size_t i = 0; !rc && i < all.count; i++) {
        rc = skein_squash_get(c->engine, all.at[i], c->mem, &q, &c->error);
        if (!rc && !q.result.purged && skn_str_in(q.sources, q.source_count, uid))
            keep_ids(c, out, uid, "squash", q.result.uid);
    }
    return rc;
}

/* Is it among the first `count` messages of the lane? */
static skein_rc is_covered(skn_api_call *c, skein_slice lane, int64_t count, skn_str uid,
                           bool *out)
{
    skein_messages part = {.count = 1};
    skein_at       at;
    skein_rc       rc = SKEIN_OK;

    *out = false;
    while (!rc && !*out && lane.from < count && part.count) {
        lane.count = count - lane.from < AT_ONCE ? count - lane.from : AT_ONCE;
        rc = skein_read(c->engine, &lane, c->mem, &part, &at, &c->error);
        for (size_t i = 0; !rc && i < part.count; i++)
            *out |= skn_str_eq(part.at[i].uid, uid);
        lane.from += AT_ONCE;
    }
    return rc;
}

/* A model read the text, and its summary may have words of it. */
static skein_rc find_summaries(skn_api_call *c, const skein_slice *lane, skn_str uid,
                               kept_list *out)
{
    skein_summaries list;
    bool            covered;
    skein_rc        rc = skein_summary_list(c->engine, lane, c->mem, &list, &c->error);

    for (size_t i = 0; !rc && i < list.count; i++) {
        rc = is_covered(c, *lane, list.at[i].covers, uid, &covered);
        if (!rc && covered && !list.at[i].message.purged)
            keep_ids(c, out, uid, "summary", list.at[i].message.uid);
    }
    return rc;
}

static skein_rc find_copies(skn_api_call *c, skn_str uid, kept_list *out)
{
    skein_lanes lanes;
    skein_rc    rc;

    if ((rc = find_squashes(c, uid, out)) ||
        (rc = skein_lane_list(c->engine, c->chat.id, c->mem, &lanes, &c->error)))
        return rc;
    for (size_t i = 0; !rc && i < lanes.count; i++) {
        skein_slice lane = skn_api_slice(c, &lanes.at[i]);

        rc = find_summaries(c, &lane, uid, out);
    }
    return rc;
}

/* Read before anything is erased: a failure must not come when it is too late. */
static skein_rc find_kept(skn_api_call *c, kept_list *out)
{
    const skn_json *ids = skn_json_get(c->json, "messageIds");
    skein_rc        rc = SKEIN_OK;

    for (const skn_json *v = ids ? ids->first : NULL; v && !rc; v = v->next)
        rc = find_copies(c, v->text, out);
    return rc;
}

/* --- Erasing ------------------------------------------------------------------------------ */

/* The messages that are named, or none for all that the current version does not hold. */
static skein_rc read_what(skn_api_call *c, skein_message_ids *out)
{
    bool     unreachable;
    skein_rc rc = skn_api_flag(c, "unreachable", &unreachable);

    *out = (skein_message_ids){0};
    if (rc)
        return rc;
    if (unreachable == skn_api_has(c, "messageIds"))
        return skn_call_invalid(c, "/messageIds", "is required, or \"unreachable\", not both");
    return unreachable ? SKEIN_OK : skn_api_ids(c, "messageIds", out);
}

static skein_rc purge(skn_api_call *c, const skein_change *how, skein_message_ids ids,
                      skein_messages *shown, int64_t *erased)
{
    *shown = (skein_messages){0};
    if (how->dry_run)
        return skn_purge_look(c->engine, how, ids, ids.count + SHOWN_MOST, c->mem, shown,
                              erased, &c->error);
    return ids.count ? skein_purge(c->engine, how, ids, erased, &c->error)
                     : skein_purge_unreachable(c->engine, how, erased, &c->error);
}

skein_rc skn_api_purge(skn_api_call *c)
{
    skein_change      how;
    skein_message_ids ids;
    skein_messages    shown;
    kept_list         stays = {0};
    int64_t           erased;
    skein_rc          rc;

    if ((rc = skn_api_change(c, false, &how)) || (rc = read_what(c, &ids)) ||
        (rc = find_kept(c, &stays)))
        return rc;
    if ((rc = purge(c, &how, ids, &shown, &erased)))
        return skn_api_changed(c, rc);
    for (size_t i = 0; i < shown.count; i++)
        shown.at[i].content = skn_utf8_cut(shown.at[i].content, SHOWN_TEXT);
    skn_shape_write(&c->w, &purged_shape,
                    &(purged){.erased = erased,
                              .dry_run = how.dry_run,
                              .shown = shown.at,
                              .shown_count = shown.count,
                              .kept = stays.p,
                              .kept_count = stays.n});
    return SKEIN_OK;
}
