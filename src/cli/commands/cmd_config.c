/* The configuration: list, get, set, check, path. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif
#include "cli/commands.h"
#include "cli/config_cli.h"
#include "cli/default_model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_BAD 2

static skn_str name_of(skn_cli *cli, skn_config_id id)
{
    return skn_arena_printf(cli->keep, "%s.%s", skn_config_rows[id].section,
                            skn_config_rows[id].key);
}

/* What the store keeps of settings; nothing when there is no store. */
static skein_rc stored(skn_cli *cli, skein_settings *out)
{
    skein_rc rc = skn_place_open(cli);

    *out = (skein_settings){NULL, 0};
    if (rc == SKEIN_NOT_FOUND) {
        cli->err = (skein_error){.rc = SKEIN_OK};
        return SKEIN_OK;
    }
    return rc ? rc : skein_setting_list(cli->engine, cli->keep, out, &cli->err);
}

/* The configuration with what the store has to say, and the rest of that. */
static skein_rc all_settings(skn_cli *cli, const skn_config **out, skein_settings *other)
{
    skn_config    *c = skn_config_make(skn_config_sources_of(cli, NULL), cli->keep);
    skein_settings list;
    skein_rc       rc = stored(cli, &list);

    *out = c;
    *other = (skein_settings){SKN_ARRAY(cli->keep, list.count + 1, skein_setting), 0};
    for (size_t i = 0; i < list.count; i++)
        if (!skn_config_stored(c, &list.at[i], cli->keep))
            other->at[other->count++] = list.at[i];
    return rc;
}

/* --- List and get --------------------------------------------------------------------------- */

typedef struct line {
    skn_str     key, text, origin, json; /* json: absent when the text says it all */
    const char *help;
    bool        restart;
} line;

static skein_rc print_line(skn_cli *cli, const line *l)
{
    skn_jw *w;

    if (!cli->json) {
        skn_print_line(
            cli, skn_arena_printf(cli->keep, "%.*s = %.*s", SKN_FMT(l->key), SKN_FMT(l->text)),
            0);
        if (skn_opt(cli, "show-origin"))
            skn_print(cli, "\t%.*s", SKN_FMT(l->origin));
        skn_print_raw(cli, SKN_STR("\n"));
        return SKEIN_OK;
    }
    w = skn_item_begin(cli);
    skn_jw_kstr(w, "key", l->key);
    skn_jw_key(w, "value");
    if (l->json.p)
        skn_jw_raw(w, l->json);
    else
        skn_jw_str(w, l->text);
    skn_jw_kstr(w, "origin", l->origin);
    skn_jw_kbool(w, "restart", l->restart);
    skn_jw_kstr(w, "help", skn_str_of(l->help));
    return skn_item_close(cli);
}

static line line_of(skn_cli *cli, const skn_config *c, skn_config_id id)
{
    const skn_config_row *row = &skn_config_rows[id];
    skn_buf               value;
    skn_jw                w;
    line                  l = {
                         name_of(cli, id), c->values[id].text, skn_config_origin(&c->values[id], cli->keep),
                         SKN_NONE,         row->help,          row->use == SKN_USE_RESTART};

    skn_jw_open(&w, &value, 1 << 20);
    skn_config_value_shape(&w, c, id);
    l.json = skn_buf_keep(&value, cli->keep);
    return l;
}

static line provider_line(skn_cli *cli, const skn_config_provider *p)
{
    return (line){skn_arena_printf(cli->keep, "providers.%.*s", SKN_FMT(p->name)),
                  skn_config_provider_text(p, cli->keep),
                  skn_arena_printf(cli->keep, "%s:%d", p->file, p->at->key_line),
                  SKN_NONE,
                  "Who answers for models",
                  true};
}

static line secret_line(skn_cli *cli, const skn_config_secret *s)
{
    return (line){skn_arena_printf(cli->keep, "secrets.env.%.*s", SKN_FMT(s->grant.name)),
                  skn_config_secret_text(s, cli->keep),
                  skn_arena_printf(cli->keep, "%s:%d", s->file, s->line),
                  SKN_NONE,
                  "Where this variable may be sent",
                  false};
}

static line stored_line(skn_cli *cli, const skein_setting *s)
{
    return (line){s->key,   skn_config_plain(s->value, cli->keep), SKN_STR("store"),
                  s->value, "A setting of the people who use it",  false};
}

