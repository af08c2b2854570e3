#include "cli/log_far.h"

#include "cli/commands.h"
#include "cli/far_view.h"
#include "cli/interrupt.h"
#include "cli/news.h"
#include "cli/unanswered.h"

#include <inttypes.h>
#include <signal.h>

#define LOOK_BACK 20 /* messages that are read again to see which are new */

typedef struct following {
    skn_cli   *cli;
    skn_news   news;
    skn_arena *mem;     /* of one look */
    skn_map   *seen;    /* ids of what was printed */
    int64_t    version; /* that was current when it was last looked */
} following;

static bool is_seen(const following *f, skn_str uid)
{
    return skn_map_get(f->seen, uid) != NULL;
}

static void remember(following *f, skn_str uid)
{
    *skn_map_slot(f->seen, uid) = f;
}

static skn_str sender_of(skn_cli *look, const skn_far_log *log, skn_str uid)
{
    skein_message m;

    if (!uid.n)
        return SKN_NONE;
    for (size_t i = 0; i < log->list.count; i++)
        if (skn_str_eq(log->list.at[i].uid, uid))
            return log->list.at[i].sender;
    return skn_far_message(look, uid, &m, NULL, NULL) ? SKN_NONE : m.sender;
}

static skein_rc print_one(following *f, skn_cli *look, const skn_far_log *log, size_t i)
{
    skn_cli             *cli = f->cli;
    const skein_message *m = &log->list.at[i];

    if (cli->json) {
        skn_shape_message_delivered(skn_item(cli), look->far->chat_uid, m, &log->facts[i],
                                    &log->deliveries[i]);
        return skn_item_end(cli);
    }
    if (skn_opt(cli, "oneline"))
        skn_print_oneline(cli, m, &log->facts[i]);
    else
        skn_print_message(cli, m, &log->facts[i],
                          sender_of(look, log, log->facts[i].shown_reply));
    skn_print_unanswered(cli, &log->deliveries[i]);
    return SKEIN_OK;
}

/* As far back as something that was printed, or the beginning. */
static skein_rc read_new(following *f, skn_cli *look, skn_str thread, skn_far_log *out)
{
    skn_far_slice what = {.thread = thread, .last = LOOK_BACK};
    skein_rc      rc;

    while (!(rc = skn_far_log_read(look, &what, out)) && out->list.count == (size_t)what.last &&
           !is_seen(f, out->list.at[0].uid))
        what.last *= 4;
    return rc;
}

static skein_rc print_new(following *f, skn_cli *look)
{
    const skn_json *chat;
    skn_far_log     log;
    int64_t         version;
    skein_rc        rc = skn_far_get(look, &chat, "%s", look->far->chat);

    if (rc || (rc = read_new(f, look, skn_far_text(chat, "currentThread"), &log)))
        return rc;
    version = skn_far_int(chat, "version", f->version);
    if (version != f->version && !f->cli->json)
        skn_note(f->cli, "Now at v%" PRId64 ".", version);
    f->version = version;
    for (size_t i = 0; i < log.list.count && !rc; i++)
        if (!is_seen(f, log.list.at[i].uid)) {
            remember(f, log.list.at[i].uid);
            rc = print_one(f, look, &log, i);
        }
    skn_out_flush(f->cli);
    return rc;
}

static bool tells_of_messages(skn_str type)
{
    return skn_str_is(type, "message.created") || skn_str_is(type, "message.completed") ||
           skn_str_is(type, "stream.open") || skn_str_is(type, "stream.reset") ||
           skn_str_starts(type, SKN_STR("thread."));
}

static skein_rc take(void *arg, const skn_news_item *item)
{
    following       *f = arg;
    skn_far_question q;
    skein_rc         rc;

    if (!tells_of_messages(item->type))
        return SKEIN_OK;
    rc = print_new(f, skn_far_ask_apart(f->cli, f->mem, &q));
    f->cli->err = q.cli.err;
    skn_arena_reset(f->mem);
    f->news.over = f->cli->out.failure != 0; /* nobody reads it any more */
    return rc;
}

skein_rc skn_log_follow_far(skn_cli *cli, const skein_conversation *chat,
                            const skein_messages *known)
{
    following f = {.cli = cli,
                   .mem = skn_arena_new(),
                   .seen = skn_map_new(cli->keep),
                   .version = chat->version};
    skein_rc  rc;

    for (size_t i = 0; i < known->count; i++)
        remember(&f, known->at[i].uid);
    skn_out_flush(cli);
    skn_news_init(&f.news, cli, &cli->far->server);
    f.news.first = (skn_request_spec){.method = "GET",
                                      .path = skn_arena_printf(cli->keep, "%s/events?chatId=%s",
                                                               cli->far->world,
                                                               skn_far_part(cli, chat->uid))
                                                  .p};
    f.news.again = f.news.first;
    f.news.take = take;
    f.news.arg = &f;
    skn_interrupt_arm(SIGINT);
    rc = skn_news_wait(&f.news, -1);
    skn_interrupt_disarm(SIGINT);
    skn_news_release(&f.news);
    skn_arena_free(f.mem);
    if (rc == SKEIN_NOTHING)
        raise(SIGINT); /* the person has ended it, as every command is ended */
    return rc;
}
