/* engine.h: the public header of this folder: the public calls, and their answers as JSON.
 *
 * A shape writes one value with the member names of the API into the writer it is given; it cannot fail and keeps
 * nothing. Where it has to read JSON that a client stored, it takes an arena for that. SKN_FIELDS_X names the members
 * of shape X, as a person may pick them: the build makes them of view/shapes/x.def.
 * Threads: any. */
#pragma once

#include "base/arena.h"
#include "base/env_rule.h"
#include "base/json_write.h"
#include "base/learned.h"
#include "base/session.h"
#include "base/shape.h"
#include "engine/audit.h"
#include "engine/timeline/timeline.h"
#include "engine/work/mention.h"
#include "engine/world/world_settings.h"
#include "shape_fields.h"

#include <skein/skein.h>

/* Which variables of the environment worlds may name, and for which addresses. Nothing is checked before it was set:
 * a program that only keeps worlds sends nothing. Any thread may set it again. */
skn_env_rule *skn_engine_env_rule(skein_engine *e);

/* Browsers that are signed in; `now` is microseconds UTC. */
#define SKN_SESSIONS_MOST 1000 /* the oldest goes */
/* `with` is for the trail: "with a link". */
skein_rc skn_session_put(skein_engine *e, const skn_session *what, skn_str with,
                         skein_error *err);
skein_rc skn_session_list(skein_engine *e, int64_t now, skein_mem *mem, skn_sessions *out,
                          skein_error *err);
/* An absent uid means all of them. */
skein_rc skn_session_remove(skein_engine *e, skn_str uid, int64_t *gone, skein_error *err);

/* What was learned of models; values that are absent are forgotten. */
skein_rc skn_learned_put(skein_engine *e, const skn_learned *list, size_t count,
                         skein_error *err);
skein_rc skn_learned_read(skein_engine *e, skein_mem *mem, skn_learned_list *out,
                          skein_error *err);

/* The schema version that this program's stores have. */
int skn_schema_known(void);
/* Bytes of the longest text that it stores. */
size_t skn_text_most(const skein_engine *e);
/* Forgets the search index; it is made again by the next search, or in the background. */
skein_rc skn_search_anew(skein_engine *e, skein_error *err);
/* As much of a text, from its beginning, as it stores. */
skn_str skn_text_fit(const skein_engine *e, skn_str s);
/* skein_message_find for what a person typed: also by the last 4 characters of an id, or more. That takes a look at every
 * id of the store, so what programs send is not looked for in this way. */
skein_rc skn_message_typed(skein_engine *e, skein_conversation_id conversation, skn_str ref,
                           skein_mem *mem, skein_message *out, skein_error *err);
/* Leaves those of them that an agent may have failed to answer, or was stopped at: only these need skein_deliveries_in. */
skein_rc skn_maybe_failed(skein_engine *e, skein_conversation_id chat, skein_messages *list,
                          skein_mem *mem, skein_error *err);
/* The messages that skein_purge would erase (without ids: skein_purge_unreachable): how many messages, and the first of
 * them; what repeats them comes last. */
skein_rc skn_purge_look(skein_engine *e, const skein_change *how, skein_message_ids ids,
                        size_t most, skein_mem *mem, skein_messages *out, int64_t *count,
                        skein_error *err);
/* The time that the bare database takes for `count` messages with this text, each committed by itself: what
 * "skein bench" compares with. The rows are removed again; the conversation must be an empty one,
 * and no other call under way. With 0 it only brings SQLite's log into the file. */
skein_rc skn_floor_measure(skein_engine *e, skein_conversation_id conversation, skn_str text,
                           int64_t count, int64_t *nanos, skein_error *err);

/* --- Worlds, agents, conversations -------------------------------------------------------- */

/* When an agent works; what is not set stays as it is. */
typedef struct skn_agent_hours {
    bool    set_paused, paused, set_every;
    int64_t every_ms;
} skn_agent_hours;

#define SKN_TIMER_RANGE "from 1s to 366d"
/* 0, which is not a timer, or within the range. */
bool skn_timer_is_one(int64_t ms);
/* skein_agent_new where *a has no id, else skein_agent_update_from; with its hours, in one transaction. */
skein_rc skn_agent_save(skein_engine *e, const skein_agent *was, skein_agent *a,
                        const skn_agent_hours *hours, skein_mem *mem, skein_error *err);

