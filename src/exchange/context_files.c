/* context_files.c: which files, or pieces of them, belong to what is talked about. Only their names
 * are kept; filespec.c reads them. */
#include "base/file.h"
#include "base/utf8.h"
#include "engine/feed.h"
#include "exchange/exchange.h"
#include "exchange/filespec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES   4096
#define ITEM_BYTES   1024
#define PROMPT_BYTES 8192
#define FILES_MOST   1000

typedef struct call {
    skein_conversation_id      conversation;
    const skein_context_file  *file; /* to set or remove */
    const skein_context_files *all;  /* of a replacement */
    skn_arena                 *a;
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

static skein_rc check_file(const skein_context_file *f, skein_error *err)
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
        rc = skn_fail(err, SKEIN_INVALID, "the prompt of the file is not text");
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

static void tell_context_file(skn_tx *tx, const skn_conversation_row *row, skn_str path)
{
    skn_told d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "id", row->uid);
    skn_jw_kstr(&d.w, "contextFile", path);
    skn_feed_chat(tx, row, "chat.updated", SKN_NONE, &d);
}

static skein_rc put_one(skn_tx *tx, const skn_conversation_row *row,
                        const skein_context_file *f, skein_error *err)
{
    skn_buf  items;
    skein_rc rc;

    skn_buf_init(&items, SIZE_MAX / 2);
    rc = skn_file_put(tx, row->id, f->path, items_json(f, &items), SKN_NOW(), err);
    skn_buf_release(&items);
    tell_context_file(tx, row, f->path);
    return rc;
}

static skein_rc store_file(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row row;
    int64_t              others;
    skein_rc             rc;

    if ((rc = skn_conversation_take(tx, c->conversation, c->a, &row, err)) ||
        (rc = skn_file_others(tx, row.id, c->file->path, &others, err)))
        return rc;
    if (others >= FILES_MOST)
        return skn_fail(err, SKEIN_LIMIT, "the conversation has %lld files; the limit is %d",
                        (long long)others, FILES_MOST);
    return put_one(tx, &row, c->file, err);
}

static skein_rc remove_file(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row row;
    bool                 found;
    skein_rc             rc;

    if ((rc = skn_conversation_take(tx, c->conversation, c->a, &row, err)) ||
        (rc = skn_file_drop(tx, row.id, c->file->path, &found, err)))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "conversation \"%.*s\" has no file \"%.*s\"",
                        SKN_FMT(row.uid), SKN_FMT(c->file->path));
    tell_context_file(tx, &row, c->file->path);
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
            tell_context_file(tx, row, have->at[i].path);
        }
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

        if ((rc = check_file(f, err)))
            return rc;
        if (*(slot = skn_map_slot(paths, f->path)))
            return skn_fail(err, SKEIN_INVALID, "the file \"%.*s\" is there twice",
                            (int)(f->path.n < 80 ? f->path.n : 80), f->path.p);
        *slot = paths;
    }
    return SKEIN_OK;
}

static skein_rc change(skein_engine *e, call c,
                       skein_rc (*how)(skn_tx *tx, void *arg, skein_error *err),
                       skein_error *err)
{
    skein_rc rc;

    c.a = skn_arena_new();
    rc = skn_store_write(e->store, how, &c, err);
    skn_arena_free(c.a);
    return rc;
}

skein_rc skein_context_file_replace(skein_engine *e, skein_conversation_id conversation,
                                    const skein_context_files *files, size_t *bad,
                                    skein_error *err)
{
    skn_arena *a;
    size_t     at;
    skein_rc   rc;

    bad = bad ? bad : &at;
    *bad = files->count;
    if (files->count > FILES_MOST)
        return skn_fail(err, SKEIN_LIMIT, "%zu files were given; the limit is %d", files->count,
                        FILES_MOST);
    a = skn_arena_new();
    rc = check_all(files, a, bad, err);
    skn_arena_free(a);
    if (rc)
        return rc;
    return change(e, (call){.conversation = conversation, .all = files}, replace, err);
}

