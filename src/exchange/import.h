/* import.h: other programs' conversations on their way in. Only files of this folder include
 * it.
 *
 * A form reads its file into a skn_foreign_file: worlds with agents, chats, and messages in
 * order. import_links.c gives them ids and reply links, import_build.c writes each down as an
 * archive, and the archives are what is imported: so there is one way into the store, checked as
 * a whole and written in one transaction.
 *
 * Threads: one.  Lifetimes: all of it lives in one arena. */
#pragma once

#include "base/hash.h"
#include "base/json.h"
#include "engine/core.h"
#include "exchange/exchange.h"

#define SKN_IMPORT_FILE   ((size_t)1 << 30)  /* bytes of a file that is read whole */
#define SKN_IMPORT_VALUES ((size_t)32 << 20) /* JSON values of it, at most */
#define SKN_IMPORT_WORLDS ((size_t)10000)
#define SKN_IMPORT_AGENTS ((size_t)10000)
#define SKN_IMPORT_KNOWN                                                                       \
    "Known are skein archives, JSON lines, and agent-world's databases, folders and exports."
#define SKN_IMPORT_ROWS ((size_t)50 * 1000 * 1000)

typedef struct skn_foreign_agent {
    skn_str name;  /* as it is here; the file's own names lead to it by skn_foreign.names */
    skn_str shown; /* the file's name of it, where that is another */
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

/* One file or folder. */
typedef struct skn_foreign_file {
    skein_engine *e;
    skn_arena    *a;
    skn_str       form; /* what it is, for people */
    skn_vec(struct skn_foreign *) worlds;
    skn_map *names; /* of its worlds, as they are here */
    skn_map *ids;   /* of its messages, as they are here */
    skn_vec(skn_str) notes;
    size_t rows;    /* of messages, so far */
    bool   starved; /* there is not enough memory for all of them */
} skn_foreign_file;

/* An edit that failed in the other program. */
typedef struct skn_foreign_edit {
    skn_str message, operation, error; /* message: the file's id of it */
    int64_t at;                        /* 0: unknown */
} skn_foreign_edit;

/* One world of it. */
typedef struct skn_foreign {
    skn_foreign_file *file;
    skein_engine     *e;
    skn_arena        *a;
    skn_import_report report; /* only what is counted while it is read */
    skn_str           world, description;
    skn_str origin; /* what tells it from all other worlds, so that the ids made for it
                               * are always the same; absent: they are new each time */
    skn_str uid;    /* follows from origin */
    int64_t turn_limit, created_at;
    int64_t current_chat; /* index, or -1 */
    skn_vec(skn_foreign_agent) agents;
    skn_vec(skn_foreign_chat) chats;
    skn_vec(skn_foreign_message) messages;
    skn_vec(skn_foreign_edit) edits;
    bool     no_links; /* it was written by a release that knew of no reply links */
    int64_t  metadata; /* rows with more than has a place here */
    skn_map *names;    /* the file's names of agents -> index */
    skn_map *taken;    /* names of agents here -> anything */
    skn_map *chat_ids; /* -> index */
} skn_foreign;

/* --- import_foreign.c: what is being read -------------------------------------------------- */

void skn_foreign_file_init(skn_foreign_file *file, skein_engine *e, skn_arena *a);
/* A new world of the file. */
skn_foreign *skn_foreign_new(skn_foreign_file *file);
/* Says what could not be kept, while there is room for it. */
void skn_foreign_note(skn_foreign_file *file, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Counts one more row; false, and `starved`, when memory would run out while the rows become messages. */
bool     skn_foreign_fits(skn_foreign_file *file);
skein_rc skn_import_starved(skein_error *err);
/* A name that may be an agent's or a world's here, as near to the given one as can be. */
skn_str skn_foreign_name(skn_str from, const char *otherwise, skn_arena *a);
/* The same, but one that is not in `taken` yet; it is then. */
skn_str skn_foreign_free_name(skn_map *taken, skn_str wanted, skn_arena *a);
/* The agent with this name in the file; made when it is new. -1 when there are too many. */
int64_t skn_foreign_agent_of(skn_foreign *f, skn_str name);
/* The same, but -1 when there is none. */
int64_t skn_foreign_agent_find(const skn_foreign *f, skn_str name);
/* The chat with this id in the file (absent: the one without id); made when it is new. */
size_t skn_foreign_chat_of(skn_foreign *f, skn_str id);
/* A chat that no id leads to. */
size_t skn_foreign_chat_new(skn_foreign *f, skn_str title);
/* A text that may be a title here, or none. */
skn_str skn_foreign_title(skn_foreign *f, skn_str text);
/* Notes that an agent heard a message of the list; false when that was known. */
bool skn_foreign_heard(skn_foreign *f, skn_foreign_message *m, size_t agent);

/* Lets another name of the file lead to an agent, unless it leads to one already. */
void skn_foreign_alias(skn_foreign *f, size_t agent, skn_str name);
/* The number under a key of a map, 0 at first; *made: the key is new. */
size_t *skn_foreign_number(void **slot, skn_arena *a, bool *made);

/* --- import_lines.c: a message as JSON, however it is spelled ------------------------------ */

/* Fills role, texts, calls, ids and time from a message as OpenAI, agent-world or we write it.
 * *why is NULL when it can be kept, else says why not. `what` names the row in notes. */
void skn_foreign_row(skn_foreign *f, const skn_json *row, const char *what,
                     skein_new_message *out, const char **why);
/* False, with the reason, when the engine would not take such a message. */
bool skn_foreign_checks(skn_foreign *f, const skein_new_message *m, skein_error *why);
/* A time: RFC 3339 (a blank may stand for the T, and no zone for UTC), or a number of seconds or milliseconds; 0 when it
 * is none. */
int64_t skn_foreign_time(const skn_json *v);

/* --- import_links.c: the memories of agents ----------------------------------------------- */

/* agent-world keeps no message of its own: every agent that heard one has a copy in its memory,
 * with the same id or, in old worlds, with none. The copies become one message that several
 * agents heard. */
typedef struct skn_memories {
    skn_foreign *f;
    skn_map     *by_id; /* (chat, id, text) -> index of the message */
    skn_map *by_text;   /* of rows without id: (chat, sender, time, text, which) -> the same */
    skn_map *nearly;    /* of what agents said without id: (chat, sender, text, about when) */
    skn_map *equal;     /* how many equal rows without id the memory at hand has had */
    size_t   owner;     /* of the memory at hand */
    skn_map *places;    /* of its last rows, by chat */
} skn_memories;

typedef struct skn_memory_row {
    skein_new_message m;
    skn_str           chat_id; /* the file's; absent: the chat without id */
    int64_t           chat;    /* index of the chat when chat_id does not tell, else -1 */
    const char       *why;     /* set: it cannot be kept */
    const char       *what;    /* names it in notes */
} skn_memory_row;

void skn_memories_init(skn_memories *r, skn_foreign *f);
/* What is added next is the memory of this agent, in its order; each agent has one, except for those
 * of chats that no id leads to. */
void skn_memories_begin(skn_memories *r, size_t owner);
void skn_memories_add(skn_memories *r, skn_memory_row *row);

/* --- import_foreign.c -------------------------------------------------------------------------- */

/* Settles the ids of all messages, once they are in order, and of the world. */
void skn_foreign_ids(skn_foreign *f);

/* --- import_links.c ----------------------------------------------------------------------- */

/* Puts the messages in order, makes ids where they are missing, and settles who replies to
 * whom. */
skein_rc skn_foreign_link(skn_foreign *f, skein_error *err);

/* --- import_build.c ----------------------------------------------------------------------- */

/* All of it as an archive. */
skein_rc skn_foreign_archive(const skn_foreign *f, skn_buf *out, skein_error *err);

/* --- the forms ---------------------------------------------------------------------------- */

/* import_lines.c: JSON lines, or one JSON document with messages. */
skein_rc skn_import_lines(skn_foreign_file *file, const char *path, skein_error *err);
/* import_folder.c: a folder of agent-world, of one world or of all. */
skein_rc skn_import_folder(skn_foreign_file *file, const char *path, skein_error *err);
/* import_agentworld.c: a database of agent-world. */
skein_rc skn_import_agentworld(skn_foreign_file *file, const char *path, skein_error *err);

/* import_world.c: a document with agents that have memories, and its parts. */
bool     skn_import_is_world(const skn_json *doc);
skein_rc skn_import_world(skn_foreign *f, const skn_json *doc, skein_error *err);
/* import_foreign.c: what a configuration says of its world; absent texts leave what is there. otherwise: the world's
 * id when the configuration has none. */
void skn_import_config(skn_foreign *f, const skn_json *config, skn_str otherwise);
/* What else it says, once all agents are known: what can be kept is kept, and the rest is noted. Commands of tool
 * servers, and values that may be secrets, never come in. mcp: where the tool servers are; NULL: in the configuration. */
void skn_import_extras(skn_foreign *f, const skn_json *config, const skn_json *mcp);
/* import_foreign.c: what cannot be an agent's here is left out with a note. ours: the words mean what they mean here. */
void skn_import_agent(skn_foreign *f, size_t agent, const skn_json *config, bool ours);
/* A chat without an id is none. */
void skn_import_chat(skn_foreign *f, const skn_json *chat);
void skn_import_current(skn_foreign *f, skn_str chat_id);
/* import_world.c: the list of edits that failed for some agents; and keeping them, once the world is there. */
void skn_import_edits(skn_foreign *f, const skn_json *list);
void skn_import_edits_keep(skn_foreign *f, skein_world_id world);
/* A list of messages; chat: where they belong when their chatId does not tell, else -1. escaped: line
 * ends may be written as the two characters "\n". */
void     skn_import_memory(skn_memories *r, const skn_json *rows, size_t owner, int64_t chat,
                           bool escaped);
skein_rc skn_import_too_many(skein_error *err); /* agents */

/* A whole file; refuses what is too large. The bytes live in the buffer. */
skein_rc skn_import_read(const char *path, skn_buf *out, skein_error *err);
/* The last part of a path, without what follows its last dot. */
skn_str skn_import_base_name(const char *path);
