/* A message from JSON, with the names it is written with. */
#include "api/call.h"

#include "base/clock.h"
#include "base/suggest.h"

static skein_rc member_array(const skn_json *v, const char *key, const skn_json **out,
                             skein_error *err)
{
    const skn_json *member = skn_json_get(v, key);

    *out = member && member->kind != SKN_JSON_NULL ? member : NULL;
    if (*out && member->kind != SKN_JSON_ARRAY)
        return skn_fail(err, SKEIN_INVALID, "\"%s\" must be a list", key);
    return SKEIN_OK;
}

static skein_rc need_object(const skn_json *v, const char *where, skein_error *err)
{
    if (v->kind == SKN_JSON_OBJECT)
        return SKEIN_OK;
    return skn_fail(err, SKEIN_INVALID, "\"%s\" must hold objects", where);
}

static skein_rc read_role(const skn_json *v, skein_role *out, skein_error *err)
{
    skn_str  name;
    skein_rc rc = skn_json_text(v, "role", &name, err);

    *out = SKEIN_USER;
    if (rc || !name.p || skein_role_from(name, out))
        return rc;
    return skn_fail(err, SKEIN_INVALID,
                    "\"role\" is \"%.*s\"; it must be user, assistant, tool, summary or system",
                    SKN_FMT(name));
}

static skein_rc read_calls(const skn_json *v, skn_arena *a, skein_new_message *out,
                           skein_error *err)
{
    const skn_json  *list, *args;
    skein_tool_call *calls;
    skein_rc         rc = member_array(v, "toolCalls", &list, err);

    if (rc || !list)
        return rc;
    calls = SKN_ARRAY(a, list->count + 1, skein_tool_call);
    for (const skn_json *c = list->first; c; c = c->next) {
        skein_tool_call *call = &calls[out->call_count++];

        if ((rc = need_object(c, "toolCalls", err)) ||
            (rc = skn_json_text(c, "toolCallId", &call->call_id, err)) ||
            (rc = skn_json_text(c, "toolName", &call->tool_name, err)))
            return rc;
        args = skn_json_get(c, "args");
        call->args = args ? args->raw : SKN_STR("{}");
    }
    out->calls = calls;
    return SKEIN_OK;
}

static skein_rc read_status(const skn_json *v, bool *failed, skein_error *err)
{
    skn_str  status;
    skein_rc rc;

    if ((rc = skn_json_flag(v, "isError", false, failed, err)) ||
        (rc = skn_json_text(v, "toolStatus", &status, err)) || !status.p)
        return rc;
    if (skn_str_is(status, "error") || skn_str_is(status, "failed"))
        *failed = true;
    else if (!skn_str_is(status, "ok") && !skn_str_is(status, "success"))
        return skn_fail(err, SKEIN_INVALID,
                        "\"toolStatus\" is \"%.*s\"; it must be ok or error", SKN_FMT(status));
    return SKEIN_OK;
}

static skein_rc read_instructions(const skn_json *v, skn_arena *a, skein_new_message *out,
                                  skein_error *err)
{
    const skn_json    *list;
    skein_instruction *all;
    skein_rc           rc = member_array(v, "instructions", &list, err);

    if (rc || !list)
        return rc;
    all = SKN_ARRAY(a, list->count + 1, skein_instruction);
    for (const skn_json *i = list->first; i; i = i->next) {
        skein_instruction *one = &all[out->instruction_count++];

        if ((rc = need_object(i, "instructions", err)) ||
            (rc = skn_json_text(i, "type", &one->type, err)) ||
            (rc = skn_json_text(i, "target", &one->target, err)))
            return rc;
    }
    out->instructions = all;
    return SKEIN_OK;
}

static skein_rc read_hearers(const skn_json *v, skn_arena *a, skein_new_message *out,
                             skein_error *err)
{
    const skn_json *list;
    skein_str      *names;
    skein_rc        rc = member_array(v, "seenByAgents", &list, err);

    if (rc || !list)
        return rc;
    names = SKN_ARRAY(a, list->count + 1, skein_str);
    for (const skn_json *n = list->first; n; n = n->next) {
        if (n->kind != SKN_JSON_STRING)
            return skn_fail(err, SKEIN_INVALID, "\"seenByAgents\" must hold names");
        names[out->heard_by_count++] = n->text;
    }
    out->heard_by = names;
    out->heard_by_given = true;
    return SKEIN_OK;
}

