/* message.h: messages. A message never changes; an amended text is another message that names the one that it
 * replaces. */
#ifndef SKEIN_MESSAGE_H
#define SKEIN_MESSAGE_H

#include <skein/text.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ids have types, so that ids of different things cannot be confused. Zero is not an id. */
typedef struct skein_world_id {
    int64_t v;
} skein_world_id;
typedef struct skein_agent_id {
    int64_t v;
} skein_agent_id;
typedef struct skein_conversation_id {
    int64_t v;
} skein_conversation_id;
typedef struct skein_lane_id {
    int64_t v;
} skein_lane_id;
typedef struct skein_thread_id {
    int64_t v;
} skein_thread_id;
typedef struct skein_message_id {
    int64_t v; /* grows with every message of a store; defines "at or after" */
} skein_message_id;

typedef enum skein_role {
    SKEIN_USER,
    SKEIN_ASSISTANT,
    SKEIN_TOOL,
    SKEIN_SUMMARY,
    SKEIN_SYSTEM /* a notice for timelines; never sent to a model */
} skein_role;

typedef enum skein_author {
    SKEIN_BY_HUMAN,
    SKEIN_BY_AGENT,
    SKEIN_BY_TOOL,
    SKEIN_BY_SYSTEM
} skein_author;

/* Why a text is incomplete. The numbers are those of the store. */
typedef enum skein_unfinished {
    SKEIN_WHOLE = 0,
    SKEIN_STOPPED = 1, /* its agent was stopped while it wrote */
    SKEIN_CUT = 2,     /* the model, the connection or the program ended */
    SKEIN_LENGTH = 3,  /* the model reached its token limit */
    SKEIN_THOUGHT = 4, /* the model ended while thinking: there is no text */
    SKEIN_BLANK = 5,   /* the model wrote only blanks */
    SKEIN_REPEATED = 6 /* the model repeated itself, and was stopped */
} skein_unfinished;

typedef struct skein_tool_call {
    skein_str call_id;
    skein_str tool_name;
    skein_str args; /* JSON text as the model wrote it; only an object is run */
} skein_tool_call;

typedef struct skein_instruction {
    skein_str type;   /* "Source.User", "Source.Agent", "ResponseExpected", or a tag's name */
    skein_str target; /* an agent, if the type needs one; else absent */
} skein_instruction;

/* A file that messages carry: bytes that a store keeps once, and what they were called when they were sent. */
typedef struct skein_attachment {
    skein_str id;            /* the SHA-256 of its bytes, 64 hexadecimal digits */
    skein_str name;          /* as in a folder: without "/" */
    skein_str type;          /* "image/png"; as far as its bytes say so */
    int64_t   size;          /* bytes */
    int64_t   width, height; /* of an image, in pixels; else 0 */
    int64_t   created_at;    /* when the world was given it last; not in messages */
} skein_attachment;

typedef struct skein_attachments {
    skein_attachment *at;
    size_t            count;
} skein_attachments;

typedef struct skein_message {
    skein_message_id      id;
    skein_str             uid; /* "messageId" */
    skein_conversation_id born_in;
    skein_role            role;
    skein_author          author;
    skein_agent_id        author_agent; /* zero unless an agent of this store wrote it */
    skein_str             sender;       /* "human", an agent's name, … */
    skein_str             content;
    skein_str             thinking;
    skein_tool_call      *calls;
    size_t                call_count;
    skein_str             tool_call_id; /* of a tool's result */
    bool                  tool_failed;
    skein_instruction    *instructions;
    size_t                instruction_count;
    skein_str             reply_to;    /* as the client gave it; may name no message */
    skein_message_id      reply_to_id; /* zero if it names no message */
    int                   reply_depth; /* levels above it, 0 for a root */
    skein_message_id lineage;    /* the first version of an amended message, else its own id */
    skein_message_id version_of; /* the message that this one replaced (amend) */
    skein_str        squash_uid; /* of the squash that it is the result of */
    skein_str        model;
    skein_str        turn_uid;
    skein_str warning;   /* why a reply link was dropped or dangles; absent when all is well */
    skein_str reasoning; /* JSON that its model wants back, word for word; for no one else */
    skein_str
        files; /* JSON: a list of what it carries, each as its skein_attachment; absent: nothing */
    skein_unfinished unfinished; /* why its text ends before its end */
    bool             purged;     /* erased: only the place is left */
    int64_t          created_at; /* microseconds UTC; for showing only */
    int64_t          position;   /* in the thread it was read from; -1 outside of one */
} skein_message;

/* What is given of a message that is yet to be stored. */
typedef struct skein_new_message {
    size_t                 size; /* set by SKEIN_NEW_MESSAGE_INIT; the same for all of a list */
    skein_str              uid;  /* absent: made here. Given: the same again is stored once */
    skein_role             role;
    skein_str              sender; /* absent: "human", or what the role is called */
    skein_str              content;
    skein_str              thinking;
    const skein_tool_call *calls;
    size_t                 call_count;
    skein_str              tool_call_id;
    bool                   tool_failed;
    const skein_instruction *instructions;
    size_t                   instruction_count;
    skein_str                reply_to; /* a message's public id */
    skein_str                model;
    skein_str                turn_uid;
    skein_unfinished         unfinished; /* why the text ends before its end */
    int64_t                  created_at; /* 0: now */
    /* Names of the agents that hear it; every agent of the chat, unless heard_by_given is set. Results of
     * tools are heard only by the agent that called. */
    const skein_str *heard_by;
    size_t           heard_by_count;
    bool             heard_by_given;
    bool             not_by_sender; /* nor does the agent that says it keep it in its memory */
    skein_str        reasoning; /* a JSON object that its model wants back; see skein_message */
    skein_str        files;     /* as in skein_message: files of its world */
} skein_new_message;
#define SKEIN_NEW_MESSAGE_INIT SKEIN_INIT(skein_new_message)

typedef struct skein_messages {
    skein_message *at;
    size_t         count;
} skein_messages;

/* The name of the reason why a text is incomplete, as in JSON: "stopped", "cut", "length", "thinking", "blank" or
 * "repeated"; NULL for a complete text. */
SKEIN_API const char *skein_unfinished_name(skein_unfinished why);
/* Finds that reason by its name; false if the name is unknown. */
SKEIN_API bool skein_unfinished_from(skein_str name, skein_unfinished *out);
/* The same reason for people: "stopped", "cut off", "ended while thinking". */
SKEIN_API const char *skein_unfinished_words(skein_unfinished why);

/* The name of a role, as in JSON: "assistant". */
SKEIN_API const char *skein_role_name(skein_role role);
/* Finds a role by its name; false if it is none of user, assistant, tool, summary, system. */
SKEIN_API bool skein_role_from(skein_str name, skein_role *out);

#ifdef __cplusplus
}
#endif
#endif
