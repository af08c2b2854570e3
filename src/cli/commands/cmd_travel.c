/* Time travel: undo, redo, switch, branch. And the versions that there are. */
#include "cli/commands.h"
#include "cli/paste.h"

#include <inttypes.h>

/* How much moved, where that was counted: by the dry run before the move, or by this one. */
static void say_effects(skn_cli *cli, const skn_json *m, const skn_json *counted)
{
    if (!skn_json_get(counted, "returning"))
        return;
    skn_say(
        cli, counted,
        "{returning} message[returning=1: returns][returning!=1:s return], "
        "{leaving} leave[leaving=1:s].[sideEffects: {sideEffects} tool call{sideEffects s}]");
    if (skn_has(counted, "sideEffects"))
        skn_say(cli, m,
                " in {previousVersion} may have changed something outside: it "
                "[.dry:will not be][!.dry:was not] undone.");
    skn_print_raw(cli, SKN_STR("\n"));
}

/* What was said since and is out of sight now: where it is, and how it comes back. */
static void say_newer(skn_cli *cli, const skn_json *m, const char *back)
{
    if (!skn_has(m, "newerMessages"))
        return;
    skn_say(cli, m,
            "{newerMessages} newer message[newerMessages=1: is][newerMessages!=1:s are] in "
            "{previousVersion}: \"skein log -v {previousVersion}\" shows "
            "[newerMessages=1:it][newerMessages!=1:them], ");
    skn_say(cli, m, back);
    skn_say(cli, m, " brings [newerMessages=1:it][newerMessages!=1:them] back.\n");
}

/* "undo" or "redo" by so many steps; or to the version that `to` is. */
static skein_rc ask_to_move(skn_cli *cli, const char *move, int64_t steps, skn_str to,
                            bool look, const skn_json **out)
{
    const char   *match = cli->door->match;
    skn_door_body b;
    skn_jw       *w = skn_change_begin(cli, &b, look);
    skein_rc      rc;

    skn_jw_kstr(w, move ? "move" : "threadId", move ? skn_str_of(move) : to);
    if (move)
        skn_jw_kint(w, "steps", steps);
    cli->door->match = match ? match
                             : "*"; /* a move must say from where, even if from anywhere */
    rc = skn_send(cli, &b, "PUT", NULL, "{chat}/currentThread", out);
    cli->door->match = match;
    return rc;
}

static bool same(const skn_json *a, const skn_json *b, const char *member)
{
    const skn_json *one = skn_json_get(a, member), *two = skn_json_get(b, member);

    return one && two && skn_str_eq(one->raw, two->raw);
}

/* A dry run counts what moves; what it says holds if the same move is made then. That it failed is for
 * the move itself to say. *counted is NULL where nothing was counted. */
static skein_rc travel(skn_cli *cli, const char *move, int64_t steps, skn_str to,
                       const skn_json **out, const skn_json **counted)
{
    skein_error before = cli->err;
    skein_rc    rc;

    if (cli->dry_run || ask_to_move(cli, move, steps, to, true, counted))
        *counted = NULL;
    cli->err = before;
    if ((rc = ask_to_move(cli, move, steps, to, cli->dry_run, out)))
        return rc;
    if (cli->dry_run)
        *counted = *out;
    else if (*counted &&
             (!same(*out, *counted, "previousThreadId") || !same(*out, *counted, "threadId") ||
              !same(*out, *counted, "newerMessages")))
        *counted = NULL;
    return rc;
}

/* What the way there takes back or brings back, in the words of the version that did it. */
static skein_rc say_what(skn_cli *cli, const skn_json *m, bool of_target)
{
    const skn_json *v = m;
    skein_rc        rc = SKEIN_OK;

    if (!of_target && (rc = skn_read(cli, m, "{chat}/threads/{previousThreadId}", &v)))
        return rc;
    if (skn_is(m, "move", "switch")) /* the note says what made the version */
        skn_say(cli, v, "the switch to {version}");
    else if (skn_door_int(m, "steps", 0) == 1 && skn_has(v, "note"))
        skn_say(cli, v, "{line note 60}");
    else
        skn_say(cli, m, "{line move 60}");
    if (skn_door_int(m, "steps", 0) > 1)
        skn_say(cli, m, " and what came after it, {steps} steps");
    return rc;
}

typedef struct wording {
    const char *would, *did; /* NULL: where it goes says it all */
    const char *back;        /* "Undo with"; the command follows */
    const char *again;       /* the command that goes back to the version that is left */
    bool        of_target; /* the version that is gone to says what, not the one that is left */
} wording;

/* The command that goes back, in quotes: by as many steps as were made. */
static const char *way_back(skn_cli *cli, const skn_json *m, const wording *words)
{
    int64_t steps = skn_door_int(m, "steps", 1);

    return steps > 1 ? skn_arena_text(cli->keep, "\"%s %" PRId64 "\"", words->again, steps)
                     : skn_arena_text(cli->keep, "\"%s\"", words->again);
}

