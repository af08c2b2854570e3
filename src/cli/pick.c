#include "cli/print.h"

/* The end of the JSON value that begins at i. The text comes from our own writer: it is well
 * formed, so counting brackets outside of strings is enough, at any depth. */
static size_t value_end(skn_str s, size_t i)
{
    size_t depth = 0;
    bool   quoted = false;

    for (; i < s.n; i++) {
        char c = s.p[i];

        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (c == '{' || c == '[')
            depth++;
        else if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return i;
        else if (c == '}' || c == ']')
            depth--;
    }
    return s.n;
}

static bool member(skn_str object, skn_str name, skn_str *out)
{
    for (size_t i = 1; i + 1 < object.n; i++) { /* steps over "{" or "," */
        size_t  colon = i + 1, end;
        skn_str key;

        while (colon < object.n && object.p[colon] != '"')
            colon++;
        key = skn_str_sub(object, i + 1, colon);
        end = value_end(object, colon + 2);
        if (skn_str_eq(key, name)) {
            *out = skn_str_sub(object, colon + 2, end);
            return true;
        }
        i = end;
    }
    *out = SKN_STR("null");
    return false;
}

bool skn_has_member(skn_str object, skn_str name)
{
    skn_str value;

    return member(object, name, &value);
}

/* A message that was not read from a version has no place. */
static bool has_no_place(skn_str object, skn_str *value)
{
    return member(object, SKN_STR("position"), value) && skn_str_is(*value, "-1");
}

void skn_item_add(skn_buf *out, skn_str object)
{
    skn_str place;
    size_t  at;

    if (!skn_str_starts(object, SKN_STR("{\"")) || !has_no_place(object, &place)) {
        skn_buf_add(out, object);
        return;
    }
    at = (size_t)(place.p - object.p);
    skn_buf_add(out, skn_str_sub(object, 0, at));
    skn_buf_add(out, SKN_STR("null"));
    skn_buf_add(out, skn_str_sub(object, at + place.n, object.n));
}

/* A message's id and content have shorter names too. */
static skn_str value_of(skn_str object, skn_str name)
{
    skn_str value;

    if (skn_str_is(name, "position") && has_no_place(object, &value))
        return SKN_STR("null");
    if (member(object, name, &value))
        return value;
    if (skn_str_is(name, "id"))
        member(object, SKN_STR("messageId"), &value);
    else if (skn_str_is(name, "text"))
        member(object, SKN_STR("content"), &value);
    return value;
}

void skn_pick(skn_buf *out, skn_str object, const char *fields)
{
    skn_str rest = skn_str_of(fields), name;
    bool    first = true;

    while (skn_str_split(&rest, ',', &name)) {
        name = skn_str_trim(name);
        if (!first)
            skn_buf_addc(out, ',');
        first = false;
        skn_buf_addc(out, '"');
        skn_buf_add(out, name);
        skn_buf_add(out, SKN_STR("\":"));
        skn_buf_add(out, value_of(object, name));
    }
    skn_buf_addc(out, '}');
}
