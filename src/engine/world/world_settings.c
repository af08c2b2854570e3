/* world_settings.c: reading, checking and showing the settings of a world. */
#include "engine/world/world_settings.h"
#include "base/utf8.h"
#include "engine/engine.h"

#include <strings.h>

#define SETTINGS_MAX ((size_t)64 << 10)
#define ENTRIES_MAX  ((size_t)256) /* of each object and list in them */
#define NAME_LONGEST ((size_t)64)
#define NAME_SHOWN   ((size_t)80)
#define PERSON_MAX   ((size_t)200)

/* --- The limits --------------------------------------------------------------------------------- */

static const struct number {
    const char *name;
    int64_t     least, most, otherwise;
} numbers[] = {{"delegationDepth", 1, 10000, 8},
               {"delegationsMost", 1, 100000, 64},
               {"monthlyTokens", 0, INT64_C(1000000000000), 0},
               {"compactShare", 10, 95, 75},
               {"monthlyCents", 0, INT64_C(100000000), 0},
               {"dailyCents", 0, INT64_C(100000000), 0},
               {"maxTokens", 1, SKN_AGENT_TOKENS_MOST, 0},
               {"fileBytes", 0, SKN_FILE_MOST, SKN_FILE_MOST},
               {"messageFiles", 0, SKN_FILES_MOST, 20},
               {"messageFileBytes", 0, INT64_C(64) << 20, INT64_C(32) << 20},
               {"worldFileBytes", 0, INT64_C(1) << 50, INT64_C(1) << 30}};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static int64_t number_of(const skn_json *settings, const struct number *n)
{
    const skn_json *v = skn_json_get(settings, n->name);
    int64_t         i;

    if (v && v->kind == SKN_JSON_NUMBER && skn_str_int(v->text, &i) && i >= n->least &&
        i <= n->most)
        return i;
    return n->otherwise;
}

/* The object, or NULL for what is none. */
static const skn_json *parsed(skn_str settings, skn_arena *a)
{
    const skn_json *v;

    if (!settings.n || skn_json_parse(&v, settings, "the settings", a, NULL))
        return NULL;
    return v->kind == SKN_JSON_OBJECT ? v : NULL;
}

/* Those of an object; NULL for what is none. */
static const skn_json *first_of(const skn_json *v)
{
    return v && v->kind == SKN_JSON_OBJECT ? v->first : NULL;
}

skn_world_limits skn_world_limits_of(skn_str settings, skn_arena *scratch)
{
    const skn_json  *v = parsed(settings, scratch);
    const skn_json  *knowledge = skn_json_get(v, "knowledge");
    skn_world_limits out = {.delegation_depth = number_of(v, &numbers[0]),
                            .delegations_most = number_of(v, &numbers[1]),
                            .monthly_tokens = number_of(v, &numbers[2]),
                            .compact_share = number_of(v, &numbers[3]),
                            .monthly_cents = number_of(v, &numbers[4]),
                            .daily_cents = number_of(v, &numbers[5]),
                            .file_bytes = number_of(v, &numbers[7]),
                            .message_files = number_of(v, &numbers[8]),
                            .message_file_bytes = number_of(v, &numbers[9]),
                            .world_file_bytes = number_of(v, &numbers[10])};

    out.knowledge = knowledge && knowledge->kind == SKN_JSON_BOOL && knowledge->boolean;
    return out;
}

/* --- Checking ------------------------------------------------------------------------------------ */

/* Where in the settings something is wrong; never what stands there, which may be a secret. */
static skein_rc wrong(skn_str at, const char *what, skein_error *err)
{
    return skn_fail(err, SKEIN_INVALID, "\"/settings%.*s\" %s", SKN_FMT(skn_utf8_cut(at, 200)),
                    what);
}

static skn_str below(skn_arena *a, skn_str at, skn_str key)
{
    return skn_arena_printf(a, "%.*s/%.*s", SKN_FMT(at), SKN_FMT(skn_utf8_cut(key, 80)));
}

