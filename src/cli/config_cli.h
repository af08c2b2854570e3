/* config_cli.h: the configuration of one run of the program.
 *
 * Threads: one, except for skn_config_make. Lifetimes: sources live in cli->keep. */
#pragma once

#include "cli/cli.h"
#include "config/config.h"

/* Where it comes from; `file` may be NULL, or is read instead of what the options say. */
skn_config_sources *skn_config_sources_of(skn_cli *cli, const char *file);
/* A variable of the environment; NULL also where it is empty. */
const char *skn_env(const char *name);
/* Reads it, any number of times; any thread. */
skn_config *skn_config_make(const skn_config_sources *from, skn_arena *a);
/* Reads it once. */
const skn_config *skn_config_of(skn_cli *cli);
/* Takes one setting of the store; false when it is none of the configuration's. */
bool skn_config_stored(skn_config *c, const skein_setting *one, skn_arena *a);
/* A JSON text as text: without its quotes, if it is a text. */
skn_str skn_config_plain(skn_str json, skn_arena *a);
/* The folder of the store: --data, SKEIN_DATA, the configuration, or the person's own; NULL when
 * there is none. Fails when the configuration cannot be read. */
skein_rc skn_config_data(skn_cli *cli, const char **folder);
