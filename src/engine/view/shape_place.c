#include "engine/engine.h"

#include "base/json.h"

static const char *const mode_names[] = {"chat", "foreground", "background"};
static const char *const state_names[] = {"running", "done", "failed", "cancelled",
                                          "interrupted"};

const char *skn_mode_name(skein_mode mode)
{
    return mode_names[mode];
}

bool skn_mode_from(skn_str name, skein_mode *out)
{
    for (int i = SKEIN_CHAT; i <= SKEIN_BACKGROUND; i++)
        if (skn_str_is(name, mode_names[i])) {
            *out = (skein_mode)i;
            return true;
        }
    return false;
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
    return state_names[state];
}

bool skn_lane_state_from(skn_str name, skein_lane_state *out)
{
    for (int i = SKEIN_LANE_RUNNING; i <= SKEIN_LANE_INTERRUPTED; i++)
        if (skn_str_is(name, state_names[i])) {
            *out = (skein_lane_state)i;
            return true;
        }
    return false;
}

/* What a client keeps in the settings, or the given text when it keeps nothing there. */
static void setting(skn_jw *w, const skn_json *settings, const char *name, skn_str otherwise)
{
    const skn_json *v = skn_json_get(settings, name);

    skn_jw_key(w, name);
    skn_jw_raw(w, v ? v->raw : otherwise);
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

/* Nobody speaks for it: its program went away. What waits for a person waits all the same. */
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
        *detail = SKN_STR("no server is at it; the next one goes on with it or ends it");
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

int64_t skn_agent_until(const skn_at_work *work, skein_agent_id agent)
{
    const skein_turn *turn = turn_of(work, agent);

    return turn && !is_left(work, turn) ? turn->waits_until : 0;
}

skn_str skn_agent_waits(const skn_at_work *work, skein_agent_id agent)
{
    const skein_turn *turn = turn_of(work, agent);

    return turn ? turn->inbox_uid : SKN_NONE;
}

static void shape_timer(skn_jw *w, const skein_agent_work *own)
{
    static const skein_agent_work none = {0};

    own = own ? own : &none;
    skn_jw_kbool(w, "paused", own->paused);
    skn_jw_kint(w, "waitingMessages", own->waiting);
    skn_jw_kint(w, "runEvery", own->run_every);
    skn_jw_ktime(w, "nextRunAt", own->next_run_at);
    skn_jw_ktime(w, "lastCompletedAt", own->last_completed_at);
    skn_jw_ktime(w, "failedAt", own->failed_at);
    skn_jw_kstr(w, "failure", own->failed_at ? own->failure : SKN_NONE);
    skn_jw_kstr(w, "failedChatId", own->failed_in);
    skn_jw_ktime(w, "stoppedAt", own->stopped_at);
}

void skn_shape_agent(skn_jw *w, const skein_agent *agent, skn_arena *scratch)
{
    skn_shape_agent_at_work(w, agent, NULL, scratch);
}

void skn_shape_agent_at_work(skn_jw *w, const skein_agent *agent, const skn_at_work *work,
                             skn_arena *scratch)
{
    const skn_json *settings = NULL;
    skn_str         detail;

    if (agent->settings.n &&
        skn_json_parse(&settings, agent->settings, "settings", scratch, NULL))
        settings = NULL;
    skn_jw_object(w);
    skn_jw_kstr(w, "id", agent->uid);
    skn_jw_kstr(w, "name", agent->name);
    skn_jw_kstr(w, "systemPrompt", agent->system_prompt);
    skn_jw_kstr(w, "model", agent->model);
    skn_jw_kstr(w, "lead", agent->lead_name);
    setting(w, settings, "tools", SKN_STR("null")); /* all that fit */
    setting(w, settings, "temperature", SKN_STR("null"));
    setting(w, settings, "maxTokens", SKN_STR("null")); /* as many as the model gives */
    setting(w, settings, "autoReply", SKN_STR("true"));
    skn_jw_ktime(w, "until", skn_agent_until(work, agent->id));
    skn_jw_kstr(w, "inboxId", skn_agent_waits(work, agent->id));
    skn_jw_kstr(w, "state", skn_agent_state(work, agent->id, &detail));
    skn_jw_kstr(w, "detail", detail);
    skn_jw_kint(w, "pendingTasks", pending_of(work, agent->id));
    shape_timer(w, work_of(work, agent->id));
    skn_jw_ktime(w, "createdAt", agent->created_at);
    skn_jw_object_end(w);
}

void skn_shape_chat(skn_jw *w, const skein_conversation *chat)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", chat->uid);
    skn_jw_kstr(w, "title", chat->title);
    skn_jw_kstr(w, "mode", skn_str_of(skn_mode_name(chat->mode)));
    skn_jw_kstr(w, "agent", chat->agent_name);
    skn_jw_kstr(w, "currentThread", chat->thread_uid);
    skn_jw_kint(w, "version", chat->version);
    skn_jw_kint(w, "messageCount", chat->length);
    skn_jw_ktime(w, "lastActivityAt", chat->last_activity_at);
    skn_jw_ktime(w, "createdAt", chat->created_at);
    skn_jw_kbool(w, "archived", chat->archived);
    skn_jw_kstr(w, "replyExpected", chat->reply_expected);
    skn_jw_kbool(w, "readOnly", chat->read_only);
    skn_jw_object_end(w);
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
    static const skein_turns none = {0};

    skn_jw_object(w);
    skn_jw_kstr(w, "id", world->uid);
    skn_jw_kstr(w, "name", world->name);
    skn_jw_kstr(w, "description", world->description.n ? world->description : SKN_NONE);
    skn_jw_kint(w, "turnLimit", world->turn_limit);
    skn_jw_kint(w, "compactAt", world->compact_at);
    skn_jw_key(w, "settings");
    skn_world_settings_show(w, world->settings, scratch);
    skn_jw_kstr(w, "currentChatId", world->current_chat_uid);
    skn_jw_kbool(w, "sessionMode", world->current_chat.v != 0);
    skn_jw_kbool(w, "isProcessing", skn_is_processing(work, agents));
    skn_jw_key(w, "busy");
    skn_shape_busy(w, work ? &work->turns : &none, work ? work->now : 0);
    skn_jw_key(w, "answersWith");
    if (work && work->answers.n)
        skn_jw_raw(w, work->answers);
    else
        skn_jw_null(w);
    skn_jw_key(w, "agents");
    skn_jw_array(w);
    for (size_t i = 0; i < agents->count; i++)
        skn_shape_agent_at_work(w, &agents->at[i], work, scratch);
    skn_jw_array_end(w);
    skn_jw_key(w, "chats");
    skn_jw_array(w);
    for (size_t i = 0; i < chats->count; i++)
        skn_shape_chat(w, &chats->at[i]);
    skn_jw_array_end(w);
    skn_jw_ktime(w, "createdAt", world->created_at);
    skn_jw_object_end(w);
}

