/* run.h: one turn at work. Only files of this folder include it.
 *
 * A run is on the loop, or a job of it is on a worker, never both: while its state is in SKN_RUN_ON_WORKER the loop
 * uses only the fields marked (L). A run starts with due work, opens the turn, and repeats rounds: read the context,
 * ask the model, store the answer, run the called tools, wait for their delegations; until an answer calls no tool.
 * Threads: the loop's, except for functions marked "worker". Lifetimes: a run is freed when its turn is closed and no
 * job of it is in progress. */
#ifndef SKN_RUNTIME_RUN_H
#define SKN_RUNTIME_RUN_H

#include "base/buf.h"
#include "base/json_write.h"
#include "base/thin.h"
#include "mcp/mcp.h"
#include "runtime/mcp_board.h"
#include "runtime/runtime.h"

enum {
    SKN_RUNS_MOST = 1024,  /* turns at once, without waiting ones; the rest is taken later */
    SKN_RUN_LOOK = 256,    /* pieces of work in one search */
    SKN_RUN_ROUNDS = 50,   /* requests of a turn to the model */
    SKN_RUN_CALLS = 64,    /* calls of one answer */
    SKN_RUN_TRIES = 2,     /* tries of one request while the model cannot answer */
    SKN_RUN_TOOLS_MS = 50, /* between checks whether tool servers are ready … */
    SKN_RUN_TOOLS_LOOKS = 200, /* … and their number in a turn */
    SKN_RUN_WINDOW_MS =
        20, /* between checks whether a server has told the window of its model … */
    SKN_RUN_WINDOW_LOOKS = 150, /* … and their number in a turn */
    SKN_RUN_PAUSE_MS = 1000,    /* before another try */
    SKN_RUN_WRITING_MS = 250,   /* of text, before it is stored that an agent writes */
    SKN_RUN_SAVE_MS = 250,      /* between two savings of unfinished text */
    SKN_RUN_TEXT = 16 << 20,    /* bytes of one answer */
    SKN_RUN_RESPONSE = 4 << 20  /* bytes of an answer that are stored as they came */
};

typedef struct skn_run      skn_run;
typedef struct skn_halt     skn_halt;     /* a stop in progress */
typedef struct skn_mcp_room skn_mcp_room; /* the tool servers of a world */
typedef struct skn_rest     skn_rest;     /* a lane whose summary is retried later */

/* One request to a model and its outcome, for the record. */
typedef struct skn_asked {
    skn_arena *a; /* holds the pieces */
    skn_str   *pieces;
    size_t     piece_count;
    skn_str    made_of; /* in a; absent for a context without messages */
    /* set until the request is sent; NULL: no messages */
    const skein_context *context;
    skn_thin             response;
    char                *whole; /* the response as one text, after it was needed; NULL before */
    int64_t              began; /* ms */
    int64_t              read_at; /* microseconds; what was erased since is not stored */
} skn_asked;

/* window.c: how much a model can read, as far as that is known. */
typedef struct skn_reach {
    int64_t                       tokens; /* 0: not known */
    const char                   *from;   /* "setting" "error" "provider" "table" */
    const struct skn_wire_format *format; /* of its provider; NULL: none, or not known yet */
    int64_t scale; /* percent: tokens that the model counts, of the estimate */
    bool    asked; /* its server is being asked */
    int     sees;  /* images: 1; -1: none; 0: not known */
} skn_reach;

/* Estimated tokens of everything that is sent, and the model's window. */
typedef struct skn_sizes {
    int64_t   prompt, files, tools;
    int64_t   summary, results, messages; /* set by skn_sizes_messages */
    int64_t   most_tokens;                /* longest answer that was configured; 0: none */
    int64_t   thinking; /* tokens for thinking, in addition to those of the answer */
    skn_reach reach;
} skn_sizes;

typedef struct skn_windows skn_windows;

