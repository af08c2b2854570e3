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

void skn_provider_free(skn_provider *p)
{
    if (p)
        p->ops->free(p);
}

int64_t skn_provider_window(skn_provider *p, skn_str model)
{
    return p->ops->window ? p->ops->window(p, model) : 0;
}
