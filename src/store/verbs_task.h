/* verbs_task.h: tasks of agents, their timers, and who of them is paused; part of the door (store.h
 * includes it).
 *
 * A task is pending until it is completed or cancelled; it runs while a turn is open for it, and waits while an
 * answer that it asked for is expected.
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_TASK_H
#define SKN_STORE_VERBS_TASK_H

#include <skein/agents.h>

#define SKN_BACK_OFF_MAX ((int64_t)3600 * 1000000) /* microseconds between two tries */

typedef struct skn_task_row {
    skein_task task;
    int64_t    assigned_by_id, message_id, hops_left;
    int64_t    call_message_id; /* has the call that gave it; 0: no agent did */
    int64_t    answer_id;       /* the last that was said to what it asked; 0: nothing */
    skn_str    cause;
} skn_task_row;

/* --- tasks: store_task.c --- */

/* Takes world, agent, source, content and created_at from row->task; fills its id and uid. */
skein_rc skn_task_insert(skn_tx *tx, skn_task_row *row, skn_arena *a, skein_error *err);
skein_rc skn_task_get(skn_tx *tx, int64_t id, skn_arena *a, skn_task_row *out, bool *found,
                      skein_error *err);
skein_rc skn_task_by_uid(skn_tx *tx, int64_t world, skn_str uid, skn_arena *a,
                         skn_task_row *out, bool *found, skein_error *err);
/* Newest first; status absent: all. */
skein_rc skn_task_list(skn_tx *tx, int64_t agent, skn_str status, size_t limit, skn_arena *a,
                       skein_tasks *out, skein_error *err);
/* Adds the oldest task that may be begun of each agent that is free for one, oldest first, at most
 * `limit`. */
skein_rc skn_task_due(skn_tx *tx, size_t limit, int64_t now, skn_arena *a, skein_dues *out,
                      skein_error *err);
/* May this one be begun? */
skein_rc skn_task_is_due(skn_tx *tx, int64_t id, int64_t now, bool *due, skein_error *err);
/* Completes or cancels it; *closed is false when it was closed before. */
skein_rc skn_task_close(skn_tx *tx, int64_t id, const char *status, skn_str result, int64_t now,
                        bool *closed, skein_error *err);
/* What came of it, while it is pending. */
skein_rc skn_task_reported(skn_tx *tx, int64_t id, skn_str result, skein_error *err);
/* It failed once more and is tried again later. */
skein_rc skn_task_put_off(skn_tx *tx, int64_t id, skn_str error, int64_t until,
                          skein_error *err);
/* Those of a world that were put off are tried now. */
skein_rc skn_tasks_hurry(skn_tx *tx, int64_t world, int64_t now, skein_error *err);
/* As if it had never failed or been cancelled; not one that is completed, nor while a turn is at it. */
skein_rc skn_task_again(skn_tx *tx, int64_t id, bool *changed, skein_error *err);
/* Those of an agent that were cancelled at `since` or later, oldest first, after what *out has. */
skein_rc skn_tasks_cancelled(skn_tx *tx, int64_t agent, int64_t since, skn_arena *a,
                             skein_tasks *out, skein_error *err);
/* How far it may go from here. */
skein_rc skn_task_hops(skn_tx *tx, int64_t id, int64_t left, skein_error *err);
/* The message that it became. */
skein_rc skn_task_said(skn_tx *tx, int64_t id, int64_t message, skein_error *err);
skein_rc skn_task_pending(skn_tx *tx, int64_t agent, int64_t *count, skein_error *err);
/* The oldest pending one of a source (0: none); fresh: only one that nobody has begun with. */
skein_rc skn_task_of_source(skn_tx *tx, int64_t agent, const char *source, bool fresh,
                            int64_t *id, skein_error *err);
/* The messages, from `first` on, of an agent's tasks that wait or were taken back, in order; without
 * the task `but`. */
skein_rc skn_task_unfinished(skn_tx *tx, int64_t agent, int64_t first, int64_t but,
                             skn_arena *a, skn_ids *out, skein_error *err);
/* Ends the back-offs of an agent's tasks. */
skein_rc skn_task_hurry(skn_tx *tx, int64_t agent, skein_error *err);
/* Cancels all that are pending. */
skein_rc skn_task_drop(skn_tx *tx, int64_t agent, int64_t now, skein_error *err);
/* When the next back-off ends; 0: none lasts. */
skein_rc skn_task_next(skn_tx *tx, int64_t now, int64_t *next, skein_error *err);

/* --- timers and pauses: store_task.c --- */

typedef struct skn_timer_row {
    int64_t agent, every, next; /* milliseconds; microseconds */
} skn_timer_row;

typedef struct skn_timer_rows {
    skn_timer_row *at;
    size_t         count;
} skn_timer_rows;

/* Those that have run out, or were set by a clock that has been set back since. */
skein_rc skn_timer_due(skn_tx *tx, int64_t now, skn_arena *a, skn_timer_rows *out,
                       skein_error *err);
/* When the next one runs out; 0: there is none. */
skein_rc skn_timer_next(skn_tx *tx, int64_t *next, skein_error *err);
/* Moves it on; *moved is false when somebody else did. */
skein_rc skn_timer_move(skn_tx *tx, const skn_timer_row *row, int64_t next, bool *moved,
                        skein_error *err);
/* Sets it; every 0 takes it away. *found is false when the agent is gone. */
skein_rc skn_timer_set(skn_tx *tx, int64_t agent, int64_t every, int64_t next, bool *found,
                       skein_error *err);
/* since 0: it is not paused any more. */
skein_rc skn_agent_paused(skn_tx *tx, int64_t agent, int64_t since, bool *found,
                          skein_error *err);
skein_rc skn_agent_work(skn_tx *tx, int64_t agent, skn_arena *a, skein_agent_work *out,
                        skein_error *err);

#endif
