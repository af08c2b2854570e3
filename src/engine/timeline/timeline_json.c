#include "base/error.h"
#include "engine/timeline/timeline.h"
#include "engine/timeline/timeline_state.h"

const char *skein_item_kind_name(skein_item_kind kind)
{
    static const char *const names[] = {
        [SKEIN_ITEM_USER_MESSAGE] = "user_message",
        [SKEIN_ITEM_AGENT_MESSAGE] = "agent_message",
        [SKEIN_ITEM_THINKING] = "thinking",
        [SKEIN_ITEM_SYSTEM_MESSAGE] = "system_message",
        [SKEIN_ITEM_TOOL_EXECUTION] = "tool_execution",
        [SKEIN_ITEM_ORPHAN_RESULT] = "orphan_result",
        [SKEIN_ITEM_SUMMARY] = "summary",
        [SKEIN_ITEM_EPHEMERAL] = "ephemeral",
    };

    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

/* JSON text goes out as it came in. */
static void write_raw(skn_jw *w, const char *key, skn_str json)
{
    skn_jw_key(w, key);
    if (json.p)
        skn_jw_raw(w, json);
    else
        skn_jw_null(w);
}

static void write_head(skn_jw *w, const skein_record *r, skein_item_kind kind)
{
    skn_jw_kstr(w, "kind", skn_str_of(skein_item_kind_name(kind)));
    skn_jw_kstr(w, "id", r->id);
    skn_jw_kstr(w, "messageId", r->message_id);
    skn_jw_ktime(w, "at", r->at);
    skn_jw_kgiven(w, "turnId", r->turn_id);
    skn_jw_kgiven(w, "sender", r->sender);
}

static void write_result(skn_jw *w, const skein_record *r)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", r->id);
    skn_jw_kstr(w, "messageId", r->message_id);
    skn_jw_ktime(w, "at", r->at);
    if (r->output.p)
        write_raw(w, "output", r->output);
    else
        skn_jw_kstr(w, "output", r->text);
    skn_jw_kbool(w, "success", !r->failed);
    skn_jw_kstr(w, "error", r->error);
    skn_jw_kgiven(w, "threadId", r->child);
    skn_jw_object_end(w);
}

static void write_call(skn_jw *w, const skein_timeline_item *item)
{
    skn_jw_kobject(w, "call");
    skn_jw_kstr(w, "callId", item->record.call_id);
    skn_jw_kstr(w, "toolName", item->record.tool_name);
    write_raw(w, "input", item->record.input);
    skn_jw_kint(w, "occurrence", item->occurrence);
    skn_jw_object_end(w);
}

static void write_execution(skn_jw *w, const skein_timeline *t, size_t index,
                            const skein_timeline_item *item)
{
    write_call(w, item);
    skn_jw_key(w, "result");
    if (item->answered)
        write_result(w, &item->result);
    else
        skn_jw_null(w);
    skn_jw_karray(w, "duplicates");
    for (uint32_t i = 0; i < item->duplicate_count; i++) {
        skein_record r = skein_timeline_duplicate(t, index, i);

        write_result(w, &r);
    }
    skn_jw_array_end(w);
    skn_jw_kstr(w, "delegation", item->delegation);
    if (item->guessed)
        skn_jw_kbool(w, "guessed", true);
}

static void write_text(skn_jw *w, const skein_timeline_item *item)
{
    if (item->kind == SKEIN_ITEM_SYSTEM_MESSAGE)
        skn_jw_kstr(w, "eventType", skn_str_of(skein_record_type_name(item->record.type)));
    skn_jw_kstr(w, "content", item->text);
    if (item->record.unfinished == SKEIN_STOPPED)
        skn_jw_kbool(w, "stopped", true);
    if (item->record.unfinished)
        skn_jw_kstr(w, "unfinished",
                    skn_str_of(skein_unfinished_name(item->record.unfinished)));
    if (!item->split)
        return;
    skn_jw_kint(w, "part", item->part);
    if (item->source.n != item->text.n)
        skn_jw_kstr(w, "source", item->source);
}

static void write_item(skn_jw *w, const skein_timeline *t, size_t index)
{
    skein_timeline_item item = skein_timeline_item_at(t, index);

    skn_jw_object(w);
    write_head(w, &item.record, item.kind);
    if (item.kind == SKEIN_ITEM_TOOL_EXECUTION) {
        write_execution(w, t, index, &item);
    } else if (item.kind == SKEIN_ITEM_ORPHAN_RESULT) {
        skn_jw_kstr(w, "callId", item.record.call_id);
        skn_jw_key(w, "result");
        write_result(w, &item.record);
    } else {
        write_text(w, &item);
    }
    skn_jw_object_end(w);
}

static void write_ephemeral(skn_jw *w, const skein_ephemeral *e)
{
    skein_record r = {.at = e->at, .turn_id = e->turn_id};

    skn_jw_object(w);
    write_head(w, &r, SKEIN_ITEM_EPHEMERAL);
    skn_jw_kstr(w, "content", e->text);
    skn_jw_object_end(w);
}

