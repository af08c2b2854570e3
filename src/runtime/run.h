/* run.h: one turn at work. Only files of this folder include it.
 *
 * A run is on the loop, or one job of it is on a worker, never both: while its state is one of SKN_RUN_ON_WORKER the
 * loop touches only what is marked (L). It begins with due work, opens the turn, and goes round: read the
 * context, ask the model, store the answer, run the tools that were called, wait for what they began;
 * until an answer calls none.
 * Threads: the loop's, except for functions that say "worker".  Lifetimes: a run is freed once its turn
 * is over and no job of it is under way. */
#ifndef SKN_RUNTIME_RUN_H
#define SKN_RUNTIME_RUN_H

#include "base/buf.h"
#include "base/json_write.h"
#include "base/thin.h"
#include "mcp/mcp.h"
#include "runtime/mcp_board.h"
#include "runtime/runtime.h"

enum {
    SKN_RUNS_MOST = 1024, /* turns at once that do not wait; the rest is taken later */
    SKN_RUN_LOOK = 256,   /* pieces of work that are looked at at once */
    SKN_RUN_ROUNDS = 50,  /* times that a turn may ask the model */
    SKN_RUN_CALLS = 64,   /* calls of one answer */
    SKN_RUN_TRIES = 2,    /* times that one question is put to a model that cannot answer now */
    SKN_RUN_TOOLS_MS = 50,     /* between looks whether tool servers have come up … */
    SKN_RUN_TOOLS_LOOKS = 200, /* … so often in a turn */
    SKN_RUN_WINDOW_MS =
        20, /* between looks whether a server has said how much its model can read … */
    SKN_RUN_WINDOW_LOOKS = 150, /* … so often in a turn */
    SKN_RUN_PAUSE_MS = 1000,    /* before anything is tried again */
    SKN_RUN_WRITING_MS = 250,   /* of text, before it is stored that an agent writes */
    SKN_RUN_SAVE_MS = 250,      /* between savings of what is being written */
    SKN_RUN_TEXT = 16 << 20,    /* bytes of one answer */
    SKN_RUN_RESPONSE = 4 << 20  /* bytes of one that are kept as they came */
};

typedef struct skn_run      skn_run;
typedef struct skn_halt     skn_halt;     /* a stop that somebody asked for */
typedef struct skn_mcp_room skn_mcp_room; /* the tool servers of a world */
typedef struct skn_rest     skn_rest;     /* a summary that failed and is tried again later */

/* One question to a model and its outcome, for the record. */
typedef struct skn_asked {
    skn_arena *a; /* of the pieces */
    skn_str   *pieces;
    size_t     piece_count;
    skn_str    made_of; /* in a; absent where the context is made of no messages */
    /* Of the question that is just being asked, until it is sent; NULL: of no messages. */
    const skein_context *context;
    skn_thin             response;
    char                *whole; /* the response, once it is wanted; NULL before */
    int64_t              began; /* ms */
    int64_t
        read_at; /* microseconds: what it is about was read; what is erased later is not kept */
} skn_asked;

/* window.c: how much a model can read, as far as is known. */
typedef struct skn_reach {
    int64_t     tokens; /* 0: not known */
    const char *from;   /* "setting" "error" "provider" "table" */
    const struct skn_wire_format
           *format; /* of its provider; NULL: there is none, or it is not known yet */
    int64_t scale;  /* percent: what the model counts, of what is estimated */
    bool    asked;  /* its server is just being asked */
} skn_reach;

/* All that is sent, in tokens as they are estimated, and to whom. */
typedef struct skn_sizes {
    int64_t   prompt, files, tools;
    int64_t   summary, results, messages; /* as skn_sizes_messages has found them */
    int64_t   most_tokens; /* of the answer, as somebody has set it; 0: nobody has */
    int64_t   thinking;    /* tokens for that, which do not count among those of the answer */
    skn_reach reach;
} skn_sizes;

typedef struct skn_windows skn_windows;

/* What a run may do, read again for every question. */
typedef struct skn_rights {
    skn_vec(skn_tool_offer) offers;
    const skn_json *tools;     /* the agent's list of tools; NULL: all */
    const skn_json *approvals; /* the world's */
    const skn_json *servers;   /* the world's tool servers */
    const skn_json *settings;  /* the agent's */
    double          temperature;
    int64_t         most_tokens;
    int64_t         limit_share; /* percent of the window after which a context is summarised */
    bool            learns;      /* the world wants agents to remember what they learn */
    skn_str
        fallback; /* "provider/model" that answers where the agent's own is down or spent; absent: none */
} skn_rights;

