#include "cli/model_board.h"

#include <pthread.h>
#include <stdlib.h>

struct skn_model_board {
    const char        *only;
    pthread_mutex_t    mu;
    skn_arena         *mem; /* guarded by mu, as is all below; holds it */
    skn_provider_info *at;
    size_t             count;
    skn_str            usual;
};

skn_model_board *skn_model_board_new(const char *only)
{
    skn_model_board *b = skn_heap(sizeof *b);

    b->only = only;
    pthread_mutex_init(&b->mu, NULL);
    return b;
}

void skn_model_board_free(skn_model_board *b)
{
    if (!b)
        return;
    skn_arena_free(b->mem);
    pthread_mutex_destroy(&b->mu);
    free(b);
}

/* What the list gives belongs to the set, which goes on to change. */
static void keep(skn_provider_info *p, skn_arena *a)
{
    *p = (skn_provider_info){.name = skn_arena_copy(a, p->name),
                             .type = skn_arena_copy(a, p->type),
                             .place = skn_arena_copy(a, p->place),
                             .local = p->local,
                             .state = p->state};
}

void skn_model_board_put(skn_model_board *b, skn_provider_set *set)
{
    skn_arena         *mem = skn_arena_new(), *old;
    skn_provider_info *at;
    size_t             count;
    skn_str            usual;

    skn_provider_set_list(set, mem, &at, &count);
    for (size_t i = 0; i < count; i++)
        keep(&at[i], mem);
    usual = skn_arena_copy(mem, skn_provider_set_default_model(set));
    pthread_mutex_lock(&b->mu);
    old = b->mem;
    b->mem = mem;
    b->at = at;
    b->count = count;
    b->usual = usual;
    pthread_mutex_unlock(&b->mu);
    skn_arena_free(old);
}

static const skn_provider_info *provider_locked(const skn_model_board *b, skn_str model)
{
    skn_str name = SKN_NONE;

    if (!skn_str_split(&model, '/', &name))
        return NULL;
    for (size_t i = 0; i < b->count; i++)
        if (skn_str_eq(b->at[i].name, name))
            return &b->at[i];
    return NULL;
}

void skn_model_board_find(skn_model_board *b, skn_str model, skn_arena *a,
                          skn_api_answerer *out)
{
    const skn_provider_info *p;

    pthread_mutex_lock(&b->mu);
    model = b->only ? skn_str_of(b->only) : model.n ? model : b->usual;
    p = provider_locked(b, model);
    if (p && (p->state == SKN_PROVIDER_UNUSED || p->state == SKN_PROVIDER_NO_KEY))
        p = NULL; /* it would refuse */
    *out = (skn_api_answerer){.model = skn_arena_copy(a, model), .known = p != NULL};
    if (p) {
        out->scripted = skn_str_is(p->type, "scripted");
        out->local = p->local;
        out->host = skn_arena_copy(a, p->place);
    }
    pthread_mutex_unlock(&b->mu);
}
