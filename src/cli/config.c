#include "cli/config.h"

#include "base/suggest.h"
#include "base/utf8.h"
#include "cli/config_value.h"
#include "cli/own.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)1 << 20)
#define MOST_ITEMS 100

const skn_config_row skn_config_rows[SKN_CONFIG_COUNT] = {
#define SKN_CONFIG(name, section, key, type, value, least, most, choices, flags, help)         \
    {section, key, SKN_IS_##type, value, least, most, choices, SKN_USE_##flags, help},
#include "cli/config.def"
#undef SKN_CONFIG
};

static const char *const sections[] = {"server", "data",     "limits",    "tools",   "log",
                                       "detect", "defaults", "providers", "secrets", NULL};

/* --- Problems ------------------------------------------------------------------------------- */

static void add_problem(skn_config_reading *r, const skn_config_problem *p)
{
    skn_vec_add(r->a, &r->c->problems, *p);
    r->c->errors += p->error;
    r->c->warnings += !p->error;
}

void skn_config_wrong(skn_config_reading *r, bool error, int line, int column, skn_str text,
                      skn_str cure)
{
    add_problem(r, &(skn_config_problem){error, r->file, line, column, text, cure});
}

static const char *name_at(const void *ctx, size_t i)
{
    const char *const *names = ctx;

    return names[i];
}

skn_str skn_config_meant(skn_config_reading *r, skn_str typed, const char *const *names)
{
    const char *near = skn_suggest(skn_arena_copy(r->a, typed).p, name_at, names);

    return near ? skn_arena_printf(r->a, ". Did you mean \"%s\"?", near) : SKN_STR("");
}

skn_str skn_config_line(const skn_config_problem *p, skn_arena *a)
{
    skn_str place = SKN_STR("");

    if (p->file && p->line)
        place = skn_arena_printf(a, "%s:%d:%d: ", p->file, p->line, p->column);
    else if (p->file)
        place = skn_arena_printf(a, "%s: ", p->file);
    return skn_arena_printf(a, "%.*s%.*s%s%.*s", SKN_FMT(place), SKN_FMT(p->text),
                            p->cure.n ? "\n    " : "", SKN_FMT(p->cure));
}

skn_str skn_config_verdict(const skn_config *c, skn_arena *a)
{
    return skn_arena_printf(a, "%d error%s, %d warning%s", c->errors, c->errors == 1 ? "" : "s",
                            c->warnings, c->warnings == 1 ? "" : "s");
}

/* --- Values --------------------------------------------------------------------------------- */

skn_config_id skn_config_find(skn_str name)
{
    for (int i = 0; i < SKN_CONFIG_COUNT; i++) {
        skn_str section = skn_str_of(skn_config_rows[i].section);

        if (skn_str_starts(name, section) && name.n > section.n && name.p[section.n] == '.' &&
            skn_str_is(skn_str_sub(name, section.n + 1, name.n), skn_config_rows[i].key))
            return (skn_config_id)i;
    }
    return SKN_CONFIG_COUNT;
}

skn_str skn_config_origin(const skn_config_value *v, skn_arena *a)
{
    switch (v->from) {
    case SKN_FROM_BUILT_IN:
        return SKN_STR("built-in");
    case SKN_FROM_FILE:
        return skn_arena_printf(a, "%s:%d", v->source, v->line);
    case SKN_FROM_STORE:
        return SKN_STR("store");
    case SKN_FROM_VARIABLE:
    case SKN_FROM_FLAG:
        return skn_str_of(v->source);
    }
    return SKN_NONE;
}

/* Puts the value in its place if it is one; else says what is wrong, and where. */
static void take(skn_config_reading *r, skn_config_id id, skn_config_value *v, int column)
{
    skn_config_problem p = {true, v->source, v->line, column, SKN_NONE, SKN_NONE};

    if (skn_config_value_read(id, v, r->home, r->a, &p.text))
        r->c->values[id] = *v;
    else
        add_problem(r, &p);
}

static void add_to_list(skn_config_reading *r, skn_config_value *v, skn_str item)
{
    const char **list = SKN_ARRAY(r->a, v->count + 1, const char *);

    if (v->count)
        memcpy(list, v->list, v->count * sizeof *list);
    list[v->count] = skn_arena_copy(r->a, item).p;
    v->text = skn_arena_printf(r->a, "%.*s%s%.*s", SKN_FMT(v->text), v->count ? ", " : "",
                               SKN_FMT(item));
    v->list = list;
    v->count++;
}

/* "a, b" */
static void split_list(skn_config_reading *r, skn_config_value *v)
{
    skn_str rest = v->text, item;

    v->text = SKN_STR("");
    while (v->count < MOST_ITEMS && skn_str_split(&rest, ',', &item))
        if (skn_str_trim(item).n)
            add_to_list(r, v, skn_str_trim(item));
}

static void take_text(skn_config_reading *r, skn_config_id id, skn_config_from from,
                      const char *source, const char *text)
{
    skn_config_value v = {.text = skn_str_of(text), .from = from, .source = source};

    if (skn_config_rows[id].type == SKN_IS_ORIGINS)
        split_list(r, &v);
    take(r, id, &v, 0);
}

void skn_config_store(skn_config *c, skn_config_id id, skn_str text, skn_arena *a)
{
    skn_config_reading r = {.c = c, .a = a};

    if (c->values[id].from <= SKN_FROM_STORE)
        take_text(&r, id, SKN_FROM_STORE, "store", skn_arena_copy(a, text).p);
}

/* --- The file ------------------------------------------------------------------------------- */

static void read_list(skn_config_reading *r, skn_config_id id, const skn_yaml *y)
{
    const skn_config_row *row = &skn_config_rows[id];
    skn_config_value      v = {.text = SKN_STR(""), .from = SKN_FROM_FILE, .source = r->file};

    v.line = y->line;
    for (const skn_yaml *item = y->first; item; item = item->next) {
        if (item->kind != SKN_YAML_TEXT || v.count == MOST_ITEMS) {
            skn_config_wrong(r, true, item->line, item->column,
                             skn_arena_printf(r->a, "%s.%s must be a list of at most %d texts",
                                              row->section, row->key, MOST_ITEMS),
                             SKN_NONE);
            return;
        }
        add_to_list(r, &v, item->text);
    }
    take(r, id, &v, y->column);
}

static void read_value(skn_config_reading *r, skn_config_id id, const skn_yaml *y)
{
    const skn_config_row *row = &skn_config_rows[id];
    bool                  list = row->type == SKN_IS_ORIGINS;
    skn_config_value      v = {.text = y->text, .from = SKN_FROM_FILE, .source = r->file};

    v.line = y->line;
    if (y->kind == SKN_YAML_LIST && list)
        read_list(r, id, y);
    else if (y->kind == SKN_YAML_TEXT && !list)
        take(r, id, &v, y->column);
    else
        skn_config_wrong(r, true, y->line, y->column,
                         skn_arena_printf(r->a, "%s.%s must be %s", row->section, row->key,
                                          list ? "a list, like [a, b]" : "one value"),
                         SKN_NONE);
}

static void unknown_key(skn_config_reading *r, const skn_yaml *section, const skn_yaml *y)
{
    const char *names[SKN_CONFIG_COUNT + 1] = {NULL};
    size_t      n = 0;

    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        if (skn_str_is(section->key, skn_config_rows[i].section))
            names[n++] = skn_config_rows[i].key;
    skn_config_wrong(r, true, y->key_line, y->key_column,
                     skn_arena_printf(r->a, "unknown key \"%.*s\" in %.*s%.*s",
                                      SKN_FMT(skn_utf8_cut(y->key, 80)), SKN_FMT(section->key),
                                      SKN_FMT(skn_config_meant(r, y->key, names))),
                     SKN_NONE);
}

static void read_section(skn_config_reading *r, const skn_yaml *section)
{
    skn_config_id id;

    for (const skn_yaml *y = section->first; y; y = y->next) {
        id = skn_config_find(
            skn_arena_printf(r->a, "%.*s.%.*s", SKN_FMT(section->key), SKN_FMT(y->key)));
        if (id == SKN_CONFIG_COUNT)
            unknown_key(r, section, y);
        else
            read_value(r, id, y);
    }
}

static bool is_section(skn_str name)
{
    for (size_t i = 0; sections[i]; i++)
        if (skn_str_is(name, sections[i]))
            return true;
    return false;
}

static void read_root(skn_config_reading *r, const skn_yaml *root)
{
    if (root->kind != SKN_YAML_MAP) {
        skn_config_wrong(r, true, root->line, root->column,
                         SKN_STR("this is no list of sections like \"server:\""), SKN_NONE);
        return;
    }
    for (const skn_yaml *y = root->first; y; y = y->next) {
        if (!is_section(y->key))
            skn_config_wrong(r, true, y->key_line, y->key_column,
                             skn_arena_printf(r->a, "unknown key \"%.*s\"%.*s",
                                              SKN_FMT(skn_utf8_cut(y->key, 80)),
                                              SKN_FMT(skn_config_meant(r, y->key, sections))),
                             SKN_NONE);
        else if (y->kind == SKN_YAML_TEXT && !y->text.n && !y->quoted)
            continue; /* a section in which everything is a comment */
        else if (y->kind != SKN_YAML_MAP)
            skn_config_wrong(
                r, true, y->line, y->column,
                skn_arena_printf(r->a, "%.*s must hold keys with values", SKN_FMT(y->key)),
                SKN_NONE);
        else if (skn_str_is(y->key, "providers"))
            skn_config_providers(r, y);
        else if (skn_str_is(y->key, "secrets"))
            skn_config_secrets(r, y);
        else
            read_section(r, y);
    }
}

static void unreadable(skn_config_reading *r, const char *why)
{
    r->c->unreadable = true;
    skn_config_wrong(r, true, 0, 0, skn_arena_printf(r->a, "cannot be read: %s", why),
                     SKN_NONE);
}

static void refused(skn_config_reading *r, const skein_error *err)
{
    r->c->unreadable = true;
    skn_config_wrong(r, true, 0, 0, skn_arena_printf(r->a, "is not used: %s", err->message),
                     skn_arena_copy(r->a, skn_str_of(err->hint)));
}

static bool load_bytes(skn_config_reading *r, int fd, skn_str *out)
{
    skein_rc rc = skn_fd_read(fd, FILE_LIMIT, r->a, out);

    if (rc)
        unreadable(r, rc == SKEIN_LIMIT ? "it is over 1 MB" : strerror(errno));
    return !rc;
}

static void parse_file(skn_config_reading *r, skn_str text)
{
    const skn_yaml    *root;
    skein_error        err;
    skn_config_problem p = {.error = true};

    if (!skn_yaml_parse(&root, text, r->file, r->a, &err)) {
        read_root(r, root);
        return;
    }
    r->c->unreadable = true;
    p.text = skn_arena_printf(r->a, "%s", err.message); /* begins with FILE:LINE:COLUMN */
    add_problem(r, &p);
}

/* A file that must be there, or one of those that may be missing. */
static void read_file(skn_config_reading *r, const char *path, bool must)
{
    /* A pipe that was named is waited for, one that somebody put in a file's place is not. */
    int         fd = open(path, O_RDONLY | O_CLOEXEC | (must ? 0 : O_NONBLOCK));
    struct stat about;
    skn_str     text;
    skein_error err;

    skn_vec_add(r->a, &r->c->files, ((skn_config_file){path, fd >= 0}));
    r->file = path;
    if (fd < 0) {
        if (must || (errno != ENOENT && errno != ENOTDIR))
            unreadable(r, strerror(errno));
        return;
    }
    r->open = 0;
    if (fstat(fd, &about) != 0)
        about.st_mode = 0;
    if (about.st_mode & 077)
        r->open = (int)(about.st_mode & 0777);
    /* It names commands to run and hosts that get secrets, so nobody else may have written it. */
    if (S_ISREG(about.st_mode) && skn_own_check(fd, path, SKN_OWN_NAMED, NULL, &err))
        refused(r, &err);
    else if (load_bytes(r, fd, &text))
        parse_file(r, text);
    close(fd);
}

static void read_files(skn_config_reading *r, const skn_config_sources *from)
{
    const char *xdg = from->config_home;

    if (from->file) {
        read_file(r, from->file, true);
        return;
    }
    if (from->system)
        read_file(r, from->system, false);
    if (xdg && *xdg == '/')
        read_file(r, skn_arena_printf(r->a, "%s/skein/skein.yaml", xdg).p, false);
    else if (from->home && *from->home == '/')
        read_file(r, skn_arena_printf(r->a, "%s/.config/skein/skein.yaml", from->home).p,
                  false);
}

/* --- The environment ------------------------------------------------------------------------ */

/* SKEIN_SERVER_OPEN_BROWSER, and the same with fewer underlines. */
static bool is_variable(skn_config_id id, skn_str name)
{
    const char *parts[] = {"SKEIN_", skn_config_rows[id].section, "_", skn_config_rows[id].key};
    size_t      at = 0;

    for (size_t p = 0; p < 4; p++)
        for (const char *c = parts[p]; *c; c++) {
            bool upper = p == 3 && *c >= 'A' && *c <= 'Z';
            char letter = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;

            if (upper && at < name.n && name.p[at] == '_')
                at++;
            if (at >= name.n || name.p[at] != letter)
                return false;
            at++;
        }
    return at == name.n;
}

/* The name of a variable for a setting, as the manual writes it. */
static const char *variable_name(skn_config_reading *r, skn_config_id id)
{
    skn_buf     b;
    const char *out;

    skn_buf_init(&b, 128);
    skn_buf_addf(&b, "SKEIN_%s_", skn_config_rows[id].section);
    for (const char *c = skn_config_rows[id].key; *c; c++) {
        if (*c >= 'A' && *c <= 'Z')
            skn_buf_addc(&b, '_');
        skn_buf_addc(&b, *c);
    }
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] >= 'a' && b.p[i] <= 'z')
            b.p[i] = (char)(b.p[i] - 'a' + 'A');
    out = skn_arena_copy(r->a, skn_buf_str(&b)).p;
    skn_buf_release(&b);
    return out;
}

