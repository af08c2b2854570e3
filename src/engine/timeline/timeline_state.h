/* timeline_state.h: what the files of the timeline share, and nobody else sees.
 *
 * Records are packed: one piece of memory each, its texts behind each other. Items point at
 * records; calls with the same id are a group that knows which of them is open. A lane's
 * state follows from its own records alone. Links between lanes are only claimed there, and
 * settled when somebody reads (timeline_links.c), by rules that do not ask in which order
 * lanes were mixed. */
#pragma once

#include "base/arena.h"
#include "base/str.h"

#include <skein/timeline.h>

/* --- timeline_index.c: lists and tables that grow without ever copying all they hold ---------------------- *
 * So that adding to a million costs what adding to a thousand does. Entries of a list never move. */

#define SKN_LIST_BLOCKS 31 /* of 4, 8, 16, … entries */

typedef struct skn_list {
    void  *block[SKN_LIST_BLOCKS];
    size_t n;
} skn_list;

/* A new entry of `size` bytes at the end, zeroed; every call for one list has the same size. */
void *skn_list_add(skn_list *l, size_t size);
/* Entry i, which must be there. */
void *skn_list_at(const skn_list *l, size_t size, size_t i);
void  skn_list_release(skn_list *l);

/* A table from a hash to numbers that mean entries of some list. Nothing is ever removed. While
 * it grows, old and new table stand side by side, and each addition moves a few slots over. */
typedef struct skn_index_slot {
    uint32_t tag; /* the hash's lower half */
    uint32_t at;  /* the number plus one; 0: free */
} skn_index_slot;

typedef struct skn_index {
    skn_index_slot *now, *old;
    size_t          cap, old_cap; /* powers of two, or 0 */
    size_t          moved;        /* slots of old that are also in now */
    size_t          count;
} skn_index;

/* True if entry `at` has the key; `owner` is whose list it is. */
typedef bool skn_index_same(const void *owner, uint32_t at, const void *key);

/* Finds the number whose entry has the key. */
bool skn_index_find(const skn_index *x, uint64_t hash, skn_index_same *same, const void *owner,
                    const void *key, uint32_t *at);
/* Asks for the memory where the hash belongs, so that it comes while other work is done. */
void skn_index_expect(const skn_index *x, uint64_t hash);
/* Adds a number; its key must not be there yet. */
void skn_index_add(skn_index *x, uint64_t hash, uint32_t at);
void skn_index_release(skn_index *x);

/* --- The state ------------------------------------------------------------------------------------------ */

/* Bytes of one record: what its 32-bit slices can hold, with room to add. */
#define SKN_RECORD_MAX ((size_t)1 << 30)

enum {
    SKN_FIELD_ID,
    SKN_FIELD_TEXT,
    SKN_FIELD_CALL_ID,
    SKN_FIELD_TOOL_NAME,
    SKN_FIELD_INPUT,
    SKN_FIELD_OUTPUT,
    SKN_FIELD_ERROR,
    SKN_FIELD_CHILD,
    SKN_FIELD_MESSAGE_ID,
    SKN_FIELD_TURN_ID,
    SKN_FIELD_SENDER,
    SKN_FIELDS
};

typedef struct skn_rec {
    int64_t  at;
    uint32_t seq; /* place among the records of its lane, from 0 */
    uint8_t  type;
    bool     failed : 1;
    uint8_t  unfinished : 3;  /* skein_unfinished */
    uint16_t has;             /* a bit for each field that is not absent */
    uint32_t end[SKN_FIELDS]; /* behind the NUL of each field */
    char     bytes[];
} skn_rec;

typedef struct skn_tool skn_tool;
struct skn_tool {
    const skn_rec  *call, *result;
    const skn_rec **duplicates;
    uint32_t        duplicate_count, duplicate_cap;
    uint32_t        occurrence;
    skn_tool       *open_below; /* the open call with this id that came before */
    skein_timeline *claimed;    /* the child that records name first */
    skein_timeline *linked;     /* the child that skein_timelines_link named */
    skein_timeline *child;      /* settled: the one that is shown */
};

/* A result that came before its call. */
typedef struct skn_early skn_early;
struct skn_early {
    const skn_rec *result;
    uint32_t       item; /* that shows it alone */
    skn_early     *next;
};

/* All calls of a lane with one id. */
typedef struct skn_calls {
    const skn_rec *named;          /* the first record with the id */
    skn_tool      *first, *latest; /* NULL as long as there are only results */
    skn_tool      *open;           /* the latest without a result */
    skn_early     *early, *last_early;
} skn_calls;

