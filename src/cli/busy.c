#include "cli/busy.h"

#include "base/clock.h"
#include "base/error.h"
#include "cli/discover.h"
#include "cli/far.h"

#include <inttypes.h>
#include <time.h>

#define LOOK_MS    100
#define DUES_MOST  10000
#define SHOWN_MOST 3

skein_rc skn_chat_busy(skn_cli *cli, skein_conversation_id chat, skein_mem *mem,
                       skein_turns *turns, bool *busy)
{
    skein_dues dues;
    skein_rc   rc;

    if ((rc = skein_work_now(cli->engine, (skein_world_id){0}, chat, DUES_MOST, mem, turns,
                             &dues, &cli->err)))
        return rc;
    *busy = turns->count > 0;
    for (size_t i = 0; i < dues.count && !*busy; i++)
        *busy = dues.at[i].chat.v == chat.v;
    return SKEIN_OK;
}

/* A turn whose program has died keeps nobody waiting: its lease runs out. */
skein_rc skn_wait_idle(skn_cli *cli, skein_conversation_id chat)
{
    const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000L};
    skein_mem            *mem = skein_mem_new();
    skein_turns           turns;
    int64_t               closed;
    bool                  busy = true;
    skein_rc              rc;

    while (!(rc = skn_chat_busy(cli, chat, mem, &turns, &busy)) && busy) {
        if (turns.count && (rc = skein_turns_recover(cli->engine, false, &closed, &cli->err)))
            break;
        nanosleep(&nap, NULL);
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    return rc;
}

/* "lead is answering b7c8d9e0f1 (4 s)", for those that fit. */
static void who(const skn_json *busy, skn_buf *out)
{
    size_t i = 0;

    for (const skn_json *t = busy->first; t && i < SHOWN_MOST; t = t->next)
        skn_buf_addf(out, "%s%.*s is answering %.*s (%" PRId64 " s)", i++ ? ", " : "",
                     SKN_FMT(skn_far_text(t, "agent")), SKN_FMT(skn_far_text(t, "messageId")),
                     skn_far_int(t, "sinceMs", 0) / 1000);
    if (busy->count > SHOWN_MOST)
        skn_buf_addf(out, " and %" PRIu32 " more", busy->count - SHOWN_MOST);
    if (!busy->count)
        skn_buf_add(out, SKN_STR("agents have to answer"));
}

/* Of something that goes, there is nobody to name but those that the failure names. */
static void advise_force(skn_cli *cli)
{
    if (cli->command && cli->command->options &&
        skn_option_find(cli->command->options, SKN_STR("force"), 0))
        skn_hint(&cli->err, SKEIN_AT_WORK,
                 "Wait until they are done, stop them with \"skein stop\", or give --force");
}

/* The failure tells who is at work. */
static const skn_json *busy_of(skn_cli *cli)
{
    const skn_json *v;
    skn_str         text = skn_arena_printf(cli->keep, "{%.*s}", SKN_FMT(cli->more.extra));

    if (!cli->more.extra.n || skn_json_parse(&v, text, "who is busy", cli->keep, NULL))
        return NULL;
    return skn_json_get(v, "busy");
}

void skn_busy_explain(skn_cli *cli)
{
    const skn_json *busy = busy_of(cli);
    skn_buf         names;

    if (!busy || !cli->changing_world) {
        advise_force(cli);
        return;
    }
    skn_buf_init(&names, sizeof cli->err.message);
    who(busy, &names);
    skn_fail(&cli->err, SKEIN_AT_WORK, "%s is busy: %.*s", cli->changing_world,
             SKN_FMT(skn_buf_str(&names)));
    skn_hint(&cli->err, SKEIN_AT_WORK, "Wait with --wait, or stop them: skein stop -w %s",
             cli->changing_world);
    skn_buf_release(&names);
}
