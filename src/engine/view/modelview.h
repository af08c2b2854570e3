/* modelview.h: the messages of a lane as a model may be sent them.
 *
 * Whatever the lane holds, the list that comes out is one that both OpenAI's chat completions and
 * Anthropic's messages accept: it begins with the user, no side speaks twice in a row, every call is
 * followed at once by exactly one result, ids are unique, arguments are JSON objects, no text is
 * blank, and the last word is the user's or a tool's.
 *
 * Who speaks. What the viewpoint said itself is the assistant. Everything else is the user's side,
 * where several speakers share one text:
 *   - what an agent said begins with its name: "ada: text";
 *   - what a human said begins with nothing, unless a named text stands before it in the same
 *     message; then it begins with "human: ", or it would read as more of the named text;
 *   - a summary stands between SKN_SUMMARY_BEGIN and SKN_SUMMARY_END, a squash between
 *     SKN_SQUASH_BEGIN and SKN_SQUASH_END: neither was said by whose side it is on;
 *   - instructions follow their text, one bracketed line each (skn_instruction_text);
 *   - files follow their text, an image as a line ("[image a.png, 640×480]") and a text between two
 *     ("[file a.txt, …]", "[end of file]");
 *   - what is asked again, though others have spoken since, is named in a line of its own (SKN_VIEW_AGAIN);
 *   - of a text that is longer than may be sent the beginning and the end are sent, and a line between them
 *     (SKN_VIEW_LEFT_OUT) says how the rest is read.
 * A view that is told has no calls: each stands as text with its result, in brackets, where it was made.
 * Text cannot forge any of this: a line that begins (blanks aside, in any case) with a known name
 * and a colon, or like one of the engine's own bracketed lines, gets a backslash in front; so does
 * one that already has such a backslash, so that the escape can be read back. Known names are
 * "human", those given in the options, and every name rendered in the same view.
 *
 * Threads: any; nothing here is shared.  Lifetimes: results live in the arena and borrow from the
 * messages; keep both. */
#ifndef SKN_ENGINE_VIEW_MODELVIEW_H
#define SKN_ENGINE_VIEW_MODELVIEW_H

#include "base/arena.h"
#include <skein/view.h>

#define SKN_SUMMARY_BEGIN "[Summary of the conversation so far]"
#define SKN_SUMMARY_END   "[End of summary]"
#define SKN_SQUASH_BEGIN  "[Squash of earlier messages]"
#define SKN_SQUASH_END    "[End of squash]"
#define SKN_VIEW_START    "[conversation starts here]"
#define SKN_VIEW_CONTINUE "[continue]"
#define SKN_VIEW_AGAIN    "[answer this message now, it is asked again: " /* and its first words */
#define SKN_VIEW_LEFT_OUT "[left out: "
#define SKN_NO_RESULT     "[no result recorded: the outcome of this call is unknown]"
#define SKN_NO_OUTPUT     "[no output]" /* a result that came, but blank */
#define SKN_TOLD_CALL     "[called tool "
#define SKN_TOLD_RESULT   "[result of tool "

#define SKN_CALL_ID_MAX   40 /* the shorter of the providers' limits */
#define SKN_TOOL_NAME_MAX 64

/* A file of a message: a line for it; of a text also what is sent of it, and the line behind that. */
typedef struct skn_view_file {
    skein_prompt_file as;
    skn_str           head, text, end;
} skn_view_file;

typedef struct skn_view_files {
    skn_view_file *at;
    size_t         count;
} skn_view_files;

typedef struct skn_view_options {
    skein_agent_id viewpoint;     /* zero: the main lane, where every agent is the assistant */
    const skein_message *summary; /* put first; NULL for none */
    const skn_str       *names;   /* agents that text must not speak for; may be NULL */
    size_t               name_count;
    bool rendered; /* texts come from a view: repair the order, leave texts alone */
    bool told;     /* calls and results as text: for a model that has no tools */
    const skein_message *again; /* asked again: a line before msgs[again_at] says so; or NULL */
    size_t               again_at; /* at most n */
    size_t               most;   /* bytes of a text, or of a call's arguments; 0: all of them */
    const skn_view_files *files; /* of each message; NULL: none has any */
} skn_view_options;

/* Only user, assistant and tool; the text is absent only for an assistant that does nothing but
 * call, and args are the text of a JSON object. */
typedef skein_prompt_message skn_prompt_message;

typedef struct skn_prompt {
    skn_prompt_message *at;
    size_t              count;
    bool                cut; /* something is left out */
} skn_prompt;

/* What may stand in a line of ours: without what could end it or its bracket, and not long. */
skn_str skn_view_word(skn_arena *a, skn_str s);
/* Makes the list; it cannot fail, whatever the messages are. Linear in their size. */
void skn_model_view(const skein_message *msgs, size_t n, const skn_view_options *opt,
                    skn_arena *a, skn_prompt *out);
/* A rough count: skn_tokens_of the bytes of each message, without its reasoning, which not every model is sent. */
size_t skn_prompt_tokens(const skn_prompt *p);

/* Instructions as the user's side shows them, a line each, without a line end after the last:
 * "[source: user]", "[source: agent ada]", "[response expected: lead]", "[instruction: brief]".
 * What could end a line or a bracket early is replaced. Absent when there are none. A view leaves
 * the sources out: the name in front of a text is the source, and it comes from the author that the
 * engine recorded, not from a tag. */
skn_str skn_instruction_text(const skein_instruction *in, size_t n, skn_arena *a);

#define SKN_UNPAIRED SIZE_MAX

/* Which result belongs to which call. A result answers the latest earlier call of its id that has
 * no answer yet; one that finds only answered calls is an extra of the latest. */
typedef struct skn_pairs {
    size_t *first_call; /* of message i: where its calls begin in result[] */
    size_t *result;     /* of a call: the message that answers it, or SKN_UNPAIRED */
    size_t *caller;     /* of message i, a result: the message that called, or SKN_UNPAIRED */
    bool   *extra;      /* of message i: a result whose call was answered before */
} skn_pairs;

/* Pairs the calls and results of a lane. Erased messages have no calls. */
void skn_pairs_find(skn_pairs *out, const skein_message *msgs, size_t n, skn_arena *a);
/* The calls that count: those of an assistant that was not erased. */
size_t skn_calls_of(const skein_message *m);
/* The greatest c <= n such that after c messages no call waits for its result. */
size_t skn_closed_prefix(const skein_message *msgs, size_t n);

#endif
