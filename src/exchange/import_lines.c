/* import_lines.c: messages as JSON: one a line, one conversation a line ({"messages":[…]}), or
 * one document. A broken line refuses the file; a row that has no place here is dropped with a
 * note. */
#include "base/lines.h"
#include "exchange/import.h"

#define LINE_MAX_BYTES ((size_t)128 << 20)

typedef struct reading {
    skn_foreign *f;
    const char  *path;
    int64_t      place; /* of the next row */
} reading;

static void drop_line(reading *r, const char *what, const char *why)
{
    r->f->report.dropped++;
    skn_foreign_note(r->f->file, "%s was dropped: %s", what, why);
}

/* --- One message -------------------------------------------------------------------------- */

/* Who says it: an assistant is an agent here, under its name or as "assistant". */
static void set_sender(skn_foreign *f, skn_foreign_message *m)
{
    skn_str sender = m->m.sender.n ? m->m.sender : SKN_NONE;

    m->author = -1;
    switch (m->m.role) {
    case SKEIN_ASSISTANT:
        m->author = skn_foreign_agent_of(f, sender.p ? sender : SKN_STR("assistant"));
        break;
    case SKEIN_USER:
    case SKEIN_TOOL:
        m->author = skn_foreign_agent_find(f, sender);
        break;
    case SKEIN_SUMMARY:
    case SKEIN_SYSTEM:
        break;
    }
    if (m->author >= 0)
        m->m.sender = f->agents.p[m->author].name;
    else if (!sender.p)
        m->m.sender = m->m.role == SKEIN_USER      ? SKN_STR("human")
                      : m->m.role == SKEIN_TOOL    ? SKN_STR("tool")
                      : m->m.role == SKEIN_SUMMARY ? SKN_STR("summary")
                                                   : SKN_STR("system");
}

/* Our own lines say who heard it; of other files we take that everybody did. */
static void set_hearers(skn_foreign *f, const skn_json *row, skn_foreign_message *m)
{
    const skn_json *seen = skn_json_get(row, "seenByAgents");
    int64_t         agent;

    m->heard_by_all = !seen || seen->kind != SKN_JSON_ARRAY;
    if (m->heard_by_all)
        return;
    for (const skn_json *v = seen->first; v; v = v->next) {
        agent = v->kind == SKN_JSON_STRING ? skn_foreign_agent_of(f, v->text) : -1;
        if (agent >= 0)
            skn_foreign_heard(f, m, (size_t)agent);
    }
}

/* A system message is kept as a notice, which no model is sent; the agent's prompt is what it
 * was. */
static void note_prompt(skn_foreign *f, const skn_foreign_message *m)
{
    int64_t agent;

    if (m->m.role != SKEIN_SYSTEM || m->m.content.n == 0 || f->agents.n > 1)
        return;
    agent = skn_foreign_agent_of(f, SKN_STR("assistant"));
    if (agent >= 0 && !f->agents.p[agent].system_prompt.p)
        f->agents.p[agent].system_prompt = m->m.content;
}

static void add_row(reading *r, const skn_json *row, size_t chat, const char *what)
{
    skn_foreign        *f = r->f;
    skn_foreign_message m = {.chat = chat, .author = -1, .parent = -1, .place = r->place++};
    const char         *why;
    skein_error         cause;

    skn_foreign_row(f, row, what, &m.m, &why);
    if (!why && skn_json_get(row, "lane"))
        why = "it belongs to a delegation, which only an archive keeps";
    if (why) {
        drop_line(r, what, why);
        return;
    }
    set_sender(f, &m);
    if (m.m.role != SKEIN_TOOL)
        m.m.tool_call_id = SKN_NONE;
    if (!skn_foreign_checks(f, &m.m, &cause)) {
        drop_line(r, what, cause.message);
        return;
    }
    if (!m.m.created_at)
        m.m.created_at = f->created_at;
    skn_vec_add(f->a, &f->messages, m);
    set_hearers(f, row, &f->messages.p[f->messages.n - 1]);
    note_prompt(f, &m);
}

/* --- Conversations ------------------------------------------------------------------------ */

static void add_list(reading *r, const skn_json *list, size_t chat, const char *where)
{
    int64_t number = 0;

    for (const skn_json *row = list->first; row && skn_foreign_fits(r->f->file);
         row = row->next)
        add_row(r, row, chat,
                skn_arena_text(r->f->a, "message %lld of %s", (long long)++number, where));
}

