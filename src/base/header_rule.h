/* header_rule.h: which headers somebody may add to what is sent to a provider or to a tool server.
 *
 * One rule for both: what they add is kept in the store and is not secret, and it must not change what the request is.
 * Threads: any. */
#ifndef SKN_BASE_HEADER_RULE_H
#define SKN_BASE_HEADER_RULE_H

#include "base/str.h"

/* Shown instead of what somebody wrote into a header or a variable. */
#define SKN_HIDDEN "\xE2\x80\xA6"

/* "API_KEY", "X-Auth-Token": the name of a secret, for which the store is no place. */
bool skn_name_is_secret(skn_str name);
/* "Host", "Content-Length": says where a request goes or where it ends; only who sends it sets that. */
bool skn_header_is_ours(skn_str name);
/* Whether it can be sent as one header: a second one could hide behind a line end. */
bool skn_header_is_one(skn_str name, skn_str value);

#endif