static bool is_name(skn_str s, bool dash)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (c >= '0' && c <= '9' && (dash || i > 0)) || (c == '-' && dash)))
            return false;
    }
    return s.n > 0 && s.n <= (dash ? NAME_LONGEST : NAME_LONGEST * 4);
}

static skein_rc check_word(const skn_json *v, skn_str at, skein_error *err)
{
    if (v->kind == SKN_JSON_STRING && skn_str_among(v->text, "always ask never"))
        return SKEIN_OK;
    return wrong(at, "must be \"always\", \"ask\" or \"never\"", err);
}

static skein_rc check_object(const skn_json *v, skn_str at, skein_error *err)
{
    if (v->kind != SKN_JSON_OBJECT)
        return wrong(at, "must be an object", err);
    return v->count <= ENTRIES_MAX ? SKEIN_OK : wrong(at, "has too many members", err);
}

static skein_rc check_approvals(skn_arena *a, const skn_json *v, skn_str at, skein_error *err)
{
    skein_rc rc = check_object(v, at, err);

    for (const skn_json *m = v->first; rc == SKEIN_OK && m; m = m->next)
        rc = m->key.n ? check_word(m, below(a, at, m->key), err)
                      : wrong(at, "names a tool without a name", err);
    return rc;
}

static skein_rc check_range(skn_arena *a, const skn_json *v, int64_t least, int64_t most,
                            skn_str at, skein_error *err)
{
    int64_t n;

    if (v->kind == SKN_JSON_NUMBER && skn_str_int(v->text, &n) && n >= least && n <= most)
        return SKEIN_OK;
    return wrong(at,
                 skn_arena_text(a, "must be a whole number from %lld to %lld", (long long)least,
                                (long long)most),
                 err);
}

/* --- Servers of tools ------------------------------------------------------------------------------- */

/* A member of a server in the settings before; NULL: there was none. */
static const skn_json *member_before(const skn_json *before, skn_str server, skn_str member)
{
    return skn_json_member(skn_json_member(skn_json_get(before, "mcpServers"), server), member);
}

/* An entry of its env or headers. */
static const skn_json *entry_before(const skn_json *before, skn_str server, skn_str member,
                                    skn_str key)
{
    return skn_json_member(member_before(before, server, member), key);
}

static skein_rc check_command(const skn_json *v, skn_str at, skein_error *err)
{
    bool fine = v->kind == SKN_JSON_ARRAY && v->count > 0 && v->count <= ENTRIES_MAX;

    for (const skn_json *m = fine ? v->first : NULL; fine && m; m = m->next)
        fine = m->kind == SKN_JSON_STRING && (m != v->first || m->text.n > 0);
    return fine ? SKEIN_OK
                : wrong(at, "must be a list of texts, the program's name first", err);
}

static skein_rc check_url(const skn_json *v, skn_str at, skein_error *err)
{
    skn_str s = v->kind == SKN_JSON_STRING ? v->text : SKN_NONE, host;

    if (!skn_str_starts(s, SKN_STR("http://")) && !skn_str_starts(s, SKN_STR("https://")))
        return wrong(at, "must begin with http:// or https://", err);
    s = skn_str_sub(s, s.p[4] == 's' ? 8 : 7, s.n);
    if (!skn_str_split(&s, '/', &host) || host.n == 0)
        return wrong(at, "names no host", err);
    if (skn_str_find(host, SKN_STR("@")) >= 0)
        return wrong(at, "must not hold a password; use headers", err);
    if (!skn_url_is_clear(v->text))
        return wrong(at, "has a host or a port that cannot be one", err);
    return SKEIN_OK;
}

