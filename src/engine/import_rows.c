/* import_rows.c: one message as JSON, in the spellings of OpenAI, of agent-world and of our own
 * export. What has no place here is dropped with a note; what has one is taken as it is. */
#include "base/json_write.h"
#include "engine/import.h"

#include <string.h>

skn_str skn_foreign_text(const skn_json *v, const char *key)
{
    v = skn_json_get(v, key);
    return v && v->kind == SKN_JSON_STRING ? v->text : SKN_NONE;
}

/* The first of several spellings that is there and no null. */
static const skn_json *member(const skn_json *v, const char *a, const char *b)
{
    const skn_json *m = skn_json_get(v, a);

    if (!m || m->kind == SKN_JSON_NULL)
        m = b ? skn_json_get(v, b) : NULL;
    return m && m->kind != SKN_JSON_NULL ? m : NULL;
}

static skn_str text_of(const skn_json *v, const char *a, const char *b)
{
    v = member(v, a, b);
    return v && v->kind == SKN_JSON_STRING ? v->text : SKN_NONE;
}

/* SQLite's own times have a blank for the T, and neither has a zone: they are in UTC. */
int64_t skn_foreign_time_text(skn_str text)
{
    char    buf[40];
    int64_t n = 0;

    if (skn_time_parse(text, &n))
        return n;
    if (text.n < 19 || text.n > 30)
        return 0;
    memcpy(buf, text.p, text.n);
    if (buf[10] == ' ')
        buf[10] = 'T';
    if (skn_time_parse((skn_str){buf, text.n}, &n))
        return n;
    buf[text.n] = 'Z';
    return skn_time_parse((skn_str){buf, text.n + 1}, &n) ? n : 0;
}

int64_t skn_foreign_time_number(skn_str digits)
{
    const int64_t million = 1000 * 1000;
    int64_t       n = 0;
    skn_str       whole;

    if (!skn_str_split(&digits, '.', &whole) || !skn_str_int(whole, &n) || n < 0)
        return 0;
    if (n < 100000 * million) /* seconds, until the year 5138 */
        return n * million;
    return n < INT64_MAX / 1000 ? n * 1000 : 0;
}

int64_t skn_foreign_time(const skn_json *v)
{
    if (!v)
        return 0;
    if (v->kind == SKN_JSON_STRING)
        return skn_foreign_time_text(v->text);
    return v->kind == SKN_JSON_NUMBER ? skn_foreign_time_number(v->text) : 0;
}

/* --- Content ------------------------------------------------------------------------------ */

