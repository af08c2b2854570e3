/* export_data.c: JSON: one document in the shapes of the API, or one message a line. */
#include "engine/export.h"

typedef struct writing {
    skn_exporter *x;
    skn_jw        w;
    skn_str       lane; /* absent: the main one */
} writing;

static void add_message(writing *w, const skein_message *m, const skein_message_facts *f)
{
    skein_message bare;

    if (w->x->req->redact) {
        bare = skn_export_redacted(m, w->x->slice);
        m = &bare;
    }
    skn_jw_object(&w->w);
    skn_shape_message_members(&w->w, w->x->chat.uid, m, f);
    if (w->lane.p)
        skn_jw_kstr(&w->w, "lane", w->lane);
    skn_jw_object_end(&w->w);
}

static skein_rc each_message(void *arg, const skein_message *m, const skein_message_facts *f,
                             skein_error *err)
{
    (void)err;
    add_message(arg, m, f);
    return SKEIN_OK;
}

/* --- One document ------------------------------------------------------------------------- */

static skein_rc add_threads(skn_exporter *x, skn_jw *w, skein_error *err)
{
    skein_mem     *mem = skein_mem_new();
    skein_versions all;
    skein_rc       rc = skein_history(x->e, x->chat.id, mem, &all, err);

    skn_jw_key(w, "threads");
    skn_jw_array(w);
    for (size_t i = 0; !rc && i < all.count; i++) {
        if (x->req->redact)
            all.at[i].note = SKN_NONE;
        skn_shape_thread(w, &all.at[i]);
        rc = skn_export_flush(x, err);
    }
    skn_jw_array_end(w);
    skein_mem_free(mem);
    return rc;
}

static skein_rc add_delegation(writing *w, const skein_lane *lane, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    skn_jw_object(&w->w);
    skn_jw_key(&w->w, "delegation");
    skn_shape_lane(&w->w, lane);
    if (w->x->req->delegations == SKN_DELEGATIONS_FULL) {
        skn_jw_key(&w->w, "messages");
        skn_jw_array(&w->w);
        w->lane = lane->key;
        rc = skn_export_messages(w->x, lane->key, each_message, w, err);
        w->lane = SKN_NONE;
        skn_jw_array_end(&w->w);
    }
    skn_jw_object_end(&w->w);
    return rc;
}

static skein_rc add_delegations(writing *w, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    if (w->x->req->delegations == SKN_DELEGATIONS_NONE)
        return SKEIN_OK;
    skn_jw_key(&w->w, "delegations");
    skn_jw_array(&w->w);
    for (size_t i = 0; !rc && i < w->x->lanes.count; i++)
        rc = add_delegation(w, &w->x->lanes.at[i], err);
    skn_jw_array_end(&w->w);
    return rc;
}

static skein_rc add_chat(writing *w, skein_error *err)
{
    skein_conversation chat = w->x->chat;
    skein_rc           rc;

    if (w->x->req->redact)
        chat.title = SKN_NONE;
    skn_jw_key(&w->w, "chat");
    skn_shape_chat(&w->w, &chat);
    skn_jw_kint(&w->w, "version", w->x->version.number);
    if ((rc = add_threads(w->x, &w->w, err)))
        return rc;
    skn_jw_key(&w->w, "messages");
    skn_jw_array(&w->w);
    rc = skn_export_messages(w->x, SKN_NONE, each_message, w, err);
    skn_jw_array_end(&w->w);
    return rc ? rc : add_delegations(w, err);
}

static skein_agents shown_agents(skn_exporter *x)
{
    skein_agents out = {SKN_ARRAY(x->mem, x->agents.count + 1, skein_agent), x->agents.count};

    for (size_t i = 0; i < out.count; i++) {
        out.at[i] = x->agents.at[i];
        if (x->req->redact)
            out.at[i].system_prompt = SKN_NONE;
    }
    return out;
}

/* Those that are exported: one, or all of the world. */
static skein_conversations shown_chats(skn_exporter *x)
{
    skein_conversations out = {SKN_ARRAY(x->mem, x->chats.count + 1, skein_conversation),
                               x->chats.count};

    for (size_t i = 0; i < out.count; i++) {
        out.at[i] = x->chats.at[i];
        if (x->req->redact)
            out.at[i].title = SKN_NONE;
    }
    return out;
}

static void add_world(skn_exporter *x, skn_jw *w)
{
    skein_agents        agents = shown_agents(x);
    skein_conversations chats = shown_chats(x);
    skein_world         world = x->world;

    if (x->req->redact)
        world.description = SKN_NONE;
    skn_jw_key(w, "world");
    skn_shape_world(w, &world, &agents, &chats, x->mem);
    skn_jw_key(w, "agents");
    skn_jw_array(w);
    for (size_t i = 0; i < agents.count; i++)
        skn_shape_agent(w, &agents.at[i], x->mem);
    skn_jw_array_end(w);
}

/* The document is opened before the first conversation and closed behind the last: its writer
 * has to last as long, and lives in the export's own memory. */
static skein_rc json_begin(skn_exporter *x, skein_error *err)
{
    writing *w = x->form = SKN_NEW(x->mem, writing);

    (void)err;
    w->x = x;
    skn_jw_init(&w->w, &x->out);
    skn_jw_object(&w->w);
    add_world(x, &w->w);
    if (x->req->conversation.v)
        return SKEIN_OK;
    skn_jw_key(&w->w, "chats");
    skn_jw_array(&w->w);
    return SKEIN_OK;
}

static skein_rc json_chat(skn_exporter *x, skein_error *err)
{
    writing *w = x->form;
    skein_rc rc;

    if (!x->req->conversation.v)
        skn_jw_object(&w->w);
    rc = add_chat(w, err);
    if (!x->req->conversation.v)
        skn_jw_object_end(&w->w);
    return rc;
}

static skein_rc json_end(skn_exporter *x, skein_error *err)
{
    writing *w = x->form;

    (void)err;
    if (!x->req->conversation.v)
        skn_jw_array_end(&w->w);
    skn_jw_object_end(&w->w);
    skn_buf_addc(&x->out, '\n');
    return SKEIN_OK;
}

const skn_export_form skn_export_json = {json_begin, json_chat, json_end};

/* --- One message a line ------------------------------------------------------------------- */

static skein_rc each_line(void *arg, const skein_message *m, const skein_message_facts *f,
                          skein_error *err)
{
    writing *w = arg;

    (void)err;
    skn_jw_init(&w->w, &w->x->out);
    add_message(w, m, f);
    skn_buf_addc(&w->x->out, '\n');
    return SKEIN_OK;
}

/* Lines of delegations say which; those that are only summed up have no line. */
static skein_rc jsonl_chat(skn_exporter *x, skein_error *err)
{
    writing  w = {.x = x};
    skein_rc rc = skn_export_messages(x, SKN_NONE, each_line, &w, err);

    if (x->req->delegations != SKN_DELEGATIONS_FULL)
        return rc;
    for (size_t i = 0; !rc && i < x->lanes.count; i++) {
        w.lane = x->lanes.at[i].key;
        rc = skn_export_messages(x, w.lane, each_line, &w, err);
    }
    return rc;
}

const skn_export_form skn_export_jsonl = {NULL, jsonl_chat, NULL};
