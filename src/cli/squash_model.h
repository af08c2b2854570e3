/* squash_model.h: squashes and summaries whose text a model writes: the running server asks it.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_SQUASH_MODEL_H
#define SKN_CLI_SQUASH_MODEL_H

#include "cli/place.h"

/* "4 messages", or "4 messages (2 chosen, 2 belong to their tool calls)". */
skn_str skn_squash_size(skn_cli *cli, size_t chosen, size_t squashed);
/* The text of -m or -F is what the model is to do; `squashed` is how many it will be, with what goes with them. */
skein_rc skn_squash_by_model(skn_cli *cli, const skein_world *world,
                             const skein_conversation *chat, const skn_uids *ids,
                             size_t squashed);
/* `lane` is absent, a delegation, or "@" and an agent's name. */
skein_rc skn_compact_by_model(skn_cli *cli, const skein_world *world,
                              const skein_conversation *chat, skn_str lane);

#endif
