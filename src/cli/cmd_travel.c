/* Time travel: undo, redo, switch, branch. */
#include "base/error.h"
#include "cli/commands.h"
#include "cli/far_change.h"
#include "cli/paste.h"

#include <inttypes.h>
#include <string.h>

/* How much moved, where that was counted. */
static void say_effects(skn_cli *cli, const skein_move *m)
{
    if (m->returning < 0)
        return;
    skn_print(cli, "%" PRId64 " message%s return%s, %" PRId64 " leave%s.", m->returning,
              skn_plural(m->returning), m->returning == 1 ? "s" : "", m->leaving,
              m->leaving == 1 ? "s" : "");
    if (m->side_effects > 0)
        skn_print(cli,
                  " %" PRId64 " tool call%s in v%" PRId64
                  " may have changed something outside: "
                  "%s.",
                  m->side_effects, skn_plural(m->side_effects), m->from.number,
                  cli->dry_run ? "it will not be undone" : "it was not undone");
    skn_print_raw(cli, SKN_STR("\n"));
}

/* What was said since and is out of sight now: where it is, and how it comes back. */
static void say_newer(skn_cli *cli, const skein_move *m, const char *back)
{
    const char *them = m->newer == 1 ? "it" : "them";
    skn_str     text;

    if (m->newer < 1)
        return;
    text = skn_arena_printf(cli->keep,
                            "\"skein log -v v%" PRId64 "\" shows %s, \"skein %s\" brings %s "
                            "back.",
                            m->from.number, them, back, them);
    skn_print(cli, "%" PRId64 " newer message%s %s in v%" PRId64 ": %s\n", m->newer,
              skn_plural(m->newer), m->newer == 1 ? "is" : "are", m->from.number,
              skn_pasteable(cli, text.p));
}

/* A dry run counts what moves; what it says holds if the same move is made then. That it failed is for
 * the move itself to say. */
static skein_rc travel(skn_cli *cli, const char *move, const skein_change *how, int64_t where,
                       skein_move *out)
{
    skein_change before = *how;
    skein_move   counted;
    skein_error  none = cli->err;
    skein_rc     rc, look;

    before.dry_run = true;
    before.key = SKN_NONE; /* else it would be answered with what was done before */
    look = cli->dry_run ? SKEIN_NOTHING : skn_far_travel(cli, &before, move, where, &counted);
    cli->err = none;
    rc = skn_far_travel(cli, how, move, where, out);
    if (!rc && !look && out->from.number == counted.from.number &&
        out->from.length == counted.from.length && out->to.number == counted.to.number) {
        out->returning = counted.returning;
        out->leaving = counted.leaving;
        out->side_effects = counted.side_effects;
    }
    return rc;
}

/* What the way there takes back or brings back, in the words of the version that did it. */
static void say_what(skn_cli *cli, const skein_move *m, const skein_version *v)
{
    if (skn_str_is(m->what, "switch")) /* the note says what made the version */
        skn_print(cli, "the switch to v%" PRId64, v->number);
    else
        skn_print_line(cli, m->steps == 1 && v->note.n ? v->note : m->what, 60);
    if (m->steps > 1)
        skn_print(cli, " and what came after it, %" PRId64 " steps", m->steps);
}

typedef struct wording {
    const char *would, *did, *back; /* NULL: where it goes says it all */
    const char *again;              /* the command that goes back to the version that is left */
    bool        of_target; /* the version that is gone to says what, not the one that is left */
} wording;

static skein_rc move_out(skn_cli *cli, const skein_move *m, const wording *words)
{
    const skein_version *v = words->of_target ? &m->to : &m->from;

    if (cli->json) {
        skn_shape_move(skn_item(cli), m);
        return skn_item_end(cli);
    }
    if (cli->dry_run) {
        skn_print(cli, "Would go from v%" PRId64 " to v%" PRId64, m->from.number, m->to.number);
        if (words->would) {
            skn_print(cli, " (%s: ", words->would);
            say_what(cli, m, v);
            skn_print_raw(cli, SKN_STR(")"));
        }
        skn_print_raw(cli, SKN_STR(".\n"));
        say_effects(cli, m);
        say_newer(cli, m, words->again);
        return SKEIN_OK;
    }
    skn_print(cli, "v%" PRId64 " → v%" PRId64 ". %s: ", m->from.number, m->to.number,
              words->did);
    say_what(cli, m, v);
    skn_print(cli, ". %s\n", skn_pasteable(cli, words->back));
    say_effects(cli, m);
    say_newer(cli, m, words->again);
    return SKEIN_OK;
}

