/* archive_check.c: does a row fit to the rows before it? Keeps a few numbers of each row, never
 * text, so that an archive of a million messages is checked in some dozen megabytes.
 *
 * What is looked at here is what other rows rely on to be read at all: that references lead
 * backwards (so nothing is cyclic), stay inside their conversation, and that lengths add up. */
#include "engine/core.h"
#include "exchange/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* `jump` skips many branches at once, so that a question about a chain of n takes log n
 * steps. */
typedef struct branch {
    int64_t parent, jump, depth;
    int64_t version, versions;
} branch;

typedef struct message {
    int64_t conversation; /* where it was born */
    int64_t depth;
} message;

typedef struct thread {
    int64_t conversation, root, base, compaction;
    int64_t patches, below, own; /* items below zero: announced, and seen; from zero on */
    size_t  keys;                /* where the keys of its items begin */
} thread;

typedef struct node {
    int64_t length, kmin, kmax;
    int     level;
} node;

struct skn_archive_check {
    skn_arena        *a;
    skn_archive_table table; /* of the row before */
    int64_t           counts[SKN_AR_TABLES];
    int64_t           ahead[SKN_AR_TABLES]; /* the highest number a reference ahead has named */
    int64_t           last[2];              /* of a table without ids: the row before */
    skn_vec(branch) conversations;
    skn_vec(int64_t) versions, lanes; /* their conversations */
    skn_vec(message) messages;
    skn_vec(thread) threads;
    skn_vec(int64_t) keys; /* order keys of all items */
    skn_vec(node) nodes;
};

skn_archive_check *skn_archive_check_new(void)
{
    skn_archive_check *c = skn_heap(sizeof *c);

    c->a = skn_arena_new();
    return c;
}

void skn_archive_check_free(skn_archive_check *c)
{
    if (c)
        skn_arena_free(c->a);
    free(c);
}

int64_t skn_archive_check_count(const skn_archive_check *c, skn_archive_table table)
{
    return c->counts[table];
}

/* --- References --------------------------------------------------------------------------- */

typedef struct place {
    skn_archive_check     *c;
    const skn_archive_row *row;
    int64_t                line;
    skein_error           *err;
} place;

static skein_rc refuse_place(const place *p, const char *what)
{
    return skn_fail(p->err, SKEIN_DATA, "archive line %lld: %s", (long long)p->line, what);
}

static int64_t cell(const place *p, size_t column)
{
    return p->row->cells[column].null ? 0 : p->row->cells[column].number;
}

static skein_rc check_reference(const place *p, const skn_archive_column *column, int64_t to)
{
    skn_archive_check *c = p->c;

    if (column->kind == SKN_CELL_AHEAD) {
        if (to > c->ahead[column->ref])
            c->ahead[column->ref] = to;
        return SKEIN_OK;
    }
    if (to <= c->counts[column->ref])
        return SKEIN_OK;
    return skn_fail(
        p->err, SKEIN_DATA,
        "archive line %lld: \"%s\" is %lld, but only %lld of \"%s\" stand before it",
        (long long)p->line, column->name, (long long)to, (long long)c->counts[column->ref],
        skn_archive_tables[column->ref].name);
}

static skein_rc check_references(const place *p)
{
    const skn_archive_shape *shape = &skn_archive_tables[p->row->table];
    skein_rc                 rc;

    for (size_t i = 0; i < shape->count; i++) {
        skn_archive_kind kind = shape->columns[i].kind;

        if (p->row->cells[i].null ||
            (kind != SKN_CELL_REF && kind != SKN_CELL_AHEAD && kind != SKN_CELL_KEY))
            continue;
        if ((rc = check_reference(p, &shape->columns[i], p->row->cells[i].number)))
            return rc;
    }
    return SKEIN_OK;
}

