/* act.h: what agents do in the store in their turns: each act and the result of its tool in one transaction. Only
 * files of this folder include it.
 *
 * act.c takes the turn, runs the function of the act's kind, stores the result under the turn and moves it on. A
 * function writes rows and tells events; when it fails all of it is undone. An act that stores a message in another
 * conversation holds both and takes the one with the smaller id first (skn_acting.other), so that two agents who tell
 * each other something at once do not wait for each other forever.
 * Threads: one transaction's. Lifetimes: the transaction's arena. */
#pragma once

#include "engine/work/chat_work.h"

typedef struct skn_acting {
    skn_working      *w;    /* the turn's conversation */
    const skein_turn *turn; /* as its holder knows it */
    skn_turn_row      row;  /* as it is stored */
    const skein_act  *act;
    skein_agent       me;    /* who acts */
    skein_agent       other; /* whom the act concerns: id 0 when it names nobody */
    skein_acted      *out;
    skn_str           result;    /* what the tool answers the model */
    bool              no_result; /* it comes later: a delegation that is waited for */
} skn_acting;

typedef skein_rc skn_act_fn(skn_acting *c, skein_error *err);

/* act_tell.c and act.c */
skn_act_fn skn_act_tell, skn_act_delegate, skn_act_request_input, skn_act_report,
    skn_act_assign, skn_act_brief, skn_act_remember, skn_act_forget;

/* --- agent_work.c: an agent's own conversations ------------------------------------------------- */

/* Something said into an agent's background, and the task that wakes it. */
typedef struct skn_heard {
    int64_t                  agent;  /* who hears it */
    const char              *source; /* of the task */
    skn_str                  sender; /* an agent's name, "human" or "system" */
    int64_t                  by;     /* the agent that says it; 0: none */
    skn_str                  text;   /* as the message has it */
    const skein_instruction *instructions;
    size_t                   instruction_count;
    skn_str                  cause; /* the person's message behind it; may be absent */
    int64_t                  hops_left;
    int64_t                  task;  /* that waited for it and goes on; 0: it makes one */
    int64_t                  of[2]; /* messages whose words it repeats; 0: none */
} skn_heard;

/* A text with words before it that say whose it is, cut to what may be stored. */
skn_str skn_said_by(const skein_engine *e, skn_arena *a, skn_str prefix, skn_str text);
/* Locks the agent's conversation of a mode, which is made when it is not there. */
skein_rc skn_own_conversation(skn_working *w, int64_t agent, skein_mode mode,
                              skn_conversation_row *out, skein_error *err);
/* Stores the message and the task, and writes events for both; either may be NULL. *task is zero when there is no new one:
 * no hop is left, as
 * many tasks wait as may, or one continues it. Reports that nobody has begun with share one. */
skein_rc skn_background_say(skn_working *w, const skn_heard *what, skein_message *message,
                            skein_task *task, skein_error *err);

/* A subordinate's messages to its lead begin so, with its name between the two when it asks; skn_task_question takes
 * that off again. */
#define SKN_SUBORDINATE "Subordinate "
#define SKN_ASKS        " is asking: "

/* --- expect.c: answers that somebody waits for --------------------------------------------------- */

/* `asked` (0: people) is expected to answer this message of `asker`, whose task (0: none) waits for it. */
skein_rc skn_expect_answer(skn_working *w, const skein_agent *asker, int64_t asked,
                           int64_t message, int64_t task, skein_error *err);
/* The same of people, for the question that is asked in a turn: only a task waits for it. */
skein_rc skn_expect_person(skn_acting *c, skein_error *err);
/* `asked` has told `asker` something: the oldest open expectation is answered. *answered is false when
 * none was open. reply_to (0: none) names the question. */
skein_rc skn_expect_settle(skn_working *w, int64_t asker, int64_t asked, int64_t reply_to,
                           int64_t answer, bool *answered, skein_error *err);
/* In a chat the answer of an agent to the message that was put to it is the answer that is expected: *asker
 * is who waited for it, or 0. */
skein_rc skn_expect_answered(skn_working *w, int64_t question, int64_t asked, int64_t answer,
                             int64_t *asker, skein_error *err);
/* The pending task that waits for an answer; 0: none does. */
skein_rc skn_expect_waiting(skn_working *w, const skn_expected_row *row, int64_t *task,
                            skein_error *err);
/* The same for the answer that skn_expect_settle would find. */
skein_rc skn_expect_task(skn_working *w, int64_t asker, int64_t asked, int64_t reply_to,
                         int64_t *task, skein_error *err);
/* No answer will come: the task that waits for it gets the reason and continues. When none waits nothing happens. */
skein_rc skn_expect_none(skn_working *w, const skn_expected_row *row, skn_str why,
                         skein_error *err);
/* An agent goes: what it waits for, or owes, is undeliverable. */
skein_rc skn_expect_drop(skn_working *w, int64_t agent, skein_error *err);

/* --- delegation.c: how a delegation ends -------------------------------------------------------- */

/* A turn on a delegation's lane is closed: sets the lane's state and tells who asked for it, as the result
 * of the call while its turn is open and waits, else as a message that wakes it. Once for each run, when
 * no more work is left on the lane. text is why it did not succeed, or absent. */
