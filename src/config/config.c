#include "config/config.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "config/config_value.h"
#include "config/own.h"

#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)1 << 20)
#define MOST_ITEMS 100

const skn_config_row skn_config_rows[SKN_CONFIG_COUNT] = {
#define SKN_CONFIG(name, section, key, type, value, least, most, choices, flags, help)         \
    {section, key, SKN_IS_##type, value, least, most, choices, SKN_USE_##flags, help},
#include "config/config.def"
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

/* ". Did you mean "listen"?" when one of the names is near; else nothing. */
static skn_str meant(skn_config_reading *r, skn_str typed, const char *const *names)
{
    const char *near = skn_suggest(skn_arena_copy(r->a, typed).p, name_at, names);

    return near ? skn_arena_printf(r->a, ". Did you mean \"%s\"?", near) : SKN_STR("");
}

void skn_config_unknown(skn_config_reading *r, const skn_yaml *at, const char *where,
                        const char *const *names)
{
    skn_config_bad_key(r, at, "unknown key \"%.*s\"%s%.*s", SKN_FMT(skn_utf8_cut(at->key, 80)),
                       where, SKN_FMT(meant(r, at->key, names)));
}

bool skn_config_is_empty(const skn_yaml *at)
{
    return at->kind == SKN_YAML_TEXT && !at->text.n && !at->quoted;
}

bool skn_config_is_among(const char *const *names, skn_str name)
{
    for (size_t i = 0; names[i]; i++)
        if (skn_str_is(name, names[i]))
            return true;
    return false;
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
static void take_value(skn_config_reading *r, skn_config_id id, skn_config_value *v, int column)
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
    take_value(r, id, &v, 0);
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
            skn_config_bad(r, item, "%s.%s must be a list of at most %d texts", row->section,
                           row->key, MOST_ITEMS);
            return;
        }
        add_to_list(r, &v, item->text);
    }
    take_value(r, id, &v, y->column);
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
        take_value(r, id, &v, y->column);
    else
        skn_config_bad(r, y, "%s.%s must be %s", row->section, row->key,
                       list ? "a list, like [a, b]" : "one value");
}

