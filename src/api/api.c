#include "api/call.h"

skn_api *skn_api_new(const skn_api_options *o, const skn_route *more)
{
    skn_arena *mem = skn_arena_new();
    skn_api   *api = SKN_NEW(mem, skn_api);

    api->o = *o;
    api->mem = mem;
    api->tree = skn_tree_new(skn_routes, mem);
    if (more)
        skn_tree_add(api->tree, more, mem);
    pthread_mutex_init(&api->mu, NULL);
    return api;
}

void skn_api_free(skn_api *api)
{
    if (!api)
        return;
    pthread_mutex_destroy(&api->mu);
    skn_arena_free(api->mem);
}