/* The line number i of all that there are; false behind the last. */
static bool line_at(skn_cli *cli, const skn_config *c, const skein_settings *other, size_t i,
                    line *out)
{
    if (i < SKN_CONFIG_COUNT) {
        *out = line_of(cli, c, (skn_config_id)i);
        return true;
    }
    i -= SKN_CONFIG_COUNT;
    if (i < c->providers.n) {
        *out = provider_line(cli, &c->providers.p[i]);
        return true;
    }
    i -= c->providers.n;
    if (i < c->secrets.n) {
        *out = secret_line(cli, &c->secrets.p[i]);
        return true;
    }
    i -= c->secrets.n;
    if (i < other->count)
        *out = stored_line(cli, &other->at[i]);
    return i < other->count;
}

skein_rc skn_cmd_config_list(skn_cli *cli)
{
    const skn_config *c;
    skein_settings    other;
    line              l;
    skein_rc          rc = all_settings(cli, &c, &other);

    if (rc)
        return rc;
    skn_list_begin(cli);
    for (size_t i = 0; !rc && line_at(cli, c, &other, i, &l); i++)
        rc = print_line(cli, &l);
    skn_list_done(cli, rc);
    if (!rc && c->errors + c->warnings)
        skn_note(cli, "%.*s: see \"skein config check\"",
                 SKN_FMT(skn_config_verdict(c, cli->keep)));
    return rc;
}

static const char *setting_name(const void *ctx, size_t i)
{
    skn_cli *const *cli = ctx;

    return i < SKN_CONFIG_COUNT ? name_of(*cli, (skn_config_id)i).p : NULL;
}

static skein_rc no_setting(skn_cli *cli, skn_str name)
{
    const char *near = skn_suggest(name.p, setting_name, &cli);

    skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no setting \"%.*s\"", SKN_FMT(name));
    if (near)
        return skn_hint(&cli->err, SKEIN_NOT_FOUND, "Did you mean \"%s\"?", near);
    return skn_hint(&cli->err, SKEIN_NOT_FOUND,
                    "\"skein config list\" shows them; names that begin with \"ui.\" are free");
}

skein_rc skn_cmd_config_get(skn_cli *cli)
{
    const skn_config *c;
    skein_settings    other;
    line              l;
    skein_rc          rc = all_settings(cli, &c, &other);

    if (rc)
        return rc;
    for (size_t i = 0; line_at(cli, c, &other, i, &l); i++) {
        if (!skn_str_eq(l.key, skn_arg(cli, 0)))
            continue;
        if (cli->json)
            return print_line(cli, &l);
        skn_print_block(cli, l.text, 0);
        return SKEIN_OK;
    }
    return no_setting(cli, skn_arg(cli, 0));
}

/* --- Set ------------------------------------------------------------------------------------ */

