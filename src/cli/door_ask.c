#include "base/clock.h"
#include "cli/client.h"
#include "cli/door.h"
#include "cli/input.h"
#include "cli/place.h"

#include <signal.h>
#include <stdarg.h>
#include <time.h>

#define ASK_MS    60000
#define LOOK_MS   50 /* between two looks at a job */
#define PATH_MOST 8192
#define ALL_MS    600000               /* for all pages of a list */
#define ALL_MOST  ((size_t)512 << 20)  /* bytes of them */
#define BODY_MOST (7 * SKN_TEXT_LIMIT) /* a text whose every byte is escaped */

void skn_door_begin(skn_cli *cli, const skn_server *server)
{
    skn_door_end(cli);
    cli->door = SKN_NEW(cli->keep, skn_door);
    cli->door->server = *server;
    if (server->engine)
        cli->door->server.api = skn_here_new(cli);
    cli->door->numbers = skn_map_new(cli->keep);
    cli->door->elsewhere = !server->engine;
}

void skn_door_end(skn_cli *cli)
{
    if (cli->door)
        skn_api_free(cli->door->server.api);
    cli->door = NULL;
}

skn_cli *skn_door_ask_apart(skn_cli *cli, skn_arena *mem, skn_door_question *q)
{
    q->cli = *cli;
    q->door = *cli->door;
    q->cli.keep = mem;
    q->cli.door = &q->door;
    q->door.numbers = skn_map_new(mem);
    q->door.uids.p = NULL;
    q->door.uids.n = q->door.uids.cap = 0;
    return &q->cli;
}

bool skn_is_elsewhere(const skn_cli *cli)
{
    return cli->door && cli->door->elsewhere;
}

skein_rc skn_door_to_server(skn_cli *cli)
{
    skn_server server;
    bool       found;
    skein_rc   rc;

    if (skn_at_server(cli) || (rc = skn_discover(cli, &server, &found)) || !found)
        return skn_at_server(cli) ? SKEIN_OK : rc;
    if (!cli->door) {
        skn_door_begin(cli, &server);
        return SKEIN_OK;
    }
    server.api = cli->door->server.api; /* for skn_door_end */
    cli->door->server = server;
    return SKEIN_OK;
}

bool skn_at_server(const skn_cli *cli)
{
    return cli->door && !cli->door->server.engine;
}

skein_rc skn_need_server(skn_cli *cli, const char *what)
{
    skein_rc rc = skn_door_to_server(cli);

    if (rc || skn_at_server(cli))
        return rc;
    return skn_fail_hint(&cli->err, SKEIN_NOT_FOUND, "Start one with \"skein serve\"",
                         "%s needs a running server, and %s runs on %.*s", what,
                         skn_only_reads(cli) ? "only one that reads" : "none",
                         SKN_FMT(skn_place_shown(cli)));
}

void skn_visit(skn_cli *cli, const skn_server *server)
{
    cli->door = NULL; /* it is the caller's to put back */
    skn_door_begin(cli, server);
}

skein_rc skn_visit_server(skn_cli *cli, bool *served)
{
    skn_server server;
    skein_rc   rc = SKEIN_OK;

    *served = skn_at_server(cli);
    if (!*served && !(rc = skn_discover(cli, &server, served)) && *served)
        skn_visit(cli, &server);
    return rc;
}

const skn_json *skn_server_told(skn_cli *cli, const char *path)
{
    skein_error     before = cli->err;
    skn_door       *own = cli->door;
    const skn_json *v = NULL;
    bool            served;

    if (skn_visit_server(cli, &served) || !served || skn_door_get(cli, &v, "%s", path))
        v = NULL;
    cli->door = own;
    cli->err = before;
    return v;
}

const char *skn_door_part(skn_cli *cli, skn_str text)
{
    return skn_client_encode(cli->keep, text);
}

/* --- Numbers ------------------------------------------------------------------------------ */

int64_t skn_door_number(skn_cli *cli, skn_str uid)
{
    skn_door *door = cli->door;
    void    **slot;

    if (!uid.n)
        return 0;
    slot = skn_map_slot(door->numbers, uid);
    if (!*slot) {
        skn_vec_add(cli->keep, &door->uids, skn_arena_copy(cli->keep, uid));
        *slot = (void *)(intptr_t)door->uids.n;
    }
    return (int64_t)(intptr_t)*slot;
}

skn_str skn_door_uid(const skn_cli *cli, int64_t number)
{
    const skn_door *door = cli->door;

    return number > 0 && (size_t)number <= door->uids.n ? door->uids.p[number - 1] : SKN_NONE;
}

/* --- Requests ----------------------------------------------------------------------------- */

/* A path with nothing where a name or an id belongs would mean another thing, or all of them. */
static bool lacks_name(skn_str path)
{
    ptrdiff_t query = skn_str_find(path, SKN_STR("?"));

    path = skn_str_sub(path, 0, query < 0 ? path.n : (size_t)query);
    return skn_str_find(path, SKN_STR("//")) >= 0 || skn_str_ends(path, SKN_STR("/"));
}

