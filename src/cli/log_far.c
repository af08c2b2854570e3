#include "cli/log_far.h"

#include "cli/far.h"
#include "cli/interrupt.h"
#include "cli/news.h"

#include <signal.h>

typedef struct listening {
    skn_cli         *cli;
    skn_news         news;
    skn_log_changed *changed;
    void            *arg;
} listening;

/* Of what is being written every piece is told; it is said when it is whole. */
static bool tells_of_messages(skn_str type)
{
    return !skn_str_is(type, "message.delta") && !skn_str_is(type, "message.snapshot") &&
           (skn_str_starts(type, SKN_STR("message.")) ||
            skn_str_starts(type, SKN_STR("stream.")) ||
            skn_str_starts(type, SKN_STR("delegation.")) ||
            skn_str_starts(type, SKN_STR("thread.")));
}

static skein_rc take(void *arg, const skn_news_item *item)
{
    listening *l = arg;
    skein_rc   rc = tells_of_messages(item->type) ? l->changed(l->arg, l->cli) : SKEIN_OK;

    l->news.over = l->cli->out.failure != 0; /* nobody reads it any more */
    return rc;
}

skein_rc skn_log_listen(skn_cli *cli, skn_log_changed *changed, void *arg)
{
    listening l = {.cli = cli, .changed = changed, .arg = arg};
    skein_rc  rc;

    skn_news_init(&l.news, cli, &cli->door->server);
    l.news.first = (skn_request_spec){
        .method = "GET",
        .path = skn_arena_printf(cli->keep, "%s/events?chatId=%s", cli->door->world,
                                 skn_far_part(cli, cli->door->chat_uid))
                    .p};
    l.news.again = l.news.first;
    l.news.take = take;
    l.news.arg = &l;
    skn_interrupt_arm(SIGINT);
    rc = skn_news_wait(&l.news, -1);
    skn_interrupt_disarm(SIGINT);
    skn_news_release(&l.news);
    if (rc == SKEIN_NOTHING)
        raise(SIGINT); /* the person has ended it, as every command is ended */
    return rc;
}
