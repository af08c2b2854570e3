/* import_world.c: a world of agent-world as JSON: in one document, and what its folder form is made
 * of. */
#include "base/utf8.h"
#include "exchange/import.h"

/* --- Its parts ---------------------------------------------------------------------------- */

static bool is_true(const skn_json *v)
{
    return v && v->kind == SKN_JSON_BOOL && v->boolean;
}

/* As JSON, whether it is kept as an object or as a text; {"config": TEXT} is the latter in a file. */
static skn_str mcp_of(const skn_json *v)
{
    const skn_json *inner = skn_json_get(v, "config");

    if (inner && inner->kind == SKN_JSON_STRING)
        v = inner;
    if (!v || v->kind == SKN_JSON_NULL)
        return SKN_NONE;
    return v->kind == SKN_JSON_STRING ? v->text : v->raw;
}

void skn_import_current(skn_foreign *f, skn_str chat_id)
{
    const size_t *index = chat_id.n ? skn_map_get(f->chat_ids, chat_id) : NULL;

    if (index)
        f->current_chat = (int64_t)*index;
}

/* agent-world writes each line end of a text as "\n" and reads it back so; an escaped text has no line
 * end of its own. What releases before that wrote is told by the line ends it has. */
static bool is_escaped(const skn_json *rows)
{
    for (const skn_json *v = rows ? rows->first : NULL; v; v = v->next)
        if (skn_str_find(skn_json_str(v, "content"), SKN_STR("\n")) >= 0)
            return false;
    return true;
}

static skn_str unescaped(skn_foreign *f, skn_str text)
{
    char  *p;
    size_t n = 0;

    if (skn_str_find(text, SKN_STR("\\n")) < 0)
        return text;
    p = SKN_ARRAY(f->a, text.n + 1, char);
    for (size_t i = 0; i < text.n; i++) {
        bool end = text.p[i] == '\\' && i + 1 < text.n && text.p[i + 1] == 'n';

        p[n++] = end ? '\n' : text.p[i];
        i += end;
    }
    return (skn_str){p, n};
}

/* What a row has that has no place here: the state of the turn it was written in. */
static void note_row(skn_foreign *f, const skn_json *v, const skein_new_message *m)
{
    const skn_json *turn = skn_json_get(v, "agentTurn");

    f->metadata += turn && turn->kind == SKN_JSON_OBJECT;
    if (m->reply_to.n)
        f->no_links = false;
}

void skn_import_memory(skn_memories *r, const skn_json *rows, size_t owner, int64_t chat,
                       bool escaped)
{
    skn_foreign *f = r->f;
    int64_t      number = 0;

    escaped = escaped && is_escaped(rows);
    skn_memories_begin(r, owner);
    for (const skn_json *v = rows ? rows->first : NULL; v && skn_foreign_fits(f->file);
         v = v->next) {
        skn_memory_row row = {.chat = chat, .chat_id = skn_json_str(v, "chatId")};

        row.what = skn_arena_text(f->a, "row %lld of \"%.*s\"", (long long)++number,
                                  SKN_FMT(f->agents.p[owner].name));
        skn_foreign_row(f, v, row.what, &row.m, &row.why);
        if (escaped)
            row.m.content = unescaped(f, row.m.content);
        note_row(f, v, &row.m);
        skn_memories_add(r, &row);
    }
}

skein_rc skn_import_too_many(skein_error *err)
{
    return skn_fail(err, SKEIN_LIMIT, "a world has more than %zu agents", SKN_IMPORT_AGENTS);
}

/* --- As one document ---------------------------------------------------------------------- */

static const skn_json *memory_of(const skn_json *agent)
{
    const skn_json *memory = skn_json_get(agent, "memory");

    if (!memory)
        memory = skn_json_get(agent, "messages");
    return memory && memory->kind == SKN_JSON_ARRAY ? memory : NULL;
}

bool skn_import_is_world(const skn_json *doc)
{
    const skn_json *agents = skn_json_get(doc, "agents");

    for (const skn_json *a = agents ? agents->first : NULL; a; a = a->next)
        if (memory_of(a))
            return true;
    return false;
}

static skn_str id_of(const skn_json *agent)
{
    skn_str id = skn_json_str(agent, "id");

    return id.n ? id : skn_json_str(agent, "name");
}

/* Ids first: a name leads to its agent only where it is nobody's id. */
static skein_rc add_agents(skn_foreign *f, const skn_json *list, skein_error *err)
{
    size_t known;

    for (const skn_json *a = list->first; a; a = a->next) {
        known = f->agents.n;
        if (skn_foreign_agent_of(f, id_of(a)) < 0)
            return skn_import_too_many(err);
        if (f->agents.n == known)
            return skn_fail(err, SKEIN_DATA, "agent \"%.*s\" is there twice",
                            SKN_FMT(skn_utf8_cut(id_of(a), 80)));
        skn_import_agent(f, known, a, false);
    }
    for (const skn_json *a = list->first; a; a = a->next)
        if (skn_json_str(a, "name").n)
            skn_foreign_alias(f, (size_t)skn_foreign_agent_find(f, id_of(a)),
                              skn_json_str(a, "name"));
    return SKEIN_OK;
}

