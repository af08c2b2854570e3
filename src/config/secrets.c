#include "config/secrets.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/file.h"
#include "config/own.h"
#include "provider/provider.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_MS 5000

bool skn_secret_valid(skn_str key)
{
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] <= ' ' || key.p[i] >= 0x7f)
            return false;
    return key.n >= 1 && key.n <= SKN_SECRET_MOST;
}

/* The loop is on volatile bytes, or a compiler may leave it away: nobody reads them afterwards. */
void skn_secret_wipe(skn_str key)
{
    volatile char *p = (volatile char *)(uintptr_t)key.p;

    for (size_t i = 0; p && i < key.n; i++)
        p[i] = 0;
}

/* --- The store ---------------------------------------------------------------------------------- */

static skn_str folder_of(const char *data_dir, skn_arena *a)
{
    return skn_arena_printf(a, "%s/secrets", data_dir);
}

/* Names of providers have no "/" and no "." in them. */
static skein_rc path_of(const char *data_dir, skn_str name, skn_arena *a, const char **out,
                        skein_error *err)
{
    if (!data_dir)
        return skn_fail(err, SKEIN_INVALID, "this store has no folder to keep a key in");
    if (!skn_is_provider_name(name))
        return skn_fail(err, SKEIN_INVALID, "this is not a name of a provider");
    *out = skn_arena_text(a, "%s/secrets/%.*s", data_dir, SKN_FMT(name));
    return SKEIN_OK;
}

/* Beside a PostgreSQL store there may be no data folder yet. The code that needs a missing folder reports it. */
static void make_parents(const char *folder, skn_arena *a)
{
    for (const char *p = strchr(folder + 1, '/'); p; p = strchr(p + 1, '/'))
        (void)mkdir(skn_arena_copy(a, (skn_str){folder, (size_t)(p - folder)}).p, 0700);
}

