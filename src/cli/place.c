#include "cli/place.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/config_cli.h"
#include "cli/paste.h"
#include "config/own.h"
#include "config/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME     ".skein.yaml"
#define FILE_LIMIT    ((size_t)64 << 10)
#define DEFAULT_LIMIT ((size_t)1 << 10)

skein_rc skn_place_address(skn_cli *cli)
{
    const char *db = skn_opt(cli, "db"), *folder = NULL;
    skein_rc    rc;

    if (cli->address)
        return SKEIN_OK;
    if (!db && (rc = skn_config_data(cli, &folder)))
        return rc;
    if (!db && !folder)
        return skn_fail_hint(&cli->err, SKEIN_USAGE, "Name one with --data DIR",
                             "there is no home folder to keep data in");
    cli->address = db ? db : skn_arena_text(cli->keep, "sqlite:%s/skein.db", folder);
    return SKEIN_OK;
}

const char *skn_place_file(const skn_cli *cli)
{
    if (!cli->address || strncmp(cli->address, "sqlite:", 7) != 0)
        return NULL;
    return cli->address + 7;
}

skn_str skn_place_shown(const skn_cli *cli)
{
    const char *file = skn_place_file(cli);
    const char *host = file ? NULL : strstr(cli->address, "://"), *at;
    size_t      n;

    if (file)
        return skn_str_of(file);
    if (!host)
        return SKN_STR("postgresql"); /* keywords, one of which may be the password */
    n = strcspn(host + 3, "/?");
    at = memchr(host + 3, '@', n);
    host = at ? at + 1 : host + 3;
    return skn_arena_printf(cli->keep, "postgresql://%.*s", (int)strcspn(host, "?"), host);
}

skein_rc skn_place_folders(skn_cli *cli, const char *file)
{
    skn_str path = skn_arena_copy(cli->keep, skn_str_of(file));
    char   *p = skn_arena_alloc(cli->keep, path.n + 1);

    memcpy(p, path.p, path.n);
    for (char *slash = strchr(p + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(p, 0700) != 0 && errno != EEXIST)
            return skn_fail_hint(&cli->err, errno == EROFS ? SKEIN_READ_ONLY : SKEIN_IO,
                                 "Try another place with --data DIR",
                                 "the folder \"%s\" cannot be created: %s", p, strerror(errno));
        *slash = '/';
    }
    return SKEIN_OK;
}

skein_rc skn_place_guard(skn_cli *cli)
{
    skn_traces traces;
    skein_rc   rc = skn_traces_of(cli, &traces);

    return rc ? rc : skn_own_folder(traces.folder, skn_typed_line(cli).p, &cli->err);
}

/* A dry run of what begins a store needs one to check against, be it an empty one. */
static skein_rc open_scratch(skn_cli *cli)
{
    const char   *tmp = skn_env("TMPDIR");
    skein_options options = SKEIN_OPTIONS_INIT;
    char          folder[512];

    snprintf(folder, sizeof folder, "%s/skein-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return skn_fail(&cli->err, SKEIN_IO, "the folder \"%s\" cannot be created: %s", folder,
                        strerror(errno));
    cli->scratch = skn_arena_copy(cli->keep, skn_str_of(folder)).p;
    options.store = skn_arena_printf(cli->keep, "sqlite:%s/skein.db", folder);
    return skein_open(&cli->engine, &options, &cli->err);
}

void skn_place_sweep(skn_cli *cli)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};

    if (!cli->scratch)
        return;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        unlink(skn_arena_text(cli->keep, "%s/skein.db%s", cli->scratch, endings[i]));
    rmdir(cli->scratch);
}

static skn_str schema_of(const char *address)
{
    const char *name = strstr(address, "skein_schema=");

    return name ? (skn_str){name + 13, strcspn(name + 13, "& ")} : SKN_STR("skein");
}

