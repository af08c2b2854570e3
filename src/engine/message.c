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

/* --- What ends before its end -------------------------------------------------------------------------- */

static const char *const unfinished_names[][2] = {
    [SKEIN_STOPPED] = {"stopped", "stopped"},
    [SKEIN_CUT] = {"cut", "cut off"},
    [SKEIN_LENGTH] = {"length", "reached the length limit"},
};

enum { UNFINISHED = sizeof unfinished_names / sizeof *unfinished_names };

const char *skein_unfinished_name(skein_unfinished why)
{
    return (size_t)why < UNFINISHED ? unfinished_names[why][0] : NULL;
}

const char *skein_unfinished_words(skein_unfinished why)
{
    return (size_t)why < UNFINISHED ? unfinished_names[why][1] : NULL;
}

bool skein_unfinished_from(skein_str name, skein_unfinished *out)
{
    for (size_t i = SKEIN_STOPPED; i < UNFINISHED; i++)
        if (skn_str_is(name, unfinished_names[i][0])) {
            *out = (skein_unfinished)i;
            return true;
        }
    return false;
}
