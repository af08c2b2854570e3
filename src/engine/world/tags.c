/* tags.c: tags that a world offers, and which of them are on in a conversation. */
#include "base/utf8.h"
#include "engine/feed.h"

#define NAME_MAX_BYTES ((size_t)64)
#define WORLD_TAGS     256

/* --- What may be a tag ------------------------------------------------------------------------------- */

/* Who a message is from is stamped by the system: no tag may say it. */
static skein_rc check_word(skn_str s, const char *what, size_t max, skein_error *err)
{
    skein_rc rc = skn_check_word(s, what, max, err);

    if (rc)
        return rc;
    if (skn_str_trim(s).n != s.n)
        return skn_fail(err, SKEIN_INVALID, "%s begins or ends with a blank", what);
    if (skn_str_is_word(skn_str_sub(s, 0, 7), "source."))
        return skn_fail_hint(err, SKEIN_INVALID,
                             "Only the system says where a message comes from.",
                             "%s begins with \"Source.\"", what);
    return SKEIN_OK;
}

static skein_rc check_tag(const skein_tag *tag, skein_error *err)
{
    skein_rc rc;

    if ((rc = check_word(tag->name, "the tag's name", NAME_MAX_BYTES, err)) ||
        (rc = check_word(tag->instruction, "the tag's instruction", SKN_WORD_MAX, err)))
        return rc;
    if (!skn_str_among(tag->control, "button toggle choice"))
        return skn_fail_hint(err, SKEIN_INVALID,
                             "A control is one of button, toggle and choice.",
                             "the tag \"%.*s\" has no such control", SKN_FMT(tag->name));
    return skn_check_given(tag->target, "the tag's target", SKN_WORD_MAX, err);
}

static skein_rc no_tag(skn_str name, skein_error *err)
{
    int n = (int)(name.n < 80 ? name.n : 80);

    return skn_fail_hint(err, SKEIN_NOT_FOUND, "\"skein tag ls\" lists its tags.",
                         "this world has no tag \"%.*s\"", n, name.p ? name.p : "");
}

/* --- The calls ---------------------------------------------------------------------------------------- */

typedef struct tag_call {
    skein_world_id        world;
    skein_conversation_id conversation;
    const skein_tag      *tag;
    skn_str               name;
    bool                  active;
    const skein_tags     *all; /* of a replacement */
    const bool           *touch;
} tag_call;

static void tell_world(skn_working *w, const tag_call *c, skn_str tag)
{
    skn_feed_world(w->tx, c->world.v, "world.updated", SKN_TOLD(SKN_M_TEXT("tag", tag)));
}

static skein_rc define_tag(skn_working *w, void *arg, skein_error *err)
{
    tag_call   *c = arg;
    skein_world world;
    int64_t     others;
    skein_rc    rc;

    if ((rc = skn_world_need(w->tx, c->world.v, w->a, &world, err)) ||
        (rc = skn_tag_others(w->tx, c->world.v, c->tag->name, &others, err)))
        return rc;
    if (others >= WORLD_TAGS)
        return skn_fail(err, SKEIN_LIMIT, "the world has %lld tags; the limit is %d",
                        (long long)others, WORLD_TAGS);
    if ((rc = skn_tag_put(w->tx, c->world.v, c->tag, SKN_NOW(), err)))
        return rc;
    tell_world(w, c, c->tag->name);
    return SKEIN_OK;
}

static skein_rc forget_tag(skn_working *w, void *arg, skein_error *err)
{
    tag_call   *c = arg;
    skein_world world;
    int64_t     id;
    skein_rc    rc;

    if ((rc = skn_world_need(w->tx, c->world.v, w->a, &world, err)) ||
        (rc = skn_tag_find(w->tx, c->world.v, c->name, &id, err)))
        return rc;
    if (!id || (rc = skn_tag_drop(w->tx, id, err)))
        return id ? rc : no_tag(c->name, err);
    tell_world(w, c, c->name);
    return SKEIN_OK;
}

