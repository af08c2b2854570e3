/* find.c: a message by what a person calls it. */
#include "base/uid.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/read/reading.h"
#include "engine/read/reference.h"

/* How many messages one prefix may mean before nobody looks at them one by one. */
#define CANDIDATES 1000
#define NAMED      4 /* of them in an error */

typedef struct finding {
    skn_str         text;
    bool            typed; /* by a person: the end of an id stands for it, too */
    skn_reference   ref;
    skein_mem      *mem;
    skein_message  *out;
    skn_reading     r;
    skn_thread_rows origin; /* of a branch: the threads of its first version */
    bool            origin_known;
} finding;

/* --- By id --------------------------------------------------------------------------------------- */

/* The lanes that a branch began with. */
static skein_rc load_origin(finding *c, skein_error *err)
{
    skn_trees      *f = &c->r.trees;
    skn_version_row first;
    bool            found;
    skein_rc        rc;

    c->origin_known = true;
    rc = skn_version_by_number(f->tx, c->r.conversation.id, 1, f->a, &first, &found, err);
    if (rc || !found)
        return rc;
    return skn_threads_of_version(f->tx, first.id, f->a, &c->origin, err);
}

/* A branch holds messages of the conversation it came from: those that its first version began
 * with. */
static skein_rc came_along(finding *c, int64_t id, bool *held, skein_error *err)
{
    skn_trees     *f = &c->r.trees;
    skn_placements places;
    skein_rc       rc;

    *held = false;
    if (c->r.conversation.branched_from_id == 0)
        return SKEIN_OK;
    if ((!c->origin_known && (rc = load_origin(c, err))) ||
        (rc = skn_item_placements(f->tx, id, f->a, &places, err)))
        return rc;
    for (size_t i = 0; i < c->origin.count && !*held; i++) {
        skn_thread t;
        int64_t    position;

        if ((rc = skn_thread_open(f, &c->origin.at[i], &t, err)) ||
            (rc = skn_thread_position(f, &t, &places, &position, err)))
            return rc;
        *held = position >= 0;
    }
    return SKEIN_OK;
}

static skein_rc belongs(finding *c, int64_t id, int64_t born_in, bool *ours, skein_error *err)
{
    *ours = born_in == c->r.conversation.id;
    return *ours ? SKEIN_OK : came_along(c, id, ours, err);
}

static skein_rc elsewhere(const finding *c, skn_str uid, int64_t born_in, skein_error *err)
{
    skn_conversation_row there = {0};
    bool                 found;
    skein_rc rc = skn_conversation_row_get(c->r.trees.tx, born_in, c->mem, &there, &found, err);

    if (rc)
        return rc;
    rc = skn_fail(err, SKEIN_NOT_FOUND, "message \"%.*s\" is in another conversation%s%.*s",
                  SKN_FMT(uid), found ? ": " : "", found ? (int)there.uid.n : 0, there.uid.p);
    if (!found || there.world_id != c->r.conversation.world_id)
        return skn_hint(err, rc, "Name that conversation with -c.");
    return skn_hint(err, rc, "Show it: skein show -c %.*s -- %.*s", SKN_FMT(there.uid),
                    SKN_FMT(uid));
}

static skein_rc unknown(const finding *c, skein_error *err)
{
    skein_rc rc = skn_fail(err, SKEIN_NOT_FOUND,
                           "conversation \"%.*s\" has no message \"%.*s\"",
                           SKN_FMT(c->r.conversation.uid), SKN_FMT(c->ref.id));

    if (c->ref.id.n < SKN_PREFIX_MIN)
        return skn_hint(err, rc, "The beginning%s of an id needs %zu characters or more.",
                        c->typed ? " or the end" : "", SKN_PREFIX_MIN);
    return skn_hint(err, rc, "\"skein log\" shows ids.");
}

typedef skn_vec(skn_head) head_vec;

static const char *part_of(const finding *c, const head_vec *found)
{
    size_t begin = 0, end = 0;

    for (size_t i = 0; i < found->n; i++) {
        begin += skn_str_starts(found->p[i].uid, c->ref.id);
        end += skn_str_ends(found->p[i].uid, c->ref.id);
    }
    return begin == found->n ? "beginning" : end == found->n ? "end" : "beginning or the end";
}

