/* import.c: which form a file has, and the report of what became of it. */
#include "engine/import.h"

#include "base/utf8.h"
#include "engine/archive.h"
#include "engine/mention.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* --- What is being read ------------------------------------------------------------------- */

void skn_foreign_init(skn_foreign *f, skein_engine *e, skn_arena *a, skn_import_report *report)
{
    *f = (skn_foreign){.e = e, .a = a, .report = report, .turn_limit = 8, .current_chat = -1};
    f->created_at = SKN_NOW();
    f->names = skn_map_new(a);
    f->taken = skn_map_new(a);
    f->chat_ids = skn_map_new(a);
    *report = (skn_import_report){0};
}

void skn_foreign_note(skn_foreign *f, const char *fmt, ...)
{
    char    text[400];
    va_list args;

    if (f->notes.n >= SKN_IMPORT_NOTES)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    skn_vec_add(f->a, &f->notes, skn_arena_copy(f->a, skn_utf8_cut(skn_str_of(text), 399)));
}

skn_str skn_foreign_name(skn_str from, const char *otherwise, skn_arena *a)
{
    char  *p = SKN_ARRAY(a, SKN_NAME_MAX + 1, char);
    size_t n = 0;

    for (size_t i = 0; i < from.n && n < SKN_NAME_MAX - 8; i++) {
        char c = from.p[i];
        bool letter;

        c = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
        letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (letter || (n > 0 && (c == '-' || c == '_')))
            p[n++] = c;
        else if (n > 0 && p[n - 1] != '-')
            p[n++] = '-';
    }
    while (n > 0 && p[n - 1] == '-')
        n--;
    return n ? (skn_str){p, n} : skn_str_of(otherwise);
}

/* A name of its own: "human" is the person, and the names before it are given. */
static skn_str free_name(skn_foreign *f, skn_str wanted)
{
    skn_str name = wanted;

    for (size_t i = 2; skn_str_is(name, "human") || skn_map_get(f->taken, name); i++)
        name = skn_arena_printf(f->a, "%.*s-%zu", SKN_FMT(wanted), i);
    *skn_map_slot(f->taken, name) = f;
    return name;
}

int64_t skn_foreign_agent_find(const skn_foreign *f, skn_str name)
{
    const size_t *index = name.p ? skn_map_get(f->names, name) : NULL;

    return index ? (int64_t)*index : -1;
}

int64_t skn_foreign_agent_of(skn_foreign *f, skn_str name)
{
    int64_t           known = skn_foreign_agent_find(f, name);
    skn_foreign_agent agent = {.created_at = f->created_at};
    size_t           *index;

    if (known >= 0 || f->agents.n >= SKN_IMPORT_AGENTS)
        return known;
    agent.name = free_name(f, skn_foreign_name(name, "agent", f->a));
    index = SKN_NEW(f->a, size_t);
    *index = f->agents.n;
    *skn_map_slot(f->names, name) = index;
    skn_vec_add(f->a, &f->agents, agent);
    return (int64_t)*index;
}

size_t skn_foreign_chat_of(skn_foreign *f, skn_str id)
{
    skn_foreign_chat chat = {.id = id, .created_at = f->created_at};
    void           **slot = skn_map_slot(f->chat_ids, id.p ? id : SKN_STR(""));
    size_t          *index = *slot;

    if (!index) {
        *slot = index = SKN_NEW(f->a, size_t);
        *index = f->chats.n;
        skn_vec_add(f->a, &f->chats, chat);
    }
    return *index;
}

/* Rows come agent by agent or message by message: either way the last one tells. */
bool skn_foreign_heard(skn_foreign *f, skn_foreign_message *m, size_t agent)
{
    size_t number = (size_t)(m - f->messages.p) + 1;

    if ((m->heard.n && m->heard.p[m->heard.n - 1] == agent) ||
        f->agents.p[agent].last_heard == number)
        return false;
    f->agents.p[agent].last_heard = number;
    skn_vec_add(f->a, &m->heard, agent);
    return true;
}

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
    skein_rc rc = skn_fail(err, SKEIN_LIMIT, "\"%s\" is too large to be imported", path);

    return skn_hint(err, rc, "Import it in parts; an archive may have any size.");
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

/* --- Which form --------------------------------------------------------------------------- */

/* The last part of a path, without what follows its last dot. */
static skn_str base_name(const char *path)
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

