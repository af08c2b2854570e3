/* import_extras.c: what worlds of agent-world have besides agents, chats and messages. */
#include "engine/import.h"

/* Names with commas between them, as much as a note takes. */
typedef struct names {
    skn_buf list;
} names;

static void names_init(names *n)
{
    skn_buf_init(&n->list, 300);
}

static void names_add(names *n, skn_str name)
{
    if (n->list.n)
        skn_buf_addf(&n->list, ", ");
    skn_buf_add(&n->list, name);
}

/* Says "world X: what is not kept: a, b", or only the first half when there are no names. */
static void names_note(const skn_foreign *f, const char *what, names *n)
{
    skn_foreign_note(f->file, "world \"%.*s\": %s not kept%s%.*s", SKN_FMT(f->world), what,
                     n->list.n ? ": " : "", SKN_FMT(skn_buf_str(&n->list)));
    skn_buf_release(&n->list);
}

/* A server that is started is marked: commands come from people, never from a file. */
static void note_servers(skn_foreign *f, skn_str mcp)
{
    const skn_json *doc, *list;
    names           n;

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
            skn_buf_addf(&n.list, " (a command)");
    }
    names_note(f, "its MCP configuration is", &n);
}

static void note_title_model(skn_foreign *f, const skn_foreign_extras *x)
{
    names n;

    if (!x->title_provider.n && !x->title_model.n)
        return;
    names_init(&n);
    names_add(&n, x->title_provider);
    if (x->title_provider.n && x->title_model.n)
        skn_buf_addc(&n.list, '/');
    skn_buf_add(&n.list, x->title_model);
    names_note(f, "its model for chat titles is", &n);
}

/* Only their names: a value may be a secret. */
static void note_variables(skn_foreign *f, skn_str text)
{
    skn_str line, name;
    names   n;

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

static void note_heartbeat(skn_foreign *f, const skn_foreign_extras *x)
{
    names n;

    if (!x->heartbeat.n && !x->heartbeat_prompt.n)
        return;
    names_init(&n);
    if (x->heartbeat.n)
        names_add(&n, x->heartbeat);
    if (x->heartbeat_prompt.n)
        names_add(&n, x->heartbeat_prompt);
    names_note(f, "its heartbeat is", &n);
}

static void note_display_names(skn_foreign *f)
{
    names n;

    names_init(&n);
    for (size_t i = 0; i < f->agents.n; i++) {
        if (!f->agents.p[i].shown.n)
            continue;
        names_add(&n, f->agents.p[i].shown);
        skn_buf_addf(&n.list, " (%.*s)", SKN_FMT(f->agents.p[i].name));
    }
    if (n.list.n)
        names_note(f, "display names are", &n);
    skn_buf_release(&n.list);
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

void skn_foreign_extras_settle(skn_foreign *f, const skn_foreign_extras *x)
{
    note_servers(f, x->mcp);
    note_title_model(f, x);
    note_variables(f, x->variables);
    keep_main_agent(f, x->main_agent);
    note_heartbeat(f, x);
    note_display_names(f);
    if (f->metadata)
        skn_foreign_note(
            f->file, "world \"%.*s\": metadata of %lld row%s of memory is not kept",
            SKN_FMT(f->world), (long long)f->metadata, f->metadata == 1 ? "" : "s");
}
