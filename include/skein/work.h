/* work.h: people and agents at work: posting, who has to answer, turns, the queue, and the events of all changes.
 *
 * A post stores what was said and marks who has to answer in one transaction. A program that speaks
 * for agents takes such work, opens a turn, and stores its steps under the turn's lease; a turn that
 * was closed by somebody else (stopped, edited away, its lease run out) can store nothing more.
 * Whether a chat is busy is computed from open turns and waiting work, never stored. */
#ifndef SKEIN_WORK_H
#define SKEIN_WORK_H

#include <skein/change.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Events ----------------------------------------------------------------------------------- */

/* A change as an event. Sequence numbers rise in the order of commits, with gaps;
 * one that was read is followed only by greater ones. */
typedef struct skein_event {
    int64_t               seq;
    int64_t               at; /* microseconds UTC */
    skein_world_id        world;
    skein_str             world_name;
    skein_conversation_id chat; /* zero: it concerns the world */
    skein_str             chat_uid;
    skein_str             thread_uid; /* of the main lane, where it happened; may be absent */
    skein_str             cause; /* the message of a person that it comes from, or absent */
    skein_str             type;  /* "message.created" */
    skein_str             data;  /* a JSON object */
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

/* Reads events in order. The same events read again are the same bytes. A page that has many megabytes ends before its
 * limit; one without events is the end. */
SKEIN_API skein_rc skein_events_read(skein_engine *e, const skein_event_query *what,
                                     skein_mem *mem, skein_events *out, skein_error *err);
/* Tells the newest event (0: none yet), and the newest one that was forgotten: whoever saw no more than an older one
 * than that has missed some. */
SKEIN_API skein_rc skein_events_span(skein_engine *e, int64_t *newest, int64_t *forgotten,
                                     skein_error *err);
/* Forgets events that are older than a time in microseconds. */
SKEIN_API skein_rc skein_events_forget(skein_engine *e, int64_t before, int64_t *gone,
                                       skein_error *err);
/* Calls fn after every commit of this engine, on the thread that committed; fn must not call the
 * engine. One listener per engine, set before the engine is used by others; NULL takes it away. */
SKEIN_API void skein_on_commit(skein_engine *e, void (*fn)(void *arg), void *arg);
/* Reads a number that differs whenever this or any other process has changed the store since; cheap. */
SKEIN_API skein_rc skein_store_stamp(skein_engine *e, int64_t *stamp, skein_error *err);

/* --- Posting ---------------------------------------------------------------------------------- */

typedef struct skein_post {
    size_t                size; /* set by SKEIN_POST_INIT */
    skein_conversation_id chat;
    skein_new_message     message; /* of a person: role user. uid must be absent */
    skein_str client_id;   /* the sender's own name for it: the same again in this chat is
                                        stored once and answered with the first */
    bool      now;         /* even while agents are at work; else it waits in the queue then */
    skein_str model;       /* asked for this once, instead of the agents' own; may be absent */
    int64_t   most_tokens; /* of each answer, instead of the agents' own limit; 0: that */
} skein_post;
#define SKEIN_POST_INIT SKEIN_INIT(skein_post)

typedef struct skein_delivery {
    skein_str agent;
    skein_str state; /* queued inMemory answered failed */
    skein_str error; /* why it failed; absent when it did not */
    int64_t   failed_at;
    int64_t   stopped_at; /* it was stopped before it answered; 0: it was not */
} skein_delivery;

typedef struct skein_deliveries {
    skein_delivery *at;
    size_t          count;
} skein_deliveries;

typedef struct skein_posted {
    skein_message    message; /* of a queued one: id zero, the rest as it will be */
    bool             queued;
    bool             again; /* it was there before */
    skein_deliveries deliveries;
    int64_t          waiting; /* agents that have to answer */
} skein_posted;

/* Stores it, or queues it when agents are at work in the chat, and marks who has to answer: the
 * agents it names at the start of a line, or, when it names none, those with autoReply (in an
 * agent's own conversation that agent). All agents of the chat get it into their memory. */
SKEIN_API skein_rc skein_post_message(skein_engine *e, const skein_post *post, skein_mem *mem,
                                      skein_posted *out, skein_error *err);
/* A notice for the sender; no code: none. */
typedef struct skein_notice {
    skein_str code; /* "no-agents", "all-paused" */
    skein_str text, hint;
} skein_notice;

/* Tells that nobody is there to answer what was posted, or that all who would are paused. */
SKEIN_API skein_rc skein_posted_notice(skein_engine *e, skein_world_id world,
                                       const skein_posted *posted, skein_mem *mem,
                                       skein_notice *out, skein_error *err);
/* Has one agent answer a message of the main lane once more, as it does after a failure or when it was stopped; nobody else
 * is asked, and what was said before stays. `without_tools`: it is offered none for this answer, as some models cannot
 * use any. SKEIN_CONFLICT when the agent has not heard it or it cannot be answered, SKEIN_AT_WORK while an answer is
 * awaited in the chat. */
SKEIN_API skein_rc skein_answer_again(skein_engine *e, skein_conversation_id chat,
                                      skein_message_id message, skein_agent_id agent,
                                      bool without_tools, skein_mem *mem, skein_posted *out,
                                      skein_error *err);
/* Tells who has a message, and what became of it there: for messages->at[i] into out[i] of the caller's array. */
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
/* A waiting message of a world as it will be, and where it waits; SKEIN_NOT_FOUND when none with this
 * id does. Whoever looks for a message looks here before and in the chat after, or may miss it in the
 * moment in which it is said. */
SKEIN_API skein_rc skein_queue_find(skein_engine *e, skein_world_id world, skein_str uid,
                                    skein_mem *mem, skein_posted *out, skein_conversation *home,
                                    skein_error *err);
/* Changes the text of a waiting message; SKEIN_NOT_FOUND when it waits no longer. */
SKEIN_API skein_rc skein_queue_edit(skein_engine *e, skein_conversation_id chat, skein_str uid,
                                    skein_str content, skein_error *err);
/* Takes a message from the queue; SKEIN_NOT_FOUND when it waits no longer. */
SKEIN_API skein_rc skein_queue_remove(skein_engine *e, skein_conversation_id chat,
                                      skein_str uid, skein_error *err);
/* Says a waiting message now, though agents are at work. */
SKEIN_API skein_rc skein_queue_send(skein_engine *e, skein_conversation_id chat, skein_str uid,
                                    skein_mem *mem, skein_posted *out, skein_error *err);

/* --- Turns ------------------------------------------------------------------------------------ */

/* An agent that has to answer something. */
typedef struct skein_due {
    int64_t               delivery; /* 0: it is a task */
    int64_t               task;     /* of agents.h; begun with skein_task_begin */
    skein_conversation_id chat; /* zero: a task of an agent whose background is not there yet */
    skein_agent_id        agent;
    skein_lane_id         lane;  /* of a delegation, else zero */
    skein_str             model; /* the one asked for, or the agent's, or absent */
} skein_due;

typedef struct skein_dues {
    skein_due *at;
    size_t     count;
} skein_dues;

/* Work that nobody does yet, oldest first, at most one of each agent and chat, none where a turn of
 * that agent is open. */
SKEIN_API skein_rc skein_work_due(skein_engine *e, size_t limit, skein_mem *mem,
                                  skein_dues *out, skein_error *err);

typedef enum skein_turn_state {
    SKEIN_TURN_OPEN,
    SKEIN_TURN_COMMITTED,
    SKEIN_TURN_FAILED,
    SKEIN_TURN_CANCELLED,
    SKEIN_TURN_INTERRUPTED /* its program went away */
} skein_turn_state;

/* Whom an open turn waits for. The numbers are those of the store. */
typedef enum skein_waits {
    SKEIN_WAITS_NOT = 0,
    SKEIN_WAITS_FOR_PERSON = 1, /* a call is to be allowed, or a limit to be exceeded */
    SKEIN_WAITS_FOR_MODEL = 2,  /* which could not answer just now, and is asked again */
    SKEIN_WAITS_TO_GO_ON = 3    /* a person has answered; its program has yet to see that */
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
    skein_str             lane_key;    /* "main.1"; absent unless it is a delegation */
    int64_t               task;        /* 0: none */
    skein_mode            mode;        /* of the conversation */
    skein_str             model;       /* as of the work; may be absent */
    skein_str             trigger_uid; /* the message it answers */
    skein_str             cause;       /* the person's message behind it */
    skein_str             message_uid; /* the id its next message of text gets */
    int64_t               hops_left;   /* answers in a row that may still follow */
    int64_t               since;       /* when it began */
    skein_str             tool;        /* what it does, as it is shown: the tool that runs, or
                                          whom it waits for; absent: it thinks or writes */
    skein_waits           waits;
    int64_t               waits_until; /* 0: that is not known */
    int64_t   lease_until;   /* its program speaks for it until then, or renews that */
    bool      writing;       /* text of its next message has come */
    skein_str inbox_uid;     /* the item with the decision that it waits for; or absent */
    bool      without_tools; /* its agent is offered none */
    int64_t   most_tokens;   /* of each of its answers, as a person has asked; 0: nobody has */
} skein_turn;

typedef struct skein_turns {
    skein_turn *at;
    size_t      count;
} skein_turns;

/* Takes the work and opens a turn for it, until lease_ms from now. SKEIN_NOTHING when it is no longer
 * due. `holder` names the program, for whoever looks. `model` is the one that will be asked. */
SKEIN_API skein_rc skein_turn_begin(skein_engine *e, int64_t delivery, skein_str holder,
                                    skein_str model, int64_t lease_ms, skein_mem *mem,
                                    skein_turn *out, skein_error *err);
/* Holds on to open turns, all of them until lease_ms from now; those that are open no longer are told
 * by kept[i] false. */
SKEIN_API skein_rc skein_turns_renew(skein_engine *e, const skein_turn *turns, size_t count,
                                     int64_t lease_ms, bool *kept, skein_error *err);

/* Says that the turn's message_uid is being written, for whoever looks; once it is stored that is over.
 * SKEIN_TURN_OVER as for a step. */
SKEIN_API skein_rc skein_turn_writing(skein_engine *e, const skein_turn *turn,
                                      skein_error *err);

/* Says that the turn's model is waited for, for whoever looks: `whom` are the words for that, absent: it is asked now.
 * `until`: when it is asked again (microseconds); 0: that is not known. What comes too late changes nothing. */
SKEIN_API skein_rc skein_turn_pause(skein_engine *e, const skein_turn *turn, skein_str whom,
                                    int64_t until, skein_error *err);

/* A piece of a message that a turn is writing: from this byte of its text, or of the thinking before it, on. */
typedef struct skein_piece {
    int64_t   turn, fence;
    skein_str message_uid;
    bool      thinking;
    int64_t   place;
    skein_str text;  /* is cut to what can be stored */
    bool      saved; /* false: its turn is over or has stored it, or it is to be tried again */
} skein_piece;

/* Saves what turns are writing, all in one transaction, for when their program goes away: whoever closes such a turn
 * keeps it as a message that was cut off, or stopped. It causes no event. */
SKEIN_API skein_rc skein_turns_save(skein_engine *e, skein_piece *pieces, size_t count,
                                    skein_error *err);

typedef struct skein_step {
    size_t                   size;    /* set by SKEIN_STEP_INIT */
    const skein_new_message *message; /* assistant or tool; sender, reply_to, model and turn are
                                         filled in from the turn where they are absent; an
                                         assistant's uid is the turn's message_uid */
    skein_str                finish;  /* of an assistant's message: stop length repeated tool */
    int64_t                  tokens_in, tokens_out; /* -1: not measured */
    bool                     last;                  /* closes the turn as committed */
    bool                     estimated;             /* the tokens are a guess */
    const struct skein_model_call *call; /* how it was asked for; kept with it. May be NULL */
    int64_t                        tokens_cached, tokens_written, cost; /* as in skein_usage */
} skein_step;
#define SKEIN_STEP_INIT SKEIN_INIT(skein_step)

/* Stores one step, whatever agents it names get work, and the events of it. SKEIN_TURN_OVER when the
 * turn is not open any more: then nothing was stored, and the turn is to be dropped. Fills in the id
 * of the turn's next message, which lives in mem. */
SKEIN_API skein_rc skein_turn_step(skein_engine *e, skein_turn *turn, const skein_step *step,
                                   skein_mem *mem, skein_message *stored, skein_error *err);
/* Closes a turn without a further step; `why` (may be NULL) is the reason of a failure. */
SKEIN_API skein_rc skein_turn_end(skein_engine *e, const skein_turn *turn,
                                  skein_turn_state state, const skein_error *why,
                                  skein_error *err);
/* The unfinished text of an agent, and the request to its model. */
typedef struct skein_partial {
    int64_t   turn;
    skein_str message_uid; /* what it writes; absent: whatever the turn is at */
    skein_str text, thinking;
    const struct skein_model_call *call; /* kept with it; may be NULL */
} skein_partial;

/* Closes a turn as failed for the reason `why`. What it has written so far is kept as a message that was cut off, and
 * told before the failure; nobody whom that names has to answer it. */
SKEIN_API skein_rc skein_turn_fail(skein_engine *e, const skein_turn *turn,
                                   const skein_error *why, const skein_partial *written,
                                   skein_error *err);
/* Closes a turn as interrupted, and keeps what it has written so far as skein_turn_fail does. What was to be answered
 * counts as not answered. */
SKEIN_API skein_rc skein_turn_leave(skein_engine *e, const skein_turn *turn,
                                    const skein_partial *written, skein_error *err);
/* The open turns of a chat, or of a whole world when chat is zero, or of all when both are. */
SKEIN_API skein_rc skein_turns_open(skein_engine *e, skein_world_id world,
                                    skein_conversation_id chat, skein_mem *mem,
                                    skein_turns *out, skein_error *err);

/* The turns of skein_turns_open, and all work that is due (of whatever world, at most `limit`), seen at one moment. */
SKEIN_API skein_rc skein_work_now(skein_engine *e, skein_world_id world,
                                  skein_conversation_id chat, size_t limit, skein_mem *mem,
                                  skein_turns *turns, skein_dues *dues, skein_error *err);

typedef struct skein_stop {
    size_t                size; /* set by SKEIN_STOP_INIT */
    skein_conversation_id chat;
    skein_agent_id        agent; /* zero: all of the chat */
    const skein_partial  *partials;
    size_t                partial_count;
} skein_stop;
#define SKEIN_STOP_INIT SKEIN_INIT(skein_stop)

/* Closes the open turns as cancelled, keeps what they had written so far, and takes back the work
 * that waits. Waiting messages of the queue go on. *stopped is how many turns and pieces of work. */
SKEIN_API skein_rc skein_work_stop(skein_engine *e, const skein_stop *what, int64_t *stopped,
                                   skein_error *err);
/* Closes open turns whose lease has run out (or ends more than a day from now: the clock was set back) as
 * interrupted; their steps stay. `all` closes every open turn, for a program that knows that no other
 * one speaks for agents on this store. Chats where that fails do not keep the others from it: the first
 * error is returned when all were tried. */
SKEIN_API skein_rc skein_turns_recover(skein_engine *e, bool all, int64_t *closed,
                                       skein_error *err);

/* --- Turns that wait for a person ---------------------------------------------------------------
 * Nothing runs in a turn whose call of a tool has yet to be allowed, nor in one that waits for such a
 * delegation only. They may outlive their program: it puts them down, and another one takes them over. */

/* Lets go of a turn that waits for a person: it stays open, and nobody holds it. *put is false for any other turn,
 * which is left as it was. */
SKEIN_API skein_rc skein_turn_put_down(skein_engine *e, const skein_turn *turn, bool *put,
                                       skein_error *err);
/* Does what skein_turns_recover does, but turns that wait for a person are taken over, until lease_ms from now,
 * instead of being closed: *taken are those, in mem. */
SKEIN_API skein_rc skein_turns_take_over(skein_engine *e, bool all, skein_str holder,
                                         int64_t lease_ms, skein_mem *mem, skein_turns *taken,
                                         int64_t *closed, skein_error *err);

/* The remaining work of a turn that was taken over. */
typedef struct skein_turn_rest {
    skein_tool_call *calls; /* of its last message */
    size_t           count;
    size_t           next;  /* the one that a person is asked about; count: none is left */
    size_t           begun; /* delegations whose ends it waits for */
} skein_turn_rest;

/* Reads what is left to do of a turn that was taken over. */
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

/* Keeps a failed edit: the last 100 of a world, each until its message is edited or removed. `at`: 0 is now. */
SKEIN_API skein_rc skein_edit_error_add(skein_engine *e, skein_world_id world,
                                        const skein_edit_error *what, skein_error *err);
/* How the ids of edits begin whose new text never came: see skein_edit_error_list. */
#define SKEIN_EDIT_HALF "eh_"
/* The failed edits of a world that are kept, and before them edits whose messages were removed a minute ago or more and
 * whose new text never came: who
 * made them crashed in between. The ids of those begin with SKEIN_EDIT_HALF; there is nothing to try again, but undo puts
 * the messages back. */
SKEIN_API skein_rc skein_edit_error_list(skein_engine *e, skein_world_id world, skein_mem *mem,
                                         skein_edit_errors *out, skein_error *err);

/* --- The trail ----------------------------------------------------------------------------------- */

/* A change of settings, providers, keys, tool servers or approvals, a purge, a removal, or somebody who was not let in:
 * written with the change. It holds no secret and nothing that was said. */
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

/* The trail: rows with an id below `before` (0: all), the newest first. Nothing removes them. */
SKEIN_API skein_rc skein_audit_list(skein_engine *e, int64_t before, size_t limit,
                                    skein_mem *mem, skein_audit_rows *out, skein_error *err);

/* --- Settings and kept answers ----------------------------------------------------------------- */

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

/* skein_setting_put, if all settings still are as they were listed; else SKEIN_VERSION_CHANGED. */
SKEIN_API skein_rc skein_setting_put_from(skein_engine *e, const skein_settings *was,
                                          const skein_setting *list, size_t count,
                                          skein_error *err);
/* How often settings were changed, by whomever. */
SKEIN_API skein_rc skein_setting_changes(skein_engine *e, int64_t *out, skein_error *err);

/* Instead of the status of an answer: its request has begun; it failed, and may be tried again; or an erasure has emptied
 * the answer: it was given, but what it said may be among what was erased. */
#define SKEIN_ANSWER_BEGUN  0
#define SKEIN_ANSWER_FAILED (-1)
#define SKEIN_ANSWER_ERASED (-2)

/* The answer that a request with a key got, for when it comes again. */
typedef struct skein_kept_answer {
    skein_str key;
    int64_t   request; /* a hash of what was asked */
    int64_t   status;
    skein_str head, body;
} skein_kept_answer;

/* Finds the answer that was kept under a key; *found is false when there is none. */
SKEIN_API skein_rc skein_answer_find(skein_engine *e, skein_str key, skein_mem *mem,
                                     skein_kept_answer *out, bool *found, skein_error *err);
/* Says that a request begins under this key, of all programs on the store for one alone: *begun is false for the others,
 * until it has failed or a day is over. */
SKEIN_API skein_rc skein_answer_begin(skein_engine *e, skein_str key, int64_t request,
                                      bool *begun, skein_error *err);
/* Keeps an answer for a day; older ones go. */
SKEIN_API skein_rc skein_answer_keep(skein_engine *e, const skein_kept_answer *answer,
                                     skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
