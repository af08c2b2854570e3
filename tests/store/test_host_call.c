/* The API in the process of a host: the same operations and answers as over HTTP, without a server. */
#include "store/kit.h"

#include "base/arena.h"
#include "base/json.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* One request; headers as "Name: value", or NULL. */
static skein_answer ask(kit *k, const char *method, const char *path, const char *header,
                        const char *body)
{
    skein_request request = SKEIN_REQUEST_INIT;
    skein_header  one = {{NULL, 0}, {NULL, 0}};
    skein_answer  out;
    const char   *colon = header ? strchr(header, ':') : NULL;
    skein_rc      rc;

    request.method = skein_text(method);
    request.path = skein_text(path);
    request.body = skein_text(body);
    if (colon) {
        one = (skein_header){{header, (size_t)(colon - header)}, skein_text(colon + 2)};
        request.headers = &one;
        request.header_count = 1;
    }
    rc = skein_call(k->e, &request, k->mem, &out, &k->err);
    assert_int_equal(rc == SKEIN_OK, out.status < 400);
    assert_int_equal(rc, k->err.rc);
    return out;
}

static const char *header_of(const skein_answer *a, const char *name)
{
    for (size_t i = 0; i < a->header_count; i++)
        if (skn_str_is_word(a->headers[i].name, name))
            return a->headers[i].value.p;
    return "";
}

static const char *member(kit *k, const skein_answer *a, const char *name)
{
    const skn_json *v;
    skn_str         text;

    KIT_OK(k, skn_json_parse(&v, a->body, "the answer", k->mem, &k->err));
    KIT_OK(k, skn_json_text(v, name, &text, &k->err));
    return text.p ? skn_arena_copy(k->mem, text).p : "";
}

static const char *path(kit *k, const char *rest)
{
    return skn_arena_printf(k->mem, "/worlds/lab/%s", rest).p;
}

static void what_is_posted_edited_and_taken_back_is_what_the_engine_has(void **state)
{
    kit          k;
    skein_answer a;
    const char  *id, *edit;

    kit_open(&k, state);
    a = ask(&k, "POST", path(&k, "messages"), NULL, "{\"content\":\"hello\"}");
    assert_int_equal(a.status, 202);
    id = member(&k, &a, "messageId");
    assert_string_equal(kit_texts(&k, "main", 0), "hello");
    edit = skn_arena_printf(
               k.mem,
               "{\"op\":\"amend\",\"messageId\":\"%s\",\"content\":\"hi\",\"force\":true}", id)
               .p;
    a = ask(&k, "GET", path(&k, skn_arena_printf(k.mem, "chats/%s", k.chat.uid.p).p), NULL,
            NULL);
    assert_int_equal(a.status, 200);
    a = ask(&k, "POST",
            path(&k, skn_arena_printf(k.mem, "chats/%s/operations", k.chat.uid.p).p),
            skn_arena_printf(k.mem, "if-match: %s", header_of(&a, "ETag")).p, edit);
    assert_int_equal(a.status, 201);
    assert_string_equal(kit_texts(&k, "main", 0), "hi");
    a = ask(&k, "PUT",
            path(&k, skn_arena_printf(k.mem, "chats/%s/currentThread", k.chat.uid.p).p),
            "If-Match: *", "{\"move\":\"undo\"}");
    assert_int_equal(a.status, 200);
    assert_string_equal(kit_texts(&k, "main", 0), "hello");
    kit_close(&k);
}

static const char *chat_path(kit *k, const char *rest)
{
    return path(k, skn_arena_printf(k->mem, "chats/%s%s", k->chat.uid.p, rest).p);
}

static int patch(kit *k, const char *tag, const char *body)
{
    return ask(k, "PATCH", chat_path(k, ""), skn_arena_printf(k->mem, "If-Match: %s", tag).p,
               body)
        .status;
}

static void a_chat_is_changed_only_as_it_was_read(void **state)
{
    static const char *const bodies[] = {"{\"title\":\"one\"}", "{\"readOnly\":true}",
                                         "{\"replyExpected\":\"ada\"}", "{\"title\":null}"};
    kit                      k;
    skein_answer             a, some;
    const char              *old, *said;

    kit_open(&k, state);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        a = ask(&k, "GET", chat_path(&k, ""), NULL, NULL);
        old = header_of(&a, "ETag");
        some = ask(&k, "GET", chat_path(&k, "?fields=id"), NULL, NULL);
        assert_string_equal(header_of(&some, "ETag"), old);
        a = ask(&k, "PATCH", chat_path(&k, ""), skn_arena_printf(k.mem, "If-Match: %s", old).p,
                bodies[i]);
        assert_int_equal(a.status, 200);
        assert_string_not_equal(header_of(&a, "ETag"), old);
        assert_int_equal(patch(&k, old, "{\"title\":\"late\"}"), 412);
        assert_int_equal(patch(&k, header_of(&a, "ETag"), bodies[i]), 200);
    }
    /* The state alone is what was said, and an edit asks for nothing else. */
    said = skn_arena_printf(k.mem, "\"%s.%d\"", k.chat.thread_uid.p, (int)k.chat.length).p;
    assert_int_equal(patch(&k, said, "{\"title\":\"two\"}"), 200);
    kit_close(&k);
}

