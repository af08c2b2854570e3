#include "http/gate.h"
#include "http/inside.h"

#include <stdlib.h>
#include <strings.h>

void skn_gate_token(skn_gate *g, skn_str token)
{
    g->token[0] = '\0';
    if (token.n)
        skn_sha256_of(token, g->token);
}

static bool same(skn_str a, skn_str b)
{
    return a.n == b.n && (a.n == 0 || strncasecmp(a.p, b.p, a.n) == 0);
}

/* Splits "name:7534", "[::1]:7534" or "name"; port is absent when there is none. */
static bool split_host(skn_str text, skn_str *name, skn_str *port)
{
    size_t end = 0;

    *port = SKN_NONE;
    if (text.n && text.p[0] == '[') {
        while (end < text.n && text.p[end] != ']')
            end++;
        if (end++ == text.n)
            return false;
    } else {
        while (end < text.n && text.p[end] != ':')
            end++;
    }
    *name = skn_str_sub(text, 0, end);
    if (end == text.n)
        return name->n > 0;
    *port = skn_str_sub(text, end + 1, text.n);
    return name->n > 0 && text.p[end] == ':';
}

static bool our_port(const skn_gate *g, skn_str port)
{
    int64_t n;

    return !port.p || (port.n <= 5 && skn_str_int(port, &n) && n == g->port);
}

/* An address as it stands in a URL: IPv6 in brackets. */
static bool is_address(skn_str name, skn_str address)
{
    if (name.n > 2 && name.p[0] == '[')
        name = skn_str_sub(name, 1, name.n - 1);
    return address.n > 0 && same(name, address);
}

static skn_str host_of_url(skn_str url)
{
    ptrdiff_t at = skn_str_find(url, SKN_STR("://"));
    size_t    end;

    if (at < 0)
        return SKN_NONE;
    url = skn_str_sub(url, (size_t)at + 3, url.n);
    for (end = 0; end < url.n && url.p[end] != '/';)
        end++;
    return skn_str_sub(url, 0, end);
}

bool skn_gate_public(const skn_gate *g, skn_str host)
{
    skn_str public_host = host_of_url(g->public_url);

    return public_host.n && same(host, public_host);
}

bool skn_gate_host(const skn_gate *g, skn_str host, skn_str here)
{
    static const char *const loopback[] = {"localhost", "127.0.0.1", "[::1]"};
    skn_str                  name, port;

    if (skn_gate_public(g, host))
        return true;
    if (!split_host(host, &name, &port) || !our_port(g, port))
        return false;
    for (size_t i = 0; i < sizeof loopback / sizeof loopback[0]; i++)
        if (same(name, skn_str_of(loopback[i])))
            return true;
    return is_address(name, g->host) || is_address(name, here);
}

/* "http://" and the very host that was asked, or the address that the world knows us by. */
static bool our_origin(const skn_gate *g, skn_str origin, skn_str host)
{
    skn_str url = g->public_url;

    if (skn_str_starts(origin, SKN_STR("http://")) &&
        same(skn_str_sub(origin, 7, origin.n), host))
        return true;
    if (!url.n || !host_of_url(url).n)
        return false;
    return same(origin,
                skn_str_sub(url, 0, (size_t)(host_of_url(url).p - url.p) + host_of_url(url).n));
}

skn_origin skn_gate_origin(const skn_gate *g, skn_str origin, skn_str host)
{
    if (!origin.p || our_origin(g, origin, host))
        return SKN_ORIGIN_OURS;
    for (size_t i = 0; i < g->origin_count; i++)
        if (same(origin, skn_str_of(g->origins[i])))
            return SKN_ORIGIN_ALLOWED;
    return SKN_ORIGIN_REFUSED;
}

bool skn_gate_is_token(const skn_gate *g, skn_str token)
{
    char     theirs[SKN_SHA256_TEXT];
    unsigned differ = 0;

    skn_sha256_of(token, theirs);
    for (size_t i = 0; i < SKN_SHA256_TEXT; i++)
        differ |= (unsigned)(theirs[i] ^ g->token[i]);
    return g->token[0] && differ == 0;
}

bool skn_gate_bearer(const skn_gate *g, skn_str authorization)
{
    if (authorization.n < 7 || strncasecmp(authorization.p, "Bearer ", 7) != 0)
        return false;
    return skn_gate_is_token(g, skn_str_trim(skn_str_sub(authorization, 7, authorization.n)));
}

/* Requests of each address: a bucket that refills evenly. The table has a fixed size, and the address that was idle the
 * longest makes room. */

enum { SLOTS = 4096, TRIES = 8 };

typedef struct bucket {
    uint64_t who; /* 0: nobody */
    int64_t  at;  /* milliseconds */
    double   left;
} bucket;

struct skn_rates {
    uint64_t seed;
    double   most, per_ms;
    bucket   at[SLOTS];
};

skn_rates *skn_rates_new(int per_minute)
{
    skn_rates *r;

    if (per_minute <= 0)
        return NULL;
    r = skn_heap(sizeof *r);
    r->seed = skn_random();
    r->most = per_minute;
    r->per_ms = per_minute / 60000.0;
    return r;
}

void skn_rates_free(skn_rates *r)
{
    free(r);
}

static bucket *bucket_of(skn_rates *r, uint64_t who, int64_t now)
{
    bucket *oldest = &r->at[who % SLOTS];

    for (size_t i = 0; i < TRIES; i++) {
        bucket *b = &r->at[(who + i) % SLOTS];

        if (b->who == who)
            return b;
        if (!b->who || b->at < oldest->at)
            oldest = b;
        if (!b->who)
            break;
    }
    *oldest = (bucket){.who = who, .at = now, .left = r->most};
    return oldest;
}

bool skn_rates_take(skn_rates *r, skn_str address, int64_t now_ms, int64_t *wait_ms)
{
    bucket *b;

    if (!r)
        return true;
    b = bucket_of(r, skn_hash_bytes(r->seed, address) | 1, now_ms);
    b->left += (double)(now_ms - b->at) * r->per_ms;
    b->left = b->left > r->most ? r->most : b->left;
    b->at = now_ms;
    if (b->left >= 1) {
        b->left -= 1;
        return true;
    }
    *wait_ms = (int64_t)((1 - b->left) / r->per_ms) + 1;
    return false;
}
