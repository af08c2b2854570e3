/* Anthropic's Messages. A message is a list of blocks; a stream has events for the start, the pieces and the end of
 * each. The results of all calls of an answer are one message of the user. */
#include "provider/wire_json.h"

#define MOST_TOKENS 8192 /* the API requires a limit */

enum { MARKED_TURNS = 2, LEAST_THINKING = 1024 };

static size_t headers(skn_str key, skn_arena *a, skn_fetch_header out[4])
{
    size_t n = 0;

    (void)a;
    out[n++] = (skn_fetch_header){SKN_STR("anthropic-version"), SKN_STR("2023-06-01")};
    if (key.p)
        out[n++] = (skn_fetch_header){SKN_STR("x-api-key"), key};
    return n;
}

/* --- Writing ------------------------------------------------------------------------------------ */

static bool by_assistant(const skein_prompt_message *m)
{
    return m->role == SKEIN_ASSISTANT;
}

static bool says_nothing(const skein_prompt_message *m)
{
    return m->role != SKEIN_TOOL && !m->text.n && !m->call_count;
}

/* Marks where the server's cache may end for the next request that starts the same; at most 4 marks in a request. */
static void write_mark(skn_jw *w)
{
    skn_jw_key(w, "cache_control");
    skn_jw_raw(w, SKN_STR("{\"type\":\"ephemeral\"}"));
}

static void write_text(skn_jw *w, skn_str text, bool mark)
{
    if (!text.n) /* an empty text is refused */
        return;
    skn_jw_object(w);
    skn_jw_kstr(w, "type", SKN_STR("text"));
    skn_jw_kstr(w, "text", text);
    if (mark)
        write_mark(w);
    skn_jw_object_end(w);
}

static void write_images(skn_jw *w, const skein_prompt_message *m)
{
    for (size_t i = 0; i < m->file_count; i++) {
        if (!m->files[i].data.p)
            continue;
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("image"));
        skn_jw_key(w, "source");
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("base64"));
        skn_jw_kstr(w, "media_type", m->files[i].file.type);
        skn_jw_kstr(w, "data", m->files[i].data);
        skn_jw_object_end(w);
        skn_jw_object_end(w);
    }
}

static void write_result(skn_jw *w, const skein_prompt_message *m, bool mark)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "type", SKN_STR("tool_result"));
    skn_jw_kstr(w, "tool_use_id", m->tool_call_id);
    if (skn_wire_images(m)) {
        skn_jw_karray(w, "content");
        write_text(w, m->text, false);
        write_images(w, m);
        skn_jw_array_end(w);
    } else if (m->text.n) {
        skn_jw_kstr(w, "content", m->text);
    }
    if (m->failed)
        skn_jw_kbool(w, "is_error", true);
    if (mark)
        write_mark(w);
    skn_jw_object_end(w);
}

static void write_blocks(skn_wire_request *r, skn_jw *w, const skein_prompt_message *m,
                         bool mark)
{
    const skn_json *thoughts = skn_wire_reasons(r, m);

    if (m->role == SKEIN_TOOL) {
        write_result(w, m, mark);
        return;
    }
    skn_wire_write_parts(w, thoughts, 0);
    write_images(w, m); /* before the words about them, as Anthropic advises */
    write_text(w, m->text, mark);
    for (size_t i = 0; i < m->call_count; i++) {
        if (i)
            skn_wire_write_parts(w, thoughts, (int64_t)i);
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("tool_use"));
        skn_jw_kstr(w, "id", m->calls[i].call_id);
        skn_jw_kstr(w, "name", m->calls[i].tool_name);
        skn_jw_key(w, "input");
        skn_wire_write_args(w, m->calls[i].args);
        skn_jw_object_end(w);
    }
}