/* All of a Timeline up to "delegations"; its object is left open. */
static void write_open(skn_jw *w, const skein_timeline_view *v, size_t after)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "lane", v->timeline->key);
    skn_jw_karray(w, "items");
    for (size_t i = after; i < v->item_count; i++)
        write_item(w, v->timeline, i);
    for (size_t i = 0; i < v->ephemeral_count; i++)
        write_ephemeral(w, &v->ephemeral[i]);
    skn_jw_array_end(w);
    skn_jw_kobject(w, "counts");
    skn_jw_kint(w, "events", (int64_t)v->event_count);
    skn_jw_kint(w, "items", (int64_t)v->item_count);
    skn_jw_kint(w, "messages", (int64_t)v->message_count);
    skn_jw_object_end(w);
    skn_jw_ktime(w, "lastActivityAt", v->last_activity_at);
    skn_jw_kstr(w, "version", v->version);
    skn_jw_key(w, "delegations");
}

void skn_timeline_write_json(skn_jw *w, const skein_timeline_view *v, size_t after)
{
    write_open(w, v, after);
    skn_jw_object(w);
    skn_jw_object_end(w);
    skn_jw_object_end(w);
}

/* --- Nested ------------------------------------------------------------------------------- */

/* The writer's brackets have a depth limit and lanes have none: each Timeline gets a writer
 * of its own, and the brackets between them are closed by the walk. */
static void open_nested(skn_buf *out, const skein_timeline_view *v, size_t after)
{
    skn_jw w;

    skn_jw_init(&w, out);
    write_open(&w, v, after);
    skn_buf_addc(out, '{');
}

static void open_child(skn_buf *out, const skein_timeline *t, skn_arena *scratch)
{
    skein_timeline_view v = skein_build_timeline(t, NULL, 0, scratch);
    skn_jw              w;

    if (t != t->parent->first_child)
        skn_buf_addc(out, ',');
    skn_jw_init(&w, out);
    skn_jw_str(&w, t->key);
    skn_buf_addc(out, ':');
    open_nested(out, &v, 0);
}

void skn_timeline_write_nested(skn_jw *w, const skein_timeline_view *v, size_t after,
                               skn_arena *scratch)
{
    const skein_timeline *root = v->timeline, *t = root;

    skn_links_settle(root->set);
    skn_jw_raw(w, SKN_STR("")); /* the comma, if one is due */
    open_nested(w->out, v, after);
    while (t) {
        if (t->first_child) {
            t = t->first_child;
            open_child(w->out, t, scratch);
            continue;
        }
        for (;; t = t->parent) {
            skn_buf_add(w->out, SKN_STR("}}"));
            if (t == root || t->next_sibling)
                break;
        }
        t = t == root ? NULL : t->next_sibling;
        if (t)
            open_child(w->out, t, scratch);
    }
}

/* --- Sets --------------------------------------------------------------------------------- */

static void write_empty_main(skn_jw *w)
{
    static const char empty[] = "{\"lane\":\"main\",\"items\":[],\"counts\":{\"events\":0,"
                                "\"items\":0,\"messages\":0},\"lastActivityAt\":null,"
                                "\"version\":\"main:0:\",\"delegations\":{}}";

    skn_jw_raw(w, skn_str_of(empty));
}

static void write_flat(skn_jw *w, const skein_timeline *t, skn_arena *scratch)
{
    skein_timeline_view v = skein_build_timeline(t, NULL, 0, scratch);

    skn_timeline_write_json(w, &v, 0);
}

void skn_timelines_write_json(skn_jw *w, skein_timelines *set, skn_arena *scratch)
{
    const skein_timeline *main = skein_timelines_main(set);

    skn_jw_object(w);
    skn_jw_key(w, "mainTimeline");
    if (main)
        write_flat(w, main, scratch);
    else
        write_empty_main(w);
    skn_jw_kobject(w, "delegateTimelines");
    for (size_t i = 0; i < skein_timelines_count(set); i++) {
        const skein_timeline *t = skein_timelines_at(set, i);

        if (t == main)
            continue;
        skn_jw_key_str(w, t->key);
        write_flat(w, t, scratch);
    }
    skn_jw_object_end(w);
    skn_jw_object_end(w);
}

skein_rc skein_timelines_json(skein_timelines *set, skein_mem *mem, skein_str *out,
                              skein_error *err)
{
    skn_buf  buf;
    skn_jw   w;
    skein_rc rc = SKEIN_OK;

    *out = SKN_NONE;
    skn_jw_open(&w, &buf, SIZE_MAX);
    skn_timelines_write_json(&w, set, mem);
    if (buf.starved || !skn_arena_reserve(mem, buf.n + sizeof(max_align_t)))
        rc = skn_no_memory(err);
    else if (buf.over)
        rc = skn_fail(err, SKEIN_LIMIT, "the timelines are over %zu bytes", buf.limit);
    else
        *out = skn_arena_copy(mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return rc;
}
