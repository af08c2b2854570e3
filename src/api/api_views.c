/* Other views of a conversation: timelines, what a model is sent, summaries. */
#include "api/call.h"

/* --- Timelines ---------------------------------------------------------------------------- */

typedef struct showing {
    skn_api_call *c;
    skn_str       lane;
    int64_t       after;
} showing;

static void write_nothing(skn_jw *w)
{
    skn_jw_raw(w, SKN_STR("{\"lane\":\"main\",\"items\":[],\"delegations\":{},\"counts\":"
                          "{\"events\":0,\"items\":0,\"messages\":0},\"lastActivityAt\":null,"
                          "\"version\":\"main:0:\"}"));
}

static skein_rc show_timeline(skein_timelines *set, void *arg, skein_error *err)
{
    showing              *s = arg;
    skn_api_call         *c = s->c;
    const skein_timeline *t = s->lane.p ? skein_timelines_get(set, s->lane)
                                        : skein_timelines_main(set);
    skein_timeline_view   view;

    if (!t && s->lane.p)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no delegation \"%.*s\"",
                        SKN_FMT(s->lane));
    if (!t) {
        write_nothing(&c->w);
        return SKEIN_OK;
    }
    view = skein_build_timeline(t, NULL, 0, c->mem);
    skn_timeline_write_nested(&c->w, &view, (size_t)s->after, c->mem);
    return SKEIN_OK;
}

skein_rc skn_api_get_timeline(skn_api_call *c)
{
    showing       s = {.c = c, .lane = skn_call_query(c, "delegation")};
    skein_version v;
    skein_rc      rc;

    if ((rc = skn_api_version(c, &v)) ||
        (rc = skn_call_query_int(c, "after", 0, INT32_MAX, 0, &s.after)) ||
        (rc = skein_timeline_visit(c->engine, c->chat.id, v.number, show_timeline, &s,
                                   &c->error)))
        return rc;
    return SKEIN_OK;
}

/* --- What a model is sent ----------------------------------------------------------------- */

/* The lane that is meant by agent= and delegation=, in the version that is meant. */
static skein_rc read_lane(skn_api_call *c, skein_slice *out)
{
    skein_agent   agent;
    skein_version v;
    skein_rc      rc;

    if ((rc = skn_api_version(c, &v)) ||
        (rc = skn_find_memory(c, skn_call_query(c, "agent"), &agent)))
        return rc;
    *out = (skein_slice){.conversation = c->chat.id,
                         .lane = skn_call_query(c, "delegation"),
                         .agent = agent.id,
                         .version = v.number};
    return SKEIN_OK;
}

/* Who asks the models knows what goes with the messages. */
static skein_rc read_context(skn_api_call *c, const skein_slice *s, skein_context *out)
{
    const skn_api_agents *to = &c->api->o.agents;
    const skn_api_lane    lane = {c->engine, &c->world, c->chat.mode, c->api->o.files, s};

    return to->context ? to->context(to->arg, &lane, c->mem, out, &c->error)
                       : skein_context_read(c->engine, s, c->mem, out, &c->error);
}

skein_rc skn_api_get_context(skn_api_call *c)
{
    skein_slice   s;
    skein_context context;
    skein_rc      rc;

    if ((rc = read_lane(c, &s)) || (rc = read_context(c, &s, &context)))
        return rc;
    skn_shape_context(&c->w, &context);
    return SKEIN_OK;
}

/* --- Summaries ---------------------------------------------------------------------------- */

static void write_summary(skn_api_call *c, const skein_summary *s)
{
    skn_jw_object(&c->w);
    skn_shape_message_members(&c->w, c->chat.uid, &s->message, NULL);
    skn_jw_kint(&c->w, "covers", s->covers);
    skn_jw_kgiven(&c->w, "memoryOf", s->agent);
    skn_jw_object_end(&c->w);
}

/* Those of a lane, or of all memories of the current version. */
static skein_rc read_summaries(skn_api_call *c, skein_summaries *out)
{
    skein_slice s;
    bool        memories;
    skein_rc    rc;

    if ((rc = skn_call_query_flag(c, "memories", &memories)) || (rc = read_lane(c, &s)))
        return rc;
    return memories ? skein_summary_memories(c->engine, c->chat.id, c->mem, out, &c->error)
                    : skein_summary_list(c->engine, &s, c->mem, out, &c->error);
}

skein_rc skn_api_list_summaries(skn_api_call *c)
{
    skein_summaries list;
    skn_page        page;
    skein_rc        rc;

    if ((rc = read_summaries(c, &list)) ||
        (rc = skn_page_open(c, SKN_STR("summaries"), list.count, SKN_LIST_NEWEST, &page)))
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++)
        write_summary(c, &list.at[i]);
    return skn_page_close(c, &page, NULL);
}

static skein_rc read_summary(skn_api_call *c, skein_compaction *out)
{
    skein_rc rc;

    *out = (skein_compaction){.content = SKN_NONE};
    if ((rc = skn_call_words(c, "content", false, &out->content)) ||
        (rc = skn_call_text(c, "reason", false, &out->reason)) ||
        (rc = skn_call_text(c, "model", false, &out->model)) ||
        (rc = skn_call_text(c, "delegation", false, &out->lane)) ||
        (rc = skn_call_int(c, "covers", 0, INT64_MAX, 0, &out->covers)))
        return rc;
    return SKEIN_OK;
}

static skein_rc send_compact(skn_api_call *c, const skn_compact_request *what)
{
    return c->api->o.send_compact ? c->api->o.send_compact(c, what) : skn_api_no_models(c);
}

/* How much it covers is fixed before the model is asked, by what may be covered then. */
static skein_rc ask_summary(skn_api_call *c, const skein_compaction *what,
                            const skein_agent *agent, bool dry)
{
    skn_compact_request request = {
        .world = c->world.id,
        .what = {.conversation = c->chat.id, .lane = what->lane, .agent = agent->id},
        .model = what->model,
        .reason = what->reason};
    skein_compact_plan plan;
    skein_rc           rc;

    if (what->covers)
        return skn_call_invalid(c, "/covers", "goes with \"content\" only");
    rc = skein_compact_plan_read(c->engine, &request.what, c->mem, &plan, &c->error);
    if (rc || !dry)
        return rc ? rc : send_compact(c, &request);
    skn_jw_object(&c->w);
    skn_jw_kint(&c->w, "covers", plan.covers);
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

skein_rc skn_api_create_summary(skn_api_call *c)
{
    skein_compaction what;
    skein_agent      agent;
    skein_message    m;
    skn_str          name;
    int64_t          covers;
    bool             dry;
    skein_rc         rc;

    if ((rc = read_summary(c, &what)) || (rc = skn_call_text(c, "agent", false, &name)) ||
        (rc = skn_find_memory(c, name, &agent)) || (rc = skn_api_flag(c, "dryRun", &dry)))
        return rc;
    if (!what.content.p)
        return ask_summary(c, &what, &agent, dry);
    if (dry)
        return skn_call_invalid(c, "/dryRun", "goes with a summary that a model writes");
    if (agent.id.v)
        what.lane = skn_arena_printf(c->mem, "@%.*s", SKN_FMT(agent.name));
    if ((rc = skein_compact(c->engine, c->chat.id, &what, c->mem, &m, &covers, &c->error)))
        return skn_api_blame(c, rc);
    skn_api_location(c, 201, "/messages/%.*s", SKN_FMT(m.uid));
    write_summary(c, &(skein_summary){.message = m, .covers = covers});
    return SKEIN_OK;
}