/* Finds where the last turns of the user end: the previous request ended at the first of them. */
static void find_ends(const skein_context *c, size_t ends[MARKED_TURNS])
{
    size_t n = 0;

    for (size_t i = c ? c->count : 0; i-- > 0 && n < MARKED_TURNS;)
        if (!by_assistant(&c->at[i]) && (i + 1 == c->count || by_assistant(&c->at[i + 1])))
            ends[n++] = i;
    while (n < MARKED_TURNS)
        ends[n++] = SIZE_MAX;
}

/* Merges neighbouring messages of the same side, because sides must alternate. */
static void write_messages(skn_wire_request *r, skn_jw *w, const skein_context *c)
{
    size_t i = 0, ends[MARKED_TURNS];

    find_ends(c, ends);
    while (c && i < c->count) {
        bool assistant = by_assistant(&c->at[i]);

        if (says_nothing(&c->at[i])) {
            i++;
            continue;
        }
        skn_jw_object(w);
        skn_jw_kstr(w, "role", assistant ? SKN_STR("assistant") : SKN_STR("user"));
        skn_jw_key(w, "content");
        skn_jw_array(w);
        for (; i < c->count && by_assistant(&c->at[i]) == assistant; i++)
            write_blocks(r, w, &c->at[i], i == ends[0] || i == ends[1]);
        skn_jw_array_end(w);
        skn_jw_object_end(w);
        skn_wire_cut(r);
    }
}

static void write_tools(skn_jw *w, const skn_ask *what)
{
    if (!what->tool_count)
        return;
    skn_jw_key(w, "tools");
    skn_jw_array(w);
    for (size_t i = 0; i < what->tool_count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "name", what->tools[i].name);
        if (what->tools[i].description.n)
            skn_jw_kstr(w, "description", what->tools[i].description);
        skn_jw_key(w, "input_schema");
        skn_wire_write_schema(w, what->tools[i].schema);
        if (i + 1 == what->tool_count)
            write_mark(w);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

static void write_system(skn_jw *w, skn_str prompt)
{
    if (!prompt.n)
        return;
    skn_jw_key(w, "system");
    skn_jw_array(w);
    write_text(w, prompt, true);
    skn_jw_array_end(w);
}

/* Claude refuses to think if the thinking before its last calls is missing: another model may have made them, or Claude itself
 * before thinking was switched on. The request then goes without thinking. */
static bool may_think(skn_wire_request *r, const skein_context *c)
{
    size_t i = c ? c->count : 0;

    while (i && !by_assistant(&c->at[i - 1]))
        i--;
    return !i || !c->at[i - 1].call_count || skn_wire_reasons(r, &c->at[i - 1]);
}

/* More than the window has left is refused. */
static void fit_tokens(int64_t left, int64_t *most, int64_t *thinking)
{
    if (left <= 0 || *most + *thinking <= left)
        return;
    if (*thinking && *most > left / 2)
        *most = left / 2;
    if (*thinking > left - *most)
        *thinking = left - *most < LEAST_THINKING ? 0 : left - *most;
    if (*most > left)
        *most = left;
}

/* Thinking is requested in addition to the answer, and excludes other temperatures. */
static void write_options(skn_wire_request *r, skn_jw *w, const skn_ask *what)
{
    static const skn_wire_name stop[] = {{"stop", "stop_sequences"}, {NULL, NULL}};
    static const skn_wire_name top[] = {{"topP", "top_p"}, {NULL, NULL}};
    const skn_json            *schema = skn_wire_setting(what, "schema");
    int64_t                    thinking = may_think(r, what->context)
                                              ? skn_thinking_beside(&skn_wire_anthropic, what->settings)
                                              : 0;
    int64_t                    most = what->most_tokens > 0 ? what->most_tokens : MOST_TOKENS;

    fit_tokens(what->left, &most, &thinking);
    skn_jw_kint(w, "max_tokens", most + thinking);
    if (thinking) {
        skn_jw_key(w, "thinking");
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("enabled"));
        skn_jw_kint(w, "budget_tokens", thinking);
        skn_jw_object_end(w);
    } else {
        if (what->temperature >= 0) {
            skn_jw_key(w, "temperature");
            skn_jw_double(w, what->temperature);
        }
        skn_wire_write_settings(w, what, top);
    }
    skn_wire_write_settings(w, what, stop);
    if (schema) {
        skn_jw_key(w, "output_config");
        skn_jw_object(w);
        skn_jw_key(w, "format");
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("json_schema"));
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
    write_tools(&w, what);
    write_system(&w, what->system_prompt);
    skn_jw_key(&w, "messages");
    skn_jw_array(&w);
    skn_wire_cut(r);
    write_messages(r, &w, what->context);
    skn_jw_array_end(&w);
    write_options(r, &w, what);
    skn_jw_object_end(&w);
    skn_wire_cut(r);
}

