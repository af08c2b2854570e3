/* Messages that an agent was to answer and did not: who, when, and why. */
#include "cli/unanswered.h"

#include "cli/commands.h"

skein_rc skn_deliveries_for(skn_cli *cli, const skein_conversation *chat, int64_t version,
                            const skein_messages *list, skein_mem *mem, skein_deliveries **out)
{
    *out = SKN_ARRAY(mem, list->count + 1, skein_deliveries);
    return list->count
               ? skein_deliveries_in(cli->engine, chat->id, version, list, mem, *out, &cli->err)
               : SKEIN_OK;
}

const skein_delivery *skn_failed_delivery(const skein_deliveries *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->at[i].failed_at)
            return &d->at[i];
    return NULL;
}

static void print_failure(skn_cli *cli, const skein_delivery *d)
{
    skn_print_raw(cli, SKN_STR("    ✕ "));
    skn_print_sender(cli, d->agent, 0);
    skn_print_raw(cli, SKN_STR(" failed at "));
    skn_print_time(cli, d->failed_at);
    skn_print_raw(cli, SKN_STR(": "));
    skn_print_line(cli, d->error, 0);
    skn_print_raw(cli, SKN_STR("\n"));
}

void skn_print_unanswered(skn_cli *cli, const skein_deliveries *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->at[i].failed_at)
            print_failure(cli, &d->at[i]);
}
