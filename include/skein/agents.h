/* agents.h: agents at work by themselves: what they may do in a turn, delegations, tasks, their items for people,
 * their knowledge, and their model calls.
 *
 * Everything that a tool changes in the store is an act: the change and the tool's result are stored in one
 * transaction under the turn's lease. So an act happens exactly once, and a failed act changes nothing. */
#ifndef SKEIN_AGENTS_H
#define SKEIN_AGENTS_H

#include <skein/view.h>
#include <skein/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Acts ------------------------------------------------------------------------------------- */

typedef enum skein_act_kind {
    SKEIN_ACT_TELL,     /* tell_agent: agent, text, response_expected, reply_to */
    SKEIN_ACT_DELEGATE, /* delegate: agent (absent: the caller itself), text, title, wait */
    SKEIN_ACT_REQUEST_INPUT, /* request_input: text. To the lead, or to the person without a lead */
    SKEIN_ACT_REPORT,        /* report_to_lead: text */
    SKEIN_ACT_BRIEF,         /* create_inbox_item: type, title, summary, text */
    SKEIN_ACT_ASSIGN,        /* delegate_to_agent: agent (a subordinate), text */
    SKEIN_ACT_REMEMBER,      /* remember: type, text, confidence */
    SKEIN_ACT_FORGET         /* forget: text (a public id) */
} skein_act_kind;

typedef struct skein_act {
    size_t         size; /* set by SKEIN_ACT_INIT */
    skein_act_kind kind;
    skein_str      call_id; /* the call of the turn's last message that this answers */
    skein_str      agent;   /* the name of the other agent */
    skein_str      text, title, summary, type, reply_to;
    int64_t        confidence; /* percent; -1: not given */
    bool           response_expected, wait;
} skein_act;
#define SKEIN_ACT_INIT SKEIN_INIT(skein_act)

typedef struct skein_acted {
    skein_message result;  /* the tool's message; zero id: not there yet */
    bool          waiting; /* the turn waits for a delegation, whose end writes the result */
    skein_str     lane;    /* of a delegation: "main.1" */
    skein_str     uid;     /* of the new task, inbox item, knowledge item or message */
} skein_acted;

/* Does an act and stores its result. Errors that a model can handle (no such agent, no lead, not your subordinate,
 * too deep) are SKEIN_INVALID, SKEIN_NOT_FOUND, SKEIN_LIMIT or SKEIN_CONFLICT: the caller stores them as the result
 * of the tool. SKEIN_TURN_OVER as for a step. */
SKEIN_API skein_rc skein_turn_act(skein_engine *e, skein_turn *turn, const skein_act *act,
                                  skein_mem *mem, skein_acted *out, skein_error *err);
/* Counts the calls of the turn's last message that have no result yet; 0: everything that it waited for has ended. */
SKEIN_API skein_rc skein_turn_waits(skein_engine *e, const skein_turn *turn, int64_t *open,
                                    skein_error *err);

/* --- Delegations -------------------------------------------------------------------------------- */

typedef struct skein_delegation {
    skein_conversation_id chat;
    skein_str             chat_uid;
    skein_str             key, parent_key; /* "main.1.2", "main.1" */
    skein_str             agent, asked_by;
    skein_str             title;
    skein_str             spawn_call_id, spawn_message_uid;
    skein_lane_state      state;
    bool                  waited; /* the turn that requested it waits for it */
    int64_t               messages;
    int64_t               created_at;
} skein_delegation;

typedef struct skein_delegations {
    skein_delegation *at;
    size_t            count;
} skein_delegations;

/* The delegations of a chat, the oldest first. */
SKEIN_API skein_rc skein_delegation_list(skein_engine *e, skein_conversation_id chat,
                                         skein_mem *mem, skein_delegations *out,
                                         skein_error *err);
/* Reads a delegation by its key: "main.1". */
SKEIN_API skein_rc skein_delegation_get(skein_engine *e, skein_conversation_id chat,
                                        skein_str key, skein_mem *mem, skein_delegation *out,
                                        skein_error *err);
/* Stops a delegation and those below it, and reports to the waiting agent that it was cancelled. Unfinished texts are
 * kept: the partials of `written`, which may be NULL. */
SKEIN_API skein_rc skein_delegation_cancel(skein_engine *e, skein_conversation_id chat,
                                           skein_str key, const skein_stop *written,
                                           skein_error *err);
