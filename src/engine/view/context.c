/* context.c: what a model may be sent: the summary, then what was said since. What the summary covers
 * is not read. */
#include "base/media.h"
#include "base/url.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/read/reading.h"
#include "engine/view/modelview.h"

#include <stdlib.h>

/* --- The summary ----------------------------------------------------------------------------------- */

/* Of a lane as it was once: had the summary been written by then? */
static skein_rc was_there(skn_trees *f, const skn_thread *t, int64_t summary, bool *there,
                          skein_error *err)
{
    int64_t  at = -1, all = t->row.base_length + t->row.own_length;
    skein_rc rc = SKEIN_OK;

    *there = true;
    if (t->length < all) {
        rc = skn_thread_position_of(f, t, summary, &at, err);
        *there = at >= 0 && at < t->length;
    }
    return rc;
}

/* A record that does not fit its thread, or whose text is gone, counts as absent. */
static skein_rc is_sound(skn_trees *f, const skn_thread *t, const skn_compaction_row *row,
                         skein_message *summary, bool *sound, skein_error *err)
{
    skn_item last;
    skein_rc rc;

    *sound = false;
    if (row->covers < 1 || row->covers > t->length)
        return SKEIN_OK;
    if ((rc = skn_thread_item(f, t, row->covers - 1, &last, err)))
        return rc;
    if (last.message_id != row->last_message_id)
        return SKEIN_OK;
    if ((rc = was_there(f, t, row->summary_message_id, sound, err)) || !*sound)
        return rc;
    rc = skn_message_get(f->tx, row->summary_message_id, f->a, summary, sound, err);
    *sound = *sound && rc == SKEIN_OK && summary->role == SKEIN_SUMMARY && !summary->purged &&
             skn_str_trim(summary->content).n > 0;
    return rc;
}

/* Each record is older than the one that names it, so the walk ends. */
skein_rc skn_summary_find(skn_trees *f, const skn_thread *t, skein_message *summary,
                          skn_compaction_row *row, skein_error *err)
{
    int64_t  id = t->row.compaction_id;
    bool     found, sound;
    skein_rc rc;

    while (id > 0) {
        if ((rc = skn_compaction_get(f->tx, id, row, &found, err)))
            return rc;
        if (!found)
            break;
        if ((rc = is_sound(f, t, row, summary, &sound, err)) || sound)
            return rc;
        id = row->previous_id < id ? row->previous_id : 0;
    }
    *row = (skn_compaction_row){0};
    return SKEIN_OK;
}

/* A context for a message that is answered again. Others have spoken since, perhaps about something
 * else: without a word the model would answer what came last. */

/* The delivery of a message is written with it; one that was written later asks for it again. */
static skein_rc find_asked(skn_reading *r, const skein_slice *what, skein_message *out,
                           bool *again, skein_error *err)
{
    skn_arena       *a = r->trees.a;
    skn_tx          *tx = r->trees.tx;
    skn_turn_row     row;
    skn_delivery_row d;
    skein_rc         rc;

    rc = skn_turn_open_on(tx, r->conversation.id, what->agent.v, 0, a, &row, again, err);
    if (rc || !*again)
        return rc;
    *again = skn_str_eq(row.turn.uid, what->turn);
    if (!*again || (rc = skn_delivery_get(tx, row.delivery_id, a, &d, again, err)) || !*again ||
        (rc = skn_message_get(tx, d.message_id, a, out, again, err)))
        return rc;
    *again = *again && !out->purged && d.created_at > out->created_at;
    return SKEIN_OK;
}

/* Where what the turn has done begins. */
static size_t begins(const skein_messages *m, skn_str turn)
{
    size_t at = 0;

    while (at < m->count && !skn_str_eq(m->at[at].turn_uid, turn))
        at++;
    return at;
}

/* Which message the turn at work was asked to answer again, and where in the list that is to be said;
 * *again is NULL when it was not, or when the message is the last that was said anyway. */
