/* paste.h: commands in hints, written so that they can be pasted. */
#pragma once

#include "base/json.h"
#include "cli/cli.h"

/* The text with every command in it made whole: with the options of this run that say which store, world and
 * conversation are meant, or what a .skein.yaml says of the last two. In a chat, those that can be typed there are behind a
 * slash. The text itself where there
 * are no such options. */
const char *skn_pasteable(skn_cli *cli, const char *text);
/* The same for a format of printf. */
const char *skn_pasteable_format(skn_cli *cli, const char *format);
/* Is this the name of a parameter that has a password? libpq reads "pass%77ord" as one. */
bool skn_names_password(skn_str name);
/* What was typed to start this run. */
skn_str skn_typed_line(const skn_cli *cli);

/* How a tool of a server defines itself, for a person who is to allow it.
 *
 * |Threads: any. Lifetimes: the parts live in the arena, or in the item. The texts are a server's and must be cleaned
 * before they are printed. */

typedef struct skn_defined {
    skn_str label, text; /* "description", and what it says */
} skn_defined;

typedef struct skn_definition_parts {
    const char *why; /* it is to be read; a sentence. NULL: nothing is */
    skn_vec(skn_defined) parts;
} skn_definition_parts;

/* Of an inbox item. */
void skn_definition_read(const skn_json *item, skn_arena *a, skn_definition_parts *out);
/* The arguments of the call that it asks for, as JSON; absent: none. */
skn_str skn_args_of(const skn_json *item);
