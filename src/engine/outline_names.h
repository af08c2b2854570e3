/* outline_names.h: what a statement declares, judged from its words and marks outside parentheses.
 *
 * Shared by the files behind outline.h.  Threads: any.  Lifetimes: a header borrows its tokens. */
#ifndef SKN_ENGINE_OUTLINE_NAMES_H
#define SKN_ENGINE_OUTLINE_NAMES_H

#include "engine/outline_lex.h"

/* The tokens of a statement up to its body or end; of a group in parentheses only both ends. */
typedef struct skn_header {
    const skn_token *t;
    size_t           n;
} skn_header;

bool skn_header_mark(skn_header h, size_t i, char mark);
bool skn_header_word(skn_header h, size_t i);
/* The first such mark at or after `from`; h.n when there is none. */
size_t skn_header_find(skn_header h, size_t from, char mark);
/* The index of the name of the type that is declared; h.n for none. ends_here: no body follows. */
size_t skn_header_type(const skn_lang *lang, skn_header h, bool ends_here);
/* The same for a function; bare: one that no word announces may be here. */
size_t skn_header_function(const skn_lang *lang, skn_header h, bool ends_here, bool bare);
/* The type that "impl" is about; absent when it cannot be told. */
skn_str skn_header_implements(skn_header h);
/* Whether a statement, not empty, goes on with token t, the first of the next line. */
bool skn_header_continues(const skn_lang *lang, skn_header h, const skn_token *t);

#endif
