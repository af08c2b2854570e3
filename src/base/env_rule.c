#include "base/env_rule.h"

#include "base/utf8.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME_MOST = 200, HOST_MOST = 300 };

struct skn_env_rule {
    pthread_mutex_t mu;
    skn_arena      *a; /* guarded by mu, as the rest */
    skn_env_grant  *list;
    size_t          count;
    uint64_t        changes;
};

/* --- Addresses -------------------------------------------------------------------------------------- */

typedef struct address {
    bool    https;
    skn_str host; /* without the port; [::1] with its brackets */
    int64_t port;
} address;

static bool read_port(skn_str text, address *out)
{
    if (!text.n)
        return true;
    return text.p[0] == ':' && text.n > 1 && text.n <= 6 && isdigit((unsigned char)text.p[1]) &&
           skn_str_int(skn_str_sub(text, 1, text.n), &out->port) && out->port > 0 &&
           out->port < 65536;
}

static size_t host_end(skn_str place, bool names)
{
    bool   six = place.n && place.p[0] == '[';
    size_t i = six;

    while (i < place.n && (isxdigit((unsigned char)place.p[i]) || place.p[i] == '.' ||
                           (six ? place.p[i] == ':'
                                : isalnum((unsigned char)place.p[i]) || place.p[i] == '-' ||
                                      (names && place.p[i] == '_'))))
        i++;
    return six ? (i < place.n && place.p[i] == ']' ? i + 1 : 0) : i;
}

/* Only what no two readers of addresses can understand differently: no user, no escapes, no backslash, plain
 * letters. `names`: also "_", which names of containers have. */
static bool read_url(skn_str url, bool names, address *out)
{
    bool    https = skn_str_starts(url, SKN_STR("https://"));
    skn_str place;
    size_t  n = 0;

    if (!https && !skn_str_starts(url, SKN_STR("http://")))
        return false;
    for (size_t i = 0; i < url.n; i++)
        if ((unsigned char)url.p[i] <= ' ' || url.p[i] == '\\' || url.p[i] == 0x7f)
            return false;
    place = skn_str_sub(url, https ? 8 : 7, url.n);
    while (n < place.n && place.p[n] != '/' && place.p[n] != '?' && place.p[n] != '#')
        n++;
    place = skn_str_sub(place, 0, n);
    n = host_end(place, names);
    *out = (address){https, skn_str_sub(place, 0, n), https ? 443 : 80};
    return n > 0 && n <= HOST_MOST && read_port(skn_str_sub(place, n, place.n), out);
}

static bool read_address(skn_str url, address *out)
{
    return read_url(url, false, out);
}

bool skn_url_is_clear(skn_str url)
{
    address at;

    return read_url(url, true, &at);
}

/* Four numbers, the first of which is 127. "127.08.0.1" is a name to some readers. */
static bool is_127(skn_str host)
{
    skn_str rest = host, piece;
    int64_t n;
    int     count = 0;

    while (skn_str_split(&rest, '.', &piece)) {
        if (!piece.n || piece.n > 3 || (piece.n > 1 && piece.p[0] == '0') ||
            !skn_str_int(piece, &n) || n < 0 || n > 255)
            return false;
        if (count++ == 0 && n != 127)
            return false;
    }
    return count == 4;
}

static bool same_host(skn_str a, skn_str b)
{
    return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

static bool is_loopback(skn_str host)
{
    return is_127(host) || skn_str_is(host, "[::1]") || same_host(host, SKN_STR("localhost"));
}

bool skn_url_is_local(skn_str url)
{
    address at;

    return read_address(url, &at) && is_loopback(at.host);
}

static bool has_scheme(skn_str host)
{
    return skn_str_find(host, SKN_STR("://")) >= 0;
}

static bool read_host(skn_str host, const char *scheme, address *out)
{
    char url[HOST_MOST + 16];
    int  n;

    if (has_scheme(host))
        return read_address(host, out);
    n = snprintf(url, sizeof url, "%s%.*s", scheme, SKN_FMT(host));
    if (n < 0 || (size_t)n >= sizeof url || !read_address((skn_str){url, (size_t)n}, out))
        return false;
    out->host = skn_str_sub(host, 0, out->host.n); /* it outlives the buffer */
    return true;
}

static bool reaches(skn_str host, const address *to)
{
    address at;

    if (!read_host(host, to->https ? "https://" : "http://", &at) ||
        !same_host(at.host, to->host) || at.port != to->port || at.https != to->https)
        return false;
    return to->https || has_scheme(host) || is_loopback(to->host);
}

skn_str skn_url_site(skn_str url)
{
    ptrdiff_t at = skn_str_find(url, SKN_STR("://"));
    size_t    n = at < 0 ? 0 : (size_t)at + 3;

    while (n < url.n && url.p[n] != '/' && url.p[n] != '?' && url.p[n] != '#')
        n++;
    return skn_str_sub(url, 0, n);
}

/* Names with "_", as containers have them, are read by nobody here: they are the same when they are written the same. */
bool skn_site_covers(skn_str site, skn_str url)
{
    address to;

    return read_address(url, &to) ? reaches(site, &to) : skn_str_eq(site, skn_url_site(url));
}

bool skn_env_is_host(skn_str s)
{
    address at;

    if (skn_str_is(s, SKN_ENV_TO_COMMAND))
        return true;
    return memchr(s.p ? s.p : "", '/', s.n) == NULL || has_scheme(s)
               ? read_host(s, "https://", &at) &&
                     (!has_scheme(s) || !skn_str_ends(s, SKN_STR("/")))
               : false;
}

bool skn_env_is_name(skn_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!(isalpha((unsigned char)s.p[i]) || s.p[i] == '_' ||
              (i && isdigit((unsigned char)s.p[i]))))
            return false;
    return s.n > 0 && s.n <= NAME_MOST;
}

