/* commands.h: the functions behind the rows of the table, and what they share. */
#pragma once

#include "base/arena.h"
#include "cli/cli.h"
#include "cli/place.h"
#include "cli/say.h"
#include "exchange/exchange.h"

#define SKN_COMMAND(run, ...) skein_rc skn_cmd_##run(skn_cli *cli);
#include "cli/commands.def"

/* Where agents read files; NULL where no folder is known. */
const char *skn_files_folder(skn_cli *cli);
/* Prints the missing parts of context files to standard error. */
skein_rc skn_tell_files(skn_cli *cli);

skein_rc skn_retry_delegation(skn_cli *cli);
/* Another answer in the place of one. */
skein_rc skn_retry_answer(skn_cli *cli, const skein_message *answer);

/* For "skein show": each kind has its own, except for agents and queued messages, which other commands print. */
#define SKN_FIELDS_SHOWN_MESSAGE SKN_FIELDS_MESSAGE ",covers,coveredLane,coveredMessageIds"
#define SKN_FIELDS_SHOWN                                                                       \
    SKN_FIELDS_SHOWN_MESSAGE "," SKN_FIELDS_VERSION "," SKN_FIELDS_SQUASH "," SKN_FIELDS_LANE  \
                             "," SKN_FIELDS_AGENT "," SKN_FIELDS_QUEUE_ITEM

/* --- Shared ------------------------------------------------------------------------------- */

/* Shows a message that waits to be said; *found: there is one. Else nothing is said of it. */
skein_rc skn_queued_show(skn_cli *cli, skn_str ref, bool *found);
/* The conversation that is meant, and how it is to be changed. */
skein_rc skn_need_change(skn_cli *cli, skein_world *world, skein_conversation *chat);
/* The body of a change, with who makes it and how; `look`: it is a dry run. */
skn_jw *skn_change_begin(skn_cli *cli, skn_door_body *b, bool look);
void    skn_body_ids(skn_jw *w, const char *member, const skn_uids *ids);
/* True where this version was there before the change, which was asked for again with its key: then that is said. */
bool skn_say_made(skn_cli *cli, skn_str version, skn_str what);
/* Remembers the state of the conversation, which the error of --expect reports. */
void skn_keep_state(skn_cli *cli, const skein_conversation *chat);
/* A condition like "v7.12" or "t_….12": the version and the length it must still have. */
skein_rc skn_need_state(skn_cli *cli, const skein_conversation *chat, const char *text);
/* The conversation, and its version that --at names, or else the current one. */
skein_rc skn_need_thread(skn_cli *cli, skein_conversation *chat, skn_str *out);
/* A path below this message of the world; `rest` is like "/retry". */
const char *skn_message_path(skn_cli *cli, skn_str uid, const char *rest);
/* A number that may have a fraction; 0 where there is none. */
double skn_door_amount(const skn_json *v, const char *key);
/* A file that is not there yet. */
skein_rc skn_write_new(skn_cli *cli, const char *path, mode_t mode, skn_str text);
/* A message of this conversation, as the API returns it. */
skein_rc skn_message_told(skn_cli *cli, skn_str uid, const skn_json **out);
/* A new conversation with so many messages of a version; -1: with all. */
skein_rc skn_branch_new(skn_cli *cli, int64_t version, int64_t length, skn_str title,
                        const skn_json **out);
/* The agent's one conversation of this kind; created if it is missing. */
skein_rc skn_chat_of(skn_cli *cli, skn_str agent, skein_mode mode, skein_conversation *out);
/* Messages of any role, each a JSON object; they wake nobody. */
typedef struct skn_append {
    const skn_str *messages;
    size_t         count;
    skn_str        lane,
        call_id; /* may be absent; the call starts the lane, if that is the next one */
    bool strict; /* refuse results of tools without a call */
} skn_append;

/* *out is the list of them, as they were stored. */
skein_rc skn_append_send(skn_cli *cli, const skn_append *what, const skn_json **out);

/* What is brought out of the store. */
typedef struct skn_export_order {
    bool    whole_world; /* else the conversation */
    skn_str thread,
        root; /* a version; a message with the replies under it. Absent: the current one, all */
    skn_format      format;
    skn_delegations delegations;
    bool            no_memory_only, redact;
} skn_export_order;

/* Passes an export on unchanged; the formats for people are cleaned, whichever server made them. */
skein_rc skn_export_pass(skn_cli *cli, const skn_export_order *what, const skn_sink *sink);

/* A message of a log; `parent` is whom it answers, absent if nobody. */
void skn_print_message(skn_cli *cli, const skein_message *m, const skein_message_facts *f,
                       skn_str parent);
