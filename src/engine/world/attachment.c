/* attachment.c: keeping files that messages carry. */
#include "engine/world/attachment.h"
#include "base/hash.h"
#include "base/media.h"
#include "base/utf8.h"
#include "engine/engine.h"

#include <ctype.h>

#define NAME_BYTES ((size_t)255)

/* --- What may be kept --------------------------------------------------------------------------- */

/* The last part of a path, without what no name in a folder has. */
static skn_str plain_name(skn_str given, skn_arena *a)
{
    skn_buf b;
    size_t  bad, from = given.n;

    if (!given.p || !skn_utf8_valid(given, &bad))
        return SKN_STR("file");
    while (from > 0 && given.p[from - 1] != '/' && given.p[from - 1] != '\\')
        from--;
    given = skn_str_trim(skn_utf8_cut(skn_str_sub(given, from, given.n), NAME_BYTES));
    skn_buf_init(&b, NAME_BYTES + 1);
    for (size_t i = 0; i < given.n; i++)
        if ((unsigned char)given.p[i] >= ' ' && given.p[i] != 0x7f)
            skn_buf_addc(&b, given.p[i]);
    given = skn_buf_keep(&b, a);
    return given.n && !skn_str_is(given, ".") && !skn_str_is(given, "..") ? given
                                                                          : SKN_STR("file");
}

static skn_str lower(skn_str s, skn_arena *a)
{
    char *p = SKN_ARRAY(a, s.n + 1, char);

    for (size_t i = 0; i < s.n; i++)
        p[i] = (char)tolower((unsigned char)s.p[i]);
    return s.p ? (skn_str){p, s.n} : s;
}

static bool is_file(const skein_attachment *f)
{
    size_t i = 0;

    while (i < f->id.n && skn_hex_digit(f->id.p[i]) >= 0)
        i++;
    return i == SKN_SHA256_TEXT - 1 && f->id.n == i && f->size >= 0 &&
           f->size <= SKN_FILE_MOST && f->width >= 0 && f->width <= SKN_MEDIA_SIDE &&
           f->height >= 0 && f->height <= SKN_MEDIA_SIDE;
}

skein_attachment *skn_files_told(skn_str files, skn_arena *a, size_t *count)
{
    const skn_json   *list;
    skein_attachment *at;
    size_t            n = 0, all = 0;

    *count = 0;
    if (!files.n || skn_json_parse(&list, files, "files", a, NULL))
        return NULL;
    at = skn_attachment_list_from_json(list, a, &all);
    for (size_t i = 0; i < all; i++)
        if (is_file(&at[i]))
            at[n++] = at[i];
    *count = n;
    return at;
}

static skein_rc describe(skn_str bytes, skein_attachment *f, skn_arena *a, skein_error *err)
{
    skn_media seen = skn_media_look(bytes);
    skn_str   declared = f->type;
    char      digits[SKN_SHA256_TEXT];

    f->name = plain_name(f->name, a);
    f->type = skn_arena_copy(a, skn_media_type(&seen, lower(declared, a), lower(f->name, a)));
    f->width = seen.width;
    f->height = seen.height;
    f->size = (int64_t)bytes.n;
    if (bytes.n == 0)
        return skn_fail(err, SKEIN_INVALID, "the file is empty");
    if (!f->type.p)
        return skn_fail(err, SKEIN_INVALID,
                        "the file is called an image, but its bytes are not a "
                        "PNG, JPEG, GIF or WebP image");
    f->id = skn_arena_copy(a, skn_sha256_of(bytes, digits));
    return SKEIN_OK;
}

/* --- Adding one --------------------------------------------------------------------------------- */

typedef struct add_call {
    skein_world_id    world;
    skn_str           bytes;
    skein_attachment *file;
} add_call;

