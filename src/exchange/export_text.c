/* export_text.c: a conversation as Markdown that reads well as plain text: numbered entries,
 * each line of a text indented under its entry, so that nothing said can look like an entry, and
 * nothing can move the cursor of a terminal that shows it. */
#include "base/clean.h"
#include "base/clock.h"
#include "exchange/export.h"

typedef struct list {
    skn_exporter *x;
    int64_t       number; /* of the entry at hand */
} list;

/* A text on one line, for headings and names. */
static void add_flat(skn_buf *out, skn_str text)
{
    skn_str line;
    bool    first = true;

    while (skn_export_line(&text, &line)) {
        if (!first)
            skn_buf_addc(out, ' ');
        skn_clean_add(out, line, false);
        first = false;
    }
}

/* The same with words around it. */
static void add_around(skn_buf *out, const char *before, skn_str text, const char *after)
{
    skn_buf_addf(out, "%s", before);
    add_flat(out, text);
    skn_buf_addf(out, "%s", after);
}

static void add_indented(skn_buf *out, size_t indent, const char *before, skn_str text)
{
    skn_str line;

    while (skn_export_line(&text, &line)) {
        if (line.n || *before) {
            skn_buf_fill(out, ' ', indent);
            skn_buf_addf(out, "%s", before);
        }
        skn_clean_add(out, line, false);
        skn_buf_addc(out, '\n');
    }
}

/* --- The line of an entry ----------------------------------------------------------------- */

/* "(reply to HUMAN)", or of a message that replies to nothing whose it is. */
static skein_rc add_reply(skn_exporter *x, const skein_message *m, const skein_message_facts *f,
                          skein_error *err)
{
    skn_str  to, parent;
    skein_rc rc = skn_export_reply(x, m, f, &parent, &to, err);

    if (rc)
        return rc;
    if (!parent.p)
        add_around(&x->out, " (message from ", m->sender, ")");
    else if (!to.p)
        skn_buf_addf(&x->out, " (reply to a message that is not here)");
    else
        add_around(&x->out, " (reply to ", skn_str_is(to, "human") ? SKN_STR("HUMAN") : to,
                   ")");
    return SKEIN_OK;
}

static skein_rc add_speaker(skn_exporter *x, const skein_message *m,
                            const skein_message_facts *f, skein_error *err)
{
    skn_buf *out = &x->out;

    switch (m->role) {
    case SKEIN_USER:
        if (m->author == SKEIN_BY_AGENT)
            break;
        add_flat(out, skn_str_is(m->sender, "human") ? SKN_STR("you") : m->sender);
        for (size_t i = 0; i < f->seen_by_count; i++)
            add_around(out, i ? ", " : " → ", f->seen_by[i], "");
        return SKEIN_OK;
    case SKEIN_TOOL:
        add_around(out, "Tool: ", m->sender,
                   m->tool_failed ? " (failed, call " : " (result of call ");
        add_around(out, "", m->tool_call_id, ")");
        return SKEIN_OK;
    case SKEIN_SUMMARY:
        add_around(out, "Summary by ", m->sender, "");
        return SKEIN_OK;
    case SKEIN_SYSTEM:
        add_around(out, "Notice from ", m->sender, "");
        return SKEIN_OK;
    case SKEIN_ASSISTANT:
        break;
    }
    add_around(out, "Agent: ", m->sender, "");
    return add_reply(x, m, f, err);
}

static skein_rc add_head(list *l, const skein_message *m, const skein_message_facts *f,
                         skein_error *err)
{
    skn_buf *out = &l->x->out;
    char     when[SKN_EXPORT_WHEN];
    skein_rc rc;

    skn_buf_addf(out, "%lld. ", (long long)l->number);
    if ((rc = add_speaker(l->x, m, f, err)))
        return rc;
    skn_export_marks(l->x, " ", m, f);
    skn_buf_addf(out, "  (%.*s, %.*s", SKN_FMT(m->uid),
                 SKN_FMT(skn_export_when(m->created_at, when)));
    if (m->model.n)
        add_around(out, skn_export_scripted(m->model) ? ", model: " : ", ",
                   skn_export_model(m->model), "");
    skn_buf_addf(out, ")\n");
    return SKEIN_OK;
}

/* --- What stands under it ----------------------------------------------------------------- */

static void add_calls(skn_buf *out, size_t indent, const skein_message *m)
{
    for (size_t i = 0; i < m->call_count; i++) {
        skn_buf_fill(out, ' ', indent);
        add_around(out, "[calls ", m->calls[i].tool_name, " ");
        add_flat(out, m->calls[i].args);
        add_around(out, " as ", m->calls[i].call_id, "]\n");
    }
}

/* A link to where a server with this store has it. */
static void add_files(skn_exporter *x, size_t indent, const skein_message *m)
{
    skein_attachments files = skn_export_files(x, m);

    for (size_t i = 0; i < files.count; i++) {
        skn_buf_fill(&x->out, ' ', indent);
        add_around(&x->out, "[", files.at[i].name, "]");
        skn_buf_addf(&x->out, "(/worlds/%.*s/files/%.*s)\n", SKN_FMT(x->world.name),
                     SKN_FMT(files.at[i].id));
    }
}

