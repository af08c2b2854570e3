/* Texts of settings into what they mean, by the types of the table. */
#include "config/config_value.h"

#include "base/utf8.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

static bool same_word(skn_str text, const char *word)
{
    return text.n == strlen(word) && !strncasecmp(text.p, word, text.n);
}

static bool read_switch(skn_str text, int64_t *out)
{
    skn_yaml v = {.kind = SKN_YAML_TEXT, .text = text};
    bool     on;

    if (!skn_yaml_bool(&v, &on))
        return false;
    *out = on;
    return true;
}

bool skn_listen_parse(skn_str text, char host[46], int *port)
{
    size_t        colon = text.n;
    skn_str       name;
    int64_t       number;
    unsigned char bytes[16];

    while (colon > 0 && text.p[colon - 1] != ':')
        colon--;
    if (!colon || !skn_str_int(skn_str_sub(text, colon, text.n), &number) || number < 0 ||
        number > 65535)
        return false;
    name = skn_str_sub(text, 0, colon - 1);
    if (name.n > 2 && name.p[0] == '[' && name.p[name.n - 1] == ']')
        name = skn_str_sub(name, 1, name.n - 1);
    else if (memchr(name.p, ':', name.n))
        return false; /* which colon is the last one of the address nobody knows */
    if (same_word(name, "localhost"))
        name = SKN_STR("127.0.0.1");
    if (!name.n || name.n > 45)
        return false;
    snprintf(host, 46, "%.*s", SKN_FMT(name));
    *port = (int)number;
    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

bool skn_config_url(skn_str text, bool origin_only)
{
    skn_str rest;
    size_t  host;

    if (!text.n)
        return !origin_only;
    if (skn_str_starts(text, SKN_STR("http://")))
        rest = skn_str_sub(text, 7, text.n);
    else if (skn_str_starts(text, SKN_STR("https://")))
        rest = skn_str_sub(text, 8, text.n);
    else
        return false;
    for (size_t i = 0; i < rest.n; i++)
        if ((unsigned char)rest.p[i] <= ' ' || (unsigned char)rest.p[i] >= 0x7f)
            return false;
    for (host = 0; host < rest.n && !strchr("/?#", rest.p[host]); host++)
        if (rest.p[host] == '@') /* a password would be shown with the address */
            return false;
    return host > 0 && (!origin_only || host == rest.n);
}

/* --- What to write instead ------------------------------------------------------------------ */

/* "error, warn or info" */
static skn_str choices_text(const char *choices, skn_arena *a)
{
    skn_str rest = skn_str_of(choices), one, text = SKN_STR("");

    while (skn_str_split(&rest, ',', &one))
        text = skn_arena_printf(a, "%.*s%s%.*s", SKN_FMT(text),
                                !text.n  ? ""
                                : rest.n ? ", "
                                         : " or ",
                                SKN_FMT(one));
    return text;
}

static skn_str size_text(int64_t bytes, skn_arena *a)
{
    if (bytes >= 1000000)
        return skn_arena_printf(a, "%" PRId64 "MB", bytes / 1000000);
    return skn_arena_printf(a, "%" PRId64 "kB", bytes / 1000);
}

static skn_str duration_text(int64_t ms, skn_arena *a)
{
    if (ms >= 86400000)
        return skn_arena_printf(a, "%" PRId64 "d", ms / 86400000);
    if (ms >= 60000)
        return skn_arena_printf(a, "%" PRId64 "m", ms / 60000);
    return skn_arena_printf(a, "%" PRId64 "s", ms / 1000);
}

static skn_str use_text(const skn_config_row *row, skn_arena *a)
{
    switch (row->type) {
    case SKN_IS_MODEL:
        return SKN_STR("use auto or PROVIDER/MODEL");
    case SKN_IS_CHOICE:
        return skn_arena_printf(a, "use %.*s", SKN_FMT(choices_text(row->choices, a)));
    case SKN_IS_SWITCH:
        return SKN_STR("use true or false");
    case SKN_IS_MAYBE:
        return SKN_STR("use auto, true or false");
    case SKN_IS_NUMBER:
        return skn_arena_printf(a, "use a whole number from %" PRId64 " to %" PRId64,
                                row->least, row->most);
    case SKN_IS_SIZE:
        return skn_arena_printf(a, "use a size like 1MB, from %.*s to %.*s",
                                SKN_FMT(size_text(row->least, a)),
                                SKN_FMT(size_text(row->most, a)));
    case SKN_IS_DURATION:
    case SKN_IS_PERIOD:
        return skn_arena_printf(a, "use a time like 30s, 5m or 24h, from %.*s to %.*s%s",
                                SKN_FMT(duration_text(row->least, a)),
                                SKN_FMT(duration_text(row->most, a)),
                                row->type == SKN_IS_PERIOD ? ", or off" : "");
    case SKN_IS_LISTEN:
        return SKN_STR("use ADDRESS:PORT, like 127.0.0.1:7534 or [::1]:7534");
    case SKN_IS_SOCKET:
        return SKN_STR("use auto, off, or a path that begins with / or ~/");
    case SKN_IS_PATH:
        return SKN_STR("use a path that begins with / or ~/");
    case SKN_IS_URL:
        return SKN_STR("use an address like https://skein.example.org/, without a password");
    case SKN_IS_ORIGINS:
        return SKN_STR("use addresses like https://app.example.org, without a path");
    }
    return SKN_NONE;
}

/* --- Reading -------------------------------------------------------------------------------- */

/* With "~/" the person's own folder; a path from a flag may be relative to where the person is. */
static bool read_path(skn_config_value *v, const char *home, skn_arena *a)
{
    if (skn_str_starts(v->text, SKN_STR("~/"))) {
        if (!home || *home != '/')
            return false;
        v->text = skn_arena_printf(a, "%s%.*s", home, (int)v->text.n - 1, v->text.p + 1);
    }
    return v->text.n && (v->text.p[0] == '/' || v->from == SKN_FROM_FLAG);
}

static bool in_range(const skn_config_row *row, const skn_config_value *v)
{
    return v->number >= row->least && v->number <= row->most;
}

static bool is_model(skn_str text)
{
    ptrdiff_t slash = skn_str_find(text, SKN_STR("/"));

    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] <= ' ' || text.p[i] == 0x7f)
            return false;
    return slash > 0 && (size_t)slash + 1 < text.n;
}

