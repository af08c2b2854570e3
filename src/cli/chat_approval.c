/* chat_approval.c: calls of tools that wait for the person's yes or no, and saying it in the chat. */
#include "cli/chat_ask.h"

#include "base/utf8.h"
#include "cli/definition.h"
#include "cli/far_inbox.h"

#include <stdio.h>
#include <string.h>

#define INBOX_MOST 100
#define ARGS_MOST  ((size_t)300) /* bytes of what a tool is to be given */

/* --- Reading ------------------------------------------------------------------------------ */

/* Those of this conversation, and those that hold up all of the world: a limit was reached. */
static bool is_ours(const skn_chat *c, const skein_inbox_item *item)
{
    return skn_str_is(item->kind, "approval") && !item->answer.n && item->open &&
           (!item->chat_uid.n || skn_str_eq(item->chat_uid, c->chat.uid));
}

static bool is_known(const skn_approval *list, size_t count, const char *uid)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].uid, uid))
            return true;
    return false;
}

static void copy(skn_approval *out, const skein_inbox_item *item, skn_arena *mem)
{
    snprintf(out->uid, sizeof out->uid, "%.*s", SKN_FMT(item->uid));
    snprintf(out->who, sizeof out->who, "%.*s",
             SKN_FMT(item->agent.n ? item->agent : SKN_STR("the team")));
    if (item->tool.n)
        snprintf(out->what, sizeof out->what, "%.*s %.*s",
                 SKN_FMT(skn_clean_consent(mem, item->tool)),
                 SKN_FMT(skn_utf8_cut(skn_clean_consent(mem, item->args), ARGS_MOST)));
    else
        snprintf(out->what, sizeof out->what, "%.*s", SKN_FMT(item->title));
}

/* A list leaves out what is long. */
static void read_whole(skn_chat *c, const skein_inbox_item *listed, skn_arena *mem,
                       skein_inbox_item *out)
{
    skein_inbox_item whole;
    skn_far_question q;

    *out = *listed;
    if (!listed->definition_state.n || listed->definition.n)
        return;
    if (!skn_far_inbox_get(skn_chat_ask(c, mem, &q), listed->uid, &whole))
        out->definition = whole.definition;
}

static void tell_definition(skn_chat *c, const skein_inbox_item *listed, skn_arena *mem)
{
    skn_definition_parts d;
    skein_inbox_item     item;

    read_whole(c, listed, mem, &item);
    skn_definition_read(&item, mem, &d);
    if (d.why)
        skn_chat_tell(c, "%s", d.why);
    if (d.why && !item.definition.n)
        skn_chat_tell(c,
                      "  It could not be read. Read it before you allow it: /inbox show %.*s",
                      SKN_FMT(item.uid));
    for (size_t i = 0; i < d.parts.n; i++) {
        skn_chat_wrap(c, d.parts.p[i].label, 2, false);
        skn_chat_wrap(c, d.parts.p[i].text, 6, false);
    }
}

static void tell(skn_chat *c, const skn_approval *a, const skein_inbox_item *item,
                 skn_arena *mem)
{
    skn_chat_tell(c, "%s waits for your answer in the inbox: %s", a->who, a->what);
    tell_definition(c, item, mem);
    skn_chat_tell(c,
                  "/allow lets it, /deny does not; /inbox show %s tells more. What you say "
                  "meanwhile waits in the queue.",
                  a->uid);
}

static void take(skn_chat *c, const skein_inbox *inbox, skn_arena *mem)
{
    const skein_inbox_item *from[SKN_CHAT_ASKS];
    skn_approval            old[SKN_CHAT_ASKS];
    size_t                  old_count = c->ask_count;

    memcpy(old, c->asks, sizeof old);
    c->ask_count = 0;
    for (size_t i = 0; i < inbox->count && c->ask_count < SKN_CHAT_ASKS; i++)
        if (is_ours(c, &inbox->at[i])) {
            from[c->ask_count] = &inbox->at[i];
            copy(&c->asks[c->ask_count++], &inbox->at[i], mem);
        }
    for (size_t i = 0; i < c->ask_count; i++)
        if (!is_known(old, old_count, c->asks[i].uid))
            tell(c, &c->asks[i], from[i], mem);
    c->changed = true;
}

skein_rc skn_chat_asks_read(skn_chat *c)
{
    skn_arena        *mem = skn_arena_new();
    skein_inbox_query what = {.kind = SKN_STR("approval"), .limit = INBOX_MOST};
    skein_inbox       inbox;
    skn_far_question  q;
    skein_rc rc = skn_chat_told(c, &q, skn_far_inbox(skn_chat_ask(c, mem, &q), &what, &inbox));

    if (!rc)
        take(c, &inbox, mem);
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
                                  ? SKN_STR("/allow or /deny · what you say waits")
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
        skn_chat_tell(c, "Nothing waits for your yes or no.");
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
