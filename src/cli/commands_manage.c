/* The commands for worlds, agents, conversations, providers and settings, each with its options. */
#include "cli/commands.h"

#define MANAGE "Manage"

static const skn_option config_list_options[] = {
    {"show-origin", 0, NULL, "Show the file, variable or option that each setting comes from"},
    SKN_OPTIONS_END,
};
static const skn_option removed_options[] = {
    {"removed", 0, NULL, "List removed worlds, the last one first"},
    SKN_OPTIONS_END,
};
static const skn_option conv_list_options[] = {
    {"archived", 0, NULL, "List archived conversations, the last one first"},
    {"removed", 0, NULL, "The same as --archived"},
    SKN_OPTIONS_END,
};
static const skn_option conv_set_options[] = {
    {"expect-reply", 0, "AGENT", "Expect a reply from this agent; empty: from nobody"},
    {"read-only", 0, "WHETHER", "on: agents read messages and do not answer; off: they answer"},
    SKN_OPTIONS_END,
};
static const skn_option world_restore_options[] = {
    {"as", 0, "NAME", "Its name from now on"},
    SKN_OPTIONS_END,
};
static const skn_option world_new_options[] = {
    {"description", 0, "TEXT", "Its description"},
    {"turn-limit", 0, "N",
     "How many agent answers may follow one another before the agents pause"},
    {"compact-at", 0, "N", "How many messages a context may have before it is summarised"},
    SKN_OPTIONS_END,
};
static const skn_option agent_new_options[] = {
    {"prompt", 0, "TEXT", "Its system prompt"},
    {"model", 0, "PROVIDER/MODEL", "Its model; without this option: the default model"},
    {"lead", 0, "AGENT", "Its lead: the agent that it works for"},
    SKN_OPTIONS_END,
};
static const skn_option agent_edit_options[] = {
    {"prompt", 0, "TEXT", "Its system prompt; empty: none"},
    {"model", 0, "PROVIDER/MODEL", "Its model; default: the default model"},
    {"lead", 0, "AGENT", "Its lead; empty: none"},
    {"tools", 0, "NAMES", "The tools that it may use, separated by commas; all: every tool"},
    {"max-tokens", 0, "NUMBER", "The most tokens in an answer; default: the model's limit"},
    SKN_OPTIONS_END,
};
static const skn_option files_add_options[] = {
    {"prompt", 0, "TEXT",
     "What a model extracts from the file for agents; \"\": the whole file"},
    SKN_OPTIONS_END,
};
static const skn_option tell_options[] = {
    {"from", 0, "AGENT", "Who says it; default: you"},
    {"expect-reply", 0, NULL, "Mark that an answer is expected"},
    SKN_OPTIONS_END,
};
static const skn_option token_revoke_options[] = {
    {"all", 0, NULL, "Sign out all browsers"},
    SKN_OPTIONS_END,
};
static const skn_option task_list_options[] = {
    {"status", 0, "STATUS", "Only those that are pending, completed or cancelled"},
    SKN_OPTIONS_END,
};
#define DEFAULT_OPTION                                                                         \
    {                                                                                          \
        "default", 0, NULL, "Make its first model the default model"                           \
    }
