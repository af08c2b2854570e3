/* mcp_drive.c: a client of one tool server, to be driven from outside.
 *
 *   mcp_drive [OPTIONS] URL
 *   mcp_drive [OPTIONS] -- COMMAND ARGUMENT...
 *     --call-ms N  --start-ms N  --result-bytes N  --restarts N  --cwd DIR
 *     --env NAME=value  --header 'Name: value'
 *     --once    calls every tool once when it is ready, then ends: for conformance tests
 *
 * Reads lines: "call N TOOL ARGUMENTS", "cancel N", "tools", "stderr", "start", "stop", "leave"
 * (ends at once, without stopping it first); the end of its input stops the server, and that ends the
 * program. Prints a line of JSON for each thing that
 * happens. */
#include "base/arena.h"
#include "base/json_write.h"
#include "mcp/mcp.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 512, TEXTS = 64 };

typedef struct drive drive;

typedef struct asked {
    drive        *d;
    int64_t       number;
    skn_mcp_call *call; /* NULL: over */
} asked;

struct drive {
    skn_loop  *loop;
    skn_net   *net;
    skn_mcp   *server;
    skn_watch *input;
    skn_buf    line;
    asked      calls[CALLS];
    size_t     count, under_way, failed;
    bool       once, ending;
};

/* --- What happens ----------------------------------------------------------------------------- */

static void begin(skn_jw *w, skn_buf *out, const char *event)
{
    skn_buf_init(out, SIZE_MAX / 4);
    skn_jw_init(w, out);
    skn_jw_object(w);
    skn_jw_kstr(w, "event", skn_str_of(event));
}

static void print(skn_jw *w, skn_buf *out)
{
    skn_jw_object_end(w);
    printf("%.*s\n", SKN_FMT(skn_buf_str(out)));
    fflush(stdout);
    skn_buf_release(out);
}

static void on_progress(void *arg, double now, double total, skn_str text)
{
    asked  *a = arg;
    skn_buf out;
    skn_jw  w;

    begin(&w, &out, "progress");
    skn_jw_kint(&w, "call", a->number);
    skn_jw_key(&w, "now");
    skn_jw_double(&w, now);
    skn_jw_key(&w, "total");
    skn_jw_double(&w, total);
    skn_jw_kstr(&w, "text", text);
    print(&w, &out);
}

static void on_done(void *arg, const skn_mcp_result *r)
{
    asked  *a = arg;
    drive  *d = a->d;
    skn_buf out;
    skn_jw  w;

    a->call = NULL;
    begin(&w, &out, "done");
    skn_jw_kint(&w, "call", a->number);
    skn_jw_kstr(&w, "text", r->text);
    skn_jw_kbool(&w, "failed", r->failed);
    skn_jw_kbool(&w, "unknown", r->unknown);
    skn_jw_kbool(&w, "cut", r->cut);
    print(&w, &out);
    d->failed += r->failed;
    if (--d->under_way == 0 && d->once)
        skn_mcp_stop(d->server);
}

static void ask(drive *d, int64_t number, skn_str tool, skn_str args)
{
    skn_mcp_call_sink sink = {
        .progress = on_progress, .done = on_done, .arg = &d->calls[d->count]};
    asked *a = &d->calls[d->count];

    if (d->count == CALLS)
        abort();
    d->count++;
    d->under_way++;
    *a = (asked){d, number, NULL};
    a->call = skn_mcp_ask(d->server, tool, args, &sink);
}

static void ask_all(drive *d)
{
    size_t              n;
    const skn_mcp_tool *tools = skn_mcp_tools(d->server, &n);

    for (size_t i = 0; i < n; i++)
        ask(d, (int64_t)i, tools[i].name,
            skn_str_is(tools[i].name, "add_numbers") ? SKN_STR("{\"a\":5,\"b\":3}")
                                                     : SKN_STR("{}"));
    if (!n)
        skn_mcp_stop(d->server);
}

