/* fsck_rows.c: what is in the rows themselves: texts, tool calls, places. */
#include "base/json.h"
#include "base/uid.h"
#include "base/utf8.h"
#include "engine/fsck.h"
#include "engine/mention.h"

#include <stdlib.h>

/* --- Messages ------------------------------------------------------------------------------------------ */

static void check_texts(skn_fsck *f, const skn_check_message *m)
{
    size_t bad;
    bool   ok = skn_utf8_valid(m->content, &bad) && skn_utf8_valid(m->calls, &bad) &&
              skn_utf8_valid(m->instructions, &bad);

    for (int i = 0; ok && i < SKN_CHECK_TEXTS; i++)
        ok = skn_utf8_valid(m->texts[i], &bad);
    if (!ok)
        skn_fsck_find(f, SKN_INV_UNCHANGED,
                      "message \"%.*s\" has a text that is not UTF-8 without U+0000",
                      SKN_FMT(m->uid));
    if (!skn_uid_valid(m->uid))
        skn_fsck_find(f, SKN_INV_UNIQUE_IDS, "message %lld has no usable public id",
                      (long long)m->id);
}

/* What was erased says nothing, and nothing can be guessed from its hash. */
static void check_hash(skn_fsck *f, const skn_check_message *m)
{
    skn_said said = {m->content, m->texts[0], m->calls, m->instructions};

    if (!m->hashed)
        skn_fsck_find(f, SKN_INV_UNCHANGED, "message \"%.*s\" has no hash", SKN_FMT(m->uid));
    else if (m->purged && (m->hash != SKN_HASH_ERASED || m->content.n || m->texts[0].n))
        skn_fsck_find(f, SKN_INV_UNCHANGED, "message \"%.*s\" was erased, but not all of it",
                      SKN_FMT(m->uid));
    else if (!m->purged && m->hash != skn_message_hash(&said))
        skn_fsck_find(f, SKN_INV_UNCHANGED,
                      "the text of message \"%.*s\" is not the one that was written",
                      SKN_FMT(m->uid));
}

static bool is_text(const skn_json *v, const char *key)
{
    const skn_json *member = skn_json_get(v, key);

    return member && member->kind == SKN_JSON_STRING;
}

static skein_rc check_call(skn_fsck *f, const skn_check_message *m, const skn_json *c,
                           skein_error *err)
{
    bool     has;
    skein_rc rc;

    if (!is_text(c, "id") || !is_text(c, "name") || !skn_json_get(c, "args")) {
        skn_fsck_find(f, SKN_INV_CALL_OF_RESULT,
                      "message \"%.*s\" has a tool call without id, name or arguments",
                      SKN_FMT(m->uid));
        return SKEIN_OK;
    }
    rc = skn_check_has_call(f->tx, m->conversation, skn_json_get(c, "id")->text, m->id, &has,
                            err);
    if (rc == SKEIN_OK && !has)
        skn_fsck_find(f, SKN_INV_CALL_OF_RESULT,
                      "a tool call of message \"%.*s\" cannot be found by its id",
                      SKN_FMT(m->uid));
    return rc;
}

static skein_rc check_calls(skn_fsck *f, const skn_check_message *m, skein_error *err)
{
    const skn_json *v;
    skein_rc        rc = SKEIN_OK;

    if (!m->calls.p)
        return SKEIN_OK;
    if (skn_json_parse(&v, m->calls, "calls", f->scratch, NULL) || v->kind != SKN_JSON_ARRAY) {
        skn_fsck_find(f, SKN_INV_CALL_OF_RESULT,
                      "the tool calls of message \"%.*s\" cannot be read", SKN_FMT(m->uid));
        return SKEIN_OK;
    }
    for (const skn_json *c = v->first; rc == SKEIN_OK && c; c = c->next)
        rc = check_call(f, m, c, err);
    return rc;
}

