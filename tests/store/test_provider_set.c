/* The providers of a server: found, set up, asked, changed, recorded; and no key where none may be. */
#include "config/secrets.h"
#include "serve/provider_set.h"
#include "store/fixture.h"
#include "unit/peer_kit.h"

#include <dirent.h>
#include <sys/stat.h>

#define KEY    "sk-planted-0123456789abcdef"
#define SSE    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
#define SAY(t) "data: {\"choices\":[{\"delta\":{\"content\":\"" t "\"}}]}\n\n"
#define END                                                                                    \
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
#define JSON(t)                                                                                \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" t
#define NO_KEY_401                                                                             \
    "HTTP/1.1 401 No\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"           \
    "{\"error\":{\"message\":\"Incorrect API key provided: " KEY "\"}}"

typedef struct lab {
    skn_fixture             *fx;
    skein_engine            *engine;
    skn_loop                *loop;
    skn_net                 *net;
    skn_workers             *workers;
    skn_arena               *a;
    skn_timer               *guard;
    skn_provider_set        *set;
    skn_provider_set_options o;
    const char              *vars[6];
    int                      changes, waiting;
    bool                     late;
    skein_error              err;
    const char              *at;
    skn_buf                  text;
    skn_answer               answer;
    skn_models               models;
    char                     names[200];
} lab;

static const char *get_var(void *arg, const char *name)
{
    lab *l = arg;

    for (size_t i = 0; i + 1 < 6 && l->vars[i]; i += 2)
        if (!strcmp(l->vars[i], name))
            return l->vars[i + 1];
    return NULL;
}

static void on_changed(void *arg)
{
    ((lab *)arg)->changes++;
}

static void too_late(void *arg)
{
    lab *l = arg;

    l->late = true;
    skn_loop_stop(l->loop);
}

static void begin(lab *l, void **state)
{
    skein_options options = SKEIN_OPTIONS_INIT;

    memset(l, 0, sizeof *l);
    l->fx = skn_fixture_of(state);
    options.store = skein_text(l->fx->address);
    SKN_OK(skein_open(&l->engine, &options, &l->err), l->err);
    l->loop = skn_loop_new();
    l->net = skn_net_new(l->loop);
    l->workers = skn_workers_new(l->loop, 2);
    l->a = skn_arena_new();
    l->guard = skn_timer_new(l->loop, too_late, l);
    skn_buf_init(&l->text, 1 << 16);
    l->o = (skn_provider_set_options){.loop = l->loop,
                                      .net = l->net,
                                      .workers = l->workers,
                                      .engine = l->engine,
                                      .data_dir = l->fx->dir,
                                      .ports = {1, 1, 1, 1}, /* nobody is there */
                                      .env = get_var,
                                      .env_arg = l,
                                      .changed = on_changed,
                                      .arg = l};
}

/* Runs until all that was begun has ended. */
static void wait_for_all(lab *l)
{
    skn_timer_start(l->guard, 20000);
    if (l->waiting)
        skn_loop_run(l->loop);
    skn_timer_stop(l->guard);
    if (l->late)
        fail_msg("still waiting for %d things", l->waiting);
}

static void one_less(lab *l)
{
    if (--l->waiting == 0)
        skn_loop_stop(l->loop);
}

static void on_found(void *arg, const skn_detected *found)
{
    assert_non_null(found);
    one_less(arg);
}

static skn_config *config_of(lab *l, const char *yaml)
{
    char              *path = skn_arena_alloc(l->a, 300); /* the configuration borrows it */
    skn_config_sources from = {.file = skn_fixture_file(l->fx, "skein.yaml", path)};
    FILE              *out = fopen(path, "w");
    skn_config        *c;

    assert_non_null(out);
    assert_true(fputs(yaml, out) >= 0);
    fclose(out);
    assert_int_equal(chmod(path, 0600), 0);
    c = skn_config_read(&from, l->a);
    assert_int_equal(c->errors, 0);
    unlink(path);
    return c;
}

static void open_set(lab *l, const char *yaml)
{
    const skn_scripted_options o = {.script = skn_script_tour(), .no_delay = true};
    const skn_config          *c = config_of(l, yaml);

    l->o.demo = skn_scripted_new(l->loop, &o);
    skn_secrets_grant(skn_engine_env_rule(l->engine), c);
    SKN_OK(skn_provider_set_new(&l->set, &l->o, c, &l->err), l->err);
    assert_null(skn_provider_set_found(l->set));
    l->waiting++;
    skn_provider_set_detect(l->set, on_found, l);
    wait_for_all(l);
    assert_non_null(skn_provider_set_found(l->set));
}

