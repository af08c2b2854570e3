/* view.h: reading: the main lane, an agent's memory, contexts for models, replies, history, search. */
#ifndef SKEIN_VIEW_H
#define SKEIN_VIEW_H

#include <skein/change.h>
#include <skein/timeline.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skein_slice {
    size_t                size; /* set by SKEIN_SLICE_INIT */
    skein_conversation_id conversation;
    skein_str             lane; /* absent: "main" */
    skein_agent_id agent;   /* set: this agent's memory, role and reply links as it sees them */
    bool           raw;     /* with agent: also whom others answered, which it does not see */
    int64_t        version; /* 0: the current one */
    int64_t        from;    /* first position; negative counts from the end: -50 */
    int64_t        count;   /* 0: to the end */
    int64_t        task;    /* of a context: the task in hand; 0: none */
    skein_str      turn;    /* of a context: the public id of the turn that is at work */
    int64_t
        most; /* of a context: bytes of one text, the rest of which is left out; 0: none is */
    bool
        in_turn; /* of a plan: what the turn at work has done is covered, except its last exchange */
    bool      images; /* of a context: with the bytes of images */
    skein_str blind;  /* of a context: the model, where it can't see images */
} skein_slice;
#define SKEIN_SLICE_INIT SKEIN_INIT(skein_slice)

/* Reads messages of a lane in order, and the state that they were read from. */
SKEIN_API skein_rc skein_read(skein_engine *e, const skein_slice *what, skein_mem *mem,
                              skein_messages *out, skein_at *at, skein_error *err);

/* Finds a message in any version. ref: a public id, a unique prefix of 4 characters or more, "@" for the latest of
 * the version, "@~2" for two before it, and any of these with "^" for the message that it replies to. */
SKEIN_API skein_rc skein_message_find(skein_engine *e, skein_conversation_id conversation,
                                      int64_t version, skein_str ref, skein_mem *mem,
                                      skein_message *out, skein_error *err);

/* Reads messages by their ids, in that order. SKEIN_NOT_FOUND if one does not exist. */
SKEIN_API skein_rc skein_messages_get(skein_engine *e, skein_message_ids ids, skein_mem *mem,
                                      skein_messages *out, skein_error *err);

/* Finds the message of a world with this public id, and its conversation. */
SKEIN_API skein_rc skein_message_in_world(skein_engine *e, skein_world_id world, skein_str uid,
                                          skein_mem *mem, skein_message *out,
                                          skein_conversation *home, skein_error *err);

/* The cost of the model call for a message. */
typedef struct skein_usage {
    int64_t tokens_in, tokens_out; /* -1: not measured */
    int64_t tokens_cached,
        tokens_written; /* of tokens_in, in the provider's cache; 0: none or unknown */
    int64_t cost;       /* billionths of a US dollar; -1: the price is not known */
    bool    estimated;  /* the tokens are estimated from the length of texts */
    bool    known;      /* false: nothing was measured */
} skein_usage;

/* The surroundings of a message; everything except the message itself is optional. */
typedef struct skein_message_facts {
    skein_str  *seen_by; /* names of agents that have the message in memory */
    size_t      seen_by_count;
    skein_str  *original_ids; /* of an edit or a squash */
    size_t      original_count;
    skein_str   previous_uid; /* the previous message in this version */
    int64_t     reply_count;
    bool        memory_only; /* drives "[in-memory, no reply]" */
    skein_str   shown_reply; /* the message to show as its parent: follows edits and squashes */
    int64_t    *versions;    /* numbers of versions that contain it */
    size_t      version_count; /* newest first; at most 64 */
    skein_usage usage;         /* of the call that wrote it */
    /* Of the last message of an answer: the answers of its agent to the same message, itself among them, in order, where
     * there are several. Each is in a version of its own. */
    skein_str *alternatives;
    size_t     alternative_count;
} skein_message_facts;
/* Describes each message: facts[i], of the caller's array, for messages->at[i], all read in one snapshot. */
SKEIN_API skein_rc skein_message_explain(skein_engine *e, skein_conversation_id conversation,
                                         int64_t version, const skein_messages *messages,
                                         skein_mem *mem, skein_message_facts *facts,
                                         skein_error *err);

