/* A disk that is full: what was acknowledged stays, reading goes on, and when there is room again
 * the same engine writes again. On a disk of our making, under a limit of the system's, and on a
 * small file system where one can be had. */
#define _GNU_SOURCE /* unshare */
#include "book.h"
#include "disk.h"
#include "rounds.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_WHEN_FULL 40
#define CALLS_MOST      4000
#define NO_FILE_SYSTEM  77 /* how the child says that it may not mount one */

typedef struct crowd {
    skn_book    book;
    skn_load    load;
    skein_rc    expected;
    atomic_int  full, other;
    atomic_bool stop;
} crowd;

static void keep_line(void *arg, const char *line)
{
    crowd *c = arg;

    skn_book_keep(&c->book, line);
}

/* Ends the load some calls after the disk has become full. */
static bool count_failure(void *arg, const char *what, const skein_error *err)
{
    crowd *c = arg;

    if (err->rc != c->expected && atomic_fetch_add(&c->other, 1) == 0)
        fprintf(stderr, "%s: %s %s\n", what, skein_rc_name(err->rc), err->message);
    if (atomic_fetch_add(&c->full, 1) >= CALLS_WHEN_FULL)
        atomic_store(&c->stop, true);
    return true;
}

static void begin(crowd *c, const char *address, uint64_t seed)
{
    skein_error err;

    *c = (crowd){.expected = SKEIN_FULL};
    skn_book_init(&c->book);
    c->load = (skn_load){.e = skn_whole_open(address),
                         .seed = seed,
                         .threads = 4,
                         .changes = CALLS_MOST,
                         .stop = &c->stop,
                         .tell = keep_line,
                         .fail = count_failure,
                         .arg = c};
    SKN_OK(skn_load_prepare(c->load.e, &c->load.chat, &err), err);
}

/* Everything told so far is there, read by the engine that met the full disk. */
static void check(crowd *c, const char *when)
{
    skein_mem *mem = skein_mem_new();
    skn_whole  w;

    skn_book_settle(&c->book);
    skn_whole_sound(c->load.e, when);
    skn_whole_read(c->load.e, mem, &w);
    skn_book_check(&c->book, &w);
    skein_mem_free(mem);
}

static void fill(crowd *c)
{
    skn_load_run(&c->load);
    assert_true(c->full > 0);
    assert_int_equal(c->other, 0);
}

/* With room again, nothing fails any more. */
static void go_on(crowd *c)
{
    atomic_store(&c->stop, false);
    c->full = 0;
    c->load.changes = 20;
    c->load.seed++;
    skn_load_run(&c->load);
    assert_int_equal(c->full + c->other, 0);
}

static void reopen(crowd *c, const char *address)
{
    skein_close(c->load.e);
    c->load.e = skn_whole_open(address);
    check(c, "opened again");
}

static void end(crowd *c)
{
    skein_close(c->load.e);
    skn_book_release(&c->book);
}

/* --- A disk of our making --------------------------------------------------------------------- */

static void a_full_disk_loses_nothing_and_is_gone_on_from(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_dice     dice = {skn_rounds_seed()};
    crowd        c;

    for (int i = 0, n = skn_rounds(6); i < n; i++) {
        skn_disk fault = {.full = true, .room = (int64_t)skn_dice_below(&dice, 900000)};

        begin(&c, fx->address, skn_dice_next(&dice));
        skn_disk_break(&fault);
        fill(&c);
        check(&c, "with the disk full");
        skn_disk_mend();
        go_on(&c);
        reopen(&c, fx->address);
        end(&c);
        skn_fixture_close(fx);
        skn_fixture_place(fx, "sqlite");
    }
}

static void a_store_on_a_full_disk_can_still_be_opened_or_says_why_not(void **state)
{
    skn_fixture  *fx = skn_fixture_of(state);
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *e;
    skein_error   err;
    crowd         c;

    begin(&c, fx->address, 1);
    c.load.changes = 30;
    skn_load_run(&c.load);
    options.store = skein_text(fx->address);
    for (int room = 0; room < 200000; room += 8192) {
        skn_disk fault = {.full = true, .room = room};

        skein_close(c.load.e);
        skn_disk_break(&fault);
        if (skein_open(&e, &options, &err))
            assert_int_equal(err.rc, SKEIN_FULL);
        skein_close(e);
        skn_disk_mend();
        c.load.e = skn_whole_open(fx->address);
        check(&c, "with room again");
    }
    end(&c);
}