/* What a run may do, read again for every request. */
typedef struct skn_rights {
    skn_vec(skn_tool_offer) offers;
    const skn_json *tools;     /* the agent's list of tools; NULL: all */
    const skn_json *approvals; /* the world's tool approvals */
    const skn_json *servers;   /* the world's tool servers */
    const skn_json *settings;  /* the agent's */
    double          temperature;
    int64_t         most_tokens;
    int64_t         limit_share; /* percent of the window after which a context is summarised */
    bool            learns;      /* the world wants agents to remember what they learn */
    skn_str fallback; /* "provider/model" that answers while the agent's own model is down or
                   * over its limit; absent: none */
    const skn_json *facts;  /* that the prompt ends with; NULL: none */
    skn_str         person; /* the person's name */
} skn_rights;

/* The states of a run. From every state it returns to READY while one of its functions runs, and continues from there:
 *
 *   new --> READY --+--> ASKING --> WRITING        the model
 *                   +--> CALLING                   a tool of a server
 *                   +--> REQUESTING                a summary, or an extract of a file, that a model writes for it
 *                   +--> PAUSING                   its timer
 *                   +--> WORKING <-> WORK_LATER    a job, retried while the store accepts no writes
 *                   +--> WAITING                   for a result or a person. A job checks for it:
 *                   |       +--> LOOKING <-> LOOK_LATER
 *                   +--> CLOSING <-> CLOSE_LATER   the job that closes its turn
 *                   +--> STOPPED                   until the stop that waits for it has closed its turn
 *                   +--> freed
 *
 * When others have closed the turn, or are about to, the run waits for its job and cancels anything else:
 *
 *   WORKING, LOOKING --> LET_GO --> READY
 *   WORKING, LOOKING, LET_GO --> STOPPING --> READY    a stop waits for it
 *
 * Each state is a bit, so that a set of states can be tested. */
typedef enum skn_run_state {
    SKN_RUN_READY = 1 << 0,
    SKN_RUN_ASKING = 1 << 1,
    SKN_RUN_WRITING = 1 << 2, /* text of the answer has arrived */
    SKN_RUN_CALLING = 1 << 3,
    SKN_RUN_REQUESTING = 1 << 4,
    SKN_RUN_PAUSING = 1 << 5,
    SKN_RUN_WORKING = 1 << 6,
    SKN_RUN_WORK_LATER = 1 << 7,
    SKN_RUN_WAITING = 1 << 8,
    SKN_RUN_LOOKING = 1 << 9,
    SKN_RUN_LOOK_LATER = 1 << 10,
    SKN_RUN_CLOSING = 1 << 11,
    SKN_RUN_CLOSE_LATER = 1 << 12,
    SKN_RUN_LET_GO = 1 << 13,
    SKN_RUN_STOPPING = 1 << 14,
    SKN_RUN_STOPPED = 1 << 15
} skn_run_state;

enum {
    SKN_RUN_ASKS = SKN_RUN_ASKING | SKN_RUN_WRITING,
    SKN_RUN_WAITS = SKN_RUN_WAITING | SKN_RUN_LOOKING | SKN_RUN_LOOK_LATER,
    SKN_RUN_CLOSES = SKN_RUN_CLOSING | SKN_RUN_CLOSE_LATER,
    SKN_RUN_STOPS = SKN_RUN_STOPPING | SKN_RUN_STOPPED,
    SKN_RUN_OVER = SKN_RUN_LET_GO | SKN_RUN_STOPS, /* no request, nothing is stored */
    SKN_RUN_ON_WORKER = SKN_RUN_WORKING | SKN_RUN_LOOKING | SKN_RUN_CLOSING | SKN_RUN_LET_GO |
                        SKN_RUN_STOPPING
};