static void end(lab *l)
{
    skn_workers_free(l->workers);
    skn_provider_set_free(l->set);
    skn_timer_free(l->guard);
    skn_net_free(l->net);
    skn_loop_free(l->loop);
    skn_buf_release(&l->text);
    skn_arena_free(l->a);
    skein_close(l->engine);
}

/* --- Asking ------------------------------------------------------------------------------------- */

static void on_delta(void *arg, skn_part part, skn_str text)
{
    if (part != SKN_PART_ARGS)
        skn_buf_add(&((lab *)arg)->text, text);
}

static void on_call(void *arg, const skein_tool_call *call)
{
    (void)arg, (void)call;
}

static void on_done(void *arg, const skn_answer *answer)
{
    lab *l = arg;

    l->answer = *answer;
    one_less(l);
}

static skn_asking *ask(lab *l, const char *name, const char *question)
{
    const skn_answer_sink sink = {
        .delta = on_delta, .call = on_call, .done = on_done, .arg = l};
    skein_prompt_message message = {.role = SKEIN_USER, .text = skn_str_of(question)};
    skein_context        context = {.at = &message, .count = 1};
    skn_ask              what = {.model = SKN_STR("m"),
                                 .context = &context,
                                 .id = SKN_STR("m1"),
                                 .said = message.text,
                                 .temperature = -1};
    skn_provider        *p = skn_provider_set_find(l->set, skn_str_of(name));

    assert_non_null(p);
    skn_buf_clear(&l->text);
    memset(&l->answer, 0, sizeof l->answer);
    l->waiting++;
    return skn_ask_model(p, &what, &sink);
}

static const char *said(lab *l, const char *name, const char *question)
{
    ask(l, name, question);
    wait_for_all(l);
    return l->text.n ? l->text.p : "";
}

/* --- Changing ----------------------------------------------------------------------------------- */

static void on_changed_it(void *arg, const skein_error *err)
{
    lab *l = arg;

    l->err = *err;
    one_less(l);
}

static skein_rc put(lab *l, const char *name, const char *body, skn_provider_put how)
{
    const skn_json *v;
    skein_rc        rc;

    SKN_OK(skn_json_parse(&v, skn_str_of(body), "body", l->a, &l->err), l->err);
    memset(&l->err, 0, sizeof l->err);
    rc = skn_provider_set_put(l->set, skn_str_of(name), v, how, NULL, on_changed_it, l, &l->at,
                              &l->err);
    if (rc)
        return rc;
    l->waiting++;
    wait_for_all(l);
    return l->err.rc;
}

static const char *at_port(lab *l, const char *form, int port)
{
    char      text[12];
    skn_str   s = skn_str_of(form);
    ptrdiff_t i = skn_str_find(s, SKN_STR("PORT"));

    snprintf(text, sizeof text, "%d", port);
    return skn_arena_printf(l->a, "%.*s%s%s", (int)i, form, text, form + i + 4).p;
}

static skn_provider_info info_of(lab *l, const char *name)
{
    skn_provider_info info;

    assert_true(skn_provider_set_get(l->set, skn_str_of(name), l->a, &info));
    return info;
}

static const char *state_of(lab *l, const char *name)
{
    return skn_provider_state_word(info_of(l, name).state);
}

static void on_models(void *arg, const skn_models *models)
{
    lab    *l = arg;
    skn_buf names;

    skn_buf_init(&names, sizeof l->names - 1);
    for (size_t i = 0; i < models->count; i++)
        skn_buf_addf(&names, "%.*s;", SKN_FMT(models->at[i].name));
    snprintf(l->names, sizeof l->names, "%s", names.n ? names.p : "");
    skn_buf_release(&names);
    l->models = *models;
    one_less(l);
}

static const char *models_of(lab *l, const char *name, bool fresh)
{
    l->waiting++;
    skn_provider_set_models(l->set, skn_str_of(name), fresh, on_models, l);
    wait_for_all(l);
    return l->names;
}