/* --- Reading ------------------------------------------------------------------------------------ */

static void read_usage(skn_wire_answer *w, const skn_json *usage)
{
    static const char *const parts[] = {"input_tokens", "cache_creation_input_tokens",
                                        "cache_read_input_tokens"};
    int64_t                  in = -1, of[3], out = skn_wire_tokens(usage, "output_tokens");

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        of[i] = skn_wire_tokens(usage, parts[i]);
        if (of[i] >= 0)
            in = (in < 0 ? 0 : in) + of[i];
    }
    if (in > w->tokens_in) { /* the last event may repeat only a part */
        w->tokens_in = in;
        w->tokens_written = of[1] > 0 ? of[1] : 0;
        w->tokens_cached = of[2] > 0 ? of[2] : 0;
    }
    if (out >= 0)
        w->tokens_out = out;
}

static void read_thought(skn_wire_answer *w, skn_str text, skn_str signature)
{
    skn_wire_text(w, SKN_PART_THINKING, text);
    skn_wire_thought(w, "thinking", text);
    skn_buf_add(&w->reason_signature, signature);
}

/* Thinking is sent back unchanged: a server refuses a signed block that lacks a byte. */
static void end_thought(skn_wire_answer *w)
{
    skn_wire_thought_end(w, (int64_t)w->calls.n, "thinking");
}

static void read_stop(skn_wire_answer *w, skn_str reason)
{
    end_thought(w);
    if (!reason.p)
        return;
    if (skn_str_is(reason, "tool_use"))
        w->finish = "tool";
    else if (skn_str_is(reason, "max_tokens") || skn_str_is(reason, "pause_turn") ||
             skn_str_is(reason, "model_context_window_exceeded"))
        w->finish = "length";
    else
        w->finish = "stop";
    if (skn_str_is(reason, "refusal") && !w->text_bytes)
        skn_wire_fail(w, SKN_ASK_REFUSED, SKN_STR("the model refused to answer"));
}

static void begin_call(skn_wire_answer *w, int64_t index, const skn_json *block)
{
    skn_wire_call  *call = skn_wire_call_at(w, index);
    const skn_json *input = skn_json_get(block, "input");

    if (!call)
        return;
    call->id = skn_arena_copy(w->a, skn_json_str(block, "id"));
    call->name = skn_arena_copy(w->a, skn_json_str(block, "name"));
    if (input && input->kind == SKN_JSON_OBJECT && input->count)
        skn_wire_args(w, call, input->raw);
}

static void read_block(skn_wire_answer *w, int64_t index, const skn_json *block)
{
    skn_str type = skn_json_str(block, "type");

    end_thought(w);
    if (skn_str_is(type, "text"))
        skn_wire_text(w, SKN_PART_TEXT, skn_json_str(block, "text"));
    else if (skn_str_is(type, "thinking"))
        read_thought(w, skn_json_str(block, "thinking"), skn_json_str(block, "signature"));
    else if (skn_str_is(type, "redacted_thinking"))
        skn_wire_reason(w, (int64_t)w->calls.n, block->raw);
    else if (skn_str_is(type, "tool_use"))
        begin_call(w, index, block);
}