void skn_shape_lane(skn_jw *w, const skein_lane *lane)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "delegationId", lane->key);
    skn_jw_kstr(w, "threadPath", lane->key);
    skn_jw_kstr(w, "agent", lane->agent_name);
    skn_jw_kstr(w, "spawnCallId", lane->spawn_call_id);
    skn_jw_kstr(w, "state", skn_str_of(skn_lane_state_name(lane->state)));
    skn_jw_kint(w, "messageCount", lane->length);
    skn_jw_object_end(w);
}

void skn_shape_tag(skn_jw *w, const skein_tag *tag)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "name", tag->name);
    skn_jw_kstr(w, "control", tag->control);
    skn_jw_kstr(w, "instruction", tag->instruction);
    skn_jw_kstr(w, "target", tag->target);
    skn_jw_kbool(w, "includeInMessage", tag->include_in_message);
    skn_jw_kbool(w, "active", tag->active);
    skn_jw_object_end(w);
}

void skn_shape_file_members(skn_jw *w, const skein_context_file *file,
                            const skein_file_parts *parts)
{
    skn_jw_kstr(w, "path", file->path);
    skn_jw_kbool(w, "readFull", file->item_count == 0);
    skn_jw_key(w, "items");
    skn_jw_array(w);
    for (size_t i = 0; i < file->item_count; i++)
        skn_jw_str(w, file->items[i]);
    skn_jw_array_end(w);
    skn_jw_kstr(w, "prompt", file->prompt);
    skn_jw_key(w, "problems");
    skn_jw_array(w);
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
