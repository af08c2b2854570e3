#include "cli/marks.h"

#include "base/hash.h"
#include "cli/far_view.h"
#include "cli/unanswered.h"

#define PAGE 200 /* messages in memory at a time */

struct skn_marks {
    skn_map *of; /* skein_deliveries by message */
};

static void keep(skn_cli *cli, skn_marks *marks, skn_str message, const skein_deliveries *d)
{
    skein_deliveries *own;
    size_t            n = 0;

    for (size_t i = 0; i < d->count; i++)
        n += skn_is_unanswered(&d->at[i]);
    if (n == 0)
        return;
    own = SKN_NEW(cli->keep, skein_deliveries);
    own->at = SKN_ARRAY(cli->keep, n, skein_delivery);
    for (size_t i = 0; i < d->count; i++)
        if (skn_is_unanswered(&d->at[i])) {
            skein_delivery *to = &own->at[own->count++];

            *to = d->at[i];
            to->agent = skn_arena_copy(cli->keep, to->agent);
            to->error = skn_arena_copy(cli->keep, to->error);
        }
    *skn_map_slot(marks->of, skn_arena_copy(cli->keep, message)) = own;
}

static void keep_all(skn_cli *cli, skn_marks *marks, const skein_messages *list,
                     const skein_deliveries *of)
{
    for (size_t i = 0; i < list->count; i++)
        keep(cli, marks, list->at[i].uid, &of[i]);
}

static skein_rc read_far(skn_cli *cli, skn_str thread, skn_marks *marks)
{
    skn_far_slice what = {.thread = thread};
    skn_far_log   log;
    skein_rc      rc = skn_far_log_read(cli, &what, &log);

    if (rc == SKEIN_OK)
        keep_all(cli, marks, &log.list, log.deliveries);
    return rc;
}

static skein_rc read_here(skn_cli *cli, const skein_conversation *chat, int64_t version,
                          skn_marks *marks)
{
    skein_slice       slice = {.conversation = chat->id, .version = version, .count = PAGE};
    skein_at          at = {.length = 1};
    skein_messages    list;
    skein_deliveries *of;
    skein_rc          rc = SKEIN_OK;

    for (; rc == SKEIN_OK && slice.from < at.length; slice.from += PAGE) {
        skn_arena *mem = skn_arena_new();

        rc = skein_read(cli->engine, &slice, mem, &list, &at, &cli->err);
        if (rc == SKEIN_OK)
            rc = skn_deliveries_for(cli, chat, version, &list, mem, &of);
        if (rc == SKEIN_OK)
            keep_all(cli, marks, &list, of);
        skn_arena_free(mem);
    }
    return rc;
}

skein_rc skn_marks_read(skn_cli *cli, const skein_conversation *chat, int64_t version,
                        skn_str thread, skn_marks **out)
{
    *out = SKN_NEW(cli->keep, skn_marks);
    (*out)->of = skn_map_new(cli->keep);
    return cli->far ? read_far(cli, thread, *out) : read_here(cli, chat, version, *out);
}

void skn_print_marks(skn_cli *cli, const skn_marks *marks, skn_str message)
{
    const skein_deliveries *own = message.n ? skn_map_get(marks->of, message) : NULL;

    if (own)
        skn_print_unanswered(cli, own);
}
