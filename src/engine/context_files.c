/* context_files.c: which files, or pieces of them, belong to what is talked about. Only their names
 * are kept; filespec.c reads them. */
#include "base/json_write.h"
#include "base/utf8.h"
#include "engine/core.h"
#include "engine/feed.h"

#include <skein/filespec.h>
#include <string.h>

#define PATH_BYTES   4096
#define ITEM_BYTES   1024
#define PROMPT_BYTES 8192
#define FILES_MOST   1000

typedef struct call {
    skein_conversation_id      conversation;
    skn_str                    path, items;
    const skein_context_files *all; /* of a replacement */
    skn_arena                 *a;
    skein_context_files       *out;
} call;

/* A file has one path: "./a" and "a//b" would be others. */
static skein_rc check_path(skn_str path, skein_error *err)
{
    skn_str  rest = path, one;
    skein_rc rc = skn_check_word(path, "the path", PATH_BYTES, err);

    while (!rc && skn_str_split(&rest, '/', &one))
        if (skn_str_is(one, ".") || (!one.n && one.p != path.p))
            rc = skn_fail(err, SKEIN_INVALID, "the path \"%.*s\" has a part that is %s",
                          (int)(path.n < 80 ? path.n : 80), path.p, one.n ? "\".\"" : "empty");
    return rc;
}

static skein_rc check(const skein_context_file *f, skein_error *err)
{
    skein_rc rc = check_path(f->path, err);

    if (rc == SKEIN_OK && f->item_count > SKEIN_FILE_ITEMS_LIMIT)
        rc = skn_fail(err, SKEIN_LIMIT, "%zu items of one file; the limit is %d", f->item_count,
                      SKEIN_FILE_ITEMS_LIMIT);
    for (size_t i = 0; rc == SKEIN_OK && i < f->item_count; i++)
        rc = skn_check_word(f->items[i], "an item of the file", ITEM_BYTES, err);
    if (!rc && f->prompt.n > PROMPT_BYTES)
        rc = skn_fail(err, SKEIN_LIMIT, "the prompt of the file is %zu bytes; the limit is %d",
                      f->prompt.n, PROMPT_BYTES);
    if (!rc && f->prompt.n &&
        (!skn_utf8_valid(f->prompt, NULL) || memchr(f->prompt.p, 0, f->prompt.n)))
        rc = skn_fail(err, SKEIN_INVALID, "the prompt of the file is no text");
    return rc;
}

/* Items alone are a list; with a prompt it is {"items":[…],"prompt":"…"}. */
static skn_str items_json(const skein_context_file *f, skn_buf *buf)
{
    skn_jw w;

    if (f->item_count == 0 && !f->prompt.n)
        return SKN_NONE;
    skn_jw_init(&w, buf);
    if (f->prompt.n) {
        skn_jw_object(&w);
        skn_jw_kstr(&w, "prompt", f->prompt);
        skn_jw_key(&w, "items");
    }
    skn_jw_array(&w);
    for (size_t i = 0; i < f->item_count; i++)
        skn_jw_str(&w, f->items[i]);
    skn_jw_array_end(&w);
    if (f->prompt.n)
        skn_jw_object_end(&w);
    return skn_buf_str(buf);
}

static void tell(skn_tx *tx, const skn_conversation_row *row, skn_str path)
{
    skn_told d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "id", row->uid);
    skn_jw_kstr(&d.w, "contextFile", path);
    skn_feed_chat(tx, row, "chat.updated", SKN_NONE, &d);
}

static skein_rc set(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row row;
    int64_t              others;
    skein_rc             rc;

    if ((rc = skn_conversation_take(tx, c->conversation, c->a, &row, err)) ||
        (rc = skn_file_others(tx, row.id, c->path, &others, err)))
        return rc;
    if (others >= FILES_MOST)
        return skn_fail(err, SKEIN_LIMIT, "the conversation has %lld files; the limit is %d",
                        (long long)others, FILES_MOST);
    if ((rc = skn_file_put(tx, row.id, c->path, c->items, SKN_NOW(), err)))
        return rc;
    tell(tx, &row, c->path);
    return SKEIN_OK;
}

static skein_rc drop(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row row;
    bool                 found;
    skein_rc             rc;

    if ((rc = skn_conversation_take(tx, c->conversation, c->a, &row, err)) ||
        (rc = skn_file_drop(tx, row.id, c->path, &found, err)))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "conversation \"%.*s\" has no file \"%.*s\"",
                        SKN_FMT(row.uid), SKN_FMT(c->path));
    tell(tx, &row, c->path);
    return SKEIN_OK;
}

/* --- All at once --------------------------------------------------------------------------------------- */

static bool is_same(const skein_context_file *a, const skein_context_file *b)
{
    bool same = a->item_count == b->item_count && skn_str_eq(a->prompt, b->prompt);

    for (size_t i = 0; same && i < a->item_count; i++)
        same = skn_str_eq(a->items[i], b->items[i]);
    return same;
}

