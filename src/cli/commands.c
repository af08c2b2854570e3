/* The commands with their options: help, completion and "did you mean" come from them. */
#include "cli/commands.h"

const skn_option skn_global_options[] = {
    {"world", 'w', "NAME",
     "The world; default: SKEIN_WORLD, .skein.yaml, \"world use\", the only one"},
    {"conversation", 'c', "REF",
     "The conversation: id, title, AGENT:foreground or AGENT:background"},
    {"data", 0, "DIR", "Use this data folder"},
    {"db", 0, "URL", "The store: sqlite:PATH or postgresql://…"},
    {"server", 0, "URL", "The server to talk to; default: the one that runs on the store"},
    {"config", 0, "FILE", "Read only this skein.yaml"},
    {"json", 0, NULL, "Print JSON; --json=a,b prints only these fields"},
    {"dry-run", 'n', NULL, "Show what would happen; change nothing"},
    {"yes", 'y', NULL, "Do not ask"},
    {"no-input", 0, NULL, "Never ask, never open an editor"},
    {"quiet", 'q', NULL, "Print no notes on standard error"},
    {"verbose", 'v', NULL, "Show which store and conversation are used"},
    {"color", 0, "WHEN", "auto, always or never"},
    {"no-pager", 0, NULL, "Do not use a pager"},
    {"help", 'h', NULL, "Show help"},
    {"version", 0, NULL, "Show the version of the program"},
    SKN_OPTIONS_END,
};

static const skn_noun nouns[] = {
    {"inbox", "Read", "Briefings, questions, approvals, failures", "inbox ls"},
    {"queue", "Change", "Queued messages", "queue ls"},
    {"world", "Manage", "Worlds", NULL},
    {"agent", "Manage", "Agents of a world", NULL},
    {"task", "Manage", "Background tasks of agents", NULL},
    {"conv", "Manage", "Conversations", NULL},
    {"lane", "Manage", "Delegations inside a conversation", NULL},
    {"tag", "Manage", "Tags for messages", NULL},
    {"files", "Manage", "Context files of a conversation", NULL},
    {"provider", "Manage", "Providers of models and their keys", NULL},
    {"model", "Manage", "Models that agents can use", NULL},
    {"config", "Manage", "Settings of the program", NULL},
    {"token", "Manage", "Access to the server", "token show"},
};

/* --- Options ------------------------------------------------------------------------------ */

#define TEXT_OPTIONS                                                                           \
    {"message", 'm', "TEXT", "The text"},                                                      \
    {                                                                                          \
        "file", 'F', "FILE", "Read the text from a file; - is standard input"                  \
    }
#define CHANGE_OPTIONS                                                                         \
    {"expect", 0, "V.LENGTH", "Fail unless the conversation is at this state: v7.12"},         \
        {"key", 0, "KEY", "Idempotency key: repeating the command with it changes nothing"},   \
        {"as", 0, "NAME", "The name to record in the history"},                                \
        {"wait", 0, NULL, "Wait for working agents before the change"},                        \
    {                                                                                          \
        "force", 0, NULL, "Stop working agents before the change"                              \
    }
#define WAIT_OPTIONS                                                                           \
    {"no-wait", 0, NULL, "Do not wait for answers"},                                           \
    {                                                                                          \
        "timeout", 0, "TIME",                                                                  \
            "Longest time to wait for answers (120s, 2m); default: until all answers are "     \
            "there"                                                                            \
    }
#define AT_OPTION                                                                              \
    {                                                                                          \
        "at", 'v', "VERSION", "Read this version: v4"                                          \
    }

