/* chat_work.h: agents at work in a conversation: who has to answer, the events about it, and what happens when they
 * are done. Only files of this folder include it.
 *
 * Everything here runs in a transaction that holds the conversation. A conversation is at work while it has
 * deliveries that are queued or working; a delivery is working exactly while a turn is open for it. Closing any of
 * them settles in the same transaction: it reports that a person's message is answered, and sends queued messages.
 * Work queued for a paused agent rests: it blocks neither messages nor changes, and is removed with its message. A
 * delivery with a lane is a delegation's: it keeps nobody from speaking in the main lane, and its turn speaks on that
 * lane alone.
 * Threads: one transaction's. Lifetimes: the transaction's arena. */
#pragma once

#include "engine/core.h"
#include "engine/feed.h"

#define SKN_LEASE_MAX ((int64_t)86400 * 1000000) /* microseconds that a lease may last */

/* settle.c: locks the conversation, which is the one that w is about from here on. */
skein_rc skn_working_hold(skn_working *w, skein_conversation_id chat, skein_error *err);
/* For a caller that holds it already. */
void skn_working_at(skn_working *w, const skn_conversation_row *chat);

/* append.c: stores a message at the end of a lane (absent: main), and of the lanes of those who hear it; the
 * conversation, which need not be that of w, is held. Tells nothing: that is the caller's. */
skein_rc skn_message_say(skn_working *w, const skn_conversation_row *chat, skn_str lane,
                         const skein_new_message *n, skein_message *out, skein_error *err);

/* --- work_tell.c: events --------------------------------------------------------------------------- */

/* The activity of an agent: thinking, when a turn begins; idle, when it ends; failed, and why. */
void skn_tell_state(skn_working *w, const skein_turn *t, const char *state, skn_str detail);
/* The activity in a turn: thinking, writing, or running a named tool; with the item of the inbox where
 * that waits for a person (may be absent). */
void skn_tell_doing(skn_working *w, const skein_turn *t, skn_str item);
/* A message that was stored; lane: beside the main lane, or absent. */
void skn_tell_said(skn_working *w, const skein_message *m, skn_str lane, skn_str cause);
/* The delivery of a message to an agent: queued, inMemory, answered, failed. */
void skn_tell_delivered(skn_working *w, skn_str message, skn_str agent, const char *state,
                        skn_str cause);
/* The same of one that was stopped before it answered: it has the message in memory, and the event says since when. */
void skn_tell_stopped(skn_working *w, skn_str message, skn_str agent, skn_str cause);
void skn_tell_started(skn_working *w, const skein_turn *t);
/* An answer that was begun and will not come. */
void skn_tell_withdrawn(skn_working *w, const skein_turn *t);
void skn_tell_failed(skn_working *w, const skein_turn *t, const char *finish,
                     const skein_error *why);
/* An answer as it was stored; s (may be NULL) says what it cost. */
void skn_tell_completed(skn_working *w, const skein_turn *t, const skein_message *m,
                        skn_str finish, const skein_step *s);
/* A person's message keeps these at work. */
void skn_tell_busy(skn_working *w, skn_str cause, const skn_delivery_rows *rows);
/* The work that a person's message caused has ended. `left` is the work that remains. */
skein_rc skn_tell_idle(skn_working *w, skn_str cause, const skn_delivery_rows *left,
                       skein_error *err);
/* The queue, and the message that changed it. */
skein_rc skn_tell_queue(skn_working *w, skn_str changed, skein_error *err);

/* --- route.c: who has to answer -------------------------------------------------------------------- */

/* Who of a conversation has a message, and who of them has to answer it. */
typedef struct skn_routed {
    skein_agents agents; /* all that hear it */
    bool        *answers;
    size_t       count; /* how many have to answer */
} skn_routed;

/* Finds them for a message just stored: those it names; when a person's names none, those that reply
 * by themselves; never its author. */
skein_rc skn_route(skn_working *w, const skein_message *m, skn_routed *out, skein_error *err);
/* Takes out those who have yet to begin with work of the same cause in the main lane: they will see this too. */
skein_rc skn_route_merge(skn_working *w, skn_str cause, skn_routed *to, skein_error *err);
/* How a person wants something answered. */
typedef struct skn_saying {
    skn_str client_id, model;
    int64_t most_tokens;
    bool    idle; /* nobody is at work yet */
} skn_saying;

