/* import.c: the form of a file, and the report of its import. */
#include "exchange/import.h"
#include "base/shape_rows.h"
#include "exchange/archive.h"

#include <errno.h>
#include <sys/stat.h>

/* --- Files -------------------------------------------------------------------------------- */

/* A value of two bytes takes a hundred when it is read: so what stands between values is counted
 * first. */
static bool too_many_values(skn_str bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes.n; i++)
        n += bytes.p[i] == ',' || bytes.p[i] == '[' || bytes.p[i] == '{' || bytes.p[i] == '\n';
    return n > SKN_IMPORT_VALUES;
}

static skein_rc fail_large(const char *path, skein_error *err)
{
    return skn_fail_hint(err, SKEIN_LIMIT, "Import it in parts; an archive may have any size.",
                         "\"%s\" is too large to be imported", path);
}

skein_rc skn_import_read(const char *path, skn_buf *out, skein_error *err)
{
    char   piece[65536];
    FILE  *in = fopen(path, "rb");
    size_t n;
    int    failed;

    if (!in)
        return skn_fail(err, errno == ENOENT ? SKEIN_NOT_FOUND : SKEIN_IO,
                        "cannot open \"%s\": %s", path, strerror(errno));
    while (!out->over && (n = fread(piece, 1, sizeof piece, in)) > 0)
        skn_buf_add(out, (skn_str){piece, n});
    failed = ferror(in);
    fclose(in);
    if (failed)
        return skn_fail(err, SKEIN_IO, "cannot read \"%s\"", path);
    return out->over || too_many_values(skn_buf_str(out)) ? fail_large(path, err) : SKEIN_OK;
}

skn_str skn_import_base_name(const char *path)
{
    skn_str s = skn_str_of(path);
    size_t  from, to;

    while (s.n > 1 && s.p[s.n - 1] == '/')
        s.n--;
    for (from = s.n; from > 0 && s.p[from - 1] != '/';)
        from--;
    for (to = s.n; to > from && s.p[to - 1] != '.';)
        to--;
    return skn_str_sub(s, from, to > from + 1 ? to - 1 : s.n);
}

/* --- Another program's file ---------------------------------------------------------------- */

typedef enum form { FORM_ARCHIVE, FORM_LINES, FORM_FOLDER, FORM_DATABASE } form;

static skein_rc read_foreign(skn_foreign_file *file, const char *path, form what,
                             skein_error *err)
{
    size_t   found = 0;
    skein_rc rc = what == FORM_FOLDER     ? skn_import_folder(file, path, err)
                  : what == FORM_DATABASE ? skn_import_agentworld(file, path, err)
                                          : skn_import_lines(file, path, err);

    if (!rc && file->starved)
        rc = skn_import_starved(err);
    for (size_t i = 0; !rc && i < file->worlds.n; i++) {
        found += file->worlds.p[i]->messages.n + file->worlds.p[i]->agents.n;
        rc = skn_foreign_link(file->worlds.p[i], err);
    }
    if (rc || found)
        return rc;
    if (file->notes.n)
        return skn_fail(err, SKEIN_DATA, "nothing in \"%s\" can be imported: %.*s", path,
                        SKN_FMT(file->notes.p[0]));
    return skn_fail_hint(err, SKEIN_DATA, SKN_IMPORT_KNOWN,
                         "there is no conversation in \"%s\"", path);
}

/* A world on its way from its file into the store. */
typedef struct arrival {
    skn_foreign       *f;
    skn_import_request req;
    skn_import_report  report;
    skn_buf            archive;
    skn_lines          lines;
    skn_intake         intake;
} arrival;

/* One world becomes what it is asked to be called; of several each gets that before its own. */
static skn_str name_of(const skn_foreign *f, const skn_import_request *req, const char *path)
{
    skn_foreign_file *file = f->file;
    skn_str           name = f->world;

    if (!name.p)
        name = skn_foreign_name(skn_import_base_name(path), "imported", file->a);
    if (req->as_name.p && file->worlds.n == 1)
        return req->as_name;
    if (req->as_name.p)
        name = skn_foreign_name(
            skn_arena_printf(file->a, "%.*s-%.*s", SKN_FMT(req->as_name), SKN_FMT(name)),
            "imported", file->a);
    return skn_foreign_free_name(file->names, name, file->a);
}