/* How many files under the folder hold the key. */
static int planted(lab *l, const char *folder)
{
    DIR           *dir = opendir(folder);
    struct dirent *e;
    int            found = 0;

    while (dir && (e = readdir(dir))) {
        const char *path = skn_arena_printf(l->a, "%s/%s", folder, e->d_name).p;
        char        bytes[4096 + sizeof KEY] = "";
        FILE       *f;
        size_t      n;

        if (e->d_name[0] == '.')
            continue;
        found += planted(l, path);
        f = fopen(path, "rb");
        while (f && (n = fread(bytes, 1, sizeof bytes, f)) >= sizeof KEY - 1) {
            for (size_t i = 0; i + sizeof KEY - 1 <= n; i++)
                if (!memcmp(bytes + i, KEY, sizeof KEY - 1)) {
                    found++;
                    fseek(f, 0, SEEK_END);
                    break;
                }
            if (n == sizeof bytes)
                fseek(f, -(long)sizeof KEY, SEEK_CUR);
            else
                break;
        }
        if (f)
            fclose(f);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* Every text that there is of a provider. */
static void write_info(skn_jw *w, const skn_provider_info *p)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "name", p->name);
    skn_jw_kstr(w, "type", p->type);
    skn_jw_kstr(w, "baseUrl", p->base_url);
    skn_jw_key(w, "key");
    skn_jw_object(w);
    skn_jw_kstr(w, "tail", p->key_tail);
    skn_jw_kstr(w, "source", p->key_source);
    skn_jw_object_end(w);
    skn_jw_kstr(w, "origin", p->origin);
    skn_jw_kstr(w, "problem", p->problem);
    skn_jw_kstr(w, "hint", p->hint);
    skn_jw_object_end(w);
}

/* All that is shown of the providers, and all settings. */
static const char *shown(lab *l)
{
    skn_provider_info *list;
    skein_settings     settings;
    size_t             count;
    skn_buf            out;
    skn_jw             w;
    const char        *text;

    skn_buf_init(&out, 1 << 20);
    skn_jw_init(&w, &out);
    skn_jw_array(&w);
    skn_provider_set_list(l->set, l->a, &list, &count);
    for (size_t i = 0; i < count; i++)
        write_info(&w, &list[i]);
    skn_detected_shape(&w, skn_provider_set_found(l->set));
    SKN_OK(skein_setting_list(l->engine, l->a, &settings, &l->err), l->err);
    for (size_t i = 0; i < settings.count; i++)
        skn_jw_raw(&w, settings.at[i].value);
    skn_jw_array_end(&w);
    text = skn_arena_copy(l->a, skn_buf_str(&out)).p;
    skn_buf_release(&out);
    return text;
}

/* --- Tests -------------------------------------------------------------------------------------- */

static void a_local_server_is_found_and_its_newest_model_is_taken(void **state)
{
    static const peer_reply replies[] = {
        {JSON("{\"version\":\"0.12.3\"}"), PEER_CLOSE, 0, 0},
        {JSON("{\"models\":[{\"name\":\"old\",\"modified_at\":\"2025-01-01T00:00:00Z\"},"
              "{\"name\":\"nomic-embed-text\",\"modified_at\":\"2025-09-01T00:00:00Z\"},"
              "{\"name\":\"new:7b\",\"modified_at\":\"2025-06-01T00:00:00Z\"}]}"),
         PEER_CLOSE, 0, 0},
    };
    lab  l;
    peer p;

    begin(&l, state);
    peer_open(&p, replies, 2);
    l.o.ports[0] = p.port;
    open_set(&l, "");
    assert_string_equal(skn_provider_set_default_model(l.set).p, "ollama/new:7b");
    assert_string_equal(state_of(&l, "ollama"), "up");
    assert_true(skn_str_is(info_of(&l, "ollama").version, "0.12.3"));
    assert_string_equal(state_of(&l, "lmstudio"), "not-there");
    assert_non_null(strstr(shown(&l), "\"name\":\"ollama\",\"label\":\"Ollama\""));
    assert_string_equal(models_of(&l, "ollama", false), "nomic-embed-text;new:7b;old;");
    end(&l);
    peer_close(&p);
}

