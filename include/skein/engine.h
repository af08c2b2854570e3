/* engine.h: opening a store; worlds, agents and conversations.
 *
 * Threads: an engine may be used by any number of threads; two engines may be open in one process,
 * also on the same store. Every call is one transaction: when it fails, nothing has changed.
 * Lifetimes: what a call returns lives in the skein_mem it was given. */
#ifndef SKEIN_ENGINE_H
#define SKEIN_ENGINE_H

#include <skein/message.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skein_engine skein_engine;

typedef struct skein_options {
    size_t    size;     /* set by SKEIN_OPTIONS_INIT */
    skein_str store;    /* "sqlite:PATH" or "postgresql://…" */
    size_t    max_text; /* bytes of one text; 0 means 16 MiB */
    bool      read_only;
} skein_options;
#define SKEIN_OPTIONS_INIT SKEIN_INIT(skein_options)

/* Opens the store that the options name; creates a missing store and upgrades its schema. *out is the caller's, for
 * skein_close; NULL after a failure. */
SKEIN_API skein_rc skein_open(skein_engine **out, const skein_options *options,
                              skein_error *err);
/* Closes an engine and frees it; no call may be in it. NULL is fine. */
SKEIN_API void skein_close(skein_engine *e);
/* The version of the running library, as in "0.1.0". */
SKEIN_API const char *skein_version_text(void);

/* --- Worlds ---------------------------------------------------------------------------------- */

typedef struct skein_world {
    skein_world_id        id;
    skein_str             uid;
    skein_str             name; /* [a-z0-9][a-z0-9_-]{0,63} */
    skein_str             description;
    int64_t               turn_limit;
    int64_t               compact_at;   /* messages in a context at which it is summarised */
    skein_conversation_id current_chat; /* zero: session mode is off */
    skein_str             current_chat_uid;
    skein_str             settings; /* a JSON object (docs/worlds.md), or absent */
    int64_t               created_at;
} skein_world;

typedef struct skein_worlds {
    skein_world *at;
    size_t       count;
} skein_worlds;

/* Creates a world. Takes name, description, turn_limit and compact_at (0: the defaults) from *w, fills the rest.
 * SKEIN_CONFLICT when the name is taken. */
SKEIN_API skein_rc skein_world_new(skein_engine *e, skein_world *w, skein_mem *mem,
                                   skein_error *err);
/* Finds a world by name (any case) or id. */
SKEIN_API skein_rc skein_world_find(skein_engine *e, skein_str ref, skein_mem *mem,
                                    skein_world *out, skein_error *err);
/* Lists the worlds, without removed ones. */
SKEIN_API skein_rc skein_world_list(skein_engine *e, skein_mem *mem, skein_worlds *out,
                                    skein_error *err);
/* Hides the world and frees its name; its messages stay in the store until they are purged. SKEIN_AT_WORK while
 * agents are at work in it, unless force stops them. */
SKEIN_API skein_rc skein_world_remove(skein_engine *e, skein_world_id id, bool force,
                                      skein_error *err);
/* Lists the removed worlds, last removed first. */
SKEIN_API skein_rc skein_world_removed(skein_engine *e, skein_mem *mem, skein_worlds *out,
                                       skein_error *err);
/* Restores a removed world by its id, or by its name if only one with that name was removed, and reports the work
 * that was waiting in it. `name` is a new name, absent: its own; SKEIN_CONFLICT if that is taken. */
SKEIN_API skein_rc skein_world_restore(skein_engine *e, skein_str ref, skein_str name,
                                       skein_mem *mem, skein_world *out, skein_error *err);
/* Changes name, description, turn_limit and compact_at to those of *w; an absent text and a zero leave a member
 * unchanged. Fills in the rest. */
SKEIN_API skein_rc skein_world_update(skein_engine *e, skein_world *w, skein_mem *mem,
                                      skein_error *err);
/* A change of a world, in one transaction; an absent text and a zero leave a member unchanged. */
typedef struct skein_world_change {
    size_t         size; /* set by SKEIN_WORLD_CHANGE_INIT */
    skein_world_id id;
    const skein_world
             *was; /* set: fails with SKEIN_VERSION_CHANGED if the world has changed since */
    skein_str name, description;
    int64_t   turn_limit, compact_at;
    skein_str settings; /* replaces all settings */
    bool      set_chat; /* make `chat` the current one; zero switches session mode off */
    skein_conversation_id chat;
} skein_world_change;
#define SKEIN_WORLD_CHANGE_INIT SKEIN_INIT(skein_world_change)

