/* markup.h: Markdown as HTML that is safe to open: everything that was said is escaped, raw HTML is
 * text, and links lead only to http, https and mail addresses. Only files of this folder include it.
 *
 * The reader of Markdown is libmd4c, loaded when it is first asked for, so that a program with our
 * library in it starts without it.
 *
 * Threads: any; a skn_markup is never changed. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

typedef struct skn_markup skn_markup;

/* NULL when the library is not there. */
const skn_markup *skn_markup_load(skn_arena *a);
/* Appends text as HTML. False, with nothing appended, when it cannot be: there is no library (NULL), or
 * the text is too long or nested too deep to be worth it. */
bool skn_markup_html(const skn_markup *m, skn_str text, skn_buf *out);
