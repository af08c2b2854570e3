/* log_far.h: goes on with a log as the server tells what happens. */
#ifndef SKN_CLI_LOG_FAR_H
#define SKN_CLI_LOG_FAR_H

#include "cli/cli.h"

/* Prints what is new. */
typedef skein_rc skn_log_changed(void *arg, skn_cli *cli);

/* Calls it whenever there may be something. Ends with the connection or the output. */
skein_rc skn_log_listen(skn_cli *cli, skn_log_changed *changed, void *arg);

#endif
