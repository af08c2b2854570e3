/* here.h: the API of a store that is open in this process.
 *
 * Threads: one. Lifetimes: from skn_far_begin to skn_far_end. */
#ifndef SKN_CLI_HERE_H
#define SKN_CLI_HERE_H

#include "api/api.h"
#include "cli/client.h"

/* With what a server would know beside the store: files, tools, and turns that nobody is at. */
skn_api *skn_here_new(skn_cli *cli);
/* skn_client_call, without a server. */
skein_rc skn_here_call(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                       skn_client_answer *out);

#endif
