/* mcp_room.c: the tool servers in a world's settings. A server starts when an agent of the world first needs it,
 * restarts when its settings change, and stops with the runtime or when the settings no longer name it. */
#include "base/clock.h"
#include "base/hash.h"
#include "runtime/mcp_board.h"
#include "runtime/run.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The limits of world_settings.c. */
enum {
    SERVERS_MOST = 256,
    WORDS_MOST = 256,
    NAME_MOST = 64,
    SECRET_LEAST = 4,
    NAMED_LEAST = 8,
    LOGGED = 2000 /* bytes from the end of its standard error */
};

typedef struct server {
    skn_mcp   *mcp;
    skn_arena *a;
    uint64_t   settings; /* a hash of the server's settings */
    bool       old;      /* no longer in the settings: freed when it has stopped */
    bool       remote;
    skn_str    url, command; /* one of them, as in the settings */
    /* Values of its environment and headers, which no description of it may show. Values from variables come first;
     * results of its tools may not show those either. */
    skn_str *secrets;
    size_t   secret_count, named_count;
} server;

struct skn_mcp_room {
    skn_mcp_room  *next;
    skn_runtime   *r;
    skein_world_id world;
    uint64_t       settings; /* a hash of their text */
    int64_t        changes,
        seen; /* how often the settings had changed: now, and when the last check began */
    skn_vec(server) servers;
    skn_arena *a;
};

/* --- Settings ------------------------------------------------------------------------------------------ */

/* A text, or {"env": "NAME"} for a value that must not be in the settings. */
static skn_str value_of(const skn_json *v)
{
    const skn_json *env = skn_json_get(v, "env");

    if (v->kind == SKN_JSON_STRING)
        return v->text;
    if (env && env->kind == SKN_JSON_STRING && memchr(env->text.p, 0, env->text.n) == NULL) {
        char name[200];

        if (env->text.n >= sizeof name)
            return SKN_NONE;
        memcpy(name, env->text.p, env->text.n);
        name[env->text.n] = '\0';
        return skn_str_of(getenv(name));
    }
    return SKN_NONE;
}

static void read_words(const skn_json *list, skn_str out[static WORDS_MOST], size_t *count)
{
    *count = 0;
    for (const skn_json *v = list ? list->first : NULL; v && *count < WORDS_MOST; v = v->next)
        if (v->kind == SKN_JSON_STRING)
            out[(*count)++] = v->text;
}

static void read_env(const skn_json *env, skn_arena *a, skn_str out[static WORDS_MOST],
                     size_t *count)
{
    *count = 0;
    for (const skn_json *v = env ? env->first : NULL; v && *count < WORDS_MOST; v = v->next)
        out[(*count)++] = skn_arena_printf(a, "%.*s=%.*s", SKN_FMT(v->key),
                                           SKN_FMT(value_of(v)));
}

static void read_headers(const skn_json *headers, skn_fetch_header out[static WORDS_MOST],
                         size_t *count)
{
    *count = 0;
    for (const skn_json *v = headers ? headers->first : NULL; v && *count < WORDS_MOST;
         v = v->next)
        out[(*count)++] = (skn_fetch_header){v->key, value_of(v)};
}

/* --- Descriptions of servers ----------------------------------------------------------------------------- */

/* Replaces the first `count` secrets in a text: a server may repeat what it was given. */
static skn_str without(const server *s, size_t count, skn_str text, skn_arena *a)
{
    skn_buf b;
    skn_str out;

    skn_buf_init(&b, 4 * text.n + 16);
    for (size_t i = 0; i < text.n;) {
        size_t hidden = 0;

        for (size_t k = 0; k < count; k++)
            if (s->secrets[k].n > hidden &&
                skn_str_starts(skn_str_sub(text, i, text.n), s->secrets[k]))
                hidden = s->secrets[k].n;
        skn_buf_add(&b, hidden ? SKN_STR("…") : skn_str_sub(text, i, i + 1));
        i += hidden ? hidden : 1;
    }
    out = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}

static skn_str without_secrets(const server *s, skn_str text, skn_arena *a)
{
    return without(s, s->secret_count, text, a);
}

