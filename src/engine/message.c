#include "base/str.h"
#include <skein/message.h>

static const char *const role_names[] = {
    [SKEIN_USER] = "user",       [SKEIN_ASSISTANT] = "assistant", [SKEIN_TOOL] = "tool",
    [SKEIN_SUMMARY] = "summary", [SKEIN_SYSTEM] = "system",
};

const char *skein_role_name(skein_role role)
{
    size_t i = (size_t)role;

    return i < sizeof role_names / sizeof *role_names ? role_names[i] : "unknown";
}

bool skein_role_from(skein_str name, skein_role *out)
{
    for (size_t i = 0; i < sizeof role_names / sizeof *role_names; i++)
        if (skn_str_is(name, role_names[i])) {
            *out = (skein_role)i;
            return true;
        }
    return false;
}
