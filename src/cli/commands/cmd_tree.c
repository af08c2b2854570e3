#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/unanswered.h"

#include <inttypes.h>

#define LABEL_BYTES    60
#define TEXT_LEAST     20 /* columns */
#define SENDER_COLUMNS 5
#define MAX_LEVELS     128

typedef struct tree_job {
    skein_conversation chat;
    skein_reply_tree   tree;
    int64_t           *first, *next; /* children of a node, as a list; -1 ends it */
    int64_t            root;         /* the first of the roots */
    skn_str            thread;       /* of the version */
    skn_str            top;          /* only what is below this message; absent: all */
    bool              *shown;
    skn_marks         *marks;
} tree_job;

/* Lists of children in order; the tree gives parents before children. */
static void link_children(skn_cli *cli, tree_job *job)
{
    size_t   n = job->tree.count;
    int64_t *last = SKN_ARRAY(cli->keep, n + 1, int64_t), last_root = -1;

    job->first = SKN_ARRAY(cli->keep, n + 1, int64_t);
    job->next = SKN_ARRAY(cli->keep, n + 1, int64_t);
    job->root = -1;
    for (size_t i = 0; i < n; i++) {
        int64_t parent = job->tree.at[i].parent,
                *tail = parent < 0 ? &last_root : &last[parent];
        int64_t *head = parent < 0 ? &job->root : &job->first[parent];

        job->first[i] = job->next[i] = last[i] = -1;
        if (*head < 0)
            *head = (int64_t)i;
        else
            job->next[*tail] = (int64_t)i;
        *tail = (int64_t)i;
    }
}

/* A message is shown when it is wanted itself, or leads to one that is. */
static void choose(skn_cli *cli, tree_job *job, int64_t depth, bool unanswered)
{
    size_t n = job->tree.count;

    job->shown = SKN_ARRAY(cli->keep, n + 1, bool);
    for (size_t i = n; i-- > 0;) {
        const skein_reply_node *node = &job->tree.at[i];

        if (node->depth < depth && (!unanswered || node->unanswered))
            job->shown[i] = true;
        if (job->shown[i] && node->parent >= 0)
            job->shown[node->parent] = true;
    }
}

static bool shown_follows(const tree_job *job, int64_t i)
{
    for (i = job->next[i]; i >= 0; i = job->next[i])
        if (job->shown[i])
            return true;
    return false;
}

/* The next node in the order of a tree: below, beside, or beside one above. */
static int64_t next_row(const tree_job *job, int64_t i)
{
    if (job->first[i] >= 0)
        return job->first[i];
    while (i >= 0 && job->next[i] < 0)
        i = job->tree.at[i].parent;
    return i < 0 ? -1 : job->next[i];
}

/* What stands behind the text. */
static void node_tail(skn_cli *cli, const skein_reply_node *node)
{
    const skein_message *m = &node->message;

    skn_print_raw(cli, SKN_STR("  "));
    skn_print_id(cli, m->uid);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_time(cli, m->created_at);
    if (m->reply_to.n && node->parent < 0 && !cli->arg_count) /* else it is not asked for */
        skn_print_raw(cli, SKN_STR("  ! answers a message that is not here"));
    skn_print_unfinished(cli, m->unfinished, 0, 2);
    if (node->memory_only)
        skn_print_raw(cli, SKN_STR("  " SKN_MEMORY_ONLY));
}

/* Columns that the text may have: what the rest of the row leaves of the terminal, but not too few. */
static size_t text_columns(skn_cli *cli, const skein_reply_node *node)
{
    skn_buf shown = cli->out.bytes;
    size_t  used, width = (size_t)cli->out.width;

    if (!cli->out.terminal)
        return SKEIN_OK;
    skn_buf_init(&cli->out.bytes, shown.limit);
    skn_print_sender(cli, node->message.sender, SENDER_COLUMNS);
    node_tail(cli, node);
    used = skn_line_columns(skn_buf_str(&cli->out.bytes)) + 1 + (size_t)node->depth * 4;
    skn_buf_release(&cli->out.bytes);
    cli->out.bytes = shown;
    return width > used + TEXT_LEAST ? width - used : TEXT_LEAST;
}

static void node_line(skn_cli *cli, const tree_job *job, int64_t i, const bool *more)
{
    const skein_reply_node *node = &job->tree.at[i];

    for (int level = 1; level < node->depth; level++)
        skn_print_raw(cli, more[level] ? SKN_STR("│   ") : SKN_STR("    "));
    if (node->depth)
        skn_print_raw(cli, more[node->depth] ? SKN_STR("├── ") : SKN_STR("└── "));
    skn_print_sender(cli, node->message.sender, SENDER_COLUMNS);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_gist(cli, &node->message, text_columns(cli, node));
    node_tail(cli, node);
    skn_print_raw(cli, SKN_STR("\n"));
}

