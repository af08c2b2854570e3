#include "cli/paste.h"

#include <string.h>

#define LINE_MOST ((size_t)1 << 20)

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "-_./:,@%+=^~";

skn_str skn_shell_word(skn_arena *a, const char *word)
{
    skn_buf b;
    skn_str out;

    if (*word && *word != '~' && !word[strspn(word, plain)])
        return skn_arena_copy(a, skn_str_of(word));
    skn_buf_init(&b, LINE_MOST);
    skn_buf_addc(&b, '\'');
    for (; *word; word++)
        skn_buf_add(&b, *word == '\'' ? SKN_STR("'\\''") : (skn_str){word, 1});
    skn_buf_addc(&b, '\'');
    out = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}

/* An address of a database may hold a password, which is never shown. */
static bool is_secret(const char *address)
{
    return strncmp(address, "sqlite:", 7) != 0 &&
           (strchr(address, '@') || strstr(address, "password"));
}

/* How many words from here on are an address that is not shown. */
static size_t hidden(const skn_cli *cli, size_t i)
{
    const char *word = cli->words[i];

    if (!strncmp(word, "--db=", 5))
        return is_secret(word + 5);
    if (!strcmp(word, "--db") && i + 1 < cli->word_count && is_secret(cli->words[i + 1]))
        return 2;
    return 0;
}

skn_str skn_typed_line(const skn_cli *cli)
{
    skn_buf b;
    skn_str out;

    skn_buf_init(&b, LINE_MOST);
    skn_buf_add(&b, SKN_STR("skein"));
    for (size_t i = 0, skip; i < cli->word_count; i += skip ? skip : 1)
        if (!(skip = hidden(cli, i)))
            skn_buf_addf(&b, " %.*s", SKN_FMT(skn_shell_word(cli->keep, cli->words[i])));
    out = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}