/* Its id and sender, as a line of a list begins. */
void skn_print_head(skn_cli *cli, const skein_message *m);
/* The marks of a message beside its text; the facts may be NULL. */
void skn_print_notes(skn_cli *cli, const skein_message *m, const skein_message_facts *f);
void skn_print_oneline(skn_cli *cli, const skein_message *m, const skein_message_facts *f);
/* A message in one line: its first line, or its calls. */
void skn_print_gist(skn_cli *cli, const skein_message *m, size_t columns);
/* Who else got it, as "  → lead, ada"; nothing when nobody did. */
void skn_print_heard(skn_cli *cli, const skein_message *m, const skein_message_facts *f);
/* A world that was made or changed: with --json all of it, else the text. */
skein_rc skn_world_tell(skn_cli *cli, const skn_json *v, const char *text);
/* The conversation that the first argument names; without one, that of the options or the session. */
skein_rc skn_world_named(skn_cli *cli, skein_world *out);
/* "skein stop main.1" */
skein_rc skn_stop_delegation(skn_cli *cli);
/* An agent of the world, by name with or without "@", as the API returns it, with its activity. */
skein_rc skn_agent_named(skn_cli *cli, skn_str name, const skn_json **out);
/* As a line, in which `usual` stands for the model that it does not name. */
void skn_agent_line(skn_cli *cli, const skn_json *agent, skn_str usual);
/* The tags of the world; where a chat is known, as they are there. */
skein_rc skn_tags_read(skn_cli *cli, skn_json_list *out);
/* The delegations of the chat; with the others before them, its room and the memories of agents. */
skein_rc skn_lanes_read(skn_cli *cli, bool others, skn_json_list *out);
/* The messages that wait in the chat until the agents are done. */
skein_rc skn_queue_read(skn_cli *cli, skn_json_list *out);
/* Inbox items, of the world that this run is about or of all; the query is like "state=open&type=approval". */
skein_rc skn_inbox_list(skn_cli *cli, const char *query, size_t most, skn_json_list *out);
#define SKN_INBOX_MOST 1000
/* The arguments from number `from` on as one text, a blank between them. */
skn_str skn_args_joined(skn_cli *cli, size_t from);
/* The same where a text is needed; standard input for "-". */
skein_rc skn_arg_text(skn_cli *cli, size_t from, skn_str *out);

/* Lines of a graph of nodes that each have at most one parent, newest first. */
typedef struct skn_graph skn_graph;
skn_graph               *skn_graph_new(skn_arena *a);
/* Draws what stands left of the node; joins of columns go on lines of their own before it. */
void skn_graph_node(skn_cli *cli, skn_graph *g, int64_t id, int64_t parent, char mark);

/* A person's message, made of what was typed: whom it is for, what it answers, its tags.
 *
 * Threads: one. Lifetimes: what is made lives in cli->keep. */

typedef struct skn_names {
    const char **at;
    size_t       count;
} skn_names;

typedef struct skn_saying {
    skn_str     text;
    const char *reply_to; /* a message, however it is named; NULL: none */
    skn_names   to;       /* agents that it is for; their names are put before the text */
    skn_names   expect;   /* agents whose answer is expected */
    skn_names   tags;     /* beside those that are on in the conversation */
} skn_saying;

/* Finds all that is named. */
skein_rc skn_say_compose(skn_cli *cli, const skein_conversation *chat, const skn_saying *what,
                         skein_new_message *out);
/* The body of the request that says it; client and model may be absent. */
skn_str skn_say_body(skn_cli *cli, const skein_conversation *chat, const skein_new_message *m,
                     skn_str client, skn_str model, int64_t most_tokens);
/* A name for a message that no other message has: the same again is the same message. */
skn_str skn_say_client_id(skn_cli *cli);
/* "/worlds/NAME/…" */
const char *skn_world_path(skn_cli *cli, const skein_world *world, const char *rest);

/* What the server's answer says that who said it should know at once. */
void skn_say_notice(skn_cli *cli, const skn_json *answer);

/* The activity of agents and their waiting work: messages that wait until they are done, and timers that wake them.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */

/* Texts of skn_say, behind the name of an agent: "  tool shell, until …", and ": skein inbox allow in_…, or deny" where
 * it waits for a person. The second one also gets tasks. */
#define SKN_DOING "  {state}[detail: {detail}][until:, until {time until}]"
#define SKN_WAITS "[inboxId:: skein inbox allow {inboxId}, or deny]"
/* A line for each: "1 message waits until ada is done", "ada wakes every 15 min, next at 14:02". */
void skn_print_outlook(skn_cli *cli, const skn_json *agent, const char *indent);
/* "waiting" and "timers": those of the agents that have any, which begin with this one. */
void skn_outlook_json(skn_jw *w, const skn_json *agents);
/* The messages that wait in the conversation, and for whom; nothing when there is none. */
skein_rc skn_print_queue(skn_cli *cli);

/* Agents that go on only when a person has answered, and what that holds up.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */

/* What a person has said to the calls of tools that a message makes: a line for each that was asked about. */
skein_rc skn_print_decisions(skn_cli *cli, skn_str message_uid);
/* A call without a result: it was never started, because nobody allowed it or its turn ended first. */
bool skn_call_not_run(const skein_message *m);
/* Why a message is not said yet: agents are at work in the conversation, or wait for an answer. */
void skn_note_queued(skn_cli *cli);
/* The open turns of the conversation, as the API returns them; none where it cannot be asked now. */
void skn_turns_here(skn_cli *cli, skn_json_list *out);

/* "ada: the first 40 messages are summarised as P6…: skein show P6…" */
skn_str skn_summary_line_text(skn_arena *a, skn_str agent, int64_t covers, skn_str uid);

/* Worlds and conversations that were removed: the store keeps them.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */

/* Prints the worlds, the last one that was removed first. */
skein_rc skn_worlds_removed(skn_cli *cli);

/* Numbers about reply threads for each agent, day or thread.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */

#define SKN_FIELDS_COST                                                                        \
    "group,calls,inputTokens,cachedTokens,writtenTokens,outputTokens,costNanos,unpricedCalls"
#define SKN_FIELDS_STATS_BY "by,group,firstReplyMs,firstAt,lastAt,root"
