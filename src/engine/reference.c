#include "engine/reference.h"

#include "base/error.h"
#include "base/uid.h"
#include "base/utf8.h"

/* "@" and "@~N"; a sign is no part of the number. */
static bool parse_back(skn_str s, int64_t *back)
{
    *back = 0;
    if (s.n == 1)
        return true;
    if (s.n < 3 || s.p[1] != '~' || s.p[2] == '-')
        return false;
    return skn_str_int(skn_str_sub(s, 2, s.n), back);
}

skein_rc skn_reference_parse(skn_str text, skn_reference *out, skein_error *err)
{
    skn_str  s = text, shown = skn_utf8_cut(text, 80);
    skein_rc rc;

    *out = (skn_reference){.id = SKN_NONE};
    while (s.n > 0 && s.p[s.n - 1] == '^' && out->up <= SKN_UP_MAX) {
        s.n--;
        out->up++;
    }
    if (out->up > SKN_UP_MAX)
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" goes up more than %d replies",
                        SKN_FMT(shown), SKN_UP_MAX);
    if (s.n > 0 && s.p[0] == '@') {
        if (parse_back(s, &out->back))
            return SKEIN_OK;
    } else if (skn_uid_valid(s)) {
        out->id = s;
        return SKEIN_OK;
    }
    rc = skn_fail(err, SKEIN_INVALID, "\"%.*s\" does not name a message", SKN_FMT(shown));
    return skn_hint(err, rc,
                    "Give an id, 4 or more of its first or last characters, @, @~2 or ID^.");
}