/* Restarts a delegation that ended without success; its requester gets the result as a message. */
SKEIN_API skein_rc skein_delegation_retry(skein_engine *e, skein_conversation_id chat,
                                          skein_str key, skein_error *err);

/* --- Messages from outside ----------------------------------------------------------------------- */

/* Input of skein_tell_agent. `from` is an agent's name, or absent for a person. */
typedef struct skein_tell {
    size_t         size; /* set by SKEIN_TELL_INIT */
    skein_world_id world;
    skein_str      agent, from, text;
    bool           response_expected;
} skein_tell;
#define SKEIN_TELL_INIT SKEIN_INIT(skein_tell)

/* Stores a message in an agent's background and gives the agent a task that wakes it: tell_agent for a person or
 * another program. */
SKEIN_API skein_rc skein_tell_agent(skein_engine *e, const skein_tell *what, skein_mem *mem,
                                    skein_message *out, skein_error *err);

/* An answer that an agent or a person waits for. */
typedef struct skein_expected {
    skein_str asker, asked, message_uid, answer_uid,
        state; /* open answered surplus undeliverable */
    int64_t created_at;
} skein_expected;

typedef struct skein_expecteds {
    skein_expected *at;
    size_t          count;
} skein_expecteds;

/* Lists the awaited answers of a world, newest first; with an agent, those that it requested or owes. At most 1000. */
SKEIN_API skein_rc skein_expected_list(skein_engine *e, skein_world_id world,
                                       skein_agent_id agent, skein_mem *mem,
                                       skein_expecteds *out, skein_error *err);

/* --- Tasks ------------------------------------------------------------------------------------------ */

typedef struct skein_task {
    int64_t        id;
    skein_str      uid;
    skein_world_id world;
    skein_agent_id agent;
    skein_str      agent_name, assigned_by; /* a name; absent for a person or the system */
    skein_str      source; /* delegation user system self report question answer tell */
    skein_str      content, result, last_error;
    skein_str      status;    /* pending completed cancelled */
    bool           running;   /* a turn is working on it */
    bool           waits;     /* that turn waits for a person's decision */
    skein_str      inbox_uid; /* the item for that decision; absent for a limit of spending */
    int64_t        attempts, not_before, created_at, completed_at;
    skein_str      message_uid; /* in the agent's background; absent before the task started */
    skein_str waits_for; /* the agent's name or "human" that was asked and has not answered */
    skein_str question;  /* the question, shortened for display */
} skein_task;

typedef struct skein_tasks {
    skein_task *at;
    size_t      count;
} skein_tasks;

/* Gives an agent a task. Takes agent, source ("user" when absent) and content from *t, and fills in the rest. */
SKEIN_API skein_rc skein_task_new(skein_engine *e, skein_task *t, skein_mem *mem,
                                  skein_error *err);
/* Reads a task by its public id. */
SKEIN_API skein_rc skein_task_get(skein_engine *e, skein_world_id world, skein_str uid,
                                  skein_mem *mem, skein_task *out, skein_error *err);
/* The tasks of an agent, newest first; status absent: all. */
SKEIN_API skein_rc skein_task_list(skein_engine *e, skein_agent_id agent, skein_str status,
                                   size_t limit, skein_mem *mem, skein_tasks *out,
                                   skein_error *err);
/* Cancels a task and stops it if it is running; unfinished text is kept as in skein_delegation_cancel. */
SKEIN_API skein_rc skein_task_cancel(skein_engine *e, skein_world_id world, skein_str uid,
                                     const skein_stop *written, skein_mem *mem, skein_task *out,
                                     skein_error *err);
/* Restarts a task that failed, waits for an answer or was cancelled. It starts at once, as if it had never failed or
 * asked, and its result goes to its requester. SKEIN_CONFLICT if it is completed or running. */
SKEIN_API skein_rc skein_task_retry(skein_engine *e, skein_world_id world, skein_str uid,
                                    skein_mem *mem, skein_task *out, skein_error *err);
/* The tasks of agents->at[i] that were cancelled at `since` or later, oldest first. */
SKEIN_API skein_rc skein_tasks_cancelled(skein_engine *e, const skein_agents *agents,
                                         int64_t since, skein_mem *mem, skein_tasks *out,
                                         skein_error *err);
