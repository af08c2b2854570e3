/* The table of commands: help, completion and "did you mean" come from them. */
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
    {NULL, 0, NULL, NULL},
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

/* --- Options of several commands ----------------------------------------------------------- */

#define OPTION(...)                                                                            \
    {                                                                                          \
        __VA_ARGS__                                                                            \
    }
#define TEXT_OPTIONS                                                                           \
    OPTION("message", 'm', "TEXT", "The text"),                                                \
        OPTION("file", 'F', "FILE", "Read the text from a file; - is standard input")
#define CHANGE_OPTIONS                                                                         \
    OPTION("expect", 0, "V.LENGTH", "Fail unless the conversation is at this state: v7.12"),   \
        OPTION("key", 0, "KEY",                                                                \
               "Idempotency key: repeating the command with it changes nothing"),              \
        OPTION("as", 0, "NAME", "The name to record in the history"),                          \
        OPTION("wait", 0, NULL, "Wait for working agents before the change"),                  \
        OPTION("force", 0, NULL, "Stop working agents before the change")
#define WAIT_OPTIONS                                                                           \
    OPTION("no-wait", 0, NULL, "Do not wait for answers"),                                     \
        OPTION("timeout", 0, "TIME",                                                           \
               "Longest time to wait for answers (120s, 2m); default: until all answers are "  \
               "there")
#define AT_OPTION     OPTION("at", 'v', "VERSION", "Read this version: v4")
#define REMOVE_OPTION OPTION("force", 0, NULL, "Stop working agents first")
#define STATUS_OPTION                                                                          \
    OPTION("status", 0, "STATUS",                                                              \
           "Only tasks with this status: pending, completed or cancelled")
#define DEFAULT_OPTION                                                                         \
    OPTION("default", 0, NULL, "Make the first model of the provider the default model")

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

#define SKN_OPTIONS(...)                                                                       \
    (const skn_option[])                                                                       \
    {                                                                                          \
        __VA_ARGS__,                                                                           \
        {                                                                                      \
            NULL, 0, NULL, NULL                                                                \
        }                                                                                      \
    }

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
