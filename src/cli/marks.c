#include "cli/marks.h"

#include "base/hash.h"
#include "cli/far_view.h"
#include "cli/unanswered.h"

struct skn_marks {
    skn_cli *cli;
    skn_map *of; /* skein_deliveries by message */
};

static void take(void *arg, skn_cli *look, const skn_json *item)
{
    const skn_marks  *marks = arg;
    skn_arena        *a = marks->cli->keep;
    skein_deliveries *own = SKN_NEW(a, skein_deliveries), d;
    skein_message     m;

    skn_far_read_message(look, item, &m, NULL, &d);
    own->at = SKN_ARRAY(a, d.count + 1, skein_delivery);
    for (size_t i = 0; i < d.count; i++)
        if (skn_is_unanswered(&d.at[i])) {
            skein_delivery *to = &own->at[own->count++];

            *to = d.at[i];
            to->agent = skn_arena_copy(a, to->agent);
            to->error = skn_arena_copy(a, to->error);
        }
    *skn_map_slot(marks->of, skn_arena_copy(a, m.uid)) = own;
}

skein_rc skn_marks_read(skn_cli *cli, skn_str thread, skn_marks **out)
{
    const char *path = skn_arena_printf(cli->keep, "%s/threads/%s/messages?failed=true",
                                        cli->door->chat, skn_far_part(cli, thread))
                           .p;

    *out = SKN_NEW(cli->keep, skn_marks);
    **out = (skn_marks){cli, skn_map_new(cli->keep)};
    return skn_far_each(cli, path, SKN_FAR_PAGE, take, *out);
}

void skn_print_marks(skn_cli *cli, const skn_marks *marks, skn_str message)
{
    const skein_deliveries *own = message.n ? skn_map_get(marks->of, message) : NULL;

    if (own)
        skn_print_unanswered(cli, own);
}