typedef struct skn_item {
    const skn_rec *rec;
    union {
        skn_tool *tool; /* of a tool_execution */
        struct {
            uint32_t text, text_n, source, source_n; /* slices of the record's text */
        } part;
    } u;
    uint32_t number; /* among the parts of its message */
    uint8_t  kind;
    bool     split;
} skn_item;

/* A stated link that a call of this lane made, or will make. */
typedef struct skn_spawn {
    skn_str         call_id, message_id;
    uint32_t        occurrence;
    skein_timeline *child;
} skn_spawn;

struct skein_timeline {
    skein_timelines *set;
    skn_str          key;
    uint32_t         dots;
    uint32_t       order; /* by first record or declaration, from 1; 0: only named by a link */
    skn_list       records; /* const skn_rec * */
    skn_list       items;   /* skn_item */
    skn_list       tools;   /* skn_tool */
    skn_list       calls;   /* skn_calls */
    skn_list       spawns;  /* skn_spawn */
    skn_index      by_id, by_call_id, by_exact_call, by_turn, by_spawn;
    size_t         messages;
    int64_t        first_at, last_at;
    const skn_rec *last;
    /* The call that started this lane, according to its records. */
    skn_tool       *claim_tool;
    skein_timeline *claim_lane;
    /* The link of skein_timelines_link; link_lane is NULL without one. */
    const skn_spawn *link;
    skein_timeline  *link_lane;
    skn_tool        *link_tool;
    /* Settled for reading. */
    skein_timeline *parent;
    skn_tool       *via;
    bool            guessed;
    uint8_t         seen;        /* by the search for cycles */
    skein_timeline *first_child; /* in the order of lanes */
    skein_timeline *last_child, *next_sibling;
};

struct skein_timelines {
    skn_arena       *memory;
    uint64_t         seed;
    bool             guess_links;
    skn_list         lanes; /* skein_timeline * */
    skn_index        by_key;
    skein_timeline  *main;   /* the first without a dot, or the first; NULL: none yet */
    skein_timeline  *latest; /* the lane of the last record: the next is mostly of the same */
    uint32_t         orders;
    bool             unsettled; /* something that links depend on has changed */
    skein_timeline **sorted;
    size_t           sorted_count, sorted_cap;
};

/* Field i of a packed record, and of an open one. */
skn_str skn_rec_field(const skn_rec *r, int i);
skn_str skn_record_field(const skein_record *r, int i);
/* The packed record opened; its lane is given. */
skein_record skn_rec_open(const skn_rec *r, skn_str lane);

/* Bytes that the texts of r need; above SKN_RECORD_MAX when they are too long. */
size_t   skn_record_size(const skein_record *r);
skn_rec *skn_record_pack(skn_arena *a, const skein_record *r, size_t size, uint32_t seq);
bool     skn_rec_same(const skn_rec *a, const skein_record *b);

static inline const skn_rec *skn_rec_at(const skein_timeline *t, size_t i)
{
    return *(const skn_rec **)skn_list_at(&t->records, sizeof(skn_rec *), i);
}

static inline skn_item *skn_item_at(const skein_timeline *t, size_t i)
{
    return skn_list_at(&t->items, sizeof(skn_item), i);
}

static inline skn_tool *skn_tool_at(const skein_timeline *t, size_t i)
{
    return skn_list_at(&t->tools, sizeof(skn_tool), i);
}

static inline skein_timeline *skn_lane_at(const skein_timelines *set, size_t i)
{
    return *(skein_timeline **)skn_list_at(&set->lanes, sizeof(skein_timeline *), i);
}

/* The lane of this key, made when it is new; only skn_lane_show makes it more than a name. */
skein_timeline *skn_lane_named(skein_timelines *set, skn_str key);
void            skn_lane_show(skein_timeline *t);
/* The lane, or NULL. */
skein_timeline *skn_lane_find(const skein_timelines *set, skn_str key);
/* Refuses a key that is empty or not UTF-8. */
skein_rc skn_lane_check(skn_str key, skein_error *err);
/* Below zero if a stands before b: fewer dots, then shorter, then by bytes. */
int skn_lane_cmp(const skein_timeline *a, const skein_timeline *b);

/* Applies a record that is known to be well-formed: UTF-8, JSON where JSON is due. */
skein_rc skn_timelines_apply_known(skein_timelines *set, const skein_record *record,
                                   skein_error *err);
/* A record of t says that the tool's call started a child. */
void skn_links_claim(skein_timeline *t, skn_tool *tool, const skn_rec *by);
/* The tool is new in t: finds the link that waits for it, if one does. */
void skn_links_call(skein_timeline *t, skn_tool *tool);
/* Settles parents, children and guesses if anything changed. */
void skn_links_settle(skein_timelines *set);

/* The calls of the lane with this id, or NULL. */
skn_calls *skn_lane_calls(const skein_timeline *t, skn_str call_id);
