#include "base/clock.h"
#include "base/error.h"
#include "cli/client.h"
#include "cli/far.h"
#include "cli/place.h"
#include "cli/server_ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ASK_MS    60000
#define PATH_MOST 8192
#define ALL_MS    600000               /* for all pages of a list */
#define ALL_MOST  ((size_t)512 << 20)  /* bytes of them */
#define BODY_MOST (7 * SKN_TEXT_LIMIT) /* a text whose every byte is escaped */

void skn_far_begin(skn_cli *cli, const skn_server *server)
{
    skn_far_end(cli);
    cli->door = SKN_NEW(cli->keep, skn_far);
    cli->door->server = *server;
    if (server->engine)
        cli->door->server.api = skn_here_new(cli);
    cli->door->numbers = skn_map_new(cli->keep);
    cli->door->elsewhere = !server->engine;
}

void skn_far_end(skn_cli *cli)
{
    if (cli->door)
        skn_api_free(cli->door->server.api);
    cli->door = NULL;
}

skn_cli *skn_far_ask_apart(skn_cli *cli, skn_arena *mem, skn_far_question *q)
{
    q->cli = *cli;
    q->far = *cli->door;
    q->cli.keep = mem;
    q->cli.door = &q->far;
    q->far.numbers = skn_map_new(mem);
    q->far.uids.p = NULL;
    q->far.uids.n = q->far.uids.cap = 0;
    return &q->cli;
}

bool skn_is_elsewhere(const skn_cli *cli)
{
    return cli->door && cli->door->elsewhere;
}

skein_rc skn_far_to_server(skn_cli *cli)
{
    skn_server server;
    bool       found;
    skein_rc   rc = cli->door->server.engine ? skn_discover(cli, &server, &found) : SKEIN_OK;

    if (!rc && cli->door->server.engine && found) {
        server.api = cli->door->server.api; /* for skn_far_end */
        cli->door->server = server;
    }
    return rc;
}

const char *skn_far_part(skn_cli *cli, skn_str text)
{
    return skn_client_encode(cli->keep, text);
}

/* --- Numbers ------------------------------------------------------------------------------ */

int64_t skn_far_number(skn_cli *cli, skn_str uid)
{
    skn_far *far = cli->door;
    void   **slot;

    if (!uid.n)
        return 0;
    slot = skn_map_slot(far->numbers, uid);
    if (!*slot) {
        skn_vec_add(cli->keep, &far->uids, skn_arena_copy(cli->keep, uid));
        *slot = (void *)(intptr_t)far->uids.n;
    }
    return (int64_t)(intptr_t)*slot;
}

skn_str skn_far_uid(const skn_cli *cli, int64_t number)
{
    const skn_far *far = cli->door;

    return number > 0 && (size_t)number <= far->uids.n ? far->uids.p[number - 1] : SKN_NONE;
}

/* --- Requests ----------------------------------------------------------------------------- */

static skein_rc ask(skn_cli *cli, const skn_request_spec *what, const skn_json **out)
{
    return skn_client_json(cli, &cli->door->server, what, ASK_MS, out);
}

skein_rc skn_far_get(skn_cli *cli, const skn_json **out, const char *fmt, ...)
{
    char             path[PATH_MOST];
    skn_request_spec what = {.method = "GET", .path = path};
    va_list          args;
    int              n;

    va_start(args, fmt);
    n = vsnprintf(path, sizeof path, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof path)
        return skn_fail(&cli->err, SKEIN_USAGE, "what is asked for is too long to ask for");
    return ask(cli, &what, out);
}

bool skn_far_less(size_t *page)
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
    bool        sparse; /* a page may be empty */
} paging;

/* A server that has always more to say would be listened to for ever. */
static skein_rc check_end(skn_cli *cli, paging *p, const skn_json *page, size_t count)
{
    int64_t took = (skn_clock_monotonic() - p->began) / 1000000;

    p->bytes += page ? page->raw.n : 0;
    if (!p->next.n || !skn_is_elsewhere(cli))
        return SKEIN_OK;
    if (p->bytes > ALL_MOST)
        return skn_fail(&cli->err, SKEIN_LIMIT, "the server's list is over %zu bytes",
                        ALL_MOST);
    if (took > ALL_MS)
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
                        "the server's answer is no list, and cannot be read");
    for (const skn_json *v = data->first; v; v = v->next)
        skn_vec_add(cli->keep, out, v);
    p->next = skn_far_text(skn_json_get(page, "page"), "next");
    if (p->next.n && skn_str_eq(was, p->next))
        return skn_fail(&cli->err, SKEIN_UNREACHABLE,
                        "the server gives the same page of its list again and again");
    return check_end(cli, p, page, out->n - before);
}

/* The next page of the list, of `most` items at most. */
static skein_rc read_page(skn_cli *cli, paging *p, size_t most, skn_json_list *out)
{
    const char     *join = strchr(p->path, '?') ? "&" : "?";
    const char     *cursor = skn_far_part(cli, p->next);
    const skn_json *page;
    skein_rc        rc;

    do
        rc = skn_far_get(cli, &page, "%s%slimit=%zu%s%s", p->path, join,
                         most < p->size ? most : p->size, *cursor ? "&cursor=" : "", cursor);
    while (rc == SKEIN_LIMIT && skn_far_less(&p->size));
    return rc ? rc : take_page(cli, p, page, out);
}

