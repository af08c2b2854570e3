/* archive_scan.c: a whole archive from its first line to its last. */
#include "base/json.h"
#include "engine/archive.h"

#include <string.h>

typedef struct scan {
    skn_lines         *lines;
    skn_archive_check *check;
    skn_arena         *a; /* of one line */
    skn_sha256         hash;
    int64_t            rows;
    skn_archive_visit *visit;
    void              *arg;
    skn_archive_facts *out;
} scan;

static skein_rc fail_truncated(const scan *s, skein_error *err)
{
    skein_rc rc = skn_fail(err, SKEIN_DATA, "\"%s\" is cut off: its last line is missing",
                           s->lines->name);

    return skn_hint(err, rc, "Copy or export it again; nothing was written.");
}

/* True if the line is the same as what was written for it, but for its line end. */
static bool same(const skn_buf *written, skn_str line)
{
    return written->n == line.n + 1 && memcmp(written->p, line.p, line.n) == 0;
}

static skein_rc read_header_members(const scan *s, const skn_json *v, skein_error *err)
{
    skn_archive_header *h = &s->out->header;
    int64_t             format;
    skein_rc            rc;

    if ((rc = skn_json_int(v, "skein", 0, &format, err)))
        return rc;
    if (format != SKN_ARCHIVE_FORMAT) {
        rc = skn_fail(err, SKEIN_DATA,
                      "\"%s\" is an archive of format %lld; this program reads %d",
                      s->lines->name, (long long)format, SKN_ARCHIVE_FORMAT);
        return skn_hint(err, rc,
                        "Import it with the version of skein that wrote it, or a newer one.");
    }
    if ((rc = skn_json_int(v, "schema", 0, &h->schema, err)))
        return rc;
    if ((rc = skn_json_int(v, "conversation", 0, &h->conversation, err)) ||
        (rc = skn_json_int(v, "waiting", 0, &h->waiting, err)))
        return rc;
    return skn_json_int(v, "toolServers", 0, &h->tool_servers, err);
}

static skein_rc read_header(scan *s, skn_str line, skein_error *err)
{
    const skn_json *v;
    skn_buf         again;
    skein_rc        rc;
    bool            good;

    if (skn_json_parse(&v, line, "it", s->a, NULL) || v->kind != SKN_JSON_OBJECT ||
        !skn_json_get(v, "skein"))
        return skn_fail(err, SKEIN_DATA, "\"%s\" does not begin as an archive does",
                        s->lines->name);
    if ((rc = read_header_members(s, v, err)))
        return rc == SKEIN_DATA ? rc : skn_fail(err, SKEIN_DATA, "archive line 1 is damaged");
    skn_buf_init(&again, 1024);
    skn_archive_header_write(&s->out->header, &again);
    good = same(&again, line) && s->out->header.conversation >= 0 &&
           s->out->header.waiting >= 0 && s->out->header.tool_servers >= 0;
    skn_buf_release(&again);
    return good ? SKEIN_OK : skn_fail(err, SKEIN_DATA, "archive line 1 is damaged");
}

static skein_rc read_row(scan *s, skn_str line, skein_error *err)
{
    skn_archive_row row;
    int64_t         number = s->lines->number;
    skein_rc        rc;

    if ((rc = skn_archive_row_read(line, number, s->a, &row, err)))
        return rc;
    if ((rc = skn_archive_check_row(s->check, &row, number, err)))
        return rc;
    s->rows++;
    return s->visit ? s->visit(s->arg, &row, number, err) : SKEIN_OK;
}

/* The last line has the number of rows, and the hash of every byte before it. */
static skein_rc read_end(scan *s, skn_str line, skein_error *err)
{
    char     digits[SKN_SHA256_TEXT];
    skn_str  hash = skn_sha256_text(&s->hash, digits);
    skn_buf  again;
    skein_rc rc;
    bool     good;

    memcpy(s->out->hash, digits, sizeof digits);
    skn_buf_init(&again, 1024);
    skn_archive_end_write(s->rows, hash, &again);
    good = same(&again, line);
    skn_buf_release(&again);
    if (good)
        return skn_archive_check_end(s->check, &s->out->header, err);
    rc = skn_fail(err, SKEIN_DATA,
                  "\"%s\" was altered: its last line does not agree with what stands before it",
                  s->lines->name);
    return skn_hint(err, rc, "Copy or export it again; nothing was written.");
}

static skein_rc read_line(scan *s, skn_str line, bool *end, skein_error *err)
{
    *end = skn_str_starts(line, SKN_STR("{\"end\":"));
    if (*end)
        return read_end(s, line, err);
    skn_sha256_add(&s->hash, line);
    skn_sha256_add(&s->hash, SKN_STR("\n"));
    return s->lines->number == 1 ? read_header(s, line, err) : read_row(s, line, err);
}

static skein_rc read_all(scan *s, skein_error *err)
{
    skn_str  line;
    bool     more, whole, end = false;
    skein_rc rc;

    while (!(rc = skn_lines_next(s->lines, &line, &more, &whole, err)) && more) {
        if (end)
            return skn_fail(err, SKEIN_DATA, "\"%s\" goes on after its last line",
                            s->lines->name);
        if (!whole)
            return fail_truncated(s, err);
        skn_arena_reset(s->a);
        if ((rc = read_line(s, line, &end, err)))
            return rc;
    }
    if (rc)
        return rc;
    return end ? SKEIN_OK : fail_truncated(s, err);
}

skein_rc skn_archive_scan(skn_lines *lines, skn_archive_visit *visit, void *arg,
                          skn_archive_facts *out, skein_error *err)
{
    scan     s = {.lines = lines, .visit = visit, .arg = arg, .out = out};
    skein_rc rc;

    *out = (skn_archive_facts){{0}, {0}, {0}};
    skn_sha256_init(&s.hash);
    s.check = skn_archive_check_new();
    s.a = skn_arena_new();
    rc = skn_lines_rewind(lines, err);
    if (!rc)
        rc = read_all(&s, err);
    for (size_t i = 0; i < SKN_AR_TABLES; i++)
        out->counts[i] = skn_archive_check_count(s.check, (skn_archive_table)i);
    skn_arena_free(s.a);
    skn_archive_check_free(s.check);
    return rc;
}