/* Changes a world, and reads it again. */
SKEIN_API skein_rc skein_world_patch(skein_engine *e, const skein_world_change *what,
                                     skein_mem *mem, skein_world *out, skein_error *err);
/* Makes a chat the current one; zero switches session mode off. */
SKEIN_API skein_rc skein_world_set_chat(skein_engine *e, skein_world_id id,
                                        skein_conversation_id chat, skein_error *err);

/* --- Agents ---------------------------------------------------------------------------------- */

typedef struct skein_agent {
    skein_agent_id id;
    skein_str      uid;
    skein_world_id world;
    skein_str      name;
    skein_str      system_prompt;
    skein_str      model;
    skein_agent_id lead; /* zero: it has no lead */
    skein_str      lead_name;
    skein_str      settings; /* a JSON object with the client's own members, or absent */
    int64_t        created_at;
} skein_agent;

typedef struct skein_agents {
    skein_agent *at;
    size_t       count;
} skein_agents;

/* Creates an agent. Takes world, name, system_prompt, model, lead_name (by name) and settings from *a, fills the rest.
 * SKEIN_CONFLICT when the name is taken. */
SKEIN_API skein_rc skein_agent_new(skein_engine *e, skein_agent *a, skein_mem *mem,
                                   skein_error *err);
/* Finds an agent of a world by name (any case) or id. */
SKEIN_API skein_rc skein_agent_find(skein_engine *e, skein_world_id world, skein_str ref,
                                    skein_mem *mem, skein_agent *out, skein_error *err);
/* Lists the agents of a world, without removed ones. */
SKEIN_API skein_rc skein_agent_list(skein_engine *e, skein_world_id world, skein_mem *mem,
                                    skein_agents *out, skein_error *err);
/* Replaces system_prompt, model, lead_name and settings of the agent with a's id by those of *a. */
SKEIN_API skein_rc skein_agent_update(skein_engine *e, skein_agent *a, skein_mem *mem,
                                      skein_error *err);
/* Like skein_agent_update, if the agent has not changed since it was read; else SKEIN_VERSION_CHANGED. */
SKEIN_API skein_rc skein_agent_update_from(skein_engine *e, const skein_agent *was,
                                           skein_agent *a, skein_mem *mem, skein_error *err);
/* Removes an agent; its messages stay. SKEIN_AT_WORK while it is at work, unless force stops it. */
SKEIN_API skein_rc skein_agent_remove(skein_engine *e, skein_agent_id id, bool force,
                                      skein_error *err);

/* --- Conversations --------------------------------------------------------------------------- */

typedef enum skein_mode { SKEIN_CHAT, SKEIN_FOREGROUND, SKEIN_BACKGROUND } skein_mode;

typedef struct skein_conversation {
    skein_conversation_id id;
    skein_str             uid;
    skein_world_id        world;
    skein_mode            mode;
    skein_agent_id        agent; /* of a foreground or background conversation */
    skein_str             agent_name;
    skein_str             title;
    int64_t               version;    /* number of the current version: 7 for v7 */
    skein_thread_id       thread;     /* current thread of the main lane */
    skein_str             thread_uid; /* "t_…" */
    int64_t               length;     /* messages in the main lane */
    skein_conversation_id branched_from;
    int64_t               created_at;
    int64_t               last_activity_at; /* 0: no message yet */
    bool                  archived;         /* removed: it can be read, but not changed */
    skein_str reply_expected; /* name of the agent whose reply its messages expect; or absent */
    bool      read_only;      /* its messages request that agents do not answer */
} skein_conversation;

typedef struct skein_conversations {
    skein_conversation *at;
    size_t              count;
} skein_conversations;

/* Creates a chat with every agent of the world, and makes it the world's current one. */
SKEIN_API skein_rc skein_chat_new(skein_engine *e, skein_world_id world, skein_str title,
                                  skein_mem *mem, skein_conversation *out, skein_error *err);
/* Returns the current chat of a world; in a world that never had a chat, creates one. SKEIN_SESSION_OFF if there are
 * chats and none is current. */
SKEIN_API skein_rc skein_chat_first(skein_engine *e, skein_world_id world, skein_mem *mem,
                                    skein_conversation *out, skein_error *err);
/* Returns the agent's foreground or background conversation, which is created on first use. */
SKEIN_API skein_rc skein_conversation_of(skein_engine *e, skein_agent_id agent, skein_mode mode,
                                         skein_mem *mem, skein_conversation *out,
                                         skein_error *err);