/* --- A limit of the system's ------------------------------------------------------------------ */

static void set_limit(rlim_t bytes)
{
    struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void address_in(const char *dir, char out[static 320])
{
    snprintf(out, 320, "sqlite:%s/store.db", dir);
}

/* In a process of its own: no file may grow over a limit. The system calls that a file too large,
 * not a full disk, and so do we. */
static void under_a_limit(void **state)
{
    char  address[320];
    crowd c;

    address_in(*state, address);
    signal(SIGXFSZ, SIG_IGN);
    begin(&c, address, 3);
    c.expected = SKEIN_IO;
    set_limit(700000);
    fill(&c);
    check(&c, "at the limit");
    set_limit(RLIM_INFINITY);
    go_on(&c);
    reopen(&c, address);
    end(&c);
}

/* --- A small file system ---------------------------------------------------------------------- */

static bool put(const char *path, const char *text)
{
    int  fd = open(path, O_WRONLY);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return ok;
}

/* A process may do as it likes with the file systems it alone sees. One that is not root first has
 * to become root of a world of its own. */
static bool own_file_systems(void)
{
    unsigned uid = geteuid(), gid = getegid();
    char     users[40], groups[40];

    if (uid == 0)
        return unshare(CLONE_NEWNS) == 0;
    snprintf(users, sizeof users, "0 %u 1", uid);
    snprintf(groups, sizeof groups, "0 %u 1", gid);
    return unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0 && put("/proc/self/uid_map", users) &&
           put("/proc/self/setgroups", "deny") && put("/proc/self/gid_map", groups);
}

static bool mount_small(const char *dir)
{
    return own_file_systems() && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("small", dir, "tmpfs", 0, "size=8m") == 0;
}

static void write_filler(const char *path)
{
    static const char block[4096] = "x";
    FILE             *f = fopen(path, "wb");

    assert_non_null(f);
    for (int i = 0; i < 5 * 256; i++)
        assert_int_equal(fwrite(block, sizeof block, 1, f), 1);
    assert_int_equal(fclose(f), 0);
}

static void on_a_small_file_system(void **state)
{
    char  address[320], filler[300];
    crowd c;

    address_in(*state, address);
    snprintf(filler, sizeof filler, "%s/filler", (const char *)*state);
    write_filler(filler);
    begin(&c, address, 4);
    fill(&c);
    check(&c, "with the file system full");
    assert_int_equal(remove(filler), 0);
    go_on(&c);
    reopen(&c, address);
    end(&c);
}

/* --- Tests in processes of their own ---------------------------------------------------------- */

/* limited DIR, or small DIR */
static int run_alone(char **args)
{
    bool                    small = !strcmp(args[0], "small");
    const struct CMUnitTest tests[] = {
        {"alone", small ? on_a_small_file_system : under_a_limit, NULL, NULL, args[1]}};

    if (small && !mount_small(args[1]))
        return NO_FILE_SYSTEM;
    dup2(STDERR_FILENO,
         STDOUT_FILENO); /* the report of this test is not part of the program's */
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static int status_of(const char *name, const char *dir)
{
    pid_t pid;
    int   status = 0;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "alone", name, dir, (char *)NULL);
        _exit(120);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_limit_on_the_size_of_files_loses_nothing(void **state)
{
    assert_int_equal(status_of("limited", skn_fixture_of(state)->dir), 0);
}

/* Where no file system can be mounted, the disk of our making has to do. */
static void a_full_file_system_loses_nothing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    int          status = status_of("small", fx->dir);

    if (status == NO_FILE_SYSTEM)
        a_full_disk_loses_nothing_and_is_gone_on_from(state);
    else
        assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_SQLITE(a_full_disk_loses_nothing_and_is_gone_on_from),
        SKN_PLACE_SQLITE(a_store_on_a_full_disk_can_still_be_opened_or_says_why_not),
        SKN_PLACE_SQLITE(a_limit_on_the_size_of_files_loses_nothing),
        SKN_PLACE_SQLITE(a_full_file_system_loses_nothing),
    };

    if (argc > 1)
        return argc == 3 ? run_alone(argv + 1) : 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
