/* shape_message.c: messages, versions and changes as JSON. */
#include "base/shape_rows.h"
#include "engine/engine.h"

#include <inttypes.h>

static void put_tool_status(skn_jw *w, const void *told)
{
    const skein_message *m = &((const skn_told_message *)told)->m;

    skn_jw_str(w, m->role != SKEIN_TOOL ? SKN_NONE
                  : m->tool_failed      ? SKN_STR("error")
                                        : SKN_STR("ok"));
}

static void take_tool_status(const skn_json *v, void *told, skn_arena *a)
{
    (void)a;
    ((skn_told_message *)told)->m.tool_failed = skn_str_is(v->text, "error");
}

static void instruction(skn_jw *w, skn_str type, skn_str target)
{
    skn_shape_instruction(w, &(skein_instruction){type, target});
}

/* The source is not stored but follows from the author, who cannot be forged. */
static void put_instructions(skn_jw *w, const void *told)
{
    const skein_message *m = &((const skn_told_message *)told)->m;

    skn_jw_array(w);
    if (m->role == SKEIN_USER && m->author == SKEIN_BY_HUMAN)
        instruction(w, SKN_STR("Source.User"), SKN_NONE);
    else if ((m->role == SKEIN_USER || m->role == SKEIN_ASSISTANT) &&
             m->author == SKEIN_BY_AGENT)
        instruction(w, SKN_STR("Source.Agent"), m->sender);
    for (size_t i = 0; i < m->instruction_count; i++)
        skn_shape_instruction(w, &m->instructions[i]);
    skn_jw_array_end(w);
}

/* Its author is shown as an instruction that is not stored. */
static void message_was_read(const skn_json *v, void *told, skn_arena *a)
{
    skein_message *m = &((skn_told_message *)told)->m;
    size_t         n = 0;

    (void)v, (void)a;
    if (skn_str_is(m->files, "[]"))
        m->files = SKN_NONE;
    m->author = m->role == SKEIN_TOOL ? SKEIN_BY_TOOL : SKEIN_BY_SYSTEM;
    for (size_t i = 0; i < m->instruction_count; i++)
        if (skn_str_is(m->instructions[i].type, "Source.User"))
            m->author = SKEIN_BY_HUMAN;
        else if (skn_str_is(m->instructions[i].type, "Source.Agent"))
            m->author = SKEIN_BY_AGENT;
        else
            m->instructions[n++] = m->instructions[i];
    m->instruction_count = n;
}

/* A stored message is in the memory of those who heard it; more is known of it by its deliveries. */
static void put_delivery(skn_jw *w, const void *told)
{
    const skn_told_message *t = told;

    if (t->delivered) {
        skn_shape_deliveries(w, &t->d);
        return;
    }
    skn_jw_array(w);
    for (size_t i = 0; i < t->f.seen_by_count; i++)
        if (!t->m.author_agent.v || !skn_str_eq(t->f.seen_by[i], t->m.sender))
            skn_shape_delivery(
                w, &(skein_delivery){.agent = t->f.seen_by[i], .state = SKN_STR("inMemory")});
    skn_jw_array_end(w);
}

static void take_delivery(const skn_json *v, void *told, skn_arena *a)
{
    skein_deliveries *d = &((skn_told_message *)told)->d;

    d->at = skn_delivery_list_from_json(v, a, &d->count);
}

static void put_has_reply(skn_jw *w, const void *told)
{
    skn_jw_bool(w, ((const skn_told_message *)told)->f.reply_count > 0);
}

/* As the facts have it, or as an event told it. */
static void put_usage(skn_jw *w, const void *told)
{
    const skn_told_message *t = told;

    if (t->f.usage.known)
        skn_shape_usage(w, &t->f.usage);
    else
        skn_jw_raw(w, t->usage.n ? t->usage : SKN_STR("null"));
}

static void take_usage(const skn_json *v, void *told, skn_arena *a)
{
    skein_usage *usage = &((skn_told_message *)told)->f.usage;

    skn_usage_from_json(v, a, usage);
    usage->known = v->kind == SKN_JSON_OBJECT;
}

static void put_stopped(skn_jw *w, const void *told)
{
    skn_jw_bool(w, ((const skn_told_message *)told)->m.unfinished == SKEIN_STOPPED);
}

static void put_warnings(skn_jw *w, const void *told)
{
    skn_str warning = ((const skn_told_message *)told)->m.warning;

    skn_jw_array(w);
    if (warning.n)
        skn_jw_str(w, warning);
    skn_jw_array_end(w);
}

static void take_warnings(const skn_json *v, void *told, skn_arena *a)
{
    (void)a;
    if (v->first)
        ((skn_told_message *)told)->m.warning = v->first->text;
}

static const skn_shape message_around_shape; /* parts of other shapes */
#include "engine/view/shapes/instruction.def"
#include "engine/view/shapes/message.def"
#include "engine/view/shapes/message_around.def"
#include "engine/view/shapes/move_counted.def"
#include "engine/view/shapes/move_made.def"
#include "engine/view/shapes/removal_line.def"
#include "engine/view/shapes/squash.def"
#include "engine/view/shapes/tool_call.def"
#include "engine/view/shapes/version.def"