static skein_rc ask_door(skn_cli *cli, const skn_request_spec *what, const skn_json **out)
{
    if (lacks_name(skn_str_of(what->path)))
        return skn_fail(&cli->err, SKEIN_USAGE, "a name or an id is empty");
    return skn_client_json(cli, &cli->door->server, what, ASK_MS, out);
}

skein_rc skn_door_get(skn_cli *cli, const skn_json **out, const char *fmt, ...)
{
    char             path[PATH_MOST];
    skn_request_spec what = {.method = "GET", .path = path};
    va_list          args;
    int              n;

    va_start(args, fmt);
    n = vsnprintf(path, sizeof path, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof path)
        return skn_fail(&cli->err, SKEIN_USAGE, "the request is too long");
    return ask_door(cli, &what, out);
}

bool skn_door_less(size_t *page)
{
    bool less = *page > 1;

    *page = *page > 8 ? *page / 8 : 1;
    return less;
}

/* How far the reading of a list is. */
typedef struct paging {
    const char *path;
    size_t      size; /* of a page */
    skn_str     next; /* cursor; absent: the beginning, or after the last page the end */
    int64_t     began;
    size_t      bytes;
    int64_t     items, total; /* that came; that there are at most, as the server said last */
    bool        sparse;       /* a page may be empty */
} paging;

/* More came than there is. Some may have been removed meanwhile, so the largest total counts. */
static bool is_past_total(paging *p, const skn_json *page)
{
    const skn_json *of = skn_json_get(page, "page"), *total = skn_json_get(of, "total");
    int64_t         n;

    if (total && skn_str_int(total->text, &n) && n > p->total)
        p->total = n;
    return skn_door_flag(of, "totalIsExact") && p->items > p->total;
}

/* A server that has always more to say would be read forever. */
static skein_rc check_end(skn_cli *cli, paging *p, const skn_json *page, size_t count)
{
    int64_t took = (skn_clock_monotonic() - p->began) / 1000000;

    p->items += (int64_t)count;
    p->bytes += page ? page->raw.n : 0;
    if (!p->next.n || !skn_is_elsewhere(cli))
        return SKEIN_OK;
    if (p->bytes > ALL_MOST)
        return skn_fail(&cli->err, SKEIN_LIMIT, "the server's list is over %zu bytes",
                        ALL_MOST);
    if (took > ALL_MS || is_past_total(p, page))
        return skn_fail(&cli->err, SKEIN_TIMEOUT, "the server's list has no end");
    return count || p->sparse
               ? SKEIN_OK
               : skn_fail(&cli->err, SKEIN_UNREACHABLE,
                          "the server says that its list goes on, and gives nothing more");
}

/* Adds the items of a page. */
static skein_rc take_page(skn_cli *cli, paging *p, const skn_json *page, skn_json_list *out)
{
    const skn_json *data = skn_json_get(page, "data");
    skn_str         was = p->next;
    size_t          before = out->n;

    if (!data || data->kind != SKN_JSON_ARRAY)
        return skn_fail(&cli->err, SKEIN_UNREACHABLE,
                        "the server's answer is not a list, and cannot be read");
    for (const skn_json *v = data->first; v; v = v->next)
        skn_vec_add(cli->keep, out, v);
    p->next = skn_json_str(skn_json_get(page, "page"), "next");
    if (p->next.n && skn_str_eq(was, p->next))
        return skn_fail(&cli->err, SKEIN_UNREACHABLE,
                        "the server gives the same page of its list again and again");
    return check_end(cli, p, page, out->n - before);
}

/* The next page of the list, of `most` items at most. */
static skein_rc read_page(skn_cli *cli, paging *p, size_t most, skn_json_list *out)
{
    const char     *join = strchr(p->path, '?') ? "&" : "?";
    const char     *cursor = skn_door_part(cli, p->next);
    const skn_json *page;
    skein_rc        rc;

    do
        rc = skn_door_get(cli, &page, "%s%slimit=%zu%s%s", p->path, join,
                          most < p->size ? most : p->size, *cursor ? "&cursor=" : "", cursor);
    while (rc == SKEIN_LIMIT && skn_door_less(&p->size));
    return rc ? rc : take_page(cli, p, page, out);
}

static paging page_of(const skn_cli *cli, const char *path, size_t near)
{
    return (paging){.path = path,
                    .size = cli->door->server.engine ? near : SKN_DOOR_PAGE,
                    .began = skn_clock_monotonic()};
}

skein_rc skn_door_all(skn_cli *cli, const char *path, size_t most, skn_json_list *out)
{
    paging   p = page_of(cli, path, SKN_HERE_PAGE);
    skein_rc rc;

    do
        rc = read_page(cli, &p, most ? most - out->n : SIZE_MAX, out);
    while (!rc && p.next.n && (!most || out->n < most));
    return rc;
}

