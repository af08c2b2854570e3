/* OpenAI's chat completions, and everything that speaks like them: the /v1 of Ollama and llama.cpp, vLLM, LM Studio,
 * OpenRouter and many more. */
#include "provider/wire_json.h"

/* --- Writing --------------------------------------------------------------------------------- */

static void write_call(skn_jw *w, const skein_tool_call *call, const skn_json *thoughts,
                       size_t i)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", call->call_id);
    skn_jw_kstr(w, "type", SKN_STR("function"));
    skn_jw_key(w, "function");
    skn_jw_object(w);
    skn_jw_kstr(w, "name", call->tool_name);
    skn_jw_kstr(w, "arguments", call->args.n ? call->args : SKN_STR("{}"));
    skn_jw_object_end(w);
    skn_wire_write_members(w, thoughts, (int64_t)i);
    skn_jw_object_end(w);
}

static const char *role_of(skein_role role)
{
    switch (role) {
    case SKEIN_ASSISTANT:
        return "assistant";
    case SKEIN_TOOL:
        return "tool";
    case SKEIN_SYSTEM:
        return "system";
    case SKEIN_USER:
    case SKEIN_SUMMARY:
        break;
    }
    return "user";
}

static void write_calls(skn_wire_request *r, skn_jw *w, const skein_prompt_message *m)
{
    const skn_json *thoughts = skn_wire_reasons(r, m);

    skn_wire_write_members(w, thoughts, -1);
    skn_jw_key(w, "tool_calls");
    skn_jw_array(w);
    for (size_t i = 0; i < m->call_count; i++)
        write_call(w, &m->calls[i], thoughts, i);
    skn_jw_array_end(w);
}

/* Only the user's messages may have parts. */
static void write_parts(skn_jw *w, const skein_prompt_message *m)
{
    skn_jw_karray(w, "content");
    if (m->text.n) {
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("text"));
        skn_jw_kstr(w, "text", m->text);
        skn_jw_object_end(w);
    }
    for (size_t i = 0; i < m->file_count; i++) {
        if (!m->files[i].data.p)
            continue;
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("image_url"));
        skn_jw_key(w, "image_url");
        skn_jw_object(w);
        skn_wire_data_url(w, "url", &m->files[i]);
        skn_jw_object_end(w);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

static void write_message(skn_wire_request *r, skn_jw *w, const skein_prompt_message *m)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "role", skn_str_of(role_of(m->role)));
    if (m->role == SKEIN_ASSISTANT && m->call_count && !m->text.n)
        skn_jw_knull(w, "content");
    else if (m->role == SKEIN_USER && skn_wire_images(m))
        write_parts(w, m);
    else
        skn_jw_kstr(w, "content", m->text.n ? m->text : SKN_STR(""));
    if (m->role == SKEIN_TOOL)
        skn_jw_kstr(w, "tool_call_id", m->tool_call_id);
    if (m->role == SKEIN_ASSISTANT && m->call_count)
        write_calls(r, w, m);
    skn_jw_object_end(w);
}

static void write_messages(skn_jw *w, skn_wire_request *r, const skn_ask *what)
{
    skein_prompt_message first = {.role = SKEIN_SYSTEM, .text = what->system_prompt};

    skn_jw_key(w, "messages");
    skn_jw_array(w);
    skn_wire_cut(r);
    if (what->system_prompt.n) {
        write_message(r, w, &first);
        skn_wire_cut(r);
    }
    for (size_t i = 0; what->context && i < what->context->count; i++) {
        skein_prompt_message images = {.role = SKEIN_USER};

        write_message(r, w, &what->context->at[i]);
        if (skn_wire_results_end(what->context, i, r->a, &images))
            write_message(r, w, &images);
        skn_wire_cut(r);
    }
    skn_jw_array_end(w);
}

/* The options come after the messages: what changes with a request comes after what does not (skn_wire_format). */
static void write_options(skn_jw *w, const skn_ask *what)
{
    static const skn_wire_name names[] = {
        {"topP", "top_p"}, {"stop", "stop"}, {"seed", "seed"}, {NULL, NULL}};
    const skn_json *schema = skn_wire_setting(what, "schema");
    skn_str         effort = skn_wire_effort(what);

    if (what->temperature >= 0) {
        skn_jw_key(w, "temperature");
        skn_jw_double(w, what->temperature);
    }
    if (what->most_tokens > 0)
        skn_jw_kint(w, "max_tokens", what->most_tokens);
    skn_wire_write_settings(w, what, names);
    if (effort.n)
        skn_jw_kstr(w, "reasoning_effort", effort);
    if (schema) {
        skn_jw_key(w, "response_format");
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("json_schema"));
        skn_jw_key(w, "json_schema");
        skn_jw_object(w);
        skn_jw_kstr(w, "name", SKN_STR("answer"));
        skn_jw_key(w, "schema");
        skn_jw_raw(w, schema->raw);
        skn_jw_object_end(w);
        skn_jw_object_end(w);
    }
}