static skein_rc no_store(skn_cli *cli)
{
    bool file = skn_place_file(cli);

    if (cli->dry_run &&
        (!strcmp(cli->command->name, "import") || !strcmp(cli->command->name, "world new")))
        return open_scratch(cli);
    if (file)
        skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no store at \"%.*s\"",
                 SKN_FMT(skn_place_shown(cli)));
    else
        skn_fail(&cli->err, SKEIN_NOT_FOUND,
                 "there is no store in the schema \"%.*s\" of "
                 "\"%.*s\"",
                 SKN_FMT(schema_of(cli->address)), SKN_FMT(skn_place_shown(cli)));
    return skn_hint(&cli->err, SKEIN_NOT_FOUND,
                    "Begin one with \"skein world new NAME\", or name another with --%s",
                    file ? "data" : "db");
}

/* A SQLite store: only a command that writes, and is not just trying, makes the file. */
static skein_rc open_file(skn_cli *cli, const char *file, skein_options *options)
{
    bool     write = cli->command->kind == SKN_CMD_WRITE;
    bool     there = access(file, F_OK) == 0;
    skein_rc rc = SKEIN_OK;

    options->read_only = !there && errno == EACCES;
    if (options->read_only) /* nobody knows what is in it; opening it says so */
        return skein_open(&cli->engine, options, &cli->err);
    if (!there && (!write || cli->dry_run))
        return no_store(cli);
    if (!there && !skn_opt(cli, "db"))
        rc = skn_place_folders(cli, file);
    if (!rc)
        rc = skn_place_guard(cli);
    options->read_only = !write && access(file, W_OK) != 0;
    return rc ? rc : skein_open(&cli->engine, options, &cli->err);
}

/* A database: opened for reading first, so that looking never makes tables in it. Tables of an
 * older program are then brought up to date by whatever comes first. */
static skein_rc open_database(skn_cli *cli, skein_options *options)
{
    skein_error err = {.rc = SKEIN_OK};
    /* The last one opens the store for itself, where no server runs. */
    bool write = cli->command->kind == SKN_CMD_WRITE ||
                 !strcmp(cli->command->name, "token revoke");

    if (!write || cli->dry_run) {
        options->read_only = true;
        if (!skein_open(&cli->engine, options, &err) && !write)
            return SKEIN_OK;
        skein_close(cli->engine);
        cli->engine = NULL;
        if (err.rc == SKEIN_NOT_FOUND)
            return no_store(cli);
        options->read_only = false;
    }
    if (!err.rc || err.rc == SKEIN_READ_ONLY)
        return skein_open(&cli->engine, options, &cli->err);
    cli->err = err;
    return err.rc;
}

/* --- A server that was named ---------------------------------------------------------------- */

/* The address as it is compared: 127.0.0.1 has a name as well, and the last slash may be missing. */
static skn_str plain_url(skn_cli *cli, const char *url)
{
    const skn_str named = SKN_STR("http://localhost");
    skn_str       s = skn_str_of(skn_discover_url(cli, url));

    while (skn_str_ends(s, SKN_STR("/")))
        s.n--;
    if (!skn_str_starts(s, named) || (s.n > named.n && s.p[named.n] != ':'))
        return s;
    return skn_arena_printf(cli->keep, "http://127.0.0.1%.*s", (int)(s.n - named.n),
                            s.p + named.n);
}

/* The server that is named: by the option, or by the variable where no store is. NULL: none is. */
static const char *named_server(const skn_cli *cli)
{
    const char *url = skn_opt(cli, "server");

    if (!url && !skn_opt(cli, "data") && !skn_opt(cli, "db"))
        url = skn_env("SKEIN_SERVER");
    return url && *url ? url : NULL;
}

/* Does the server run on the store of this computer that this run would open? */
static bool runs_here(skn_cli *cli, const char *url)
{
    skein_error err = cli->err;
    skn_server  here;
    bool        found = false;
    skein_rc    rc = skn_discover_here(cli, &here, &found);

    cli->err = err;
    return !rc && found && skn_str_eq(plain_url(cli, url), plain_url(cli, here.url));
}

