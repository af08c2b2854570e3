/* work.h: people and agents at work: posts, agents that have to answer, turns, the queue, and the events of all
 * changes.
 *
 * A post stores a message and marks the agents that have to answer, in one transaction. A program that runs agents
 * takes such work, opens a turn, and stores its steps under the turn's lease. A turn that was closed by others
 * (stopped, edited away, its lease expired) can store nothing more. Whether a chat is busy is computed from open
 * turns and waiting work, never stored. */
#ifndef SKEIN_WORK_H
#define SKEIN_WORK_H

#include <skein/change.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Events ----------------------------------------------------------------------------------- */

/* A change as an event. Sequence numbers rise in the order of commits, with gaps; after an event was read, only
 * greater ones follow. */
typedef struct skein_event {
    int64_t               seq;
    int64_t               at; /* microseconds UTC */
    skein_world_id        world;
    skein_str             world_name;
    skein_conversation_id chat; /* zero: the event concerns the world */
    skein_str             chat_uid;
    skein_str             thread_uid; /* of the main lane; may be absent */
    skein_str             cause;      /* the person's message that caused it, or absent */
    skein_str             type;       /* "message.created" */
    skein_str             data;       /* a JSON object */
} skein_event;

typedef struct skein_events {
    skein_event *at;
    size_t       count;
} skein_events;

typedef struct skein_event_query {
    size_t                size;  /* set by SKEIN_EVENT_QUERY_INIT */
    skein_world_id        world; /* zero: all */
    skein_conversation_id chat;  /* zero: all of the world */
    int64_t               after; /* only greater sequence numbers */
    size_t                limit; /* 0: 1000 */
} skein_event_query;
#define SKEIN_EVENT_QUERY_INIT SKEIN_INIT(skein_event_query)

/* Reads events in order. The same events read again have the same bytes. A page of many megabytes ends before its
 * limit; an empty page is the end. */
SKEIN_API skein_rc skein_events_read(skein_engine *e, const skein_event_query *what,
                                     skein_mem *mem, skein_events *out, skein_error *err);
/* Returns the newest event (0: none yet) and the newest deleted one. A reader whose last event is older than the
 * deleted one has missed events. */
SKEIN_API skein_rc skein_events_span(skein_engine *e, int64_t *newest, int64_t *forgotten,
                                     skein_error *err);
/* Deletes events that are older than a time in microseconds. */
SKEIN_API skein_rc skein_events_forget(skein_engine *e, int64_t before, int64_t *gone,
                                       skein_error *err);
/* Calls fn after every commit of this engine, on the thread that committed; fn must not call the engine. An engine
 * has one listener, set before others use the engine; NULL removes it. */
SKEIN_API void skein_on_commit(skein_engine *e, void (*fn)(void *arg), void *arg);
/* Reads a number that changes whenever this or another process has changed the store; cheap. */
SKEIN_API skein_rc skein_store_stamp(skein_engine *e, int64_t *stamp, skein_error *err);

/* --- Posting ---------------------------------------------------------------------------------- */

typedef struct skein_post {
    size_t                   size; /* set by SKEIN_POST_INIT */
    skein_conversation_id    chat;
    const skein_new_message *message; /* of a person: role user. uid must be absent */
    skein_str client_id;   /* the sender's own id of the message: sent again in this chat it
                            * is stored once, and answered with the first */
    bool      now;         /* even while agents are at work; otherwise it is queued then */
    skein_str model;       /* for this message, instead of the agents' own; may be absent */
    int64_t   most_tokens; /* of each answer, instead of the agents' own limit; 0: theirs */
} skein_post;
#define SKEIN_POST_INIT SKEIN_INIT(skein_post)

typedef struct skein_delivery {
    skein_str agent;
    skein_str state; /* queued inMemory answered failed */
    skein_str error; /* the reason of a failure; absent: none */
    int64_t   failed_at;
    int64_t   stopped_at; /* when it was stopped before it answered; 0: it was not */
} skein_delivery;

