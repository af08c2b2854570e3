/* archive_rows.c: one line of an archive, to and fro. */
#include "base/uid.h"
#include "base/url.h"
#include "exchange/archive.h"

/* --- Writing ------------------------------------------------------------------------------ */

void skn_archive_header_write(const skn_archive_header *h, skn_buf *out)
{
    skn_jw w;

    skn_jw_init(&w, out);
    skn_jw_object(&w);
    skn_jw_kint(&w, "skein", h->format);
    skn_jw_kint(&w, "schema", h->schema);
    skn_jw_kstr(&w, "of", h->conversation ? SKN_STR("conversation") : SKN_STR("world"));
    if (h->conversation)
        skn_jw_kint(&w, "conversation", h->conversation);
    if (h->waiting)
        skn_jw_kint(&w, "waiting", h->waiting);
    if (h->tool_servers)
        skn_jw_kint(&w, "toolServers", h->tool_servers);
    skn_jw_object_end(&w);
    skn_buf_addc(out, '\n');
}

void skn_archive_end_write(int64_t rows, skn_str hash, skn_buf *out)
{
    skn_jw w;

    skn_jw_init(&w, out);
    skn_jw_object(&w);
    skn_jw_kbool(&w, "end", true);
    skn_jw_kint(&w, "rows", rows);
    skn_jw_kstr(&w, "sha256", hash);
    skn_jw_object_end(&w);
    skn_buf_addc(out, '\n');
}

/* An inner entry has four numbers, a leaf's has five. */
static void write_spans(skn_jw *w, const skn_archive_row *row)
{
    skn_jw_array(w);
    for (size_t i = 0; i < row->span_count; i++) {
        const skn_archive_span *s = &row->spans[i];

        skn_jw_array(w);
        skn_jw_int(w, s->len);
        skn_jw_int(w, s->kmin);
        skn_jw_int(w, s->kmax);
        skn_jw_int(w, s->child ? s->child : s->src);
        if (!s->child)
            skn_jw_int(w, s->lo);
        skn_jw_array_end(w);
    }
    skn_jw_array_end(w);
}

static void write_bytes(skn_jw *w, skn_str bytes)
{
    skn_buf text;

    skn_buf_init(&text, SKN_ARCHIVE_LINE);
    skn_base64_add(&text, bytes);
    skn_jw_str(w, skn_buf_str(&text));
    skn_buf_release(&text);
}

static void write_cell(skn_jw *w, const skn_archive_column *column, const skn_archive_row *row,
                       const skn_cell *cell)
{
    switch (column->kind) {
    case SKN_CELL_INT:
    case SKN_CELL_REF:
    case SKN_CELL_AHEAD:
    case SKN_CELL_KEY:
        skn_jw_int(w, cell->number);
        break;
    case SKN_CELL_TEXT:
    case SKN_CELL_JSON:
    case SKN_CELL_UID:
    case SKN_CELL_NAME:
    case SKN_CELL_WORD:
        skn_jw_str(w, cell->text);
        break;
    case SKN_CELL_BYTES:
        write_bytes(w, cell->text);
        break;
    case SKN_CELL_SPANS:
        write_spans(w, row);
        break;
    }
}

void skn_archive_row_write(const skn_archive_row *row, skn_buf *out)
{
    const skn_archive_shape *shape = &skn_archive_tables[row->table];
    skn_jw                   w;

    skn_jw_init(&w, out);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "t", skn_str_of(shape->name));
    if (shape->numbered)
        skn_jw_kint(&w, "n", row->number);
    for (size_t i = 0; i < shape->count; i++) {
        if (row->cells[i].null)
            continue;
        skn_jw_key(&w, shape->columns[i].name);
        write_cell(&w, &shape->columns[i], row, &row->cells[i]);
    }
    skn_jw_object_end(&w);
    skn_buf_addc(out, '\n');
}

/* --- Reading ------------------------------------------------------------------------------ */

typedef struct reader {
    int64_t          line;
    skn_arena       *a;
    skn_archive_row *row;
    const char      *member; /* being read */
    skein_error     *err;
} reader;

static skein_rc refuse_row(const reader *r, const char *what)
{
    return skn_fail(r->err, SKEIN_DATA, "archive line %lld: \"%s\" %s", (long long)r->line,
                    r->member, what);
}

bool skn_archive_is(skn_str start)
{
    return skn_str_starts(start, SKN_STR("{\"skein\":"));
}

static bool name_valid(skn_str s)
{
    if (s.n == 0 || s.n > 64)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        bool letter = (s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9');

        if (!letter && (i == 0 || (s.p[i] != '-' && s.p[i] != '_')))
            return false;
    }
    return true;
}

static bool word_valid(skn_str s, const char *words)
{
    const char *at = words;

    while (s.n && (at = strchr(at, '|')) && *++at)
        if (strncmp(at, s.p, s.n) == 0 && at[s.n] == '|')
            return true;
    return false;
}

