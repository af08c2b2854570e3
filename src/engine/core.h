/* core.h: what the engine's files share: the engine itself, threads as they are read, and a change
 * under way. Only files of this folder include it.
 *
 * Threads: an engine has no state of its own but its options and a cache with a lock of its own; all
 * that can change is in the store.  Lifetimes: one transaction, in the caller's arena. */
#pragma once

#include "base/clock.h"
#include "engine/audit.h"
#include "engine/tree/span.h"
#include "engine/world/world_settings.h"
#include <skein/skein.h>

#define SKN_TEXT_MAX     ((size_t)16 << 20)
#define SKN_TITLE_MAX    ((size_t)512)
#define SKN_WORD_MAX     ((size_t)256) /* call ids, tool names, models, senders, keys */
#define SKN_CALLS_MAX    ((size_t)256)
#define SKN_TAGS_MAX     ((size_t)64)
#define SKN_BATCH_MAX    ((size_t)10000)
#define SKN_REPLY_LEVELS 100 /* a message with 99 above it is the last that may be linked */
#define SKN_MAIN         SKN_STR("main")

typedef struct skn_timeline_cache skn_timeline_cache;
typedef struct skn_working        skn_working;

struct skein_engine {
    skn_store          *store;
    size_t              max_text;
    skn_timeline_cache *timelines;
    skn_env_rule       *env_rule;
    skn_actor          *by; /* for whom it works; NULL: the program itself */
};

/* --- open.c: writing ------------------------------------------------------------------------------ */

/* A write transaction, and the conversation that it holds, once it holds one. What is said of work there is told in
 * work/chat_work.h. */
struct skn_working {
    skein_engine        *e;
    skn_tx              *tx;
    skn_arena           *a;
    int64_t              now;
    skn_conversation_row chat;   /* with the version that is current now */
    bool                 silent; /* the conversation is gone: no events are written */
    bool hushed;  /* what is closed was stopped with who asked for it: that one is not told */
    bool results; /* but while its turn is open it gets the results of its calls */
    const skein_stop *written;   /* by those who are stopped, to be kept; may be NULL */
    int64_t           withdrawn; /* turns that were closed as cancelled */
    skn_vec(skn_str) over;       /* causes of which something was closed */
};

/* The work of a transaction. It may run again, so it sets whatever it leaves in arg. */
typedef skein_rc skn_job(skn_working *w, void *arg, skein_error *err);
/* Runs a job in a write transaction. w->a is mem, or lives as long as the transaction when that is NULL. */
skein_rc skn_write(skein_engine *e, skein_mem *mem, skn_job *job, void *arg, skein_error *err);
/* The same; a dry run is taken back when it has succeeded. */
skein_rc skn_write_dry(skein_engine *e, bool dry, skein_mem *mem, skn_job *job, void *arg,
                       skein_error *err);

/* audit.c: a row of the trail, in the transaction of what it tells. */
skein_rc skn_audit_in(skn_working *w, const char *what, skn_str subject, skn_str detail,
                      skein_error *err);
/* world.c: the same for an agent; tells its world, and what of it is another. */
skein_rc skn_agent_audit(skn_working *w, const char *what, const skein_agent *agent,
                         skn_str names, skein_error *err);

/* --- thread.c: a thread at a length ------------------------------------------------------------- */

typedef struct skn_thread {
    skn_thread_row row;
    int64_t        length; /* at most base_length + own_length */
    skn_tree       base;
} skn_thread;

/* The thread of a lane in a version; *found is false when the lane has none there yet. */
skein_rc skn_thread_load(skn_trees *f, int64_t version, int64_t lane, skn_thread *out,
                         bool *found, skein_error *err);
/* Spans of positions [i, j), own items included. */
skein_rc skn_thread_slice(skn_trees *f, const skn_thread *t, int64_t i, int64_t j,
                          skn_spans *out, skein_error *err);
/* Messages of positions [i, j), with their positions. */
skein_rc skn_thread_messages(skn_trees *f, const skn_thread *t, int64_t i, int64_t j,
                             skein_messages *out, skein_error *err);