/* The end of its standard error, which may start in the middle of a secret. */
static skn_str errors_of(const server *s, skn_arena *a)
{
    skn_str text = skn_mcp_stderr(s->mcp);

    for (size_t k = 0; k < s->secret_count; k++)
        for (size_t from = 1; from + SECRET_LEAST <= s->secrets[k].n; from++) {
            skn_str rest = skn_str_sub(s->secrets[k], from, s->secrets[k].n);

            if (skn_str_starts(text, rest))
                text = skn_str_sub(text, rest.n, text.n);
        }
    return without_secrets(s, text, a);
}

/* Replaces values of variables in results and definitions of tools; a text without such a value is returned
 * unchanged. */
static skn_str without_named(const server *s, skn_str text, skn_arena *a)
{
    for (size_t k = 0; k < s->named_count; k++)
        if (skn_str_find(text, s->secrets[k]) >= 0)
            return without(s, s->named_count, text, a);
    return text;
}

skn_str skn_mcp_room_hide(const skn_mcp_room *room, skn_str text, skn_arena *a)
{
    for (size_t i = 0; room && i < room->servers.n; i++)
        text = without_named(&room->servers.p[i], text, a);
    return text;
}

typedef struct hiding {
    const server *s;
    bool         *hidden; /* a value was replaced */
} hiding;

static skn_str hide_named(const void *arg, skn_str text, skn_arena *a)
{
    const hiding *h = arg;
    skn_str       out = without_named(h->s, text, a);

    *h->hidden = *h->hidden || out.p != text.p;
    return out;
}

/* Replaces values in a schema text by text, because they may be escaped. Without such a value the schema is returned
 * unchanged, in its order. */
static skn_str schema_of(const server *s, skn_str schema, skn_arena *a)
{
    bool            hidden = false;
    const skn_json *v;
    skn_buf         b;
    skn_jw          w;

    if (without_named(s, schema, a).p == schema.p && memchr(schema.p, '\\', schema.n) == NULL)
        return schema;
    if (!s->named_count || skn_json_parse(&v, schema, "it", a, NULL))
        return schema;
    skn_buf_init(&b, 2 * schema.n + 16);
    skn_jw_init(&w, &b);
    skn_json_write_sorted(&w, v, hide_named, &(const hiding){s, &hidden}, a);
    if (hidden)
        schema = b.over ? SKN_STR("{\"type\":\"object\"}") : skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return schema;
}

/* Builds a tool's name for models, which allow letters, digits, "_" and "-", at most 64. */
static bool name_tool(const server *s, skn_str tool, skn_arena *a,
                      char out[static NAME_MOST + 1])
{
    skn_str whose = skn_mcp_name(s->mcp);
    size_t  n = 0;

    tool = without_named(s, tool, a);
    if (whose.n + 2 + tool.n > NAME_MOST)
        return false;
    for (size_t i = 0; i < whose.n + 2 + tool.n; i++) {
        char c = i < whose.n ? whose.p[i] : i < whose.n + 2 ? '_' : tool.p[i - whose.n - 2];

        out[n++] = isalnum((unsigned char)c) || c == '-' ? c : '_';
    }
    out[n] = '\0';
    return true;
}

/* Builds a name and returns false if it is taken: two names may have become the same. Only the first tool of a name
 * can be called. */
static bool name_once(skn_map *names, const server *s, skn_str tool, skn_arena *a, skn_str *out)
{
    char name[NAME_MOST + 1];

    if (!name_tool(s, tool, a, name) || skn_map_get(names, skn_str_of(name)))
        return false;
    *out = skn_arena_copy(a, skn_str_of(name));
    *skn_map_slot(names, *out) = s->mcp;
    return true;
}

static void mcp_board_put(skn_mcp_board *b, skein_world_id world, const skn_tool_server *what);

