/* What the service manager hears from a server, and what it hands over. */
#include "serve/serve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct manager {
    char folder[32], path[64];
    int  fd;
} manager;

static int open_manager(void **state)
{
    static manager     m;
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    memcpy(m.folder, "/tmp/skein-notify-XXXXXX", 25);
    assert_non_null(mkdtemp(m.folder));
    snprintf(m.path, sizeof m.path, "%s/socket", m.folder);
    memcpy(at.sun_path, m.path, strlen(m.path));
    m.fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(m.fd, (const struct sockaddr *)&at, sizeof at), 0);
    *state = &m;
    return 0;
}

static int close_manager(void **state)
{
    manager *m = *state;

    close(m->fd);
    unlink(m->path);
    rmdir(m->folder);
    unsetenv("NOTIFY_SOCKET");
    return 0;
}

static void heard(const manager *m, const char *text)
{
    char    got[64];
    ssize_t n = recv(m->fd, got, sizeof got - 1, MSG_DONTWAIT);

    assert_true(n >= 0);
    got[n] = '\0';
    assert_string_equal(got, text);
}

static void a_state_reaches_the_manager_that_is_named(void **state)
{
    const manager *m = *state;
    char           got[8];

    setenv("NOTIFY_SOCKET", m->path, 1);
    skn_notify("READY=1");
    heard(m, "READY=1");
    setenv("NOTIFY_SOCKET", "relative/path", 1);
    skn_notify("STOPPING=1");
    unsetenv("NOTIFY_SOCKET");
    skn_notify("STOPPING=1");
    assert_int_equal(recv(m->fd, got, sizeof got, MSG_DONTWAIT), -1);
}

static void an_abstract_name_is_an_abstract_socket(void **state)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char               name[64];
    manager            m = {.fd = socket(AF_UNIX, SOCK_DGRAM, 0)};
    int                n = snprintf(name, sizeof name, "@skein-notify-%ld", (long)getpid());

    (void)state;
    memcpy(at.sun_path + 1, name + 1, (size_t)n - 1);
    assert_int_equal(bind(m.fd, (const struct sockaddr *)&at,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n)),
                     0);
    setenv("NOTIFY_SOCKET", name, 1);
    skn_notify("WATCHDOG=1");
    heard(&m, "WATCHDOG=1");
    close(m.fd);
}

static void the_watchdog_is_fed_twice_as_often_as_asked(void **state)
{
    char pid[32];

    (void)state;
    unsetenv("WATCHDOG_USEC");
    assert_int_equal(skn_notify_watchdog_ms(), 0);
    setenv("WATCHDOG_USEC", "60000000", 1);
    assert_int_equal(skn_notify_watchdog_ms(), 30000);
    snprintf(pid, sizeof pid, "%ld", (long)getpid() + 1);
    setenv("WATCHDOG_PID", pid, 1);
    assert_int_equal(skn_notify_watchdog_ms(), 0);
    setenv("WATCHDOG_USEC", "often", 1);
    unsetenv("WATCHDOG_PID");
    assert_int_equal(skn_notify_watchdog_ms(), 0);
    unsetenv("WATCHDOG_USEC");
}

static void a_socket_is_taken_only_by_whom_it_is_for(void **state)
{
    char pid[32];
    int  count;

    (void)state;
    assert_int_equal(skn_notify_socket(&count), -1);
    snprintf(pid, sizeof pid, "%ld", (long)getpid() + 1);
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", "1", 1);
    assert_int_equal(skn_notify_socket(&count), -1);
    assert_int_equal(count, 0);
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", "2", 1);
    assert_int_equal(skn_notify_socket(&count), 3);
    assert_int_equal(count, 2);
    assert_null(getenv("LISTEN_PID"));
    assert_null(getenv("LISTEN_FDS"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_state_reaches_the_manager_that_is_named, open_manager,
                                        close_manager),
        cmocka_unit_test(an_abstract_name_is_an_abstract_socket),
        cmocka_unit_test(the_watchdog_is_fed_twice_as_often_as_asked),
        cmocka_unit_test(a_socket_is_taken_only_by_whom_it_is_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