/* A text, or {"env": "NAME"}. */
static skein_rc check_entry(const skn_json *v, const skn_json *before, skn_str at,
                            skein_error *err)
{
    const skn_json *name = skn_json_get(v, "env");

    if (v->kind == SKN_JSON_STRING && skn_name_is_secret(v->key))
        return skn_hint(err, wrong(at, "is the name of a secret, which is not kept here", err),
                        "Write {\"env\": \"NAME\"} and set that variable for the server.");
    if (v->kind == SKN_JSON_STRING)
        return !skn_str_is(v->text, SKN_HIDDEN) || before
                   ? SKEIN_OK
                   : wrong(at, "stands for a text that was there before; there was none", err);
    if (v->kind == SKN_JSON_OBJECT && v->count == 1 && name && name->kind == SKN_JSON_STRING &&
        is_name(name->text, false))
        return SKEIN_OK;
    return wrong(at, "must be a text, or {\"env\": \"NAME\"}", err);
}

/* A name that is there from before may stay. */
static skein_rc check_header(const skn_json *v, const skn_json *before, skn_str at,
                             skein_error *err)
{
    skn_str value = v->kind == SKN_JSON_STRING ? v->text : SKN_STR("");

    if (!skn_header_is_one(before ? SKN_STR("X") : v->key, value))
        return wrong(
            at,
            "is not a header that can be sent: a name has no blank, colon or character "
            "outside of ASCII, a value no line end",
            err);
    return before || !skn_header_is_ours(v->key)
               ? SKEIN_OK
               : wrong(at, "is a header that skein sets itself", err);
}

static skein_rc check_entries(skn_arena *a, const skn_json *v, const skn_json *before,
                              skn_str server, skn_str at, skein_error *err)
{
    skein_rc rc = check_object(v, at, err);

    for (const skn_json *m = v->first; rc == SKEIN_OK && m; m = m->next) {
        const skn_json *was = entry_before(before, server, v->key, m->key);

        if (skn_str_is(v->key, "headers"))
            rc = check_header(m, was, below(a, at, m->key), err);
        if (!rc)
            rc = check_entry(m, was, below(a, at, m->key), err);
    }
    return rc;
}

static skein_rc check_member(skn_arena *a, const skn_json *m, const skn_json *before,
                             skn_str server, skn_str at, skein_error *err)
{
    const skn_json *was = member_before(before, server, m->key);

    if (was &&
        skn_str_eq(was->raw, m->raw)) /* kept under older rules, and not what is changed */
        return SKEIN_OK;
    if (skn_str_is(m->key, "command"))
        return check_command(m, at, err);
    if (skn_str_is(m->key, "url"))
        return check_url(m, at, err);
    if (skn_str_among(m->key, "env headers"))
        return check_entries(a, m, before, server, at, err);
    if (skn_str_is(m->key, "timeoutMs"))
        return check_range(a, m, 100, 3600000, at, err);
    if (skn_str_is(m->key, "approval"))
        return check_word(m, at, err);
    return skn_hint(err, wrong(at, "is not known", err),
                    "A server has command, env, url, headers, timeoutMs and approval.");
}

/* So the first "__" in the name of a tool ends the name of its server, and no two tools have one name. */
static skein_rc check_server_name(const skn_json *v, const skn_json *before, skn_str at,
                                  skein_error *err)
{
    skn_str name = v->key;

    if (!is_name(name, true))
        return wrong(at, "has a name that is not made of 1 to 64 letters, digits, - and _",
                     err);
    if ((name.p[0] == '_' || name.p[name.n - 1] == '_' ||
         skn_str_find(name, SKN_STR("__")) >= 0) &&
        !skn_json_member(skn_json_get(before, "mcpServers"), name))
        return wrong(at, "has a name that begins or ends with _, or has __ in it", err);
    return SKEIN_OK;
}