static skein_rc arrive(arrival *w, skn_foreign *f, const skn_import_request *req,
                       const char *path, skein_error *err)
{
    skein_rc rc;

    w->f = f;
    w->req = *req;
    f->world = w->req.as_name = name_of(f, req, path);
    skn_buf_init(&w->archive, SIZE_MAX / 4);
    if ((rc = skn_foreign_archive(f, &w->archive, err)))
        return rc;
    skn_lines_memory(&w->lines, path, skn_buf_str(&w->archive), SKN_ARCHIVE_LINE);
    return skn_intake_read(&w->intake, &w->lines, &w->req, f->a, &w->report, err);
}

/* What was counted while reading goes into the report beside what the archives' import filled. */
static void add_report(skn_import_report *to, const arrival *w)
{
    const skn_import_report *read = &w->f->report, *put = &w->report;

    if (to->world_count++ == 0) {
        to->world = put->world;
        to->world_id = put->world_id;
    }
    to->agents += put->agents;
    to->conversations += put->conversations;
    to->versions += put->versions;
    to->messages += put->messages;
    to->ids_kept += read->ids_kept;
    to->ids_made += read->ids_made;
    to->copies += read->copies;
    to->archives += read->archives;
    to->links_kept += read->links_kept;
    to->links_guessed += read->links_guessed;
    to->circular += read->circular;
    to->too_deep += read->too_deep;
    to->orphans += read->orphans;
    to->dropped += read->dropped;
}

/* What is imported: of several worlds those that are in the store already are left out. */
static skein_rc leave_known(skn_foreign_file *file, arrival *all, arrival **kept, size_t *count,
                            skein_error *err)
{
    size_t   worlds = file->worlds.n;
    skein_rc rc, last = SKEIN_OK;

    *count = 0;
    for (size_t i = 0; i < worlds; i++) {
        skn_intake *intake = &all[i].intake;

        rc = skn_intake_try(intake, file->e->store, err);
        if (rc && (worlds == 1 || !intake->known))
            return rc;
        if (rc)
            skn_foreign_note(file,
                             "world \"%.*s\" is already in this store and was left as it is",
                             SKN_FMT(intake->there));
        else
            kept[(*count)++] = &all[i];
        last = rc ? rc : last;
    }
    return *count ? SKEIN_OK : last;
}

static skein_rc put_foreign(skn_foreign_file *file, arrival *all, bool dry_run,
                            skn_import_report *out, skein_error *err)
{
    arrival    **kept = SKN_ARRAY(file->a, file->worlds.n, arrival *);
    skn_intake **intakes = SKN_ARRAY(file->a, file->worlds.n, skn_intake *);
    size_t       count;
    skein_rc     rc = leave_known(file, all, kept, &count, err);

    for (size_t i = 0; i < count; i++)
        intakes[i] = &kept[i]->intake;
    if (!rc && !dry_run)
        rc = skn_intake_put_all(intakes, count, file->e->store, err);
    if (rc)
        return rc;
    *out = (skn_import_report){.form = file->form};
    out->worlds = SKN_ARRAY(file->a, count, skn_str);
    for (size_t i = 0; i < count; i++) {
        if (!dry_run)
            skn_import_edits_keep(kept[i]->f, kept[i]->report.world_id);
        out->worlds[i] = kept[i]->report.world;
        add_report(out, kept[i]);
    }
    out->notes = file->notes.p;
    out->note_count = file->notes.n;
    return SKEIN_OK;
}

