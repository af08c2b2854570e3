/* outline_lex.h: source text as words and marks, without its comments and with its literals whole.
 *
 * Shared by the files behind outline.h.  Threads: one at a time.  Lifetimes: tokens are views of the
 * text. */
#pragma once

#include "exchange/outline.h"

/* Marks of more than one character. */
enum {
    SKN_MARK_FAT = 1 /* => */,
    SKN_MARK_SCOPE = 2 /* :: */,
    SKN_MARK_OP = 3 /* == -> && … */
};
enum { SKN_LINE_CODE = 1, SKN_LINE_COMMENT = 2 };

typedef enum skn_token_kind { SKN_WORD, SKN_LITERAL, SKN_MARK } skn_token_kind;

typedef struct skn_token {
    skn_token_kind kind;
    char           mark;  /* of SKN_MARK: the character, or SKN_MARK_… */
    bool           first; /* on its line */
    skn_str        text;
    size_t         line; /* from 1 */
} skn_token;

typedef struct skn_lexer {
    skn_str         text;
    const skn_lang *lang;
    skn_arena      *a;
    size_t          at, line;
    unsigned char  *lines; /* SKN_LINE_… of each line, from 1 */
    size_t          braces;
    bool            fresh;             /* nothing but blanks and comments on this line so far */
    size_t          no_pattern_before; /* an offset */
    bool            value;             /* the last token was a value, so "/" divides */
    skn_vec(size_t) holes;             /* of templates: how many braces were open */
    skn_vec(size_t) ifs;               /* of "#if": how many braces were open */
} skn_lexer;

void skn_lexer_init(skn_lexer *lx, skn_str text, const skn_lang *lang, skn_arena *a);
/* The next token; false at the end. */
bool skn_lexer_next(skn_lexer *lx, skn_token *t);
/* The line that a declaration on `line` begins at, with the comments directly above it. */
size_t skn_first_line(const unsigned char *lines, size_t line);
size_t skn_count_lines(skn_str text);
/* Outline of a language of indentation; skn_outline_read calls it. */
void skn_outline_indent(skn_str text, const skn_lang *lang, skn_arena *a, skn_outline *out);