/* A variable that begins like one of ours and is none was probably mistyped. */
static void unknown_variable(skn_config_reading *r, skn_str name)
{
    const char        *names[SKN_CONFIG_COUNT + 1] = {NULL};
    skn_config_problem p = {.error = false, .file = skn_arena_copy(r->a, name).p};

    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        names[i] = variable_name(r, (skn_config_id)i);
    p.text = skn_arena_printf(r->a, "is no setting%.*s",
                              SKN_FMT(skn_config_meant(r, name, names)));
    add_problem(r, &p);
}

static bool has_section(skn_str name)
{
    for (size_t i = 0; sections[i]; i++) {
        size_t n = strlen(sections[i]);

        if (name.n > 7 + n && !strncasecmp(name.p + 6, sections[i], n) && name.p[6 + n] == '_')
            return true;
    }
    return false;
}

static void read_variable(skn_config_reading *r, const char *text)
{
    skn_str name = {text, strcspn(text, "=")};
    int     id = 0;

    if (!skn_str_starts(name, SKN_STR("SKEIN_")) || !text[name.n])
        return;
    while (id < SKN_CONFIG_COUNT && !is_variable((skn_config_id)id, name))
        id++;
    if (id < SKN_CONFIG_COUNT)
        take_text(r, (skn_config_id)id, SKN_FROM_VARIABLE, skn_arena_copy(r->a, name).p,
                  text + name.n + 1);
    else if (has_section(name))
        unknown_variable(r, name);
}

/* --- All of it ------------------------------------------------------------------------------ */

static void read_given(skn_config_reading *r, const skn_config_sources *from)
{
    for (size_t i = 0; i < from->given_count; i++)
        take_text(r, from->given[i].id, SKN_FROM_FLAG, from->given[i].flag,
                  from->given[i].value);
}

skn_config *skn_config_read(const skn_config_sources *from, skn_arena *a)
{
    skn_config        *c = SKN_NEW(a, skn_config);
    skn_config_reading r = {.c = c, .a = a, .home = from->home};
    skn_str            wrong;

    for (int i = 0; i < SKN_CONFIG_COUNT; i++) {
        c->values[i].text = skn_str_of(skn_config_rows[i].value);
        skn_config_value_read((skn_config_id)i, &c->values[i], from->home, a, &wrong);
    }
    read_files(&r, from);
    for (char **e = from->environment; e && *e; e++)
        read_variable(&r, *e);
    read_given(&r, from);
    return c;
}