static void check_instructions(skn_fsck *f, const skn_check_message *m)
{
    const skn_json *v;
    bool            ok;

    if (!m->instructions.p)
        return;
    ok = !skn_json_parse(&v, m->instructions, "instructions", f->scratch, NULL) &&
         v->kind == SKN_JSON_ARRAY;
    for (const skn_json *i = ok ? v->first : NULL; ok && i; i = i->next)
        ok = is_text(i, "type");
    if (!ok)
        skn_fsck_find(f, SKN_INV_READABLE_INSTRUCTIONS,
                      "the instructions of message \"%.*s\" cannot be read", SKN_FMT(m->uid));
}

static void check_index(skn_fsck *f, const skn_check_message *m)
{
    skn_words w;
    skn_word  word;

    if (m->purged || m->indexed)
        return;
    skn_words_start(&w, m->content);
    if (skn_words_next(&w, &word))
        skn_fsck_find(f, SKN_INV_SEARCH_INDEX,
                      "message \"%.*s\" is missing in the index of words", SKN_FMT(m->uid));
}

static skein_rc on_message(void *arg, const skn_check_message *m, skein_error *err)
{
    skn_fsck *f = arg;
    int64_t   before = skn_fsck_found(f);
    skein_rc  rc;

    check_texts(f, m);
    check_instructions(f, m);
    check_index(f, m);
    rc = check_calls(f, m, err);
    if (skn_fsck_found(f) == before) /* else it is known that the row was changed, and how */
        check_hash(f, m);
    skn_arena_reset(f->scratch);
    return rc;
}

/* A row that leads to a call must lead to a message that makes it. */
static skein_rc on_call(void *arg, const skn_check_call *c, skein_error *err)
{
    skn_fsck       *f = arg;
    const skn_json *v = NULL, *at = NULL;

    (void)err;
    if (c->calls.p && !skn_json_parse(&v, c->calls, "calls", f->scratch, NULL) &&
        v->kind == SKN_JSON_ARRAY)
        for (at = v->first; at; at = at->next)
            if (is_text(at, "id") && skn_str_eq(skn_json_get(at, "id")->text, c->call_id))
                break;
    if (!at && (!c->calls.p || v)) /* what cannot be read was told already */
        skn_fsck_find(f, SKN_INV_CALL_OF_RESULT,
                      "message \"%.*s\" does not make the call \"%.*s\" noted for it",
                      SKN_FMT(c->message_uid), SKN_FMT(c->call_id));
    skn_arena_reset(f->scratch);
    return SKEIN_OK;
}

/* --- Items ----------------------------------------------------------------------------------------------- */

typedef struct items {
    skn_fsck      *f;
    skn_check_item last;
    bool           begun, told; /* of the thread that is looked at */
} items;

static void end_thread(items *s)
{
    if (s->begun && !s->told && s->last.seq < -1)
        skn_fsck_find(s->f, SKN_INV_DENSE_POSITIONS,
                      "thread %lld has gaps in what was put in its middle",
                      (long long)s->last.thread);
}

static void check_place(items *s, const skn_check_item *i)
{
    bool first = !s->begun || i->thread != s->last.thread;

    if (first) {
        end_thread(s);
        s->told = false;
    }
    if (s->told)
        return;
    if (first ? i->seq > 0 : i->seq != s->last.seq + 1) {
        skn_fsck_find(s->f, SKN_INV_DENSE_POSITIONS,
                      "thread %lld has a gap before its item %lld", (long long)i->thread,
                      (long long)i->seq);
        s->told = true;
    } else if (i->seq > 0 && i->key < s->last.key) {
        skn_fsck_find(s->f, SKN_INV_DENSE_POSITIONS,
                      "the order keys of thread %lld fall at its item %lld",
                      (long long)i->thread, (long long)i->seq);
        s->told = true;
    }
}