static skein_rc check_server(skn_arena *a, const skn_json *v, const skn_json *before,
                             skn_str at, skein_error *err)
{
    bool     command = skn_json_get(v, "command"), url = skn_json_get(v, "url");
    skein_rc rc = check_server_name(v, before, at, err);

    if (!rc)
        rc = check_object(v, at, err);
    for (const skn_json *m = v->first; rc == SKEIN_OK && m; m = m->next)
        rc = check_member(a, m, before, v->key, below(a, at, m->key), err);
    if (rc)
        return rc;
    if (command == url)
        return wrong(at, "must have either a command or a url", err);
    if (skn_json_get(v, command ? "headers" : "env"))
        return wrong(at, "has headers without a url, or env without a command", err);
    return SKEIN_OK;
}

/* --- Variables of the environment ----------------------------------------------------------------------- */

static skein_rc check_env(const skn_json *server, const skn_json *before, skn_env_rule *rule,
                          skein_error *err)
{
    const skn_json *url = skn_json_get(server, "url");
    const skn_json *list = skn_json_get(server, url ? "headers" : "env");
    skein_rc        rc = SKEIN_OK;

    for (const skn_json *m = first_of(list); !rc && m; m = m->next) {
        const skn_json *name = skn_json_get(m, "env");
        const skn_json *was = name ? entry_before(before, server->key, list->key, m->key)
                                   : NULL;

        if (name && !(was && skn_str_eq(was->raw, m->raw)))
            rc = skn_env_rule_check(rule, name->text, url ? url->text : SKN_NONE, err);
    }
    return rc;
}

skein_rc skn_tool_server_check_env(const skn_json *server, skn_env_rule *rule, skein_error *err)
{
    return check_env(server, NULL, rule, err);
}

/* What stood there before for the same address may stay, so that the rest can still be changed: it is refused when it
 * is used. */
static skein_rc check_servers_env(const skn_json *settings, const skn_json *before,
                                  skn_env_rule *rule, skein_error *err)
{
    const skn_json *servers = skn_json_get(settings, "mcpServers");
    skein_rc        rc = SKEIN_OK;

    for (const skn_json *s = first_of(servers); !rc && s; s = s->next) {
        const skn_json *url = skn_json_get(s, "url");
        const skn_json *was = skn_json_get(
            skn_json_member(skn_json_get(before, "mcpServers"), s->key), "url");
        bool same = url ? was && skn_str_eq(was->text, url->text) : was == NULL;

        rc = check_env(s, same ? before : NULL, rule, err);
    }
    return rc;
}

bool skn_prompt_facts_valid(const skn_json *v)
{
    bool valid = v->kind == SKN_JSON_ARRAY && v->count <= 3;

    for (const skn_json *one = valid ? v->first : NULL; one && valid; one = one->next)
        valid = one->kind == SKN_JSON_STRING &&
                skn_str_among(one->text, "date timeZone person");
    return valid;
}

/* It stands in prompts. */
static bool is_line(const skn_json *v)
{
    bool valid = v->kind == SKN_JSON_STRING && v->text.n <= PERSON_MAX;

    for (size_t i = 0; valid && i < v->text.n; i++)
        valid = (unsigned char)v->text.p[i] >= 0x20 && v->text.p[i] != 0x7f;
    return valid;
}

static skein_rc check_setting(skn_arena *a, const skn_json *m, const skn_json *before,
                              skein_error *err)
{
    skn_str  at = below(a, SKN_STR(""), m->key);
    skein_rc rc;

    for (size_t i = 0; i < NUMBERS; i++)
        if (skn_str_is(m->key, numbers[i].name))
            return check_range(a, m, numbers[i].least, numbers[i].most, at, err);
    if (skn_str_is(m->key, "knowledge"))
        return m->kind == SKN_JSON_BOOL ? SKEIN_OK : wrong(at, "must be true or false", err);
    if (skn_str_is(m->key, "promptFacts"))
        return skn_prompt_facts_valid(m)
                   ? SKEIN_OK
                   : wrong(at, "must be a list of \"date\", \"timeZone\" and \"person\"", err);
    if (skn_str_is(m->key, "person"))
        return is_line(m) ? SKEIN_OK
                          : wrong(at, "must be a text of one line and at most 200 bytes", err);
    if (skn_str_is(m->key, "approvals"))
        return check_approvals(a, m, at, err);
    if (!skn_str_is(m->key, "mcpServers"))
        return skn_hint(
            err, wrong(at, "is not known", err),
            "There are delegationDepth, delegationsMost, monthlyTokens, monthlyCents, "
            "dailyCents, compactShare, maxTokens, fileBytes, messageFiles, messageFileBytes, "
            "worldFileBytes, approvals, mcpServers, knowledge, promptFacts and person.");
    rc = check_object(m, at, err);
    for (const skn_json *s = m->first; rc == SKEIN_OK && s; s = s->next)
        rc = skn_json_member(m, s->key) == s
                 ? check_server(a, s, before, below(a, at, s->key), err)
                 : wrong(below(a, at, s->key), "is there twice", err);
    return rc;
}

