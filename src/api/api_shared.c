/* What the handlers of several resources share. */
#include "api/call.h"

#include "base/clock.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdarg.h>

#define WORK_MOST   1000
#define IDS_MOST    10000
#define LIST_MOST   1000
#define LISTED_MOST 1000

void skn_api_location(skn_api_call *c, int status, const char *fmt, ...)
{
    char    path[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(path, sizeof path, fmt, args);
    va_end(args);
    c->status = status;
    skn_call_add_header(
        c, "Location",
        skn_arena_printf(c->mem, "/worlds/%.*s%s", SKN_FMT(c->world.name), path));
}

/* --- What is meant ------------------------------------------------------------------------ */

skein_rc skn_api_chat_or_current(skn_api_call *c)
{
    skn_str  id;
    skein_rc rc = skn_call_chat_id(c, &id);

    if (rc || id.p)
        return rc ? rc : skn_find_chat(c, id);
    if (c->world.current_chat.v)
        return skein_conversation_get(c->engine, c->world.current_chat, c->mem, &c->chat,
                                      &c->error);
    return skn_fail_hint(&c->error, SKEIN_SESSION_OFF,
                         "Name a chat with chatId, or make one the world's currentChatId.",
                         "session mode is off in world \"%.*s\"", SKN_FMT(c->world.name));
}

static skein_rc find_said(skn_api_call *c, skein_message *out)
{
    skn_str  id;
    skein_rc rc = skn_call_chat_id(c, &id);

    if (rc)
        return rc;
    if (id.p) {
        rc = skn_find_chat(c, id);
    } else {
        rc = skein_message_in_world(c->engine, c->world.id, c->params[1], c->mem, out, &c->chat,
                                    &c->error);
        if (rc == SKEIN_NOT_FOUND)
            c->more.thing = "message";
    }
    return rc ? rc : skn_find_message(c, c->params[1], out);
}

/* The message was not found, but its world and chat were. */
static bool lacks_message(const skn_api_call *c, skein_rc rc)
{
    return rc == SKEIN_NOT_FOUND && c->more.thing &&
           skn_str_is(skn_str_of(c->more.thing), "message");
}

skein_rc skn_api_said_or_queued(skn_api_call *c, skein_message *out, skein_posted *waits)
{
    skein_conversation home;
    skein_rc           rc = find_said(c, out);

    *waits = (skein_posted){.queued = false};
    if (!lacks_message(c, rc))
        return rc;
    rc = skein_queue_find(c->engine, c->world.id, c->params[1], c->mem, waits, &home, NULL);
    if (rc || (c->chat.id.v && c->chat.id.v != home.id.v)) {
        waits->queued = false;
        return find_said(c, out); /* it may have been said in between */
    }
    c->error = (skein_error){.rc = SKEIN_OK};
    c->more.thing = NULL;
    c->chat = home;
    return SKEIN_OK;
}

skein_rc skn_api_message(skn_api_call *c, skein_message *out)
{
    skein_posted waits;
    skein_rc     rc = skn_api_said_or_queued(c, out, &waits);

    if (rc || !waits.queued)
        return rc;
    rc = skn_fail(&c->error, SKEIN_CONFLICT, "message \"%.*s\" waits and was not said yet",
                  SKN_FMT(c->params[1]));
    return skn_hint(&c->error, rc,
                    "Change it or take it back at /worlds/%.*s/chats/%.*s/queue/%.*s.",
                    SKN_FMT(c->world.name), SKN_FMT(c->chat.uid), SKN_FMT(c->params[1]));
}

skein_slice skn_api_slice(const skn_api_call *c, const skein_lane *lane)
{
    skein_slice all = {.conversation = c->chat.id};

    if (skn_str_starts(lane->key, SKN_STR("@")))
        all.agent = lane->agent;
    else
        all.lane = lane->key;
    return all;
}

skein_rc skn_api_version(skn_api_call *c, skein_version *out)
{
    return skn_find_version(c, skn_call_query(c, "threadId"), out);
}

skein_rc skn_api_at_work(skn_api_call *c, skein_world_id world, skn_at_work *out)
{
    const skn_api_agents *agents = &c->api->o.agents;

    *out = (skn_at_work){.now = skn_clock_micros()};
    if (agents->left_before)
        out->left_before = agents->left_before(agents->arg, out->now);
    return skein_work_now(c->engine, world, (skein_conversation_id){0}, WORK_MOST, c->mem,
                          &out->turns, &out->dues, &c->error);
}

/* Says of a model that an agent names that nobody can ask it: an import or a removed provider may have left it so. */
static skn_str no_provider(skn_api_call *c, const char *what, skn_str model,
                           skn_api_answerer *out)
{
    const skn_api_agents *to = &c->api->o.agents;

    to->answerer(to->arg, model, c->mem, out);
    return out->gone ? skn_arena_printf(c->mem, "the provider of its %s \"%.*s\" is not set up",
                                        what, SKN_FMT(out->model))
                     : SKN_NONE;
}

static skn_str problem_of(skn_api_call *c, const skein_agent *agent, skn_api_answerer *out)
{
    skn_str          why = no_provider(c, "model", agent->model, out), other;
    const skn_json  *own;
    skn_api_answerer ignored;

    if (why.n || !agent->settings.n ||
        skn_json_parse(&own, agent->settings, "settings", c->mem, NULL))
        return why;
    other = skn_json_str(own, "fallback");
    return other.n ? no_provider(c, "fallback", other, &ignored) : SKN_NONE;
}

skein_rc skn_api_agents_told(skn_api_call *c, const skein_agents *agents, skn_at_work *out)
{
    const skn_api_agents *to = &c->api->o.agents;
    skein_agent_work     *of = SKN_ARRAY(c->mem, agents->count + 1, skein_agent_work);
    skn_str              *no_tools = SKN_ARRAY(c->mem, agents->count + 1, skn_str);
    skn_str              *problems = SKN_ARRAY(c->mem, agents->count + 1, skn_str);
    skein_rc rc = agents->count ? skein_agent_work_of(c->engine, agents, c->mem, of, &c->error)
                                : SKEIN_OK;

    if (rc)
        return rc;
    for (size_t i = 0; to->answerer && i < agents->count; i++) {
        skn_api_answerer one;

        problems[i] = problem_of(c, &agents->at[i], &one);
        no_tools[i] = one.no_tools;
    }
    out->agents = of;
    out->no_tools = no_tools;
    out->problems = problems;
    out->agent_count = agents->count;
    return SKEIN_OK;
}

skein_rc skn_api_agents_at_work(skn_api_call *c, skein_world_id world,
                                const skein_agents *agents, skn_at_work *out)
{
    skein_rc rc = skn_api_at_work(c, world, out);

    return rc ? rc : skn_api_agents_told(c, agents, out);
}

skein_rc skn_api_missing(skn_api_call *c, skein_rc rc, const char *problem)
{
    if (rc == SKEIN_NOT_FOUND && !c->more.thing && !c->problem)
        c->problem = problem;
    return rc;
}

/* --- Changes ------------------------------------------------------------------------------ */

bool skn_api_has(const skn_api_call *c, const char *member)
{
    return skn_json_get(c->json, member) != NULL;
}

skein_rc skn_api_name(skn_api_call *c, bool needed, skn_str *out)
{
    skein_error err;
    skein_rc    rc = skn_call_text(c, "name", needed, out);

    if (rc || !out->p || !skn_name_normal(*out, c->mem, out, &err))
        return rc;
    rc = skn_call_invalid(c, "/name", err.message);
    return skn_hint(&c->error, rc, "%s", err.hint);
}

skein_rc skn_api_flag(skn_api_call *c, const char *name, bool *out)
{
    bool     in_query = false;
    skein_rc rc;

    if ((rc = skn_call_flag(c, name, false, out)) ||
        (rc = skn_call_query_flag(c, name, &in_query)))
        return rc;
    *out = *out || in_query;
    return SKEIN_OK;
}

skein_rc skn_api_change(skn_api_call *c, bool match_needed, skein_change *out)
{
    skein_rc rc;

    *out = (skein_change){.conversation = c->chat.id, .key = c->key, .written = c->written};
    if ((rc = skn_call_text(c, "by", false, &out->actor)) ||
        (rc = skn_api_flag(c, "force", &out->force)) ||
        (rc = skn_api_flag(c, "dryRun", &out->dry_run)))
        return rc;
    if (out->dry_run)
        out->key = SKN_NONE; /* nothing happens that could happen twice */
    rc = skn_call_if_match(c, &c->chat, match_needed && !out->dry_run, &out->expect);
    if (rc != SKEIN_VERSION_CHANGED || !out->key.p)
        return rc;
    out->expect = (skein_at){{-1}, 0}; /* stands nowhere, unless the key was here before */
    return SKEIN_OK;
}

skein_rc skn_api_changed(skn_api_call *c, skein_rc rc)
{
    skein_conversation now;

    if (rc == SKEIN_INVALID)
        return skn_api_blame(c, rc);
    if (rc != SKEIN_VERSION_CHANGED ||
        skein_conversation_get(c->engine, c->chat.id, c->mem, &now, NULL))
        return rc;
    c->more.current = skn_arena_copy(c->mem, now.thread_uid).p;
    skn_call_add_header(c, "ETag", skn_call_chat_etag(c, &now));
    return rc;
}

/* What follows the "-" of a tag cannot be changed by a PATCH. */
static bool has_stem(skn_str tag, skn_str stem)
{
    return skn_str_starts(tag, stem) && tag.n > stem.n &&
           (tag.p[stem.n] == '"' || tag.p[stem.n] == '-');
}

skein_rc skn_api_match(skn_api_call *c, skn_str stem, const char *what, bool *asked)
{
    skn_str list = skn_call_header(c, "If-Match"), tag;

    *asked = list.p && !skn_str_is(skn_str_trim(list), "*");
    if (!*asked)
        return SKEIN_OK;
    while (skn_str_split(&list, ',', &tag))
        if (has_stem(skn_str_trim(tag), stem))
            return SKEIN_OK;
    return skn_fail_hint(&c->error, SKEIN_VERSION_CHANGED,
                         "Read it again, and repeat the request with its new ETag.",
                         "somebody has changed %s since it was read", what);
}

void skn_api_fresh_etag(skn_api_call *c)
{
    skein_conversation now;

    if (skein_conversation_get(c->engine, c->chat.id, c->mem, &now, NULL) == SKEIN_OK)
        skn_call_add_header(c, "ETag", skn_call_chat_etag(c, &now));
}

skein_rc skn_api_no_models(skn_api_call *c)
{
    return c->by ? skn_call_problem(c, 503, "no-models", "this server asks no models")
                 : skn_call_problem(c, 501, "server-needed", "only a server asks models");
}

static const struct {
    const char *words, *pointer;
} places[] = {
#define PLACE(...) {__VA_ARGS__},
#include "api/places.def"
#undef PLACE
};

static const char *place_of(skn_api_call *c, skn_str text)
{
    skn_str rest = skn_str_sub(text, text.n > 0, text.n), quoted;

    if (skn_str_starts(text, SKN_STR("\"/")) && skn_str_split(&rest, '"', &quoted))
        return skn_arena_copy(c->mem, quoted).p;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (skn_str_find(text, skn_str_of(places[i].words)) >= 0)
            return places[i].pointer;
    return NULL;
}

skein_rc skn_api_blame(skn_api_call *c, skein_rc rc)
{
    skn_str     text = skn_arena_copy(c->mem, skn_str_of(c->error.message));
    skein_error told = c->error;
    const char *place;

    if (rc != SKEIN_INVALID || c->problem_extra.p || !(place = place_of(c, text)))
        return rc;
    skn_call_invalid(c, place, text.p);
    c->error = told; /* with its hint */
    return rc;
}

/* --- Members of the body ------------------------------------------------------------------ */

skn_str skn_api_stem(skn_api_call *c, char kind, const skn_str *parts, size_t count)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < count; i++)
        hash = skn_hash_bytes(hash + 1 + (parts[i].p != NULL), parts[i]);
    return skn_arena_printf(c->mem, "\"%c_%016" PRIx64, kind, hash);
}