static skein_rc drop_others(skn_tx *tx, const skn_conversation_row *row,
                            const skein_context_files *have, const skn_map *wanted,
                            skein_error *err)
{
    bool     found;
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < have->count; i++)
        if (!skn_map_get(wanted, have->at[i].path)) {
            rc = skn_file_drop(tx, row->id, have->at[i].path, &found, err);
            tell(tx, row, have->at[i].path);
        }
    return rc;
}

static skein_rc put_one(skn_tx *tx, const skn_conversation_row *row,
                        const skein_context_file *f, skein_error *err)
{
    skn_buf  items;
    skein_rc rc;

    skn_buf_init(&items, SIZE_MAX / 2);
    rc = skn_file_put(tx, row->id, f->path, items_json(f, &items), SKN_NOW(), err);
    skn_buf_release(&items);
    tell(tx, row, f->path);
    return rc;
}

static skein_rc replace(skn_tx *tx, void *arg, skein_error *err)
{
    call                      *c = arg;
    const skein_context_files *all = c->all;
    skn_conversation_row       row;
    skein_context_files        have;
    skn_map                   *wanted = skn_map_new(c->a), *known = skn_map_new(c->a);
    skein_rc                   rc;

    if ((rc = skn_conversation_take(tx, c->conversation, c->a, &row, err)) ||
        (rc = skn_file_rows(tx, row.id, c->a, &have, err)))
        return rc;
    for (size_t i = 0; i < all->count; i++)
        *skn_map_slot(wanted, all->at[i].path) = c;
    for (size_t i = 0; i < have.count; i++)
        *skn_map_slot(known, have.at[i].path) = &have.at[i];
    rc = drop_others(tx, &row, &have, wanted, err);
    for (size_t i = 0; rc == SKEIN_OK && i < all->count; i++) {
        const skein_context_file *before = skn_map_get(known, all->at[i].path);

        if (!before || !is_same(before, &all->at[i]))
            rc = put_one(tx, &row, &all->at[i], err);
    }
    return rc;
}

/* Each may be, and none is there twice; *bad is the first that is not so. */
static skein_rc check_all(const skein_context_files *files, skn_arena *a, size_t *bad,
                          skein_error *err)
{
    skn_map *paths = skn_map_new(a);
    skein_rc rc;

    for (*bad = 0; *bad < files->count; ++*bad) {
        const skein_context_file *f = &files->at[*bad];
        void                    **slot;

        if ((rc = check(f, err)))
            return rc;
        if (*(slot = skn_map_slot(paths, f->path)))
            return skn_fail(err, SKEIN_INVALID, "the file \"%.*s\" is there twice",
                            (int)(f->path.n < 80 ? f->path.n : 80), f->path.p);
        *slot = paths;
    }
    return SKEIN_OK;
}

skein_rc skein_context_file_replace(skein_engine *e, skein_conversation_id conversation,
                                    const skein_context_files *files, size_t *bad,
                                    skein_error *err)
{
    call     c = {.conversation = conversation, .all = files};
    size_t   at;
    skein_rc rc;

    bad = bad ? bad : &at;
    *bad = files->count;
    if (files->count > FILES_MOST)
        return skn_fail(err, SKEIN_LIMIT, "%zu files were given; the limit is %d", files->count,
                        FILES_MOST);
    c.a = skn_arena_new();
    rc = check_all(files, c.a, bad, err);
    if (rc == SKEIN_OK)
        rc = skn_store_write(e->store, replace, &c, err);
    skn_arena_free(c.a);
    return rc;
}

/* --- One by one ----------------------------------------------------------------------------------------- */

static skein_rc list(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row row;
    skein_rc             rc;

    if ((rc = skn_conversation_need(tx, c->conversation, c->a, &row, err)))
        return rc;
    return skn_file_rows(tx, row.id, c->a, c->out, err);
}

skein_rc skein_context_file_set(skein_engine *e, skein_conversation_id conversation,
                                const skein_context_file *file, skein_error *err)
{
    call     c = {.conversation = conversation, .path = file->path};
    skn_buf  items;
    skein_rc rc = check(file, err);

    if (rc)
        return rc;
    skn_buf_init(&items, SIZE_MAX / 2);
    c.items = items_json(file, &items);
    c.a = skn_arena_new();
    rc = skn_store_write(e->store, set, &c, err);
    skn_arena_free(c.a);
    skn_buf_release(&items);
    return rc;
}

skein_rc skein_context_file_remove(skein_engine *e, skein_conversation_id conversation,
                                   skein_str path, skein_error *err)
{
    call     c = {.conversation = conversation, .path = path};
    skein_rc rc = skn_check_word(path, "the path", PATH_BYTES, err);

    if (rc)
        return rc;
    c.a = skn_arena_new();
    rc = skn_store_write(e->store, drop, &c, err);
    skn_arena_free(c.a);
    return rc;
}

skein_rc skein_context_file_list(skein_engine *e, skein_conversation_id conversation,
                                 skein_mem *mem, skein_context_files *out, skein_error *err)
{
    call c = {.conversation = conversation, .a = mem, .out = out};

    *out = (skein_context_files){0};
    return skn_store_read(e->store, list, &c, err);
}
