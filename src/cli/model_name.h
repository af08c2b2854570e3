/* model_name.h: a model as a person names it: PROVIDER/MODEL, of a provider that is there.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_MODEL_NAME_H
#define SKN_CLI_MODEL_NAME_H

#include "cli/client.h"

/* Has it the form of one? */
bool skn_is_model_name(const char *text);
/* A name that no provider has would make every turn fail. A server knows which there are; NULL: none runs, and the store
 * and the files tell. */
skein_rc skn_need_provider_of(skn_cli *cli, const skn_server *server, skn_str model);
/* The same of the server that runs on the store, or of none. */
skein_rc skn_need_provider_here(skn_cli *cli, skn_str model);
/* The option --model of an agent: absent when it is empty or "default". Its provider must be there. */
skein_rc skn_model_option(skn_cli *cli, skn_str *out);

#endif