/* Hands over the messages of positions [i, j) one by one, position set. With a scratch they are read in pieces,
 * each of which is gone with the next, so that a long thread does not sit in memory with all its texts; NULL: they
 * live as long as f does. */
skein_rc skn_thread_each(skn_trees *f, const skn_thread *t, int64_t i, int64_t j,
                         skn_arena *scratch, skn_message_sink *sink, void *arg,
                         skein_error *err);
/* Where a message stands, or -1. */
skein_rc skn_thread_position(skn_trees *f, const skn_thread *t, const skn_placements *places,
                             int64_t *position, skein_error *err);
skein_rc skn_thread_position_of(skn_trees *f, const skn_thread *t, int64_t message,
                                int64_t *position, skein_error *err);
/* The item at a position. */
skein_rc skn_thread_item(skn_trees *f, const skn_thread *t, int64_t position, skn_item *out,
                         skein_error *err);
/* The first position whose order key is at least `key`, or the length. */
skein_rc skn_thread_first_at(skn_trees *f, const skn_thread *t, int64_t key, int64_t *position,
                             skein_error *err);
/* All of it as one tree. */
skein_rc skn_thread_freeze(skn_trees *f, const skn_thread *t, skn_tree *out, skein_error *err);

/* --- draft.c: a version under construction ------------------------------------------------------------- */

/* A message that takes a place in the middle. */
typedef struct skn_patch {
    int64_t message, key;
} skn_patch;

typedef struct skn_lane_draft {
    skn_lane_row lane;
    skn_thread   from;    /* as it stands; length 0 when the lane has no thread here */
    bool         existed; /* the lane has a thread in the version it comes from */
    skn_tree     tree;    /* as it will be */
    bool         frozen;  /* tree is filled in */
    int64_t      first_changed;
    int64_t      to_lane;   /* another one only for a branch */
    int64_t      thread_id; /* of the new thread; 0 until a patch needs it */
    skn_str      thread_uid;
    int64_t      patched; /* patch items made */
} skn_lane_draft;

typedef struct skn_draft {
    skn_working         *w;
    skn_tx              *tx;
    skn_arena           *a;
    skn_trees            trees;
    const skein_change  *how;
    skn_conversation_row conversation;
    skn_version_row      base;       /* the version it is made from */
    int64_t              version_id; /* of the new one; 0 until it is needed */
    skn_lane_draft      *lanes;
    size_t               lane_count;
    skn_lane_draft      *main;
    skn_conversation_row target; /* where the version goes; another conversation for a branch */
    const char          *kind;
    skn_str              note;
    int64_t              now;
    int64_t amended_from, amended_to; /* a replaced message, for its summary's sake */
    int64_t place_key; /* of what is put in, the same in all lanes; 0: each its own */
} skn_draft;

/* Locks the conversation, checks what the caller expects, and reads every lane. base 0 is the
 * current version. */
skein_rc skn_draft_begin(skn_draft *d, skn_working *w, const skein_change *how, int64_t base,
                         const char *kind, skein_error *err);
/* Replaces positions [i, j) of a lane by new messages. */
skein_rc skn_draft_replace(skn_draft *d, skn_lane_draft *l, int64_t i, int64_t j,
                           const int64_t *messages, size_t count, skein_error *err);
/* Replaces positions [i, j) of a lane by spans of other threads. */
skein_rc skn_draft_splice(skn_draft *d, skn_lane_draft *l, int64_t i, int64_t j,
                          const skn_span *ins, size_t count, skein_error *err);
/* Makes sure that the version's row is there; its kind and note are fixed from then on. */
skein_rc skn_draft_version(skn_draft *d, skein_error *err);
/* Writes the version with all its threads, and moves the conversation there. */
skein_rc skn_draft_commit(skn_draft *d, skein_version *out, skein_error *err);

/* A message of the change, and where it stands. */
typedef struct skn_target {
    skein_message  message;
    skn_placements places;
    /* The first lane that holds it, the main one if it does, and its place and order key there. */
    const skn_lane_draft *lane;
    int64_t               position, key;
} skn_target;

