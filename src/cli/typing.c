#include "cli/typing.h"

#include "base/arena.h"
#include "base/clock.h"

#include <stdlib.h>

#define TEXT_MOST ((size_t)64 << 20)

skn_typing *skn_typing_find(const skn_typings *all, skn_str message)
{
    skn_typing *t = all->first;

    while (t && !skn_str_is(message, t->message))
        t = t->next;
    return t;
}

static char *copy_of(skn_str s)
{
    return skn_heap_copy(s.p ? s : SKN_STR(""));
}

static skn_typing *begin(skn_typings *all, const skn_news_item *item)
{
    skn_typing **last = &all->first, *t;

    while (*last)
        last = &(*last)->next;
    *last = t = skn_heap(sizeof *t);
    t->message = copy_of(item->message);
    t->agent = copy_of(item->agent);
    t->reply_to = copy_of(item->reply_to);
    t->model = copy_of(item->model);
    t->lane = copy_of(skn_news_text(item->data, "threadPath"));
    t->thinking = true;
    t->since = skn_clock_monotonic() / 1000000;
    skn_buf_init(&t->text, TEXT_MOST);
    all->count++;
    return t;
}

/* Thoughts are not shown, only that there are some. */
static void add_piece(skn_typing *t, const skn_news_item *item, bool whole)
{
    skn_str part = skn_news_text(item->data, "part");

    t->thinking = skn_str_is(part, "thinking");
    if (t->thinking)
        return;
    if (whole)
        skn_buf_clear(&t->text);
    skn_buf_add(&t->text, item->text);
}

skn_typing *skn_typing_take(skn_typings *all, const skn_news_item *item)
{
    skn_typing *t = item->message.p ? skn_typing_find(all, item->message) : NULL;

    if (!t && skn_str_is(item->type, "message.started"))
        return begin(all, item);
    if (t && skn_str_is(item->type, "message.delta"))
        add_piece(t, item, false);
    else if (t && skn_str_is(item->type, "message.snapshot"))
        add_piece(t, item, true);
    return t;
}

void skn_typing_drop(skn_typings *all, skn_typing *t)
{
    skn_typing **at = &all->first;

    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    all->count--;
    skn_buf_release(&t->text);
    free(t->message);
    free(t->agent);
    free(t->reply_to);
    free(t->model);
    free(t->lane);
    free(t);
}

void skn_typing_clear(skn_typings *all)
{
    while (all->first)
        skn_typing_drop(all, all->first);
}