/* --- Writing ------------------------------------------------------------------------------------------ */

static void write_entries(skn_jw *w, const skn_json *v, const skn_json *before, skn_str server,
                          bool hide)
{
    skn_jw_object(w);
    for (const skn_json *m = v->first; m; m = m->next) {
        const skn_json *was = entry_before(before, server, v->key, m->key);

        skn_jw_key_str(w, m->key);
        if (hide && m->kind != SKN_JSON_OBJECT)
            skn_jw_str(w, SKN_STR(SKN_HIDDEN));
        else if (!hide && was && skn_str_is(m->text, SKN_HIDDEN))
            skn_jw_raw(w, was->raw);
        else
            skn_jw_raw(w, m->raw);
    }
    skn_jw_object_end(w);
}

static void write_server(skn_jw *w, const skn_json *v, const skn_json *before, bool hide)
{
    skn_jw_object(w);
    for (const skn_json *m = v->first; m; m = m->next) {
        skn_jw_key_str(w, m->key);
        if (skn_str_is(m->key, "env") || skn_str_is(m->key, "headers"))
            write_entries(w, m, before, v->key, hide);
        else
            skn_jw_raw(w, m->raw);
    }
    skn_jw_object_end(w);
}

/* Either as it is shown, or as it is kept, with the secrets that were there before. */
static void write_settings(skn_jw *w, const skn_json *v, const skn_json *before, bool hide)
{
    skn_jw_object(w);
    for (const skn_json *m = v ? v->first : NULL; m; m = m->next) {
        skn_jw_key_str(w, m->key);
        if (!skn_str_is(m->key, "mcpServers")) {
            skn_jw_raw(w, m->raw);
            continue;
        }
        skn_jw_object(w);
        for (const skn_json *s = m->first; s; s = s->next) {
            skn_jw_key_str(w, s->key);
            write_server(w, s, before, hide);
        }
        skn_jw_object_end(w);
    }
    skn_jw_object_end(w);
}

int64_t skn_world_tool_servers(skn_str settings, skn_arena *scratch)
{
    const skn_json *all = skn_json_get(parsed(settings, scratch), "mcpServers");

    return all && all->kind == SKN_JSON_OBJECT ? (int64_t)all->count : 0;
}

skn_str skn_world_new_command(skn_str given, skn_str before, skn_arena *a)
{
    const skn_json *all = skn_json_get(parsed(given, a), "mcpServers");
    const skn_json *was = skn_json_get(parsed(before, a), "mcpServers");

    for (const skn_json *s = first_of(all); s; s = s->next) {
        const skn_json *command = skn_json_get(s, "command");
        const skn_json *old = skn_json_get(skn_json_member(was, s->key), "command");

        if (command && !(old && skn_str_eq(old->raw, command->raw)))
            return s->key;
    }
    return SKN_NONE;
}

