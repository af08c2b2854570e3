/* context_files.c: which files, or pieces of them, belong to what is talked about. Only their names
 * are kept; filespec.c reads them. */
#include "base/json_write.h"
#include "engine/core.h"
#include "engine/feed.h"

#include <skein/filespec.h>

#define PATH_BYTES 4096
#define ITEM_BYTES 1024
#define FILES_MOST 1000

typedef struct call {
    skein_conversation_id conversation;
    skn_str               path, items;
    skn_arena            *a;
    skein_context_files  *out;
} call;

static skein_rc check(const skein_context_file *f, skein_error *err)
{
    skein_rc rc = skn_check_word(f->path, "the path", PATH_BYTES, err);

    if (rc == SKEIN_OK && f->item_count > SKEIN_FILE_ITEMS_LIMIT)
        rc = skn_fail(err, SKEIN_LIMIT, "%zu items of one file; the limit is %d", f->item_count,
                      SKEIN_FILE_ITEMS_LIMIT);
    for (size_t i = 0; rc == SKEIN_OK && i < f->item_count; i++)
        rc = skn_check_word(f->items[i], "an item of the file", ITEM_BYTES, err);
    return rc;
}

static skn_str items_json(const skein_context_file *f, skn_buf *buf)
{
    skn_jw w;

    if (f->item_count == 0)
        return SKN_NONE;
    skn_jw_init(&w, buf);
    skn_jw_array(&w);
    for (size_t i = 0; i < f->item_count; i++)
        skn_jw_str(&w, f->items[i]);
    skn_jw_array_end(&w);
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