static skein_rc check_number(const place *p)
{
    skn_archive_check       *c = p->c;
    const skn_archive_shape *shape = &skn_archive_tables[p->row->table];

    if (p->row->table < c->table)
        return skn_fail(p->err, SKEIN_DATA, "archive line %lld: \"%s\" is out of order",
                        (long long)p->line, shape->name);
    if (p->row->table != c->table)
        c->last[0] = c->last[1] = 0;
    c->table = p->row->table;
    if (shape->numbered && p->row->number != c->counts[c->table] + 1)
        return skn_fail(
            p->err, SKEIN_DATA,
            "archive line %lld: \"%s\" %lld follows %lld: a row is missing or twice",
            (long long)p->line, shape->name, (long long)p->row->number,
            (long long)c->counts[c->table]);
    return SKEIN_OK;
}

static const branch *branch_at(const skn_archive_check *c, int64_t number)
{
    static const branch none;

    return number ? &c->conversations.p[number - 1] : &none;
}

/* Is `other` this conversation, or one it was branched from? Branches lead backwards. */
static bool within(const skn_archive_check *c, int64_t number, int64_t other)
{
    while (number > other) {
        const branch *b = branch_at(c, number);

        number = b->jump >= other ? b->jump : b->parent;
    }
    return number == other;
}

/* --- Tables ------------------------------------------------------------------------------- */

static skein_rc check_conversation(const place *p)
{
    branch        b = {.parent = cell(p, 6), .version = cell(p, 5)};
    const branch *parent = branch_at(p->c, b.parent), *far = branch_at(p->c, parent->jump);
    bool          chat = skn_str_is(p->row->cells[3].text, "chat");

    if (chat != p->row->cells[2].null)
        return refuse_place(
            p, "\"agent_id\" is for conversations that are no chat, and only for them");
    if (b.version == 0)
        return refuse_place(p, "a conversation needs a \"version_id\"");
    b.depth = b.parent ? parent->depth + 1 : 0;
    b.jump = parent->depth - far->depth == far->depth - branch_at(p->c, far->jump)->depth
                 ? far->jump
                 : b.parent;
    skn_vec_add(p->c->a, &p->c->conversations, b);
    return SKEIN_OK;
}

static skein_rc check_version(const place *p)
{
    skn_archive_check *c = p->c;
    int64_t            conversation = cell(p, 0), origin = cell(p, 2);

    if (cell(p, 1) != ++c->conversations.p[conversation - 1].versions)
        return refuse_place(p, "versions of a conversation are not numbered 1, 2, 3, …");
    if (origin && !within(c, conversation, c->versions.p[origin - 1]))
        return refuse_place(p, "\"origin_id\" is a version of a stranger's conversation");
    skn_vec_add(c->a, &c->versions, conversation);
    return SKEIN_OK;
}

/* "main"; the number of an agent, for its memory; or what its parent's key goes on to. */
static bool lane_key_fits(const place *p)
{
    skn_str key = p->row->cells[SKN_LANE_KEY].text;
    char    tail[32];

    if (cell(p, 3)) {
        snprintf(tail, sizeof tail, ".%lld", (long long)cell(p, 4));
        return skn_str_ends(key, skn_str_of(tail)) && skn_str_starts(key, SKN_STR("main."));
    }
    snprintf(tail, sizeof tail, "@%lld", (long long)cell(p, SKN_LANE_AGENT));
    return skn_str_is(key, "main") || (cell(p, SKN_LANE_AGENT) && skn_str_is(key, tail));
}

static skein_rc check_lane(const place *p)
{
    skn_archive_check *c = p->c;
    int64_t            conversation = cell(p, 0), parent = cell(p, 3), from = cell(p, 9);

    if (!lane_key_fits(p))
        return refuse_place(p, "\"key\" is not a key of such a lane");
    if (parent && c->lanes.p[parent - 1] != conversation)
        return refuse_place(p, "\"parent_id\" is a lane of another conversation");
    if (from && !within(c, conversation, c->lanes.p[from - 1]))
        return refuse_place(p, "\"branched_from_id\" is a lane of a stranger's conversation");
    skn_vec_add(c->a, &c->lanes, conversation);
    return SKEIN_OK;
}

