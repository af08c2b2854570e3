/* What is written in skein.yaml, the environment and flags: what it means, and what is said when it
 * means nothing. */
#include "config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char key[] = "sk-planted-0123456789abcdef";

typedef struct fixture {
    skn_arena  *a;
    char        path[40];
    skn_config *c;
} fixture;

static int open_fixture(void **state)
{
    static fixture f;
    int            fd;

    f = (fixture){.a = skn_arena_new()};
    memcpy(f.path, "/tmp/skein-config-XXXXXX", 25);
    fd = mkstemp(f.path);
    assert_true(fd >= 0);
    close(fd);
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    fixture *f = *state;

    unlink(f->path);
    skn_arena_free(f->a);
    return 0;
}

static void write_file(fixture *f, const char *text)
{
    FILE *out = fopen(f->path, "w");

    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    fclose(out);
}

static void read_with(fixture *f, const char *text, char **environment,
                      const skn_config_given *given, size_t count)
{
    skn_config_sources from = {.file = f->path,
                               .home = "/home/kim",
                               .environment = environment,
                               .given = given,
                               .given_count = count};

    write_file(f, text);
    f->c = skn_config_read(&from, f->a);
}

static void read_text(fixture *f, const char *text)
{
    read_with(f, text, NULL, NULL, 0);
}

/* All problems as lines, with FILE for the path. */
static const char *lines(fixture *f)
{
    skn_str     text = SKN_STR(""), path = skn_str_of(f->path);
    const char *at;

    for (size_t i = 0; i < f->c->problems.n; i++) {
        skn_str line = skn_config_line(&f->c->problems.p[i], f->a);

        if (skn_str_starts(line, path))
            line = skn_arena_printf(f->a, "FILE%.*s", (int)(line.n - path.n), line.p + path.n);
        text = skn_arena_printf(f->a, "%.*s%.*s\n", SKN_FMT(text), SKN_FMT(line));
    }
    while ((at = strstr(text.p, f->path)))
        text = skn_arena_printf(f->a, "%.*sFILE%s", (int)(at - text.p), text.p, at + path.n);
    return text.p;
}

static void expect(fixture *f, const char *text, const char *problems)
{
    read_text(f, text);
    assert_string_equal(lines(f), problems);
}

static const char *value(const fixture *f, const char *name)
{
    skn_config_id id = skn_config_find(skn_str_of(name));

    assert_int_not_equal(id, SKN_CONFIG_COUNT);
    return skn_arena_copy(f->a, f->c->values[id].text).p;
}

static int64_t number(const fixture *f, const char *name)
{
    return f->c->values[skn_config_find(skn_str_of(name))].number;
}

static const char *origin(fixture *f, const char *name)
{
    skn_config_id id = skn_config_find(skn_str_of(name));

    return skn_arena_copy(f->a, skn_config_origin(&f->c->values[id], f->a)).p;
}

/* --- Values --------------------------------------------------------------------------------- */

static void every_setting_has_a_built_in_value(void **state)
{
    fixture *f = *state;

    expect(f, "", "");
    assert_string_equal(value(f, "server.listen"), "127.0.0.1:7534");
    assert_string_equal(origin(f, "server.listen"), "built-in");
    assert_int_equal(number(f, "server.openBrowser"), -1);
    assert_int_equal(number(f, "data.backupEvery"), 24 * 3600 * 1000);
    assert_int_equal(number(f, "data.keepBackups"), 7);
    assert_int_equal(number(f, "data.eventRetention"), INT64_C(30) * 24 * 3600 * 1000);
    assert_int_equal(number(f, "limits.busyTimeout"), 30000);
    assert_int_equal(number(f, "limits.messageBytes"), 1000000);
    assert_int_equal(number(f, "limits.requestsPerMinute"), 600);
    assert_int_equal(number(f, "detect.local"), 1);
    assert_string_equal(value(f, "defaults.model"), "auto");
}