static skein_rc check_room(skn_working *w, const add_call *c, skein_error *err)
{
    skein_world      world;
    skn_world_limits limits;
    int64_t          all;
    skein_rc         rc;

    if ((rc = skn_world_need(w->tx, c->world.v, w->a, &world, err)) ||
        (rc = skn_attachment_bytes(w->tx, c->world.v, &all, err)))
        return rc;
    limits = skn_world_limits_of(world.settings, w->a);
    if (c->file->size > limits.file_bytes)
        return skn_fail_hint(err, SKEIN_LIMIT,
                             "The setting fileBytes of the world is the limit.",
                             "the file is %lld bytes; the limit is %lld",
                             (long long)c->file->size, (long long)limits.file_bytes);
    if (all + c->file->size > limits.world_file_bytes)
        return skn_fail_hint(err, SKEIN_LIMIT,
                             "The setting worldFileBytes of the world is the limit.",
                             "the world has files of %lld bytes; the limit is %lld",
                             (long long)all, (long long)limits.world_file_bytes);
    return SKEIN_OK;
}

static skein_rc add(skn_working *w, void *arg, skein_error *err)
{
    add_call          *c = arg;
    skn_attachment_row row;
    bool               there, kept;
    skein_rc           rc;

    c->file->created_at = w->now;
    if ((rc = skn_pieces_share(w->tx, err)) ||
        (rc = skn_attachment_get(w->tx, c->world.v, c->file->id, w->a, &row, &there, err)) ||
        (!there && (rc = check_room(w, c, err))) ||
        (rc = skn_blob_there(w->tx, c->file->id, &kept, err)) ||
        (!kept && (rc = skn_blob_put(w->tx, c->file->id, c->bytes, err))))
        return rc;
    return skn_attachment_put(w->tx, c->world.v, c->file, err);
}

skein_rc skein_attachment_add(skein_engine *e, skein_world_id world, skein_str bytes,
                              skein_attachment *file, skein_mem *mem, skein_error *err)
{
    add_call c = {world, bytes, file};
    skein_rc rc = describe(bytes, file, mem, err);

    return rc ? rc : skn_write(e, NULL, add, &c, err);
}

/* --- Reading ------------------------------------------------------------------------------------ */

static skein_rc need(skn_tx *tx, int64_t world, skn_str id, skn_arena *a, skein_attachment *out,
                     skein_error *err)
{
    skn_attachment_row row;
    bool               found;
    skein_rc           rc = skn_attachment_get(tx, world, id, a, &row, &found, err);

    *out = row.shown;
    if (rc || found)
        return rc;
    return skn_fail(err, SKEIN_NOT_FOUND, "this world has no file \"%.*s\"",
                    SKN_FMT(skn_utf8_cut(id, 64)));
}

skein_rc skein_attachment_get(skein_engine *e, skein_world_id world, skein_str id,
                              skein_mem *mem, skein_attachment *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        s.rc = need(s.tx, world.v, id, mem, out, err);
    return s.rc;
}

skein_rc skein_attachment_read(skein_engine *e, skein_world_id world, skein_str id,
                               int64_t from, int64_t count, skein_mem *mem,
                               skein_attachment *out, skein_str *bytes, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *bytes = SKN_NONE;
    while (skn_snapshot_next(&s, err)) {
        bool found;

        if ((s.rc = need(s.tx, world.v, id, mem, out, err)))
            continue;
        s.rc = skn_blob_part(s.tx, out->id, from,
                             count < 0 || count > out->size ? out->size : count, mem, bytes,
                             &found, err);
        if (!s.rc && !found)
            s.rc = skn_fail(err, SKEIN_DAMAGED, "the bytes of file %.*s are missing",
                            SKN_FMT(out->id));
    }
    return s.rc;
}

skein_rc skein_attachment_list(skein_engine *e, skein_world_id world, size_t limit,
                               skein_mem *mem, skein_attachments *out, skein_error *err)
{
    skn_attachment_list rows = {0};
    skn_snapshot        s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        s.rc = skn_attachment_rows(s.tx, world.v, limit, mem, &rows, err);
    *out = (skein_attachments){SKN_ARRAY(mem, rows.count + 1, skein_attachment), rows.count};
    for (size_t i = 0; i < rows.count; i++)
        out->at[i] = rows.at[i].shown;
    return s.rc;
}

/* --- Naming them for a message --------------------------------------------------------------------- */

