/* Files that messages carry: as they come in, and as they are handed out again. */
#include "api/call.h"
#include "api/multipart.h"
#include "base/media.h"
#include "base/url.h"

/* --- Adding one --------------------------------------------------------------------------------- */

/* The body as it is, with the name in the query or in Content-Disposition; or a form with one file. */
static skein_rc read_upload(skn_api_call *c, skein_attachment *f, skn_str *bytes)
{
    skn_str  type = skn_call_header(c, "Content-Type");
    skn_part part;
    skn_form form;

    *f = (skein_attachment){.name = skn_call_query(c, "name"), .type = type};
    *bytes = c->body;
    if (!skn_form_open(&form, type, c->body, c->mem)) {
        if (!f->name.p)
            f->name = skn_part_param(skn_call_header(c, "Content-Disposition"), "filename",
                                     c->mem);
        return SKEIN_OK;
    }
    *bytes = SKN_NONE;
    while (skn_form_next(&form, &part, c->mem)) {
        if (!part.filename.p)
            continue;
        if (bytes->p)
            return skn_call_invalid(c, "", "has more than one file: send each by itself");
        *f = (skein_attachment){.name = f->name.p ? f->name : part.filename, .type = part.type};
        *bytes = part.bytes;
    }
    if (form.broken || !bytes->p)
        return skn_call_invalid(
            c, "", form.broken ? "is not a whole multipart form" : "has no file in its form");
    return SKEIN_OK;
}

skein_rc skn_api_add_file(skn_api_call *c)
{
    skein_attachment f;
    skn_str          bytes;
    skein_rc         rc = read_upload(c, &f, &bytes);

    if (rc)
        return rc;
    rc = skein_attachment_add(c->engine, c->world.id, bytes, &f, c->mem, &c->error);
    if (rc == SKEIN_INVALID)
        return skn_call_invalid(c, "", c->error.message);
    if (rc)
        return rc;
    skn_api_location(c, 201, "/files/%.*s", SKN_FMT(f.id));
    skn_shape_attachment(&c->w, &f);
    return SKEIN_OK;
}

skein_rc skn_api_take_files(skn_api_call *c, skn_str *files)
{
    skein_rc rc;

    if (!files->p)
        return SKEIN_OK;
    rc = skn_files_named(c->engine, c->world.id, *files, c->mem, files, &c->error);
    if (rc == SKEIN_INVALID || rc == SKEIN_NOT_FOUND)
        return skn_call_invalid(c, "/files", c->error.message);
    return rc;
}

skein_rc skn_api_list_files(skn_api_call *c)
{
    skein_attachments out;
    skein_rc rc = skein_attachment_list(c->engine, c->world.id, 10000, c->mem, &out, &c->error);

    return rc ? rc
              : skn_answer_list(c, SKN_STR("files"), SKN_LIST_NEWEST | SKN_LIST_FIELDS, out.at,
                                out.count, &skn_attachment_shape);
}

/* --- Handing one out ----------------------------------------------------------------------------- */

/* "bytes=FROM-TO", "bytes=FROM-" or "bytes=-LAST". Others, and several, are answered with all of it, as RFC 9110 allows; false:
 * none of these bytes is there. */
static bool read_range(skn_api_call *c, skn_str tag, int64_t size, int64_t *from,
                       int64_t *count)
{
    skn_str range = skn_call_header(c, "Range"), of = skn_call_header(c, "If-Range"), first;
    int64_t a, b;

    *from = 0;
    *count = size;
    if (!skn_str_starts(range, SKN_STR("bytes=")) ||
        (of.p && !skn_str_eq(skn_str_trim(of), tag)))
        return true;
    range = skn_str_trim(skn_str_sub(range, 6, range.n));
    if (skn_str_find(range, SKN_STR(",")) >= 0 || !skn_str_split(&range, '-', &first))
        return true;
    if (!first.n && skn_str_int(range, &b)) {
        *from = b < size ? size - b : 0;
        *count = size - *from;
        return b > 0;
    }
    if (!skn_str_int(first, &a) || a < 0 || (range.n && (!skn_str_int(range, &b) || b < a)))
        return true;
    *from = a < size ? a : size;
    *count = range.n && b < size ? b - *from + 1 : size - *from;
    return a < size;
}

/* "attachment; filename="…"; filename*=UTF-8''…": the first for what knows only ASCII. */
static void add_disposition(skn_api_call *c, const skein_attachment *f)
{
    skn_buf b;

    skn_buf_init(&b, SKN_URL_MAX);
    skn_buf_addf(&b, "%s; filename=\"", skn_media_is_image(f->type) ? "inline" : "attachment");
    for (size_t i = 0; i < f->name.n; i++) {
        char ch = f->name.p[i];

        skn_buf_addc(&b, ch < ' ' || ch > '~' || ch == '"' || ch == '\\' ? '_' : ch);
    }
    skn_buf_add(&b, SKN_STR("\"; filename*=UTF-8''"));
    skn_url_encode(&b, f->name);
    skn_call_add_header(c, "Content-Disposition", skn_buf_keep(&b, c->mem));
}

/* Only what no browser runs keeps its type. */
static const char *type_of(const skein_attachment *f)
{
    bool shown = skn_media_is_image(f->type) || skn_str_is(f->type, "application/pdf");

    return shown                               ? f->type.p
           : skn_str_is(f->type, "text/plain") ? "text/plain; charset=utf-8"
                                               : "application/octet-stream";
}

skein_rc skn_api_get_file(skn_api_call *c)
{
    skein_attachment f;
    skn_str          tag, bytes;
    int64_t          from, count;
    bool             same;
    skein_rc         rc = skein_attachment_get(c->engine, c->world.id, c->params[1], c->mem, &f,
                                               &c->error);

    if (rc)
        return skn_api_missing(c, rc, "file-not-found");
    tag = skn_arena_printf(c->mem, "\"%.*s\"", SKN_FMT(f.id));
    skn_call_add_header(c, "Accept-Ranges", SKN_STR("bytes"));
    skn_call_etag(c, tag, &same);
    if (same)
        return SKEIN_OK;
    if (!read_range(c, tag, f.size, &from, &count)) {
        skn_call_add_header(c, "Content-Range",
                            skn_arena_printf(c->mem, "bytes */%lld", (long long)f.size));
        return skn_call_problem(c, 416, "range", "the file has only %lld bytes",
                                (long long)f.size);
    }
    if ((rc = skein_attachment_read(c->engine, c->world.id, f.id, from, count, c->mem, &f,
                                    &bytes, &c->error)))
        return rc;
    if (count < f.size) {
        c->status = 206;
        skn_call_add_header(c, "Content-Range",
                            skn_arena_printf(c->mem, "bytes %lld-%lld/%lld", (long long)from,
                                             (long long)(from + count - 1), (long long)f.size));
    }
    add_disposition(c, &f);
    skn_call_add_header(c, "Content-Security-Policy", SKN_STR("default-src 'none'; sandbox"));
    skn_call_add_header(c, "Cross-Origin-Resource-Policy", SKN_STR("same-origin"));
    c->type = type_of(&f);
    skn_buf_add(&c->out, bytes);
    return SKEIN_OK;
}
