/* What the options and the configuration mean for a server: where it listens, who may come in. */
#include "cli/place.h"
#include "cli/print.h"
#include "cli/serve.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* --- The configuration ---------------------------------------------------------------------- */

/* One that has errors starts nothing: the last is the failure, those before are told. */
static skein_rc read_config(skn_serve *s)
{
    skn_config *c;
    skn_str     line = SKN_NONE;

    s->sources = skn_config_sources_of(s->cli, NULL);
    s->config_mem = skn_arena_new();
    s->config = c = skn_config_make(s->sources, s->config_mem);
    memcpy(s->own, c->values, sizeof s->own);
    for (size_t i = 0; i < c->problems.n; i++) {
        if (!c->problems.p[i].error)
            continue;
        if (line.p)
            skn_note(s->cli, "%.*s", SKN_FMT(line));
        line = skn_config_line(&c->problems.p[i], s->config_mem);
    }
    return line.p ? skn_fail(&s->cli->err, SKEIN_USAGE, "%.*s", SKN_FMT(line)) : SKEIN_OK;
}

/* --- Address -------------------------------------------------------------------------------- */

static skein_rc find_address(skn_serve *s)
{
    int      count;
    int64_t  port;
    skein_rc rc = skn_opt_int(s->cli, "port", 0, 65535, -1, &port);

    if (rc)
        return rc;
    skn_listen_parse(s->config->values[SKN_CONFIG_LISTEN].text, s->host, &s->port);
    if (port >= 0) {
        s->port = (int)port;
        s->config->values[SKN_CONFIG_LISTEN].from = SKN_FROM_FLAG;
        s->config->values[SKN_CONFIG_LISTEN].source = "--port";
        s->config->values[SKN_CONFIG_LISTEN].text = skn_arena_printf(
            s->config_mem, strchr(s->host, ':') ? "[%s]:%d" : "%s:%d", s->host, s->port);
    }
    s->fd = skn_notify_socket(&count);
    s->passed = s->fd >= 0;
    if (count > 1)
        skn_note(s->cli, "%d sockets were passed on; the first is used.", count);
    return s->passed ? skn_serve_listen(s) : SKEIN_OK;
}

/* --- Sign-in -------------------------------------------------------------------------------- */

/* --token-file, the environment, or systemd's credential "token". */
static const char *token_file(skn_serve *s)
{
    const char *file = skn_opt(s->cli, "token-file"), *folder;

    if (!file)
        file = getenv("SKEIN_TOKEN_FILE");
    if (file && *file)
        return file;
    folder = getenv("CREDENTIALS_DIRECTORY");
    if (!folder || *folder != '/')
        return NULL;
    file = skn_arena_printf(s->cli->keep, "%s/token", folder).p;
    return access(file, F_OK) == 0 ? file : NULL;
}

/* Others look for the file from wherever they are. */
static const char *absolute(skn_cli *cli, const char *path)
{
    char here[4096];

    if (*path == '/' || !getcwd(here, sizeof here))
        return path;
    return skn_arena_printf(cli->keep, "%s/%s", here, path).p;
}

static skein_rc read_token(skn_serve *s)
{
    const char *file = token_file(s);
    int         open;
    skein_rc    rc;

    if (!file)
        return SKEIN_OK;
    if ((rc = skn_token_read(s->cli, file, &s->token, &open))) {
        s->cli->err.rc =
            SKEIN_USAGE; /* the configuration is wrong, whatever the file's fault is */
        return SKEIN_USAGE;
    }
    s->token_file = absolute(s->cli, file);
    s->token_named = true;
    if (open)
        skn_note(s->cli, "warning: %s is readable by others (%04o). Try: chmod 600 %s", file,
                 (unsigned)open, file);
    return SKEIN_OK;
}

static skein_rc check_sign_in(skn_serve *s)
{
    int64_t      wanted = s->config->values[SKN_CONFIG_SIGN_IN].number;
    bool         far = !skn_is_loopback(s->host);
    skein_error *err = &s->cli->err;

    if (wanted == 0 && far) {
        skn_fail(err, SKEIN_USAGE,
                 "\"%s\" can be reached from other computers, but sign-in is "
                 "off",
                 s->host);
        return skn_hint(err, SKEIN_USAGE, "Take server.signIn out, and give a token");
    }
    if (wanted == 0 && s->token.p)
        return skn_fail(err, SKEIN_USAGE, "there is a token, but server.signIn is off");
    if (s->token.p || (!far && wanted <= 0))
        return SKEIN_OK;
    if (far)
        skn_fail(err, SKEIN_USAGE,
                 "\"%s\" can be reached from other computers, so a token is needed", s->host);
    else
        skn_fail(err, SKEIN_USAGE, "server.signIn is on, so a token is needed");
    return skn_hint(err, SKEIN_USAGE,
                    "Give one with --token-file FILE (openssl rand -hex 32 > FILE makes it)%s",
                    far ? ", or listen on 127.0.0.1" : "");
}

/* Those who are not the user of this server need a token, and so do browsers and scripts where the system
 * does not tell who they are. */
skein_rc skn_serve_token(skn_serve *s)
{
    if (s->token_named || (s->read_only && access(s->traces.token, R_OK) != 0))
        return SKEIN_OK;
    s->token_file = absolute(s->cli, s->traces.token);
    return skn_token_ensure(s->cli, s->traces.token, &s->token);
}

/* --- The socket ----------------------------------------------------------------------------- */

static skein_rc find_socket(skn_serve *s)
{
    const skn_config_value *v = &s->config->values[SKN_CONFIG_SOCKET];
    bool                    is_auto = skn_str_is(v->text, "auto");
    struct sockaddr_un      at;

    s->socket = NULL;
    if (skn_str_is(v->text, "off") || (is_auto && s->read_only))
        return SKEIN_OK;
    s->socket = absolute(s->cli, is_auto ? s->traces.socket : v->text.p);
    if (strlen(s->socket) < sizeof at.sun_path)
        return SKEIN_OK;
    if (!is_auto)
        return skn_fail(&s->cli->err, SKEIN_USAGE,
                        "the path of the socket is over %zu bytes: \"%s\"",
                        sizeof at.sun_path - 1, s->socket);
    s->socket = NULL; /* the command line uses the address then */
    return SKEIN_OK;
}

skein_rc skn_serve_settle(skn_serve *s)
{
    skein_rc rc;

    s->read_only = skn_opt(s->cli, "read-only");
    if ((rc = read_config(s)) || (rc = find_address(s)) || (rc = read_token(s)) ||
        (rc = check_sign_in(s)) || (rc = skn_traces_of(s->cli, &s->traces)))
        return rc;
    return find_socket(s);
}
