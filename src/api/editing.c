/* One edit of a chat at a time. An edit takes away what was said later, so that a second one which came
 * meanwhile was thought of for a conversation that is about to be another: whoever sent it is told,
 * instead of being put in a queue. */
#include "api/call.h"

skein_rc skn_edit_begin(skn_api_call *c, skn_editing *e)
{
    skn_api *api = c->api;
    bool     running = false;

    pthread_mutex_lock(&api->mu);
    for (const skn_editing *one = api->editing; one; one = one->next)
        running = running || one->chat.v == c->chat.id.v;
    if (!running) {
        *e = (skn_editing){c->chat.id, api->editing};
        api->editing = e;
    }
    pthread_mutex_unlock(&api->mu);
    if (!running)
        return SKEIN_OK;
    return skn_call_problem(c, 409, "edit-in-progress",
                            "another edit of chat \"%.*s\" is under way", SKN_FMT(c->chat.uid));
}

void skn_edit_end(skn_api_call *c, skn_editing *e)
{
    skn_api      *api = c->api;
    skn_editing **at;

    pthread_mutex_lock(&api->mu);
    for (at = &api->editing; *at != e;)
        at = &(*at)->next;
    *at = e->next;
    pthread_mutex_unlock(&api->mu);
}
