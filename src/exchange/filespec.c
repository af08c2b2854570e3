#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif
#include "exchange/filespec.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "exchange/exchange.h"
#include "exchange/outline_lex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ITEM_LIMIT = 512, SHOWN = 120 };

static const char function_words[] = "fun function func fn def method";
static const char type_words[] =
    "class struct interface enum trait object record protocol union "
    "type namespace module mod extension actor";

/* The declarations of one name. */
typedef struct named {
    size_t first; /* index + 1; 0 ends */
} named;

/* One file while its items are looked up. */
typedef struct lookup {
    const skein_file_spec *spec;
    skn_str                text;
    size_t                *starts; /* of the lines, from 1, and one more behind the last */
    size_t                 lines;
    skn_outline            outline;
    skn_map               *names; /* to named */
    size_t                *next;  /* of declaration i: the next of its name, index + 1 */
    skn_arena             *scratch, *mem;
    size_t                 room; /* bytes that parts may still take */
    bool                   some; /* what cannot be given is a note, no failure */
    skn_vec(skein_file_part) parts;
} lookup;

static skn_str shown_text(skn_str s)
{
    return skn_utf8_cut(s, SHOWN);
}

static skein_rc bad_item(skein_error *err, skn_str item, const char *why)
{
    bool text = skn_utf8_valid(item, NULL);

    return skn_fail_hint(
        err, SKEIN_INVALID,
        "Name a function (\"fun total\"), a type (\"class Store\") or lines (\"142:156\").",
        "the item \"%.*s\" %s", SKN_FMT(text ? shown_text(item) : SKN_STR("?")), why);
}

static skein_rc parse_lines(skn_str text, skn_file_item *out, skein_error *err)
{
    skn_str rest = text, from = SKN_NONE;
    int64_t first, last;

    skn_str_split(&rest, ':', &from);
    if (!skn_str_int(skn_str_trim(from), &first) || !skn_str_int(skn_str_trim(rest), &last))
        return bad_item(err, text, "is not a range of lines");
    if (first < 1 || last < first)
        return bad_item(err, text, "is a range that begins before line 1 or after its end");
    *out = (skn_file_item){
        .kind = SKN_ITEM_LINES, .first = (size_t)first, .last = (size_t)last};
    return SKEIN_OK;
}

/* Store.total, Store::total, a.b.Store.total: the last name, and its owner before it. */
static void split_owner(skn_file_item *item)
{
    skn_str s = item->name;
    size_t  at = s.n, end;

    while (at > 0 && s.p[at - 1] != '.' && s.p[at - 1] != ':')
        at--;
    if (at == 0 || at == s.n)
        return;
    item->name = skn_str_sub(s, at, s.n);
    for (end = at; end > 0 && (s.p[end - 1] == '.' || s.p[end - 1] == ':');)
        end--;
    for (at = end; at > 0 && s.p[at - 1] != '.' && s.p[at - 1] != ':';)
        at--;
    item->owner = skn_str_sub(s, at, end);
}

static skein_rc parse_name(skn_str text, skn_file_item *out, skein_error *err)
{
    ptrdiff_t group = skn_str_find(text, SKN_STR("("));
    skn_str   rest = group < 0 ? text : skn_str_trim(skn_str_sub(text, 0, (size_t)group)), word;
    bool      other = false;

    *out = (skn_file_item){.kind = SKN_ITEM_ANY};
    while (skn_str_split(&rest, ' ', &word)) {
        if (!word.n)
            continue;
        if (out->name.n && skn_str_among(out->name, function_words))
            out->kind = SKN_ITEM_FUNCTION;
        else if (out->name.n && skn_str_among(out->name, type_words))
            out->kind = SKN_ITEM_TYPE;
        else if (out->name.n)
            other = true;
        out->name = word;
    }
    if (!out->name.n || (other && out->kind == SKN_ITEM_ANY))
        return bad_item(err, text, "names neither a function nor a type");
    split_owner(out);
    return SKEIN_OK;
}

