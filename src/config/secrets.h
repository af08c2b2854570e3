/* secrets.h: keys of model providers: kept in files of their own, and fetched from where the configuration
 * says they are.
 *
 * The secret store is the folder "secrets" in the data folder (0700) with one file for each provider
 * (0600): the key, and on a second line the address it was given for. A key is in no other file, and in no message: only
 * its tail is shown.
 * Threads: any; fetching may wait for a command, so not the loop's.  Lifetimes: keys live in the arena that
 * is passed; skn_secret_wipe overwrites one before its arena goes. */
#pragma once

#include "base/error.h"
#include "config/config.h"

enum { SKN_SECRET_MOST = 4096, SKN_SECRET_PLACE = 320 };

/* A key that can be sent: 1 to 4096 visible ASCII characters. */
bool skn_secret_valid(skn_str key);
/* Keeps a key, and for which address it was given (skn_url_site; absent: nobody said); one before it is
 * replaced as a whole. */
skein_rc skn_secret_put(const char *data_dir, skn_str name, skn_str key, skn_str place,
                        skein_error *err);
/* The key that is kept, and its address; absent when there is none. The address alone: a key was dropped. */
skein_rc skn_secret_get(const char *data_dir, skn_str name, skn_arena *a, skn_str *out,
                        skn_str *place, skein_error *err);
/* Drops the key and remembers what it was given for: `place`, where the store does not know. One that is
 * not there is no failure. */
skein_rc skn_secret_drop(const char *data_dir, skn_str name, skn_str place, skein_error *err);
/* A missing one is not a failure: *was is false then. */
skein_rc skn_secret_remove(const char *data_dir, skn_str name, bool *was, skein_error *err);
/* Overwrites it; NULL is fine. */
void skn_secret_wipe(skn_str key);

/* Allows what the configuration lists, and for each known provider its own variable at its well-known address. */
void skn_secrets_grant(skn_env_rule *rule, const skn_config *c);

typedef const char *skn_env_get(void *arg, const char *name);

/* Fetches a key. *source says where it is from, for people ("OPENAI_API_KEY"), also on failure, and
 * *warning is absent unless others can read it. A command has five seconds. */
skein_rc skn_key_fetch(const skn_key_source *from, skn_env_get *env, void *env_arg,
                       skn_arena *a, skn_str *out, skn_str *source, skn_str *warning,
                       skein_error *err);
/* The first line that a program prints, run without a shell (secrets.c). */
skein_rc skn_key_command(const char *const *words, int64_t most_ms, skn_arena *a, skn_str *out,
                         skein_error *err);
