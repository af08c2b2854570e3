/* chat.h: the conversation of "skein chat": what is known of it, and the parts that show and change it.
 *
 * On a terminal finished messages go into its scrollback; below them stand a few live rows: what is
 * being written, what waits, the status; and the prompt. Without one all is printed line by line.
 * Threads: one. Lifetimes: a chat lives from cmd_chat's first line to its last; `mem` is scratch. */
#ifndef SKN_CLI_CHAT_H
#define SKN_CLI_CHAT_H

#include "cli/line_edit.h"
#include "cli/print.h"
#include "cli/say.h"
#include "cli/typing.h"

#define SKN_CHAT_NAMES ((size_t)64)

struct skn_overlay;

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
    skn_typings  typing;
    int64_t      version;
    /* What waits. */
    size_t  waiting;
    skn_buf next; /* the text of the first */
    /* What the next message gets. */
    char    reply_to[64]; /* "" for none */
    char   *tags[SKN_CHAT_NAMES];
    size_t  tag_count;
    skn_buf model; /* for all that follow; empty: the agents' own */
    /* Delegations (chat_delegation.c). */
    bool delegated; /* one is at work in it, or may be */
    char boxed[64]; /* the last that was shown; "" for none */
    /* What the next line replaces (chat_rewind.c). */
    char    revised[64];     /* "" for nothing */
    int64_t revised_version; /* that holds it */
    /* The screen (chat_screen.c). */
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
/* Reads who and what there is. */
skein_rc skn_chat_refresh(skn_chat *c);
skein_rc skn_chat_refresh_queue(skn_chat *c);
/* Shows the last messages that were said before. */
skein_rc skn_chat_show_last(skn_chat *c, int64_t count);

/* --- What it looks like (chat_print.c, chat_screen.c) ------------------------------------- */

/* A message that is complete; parent is who wrote what it answers, absent if nobody. */
void skn_chat_print(skn_chat *c, const skein_message *m, skn_str parent,
                    const skn_names *heard);
/* One line about something else. */
void skn_chat_tell(skn_chat *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What cli->err says, and then it is forgotten. */
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

/* The first line of a text, cleaned, and cut to so many columns. */
skn_str skn_chat_fit(skn_arena *mem, skn_str text, size_t columns);
/* Rows of the terminal. */
size_t skn_chat_height(void);
/* The delegations at work, as live rows (chat_delegation.c). */
void skn_chat_boxes(skn_chat *c);
/* One that has ended goes into the scrollback. */
void skn_chat_box_ended(skn_chat *c, skn_str key);

/* --- What stands over them for a while (chat_menu.c, chat_rewind.c, chat_delegation.c) ---- */

typedef struct skn_overlay {
    void (*rows)(skn_chat *c, void *arg); /* each ended with skn_chat_row_end */
    void *arg;
} skn_overlay;

typedef struct skn_menu_item {
    skn_str label, text; /* the text is cut at the edge */
} skn_menu_item;

typedef struct skn_menu {
    skn_str              title;
    const char          *keys; /* what they do */
    const skn_menu_item *items;
    size_t               count; /* one or more */
    size_t               label_columns;
    size_t               at;  /* the chosen one */
    size_t               top; /* the first that is shown */
} skn_menu;

typedef enum skn_menu_end {
    SKN_MENU_OPEN,
    SKN_MENU_PICKED,
    SKN_MENU_BACK, /* Esc */
    SKN_MENU_LEFT  /* something was typed that belongs to the prompt, or nothing more is */
} skn_menu_end;

/* Lets the person pick one; the screen is then as it was before. */
skn_menu_end skn_chat_menu(skn_chat *c, skn_menu *m);
/* Esc Esc: back to one of the person's messages. */
void skn_chat_rewind(skn_chat *c);
/* The text that stands for the message that was chosen there; empty: it stays. */
void skn_chat_revise(skn_chat *c, skn_str text);
/* Enter on an empty line: a look into the delegation that was shown last. */
void skn_chat_delegation(skn_chat *c);
/* For term_key.h and line_edit.h: events are taken until a key can be read. */
bool skn_chat_wait_key(void *chat);
/* Goes on in another conversation of the world; says how it went. */
void skn_chat_move(skn_chat *c, const skein_conversation *to);

/* --- What is typed (chat_input.c, chat_commands.c, chat_run.c) ---------------------------------------- */

/* A line of the person: a command, or a message. False when it is the last one. */
bool skn_chat_line(skn_chat *c, skn_str line);
void skn_chat_say(skn_chat *c, skn_str text);
/* Stops agents (NULL: all); says how it went. */
void skn_chat_stop(skn_chat *c, const char *agent);
/* Runs a command of the program in this conversation; its exit status. */
int skn_chat_run(skn_chat *c, const char *const *words, size_t count);
/* A line that begins with a slash. */
void skn_chat_command(skn_chat *c, skn_str line);
/* For line_edit.h: chat_complete.c. */
size_t skn_chat_complete(void *chat, skn_str word, bool first, char **out);
void   skn_chat_choices(void *chat, char *const *list, size_t count);
/* The name of command number i, without its slash; NULL after the last. */
const char *skn_chat_command_name(size_t i);

#endif
