#include "base/shell_word.h"

#include "base/buf.h"

#include <string.h>

#define WORD_MOST ((size_t)1 << 20)

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "-_./:,@%+=^~";

skn_str skn_shell_word(skn_arena *a, const char *word)
{
    skn_buf b;
    skn_str out;

    if (*word && *word != '~' && !word[strspn(word, plain)])
        return skn_arena_copy(a, skn_str_of(word));
    skn_buf_init(&b, WORD_MOST);
    skn_buf_addc(&b, '\'');
    for (; *word; word++)
        skn_buf_add(&b, *word == '\'' ? SKN_STR("'\\''") : (skn_str){word, 1});
    skn_buf_addc(&b, '\'');
    out = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}