/* Finds a conversation by id, unique prefix of an id (4 characters or more), or exact title. Zero world: any. */
SKEIN_API skein_rc skein_conversation_find(skein_engine *e, skein_world_id world, skein_str ref,
                                           skein_mem *mem, skein_conversation *out,
                                           skein_error *err);
/* Reads a conversation by its id, even a removed one. */
SKEIN_API skein_rc skein_conversation_get(skein_engine *e, skein_conversation_id id,
                                          skein_mem *mem, skein_conversation *out,
                                          skein_error *err);
/* Lists the conversations of a world, without removed ones. */
SKEIN_API skein_rc skein_conversation_list(skein_engine *e, skein_world_id world,
                                           skein_mem *mem, skein_conversations *out,
                                           skein_error *err);
typedef struct skein_conversation_change {
    size_t         size; /* set by SKEIN_CONVERSATION_CHANGE_INIT */
    bool           set_title, set_reply_expected, set_read_only; /* which members to change */
    skein_str      title;                                        /* absent: none */
    skein_agent_id reply_expected;                               /* zero: nobody's */
    bool           read_only;
    const skein_conversation
        *was; /* set: fails with SKEIN_VERSION_CHANGED if these members have changed since */
} skein_conversation_change;
#define SKEIN_CONVERSATION_CHANGE_INIT SKEIN_INIT(skein_conversation_change)

/* Changes the members that are set in *what, all or none. The expected reply and the read-only state are stored for
 * senders, who add them to their messages as ResponseExpected and ReadOnly. */
SKEIN_API skein_rc skein_conversation_set(skein_engine *e, skein_conversation_id id,
                                          const skein_conversation_change *what,
                                          skein_error                     *err);
/* Changes the title; an absent one removes it. */
SKEIN_API skein_rc skein_conversation_rename(skein_engine *e, skein_conversation_id id,
                                             skein_str title, skein_error *err);
/* Hides a conversation; branches keep their messages, and the texts stay until they are purged. SKEIN_AT_WORK while
 * agents are at work in it, unless force stops them; queued messages stay queued. */
SKEIN_API skein_rc skein_conversation_remove(skein_engine *e, skein_conversation_id id,
                                             bool force, skein_error *err);
/* Lists the removed conversations, last removed first, without those of removed agents. */
SKEIN_API skein_rc skein_conversation_removed(skein_engine *e, skein_world_id world,
                                              skein_mem *mem, skein_conversations *out,
                                              skein_error *err);
/* Restores a removed conversation by its full public id, and reports the work that was waiting in it. */
SKEIN_API skein_rc skein_conversation_restore(skein_engine *e, skein_world_id world,
                                              skein_str uid, skein_mem *mem,
                                              skein_conversation *out, skein_error *err);

/* --- Lanes ----------------------------------------------------------------------------------- */

typedef enum skein_lane_state {
    SKEIN_LANE_RUNNING,
    SKEIN_LANE_DONE,
    SKEIN_LANE_FAILED,
    SKEIN_LANE_CANCELLED,
    SKEIN_LANE_INTERRUPTED
} skein_lane_state;

typedef struct skein_lane {
    skein_lane_id    id;
    skein_str        key; /* "main", "main.1.2", or "@ada" for an agent's memory */
    skein_agent_id   agent;
    skein_str        agent_name;
    skein_lane_id    parent;
    int64_t          ordinal;
    skein_message_id spawn_message; /* the message with the call that started this lane */
    skein_str        spawn_call_id;
    skein_lane_state state;
    skein_thread_id  thread; /* of the version it was read from */
    int64_t          length;
} skein_lane;

typedef struct skein_lanes {
    skein_lane *at;
    size_t      count;
} skein_lanes;

/* Lists the lanes of a conversation in its current version. */
SKEIN_API skein_rc skein_lane_list(skein_engine *e, skein_conversation_id conversation,
                                   skein_mem *mem, skein_lanes *out, skein_error *err);
/* Creates the next delegation below a lane ("main" gets "main.1", "main.2", …). The call and its message may be
 * absent: the lane then belongs to no call. */
SKEIN_API skein_rc skein_lane_new(skein_engine *e, skein_conversation_id conversation,
                                  skein_str parent, skein_message_id spawn_message,
                                  skein_str spawn_call_id, skein_mem *mem, skein_lane *out,
                                  skein_error *err);
/* Records how a delegation ended; a final state cannot be changed. */
SKEIN_API skein_rc skein_lane_finish(skein_engine *e, skein_lane_id lane,
                                     skein_lane_state state, skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
