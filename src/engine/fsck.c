/* fsck.c: checking a whole store. */
#include "engine/fsck.h"

#include "base/utf8.h"

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

static void add(skn_fsck *f, const skn_invariant *invariant, skn_str text)
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
    add(f, &skn_invariants[invariant], skn_str_of(line));
}

int64_t skn_fsck_found(const skn_fsck *f)
{
    return (int64_t)f->findings.n + f->untold;
}

static void on_rule(void *arg, enum skn_invariant_name invariant, skn_str text)
{
    add(arg, &skn_invariants[invariant], text);
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
        rc = skn_conversation_row_get(f->tx, at.branched_from_id, f->scratch, &at, &found, err);
        if (rc)
            return rc;
        *kin = found && at.id == other;
    }
    return SKEIN_OK;
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
                      "the index of words is damaged: \"skein doctor --fix\" makes it anew");
    return rc == SKEIN_DAMAGED ? SKEIN_OK : rc;
}

/* A part that meets a damaged file says so, and the next one still gets its turn; but PostgreSQL
 * answers nothing more in a transaction in which something failed. */
static skein_rc run_parts(skn_fsck *f, bool pg, skein_error *err)
{
    static skein_rc (*const parts[])(skn_fsck *, skein_error *) = {
        check_index,    check_database,   count,         check_rules, skn_fsck_rows,
        skn_fsck_trees, skn_fsck_threads, skn_fsck_calls};
    skein_error why;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        skein_rc rc = parts[i](f, &why);

        if (rc && rc != SKEIN_DAMAGED) {
            if (err)
                *err = why;
            return rc;
        }
        if (rc)
            skn_fsck_find(f, SKN_INV_DATABASE, "%s", why.message);
        if (rc && pg)
            break;
        skn_arena_reset(f->scratch);
    }
    return SKEIN_OK;
}

typedef struct call {
    skein_engine *e;
    skein_mem    *mem;
    skein_check  *out;
    bool          done;
} call;

static skein_rc check(skn_tx *tx, void *arg, skein_error *err)
{
    static const skn_invariant more = {"more", "The rest is counted, not listed."};

    call    *c = arg;
    skn_fsck f = {.tx = tx, .mem = c->mem, .out = c->out};
    skein_rc rc;

    *c->out = (skein_check){0};
    f.scratch = skn_arena_new();
    f.sources = skn_heap(SKN_FSCK_SLOTS * sizeof *f.sources);
    f.nodes = skn_heap(SKN_FSCK_SLOTS * sizeof *f.nodes);
    f.spans = skn_heap(SKN_FSCK_SLOTS * sizeof *f.spans);
    rc = run_parts(&f, skn_store_is_pg(c->e->store), err);
    c->done = rc == SKEIN_OK;
    if (f.untold > 0) {
        f.findings.n--;
        add(&f, &more,
            skn_arena_printf(f.mem, "%lld more findings are not listed",
                             (long long)f.untold + 1));
    }
    c->out->at = f.findings.p;
    c->out->count = f.findings.n;
    free(f.sources);
    free(f.nodes);
    free(f.spans);
    skn_arena_free(f.scratch);
    return rc;
}

skein_rc skein_fsck(skein_engine *e, skein_mem *mem, skein_check *out, skein_error *err)
{
    call     c = {.e = e, .mem = mem, .out = out};
    skein_rc rc = skn_store_read(e->store, check, &c, err);

    return c.done ? SKEIN_OK : rc; /* on a damaged file a snapshot may fail to end */
}