struct skn_run {
    skn_runtime  *r;            /* (L) */
    skn_run      *next, **link; /* (L) */
    skn_run_state state;        /* (L) only changed by skn_run_enter */
    union {                     /* (L) depends on the state */
        skn_asking        *asking;
        skn_mcp_call      *mcp_call;
        skn_model_request *request;
    };
    skn_halt *halt; /* (L) the stop that waits for it; set in STOPPING and STOPPED */
    /* Its work: set before the first job; the model and its provider may change once. */
    int64_t               delivery, task; /* (L) one of them is set */
    skein_conversation_id chat;           /* (L) zero until a task's turn is open */
    skein_agent_id        agent;          /* (L) */
    skein_lane_id         lane;           /* (L) */
    skn_str               model;          /* "provider/model" */
    skn_provider         *provider;       /* NULL: no provider has that name */
    bool                  fell_back;      /* model and provider are the fallback's */
    skn_arena            *a;              /* lives as long as the turn */
    /* The turn. */
    int64_t    turn_id, fence; /* (L) 0: not open, as far as the loop knows */
    skein_turn turn;
    /* The request. */
    skn_arena    *round; /* lives for one round */
    skein_context context;
    bool          sees;           /* it was read with the images in it */
    bool          without_images; /* the model has refused them in this turn */
    skn_str       system_prompt, asker, said;
    skn_rights    rights;
    skn_sizes     sizes;
    skn_str       tool, result; /* the last tool of this turn */
    bool          tool_failed;
    size_t        ran; /* calls of this answer whose tools have run */
    int           rounds, tries, waits_for_tools, waits_for_window;
    int64_t       since_load; /* messages stored since the context was read */
    /* Extracts of context files: the name of the next one and of the one being made, why the last one failed, and how
     * many were requested in this turn. */
    bool        wants_extracts;
    skn_str     next_extract, extracting; /* the second (L) */
    skein_error why_unextracted;
    int         extracts;
    bool misfit; /* an answer of this round did not fit the schema; the model was asked again */
    /* How the context is made to fit into the window. */
    int64_t most; /* most bytes of one text that are sent; 0: no limit */
    int     fit;  /* the next measure (turn_ask.c) */
    int     refusals, shrinks;
    bool    waits_for_summary; /* which another run has requested */
    /* The answer. */
    skn_asked     asked;
    bool          kept;                 /* the request is stored */
    skn_buf       text, thinking, args; /* args: of all calls, until they are complete */
    skein_partial handed;               /* (L) what a job has of them; turn 0: nothing */
    int64_t       question;             /* (L) number of the request; no other one has it */
    size_t        saved[2];  /* (L) bytes of the text and of the thinking that are saved … */
    size_t        looked[3]; /* … and that skn_repeats has checked; the last of args */
    int64_t       most_written; /* tokens; 0: no limit */
    skn_vec(skein_tool_call) calls;
    size_t     next_call;
    skn_answer answer;
    /* Tools that take time. */
    skn_mcp_room         *room;    /* (L) */
    size_t                allowed; /* the call that a person has allowed, from 1 */
    size_t                cleared; /* the call that may run with the same definition, from 1 */
    skein_tool_definition definition;
    bool   first_only; /* a person is asked only if that definition was not allowed before */
    size_t begun;      /* delegations of this answer that must end first */
    skein_approval approval;
    int64_t        open; /* calls without a result */
    /* The job. */
    void (*work)(skn_run *run); /* worker */
    void (*then)(skn_run *run);
    bool          repeated; /* a repeated job may have been stored before */
    skein_rc      rc;
    skein_error   err, why; /* of the last job; of a failing turn */
    skn_limit_hit limit;    /* the reached limit; its key is in `a` */
    skn_vec(skn_str) let;   /* the limits that a person lets this turn exceed */
    bool pauses;            /* (L) the pause before the next try is stored */
    /* For PAUSING and the states that end in LATER, and once in WRITING to store that the agent writes. */
    skn_timer *later;            /* (L) */
    void (*again)(skn_run *run); /* (L) */
    int64_t trying_since;        /* (L) when the store first refused, ms; 0: it accepts */
};

/* turn_run.c: states, start, jobs and end. */
void skn_run_enter(skn_run *run, skn_run_state state);
void skn_run_start(skn_runtime *r, const skein_due *due);
/* Cancels requests; the run is freed once its job, if any, has returned. `halt`: the run waits for that stop
 * instead. */
void skn_run_drop(skn_run *run, skn_halt *halt);
/* Closes the turn as interrupted and keeps its text. */
void skn_run_interrupt(skn_run *run);
void skn_run_free(skn_run *run);
/* Returns the model for the answer's record; the name shows an answer from a recording, in every view. */
skn_str skn_run_said_by(const skn_run *run);
/* Returns the unfinished text, and the request that it answers in *call; both are borrowed from the run, which has no
 * job in progress. */