static void write_request(skn_wire_request *r, const skn_ask *what)
{
    skn_jw w;

    skn_jw_init(&w, &r->body);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "model", what->model);
    skn_jw_kbool(&w, "stream", true);
    skn_jw_key(&w, "stream_options");
    skn_jw_raw(&w, SKN_STR("{\"include_usage\":true}"));
    skn_wire_write_functions(&w, what);
    write_messages(&w, r, what);
    write_options(&w, what);
    skn_jw_object_end(&w);
    skn_wire_cut(r);
}

/* --- Reading --------------------------------------------------------------------------------- */

/* "message (code)" of an error, which is a text, or an object that contains one. */
static skn_str words_of(const skn_json *error, skn_arena *a)
{
    skn_str message = skn_json_str(error, "message"), code = skn_json_str(error, "code");

    if (error->kind == SKN_JSON_STRING)
        return error->text;
    if (!message.n)
        message = skn_json_str(error, "error");
    if (!message.n)
        message = skn_json_str(error, "detail");
    if (!code.n)
        code = skn_json_str(error, "type");
    if (!message.n)
        return code.n ? code : error->raw;
    if (!code.n || skn_str_find(message, code) >= 0)
        return message;
    return skn_arena_printf(a, "%.*s (%.*s)", SKN_FMT(message), SKN_FMT(code));
}

static void read_finish(skn_wire_answer *w, skn_str word)
{
    if (!word.n)
        return;
    if (skn_str_is(word, "length") || skn_str_is(word, "max_tokens"))
        w->finish = "length";
    else if (skn_str_is(word, "tool_calls") || skn_str_is(word, "function_call"))
        w->finish = "tool";
    else if (skn_str_is(word, "content_filter"))
        skn_wire_fail(w, SKN_ASK_REFUSED,
                      SKN_STR("the answer was stopped by the content filter"));
    else if (skn_str_is(word, "error"))
        skn_wire_fail(w, SKN_ASK_UNAVAILABLE, SKN_STR("the server failed while it answered"));
    else
        w->finish = "stop";
}

/* Finds the call that a piece belongs to: by its number, otherwise a new id starts a call, and no id continues the
 * last. */
static skn_wire_call *call_of(skn_wire_answer *w, const skn_json *piece)
{
    int64_t index = skn_wire_int(piece, "index");
    skn_str id = skn_json_str(piece, "id");
    bool    named = skn_json_str(skn_json_get(piece, "function"), "name").n > 0;
    size_t  n = w->calls.n;

    if (index < 0 && n && (id.n ? skn_str_eq(id, w->calls.p[n - 1].id) : !named))
        return &w->calls.p[n - 1];
    /* Some servers number all calls 0; a new id with a name starts another call. */
    if (index >= 0 && id.n && named && n && w->calls.p[n - 1].index == index &&
        w->calls.p[n - 1].id.n && !skn_str_eq(id, w->calls.p[n - 1].id))
        index = -1;
    return skn_wire_call_at(w, index);
}

/* Keeps Google's member with the "thought_signature" of a call. */
static void keep_extra(skn_wire_answer *w, skn_wire_call *call, const skn_json *extra)
{
    if (!extra || extra->kind != SKN_JSON_OBJECT || call->signed_once)
        return;
    call->signed_once = true;
    skn_wire_reason(
        w, call - w->calls.p,
        skn_arena_printf(w->scratch, "{\"extra_content\":%.*s}", SKN_FMT(extra->raw)));
}

static void read_call(skn_wire_answer *w, const skn_json *piece)
{
    const skn_json *function = skn_json_get(piece, "function");
    const skn_json *args = skn_json_get(function, "arguments");
    skn_wire_call  *call = call_of(w, piece);

    if (!call)
        return;
    if (!call->id.n)
        call->id = skn_arena_copy(w->a, skn_json_str(piece, "id"));
    if (!call->name.n)
        call->name = skn_arena_copy(w->a, skn_json_str(function, "name"));
    if (args && args->kind == SKN_JSON_STRING)
        skn_wire_args(w, call, args->text);
    else if (args && args->kind == SKN_JSON_OBJECT) /* not documented, but seen */
        skn_wire_args(w, call, args->raw);
    keep_extra(w, call, skn_json_get(piece, "extra_content"));
}

/* Content is a text, or a list of parts. */
static void read_content(skn_wire_answer *w, const skn_json *content)
{
    if (!content)
        return;
    if (content->kind == SKN_JSON_STRING)
        skn_wire_content(w, content->text);
    else if (content->kind == SKN_JSON_ARRAY)
        for (const skn_json *part = content->first; part; part = part->next)
            skn_wire_content(w, skn_json_str(part, "text"));
}

static bool read_message(skn_wire_answer *w, const skn_json *m)
{
    const skn_json *calls = skn_json_get(m, "tool_calls");
    skn_str         thought = skn_json_str(m, "reasoning_content");

    if (!m || m->kind == SKN_JSON_NULL)
        return true;
    if (m->kind != SKN_JSON_OBJECT)
        return false;
    skn_wire_text(w, SKN_PART_THINKING, thought.n ? thought : skn_json_str(m, "reasoning"));
    if (thought.n)
        skn_wire_thought(w, "reasoning_content", thought);
    read_content(w, skn_json_get(m, "content"));
    skn_wire_content(w, skn_json_str(m, "refusal"));
    if (calls && calls->kind == SKN_JSON_ARRAY)
        for (const skn_json *c = calls->first; c && !w->failed; c = c->next)
            read_call(w, c);
    return true;
}