/* A store that is named beside a server is said to be the server's: such a command uses both. */
static bool uses_both(const skn_cli *cli)
{
    skn_str name = skn_str_of(cli->command->name);

    return (skn_opt(cli, "data") || skn_opt(cli, "db")) &&
           (skn_is_among(SKN_STR("send,chat,stop,status,open"), name) ||
            (skn_str_is(name, "log") && skn_opt(cli, "follow")));
}

static skein_rc refuse_server(skn_cli *cli, const char *url)
{
    const char *by = skn_opt(cli, "server") ? "--server" : "SKEIN_SERVER";

    if (skn_opt(cli, "data") || skn_opt(cli, "db"))
        return skn_fail_hint(
            &cli->err, SKEIN_USAGE, "Name the store or the server, not both",
            "\"skein %s\" works on the store that is named and cannot use %s %s",
            cli->command->name, by, url);
    return skn_fail_hint(&cli->err, SKEIN_USAGE,
                         "Run it where the server runs, or name its store with --data or --db",
                         "\"skein %s\" works on the store itself and cannot use %s %s",
                         cli->command->name, by, url);
}

/* Agents that a change stops keep their unfinished text, and only the server that runs them has all of it: so a
 * forced change is made there. */
static skein_rc ask_who_serves(skn_cli *cli)
{
    skn_server server;
    bool       found;
    skein_rc   rc;

    if (!skn_opt(cli, "force") || cli->dry_run || !skn_door_can(cli))
        return SKEIN_OK;
    rc = skn_discover_here(cli, &server, &found);
    if (!rc && found)
        skn_door_begin(cli, &server);
    return rc;
}

/* A store that is elsewhere is reached through its server; what only the store itself can do is refused. */
static skein_rc choose_server(skn_cli *cli)
{
    const char *url = named_server(cli);
    skn_server  server;
    bool        found;
    skein_rc    rc;

    if (!url || uses_both(cli) || runs_here(cli, url))
        return ask_who_serves(cli);
    if (skn_opt(cli, "data") || skn_opt(cli, "db") || !skn_door_can(cli))
        return refuse_server(cli, url);
    if ((rc = skn_discover(cli, &server, &found)))
        return rc;
    skn_door_begin(cli, &server);
    if (skn_opt(cli, "verbose"))
        skn_note(cli, "server: %s", server.url);
    return SKEIN_OK;
}

skein_rc skn_place_plain(skn_cli *cli)
{
    const char *url = skn_opt(cli, "server");

    if (!url && !strcmp(cli->command->name, "migrate"))
        url = named_server(cli);
    return !url || skn_door_can(cli) ? SKEIN_OK : refuse_server(cli, url);
}

/* Which variables worlds may name, and who changes something. */
static void set_up(skn_cli *cli)
{
    skn_actor           *by = SKN_NEW(cli->keep, skn_actor);
    const struct passwd *user = getpwuid(getuid());

    *by = (skn_actor){
        .name = user ? skn_arena_copy(cli->keep, skn_str_of(user->pw_name))
                     : skn_arena_printf(cli->keep, "user %lld", (long long)getuid()),
        .from = SKN_STR("cli"),
        .a = cli->keep};
    skn_engine_by(cli->engine, by);
    skn_secrets_grant(skn_engine_env_rule(cli->engine), skn_config_of(cli));
}

skein_rc skn_place_open(skn_cli *cli)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    const char   *file;
    skein_rc      rc;

    if (cli->door)
        return SKEIN_OK;
    if (cli->engine) { /* another's, that is lent */
        skn_door_begin(cli, &(skn_server){.engine = cli->engine});
        return SKEIN_OK;
    }
    if ((rc = choose_server(cli)) || skn_is_elsewhere(cli) || (rc = skn_place_address(cli)))
        return rc;
    options.store = skn_str_of(cli->address);
    if (skn_opt(cli, "verbose"))
        skn_note(cli, "store: %.*s", SKN_FMT(skn_place_shown(cli)));
    file = skn_place_file(cli);
    rc = file && *file ? open_file(cli, file, &options) : open_database(cli, &options);
    if (!rc) {
        set_up(cli);
        skn_door_begin(cli, &(skn_server){.engine = cli->engine});
    }
    return rc;
}

