/* squash_model.h: squashes and summaries whose text a model writes: the running server asks it.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_SQUASH_MODEL_H
#define SKN_CLI_SQUASH_MODEL_H

#include "cli/cli.h"

/* The text of -m or -F is what the model is to do. */
skein_rc skn_squash_by_model(skn_cli *cli, const skein_world *world,
                             const skein_conversation *chat, skein_message_ids ids);
/* `lane` is absent, a delegation, or "@" and an agent's name. */
skein_rc skn_compact_by_model(skn_cli *cli, const skein_world *world,
                              const skein_conversation *chat, skn_str lane);

#endif
