/* check.c: what may be stored. Every input has a limit; what one database cannot keep, none keeps. */
#include "base/uid.h"
#include "base/utf8.h"
#include "engine/core.h"

skein_rc skn_check_text(const skein_engine *e, skn_str s, const char *what, skein_error *err)
{
    if (s.n > e->max_text) {
        return skn_fail_hint(err, SKEIN_LIMIT,
                             "Split it, or keep it in a file and name the file.",
                             "%s is %zu bytes; the limit is %zu", what, s.n, e->max_text);
    }
    return s.p ? skn_utf8_check(s, what, err) : SKEIN_OK;
}

skein_rc skn_check_word(skn_str s, const char *what, size_t max, skein_error *err)
{
    skein_rc rc;

    if (s.n == 0)
        return skn_fail(err, SKEIN_INVALID, "%s is empty", what);
    if (s.n > max)
        return skn_fail(err, SKEIN_LIMIT, "%s is %zu bytes; the limit is %zu", what, s.n, max);
    if ((rc = skn_utf8_check(s, what, err)))
        return rc;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return skn_fail(err, SKEIN_INVALID, "%s has a control character", what);
    return SKEIN_OK;
}

skein_rc skn_check_given(skn_str s, const char *what, size_t max, skein_error *err)
{
    return s.p ? skn_check_word(s, what, max, err) : SKEIN_OK;
}

static skein_rc check_json(const skein_engine *e, skn_str text, const char *what,
                           skein_error *err)
{
    const skn_json *v;
    skn_arena      *scratch;
    skein_rc        rc = skn_check_text(e, text, what, err);

    if (rc || text.n == 0)
        return rc;
    scratch = skn_arena_new();
    rc = skn_json_parse(&v, text, what, scratch, err);
    skn_arena_free(scratch);
    return rc;
}

static skein_rc check_call(const skein_engine *e, const skein_tool_call *c, skein_error *err)
{
    skein_rc rc;

    if ((rc = skn_check_word(c->call_id, "a tool call's id", SKN_WORD_MAX, err)) ||
        (rc = skn_check_word(c->tool_name, "a tool's name", SKN_WORD_MAX, err)))
        return rc;
    return check_json(e, c->args, "a tool call's arguments", err);
}

static skein_rc check_calls(const skein_engine *e, const skein_new_message *m, skein_error *err)
{
    skein_rc rc;

    if (m->call_count > 0 && m->role != SKEIN_ASSISTANT)
        return skn_fail(err, SKEIN_INVALID, "a message of role \"%s\" cannot call tools",
                        skein_role_name(m->role));
    if (m->call_count > SKN_CALLS_MAX)
        return skn_fail(err, SKEIN_LIMIT, "a message has %zu tool calls; the limit is %zu",
                        m->call_count, SKN_CALLS_MAX);
    for (size_t i = 0; i < m->call_count; i++)
        if ((rc = check_call(e, &m->calls[i], err)))
            return rc;
    if (m->role == SKEIN_TOOL && !m->tool_call_id.p)
        return skn_fail(err, SKEIN_INVALID, "a tool's result needs the id of its call");
    if (m->tool_call_id.p && m->role != SKEIN_TOOL)
        return skn_fail(err, SKEIN_INVALID, "only a tool's result has the id of a call");
    return SKEIN_OK;
}

static skein_rc check_instructions(const skein_new_message *m, skein_error *err)
{
    skein_rc rc;

    if (m->instruction_count > SKN_TAGS_MAX)
        return skn_fail(err, SKEIN_LIMIT, "a message has %zu instructions; the limit is %zu",
                        m->instruction_count, SKN_TAGS_MAX);
    for (size_t i = 0; i < m->instruction_count; i++) {
        const skein_instruction *in = &m->instructions[i];

        if ((rc = skn_check_word(in->type, "an instruction's type", SKN_WORD_MAX, err)) ||
            (rc = skn_check_given(in->target, "an instruction's target", SKN_WORD_MAX, err)))
            return rc;
    }
    return SKEIN_OK;
}

static skein_rc check_id(const skein_engine *e, skn_str id, const char *what, skein_error *err)
{
    skein_rc rc;

    (void)e;
    if (!id.p || skn_uid_valid(id))
        return SKEIN_OK;
    rc = skn_fail(err, SKEIN_INVALID, "\"%.*s\"%s is not a message id",
                  (int)(id.n < 80 ? id.n : 80), id.p, what);
    return skn_hint(err, rc, "An id has 1 to %d letters, digits, \"-\", \"_\" or \".\".",
                    SKN_UID_MAX);
}

