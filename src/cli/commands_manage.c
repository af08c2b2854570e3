/* The commands for worlds, agents, conversations, providers and settings, each with its options. */
#include "cli/commands.h"

#define MANAGE "Manage"

static const skn_option config_list_options[] = {
    {"show-origin", 0, NULL, "With the file, variable or option that each comes from"},
    SKN_OPTIONS_END,
};
static const skn_option removed_options[] = {
    {"removed", 0, NULL, "Those that were removed, the last first"},
    SKN_OPTIONS_END,
};
static const skn_option conv_list_options[] = {
    {"archived", 0, NULL, "Those that were archived, the last first"},
    {"removed", 0, NULL, "The same as --archived"},
    SKN_OPTIONS_END,
};
static const skn_option conv_set_options[] = {
    {"expect-reply", 0, "AGENT", "A reply of this agent is expected; empty: of nobody"},
    {"read-only", 0, "WHETHER", "on or off: nothing may be changed"},
    SKN_OPTIONS_END,
};
static const skn_option world_restore_options[] = {
    {"as", 0, "NAME", "Its name from now on"},
    SKN_OPTIONS_END,
};
static const skn_option world_new_options[] = {
    {"description", 0, "TEXT", "What it is for"},
    {"turn-limit", 0, "N", "Answers of agents in a row before they pause"},
    {"compact-at", 0, "N", "Messages in a context before it is compacted"},
    SKN_OPTIONS_END,
};
static const skn_option agent_new_options[] = {
    {"prompt", 0, "TEXT", "What it is told before everything else"},
    {"model", 0, "PROVIDER/MODEL", "The model that speaks for it; without: the default"},
    {"lead", 0, "AGENT", "The agent it works for"},
    SKN_OPTIONS_END,
};
static const skn_option agent_edit_options[] = {
    {"prompt", 0, "TEXT", "What it is told before everything else; empty: nothing"},
    {"model", 0, "PROVIDER/MODEL", "The model that speaks for it; default: that of all"},
    {"lead", 0, "AGENT", "The agent it works for; empty: nobody"},
    {"tools", 0, "NAMES", "The tools it may use, with commas between them; all: every one"},
    {"max-tokens", 0, "NUMBER",
     "Tokens of an answer at most; default: as many as its model gives"},
    SKN_OPTIONS_END,
};
static const skn_option tell_options[] = {
    {"from", 0, "AGENT", "Who says it; default: you"},
    {"expect-reply", 0, NULL, "Mark that an answer is expected"},
    SKN_OPTIONS_END,
};
static const skn_option token_revoke_options[] = {
    {"all", 0, NULL, "All of them"},
    SKN_OPTIONS_END,
};
static const skn_option task_list_options[] = {
    {"status", 0, "STATUS", "Only those that are pending, completed or cancelled"},
    SKN_OPTIONS_END,
};
#define DEFAULT_OPTION                                                                         \
    {                                                                                          \
        "default", 0, NULL, "Its first model answers for agents that name none"                \
    }