static void the_example_of_the_manual_is_right(void **state)
{
    fixture *f = *state;

    expect(f,
           "server:\n"
           "  listen: 127.0.0.1:7534\n"
           "  socket: auto                    # Unix socket for the CLI\n"
           "  openBrowser: auto\n"
           "  publicUrl: \"\"                   # when behind a proxy\n"
           "  allowOrigins: []\n"
           "  signIn: auto                    # off on loopback, on elsewhere\n"
           "data:\n"
           "  dir: ~/.local/share/skein\n"
           "  backupEvery: 24h\n"
           "  keepBackups: 7\n"
           "  eventRetention: 30d\n"
           "limits:\n"
           "  busyTimeout: 30s\n"
           "  messageBytes: 1MB\n"
           "  requestsPerMinute: 600\n"
           "log:\n"
           "  level: info\n"
           "  format: auto\n"
           "detect:\n"
           "  local: true\n"
           "  environment: true\n"
           "defaults:\n"
           "  model: auto\n"
           "providers:\n"
           "  ollama:\n"
           "    type: ollama\n"
           "    baseUrl: http://127.0.0.1:11434\n"
           "  anthropic:                      # example\n"
           "    type: anthropic\n"
           "    apiKey: { env: ANTHROPIC_API_KEY }\n"
           "    models: [claude-…]\n"
           "    timeout: 120s\n"
           "    maxRetries: 3\n"
           "    concurrency: 4\n"
           "    budget: { monthly: 10.00 USD, then: ask }\n"
           "  office:                         # any OpenAI-compatible server\n"
           "    type: openai-compatible\n"
           "    baseUrl: https://llm.example.org/v1\n"
           "    apiKey: { file: /run/secrets/office-llm }\n"
           "    headers: { X-Team: launch }\n",
           "");
    assert_string_equal(value(f, "data.dir"), "/home/kim/.local/share/skein");
    assert_int_equal(f->c->providers.n, 3);
}

static void a_value_of_the_file_has_its_line(void **state)
{
    fixture *f = *state;
    char     where[64];

    expect(f, "log:\n  level: debug\n", "");
    assert_string_equal(value(f, "log.level"), "debug");
    snprintf(where, sizeof where, "%s:2", f->path);
    assert_string_equal(origin(f, "log.level"), where);
}

static void the_environment_wins_over_the_file_and_flags_over_both(void **state)
{
    fixture *f = *state;
    char     level[] = "SKEIN_LOG_LEVEL=warn", listen[] = "SKEIN_SERVER_LISTEN=[::1]:1";
    char     open[] = "SKEIN_SERVER_OPEN_BROWSER=no", keep[] = "SKEIN_DATA_KEEPBACKUPS=3";
    char    *environment[] = {level, listen, open, keep, NULL};
    skn_config_given given = {SKN_CONFIG_LISTEN, "127.0.0.1:0", "--listen"};

    read_with(f, "log:\n  level: debug\nserver:\n  listen: 0.0.0.0:80\n", environment, &given,
              1);
    assert_string_equal(lines(f), "");
    assert_string_equal(value(f, "log.level"), "warn");
    assert_string_equal(origin(f, "log.level"), "SKEIN_LOG_LEVEL");
    assert_string_equal(value(f, "server.listen"), "127.0.0.1:0");
    assert_string_equal(origin(f, "server.listen"), "--listen");
    assert_int_equal(number(f, "server.openBrowser"), 0);
    assert_int_equal(number(f, "data.keepBackups"), 3);
}