static void add_instructions(skn_buf *out, size_t indent, const skein_message *m)
{
    for (size_t i = 0; i < m->instruction_count; i++) {
        skn_buf_fill(out, ' ', i ? 1 : indent);
        add_around(out, "[", m->instructions[i].type, "");
        if (m->instructions[i].target.p)
            add_around(out, ": ", m->instructions[i].target, "");
        skn_buf_addc(out, ']');
    }
    if (m->instruction_count)
        skn_buf_addc(out, '\n');
}

static size_t digits(int64_t n)
{
    size_t count = 1;

    while (n >= 10) {
        n /= 10;
        count++;
    }
    return count;
}

static skein_rc add_entry(void *arg, const skein_message *m, const skein_message_facts *f,
                          skein_error *err)
{
    list    *l = arg;
    skn_buf *out = &l->x->out;
    size_t   indent = digits(++l->number) + 2;
    skein_rc rc;

    if ((rc = add_head(l, m, f, err)))
        return rc;
    if (m->purged) {
        add_indented(out, indent, "", SKN_STR("[erased]"));
        return SKEIN_OK;
    }
    if (l->x->req->redact) {
        skn_buf_fill(out, ' ', indent);
        skn_buf_addf(out, "[%zu bytes]\n", l->x->bytes);
    }
    add_instructions(out, indent, m);
    add_indented(out, indent, "> ", m->thinking.n ? m->thinking : SKN_NONE);
    add_indented(out, indent, "", m->content.n ? m->content : SKN_NONE);
    add_files(l->x, indent, m);
    add_calls(out, indent, m);
    if (m->warning.n) {
        skn_buf_fill(out, ' ', indent);
        add_around(out, "[note: ", m->warning, "]\n");
    }
    return SKEIN_OK;
}

/* --- Conversations ------------------------------------------------------------------------ */

static void add_lane(skn_exporter *x, const skein_lane *lane, const char *mark)
{
    skn_buf_addf(&x->out, "%s %.*s", mark, SKN_FMT(lane->key));
    if (lane->agent_name.n)
        add_around(&x->out, " (", lane->agent_name, ")");
    skn_buf_addf(&x->out, ", %s", skn_lane_state_name(lane->state));
    if (lane->spawn_call_id.n)
        add_around(&x->out, ", call ", lane->spawn_call_id, "");
    skn_buf_addf(&x->out, ", %lld messages\n", (long long)lane->length);
}

static skein_rc add_delegations(skn_exporter *x, skein_error *err)
{
    bool     full = x->req->delegations == SKN_DELEGATIONS_FULL;
    skein_rc rc = SKEIN_OK;

    if (x->lanes.count && !full)
        skn_buf_addf(&x->out, "\n## Delegations\n\n");
    for (size_t i = 0; !rc && i < x->lanes.count; i++) {
        list l = {x, 0};

        add_lane(x, &x->lanes.at[i], full ? "\n## Delegation" : "-");
        if (!full)
            continue;
        skn_buf_addc(&x->out, '\n');
        rc = skn_export_messages(x, x->lanes.at[i].key, add_entry, &l, err);
    }
    return rc;
}

static skein_rc write_chat(skn_exporter *x, skein_error *err)
{
    list     l = {x, 0};
    char     time[SKN_TIME_TEXT];
    skn_str  now = skn_str_sub(skn_time_format(x->now, time), 0, 19);
    skein_rc rc;

    add_around(&x->out, x->chat.id.v == x->chats.at[0].id.v ? "# " : "\n# ", x->world.name,
               ": ");
    add_flat(&x->out, skn_export_title(x, x->mem));
    skn_buf_addf(&x->out, "\nVersion v%lld · %lld messages", (long long)x->version.number,
                 (long long)x->version.length);
    if (x->req->root.v)
        skn_buf_addf(&x->out, ", of these one reply thread");
    if (x->req->no_memory_only)
        skn_buf_addf(&x->out, ", without those nobody answered");
    if (x->req->redact)
        skn_buf_addf(&x->out, ", without texts");
    skn_buf_addf(&x->out, " · exported %.*sZ by skein %s · times in UTC\n\n", SKN_FMT(now),
                 skein_version_text());
    if ((rc = skn_export_messages(x, SKN_NONE, add_entry, &l, err)))
        return rc;
    return add_delegations(x, err);
}

const skn_export_form skn_export_md = {NULL, write_chat, NULL};

/* The reply links of a version as a Mermaid flowchart. Above 300 messages a
 * chart of all of them shows nothing: then it has one node for each who speaks, with counts.
 * A world is one chart, with a box for each conversation. */

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

static void mermaid_add_delegations(skn_exporter *x, const skein_reply_tree *t)
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
    if ((rc = skein_reply_tree_read(x->e, x->chat.id, x->version.number, x->req->root, x->slice,
                                    &tree, err)))
        return rc;
    if (tree.count > NODES)
        return add_counts(x, err);
    if ((rc = add_tree(x, &tree, err)))
        return rc;
    mermaid_add_delegations(x, &tree);
    return SKEIN_OK;
}

static skein_rc begin_export(skn_exporter *x, skein_error *err)
{
    (void)err;
    skn_buf_addf(&x->out, "flowchart TD\n");
    return SKEIN_OK;
}

static skein_rc mermaid_write_chat(skn_exporter *x, skein_error *err)
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

const skn_export_form skn_export_mermaid = {begin_export, mermaid_write_chat, NULL};