static const skn_option provider_add_options[] = {
    {"type", 0, "TYPE", "openai, openai-compatible, anthropic or ollama"},
    {"base-url", 0, "URL", "Where it is"},
    {"key-env", 0, "NAME", "The environment variable of the server that holds its key"},
    DEFAULT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option provider_use_options[] = {
    DEFAULT_OPTION,
    SKN_OPTIONS_END,
};
static const skn_option remove_options[] = {
    {"force", 0, NULL, "Stop the agents that are at work there"},
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
    {"instruction", 0, "TYPE", "The instruction it adds; default: its name"},
    {"target", 0, "AGENT", "Whom the instruction is for"},
    {"trigger-only", 0, NULL, "It starts something and is not put on messages"},
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
    {"world set", MANAGE, "KEY VALUE", "Change a setting of a world; null: the usual value", 2,
     2, SKN_CMD_WRITE, SKN_FIELDS_WORLD, NULL, skn_cmd_world_set},
    {"world tools", MANAGE, "", "List its servers of tools, and what they are at", 0, 0,
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
    {"agent pause", MANAGE, "AGENT", "Let it begin nothing new", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_AGENT, NULL, skn_cmd_agent_pause},
    {"agent resume", MANAGE, "AGENT", "Let it go on", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_AGENT,
     NULL, skn_cmd_agent_resume},
    {"agent wake", MANAGE, "AGENT", "Let it look now what there is to do", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_AGENT, NULL, skn_cmd_agent_wake},
    {"agent timer", MANAGE, "AGENT TIME", "Give it a task every so often: 15m; off: no more", 2,
     2, SKN_CMD_WRITE, SKN_FIELDS_AGENT, NULL, skn_cmd_agent_timer},
    {"agent tell", MANAGE, "AGENT TEXT", "Tell it something in its background, and wake it", 2,
     -1, SKN_CMD_WRITE, SKN_FIELDS_MESSAGE, tell_options, skn_cmd_agent_tell},
    {"agent task", MANAGE, "AGENT TEXT", "Give it a task for its background", 2, -1,
     SKN_CMD_WRITE, SKN_FIELDS_TASK, NULL, skn_cmd_agent_task},
    {"agent tasks", MANAGE, "AGENT", "List its tasks, newest first", 1, 1, SKN_CMD_READ,
     SKN_FIELDS_TASK, task_list_options, skn_cmd_agent_tasks},
    {"agent memory", MANAGE, "AGENT [WORD…]",
     "What it keeps in mind; with words, what has them", 1, -1, SKN_CMD_READ,
     SKN_FIELDS_KNOWLEDGE, NULL, skn_cmd_agent_memory},
    {"agent rm", MANAGE, "NAME", "Remove an agent", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_AGENT,
     remove_options, skn_cmd_agent_rm},
    {"task ls", MANAGE, "[AGENT]", "List the tasks of an agent, or of all", 0, 1, SKN_CMD_READ,
     SKN_FIELDS_TASK, task_list_options, skn_cmd_task_ls},
    {"task show", MANAGE, "TASK", "Show a task and what came of it", 1, 1, SKN_CMD_READ,
     SKN_FIELDS_TASK, NULL, skn_cmd_task_show},
    {"task cancel", MANAGE, "TASK", "Cancel a task, and stop it when it runs", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_TASK, NULL, skn_cmd_task_cancel},
    {"task retry", MANAGE, "TASK",
     "Begin anew, at once, with a task that failed or was cancelled", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_TASK, NULL, skn_cmd_task_retry},
    {"conv ls", MANAGE, "", "List the conversations of a world", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_CHAT, conv_list_options, skn_cmd_conv_ls},
    {"conv new", MANAGE, "", "Make a conversation and make it current", 0, 0, SKN_CMD_WRITE,
     SKN_FIELDS_CHAT, conv_new_options, skn_cmd_conv_new},
    {"conv show", MANAGE, "[REF]", "Show a conversation", 0, 1, SKN_CMD_READ, SKN_FIELDS_CHAT,
     NULL, skn_cmd_conv_show},
    {"conv use", MANAGE, "REF", "Make a conversation current; \"none\" leaves the session", 1,
     1, SKN_CMD_WRITE, SKN_FIELDS_CHAT, NULL, skn_cmd_conv_use},
    {"conv of", MANAGE, "AGENT", "An agent's own conversation, made on first use", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_CHAT, conv_of_options, skn_cmd_conv_of},
    {"conv rename", MANAGE, "REF TITLE", "Give a conversation another title", 2, 2,
     SKN_CMD_WRITE, SKN_FIELDS_CHAT, NULL, skn_cmd_conv_rename},
    {"conv set", MANAGE, "REF", "Set what messages of a conversation ask for", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_CHAT, conv_set_options, skn_cmd_conv_set},
    {"conv rm", MANAGE, "REF", "Archive a conversation", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_CHAT,
     remove_options, skn_cmd_conv_rm},
    {"conv restore", MANAGE, "ID", "Bring an archived conversation back", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_CHAT, NULL, skn_cmd_conv_restore},
    {"lane ls", MANAGE, "", "List the lanes of a conversation", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_LANE, NULL, skn_cmd_lane_ls},
    {"lane new", MANAGE, "[PARENT]", "Start a delegation under a lane; default: main", 0, 1,
     SKN_CMD_WRITE, SKN_FIELDS_LANE, lane_new_options, skn_cmd_lane_new},
    {"lane finish", MANAGE, "LANE", "Say how a delegation ended", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_LANE, lane_finish_options, skn_cmd_lane_finish},
    {"tag ls", MANAGE, "", "List the tags, and which are on in the conversation", 0, 0,
     SKN_CMD_READ, SKN_FIELDS_TAG, NULL, skn_cmd_tag_ls},
    {"tag new", MANAGE, "NAME", "Define a tag", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_TAG,
     tag_new_options, skn_cmd_tag_new},
    {"tag rm", MANAGE, "NAME", "Forget a tag", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_TAG, NULL,
     skn_cmd_tag_rm},
    {"tag on", MANAGE, "NAME", "Put it on what is sent in the conversation", 1, 1,
     SKN_CMD_WRITE, SKN_FIELDS_TAG, NULL, skn_cmd_tag_on},
    {"tag off", MANAGE, "NAME", "No longer put it on what is sent", 1, 1, SKN_CMD_WRITE,
     SKN_FIELDS_TAG, NULL, skn_cmd_tag_off},
    {"files ls", MANAGE, "", "List the context files of a conversation", 0, 0, SKN_CMD_READ,
     SKN_FIELDS_FILE, NULL, skn_cmd_files_ls},
    {"files add", MANAGE, "PATH [ITEM…]", "Add a file, or functions, classes, lines of it", 1,
     -1, SKN_CMD_WRITE, SKN_FIELDS_FILE, NULL, skn_cmd_files_add},
    {"files show", MANAGE, "[PATH]", "The text that the files give now", 0, 1, SKN_CMD_READ,
     SKN_FIELDS_FILE ",content", NULL, skn_cmd_files_show},
    {"files rm", MANAGE, "PATH", "Take a file out", 1, 1, SKN_CMD_WRITE, SKN_FIELDS_FILE, NULL,
     skn_cmd_files_rm},
    {"provider ls", MANAGE, "", "List who answers for models", 0, 0, SKN_CMD_PLAIN,
     PROVIDER_FIELDS, NULL, skn_cmd_provider_ls},
    {"provider show", MANAGE, "PROVIDER", "Show one", 1, 1, SKN_CMD_PLAIN, PROVIDER_FIELDS,
     NULL, skn_cmd_provider_show},
    {"provider add", MANAGE, "NAME", "Make one known", 1, 1, SKN_CMD_PLAIN, PROVIDER_FIELDS,
     provider_add_options, skn_cmd_provider_add},
    {"provider login", MANAGE, "PROVIDER", "Keep its key, which is asked for or read", 1, 1,
     SKN_CMD_PLAIN, PROVIDER_FIELDS, NULL, skn_cmd_provider_login},
    {"provider use", MANAGE, "PROVIDER", "Let agents use it: text leaves this computer", 1, 1,
     SKN_CMD_PLAIN, PROVIDER_FIELDS, provider_use_options, skn_cmd_provider_use},
    {"provider test", MANAGE, "PROVIDER", "Whether it answers, and takes the key", 1, 1,
     SKN_CMD_PLAIN, "provider,ok,state,detail,tookMs,models", NULL, skn_cmd_provider_test},
    {"provider models", MANAGE, "PROVIDER", "List its models", 1, 1, SKN_CMD_PLAIN,
     MODEL_FIELDS, NULL, skn_cmd_provider_models},
    {"provider detect", MANAGE, "", "Look again for model servers and for keys", 0, 0,
     SKN_CMD_PLAIN, "name,label,type,baseUrl,version,key,local,inUse,models", NULL,
     skn_cmd_provider_detect},
    {"provider rm", MANAGE, "PROVIDER", "Forget it and its key", 1, 1, SKN_CMD_PLAIN,
     PROVIDER_FIELDS, NULL, skn_cmd_provider_rm},
    {"model ls", MANAGE, "[PROVIDER]", "List the models there are", 0, 1, SKN_CMD_PLAIN,
     MODEL_FIELDS ",default", NULL, skn_cmd_model_ls},
    {"model use", MANAGE, "PROVIDER/MODEL", "For agents that name none; auto: what there is", 1,
     1, SKN_CMD_WRITE, "model", NULL, skn_cmd_model_use},

    {"config list", MANAGE, "", "Every setting", 0, 0, SKN_CMD_PLAIN, CONFIG_FIELDS,
     config_list_options, skn_cmd_config_list},
    {"config get", MANAGE, "KEY", "One setting", 1, 1, SKN_CMD_PLAIN, CONFIG_FIELDS, NULL,
     skn_cmd_config_get},
    {"config set", MANAGE, "KEY VALUE", "Keep a setting in the store", 2, 2, SKN_CMD_WRITE,
     CONFIG_FIELDS, NULL, skn_cmd_config_set},
    {"config edit", MANAGE, "", "Open skein.yaml in the editor, and check it", 0, 0,
     SKN_CMD_PLAIN, NULL, NULL, skn_cmd_config_edit},
    {"config check", MANAGE, "[FILE]", "Look for mistakes in skein.yaml", 0, 1, SKN_CMD_PLAIN,
     "severity,source,line,column,text,cure", NULL, skn_cmd_config_check},
    {"config path", MANAGE, "", "Which files are read", 0, 0, SKN_CMD_PLAIN, "path,read", NULL,
     skn_cmd_config_path},
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