static void on_changed(void *arg, skn_mcp *server)
{
    drive        *d = arg;
    skn_mcp_state state = skn_mcp_state_of(server);
    size_t        n;
    skn_buf       out;
    skn_jw        w;

    skn_mcp_tools(server, &n);
    begin(&w, &out, "changed");
    skn_jw_kstr(&w, "state", skn_str_of(skn_mcp_state_word(state)));
    skn_jw_kstr(&w, "words", skn_str_of(skn_mcp_words(server)));
    skn_jw_kstr(&w, "version", skn_mcp_version(server));
    skn_jw_kint(&w, "tools", (int64_t)n);
    skn_jw_kint(&w, "pid", skn_mcp_pid(server));
    print(&w, &out);
    if (d->once && state == SKN_MCP_READY && !d->count)
        ask_all(d);
    if ((d->once || d->ending) && (state == SKN_MCP_STOPPED || state == SKN_MCP_FAILED))
        skn_loop_stop(d->loop);
    d->failed += d->once && state == SKN_MCP_FAILED;
}

static void on_log(void *arg, skn_mcp *server, skn_str level, skn_str text)
{
    skn_buf out;
    skn_jw  w;

    (void)arg, (void)server;
    begin(&w, &out, "log");
    skn_jw_kstr(&w, "level", level);
    skn_jw_kstr(&w, "text", text);
    print(&w, &out);
}

/* --- What it is sent -------------------------------------------------------------------------- */

static void tell_tools(drive *d)
{
    size_t              n;
    const skn_mcp_tool *t = skn_mcp_tools(d->server, &n);
    skn_buf             out;
    skn_jw              w;

    begin(&w, &out, "tools");
    skn_jw_key(&w, "tools");
    skn_jw_array(&w);
    for (size_t i = 0; i < n; i++, t++) {
        skn_jw_object(&w);
        skn_jw_kstr(&w, "name", t->name);
        skn_jw_kstr(&w, "title", t->title);
        skn_jw_kstr(&w, "description", t->description);
        skn_jw_key(&w, "schema");
        skn_jw_raw(&w, t->schema);
        skn_jw_kbool(&w, "readOnly", t->read_only);
        skn_jw_kbool(&w, "destructive", t->destructive);
        skn_jw_kbool(&w, "idempotent", t->idempotent);
        skn_jw_kbool(&w, "openWorld", t->open_world);
        skn_jw_object_end(&w);
    }
    skn_jw_array_end(&w);
    print(&w, &out);
}

static void tell_stderr(drive *d)
{
    skn_buf out;
    skn_jw  w;

    begin(&w, &out, "stderr");
    skn_jw_kstr(&w, "text", skn_mcp_stderr(d->server));
    print(&w, &out);
}

static void cancel(drive *d, int64_t number)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->calls[i].number == number && d->calls[i].call) {
            skn_mcp_cancel(d->calls[i].call);
            d->calls[i].call = NULL;
            d->under_way--;
        }
}

static void obey(drive *d, skn_str line)
{
    skn_str rest = line, word = SKN_STR(""), number, tool = SKN_STR("");
    int64_t n = 0;

    skn_str_split(&rest, ' ', &word);
    if (skn_str_is(word, "call") && skn_str_split(&rest, ' ', &number) &&
        skn_str_int(number, &n)) {
        skn_str_split(&rest, ' ', &tool);
        ask(d, n, tool, rest);
    } else if (skn_str_is(word, "cancel") && skn_str_int(rest, &n)) {
        cancel(d, n);
    } else if (skn_str_is(word, "tools")) {
        tell_tools(d);
    } else if (skn_str_is(word, "stderr")) {
        tell_stderr(d);
    } else if (skn_str_is(word, "start")) {
        skn_mcp_start(d->server);
    } else if (skn_str_is(word, "stop")) {
        skn_mcp_stop(d->server);
    } else if (skn_str_is(word, "leave")) {
        skn_loop_stop(d->loop);
    } else {
        fprintf(stderr, "mcp_drive: what is \"%.*s\"?\n", SKN_FMT(line));
        exit(2);
    }
}

