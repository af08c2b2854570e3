/* words.h: the words of a text as searching sees them, and what a query asks for.
 *
 * A word is a run of letters and digits of any script, in small letters. Signs, blanks and the punctuation of all
 * scripts stand between words. A character of a script that is written without blanks, and a picture, is a word of
 * its own. Of a text only the first SKN_WORDS_TEXT bytes are looked at, of a word only the first SKN_WORD_BYTES
 * count.
 *
 * The store's index is made with these rules, so that both databases find the same. A change of the rules needs a
 * migration that empties message_words and sets "words_upto" to 0.
 *
 * |Threads: any. Lifetimes: a query lives in the arena it was read with. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

#define SKN_WORDS_TEXT  ((size_t)256 * 1024)
#define SKN_WORD_BYTES  128
#define SKN_QUERY_BYTES 4096
#define SKN_QUERY_WORDS 32

typedef struct skn_word {
    char   text[SKN_WORD_BYTES]; /* in small letters */
    size_t n;
    size_t from; /* its first byte in the source */
} skn_word;

/* A walk over the words of a text. */
typedef struct skn_words {
    skn_str text;
    size_t  at;
} skn_words;

void skn_words_start(skn_words *w, skn_str text);
bool skn_words_next(skn_words *w, skn_word *out);
/* All words of a text in order, each in single quotes, with blanks between them. */
void skn_words_list(skn_str text, skn_buf *out);

/* Words that stand next to each other in this order. */
typedef struct skn_term {
    skn_str *words;
    size_t   count;
    bool     prefix; /* the last one need only begin so */
} skn_term;

typedef struct skn_terms {
    skn_term *at;
    size_t    count;
} skn_terms;

/* Reads a query: words, "several words" next to each other, begin*; what is written without a blank
 * between, like read_file, is also next to each other. */
skein_rc skn_words_query(skn_str query, skn_arena *a, skn_terms *out, skein_error *err);
/* Has the text all terms? *at is then the byte where the earliest of those found begins. */
bool skn_words_match(skn_str text, const skn_terms *terms, size_t *at);
/* About `width` characters around that byte on one line, with "…" where something is left out. */
skn_str skn_words_snippet(skn_str text, size_t at, size_t width, skn_arena *a);