/* Tokens of an answer that an agent's settings may allow. */
#define SKN_AGENT_TOKENS_MOST INT64_C(1000000000)
struct skn_json;
/* Whether it is a list of facts that a prompt can end with: date timeZone person. */
bool skn_prompt_facts_valid(const struct skn_json *v);

#define SKN_FIELDS_FILE "path,readFull,items,prompt,problems"

void skn_shape_agent(skn_jw *w, const skein_agent *agent, skn_arena *scratch);
SKN_SHAPED(chat, skein_conversation);
/* "notice": what who said something should know, or null. */
void skn_shape_noticed(skn_jw *w, const skein_notice *notice);
SKN_SHAPED(notice, skein_notice);
/* The refusal of a change of a conversation that is archived. */
skein_rc skn_conversation_archived(skein_str uid, skein_error *err);
void     skn_shape_world(skn_jw *w, const skein_world *world, const skein_agents *agents,
                         const skein_conversations *chats, skn_arena *scratch);

/* Who is at work, and for whom work waits; what is not known of is idle. */
typedef struct skn_at_work {
    skein_turns turns;
    skein_dues  dues;
    int64_t     now;         /* microseconds UTC */
    int64_t     left_before; /* turns whose lease ends before are nobody's; 0: none are */
    /* Of skein_agent_work_of, in any order; without it nobody is paused or has a timer. */
    const skein_agent_work *agents;
    const skn_str *no_tools; /* of the same agents: why each has none; NULL: not known */
    const skn_str *problems; /* of the same agents: why each cannot be asked as it is set up */
    size_t         agent_count;
    /* JSON: the models that would answer the next message, and where they run; absent: not known. */
    skn_str answers;
} skn_at_work;

/* An agent with what its JSON has. Settings are JSON as stored, absent where nothing is set. */
typedef struct skn_told_agent {
    skein_agent      agent;
    skein_agent_work work;
    skn_str tools, temperature, top_p, max_tokens, stop, seed, effort, thinking_tokens, schema,
        images, auto_reply, fallback, prompt_facts;
    int64_t until, pending;
    skn_str inbox_uid, state, detail, no_tools, problem;
} skn_told_agent;
extern const skn_shape skn_agent_shape;

/* The same of a world. */
typedef struct skn_told_world {
    skein_world                world;
    bool                       session, processing;
    skn_str                    answers;
    const skein_agents        *agents;
    const skein_conversations *chats;
    const skn_at_work         *work;
    skn_arena                 *scratch;
} skn_told_world;
extern const skn_shape skn_world_shape;

/* "tool", "waiting", "writing" or "thinking": what an open turn is at. */
const char *skn_turn_doing(const skein_turn *turn);
/* The same of the agent's newest turn, or "interrupted" where nobody speaks for it any more, or "paused", "queued",
 * "failed" or "idle". *detail is the tool that runs, whom it waits for or why its last turn failed, or absent. */
skn_str skn_agent_state(const skn_at_work *work, skein_agent_id agent, skn_str *detail);
/* Has any of a world's agents something to do? The turns are those of the world. */
bool skn_is_processing(const skn_at_work *work, const skein_agents *agents);
void skn_shape_agent_at_work(skn_jw *w, const skein_agent *agent, const skn_at_work *work,
                             skn_arena *scratch);
void skn_shape_world_at_work(skn_jw *w, const skein_world *world, const skein_agents *agents,
                             const skein_conversations *chats, const skn_at_work *work,
                             skn_arena *scratch);
SKN_SHAPED(lane, skein_lane);
SKN_SHAPED(tag, skein_tag);
/* With what agents are sent of it; NULL: it was not read. The members alone, too. */
void skn_shape_file(skn_jw *w, const skein_context_file *file, const skein_file_parts *parts);
void skn_shape_file_members(skn_jw *w, const skein_context_file *file,
                            const skein_file_parts *parts);

/* The word for a mode or a state, as it stands in JSON. */
extern const skn_enum skn_role_names, skn_unfinished_names, skn_mode_names,
    skn_lane_state_names;
