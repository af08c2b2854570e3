/* world_settings.h: what a world says of its agents' work: a JSON object that is checked when it is written.
 *
 *   delegationDepth  levels of delegations below the main lane, 1 to 10000
 *   delegationsMost  delegations of a conversation that run at a time, 1 to 100000
 *   monthlyTokens    what its models may use in a calendar month; 0: no limit
 *   maxTokens        of an answer of an agent that has no limit of its own; 0: its model's
 *   monthlyCents     what they may cost in a calendar month, in hundredths of a US dollar; 0: no limit
 *   dailyCents       the same of a day
 *   compactShare     percent of a model's window that a context may fill before it is compacted
 *   fileBytes        of one file that messages carry, at most 16 MiB
 *   messageFiles     files of a message, at most 100
 *   messageFileBytes of all files of a message, at most 64 MiB
 *   worldFileBytes   of all files of the world
 *   approvals        {"TOOL": "always" | "ask" | "never"}
 *   mcpServers       {"NAME": {"command": […], "env": {}} or {"url": "…", "headers": {}}}, each also with
 *                    "timeoutMs" and "approval"
 *   knowledge        take knowledge from what agents did in the background
 *   promptFacts      what the prompts of agents without such a list end with: ["date", "timeZone", "person"]
 *   person           the name of the person
 *
 * A value of env or headers is a text, or {"env": "NAME"} for one of the server's own environment. The texts
 * may be secrets: answers show "…" for them, and "…" in new settings is the text
 * that was there before.
 * Threads: any.  Lifetimes: the arena that a call is given. */
#pragma once

#include "base/arena.h"
#include "base/env_rule.h"
#include "base/json.h"
#include "base/json_write.h"
#include <skein/engine.h>

/* Two members of the world itself: turnLimit is 1 to this, compactAt 2 to that. */
#define SKN_TURN_LIMIT_MAX      1000
#define SKN_COMPACT_AT_MAX      1000000000
#define SKN_TURN_LIMIT_STANDARD 8
#define SKN_COMPACT_AT_STANDARD 50

/* As they hold, whether the settings say so or not. */
typedef struct skn_world_limits {
    int64_t delegation_depth, delegations_most;
    int64_t monthly_tokens, monthly_cents, daily_cents; /* 0: no limit */
    int64_t compact_share;                              /* percent */
    int64_t file_bytes, message_files, message_file_bytes, world_file_bytes;
    bool    knowledge;
} skn_world_limits;

#define SKN_FILE_MOST  (INT64_C(16) << 20)
#define SKN_FILES_MOST 100

enum { SKN_TOOLS_BUILT_IN = 15 };

/* world_settings.c: the one name of a tool that has two; of every other, the name itself. Names of tools are compared
 * in this form. */
skn_str skn_tool_name(skn_str name);
/* Whether `approvals` name tools only, each once: those built in, and those of servers that the settings have. What stood
 * there before may stay. Both are whole settings; before may be NULL. */
skein_rc skn_world_approvals_check(const skn_json *settings, const skn_json *before,
                                   skein_error *err);
/* "always", "ask" or "never", as a world's approvals say of a tool, or its servers of theirs; absent: they say nothing. Of
 * several words the strictest counts, and a tool's "always" does not where two servers could be meant. */
skn_str skn_approval_said(const skn_json *approvals, const skn_json *servers, skn_str tool);
/* The same, of whole settings. */
skn_str skn_world_approval(skn_str settings, skn_str tool, skn_arena *scratch);

#define SKN_NANOS_A_CENT INT64_C(10000000)

/* A damaged value counts as missing. */
skn_world_limits skn_world_limits_of(skn_str settings, skn_arena *scratch);
/* Checks new settings and makes *kept of them, with the secrets of those before. The error names the place
 * as a JSON pointer. Variables that tool servers name are checked by the rule, except for those that were there before. */
skein_rc skn_world_settings_take(skn_str given, skn_str before, skn_env_rule *rule,
                                 skn_arena *a, skn_str *kept, skein_error *err);
/* Whether a tool server may have the variables it names, as skn_env_rule_check says. */
skein_rc skn_tool_server_check_env(const skn_json *server, skn_env_rule *rule,
                                   skein_error *err);
/* How many tool servers they name. */
int64_t skn_world_tool_servers(skn_str settings, skn_arena *scratch);
/* The first tool server with a command that those before do not have for it; absent: there is none. Both are as
 * they come, and what is not JSON has none. */
skn_str skn_world_new_command(skn_str given, skn_str before, skn_arena *a);
/* Why such a server is refused, and not started. */
#define SKN_COMMANDS_OFF "commands are switched off here (tools.commands)"
/* The object without its secrets. */
void skn_world_settings_show(skn_jw *w, skn_str settings, skn_arena *scratch);
