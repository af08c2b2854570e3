/* line_edit.h: one line typed at a terminal, with history and completion, while other things happen.
 *
 * Whoever waits for keys may write above the prompt meanwhile: what was typed is hidden before and
 * drawn again after. Threads: one. Lifetimes: a line lives until the next one is read. */
#ifndef SKN_TERMINAL_LINE_EDIT_H
#define SKN_TERMINAL_LINE_EDIT_H

#include "base/buf.h"
#include "base/str.h"

#include <stddef.h>
#include <wchar.h>

#define SKN_LINE_CHOICES ((size_t)200)
#define SKN_LINE_UP      '^'

typedef struct skn_line_options {
    const char *history; /* file; NULL: none is kept */
    void       *arg;
    /* Returns when a key can be read (true), or when nothing more is wanted (false). */
    bool (*wait)(void *arg);
    const char *(*prompt)(void *arg);
    /* What the word could become: up to SKN_LINE_CHOICES texts, to be freed by the caller. */
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

/* Ctrl-R at a prompt: a line that was typed before, found by a part of it.
 *
 * It is a state, not a loop: between two keys it can be left from outside, the line as it was before.
 * Threads: one. Lifetimes: texts live until the next call with the same search. */

typedef struct skn_line_search {
    bool    on;
    bool    failed;  /* nothing has all of the pattern: the last hit stays */
    size_t  at;      /* the hit, counted from the newest line */
    skn_buf pattern; /* what is looked for */
    skn_buf before;  /* the line as it was */
    skn_buf line;    /* the line as it is to be: the hit, or what was before */
    skn_buf prompt;
} skn_line_search;

/* The newest line that was typed, or the one before the last that was given; NULL when there is none. */
typedef const char *skn_line_older(void *arg, bool newest);

void skn_line_search_init(skn_line_search *s);
void skn_line_search_release(skn_line_search *s);
void skn_line_search_begin(skn_line_search *s, skn_str line);
/* False when the key is none of the search: it has ended then, and the hit is the line. */
bool skn_line_search_take(skn_line_search *s, wchar_t key, skn_line_older *older, void *arg);
void skn_line_search_cancel(skn_line_search *s);
/* Stands in place of the usual prompt. */
const char *skn_line_search_prompt(skn_line_search *s);

/* Where a text ends on a terminal of so many columns, as libedit writes it. */

typedef struct skn_spot {
    int row, column;
} skn_spot;

/* Moves the spot behind a text in the locale's encoding; bytes that are none of it take one column. */
void skn_spot_after(skn_spot *at, const char *text, size_t n, int width);

#endif