static skein_rc check_list(const skn_json *list, const skn_world_limits *limits,
                           skein_error *err)
{
    if (list->kind != SKN_JSON_ARRAY)
        return skn_fail(err, SKEIN_INVALID,
                        "\"files\" must be a list of ids, or of objects with one");
    if ((int64_t)list->count > limits->message_files)
        return skn_fail_hint(err, SKEIN_LIMIT,
                             "The setting messageFiles of the world is the limit.",
                             "the message has %u files; the limit is %lld", list->count,
                             (long long)limits->message_files);
    return SKEIN_OK;
}

static skein_rc name_one(skn_tx *tx, int64_t world, const skn_json *v, skn_map *seen, skn_jw *w,
                         int64_t *bytes, skn_arena *a, skein_error *err)
{
    skn_str          id = v->kind == SKN_JSON_STRING ? v->text : skn_json_str(v, "id");
    skn_str          name = skn_json_str(v, "name");
    skein_attachment f;
    skein_rc         rc;

    if (skn_map_get(seen, id)) /* once is enough */
        return SKEIN_OK;
    *skn_map_slot(seen, id) = seen;
    if ((rc = need(tx, world, id, a, &f, err)))
        return rc;
    if (name.n)
        f.name = plain_name(name, a);
    f.created_at = 0;
    *bytes += f.size;
    skn_shape_attachment(w, &f);
    return SKEIN_OK;
}

static skein_rc name_all(skn_tx *tx, int64_t world, skn_str given, skn_arena *a, skn_jw *w,
                         skein_error *err)
{
    const skn_json  *list;
    skn_world_limits limits;
    skein_world      row;
    int64_t          bytes = 0;
    skn_map         *seen = skn_map_new(a);
    skein_rc         rc;

    if ((rc = skn_json_parse(&list, given, "\"files\"", a, err)) ||
        (rc = skn_world_need(tx, world, a, &row, err)))
        return rc;
    limits = skn_world_limits_of(row.settings, a);
    rc = check_list(list, &limits, err);
    skn_jw_array(w);
    for (const skn_json *v = rc ? NULL : list->first; !rc && v; v = v->next)
        rc = name_one(tx, world, v, seen, w, &bytes, a, err);
    skn_jw_array_end(w);
    if (!rc && bytes > limits.message_file_bytes)
        rc = skn_fail_hint(err, SKEIN_LIMIT,
                           "The setting messageFileBytes of the world is the limit.",
                           "the files of the message are %lld bytes; the limit is %lld",
                           (long long)bytes, (long long)limits.message_file_bytes);
    return rc;
}

skein_rc skn_files_named(skein_engine *e, skein_world_id world, skn_str given, skn_arena *a,
                         skn_str *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};
    skn_buf      b;
    skn_jw       w;

    skn_jw_open(&w, &b, (size_t)1 << 20);
    while (skn_snapshot_next(&s, err)) {
        skn_buf_clear(&b);
        skn_jw_init(&w, &b);
        s.rc = name_all(s.tx, world.v, given, a, &w, err);
    }
    *out = s.rc || b.n <= 2 ? SKN_NONE : skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return s.rc;
}

/* --- Removing ----------------------------------------------------------------------------------- */

skein_rc skn_files_erase(skn_tx *tx, const skn_ids *messages, skn_arena *a, skein_error *err)
{
    skein_rc rc;

    if ((rc = skn_pieces_hold(tx, err)) ||
        (rc = skn_attachments_of_many(tx, messages, a, err)) ||
        (rc = skn_carried_of_many(tx, messages, a, err)))
        return rc;
    return skn_blobs_left(tx, err);
}

static skein_rc collect(skn_working *w, void *arg, skein_error *err)
{
    const int64_t *before = arg;
    bool           gone;
    skein_rc       rc;

    if ((rc = skn_pieces_hold(w->tx, err)) ||
        (rc = skn_attachments_left(w->tx, *before, &gone, err)) || !gone)
        return rc;
    return skn_blobs_left(w->tx, err);
}

skein_rc skein_attachments_collect(skein_engine *e, int64_t before, skein_error *err)
{
    return skn_write(e, NULL, collect, &before, err);
}