/* What a run is at. From every state it comes back to READY, while one of its functions runs, and goes on from there:
 *
 *   new --> READY --+--> ASKING --> WRITING        the model
 *                   +--> CALLING                   a tool of a server
 *                   +--> REQUESTING                a summary, or an extract of a file, that a model writes for it
 *                   +--> PAUSING                   its timer
 *                   +--> WORKING <-> WORK_LATER    a job; if the store takes nothing, it is tried again
 *                   +--> WAITING                   for somebody else. A job looks what has come:
 *                   |       +--> LOOKING <-> LOOK_LATER
 *                   +--> CLOSING <-> CLOSE_LATER   the job that closes its turn
 *                   +--> STOPPED                   until the stop that waits for it has closed its turn
 *                   +--> freed
 *
 * When somebody else has closed its turn, or is about to, a job is waited for; anything else ends at once:
 *
 *   WORKING, LOOKING --> LET_GO --> READY
 *   WORKING, LOOKING, LET_GO --> STOPPING --> READY    a stop waits for it
 *
 * Each state is a bit, so that a set of them can be asked for. */
typedef enum skn_run_state {
    SKN_RUN_READY = 1 << 0,
    SKN_RUN_ASKING = 1 << 1,
    SKN_RUN_WRITING = 1 << 2, /* text has come of what is asked */
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
    SKN_RUN_OVER = SKN_RUN_LET_GO | SKN_RUN_STOPS, /* nothing more is asked or stored */
    SKN_RUN_ON_WORKER = SKN_RUN_WORKING | SKN_RUN_LOOKING | SKN_RUN_CLOSING | SKN_RUN_LET_GO |
                        SKN_RUN_STOPPING
};

struct skn_run {
    skn_runtime  *r;            /* (L) */
    skn_run      *next, **link; /* (L) */
    skn_run_state state;        /* (L) changed by skn_run_enter alone */
    union {                     /* (L) its data, by its state */
        skn_asking        *asking;
        skn_mcp_call      *mcp_call;
        skn_model_request *request;
    };
    skn_halt *halt; /* (L) the stop that waits for it; NULL but while STOPPING and STOPPED */
    /* What it is about: set before the first job; the model and its provider change once at most. */
    int64_t               delivery, task; /* (L) one of them */
    skein_conversation_id chat;           /* (L) zero until a task's turn is open */
    skein_agent_id        agent;          /* (L) */
    skein_lane_id         lane;           /* (L) */
    skn_str               model;          /* "provider/model" */
    skn_provider         *provider;       /* NULL: there is none of that name */
    bool                  fell_back;      /* both are of the fallback */
    skn_arena            *a;              /* for the whole turn */
    /* The turn. */
    int64_t    turn_id, fence; /* (L) 0: not open, as far as the loop knows */
    skein_turn turn;
    /* What is asked. */
    skn_arena    *round; /* for one round */
    skein_context context;
    skn_str       system_prompt, asker, said;
    skn_rights    rights;
    skn_sizes     sizes;
    skn_str       tool, result; /* the last tool of this turn */
    bool          tool_failed;
    size_t        ran; /* calls of this answer whose tools have run */
    int           rounds, tries, waits_for_tools, waits_for_window;
    int64_t       since_load; /* messages that were stored since the context was read */
    /* Of context files, what models take by their prompts: the name of the next and of the one that is being made, why
     * the last could not be, and how often a model was asked in this turn. */
    bool        wants_extracts;
    skn_str     next_extract, extracting; /* the second (L) */
    skein_error why_unextracted;
    int         extracts;
    bool
        misfit; /* an answer of this round did not fit the agent's schema, and the model was asked again */
    /* How it is made to fit into the window. */
    int64_t most; /* bytes of one text that are sent; 0: all of it */
    int     fit;  /* what is tried next */
    int     refusals, shrinks;
    bool    waits_for_summary; /* that somebody else has asked for */
    /* What is answered. */
    skn_asked asked;
    bool      kept; /* its record is stored */
    skn_buf   text, thinking;
    int64_t   question;     /* (L) unlike that of any other run, or of this one before */
    size_t    saved[2];     /* (L) bytes of the text and of the thinking that are saved … */
    size_t    looked[2];    /* … and that were looked at by skn_repeats */
    int64_t   most_written; /* tokens; 0: not known */
    skn_vec(skein_tool_call) calls;
    size_t     next_call;
    skn_answer answer;
    /* Tools that take their time. */
    skn_mcp_room *room;    /* (L) */
    size_t        allowed; /* the call that a person has allowed, counted from 1 */
    size_t        cleared; /* the call that may run if its tool is still defined like this */
    skein_tool_definition definition;
    bool   first_only; /* a person is asked only where that definition was not allowed before */
    size_t begun;      /* delegations of this answer whose end is waited for */
    skein_approval approval;
    int64_t        open; /* calls without a result */
    /* The job. */
    void (*work)(skn_run *run); /* worker */
    void (*then)(skn_run *run);
    bool        repeated; /* it was tried before, and may have been stored */
    skein_rc    rc;
    skein_error err, why;   /* of the last job; of a turn that fails */
    bool        limited;    /* it fails because a limit of this month is reached */
    skn_str     limit;      /* that a person is asked about; absent: none */
    bool        over_limit; /* a person lets this turn exceed it */
    bool        pauses;     /* (L) it is stored that its model is asked again later */
    /* For PAUSING and the states that end in LATER; and once while WRITING: to say that it does. */
    skn_timer *later;            /* (L) */
    void (*again)(skn_run *run); /* (L) */
    int64_t trying_since;        /* (L) that the store does not take it, ms; 0: it does */
};