static void read_delta(skn_wire_answer *w, int64_t index, const skn_json *delta)
{
    skn_str        type = skn_json_str(delta, "type");
    skn_wire_call *call;

    if (skn_str_is(type, "text_delta"))
        skn_wire_text(w, SKN_PART_TEXT, skn_json_str(delta, "text"));
    else if (skn_str_is(type, "thinking_delta"))
        read_thought(w, skn_json_str(delta, "thinking"), SKN_NONE);
    else if (skn_str_is(type, "signature_delta"))
        read_thought(w, SKN_NONE, skn_json_str(delta, "signature"));
    else if (skn_str_is(type, "input_json_delta") && index >= 0 &&
             (call = skn_wire_call_at(w, index)))
        skn_wire_args(w, call, skn_json_str(delta, "partial_json"));
}

static void read_error(skn_wire_answer *w, const skn_json *v)
{
    skn_str words = skn_wire_error_text(v, w->scratch);

    skn_wire_fail(w, skn_wire_state_of(0, words), words);
}

static void read_typed(skn_wire_answer *w, skn_str type, const skn_json *v)
{
    int64_t index = skn_wire_int(v, "index");

    if (skn_str_is(type, "content_block_delta")) {
        read_delta(w, index, skn_json_get(v, "delta"));
    } else if (skn_str_is(type, "content_block_start")) {
        read_block(w, index, skn_json_get(v, "content_block"));
    } else if (skn_str_is(type, "content_block_stop")) {
        end_thought(w);
    } else if (skn_str_is(type, "message_start")) {
        read_usage(w, skn_json_get(skn_json_get(v, "message"), "usage"));
    } else if (skn_str_is(type, "message_delta")) {
        read_usage(w, skn_json_get(v, "usage"));
        read_stop(w, skn_json_str(skn_json_get(v, "delta"), "stop_reason"));
    } else if (skn_str_is(type, "message_stop")) {
        w->ended = true;
    } else if (skn_str_is(type, "error")) {
        read_error(w, v);
    }
}

static bool read_event(skn_wire_answer *w, skn_str event, skn_str data)
{
    const skn_json *v = skn_wire_parse(data, w->scratch);
    skn_str         type = skn_json_str(v, "type");
    bool            ok = v && v->kind == SKN_JSON_OBJECT;

    if (ok)
        read_typed(w, type.p ? type : event, v);
    return ok;
}

static void read_content(skn_wire_answer *w, const skn_json *v)
{
    int64_t index = 0;

    for (const skn_json *b = skn_wire_first(v, "content"); b; b = b->next)
        read_block(w, index++, b);
    read_usage(w, skn_json_get(v, "usage"));
    read_stop(w, skn_json_str(v, "stop_reason"));
    w->ended = true;
}

static bool read_whole(skn_wire_answer *w, skn_str body)
{
    const skn_json *v = skn_wire_parse(body, w->scratch);
    bool            failed = skn_json_get(v, "error") != NULL;
    bool            ok = failed || skn_json_get(v, "content");

    if (failed)
        read_error(w, v);
    else if (ok)
        read_content(w, v);
    return ok;
}

static bool read_models(skn_str body, skn_arena *a, skn_models *out)
{
    const skn_json *v = skn_wire_parse(body, a), *data = skn_json_get(v, "data");
    skn_model      *list;

    if (!data || data->kind != SKN_JSON_ARRAY)
        return false;
    list = SKN_ARRAY(a, data->count + 1, skn_model);
    for (const skn_json *m = data->first; m; m = m->next) {
        int64_t window = skn_wire_int(m, "max_input_tokens");

        if (skn_json_str(m, "id").n)
            list[out->count++] = (skn_model){skn_json_str(m, "id"), window > 0 ? window : 0};
    }
    out->at = list;
    return true;
}

const skn_wire_format skn_wire_anthropic = {
    .word = "anthropic",
    .path = "/v1/messages",
    .models_path = "/v1/models?limit=1000",
    .headers = headers,
    .thinks_beside = LEAST_THINKING,
    .write = write_request,
    .read = read_event,
    .whole = read_whole,
    .error_words = skn_wire_error_words,
    .models = read_models,
};
