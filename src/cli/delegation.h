/* delegation.h: delegations as commands name them: "main.1" is the first child of "main". */
#ifndef SKN_CLI_DELEGATION_H
#define SKN_CLI_DELEGATION_H

#include "cli/place.h"

/* Makes the next child of the parent; with a call id, attached to the latest such call. */
skein_rc skn_lane_start(skn_cli *cli, const skein_conversation *chat, skn_str parent,
                        const char *call_id, skein_lane *out);
/* Makes sure that a lane can be appended to: it is there, or is the next child and made now. */
skein_rc skn_lane_ensure(skn_cli *cli, const skein_conversation *chat, skn_str key,
                         const char *call_id);

#endif