skein_rc skn_file_item_parse(skn_str text, skn_file_item *out, skein_error *err)
{
    skn_str s = skn_str_trim(text);

    if (!s.n)
        return bad_item(err, text, "is empty");
    if (s.n > ITEM_LIMIT)
        return bad_item(err, text, "is too long");
    if (!skn_utf8_valid(s, NULL))
        return bad_item(err, text, "is not UTF-8");
    if ((s.p[0] >= '0' && s.p[0] <= '9') || s.p[0] == '-' || s.p[0] == ':')
        return parse_lines(s, out, err);
    return parse_name(s, out, err);
}

static void index_lines(lookup *l)
{
    size_t line = 1;

    l->lines = skn_count_lines(l->text);
    l->starts = SKN_ARRAY(l->scratch, l->lines + 2, size_t);
    for (size_t i = 0; i < l->text.n; i++)
        if (l->text.p[i] == '\n' && ++line <= l->lines)
            l->starts[line] = i + 1;
    l->starts[l->lines + 1] = l->text.n;
}

/* A part takes room with what is said about it, too. */
static void keep_part(lookup *l, skein_file_part part, skn_str text)
{
    size_t taken = text.n + part.note.n;

    l->room -= taken < l->room ? taken : l->room;
    part.text = skn_arena_copy(l->mem, text);
    skn_vec_add(l->mem, &l->parts, part);
}

static void add_note(lookup *l, skn_str item, skn_str note)
{
    skein_file_part part = {.item = item.p ? skn_arena_copy(l->mem, item) : SKN_NONE,
                            .note = skn_arena_copy(l->mem, note)};

    keep_part(l, part, SKN_STR(""));
}

static skn_str no_room(skn_arena *a, skn_str what)
{
    return skn_arena_printf(a, "%.*s: the files of a conversation may give %d kB together",
                            SKN_FMT(what), SKN_FILES_ROOM / 1024);
}

static skn_str cut_note(lookup *l, size_t last, size_t had, size_t whole)
{
    return no_room(l->mem, skn_arena_printf(l->scratch, "cut after line %zu, %zu of %zu bytes",
                                            last, had, whole));
}

/* Lines as they are, without the end of the last. */
static skein_rc add_part(lookup *l, skn_str item, size_t first, size_t last, skein_error *err)
{
    skn_str         text = skn_str_sub(l->text, l->starts[first], l->starts[last + 1]);
    size_t          whole = text.n;
    skein_file_part part = {.first_line = first, .last_line = last};

    if (text.n > l->room && l->some) {
        text = skn_whole_lines(skn_str_sub(text, 0, l->room));
        if (!text.n) {
            add_note(l, item, no_room(l->mem, SKN_STR("left out")));
            return SKEIN_OK;
        }
        part.last_line = first + skn_count_lines(text) - 1;
        part.note = cut_note(l, part.last_line, text.n, whole);
    }
    if (skn_str_ends(text, SKN_STR("\n")))
        text.n--;
    if (skn_str_ends(text, SKN_STR("\r")))
        text.n--;
    if (text.n > l->room)
        return skn_fail(err, SKEIN_LIMIT, "the parts of \"%.*s\" are too large together",
                        SKN_FMT(shown_text(l->spec->path)));
    part.item = skn_arena_copy(l->mem, item);
    keep_part(l, part, text);
    return SKEIN_OK;
}

static skein_rc add_lines(lookup *l, skn_str item, const skn_file_item *want, skein_error *err)
{
    if (want->first > l->lines) {
        skn_fail(err, SKEIN_INVALID, "the lines \"%.*s\" are behind the end of \"%.*s\"",
                 SKN_FMT(shown_text(item)), SKN_FMT(shown_text(l->spec->path)));
        return skn_hint(err, SKEIN_INVALID, "The file has %zu lines.", l->lines);
    }
    return add_part(l, item, want->first, want->last < l->lines ? want->last : l->lines, err);
}

