/* OpenAI's Responses. The server stores nothing ("store": false): a request is a list of items, and so is an answer.
 * Reasoning comes encrypted, as items before the calls that it led to. */
#include "provider/wire_json.h"

/* --- Writing ------------------------------------------------------------------------------------ */

static void write_said(skn_jw *w, skn_str role, skn_str text)
{
    if (!text.n)
        return;
    skn_jw_object(w);
    skn_jw_kstr(w, "role", role);
    skn_jw_kstr(w, "content", text);
    skn_jw_object_end(w);
}

static void write_item(skn_jw *w, const char *type, skn_str call)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "type", skn_str_of(type));
    skn_jw_kstr(w, "call_id", call);
}

static void write_own(skn_wire_request *r, skn_jw *w, const skein_prompt_message *m)
{
    const skn_json *reasons = skn_wire_reasons(r, m);

    skn_wire_write_parts(w, reasons, 0);
    write_said(w, SKN_STR("assistant"), m->text);
    for (size_t i = 0; i < m->call_count; i++) {
        if (i)
            skn_wire_write_parts(w, reasons, (int64_t)i);
        write_item(w, "function_call", m->calls[i].call_id);
        skn_jw_kstr(w, "name", m->calls[i].tool_name);
        skn_jw_kstr(w, "arguments", m->calls[i].args.n ? m->calls[i].args : SKN_STR("{}"));
        skn_jw_object_end(w);
    }
}

static void write_parts(skn_jw *w, const skein_prompt_message *m)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "role", SKN_STR("user"));
    skn_jw_karray(w, "content");
    if (m->text.n) {
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("input_text"));
        skn_jw_kstr(w, "text", m->text);
        skn_jw_object_end(w);
    }
    for (size_t i = 0; i < m->file_count; i++) {
        if (!m->files[i].data.p)
            continue;
        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("input_image"));
        skn_wire_data_url(w, "image_url", &m->files[i]);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}