skein_rc skein_context_file_set(skein_engine *e, skein_conversation_id conversation,
                                const skein_context_file *file, skein_error *err)
{
    skein_rc rc = check_file(file, err);

    return rc ? rc
              : change(e, (call){.conversation = conversation, .file = file}, store_file, err);
}

skein_rc skein_context_file_remove(skein_engine *e, skein_conversation_id conversation,
                                   skein_str path, skein_error *err)
{
    const skein_context_file file = {.path = path};
    skein_rc                 rc = skn_check_word(path, "the path", PATH_BYTES, err);

    return rc ? rc
              : change(e, (call){.conversation = conversation, .file = &file}, remove_file,
                       err);
}

skein_rc skein_context_file_list(skein_engine *e, skein_conversation_id conversation,
                                 skein_mem *mem, skein_context_files *out, skein_error *err)
{
    skn_snapshot         s = {.store = e->store};
    skn_conversation_row row;

    *out = (skein_context_files){0};
    while (skn_snapshot_next(&s, err))
        if (!(s.rc = skn_conversation_need(s.tx, conversation, mem, &row, err)))
            s.rc = skn_file_rows(s.tx, row.id, mem, out, err);
    return s.rc;
}

/* What a model took from a context file by its prompt. It is kept in a folder beside the files, under
 * a name made of all that it depends on: a model is asked once for each content of the file, not in every turn. It
 * can be made again at any time, so it is not part of the store. */

enum { HALF = 32, WHY_BYTES = 4096, WHY_SECONDS = 600 };

typedef skn_vec(skn_str) names;

#define NEVER_ASKED "no agent has answered since it was named or changed"

/* --- Names --------------------------------------------------------------------------------------- */

static void hash_text(skn_sha256 *h, skn_str s)
{
    char length[32];

    snprintf(length, sizeof length, "%zu:", s.n);
    skn_sha256_add(h, skn_str_of(length));
    skn_sha256_add(h, s);
}

/* "WANTED-CONTENT": what is asked of which file, and what is in it now. */
static skn_str name_of(const skein_context_file *f, const skein_file_parts *parts, skn_arena *a)
{
    char       wanted[SKN_SHA256_TEXT], content[SKN_SHA256_TEXT];
    skn_sha256 h;

    skn_sha256_init(&h);
    hash_text(&h, f->path);
    hash_text(&h, f->prompt);
    for (size_t i = 0; i < f->item_count; i++)
        hash_text(&h, f->items[i]);
    skn_sha256_text(&h, wanted);
    skn_sha256_init(&h);
    for (size_t i = 0; i < parts->count; i++) {
        hash_text(&h, parts->at[i].item);
        hash_text(&h, parts->at[i].text);
    }
    skn_sha256_text(&h, content);
    return skn_arena_printf(a, "%.*s-%.*s", HALF, wanted, HALF, content);
}

static const char *folder_of(const char *root, skn_arena *a)
{
    return skn_arena_text(a, "%s.extracts", root);
}

/* The lines of it that fit; *whole is its size. */
static bool find_file(const char *root, skn_str name, const char *kind, size_t most,
                      size_t *whole, skn_arena *a, skn_str *out)
{
    skn_str     file = skn_arena_printf(a, "%.*s.%s", SKN_FMT(name), kind);
    skein_error err;

    return !skn_file_read(out, folder_of(root, a), file, most, whole, a, &err);
}

static bool is_new(int64_t modified)
{
    int64_t age = skn_clock_micros() / 1000000 - modified;

    return age >= 0 && age < WHY_SECONDS;
}

/* A model that has just failed at it would fail again, and be paid again. */
static bool failed_lately(const char *root, skn_str name, skn_arena *a)
{
    struct stat st;
    const char *path = skn_arena_text(a, "%s/%.*s.why", folder_of(root, a), SKN_FMT(name));

    return lstat(path, &st) == 0 && is_new(st.st_mtime);
}

