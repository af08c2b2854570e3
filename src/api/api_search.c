/* Search: the engine finds words, conditions are checked on what it finds. A cursor names the message
 * behind which to go on, so that it always means the same, and a search that has little to show for
 * much looking can stop and be taken up again. */
#include "api/call.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/words.h"

#include <inttypes.h>
#include <strings.h>

#define LOOK_MOST 10000 /* messages that are looked at for one page */
#define AT_ONCE   500   /* hits that are read for what only their conversation tells */

#define RUN_MOST ((size_t)200)
#define NEAR     10 /* messages before and after one that are near it */

enum { FROM, TO, IN, AGENT, ROLE, TAG, MODEL, REPLY_TO, CHILDREN_OF, TEXTS };
static const char *const text_names[TEXTS] = {"from", "to",    "in",       "agent",      "role",
                                              "tag",  "model", "reply-to", "children-of"};

enum {
    UNREPLIED,
    MEMORY_ONLY,
    EDITED,
    SQUASHED,
    BACKGROUND,
    ARCHIVED,
    FAILED,
    HAS_TOOL,
    HAS_CODE,
    HAS_LINK,
    MARKS
};
static const char *const mark_names[MARKS] = {
    "is:unreplied", "is:memory-only", "is:edited", "is:squashed", "is:background",
    "is:archived",  "is:failed",      "has:tool",  "has:code",    "has:link"};

/* What a search asks for beside its words: from:ada is:unreplied -not. A word with a known beginning before its colon is a
 * condition, one after "-" must not be there. Conditions of a message are checked while the engine looks for the rest, those
 * that need more on what it found. */
typedef struct conditions {
    skn_str   text[TEXTS];
    bool      mark[MARKS];
    int64_t   version;       /* 0: any */
    int64_t   before, after; /* microseconds; 0: any time */
    skn_str   not_text;      /* words that must not be there, as a query */
    skn_terms not_terms;
    skn_map  *thread; /* ids of the messages of a reply thread; NULL: any */
    skn_map  *near;   /* the same of those that stand around a message */
    bool      any;    /* is there a condition at all? */
} conditions;

/* --- Reading ------------------------------------------------------------------------------ */

static skein_rc bad(skn_api_call *c, skn_str word, const char *why)
{
    return skn_call_invalid(c, "/q",
                            skn_arena_text(c->mem, "has \"%.*s\": %s",
                                           (int)(word.n < 80 ? word.n : 80), word.p, why));
}

/* The message, wherever it is in the world. */
static skein_rc find_one(skn_api_call *c, skn_str word, skn_str id, skein_message *out,
                         skein_conversation *home)
{
    skein_rc rc;

    if (!c->world.id.v)
        return bad(c, word, "this needs a world");
    rc = skein_message_in_world(c->engine, c->world.id, id, c->mem, out, home, &c->error);
    if (rc == SKEIN_NOT_FOUND)
        c->more.thing = "message";
    return rc;
}

/* All messages below one. */
static skein_rc read_thread(skn_api_call *c, skn_str word, skn_str id, conditions *w)
{
    skein_message      root;
    skein_conversation home;
    skein_reply_tree   tree;
    skein_rc           rc;

    if ((rc = find_one(c, word, id, &root, &home)) ||
        (rc = skein_reply_tree_read(c->engine, home.id, 0, root.id, c->mem, &tree, &c->error)))
        return rc;
    w->thread = skn_map_new(c->mem);
    for (size_t i = 0; i < tree.count; i++)
        *skn_map_slot_int(w->thread, tree.at[i].message.id.v) = w;
    return SKEIN_OK;
}

/* Where it stands: in the current version, or else in the newest that holds it. */
static skein_rc find_place(skn_api_call *c, const skein_conversation *home, skein_message *m,
                           int64_t *version)
{
    skein_messages      one = {m, 1};
    skein_message_facts facts = {0};
    skn_str             uid = m->uid;
    skein_rc            rc;

    *version = 0;
    if ((rc = skein_message_find(c->engine, home->id, 0, uid, c->mem, m, &c->error)) ||
        m->position >= 0)
        return rc;
    rc = skein_message_explain(c->engine, home->id, 0, &one, c->mem, &facts, &c->error);
    if (rc || facts.version_count == 0)
        return rc;
    *version = facts.versions[0];
    return skein_message_find(c->engine, home->id, *version, uid, c->mem, m, &c->error);
}

