/* Ollama's own format: a stream is lines of JSON, calls come complete and without ids, and arguments are objects
 * instead of texts. Results of tools are identified by the tool's name and their order. */
#include "base/clock.h"
#include "provider/wire_json.h"

#include <stdlib.h>

/* --- Writing ------------------------------------------------------------------------------------ */

static skn_str role_word(skein_role role)
{
    if (role == SKEIN_ASSISTANT)
        return SKN_STR("assistant");
    return role == SKEIN_TOOL ? SKN_STR("tool") : SKN_STR("user");
}

static void write_calls(skn_wire_request *r, skn_jw *w, const skein_prompt_message *m)
{
    if (!m->call_count)
        return;
    skn_wire_write_members(w, skn_wire_reasons(r, m), -1);
    skn_jw_key(w, "tool_calls");
    skn_jw_array(w);
    for (size_t i = 0; i < m->call_count; i++) {
        skn_jw_object(w);
        skn_jw_key(w, "function");
        skn_jw_object(w);
        skn_jw_kstr(w, "name", m->calls[i].tool_name);
        skn_jw_key(w, "arguments");
        skn_wire_write_args(w, m->calls[i].args);
        skn_jw_object_end(w);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

static void write_message(skn_wire_request *r, skn_jw *w, const skein_prompt_message *m)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "role", role_word(m->role));
    skn_jw_kstr(w, "content", m->text.p ? m->text : SKN_STR(""));
    if (skn_wire_images(m)) {
        skn_jw_karray(w, "images");
        for (size_t i = 0; i < m->file_count; i++)
            if (m->files[i].data.p)
                skn_jw_str(w, m->files[i].data);
        skn_jw_array_end(w);
    }
    write_calls(r, w, m);
    if (m->role == SKEIN_TOOL && m->tool_name.n)
        skn_jw_kstr(w, "tool_name", m->tool_name);
    skn_jw_object_end(w);
}

/* Only gpt-oss has levels of thinking; other models either think or do not. */
static void write_thinking(skn_jw *w, const skn_ask *what)
{
    const skn_json *effort = skn_wire_setting(what, "effort");
    int64_t         tokens = skn_wire_int(what->settings, "thinkingTokens");

    if (!effort && tokens < 0)
        return;
    if (effort && skn_str_starts(what->model, SKN_STR("gpt-oss")))
        skn_jw_kstr(w, "think", effort->text);
    else
        skn_jw_kbool(w, "think",
                     effort ? !skn_str_among(effort->text, "none minimal") : tokens > 0);
}

static void write_options(skn_jw *w, const skn_ask *what)
{
    static const skn_wire_name names[] = {
        {"topP", "top_p"}, {"stop", "stop"}, {"seed", "seed"}, {NULL, NULL}};
    static const skn_wire_name format[] = {{"schema", "format"}, {NULL, NULL}};

    write_thinking(w, what);
    skn_wire_write_settings(w, what, format);
    skn_jw_key(w, "options");
    skn_jw_object(w);
    if (what->temperature >= 0) {
        skn_jw_key(w, "temperature");
        skn_jw_double(w, what->temperature);
    }
    if (what->most_tokens > 0)
        skn_jw_kint(w, "num_predict", what->most_tokens);
    skn_wire_write_settings(w, what, names);
    if (what->window >
        0) /* otherwise the server uses 4,096 tokens and drops the start of a longer text */
        skn_jw_kint(w, "num_ctx", what->window);
    skn_jw_object_end(w);
}

static void write_request(skn_wire_request *r, const skn_ask *what)
{
    const skein_context *c = what->context;
    skein_prompt_message prompt = {.text = what->system_prompt};
    skn_jw               w;

    skn_jw_init(&w, &r->body);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "model", what->model);
    skn_jw_kbool(&w, "stream", true);
    skn_wire_write_functions(&w, what);
    skn_jw_key(&w, "messages");
    skn_jw_array(&w);
    if (prompt.text.n) {
        skn_jw_object(&w);
        skn_jw_kstr(&w, "role", SKN_STR("system"));
        skn_jw_kstr(&w, "content", prompt.text);
        skn_jw_object_end(&w);
    }
    skn_wire_cut(r);
    for (size_t i = 0; c && i < c->count; i++) {
        write_message(r, &w, &c->at[i]);
        skn_wire_cut(r);
    }
    skn_jw_array_end(&w);
    write_options(&w, what);
    skn_jw_object_end(&w);
    skn_wire_cut(r);
}

