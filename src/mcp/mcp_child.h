/* mcp_child.h: a child process with three pipes, in a process group of its own.
 *
 * No signal is needed to learn of its end: whoever owns it looks now and then. Its group is killed
 * before it is waited for, so that the group's number cannot have become somebody else's.
 * Threads: one. The process may have others: between fork and exec only what is safe then is called. */
#ifndef SKN_MCP_MCP_CHILD_H
#define SKN_MCP_MCP_CHILD_H

#include "base/arena.h"
#include "base/error.h"

#include <sys/types.h>

typedef struct skn_mcp_child {
    pid_t pid;          /* 0: none */
    int   in, out, err; /* our ends, not blocking; -1: closed */
    int   why;          /* says why the program could not be run; -1: closed */
    bool  never_ran;    /* known once it ended */
    char  words[200];   /* how it ended: "it ended with status 1" */
} skn_mcp_child;

typedef struct skn_mcp_command {
    const skn_str *argv;
    size_t         argc;
    const skn_str *env; /* all of it */
    size_t         env_count;
    skn_str        cwd; /* absent: ours */
} skn_mcp_command;

/* Texts of the command have no NUL. */
skein_rc skn_mcp_child_run(skn_mcp_child *c, const skn_mcp_command *what, skein_error *err);
/* Has it ended? Then what is left of its group is killed, and `words` say how it was. */
bool skn_mcp_child_ended(skn_mcp_child *c);
/* To it and whatever it has started. */
void skn_mcp_child_signal(const skn_mcp_child *c, int signal);
void skn_mcp_child_close_in(skn_mcp_child *c);
/* Kills it if it still runs, waits for its end, and closes everything. */
void skn_mcp_child_release(skn_mcp_child *c);

#endif