/* --- .skein.yaml ---------------------------------------------------------------------------- */

/* Does this folder hold a file that counts? One that somebody else could have written does not. *last: nor does any
 * above, because others decide what is in this folder. */
static skein_rc look_in(skn_cli *cli, const char *folder, skn_current *out, skn_str *text,
                        bool *last)
{
    const char *path = skn_arena_text(cli->keep, "%s/" FILE_NAME,
                                      strcmp(folder, "/") ? folder : "");
    struct stat about;
    skein_error err = {.rc = SKEIN_OK};
    skein_rc    rc;

    *last = skn_own_folder_alone(folder, &err) != SKEIN_OK;
    if (*last) {
        if (lstat(path, &about) == 0)
            skn_note(cli, "%s is passed over: %s.", path, err.message);
        return SKEIN_OK;
    }
    rc = skn_own_read(path, SKN_OWN_FILE, FILE_LIMIT, cli->keep, text, NULL, &err);
    if (!rc) {
        out->by = path;
        return SKEIN_OK;
    }
    if (skn_own_refused(&err))
        skn_note(cli, "Passed over: %s.", err.message);
    else if (rc != SKEIN_NOT_FOUND) {
        cli->err = err;
        return rc;
    }
    return SKEIN_OK;
}

/* The nearest, in the working folder or above; out->by is NULL where there is none. */
static skein_rc nearest_file(skn_cli *cli, skn_current *out, skn_str *text)
{
    char     folder[PATH_MAX];
    bool     last = false;
    skein_rc rc = SKEIN_OK;

    *out = (skn_current){.by = NULL};
    if (!getcwd(folder, sizeof folder))
        return SKEIN_OK;
    while (!(rc = look_in(cli, folder, out, text, &last)) && !out->by && !last) {
        char *slash = strrchr(folder, '/');

        if (!strcmp(folder, "/"))
            break;
        slash[slash == folder] = 0;
    }
    return rc;
}

static skein_rc take_name(skn_cli *cli, const char *path, const skn_yaml *y, const char **out)
{
    if (y->kind != SKN_YAML_TEXT || !y->text.n)
        return skn_fail(&cli->err, SKEIN_USAGE, "%s:%d:%d: \"%.*s\" must be a name", path,
                        y->line, y->column, SKN_FMT(y->key));
    *out = skn_arena_copy(cli->keep, y->text).p;
    return SKEIN_OK;
}

static skein_rc take_members(skn_cli *cli, const skn_yaml *root, skn_current *out)
{
    skein_rc rc = SKEIN_OK;

    if (root->kind != SKN_YAML_MAP)
        return skn_fail(&cli->err, SKEIN_USAGE, "%s must be \"world: NAME\"", out->by);
    for (const skn_yaml *y = root->first; y && !rc; y = y->next)
        if (skn_str_is(y->key, "world"))
            rc = take_name(cli, out->by, y, &out->world);
        else if (skn_str_is(y->key, "conversation"))
            rc = take_name(cli, out->by, y, &out->conversation);
        else
            skn_note(cli,
                     "warning: %s:%d: \"%.*s\" is ignored; this file may only name world and "
                     "conversation",
                     out->by, y->key_line, SKN_FMT(y->key));
    return rc;
}

/* Read once: what is wrong with it is said once. */
static skein_rc read_nearest(skn_cli *cli, skn_current *out)
{
    const skn_yaml *root;
    skn_str         text;
    skein_rc        rc;

    if (!cli->folder) {
        cli->folder = SKN_NEW(cli->keep, skn_current);
        if ((rc = nearest_file(cli, cli->folder, &text)))
            return rc;
        if (cli->folder->by &&
            ((rc = skn_yaml_parse(&root, text, cli->folder->by, cli->keep, &cli->err)) ||
             (rc = take_members(cli, root, cli->folder))))
            return rc;
    }
    *out = *cli->folder;
    return SKEIN_OK;
}

/* --- The default ---------------------------------------------------------------------------- */