static skein_rc make_folder(const char *data_dir, skn_arena *a, skein_error *err)
{
    const char *folder = folder_of(data_dir, a).p;
    struct stat about;
    skein_rc    rc;

    make_parents(folder, a);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return skn_fail(err, SKEIN_IO, "the folder \"%s\" cannot be created: %s", folder,
                        strerror(errno));
    if (lstat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        return skn_fail(err, SKEIN_IO, "\"%s\" is not a folder", folder);
    if ((rc = skn_own_folder(data_dir, NULL, err)))
        return rc;
    if (about.st_uid == geteuid() && (about.st_mode & 077) && chmod(folder, 0700) != 0)
        return skn_fail(err, SKEIN_IO, "\"%s\" can be read by others: %s", folder,
                        strerror(errno));
    return skn_own_folder(folder, NULL, err);
}

static skein_rc write_key(const char *path, skn_str key, skn_str place, skein_error *err)
{
    const skn_str parts[] = {key, SKN_STR("\n"), place};

    return skn_file_replace(AT_FDCWD, path, parts, place.n ? 3 : 1, true, err);
}

skein_rc skn_secret_put(const char *data_dir, skn_str name, skn_str key, skn_str place,
                        skein_error *err)
{
    skn_arena  *a = skn_arena_new();
    const char *path;
    skein_rc    rc = path_of(data_dir, name, a, &path, err);

    if (!rc && !skn_secret_valid(key))
        rc = skn_fail(err, SKEIN_INVALID,
                      "this is not a key: it has blanks, or other characters "
                      "that cannot be sent, or is over 4096 bytes");
    if (!rc && !(rc = make_folder(data_dir, a, err)))
        rc = write_key(path, key, place.n <= SKN_SECRET_PLACE ? place : SKN_NONE, err);
    skn_arena_free(a);
    return rc;
}

skein_rc skn_secret_remove(const char *data_dir, skn_str name, bool *was, skein_error *err)
{
    skn_arena  *a;
    const char *path;
    skein_rc    rc;

    *was = false;
    if (!data_dir)
        return SKEIN_OK;
    a = skn_arena_new();
    rc = path_of(data_dir, name, a, &path, err);
    *was = !rc && unlink(path) == 0;
    if (!rc && !*was && errno != ENOENT && errno != ENOTDIR)
        rc = skn_fail(err, SKEIN_IO, "\"%s\" cannot be removed: %s", path, strerror(errno));
    skn_arena_free(a);
    return rc;
}

/* --- Files -------------------------------------------------------------------------------------- */

/* A key, and a host on a line of its own. */
#define FILE_MOST ((size_t)SKN_SECRET_MOST + SKN_SECRET_PLACE + 3)

static skn_str without_end(skn_str line)
{
    if (line.n && line.p[line.n - 1] == '\n')
        line.n--;
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

static skein_rc check_key(const char *path, skn_str *out, skein_error *err)
{
    if (skn_secret_valid(*out))
        return SKEIN_OK;
    skn_secret_wipe(*out);
    *out = SKN_NONE;
    return skn_fail(err, SKEIN_INVALID, "what is in \"%s\" is not a key", path);
}

/* The key in a file, without the line's end. */
static skein_rc read_key(const char *path, skn_arena *a, skn_str *out, int *open_to,
                         skein_error *err)
{
    skein_rc rc = skn_own_read(path, SKN_OWN_NAMED, FILE_MOST, a, out, open_to, err);

    if (rc)
        return rc;
    *out = without_end(*out);
    return check_key(path, out, err);
}

skein_rc skn_secret_get(const char *data_dir, skn_str name, skn_arena *a, skn_str *out,
                        skn_str *place, skein_error *err)
{
    const char *path, *end;
    skein_rc    rc;

    *out = *place = SKN_NONE;
    if (!data_dir)
        return SKEIN_OK;
    if ((rc = path_of(data_dir, name, a, &path, err)) ||
        (rc = skn_own_folder(data_dir, NULL, err)) ||
        (rc = skn_own_folder(folder_of(data_dir, a).p, NULL, err)))
        return rc;
    rc = skn_own_read(path, SKN_OWN_SECRET, FILE_MOST, a, out, NULL, err);
    if (rc == SKEIN_NOT_FOUND) { /* no failure, so nothing is said of it */
        *err = (skein_error){0};
        return SKEIN_OK;
    }
    if (rc)
        return rc;
    if ((end = memchr(out->p, '\n', out->n))) {
        *place = without_end(skn_str_sub(*out, (size_t)(end - out->p) + 1, out->n));
        out->n = (size_t)(end - out->p);
    }
    *out = without_end(*out);
    if (!out->n && place->n)
        *out = SKN_NONE;
    return out->p ? check_key(path, out, err) : SKEIN_OK;
}

skein_rc skn_secret_drop(const char *data_dir, skn_str name, skn_str place, skein_error *err)
{
    skn_arena  *a = skn_arena_new();
    skn_str     key, was;
    const char *path;
    bool        had;
    skein_rc    rc = skn_secret_get(data_dir, name, a, &key, &was, err);

    place = was.n ? was : place;
    if (rc || !place.n || place.n > SKN_SECRET_PLACE)
        rc = skn_secret_remove(data_dir, name, &had, err);
    else if (key.p && !(rc = path_of(data_dir, name, a, &path, err)))
        rc = write_key(path, SKN_STR(""), place, err);
    skn_secret_wipe(key);
    skn_arena_free(a);
    return rc;
}

/* --- Other places ------------------------------------------------------------------------------- */

static skein_rc from_file(const char *path, skn_arena *a, skn_str *out, skn_str *warning,
                          skein_error *err)
{
    int      mode = 0;
    skein_rc rc = read_key(path, a, out, &mode, err);

    if (!rc && mode & 044)
        *warning = skn_arena_printf(
            a, "\"%s\" holds a key and can be read by others (%04o): chmod 600 %.*s", path,
            (unsigned)mode, SKN_FMT(skn_shell_word(a, path)));
    return rc;
}

static skein_rc from_env(const char *name, const char *value, skn_arena *a, skn_str *out,
                         skein_error *err)
{
    if (!value || !*value)
        return skn_fail(err, SKEIN_NOT_FOUND, "%s is not set", name);
    if (!skn_secret_valid(skn_str_of(value)))
        return skn_fail(err, SKEIN_INVALID, "what is in %s is not a key", name);
    *out = skn_arena_copy(a, skn_str_of(value));
    return SKEIN_OK;
}

static skein_rc from_credential(skn_str name, const char *folder, skn_arena *a, skn_str *out,
                                skein_error *err)
{
    int mode = 0;

    if (!folder || !*folder)
        return skn_fail(err, SKEIN_NOT_FOUND,
                        "there are no credentials: CREDENTIALS_DIRECTORY is not set");
    if (memchr(name.p, '/', name.n) || name.p[0] == '.')
        return skn_fail(err, SKEIN_INVALID, "this is not a name of a credential");
    return read_key(skn_arena_text(a, "%s/%.*s", folder, SKN_FMT(name)), a, out, &mode, err);
}

static skein_rc from_written(skn_str key, skn_arena *a, skn_str *out, skein_error *err)
{
    if (!skn_secret_valid(key))
        return skn_fail(err, SKEIN_INVALID, "what is written as apiKey is not a key");
    *out = skn_arena_copy(a, key);
    return SKEIN_OK;
}

/* "~/key" */
static const char *at_home(skn_str path, const char *home, skn_arena *a)
{
    if (home && skn_str_starts(path, SKN_STR("~/")))
        return skn_arena_text(a, "%s%.*s", home, SKN_FMT(skn_str_sub(path, 1, path.n)));
    return skn_arena_copy(a, path).p;
}

skein_rc skn_key_fetch(const skn_key_source *from, skn_env_get *env, void *env_arg,
                       skn_arena *a, skn_str *out, skn_str *source, skn_str *warning,
                       skein_error *err)
{
    *out = *warning = SKN_NONE;
    *source = from->name;
    switch (from->from) {
    case SKN_KEY_ENV:
        return from_env(from->name.p, env(env_arg, from->name.p), a, out, err);
    case SKN_KEY_FILE:
        return from_file(at_home(from->name, env(env_arg, "HOME"), a), a, out, warning, err);
    case SKN_KEY_CREDENTIAL:
        *source = skn_arena_printf(a, "credential %.*s", SKN_FMT(from->name));
        return from_credential(from->name, env(env_arg, "CREDENTIALS_DIRECTORY"), a, out, err);
    case SKN_KEY_COMMAND:
        *source = skn_arena_printf(a, "command %s", from->command[0]);
        return skn_key_command(from->command, COMMAND_MS, a, out, err);
    case SKN_KEY_WRITTEN:
        *source = SKN_STR("skein.yaml");
        return from_written(from->name, a, out, err);
    case SKN_KEY_UNSAID:
        break;
    }
    *source = SKN_NONE;
    return SKEIN_OK;
}

/* --- What may be sent where ----------------------------------------------------------------------- */

void skn_secrets_grant(skn_env_rule *rule, const skn_config *c)
{
    enum { MOST = 2 * SKN_KEY_NAMES };
    skn_arena     *a = skn_arena_new();
    skn_env_grant *list = SKN_ARRAY(a, c->secrets.n + MOST, skn_env_grant);
    skn_str       *hosts = SKN_ARRAY(a, SKN_KEY_NAMES, skn_str);
    size_t         n = 0;

    for (size_t i = 0; i < c->secrets.n; i++)
        list[n++] = c->secrets.p[i].grant;
    for (size_t i = 0; i < SKN_KEY_NAMES; i++) {
        const skn_key_name *k = &skn_key_names[i];

        hosts[i] = skn_url_place(skn_str_of(k->base_url));
        list[n++] = (skn_env_grant){skn_str_of(k->variable), &hosts[i], 1};
        if (k->other)
            list[n++] = (skn_env_grant){skn_str_of(k->other), &hosts[i], 1};
    }
    skn_env_rule_set(rule, list, n);
    skn_arena_free(a);
}

/* A key that a program prints: "pass show openai". It gets no shell, no terminal and five seconds. */

typedef struct child {
    pid_t   pid;
    int     fd;       /* what it prints */
    int64_t deadline; /* monotonic */
} child;

/* Between fork and exec only what is safe in a process with threads. */
_Noreturn static void become(const char *const *words, int out)
{
    int      null = open("/dev/null", O_RDWR);
    sigset_t none;

    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execvp(words[0], (char *const *)(uintptr_t)words);
    _exit(errno == ENOENT ? 127 : 126);
}

static bool start_child(child *c, const char *const *words, int64_t most_ms)
{
    int ends[2];

    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    c->deadline = skn_clock_monotonic() + most_ms * 1000000;
    if ((c->pid = fork()) == 0)
        become(words, ends[1]);
    close(ends[1]);
    c->fd = ends[0];
    if (c->pid > 0)
        return true;
    close(ends[0]);
    return false;
}

static int left_ms(const child *c)
{
    int64_t left = (c->deadline - skn_clock_monotonic()) / 1000000;

    return left > 0 ? (int)left : 0;
}

/* Up to the first line's end; false when time is over. */
static bool read_line(const child *c, char *bytes, size_t room, size_t *got)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};

    *got = 0;
    while (*got < room) {
        int     ready = poll(&p, 1, left_ms(c));
        ssize_t n = 0;

        if (ready == 0)
            return false;
        if (ready > 0)
            n = read(c->fd, bytes + *got, room - *got);
        if (n == 0 && ready > 0)
            return true;
        if (n > 0 && memchr(bytes + *got, '\n', (size_t)n)) {
            *got += (size_t)n;
            return true;
        }
        *got += n > 0 ? (size_t)n : 0;
        if ((ready < 0 || n < 0) && errno != EINTR)
            return true;
    }
    return true;
}