static const struct {
    size_t told, given; /* where it stands */
    bool   said;
} members_given[] = {
#define MESSAGE_GIVEN(column, member, ...)                                                     \
    {offsetof(skn_told_message, m.member), offsetof(skein_new_message, member), false},
#define MESSAGE_SAID(column, member, ...)                                                      \
    {offsetof(skn_told_message, m.member), offsetof(skein_new_message, member), true},
#include "store/message.def"
};

static const skn_member *row_of(size_t place)
{
    const skn_shape *s = &skn_message_shape;

    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].at == place && s->at[i].kind <= SKN_AS_ANY)
            return &s->at[i];
    return NULL;
}

bool skn_given_read(const skn_json *v, bool said, skein_new_message *out, skn_str *wrong)
{
    for (size_t i = 0; i < sizeof members_given / sizeof *members_given; i++) {
        const skn_member *row = row_of(members_given[i].told);
        skn_str          *to = (void *)((char *)out + members_given[i].given);
        skn_str           key = row ? (skn_str){row->key + 1, row->key_n} : SKN_NONE;
        const skn_json   *one = row ? skn_json_member(v, key) : NULL;

        if (!one || one->kind == SKN_JSON_NULL || (said && !members_given[i].said))
            continue;
        *wrong = key;
        if (row->kind != SKN_AS_RAW && one->kind != SKN_JSON_STRING)
            return false;
        *to = row->kind == SKN_AS_RAW ? one->raw : one->text;
    }
    return true;
}

/* Without facts, the members that only they know are left out. */
static skn_told_message told(skein_str chat_uid, const skein_message *m,
                             const skein_message_facts *f, const skein_deliveries *d)
{
    skn_told_message out = {.m = *m, .chat_uid = chat_uid, .around = f, .delivered = d};

    if (f)
        out.f = *f;
    if (d)
        out.d = *d;
    return out;
}

void skn_shape_message_members(skn_jw *w, skein_str chat_uid, const skein_message *m,
                               const skein_message_facts *f)
{
    skn_shape_message_delivered_members(w, chat_uid, m, f, NULL);
}

void skn_shape_message_told(skn_jw *w, skein_str chat_uid, const skein_message *m,
                            skn_str usage)
{
    skn_told_message t = told(chat_uid, m, NULL, NULL);

    t.usage = usage;
    skn_shape_members(w, &skn_message_shape, &t);
}

void skn_shape_message_delivered_members(skn_jw *w, skein_str chat_uid, const skein_message *m,
                                         const skein_message_facts *f,
                                         const skein_deliveries    *d)
{
    skn_told_message t = told(chat_uid, m, f, d);

    skn_shape_members(w, &skn_message_shape, &t);
}

void skn_shape_message_delivered(skn_jw *w, skein_str chat_uid, const skein_message *m,
                                 const skein_message_facts *f, const skein_deliveries *d)
{
    skn_told_message t = told(chat_uid, m, f, d);

    skn_shape_write(w, &skn_message_shape, &t);
}

void skn_shape_message(skn_jw *w, skein_str chat_uid, const skein_message *m,
                       const skein_message_facts *f)
{
    skn_shape_message_delivered(w, chat_uid, m, f, NULL);
}

static void version_name(skn_jw *w, const char *key, int64_t number)
{
    char text[32];

    if (!number) {
        skn_jw_knull(w, key);
        return;
    }
    snprintf(text, sizeof text, "v%" PRId64, number);
    skn_jw_kstr(w, key, skn_str_of(text));
}

/* A number that only a dry run counts; else null. */
static void counted(skn_jw *w, const char *key, int64_t n)
{
    if (n < 0)
        skn_jw_knull(w, key);
    else
        skn_jw_kint(w, key, n);
}

void skn_shape_move_members(skn_jw *w, const skein_move *move)
{
    skn_shape_members(w, &move_shape, move);
    if (move->returning >= 0) /* else nobody counted */
        skn_shape_members(w, &move_counted_shape, move);
}

static void counts(skn_jw *w, const char *key, const skein_removal_agent *at, size_t count)
{
    skn_jw_kobject(w, key);
    for (size_t i = 0; i < count; i++) {
        skn_jw_key_str(w, at[i].name);
        skn_jw_int(w, at[i].count);
    }
    skn_jw_object_end(w);
}

void skn_shape_undo(skn_jw *w, skein_str world_name, skein_str chat_uid, skein_str thread_uid)
{
    skn_buf href;

    skn_buf_init(&href, 1024);
    skn_buf_addf(&href, "/worlds/%.*s/chats/%.*s/currentThread", SKN_FMT(world_name),
                 SKN_FMT(chat_uid));
    skn_jw_kobject(w, "undo");
    skn_jw_kstr(w, "method", SKN_STR("PUT"));
    skn_jw_kstr(w, "href", skn_buf_str(&href));
    skn_jw_kobject(w, "headers");
    skn_jw_kstr(w, "If-Match", SKN_STR("*")); /* agents may have answered since */
    skn_jw_object_end(w);
    skn_jw_kobject(w, "body");
    skn_jw_kstr(w, "threadId", thread_uid);
    skn_jw_object_end(w);
    skn_jw_object_end(w);
    skn_buf_release(&href);
}

