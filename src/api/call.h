/* call.h: what handlers are written with: reading a request, finding what it means, writing the answer.
 *
 * A cursor is opaque: base64url of "TAG:FROM:COUNT". The tag names the list and the version it was
 * read from, so that a cursor means the same messages for ever; a cursor of another list is refused.
 * Threads, lifetimes: those of the call. */
#ifndef SKN_API_CALL_H
#define SKN_API_CALL_H

#include "api/api.h"

/* --- The request (call.c) ------------------------------------------------------------------ */

/* A header's value, its name in any case of letters; absent when there is none. The first, if it was repeated. */
skn_str skn_call_header(const skn_api_call *c, const char *name);
/* A query parameter, decoded; absent when there is none. */
skn_str  skn_call_query(skn_api_call *c, const char *name);
skein_rc skn_call_query_int(skn_api_call *c, const char *name, int64_t min, int64_t max,
                            int64_t fallback, int64_t *out);
skein_rc skn_call_query_flag(skn_api_call *c, const char *name, bool *out);
/* Members of the JSON body; a wrong type or a missing one is SKEIN_INVALID with its pointer. */
skein_rc skn_call_text(skn_api_call *c, const char *member, bool needed, skn_str *out);
skein_rc skn_call_int(skn_api_call *c, const char *member, int64_t min, int64_t max,
                      int64_t fallback, int64_t *out);
skein_rc skn_call_flag(skn_api_call *c, const char *member, bool fallback, bool *out);
/* chatId from the body or the query; absent when neither has it. */
skein_rc skn_call_chat_id(skn_api_call *c, skn_str *out);
/* Fails with 400 validation and {"errors":[{"pointer","detail"}]}. */
skein_rc skn_call_invalid(skn_api_call *c, const char *pointer, const char *detail);
/* Fails with a problem that has no code of its own. */
skein_rc skn_call_problem(skn_api_call *c, int status, const char *problem, const char *fmt,
                          ...) __attribute__((format(printf, 4, 5)));

/* --- The answer ---------------------------------------------------------------------------- */

/* Values are copied. */
void skn_call_add_header(skn_api_call *c, const char *name, skn_str value);
/* Sets ETag; answers 304 by itself when the client has it: then *same is true. A tag that names a state alone
 * gets a hash of the answer once that is whole, and is compared only then. */
void skn_call_etag(skn_api_call *c, skn_str tag, bool *same);
/* The state of a conversation: "t_….LENGTH", with quotes. */
skn_str skn_call_chat_etag(skn_api_call *c, const skein_conversation *chat);
bool    skn_call_names_state(skn_str tag); /* and nothing more */
/* If-Match into the state that a change of what was said expects. needed: 428 when it is missing. */
skein_rc skn_call_if_match(skn_api_call *c, const skein_conversation *chat, bool needed,
                           skein_at *out);
/* Opens {"data":[ and closes it with ],"page":{…}}; cursors are opaque texts, absent for none. */
void skn_call_list(skn_api_call *c);
void skn_call_list_end(skn_api_call *c, skn_str next, skn_str prev, int64_t total);

/* --- What is meant (lookup.c): each fills c->world, c->chat, c->agent, or fails with 404 -------- */

/* What the path names: {w}, and {c} or {a} in it. Done before a handler runs; who serves a SERVED route does it itself, on
 * a worker. */
skein_rc skn_find_named(skn_api_call *c);
skein_rc skn_find_world(skn_api_call *c);            /* params[0] */
skein_rc skn_find_chat(skn_api_call *c, skn_str id); /* of c->world */
/* As a person names it: "@", a title, "ada:background", the beginning of an id. */
skein_rc skn_find_chat_typed(skn_api_call *c, skn_str ref);
skein_rc skn_find_agent(skn_api_call *c, skn_str ref, skein_agent *out);
/* By public id, in any version of the chat; the exact id, no prefix. */
skein_rc skn_find_message(skn_api_call *c, skn_str id, skein_message *out);
/* As a person names it: "@", "@~2", "@ada" for what she said last, a part of an id. */
skein_rc skn_find_message_typed(skn_api_call *c, skn_str ref, skein_message *out);
/* "t_…" or "v7" of the chat; absent gives the current one. */
skein_rc skn_find_version(skn_api_call *c, skn_str id, skein_version *out);

