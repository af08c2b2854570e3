/* change.h: saying something, and changing what was said.
 *
 * Appending grows the current version. Every other change makes a new version of the conversation
 * and moves its pointer there; the old version stays as it was and can be read, switched to and
 * appended to forever. (thread, length) names a state that never changes. */
#ifndef SKEIN_CHANGE_H
#define SKEIN_CHANGE_H

#include <skein/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A state of a thread. A zero thread means "whatever is current". */
typedef struct skein_at {
    skein_thread_id thread;
    int64_t         length;
} skein_at;

/* --- Appending ------------------------------------------------------------------------------- */

typedef struct skein_append_request {
    size_t                   size; /* set by SKEIN_APPEND_REQUEST_INIT */
    skein_conversation_id    conversation;
    skein_str                lane; /* absent: "main" */
    const skein_new_message *messages;
    size_t                   count;
    skein_at                 expect; /* of that lane; zero thread: no condition */
    bool                     import; /* accept tool results without a call */
} skein_append_request;
#define SKEIN_APPEND_REQUEST_INIT SKEIN_INIT(skein_append_request)

/* Stores all of them or none. A reply link that cannot be is dropped (self, cycle, over 100 levels) or
 * kept dangling (unknown parent); `warning` of the stored message says so. When one of the messages
 * cannot be stored, stored->count is its index and nothing else is set. */
SKEIN_API skein_rc skein_append(skein_engine *e, const skein_append_request *request,
                                skein_mem *mem, skein_messages *stored, skein_error *err);

/* --- Changes that make a version -------------------------------------------------------------- */

typedef struct skein_change {
    size_t                size; /* set by SKEIN_CHANGE_INIT */
    skein_conversation_id conversation;
    skein_str             actor; /* the actor; absent: "human" */
    skein_at  expect;    /* the main lane must still stand here; zero thread: anywhere */
    bool      dry_run;   /* check everything, report the outcome, change nothing */
    skein_str key;       /* the same key again returns the first outcome; branch and purge
                                      have no use for one */
    bool      force;     /* stop agents that are at work in it first; else SKEIN_AT_WORK then */
    bool      wake;      /* an edit's new message is to be answered, as if it was posted */
    bool      resubmit;  /* a removal is the first half of an edit: another text follows it */
    skein_str client_id; /* the sender's own name for an edit's new message; may be absent */
    /* With force: what those agents have written, kept in the version that is left. Of work.h; may be NULL. */
    const struct skein_stop *written;
} skein_change;
#define SKEIN_CHANGE_INIT SKEIN_INIT(skein_change)

typedef struct skein_version {
    int64_t         number; /* 7 for v7 */
    skein_thread_id thread; /* of the main lane */
    skein_str       thread_uid;
    int64_t         length;
    int64_t         origin; /* number of the version it was made from, in a fork that of
                               the other conversation; 0 for the first */
    skein_str       origin_thread_uid;
    int64_t         origin_length; /* how much of it was there then */
    skein_str
        kind; /* start amend delete insert reorder squash remove edit retry restore fork */
    skein_str actor;
    skein_str note; /* what it did, in a few words */
    bool      current;
    int64_t   created_at;
} skein_version;

typedef struct skein_versions {
    skein_version *at;
    size_t         count;
} skein_versions;

typedef struct skein_message_ids {
    const skein_message_id *at;
    size_t                  count;
} skein_message_ids;

/* Keeps a file for the messages of a world. Takes name and type (which may be absent) from *file, corrects the type by the bytes,
 * and fills the rest. What the world has already is not kept again. SKEIN_LIMIT beyond the limits of its settings. */
SKEIN_API skein_rc skein_attachment_add(skein_engine *e, skein_world_id world, skein_str bytes,
                                        skein_attachment *file, skein_mem *mem,
                                        skein_error *err);
/* Finds a file of a world by its id. */
SKEIN_API skein_rc skein_attachment_get(skein_engine *e, skein_world_id world, skein_str id,
                                        skein_mem *mem, skein_attachment *out,
                                        skein_error *err);