/* --- Reading ---------------------------------------------------------------------------------------- */

static bool has_text(const skein_file_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->at[i].text.n)
            return true;
    return false;
}

static skein_file_parts with_part(const skein_file_parts *parts, skein_file_part more,
                                  skn_arena *a)
{
    skein_file_parts out = {SKN_ARRAY(a, parts->count + 1, skein_file_part), parts->count + 1};

    for (size_t i = 0; i < parts->count; i++)
        out.at[i] = parts->at[i];
    out.at[parts->count] = more;
    return out;
}

static void take_room(size_t *room, size_t bytes)
{
    *room -= bytes < *room ? bytes : *room;
}

/* What was taken, then what was missing of the file when it was, while there is room. */
static skein_file_parts taken(const skein_file_parts *whole, skn_str text, size_t size,
                              size_t *room, skn_arena *a)
{
    skn_vec(skein_file_part) out = {0};
    skein_file_part part = {.text = text, .extracted = true};

    if (text.n < size)
        part.note = skn_arena_printf(a,
                                     "cut, %zu of %zu bytes: the files of a conversation may "
                                     "give %d kB together",
                                     text.n, size, SKN_FILES_ROOM / 1024);
    take_room(room, text.n + part.note.n);
    skn_vec_add(a, &out, part);
    for (size_t i = 0; i < whole->count && *room; i++) {
        const skein_file_part *from = &whole->at[i];

        if (!from->note.p)
            continue;
        part = (skein_file_part){.item = skn_arena_copy(a, from->item),
                                 .note = skn_arena_copy(a, from->note)};
        take_room(room, part.item.n + part.note.n);
        skn_vec_add(a, &out, part);
    }
    return (skein_file_parts){out.p, out.n};
}

/* As it is, with a note that says so. */
static skein_file_parts not_taken(const skein_context_file *f, const char *root, skn_str name,
                                  size_t *room, skn_arena *a)
{
    skein_file_parts parts = skn_context_file_read(f, root, room, a);
    skein_file_part  part = {.text = SKN_STR("")};
    skn_str          why = SKN_NONE;

    find_file(root, name, "why", WHY_BYTES, NULL, a, &why);
    part.note = skn_arena_printf(
        a, "it is as it stands in the file, its prompt was not applied: %.*s",
        SKN_FMT(why.p ? why : SKN_STR(NEVER_ASKED)));
    take_room(room, part.note.n);
    return with_part(&parts, part, a);
}

/* *lacks: the name of an extract that is not there, or absent. The file is read as a whole to know the name, and not
 * kept: only what agents are sent takes room. */
static skein_file_parts read_one(const skein_context_file *f, const char *root, size_t *room,
                                 skn_arena *a, skn_str *lacks)
{
    size_t           alone = SKN_FILES_ROOM, size = 0;
    skn_arena       *scratch;
    skein_file_parts whole, out;
    skn_str          name, text;

    *lacks = SKN_NONE;
    if (!f->prompt.n || !*room)
        return skn_context_file_read(f, root, room, a);
    scratch = skn_arena_new();
    whole = skn_context_file_read(f, root, &alone, scratch);
    name = name_of(f, &whole, scratch);
    if (!has_text(&whole)) {
        out = skn_context_file_read(f, root, room, a);
    } else if (find_file(root, name, "txt", *room, &size, a, &text)) {
        out = taken(&whole, text, size, room, a);
    } else {
        *lacks = skn_arena_copy(a, name);
        out = not_taken(f, root, name, room, a);
    }
    skn_arena_free(scratch);
    return out;
}

skein_file_parts *skn_context_files_read(const skein_context_files *files, const char *root,
                                         skn_arena *a)
{
    skein_file_parts *out = SKN_ARRAY(a, files->count, skein_file_parts);
    size_t            room = SKN_FILES_ROOM;
    skn_str           lacks;

    for (size_t i = 0; i < files->count; i++)
        out[i] = read_one(&files->at[i], root, &room, a, &lacks);
    return out;
}

