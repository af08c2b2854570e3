/* Versions, messages and lanes, by what a person calls them. */
#include "base/error.h"
#include "cli/far_view.h"
#include "cli/place.h"
#include "cli/print.h"

#include <ctype.h>
#include <stdio.h>

#define LOOK_BACK 1000 /* messages among which a name is looked for */

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

static skein_rc version_of_thread(skn_cli *cli, const skein_conversation *chat, skn_str thread,
                                  skein_version *out)
{
    if (cli->far)
        return skn_far_version(cli, 0, thread, out);
    return skein_version_of_thread(cli->engine, chat->id, thread, cli->keep, out, &cli->err);
}

skein_rc skn_version_numbered(skn_cli *cli, const skein_conversation *chat, int64_t number,
                              skein_version *out)
{
    if (cli->far)
        return skn_far_version(cli, number, SKN_NONE, out);
    return skein_version_get(cli->engine, chat->id, number, cli->keep, out, &cli->err);
}

skein_rc skn_need_version(skn_cli *cli, const skein_conversation *chat, const char *ref,
                          skein_version *out)
{
    int64_t  number = chat->version;
    skein_rc rc;

    if (ref && !skn_is_version(skn_str_of(ref))) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not a version", ref);
        return skn_hint(&cli->err, SKEIN_USAGE,
                        "Versions are called v1, v2 and so on; \"skein history\" lists them");
    }
    if (ref && ref[0] == 't')
        return skn_missing(cli, version_of_thread(cli, chat, skn_str_of(ref), out), "version");
    if (ref)
        skn_str_int(skn_str_of(ref + 1), &number);
    /* To the engine 0 is the current version; nobody means that by v0. */
    rc = number
             ? skn_version_numbered(cli, chat, number, out)
             : skn_hint(&cli->err,
                        skn_fail(&cli->err, SKEIN_NOT_FOUND,
                                 "conversation \"%.*s\" has no version v0", SKN_FMT(chat->uid)),
                        "\"skein history\" lists its versions.");
    return skn_missing(cli, rc, "version");
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

static skein_rc message_by_id(skn_cli *cli, const skein_conversation *chat, skn_str ref,
                              skein_message *out)
{
    if (cli->far)
        return skn_far_message(cli, ref, out, NULL, NULL);
    return skn_missing(cli,
                       skn_message_typed(cli->engine, chat->id, ref, cli->keep, out, &cli->err),
                       "message");
}

/* The newest messages of the current version, oldest first. */
static skein_rc newest_messages(skn_cli *cli, const skein_conversation *chat,
                                skein_messages *out)
{
    skein_slice   slice = {.conversation = chat->id, .from = -LOOK_BACK, .count = LOOK_BACK};
    skn_far_slice what = {.thread = chat->thread_uid, .last = LOOK_BACK};
    skn_far_log   log;
    skein_at      at;
    skein_rc      rc;

    if (!cli->far)
        return skein_read(cli->engine, &slice, cli->keep, out, &at, &cli->err);
    if (!(rc = skn_far_log_read(cli, &what, &log)))
        *out = log.list;
    return rc;
}

/* "@you", "@ada": what they said last. */
static skein_rc latest_of(skn_cli *cli, const skein_conversation *chat, skn_str name,
                          skein_message *out)
{
    skein_messages list;
    skein_rc       rc = newest_messages(cli, chat, &list);

    for (size_t i = list.count; !rc && i-- > 0;)
        if (skn_str_eq(skn_sender_name(list.at[i].sender), name) && list.at[i].uid.n)
            return message_by_id(cli, chat, list.at[i].uid, out);
    if (rc)
        return rc;
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "none of the last %d messages is of \"%.*s\"",
             LOOK_BACK, SKN_FMT(name));
    return skn_missing(cli, SKEIN_NOT_FOUND, "message");
}

skein_rc skn_need_message(skn_cli *cli, const skein_conversation *chat, skn_str ref,
                          skein_message *out)
{
    if (ref.n > 1 && ref.p[0] == '@' && isalpha((unsigned char)ref.p[1]))
        return latest_of(cli, chat, skn_str_sub(ref, 1, ref.n), out);
    return message_by_id(cli, chat, ref, out);
}