/* --- The rule ---------------------------------------------------------------------------------------- */

skn_env_rule *skn_env_rule_new(void)
{
    skn_env_rule *r = skn_heap(sizeof *r);

    pthread_mutex_init(&r->mu, NULL);
    return r;
}

void skn_env_rule_free(skn_env_rule *r)
{
    if (!r)
        return;
    skn_arena_free(r->a);
    pthread_mutex_destroy(&r->mu);
    free(r);
}

static skn_env_grant *copy_list(const skn_env_grant *list, size_t count, skn_arena *a)
{
    skn_env_grant *out = SKN_ARRAY(a, count + 1, skn_env_grant);

    for (size_t i = 0; i < count; i++) {
        skn_str *hosts = SKN_ARRAY(a, list[i].host_count + 1, skn_str);

        for (size_t k = 0; k < list[i].host_count; k++)
            hosts[k] = skn_arena_copy(a, list[i].hosts[k]);
        out[i] = (skn_env_grant){skn_arena_copy(a, list[i].name), hosts, list[i].host_count};
    }
    return out;
}

void skn_env_rule_set(skn_env_rule *r, const skn_env_grant *list, size_t count)
{
    skn_arena     *a = skn_arena_new(), *before;
    skn_env_grant *copy = copy_list(list, count, a);

    pthread_mutex_lock(&r->mu);
    before = r->a;
    r->a = a;
    r->list = copy;
    r->count = count;
    r->changes++;
    pthread_mutex_unlock(&r->mu);
    skn_arena_free(before);
}

uint64_t skn_env_rule_changes(skn_env_rule *r)
{
    uint64_t n = 0;

    if (r) {
        pthread_mutex_lock(&r->mu);
        n = r->changes;
        pthread_mutex_unlock(&r->mu);
    }
    return n;
}

/* NULL: a program. */
static bool is_granted_locked(const skn_env_rule *r, skn_str name, const address *to)
{
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; skn_str_eq(r->list[i].name, name) && k < r->list[i].host_count;
             k++) {
            skn_str host = r->list[i].hosts[k];
            bool    command = skn_str_is(host, SKN_ENV_TO_COMMAND);

            if (to ? !command && reaches(host, to) : command)
                return true;
        }
    return false;
}

static skein_rc refuse_address(skn_str name, const address *to, skein_error *err)
{
    char where[HOST_MOST + 32] = SKN_ENV_TO_COMMAND;

    if (to) {
        bool plain = !to->https && !is_loopback(to->host);
        bool usual = to->port == (to->https ? 443 : 80);
        int  n = snprintf(where, sizeof where, "%s%.*s", plain ? "http://" : "",
                          SKN_FMT(to->host));

        if (!usual && n > 0 && (size_t)n < sizeof where)
            snprintf(where + n, sizeof where - (size_t)n, ":%lld", (long long)to->port);
    }
    skn_fail(err, SKEIN_INVALID, "the variable \"%.*s\" may not be %s%s%s", SKN_FMT(name),
             to ? "sent to \"" : "given to a program", to ? where : "", to ? "\"" : "");
    return skn_hint(err, SKEIN_INVALID,
                    "To allow it, write into the server's skein.yaml: secrets: { env: { %.*s: "
                    "[\"%s\"] } }",
                    SKN_FMT(name), where);
}

skein_rc skn_env_rule_check(skn_env_rule *r, skn_str name, skn_str url, skein_error *err)
{
    address to;
    bool    granted = false;

    if (!skn_env_is_name(name))
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a name of a variable",
                        SKN_FMT(skn_utf8_cut(name, 80)));
    if (url.p && !read_address(url, &to))
        return skn_fail(err, SKEIN_INVALID,
                        "the variable \"%.*s\" is only sent to an address like "
                        "https://llm.example.org/v1",
                        SKN_FMT(name));
    if (r) {
        pthread_mutex_lock(&r->mu);
        granted = is_granted_locked(r, name, url.p ? &to : NULL);
        pthread_mutex_unlock(&r->mu);
    }
    return granted ? SKEIN_OK : refuse_address(name, url.p ? &to : NULL, err);
}

/* --- Headers ----------------------------------------------------------------------------------------- */

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool has_word(skn_str name, const char *word)
{
    size_t n = strlen(word);

    for (size_t at = 0; at + n <= name.n; at++)
        if (strncasecmp(name.p + at, word, n) == 0)
            return true;
    return false;
}

bool skn_name_is_secret(skn_str name)
{
    static const char *const words[] = {"key",    "token",      "secret", "passw",
                                        "cookie", "credential", "auth"};

    for (size_t i = 0; i < COUNT(words); i++)
        if (has_word(name, words[i]))
            return true;
    return false;
}

bool skn_header_is_ours(skn_str name)
{
    static const char *const names[] = {"host",
                                        "content-length",
                                        "transfer-encoding",
                                        "connection",
                                        "keep-alive",
                                        "upgrade",
                                        "te",
                                        "trailer",
                                        "expect",
                                        "proxy-connection",
                                        "mcp-session-id",
                                        "mcp-protocol-version",
                                        "last-event-id"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (name.n == strlen(names[i]) && has_word(name, names[i]))
            return true;
    return false;
}

bool skn_header_is_one(skn_str name, skn_str value)
{
    bool good = name.n > 0;

    for (size_t i = 0; good && i < name.n; i++)
        good = name.p[i] > ' ' && name.p[i] < 0x7f && name.p[i] != ':';
    for (size_t i = 0; good && i < value.n; i++)
        good = (unsigned char)value.p[i] >= ' ' && value.p[i] != 0x7f;
    return good;
}
