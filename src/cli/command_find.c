/* Looking commands, their options and their fields up. */
#include "cli/cli.h"

#include <string.h>

const skn_command *skn_command_find(const char *name)
{
    const skn_command *c;

    for (size_t i = 0; (c = skn_command_at(i)); i++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

const skn_noun *skn_noun_find(skn_str name)
{
    const skn_noun *at;

    for (size_t i = 0; (at = skn_noun_at(i)); i++) {
        skn_str noun = skn_str_of(at->name);

        if (skn_str_starts(name, noun) && (name.n == noun.n || name.p[noun.n] == ' '))
            return at;
    }
    return NULL;
}

const skn_option *skn_option_find(const skn_option *table, skn_str name, char letter)
{
    for (const skn_option *o = table; o->name; o++)
        if (letter ? o->letter == letter : skn_str_is(name, o->name))
            return o;
    return NULL;
}

bool skn_is_among(skn_str names, skn_str wanted)
{
    skn_str name;

    while (skn_str_split(&names, ',', &name))
        if (skn_str_eq(name, wanted))
            return true;
    return false;
}

static bool is_field(skn_str known, skn_str name)
{
    return skn_is_among(known, name) ||
           (skn_str_is(name, "id") && skn_is_among(known, SKN_STR("messageId"))) ||
           (skn_str_is(name, "text") && skn_is_among(known, SKN_STR("content")));
}

bool skn_fields_known(const char *known, skn_str wanted, skn_str *unknown)
{
    skn_str name;

    while (skn_str_split(&wanted, ',', &name)) {
        *unknown = skn_str_trim(name);
        if (!is_field(skn_str_of(known), *unknown))
            return false;
    }
    return true;
}
