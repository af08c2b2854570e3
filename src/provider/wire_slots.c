/* How many requests a server accepts at once, if nobody has set it: llama.cpp tells it in /props. The server is asked
 * when the first request has to wait; a server that does not tell gets one request at a time. */
#include "base/clock.h"
#include "provider/wire_inside.h"
#include "provider/wire_json.h"

enum { SLOTS_MS = 3000, AGAIN_MS = 60000, MOST_PROPS = 4 << 20, SLOTS_MOST = 1000 };

static void got_head(void *arg, const skn_fetch_head *head)
{
    ((skn_wire *)arg)->slots.status = head->status;
}

static void got_body(void *arg, skn_str bytes)
{
    skn_buf_add(&((skn_wire *)arg)->slots.body, bytes);
}

static void got_end(void *arg, skn_fetch_end how, const char *why)
{
    skn_wire  *p = arg;
    skn_arena *a = skn_arena_new();
    int64_t    n = 0;

    (void)why;
    p->slots.fetch = NULL;
    if (how == SKN_FETCH_WHOLE && p->slots.status == 200 && !p->slots.body.over)
        n = skn_wire_int(skn_wire_parse(skn_buf_str(&p->slots.body), a), "total_slots");
    skn_buf_release(&p->slots.body);
    skn_arena_free(a);
    if (n > 0)
        skn_wire_take(p, (int)(n < SLOTS_MOST ? n : SLOTS_MOST));
}

void skn_wire_ask_slots(skn_wire *p)
{
    const skn_fetch_sink sink = {got_head, got_body, got_end, p};
    skn_fetch_spec       what = {.method = "GET",
                                 .headers = p->headers,
                                 .header_count = p->header_count,
                                 .connect_ms = SLOTS_MS,
                                 .total_ms = SLOTS_MS,
                                 .most = MOST_PROPS};
    skn_str              list = SKN_STR("/v1/models");
    int64_t              now = skn_clock_monotonic() / 1000000;
    skn_arena           *a;

    if (!p->learns_slots || p->slots.fetch || !skn_str_ends(p->models_url, list) ||
        (p->slots.asked_at && now - p->slots.asked_at < AGAIN_MS))
        return;
    a = skn_arena_new();
    what.url = skn_arena_printf(
        a, "%.*s/props", SKN_FMT(skn_str_sub(p->models_url, 0, p->models_url.n - list.n)));
    p->slots.asked_at = now;
    skn_buf_init(&p->slots.body, MOST_PROPS);
    p->slots.fetch = skn_fetch_start(p->net, &what, &sink);
    skn_arena_free(a);
}

void skn_wire_end_slots(skn_wire *p)
{
    skn_fetch_cancel(p->slots.fetch);
    skn_buf_release(&p->slots.body);
}
