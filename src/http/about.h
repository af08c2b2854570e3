/* about.h: what the server tells of itself: health, version, settings, jobs, help.
 *
 * Threads, lifetimes: those of the call. */
#ifndef SKN_HTTP_ABOUT_H
#define SKN_HTTP_ABOUT_H

#include "http/inside.h"
#include "http/jobs.h"

skn_handler skn_api_livez, skn_api_readyz, skn_api_healthz;
skn_handler skn_api_get_version, skn_api_metrics, skn_api_openapi, skn_api_docs,
    skn_api_problem;
skn_handler      skn_api_sign_in, skn_api_get_session, skn_api_sign_out, skn_api_new_link;
skn_handler      skn_api_list_sessions, skn_api_remove_session, skn_api_remove_sessions;
skn_handler      skn_api_get_settings;
skn_handler      skn_api_get_job, skn_api_cancel_job;
skn_loop_handler skn_api_update_settings, skn_api_reload_settings;

#endif
