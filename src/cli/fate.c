#include "cli/fate.h"

#include "base/json.h"
#include "cli/far.h"
#include "cli/server_ask.h"

/* The current version is another than the one that it was said in, and not made from it. */
static const char left_behind[] = "left behind", removed[] = "removed";

/* Which way a version came to be says what was done to a message that it does not hold. */
static const char *done_by(const skn_json *version)
{
    static const struct {
        const char *operation, *how;
    } known[] = {{"revise", "edited"},
                 {"edit", "edited"},
                 {"remove", removed},
                 {"delete", removed},
                 {"squash", "squashed"}};
    skn_str operation = skn_far_text(version, "operation");

    /* An edit in two steps removes first: its note tells them apart. */
    if (skn_str_starts(skn_far_text(version, "note"), SKN_STR(SKEIN_NOTE_EDIT)))
        return "edited";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (skn_str_is(operation, known[i].operation))
            return known[i].how;
    return left_behind;
}

/* What stands for it: another wording, the squash that it went into, or what a person said from there on. */
static skn_str found_instead(const skn_json *diff, skn_str message)
{
    const skn_json *changes = skn_json_get(diff, "changes"), *after;
    skn_str         said = SKN_NONE;

    for (const skn_json *c = changes ? changes->first : NULL; c; c = c->next) {
        after = skn_json_get(c, "after");
        if (skn_str_eq(skn_far_text(skn_json_get(c, "before"), "messageId"), message) &&
            skn_far_text(after, "messageId").n)
            return skn_far_text(after, "messageId");
        if (!said.n && skn_str_is(skn_far_text(c, "kind"), "added") &&
            (skn_str_is(skn_far_text(after, "sender"), "human") ||
             skn_far_text(after, "squashOperationId").n))
            said = skn_far_text(after, "messageId");
    }
    return said;
}

static bool is_held(const skn_json *message, int64_t number)
{
    const skn_json *versions = skn_json_get(message, "versions");
    int64_t         n;

    for (const skn_json *v = versions ? versions->first : NULL; v; v = v->next)
        if (skn_str_int(v->text, &n) && n == number)
            return true;
    return false;
}

static skein_rc ask(skn_cli *cli, const skn_server *server, const char *path,
                    const skn_json **out)
{
    return skn_server_ask(cli, server, "GET", path, SKN_NONE, out);
}

static const char *message_path(skn_cli *cli, const skn_waited *w)
{
    return skn_arena_printf(cli->keep, "/worlds/%s/messages/%s?chatId=%s", w->world,
                            skn_client_encode(cli->keep, w->message), w->chat)
        .p;
}

static const char *chat_path(skn_cli *cli, const skn_waited *w, const char *rest, skn_str id,
                             const char *more)
{
    return skn_arena_printf(cli->keep, "/worlds/%s/chats/%s/%s%s%s", w->world, w->chat, rest,
                            skn_client_encode(cli->keep, id), more)
        .p;
}

static skein_rc look(skn_cli *cli, const skn_server *server, const skn_waited *w, skn_fate *out)
{
    const skn_json *chat, *version, *m, *diff;
    bool            found;
    skein_rc        rc = ask(cli, server, message_path(cli, w), &m);

    if (rc && rc != SKEIN_NOT_FOUND)
        return rc;
    found = rc == SKEIN_OK;
    if (found && skn_far_flag(m, "queued"))
        return SKEIN_OK;
    if (!(rc = ask(cli, server,
                   skn_arena_printf(cli->keep, "/worlds/%s/chats/%s", w->world, w->chat).p,
                   &chat)) &&
        skn_far_flag(chat, "archived"))
        rc = SKEIN_NOT_FOUND;
    if (!rc)
        rc = ask(cli, server, chat_path(cli, w, "currentThread", SKN_STR(""), ""), &version);
    if (rc == SKEIN_NOT_FOUND)
        *out = (skn_fate){.gone = true, .how = "removed with its conversation"};
    else if (!rc && !found)
        *out = (skn_fate){.gone = true, .unsaid = true, .how = "taken out of the queue"};
    if (rc || !found)
        return rc;
    out->gone = !is_held(m, skn_far_int(version, "number", 0));
    if (!out->gone)
        return SKEIN_OK;
    out->version = skn_far_text(version, "version");
    out->how = left_behind;
    if (is_held(m, skn_far_version_number(skn_far_text(version, "originalVersion"))))
        out->how = done_by(version);
    out->left = out->how == left_behind;
    if (out->left || out->how == removed)
        return SKEIN_OK;
    rc = ask(cli, server,
             chat_path(cli, w, "threads/", skn_far_text(version, "threadId"), "/diff"), &diff);
    if (!rc)
        out->instead = found_instead(diff, w->message);
    return rc;
}

void skn_fate_look(skn_cli *cli, const skn_server *server, const skn_waited *w, skn_fate *out)
{
    skein_error err = cli->err;
    skn_problem more = cli->more;

    *out = (skn_fate){.gone = false};
    (void)look(cli, server, w, out);
    cli->err = err;
    cli->more = more;
}

skn_str skn_fate_text(skn_arena *a, const skn_fate *fate, skn_str message)
{
    if (fate->instead.n)
        return skn_arena_printf(a, "%.*s was %s elsewhere, and %.*s took its place",
                                SKN_FMT(message), fate->how, SKN_FMT(fate->instead));
    if (fate->left)
        return skn_arena_printf(a, "%.*s is not in %.*s, which is current now",
                                SKN_FMT(message), SKN_FMT(fate->version));
    return skn_arena_printf(a, "%.*s was %s elsewhere", SKN_FMT(message), fate->how);
}
