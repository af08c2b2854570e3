/* chat.h: the conversation of "skein chat": what is known of it, and the parts that show and change it.
 *
 * On a terminal finished messages go into its scrollback; below them stand a few live rows: what is
 * being written, what waits, the status; and the prompt. Without one all is printed line by line.
 * Threads: one. Lifetimes: a chat lives from cmd_chat's first line to its last; `mem` is scratch. */
#pragma once

#include "cli/commands.h"
#include "cli/news.h"
#include "cli/print.h"
#include "cli/say.h"
#include "terminal/line_edit.h"

#define SKN_CHAT_NAMES ((size_t)64)
#define SKN_CHAT_ASKS  ((size_t)16)

/* A call of a tool that waits until the person has allowed it. */
typedef struct skn_approval {
    char uid[64]; /* of the item in the inbox */
    char who[128];
    char what[512];
} skn_approval;

typedef struct skn_chat {
    skn_cli           *cli;
    skein_world        world;
    skein_conversation chat;
    skn_server         server;
    skn_news           news;
    skn_arena         *mem;
    bool               plain;
    bool               open;   /* the stream is: nothing that happens from now on is missed */
    bool               asked;  /* for the end, by a command */
    bool               moved;  /* to another conversation than it began in */
    skein_rc           rc;     /* what ended it */
    int                status; /* with SKEIN_NOTHING: the exit status for the signal that did */
    /* Whom it is with. */
    skein_agents agents;
    skn_str     *states; /* of each, as a word of ours */
    skn_arena   *who;    /* memory of both */
    skn_typings  typing;
    int64_t      version;
    /* Queued messages. */
    size_t  waiting;
    skn_buf next;       /* the text of the first */
    char    queued[65]; /* the one that the next line replaces; "" for none (chat_work.c) */
    char
        said[65]; /* the last one of this chat; "" for none, or when it is not there any more */
    /* Options of the next message. */
    char    reply_to[65]; /* "" for none */
    char   *tags[SKN_CHAT_NAMES];
    size_t  tag_count;
    skn_buf model; /* for all that follow; empty: the agents' own */
    /* Delegations (chat_work.c). */
    bool              delegated; /* one is at work in it, or may be */
    char              boxed[64]; /* the last that was shown; "" for none */
    skn_door_question question;  /* see skn_chat_ask */
    /* Their data (chat_ask.c); NULL: not yet read. */
    skn_arena                 *delegations_mem, *lanes_mem;
    skein_delegations          delegations;
    struct skn_chat_lane_read *lanes;
    /* The rest of the status line (chat_keys.c). */
    skn_buf answered_by; /* the model of the newest answer; empty: none has answered yet */
    int64_t window;      /* tokens that it can read; 0: nobody knows; -1: to be asked for */
    int64_t used;        /* of them by the newest answer; -1: not measured */
    size_t  inbox;       /* items there that are not done */
    /* Who waits for the person's yes or no (chat_work.c). */
    skn_approval asks[SKN_CHAT_ASKS];
    size_t       ask_count;
    /* Keys (chat_keys.c). */
    bool    unfolded; /* thinking and tools of the newest answer stand above the prompt */
    skn_buf draft;    /* typed before another line was wanted; empty: nothing */
    /* The message that the next line replaces (chat_rewind.c). */
    char    edited[64];     /* "" for nothing */
    int64_t edited_version; /* that holds it */
    /* The screen (chat_box.c). */
    skn_line_edit            *edit;    /* NULL: plain */
    const struct skn_overlay *overlay; /* stands in place of rows and prompt; NULL: none */
    skn_buf                   prompt;
    size_t                    rows;       /* live ones on the screen */
    bool                      drawn;      /* rows and prompt are on the screen */
    bool                      changed;    /* they are not as they should be */
    int64_t                   drawn_at;   /* milliseconds, monotonic */
    int64_t                   stopped_at; /* when Ctrl-C was pressed; 0: never */
} skn_chat;

/* --- What happens (chat_events.c) --------------------------------------------------------- */

/* Takes an event of the stream: arg is the skn_chat. */
skein_rc skn_chat_take(void *arg, const skn_news_item *item);
/* Reads the agents, the conversation and its state. */
skein_rc skn_chat_refresh(skn_chat *c);
/* Is what was last said here taken away? Then it is forgotten, and told if others did it. */
void skn_chat_look_after(skn_chat *c, bool others);
/* Shows the last messages that were said before. */
skein_rc skn_chat_show_last(skn_chat *c, int64_t count);

/* --- What it looks like (chat_events.c, chat_box.c) ------------------------------------- */