static const skn_option doctor_options[] = {
    {"fix", 0, NULL, "Fix what can be fixed without losing data"},
    {"bundle", 0, "FILE", "Write the report to a file that can be shared: no texts, no keys"},
    SKN_OPTIONS_END,
};
static const skn_option bench_options[] = {
    {"messages", 0, "N", "Messages of the large conversation; default: 1000000"},
    {"agents", 0, "N", "Agents in the chat for removals; default: 50"},
    {"clients", 0, "N", "Clients that watch one chat; default: 5000"},
    {"part", 0, "NAME", "Only this part: engine, server or agents"},
    {"quick", 0, NULL, "Run each measurement once, with small numbers and no targets"},
    SKN_OPTIONS_END,
};
static const skn_option serve_options[] = {
    {"listen", 0, "ADDR:PORT",
     "The address to listen on; default: 127.0.0.1:7534; port 0: any free port"},
    {"port", 0, "N", "Only the port of the address"},
    {"socket", 0, "PATH", "Unix socket for the command line; off: none"},
    {"token-file", 0, "FILE",
     "A file with the token that requests must send; needed for other addresses than loopback"},
    {"open", 0, NULL, "Open the browser"},
    {"no-open", 0, NULL, "Do not open the browser"},
    {"demo", 0, NULL, "Use only the scripted demo model"},
    {"read-only", 0, NULL, "Refuse all changes; wake no agent"},
    {"no-commands", 0, NULL,
     "Start no programs: no tool servers with a command, no keys from a command"},
    {"allow-origin", 0, "URL", "Allow pages of this origin to use the API; may be repeated"},
    {"log-format", 0, "FORM", "auto, text or json"},
    {"log-level", 0, "LEVEL", "error, warn, info, debug or trace"},
    {"script", 0, "FILE", "Script of the scripted model, instead of the tour"},
    {"no-delay", 0, NULL, "Make the scripted model answer without pauses"},
    {"record", 0, "FOLDER", "Record model requests and answers in this folder"},
    {"replay", 0, "FOLDER", "Answer from a recorded folder; nothing is sent"},
    SKN_OPTIONS_END,
};
static const skn_option inbox_options[] = {
    {"needs-me", 0, NULL, "List only questions, approvals and failures"},
    {"done", 0, NULL, "List items that are done"},
    {"exit-code", 0, NULL, "Exit with 10 when something needs you"},
    SKN_OPTIONS_END,
};
static const skn_option inspect_options[] = {
    {"follow", 'f', NULL, "Wait for new messages and show them"},
    {"session", 0, "N", "Show only this work session: 1 is the latest, 2 the one before"},
    {"call", 0, "ID", "Show a model call, by its id or the id of its message"},
    {"saw", 0, NULL, "With --call: show exactly what the model was sent"},
    {"raw", 0, NULL, "With --call: show exactly what the model answered"},
    SKN_OPTIONS_END,
};
static const skn_option append_options[] = {
    {"lane", 0, "LANE", "The delegation (main.1); created if it is the next one"},
    {"call", 0, "CALL_ID", "The tool call that starts that delegation"},
    {"strict", 0, NULL, "Refuse tool results without a matching call"},
    {"expect", 0, "V.LENGTH", "Fail unless the conversation is at this state: v7.12"},
    SKN_OPTIONS_END,
};
static const skn_option send_options[] = {
    {"to", 0, "AGENT", "Send to this agent; may be repeated"},
    {"reply-to", 0, "ID", "Reply to this message"},
    {"expect-reply", 0, "AGENT", "Mark that this agent's answer is expected"},
    {"tag", 0, "NAME", "Add a defined tag; may be repeated"},
    {"file", 'F', "FILE", "Read the text from a file; - is standard input"},
    WAIT_OPTIONS,
    SKN_OPTIONS_END,
};
static const skn_option chat_options[] = {
    {"continue", 0, NULL, "Show the last messages first"},
    {"agent", 0, "AGENT", "Talk in this agent's own conversation"},
    {"model", 0, "PROVIDER/MODEL", "Use this model for the answers"},
    {"plain", 0, NULL, "Print line by line, as without a terminal"},
    SKN_OPTIONS_END,
};
static const skn_option retry_options[] = {
    {"agent", 0, "AGENT", "The agent that answers again"},
    {"no-tools", 0, NULL, "Offer no tools for this answer: some models cannot use any"},
    SKN_OPTIONS_END,
};
static const skn_option log_options[] = {
    {"count", 'n', "N", "Only the last N messages"},
    {"agent", 0, "AGENT", "Show the memory of this agent, as the agent sees it"},
    {"raw", 0, NULL,
     "With --agent: include reply links of others, which the agent does not see"},
    {"lane", 0, "LANE", "A delegation: main.1"},
    {"since", 0, "TIME", "Only messages since this time: RFC 3339, a date, or an age (2h, 3d)"},
    {"until", 0, "TIME", "Only messages until this time"},
    {"thread", 0, "ID", "Only this message and the replies under it"},
    {"main-thread", 0, NULL, "Only opening messages and messages of people and leads"},
    {"no-memory-only", 0, NULL,
     "Leave out messages that agents sent to others and nobody answered"},
    {"oneline", 0, NULL, "One line per message"},
    {"graph", 0, NULL, "One line per message, newest first, with a graph of replies"},
    {"follow", 'f', NULL, "Wait for new messages and show them"},
    AT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option tree_options[] = {
    {"depth", 0, "N", "Only N levels"},
    {"unanswered", 0, NULL, "Only unanswered messages, and the messages that they reply to"},
    {"mermaid", 0, NULL, "As a Mermaid flowchart"},
    {"dot", 0, NULL, "As a Graphviz graph"},
    AT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option show_options[] = {
    {"raw", 0, NULL, "Only the text of a message, byte for byte"},
    {"context", 0, NULL, "Include the messages around it"},
    {"delivery", 0, NULL, "Show which agents have the message in memory"},
    {"origin", 0, NULL, "Show the messages that an amended message or a squash replaces"},
    SKN_OPTIONS_END,
};
static const skn_option search_options[] = {
    {"current", 0, NULL, "Search only current versions"},
    {"all-worlds", 0, NULL, "Search every world"},
    {"archived", 0, "WHICH", "Archived conversations: yes (default), no or only"},
    {"limit", 0, "N", "At most N hits; default 50"},
    SKN_OPTIONS_END,
};
static const skn_option history_options[] = {
    {"graph", 0, NULL, "Show a graph from each version to its origin"},
    {"count", 'n', "N", "Only the newest N versions"},
    SKN_OPTIONS_END,
};
static const skn_option diff_options[] = {
    {"exit-code", 0, NULL, "Exit with 10 when they differ"},
    SKN_OPTIONS_END,
};
static const skn_option audit_options[] = {
    {"count", 'n', "N", "Only the newest N rows; default 50"},
    SKN_OPTIONS_END,
};
static const skn_option stats_options[] = {
    {"by", 0, "WHAT", "One line per agent, day or thread"},
    AT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option timeline_options[] = {
    {"delegation", 0, "LANE", "Only this delegation: main.1"},
    {"events", 0, "FILE", "Read event lines instead of a conversation; - is standard input"},
    {"guess-links", 0, NULL, "With --events: guess which call started which thread"},
    AT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option context_options[] = {
    {"agent", 0, "AGENT", "The agent whose model gets the context"},
    {"lane", 0, "LANE", "A delegation: main.1"},
    AT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option text_change_options[] = {
    TEXT_OPTIONS,
    CHANGE_OPTIONS,
    SKN_OPTIONS_END,
};
static const skn_option edit_options[] = {
    TEXT_OPTIONS,
    {"retry-failed", 0, NULL,
     "Retry a failed edit; without -m or -F, only remove the messages"},
    WAIT_OPTIONS,
    CHANGE_OPTIONS,
    SKN_OPTIONS_END,
};
static const skn_option insert_options[] = {
    TEXT_OPTIONS,
    {"before", 0, "ID", "Insert before this message"},
    {"end", 0, NULL, "Insert at the end"},
    CHANGE_OPTIONS,
    SKN_OPTIONS_END,
};
static const skn_option rm_options[] = {
    {"from", 0, "ID", "Remove this message and all later ones from every agent's memory"},
    CHANGE_OPTIONS,
    SKN_OPTIONS_END,
};
static const skn_option move_options[] = {
    {"before", 0, "ID", "Move them before this message"},
    {"end", 0, NULL, "Move to the end"},
    CHANGE_OPTIONS,
    SKN_OPTIONS_END,
};
static const skn_option squash_options[] = {
    {"select", 0, "QUERY",
     "Select the messages of the current version that contain these words"},
    {"by-hand", 0, NULL,
     "Use the text itself as the result; otherwise it is the prompt for a model"},
    {"join", 0, NULL, "Join the texts of the messages"},
    TEXT_OPTIONS,
    {"model", 0, "PROVIDER/MODEL", "Use this model"},
    CHANGE_OPTIONS,
    SKN_OPTIONS_END,
};
static const skn_option compact_options[] = {
    {"agent", 0, "AGENT", "The memory of this agent"},
    {"lane", 0, "LANE", "A delegation: main.1"},
    {"covers", 0, "N", "Summarise the first N messages; default: as many as possible"},
    TEXT_OPTIONS,
    {"model", 0, "PROVIDER/MODEL",
     "The model that writes the summary; with -m or -F: the model that wrote it"},
    SKN_OPTIONS_END,
};
static const skn_option move_to_options[] = {
    CHANGE_OPTIONS,
    SKN_OPTIONS_END,
};
static const skn_option branch_options[] = {
    {"title", 'm', "TEXT", "Title of the new conversation"},
    SKN_OPTIONS_END,
};
static const skn_option purge_options[] = {
    {"unreachable", 0, NULL, "Erase every message that is not in the current version"},
    SKN_OPTIONS_END,
};
static const skn_option export_options[] = {
    {"format", 'f', "FORMAT", "md, json, jsonl, mermaid, html or skein"},
    {"output", 'o', "FILE", "The output file; default: standard output"},
    {"whole-world", 0, NULL, "Export every conversation of the world"},
    {"no-memory-only", 0, NULL,
     "Leave out messages that agents sent to others and nobody answered"},
    {"delegations", 0, "HOW", "none, summary or full"},
    {"redact", 0, NULL, "Leave out the texts; keep senders, times and sizes"},
    SKN_OPTIONS_END,
};
static const skn_option import_options[] = {
    {"as", 0, "NAME", "The name of the imported world"},
    SKN_OPTIONS_END,
};
static const skn_option backup_options[] = {
    {"output", 'o', "FILE",
     "The new file; default: a name with the time, in the working folder"},
    SKN_OPTIONS_END,
};

static const skn_option config_list_options[] = {
    {"show-origin", 0, NULL, "Show the file, variable or option that each setting comes from"},
    SKN_OPTIONS_END,
};
static const skn_option removed_options[] = {
    {"removed", 0, NULL, "List removed worlds, last removed first"},
    SKN_OPTIONS_END,
};
static const skn_option conv_list_options[] = {
    {"archived", 0, NULL, "List archived conversations, last archived first"},
    {"removed", 0, NULL, "The same as --archived"},
    SKN_OPTIONS_END,
};
static const skn_option conv_set_options[] = {
    {"expect-reply", 0, "AGENT", "Expect a reply from this agent; empty: from nobody"},
    {"read-only", 0, "WHETHER", "on: agents read messages and do not answer; off: they answer"},
    SKN_OPTIONS_END,
};
static const skn_option world_restore_options[] = {
    {"as", 0, "NAME", "New name of the world"},
    SKN_OPTIONS_END,
};
static const skn_option world_new_options[] = {
    {"description", 0, "TEXT", "Description of the world"},
    {"turn-limit", 0, "N", "Number of agent answers in a row after which the agents pause"},
    {"compact-at", 0, "N", "Number of messages at which a context is summarised"},
    SKN_OPTIONS_END,
};
static const skn_option agent_new_options[] = {
    {"prompt", 0, "TEXT", "System prompt of the agent"},
    {"model", 0, "PROVIDER/MODEL",
     "Model of the agent; without this option: the default model"},
    {"lead", 0, "AGENT", "Lead of the agent: the agent that it works for"},
    SKN_OPTIONS_END,
};
static const skn_option agent_edit_options[] = {
    {"prompt", 0, "TEXT", "System prompt of the agent; empty: none"},
    {"model", 0, "PROVIDER/MODEL", "Model of the agent; default: the default model"},
    {"lead", 0, "AGENT", "Lead of the agent; empty: none"},
    {"tools", 0, "NAMES", "Tools that the agent may use, separated by commas; all: every tool"},
    {"max-tokens", 0, "NUMBER", "The most tokens in an answer; default: the model's limit"},
    SKN_OPTIONS_END,
};
static const skn_option files_add_options[] = {
    {"prompt", 0, "TEXT",
     "What a model extracts from the file for agents; \"\": the whole file"},
    SKN_OPTIONS_END,
};
static const skn_option tell_options[] = {
    {"from", 0, "AGENT", "The sender; default: you"},
    {"expect-reply", 0, NULL, "Mark that an answer is expected"},
    SKN_OPTIONS_END,
};
static const skn_option token_revoke_options[] = {
    {"all", 0, NULL, "Sign out all browsers"},
    SKN_OPTIONS_END,
};
static const skn_option task_list_options[] = {
    {"status", 0, "STATUS", "Only tasks with this status: pending, completed or cancelled"},
    SKN_OPTIONS_END,
};
#define DEFAULT_OPTION                                                                         \
    {                                                                                          \
        "default", 0, NULL, "Make the first model of the provider the default model"           \
    }
static const skn_option provider_add_options[] = {
    {"type", 0, "TYPE", "openai, openai-compatible, anthropic or ollama"},
    {"base-url", 0, "URL", "Base address of the provider"},
    {"key-env", 0, "NAME", "Environment variable of the server that holds the key"},
    DEFAULT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option provider_login_options[] = {
    {"none", 0, NULL, "The provider needs no key: forget its key"},
    SKN_OPTIONS_END,
};
static const skn_option provider_use_options[] = {
    DEFAULT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option remove_options[] = {
    {"force", 0, NULL, "Stop working agents first"},
    SKN_OPTIONS_END,
};
static const skn_option conv_new_options[] = {
    {"title", 0, "TEXT", "Title of the conversation"},
    SKN_OPTIONS_END,
};
static const skn_option conv_of_options[] = {
    {"mode", 0, "MODE", "foreground or background"},
    SKN_OPTIONS_END,
};
static const skn_option lane_new_options[] = {
    {"call", 0, "CALL_ID", "The tool call that starts the delegation"},
    SKN_OPTIONS_END,
};
static const skn_option lane_finish_options[] = {
    {"state", 0, "STATE", "done, failed, cancelled or interrupted"},
    SKN_OPTIONS_END,
};
static const skn_option tag_new_options[] = {
    {"control", 0, "KIND", "button, toggle or choice"},
    {"instruction", 0, "TYPE",
     "The instruction that the tag adds; default: the name of the tag"},
    {"target", 0, "AGENT", "The agent that the instruction is for"},
    {"trigger-only", 0, NULL, "The tag starts an action and is not added to messages"},
    SKN_OPTIONS_END,
};

/* --- Commands ----------------------------------------------------------------------------- */

#define START  "Start"
#define READ   "Read"
#define CHANGE "Change"
#define MANAGE "Manage"
#define CARE   "Move and care"

#define ANSWER_FIELDS   "event," SKN_FIELDS_MESSAGE ",finishReason,elapsedMs"
#define INBOX_FIELDS    SKN_FIELDS_INBOX_ITEM
#define CONFIG_FIELDS   "key,value,origin,restart,help"
#define PROVIDER_FIELDS "name,type,baseUrl,key,origin,state,detail,local,editable,defaultModel"
#define MODEL_FIELDS    "name,model,contextWindow"

static const skn_command commands[] = {
#define SKN_COMMAND(run, name, group, args, help, least, most, kind, fields, options)          \
    {name, group, args, help, least, most, kind, fields, options, skn_cmd_##run},
#include "cli/commands.def"
#undef SKN_COMMAND
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

const skn_command *skn_command_at(size_t i)
{
    return i < COUNT(commands) ? &commands[i] : NULL;
}

const skn_noun *skn_noun_at(size_t i)
{
    return i < COUNT(nouns) ? &nouns[i] : NULL;
}
