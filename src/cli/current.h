/* current.h: which world and conversation are meant where no option names them.
 *
 * In this order: -w and -c, SKEIN_WORLD, the nearest .skein.yaml in the working folder or above, the default of the
 * store. A .skein.yaml may come with a folder of somebody else, so it names a world and a conversation and nothing
 * more: neither a server nor a token. One that another user can have written is passed over (own.h).
 * Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_CURRENT_H
#define SKN_CLI_CURRENT_H

#include "base/error.h"
#include "base/str.h"
#include "cli/cli.h"

typedef struct skn_current {
    const char *world;        /* name or id; NULL: nothing names one */
    const char *conversation; /* of .skein.yaml; NULL: none */
    const char *by; /* "-w", "SKEIN_WORLD", the path of a .skein.yaml; NULL: the default */
} skn_current;

skein_rc skn_current_of(skn_cli *cli, skn_current *out);
/* Says into which world something goes, where a .skein.yaml chose it. */
void skn_current_note(skn_cli *cli, const skein_world *world);
/* Makes the world the default of the store. */
skein_rc skn_current_set(skn_cli *cli, const skein_world *world);

/* Small files of our own. */

/* Written beside and renamed, so that nobody reads half of it; for the person's eyes only. */
skein_rc skn_file_write(const char *path, skn_str bytes, skein_error *err);

#endif