static void print_text(skn_cli *cli, const tree_job *job)
{
    bool more[MAX_LEVELS + 1] = {false};

    for (int64_t i = job->root; i >= 0; i = next_row(job, i)) {
        int depth = job->tree.at[i].depth;

        if (!job->shown[i] || depth > MAX_LEVELS)
            continue;
        more[depth] = shown_follows(job, i);
        node_line(cli, job, i, more);
        skn_print_marks(cli, job->marks, job->tree.at[i].message.uid);
    }
    skn_print(cli, "%zu message%s, depth %d, %" PRId64 " unanswered\n", job->tree.count,
              skn_plural((int64_t)job->tree.count), job->tree.depth, job->tree.unanswered);
}

static skein_rc print_json(skn_cli *cli, const tree_job *job)
{
    skein_rc rc = SKEIN_OK;

    skn_list_begin(cli);
    for (int64_t i = job->root; i >= 0 && !rc; i = next_row(job, i)) {
        const skein_reply_node *node = &job->tree.at[i];

        if (!job->shown[i])
            continue;
        skn_shape_node(skn_item(cli), job->chat.uid, node,
                       node->parent < 0 ? NULL : &job->tree.at[node->parent].message);
        rc = skn_item_end(cli);
    }
    skn_list_done(cli, rc);
    return rc;
}

/* A label that Graphviz reads as one string. */
static void dot_label(skn_cli *cli, const skein_message *m)
{
    skn_buf label;

    skn_buf_init(&label, 4096);
    skn_clean_add(&label, skn_sender_name(m->sender), false);
    skn_buf_add(&label, SKN_STR(": "));
    skn_clean_add(&label, skn_utf8_cut(m->content, LABEL_BYTES), false);
    skn_print_raw(cli, SKN_STR("\""));
    for (size_t i = 0; i < label.n; i++)
        skn_print(cli, "%s%c", label.p[i] == '"' || label.p[i] == '\\' ? "\\" : "", label.p[i]);
    skn_print_raw(cli, SKN_STR("\""));
    skn_buf_release(&label);
}

static void print_dot(skn_cli *cli, const tree_job *job)
{
    skn_print_raw(cli, SKN_STR("digraph replies {\n  node [shape=box];\n"));
    for (int64_t i = job->root; i >= 0; i = next_row(job, i)) {
        const skein_reply_node *node = &job->tree.at[i];

        if (!job->shown[i])
            continue;
        skn_print(cli, "  \"%.*s\" [label=", SKN_FMT(node->message.uid));
        dot_label(cli, &node->message);
        skn_print_raw(cli, SKN_STR("];\n"));
        if (node->parent >= 0)
            skn_print(cli, "  \"%.*s\" -> \"%.*s\";\n",
                      SKN_FMT(job->tree.at[node->parent].message.uid),
                      SKN_FMT(node->message.uid));
    }
    skn_print_raw(cli, SKN_STR("}\n"));
}

static skein_rc to_output(void *arg, skn_str bytes, skein_error *err)
{
    (void)err;
    skn_print_text(arg, bytes);
    return SKEIN_OK;
}

static skein_rc read_place(skn_cli *cli, tree_job *job)
{
    skein_message root;
    skein_rc      rc = skn_need_thread(cli, &job->chat, &job->thread);

    if (!rc && cli->arg_count && !(rc = skn_need_message(cli, skn_arg(cli, 0), &root)))
        job->top = root.uid;
    return rc;
}

/* People see who did not answer; programs get it with the messages. */
static skein_rc load_tree(skn_cli *cli, tree_job *job)
{
    skein_rc rc = skn_door_tree(cli, job->thread, job->top, &job->tree);

    if (rc || cli->json || skn_opt(cli, "dot"))
        return rc;
    return skn_marks_read(cli, job->thread, &job->marks);
}

static skein_rc print_mermaid(skn_cli *cli, const tree_job *job)
{
    const skn_export_order spec = {
        .thread = job->thread, .root = job->top, .format = SKN_FORMAT_MERMAID};
    const skn_sink sink = {to_output, cli};

    return skn_export_pass(cli, &spec, &sink);
}

skein_rc skn_cmd_tree(skn_cli *cli)
{
    tree_job job = {.root = -1};
    int64_t  depth;
    skein_rc rc;

    if ((rc = skn_opt_int(cli, "depth", 1, MAX_LEVELS, MAX_LEVELS, &depth)) ||
        (rc = read_place(cli, &job)))
        return rc;
    if (skn_opt(cli, "mermaid") && !cli->json)
        return print_mermaid(cli, &job);
    if ((rc = load_tree(cli, &job)))
        return rc;
    link_children(cli, &job);
    choose(cli, &job, depth, skn_opt(cli, "unanswered"));
    skn_out_page(cli);
    if (cli->json)
        return print_json(cli, &job);
    if (skn_opt(cli, "dot"))
        print_dot(cli, &job);
    else
        print_text(cli, &job);
    return SKEIN_OK;
}