void skn_shape_removal(skn_jw *w, skein_str world_name, skein_str chat_uid,
                       const skein_removal *r)
{
    skn_jw_object(w);
    skn_jw_kbool(w, "success", true);
    skn_jw_kstr(w, "messageId", r->message_uid);
    skn_jw_kint(w, "totalAgents", (int64_t)r->by_agent_count);
    skn_jw_karray(w, "processedAgents");
    for (size_t i = 0; i < r->by_agent_count; i++)
        skn_jw_str(w, r->by_agent[i].name);
    skn_jw_array_end(w);
    skn_jw_key(w, "failedAgents"); /* all lanes move in one transaction, or none does */
    skn_jw_array(w);
    skn_jw_array_end(w);
    skn_jw_kint(w, "messagesRemovedTotal", r->count);
    counts(w, "removedByAgent", r->by_agent, r->by_agent_count);
    skn_jw_kint(w, "delegations", r->delegations);
    skn_jw_kbool(w, "requiresRetry", false);
    skn_jw_kstr(w, "resubmissionStatus",
                r->added.uid.p ? SKN_STR("success") : SKN_STR("skipped"));
    skn_jw_kstr(w, "newMessageId", r->cause.n ? SKN_NONE : r->added.uid);
    skn_jw_kstr(w, "answersMessageId", r->cause.n ? r->added.uid : SKN_NONE);
    skn_jw_kstr(w, "cause", r->cause);
    counted(w, "sideEffects", r->side_effects);
    skn_jw_kstr(w, "threadId", r->version.thread_uid);
    skn_jw_kstr(w, "previousThreadId", r->previous.thread_uid);
    version_name(w, "version", r->version.number);
    version_name(w, "previousVersion", r->previous.number);
    skn_shape_undo(w, world_name, chat_uid, r->previous.thread_uid);
    skn_jw_object_end(w);
}

static void preview(skn_jw *w, const skein_removal *r)
{
    skn_jw_karray(w, "preview");
    for (size_t i = 0; i < r->preview_count; i++)
        skn_shape_write(w, &removal_line_shape, &r->preview[i]);
    skn_jw_array_end(w);
    skn_jw_kint(w, "previewSkipped", r->preview_skipped);
}

void skn_shape_count(skn_jw *w, skein_str chat_uid, bool session, skn_str blocked_by,
                     const skein_message *target, const skein_removal *r)
{
    char etag[128];

    snprintf(etag, sizeof etag, "\"%.*s.%" PRId64 "\"", SKN_FMT(r->previous.thread_uid),
             r->previous.length);
    skn_jw_object(w);
    skn_jw_kstr(w, "messageId", r->message_uid);
    skn_jw_kstr(w, "chatId", chat_uid);
    skn_jw_kint(w, "count", r->count);
    skn_jw_kbool(w, "isFirst", r->is_first);
    skn_jw_kint(w, "toolResults", r->tool_results);
    counts(w, "byAgent", r->by_sender, r->by_sender_count);
    counts(w, "removedByAgent", r->by_agent, r->by_agent_count);
    skn_jw_kint(w, "delegations", r->delegations);
    skn_jw_kint(w, "briefings", r->briefings);
    counted(w, "sideEffects", r->side_effects);
    skn_jw_kint(w, "agents", (int64_t)r->by_agent_count);
    preview(w, r);
    skn_jw_kbool(w, "editable", session && !blocked_by.p && target->author == SKEIN_BY_HUMAN);
    skn_jw_kstr(w, "blockedBy", blocked_by);
    skn_jw_kbool(w, "sessionMode", session);
    skn_jw_kstr(w, "etag", skn_str_of(etag));
    skn_jw_object_end(w);
}

static const char *const diff_names[] = {"removed", "added", "replaced", "moved"};

static void side(skn_jw *w, const char *key, skein_str chat_uid, const skein_message *m)
{
    skn_jw_key(w, key);
    if (m->uid.p)
        skn_shape_message(w, chat_uid, m, NULL);
    else
        skn_jw_null(w);
}

void skn_shape_diff(skn_jw *w, skein_str chat_uid, const skein_version *from,
                    const skein_version *to, const skein_diff *diff)
{
    skn_jw_object(w);
    version_name(w, "from", from->number);
    version_name(w, "to", to->number);
    skn_jw_kint(w, "same", diff->same);
    skn_jw_karray(w, "changes");
    for (size_t i = 0; i < diff->count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "kind", skn_str_of(diff_names[diff->at[i].kind]));
        side(w, "before", chat_uid, &diff->at[i].before);
        side(w, "after", chat_uid, &diff->at[i].after);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}