static skein_rc on_item(void *arg, const skn_check_item *i, skein_error *err)
{
    items           *s = arg;
    skn_check_source source;
    bool             kin = true;
    skein_rc         rc;

    check_place(s, i);
    s->last = *i;
    s->begun = true;
    if ((rc = skn_fsck_source(s->f, i->thread, &source, err)))
        return rc;
    if (source.conversation != i->conversation &&
        (rc = skn_fsck_kin(s->f, source.conversation, i->conversation, &kin, err)))
        return rc;
    if (source.id == 0 || i->conversation == 0 || !kin)
        skn_fsck_find(s->f, SKN_INV_OWN_CONVERSATION,
                      "item %lld of thread %lld is message %lld, which is not of its "
                      "conversation",
                      (long long)i->seq, (long long)i->thread, (long long)i->message);
    skn_arena_reset(s->f->scratch);
    return SKEIN_OK;
}

/* --- One place in a lane ------------------------------------------------------------------------------------ */

#define PLACES_MOST 100000 /* of one message */

/* The places of one message, gathered. */
typedef struct gathering {
    skn_fsck       *f;
    skn_arena      *a;
    int64_t         message;
    skn_check_item *at;
    size_t          count, room;
} gathering;

static int by_lane(const void *x, const void *y)
{
    const skn_check_item *a = x, *b = y;

    return (a->lane > b->lane) - (a->lane < b->lane);
}

/* Two places in a lane are harmless as long as no thread holds both. */
static skein_rc check_twice(gathering *g, const skn_check_item *places, size_t count,
                            skein_error *err)
{
    skn_ids  threads;
    skein_rc rc = skn_check_threads_of_lane(g->f->tx, places[0].lane, g->a, &threads, err);

    for (size_t i = 0; rc == SKEIN_OK && i < threads.count; i++) {
        skn_trees      trees;
        skn_thread_row row;
        skn_tree       tree;
        int64_t        at, held = 0;
        bool           found;

        skn_trees_init(&trees, g->f->tx, g->a, 0);
        if ((rc = skn_thread_get(g->f->tx, threads.at[i], g->a, &row, &found, err)) || !found ||
            skn_tree_open(&trees, row.root_id, row.base_length, &tree, NULL))
            continue;
        for (size_t k = 0; k < count; k++) {
            if (places[k].thread == row.id && places[k].seq >= 0)
                held++;
            else if (!skn_tree_find(&trees, &tree, places[k].thread, places[k].seq,
                                    places[k].key, &at, NULL))
                held += at >= 0;
        }
        if (held < 2)
            continue;
        skn_fsck_find(g->f, SKN_INV_DENSE_POSITIONS,
                      "thread \"%.*s\" holds message %lld %lld times", SKN_FMT(row.uid),
                      (long long)g->message, (long long)held);
        break;
    }
    return rc;
}

static skein_rc end_message(gathering *g, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    if (g->count > 1)
        qsort(g->at, g->count, sizeof *g->at, by_lane);
    for (size_t i = 0, n; rc == SKEIN_OK && i < g->count; i += n) {
        for (n = 1; i + n < g->count && g->at[i + n].lane == g->at[i].lane; n++)
            ;
        if (n > 1)
            rc = check_twice(g, g->at + i, n, err);
    }
    g->count = 0;
    skn_arena_reset(g->a);
    return rc;
}

static skein_rc on_place(void *arg, const skn_check_item *i, skein_error *err)
{
    gathering *g = arg;
    skein_rc   rc = SKEIN_OK;

    if (i->message != g->message)
        rc = end_message(g, err);
    g->message = i->message;
    if (g->count == g->room && g->room < PLACES_MOST) {
        g->room = g->room ? g->room * 2 : 64;
        g->at = skn_heap_resize(g->at, g->room * sizeof *g->at);
    }
    if (g->count < g->room)
        g->at[g->count++] = *i;
    return rc;
}

static skein_rc check_places(skn_fsck *f, skein_error *err)
{
    gathering g = {.f = f, .a = skn_arena_new()};
    skein_rc  rc = skn_check_places(f->tx, on_place, &g, err);

    if (rc == SKEIN_OK)
        rc = end_message(&g, err);
    free(g.at);
    skn_arena_free(g.a);
    return rc;
}