/* A list of parts: texts are joined, anything else cannot be kept. */
static skn_str join_parts(skn_foreign *f, const skn_json *parts, const char *what)
{
    skn_buf buf;
    skn_str joined;

    skn_buf_init(&buf, SKN_IMPORT_FILE);
    for (const skn_json *p = parts->first; p; p = p->next) {
        skn_str text = p->kind == SKN_JSON_STRING ? p->text : skn_foreign_text(p, "text");

        if (!text.p)
            skn_foreign_note(f->file, "%s: a part of its content is no text and was left out",
                             what);
        else if (buf.n && text.n)
            skn_buf_addc(&buf, '\n');
        skn_buf_add(&buf, text);
    }
    joined = skn_arena_copy(f->a, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return joined;
}

static skn_str content_of(skn_foreign *f, const skn_json *row, const char *what)
{
    const skn_json *v = member(row, "content", "text");

    if (!v)
        return SKN_STR("");
    if (v->kind == SKN_JSON_STRING)
        return v->text;
    return v->kind == SKN_JSON_ARRAY ? join_parts(f, v, what) : v->raw;
}

/* --- Tool calls --------------------------------------------------------------------------- */

/* Arguments are JSON inside a text; a text that is none becomes one. */
static skn_str arguments_of(skn_foreign *f, const skn_json *v)
{
    const skn_json *inner;
    skn_buf         buf;
    skn_jw          w;
    skn_str         quoted;

    if (!v)
        return SKN_NONE;
    if (v->kind != SKN_JSON_STRING)
        return v->raw;
    if (v->text.n == 0)
        return SKN_NONE;
    if (skn_json_parse(&inner, v->text, "arguments", f->a, NULL) == SKEIN_OK)
        return v->text;
    skn_buf_init(&buf, SKN_IMPORT_FILE);
    skn_jw_init(&w, &buf);
    skn_jw_str(&w, v->text);
    quoted = skn_arena_copy(f->a, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return quoted;
}

static skein_tool_call call_of(skn_foreign *f, const skn_json *v)
{
    const skn_json *function = skn_json_get(v, "function");
    skein_tool_call c = {.call_id = text_of(v, "toolCallId", "id")};

    c.tool_name = function ? skn_foreign_text(function, "name")
                           : text_of(v, "toolName", "name");
    c.args = arguments_of(f, function ? skn_json_get(function, "arguments")
                                      : member(v, "args", "arguments"));
    return c;
}

void skn_foreign_calls(skn_foreign *f, const skn_json *list, const char *what,
                       skein_new_message *out)
{
    size_t           n = 0;
    skein_tool_call *calls;

    if (!list || list->kind != SKN_JSON_ARRAY)
        return;
    calls = SKN_ARRAY(f->a, list->count, skein_tool_call);
    for (const skn_json *v = list->first; v; v = v->next) {
        calls[n] = call_of(f, v);
        if (calls[n].call_id.n && calls[n].tool_name.n)
            n++;
        else
            skn_foreign_note(f->file, "%s: a tool call without id or name was left out", what);
    }
    out->calls = calls;
    out->call_count = n;
}

/* Who it is from is told by the message itself, in every answer anew: it is not stored. */
static bool is_to_keep(const skein_instruction *in)
{
    return in->type.n > 0 && !skn_str_starts(in->type, SKN_STR("Source."));
}

static void read_instructions(skn_foreign *f, const skn_json *row, skein_new_message *out)
{
    const skn_json    *list = skn_json_get(row, "instructions");
    skein_instruction *in;
    size_t             n = 0;

    if (!list || list->kind != SKN_JSON_ARRAY)
        return;
    in = SKN_ARRAY(f->a, list->count, skein_instruction);
    for (const skn_json *v = list->first; v; v = v->next) {
        in[n] = (skein_instruction){skn_foreign_text(v, "type"), skn_foreign_text(v, "target")};
        n += is_to_keep(&in[n]);
    }
    out->instructions = in;
    out->instruction_count = n;
}

/* --- The row ------------------------------------------------------------------------------ */

bool skn_foreign_role(skn_str name, skein_role *out)
{
    if (skn_str_is(name, "developer")) {
        *out = SKEIN_SYSTEM;
        return true;
    }
    if (skn_str_is(name, "human")) {
        *out = SKEIN_USER;
        return true;
    }
    return skein_role_from(name, out);
}

static bool failed(const skn_json *row)
{
    const skn_json *v = member(row, "isError", "is_error");

    return (v && v->kind == SKN_JSON_BOOL && v->boolean) ||
           skn_str_is(skn_foreign_text(row, "toolStatus"), "error");
}

/* What was written before there were kinds of it says only that it was stopped. */
static skein_unfinished unfinished(const skn_json *row)
{
    const skn_json  *v = member(row, "stopped", NULL);
    skein_unfinished why;

    if (skein_unfinished_from(skn_foreign_text(row, "unfinished"), &why))
        return why;
    return v && v->kind == SKN_JSON_BOOL && v->boolean ? SKEIN_STOPPED : SKEIN_WHOLE;
}

void skn_foreign_row(skn_foreign *f, const skn_json *row, const char *what,
                     skein_new_message *out, const char **why)
{
    skn_str role = skn_foreign_text(row, "role");

    *out = (skein_new_message){0};
    *why = NULL;
    if (row->kind != SKN_JSON_OBJECT)
        *why = "it is no object";
    else if (role.p && !skn_foreign_role(role, &out->role))
        *why = "its role is unknown";
    if (*why)
        return;
    out->uid = text_of(row, "messageId", "message_id");
    out->reply_to = text_of(row, "replyToMessageId", "reply_to_message_id");
    out->sender = text_of(row, "sender", "name");
    out->content = content_of(f, row, what);
    out->thinking = text_of(row, "thinking", "reasoning_content");
    out->tool_call_id = text_of(row, "toolCallId", "tool_call_id");
    out->tool_failed = failed(row);
    out->model = text_of(row, "model", NULL);
    out->turn_uid = text_of(row, "turnId", NULL);
    out->unfinished = unfinished(row);
    out->created_at = skn_foreign_time(member(row, "createdAt", "created_at"));
    skn_foreign_calls(f, member(row, "toolCalls", "tool_calls"), what, out);
    read_instructions(f, row, out);
}

/* Ids and times are settled later, and one that cannot be ours is no reason to drop the message. */
bool skn_foreign_checks(skn_foreign *f, const skein_new_message *m, skein_error *why)
{
    skein_new_message bare = *m;

    bare.uid = bare.reply_to = SKN_NONE;
    bare.created_at = 0;
    return skn_check_new(f->e, &bare, why) == SKEIN_OK;
}
