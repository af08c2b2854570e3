/* Agents, what they remember, and the conversations they have for themselves. */
#include "api/call.h"

#include "base/hash.h"
#include "base/json_schema.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define TOOLS_MOST 200

enum { STOPS_MOST = 4, STOP_MOST = 200, SCHEMA_MOST = 64 * 1024, VALUE_SHOWN = 80 };
#define TRIES 10 /* to change what others change at the same time */

/* --- Reading ------------------------------------------------------------------------------ */

skein_rc skn_api_list_agents(skn_api_call *c)
{
    skein_agents agents;
    skn_at_work  work;
    skn_page     page;
    skein_rc     rc;

    if ((rc = skein_agent_list(c->engine, c->world.id, c->mem, &agents, &c->error)) ||
        (rc = skn_page_open(c, SKN_STR("agents"), agents.count, 0, &page)) ||
        (rc = skn_api_agents_at_work(c, c->world.id, &agents, &work)))
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++)
        skn_shape_agent_at_work(&c->w, &agents.at[i], &work, c->mem);
    return skn_page_close(c, &page, SKN_FIELDS_AGENT);
}

/* Changes with what a client may change, not with what the agent does. */
static skn_str agent_stem(skn_api_call *c, const skein_agent *a, const skein_agent_work *work)
{
    skn_str timer = skn_arena_printf(c->mem, "%d %" PRId64, work->paused, work->run_every);
    skn_str parts[] = {a->uid,      a->name, a->system_prompt, a->model, a->lead_name,
                       a->settings, timer};

    return skn_api_stem(c, 'a', parts, sizeof parts / sizeof parts[0]);
}

/* The end of the tag changes with everything else: what the agent does, and when it works next. */
static skn_str agent_tag(skn_api_call *c, const skein_agent *a, const skn_at_work *work)
{
    return skn_arena_printf(c->mem, "%.*s-%08x\"", SKN_FMT(agent_stem(c, a, work->agents)),
                            (unsigned)(skn_hash_bytes(13, skn_buf_str(&c->out)) & 0xffffffff));
}

static skein_rc write_agent(skn_api_call *c, skein_agent *agent, skn_at_work *work)
{
    skein_agents one = {agent, 1};
    skein_rc     rc = skn_api_agents_at_work(c, c->world.id, &one, work);

    if (rc == SKEIN_OK)
        skn_shape_agent_at_work(&c->w, agent, work, c->mem);
    return rc;
}

skein_rc skn_api_answer_agent(skn_api_call *c, skein_agent *agent)
{
    skn_at_work work;
    skein_rc    rc = write_agent(c, agent, &work);

    if (rc == SKEIN_OK)
        skn_call_add_header(c, "ETag", agent_tag(c, agent, &work));
    return rc;
}

skein_rc skn_api_get_agent(skn_api_call *c)
{
    skn_at_work work;
    bool        same;
    skein_rc    rc;

    if ((rc = write_agent(c, &c->agent, &work)) || (rc = skn_page_fields(c, SKN_FIELDS_AGENT)))
        return rc;
    skn_call_etag(c, agent_tag(c, &c->agent, &work), &same);
    return SKEIN_OK;
}

/* --- Settings ----------------------------------------------------------------------------- */

/* Tools of servers ("files__read", "files__*") may come later than their names. */
static bool may_be_tool(skn_api_call *c, skn_str name)
{
    const skn_api_agents *agents = &c->api->o.agents;

    return !agents->has_tool || skn_str_find(name, SKN_STR("__")) >= 0 ||
           skn_str_ends(name, SKN_STR("*")) || agents->has_tool(name);
}

static skein_rc check_tools(skn_api_call *c, const skn_json *v)
{
    int i = 0;

    if (v->kind != SKN_JSON_ARRAY || v->count > TOOLS_MOST)
        return skn_call_invalid(c, "/tools", "must be a list of at most 200 names");
    for (const skn_json *t = v->first; t; t = t->next, i++) {
        if (t->kind != SKN_JSON_STRING)
            return skn_call_invalid(c, "/tools", "must be a list of names");
        if (!may_be_tool(c, t->text))
            return skn_call_wrong(c,
                                  "is not a known tool; those of servers have their "
                                  "server's name and \"__\" before their own",
                                  "/tools/%d", i);
    }
    return SKEIN_OK;
}

