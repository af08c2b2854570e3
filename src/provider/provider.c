#include "provider/provider.h"

skn_asking *skn_ask_model(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink)
{
    return p->ops->ask(p, what, sink);
}

void skn_asking_cancel(skn_asking *a)
{
    if (a)
        a->provider->ops->cancel(a);
}

void skn_asking_so_far(const skn_asking *a, skn_answer *out)
{
    *out = (skn_answer){
        .state = SKN_ASK_STOPPED, .tokens_in = -1, .tokens_out = -1, .first_ms = -1};
    if (a->provider->ops->so_far)
        a->provider->ops->so_far(a, out);
}

void skn_provider_free(skn_provider *p)
{
    if (p)
        p->ops->free(p);
}

/* Its server says it, who may say anything: more than this is as good as no end, and safe to calculate with. */
#define WINDOW_MOST INT64_C(1000000000000)

int64_t skn_provider_window(skn_provider *p, skn_str model)
{
    int64_t n = p->ops->window ? p->ops->window(p, model) : 0;

    return n < WINDOW_MOST ? n : WINDOW_MOST;
}
