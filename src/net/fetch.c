#include "net/fetch.h"

#include "base/buf.h"
#include "base/env_rule.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void skn_net_host(skn_str url, char out[SKN_NET_HOST])
{
    ptrdiff_t scheme = skn_str_find(url, SKN_STR("://"));
    skn_str   host = skn_str_sub(url, scheme < 0 ? 0 : (size_t)scheme + 3, url.n);
    size_t    n = 0;

    while (n < host.n && !strchr("/?#", host.p[n]))
        n++;
    host.n = n;
    for (size_t i = 0; i < host.n; i++)
        if (host.p[i] == '@') { /* a name and a password before it */
            host = skn_str_sub(host, i + 1, host.n);
            i = 0;
        }
    snprintf(out, SKN_NET_HOST, "%.*s", SKN_FMT(host));
}

static bool has_control(skn_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return true;
    return false;
}

const char *skn_net_check(const skn_fetch_spec *what)
{
    if (!skn_str_starts(what->url, SKN_STR("http://")) &&
        !skn_str_starts(what->url, SKN_STR("https://")))
        return "the address begins with neither http:// nor https://";
    if (has_control(what->url) || memchr(what->url.p, ' ', what->url.n))
        return "the address has a blank or a control character in it";
    for (size_t i = 0; i < what->header_count; i++) {
        const skn_fetch_header *h = &what->headers[i];

        if (!h->name.n || has_control(h->name) || memchr(h->name.p, ':', h->name.n))
            return "a header has no name";
        if (has_control(h->value)) /* a second header could hide in it */
            return "a header has a line end or another control character in it";
    }
    return NULL;
}

bool skn_net_is_direct(skn_str url)
{
    return !skn_str_starts(url, SKN_STR("https://")) || skn_url_is_local(url);
}

skn_str skn_net_type(skn_str value, char *out, size_t room)
{
    size_t n = 0;

    if (!value.p)
        return SKN_NONE;
    for (; n < value.n && n < room && value.p[n] != ';'; n++)
        out[n] = value.p[n] >= 'A' && value.p[n] <= 'Z' ? (char)(value.p[n] + 32) : value.p[n];
    return skn_str_trim((skn_str){out, n});
}

skn_str skn_fetch_header_of(const skn_fetch_head *head, const char *name)
{
    skn_str rest = skn_buf_str(head->inside), line;
    size_t  n = strlen(name);

    while (skn_str_split(&rest, '\n', &line))
        if (line.n > n && line.p[n] == ':' && strncasecmp(line.p, name, n) == 0)
            return skn_str_trim(skn_str_sub(line, n + 1, line.n));
    return SKN_NONE;
}

void skn_net_explain(skn_fetch_end end, const skn_net_why *of, char *out, size_t room)
{
    switch (end) {
    case SKN_FETCH_WHOLE:
        break;
    case SKN_FETCH_UNREACHABLE:
        snprintf(out, room, "cannot reach %s", of->host);
        break;
    case SKN_FETCH_CUT:
        snprintf(out, room, "%s closed the connection", of->host);
        break;
    case SKN_FETCH_STALLED:
        snprintf(out, room, "%s has sent nothing for %.1f s", of->host,
                 (double)of->stall_ms / 1000);
        break;
    case SKN_FETCH_LATE:
        snprintf(out, room, "%s was not done within %.1f s", of->host,
                 (double)of->total_ms / 1000);
        break;
    case SKN_FETCH_TOO_LARGE:
        snprintf(out, room, "the answer of %s is over %zu bytes", of->host, of->most);
        break;
    case SKN_FETCH_MALFORMED:
        snprintf(out, room, "%s does not speak HTTP", of->host);
        break;
    }
}

void skn_net_lower(char *text)
{
    if (text[0] >= 'A' && text[0] <= 'Z' && !(text[1] >= 'A' && text[1] <= 'Z'))
        text[0] = (char)(text[0] + 32);
}