/* Reads with a folder of a person that has this file. */
static void read_at_home(fixture *f, const char *system, const char *name, const char *text)
{
    const char        *tmp = getenv("TMPDIR");
    char               home[200], folder[220], path[260];
    skn_config_sources from = {.system = system, .config_home = home};
    FILE              *out;

    snprintf(home, sizeof home, "%s/skein-home-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(home));
    snprintf(folder, sizeof folder, "%s/skein", home);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    f->c = skn_config_read(&from, f->a);
    unlink(path);
    rmdir(folder);
    rmdir(home);
}

static void the_person_s_file_wins_over_the_system_s(void **state)
{
    fixture *f = *state;

    write_file(f, "log:\n  level: debug\n  format: text\n");
    read_at_home(f, f->path, "skein.yaml", "log:\n  level: warn\n");
    assert_string_equal(value(f, "log.level"), "warn");
    assert_string_equal(value(f, "log.format"), "text");
    assert_int_equal(f->c->files.n, 2);
}

static void files_that_are_not_there_are_no_problem_unless_named(void **state)
{
    fixture           *f = *state;
    skn_config_sources usual = {.system = "/nonexistent/skein.yaml", .home = "/nonexistent"};
    skn_config_sources named = {.file = "/nonexistent/skein.yaml"};

    f->c = skn_config_read(&usual, f->a);
    assert_string_equal(lines(f), "");
    assert_false(f->c->unreadable);
    f->c = skn_config_read(&named, f->a);
    assert_string_equal(lines(f),
                        "/nonexistent/skein.yaml: cannot be read: No such file or directory\n");
    assert_true(f->c->unreadable);
}

static void the_store_wins_over_the_file_but_not_over_the_environment(void **state)
{
    fixture *f = *state;
    char     model[] = "SKEIN_DEFAULTS_MODEL=a/b";
    char    *environment[] = {model, NULL};

    read_text(f, "defaults:\n  model: x/y\n");
    skn_config_store(f->c, SKN_CONFIG_DEFAULT_MODEL, SKN_STR("demo/scripted"), f->a);
    assert_string_equal(value(f, "defaults.model"), "demo/scripted");
    assert_string_equal(origin(f, "defaults.model"), "store");
    read_with(f, "", environment, NULL, 0);
    skn_config_store(f->c, SKN_CONFIG_DEFAULT_MODEL, SKN_STR("demo/scripted"), f->a);
    assert_string_equal(value(f, "defaults.model"), "a/b");
}

static void what_yaml_takes_for_something_else_means_what_was_written(void **state)
{
    fixture *f = *state;

    expect(f, "defaults:\n  model: no/1.10\ndata:\n  keepBackups: 08\n", "");
    assert_string_equal(value(f, "defaults.model"), "no/1.10");
    assert_int_equal(number(f, "data.keepBackups"), 8);
}

static void a_list_may_be_a_list_or_words_with_commas(void **state)
{
    fixture *f = *state;
    char     origins[] = "SKEIN_SERVER_ALLOW_ORIGINS=https://a.example, http://b.example:81";
    char    *environment[] = {origins, NULL};

    expect(f, "server:\n  allowOrigins: [https://a.example, http://b.example:81]\n", "");
    assert_int_equal(f->c->values[SKN_CONFIG_ALLOW_ORIGINS].count, 2);
    read_with(f, "", environment, NULL, 0);
    assert_string_equal(lines(f), "");
    assert_int_equal(f->c->values[SKN_CONFIG_ALLOW_ORIGINS].count, 2);
    assert_string_equal(f->c->values[SKN_CONFIG_ALLOW_ORIGINS].list[1], "http://b.example:81");
}

static void addresses_are_read_apart(void **state)
{
    char host[46];
    int  port;

    (void)state;
    assert_true(skn_listen_parse(SKN_STR("127.0.0.1:0"), host, &port));
    assert_string_equal(host, "127.0.0.1");
    assert_int_equal(port, 0);
    assert_true(skn_listen_parse(SKN_STR("[::1]:65535"), host, &port));
    assert_string_equal(host, "::1");
    assert_int_equal(port, 65535);
    assert_true(skn_listen_parse(SKN_STR("localhost:80"), host, &port));
    assert_string_equal(host, "127.0.0.1");
    assert_false(skn_listen_parse(SKN_STR("::1:80"), host, &port));
    assert_false(skn_listen_parse(SKN_STR("127.0.0.1"), host, &port));
    assert_false(skn_listen_parse(SKN_STR("127.0.0.1:65536"), host, &port));
    assert_false(skn_listen_parse(SKN_STR("example.org:80"), host, &port));
    assert_false(skn_listen_parse(SKN_STR(":80"), host, &port));
    assert_false(skn_listen_parse(SKN_STR("[]:80"), host, &port));
    assert_false(skn_listen_parse(SKN_STR(""), host, &port));
}

/* --- Problems ------------------------------------------------------------------------------- */

static void mistakes_are_told_with_place_and_cure(void **state)
{
    fixture *f = *state;

    assert_int_equal(chmod(f->path, 0644), 0);
    read_text(f, "server:\n"
                 "  lsten: 127.0.0.1:7534\n"
                 "log:\n"
                 "  level: loud\n"
                 "providers:\n"
                 "  kim:\n"
                 "    type: openai\n"
                 "    apiKey: sk-planted-0123456789abcdef\n");
    assert_string_equal(
        lines(f),
        "FILE:2:3: unknown key \"lsten\" in server. Did you mean \"listen\"?\n"
        "FILE:4:10: log.level is \"loud\": use error, warn, info, debug or trace\n"
        "FILE:8:13: apiKey is written in the file and the file is readable by others (0644).\n"
        "    Use { env: … } or { file: … }, or: chmod 600 FILE\n");
    assert_string_equal(skn_config_verdict(f->c, f->a).p, "2 errors, 1 warning");
    assert_false(f->c->unreadable);
}

static void a_key_in_a_file_that_only_its_owner_reads_is_no_warning(void **state)
{
    fixture *f = *state;

    expect(f, "providers:\n  kim:\n    type: openai\n    apiKey: sk-planted-0123456789abcdef\n",
           "");
}

static void each_type_says_what_to_write_instead(void **state)
{
    fixture *f = *state;

    expect(
        f,
        "server:\n"
        "  listen: here\n"
        "  socket: run/x\n"
        "  openBrowser: sometimes\n"
        "  publicUrl: https://kim:secret@example.org/\n"
        "  allowOrigins: [https://example.org/path]\n"
        "data:\n"
        "  dir: relative/path\n"
        "  backupEvery: daily\n"
        "  keepBackups: many\n"
        "  eventRetention: 1s\n"
        "limits:\n"
        "  messageBytes: huge\n"
        "  busyTimeout: [30s]\n"
        "detect:\n"
        "  local: perhaps\n"
        "defaults:\n"
        "  model: gpt\n",
        "FILE:2:11: server.listen is \"here\": use ADDRESS:PORT, like 127.0.0.1:7534 or "
        "[::1]:7534\n"
        "FILE:3:11: server.socket is \"run/x\": use auto, off, or a path that begins with / "
        "or ~/\n"
        "FILE:4:16: server.openBrowser is \"sometimes\": use auto, true or false\n"
        "FILE:5:14: server.publicUrl is \"…\": use an address like "
        "https://skein.example.org/, without a password\n"
        "FILE:6:17: server.allowOrigins is \"https://example.org/path\": use addresses like "
        "https://app.example.org, without a path\n"
        "FILE:8:8: data.dir is \"relative/path\": use a path that begins with / or ~/\n"
        "FILE:9:16: data.backupEvery is \"daily\": use a time like 30s, 5m or 24h, from 1m to "
        "365d, or off\n"
        "FILE:10:16: data.keepBackups is \"many\": use a whole number from 1 to 1000\n"
        "FILE:11:19: data.eventRetention is \"1s\": use a time like 30s, 5m or 24h, from 1m "
        "to 3650d, or off\n"
        "FILE:13:17: limits.messageBytes is \"huge\": use a size like 1MB, from 1kB to 16MB\n"
        "FILE:14:16: limits.busyTimeout must be one value\n"
        "FILE:16:10: detect.local is \"perhaps\": use true or false\n"
        "FILE:18:10: defaults.model is \"gpt\": use auto or PROVIDER/MODEL\n");
    assert_string_equal(value(f, "server.listen"), "127.0.0.1:7534");
    assert_int_equal(number(f, "data.keepBackups"), 7);
}

static void sections_must_be_known_and_hold_keys(void **state)
{
    fixture *f = *state;

    expect(f, "sever:\n  listen: 127.0.0.1:1\nlog: loud\ndata:\n",
           "FILE:1:1: unknown key \"sever\". Did you mean \"server\"?\n"
           "FILE:3:6: log must hold keys with values\n");
    expect(f, "- a\n", "FILE:1:1: this is not a list of sections like \"server:\"\n");
}

static void a_setting_that_would_have_no_effect_is_unknown(void **state)
{
    static const char *const gone[] = {"threadDepth", "agentsWarn", "contextMessages",
                                       "delegationDepth", "bodies"};
    fixture                 *f = *state;

    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        char file[64], said[128];

        snprintf(file, sizeof file, "limits:\n  %s: 9\n", gone[i]);
        snprintf(said, sizeof said, "FILE:2:3: unknown key \"%s\" in limits\n", gone[i]);
        expect(f, file, said);
    }
    expect(f, "limits:\n  editTimeout: 30s\n",
           "FILE:2:3: unknown key \"editTimeout\" in limits. Did you mean \"busyTimeout\"?\n");
}