skein_rc skn_need_messages(skn_cli *cli, const skein_conversation *chat, size_t from,
                           skn_uids *out)
{
    skein_message m;
    skein_rc      rc = SKEIN_OK;

    *out = (skn_uids){0};
    for (size_t i = from; i < cli->arg_count && !rc; i++)
        if (!(rc = skn_need_message(cli, chat, skn_arg(cli, i), &m)))
            skn_vec_add(cli->keep, out, m.uid);
    return rc;
}

skein_rc skn_find_lane(skn_cli *cli, const skein_conversation *chat, skn_str key,
                       skein_lane *out, bool *found)
{
    skein_lanes lanes;
    skein_rc    rc = skein_lane_list(cli->engine, chat->id, cli->keep, &lanes, &cli->err);

    *found = false;
    for (size_t i = 0; !rc && i < lanes.count; i++)
        if (skn_str_eq(lanes.at[i].key, key)) {
            *out = lanes.at[i];
            *found = true;
        }
    return rc;
}

/* What was not found, told apart by what it was, with the name that may have been meant. */

#define LIST_MOST 100 /* bytes of names in one advice */

skein_rc skn_missing(skn_cli *cli, skein_rc rc, const char *thing)
{
    if (rc == SKEIN_NOT_FOUND)
        cli->more.thing = thing;
    return rc;
}

static void suggest(skn_cli *cli, skn_str ref, const skn_candidates *names)
{
    cli->more.meant = skn_candidates_suggest(cli->keep, names, ref);
    if (cli->more.meant)
        skn_hint(&cli->err, cli->err.rc, "Did you mean \"%s\"?", cli->more.meant);
}

/* "Did you mean "launch"? There are launch and lunch. Make it with "skein world new lanch"" */
static void advise_world(skn_cli *cli, skn_str ref, const skn_candidates *names)
{
    const char *meant = skn_candidates_suggest(cli->keep, names, ref);
    char        list[LIST_MOST] = "no world yet";
    size_t      n = 0;

    for (size_t i = 0; i < names->count && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", names->at[i]);
    if (n >= sizeof list)
        snprintf(list, sizeof list, "%zu worlds: skein world ls", names->count);
    cli->more.meant = meant;
    skn_hint(&cli->err, cli->err.rc, "%s%s%sThere %s %s. Make it with \"skein world new %.*s\"",
             meant ? "Did you mean \"" : "", meant ? meant : "", meant ? "\"? " : "",
             names->count > 1 ? "are" : "is", list, SKN_FMT(ref));
}

skein_rc skn_missing_world(skn_cli *cli, skein_rc rc, skn_str ref)
{
    skein_worlds   worlds;
    skn_candidates names;

    if (skn_missing(cli, rc, "world") != SKEIN_NOT_FOUND ||
        skein_world_list(cli->engine, cli->keep, &worlds, NULL))
        return rc;
    names = skn_candidates_new(cli->keep, worlds.count);
    for (size_t i = 0; i < worlds.count; i++)
        skn_candidates_add(cli->keep, &names, worlds.at[i].name);
    advise_world(cli, ref, &names);
    return rc;
}

skein_rc skn_missing_chat(skn_cli *cli, const skein_worlds *worlds)
{
    if (worlds->count > 1)
        skn_hint(&cli->err, SKEIN_NOT_FOUND,
                 "\"skein conv ls -w %.*s\" lists those of that world, and so for the others",
                 SKN_FMT(worlds->at[0].name));
    return skn_missing(cli, SKEIN_NOT_FOUND, "chat");
}

skein_rc skn_missing_agent(skn_cli *cli, skein_rc rc, skein_world_id world, skn_str ref)
{
    skein_agents   agents;
    skn_candidates names;

    if (skn_missing(cli, rc, "agent") != SKEIN_NOT_FOUND ||
        skein_agent_list(cli->engine, world, cli->keep, &agents, NULL))
        return rc;
    names = skn_candidates_new(cli->keep, agents.count);
    for (size_t i = 0; i < agents.count; i++)
        skn_candidates_add(cli->keep, &names, agents.at[i].name);
    suggest(cli, ref, &names);
    return rc;
}