/* The same, with `count` of its bytes from `from` on (-1: all that follow). */
SKEIN_API skein_rc skein_attachment_read(skein_engine *e, skein_world_id world, skein_str id,
                                         int64_t from, int64_t count, skein_mem *mem,
                                         skein_attachment *out, skein_str *bytes,
                                         skein_error *err);
/* The files of a world, the newest first; at most `limit`. */
SKEIN_API skein_rc skein_attachment_list(skein_engine *e, skein_world_id world, size_t limit,
                                         skein_mem *mem, skein_attachments *out,
                                         skein_error *err);
/* A file that no message carries stays as long, in microseconds. */
#define SKEIN_FILE_KEPT (INT64_C(24) * 3600 * 1000000)
/* Removes files that were given before a time (microseconds) and that no message carries. */
SKEIN_API skein_rc skein_attachments_collect(skein_engine *e, int64_t before, skein_error *err);

/* Replaces the message where it stands, in every lane that holds it; the rest stays. */
SKEIN_API skein_rc skein_amend(skein_engine *e, const skein_change *how,
                               skein_message_id message, skein_str content, skein_mem *mem,
                               skein_version *out, skein_message *amended, skein_error *err);
/* Makes a version without these messages; tool calls go with their results and the other way round. */
SKEIN_API skein_rc skein_delete(skein_engine *e, const skein_change *how, skein_message_ids ids,
                                skein_mem *mem, skein_version *out, skein_error *err);
/* In the note of a version that an insertion or a move made: it stands between a tool call and its
 * result. What a model is sent is still valid. */
#define SKEIN_NOTE_SPLITS "splits a tool call from its result"
/* Puts a new message before another one (zero: at the end). */
SKEIN_API skein_rc skein_insert(skein_engine *e, const skein_change *how,
                                skein_message_id before, const skein_new_message *message,
                                skein_mem *mem, skein_version *out, skein_message *inserted,
                                skein_error *err);
/* Moves these messages, in the given order, before another one (zero: to the end). Tool calls go with
 * their results and the other way round, as one block in the place of the first that is named. */
SKEIN_API skein_rc skein_reorder(skein_engine *e, const skein_change *how,
                                 skein_message_ids ids, skein_message_id before, skein_mem *mem,
                                 skein_version *out, skein_error *err);
/* Gives the message other instructions where it stands, in every lane that holds it; the rest stays. */
SKEIN_API skein_rc skein_retag(skein_engine *e, const skein_change *how,
                               skein_message_id message, const skein_instruction *instructions,
                               size_t count, skein_mem *mem, skein_version *out,
                               skein_message *retagged, skein_error *err);
/* Makes a version in which the agent remembers nothing of the conversation; the main lane stays. */
SKEIN_API skein_rc skein_forget(skein_engine *e, const skein_change *how, skein_agent_id agent,
                                skein_mem *mem, skein_version *out, skein_error *err);
/* Makes a version with the content that another version has now. */
SKEIN_API skein_rc skein_restore(skein_engine *e, const skein_change *how, int64_t version,
                                 skein_mem *mem, skein_version *out, skein_error *err);

typedef struct skein_squash_spec {
    size_t            size;    /* set by SKEIN_SQUASH_SPEC_INIT */
    skein_message_ids sources; /* two or more, of the current version */
    skein_str         content; /* what stands for them */
    skein_str         prompt;  /* absent when it was done by hand */
    skein_str         model;
    skein_agent_id    agent;    /* the agent that did it; zero: a person */
    bool              by_agent; /* a model did it, for no agent in particular */
    struct skein_model_call
        *call; /* how it was asked for; kept with it, and its uid is filled in. May be NULL */
} skein_squash_spec;
#define SKEIN_SQUASH_SPEC_INIT SKEIN_INIT(skein_squash_spec)