/* Reads the outline once, when the first name is asked for. */
static skein_rc know_names(lookup *l, skn_str item, skein_error *err)
{
    const skn_lang *lang = skn_lang_of(l->spec->path);

    if (l->names)
        return SKEIN_OK;
    if (!lang)
        return skn_fail_hint(err, SKEIN_INVALID,
                             "Ask for lines (\"1:40\") or for the whole file.",
                             "cannot look for \"%.*s\" in \"%.*s\": its language is not known",
                             SKN_FMT(shown_text(item)), SKN_FMT(shown_text(l->spec->path)));
    skn_outline_read(l->text, lang, l->scratch, &l->outline);
    l->names = skn_map_new(l->scratch);
    l->next = SKN_ARRAY(l->scratch, l->outline.count, size_t);
    for (size_t i = l->outline.count; i-- > 0;) {
        void **slot = skn_map_slot(l->names, l->outline.at[i].name);

        if (!*slot)
            *slot = SKN_NEW(l->scratch, named);
        l->next[i] = ((named *)*slot)->first;
        ((named *)*slot)->first = i + 1;
    }
    return SKEIN_OK;
}

static bool fits(const skn_declaration *d, const skn_file_item *want)
{
    if (want->kind != SKN_ITEM_ANY && d->type != (want->kind == SKN_ITEM_TYPE))
        return false;
    return !want->owner.p || skn_str_eq(d->owner, want->owner);
}

static skein_rc add_named(lookup *l, skn_str item, const skn_file_item *want, skein_error *err)
{
    size_t       had = l->parts.n;
    const named *of;
    skein_rc     rc;

    if ((rc = know_names(l, item, err)))
        return rc;
    of = skn_map_get(l->names, want->name);
    for (int body = 1; of && body >= 0 && l->parts.n == had; body--)
        for (size_t i = of->first; i; i = l->next[i - 1]) {
            const skn_declaration *d = &l->outline.at[i - 1];

            if (d->body == (body == 1) && fits(d, want) &&
                (rc = add_part(l, item, d->first_line, d->last_line, err)))
                return rc;
        }
    if (l->parts.n == had)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no \"%.*s\" in \"%.*s\"",
                        SKN_FMT(shown_text(item)), SKN_FMT(shown_text(l->spec->path)));
    return SKEIN_OK;
}

static skein_rc add_item(lookup *l, skn_str item, skein_error *err)
{
    skn_file_item want = {0};
    skein_rc      rc = skn_file_item_parse(item, &want, err);

    if (rc)
        return rc;
    return want.kind == SKN_ITEM_LINES ? add_lines(l, item, &want, err)
                                       : add_named(l, item, &want, err);
}

static skein_rc add_items(lookup *l, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    index_lines(l);
    for (size_t i = 0; i < l->spec->item_count && !rc; i++)
        rc = add_item(l, l->spec->items[i], err);
    return rc;
}

/* Once there is no room the rest is one note: a thousand would take more than the files. */
static void add_some_items(lookup *l)
{
    const skein_file_spec *spec = l->spec;
    skein_error            err;

    index_lines(l);
    for (size_t i = 0; i < spec->item_count; i++) {
        if (l->room == 0 && i + 1 < spec->item_count) {
            skn_str rest = skn_arena_printf(l->scratch, "left out with the %zu items after it",
                                            spec->item_count - i - 1);

            add_note(l, spec->items[i], no_room(l->mem, rest));
            return;
        }
        if (add_item(l, spec->items[i], &err))
            add_note(l, spec->items[i], skn_str_of(err.message));
    }
}

static void add_whole(lookup *l, size_t whole)
{
    skein_file_part part = {.last_line = skn_count_lines(l->text)};

    part.first_line = part.last_line > 0;
    if (l->text.n < whole)
        part.note = l->text.n ? cut_note(l, part.last_line, l->text.n, whole)
                              : no_room(l->mem, SKN_STR("left out"));
    keep_part(l, part, l->text);
}

static skein_rc check_spec(const skein_file_spec *spec, skein_error *err)
{
    if (!skn_utf8_valid(spec->path, NULL))
        return skn_fail(err, SKEIN_INVALID, "the path of the file is not UTF-8");
    if (spec->read_full == (spec->item_count > 0))
        return skn_fail_hint(err, SKEIN_INVALID, "Ask for the whole file or for items of it.",
                             "the specification of \"%.*s\" asks for %s",
                             SKN_FMT(shown_text(spec->path)),
                             spec->read_full ? "all and for items" : "nothing");
    if (spec->item_count > SKEIN_FILE_ITEMS_LIMIT)
        return skn_fail(
            err, SKEIN_LIMIT, "the specification of \"%.*s\" has %zu items; the limit is %d",
            SKN_FMT(shown_text(spec->path)), spec->item_count, SKEIN_FILE_ITEMS_LIMIT);
    return SKEIN_OK;
}