static skein_rc move_json(skn_cli *cli, const skn_json *m, const skn_json *counted)
{
    static const char *const counts[] = {"returning", "leaving", "sideEffects"};
    skn_jw                  *w = skn_item_with(cli, m);

    for (size_t i = 0; counted && i < sizeof counts / sizeof counts[0]; i++)
        if (!skn_json_get(m, counts[i]) && skn_json_get(counted, counts[i]))
            skn_jw_kraw(w, counts[i], skn_json_get(counted, counts[i])->raw);
    return skn_item_close(cli);
}

static skein_rc move_out(skn_cli *cli, const skn_json *m, const skn_json *counted,
                         const wording *words)
{
    skein_rc rc = SKEIN_OK;

    if (cli->json)
        return move_json(cli, m, counted);
    if (!cli->dry_run) {
        skn_say(cli, m, "{previousVersion} → {version}. ");
        skn_print(cli, "%s: ", words->did);
        rc = say_what(cli, m, words->of_target);
        skn_say(cli, m, ". ");
        if (words->back)
            skn_print(cli, "%s %s.\n", words->back,
                      skn_pasteable(cli, way_back(cli, m, words)));
    } else {
        skn_say(cli, m, "Would go from {previousVersion} to {version}");
        if (words->would) {
            skn_print(cli, " (%s: ", words->would);
            rc = say_what(cli, m, words->of_target);
            skn_print_raw(cli, SKN_STR(")"));
        }
        skn_print_raw(cli, SKN_STR(".\n"));
    }
    say_effects(cli, m, counted);
    say_newer(cli, m, way_back(cli, m, words));
    return rc;
}

static skein_rc step_versions(skn_cli *cli, const char *move, const wording *words)
{
    const skn_json *made, *counted;
    int64_t         steps = 1;
    skein_rc        rc;

    if (cli->arg_count &&
        (!skn_str_int(skn_arg(cli, 0), &steps) || steps < 1 || steps > 1000000))
        return skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not a number of steps",
                        cli->args[0]);
    if ((rc = skn_need_change(cli, NULL, NULL)) ||
        (rc = travel(cli, move, steps, SKN_NONE, &made, &counted)))
        return rc;
    return move_out(cli, made, counted, words);
}

skein_rc skn_cmd_undo(skn_cli *cli)
{
    return step_versions(
        cli, "undo",
        &(wording){"takes back", "Took back", "Bring it back with", "skein redo", false});
}

skein_rc skn_cmd_redo(skn_cli *cli)
{
    return step_versions(
        cli, "redo",
        &(wording){"brings back", "Brought back", "Undo with", "skein undo", true});
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

    if (skn_is_version(skn_arg(cli, 0)) || skn_is_version_at(skn_arg(cli, 0))) {
        rc = skn_need_version_at(cli, chat, cli->args[0], &v, length);
        *version = rc ? 0 : v.number;
        return rc;
    }
    if ((rc = skn_need_message(cli, skn_arg(cli, 0), &m)) ||
        (rc = skn_door_message(cli, m.uid, &m, &facts, NULL)))
        return rc;
    if (!facts.version_count || m.position < 0)
        return skn_fail(&cli->err, SKEIN_NOT_FOUND, "\"%s\" is in no version of the main lane",
                        cli->args[0]);
    *version = skn_home_version(&facts, chat->version);
    *length = m.position + 1;
    return SKEIN_OK;
}

skein_rc skn_cmd_switch(skn_cli *cli)
{
    skein_conversation chat;
    skein_version      version;
    const skn_json    *made, *counted;
    int64_t            length;
    skein_rc           rc = skn_need_change(cli, NULL, &chat);

    if (rc)
        return rc;
    if (skn_is_version(skn_arg(cli, 0)) || skn_is_version_at(skn_arg(cli, 0)))
        rc = skn_need_version(cli, &chat, cli->args[0], &version);
    else if (!(rc = branch_point(cli, &chat, &version.number, &length)))
        version.thread_uid = skn_arena_printf(cli->keep, "v%" PRId64, version.number);
    if (rc || (rc = travel(cli, NULL, 1, version.thread_uid, &made, &counted)))
        return rc;
    if (cli->json || cli->dry_run)
        return move_out(cli, made, counted, &(wording){NULL, NULL, NULL, "skein undo", true});
    skn_say(cli, made,
            "Now at {version} (was {previousVersion}). Back with \"skein undo\" or \"skein "
            "switch {previousVersion}\".\n");
    say_newer(cli, made, "\"skein undo\"");
    return SKEIN_OK;
}

/* --- Branches ----------------------------------------------------------------------------- */

