/* outline.h: which functions and types a source file holds, and on which lines.
 *
 * A reading at a glance, not a compiler's: it follows strings, comments, braces and indentation, and
 * takes time linear in the text whatever the text is. Wrong code gives a poorer outline, no error.
 *
 * Threads: any.  Lifetimes: the outline lives in the arena, its names are views of the text. */
#pragma once

#include "base/arena.h"

enum {
    SKN_LANG_BRACES = 1 << 0,     /* else indentation */
    SKN_LANG_NEWLINES = 1 << 1,   /* a line end may end a statement */
    SKN_LANG_BARE = 1 << 2,       /* functions without a word before them, outside functions */
    SKN_LANG_BARE_ANY = 1 << 3,   /* the same, anywhere; and functions given to names */
    SKN_LANG_DIRECTIVES = 1 << 4, /* "#if" */
    SKN_LANG_TRIPLE = 1 << 5,     /* three quotes around a text of many lines */
    SKN_LANG_NESTED = 1 << 6,     /* comments in comments */
    SKN_LANG_HASH = 1 << 7,       /* "#" begins a comment */
    SKN_LANG_QUOTE = 1 << 8,      /* '…' is a text, not a character */
    SKN_LANG_LIFETIME = 1 << 9,   /* 'a may stand alone */
    SKN_LANG_MULTILINE = 1 << 10, /* "…" may go over lines */
    SKN_LANG_RAW = 1 << 11,       /* R"x(…)x", r#"…"#, @"…" */
    SKN_LANG_TICK_RAW = 1 << 12,  /* `…` is a text */
    SKN_LANG_TICK_NAME = 1 << 13, /* `…` is a name */
    SKN_LANG_TEMPLATE = 1 << 14,  /* `…${…}…`, and /…/ is a pattern */
    SKN_LANG_ALIAS = 1 << 15, /* "typedef struct {…} name;", and declarations without body */
    SKN_LANG_RECEIVER = 1 << 16, /* the name stands before the parameters: fun <T> T.name( */
    SKN_LANG_END = 1 << 17       /* "end" closes what "def" opened */
};

typedef struct skn_lang {
    const char *endings;   /* of file names, between blanks */
    unsigned    traits;    /* SKN_LANG_… */
    const char *functions; /* words that come before a function's name, between blanks */
    const char *types;     /* the same for types */
} skn_lang;

typedef struct skn_declaration {
    bool    type; /* a type, else a function */
    bool    body; /* more than an announcement */
    skn_str name;
    skn_str owner; /* the type it belongs to; absent for none */
    size_t  first_line, last_line;
} skn_declaration;

typedef struct skn_outline {
    skn_declaration *at; /* as they were met */
    size_t           count;
} skn_outline;

/* The language that a file's name tells; NULL when it is none we read. */
const skn_lang *skn_lang_of(skn_str path);
void skn_outline_read(skn_str text, const skn_lang *lang, skn_arena *a, skn_outline *out);
