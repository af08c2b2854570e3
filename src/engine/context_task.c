/* context_task.c: a context for a task. An agent's tasks are said in one conversation, and one that failed
 * is tried again long after it was said: what the model is asked must still be this task, and no other. */
#include "engine/reading.h"

#include <stdlib.h>

typedef struct desk {
    const skein_messages *all;
    skn_map             *answered; /* public ids of messages that an assistant's replies name */
    skn_ids              others;   /* messages of other unfinished tasks, in order */
    const skein_message *task;
    size_t               begins; /* where the turn's own messages begin */
} desk;

static int by_id(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return (a > b) - (a < b);
}

static bool is_other(const desk *d, const skein_message *m)
{
    return m->role == SKEIN_USER && d->others.count &&
           bsearch(&m->id.v, d->others.at, d->others.count, sizeof *d->others.at, by_id);
}

static bool is_task(const desk *d, const skein_message *m)
{
    return skn_str_eq(m->uid, d->task->uid);
}

static void look_around(desk *d, skn_str turn, skn_arena *a)
{
    d->begins = d->all->count;
    d->answered = skn_map_new(a);
    for (size_t i = d->all->count; i-- > 0;) {
        const skein_message *m = &d->all->at[i];

        if (m->role == SKEIN_USER)
            continue;
        if (turn.n && skn_str_eq(m->turn_uid, turn))
            d->begins = i;
        else if (m->role == SKEIN_ASSISTANT && m->reply_to.n)
            *skn_map_slot(d->answered, m->reply_to) = d;
    }
}

/* Does the turn begin with it as things are? Only what others said may stand between. */
static bool in_place(const desk *d)
{
    for (size_t i = d->begins; i-- > 0 && d->all->at[i].role == SKEIN_USER;)
        if (is_task(d, &d->all->at[i]))
            return true;
    return false;
}

/* What work was done for stays above that work. */
static bool left_out(const desk *d, const skein_message *m, bool stays)
{
    if (skn_map_get(d->answered, m->uid))
        return false;
    return is_task(d, m) ? !stays : is_other(d, m);
}

static void arrange(const desk *d, skn_arena *a, skein_messages *out)
{
    bool           stays = in_place(d);
    skein_message *to = SKN_ARRAY(a, d->all->count + 1, skein_message);
    size_t         n = 0;

    for (size_t i = 0; i <= d->all->count; i++) {
        if (i == d->begins && !stays)
            to[n++] = *d->task;
        if (i < d->all->count && !left_out(d, &d->all->at[i], stays))
            to[n++] = d->all->at[i];
    }
    *out = (skein_messages){to, n};
}

/* What the turn was begun with: the task, or what was said to a question of it, and then the task stands above. */
static skein_rc find_trigger(skn_reading *r, const skein_slice *what, const skn_task_row *task,
                             skein_message *out, bool *found, skein_error *err)
{
    skn_turn_row turn;
    int64_t      id = task->message_id;
    skein_rc     rc = skn_turn_open_on(r->trees.tx, what->conversation.v, task->task.agent.v, 0,
                                       r->trees.a, &turn, found, err);

    if (rc == SKEIN_OK && *found && skn_str_eq(turn.turn.uid, what->turn))
        id = turn.trigger_id;
    return rc ? rc : skn_message_get(r->trees.tx, id, r->trees.a, out, found, err);
}

skein_rc skn_context_task(skn_reading *r, const skein_slice *what, skein_messages *m,
                          skein_error *err)
{
    skn_arena     *a = r->trees.a;
    skein_messages all = *m;
    desk           d = {.all = &all};
    skn_task_row   row;
    skein_message  said;
    int64_t        first = 1;
    bool           found;
    skein_rc       rc = skn_task_get(r->trees.tx, what->task, a, &row, &found, err);

    if (rc || !found || !row.message_id ||
        (rc = find_trigger(r, what, &row, &said, &found, err)) || !found)
        return rc;
    d.task = &said;
    for (size_t i = 0; i < all.count; i++) {
        if (!i || all.at[i].id.v < first)
            first = all.at[i].id.v;
        if (is_task(&d, &all.at[i]))
            d.task = &all.at[i]; /* as it was edited since */
    }
    if ((rc = skn_task_unfinished(r->trees.tx, row.task.agent.v, first, what->task, a,
                                  &d.others, err)))
        return rc;
    look_around(&d, what->turn, a);
    arrange(&d, a, m);
    return SKEIN_OK;
}
