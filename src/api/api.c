#include "api/api.h"
#include "api/call.h"
#include "base/url.h"

static void tree_add(skn_tree *t, const skn_route *routes, skn_arena *a);

skn_api *skn_api_new(const skn_api_options *o, const skn_route *more)
{
    skn_arena *mem = skn_arena_new();
    skn_api   *api = SKN_NEW(mem, skn_api);

    api->o = *o;
    api->mem = mem;
    api->tree = skn_tree_new(skn_routes, mem);
    if (more)
        tree_add(api->tree, more, mem);
    pthread_mutex_init(&api->mu, NULL);
    return api;
}

void skn_api_free(skn_api *api)
{
    if (!api)
        return;
    pthread_mutex_destroy(&api->mu);
    skn_arena_free(api->mem);
}

/* The table of operations as data. */

#define CHANGES SKN_ROUTE_CHANGES
#define OPEN    SKN_ROUTE_OPEN
#define PLAIN   SKN_ROUTE_PLAIN
#define LONG    SKN_ROUTE_LONG
#define WHOLE   SKN_ROUTE_WHOLE
#define UPLOAD  SKN_ROUTE_UPLOAD
#define BYTES   (SKN_ROUTE_UPLOAD | SKN_ROUTE_BYTES)
#define ONCE    (SKN_ROUTE_CHANGES | SKN_ROUTE_ONCE)
#define TEXT    SKN_ROUTE_TEXT
#define KNOWN   (SKN_ROUTE_CHANGES | SKN_ROUTE_KNOWN)
#define SERVED  SKN_ROUTE_SERVED
#define STOPS   SKN_ROUTE_STOPS
#define LIST    SKN_ROUTE_LIST
#define DRY     SKN_ROUTE_DRY
#define GONE    SKN_ROUTE_GONE
#define TYPED   SKN_ROUTE_TYPED

const skn_route skn_routes[] = {
#define OPERATION(method, path, handler, flags, id, summary)                                   \
    {#method, path, skn_api_##handler, flags, id, summary},
#define SERVER_ONLY(method, path, flags, id, summary)                                          \
    {#method, path, NULL, (flags) | SERVED, id, summary},
#include "api/operations.def"
    {0},
};

typedef struct node {
    skn_str           segment;
    struct node      *first, *next; /* children, siblings */
    struct node      *param;        /* the child that takes any segment */
    const skn_route **routes;       /* that end here */
    size_t            route_count;
    skn_str           allow;
} node;

struct skn_tree {
    node root;
};

static bool is_param(skn_str segment)
{
    return segment.n > 1 && segment.p[0] == '{';
}

static node *literal_child(const node *at, skn_str segment)
{
    node *child = at->first;

    while (child && !skn_str_eq(child->segment, segment))
        child = child->next;
    return child;
}

static node *child_for(node *at, skn_str segment, skn_arena *a)
{
    bool  param = is_param(segment);
    node *child = param ? at->param : literal_child(at, segment);

    if (child)
        return child;
    child = SKN_NEW(a, node);
    if (param) {
        at->param = child;
    } else {
        *child = (node){.segment = segment, .next = at->first};
        at->first = child;
    }
    return child;
}

static void add_route(node *at, const skn_route *route, skn_arena *a)
{
    const skn_route **more = SKN_ARRAY(a, at->route_count + 1, const skn_route *);
    skn_str           old = at->allow;

    if (at->route_count)
        memcpy(more, at->routes, at->route_count * sizeof *more);
    more[at->route_count++] = route;
    at->routes = more;
    at->allow = old.p ? skn_arena_printf(a, "%s, %.*s", route->method, SKN_FMT(old))
                      : skn_arena_printf(a, "%s, OPTIONS", route->method);
    if (skn_str_is(skn_str_of(route->method), "GET"))
        at->allow = skn_arena_printf(a, "HEAD, %.*s", SKN_FMT(at->allow));
}

static void tree_add(skn_tree *t, const skn_route *routes, skn_arena *a)
{
    for (const skn_route *r = routes; r->method; r++) {
        skn_str rest = skn_str_of(r->path + 1), segment;
        node   *at = &t->root;

        while (skn_str_split(&rest, '/', &segment))
            at = child_for(at, segment, a);
        add_route(at, r, a);
    }
}

skn_tree *skn_tree_new(const skn_route *routes, skn_arena *a)
{
    skn_tree *t = SKN_NEW(a, skn_tree);

    tree_add(t, routes, a);
    return t;
}

static bool cut_prefix(skn_str *path, skn_str prefix)
{
    if (!skn_str_starts(*path, prefix) || (path->n > prefix.n && path->p[prefix.n] != '/'))
        return false;
    *path = path->n > prefix.n ? skn_str_sub(*path, prefix.n, path->n) : SKN_STR("/");
    return true;
}

skn_str skn_path_bare(skn_str path)
{
    if (!cut_prefix(&path, SKN_STR("/api/v1")))
        cut_prefix(&path, SKN_STR("/api"));
    return path;
}

typedef struct walk {
    skn_str segments[SKN_PATH_SEGMENTS];
    bool    param[SKN_PATH_SEGMENTS]; /* the segment was taken as a parameter */
    size_t  count;
} walk;

/* A literal child goes first; the parameter is tried when that leads nowhere. At most SKN_PATH_SEGMENTS deep. */
static const node *descend(walk *w, const node *at, size_t depth)
{
    const node *child, *end;

    if (depth == w->count)
        return at->route_count ? at : NULL;
    w->param[depth] = false;
    child = literal_child(at, w->segments[depth]);
    if (child && (end = descend(w, child, depth + 1)))
        return end;
    w->param[depth] = true;
    return at->param && w->segments[depth].n ? descend(w, at->param, depth + 1) : NULL;
}

/* One "/" at the end is forgiven. */
static bool split_path(walk *w, skn_str path)
{
    skn_str rest = skn_str_sub(path, 1, path.n), segment;

    w->count = 0;
    while (skn_str_split(&rest, '/', &segment)) {
        if (w->count == SKN_PATH_SEGMENTS)
            return false;
        w->segments[w->count++] = segment;
    }
    return true;
}

static void take_params(const walk *w, skn_arena *a, skn_match *out)
{
    size_t n = 0;

    for (size_t i = 0; i < w->count; i++)
        if (w->param[i] && n < sizeof out->params / sizeof out->params[0] &&
            !skn_url_decode(w->segments[i], false, a, &out->params[n++]))
            out->bad = true;
}

void skn_tree_match(const skn_tree *t, skn_str method, skn_str path, skn_arena *a,
                    skn_match *out)
{
    walk        w;
    const node *end;

    *out = (skn_match){0};
    if (skn_str_is(method, "HEAD"))
        method = SKN_STR("GET");
    if (!path.n || path.p[0] != '/' || !split_path(&w, skn_path_bare(path)))
        return;
    end = descend(&w, &t->root, 0);
    if (!end)
        return;
    out->allow = end->allow;
    for (size_t i = 0; i < end->route_count; i++)
        if (skn_str_is(method, end->routes[i]->method))
            out->route = end->routes[i];
    take_params(&w, a, out);
}
