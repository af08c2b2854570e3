/* far_inspect.h: what agents do and models were sent, in a store that is elsewhere. Threads, lifetimes: those of
 * far.h. */
#ifndef SKN_CLI_FAR_INSPECT_H
#define SKN_CLI_FAR_INSPECT_H

#include "cli/far.h"

/* A call of a model, by its id or that of its message; also whole, for who asked for JSON. */
skein_rc skn_far_call(skn_cli *cli, skn_str ref, skein_model_call *out, const skn_json **whole);
/* The agent's background; *found is false before it has come into being. What is asked for next is of it. */
skein_rc skn_far_background(skn_cli *cli, const skein_agent *agent, skein_conversation *out,
                            bool *found);
/* Makes it, for who waits for what will be in it. */
skein_rc skn_far_background_new(skn_cli *cli, const skein_agent *agent,
                                skein_conversation *out);

#endif