/* The messages around one, itself among them. */
static skein_rc read_near(skn_api_call *c, skn_str word, skn_str id, conditions *w)
{
    skein_message      m;
    skein_conversation home;
    skein_slice        around = {.count = 2 * NEAR + 1};
    skein_messages     list;
    skein_rc           rc;

    if ((rc = find_one(c, word, id, &m, &home)) ||
        (rc = find_place(c, &home, &m, &around.version)))
        return rc;
    w->near = skn_map_new(c->mem);
    *skn_map_slot_int(w->near, m.id.v) = w;
    if (m.position < 0) /* in a delegation, or in no version any more */
        return SKEIN_OK;
    around.conversation = home.id;
    around.from = m.position > NEAR ? m.position - NEAR : 0;
    around.count = m.position + NEAR + 1 - around.from;
    rc = skein_read(c->engine, &around, c->mem, &list, NULL, &c->error);
    for (size_t i = 0; rc == SKEIN_OK && i < list.count; i++)
        *skn_map_slot_int(w->near, list.at[i].id.v) = w;
    return rc;
}

static skein_rc read_value(skn_api_call *c, skn_str word, skn_str key, skn_str value,
                           conditions *w, bool *known)
{
    *known = true;
    for (size_t i = 0; i < TEXTS; i++)
        if (skn_str_is(key, text_names[i])) {
            w->text[i] = value;
            return SKEIN_OK;
        }
    if (skn_str_is(key, "thread"))
        return read_thread(c, word, value, w);
    if (skn_str_is(key, "near"))
        return read_near(c, word, value, w);
    if (skn_str_is(key, "version")) {
        skn_str number = value.n && value.p[0] == 'v' ? skn_str_sub(value, 1, value.n) : value;

        return skn_str_int(number, &w->version) && w->version > 0
                   ? SKEIN_OK
                   : bad(c, word, "versions are called v1, v2, …");
    }
    if (skn_str_is(key, "before") || skn_str_is(key, "after"))
        return skn_time_parse(value, key.p[0] == 'b' ? &w->before : &w->after)
                   ? SKEIN_OK
                   : bad(c, word, "a time looks like 2026-11-15 or 2026-11-15T14:03:00Z");
    *known = false;
    return SKEIN_OK;
}

static skein_rc read_word(skn_api_call *c, skn_str word, conditions *w, bool *known)
{
    ptrdiff_t colon = skn_str_find(word, SKN_STR(":"));
    skn_str   key, value;

    *known = false;
    for (size_t i = 0; i < MARKS; i++)
        if (skn_str_is(word, mark_names[i]))
            w->mark[i] = *known = true;
    if (*known || colon <= 0)
        return SKEIN_OK;
    key = skn_str_sub(word, 0, (size_t)colon);
    value = skn_str_sub(word, (size_t)colon + 1, word.n);
    if (skn_str_is(key, "is") || skn_str_is(key, "has"))
        return bad(c, word, "there is no such condition");
    if (value.n && value.p[0] == '"' && value.p[value.n - 1] == '"' && value.n > 1)
        value = skn_str_sub(value, 1, value.n - 1);
    return value.n ? read_value(c, word, key, value, w, known) : SKEIN_OK;
}

/* Cuts the next word off; what stands in quotes belongs to one. */
static bool next_word(skn_str *rest, skn_str *word)
{
    bool   quoted = false;
    size_t i = 0;

    *rest = skn_str_trim(*rest);
    for (; i < rest->n && (quoted || rest->p[i] != ' '); i++)
        if (rest->p[i] == '"')
            quoted = !quoted;
    *word = skn_str_sub(*rest, 0, i);
    *rest = skn_str_sub(*rest, i, rest->n);
    return word->n > 0;
}