skein_partial skn_run_written_so_far(skn_run *run, skein_model_call *call);
/* Runs `work` on a worker, then `then` on the loop, unless the turn is closed by then. */
void skn_run_job(skn_run *run, void (*work)(skn_run *), void (*then)(skn_run *));
/* Enters the state, and calls `again` after a pause; a run in PAUSING is READY then. */
void skn_run_later(skn_run *run, skn_run_state state, void (*again)(skn_run *), int64_t ms);
/* Closes the turn as failed, for the reason in run->err. */
void skn_run_give_up(skn_run *run);
void skn_run_log(const skn_run *run, skn_log_level level, const char *what,
                 const skein_error *err);

/* saving.c: text has arrived: stores that the agent writes, unless the text is complete soon. */
void skn_run_writes(skn_run *run);
/* Stores that the model is asked again after a pause. */
void skn_run_pauses(skn_run *run, skn_ask_state why, int64_t ms);
/* The pause is over. */
void skn_run_paused(skn_run *run);

/* saving.c: plans the next saving of unfinished text, of all runs. */
void skn_saving_soon(skn_runtime *r);
/* The timer's callback. */
void skn_saving_tick(void *arg);

/* turn_ask.c: the next round: reads the context and asks the model. */
void skn_run_round(skn_run *run);
/* The same after a job has read the context. */
void skn_run_loaded(skn_run *run);
/* Sends the request again. */
void skn_run_ask(skn_run *run);

/* repeat.c: whether a model's text has become a loop. Checks at intervals; *looked is how far it has checked, 0 at
 * the start. */
bool skn_repeats(skn_str text, size_t *looked);

/* turn_run.c: asks a person whether run->limit may be exceeded, and continues after the decision. */
void skn_run_limit(skn_run *run);
/* Checks for a decision. */
void skn_run_limit_look(skn_run *run);
/* Texts of that question; `why` is the provider's refusal. */
void skn_limit_words(skn_str model, const skn_limit_hit *hit, const skein_error *why,
                     skn_arena *a, skein_limit *out);

/* turn_run.c: continues a turn that another process left. */
void skn_run_resume(skn_runtime *r, const skein_turn *turn);

/* turn_tools.c: runs the calls of the stored answer, then continues. */
void skn_run_tools(skn_run *run);
/* The same for an answer from the store: a person is asked about its next call. */
void skn_run_tools_again(skn_run *run);
/* turn_ask.c: sends the request to the agent's fallback; returns false if there is none, or if it was used already. */
bool skn_run_fall_back(skn_run *run);
/* Checks for what the run waits for. */
void skn_run_poll(skn_run *run);

/* What a model is sent besides the messages. */
typedef struct skn_brief {
    skein_engine         *engine;
    const char           *files; /* the folder that agents may read from; NULL: none */
    const skein_world    *world;
    skein_conversation_id chat;
    skein_agent_id        agent;         /* zero: only what all agents are sent */
    bool                  delegated;     /* the work is a delegation */
    skein_mode            mode;          /* of the conversation */
    bool                  without_tools; /* no tools are offered */
    int64_t               most_tokens; /* of an answer, unless the agent sets it; 0: no limit */
    bool                  cut;         /* part of a message is left out */
    int64_t               most;        /* most bytes of the files; 0: no limit */
    skn_arena            *a;           /* holds the results */
    /* Results. */
    skn_str    system_prompt;
    skn_sizes  sizes;          /* of the prompt and the files */
    skn_rights rights;         /* of the tools only the built-in ones */
    bool       wants_extracts; /* a file's prompt has not been applied to its current content */
} skn_brief;

/* prompt.c: writes a file as it appears in the prompt. */
void skn_brief_file(skn_buf *b, const skein_context_file *f, const skein_file_parts *parts);

/* prompt.c: whether a model sees images: as its agent's settings say, or else what is known of it. */
bool skn_sees_images(const skn_json *settings, const skn_reach *reach);

/* prompt.c: worker: finds out who answers whom, and what the model may be sent and may do. */
skein_rc skn_run_load(skn_run *run, skein_error *err);

