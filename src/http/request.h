/* request.h: reads the head of an HTTP/1.1 request, and the body that follows it, strictly.
 *
 * Ambiguous input is refused and not repaired: lines that end in a
 * bare LF, folded lines, blanks before a colon, a repeated Content-Length or Host, Content-Length
 * beside Transfer-Encoding. Nothing here knows of sockets.
 * Threads: any.  Lifetimes: a request's texts are views of its head. */
#pragma once

#include "api/api.h"

#define SKN_HEAD_MAX    ((size_t)16 * 1024) /* header lines, the first line aside */
#define SKN_HEADERS_MAX ((size_t)100)

typedef struct skn_request {
    skn_str     method, target;
    skn_str     path, query; /* of the target, as they came; query absent: no "?" */
    skn_str     host;        /* of an absolute target, or of the Host header; may be absent */
    skn_header *headers;
    size_t      header_count;
    int         minor;  /* HTTP/1.minor */
    bool        keep;   /* the connection is to stay */
    bool        expect; /* waits for "100 Continue" before it sends its body */
    bool        chunked;
    size_t      length; /* of the body, unless it is chunked */
} skn_request;

/* Why a request was refused: its HTTP status, and what is wrong with it. */
typedef struct skn_refusal {
    int         status; /* 0: it was not */
    const char *why;
} skn_refusal;

/* Bytes of the head with the empty line behind it; 0 when it is not all there yet. *from is where to
 * go on looking (0 at first). A head that is broken or too large is refused as soon as it shows. */
size_t skn_head_end(skn_str bytes, size_t *from, skn_refusal *no);
/* Takes apart a head that skn_head_end found. */
void skn_request_read(skn_request *r, skn_str head, skn_arena *a, skn_refusal *no);
/* A header's value; absent when there is none. The first, if it was repeated. */
skn_str skn_request_header(const skn_request *r, const char *name);

/* A chunked body on its way. */
typedef struct skn_chunks {
    int      state;
    uint64_t left;  /* of the chunk */
    size_t   line;  /* bytes of the line that is being read */
    bool     digit; /* the chunk's size has begun */
} skn_chunks;

/* Takes what it can from bytes and adds the body's part of it to out, whose limit is the body's.
 * *used is how much it took; true once the body has ended. */
bool skn_chunks_read(skn_chunks *c, skn_str bytes, size_t *used, skn_buf *out, skn_refusal *no);
