/* shape_place.c: worlds, agents and conversations as JSON, and what agents are at. */
#include "base/shape_rows.h"
#include "engine/engine.h"

static const char *const mode_names[] = {"chat", "foreground", "background"};
static const char *const state_names[] = {"running", "done", "failed", "cancelled",
                                          "interrupted"};

const skn_enum skn_mode_names = SKN_ENUM(mode_names);
const skn_enum skn_lane_state_names = SKN_ENUM(state_names);

const char *skn_mode_name(skein_mode mode)
{
    return skn_enum_name(&skn_mode_names, (int)mode);
}

bool skn_mode_from(skn_str name, skein_mode *out)
{
    return skn_enum_from(&skn_mode_names, name, (int *)out);
}

bool skn_mode_ref(skn_str ref, skn_str *agent, skein_mode *mode)
{
    for (size_t i = ref.n; i-- > 0;)
        if (ref.p[i] == ':') {
            *agent = skn_str_sub(ref, 0, i);
            return skn_mode_from(skn_str_sub(ref, i + 1, ref.n), mode) && *mode != SKEIN_CHAT;
        }
    return false;
}

const char *skn_lane_state_name(skein_lane_state state)
{
    return skn_enum_name(&skn_lane_state_names, (int)state);
}

bool skn_lane_state_from(skn_str name, skein_lane_state *out)
{
    return skn_enum_from(&skn_lane_state_names, name, (int *)out);
}

const char *skn_turn_doing(const skein_turn *turn)
{
    if (turn->waits == SKEIN_WAITS_FOR_MODEL)
        return "waiting";
    return turn->tool.n ? "tool" : turn->writing ? "writing" : "thinking";
}

/* The newest: an agent that waits for a delegation to itself does what that does. */
static const skein_turn *turn_of(const skn_at_work *work, skein_agent_id agent)
{
    const skein_turn *newest = NULL;

    for (size_t i = 0; work && i < work->turns.count; i++) {
        const skein_turn *t = &work->turns.at[i];

        if (t->agent.v == agent.v && (!newest || t->id > newest->id))
            newest = t;
    }
    return newest;
}

static int64_t waits_for(const skn_at_work *work, skein_agent_id agent)
{
    int64_t n = 0;

    for (size_t i = 0; work && i < work->dues.count; i++)
        n += work->dues.at[i].agent.v == agent.v;
    return n;
}

static const skein_agent_work *work_of(const skn_at_work *work, skein_agent_id agent)
{
    for (size_t i = 0; work && i < work->agent_count; i++)
        if (work->agents[i].agent.v == agent.v)
            return &work->agents[i];
    return NULL;
}

/* Messages that wait for it, and its tasks: of these all are known, not only those that are due. */
static int64_t pending_of(const skn_at_work *work, skein_agent_id agent)
{
    const skein_agent_work *own = work_of(work, agent);
    int64_t                 n = own ? own->pending : 0;

    for (size_t i = 0; work && i < work->dues.count; i++)
        n += work->dues.at[i].agent.v == agent.v && !(own && work->dues.at[i].task);
    return n;
}

/* Its program went away. It still waits for a person. */
static bool is_left(const skn_at_work *work, const skein_turn *t)
{
    return t->waits != SKEIN_WAITS_FOR_PERSON && t->waits != SKEIN_WAITS_TO_GO_ON &&
           t->lease_until < work->left_before;
}

/* What an agent does is computed from its open turns and the work that waits for it; when there is none of either,
 * from how the last turn ended. */
skn_str skn_agent_state(const skn_at_work *work, skein_agent_id agent, skn_str *detail)
{
    const skein_agent_work *own = work_of(work, agent);
    const skein_turn       *turn = turn_of(work, agent);

    *detail = turn ? turn->tool : SKN_NONE;
    if (turn && is_left(work, turn)) {
        *detail = SKN_STR("no server runs it; the next one continues or ends it");
        return SKN_STR("interrupted");
    }
    if (turn)
        return skn_str_of(skn_turn_doing(turn));
    if (own && own->paused)
        return SKN_STR("paused");
    if (pending_of(work, agent))
        return SKN_STR("queued");
    if (!own || !own->failed_at)
        return SKN_STR("idle");
    *detail = own->failure;
    return SKN_STR("failed");
}

/* Until when that turn waits; 0: it does not, or that is not known. */
static int64_t agent_until(const skn_at_work *work, skein_agent_id agent)
{
    const skein_turn *turn = turn_of(work, agent);

    return turn && !is_left(work, turn) ? turn->waits_until : 0;
}

/* The inbox item whose answer that turn waits for, or absent. */
static skn_str agent_waits(const skn_at_work *work, skein_agent_id agent)
{
    const skein_turn *turn = turn_of(work, agent);

    return turn ? turn->inbox_uid : SKN_NONE;
}

/* What a client keeps in the settings, as JSON; absent: nothing. */
static skn_str setting(const skn_json *settings, const char *name)
{
    const skn_json *v = skn_json_get(settings, name);

    return v ? v->raw : SKN_NONE;
}

static void put_settings(skn_jw *w, const void *told)
{
    const skn_told_world *t = told;

    skn_world_settings_show(w, t->world.settings, t->scratch);
}