static skein_rc ambiguous(const finding *c, const head_vec *found, bool more, skein_error *err)
{
    skn_str names = SKN_STR("");

    for (size_t i = 0; i < found->n && i < NAMED; i++)
        names = skn_arena_printf(c->mem, "%.*s%s\"%.*s\"", SKN_FMT(names), i ? ", " : "",
                                 SKN_FMT(found->p[i].uid));
    return skn_fail_hint(err, SKEIN_INVALID, "Give more characters of the id.",
                         "\"%.*s\" is the %s of several messages: %.*s%s", SKN_FMT(c->ref.id),
                         part_of(c, found), SKN_FMT(names),
                         more || found->n > NAMED ? " …" : "");
}

static bool has(const head_vec *found, int64_t id)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->p[i].id == id)
            return true;
    return false;
}

/* Adds those of the heads that this conversation has; *more tells that not all were looked at. */
static skein_rc add_candidates(finding *c, const skn_heads *heads, const skn_ids *kin,
                               head_vec *out, bool *more, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < heads->count; i++) {
        const skn_head *h = &heads->at[i];
        bool            ours = false;

        if (skn_is_kin(kin, h->conversation_id) && !has(out, h->id))
            rc = belongs(c, h->id, h->conversation_id, &ours, err);
        if (ours)
            skn_vec_add(c->r.trees.a, out, *h);
    }
    *more = *more || heads->count == CANDIDATES;
    return rc;
}

/* Messages whose ids begin so; typed: also those whose ids end so. The ends are in no index, so they are looked for
 * once, in all conversations. */
static skein_rc find_candidates(finding *c, head_vec *out, bool *more, skein_error *err)
{
    skn_trees *f = &c->r.trees;
    skn_heads  heads;
    skn_ids    kin;
    skein_rc   rc = skn_conversation_kin(f->tx, &c->r.conversation, f->a, &kin, err);

    for (size_t k = 0; rc == SKEIN_OK && k < kin.count; k++)
        if (!(rc = skn_heads_by_prefix(f->tx, c->ref.id, kin.at[k], CANDIDATES, f->a, &heads,
                                       err)))
            rc = add_candidates(c, &heads, &kin, out, more, err);
    if (rc || !c->typed ||
        (rc = skn_heads_by_ending(f->tx, c->ref.id, CANDIDATES, f->a, &heads, err)))
        return rc;
    return add_candidates(c, &heads, &kin, out, more, err);
}

/* A part of an id that this conversation does not have, but perhaps one other. */
static skein_rc none_here(finding *c, skein_error *err)
{
    skn_trees *f = &c->r.trees;
    skn_heads  begin = {0}, end = {0};
    skn_head   only;
    skein_rc   rc = SKEIN_OK;

    if (c->typed && ((rc = skn_heads_by_beginning(f->tx, c->ref.id, 2, f->a, &begin, err)) ||
                     (rc = skn_heads_by_ending(f->tx, c->ref.id, 2, f->a, &end, err))))
        return rc;
    if (begin.count + end.count != 1)
        return unknown(c, err);
    only = begin.count ? begin.at[0] : end.at[0];
    return elsewhere(c, only.uid, only.conversation_id, err);
}

static skein_rc by_part(finding *c, skein_error *err)
{
    head_vec found = {0};
    bool     more = false, there;
    skein_rc rc;

    if (c->ref.id.n < SKN_PREFIX_MIN)
        return unknown(c, err);
    if ((rc = find_candidates(c, &found, &more, err)))
        return rc;
    if (found.n > 1 || (found.n == 1 && more))
        return ambiguous(c, &found, more, err);
    if (found.n == 0)
        return none_here(c, err);
    return skn_message_get(c->r.trees.tx, found.p[0].id, c->mem, c->out, &there, err);
}

static skein_rc by_id(finding *c, skein_error *err)
{
    skn_trees *f = &c->r.trees;
    bool       found, ours;
    skein_rc   rc = skn_message_by_uid(f->tx, c->ref.id, f->a, c->out, &found, err);

    if (rc == SKEIN_OK && !found)
        rc = by_part(c, err);
    else if (rc == SKEIN_OK &&
             !(rc = belongs(c, c->out->id.v, c->out->born_in.v, &ours, err)) && !ours)
        rc = elsewhere(c, c->out->uid, c->out->born_in.v, err);
    if (rc)
        return rc;
    return skn_thread_position_of(f, &c->r.thread, c->out->id.v, &c->out->position, err);
}

/* --- By place ------------------------------------------------------------------------------------ */