typedef struct skein_deliveries {
    skein_delivery *at;
    size_t          count;
} skein_deliveries;

typedef struct skein_posted {
    skein_message    message; /* of a queued message: id zero, the rest as it will be */
    bool             queued;
    bool             again; /* it was stored before */
    skein_deliveries deliveries;
    int64_t          waiting; /* agents that have to answer */
} skein_posted;

/* Stores a message, or queues it if agents are at work in the chat, and marks the agents that have to answer: those
 * named at the start of a line or, if none is named, those with autoReply (in an agent's own conversation that
 * agent). All agents of the chat get the message into their memory. */
SKEIN_API skein_rc skein_post_message(skein_engine *e, const skein_post *post, skein_mem *mem,
                                      skein_posted *out, skein_error *err);
/* A notice for the sender; no code: none. */
typedef struct skein_notice {
    skein_str code; /* "no-agents", "all-paused" */
    skein_str text, hint;
} skein_notice;

/* Returns a notice if no agent can answer the post, or all that would answer are paused. */
SKEIN_API skein_rc skein_posted_notice(skein_engine *e, skein_world_id world,
                                       const skein_posted *posted, skein_mem *mem,
                                       skein_notice *out, skein_error *err);
/* Asks one agent to answer a message of the main lane again, as after a failure or a stop. No other agent is asked,
 * and earlier messages stay. SKEIN_CONFLICT if the agent has not received the message or it cannot be answered,
 * SKEIN_AT_WORK while an answer is awaited in the chat. */
SKEIN_API skein_rc skein_answer_again(skein_engine *e, skein_conversation_id chat,
                                      const skein_again *what, skein_mem *mem,
                                      skein_posted *out, skein_error *err);
/* Reports the agents that received a message, and the state of their answers: of messages->at[i] in out[i] of the
 * caller's array. */
SKEIN_API skein_rc skein_deliveries_of(skein_engine *e, skein_conversation_id chat,
                                       const skein_messages *messages, skein_mem *mem,
                                       skein_deliveries *out, skein_error *err);
/* skein_deliveries_of in another version, by its number; 0 is the current one. */
SKEIN_API skein_rc skein_deliveries_in(skein_engine *e, skein_conversation_id chat,
                                       int64_t version, const skein_messages *messages,
                                       skein_mem *mem, skein_deliveries *out, skein_error *err);

/* --- The queue -------------------------------------------------------------------------------- */

/* A message that waits until the agents of its chat are done. */
typedef struct skein_waiting {
    skein_str uid; /* the id that the message will have */
    skein_str sender, content, reply_to, client_id;
    int64_t   created_at;
} skein_waiting;

typedef struct skein_queue {
    skein_waiting *at;
    size_t         count;
} skein_queue;

/* The queue of a chat, in order. */
SKEIN_API skein_rc skein_queue_list(skein_engine *e, skein_conversation_id chat, skein_mem *mem,
                                    skein_queue *out, skein_error *err);
/* Finds a queued message of a world by its id, as it will be, and its conversation; SKEIN_NOT_FOUND if none has this
 * id. Search here first and in the chat afterwards; otherwise a message that is sent in between is missed. */
SKEIN_API skein_rc skein_queue_find(skein_engine *e, skein_world_id world, skein_str uid,
                                    skein_mem *mem, skein_posted *out, skein_conversation *home,
                                    skein_error *err);
/* Changes the text of a queued message; SKEIN_NOT_FOUND if it is no longer queued. */
SKEIN_API skein_rc skein_queue_edit(skein_engine *e, skein_conversation_id chat, skein_str uid,
                                    skein_str content, skein_error *err);
/* Removes a message from the queue; SKEIN_NOT_FOUND if it is no longer queued. */
SKEIN_API skein_rc skein_queue_remove(skein_engine *e, skein_conversation_id chat,
                                      skein_str uid, skein_error *err);