skein_rc skn_import_world(skn_foreign *f, const skn_json *doc, skein_error *err)
{
    const skn_json *config = skn_json_get(doc, "world"), *list;
    skn_memories    memories;
    size_t          owner = 0;
    skein_rc        rc;

    skn_import_config(f, config ? config : doc, SKN_NONE);
    list = skn_json_get(doc, "chats");
    for (const skn_json *c = list ? list->first : NULL; c; c = c->next)
        skn_import_chat(f, c);
    list = skn_json_get(doc, "agents");
    if ((rc = add_agents(f, list, err)))
        return rc;
    f->no_links = true;
    skn_memories_init(&memories, f);
    for (const skn_json *a = list->first; a; a = a->next)
        skn_import_memory(&memories, memory_of(a), owner++, -1, false);
    skn_import_extras(f, config ? config : doc, NULL);
    skn_import_current(f, skn_json_str(config ? config : doc, "currentChatId"));
    return SKEIN_OK;
}

/* What worlds of agent-world have besides agents, chats and messages. */

/* Names with commas between them, as much as a note takes. */
static void names_init(skn_buf *names)
{
    skn_buf_init(names, 300);
}

static void names_add(skn_buf *names, skn_str name)
{
    if (names->n)
        skn_buf_addf(names, ", ");
    skn_buf_add(names, name);
}

/* Says "world X: what is not kept: a, b", or only the first half when there are no names. */
static void names_note(const skn_foreign *f, const char *what, skn_buf *n)
{
    skn_foreign_note(f->file, "world \"%.*s\": %s not kept%s%.*s", SKN_FMT(f->world), what,
                     n->n ? ": " : "", SKN_FMT(skn_buf_str(n)));
    skn_buf_release(n);
}

/* A server that is started is marked: commands come from people, never from a file. */
static void note_servers(skn_foreign *f, skn_str mcp)
{
    const skn_json *doc, *list;
    skn_buf         n;

    if (!mcp.n)
        return;
    names_init(&n);
    if (skn_json_parse(&doc, mcp, "it", f->a, NULL))
        doc = NULL;
    list = skn_json_get(doc, "mcpServers");
    if (!list)
        list = skn_json_get(doc, "servers");
    for (const skn_json *s = list && list->kind == SKN_JSON_OBJECT ? list->first : NULL; s;
         s = s->next) {
        names_add(&n, s->key);
        if (skn_json_get(s, "command"))
            skn_buf_addf(&n, " (a command)");
    }
    names_note(f, "its MCP configuration is", &n);
}

static void note_title_model(skn_foreign *f, skn_str provider, skn_str model)
{
    skn_buf n;

    if (!provider.n && !model.n)
        return;
    names_init(&n);
    names_add(&n, provider);
    if (provider.n && model.n)
        skn_buf_addc(&n, '/');
    skn_buf_add(&n, model);
    names_note(f, "its model for chat titles is", &n);
}

/* Only their names: a value may be a secret. */
static void note_variables(skn_foreign *f, skn_str text)
{
    skn_str line, name;
    skn_buf n;

    if (!skn_str_trim(text).n)
        return;
    names_init(&n);
    while (skn_str_split(&text, '\n', &line)) {
        line = skn_str_trim(line);
        if (line.n && line.p[0] != '#' && skn_str_find(line, SKN_STR("=")) > 0 &&
            skn_str_split(&line, '=', &name))
            names_add(&n, skn_str_trim(name));
    }
    names_note(f, "its variables are", &n);
}

static void note_heartbeat(skn_foreign *f, const skn_json *config)
{
    skn_str interval = skn_json_str(config, "heartbeatInterval");
    skn_str prompt = skn_json_str(config, "heartbeatPrompt");
    skn_buf n;

    if (!prompt.n && !(interval.n && is_true(skn_json_get(config, "heartbeatEnabled"))))
        return;
    names_init(&n);
    if (interval.n)
        names_add(&n, interval);
    if (prompt.n)
        names_add(&n, prompt);
    names_note(f, "its heartbeat is", &n);
}

static void note_display_names(skn_foreign *f)
{
    skn_buf n;

    names_init(&n);
    for (size_t i = 0; i < f->agents.n; i++) {
        if (!f->agents.p[i].shown.n)
            continue;
        names_add(&n, f->agents.p[i].shown);
        skn_buf_addf(&n, " (%.*s)", SKN_FMT(f->agents.p[i].name));
    }
    if (n.n)
        names_note(f, "display names are", &n);
    skn_buf_release(&n);
}

