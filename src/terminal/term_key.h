/* term_key.h: keys of a terminal, one at a time, for menus: arrows, Enter, Esc, text.
 *
 * An arrow begins with the byte of Esc: what follows at once belongs to it, and Esc alone is one that
 * nothing follows for a moment. Threads: one. Lifetimes: a skn_keys holds no memory. */
#ifndef SKN_TERMINAL_TERM_KEY_H
#define SKN_TERMINAL_TERM_KEY_H

#include <stdbool.h>

typedef enum skn_key_kind {
    SKN_KEY_GONE, /* nothing more comes */
    SKN_KEY_UP,
    SKN_KEY_DOWN,
    SKN_KEY_LEFT,
    SKN_KEY_RIGHT,
    SKN_KEY_ENTER,
    SKN_KEY_ESCAPE,
    SKN_KEY_TEXT, /* a character, or the mark that begins a paste: see `bytes` */
    SKN_KEY_OTHER
} skn_key_kind;

typedef struct skn_key {
    skn_key_kind kind;
    char         bytes[16]; /* as they came; ends with NUL */
} skn_key;

typedef struct skn_keys {
    /* Returns when a key can be read (true), or when nothing more is wanted (false). */
    bool (*wait)(void *arg);
    void *arg;
    int   ahead; /* a byte that was read too far; -1: none */
} skn_keys;

skn_key skn_key_read(skn_keys *k);
/* After the byte of Esc: does more come at once, so that it was not that key? */
bool skn_key_follows(void);

#endif