/* RFC 7396. A text that stands for a secret in answers leaves the secret as it is. */
void skn_api_merge(skn_jw *w, const skn_json *old, const skn_json *patch,
                   bool (*takes)(skn_str key), int level)
{
    bool            into = patch->kind == SKN_JSON_OBJECT && level < SKN_MERGED_LEVELS;
    const skn_json *first = old && old->kind == SKN_JSON_OBJECT ? old->first : NULL;

    w->out->over = w->out->over || patch->count > SKN_MERGED_MEMBERS;
    if (!into || w->out->over) {
        skn_jw_raw(w, old && skn_str_is(patch->text, "…") ? old->raw : patch->raw);
        return;
    }
    skn_jw_object(w);
    for (const skn_json *m = first; m; m = m->next)
        if ((takes && !takes(m->key)) || !skn_json_member(patch, m->key))
            skn_jw_member(w, m);
    for (const skn_json *m = patch->first; m; m = m->next)
        if (m->kind != SKN_JSON_NULL && (!takes || takes(m->key))) {
            skn_jw_key_str(w, m->key);
            skn_api_merge(w, skn_json_member(old, m->key), m, NULL, level + 1);
        }
    skn_jw_object_end(w);
}

skein_rc skn_api_list(skn_api_call *c, const skn_json *of, const char *member,
                      const skn_json **out)
{
    const skn_json *v = skn_json_get(of, member);

    *out = v && v->kind != SKN_JSON_NULL ? v : NULL;
    if (!*out || v->kind == SKN_JSON_ARRAY)
        return SKEIN_OK;
    return skn_call_wrong(c, "must be a list", "/%s", member);
}