/* Takes a due task and opens a turn for it in the agent's background, which is created on first use; like
 * skein_turn_begin. SKEIN_NOTHING if the task is no longer due. */
SKEIN_API skein_rc skein_task_begin(skein_engine *e, int64_t task, skein_str holder,
                                    skein_str model, int64_t lease_ms, skein_mem *mem,
                                    skein_turn *out, skein_error *err);
/* Creates tasks for agents whose timer has expired. *next is the time of the next timer or of the next retry of a
 * task, whichever is first (microseconds; 0: none). */
SKEIN_API skein_rc skein_tasks_tick(skein_engine *e, int64_t *next, skein_error *err);

/* Pauses an agent or resumes it. A paused agent starts no new work; the work that it has started continues. Nobody
 * waits for its other work. */
SKEIN_API skein_rc skein_agent_pause(skein_engine *e, skein_agent_id agent, bool paused,
                                     skein_error *err);
/* Ends the pauses of retries, and gives an agent without work a task to look for work. */
SKEIN_API skein_rc skein_agent_wake(skein_engine *e, skein_agent_id agent, skein_error *err);
/* Gives an agent a task at this interval in milliseconds (0: never). */
SKEIN_API skein_rc skein_agent_timer(skein_engine *e, skein_agent_id agent, int64_t every_ms,
                                     skein_error *err);

typedef struct skein_agent_work {
    skein_agent_id agent;
    bool           paused;
    int64_t        pending; /* tasks, including the running one */
    int64_t        waiting; /* queued messages of people, sent when it is done */
    int64_t        run_every, next_run_at, last_completed_at; /* 0: none */
    int64_t        failed_at; /* when its last turn failed or was interrupted; 0: neither */
    skein_str      failure;   /* why */
    skein_str      failed_in; /* the conversation's uid */
    int64_t stopped_at; /* when its last turn was stopped before it answered; 0: not stopped */
} skein_agent_work;

/* Reports the work of agents: of agents->at[i] in out[i] of the caller's array. */
SKEIN_API skein_rc skein_agent_work_of(skein_engine *e, const skein_agents *agents,
                                       skein_mem *mem, skein_agent_work *out, skein_error *err);

/* --- Inbox --------------------------------------------------------------------------------------------- */

typedef struct skein_inbox_item {
    int64_t        id;
    skein_str      uid;  /* "in_…" */
    skein_str      kind; /* briefing question failure finished mention approval */
    skein_world_id world;
    skein_str      world_name, agent; /* may be absent */
    skein_str      title, content;
    skein_str      chat_uid, message_uid; /* in the foreground, or where it happened */
    skein_str      work_chat_uid, work_message_uid; /* the background work behind it */
    skein_str      briefing_uid, briefing;          /* the whole text; only of a briefing */
    skein_str      tool, args, call_id;             /* of an approval */
    skein_str      definition; /* of the tool, if a person must read it first; lists omit a long
                           * one */
    skein_str      definition_state; /* "new" or "changed"; absent: nothing to read */
    skein_str      task_uid;         /* the task that the item is about; may be absent */
    skein_str      answer;           /* the answer; "allowed" or "denied" for an approval */
    skein_str      reason;           /* what decided or ended it if no person did; or absent */
    skein_str result; /* the end of that call's result, at most 300 characters; absent before */
    bool      open;   /* an agent or a task waits for the answer */
    int64_t   read_at, done_at, snoozed_until, created_at;
} skein_inbox_item;

typedef struct skein_inbox {
    skein_inbox_item *at;
    size_t            count;
    int64_t           unread, needs_you; /* totals */
} skein_inbox;

typedef struct skein_inbox_query {
    size_t         size;   /* set by SKEIN_INBOX_QUERY_INIT */
    skein_world_id world;  /* zero: all */
    skein_str      kind;   /* absent: all */
    int            unread; /* 1: only those; 0: all */
    int       done;   /* -1: all; 0: not done and not snoozed; 1: only done; 2: only snoozed */
    skein_str before; /* a public id: only older ones */
    size_t    limit;  /* 0: 50 */
} skein_inbox_query;
#define SKEIN_INBOX_QUERY_INIT SKEIN_INIT(skein_inbox_query)