/* --- One edit of a chat at a time (api_edits.c) ------------------------------------------------ */

/* An edit under way; it is its worker's, and lives there from begin to end. */
struct skn_editing {
    skein_conversation_id chat;
    skn_editing          *next;
};

/* --- Shared (api_shared.c) ----------------------------------------------------------------- */

/* The status, and Location: a path with the world's name and whatever else. */
void skn_api_location(skn_api_call *c, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* chatId, or the world's current chat; SKEIN_SESSION_OFF when there is neither. */
skein_rc skn_api_chat_or_current(skn_api_call *c);
/* The message of params[1] in the chat of chatId, or where it was said; fills c->chat too.
 * SKEIN_CONFLICT when it waits in the queue. */
skein_rc skn_api_message(skn_api_call *c, skein_message *out);
/* The same, or with waits->queued the message that it will be. */
skein_rc skn_api_said_or_queued(skn_api_call *c, skein_message *out, skein_posted *waits);
/* All of a lane of c->chat. A memory goes by its agent: of two agents with one name the key names the one that is there. */
skein_slice skn_api_slice(const skn_api_call *c, const skein_lane *lane);
/* threadId= of the query, or the current version. */
skein_rc skn_api_version(skn_api_call *c, skein_version *out);
/* Who is at work in the world; zero: in all of them. */
skein_rc skn_api_at_work(skn_api_call *c, skein_world_id world, skn_at_work *out);
/* The same for these agents of the world, with what they pause, wait for and have to do. */
skein_rc skn_api_agents_at_work(skn_api_call *c, skein_world_id world,
                                const skein_agents *agents, skn_at_work *out);
/* Names the kind of a 404 that the engine has no word for: "task-not-found". */
skein_rc skn_api_missing(skn_api_call *c, skein_rc rc, const char *problem);
/* The agent as it is now, with its ETag (api_agents.c). */
skein_rc skn_api_answer_agent(skn_api_call *c, skein_agent *agent);
/* A change of c->chat, with key, If-Match, force and dryRun as the request has them. */
skein_rc skn_api_change(skn_api_call *c, bool match_needed, skein_change *out);
/* Says where the conversation stands when a change failed because it has moved on, or which member
 * was invalid. */
skein_rc skn_api_changed(skn_api_call *c, skein_rc rc);
/* Says which member it was that the engine found invalid, by what it calls it. */
skein_rc skn_api_blame(skn_api_call *c, skein_rc rc);
/* A member that is a list of message ids, each of c->chat. */
skein_rc skn_api_ids(skn_api_call *c, const char *member, skein_message_ids *out);
/* "instructions" of an object; none when it has no such member. */
skein_rc skn_api_instructions(skn_api_call *c, const skn_json *of, skein_instruction **out,
                              size_t *count);
/* The member as a list; NULL when it is missing or null. */
skein_rc skn_api_list(skn_api_call *c, const skn_json *of, const char *member,
                      const skn_json **out);
/* The list that a body is, or that is its member; up to 1000 values. */
skein_rc skn_api_body_list(skn_api_call *c, const char *member, const skn_json **out);
/* The body's member, told apart from a missing one: true also for null. */
bool skn_api_has(const skn_api_call *c, const char *member);
/* "name", as names are kept. */
skein_rc skn_api_name(skn_api_call *c, bool needed, skn_str *out);
/* true in the body or in the query. */
skein_rc skn_api_flag(skn_api_call *c, const char *name, bool *out);
/* Fails with 412 unless If-Match is absent, "*", or names a tag with this beginning ("\"a_12", which
 * ends there or continues with "-"); `what` was changed then. *asked: it was there and fits. */
skein_rc skn_api_match(skn_api_call *c, skn_str stem, const char *what, bool *asked);
/* Sets the chat's ETag as it stands after a change. */
void skn_api_fresh_etag(skn_api_call *c);
/* What cannot be done without a model when this server asks none: 503. */
skein_rc skn_api_no_models(skn_api_call *c);

/* --- Messages in answers (api_shape.c) ------------------------------------------------------- */

/* Messages with all that surrounds them, as items of an open list or as one object. */
typedef struct skn_told_messages {
    skein_messages       list;
    skein_message_facts *facts;
    skein_deliveries    *deliveries;
    skein_messages      *replies; /* of each, where they are to be included; else NULL */
} skn_told_messages;

/* Reads what surrounds them in a version of c->chat. */
skein_rc skn_api_explain(skn_api_call *c, int64_t version, const skein_messages *list,
                         skn_told_messages *out);
/* include=replies,delivery,instructions: reads what is to be added to each; the last two always are. */
void skn_api_write_message(skn_api_call *c, const skn_told_messages *m, size_t i);
/* The whole answer: a page of these messages. */
skein_rc skn_api_answer_messages(skn_api_call *c, int64_t version, const skein_messages *list,
                                 skn_str tag);
/* A message that was just posted or queued. */
void skn_api_write_posted(skn_api_call *c, const skein_posted *posted, skn_str client_id,
                          const skein_notice *notice);
/* One that waits: as it will be, and that it is queued. */
void skn_api_write_queued(skn_api_call *c, const skein_posted *waits);
/* A page of a lane of c->chat, as the query asks for it. */
skein_rc skn_api_answer_lane(skn_api_call *c, const skein_version *version,
                             skein_agent_id agent, skn_str lane);

/* --- Lists in pages (page.c) -------------------------------------------------------------------- */

#define SKN_PAGE_DEFAULT 50
#define SKN_PAGE_MOST    500
#define SKN_PAGE_HERE    100000 /* that a call of this process may ask for */

/* The part of a list that is asked for. */
typedef struct skn_page {
    skn_str tag;
    int64_t limit;
    int64_t from, count, total; /* once it fits */
    bool    newest_first;       /* new items come in front: cursors count from the end */
    bool    asked;              /* by a cursor: from and count are those that it names */
    bool    picked;             /* items are left out: the total is not that of the answer */
} skn_page;

/* Reads limit alone. */
skein_rc skn_page_limit(skn_api_call *c, int64_t fallback, int64_t *out);
/* Reads limit and cursor; `fallback` is the limit when none is given. */
skein_rc skn_page_read(skn_api_call *c, skn_str tag, int64_t fallback, bool newest_first,
                       skn_page *out);
/* Where it begins and ends in a list of this length. */
void skn_page_fit(skn_page *p, int64_t total);
/* A cursor of this list; `from` is what skn_page_read gives back. */
skn_str skn_page_cursor(skn_api_call *c, const skn_page *p, int64_t from, int64_t count);
/* Closes the list that skn_call_list opened, with cursors to both sides. */
void skn_page_end(skn_api_call *c, const skn_page *p);

/* What kind of list it is. */
enum {
    SKN_LIST_NEWEST = 1, /* new items come in front */
    SKN_LIST_FIELDS = 2, /* "fields" picks members */
    SKN_LIST_WHOLE = 4   /* short: without a limit the page is as long as a page may be */
};

/* The whole answer: of these things, which are of the shape, the page that is asked for. */
skein_rc skn_answer_list(skn_api_call *c, skn_str tag, int how, const void *things,
                         size_t count, const skn_shape *shape);
/* The whole answer: this thing, where something is read with "fields". */
skein_rc skn_answer_one(skn_api_call *c, const skn_shape *shape, const void *thing);
/* Around the items of a list at hand that the caller writes, those of out->from and out->count. `known` are the members
 * of each that there are; NULL: "fields" is not for this list. */
skein_rc skn_page_open(skn_api_call *c, skn_str tag, size_t total, int how, skn_page *out);
skein_rc skn_page_close(skn_api_call *c, const skn_page *p, const char *known);
/* fields=a,b: leaves only these members in the answer, or in every item of a list; `known` are
 * those there are. Fails when one is not. The answer to a change is always whole. */
skein_rc skn_page_fields(skn_api_call *c, const char *known);
/* Will one of these members be left in the answer? What only others need is not worth reading. */
bool skn_page_wants(skn_api_call *c, const char *names);
/* The same, and these beside them. */
skein_rc skn_page_fields_and(skn_api_call *c, const char *known, skn_str also);

/* Base64 with the alphabet for addresses, without padding. */
skn_str skn_base64url(skn_arena *a, skn_str bytes);
bool    skn_base64url_read(skn_arena *a, skn_str text, skn_str *out);

/* --- Events (taking.c, api_events.c) ------------------------------------------------------------ */

/* The events that somebody wants. */
typedef struct skn_stream_filter {
    skein_world_id        world; /* zero: all */
    skein_conversation_id chat;  /* zero: all */
    skn_str cause; /* set: only what this message causes, and end with world.idle */
    skn_str types; /* "message,thread": beginnings of types; absent: all */
    bool    no_deltas;
    bool    inbox; /* with chat: also what comes into the inbox of its world */
    bool    idle;  /* with cause: nobody has to answer: what it caused, then end */
} skn_stream_filter;

/* What events are chosen by. */
typedef struct skn_about {
    skein_world_id        world;
    skein_conversation_id chat;
    skn_str               type, cause, message;
    bool                  removed; /* the world is no more */
    bool erased; /* texts of the chat are: who keeps what was told forgets it */
} skn_about;

/* What somebody wants to be told. */
typedef struct skn_taking {
    skn_stream_filter filter;
    bool over; /* nothing can follow: what a message caused has ended, or the world */
} skn_taking;

/* True if it is wanted; remembers the end, also when that is not wanted. Any thread. */
bool skn_takes(skn_taking *t, const skn_about *a);

/* What a request for events asks for. */
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

/* --- Saying something (api_post.c) -------------------------------------------------------------- */

/* A message on its way, for carriers that wait for the outcome: store it, then answer at once, or look until all have
 * answered (or it is late) and gather. Each may touch the store. */
typedef struct skn_posting {
    skn_api_call *c;
    skein_rc      rc;
    skein_post    post;
    skein_posted  posted;
    skein_notice  notice;
    int64_t       before; /* the newest event before it was stored */
    bool          stream; /* the answer is to be one of events */
    bool          late;   /* the time to wait was up */
    bool          idle;   /* all have answered */
    skn_vec(skn_str) replies;
} skn_posting;

skein_rc skn_post_store(skn_posting *p);
/* 202 and the message. */
void skn_post_answer(skn_posting *p);
/* Reads what the message caused so far. */
skein_rc skn_post_look(skn_posting *p);
/* 200, the message and what answered it. */
skein_rc skn_post_gather(skn_posting *p);

/* --- Messages of any role (message_read.c, api_messages.c) ------------------------------------------ */

/* Reads one from an object; *lane is absent when it names none. What is read lives in the JSON or in the arena. Members
 * that are only written are passed over; *unknown is the first that no message has, absent when there is none. */
skein_rc skn_message_read(const skn_json *v, skn_arena *a, skein_new_message *out,
                          skn_str *lane, skn_str *unknown, skein_error *err);
/* The member that was probably meant; NULL when none is near. */
const char *skn_message_member_near(skn_str unknown, skn_arena *a);

/* --- Stopping agents (api_queue.c) ---------------------------------------------------------------- */

typedef struct skn_stop_target {
    skein_conversation_id chat;
    skein_agent_id        agent; /* zero: all of the chat */
} skn_stop_target;

/* For carriers that can reach agents at work: find whom to stop, stop each, then tell. */
typedef struct skn_stopping {
    skn_api_call *c;
    skein_rc      rc;
    skn_vec(skn_stop_target) targets;
    size_t      at; /* of the targets, the next */
    int64_t     stopped, since;
    skein_tasks tasks; /* that were cancelled with it */
} skn_stopping;

skein_rc skn_stop_find(skn_stopping *s);
/* Stops them in the store, wherever they run. */
skein_rc skn_stop_in_store(skn_stopping *s);
/* Reads whose tasks the stop has taken. */
skein_rc skn_stop_look(skn_stopping *s);
void     skn_stop_answer(skn_stopping *s);

#endif