skein_rc skn_door_each(skn_cli *cli, const char *path, size_t page, skn_door_take *take,
                       void *arg)
{
    skn_arena *mem = skn_arena_new();
    paging     p = page_of(cli, path, page);
    skein_rc   rc;

    do {
        skn_door_question q;
        skn_cli          *look = skn_door_ask_apart(cli, mem, &q);
        skn_json_list     list = {0};

        p.sparse = true;
        rc = read_page(look, &p, SIZE_MAX, &list);
        for (size_t i = 0; !rc && i < list.n; i++)
            take(arg, look, list.p[i]);
        cli->err = q.cli.err;
        p.next = skn_arena_copy(cli->keep, p.next);
        skn_arena_reset(mem);
    } while (!rc && p.next.n);
    skn_arena_free(mem);
    return rc;
}

skein_rc skn_door_change(skn_cli *cli, const char *method, const char *path, skn_str body,
                         const skn_json **out)
{
    skn_request_spec what = {.method = method,
                             .path = path,
                             .body = body,
                             .key = skn_str_of(skn_opt(cli, "key")),
                             .match = cli->door->match};

    return ask_door(cli, &what, out);
}

skn_jw *skn_door_body_begin(skn_cli *cli, skn_door_body *b)
{
    b->cli = cli;
    b->key = cli->dry_run ? SKN_NONE : skn_str_of(skn_opt(cli, "key"));
    skn_jw_open(&b->w, &b->bytes, BODY_MOST);
    skn_jw_object(&b->w);
    return &b->w;
}

skein_rc skn_door_send(skn_door_body *b, const char *method, const char *path,
                       const skn_json **out)
{
    skn_request_spec what = {
        .method = method, .path = path, .key = b->key, .match = b->cli->door->match};

    skn_jw_object_end(&b->w);
    what.body = skn_buf_keep(&b->bytes, b->cli->keep);
    return ask_door(b->cli, &what, out);
}

/* --- Jobs --------------------------------------------------------------------------------- */

/* True once it has ended: then *rc says how. */
static bool is_over(skn_cli *cli, const skn_json *job, const skn_json **out, skein_rc *rc)
{
    skn_str state = SKN_NONE;

    *out = skn_json_get(job, "result");
    if ((*rc = skn_json_text(job, "state", &state, &cli->err)))
        return true;
    if (skn_str_is(state, "running"))
        return false;
    if (skn_str_is(state, "done"))
        return true;
    if (skn_str_is(state, "failed") && skn_json_get(job, "error"))
        *rc = skn_client_problem(cli, 500, skn_json_get(job, "error")->raw);
    else
        *rc = skn_fail(&cli->err, SKEIN_CONFLICT, "it was cancelled; nothing was changed");
    return true;
}

/* Who waits is interrupted, or goes: then nobody wants it any more. */
enum { ENDS = 3 };
static const int ends[ENDS] = {SIGINT, SIGTERM, SIGHUP};

static bool leaves(void)
{
    bool came = false;

    for (size_t i = 0; i < ENDS; i++)
        came = skn_interrupt_came(ends[i]) || came;
    return came;
}

static skein_rc cancel_request(skn_cli *cli, const char *path)
{
    const skn_json *answer;
    skein_rc        rc = skn_door_change(cli, "DELETE", path, SKN_NONE, &answer);

    return rc ? rc
              : skn_fail(&cli->err, SKEIN_CONFLICT, "it was cancelled; nothing was changed");
}

skein_rc skn_door_job(skn_door_body *b, const char *path, const skn_json **out)
{
    const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000L};
    struct sigaction      was[ENDS];
    skn_cli              *cli = b->cli;
    const skn_json       *job;
    const char           *at;
    skn_str               id = SKN_NONE;
    skein_rc              rc;

    if ((rc = skn_door_send(b, "POST", path, &job)) ||
        (rc = skn_json_text(job, "id", &id, &cli->err)))
        return rc;
    at = skn_arena_text(cli->keep, "/jobs/%.*s", SKN_FMT(id));
    for (size_t i = 0; i < ENDS; i++) {
        sigaction(ends[i], NULL, &was[i]);
        skn_interrupt_arm(ends[i]);
    }
    while (!is_over(cli, job, out, &rc)) {
        nanosleep(&nap, NULL);
        if (leaves())
            return cancel_request(cli, at);
        if ((rc = skn_door_get(cli, &job, "%s?lease=60", at))) /* who is killed wants nothing */
            break;
    }
    for (size_t i = 0; i < ENDS; i++) /* a chat has armed some for itself */
        sigaction(ends[i], &was[i], NULL);
    return rc;
}

bool skn_door_can(const skn_cli *cli)
{
    return !skn_begins_among(skn_str_of(cli->command->name),
                             "fsck,backup,migrate,import,config ,token ,serve,doctor,bench");
}