/* The file that holds it: beside the store; for a database or a server in the data folder, named after its address. */
static skein_rc default_file(skn_cli *cli, const char **out)
{
    const char *folder, *address = skn_is_elsewhere(cli) ? cli->door->server.url : cli->address;
    skn_traces  traces;
    skein_rc    rc;

    *out = NULL;
    if (!skn_is_elsewhere(cli) && skn_place_file(cli)) {
        if (!(rc = skn_traces_of(cli, &traces)))
            *out = traces.current;
        return rc;
    }
    if ((rc = skn_config_data(cli, &folder)) || !folder)
        return rc;
    *out = skn_arena_text(cli->keep, "%s/%s.current", folder, skn_address_mark(cli, address));
    return SKEIN_OK;
}

/* One that cannot be read is none: there may never have been one. */
static skein_rc read_default(skn_cli *cli, skn_current *out)
{
    const char *path;
    skn_str     text;
    skein_rc    rc = default_file(cli, &path);

    if (rc || !path)
        return rc;
    if (skn_own_read(path, SKN_OWN_FILE, DEFAULT_LIMIT, cli->keep, &text, NULL, &cli->err)) {
        cli->err = (skein_error){.rc = SKEIN_OK};
        return SKEIN_OK;
    }
    text = skn_str_trim(text);
    if (text.n)
        out->world = skn_arena_copy(cli->keep, text).p;
    return SKEIN_OK;
}

skein_rc skn_current_set(skn_cli *cli, const skein_world *world)
{
    const char *path;
    skein_rc    rc = default_file(cli, &path);

    if (rc || !path || (rc = skn_place_folders(cli, path)))
        return rc;
    return skn_file_write(path, skn_arena_printf(cli->keep, "%.*s\n", SKN_FMT(world->uid)),
                          &cli->err);
}

/* --- Which one ------------------------------------------------------------------------------ */

skein_rc skn_current_of(skn_cli *cli, skn_current *out)
{
    const char *named = skn_opt(cli, "world"), *variable = skn_env("SKEIN_WORLD");
    skein_rc    rc;

    *out = (skn_current){.world = named ? named : variable,
                         .by = named      ? "-w"
                               : variable ? "SKEIN_WORLD"
                                          : NULL};
    if (out->by)
        return SKEIN_OK;
    if ((rc = read_nearest(cli, out)) || out->world)
        return rc;
    out->by = NULL;
    return read_default(cli, out);
}

void skn_current_note(skn_cli *cli, const skein_world *world)
{
    if (cli->folder && cli->folder->world)
        skn_note(cli, "To the world \"%.*s\", which is named by %s.", SKN_FMT(world->name),
                 cli->folder->by);
}

skein_rc skn_file_write(const char *path, skn_str bytes, skein_error *err)
{
    return skn_file_replace(AT_FDCWD, path, &bytes, 1, false, err);
}

/* --- World, conversation, agent ----------------------------------------------------------- */

/* `gone`: the default world, which was removed; or NULL. */
static skein_rc which_world(skn_cli *cli, const skein_worlds *worlds, const char *gone)
{
    char   names[160];
    size_t n = 0;

    if (!worlds->count) {
        skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no world%s",
                 gone ? ": the default world was removed" : " yet");
        return skn_hint(&cli->err, SKEIN_NOT_FOUND, "%s%s%s \"skein world new NAME\"",
                        gone ? "Bring it back with \"skein world restore " : "Make one with",
                        gone ? gone : "", gone ? "\", or make one with" : "");
    }
    for (size_t i = 0; i < worlds->count && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%.*s", i ? ", " : "",
                              SKN_FMT(worlds->at[i].name));
    skn_fail(&cli->err, SKEIN_USAGE, "%sthere are several worlds: %s",
             gone ? "the default world was removed; " : "", names);
    return skn_hint(&cli->err, SKEIN_USAGE,
                    "Choose one with -w NAME, or permanently with \"skein world use %.*s\"",
                    SKN_FMT(worlds->at[0].name));
}

