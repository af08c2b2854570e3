/* call.h: what handlers are written with: reading a request, finding what it names, writing the answer.
 *
 * A cursor is opaque: base64url of "TAG:FROM:COUNT". The tag names the list and the version that it was read from, so a
 * cursor always means the same messages, and a cursor of another list is refused.
 * Threads, lifetimes: those of the call. */
#pragma once

#include "api/api.h"

/* --- The request (call.c) ------------------------------------------------------------------ */

/* The first header of this name, in any case of letters; absent when there is none. */
skn_str skn_call_header(const skn_api_call *c, const char *name);
/* A query parameter, decoded; absent when there is none. */
skn_str  skn_call_query(skn_api_call *c, const char *name);
skein_rc skn_call_query_int(skn_api_call *c, const char *name, int64_t min, int64_t max,
                            int64_t fallback, int64_t *out);
skein_rc skn_call_query_flag(skn_api_call *c, const char *name, bool *out);
/* Members of the JSON body; null counts as missing. A wrong type fails with a pointer to the member. */
skein_rc skn_call_text(skn_api_call *c, const char *member, bool needed, skn_str *out);
skein_rc skn_call_words(skn_api_call *c, const char *member, bool needed,
                        skn_str *out); /* not blank */
skein_rc skn_call_int(skn_api_call *c, const char *member, int64_t min, int64_t max,
                      int64_t fallback, int64_t *out);