static skein_rc read_steps(skn_cli *cli, int64_t *out)
{
    *out = 1;
    if (!cli->arg_count)
        return SKEIN_OK;
    if (!skn_str_int(skn_arg(cli, 0), out) || *out < 1 || *out > 1000000)
        return skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not a number of steps",
                        cli->args[0]);
    return SKEIN_OK;
}

int skn_cmd_undo(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skein_move         move;
    int64_t            steps;
    skein_rc           rc = read_steps(cli, &steps);

    if (rc || (rc = skn_need_change(cli, &world, &chat, &how)) ||
        (rc = travel(cli, "undo", &how, steps, &move)))
        return (int)rc;
    return (int)move_out(cli, &move,
                         &(wording){"takes back", "Took back",
                                    "Bring it back with \"skein redo\".", "redo", false});
}

int skn_cmd_redo(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skein_move         move;
    int64_t            steps;
    skein_rc           rc = read_steps(cli, &steps);

    if (rc || (rc = skn_need_change(cli, &world, &chat, &how)) ||
        (rc = travel(cli, "redo", &how, steps, &move)))
        return (int)rc;
    return (int)move_out(
        cli, &move,
        &(wording){"brings back", "Brought back", "Undo with \"skein undo\".", "undo", true});
}

int skn_cmd_switch(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skein_version      version;
    skein_move         move;
    skein_rc           rc = skn_need_change(cli, &world, &chat, &how);

    if (rc || (rc = skn_need_version(cli, &chat, cli->args[0], &version)) ||
        (rc = travel(cli, NULL, &how, version.number, &move)))
        return (int)rc;
    if (cli->json || cli->dry_run)
        return (int)move_out(cli, &move, &(wording){NULL, NULL, NULL, "undo", true});
    skn_print(cli,
              "Now at v%" PRId64 " (was v%" PRId64 "). Back with \"skein undo\" or \"skein "
              "switch v%" PRId64 "\".\n",
              move.to.number, move.from.number, move.from.number);
    say_newer(cli, &move, "undo");
    return 0;
}

/* Which version, and how much of it: all, or up to and including a message. The newest version that holds it, where
 * the current one does not. */
static skein_rc branch_point(skn_cli *cli, const skein_conversation *chat, int64_t *version,
                             int64_t *length)
{
    skein_version       v;
    skein_message       m;
    skein_message_facts facts;
    skein_rc            rc;

    *length = -1;
    if (skn_is_version(skn_arg(cli, 0)) || skn_is_version_at(skn_arg(cli, 0))) {
        rc = skn_need_version_at(cli, chat, cli->args[0], &v, length);
        *version = rc ? 0 : v.number;
        return rc;
    }
    if ((rc = skn_need_message(cli, chat, skn_arg(cli, 0), &m)) ||
        (rc = skn_far_message(cli, m.uid, &m, &facts, NULL)))
        return rc;
    if (!facts.version_count || m.position < 0)
        return skn_fail(&cli->err, SKEIN_NOT_FOUND, "\"%s\" is in no version of the main lane",
                        cli->args[0]);
    *version = facts.versions[0];
    for (size_t i = 0; i < facts.version_count; i++)
        if (facts.versions[i] == chat->version)
            *version = chat->version;
    *length = m.position + 1;
    return SKEIN_OK;
}

