/* chat_keys.c: Ctrl-O, and the keys after Ctrl-X: what they show, with what was typed kept. */
#include "base/utf8.h"
#include "terminal/chat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define TEXT_BYTES 400 /* of a message in a list: more does not fit on a row */
#define DEEPEST    8   /* levels of replies that are set in */

/* --- Ctrl-X h: versions ------------------------------------------------------------------- */

static void switch_to(skn_chat *c, skn_arena *mem, const skein_version *v)
{
    const char *words[] = {"switch", skn_arena_text(mem, "v%" PRId64, v->number)};

    if (v->current)
        skn_chat_tell(c, "v%" PRId64 " is current.", v->number);
    else
        (void)skn_chat_run(c, words, 2);
}

static skn_menu version_menu(skn_arena *mem, const skein_versions *all)
{
    skn_menu_item *items = SKN_ARRAY(mem, all->count, skn_menu_item);
    skn_menu       m = {.title = SKN_STR("Which version should be current?"),
                        .keys = "↑ ↓ and Enter, or a digit · Esc leaves",
                        .items = items,
                        .count = all->count};

    for (size_t i = 0; i < all->count; i++) {
        const skein_version *v = &all->at[i];

        items[i].label = skn_arena_printf(mem, "v%" PRId64, v->number);
        items[i].text = skn_arena_printf(mem, "%.*s%s", SKN_FMT(v->note.n ? v->note : v->kind),
                                         v->current ? " (now)" : "");
        if (v->current)
            m.at = i;
    }
    return m;
}

static void pick_version(skn_chat *c)
{
    skn_arena     *mem = skn_arena_new();
    skein_versions all;
    skein_rc       rc = skn_chat_told(c, skn_door_history(skn_chat_ask(c, mem), &all));
    skn_menu       m = version_menu(mem, &all);

    if (skn_chat_pick(c, rc, &m, "There is no version."))
        switch_to(c, mem, &all.at[m.at]);
    skn_arena_free(mem);
}

/* --- Ctrl-X t: who answers whom ----------------------------------------------------------- */

static skn_menu tree_menu(skn_arena *mem, const skein_reply_tree *tree)
{
    skn_menu_item *items = SKN_ARRAY(mem, tree->count, skn_menu_item);

    for (size_t i = 0; i < tree->count; i++) {
        const skein_reply_node *n = &tree->at[i];
        int                     in = n->depth < DEEPEST ? n->depth : DEEPEST;

        items[i].label = skn_arena_copy(mem, n->message.uid);
        items[i].text = skn_arena_printf(
            mem, "%.*s%s%.*s: %.*s", 3 * in, "· · · · · · · · ", in ? "↪ " : "",
            SKN_FMT(skn_sender_name(n->message.sender)),
            SKN_FMT(skn_utf8_cut(skn_str_trim(n->message.content), TEXT_BYTES)));
    }
    return (skn_menu){.title = SKN_STR("Reply threads. Which message do you answer?"),
                      .keys = "↑ ↓ and Enter, or a digit · Esc leaves",
                      .items = items,
                      .count = tree->count,
                      .at = tree->count - 1};
}

static void pick_message(skn_chat *c)
{
    skn_arena       *mem = skn_arena_new();
    skein_reply_tree tree;
    skn_str          thread = skn_arena_printf(mem, "v%" PRId64, c->version);
    skein_rc         rc = skn_chat_told(c,
                                        skn_door_tree(skn_chat_ask(c, mem), thread, SKN_NONE, &tree));
    skn_menu         m = tree_menu(mem, &tree);

    if (skn_chat_pick(c, rc, &m, "There are no messages here yet."))
        snprintf(c->reply_to, sizeof c->reply_to, "%.*s", SKN_FMT(tree.at[m.at].message.uid));
    skn_arena_free(mem);
}

/* --- Ctrl-X b: work in the background ----------------------------------------------------- */

static skn_menu agent_menu(skn_arena *mem, const skn_json_list *agents)
{
    skn_menu_item *items = SKN_ARRAY(mem, agents->n, skn_menu_item);
    skn_menu       m = {.title = SKN_STR("Whose background work?"),
                        .keys = "↑ ↓ and Enter, or a digit · Esc leaves",
                        .items = items,
                        .count = agents->n};

    for (size_t i = 0; i < agents->n; i++) {
        int64_t pending = skn_door_int(agents->p[i], "pendingTasks", 0);

        items[i].label = skn_arena_copy(mem, skn_json_str(agents->p[i], "name"));
        items[i].text = pending ? skn_arena_printf(
                                      mem, "%" PRId64 " task%s%s", pending, skn_plural(pending),
                                      skn_door_flag(agents->p[i], "paused") ? ", paused" : "")
                                : SKN_STR("nothing to do");
    }
    return m;
}