static void a_chat_that_somebody_changed_meanwhile_is_not_overwritten(void **state)
{
    kit                       k;
    skein_conversation_change what = {.set_title = true, .title = skein_text("mine")};

    kit_open(&k, state);
    what.was = &k.chat;
    KIT_OK(&k, skein_conversation_rename(k.e, k.chat.id, skein_text("theirs"), &k.err));
    assert_int_equal(skein_conversation_set(k.e, k.chat.id, &what, &k.err),
                     SKEIN_VERSION_CHANGED);
    KIT_OK(&k, skein_conversation_get(k.e, k.chat.id, k.mem, &k.chat, &k.err));
    assert_string_equal(k.chat.title.p, "theirs");
    KIT_OK(&k, skein_conversation_set(k.e, k.chat.id, &what, &k.err));
    kit_close(&k);
}

static void context_files_are_looked_into_where_the_host_says(void **state)
{
    kit           k;
    skein_request request = SKEIN_REQUEST_INIT;
    skein_answer  a;
    char          file[300];
    FILE         *f;

    kit_open(&k, state);
    f = fopen(skn_fixture_file(k.fx, "here.txt", file), "w");
    assert_non_null(f);
    fclose(f);
    a = ask(&k, "PUT", chat_path(&k, "/context-files"), NULL,
            "{\"files\":[{\"path\":\"here.txt\"},{\"path\":\"gone.txt\"}]}");
    assert_int_equal(a.status, 200);
    assert_null(strstr(a.body.p, "detail"));
    request.method = skein_text("GET");
    request.path = skein_text(chat_path(&k, "/context-files"));
    request.files = skein_text(k.fx->dir);
    KIT_OK(&k, skein_call(k.e, &request, k.mem, &a, &k.err));
    assert_null(strstr(strstr(a.body.p, "gone.txt"), "here.txt"));
    assert_non_null(strstr(strstr(a.body.p, "gone.txt"), "detail"));
    request.size = offsetof(skein_request, files); /* who was compiled before there were any */
    KIT_OK(&k, skein_call(k.e, &request, k.mem, &a, &k.err));
    assert_null(strstr(a.body.p, "detail"));
    kit_close(&k);
}

/* --- Little memory ------------------------------------------------------------------------------ */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { MB = 1024 * 1024, LARGE = 24 };

static rlim_t in_use(void)
{
    FILE         *f = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (!f || fscanf(f, "%lu", &pages) != 1)
        _exit(9);
    fclose(f);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* 0: every answer was whole, or a 503; and both were given. */
static int read_with_little(const char *address, const char *where)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_request request = SKEIN_REQUEST_INIT;
    skein_engine *e;
    skein_error   err;
    int           whole = 0, refused = 0;

    options.store = skein_text(address);
    if (skein_open(&e, &options, &err))
        return 8;
    request.method = skein_text("GET");
    request.path = skein_text(where);
    for (rlim_t more = 24; more <= 192; more += 12) {
        skein_mem    *mem = skein_mem_new();
        struct rlimit limit = {in_use() + more * MB, RLIM_INFINITY};
        skein_answer  a;

        setrlimit(RLIMIT_AS, &limit);
        skein_call(e, &request, mem, &a, &err);
        whole += a.status == 200 && a.body.n > (size_t)LARGE * MB;
        refused += a.status == 503 && strstr(a.body.p, "OVERLOADED");
        setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
        skein_mem_free(mem);
    }
    return whole + refused == 15 && whole && refused ? 0 : 7;
}

static void an_answer_that_finds_no_memory_fails_alone(void **state)
{
    kit               k;
    skein_new_message m = {.role = SKEIN_USER};
    skein_messages    out;
    const char       *where;
    int               status = 0;
    pid_t             child;

    kit_open(&k, state);
    m.content = (skein_str){memset(malloc(MB), 'x', MB), MB};
    for (int i = 0; i < LARGE; i++)
        KIT_OK(&k, kit_append(&k, &m, 1, &out));
    where = chat_path(&k, "/messages?limit=500");
    if ((child = fork()) == 0)
        _exit(read_with_little(k.fx->address, where));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    free((void *)(uintptr_t)m.content.p);
    kit_close(&k);
}
#endif

