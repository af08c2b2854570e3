#include "cli/server_ask.h"

#include "base/error.h"
#include "cli/input.h"
#include "cli/place.h"

#include <signal.h>
#include <time.h>

#define ASK_MS  60000
#define LOOK_MS 50

skein_rc skn_need_server(skn_cli *cli, const char *what, skn_server *out)
{
    bool     found;
    skein_rc rc = skn_discover(cli, out, &found);

    if (rc || found)
        return rc;
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "%s needs a running server, and %s runs on %.*s", what,
             skn_only_reads(cli) ? "only one that reads" : "none",
             SKN_FMT(skn_place_shown(cli)));
    return skn_hint(&cli->err, SKEIN_NOT_FOUND, "Start one with \"skein serve\"");
}

skein_rc skn_server_ask(skn_cli *cli, const skn_server *server, const char *method,
                        const char *path, skn_str body, const skn_json **out)
{
    skn_request_spec what = {.method = method, .path = path, .body = body};

    return skn_client_json(cli, server, &what, ASK_MS, out);
}

skn_str skn_body_keep(skn_cli *cli, skn_buf *b)
{
    skn_str text = skn_arena_copy(cli->keep, skn_buf_str(b));

    skn_buf_release(b);
    return text;
}

/* --- Jobs --------------------------------------------------------------------------------- */

/* True once it has ended: then *rc says how. */
static bool is_over(skn_cli *cli, const skn_json *job, const skn_json **out, skein_rc *rc)
{
    skn_str state = SKN_NONE;

    *out = skn_json_get(job, "result");
    if ((*rc = skn_json_text(job, "state", &state, &cli->err)))
        return true;
    if (skn_str_is(state, "running"))
        return false;
    if (skn_str_is(state, "done"))
        return true;
    if (skn_str_is(state, "failed") && skn_json_get(job, "error"))
        *rc = skn_client_problem(cli, 500, skn_json_get(job, "error")->raw);
    else
        *rc = skn_fail(&cli->err, SKEIN_CONFLICT, "it was cancelled; nothing was changed");
    return true;
}

static skein_rc cancel(skn_cli *cli, const skn_server *server, const char *path)
{
    const skn_json *answer;
    skein_rc        rc = skn_server_ask(cli, server, "DELETE", path, SKN_NONE, &answer);

    return rc ? rc
              : skn_fail(&cli->err, SKEIN_CONFLICT, "it was cancelled; nothing was changed");
}

skein_rc skn_server_job(skn_cli *cli, const skn_server *server, const char *path, skn_str body,
                        const skn_json **out)
{
    const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000L};
    const skn_json       *job;
    const char           *at;
    skn_str               id = SKN_NONE;
    skein_rc              rc;

    if ((rc = skn_server_ask(cli, server, "POST", path, body, &job)) ||
        (rc = skn_json_text(job, "id", &id, &cli->err)))
        return rc;
    at = skn_arena_printf(cli->keep, "/jobs/%.*s", SKN_FMT(id)).p;
    skn_interrupt_arm(SIGINT);
    while (!is_over(cli, job, out, &rc)) {
        nanosleep(&nap, NULL);
        if (skn_interrupt_came(SIGINT))
            return cancel(cli, server, at);
        if ((rc = skn_server_ask(cli, server, "GET", at, SKN_NONE, &job)))
            break;
    }
    skn_interrupt_disarm(SIGINT);
    return rc;
}
