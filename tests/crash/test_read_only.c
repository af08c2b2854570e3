/* A store that may be read but not written: everything can be read, every change is refused with
 * the same error, and nothing of the store changes. */
#define _DEFAULT_SOURCE /* setgroups */
#include "child.h"
#include "deeds.h"
#include "whole.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

/* --- As one who may not write ----------------------------------------------------------------- */

/* Root may write everywhere, so it becomes somebody else. */
static bool drop_rights(void)
{
    return geteuid() != 0 ||
           (setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

static int complain(const char *what, const skein_error *err)
{
    fprintf(stderr, "%s: %s \"%s\"\n", what, skein_rc_name(err->rc), err->message);
    return 1;
}

/* Does the main lane show all that was said? */
static int read_room(skein_engine *e, const skn_scene *s, size_t count)
{
    skein_slice    slice = {.conversation = s->chat};
    skein_mem     *mem = skein_mem_new();
    skein_messages all;
    skein_error    err = {0};
    int            wrong = 0;

    if (skein_read(e, &slice, mem, &all, NULL, &err))
        wrong = complain("read", &err);
    else if (all.count != count)
        wrong = complain("some messages are missing", &err);
    skein_mem_free(mem);
    return wrong;
}

typedef struct place {
    skn_fixture *fx;
    skein_mem   *mem;
    skn_scene    scene;
    size_t       count; /* messages in the main lane */
    skein_str    before;
} place;

static int try_everything(const place *p, const char *address, bool read_only)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *e;
    skein_error   err;
    int           wrong;

    options.store = skein_text(address);
    options.read_only = read_only;
    if (skein_open(&e, &options, &err))
        return complain("open", &err);
    wrong = read_room(e, &p->scene, p->count);
    for (int i = 0; i < skn_deed_count; i++)
        if (skn_deed_run(&skn_deeds[i], e, &p->scene, &err) != SKEIN_READ_ONLY ||
            err.rc != SKEIN_READ_ONLY || !err.message[0])
            wrong = complain(skn_deeds[i].name, &err);
    wrong += read_room(e, &p->scene, p->count);
    skein_close(e);
    return wrong;
}

/* In a process of its own, since rights do not come back. */
static void try_as_nobody(const place *p)
{
    int   status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0)
        _exit(drop_rights() ? try_everything(p, p->fx->address, false) : 120);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("it ended with status %#x", (unsigned)status);
}

/* --- The store -------------------------------------------------------------------------------- */

static void begin(place *p, void **state)
{
    skein_engine *e;

    *p = (place){
        .fx = skn_fixture_of(state), .mem = skein_mem_new(), .count = SKN_SCENE_SAID + 2};
    e = skn_whole_open(p->fx->address);
    skn_scene_make(e, &p->scene);
    p->before = skn_whole_text(p->fx, e, p->mem);
    skein_close(e);
}

static void set_modes(place *p, mode_t dir, mode_t file)
{
    assert_int_equal(chmod(p->fx->path, file), 0);
    assert_int_equal(chmod(p->fx->dir, dir), 0);
}

static void end(place *p)
{
    skein_engine *e = skn_whole_open(p->fx->address);

    skn_whole_expect(skn_whole_text(p->fx, e, p->mem), p->before, "after all attempts");
    skn_whole_sound(e, "after all attempts");
    skein_close(e);
    skein_mem_free(p->mem);
}

static void try_modes(void **state, mode_t dir, mode_t file)
{
    place p;

    begin(&p, state);
    set_modes(&p, dir, file);
    try_as_nobody(&p);
    set_modes(&p, 0777, 0666);
    end(&p);
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void a_file_that_may_not_be_written_can_be_read(void **state)
{
    try_modes(state, 0777, 0444);
}

static void a_file_in_a_directory_that_may_not_be_written_can_be_read(void **state)
{
    try_modes(state, 0555, 0666);
}

static void a_file_that_may_not_be_written_in_such_a_directory_can_be_read(void **state)
{
    try_modes(state, 0555, 0444);
}

/* write ADDRESS CHAT: says something, and keeps the store open until it is told to go. */
static int run_writer(char **args)
{
    skein_options        options = SKEIN_OPTIONS_INIT;
    skein_new_message    m = {.role = SKEIN_USER, .content = skein_text("news")};
    skein_append_request r = {.messages = &m, .count = 1};
    skein_mem           *mem = skein_mem_new();
    skein_messages       stored;
    skein_engine        *e;
    skein_error          err;

    options.store = skein_text(args[0]);
    r.conversation.v = strtoll(args[1], NULL, 10);
    if (skein_open(&e, &options, &err) || skein_append(e, &r, mem, &stored, &err))
        skn_child_die("%s", err.message);
    skn_child_report("ready");
    skn_child_wait_start();
    skein_close(e);
    skein_mem_free(mem);
    return 0;
}

static void note_ready(void *arg, skn_str line)
{
    *(bool *)arg = skn_str_is(line, "ready");
}

/* The newest message is only in the log then. The writer is a process of its own: within one, all
 * connections share what SQLite knows of the file. */
static void a_file_that_is_being_written_by_another_can_be_read(void **state)
{
    place         p;
    skn_child     writer;
    char          chat[24];
    const char   *args[] = {"write", NULL, chat, NULL};
    bool          ready = false;
    skein_engine *e;

    begin(&p, state);
    snprintf(chat, sizeof chat, "%lld", (long long)p.scene.chat.v);
    args[1] = p.fx->address;
    skn_child_start(&writer, args);
    while (!ready)
        assert_true(skn_child_lines(&writer, -1, note_ready, &ready));
    p.count++;
    e = skn_whole_open(p.fx->address);
    p.before = skn_whole_text(p.fx, e, p.mem);
    skein_close(e);
    set_modes(&p, 0555, 0444);
    try_as_nobody(&p);
    set_modes(&p, 0777, 0666);
    skn_child_finish(&writer, note_ready, &ready);
    end(&p);
}

static void a_store_opened_for_reading_refuses_every_change(void **state)
{
    place p;

    begin(&p, state);
    assert_int_equal(try_everything(&p, p.fx->address, true), 0);
    end(&p);
}

/* As on a standby. */
static void a_server_that_only_reads_refuses_every_change(void **state)
{
    place p;
    char  address[700];

    begin(&p, state);
    snprintf(address, sizeof address, "%s&options=-c%%20default_transaction_read_only%%3Don",
             p.fx->address);
    assert_int_equal(try_everything(&p, address, false), 0);
    end(&p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_SQLITE(a_file_that_may_not_be_written_can_be_read),
        SKN_PLACE_SQLITE(a_file_in_a_directory_that_may_not_be_written_can_be_read),
        SKN_PLACE_SQLITE(a_file_that_may_not_be_written_in_such_a_directory_can_be_read),
        SKN_PLACE_SQLITE(a_file_that_is_being_written_by_another_can_be_read),
        SKN_PLACE_BOTH(a_store_opened_for_reading_refuses_every_change),
        SKN_PLACE_PG(a_server_that_only_reads_refuses_every_change),
    };

    if (argc > 1)
        return argc == 4 ? run_writer(argv + 2) : 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