static skein_rc read_number(const reader *r, const skn_json *v, int64_t min, int64_t max,
                            int64_t *out)
{
    if (v->kind != SKN_JSON_NUMBER)
        return refuse_row(r, "must be a number");
    if (!skn_str_int(v->text, out) || *out < min || *out > max)
        return refuse_row(r, "is out of range");
    return SKEIN_OK;
}

static skein_rc read_json(const reader *r, skn_str text)
{
    skn_arena      *scratch = skn_arena_new();
    const skn_json *v;
    skein_rc        rc = skn_json_parse(&v, text, "it", scratch, NULL);

    skn_arena_free(scratch);
    return rc ? refuse_row(r, "is not JSON") : SKEIN_OK;
}

static skein_rc read_text(const reader *r, const skn_archive_column *column, const skn_json *v,
                          skn_str *out)
{
    if (v->kind != SKN_JSON_STRING)
        return refuse_row(r, "must be a text");
    *out = v->text;
    if (column->kind == SKN_CELL_UID && !skn_uid_valid(v->text))
        return refuse_row(r, "is not an id");
    if (column->kind == SKN_CELL_NAME && !name_valid(v->text))
        return refuse_row(r, "is not a name");
    if (column->kind == SKN_CELL_WORD && !word_valid(v->text, column->words))
        return refuse_row(r, "is none of its words");
    return column->kind == SKN_CELL_JSON ? read_json(r, v->text) : SKEIN_OK;
}

static skein_rc read_span(const reader *r, const skn_json *v, skn_archive_span *s)
{
    int64_t  numbers[5] = {0};
    size_t   n = 0;
    skein_rc rc;

    if (v->kind != SKN_JSON_ARRAY || v->count < 4 || v->count > 5)
        return refuse_row(r, "has an entry that is not four or five numbers");
    for (const skn_json *e = v->first; e; e = e->next)
        if ((rc = read_number(r, e, INT64_MIN, INT64_MAX, &numbers[n++])))
            return rc;
    if (numbers[0] < 1 || numbers[3] < 1)
        return refuse_row(r, "has an entry without length or source");
    *s = (skn_archive_span){.len = numbers[0], .kmin = numbers[1], .kmax = numbers[2]};
    if (n == 4) {
        s->child = numbers[3];
    } else {
        s->src = numbers[3];
        s->lo = numbers[4];
    }
    return SKEIN_OK;
}

static skein_rc read_spans(const reader *r, const skn_json *v)
{
    skn_archive_row *row = r->row;
    skein_rc         rc;

    if (v->kind != SKN_JSON_ARRAY || v->count == 0 || v->count > SKN_ARCHIVE_SPANS)
        return refuse_row(r, "must be a list of entries");
    row->spans = SKN_ARRAY(r->a, v->count, skn_archive_span);
    for (const skn_json *e = v->first; e; e = e->next)
        if ((rc = read_span(r, e, &row->spans[row->span_count++])))
            return rc;
    return SKEIN_OK;
}

static skein_rc read_cell(const reader *r, const skn_archive_column *column, const skn_json *v,
                          skn_cell *cell)
{
    switch (column->kind) {
    case SKN_CELL_INT:
        return read_number(r, v, column->min, column->max, &cell->number);
    case SKN_CELL_REF:
    case SKN_CELL_AHEAD:
        return read_number(r, v, 1, INT64_MAX, &cell->number);
    case SKN_CELL_KEY:
        return read_number(r, v, 0, INT64_MAX, &cell->number);
    case SKN_CELL_SPANS:
        return read_spans(r, v);
    case SKN_CELL_BYTES:
        return v->kind == SKN_JSON_STRING && skn_base64_read(r->a, v->text, &cell->text)
                   ? SKEIN_OK
                   : refuse_row(r, "is not base64");
    case SKN_CELL_TEXT:
    case SKN_CELL_JSON:
    case SKN_CELL_UID:
    case SKN_CELL_NAME:
    case SKN_CELL_WORD:
        break;
    }
    return read_text(r, column, v, &cell->text);
}

static skein_rc read_table(reader *r, const skn_json *v)
{
    r->member = "t";
    if (!v || !skn_str_is(v->key, "t") || v->kind != SKN_JSON_STRING)
        return refuse_row(r, "must come first and name a table");
    for (size_t i = 0; i < SKN_AR_TABLES; i++)
        if (skn_str_is(v->text, skn_archive_tables[i].name)) {
            r->row->table = (skn_archive_table)i;
            return SKEIN_OK;
        }
    return refuse_row(r, "names no table");
}

