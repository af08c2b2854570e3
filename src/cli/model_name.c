#include "cli/model_name.h"

#include "base/error.h"
#include "cli/news.h"
#include "cli/server_ask.h"

#include <string.h>

bool skn_is_model_name(const char *text)
{
    const char *slash = strchr(text, '/');

    for (const char *c = text; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == '"' || *c == '\\' || *c == 0x7f)
            return false;
    return slash && slash != text && slash[1];
}

/* "There are: office, demo" */
static skein_rc no_provider(skn_cli *cli, skn_str name, const skn_json *first)
{
    skn_buf all;

    skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no provider \"%.*s\"", SKN_FMT(name));
    skn_buf_init(&all, 1000);
    for (const skn_json *p = first; p; p = p->next)
        skn_buf_addf(&all, "%s%.*s", p == first ? "" : ", ", SKN_FMT(skn_news_text(p, "name")));
    skn_hint(&cli->err, SKEIN_NOT_FOUND, "There are: %.*s. \"skein model ls\" lists models",
             SKN_FMT(skn_buf_str(&all)));
    skn_buf_release(&all);
    return SKEIN_NOT_FOUND;
}

skein_rc skn_need_provider_of(skn_cli *cli, const skn_server *server, skn_str model)
{
    skn_str         rest = model, name;
    const skn_json *answer, *data;
    skein_rc        rc;

    if ((rc = skn_server_ask(cli, server, "GET", "/providers?limit=500", SKN_NONE, &answer)))
        return rc;
    skn_str_split(&rest, '/', &name);
    data = skn_json_get(answer, "data");
    for (const skn_json *p = data ? data->first : NULL; p; p = p->next)
        if (skn_str_eq(skn_news_text(p, "name"), name))
            return SKEIN_OK;
    return no_provider(cli, name, data ? data->first : NULL);
}

skein_rc skn_model_option(skn_cli *cli, skn_str *out)
{
    const char *given = skn_opt(cli, "model");
    skn_server  server;
    bool        found;
    skein_rc    rc;

    *out = SKN_NONE;
    if (!given || !*given || !strcmp(given, "default"))
        return SKEIN_OK;
    if (!skn_is_model_name(given)) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is no model: name one as PROVIDER/MODEL",
                 given);
        return skn_hint(&cli->err, SKEIN_USAGE,
                        "\"skein model ls\" lists them; \"default\" is the one of agents that "
                        "name none");
    }
    *out = skn_str_of(given);
    if ((rc = skn_discover(cli, &server, &found)) || !found)
        return rc;
    return skn_need_provider_of(cli, &server, *out);
}
