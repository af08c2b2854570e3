/* Which commands work on a store that is elsewhere. */
#include "cli/far.h"

#include <string.h>

typedef struct far_row {
    const char *name;
    const char *not_with; /* an option that only the store itself can serve; NULL: none */
} far_row;

static const far_row rows[] = {
    {"chat", NULL},          {"status", NULL},       {"open", NULL},
    {"tree", NULL},          {"timeline", NULL},     {"retry", NULL},
    {"log", NULL},           {"show", NULL},         {"search", NULL},
    {"history", NULL},       {"diff", NULL},         {"stats", NULL},
    {"context", NULL},       {"inbox ls", NULL},     {"inbox show", NULL},
    {"inbox done", NULL},    {"inbox reopen", NULL}, {"inbox snooze", NULL},
    {"inbox reply", NULL},   {"inbox allow", NULL},  {"inbox deny", NULL},
    {"send", NULL},          {"edit", NULL},         {"amend", NULL},
    {"insert", NULL},        {"rm", NULL},           {"move", NULL},
    {"squash", NULL},        {"undo", NULL},         {"redo", NULL},
    {"switch", NULL},        {"branch", NULL},       {"stop", NULL},
    {"world ls", NULL},      {"world show", NULL},   {"agent ls", NULL},
    {"agent show", NULL},    {"conv ls", NULL},      {"conv show", NULL},
    {"conv new", NULL},      {"conv use", NULL},     {"conv restore", NULL},
    {"world restore", NULL}, {"agent new", NULL},    {"agent edit", NULL},
    {"agent pause", NULL},   {"agent resume", NULL}, {"agent wake", NULL},
    {"agent timer", NULL},   {"agent tell", NULL},   {"agent task", NULL},
    {"agent tasks", NULL},   {"agent memory", NULL}, {"agent rm", NULL},
    {"task ls", NULL},       {"task show", NULL},    {"task cancel", NULL},
    {"task retry", NULL},    {"model use", NULL},    {"world set", NULL},
    {"export", NULL},        {"compact", NULL},      {"inspect", NULL},
    {"world new", NULL},     {"world rm", NULL},     {"conv rm", NULL},
    {"conv set", NULL},      {"conv rename", NULL},  {"world rename", NULL},
    {"conv of", NULL},       {"lane ls", NULL},      {"world use", NULL},
    {"queue ls", NULL},      {"queue rm", NULL},     {"audit", NULL},
    {"tag new", NULL},       {"tag ls", NULL},       {"tag rm", NULL},
    {"tag on", NULL},        {"tag off", NULL},      {"purge", NULL},
    {"append", NULL},        {"lane new", NULL},     {"lane finish", NULL},
    {"files add", NULL},     {"files ls", NULL},     {"files rm", NULL},
    {"files show", NULL},    {"world tools", NULL},
};

bool skn_far_asks(const skn_cli *cli)
{
    static const char *const those[] = {"provider ", "model ls", "help", "version",
                                        "completion"};
    const char              *name = cli->command->name;

    for (size_t i = 0; i < sizeof those / sizeof those[0]; i++)
        if (!strncmp(name, those[i], strlen(those[i])))
            return true;
    return false;
}

bool skn_far_can(const skn_cli *cli)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(rows[i].name, cli->command->name))
            return !rows[i].not_with || !skn_opt(cli, rows[i].not_with);
    return false;
}
