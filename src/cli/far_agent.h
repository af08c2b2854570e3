/* far_agent.h: agents of a store that is elsewhere, and their work. Threads, lifetimes: those of far.h.
 *
 * What comes back of an agent is left in *agent, which must have been read from the server. */
#ifndef SKN_CLI_FAR_AGENT_H
#define SKN_CLI_FAR_AGENT_H

#include "cli/far.h"

/* "pause", "resume" or "wake". */
skein_rc skn_far_agent_do(skn_cli *cli, const char *what, skein_agent *agent);
skein_rc skn_far_agent_timer(skn_cli *cli, int64_t ms, skein_agent *agent);
/* Makes it of name, system_prompt, model and lead_name. */
skein_rc skn_far_agent_new(skn_cli *cli, skein_agent *agent);
/* What the options --prompt, --lead, --tools and --max-tokens say, and `model` where --model was given. */
skein_rc skn_far_agent_edit(skn_cli *cli, skn_str model, skein_agent *agent);
/* "all" and "default" of --tools and --max-tokens: as if it had never been said. */
bool     skn_is_usual(skn_str value);
skein_rc skn_far_agent_remove(skn_cli *cli, const skein_agent *agent, bool force);

/* The message that it is told with, also whole, for who asked for JSON. */
skein_rc skn_far_tell(skn_cli *cli, const skein_agent *agent, const skein_tell *what,
                      skein_message *out, const skn_json **whole);
skein_rc skn_far_knowledge(skn_cli *cli, const skein_agent *agent, skn_str words, size_t most,
                           skein_knowledges *out);

/* --- Tasks -------------------------------------------------------------------------------- */

skein_rc skn_far_task_new(skn_cli *cli, const skein_agent *agent, skein_task *task);
skein_rc skn_far_tasks(skn_cli *cli, const skein_agent *agent, skn_str status, size_t most,
                       skein_tasks *out);
skein_rc skn_far_task(skn_cli *cli, skn_str uid, skein_task *out);
skein_rc skn_far_task_cancel(skn_cli *cli, skn_str uid, skein_task *out);
skein_rc skn_far_task_retry(skn_cli *cli, skn_str uid, skein_task *out);

/* The inbox of a store that is elsewhere. Threads, lifetimes: those of far.h. */

/* Of the world that this run is about, or of all when it is about none. */
skein_rc skn_far_inbox(skn_cli *cli, const skein_inbox_query *what, skein_inbox *out);
/* How many are open there; up to `most`. */
skein_rc skn_far_inbox_count(skn_cli *cli, size_t most, size_t *out);
skein_rc skn_far_inbox_get(skn_cli *cli, skn_str id, skein_inbox_item *out);
skein_rc skn_far_inbox_set(skn_cli *cli, skn_str id, const skein_inbox_change *what,
                           skein_inbox_item *out);
/* *told is the message that it became, if any; *whole is the answer itself. */
skein_rc skn_far_inbox_answer(skn_cli *cli, const skein_inbox_item *item, skn_str text,
                              skein_inbox_item *out, skein_message *told,
                              const skn_json **whole);

#endif