/* What has failed is not a failure of the command. */
static void forget_current(skn_cli *cli)
{
    cli->err = (skein_error){.rc = SKEIN_OK};
    cli->more = (skn_problem){.thing = NULL};
}

static skein_rc which_or_only(skn_cli *cli, skein_world *out)
{
    skn_current  now;
    skein_worlds worlds;
    skein_rc     rc = skn_current_of(cli, &now);

    if (rc)
        return rc;
    if (now.world) {
        rc = skn_door_world(cli, skn_str_of(now.world), out);
        if (rc == SKEIN_NOT_FOUND && now.by && now.by[0] != '-')
            skn_note(cli, "The world is named by %s.", now.by);
        if (rc != SKEIN_NOT_FOUND || now.by)
            return rc;
        forget_current(cli); /* the default was removed */
    }
    if ((rc = skn_door_worlds(cli, &worlds)))
        return rc;
    if (worlds.count != 1)
        return which_world(cli, &worlds, now.world);
    *out = worlds.at[0];
    return SKEIN_OK;
}

skein_rc skn_need_world(skn_cli *cli, skein_world *out)
{
    skein_world own;
    skein_rc    rc;

    out = out ? out : &own;
    if (!(rc = which_or_only(cli, out)))
        skn_door_enter(cli, out);
    return rc;
}

/* Did somebody say which world is meant? The default of the store is only a guess. */
static bool world_is_named(skn_cli *cli)
{
    skn_current now;

    return !skn_current_of(cli, &now) && now.world && now.by;
}

static skein_rc in_several_worlds(skn_cli *cli, const char *ref)
{
    return skn_fail_hint(&cli->err, SKEIN_USAGE, "Say which world is meant with -w NAME",
                         "\"%s\" fits conversations of several worlds", ref);
}

static skein_rc in_none(skn_cli *cli, const skein_worlds *worlds)
{
    if (worlds->count > 1)
        skn_hint(&cli->err, SKEIN_NOT_FOUND,
                 "\"skein conv ls -w %.*s\" lists the conversations of that world",
                 SKN_FMT(worlds->at[0].name));
    return skn_missing(cli, SKEIN_NOT_FOUND, "chat");
}

/* In no world that was named: the conversation itself may say which. */
static skein_rc chat_anywhere(skn_cli *cli, const char *ref, skein_world *world,
                              skein_conversation *out)
{
    skein_conversation found;
    skein_worlds       worlds;
    skein_error        missing = cli->err;
    size_t             fits = 0;
    skein_rc           rc;

    if ((rc = skn_door_worlds(cli, &worlds)))
        return rc;
    for (size_t i = 0; i < worlds.count; i++) {
        forget_current(cli);
        skn_door_enter(cli, &worlds.at[i]);
        rc = skn_door_chat(cli, ref, &found);
        if (rc && rc != SKEIN_NOT_FOUND)
            return rc;
        if (rc)
            missing = cli->err;
        else if (fits++)
            return in_several_worlds(cli, ref);
        else
            *world = worlds.at[i], *out = found;
    }
    forget_current(cli);
    if (!fits) {
        cli->err = missing;
        return in_none(cli, &worlds);
    }
    skn_door_enter(cli, world);
    skn_door_enter_chat(cli, out);
    return SKEIN_OK;
}

/* An agent's own conversation is created by the first change. */
static skein_rc chat_of_agent(skn_cli *cli, const char *ref, skn_str agent, skein_mode mode,
                              skein_conversation *out)
{
    bool     makes = cli->command->kind == SKN_CMD_WRITE && !cli->dry_run;
    skein_rc rc = skn_door_chat(cli, ref, out);

    if (rc != SKEIN_NOT_FOUND || !makes || !cli->more.thing || strcmp(cli->more.thing, "chat"))
        return rc;
    forget_current(cli);
    if (!(rc = skn_chat_of(cli, agent, mode, out)))
        skn_door_enter_chat(cli, out);
    return rc;
}