static void show(const skn_mcp_room *room, const server *s)
{
    size_t              count, n = 0;
    const skn_mcp_tool *t = skn_mcp_tools(s->mcp, &count);
    skn_arena          *a = skn_arena_new();
    skn_str            *names = SKN_ARRAY(a, count + 1, skn_str);
    size_t             *sizes = SKN_ARRAY(a, count + 1, size_t);
    skn_map            *known = skn_map_new(a);

    for (size_t i = 0; i < count; i++) {
        sizes[n] = t[i].description.n + t[i].schema.n;
        n += name_once(known, s, t[i].name, a, &names[n]);
    }
    mcp_board_put(
        room->r->board, room->world,
        &(skn_tool_server){.name = skn_mcp_name(s->mcp),
                           .transport = s->remote ? SKN_STR("http") : SKN_STR("stdio"),
                           .state = skn_str_of(skn_mcp_state_word(skn_mcp_state_of(s->mcp))),
                           .reason = without_secrets(s, skn_str_of(skn_mcp_words(s->mcp)), a),
                           .errors = errors_of(s, a),
                           .tools = names,
                           .sizes = sizes,
                           .tool_count = n,
                           .restarts = skn_mcp_restarts(s->mcp)});
    skn_arena_free(a);
}

/* Shows a server that could not be created, with the reason. */
static void show_failed(const skn_mcp_room *room, const skn_json *v, const skein_error *why)
{
    mcp_board_put(room->r->board, room->world,
                  &(skn_tool_server){.name = v->key,
                                     .transport = skn_json_get(v, "url") ? SKN_STR("http")
                                                                         : SKN_STR("stdio"),
                                     .state = SKN_STR("failed"),
                                     .reason = skn_str_of(why->message)});
}

/* --- Starting -------------------------------------------------------------------------------------------- */

static const server *server_of(const skn_mcp_room *room, const skn_mcp *mcp)
{
    const server *s = room->servers.p;

    while (s->mcp != mcp)
        s++;
    return s;
}

/* A line of the log is shorter than the stored output; the last words say most. */
static void log_failed(const skn_mcp_room *room, const server *s)
{
    skn_arena    *a = skn_arena_new();
    skn_str       why = without_secrets(s, skn_str_of(skn_mcp_words(s->mcp)), a);
    skn_str       errors = skn_str_trim(errors_of(s, a));
    size_t        from = errors.n > LOGGED ? errors.n - LOGGED : 0;
    skn_log_field fields[] = {
        {"server", skn_mcp_name(s->mcp), 0}, {"why", why, 0}, {"stderr", SKN_NONE, 0}};

    while (from < errors.n && ((unsigned char)errors.p[from] & 0xc0) == 0x80)
        from++;
    fields[2].text = skn_str_sub(errors, from, errors.n);
    skn_log_write(room->r->o.log, SKN_LOG_WARN, "a tool server has failed", fields,
                  errors.n ? 3 : 2);
    skn_arena_free(a);
}

static void on_changed(void *arg, skn_mcp *mcp)
{
    skn_mcp_room *room = arg;
    const server *s = server_of(room, mcp);

    if (!s->old)
        show(room, s);
    if (skn_mcp_state_of(mcp) == SKN_MCP_FAILED)
        log_failed(room, s);
}

static void on_log(void *arg, skn_mcp *mcp, skn_str level, skn_str text)
{
    skn_mcp_room       *room = arg;
    skn_arena          *a = skn_arena_new();
    const skn_log_field fields[] = {
        {"server", skn_mcp_name(mcp), 0},
        {"level", level, 0},
        {"text", without_secrets(server_of(room, mcp), text, a), 0}};

    skn_log_write(room->r->o.log, SKN_LOG_DEBUG, "a tool server says", fields, 3);
    skn_arena_free(a);
}

/* Adds the values that come from variables and are long, or else the others. Shorter values would hide ordinary
 * words. */
static void add_secrets(const skn_json *of, bool named, server *s)
{
    for (const skn_json *w = of ? of->first : NULL; w; w = w->next) {
        skn_str value = value_of(w);

        bool long_named = w->kind == SKN_JSON_OBJECT && value.n >= NAMED_LEAST;

        if (value.n >= SECRET_LEAST && named == long_named)
            s->secrets[s->secret_count++] = skn_arena_copy(s->a, value);
    }
}

static void keep_secrets(const skn_json *v, server *s)
{
    const skn_json *of[] = {skn_json_get(v, "env"), skn_json_get(v, "headers")};

    s->secrets = SKN_ARRAY(s->a, (of[0] ? of[0]->count : 0) + (of[1] ? of[1]->count : 0) + 1,
                           skn_str);
    add_secrets(of[0], true, s);
    add_secrets(of[1], true, s);
    s->named_count = s->secret_count;
    add_secrets(of[0], false, s);
    add_secrets(of[1], false, s);
}

