#include "base/arena.h"
#include "runtime/runtime.h"

static const struct guide {
    const char *name, *prompt, *settings, *lead;
} guides[] = {
    {"lead", "You are the team lead: you plan, and ask the others.", "{\"role\":\"team lead\"}",
     NULL},
    {"ada", "You do research: you find out, and say where it is from.",
     "{\"role\":\"research\"}", "lead"},
    {"bo", "You are the critic: you say what could be wrong.", "{\"role\":\"critic\"}", "lead"},
};

/* They name no model: they answer from the script until there is another one to ask. */
static skein_rc add_agents(skein_engine *e, const skein_world *world, skein_mem *mem,
                           skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; i < sizeof guides / sizeof *guides && !rc; i++) {
        skein_agent agent = {.world = world->id,
                             .name = skn_str_of(guides[i].name),
                             .system_prompt = skn_str_of(guides[i].prompt),
                             .lead_name = skn_str_of(guides[i].lead),
                             .settings = skn_str_of(guides[i].settings)};

        rc = skein_agent_new(e, &agent, mem, err);
    }
    return rc;
}

/* Each call is a transaction of its own; what an interrupted start left is a world that can be used
 * and removed like any other. */
skein_rc skn_tour_make(skein_engine *e, skein_world *out, bool *made, skein_error *err)
{
    skein_mem         *mem = skein_mem_new();
    skein_world        world = {.name = SKN_STR("tour"),
                                .description = SKN_STR("a tour of skein in five steps")};
    skein_worlds       worlds;
    skein_conversation chat;
    skein_rc           rc;

    *out = (skein_world){0};
    *made = false;
    if ((rc = skein_world_list(e, mem, &worlds, err)) || worlds.count > 0)
        goto out;
    if ((rc = skein_world_new(e, &world, mem, err)) || (rc = add_agents(e, &world, mem, err)) ||
        (rc = skein_chat_new(e, world.id, SKN_STR("Welcome"), mem, &chat, err)))
        goto out;
    *out = (skein_world){.id = world.id,
                         .name = SKN_STR("tour"),
                         .turn_limit = world.turn_limit,
                         .compact_at = world.compact_at,
                         .current_chat = chat.id,
                         .created_at = world.created_at};
    *made = true;
out:
    skein_mem_free(mem);
    return rc;
}