static void write_message(skn_wire_request *r, skn_jw *w, const skein_prompt_message *m)
{
    if (m->role == SKEIN_ASSISTANT) {
        write_own(r, w, m);
    } else if (m->role == SKEIN_TOOL) {
        write_item(w, "function_call_output", m->tool_call_id);
        skn_jw_kstr(w, "output", m->text.n ? m->text : SKN_STR(""));
        skn_jw_object_end(w);
    } else if (skn_wire_images(m)) {
        write_parts(w, m);
    } else {
        write_said(w, SKN_STR("user"), m->text);
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
        skn_jw_kstr(w, "type", SKN_STR("function"));
        skn_jw_kstr(w, "name", what->tools[i].name);
        skn_jw_kstr(w, "description", what->tools[i].description);
        skn_jw_key(w, "parameters");
        skn_wire_write_schema(w, what->tools[i].schema);
        skn_jw_kbool(w, "strict", false); /* schemas of others need not follow its rules */
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

static void write_format(skn_jw *w, const skn_json *schema)
{
    skn_jw_key(w, "text");
    skn_jw_object(w);
    skn_jw_key(w, "format");
    skn_jw_object(w);
    skn_jw_kstr(w, "type", SKN_STR("json_schema"));
    skn_jw_kstr(w, "name", SKN_STR("answer"));
    skn_jw_kbool(w, "strict", false);
    skn_jw_key(w, "schema");
    skn_jw_raw(w, schema->raw);
    skn_jw_object_end(w);
    skn_jw_object_end(w);
}

/* Models without reasoning refuse requests for it. */
static bool reasons(skn_str model)
{
    return !skn_str_starts(model, SKN_STR("gpt-3")) &&
           !skn_str_starts(model, SKN_STR("gpt-4")) &&
           !skn_str_starts(model, SKN_STR("chatgpt"));
}

static void write_options(skn_jw *w, const skn_ask *what)
{
    static const skn_wire_name names[] = {{"topP", "top_p"}, {NULL, NULL}};
    const skn_json            *schema = skn_wire_setting(what, "schema");
    skn_str                    effort = skn_wire_effort(what);

    if (what->temperature >= 0) {
        skn_jw_key(w, "temperature");
        skn_jw_double(w, what->temperature);
    }
    skn_wire_write_settings(w, what, names);
    if (what->most_tokens > 0)
        skn_jw_kint(w, "max_output_tokens", what->most_tokens);
    if (effort.n) {
        skn_jw_key(w, "reasoning");
        skn_jw_object(w);
        skn_jw_kstr(w, "effort", effort);
        skn_jw_object_end(w);
    }
    if (schema)
        write_format(w, schema);
}

static void write_request(skn_wire_request *r, const skn_ask *what)
{
    const skein_context *c = what->context;
    skn_jw               w;

    skn_jw_init(&w, &r->body);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "model", what->model);
    skn_jw_kbool(&w, "stream", true);
    skn_jw_kbool(&w, "store", false);
    if (reasons(what->model)) {
        skn_jw_key(&w, "include");
        skn_jw_raw(&w, SKN_STR("[\"reasoning.encrypted_content\"]"));
    }
    write_tools(&w, what);
    if (what->system_prompt.n)
        skn_jw_kstr(&w, "instructions", what->system_prompt);
    skn_jw_key(&w, "input");
    skn_jw_array(&w);
    skn_wire_cut(r);
    for (size_t i = 0; c && i < c->count; i++) {
        skein_prompt_message images = {.role = SKEIN_USER};

        write_message(r, &w, &c->at[i]);
        if (skn_wire_results_end(c, i, r->a, &images))
            write_message(r, &w, &images);
        skn_wire_cut(r);
    }
    skn_jw_array_end(&w);
    write_options(&w, what);
    skn_jw_object_end(&w);
    skn_wire_cut(r);
}

/* --- Reading ------------------------------------------------------------------------------------ */

static void read_end(skn_wire_answer *w, const skn_json *response)
{
    skn_str reason = skn_json_str(skn_json_get(response, "incomplete_details"), "reason");

    skn_wire_usage(w, skn_json_get(response, "usage"));
    w->finish = reason.n || skn_str_is(skn_json_str(response, "status"), "incomplete")
                    ? "length"
                : w->calls.n ? "tool"
                             : "stop";
    if (skn_str_is(reason, "content_filter"))
        skn_wire_fail(w, SKN_ASK_REFUSED,
                      SKN_STR("the answer was stopped by the content filter"));
    w->ended = true;
}

static void read_error(skn_wire_answer *w, const skn_json *error)
{
    skn_str message = skn_json_str(error, "message"), code = skn_json_str(error, "code");
    skn_str words = skn_arena_printf(w->scratch, "%.*s%s%.*s%s", SKN_FMT(message),
                                     code.n ? " (" : "", SKN_FMT(code), code.n ? ")" : "");

    skn_wire_fail(w, skn_wire_state_of(0, words), words);
}

static void begin_call(skn_wire_answer *w, int64_t index, const skn_json *item)
{
    skn_wire_call *call = skn_wire_call_at(w, index);

    if (!call)
        return;
    call->id = skn_arena_copy(w->a, skn_json_str(item, "call_id"));
    call->name = skn_arena_copy(w->a, skn_json_str(item, "name"));
}

/* Ends an item: the arguments of a call count as they are here. */
static void end_item(skn_wire_answer *w, int64_t index, const skn_json *item)
{
    skn_str        type = skn_json_str(item, "type");
    skn_wire_call *call;

    if (skn_str_is(type, "reasoning")) {
        skn_wire_reason(w, (int64_t)w->calls.n, item->raw);
    } else if (skn_str_is(type, "function_call") && (call = skn_wire_call_at(w, index))) {
        begin_call(w, index, item);
        skn_buf_clear(&call->args);
        skn_wire_args(w, call, skn_json_str(item, "arguments"));
    }
}

static void read_delta(skn_wire_answer *w, skn_str type, int64_t index, skn_str delta)
{
    skn_wire_call *call;

    if (skn_str_is(type, "response.output_text.delta") ||
        skn_str_is(type, "response.refusal.delta"))
        skn_wire_text(w, SKN_PART_TEXT, delta);
    else if (skn_str_is(type, "response.reasoning_summary_text.delta") ||
             skn_str_is(type, "response.reasoning_text.delta"))
        skn_wire_text(w, SKN_PART_THINKING, delta);
    else if (skn_str_is(type, "response.function_call_arguments.delta") && index >= 0 &&
             (call = skn_wire_call_at(w, index)))
        skn_wire_args(w, call, delta);
}

static void read_typed(skn_wire_answer *w, skn_str type, const skn_json *v)
{
    const skn_json *item = skn_json_get(v, "item"), *response = skn_json_get(v, "response");
    int64_t         index = skn_wire_int(v, "output_index");

    if (skn_str_ends(type, SKN_STR(".delta")))
        read_delta(w, type, index, skn_json_str(v, "delta"));
    else if (skn_str_is(type, "response.output_item.added") &&
             skn_str_is(skn_json_str(item, "type"), "function_call"))
        begin_call(w, index, item);
    else if (skn_str_is(type, "response.output_item.done"))
        end_item(w, index, item);
    else if (skn_str_is(type, "response.completed") || skn_str_is(type, "response.incomplete"))
        read_end(w, response);
    else if (skn_str_is(type, "response.failed"))
        read_error(w, skn_json_get(response, "error"));
    else if (skn_str_is(type, "error"))
        read_error(w, skn_json_get(v, "error") ? skn_json_get(v, "error") : v);
}

static bool read_event(skn_wire_answer *w, skn_str event, skn_str data)
{
    const skn_json *v;
    skn_str         type;

    if (skn_str_is(skn_str_trim(data), "[DONE]")) /* gateways end with it */
        return true;
    v = skn_wire_parse(data, w->scratch);
    if (!v || v->kind != SKN_JSON_OBJECT)
        return false;
    type = skn_json_str(v, "type");
    read_typed(w, type.n ? type : event, v);
    return true;
}

static bool read_whole(skn_wire_answer *w, skn_str body)
{
    const skn_json *v = skn_wire_parse(body, w->scratch), *error = skn_json_get(v, "error");
    int64_t         index = 0;

    if (error && error->kind == SKN_JSON_OBJECT) {
        read_error(w, error);
        return true;
    }
    if (!skn_json_get(v, "output"))
        return false;
    for (const skn_json *item = skn_wire_first(v, "output"); item; item = item->next) {
        for (const skn_json *part = skn_wire_first(item, "content"); part; part = part->next)
            skn_wire_text(w, SKN_PART_TEXT, skn_json_str(part, "text"));
        end_item(w, index++, item);
    }
    read_end(w, v);
    return true;
}

/* --- Errors and models, as elsewhere on that server ----------------------------------------------- */

static skn_str error_words(skn_str body, skn_arena *a)
{
    return skn_wire_openai.error_words(body, a);
}

static bool read_models(skn_str body, skn_arena *a, skn_models *out)
{
    return skn_wire_openai.models(body, a, out);
}

const skn_wire_format skn_wire_responses = {
    .word = "openai-responses",
    .path = "/responses",
    .models_path = "/models",
    .headers = skn_wire_bearer,
    .write = write_request,
    .read = read_event,
    .whole = read_whole,
    .error_words = error_words,
    .models = read_models,
};
