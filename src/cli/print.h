/* print.h: what the program writes.
 *
 * Results go to standard output through cli->out, notes to standard error. What the program did not write itself, but
 * read from a store or was told by a server, is always shown without control characters; JSON and raw output keep
 * every byte. A terminal gets no control character at all but those of our own colours and moves (skn_out_flush),
 * whatever a command forgot. */
#pragma once

#include "base/clean.h"
#include "cli/cli.h"

/* The mark of a message that agents have in memory and nobody answers. */
#define SKN_MEMORY_ONLY "[in-memory, no reply]"

typedef enum skn_colour {
    SKN_DIM,
    SKN_BOLD,
    SKN_RED,
    SKN_GREEN,
    SKN_YELLOW,
    SKN_CYAN
} skn_colour;

void skn_out_init(skn_cli *cli);
/* From here on through a pager, if the output is a terminal, does not fit on it, and nobody forbade it. */
void skn_out_page(skn_cli *cli);
/* Whether the reader of the output has closed it. Then there is nobody to report to. */
bool skn_out_left(const skn_cli *cli);
/* Passes on what was collected so far. */
void skn_out_flush(skn_cli *cli);

/* Cleaned, line ends kept. */
void skn_print(skn_cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Bytes of our own, or that were cleaned before. */
void skn_print_raw(skn_cli *cli, skn_str bytes);
void skn_print_colour(skn_cli *cli, skn_colour colour, skn_str text); /* cleaned */
/* Cleaned, line ends kept, each line behind `indent` blanks; ends with a line end. */
void skn_print_block(skn_cli *cli, skn_str text, int indent);
/* The first line, cleaned, cut to `columns` when that is not 0; between words if it can be. */
void skn_print_line(skn_cli *cli, skn_str text, size_t columns);
/* The same, whole, of a text that tells commands: they are made so that they can be pasted. What is told in a format of
 * skn_print, in a note or as the hint of an error is so already; this is for texts that were made elsewhere. */
void skn_print_told(skn_cli *cli, skn_str text);
/* Before what does not fit into the first row of a timeline's item. */
#define SKN_ITEM_BEHIND SKN_STR("      ")
/* … and of a list. */
#define SKN_LIST_BEHIND SKN_STR("    ")

/* Does a person read this on a terminal whose width is known? Then rows end between words. */
bool skn_wraps(const skn_cli *cli);
/* What is printed from the first call to the second is one row, or lines of them. On a terminal it is broken between words;
 * what follows the first break stands behind `before`. */
size_t skn_row_begin(skn_cli *cli);
void   skn_row_end(skn_cli *cli, size_t begun, skn_str before);
/* A person's name for the sender, padded to `columns`. */
void skn_print_sender(skn_cli *cli, skn_str sender, size_t columns);
/* What a list shows of a message's id: whole where programs read, else so much of its end as can be typed for it. */
skn_str skn_shown_id(const skn_cli *cli, skn_str uid);
void    skn_print_id(skn_cli *cli, skn_str uid);
/* Short local time for a person, else RFC 3339. */
void skn_print_time(skn_cli *cli, int64_t micros);
/* "(cut off)", "(ended while thinking, 4096 tokens)" behind so many spaces; nothing of a whole text. `wrote` tokens:
 * below 1 where they are not known. */
void skn_print_unfinished(skn_cli *cli, skein_unfinished why, int64_t wrote, int spaces);
/* "you" for a person, else the name itself. */
skn_str skn_sender_name(skn_str sender);

/* Text made of stored text: cleaned where a terminal shows it, else as it is. */
void skn_print_text(skn_cli *cli, skn_str text);

/* The ending of a plural: "s" unless there is one. */
const char *skn_plural(int64_t n);
/* In a dry run: says what would be done, where there is nothing else to show, and is true. A sentence, or it in JSON. */
bool skn_would(skn_cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A note to standard error, unless it must be quiet. */
void skn_note(skn_cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A question on the terminal. Without one it is yes, or an error if `must_ask`. */
skein_rc skn_confirm(skn_cli *cli, const char *question, bool must_ask);
/* The result of a command that succeeded with an exit status of its own. */
skein_rc skn_status(skn_cli *cli, int status);
/* Passes on what is left, reports a failure; returns the exit status of the program. */
int skn_cli_settle(skn_cli *cli, skein_rc rc);
/* The failure on standard error: for a person, or as one JSON object. */
void skn_report(skn_cli *cli);

/* --- JSON --------------------------------------------------------------------------------- */

/* With --json, items between these two calls are the elements of one array. */
void skn_list_begin(skn_cli *cli);
void skn_list_end(skn_cli *cli);
/* The same, where a failure that came before the first item leaves nothing written. */
void skn_list_done(skn_cli *cli, skein_rc rc);
/* Write one object into what this returns, then end it; picked members only, if so asked. */
skn_jw  *skn_item(skn_cli *cli);
skein_rc skn_item_end(skn_cli *cli);
/* The same where the item is an object: write its members between these two calls. */
skn_jw  *skn_item_begin(skn_cli *cli);
skein_rc skn_item_close(skn_cli *cli);
/* The members `fields` of a JSON object, in that order, and the end of one. Trusts its input. */
void skn_pick(skn_buf *out, skn_str object, const char *fields);
/* Adds a JSON object as the program prints it: a message without a position has null there. */
void skn_item_add(skn_buf *out, skn_str object);
/* True if the JSON object has the member. */
bool skn_has_member(skn_str object, skn_str name);
/* Takes as much of a line off *rest as fits, up to a blank; a word that is longer is cut if `cut`, else it
 * stays whole. False when nothing is left. */
bool skn_line_piece(skn_str *rest, size_t columns, bool cut, skn_str *out);
/* Columns of what was printed, which may have colours. */
size_t skn_line_columns(skn_str printed);