typedef struct skein_squash {
    skein_str     uid; /* "sq_…" */
    skein_version version;
    skein_message result;
    skein_str    *sources; /* public ids, in thread order, closed over tool pairs */
    size_t        source_count;
    skein_str     prompt;
    skein_str     model;
    bool          by_agent;
    int64_t       created_at;
} skein_squash;

/* Puts one message in the place of several, in every lane that holds them. Which they were stays known. */
SKEIN_API skein_rc skein_squash_messages(skein_engine *e, const skein_change *how,
                                         const skein_squash_spec *spec, skein_mem *mem,
                                         skein_squash *out, skein_error *err);
/* Reads a squash by its public id. */
SKEIN_API skein_rc skein_squash_get(skein_engine *e, skein_str uid, skein_mem *mem,
                                    skein_squash *out, skein_error *err);

typedef struct skein_uids {
    skein_str *at;
    size_t     count;
} skein_uids;

/* The public ids of the squashes of a conversation, newest first; at most `limit` (0: 1000). */
SKEIN_API skein_rc skein_squash_list(skein_engine *e, skein_conversation_id conversation,
                                     size_t limit, skein_mem *mem, skein_uids *out,
                                     skein_error *err);

typedef struct skein_removal_agent {
    skein_str name; /* an agent, or "human" */
    int64_t   count;
} skein_removal_agent;

typedef struct skein_removal_line {
    skein_str uid, sender;
    skein_str text; /* how it begins; of a message that only calls tools, their names */
} skein_removal_line;

typedef struct skein_removal {
    skein_str            message_uid; /* the target */
    skein_version        version;     /* the new one; number 0 on a dry run */
    skein_version        previous;
    int64_t              count; /* messages that leave the main lane, the target included */
    bool                 is_first;
    skein_removal_agent *by_sender; /* dry run: who wrote them */
    size_t               by_sender_count;
    skein_removal_agent *by_agent; /* how many left each agent's memory */
    size_t               by_agent_count;
    int64_t              delegations; /* lanes of delegations that lose something */
    int64_t side_effects; /* dry run: tool calls among them, not undone outside; else -1 */
    int64_t tool_results; /* dry run: how many of `count` are results of tools; else -1 */
    skein_message
        added; /* of an edit: the message sent instead; of another answer: the message answered again */
    skein_str           cause;   /* of another answer: the message of a person behind it */
    skein_removal_line *preview; /* dry run: the first ten that go, and the last */
    size_t              preview_count;
    int64_t             briefings; /* dry run: briefings among them; they stay in the inbox */
    int64_t             preview_skipped; /* how many stand between those ten and the last */
} skein_removal;

/* In the note of a version: an edit made it, or a removal that is the first half of one. */
#define SKEIN_NOTE_EDIT "edit from"

/* Removes the message and all after it from every lane. Any message, or only a person's when user_only is set:
 * SKEIN_NOT_USER_MESSAGE for others then. */
SKEIN_API skein_rc skein_remove_from(skein_engine *e, const skein_change *how,
                                     skein_message_id message, bool user_only, skein_mem *mem,
                                     skein_removal *out, skein_error *err);
/* Removes like skein_remove_from and sends the new text in its place, all in one. */
SKEIN_API skein_rc skein_edit(skein_engine *e, const skein_change *how,
                              skein_message_id message, skein_str content, skein_mem *mem,
                              skein_removal *out, skein_error *err);

/* An answer that an agent gives in the place of another one of its own. */
typedef struct skein_another {
    skein_message_id answer; /* any message of that answer */
    skein_str        model;  /* asked this once, instead of the agent's own; may be absent */
    int64_t          most_tokens; /* of the new answer; 0: as the agent's settings say */
} skein_another;

/* Removes an answer of an agent from its first message on, with all after it, from every lane, and asks the agent again
 * for the same message, all in one. The old answer stays in the version before, as an alternative. */
