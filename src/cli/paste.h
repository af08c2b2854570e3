/* paste.h: commands that a person is told, so that they can be pasted as they are. */
#ifndef SKN_CLI_PASTE_H
#define SKN_CLI_PASTE_H

#include "cli/cli.h"

/* A word as a shell reads it: in quotes where it needs them. */
skn_str skn_shell_word(skn_arena *a, const char *word);
/* The text with every command in it made whole: with the options of this run that say which store, world and
 * conversation are meant, or what a .skein.yaml says of the last two. In a chat, those that can be typed there are behind a slash. The text itself where there
 * are no such options. */
const char *skn_pasteable(skn_cli *cli, const char *text);
/* The same for a format of printf. */
const char *skn_pasteable_format(skn_cli *cli, const char *format);
/* What was typed to start this run. */
skn_str skn_typed_line(const skn_cli *cli);

#endif
