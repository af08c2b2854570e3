/* commands.h: the functions behind the rows of the table, and what they share.
 *
 * Each returns 0 or not; a failure is in cli->err and its code is the exit status then. */
#ifndef SKN_CLI_COMMANDS_H
#define SKN_CLI_COMMANDS_H

#include "cli/place.h"
#include "cli/print.h"

/* Stands behind the last option of a list. */
#define SKN_OPTIONS_END                                                                        \
    {                                                                                          \
        NULL, 0, NULL, NULL                                                                    \
    }

/* A part of the table: see skn_command_at. */
const skn_command *skn_commands_manage(size_t *count);

int skn_cmd_world_new(skn_cli *cli);
int skn_cmd_queue_ls(skn_cli *cli);
int skn_cmd_queue_rm(skn_cli *cli);
int skn_cmd_world_use(skn_cli *cli);
int skn_cmd_world_ls(skn_cli *cli);
int skn_cmd_world_show(skn_cli *cli);
int skn_cmd_world_rm(skn_cli *cli);
int skn_cmd_world_rename(skn_cli *cli);
int skn_cmd_world_restore(skn_cli *cli);
int skn_cmd_world_set(skn_cli *cli);
int skn_cmd_world_tools(skn_cli *cli);
int skn_cmd_agent_new(skn_cli *cli);
int skn_cmd_agent_ls(skn_cli *cli);
int skn_cmd_agent_show(skn_cli *cli);
int skn_cmd_agent_rm(skn_cli *cli);
int skn_cmd_agent_edit(skn_cli *cli);
int skn_cmd_agent_pause(skn_cli *cli);
int skn_cmd_agent_resume(skn_cli *cli);
int skn_cmd_agent_wake(skn_cli *cli);
int skn_cmd_agent_timer(skn_cli *cli);
int skn_cmd_agent_tell(skn_cli *cli);
int skn_cmd_agent_task(skn_cli *cli);
int skn_cmd_agent_tasks(skn_cli *cli);
int skn_cmd_agent_memory(skn_cli *cli);
int skn_cmd_task_ls(skn_cli *cli);
int skn_cmd_task_show(skn_cli *cli);
int skn_cmd_task_cancel(skn_cli *cli);
int skn_cmd_task_retry(skn_cli *cli);
int skn_cmd_conv_new(skn_cli *cli);
int skn_cmd_conv_ls(skn_cli *cli);
int skn_cmd_conv_show(skn_cli *cli);
int skn_cmd_conv_use(skn_cli *cli);
int skn_cmd_conv_of(skn_cli *cli);
int skn_cmd_conv_rename(skn_cli *cli);
int skn_cmd_conv_set(skn_cli *cli);
int skn_cmd_conv_rm(skn_cli *cli);
int skn_cmd_conv_restore(skn_cli *cli);
int skn_cmd_lane_new(skn_cli *cli);
int skn_cmd_lane_ls(skn_cli *cli);
int skn_cmd_lane_finish(skn_cli *cli);
int skn_cmd_tag_new(skn_cli *cli);
int skn_cmd_tag_ls(skn_cli *cli);
int skn_cmd_tag_rm(skn_cli *cli);
int skn_cmd_tag_on(skn_cli *cli);
int skn_cmd_tag_off(skn_cli *cli);
int skn_cmd_files_add(skn_cli *cli);
int skn_cmd_files_ls(skn_cli *cli);
int skn_cmd_files_rm(skn_cli *cli);
int skn_cmd_files_show(skn_cli *cli);
/* Where agents read files; NULL where no folder is known. */
const char *skn_files_folder(skn_cli *cli);
/* What agents miss of the files of a conversation, to standard error. */
skein_rc skn_tell_files(skn_cli *cli);

int skn_cmd_config_list(skn_cli *cli);
int skn_cmd_config_get(skn_cli *cli);
int skn_cmd_config_set(skn_cli *cli);
int skn_cmd_config_edit(skn_cli *cli);
int skn_cmd_config_check(skn_cli *cli);
int skn_cmd_config_path(skn_cli *cli);

int skn_cmd_provider_ls(skn_cli *cli);
int skn_cmd_provider_show(skn_cli *cli);
int skn_cmd_provider_add(skn_cli *cli);
int skn_cmd_provider_login(skn_cli *cli);
int skn_cmd_provider_use(skn_cli *cli);
int skn_cmd_provider_test(skn_cli *cli);
int skn_cmd_provider_models(skn_cli *cli);
int skn_cmd_provider_detect(skn_cli *cli);
int skn_cmd_provider_rm(skn_cli *cli);
int skn_cmd_model_ls(skn_cli *cli);
int skn_cmd_model_use(skn_cli *cli);

int skn_cmd_token_show(skn_cli *cli);
int skn_cmd_token_ls(skn_cli *cli);
int skn_cmd_token_revoke(skn_cli *cli);

int skn_cmd_serve(skn_cli *cli);
int skn_cmd_open(skn_cli *cli);

int skn_cmd_append(skn_cli *cli);
int skn_cmd_send(skn_cli *cli);
int skn_cmd_chat(skn_cli *cli);
int skn_cmd_stop(skn_cli *cli);
int skn_cmd_retry(skn_cli *cli);
int skn_retry_delegation(skn_cli *cli);

