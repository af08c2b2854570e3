/* mcp.h: a client of tool servers that speak the Model Context Protocol, over the standard streams of a child process
 * or over streamable HTTP; the public header of this folder.
 *
 * One skn_mcp is one configured server: it is started, watched, and started again when it ends, with growing pauses.
 * A call is sent at most once. Where nobody can know whether it ran, its result says so (`unknown`), and what to do
 * about it is the caller's to decide. What a server says is a stranger's text: it has limits everywhere, and the
 * worst it can do is fail.
 *
 * |Threads: the loop's, callbacks too. The process ignores SIGPIPE.
 * Lifetimes: options are copied. From inside a callback everything may be called but skn_mcp_free. A call ends with
 * `done` or with skn_mcp_cancel, whichever comes first. */
#pragma once

#include "base/error.h"
#include "base/loop.h"
#include "base/str.h"
#include "net/net.h"

typedef struct skn_mcp      skn_mcp;
typedef struct skn_mcp_call skn_mcp_call;

typedef struct skn_mcp_options {
    skn_str name; /* in words for people */
    /* A command, looked for in PATH, that speaks on its standard streams … */
    const skn_str *argv;
    size_t         argc;
    const skn_str
           *env; /* "NAME=value", besides the few that every program needs (PATH, HOME, …) */
    size_t  env_count;
    skn_str cwd; /* absent: where we are */
    /* … or the address of one that runs already. */
    skn_str                 url; /* http or https */
    const skn_fetch_header *headers;
    size_t                  header_count;

    int64_t start_ms; /* until it is ready; 0: 30 s */
    int64_t
        call_ms; /* of a call without an answer or a word of progress; 0: 60 s. In all: ten times
                         that */
    size_t result_bytes; /* of the text of a result; 0: 1 MB */
    int    restarts;     /* in a row, given back after a quiet minute; 0: 5; negative: none */
} skn_mcp_options;

typedef enum skn_mcp_state {
    SKN_MCP_STARTING, /* also while it waits to be started again */
    SKN_MCP_READY,
    SKN_MCP_FAILED, /* given up, until skn_mcp_start */
    SKN_MCP_STOPPED
} skn_mcp_state;

/* Hints of the server about its own tool: never a reason to trust it. */
typedef struct skn_mcp_tool {
    skn_str name, title, description; /* title: may be absent */
    skn_str schema;                   /* of the arguments: the text of a JSON object */
    bool    read_only, destructive, idempotent, open_world;
} skn_mcp_tool;

typedef struct skn_mcp_sink {
    /* The state, its words, or the tools are not what they were. */
    void (*changed)(void *arg, skn_mcp *server);
    /* A line that the server wants to be logged; level is one of its eight words. */
    void (*log)(void *arg, skn_mcp *server, skn_str level, skn_str text);
    void *arg;
} skn_mcp_sink;

/* Checks the options; nothing runs before skn_mcp_start. net may be NULL when there is a command. */
skein_rc skn_mcp_new(skn_mcp **out, skn_loop *l, skn_net *net, const skn_mcp_options *options,
                     const skn_mcp_sink *sink, skein_error *err);
/* NULL is fine. A child that still runs is killed and waited for; no callback comes any more. */
void skn_mcp_free(skn_mcp *s);
/* Starts it, also one that was given up or stopped, with all its restarts. */
void skn_mcp_start(skn_mcp *s);
/* Ends it in order: calls get their `done`, the child is asked, then told, then killed (2.5 s in all).
 * `changed` with SKN_MCP_STOPPED is the end of it. */
void skn_mcp_stop(skn_mcp *s);

/* Whether it has stopped, nothing of it runs any more, and no call waits for its end. */
bool skn_mcp_over(const skn_mcp *s);

skn_str       skn_mcp_name(const skn_mcp *s);
skn_mcp_state skn_mcp_state_of(const skn_mcp *s);
/* "starting", "ready", "failed", "stopped". */
const char *skn_mcp_state_word(skn_mcp_state state);
/* Why it is in its state, for a person; empty when there is nothing to say. */
const char *skn_mcp_words(const skn_mcp *s);
/* How often it was started again. */
int64_t skn_mcp_restarts(const skn_mcp *s);
/* The last 4 kB of what the child wrote on its standard error, as UTF-8; empty for a URL. */
skn_str skn_mcp_stderr(const skn_mcp *s);
/* The negotiated version, "2025-11-25"; empty before. */
skn_str skn_mcp_version(const skn_mcp *s);
/* The pid of the child; 0 when there is none. */
int64_t skn_mcp_pid(const skn_mcp *s);
/* Borrowed until the next `changed`. The tools of a server that is being started again stay. */
const skn_mcp_tool *skn_mcp_tools(const skn_mcp *s, size_t *count);

typedef struct skn_mcp_result {
    skn_str text;    /* for a model; UTF-8 */
    bool    failed;  /* `text` says why */
    bool    unknown; /* failed, but the tool may have run */
    bool    cut;     /* longer than result_bytes; `text` says so at its end */
} skn_mcp_result;

typedef struct skn_mcp_call_sink {
    /* May be NULL. total is 0 when the server does not know it; text may be absent. */
    void (*progress)(void *arg, double now, double total, skn_str text);
    /* Once and last, unless it was cancelled; never from inside skn_mcp_ask. */
    void (*done)(void *arg, const skn_mcp_result *result);
    /* May be NULL. Asked when it is sent, for that may be later, and the tools be others: whether it still may be. */
    bool (*may_send)(void *arg);
    void *arg;
} skn_mcp_call_sink;

/* Calls a tool with arguments that are the text of a JSON object (absent or empty: none). While the
 * server is starting the call waits for it, within its time. */
skn_mcp_call *skn_mcp_ask(skn_mcp *s, skn_str tool, skn_str args,
                          const skn_mcp_call_sink *sink);
/* Tells the server that nobody waits any more. NULL is fine. */
void skn_mcp_cancel(skn_mcp_call *c);
