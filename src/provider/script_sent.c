/* script_sent.c: what a scripted model was asked, for whoever wants to see what a model saw. It is the same
 * that another model would be sent; that the script looks at one message of it only is said in it. */
#include "base/json_write.h"
#include "provider/script.h"

#define SENT_MOST ((size_t)64 << 20)

static skn_str kept(skn_buf *b, skn_arena *a)
{
    skn_str text = skn_arena_copy(a, skn_buf_str(b));

    skn_buf_clear(b);
    return text;
}

static void write_calls(skn_jw *w, const skein_prompt_message *m)
{
    skn_jw_key(w, "toolCalls");
    skn_jw_array(w);
    for (size_t i = 0; i < m->call_count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "id", m->calls[i].call_id);
        skn_jw_kstr(w, "name", m->calls[i].tool_name);
        skn_jw_kstr(w, "args", m->calls[i].args);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

static void write_message(skn_jw *w, const skein_prompt_message *m)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "role", skn_str_of(skein_role_name(m->role)));
    skn_jw_kstr(w, "content", m->text);
    if (m->call_count)
        write_calls(w, m);
    if (m->tool_call_id.p)
        skn_jw_kstr(w, "toolCallId", m->tool_call_id);
    if (m->role == SKEIN_TOOL) {
        skn_jw_kstr(w, "name", m->tool_name);
        skn_jw_kbool(w, "failed", m->failed);
    }
    skn_jw_object_end(w);
}

static skn_str head(const skn_ask *what, skn_buf *b, skn_arena *a)
{
    skn_jw w;

    skn_buf_add(b, SKN_STR("{\"model\":"));
    skn_jw_init(&w, b);
    skn_jw_str(&w, skn_arena_printf(a, "demo/%.*s", SKN_FMT(what->model)));
    skn_buf_add(b, SKN_STR(",\"system\":"));
    skn_jw_init(&w, b);
    skn_jw_str(&w, what->system_prompt);
    skn_buf_add(b, SKN_STR(",\"messages\":["));
    return kept(b, a);
}

static skn_str tail(const skn_ask *what, const skn_script_line *line, skn_buf *b, skn_arena *a)
{
    skn_jw w;

    skn_buf_add(b, SKN_STR("],\"tools\":"));
    skn_jw_init(&w, b);
    skn_jw_array(&w);
    for (size_t i = 0; i < what->tool_count; i++)
        skn_jw_str(&w, what->tools[i].name);
    skn_jw_array_end(&w);
    skn_buf_add(b, SKN_STR(",\"looksAt\":"));
    skn_jw_init(&w, b);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "sender", line->sender);
    skn_jw_kstr(&w, "tool", line->tool);
    skn_jw_kstr(&w, "text", line->text);
    skn_jw_object_end(&w);
    skn_buf_add(b, SKN_STR(",\"note\":\"a script: canned answers to what it looks at\"}"));
    return kept(b, a);
}

void skn_script_sent(const skn_ask *what, const skn_script_line *line,
                     const skn_answer_sink *sink)
{
    size_t     count = what->context ? what->context->count : 0;
    skn_arena *a = skn_arena_new();
    skn_str   *pieces = SKN_ARRAY(a, count + 2, skn_str);
    skn_buf    b;
    skn_jw     w;

    skn_buf_init(&b, SENT_MOST);
    pieces[0] = head(what, &b, a);
    for (size_t i = 0; i < count; i++) {
        if (i)
            skn_buf_addc(&b, ',');
        skn_jw_init(&w, &b);
        write_message(&w, &what->context->at[i]);
        pieces[i + 1] = kept(&b, a);
    }
    pieces[count + 1] = tail(what, line, &b, a);
    skn_buf_release(&b);
    sink->sent(sink->arg, pieces, count + 2);
    skn_arena_free(a);
}