static bool all_origins(const skn_config_value *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (!skn_config_url(skn_str_of(v->list[i]), true))
            return false;
    return true;
}

static bool read_period(const skn_config_row *row, skn_config_value *v)
{
    v->number = 0;
    if (same_word(v->text, "off") || same_word(v->text, "no") || same_word(v->text, "false"))
        return true;
    return skn_amount_duration(v->text, &v->number) && in_range(row, v);
}

static bool read_typed(const skn_config_row *row, skn_config_value *v, const char *home,
                       skn_arena *a)
{
    char host[46];
    int  port;

    switch (row->type) {
    case SKN_IS_MODEL:
        return same_word(v->text, "auto") || is_model(v->text);
    case SKN_IS_CHOICE:
        return skn_is_among(skn_str_of(row->choices), v->text);
    case SKN_IS_SWITCH:
        return read_switch(v->text, &v->number);
    case SKN_IS_MAYBE:
        v->number = -1;
        return same_word(v->text, "auto") || read_switch(v->text, &v->number);
    case SKN_IS_NUMBER:
        return skn_str_int(v->text, &v->number) && in_range(row, v);
    case SKN_IS_SIZE:
        return skn_amount_size(v->text, &v->number) && in_range(row, v);
    case SKN_IS_DURATION:
        return skn_amount_duration(v->text, &v->number) && in_range(row, v);
    case SKN_IS_PERIOD:
        return read_period(row, v);
    case SKN_IS_LISTEN:
        return skn_listen_parse(v->text, host, &port);
    case SKN_IS_SOCKET:
        return same_word(v->text, "auto") || same_word(v->text, "off") || read_path(v, home, a);
    case SKN_IS_PATH:
        return read_path(v, home, a);
    case SKN_IS_URL:
        return skn_config_url(v->text, false);
    case SKN_IS_ORIGINS:
        return all_origins(v);
    }
    return false;
}

bool skn_config_value_read(skn_config_id id, skn_config_value *v, const char *home,
                           skn_arena *a, skn_str *wrong)
{
    const skn_config_row *row = &skn_config_rows[id];
    skn_str               written = skn_utf8_cut(v->text, 80);

    if ((row->type == SKN_IS_URL || row->type == SKN_IS_ORIGINS) && v->text.n &&
        memchr(v->text.p, '@', v->text.n))
        written = SKN_STR("…"); /* there may be a password in it */

    if (read_typed(row, v, home, a))
        return true;
    *wrong = skn_arena_printf(a, "%s.%s is \"%.*s\": %.*s", row->section, row->key,
                              SKN_FMT(written), SKN_FMT(use_text(row, a)));
    return false;
}
