/* Tools that only read. Their results are JSON, or plain text if that was requested. */
#include "runtime/run.h"

#include "base/json_write.h"
#include "base/utf8.h"

enum {
    RESULT_BYTES = 256 << 10,
    RECALL_MOST = 50,
    SEARCH_MOST = 20,
    SNIPPET_BYTES = 400,
    TASKS_MOST = 5,
    QUERY_BYTES = 200
};

static skn_str fail(skn_run *run, const skein_error *err, bool *failed)
{
    *failed = true;
    return skn_arena_copy(run->a, skn_str_of(err->message));
}

/* Builds a JSON list and returns it as text. */
typedef struct list {
    skn_buf buf;
    skn_jw  w;
} list;

static void list_open(list *l)
{
    skn_buf_init(&l->buf, RESULT_BYTES);
    skn_jw_init(&l->w, &l->buf);
    skn_jw_array(&l->w);
}

static skn_str list_close(list *l, skn_run *run)
{
    skn_str text;

    skn_jw_array_end(&l->w);
    text = l->buf.over ? SKN_STR("there is more than can be shown; ask for less")
                       : skn_arena_copy(run->a, skn_buf_str(&l->buf));
    skn_buf_release(&l->buf);
    return text;
}

/* --- Agents ------------------------------------------------------------------------------------------- */

skn_str skn_read_agents(skn_run *run, const skn_json *args, bool *failed)
{
    skein_engine *e = run->r->o.engine;
    skein_agents  all;
    skein_turns   turns;
    skein_error   err;
    list          l;

    (void)args;
    if (skein_agent_list(e, run->turn.world, run->a, &all, &err) ||
        skein_turns_open(e, run->turn.world, (skein_conversation_id){0}, run->a, &turns, &err))
        return fail(run, &err, failed);
    list_open(&l);
    for (size_t i = 0; i < all.count; i++) {
        bool busy = false;

        for (size_t k = 0; k < turns.count; k++)
            busy |= turns.at[k].agent.v == all.at[i].id.v;
        skn_jw_object(&l.w);
        skn_jw_kstr(&l.w, "name", all.at[i].name);
        skn_jw_kstr(&l.w, "lead", all.at[i].lead_name);
        skn_jw_kbool(&l.w, "atWork", busy);
        skn_jw_kbool(&l.w, "you", all.at[i].id.v == run->agent.v);
        skn_jw_object_end(&l.w);
    }
    return list_close(&l, run);
}

static skein_rc write_member(skn_run *run, list *l, const skein_agent *agent, skein_error *err)
{
    skein_tasks tasks;
    skein_rc    rc = skein_task_list(run->r->o.engine, agent->id, SKN_NONE, TASKS_MOST, run->a,
                                     &tasks, err);

    if (rc)
        return rc;
    skn_jw_object(&l->w);
    skn_jw_kstr(&l->w, "name", agent->name);
    skn_jw_key(&l->w, "tasks");
    skn_jw_array(&l->w);
    for (size_t i = 0; i < tasks.count; i++) {
        const skein_task *t = &tasks.at[i];

        skn_jw_object(&l->w);
        skn_jw_kstr(&l->w, "id", t->uid);
        skn_jw_kstr(&l->w, "task", skn_utf8_cut(t->content, SNIPPET_BYTES));
        skn_jw_kstr(&l->w, "status", t->running ? SKN_STR("running") : t->status);
        skn_jw_kstr(&l->w, "result", skn_utf8_cut(t->result, SNIPPET_BYTES));
        skn_jw_kstr(&l->w, "lastError", t->last_error);
        skn_jw_object_end(&l->w);
    }
    skn_jw_array_end(&l->w);
    skn_jw_object_end(&l->w);
    return SKEIN_OK;
}

skn_str skn_read_team(skn_run *run, const skn_json *args, bool *failed)
{
    skein_agents all;
    skein_error  err;
    skn_str      text;
    list         l;
    skein_rc     rc;

    (void)args;
    if (skein_agent_list(run->r->o.engine, run->turn.world, run->a, &all, &err))
        return fail(run, &err, failed);
    list_open(&l);
    rc = SKEIN_OK;
    for (size_t i = 0; i < all.count && !rc; i++)
        if (all.at[i].lead.v == run->agent.v)
            rc = write_member(run, &l, &all.at[i], &err);
    text = list_close(&l, run);
    return rc ? fail(run, &err, failed) : text;
}

/* --- Messages and knowledge ----------------------------------------------------------------------------- */

skn_str skn_read_recall(skn_run *run, const skn_json *args, bool *failed)
{
    skein_knowledges items;
    skn_str          words = SKN_NONE;
    skein_error      err;
    list             l;

    if (skn_json_text(args, "words", &words, &err) ||
        skein_knowledge_list(run->r->o.engine, run->agent, words, RECALL_MOST, run->a, &items,
                             &err))
        return fail(run, &err, failed);
    list_open(&l);
    for (size_t i = 0; i < items.count; i++) {
        skn_jw_object(&l.w);
        skn_jw_kstr(&l.w, "id", items.at[i].uid);
        skn_jw_kstr(&l.w, "type", items.at[i].type);
        skn_jw_kstr(&l.w, "content", items.at[i].content);
        skn_jw_kint(&l.w, "confidencePercent", items.at[i].confidence);
        skn_jw_object_end(&l.w);
    }
    return list_close(&l, run);
}