/* The alternatives of an answer as messages, the answer itself among them; none when it is the only one. The position of
 * those that the version does not hold is -1. */
SKEIN_API skein_rc skein_alternatives(skein_engine *e, skein_conversation_id conversation,
                                      int64_t version, skein_message_id of, skein_mem *mem,
                                      skein_messages *out, skein_error *err);

/* --- History ---------------------------------------------------------------------------------- */

/* All versions of a conversation, newest first. */
SKEIN_API skein_rc skein_history(skein_engine *e, skein_conversation_id conversation,
                                 skein_mem *mem, skein_versions *out, skein_error *err);
/* Reads a version by its number; 0 is the current one. */
SKEIN_API skein_rc skein_version_get(skein_engine *e, skein_conversation_id conversation,
                                     int64_t number, skein_mem *mem, skein_version *out,
                                     skein_error *err);
/* Finds the version of a thread by its public id ("t_…"). */
SKEIN_API skein_rc skein_version_of_thread(skein_engine *e, skein_conversation_id conversation,
                                           skein_str thread_uid, skein_mem *mem,
                                           skein_version *out, skein_error *err);

typedef enum skein_diff_kind {
    SKEIN_DIFF_REMOVED,
    SKEIN_DIFF_ADDED,
    SKEIN_DIFF_REPLACED, /* another version of the same message */
    SKEIN_DIFF_MOVED
} skein_diff_kind;

typedef struct skein_diff_entry {
    skein_diff_kind kind;
    skein_message   before; /* of REMOVED, REPLACED, MOVED */
    skein_message   after;  /* of ADDED, REPLACED, MOVED */
} skein_diff_entry;

typedef struct skein_diff {
    skein_diff_entry *at;
    size_t            count;
    int64_t           same; /* messages in both versions */
} skein_diff;

/* Compares two versions, by their numbers. */
SKEIN_API skein_rc skein_diff_versions(skein_engine *e, skein_conversation_id conversation,
                                       int64_t from, int64_t to, skein_mem *mem,
                                       skein_diff *out, skein_error *err);

/* --- Contexts for models -------------------------------------------------------------------- */

/* A file of a message, as its model is sent it. What is no image is in the text, or only named there. */
typedef struct skein_prompt_file {
    skein_attachment file;
    bool             seen; /* an image that the model sees */
    skein_str        data; /* its bytes as base64; absent where they were not asked for */
} skein_prompt_file;

typedef struct skein_prompt_message {
    skein_role       role; /* user, assistant or tool */
    skein_str        text;
    skein_tool_call *calls;
    size_t           call_count;
    skein_str        tool_call_id;
    skein_str        tool_name;
    skein_str  reasoning; /* of the message that it is, for the model that made it alone */
    bool       failed;    /* of a tool's result */
    bool       synthetic; /* not said by anyone: put in to keep the list valid */
    skein_str *sources;   /* public ids of the messages in it */
    size_t     source_count;
    skein_prompt_file *files;
    size_t             file_count;
} skein_prompt_message;

/* Tokens, estimated. */
typedef struct skein_context_parts {
    int64_t prompt, files, tools; /* 0 from skein_context_read */
    int64_t summary, results, messages;
} skein_context_parts;

typedef struct skein_context {
    int64_t               images; /* that messages carry, whether the model sees them or not */
    skein_prompt_message *at;
    size_t                count;
    skein_str             summary_uid; /* absent when nothing was compacted */
    int64_t               covered;     /* messages that the summary covers */
    int64_t stored; /* messages of the lane after those, the summary counted as one */
    int64_t tokens; /* estimated: of the messages; when skein asks models, of everything sent */
    int64_t limit;  /* number of messages at which it is summarised */
    int64_t
        fixed; /* of the tokens: everything besides the messages; 0 from skein_context_read */
    skein_context_parts parts;  /* their sum is `tokens` */
    int64_t             window; /* tokens that the model can read; -1: not known */
    skein_str
            window_from; /* its source: "setting" "error" "provider" "table"; absent: unknown */
    int64_t scale;       /* percent by which the parts exceed the plain estimate; 0: none */
    int64_t room;        /* tokens of the window that are free for the answer */
    bool    cut;         /* part of a text is left out: the slice allows less */
    skein_agent_id reader;    /* the agent that it is for; zero: none */
    bool           delegated; /* the lane is a delegation */
} skein_context;

