/* change.h: adding messages, and changing conversations.
 *
 * Appending grows the current version. Every other change makes a new version of the conversation and moves the
 * conversation's pointer to it; the old version stays unchanged and can be read, switched to and appended to forever.
 * (thread, length) names a state that never changes. */
#ifndef SKEIN_CHANGE_H
#define SKEIN_CHANGE_H

#include <skein/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A state of a thread. A zero thread means the current state. */
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

/* Stores all messages or none. An invalid reply link is dropped (self, cycle, over 100 levels) or kept dangling
 * (unknown parent); `warning` of the stored message says so. If a message cannot be stored, stored->count is its
 * index and nothing else is set. */
SKEIN_API skein_rc skein_append(skein_engine *e, const skein_append_request *request,
                                skein_mem *mem, skein_messages *stored, skein_error *err);

/* --- Changes that make a version -------------------------------------------------------------- */

typedef struct skein_change {
    size_t                size; /* set by SKEIN_CHANGE_INIT */
    skein_conversation_id conversation;
    skein_str             actor;  /* the actor; absent: "human" */
    skein_at              expect; /* the main lane must be in this state; zero thread: in any */
    bool                  dry_run; /* check everything, report the outcome, change nothing */
    skein_str             key; /* repeats return the first outcome; not for branch and purge */
    bool                  force; /* stop working agents first; otherwise SKEIN_AT_WORK */
    bool                  wake;  /* agents answer an edit's new message, as if it was posted */
    bool      resubmit;  /* a removal is the first half of an edit: a new text follows */
    skein_str client_id; /* the sender's own id of an edit's new message; may be absent */
    /* With force: the unfinished texts of those agents, kept in the previous version. See work.h; may be NULL. */
    const struct skein_stop *written;
} skein_change;
#define SKEIN_CHANGE_INIT SKEIN_INIT(skein_change)

typedef struct skein_version {
    int64_t         number; /* 7 for v7 */
    skein_thread_id thread; /* of the main lane */
    skein_str       thread_uid;
    int64_t         length;
    int64_t         origin; /* number of the version it was made from, for a branch in the
                             * other conversation; 0 for the first */
    skein_str       origin_thread_uid;
    int64_t         origin_length; /* how much of it was there then */
    skein_str
        kind; /* start amend delete insert reorder squash remove edit retry restore fork */
    skein_str actor;
    skein_str note; /* a short description */
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
/* Makes a version without these messages. Tool calls and their results are always removed together. */
SKEIN_API skein_rc skein_delete(skein_engine *e, const skein_change *how, skein_message_ids ids,
                                skein_mem *mem, skein_version *out, skein_error *err);
/* In the note of a version made by an insertion or a move: the message is between a tool call and its result.
 * Contexts for models stay valid. */
#define SKEIN_NOTE_SPLITS "splits a tool call from its result"
/* Inserts a new message before another one (zero: at the end). */
SKEIN_API skein_rc skein_insert(skein_engine *e, const skein_change *how,
                                skein_message_id before, const skein_new_message *message,
                                skein_mem *mem, skein_version *out, skein_message *inserted,
                                skein_error *err);
/* Moves these messages, in the given order, before another one (zero: to the end). Tool calls and their results move
 * together, as one block at the place of the first that is named. */
SKEIN_API skein_rc skein_reorder(skein_engine *e, const skein_change *how,
                                 skein_message_ids ids, skein_message_id before, skein_mem *mem,
                                 skein_version *out, skein_error *err);
/* Replaces the instructions of a message in place, in every lane that has it; the other messages stay. */
SKEIN_API skein_rc skein_retag(skein_engine *e, const skein_change *how,
                               skein_message_id message, const skein_instruction *instructions,
                               size_t count, skein_mem *mem, skein_version *out,
                               skein_message *retagged, skein_error *err);
/* Makes a version in which the agent remembers nothing of the conversation; the main lane stays. */
SKEIN_API skein_rc skein_forget(skein_engine *e, const skein_change *how, skein_agent_id agent,
                                skein_mem *mem, skein_version *out, skein_error *err);
/* Makes a version with the current content of another version. */
SKEIN_API skein_rc skein_restore(skein_engine *e, const skein_change *how, int64_t version,
                                 skein_mem *mem, skein_version *out, skein_error *err);

typedef struct skein_squash_spec {
    size_t            size;    /* set by SKEIN_SQUASH_SPEC_INIT */
    skein_message_ids sources; /* two or more, of the current version */
    skein_str         content; /* the text that replaces them */
    skein_str         prompt;  /* absent if a person wrote the text */
    skein_str         model;
    skein_agent_id    agent;    /* the agent that made it; zero: a person */
    bool              by_agent; /* a model made it, without an agent */
    struct skein_model_call
        *call; /* the model call, stored with it; its uid is filled in. May be NULL */
} skein_squash_spec;
#define SKEIN_SQUASH_SPEC_INIT SKEIN_INIT(skein_squash_spec)

typedef struct skein_squash {
    skein_str     uid; /* "sq_…" */
    skein_version version;
    skein_message result;
    skein_str    *sources; /* public ids, in thread order, with whole tool pairs */
    size_t        source_count;
    skein_str     prompt;
    skein_str     model;
    bool          by_agent;
    int64_t       created_at;
} skein_squash;

/* Replaces several messages by one that names them as its sources, in every lane that has them. */
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
    skein_str text; /* its start; without a text, the names of its tools */
} skein_removal_line;