static void cannot_start(const skn_mcp_room *room, const skn_json *v, const skein_error *err)
{
    const skn_log_field fields[] = {{"server", v->key, 0},
                                    {"why", skn_str_of(err->message), 0}};

    skn_log_write(room->r->o.log, SKN_LOG_WARN, "a tool server cannot be started", fields, 2);
    show_failed(room, v, err);
}

static uint64_t settings_of(const skn_json *v)
{
    return skn_hash_bytes(skn_hash_bytes(1, v->key), v->raw);
}

static void start_server(skn_mcp_room *room, const skn_json *v)
{
    skn_str            argv[WORDS_MOST], env[WORDS_MOST];
    skn_fetch_header   headers[WORDS_MOST];
    skn_mcp_options    o = {.name = v->key, .argv = argv, .env = env, .headers = headers};
    const skn_mcp_sink sink = {on_changed, on_log, room};
    server             s = {.a = skn_arena_new(), .settings = settings_of(v)};
    skein_error        err;

    read_words(skn_json_get(v, "command"), argv, &o.argc);
    read_env(skn_json_get(v, "env"), s.a, env, &o.env_count);
    read_headers(skn_json_get(v, "headers"), headers, &o.header_count);
    skn_json_text(v, "url", &o.url, NULL);
    skn_json_text(v, "cwd", &o.cwd, NULL);
    skn_json_int(v, "timeoutMs", 0, &o.call_ms, NULL);
    if ((o.argc && room->r->o.no_commands &&
         skn_fail(&err, SKEIN_INVALID, "%s", SKN_COMMANDS_OFF)) ||
        skn_mcp_new(&s.mcp, room->r->o.loop, room->r->o.net, &o, &sink, &err)) {
        cannot_start(room, v, &err);
        skn_arena_free(s.a);
        return;
    }
    s.remote = o.url.n > 0;
    s.url = skn_arena_copy(s.a, o.url);
    if (o.argc)
        s.command = skn_arena_copy(s.a, skn_json_get(v, "command")->raw);
    keep_secrets(v, &s);
    skn_vec_add(room->a, &room->servers, s);
    skn_mcp_start(s.mcp);
    show(room, &s);
}

static void free_server(server *s)
{
    skn_mcp_free(s->mcp);
    skn_arena_free(s->a);
}

/* Frees replaced servers that have stopped, so that repeated changes of the settings leave none behind. */
static void free_stopped(skn_mcp_room *room)
{
    size_t kept = 0;

    for (size_t i = 0; i < room->servers.n; i++) {
        server *s = &room->servers.p[i];

        if (s->old && skn_mcp_over(s->mcp))
            free_server(s);
        else
            room->servers.p[kept++] = *s;
    }
    room->servers.n = kept;
}

/* Checks the list of allowed variables again: it may have changed since the settings were stored or the server was
 * started. */
static bool may_run(const skn_mcp_room *room, const skn_json *v, skein_error *err)
{
    return !skn_tool_server_check_env(v, skn_engine_env_rule(room->r->o.engine), err);
}

/* Whether a server with these settings runs. It keeps running, and so do its calls; a server that has failed is
 * started again. */
static bool goes_on(const skn_mcp_room *room, const skn_json *v)
{
    for (size_t i = 0; i < room->servers.n; i++) {
        const server *s = &room->servers.p[i];

        if (!s->old && s->settings == settings_of(v) &&
            skn_mcp_state_of(s->mcp) != SKN_MCP_FAILED)
            return true;
    }
    return false;
}

static bool is_set(const skn_mcp_room *room, const skn_json *servers, const server *s)
{
    skein_error err;

    for (const skn_json *v = servers ? servers->first : NULL; v; v = v->next)
        if (s->settings == settings_of(v))
            return skn_mcp_state_of(s->mcp) != SKN_MCP_FAILED && may_run(room, v, &err);
    return false;
}

static void begin_server(skn_mcp_room *room, const skn_json *v)
{
    skein_error err;

    if (may_run(room, v, &err))
        start_server(room, v);
    else
        cannot_start(room, v, &err);
}