/* Sends a queued message now, even while agents are at work. */
SKEIN_API skein_rc skein_queue_send(skein_engine *e, skein_conversation_id chat, skein_str uid,
                                    skein_mem *mem, skein_posted *out, skein_error *err);

/* --- Turns ------------------------------------------------------------------------------------ */

/* A piece of work for an agent. */
typedef struct skein_due {
    int64_t               delivery; /* 0: it is a task */
    int64_t               task;     /* see agents.h; started with skein_task_begin */
    skein_conversation_id chat;     /* zero: the agent's background does not exist yet */
    skein_agent_id        agent;
    skein_lane_id         lane;  /* of a delegation, else zero */
    skein_str             model; /* the requested model, or the agent's, or absent */
} skein_due;

typedef struct skein_dues {
    skein_due *at;
    size_t     count;
} skein_dues;

/* Lists work that nobody does yet, oldest first: at most one piece for each agent and chat, none while a turn of that
 * agent is open there. */
SKEIN_API skein_rc skein_work_due(skein_engine *e, size_t limit, skein_mem *mem,
                                  skein_dues *out, skein_error *err);

typedef enum skein_turn_state {
    SKEIN_TURN_OPEN,
    SKEIN_TURN_COMMITTED,
    SKEIN_TURN_FAILED,
    SKEIN_TURN_CANCELLED,
    SKEIN_TURN_INTERRUPTED /* its program ended */
} skein_turn_state;

/* What an open turn waits for. The numbers are those of the store. */
typedef enum skein_waits {
    SKEIN_WAITS_NOT = 0,
    SKEIN_WAITS_FOR_PERSON = 1, /* to allow a call, or to lift a limit */
    SKEIN_WAITS_FOR_MODEL = 2,  /* the model could not answer and is asked again */
    SKEIN_WAITS_TO_GO_ON = 3    /* a person has decided; the program has not seen it yet */
} skein_waits;

typedef struct skein_turn {
    int64_t               id;
    skein_str             uid; /* "turnId" */
    int64_t               fence;
    skein_turn_state      state;
    skein_world_id        world;
    skein_str             world_name;
    skein_conversation_id chat;
    skein_str             chat_uid;
    skein_agent_id        agent;
    skein_str             agent_name;
    skein_lane_id         lane;        /* of a delegation, else zero */
    skein_str             lane_key;    /* "main.1"; absent without a delegation */
    int64_t               task;        /* 0: none */
    skein_mode            mode;        /* of the conversation */
    skein_str             model;       /* requested with the work; may be absent */
    skein_str             trigger_uid; /* the message that it answers */
    skein_str             cause;       /* the person's message behind it */
    skein_str             message_uid; /* the id of its next message with a text */
    int64_t               hops_left;   /* answers in a row that may still follow */
    int64_t               since;       /* when it started */
    skein_str             tool;        /* what is shown: the running tool, or what it waits
                                        * for; absent: it thinks or writes */
    skein_waits           waits;
    int64_t               waits_until; /* 0: unknown */
    int64_t   lease_until;   /* until then its program holds it, unless it renews the lease */
    bool      writing;       /* text of its next message has arrived */
    skein_str inbox_uid;     /* the item whose decision it waits for; or absent */
    bool      without_tools; /* the agent is offered no tools */
    int64_t   most_tokens;   /* of each of its answers, as a person requested; 0: not set */
} skein_turn;

typedef struct skein_turns {
    skein_turn *at;
    size_t      count;
} skein_turns;

/* Takes the work and opens a turn for it, with a lease of lease_ms. SKEIN_NOTHING if the work is no longer due.
 * `holder` names the program for people; `model` is the one that will be asked. */
SKEIN_API skein_rc skein_turn_begin(skein_engine *e, int64_t delivery, skein_str holder,
                                    skein_str model, int64_t lease_ms, skein_mem *mem,
                                    skein_turn *out, skein_error *err);