/* The inbox: questions, approvals and failures first, then newest first. */
SKEIN_API skein_rc skein_inbox_list(skein_engine *e, const skein_inbox_query *what,
                                    skein_mem *mem, skein_inbox *out, skein_error *err);
/* Reads an item of the inbox by its public id, or a briefing's. */
SKEIN_API skein_rc skein_inbox_get(skein_engine *e, skein_str uid, skein_mem *mem,
                                   skein_inbox_item *out, skein_error *err);

typedef struct skein_inbox_change {
    size_t  size;          /* set by SKEIN_INBOX_CHANGE_INIT */
    int     read, done;    /* -1: unchanged */
    int64_t snoozed_until; /* -1: unchanged; 0: not snoozed */
    bool    remove;
} skein_inbox_change;
#define SKEIN_INBOX_CHANGE_INIT SKEIN_INIT(skein_inbox_change)

/* Marks an item of the inbox as read or done, snoozes it or removes it. */
SKEIN_API skein_rc skein_inbox_set(skein_engine *e, skein_str uid,
                                   const skein_inbox_change *what, skein_mem *mem,
                                   skein_inbox_item *out, skein_error *err);
/* Marks all unread items of a world (zero: of all worlds) and of a kind (absent: any) as read; *count is their
 * number. */
SKEIN_API skein_rc skein_inbox_read_all(skein_engine *e, skein_world_id world, skein_str kind,
                                        int64_t *count, skein_error *err);
/* Answers a question: the agent gets the answer as a message in its background and is woken. Answers a briefing: the
 * answer becomes a message in the agent's foreground, and the agent replies. Decides an approval by "allow" or
 * "deny". SKEIN_CONFLICT if it was answered before. *message is zero for an approval. */
SKEIN_API skein_rc skein_inbox_answer(skein_engine *e, skein_str uid, skein_str text,
                                      skein_mem *mem, skein_inbox_item *out,
                                      skein_message *message, skein_error *err);
/* Adds an item to the inbox. Takes world, agent, kind, title, content and chat_uid from *item, and fills in the
 * rest. */
SKEIN_API skein_rc skein_inbox_add(skein_engine *e, skein_inbox_item *item, skein_mem *mem,
                                   skein_error *err);

/* --- Approvals ------------------------------------------------------------------------------------------- */

typedef enum skein_approval {
    SKEIN_APPROVAL_OPEN,
    SKEIN_APPROVED,
    SKEIN_DENIED,
    SKEIN_FORBIDDEN, /* by the settings of the world, which were changed meanwhile */
    SKEIN_OUTDATED /* it was allowed, but the tool is defined otherwise by now; or a limit was raised */
} skein_approval;

/* Asks the person whether a call of the turn's last message may run. A repeated question is the same item. */
SKEIN_API skein_rc skein_approval_ask(skein_engine *e, const skein_turn *turn,
                                      skein_str call_id, skein_mem *mem, skein_inbox_item *out,
                                      skein_error *err);
/* Reads a person's decision about a call; SKEIN_NOT_FOUND if nobody was asked. */
SKEIN_API skein_rc skein_approval_state(skein_engine *e, const skein_turn *turn,
                                        skein_str call_id, skein_approval *out,
                                        skein_error *err);

/* The definition of a tool by its server. */
typedef struct skein_tool_definition {
    size_t    size;         /* set by SKEIN_TOOL_DEFINITION_INIT */
    skein_str server, tool; /* the world's name of the server; the server's name of the tool */
    skein_str text; /* what a person is shown, as a JSON object; equal tools have equal texts */
} skein_tool_definition;
#define SKEIN_TOOL_DEFINITION_INIT SKEIN_INIT(skein_tool_definition)

/* Whether a person has allowed the tool with this definition in this world. */
SKEIN_API skein_rc skein_tool_allowed(skein_engine *e, skein_world_id world,
                                      const skein_tool_definition *what, bool *out,
                                      skein_error *err);
/* Like skein_approval_ask, for a tool of a tool server: a definition that was not allowed before is in the item, and
 * a person who allows the call also allows the definition. */
SKEIN_API skein_rc skein_approval_ask_defined(skein_engine *e, const skein_turn *turn,
                                              skein_str                    call_id,
                                              const skein_tool_definition *what, skein_mem *mem,
                                              skein_inbox_item *out, skein_error *err);