/* Settings that are a number from `least` to `most`. */
static const struct numeric {
    const char *name;
    bool        whole;
    double      least, most;
    const char *must;
} numbers[] = {
    {"temperature", false, 0, 2, "must be a number from 0 to 2"},
    {"topP", false, 0, 1, "must be a number from 0 to 1"},
    {"maxTokens", true, 1, (double)SKN_AGENT_TOKENS_MOST,
     "must be a whole number from 1 to 1000000000"},
    {"seed", true, 0, 2147483647, "must be a whole number from 0 to 2147483647"},
    {"thinkingTokens", true, 0, 1000000, "must be a whole number from 0 to 1000000"},
};

static const struct numeric *number_of(skn_str name)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (skn_str_is(name, numbers[i].name))
            return &numbers[i];
    return NULL;
}

static bool is_number(skn_api_call *c, const skn_json *v, const struct numeric *n)
{
    int64_t whole;
    double  d = v->kind == SKN_JSON_NUMBER ? strtod(skn_arena_copy(c->mem, v->text).p, NULL)
                                           : NAN;

    return isfinite(d) && d >= n->least && d <= n->most &&
           (!n->whole || skn_str_int(v->text, &whole));
}

static bool is_stop(const skn_json *v)
{
    bool ok = v->kind == SKN_JSON_ARRAY && v->count >= 1 && v->count <= STOPS_MOST;

    for (const skn_json *t = ok ? v->first : NULL; t; t = t->next)
        ok = ok && t->kind == SKN_JSON_STRING && t->text.n && t->text.n <= STOP_MOST;
    return ok;
}

static bool is_model(skn_str text)
{
    skn_str provider = SKN_NONE;

    return skn_str_split(&text, '/', &provider) && provider.n && text.n;
}

static const char *setting_fault(skn_api_call *c, const skn_json *v)
{
    const struct numeric *n = number_of(v->key);

    if (n)
        return is_number(c, v, n) ? NULL : n->must;
    if (skn_str_is(v->key, "effort"))
        return v->kind == SKN_JSON_STRING &&
                       skn_str_among(v->text, "none minimal low medium high")
                   ? NULL
                   : "is none of none, minimal, low, medium, high";
    if (skn_str_is(v->key, "fallback"))
        return v->kind == SKN_JSON_STRING && v->text.n <= 1000 && is_model(v->text)
                   ? NULL
                   : "must be \"provider/model\", or null for none";
    if (skn_str_is(v->key, "promptFacts"))
        return skn_prompt_facts_valid(v)
                   ? NULL
                   : "must be a list of \"date\", \"timeZone\" and \"person\"";
    if (skn_str_is(v->key, "stop"))
        return is_stop(v) ? NULL : "must be a list of 1 to 4 texts of at most 200 bytes";
    if (skn_str_is(v->key, "schema"))
        return v->kind == SKN_JSON_OBJECT && v->raw.n <= SCHEMA_MOST
                   ? NULL
                   : "must be a JSON Schema: an object of at most 64 kB";
    return v->kind == SKN_JSON_BOOL ? NULL : "must be true or false";
}

static skein_rc check_schema(skn_api_call *c, const skn_json *v)
{
    skn_str         path;
    const skn_json *value;
    const char     *fault = skn_json_schema_fault(v, c->mem, &path, &value);

    return fault
               ? skn_call_wrong(c,
                                skn_arena_text(c->mem, "%s, not %.*s", fault,
                                               SKN_FMT(skn_utf8_cut(value->raw, VALUE_SHOWN))),
                                "/schema%.*s", SKN_FMT(path))
               : SKEIN_OK;
}

static skein_rc check_setting(skn_api_call *c, const skn_json *v)
{
    const char *fault;

    if (v->kind == SKN_JSON_NULL)
        return SKEIN_OK;
    if (skn_str_is(v->key, "tools"))
        return check_tools(c, v);
    fault = setting_fault(c, v);
    if (fault)
        return skn_call_wrong(c, fault, "/%.*s", SKN_FMT(v->key));
    return skn_str_is(v->key, "schema") ? check_schema(c, v) : SKEIN_OK;
}

static bool is_setting(skn_str name)
{
    return number_of(name) ||
           skn_str_among(name,
                         "tools stop effort schema images autoReply fallback promptFacts");
}

/* One that is dropped in silence would be missed when it matters. */
static skein_rc check_known(skn_api_call *c)
{
    for (const skn_json *m = c->json ? c->json->first : NULL; m; m = m->next)
        if (!is_setting(m->key) &&
            !skn_str_among(m->key, "name systemPrompt model lead paused runEvery"))
            return skn_call_wrong(c, "is nothing that an agent has", "/%.*s", SKN_FMT(m->key));
    return SKEIN_OK;
}