/* turn_run.c: the state, beginning, jobs, ending. */
void skn_run_enter(skn_run *run, skn_run_state state);
void skn_run_start(skn_runtime *r, const skein_due *due);
/* Stops asking; the run goes once its job, if any, is back. `halt`: it waits for the stop instead. */
void skn_run_drop(skn_run *run, skn_halt *halt);
/* Closes the turn as interrupted, keeping what it has written. */
void skn_run_interrupt(skn_run *run);
void skn_run_free(skn_run *run);
/* The model of its answer. What a recording said is not what the model says now: its name tells that, in every view. */
skn_str skn_run_said_by(const skn_run *run);
/* What it has written so far, and how the model was asked for it (in *call); both borrowed from the run, no job
 * of which is under way. */
skein_partial skn_run_written_so_far(skn_run *run, skein_model_call *call);
/* Runs work on a worker, then `then` on the loop, unless the turn is over by then. */
void skn_run_job(skn_run *run, void (*work)(skn_run *), void (*then)(skn_run *));
/* Enters the state, and calls `again` after a pause; from PAUSING it is READY then. */
void skn_run_later(skn_run *run, skn_run_state state, void (*again)(skn_run *), int64_t ms);
/* Closes the turn as failed, for the reason in run->err. */
void skn_run_give_up(skn_run *run);
void skn_run_log(const skn_run *run, skn_log_level level, const char *what,
                 const skein_error *err);

/* saving.c: text of the next message has come: stores that, unless it is all there soon. */
void skn_run_writes(skn_run *run);
/* Its model is asked again after a while: stores that. */
void skn_run_pauses(skn_run *run, skn_ask_state why, int64_t ms);
/* It is asked now. */
void skn_run_paused(skn_run *run);

/* saving.c: words have come: saves what is being written, by all, in a while. */
void skn_saving_soon(skn_runtime *r);
/* The timer's. */
void skn_saving_tick(void *arg);

/* turn_ask.c: the next round: reads what there is to read and asks. */
void skn_run_round(skn_run *run);
/* The same after a job has loaded it already. */
void skn_run_loaded(skn_run *run);
/* Puts the question that was loaded once more. */
void skn_run_ask(skn_run *run);

/* repeat.c: whether what a model writes has become a loop. Looks now and then: *looked is how far it has looked, 0 at the
 * begin. */
bool skn_repeats(skn_str text, size_t *looked);

/* turn_run.c: asks a person whether run->limit may be exceeded, and goes on by the answer. */
void skn_run_limit(skn_run *run);
/* Looks whether there is one by now. */
void skn_run_limit_look(skn_run *run);
/* What is asked: `why` is how the provider refused. */
bool skn_limit_is_daily(const skein_error *why);
void skn_limit_words(skn_str model, const skein_error *why, skn_arena *a, skein_limit *out);