skein_rc skn_branch_new(skn_cli *cli, int64_t version, int64_t length, skn_str title,
                        const skn_json **out)
{
    skn_door_body b;
    skn_jw       *w = skn_door_body_begin(cli, &b);

    skn_jw_kstr(w, "threadId", skn_arena_printf(cli->keep, "v%" PRId64, version));
    if (length >= 0)
        skn_jw_kint(w, "length", length);
    skn_jw_kgiven(w, "title", title);
    return skn_send(cli, &b, "POST", NULL, "{chat}/branches", out);
}

skein_rc skn_cmd_branch(skn_cli *cli)
{
    skein_conversation chat;
    const skn_json    *made = NULL;
    int64_t            version = 0, length = -1;
    skn_str            title = skn_str_of(skn_opt(cli, "title"));
    skein_rc           rc = skn_need_change(cli, NULL, &chat);

    if (rc || (rc = branch_point(cli, &chat, &version, &length)))
        return rc;
    if (skn_would(cli, "start a new conversation from v%" PRId64 "", version))
        return SKEIN_OK;
    if (!title.p && chat.title.n)
        title = skn_arena_printf(cli->keep, "%.*s (branch)", SKN_FMT(chat.title));
    rc = skn_branch_new(cli, version, length, title, &made);
    return skn_tell(cli, rc, made,
                    skn_arena_text(cli->keep,
                                   "Made the conversation {id} with {messageCount} "
                                   "message{messageCount s} of v%" PRId64
                                   ". Take it back with \"skein conv rm {id}\".\n",
                                   version));
}

/* --- History ------------------------------------------------------------------------------ */

/* The note without the word that stands before it already. */
static skn_str note_of(const skn_json *v)
{
    skn_str kind = skn_json_str(v, "operation"), note = skn_json_str(v, "note");

    if (kind.n && skn_str_starts(note, kind) && note.n > kind.n && note.p[kind.n] == ' ')
        return skn_str_sub(note, kind.n + 1, note.n);
    return note;
}

static void version_line(skn_cli *cli, const skn_json *v)
{
    size_t n = skn_json_str(v, "version").n;

    skn_say(cli, v, "{yellow version}");
    skn_print(cli, "%*s%s  ", (int)(n < 4 ? 4 - n : 0), "",
              skn_has(v, "current") ? "now" : "   ");
    skn_say(cli, v, "{operation 8} ");
    skn_print_line(cli, note_of(v), 50);
    skn_print_raw(cli, skn_has(v, "note") ? SKN_STR("  ") : SKN_NONE);
    skn_say(cli, v, "{length} message{length s}  {sender by}  {time createdAt}\n");
}

static skein_rc version_row(skn_cli *cli, const skn_json *v)
{
    size_t row = skn_row_begin(cli);

    version_line(cli, v);
    skn_row_end(cli, row, SKN_LIST_BEHIND);
    return SKEIN_OK;
}

static int64_t origin_of(const skn_json *v)
{
    return skn_door_version_number(skn_json_str(v, "originalVersion"));
}

/* Versions that another one was made from; the rest are tips, marked unless current. */
static bool *with_children(skn_cli *cli, const skn_json_list *all)
{
    bool *has = SKN_ARRAY(cli->keep, all->n + 2, bool);

    for (size_t i = 0; i < all->n; i++) {
        int64_t origin = origin_of(all->p[i]);

        if (origin > 0 && (size_t)origin <= all->n)
            has[origin] = true;
    }
    return has;
}

static void print_graph(skn_cli *cli, const skn_json_list *all, size_t count)
{
    skn_graph *graph = skn_graph_new(cli->keep);
    bool      *has = with_children(cli, all);

    for (size_t i = 0; i < count; i++) {
        const skn_json *v = all->p[i];
        int64_t         number = skn_door_int(v, "number", 0);
        bool            inner = number > 0 && (size_t)number <= all->n && has[number];

        skn_graph_node(cli, graph, number, origin_of(v),
                       skn_has(v, "current") || inner ? '*' : 'o');
        version_line(cli, v);
    }
}

skein_rc skn_cmd_history(skn_cli *cli)
{
    skn_json_list all = {0};
    int64_t       limit;
    size_t        count;
    skein_rc      rc = skn_need_chat(cli, NULL, NULL);

    if (rc || (rc = skn_opt_int(cli, "count", 1, INT64_MAX, INT64_MAX, &limit)) ||
        (rc = skn_read_all(cli, NULL, "{chat}/threads", 0, &all)))
        return rc;
    count = (int64_t)all.n < limit ? all.n : (size_t)limit;
    skn_out_page(cli);
    if (skn_opt(cli, "graph") && !cli->json) {
        print_graph(cli, &all, count);
        return SKEIN_OK;
    }
    all.n = count;
    return skn_say_list(cli, &all, version_row);
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
