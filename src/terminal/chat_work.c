/* chat_work.c: calls of tools that wait for the person's yes or no, and saying it in the chat. */
#include "base/utf8.h"
#include "cli/paste.h"
#include "terminal/chat.h"

#define INBOX_MOST 100
#define ARGS_MOST  ((size_t)300) /* bytes of what a tool is to be given */

/* --- Reading ------------------------------------------------------------------------------ */

/* Those of this conversation, and those that hold up all of the world: a limit was reached. */
static bool is_ours(const skn_chat *c, const skn_json *item)
{
    return skn_is(item, "type", "approval") && !skn_has(item, "answer") &&
           skn_has(item, "open") &&
           (!skn_has(item, "chatId") || skn_str_eq(skn_json_str(item, "chatId"), c->chat.uid));
}

static bool is_known(const skn_approval *list, size_t count, const char *uid)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].uid, uid))
            return true;
    return false;
}

static void copy(skn_approval *out, const skn_json *item, skn_arena *mem)
{
    skn_str agent = skn_json_str(item, "agent"), tool = skn_json_str(item, "tool");

    snprintf(out->uid, sizeof out->uid, "%.*s", SKN_FMT(skn_json_str(item, "id")));
    snprintf(out->who, sizeof out->who, "%.*s", SKN_FMT(agent.n ? agent : SKN_STR("the team")));
    if (tool.n)
        snprintf(out->what, sizeof out->what, "%.*s %.*s",
                 SKN_FMT(skn_clean_consent(mem, tool)),
                 SKN_FMT(skn_utf8_cut(skn_clean_consent(mem, skn_args_of(item)), ARGS_MOST)));
    else
        snprintf(out->what, sizeof out->what, "%.*s", SKN_FMT(skn_json_str(item, "title")));
}

/* A list leaves out what is long. */
static const skn_json *read_whole(skn_chat *c, const skn_json *listed, skn_arena *mem)
{
    const skn_json *whole;

    if (!skn_has(listed, "definitionState") || skn_has(listed, "definition"))
        return listed;
    return skn_read(skn_chat_ask(c, mem), listed, "/inbox/{id}", &whole) ? listed : whole;
}

static void tell_definition(skn_chat *c, const skn_json *listed, skn_arena *mem)
{
    const skn_json      *item = read_whole(c, listed, mem);
    skn_definition_parts d;

    skn_definition_read(item, mem, &d);
    if (d.why)
        skn_chat_tell(c, "%s", d.why);
    if (d.why && !skn_has(item, "definition"))
        skn_chat_tell(c,
                      "  It could not be read. Read it before you allow it: /inbox show %.*s",
                      SKN_FMT(skn_json_str(item, "id")));
    for (size_t i = 0; i < d.parts.n; i++) {
        skn_chat_wrap(c, d.parts.p[i].label, 2, false);
        skn_chat_wrap(c, d.parts.p[i].text, 6, false);
    }
}

static void tell_approval(skn_chat *c, const skn_approval *a, const skn_json *item,
                          skn_arena *mem)
{
    skn_chat_tell(c, "%s waits for your answer in the inbox: %s", a->who, a->what);
    tell_definition(c, item, mem);
    skn_chat_tell(c,
                  "/allow or /deny it; /inbox show %s shows more. Meanwhile your messages wait "
                  "in the queue.",
                  a->uid);
}

static void take_inbox(skn_chat *c, const skn_json_list *inbox, skn_arena *mem)
{
    const skn_json *from[SKN_CHAT_ASKS];
    skn_approval    old[SKN_CHAT_ASKS];
    size_t          old_count = c->ask_count;

    memcpy(old, c->asks, sizeof old);
    c->ask_count = 0;
    for (size_t i = 0; i < inbox->n && c->ask_count < SKN_CHAT_ASKS; i++)
        if (is_ours(c, inbox->p[i])) {
            from[c->ask_count] = inbox->p[i];
            copy(&c->asks[c->ask_count++], inbox->p[i], mem);
        }
    for (size_t i = 0; i < c->ask_count; i++)
        if (!is_known(old, old_count, c->asks[i].uid))
            tell_approval(c, &c->asks[i], from[i], mem);
    c->changed = true;
}

skein_rc skn_chat_asks_read(skn_chat *c)
{
    skn_arena    *mem = skn_arena_new();
    skn_json_list inbox = {0};
    skein_rc      rc = skn_chat_told(
             c,
             skn_inbox_list(skn_chat_ask(c, mem), "state=open&type=approval", INBOX_MOST, &inbox));

    if (!rc)
        take_inbox(c, &inbox, mem);
    skn_arena_free(mem);
    return rc;
}

/* --- Showing ------------------------------------------------------------------------------ */