skein_rc skn_api_body_list(skn_api_call *c, const char *member, const skn_json **out)
{
    skein_rc rc;

    *out = c->json && c->json->kind == SKN_JSON_ARRAY ? c->json : NULL;
    if (!*out && (rc = skn_api_list(c, c->json, member, out)))
        return rc;
    if (!*out)
        return skn_call_wrong(c, "is required", "/%s", member);
    if ((*out)->count > LIST_MOST)
        return skn_call_wrong(c, "has more than 1000 members", "/%s", member);
    return SKEIN_OK;
}

skein_rc skn_api_ids(skn_api_call *c, const char *member, skein_message_ids *out)
{
    const skn_json   *list;
    skein_message_id *ids;
    skein_message     m;
    size_t            n = 0;
    skein_rc          rc = skn_api_list(c, c->json, member, &list);

    if (rc)
        return rc;
    if (!list || list->count == 0)
        return skn_call_wrong(c, "is required", "/%s", member);
    if (list->count > IDS_MOST)
        return skn_fail(&c->error, SKEIN_LIMIT,
                        "%" PRIu32 " messages are named; the limit is %d", list->count,
                        IDS_MOST);
    ids = SKN_ARRAY(c->mem, list->count, skein_message_id);
    for (const skn_json *v = list->first; v; v = v->next) {
        if (v->kind != SKN_JSON_STRING)
            return skn_call_wrong(c, "must be a message id", "/%s/%zu", member, n);
        if ((rc = skn_find_message(c, v->text, &m)))
            return rc;
        ids[n++] = m.id;
    }
    *out = (skein_message_ids){ids, n};
    return SKEIN_OK;
}

