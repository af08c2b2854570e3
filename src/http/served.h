/* served.h: what only a server answers: its page, its health, who is signed in; and operations of the API that it does in
 * its own way, because they wait, stream or ask others.
 *
 * Threads, lifetimes: those of the call. */
#pragma once

#include "http/http_call.h"

/* Routes that are no operations of the API; ends with a NULL method. */
extern const skn_route skn_server_routes[];

/* Sets c->run and c->by->take of a call that has its route. */
void skn_served_find(skn_api_call *c);

skn_handler skn_http_livez, skn_http_readyz, skn_http_healthz, skn_http_metrics, skn_http_docs;
skn_handler skn_http_page, skn_http_asset, skn_http_plain_page, skn_http_plain_world;
skn_handler skn_http_sign_in, skn_http_get_session, skn_http_sign_out, skn_http_new_link,
    skn_http_list_sessions, skn_http_remove_session, skn_http_remove_sessions;

skn_loop_handler skn_http_post_message, skn_http_stop_agents, skn_http_stream_events;
skn_handler      skn_http_get_settings, skn_http_get_job, skn_http_cancel_job;
skn_loop_handler skn_http_update_settings, skn_http_reload_settings, skn_http_providers;