/* --- Reading ------------------------------------------------------------------------------------ */

/* Ignores the numbers of calls: some servers give every call the same. */
static void read_call(skn_wire_answer *w, const skn_json *v)
{
    const skn_json *function = skn_json_get(v, "function");
    const skn_json *args = skn_json_get(function, "arguments");
    skn_str         name = skn_json_str(function, "name");
    skn_wire_call  *call = name.n ? skn_wire_call_at(w, -1) : NULL;

    if (!call)
        return;
    call->name = skn_arena_copy(w->a, name);
    call->id = skn_arena_copy(w->a, skn_json_str(v, "id"));
    if (args && args->kind == SKN_JSON_STRING)
        skn_wire_args(w, call, args->text);
    else if (args && args->kind == SKN_JSON_OBJECT)
        skn_wire_args(w, call, args->raw);
}

static void read_end(skn_wire_answer *w, const skn_json *v)
{
    if (!skn_wire_true(v, "done"))
        return;
    w->ended = true;
    w->tokens_in = skn_wire_tokens(v, "prompt_eval_count");
    w->tokens_out = skn_wire_tokens(v, "eval_count");
    if (w->calls.n)
        w->finish = "tool";
    else
        w->finish = skn_str_is(skn_json_str(v, "done_reason"), "length") ? "length" : "stop";
}

static void read_object(skn_wire_answer *w, const skn_json *v)
{
    const skn_json *message = skn_json_get(v, "message");
    skn_str         error = skn_wire_error_text(v, w->scratch);
    skn_str         thought = skn_json_str(message, "thinking");

    if (error.p) {
        skn_wire_fail(w, skn_wire_state_of(0, error), error);
        return;
    }
    skn_wire_text(w, SKN_PART_THINKING, thought);
    if (thought.n)
        skn_wire_thought(w, "thinking", thought);
    skn_wire_content(w, skn_json_str(message, "content"));
    for (const skn_json *c = skn_wire_first(message, "tool_calls"); c; c = c->next)
        read_call(w, c);
    read_end(w, v);
}

static bool read_line(skn_wire_answer *w, skn_str event, skn_str data)
{
    const skn_json *v = skn_wire_parse(data, w->scratch);
    bool            ok = v && v->kind == SKN_JSON_OBJECT;

    (void)event;
    if (ok)
        read_object(w, v);
    return ok;
}

static bool read_whole(skn_wire_answer *w, skn_str body)
{
    bool ok = read_line(w, SKN_NONE, body);

    return ok && (w->failed || w->ended);
}

/* --- Models ------------------------------------------------------------------------------------- */

typedef struct dated {
    skn_model model;
    int64_t   at; /* when it was changed */
    size_t    number;
} dated;

static int newest_first(const void *a, const void *b)
{
    const dated *x = a, *y = b;

    if (x->at != y->at)
        return x->at > y->at ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static skn_str name_of(const skn_json *m)
{
    skn_str name = skn_json_str(m, "name");

    return name.n ? name : skn_json_str(m, "model");
}

static bool read_models(skn_str body, skn_arena *a, skn_models *out)
{
    const skn_json *list = skn_json_get(skn_wire_parse(body, a), "models");
    dated          *found;
    skn_model      *models;
    size_t          n = 0;

    if (!list || list->kind != SKN_JSON_ARRAY)
        return false;
    found = SKN_ARRAY(a, list->count + 1, dated);
    models = SKN_ARRAY(a, list->count + 1, skn_model);
    for (const skn_json *m = list->first; m; m = m->next)
        if (name_of(m).n) {
            found[n] = (dated){.model = {name_of(m), 0}, .number = n};
            skn_time_parse(skn_json_str(m, "modified_at"), &found[n++].at);
        }
    qsort(found, n, sizeof *found, newest_first);
    for (size_t i = 0; i < n; i++)
        models[i] = found[i].model;
    out->at = models;
    out->count = n;
    return true;
}

const skn_wire_format skn_wire_ollama = {
    .word = "ollama",
    .path = "/api/chat",
    .models_path = "/api/tags",
    .lines = true,
    .headers = skn_wire_bearer,
    .thinks_for_calls = true,
    .write = write_request,
    .read = read_line,
    .whole = read_whole,
    .error_words = skn_wire_error_words,
    .models = read_models,
};