skein_rc skn_world_settings_take(skn_str given, skn_str before, skn_env_rule *rule,
                                 skn_arena *a, skn_str *kept, skein_error *err)
{
    const skn_json *v, *was = parsed(before, a);
    skn_buf         b;
    skn_jw          w;
    skein_rc        rc;

    if (given.n > SETTINGS_MAX)
        return skn_fail(err, SKEIN_LIMIT, "the settings have %zu bytes; %zu are the most",
                        given.n, SETTINGS_MAX);
    if ((rc = skn_json_parse(&v, given, "the settings", a, err)))
        return rc;
    if (v->kind != SKN_JSON_OBJECT)
        return wrong(SKN_STR(""), "must be an object", err);
    for (const skn_json *m = v->first; rc == SKEIN_OK && m; m = m->next)
        rc = check_setting(a, m, was, err);
    if (rc || (rc = skn_world_approvals_check(v, was, err)) ||
        (skn_env_rule_changes(rule) && (rc = check_servers_env(v, was, rule, err))))
        return rc;
    skn_jw_open(&w, &b, 2 * SETTINGS_MAX);
    write_settings(&w, v, was, false);
    if (b.over || b.n > SETTINGS_MAX)
        rc = skn_fail(err, SKEIN_LIMIT, "the settings have more than %zu bytes", SETTINGS_MAX);
    else
        *kept = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return rc;
}

void skn_world_settings_show(skn_jw *w, skn_str settings, skn_arena *scratch)
{
    write_settings(w, parsed(settings, scratch), NULL, true);
}

/* What a world says of tools: which may be named, and what counts for one. */

/* The runtime's own (runtime/tools.c counts them), and what the first clients call some of them. */

static const struct built_in {
    const char *name, *also;
} built_in[] = {{"tell_agent", "tellAgent"},
                {"delegate", NULL},
                {"request_input", "requestInput"},
                {"report_to_lead", "reportToLead"},
                {"remember", NULL},
                {"forget", NULL},
                {"recall", NULL},
                {"read_context", NULL},
                {"read_result", NULL},
                {"list_agents", NULL},
                {"search_messages", NULL},
                {"demo_lookup", NULL},
                {"create_inbox_item", "createInboxItem"},
                {"get_team_status", "getTeamStatus"},
                {"delegate_to_agent", "delegateToAgent"}};
_Static_assert(sizeof built_in / sizeof *built_in == SKN_TOOLS_BUILT_IN, "one for each");

static const struct built_in *find_built_in(skn_str name)
{
    for (size_t i = 0; i < SKN_TOOLS_BUILT_IN; i++)
        if (skn_str_is(name, built_in[i].name) ||
            (built_in[i].also && skn_str_is(name, built_in[i].also)))
            return &built_in[i];
    return NULL;
}

skn_str skn_tool_name(skn_str name)
{
    const struct built_in *found = find_built_in(name);

    return found ? skn_str_of(found->name) : name;
}

static bool is_same(skn_str a, skn_str b)
{
    return skn_str_eq(skn_tool_name(a), skn_tool_name(b));
}

/* Older stores have names of servers with "__" in them, so one of a tool may fit several: "a__b__c". */
static bool is_of(skn_str tool, skn_str server)
{
    return tool.n > server.n + 2 && skn_str_starts(tool, server) &&
           skn_str_starts(skn_str_sub(tool, server.n, tool.n), SKN_STR("__"));
}

/* --- Which may be named ----------------------------------------------------------------------- */

static bool has_server_of(const skn_json *settings, skn_str tool)
{
    if (memchr(tool.p, '*', tool.n))
        return false;
    for (const skn_json *s = first_of(skn_json_get(settings, "mcpServers")); s; s = s->next)
        if (is_of(tool, s->key))
            return true;
    return false;
}

static void add_known(skn_buf *out, const skn_json *settings)
{
    for (const skn_json *s = first_of(skn_json_get(settings, "mcpServers")); s; s = s->next)
        skn_buf_addf(out, "%.*s__TOOL, ", SKN_FMT(s->key));
    for (size_t i = 0; i < SKN_TOOLS_BUILT_IN; i++)
        skn_buf_addf(out, "%s%s", i ? ", " : "", built_in[i].name);
}

