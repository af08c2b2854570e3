/* What people have said to limits that are reached. It is in the store: it may have been said elsewhere, or before
 * this server began. */
#include "cli/provider_slots.h"

#include <stdlib.h>
#include <string.h>

typedef struct asked {
    skn_slot      *slot;
    char           limit[SKN_LIMIT_TEXT];
    skein_approval said;
} asked;

typedef struct look {
    skn_provider_set      *set;
    asked                 *at;
    size_t                 count;
    skn_provider_set_done *done;
    void                  *arg;
} look;

skein_approval skn_limit_said(const skn_slot *s)
{
    char limit[SKN_LIMIT_TEXT];

    skn_spending_limit(s, limit);
    return strcmp(limit, s->limit) ? SKEIN_APPROVAL_OPEN : s->said;
}

void skn_limit_note(skn_slot *s, const char limit[SKN_LIMIT_TEXT], skein_approval said)
{
    memcpy(s->limit, limit, SKN_LIMIT_TEXT);
    s->said = said;
}

/* One that stops asks nobody. */
static bool asks(const skn_slot *s)
{
    skein_error err;

    return s->plan && !s->plan->s.stops && skn_spending_over(s, &err);
}

/* What cannot be read is as it was. */
static void work_look(void *arg)
{
    look       *l = arg;
    skein_error err;

    for (size_t i = 0; i < l->count; i++)
        if (skein_limit_state(l->set->o.engine, skn_str_of(l->at[i].limit), &l->at[i].said,
                              &err))
            l->at[i].limit[0] = '\0';
}

static void looked(void *arg)
{
    look *l = arg;

    for (size_t i = 0; i < l->count; i++)
        if (l->at[i].limit[0])
            skn_limit_note(l->at[i].slot, l->at[i].limit, l->at[i].said);
    l->done(l->arg, NULL);
    free(l->at);
    free(l);
}

bool skn_provider_set_look(skn_provider_set *set, skn_provider_set_done *done, void *arg)
{
    look  *l;
    size_t count = 0;

    for (size_t i = 0; set->o.engine && i < set->slot_count; i++)
        count += asks(set->slots[i]);
    if (!count)
        return false;
    l = skn_heap(sizeof *l);
    *l = (look){.set = set, .at = skn_heap(count * sizeof *l->at), .done = done, .arg = arg};
    for (size_t i = 0; i < set->slot_count && l->count < count; i++)
        if (asks(set->slots[i])) {
            l->at[l->count].slot = set->slots[i];
            skn_spending_limit(set->slots[i], l->at[l->count++].limit);
        }
    skn_workers_run(set->o.workers, work_look, looked, l);
    return true;
}
