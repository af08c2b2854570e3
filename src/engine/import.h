/* import.h: other programs' conversations on their way in. Only files of this folder include
 * it.
 *
 * A form reads its file into a skn_foreign: one world with agents, chats, and messages in
 * order. import_links.c gives it ids and reply links, import_build.c writes it down as an
 * archive, and the archive is what is imported: so there is one way into the store, checked as
 * a whole and written in one transaction.
 *
 * Threads: one.  Lifetimes: all of it lives in one arena. */
#ifndef SKN_ENGINE_IMPORT_H
#define SKN_ENGINE_IMPORT_H

#include "base/hash.h"
#include "base/json.h"
#include "engine/core.h"
#include "engine/exchange.h"

#define SKN_IMPORT_FILE   ((size_t)1 << 30)  /* bytes of a file that is read whole */
#define SKN_IMPORT_VALUES ((size_t)32 << 20) /* JSON values of it, at most */
#define SKN_IMPORT_AGENTS ((size_t)10000)
#define SKN_IMPORT_ROWS   ((size_t)50 * 1000 * 1000)

typedef struct skn_foreign_agent {
    skn_str name; /* as it is here; the file's own names lead to it by skn_foreign.names */
    skn_str system_prompt, model, settings;
    int64_t created_at;
    size_t  last_heard; /* number of the message it heard last, as they come */
} skn_foreign_agent;

typedef struct skn_foreign_chat {
    skn_str id, title; /* id: the file's; absent when it has none */
    int64_t created_at;
} skn_foreign_chat;

typedef struct skn_foreign_message {
    skein_new_message m; /* uid and reply_to as in the file, until they are linked */
    size_t            chat;
    int64_t           author; /* the agent that said it, or -1 */
    bool              heard_by_all;
    skn_vec(size_t) heard; /* agents, each once */
    int64_t place;         /* what orders it: rows of equal place stay as they came */
    bool    had_id;        /* in the file */
    int64_t parent;        /* the message it replies to, or -1 */
    int     depth;
    bool    guessed; /* its parent is a guess */
    skn_str warning;
} skn_foreign_message;

typedef struct skn_foreign {
    skein_engine      *e;
    skn_arena         *a;
    skn_import_report *report;
    skn_str            world, description;
    int64_t            turn_limit, created_at;
    int64_t            current_chat; /* index, or -1 */
    skn_vec(skn_foreign_agent) agents;
    skn_vec(skn_foreign_chat) chats;
    skn_vec(skn_foreign_message) messages;
    skn_map *names;    /* the file's names of agents -> index + 1 */
    skn_map *taken;    /* names of agents here -> anything */
    skn_map *chat_ids; /* -> index + 1 */
    skn_vec(skn_str) notes;
} skn_foreign;

void skn_foreign_init(skn_foreign *f, skein_engine *e, skn_arena *a, skn_import_report *report);
/* Says what could not be kept, while there is room for it. */
void skn_foreign_note(skn_foreign *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A name that may be an agent's or a world's here, as near to the given one as can be. */
skn_str skn_foreign_name(skn_str from, const char *otherwise, skn_arena *a);
/* The agent with this name in the file; made when it is new. -1 when there are too many. */
int64_t skn_foreign_agent_of(skn_foreign *f, skn_str name);
/* The same, but -1 when there is none. */
int64_t skn_foreign_agent_find(const skn_foreign *f, skn_str name);
/* The chat with this id in the file (absent: the one without id); made when it is new. */
size_t skn_foreign_chat_of(skn_foreign *f, skn_str id);
/* Notes that an agent heard a message of the list; false when that was known. */
bool skn_foreign_heard(skn_foreign *f, skn_foreign_message *m, size_t agent);

/* --- import_rows.c: a message as JSON, however it is spelled ------------------------------ */

/* Fills role, texts, calls, ids and time from a message as OpenAI, agent-world or we write it.
 * *why is NULL when it can be kept, else says why not. `what` names the row in notes. */
void skn_foreign_row(skn_foreign *f, const skn_json *row, const char *what,
                     skein_new_message *out, const char **why);
/* False, with the reason, when the engine would not take such a message. */
bool skn_foreign_checks(skn_foreign *f, const skein_new_message *m, skein_error *why);
/* A time: RFC 3339, or a number of seconds or milliseconds; 0 when it is none. */
int64_t skn_foreign_time(const skn_json *v);
/* The text of a member; absent when it is missing or something else. */
skn_str skn_foreign_text(const skn_json *v, const char *key);

/* --- import_links.c ----------------------------------------------------------------------- */

/* Puts the messages in order, makes ids where they are missing, and settles who replies to
 * whom. */
skein_rc skn_foreign_link(skn_foreign *f, skein_error *err);

/* --- import_build.c ----------------------------------------------------------------------- */

/* All of it as an archive. */
skein_rc skn_foreign_archive(const skn_foreign *f, skn_buf *out, skein_error *err);

/* --- the forms ---------------------------------------------------------------------------- */

/* import_lines.c: JSON lines, or one JSON document with messages. */
skein_rc skn_import_lines(skn_foreign *f, const char *path, skein_error *err);
/* import_world.c: a folder of agent-world, or a document with agents that have memories. */
skein_rc skn_import_folder(skn_foreign *f, const char *path, skein_error *err);
bool     skn_import_is_world(const skn_json *doc);
skein_rc skn_import_world(skn_foreign *f, const skn_json *doc, skein_error *err);

/* A whole file; refuses what is too large. The bytes live in the buffer. */
skein_rc skn_import_read(const char *path, skn_buf *out, skein_error *err);

#endif