static void read_error(skn_wire_answer *w, const skn_json *error)
{
    skn_str words = words_of(error, w->scratch);
    int64_t code = skn_wire_int(error, "code"); /* some servers put the HTTP status here */

    code = code >= 400 && code < 600 ? code : 0;
    skn_wire_fail(w, skn_wire_state_of((int)code, words), words);
}

/* A chunk of a stream has its message in "delta", a whole answer in "message". */
static bool read_document(skn_wire_answer *w, skn_str source, const char *part)
{
    const skn_json *doc = skn_wire_parse(source, w->scratch),
                   *error = skn_json_get(doc, "error");
    const skn_json *choices = skn_json_get(doc, "choices"), *choice;

    if (!doc || doc->kind != SKN_JSON_OBJECT)
        return false;
    if (skn_str_is(skn_json_str(doc, "object"), "error")) /* vLLM's */
        error = doc;
    if (error && error->kind != SKN_JSON_NULL) {
        read_error(w, error);
        return true;
    }
    skn_wire_usage(w, skn_json_get(doc, "timings")); /* llama.cpp's */
    skn_wire_usage(w, skn_json_get(doc, "usage"));
    if (!choices || choices->kind != SKN_JSON_ARRAY || !choices->first)
        return true;
    choice = choices->first; /* the request asks for one */
    if (choice->kind != SKN_JSON_OBJECT)
        return false;
    if (skn_wire_int(choice, "index") > 0)
        return true;
    if (!read_message(w, skn_json_get(choice, part)))
        return false;
    read_finish(w, skn_json_str(choice, "finish_reason"));
    return true;
}

static bool read_event(skn_wire_answer *w, skn_str event, skn_str data)
{
    (void)event;
    data = skn_str_trim(data);
    if (skn_str_is(data, "[DONE]")) {
        w->ended = true;
        return true;
    }
    return data.n == 0 || read_document(w, data, "delta");
}

/* An answer may have an empty list of choices. */
static bool has_choices(skn_wire_answer *w, skn_str body)
{
    const skn_json *list = skn_json_get(skn_wire_parse(body, w->scratch), "choices");

    return list && list->kind == SKN_JSON_ARRAY;
}

static bool read_whole(skn_wire_answer *w, skn_str body)
{
    if (!read_document(w, body, "message"))
        return false;
    return w->failed || w->text_bytes || w->calls.n || w->thinking_bytes || w->finish ||
           w->held || has_choices(w, body);
}

/* --- Errors and models ----------------------------------------------------------------------- */

static skn_str error_words(skn_str body, skn_arena *a)
{
    const skn_json *doc = skn_wire_parse(body, a), *error;

    if (!doc)
        return SKN_NONE;
    if (doc->kind == SKN_JSON_ARRAY && doc->first) /* Google's */
        doc = doc->first;
    error = skn_json_get(doc, "error");
    if (error && (error->kind == SKN_JSON_OBJECT || error->kind == SKN_JSON_STRING))
        return words_of(error, a);
    return doc->kind == SKN_JSON_OBJECT ? words_of(doc, a) : SKN_NONE;
}

static int64_t window_of(const skn_json *model)
{
    static const char *const names[] = {"loaded_context_length",
                                        "max_model_len",
                                        "context_length",
                                        "context_window",
                                        "max_input_tokens",
                                        "max_context_length",
                                        NULL};
    int64_t                  window = 0;

    /* The maximum of a model that is not loaded does not say how it will be loaded. */
    for (size_t i = 0; names[i] && window <= 0; i++)
        if (i < 5 || !skn_json_get(model, "state"))
            window = skn_wire_int(model, names[i]);
    return window > 0 ? window
                      : 0; /* llama.cpp's meta.n_ctx_train is not what it was started with */
}

static bool read_models(skn_str body, skn_arena *a, skn_models *out)
{
    const skn_json *doc = skn_wire_parse(body, a), *list;
    skn_model      *at;

    if (!doc)
        return false;
    list = doc->kind == SKN_JSON_ARRAY ? doc : skn_json_get(doc, "data");
    if (!list || list->kind != SKN_JSON_ARRAY)
        return false;
    at = SKN_ARRAY(a, list->count + 1, skn_model);
    out->at = at;
    out->count = 0;
    for (const skn_json *m = list->first; m; m = m->next) {
        skn_str name = skn_json_str(m, "id");

        if (name.n)
            at[out->count++] = (skn_model){skn_arena_copy(a, name), window_of(m)};
    }
    return true;
}

const skn_wire_format skn_wire_openai = {
    .word = "openai",
    .path = "/chat/completions",
    .models_path = "/models",
    .headers = skn_wire_bearer,
    .thinks_for_calls = true,
    .write = write_request,
    .read = read_event,
    .whole = read_whole,
    .error_words = error_words,
    .models = read_models,
};