static void without_anything_the_scripted_one_answers(void **state)
{
    lab l;

    begin(&l, state);
    open_set(&l, "");
    assert_string_equal(skn_provider_set_default_model(l.set).p, "demo/scripted");
    assert_null(skn_provider_set_find(l.set, SKN_STR("nobody")));
    assert_string_equal(models_of(&l, "demo", true), "scripted;");
    assert_string_equal(models_of(&l, "nobody", true), "");
    assert_int_equal(l.models.error.rc, SKEIN_NOT_FOUND);
    said(&l, "ollama", "hello"); /* who names it is told that it does not run */
    assert_int_equal(l.answer.state, SKN_ASK_UNREACHABLE);
    end(&l);
}

static void an_ollama_without_a_clear_address_is_told_and_not_asked(void **state)
{
    lab  l;
    peer p;
    char host[64];

    begin(&l, state);
    peer_open(&p, &(peer_reply){JSON("{\"version\":\"0.12.3\"}"), PEER_CLOSE, 0, 0}, 1);
    snprintf(host, sizeof host, "http://127.0.0.1:x@127.0.0.1:%d", p.port);
    l.vars[0] = "OLLAMA_HOST";
    l.vars[1] = host;
    open_set(&l, "");
    assert_string_equal(state_of(&l, "ollama"), "failed");
    assert_non_null(strstr(info_of(&l, "ollama").problem.p, "OLLAMA_HOST is not an address"));
    assert_false(info_of(&l, "ollama").local);
    assert_false(skn_provider_set_found(l.set)->servers[0].answered);
    said(&l, "ollama", "hello");
    assert_non_null(strstr(shown(&l), "\"answered\":false,\"problem\":\"OLLAMA_HOST is no"));
    assert_null(strstr(shown(&l), host));
    end(&l);
    assert_int_equal(p.connections, 0);
    peer_close(&p);
}

static void looking_can_be_switched_off(void **state)
{
    lab l;

    begin(&l, state);
    l.vars[0] = "OPENAI_API_KEY";
    l.vars[1] = KEY;
    open_set(&l, "detect:\n  local: false\n  environment: false\n");
    assert_false(skn_provider_set_found(l.set)->looked_local);
    assert_string_equal(state_of(&l, "openai"), "no-key");
    assert_null(strstr(shown(&l), "OPENAI_API_KEY"));
    end(&l);
}

static void nothing_is_sent_before_somebody_says_so(void **state)
{
    lab l;

    begin(&l, state);
    l.vars[0] = "OPENAI_API_KEY";
    l.vars[1] = KEY;
    open_set(&l, "");
    said(&l, "openai", "hello");
    assert_int_equal(l.answer.state, SKN_ASK_NO_KEY);
    assert_int_equal(l.answer.tries, 0);
    assert_string_equal(l.answer.error.hint,
                        "OPENAI_API_KEY is set; to use it: skein provider use openai");
    assert_string_equal(state_of(&l, "openai"), "unused");
    assert_non_null(
        strstr(shown(&l), "\"key\":{\"tail\":\"…cdef\",\"source\":\"OPENAI_API_KEY\"}"));
    assert_null(strstr(shown(&l), KEY));
    assert_string_equal(models_of(&l, "openai", false), "");
    assert_int_equal(l.models.state, SKN_ASK_NO_KEY);
    assert_int_equal(put(&l, "openai", "{\"consent\":true}", SKN_PROVIDER_CHANGE), 0);
    assert_string_equal(state_of(&l, "openai"), "not-tried");
    end(&l);
}

static void a_provider_that_is_put_is_asked_with_its_key(void **state)
{
    static const peer_reply replies[] = {{SSE SAY("Hi") SAY(" there") END, PEER_CLOSE, 0, 0}};
    lab                     l;
    peer                    p;

    begin(&l, state);
    peer_open(&p, replies, 1);
    open_set(&l, "");
    assert_int_equal(put(&l, "office",
                         at_port(&l,
                                 "{\"type\":\"openai-compatible\",\"baseUrl\":"
                                 "\"http://127.0.0.1:PORT/v1\",\"apiKey\":\"" KEY "\","
                                 "\"headers\":{\"X-Team\":\"launch\"}}",
                                 p.port),
                         SKN_PROVIDER_CREATE),
                     0);
    assert_string_equal(said(&l, "office", "hello"), "Hi there");
    assert_int_equal(l.answer.state, SKN_ASK_ANSWERED);
    assert_string_equal(state_of(&l, "office"), "up");
    assert_non_null(strstr(p.heard.p, "Bearer " KEY));
    assert_non_null(strstr(p.heard.p, "X-Team: launch"));
    assert_true(l.changes >= 2);
    assert_null(strstr(shown(&l), KEY));
    assert_non_null(strstr(shown(&l), "\"source\":\"secret store\""));
    assert_int_equal(planted(&l, l.fx->dir), 1); /* the secret's own file */
    assert_int_equal(put(&l, "office", "{\"type\":\"ollama\"}", SKN_PROVIDER_CREATE),
                     SKEIN_CONFLICT);
    end(&l);
    peer_close(&p);
}