/* Writes that they have to; `asked` may be NULL. */
skein_rc skn_deliver(skn_working *w, const skein_message *m, const skn_routed *to,
                     skn_str cause, int64_t hops_left, const skn_saying *asked,
                     skein_error *err);
/* Reads the state of each message in each agent's memory. */
skein_rc skn_deliveries_read(skn_working *w, const skein_messages *messages,
                             skein_deliveries *out, skein_error *err);

/* --- post.c: saying something that is to be answered ------------------------------------------------- */

/* Routes a stored message of a person and writes its events. */
skein_rc skn_wake(skn_working *w, const skein_message *m, const skn_saying *s,
                  skein_posted *out, skein_error *err);
/* A message that waits, as it will be. */
void          skn_show_waiting(const skn_waiting_row *row, skn_arena *a, skein_posted *out);
skein_waiting skn_waiting_of(const skn_waiting_row *row, skn_arena *a);
/* Gives it another text. */
skein_rc skn_waiting_edit(skn_working *w, const skn_waiting_row *row, skn_str content,
                          skein_error *err);
/* Says what waited. */
skein_rc skn_say_waiting(skn_working *w, const skn_waiting_row *row, bool idle,
                         skein_posted *out, skein_error *err);
/* answer_again.c: refuses a model's name or a number of tokens that cannot be. */
skein_rc skn_again_check(const skein_again *what, skein_error *err);
/* Marks that an agent has to answer a message once more, as it was asked first, except for what `how` says. */
skein_rc skn_ask_again(skn_working *w, const skein_message *m, const skein_agent *agent,
                       const skein_again *how, skein_posted *out, skn_str *cause,
                       skein_error *err);
/* --- settle.c: closing ------------------------------------------------------------------------------ */

/* Drops what is queued for agents that are gone; `left` is what is queued or being worked on then, oldest
 * first. */
skein_rc skn_sweep(skn_working *w, skn_delivery_rows *left, skein_error *err);
/* Is it queued for an agent that is paused? Then nobody works on it, and nobody waits for it. */
bool skn_is_resting(const skn_delivery_row *d);
/* How many of them keep the main lane busy: those without a lane that do not rest. */
size_t skn_in_room(const skn_delivery_rows *rows);
/* Takes work away that nobody has begun; a delegation with it. */
skein_rc skn_work_drop(skn_working *w, const skn_delivery_row *d, skein_error *err);
/* Something that this message of a person caused is closed. */
void skn_note_over(skn_working *w, skn_str cause);
/* Closes an open turn and its delivery, and reports the outcome for the message; a delegation or a task that it
 * worked on is over, and unless it committed or was interrupted, so are delegations that it waits for. */
skein_rc skn_turn_shut(skn_working *w, const skn_turn_row *row, skein_turn_state state,
                       skn_delivery_state delivery, skn_str error, skein_error *err);
/* Closes an open turn as cancelled, and the delegations that it waits for; what w->written has of them is
 * kept. */
skein_rc skn_turn_cancel(skn_working *w, const skn_turn_row *row, skein_error *err);
/* Keeps the text of stopped agents and drops the rest of their work. agent 0: of
 * all. *stopped counts turns and deliveries that waited. */
skein_rc skn_work_cancel(skn_working *w, int64_t agent, const skein_stop *what,
                         int64_t *stopped, skein_error *err);
/* Cancels the work on a delegation's lane, and keeps the text in w->written; *turn is the one that was open there, or 0. */
skein_rc skn_lane_cancel(skn_working *w, const skn_delegation_row *d, int64_t *turn,
                         skein_error *err);
/* Tells which messages of persons are done with; `left` is what else is at work. */
skein_rc skn_tell_over(skn_working *w, skn_delivery_rows *left, skein_error *err);
/* Last in every transaction that closed something: tells that, and says what waited. */
skein_rc skn_settle(skn_working *w, skein_error *err);

/* --- turn.c ------------------------------------------------------------------------------------------------ */