/* The message with all its places; SKEIN_NOT_FOUND when no lane of the version holds it. */
skein_rc skn_draft_target(skn_draft *d, skein_message_id id, skn_target *out, skein_error *err);
/* Where a lane has the message, or would have it: before the first of its own that stand behind it. */
skein_rc skn_draft_place(skn_draft *d, const skn_lane_draft *l, const skn_target *t,
                         int64_t *at, skein_error *err);
/* The order key of what is put in at a place. */
skein_rc skn_draft_key(skn_draft *d, const skn_lane_draft *l, int64_t at, int64_t *key,
                       skein_error *err);

/* draft.c: adds to the targets what belongs to the same tool exchanges, to a fixpoint, and
 * puts all in the order of the lanes they were found in, the main lane first. */
skein_rc skn_draft_close_pairs(skn_draft *d, skn_target **targets, size_t *count,
                               skein_error *err);
/* The same in the order in which they were named: an exchange stands, in its own order, where the
 * first of it was named. */
skein_rc skn_draft_close_groups(skn_draft *d, skn_target **targets, size_t *count,
                                skein_error *err);
/* Would something put before this message stand between a tool call and its result? */
skein_rc skn_draft_splits(skn_draft *d, const skn_target *before, bool *splits,
                          skein_error *err);
/* The conversations whose messages this one may hold: itself and those it was branched from. */
skein_rc skn_conversation_kin(skn_tx *tx, const skn_conversation_row *c, skn_arena *a,
                              skn_ids *out, skein_error *err);
/* Is a conversation among these? */
bool skn_is_kin(const skn_ids *kin, int64_t conversation);
/* Does a call with this id wait for a result in a thread (1 or 0)? And the latest message with one that
 * does, or else with any. */
skein_rc skn_open_calls(skn_trees *f, const skn_thread *t, const skn_ids *kin, skn_str call_id,
                        int64_t *open, int64_t *caller, skein_error *err);

/* --- change.c: what all changes have in common ------------------------------------------------------ */

/* A change as its public call made it. version and message (which may be NULL) are filled by the
 * change, or from the first time when its key was used before. */
typedef struct skn_change_call {
    const skein_change *how;
    const char         *kind;
    skn_str             request; /* tells this request from others under the same key */
    skein_version      *version;
    skein_message      *message;

    skein_rc (*make)(struct skn_change_call *c,
                     skein_error            *err); /* changes the draft; may commit it */
    skein_rc (*again)(struct skn_change_call *c,
                      skein_error            *err); /* what else a replay fills; may be NULL */
    /* Its subject, as far as its kind has one. */
    skein_message_id         id;
    skein_message_ids        ids;
    skn_str                  content;
    const skein_new_message *as_new;
    int64_t                  number; /* a version, or an agent's id */

    skn_draft    draft;
    skn_working *w;
    bool         stopped; /* agents' work was taken away for it */
    bool         replayed;
} skn_change_call;

/* Begins a draft in a transaction, makes the change, commits it unless make did, and keeps its key. On a
 * dry run the writes are undone after all has succeeded. */
skein_rc skn_change_run(skein_engine *e, skn_change_call *c, skein_mem *mem, skein_error *err);

/* The caller's key of a request, or the client's id of a message. */
typedef struct skn_key {
    int64_t conversation;
    skn_str text; /* absent: nothing is found, and nothing kept */
    bool    of_client;
} skn_key;

static inline skn_key skn_key_of(const skein_change *how)
{
    return (skn_key){how->conversation.v, how->key, false};
}
/* The outcome kept under a key; SKEIN_CONFLICT when it was kept for another request. */
skein_rc skn_key_find(skn_working *w, skn_key key, int64_t hash, skn_str *outcome, bool *found,
                      skein_error *err);
skein_rc skn_key_keep(skn_working *w, skn_key key, int64_t hash, skn_str outcome,
                      skein_error *err);
/* It has another outcome from here on. */
skein_rc skn_key_move(skn_working *w, skn_key key, skn_str outcome, skein_error *err);
/* Ids as the text of a request. */
skn_str skn_change_ids_text(skein_mem *mem, skein_message_ids ids, int64_t more);
/* The positions of the targets in a lane, ascending; those it does not hold are left out. */
skein_rc skn_change_positions(skn_draft *d, const skn_lane_draft *l, const skn_target *targets,
                              size_t count, int64_t **positions, size_t *found,
                              skein_error *err);