int skn_cmd_inbox_ls(skn_cli *cli);
int skn_cmd_inbox_show(skn_cli *cli);
int skn_cmd_inbox_done(skn_cli *cli);
int skn_cmd_inbox_reopen(skn_cli *cli);
int skn_cmd_inbox_snooze(skn_cli *cli);
int skn_cmd_inbox_reply(skn_cli *cli);
int skn_cmd_inbox_allow(skn_cli *cli);
int skn_cmd_inbox_deny(skn_cli *cli);
int skn_cmd_inspect(skn_cli *cli);

int skn_cmd_log(skn_cli *cli);
int skn_cmd_tree(skn_cli *cli);
int skn_cmd_show(skn_cli *cli);
int skn_cmd_search(skn_cli *cli);
int skn_cmd_history(skn_cli *cli);
int skn_cmd_diff(skn_cli *cli);
int skn_cmd_stats(skn_cli *cli);
int skn_cmd_timeline(skn_cli *cli);
int skn_cmd_context(skn_cli *cli);

int skn_cmd_edit(skn_cli *cli);
int skn_cmd_amend(skn_cli *cli);
int skn_cmd_insert(skn_cli *cli);
int skn_cmd_rm(skn_cli *cli);
int skn_cmd_move(skn_cli *cli);
int skn_cmd_squash(skn_cli *cli);
int skn_cmd_compact(skn_cli *cli);
int skn_cmd_undo(skn_cli *cli);
int skn_cmd_redo(skn_cli *cli);
int skn_cmd_switch(skn_cli *cli);
int skn_cmd_branch(skn_cli *cli);
int skn_cmd_purge(skn_cli *cli);

int skn_cmd_export(skn_cli *cli);
int skn_cmd_import(skn_cli *cli);
int skn_cmd_backup(skn_cli *cli);
int skn_cmd_migrate(skn_cli *cli);
int skn_cmd_audit(skn_cli *cli);
int skn_cmd_fsck(skn_cli *cli);
int skn_cmd_doctor(skn_cli *cli);
int skn_cmd_status(skn_cli *cli);
int skn_cmd_bench(skn_cli *cli);
int skn_cmd_help(skn_cli *cli);
int skn_cmd_version(skn_cli *cli);
int skn_cmd_completion(skn_cli *cli);

/* Of what "skein show" shows: each of its kinds has its own, but for agents and what waits, which others print. */
#define SKN_FIELDS_SHOWN_MESSAGE SKN_FIELDS_MESSAGE ",covers,coveredLane,coveredMessageIds"
#define SKN_FIELDS_SHOWN                                                                       \
    SKN_FIELDS_SHOWN_MESSAGE "," SKN_FIELDS_THREAD "," SKN_FIELDS_SQUASH "," SKN_FIELDS_LANE   \
                             "," SKN_FIELDS_AGENT "," SKN_FIELDS_WAITING

/* --- Shared ------------------------------------------------------------------------------- */

/* Shows a message that waits to be said; *found: there is one. Else nothing is said of it. */
skein_rc skn_queued_show(skn_cli *cli, skn_str ref, bool *found);
/* The conversation that is meant, and how it is to be changed. */
skein_rc skn_need_change(skn_cli *cli, skein_world *world, skein_conversation *chat,
                         skein_change *how);
/* Remembers where the conversation stands, for whoever expects it elsewhere. */
void skn_keep_state(skn_cli *cli, const skein_conversation *chat);
/* A condition like "v7.12" or "t_….12": the version and the length it must still have. */
skein_rc skn_need_state(skn_cli *cli, const skein_conversation *chat, const char *text,
                        skein_at *out);

/* A message of a log; `parent` is whom it answers, absent if nobody. */
void skn_print_message(skn_cli *cli, const skein_message *m, const skein_message_facts *f,
                       skn_str parent);
/* Its id and sender, as a line of a list begins. */
void skn_print_head(skn_cli *cli, const skein_message *m);
/* What a reader must know that the text does not say; the facts may be NULL. */
void skn_print_notes(skn_cli *cli, const skein_message *m, const skein_message_facts *f);
void skn_print_oneline(skn_cli *cli, const skein_message *m, const skein_message_facts *f);
/* What it says in one line: its first, or what it calls. */
void skn_print_gist(skn_cli *cli, const skein_message *m, size_t columns);
/* Who else got it, as "  → lead, ada"; nothing when nobody did. */
void     skn_print_heard(skn_cli *cli, const skein_message *m, const skein_message_facts *f);
skein_rc skn_world_item(skn_cli *cli, const skein_world *world);
skein_rc skn_chat_item(skn_cli *cli, const skein_conversation *chat);
/* What the first argument names; without one, what the options and the session say. */
skein_rc skn_world_named(skn_cli *cli, skein_world *out);
skein_rc skn_chat_named(skn_cli *cli, skein_world *world, skein_conversation *out);
/* "skein stop main.1" */
int skn_stop_delegation(skn_cli *cli);
/* An agent as JSON, with what it does; and as a line, in which `usual` stands for the model that it does not name. */
skein_rc skn_agent_item(skn_cli *cli, const skein_agent *agent);
void     skn_agent_line(skn_cli *cli, const skein_agent *a, skn_str usual);
/* The arguments from number `from` on as one text, a blank between them; standard input for "-". */
skein_rc skn_arg_text(skn_cli *cli, size_t from, skn_str *out);

/* Lines of a graph of nodes that each have at most one parent, newest first. */
typedef struct skn_graph skn_graph;
skn_graph               *skn_graph_new(skn_arena *a);
/* Draws what stands left of the node; joins of columns go on lines of their own before it. */
void skn_graph_node(skn_cli *cli, skn_graph *g, int64_t id, int64_t parent, char mark);

#endif
