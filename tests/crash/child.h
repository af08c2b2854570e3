/* child.h: this test program once more, as a process of its own that reports in lines.
 *
 * The child is started with exec, so it shares nothing with the test but the pipe it reports on;
 * it may have threads, and be killed at any moment. A line is written whole or not at all.
 *
 * Threads: any may report; the rest is for one.  Lifetimes: from start to end. */
#ifndef SKN_TESTS_CHILD_H
#define SKN_TESTS_CHILD_H

#include "base/str.h"

#include <sys/types.h>

#define SKN_CHILD_ARGS 12
#define SKN_CHILD_LINE 512

typedef struct skn_child {
    pid_t  pid;
    int    reports;  /* the end we read from; -1 once all is read */
    int    starting; /* closing it lets a child go on that waits for its start; -1 if closed */
    char   rest[SKN_CHILD_LINE];
    size_t rest_n;
} skn_child;

typedef void skn_child_sink(void *arg, skn_str line);

/* --- In the test ------------------------------------------------------------------------------ */

/* Runs this program with these arguments (NULL ends them); argv[0] is put before them. */
void skn_child_start(skn_child *c, const char *const args[]);
/* Lets a child go on that waits in skn_child_wait_start. */
void skn_child_go(skn_child *c);
/* Hands over the lines that come within so many microseconds, at least one round; -1: as long as
 * it takes, up to a minute of silence, which fails the test. False when there will be no more. */
bool skn_child_lines(skn_child *c, int64_t micros, skn_child_sink *sink, void *arg);
/* Reads all lines to the end and waits for the child; fails the test unless it ended well. */
void skn_child_finish(skn_child *c, skn_child_sink *sink, void *arg);
/* Kills it in the middle of whatever it does, and hands over what it had reported. */
void skn_child_kill(skn_child *c, skn_child_sink *sink, void *arg);
/* The same for several at once: hands over the lines of all until each has ended well. */
void skn_child_finish_all(skn_child *c, size_t count, skn_child_sink *sink, void *const arg[]);

/* --- In the child ----------------------------------------------------------------------------- */

/* Reports a line, or ends the process when nobody listens any more. */
void skn_child_report(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Reports why it cannot go on, and ends the process. */
_Noreturn void skn_child_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Waits until the test says go, so that several children begin together. */
void skn_child_wait_start(void);

#endif