static void take_settings(const skn_json *v, void *told, skn_arena *a)
{
    (void)a;
    ((skn_told_world *)told)->world.settings = v->raw;
}

static void put_busy(skn_jw *w, const void *told)
{
    static const skein_turns none = {0};
    const skn_at_work       *work = ((const skn_told_world *)told)->work;

    skn_shape_busy(w, work ? &work->turns : &none, work ? work->now : 0);
}

static void put_agents(skn_jw *w, const void *told)
{
    const skn_told_world *t = told;

    skn_jw_array(w);
    for (size_t i = 0; i < t->agents->count; i++)
        skn_shape_agent_at_work(w, &t->agents->at[i], t->work, t->scratch);
    skn_jw_array_end(w);
}

static void put_chats(skn_jw *w, const void *told)
{
    const skn_told_world *t = told;

    skn_jw_array(w);
    for (size_t i = 0; i < t->chats->count; i++)
        skn_shape_chat(w, &t->chats->at[i]);
    skn_jw_array_end(w);
}

#include "engine/view/shapes/agent.def"
#include "engine/view/shapes/chat.def"
#include "engine/view/shapes/lane.def"
#include "engine/view/shapes/tag.def"
#include "engine/view/shapes/world.def"

void skn_shape_agent(skn_jw *w, const skein_agent *agent, skn_arena *scratch)
{
    skn_shape_agent_at_work(w, agent, NULL, scratch);
}

void skn_shape_agent_at_work(skn_jw *w, const skein_agent *agent, const skn_at_work *work,
                             skn_arena *scratch)
{
    static const skein_agent_work none = {0};
    const skein_agent_work       *own = work_of(work, agent->id);
    const skn_json               *settings = NULL;
    skn_told_agent                t = {.agent = *agent, .work = own ? *own : none};

    if (agent->settings.n &&
        skn_json_parse(&settings, agent->settings, "settings", scratch, NULL))
        settings = NULL;
    t.tools = setting(settings, "tools"); /* none: all that fit */
    t.temperature = setting(settings, "temperature");
    t.top_p = setting(settings, "topP");
    t.stop = setting(settings, "stop");
    t.seed = setting(settings, "seed");
    t.effort = setting(settings, "effort");
    t.thinking_tokens = setting(settings, "thinkingTokens");
    t.schema = setting(settings, "schema");
    t.max_tokens = setting(settings, "maxTokens"); /* none: as many as the model gives */
    t.images = setting(settings, "images");        /* none: as is known of the model */
    t.auto_reply = setting(settings, "autoReply");
    t.fallback = setting(settings, "fallback");
    t.prompt_facts = setting(settings, "promptFacts");
    t.until = agent_until(work, agent->id);
    t.inbox_uid = agent_waits(work, agent->id);
    t.state = skn_agent_state(work, agent->id, &t.detail);
    t.pending = pending_of(work, agent->id);
    if (own && work->no_tools)
        t.no_tools = work->no_tools[own - work->agents];
    if (own && work->problems)
        t.problem = work->problems[own - work->agents];
    if (!t.work.failed_at)
        t.work.failure = SKN_NONE;
    skn_shape_write(w, &skn_agent_shape, &t);
}

void skn_shape_world(skn_jw *w, const skein_world *world, const skein_agents *agents,
                     const skein_conversations *chats, skn_arena *scratch)
{
    skn_shape_world_at_work(w, world, agents, chats, NULL, scratch);
}

/* Work that waits for an agent of this world keeps it busy as much as an open turn does. */
bool skn_is_processing(const skn_at_work *work, const skein_agents *agents)
{
    for (size_t i = 0; work && i < agents->count; i++)
        if (waits_for(work, agents->at[i].id))
            return true;
    return work && work->turns.count > 0;
}

void skn_shape_world_at_work(skn_jw *w, const skein_world *world, const skein_agents *agents,
                             const skein_conversations *chats, const skn_at_work *work,
                             skn_arena *scratch)
{
    skn_shape_write(w, &skn_world_shape,
                    &(skn_told_world){.world = *world,
                                      .agents = agents,
                                      .chats = chats,
                                      .work = work,
                                      .session = world->current_chat.v != 0,
                                      .processing = skn_is_processing(work, agents),
                                      .answers = work ? work->answers : SKN_NONE,
                                      .scratch = scratch});
}

void skn_shape_file_members(skn_jw *w, const skein_context_file *file,
                            const skein_file_parts *parts)
{
    skn_jw_kstr(w, "path", file->path);
    skn_jw_kbool(w, "readFull", file->item_count == 0);
    skn_jw_kstrs(w, "items", file->items, file->item_count);
    skn_jw_kstr(w, "prompt", file->prompt);
    skn_jw_karray(w, "problems");
    for (size_t i = 0; parts && i < parts->count; i++) {
        if (!parts->at[i].note.p)
            continue;
        skn_jw_object(w);
        skn_jw_kstr(w, "item", parts->at[i].item);
        skn_jw_kstr(w, "detail", parts->at[i].note);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

void skn_shape_file(skn_jw *w, const skein_context_file *file, const skein_file_parts *parts)
{
    skn_jw_object(w);
    skn_shape_file_members(w, file, parts);
    skn_jw_object_end(w);
}
