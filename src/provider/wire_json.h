/* wire_json.h: reading answers of servers that do not keep to their documents: a member of the wrong kind
 * is as good as none. Only wire formats include it.
 *
 * Threads: any.  Lifetimes: as in base/json.h. */
#ifndef SKN_PROVIDER_WIRE_JSON_H
#define SKN_PROVIDER_WIRE_JSON_H

#include "base/json.h"
#include "base/json_write.h"
#include "provider/wire.h"

/* The document, or NULL when it cannot be read. */
const skn_json *skn_wire_parse(skn_str text, skn_arena *a);
/* A whole number that is not below zero; -1 when there is none. */
int64_t skn_wire_int(const skn_json *v, const char *key);
/* A number of tokens that somebody can have used; -1 when there is none, so that it is estimated. What a server says
 * is added up and paid for. */
int64_t skn_wire_tokens(const skn_json *v, const char *key);
/* What an answer used, by all the names that servers have for it; a later report replaces an earlier one. */
void skn_wire_usage(skn_wire_answer *w, const skn_json *usage);
bool skn_wire_true(const skn_json *v, const char *key);
/* The first item of a list, NULL when it is none. */
const skn_json *skn_wire_first(const skn_json *v, const char *key);
/* "error": a text, or an object with a message and a type: "Overloaded (overloaded_error)". */
skn_str skn_wire_error_text(const skn_json *v, skn_arena *a);
/* The arguments of a call as an object: servers refuse anything else. */
void skn_wire_write_args(skn_jw *w, skn_str args);
/* The schema of a tool's arguments; any object where it has none. */
void skn_wire_write_schema(skn_jw *w, skn_str schema);
/* The tools that are offered, as OpenAI and Ollama take them. */
void skn_wire_write_functions(skn_jw *w, const skn_ask *what);
/* The parts of what the model that is asked thought for this message; NULL: none, or another model did. */
const skn_json *skn_wire_reasons(const skn_wire_request *r, const skein_prompt_message *m);
/* Writes those parts that have this call: as values, or their members into the object that is open. */
void skn_wire_write_parts(skn_jw *w, const skn_json *parts, int64_t call);
void skn_wire_write_members(skn_jw *w, const skn_json *parts, int64_t call);

/* A setting of the agent that is asked; NULL: there is none. */
const skn_json *skn_wire_setting(const skn_ask *what, const char *name);
/* Settings that a format takes as they are, under its own names; ends with one that has none. */
typedef struct skn_wire_name {
    const char *ours, *theirs;
} skn_wire_name;
void skn_wire_write_settings(skn_jw *w, const skn_ask *what, const skn_wire_name *names);
/* How hard it thinks, by effort or thinkingTokens; absent: nothing is said of that. */
skn_str skn_wire_effort(const skn_ask *what);
/* Tokens that it may think, by thinkingTokens or effort; 0: nothing is said of that. */
int64_t skn_wire_thinking(const skn_ask *what);

/* Of a format: the key as "Authorization: Bearer …"; the words of an error that skn_wire_error_text reads. */
size_t  skn_wire_bearer(skn_str key, skn_arena *a, skn_fetch_header out[4]);
skn_str skn_wire_error_words(skn_str body, skn_arena *a);

#endif
