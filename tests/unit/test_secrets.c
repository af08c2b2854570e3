/* Keys: where they are kept, where they are fetched from, and where they are never found. */
#include "config/provider_plan.h"

#include "base/env_rule.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define KEY   "sk-planted-0123456789abcdef"
#define OTHER "sk-another-9876543210fedcba"

typedef struct fixture {
    skn_arena    *a;
    char          dir[400];
    const char   *vars[8]; /* NAME, value, … */
    skn_env_rule *rule;
    skein_error   err;
} fixture;

static const char *get_var(void *arg, const char *name)
{
    fixture *f = arg;

    for (size_t i = 0; i + 1 < 8 && f->vars[i]; i += 2)
        if (!strcmp(f->vars[i], name))
            return f->vars[i + 1];
    return NULL;
}

static int open_fixture(void **state)
{
    static fixture f;
    const char    *tmp = getenv("TMPDIR");

    f = (fixture){.a = skn_arena_new(), .rule = skn_env_rule_new()};
    skn_secrets_grant(f.rule, &(skn_config){.errors = 0});
    snprintf(f.dir, sizeof f.dir, "%s/skein-secrets-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(f.dir));
    *state = &f;
    return 0;
}

static const char *in_dir(fixture *f, const char *name)
{
    return skn_arena_printf(f->a, "%s/%s", f->dir, name).p;
}

static void empty(fixture *f, const char *dir)
{
    DIR           *d = opendir(dir);
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.')
            remove(skn_arena_printf(f->a, "%s/%s", dir, e->d_name).p);
    if (d)
        closedir(d);
}

static int close_fixture(void **state)
{
    fixture *f = *state;

    empty(f, in_dir(f, "secrets"));
    empty(f, f->dir);
    rmdir(f->dir);
    skn_env_rule_free(f->rule);
    skn_arena_free(f->a);
    return 0;
}

static const char *write_file(fixture *f, const char *name, const char *text, mode_t mode)
{
    const char *path = in_dir(f, name);
    FILE       *out = fopen(path, "w");

    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    fclose(out);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

static unsigned mode_of(const char *path)
{
    struct stat about;

    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 0777;
}

static const char *kept(fixture *f, const char *name)
{
    skn_str key, place;

    if (skn_secret_get(f->dir, skn_str_of(name), f->a, &key, &place, &f->err))
        fail_msg("%s", f->err.message);
    return key.p ? skn_arena_copy(f->a, key).p : NULL;
}

/* --- The store ---------------------------------------------------------------------------------- */

static void a_key_is_kept_for_nobody_elses_eyes(void **state)
{
    fixture *f = *state;
    bool     was;

    assert_null(kept(f, "openai"));
    umask(0);
    assert_int_equal(skn_secret_put(f->dir, SKN_STR("openai"), SKN_STR(KEY), SKN_NONE, &f->err),
                     0);
    umask(022);
    assert_string_equal(kept(f, "openai"), KEY);
    assert_int_equal(mode_of(in_dir(f, "secrets")), 0700);
    assert_int_equal(mode_of(in_dir(f, "secrets/openai")), 0600);
    assert_int_equal(
        skn_secret_put(f->dir, SKN_STR("openai"), SKN_STR(OTHER), SKN_NONE, &f->err), 0);
    assert_string_equal(kept(f, "openai"), OTHER);
    assert_int_equal(skn_secret_remove(f->dir, SKN_STR("openai"), &was, &f->err), 0);
    assert_true(was);
    assert_int_equal(skn_secret_remove(f->dir, SKN_STR("openai"), &was, &f->err), 0);
    assert_false(was);
    assert_null(kept(f, "openai"));
}

static void a_folder_of_secrets_that_others_can_enter_is_closed(void **state)
{
    fixture *f = *state;

    assert_int_equal(mkdir(in_dir(f, "secrets"), 0755), 0);
    assert_int_equal(skn_secret_put(f->dir, SKN_STR("a"), SKN_STR(KEY), SKN_NONE, &f->err), 0);
    assert_int_equal(mode_of(in_dir(f, "secrets")), 0700);
}

static void is_refused(fixture *f, const char *why)
{
    skn_str key, place;

    assert_int_equal(skn_secret_get(f->dir, SKN_STR("a"), f->a, &key, &place, &f->err),
                     SKEIN_IO);
    assert_null(key.p);
    assert_non_null(strstr(f->err.message, why));
    assert_true(f->err.hint[0]);
}

static void a_key_that_others_can_read_or_write_is_not_used(void **state)
{
    fixture    *f = *state;
    const char *path = in_dir(f, "secrets/a");

    assert_int_equal(skn_secret_put(f->dir, SKN_STR("a"), SKN_STR(KEY), SKN_NONE, &f->err), 0);
    assert_int_equal(chmod(path, 0640), 0);
    is_refused(f, "others can read");
    assert_non_null(strstr(f->err.hint, "chmod 600 "));
    assert_int_equal(chmod(path, 0602), 0);
    is_refused(f, "others can write");
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(chmod(in_dir(f, "secrets"), 0707), 0);
    is_refused(f, "others can write into the folder");
    assert_int_equal(chmod(in_dir(f, "secrets"), 0700), 0);
    assert_string_equal(kept(f, "a"), KEY);
    assert_int_equal(rename(path, in_dir(f, "elsewhere")), 0);
    assert_int_equal(symlink(in_dir(f, "elsewhere"), path), 0);
    is_refused(f, "is a link");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    is_refused(f, "is not a file");
}

/* Only root can give something away. */
static void a_key_of_somebody_else_is_not_used(void **state)
{
    fixture    *f = *state;
    const char *path = in_dir(f, "secrets/a");

    assert_int_equal(skn_secret_put(f->dir, SKN_STR("a"), SKN_STR(KEY), SKN_NONE, &f->err), 0);
    if (geteuid() != 0)
        return;
    assert_int_equal(chown(path, 65534, 65534), 0);
    is_refused(f, "belongs to the user");
    assert_non_null(strstr(f->err.hint, "chown 0 "));
    assert_int_equal(chown(path, 0, 0), 0);
    assert_int_equal(chown(in_dir(f, "secrets"), 65534, 65534), 0);
    is_refused(f, "belongs to the user");
    assert_int_equal(skn_secret_put(f->dir, SKN_STR("a"), SKN_STR(KEY), SKN_NONE, &f->err),
                     SKEIN_IO);
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
    static const char *const names[] = {"../x", "a/b", "", ".", "A", "a.b"};
    fixture                 *f = *state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(
            skn_secret_put(f->dir, skn_str_of(names[i]), SKN_STR(KEY), SKN_NONE, &f->err),
            SKEIN_INVALID);
}

static void what_cannot_be_sent_is_no_key(void **state)
{
    static const char *const keys[] = {"", "a b", "a\nb", "\xc3\xa4", "a\r\nX-Evil: 1"};
    fixture                 *f = *state;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(
            skn_secret_put(f->dir, SKN_STR("a"), skn_str_of(keys[i]), SKN_NONE, &f->err),
            SKEIN_INVALID);
    assert_null(kept(f, "a"));
}

/* --- Other places ------------------------------------------------------------------------------- */

static skein_rc fetch(fixture *f, skn_key_from from, const char *name, skn_str *key,
                      skn_str *warning)
{
    skn_key_source s = {.from = from, .name = skn_str_of(name)};
    skn_str        source;

    return skn_key_fetch(&s, get_var, f, f->a, key, &source, warning, &f->err);
}

static void a_file_loses_its_line_end_and_is_said_to_be_open(void **state)
{
    fixture *f = *state;
    skn_str  key, warning;

    assert_int_equal(
        fetch(f, SKN_KEY_FILE, write_file(f, "k", KEY "\r\n", 0600), &key, &warning), 0);
    assert_true(skn_str_is(key, KEY));
    assert_null(warning.p);
    assert_int_equal(fetch(f, SKN_KEY_FILE, write_file(f, "k", KEY, 0644), &key, &warning), 0);
    assert_true(skn_str_is(key, KEY));
    assert_non_null(strstr(warning.p, "can be read by others (0644)"));
    assert_null(strstr(warning.p, KEY));
    assert_int_equal(fetch(f, SKN_KEY_FILE, write_file(f, "k", KEY, 0646), &key, &warning),
                     SKEIN_IO);
    assert_non_null(strstr(f->err.message, "others can write"));
    assert_non_null(strstr(f->err.hint, "chmod go-w"));
    assert_int_equal(fetch(f, SKN_KEY_FILE, in_dir(f, "none"), &key, &warning),
                     SKEIN_NOT_FOUND);
    assert_int_equal(
        fetch(f, SKN_KEY_FILE, write_file(f, "k", KEY " " KEY, 0600), &key, &warning),
        SKEIN_INVALID);
    assert_null(strstr(f->err.message, KEY));
}

static void a_variable_and_a_credential_are_found(void **state)
{
    fixture *f = *state;
    skn_str  key, warning;

    f->vars[0] = "OFFICE_API_KEY";
    f->vars[1] = KEY;
    f->vars[2] = "CREDENTIALS_DIRECTORY";
    f->vars[3] = f->dir;
    assert_int_equal(fetch(f, SKN_KEY_ENV, "OFFICE_API_KEY", &key, &warning), 0);
    assert_true(skn_str_is(key, KEY));
    assert_int_equal(fetch(f, SKN_KEY_ENV, "NO_API_KEY", &key, &warning), SKEIN_NOT_FOUND);
    assert_string_equal(f->err.message, "NO_API_KEY is not set");
    write_file(f, "office", OTHER "\n", 0644); /* systemd sees to who can read it */
    assert_int_equal(fetch(f, SKN_KEY_CREDENTIAL, "office", &key, &warning), 0);
    assert_true(skn_str_is(key, OTHER));
    assert_null(warning.p);
    assert_int_equal(fetch(f, SKN_KEY_CREDENTIAL, "../x", &key, &warning), SKEIN_INVALID);
}

static skein_rc run(fixture *f, const char *const *words, int64_t ms, skn_str *key)
{
    return skn_key_command(words, ms, f->a, key, &f->err);
}

static void a_command_gives_its_first_line(void **state)
{
    fixture          *f = *state;
    const char *const two[] = {"printf", "%s\\n%s\\n", KEY, "user: kim", NULL};
    const char *const none[] = {"skein-no-such-program", NULL};
    const char *const fails[] = {"false", NULL};
    const char *const shell[] = {"echo", "$HOME;", NULL};
    skn_str           key;

    if (run(f, two, 5000, &key))
        fail_msg("%s", f->err.message);
    assert_true(skn_str_is(key, KEY));
    assert_int_equal(run(f, none, 5000, &key), SKEIN_NOT_FOUND);
    assert_int_equal(run(f, fails, 5000, &key), SKEIN_FAILED);
    assert_int_equal(run(f, shell, 5000, &key), 0); /* as it is written: there is no shell */
    assert_true(skn_str_is(key, "$HOME;"));
}

static void a_command_that_does_not_end_is_ended(void **state)
{
    fixture          *f = *state;
    const char *const slow[] = {"sleep", "60", NULL};
    const char *const keeps[] = {"sh", "-c", "echo " KEY "; sleep 60", NULL};
    skn_str           key;

    assert_int_equal(run(f, slow, 100, &key), SKEIN_TIMEOUT);
    assert_int_equal(run(f, keeps, 200, &key), SKEIN_TIMEOUT);
    assert_null(strstr(f->err.message, KEY));
}

/* --- Plans -------------------------------------------------------------------------------------- */

static void plan(fixture *f, skn_provider_plans *out, const char *stored,
                 const skn_provider_setting *settings, size_t count)
{
    skn_plan_sources from = {.settings = settings,
                             .setting_count = count,
                             .stored = skn_str_of(stored),
                             .data_dir = f->dir,
                             .environment = true,
                             .env = get_var,
                             .env_arg = f,
                             .env_rule = f->rule};

    skn_plans_make(out, &from, f->a);
}

static const skn_provider_plan *planned(const skn_provider_plans *all, const char *name)
{
    const skn_provider_plan *p = skn_plan_find(all, skn_str_of(name));

    assert_non_null(p);
    return p;
}

static void a_key_in_the_environment_waits_for_consent(void **state)
{
    fixture                 *f = *state;
    skn_provider_plans       all;
    const skn_provider_plan *p;

    f->vars[0] = "OPENAI_API_KEY";
    f->vars[1] = KEY;
    plan(f, &all, NULL, NULL, 0);
    p = planned(&all, "openai");
    assert_true(p->listed && !p->consent && p->key_needed);
    assert_string_equal(p->hint.p,
                        "OPENAI_API_KEY is set; to use it: skein provider use openai");
    assert_string_equal(p->key_tail, "…cdef");
    assert_false(planned(&all, "anthropic")->listed);
    assert_non_null(planned(&all, "anthropic")->no_key.p);
    plan(f, &all, "{\"openai\":{\"consent\":true}}", NULL, 0);
    p = planned(&all, "openai");
    assert_null(p->no_key.p);
    assert_true(p->consent && skn_str_is(p->key, KEY));
    assert_true(skn_str_is(p->s.base_url, "https://api.openai.com/v1"));
}

static void a_key_of_the_environment_is_for_the_usual_address_only(void **state)
{
    fixture                 *f = *state;
    skn_provider_plans       all;
    const skn_provider_plan *p;

    f->vars[0] = "OPENAI_API_KEY";
    f->vars[1] = KEY;
    plan(f, &all, "{\"openai\":{\"consent\":true,\"baseUrl\":\"https://evil.example/v1\"}}",
         NULL, 0);
    p = planned(&all, "openai");
    assert_null(p->key.p);
    assert_non_null(p->no_key.p);
}

static void the_second_name_of_a_variable_counts_too(void **state)
{
    fixture           *f = *state;
    skn_provider_plans all;

    f->vars[0] = "GOOGLE_API_KEY";
    f->vars[1] = KEY;
    plan(f, &all, NULL, NULL, 0);
    assert_true(skn_str_is(planned(&all, "gemini")->key_source, "GOOGLE_API_KEY"));
}

static void what_is_in_the_file_wins_and_may_be_used(void **state)
{
    fixture                   *f = *state;
    skn_provider_plans         all;
    const skn_provider_plan   *p;
    const skn_provider_setting settings[] = {
        {.name = SKN_STR("office"),
         .type = SKN_STR("openai-compatible"),
         .base_url = SKN_STR("https://llm.example.org/v1/"),
         .key = {.from = SKN_KEY_FILE, .name = skn_str_of(write_file(f, "k", KEY, 0600))}},
        {.name = SKN_STR("claude"),
         .type = SKN_STR("anthropic"),
         .base_url = SKN_STR("https://api.anthropic.com/v1")},
        {.name = SKN_STR("broken"),
         .type = SKN_STR("openai"),
         .origin = SKN_STR("/etc/my skein.yaml:6"),
         .key = {.from = SKN_KEY_ENV, .name = SKN_STR("NO_API_KEY")}},
    };

    plan(f, &all, "{\"office\":{\"type\":\"ollama\",\"consent\":false}}", settings, 3);
    p = planned(&all, "office");
    assert_true(p->consent && p->in_file && !p->kept && skn_str_is(p->key, KEY));
    assert_int_equal(p->kind, SKN_WIRE_OPENAI);
    assert_true(skn_str_is(p->s.base_url, "https://llm.example.org/v1"));
    p = planned(&all, "claude");
    assert_true(skn_str_is(p->s.base_url, "https://api.anthropic.com"));
    assert_string_equal(p->no_key.p, "there is no key for \"claude\"");
    p = planned(&all, "broken");
    assert_string_equal(p->no_key.p, "there is no key for \"broken\": NO_API_KEY is not set");
    assert_string_equal(p->hint.p, "Change it in /etc/my skein.yaml:6, then: "
                                   "skein config check '/etc/my skein.yaml'");
    assert_int_equal(all.warnings.n, 1);
}

static void a_kept_key_needs_no_variable(void **state)
{
    fixture                 *f = *state;
    skn_provider_plans       all;
    const skn_provider_plan *p;

    assert_int_equal(
        skn_secret_put(f->dir, SKN_STR("mistral"), SKN_STR(KEY), SKN_NONE, &f->err), 0);
    plan(f, &all, "{\"mistral\":{}}", NULL, 0);
    p = planned(&all, "mistral");
    assert_true(skn_str_is(p->key, KEY) && skn_str_is(p->key_source, "secret store"));
    assert_null(p->no_key.p);
}

/* The provider "office" at this address, when its key was given for that place. */
static const skn_provider_plan *plan_office(fixture *f, const char *place, const char *url)
{
    skn_provider_plans all;

    assert_int_equal(
        skn_secret_put(f->dir, SKN_STR("office"), SKN_STR(KEY), skn_str_of(place), &f->err), 0);
    assert_string_equal(kept(f, "office"), KEY);
    plan(f, &all,
         skn_arena_printf(
             f->a, "{\"office\":{\"type\":\"openai-compatible\",\"baseUrl\":\"%s\"}}", url)
             .p,
         NULL, 0);
    return planned(&all, "office");
}

static void a_kept_key_is_for_the_address_that_it_was_given_for(void **state)
{
    static const char *const good[][2] = {
        {"https://llm.example.org", "https://llm.example.org/v1"},
        {"https://llm.example.org:443", "https://LLM.example.org/v2"},
        {"http://10.0.0.5:8080", "http://10.0.0.5:8080/v1"},
        {"http://my_model:8080", "http://my_model:8080/v1"},
        {"llm.example.org", "https://llm.example.org/v1"}, /* from before schemes were kept */
        {"127.0.0.1:9", "http://127.0.0.1:9/v1"},
    };
    static const char *const bad[][2] = {
        {"https://llm.example.org", "https://other.example.org/v1"},
        {"https://llm.example.org", "http://llm.example.org/v1"},
        {"https://llm.example.org", "http://llm.example.org:443/v1"},
        {"https://llm.example.org", "https://llm.example.org:8443/v1"},
        {"https://127.0.0.1:9", "http://127.0.0.1:9/v1"},
        {"http://my_model:8080", "http://my_model:80/v1"},
        {"https://my_model", "http://my_model/v1"},
        {"llm.example.org", "http://llm.example.org/v1"},
        {"my_model", "http://my_model/v1"},
    };
    fixture                 *f = *state;
    const skn_provider_plan *p;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        p = plan_office(f, good[i][0], good[i][1]);
        if (!skn_str_is(p->key, KEY) || p->no_key.p)
            fail_msg("the key for %s is not sent to %s", good[i][0], good[i][1]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        p = plan_office(f, bad[i][0], bad[i][1]);
        if (p->key.p)
            fail_msg("the key for %s is sent to %s", bad[i][0], bad[i][1]);
    }
    p = plan_office(f, bad[1][0], bad[1][1]);
    assert_true(p->key_needed);
    assert_string_equal(p->no_key.p,
                        "there is no key for \"office\": the one that it had was "
                        "given for https://llm.example.org and must be given again "
                        "for this address");
    assert_string_equal(p->hint.p, "To give it one: skein provider login office. If it needs "
                                   "none there: skein provider login office --none");
}

static void a_key_of_another_computer_is_missed_here(void **state)
{
    fixture                 *f = *state;
    skn_provider_plans       all;
    const skn_provider_plan *p;

    plan(f, &all,
         "{\"office\":{\"type\":\"openai-compatible\",\"baseUrl\":\"https://llm.example.org/"
         "v1\","
         "\"keyKept\":true}}",
         NULL, 0);
    p = planned(&all, "office");
    assert_true(p->key_needed);
    assert_string_equal(p->no_key.p,
                        "there is no key for \"office\": it is kept on the computer "
                        "where it was given");
    assert_string_equal(p->hint.p, "To give it one here: skein provider login office");
}

static void ollama_is_where_its_variable_says(void **state)
{
    static const char *const hosts[][2] = {
        {"", "http://127.0.0.1:11434"},
        {"0.0.0.0", "http://127.0.0.1:11434"},
        {"0.0.0.0:9999", "http://127.0.0.1:9999"},
        {":9999", "http://127.0.0.1:9999"},
        {"localhost:9999", "http://localhost:9999"},
        {"http://localhost", "http://localhost:80"},
        {"[::1]:9999", "http://[::1]:9999"},
        {"https://gpu.example.org", "https://gpu.example.org:443"},
    };
    fixture *f = *state;

    f->vars[0] = "OLLAMA_HOST";
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        skn_provider_plans all;

        f->vars[1] = hosts[i][0];
        plan(f, &all, NULL, NULL, 0);
        assert_string_equal(planned(&all, "ollama")->s.base_url.p, hosts[i][1]);
        assert_int_equal(planned(&all, "ollama")->consent,
                         i + 1 < sizeof hosts / sizeof *hosts);
    }
}

static void an_address_of_ollama_that_is_not_clear_is_none(void **state)
{
    static const char *const hosts[] = {"http://127.0.0.1:x@192.0.2.2:7890",
                                        "127.0.0.1:11434@192.0.2.2",
                                        "me:secret@127.0.0.1",
                                        "http://127.0.0.1?@192.0.2.2",
                                        "http://127.0.0.1#@192.0.2.2/",
                                        "http://127.0.0.1\\@192.0.2.2",
                                        "127.0.0.1:99999",
                                        "127.0.0.1 192.0.2.2",
                                        "ftp://127.0.0.1",
                                        "http://"};
    fixture                 *f = *state;

    f->vars[0] = "OLLAMA_HOST";
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        const skn_provider_plan *p;
        skn_provider_plans       all;

        f->vars[1] = hosts[i];
        plan(f, &all, NULL, NULL, 0);
        p = planned(&all, "ollama");
        assert_int_equal(p->s.base_url.n, 0);
        assert_true(p->listed);
        assert_non_null(strstr(p->nowhere.p, "OLLAMA_HOST is not an address"));
        assert_int_equal(all.warnings.n, 1);
    }
}