skein_rc skein_files_read(skein_file_parts *out, const char *root, const skein_file_spec *spec,
                          size_t limit, skein_mem *mem, skein_error *err)
{
    lookup   l = {.spec = spec, .scratch = skn_arena_new(), .mem = mem};
    skein_rc rc;

    *out = (skein_file_parts){0};
    l.room = limit ? limit : SKEIN_FILE_LIMIT;
    if ((rc = check_spec(spec, err)) ||
        (rc = skn_file_read(&l.text, root, spec->path, l.room, NULL, l.scratch, err)))
        goto out;
    if (spec->read_full)
        add_whole(&l, l.text.n);
    else if ((rc = add_items(&l, err)))
        goto out;
    *out = (skein_file_parts){l.parts.p, l.parts.n};
out:
    skn_arena_free(l.scratch);
    return rc;
}

skein_file_parts skn_context_file_read(const skein_context_file *file, const char *root,
                                       size_t *room, skn_arena *a)
{
    skein_file_spec spec = {.path = file->path,
                            .read_full = file->item_count == 0,
                            .items = file->items,
                            .item_count = file->item_count};
    lookup          l = {
                 .spec = &spec, .scratch = skn_arena_new(), .mem = a, .room = *room, .some = true};
    size_t      whole;
    skein_error err;
    skein_rc    rc = check_spec(&spec, &err);

    if (!rc)
        rc = skn_file_read(&l.text, root, spec.path, spec.read_full ? l.room : SKEIN_FILE_LIMIT,
                           spec.read_full ? &whole : NULL, l.scratch, &err);
    if (rc)
        add_note(&l, SKN_NONE, skn_str_of(err.message));
    else if (spec.read_full)
        add_whole(&l, whole);
    else
        add_some_items(&l);
    *room = l.room;
    skn_arena_free(l.scratch);
    return (skein_file_parts){l.parts.p, l.parts.n};
}

enum { PATH_LIMIT = 4096, READ_SHOWN = 200, CHUNK = 16 * 1024 };

static skn_str read_shown(skn_str path)
{
    return skn_utf8_cut(path, READ_SHOWN);
}

static skein_rc outside(skein_error *err, skn_str path)
{
    return skn_fail_hint(err, SKEIN_INVALID, "Give a path below the folder, without \"..\".",
                         "the path \"%.*s\" leads out of its folder",
                         SKN_FMT(read_shown(path)));
}

static skein_rc check_path(skn_str path, skein_error *err)
{
    skn_str rest = path, one;

    if (!path.n)
        return skn_fail(err, SKEIN_INVALID, "the path of the file is empty");
    if (path.n > PATH_LIMIT)
        return skn_fail(err, SKEIN_LIMIT, "the path of the file is %zu bytes; the limit is %d",
                        path.n, PATH_LIMIT);
    if (path.p[0] == '/' || memchr(path.p, '\0', path.n))
        return outside(err, path);
    while (skn_str_split(&rest, '/', &one))
        if (skn_str_is(one, ".."))
            return outside(err, path);
    return SKEIN_OK;
}

static skein_rc no_access(skein_error *err, skn_str path, int cause)
{
    switch (cause) {
    case ENOENT:
    case ENOTDIR:
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no file \"%.*s\"",
                        SKN_FMT(read_shown(path)));
    case EACCES:
    case EPERM:
        return skn_fail(err, SKEIN_IO, "the file \"%.*s\" may not be read",
                        SKN_FMT(read_shown(path)));
    case ELOOP:
        return skn_fail(err, SKEIN_INVALID, "the links at \"%.*s\" lead nowhere",
                        SKN_FMT(read_shown(path)));
    default:
        return skn_fail(err, SKEIN_IO, "the file \"%.*s\" cannot be read (error %d)",
                        SKN_FMT(read_shown(path)), cause);
    }
}

