/* The table of commands: help, completion and "did you mean" come from them. */
#include "cli/commands.h"

const skn_option skn_global_options[] = {
#define SKN_GLOBAL(...) {__VA_ARGS__},
#include "cli/commands.def"
    {NULL, 0, NULL, NULL},
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
};

static const skn_noun nouns[] = {
#define SKN_NOUN(...) {__VA_ARGS__},
#include "cli/commands.def"
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

bool skn_verb_is(const skn_cli *cli, const char *verb)
{
    const char *blank = strrchr(cli->command->name, ' ');

    return !strcmp(blank ? blank + 1 : cli->command->name, verb);
}
