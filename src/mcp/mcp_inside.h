/* mcp_inside.h: a server from inside. Only files of this folder include it.
 *
 *   mcp.c          life: begin, ready, broken, closing, the pause before the next begin
 *   mcp_session.c  the handshake, and what the server says
 *   mcp_tools.c    its list of tools
 *   mcp_call.c     calls of tools
 *   mcp_stdio.c, mcp_http.c: the two roads that messages travel on
 *
 * Roads and callbacks never change the life directly: skn_mcp_broke notes that it is over, and a
 * timer closes the road from the top of the stack. */
#pragma once

#include "base/hash.h"
#include "mcp/mcp.h"
#include "mcp/mcp_message.h"

#define SKN_MCP_TAIL  ((size_t)4096) /* of standard error */
#define SKN_MCP_CALLS ((size_t)256)  /* at once */

typedef struct skn_mcp_road {
    /* Begins; what is sent from then on is sent in order. */
    void (*open)(skn_mcp *s);
    /* A message; id: that of our request, 0 when nobody waits for an answer. */
    void (*send)(skn_mcp *s, skn_str text, int64_t id);
    /* Sends the notice that we are initialized, and calls skn_mcp_list_tools once it was taken. */
    void (*initialized)(skn_mcp *s, skn_str notice);
    /* Nobody waits for the answer to this request any more. */
    void (*forget)(skn_mcp *s, int64_t id);
    /* Ends it and calls skn_mcp_gone, perhaps at once; politely when nothing was wrong. */
    void (*close)(skn_mcp *s, bool politely);
    /* Ends it now, without a word. */
    void (*drop)(skn_mcp *s);
} skn_mcp_road;

extern const skn_mcp_road skn_mcp_stdio, skn_mcp_http;

typedef enum skn_mcp_phase {
    SKN_MCP_IDLE,
    SKN_MCP_OPEN,
    SKN_MCP_CLOSING,
    SKN_MCP_PAUSE /* until the next begin */
} skn_mcp_phase;

typedef struct skn_mcp_list {
    skn_arena *a; /* has the tools */
    skn_map   *names;
    skn_vec(skn_mcp_tool) tools;
    size_t bytes;
} skn_mcp_list;

struct skn_mcp_call {
    skn_mcp          *s;
    skn_mcp_call     *next;
    int64_t           id;
    char             *tool, *args;
    bool              sent, again; /* again: its session was gone, and it has been sent again */
    int64_t           until;       /* at the latest, in monotonic ms */
    bool              progressed;  /* it has told how far it is */
    char             *refused;     /* words, when it will not be sent at all */
    skn_timer        *timer;
    skn_mcp_call_sink sink;
};

struct skn_mcp {
    skn_loop           *loop;
    skn_net            *net;
    skn_arena          *a; /* the options */
    skn_mcp_options     o;
    skn_mcp_sink        sink;
    const skn_mcp_road *road;
    void               *way; /* the road's own state; NULL when it is not open */

    skn_mcp_state state;
    skn_mcp_phase phase;
    char          words[400];
    bool          broken, fatal, renew; /* renew: only the session is gone, so begin at once */
    bool          stopping, start_after;
    int           used;      /* restarts in a row */
    int64_t       restarted; /* in all */
    skn_timer    *soon, *again, *quiet;

    int64_t    next_id;
    int64_t    hello_id; /* of initialize; 0: not asked */
    skn_str    version;  /* static text */
    skn_arena *scratch;  /* one message */
    int64_t    log_second;
    int        log_lines;
    skn_buf    tail, tail_text;

    int64_t      list_id; /* of tools/list; 0: not asked */
    int          pages;
    bool         has_tools, list_again;
    skn_mcp_list tools, listing;
    skn_timer   *relist;

    skn_mcp_call *calls; /* oldest first */
    size_t        call_count;
};

/* mcp.c */
/* The road is at its end; fatal: trying again is no use. The first words count. */
void skn_mcp_broke(skn_mcp *s, bool fatal, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void skn_mcp_gone(skn_mcp *s);
void skn_mcp_ready(skn_mcp *s);
void skn_mcp_changed(skn_mcp *s);
/* Is the road open and fine? What comes after that is not looked at. */
bool skn_mcp_alive(const skn_mcp *s);

/* mcp_session.c */
/* Ends the letter, hands it to the road (id: as its `send` has it), and releases it. */
void skn_mcp_post(skn_mcp *s, skn_mcp_letter *l, int64_t id);
void skn_mcp_hello(skn_mcp *s);
/* Takes a message, or a batch of them, from the road. False when it could not be read. */
bool skn_mcp_take(skn_mcp *s, skn_str text);
/* Does anybody wait for the answer to this request? */
bool skn_mcp_waits(const skn_mcp *s, int64_t id);
/* There will be no answer to this request. */
void skn_mcp_no_answer(skn_mcp *s, int64_t id, bool unknown, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void skn_mcp_note(skn_mcp *s, const char *level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* mcp_tools.c */
void skn_mcp_list_tools(skn_mcp *s);
void skn_mcp_listed(skn_mcp *s, const skn_json *result);
void skn_mcp_list_failed(skn_mcp *s, const char *words);
void skn_mcp_relist(void *arg); /* the timer's */

/* mcp_call.c */
skn_mcp_call *skn_mcp_call_of(const skn_mcp *s, int64_t id);
void          skn_mcp_call_result(skn_mcp_call *c, const skn_json *result);
void          skn_mcp_call_error(skn_mcp_call *c, const skn_json *error);
void          skn_mcp_call_fail(skn_mcp_call *c, bool unknown, const char *words);
void          skn_mcp_call_progress(skn_mcp *s, const skn_json *params);
/* The server refused it unseen, as its session was gone: it will be sent once more. False when it
 * already was. */
bool skn_mcp_call_unsend(skn_mcp *s, int64_t id);
/* The road is gone: what was sent ends as unknown; the rest too, unless it may still be sent. */
void skn_mcp_calls_end(skn_mcp *s, bool all, const char *words);
void skn_mcp_calls_send(skn_mcp *s);
void skn_mcp_calls_free(skn_mcp *s);
