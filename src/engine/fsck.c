/* fsck.c: checking a whole store. */
#include "engine/fsck.h"
#include "base/hash.h"
#include "base/uid.h"
#include "base/utf8.h"
#include "engine/work/mention.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Findings ---------------------------------------------------------------------------------------- */

/* One line of good text, whatever the damaged row that it quotes holds. */
static skn_str one_line(skn_str text, skn_arena *a)
{
    bool  valid = skn_utf8_valid(text, NULL);
    char *line = skn_arena_alloc(a, text.n + 1);

    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];

        line[i] = c < 0x20 ? ' ' : c >= 0x80 && !valid ? '?' : text.p[i];
    }
    return (skn_str){line, text.n};
}

static void add_finding(skn_fsck *f, const skn_invariant *invariant, skn_str text)
{
    skein_finding one = {.invariant = skn_str_of(invariant->name),
                         .sentence = skn_str_of(invariant->sentence)};

    if (f->findings.n >= SKN_FSCK_FINDINGS) {
        f->untold++;
        return;
    }
    one.text = one_line(text, f->mem);
    skn_vec_add(f->mem, &f->findings, one);
}

void skn_fsck_find(skn_fsck *f, enum skn_invariant_name invariant, const char *fmt, ...)
{
    char    line[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    add_finding(f, &skn_invariants[invariant], skn_str_of(line));
}

/* How many there are, with those that are only counted. */
static int64_t count_findings(const skn_fsck *f)
{
    return (int64_t)f->findings.n + f->untold;
}

static void on_rule(void *arg, enum skn_invariant_name invariant, skn_str text)
{
    add_finding(arg, &skn_invariants[invariant], text);
}

/* --- What several parts ask ----------------------------------------------------------------------------- */

skein_rc skn_fsck_source(skn_fsck *f, int64_t thread, skn_check_source *out, skein_error *err)
{
    skn_check_source *slot = &f->sources[(uint64_t)thread % SKN_FSCK_SLOTS];
    skein_rc          rc = SKEIN_OK;

    if (slot->id != thread)
        rc = skn_check_source_of(f->tx, thread, slot, err);
    *out = *slot;
    return rc;
}

skein_rc skn_fsck_kin(skn_fsck *f, int64_t conversation, int64_t other, bool *kin,
                      skein_error *err)
{
    skn_conversation_row at = {.branched_from_id = conversation, .id = INT64_MAX};
    bool                 found = true;
    skein_rc             rc;

    *kin = conversation == other;
    /* A branch is always younger than what it was branched from, so this walk ends. */
    while (!*kin && found && at.branched_from_id > 0 && at.branched_from_id < at.id) {
        if ((rc = skn_conversation_row_get(f->tx, at.branched_from_id, f->scratch, &at, &found,
                                           err)))
            return rc;
        *kin = found && at.id == other;
    }
    return SKEIN_OK;
}

/* Are all pieces there that calls of models were made of? */

static skein_rc check_call(void *arg, skn_str uid, skn_str request, skn_str response,
                           skein_error *err)
{
    skn_fsck *f = arg;
    skn_str  *hashes;
    bool     *known;
    int64_t   erased_at;
    size_t    n;
    skein_rc  rc;

    skn_arena_reset(f->scratch);
    n = skn_call_hashes(request, response, f->scratch, &hashes);
    if (request.n % SKN_HASH_BYTES)
        skn_fsck_find(f, SKN_INV_REFERENCES, "call \"%.*s\" has half a piece", SKN_FMT(uid));
    if (n == 0)
        return SKEIN_OK;
    known = SKN_ARRAY(f->scratch, n, bool);
    if ((rc = skn_pieces_known(f->tx, hashes, n, known, &erased_at, f->scratch, err)))
        return rc;
    for (size_t i = 0; i < n; i++)
        if (!known[i]) {
            skn_fsck_find(f, SKN_INV_REFERENCES, "a piece of call \"%.*s\" is missing",
                          SKN_FMT(uid));
            break;
        }
    return SKEIN_OK;
}

/* The pieces of what models were sent. */
static skein_rc check_model_calls(skn_fsck *f, skein_error *err)
{
    return skn_call_each(f->tx, 0, check_call, f, err);
}

/* What is in the rows themselves: texts, tool calls, places. */

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

static skein_rc rows_check_call(skn_fsck *f, const skn_check_message *m, const skn_json *c,
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
        rc = rows_check_call(f, m, c, err);
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

static void rows_check_index(skn_fsck *f, const skn_check_message *m)
{
    skn_words w;
    skn_word  word;

    if (m->purged || m->indexed)
        return;
    skn_words_start(&w, m->content);
    if (skn_words_next(&w, &word))
        skn_fsck_find(f, SKN_INV_SEARCH_INDEX,
                      "message \"%.*s\" is missing in the search index", SKN_FMT(m->uid));
}

static skein_rc on_message(void *arg, const void *row, skein_error *err)
{
    const skn_check_message *m = row;
    skn_fsck                *f = arg;
    int64_t                  before = count_findings(f);
    skein_rc                 rc;

    check_texts(f, m);
    check_instructions(f, m);
    rows_check_index(f, m);
    rc = check_calls(f, m, err);
    if (count_findings(f) == before) /* else it is known that the row was changed, and how */
        check_hash(f, m);
    skn_arena_reset(f->scratch);
    return rc;
}

/* A row that leads to a call must lead to a message that makes it. */
static skein_rc on_call(void *arg, const void *row, skein_error *err)
{
    const skn_check_call *c = row;
    skn_fsck             *f = arg;
    const skn_json       *v = NULL, *at = NULL;

    (void)err;
    if (c->calls.p && !skn_json_parse(&v, c->calls, "calls", f->scratch, NULL) &&
        v->kind == SKN_JSON_ARRAY)
        for (at = v->first; at; at = at->next)
            if (is_text(at, "id") && skn_str_eq(skn_json_get(at, "id")->text, c->call_id))
                break;
    if (!at && (!c->calls.p || v)) /* what cannot be read was reported already */
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

static skein_rc on_item(void *arg, const void *row, skein_error *err)
{
    const skn_check_item *i = row;
    items                *s = arg;
    skn_check_source      source;
    bool                  kin = true;
    skein_rc              rc;

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

SKN_ORDER(by_lane, skn_check_item, lane, lane)

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

static skein_rc on_place(void *arg, const void *row, skein_error *err)
{
    const skn_check_item *i = row;
    gathering            *g = arg;
    skein_rc              rc = SKEIN_OK;

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
    skein_rc  rc = skn_check_each(f->tx, SKN_CHECK_PLACES, on_place, &g, err);

    if (rc == SKEIN_OK)
        rc = end_message(&g, err);
    free(g.at);
    skn_arena_free(g.a);
    return rc;
}

/* --- Context files -------------------------------------------------------------------------------------------- */

static skein_rc on_file(void *arg, const void *row, skein_error *err)
{
    const skn_check_file *file = row;
    skn_fsck             *f = arg;
    const skn_json       *v;
    bool                  ok = true;

    (void)err;
    if (file->items.p) {
        ok = !skn_json_parse(&v, file->items, "items", f->scratch, NULL);
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
                      "the items of context file \"%.*s\" cannot be read", SKN_FMT(file->path));
    skn_arena_reset(f->scratch);
    return SKEIN_OK;
}

/* --- Files that messages carry --------------------------------------------------------------------------------- */

static skein_rc on_blob(void *arg, const void *row, skein_error *err)
{
    const skn_check_blob *b = row;
    char                  digits[SKN_SHA256_TEXT];

    (void)err;
    if (!b->there)
        skn_fsck_find(arg, SKN_INV_REFERENCES, "the bytes of file %.*s are missing",
                      SKN_FMT(b->hash));
    else if ((int64_t)b->bytes.n != b->size ||
             !skn_str_eq(skn_sha256_of(b->bytes, digits), b->hash))
        skn_fsck_find(arg, SKN_INV_UNCHANGED, "the bytes of file %.*s are not its own",
                      SKN_FMT(b->hash));
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
        skn_fsck_find(f, SKN_INV_REFERENCES, "\"%.*s\" (%.*s) is not a name of an agent",
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
            skn_fsck_find(f, SKN_INV_REFERENCES, "\"%.*s\" is not a name of a world",
                          SKN_FMT(w->name));
        rc = skn_agent_rows(f->tx, w->id.v, a, &agents, err);
        for (size_t k = 0; rc == SKEIN_OK && k < agents.count; k++)
            check_agent(f, &agents.at[k]);
        skn_arena_reset(f->scratch);
    }
    skn_arena_free(a);
    return rc;
}

/* Texts of messages, tool calls, places of messages, context files. */
static skein_rc check_rows(skn_fsck *f, skein_error *err)
{
    items    s = {.f = f};
    skein_rc rc;

    if ((rc = skn_check_each(f->tx, SKN_CHECK_MESSAGES, on_message, f, err)) ||
        (rc = skn_check_each(f->tx, SKN_CHECK_CALLS, on_call, f, err)) ||
        (rc = skn_check_each(f->tx, SKN_CHECK_ITEMS, on_item, &s, err)))
        return rc;
    end_thread(&s);
    if ((rc = check_places(f, err)) || (rc = check_worlds(f, err)))
        return rc;
    rc = skn_check_each(f->tx, SKN_CHECK_FILES, on_file, f, err);
    return rc ? rc : skn_check_each(f->tx, SKN_CHECK_BLOBS, on_blob, f, err);
}

/* --- The check --------------------------------------------------------------------------------------------- */

static skein_rc check_database(skn_fsck *f, skein_error *err)
{
    return skn_check_database(f->tx, on_rule, f, err);
}

static skein_rc check_rules(skn_fsck *f, skein_error *err)
{
    return skn_check_rules(f->tx, on_rule, f, err);
}

static skein_rc count(skn_fsck *f, skein_error *err)
{
    skn_check_counts n;
    skein_rc         rc = skn_check_count(f->tx, &n, err);

    f->out->messages = n.messages;
    f->out->threads = n.threads;
    f->out->nodes = n.nodes;
    f->out->conversations = n.conversations;
    f->out->warnings = n.warnings;
    f->out->ahead = n.ahead;
    return rc;
}

/* First: after a statement that met a damaged page, SQLite would call the index damaged, too. */
static skein_rc check_index(skn_fsck *f, skein_error *err)
{
    skein_rc rc = skn_check_index(f->tx, err);

    if (rc == SKEIN_DAMAGED)
        skn_fsck_find(f, SKN_INV_SEARCH_INDEX,
                      "the search index is damaged: \"skein doctor --fix\" rebuilds it");
    return rc == SKEIN_DAMAGED ? SKEIN_OK : rc;
}

/* A part that meets a damaged file says so, and the next one still gets its turn; but PostgreSQL
 * answers nothing more in a transaction in which something failed. A question that the database refuses is about a
 * table that is gone. */
static skein_rc run_parts(skn_fsck *f, bool pg, skein_error *err)
{
    static skein_rc (*const parts[])(skn_fsck *, skein_error *) = {
        check_index,      check_database,   count, check_rules, check_rows, skn_fsck_trees,
        skn_fsck_threads, check_model_calls};
    skein_error why;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        skein_rc rc = parts[i](f, &why);

        if (rc && rc != SKEIN_DAMAGED && rc != SKEIN_FAILED) {
            if (err)
                *err = why;
            return rc;
        }
        if (rc)
            skn_fsck_find(f, SKN_INV_DATABASE,
                          "%s; copy the store away and go back to a backup", why.message);
        if (rc && pg)
            break;
        skn_arena_reset(f->scratch);
    }
    return SKEIN_OK;
}

/* *done: the check is complete, whether or not the snapshot ends well. */
static skein_rc run_checks(skn_tx *tx, bool pg, skein_mem *mem, skein_check *out, bool *done,
                           skein_error *err)
{
    static const skn_invariant more = {"more", "The rest is counted, not listed."};

    skn_fsck f = {.tx = tx, .mem = mem, .out = out};
    skein_rc rc;

    *out = (skein_check){0};
    f.scratch = skn_arena_new();
    f.sources = skn_heap(SKN_FSCK_SLOTS * sizeof *f.sources);
    f.nodes = skn_heap(SKN_FSCK_SLOTS * sizeof *f.nodes);
    f.spans = skn_heap(SKN_FSCK_SLOTS * sizeof *f.spans);
    rc = run_parts(&f, pg, err);
    *done = rc == SKEIN_OK;
    if (f.untold > 0) {
        f.findings.n--;
        add_finding(&f, &more,
                    skn_arena_printf(f.mem, "%lld more findings are not listed",
                                     (long long)f.untold + 1));
    }
    out->at = f.findings.p;
    out->count = f.findings.n;
    free(f.sources);
    free(f.nodes);
    free(f.spans);
    skn_arena_free(f.scratch);
    return rc;
}

skein_rc skein_fsck(skein_engine *e, skein_mem *mem, skein_check *out, skein_error *err)
{
    bool         done = false;
    skn_snapshot s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        s.rc = run_checks(s.tx, skn_store_is_pg(e->store), mem, out, &done, err);
    return done ? SKEIN_OK : s.rc; /* on a damaged file a snapshot may fail to end */
}