static void add_word(skn_buf *b, skn_str word)
{
    if (b->n)
        skn_buf_addc(b, ' ');
    skn_buf_add(b, word);
}

static skein_rc read_words(skn_api_call *c, skn_str q, conditions *w, skn_buf *plain,
                           skn_buf *without)
{
    skn_str  word;
    bool     known;
    skein_rc rc;

    while (next_word(&q, &word)) {
        if (word.p[0] == '-' && word.n > 1) {
            add_word(without, skn_str_sub(word, 1, word.n));
            continue;
        }
        if ((rc = read_word(c, word, w, &known)))
            return rc;
        if (known)
            w->any = true;
        else
            add_word(plain, word);
    }
    return SKEIN_OK;
}

/* Reads q; *words is what is left for the engine. Fails on a condition that cannot be. */
static skein_rc conditions_read(skn_api_call *c, skn_str q, conditions **out, skn_str *words)
{
    conditions *w = SKN_NEW(c->mem, conditions);
    skn_buf     plain, without;
    skein_rc    rc;

    skn_buf_init(&plain, SKN_QUERY_BYTES * 2);
    skn_buf_init(&without, SKN_QUERY_BYTES * 2);
    rc = read_words(c, q, w, &plain, &without);
    *words = skn_arena_copy(c->mem, skn_buf_str(&plain));
    w->not_text = skn_arena_copy(c->mem, skn_buf_str(&without));
    skn_buf_release(&plain);
    skn_buf_release(&without);
    if (rc == SKEIN_OK && w->not_text.n) {
        w->any = true;
        rc = skn_words_query(w->not_text, c->mem, &w->not_terms, &c->error);
    }
    *out = w;
    return rc;
}

/* --- Checking ----------------------------------------------------------------------------- */

static bool same(skn_str a, skn_str b)
{
    return a.n == b.n && a.n && strncasecmp(a.p, b.p, a.n) == 0;
}

static bool has_tag(const skein_message *m, skn_str tag, bool target)
{
    for (size_t i = 0; i < m->instruction_count; i++)
        if (same(target ? m->instructions[i].target : m->instructions[i].type, tag))
            return true;
    return false;
}

/* To somebody: with a mention, or an instruction that names them. */
static bool is_to(const skein_message *m, skn_str name)
{
    skn_arena *scratch = skn_arena_new();
    size_t    *found;
    bool       yes = has_tag(m, name, true) ||
               skn_mentions(m->content, &name, 1, scratch, &found) > 0;

    skn_arena_free(scratch);
    return yes;
}

static bool is_from(const skein_message *m, skn_str name)
{
    bool person = same(name, SKN_STR("me")) || same(name, SKN_STR("you"));

    return person ? m->author == SKEIN_BY_HUMAN : same(m->sender, name);
}

static bool meets_texts(const conditions *w, const skein_message *m)
{
    const skn_str *t = w->text;

    return (!t[FROM].p || is_from(m, t[FROM])) && (!t[TO].p || is_to(m, t[TO])) &&
           (!t[ROLE].p || same(skn_str_of(skein_role_name(m->role)), t[ROLE])) &&
           (!t[TAG].p || has_tag(m, t[TAG], false)) &&
           (!t[MODEL].p || (m->model.p && skn_str_find(m->model, t[MODEL]) >= 0)) &&
           (!t[REPLY_TO].p || skn_str_eq(m->reply_to, t[REPLY_TO])) &&
           (!t[CHILDREN_OF].p || skn_str_eq(m->reply_to, t[CHILDREN_OF]));
}

static bool has_link(skn_str text)
{
    return skn_str_find(text, SKN_STR("http://")) >= 0 ||
           skn_str_find(text, SKN_STR("https://")) >= 0;
}

static bool meets_marks(const conditions *w, const skein_message *m)
{
    const bool *is = w->mark;

    return (!is[EDITED] || m->version_of.v) && (!is[SQUASHED] || m->squash_uid.p) &&
           (!is[FAILED] || m->tool_failed) &&
           (!is[HAS_TOOL] || m->call_count || m->tool_call_id.p) &&
           (!is[HAS_CODE] || skn_str_find(m->content, SKN_STR("```")) >= 0) &&
           (!is[HAS_LINK] || has_link(m->content));
}