/* model_request.c: worker: SKEIN_PROVIDER if a world has used up its tokens or money of the month or day; *hit is which
 * limit, in `a`. Called before every request to a model, in turns and outside. */
skein_rc skn_budget_check(skein_engine *e, const skein_world *world, skn_arena *a,
                          skn_limit_hit *hit, skein_error *err);
/* worker: puts an item into the inbox that a turn failed because of a limit, unless an open one exists. */
void skn_budget_tell(skn_run *run);

/* --- How much is sent (window.c) ---------------------------------------------------------------- */

skn_windows *skn_windows_new(void);
void         skn_windows_free(skn_windows *ws);
/* What is known of a model ("provider/model"); any thread. */
skn_reach skn_windows_read(skn_windows *ws, skn_str model);
/* The same after asking the model's provider, which asks its server if needed; on the loop. */
skn_reach skn_runtime_reach(skn_runtime *r, skn_str model);
/* Notes that the model refused a request of this estimate with this text; `counted` is what was known when the request
 * was counted. Returns false if nothing was learned since. Any thread, as all below. */
bool skn_windows_refused(skn_windows *ws, skn_str model, int64_t estimate,
                         const skn_reach *counted, skn_str words);
/* Whether a refusal gives a number of tokens. */
bool skn_window_is_told(skn_str words);
/* Notes how many tokens the model counted for an estimate. */
void skn_windows_measured(skn_windows *ws, skn_str model, int64_t estimate, int64_t tokens);
/* Takes in what is stored; hands out what is to be stored, and how many there are. */
void   skn_windows_load(skn_windows *ws, const skn_learned_list *all, skn_arena *a);
size_t skn_windows_take(skn_windows *ws, skn_arena *a, skn_learned_list *out);
/* The same as skn_windows_refused and skn_windows_measured, and stores what was learned; the loop's. */
bool skn_runtime_refused(skn_runtime *r, skn_str model, int64_t estimate,
                         const skn_reach *counted, skn_str words);
void skn_runtime_measured(skn_runtime *r, skn_str model, int64_t estimate, int64_t tokens);
/* Tokens of the window that are reserved for an answer, and for the thinking before it. */
int64_t skn_answer_room(int64_t window, int64_t most_tokens, int64_t thinking);
/* Tokens of the window that the request leaves free; 0: not known. */
int64_t skn_tokens_left(const skein_context *c);
/* Tokens that an answer may have: the configured number, but no more than the window has left. 0: not configured. */
int64_t skn_most_tokens(const skein_context *c, const skn_sizes *sizes);
/* Most bytes of one text that may be sent; 0: no limit. */
int64_t skn_share_bytes(const skn_reach *reach);
int64_t skn_offers_tokens(const skn_rights *rights);
/* Sets the longest answer; the window must be known. */
void skn_sizes_answer(skn_sizes *sizes, const skn_rights *rights);
/* Sets the sizes of a context's messages, with the thinking that this model is sent. */
void skn_sizes_messages(skn_sizes *sizes, const skein_context *c, skn_str model);
/* The sum of the estimates. */
int64_t skn_sizes_all(const skn_sizes *sizes);
/* Fills in the tokens of a context and of everything else that is sent. */
void skn_context_account(skein_context *c, const skn_sizes *sizes);
/* Whether there is room for an answer. */
bool skn_context_fits(const skein_context *c);

/* --- Tools ------------------------------------------------------------------------------------ */

/* A built-in tool. Tools that read have `read`; the others are acts of the engine. */
typedef struct skn_tool {
    const char    *name;
    unsigned       where; /* SKN_IN_… */
    skein_act_kind act;
    /* worker: returns the result; *failed: it is an error. Never absent. */
    skn_str (*read)(skn_run *run, const skn_json *args, bool *failed);
} skn_tool;

enum {
    SKN_IN_CHAT = 1,
    SKN_IN_FOREGROUND = 2,
    SKN_IN_BACKGROUND = 4,
    SKN_IN_LANE = 8, /* a delegation */
    SKN_IN_ALL = 15,
    SKN_NEEDS_LEAD = 16, /* only for agents that have a lead */
    SKN_NEEDS_TEAM = 32, /* only for agents that lead others */
    SKN_NEEDS_CUT = 128, /* only if part of a text was left out */
    SKN_UNOFFERED = 64   /* works if it is called, but is not offered */
};

