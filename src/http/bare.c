/* What the server is measured against: the HTTP of the library whose loop it runs on. */
#include "http/http.h"

#include <event2/buffer.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

struct skn_bare {
    struct evhttp *http;
    skn_str        body;
};

static void answer_bare(struct evhttp_request *req, void *arg)
{
    const skn_bare  *b = arg;
    struct evbuffer *out = evbuffer_new();

    evhttp_add_header(evhttp_request_get_output_headers(req), "Content-Type",
                      "application/json");
    evbuffer_add(out, b->body.p, b->body.n);
    evhttp_send_reply(req, 200, "OK", out);
    evbuffer_free(out);
}

skn_bare *skn_bare_new(skn_loop *loop, skn_str body, int *port)
{
    skn_bare                   *b = skn_heap(sizeof *b);
    struct evhttp_bound_socket *at = NULL;
    struct sockaddr_in          here = {0};
    socklen_t                   n = sizeof here;

    b->body = (skn_str){skn_heap_copy(body), body.n};
    b->http = evhttp_new(skn_loop_base(loop));
    if (b->http) {
        evhttp_set_gencb(b->http, answer_bare, b);
        at = evhttp_bind_socket_with_handle(b->http, "127.0.0.1", 0);
    }
    if (!at || getsockname(evhttp_bound_socket_get_fd(at), (struct sockaddr *)&here, &n)) {
        skn_bare_free(b);
        return NULL;
    }
    *port = ntohs(here.sin_port);
    return b;
}

void skn_bare_free(skn_bare *b)
{
    if (!b)
        return;
    if (b->http)
        evhttp_free(b->http);
    free((void *)(uintptr_t)b->body.p);
    free(b);
}
