/* The tables of commands: help, completion and "did you mean" come from them. Those that manage things are in
 * commands.c. */
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

/* --- Commands ----------------------------------------------------------------------------- */

#define START  "Start"
#define READ   "Read"
#define CHANGE "Change"
#define CARE   "Move and care"

#define ANSWER_FIELDS "event," SKN_FIELDS_MESSAGE ",finishReason,elapsedMs"
#define INBOX_FIELDS  SKN_FIELDS_INBOX_ITEM

static const skn_command talk[] = {
    {"serve", START, "", "Run the server and open the web page", 0, 0, SKN_CMD_PLAIN, NULL,
     serve_options, skn_cmd_serve},
    {"chat", START, "[WORLD]", "Talk to a world in this terminal", 0, 1, SKN_CMD_WRITE, NULL,
     chat_options, skn_cmd_chat},
    {"open", START, "[ID]", "Open the web page, a message or a version in the browser", 0, 1,
     SKN_CMD_PLAIN, "url,link,opened", NULL, skn_cmd_open},
    {"status", START, "", "Show the store, the server and the current world", 0, 0,
     SKN_CMD_PLAIN, "program,store,exists,server,current,worlds", NULL, skn_cmd_status},
    {"help", START, "[COMMAND]", "Show help", 0, 2, SKN_CMD_PLAIN, NULL, NULL, skn_cmd_help},
    {"version", START, "", "Show the version of the program", 0, 0, SKN_CMD_PLAIN,
     "program,version", NULL, skn_cmd_version},

    {"log", READ, "", "List messages, newest last", 0, 0, SKN_CMD_READ, SKN_FIELDS_MESSAGE,
     log_options, skn_cmd_log},
    {"tree", READ, "[ID]", "Show messages as reply threads", 0, 1, SKN_CMD_READ,
     SKN_FIELDS_NODE, tree_options, skn_cmd_tree},
    {"show", READ, "ID", "Show a message, version, squash, delegation or agent", 1, 1,
     SKN_CMD_READ, SKN_FIELDS_SHOWN, show_options, skn_cmd_show},
    {"search", READ, "QUERY…", "Find messages, in all versions", 1, -1, SKN_CMD_READ,
     SKN_FIELDS_HIT, search_options, skn_cmd_search},
    {"history", READ, "", "List the versions of a conversation", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_THREAD, history_options, skn_cmd_history},
    {"diff", READ, "[A..B]", "Compare two versions", 0, 2, SKN_CMD_READ, SKN_FIELDS_DIFF,
     diff_options, skn_cmd_diff},
    {"stats", READ, "[ID]", "Show statistics of reply threads", 0, 1, SKN_CMD_READ,
     SKN_FIELDS_STATS "," SKN_FIELDS_STATS_BY, stats_options, skn_cmd_stats},
    {"timeline", READ, "",
     "Show messages, tool calls with their results, and delegations in order", 0, 0,
     SKN_CMD_PLAIN, NULL, timeline_options, skn_cmd_timeline},
    {"context", READ, "", "Show what would be sent to a model", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_CONTEXT, context_options, skn_cmd_context},
    {"inspect", READ, "[AGENT]", "Show an agent's background work, or a model call", 0, 1,
     SKN_CMD_READ, NULL, inspect_options, skn_cmd_inspect},
    {"inbox ls", READ, "", "List briefings, questions, approvals and failures", 0, 0,
     SKN_CMD_READ, INBOX_FIELDS, inbox_options, skn_cmd_inbox_ls},
    {"inbox show", READ, "ITEM", "Show an item and mark it as read", 1, 1, SKN_CMD_WRITE,
     INBOX_FIELDS, NULL, skn_cmd_inbox_show},
    {"inbox done", READ, "ITEM…", "Mark items as done", 1, -1, SKN_CMD_WRITE, INBOX_FIELDS,
     NULL, skn_cmd_inbox_done},
    {"inbox reopen", READ, "ITEM…", "Mark items as not done", 1, -1, SKN_CMD_WRITE,
     INBOX_FIELDS, NULL, skn_cmd_inbox_reopen},
    {"inbox snooze", READ, "ITEM TIME", "Hide an item for a time (2h), or show it again (off)",
     2, 2, SKN_CMD_WRITE, INBOX_FIELDS, NULL, skn_cmd_inbox_snooze},
    {"inbox reply", READ, "ITEM TEXT", "Answer a question or a briefing", 2, -1, SKN_CMD_WRITE,
     "item,message", NULL, skn_cmd_inbox_reply},
    {"inbox allow", READ, "ITEM", "Allow a tool call that waits for approval", 1, 1,
     SKN_CMD_WRITE, "item,message", NULL, skn_cmd_inbox_allow},
    {"inbox deny", READ, "ITEM", "Deny a tool call that waits for approval", 1, 1,
     SKN_CMD_WRITE, "item,message", NULL, skn_cmd_inbox_deny},

    {"send", CHANGE, "[TEXT]", "Send a message and wait for the answers", 0, -1, SKN_CMD_WRITE,
     ANSWER_FIELDS, send_options, skn_cmd_send},
    {"append", CHANGE, "", "Store messages from standard input, one JSON object per line", 0, 0,
     SKN_CMD_WRITE, SKN_FIELDS_MESSAGE, append_options, skn_cmd_append},
    {"edit", CHANGE, "[ID]",
     "Edit your last message, or another, and send it again; later messages are removed", 0, 1,
     SKN_CMD_WRITE, SKN_FIELDS_REMOVAL "," ANSWER_FIELDS, edit_options, skn_cmd_edit},
    {"amend", CHANGE, "ID", "Replace a message in place; later messages stay", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_THREAD ",messageId,originalMessageId", text_change_options,
     skn_cmd_amend},
    {"insert", CHANGE, "", "Insert a message", 0, 0, SKN_CMD_WRITE,
     SKN_FIELDS_THREAD ",messageId", insert_options, skn_cmd_insert},
    {"rm", CHANGE, "ID…", "Remove messages from the current version", 0, -1, SKN_CMD_WRITE,
     NULL, rm_options, skn_cmd_rm},
    {"move", CHANGE, "ID…", "Move messages", 1, -1, SKN_CMD_WRITE, SKN_FIELDS_THREAD,
     move_options, skn_cmd_move},
    {"squash", CHANGE, "[ID…]", "Merge messages into one", 0, -1, SKN_CMD_WRITE,
     SKN_FIELDS_SQUASH, squash_options, skn_cmd_squash},
    {"compact", CHANGE, "", "Replace the start of a context with a summary", 0, 0,
     SKN_CMD_WRITE, SKN_FIELDS_MESSAGE ",covers", compact_options, skn_cmd_compact},
    {"undo", CHANGE, "[N]", "Undo the last change, or the last N", 0, 1, SKN_CMD_WRITE,
     SKN_FIELDS_MOVE, move_to_options, skn_cmd_undo},
    {"redo", CHANGE, "[N]", "Redo undone changes", 0, 1, SKN_CMD_WRITE, SKN_FIELDS_MOVE,
     move_to_options, skn_cmd_redo},
    {"switch", CHANGE, "VERSION", "Make another version current", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_MOVE, move_to_options, skn_cmd_switch},
    {"branch", CHANGE, "ID|VERSION", "Start a new conversation from a message or version", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_CHAT, branch_options, skn_cmd_branch},
    {"stop", CHANGE, "[AGENT|LANE]", "Stop working agents, or a delegation", 0, 1,
     SKN_CMD_WRITE, "stopped,tasks," SKN_FIELDS_DELEGATION, NULL, skn_cmd_stop},
    {"queue ls", CHANGE, "", "List queued messages", 0, 0, SKN_CMD_READ, SKN_FIELDS_WAITING,
     NULL, skn_cmd_queue_ls},
    {"queue rm", CHANGE, "ID…", "Remove queued messages before they are sent", 1, -1,
     SKN_CMD_WRITE, SKN_FIELDS_WAITING, NULL, skn_cmd_queue_rm},
    {"retry", CHANGE, "ID|LANE", "Ask an agent to answer again, or restart a delegation", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_MESSAGE "," SKN_FIELDS_DELEGATION, retry_options, skn_cmd_retry},
    {"purge", CHANGE, "[ID…]", "Erase messages permanently, in every version", 0, -1,
     SKN_CMD_WRITE, "erased,dryRun", purge_options, skn_cmd_purge},
};