static void what_was_put_is_there_after_a_restart_until_it_is_removed(void **state)
{
    lab l;

    begin(&l, state);
    open_set(&l, "");
    assert_int_equal(put(&l, "mistral", "{\"apiKey\":\"" KEY "\"}", SKN_PROVIDER_EITHER), 0);
    skn_provider_set_free(l.set);
    open_set(&l, "");
    assert_string_equal(state_of(&l, "mistral"), "not-tried");
    assert_true(skn_str_is(info_of(&l, "mistral").origin, "store"));
    l.waiting++;
    skn_provider_set_remove(l.set, SKN_STR("mistral"), false, NULL, on_changed_it, &l);
    wait_for_all(&l);
    assert_int_equal(l.err.rc, SKEIN_OK);
    assert_string_equal(state_of(&l, "mistral"), "no-key");
    assert_null(strstr(shown(&l), "mistral"));
    assert_int_equal(planted(&l, l.fx->dir), 0);
    l.waiting++;
    skn_provider_set_remove(l.set, SKN_STR("nobody"), false, NULL, on_changed_it, &l);
    wait_for_all(&l);
    assert_int_equal(l.err.rc, SKEIN_NOT_FOUND);
    end(&l);
}

static void a_new_address_does_not_get_the_old_key(void **state)
{
    lab l;

    begin(&l, state);
    open_set(&l, "");
    assert_int_equal(put(&l, "office",
                         "{\"type\":\"openai\",\"baseUrl\":\"https://llm.example.org/v1\","
                         "\"apiKey\":\"" KEY "\"}",
                         SKN_PROVIDER_CREATE),
                     0);
    assert_int_equal(
        put(&l, "office", "{\"baseUrl\":\"https://llm.example.org/v2\"}", SKN_PROVIDER_CHANGE),
        0);
    assert_true(skn_str_is(info_of(&l, "office").key_tail, "…cdef")); /* the same host */
    assert_int_equal(
        put(&l, "office", "{\"baseUrl\":\"https://evil.example/v1\"}", SKN_PROVIDER_CHANGE), 0);
    assert_null(info_of(&l, "office").key_tail.p);
    assert_string_equal(state_of(&l, "office"), "no-key");
    assert_int_equal(planted(&l, l.fx->dir), 0);
    end(&l);
}

static void what_cannot_be_put_is_named(void **state)
{
    static const struct {
        const char *name, *body, *at;
    } wrong[] = {
        {"Office", "{\"type\":\"openai\"}", "/name"},
        {"demo", "{\"type\":\"openai\"}", "/name"},
        {"office", "{}", "/type"},
        {"office", "{\"type\":\"openai-compatible\"}", "/baseUrl"},
        {"office", "{\"type\":\"openai\",\"apiKey\":\"a b\"}", "/apiKey"},
        {"office", "[]", "/"},
    };
    lab l;

    begin(&l, state);
    open_set(&l, "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(put(&l, wrong[i].name, wrong[i].body, SKN_PROVIDER_EITHER),
                         SKEIN_INVALID);
        assert_string_equal(l.at, wrong[i].at);
    }
    assert_int_equal(put(&l, "nobody", "{\"consent\":true}", SKN_PROVIDER_CHANGE),
                     SKEIN_NOT_FOUND);
    end(&l);
}