/* The settings kept so far with those of the body over them; null removes one. */
static skein_rc merge_settings(skn_api_call *c, skn_str *settings)
{
    static const skn_json none = {.kind = SKN_JSON_OBJECT};
    const skn_json       *old = NULL;
    skn_buf               b;
    skn_jw                w;
    skein_rc              rc = SKEIN_OK;

    for (const skn_json *m = c->json ? c->json->first : NULL; m && !rc; m = m->next)
        rc = is_setting(m->key) ? check_setting(c, m) : SKEIN_OK;
    if (rc)
        return rc;
    if (settings->n && skn_json_parse(&old, *settings, "settings", c->mem, NULL))
        old = NULL;
    skn_jw_open(&w, &b, (size_t)1 << 20);
    /* A setting is replaced as a whole: two schemas would make a third that nobody wrote. */
    skn_api_merge(&w, old, c->json ? c->json : &none, is_setting, SKN_MERGED_LEVELS - 1);
    *settings = skn_arena_copy(c->mem, skn_buf_str(&b));
    if (b.over)
        rc = skn_fail(&c->error, SKEIN_LIMIT, "the settings of an agent are over 1 MiB");
    skn_buf_release(&b);
    return rc;
}

/* --- When it works ------------------------------------------------------------------------ */

/* "15m", a number of milliseconds, or null or 0 for no timer. */
static skein_rc read_every(skn_api_call *c, skn_agent_hours *out)
{
    const skn_json *v = skn_json_get(c->json, "runEvery");
    bool            ok;

    out->set_every = v != NULL;
    out->every_ms = 0;
    if (!v || v->kind == SKN_JSON_NULL)
        return SKEIN_OK;
    ok = v->kind == SKN_JSON_NUMBER   ? skn_str_int(v->text, &out->every_ms)
         : v->kind == SKN_JSON_STRING ? skn_amount_duration(v->text, &out->every_ms)
                                      : false;
    if (ok && skn_timer_is_one(out->every_ms))
        return SKEIN_OK;
    return skn_call_invalid(c, "/runEvery",
                            "must be \"15m\" or milliseconds, " SKN_TIMER_RANGE ", or 0");
}

static skein_rc read_hours(skn_api_call *c, skn_agent_hours *out)
{
    skein_rc rc = skn_call_flag(c, "paused", false, &out->paused);

    out->set_paused = skn_api_has(c, "paused");
    return rc ? rc : read_every(c, out);
}

/* --- Changing ----------------------------------------------------------------------------- */

/* A text of the body over the one that is kept; null removes it. */
static skein_rc merge_text(skn_api_call *c, const char *member, skn_str *text)
{
    return skn_api_has(c, member) ? skn_call_text(c, member, false, text) : SKEIN_OK;
}

/* A model without its provider would make every turn fail. One that an import brought stays until it is changed. */
static skein_rc merge_model(skn_api_call *c, skn_str *model)
{
    skn_str  before = *model;
    skein_rc rc = merge_text(c, "model", model);

    if (rc || !model->p || skn_str_eq(*model, before))
        return rc;
    if (is_model(*model))
        return SKEIN_OK;
    return skn_call_invalid(c, "/model", "must be \"provider/model\", or null for the default");
}

static skein_rc merge_agent(skn_api_call *c, skein_agent *a)
{
    skein_agent lead;
    skn_str     before = a->lead_name;
    skein_rc    rc;

    if ((rc = check_known(c)) || (rc = merge_text(c, "systemPrompt", &a->system_prompt)) ||
        (rc = merge_model(c, &a->model)) || (rc = merge_text(c, "lead", &a->lead_name)))
        return rc;
    if (a->lead_name.p && !skn_str_eq(a->lead_name, before)) {
        if ((rc = skn_find_agent(c, a->lead_name, &lead)))
            return rc == SKEIN_INVALID ? skn_call_invalid(c, "/lead", c->error.message) : rc;
        a->lead_name = lead.name;
    }
    return merge_settings(c, &a->settings);
}

skein_rc skn_api_create_agent(skn_api_call *c)
{
    skein_agent     agent = {.id = {0}};
    skn_agent_hours when;
    skein_rc        rc;

    if ((rc = skn_api_name(c, true, &agent.name)) || (rc = read_hours(c, &when)))
        return rc;
    agent.world = c->world.id;
    if ((rc = merge_agent(c, &agent)) ||
        (rc = skn_agent_save(c->engine, NULL, &agent, &when, c->mem, &c->error)))
        return skn_api_blame(c, rc);
    skn_api_location(c, 201, "/agents/%.*s", SKN_FMT(agent.name));
    return skn_api_answer_agent(c, &agent);
}