static skein_rc read_foreign(skn_foreign *f, const char *path, bool folder, skein_error *err)
{
    skein_rc rc = folder ? skn_import_folder(f, path, err) : skn_import_lines(f, path, err);

    if (rc)
        return rc;
    if (f->messages.n == 0 && f->agents.n == 0) {
        rc = skn_fail(err, SKEIN_DATA, "there is no conversation in \"%s\"", path);
        return skn_hint(err, rc,
                        "Known are skein archives, JSON lines, and agent-world folders.");
    }
    return skn_foreign_link(f, err);
}

/* Notes and counts of the reading go into the report that the archive's import has filled. */
static void finish_report(const skn_foreign *f, const skn_import_report *read,
                          skn_import_report *out)
{
    skn_import_report r = *read;

    r.world = out->world;
    r.world_id = out->world_id;
    r.agents = out->agents;
    r.conversations = out->conversations;
    r.versions = out->versions;
    r.messages = out->messages;
    r.notes = f->notes.p;
    r.note_count = f->notes.n;
    *out = r;
}

static skein_rc import_foreign(skein_engine *e, const char *path, bool folder,
                               const skn_import_request *req, skein_mem *mem,
                               skn_import_report *out, skein_error *err)
{
    skn_import_report read;
    skn_foreign       f;
    skn_intake        intake;
    skn_buf           archive;
    skn_lines         lines;
    skein_rc          rc;

    skn_foreign_init(&f, e, mem, &read);
    skn_buf_init(&archive, SIZE_MAX / 4);
    if (!(rc = read_foreign(&f, path, folder, err))) {
        if (!f.world.p)
            f.world = skn_foreign_name(base_name(path), "imported", mem);
        rc = skn_foreign_archive(&f, &archive, err);
    }
    if (!rc) {
        skn_lines_memory(&lines, path, skn_buf_str(&archive), SKN_ARCHIVE_LINE);
        rc = skn_intake_read(&intake, &lines, req, mem, out, err);
    }
    if (!rc)
        rc = req->dry_run ? skn_intake_try(&intake, e->store, err)
                          : skn_intake_put(&intake, e->store, err);
    if (!rc)
        finish_report(&f, &read, out);
    skn_buf_release(&archive);
    return rc;
}

/* An archive may come from anywhere; what we make of another program's file is sound by
 * itself. */
static skein_rc import_archive(skein_engine *e, const char *path, const skn_import_request *req,
                               skein_mem *mem, skn_import_report *out, skein_error *err)
{
    skn_intake intake;
    skn_lines  lines;
    skein_rc   rc = skn_lines_open(&lines, path, SKN_ARCHIVE_LINE, err);

    if (!rc)
        rc = skn_intake_read(&intake, &lines, req, mem, out, err);
    if (!rc)
        rc = skn_intake_try(&intake, e->store, err);
    if (!rc)
        rc = skn_intake_prove(&intake, err);
    if (!rc && !req->dry_run)
        rc = skn_intake_put(&intake, e->store, err);
    if (req->dry_run)
        out->world_id.v = 0;
    skn_lines_close(&lines);
    return rc;
}

/* An archive says so in its first bytes. */
static skein_rc looks_like(const char *path, bool *folder, bool *archive, skein_error *err)
{
    struct stat st;
    char        start[16];
    FILE       *in;
    size_t      n;

    *folder = *archive = false;
    if (stat(path, &st))
        return skn_fail(err, errno == ENOENT ? SKEIN_NOT_FOUND : SKEIN_IO,
                        "cannot open \"%s\": %s", path, strerror(errno));
    *folder = S_ISDIR(st.st_mode);
    if (*folder)
        return SKEIN_OK;
    if (!(in = fopen(path, "rb")))
        return skn_fail(err, SKEIN_IO, "cannot open \"%s\": %s", path, strerror(errno));
    n = fread(start, 1, sizeof start, in);
    fclose(in);
    *archive = skn_archive_is((skn_str){start, n}) ||
               skn_str_ends(skn_str_of(path), SKN_STR(".skein"));
    return SKEIN_OK;
}

skein_rc skn_import(skein_engine *e, const char *path, const skn_import_request *req,
                    skein_mem *mem, skn_import_report *out, skein_error *err)
{
    skn_import_request r = *req;
    bool               folder, archive;
    skein_rc           rc;

    *out = (skn_import_report){0};
    if (r.as_name.p && (rc = skn_name_normal(r.as_name, mem, &r.as_name, err)))
        return rc;
    if ((rc = looks_like(path, &folder, &archive, err)))
        return rc;
    return archive ? import_archive(e, path, &r, mem, out, err)
                   : import_foreign(e, path, folder, &r, mem, out, err);
}
