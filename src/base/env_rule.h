/* env_rule.h: which variables of the environment and which headers may be sent where, and which address a secret was
 * given for.
 *
 * Everybody who may change a world or a provider can name a variable of the server and an address. Only pairs that
 * the administrator listed (secrets.env in skein.yaml), or that are known from the start, are used. The same check is
 * made when something is set and again when it is used, because rows may be older than the list.
 * Threads: any. The list is replaced as a whole. Lifetimes: the rule copies what it is given. */
#pragma once

#include "base/arena.h"
#include "base/error.h"

/* Written instead of a host: the variable may be given to a program that is started. */
#define SKN_ENV_TO_COMMAND "command"

/* A variable and where it may go: "host", "host:port", "http://host:port", or "command". Without a scheme it is
 * https; on loopback http as well. Without a port it is the scheme's own. */
typedef struct skn_env_grant {
    skn_str        name;
    const skn_str *hosts;
    size_t         host_count;
} skn_env_grant;

typedef struct skn_env_rule skn_env_rule;

skn_env_rule *skn_env_rule_new(void);
void          skn_env_rule_free(skn_env_rule *r); /* NULL is fine */
void          skn_env_rule_set(skn_env_rule *r, const skn_env_grant *list, size_t count);
/* How often it was set. */
uint64_t skn_env_rule_changes(skn_env_rule *r);
/* Whether the variable may be sent to this address; absent: given to a program. SKEIN_INVALID when not, with
 * what to write into skein.yaml as the hint. A NULL rule allows nothing. */
skein_rc skn_env_rule_check(skn_env_rule *r, skn_str name, skn_str url, skein_error *err);

/* Whether everybody reads this http or https address alike: a host that can be one, a port that can be one, no user and
 * no blanks. */
bool skn_url_is_clear(skn_str url);
/* "http://127.0.0.1:1234/v1": the computer itself, and everybody reads it so. */
bool skn_url_is_local(skn_str url);
/* "https://llm.example.org:8443": an address up to its path; borrowed. What a secret is given for. */
skn_str skn_url_site(skn_str url);
/* Whether a secret that was given for this site, or for a place as `hosts` has it, may go to this address: scheme, host
 * and port are the same. */
bool skn_site_covers(skn_str site, skn_str url);

/* "GITHUB_TOKEN": what can be a variable's name. */
bool skn_env_is_name(skn_str s);
/* What may stand in `hosts`. */
bool skn_env_is_host(skn_str s);

/* --- Headers that somebody may add to requests to a provider or a tool server ------------------------------ *
 * They are stored and not secret, and must not change what the request is. */

/* Shown instead of what somebody wrote into a header or a variable. */
#define SKN_HIDDEN "\xE2\x80\xA6"

/* "API_KEY", "X-Auth-Token": the name of a secret, for which the store is no place. */
bool skn_name_is_secret(skn_str name);
/* "Host", "Content-Length": says where a request goes or where it ends; only who sends it sets that. */
bool skn_header_is_ours(skn_str name);
/* Whether it can be sent as one header: a second one could hide behind a line end. */
bool skn_header_is_one(skn_str name, skn_str value);