const char *skn_mode_name(skein_mode mode);
bool        skn_mode_from(skn_str name, skein_mode *out);
/* "ada:background": the conversation of its own that an agent has. */
bool        skn_mode_ref(skn_str ref, skn_str *agent, skein_mode *mode);
const char *skn_lane_state_name(skein_lane_state state);
bool        skn_lane_state_from(skn_str name, skein_lane_state *out);

/* --- Messages ----------------------------------------------------------------------------- */

SKN_SHAPED(tool_call, skein_tool_call);
SKN_SHAPED(instruction, skein_instruction);
SKN_SHAPED(delivery, skein_delivery);
SKN_SHAPED(usage, skein_usage);

/* The call with this id that a message makes, or NULL. */
const skein_tool_call *skn_call_of(const skein_message *m, skn_str id);
/* The version that is shown with a message: the current one if it has the message, or else the newest that does. */
int64_t skn_home_version(const skein_message_facts *f, int64_t current);

/* A message with what its JSON has. */
typedef struct skn_told_message {
    skein_message       m;
    skn_str             chat_uid;
    const void         *around; /* set: what f says is told with it */
    skein_message_facts f;
    skein_deliveries    d; /* the deliveries; if `delivered` is not set, those of f */
    bool                delivered;
    skn_str             usage; /* JSON: what it cost, where f does not say it; or absent */
} skn_told_message;
extern const skn_shape skn_message_shape;
/* Reads what message.def says is given, by the keys of the shape; only what is given with a post when `said` is set. False:
 * *wrong is the key of one that is no text. */
bool skn_given_read(const skn_json *v, bool said, skein_new_message *out, skn_str *wrong);

/* Without facts, the members that only they know are left out. */
void skn_shape_message(skn_jw *w, skein_str chat_uid, const skein_message *m,
                       const skein_message_facts *facts);
/* With the delivery to each agent. */
void skn_shape_message_delivered(skn_jw *w, skein_str chat_uid, const skein_message *m,
                                 const skein_message_facts *facts,
                                 const skein_deliveries    *deliveries);
/* The members alone, inside an object that the caller opened and may add to. */
void skn_shape_message_members(skn_jw *w, skein_str chat_uid, const skein_message *m,
                               const skein_message_facts *facts);
void skn_shape_message_delivered_members(skn_jw *w, skein_str chat_uid, const skein_message *m,
                                         const skein_message_facts *facts,
                                         const skein_deliveries    *deliveries);
/* The same in an event, without facts; usage is a JSON value, or absent. */
void skn_shape_message_told(skn_jw *w, skein_str chat_uid, const skein_message *m,
                            skn_str usage);

/* --- Versions and changes ----------------------------------------------------------------- */

#define SKN_FIELDS_REMOVAL                                                                     \
    "success,messageId,totalAgents,processedAgents,failedAgents,messagesRemovedTotal,"         \
    "removedByAgent,delegations,requiresRetry,resubmissionStatus,newMessageId,"                \
    "answersMessageId,cause,sideEffects,threadId,previousThreadId,version,previousVersion,"    \
    "undo"
#define SKN_FIELDS_COUNT                                                                       \
    "messageId,chatId,count,toolResults,isFirst,byAgent,removedByAgent,delegations,briefings," \
    "sideEffects,agents,preview,previewSkipped,editable,blockedBy,sessionMode,etag"
#define SKN_FIELDS_DIFF "from,to,same,changes"

SKN_SHAPED(version, skein_version);
#define SKN_FIELDS_MOVE SKN_FIELDS_MOVE_MADE "," SKN_FIELDS_MOVE_COUNTED
void skn_shape_move_members(skn_jw *w, const skein_move *move);
SKN_SHAPED(squash, skein_squash);
SKN_SHAPED(attachment, skein_attachment);
/* attachment.c: the list of a message's files. An archive may bring any text: what is no file is left out. */
skein_attachment *skn_files_told(skn_str files, skn_arena *a, size_t *count);
/* attachment.c: files that somebody names for a message, by their ids or as objects with an id and perhaps a name: the list as messages
 * keep it, which is absent when none is named. SKEIN_NOT_FOUND; SKEIN_LIMIT beyond the limits of the world's settings. */
skein_rc skn_files_named(skein_engine *e, skein_world_id world, skn_str given, skn_arena *a,
                         skn_str *out, skein_error *err);