/* tools.c: finds a built-in tool, or NULL. */
const skn_tool *skn_tool_find(skn_str name);
/* Offers the tools that an agent may use. `where`: the SKN_IN_… and SKN_NEEDS_… that apply. */
void skn_tools_offer(skn_rights *rights, unsigned where, skn_arena *a);
/* Whether the agent's list of tools has this one. */
bool skn_tool_listed(const skn_rights *rights, skn_str name);
/* Reads an act from the arguments of a call. */
skein_rc skn_tool_act(const skn_tool *tool, const skn_json *args, skein_act *out,
                      skein_error *err);
/* Reads "confidence", a number from 0 to 1, as percent; -1: absent. */
skein_rc skn_tool_confidence(const skn_json *args, int64_t *out, skein_error *err);
/* tool_reads.c */
skn_str skn_read_agents(skn_run *run, const skn_json *args, bool *failed);
skn_str skn_read_team(skn_run *run, const skn_json *args, bool *failed);
skn_str skn_read_recall(skn_run *run, const skn_json *args, bool *failed);
skn_str skn_read_result(skn_run *run, const skn_json *args, bool *failed);
skn_str skn_read_search(skn_run *run, const skn_json *args, bool *failed);
skn_str skn_read_context(skn_run *run, const skn_json *args, bool *failed);
skn_str skn_read_demo(skn_run *run, const skn_json *args, bool *failed);

typedef enum skn_approve {
    SKN_APPROVE_ALWAYS,
    SKN_APPROVE_FIRST, /* a person approves the tool once, with its definition */
    SKN_APPROVE_ASK,
    SKN_APPROVE_NEVER
} skn_approve;

/* tools.c: whether a call may run without approval. `fallback`: if the world's settings do not say. */
skn_approve skn_tool_approval(const skn_rights *rights, skn_str name, skn_approve fallback);

/* mcp_room.c: the tool servers of a world, started when they are first needed. Their tools are named "server__tool".
 * NULL: the world has none. */
skn_mcp_room *skn_mcp_room_for(skn_runtime *r, skein_world_id world, const skn_json *servers);
/* Whether a server is still starting. */
bool skn_mcp_room_starting(const skn_mcp_room *room);
/* Offers their tools, without values of variables that the servers were given. */
void skn_mcp_room_offer(const skn_mcp_room *room, skn_run *run);
/* A tool of a server; borrowed until the server changes. */
typedef struct skn_mcp_found {
    skn_mcp            *server;
    const skn_mcp_tool *tool;
} skn_mcp_found;

/* Finds a tool by the name that models use; false: none. */
bool skn_mcp_room_find(skn_mcp_room *room, skn_str name, skn_mcp_found *out);
/* Removes values of variables that the servers were given from a result. */
skn_str skn_mcp_room_hide(const skn_mcp_room *room, skn_str text, skn_arena *a);
/* Returns the current definition of a tool; absent if it is longer than SKN_DEFINITION_MOST. It contains no secret of
 * the server. */
skn_str skn_mcp_room_definition(const skn_mcp_room *room, const skn_mcp_found *found,
                                skn_arena *a);

#define SKN_DEFINITION_MOST ((size_t)256 * 1024)

typedef struct skn_definition {
    skn_str             server, url, command; /* url or command, a JSON array */
    const skn_mcp_tool *tool;
    skn_json_say       *say; /* how a text is shown */
    const void         *arg;
} skn_definition;

/* tools.c: the definition as text; equal definitions have equal texts, even if servers order their members
 * differently. */
skn_str skn_definition_text(const skn_definition *d, skn_arena *a);
/* After a change: stops servers that the settings no longer name now, not with the next turn of their world. */
void skn_mcp_rooms_look(skn_runtime *r);
void skn_mcp_rooms_stop(skn_runtime *r);
void skn_mcp_rooms_free(skn_runtime *r);

/* --- Requests to models --------------------------------------------------------------------------- */