static skein_rc by_position(finding *c, skein_error *err)
{
    int64_t        length = c->r.thread.length;
    int64_t        at = length - 1 - c->ref.back;
    skein_messages one;
    skein_rc       rc;

    if (length == 0)
        return skn_fail(err, SKEIN_NOT_FOUND, "v%lld of conversation \"%.*s\" has no messages",
                        (long long)c->r.version.number, SKN_FMT(c->r.conversation.uid));
    if (at < 0)
        return skn_fail(err, SKEIN_NOT_FOUND,
                        "\"%.*s\" is before the first message: v%lld has %lld",
                        SKN_FMT(c->text), (long long)c->r.version.number, (long long)length);
    if ((rc = skn_thread_messages(&c->r.trees, &c->r.thread, at, at + 1, &one, err)))
        return rc;
    if (one.count != 1)
        return skn_fail(err, SKEIN_DAMAGED, "thread \"%.*s\" has no position %lld",
                        SKN_FMT(c->r.thread.row.uid), (long long)at);
    *c->out = one.at[0];
    return SKEIN_OK;
}

/* To what it replies to, as this version shows it. */
static skein_rc go_up(finding *c, skein_error *err)
{
    skein_message *m = c->out;
    skn_str        from = m->uid, to = m->reply_to;
    bool           found = false;
    skein_rc       rc;

    if (!to.p)
        return skn_fail(err, SKEIN_NOT_FOUND, "message \"%.*s\" replies to nothing",
                        SKN_FMT(from));
    if (m->reply_to_id.v &&
        ((rc = skn_reading_target(&c->r, m->reply_to_id.v, m, &found, err)) || found))
        return rc;
    return skn_fail(err, SKEIN_NOT_FOUND,
                    "message \"%.*s\" replies to \"%.*s\", which is not known here",
                    SKN_FMT(from), SKN_FMT(to));
}

static skein_rc find_referred(finding *c, skn_tx *tx, const skein_slice *main, skein_error *err)
{
    skein_rc rc = skn_reading_open(&c->r, tx, main, c->mem, err);

    c->origin = (skn_thread_rows){0};
    c->origin_known = false;
    if (rc)
        return rc;
    rc = c->ref.id.p ? by_id(c, err) : by_position(c, err);
    for (int i = 0; rc == SKEIN_OK && i < c->ref.up; i++)
        rc = go_up(c, err);
    return rc;
}

static skein_rc find_in(skein_engine *e, skein_slice main, finding c, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *c.out = (skein_message){.position = -1};
    s.rc = skn_reference_parse(c.text, &c.ref, err);
    while (skn_snapshot_next(&s, err))
        s.rc = find_referred(&c, s.tx, &main, err);
    return s.rc;
}

skein_rc skein_message_find(skein_engine *e, skein_conversation_id conversation,
                            int64_t version, skein_str ref, skein_mem *mem, skein_message *out,
                            skein_error *err)
{
    return find_in(e, (skein_slice){.conversation = conversation, .version = version},
                   (finding){.text = ref, .mem = mem, .out = out}, err);
}

skein_rc skn_message_typed(skein_engine *e, skein_conversation_id conversation, skn_str ref,
                           skein_mem *mem, skein_message *out, skein_error *err)
{
    return find_in(e, (skein_slice){.conversation = conversation},
                   (finding){.text = ref, .typed = true, .mem = mem, .out = out}, err);
}

/* "@" and "@~N"; a sign is not part of the number. */
static bool parse_back(skn_str s, int64_t *back)
{
    *back = 0;
    if (s.n == 1)
        return true;
    if (s.n < 3 || s.p[1] != '~' || s.p[2] == '-')
        return false;
    return skn_str_int(skn_str_sub(s, 2, s.n), back);
}

skein_rc skn_reference_parse(skn_str text, skn_reference *out, skein_error *err)
{
    skn_str s = text, shown = skn_utf8_cut(text, 80);

    *out = (skn_reference){.id = SKN_NONE};
    while (s.n > 0 && s.p[s.n - 1] == '^' && out->up <= SKN_UP_MAX) {
        s.n--;
        out->up++;
    }
    if (out->up > SKN_UP_MAX)
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" goes up more than %d replies",
                        SKN_FMT(shown), SKN_UP_MAX);
    if (s.n > 0 && s.p[0] == '@') {
        if (parse_back(s, &out->back))
            return SKEIN_OK;
    } else if (skn_uid_valid(s)) {
        out->id = s;
        return SKEIN_OK;
    }
    return skn_fail_hint(
        err, SKEIN_INVALID,
        "Give an id, 4 or more of its first or last characters, @, @~2 or ID^.",
        "\"%.*s\" does not name a message", SKN_FMT(shown));
}