static void only_this_computer_is_local(void **state)
{
    static const char *const near[] = {"http://127.0.0.1:1/v1", "http://localhost",
                                       "http://[::1]:8/", "http://127.9.8.7",
                                       "https://LocalHost:8"};
    static const char *const far[] = {"http://127.0.0.1.evil.example",
                                      "http://10.0.0.1",
                                      "http://localhost.evil.example",
                                      "http://1270.0.0.1",
                                      "",
                                      "http://127.0.0.1:x@192.0.2.2:7890",
                                      "http://localhost:80@192.0.2.2",
                                      "http://127.08.0.1",
                                      "http://127.0.0.1\\@192.0.2.2",
                                      "localhost"};

    (void)state;
    for (size_t i = 0; i < sizeof near / sizeof *near; i++)
        assert_true(skn_url_is_local(skn_str_of(near[i])));
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        assert_false(skn_url_is_local(skn_str_of(far[i])));
}

/* --- The setting -------------------------------------------------------------------------------- */

static void what_the_store_keeps_reads_back_the_same(void **state)
{
    static const char json[] =
        "{\"local\":{\"type\":\"openai-compatible\",\"baseUrl\":\"http://127.0.0.1:9/v1\","
        "\"apiKeyEnv\":\"X_API_KEY\",\"consent\":false,\"headers\":{\"X-Team\":\"a\"},"
        "\"timeoutMs\":5000,\"maxRetries\":0,\"concurrency\":4},\"openai\":{\"consent\":true}}";
    fixture             *f = *state;
    skn_providers_stored all;

    assert_int_equal(skn_stored_read(&all, skn_str_of(json), f->a, &f->err), 0);
    assert_int_equal(all.count, 2);
    assert_string_equal(skn_stored_write(&all, f->a).p, json);
}