static paging page_of(const skn_cli *cli, const char *path, size_t near)
{
    return (paging){.path = path,
                    .size = cli->door->server.engine ? near : SKN_FAR_PAGE,
                    .began = skn_clock_monotonic()};
}

skein_rc skn_far_all(skn_cli *cli, const char *path, size_t most, skn_json_list *out)
{
    paging   p = page_of(cli, path, SKN_HERE_PAGE);
    skein_rc rc;

    do
        rc = read_page(cli, &p, most ? most - out->n : SIZE_MAX, out);
    while (!rc && p.next.n && (!most || out->n < most));
    return rc;
}

skein_rc skn_far_each(skn_cli *cli, const char *path, size_t page, skn_far_take *take,
                      void *arg)
{
    skn_arena *mem = skn_arena_new();
    paging     p = page_of(cli, path, page);
    skein_rc   rc;

    do {
        skn_far_question q;
        skn_cli         *look = skn_far_ask_apart(cli, mem, &q);
        skn_json_list    list = {0};

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

skein_rc skn_far_change(skn_cli *cli, const char *method, const char *path, skn_str body,
                        const skn_json **out)
{
    skn_request_spec what = {.method = method,
                             .path = path,
                             .body = body,
                             .key = skn_str_of(skn_opt(cli, "key")),
                             .match = cli->door->match};

    return ask(cli, &what, out);
}

skn_jw *skn_far_body_begin(skn_cli *cli, skn_far_body *b)
{
    b->cli = cli;
    b->key = skn_str_of(skn_opt(cli, "key"));
    skn_buf_init(&b->bytes, BODY_MOST);
    skn_jw_init(&b->w, &b->bytes);
    skn_jw_object(&b->w);
    return &b->w;
}

skein_rc skn_far_send(skn_far_body *b, const char *method, const char *path,
                      const skn_json **out)
{
    skn_request_spec what = {
        .method = method, .path = path, .key = b->key, .match = b->cli->door->match};

    skn_jw_object_end(&b->w);
    what.body = skn_body_keep(b->cli, &b->bytes);
    return ask(b->cli, &what, out);
}

/* Which commands work on a store that is elsewhere. */

typedef struct far_row {
    const char *name;
    const char *not_with; /* an option that only the store itself can serve; NULL: none */
} far_row;

static const far_row rows[] = {
    {"chat", NULL},          {"status", NULL},       {"open", NULL},
    {"tree", NULL},          {"timeline", NULL},     {"retry", NULL},
    {"log", NULL},           {"show", NULL},         {"search", NULL},
    {"history", NULL},       {"diff", NULL},         {"stats", NULL},
    {"context", NULL},       {"inbox ls", NULL},     {"inbox show", NULL},
    {"inbox done", NULL},    {"inbox reopen", NULL}, {"inbox snooze", NULL},
    {"inbox reply", NULL},   {"inbox allow", NULL},  {"inbox deny", NULL},
    {"send", NULL},          {"edit", NULL},         {"amend", NULL},
    {"insert", NULL},        {"rm", NULL},           {"move", NULL},
    {"squash", NULL},        {"undo", NULL},         {"redo", NULL},
    {"switch", NULL},        {"branch", NULL},       {"stop", NULL},
    {"world ls", NULL},      {"world show", NULL},   {"agent ls", NULL},
    {"agent show", NULL},    {"conv ls", NULL},      {"conv show", NULL},
    {"conv new", NULL},      {"conv use", NULL},     {"conv restore", NULL},
    {"world restore", NULL}, {"agent new", NULL},    {"agent edit", NULL},
    {"agent pause", NULL},   {"agent resume", NULL}, {"agent wake", NULL},
    {"agent timer", NULL},   {"agent tell", NULL},   {"agent task", NULL},
    {"agent tasks", NULL},   {"agent memory", NULL}, {"agent rm", NULL},
    {"task ls", NULL},       {"task show", NULL},    {"task cancel", NULL},
    {"task retry", NULL},    {"model use", NULL},    {"world set", NULL},
    {"export", NULL},        {"compact", NULL},      {"inspect", NULL},
    {"world new", NULL},     {"world rm", NULL},     {"conv rm", NULL},
    {"conv set", NULL},      {"conv rename", NULL},  {"world rename", NULL},
    {"conv of", NULL},       {"lane ls", NULL},      {"world use", NULL},
    {"queue ls", NULL},      {"queue rm", NULL},     {"audit", NULL},
    {"tag new", NULL},       {"tag ls", NULL},       {"tag rm", NULL},
    {"tag on", NULL},        {"tag off", NULL},      {"purge", NULL},
    {"append", NULL},        {"lane new", NULL},     {"lane finish", NULL},
    {"files add", NULL},     {"files ls", NULL},     {"files rm", NULL},
    {"files show", NULL},    {"world tools", NULL},
};

bool skn_far_asks(const skn_cli *cli)
{
    static const char *const those[] = {"provider ", "model ls", "help", "version",
                                        "completion"};
    const char              *name = cli->command->name;

    for (size_t i = 0; i < sizeof those / sizeof those[0]; i++)
        if (!strncmp(name, those[i], strlen(those[i])))
            return true;
    return false;
}

bool skn_far_can(const skn_cli *cli)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(rows[i].name, cli->command->name))
            return !rows[i].not_with || !skn_opt(cli, rows[i].not_with);
    return false;
}