static void a_file_that_is_no_yaml_names_its_place(void **state)
{
    fixture *f = *state;

    expect(f, "log:\n\tlevel: info\n", "FILE:2:1: a tab where spaces are needed; use spaces\n");
    assert_true(f->c->unreadable);
    expect(f, "log:\n  level: info\n  level: warn\n", "FILE:3:3: \"level\" is here twice\n");
}

static void variables_are_checked_like_files(void **state)
{
    fixture *f = *state;
    char     level[] = "SKEIN_LOG_LEVEL=loud", odd[] = "SKEIN_SERVER_LISTN=1:1";
    char     other[] = "SKEIN_WORLD=launch", alone[] = "SKEIN_SERVER=http://127.0.0.1:1/";
    char    *environment[] = {level, odd, other, alone, NULL};

    read_with(f, "", environment, NULL, 0);
    assert_string_equal(
        lines(f),
        "SKEIN_LOG_LEVEL: log.level is \"loud\": use error, warn, info, debug or trace\n"
        "SKEIN_SERVER_LISTN: is not a setting. Did you mean \"SKEIN_SERVER_LISTEN\"?\n");
    assert_int_equal(f->c->errors, 1);
    assert_int_equal(f->c->warnings, 1);
}

/* --- Providers ------------------------------------------------------------------------------ */

