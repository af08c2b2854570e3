/* door.h: the API of the store: what commands ask of it, over HTTP where the store is behind a server, else in this
 * process.
 *
 * What comes back has the types of the engine, so that a command prints the same near and far. A message, a
 * conversation and an agent get numbers in the order in which this run meets them.
 * Threads: one. Lifetimes: everything lives in cli->keep. A failure is in cli->err. */
#pragma once

#include "base/hash.h"
#include "base/json.h"
#include "base/json_write.h"
#include "cli/cli.h"
#include "cli/discover.h"

typedef skn_vec(const skn_json *) skn_json_list;

typedef struct skn_door {
    skn_server  server;
    bool        elsewhere; /* the store is behind a server; only its server sees its files */
    const char *world;     /* "/worlds/NAME", once it is known */
    skn_str     world_name;
    const char *chat; /* "/worlds/NAME/chats/ID", once it is known */
    skn_str     chat_uid;
    const char *match; /* If-Match of a change; NULL: none was asked for */
    skn_map    *numbers;
    skn_vec(skn_str) uids; /* uids.p[n - 1] has number n */
} skn_door;

/* Is the store that of a server, so that nothing beside it is seen from here? */
bool skn_is_elsewhere(const skn_cli *cli);
/* Does this command go through the door? The others work on the file of the store, or on the program itself:
 * docs/architecture.md lists them. */
bool skn_door_can(const skn_cli *cli);
/* From here on the store is the one behind this server, or in this process. */
void skn_door_begin(skn_cli *cli, const skn_server *server);
void skn_door_end(skn_cli *cli);

/* --- Asking (door_ask.c) ------------------------------------------------------------------- */

/* From here on the server that runs on the store is the door, where one does: of those who are stopped only it has the last
 * words. */