/* Renews the leases of open turns, all to lease_ms from now; kept[i] is false for a turn that is no longer open. */
SKEIN_API skein_rc skein_turns_renew(skein_engine *e, const skein_turn *turns, size_t count,
                                     int64_t lease_ms, bool *kept, skein_error *err);

/* Shows that the turn's message_uid is being written, until it is stored. SKEIN_TURN_OVER as for a step. */
SKEIN_API skein_rc skein_turn_writing(skein_engine *e, const skein_turn *turn,
                                      skein_error *err);

/* Shows that the turn waits for its model: `whom` is the text for that; absent: the model is asked now. `until` is
 * the time of the next try (microseconds; 0: unknown). A late call changes nothing. */
SKEIN_API skein_rc skein_turn_pause(skein_engine *e, const skein_turn *turn, skein_str whom,
                                    int64_t until, skein_error *err);

/* A piece of unfinished text of a turn: the bytes of its text, or of its thinking, from `place`. */
typedef struct skein_piece {
    int64_t   turn, fence;
    skein_str message_uid;
    bool      thinking;
    int64_t   place;
    skein_str text;  /* cut to what can be stored */
    bool      saved; /* false: the turn is closed or has stored it, or save it again */
} skein_piece;

/* Saves unfinished texts in one transaction, in case their program ends: closing such a turn keeps its text as a
 * message that was cut off or stopped. It causes no event. */
SKEIN_API skein_rc skein_turns_save(skein_engine *e, skein_piece *pieces, size_t count,
                                    skein_error *err);

typedef struct skein_step {
    size_t                   size;    /* set by SKEIN_STEP_INIT */
    const skein_new_message *message; /* assistant or tool; absent sender, reply_to, model
                                       * and turn are filled in from the turn; an assistant's
                                       * uid is the turn's message_uid */
    skein_str                finish;  /* of an assistant's message: stop length repeated tool */
    int64_t                  tokens_in, tokens_out; /* -1: not measured */
    bool                     last;                  /* closes the turn as committed */
    bool                     estimated;             /* the tokens are estimated */
    const struct skein_model_call *call; /* the model call, stored with it; may be NULL */
    int64_t                        tokens_cached, tokens_written, cost; /* as in skein_usage */
} skein_step;
#define SKEIN_STEP_INIT SKEIN_INIT(skein_step)

/* Stores one step with its events, and gives work to the agents that it names. SKEIN_TURN_OVER if the turn is no
 * longer open: nothing was stored, and the turn must be dropped. Fills in the id of the turn's next message, which
 * lives in mem. */
SKEIN_API skein_rc skein_turn_step(skein_engine *e, skein_turn *turn, const skein_step *step,
                                   skein_mem *mem, skein_message *stored, skein_error *err);
/* Closes a turn without a further step; `why` (may be NULL) is the reason of a failure. */
SKEIN_API skein_rc skein_turn_end(skein_engine *e, const skein_turn *turn,
                                  skein_turn_state state, const skein_error *why,
                                  skein_error *err);
/* The unfinished text of an agent, and the request to its model. */
typedef struct skein_partial {
    int64_t   turn;
    skein_str message_uid; /* the message being written; absent: the turn's current one */
    skein_str text, thinking;
    const struct skein_model_call *call; /* stored with it; may be NULL */
} skein_partial;

/* Closes a turn as failed for the reason `why`. Its unfinished text is kept as a message that was cut off and is
 * reported before the failure; agents that it names do not have to answer it. */
SKEIN_API skein_rc skein_turn_fail(skein_engine *e, const skein_turn *turn,
                                   const skein_error *why, const skein_partial *written,
                                   skein_error *err);
/* Closes a turn as interrupted, and keeps its unfinished text as skein_turn_fail does. The message to answer counts
 * as not answered. */
