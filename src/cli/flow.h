/* flow.h: a text that comes in pieces, shown at once, in rows that end between words.
 *
 * A word that outgrows its row while it comes is taken back and shown on the next row. Where nobody reads
 * it on a terminal, rows end where lines of the text do. Threads: one. */
#ifndef SKN_CLI_FLOW_H
#define SKN_CLI_FLOW_H

#include "cli/print.h"

typedef struct skn_flow {
    size_t  indent;  /* blanks before rows that are begun */
    size_t  column;  /* of the cursor */
    skn_buf word;    /* as much as there is of the last one, if it may be taken back */
    size_t  shown;   /* columns of it */
    char    last[4]; /* character that came: what the next one is depends on it */
    size_t  last_bytes;
} skn_flow;

/* `head`: what stands in the row already, as it was printed. */
void skn_flow_begin(skn_flow *f, skn_str head, size_t indent);
void skn_flow_add(skn_flow *f, skn_cli *cli, skn_str text);
void skn_flow_release(skn_flow *f);

#endif