static void add_agents(skn_foreign *f, const skn_json *list)
{
    for (const skn_json *v = list ? list->first : NULL; v; v = v->next) {
        skn_str name = skn_json_str(v, "name");
        int64_t agent = name.n ? skn_foreign_agent_of(f, name) : -1;

        if (agent < 0)
            continue;
        skn_import_agent(f, (size_t)agent, v, true);
    }
}

/* An object with "messages": a conversation of its own. */
static void add_conversation(reading *r, const skn_json *doc, const char *where)
{
    skn_foreign    *f = r->f;
    const skn_json *chat = skn_json_get(doc, "chat");
    skn_str         title = skn_json_str(chat ? chat : doc, "title");
    size_t          index = skn_foreign_chat_new(f, skn_foreign_title(f, title));

    add_agents(f, skn_json_get(doc, "agents"));
    add_list(r, skn_json_get(doc, "messages"), index, where);
}

static bool has_messages(const skn_json *v)
{
    const skn_json *list = skn_json_get(v, "messages");

    return list && list->kind == SKN_JSON_ARRAY;
}

/* The reader of JSON counts lines from the start of what it is given, which is one line. */
static const char *within_line(const char *message, const char *what)
{
    size_t n = strlen(what);

    if (strncmp(message, what, n) != 0 || strncmp(message + n, ": ", 2) != 0)
        return message;
    return message + n + (strncmp(message + n, ": line 1, ", 10) == 0 ? 10 : 2);
}

static skein_rc add_line(reading *r, skn_str line, int64_t number, skein_error *err)
{
    const char     *what = skn_arena_text(r->f->a, "line %lld", (long long)number);
    const skn_json *v;
    skein_error     cause;

    line = skn_str_trim(line);
    if (line.n == 0)
        return SKEIN_OK;
    if (skn_json_parse(&v, line, what, r->f->a, &cause))
        return skn_fail(err, SKEIN_DATA, "\"%s\": %s, %s", r->path, what,
                        within_line(cause.message, what));
    if (has_messages(v))
        add_conversation(r, v, what);
    else
        add_row(r, v, skn_foreign_chat_of(r->f, skn_json_str(v, "chatId")), what);
    return SKEIN_OK;
}

static skein_rc read_lines(reading *r, skn_lines *lines, skein_error *err)
{
    skn_str  line;
    bool     more;
    skein_rc rc;

    while (!(rc = skn_lines_next(lines, &line, &more, NULL, err)) && more &&
           skn_foreign_fits(r->f->file))
        if ((rc = add_line(r, line, lines->number, err)))
            return rc;
    return rc;
}

/* --- Which it is -------------------------------------------------------------------------- */

static skein_rc read_document(reading *r, const skn_json *doc, skein_error *err)
{
    skn_foreign *f = r->f;

    if (skn_import_is_world(doc)) {
        f->file->form = SKN_STR("agent-world export");
        return skn_import_world(f, doc, err);
    }
    f->file->form = SKN_STR("JSON document");
    if (has_messages(doc))
        add_conversation(r, doc, "the document");
    else if (doc->kind == SKN_JSON_ARRAY)
        add_list(r, doc, skn_foreign_chat_of(f, SKN_NONE), "the list");
    return SKEIN_OK;
}

/* A first line that is an object of its own makes it lines; anything else is one document. */
static bool is_lines(skn_str bytes, skn_arena *a)
{
    skn_str         rest = bytes, line = SKN_NONE;
    const skn_json *v;

    while (skn_str_split(&rest, '\n', &line) && skn_str_trim(line).n == 0)
        ;
    if (!line.p || skn_json_parse(&v, line, "it", a, NULL) || v->kind != SKN_JSON_OBJECT)
        return false;
    return skn_str_trim(rest).n > 0 || (!has_messages(v) && !skn_import_is_world(v));
}

static skein_rc read_bytes(reading *r, skn_str bytes, skein_error *err)
{
    const skn_json *doc;
    skn_lines       lines;
    skein_error     cause;

    if (is_lines(bytes, r->f->a)) {
        r->f->file->form = SKN_STR("JSON lines");
        skn_lines_memory(&lines, r->path, bytes, LINE_MAX_BYTES);
        return read_lines(r, &lines, err);
    }
    if (skn_json_parse(&doc, bytes, r->path, r->f->a, &cause)) {
        if (cause.rc == SKEIN_NO_MEMORY)
            return skn_fail(err, cause.rc, "%s", cause.message);
        return skn_fail_hint(err, SKEIN_DATA, SKN_IMPORT_KNOWN, "cannot import %s",
                             cause.message);
    }
    return read_document(r, doc, err);
}

