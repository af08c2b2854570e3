/* chat_delegation.c: delegations in a chat: those at work above the prompt, and a look into one. */
#include "cli/chat_ask.h"
#include "cli/chat_box.h"

#include "cli/term_key.h"

#include <stdio.h>

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

/* Only those that the room asked for have a box of their own; what is below them is a row in it. That
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

typedef struct look {
    char key[64];
} look;

static void look_rows(skn_chat *c, void *arg)
{
    look                    *l = arg;
    skn_arena               *mem = skn_arena_new();
    size_t                   rows = skn_chat_height(), i;
    const skein_delegations *all;
    skn_box                  box;

    skn_chat_rule(c);
    if (!skn_chat_delegations(c, &all) && find_key(all, skn_str_of(l->key), &i) &&
        !skn_box_read(c, mem, all, i, true, &box))
        skn_box_print(c, &box, rows > FOOT_ROWS ? rows - FOOT_ROWS : 1,
                      box.state == SKEIN_LANE_RUNNING
                          ? "Enter in · Esc out · ← → siblings · ↑ parent · c cancel"
                          : "Enter in · Esc out · ← → siblings · ↑ parent",
                      skn_chat_row_end);
    skn_arena_free(mem);
}

/* The one beside it, `by` further; it stays where it is at the ends. */
static void go_beside(const skein_delegations *all, size_t at, int by, look *l)
{
    for (size_t i = at + (size_t)by; i < all->count; i += (size_t)by)
        if (skn_str_eq(all->at[i].parent_key, all->at[at].parent_key)) {
            snprintf(l->key, sizeof l->key, "%.*s", SKN_FMT(all->at[i].key));
            return;
        }
}

static void go_in(const skein_delegations *all, look *l)
{
    for (size_t i = 0; i < all->count; i++)
        if (skn_str_is(all->at[i].parent_key, l->key)) {
            snprintf(l->key, sizeof l->key, "%.*s", SKN_FMT(all->at[i].key));
            return;
        }
}

static void go(skn_chat *c, look *l, skn_key_kind key)
{
    const skein_delegations *all;
    size_t                   at;

    if (!skn_chat_delegations(c, &all) && find_key(all, skn_str_of(l->key), &at)) {
        if (key == SKN_KEY_ENTER)
            go_in(all, l);
        else if (key == SKN_KEY_LEFT || key == SKN_KEY_RIGHT)
            go_beside(all, at, key == SKN_KEY_LEFT ? -1 : 1, l);
        else if (key == SKN_KEY_UP && !skn_str_is(all->at[at].parent_key, ROOT))
            snprintf(l->key, sizeof l->key, "%.*s", SKN_FMT(all->at[at].parent_key));
    }
    c->changed = true;
}

/* False when it leaves. What is no key of it was meant for the prompt. */
static bool take_key(skn_chat *c, look *l, const skn_key *key)
{
    const char *stop[] = {"stop", l->key};

    if (key->kind == SKN_KEY_GONE || key->kind == SKN_KEY_ESCAPE)
        return false;
    if (key->kind != SKN_KEY_TEXT) {
        go(c, l, key->kind);
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
    look        l;
    skn_overlay overlay = {.rows = look_rows, .arg = &l};
    skn_keys    keys = {.wait = skn_chat_wait_key, .arg = c, .ahead = -1};
    skn_key     key;

    snprintf(l.key, sizeof l.key, "%s", c->boxed);
    c->overlay = &overlay;
    do {
        skn_chat_draw(c);
        key = skn_key_read(&keys);
    } while (take_key(c, &l, &key));
    skn_chat_erase(c);
    c->overlay = NULL;
}