static void providers_are_checked(void **state)
{
    fixture *f = *state;

    expect(
        f,
        "providers:\n"
        "  demo: { type: scripted }\n"
        "  Big Name: { type: openai }\n"
        "  none: { baseUrl: http://127.0.0.1:1 }\n"
        "  a:\n"
        "    type: opnai\n"
        "    baseUrl: https://x.example/?key=planted\n"
        "    apikey: planted\n"
        "    models: one\n"
        "    timeout: 0s\n"
        "    maxRetries: 99\n"
        "    concurrency: 0\n"
        "    budget: { monthly: much, then: cry, yearly: 1 }\n"
        "    headers: { \"a b\": x }\n"
        "  b: { type: openai, apiKey: { enw: X } }\n"
        "  c: { type: openai, apiKey: { env: X, file: Y } }\n"
        "  d: { type: openai, apiKey: { command: pass } }\n"
        "  e: { type: openai, apiKey: \"\" }\n"
        "  f: { type: openai, prices: [1] }\n"
        "  g: { type: openai, prices: { m: { input: 1 }, n: { input: 1, output: free } } }\n"
        "  h: { type: openai, prices: { m: { inputs: 1, output: 2 } } }\n"
        "  i: { type: openai, budget: { monthly: 0 USD, daily: 0.0000001 USD } }\n",
        "FILE:2:3: \"demo\" is the name of the scripted demo\n"
        "FILE:3:3: \"Big Name\" is not a name of a provider: use small letters, digits, - and "
        "_\n"
        "FILE:4:3: providers.none needs a \"type:\"\n"
        "FILE:6:11: providers.a.type is \"opnai\": use ollama, openai, openai-responses, "
        "anthropic, openai-compatible or scripted\n"
        "FILE:7:14: providers.a.baseUrl is not an address like https://llm.example.org/v1, "
        "without password and \"?\"\n"
        "FILE:8:5: unknown key \"apikey\" in providers.a. Did you mean \"apiKey\"?\n"
        "FILE:9:13: providers.a.models is \"one\": use a list, like [small, large]\n"
        "FILE:10:14: providers.a.timeout is \"0s\": use a time like 120s, from 1s to 60m\n"
        "FILE:11:17: providers.a.maxRetries is \"99\": use a whole number from 0 to 20\n"
        "FILE:12:18: providers.a.concurrency is \"0\": use a whole number from 1 to 1000\n"
        "FILE:13:24: providers.a.budget.monthly is \"much\": use an amount over 0, like 10.00 "
        "USD\n"
        "FILE:13:36: providers.a.budget.then is \"cry\": use ask or stop\n"
        "FILE:13:41: unknown key \"yearly\" in providers.a.budget\n"
        "FILE:14:23: the header \"a b\" cannot be sent like this\n"
        "FILE:15:32: unknown key \"enw\" in providers.b.apiKey. Did you mean \"env\"?\n"
        "FILE:16:30: apiKey needs one of { env: NAME }, { file: PATH }, { credential: NAME } "
        "or { command: [PROGRAM, …] }\n"
        "FILE:17:41: apiKey.command must be a list: [PROGRAM, WORD, …]\n"
        "FILE:18:30: apiKey is empty: use { env: NAME } or { file: PATH }\n"
        "FILE:19:30: providers.f.prices is \"…\": use { MODEL: { input: 2.50, output: 10.00 } "
        "}\n"
        "FILE:20:35: providers.g.prices.m is \"…\": use { input: 2.50, output: 10.00 }, for a "
        "million "
        "tokens\n"
        "FILE:20:52: providers.g.prices.n is \"…\": use { input: 2.50, output: 10.00 }, for a "
        "million "
        "tokens\n"
        "FILE:21:37: unknown key \"inputs\" in providers.h.prices. Did you mean \"input\"?\n"
        "FILE:22:41: providers.i.budget.monthly is \"0 USD\": use an amount over 0, like 10.00 "
        "USD\n"
        "FILE:22:55: providers.i.budget.daily is \"0.0000001 USD\": use an amount over 0, like "
        "10.00 "
        "USD\n");
}