static skein_rc find_again(skn_reading *r, const skein_slice *what, const skein_messages *m,
                           const skein_message **again, size_t *at, skein_error *err)
{
    skein_message *asked = SKN_NEW(r->trees.a, skein_message);
    bool           found = false;
    skein_rc       rc = SKEIN_OK;

    *again = NULL;
    if (what->turn.n && what->agent.v && !what->lane.p)
        rc = find_asked(r, what, asked, &found, err);
    if (rc || !found)
        return rc;
    *at = begins(m, what->turn);
    if (*at == 0 || !skn_str_eq(m->at[*at - 1].uid, asked->uid))
        *again = asked;
    return SKEIN_OK;
}

/* A context for a task. An agent's tasks are said in one conversation, and one that failed
 * is tried again long after it was said: what the model is asked must still be this task, and no other. */

typedef struct desk {
    const skein_messages *all;
    skn_map             *answered; /* public ids of messages that an assistant's replies name */
    skn_ids              others;   /* messages of other unfinished tasks, in order */
    const skein_message *task;
    size_t               begins; /* where the turn's own messages begin */
} desk;

static bool is_other(const desk *d, const skein_message *m)
{
    return m->role == SKEIN_USER && d->others.count &&
           bsearch(&m->id.v, d->others.at, d->others.count, sizeof *d->others.at,
                   skn_by_number);
}

static bool is_task(const desk *d, const skein_message *m)
{
    return skn_str_eq(m->uid, d->task->uid);
}

static void look_around(desk *d, skn_str turn, skn_arena *a)
{
    d->begins = d->all->count;
    d->answered = skn_map_new(a);
    for (size_t i = d->all->count; i-- > 0;) {
        const skein_message *m = &d->all->at[i];

        if (m->role == SKEIN_USER)
            continue;
        if (turn.n && skn_str_eq(m->turn_uid, turn))
            d->begins = i;
        else if (m->role == SKEIN_ASSISTANT && m->reply_to.n)
            *skn_map_slot(d->answered, m->reply_to) = d;
    }
}

/* Does the turn begin with it as things are? Only what others said may stand between. */
static bool in_place(const desk *d)
{
    for (size_t i = d->begins; i-- > 0 && d->all->at[i].role == SKEIN_USER;)
        if (is_task(d, &d->all->at[i]))
            return true;
    return false;
}

/* What work was done for stays above that work. */
static bool left_out(const desk *d, const skein_message *m, bool stays)
{
    if (skn_map_get(d->answered, m->uid))
        return false;
    return is_task(d, m) ? !stays : is_other(d, m);
}

static void arrange(const desk *d, skn_arena *a, skein_messages *out)
{
    bool           stays = in_place(d);
    skein_message *to = SKN_ARRAY(a, d->all->count + 1, skein_message);
    size_t         n = 0;

    for (size_t i = 0; i <= d->all->count; i++) {
        if (i == d->begins && !stays)
            to[n++] = *d->task;
        if (i < d->all->count && !left_out(d, &d->all->at[i], stays))
            to[n++] = d->all->at[i];
    }
    *out = (skein_messages){to, n};
}

/* What the turn was begun with: the task, or what was said to a question of it, and then the task stands above. */
static skein_rc find_trigger(skn_reading *r, const skein_slice *what, const skn_task_row *task,
                             skein_message *out, bool *found, skein_error *err)
{
    skn_turn_row turn;
    int64_t      id = task->message_id;
    skein_rc     rc = skn_turn_open_on(r->trees.tx, what->conversation.v, task->task.agent.v, 0,
                                       r->trees.a, &turn, found, err);

    if (rc == SKEIN_OK && *found && skn_str_eq(turn.turn.uid, what->turn))
        id = turn.trigger_id;
    return rc ? rc : skn_message_get(r->trees.tx, id, r->trees.a, out, found, err);
}

/* Puts the task in hand where its turn begins, and leaves out other tasks that nobody
 * has begun to answer: they would read as parts of this one. */