static skein_rc check_word(const skein_engine *e, skn_str word, const char *what,
                           skein_error *err)
{
    (void)e;
    return skn_check_given(word, what, SKN_WORD_MAX, err);
}

/* Only an assistant that calls tools or was stopped may have nothing to say, and a tool may return nothing. A
 * person who gives only blanks has said nothing. */
static skein_rc check_empty(const skein_new_message *m, skein_error *err)
{
    skn_str said = m->role == SKEIN_USER ? skn_str_trim(m->content) : m->content;

    if (said.n > 0 || m->role == SKEIN_TOOL || m->files.n ||
        (m->role == SKEIN_ASSISTANT &&
         (m->call_count > 0 || m->thinking.n > 0 || m->unfinished)))
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_INVALID,
                         "Only an assistant's message with tool calls may be empty.",
                         "the message has no text");
}

/* Zero is none: it gets the time of now. */
static skein_rc check_time(int64_t micros, skein_error *err)
{
    char shown[SKN_TIME_TEXT];

    if (skn_time_given(micros))
        return SKEIN_OK;
    return skn_fail_hint(
        err, SKEIN_INVALID, "Leave the time out to get the time of now.",
        "the time is %.*s, which is %s", SKN_FMT(skn_time_format(micros, shown)),
        micros < 0 ? "before 1970" : "more than a day ahead of the clock here");
}

skein_rc skn_check_new(const skein_engine *e, const skein_new_message *m, skein_error *err)
{
    skein_rc rc;

    if ((rc = check_empty(m, err)) || (rc = check_id(e, m->uid, "", err)))
        return rc;
#define check_text skn_check_text
#define MESSAGE_GIVEN(column, member, limit, name, ...)                                        \
    if ((rc = check_##limit(e, m->member, name, err)))                                         \
        return rc;
#include "store/message.def"
    if ((rc = check_calls(e, m, err)) || (rc = check_instructions(m, err)))
        return rc;
    return check_time(m->created_at, err);
}

/* --- Rows in the order of a number --------------------------------------------------------------------- */

int skn_by_number(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return (a > b) - (a < b);
}

size_t skn_first_from(const void *rows, size_t count, size_t size, size_t at, int64_t number)
{
    size_t lo = 0, hi = count;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (*(const int64_t *)(const void *)((const char *)rows + mid * size + at) < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* --- Roles --------------------------------------------------------------------------------------------- */

static const char *const role_names[] = {
    [SKEIN_USER] = "user",       [SKEIN_ASSISTANT] = "assistant", [SKEIN_TOOL] = "tool",
    [SKEIN_SUMMARY] = "summary", [SKEIN_SYSTEM] = "system",
};
const skn_enum skn_role_names = SKN_ENUM(role_names);

const char *skein_role_name(skein_role role)
{
    const char *name = skn_enum_name(&skn_role_names, (int)role);

    return name ? name : "unknown";
}

bool skein_role_from(skein_str name, skein_role *out)
{
    return skn_enum_from(&skn_role_names, name, (int *)out);
}

/* --- What ends before its end -------------------------------------------------------------------------- */

static const char *const unfinished_names[] = {
    [SKEIN_STOPPED] = "stopped",  [SKEIN_CUT] = "cut",     [SKEIN_LENGTH] = "length",
    [SKEIN_THOUGHT] = "thinking", [SKEIN_BLANK] = "blank", [SKEIN_REPEATED] = "repeated"};
static const char *const unfinished_words[] = {[SKEIN_STOPPED] = "stopped",
                                               [SKEIN_CUT] = "cut off",
                                               [SKEIN_LENGTH] = "reached the length limit",
                                               [SKEIN_THOUGHT] = "ended while thinking",
                                               [SKEIN_BLANK] = "wrote only blanks",
                                               [SKEIN_REPEATED] = "repeated itself"};
const skn_enum           skn_unfinished_names = SKN_ENUM(unfinished_names);

const char *skein_unfinished_name(skein_unfinished why)
{
    return skn_enum_name(&skn_unfinished_names, (int)why);
}

const char *skein_unfinished_words(skein_unfinished why)
{
    return skn_enum_name(&(const skn_enum)SKN_ENUM(unfinished_words), (int)why);
}

bool skein_unfinished_from(skein_str name, skein_unfinished *out)
{
    return skn_enum_from(&skn_unfinished_names, name, (int *)out);
}
