/* hello.c: opens a store, adds two messages, amends one, undoes that, and prints each state.
 *
 *   cc hello.c $(pkg-config --cflags --libs skein) -o hello && ./hello sqlite:hello.db */
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>

static skein_error err;

static void must(skein_rc rc)
{
    if (rc == SKEIN_OK)
        return;
    fprintf(stderr, "hello: %s. %s\n", err.message, err.hint);
    exit(skein_rc_exit(rc));
}

static void show(skein_engine *e, skein_conversation_id chat, const char *when, skein_mem *mem)
{
    skein_slice    all = {.conversation = chat};
    skein_messages m;
    skein_at       at;

    must(skein_read(e, &all, mem, &m, &at, &err));
    printf("%s:", when);
    for (size_t i = 0; i < m.count; i++)
        printf(" [%s] %s", m.at[i].sender.p, m.at[i].content.p);
    printf("\n");
}

int main(int argc, char **argv)
{
    skein_options      options = SKEIN_OPTIONS_INIT;
    skein_mem         *mem = skein_mem_new();
    skein_world        world = {.name = skein_text("hello")};
    skein_new_message  said[] = {{.role = SKEIN_USER, .content = skein_text("Hello?")},
                                 {.role = SKEIN_ASSISTANT, .content = skein_text("Hi!")}};
    skein_engine      *e;
    skein_conversation chat;
    skein_messages     stored;
    skein_version      version;
    skein_move         move;
    skein_rc           rc;

    options.store = skein_text(argc > 1 ? argv[1] : "sqlite:hello.db");
    must(skein_open(&e, &options, &err));
    rc = skein_world_find(e, world.name, mem, &world, &err); /* from a run before this one */
    must(rc == SKEIN_NOT_FOUND ? skein_world_new(e, &world, mem, &err) : rc);
    must(skein_chat_new(e, world.id, skein_text("first"), mem, &chat, &err));
    skein_append_request request = {.conversation = chat.id, .messages = said, .count = 2};
    must(skein_append(e, &request, mem, &stored, &err));
    show(e, chat.id, "said  ", mem);
    skein_change how = {.conversation = chat.id};
    must(skein_amend(e, &how, stored.at[0].id, skein_text("Anybody?"), mem, &version, NULL,
                     &err));
    show(e, chat.id, "edited", mem);
    must(skein_undo(e, &how, 1, mem, &move, &err));
    show(e, chat.id, "undone", mem);
    skein_close(e);
    skein_mem_free(mem);
    return 0;
}