typedef struct skein_removal {
    skein_str            message_uid; /* the target */
    skein_version        version;     /* the new one; number 0 on a dry run */
    skein_version        previous;
    int64_t              count; /* messages removed from the main lane, the target included */
    bool                 is_first;
    skein_removal_agent *by_sender; /* dry run: number of messages by sender */
    size_t               by_sender_count;
    skein_removal_agent *by_agent; /* number of messages removed from each agent's memory */
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
    int64_t             preview_skipped; /* number of messages between those ten and the last */
} skein_removal;

/* In the note of a version: an edit made it, or a removal that is the first half of an edit. */
#define SKEIN_NOTE_EDIT "edit from"

/* Removes a message and all later ones from every lane. With user_only only a person's message:
 * SKEIN_NOT_USER_MESSAGE for others. */
SKEIN_API skein_rc skein_remove_from(skein_engine *e, const skein_change *how,
                                     skein_message_id message, bool user_only, skein_mem *mem,
                                     skein_removal *out, skein_error *err);
/* Removes like skein_remove_from and sends the new text instead, in one transaction. */
SKEIN_API skein_rc skein_edit(skein_engine *e, const skein_change *how,
                              skein_message_id message, skein_str content, skein_mem *mem,
                              skein_removal *out, skein_error *err);

/* How an agent is asked once more. */
typedef struct skein_again {
    skein_message_id message;     /* of skein_ask_another: any message of the answer */
    skein_agent_id   agent;       /* skein_ask_another takes the one that gave the answer */
    skein_str        model;       /* asked this once, instead of the first one; may be absent */
    int64_t          most_tokens; /* of the answer; 0: as it was asked first */
    bool             without_tools; /* it is offered none, as some models cannot use any */
} skein_again;

/* Removes an answer of an agent from its first message on, with all after it, from every lane, and asks the agent again
 * for the same message, all in one. The old answer stays in the version before, as an alternative. */
SKEIN_API skein_rc skein_ask_another(skein_engine *e, const skein_change *how,
                                     const skein_again *what, skein_mem *mem,
                                     skein_removal *out, skein_error *err);

/* --- Time travel ------------------------------------------------------------------------------ */

typedef struct skein_move {
    skein_version from, to;
    skein_str     what; /* kind of the operation that was undone or redone; or "switch" */
    int64_t       steps;
    int64_t       returning, leaving; /* dry run: messages of the main lane; else -1 */
    int64_t       side_effects; /* dry run: tool calls that leave; their effects elsewhere stay;
                           * else -1 */
    int64_t newer; /* messages added to `from` after `to` was left: they leave with the move */
} skein_move;

/* Undoes the last `steps` changes, or as many as there are; SKEIN_NOTHING if there are none. */
SKEIN_API skein_rc skein_undo(skein_engine *e, const skein_change *how, int64_t steps,
                              skein_mem *mem, skein_move *out, skein_error *err);
/* Redoes the last `steps` undone changes, or as many as there are; SKEIN_NOTHING if there are none. */
SKEIN_API skein_rc skein_redo(skein_engine *e, const skein_change *how, int64_t steps,
                              skein_mem *mem, skein_move *out, skein_error *err);
/* Makes another version the current one, by its number. */
SKEIN_API skein_rc skein_switch(skein_engine *e, const skein_change *how, int64_t version,
                                skein_mem *mem, skein_move *out, skein_error *err);
typedef struct skein_ways {
    bool undo, redo; /* whether undo and redo are possible */
} skein_ways;

/* Whether undo and redo are possible. */
SKEIN_API skein_rc skein_ways_of(skein_engine *e, skein_conversation_id conversation,
                                 skein_mem *mem, skein_ways *out, skein_error *err);
/* Makes a chat that starts with the first `length` messages of a version (-1: all of them). */
SKEIN_API skein_rc skein_branch(skein_engine *e, const skein_change *how, int64_t version,
                                int64_t length, skein_str title, skein_mem *mem,
                                skein_conversation *out, skein_error *err);

/* --- Erasure and compaction ------------------------------------------------------------------- */

/* Erases the texts of these messages permanently, in every version and branch; their places stay. Messages that the
 * system made from these texts, in any conversation, are erased too and counted in *erased. An error with *erased
 * above 0 means that the texts are gone from every view, but not yet from the files (a reader may keep those,
 * SKEIN_BUSY). Repeat the call until it succeeds; it then finds nothing more to erase, and cleans up after all
 * earlier purges. */
SKEIN_API skein_rc skein_purge(skein_engine *e, const skein_change *how, skein_message_ids ids,
                               int64_t *erased, skein_error *err);
/* Erases every message of the conversation that is neither in its current version nor in that of a branch, even if
 * undo would have brought it back. Messages that the system made from these texts are erased too, as by skein_purge,
 * even in a current version. */
SKEIN_API skein_rc skein_purge_unreachable(skein_engine *e, const skein_change *how,
                                           int64_t *erased, skein_error *err);

typedef struct skein_compaction {
    size_t    size;   /* set by SKEIN_COMPACTION_INIT */
    skein_str lane;   /* absent: "main" */
    int64_t   covers; /* number of messages, from the start of the lane, that the text
                       * replaces; 0: as many as possible, up to the last closed tool
                       * exchange */
    skein_at  seen;   /* the state that was summarised; the lane must still have that thread */
    skein_str content;
    skein_str reason; /* "limit", "manual", … */
    skein_str model;
    struct skein_model_call
        *call; /* the model call, stored with it; its uid is filled in. May be NULL */
} skein_compaction;
#define SKEIN_COMPACTION_INIT SKEIN_INIT(skein_compaction)

/* Appends the summary and starts the context after the messages that it covers. Removes nothing. */
SKEIN_API skein_rc skein_compact(skein_engine *e, skein_conversation_id conversation,
                                 const skein_compaction *what, skein_mem *mem,
                                 skein_message *summary, int64_t *covers, skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