static void secrets_list_variables_with_their_hosts(void **state)
{
    fixture *f = *state;

    read_text(f, "secrets:\n  env:\n    A_KEY: [llm.example.org, \"127.0.0.1:80\"]\n"
                 "    B_KEY: [command, \"http://10.0.0.5:8080\"]\n");
    assert_int_equal(f->c->errors, 0);
    assert_int_equal(f->c->secrets.n, 2);
    assert_true(skn_str_is(f->c->secrets.p[0].grant.name, "A_KEY"));
    assert_string_equal(skn_config_secret_text(&f->c->secrets.p[0], f->a).p,
                        "llm.example.org, 127.0.0.1:80");
    read_text(f,
              "secrets:\n  env:\n    A_KEY: llm.example.org\n    2B: [h]\n    C: []\n"
              "    D: [\"https://kim@h\"]\n    E: [h/path]\n    F: [\"*\"]\n    G: [\"h:0\"]\n"
              "    H: [\"https://h/\"]\n    OK: [h]\n  evn: 1\n");
    assert_int_equal(f->c->errors, 9);
    assert_int_equal(f->c->secrets.n, 1);
}

static void no_key_is_in_what_is_shown(void **state)
{
    fixture *f = *state;
    skn_buf  out;
    skn_jw   w;

    read_text(f,
              "providers:\n"
              "  kim: { type: openai, apiKey: sk-planted-0123456789abcdef }\n"
              "  lee: { type: openai, apiKey: short }\n"
              "  env: { type: openai, apiKey: { env: KIM_KEY } }\n"
              "  cmd: { type: openai, apiKey: { command: [pass, sk-planted-0123456789abcdef] "
              "} }\n"
              "  head: { type: openai, headers: { X: sk-planted-0123456789abcdef } }\n");
    skn_buf_init(&out, 1 << 20);
    skn_jw_init(&w, &out);
    skn_config_shape(&w, f->c, f->c, f->a);
    assert_null(strstr(out.p, key));
    assert_null(strstr(out.p, "0123456789abc"));
    assert_null(strstr(out.p, "short"));
    assert_non_null(strstr(out.p, "\"providers.kim\":{\"value\":\"openai, key …cdef\""));
    assert_null(
        strstr(strstr(out.p, "\"providers.kim\""), "\"restart\":true")); /* a reload will do */
    assert_non_null(strstr(out.p, "{ env: KIM_KEY }"));
    assert_non_null(strstr(out.p, "\"server.listen\":{\"value\":\"127.0.0.1:7534\",\"origin\":"
                                  "\"built-in\",\"restart\":true}"));
    assert_non_null(strstr(out.p, "\"data.keepBackups\":{\"value\":7,"));
    assert_non_null(strstr(out.p, "\"server.allowOrigins\":{\"value\":[],"));
    skn_buf_release(&out);
}