/* halt.c: the record of a request. */
void skn_asked_init(skn_asked *q);
/* The context lives until the request is sent; NULL: it has no messages. */
void skn_asked_begin(skn_asked *q, const skein_context *context);
void skn_asked_sent(skn_asked *q, const skn_str *pieces, size_t count);
void skn_asked_received(skn_asked *q, skn_str bytes);
/* Returns the record as the engine stores it, borrowed from q; false: nothing was sent. */
bool skn_asked_record(skn_asked *q, const skn_answer *answer, skn_str model,
                      const char *purpose, skein_model_call *out);
void skn_asked_release(skn_asked *q);

/* --- summary.c, errand.c: requests outside of turns ----------------------------------------------- */

/* After a turn was loaded: requests extracts of files, and loads the turn again. Returns false if nothing is to be
 * done, or it was tried in this turn. */
bool skn_run_extract(skn_run *run);
/* Whether such a summary is in progress. */
bool skn_summary_under_way(const skn_runtime *r, const skn_compact_spec *spec);
/* After a turn: summarises its context if necessary. */
void skn_summary_consider(skn_run *run);
/* After a turn in the background: notes knowledge from it if necessary. */
void skn_learn_consider(skn_run *run);
void skn_model_requests_cancel(skn_runtime *r);
/* Stops the requests of a chat, or of one agent in it: they are work of these agents. */
void skn_model_requests_stop(skn_runtime *r, skein_conversation_id chat, skein_agent_id agent);
void skn_rests_free(skn_runtime *r);

/* --- Jobs (runtime.c) ---------------------------------------------------------------------------- */

/* Work for a worker outside of runs; the first member of its input and results. */
typedef struct skn_runtime_job {
    skn_runtime *r;
    skn_arena   *a; /* holds the job and is freed after `then` */
    skn_call    *then;
    skein_rc     rc;
    skein_error  err;
} skn_runtime_job;

/* Creates a job of `size` zero bytes. */
void *skn_runtime_job_new(skn_runtime *r, size_t size);
/* Runs `work` on a worker, then `then` on the loop, both with the job. */
void skn_runtime_job_start(void *job, skn_call *work, skn_call *then);
void skn_runtime_job_free(void *job); /* frees a job that was not started */

/* A task that runs once at a time, and again if it was requested meanwhile. */
typedef struct skn_single {
    bool busy, again;
} skn_single;

/* --- The runtime (runtime.c) ------------------------------------------------------------------- */

struct skn_runtime {
    skn_runtime_options o;
    char               *holder, *files;
    skn_run            *runs;
    size_t              run_count, waiting_count;
    size_t              jobs; /* of any kind, in progress */
    skn_timer          *recover, *renew, *check, *tick, *save;
    int64_t             checked; /* when the turns were last checked, ms */
    bool                started; /* recovery is done: work may be taken */
    skn_single          looking, checking, ticking;
    bool                tick_soon;
    bool                saving;    /* unfinished text, now or soon */
    int64_t             questions; /* number of requests to models */
    bool                glancing;  /* reading the settings of tool servers */
    bool                more;      /* the last search found work that was not taken */
    bool                freed;     /* a run has ended since that may have blocked work */
    skn_halt           *halts;
    skn_model_request  *requests;
    skn_rest           *rests;
    skn_mcp_room       *rooms;
    skn_windows        *windows;
    skn_mcp_board      *board; /* the states of the tool servers */
    bool                closing;
    skn_call           *done;
    void               *done_arg;
};

/* Call this when a job of a run or of the runtime returns, or a run is freed. */
void skn_runtime_settle(skn_runtime *r);
/* halt.c: a run that a stop waits for is ready. */
void skn_halt_ready(skn_halt *halt);
/* Whether a stop covers this work. */
bool skn_halt_covers(const skn_runtime *r, const skein_due *due);
/* Returns the provider of a model, and the rest of the name; NULL: no such provider. */
skn_provider *skn_runtime_provider(const skn_runtime *r, skn_str model, skn_str *rest);
/* The model, or the default model. */
skn_str skn_runtime_model(const skn_runtime *r, skn_str model);
/* A run on a delegation's lane has ended: polls the run that waits for it. */
void skn_runtime_lane_over(skn_runtime *r, const skn_run *child);

#endif