static const skn_command care[] = {
    {"export", CARE, "[ID|VERSION]", "Export a conversation for people or programs", 0, 1,
     SKN_CMD_READ, NULL, export_options, skn_cmd_export},
    {"import", CARE, "FILE…", "Import archives and exports of other programs", 1, -1,
     SKN_CMD_WRITE, NULL, import_options, skn_cmd_import},
    {"backup", CARE, "", "Copy the store to a new file while it is in use", 0, 0, SKN_CMD_READ,
     "file,bytes", backup_options, skn_cmd_backup},
    {"migrate", CARE, "", "Upgrade the schema of the store", 0, 0, SKN_CMD_PLAIN,
     "store,schema,changed", NULL, skn_cmd_migrate},
    {"audit", CARE, "",
     "List changes of settings, keys, agents and approvals, removals and sign-ins", 0, 0,
     SKN_CMD_READ, SKN_FIELDS_AUDIT, audit_options, skn_cmd_audit},
    {"fsck", CARE, "", "Check the integrity of the store", 0, 0, SKN_CMD_READ, SKN_FIELDS_CHECK,
     NULL, skn_cmd_fsck},
    {"doctor", CARE, "", "Check program, store and server, and suggest fixes", 0, 0,
     SKN_CMD_PLAIN, "check,result,text,cure", doctor_options, skn_cmd_doctor},
    {"bench", CARE, "", "Measure speed and memory in a temporary store", 0, 2, SKN_CMD_PLAIN,
     "what,figure,unit,reference,against,ratio,target,ok,rounds", bench_options, skn_cmd_bench},
    {"completion", CARE, "SHELL", "Print a completion script for bash, zsh or fish", 1, 2,
     SKN_CMD_PLAIN, NULL, NULL, skn_cmd_completion},
};

