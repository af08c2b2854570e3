/* chat_status.c: the row above the prompt: where this is, who is at work, which model, how full it is. */
#include "cli/chat_ask.h"

#include "base/utf8.h"
#include "cli/far_inbox.h"

#include <inttypes.h>

#define LIST_MS    2000 /* a server that asks another one for its models may take long */
#define READ_LAST  50
#define INBOX_MOST 100
#define TITLE_MOST 24 /* columns of the conversation's title */

/* --- What it says ------------------------------------------------------------------------- */

/* What is left out when there is no room, least needed first. The world is never: whoever types must see where it goes. */
typedef enum brevity {
    WHOLE,
    NO_COUNT,
    NO_VERSION,
    NO_TITLE,
    BUSY_ONLY,
    NO_MODEL,
    BREVITIES
} brevity;

static bool is_idle(skn_str state)
{
    return !state.n || skn_str_is(state, "idle");
}

static const char *state_mark(skn_str state)
{
    if (skn_str_is(state, "failed"))
        return "✗";
    return is_idle(state) ? "○" : "●";
}

static void part(skn_buf *b)
{
    if (b->n)
        skn_buf_add(b, SKN_STR(" · "));
}

/* "3 agents: lead ● bo ✗ ada ○", or "lead ● bo ✗ +1" */
static void add_agents(const skn_chat *c, skn_buf *b, brevity how)
{
    size_t left_out = 0, shown = 0;

    part(b);
    if (how < NO_COUNT)
        skn_buf_addf(b, "%zu agent%s%s", c->agents.count, skn_plural((int64_t)c->agents.count),
                     c->agents.count ? ": " : "");
    for (size_t i = 0; i < c->agents.count; i++)
        if (how >= BUSY_ONLY && is_idle(c->states[i]))
            left_out++;
        else
            skn_buf_addf(b, "%s%.*s %s", shown++ ? " " : "", SKN_FMT(c->agents.at[i].name),
                         state_mark(c->states[i]));
    if (left_out && shown)
        skn_buf_addf(b, " +%zu", left_out);
    else if (left_out)
        skn_buf_addf(b, "%zu agent%s ○", left_out, skn_plural((int64_t)left_out));
}

/* The one that all agents name; absent when they differ, or leave it to the server. */
static skn_str common_model(const skn_chat *c)
{
    for (size_t i = 1; i < c->agents.count; i++)
        if (!skn_str_eq(c->agents.at[i].model, c->agents.at[0].model))
            return SKN_NONE;
    return c->agents.count ? c->agents.at[0].model : SKN_NONE;
}

/* What was asked for, or what answered last, or what will. */
static void add_model(const skn_chat *c, skn_buf *b)
{
    skn_str model = c->model.n         ? skn_buf_str(&c->model)
                    : c->answered_by.n ? skn_buf_str(&c->answered_by)
                                       : common_model(c);

    if (!model.n)
        return;
    part(b);
    skn_buf_add(b, model);
}

static void add_figures(const skn_chat *c, skn_buf *b)
{
    if (c->window > 0 && c->used >= 0) {
        part(b);
        skn_buf_addf(b, "context %" PRId64 " %%", c->used * 100 / c->window);
    }
    if (c->inbox) {
        part(b);
        skn_buf_addf(b, "inbox %zu%s", c->inbox < INBOX_MOST ? c->inbox : INBOX_MOST - 1,
                     c->inbox < INBOX_MOST ? "" : "+");
    }
}

/* "launch · Launch plan · v7 · 3 agents: lead ● bo ✗ ada ○ · llama3.2 · context 71 % · inbox 2" */
static void compose(const skn_chat *c, skn_buf *b, brevity how)
{
    skn_buf_clear(b);
    skn_buf_add(b, c->world.name);
    if (how < NO_TITLE && c->chat.title.n) {
        part(b);
        skn_buf_add(b, skn_chat_fit(c->mem, c->chat.title, TITLE_MOST));
    }
    if (how < NO_VERSION) {
        part(b);
        skn_buf_addf(b, "v%" PRId64, c->version);
    }
    add_agents(c, b, how);
    if (how < NO_MODEL)
        add_model(c, b);
    add_figures(c, b);
    for (size_t i = 0; i < c->tag_count; i++)
        skn_buf_addf(b, " · #%s", c->tags[i]);
    if (skn_news_fd(&c->news) < 0)
        skn_buf_add(b, SKN_STR(" · no connection, trying again"));
}

