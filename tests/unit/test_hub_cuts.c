/* Clients that are cut at any point and come back, slow ones and patient ones, all see the same. */
#include "http/hub.h"
#include "unit/hub_kit.h"

#define CLIENTS  8
#define MESSAGES 60
#define TEXT     512

typedef struct message {
    int64_t started, ended; /* 0: not yet */
    int64_t chat;
    char    text[TEXT], thinking[TEXT]; /* all that was told */
} message;

/* What a client has of a message that is being written. */
typedef struct view {
    bool    open;
    int64_t chunk; /* of this connection; -1: none came */
    char    text[TEXT], thinking[TEXT];
} view;

typedef struct client {
    skn_stream_filter filter;
    bool              patient; /* is never cut, and takes all */
    skn_conn         *conn;
    sse_reader        reader;
    size_t            read;        /* bytes of the connection that it has looked at */
    int64_t           start, last; /* -1: not known yet */
    bool              resumed;     /* this connection */
    size_t            next;        /* event that has to come */
    view              views[MESSAGES];
    int               connections, deltas, snapshots;
} client;

static message  messages[MESSAGES];
static size_t   message_count;
static client   clients[CLIENTS];
static unsigned seed;

static unsigned chance(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

/* --- A client ----------------------------------------------------------------------------------- */

static bool wants(const client *c, const lab_event *ev)
{
    skn_taking t = {.filter = c->filter};
    skn_about  about = {.world = {ev->world}, .chat = {ev->chat}, .type = skn_str_of(ev->type)};

    return skn_takes(&t, &about);
}

/* Every event it wants comes once, in order, with the same bytes. */
static void check_durable(client *c, const sse_frame *f, const skn_json *body)
{
    const lab_event *ev;
    int64_t          id;

    assert_true(skn_str_int(f->id, &id));
    assert_true(id > c->last);
    while (c->next < lab.event_count &&
           (lab.events[c->next].seq <= c->start || !wants(c, &lab.events[c->next])))
        c->next++;
    assert_true(c->next < lab.event_count);
    ev = &lab.events[c->next++];
    assert_int_equal(id, ev->seq);
    assert_true(skn_str_is(f->event, ev->type));
    assert_true(skn_str_is(skn_json_get(body, "data")->raw, ev->data));
    c->last = id;
}

static size_t number_of(const skn_json *data)
{
    int64_t n = -1;

    assert_true(skn_str_int(skn_str_sub(skn_json_get(data, "messageId")->text, 1, 9), &n));
    assert_true(n >= 0 && (size_t)n < message_count);
    return (size_t)n;
}

static void add(char *to, skn_str piece)
{
    size_t n = strlen(to);

    assert_true(n + piece.n < TEXT);
    memcpy(to + n, piece.p, piece.n);
    to[n + piece.n] = '\0';
}

/* It is being written as far as this client can know. */
static void check_open(const client *c, size_t n)
{
    const message *m = &messages[n];

    assert_true(m->started && m->started <= c->last);
    assert_true(!m->ended || m->ended > c->last);
    assert_false(c->filter.no_deltas);
}

static bool is_prefix(const char *part, const char *whole)
{
    return !strncmp(part, whole, strlen(part));
}

static void take_text(client *c, skn_str type, const skn_json *data)
{
    size_t      n = number_of(data);
    view       *v = &c->views[n];
    int64_t     chunk;
    skein_error err;

    check_open(c, n);
    assert_int_equal(skn_json_int(data, "chunk", -1, &chunk, &err), SKEIN_OK);
    if (skn_str_is(type, "message.snapshot")) {
        assert_true(chunk >= 1 && v->chunk == -1); /* one for each connection */
        v->text[0] = v->thinking[0] = '\0';
        add(v->text, skn_json_get(data, "text")->text);
        add(v->thinking, skn_json_get(data, "thinking")->text);
        c->snapshots++;
    } else {
        bool thinking = skn_str_is(skn_json_get(data, "part")->text, "thinking");

        assert_int_equal(chunk, v->chunk == -1 ? 1 : v->chunk + 1);
        add(thinking ? v->thinking : v->text, skn_json_get(data, "text")->text);
        c->deltas++;
    }
    v->chunk = chunk;
    assert_true(is_prefix(v->text, messages[n].text));
    assert_true(is_prefix(v->thinking, messages[n].thinking));
}

static void take_frame(void *arg, const sse_frame *f)
{
    client         *c = arg;
    skn_arena      *a = skn_arena_new();
    const skn_json *body, *data;
    skein_error     err;

    if (skn_json_parse(&body, f->data, "frame", a, &err))
        fail_msg("%s", err.message);
    data = skn_json_get(body, "data");
    if (f->has_id) {
        check_durable(c, f, body);
    } else if (skn_str_is(f->event, "stream.open")) {
        int64_t last;

        assert_int_equal(skn_json_int(data, "lastEventId", -1, &last, &err), SKEIN_OK);
        assert_true(c->start < 0 || last == c->last);
        if (c->start < 0)
            c->start = c->last = last;
    } else if (skn_str_starts(f->event, SKN_STR("message."))) {
        take_text(c, f->event, data);
    } else if (!skn_str_is(f->event, "server.notice")) {
        assert_true(skn_str_is(f->event, "stream.resume"));
        c->resumed = true;
    }
    skn_arena_free(a);
}

static void look(client *c)
{
    if (!c->conn)
        return;
    sse_feed(&c->reader,
             skn_str_sub((skn_str){c->conn->out.p, c->conn->out.n}, c->read, c->conn->taken));
    c->read = c->conn->taken;
    assert_false(c->reader.bad);
}

static void leave(client *c)
{
    if (!c->conn)
        return;
    conn_lose(c->conn, false);
    lab_settle(); /* so that nobody has it any more */
    sse_reader_release(&c->reader);
    lab_conn_free(c->conn);
    c->conn = NULL;
}

static void come(client *c)
{
    if (c->conn && c->conn->lost)
        leave(c);
    if (c->conn)
        return;
    for (size_t i = 0; i < MESSAGES; i++)
        c->views[i] = (view){.chunk = -1};
    sse_reader_init(&c->reader, take_frame, c);
    c->read = 0;
    c->connections++;
    c->conn = lab_stream(c->filter, c->last);
    c->conn->at_once = chance(2);
}

/* --- What happens ------------------------------------------------------------------------------- */

static void start_message(void)
{
    message *m = &messages[message_count];

    if (message_count == MESSAGES)
        return;
    *m = (message){.chat = 1 + (int64_t)chance(2)};
    m->started = lab_commit(m->chat, "message.started", "q1", "{\"messageId\":\"m%zu\"}",
                            message_count++);
}

static void end_message(message *m)
{
    static const char *const ends[] = {"message.completed", "message.failed",
                                       "message.withdrawn"};

    if (!m->started || m->ended)
        return;
    m->ended = lab_commit(m->chat, ends[chance(3)], "q1",
                          "{\"messageId\":\"m%zu\",\"length\":%zu}", (size_t)(m - messages),
                          strlen(m->text));
}

/* Also behind the end: whoever writes learns of it late. */
static void tell(message *m)
{
    static const char *const pieces[] = {"a", "bc", "def ", "\xc3\xa4", "\n"};
    char                     id[16];
    const char              *piece = pieces[chance(5)];
    bool                     thinking = chance(4) == 0;
    char                    *text = thinking ? m->thinking : m->text;

    if (!m->started || (m->ended && chance(10)) || strlen(text) + 8 > TEXT)
        return;
    snprintf(id, sizeof id, "m%zu", (size_t)(m - messages));
    add(text, skn_str_of(piece));
    lab_tell(m->chat, id, thinking ? "thinking" : "text", piece);
}

/* Timers only: what they ask for is done when it is done. */
static void tick(int64_t ms)
{
    int64_t    until = lab.now + ms;
    skn_timer *t;

    while ((t = lab_due(until))) {
        lab.now = t->at > lab.now ? t->at : lab.now;
        t->on = false;
        t->fn(t->arg);
    }
    lab.now = until;
}

static void change_something(void)
{
    message *m = message_count ? &messages[chance((unsigned)message_count)] : NULL;

    switch (chance(8)) {
    case 0:
        start_message();
        break;
    case 1:
        if (m && chance(3) == 0)
            end_message(m);
        break;
    case 2:
        lab_commit(chance(3), chance(2) ? "chat.updated" : "thread.created", "", "{\"n\":%u}",
                   chance(100));
        break;
    default:
        for (unsigned i = chance(6); m && i > 0; i--)
            tell(m);
    }
}

static void do_something(void)
{
    client *c = &clients[chance(CLIENTS)];

    switch (chance(10)) {
    case 0:
    case 1:
    case 2:
        change_something();
        break;
    case 3:
        skn_hub_nudge(lab.http.hub);
        break;
    case 4:
    case 5:
        lab_step_any(chance(1000));
        break;
    case 6:
        if (lab.post_count)
            lab_step();
        break;
    case 7:
        tick((int64_t)chance(40));
        break;
    case 8:
        if (c->conn)
            conn_take(c->conn, c->patient ? SIZE_MAX : chance(700));
        look(c);
        break;
    default:
        if (!c->patient && chance(6) == 0)
            leave(c);
        else
            come(c);
    }
}

/* --- What must hold ----------------------------------------------------------------------------- */

static void take_all(void)
{
    for (int round = 0; round < 60; round++) {
        lab_wait(40);
        for (size_t i = 0; i < CLIENTS; i++) {
            come(&clients[i]);
            conn_take(clients[i].conn, SIZE_MAX);
            look(&clients[i]);
        }
    }
}

static void check_views(const client *c)
{
    for (size_t n = 0; n < message_count; n++) {
        const message *m = &messages[n];
        skn_taking     t = {.filter = c->filter};
        skn_about about = {.world = {1}, .chat = {m->chat}, .type = SKN_STR("message.delta")};

        if (m->ended || c->filter.no_deltas || !skn_takes(&t, &about))
            continue;
        assert_string_equal(c->views[n].text, m->text);
        assert_string_equal(c->views[n].thinking, m->thinking);
    }
}

static void check_all(void)
{
    for (size_t i = 0; i < CLIENTS; i++) {
        client *c = &clients[i];

        for (size_t k = c->next; k < lab.event_count; k++)
            assert_true(lab.events[k].seq <= c->start || !wants(c, &lab.events[k]));
        check_views(c);
    }
}

static void prepare(unsigned number)
{
    static const skn_stream_filter filters[] = {
        {.chat = {0}},       {.world = {1}, .chat = {2}}, {.types = {"message", 7}},
        {.no_deltas = true}, {.types = {"thread", 6}},
    };

    seed = number * 2654435761u + 1;
    lab_open();
    lab.http.hub->most = 4 + chance(30);
    lab.http.hub->enough = 50 + chance(1000);
    lab.enough = lab.http.hub->enough + chance(500);
    lab.http.options.stream_backlog = chance(2) ? 3000 : 0;
    message_count = 0;
    memset(clients, 0, sizeof clients);
    for (size_t i = 0; i < CLIENTS; i++) {
        clients[i].filter = filters[i % 5];
        clients[i].patient = i == 0;
        clients[i].start = clients[i].last = -1;
    }
}

static void nobody_misses_anything_or_gets_it_twice(void **state)
{
    int cuts = 0, deltas = 0, snapshots = 0;

    (void)state;
    for (unsigned number = 0; number < 300 / SKN_TEST_SHARE; number++) {
        prepare(number);
        for (int step = 0; step < 3000; step++)
            do_something();
        take_all();
        check_all();
        for (size_t i = 0; i < CLIENTS; i++) {
            cuts += clients[i].connections - 1;
            deltas += clients[i].deltas;
            snapshots += clients[i].snapshots;
            leave(&clients[i]);
        }
        lab_close();
        assert_int_equal(lab.conns, 0);
    }
    assert_true(cuts > 5000 / SKN_TEST_SHARE && deltas > 10000 / SKN_TEST_SHARE &&
                snapshots > 5000 / SKN_TEST_SHARE);
    print_message("# %d cuts, %d deltas, %d snapshots\n", cuts, deltas, snapshots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_misses_anything_or_gets_it_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
