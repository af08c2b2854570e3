/* Who may use the server: its token, and browsers that are signed in. */
#include "cli/client.h"
#include "cli/commands.h"

#include "base/clock.h"

#define ASK_MS 10000

skein_rc skn_cmd_token_show(skn_cli *cli)
{
    skn_server server;
    skn_traces traces;
    bool       found;
    skn_jw    *w;
    skein_rc   rc = skn_discover_any(cli, &server, &found);

    if (!rc && !found && !(rc = skn_traces_of(cli, &traces)) &&
        !(rc = skn_place_folders(cli, traces.token)))
        rc = skn_token_ensure(cli, traces.token, &server.token);
    if (rc)
        return rc;
    if (!server.token.p)
        return skn_fail_hint(&cli->err, SKEIN_NOT_FOUND,
                             "Run \"skein token\" as the user who runs that server",
                             "the token of %s is not known here", server.url);
    w = skn_item_begin(cli);
    skn_jw_kstr(w, "token", server.token);
    skn_jw_kstr(
        w, "header",
        skn_arena_printf(cli->keep, "Authorization: Bearer %.*s", SKN_FMT(server.token)));
    return skn_item_tell(cli, "{token}\n");
}

/* --- Browsers ----------------------------------------------------------------------------- */

static skein_rc ask_sessions(skn_cli *cli, const skn_server *server, const char *method,
                             const char *path, const skn_json **out)
{
    skn_request_spec  what = {.method = method, .path = path};
    skn_client_answer answer;
    skein_rc          rc = skn_client_call(cli, server, &what, ASK_MS, &answer);

    if (rc || !out)
        return rc;
    return skn_json_parse(out, answer.body, "the answer", cli->keep, &cli->err);
}

static skein_rc print_browser(skn_cli *cli, skn_str id, skn_str label, int64_t created,
                              int64_t expires)
{
    char    text[SKN_TIME_TEXT];
    skn_jw *w;

    if (cli->json) {
        w = skn_item_begin(cli);
        skn_jw_kstr(w, "id", id);
        skn_jw_kstr(w, "label", label);
        skn_jw_ktime(w, "createdAt", created);
        skn_jw_ktime(w, "expiresAt", expires);
        return skn_item_close(cli);
    }
    skn_time_format(created, text);
    skn_print(cli, "%.*s  since %.16s  ", SKN_FMT(id), text);
    skn_print_line(cli, label, 0);
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

static skein_rc list_far(skn_cli *cli, const skn_server *server)
{
    const skn_json *all = NULL, *list;
    int64_t         created, expires;
    skein_rc        rc = ask_sessions(cli, server, "GET", "/api/v1/sessions?limit=500", &all);

    list = rc ? NULL : skn_json_get(all, "data");
    for (const skn_json *v = list ? list->first : NULL; v && !rc; v = v->next) {
        created = expires = 0;
        skn_time_parse(skn_json_str(v, "createdAt"), &created);
        skn_time_parse(skn_json_str(v, "expiresAt"), &expires);
        rc = print_browser(cli, skn_json_str(v, "id"), skn_json_str(v, "label"), created,
                           expires);
    }
    return rc;
}

static skein_rc list_near(skn_cli *cli)
{
    skn_sessions all;
    skein_rc     rc = skn_place_open(cli);

    if (rc ||
        (rc = skn_session_list(cli->engine, skn_clock_micros(), cli->keep, &all, &cli->err)))
        return rc;
    for (size_t i = 0; i < all.count && !rc; i++)
        rc = print_browser(cli, all.at[i].uid, all.at[i].label, all.at[i].created_at,
                           all.at[i].expires_at);
    return rc;
}

/* Who knows of browsers: the server, or where none runs the store; and one that only reads, which knows alone of those
 * that signed in there. */
typedef struct doors {
    skn_server server, reader;
    bool       served, read;
} doors;

static skein_rc find_doors(skn_cli *cli, doors *out)
{
    skein_rc rc = skn_discover(cli, &out->server, &out->served);

    return rc ? rc : skn_discover_reader(cli, &out->reader, &out->read);
}

skein_rc skn_cmd_token_ls(skn_cli *cli)
{
    doors    d;
    skein_rc rc = find_doors(cli, &d);

    if (rc)
        return rc;
    skn_list_begin(cli);
    rc = d.served ? list_far(cli, &d.server) : list_near(cli);
    if (!rc && d.read)
        rc = list_far(cli, &d.reader);
    skn_list_done(cli, rc);
    return rc;
}

static skein_rc revoke_near(skn_cli *cli, skn_str id)
{
    int64_t  gone = 0;
    skein_rc rc = skn_place_open(cli);

    if (rc || (rc = skn_session_remove(cli->engine, id, &gone, &cli->err)))
        return rc;
    return gone || !id.p ? SKEIN_OK
                         : skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no session \"%.*s\"",
                                    SKN_FMT(id));
}

/* A running server is asked, so that it holds at once. */
static skein_rc revoke(skn_cli *cli, const doors *d, skn_str id)
{
    const char *path = "/api/v1/sessions";
    skein_rc    rc;

    if (id.p)
        path = skn_arena_text(cli->keep, "%s/%s", path, skn_client_encode(cli->keep, id));
    if (d->read) {
        rc = ask_sessions(cli, &d->reader, "DELETE", path, NULL);
        if (id.p ? rc != SKEIN_NOT_FOUND : rc != SKEIN_OK)
            return rc;
        cli->err = (skein_error){.rc = SKEIN_OK};
    }
    return d->served ? ask_sessions(cli, &d->server, "DELETE", path, NULL)
                     : revoke_near(cli, id);
}

/* Only what is so: further servers that only read are not known here. */
static void note_revoked(skn_cli *cli, const doors *d)
{
    if (!d->served && !d->read)
        skn_note(cli, "All browsers that the store knows are signed out.");
    else
        skn_note(cli, "All browsers are signed out of %s%s%s.",
                 d->served ? d->server.url : d->reader.url, d->served && d->read ? " and " : "",
                 d->served && d->read ? d->reader.url : "");
}

skein_rc skn_cmd_token_revoke(skn_cli *cli)
{
    bool     all = skn_opt(cli, "all");
    skn_str  id = cli->arg_count ? skn_arg(cli, 0) : SKN_NONE;
    doors    d;
    skein_rc rc;

    if (all == (cli->arg_count > 0))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "name one that \"skein token ls\" lists, or --all");
    if (skn_would(cli, "sign out %s", all ? "all browsers" : cli->args[0]))
        return SKEIN_OK;
    if ((rc = find_doors(cli, &d)) || (rc = revoke(cli, &d, id)))
        return rc;
    if (all)
        note_revoked(cli, &d);
    else
        skn_note(cli, "The browser is signed out.");
    return SKEIN_OK;
}
