/* What a provider is sent in secret, taken out of what its server says. Servers repeat a key in their errors: whole,
 * in part, or in another writing. */
#include "base/buf.h"
#include "base/header_rule.h"
#include "provider/wire_inside.h"

#include <ctype.h>
#include <string.h>

/* A short part of a key tells little and may be a word of any text; in an answer only a long part can be no accident. Of
 * headers that are not called like a secret a long part is hidden in errors and the whole in answers: an address in
 * one has parts that every text has. */
enum { PART = 6, LONG_PART = 12 };

static bool is_part(skn_str secret, skn_str text, size_t at, size_t least)
{
    return at + least <= text.n && skn_str_find(secret, skn_str_sub(text, at, at + least)) >= 0;
}

static size_t least_of(const skn_wire_secret *s, bool answer)
{
    size_t least = !answer ? s->least : s->least < LONG_PART ? LONG_PART : s->text.n;

    return least < s->text.n ? least : s->text.n;
}

/* A part holds a whole piece of half its size that begins at a multiple of that size: looking at those is enough, and
 * answers are long. */
static bool has_part(const skn_wire_secret *s, skn_str text, bool answer)
{
    size_t piece = (least_of(s, answer) + 1) / 2;

    for (size_t i = 0; i + piece <= text.n; i += piece)
        if (is_part(s->text, text, i, piece))
            return true;
    return false;
}

void skn_wire_blot(char *text, size_t n, skn_str secret, size_t least)
{
    size_t to = 0; /* where the part ends that was found last */

    for (size_t i = 0; least && i < n; i++) {
        if (is_part(secret, (skn_str){text, n}, i, least))
            to = i + least;
        if (i < to)
            text[i] = '*';
    }
}

skn_str skn_wire_hide(const skn_wire_secrets *all, skn_str text, bool answer, skn_arena *a)
{
    char *copy = NULL;

    for (size_t i = 0; all && i < all->count; i++) {
        const skn_wire_secret *s = &all->at[i];

        if (!has_part(s, text, answer))
            continue;
        if (!copy) {
            text = skn_arena_copy(a, text);
            copy = (char *)(uintptr_t)text.p;
        }
        skn_wire_blot(copy, text.n, s->text, least_of(s, answer));
    }
    return text;
}

/* --- Collecting them ----------------------------------------------------------------------------- */

static void add(skn_wire_secrets *all, skn_str text, size_t least)
{
    if (text.n && all->count < SKN_WIRE_SECRETS)
        all->at[all->count++] = (skn_wire_secret){text, least};
}

static skn_str percent_written(skn_str key, skn_arena *a)
{
    static const char digits[] = "0123456789ABCDEF";
    char             *out = SKN_ARRAY(a, 3 * key.n + 1, char);
    size_t            n = 0;

    for (size_t i = 0; i < key.n; i++) {
        unsigned char c = (unsigned char)key.p[i];

        if (isalnum(c) || strchr("-._~", c)) {
            out[n++] = (char)c;
            continue;
        }
        out[n++] = '%';
        out[n++] = digits[c >> 4];
        out[n++] = digits[c & 15];
    }
    return (skn_str){out, n};
}

/* Without its end, which depends on what follows. */
static skn_str base64_written(skn_str key, skn_arena *a)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789+/";
    char             *out = SKN_ARRAY(a, key.n * 2 + 1, char);
    unsigned          bits = 0, held = 0;
    size_t            n = 0;

    for (size_t i = 0; i < key.n; i++) {
        held = held << 8 | (unsigned char)key.p[i];
        for (bits += 8; bits >= 6; bits -= 6)
            out[n++] = letters[held >> (bits - 6) & 63];
    }
    return (skn_str){out, n};
}

void skn_wire_secrets_find(skn_wire_secrets *all, skn_str key, const skn_wire_options *o,
                           skn_arena *a)
{
    skn_str written = percent_written(key, a);

    add(all, skn_arena_copy(a, key), PART);
    if (!skn_str_eq(written, key))
        add(all, written, PART);
    if (key.n >= PART)
        add(all, base64_written(key, a), PART);
    for (size_t i = 0; i < o->header_count; i++) {
        bool secret = skn_name_is_secret(o->headers[i].name);

        if (secret || o->headers[i].value.n >= LONG_PART)
            add(all, skn_arena_copy(a, o->headers[i].value), secret ? PART : LONG_PART);
    }
}

void skn_wire_secrets_wipe(skn_wire_secrets *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->at[i].text.n; k++)
            ((volatile char *)(uintptr_t)all->at[i].text.p)[k] = '\0';
}