/* Reads the context of a model: always a list that OpenAI and Anthropic accept, whatever the store contains. A count
 * in the slice is the length of the lane to read; its first position is ignored. */
SKEIN_API skein_rc skein_context_read(skein_engine *e, const skein_slice *what, skein_mem *mem,
                                      skein_context *out, skein_error *err);

/* A summary of a lane, and how many of its first messages it covers. */
typedef struct skein_summary {
    skein_message message;
    int64_t       covers;
    skein_str     agent; /* whose memory it covers; only from skein_summary_memories */
} skein_summary;

typedef struct skein_summaries {
    skein_summary *at;
    size_t         count;
} skein_summaries;

/* The summaries of a lane (or of an agent's memory), newest first; at most 1000. */
SKEIN_API skein_rc skein_summary_list(skein_engine *e, const skein_slice *what, skein_mem *mem,
                                      skein_summaries *out, skein_error *err);

/* Lists the summaries of all agents' memories of a conversation, newest first. They are not messages of the main
 * lane. */
SKEIN_API skein_rc skein_summary_memories(skein_engine *e, skein_conversation_id conversation,
                                          skein_mem *mem, skein_summaries *out,
                                          skein_error *err);

/* --- Replies ------------------------------------------------------------------------------------ */

typedef struct skein_reply_node {
    skein_message message;
    int64_t       parent; /* index in the list; -1 for a root */
    int           depth;  /* 0 for a root */
    int64_t       replies;
    bool          unanswered;
    bool          memory_only;
} skein_reply_node;

typedef struct skein_reply_tree {
    skein_reply_node *at; /* parents before children, children in order of the thread */
    size_t            count;
    int               depth; /* levels */
    int64_t           unanswered;
} skein_reply_tree;

/* The replies under a message (zero: all of the version), by lineage, in this version. */
SKEIN_API skein_rc skein_reply_tree_read(skein_engine *e, skein_conversation_id conversation,
                                         int64_t version, skein_message_id root, skein_mem *mem,
                                         skein_reply_tree *out, skein_error *err);
/* The replies to a message in this version, in order of the thread. */
SKEIN_API skein_rc skein_reply_children(skein_engine *e, skein_conversation_id conversation,
                                        int64_t version, skein_message_id of, skein_mem *mem,
                                        skein_messages *out, skein_error *err);
/* The messages above a reply, from its parent up to the root. */
SKEIN_API skein_rc skein_reply_ancestors(skein_engine *e, skein_conversation_id conversation,
                                         int64_t version, skein_message_id of, skein_mem *mem,
                                         skein_messages *out, skein_error *err);
/* The other replies to the same message. */
SKEIN_API skein_rc skein_reply_siblings(skein_engine *e, skein_conversation_id conversation,
                                        int64_t version, skein_message_id of, skein_mem *mem,
                                        skein_messages *out, skein_error *err);

typedef struct skein_pair_count {
    skein_str who, whom;
    int64_t   count;
} skein_pair_count;

typedef struct skein_busy_thread {
    skein_message root;
    int64_t       messages;
    int           depth;
} skein_busy_thread;

typedef struct skein_stats {
    int64_t            messages, tool_results, replies, roots, unanswered, memory_only;
    int                depth;             /* levels of the deepest reply thread */
    double             replies_a_message; /* replies divided by messages */
    skein_pair_count  *answers;           /* who answers whom, most first */
    size_t             answer_count;
    skein_pair_count  *senders; /* who wrote how many; whom is absent */
    size_t             sender_count;
    skein_busy_thread *busiest; /* at most 10, most messages first */
    size_t             busiest_count;
} skein_stats;