/* --- The tables, row by row ---------------------------------------------------------------- */

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

const skn_command *skn_command_at(size_t i)
{
    size_t             manage_count;
    const skn_command *manage = skn_commands_manage(&manage_count);

    if (i < COUNT(talk))
        return &talk[i];
    i -= COUNT(talk);
    if (i < manage_count)
        return &manage[i];
    i -= manage_count;
    return i < COUNT(care) ? &care[i] : NULL;
}

const skn_noun *skn_noun_at(size_t i)
{
    return i < COUNT(nouns) ? &nouns[i] : NULL;
}

/* The commands for worlds, agents, conversations, providers and settings, each with its options. */

#define MANAGE "Manage"

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

#define CONFIG_FIELDS   "key,value,origin,restart,help"
#define PROVIDER_FIELDS "name,type,baseUrl,key,origin,state,detail,local,editable,defaultModel"
#define MODEL_FIELDS    "name,model,contextWindow"

static const skn_command commands[] = {
    {"world ls", MANAGE, "", "List the worlds", 0, 0, SKN_CMD_READ, SKN_FIELDS_WORLD,
     removed_options, skn_cmd_world_ls},
    {"world new", MANAGE, "NAME", "Create a world and make it the default", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_WORLD, world_new_options, skn_cmd_world_new},
    {"world use", MANAGE, "NAME", "Make a world the default of this store", 1, 1, SKN_CMD_READ,
     SKN_FIELDS_WORLD, NULL, skn_cmd_world_use},
    {"world show", MANAGE, "[NAME]", "Show a world with its agents and conversations", 0, 1,
     SKN_CMD_READ, SKN_FIELDS_WORLD, NULL, skn_cmd_world_show},
    {"world set", MANAGE, "KEY VALUE", "Change a setting of a world; null restores the default",
     2, 2, SKN_CMD_WRITE, SKN_FIELDS_WORLD, NULL, skn_cmd_world_set},
    {"world tools", MANAGE, "", "List the tool servers of a world and their state", 0, 0,
     SKN_CMD_READ, SKN_FIELDS_TOOL_SERVER, NULL, skn_cmd_world_tools},
    {"world rename", MANAGE, "NAME NEW", "Rename a world", 2, 2, SKN_CMD_WRITE,
     SKN_FIELDS_WORLD, NULL, skn_cmd_world_rename},
    {"world rm", MANAGE, "NAME", "Remove a world", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_WORLD,
     remove_options, skn_cmd_world_rm},
    {"world restore", MANAGE, "NAME|ID", "Restore a removed world", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_WORLD, world_restore_options, skn_cmd_world_restore},
    {"agent ls", MANAGE, "", "List the agents of a world", 0, 0, SKN_CMD_READ, SKN_FIELDS_AGENT,
     NULL, skn_cmd_agent_ls},
    {"agent new", MANAGE, "NAME", "Create an agent", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_AGENT,
     agent_new_options, skn_cmd_agent_new},
    {"agent show", MANAGE, "NAME", "Show an agent", 1, 1, SKN_CMD_READ, SKN_FIELDS_AGENT, NULL,
     skn_cmd_agent_show},
    {"agent edit", MANAGE, "AGENT", "Change an agent", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_AGENT,
     agent_edit_options, skn_cmd_agent_edit},
    {"agent pause", MANAGE, "AGENT", "Pause an agent: it starts no new work", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_AGENT, NULL, skn_cmd_agent_pause},
    {"agent resume", MANAGE, "AGENT", "Resume a paused agent", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_AGENT, NULL, skn_cmd_agent_resume},
    {"agent wake", MANAGE, "AGENT", "Wake an agent: it looks for work now", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_AGENT, NULL, skn_cmd_agent_wake},
    {"agent timer", MANAGE, "AGENT TIME",
     "Wake an agent at an interval (15m), or stop that (off)", 2, 2, SKN_CMD_WRITE,
     SKN_FIELDS_AGENT, NULL, skn_cmd_agent_timer},
    {"agent tell", MANAGE, "AGENT TEXT", "Send a message to an agent's background conversation",
     2, -1, SKN_CMD_WRITE, SKN_FIELDS_MESSAGE, tell_options, skn_cmd_agent_tell},
    {"agent task", MANAGE, "AGENT TEXT", "Give an agent a background task", 2, -1,
     SKN_CMD_WRITE, SKN_FIELDS_TASK, NULL, skn_cmd_agent_task},
    {"agent tasks", MANAGE, "AGENT", "List the tasks of an agent, newest first", 1, 1,
     SKN_CMD_READ, SKN_FIELDS_TASK, task_list_options, skn_cmd_agent_tasks},
    {"agent memory", MANAGE, "AGENT [WORD…]",
     "Show what an agent remembers; with words, only matching notes", 1, -1, SKN_CMD_READ,
     SKN_FIELDS_KNOWLEDGE, NULL, skn_cmd_agent_memory},
    {"agent rm", MANAGE, "NAME", "Remove an agent", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_AGENT,
     remove_options, skn_cmd_agent_rm},
    {"task ls", MANAGE, "[AGENT]", "List the tasks of an agent, or of all agents", 0, 1,
     SKN_CMD_READ, SKN_FIELDS_TASK, task_list_options, skn_cmd_task_ls},
    {"task show", MANAGE, "TASK", "Show a task and its result", 1, 1, SKN_CMD_READ,
     SKN_FIELDS_TASK, NULL, skn_cmd_task_show},
    {"task cancel", MANAGE, "TASK", "Cancel a task, and stop it if it is running", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_TASK, NULL, skn_cmd_task_cancel},
    {"task retry", MANAGE, "TASK", "Restart a task that failed, waits or was cancelled", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_TASK, NULL, skn_cmd_task_retry},
    {"conv ls", MANAGE, "", "List the conversations of a world", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_CHAT, conv_list_options, skn_cmd_conv_ls},
    {"conv new", MANAGE, "", "Create a conversation and make it current", 0, 0, SKN_CMD_WRITE,
     SKN_FIELDS_CHAT, conv_new_options, skn_cmd_conv_new},
    {"conv show", MANAGE, "[REF]", "Show a conversation", 0, 1, SKN_CMD_READ, SKN_FIELDS_CHAT,
     NULL, skn_cmd_conv_show},
    {"conv use", MANAGE, "REF", "Make a conversation current; \"none\" leaves the session", 1,
     1, SKN_CMD_WRITE, SKN_FIELDS_CHAT, NULL, skn_cmd_conv_use},
    {"conv of", MANAGE, "AGENT", "Show an agent's own conversation; it is created on first use",
     1, 1, SKN_CMD_WRITE, SKN_FIELDS_CHAT, conv_of_options, skn_cmd_conv_of},
    {"conv rename", MANAGE, "REF TITLE", "Change the title of a conversation", 2, 2,
     SKN_CMD_WRITE, SKN_FIELDS_CHAT, NULL, skn_cmd_conv_rename},
    {"conv set", MANAGE, "REF", "Change the options of a conversation", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_CHAT, conv_set_options, skn_cmd_conv_set},
    {"conv rm", MANAGE, "REF", "Archive a conversation", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_CHAT,
     remove_options, skn_cmd_conv_rm},
    {"conv restore", MANAGE, "ID", "Restore an archived conversation", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_CHAT, NULL, skn_cmd_conv_restore},
    {"lane ls", MANAGE, "", "List the lanes of a conversation", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_LANE, NULL, skn_cmd_lane_ls},
    {"lane new", MANAGE, "[PARENT]", "Start a delegation under a lane; default: main", 0, 1,
     SKN_CMD_WRITE, SKN_FIELDS_LANE, lane_new_options, skn_cmd_lane_new},
    {"lane finish", MANAGE, "LANE", "Record how a delegation ended", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_LANE, lane_finish_options, skn_cmd_lane_finish},
    {"tag ls", MANAGE, "", "List the tags and show which are on in the conversation", 0, 0,
     SKN_CMD_READ, SKN_FIELDS_TAG, NULL, skn_cmd_tag_ls},
    {"tag new", MANAGE, "NAME", "Define a tag", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_TAG,
     tag_new_options, skn_cmd_tag_new},
    {"tag rm", MANAGE, "NAME", "Delete a tag", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_TAG, NULL,
     skn_cmd_tag_rm},
    {"tag on", MANAGE, "NAME", "Add the tag to messages sent in the conversation", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_TAG, NULL, skn_cmd_tag_on},
    {"tag off", MANAGE, "NAME", "Stop adding the tag", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_TAG,
     NULL, skn_cmd_tag_off},
    {"files ls", MANAGE, "", "List the context files of a conversation", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_FILE, NULL, skn_cmd_files_ls},
    {"files add", MANAGE, "PATH [ITEM…]", "Add a file, or functions, classes or lines of it", 1,
     -1, SKN_CMD_WRITE, SKN_FIELDS_FILE, files_add_options, skn_cmd_files_add},
    {"files show", MANAGE, "[PATH]", "Show the current text of the context files", 0, 1,
     SKN_CMD_READ, SKN_FIELDS_FILE ",content", NULL, skn_cmd_files_show},
    {"files rm", MANAGE, "PATH", "Remove a file from the context", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_FILE, NULL, skn_cmd_files_rm},
    {"provider ls", MANAGE, "", "List providers and their status", 0, 0, SKN_CMD_PLAIN,
     PROVIDER_FIELDS, NULL, skn_cmd_provider_ls},
    {"provider show", MANAGE, "PROVIDER", "Show a provider", 1, 1, SKN_CMD_PLAIN,
     PROVIDER_FIELDS, NULL, skn_cmd_provider_show},
    {"provider add", MANAGE, "NAME", "Add a provider", 1, 1, SKN_CMD_PLAIN, PROVIDER_FIELDS,
     provider_add_options, skn_cmd_provider_add},
    {"provider login", MANAGE, "PROVIDER", "Store the key of a provider", 1, 1, SKN_CMD_PLAIN,
     PROVIDER_FIELDS, provider_login_options, skn_cmd_provider_login},
    {"provider use", MANAGE, "PROVIDER",
     "Allow agents to use a provider; texts are then sent to it", 1, 1, SKN_CMD_PLAIN,
     PROVIDER_FIELDS, provider_use_options, skn_cmd_provider_use},
    {"provider test", MANAGE, "PROVIDER", "Test whether a provider answers and accepts the key",
     1, 1, SKN_CMD_PLAIN, "provider,ok,state,detail,tookMs,models", NULL,
     skn_cmd_provider_test},
    {"provider models", MANAGE, "PROVIDER", "List the models of a provider", 1, 1,
     SKN_CMD_PLAIN, MODEL_FIELDS, NULL, skn_cmd_provider_models},
    {"provider detect", MANAGE, "", "Detect model servers and keys again", 0, 0, SKN_CMD_PLAIN,
     "name,label,type,baseUrl,version,key,local,inUse,models", NULL, skn_cmd_provider_detect},
    {"provider rm", MANAGE, "PROVIDER", "Remove a provider and its key", 1, 1, SKN_CMD_PLAIN,
     PROVIDER_FIELDS, NULL, skn_cmd_provider_rm},
    {"model ls", MANAGE, "[PROVIDER]", "List the available models", 0, 1, SKN_CMD_PLAIN,
     MODEL_FIELDS ",default", NULL, skn_cmd_model_ls},
    {"model use", MANAGE, "PROVIDER/MODEL",
     "Set the default model; auto: choose one that is available", 1, 1, SKN_CMD_WRITE, "model",
     NULL, skn_cmd_model_use},

    {"config list", MANAGE, "", "List all settings", 0, 0, SKN_CMD_PLAIN, CONFIG_FIELDS,
     config_list_options, skn_cmd_config_list},
    {"config get", MANAGE, "KEY", "Show a setting", 1, 1, SKN_CMD_PLAIN, CONFIG_FIELDS, NULL,
     skn_cmd_config_get},
    {"config set", MANAGE, "KEY VALUE", "Store a setting", 2, 2, SKN_CMD_WRITE, CONFIG_FIELDS,
     NULL, skn_cmd_config_set},
    {"config edit", MANAGE, "", "Edit skein.yaml in the editor and check it", 0, 0,
     SKN_CMD_PLAIN, NULL, NULL, skn_cmd_config_edit},
    {"config check", MANAGE, "[FILE]", "Check skein.yaml for mistakes", 0, 1, SKN_CMD_PLAIN,
     "severity,source,line,column,text,cure", NULL, skn_cmd_config_check},
    {"config path", MANAGE, "", "Show which configuration files are read", 0, 0, SKN_CMD_PLAIN,
     "path,read", NULL, skn_cmd_config_path},
    {"token show", MANAGE, "", "Print the token that scripts send", 0, 0, SKN_CMD_PLAIN,
     "token,header", NULL, skn_cmd_token_show},
    {"token ls", MANAGE, "", "List the browsers that are signed in", 0, 0, SKN_CMD_PLAIN,
     "id,label,createdAt,expiresAt", NULL, skn_cmd_token_ls},
    {"token revoke", MANAGE, "[ID]", "Sign a browser out", 0, 1, SKN_CMD_PLAIN, NULL,
     token_revoke_options, skn_cmd_token_revoke},
};

const skn_command *skn_commands_manage(size_t *count)
{
    *count = sizeof commands / sizeof commands[0];
    return commands;
}
