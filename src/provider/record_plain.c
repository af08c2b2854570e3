/* Removes from a request what differs in every run: its ids and times. Without that the same conversation would never
 * give the same bytes twice. Recorded answers contain the ids of their own run. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/uid.h"
#include "provider/provider.h"
#include "provider/record.h"

#include <ctype.h>
#include <string.h>

enum {
    CALL_ID = sizeof "call_0123456789abcdef" - 1,
    TODAY_MOST = 40
}; /* as made by skn_wire_hand_calls */

/* Whether an id can be ours: made since the start of 2026, and not later than tomorrow. */
static bool is_of_today(skn_str s)
{
    static const char digits[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "_abcdefghijklmnopqrstuvwxyz";
    const int64_t     first = INT64_C(1767225600000), day = INT64_C(86400000);
    int64_t           ms = 0;

    for (size_t i = 0; i < SKN_UID_LEN - 3; i++) /* the last three count within a millisecond */
        ms = ms << 6 | (strchr(digits, s.p[i]) - digits);
    return ms >= first && ms < skn_clock_micros() / 1000 + day;
}

static bool is_call(skn_str run)
{
    if (run.n != CALL_ID || !skn_str_starts(run, SKN_STR("call_")))
        return false;
    for (size_t i = 5; i < CALL_ID; i++)
        if (!strchr("0123456789abcdef", run.p[i]))
            return false;
    return true;
}

/* The id that a run of id letters is, or ends with ("in_…"); absent: none. */
static skn_str id_in(skn_str run)
{
    skn_str id = run.n < SKN_UID_LEN ? SKN_NONE : skn_str_sub(run, run.n - SKN_UID_LEN, run.n);

    if (is_call(run))
        return run;
    return id.p && (run.n == SKN_UID_LEN || run.p[run.n - SKN_UID_LEN - 1] == '_') &&
                   is_of_today(id)
               ? id
               : SKN_NONE;
}

/* Length of the time that the text starts with, such as "2026-11-15T14:02:03.004Z"; 0: none. */
static size_t time_at(skn_str s)
{
    static const char form[] = "dddd-dd-ddTdd:dd";
    size_t            n = 0;

    for (; form[n]; n++)
        if (n >= s.n || (form[n] == 'd'   ? !isdigit((unsigned char)s.p[n])
                         : form[n] == 'T' ? s.p[n] != 'T' && s.p[n] != ' '
                                          : s.p[n] != form[n]))
            return 0;
    while (n < s.n && (isdigit((unsigned char)s.p[n]) || s.p[n] == ':' || s.p[n] == '.'))
        n++;
    return n < s.n && s.p[n] == 'Z' ? n + 1 : n;
}

/* Length of "Today is Friday, 2026-11-20"; 0: none. */
static size_t today_at(skn_str s)
{
    static const char form[] = ", dddd-dd-dd";
    size_t            n = sizeof SKN_TODAY - 1;

    if (!skn_str_starts(s, SKN_STR(SKN_TODAY)))
        return 0;
    while (n < s.n && isalpha((unsigned char)s.p[n]))
        n++;
    for (size_t i = 0; form[i]; i++, n++)
        if (n >= s.n || (form[i] == 'd' ? !isdigit((unsigned char)s.p[n]) : s.p[n] != form[i]))
            return 0;
    return n;
}

/* Length of the run of letters that ids consist of; any other letter ends an id. */
static size_t run_at(skn_str s)
{
    size_t n = 0;

    while (n < s.n && (isalnum((unsigned char)s.p[n]) || s.p[n] == '_' || s.p[n] == '-'))
        n++;
    return n;
}

static void add_id(skn_buf *out, skn_str id, skn_map *known, skn_record_ids *ids, skn_arena *a)
{
    const int64_t *number = skn_map_get(known, id);

    if (!number) {
        int64_t *made = SKN_NEW(a, int64_t);

        skn_vec_add(a, ids, id);
        *made = (int64_t)ids->n;
        *skn_map_slot(known, id) = made;
        number = made;
    }
    skn_buf_addf(out, "#%lld", (long long)*number);
}

/* An escape sequence of JSON is not part of a word: "\n" ends the text before it and starts no id. */
skn_str skn_record_plain(skn_str request, skn_record_ids *ids, skn_arena *a)
{
    skn_map *known = skn_map_new(a);
    skn_buf  out;
    size_t   n;

    skn_buf_init(&out, 2 * request.n + 1);
    for (skn_str rest = request; rest.n; rest = skn_str_sub(rest, n, rest.n)) {
        skn_str id = SKN_NONE;

        if ((n = time_at(rest)) || (n = today_at(rest))) {
            skn_buf_addc(&out, '@');
            continue;
        }
        n = rest.p[0] == '\\' && rest.n > 1 ? (rest.p[1] == 'u' && rest.n >= 6 ? 6 : 2)
                                            : run_at(rest);
        if (n && rest.p[0] != '\\')
            id = id_in(skn_str_sub(rest, 0, n));
        n = n ? n : 1;
        skn_buf_add(&out, skn_str_sub(rest, 0, n - id.n));
        if (id.n)
            add_id(&out, id, known, ids, a);
    }
    return skn_buf_keep(&out, a);
}

skn_str skn_record_rename(skn_str text, const skn_record_ids *from, const skn_record_ids *to,
                          skn_arena *a)
{
    skn_buf out;
    size_t  done = 0;

    if (!from->n || from->n != to->n)
        return text;
    skn_buf_init(&out, SIZE_MAX);
    for (size_t at = 0; at + SKN_UID_LEN <= text.n; at++)
        for (size_t i = 0; i < from->n; i++) {
            skn_str id = from->p[i];

            if (text.p[at] != id.p[0] || at + id.n > text.n ||
                memcmp(text.p + at, id.p, id.n) != 0)
                continue;
            skn_buf_add(&out, skn_str_sub(text, done, at));
            skn_buf_add(&out, to->p[i]);
            done = at + id.n;
            at = done - 1;
            break;
        }
    skn_buf_add(&out, skn_str_sub(text, done, text.n));
    return skn_buf_keep(&out, a);
}