SKEIN_API skein_rc skein_turn_leave(skein_engine *e, const skein_turn *turn,
                                    const skein_partial *written, skein_error *err);
/* Lists the open turns of a chat, of a world if chat is zero, or of all worlds if both are zero. */
SKEIN_API skein_rc skein_turns_open(skein_engine *e, skein_world_id world,
                                    skein_conversation_id chat, skein_mem *mem,
                                    skein_turns *out, skein_error *err);

/* Reads the turns of skein_turns_open and all due work (of all worlds, at most `limit`) at one moment. */
SKEIN_API skein_rc skein_work_now(skein_engine *e, skein_world_id world,
                                  skein_conversation_id chat, size_t limit, skein_mem *mem,
                                  skein_turns *turns, skein_dues *dues, skein_error *err);

typedef struct skein_stop {
    size_t                size; /* set by SKEIN_STOP_INIT */
    skein_conversation_id chat;
    skein_agent_id        agent; /* zero: all agents of the chat */
    const skein_partial  *partials;
    size_t                partial_count;
} skein_stop;
#define SKEIN_STOP_INIT SKEIN_INIT(skein_stop)

/* Closes the open turns as cancelled, keeps their unfinished text, and removes waiting work. Queued messages are then
 * sent. *stopped is the number of turns and pieces of work. */
SKEIN_API skein_rc skein_work_stop(skein_engine *e, const skein_stop *what, int64_t *stopped,
                                   skein_error *err);
/* Closes open turns as interrupted if their lease has expired (or ends more than a day from now: the clock was set
 * back); their steps stay. `all` closes every open turn, for a program that knows that no other one runs agents on
 * this store. A chat where this fails does not stop the others: the first error is returned at the end. */
SKEIN_API skein_rc skein_turns_recover(skein_engine *e, bool all, int64_t *closed,
                                       skein_error *err);

/* --- Turns that wait for a person ---------------------------------------------------------------
 * Nothing runs in a turn whose call of a tool has yet to be allowed, nor in one that waits for such a
 * delegation only. They may outlive their program: it puts them down, and another one takes them over. */

/* Releases a turn that waits for a person: it stays open without a holder. *put is false for any other turn, which
 * stays unchanged. */
SKEIN_API skein_rc skein_turn_put_down(skein_engine *e, const skein_turn *turn, bool *put,
                                       skein_error *err);
/* Does what skein_turns_recover does, but takes over turns that wait for a person, with a lease of lease_ms, instead
 * of closing them: *taken, in mem. */
SKEIN_API skein_rc skein_turns_take_over(skein_engine *e, bool all, skein_str holder,
                                         int64_t lease_ms, skein_mem *mem, skein_turns *taken,
                                         int64_t *closed, skein_error *err);

/* The remaining work of a turn that was taken over. */
typedef struct skein_turn_rest {
    skein_tool_call *calls; /* of its last message */
    size_t           count;
    size_t           next;  /* the call that a person is asked about; count: none */
    size_t           begun; /* delegations that it waits for */
} skein_turn_rest;

/* Reads the remaining work of a turn that was taken over. */
SKEIN_API skein_rc skein_turn_rest_read(skein_engine *e, const skein_turn *turn, skein_mem *mem,
                                        skein_turn_rest *out, skein_error *err);

/* --- Failed edits ----------------------------------------------------------------------------- */

typedef struct skein_edit_error {
    skein_str             uid;
    skein_conversation_id chat;
    skein_str             chat_uid, message_uid, operation, error;
    int64_t               at;
} skein_edit_error;

typedef struct skein_edit_errors {
    skein_edit_error *at;
    size_t            count;
} skein_edit_errors;

/* Stores a failed edit: the last 100 of a world, each until its message is edited or removed. `at`: 0 is now. */
SKEIN_API skein_rc skein_edit_error_add(skein_engine *e, skein_world_id world,
                                        const skein_edit_error *what, skein_error *err);