skn_str skn_read_search(skn_run *run, const skn_json *args, bool *failed)
{
    skein_search_request what = {.world = run->turn.world, .limit = SEARCH_MOST};
    skein_hits           hits;
    skein_error          err;
    list                 l;

    if (skn_json_text(args, "query", &what.query, &err) ||
        skein_search(run->r->o.engine, &what, run->a, &hits, &err))
        return fail(run, &err, failed);
    list_open(&l);
    for (size_t i = 0; i < hits.count; i++) {
        skn_jw_object(&l.w);
        skn_jw_kstr(&l.w, "messageId", hits.at[i].message.uid);
        skn_jw_kstr(&l.w, "sender", hits.at[i].message.sender);
        skn_jw_kstr(&l.w, "text", skn_utf8_cut(hits.at[i].message.content, SNIPPET_BYTES));
        skn_jw_kbool(&l.w, "inCurrentVersion", hits.at[i].in_current);
        skn_jw_object_end(&l.w);
    }
    return list_close(&l, run);
}

/* --- Shortened texts --------------------------------------------------------------------------------------- */

/* Returns a piece that is short enough to be sent whole. */
skn_str skn_read_result(skn_run *run, const skn_json *args, bool *failed)
{
    size_t             most = run->most ? (size_t)run->most * 3 / 4 : RESULT_BYTES;
    skn_str            id = SKN_NONE, text;
    skein_message      m;
    skein_conversation home;
    int64_t            from = 0;
    size_t             to;
    skein_error        err;

    if (skn_json_text(args, "id", &id, &err) || skn_json_int(args, "from", 0, &from, &err) ||
        skein_message_in_world(run->r->o.engine, run->turn.world, id, run->a, &m, &home, &err))
        return fail(run, &err, failed);
    if (from < 0 || (size_t)from > m.content.n)
        from = 0;
    while ((size_t)from < m.content.n && ((unsigned char)m.content.p[from] & 0xc0) == 0x80)
        from++;
    text = skn_utf8_cut(skn_str_sub(m.content, (size_t)from, m.content.n), most);
    to = (size_t)from + text.n;
    if (to == m.content.n)
        return skn_arena_printf(run->a, "%.*s\n[that is the end]", SKN_FMT(text));
    return skn_arena_printf(run->a, "%.*s\n[bytes %lld to %zu of %zu; read on from %zu]",
                            SKN_FMT(text), (long long)from, to, m.content.n, to);
}

/* --- Files ------------------------------------------------------------------------------------------------- */

static skein_rc read_items(const skn_json *args, skn_arena *a, skein_file_spec *spec,
                           skein_error *err)
{
    const skn_json *wanted = skn_json_get(args, "items");
    skn_str        *items;

    spec->read_full = !wanted || wanted->kind == SKN_JSON_NULL || wanted->count == 0;
    if (spec->read_full)
        return SKEIN_OK;
    if (wanted->kind != SKN_JSON_ARRAY)
        return skn_fail(err, SKEIN_INVALID, "\"items\" must be a list of texts");
    items = SKN_ARRAY(a, wanted->count, skn_str);
    for (const skn_json *v = wanted->first; v; v = v->next) {
        if (v->kind != SKN_JSON_STRING)
            return skn_fail(err, SKEIN_INVALID, "\"items\" must be a list of texts");
        items[spec->item_count++] = v->text;
    }
    spec->items = items;
    return SKEIN_OK;
}

skn_str skn_read_context(skn_run *run, const skn_json *args, bool *failed)
{
    skein_file_spec  spec = {0};
    skein_file_parts parts;
    skein_error      err;
    skn_buf          b;
    skn_str          text;

    if (!run->r->o.files) {
        *failed = true;
        return SKN_STR("agents cannot read files on this server");
    }
    if (skn_json_text(args, "path", &spec.path, &err) ||
        read_items(args, run->a, &spec, &err) ||
        skein_files_read(&parts, run->r->o.files, &spec, RESULT_BYTES, run->a, &err))
        return fail(run, &err, failed);
    skn_buf_init(&b, RESULT_BYTES * 2);
    for (size_t i = 0; i < parts.count; i++) {
        if (parts.at[i].item.p)
            skn_buf_addf(&b, "%s%.*s, lines %zu to %zu:\n", i ? "\n" : "",
                         SKN_FMT(parts.at[i].item), parts.at[i].first_line,
                         parts.at[i].last_line);
        skn_buf_add(&b, parts.at[i].text);
    }
    text = skn_arena_copy(run->a, skn_buf_str(&b));
    skn_buf_release(&b);
    return text;
}

/* --- The demo's tool ----------------------------------------------------------------------------------------- */

skn_str skn_read_demo(skn_run *run, const skn_json *args, bool *failed)
{
    skn_str     query = SKN_NONE;
    skein_error err;

    if (skn_json_text(args, "query", &query, &err)) {
        *failed = true;
        return skn_arena_printf(run->a, "demo data: the arguments cannot be read: %s",
                                err.message);
    }
    query = skn_utf8_cut(skn_str_trim(query), QUERY_BYTES);
    return skn_arena_printf(
        run->a, "demo data, made up: \"%.*s\" is known here only by name; no source was asked",
        SKN_FMT(query));
}