static skn_provider_setting setting(fixture *f, size_t i)
{
    skn_provider_setting s;

    assert_true(i < f->c->providers.n);
    skn_config_provider_read(&f->c->providers.p[i], &s, f->a);
    return s;
}

static const skn_model_price *priced(const fixture *f, const char *model)
{
    return skn_price_find(f->c->prices.p, f->c->prices.n, skn_str_of(model));
}

static void the_longest_name_that_fits_has_the_price(void **state)
{
    fixture              *f = *state;
    const skn_model_price odd = {.input = 3, .cached = 1, .written = 4, .output = 15};

    read_text(f, "");
    assert_int_equal(f->c->errors, 0);
    assert_int_equal(priced(f, "gpt-4o")->input, 2500000);
    assert_int_equal(priced(f, "gpt-4o-mini-2024-07-18")->input, 150000);
    assert_int_equal(priced(f, "claude-sonnet-4-5")->written, 3750000);
    assert_int_equal(priced(f, "gpt-4-turbo-preview")->cached, 10000000);
    assert_null(priced(f, "gpt-4p"));
    assert_null(priced(f, "llama3"));
    /* 1,000,000 in, of which 300,000 cached and 200,000 written; 100,000 out */
    assert_int_equal(
        skn_price_of(priced(f, "claude-sonnet-4"), 1000000, 300000, 200000, 100000),
        (int64_t)(1500 + 90 + 750 + 1500) * 1000000);
    assert_int_equal(skn_price_of(&odd, 1000, 0, 0, -1), 3);
    assert_int_equal(skn_price_of(&odd, -1, 0, 0, -1), 0);
}

static void a_table_beside_the_file_is_before_the_built_in_one(void **state)
{
    fixture *f = *state;

    read_at_home(f, NULL, "prices.yaml",
                 "prices:\n  gpt-*: { input: 7, output: 8 }\n  own: { input: 1 }\n");
    assert_int_equal(priced(f, "gpt-4o-mini")->input, 7000000);
    assert_int_equal(priced(f, "o3-mini")->input, 1100000);
    assert_int_equal(f->c->errors, 1);
    assert_non_null(strstr(f->c->problems.p[0].text.p, "the price of own must be"));
}