skein_rc skn_call_flag(skn_api_call *c, const char *member, bool fallback, bool *out);
/* chatId of the body or the query; absent when neither has it. */
skein_rc skn_call_chat_id(skn_api_call *c, skn_str *out);
/* Fails with 400 validation and {"errors":[{"pointer","detail"}]}; the second formats the pointer. */
skein_rc skn_call_invalid(skn_api_call *c, const char *pointer, const char *detail);
skein_rc skn_call_wrong(skn_api_call *c, const char *detail, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails with a problem that has no code of its own. */
skein_rc skn_call_problem(skn_api_call *c, int status, const char *problem, const char *fmt,
                          ...) __attribute__((format(printf, 4, 5)));

/* Fails with what defines the tag that is missing. */
skein_rc skn_no_tag(skn_str name, skn_arena *a, skein_error *err);

/* --- The answer ---------------------------------------------------------------------------- */

void skn_call_add_header(skn_api_call *c, const char *name,
                         skn_str value); /* value is copied */
/* Sets ETag. When the client has this tag, answers 304 and sets *same. A tag that names a state alone gets a hash of the
 * finished answer, and is compared then. */
void skn_call_etag(skn_api_call *c, skn_str tag, bool *same);
/* The state of a conversation: "t_….LENGTH", with quotes. */
skn_str skn_call_chat_etag(skn_api_call *c, const skein_conversation *chat);
bool    skn_call_names_state(skn_str tag); /* and nothing more */
/* The state that If-Match expects before a change of messages. needed: 428 without the header. */
skein_rc skn_call_if_match(skn_api_call *c, const skein_conversation *chat, bool needed,
                           skein_at *out);
/* Open {"data":[ and close it with ],"page":{…}}; an absent cursor: there is no such page. */
void skn_call_list(skn_api_call *c);
void skn_call_list_end(skn_api_call *c, skn_str next, skn_str prev, int64_t total);

/* --- Finding what is named (lookup.c): each fills c->world, c->chat or c->agent, or fails with 404 */

/* {w}, and {c} or {a}, of the path. Done before a handler runs, but not for a SERVED route. */
skein_rc skn_find_named(skn_api_call *c);
skein_rc skn_find_world(skn_api_call *c);            /* params[0] */
skein_rc skn_find_chat(skn_api_call *c, skn_str id); /* of c->world */
/* As a person types it: "@", a title, "ada:background", the beginning of an id. */
skein_rc skn_find_agent(skn_api_call *c, skn_str ref, skein_agent *out);
/* The agent whose memory of c->chat is meant; none without a name, and none in the agent's own conversation: its memory has
 * all of that. */
skein_rc skn_find_memory(skn_api_call *c, skn_str name, skein_agent *out);
/* By the whole id, in any version of the chat. */
skein_rc skn_find_message(skn_api_call *c, skn_str id, skein_message *out);
/* As a person types it: "@", "@~2", "@ada" for her last message, part of an id. */
skein_rc skn_find_message_typed(skn_api_call *c, skn_str ref, skein_message *out);
/* "t_…" or "v7" of the chat; absent: the current version. */
skein_rc skn_find_version(skn_api_call *c, skn_str id, skein_version *out);

/* --- Shared by handlers (api_shared.c) -------------------------------------------------------- */

/* Sets the status, and Location to a path in the world. */
void skn_api_location(skn_api_call *c, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* chatId, or the world's current chat; SKEIN_SESSION_OFF when there is neither. */
skein_rc skn_api_chat_or_current(skn_api_call *c);
/* The message of params[1], in the chat of chatId or in its own, and that chat as c->chat. SKEIN_CONFLICT when the message
 * is still in the queue. */
skein_rc skn_api_message(skn_api_call *c, skein_message *out);
/* The same; waits->queued marks a message in the queue. */
skein_rc skn_api_said_or_queued(skn_api_call *c, skein_message *out, skein_posted *waits);
/* All of a lane of c->chat. A memory is named by its agent, since two agents may share a name over time. */
skein_slice skn_api_slice(const skn_api_call *c, const skein_lane *lane);
/* threadId of the query, or the current version. */
skein_rc skn_api_version(skn_api_call *c, skein_version *out);
/* Who is at work in the world; zero: in all worlds. */
/* How an agent is asked again: "model", "maxTokens", "tools". */
skein_rc skn_api_read_again(skn_api_call *c, skein_again *out);
skein_rc skn_api_at_work(skn_api_call *c, skein_world_id world, skn_at_work *out);
/* The same with the pauses, waits and work of these agents. */
skein_rc skn_api_agents_at_work(skn_api_call *c, skein_world_id world,
                                const skein_agents *agents, skn_at_work *out);
/* The same besides its open work. */
skein_rc skn_api_agents_told(skn_api_call *c, const skein_agents *agents, skn_at_work *out);
/* Names the kind of a 404 for which the engine has no word: "task-not-found". */
skein_rc skn_api_missing(skn_api_call *c, skein_rc rc, const char *problem);
/* Answers with the agent and its ETag (api_agents.c). */
skein_rc skn_api_answer_agent(skn_api_call *c, skein_agent *agent);
/* A change of c->chat with the key, If-Match, force and dryRun of the request. */
skein_rc skn_api_change(skn_api_call *c, bool match_needed, skein_change *out);
/* Adds to the failure of a change the current state, or the member that was invalid. */
skein_rc skn_api_changed(skn_api_call *c, skein_rc rc);
/* Points to the member that the engine found invalid, by the words of the engine's error. */
skein_rc skn_api_blame(skn_api_call *c, skein_rc rc);
/* A member that is a list of ids of messages in c->chat. */
skein_rc skn_api_ids(skn_api_call *c, const char *member, skein_message_ids *out);
/* "instructions" of an object; none without the member. */
skein_rc skn_api_instructions(skn_api_call *c, const skn_json *of, skein_instruction **out,
                              size_t *count);
/* A member that is a list; NULL when it is missing or null. */
skein_rc skn_api_list(skn_api_call *c, const skn_json *of, const char *member,
                      const skn_json **out);
/* The list that is the body, or is its member; up to 1000 values. */
skein_rc skn_api_body_list(skn_api_call *c, const char *member, const skn_json **out);
/* Makes of files that somebody names for a message the list that it carries (api_attachments.c). */
skein_rc skn_api_take_files(skn_api_call *c, skn_str *files);
/* The body has the member, even as null. */
bool skn_api_has(const skn_api_call *c, const char *member);
/* "name", in the form that names are stored in. */
skein_rc skn_api_name(skn_api_call *c, bool needed, skn_str *out);
/* true in the body or in the query. */
skein_rc skn_api_flag(skn_api_call *c, const char *name, bool *out);
/* Fails with 412 unless If-Match is absent, "*", or has a tag that begins with the stem and then ends or continues with "-".
 * `what` was changed then. *asked: there was a tag, and it matches. */
skein_rc skn_api_match(skn_api_call *c, skn_str stem, const char *what, bool *asked);
/* The part of an ETag that changes with what a PATCH can change: a hash of these texts. */
skn_str skn_api_stem(skn_api_call *c, char kind, const skn_str *parts, size_t count);
/* Writes the object `old` (may be NULL) with the members of patch over it; null removes one. Members that `takes` refuses
 * (NULL: none) stay. A patch with more than SKN_MERGED_MEMBERS in one place makes the buffer `over`. */
#define SKN_MERGED_MEMBERS 1000
#define SKN_MERGED_LEVELS  6 /* a variable of a tool server is the fourth */
void skn_api_merge(skn_jw *w, const skn_json *old, const skn_json *patch,
                   bool (*takes)(skn_str key), int level);
/* Sets ETag to the state of the chat after a change. */
void skn_api_fresh_etag(skn_api_call *c);
/* Fails with 503: no models are asked here. */
skein_rc skn_api_no_models(skn_api_call *c);

/* --- Messages in answers (api_shape.c) ------------------------------------------------------- */

/* Messages with what is known about each, as items of an open list or as one object. */
typedef struct skn_told_messages {
    skein_messages       list;
    skein_message_facts *facts;
    skein_deliveries    *deliveries;
    skein_messages      *replies; /* NULL: they are not included */
} skn_told_messages;

/* Reads what is known in a version of c->chat. */
skein_rc skn_api_explain(skn_api_call *c, int64_t version, const skein_messages *list,
                         skn_told_messages *out);
void     skn_api_write_message(skn_api_call *c, const skn_told_messages *m, size_t i);
/* Answers with a page of these messages. */
skein_rc skn_api_answer_messages(skn_api_call *c, int64_t version, const skein_messages *list,
                                 skn_str tag);
/* A message that was just posted or queued; one that is in the queue. */
void skn_api_write_posted(skn_api_call *c, const skein_posted *posted, skn_str client_id,
                          const skein_notice *notice);
void skn_api_write_queued(skn_api_call *c, const skein_posted *waits);
/* Answers with the page of a lane of c->chat that the query asks for; the lane that "agent" and "delegation" of the query
 * name. */
skein_rc skn_api_answer_lane(skn_api_call *c, const skein_version *version,
                             skein_agent_id agent, skn_str lane);
skein_rc skn_api_answer_named_lane(skn_api_call *c, const skein_version *version);

/* --- Lists in pages (page.c) -------------------------------------------------------------------- */

#define SKN_PAGE_DEFAULT 50
#define SKN_PAGE_MOST    500
#define SKN_PAGE_HERE    100000 /* that a call of this process may ask for */

/* The part of a list that is asked for. */
typedef struct skn_page {
    skn_str tag;
    int64_t limit;
    int64_t from, count, total; /* after skn_page_fit */
    bool    newest_first;       /* new items come in front: cursors count from the end */
    bool    asked;              /* by a cursor, which says from and count */
    bool    picked;             /* items are left out: the total is not that of the answer */
} skn_page;

/* Reads limit; or limit and cursor. `fallback` is the limit when none is given. */
skein_rc skn_page_limit(skn_api_call *c, int64_t fallback, int64_t *out);
skein_rc skn_page_read(skn_api_call *c, skn_str tag, int64_t fallback, bool newest_first,
                       skn_page *out);
/* Sets where the page begins and ends in a list of this length. */
void skn_page_fit(skn_page *p, int64_t total);
/* A cursor of this list; `from` is what skn_page_read gives back. */
skn_str skn_page_cursor(skn_api_call *c, const skn_page *p, int64_t from, int64_t count);
/* Closes the list that skn_call_list opened, with cursors to both sides. */
void skn_page_end(skn_api_call *c, const skn_page *p);
/* For a list that the store gives in pages: its cursor names the last item shown, behind a tag ("inbox:"). *last is absent
 * without a cursor; an absent `last`: there are no more items. */
skein_rc skn_page_after(skn_api_call *c, skn_str tag, skn_str *last);
void     skn_page_end_after(skn_api_call *c, skn_str tag, skn_str last);

/* The kind of the list. */
enum {
    SKN_LIST_NEWEST = 1, /* new items come in front */
    SKN_LIST_FIELDS = 2, /* "fields" picks members */
    SKN_LIST_WHOLE = 4   /* short: the default limit is the largest one */
};

/* Answers with the page of these things that is asked for; with one thing, of which "fields" may pick members. */
skein_rc skn_answer_list(skn_api_call *c, skn_str tag, int how, const void *things,
                         size_t count, const skn_shape *shape);
skein_rc skn_answer_one(skn_api_call *c, const skn_shape *shape, const void *thing);
/* Around items that the caller writes: those from out->from, out->count of them. `known` are the members for "fields"; NULL:
 * the list has no "fields". */
skein_rc skn_page_open(skn_api_call *c, skn_str tag, size_t total, int how, skn_page *out);
skein_rc skn_page_close(skn_api_call *c, const skn_page *p, const char *known);
/* fields=a,b: leaves only these members (and `also`) in the answer, or in every item of a list. Fails when one is not among
 * `known`. The answer to a change is always whole. */
skein_rc skn_page_fields(skn_api_call *c, const char *known);
skein_rc skn_page_fields_and(skn_api_call *c, const char *known, skn_str also);
/* One of these members will be in the answer: what only others need is not read. */
bool skn_page_wants(skn_api_call *c, const char *names);

/* --- Events (taking.c, api_events.c) ------------------------------------------------------------ */

/* The events that somebody wants. */
typedef struct skn_stream_filter {
    skein_world_id        world; /* zero: all */
    skein_conversation_id chat;  /* zero: all */
    skn_str cause; /* only what this message causes, until its world.idle; absent: all */
    skn_str types; /* "message,thread": beginnings of types; absent: all */
    bool    no_deltas;
    bool    inbox; /* with chat: also the inbox events of its world */
    bool    idle;  /* with cause: nobody has to answer, so it ends after what it caused */
} skn_stream_filter;

/* The data of a filter. */
typedef struct skn_about {
    skein_world_id        world;
    skein_conversation_id chat;
    skn_str               type, cause, message;
    bool                  removed; /* the world was removed */
    bool                  erased;  /* texts of the chat were: copies of them must go */
} skn_about;

typedef struct skn_taking {
    skn_stream_filter filter;
    bool              over; /* nothing can follow: the cause has ended, or the world */
} skn_taking;

/* The event is wanted. Sets t->over at the end, even when the last event is not wanted. Any thread. */
bool skn_takes(skn_taking *t, const skn_about *a);

/* The options of a request for events. */
typedef struct skn_events_asked {
    skn_api_call     *call;
    skn_stream_filter filter;
    int64_t           after;  /* -1: none */
    int64_t           recent; /* of a page: only among the newest so many; 0: all */
    bool              stream;
    skein_rc          rc;
} skn_events_asked;

skein_rc skn_events_ask(skn_events_asked *q);
skein_rc skn_events_page(skn_events_asked *q);

/* --- Posting a message (api_post.c) ------------------------------------------------------------- */

/* For carriers that wait for the outcome: store the message, then answer at once, or look until all have answered (or it is
 * late) and gather. Each step may use the store. */
typedef struct skn_posting {
    skn_api_call     *c;
    skein_rc          rc;
    skein_post        post;
    skein_new_message message; /* that is posted */
    skein_posted      posted;
    skein_notice      notice;
    int64_t           before; /* the newest event before it was stored */
    bool              stream; /* the answer is a stream of events */
    bool              late;   /* the time to wait is over */
    bool              idle;   /* all have answered */
    skn_vec(skn_str) replies;
} skn_posting;

skein_rc skn_post_store(skn_posting *p);
void     skn_post_answer(skn_posting *p); /* 202 and the message */
/* Reads what the message has caused so far. */
skein_rc skn_post_look(skn_posting *p);
skein_rc skn_post_gather(skn_posting *p); /* 200, the message and its replies */

/* --- Messages of any role (message_read.c) ------------------------------------------------------ */

/* Reads a message from an object, as views of it or in the arena. *lane is absent when it names none. Members that are only
 * written are skipped; *unknown is the first that no message has. */
skein_rc skn_message_read(const skn_json *v, skn_arena *a, skein_new_message *out,
                          skn_str *lane, skn_str *unknown, skein_error *err);
/* Reads from the body what a message says beside its text. */
skein_rc skn_call_said(skn_api_call *c, skein_new_message *out);
/* The member that was probably meant; NULL when none is near. */
const char *skn_message_member_near(skn_str unknown, skn_arena *a);

/* --- Delegations (api_lanes.c) ------------------------------------------------------------------ */

/* Makes sure that a lane of c->chat can be appended to. The next child ("main.2" after "main.1") is made, for the call if
 * one is named. */
skein_rc skn_api_lane_ensure(skn_api_call *c, skn_str key, skn_str call_id);

/* --- Stopping agents (api_queue.c) ---------------------------------------------------------------- */

typedef struct skn_stop_target {
    skein_conversation_id chat;
    skein_agent_id        agent; /* zero: all of the chat */
} skn_stop_target;

/* For carriers that can reach agents at work: find the targets, stop each, look, answer. */
typedef struct skn_stopping {
    skn_api_call *c;
    skein_rc      rc;
    skn_vec(skn_stop_target) targets;
    size_t      at; /* of the targets, the next */
    int64_t     stopped, since;
    skein_tasks tasks; /* that were cancelled with it */
} skn_stopping;

skein_rc skn_stop_find(skn_stopping *s);
skein_rc skn_stop_in_store(skn_stopping *s); /* wherever they run */
skein_rc skn_stop_look(skn_stopping *s);     /* reads which tasks were cancelled */
void     skn_stop_answer(skn_stopping *s);

/* --- Handlers ------------------------------------------------------------------------------ */

#define OPERATION(method, path, handler, flags, id, summary) skn_handler skn_api_##handler;
#define SERVER_ONLY(method, path, flags, id, summary)
#include "api/operations.def"
#undef OPERATION
#undef SERVER_ONLY
