/* show_summary.h: what a summary stands for.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_SHOW_SUMMARY_H
#define SKN_CLI_SHOW_SUMMARY_H

#include "cli/print.h"

/* The lane that a message is a summary of, and how many of its first messages it covers; 0 when it is none. */
skein_rc skn_show_summary_find(skn_cli *cli, const skein_conversation *chat,
                               const skein_message *m, skein_slice *lane, int64_t *covers);
/* Lists what it covers, the first 200 of it. */
skein_rc skn_summary_print(skn_cli *cli, const skein_slice *lane, int64_t covers);
/* The same as members of an object that is being written. */
skein_rc skn_summary_members(skn_cli *cli, skn_jw *w, const skein_slice *lane, int64_t covers);

#endif