/* Does a message meet those that it tells by itself? For skein_search_request. */
static bool conditions_wants(const skein_message *m, void *arg)
{
    const conditions *w = arg;
    size_t            at;
    bool              ok = (!w->before || m->created_at < w->before) &&
              (!w->after || m->created_at >= w->after) &&
              (!w->thread || skn_map_get_int(w->thread, m->id.v)) &&
              (!w->near || skn_map_get_int(w->near, m->id.v)) && meets_texts(w, m) &&
              meets_marks(w, m);

    for (size_t i = 0; ok && i < w->not_terms.count; i++) {
        skn_terms one = {&w->not_terms.at[i], 1};

        ok = !skn_words_match(m->content, &one, &at);
    }
    return ok;
}

/* What the place of a message tells. */
static bool stands_right(const conditions *w, const skein_hit *hit)
{
    const skein_conversation *chat = &hit->conversation;
    const skn_str            *t = w->text;

    return (!t[IN].p || skn_str_eq(chat->uid, t[IN]) || same(chat->title, t[IN])) &&
           (!t[AGENT].p || same(chat->agent_name, t[AGENT])) &&
           (!w->mark[BACKGROUND] || chat->mode == SKEIN_BACKGROUND) &&
           (!w->mark[ARCHIVED] || chat->archived) &&
           (!w->version || hit->version == w->version);
}

/* How many hits from here on are of the same version of one conversation. */
static size_t run_of(const skein_hits *hits, size_t from)
{
    size_t n = 1;

    while (n < RUN_MOST && from + n < hits->count &&
           hits->at[from + n].conversation.id.v == hits->at[from].conversation.id.v &&
           hits->at[from + n].version == hits->at[from].version)
        n++;
    return n;
}

/* What only the whole conversation tells: whether anybody answered. Asked for many at once. */
static skein_rc sift_facts(skn_api_call *c, const conditions *w, skein_hits *hits)
{
    skein_message       *list = SKN_ARRAY(c->mem, RUN_MOST, skein_message);
    skein_message_facts *facts = SKN_ARRAY(c->mem, RUN_MOST, skein_message_facts);
    size_t               kept = 0;
    skein_rc             rc;

    for (size_t i = 0, n; i < hits->count; i += n) {
        skein_messages run = {list, n = run_of(hits, i)};

        for (size_t k = 0; k < n; k++)
            list[k] = hits->at[i + k].message;
        if ((rc = skein_message_explain(c->engine, hits->at[i].conversation.id,
                                        hits->at[i].version, &run, c->mem, facts, &c->error)))
            return rc;
        for (size_t k = 0; k < n; k++)
            if ((!w->mark[UNREPLIED] || facts[k].reply_count == 0) &&
                (!w->mark[MEMORY_ONLY] || facts[k].memory_only))
                hits->at[kept++] = hits->at[i + k];
    }
    hits->count = kept;
    return SKEIN_OK;
}

/* Leaves the hits that meet the others too. */
static skein_rc conditions_sift(skn_api_call *c, const conditions *w, skein_hits *hits)
{
    size_t kept = 0;

    for (size_t i = 0; i < hits->count; i++)
        if (stands_right(w, &hits->at[i]))
            hits->at[kept++] = hits->at[i];
    hits->count = kept;
    return w->mark[UNREPLIED] || w->mark[MEMORY_ONLY] ? sift_facts(c, w, hits) : SKEIN_OK;
}

/* --- Finding ------------------------------------------------------------------------------ */

typedef struct finding {
    skn_api_call         *c;
    skein_search_request *req;
    const conditions     *wanted;
    int64_t               limit;
    skn_vec(skein_hit) hits;
} finding;