static void a_question_under_way_ends_where_it_began(void **state)
{
    static const peer_reply first[] = {{SSE SAY("slow"), PEER_HOLD, 0, 0}};
    static const peer_reply second[] = {{SSE SAY("quick") END, PEER_CLOSE, 0, 0}};
    lab                     l;
    peer                    a, b;
    skn_provider           *was;
    skn_asking             *slow;

    begin(&l, state);
    peer_open(&a, first, 1);
    peer_open(&b, second, 1);
    open_set(&l, "");
    assert_int_equal(
        put(&l, "office",
            at_port(&l, "{\"type\":\"openai\",\"baseUrl\":\"http://127.0.0.1:PORT/v1\"}",
                    a.port),
            SKN_PROVIDER_CREATE),
        0);
    was = skn_provider_set_find(l.set, SKN_STR("office"));
    slow = ask(&l, "office", "hello");
    l.waiting--; /* it does not end by itself */
    assert_int_equal(put(&l, "office",
                         at_port(&l, "{\"baseUrl\":\"http://127.0.0.1:PORT/v1\"}", b.port),
                         SKN_PROVIDER_CHANGE),
                     0);
    assert_ptr_equal(was, skn_provider_set_find(l.set, SKN_STR("office")));
    assert_non_null(strstr(said(&l, "office", "hello"), "quick"));
    skn_asking_cancel(slow);
    end(&l);
    peer_close(&a);
    peer_close(&b);
}

static void the_file_sets_providers_up_and_is_read_again(void **state)
{
    static const peer_reply replies[] = {{SSE SAY("Hi") END, PEER_CLOSE, 0, 0}};
    lab                     l;
    peer                    p;
    const char             *yaml;

    begin(&l, state);
    peer_open(&p, replies, 1);
    l.vars[0] = "KIM_KEY";
    l.vars[1] = KEY;
    yaml = at_port(&l,
                   "providers:\n  kim:\n    type: openai\n    baseUrl: "
                   "http://127.0.0.1:PORT/v1\n    apiKey: { env: KIM_KEY }\n"
                   "    models: [small, large]\n    timeout: 30s\n    maxRetries: 1\n"
                   "    concurrency: 2\n    budget: { monthly: 12.50 USD, then: stop }\n",
                   p.port);
    open_set(&l, yaml);
    assert_string_equal(skn_provider_set_default_model(l.set).p, "kim/small");
    assert_string_equal(said(&l, "kim", "hello"), "Hi");
    assert_non_null(strstr(p.heard.p, "Bearer " KEY));
    assert_int_equal(info_of(&l, "kim").monthly_micros, 12500000);
    assert_true(info_of(&l, "kim").stops);
    assert_string_equal(models_of(&l, "kim", false), "small;large;");
    assert_int_equal(
        put(&l, "kim", "{\"baseUrl\":\"http://127.0.0.1:9/v1\"}", SKN_PROVIDER_CHANGE),
        SKEIN_CONFLICT);
    l.waiting++;
    skn_provider_set_reload(l.set, config_of(&l, "defaults:\n  model: demo/scripted\n"),
                            on_changed_it, &l);
    wait_for_all(&l);
    assert_null(skn_provider_set_find(l.set, SKN_STR("kim")));
    assert_string_equal(skn_provider_set_default_model(l.set).p, "demo/scripted");
    end(&l);
    peer_close(&p);
}

static void a_test_shows_what_is_wrong_without_the_key(void **state)
{
    static const peer_reply replies[] = {
        {NO_KEY_401, PEER_CLOSE, 0, 0},
        {JSON("{\"data\":[{\"id\":\"m1\"},{\"id\":\"m2\"}]}"), PEER_CLOSE, 0, 0},
    };
    lab  l;
    peer p;

    begin(&l, state);
    peer_open(&p, replies, 2);
    open_set(&l, "");
    assert_int_equal(
        put(&l, "office",
            at_port(&l,
                    "{\"type\":\"openai\",\"baseUrl\":\"http://127.0.0.1:PORT/v1\","
                    "\"apiKey\":\"" KEY "\"}",
                    p.port),
            SKN_PROVIDER_CREATE),
        0);
    models_of(&l, "office", true);
    assert_int_equal(l.models.state, SKN_ASK_BAD_KEY);
    assert_string_equal(state_of(&l, "office"), "failed");
    assert_non_null(strstr(info_of(&l, "office").problem.p, "says the key is not valid (401)"));
    assert_null(strstr(shown(&l), KEY));
    assert_string_equal(models_of(&l, "office", true), "m1;m2;");
    assert_string_equal(state_of(&l, "office"), "up");
    /* Who names no model was not asked whether it may be another. */
    assert_string_equal(skn_provider_set_default_model(l.set).p, "demo/scripted");
    end(&l);
    peer_close(&p);
}

