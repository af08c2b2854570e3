/* server_ask.h: what a command needs the running server for: one question with a JSON answer, or a job that is
 * followed to its end.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_SERVER_ASK_H
#define SKN_CLI_SERVER_ASK_H

#include "base/json.h"
#include "cli/client.h"

/* The server; without one an error that says what needs it: "a squash by a model". */
skein_rc skn_need_server(skn_cli *cli, const char *what, skn_server *out);
/* One request; *out is the whole answer as JSON, NULL when it has no body. */
skein_rc skn_server_ask(skn_cli *cli, const skn_server *server, const char *method,
                        const char *path, skn_str body, const skn_json **out);
/* Asks for something that is answered with a job and waits for its result, which *out is. A Ctrl-C
 * cancels the job. */
skein_rc skn_server_job(skn_cli *cli, const skn_server *server, const char *path, skn_str body,
                        const skn_json **out);
/* The JSON that was written into the buffer, which is released. */
skn_str skn_body_keep(skn_cli *cli, skn_buf *b);

#endif