static void what_fails_says_why_and_changes_nothing(void **state)
{
    static const struct {
        const char *method, *path, *body;
        int         status;
        const char *code;
    } rows[] = {
        {"GET", "/worlds/nowhere", NULL, 404, "WORLD_NOT_FOUND"},
        {"GET", "/nothing", NULL, 404, "NOT_FOUND"},
        {"DELETE", "/worlds", NULL, 405, "METHOD_NOT_ALLOWED"},
        {"POST", "/worlds/lab/messages", "{\"content\":", 400, "VALIDATION_ERROR"},
        {"POST", "/worlds/lab/messages", "{\"content\":3}", 400, "VALIDATION_ERROR"},
        {"GET", "/worlds/%zz", NULL, 400, "BAD_REQUEST"},
        {"GET", "/providers", NULL, 501, "SERVER_NEEDED"},
        {"GET", "/settings", NULL, 501, "SERVER_NEEDED"},
        {"GET", "", NULL, 404, "NOT_FOUND"},
        {"POST", "/worlds/lab/messages", "{\"content\":\"x\",\"stream\":true}", 501,
         "SERVER_NEEDED"},
    };
    kit         k;
    const char *before;

    kit_open(&k, state);
    before = kit_state(&k);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        skein_answer a = ask(&k, rows[i].method, rows[i].path, NULL, rows[i].body);

        assert_int_equal(a.status, rows[i].status);
        assert_string_equal(member(&k, &a, "code"), rows[i].code);
        assert_string_equal(a.type.p, "application/problem+json");
    }
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

static void methods_are_those_of_http(void **state)
{
    kit          k;
    skein_answer a;

    kit_open(&k, state);
    a = ask(&k, "HEAD", "/worlds", NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.body.n, 0);
    a = ask(&k, "OPTIONS", "/worlds", NULL, "{");
    assert_int_equal(a.status, 204);
    assert_string_equal(header_of(&a, "Allow"), "POST, HEAD, GET, OPTIONS");
    assert_int_equal(ask(&k, "GET", "/events", "Accept: text/event-stream", NULL).status, 501);
    a = ask(&k, "GET", "/problems/server-needed", NULL, NULL);
    assert_non_null(strstr(a.body.p, "skein serve"));
    kit_close(&k);
}

/* Its conversation comes with its first turn. */
static void a_task_that_nobody_has_begun_does_not_keep_others_from_being_stopped(void **state)
{
    kit          k;
    skein_answer a;

    kit_open(&k, state);
    assert_int_equal(ask(&k, "POST", path(&k, "agents"), NULL, "{\"name\":\"fay\"}").status,
                     201);
    a = ask(&k, "POST", path(&k, "agents/fay/tasks"), NULL, "{\"content\":\"count\"}");
    assert_int_equal(a.status, 201);
    a = ask(&k, "POST", path(&k, "messages"), NULL, "{\"content\":\"@fay hello\"}");
    assert_int_equal(a.status, 202);
    a = ask(&k, "POST", path(&k, "messages/stop"), NULL, "{}");
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.body.p, "\"stopped\":1,"));
    kit_close(&k);
}

static void the_same_key_does_it_once(void **state)
{
    kit          k;
    skein_answer first, again;

    kit_open(&k, state);
    first = ask(&k, "POST", "/worlds", "Idempotency-Key: k1", "{\"name\":\"other\"}");
    again = ask(&k, "POST", "/worlds", "idempotency-key: k1", "{\"name\":\"other\"}");
    assert_int_equal(first.status, 201);
    assert_int_equal(again.status, 201);
    assert_string_equal(first.body.p, again.body.p);
    assert_string_equal(header_of(&again, "Idempotency-Replayed"), "true");
    assert_int_equal(
        ask(&k, "POST", "/worlds", "Idempotency-Key: k1", "{\"name\":\"third\"}").status, 422);
    kit_close(&k);
}

static void what_a_host_has_is_not_read_again(void **state)
{
    kit          k;
    skein_answer a;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "hello");
    a = ask(&k, "GET", path(&k, "messages?limit=1"), NULL, NULL);
    assert_non_null(strstr(a.body.p, "hello"));
    a = ask(&k, "GET", path(&k, "messages?limit=1"),
            skn_arena_printf(k.mem, "If-None-Match: %s", header_of(&a, "ETag")).p, NULL);
    assert_int_equal(a.status, 304);
    assert_int_equal(a.body.n, 0);
    kit_close(&k);
}