static const skn_option provider_add_options[] = {
    {"type", 0, "TYPE", "openai, openai-compatible, anthropic or ollama"},
    {"base-url", 0, "URL", "Its base address"},
    {"key-env", 0, "NAME", "The environment variable of the server that holds its key"},
    DEFAULT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option provider_login_options[] = {
    {"none", 0, NULL, "It needs no key: forget the one that it has or had"},
    SKN_OPTIONS_END,
};
static const skn_option provider_use_options[] = {
    DEFAULT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option remove_options[] = {
    {"force", 0, NULL, "Stop the agents that are working there"},
    SKN_OPTIONS_END,
};
static const skn_option conv_new_options[] = {
    {"title", 0, "TEXT", "Its title"},
    SKN_OPTIONS_END,
};
static const skn_option conv_of_options[] = {
    {"mode", 0, "MODE", "foreground or background"},
    SKN_OPTIONS_END,
};
static const skn_option lane_new_options[] = {
    {"call", 0, "CALL_ID", "The tool call that starts it"},
    SKN_OPTIONS_END,
};
static const skn_option lane_finish_options[] = {
    {"state", 0, "STATE", "done, failed, cancelled or interrupted"},
    SKN_OPTIONS_END,
};
static const skn_option tag_new_options[] = {
    {"control", 0, "KIND", "button, toggle or choice"},
    {"instruction", 0, "TYPE", "The instruction that it adds; default: its name"},
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
    {"world new", MANAGE, "NAME", "Make a world and make it the default", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_WORLD, world_new_options, skn_cmd_world_new},
    {"world use", MANAGE, "NAME", "Make a world the default of this store", 1, 1, SKN_CMD_READ,
     SKN_FIELDS_WORLD, NULL, skn_cmd_world_use},
    {"world show", MANAGE, "[NAME]", "Show a world with its agents and conversations", 0, 1,
     SKN_CMD_READ, SKN_FIELDS_WORLD, NULL, skn_cmd_world_show},
    {"world set", MANAGE, "KEY VALUE", "Change a setting of a world; null restores the default",
     2, 2, SKN_CMD_WRITE, SKN_FIELDS_WORLD, NULL, skn_cmd_world_set},
    {"world tools", MANAGE, "", "List the tool servers of a world and their state", 0, 0,
     SKN_CMD_READ, SKN_FIELDS_TOOL_SERVER, NULL, skn_cmd_world_tools},
    {"world rename", MANAGE, "NAME NEW", "Give a world another name", 2, 2, SKN_CMD_WRITE,
     SKN_FIELDS_WORLD, NULL, skn_cmd_world_rename},
    {"world rm", MANAGE, "NAME", "Remove a world", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_WORLD,
     remove_options, skn_cmd_world_rm},
    {"world restore", MANAGE, "NAME|ID", "Bring a removed world back", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_WORLD, world_restore_options, skn_cmd_world_restore},
    {"agent ls", MANAGE, "", "List the agents of a world", 0, 0, SKN_CMD_READ, SKN_FIELDS_AGENT,
     NULL, skn_cmd_agent_ls},
    {"agent new", MANAGE, "NAME", "Make an agent", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_AGENT,
     agent_new_options, skn_cmd_agent_new},
    {"agent show", MANAGE, "NAME", "Show an agent", 1, 1, SKN_CMD_READ, SKN_FIELDS_AGENT, NULL,
     skn_cmd_agent_show},
    {"agent edit", MANAGE, "AGENT", "Change an agent", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_AGENT,
     agent_edit_options, skn_cmd_agent_edit},
    {"agent pause", MANAGE, "AGENT", "Pause an agent: it starts nothing new", 1, 1,
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
    {"task ls", MANAGE, "[AGENT]", "List the tasks of an agent, or of all", 0, 1, SKN_CMD_READ,
     SKN_FIELDS_TASK, task_list_options, skn_cmd_task_ls},
    {"task show", MANAGE, "TASK", "Show a task and what came of it", 1, 1, SKN_CMD_READ,
     SKN_FIELDS_TASK, NULL, skn_cmd_task_show},
    {"task cancel", MANAGE, "TASK", "Cancel a task, and stop it when it runs", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_TASK, NULL, skn_cmd_task_cancel},
    {"task retry", MANAGE, "TASK", "Restart a task that failed, waits or was cancelled", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_TASK, NULL, skn_cmd_task_retry},
    {"conv ls", MANAGE, "", "List the conversations of a world", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_CHAT, conv_list_options, skn_cmd_conv_ls},
    {"conv new", MANAGE, "", "Make a conversation and make it current", 0, 0, SKN_CMD_WRITE,
     SKN_FIELDS_CHAT, conv_new_options, skn_cmd_conv_new},
    {"conv show", MANAGE, "[REF]", "Show a conversation", 0, 1, SKN_CMD_READ, SKN_FIELDS_CHAT,
     NULL, skn_cmd_conv_show},
    {"conv use", MANAGE, "REF", "Make a conversation current; \"none\" leaves the session", 1,
     1, SKN_CMD_WRITE, SKN_FIELDS_CHAT, NULL, skn_cmd_conv_use},
    {"conv of", MANAGE, "AGENT", "Show an agent's own conversation; it is created on first use",
     1, 1, SKN_CMD_WRITE, SKN_FIELDS_CHAT, conv_of_options, skn_cmd_conv_of},
    {"conv rename", MANAGE, "REF TITLE", "Give a conversation another title", 2, 2,
     SKN_CMD_WRITE, SKN_FIELDS_CHAT, NULL, skn_cmd_conv_rename},
    {"conv set", MANAGE, "REF", "Change the options of a conversation", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_CHAT, conv_set_options, skn_cmd_conv_set},
    {"conv rm", MANAGE, "REF", "Archive a conversation", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_CHAT,
     remove_options, skn_cmd_conv_rm},
    {"conv restore", MANAGE, "ID", "Bring an archived conversation back", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_CHAT, NULL, skn_cmd_conv_restore},
    {"lane ls", MANAGE, "", "List the lanes of a conversation", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_LANE, NULL, skn_cmd_lane_ls},
    {"lane new", MANAGE, "[PARENT]", "Start a delegation under a lane; default: main", 0, 1,
     SKN_CMD_WRITE, SKN_FIELDS_LANE, lane_new_options, skn_cmd_lane_new},
    {"lane finish", MANAGE, "LANE", "Record how a delegation ended", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_LANE, lane_finish_options, skn_cmd_lane_finish},
    {"tag ls", MANAGE, "", "List the tags, and which are on in the conversation", 0, 0,
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
    {"files add", MANAGE, "PATH [ITEM…]", "Add a file, or functions, classes, lines of it", 1,
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
    {"provider detect", MANAGE, "", "Look for model servers and keys again", 0, 0,
     SKN_CMD_PLAIN, "name,label,type,baseUrl,version,key,local,inUse,models", NULL,
     skn_cmd_provider_detect},
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
    {"config set", MANAGE, "KEY VALUE", "Keep a setting in the store", 2, 2, SKN_CMD_WRITE,
     CONFIG_FIELDS, NULL, skn_cmd_config_set},
    {"config edit", MANAGE, "", "Open skein.yaml in the editor, and check it", 0, 0,
     SKN_CMD_PLAIN, NULL, NULL, skn_cmd_config_edit},
    {"config check", MANAGE, "[FILE]", "Look for mistakes in skein.yaml", 0, 1, SKN_CMD_PLAIN,
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
