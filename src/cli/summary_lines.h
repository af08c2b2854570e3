/* summary_lines.h: where in a conversation what agents remember of it was summarised. A summary is a message of
 * an agent's memory, not of the room; the room shows a quiet line.
 *
 * Threads: one. Lifetimes: what was read lives until it is read again or ended. */
#ifndef SKN_CLI_SUMMARY_LINES_H
#define SKN_CLI_SUMMARY_LINES_H

#include "cli/cli.h"

typedef struct skn_summary_lines {
    skein_mem      *mem;
    skein_summaries of;   /* newest first */
    int64_t         seen; /* what was made until this time is not printed again */
} skn_summary_lines;

/* Of every agent's memory of the conversation; again when there may be more. */
skein_rc skn_summary_lines_read(skn_cli *cli, skn_summary_lines *lines);
/* Prints those that were made before this time; INT64_MAX: all that are left. */
void skn_summary_lines_until(skn_cli *cli, skn_summary_lines *lines, int64_t before);
/* Leaves them out. */
void skn_summary_lines_skip(skn_summary_lines *lines, int64_t before);
void skn_summary_lines_end(skn_summary_lines *lines);
/* "ada: the first 40 messages are summarised as P6…: skein show P6…" */
skn_str skn_summary_line_text(skn_arena *a, skn_str agent, int64_t covers, skn_str uid);

#endif