static skein_rc check_match(skn_api_call *c, skein_agent *agent, bool *asked)
{
    skein_agents     one = {agent, 1};
    skein_agent_work work;
    skein_rc         rc = skein_agent_work_of(c->engine, &one, c->mem, &work, &c->error);

    return rc ? rc : skn_api_match(c, agent_stem(c, agent, &work), "the agent", asked);
}

/* A change by somebody else at the same time is not overwritten: this one is made again on top of it, unless If-Match says
 * otherwise. */
static skein_rc change_agent(skn_api_call *c, skein_agent *agent, const skn_agent_hours *when)
{
    skein_agent was;
    bool        asked;
    int         tries = 0;
    skein_rc    rc;

    do {
        if ((rc = skn_find_agent(c, c->params[1], &was)) || (rc = check_match(c, &was, &asked)))
            return rc;
        *agent = was;
        if ((rc = merge_agent(c, agent)) == SKEIN_OK)
            rc = skn_agent_save(c->engine, &was, agent, when, c->mem, &c->error);
    } while (rc == SKEIN_VERSION_CHANGED && !asked && ++tries < TRIES);
    return rc;
}

skein_rc skn_api_update_agent(skn_api_call *c)
{
    skn_str         name;
    skn_agent_hours when;
    skein_rc        rc;

    if ((rc = skn_call_text(c, "name", false, &name)) || (rc = read_hours(c, &when)))
        return rc;
    if (name.p && !skn_str_eq(name, c->agent.name))
        return skn_call_invalid(c, "/name", "cannot be changed: messages carry it");
    if ((rc = change_agent(c, &c->agent, &when)) ||
        (rc = skein_agent_find(c->engine, c->world.id, c->agent.uid, c->mem, &c->agent,
                               &c->error)))
        return skn_api_blame(c, rc);
    return skn_api_answer_agent(c, &c->agent);
}

skein_rc skn_api_remove_agent(skn_api_call *c)
{
    bool     asked, force;
    skein_rc rc;

    if ((rc = check_match(c, &c->agent, &asked)) || (rc = skn_api_flag(c, "force", &force)))
        return rc;
    return skein_agent_remove(c->engine, c->agent.id, force, &c->error);
}

/* --- Memory and conversations ------------------------------------------------------------- */

/* In its own conversation an agent remembers all that was said there. */
skein_rc skn_api_get_agent_memory(skn_api_call *c)
{
    skein_agent_id memory = {0};
    skein_version  version;
    skein_rc       rc;

    if ((rc = skn_api_chat_or_current(c)) || (rc = skn_api_version(c, &version)))
        return rc;
    if (c->chat.agent.v != c->agent.id.v)
        memory = c->agent.id;
    return skn_api_answer_lane(c, &version, memory, SKN_NONE);
}

skein_rc skn_api_clear_agent_memory(skn_api_call *c)
{
    skein_change  how;
    skein_version made;
    skein_rc      rc;

    if ((rc = skn_api_chat_or_current(c)) || (rc = skn_api_change(c, false, &how)))
        return rc;
    if ((rc = skein_forget(c->engine, &how, c->agent.id, c->mem, &made, &c->error)))
        return skn_api_changed(c, rc);
    skn_jw_object(&c->w);
    skn_shape_members(&c->w, &skn_version_shape, &made);
    skn_jw_kbool(&c->w, "dryRun", how.dry_run);
    if (!how.dry_run)
        skn_shape_undo(&c->w, c->world.name, c->chat.uid, made.origin_thread_uid);
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

skein_rc skn_api_list_agent_chats(skn_api_call *c)
{
    skein_conversations chats, own = {0};
    skn_str             mode = skn_call_query(c, "mode");
    skein_mode          wanted;
    skein_rc            rc;

    if (mode.p && !skn_mode_from(mode, &wanted))
        return skn_call_invalid(c, "/mode", "is none of chat, foreground and background");
    if ((rc = skein_conversation_list(c->engine, c->world.id, c->mem, &chats, &c->error)))
        return rc;
    own.at = SKN_ARRAY(c->mem, chats.count + 1, skein_conversation);
    for (size_t i = 0; i < chats.count; i++)
        if (chats.at[i].agent.v == c->agent.id.v && (!mode.p || chats.at[i].mode == wanted))
            own.at[own.count++] = chats.at[i];
    return skn_answer_list(c, SKN_STR("conversations"), 0, own.at, own.count, &skn_chat_shape);
}
