/* conn.h: a connection from inside: what conn.c (coming, reading, going) and conn_send.c (answers and
 * streams) share.
 *
 * Threads: the loop's; only shared bytes are made and dropped on any.  Lifetimes: a connection is held by
 * itself while it is open, by the call that is worked on, by a stream until that was told of its end, and
 * by whatever function of it runs; the last one frees it. */
#ifndef SKN_HTTP_CONN_H
#define SKN_HTTP_CONN_H

#include "http/inside.h"

/* The bytes stand inside the frame of a chunk ("5\r\nbytes\r\n"), so that one copy serves answers with
 * and without chunks. */
struct skn_shared {
    atomic_int refs;
    size_t     head, n; /* of the chunk's first line, of the bytes */
    char      *p;
    char      *owned; /* instead of bytes behind the struct … */
    size_t    *sum;   /* … which are part of this sum; the loop's */
    char       bytes[];
};

typedef enum skn_conn_state {
    SKN_CONN_HEAD,   /* waits for a request, or has part of its head */
    SKN_CONN_BODY,   /* reads its body */
    SKN_CONN_RUN,    /* it is worked on */
    SKN_CONN_STREAM, /* its answer goes on */
    SKN_CONN_LAST,   /* closes once all is sent */
    SKN_CONN_DRAIN /* all is sent; what still comes in is thrown away, so that nothing is reset */
} skn_conn_state;

/* Bytes that wait to be sent. */
typedef struct skn_piece {
    skn_shared       *bytes;
    size_t            at, end;
    struct skn_piece *next;
} skn_piece;

struct skn_conn {
    skn_http *http;
    struct {
        skn_conn *prev, *next;
        bool      in;
    } row[SKN_ROWS];
    int            fd;    /* -1: closed */
    int            holds; /* by what is under way here; the last one frees */
    skn_watch     *watch;
    skn_peer       peer;
    char           session[SKN_UID_LEN + 1]; /* of its latest request; empty: none */
    skn_conn_state state;
    skn_buf        in;   /* bytes of requests that are not used yet */
    skn_str        data; /* the same while they are looked at, or still where they were read */
    size_t         scanned;
    skn_api_call  *call;
    skn_chunks     chunks;
    size_t         need;          /* of a body with a length */
    int64_t        begun;         /* when the request's first byte came */
    int64_t        deadline;      /* monotonic milliseconds; 0: none */
    skn_piece     *first, **last; /* to be sent */
    size_t         unsent;
    skn_call      *gone;
    void          *gone_arg;
    bool           late; /* it came while the server closed */
    bool           feeding, ended, flushing, chunked, saw_end;
};

void skn_conn_hold(skn_conn *conn);
void skn_conn_release(skn_conn *conn);
/* Tells the stream of a closed connection, in a later round of the loop: whoever just tried to send may be walking over
 * its streams. */
void skn_conn_tell_gone(skn_conn *conn);
/* Goes on with requests whose bytes are there. */
void skn_conn_feed(skn_conn *conn);
/* It may have become idle: it goes to the end of their list. */
void skn_conn_list_idle(skn_conn *conn);
/* It stays for another request. */
void      skn_conn_next_request(skn_conn *conn);
void      skn_conn_drop_unsent(skn_conn *conn);
void      skn_conn_say(skn_conn *conn, skn_str text); /* as it is, soon */
skn_ready skn_conn_can_write;

#endif