static void one_that_is_damaged_hides_no_other(void **state)
{
    static const char *const stored =
        "{\"bad\":{\"type\":7},\"good\":{\"type\":\"openai-compatible\","
        "\"baseUrl\":\"http://127.0.0.1:9/v1\"},\"openai\":[1]}";
    const skein_setting one = {SKN_STR("providers"), skn_str_of(stored)};
    lab                 l;

    begin(&l, state);
    SKN_OK(skein_setting_put(l.engine, &one, 1, &l.err), l.err);
    open_set(&l, "");
    assert_string_equal(state_of(&l, "good"), "not-tried");
    assert_string_equal(state_of(&l, "bad"), "failed");
    assert_string_equal(
        info_of(&l, "bad").problem.p,
        "what the store has of \"bad\" cannot be read: \"type\" must be a text");
    assert_non_null(strstr(info_of(&l, "bad").hint.p, "skein provider rm bad"));
    assert_string_equal(state_of(&l, "openai"), "failed");
    said(&l, "bad", "hello");
    assert_non_null(strstr(l.answer.error.message, "what the store has of \"bad\""));
    /* A change of another one leaves it as it is; what it was can still be seen in the store. */
    assert_int_equal(put(&l, "good", "{\"maxRetries\":1}", SKN_PROVIDER_CHANGE), 0);
    assert_string_equal(state_of(&l, "bad"), "failed");
    assert_int_equal(put(&l, "bad", "{\"type\":\"ollama\"}", SKN_PROVIDER_CHANGE), 0);
    assert_string_not_equal(state_of(&l, "bad"), "failed");
    assert_string_equal(state_of(&l, "openai"), "failed");
    end(&l);
}

static void an_answer_of_nothing_is_a_failure_of_the_provider(void **state)
{
    static const peer_reply replies[] = {
        {SSE "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", PEER_CLOSE, 0, 0},
        {SSE SAY("one") END, PEER_CLOSE, 0, 0},
    };
    lab  l;
    peer p;

    begin(&l, state);
    peer_open(&p, replies, 2);
    open_set(&l, "");
    assert_int_equal(put(&l, "office",
                         at_port(&l,
                                 "{\"type\":\"openai-compatible\",\"maxRetries\":0,"
                                 "\"baseUrl\":\"http://127.0.0.1:PORT/v1\"}",
                                 p.port),
                         SKN_PROVIDER_CREATE),
                     0);
    assert_string_equal(said(&l, "office", "hello"), "");
    assert_int_equal(l.answer.state, SKN_ASK_EMPTY);
    assert_string_equal(state_of(&l, "office"), "failed");
    assert_string_equal(info_of(&l, "office").problem.p, "office answered with nothing");
    assert_string_equal(said(&l, "office", "hello"), "one");
    assert_string_equal(state_of(&l, "office"), "up");
    end(&l);
    peer_close(&p);
}

static void a_recording_answers_like_the_server_did(void **state)
{
    static const peer_reply replies[] = {
        {SSE SAY("one") END, PEER_CLOSE, 0, 0},
        {SSE SAY("two") END, PEER_CLOSE, 0, 0},
        {NO_KEY_401, PEER_CLOSE, 0, 0},
    };
    lab         l;
    peer        p;
    const char *body;

    begin(&l, state);
    peer_open(&p, replies, 3);
    body = at_port(&l,
                   "{\"type\":\"openai\",\"baseUrl\":\"http://127.0.0.1:PORT/v1\","
                   "\"apiKey\":\"" KEY "\"}",
                   p.port);
    l.o.record = skn_arena_printf(l.a, "%s/record", l.fx->dir).p;
    open_set(&l, "");
    assert_int_equal(put(&l, "office", body, SKN_PROVIDER_CREATE), 0);
    assert_string_equal(said(&l, "office", "hello"), "one");
    assert_string_equal(said(&l, "office", "hello"), "two");
    said(&l, "office", "who am I?");
    assert_int_equal(l.answer.state, SKN_ASK_BAD_KEY);
    assert_int_equal(planted(&l, l.o.record), 0);
    skn_provider_set_free(l.set);
    peer_close(&p);

    l.o.replay = l.o.record;
    l.o.record = NULL;
    open_set(&l, "");
    assert_string_equal(said(&l, "office", "hello"), "one");
    assert_string_equal(said(&l, "office", "hello"), "two");
    assert_string_equal(said(&l, "office", "hello"), "two"); /* the last one again */
    assert_int_equal(l.answer.state, SKN_ASK_ANSWERED);
    said(&l, "office", "who am I?");
    assert_int_equal(l.answer.state, SKN_ASK_BAD_KEY);
    assert_int_equal(l.answer.status, 401);
    said(&l, "office", "something else");
    assert_int_equal(l.answer.state, SKN_ASK_FAILED);
    end(&l);
}