static skein_rc switch_tag(skn_working *w, const skn_conversation_row *row, skn_str name,
                           bool active, skein_error *err)
{
    int64_t  id;
    skein_rc rc = skn_tag_find(w->tx, row->world_id, name, &id, err);

    if (rc || !id || (rc = skn_tag_set_active(w->tx, row->id, id, active, err)))
        return rc || id ? rc : no_tag(name, err);
    skn_feed_chat(w->tx, row, "chat.updated", SKN_NONE,
                  SKN_TOLD(SKN_M_TEXT("id", row->uid), SKN_M_TEXT("tag", name),
                           SKN_M_BOOL("active", active)));
    return SKEIN_OK;
}

static skein_rc activate_tag(skn_working *w, void *arg, skein_error *err)
{
    tag_call            *c = arg;
    skn_conversation_row row;
    skein_rc             rc = skn_conversation_take(w->tx, c->conversation, w->a, &row, err);

    return rc ? rc : switch_tag(w, &row, c->name, c->active, err);
}

static skein_rc check_place(skein_world_id world, const skn_conversation_row *row,
                            skein_error *err)
{
    if (row->id == 0 || row->world_id == world.v)
        return SKEIN_OK;
    return skn_fail(err, SKEIN_NOT_FOUND, "conversation \"%.*s\" is in another world",
                    SKN_FMT(row->uid));
}

/* --- All at once --------------------------------------------------------------------------------------- */

static bool is_same(const skein_tag *a, const skein_tag *b)
{
    return skn_str_eq(a->control, b->control) && skn_str_eq(a->instruction, b->instruction) &&
           skn_str_eq(a->target, b->target) && a->include_in_message == b->include_in_message;
}

static skein_rc forget_others(skn_working *w, const tag_call *c, const skein_tags *have,
                              const skn_map *wanted, skein_error *err)
{
    int64_t  id;
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < have->count; i++) {
        skn_str name = have->at[i].name;

        if (skn_map_get(wanted, name))
            continue;
        if ((rc = skn_tag_find(w->tx, c->world.v, name, &id, err)) == SKEIN_OK)
            rc = skn_tag_drop(w->tx, id, err);
        tell_world(w, c, name);
    }
    return rc;
}

/* An unchanged tag is left alone and causes no event. */
static skein_rc put_one(skn_working *w, const tag_call *c, const skn_conversation_row *chat,
                        size_t i, const skein_tag *before, skein_error *err)
{
    const skein_tag *tag = &c->all->at[i];
    bool             active = before && before->active;
    skein_rc         rc = SKEIN_OK;

    if (!before || !is_same(before, tag)) {
        rc = skn_tag_put(w->tx, c->world.v, tag, SKN_NOW(), err);
        tell_world(w, c, tag->name);
    }
    if (rc || !chat->id || !c->touch || !c->touch[i] || active == tag->active)
        return rc;
    return switch_tag(w, chat, tag->name, tag->active, err);
}

static skein_rc replace_tags(skn_working *w, void *arg, skein_error *err)
{
    tag_call            *c = arg;
    skn_conversation_row chat = {0};
    skein_world          world;
    skein_tags           have;
    skn_map             *wanted = skn_map_new(w->a), *known = skn_map_new(w->a);
    bool                 found;
    skein_rc             rc = SKEIN_OK;

    if ((c->conversation.v &&
         (rc = skn_conversation_take(w->tx, c->conversation, w->a, &chat, err))) ||
        (rc = skn_world_hold(w->tx, c->world.v, &found, err)) ||
        (rc = skn_world_need(w->tx, c->world.v, w->a, &world, err)) ||
        (rc = check_place(c->world, &chat, err)) ||
        (rc = skn_tag_rows(w->tx, c->world.v, chat.id, w->a, &have, err)))
        return rc;
    for (size_t i = 0; i < c->all->count; i++)
        *skn_map_slot(wanted, c->all->at[i].name) = c;
    for (size_t i = 0; i < have.count; i++)
        *skn_map_slot(known, have.at[i].name) = &have.at[i];
    rc = forget_others(w, c, &have, wanted, err);
    for (size_t i = 0; rc == SKEIN_OK && i < c->all->count; i++)
        rc = put_one(w, c, &chat, i, skn_map_get(known, c->all->at[i].name), err);
    return rc;
}