static void on_input(void *arg)
{
    drive  *d = arg;
    char    bytes[4096];
    ssize_t n = read(0, bytes, sizeof bytes);

    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            skn_buf_addc(&d->line, bytes[i]);
            continue;
        }
        obey(d, skn_buf_str(&d->line));
        skn_buf_clear(&d->line);
    }
    if (n > 0)
        return;
    skn_watch_read(d->input, false);
    d->ending = true;
    skn_mcp_stop(d->server);
}

/* --- Its arguments ---------------------------------------------------------------------------- */

typedef struct texts {
    skn_str          argv[TEXTS], env[TEXTS];
    skn_fetch_header headers[TEXTS];
} texts;

static void take_header(skn_mcp_options *o, texts *t, skn_str value)
{
    skn_fetch_header *h = &t->headers[o->header_count++];

    h->value = value;
    skn_str_split(&h->value, ':', &h->name);
    h->value = skn_str_trim(h->value);
}

static bool take_option(skn_mcp_options *o, texts *t, skn_str name, skn_str value)
{
    int64_t n = 0;
    bool    number = skn_str_int(value, &n);

    if (skn_str_is(name, "--env") && o->env_count < TEXTS)
        t->env[o->env_count++] = value;
    else if (skn_str_is(name, "--header") && o->header_count < TEXTS)
        take_header(o, t, value);
    else if (skn_str_is(name, "--cwd"))
        o->cwd = value;
    else if (skn_str_is(name, "--call-ms") && number)
        o->call_ms = n;
    else if (skn_str_is(name, "--start-ms") && number)
        o->start_ms = n;
    else if (skn_str_is(name, "--result-bytes") && number)
        o->result_bytes = (size_t)n;
    else if (skn_str_is(name, "--restarts") && number)
        o->restarts = (int)n;
    else
        return false;
    return true;
}

static bool read_arguments(drive *d, skn_mcp_options *o, texts *t, char **at)
{
    for (; *at; at++) {
        if (!strcmp(*at, "--once")) {
            d->once = true;
        } else if (!strcmp(*at, "--")) {
            while (*++at && o->argc < TEXTS)
                t->argv[o->argc++] = skn_str_of(*at);
            return true;
        } else if ((*at)[0] != '-') {
            o->url = skn_str_of(*at);
            return true;
        } else if (!at[1] || !take_option(o, t, skn_str_of(at[0]), skn_str_of(at[1]))) {
            return false;
        } else {
            at++;
        }
    }
    return false;
}

static void run(drive *d)
{
    skn_mcp_start(d->server);
    if (!d->once) {
        d->input = skn_watch_new(d->loop, 0, on_input, NULL, d);
        skn_watch_read(d->input, true);
    }
    skn_loop_run(d->loop);
    skn_watch_free(d->input);
}

int main(int argc, char **argv)
{
    drive           *d = skn_heap(sizeof *d);
    texts            t;
    skn_mcp_options  o = {.name = SKN_STR("driven"),
                          .argv = t.argv,
                          .env = t.env,
                          .headers = t.headers,
                          .cwd = SKN_NONE};
    skn_mcp_sink     sink = {on_changed, on_log, d};
    skein_error      err;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    bool             failed;

    sigaction(SIGPIPE, &ignore, NULL);
    skn_buf_init(&d->line, 64 * 1024 * 1024);
    if (argc < 2 || !read_arguments(d, &o, &t, argv + 1)) {
        fprintf(stderr, "usage: %s [OPTIONS] URL | -- COMMAND\n", argv[0]);
        return 2;
    }
    d->loop = skn_loop_new();
    d->net = skn_net_new(d->loop);
    if (skn_mcp_new(&d->server, d->loop, d->net, &o, &sink, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 2;
    }
    run(d);
    failed = d->once && d->failed > 0;
    skn_mcp_free(d->server);
    skn_net_free(d->net);
    skn_loop_free(d->loop);
    skn_buf_release(&d->line);
    free(d);
    return failed ? 1 : 0;
}