/* --- Which variables may go where ----------------------------------------------------------------- */

/* As if skein.yaml listed them. */
static void list_secrets(fixture *f)
{
    const skn_str office[] = {SKN_STR("llm.example.org"), SKN_STR("127.0.0.1:9"),
                              SKN_STR("http://10.0.0.5:8080"), SKN_STR("[::1]:7")};
    const skn_str git[] = {SKN_STR("command")};
    skn_config    c = {.errors = 0};

    skn_vec_add(f->a, &c.secrets,
                ((skn_config_secret){{SKN_STR("OFFICE_KEY"), office, 4}, "skein.yaml", 1}));
    skn_vec_add(f->a, &c.secrets,
                ((skn_config_secret){{SKN_STR("GIT_TOKEN"), git, 1}, "skein.yaml", 2}));
    skn_secrets_grant(f->rule, &c);
}

static void a_variable_goes_only_where_it_is_listed(void **state)
{
    static const char *const good[][2] = {
        {"OFFICE_KEY", "https://llm.example.org/v1"},
        {"OFFICE_KEY", "https://LLM.Example.ORG"},
        {"OFFICE_KEY", "https://llm.example.org:443/v1?x=@evil.example"},
        {"OFFICE_KEY", "http://127.0.0.1:9/v1"},
        {"OFFICE_KEY", "https://127.0.0.1:9/v1"},
        {"OFFICE_KEY", "http://10.0.0.5:8080/"},
        {"OFFICE_KEY", "http://[::1]:7/x"},
        {"OPENAI_API_KEY", "https://api.openai.com/v1"},
        {"GOOGLE_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai"},
        {"GIT_TOKEN", NULL},
    };
    static const char *const bad[][2] = {
        {"AWS_SECRET_ACCESS_KEY", "https://llm.example.org/v1"},
        {"OFFICE_KEY", "https://evil.example/v1"},
        {"OFFICE_KEY", "http://llm.example.org/v1"},
        {"OFFICE_KEY", "https://llm.example.org:8443/v1"},
        {"OFFICE_KEY", "https://llm.example.org.evil.example/v1"},
        {"OFFICE_KEY", "https://llm.example.org@evil.example/v1"},
        {"OFFICE_KEY", "https://evil.example#@llm.example.org/"},
        {"OFFICE_KEY", "https://evil.example?@llm.example.org/"},
        {"OFFICE_KEY", "https://evil.example\\@llm.example.org/"},
        {"OFFICE_KEY", "https://llm%2eexample.org/v1"},
        {"OFFICE_KEY", "https://llm.example.org:443@evil.example"},
        {"OFFICE_KEY", "https://llm.example.org:/v1"},
        {"OFFICE_KEY", "https://llm.example.org:0443a/v1"},
        {"OFFICE_KEY", "https:/llm.example.org/v1"},
        {"OFFICE_KEY", "ftp://llm.example.org/v1"},
        {"OFFICE_KEY", "https://10.0.0.5:8080/"},
        {"OFFICE_KEY", "http://127.0.0.1/v1"},
        {"OFFICE_KEY", "http://127.0.0.1:90/v1"},
        {"OFFICE_KEY", ""},
        {"OFFICE_KEY", NULL},
        {"GIT_TOKEN", "https://command/"},
        {"OPENAI_API_KEY", "http://api.openai.com/v1"},
        {"OPENAI_API_KEY", "https://api.anthropic.com"},
        {"ANTHROPIC_API_KEY", "https://api.openai.com/v1"},
        {"PATH", NULL},
        {"2X", NULL},
        {"", NULL},
    };
    fixture *f = *state;

    list_secrets(f);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (skn_env_rule_check(f->rule, skn_str_of(good[i][0]), skn_str_of(good[i][1]),
                               &f->err))
            fail_msg("%s to %s: %s", good[i][0], good[i][1], f->err.message);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (skn_env_rule_check(f->rule, skn_str_of(bad[i][0]), skn_str_of(bad[i][1]),
                               &f->err) != SKEIN_INVALID)
            fail_msg("%s may go to %s", bad[i][0], bad[i][1]);
    skn_env_rule_check(f->rule, SKN_STR("OFFICE_KEY"), SKN_STR("https://u.example:8443"),
                       &f->err);
    assert_string_equal(f->err.message,
                        "the variable \"OFFICE_KEY\" may not be sent to \"u.example:8443\"");
    assert_string_equal(f->err.hint,
                        "To allow it, write into the server's skein.yaml: secrets: { env: { "
                        "OFFICE_KEY: [\"u.example:8443\"] } }");
    assert_int_equal(skn_env_rule_check(NULL, SKN_STR("OPENAI_API_KEY"),
                                        SKN_STR("https://api.openai.com/v1"), &f->err),
                     SKEIN_INVALID);
}