/* Each may be, and none is there twice; *bad is the first that is not so. */
static skein_rc check_all(const skein_tags *tags, size_t *bad, skein_error *err)
{
    skn_arena *a = skn_arena_new();
    skn_map   *names = skn_map_new(a);
    skein_rc   rc = SKEIN_OK;

    for (*bad = 0; *bad < tags->count; ++*bad) {
        const skein_tag *tag = &tags->at[*bad];
        void           **slot;

        if ((rc = check_tag(tag, err)))
            break;
        if (*(slot = skn_map_slot(names, tag->name))) {
            rc = skn_fail(err, SKEIN_INVALID, "the tag \"%.*s\" is there twice",
                          SKN_FMT(tag->name));
            break;
        }
        *slot = names;
    }
    skn_arena_free(a);
    return rc;
}

static skein_rc write_tags(skein_engine *e, tag_call *c, skn_job *job, skein_error *err)
{
    skein_rc rc = c->name.p ? skn_utf8_check(c->name, "the tag's name", err) : SKEIN_OK;

    return rc ? rc : skn_write(e, NULL, job, c, err);
}

skein_rc skein_tag_define(skein_engine *e, skein_world_id world, const skein_tag *tag,
                          skein_error *err)
{
    tag_call c = {.world = world, .tag = tag};
    skein_rc rc = check_tag(tag, err);

    return rc ? rc : write_tags(e, &c, define_tag, err);
}

skein_rc skein_tag_replace(skein_engine *e, skein_world_id world,
                           skein_conversation_id conversation, const skein_tags *tags,
                           const bool *touch, size_t *bad, skein_error *err)
{
    tag_call c = {.world = world, .conversation = conversation, .all = tags, .touch = touch};
    size_t   at;
    skein_rc rc;

    bad = bad ? bad : &at;
    *bad = tags->count;
    if (tags->count > WORLD_TAGS)
        return skn_fail(err, SKEIN_LIMIT, "%zu tags were given; the limit is %d", tags->count,
                        WORLD_TAGS);
    rc = check_all(tags, bad, err);
    return rc ? rc : write_tags(e, &c, replace_tags, err);
}

skein_rc skein_tag_forget(skein_engine *e, skein_world_id world, skein_str name,
                          skein_error *err)
{
    tag_call c = {.world = world, .name = name};

    return write_tags(e, &c, forget_tag, err);
}

skein_rc skein_tag_activate(skein_engine *e, skein_conversation_id conversation, skein_str name,
                            bool active, skein_error *err)
{
    tag_call c = {.conversation = conversation, .name = name, .active = active};

    return write_tags(e, &c, activate_tag, err);
}

skein_rc skein_tag_list(skein_engine *e, skein_world_id world,
                        skein_conversation_id conversation, skein_mem *mem, skein_tags *out,
                        skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_tags){0};
    while (skn_snapshot_next(&s, err)) {
        skn_conversation_row row = {0};
        skein_world          w;

        if (!(s.rc = skn_world_need(s.tx, world.v, mem, &w, err)) && conversation.v)
            s.rc = skn_conversation_need(s.tx, conversation, mem, &row, err);
        if (!s.rc && !(s.rc = check_place(world, &row, err)))
            s.rc = skn_tag_rows(s.tx, world.v, row.id, mem, out, err);
    }
    return s.rc;
}