static skein_rc chat_by_ref(skn_cli *cli, const char *ref, skein_world *world,
                            skein_conversation *out)
{
    skein_mode mode;
    skn_str    agent;
    skein_rc   rc = skn_need_world(cli, world);

    if (rc == SKEIN_USAGE) /* several worlds */
        return chat_anywhere(cli, ref, world, out);
    if (!rc && skn_mode_ref(skn_str_of(ref), &agent, &mode))
        return chat_of_agent(cli, ref, agent, mode, out);
    if (rc || (rc = skn_door_chat(cli, ref, out)) != SKEIN_NOT_FOUND || world_is_named(cli))
        return rc;
    return chat_anywhere(cli, ref, world, out);
}

skein_rc skn_need_chat(skn_cli *cli, skein_world *world, skein_conversation *out)
{
    skein_world        own_world;
    skein_conversation own;
    const char        *ref = skn_opt(cli, "conversation");
    skn_current        now;
    skein_rc           rc = skn_current_of(cli, &now);

    if (rc)
        return rc;
    world = world ? world : &own_world;
    out = out ? out : &own;
    if (!ref)
        ref = now.conversation;
    if (ref)
        rc = chat_by_ref(cli, ref, world, out);
    else if (!(rc = skn_need_world(cli, world)))
        cli->untouched = (rc = skn_door_chat(cli, "@", out)) == SKEIN_NOT_FOUND;
    if (!rc && skn_opt(cli, "verbose"))
        skn_note(cli, "conversation: %.*s", SKN_FMT(out->uid));
    return rc;
}

skein_rc skn_need_agent(skn_cli *cli, const char *ref, skein_agent *out)
{
    return skn_door_agent(cli, skn_str_of(ref), out);
}

skein_rc skn_need_chat_if_any(skn_cli *cli, skein_world *world, skein_conversation *out,
                              bool *any)
{
    skein_rc rc = skn_need_chat(cli, world, out);

    *any = rc != SKEIN_NOT_FOUND || !cli->untouched;
    if (*any)
        return rc;
    cli->untouched = false;
    forget_current(cli);
    return SKEIN_OK;
}

skein_rc skn_need_first_chat(skn_cli *cli, skein_world *world, skein_conversation *out)
{
    skein_rc rc = skn_need_chat(cli, world, out);

    if (rc != SKEIN_NOT_FOUND || !cli->untouched || cli->dry_run)
        return rc;
    cli->untouched = false;
    forget_current(cli);
    return skn_make_first_chat(cli, out);
}

skein_rc skn_make_first_chat(skn_cli *cli, skein_conversation *out)
{
    const skn_json *v;
    skn_door_body   b;
    skein_rc        rc;

    skn_jw_kbool(skn_door_body_begin(cli, &b), "first", true);
    b.key = SKN_NONE; /* of what is done there */
    if ((rc = skn_door_send(&b, "POST", skn_arena_text(cli->keep, "%s/chats", cli->door->world),
                            &v)))
        return rc;
    skn_door_read_chat(cli, v, out);
    skn_door_enter_chat(cli, out);
    return SKEIN_OK;
}

/* Does the command show all of a conversation? What was asked of it by name is not there. */
static bool shows_all(const skn_cli *cli)
{
    return !cli->arg_count && !skn_opt(cli, "at") && !skn_opt(cli, "follow") &&
           !skn_opt(cli, "agent") && !skn_opt(cli, "delegation") &&
           skn_is_among(SKN_STR("log,timeline,tree,history,lane ls,queue ls,files ls"),
                        skn_str_of(cli->command->name));
}

bool skn_nothing_open(skn_cli *cli)
{
    if (!cli->untouched || cli->err.rc != SKEIN_NOT_FOUND || !shows_all(cli))
        return false;
    forget_current(cli);
    if (!cli->json) {
        skn_note(cli, "Nothing to show: no conversation is open in this world. Begin one: "
                      "skein conv new");
    } else if (strcmp(cli->command->name, "timeline") != 0) { /* which is not a list */
        skn_list_begin(cli);
        skn_list_end(cli);
    }
    return true;
}
