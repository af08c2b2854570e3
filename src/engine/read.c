/* read.c: the messages of a lane, as the room or as one agent sees them. */
#include "engine/reading.h"

typedef struct call {
    const skein_slice *what;
    skein_mem         *mem;
    skein_messages    *out;
    skein_at          *at;
} call;

/* The positions a slice asks for; those the lane does not have are left out. */
static void find_range(const skein_slice *what, int64_t length, int64_t *i, int64_t *j)
{
    *i = what->from;
    if (*i < 0)
        *i = *i < -length ? 0 : length + *i;
    if (*i > length)
        *i = length;
    *j = what->count == 0 || what->count > length - *i ? length : *i + what->count;
}

/* An agent takes its own words for an assistant's, and everybody else's for a user's. Whom others
 * answered is not its business, unless the caller wants to see it. */
static void see_as(skein_message *m, int64_t agent, bool raw)
{
    if (m->role != SKEIN_USER && m->role != SKEIN_ASSISTANT)
        return;
    if (m->author_agent.v == agent) {
        m->role = SKEIN_ASSISTANT; /* also what was posted in its name */
        return;
    }
    if (m->role == SKEIN_ASSISTANT) {
        m->role = SKEIN_USER;
        m->calls = NULL;
        m->call_count = 0;
    }
    if (raw)
        return;
    m->reply_to = SKN_NONE;
    m->reply_to_id = (skein_message_id){0};
    m->reply_depth = 0;
    m->warning = SKN_NONE;
}

static skein_rc read_slice(skn_tx *tx, void *arg, skein_error *err)
{
    call       *c = arg;
    skn_reading r;
    int64_t     i, j;
    skein_rc    rc;

    if ((rc = skn_reading_open(&r, tx, c->what, c->mem, err)))
        return rc;
    find_range(c->what, r.thread.length, &i, &j);
    if ((rc = skn_thread_messages(&r.trees, &r.thread, i, j, c->out, err)))
        return rc;
    for (size_t k = 0; c->what->agent.v && k < c->out->count; k++)
        see_as(&c->out->at[k], c->what->agent.v, c->what->raw);
    if (c->at)
        *c->at = (skein_at){{r.thread.row.id}, r.thread.length};
    return SKEIN_OK;
}

skein_rc skein_read(skein_engine *e, const skein_slice *what, skein_mem *mem,
                    skein_messages *out, skein_at *at, skein_error *err)
{
    call c = {what, mem, out, at};

    *out = (skein_messages){0};
    if (what->count < 0)
        return skn_fail(err, SKEIN_INVALID, "cannot read %lld messages",
                        (long long)what->count);
    return skn_store_read(e->store, read_slice, &c, err);
}
