/* far_inbox.h: the inbox of a store that is elsewhere. Threads, lifetimes: those of far.h. */
#ifndef SKN_CLI_FAR_INBOX_H
#define SKN_CLI_FAR_INBOX_H

#include "cli/far.h"

/* Of the world that this run is about, or of all when it is about none. */
skein_rc skn_far_inbox(skn_cli *cli, const skein_inbox_query *what, skein_inbox *out);
/* How many are open there; up to `most`. */
skein_rc skn_far_inbox_count(skn_cli *cli, size_t most, size_t *out);
skein_rc skn_far_inbox_get(skn_cli *cli, skn_str id, skein_inbox_item *out);
skein_rc skn_far_inbox_set(skn_cli *cli, skn_str id, const skein_inbox_change *what,
                           skein_inbox_item *out);
/* *told is the message that it became, if any; *whole is the answer itself. */
skein_rc skn_far_inbox_answer(skn_cli *cli, const skein_inbox_item *item, skn_str text,
                              skein_inbox_item *out, skein_message *told,
                              const skn_json **whole);

#endif