skn_str skn_chat_status(skn_chat *c, size_t columns)
{
    skn_buf b;
    skn_str text;

    skn_buf_init(&b, 8192);
    for (int how = WHOLE; how < BREVITIES; how++) {
        compose(c, &b, (brevity)how);
        if (skn_utf8_columns(skn_buf_str(&b)) <= columns)
            break;
    }
    text = skn_chat_fit(c->mem, skn_buf_str(&b), columns);
    skn_buf_release(&b);
    return text;
}

/* --- What is known of it ------------------------------------------------------------------ */

static int64_t window_in(skn_str body, skn_str model, skn_arena *mem)
{
    const skn_json *v, *list;
    int64_t         window = 0;

    if (skn_json_parse(&v, body, "the models", mem, NULL))
        return 0;
    list = skn_json_get(v, "data");
    for (const skn_json *m = list ? list->first : NULL; m; m = m->next)
        if (skn_str_eq(skn_news_text(m, "model"), model))
            (void)skn_json_int(m, "contextWindow", 0, &window, NULL);
    return window;
}

/* 0: it is not known; -1: nobody answered in time, and that is no reason to complain. */
static int64_t window_of(skn_chat *c, skn_str model)
{
    skn_cli           sub = *c->cli;
    skn_str           provider = SKN_STR(""), rest = model;
    skn_client_answer got;
    skn_request_spec  what = {.method = "GET"};
    int64_t           window = -1;

    skn_str_split(&rest, '/', &provider);
    sub.keep = skein_mem_new();
    what.path = skn_arena_printf(sub.keep, "/providers/%s/models?limit=500",
                                 skn_client_encode(sub.keep, provider))
                    .p;
    if (!skn_client_call(&sub, &c->news.server, &what, LIST_MS, &got))
        window = window_in(got.body, model, sub.keep);
    skein_mem_free(sub.keep);
    return window;
}

void skn_chat_status_answer(skn_chat *c, const skein_message *m,
                            const skein_message_facts *facts)
{
    const skein_usage *usage = &facts->usage;

    if (c->plain || m->role != SKEIN_ASSISTANT || !m->model.n)
        return;
    if (!skn_str_eq(skn_buf_str(&c->answered_by), m->model)) {
        skn_buf_clear(&c->answered_by);
        skn_buf_add(&c->answered_by, m->model);
        c->window = c->used = -1;
    }
    if (c->window < 0)
        c->window = window_of(c, m->model);
    if (c->window > 0 && usage->known && usage->tokens_in >= 0)
        c->used = usage->tokens_in + (usage->tokens_out > 0 ? usage->tokens_out : 0);
    c->changed = true;
}

/* That it cannot be read now is no reason to complain. */
void skn_chat_inbox_look(skn_chat *c)
{
    skn_far_question q;
    size_t           count;

    if (c->plain || skn_far_inbox_count(skn_chat_ask(c, c->mem, &q), INBOX_MOST, &count) ||
        count == c->inbox)
        return;
    c->inbox = count;
    c->changed = true;
}

skein_rc skn_chat_status_read(skn_chat *c)
{
    skn_far_log log = {.facts = NULL};
    skein_rc    rc = c->plain ? SKEIN_OK : skn_chat_last(c, c->mem, READ_LAST, &log);

    for (size_t i = rc ? 0 : log.list.count; i-- > 0;)
        if (log.list.at[i].role == SKEIN_ASSISTANT && log.list.at[i].model.n) {
            skn_chat_status_answer(c, &log.list.at[i], &log.facts[i]);
            break;
        }
    skn_chat_inbox_look(c);
    return rc;
}
