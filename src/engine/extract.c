/* extract.c: what a model took from a context file by its prompt. It is kept in a folder beside the files, under
 * a name made of all that it depends on: a model is asked once for each content of the file, not in every turn. It
 * can be made anew at any time, so it is no part of the store. */
#include "base/error.h"
#include "base/sha256.h"
#include "engine/engine.h"
#include "engine/filespec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HALF = 32, WHY_BYTES = 4096 };

#define NEVER_ASKED "no agent has answered since it was named or changed"

/* --- Names --------------------------------------------------------------------------------------- */

static void add(skn_sha256 *h, skn_str s)
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
    add(&h, f->path);
    add(&h, f->prompt);
    for (size_t i = 0; i < f->item_count; i++)
        add(&h, f->items[i]);
    skn_sha256_text(&h, wanted);
    skn_sha256_init(&h);
    for (size_t i = 0; i < parts->count; i++) {
        add(&h, parts->at[i].item);
        add(&h, parts->at[i].text);
    }
    skn_sha256_text(&h, content);
    return skn_arena_printf(a, "%.*s-%.*s", HALF, wanted, HALF, content);
}

static const char *folder_of(const char *root, skn_arena *a)
{
    return skn_arena_printf(a, "%s.extracts", root).p;
}

static bool find(const char *root, skn_str name, const char *kind, size_t most, skn_arena *a,
                 skn_str *out)
{
    skn_str     file = skn_arena_printf(a, "%.*s.%s", SKN_FMT(name), kind);
    skein_error err;

    return !skn_file_read(out, folder_of(root, a), file, most, NULL, a, &err);
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

/* What was taken, then what was missing of the file when it was. */
static skein_file_parts taken(const skein_file_parts *whole, skn_str text, size_t *room,
                              skn_arena *a)
{
    skein_file_parts out = {0};
    skein_file_part  part = {.text = text, .extracted = true};

    if (text.n > *room) {
        part.text = skn_whole_lines(skn_str_sub(text, 0, *room));
        part.note = skn_arena_printf(a,
                                     "cut, %zu of %zu bytes: the files of a conversation may "
                                     "give %d kB together",
                                     part.text.n, text.n, SKN_FILES_ROOM / 1024);
    }
    *room -= part.text.n;
    out = with_part(&out, part, a);
    for (size_t i = 0; i < whole->count; i++)
        if (whole->at[i].note.p)
            out = with_part(
                &out, (skein_file_part){.item = whole->at[i].item, .note = whole->at[i].note},
                a);
    return out;
}

/* As it is, with a note that says so. */
static skein_file_parts not_taken(const skein_context_file *f, const char *root, skn_str name,
                                  size_t *room, skn_arena *a)
{
    skein_file_parts parts = skn_context_file_read(f, root, room, a);
    skein_file_part  part = {.text = SKN_STR("")};
    skn_str          why = SKN_STR(NEVER_ASKED);

    find(root, name, "why", WHY_BYTES, a, &why);
    part.note = skn_arena_printf(
        a, "it is as it stands in the file, its prompt was not applied: %.*s",
        SKN_FMT(why.p ? why : SKN_STR(NEVER_ASKED)));
    return with_part(&parts, part, a);
}

static skein_file_parts read_one(const skein_context_file *f, const char *root, size_t *room,
                                 skn_arena *a)
{
    size_t           alone = SKN_FILES_ROOM;
    skein_file_parts whole;
    skn_str          name, text;

    if (!f->prompt.n)
        return skn_context_file_read(f, root, room, a);
    whole = skn_context_file_read(f, root, &alone, a);
    if (!has_text(&whole))
        return skn_context_file_read(f, root, room, a);
    name = name_of(f, &whole, a);
    return find(root, name, "txt", SKEIN_FILE_LIMIT, a, &text)
               ? taken(&whole, text, room, a)
               : not_taken(f, root, name, room, a);
}

skein_file_parts *skn_context_files_read(const skein_context_files *files, const char *root,
                                         skn_arena *a)
{
    skein_file_parts *out = SKN_ARRAY(a, files->count, skein_file_parts);
    size_t            room = SKN_FILES_ROOM;

    for (size_t i = 0; i < files->count; i++)
        out[i] = read_one(&files->at[i], root, &room, a);
    return out;
}

/* --- Making ------------------------------------------------------------------------------------------- */

bool skn_extract_next(const skein_context_files *files, const char *root, size_t skip,
                      skn_arena *a, skn_extract *out)
{
    for (size_t i = 0; i < files->count; i++) {
        const skein_context_file *f = &files->at[i];
        size_t                    alone = SKN_FILES_ROOM;
        skn_str                   text;

        *out = (skn_extract){.file = f};
        if (!f->prompt.n)
            continue;
        out->parts = skn_context_file_read(f, root, &alone, a);
        out->name = name_of(f, &out->parts, a);
        if (has_text(&out->parts) &&
            !find(root, out->name, "txt", SKEIN_FILE_LIMIT, a, &text) && skip-- == 0)
            return true;
    }
    return false;
}

static skein_rc write_file(const char *path, skn_str text, skn_arena *a, skein_error *err)
{
    const char *partial = skn_arena_printf(a, "%s.part", path).p;
    int         fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    ssize_t     n = 0;

    for (size_t at = 0; fd >= 0 && n >= 0 && at<text.n; at += n> 0 ? (size_t)n : 0)
        if ((n = write(fd, text.p + at, text.n - at)) < 0 && errno == EINTR)
            n = 0;
    if (fd >= 0 && close(fd) == 0 && n >= 0 && rename(partial, path) == 0)
        return SKEIN_OK;
    return skn_fail(err, SKEIN_IO, "\"%s\" cannot be written: %s", path, strerror(errno));
}

/* What was taken from the file as it was before. */
static void drop_older(const char *folder, skn_str name, skn_arena *a)
{
    DIR           *dir = opendir(folder);
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        skn_str other = skn_str_of(e->d_name);

        if (skn_str_starts(other, skn_str_sub(name, 0, HALF + 1)) &&
            !skn_str_starts(other, name))
            unlink(skn_arena_printf(a, "%s/%s", folder, e->d_name).p);
    }
    if (dir)
        closedir(dir);
}

skein_rc skn_extract_keep(const char *root, skn_str name, skn_str text, skn_str why,
                          skein_error *err)
{
    skn_arena  *a = skn_arena_new();
    const char *folder = folder_of(root, a);
    const char *path =
        skn_arena_printf(a, "%s/%.*s.%s", folder, SKN_FMT(name), text.n ? "txt" : "why").p;
    skein_rc rc = SKEIN_OK;

    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        rc = skn_fail(err, SKEIN_IO, "\"%s\" cannot be made: %s", folder, strerror(errno));
    if (!rc)
        rc = write_file(path, text.n ? text : skn_str_sub(why, 0, WHY_BYTES), a, err);
    if (!rc)
        drop_older(folder, name, a);
    skn_arena_free(a);
    return rc;
}
