/* line_edit.h: one line typed at a terminal, with history and completion, while other things happen.
 *
 * The caller may write above the prompt meanwhile: the typed text is hidden before and
 * drawn again after. Threads: one. Lifetimes: a line lives until the next one is read. */
#pragma once

#include "base/buf.h"

#define SKN_LINE_CHOICES ((size_t)200)
#define SKN_LINE_UP      '^'

typedef struct skn_line_options {
    const char *history; /* file; NULL: none is kept */
    void       *arg;
    /* Returns when a key can be read (true), or when nothing more is wanted (false). */
    bool (*wait)(void *arg);
    const char *(*prompt)(void *arg);
    /* Completions of the word: up to SKN_LINE_CHOICES texts, to be freed by the caller. */
    size_t (*complete)(void *arg, skn_str word, bool first, char **out);
    /* Is "up" on an empty line a key of the chat now? Else it is the line before. */
    bool (*recalls)(void *arg);
    /* Shows them above the prompt. */
    void (*choices)(void *arg, char *const *list, size_t count);
} skn_line_options;

typedef struct skn_line_edit skn_line_edit;

/* NULL when the terminal cannot do it. */
skn_line_edit *skn_line_edit_new(const skn_line_options *o);
void           skn_line_edit_free(skn_line_edit *e); /* keeps the history; NULL is fine */
/* A line without its end; absent when there is none any more. What was typed is gone from the screen,
 * and the cursor stands where the prompt was. */
skn_str skn_line_edit_read(skn_line_edit *e);
/* Takes prompt and text off the screen: the cursor stands where the prompt began. */
void skn_line_edit_hide(skn_line_edit *e);
/* Puts them where the cursor is. */
void skn_line_edit_show(skn_line_edit *e);
/* Is the terminal small enough for libedit? It keeps two copies of the screen, with 4 bytes for each place. */
bool skn_line_edit_fits(void);
/* The terminal has another size now. What was hidden before is shown. */
void skn_line_edit_resize(skn_line_edit *e);
/* The terminal as others expect it, while another program has it; and back. */
void skn_line_edit_lend(skn_line_edit *e, bool lent);
/* True if the last line was empty and ended with Esc Esc. */
bool skn_line_edit_escaped(const skn_line_edit *e);
/* The key of the chat that ended the last line: 'o' for Ctrl-O, SKN_LINE_UP, else what followed Ctrl-X; 0: none. What was
 * typed by then begins the next line, with the cursor where it was. */
char skn_line_edit_key(const skn_line_edit *e);
/* Leaves the search of Ctrl-R, the line as it was before; false when there is none. */
bool skn_line_edit_cancel(skn_line_edit *e);
/* Begins the next line with this text. */
void skn_line_edit_preset(skn_line_edit *e, skn_str text);
/* The text that the next line begins with; lives until another is given. */
skn_str skn_line_edit_preset_text(const skn_line_edit *e);
/* Keys that somebody else has read, and that belong to the next line. */
void skn_line_edit_retype(skn_line_edit *e, const char *keys);

/* Keys one at a time, for menus. An arrow begins with the byte of Esc: what follows at once belongs to it, and Esc alone is
 * one that nothing follows for a moment. */

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