static skn_str without_reply(const skn_foreign *f, skn_str settings)
{
    static const char off[] = "\"autoReply\":false}";

    return settings.n > 2
               ? skn_arena_printf(f->a, "%.*s,%s", (int)settings.n - 1, settings.p, off)
               : skn_arena_printf(f->a, "{%s", off);
}

/* What a person says without a name goes to the main agent alone: so the others answer only when they
 * are named. */
static void keep_main_agent(skn_foreign *f, skn_str name)
{
    int64_t main = skn_foreign_agent_find(f, name);

    if (!name.n)
        return;
    if (main < 0) {
        skn_foreign_note(f->file, "world \"%.*s\": its main agent \"%.*s\" is not in it",
                         SKN_FMT(f->world), SKN_FMT(name));
        return;
    }
    for (size_t i = 0; i < f->agents.n; i++)
        if ((int64_t)i != main)
            f->agents.p[i].settings = without_reply(f, f->agents.p[i].settings);
    skn_foreign_note(f->file,
                     "world \"%.*s\": %.*s answers what names nobody, as its main agent; the "
                     "others got autoReply false",
                     SKN_FMT(f->world), SKN_FMT(f->agents.p[main].name));
}

void skn_import_extras(skn_foreign *f, const skn_json *config, const skn_json *mcp)
{
    note_servers(f, mcp_of(mcp ? mcp : skn_json_get(config, "mcpConfig")));
    note_title_model(f, skn_json_str(config, "chatLLMProvider"),
                     skn_json_str(config, "chatLLMModel"));
    note_variables(f, skn_json_str(config, "variables"));
    keep_main_agent(f, skn_json_str(config, "mainAgent"));
    note_heartbeat(f, config);
    note_display_names(f);
    if (f->metadata)
        skn_foreign_note(
            f->file, "world \"%.*s\": metadata of %lld row%s of memory is not kept",
            SKN_FMT(f->world), (long long)f->metadata, f->metadata == 1 ? "" : "s");
}

/* Edits that agent-world could make for some agents only. It kept them in edit-errors.json; here they
 * are among the edits that failed, until their messages are edited or removed. */

#define EDITS_MOST   100 /* as many as either program keeps */
#define REASONS_MOST 4000

/* "ada: memory is locked; bo: disk full" */
static skn_str reasons_of(const skn_foreign *f, const skn_json *agents)
{
    skn_str words = SKN_STR("");

    for (const skn_json *v = agents ? agents->first : NULL; v && words.n < REASONS_MOST;
         v = v->next)
        words = skn_arena_printf(f->a, "%.*s%s%.*s: %.*s", SKN_FMT(words), words.n ? "; " : "",
                                 SKN_FMT(skn_json_str(v, "agentId")),
                                 SKN_FMT(skn_json_str(v, "error")));
    return words.n ? words : SKN_STR("the reason was not kept");
}

void skn_import_edits(skn_foreign *f, const skn_json *list)
{
    size_t left = list && list->kind == SKN_JSON_ARRAY ? list->count : 0;

    for (const skn_json *v = left ? list->first : NULL; v; v = v->next, left--) {
        skn_foreign_edit one = {.message = skn_json_str(v, "messageId"),
                                .operation = skn_json_str(v, "operation"),
                                .at = skn_foreign_time(skn_json_get(v, "timestamp"))};

        if (left > EDITS_MOST || !one.message.n)
            continue;
        one.error = reasons_of(f, skn_json_get(v, "failedAgents"));
        skn_vec_add(f->a, &f->edits, one);
    }
}

/* The world is in the store by now, so what cannot be kept is only named. */
void skn_import_edits_keep(skn_foreign *f, skein_world_id world)
{
    for (size_t i = 0; i < f->edits.n; i++) {
        const skn_foreign_edit *one = &f->edits.p[i];
        skein_conversation      chat;
        skein_message           m;
        skein_edit_error        what = {.error = one->error, .at = one->at};

        what.operation = skn_str_is(one->operation, "resubmission") ? SKN_STR("resubmit")
                                                                    : SKN_STR("remove");
        if (!skein_message_in_world(f->e, world, one->message, f->a, &m, &chat, NULL)) {
            what.chat = chat.id;
            what.message_uid = m.uid;
            if (!skein_edit_error_add(f->e, world, &what, NULL))
                continue;
        }
        skn_foreign_note(f->file, "that an edit of \"%.*s\" had failed was not kept",
                         SKN_FMT(skn_str_sub(one->message, 0, 100)));
    }
}
