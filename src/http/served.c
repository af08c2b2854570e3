#include "http/served.h"

#include <string.h>

#define OPEN   SKN_ROUTE_OPEN
#define PLAIN  SKN_ROUTE_PLAIN
#define ALWAYS SKN_ROUTE_ALWAYS
#define SIGN   SKN_ROUTE_SIGN

const skn_route skn_server_routes[] = {
    /* The web page */
    {"GET", "/", skn_http_page, OPEN | PLAIN, "start", "the web page"},
    {"GET", "/w/{page}", skn_http_page, OPEN | PLAIN, "page",
     "the same, also deeper, and at /inbox, /search and /settings for who accepts "
     "text/html"},
    {"GET", "/assets/{file}", skn_http_asset, OPEN | PLAIN, "asset", "one of its files"},
    {"GET", "/plain", skn_http_plain_page, 0, "plain",
     "all worlds, for browsers without JavaScript"},
    {"GET", "/plain/w/{w}", skn_http_plain_world, 0, "plainWorld",
     "what was said last in the current chat of a world, in the same way"},
    /* The server */
    {"GET", "/livez", skn_http_livez, OPEN | PLAIN, "livez", "whether it runs"},
    {"GET", "/readyz", skn_http_readyz, OPEN | ALWAYS, "readyz", "whether it can do its work"},
    {"GET", "/healthz", skn_http_healthz, ALWAYS, "healthz", "the same as JSON"},
    {"GET", "/metrics", skn_http_metrics, 0, "metrics", "numbers for Prometheus"},
    {"GET", "/docs", skn_http_docs, PLAIN, "docs", "this API as a page"},
    {"POST", "/session", skn_http_sign_in, OPEN | SIGN, "signIn",
     "signs a browser in: a token, or the code of a link, for a cookie"},
    {"GET", "/session", skn_http_get_session, 0, "getSession", "who asks"},
    {"DELETE", "/session", skn_http_sign_out, SIGN, "signOut", "signs this browser out"},
    {"POST", "/session/link", skn_http_new_link, SIGN, "newLink",
     "a code that signs a browser in once"},
    {"GET", "/sessions", skn_http_list_sessions, 0, "listSessions",
     "browsers that are signed in"},
    {"DELETE", "/sessions", skn_http_remove_sessions, SIGN, "removeSessions",
     "signs all of them out"},
    {"DELETE", "/sessions/{id}", skn_http_remove_session, SIGN, "removeSession",
     "signs one of them out"},
    {0},
};

/* Operations that are SERVED, by their ids: done on a worker, or taken on the loop. */
static const struct {
    const char       *id;
    skn_handler      *run;
    skn_loop_handler *take;
} served[] = {
    {"postMessage", NULL, skn_http_post_message},
    {"queueMessage", NULL, skn_http_post_message},
    {"stopAgents", NULL, skn_http_stop_agents},
    {"listProviders", NULL, skn_http_list_providers},
    {"createProvider", NULL, skn_http_create_provider},
    {"detectProviders", NULL, skn_http_detect_providers},
    {"getProvider", NULL, skn_http_get_provider},
    {"updateProvider", NULL, skn_http_update_provider},
    {"removeProvider", NULL, skn_http_remove_provider},
    {"testProvider", NULL, skn_http_test_provider},
    {"listModels", NULL, skn_http_list_models},
    {"streamEvents", NULL, skn_http_stream_events},
    {"streamWorldEvents", NULL, skn_http_stream_events},
    {"getSettings", skn_http_get_settings, NULL},
    {"updateSettings", NULL, skn_http_update_settings},
    {"reloadSettings", NULL, skn_http_reload_settings},
    {"getJob", skn_http_get_job, NULL},
    {"cancelJob", skn_http_cancel_job, NULL},
};

void skn_served_find(skn_api_call *c)
{
    c->run = c->route->run;
    if (!(c->route->flags & SKN_ROUTE_SERVED))
        return;
    for (size_t i = 0; i < sizeof served / sizeof served[0]; i++)
        if (strcmp(served[i].id, c->route->id) == 0) {
            c->run = served[i].run;
            c->by->take = served[i].take;
        }
}