/* turn_resume.c: continues a turn that was taken over. */
void skn_run_resume(skn_runtime *r, const skein_turn *turn);

/* turn_tools.c: runs the calls of the answer that was stored, then goes on. */
void skn_run_tools(skn_run *run);
/* The same for an answer that is known from the store: a person is asked about its next call. */
void skn_run_tools_again(skn_run *run);
/* turn_ask.c: puts the question to the agent's fallback; false when there is none, or it was that already. */
bool skn_run_fall_back(skn_run *run);
/* Something that the run waits for may have come. */
void skn_run_poll(skn_run *run);

/* What a model is sent besides the messages. */
typedef struct skn_brief {
    skein_engine         *engine;
    const char           *files; /* the folder that agents may read from; NULL: none */
    const skein_world    *world;
    skein_conversation_id chat;
    skein_agent_id        agent;         /* zero: only what all agents are sent */
    bool                  delegated;     /* it works on a delegation */
    skein_mode            mode;          /* of the conversation */
    bool                  without_tools; /* it is offered none */
    int64_t               most_tokens;   /* of an answer, before what the agent says; 0: that */
    bool                  cut;           /* something is left out of a message */
    int64_t               most;          /* bytes of the files; 0: all */
    skn_arena            *a;             /* of what is made */
    /* What is made. */
    skn_str    system_prompt;
    skn_sizes  sizes;    /* of the prompt and the files */
    skn_rights rights;   /* of its tools those that are built in */
    bool wants_extracts; /* the prompt of a file has not been applied to what it holds now */
} skn_brief;

/* prompt.c: worker: SKEIN_NOT_FOUND, with no words, when the agent is gone. */
/* A file as it stands in it. */
void skn_brief_file(skn_buf *b, const skein_context_file *f, const skein_file_parts *parts);

/* prompt.c: worker: who answers, whom, what the model may be sent and may do. */
skein_rc skn_run_load(skn_run *run, skein_error *err);

/* budget.c: worker: SKEIN_PROVIDER when a world has used up its tokens of this month. Asked before every question to
 * a model, in a turn and outside of one. */
skein_rc skn_budget_check(skein_engine *e, const skein_world *world, skein_error *err);
/* worker: puts into the inbox that the turn failed for a limit of this month, unless that is there and open. */
void skn_budget_tell(skn_run *run);

/* --- How much is sent (window.c) ---------------------------------------------------------------- */

skn_windows *skn_windows_new(void);
void         skn_windows_free(skn_windows *ws);
/* What is known of a model ("provider/model"); any thread. */
skn_reach skn_windows_read(skn_windows *ws, skn_str model);
/* The same, after a look at its provider, which asks its server if need be; the loop's. */
skn_reach skn_runtime_reach(skn_runtime *r, skn_str model);
/* It refused, in these words, what was estimated like this and counted by `counted`. false: no less is believed of it now
 * than was then. Any thread, as all below. */
bool skn_windows_refused(skn_windows *ws, skn_str model, int64_t estimate,
                         const skn_reach *counted, skn_str words);
/* It counted these tokens instead of so many, as they were estimated. */
void skn_windows_measured(skn_windows *ws, skn_str model, int64_t estimate, int64_t tokens);
/* Tokens of the window that are kept for an answer, and for the thinking before it. */
int64_t skn_answer_room(int64_t window, int64_t most_tokens, int64_t thinking);
/* Tokens of the window that are left beside the question; 0: not known. */
int64_t skn_tokens_left(const skein_context *c);
/* Tokens that an answer may have: what somebody has set, but no more than the window has left. 0: nobody has. */
int64_t skn_most_tokens(const skein_context *c, const skn_sizes *sizes);
/* Bytes of one text that may be sent; 0: all. */
int64_t skn_share_bytes(const skn_reach *reach);
int64_t skn_offers_tokens(const skn_rights *rights);
/* Takes in how long an answer may be; of a reach that is known. */
void skn_sizes_answer(skn_sizes *sizes, const skn_rights *rights);
/* Takes in the messages of a context that was just read, with what this model is sent of its thinking. */
void skn_sizes_messages(skn_sizes *sizes, const skein_context *c, skn_str model);
/* All of it, as it is estimated. */
int64_t skn_sizes_all(const skn_sizes *sizes);
/* Fills in what a context takes with all that is sent besides. */
void skn_context_account(skein_context *c, const skn_sizes *sizes);
/* Whether it leaves room for an answer. */
bool skn_context_fits(const skein_context *c);

