/* export_mermaid.c: the reply links of a version as a Mermaid flowchart. Above 300 messages a
 * chart of all of them shows nothing: then it has one node for each who speaks, with counts.
 * A world is one chart, with a box for each conversation. */
#include "base/clean.h"
#include "base/utf8.h"
#include "engine/export.h"

#include <string.h>

#define NODES 300
#define LABEL 60 /* characters of text in a label */

/* --- Text in a chart ---------------------------------------------------------------------- */

/* A label stands in double quotes; "#name;" is Mermaid's way to write what would end it. */
static void add_char(skn_buf *out, skn_str c)
{
    static const struct {
        char        c;
        const char *as;
    } special[] = {{'"', "#quot;"}, {'#', "#35;"}, {'<', "#lt;"},  {'>', "#gt;"},
                   {'&', "#amp;"},  {'[', "("},    {']', ")"},     {'{', "("},
                   {'}', ")"},      {'`', "'"},    {'\\', "#92;"}, {'|', "#124;"}};

    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (*c.p == special[i].c) {
            skn_buf_addf(out, "%s", special[i].as);
            return;
        }
    skn_buf_add(out, c);
}

static void add_label(skn_buf *out, skn_str text, size_t most)
{
    size_t at = 0;

    for (size_t shown = 0; at < text.n && shown < most; shown++) {
        size_t bytes;

        if (skn_clean_harmful(skn_str_sub(text, at, text.n), &bytes))
            skn_buf_addc(out, ' ');
        else
            add_char(out, skn_str_sub(text, at, at + bytes));
        at += bytes;
    }
    if (at < text.n)
        skn_buf_addf(out, "…");
}

static bool is_world(const skn_exporter *x)
{
    return x->req->conversation.v == 0;
}

/* Branches have the same messages: a node is named after its box too. */
static void add_box(skn_exporter *x)
{
    if (is_world(x))
        skn_buf_addf(&x->out, "c%zu_", x->number);
}

/* A message's id as a node's name: letters and digits as they are, the rest as "_" and two
 * digits, and an "m" before what Mermaid might read as a word of its own. */
static void add_id(skn_exporter *x, skn_str uid)
{
    static const char *const words[] = {"end",   "graph", "flowchart", "subgraph",   "style",
                                        "click", "class", "classDef",  "linkStyle",  "default",
                                        "call",  "href",  "direction", "interpolate"};
    skn_buf                 *out = &x->out;

    add_box(x);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (skn_str_is(uid, words[i]))
            skn_buf_addf(out, "m_");
    for (size_t i = 0; i < uid.n; i++) {
        unsigned char c = (unsigned char)uid.p[i];

        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
            skn_buf_addc(out, (char)c);
        else
            skn_buf_addf(out, "_%02x", c);
    }
}

/* --- Every message ------------------------------------------------------------------------ */

static void add_node(skn_exporter *x, const skein_reply_node *n)
{
    const skein_message *m = &n->message;
    bool                 memory = n->memory_only;

    add_id(x, m->uid);
    skn_buf_addf(&x->out, memory ? "(\"" : "[\"");
    add_label(&x->out, skn_str_is(m->sender, "human") ? SKN_STR("You") : m->sender, LABEL);
    if (skn_export_scripted(m->model))
        skn_buf_addf(&x->out, " (scripted)");
    if (m->purged) {
        skn_buf_addf(&x->out, ": (erased)");
    } else if (!x->req->redact) {
        skn_buf_addf(&x->out, ": ");
        add_label(&x->out, m->content, LABEL);
    }
    skn_buf_addf(&x->out, memory ? "\")\n" : "\"]\n");
}

static skein_rc add_tree(skn_exporter *x, const skein_reply_tree *t, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < t->count; i++) {
        const skein_reply_node *n = &t->at[i];

        if (n->memory_only && x->req->no_memory_only)
            continue;
        skn_buf_addf(&x->out, "  ");
        if (n->parent >= 0) {
            add_id(x, t->at[n->parent].message.uid);
            skn_buf_addf(&x->out,
                         n->memory_only ? " -. \"in-memory, no reply\" .-> " : " --> ");
        }
        add_node(x, n);
        rc = skn_export_flush(x, err);
    }
    return rc;
}

