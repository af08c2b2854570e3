/* prompt_check.h: reads what a model would be sent as the providers do, message by message. It shares no
 * code with the builder: a mistake in one should not hide in the other.
 *
 * Threads: any.  Lifetimes: one call. */
#ifndef TESTS_PROMPT_CHECK_H
#define TESTS_PROMPT_CHECK_H

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "engine/view/modelview.h"

#include <string.h>

typedef struct prompt_check {
    const skn_prompt *p;
    skn_arena        *a;
    skn_map          *seen; /* call ids */
    size_t            i;    /* the message under the eye */
    skein_error      *err;
} prompt_check;

static inline skein_rc bad(prompt_check *c, const char *what)
{
    return skn_fail(c->err, SKEIN_FAILED, "message %zu of the model view: %s", c->i, what);
}

static inline bool word(skn_str s, size_t max)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    if (!s.p || s.n < 1 || s.n > max)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!memchr(allowed, s.p[i], sizeof allowed - 1))
            return false;
    return true;
}

static inline bool readable(skn_str s)
{
    return s.p && skn_str_trim(s).n > 0 && skn_utf8_valid(s, NULL);
}

static inline skein_rc check_call(prompt_check *c, const skein_tool_call *call)
{
    const skn_json *args = NULL;
    void          **slot;

    if (!word(call->call_id, 40))
        return bad(c, "a call id is not 1 to 40 letters, digits, \"_\" or \"-\"");
    if (!word(call->tool_name, 64))
        return bad(c, "a tool name is not 1 to 64 letters, digits, \"_\" or \"-\"");
    slot = skn_map_slot(c->seen, call->call_id);
    if (*slot)
        return bad(c, "a call id is used twice");
    *slot = c;
    if (skn_json_parse(&args, call->args, "arguments", c->a, NULL) ||
        args->kind != SKN_JSON_OBJECT)
        return bad(c, "arguments are no JSON object");
    return SKEIN_OK;
}

static inline skein_rc check_result(prompt_check *c, const skein_tool_call *call)
{
    const skn_prompt_message *m;

    if (c->i >= c->p->count)
        return bad(c, "the result of a call is missing at the end");
    m = &c->p->at[c->i];
    if (m->role != SKEIN_TOOL || !skn_str_eq(m->tool_call_id, call->call_id))
        return bad(c, "it should be the result of the call before it");
    if (!skn_str_eq(m->tool_name, call->tool_name))
        return bad(c, "a result names another tool than its call");
    if (m->call_count)
        return bad(c, "a result makes calls");
    return readable(m->text) ? SKEIN_OK : bad(c, "a result has no text");
}

/* One assistant's message with the results it asks for; c->i ends behind them. */
static inline skein_rc check_assistant(prompt_check *c)
{
    const skn_prompt_message *m = &c->p->at[c->i];
    skein_rc                  rc;

    if (m->tool_call_id.p)
        return bad(c, "an assistant carries a result's id");
    if (m->text.p ? !readable(m->text) : !m->call_count)
        return bad(c, "an assistant says nothing");
    for (size_t k = 0; k < m->call_count; k++)
        if ((rc = check_call(c, &m->calls[k])))
            return rc;
    c->i++;
    for (size_t k = 0; k < m->call_count; k++, c->i++)
        if ((rc = check_result(c, &m->calls[k])))
            return rc;
    if (c->i == c->p->count && !m->call_count)
        return bad(c, "the assistant has the last word");
    if (c->i < c->p->count && !m->call_count && c->p->at[c->i].role != SKEIN_USER)
        return bad(c, "the user should speak after the assistant");
    return SKEIN_OK;
}

static inline skein_rc check_user(prompt_check *c)
{
    const skn_prompt_message *m = &c->p->at[c->i];

    if (m->role != SKEIN_USER)
        return bad(c, "it should be the user's");
    if (m->call_count || m->tool_call_id.p)
        return bad(c, "a user makes calls or carries a result's id");
    if (!readable(m->text))
        return bad(c, "a user says nothing");
    c->i++;
    if (c->i < c->p->count && c->p->at[c->i].role != SKEIN_ASSISTANT)
        return bad(c, "the assistant should speak after the user");
    return SKEIN_OK;
}

/* Refuses a list that one of the providers would refuse. */
static inline skein_rc prompt_valid(const skn_prompt *p, skein_error *err)
{
    prompt_check c = {.p = p, .a = skn_arena_new(), .err = err};
    skein_rc     rc = SKEIN_OK;

    c.seen = skn_map_new(c.a);
    if (!p->count)
        rc = bad(&c, "there is none");
    else
        rc = check_user(&c);
    while (!rc && c.i < p->count)
        rc = p->at[c.i].role == SKEIN_ASSISTANT ? check_assistant(&c) : check_user(&c);
    skn_arena_free(c.a);
    return rc;
}

/* The list as messages said by `viewpoint` and a human, to be viewed again with `rendered` set. */
static inline skein_messages prompt_messages(const skn_prompt *p, skein_agent_id viewpoint,
                                             skn_arena *a)
{
    skein_messages out = {SKN_ARRAY(a, p->count, skein_message), p->count};

    for (size_t i = 0; i < p->count; i++) {
        const skn_prompt_message *from = &p->at[i];
        skein_message            *to = &out.at[i];

        to->role = from->role;
        to->author = from->role == SKEIN_USER ? SKEIN_BY_HUMAN : SKEIN_BY_AGENT;
        if (from->role != SKEIN_USER)
            to->author_agent = viewpoint;
        to->content = from->text;
        to->calls = from->calls;
        to->call_count = from->call_count;
        to->tool_call_id = from->tool_call_id;
        to->tool_failed = from->failed;
        to->position = (int64_t)i;
    }
    return out;
}

#endif