static void mcp_board_keep(skn_mcp_board *b, skein_world_id world, const skn_json *servers);

/* A call in progress on a replaced server ends normally. */
static void replace(skn_mcp_room *room, const skn_json *servers)
{
    size_t count = 0;

    free_stopped(room);
    for (size_t i = 0; i < room->servers.n; i++)
        if (!is_set(room, servers, &room->servers.p[i])) {
            room->servers.p[i].old = true;
            skn_mcp_stop(room->servers.p[i].mcp);
        }
    mcp_board_keep(room->r->board, room->world, servers);
    for (const skn_json *v = servers ? servers->first : NULL; v && count < SERVERS_MOST;
         v = v->next, count++)
        if (v->kind == SKN_JSON_OBJECT && !goes_on(room, v))
            begin_server(room, v);
    room->changes++;
}

static skn_mcp_room *room_of(skn_runtime *r, skein_world_id world)
{
    skn_mcp_room *room = r->rooms;

    while (room && room->world.v != world.v)
        room = room->next;
    return room;
}

skn_mcp_room *skn_mcp_room_for(skn_runtime *r, skein_world_id world, const skn_json *servers)
{
    skn_mcp_room *room = room_of(r, world);
    uint64_t      settings;

    if ((!servers || servers->kind != SKN_JSON_OBJECT || !servers->count) && !room)
        return NULL;
    if (!room) {
        room = skn_heap(sizeof *room);
        room->r = r;
        room->world = world;
        room->a = skn_arena_new();
        room->next = r->rooms;
        r->rooms = room;
    }
    settings = servers
                   ? skn_hash_bytes(1 + skn_env_rule_changes(skn_engine_env_rule(r->o.engine)),
                                    servers->raw)
                   : 0;
    if (settings != room->settings)
        replace(room, servers);
    room->settings = settings;
    return room;
}

/* --- Following the settings ------------------------------------------------------------------------------- */

typedef struct glance {
    skn_runtime_job job;
    skein_worlds    worlds;
} glance;

static void work_look(void *arg)
{
    glance *g = arg;

    g->job.rc = skein_world_list(g->job.r->o.engine, g->job.a, &g->worlds, &g->job.err);
}

/* The tool servers in the settings of a world; NULL: none, or the world is gone. */
static const skn_json *servers_of(const glance *g, skein_world_id world)
{
    const skn_json *settings;

    for (size_t i = 0; i < g->worlds.count; i++)
        if (g->worlds.at[i].id.v == world.v && g->worlds.at[i].settings.n &&
            !skn_json_parse(&settings, g->worlds.at[i].settings, "settings", g->job.a, NULL))
            return skn_json_get(settings, "mcpServers");
    return NULL;
}

/* A turn that began meanwhile has read newer settings. */
static void looked(void *arg)
{
    glance      *g = arg;
    skn_runtime *r = g->job.r;

    r->glancing = false;
    for (skn_mcp_room *room = g->job.rc || r->closing ? NULL : r->rooms; room;
         room = room->next)
        if (room->seen == room->changes)
            skn_mcp_room_for(r, room->world, servers_of(g, room->world));
}

void skn_mcp_rooms_look(skn_runtime *r)
{
    if (!r->rooms || r->glancing)
        return;
    for (skn_mcp_room *room = r->rooms; room; room = room->next)
        room->seen = room->changes;
    r->glancing = true;
    skn_runtime_job_start(skn_runtime_job_new(r, sizeof(glance)), work_look, looked);
}

/* --- Use -------------------------------------------------------------------------------------------------- */