static skein_rc unknown(skn_str name, const skn_json *settings, skein_error *err)
{
    skn_buf known;

    skn_fail(err, SKEIN_INVALID, "\"/settings/approvals/%.*s\" names no tool",
             SKN_FMT(skn_utf8_cut(name, NAME_SHOWN)));
    skn_buf_init(&known, 4000);
    add_known(&known, settings);
    skn_hint(err, SKEIN_INVALID, "There are: %.*s", SKN_FMT(skn_buf_str(&known)));
    skn_buf_release(&known);
    return SKEIN_INVALID;
}

/* Which of two words would count is not to be a matter of their order. */
static skein_rc check_once(const skn_json *list, const skn_json *m, const skn_json *was,
                           skein_error *err)
{
    for (const skn_json *other = list->first; other != m; other = other->next) {
        bool stood = !skn_str_eq(other->key, m->key) && skn_json_member(was, other->key) &&
                     skn_json_member(was, m->key);

        if (!is_same(other->key, m->key) || stood)
            continue;
        skn_fail(err, SKEIN_INVALID, "\"/settings/approvals/%.*s\" and \"%.*s\" are one tool",
                 SKN_FMT(skn_utf8_cut(other->key, NAME_SHOWN)),
                 SKN_FMT(skn_utf8_cut(m->key, NAME_SHOWN)));
        return skn_hint(err, SKEIN_INVALID, "Keep one of the two; null takes one away.");
    }
    return SKEIN_OK;
}

skein_rc skn_world_approvals_check(const skn_json *settings, const skn_json *before,
                                   skein_error *err)
{
    const skn_json *list = skn_json_get(settings, "approvals");
    const skn_json *was = skn_json_get(before, "approvals");
    skein_rc        rc = SKEIN_OK;

    for (const skn_json *m = first_of(list); !rc && m; m = m->next)
        if (!find_built_in(m->key) && !has_server_of(settings, m->key) &&
            !skn_json_member(was, m->key))
            rc = unknown(m->key, settings, err);
        else
            rc = check_once(list, m, was, err);
    return rc;
}

/* --- What counts for one ---------------------------------------------------------------------- */

/* Nothing said is stricter than "always": then something usual counts, which may be a question. */
static int strictness(const skn_json *word)
{
    return !word                           ? 2
           : word->kind != SKN_JSON_STRING ? 4
           : skn_str_is(word->text, "ask") ? 3
           : skn_str_is(word->text, "always")
               ? 1
               : 4; /* what cannot be understood is not a permission */
}

static skn_str word_of(int strictness)
{
    return strictness == 4   ? SKN_STR("never")
           : strictness == 3 ? SKN_STR("ask")
           : strictness == 1 ? SKN_STR("always")
                             : SKN_NONE;
}

/* Of the words that are said of a tool, the strictest; 0: none is. Older stores may have two for one. */
static int said_of(const skn_json *approvals, skn_str tool)
{
    int most = 0;

    for (const skn_json *m = first_of(approvals); m; m = m->next)
        if (is_same(m->key, tool) && strictness(m) > most)
            most = strictness(m);
    return most;
}

skn_str skn_approval_said(const skn_json *approvals, const skn_json *servers, skn_str tool)
{
    int    said = said_of(approvals, tool), most = 0;
    size_t count = 0;

    for (const skn_json *s = first_of(servers); s; s = s->next)
        if (is_of(tool, s->key)) {
            int own = strictness(skn_json_get(s, "approval"));

            most = own > most ? own : most;
            count++;
        }
    if (said == 1 && count > 1) /* nobody can tell which of them was meant */
        return SKN_STR("ask");
    return word_of(said ? said : most);
}

skn_str skn_world_approval(skn_str settings, skn_str tool, skn_arena *scratch)
{
    const skn_json *v = parsed(settings, scratch);

    return skn_approval_said(skn_json_get(v, "approvals"), skn_json_get(v, "mcpServers"), tool);
}
