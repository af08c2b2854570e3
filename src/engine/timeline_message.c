/* Stored messages as records. */
#include "base/json.h"
#include "engine/timeline.h"

/* A text as a JSON string, for what should have been JSON and is not. */
static skn_str quoted(skn_str text, skn_arena *a)
{
    skn_buf buf;
    skn_jw  w;
    skn_str out;

    skn_buf_init(&buf, SIZE_MAX);
    skn_jw_init(&w, &buf);
    skn_jw_str(&w, text);
    out = skn_arena_copy(a, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return out;
}

/* However damaged the stored arguments are, what the record says about them is JSON. */
static void read_args(skn_str args, skn_arena *a, skein_record *r)
{
    skn_arena      *scratch = skn_arena_new();
    const skn_json *v, *child;

    if (args.n > 0 && skn_json_parse(&v, args, "arguments", scratch, NULL)) {
        r->input = quoted(args, a);
    } else if (args.n > 0) {
        r->input = args;
        child = skn_json_get(v, "delegateThreadId");
        if (child && child->kind == SKN_JSON_STRING)
            r->child = skn_arena_copy(a, child->text);
    }
    skn_arena_free(scratch);
}

static skein_record record_of(const skein_message *m, skn_str lane, skein_record_type type)
{
    return (skein_record){.id = m->uid,
                          .lane = lane,
                          .type = type,
                          .at = m->created_at,
                          .message_id = m->uid,
                          .turn_id = m->turn_uid,
                          .sender = m->sender};
}

/* A message is one record if it can be; further ones get ids made from its own. */
static void add_assistant(const skein_message *m, skn_str lane, skn_arena *a, skn_records *out)
{
    skein_record r;

    if (m->thinking.n > 0) {
        r = record_of(m, lane, SKEIN_RECORD_THINKING);
        r.id = skn_arena_printf(a, "%.*s/thinking", SKN_FMT(m->uid));
        r.text = m->thinking;
        skn_vec_add(a, out, r);
    }
    if (m->content.n > 0 || (m->thinking.n == 0 && m->call_count == 0)) {
        r = record_of(m, lane, SKEIN_RECORD_AGENT_MESSAGE);
        r.text = m->content;
        r.unfinished = m->unfinished;
        skn_vec_add(a, out, r);
    }
    for (size_t i = 0; i < m->call_count; i++) {
        r = record_of(m, lane, SKEIN_RECORD_TOOL_CALL);
        r.id = skn_arena_printf(a, "%.*s/call/%zu", SKN_FMT(m->uid), i);
        r.call_id = m->calls[i].call_id;
        r.tool_name = m->calls[i].tool_name;
        read_args(m->calls[i].args, a, &r);
        skn_vec_add(a, out, r);
    }
}

void skn_records_of_message(const skein_message *m, skn_str lane, skn_arena *a,
                            skn_records *out)
{
    skein_record r = record_of(m, lane, SKEIN_RECORD_USER_MESSAGE);

    r.text = m->content;
    switch (m->role) {
    case SKEIN_USER:
        break;
    case SKEIN_ASSISTANT:
        add_assistant(m, lane, a, out);
        return;
    case SKEIN_TOOL:
        r.type = SKEIN_RECORD_TOOL_RESULT;
        r.call_id = m->tool_call_id;
        r.failed = m->tool_failed;
        break;
    case SKEIN_SUMMARY:
        r.type = SKEIN_RECORD_SUMMARY;
        break;
    case SKEIN_SYSTEM:
        r.type = SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE;
        break;
    }
    skn_vec_add(a, out, r);
}