static skein_rc put_task(skn_reading *r, const skein_slice *what, skein_messages *m,
                         skein_error *err)
{
    skn_arena     *a = r->trees.a;
    skein_messages all = *m;
    desk           d = {.all = &all};
    skn_task_row   row;
    skein_message  said;
    int64_t        first = 1;
    bool           found;
    skein_rc       rc = skn_task_get(r->trees.tx, what->task, a, &row, &found, err);

    if (rc || !found || !row.message_id ||
        (rc = find_trigger(r, what, &row, &said, &found, err)) || !found)
        return rc;
    d.task = &said;
    for (size_t i = 0; i < all.count; i++) {
        if (!i || all.at[i].id.v < first)
            first = all.at[i].id.v;
        if (is_task(&d, &all.at[i]))
            d.task = &all.at[i]; /* as it was edited since */
    }
    if ((rc = skn_task_unfinished(r->trees.tx, row.task.agent.v, first, what->task, a,
                                  &d.others, err)))
        return rc;
    look_around(&d, what->turn, a);
    arrange(&d, a, m);
    return SKEIN_OK;
}

/* What a turn answers stays in sight when a summary covers it, with a part of the turn's own work. */
static skein_rc keep_trigger(skn_reading *r, const skein_slice *what, int64_t covered,
                             skein_messages *m, skein_error *err)
{
    skn_arena     *a = r->trees.a;
    skein_message *to = SKN_ARRAY(a, m->count + 1, skein_message);
    bool           lane = r->lane.parent_id != 0;
    skn_turn_row   turn;
    bool           found;
    int64_t        at;
    skein_rc       rc;

    if (!what->turn.n || what->task || !covered)
        return SKEIN_OK;
    rc = skn_turn_open_on(r->trees.tx, r->conversation.id,
                          lane ? r->lane.agent_id : what->agent.v, lane ? r->lane.id : 0, a,
                          &turn, &found, err);
    if (rc || !found || !skn_str_eq(turn.turn.uid, what->turn) || !turn.trigger_id)
        return rc;
    rc = skn_thread_position_of(&r->trees, &r->thread, turn.trigger_id, &at, err);
    if (rc || at < 0 || at >= covered)
        return rc;
    rc = skn_message_get(r->trees.tx, turn.trigger_id, a, &to[0], &found, err);
    if (rc || !found || to[0].purged)
        return rc;
    for (size_t i = 0; i < m->count; i++)
        to[i + 1] = m->at[i];
    *m = (skein_messages){to, m->count + 1};
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

static skein_rc find_limit(skn_reading *r, int64_t *limit, skein_error *err)
{
    skein_world world;
    bool        found;
    skein_rc    rc;

    rc = skn_world_get(r->trees.tx, r->conversation.world_id, r->trees.a, &world, &found, err);
    *limit = rc == SKEIN_OK && found ? world.compact_at : 0;
    return rc;
}

static void count_parts(const skn_prompt *prompt, const skein_message *summary,
                        skein_context *out)
{
    skein_context_parts *p = &out->parts;

    out->tokens = (int64_t)skn_prompt_tokens(prompt);
    *p = (skein_context_parts){0};
    if (summary)
        p->summary = (int64_t)(summary->content.n + 3) / 4;
    for (size_t i = 0; i < prompt->count; i++)
        if (prompt->at[i].role == SKEIN_TOOL)
            p->results += (int64_t)skn_prompt_tokens(
                &(skn_prompt){.at = &prompt->at[i], .count = 1});
    p->messages = out->tokens - p->results - p->summary;
}

/* --- Files ----------------------------------------------------------------------------------------- */

/* What one question carries at most. */
enum { IMAGES_MOST = 100 };
#define IMAGE_BYTES_MOST  ((int64_t)5 << 20)
#define IMAGES_BYTES_MOST ((int64_t)20 << 20)
#define TEXT_BYTES_MOST   ((int64_t)256 << 10)

typedef struct file_load {
    skn_reading       *r;
    const skein_slice *what;                /* may be NULL */
    int64_t            images, image_bytes; /* that are seen */
    int64_t            all;                 /* images */
    int64_t            message;             /* whose files are loaded */
} file_load;

static bool is_blind(const file_load *l)
{
    return l->what && l->what->blind.p;
}

/* The text stays absent if the message does not carry the file. */
static skein_rc load_bytes(const file_load *l, const skein_attachment *f, int64_t most,
                           skn_str *out, skein_error *err)
{
    bool found;

    return skn_carried_part(l->r->trees.tx, l->message, f->id, 0,
                            f->size < most ? f->size : most, l->r->trees.a, out, &found, err);
}

/* "[image a.png, 640×480]", and why it is not shown. */
static skn_str image_line(const file_load *l, const skn_view_file *f)
{
    skn_arena *a = l->r->trees.a;
    skn_str    name = skn_view_word(a, f->as.file.name), why = SKN_STR("");

    if (!f->as.seen)
        why = f->as.file.size > IMAGE_BYTES_MOST ? SKN_STR(", not shown: it is too large")
              : is_blind(l) ? skn_arena_printf(a, ", not shown: %.*s can't see images",
                                               SKN_FMT(skn_view_word(a, l->what->blind)))
                            : SKN_STR(", not shown: there are too many");
    return skn_arena_printf(a, "[image %.*s, %lld×%lld%.*s]", SKN_FMT(name),
                            (long long)f->as.file.width, (long long)f->as.file.height,
                            SKN_FMT(why));
}

static skein_rc load_image(file_load *l, skn_view_file *f, skein_error *err)
{
    skn_buf  b;
    skn_str  bytes;
    skein_rc rc;

    l->all++;
    f->as.seen = !is_blind(l) && l->images < IMAGES_MOST &&
                 f->as.file.size <= IMAGE_BYTES_MOST &&
                 l->image_bytes + f->as.file.size <= IMAGES_BYTES_MOST;
    f->head = image_line(l, f);
    if (!f->as.seen)
        return SKEIN_OK;
    l->images++;
    l->image_bytes += f->as.file.size;
    if (!l->what || !l->what->images ||
        (rc = load_bytes(l, &f->as.file, f->as.file.size, &bytes, err)))
        return l->what && l->what->images ? rc : SKEIN_OK;
    skn_buf_init(&b, SIZE_MAX / 2);
    skn_base64_add(&b, bytes);
    f->as.data = skn_buf_keep(&b, l->r->trees.a);
    return SKEIN_OK;
}

/* Of a long text the beginning is sent, as of a long message. */
static skein_rc load_text(const file_load *l, skn_view_file *f, skein_error *err)
{
    skn_arena              *a = l->r->trees.a;
    const skein_attachment *file = &f->as.file;
    int64_t                 most = l->what && l->what->most ? l->what->most : TEXT_BYTES_MOST;
    bool                    text = skn_media_is_text(file->type);
    skein_rc                rc = text ? load_bytes(l, file, most, &f->text, err) : SKEIN_OK;

    f->head = skn_arena_printf(a, "[file %.*s, %.*s, %lld bytes%s]",
                               SKN_FMT(skn_view_word(a, file->name)),
                               SKN_FMT(skn_view_word(a, file->type)), (long long)file->size,
                               f->text.p ? "" : ", not shown");
    f->text = skn_utf8_cut(f->text, (size_t)most);
    f->end = f->text.n < (size_t)file->size
                 ? skn_arena_printf(
                       a, SKN_VIEW_LEFT_OUT "the last %lld of %lld bytes]\n[end of file]",
                       (long long)file->size - (long long)f->text.n, (long long)file->size)
                 : SKN_STR("[end of file]");
    return rc;
}

static skein_rc load_files_of(file_load *l, const skein_message *m, skn_view_files *out,
                              skein_error *err)
{
    skn_arena        *a = l->r->trees.a;
    skein_attachment *at;
    skein_rc          rc = SKEIN_OK;

    if (m->purged)
        return SKEIN_OK;
    l->message = m->id.v;
    at = skn_files_told(m->files, a, &out->count);
    out->at = SKN_ARRAY(a, out->count + 1, skn_view_file);
    for (size_t i = 0; rc == SKEIN_OK && i < out->count; i++) {
        skn_view_file *f = &out->at[i];

        f->as.file = at[i];
        rc = at[i].width ? load_image(l, f, err) : load_text(l, f, err);
    }
    return rc;
}

/* The last images count first, where there are too many. */
static skein_rc load_files(skn_reading *r, const skein_slice *what, const skein_messages *m,
                           skn_view_options *opt, int64_t *images, skein_error *err)
{
    file_load       l = {.r = r, .what = what};
    skn_view_files *files = SKN_ARRAY(r->trees.a, m->count + 1, skn_view_files);
    skein_rc        rc = SKEIN_OK;

    opt->files = files;
    for (size_t i = m->count; rc == SKEIN_OK && i-- > 0;)
        rc = load_files_of(&l, &m->at[i], &files[i], err);
    *images = l.all;
    return rc;
}

/* An agent's own conversation is seen with its eyes, also when nobody asks for that. */
/* Beside the message itself: what the view is made in, and the view. */
enum { VIEW_BYTES = 4 * sizeof(skein_prompt_message) };

skein_rc skn_context_fill(skn_reading *r, const skn_context_spec *spec, skein_context *out,
                          skein_error *err)
{
    skn_view_options opt = {.viewpoint = spec->agent,
                            .told = spec->told,
                            .most = spec->at_work ? (size_t)spec->at_work->most : 0};
    skn_trees       *f = &r->trees;
    skein_messages   m;
    skn_prompt       prompt;
    skn_str         *names;
    skein_rc         rc;

    *out = (skein_context){.covered = spec->record->covers, .window = -1};
    if ((rc = skn_thread_messages(f, &r->thread, out->covered, spec->to, &m, err)) ||
        (rc = skn_agent_names(f->tx, r->conversation.world_id, f->a, &names, &opt.name_count,
                              err)) ||
        (rc = find_limit(r, &out->limit, err)))
        return rc;
    opt.names = names;
    if (opt.viewpoint.v == 0) /* a delegation's lane is seen by who works on it */
        opt.viewpoint.v = r->lane.parent_id ? r->lane.agent_id : r->conversation.agent_id;
    out->reader = opt.viewpoint;
    out->delegated = r->lane.parent_id != 0;
    out->stored = (int64_t)drop_silent(&m);
    if (spec->at_work && spec->at_work->task && (rc = put_task(r, spec->at_work, &m, err)))
        return rc;
    if (spec->at_work && (rc = keep_trigger(r, spec->at_work, out->covered, &m, err)))
        return rc;
    if (spec->at_work && !spec->at_work->task &&
        (rc = find_again(r, spec->at_work, &m, &opt.again, &opt.again_at, err)))
        return rc;
    if (out->covered > 0) {
        opt.summary = spec->summary;
        out->summary_uid = spec->summary->uid;
        out->stored++;
    }
    if (!skn_heap_has(SKN_HEADROOM + m.count * VIEW_BYTES))
        return skn_no_memory(err);
    if ((rc = load_files(r, spec->at_work, &m, &opt, &out->images, err)))
        return rc;
    skn_model_view(m.at, m.count, &opt, r->trees.a, &prompt);
    out->at = prompt.at;
    out->count = prompt.count;
    out->cut = prompt.cut;
    count_parts(&prompt, opt.summary, out);
    return SKEIN_OK;
}

static skein_rc read_context(skn_tx *tx, const skein_slice *what, skn_arena *a,
                             skein_context *out, skein_error *err)
{
    skn_reading        r;
    skein_message      summary;
    skn_compaction_row row;
    skein_rc           rc;

    *out = (skein_context){0};
    if ((rc = skn_reading_open(&r, tx, what, a, err)))
        return rc;
    if (what->count > 0 && what->count < r.thread.length)
        r.thread.length = what->count;
    if ((rc = skn_summary_find(&r.trees, &r.thread, &summary, &row, err)))
        return rc;
    return skn_context_fill(
        &r, &(skn_context_spec){what->agent, &summary, &row, r.thread.length, false, what}, out,
        err);
}

/* --- Handing it over ------------------------------------------------------------------------------- */

static skein_tool_call *copy_calls(const skein_prompt_message *from, skn_arena *a)
{
    skein_tool_call *to = SKN_ARRAY(a, from->call_count, skein_tool_call);

    for (size_t i = 0; i < from->call_count; i++)
        to[i] = (skein_tool_call){skn_arena_copy(a, from->calls[i].call_id),
                                  skn_arena_copy(a, from->calls[i].tool_name),
                                  skn_arena_copy(a, from->calls[i].args)};
    return to;
}

static skein_prompt_file *copy_files(const skein_prompt_message *from, skn_arena *a)
{
    skein_prompt_file *to = SKN_ARRAY(a, from->file_count, skein_prompt_file);

    for (size_t i = 0; i < from->file_count; i++) {
        to[i] = from->files[i];
        to[i].file.id = skn_arena_copy(a, from->files[i].file.id);
        to[i].file.name = skn_arena_copy(a, from->files[i].file.name);
        to[i].file.type = skn_arena_copy(a, from->files[i].file.type);
        to[i].data = skn_arena_copy(a, from->files[i].data);
    }
    return to;
}

static skein_prompt_message copy_message(const skein_prompt_message *from, skn_arena *a)
{
    skein_prompt_message to = *from;

    to.text = skn_arena_copy(a, from->text);
    to.tool_call_id = skn_arena_copy(a, from->tool_call_id);
    to.tool_name = skn_arena_copy(a, from->tool_name);
    to.reasoning = skn_arena_copy(a, from->reasoning);
    to.calls = from->call_count ? copy_calls(from, a) : NULL;
    to.files = from->file_count ? copy_files(from, a) : NULL;
    to.sources = SKN_ARRAY(a, from->source_count, skn_str);
    for (size_t i = 0; i < from->source_count; i++)
        to.sources[i] = skn_arena_copy(a, from->sources[i]);
    return to;
}

static size_t size_of(const skein_context *made)
{
    size_t n = made->count * 2 * sizeof *made->at;

    for (size_t i = 0; i < made->count; i++)
        n += made->at[i].text.n;
    for (size_t i = 0; i < made->count; i++)
        for (size_t k = 0; k < made->at[i].file_count; k++)
            n += made->at[i].files[k].data.n;
    return n;
}

/* Keeps only the context: its caller holds it as long as the model answers, and its sources (all agents of the world,
 * the tree, every column of the messages) are many times larger. */
skein_rc skein_context_read(skein_engine *e, const skein_slice *what, skein_mem *mem,
                            skein_context *out, skein_error *err)
{
    skn_arena    *scratch = skn_arena_new();
    skein_context made = {0};
    skn_snapshot  s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        s.rc = read_context(s.tx, what, scratch, &made, err);
    if (!s.rc && !skn_heap_has(SKN_HEADROOM + size_of(&made)))
        s.rc = skn_no_memory(err);
    if (s.rc) {
        skn_arena_free(scratch);
        return s.rc;
    }
    *out = made;
    out->summary_uid = skn_arena_copy(mem, made.summary_uid);
    out->window_from = SKN_NONE;
    out->at = SKN_ARRAY(mem, made.count, skein_prompt_message);
    for (size_t i = 0; i < made.count; i++)
        out->at[i] = copy_message(&made.at[i], mem);
    skn_arena_free(scratch);
    return s.rc;
}