/* One line about something else. */
void skn_chat_tell(skn_chat *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints cli->err and clears it. */
void skn_chat_complain(skn_chat *c);

/* Takes the live rows and the prompt off the screen, so that something may be printed. */
void skn_chat_erase(skn_chat *c);
/* Passes on what was printed, and puts them back. */
void skn_chat_draw(skn_chat *c);
/* Draws when something has changed and the last time is long enough ago; milliseconds until it has to
 * be called again, -1: not by itself. */
int64_t     skn_chat_draw_soon(skn_chat *c);
const char *skn_chat_prompt(void *chat);
/* For those who print live rows themselves: ends one; prints one that parts them from what was said. */
void skn_chat_row_end(skn_chat *c);
void skn_chat_rule(skn_chat *c);

/* The status, as much of it as fits into so many columns. */
skn_str skn_chat_status(skn_chat *c, size_t columns);
/* An answer is there: what made it and how full that is stands in the status. */
void skn_chat_status_answer(skn_chat *c, const skein_message *m,
                            const skein_message_facts *facts);
/* The same for the newest one there is. */
skein_rc skn_chat_status_read(skn_chat *c);
/* Counts what is in the inbox. */
void skn_chat_inbox_look(skn_chat *c);

/* The first line of a text, cleaned, and cut to so many columns. */
skn_str skn_chat_fit(skn_arena *mem, skn_str text, size_t columns);
/* Rows of the terminal. */
size_t skn_chat_height(void);
/* One live row, cleaned, and cut where the terminal ends. */
void skn_chat_row(skn_chat *c, skn_colour colour, skn_str text);
/* A text whose lines are broken between words, each behind `indent` blanks; the first is not if something
 * stands there already (`begun`). Lines of code stay as they are. */
void skn_chat_wrap(skn_chat *c, skn_str text, size_t indent, bool begun);
/* The same for what a command has printed, with its colours. */
void skn_chat_wrap_printed(skn_chat *c, skn_buf *out);
/* The newest answer unfolded, in at most so many live rows (chat_events.c). */
void skn_chat_details(skn_chat *c, size_t most);
/* The delegations at work, as live rows (chat_work.c). */
void skn_chat_boxes(skn_chat *c);
/* A box that has ended goes into the scrollback. */
void skn_chat_box_ended(skn_chat *c, skn_str key);

/* --- What stands over them for a while (chat_commands.c, chat_rewind.c, chat_work.c) ---- */

typedef struct skn_overlay {
    void (*rows)(skn_chat *c, void *arg); /* each ended with skn_chat_row_end */
    bool (*key)(skn_chat *c, void *arg,
                const skn_key *key); /* false when it was the last one */
    void *arg;
} skn_overlay;

/* Shows it until it takes no more keys. */
void skn_chat_lay(skn_chat *c, const skn_overlay *o);

typedef struct skn_menu_item {
    skn_str label, text; /* the text is cut at the edge */
} skn_menu_item;

typedef enum skn_menu_end {
    SKN_MENU_OPEN,
    SKN_MENU_PICKED,
    SKN_MENU_BACK, /* Esc */
    SKN_MENU_LEFT  /* something was typed that belongs to the prompt, or nothing more is */
} skn_menu_end;

typedef struct skn_menu {
    skn_str              title;
    const char          *keys; /* what they do */
    const skn_menu_item *items;
    size_t               count;
    size_t               label_columns; /* of the widest */
    size_t               at;            /* the chosen one */
    size_t               top;           /* the first that is shown */
    skn_menu_end         end;
} skn_menu;

/* Lets the person pick one, of one or more; the screen is then as it was before. */
skn_menu_end skn_chat_menu(skn_chat *c, skn_menu *m);
/* The same with what was read; true if one was picked. `none`: what is said where there is none. */
bool skn_chat_pick(skn_chat *c, skein_rc rc, skn_menu *m, const char *none);
/* Esc Esc: back to one of the person's messages. */
void skn_chat_rewind(skn_chat *c);
/* The text that stands for the message that was chosen there; empty: it stays. */
void skn_chat_edit(skn_chat *c, skn_str text);
/* Enter on an empty line: a look into the delegation that was shown last. */
void skn_chat_delegation(skn_chat *c);
/* For term_key.h and line_edit.h: events are taken until a key can be read. */
bool skn_chat_wait_key(void *chat);
/* Goes on in another conversation of the world. */
void skn_chat_move(skn_chat *c, skn_str uid);

/* --- What waits (chat_work.c) -------------------------------------------------------------- */

skein_rc skn_chat_queue_read(skn_chat *c, skn_json_list *out);
/* Says one now. */
skein_rc skn_chat_queue_now(skn_chat *c, skn_str uid);
/* Puts the first queued message into the line for editing; and puts the edited text back. */
void skn_chat_queue_take(skn_chat *c);
void skn_chat_queue_put(skn_chat *c, skn_str text);

/* --- Who waits for the person (chat_work.c) -------------------------------------------- */

/* Reads the calls that wait for a decision, and shows the new ones. */
skein_rc skn_chat_asks_read(skn_chat *c);
void     skn_chat_ask_rows(skn_chat *c);
/* "allow" or "deny" for the one that waits, or for that with this id (NULL: none was given). */
void skn_chat_decide(skn_chat *c, const char *word, const char *uid);

/* --- What is typed (chat_keys.c, chat_keys.c, chat_commands.c, cmd_chat.c) --------------------------- */

/* A line of the person: a command, or a message. False when it is the last one. */
bool skn_chat_line(skn_chat *c, skn_str line);
/* Ctrl-O, or what followed Ctrl-X: see skn_line_edit_key. */
void skn_chat_key(skn_chat *c, char key);
/* Restores the typed line after a key replaced it. */
void skn_chat_draft_back(skn_chat *c);
void skn_chat_say(skn_chat *c, skn_str text);
/* Stops agents (NULL: all); says how it went, and what can be done next if that is more (NULL: it is not). */
void skn_chat_stop(skn_chat *c, const char *agent, const char *next);
/* Runs a command of the program in this conversation; its exit status. */
int skn_chat_run(skn_chat *c, const char *const *words, size_t count);
/* A line that begins with a slash. */
void skn_chat_command(skn_chat *c, skn_str line);
/* For line_edit.h: does "up" on an empty line mean what waits, rather than what was typed before? */
bool skn_chat_recalls(void *chat);
/* For line_edit.h: chat_commands.c. */
size_t skn_chat_complete(void *chat, skn_str word, bool first, char **out);
void   skn_chat_choices(void *chat, char *const *list, size_t count);
/* Can this line of the program, without its name, be typed here behind a slash, and means the same? */
bool skn_chat_runs(skn_str line);

/* --- What a chat asks of the store (chat_ask.c) -------------------------------------------- */

/* A run for one question to the API, whose answer lives in `mem`; the next question ends it. skn_chat_told takes its
 * failure over into the chat and returns rc. */
skn_cli *skn_chat_ask(skn_chat *c, skn_arena *mem);
skein_rc skn_chat_told(skn_chat *c, skein_rc rc);

/* The conversation as it is now. */
skein_rc skn_chat_now(skn_chat *c, skn_arena *mem, skein_conversation *out);
/* The last messages of the version that is shown. */
skein_rc skn_chat_last(skn_chat *c, skn_arena *mem, int64_t count, skn_door_log *out);
/* The ids ("messageId") of those from one place on, in a version; 0: the current one. */
skein_rc skn_chat_ids(skn_chat *c, skn_arena *mem, int64_t version, int64_t from, int64_t count,
                      skn_json_list *out);
/* Does the version that is current now hold a message of which this is known? */
bool skn_chat_holds(skn_chat *c, const skein_message_facts *facts);
/* The agents of the world and what they do here, into the chat. */
skein_rc skn_chat_agents_read(skn_chat *c);
/* Is nobody at work here, and was all told that has happened? */
skein_rc skn_chat_settled(skn_chat *c, bool *out);

/* These are drawn again and again: they are read once, until skn_chat_forget. */
skein_rc skn_chat_delegations(skn_chat *c, const skein_delegations **out);
/* The last messages of a delegation, or of "main". */
skein_rc skn_chat_lane(skn_chat *c, skn_str key, int64_t last, const skn_door_log **out);
/* Something happened in a lane; `all`: with a delegation itself. */
void skn_chat_forget(skn_chat *c, bool all);

/* --- A delegation as a box: who has it, its steps, how it stands (chat_box.c) -------------- */

typedef struct skn_box_row {
    skn_str left, right; /* the right one may be absent */
} skn_box_row;

typedef struct skn_box {
    skn_str          key, agent, title;
    skein_lane_state state;
    int64_t          from, to; /* microseconds UTC; `to` counts once it has ended */
    int64_t          steps;    /* its messages, as every view counts them */
    int64_t          tokens;   /* -1: not measured */
    skn_box_row     *rows;
    size_t           count;
} skn_box;

/* Reads delegation number i of those there are; with the texts of its messages when it is `whole`. */
skein_rc skn_box_read(skn_chat *c, skn_arena *mem, const skein_delegations *all, size_t i,
                      bool whole, skn_box *out);
/* The newest answer of the conversation, unfolded in a box of its own; *found is false when there is
 * no answer. */
skein_rc skn_box_answer(skn_chat *c, skn_arena *mem, skn_box *out, bool *found);
/* Prints it with at most so many of its rows, the last ones, and what can be done at its foot. Each row is
 * ended by `end`. */
void skn_box_print(skn_chat *c, const skn_box *box, size_t most, const char *foot,
                   void (*end)(skn_chat *c));
