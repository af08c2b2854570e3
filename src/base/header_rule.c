#include "base/header_rule.h"

#include <string.h>
#include <strings.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool has_word(skn_str name, const char *word)
{
    size_t n = strlen(word);

    for (size_t at = 0; at + n <= name.n; at++)
        if (strncasecmp(name.p + at, word, n) == 0)
            return true;
    return false;
}

bool skn_name_is_secret(skn_str name)
{
    static const char *const words[] = {"key",    "token",      "secret", "passw",
                                        "cookie", "credential", "auth"};

    for (size_t i = 0; i < COUNT(words); i++)
        if (has_word(name, words[i]))
            return true;
    return false;
}

bool skn_header_is_ours(skn_str name)
{
    static const char *const names[] = {"host",
                                        "content-length",
                                        "transfer-encoding",
                                        "connection",
                                        "keep-alive",
                                        "upgrade",
                                        "te",
                                        "trailer",
                                        "expect",
                                        "proxy-connection"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (name.n == strlen(names[i]) && has_word(name, names[i]))
            return true;
    return false;
}

bool skn_header_is_one(skn_str name, skn_str value)
{
    bool good = name.n > 0;

    for (size_t i = 0; good && i < name.n; i++)
        good = name.p[i] > ' ' && name.p[i] < 0x7f && name.p[i] != ':';
    for (size_t i = 0; good && i < value.n; i++)
        good = (unsigned char)value.p[i] >= ' ' && value.p[i] != 0x7f;
    return good;
}
