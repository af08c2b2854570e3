/* A server's list of tools, page after page. */
#include "mcp/mcp_inside.h"

#include "base/utf8.h"

#define NAME_MOST        ((size_t)256)
#define DESCRIPTION_MOST ((size_t)16 * 1024)
#define CURSOR_MOST      ((size_t)64 * 1024)
#define LIST_BYTES       ((size_t)8 * 1024 * 1024) /* names, descriptions and schemas in all */
enum { PAGES_MOST = 100, TOOLS_MOST = 2000 };

static void ask_page(skn_mcp *s, skn_str cursor)
{
    skn_mcp_letter l;
    skn_jw        *w;

    s->list_id = ++s->next_id;
    w = skn_mcp_letter_begin(&l, CURSOR_MOST * 8, s->list_id, "tools/list");
    skn_jw_kobject(w, "params");
    skn_jw_kgiven(w, "cursor", cursor);
    skn_jw_object_end(w);
    if (s->state == SKN_MCP_READY)
        skn_timer_start(s->relist, s->o.call_ms); /* before that the start has its own limit */
    skn_mcp_post(s, &l, s->list_id);
}

void skn_mcp_list_tools(skn_mcp *s)
{
    skn_arena_free(s->listing.a);
    s->listing = (skn_mcp_list){.a = skn_arena_new()};
    s->listing.names = skn_map_new(s->listing.a);
    s->pages = 0;
    s->list_again = false;
    if (s->has_tools)
        ask_page(s, SKN_NONE);
    else
        skn_mcp_listed(s, NULL);
}

/* Either it is time to ask again, or nobody answered for too long. */
void skn_mcp_relist(void *arg)
{
    skn_mcp *s = arg;

    if (!skn_mcp_alive(s))
        return;
    if (!s->list_id) {
        skn_mcp_list_tools(s);
        return;
    }
    s->road->forget(s, s->list_id);
    skn_mcp_list_failed(s, "no answer");
}

static skn_str text_of(const skn_json *v, const char *key, size_t most)
{
    return skn_utf8_cut(skn_json_str(v, key), most);
}

static bool flag_of(const skn_json *v, const char *key, bool fallback)
{
    const skn_json *member = skn_json_get(v, key);

    return member && member->kind == SKN_JSON_BOOL ? member->boolean : fallback;
}

/* The defaults of the hints are the protocol's: a tool that says nothing may destroy. */
static void add_tool(skn_mcp_list *list, const skn_json *v)
{
    const skn_json *schema = skn_json_get(v, "inputSchema"),
                   *hints = skn_json_get(v, "annotations");
    skn_mcp_tool t = {.name = text_of(v, "name", NAME_MOST + 1)};

    if (!t.name.n || t.name.n > NAME_MOST || skn_map_get(list->names, t.name))
        return;
    t.title = text_of(v, "title", NAME_MOST);
    if (!t.title.n)
        t.title = text_of(hints, "title", NAME_MOST);
    t.description = text_of(v, "description", DESCRIPTION_MOST);
    t.schema = schema && schema->kind == SKN_JSON_OBJECT ? schema->raw
                                                         : SKN_STR("{\"type\":\"object\"}");
    list->bytes += t.name.n + t.title.n + t.description.n + t.schema.n;
    if (list->bytes > LIST_BYTES || list->tools.n >= TOOLS_MOST)
        return;
    t.read_only = flag_of(hints, "readOnlyHint", false);
    t.destructive = !t.read_only && flag_of(hints, "destructiveHint", true);
    t.idempotent = flag_of(hints, "idempotentHint", false);
    t.open_world = flag_of(hints, "openWorldHint", true);
    t.name = skn_arena_copy(list->a, t.name);
    t.title = skn_arena_copy(list->a, t.title);
    t.description = skn_arena_copy(list->a, t.description.p ? t.description : SKN_STR(""));
    t.schema = skn_arena_copy(list->a, t.schema);
    *skn_map_slot(list->names, t.name) = list;
    skn_vec_add(list->a, &list->tools, t);
}

static void finished(skn_mcp *s)
{
    skn_timer_stop(s->relist);
    s->list_id = 0;
    if (s->list_again) {
        s->list_again = false;
        skn_timer_start(s->relist, 50);
    }
    if (s->state == SKN_MCP_READY)
        skn_mcp_changed(s);
    else
        skn_mcp_ready(s);
}

void skn_mcp_listed(skn_mcp *s, const skn_json *result)
{
    const skn_json *tools = skn_json_get(result, "tools");
    skn_str         cursor = text_of(result, "nextCursor", CURSOR_MOST + 1);

    if (tools && tools->kind == SKN_JSON_ARRAY)
        for (const skn_json *v = tools->first; v; v = v->next)
            add_tool(&s->listing, v);
    if (cursor.n && cursor.n <= CURSOR_MOST && ++s->pages < PAGES_MOST &&
        s->listing.bytes <= LIST_BYTES) {
        ask_page(s, cursor);
        return;
    }
    if (s->listing.bytes > LIST_BYTES || s->pages >= PAGES_MOST)
        skn_mcp_note(s, "warning",
                     "it has more tools than can be taken; the first %zu are known",
                     s->listing.tools.n);
    skn_arena_free(s->tools.a);
    s->tools = s->listing;
    s->listing = (skn_mcp_list){.a = NULL};
    finished(s);
}

/* While it starts that is the end of it; later the tools stay as they are. */
void skn_mcp_list_failed(skn_mcp *s, const char *words)
{
    s->list_id = 0;
    if (s->state != SKN_MCP_READY) {
        skn_mcp_broke(s, false, "it did not list its tools: %s", words);
        return;
    }
    skn_mcp_note(s, "warning", "its tools could not be listed again: %s", words);
    finished(s);
}