/* Counts messages and replies under a message (zero: all of the version). */
SKEIN_API skein_rc skein_stats_read(skein_engine *e, skein_conversation_id conversation,
                                    int64_t version, skein_message_id root, skein_mem *mem,
                                    skein_stats *out, skein_error *err);

/* A group of a version's messages: of a sender, of a day, or of a reply thread. */
typedef struct skein_stats_group {
    skein_str        key;  /* the sender, or the day as "2026-11-15"; absent: a reply thread */
    skein_message_id root; /* its first message; of a reply thread: its root */
    int64_t          messages, replies, unanswered;
    int64_t          answered, wait_ms; /* messages with a reply; their total waiting time */
    int64_t          first_at, last_at;
    int              depth; /* levels */
} skein_stats_group;

typedef struct skein_stats_groups {
    skein_stats_group *at;
    size_t             count;
} skein_stats_groups;

typedef enum skein_stats_by {
    SKEIN_STATS_BY_AGENT, /* most messages first */
    SKEIN_STATS_BY_DAY,   /* in the order of the days, UTC */
    SKEIN_STATS_BY_THREAD /* in the order of the tree */
} skein_stats_by;

/* Counts the same messages as skein_stats_read, group by group. */
SKEIN_API skein_rc skein_stats_groups_read(skein_engine *e, skein_conversation_id conversation,
                                           int64_t version, skein_message_id root,
                                           skein_stats_by by, skein_mem *mem,
                                           skein_stats_groups *out, skein_error *err);

/* --- Search ------------------------------------------------------------------------------------- */

typedef enum skein_archived {
    SKEIN_ARCHIVED_ALSO,
    SKEIN_ARCHIVED_NOT,
    SKEIN_ARCHIVED_ONLY
} skein_archived;

typedef struct skein_search_request {
    size_t                size;         /* set by SKEIN_SEARCH_REQUEST_INIT */
    skein_world_id        world;        /* zero: all */
    skein_conversation_id conversation; /* zero: all of the world */
    skein_str query; /* words, "phrases", prefix*; all must occur. Absent: every message */
    bool      current_only;
    int64_t   limit;        /* 0: 50 */
    skein_message_id below; /* set: only older messages than this one */
    int64_t          looks; /* set: most messages to look at */
    /* Selects messages by their content; NULL: all. Must not call the engine. */
    bool (*wants)(const skein_message *m, void *arg);
    void          *arg;
    skein_archived archived; /* whether archived conversations are searched */
} skein_search_request;
#define SKEIN_SEARCH_REQUEST_INIT SKEIN_INIT(skein_search_request)

typedef struct skein_hit {
    skein_message      message;
    skein_conversation conversation;
    int64_t   version; /* the current one if it has the message, else where it was added */
    bool      in_current;
    skein_str snippet;
} skein_hit;

typedef struct skein_hits {
    skein_hit       *at;
    size_t           count;
    skein_message_id below;  /* where it ended, if older messages may match; else zero */
    int64_t          looked; /* number of messages that were looked at */
} skein_hits;

/* Finds messages of all versions by their words, newest first. */
SKEIN_API skein_rc skein_search(skein_engine *e, const skein_search_request *what,
                                skein_mem *mem, skein_hits *out, skein_error *err);

/* --- Timelines ---------------------------------------------------------------------------------- */

typedef skein_rc skein_timeline_use(skein_timelines *set, void *arg, skein_error *err);

/* Passes the timelines of a version to `use`, at the cost of the messages since the last call. `use` may read them,
 * and must neither change nor keep them. */
SKEIN_API skein_rc skein_timeline_visit(skein_engine *e, skein_conversation_id conversation,
                                        int64_t version, skein_timeline_use *use, void *arg,
                                        skein_error *err);
/* Copies the timelines of a version, at a cost that grows with their size. The copy is the caller's, for
 * skein_timelines_free. */
SKEIN_API skein_rc skein_timeline_read(skein_engine *e, skein_conversation_id conversation,
                                       int64_t version, skein_timelines **out,
                                       skein_error *err);

