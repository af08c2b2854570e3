/* One edit of a chat at a time. An edit takes away what was said later, so that a second one which came
 * meanwhile was thought of for a conversation that is about to be another: whoever sent it is told,
 * instead of being put in a queue. */
#include "http/inside.h"

skein_rc skn_edit_begin(skn_http_call *c, skn_editing *e)
{
    skn_http *h = c->http;
    bool      running = false;

    pthread_mutex_lock(&h->mu);
    for (const skn_editing *one = h->editing; one; one = one->next)
        running = running || one->chat.v == c->chat.id.v;
    if (!running) {
        *e = (skn_editing){c->chat.id, h->editing};
        h->editing = e;
    }
    pthread_mutex_unlock(&h->mu);
    if (!running)
        return SKEIN_OK;
    return skn_call_problem(c, 409, "edit-in-progress",
                            "another edit of chat \"%.*s\" is under way", SKN_FMT(c->chat.uid));
}

void skn_edit_end(skn_http_call *c, skn_editing *e)
{
    skn_http     *h = c->http;
    skn_editing **at;

    pthread_mutex_lock(&h->mu);
    for (at = &h->editing; *at != e;)
        at = &(*at)->next;
    *at = e->next;
    pthread_mutex_unlock(&h->mu);
}