skein_rc skn_import_lines(skn_foreign_file *file, const char *path, skein_error *err)
{
    skn_foreign *f = skn_foreign_new(file);
    reading      r = {.f = f, .path = path};
    skn_buf      bytes;
    skein_rc     rc;

    skn_buf_init(&bytes, SKN_IMPORT_FILE);
    rc = skn_import_read(path, &bytes, err);
    if (!rc) /* values are views of the bytes, which must last as long as they do */
        rc = read_bytes(&r, skn_arena_copy(f->a, skn_buf_str(&bytes)), err);
    skn_buf_release(&bytes);
    if (!rc && f->current_chat < 0 && f->chats.n)
        f->current_chat = (int64_t)f->chats.n - 1;
    return rc;
}

/* One message as JSON, in the spellings of OpenAI, of agent-world and of our own
 * export. What has no place here is dropped with a note; what has one is taken as it is. */

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
static int64_t time_of_text(skn_str text)
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

static int64_t time_of_number(skn_str digits)
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
        return time_of_text(v->text);
    return v->kind == SKN_JSON_NUMBER ? time_of_number(v->text) : 0;
}

/* --- Content ------------------------------------------------------------------------------ */

/* A list of parts: texts are joined, anything else cannot be kept. */
static skn_str join_parts(skn_foreign *f, const skn_json *parts, const char *what)
{
    skn_buf buf;

    skn_buf_init(&buf, SKN_IMPORT_FILE);
    for (const skn_json *p = parts->first; p; p = p->next) {
        skn_str text = p->kind == SKN_JSON_STRING ? p->text : skn_json_str(p, "text");

        if (!text.p)
            skn_foreign_note(f->file, "%s: a part of its content is not text and was left out",
                             what);
        else if (buf.n && text.n)
            skn_buf_addc(&buf, '\n');
        skn_buf_add(&buf, text);
    }
    return skn_buf_keep(&buf, f->a);
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

/* Arguments are JSON inside a text; any other text becomes a JSON text. */
static skn_str arguments_of(skn_foreign *f, const skn_json *v)
{
    const skn_json *inner;
    skn_buf         buf;
    skn_jw          w;

    if (!v)
        return SKN_NONE;
    if (v->kind != SKN_JSON_STRING)
        return v->raw;
    if (v->text.n == 0)
        return SKN_NONE;
    if (skn_json_parse(&inner, v->text, "arguments", f->a, NULL) == SKEIN_OK)
        return v->text;
    skn_jw_open(&w, &buf, SKN_IMPORT_FILE);
    skn_jw_str(&w, v->text);
    return skn_buf_keep(&buf, f->a);
}

static skein_tool_call call_of(skn_foreign *f, const skn_json *v)
{
    const skn_json *function = skn_json_get(v, "function");
    skein_tool_call c = {.call_id = text_of(v, "toolCallId", "id")};

    c.tool_name = function ? skn_json_str(function, "name") : text_of(v, "toolName", "name");
    c.args = arguments_of(f, function ? skn_json_get(function, "arguments")
                                      : member(v, "args", "arguments"));
    return c;
}

static void read_calls(skn_foreign *f, const skn_json *list, const char *what,
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

/* The message itself says who it is from, in every answer again: it is not stored. */
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
        in[n] = (skein_instruction){skn_json_str(v, "type"), skn_json_str(v, "target")};
        n += is_to_keep(&in[n]);
    }
    out->instructions = in;
    out->instruction_count = n;
}

/* --- The row ------------------------------------------------------------------------------ */

static bool role_from(skn_str name, skein_role *out)
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
           skn_str_is(skn_json_str(row, "toolStatus"), "error");
}

/* What was written before there were kinds of it says only that it was stopped. */
static skein_unfinished unfinished(const skn_json *row)
{
    const skn_json  *v = member(row, "stopped", NULL);
    skein_unfinished why;

    if (skein_unfinished_from(skn_json_str(row, "unfinished"), &why))
        return why;
    return v && v->kind == SKN_JSON_BOOL && v->boolean ? SKEIN_STOPPED : SKEIN_WHOLE;
}

void skn_foreign_row(skn_foreign *f, const skn_json *row, const char *what,
                     skein_new_message *out, const char **why)
{
    skn_str role = skn_json_str(row, "role");

    *out = (skein_new_message){0};
    *why = NULL;
    if (row->kind != SKN_JSON_OBJECT)
        *why = "it is not an object";
    else if (role.p && !role_from(role, &out->role))
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
    read_calls(f, member(row, "toolCalls", "tool_calls"), what, out);
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
