/* handlers.h: what answers the routes, and what its files (api_*.c) share.
 *
 * Handlers run on a worker, those that `take` a call on the loop; see call.h.
 * Threads, lifetimes: those of the call. */
#ifndef SKN_HTTP_HANDLERS_H
#define SKN_HTTP_HANDLERS_H

#include "http/page.h"

/* --- Shared (api_shared.c) ----------------------------------------------------------------- */

/* Location: a path with the world's name and whatever else. */
void skn_api_location(skn_http_call *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* chatId, or the world's current chat; SKEIN_SESSION_OFF when there is neither. */
skein_rc skn_api_chat_or_current(skn_http_call *c);
/* The message of params[1] in the chat of chatId, or where it was said; fills c->chat too.
 * SKEIN_CONFLICT when it waits in the queue. */
skein_rc skn_api_message(skn_http_call *c, skein_message *out);
/* The same, or with waits->queued the message that it will be. */
skein_rc skn_api_said_or_queued(skn_http_call *c, skein_message *out, skein_posted *waits);
/* threadId= of the query, or the current version. */
skein_rc skn_api_version(skn_http_call *c, skein_version *out);
/* Who is at work in the world; zero: in all of them. */
skein_rc skn_api_at_work(skn_http_call *c, skein_world_id world, skn_at_work *out);
/* The same for these agents of the world, with what they pause, wait for and have to do. */
skein_rc skn_api_agents_at_work(skn_http_call *c, skein_world_id world,
                                const skein_agents *agents, skn_at_work *out);
/* Names the kind of a 404 that the engine has no word for: "task-not-found". */
skein_rc skn_api_missing(skn_http_call *c, skein_rc rc, const char *problem);
/* The world of params[0], then the agent of params[1]. */
skein_rc skn_api_find_agent(skn_http_call *c, skein_agent *out);
/* The agent as it is now, with its ETag (api_agents.c). */
skein_rc skn_api_answer_agent(skn_http_call *c, skein_agent *agent);
/* A change of c->chat, with key, If-Match, force and dryRun as the request has them. */
skein_rc skn_api_change(skn_http_call *c, bool match_needed, skein_change *out);
/* Says where the conversation stands when a change failed because it has moved on, or which member
 * was invalid. */
skein_rc skn_api_changed(skn_http_call *c, skein_rc rc);
/* Says which member it was that the engine found invalid, by what it calls it. */
skein_rc skn_api_blame(skn_http_call *c, skein_rc rc);
/* A member that is a list of message ids, each of c->chat. */
skein_rc skn_api_ids(skn_http_call *c, const char *member, skein_message_ids *out);
/* "instructions" of an object; none when it has no such member. */
skein_rc skn_api_instructions(skn_http_call *c, const skn_json *of, skein_instruction **out,
                              size_t *count);
/* The member as a list; NULL when it is missing or null. */
skein_rc skn_api_list(skn_http_call *c, const skn_json *of, const char *member,
                      const skn_json **out);
/* The body's member, told apart from a missing one: true also for null. */
bool skn_api_has(const skn_http_call *c, const char *member);
/* true in the body or in the query. */
skein_rc skn_api_flag(skn_http_call *c, const char *name, bool *out);
/* Fails with 412 unless If-Match is absent, "*", or names a tag with this beginning ("\"a_12", which
 * ends there or goes on with "-"); `what` was changed then. *asked: it was there and fits. */
skein_rc skn_api_match(skn_http_call *c, skn_str stem, const char *what, bool *asked);
/* Sets the chat's ETag as it stands after a change. */
void skn_api_fresh_etag(skn_http_call *c);
/* What cannot be done without a model when this server asks none: 503. */
skein_rc skn_api_no_models(skn_http_call *c);

/* --- What models are asked for (api_asks.c) ------------------------------------------------- */

/* Copies the wish, begins a job for it and answers with the job; 503 when this server asks no models. */
skein_rc skn_api_send_squash(skn_http_call *c, const skn_http_squash_wish *wish);
skein_rc skn_api_send_compact(skn_http_call *c, const skn_http_compact_wish *wish);

/* --- Messages in answers (api_shape.c) ------------------------------------------------------- */

/* Messages with all that surrounds them, as items of an open list or as one object. */
typedef struct skn_told_messages {
    skein_messages       list;
    skein_message_facts *facts;
    skein_deliveries    *deliveries;
    skein_messages      *replies; /* of each, where they are to be included; else NULL */
} skn_told_messages;

/* Reads what surrounds them in a version of c->chat. */
skein_rc skn_api_explain(skn_http_call *c, int64_t version, const skein_messages *list,
                         skn_told_messages *out);
/* include=replies,delivery,instructions: reads what is to be added to each; the last two always are. */
skein_rc skn_api_include(skn_http_call *c, int64_t version, skn_told_messages *told);
void     skn_api_write_message(skn_http_call *c, const skn_told_messages *m, size_t i);
/* The whole answer: a page of these messages. */
skein_rc skn_api_answer_messages(skn_http_call *c, int64_t version, const skein_messages *list,
                                 skn_str tag);
/* A message that was just posted or queued. */
void skn_api_write_posted(skn_http_call *c, const skein_posted *posted, skn_str client_id,
                          const skein_notice *notice);
/* One that waits: as it will be, and that it is queued. */
void skn_api_write_queued(skn_http_call *c, const skein_posted *waits);
/* A page of a lane of c->chat, as the query asks for it. */
skein_rc skn_api_answer_lane(skn_http_call *c, const skein_version *version,
                             skein_agent_id agent, skn_str lane);

/* Where a lane has a message, or -1. Reads the lane: the room alone knows places by id. */
skein_rc skn_api_place(skn_http_call *c, const skein_slice *lane, skein_message_id id,
                       int64_t *at);

/* --- Handlers ------------------------------------------------------------------------------ */

/* api_queue.c: cancels something of the world params[0], on a worker, keeping what is being written of it. */
typedef skein_rc skn_canceller(skn_http_call *c, const skein_stop *written);
void             skn_api_cancel(skn_http_call *c, skn_canceller *cancel);

skn_handler skn_api_list_worlds, skn_api_create_world, skn_api_get_world, skn_api_update_world,
    skn_api_remove_world, skn_api_restore_world, skn_api_get_world_status;
skn_handler skn_api_list_agents, skn_api_create_agent, skn_api_get_agent, skn_api_update_agent,
    skn_api_remove_agent, skn_api_pause_agent, skn_api_resume_agent, skn_api_wake_agent,
    skn_api_get_agent_memory, skn_api_clear_agent_memory, skn_api_list_agent_chats;
skn_handler skn_api_list_chats, skn_api_create_chat, skn_api_get_chat, skn_api_update_chat,
    skn_api_remove_chat, skn_api_restore_chat;
skn_handler skn_api_list_messages, skn_api_list_chat_messages, skn_api_get_message,
    skn_api_list_message_versions, skn_api_get_delivery, skn_api_get_message_context;
skn_loop_handler skn_api_post_message, skn_api_queue_message, skn_api_stop_agents,
    skn_api_cancel_task, skn_api_cancel_delegation;
skn_handler skn_api_count_removal, skn_api_remove_message, skn_api_revise_message,
    skn_api_retry_answer, skn_api_retry_task;
skn_handler skn_api_list_threads, skn_api_get_thread, skn_api_list_thread_messages,
    skn_api_get_diff, skn_api_get_current_thread, skn_api_travel, skn_api_operate;
skn_handler skn_api_list_squashes, skn_api_squash, skn_api_get_squash, skn_api_rerun_squash,
    skn_api_branch;
skn_handler skn_api_list_replies, skn_api_list_ancestors, skn_api_list_subtree,
    skn_api_list_siblings, skn_api_get_tree, skn_api_get_analytics;
skn_handler skn_api_get_timeline, skn_api_get_context, skn_api_search, skn_api_search_world,
    skn_api_list_summaries, skn_api_create_summary;
skn_handler skn_api_list_tool_servers;
skn_handler skn_api_list_tasks, skn_api_create_task, skn_api_get_task, skn_api_tell_agent,
    skn_api_list_knowledge, skn_api_list_expected;
skn_handler skn_api_list_delegations, skn_api_get_delegation, skn_api_retry_delegation;
skn_handler skn_api_list_calls, skn_api_get_call;
skn_handler skn_api_list_audit;
skn_handler skn_api_list_inbox, skn_api_get_inbox_item, skn_api_change_inbox_item,
    skn_api_remove_inbox_item, skn_api_answer_inbox_item, skn_api_count_unread,
    skn_api_read_inbox, skn_api_get_briefing;
skn_loop_handler skn_api_list_providers, skn_api_create_provider, skn_api_get_provider,
    skn_api_update_provider, skn_api_remove_provider, skn_api_test_provider,
    skn_api_list_models, skn_api_detect_providers;
skn_handler skn_api_list_tags, skn_api_set_tags, skn_api_get_instructions,
    skn_api_set_instructions, skn_api_list_context_files, skn_api_set_context_files;
skn_handler skn_api_export_world, skn_api_export_chat, skn_api_import_world;
skn_handler skn_api_list_queue, skn_api_change_queued, skn_api_remove_queued,
    skn_api_list_edit_errors, skn_api_retry_edit;
skn_loop_handler skn_api_stream_events; /* api_events.c */

#endif