int skn_cmd_branch(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat, branch;
    skein_change       how;
    int64_t            version = 0, length = -1;
    skn_str            title = skn_str_of(skn_opt(cli, "title"));
    skein_rc           rc = skn_need_change(cli, &world, &chat, &how);

    if (rc || (rc = branch_point(cli, &chat, &version, &length)))
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "start a new conversation from v%" PRId64 "", version);
        return 0;
    }
    if (!title.p && chat.title.n)
        title = skn_arena_printf(cli->keep, "%.*s (branch)", SKN_FMT(chat.title));
    if ((rc = skn_far_branch(cli, version, length, title, &branch)))
        return (int)rc;
    if (cli->json) {
        skn_shape_chat(skn_item(cli), &branch);
        return (int)skn_item_end(cli);
    }
    skn_print(cli,
              "Made the conversation %.*s with %" PRId64 " message%s of v%" PRId64
              ". Take it back with \"skein conv rm %.*s\".\n",
              SKN_FMT(branch.uid), branch.length, skn_plural(branch.length), version,
              SKN_FMT(branch.uid));
    return 0;
}

/* The note without the word that stands before it already. */
static skn_str note_of(const skein_version *v)
{
    if (v->kind.n && skn_str_starts(v->note, v->kind) && v->note.n > v->kind.n &&
        v->note.p[v->kind.n] == ' ')
        return skn_str_sub(v->note, v->kind.n + 1, v->note.n);
    return v->note;
}

static void version_line(skn_cli *cli, const skein_version *v)
{
    char number[24];

    snprintf(number, sizeof number, "v%" PRId64, v->number);
    skn_print_colour(cli, SKN_YELLOW, skn_str_of(number));
    skn_print(cli, "%*s%s  ", (int)(strlen(number) < 4 ? 4 - strlen(number) : 0), "",
              v->current ? "now" : "   ");
    skn_print(cli, "%-8.*s ", SKN_FMT(v->kind));
    skn_print_line(cli, note_of(v), 50);
    skn_print(cli, "%s%" PRId64 " message%s  ", v->note.n ? "  " : "", v->length,
              skn_plural(v->length));
    skn_print_sender(cli, v->actor, 0);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_time(cli, v->created_at);
    skn_print_raw(cli, SKN_STR("\n"));
}

/* Versions that another one was made from; the rest are tips, marked unless current. */
static bool *with_children(skn_cli *cli, const skein_versions *all)
{
    bool *has = SKN_ARRAY(cli->keep, all->count + 2, bool);

    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].origin > 0 && (size_t)all->at[i].origin <= all->count)
            has[all->at[i].origin] = true;
    return has;
}

static void print_graph(skn_cli *cli, const skein_versions *all, size_t count)
{
    skn_graph *graph = skn_graph_new(cli->keep);
    bool      *has = with_children(cli, all);

    for (size_t i = 0; i < count; i++) {
        const skein_version *v = &all->at[i];
        bool inner = v->number > 0 && (size_t)v->number <= all->count && has[v->number];

        skn_graph_node(cli, graph, v->number, v->origin, v->current || inner ? '*' : 'o');
        version_line(cli, v);
    }
}

int skn_cmd_history(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_versions     all;
    int64_t            limit;
    size_t             count;
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    if (rc || (rc = skn_opt_int(cli, "count", 1, INT64_MAX, INT64_MAX, &limit)) ||
        (rc = skn_far_history(cli, &all)))
        return (int)rc;
    count = (int64_t)all.count < limit ? all.count : (size_t)limit;
    skn_out_page(cli);
    if (skn_opt(cli, "graph") && !cli->json) {
        print_graph(cli, &all, count);
        return 0;
    }
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < count && !rc; i++) {
        if (!cli->json) {
            size_t row = skn_row_begin(cli);

            version_line(cli, &all.at[i]);
            skn_row_end(cli, row, SKN_LIST_BEHIND);
            continue;
        }
        skn_shape_thread(skn_item(cli), &all.at[i]);
        rc = skn_item_end(cli);
    }
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* A graph of nodes with at most one parent each, drawn newest first like a version control log.
 * A column is a line that waits for its parent to come. Beyond MAX_COLUMNS a line is not drawn:
 * what is drawn stays readable, and a row stays short, however many lines are open. */

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