void skn_chat_ask_rows(skn_chat *c)
{
    size_t width = c->cli->out.width > 20 ? (size_t)c->cli->out.width - 1 : 20;

    if (!c->ask_count)
        return;
    skn_chat_row(c, SKN_YELLOW,
                 skn_chat_fit(c->mem,
                              skn_arena_printf(c->mem, "◐ %s waits for your answer: %s",
                                               c->asks[0].who, c->asks[0].what),
                              width));
    skn_chat_row(c, SKN_DIM,
                 skn_chat_fit(c->mem,
                              c->ask_count == 1
                                  ? SKN_STR("/allow or /deny · your messages wait")
                                  : skn_arena_printf(c->mem, "/allow or /deny ID · %zu wait",
                                                     c->ask_count),
                              width));
}

/* --- Deciding ----------------------------------------------------------------------------- */

/* Of several only that which is named is decided: the first may be another one by now. */
static const char *which(skn_chat *c)
{
    if (c->ask_count == 1)
        return c->asks[0].uid;
    if (!c->ask_count)
        skn_chat_tell(c, "Nothing waits for your decision.");
    for (size_t i = 0; i < c->ask_count; i++)
        skn_chat_tell(c, "%s  %s: %s", c->asks[i].uid, c->asks[i].who, c->asks[i].what);
    if (c->ask_count)
        skn_chat_tell(c, "Name the one that you mean: /allow ID, or /deny ID");
    return NULL;
}

void skn_chat_decide(skn_chat *c, const char *word, const char *uid)
{
    char        id[64];
    const char *words[] = {"inbox", word, id};

    if (!uid)
        uid = which(c);
    if (!uid)
        return;
    snprintf(id, sizeof id, "%s", uid);
    (void)skn_chat_run(c, words, 3);
    if (!c->rc)
        c->rc = skn_chat_asks_read(c);
}

/* Delegations in a chat: those at work above the prompt, and a look into one. */

#define BOXES_MOST ((size_t)2)
#define ROWS_MOST  ((size_t)4) /* of each */
#define FOOT_ROWS  ((size_t)6) /* under a look: keys, and some of what was said */
#define ROOT       "main"

static bool find_key(const skein_delegations *all, skn_str key, size_t *at)
{
    for (size_t i = 0; i < all->count; i++)
        if (skn_str_eq(all->at[i].key, key)) {
            *at = i;
            return true;
        }
    return false;
}

static void remember(skn_chat *c, skn_str key)
{
    snprintf(c->boxed, sizeof c->boxed, "%.*s", SKN_FMT(key));
}

/* --- Above the prompt --------------------------------------------------------------------- */

/* Only those that the main lane asked for have a box of their own; what is below them is a row in it. That
 * something cannot be read now is no reason not to draw the rest. */
void skn_chat_boxes(skn_chat *c)
{
    skn_arena               *mem = skn_arena_new();
    skein_error              before = c->cli->err;
    const skein_delegations *all;
    skn_box                  box;
    size_t                   shown = 0, count = 0;

    if (c->delegated && !skn_chat_delegations(c, &all))
        count = all->count;
    c->delegated = false;
    for (size_t i = 0; i < count; i++) {
        if (all->at[i].state != SKEIN_LANE_RUNNING || !skn_str_is(all->at[i].parent_key, ROOT))
            continue;
        c->delegated = true; /* so that it is looked for again */
        if (shown++ >= BOXES_MOST || skn_box_read(c, mem, all, i, false, &box))
            continue;
        remember(c, box.key);
        skn_box_print(c, &box, ROWS_MOST, "Enter open", skn_chat_row_end);
    }
    c->cli->err = before;
    skn_arena_free(mem);
}

static void line_end(skn_chat *c)
{
    skn_print_raw(c->cli, SKN_STR("\n"));
}

void skn_chat_box_ended(skn_chat *c, skn_str key)
{
    skn_arena               *mem = skn_arena_new();
    const skein_delegations *all;
    skn_box                  box;
    size_t                   i;

    if (skn_chat_delegations(c, &all) ||
        (find_key(all, key, &i) && skn_box_read(c, mem, all, i, false, &box))) {
        skn_chat_complain(c);
    } else if (find_key(all, key, &i)) {
        skn_chat_erase(c);
        remember(c, key);
        skn_box_print(c, &box, box.count, "Enter open", line_end);
        line_end(c);
    }
    skn_arena_free(mem);
}

/* --- A look into one ---------------------------------------------------------------------- */

enum { KEY_TEXT = 64 };

static void look_rows(skn_chat *c, void *arg)
{
    const char              *look = arg; /* the delegation's key */
    skn_arena               *mem = skn_arena_new();
    size_t                   rows = skn_chat_height(), i;
    const skein_delegations *all;
    skn_box                  box;

    skn_chat_rule(c);
    if (!skn_chat_delegations(c, &all) && find_key(all, skn_str_of(look), &i) &&
        !skn_box_read(c, mem, all, i, true, &box))
        skn_box_print(c, &box, rows > FOOT_ROWS ? rows - FOOT_ROWS : 1,
                      box.state == SKEIN_LANE_RUNNING
                          ? "Enter in · Esc out · ← → siblings · ↑ parent · c cancel"
                          : "Enter in · Esc out · ← → siblings · ↑ parent",
                      skn_chat_row_end);
    skn_arena_free(mem);
}