static const skein_message *find_message(const skein_reply_tree *t, skein_message_id id)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->at[i].message.id.v == id.v)
            return &t->at[i].message;
    return NULL;
}

static void add_delegations(skn_exporter *x, const skein_reply_tree *t)
{
    for (size_t i = 0; i < x->lanes.count; i++) {
        const skein_lane    *lane = &x->lanes.at[i];
        const skein_message *from = find_message(t, lane->spawn_message);

        skn_buf_addf(&x->out, "  ");
        if (from) {
            add_id(x, from->uid);
            skn_buf_addf(&x->out, " -. delegates %.*s .-> ", SKN_FMT(lane->key));
        }
        add_box(x);
        skn_buf_addf(&x->out, "lane_%zu[[\"%.*s: %lld messages, %s\"]]\n", i + 1,
                     SKN_FMT(lane->key), (long long)lane->length,
                     skn_lane_state_name(lane->state));
    }
}

/* --- Counts ------------------------------------------------------------------------------- */

static size_t sender_index(const skein_stats *s, skn_str name)
{
    for (size_t i = 0; i < s->sender_count; i++)
        if (skn_str_eq(s->senders[i].who, name))
            return i + 1;
    return 0;
}

static skein_rc add_counts(skn_exporter *x, skein_error *err)
{
    skein_stats s;
    skein_rc rc = skein_stats_read(x->e, x->chat.id, x->version.number, x->req->root, x->slice,
                                   &s, err);

    if (rc)
        return rc;
    if (s.sender_count > NODES)
        s.sender_count = NODES;
    for (size_t i = 0; i < s.sender_count; i++) {
        skn_buf_addf(&x->out, "  ");
        add_box(x);
        skn_buf_addf(&x->out, "s%zu[\"", i + 1);
        add_label(&x->out,
                  skn_str_is(s.senders[i].who, "human") ? SKN_STR("You") : s.senders[i].who,
                  LABEL);
        skn_buf_addf(&x->out, ": %lld messages\"]\n", (long long)s.senders[i].count);
    }
    for (size_t i = 0; i < s.answer_count && i < NODES; i++) {
        size_t who = sender_index(&s, s.answers[i].who),
               whom = sender_index(&s, s.answers[i].whom);

        if (!who || !whom)
            continue;
        skn_buf_addf(&x->out, "  ");
        add_box(x);
        skn_buf_addf(&x->out, "s%zu -- \"%lld replies\" --> ", whom,
                     (long long)s.answers[i].count);
        add_box(x);
        skn_buf_addf(&x->out, "s%zu\n", who);
    }
    return SKEIN_OK;
}

/* All that the chart would show. */
static int64_t size_of(const skn_exporter *x)
{
    int64_t n = 0;

    for (size_t i = 0; is_world(x) && i < x->chats.count; i++)
        n += x->chats.at[i].length;
    return is_world(x) ? n : x->version.length;
}

static skein_rc add_chat(skn_exporter *x, skein_error *err)
{
    skein_reply_tree tree = {0};
    skein_rc         rc;

    if (size_of(x) > NODES && !x->req->root.v)
        return add_counts(x, err);
    rc = skein_reply_tree_read(x->e, x->chat.id, x->version.number, x->req->root, x->slice,
                               &tree, err);
    if (rc)
        return rc;
    if (tree.count > NODES)
        return add_counts(x, err);
    if ((rc = add_tree(x, &tree, err)))
        return rc;
    add_delegations(x, &tree);
    return SKEIN_OK;
}

static skein_rc begin(skn_exporter *x, skein_error *err)
{
    (void)err;
    skn_buf_addf(&x->out, "flowchart TD\n");
    return SKEIN_OK;
}

static skein_rc write_chat(skn_exporter *x, skein_error *err)
{
    skein_rc rc;

    if (!is_world(x))
        return add_chat(x, err);
    skn_arena_reset(x->slice);
    skn_buf_addf(&x->out, "  subgraph c%zu[\"", x->number);
    add_label(&x->out, x->chat.title.n ? x->chat.title : x->chat.uid, LABEL);
    skn_buf_addf(&x->out, "\"]\n");
    rc = add_chat(x, err);
    skn_buf_addf(&x->out, "  end\n");
    return rc ? rc : skn_export_flush(x, err);
}

const skn_export_form skn_export_mermaid = {begin, write_chat, NULL};
