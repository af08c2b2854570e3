/* chat_complete.c: what a word could become when Tab is pressed. */
#include "cli/chat.h"

#include "base/arena.h"

#define RECENT 50

typedef struct offers {
    skn_str word;
    char  **out;
    size_t  count;
} offers;

static void offer(offers *o, char mark, skn_str name)
{
    skn_buf b;

    skn_buf_init(&b, 512);
    skn_buf_addc(&b, mark);
    skn_buf_add(&b, name);
    if (o->count < SKN_LINE_CHOICES && !b.over && skn_str_starts(skn_buf_str(&b), o->word))
        o->out[o->count++] = skn_heap_copy(skn_buf_str(&b));
    skn_buf_release(&b);
}

static void offer_messages(skn_chat *c, offers *o)
{
    skein_slice    slice = {.conversation = c->chat.id, .from = -RECENT, .count = RECENT};
    skein_messages list;
    skein_at       at;

    if (skein_read(c->cli->engine, &slice, c->mem, &list, &at, NULL))
        return;
    for (size_t i = list.count; i-- > 0;)
        offer(o, '#', list.at[i].uid);
}

size_t skn_chat_complete(void *chat, skn_str word, bool first, char **out)
{
    skn_chat   *c = chat;
    offers      o = {.word = word, .out = out};
    const char *name;

    if (!word.n)
        return 0;
    if (word.p[0] == '/' && first)
        for (size_t i = 0; (name = skn_chat_command_name(i)); i++)
            offer(&o, '/', skn_str_of(name));
    else if (word.p[0] == '@')
        for (size_t i = 0; i < c->agents.count; i++)
            offer(&o, '@', c->agents.at[i].name);
    else if (word.p[0] == '#')
        offer_messages(c, &o);
    return o.count;
}

void skn_chat_choices(void *chat, char *const *list, size_t count)
{
    skn_chat *c = chat;

    skn_chat_erase(c);
    for (size_t i = 0; i < count; i++)
        skn_print(c->cli, "%s%s", list[i], i + 1 < count ? "  " : "\n");
    skn_chat_draw(c);
}
