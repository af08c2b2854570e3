/* clean.h: text that a person may be shown, whatever was stored.
 *
 * The one place that says which characters are not shown as they are: controls, those that turn the direction of writing
 * around, and those that cannot be seen and hide something in a text, or a part of a name. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

/* Is what stands at the front of s harmful to those who read it? *bytes is in any case how much that is: one character, with
 * those that belong to it. Tabs and line ends are harmful. */
bool skn_clean_harmful(skn_str s, size_t *bytes);
/* Appends text for a terminal or a file that people read; line ends stay if `lines`. A control is shown by its picture, what
 * cannot be seen as "<U+200B>". */
void skn_clean_add(skn_buf *out, skn_str text, bool lines);
/* The same for a text that comes in pieces and was cleaned before: what only its neighbours can tell to be harmful stays. */
void skn_clean_add_piece(skn_buf *out, skn_str piece);
/* JSON with these characters as escapes: the same to a program, harmless to a person. */
void skn_clean_json(skn_buf *out, skn_str json);
/* The same into HTML: escaped, tabs and line ends as they are. */
void skn_clean_html(skn_buf *out, skn_str text);
/* For texts that a person has to agree to: marks that other texts may have are shown, too. Line ends stay. */
skn_str skn_clean_consent(skn_arena *a, skn_str text);

/* A word of a command in a hint, as a shell reads it: in quotes where it needs them. */
skn_str skn_shell_word(skn_arena *a, const char *word);
