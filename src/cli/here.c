#include "cli/here.h"

#include "cli/commands.h"
#include "cli/config_cli.h"
#include "runtime/runtime.h"

/* Who speaks for agents on a store that is a file says so beside it: without that, whatever is open was left. Elsewhere
 * somebody on another computer may be at it, whom only the lease tells of; and nothing is written beside a store that
 * has no place here. */
static int64_t on_left_before(void *arg, int64_t now)
{
    const skn_traces *traces = arg;

    if (!traces->lock)
        return now;
    if (skn_lock_holder(traces->lock))
        return 0;
    return traces->backups ? INT64_MAX : now;
}

static skein_rc on_context(void *arg, const skn_api_lane *lane, skn_arena *a,
                           skein_context *out, skein_error *err)
{
    const skn_sent_wish wish = {lane->engine, lane->world, lane->mode, lane->files};

    (void)arg;
    return skn_runtime_context(NULL, &wish, lane->what, a, out, err);
}

skn_api *skn_here_new(skn_cli *cli)
{
    skein_error     before = cli->err;
    skn_traces     *traces = SKN_NEW(cli->keep, skn_traces);
    skn_api_options o = {.files = skn_files_folder(cli),
                         .no_commands = !skn_config_of(cli)->values[SKN_CONFIG_COMMANDS].number,
                         .agents = {.arg = traces,
                                    .has_tool = skn_runtime_has_tool,
                                    .context = on_context,
                                    .left_before = on_left_before}};

    if (skn_traces_of(cli, traces))
        *traces = (skn_traces){.lock = NULL};
    cli->err = before;
    return skn_api_new(&o, NULL);
}

skein_rc skn_here_call(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                       skn_client_answer *out)
{
    const skn_sink pieces = {what->take, what->arg};
    skein_header   headers[2];
    skein_request  request = SKEIN_REQUEST_INIT;
    skein_answer   answer;

    request.method = skn_str_of(what->method);
    request.path = skn_str_of(what->path);
    request.headers = headers;
    request.body = what->body;
    if (what->key.p)
        headers[request.header_count++] = (skein_header){SKN_STR("Idempotency-Key"), what->key};
    if (what->match)
        headers[request.header_count++] = (skein_header){SKN_STR("If-Match"),
                                                         skn_str_of(what->match)};
    *out = (skn_client_answer){0};
    if (skn_call_here(server->api, server->engine, &request, what->take ? &pieces : NULL,
                      cli->keep, &answer, &cli->err))
        return skn_client_problem(cli, answer.status, answer.body);
    out->status = answer.status;
    out->body = answer.body;
    out->version = skein_version_text();
    return what->take && answer.body.n ? what->take(what->arg, answer.body, &cli->err)
                                       : SKEIN_OK;
}
