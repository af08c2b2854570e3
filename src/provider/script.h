/* script.h: what a script holds once it is read and checked, and choosing from it. Only files of this
 * folder include it.
 *
 * Threads: a script never changes, but regexec may lock inside; it is used on the loop's thread.
 * Lifetimes: all of it lives in the script's arena. */
#ifndef SKN_PROVIDER_SCRIPT_H
#define SKN_PROVIDER_SCRIPT_H

#include "base/buf.h"
#include "base/yaml.h"
#include "provider/provider.h"

#include <regex.h>

enum { SKN_SCRIPT_GROUPS = 10, SKN_SCRIPT_ANSWER = 1 << 20 /* bytes of one answer */ };

typedef enum skn_step_kind {
    SKN_STEP_SAY,
    SKN_STEP_THINK,
    SKN_STEP_CALL,
    SKN_STEP_WAIT,
    SKN_STEP_FAIL
} skn_step_kind;

typedef struct skn_script_step {
    skn_step_kind   kind;
    skn_str        *texts; /* SAY, THINK: one of them is taken */
    size_t          text_count;
    skn_str         name;      /* CALL: of the tool; FAIL: the message */
    const skn_yaml *args;      /* CALL: a map, or NULL */
    int64_t         ms;        /* WAIT */
    bool            retryable; /* FAIL */
} skn_script_step;

typedef struct skn_script_steps {
    skn_script_step *at;
    size_t           count;
    int64_t          cut_after; /* words; -1: not at all */
} skn_script_steps;

typedef struct skn_script_rule {
    skn_str          when; /* in lower case */
    skn_str          agent, from, tool;
    regex_t         *matches;
    skn_script_steps steps;
} skn_script_rule;

struct skn_script {
    skn_arena       *a;
    int64_t          seed;
    int64_t          pace_ms;
    skn_script_rule *rules;
    size_t           rule_count;
    skn_script_steps otherwise;
};

/* What is answered. */
typedef struct skn_script_line {
    skn_str agent, sender;
    skn_str text; /* what was said, or what the tool gave */
    skn_str tool; /* absent: somebody said it */
} skn_script_line;

/* The steps that fit it, and what stands for {1} to {9} in them. */
typedef struct skn_script_match {
    const skn_script_steps *steps;
    skn_str                 groups[SKN_SCRIPT_GROUPS]; /* [0] is unused */
} skn_script_match;

/* tour.yaml, line by line; a NULL ends it. Made by tools/embed-text.awk. */
extern const char *const skn_tour_text[];

/* script_match.c: why a regular expression is refused before it is compiled, as the end of a sentence; NULL:
 * it is not. */
const char *skn_pattern_check(skn_str pattern);

/* The first rule that fits, or `otherwise`. */
void skn_script_choose(const skn_script *s, const skn_script_line *line, skn_arena *a,
                       skn_script_match *out);
/* The text of a step, chosen by the seed, with names and groups put in. */
void skn_script_text(const skn_script *s, const skn_script_step *step,
                     const skn_script_line *line, const skn_script_match *match, skn_buf *out);
/* script_match.c: tells the sink what was asked; sink->sent is there. */
void skn_script_sent(const skn_ask *what, const skn_script_line *line,
                     const skn_answer_sink *sink);
/* The arguments of a call as a JSON object. */
void skn_script_args(const skn_script_step *step, const skn_script_line *line,
                     const skn_script_match *match, skn_arena *a, skn_buf *out);

#endif