bool skn_mcp_room_starting(const skn_mcp_room *room)
{
    for (size_t i = 0; i < room->servers.n; i++) {
        size_t count;

        if (room->servers.p[i].old ||
            skn_mcp_state_of(room->servers.p[i].mcp) != SKN_MCP_STARTING)
            continue;
        skn_mcp_tools(room->servers.p[i].mcp, &count);
        if (count == 0) /* a server that restarts keeps its tools */
            return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const skn_tool_offer *x = a, *y = b;
    int n = memcmp(x->name.p, y->name.p, x->name.n < y->name.n ? x->name.n : y->name.n);

    return n ? n : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

/* Offers tools sorted by name: servers list them in any order, and a request that starts like the last one costs
 * less. */
void skn_mcp_room_offer(const skn_mcp_room *room, skn_run *run)
{
    skn_map *known = skn_map_new(run->round);
    size_t   own = run->rights.offers.n;
    skn_str  name;

    for (size_t i = 0; i < room->servers.n; i++) {
        const server       *s = &room->servers.p[i];
        skn_arena          *a = run->round;
        size_t              count;
        const skn_mcp_tool *t = skn_mcp_tools(s->mcp, &count);

        for (size_t k = 0; k < count && !s->old; k++) {
            if (!name_once(known, s, t[k].name, a, &name) ||
                !skn_tool_listed(&run->rights, name))
                continue;
            skn_vec_add(a, &run->rights.offers,
                        ((skn_tool_offer){
                            name, skn_arena_copy(a, without_named(s, t[k].description, a)),
                            skn_arena_copy(a, schema_of(s, t[k].schema, a))}));
        }
    }
    if (run->rights.offers.n > own)
        qsort(run->rights.offers.p + own, run->rights.offers.n - own, sizeof(skn_tool_offer),
              by_name);
}

static const skn_mcp_tool *tool_of(const server *s, skn_str wanted, skn_arena *a)
{
    char                name[NAME_MOST + 1];
    size_t              count;
    const skn_mcp_tool *t = skn_mcp_tools(s->mcp, &count);

    for (size_t k = 0; k < count && !s->old; k++)
        if (name_tool(s, t[k].name, a, name) && skn_str_is(wanted, name))
            return &t[k];
    return NULL;
}

bool skn_mcp_room_find(skn_mcp_room *room, skn_str wanted, skn_mcp_found *out)
{
    skn_arena *a = skn_arena_new();

    *out = (skn_mcp_found){NULL, NULL};
    for (size_t i = 0; i < room->servers.n && !out->tool; i++)
        *out = (skn_mcp_found){room->servers.p[i].mcp, tool_of(&room->servers.p[i], wanted, a)};
    skn_arena_free(a);
    return out->tool != NULL;
}

static skn_str hide(const void *arg, skn_str text, skn_arena *a)
{
    return without_secrets(arg, text, a);
}

/* Takes the tool's name as models know it: a word in the original name could be mistaken for a secret. */
skn_str skn_mcp_room_definition(const skn_mcp_room *room, const skn_mcp_found *found,
                                skn_arena *a)
{
    const server        *s = server_of(room, found->server);
    skn_mcp_tool         tool = *found->tool;
    const skn_definition d = {.server = skn_mcp_name(s->mcp),
                              .url = s->url,
                              .command = s->command,
                              .tool = &tool,
                              .say = hide,
                              .arg = s};

    tool.name = without_named(s, tool.name, a);
    return skn_definition_text(&d, a);
}

/* --- The end ------------------------------------------------------------------------------------------------ */

void skn_mcp_rooms_stop(skn_runtime *r)
{
    for (skn_mcp_room *room = r->rooms; room; room = room->next)
        for (size_t i = 0; i < room->servers.n; i++)
            skn_mcp_stop(room->servers.p[i].mcp);
}

void skn_mcp_rooms_free(skn_runtime *r)
{
    for (skn_mcp_room *room = r->rooms, *next; room; room = next) {
        next = room->next;
        for (size_t i = 0; i < room->servers.n; i++)
            free_server(&room->servers.p[i]);
        skn_arena_free(room->a);
        free(room);
    }
    r->rooms = NULL;
}

typedef struct row {
    struct row     *next;
    skn_arena      *a; /* holds this row's texts */
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
    out.errors = skn_arena_copy(a, from->errors);
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

/* Replaces the row of this server, and keeps the time of its last change of state. */
static void mcp_board_put(skn_mcp_board *b, skein_world_id world, const skn_tool_server *what)
{
    skn_arena      *a = skn_arena_new();
    skn_tool_server kept = copy(a, what);
    row            *r;

    pthread_mutex_lock(&b->mu);
    r = find_locked(b, world, what->name);
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

/* Removes the rows of a world's servers that its settings do not name; NULL: all rows of the world. */
static void mcp_board_keep(skn_mcp_board *b, skein_world_id world, const skn_json *servers)
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