skein_rc skn_door_to_server(skn_cli *cli);
bool     skn_at_server(const skn_cli *cli);
/* The same, where one must run; else an error says what needs it: "a squash by a model". */
skein_rc skn_need_server(skn_cli *cli, const char *what);
/* A server, or the one that runs if one does, is the door until the caller puts its own back. */
void     skn_visit(skn_cli *cli, const skn_server *server);
skein_rc skn_visit_server(skn_cli *cli, bool *served);
/* What the server that runs says; NULL: none does, or it cannot, which is not a failure. */
const skn_json *skn_server_told(skn_cli *cli, const char *path);
/* One answer; the path is made like by printf. */
skein_rc skn_door_get(skn_cli *cli, const skn_json **out, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#define SKN_DOOR_PAGE ((size_t)500)
#define SKN_HERE_PAGE                                                                          \
    ((size_t)100000) /* of this process, which would read a whole list for each page of it */
/* An answer was too large: a page to ask for instead; false when it cannot be smaller. */
bool skn_door_less(size_t *page);
/* Every item of a list, page by page; up to `most` when that is not 0. */
skein_rc skn_door_all(skn_cli *cli, const char *path, size_t most, skn_json_list *out);
/* The same, one by one: what was read is forgotten page by page. `page`: how many there may be in one, near. A page may
 * be empty: a list may still have more. */
typedef void skn_door_take(void *arg, skn_cli *look, const skn_json *item);
skein_rc     skn_door_each(skn_cli *cli, const char *path, size_t page, skn_door_take *take,
                           void *arg);
/* A request with a JSON body (absent: none), under the key and the state that the person named. */
skein_rc skn_door_change(skn_cli *cli, const char *method, const char *path, skn_str body,
                         const skn_json **out);
/* The body of a change, being written: begun as an object, ended when it is sent. */
typedef struct skn_door_body {
    skn_cli *cli;
    skn_str  key; /* Idempotency-Key: that of --key */
    skn_buf  bytes;
    skn_jw   w;
} skn_door_body;

skn_jw  *skn_door_body_begin(skn_cli *cli, skn_door_body *b);
skein_rc skn_door_send(skn_door_body *b, const char *method, const char *path,
                       const skn_json **out);
/* Sends the body where a job is the answer, and waits for its result, which *out is. A Ctrl-C cancels the job. */
skein_rc skn_door_job(skn_door_body *b, const char *path, const skn_json **out);
/* A text as it stands in a path or a query. */
const char *skn_door_part(skn_cli *cli, skn_str text);
/* The number of what has this id, and back. */
int64_t skn_door_number(skn_cli *cli, skn_str uid);
skn_str skn_door_uid(const skn_cli *cli, int64_t number);

/* A run of its own for one question: what it reads lives in `mem`, and so can be forgotten. A failure is in the
 * question's own cli->err. */
typedef struct skn_door_question {
    skn_cli  cli;
    skn_door door;
} skn_door_question;

skn_cli *skn_door_ask_apart(skn_cli *cli, skn_arena *mem, skn_door_question *q);

/* --- Answers as the engine's types (door_read.c) ------------------------------ */

int64_t skn_door_int(const skn_json *v, const char *key, int64_t fallback);
bool    skn_door_flag(const skn_json *v, const char *key);
int64_t skn_door_time(const skn_json *v, const char *key); /* 0: none */
/* The first item of a member that is a list or an object, or NULL. */
const skn_json *skn_first(const skn_json *v, const char *member);

void skn_door_read_world(skn_cli *cli, const skn_json *v, skein_world *out);
void skn_door_read_chat(skn_cli *cli, const skn_json *v, skein_conversation *out);
/* 7 for "v7"; 0 for none. */
int64_t skn_door_version_number(skn_str name);
/* Facts and deliveries may be NULL. */
void skn_door_read_message(skn_cli *cli, const skn_json *v, skein_message *out,
                           skein_message_facts *facts, skein_deliveries *deliveries);

/* --- Places (door_read.c) ----------------------------------------------------------------- */

skein_rc skn_door_worlds(skn_cli *cli, skein_worlds *out);
skein_rc skn_door_world(skn_cli *cli, skn_str ref, skein_world *out);
/* Remembers which world this run is about. */
void skn_door_enter(skn_cli *cli, const skein_world *world);
/* The conversation of that world that commands mean from here on. */
void skn_door_enter_chat(skn_cli *cli, const skein_conversation *chat);
/* By id, title, AGENT:MODE or the beginning of an id; "@" is the current one or the newest. */
skein_rc skn_door_chat(skn_cli *cli, const char *ref, skein_conversation *out);
skein_rc skn_door_agents(skn_cli *cli, skein_agents *out);
/* "ada" or "@ada". */
skein_rc skn_door_agent(skn_cli *cli, skn_str name, skein_agent *out);
/* As a person names it: an id or its beginning, "@~2", "ID^". Facts and deliveries may be NULL. */
skein_rc skn_door_message(skn_cli *cli, skn_str ref, skein_message *out,
                          skein_message_facts *facts, skein_deliveries *deliveries);
/* "v7" or "t_…" */
skein_rc skn_door_version_numbered(skn_cli *cli, int64_t number, skein_version *out);
skein_rc skn_door_history(skn_cli *cli, skein_versions *out);

/* --- What can be read of a conversation (door_read.c) -------------------------------------- */

/* Messages of a lane with what surrounds them, oldest first. */
typedef struct skn_door_log {
    skein_messages       list;
    skein_message_facts *facts;
    skein_deliveries    *deliveries;
    const skn_json     **items;  /* as they came */
    int64_t              length; /* of the lane */
} skn_door_log;

/* Which of them: those of a slice, whose agent and lane may be named. */
typedef struct skn_door_slice {
    skn_str thread; /* of the version */
    skn_str agent, lane;
    bool    raw;
    int64_t last; /* only so many, from the end; 0: all */
} skn_door_slice;

/* "&name=value", or nothing. */
const char *skn_door_parameter(skn_cli *cli, const char *name, skn_str value);
skein_rc    skn_door_log_read(skn_cli *cli, const skn_door_slice *what, skn_door_log *out);
/* So many of them from a place on; a negative one counts from the end. `last` says nothing here. */
skein_rc skn_door_log_part(skn_cli *cli, const skn_door_slice *what, int64_t from,
                           int64_t count, skn_door_log *out);
/* The ids of a message and of the replies below it, as keys. */
skein_rc skn_door_subtree(skn_cli *cli, skn_str uid, skn_str thread, skn_map **out);

/* The replies under a message, or all of the version when it is absent. */
skein_rc skn_door_tree(skn_cli *cli, skn_str thread, skn_str root, skein_reply_tree *out);
