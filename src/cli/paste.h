/* paste.h: commands that a person is told, so that they can be pasted as they are. */
#ifndef SKN_CLI_PASTE_H
#define SKN_CLI_PASTE_H

#include "cli/cli.h"

/* A word as a shell reads it: in quotes where it needs them. */
skn_str skn_shell_word(skn_arena *a, const char *word);
/* What was typed to start this run. */
skn_str skn_typed_line(const skn_cli *cli);

#endif