static skein_rc read_instruction(skn_api_call *c, const skn_json *v, size_t i,
                                 skein_instruction *out)
{
    skein_error err;

    if (v->kind == SKN_JSON_OBJECT && !skn_json_text(v, "type", &out->type, &err) &&
        !skn_json_text(v, "target", &out->target, &err) && out->type.n)
        return SKEIN_OK;
    return skn_call_wrong(c, "must be an object with the text \"type\", and perhaps \"target\"",
                          "/instructions/%zu", i);
}

skein_rc skn_api_instructions(skn_api_call *c, const skn_json *of, skein_instruction **out,
                              size_t *count)
{
    const skn_json *list;
    skein_rc        rc = skn_api_list(c, of, "instructions", &list);

    *out = NULL;
    *count = 0;
    if (rc || !list)
        return rc;
    *out = SKN_ARRAY(c->mem, list->count + 1, skein_instruction);
    for (const skn_json *v = list->first; v; v = v->next, ++*count)
        if ((rc = read_instruction(c, v, *count, &(*out)[*count])))
            return rc;
    return SKEIN_OK;
}

/* --- What is one call of the engine --------------------------------------------------------- */

#define SKN_ANSWER_LIST(operation, type, call, tag, how, shape)                                \
    skein_rc skn_api_##operation(skn_api_call *c)                                              \
    {                                                                                          \
        type     out;                                                                          \
        skein_rc rc = call;                                                                    \
                                                                                               \
        return rc ? rc                                                                         \
                  : skn_answer_list(c, SKN_STR(tag), how, out.at, out.count,                   \
                                    &skn_##shape##_shape);                                     \
    }
#define SKN_ANSWER_ONE(operation, type, success, call, kind, shape)                            \
    skein_rc skn_api_##operation(skn_api_call *c)                                              \
    {                                                                                          \
        type     out;                                                                          \
        skein_rc rc = call;                                                                    \
                                                                                               \
        c->status = success;                                                                   \
        return rc ? skn_api_missing(c, rc, kind)                                               \
                  : skn_answer_one(c, &skn_##shape##_shape, &out);                             \
    }
#include "api/answers.def"