/* "undo": the request that makes this thread the current one again. */
void skn_shape_undo(skn_jw *w, skein_str world_name, skein_str chat_uid, skein_str thread_uid);
/* The outcome of a removal or an edit. */
void skn_shape_removal(skn_jw *w, skein_str world_name, skein_str chat_uid,
                       const skein_removal *r);
/* The answer of a dry run, with the message it begins at and the word for what stands in its way just
 * now, or none. */
void skn_shape_count(skn_jw *w, skein_str chat_uid, bool session, skn_str blocked_by,
                     const skein_message *target, const skein_removal *r);
void skn_shape_diff(skn_jw *w, skein_str chat_uid, const skein_version *from,
                    const skein_version *to, const skein_diff *diff);

/* --- Views -------------------------------------------------------------------------------- */

/* Estimated: a token for every four bytes, rounded up, and four for the frame around them. */
size_t skn_tokens_of(size_t bytes);

SKN_SHAPED(context, skein_context);
/* But for the busiest threads, and for the message of a node and a hit. */
#define SKN_FIELDS_STATS SKN_FIELDS_STATS_COUNTED ",busiest"
#define SKN_FIELDS_STATS_GROUP                                                                 \
    "by,group,messages,replies,unanswered,depth,firstReplyMs,firstAt,lastAt,root"
#define SKN_FIELDS_NODE SKN_FIELDS_MESSAGE ",parentMessageId,depth,unanswered"
#define SKN_FIELDS_HIT  SKN_FIELDS_MESSAGE "," SKN_FIELDS_HIT_PLACE
extern const skn_shape skn_stats_shape, skn_node_shape, skn_hit_shape;
void                   skn_shape_stats(skn_jw *w, skein_str chat_uid, const skein_stats *s);
/* root: of a reply thread; else NULL. */
void skn_shape_stats_group(skn_jw *w, skein_str chat_uid, skein_str by,
                           const skein_stats_group *g, const skein_message *root);
/* A message with its place in the tree; its parent may be none. */
void skn_shape_node(skn_jw *w, skein_str chat_uid, const skein_reply_node *node,
                    const skein_message *parent);
void skn_shape_hit(skn_jw *w, const skein_hit *hit);
SKN_SHAPED(check, skein_check);

/* --- Work --------------------------------------------------------------------------------- */

/* An event that is sent and not kept: a piece of text, a heartbeat. */
typedef struct skn_live {
    skein_world_id        world;
    skn_str               world_name;
    skein_conversation_id chat;
    skn_str               chat_uid, cause;
    const char           *type;       /* "message.delta" */
    skn_str               message;    /* the message it belongs to; absent: none */
    skn_str               data;       /* a JSON object */
    skn_str               text, part; /* of a delta: what was added, and to what */
} skn_live;

/* The members around an event's data, as they stand in a stream. */
void skn_shape_event(skn_jw *w, const skein_event *event);
void skn_shape_deliveries(skn_jw *w, const skein_deliveries *list);
/* By its own id, which stays when its name changes. */
skein_rc skn_world_read(skein_engine *e, skein_world_id id, skein_mem *mem, skein_world *out,
                        skein_error *err);
/* Tells something that no change tells: of a world, or with a zero one of the whole store. data is a JSON
 * object, without texts of messages. */
skein_rc skn_event_tell(skein_engine *e, skein_world_id world, const char *type, skn_str data,
                        skein_error *err);
/* A queued message, and its conversation. */
typedef struct skn_queue_item {
    skein_waiting w;
    skn_str       chat_uid;
} skn_queue_item;
SKN_SHAPED(queue_item, skn_queue_item);
void skn_shape_waiting(skn_jw *w, skein_str chat_uid, const skein_waiting *waiting);
/* A turn with what its JSON has. */
typedef struct skn_shown_turn {
    skein_turn turn;
    skn_str    doing;
    bool       for_person; /* it waits for one */
    int64_t    since_ms;
} skn_shown_turn;
SKN_SHAPED(turn, skn_shown_turn);
/* [{"agent","chatId","messageId","state","detail","sinceMs"}] */
void skn_shape_busy(skn_jw *w, const skein_turns *turns, int64_t now);
SKN_SHAPED(edit_error, skein_edit_error);