/* Like skein_approval_state, for a call of a tool with this definition. */
SKEIN_API skein_rc skein_approval_state_defined(skein_engine *e, const skein_turn *turn,
                                                skein_str                    call_id,
                                                const skein_tool_definition *what,
                                                skein_approval *out, skein_error *err);

/* Notes that an allowed call runs from now on: before this it is known not to have run. */
SKEIN_API skein_rc skein_approval_take(skein_engine *e, const skein_turn *turn,
                                       skein_str call_id, skein_error *err);

/* A limit of spending that a person may lift. */
typedef struct skein_limit {
    size_t         size;  /* set by SKEIN_LIMIT_INIT */
    skein_world_id world; /* the first world that reached it; the question is in its inbox */
    skein_str      key;   /* the limit and its period; each key is asked once */
    skein_str      title, content;
    bool
        waits; /* the turn waits for the answer: what was raised meanwhile is not asked again */
} skein_limit;
#define SKEIN_LIMIT_INIT SKEIN_INIT(skein_limit)

/* Asks the person, once for each key, whether to go on: an approval in the inbox, of no tool. *out is
 * what was answered, or SKEIN_OUTDATED; while that is open, who looks at the turn (may be NULL) sees that it waits. */
SKEIN_API skein_rc skein_limit_ask(skein_engine *e, const skein_limit *what,
                                   const skein_turn *turn, skein_mem *mem, skein_approval *out,
                                   skein_error *err);
/* Of the limits whose keys begin like this only these two (may be absent) are still reached: what people are asked and told
 * about the others is over, for this reason, and who waits goes on. Where such a limit is reached again it is asked again. */
SKEIN_API skein_rc skein_limits_lift(skein_engine *e, skein_str begin, const skein_str still[2],
                                     skein_str reason, skein_mem *mem, skein_error *err);
/* The answer about a limit; open also when nobody was asked. */
SKEIN_API skein_rc skein_limit_state(skein_engine *e, skein_str key, skein_approval *out,
                                     skein_error *err);

/* --- Knowledge ------------------------------------------------------------------------------------------- */

typedef struct skein_knowledge {
    skein_str uid, type, content;
    int64_t   confidence;            /* percent */
    skein_str chat_uid, message_uid; /* its source */
    int64_t   created_at;
} skein_knowledge;

typedef struct skein_knowledges {
    skein_knowledge *at;
    size_t           count;
} skein_knowledges;

/* Lists the knowledge of an agent, newest first; with words, only notes that contain them all, in any case. */
SKEIN_API skein_rc skein_knowledge_list(skein_engine *e, skein_agent_id agent, skein_str words,
                                        size_t limit, skein_mem *mem, skein_knowledges *out,
                                        skein_error *err);
/* Reads up to `limit` messages of an agent's background since knowledge was last taken from it. *from and *upto are
 * the marks before and after them, for skein_knowledge_take. */
SKEIN_API skein_rc skein_knowledge_due(skein_engine *e, skein_agent_id agent, size_t limit,
                                       skein_mem *mem, skein_messages *out, int64_t *from,
                                       int64_t *upto, skein_error *err);
/* Stores the items and moves the mark in one transaction; SKEIN_CONFLICT if the mark has moved since. A note that the
 * agent already has is not stored twice. `call` (may be NULL) is the model call for them, stored with them; its uid,
 * in mem, is filled in. */
SKEIN_API skein_rc skein_knowledge_take(skein_engine *e, skein_agent_id agent, int64_t from,
                                        int64_t upto, const skein_knowledge *items,
                                        size_t count, struct skein_model_call *call,
                                        skein_mem *mem, int64_t *stored, skein_error *err);

/* --- Model calls -------------------------------------------------------------------------------------- */

typedef struct skein_model_call {
    skein_str             uid; /* "call_…" */
    skein_world_id        world;
    skein_conversation_id chat;
    skein_agent_id        agent;
    int64_t               turn; /* 0: none */
    skein_str             chat_uid, agent_name;
    skein_str             message_uid; /* the message that it produced; absent: none */
    skein_str             purpose;     /* turn summary squash knowledge */
    skein_str             model;       /* "provider/model" */
    const skein_str *pieces; /* of the request, in order; only read by skein_model_call_get */
    size_t           piece_count;
    /* The messages in each part of the context, the system prompt not counted: their public ids apart by
     * blanks, each part ended by a line end. Absent: not known. Only read by skein_model_call_get. */
    skein_str made_of;
    skein_str response; /* the bytes as they came */
    skein_str state;    /* "answered", "rate-limit", … */
    skein_str error;
    int64_t   tokens_in, tokens_out;               /* -1: not measured */
    int64_t   tokens_cached, tokens_written, cost; /* as in skein_usage */
    bool      estimated;
    int64_t   first_ms, total_ms, tries;
    int64_t   created_at; /* when what it was sent was read; 0: total_ms before it is kept */
} skein_model_call;

