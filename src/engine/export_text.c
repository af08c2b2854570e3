/* export_text.c: a conversation as Markdown that reads well as plain text: numbered entries,
 * each line of a text indented under its entry, so that nothing said can look like an entry, and
 * nothing can move the cursor of a terminal that shows it. */
#include "base/clean.h"
#include "base/clock.h"
#include "engine/export.h"

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

static void add_receivers(skn_buf *out, const skein_message_facts *f)
{
    for (size_t i = 0; i < f->seen_by_count; i++) {
        skn_buf_add(out, i ? SKN_STR(", ") : SKN_STR(" → "));
        add_flat(out, f->seen_by[i]);
    }
}

/* "(reply to HUMAN)", or of a message that replies to nothing whose it is. */
static skein_rc add_reply(skn_exporter *x, const skein_message *m, const skein_message_facts *f,
                          skein_error *err)
{
    skn_str  to, parent = f->shown_reply.p ? f->shown_reply : m->reply_to;
    skein_rc rc;

    if (!parent.p) {
        skn_buf_addf(&x->out, " (message from ");
        add_flat(&x->out, m->sender);
        skn_buf_addc(&x->out, ')');
        return SKEIN_OK;
    }
    if ((rc = skn_export_sender(x, parent, &to, err)))
        return rc;
    skn_buf_addf(&x->out, " (reply to ");
    if (!to.p)
        skn_buf_addf(&x->out, "a message that is not here");
    else
        add_flat(&x->out, skn_str_is(to, "human") ? SKN_STR("HUMAN") : to);
    skn_buf_addc(&x->out, ')');
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
        add_receivers(out, f);
        return SKEIN_OK;
    case SKEIN_TOOL:
        skn_buf_addf(out, "Tool: ");
        add_flat(out, m->sender);
        skn_buf_addf(out, m->tool_failed ? " (failed, call " : " (result of call ");
        add_flat(out, m->tool_call_id);
        skn_buf_addc(out, ')');
        return SKEIN_OK;
    case SKEIN_SUMMARY:
        skn_buf_addf(out, "Summary by ");
        add_flat(out, m->sender);
        return SKEIN_OK;
    case SKEIN_SYSTEM:
        skn_buf_addf(out, "Notice from ");
        add_flat(out, m->sender);
        return SKEIN_OK;
    case SKEIN_ASSISTANT:
        break;
    }
    skn_buf_addf(out, "Agent: ");
    add_flat(out, m->sender);
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
    if (m->squash_uid.n)
        skn_buf_addf(out, " [squash]");
    if (f->memory_only)
        skn_buf_addf(out, " [in-memory, no reply]");
    if (m->unfinished)
        skn_buf_addf(out, " [%s]", skein_unfinished_words(m->unfinished));
    skn_buf_addf(out, "  (%.*s, %.*s", SKN_FMT(m->uid),
                 SKN_FMT(skn_export_when(m->created_at, when)));
    if (m->model.n) {
        skn_buf_addf(out, skn_export_scripted(m->model) ? ", model: " : ", ");
        add_flat(out, skn_export_model(m->model));
    }
    skn_buf_addf(out, ")\n");
    return SKEIN_OK;
}

/* --- What stands under it ----------------------------------------------------------------- */

static void add_calls(skn_buf *out, size_t indent, const skein_message *m)
{
    for (size_t i = 0; i < m->call_count; i++) {
        skn_buf_fill(out, ' ', indent);
        skn_buf_addf(out, "[calls ");
        add_flat(out, m->calls[i].tool_name);
        skn_buf_addc(out, ' ');
        add_flat(out, m->calls[i].args);
        skn_buf_addf(out, " as ");
        add_flat(out, m->calls[i].call_id);
        skn_buf_addf(out, "]\n");
    }
}

static void add_instructions(skn_buf *out, size_t indent, const skein_message *m)
{
    for (size_t i = 0; i < m->instruction_count; i++) {
        skn_buf_fill(out, ' ', i ? 1 : indent);
        skn_buf_addc(out, '[');
        add_flat(out, m->instructions[i].type);
        if (m->instructions[i].target.p) {
            skn_buf_addf(out, ": ");
            add_flat(out, m->instructions[i].target);
        }
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
    list         *l = arg;
    skn_buf      *out = &l->x->out;
    size_t        indent = digits(++l->number) + 2;
    skein_message bare;
    skein_rc      rc;

    if ((rc = add_head(l, m, f, err)))
        return rc;
    if (m->purged) {
        add_indented(out, indent, "", SKN_STR("[erased]"));
        return SKEIN_OK;
    }
    if (l->x->req->redact) {
        skn_buf_fill(out, ' ', indent);
        skn_buf_addf(out, "[%zu bytes]\n", m->content.n);
        bare = skn_export_redacted(m, l->x->slice);
        m = &bare;
    }
    add_instructions(out, indent, m);
    add_indented(out, indent, "> ", m->thinking.n ? m->thinking : SKN_NONE);
    add_indented(out, indent, "", m->content.n ? m->content : SKN_NONE);
    add_calls(out, indent, m);
    if (m->warning.n) {
        skn_buf_fill(out, ' ', indent);
        skn_buf_addf(out, "[note: ");
        add_flat(out, m->warning);
        skn_buf_addf(out, "]\n");
    }
    return SKEIN_OK;
}

/* --- Conversations ------------------------------------------------------------------------ */

static void add_lane(skn_exporter *x, const skein_lane *lane, const char *mark)
{
    skn_buf_addf(&x->out, "%s %.*s", mark, SKN_FMT(lane->key));
    if (lane->agent_name.n) {
        skn_buf_addf(&x->out, " (");
        add_flat(&x->out, lane->agent_name);
        skn_buf_addc(&x->out, ')');
    }
    skn_buf_addf(&x->out, ", %s", skn_lane_state_name(lane->state));
    if (lane->spawn_call_id.n) {
        skn_buf_addf(&x->out, ", call ");
        add_flat(&x->out, lane->spawn_call_id);
    }
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

    skn_buf_addf(&x->out, "%s# ", x->chat.id.v == x->chats.at[0].id.v ? "" : "\n");
    add_flat(&x->out, x->world.name);
    skn_buf_addf(&x->out, ": ");
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