/* --- Agents at work ----------------------------------------------------------------------- */

/* After so many failures people are told; it is still tried again. */
#define SKN_TASK_FAILURES 3
/* For people: its status, or "running", "waiting" or "retrying" while it is pending. */
skn_str skn_task_label(const skein_task *task);
/* Its unanswered question; absent: none. */
skn_str skn_task_question(const skein_task *task);
SKN_SHAPED(task, skein_task);
SKN_SHAPED(inbox_item, skein_inbox_item);
/* The whole text of an item that is a briefing. */
SKN_SHAPED(briefing, skein_inbox_item);
SKN_SHAPED(knowledge, skein_knowledge);
SKN_SHAPED(delegation, skein_delegation);
/* Before the model of an answer that was not its own but a recording's. No provider has a name with ":". */
#define SKN_REPLAYED "replay:"
/* Why turns fail whose program went away. */
#define SKN_WENT_AWAY "the server that spoke for the agent went away in the middle of it"
/* The error when no model call is kept for a message that an agent failed to answer. */
skein_rc skn_no_call_for(skn_str message, const skein_delivery *failed, skein_error *err);
/* Without what was sent and answered, and with everything: "request" is the JSON that was sent, or a text when it was none.
 * */
SKN_SHAPED(cost, skein_cost);
SKN_SHAPED(model_call, skein_model_call);
SKN_SHAPED(model_call_whole, skein_model_call);
SKN_SHAPED(expected, skein_expected);

/* --- Servers of tools ---------------------------------------------------------------------- */

/* A tool server as people see it. */
typedef struct skn_tool_server {
    skn_str        name, transport; /* "stdio" or "http" */
    skn_str        state;           /* "starting" "ready" "failed" "stopped" */
    skn_str        reason;          /* why, without secrets; may be absent */
    skn_str        errors;          /* the end of its standard error, the same */
    const skn_str *tools;           /* as models call them */
    const size_t  *sizes;           /* of each the bytes of its description and arguments */
    size_t         tool_count;
    int64_t        restarts;
    int64_t        since_ms; /* that it has been in its state */
} skn_tool_server;

/* The tool servers of a world's settings, none of them started. */
skein_rc skn_tool_servers_of(const skein_world *world, skn_arena *a, skn_tool_server **out,
                             size_t *count, skein_error *err);
SKN_SHAPED(tool_server, skn_tool_server);

/* --- Failures ----------------------------------------------------------------------------- */

/* Details of a failure beside its error; every member may be missing. */
typedef struct skn_problem {
    const char *thing; /* that was not found: "world", "chat", "message", "agent", "version" */
    const char *meant; /* the name that is nearest to the one that was not found */
    const char *current; /* where the conversation stands, when it has moved on */
    const char *fields;  /* those there are, when one that is not was asked for */
    const char *hint;    /* in the place of the error's, which is short; NULL: that one */
    bool        done; /* the change was made in spite of the failure: trying again is wrong */
    /* A problem that has no code of its own, in the place of what the code says. */
    const char *word, *title, *name; /* after "/problems/"; for people; "code" */
    int         status;
    bool        again; /* it may go another time */
    skein_str   instance, request_id;
    int64_t     retry_after_ms; /* 0: not known */
    skein_str   extra;          /* further members, ready JSON without braces */
} skn_problem;

/* A kind of problem (view/problems.def). */
typedef struct skn_problem_kind {
    const char *word; /* after "/problems/" */
    skein_rc    rc;   /* the code that means it; SKEIN_OK: none does */
    int         status;
    bool        again;
    const char *name, *title, *help; /* name: "code" of the document */
} skn_problem_kind;

extern const skn_problem_kind skn_problem_kinds[];               /* ends with a NULL word */
const skn_problem_kind       *skn_problem_named(skein_str word); /* NULL: there is none */
/* The kind that a failure is of, as long as more->word names no other. */
const skn_problem_kind *skn_problem_of(const skein_error *err, const skn_problem *more);

/* RFC 9457, with the first clients' members and the hint beside it; `more` may be NULL. */
void skn_shape_problem(skn_jw *w, const skein_error *err, const skn_problem *more);
/* Whether it says that the same request may succeed later; only then it says when. */
bool skn_problem_again(const skein_error *err, const skn_problem *more);
