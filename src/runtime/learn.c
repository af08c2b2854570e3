/* learn.c: what an agent keeps in mind of its background work, where its world asks for that. A mark in the store
 * says how far it was read, so nothing is taken twice. */
#include "runtime/wish.h"

enum { MESSAGES_LEAST = 4, MESSAGES_MOST = 200, ITEMS_MOST = 20, TEXT_BYTES = 1 << 20 };
enum { UNSURE = 50 }; /* percent, for what a model says without saying how sure it is */

typedef struct learning {
    int64_t from, upto;
} learning;

static skein_rc read_work(skn_wish *w, skein_error *err)
{
    learning      *l = w->own;
    skein_messages m;
    skn_buf        b;
    skein_rc       rc = skein_knowledge_due(w->r->o.engine, w->agent, MESSAGES_MOST, w->a, &m,
                                            &l->from, &l->upto, err);

    if (rc)
        return rc;
    if (m.count < MESSAGES_LEAST)
        return SKEIN_NOTHING;
    skn_buf_init(&b, TEXT_BYTES);
    skn_buf_add(&b, SKN_STR("What is worth remembering of this work?\n\n"));
    for (size_t i = 0; i < m.count; i++)
        skn_buf_addf(&b, "%.*s: %.*s\n", SKN_FMT(m.at[i].sender), SKN_FMT(m.at[i].content));
    w->text = skn_arena_copy(w->a, skn_buf_str(&b));
    skn_buf_release(&b);
    w->system = SKN_STR(
        "You read the work of an agent and note what will be of use in later work. Write one "
        "JSON "
        "object a line and nothing else: {\"type\":\"fact|technique|pattern|lesson\","
        "\"content\":\"one sentence\",\"confidence\":0.0 to 1.0}. Write {} when there is "
        "nothing.");
    return SKEIN_OK;
}

/* One line of the answer; false when it is no item. Models put fences and words around what they write. */
static bool read_item(skn_str line, skn_arena *a, skein_knowledge *out)
{
    const skn_json *json;
    skn_str         text = skn_str_trim(line);

    *out = (skein_knowledge){0};
    if (!text.n || text.p[0] != '{' || skn_json_parse(&json, text, "item", a, NULL) ||
        skn_json_text(json, "content", &out->content, NULL) ||
        skn_json_text(json, "type", &out->type, NULL))
        return false;
    if (skn_tool_confidence(json, &out->confidence, NULL) || out->confidence < 0)
        out->confidence = UNSURE;
    if (!out->type.n)
        out->type = SKN_STR("fact");
    return skn_str_trim(out->content).n > 0;
}

static skein_rc store_items(skn_wish *w, skein_error *err)
{
    learning       *l = w->own;
    skein_knowledge items[ITEMS_MOST];
    size_t          count = 0;
    int64_t         stored;
    skn_str         rest = w->wrote, line;

    while (count < ITEMS_MOST && skn_str_split(&rest, '\n', &line))
        count += read_item(line, w->a, &items[count]);
    return skein_knowledge_take(w->r->o.engine, w->agent, l->from, l->upto, items, count,
                                skn_wish_call(w), w->a, &stored, err);
}

static const skn_wish_kind learn_kind = {"knowledge", "nothing was learned", read_work,
                                         store_items, .whole = false};

static bool is_under_way(const skn_runtime *r, skein_agent_id agent)
{
    for (const skn_wish *w = r->wishes; w; w = w->next)
        if (w->kind == &learn_kind && w->agent.v == agent.v)
            return true;
    return false;
}

void skn_learn_consider(skn_run *run)
{
    skn_wish *w;

    if (!run->rights.learns || run->turn.mode != SKEIN_BACKGROUND || run->lane.v ||
        run->r->closing || is_under_way(run->r, run->agent))
        return;
    w = skn_wish_new(run->r, &learn_kind);
    w->own = SKN_NEW(w->a, learning);
    w->world = run->turn.world;
    w->chat = run->chat;
    w->agent = run->agent;
    w->model = skn_arena_copy(w->a, run->model);
    skn_wish_start(w, NULL, NULL);
}