/* Opens a path that has no links in it, part by part; a link put there meanwhile is refused. */
static skein_rc open_plain(int *out, const char *root, skn_str below, skn_str path,
                           skein_error *err)
{
    int     fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), next;
    skn_str one;
    char    name[PATH_LIMIT + 1];

    *out = -1;
    while (fd >= 0 && skn_str_split(&below, '/', &one)) {
        memcpy(name, one.p, one.n);
        name[one.n] = '\0';
        next = openat(fd, name,
                      O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
                          (below.n ? O_DIRECTORY : 0));
        if (next < 0) {
            int cause = errno;

            close(fd);
            return no_access(err, path, cause);
        }
        close(fd);
        fd = next;
    }
    if (fd < 0)
        return no_access(err, path, errno);
    *out = fd;
    return SKEIN_OK;
}

/* Follows the links of root and path, and opens what they lead to if it is below root. */
static skein_rc open_below(int *out, const char *root, skn_str path, skn_arena *a,
                           skein_error *err)
{
    char    *base = realpath(root, NULL), *file = NULL;
    skn_str  base_dir, whole;
    skein_rc rc;

    *out = -1;
    if (!base)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no folder \"%.*s\"",
                        SKN_FMT(read_shown(skn_str_of(root))));
    file = realpath(skn_arena_text(a, "%s/%.*s", base, SKN_FMT(path)), NULL);
    base_dir = skn_str_of(strcmp(base, "/") == 0 ? "" : base);
    whole = skn_str_of(file);
    if (!file)
        rc = no_access(err, path, errno);
    else if (whole.n <= base_dir.n + 1 || whole.n - base_dir.n > PATH_LIMIT ||
             !skn_str_starts(whole, base_dir) || whole.p[base_dir.n] != '/')
        rc = skn_str_is(whole, base)
                 ? skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a regular file",
                            SKN_FMT(read_shown(path)))
                 : outside(err, path);
    else
        rc = open_plain(out, base, skn_str_sub(whole, base_dir.n + 1, whole.n), path, err);
    free(base);
    free(file);
    return rc;
}

static skein_rc too_large(skein_error *err, skn_str path, size_t limit)
{
    return skn_fail_hint(err, SKEIN_LIMIT, "Keep the part that matters in a file of its own.",
                         "the file \"%.*s\" is over %zu bytes", SKN_FMT(read_shown(path)),
                         limit);
}

static skein_rc read_all(skn_buf *out, int fd, skn_str path, size_t *whole, skein_error *err)
{
    char        chunk[CHUNK];
    struct stat st;
    ssize_t     n;

    if (fstat(fd, &st))
        return no_access(err, path, errno);
    if (!S_ISREG(st.st_mode))
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a regular file",
                        SKN_FMT(read_shown(path)));
    while (!out->over && (n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno != EINTR)
            return no_access(err, path, errno);
        if (n > 0)
            skn_buf_add(out, (skn_str){chunk, (size_t)n});
    }
    if (whole)
        *whole = out->over && (size_t)st.st_size > out->n ? (size_t)st.st_size : out->n;
    return out->over && !whole ? too_large(err, path, out->limit) : SKEIN_OK;
}

skn_str skn_whole_lines(skn_str s)
{
    while (s.n && s.p[s.n - 1] != '\n')
        s.n--;
    return s;
}

skein_rc skn_file_read(skn_str *out, const char *root, skn_str path, size_t limit,
                       size_t *whole, skn_arena *a, skein_error *err)
{
    skn_buf  text;
    skn_str  kept;
    size_t   bad = 0;
    int      fd = -1;
    skein_rc rc;

    *out = SKN_NONE;
    skn_buf_init(&text, limit);
    if ((rc = check_path(path, err)) || (rc = open_below(&fd, root, path, a, err)) ||
        (rc = read_all(&text, fd, path, whole, err)))
        goto out;
    kept = text.over ? skn_whole_lines(skn_buf_str(&text)) : skn_buf_str(&text);
    if (!skn_utf8_valid(kept, &bad))
        rc = skn_fail(err, SKEIN_DATA, "the file \"%.*s\" is not UTF-8 text at byte %zu",
                      SKN_FMT(read_shown(path)), bad);
    else
        *out = skn_arena_copy(a, kept);
out:
    if (fd >= 0)
        close(fd);
    skn_buf_release(&text);
    return rc;
}
