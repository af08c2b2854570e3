/* sse.h: one frame of a stream of server-sent events (WHATWG HTML 9.2), as bytes.
 *
 * Threads: any.  The format cannot carry a carriage return inside of data: it becomes a line feed, as
 * every reader would make of it. In JSON that is white space either way. */
#ifndef SKN_HTTP_SSE_H
#define SKN_HTTP_SSE_H

#include "base/buf.h"

/* id 0: none. The event's name has no line ends; data may be anything, also empty. */
void skn_sse_frame(skn_buf *out, int64_t id, skn_str event, skn_str data);
/* How long a client waits before it comes back. */
void skn_sse_retry(skn_buf *out, int64_t ms);

#endif
