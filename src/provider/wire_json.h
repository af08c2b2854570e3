/* wire_json.h: reads JSON of servers that do not follow their documentation: a member of the wrong kind counts as
 * absent. Only wire formats include it.
 *
 * Threads: any. Lifetimes: as in base/json.h. */
#ifndef SKN_PROVIDER_WIRE_JSON_H
#define SKN_PROVIDER_WIRE_JSON_H

#include "base/json.h"
#include "base/json_write.h"
#include "provider/wire.h"

/* The document, or NULL when it cannot be read. */
const skn_json *skn_wire_parse(skn_str text, skn_arena *a);
/* A whole number of 0 or more; -1: none. */
int64_t skn_wire_int(const skn_json *v, const char *key);
/* A plausible number of tokens; -1: none, so that it is estimated. Servers' numbers are added up and paid for. */
int64_t skn_wire_tokens(const skn_json *v, const char *key);
/* Reads the tokens of an answer, by all names that servers use; a later report replaces an earlier one. */
void skn_wire_usage(skn_wire_answer *w, const skn_json *usage);
bool skn_wire_true(const skn_json *v, const char *key);
/* The first item of a list, or NULL. */
const skn_json *skn_wire_first(const skn_json *v, const char *key);
/* "error": a text, or an object with a message and a type: "Overloaded (overloaded_error)". */
skn_str skn_wire_error_text(const skn_json *v, skn_arena *a);
/* Writes the arguments of a call as an object, because servers refuse anything else. */
void skn_wire_write_args(skn_jw *w, skn_str args);
/* Writes the schema of a tool's arguments; without one any object is allowed. */
void skn_wire_write_schema(skn_jw *w, skn_str schema);
/* How many images of a message are sent with it. */
size_t skn_wire_images(const skein_prompt_message *m);
/* "key": "data:image/png;base64,…" */
void skn_wire_data_url(skn_jw *w, const char *key, const skein_prompt_file *f);
/* Where results of tools cannot have images: behind the last result of a batch, those of all of it, as a message of the user. False:
 * there are none, or it is not the last. */
bool skn_wire_results_end(const skein_context *c, size_t at, skn_arena *a,
                          skein_prompt_message *out);
/* Writes the offered tools as OpenAI and Ollama expect them. */
void skn_wire_write_functions(skn_jw *w, const skn_ask *what);
/* Returns the parts of the thinking of a message, if the model of this request thought it; else NULL. */
const skn_json *skn_wire_reasons(const skn_wire_request *r, const skein_prompt_message *m);
/* Writes the parts that belong to a call: as values, or as members of the open object. */
void skn_wire_write_parts(skn_jw *w, const skn_json *parts, int64_t call);
void skn_wire_write_members(skn_jw *w, const skn_json *parts, int64_t call);

/* A setting of the agent, or NULL. */
const skn_json *skn_wire_setting(const skn_ask *what, const char *name);
/* Settings that a format accepts unchanged under its own names; an item without a name ends the list. */
typedef struct skn_wire_name {
    const char *ours, *theirs;
} skn_wire_name;
void skn_wire_write_settings(skn_jw *w, const skn_ask *what, const skn_wire_name *names);
/* The effort of thinking, from effort or thinkingTokens; absent: neither is set. */
skn_str skn_wire_effort(const skn_ask *what);
/* The number of tokens for thinking, from thinkingTokens or effort; 0: neither is set. */
int64_t skn_wire_thinking(const skn_ask *what);

/* For formats: the key as "Authorization: Bearer …", and the error text that skn_wire_error_text reads. */
size_t  skn_wire_bearer(skn_str key, skn_arena *a, skn_fetch_header out[4]);
skn_str skn_wire_error_words(skn_str body, skn_arena *a);

#endif
