/* context.c: what a model may be sent: the summary, then what was said since. What the summary covers
 * is not read. */
#include "engine/modelview.h"
#include "engine/reading.h"

typedef struct call {
    const skein_slice *what;
    skein_mem         *mem;
    skein_context     *out;
} call;

/* --- The summary ----------------------------------------------------------------------------------- */

/* Of a lane as it was once: had the summary been written by then? */
static skein_rc was_there(skn_reading *r, int64_t summary, bool *there, skein_error *err)
{
    int64_t  at = -1, all = r->thread.row.base_length + r->thread.row.own_length;
    skein_rc rc = SKEIN_OK;

    *there = true;
    if (r->thread.length < all) {
        rc = skn_thread_position_of(&r->trees, &r->thread, summary, &at, err);
        *there = at >= 0 && at < r->thread.length;
    }
    return rc;
}

/* A record that does not fit its thread, or whose text is gone, is as good as none. */
static skein_rc is_sound(skn_reading *r, const skn_compaction_row *row, skein_message *summary,
                         bool *sound, skein_error *err)
{
    skn_item last;
    skein_rc rc;

    *sound = false;
    if (row->covers < 1 || row->covers > r->thread.length)
        return SKEIN_OK;
    if ((rc = skn_thread_item(&r->trees, &r->thread, row->covers - 1, &last, err)))
        return rc;
    if (last.message_id != row->last_message_id)
        return SKEIN_OK;
    if ((rc = was_there(r, row->summary_message_id, sound, err)) || !*sound)
        return rc;
    rc = skn_message_get(r->trees.tx, row->summary_message_id, r->trees.a, summary, sound, err);
    *sound = *sound && rc == SKEIN_OK && summary->role == SKEIN_SUMMARY && !summary->purged &&
             skn_str_trim(summary->content).n > 0;
    return rc;
}

/* The newest summary that holds; *covers is 0 when there is none. Each record is older than the one
 * that names it, so the walk ends. */
static skein_rc find_summary(skn_reading *r, skein_message *summary, int64_t *covers,
                             skein_error *err)
{
    skn_compaction_row row;
    int64_t            id = r->thread.row.compaction_id;
    bool               found, sound;
    skein_rc           rc;

    *covers = 0;
    while (id > 0) {
        if ((rc = skn_compaction_get(r->trees.tx, id, &row, &found, err)))
            return rc;
        if (!found)
            break;
        if ((rc = is_sound(r, &row, summary, &sound, err)))
            return rc;
        if (sound) {
            *covers = row.covers;
            break;
        }
        id = row.previous_id < id ? row.previous_id : 0;
    }
    return SKEIN_OK;
}

/* --- The view -------------------------------------------------------------------------------------- */

/* Older summaries and notices are in the lane, but no part of what is said. */
static size_t drop_silent(skein_messages *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->count; i++)
        if (m->at[i].role != SKEIN_SUMMARY && m->at[i].role != SKEIN_SYSTEM)
            m->at[n++] = m->at[i];
    m->count = n;
    return n;
}

static skein_rc find_names(skn_reading *r, skn_view_options *opt, skein_error *err)
{
    skein_agents agents;
    skn_str     *names;
    skein_rc     rc;

    rc = skn_agent_rows(r->trees.tx, r->conversation.world_id, r->trees.a, &agents, err);
    if (rc)
        return rc;
    names = SKN_ARRAY(r->trees.a, agents.count, skn_str);
    for (size_t i = 0; i < agents.count; i++)
        names[i] = agents.at[i].name;
    opt->names = names;
    opt->name_count = agents.count;
    return SKEIN_OK;
}

static skein_rc find_limit(skn_reading *r, int64_t *limit, skein_error *err)
{
    skein_world world;
    bool        found;
    skein_rc    rc;

    rc = skn_world_get(r->trees.tx, r->conversation.world_id, r->trees.a, &world, &found, err);
    *limit = rc == SKEIN_OK && found ? world.compact_at : 0;
    return rc;
}

static void show(call *c, const skn_view_options *opt, const skein_messages *m)
{
    skn_prompt prompt;

    skn_model_view(m->at, m->count, opt, c->mem, &prompt);
    c->out->at = prompt.at;
    c->out->count = prompt.count;
    c->out->tokens = (int64_t)skn_prompt_tokens(&prompt);
}

/* An agent's own conversation is seen with its eyes, also when nobody asks for that. */
static skein_rc read_context(skn_tx *tx, void *arg, skein_error *err)
{
    call            *c = arg;
    skein_context   *out = c->out;
    skn_view_options opt = {.viewpoint = c->what->agent};
    skn_reading      r;
    skein_message    summary;
    skein_messages   m;
    skein_rc         rc;

    *out = (skein_context){0};
    if ((rc = skn_reading_open(&r, tx, c->what, c->mem, err)))
        return rc;
    if (c->what->count > 0 && c->what->count < r.thread.length)
        r.thread.length = c->what->count;
    if ((rc = find_summary(&r, &summary, &out->covered, err)) ||
        (rc = skn_thread_messages(&r.trees, &r.thread, out->covered, r.thread.length, &m,
                                  err)) ||
        (rc = find_names(&r, &opt, err)) || (rc = find_limit(&r, &out->limit, err)))
        return rc;
    if (opt.viewpoint.v == 0)
        opt.viewpoint.v = r.conversation.agent_id;
    out->stored = (int64_t)drop_silent(&m);
    if (out->covered > 0) {
        opt.summary = &summary;
        out->summary_uid = summary.uid;
        out->stored++;
    }
    show(c, &opt, &m);
    return SKEIN_OK;
}

skein_rc skein_context_read(skein_engine *e, const skein_slice *what, skein_mem *mem,
                            skein_context *out, skein_error *err)
{
    call c = {what, mem, out};

    return skn_store_read(e->store, read_context, &c, err);
}