static skein_rc find_some(finding *f, skein_hits *out)
{
    skn_api_call *c = f->c;
    int64_t       missing = f->limit - (int64_t)f->hits.n;
    skein_rc      rc;

    f->req->limit = missing < AT_ONCE ? missing : AT_ONCE;
    rc = skein_search(c->engine, f->req, c->mem, out, &c->error);
    if (rc == SKEIN_INVALID)
        return skn_call_invalid(c, "/q", c->error.message);
    f->req->below = out->below;
    return rc || !f->wanted->any ? rc : conditions_sift(c, f->wanted, out);
}

/* As many as are wanted, or as there are, or as much as may be looked at; req->below is where it ended. */
static skein_rc find_messages(finding *f)
{
    skein_hits part;
    skein_rc   rc;

    do {
        if ((rc = find_some(f, &part)))
            return rc;
        for (size_t i = 0; i < part.count; i++)
            skn_vec_add(f->c->mem, &f->hits, part.at[i]);
        f->req->looks -= part.looked;
    } while (f->req->below.v && f->req->looks > 0 && (int64_t)f->hits.n < f->limit);
    return SKEIN_OK;
}

/* "archived": true for nothing else, false for all but those; without it both are found. */
static skein_rc read_archived(skn_api_call *c, skein_archived *out)
{
    bool     only;
    skein_rc rc = skn_call_query_flag(c, "archived", &only);

    *out = !skn_call_query(c, "archived").p ? SKEIN_ARCHIVED_ALSO
           : only                           ? SKEIN_ARCHIVED_ONLY
                                            : SKEIN_ARCHIVED_NOT;
    return rc;
}

/* Of this search alone. */
static skn_str search_tag(skn_api_call *c, const skein_search_request *req, skn_str q)
{
    uint64_t hash = skn_hash_bytes((req->current_only ? 21 : 20) + 2 * req->archived, q);

    hash ^= (uint64_t)req->world.v * 31 + (uint64_t)req->conversation.v;
    return skn_arena_printf(c->mem, "search %016" PRIx64, hash);
}

static skein_rc search(skn_api_call *c, skein_search_request *req)
{
    skn_str     q = skn_call_query(c, "q"), next = SKN_NONE;
    finding     f = {.c = c, .req = req};
    conditions *wanted;
    skn_page    page;
    skein_rc    rc;

    if (!q.p || !skn_str_trim(q).n)
        return skn_call_invalid(c, "/q", "is required");
    if ((rc = conditions_read(c, q, &wanted, &req->query)) ||
        (rc = skn_call_query_flag(c, "current", &req->current_only)) ||
        (rc = read_archived(c, &req->archived)) ||
        (rc = skn_page_read(c, search_tag(c, req, q), SKN_PAGE_DEFAULT, false, &page)))
        return rc;
    if (!req->query.n)
        req->query = SKN_NONE; /* conditions alone: every message is looked at */
    if (wanted->any) {
        req->wants = conditions_wants;
        req->arg = wanted;
    }
    f.wanted = wanted;
    f.limit = page.limit;
    req->below.v = page.asked ? page.from : 0;
    req->looks = LOOK_MOST;
    if ((rc = find_messages(&f)))
        return rc;
    skn_call_list(c);
    for (size_t i = 0; i < f.hits.n; i++)
        skn_shape_hit(&c->w, &f.hits.p[i]);
    if (req->below.v)
        next = skn_page_cursor(c, &page, req->below.v, page.limit);
    skn_call_list_end(c, next, SKN_NONE, next.p || page.asked ? -1 : (int64_t)f.hits.n);
    return skn_page_fields(c, SKN_FIELDS_HIT);
}

skein_rc skn_api_search(skn_api_call *c)
{
    skein_search_request req = {.limit = 0};

    return search(c, &req);
}

skein_rc skn_api_search_world(skn_api_call *c)
{
    skein_search_request req = {.limit = 0};
    skn_str              chat = skn_call_query(c, "chatId");
    skein_rc             rc;

    if (chat.p && (rc = skn_find_chat(c, chat)))
        return rc;
    req.world = c->world.id;
    req.conversation = c->chat.id;
    return search(c, &req);
}