/* --- Context files -------------------------------------------------------------------------------------------- */

static skein_rc on_file(void *arg, skn_str path, skn_str json, skein_error *err)
{
    skn_fsck       *f = arg;
    const skn_json *v;
    bool            ok = true;

    (void)err;
    if (json.p) {
        ok = !skn_json_parse(&v, json, "items", f->scratch, NULL);
        if (ok && v->kind == SKN_JSON_OBJECT) {
            const skn_json *prompt = skn_json_get(v, "prompt");

            ok = prompt && prompt->kind == SKN_JSON_STRING;
            v = skn_json_get(v, "items");
        }
        ok = ok && v && v->kind == SKN_JSON_ARRAY;
        for (const skn_json *i = ok ? v->first : NULL; ok && i; i = i->next)
            ok = i->kind == SKN_JSON_STRING;
    }
    if (!ok)
        skn_fsck_find(f, SKN_INV_REFERENCES,
                      "the items of context file \"%.*s\" cannot be read", SKN_FMT(path));
    skn_arena_reset(f->scratch);
    return SKEIN_OK;
}

/* --- Worlds and agents ------------------------------------------------------------------------------------------ */

static bool is_object(skn_str settings, skn_arena *a)
{
    const skn_json *v;

    return !settings.n ||
           (!skn_json_parse(&v, settings, "settings", a, NULL) && v->kind == SKN_JSON_OBJECT);
}

/* A name that is not as names are kept is found by nobody. */
static bool is_normal(skn_str name, skn_arena *a)
{
    skn_str normal;

    return !skn_name_normal(name, a, &normal, NULL) && skn_str_eq(name, normal);
}

static void check_agent(skn_fsck *f, const skein_agent *agent)
{
    if (!is_object(agent->settings, f->scratch))
        skn_fsck_find(f, SKN_INV_REFERENCES,
                      "the settings of agent \"%.*s\" (%.*s) cannot be read",
                      SKN_FMT(agent->name), SKN_FMT(agent->uid));
    if (!is_normal(agent->name, f->scratch))
        skn_fsck_find(f, SKN_INV_REFERENCES, "\"%.*s\" (%.*s) is no name of an agent",
                      SKN_FMT(agent->name), SKN_FMT(agent->uid));
}

static skein_rc check_worlds(skn_fsck *f, skein_error *err)
{
    skn_arena   *a = skn_arena_new();
    skein_worlds worlds = {0};
    skein_agents agents;
    skein_rc     rc = skn_world_rows(f->tx, a, &worlds, err);

    for (size_t i = 0; rc == SKEIN_OK && i < worlds.count; i++) {
        const skein_world *w = &worlds.at[i];

        if (!is_object(w->settings, f->scratch))
            skn_fsck_find(f, SKN_INV_REFERENCES,
                          "the settings of world \"%.*s\" cannot be read", SKN_FMT(w->name));
        if (!is_normal(w->name, f->scratch))
            skn_fsck_find(f, SKN_INV_REFERENCES, "\"%.*s\" is no name of a world",
                          SKN_FMT(w->name));
        rc = skn_agent_rows(f->tx, w->id.v, a, &agents, err);
        for (size_t k = 0; rc == SKEIN_OK && k < agents.count; k++)
            check_agent(f, &agents.at[k]);
        skn_arena_reset(f->scratch);
    }
    skn_arena_free(a);
    return rc;
}

skein_rc skn_fsck_rows(skn_fsck *f, skein_error *err)
{
    items    s = {.f = f};
    skein_rc rc;

    if ((rc = skn_check_messages(f->tx, on_message, f, err)) ||
        (rc = skn_check_calls(f->tx, on_call, f, err)) ||
        (rc = skn_check_items(f->tx, on_item, &s, err)))
        return rc;
    end_thread(&s);
    if ((rc = check_places(f, err)) || (rc = check_worlds(f, err)))
        return rc;
    return skn_check_files(f->tx, on_file, f, err);
}
