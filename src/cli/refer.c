/* Versions and messages, by what a person calls them. */
#include "base/error.h"
#include "cli/door_view.h"
#include "cli/place.h"
#include "cli/print.h"

#include <ctype.h>
#include <stdio.h>

bool skn_is_version(skn_str ref)
{
    int64_t number;

    if (skn_str_starts(ref, SKN_STR("t_")))
        return true;
    return ref.n > 1 && ref.p[0] == 'v' && isdigit((unsigned char)ref.p[1]) &&
           skn_str_int(skn_str_sub(ref, 1, ref.n), &number);
}

bool skn_is_lane(skn_str ref)
{
    skn_str piece;
    int64_t number;

    if (!skn_str_split(&ref, '.', &piece) || !skn_str_is(piece, "main"))
        return false;
    while (skn_str_split(&ref, '.', &piece))
        if (!piece.n || !isdigit((unsigned char)piece.p[0]) || !skn_str_int(piece, &number))
            return false;
    return true;
}

skein_rc skn_need_version(skn_cli *cli, const skein_conversation *chat, const char *ref,
                          skein_version *out)
{
    if (ref && !skn_is_version(skn_str_of(ref)))
        return skn_fail_hint(
            &cli->err, SKEIN_USAGE,
            "Versions are called v1, v2 and so on; \"skein history\" lists them",
            "\"%s\" is not a version", ref);
    return ref ? skn_door_version(cli, skn_str_of(ref), out)
               : skn_door_version_numbered(cli, chat->version, out);
}

static bool split_length(skn_str ref, skn_str *version, int64_t *length)
{
    size_t dot = ref.n;

    while (dot > 0 && ref.p[dot - 1] != '.')
        dot--;
    if (dot < 2 || dot == ref.n || !isdigit((unsigned char)ref.p[dot]))
        return false;
    *version = skn_str_sub(ref, 0, dot - 1);
    return skn_str_int(skn_str_sub(ref, dot, ref.n), length);
}

bool skn_is_version_at(skn_str ref)
{
    skn_str version;
    int64_t length;

    return split_length(ref, &version, &length) && skn_is_version(version);
}

skein_rc skn_need_version_at(skn_cli *cli, const skein_conversation *chat, const char *ref,
                             skein_version *out, int64_t *length)
{
    skn_str  version;
    skein_rc rc;

    *length = -1;
    if (!ref || !skn_is_version_at(skn_str_of(ref)))
        return skn_need_version(cli, chat, ref, out);
    split_length(skn_str_of(ref), &version, length);
    if ((rc = skn_need_version(cli, chat, skn_arena_copy(cli->keep, version).p, out)))
        return rc;
    if (*length > out->length)
        return skn_missing(cli,
                           skn_fail(&cli->err, SKEIN_NOT_FOUND,
                                    "v%lld has %lld messages, not %lld", (long long)out->number,
                                    (long long)out->length, (long long)*length),
                           "version");
    return SKEIN_OK;
}

skein_rc skn_need_message(skn_cli *cli, skn_str ref, skein_message *out)
{
    return skn_door_message(cli, ref, out, NULL, NULL);
}

skein_rc skn_need_messages(skn_cli *cli, size_t from, skn_uids *out)
{
    skein_message m;
    skein_rc      rc = SKEIN_OK;

    *out = (skn_uids){0};
    for (size_t i = from; i < cli->arg_count && !rc; i++)
        if (!(rc = skn_need_message(cli, skn_arg(cli, i), &m)))
            skn_vec_add(cli->keep, out, m.uid);
    return rc;
}

skein_rc skn_missing(skn_cli *cli, skein_rc rc, const char *thing)
{
    if (rc == SKEIN_NOT_FOUND)
        cli->more.thing = thing;
    return rc;
}
