#include "runtime/mcp_board.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct row {
    struct row     *next;
    skn_arena      *a; /* of this row's texts */
    skein_world_id  world;
    skn_tool_server server;
    int64_t         since; /* monotonic, ms */
} row;

struct skn_mcp_board {
    pthread_mutex_t mu;
    row            *first; /* guarded by mu */
};

static int64_t now_ms(void)
{
    return skn_clock_monotonic() / 1000000;
}

static skn_tool_server copy(skn_arena *a, const skn_tool_server *from)
{
    skn_tool_server out = *from;
    skn_str        *tools = SKN_ARRAY(a, from->tool_count + 1, skn_str);
    size_t         *sizes = SKN_ARRAY(a, from->tool_count + 1, size_t);

    for (size_t i = 0; i < from->tool_count; i++) {
        tools[i] = skn_arena_copy(a, from->tools[i]);
        sizes[i] = from->sizes[i];
    }
    out.tools = tools;
    out.sizes = sizes;
    out.name = skn_arena_copy(a, from->name);
    out.transport = skn_arena_copy(a, from->transport);
    out.state = skn_arena_copy(a, from->state);
    out.reason = skn_arena_copy(a, from->reason);
    return out;
}

static void row_free(row *r)
{
    skn_arena_free(r->a);
    free(r);
}

static row *find_locked(skn_mcp_board *b, skein_world_id world, skn_str name)
{
    row *r = b->first;

    while (r && (r->world.v != world.v || !skn_str_eq(r->server.name, name)))
        r = r->next;
    return r;
}

skn_mcp_board *skn_mcp_board_new(void)
{
    skn_mcp_board *b = skn_heap(sizeof *b);

    pthread_mutex_init(&b->mu, NULL);
    return b;
}

void skn_mcp_board_free(skn_mcp_board *b)
{
    if (!b)
        return;
    for (row *r = b->first, *next; r; r = next) {
        next = r->next;
        row_free(r);
    }
    pthread_mutex_destroy(&b->mu);
    free(b);
}

void skn_mcp_board_put(skn_mcp_board *b, skein_world_id world, const skn_tool_server *server)
{
    skn_arena      *a = skn_arena_new();
    skn_tool_server kept = copy(a, server);
    row            *r;

    pthread_mutex_lock(&b->mu);
    r = find_locked(b, world, server->name);
    if (!r) {
        r = skn_heap(sizeof *r);
        r->world = world;
        r->next = b->first;
        b->first = r;
    }
    if (!skn_str_eq(r->server.state, kept.state))
        r->since = now_ms();
    r->server = kept;
    if (r->a)
        skn_arena_free(r->a);
    r->a = a;
    pthread_mutex_unlock(&b->mu);
}

static bool names(const skn_json *servers, skn_str name)
{
    const skn_json *v = servers ? servers->first : NULL;

    while (v && !skn_str_eq(v->key, name))
        v = v->next;
    return v != NULL;
}

void skn_mcp_board_keep(skn_mcp_board *b, skein_world_id world, const skn_json *servers)
{
    pthread_mutex_lock(&b->mu);
    for (row **at = &b->first; *at;) {
        row *r = *at;

        if (r->world.v == world.v && !names(servers, r->server.name)) {
            *at = r->next;
            row_free(r);
        } else {
            at = &r->next;
        }
    }
    pthread_mutex_unlock(&b->mu);
}

void skn_mcp_board_read(skn_mcp_board *b, skein_world_id world, skn_arena *a,
                        skn_tool_server *at, size_t count)
{
    pthread_mutex_lock(&b->mu);
    for (size_t i = 0; i < count; i++) {
        const row *r = find_locked(b, world, at[i].name);

        if (!r)
            continue;
        at[i] = copy(a, &r->server);
        at[i].since_ms = now_ms() - r->since;
    }
    pthread_mutex_unlock(&b->mu);
}