typedef struct skein_model_calls {
    skein_model_call *at;
    size_t            count;
} skein_model_calls;

/* Keeps a call without a result, outside of turns. What was sent
 * before text was erased from the store is not kept, only that it was. */
SKEIN_API skein_rc skein_model_call_keep(skein_engine *e, const skein_model_call *call,
                                         skein_mem *mem, skein_str *uid, skein_error *err);
/* The calls for a message (its last one last) or, when that is absent, of an agent or all of the world (newest first),
 * without pieces and response; limit 0: 100. */
SKEIN_API skein_rc skein_model_call_list(skein_engine *e, skein_world_id world,
                                         skein_str message_uid, skein_agent_id agent,
                                         size_t limit, skein_mem *mem, skein_model_calls *out,
                                         skein_error *err);
/* Reads one call, by its public id or that of its message, with everything. */
SKEIN_API skein_rc skein_model_call_get(skein_engine *e, skein_world_id world, skein_str uid,
                                        skein_mem *mem, skein_model_call *out,
                                        skein_error *err);
/* Tokens of a world since a time, those that were estimated included. */
SKEIN_API skein_rc skein_tokens_spent(skein_engine *e, skein_world_id world, int64_t since,
                                      int64_t *tokens, skein_error *err);

/* What calls cost, in billionths of a US dollar; those whose price is not known cost nothing here. */
SKEIN_API skein_rc skein_cost_spent(skein_engine *e, skein_world_id world, int64_t since,
                                    int64_t *cost, skein_error *err);

/* What some of a world's calls used and cost together. */
typedef struct skein_cost {
    skein_str
        key; /* what they have in common: an agent's name, a chat's id, "2026-11"; absent: none */
    int64_t calls, tokens_in, tokens_cached, tokens_written, tokens_out;
    int64_t cost;     /* billionths of a US dollar */
    int64_t unpriced; /* of the calls: their price is not known, so it is not in `cost` */
} skein_cost;

typedef struct skein_costs {
    skein_cost *at;
    size_t      count;
} skein_costs;

/* The calls of a world, or of one of its conversations, since a time, by "world", "agent", "chat", "message", "turn", "model", "purpose",
 * "day" or "month"; the most expensive first, at most 10,000. */
SKEIN_API skein_rc skein_costs_read(skein_engine *e, skein_world_id world,
                                    skein_conversation_id conversation, int64_t since,
                                    skein_str by, skein_mem *mem, skein_costs *out,
                                    skein_error *err);

/* What one model cost since two times. */
typedef struct skein_model_use {
    skein_str model; /* "provider/model" */
    int64_t   cost, cost_today;
    int64_t   unpriced; /* calls whose price is not known */
} skein_model_use;

typedef struct skein_model_uses {
    skein_model_use *at;
    size_t           count;
} skein_model_uses;

/* What each model cost since a time, and since a later one, in all worlds. */
SKEIN_API skein_rc skein_models_used(skein_engine *e, int64_t since, int64_t today,
                                     skein_mem *mem, skein_model_uses *out, skein_error *err);

/* --- Summaries ------------------------------------------------------------------------------------------- */

/* The sources of a summary of a lane, fixed before a model is asked. */
typedef struct skein_compact_plan {
    skein_str     lane;
    int64_t       covers;
    skein_at      seen;
    skein_context context; /* what is covered, as a model may read it, an older summary first */
} skein_compact_plan;

/* Plans a summary of the main lane, another lane, or an agent's memory (what->agent). SKEIN_NOTHING when there is
 * nothing to cover: fewer than two messages beside an older summary before the last open tool exchange or turn. */
SKEIN_API skein_rc skein_compact_plan_read(skein_engine *e, const skein_slice *what,
                                           skein_mem *mem, skein_compact_plan *out,
                                           skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