static skein_rc import_foreign(skein_engine *e, const char *path, form what,
                               const skn_import_request *req, skein_mem *mem,
                               skn_import_report *out, skein_error *err)
{
    skn_foreign_file file;
    arrival         *all;
    skein_rc         rc;

    skn_foreign_file_init(&file, e, mem);
    if ((rc = read_foreign(&file, path, what, err)))
        return rc;
    all = SKN_ARRAY(mem, file.worlds.n, arrival);
    for (size_t i = 0; !rc && i < file.worlds.n; i++)
        rc = arrive(&all[i], file.worlds.p[i], req, path, err);
    if (!rc)
        rc = put_foreign(&file, all, req->dry_run, out, err);
    for (size_t i = 0; i < file.worlds.n; i++)
        skn_buf_release(&all[i].archive);
    return rc;
}

/* --- An archive ---------------------------------------------------------------------------- */

/* An archive may come from anywhere; what we make of another program's file is sound by
 * itself. */
static skein_rc import_archive(skein_engine *e, const char *path, const skn_import_request *req,
                               skein_mem *mem, skn_import_report *out, skein_error *err)
{
    skn_intake intake;
    skn_lines  lines;
    skein_rc   rc = skn_lines_open(&lines, path, SKN_ARCHIVE_LINE, err);

    if (!rc && !(rc = skn_intake_read(&intake, &lines, req, mem, out, err)))
        rc = skn_intake_try(&intake, e->store, err);
    if (!rc)
        rc = skn_intake_prove(&intake, err);
    if (!rc && !req->dry_run)
        rc = skn_intake_put(&intake, e->store, err);
    if (req->dry_run)
        out->world_id.v = 0;
    out->worlds = SKN_NEW(mem, skn_str);
    out->worlds[0] = out->world;
    out->world_count = 1;
    skn_lines_close(&lines);
    return rc;
}

/* --- Which form --------------------------------------------------------------------------- */

/* An archive and a database say so in their first bytes. */
static skein_rc looks_like(const char *path, form *out, skein_error *err)
{
    struct stat st;
    char        start[16];
    FILE       *in;
    size_t      n;

    if (stat(path, &st))
        return skn_fail(err, errno == ENOENT ? SKEIN_NOT_FOUND : SKEIN_IO,
                        "cannot open \"%s\": %s", path, strerror(errno));
    *out = FORM_FOLDER;
    if (S_ISDIR(st.st_mode))
        return SKEIN_OK;
    if (!(in = fopen(path, "rb")))
        return skn_fail(err, SKEIN_IO, "cannot open \"%s\": %s", path, strerror(errno));
    n = fread(start, 1, sizeof start, in);
    fclose(in);
    *out = FORM_LINES;
    if (skn_foreign_db_is((skn_str){start, n}))
        *out = FORM_DATABASE;
    else if (skn_archive_is((skn_str){start, n}) ||
             skn_str_ends(skn_str_of(path), SKN_STR(".skein")))
        *out = FORM_ARCHIVE;
    return SKEIN_OK;
}

skein_rc skn_import(skein_engine *e, const char *path, const skn_import_request *req,
                    skein_mem *mem, skn_import_report *out, skein_error *err)
{
    skn_import_request r = *req;
    form               what = FORM_LINES;
    skein_rc           rc;

    *out = (skn_import_report){0};
    if (r.as_name.p && (rc = skn_name_normal(r.as_name, mem, &r.as_name, err)))
        return rc;
    if ((rc = looks_like(path, &what, err)))
        return rc;
    return what == FORM_ARCHIVE ? import_archive(e, path, &r, mem, out, err)
                                : import_foreign(e, path, what, &r, mem, out, err);
}

/* The result of an import, for people and for programs. */

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
    bool archive = skn_str_is(r->form, "skein archive");

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

typedef struct told_report {
    skn_import_report r;
    skn_str           file;
    bool              dry_run;
} told_report;

#include "exchange/import_report.def"

void skn_import_report_json(const skn_import_report *r, skn_str file, bool dry_run, skn_jw *w)
{
    skn_shape_write(w, &report_shape, &(told_report){*r, file, dry_run});
}
