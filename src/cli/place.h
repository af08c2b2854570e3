/* place.h: which store, world, conversation, version and message are meant. */
#pragma once

#include "cli/cli.h"

typedef skn_vec(skn_str) skn_uids;

/* The store's address: --db, --data, the environment, or the person's data folder. */
skein_rc skn_place_address(skn_cli *cli);
/* Refuses a folder of data that is not the user's own, or that others can write: what is in it decides what the program
 * does, and for whom. One that is not there yet is fine. */
skein_rc skn_place_guard(skn_cli *cli);
/* Opens the store into cli->engine. Makes its folder if the command writes. */
skein_rc skn_place_open(skn_cli *cli);
/* For commands that open no store: refuses --server, which they would ignore. */
skein_rc skn_place_plain(skn_cli *cli);
/* Makes the folder of a file and those above it, for the person's eyes only. */
skein_rc skn_place_folders(skn_cli *cli, const char *file);
/* Removes what was made for this run only. The store must be closed. */
void skn_place_sweep(skn_cli *cli);
/* The file of a SQLite address, or NULL. */
const char *skn_place_file(const skn_cli *cli);

/* The address as it may be shown: without a password. */
skn_str skn_place_shown(const skn_cli *cli);

/* -w, what is current (current.h), or the only world. What is asked for next is of it; NULL here and below: nobody needs to
 * know more. */
skein_rc skn_need_world(skn_cli *cli, skein_world *out);
/* -c, that of a .skein.yaml, the world's current chat, or its newest; the world comes with it. */
skein_rc skn_need_chat(skn_cli *cli, skein_world *world, skein_conversation *out);
/* The same to say something: a world without a conversation gets its first one. */
skein_rc skn_need_first_chat(skn_cli *cli, skein_world *world, skein_conversation *out);
/* Both steps of it: *any is false where the world has none. */
skein_rc skn_need_chat_if_any(skn_cli *cli, skein_world *world, skein_conversation *out,
                              bool *any);
skein_rc skn_make_first_chat(skn_cli *cli, skein_conversation *out);
/* Did a command that shows a conversation fail because there is none yet? Then that is shown, and is not a failure. */
bool skn_nothing_open(skn_cli *cli);
/* An agent of the world, by name with or without "@". */
skein_rc skn_need_agent(skn_cli *cli, const char *ref, skein_agent *out);
/* "v7" or "t_…"; NULL gives the current one. */
skein_rc skn_need_version(skn_cli *cli, const skein_conversation *chat, const char *ref,
                          skein_version *out);
/* The same, or "v7.12": the version while it had so many messages. *length is -1 without. */
skein_rc skn_need_version_at(skn_cli *cli, const skein_conversation *chat, const char *ref,
                             skein_version *out, int64_t *length);
/* True if the text has the form of a version. */
bool skn_is_version(skn_str ref);
/* True if the text has the form of a version and a length. */
bool skn_is_version_at(skn_str ref);
/* "main" or "main.1.2" */
bool skn_is_lane(skn_str ref);
/* The beginning or the end of an id, enough of it to stand for it. */
bool skn_is_part(skn_str id, skn_str ref);
/* A message of the current version, or wherever it is. */
skein_rc skn_need_message(skn_cli *cli, skn_str ref, skein_message *out);
/* The arguments from number `from` on, as messages. */
skein_rc skn_need_messages(skn_cli *cli, size_t from, skn_uids *out);
/* Text of -m, of the file of -F, or from the person's editor (starting with `old`). */
skein_rc skn_need_text(skn_cli *cli, skn_str old, skn_str *out);
/* A file, or standard input for "-", up to the limit. */
skein_rc skn_read_file(skn_cli *cli, const char *path, size_t limit, skn_str *out);
/* The person's editor on a file; what it said on leaving, -1 when it could not be run. */
int skn_run_editor(const char *file);

/* Says what it was that was not found; passes on the code. */
skein_rc skn_missing(skn_cli *cli, skein_rc rc, const char *thing);

/* The bytes of one text that the store takes. */
#define SKN_TEXT_LIMIT ((size_t)16 << 20)

/* Which world and conversation are meant where no option names them, in this order: -w and -c, SKEIN_WORLD, the nearest
 * .skein.yaml in the working folder or above, the default of the store. A .skein.yaml may come with a folder of somebody
 * else, so it names a world and a conversation and nothing more: neither a server nor a token. One that another user can
 * have written is passed over (own.h). */

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

/* Written beside and renamed, so that nobody reads half of it; for the person's eyes only. */
skein_rc skn_file_write(const char *path, skn_str bytes, skein_error *err);