typedef struct asker {
    const char        *address;
    pthread_barrier_t *together;
    int                status;
} asker;

static void *make_chat(void *arg)
{
    asker        *a = arg;
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_header  key = {SKN_STR("Idempotency-Key"), SKN_STR("one")};
    skein_request request = SKEIN_REQUEST_INIT;
    skein_mem    *mem = skein_mem_new();
    skein_engine *e = NULL;
    skein_answer  out = {0};

    options.store = skein_text(a->address);
    if (skein_open(&e, &options, NULL) == SKEIN_OK) {
        request.method = skein_text("POST");
        request.path = skein_text("/worlds/lab/chats");
        request.headers = &key;
        request.header_count = 1;
        request.body = skein_text("{\"title\":\"once\"}");
        pthread_barrier_wait(a->together);
        (void)skein_call(e, &request, mem, &out, NULL);
        a->status = out.status;
    }
    skein_close(e);
    skein_mem_free(mem);
    return NULL;
}

/* Each with an engine of its own, as programs have. */
static void of_requests_with_one_key_at_the_same_time_one_is_done(void **state)
{
    enum { ASKERS = 4 };
    kit                 k;
    pthread_barrier_t   together;
    pthread_t           threads[ASKERS];
    asker               all[ASKERS];
    skein_conversations chats;
    size_t              before;

    kit_open(&k, state);
    KIT_OK(&k, skein_conversation_list(k.e, k.world.id, k.mem, &chats, &k.err));
    before = chats.count;
    pthread_barrier_init(&together, NULL, ASKERS);
    for (int i = 0; i < ASKERS; i++) {
        all[i] = (asker){k.fx->address, &together, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, make_chat, &all[i]), 0);
    }
    for (int i = 0; i < ASKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < ASKERS; i++)
        assert_true(all[i].status == 201 || all[i].status == 409);
    KIT_OK(&k, skein_conversation_list(k.e, k.world.id, k.mem, &chats, &k.err));
    assert_int_equal(chats.count, before + 1);
    pthread_barrier_destroy(&together);
    kit_close(&k);
}

/* --- Waiting ----------------------------------------------------------------------------------- */

typedef struct waiter {
    skein_engine *e;
    int64_t       after, newest;
    skein_rc      rc;
} waiter;

static void *wait_there(void *arg)
{
    waiter *w = arg;

    w->rc = skein_wait(w->e, w->after, 60000, &w->newest, NULL);
    return NULL;
}

static void who_waits_hears_of_what_another_engine_did(void **state)
{
    kit           k;
    skein_options options = SKEIN_OPTIONS_INIT;
    waiter        w = {0};
    int64_t       newest, forgotten;
    pthread_t     thread;

    kit_open(&k, state);
    options.store = skein_text(k.fx->address);
    KIT_OK(&k, skein_open(&w.e, &options, &k.err));
    KIT_OK(&k, skein_events_span(k.e, &w.after, &forgotten, &k.err));
    KIT_OK(&k, skein_wait(w.e, w.after, 0, &newest, &k.err));
    assert_int_equal(newest, w.after);
    assert_int_equal(pthread_create(&thread, NULL, wait_there, &w), 0);
    assert_int_equal(ask(&k, "POST", path(&k, "messages"), NULL, "{\"content\":\"hi\"}").status,
                     202);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(w.rc, SKEIN_OK);
    assert_true(w.newest > w.after);
    assert_non_null(strstr(
        ask(&k, "GET", skn_arena_printf(k.mem, "/events?after=%lld", (long long)w.after).p,
            NULL, NULL)
            .body.p,
        "message.created"));
    skein_close(w.e);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(what_is_posted_edited_and_taken_back_is_what_the_engine_has),
        SKN_BOTH(a_chat_is_changed_only_as_it_was_read),
        SKN_BOTH(a_chat_that_somebody_changed_meanwhile_is_not_overwritten),
        SKN_BOTH(context_files_are_looked_into_where_the_host_says),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        SKN_ON_SQLITE(an_answer_that_finds_no_memory_fails_alone),
#endif
        SKN_BOTH(what_fails_says_why_and_changes_nothing),
        SKN_BOTH(methods_are_those_of_http),
        SKN_BOTH(a_task_that_nobody_has_begun_does_not_keep_others_from_being_stopped),
        SKN_BOTH(the_same_key_does_it_once),
        SKN_BOTH(of_requests_with_one_key_at_the_same_time_one_is_done),
        SKN_BOTH(what_a_host_has_is_not_read_again),
        SKN_BOTH(who_waits_hears_of_what_another_engine_did),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