SKEIN_API skein_rc skein_ask_another(skein_engine *e, const skein_change *how,
                                     const skein_another *what, skein_mem *mem,
                                     skein_removal *out, skein_error *err);

/* --- Time travel ------------------------------------------------------------------------------ */

typedef struct skein_move {
    skein_version from, to;
    skein_str     what; /* kind of the operation taken back or brought back; "switch" */
    int64_t       steps;
    int64_t       returning, leaving; /* dry run: messages of the main lane; else -1 */
    int64_t side_effects; /* dry run: tool calls that leave, not undone outside; else -1 */
    int64_t
        newer; /* messages of `from` that were said after `to` was left: they leave with the move */
} skein_move;

/* Takes back the last `steps` changes, or as many as there are; SKEIN_NOTHING when there is none. */
SKEIN_API skein_rc skein_undo(skein_engine *e, const skein_change *how, int64_t steps,
                              skein_mem *mem, skein_move *out, skein_error *err);
/* Brings back the last `steps` changes that were undone, or as many as there are; SKEIN_NOTHING when there is none. */
SKEIN_API skein_rc skein_redo(skein_engine *e, const skein_change *how, int64_t steps,
                              skein_mem *mem, skein_move *out, skein_error *err);
/* Makes another version the current one, by its number. */
SKEIN_API skein_rc skein_switch(skein_engine *e, const skein_change *how, int64_t version,
                                skein_mem *mem, skein_move *out, skein_error *err);
typedef struct skein_ways {
    bool undo, redo; /* there is something to take back, to bring back */
} skein_ways;

/* Whether there is something to undo, and to redo. */
SKEIN_API skein_rc skein_ways_of(skein_engine *e, skein_conversation_id conversation,
                                 skein_mem *mem, skein_ways *out, skein_error *err);
/* Makes a chat that begins with the first `length` messages of a version (-1: all of them). */
SKEIN_API skein_rc skein_branch(skein_engine *e, const skein_change *how, int64_t version,
                                int64_t length, skein_str title, skein_mem *mem,
                                skein_conversation *out, skein_error *err);

/* --- Erasure and compaction ------------------------------------------------------------------- */

/* Erases the texts of these messages permanently, in every version and branch; their places stay. Messages that the
 * system made of their words, in whatever conversation, go with them and are counted in *erased. An
 * error with *erased above 0 means: they are gone from every view, but not yet removed from the
 * files (a reader may keep those, SKEIN_BUSY). Repeat the call until it succeeds; it then finds
 * nothing more to erase, and removes what is left of any purge. */
SKEIN_API skein_rc skein_purge(skein_engine *e, const skein_change *how, skein_message_ids ids,
                               int64_t *erased, skein_error *err);
/* Erases every message of the conversation that neither its current version nor that of a branch holds:
 * also what an undo would have brought back. What the system made of their words goes with them, as by
 * skein_purge, also where a current version holds it. */
SKEIN_API skein_rc skein_purge_unreachable(skein_engine *e, const skein_change *how,
                                           int64_t *erased, skein_error *err);

typedef struct skein_compaction {
    size_t    size;   /* set by SKEIN_COMPACTION_INIT */
    skein_str lane;   /* absent: "main" */
    int64_t   covers; /* the first messages of the lane that the text stands for; 0: as many as
                             may be, which ends at the last closed tool exchange */
    skein_at  seen;   /* the state the text was made from; the lane must still be that thread */
    skein_str content;
    skein_str reason; /* "limit", "manual", … */
    skein_str model;
    struct skein_model_call
        *call; /* how it was asked for; kept with it, and its uid is filled in. May be NULL */
} skein_compaction;
#define SKEIN_COMPACTION_INIT SKEIN_INIT(skein_compaction)

/* Appends the summary and lets the context begin after what it covers. Removes nothing. */
SKEIN_API skein_rc skein_compact(skein_engine *e, skein_conversation_id conversation,
                                 const skein_compaction *what, skein_mem *mem,
                                 skein_message *summary, int64_t *covers, skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