static void a_provider_may_go_while_it_is_tested(void **state)
{
    static const peer_reply replies[] = {
        {JSON("{\"data\":[{\"id\":\"m1\"}]}"), PEER_CLOSE, 2,
         0}, /* not before another one asks */
        {JSON("{\"data\":[]}"), PEER_CLOSE, 0, 0},
    };
    lab         l;
    peer        p;
    const char *body;

    begin(&l, state);
    peer_open(&p, replies, 2);
    body = at_port(&l, "{\"type\":\"openai\",\"baseUrl\":\"http://127.0.0.1:PORT/v1\"}",
                   p.port);
    open_set(&l, "");
    assert_int_equal(put(&l, "first", body, SKN_PROVIDER_CREATE), 0);
    assert_int_equal(put(&l, "second", body, SKN_PROVIDER_CREATE), 0);
    skn_provider_set_models(l.set, SKN_STR("first"), true, on_models, &l);
    l.waiting++;
    skn_provider_set_remove(l.set, SKN_STR("first"), false, NULL, on_changed_it, &l);
    wait_for_all(&l);
    assert_null(skn_provider_set_find(l.set, SKN_STR("first")));
    l.waiting++; /* for the one that is still asked */
    models_of(&l, "second", true);
    end(&l);
    peer_close(&p);
}

static void a_set_may_go_while_it_is_busy(void **state)
{
    static const peer_reply replies[] = {{NULL, PEER_HOLD, 0, 0}};
    lab                     l;
    peer                    p;

    begin(&l, state);
    peer_open(&p, replies, 1);
    open_set(&l, "");
    assert_int_equal(
        put(&l, "office",
            at_port(&l, "{\"type\":\"openai\",\"baseUrl\":\"http://127.0.0.1:PORT/v1\"}",
                    p.port),
            SKN_PROVIDER_CREATE),
        0);
    skn_provider_set_models(l.set, SKN_STR("office"), true, on_models, &l);
    skn_provider_set_models(l.set, SKN_STR("demo"), true, on_models, &l);
    skn_provider_set_detect(l.set, on_found, &l);
    skn_provider_set_reload(l.set, NULL, on_changed_it, &l);
    skn_provider_set_reload(l.set, NULL, on_changed_it, &l);
    l.waiting = 100; /* none of them may be called any more */
    end(&l);
    assert_int_equal(l.waiting, 100);
    peer_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_SQLITE(a_local_server_is_found_and_its_newest_model_is_taken),
        SKN_PLACE_SQLITE(without_anything_the_scripted_one_answers),
        SKN_PLACE_SQLITE(an_ollama_without_a_clear_address_is_told_and_not_asked),
        SKN_PLACE_SQLITE(looking_can_be_switched_off),
        SKN_PLACE_SQLITE(nothing_is_sent_before_somebody_says_so),
        SKN_PLACE_BOTH(a_provider_that_is_put_is_asked_with_its_key),
        SKN_PLACE_BOTH(what_was_put_is_there_after_a_restart_until_it_is_removed),
        SKN_PLACE_SQLITE(a_new_address_does_not_get_the_old_key),
        SKN_PLACE_SQLITE(what_cannot_be_put_is_named),
        SKN_PLACE_SQLITE(a_question_under_way_ends_where_it_began),
        SKN_PLACE_SQLITE(the_file_sets_providers_up_and_is_read_again),
        SKN_PLACE_SQLITE(a_test_shows_what_is_wrong_without_the_key),
        SKN_PLACE_SQLITE(one_that_is_damaged_hides_no_other),
        SKN_PLACE_SQLITE(an_answer_of_nothing_is_a_failure_of_the_provider),
        SKN_PLACE_SQLITE(a_recording_answers_like_the_server_did),
        SKN_PLACE_SQLITE(a_provider_may_go_while_it_is_tested),
        SKN_PLACE_SQLITE(a_set_may_go_while_it_is_busy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