static void pick_agent(skn_chat *c)
{
    skn_arena    *mem = skn_arena_new();
    const char   *path = skn_arena_text(mem, "%s/agents?fields=name,pendingTasks,paused",
                                        c->cli->door->world);
    const char   *words[2] = {"inspect"};
    skn_json_list agents = {0};
    skein_rc      rc = skn_chat_told(c, skn_door_all(skn_chat_ask(c, mem), path, 0, &agents));
    skn_menu      m = agent_menu(mem, &agents);

    if (skn_chat_pick(c, rc, &m, "There are no agents here.")) {
        words[1] = m.items[m.at].label.p;
        (void)skn_chat_run(c, words, 2);
    }
    skn_arena_free(mem);
}

/* --- Ctrl-X / and e: another line --------------------------------------------------------- */

/* What was typed waits until the search was made. */
static void begin_search(skn_chat *c)
{
    skn_buf_clear(&c->draft);
    skn_buf_add(&c->draft, skn_line_edit_preset_text(c->edit));
    skn_line_edit_preset(c->edit, SKN_STR("/search "));
}

void skn_chat_draft_back(skn_chat *c)
{
    if (!c->draft.n)
        return;
    skn_line_edit_preset(c->edit, skn_buf_str(&c->draft));
    skn_buf_clear(&c->draft);
}

static void open_editor(skn_chat *c)
{
    skn_cli  sub = *c->cli;
    skn_str  old, text;
    skein_rc rc;

    sub.keep = skein_mem_new();
    old = skn_arena_copy(sub.keep, skn_line_edit_preset_text(c->edit));
    skn_chat_erase(c);
    skn_out_flush(c->cli);
    skn_line_edit_lend(c->edit, true);
    rc = skn_need_text(&sub, old, &text);
    skn_line_edit_lend(c->edit, false);
    c->cli->err = sub.err;
    if (rc)
        skn_chat_complain(c);
    else
        skn_line_edit_preset(c->edit, text);
    skein_mem_free(sub.keep);
    c->changed = true;
}

/* --- Together ----------------------------------------------------------------------------- */

bool skn_chat_recalls(void *chat)
{
    const skn_chat *c = chat;

    return c->waiting && !c->queued[0] && !c->edited[0];
}

void skn_chat_key(skn_chat *c, char key)
{
    if (key == 'o')
        c->unfolded = !c->unfolded;
    else if (key == 't')
        pick_message(c);
    else if (key == 'h')
        pick_version(c);
    else if (key == '/')
        begin_search(c);
    else if (key == 'b')
        pick_agent(c);
    else if (key == 'i')
        (void)skn_chat_run(c, &(const char *){"inbox"}, 1);
    else if (key == 'e')
        open_editor(c);
    else if (key == SKN_LINE_UP)
        skn_chat_queue_take(c);
    c->changed = true;
}

/* What a person says in a chat, and stopping those who answer. */

#define POST_MS    30000
#define POST_TRIES 4

static void forget_extras(skn_chat *c)
{
    c->reply_to[0] = '\0';
    while (c->tag_count)
        free(c->tags[--c->tag_count]);
}

/* The message has the same name each time, so that it is stored once however often it has to be sent. */
static skein_rc post(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                     const skn_json **out)
{
    const struct timespec nap = {.tv_nsec = 500 * 1000000L};
    skein_rc              rc;

    for (int i = 1; (rc = skn_client_json(cli, server, what, POST_MS, out)); i++) {
        if (rc != SKEIN_UNREACHABLE || i == POST_TRIES)
            return rc;
        nanosleep(&nap, NULL);
    }
    return SKEIN_OK;
}

static skein_rc send_text(skn_chat *c, skn_cli *cli, skn_str text)
{
    const char       *tags[SKN_CHAT_NAMES];
    skn_saying        what = {.text = text, .tags = {tags, c->tag_count}};
    skein_new_message m;
    skn_str           model = skn_buf_str(&c->model);
    skn_request_spec  request = {.method = "POST"};
    const skn_json   *v, *notice;
    skein_rc          rc;

    for (size_t i = 0; i < c->tag_count; i++)
        tags[i] = c->tags[i];
    if (c->reply_to[0])
        what.reply_to = c->reply_to;
    if ((rc = skn_say_compose(cli, &c->chat, &what, &m)))
        return rc;
    request.path = skn_world_path(cli, &c->world, "messages");
    request.body = skn_say_body(cli, &c->chat, &m, skn_say_client_id(cli),
                                model.n ? model : SKN_NONE, 0);
    if ((rc = post(cli, &c->news.server, &request, &v)))
        return rc;
    snprintf(c->said, sizeof c->said, "%.*s", SKN_FMT(skn_json_str(v, "messageId")));
    notice = skn_json_get(v, "notice");
    if (notice && notice->kind == SKN_JSON_OBJECT)
        skn_chat_tell(c, "%.*s %.*s", SKN_FMT(skn_json_str(notice, "text")),
                      SKN_FMT(skn_json_str(notice, "hint")));
    return SKEIN_OK;
}