/* The next child of `parent` from number `from` on, `by` further each time; absent: there is none. */
static skn_str child_from(const skein_delegations *all, skn_str parent, size_t from, int by)
{
    for (size_t i = from; i < all->count; i += (size_t)by)
        if (skn_str_eq(all->at[i].parent_key, parent))
            return all->at[i].key;
    return SKN_NONE;
}

static void go(skn_chat *c, char *look, skn_key_kind key)
{
    const skein_delegations *all;
    size_t                   at;
    int                      by = key == SKN_KEY_LEFT ? -1 : 1;
    skn_str                  to = SKN_NONE, parent;

    c->changed = true;
    if (skn_chat_delegations(c, &all) || !find_key(all, skn_str_of(look), &at))
        return;
    parent = all->at[at].parent_key;
    if (key == SKN_KEY_ENTER)
        to = child_from(all, all->at[at].key, 0, 1);
    else if (key == SKN_KEY_LEFT || key == SKN_KEY_RIGHT)
        to = child_from(all, parent, at + (size_t)by, by);
    else if (key == SKN_KEY_UP && !skn_str_is(parent, ROOT))
        to = parent;
    if (to.n)
        snprintf(look, KEY_TEXT, "%.*s", SKN_FMT(to));
}

/* What is not a key of the look was meant for the prompt. */
static bool take_key(skn_chat *c, void *look, const skn_key *key)
{
    const char *stop[] = {"stop", look};

    if (key->kind == SKN_KEY_GONE || key->kind == SKN_KEY_ESCAPE)
        return false;
    if (key->kind != SKN_KEY_TEXT) {
        go(c, look, key->kind);
        return true;
    }
    if (key->bytes[0] != 'c') {
        skn_line_edit_retype(c->edit, key->bytes);
        return false;
    }
    (void)skn_chat_run(c, stop, 2);
    return true;
}

void skn_chat_delegation(skn_chat *c)
{
    char look[KEY_TEXT];

    snprintf(look, sizeof look, "%s", c->boxed);
    skn_chat_lay(c, &(skn_overlay){.rows = look_rows, .key = take_key, .arg = look});
}

/* Messages that wait until the agents are done: read, said at once, written again. */

skein_rc skn_chat_queue_read(skn_chat *c, skn_json_list *out)
{
    return skn_chat_told(c, skn_queue_read(skn_chat_ask(c, c->mem), out));
}

static const char *path_of(skn_cli *cli, skn_str uid)
{
    return skn_arena_text(cli->keep, "%s/queue/%s", cli->door->chat, skn_door_part(cli, uid));
}

skein_rc skn_chat_queue_now(skn_chat *c, skn_str uid)
{
    const skn_json *v;
    skn_cli        *cli = skn_chat_ask(c, c->mem);

    return skn_chat_told(
        c, skn_door_change(cli, "PATCH", path_of(cli, uid), SKN_STR("{\"send\":true}"), &v));
}

/* --- In other words ------------------------------------------------------------------------ */

void skn_chat_queue_take(skn_chat *c)
{
    skn_json_list queue = {0};

    if (skn_chat_queue_read(c, &queue)) {
        skn_chat_complain(c);
    } else if (queue.n) {
        snprintf(c->queued, sizeof c->queued, "%.*s", SKN_FMT(skn_json_str(queue.p[0], "id")));
        skn_line_edit_preset(c->edit, skn_json_str(queue.p[0], "content"));
    }
    skn_arena_reset(c->mem);
    c->changed = true;
}

static skein_rc put_text(skn_chat *c, skn_str text)
{
    const skn_json *v;
    skn_door_body   b;
    skn_cli        *cli = skn_chat_ask(c, c->mem);

    skn_jw_kstr(skn_door_body_begin(cli, &b), "content", text);
    return skn_chat_told(c,
                         skn_door_send(&b, "PATCH", path_of(cli, skn_str_of(c->queued)), &v));
}

/* When it was said meanwhile, what was typed is the next line instead of lost. */
void skn_chat_queue_put(skn_chat *c, skn_str text)
{
    skein_rc rc = text.n ? put_text(c, text) : SKEIN_OK;

    c->queued[0] = '\0';
    if (!text.n)
        skn_chat_tell(c, "It waits as it was.");
    else if (rc == SKEIN_NOT_FOUND)
        skn_chat_tell(c, "It was sent in the meantime. Your text is your next line.");
    else if (rc)
        skn_chat_complain(c);
    if (rc)
        skn_line_edit_preset(c->edit, text);
    if (rc == SKEIN_NOT_FOUND)
        c->cli->err = (skein_error){.rc = SKEIN_OK};
    c->changed = true;
}