static void unknown_key(skn_config_reading *r, const skn_yaml *section, const skn_yaml *y)
{
    const char *names[SKN_CONFIG_COUNT + 1] = {NULL};
    size_t      n = 0;

    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        if (skn_str_is(section->key, skn_config_rows[i].section))
            names[n++] = skn_config_rows[i].key;
    skn_config_unknown(r, y, skn_arena_text(r->a, " in %.*s", SKN_FMT(section->key)), names);
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

static void read_root(skn_config_reading *r, const skn_yaml *root)
{
    if (root->kind != SKN_YAML_MAP) {
        skn_config_bad(r, root, "this is not a list of sections like \"server:\"");
        return;
    }
    for (const skn_yaml *y = root->first; y; y = y->next) {
        if (!skn_config_is_among(sections, y->key))
            skn_config_unknown(r, y, "", sections);
        else if (skn_config_is_empty(y))
            continue;
        else if (y->kind != SKN_YAML_MAP)
            skn_config_bad(r, y, "%.*s must hold keys with values", SKN_FMT(y->key));
        else if (skn_str_is(y->key, "providers"))
            skn_config_providers(r, y);
        else if (skn_str_is(y->key, "secrets"))
            skn_config_secrets(r, y);
        else
            read_section(r, y);
    }
}

/* The file as a whole is of no use. */
static void unreadable(skn_config_reading *r, const char *how, const char *why,
                       const char *cure)
{
    r->c->unreadable = true;
    skn_config_wrong(r, true, 0, 0, skn_arena_printf(r->a, "%s: %s", how, why),
                     skn_arena_copy(r->a, skn_str_of(cure)));
}

static bool load_bytes(skn_config_reading *r, int fd, skn_str *out)
{
    skein_rc rc = skn_fd_read(fd, FILE_LIMIT, r->a, out);

    if (rc)
        unreadable(r, "cannot be read", rc == SKEIN_LIMIT ? "it is over 1 MB" : strerror(errno),
                   NULL);
    return !rc;
}

static void parse_file(skn_config_reading *r, skn_str text)
{
    const skn_yaml    *root;
    skein_error        err;
    skn_config_problem p = {.error = true};

    if (!skn_yaml_parse(&root, text, r->file, r->a, &err)) {
        (r->prices ? skn_config_prices : read_root)(r, root);
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

    if (!r->prices)
        skn_vec_add(r->a, &r->c->files, ((skn_config_file){path, fd >= 0}));
    r->file = path;
    if (fd < 0) {
        if (must || (errno != ENOENT && errno != ENOTDIR))
            unreadable(r, "cannot be read", strerror(errno), NULL);
        return;
    }
    r->open = 0;
    if (fstat(fd, &about) != 0)
        about.st_mode = 0;
    if (about.st_mode & 077)
        r->open = (int)(about.st_mode & 0777);
    /* It names commands to run and hosts that get secrets, so nobody else may have written it. */
    if (S_ISREG(about.st_mode) && skn_own_check(fd, path, SKN_OWN_NAMED, NULL, &err))
        unreadable(r, "is not used", err.message, err.hint);
    else if (load_bytes(r, fd, &text))
        parse_file(r, text);
    close(fd);
}

/* Each file may have a table of prices beside it. */
static void read_prices_beside(skn_config_reading *r)
{
    size_t n = r->c->files.n;

    skn_config_prices_standard(r);
    for (size_t i = 0; i < n; i++) {
        const char *path = r->c->files.p[i].path, *name = strrchr(path, '/');
        int         folder = name ? (int)(name + 1 - path) : 0;

        r->prices = (int)i + 2;
        read_file(r, skn_arena_printf(r->a, "%.*sprices.yaml", folder, path).p, false);
    }
    r->prices = 0;
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
        read_file(r, skn_arena_text(r->a, "%s/skein/skein.yaml", xdg), false);
    else if (from->home && *from->home == '/')
        read_file(r, skn_arena_text(r->a, "%s/.config/skein/skein.yaml", from->home), false);
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
    skn_buf b;

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
    return skn_buf_keep(&b, r->a).p;
}

/* A variable that begins like one of ours and is none was probably mistyped. */
static void unknown_variable(skn_config_reading *r, skn_str name)
{
    const char        *names[SKN_CONFIG_COUNT + 1] = {NULL};
    skn_config_problem p = {.error = false, .file = skn_arena_copy(r->a, name).p};

    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        names[i] = variable_name(r, (skn_config_id)i);
    p.text = skn_arena_printf(r->a, "is not a setting%.*s", SKN_FMT(meant(r, name, names)));
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
    read_prices_beside(&r);
    for (char **e = from->environment; e && *e; e++)
        read_variable(&r, *e);
    read_given(&r, from);
    return c;
}

/* The configuration for who reads it: as JSON, and providers as text. Keys are never in it. */

void skn_config_value_shape(skn_jw *w, const skn_config *c, skn_config_id id)
{
    const skn_config_value *v = &c->values[id];
    skn_config_type         type = skn_config_rows[id].type;

    if (type == SKN_IS_ORIGINS) {
        skn_jw_array(w);
        for (size_t i = 0; i < v->count; i++)
            skn_jw_str(w, skn_str_of(v->list[i]));
        skn_jw_array_end(w);
    } else if (type == SKN_IS_NUMBER) {
        skn_jw_int(w, v->number);
    } else if (type == SKN_IS_SWITCH || (type == SKN_IS_MAYBE && v->number >= 0)) {
        skn_jw_bool(w, v->number);
    } else {
        skn_jw_str(w, v->text);
    }
}

/* "…9f3a": enough to tell one key from another. */
static skn_str masked(skn_str secret, skn_arena *a)
{
    if (secret.n < 16)
        return SKN_STR("…");
    return skn_arena_printf(a, "…%.*s", 4, secret.p + secret.n - 4);
}

/* "{ env: NAME }" */
static skn_str key_text(const skn_yaml *key, skn_arena *a)
{
    const skn_yaml *from = key->first;

    if (key->kind == SKN_YAML_TEXT)
        return masked(key->text, a);
    if (!from || from->kind != SKN_YAML_TEXT)
        return skn_arena_printf(a, "{ command: %.*s … }",
                                from && from->first ? (int)from->first->text.n : 0,
                                from && from->first ? from->first->text.p : "");
    return skn_arena_printf(a, "{ %.*s: %.*s }", SKN_FMT(from->key), SKN_FMT(from->text));
}

skn_str skn_config_provider_text(const skn_config_provider *p, skn_arena *a)
{
    const skn_yaml *url = skn_yaml_get(p->at, "baseUrl"), *key = skn_yaml_get(p->at, "apiKey");
    skn_str         text = p->type;

    if (url)
        text = skn_arena_printf(a, "%.*s %.*s", SKN_FMT(text), SKN_FMT(url->text));
    if (key)
        text = skn_arena_printf(a, "%.*s, key %.*s", SKN_FMT(text), SKN_FMT(key_text(key, a)));
    return text;
}

static void shape_row(skn_jw *w, const skn_config *c, skn_config_id id, skn_arena *scratch)
{
    const skn_config_row *row = &skn_config_rows[id];

    skn_jw_key_str(w, skn_arena_printf(scratch, "%s.%s", row->section, row->key));
    skn_jw_object(w);
    skn_jw_key(w, "value");
    skn_config_value_shape(w, c, id);
    skn_jw_kstr(w, "origin", skn_config_origin(&c->values[id], scratch));
    skn_jw_kbool(w, "restart", row->use == SKN_USE_RESTART);
    skn_jw_object_end(w);
}

/* A provider or a secret: what stands at this line of a file. A reload applies it. */
static void shape_named(skn_jw *w, const char *kind, skn_str name, skn_str value,
                        const char *file, int line, skn_arena *scratch)
{
    skn_jw_key_str(w, skn_arena_printf(scratch, "%s.%.*s", kind, SKN_FMT(name)));
    skn_jw_object(w);
    skn_jw_kstr(w, "value", value);
    skn_jw_kstr(w, "origin", skn_arena_printf(scratch, "%s:%d", file, line));
    skn_jw_kbool(w, "restart", false);
    skn_jw_object_end(w);
}

void skn_config_shape(skn_jw *w, const skn_config *c, const skn_config *tried,
                      skn_arena *scratch)
{
    skn_jw_object(w);
    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        shape_row(w, c, (skn_config_id)i, scratch);
    for (size_t i = 0; i < c->providers.n; i++) {
        const skn_config_provider *p = &c->providers.p[i];

        shape_named(w, "providers", p->name, skn_config_provider_text(p, scratch), p->file,
                    p->at->key_line, scratch);
    }
    for (size_t i = 0; i < c->secrets.n; i++) {
        const skn_config_secret *s = &c->secrets.p[i];

        shape_named(w, "secrets.env", s->grant.name, skn_config_secret_text(s, scratch),
                    s->file, s->line, scratch);
    }
    skn_jw_karray(w, "problems");
    for (size_t i = 0; i < tried->problems.n; i++)
        skn_jw_str(w, skn_config_line(&tried->problems.p[i], scratch));
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}

/* The section "providers" as it is used. All of it was checked by config_providers.c; what is not as it
 * must be cannot have passed, and is left out here. */

/* "10.00" in millionths; what is beyond them is cut off, and what does not fit stays the largest. */
int64_t skn_micros_of(skn_str digits)
{
    const int64_t most = INT64_MAX / 100;
    int64_t       n = 0;
    int           decimals = -1;

    for (size_t i = 0; i < digits.n && decimals < 6; i++) {
        if (digits.p[i] == '.') {
            decimals = 0;
            continue;
        }
        if (n > most)
            return INT64_MAX;
        n = n * 10 + (digits.p[i] - '0');
        decimals += decimals >= 0;
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 6; i++)
        n = n > most ? INT64_MAX / 10 : n * 10;
    return n;
}

static void read_budget(const skn_yaml *at, skn_provider_setting *out)
{
    const skn_yaml *then = skn_yaml_get(at, "then");

    out->stops = then && skn_str_is(then->text, "stop");
    out->monthly_micros = skn_config_money(skn_yaml_get(at, "monthly"));
    out->daily_micros = skn_config_money(skn_yaml_get(at, "daily"));
}

static void read_prices(const skn_yaml *at, skn_provider_setting *out, skn_arena *a)
{
    skn_model_price *list = SKN_ARRAY(a, at->count + 1, skn_model_price);

    for (const skn_yaml *m = at->first; m; m = m->next)
        if (skn_config_price(m, &list[out->price_count]))
            list[out->price_count++].model = skn_arena_copy(a, m->key);
    out->prices = list;
}

static void read_command(const skn_yaml *list, skn_key_source *out, skn_arena *a)
{
    size_t n = 0;

    out->command = SKN_ARRAY(a, list->count + 1, const char *);
    for (const skn_yaml *word = list->first; word; word = word->next)
        out->command[n++] = skn_arena_copy(a, word->text).p;
}

static void read_key(const skn_yaml *at, skn_key_source *out, skn_arena *a)
{
    static const struct {
        const char  *key;
        skn_key_from from;
    } kinds[] = {
        {"env", SKN_KEY_ENV}, {"file", SKN_KEY_FILE}, {"credential", SKN_KEY_CREDENTIAL}};

    if (at->kind == SKN_YAML_TEXT) {
        out->from = SKN_KEY_WRITTEN;
        out->name = skn_arena_copy(a, at->text);
        return;
    }
    if (!at->first)
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (skn_str_is(at->first->key, kinds[i].key))
            out->from = kinds[i].from;
    out->name = skn_arena_copy(a, at->first->text);
    if (skn_str_is(at->first->key, "command")) {
        out->from = SKN_KEY_COMMAND;
        read_command(at->first, out, a);
    }
}

static void read_headers(const skn_yaml *at, skn_provider_setting *out, skn_arena *a)
{
    skn_named_text *list = SKN_ARRAY(a, at->count + 1, skn_named_text);

    for (const skn_yaml *h = at->first; h; h = h->next)
        list[out->header_count++] = (skn_named_text){skn_arena_copy(a, h->key),
                                                     skn_arena_copy(a, h->text)};
    out->headers = list;
}

static void read_models(const skn_yaml *at, skn_provider_setting *out, skn_arena *a)
{
    skn_str *list = SKN_ARRAY(a, at->count + 1, skn_str);

    for (const skn_yaml *m = at->first; m; m = m->next)
        list[out->model_count++] = skn_arena_copy(a, m->text);
    out->models = list;
}

static void read_numbers(const skn_yaml *at, skn_provider_setting *out)
{
    const skn_yaml *timeout = skn_yaml_get(at, "timeout");
    const skn_yaml *retries = skn_yaml_get(at, "maxRetries");
    const skn_yaml *at_once = skn_yaml_get(at, "concurrency");
    const skn_yaml *window = skn_yaml_get(at, "contextWindow");
    int64_t         n;

    out->retries = -1;
    if (timeout)
        skn_amount_duration(timeout->text, &out->timeout_ms);
    if (retries && skn_str_int(retries->text, &n))
        out->retries = (int)n;
    if (at_once && skn_str_int(at_once->text, &n))
        out->at_once = (int)n;
    if (window)
        skn_str_int(window->text, &out->window);
}

void skn_config_provider_read(const skn_config_provider *p, skn_provider_setting *out,
                              skn_arena *a)
{
    const skn_yaml *at = p->at, *part;

    *out = (skn_provider_setting){.name = skn_arena_copy(a, p->name),
                                  .type = skn_arena_copy(a, p->type)};
    out->origin = skn_arena_printf(a, "%s:%d", p->file, at->key_line);
    read_numbers(at, out);
    if ((part = skn_yaml_get(at, "baseUrl")))
        out->base_url = skn_arena_copy(a, part->text);
    if ((part = skn_yaml_get(at, "apiKey")))
        read_key(part, &out->key, a);
    if ((part = skn_yaml_get(at, "headers")))
        read_headers(part, out, a);
    if ((part = skn_yaml_get(at, "models")))
        read_models(part, out, a);
    if ((part = skn_yaml_get(at, "prices")))
        read_prices(part, out, a);
    if ((part = skn_yaml_get(at, "budget")))
        read_budget(part, out);
}
