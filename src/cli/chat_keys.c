/* chat_keys.c: Ctrl-O, and the keys after Ctrl-X: what they show, with what was typed kept. */
#include "cli/chat_ask.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT_BYTES 400 /* of a message in a list: more does not fit on a row */
#define DEEPEST    8   /* levels of replies that are set in */
#define ID_COLUMNS 10

static void run_word(skn_chat *c, const char *word)
{
    (void)skn_chat_run(c, &word, 1);
}

/* --- Ctrl-X h: versions ------------------------------------------------------------------- */

static void switch_to(skn_chat *c, skn_arena *mem, const skein_version *v)
{
    const char *words[] = {"switch", skn_arena_printf(mem, "v%" PRId64, v->number).p};

    if (v->current)
        skn_chat_tell(c, "v%" PRId64 " is current.", v->number);
    else
        (void)skn_chat_run(c, words, 2);
}

static skn_menu version_menu(skn_arena *mem, const skein_versions *all)
{
    skn_menu_item *items = SKN_ARRAY(mem, all->count, skn_menu_item);
    skn_menu       m = {.title = SKN_STR("Which version shall be current?"),
                        .keys = "↑ ↓ and Enter, or a digit · Esc leaves",
                        .items = items,
                        .count = all->count};

    for (size_t i = 0; i < all->count; i++) {
        const skein_version *v = &all->at[i];

        items[i].label = skn_arena_printf(mem, "v%" PRId64, v->number);
        items[i].text = skn_arena_printf(mem, "%.*s%s", SKN_FMT(v->note.n ? v->note : v->kind),
                                         v->current ? " (now)" : "");
        if (items[i].label.n > m.label_columns)
            m.label_columns = items[i].label.n;
        if (v->current)
            m.at = i;
    }
    return m;
}

static void pick_version(skn_chat *c)
{
    skn_arena       *mem = skn_arena_new();
    skein_versions   all;
    skn_far_question q;
    skn_menu         m;

    if (skn_chat_told(c, &q, skn_far_history(skn_chat_ask(c, mem, &q), &all))) {
        skn_chat_complain(c);
    } else if (all.count) {
        m = version_menu(mem, &all);
        if (skn_chat_menu(c, &m) == SKN_MENU_PICKED)
            switch_to(c, mem, &all.at[m.at]);
    }
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
    return (skn_menu){.title = SKN_STR("Who answers whom. Which one do you answer?"),
                      .keys = "↑ ↓ and Enter, or a digit · Esc leaves",
                      .items = items,
                      .count = tree->count,
                      .label_columns = ID_COLUMNS,
                      .at = tree->count - 1};
}

static void pick_message(skn_chat *c)
{
    skn_arena       *mem = skn_arena_new();
    skein_reply_tree tree;
    skn_str          thread = skn_arena_printf(mem, "v%" PRId64, c->version);
    skn_far_question q;
    skn_menu         m;

    if (skn_chat_told(c, &q, skn_far_tree(skn_chat_ask(c, mem, &q), thread, SKN_NONE, &tree))) {
        skn_chat_complain(c);
    } else if (!tree.count) {
        skn_chat_tell(c, "Nothing has been said here yet.");
    } else {
        m = tree_menu(mem, &tree);
        if (skn_chat_menu(c, &m) == SKN_MENU_PICKED)
            snprintf(c->reply_to, sizeof c->reply_to, "%.*s",
                     SKN_FMT(tree.at[m.at].message.uid));
    }
    skn_arena_free(mem);
}

/* --- Ctrl-X b: work in the background ----------------------------------------------------- */

static skn_menu agent_menu(skn_arena *mem, const skn_json_list *agents)
{
    skn_menu_item *items = SKN_ARRAY(mem, agents->n, skn_menu_item);
    skn_menu       m = {.title = SKN_STR("Whose work in the background?"),
                        .keys = "↑ ↓ and Enter, or a digit · Esc leaves",
                        .items = items,
                        .count = agents->n};

    for (size_t i = 0; i < agents->n; i++) {
        int64_t pending = skn_far_int(agents->p[i], "pendingTasks", 0);
        size_t  columns;

        items[i].label = skn_arena_copy(mem, skn_far_text(agents->p[i], "name"));
        items[i].text = pending ? skn_arena_printf(
                                      mem, "%" PRId64 " task%s%s", pending, skn_plural(pending),
                                      skn_far_flag(agents->p[i], "paused") ? ", paused" : "")
                                : SKN_STR("nothing to do");
        columns = skn_utf8_columns(items[i].label);
        if (columns > m.label_columns)
            m.label_columns = columns;
    }
    return m;
}

static void pick_agent(skn_chat *c)
{
    skn_arena  *mem = skn_arena_new();
    const char *path = skn_arena_printf(mem, "%s/agents?fields=name,pendingTasks,paused",
                                        c->cli->door->world)
                           .p;
    const char      *words[2] = {"inspect"};
    skn_json_list    agents = {0};
    skn_far_question q;
    skn_menu         m;

    if (skn_chat_told(c, &q, skn_far_all(skn_chat_ask(c, mem, &q), path, 0, &agents))) {
        skn_chat_complain(c);
    } else if (!agents.n) {
        skn_chat_tell(c, "There are no agents here.");
    } else {
        m = agent_menu(mem, &agents);
        if (skn_chat_menu(c, &m) == SKN_MENU_PICKED) {
            words[1] = m.items[m.at].label.p;
            (void)skn_chat_run(c, words, 2);
        }
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

    return c->waiting && !c->queued[0] && !c->revised[0];
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
        run_word(c, "inbox");
    else if (key == 'e')
        open_editor(c);
    else if (key == SKN_LINE_UP)
        skn_chat_queue_take(c);
    c->changed = true;
}