/* --- Tags and context files ------------------------------------------------------------------------ */

typedef struct skein_tag {
    skein_str name;
    skein_str control;     /* its control on the page: "button", "toggle", "choice" */
    skein_str instruction; /* type of the instruction it adds: "ResponseExpected" */
    skein_str target;
    bool      include_in_message; /* false: it only triggers an action */
    bool      active;             /* in the given conversation */
} skein_tag;

typedef struct skein_tags {
    skein_tag *at;
    size_t     count;
} skein_tags;

/* Creates a tag of the world, or changes the tag with that name. */
SKEIN_API skein_rc skein_tag_define(skein_engine *e, skein_world_id world, const skein_tag *tag,
                                    skein_error *err);
/* Sets all tags of a world at once and deletes all others. With a conversation, tag i is switched on or off there if
 * touch[i] is set (NULL: none). If a tag is invalid, *bad (may be NULL) is its index, otherwise the number of tags. */
SKEIN_API skein_rc skein_tag_replace(skein_engine *e, skein_world_id world,
                                     skein_conversation_id conversation, const skein_tags *tags,
                                     const bool *touch, size_t *bad, skein_error *err);
/* Deletes a tag from the world and from its conversations. */
SKEIN_API skein_rc skein_tag_forget(skein_engine *e, skein_world_id world, skein_str name,
                                    skein_error *err);
/* Lists the tags of the world; with a conversation, also which are active there. */
SKEIN_API skein_rc skein_tag_list(skein_engine *e, skein_world_id world,
                                  skein_conversation_id conversation, skein_mem *mem,
                                  skein_tags *out, skein_error *err);
/* Switches a tag on or off in a conversation. */
SKEIN_API skein_rc skein_tag_activate(skein_engine *e, skein_conversation_id conversation,
                                      skein_str name, bool active, skein_error *err);

typedef struct skein_context_file {
    skein_str  path;
    skein_str *items; /* none: the whole file */
    size_t     item_count;
    skein_str  prompt; /* what a model extracts for agents; absent: they get the file */
} skein_context_file;

typedef struct skein_context_files {
    skein_context_file *at;
    size_t              count;
} skein_context_files;

/* Adds a file, or parts of one, to the context files of a conversation; the same path again replaces it. */
SKEIN_API skein_rc skein_context_file_set(skein_engine *e, skein_conversation_id conversation,
                                          const skein_context_file *file, skein_error *err);
/* Sets all context files of a conversation at once; *bad as in skein_tag_replace. */
SKEIN_API skein_rc skein_context_file_replace(skein_engine              *e,
                                              skein_conversation_id      conversation,
                                              const skein_context_files *files, size_t *bad,
                                              skein_error *err);
/* Removes a file from the context files of a conversation, by its path. */
SKEIN_API skein_rc skein_context_file_remove(skein_engine         *e,
                                             skein_conversation_id conversation, skein_str path,
                                             skein_error *err);
/* Lists the context files of a conversation. */
SKEIN_API skein_rc skein_context_file_list(skein_engine *e, skein_conversation_id conversation,
                                           skein_mem *mem, skein_context_files *out,
                                           skein_error *err);

/* --- Checks ----------------------------------------------------------------------------------------- */

typedef struct skein_finding {
    skein_str invariant; /* its name, as in docs/model.md: "dense-positions" */
    skein_str text;      /* the place of the violation */
    skein_str sentence;  /* the sentence of the invariant */
} skein_finding;

typedef struct skein_check {
    skein_finding *at;
    size_t         count;
    int64_t        messages, threads, nodes, conversations, warnings;
    int64_t        ahead; /* messages dated more than a day ahead; allowed */
} skein_check;

/* Checks every invariant that a store can violate, on the whole store. */
SKEIN_API skein_rc skein_fsck(skein_engine *e, skein_mem *mem, skein_check *out,
                              skein_error *err);
/* Writes a copy of the store into a new file, while the store is in use. */
SKEIN_API skein_rc skein_backup(skein_engine *e, skein_str path, skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