/* Takes the messages at these ascending positions out of a lane. */
skein_rc skn_change_cut(skn_draft *d, skn_lane_draft *l, const int64_t *positions, size_t count,
                        skein_error *err);
/* The targets by their ids; a message named twice is an error. */
skein_rc skn_change_targets(skn_draft *d, skein_message_ids ids, skn_target **out,
                            skein_error *err);

/* --- guard.c: changes while agents are at work --------------------------------------------------------- */

/* Refuses a change while agents are at work, or with force takes their work away: *stopped then says
 * that skn_work_resume has to follow when the change is made. */
skein_rc skn_work_guard(skn_working *w, const skn_conversation_row *chat,
                        const skein_change *how, bool *stopped, skein_error *err);
/* Queued messages continue in the version that is current now. */
skein_rc skn_work_resume(skn_working *w, int64_t version, skein_error *err);

/* --- version.c: versions for the outside ---------------------------------------------------------- */

/* The public form of a version; thread and length are those of the main lane. */
skein_rc skn_version_fill(skn_tx *tx, const skn_conversation_row *c, const skn_version_row *row,
                          skn_arena *a, skein_version *out, skein_error *err);
/* By number; 0 is the current one. SKEIN_NOT_FOUND names the number. */
skein_rc skn_version_pick(skn_tx *tx, const skn_conversation_row *c, int64_t number,
                          skn_arena *a, skn_version_row *out, skein_error *err);
/* The conversation's row for reading; SKEIN_NOT_FOUND when there is none. */
skein_rc skn_conversation_need(skn_tx *tx, skein_conversation_id id, skn_arena *a,
                               skn_conversation_row *out, skein_error *err);
/* The same, and no one else may change it until the transaction ends. SKEIN_ARCHIVED of one that may
 * only be read. */
skein_rc skn_conversation_take(skn_tx *tx, skein_conversation_id id, skn_arena *a,
                               skn_conversation_row *out, skein_error *err);
/* A failure that means: nothing can be written there any more. */
static inline bool skn_is_gone(skein_rc rc)
{
    return rc == SKEIN_NOT_FOUND || rc == SKEIN_ARCHIVED;
}
/* Hides an agent's own conversations: it goes. */
skein_rc skn_conversations_leave(skn_working *w, int64_t agent, skein_error *err);
skein_rc skn_lane_need(skn_tx *tx, const skn_conversation_row *c, skn_str key, skn_arena *a,
                       skn_lane_row *out, skein_error *err);
/* Refuses when the caller expects a thread to stand elsewhere; `what` and name say whose it is. */
skein_rc skn_expect(skein_at expect, int64_t thread, int64_t length, const char *what,
                    skn_str name, skein_error *err);
/* Moves the conversation's pointer and writes the operation down. */
skein_rc skn_version_move(skn_tx *tx, const skn_conversation_row *c, const char *kind,
                          int64_t to, int64_t undoes, skn_str actor, int64_t now, int64_t *op,
                          skein_error *err);

/* --- conversation.c --------------------------------------------------------------------------------------- */

/* An agent's one conversation of a mode; created, with its event, when it is missing. */
skein_rc skn_conversation_own(skn_working *w, int64_t agent, skein_mode mode,
                              skn_conversation_row *out, skein_error *err);
/* The public form of a conversation. */
skein_rc skn_conversation_fill(skn_tx *tx, const skn_conversation_row *row, skn_arena *a,
                               skein_conversation *out, skein_error *err);
/* Every agent of the world without a lane in this chat gets one. */
skein_rc skn_lanes_complete(skn_working *w, const skn_conversation_row *c, skein_error *err);

/* --- world_change.c -------------------------------------------------------------------------------------- */

/* Answers in a row that may follow a person's message; an imported world may say more than can be. */
int64_t skn_turn_limit(const skein_world *w);
/* The world or the agent with this number; SKEIN_NOT_FOUND when there is none. */
skein_rc skn_world_need(skn_tx *tx, int64_t id, skn_arena *a, skein_world *out,
                        skein_error *err);