/* --- Making ------------------------------------------------------------------------------------------- */

static bool wants(const skein_context_file *f, const char *root, size_t *room)
{
    skn_arena *a = skn_arena_new();
    skn_str    lacks;
    bool       yes;

    read_one(f, root, room, a, &lacks);
    yes = lacks.n && !failed_lately(root, lacks, a);
    skn_arena_free(a);
    return yes;
}

/* Files that there is no room for are not asked about. */
bool skn_extract_next(const skein_context_files *files, const char *root, skn_arena *a,
                      skn_extract *out)
{
    size_t room = SKN_FILES_ROOM, alone = SKN_FILES_ROOM;

    for (size_t i = 0; i < files->count && room; i++) {
        const skein_context_file *f = &files->at[i];

        if (!wants(f, root, &room))
            continue;
        *out = (skn_extract){.file = f, .parts = skn_context_file_read(f, root, &alone, a)};
        out->name = name_of(f, &out->parts, a);
        return has_text(&out->parts);
    }
    return false;
}

/* For its owner alone, whatever it was before. */
static skein_rc open_folder(const char *path, int *out, skein_error *err)
{
    struct stat st;

    *out = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*out >= 0 && fstat(*out, &st) == 0 && (!(st.st_mode & 077) || fchmod(*out, 0700) == 0))
        return SKEIN_OK;
    skn_fail(err, SKEIN_IO, "the folder \"%s\" cannot be used: %s", path, strerror(errno));
    if (*out >= 0)
        close(*out);
    *out = -1;
    return SKEIN_IO;
}

/* The names in it, which are to be looked at when it is not read any more. */
static names names_in(int folder, skn_arena *a)
{
    int            fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR           *dir = fd >= 0 ? fdopendir(fd) : NULL;
    names          out = {0};
    struct dirent *e;

    while (dir && (e = readdir(dir)))
        skn_vec_add(a, &out, skn_arena_copy(a, skn_str_of(e->d_name)));
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    return out;
}

/* What was taken from the file as it was before. */
static void drop_older(int folder, skn_str name, skn_arena *a)
{
    names all = names_in(folder, a);

    for (size_t i = 0; i < all.n; i++)
        if (skn_str_starts(all.p[i], skn_str_sub(name, 0, HALF + 1)) &&
            !skn_str_starts(all.p[i], name))
            unlinkat(folder, all.p[i].p, 0);
}

/* What could not be read again would be asked for again. */
static skein_rc check_text(skn_str text, skein_error *err)
{
    if (text.n > SKEIN_FILE_LIMIT)
        return skn_fail(err, SKEIN_LIMIT, "the model wrote %zu bytes; the limit is %zu", text.n,
                        SKEIN_FILE_LIMIT);
    return skn_utf8_check(text, "what the model wrote", err);
}

skein_rc skn_extract_keep(const char *root, skn_str name, skn_str text, skn_str why,
                          skein_error *err)
{
    skn_arena  *a = skn_arena_new();
    const char *path = folder_of(root, a);
    skn_str     file = skn_arena_printf(a, "%.*s.%s", SKN_FMT(name), text.p ? "txt" : "why");
    skn_str     bytes = text.p ? text : skn_utf8_cut(why, WHY_BYTES);
    int         folder = -1;
    skein_rc    rc = check_text(text, err);

    if (rc)
        goto out;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        rc = skn_fail(err, SKEIN_IO, "\"%s\" cannot be created: %s", path, strerror(errno));
        goto out;
    }
    if ((rc = open_folder(path, &folder, err)) ||
        (rc = skn_file_replace(folder, file.p, &bytes, 1, false, err)))
        goto out;
    if (text.p)
        unlinkat(folder, skn_arena_text(a, "%.*s.why", SKN_FMT(name)), 0);
    drop_older(folder, name, a);
out:
    if (folder >= 0)
        close(folder);
    skn_arena_free(a);
    return rc;
}
