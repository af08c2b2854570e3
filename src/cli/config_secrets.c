/* The section "secrets": which variables of the environment providers and tool servers may be given, and where they
 * may go. */
#include "base/utf8.h"
#include "cli/config.h"

enum { MOST_SECRETS = 100, MOST_HOSTS = 50 };

static const char *const keys[] = {"env", NULL};

static void wrong(skn_config_reading *r, const skn_yaml *at, const char *what)
{
    skn_config_wrong(
        r, true, at->line, at->column,
        skn_arena_printf(r->a, "secrets.env.%.*s %s", SKN_FMT(skn_utf8_cut(at->key, 80)), what),
        SKN_STR("Write NAME: [llm.example.org, \"127.0.0.1:8080\"], or [command] "
                "for programs of tool servers"));
}

/* The same variable in a later file replaces the one before. */
static void keep(skn_config_reading *r, const skn_config_secret *one)
{
    for (size_t i = 0; i < r->c->secrets.n; i++)
        if (skn_str_eq(r->c->secrets.p[i].grant.name, one->grant.name)) {
            r->c->secrets.p[i] = *one;
            return;
        }
    skn_vec_add(r->a, &r->c->secrets, *one);
}

static void read_variable(skn_config_reading *r, const skn_yaml *y)
{
    skn_str          *hosts = SKN_ARRAY(r->a, y->count + 1, skn_str);
    skn_config_secret one = {{y->key, hosts, 0}, r->file, y->key_line};

    if (!skn_env_is_name(y->key)) {
        wrong(r, y, "is no name of a variable");
        return;
    }
    if (y->kind != SKN_YAML_LIST || !y->count || y->count > MOST_HOSTS) {
        wrong(r, y, "must be a list of hosts");
        return;
    }
    for (const skn_yaml *h = y->first; h; h = h->next) {
        if (h->kind != SKN_YAML_TEXT || !skn_env_is_host(h->text)) {
            wrong(r, y, "has something in its list that is no host");
            return;
        }
        hosts[one.grant.host_count++] = h->text;
    }
    keep(r, &one);
}

static void read_env(skn_config_reading *r, const skn_yaml *env)
{
    if (env->kind == SKN_YAML_TEXT && !env->text.n && !env->quoted)
        return;
    if (env->kind != SKN_YAML_MAP || env->count > MOST_SECRETS) {
        skn_config_wrong(
            r, true, env->line, env->column,
            skn_arena_printf(r->a, "secrets.env must hold at most %d variables", MOST_SECRETS),
            SKN_NONE);
        return;
    }
    for (const skn_yaml *y = env->first; y; y = y->next)
        read_variable(r, y);
}

void skn_config_secrets(skn_config_reading *r, const skn_yaml *section)
{
    for (const skn_yaml *y = section->first; y; y = y->next)
        if (skn_str_is(y->key, keys[0]))
            read_env(r, y);
        else
            skn_config_wrong(r, true, y->key_line, y->key_column,
                             skn_arena_printf(r->a, "unknown key \"%.*s\" in secrets%.*s",
                                              SKN_FMT(skn_utf8_cut(y->key, 80)),
                                              SKN_FMT(skn_config_meant(r, y->key, keys))),
                             SKN_NONE);
}

skn_str skn_config_secret_text(const skn_config_secret *s, skn_arena *a)
{
    skn_str text = SKN_STR("");

    for (size_t i = 0; i < s->grant.host_count; i++)
        text = skn_arena_printf(a, "%.*s%s%.*s", SKN_FMT(text), i ? ", " : "",
                                SKN_FMT(s->grant.hosts[i]));
    return text;
}