skein_rc skn_agent_need(skn_tx *tx, int64_t id, skn_arena *a, skein_agent *out,
                        skein_error *err);
/* The names of a world's agents. */
skein_rc skn_agent_names(skn_tx *tx, int64_t world, skn_arena *a, skn_str **out, size_t *count,
                         skein_error *err);
/* Refuses a name that another world has. */
skein_rc skn_world_name_free(skn_tx *tx, skn_str name, int64_t own, skn_arena *a,
                             skein_error *err);
/* The limits of a world that is there. */
skein_rc skn_world_limits_get(skn_tx *tx, int64_t world, skn_arena *a, skn_world_limits *out,
                              skein_error *err);
/* Name, description and limits of a world; zero: not given. */
skein_rc skn_world_check(const skein_engine *e, const skein_world *w, skein_error *err);

/* --- check.c: what may be stored --------------------------------------------------------------------- */

/* Refuses text that is over the engine's limit or that not every database can keep. */
skein_rc skn_check_text(const skein_engine *e, skn_str s, const char *what, skein_error *err);
/* The same with a limit of its own, and without line breaks or other control characters. */
skein_rc skn_check_word(skn_str s, const char *what, size_t max, skein_error *err);
/* The same of one that may be absent. */
skein_rc skn_check_given(skn_str s, const char *what, size_t max, skein_error *err);
skein_rc skn_check_new(const skein_engine *e, const skein_new_message *m, skein_error *err);

/* --- append.c ------------------------------------------------------------------------------------------ */

/* Who may speak in a conversation, and which messages its replies may name. */
typedef struct skn_room {
    skn_trees            trees;
    skn_conversation_row conversation;
    skn_lane_rows        lanes; /* main and the agents' */
    skn_ids              kin;
    int64_t              now;
} skn_room;

skein_rc skn_room_open(skn_room *r, skn_working *w, const skn_conversation_row *c,
                       skein_error *err);
/* Fills a message from what the caller gave: author, reply link, warning. Not yet stored. */
skein_rc skn_message_prepare(skn_room *r, const skein_new_message *n, skein_message *m,
                             skein_error *err);
/* A message as it is before anybody has it; texts and calls are not copied. */
skein_message skn_message_of(const skein_new_message *n, skn_arena *a);
/* The same as JSON: what waits to be said, and what tells one request from another. */
skn_str skn_message_json(const skein_new_message *n, skn_arena *a);
/* What a person has said in a message, to be said again. */
skein_new_message skn_say_again(const skein_message *m);
/* Instructions as they are kept. Who sent a message is known from its author: a "Source" that the
 * client claims is left out, so that nobody can pass for another. The texts are not copied. */
skein_instruction *skn_instructions_keep(const skein_new_message *n, skn_arena *a,
                                         size_t *count);
/* Does the agent of this lane get a message with these hearers into its memory? */
bool skn_room_hears(const skn_lane_row *lane, const skein_message *m,
                    const skein_new_message *n);

/* --- model_calls.c: what models were sent ------------------------------------------------------------------ */

/* The hashes of a call's pieces as their rows have them, that of its response last; returns how many. */
size_t skn_call_hashes(skn_str request, skn_str response, skn_arena *a, skn_str **out);
/* model_calls.c: empties all calls of these conversations, and removes the pieces that no other call has. */
skein_rc skn_calls_erase(skn_working *w, const skn_ids *conversations, skein_error *err);

/* --- compact.c ------------------------------------------------------------------------------------------ */

/* The compaction that a new thread inherits from the one it was made of. */
skein_rc skn_compaction_inherit(skn_draft *d, skn_lane_draft *l, int64_t *id, skein_error *err);

/* --- check.c: rows in the order of a number ---------------------------------------------------------- */

/* For qsort and bsearch: rows that begin with an int64_t, by that. */
int skn_by_number(const void *x, const void *y);
/* Of rows of `size` bytes that ascend by the int64_t at offset `at`: the first that is not below a number,
 * or how many there are. */
size_t skn_first_from(const void *rows, size_t count, size_t size, size_t at, int64_t number);

#define SKN_NOW() skn_clock_micros()