/* It is shown when its event arrives, like everybody's. */
void skn_chat_say(skn_chat *c, skn_str text)
{
    skn_arena *mem = skn_arena_new();

    if (skn_chat_told(c, send_text(c, skn_chat_ask(c, mem), text)))
        skn_chat_complain(c);
    else
        forget_extras(c);
    skn_arena_free(mem);
    c->changed = true;
}

static skein_rc stop(skn_chat *c, skn_cli *cli, const char *agent, int64_t *count)
{
    skn_request_spec request = {.method = "POST"};
    const skn_json  *v;
    skein_agent      who = {.name = SKN_NONE};
    skn_str          name;
    skein_rc         rc;

    if (agent && (rc = skn_need_agent(cli, agent, &who)))
        return rc;
    name = who.name;
    request.path = skn_world_path(cli, &c->world, "messages/stop");
    request.body = skn_arena_printf(cli->keep, "{\"chatId\":\"%.*s\"%s%.*s%s}",
                                    SKN_FMT(c->chat.uid), name.n ? ",\"agents\":[\"" : "",
                                    SKN_FMT(name), name.n ? "\"]" : "");
    rc = skn_client_json(cli, &c->news.server, &request, POST_MS, &v);
    return rc ? rc : skn_json_int(v, "stopped", 0, count, &cli->err);
}

void skn_chat_stop(skn_chat *c, const char *agent, const char *next)
{
    skn_arena *mem = skn_arena_new();
    int64_t    count = 0;

    if (skn_chat_told(c, stop(c, skn_chat_ask(c, mem), agent, &count)))
        skn_chat_complain(c);
    else if (count)
        skn_chat_tell(c, "Stopped. What was written stays. Say what to do instead%s%s",
                      next ? "; " : ".", next ? next : "");
    else
        skn_chat_tell(c, "Nobody is at work.%s%s", next ? " " : "", next ? next : "");
    skn_arena_free(mem);
}

/* A slash begins a command; behind a blank it is text like any other. */
bool skn_chat_line(skn_chat *c, skn_str line)
{
    if (c->edited[0])
        skn_chat_edit(c, skn_str_trim(line));
    else if (c->queued[0])
        skn_chat_queue_put(c, skn_str_trim(line));
    else if (line.n && line.p[0] == '/')
        skn_chat_command(c, line);
    else if (skn_str_trim(line).n)
        skn_chat_say(c, skn_str_trim(line));
    else if (c->edit && c->boxed[0])
        skn_chat_delegation(c);
    return !c->asked;
}

/* The row above the prompt: where this is, who is at work, which model, how full it is. */

#define LIST_MS    2000 /* a server that asks another one for its models may take long */
#define READ_LAST  50
#define INBOX_MOST 100
#define TITLE_MOST 24 /* columns of the conversation's title */

/* --- What it says ------------------------------------------------------------------------- */

/* What is left out when there is no room, least needed first. The world is always shown: people must see where their
 * messages go. */
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

/* 0: it is not known; -1: nobody answered in time, and that is no reason to complain. */
static int64_t window_of(skn_chat *c, skn_str model)
{
    skn_cli          sub = *c->cli;
    skn_str          provider = SKN_STR(""), rest = model;
    const skn_json  *models;
    skn_request_spec what = {.method = "GET"};
    int64_t          window = -1;

    skn_str_split(&rest, '/', &provider);
    sub.keep = skein_mem_new();
    what.path = skn_arena_text(sub.keep, "/providers/%s/models?limit=500",
                               skn_client_encode(sub.keep, provider));
    if (!skn_client_json(&sub, &c->news.server, &what, LIST_MS, &models))
        window = 0;
    for (const skn_json *m = window ? NULL : skn_first(models, "data"); m; m = m->next)
        if (skn_str_eq(skn_json_str(m, "model"), model))
            window = skn_door_int(m, "contextWindow", 0);
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
    skn_json_list open = {0};

    if (c->plain || skn_inbox_list(skn_chat_ask(c, c->mem), "fields=id", INBOX_MOST, &open) ||
        open.n == c->inbox)
        return;
    c->inbox = open.n;
    c->changed = true;
}

skein_rc skn_chat_status_read(skn_chat *c)
{
    skn_door_log log = {.facts = NULL};
    skein_rc     rc = c->plain ? SKEIN_OK : skn_chat_last(c, c->mem, READ_LAST, &log);

    for (size_t i = rc ? 0 : log.list.count; i-- > 0;)
        if (log.list.at[i].role == SKEIN_ASSISTANT && log.list.at[i].model.n) {
            skn_chat_status_answer(c, &log.list.at[i], &log.facts[i]);
            break;
        }
    skn_chat_inbox_look(c);
    return rc;
}
