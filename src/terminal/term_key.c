#include "terminal/term_key.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define ESC       27
#define ESCAPE_MS 60 /* the rest of an arrow is here by then */

static bool next_byte(skn_keys *k, unsigned char *out)
{
    ssize_t n;

    if (k->ahead >= 0) {
        *out = (unsigned char)k->ahead;
        k->ahead = -1;
        return true;
    }
    do {
        if (!k->wait(k->arg))
            return false;
        n = read(STDIN_FILENO, out, 1);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    return n == 1;
}

bool skn_key_follows(void)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&p, 1, ESCAPE_MS) > 0;
}

static bool follows(const skn_keys *k)
{
    return k->ahead >= 0 || skn_key_follows();
}

static skn_key_kind sequence_kind(const char *bytes)
{
    if (!strcmp(bytes, "\033[200~"))
        return SKN_KEY_TEXT;
    if (strlen(bytes) == 3)
        switch (bytes[2]) {
        case 'A':
            return SKN_KEY_UP;
        case 'B':
            return SKN_KEY_DOWN;
        case 'C':
            return SKN_KEY_RIGHT;
        case 'D':
            return SKN_KEY_LEFT;
        default:
            break;
        }
    return SKN_KEY_OTHER;
}

/* "[A" or "OA", up to the letter or "~" that ends it. */
static skn_key read_sequence(skn_keys *k)
{
    skn_key       key = {SKN_KEY_ESCAPE, "\033"};
    size_t        n = 1;
    unsigned char byte;

    if (!follows(k) || !next_byte(k, &byte))
        return key;
    if (byte != '[' && byte != 'O') {
        k->ahead = byte;
        return key;
    }
    for (bool ended = false; !ended;) {
        if (n + 1 < sizeof key.bytes)
            key.bytes[n++] = (char)byte;
        ended = !follows(k) || !next_byte(k, &byte);
        if (!ended && byte >= '@' && byte <= '~') {
            if (n + 1 < sizeof key.bytes)
                key.bytes[n++] = (char)byte;
            ended = true;
        }
    }
    key.kind = sequence_kind(key.bytes);
    return key;
}

/* The bytes of a character that are still to come after its first. */
static int rest_of(unsigned char first)
{
    return first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
}

skn_key skn_key_read(skn_keys *k)
{
    skn_key       key = {SKN_KEY_GONE, ""};
    unsigned char byte;
    int           rest;

    if (!next_byte(k, &byte))
        return key;
    if (byte == ESC)
        return read_sequence(k);
    key.bytes[0] = (char)byte;
    if (byte == '\r' || byte == '\n')
        key.kind = SKN_KEY_ENTER;
    else if (byte < ' ' || byte == 0x7f)
        key.kind = SKN_KEY_OTHER;
    else
        key.kind = SKN_KEY_TEXT;
    rest = rest_of(byte);
    for (int i = 1; i <= rest && next_byte(k, &byte); i++)
        key.bytes[i] = (char)byte;
    return key;
}