static skein_rc check_message(const place *p)
{
    const skn_cell *m = p->row->cells;
    message         x = {.conversation = cell(p, 1), .depth = cell(p, 14)};
    int64_t         parent = cell(p, 13);

    if (skn_str_is(m[2].text, "tool") && m[9].null)
        return refuse_place(p, "a tool's result needs a \"tool_call_id\"");
    if (!m[12].null && skn_str_eq(m[0].text, m[12].text))
        return refuse_place(p, "a message replies to itself");
    if (!m[13].null && m[12].null)
        return refuse_place(p, "\"reply_to_id\" needs a \"reply_to_uid\"");
    if (m[15].null != m[16].null)
        return refuse_place(p, "\"lineage_id\" and \"version_of_id\" go together");
    if (x.depth != (parent ? p->c->messages.p[parent - 1].depth + 1 : 0))
        return refuse_place(p, "\"reply_depth\" does not fit to its parent's");
    skn_vec_add(p->c->a, &p->c->messages, x);
    return SKEIN_OK;
}

static skein_rc check_thread(const place *p)
{
    skn_archive_check *c = p->c;
    thread             t = {.root = cell(p, 5), .base = cell(p, 6), .compaction = cell(p, 7)};
    int64_t            origin = cell(p, 3);

    t.conversation = c->lanes.p[cell(p, 1) - 1];
    if (c->versions.p[cell(p, 2) - 1] != t.conversation)
        return refuse_place(p, "\"lane_id\" and \"version_id\" are of two conversations");
    if (origin && !within(c, t.conversation, c->threads.p[origin - 1].conversation))
        return refuse_place(p, "\"origin_id\" is a thread of a stranger's conversation");
    if ((t.root == 0) != (t.base == 0))
        return refuse_place(p, "\"root_id\" and \"base_length\" go together");
    skn_vec_add(c->a, &c->threads, t);
    return SKEIN_OK;
}

/* Rows without ids come in order of their first two columns, which are their key. */
static skein_rc check_order(const place *p)
{
    int64_t *last = p->c->last, first = cell(p, 0), second = cell(p, 1);

    if (p->c->counts[p->row->table] > 0 &&
        (first < last[0] || (first == last[0] && second <= last[1])))
        return refuse_place(p, "a row is twice or out of order");
    last[0] = first;
    last[1] = second;
    return SKEIN_OK;
}

static skein_rc check_item(const place *p)
{
    skn_archive_check *c = p->c;
    thread            *t = &c->threads.p[cell(p, 0) - 1];
    int64_t            seq = cell(p, 1);
    bool               first = c->counts[SKN_AR_ITEMS] == 0 || cell(p, 0) != c->last[0];

    if (!within(c, t->conversation, c->messages.p[cell(p, 2) - 1].conversation))
        return refuse_place(p, "\"message_id\" is a message of a stranger's conversation");
    if (first ? seq > 0 : seq != c->last[1] + 1)
        return refuse_place(p, "items of a thread are not numbered without a gap");
    if (first)
        t->keys = c->keys.n;
    if (first && seq < 0)
        t->patches = -seq;
    skn_vec_add(c->a, &c->keys, p->row->cells[3].null ? cell(p, 2) : cell(p, 3));
    t->below += seq < 0;
    t->own += seq >= 0;
    return check_order(p);
}

static skein_rc check_leaf(const place *p, const node *n, const skn_archive_span *s)
{
    skn_archive_check *c = p->c;
    const thread      *t;
    const int64_t     *first, *last;

    if (s->src > c->counts[SKN_AR_THREADS])
        return refuse_place(p, "an entry names a thread that is not there");
    t = &c->threads.p[s->src - 1];
    if (!within(c, cell(p, 0), t->conversation))
        return refuse_place(p, "an entry names a thread of a stranger's conversation");
    if (n->level != 0 || t->below != t->patches || s->lo < -t->patches || s->lo >= t->own ||
        s->len > (s->lo < 0 ? -s->lo : t->own - s->lo))
        return refuse_place(p, "an entry names items that are not there");
    first = &c->keys.p[t->keys + (size_t)(s->lo + t->patches)];
    last = first + (s->len - 1);
    if (*first < s->kmin || *first > s->kmax || *last < s->kmin || *last > s->kmax)
        return refuse_place(p, "an entry has keys that are not there");
    return SKEIN_OK;
}