skein_rc skn_delegation_over(skn_working *w, const skn_turn_row *row, skein_lane_state state,
                             skn_str text, skein_error *err);
/* The same for work on a lane that was never begun. */
skein_rc skn_delegation_dropped(skn_working *w, const skn_delivery_row *d, skein_error *err);

/* --- task.c: how a task goes on ------------------------------------------------------------ */

#define SKN_TASKS_MAX 1000 /* that wait for one agent */

/* Stores a task and writes its event; chat (may be NULL) is the agent's background. SKEIN_LIMIT when too many
 * wait. */
skein_rc skn_task_add(skn_working *w, skn_task_row *row, const skn_conversation_row *chat,
                      skein_error *err);
/* task.queued, task.started, task.waiting, task.finished; chat may be NULL. */
void skn_task_tell(skn_tx *tx, const skn_task_row *row, const skn_conversation_row *chat,
                   const char *type);
/* How a task ends. */
typedef struct skn_task_end {
    const char *status; /* completed cancelled */
    skn_str     result;
    int64_t     words; /* the message with its last words; 0: none */
    skn_str     why;   /* of one that is cancelled; may be absent */
} skn_task_end;

/* Ends a task with the turn that works on it; written is its text so far, NULL: the stored text. */
skein_rc skn_task_stop(skn_working *w, const skn_task_row *row, const skein_stop *written,
                       const skn_task_end *end, skein_error *err);
/* A turn that worked on a task is closed: it is completed with the answer, waits for somebody's, or is tried again
 * later. words is the message that has the text; 0: none. */
skein_rc skn_task_over(skn_working *w, const skn_turn_row *row, skein_turn_state state,
                       skn_str text, int64_t words, skein_error *err);

/* --- task.c: reports of how a task ended ------------------------------------------------------------- */

/* Reports that nobody else makes: to a lead whose subordinate has not reported, a person who was not briefed, who asked the
 * question that was a task that is cancelled. `task` is as it was before. */
skein_rc skn_task_report(skn_working *w, const skn_task_row *task, const skn_task_end *end,
                         skein_error *err);

/* --- inbox.c, approval.c: what is there for people -------------------------------------------------------- */

/* An item about a call of a turn, still without a text. */
skn_inbox_row skn_inbox_of(const skn_working *w, const skn_turn_row *turn, const char *kind,
                           skn_str call_id);
/* Stores an item and writes its event; created_at is given. */
skein_rc skn_inbox_new(skn_working *w, skn_inbox_row *row, skein_error *err);
/* inbox.created and inbox.updated, with how many are unread. row may be NULL: several of a world. */
skein_rc skn_inbox_tell(skn_working *w, int64_t world, const skn_inbox_row *row,
                        const char *type, skein_error *err);
/* A title on one line out of the beginning of a text. */
skn_str skn_inbox_title(skn_arena *a, skn_str text);
/* What a turn is shown at while the call that it waited for is answered, and nobody has gone on with it. Only to be
 * read by people. */
skn_str skn_approval_words(skn_arena *a, skn_str tool, bool allowed);
/* Answers what is asked about a call, for a reason that is not a person's; nothing happens when it was answered
 * meanwhile. Reads *asked again. */
skein_rc skn_approval_decide(skn_working *w, skn_inbox_row *asked, bool allow, skn_str reason,
                             skein_error *err);
/* Was the call allowed, and not begun? */
bool skn_approval_rests(const skn_inbox_row *asked);
/* A turn is closed: what was asked for its calls is not asked any more. */
skein_rc skn_approvals_close(skn_working *w, const skn_turn_row *row, skein_error *err);

/* --- world_change.c: what settings decide of what waits ------------------------------------------------------ */

/* Answers what is asked about a call, if the settings do; *asked is read again then. */
skein_rc skn_world_decide_one(skn_working *w, const skein_world *world, skn_inbox_row *asked,
                              skein_error *err);

/* --- agent_work.c ------------------------------------------------------------------------------------------ */

/* Pauses an agent and sets its timer, as the hours say. They are checked before. */
struct skn_agent_hours; /* engine.h */
skein_rc skn_agent_hours_check(const struct skn_agent_hours *hours, skein_error *err);
skein_rc skn_agent_hours_in(skn_working *w, skein_agent_id agent,
                            const struct skn_agent_hours *hours, skein_error *err);
/* An agent goes: its tasks are cancelled, and what it has put into the inbox goes with it. */
skein_rc skn_agent_left(skn_working *w, const skein_agent *agent, skein_error *err);

/* --- knowledge.c ------------------------------------------------------------------------------------------ */

/* Keeps an item for an agent; *stored is false when it has the same in mind. */
skein_rc skn_knowledge_keep(skn_working *w, skn_knowledge_row *row, bool *stored,
                            skein_error *err);

/* --- model_calls.c: what models were sent ------------------------------------------------------------------ */

/* Keeps a call with its pieces; turn, chat, agent and world are filled in by the caller. */
skein_rc skn_call_keep(skn_working *w, const skein_model_call *call, skn_str *uid,
                       skein_error *err);
/* The same for the outcome, in the transaction that stores that: `message` (may be absent) is it. Fills in
 * call->uid; call may be NULL. */
skein_rc skn_call_keep_with(skn_working *w, skein_model_call *call,
                            const skn_conversation_row *chat, skn_str message,
                            skein_error *err);