/* "ui.theme", "ui.keys.send": what a page keeps, under names of its own. */
static bool is_free_name(skn_str name)
{
    bool word = false;

    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        if (!letter && !(word && ((c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.')))
            return false;
        word = c != '.';
    }
    return word && name.n <= 100;
}

static skein_rc check_settable(skn_cli *cli, skn_str name)
{
    skn_config_id id = skn_config_find(name);

    if (id != SKN_CONFIG_COUNT && skn_config_rows[id].use == SKN_USE_STORED)
        return SKEIN_OK;
    if (id == SKN_CONFIG_COUNT && !skn_str_starts(name, SKN_STR("ui.")))
        return no_setting(cli, name);
    if (id != SKN_CONFIG_COUNT)
        return skn_fail_hint(&cli->err, SKEIN_USAGE,
                             "Write it there: \"skein config path\" says where",
                             "\"%.*s\" is read from a file", SKN_FMT(name));
    if (!is_free_name(name))
        return skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" is not a name of a setting",
                        SKN_FMT(name));
    return SKEIN_OK;
}

/* A number, true, false, null, a list or an object is taken as JSON, all else as text. */
static skn_str as_json(skn_cli *cli, skn_str text)
{
    const skn_json *v;
    skein_error     err;
    skn_buf         out;
    skn_jw          w;

    if (!skn_json_parse(&v, text, "value", cli->keep, &err))
        return text;
    skn_jw_open(&w, &out, 6 * text.n + 8);
    skn_jw_str(&w, text);
    return skn_buf_keep(&out, cli->keep);
}

/* A setting that has a type must have a value of it. */
static skein_rc check_value(skn_cli *cli, skn_str name, skn_str text)
{
    skn_config_id id = skn_config_find(name);
    skn_config    c = {.values = {{.from = SKN_FROM_BUILT_IN}}};

    if (text.n > 65536)
        return skn_fail(&cli->err, SKEIN_LIMIT, "the value is over 65536 bytes");
    if (id == SKN_CONFIG_COUNT)
        return SKEIN_OK;
    skn_config_store(&c, id, text, cli->keep);
    if (c.errors)
        return skn_fail(&cli->err, SKEIN_USAGE, "%.*s", SKN_FMT(c.problems.p[0].text));
    if (id == SKN_CONFIG_DEFAULT_MODEL && skn_str_find(text, SKN_STR("/")) >= 0)
        return skn_need_provider_of(cli, text);
    return SKEIN_OK;
}

skein_rc skn_cmd_config_set(skn_cli *cli)
{
    skn_str       name = skn_arg(cli, 0), text = skn_arg(cli, 1);
    skein_setting one = {name, SKN_NONE};
    skein_rc      rc;

    if ((rc = check_settable(cli, name)) || (rc = check_value(cli, name, text)))
        return rc;
    one.value = as_json(cli, text);
    if (skn_would(cli, "set %.*s to %.*s", SKN_FMT(name), SKN_FMT(one.value)))
        return SKEIN_OK;
    if ((rc = skn_place_open(cli)) || (rc = skein_setting_put(cli->engine, &one, 1, &cli->err)))
        return rc;
    if (!cli->json) {
        skn_print_line(
            cli, skn_arena_printf(cli->keep, "%.*s = %.*s", SKN_FMT(name), SKN_FMT(text)), 0);
        skn_print_raw(cli, SKN_STR("\n"));
        return SKEIN_OK;
    }
    return print_line(cli, &(line){name, text, SKN_STR("store"), one.value, NULL, false});
}

/* --- Check and path ------------------------------------------------------------------------- */

static skein_rc print_problem(skn_cli *cli, const skn_config_problem *p)
{
    skn_jw *w;

    if (!cli->json) {
        skn_print_block(cli, skn_config_line(p, cli->keep), 0);
        return SKEIN_OK;
    }
    w = skn_item_begin(cli);
    skn_jw_kstr(w, "severity", p->error ? SKN_STR("error") : SKN_STR("warning"));
    skn_jw_kstr(w, "source", skn_str_of(p->file));
    if (p->line) {
        skn_jw_kint(w, "line", p->line);
        skn_jw_kint(w, "column", p->column);
    } else {
        skn_jw_knull(w, "line");
        skn_jw_knull(w, "column");
    }
    skn_jw_kstr(w, "text", p->text);
    skn_jw_kstr(w, "cure", p->cure);
    return skn_item_close(cli);
}

skein_rc skn_cmd_config_check(skn_cli *cli)
{
    const char       *file = cli->arg_count ? cli->args[0] : NULL;
    const skn_config *c = skn_config_make(skn_config_sources_of(cli, file), cli->keep);
    skein_rc          rc = SKEIN_OK;

    skn_list_begin(cli);
    for (size_t i = 0; i < c->problems.n && !rc; i++)
        rc = print_problem(cli, &c->problems.p[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    if (!cli->json)
        skn_print(cli, "%.*s\n", SKN_FMT(skn_config_verdict(c, cli->keep)));
    return rc ? rc : skn_status(cli, c->errors ? EXIT_BAD : 0);
}

skein_rc skn_cmd_config_path(skn_cli *cli)
{
    const skn_config *c = skn_config_of(cli);
    skein_rc          rc = SKEIN_OK;

    skn_list_begin(cli);
    for (size_t i = 0; i < c->files.n && !rc; i++) {
        skn_jw *w = skn_item_begin(cli);

        skn_jw_kstr(w, "path", skn_str_of(c->files.p[i].path));
        skn_jw_kbool(w, "read", c->files.p[i].read);
        rc = skn_item_tell(cli, "{path}[!read:  (not there)]\n");
    }
    skn_list_done(cli, rc);
    return rc;
}

/* The configuration in an editor: a file with mistakes never takes the place of one without. */

#define FILE_LIMIT ((size_t)4 << 20)
#define FIRST_LINE "# skein.yaml: \"man 5 skein.yaml\" names every setting.\n"

typedef struct work {
    skn_cli    *cli;
    const char *path;  /* the file itself, links followed */
    const char *draft; /* what is edited, beside it */
    skn_str     old;   /* what was in the file; absent: there was none */
    mode_t      mode;
} work;

/* Folders on the way to a first file; one that cannot be made shows when the file is written. */
static void make_folders(skn_cli *cli, const char *path)
{
    for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/'))
        mkdir(skn_arena_text(cli->keep, "%.*s", (int)(at - path), path), 0700);
}

static skein_rc begin_config(work *w)
{
    const skn_config *c = skn_config_of(w->cli);
    char             *whole;
    struct stat       file;
    skein_rc          rc;

    w->path = c->files.p[c->files.n - 1].path; /* the person's own, or the one that was named */
    if ((whole = realpath(w->path, NULL)))
        w->path = skn_arena_text(w->cli->keep, "%s", whole);
    free(whole);
    w->draft = skn_arena_text(w->cli->keep, "%s.edited", w->path);
    w->mode = stat(w->path, &file) == 0 ? file.st_mode & 0777 : 0600;
    rc = skn_read_file(w->cli, w->path, FILE_LIMIT, &w->old);
    if (rc != SKEIN_NOT_FOUND)
        return rc;
    w->cli->err = (skein_error){.rc = SKEIN_OK};
    w->old = SKN_NONE;
    return SKEIN_OK;
}

static skein_rc write_draft(work *w)
{
    if (!w->old.p)
        make_folders(w->cli, w->path);
    if (access(w->draft, F_OK) == 0)
        return skn_fail_hint(&w->cli->err, SKEIN_CONFLICT,
                             "Use it, or remove it, and try again",
                             "\"%s\" is there from an earlier edit", w->draft);
    return skn_write_new(w->cli, w->draft, w->mode, w->old.p ? w->old : SKN_STR(FIRST_LINE));
}

/* What is wrong with the draft; *good when nothing is. */
static void check_config(work *w, bool *good)
{
    const skn_config *c = skn_config_make(skn_config_sources_of(w->cli, w->draft),
                                          w->cli->keep);

    for (size_t i = 0; i < c->problems.n; i++)
        skn_note(w->cli, "%.*s", SKN_FMT(skn_config_line(&c->problems.p[i], w->cli->keep)));
    *good = !c->errors;
}

/* Edits until the file is good, or until nobody wants to go on. */
static skein_rc edit(work *w)
{
    skn_cli *cli = w->cli;
    bool     good;

    for (;;) {
        if (skn_run_editor(w->draft) != 0) {
            unlink(w->draft);
            return skn_fail(&cli->err, SKEIN_NOTHING, "the editor failed; nothing was changed");
        }
        check_config(w, &good);
        if (good)
            return SKEIN_OK;
        if (!isatty(STDIN_FILENO) || skn_confirm(cli, "Edit it again?", false) != SKEIN_OK)
            break;
    }
    skn_fail(&cli->err, SKEIN_USAGE, "the file has mistakes; \"%s\" is as it was", w->path);
    return skn_hint(&cli->err, SKEIN_USAGE, "What you wrote is in %s", w->draft);
}

static skein_rc write_config(work *w)
{
    skn_cli *cli = w->cli;
    skn_str  now;
    skein_rc rc = skn_read_file(cli, w->draft, FILE_LIMIT, &now);

    if (rc)
        return rc;
    if (w->old.p && skn_str_eq(w->old, now)) {
        unlink(w->draft);
        skn_print(cli, "%s is as it was.\n", w->path);
        return SKEIN_OK;
    }
    if (chmod(w->draft, w->mode) != 0 || rename(w->draft, w->path) != 0)
        return skn_fail(&cli->err, SKEIN_IO, "\"%s\" cannot be written: %s", w->path,
                        strerror(errno));
    skn_print(cli, "Wrote %s. A server that runs takes it at its next start, or on SIGHUP.\n",
              w->path);
    return SKEIN_OK;
}

skein_rc skn_cmd_config_edit(skn_cli *cli)
{
    work     w = {.cli = cli};
    skein_rc rc = begin_config(&w);

    if (rc)
        return rc;
    if (skn_would(cli, "edit %s", w.path))
        return SKEIN_OK;
    if (skn_opt(cli, "no-input")) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"skein config edit\" opens an editor");
        return skn_hint(&cli->err, SKEIN_USAGE, "Write %s by other means", w.path);
    }
    if ((rc = write_draft(&w)) || (rc = edit(&w)))
        return rc;
    return write_config(&w);
}
