#include "cli/client.h"

#include "api/api.h"
#include "cli/commands.h"
#include "runtime/runtime.h"

/* No server of tools runs here, and theirs are not counted. */
static skein_rc on_context(void *arg, const skn_api_lane *lane, skn_arena *a,
                           skein_context *out, skein_error *err)
{
    const skn_sent_wish wish = {lane->engine, lane->world, lane->mode, skn_files_folder(arg)};

    return skn_runtime_context(NULL, &wish, lane->what, a, out, err);
}

skein_rc skn_client_here(skn_cli *cli, skein_engine *engine, const skn_request_spec *what,
                         skn_client_answer *out)
{
    const skn_sink  pieces = {what->take, what->arg};
    skn_api_options options = {.agents = {.arg = cli, .context = on_context},
                               .pieces = what->take ? &pieces : NULL};
    skein_header    headers[2];
    skein_request   request = SKEIN_REQUEST_INIT;
    skein_answer    answer;

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
    if (skn_api_call_here(engine, &options, &request, cli->keep, &answer, &cli->err))
        return skn_client_problem(cli, answer.status, answer.body);
    out->status = answer.status;
    out->body = answer.body;
    out->version = skein_version_text();
    return what->take && answer.body.n ? what->take(what->arg, answer.body, &cli->err)
                                       : SKEIN_OK;
}
