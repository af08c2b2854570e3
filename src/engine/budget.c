/* budget.c: how much a person's message may cause, so that agents who answer each other come to an end. */
#include "engine/chat_work.h"

skein_rc skn_budget_read(skn_working *w, skn_str cause, size_t agents, skn_budget *out,
                         skein_error *err)
{
    skein_world world = {0};
    bool        found;
    skein_rc    rc = skn_world_get(w->tx, w->chat.world_id, w->a, &world, &found, err);

    out->in_a_row = skn_turn_limit(&world);
    out->in_all = out->in_a_row * (int64_t)agents;
    return rc ? rc
              : skn_delivery_spent(w->tx, cause, w->chat.id, &out->spent, &out->paused, err);
}
