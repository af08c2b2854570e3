/* cli.h: one run of the program: what was asked, where the answer goes, the store behind it.
 *
 * Threads: one. Lifetimes: a skn_cli lives from main's first line to its last; what a command
 * reads lives in cli->mem, which long lists reset page by page, or in cli->keep, which stays.
 * A command that succeeded returns SKEIN_OK, whatever is left in cli->err; else what it filled
 * in there decides. */
#pragma once

#include "base/suggest.h"
#include "engine/engine.h"

#include <sys/types.h>

typedef struct skn_option {
    const char *name;   /* the long form without its dashes */
    char        letter; /* the short form; 0: none */
    const char *arg;    /* what it takes, for the help: "TEXT"; NULL: it is a switch */
    const char *help;
} skn_option;

struct skn_cli;

typedef enum skn_command_kind {
    SKN_CMD_PLAIN, /* needs no store */
    SKN_CMD_READ,  /* the store must exist */
    SKN_CMD_WRITE  /* makes the store when it is missing */
} skn_command_kind;

typedef struct skn_command {
    const char       *name;               /* "log", or noun and verb: "world new" */
    const char       *group;              /* heading in the overview */
    const char       *args;               /* "ID…"; "" for none */
    const char       *help;               /* one line */
    int               min_args, max_args; /* max -1: any number */
    skn_command_kind  kind;
    const char       *fields;  /* of its JSON; NULL: its JSON has no fields to pick */
    const skn_option *options; /* ends with an empty name; NULL: none */
    skein_rc (*run)(struct skn_cli *cli);
} skn_command;

/* The subject of several commands: the first word of their names. */
typedef struct skn_noun {
    const char *name;
    const char *group;
    const char *help;
    const char
        *usual; /* the command when no verb is named: "inbox ls"; NULL: there must be one */
} skn_noun;

typedef struct skn_given {
    const skn_option *option;
    const char       *value; /* "" for a switch */
} skn_given;

/* Standard output, collected; once a write fails the rest is dropped, `failure` is its errno. */
typedef struct skn_out {
    skn_buf bytes;
    int     fd;
    int     failure;
    pid_t   pager; /* 0: none */
    skn_buf held;  /* what comes before it is known whether a pager is needed */
    bool    holds;
    bool    terminal; /* a person reads it: short times, colour, pager */
    bool    colour;
    int     width; /* columns; 0: do not cut */
    int     rows;  /* 0: nobody knows */
} skn_out;

typedef struct skn_cli {
    const skn_command *command;
    char *const       *words; /* of the command line, after the program's name */
    size_t             word_count;
    const char       **args;
    size_t             arg_count;
    skn_given         *given;
    size_t             given_count;
    bool               json, quiet, dry_run, yes;
    bool (*inside)(
        skn_str line); /* it runs in a chat: is the line one of its commands? NULL: no chat */
    bool             whole_ids; /* of messages, also on a terminal */
    const char      *fields;    /* of --json=FIELDS; NULL: all */
    skn_out          out;
    skn_buf          item; /* the JSON value being written */
    skn_jw           jw;
    bool             in_list, list_started;
    skein_engine    *engine;
    skein_mem       *mem, *keep;
    struct skn_door *door;    /* the API of the store, wherever that is; NULL: not open yet */
    const char      *address; /* of the store, once asked for */
    const struct skn_config *config;         /* once asked for */
    struct skn_current      *folder;         /* what a .skein.yaml names, once asked for */
    const char              *scratch;        /* a folder made for this run only; NULL: none */
    const char              *changing_world; /* what a change was asked for; NULL: nothing */
    int64_t                  newest;    /* version before a change with a key; 0: has none */
    bool                     untouched; /* the world that is meant has no conversation */
    int                      status;    /* of the program, where the command succeeds */
    skein_error              err;
    skn_problem              more; /* of err */
    const char              *told; /* what a problem said that `more` is of; NULL: none did */
    const char
        *at; /* of the request, what the problem is about: "/messages/3"; NULL: not said */
} skn_cli;

/* --- What was asked for (args.c) ---------------------------------------------------------- */

/* Reads the command line; fills cli->err when it makes no sense. */
skein_rc skn_args_read(skn_cli *cli, int argc, char **argv);
/* The last value given; NULL when the option was not given, "" for a switch that was. */
const char *skn_opt(const skn_cli *cli, const char *name);
/* As if the option had been given; for every word of the command line there is room for one. */
void skn_opt_give(skn_cli *cli, const char *name, const char *value);
/* The next value of an option that may be repeated; *at starts at 0. NULL at the end. */
const char *skn_opt_next(const skn_cli *cli, const char *name, size_t *at);
skein_rc skn_opt_int(skn_cli *cli, const char *name, int64_t min, int64_t max, int64_t fallback,
                     int64_t *out);
/* Argument number i as text; it must be there. */
skn_str skn_arg(const skn_cli *cli, size_t i);

/* --- The table (commands.c), and what is made from it (help.c, completion.c) -------------- */

extern const skn_option skn_global_options[];
/* Row number i; NULL after the last. */
const skn_command *skn_command_at(size_t i);
const skn_noun    *skn_noun_at(size_t i);
const skn_command *skn_command_find(const char *name);
/* Does the name of the command end in this verb: "allow" of "inbox allow"? */
bool skn_verb_is(const skn_cli *cli, const char *verb);
/* The noun that the name begins with ("world" of "world new"); NULL when it has none. */
const skn_noun   *skn_noun_find(skn_str name);
const skn_option *skn_option_find(const skn_option *table, skn_str name, char letter);
/* True for a text that begins with one of the names with commas between. */
bool skn_begins_among(skn_str text, const char *names);
/* True for a comma-separated list of one or more names out of another; "id" and "text" stand for
 * a message's id and content. */
bool skn_fields_known(const char *known, skn_str wanted, skn_str *unknown);
/* Refuses a field of --json=FIELDS that is not among those of what is printed; `of`: "a version". */
skein_rc skn_fields_check(skn_cli *cli, const char *known, const char *of);

void skn_help_overview(skn_cli *cli);
void skn_help_command(skn_cli *cli, const skn_command *c);
/* The commands of a noun; false when the word is none. */
bool skn_noun_help(skn_cli *cli, skn_str word);
/* Says that a word is not a command, and which one may be meant. */
skein_rc skn_unknown_command(skn_cli *cli, const char *word);
/* Writes a completion script; false when the shell is not known. */
bool skn_completion(skn_cli *cli, skn_str shell);
/* Writes what there is of a kind ("worlds", "agents", …), a line each: the word, a tab, what it is. For
 * those scripts. */
skein_rc skn_completion_words(skn_cli *cli, skn_str kind);