static skein_rc check_child(const place *p, const node *n, const skn_archive_span *s)
{
    const node *child;

    if (s->child > p->c->counts[SKN_AR_NODES])
        return refuse_place(p, "an entry names a node that does not stand before it");
    child = &p->c->nodes.p[s->child - 1];
    if (child->level != n->level - 1 || child->length != s->len || child->kmin != s->kmin ||
        child->kmax != s->kmax)
        return refuse_place(p, "an entry does not say what its node holds");
    return SKEIN_OK;
}

static skein_rc check_node(const place *p)
{
    skn_archive_check *c = p->c;
    node               n = {.level = (int)cell(p, 1), .kmin = INT64_MAX};
    skein_rc           rc;

    for (size_t i = 0; i < p->row->span_count; i++) {
        const skn_archive_span *s = &p->row->spans[i];

        if (s->kmin < 0 || s->kmin > s->kmax || s->kmax > c->counts[SKN_AR_MESSAGES])
            return refuse_place(p, "an entry has keys that are not there");
        if ((rc = s->child ? check_child(p, &n, s) : check_leaf(p, &n, s)))
            return rc;
        if (__builtin_add_overflow(n.length, s->len, &n.length))
            return refuse_place(p, "a node is longer than anything can be");
        n.kmin = s->kmin < n.kmin ? s->kmin : n.kmin;
        n.kmax = s->kmax > n.kmax ? s->kmax : n.kmax;
    }
    skn_vec_add(c->a, &c->nodes, n);
    return SKEIN_OK;
}

static skein_rc check_compaction(const place *p)
{
    const thread *t = &p->c->threads.p[cell(p, 0) - 1];

    if (cell(p, 1) > t->own && cell(p, 1) - t->own > t->base)
        return refuse_place(p, "\"covers\" is more than its thread has");
    return SKEIN_OK;
}

static skein_rc check_squash(const place *p)
{
    if (p->c->versions.p[cell(p, 2) - 1] != cell(p, 1))
        return refuse_place(p, "\"version_id\" is a version of another conversation");
    return SKEIN_OK;
}

static skein_rc check_op(const place *p)
{
    const int64_t *versions = p->c->versions.p;

    if (versions[cell(p, 2) - 1] != cell(p, 0) || versions[cell(p, 3) - 1] != cell(p, 0))
        return refuse_place(p, "it moves between versions of another conversation");
    return SKEIN_OK;
}

static skein_rc check_copy(const place *p)
{
    return cell(p, 1) < cell(p, 0) ? SKEIN_OK : refuse_place(p, "it repeats a later message");
}

static skein_rc check_world(const place *p)
{
    return p->c->counts[SKN_AR_WORLDS] ? refuse_place(p, "an archive holds one world")
                                       : SKEIN_OK;
}

/* Tables without a function have nothing that other rows rely on. */
static skein_rc (*const checks[SKN_AR_TABLES])(const place *p) = {
    [SKN_AR_WORLDS] = check_world,
    [SKN_AR_CONVERSATIONS] = check_conversation,
    [SKN_AR_VERSIONS] = check_version,
    [SKN_AR_LANES] = check_lane,
    [SKN_AR_MESSAGES] = check_message,
    [SKN_AR_THREADS] = check_thread,
    [SKN_AR_ITEMS] = check_item,
    [SKN_AR_NODES] = check_node,
    [SKN_AR_COMPACTIONS] = check_compaction,
    [SKN_AR_SQUASHES] = check_squash,
    [SKN_AR_OPS] = check_op,
    [SKN_AR_COPIES] = check_copy,
    [SKN_AR_ACTIVE_TAGS] = check_order,
    [SKN_AR_SOURCES] = check_order,
};

skein_rc skn_archive_check_row(skn_archive_check *c, const skn_archive_row *row, int64_t line,
                               skein_error *err)
{
    place    p = {c, row, line, err};
    skein_rc rc;

    if ((rc = check_number(&p)) || (rc = check_references(&p)) ||
        (checks[row->table] && (rc = checks[row->table](&p))))
        return rc;
    c->counts[row->table]++;
    return SKEIN_OK;
}

