/* A graph of nodes with at most one parent each, drawn newest first like a version control log.
 * A column is a line that waits for its parent to come. Beyond MAX_COLUMNS a line is not drawn:
 * what is drawn stays readable, and a row stays short, however many lines are open. */
#include "cli/commands.h"

#define MAX_COLUMNS 12

struct skn_graph {
    int64_t waiting[MAX_COLUMNS]; /* the parent a column leads to; 0: the column is free */
    size_t  used;                 /* columns in use are below this */
};

skn_graph *skn_graph_new(skn_arena *a)
{
    return SKN_NEW(a, skn_graph);
}

static void trim(skn_graph *g)
{
    while (g->used && !g->waiting[g->used - 1])
        g->used--;
}

/* The row on which column `from` runs into column `to`, which stands left of it. */
static void join_row(skn_cli *cli, const skn_graph *g, size_t to, size_t from)
{
    for (size_t i = 0; i + 1 < from; i++) {
        skn_print(cli, "%c", g->waiting[i] ? '|' : i > to ? '_' : ' ');
        skn_print(cli, "%c", i >= to ? '_' : ' ');
    }
    skn_print(cli, "%c/", g->waiting[from - 1] ? '|' : '_');
    for (size_t i = from + 1; i < g->used; i++)
        skn_print(cli, "%s%c", i == from + 1 ? "  " : " ", g->waiting[i] ? '|' : ' ');
    skn_print_raw(cli, SKN_STR("\n"));
}

/* All columns that lead to this node become its first one; MAX_COLUMNS when none does. */
static size_t join(skn_cli *cli, skn_graph *g, int64_t id)
{
    size_t at = 0;

    while (at < g->used && g->waiting[at] != id)
        at++;
    if (at == g->used)
        return MAX_COLUMNS;
    for (size_t i = g->used; i-- > at + 1;)
        if (g->waiting[i] == id) {
            join_row(cli, g, at, i);
            g->waiting[i] = 0;
        }
    trim(g);
    return at;
}

static size_t free_column(skn_graph *g)
{
    for (size_t i = 0; i < g->used; i++)
        if (!g->waiting[i])
            return i;
    return g->used < MAX_COLUMNS ? g->used++ : MAX_COLUMNS - 1;
}

void skn_graph_node(skn_cli *cli, skn_graph *g, int64_t id, int64_t parent, char mark)
{
    size_t at = join(cli, g, id);

    if (at == MAX_COLUMNS)
        at = free_column(g);
    for (size_t i = 0; i < g->used; i++)
        if (i == at)
            skn_print(cli, "%c ", mark);
        else
            skn_print(cli, "%s", g->waiting[i] ? "| " : "  ");
    g->waiting[at] = parent;
    trim(g);
}