static skein_rc read_time(const skn_json *v, int64_t *out, skein_error *err)
{
    skn_str  text;
    skein_rc rc = skn_json_text(v, "createdAt", &text, err);

    if (rc || !text.p || skn_time_parse(text, out))
        return rc;
    return skn_fail(err, SKEIN_INVALID,
                    "\"createdAt\" is \"%.*s\", which is not an RFC 3339 time", SKN_FMT(text));
}

/* A line that says only that it was stopped is from before there were kinds of it. */
static skein_rc read_unfinished(const skn_json *v, skein_unfinished *out, skein_error *err)
{
    bool     stopped;
    skn_str  why;
    skein_rc rc = skn_json_flag(v, "stopped", false, &stopped, err);

    if (rc || (rc = skn_json_text(v, "unfinished", &why, err)))
        return rc;
    *out = stopped ? SKEIN_STOPPED : SKEIN_WHOLE;
    if (!why.p || skein_unfinished_from(why, out))
        return SKEIN_OK;
    return skn_fail(err, SKEIN_INVALID,
                    "\"unfinished\" must be \"stopped\", \"cut\", \"length\", \"thinking\", "
                    "\"blank\" or \"repeated\"");
}

static skein_rc read_members(const skn_json *v, skn_arena *a, skein_new_message *out,
                             skn_str *lane, skein_error *err)
{
    skn_str  wrong;
    skein_rc rc = read_role(v, &out->role, err);

    if (rc == SKEIN_OK && !skn_given_read(v, false, out, &wrong))
        rc = skn_fail(err, SKEIN_INVALID, "\"%.*s\" must be a text", SKN_FMT(wrong));
    if (rc || (rc = skn_json_text(v, "messageId", &out->uid, err)) ||
        (rc = skn_json_text(v, "lane", lane, err)) || (rc = read_calls(v, a, out, err)) ||
        (rc = read_status(v, &out->tool_failed, err)) ||
        (rc = read_unfinished(v, &out->unfinished, err)) ||
        (rc = read_instructions(v, a, out, err)) || (rc = read_hearers(v, a, out, err)))
        return rc;
    return read_time(v, &out->created_at, err);
}

/* --- Members that no message has -------------------------------------------------------------- */

static const char *const taken[] = {
    "messageId", "role",       "sender",  "content",      "thinking",     "replyToMessageId",
    "toolCalls", "toolCallId", "isError", "toolStatus",   "model",        "turnId",
    "stopped",   "createdAt",  "lane",    "seenByAgents", "instructions", "files"};

static const char *taken_at(const void *ctx, size_t i)
{
    (void)ctx;
    return i < sizeof taken / sizeof *taken ? taken[i] : NULL;
}

/* Taken, or printed with messages: what "skein log" and "skein tree" print can be read again. */
static bool is_member(skn_str name)
{
    for (size_t i = 0; taken_at(NULL, i); i++)
        if (skn_str_is(name, taken[i]))
            return true;
    return skn_is_among(SKN_STR(SKN_FIELDS_NODE), name);
}

static skn_str first_unknown(const skn_json *message)
{
    for (const skn_json *m = message->first; m; m = m->next)
        if (!is_member(m->key))
            return m->key;
    return SKN_NONE;
}

const char *skn_message_member_near(skn_str unknown, skn_arena *a)
{
    return skn_suggest(skn_arena_copy(a, unknown).p, taken_at, NULL);
}

skein_rc skn_call_said(skn_api_call *c, skein_new_message *out)
{
    skn_str wrong;

    return skn_given_read(c->json, true, out, &wrong)
               ? SKEIN_OK
               : skn_call_wrong(c, "must be a text", "/%.*s", SKN_FMT(wrong));
}

skein_rc skn_message_read(const skn_json *v, skn_arena *a, skein_new_message *out,
                          skn_str *lane, skn_str *unknown, skein_error *err)
{
    *out = (skein_new_message){.role = SKEIN_USER};
    *lane = *unknown = SKN_NONE;
    if (v->kind != SKN_JSON_OBJECT)
        return skn_fail(err, SKEIN_INVALID, "a message is a JSON object");
    *unknown = first_unknown(v);
    return read_members(v, a, out, lane, err);
}
