/* log_far.h: goes on with a log of a store that is elsewhere, as its server tells what happens. */
#ifndef SKN_CLI_LOG_FAR_H
#define SKN_CLI_LOG_FAR_H

#include "cli/cli.h"

/* Prints messages as they come; those of `known` were printed before. Ends with the connection or the output. */
skein_rc skn_log_follow_far(skn_cli *cli, const skein_conversation *chat,
                            const skein_messages *known);

#endif