static void a_stored_variable_that_is_not_listed_is_not_used(void **state)
{
    fixture                 *f = *state;
    skn_provider_plans       all;
    const skn_provider_plan *p;
    static const char        stored[] =
        "{\"thief\":{\"type\":\"openai-compatible\",\"baseUrl\":\"https://evil.example/v1\","
        "\"apiKeyEnv\":\"OFFICE_KEY\",\"consent\":true},"
        "\"office\":{\"type\":\"openai-compatible\",\"baseUrl\":\"https://llm.example.org/v1\","
        "\"apiKeyEnv\":\"OFFICE_KEY\",\"consent\":true}}";

    f->vars[0] = "OFFICE_KEY";
    f->vars[1] = KEY;
    list_secrets(f);
    plan(f, &all, stored, NULL, 0);
    p = planned(&all, "thief");
    assert_null(p->key.p);
    assert_non_null(strstr(p->no_key.p, "may not be sent to \"evil.example\""));
    assert_non_null(strstr(p->hint.p, "secrets: { env: { OFFICE_KEY: [\"evil.example\"] } }"));
    assert_true(skn_str_is(planned(&all, "office")->key, KEY));
}

static void what_cannot_be_used_is_named(void **state)
{
    static const char *const bodies[][2] = {
        {"{\"type\":\"none\"}", "/type"},
        {"{\"type\":1}", "/type"},
        {"{\"baseUrl\":\"ftp://x\"}", "/baseUrl"},
        {"{\"baseUrl\":\"https://kim:pw@x/\"}", "/baseUrl"},
        {"{\"baseUrl\":\"https://x/?key=1\"}", "/baseUrl"},
        {"{\"apiKeyEnv\":\"2_API_KEY\"}", "/apiKeyEnv"},
        {"{\"apiKeyEnv\":\"A KEY\"}", "/apiKeyEnv"},
        {"{\"apiKeyEnv\":\"\"}", "/apiKeyEnv"},
        {"{\"headers\":{\"Authorization\":\"Bearer x\"}}", "/headers"},
        {"{\"headers\":{\"a\\nb\":\"x\"}}", "/headers"},
        {"{\"headers\":{\"X-Auth-Token\":\"x\"}}", "/headers"},
        {"{\"headers\":{\"X-Secret\":\"x\"}}", "/headers"},
        {"{\"headers\":{\"Cookie\":\"x\"}}", "/headers"},
        {"{\"headers\":{\"Host\":\"x\"}}", "/headers"},
        {"{\"headers\":{\"content-length\":\"1\"}}", "/headers"},
        {"{\"headers\":{\"Transfer-Encoding\":\"chunked\"}}", "/headers"},
        {"{\"headers\":{\"Connection\":\"close\"}}", "/headers"},
        {"{\"timeoutMs\":1}", "/timeoutMs"},
        {"{\"maxRetries\":21}", "/maxRetries"},
        {"{\"concurrency\":0.5}", "/concurrency"},
        {"{\"consent\":\"yes\"}", "/consent"},
    };
    fixture *f = *state;

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        skn_provider_stored one = {0};
        const skn_json     *v;
        const char         *at = "";

        assert_int_equal(skn_json_parse(&v, skn_str_of(bodies[i][0]), "b", f->a, &f->err), 0);
        assert_int_equal(skn_stored_read_one(&one, v, f->a, &at, &f->err), SKEIN_INVALID);
        assert_string_equal(at, bodies[i][1]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_key_is_kept_for_nobody_elses_eyes),
        TEST(a_folder_of_secrets_that_others_can_enter_is_closed),
        TEST(a_key_that_others_can_read_or_write_is_not_used),
        TEST(a_key_of_somebody_else_is_not_used),
        TEST(names_that_lead_elsewhere_are_refused),
        TEST(what_cannot_be_sent_is_no_key),
        TEST(a_file_loses_its_line_end_and_is_said_to_be_open),
        TEST(a_variable_and_a_credential_are_found),
        TEST(a_command_gives_its_first_line),
        TEST(a_command_that_does_not_end_is_ended),
        TEST(a_key_in_the_environment_waits_for_consent),
        TEST(a_key_of_the_environment_is_for_the_usual_address_only),
        TEST(the_second_name_of_a_variable_counts_too),
        TEST(what_is_in_the_file_wins_and_may_be_used),
        TEST(a_kept_key_needs_no_variable),
        TEST(a_kept_key_is_for_the_address_that_it_was_given_for),
        TEST(a_key_of_another_computer_is_missed_here),
        TEST(ollama_is_where_its_variable_says),
        TEST(an_address_of_ollama_that_is_not_clear_is_none),
        TEST(only_this_computer_is_local),
        TEST(what_the_store_keeps_reads_back_the_same),
        TEST(a_variable_goes_only_where_it_is_listed),
        TEST(a_stored_variable_that_is_not_listed_is_not_used),
        TEST(what_cannot_be_used_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