/* --- The end ------------------------------------------------------------------------------ */

static skein_rc check_ends(const skn_archive_check *c, skein_error *err)
{
    for (size_t i = 0; i < c->conversations.n; i++) {
        int64_t v = c->conversations.p[i].version;

        if (c->versions.p[v - 1] != (int64_t)i + 1)
            return skn_fail(err, SKEIN_DATA,
                            "archive: the version of conversation %zu belongs to another",
                            i + 1);
    }
    for (size_t i = 0; i < c->threads.n; i++) {
        const thread *t = &c->threads.p[i];

        if (t->below != t->patches)
            return skn_fail(err, SKEIN_DATA, "archive: thread %zu lacks items", i + 1);
        if (t->root && c->nodes.p[t->root - 1].length != t->base)
            return skn_fail(err, SKEIN_DATA,
                            "archive: thread %zu is not as long as its node says", i + 1);
    }
    return SKEIN_OK;
}

skein_rc skn_archive_check_end(skn_archive_check *c, const skn_archive_header *h,
                               skein_error *err)
{
    if (c->counts[SKN_AR_WORLDS] != 1)
        return skn_fail(err, SKEIN_DATA, "archive: there is no world in it");
    if (h->conversation > c->ahead[SKN_AR_CONVERSATIONS])
        c->ahead[SKN_AR_CONVERSATIONS] = h->conversation;
    for (size_t i = 0; i < SKN_AR_TABLES; i++)
        if (c->ahead[i] > c->counts[i])
            return skn_fail(
                err, SKEIN_DATA,
                "archive: row %lld of \"%s\" is referred to, but there are only %lld",
                (long long)c->ahead[i], skn_archive_tables[i].name, (long long)c->counts[i]);
    return check_ends(c, err);
}

/* Would the store still be sound with this archive in it?
 *
 * The archive is imported into a store of its own, in a directory made for it, and that store
 * is checked as any other. So whatever a check can find in a store is found before anything is
 * written to the one that is meant, and it costs what the archive costs, however large that
 * store is. */

typedef struct stage {
    char          dir[200];
    skein_engine *e;
    skein_mem    *mem;
} stage;

static skein_rc open_stage(stage *s, skein_error *err)
{
    const char   *tmp = getenv("TMPDIR");
    skein_options options = SKEIN_OPTIONS_INIT;

    *s = (stage){.mem = skein_mem_new()};
    snprintf(s->dir, sizeof s->dir, "%s/skein-import-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(s->dir)) {
        skn_fail_hint(err, SKEIN_IO, "Set TMPDIR to a directory with room.",
                      "cannot make \"%s\" to check the archive in: %s", s->dir,
                      strerror(errno));
        s->dir[0] = '\0';
        return SKEIN_IO;
    }
    options.store = skn_arena_printf(s->mem, "sqlite:%s/check.db", s->dir);
    return skein_open(&s->e, &options, err);
}

static void close_stage(stage *s)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};

    skein_close(s->e);
    for (size_t i = 0; s->dir[0] && i < sizeof ends / sizeof *ends; i++)
        unlink(skn_arena_text(s->mem, "%s/check.db%s", s->dir, ends[i]));
    if (s->dir[0])
        rmdir(s->dir);
    skein_mem_free(s->mem);
}

static skein_rc check_stage(stage *s, const skn_lines *lines, skein_error *err)
{
    skein_check check;
    skein_rc    rc = skein_fsck(s->e, s->mem, &check, err);

    if (rc || check.count == 0)
        return rc;
    return skn_fail_hint(err, SKEIN_DATA, "Nothing was written.",
                         "\"%s\" is not sound: %.*s: %.*s", lines->name,
                         SKN_FMT(check.at[0].invariant), SKN_FMT(check.at[0].text));
}

skein_rc skn_intake_prove(skn_intake *im, skein_error *err)
{
    stage    s;
    skein_rc rc = open_stage(&s, err);

    im->alone = true;
    if (!rc)
        rc = skn_intake_put(im, s.e->store, err);
    im->alone = false;
    if (!rc)
        rc = check_stage(&s, im->lines, err);
    close_stage(&s);
    return rc;
}
