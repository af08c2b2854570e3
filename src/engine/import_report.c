/* import_report.c: what became of an imported file, for people and for programs. */
#include "engine/exchange.h"

static void add_line(skn_buf *out, int64_t count, const char *what)
{
    if (count)
        skn_buf_addf(out, "  %lld %s\n", (long long)count, what);
}

/* What will be, or what was. */
static const char *tense(bool dry_run, const char *future, const char *past)
{
    return dry_run ? future : past;
}

static void add_count(skn_buf *out, int64_t count, const char *what, const char *then)
{
    skn_buf_addf(out, "%lld %s%s%s", (long long)count, what, count == 1 ? "" : "s", then);
}

static void add_ids(skn_buf *out, const skn_import_report *r, bool dry_run)
{
    skn_buf_addf(out, "  %lld %s message ids, %lld %s new ones\n", (long long)r->ids_kept,
                 r->ids_kept == 1 ? "has" : "have", (long long)r->ids_made,
                 tense(dry_run, "will get", "got"));
    skn_buf_addf(out,
                 "  %lld %s reply links, %lld %s guessed from time and marked as guessed\n",
                 (long long)r->links_kept, r->links_kept == 1 ? "has" : "have",
                 (long long)r->links_guessed,
                 tense(dry_run, "will be", r->links_guessed == 1 ? "was" : "were"));
}

static void add_worlds(skn_buf *out, const skn_import_report *r)
{
    if (r->world_count > 1)
        skn_buf_addf(out, "They are worlds ");
    else
        skn_buf_addf(out, "It is world ");
    for (size_t i = 0; i < r->world_count; i++)
        skn_buf_addf(out, "%s\"%.*s\"", i ? ", " : "", SKN_FMT(r->worlds[i]));
    skn_buf_addf(out, ".\n");
}

void skn_import_report_text(const skn_import_report *r, skn_str file, bool dry_run,
                            skn_buf *out)
{
    bool archive = r->exact || r->not_said;

    skn_buf_addf(out, "%.*s: %.*s, ", SKN_FMT(file), SKN_FMT(r->form));
    if (r->world_count > 1)
        skn_buf_addf(out, "%zu worlds, ", r->world_count);
    add_count(out, r->agents, "agent", ", ");
    add_count(out, r->conversations, "conversation", ", ");
    add_count(out, r->messages, "message", "\n");
    if (archive) {
        skn_buf_addf(out, "  ");
        add_count(out, r->versions, "version",
                  "; ids, order, links and provenance exactly as they were\n");
    } else {
        add_ids(out, r, dry_run);
    }
    add_line(out, r->copies, "were copies of a message in another agent's memory");
    add_line(out, r->archives, "archived sessions are chats of their own");
    add_line(out, r->circular, "circular: link dropped");
    add_line(out, r->too_deep, "deeper than 100 levels: link dropped");
    add_line(out, r->orphans,
             "orphans (their parent is not in the file before them): kept as roots");
    add_line(out, r->dropped, "could not be kept");
    for (size_t i = 0; i < r->note_count; i++)
        skn_buf_addf(out, "  - %.*s\n", SKN_FMT(r->notes[i]));
    if (r->note_count == SKN_IMPORT_NOTES)
        skn_buf_addf(out, "  - and more like these\n");
    if (dry_run)
        skn_buf_addf(out, "Nothing was written (-n).\n");
    else
        add_worlds(out, r);
}

void skn_import_report_json(const skn_import_report *r, skn_str file, bool dry_run, skn_jw *w)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "file", file);
    skn_jw_kstr(w, "form", r->form);
    skn_jw_kstr(w, "world", r->world);
    skn_jw_key(w, "worlds");
    skn_jw_array(w);
    for (size_t i = 0; i < r->world_count; i++)
        skn_jw_str(w, r->worlds[i]);
    skn_jw_array_end(w);
    skn_jw_kbool(w, "dryRun", dry_run);
    skn_jw_kbool(w, "exact", r->exact);
    skn_jw_kint(w, "agents", r->agents);
    skn_jw_kint(w, "conversations", r->conversations);
    skn_jw_kint(w, "versions", r->versions);
    skn_jw_kint(w, "messages", r->messages);
    skn_jw_kint(w, "idsKept", r->ids_kept);
    skn_jw_kint(w, "idsMade", r->ids_made);
    skn_jw_kint(w, "copies", r->copies);
    skn_jw_kint(w, "archives", r->archives);
    skn_jw_kint(w, "linksKept", r->links_kept);
    skn_jw_kint(w, "linksGuessed", r->links_guessed);
    skn_jw_kint(w, "circular", r->circular);
    skn_jw_kint(w, "tooDeep", r->too_deep);
    skn_jw_kint(w, "orphans", r->orphans);
    skn_jw_kint(w, "dropped", r->dropped);
    skn_jw_key(w, "notes");
    skn_jw_array(w);
    for (size_t i = 0; i < r->note_count; i++)
        skn_jw_str(w, r->notes[i]);
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}