/* Members stand in the order of the columns; what is null is left out. */
static skein_rc read_members(reader *r, const skn_json *v)
{
    const skn_archive_shape *shape = &skn_archive_tables[r->row->table];
    skein_rc                 rc;

    if (shape->numbered) {
        r->member = "n";
        if (!v || !skn_str_is(v->key, "n"))
            return refuse_row(r, "is missing");
        if ((rc = read_number(r, v, 1, INT64_MAX, &r->row->number)))
            return rc;
        v = v->next;
    }
    for (size_t i = 0; i < shape->count; i++) {
        const skn_archive_column *column = &shape->columns[i];

        r->member = column->name;
        r->row->cells[i].null = !v || !skn_str_is(v->key, column->name);
        if (r->row->cells[i].null && !column->optional)
            return refuse_row(r, "is missing");
        if (r->row->cells[i].null)
            continue;
        if ((rc = read_cell(r, column, v, &r->row->cells[i])))
            return rc;
        v = v->next;
    }
    if (!v)
        return SKEIN_OK;
    r->member = shape->name;
    return refuse_row(r, "has a member that is unknown or out of order");
}

/* True if the line equals the line that was written for it, apart from its line end. */
static bool same(const skn_buf *written, skn_str line)
{
    return written->n == line.n + 1 && memcmp(written->p, line.p, line.n) == 0;
}

/* Blanks, other escapes and other ways to write a number are refused by writing the row
 * again. */
static skein_rc check_form(reader *r, skn_str line)
{
    skn_buf again;
    bool    good;

    skn_buf_init(&again, line.n + 1);
    skn_archive_row_write(r->row, &again);
    good = !again.over && same(&again, line);
    skn_buf_release(&again);
    r->member = skn_archive_tables[r->row->table].name;
    return good ? SKEIN_OK : refuse_row(r, "is not written as an archive writes it");
}

/* Reads one line; refuses with SKEIN_DATA what is not exactly a row of ours. References are
 * checked for range only by skn_archive_check_row. */
static skein_rc archive_row_read(skn_str line, int64_t number, skn_arena *a,
                                 skn_archive_row *out, skein_error *err)
{
    reader          r = {.line = number, .a = a, .row = out, .member = "", .err = err};
    const skn_json *v;
    skein_error     cause;
    skein_rc        rc;

    memset(out, 0, sizeof *out);
    if (skn_json_parse(&v, line, "it", a, &cause))
        return skn_fail(err, SKEIN_DATA, "archive line %lld is not JSON: %s", (long long)number,
                        cause.message);
    if (v->kind != SKN_JSON_OBJECT)
        return skn_fail(err, SKEIN_DATA, "archive line %lld is not a JSON object",
                        (long long)number);
    if ((rc = read_table(&r, v->first)) || (rc = read_members(&r, v->first->next)))
        return rc;
    return check_form(&r, line);
}

/* A whole archive from its first line to its last. */

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
    return skn_fail_hint(err, SKEIN_DATA, "Copy or export it again; nothing was written.",
                         "\"%s\" is cut off: its last line is missing", s->lines->name);
}

static skein_rc read_header_members(const scan *s, const skn_json *v, skein_error *err)
{
    skn_archive_header *h = &s->out->header;
    skein_rc            rc;

    if ((rc = skn_json_int(v, "skein", 0, &h->format, err)))
        return rc;
    if (h->format < 1 || h->format > SKN_ARCHIVE_FORMAT)
        return skn_fail_hint(
            err, SKEIN_DATA,
            "Import it with the version of skein that wrote it, or a newer one.",
            "\"%s\" is an archive of format %lld; this program reads 1 to %d", s->lines->name,
            (long long)h->format, SKN_ARCHIVE_FORMAT);
    if ((rc = skn_json_int(v, "schema", 0, &h->schema, err)) ||
        (rc = skn_json_int(v, "conversation", 0, &h->conversation, err)) ||
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

    if ((rc = archive_row_read(line, number, s->a, &row, err)) ||
        (rc = skn_archive_check_row(s->check, &row, number, err)))
        return rc;
    s->rows++;
    return s->visit ? s->visit(s->arg, &row, number, err) : SKEIN_OK;
}

/* The last line has the number of rows, and the hash of every byte before it. */
static skein_rc read_end(scan *s, skn_str line, skein_error *err)
{
    char    digits[SKN_SHA256_TEXT];
    skn_str hash = skn_sha256_text(&s->hash, digits);
    skn_buf again;
    bool    good;

    memcpy(s->out->hash, digits, sizeof digits);
    skn_buf_init(&again, 1024);
    skn_archive_end_write(s->rows, hash, &again);
    good = same(&again, line);
    skn_buf_release(&again);
    if (good)
        return skn_archive_check_end(s->check, &s->out->header, err);
    return skn_fail_hint(
        err, SKEIN_DATA, "Copy or export it again; nothing was written.",
        "\"%s\" was altered: its last line does not agree with what stands before it",
        s->lines->name);
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