/* The start of the ids of edits whose new text was never sent: see skein_edit_error_list. */
#define SKEIN_EDIT_HALF "eh_"
/* Lists the failed edits of a world. First come edits whose messages were removed a minute ago or earlier and whose
 * new text was never sent, because their client crashed in between. Their ids start with SKEIN_EDIT_HALF; they cannot
 * be retried, but undo restores the messages. */
SKEIN_API skein_rc skein_edit_error_list(skein_engine *e, skein_world_id world, skein_mem *mem,
                                         skein_edit_errors *out, skein_error *err);

/* --- The audit trail ----------------------------------------------------------------------------- */

/* A row of the audit trail: a change of settings, providers, keys, tool servers or approvals, a purge, a removal, or
 * a refused sign-in; written with the change. It contains no secret and no message text. */
typedef struct skein_audit_row {
    int64_t   id;
    int64_t   at;                 /* microseconds UTC */
    skein_str who, from;          /* "owner", "127.0.0.1" */
    skein_str what, subject;      /* "world.change", "launch" */
    skein_str detail, request_id; /* may be absent */
} skein_audit_row;

typedef struct skein_audit_rows {
    skein_audit_row *at;
    size_t           count;
} skein_audit_rows;

/* Lists rows of the audit trail with an id below `before` (0: all), newest first. They are never removed. */
SKEIN_API skein_rc skein_audit_list(skein_engine *e, int64_t before, size_t limit,
                                    skein_mem *mem, skein_audit_rows *out, skein_error *err);

/* --- Settings and stored answers --------------------------------------------------------------- */

typedef struct skein_setting {
    skein_str key, value; /* the value is a JSON text */
} skein_setting;

typedef struct skein_settings {
    skein_setting *at;
    size_t         count;
} skein_settings;

/* All settings, by their keys. */
SKEIN_API skein_rc skein_setting_list(skein_engine *e, skein_mem *mem, skein_settings *out,
                                      skein_error *err);
/* Sets these settings, all or none; an absent value removes the key. */
SKEIN_API skein_rc skein_setting_put(skein_engine *e, const skein_setting *list, size_t count,
                                     skein_error *err);

/* Like skein_setting_put, if no setting has changed since they were listed; else SKEIN_VERSION_CHANGED. */
SKEIN_API skein_rc skein_setting_put_from(skein_engine *e, const skein_settings *was,
                                          const skein_setting *list, size_t count,
                                          skein_error *err);
/* Counts the changes of settings, by all programs. */
SKEIN_API skein_rc skein_setting_changes(skein_engine *e, int64_t *out, skein_error *err);

/* Instead of the status of a stored answer: the request has started; it failed and may be sent again; or an erasure
 * has emptied the answer, because its text may be among the erased ones. */
#define SKEIN_ANSWER_BEGUN  0
#define SKEIN_ANSWER_FAILED (-1)
#define SKEIN_ANSWER_ERASED (-2)

/* The stored answer to a request with a key, for when the request is repeated. */
typedef struct skein_kept_answer {
    skein_str key;
    int64_t   request; /* a hash of the request */
    int64_t   status;
    skein_str head, body;
} skein_kept_answer;

/* Finds the answer stored under a key; *found is false if there is none. */
SKEIN_API skein_rc skein_answer_find(skein_engine *e, skein_str key, skein_mem *mem,
                                     skein_kept_answer *out, bool *found, skein_error *err);
/* Starts a request under this key for one program alone: *begun is false for all others on the store, until the
 * request has failed or a day has passed. */
SKEIN_API skein_rc skein_answer_begin(skein_engine *e, skein_str key, int64_t request,
                                      bool *begun, skein_error *err);
/* Stores an answer for a day, and deletes older ones. */
SKEIN_API skein_rc skein_answer_keep(skein_engine *e, const skein_kept_answer *answer,
                                     skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