static void providers_are_read_as_they_were_written(void **state)
{
    fixture             *f = *state;
    skn_provider_setting s;

    read_text(f, "providers:\n  a:\n    type: openai\n    apiKey: { env: A_KEY }\n"
                 "    timeout: 90s\n    maxRetries: 0\n    concurrency: 4\n"
                 "    headers: { X-Team: launch, X-B: '' }\n    models: [small, large]\n"
                 "    budget: { monthly: 10.5 USD, daily: 2 USD, then: stop }\n"
                 "    prices: { small: { input: 0.25, cached: 0.1, output: 1 }, large: { "
                 "input: 3, output: "
                 "15.00 } }\n"
                 "  b:\n    type: ollama\n    baseUrl: http://127.0.0.1:1\n"
                 "    apiKey: { command: [pass, show, 'b c'] }\n"
                 "  c:\n    type: anthropic\n    apiKey: { credential: claude }\n");
    assert_int_equal(f->c->errors, 0);
    s = setting(f, 0);
    assert_true(skn_str_is(s.name, "a") && skn_str_is(s.type, "openai"));
    assert_true(s.key.from == SKN_KEY_ENV && skn_str_is(s.key.name, "A_KEY"));
    assert_int_equal(s.timeout_ms, 90000);
    assert_int_equal(s.retries, 0);
    assert_int_equal(s.at_once, 4);
    assert_int_equal(s.header_count, 2);
    assert_true(skn_str_is(s.headers[0].name, "X-Team") &&
                skn_str_is(s.headers[0].value, "launch"));
    assert_int_equal(s.model_count, 2);
    assert_true(skn_str_is(s.models[1], "large"));
    assert_int_equal(s.monthly_micros, 10500000);
    assert_int_equal(s.daily_micros, 2000000);
    assert_true(s.stops);
    assert_int_equal(s.price_count, 2);
    assert_true(skn_str_is(s.prices[0].model, "small") && s.prices[0].input == 250000 &&
                s.prices[0].output == 1000000 && s.prices[1].output == 15000000);
    assert_true(s.prices[0].cached == 100000 && s.prices[0].written == 250000 &&
                s.prices[1].cached == 3000000);
    s = setting(f, 1);
    assert_int_equal(s.key.from, SKN_KEY_COMMAND);
    assert_string_equal(s.key.command[2], "b c");
    assert_null(s.key.command[3]);
    assert_int_equal(s.retries, -1);
    assert_true(skn_str_is(s.base_url, "http://127.0.0.1:1"));
    s = setting(f, 2);
    assert_true(s.key.from == SKN_KEY_CREDENTIAL && skn_str_is(s.key.name, "claude"));
    assert_null(s.base_url.p);
    assert_true(skn_str_ends(s.origin, SKN_STR(":16")));
}

#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_setting_has_a_built_in_value),
        T(the_example_of_the_manual_is_right),
        T(a_value_of_the_file_has_its_line),
        T(the_environment_wins_over_the_file_and_flags_over_both),
        T(the_person_s_file_wins_over_the_system_s),
        T(files_that_are_not_there_are_no_problem_unless_named),
        T(the_store_wins_over_the_file_but_not_over_the_environment),
        T(what_yaml_takes_for_something_else_means_what_was_written),
        T(a_list_may_be_a_list_or_words_with_commas),
        T(addresses_are_read_apart),
        T(mistakes_are_told_with_place_and_cure),
        T(a_key_in_a_file_that_only_its_owner_reads_is_no_warning),
        T(each_type_says_what_to_write_instead),
        T(sections_must_be_known_and_hold_keys),
        T(a_setting_that_would_have_no_effect_is_unknown),
        T(a_file_that_is_no_yaml_names_its_place),
        T(variables_are_checked_like_files),
        T(providers_are_checked),
        T(providers_are_read_as_they_were_written),
        T(the_longest_name_that_fits_has_the_price),
        T(a_table_beside_the_file_is_before_the_built_in_one),
        T(secrets_list_variables_with_their_hosts),
        T(no_key_is_in_what_is_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