/* --- Tools ------------------------------------------------------------------------------------ */

/* A tool that is built in. Reading ones have `read`; the others are acts of the engine. */
typedef struct skn_tool {
    const char    *name;
    unsigned       where; /* SKN_IN_… */
    skein_act_kind act;
    /* worker: the result; *failed when it could not. Never absent. */
    skn_str (*read)(skn_run *run, const skn_json *args, bool *failed);
} skn_tool;

enum {
    SKN_IN_CHAT = 1,
    SKN_IN_FOREGROUND = 2,
    SKN_IN_BACKGROUND = 4,
    SKN_IN_LANE = 8, /* a delegation */
    SKN_IN_ALL = 15,
    SKN_NEEDS_LEAD = 16, /* only for agents that have one */
    SKN_NEEDS_TEAM = 32, /* only for agents that lead others */
    SKN_NEEDS_CUT = 128, /* only where a part of a text was left out */
    SKN_UNOFFERED = 64   /* works when it is called, but is not offered */
};

/* tools.c: the table. NULL when there is none of that name. */
const skn_tool *skn_tool_find(skn_str name);
/* Those that an agent may use. `where` are SKN_IN_… and SKN_NEEDS_… that hold. */
void skn_tools_offer(skn_rights *rights, unsigned where, skn_arena *a);
/* Whether the agent's own list has a tool. */
bool skn_tool_listed(const skn_rights *rights, skn_str name);
/* What an act is to do, from the arguments of a call. */
skein_rc skn_tool_act(const skn_tool *tool, const skn_json *args, skein_act *out,
                      skein_error *err);
/* "confidence", a number from 0 to 1, in percent; -1 when it is not there. */
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
    SKN_APPROVE_FIRST, /* a person says so once, for the tool as it is defined */
    SKN_APPROVE_ASK,
    SKN_APPROVE_NEVER
} skn_approve;

/* tools.c: whether a call may run without a word of a person. `fallback` where the world says nothing. */
skn_approve skn_tool_approval(const skn_rights *rights, skn_str name, skn_approve fallback);

/* mcp_room.c: the servers of a world, started when they are first needed. Their tools are named
 * "server__tool". NULL when the world has none. */
skn_mcp_room *skn_mcp_room_for(skn_runtime *r, skein_world_id world, const skn_json *servers);
/* Whether one of them is still starting. */
bool skn_mcp_room_starting(const skn_mcp_room *room);
/* Offers their tools, without the values of variables that the servers were given. */
void skn_mcp_room_offer(const skn_mcp_room *room, skn_run *run);
/* A tool of a server; borrowed until the server changes. */
typedef struct skn_mcp_found {
    skn_mcp            *server;
    const skn_mcp_tool *tool;
} skn_mcp_found;

/* By the name that models know; false when there is none. */
bool skn_mcp_room_find(skn_mcp_room *room, skn_str name, skn_mcp_found *out);
/* A result without the values of variables that its servers were given. */
skn_str skn_mcp_room_hide(const skn_mcp_room *room, skn_str text, skn_arena *a);
/* Its definition as of now; absent when it is longer than SKN_DEFINITION_MOST. No secret of the server is in it. */
skn_str skn_mcp_room_definition(const skn_mcp_room *room, const skn_mcp_found *found,
                                skn_arena *a);

#define SKN_DEFINITION_MOST ((size_t)256 * 1024)

typedef struct skn_definition {
    skn_str             server, url, command; /* one of the last two; a JSON array */
    const skn_mcp_tool *tool;
    skn_json_say       *say; /* what is shown of a text */
    const void         *arg;
} skn_definition;

/* tools.c: equal definitions are equal texts, in whatever order a server names their members. */
skn_str skn_definition_text(const skn_definition *d, skn_arena *a);
/* After a change: what the settings do not name any more ends now, and not with the next turn of its world. */
void skn_mcp_rooms_look(skn_runtime *r);
void skn_mcp_rooms_stop(skn_runtime *r);
void skn_mcp_rooms_free(skn_runtime *r);

/* --- Questions to models -------------------------------------------------------------------------- */

