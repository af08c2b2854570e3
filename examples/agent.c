/* agent.c: a program that answers for agents. A person posts a message; each agent that has to answer is a piece
 * of work; each piece of work becomes a turn, and the answer may name the next agent.
 *
 *   cc agent.c $(pkg-config --cflags --libs skein) -o agent && ./agent sqlite:agent.db */
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static skein_error err;

static void must(skein_rc rc)
{
    if (rc == SKEIN_OK)
        return;
    fprintf(stderr, "agent: %s. %s\n", err.message, err.hint);
    exit(skein_rc_exit(rc));
}

/* A real host asks a model here. The prompt has the context of this agent and is always valid. */
static const char *think(skein_engine *e, const skein_turn *turn, skein_mem *mem)
{
    skein_slice   what = {.conversation = turn->chat, .agent = turn->agent};
    skein_context prompt;

    must(skein_context_read(e, &what, mem, &prompt, &err));
    printf("%s, who may be followed by %lld more answers, reads:\n", turn->agent_name.p,
           (long long)turn->hops_left);
    for (size_t i = 0; i < prompt.count; i++)
        printf("  %s: %s\n", skein_role_name(prompt.at[i].role), prompt.at[i].text.p);
    return strcmp(turn->agent_name.p, "ada") == 0 ? "@bo can you check noon?" : "Noon is free.";
}

/* One turn: taken under a lease, closed by its last step. When somebody stopped it meanwhile, the step
 * is refused and nothing of it is stored. */
static void answer(skein_engine *e, const skein_due *due, skein_mem *mem)
{
    skein_new_message said = {.role = SKEIN_ASSISTANT};
    skein_step    step = {.message = &said, .tokens_in = -1, .tokens_out = -1, .last = true};
    skein_turn    turn;
    skein_message stored;
    skein_rc      rc;

    rc = skein_turn_begin(e, due->delivery, skein_text("agent.c"), skein_text("example/fixed"),
                          30000, mem, &turn, &err);
    if (rc == SKEIN_NOTHING) /* another program was faster */
        return;
    must(rc);
    said.content = skein_text(think(e, &turn, mem));
    rc = skein_turn_step(e, &turn, &step, mem, &stored, &err);
    if (rc != SKEIN_TURN_OVER)
        must(rc);
}

/* Until nobody has to answer. A server would wait for skein_on_commit, and look again. */
static void work(skein_engine *e, skein_mem *mem)
{
    skein_dues dues;

    do {
        must(skein_work_due(e, 16, mem, &dues, &err));
        for (size_t i = 0; i < dues.count; i++)
            answer(e, &dues.at[i], mem);
    } while (dues.count);
}

static void show(skein_engine *e, skein_conversation_id chat, skein_mem *mem)
{
    skein_slice    all = {.conversation = chat};
    skein_messages m;
    skein_at       at;

    must(skein_read(e, &all, mem, &m, &at, &err));
    for (size_t i = 0; i < m.count; i++)
        printf("%*s[%s] %s\n", 2 * m.at[i].reply_depth, "", m.at[i].sender.p,
               m.at[i].content.p);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"ada", "bo"};
    skein_options            options = SKEIN_OPTIONS_INIT;
    skein_mem               *mem = skein_mem_new();
    skein_world              world = {.name = skein_text("office")};
    skein_engine            *e;
    skein_conversation       chat;
    skein_posted             posted;

    options.store = skein_text(argc > 1 ? argv[1] : "sqlite:agent.db");
    must(skein_open(&e, &options, &err));
    must(skein_world_new(e, &world, mem, &err));
    for (size_t i = 0; i < 2; i++) {
        skein_agent agent = {.world = world.id, .name = skein_text(names[i])};

        must(skein_agent_new(e, &agent, mem, &err));
    }
    must(skein_chat_new(e, world.id, skein_text("first"), mem, &chat, &err));
    skein_new_message lunch = {.content = skein_text("@ada lunch today?")};
    skein_post        post = {.chat = chat.id, .message = &lunch};
    must(skein_post_message(e, &post, mem, &posted, &err));
    work(e, mem);
    show(e, chat.id, mem);
    skein_close(e);
    skein_mem_free(mem);
    return 0;
}