/* Its exit status; -1 when it was ended here, or by a signal. */
static int wait_for(const child *c, bool late)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    int                   status = 0;
    pid_t                 who = 0;

    while (!late && (who = waitpid(c->pid, &status, WNOHANG)) == 0) {
        if (left_ms(c) == 0)
            late = true;
        else
            nanosleep(&pause, NULL);
    }
    if (late && who == 0) {
        kill(-c->pid, SIGKILL);
        kill(c->pid, SIGKILL); /* it may not have a group of its own yet */
        while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    return !late && who == c->pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static skein_rc say_why(const char *program, int status, bool late, skein_error *err)
{
    if (late)
        return skn_fail(err, SKEIN_TIMEOUT, "the command \"%s\" did not end in time", program);
    if (status == 127)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no program \"%s\"", program);
    if (status != 0)
        return skn_fail(err, SKEIN_FAILED, "the command \"%s\" failed with status %d", program,
                        status);
    return skn_fail(err, SKEIN_INVALID, "what \"%s\" prints is not a key", program);
}

skein_rc skn_key_command(const char *const *words, int64_t most_ms, skn_arena *a, skn_str *out,
                         skein_error *err)
{
    char       *bytes = skn_arena_alloc(a, SKN_SECRET_MOST + 2);
    child       c;
    size_t      got;
    bool        late;
    int         status;
    const char *end;

    *out = SKN_NONE;
    if (!start_child(&c, words, most_ms))
        return skn_fail(err, SKEIN_FAILED, "the command \"%s\" cannot be run: %s", words[0],
                        strerror(errno));
    late = !read_line(&c, bytes, SKN_SECRET_MOST + 2, &got);
    status = wait_for(&c, late);
    close(c.fd); /* not before: it may still be printing */
    end = memchr(bytes, '\n', got);
    *out = skn_str_trim((skn_str){bytes, end ? (size_t)(end - bytes) : got});
    if (!late && status == 0 && skn_secret_valid(*out))
        return SKEIN_OK;
    skn_secret_wipe(*out);
    *out = SKN_NONE;
    return say_why(words[0], status, late || left_ms(&c) == 0, err);
}