/* halt.c: the record of a question. */
void skn_asked_init(skn_asked *q);
/* The context lives as long as the model is being asked; NULL when no messages stand in it. */
void skn_asked_begin(skn_asked *q, const skein_context *context);
void skn_asked_sent(skn_asked *q, const skn_str *pieces, size_t count);
void skn_asked_received(skn_asked *q, skn_str bytes);
/* As the engine keeps it; borrowed from q. false when nothing was sent. */
bool skn_asked_record(skn_asked *q, const skn_answer *answer, skn_str model,
                      const char *purpose, skein_model_call *out);
void skn_asked_release(skn_asked *q);

/* --- summary.c, errand.c: what models do besides -------------------------------------------------- */

/* A turn was loaded: has a model take from files what their prompts ask for, and loads it again. false: there is
 * nothing to do, or it was tried in this turn. */
bool skn_run_extract(skn_run *run);
/* Whether a summary of the same is just being made. */
bool skn_summary_under_way(const skn_runtime *r, const skn_compact_spec *spec);
/* A turn has ended: is its context to be summarised? */
void skn_summary_consider(skn_run *run);
/* A turn in the background has ended: is there something to be learned from it? */
void skn_learn_consider(skn_run *run);
void skn_model_requests_cancel(skn_runtime *r);
/* Those of a chat, or of one agent in it: they are work of its agents, and stopped with them. */
void skn_model_requests_stop(skn_runtime *r, skein_conversation_id chat, skein_agent_id agent);
void skn_rests_free(skn_runtime *r);

/* --- Jobs (runtime.c) ---------------------------------------------------------------------------- */

/* Work for a worker besides that of runs; the first member of what it needs and finds. */
typedef struct skn_runtime_job {
    skn_runtime *r;
    skn_arena   *a; /* the job lives in it, and goes with it once `then` has returned */
    skn_call    *then;
    skein_rc     rc;
    skein_error  err;
} skn_runtime_job;

/* A job in `size` bytes of zeros. */
void *skn_runtime_job_new(skn_runtime *r, size_t size);
/* Runs `work` on a worker, then `then` on the loop, both with the job. */
void skn_runtime_job_start(void *job, skn_call *work, skn_call *then);
void skn_runtime_job_free(void *job); /* one that is not started */

/* Something that is done once at a time, and once more when it was asked for meanwhile. */
typedef struct skn_single {
    bool busy, again;
} skn_single;

/* --- The runtime (runtime.c) ------------------------------------------------------------------- */

struct skn_runtime {
    skn_runtime_options o;
    char               *holder, *files;
    skn_run            *runs;
    size_t              run_count, waiting_count;
    size_t              jobs; /* of any kind, under way */
    skn_timer          *recover, *renew, *check, *tick, *save;
    int64_t             checked; /* when the turns were last looked at, ms */
    bool                started; /* recovered once: work may be taken */
    skn_single          looking, checking, ticking;
    bool                tick_soon;
    bool                saving;    /* what is being written, or about to */
    int64_t             questions; /* that were put to models */
    bool                glancing;  /* at what the settings say of tool servers */
    bool                more;      /* the last look found work that was not taken */
    bool               freed; /* since then something has ended that may have been in its way */
    skn_halt          *halts;
    skn_model_request *requests;
    skn_rest          *rests;
    skn_mcp_room      *rooms;
    skn_windows       *windows;
    skn_mcp_board     *board; /* what the states of the tool servers */
    bool               closing;
    skn_call          *done;
    void              *done_arg;
};

/* A job of a run or of the runtime came back, or a run has gone. */
void skn_runtime_settle(skn_runtime *r);
/* halt.c: a run that a stop waits for is ready for it. */
void skn_halt_ready(skn_halt *halt);
/* Whether the work is about to be taken back. */
bool skn_halt_covers(const skn_runtime *r, const skein_due *due);
/* The provider of a model's name, and what follows it. NULL: there is none. */
skn_provider *skn_runtime_provider(const skn_runtime *r, skn_str model, skn_str *rest);
/* The model, or the default one. */
skn_str skn_runtime_model(const skn_runtime *r, skn_str model);
/* A run on a delegation's lane has ended: whoever waits for it is polled at once. */
void skn_runtime_lane_over(skn_runtime *r, const skn_run *child);

#endif