/* Work that may start: deliveries, then tasks. */
skein_rc skn_due(skn_tx *tx, size_t limit, skn_arena *a, skein_dues *out, skein_error *err);
/* How a turn is held. */
typedef struct skn_holding {
    skn_str holder, model;
    int64_t lease_ms;
} skn_holding;

/* Opens a turn for a queued delivery of the conversation, and writes its event. */
skein_rc skn_turn_open(skn_working *w, const skn_delivery_row *d, const skn_holding *how,
                       skein_turn *out, skein_error *err);
/* Refuses a holder, a model's name or a lease that cannot be. */
skein_rc skn_holding_check(const skn_holding *how, skein_error *err);

/* Does it wait for a person, itself or in a delegation, while nothing of it runs? */
skein_rc skn_turn_waits(skn_working *w, const skn_turn_row *row, bool *waits, skein_error *err);
/* Holds such a turn from here on; *out is the turn, in mem. */
skein_rc skn_turn_take_over(skn_working *w, const skn_turn_row *row, const skn_holding *how,
                            skein_mem *mem, skein_turn *out, skein_error *err);

/* --- turn_step.c ---------------------------------------------------------------------------------------- */

/* The turn as it is stored; SKEIN_TURN_OVER unless it is open and this one. */
skein_rc skn_turn_look(skn_tx *tx, const skein_turn *turn, skn_arena *a, skn_turn_row *row,
                       skein_error *err);
/* The same, with its conversation locked. */
skein_rc skn_turn_take(skn_working *w, const skein_turn *turn, skn_turn_row *row,
                       skein_error *err);
/* Stores the result of one of its calls under an open turn, writes its event, and continues the turn. */
skein_rc skn_turn_result(skn_working *w, skn_turn_row *row, const skein_new_message *result,
                         skein_message *stored, skein_error *err);
/* The turn is about to be closed: those of its calls that have no result get one that says so, for nothing that
 * comes later is stored under it. */
skein_rc skn_turn_lose_calls(skn_working *w, const skn_turn_row *row, skein_error *err);

/* The last text that an agent said in a turn, and the message that has it; absent and 0 when there is none. */
skein_rc skn_turn_words(skn_working *w, const skein_turn *t, skn_str *out, int64_t *message,
                        skein_error *err);

/* --- turn_stop.c ---------------------------------------------------------------------------------------- */

/* The same with what w->written has of the turn, or else with what was saved of it as it came. */
skein_rc skn_keep_written(skn_working *w, const skn_turn_row *row, skein_unfinished why,
                          bool *kept, skein_error *err);

/* --- limit.c: how much a person's message may cause ---------------------------------------------------- */

/* So many answers in a row, and in all as many for each agent. */
typedef struct skn_budget {
    int64_t in_a_row, in_all, spent;
    bool    paused; /* that it is used up was said */
} skn_budget;

skein_rc skn_budget_read(skn_working *w, skn_str cause, size_t agents, skn_budget *out,
                         skein_error *err);

/* --- thread.c ------------------------------------------------------------------------------------------------ */

/* Makes the lane of a delegation: conversation, parent, spawning message and call, and agent are taken from
 * *row; number and key are given here. Tells nothing. */
skein_rc skn_lane_make(skn_tx *tx, const skn_lane_row *parent, int64_t now, skn_arena *a,
                       skn_lane_row *row, skein_error *err);

/* --- guard.c --------------------------------------------------------------------------------------------- */

/* The thread of a lane (0: main) in the version that is current; *f is made ready to read it. */
skein_rc skn_lane_thread(skn_working *w, int64_t lane, skn_trees *f, skn_thread *out,
                         bool *found, skein_error *err);
/* Is a message in it? */
skein_rc skn_lane_holds(skn_working *w, int64_t lane, int64_t message, bool *holds,
                        skein_error *err);
/* A chat (`what` is that, or its world), a world or an agent goes. SKEIN_AT_WORK while there is work for it, which force
 * drops. What waits in a chat that goes stays there. */
skein_rc skn_work_leave_chat(skn_working *w, const skn_conversation_row *chat, bool force,
                             const char *what, skein_error *err);
skein_rc skn_work_leave_world(skn_working *w, int64_t world, bool force, skein_error *err);
skein_rc skn_work_leave_agent(skn_working *w, int64_t agent, bool force, skein_error *err);
