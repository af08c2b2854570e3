/* export.c: reads what is to be exported, and leaves the writing to the forms. */
#include "exchange/export.h"
#include "engine/core.h"
#include "exchange/archive.h"

#define SLICE   1000        /* messages read at a time */
#define PIECE   (64 * 1024) /* bytes that are enough to call the sink */
#define SENDERS 50000       /* names kept; above that they are looked up again */

/* --- Words -------------------------------------------------------------------------------- */

static const char *const format_names[] = {"md", "json", "jsonl", "mermaid", "html", "skein"};

bool skn_format_from(skn_str name, skn_format *out)
{
    return skn_enum_from(&(const skn_enum)SKN_ENUM(format_names), name, (int *)out);
}

const char *skn_format_name(size_t i)
{
    return i < sizeof format_names / sizeof format_names[0] ? format_names[i] : NULL;
}

bool skn_format_shown(skn_format f)
{
    return f == SKN_FORMAT_MD || f == SKN_FORMAT_MERMAID || f == SKN_FORMAT_HTML;
}

static const char *const delegation_names[] = {"summary", "none", "full"};

bool skn_delegations_from(skn_str name, skn_delegations *out)
{
    return skn_enum_from(&(const skn_enum)SKN_ENUM(delegation_names), name, (int *)out);
}

static skein_rc write_buf(void *arg, skn_str bytes, skein_error *err)
{
    skn_buf *b = arg;

    skn_buf_add(b, bytes);
    if (b->starved)
        return skn_no_memory(err);
    if (b->over)
        return skn_fail(err, SKEIN_LIMIT, "the export is over %zu bytes", b->limit);
    return SKEIN_OK;
}

skn_sink skn_sink_buf(skn_buf *b)
{
    return (skn_sink){write_buf, b};
}

/* --- Helpers of the forms ----------------------------------------------------------------- */

static skein_rc flush_all(skn_exporter *x, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    if (x->out.starved)
        return skn_no_memory(err);
    if (x->out.over)
        return skn_fail(err, SKEIN_LIMIT, "a message is too long to be exported");
    if (x->out.n)
        rc = x->sink->write(x->sink->arg, skn_buf_str(&x->out), err);
    skn_buf_clear(&x->out);
    return rc;
}

skein_rc skn_export_flush(skn_exporter *x, skein_error *err)
{
    return x->out.n < PIECE && !x->out.over ? SKEIN_OK : flush_all(x, err);
}

bool skn_export_scripted(skn_str model)
{
    return skn_str_is(model, "demo/scripted");
}

skn_str skn_export_model(skn_str model)
{
    if (skn_export_scripted(model))
        return SKN_STR("demo/scripted (canned text, not generated)");
    return model;
}

skn_str skn_export_when(int64_t micros, char out[SKN_EXPORT_WHEN])
{
    char    text[SKN_TIME_TEXT];
    skn_str when = skn_str_sub(skn_time_format(micros, text), 0, SKN_EXPORT_WHEN);

    memcpy(out, when.p, when.n);
    if (when.n > 10)
        out[10] = ' ';
    return (skn_str){out, when.n};
}

bool skn_export_line(skn_str *text, skn_str *line)
{
    size_t n = 0;

    if (!text->p)
        return false;
    while (n < text->n && text->p[n] != '\n' && text->p[n] != '\r')
        n++;
    *line = skn_str_sub(*text, 0, n);
    if (n == text->n) {
        *text = SKN_NONE;
        return true;
    }
    n += text->p[n] == '\r' && n + 1 < text->n && text->p[n + 1] == '\n' ? 2 : 1;
    *text = skn_str_sub(*text, n, text->n);
    return true;
}

skn_str skn_export_title(const skn_exporter *x, skein_mem *mem)
{
    if (x->chat.mode != SKEIN_CHAT)
        return skn_arena_printf(mem, "%.*s, %s", SKN_FMT(x->chat.agent_name),
                                skn_mode_name(x->chat.mode));
    if (x->chat.title.n && !x->req->redact)
        return x->chat.title;
    return skn_arena_printf(mem, "chat %.*s", SKN_FMT(x->chat.uid));
}

/* --- Senders ------------------------------------------------------------------------------ */

static void forget_senders(skn_exporter *x)
{
    skn_arena_reset(x->named);
    x->senders = skn_map_new(x->named);
}

static skn_str *keep_sender(skn_exporter *x, skn_str uid, skn_str sender)
{
    void   **slot = skn_map_slot(x->senders, uid);
    skn_str *kept = SKN_NEW(x->named, skn_str);

    *kept = skn_arena_copy(x->named, sender);
    *slot = kept;
    return kept;
}

/* Who said the message with this public id; absent when there is none. */
static skein_rc find_sender(skn_exporter *x, skn_str uid, skn_str *out, skein_error *err)
{
    skn_str      *known = skn_map_get(x->senders, uid);
    skein_message m;
    skein_error   quiet;
    skein_rc      rc;

    *out = SKN_NONE;
    if (!known) {
        rc = skein_message_find(x->e, x->chat.id, x->version.number, uid, x->slice, &m, &quiet);
        if (rc && rc != SKEIN_NOT_FOUND) {
            *err = quiet;
            return rc;
        }
        known = keep_sender(x, uid, rc ? SKN_NONE : m.sender);
    }
    *out = *known;
    return SKEIN_OK;
}

skein_rc skn_export_reply(skn_exporter *x, const skein_message *m, const skein_message_facts *f,
                          skn_str *uid, skn_str *sender, skein_error *err)
{
    *uid = f->shown_reply.p ? f->shown_reply : m->reply_to;
    *sender = SKN_NONE;
    return uid->p ? find_sender(x, *uid, sender, err) : SKEIN_OK;
}

void skn_export_marks(skn_exporter *x, const char *before, const skein_message *m,
                      const skein_message_facts *f)
{
    if (m->squash_uid.n)
        skn_buf_addf(&x->out, "%s[squash]", before);
    if (f->memory_only)
        skn_buf_addf(&x->out, "%s[in-memory, no reply]", before);
    if (m->unfinished)
        skn_buf_addf(&x->out, "%s[%s]", before, skein_unfinished_words(m->unfinished));
}

/* --- Messages ----------------------------------------------------------------------------- */

typedef struct reading {
    skn_exporter    *x;
    skn_export_each *each;
    void            *arg;
} reading;

/* A copy without texts: who, when and how much stays. */
skein_attachments skn_export_files(skn_exporter *x, const skein_message *m)
{
    skein_attachments out = {0};

    out.at = skn_files_told(m->files, x->slice, &out.count);
    return out;
}

static skein_message redacted(const skein_message *m, skein_mem *mem)
{
    skein_message r = *m;

    r.content = SKN_STR("");
    r.thinking = r.files = SKN_NONE;
    r.calls = SKN_ARRAY(mem, m->call_count, skein_tool_call);
    for (size_t i = 0; i < m->call_count; i++) {
        r.calls[i] = m->calls[i];
        r.calls[i].args = SKN_STR("{}");
    }
    return r;
}

static skein_rc give(const reading *r, skein_messages *all, skein_error *err)
{
    skn_exporter        *x = r->x;
    skein_message_facts *facts = SKN_ARRAY(x->slice, all->count, skein_message_facts);
    skein_rc             rc;

    rc = skein_message_explain(x->e, x->chat.id, x->version.number, all, x->slice, facts, err);
    if (skn_map_count(x->senders) > SENDERS)
        forget_senders(x);
    for (size_t i = 0; !rc && i < all->count; i++) {
        skein_message *m = &all->at[i];

        keep_sender(x, m->uid, m->sender);
        if (facts[i].memory_only && x->req->no_memory_only)
            continue;
        x->bytes = m->content.n;
        if (x->req->redact)
            *m = redacted(m, x->slice);
        rc = r->each(r->arg, m, &facts[i], err);
        if (!rc)
            rc = skn_export_flush(x, err);
    }
    return rc;
}

/* The main lane ends where it ended when the export began, whatever is appended meanwhile. */
static skein_rc give_lane(const reading *r, skn_str lane, int64_t length, skein_error *err)
{
    skn_exporter  *x = r->x;
    skein_slice    what = {.conversation = x->chat.id, .version = x->version.number};
    skein_messages all;
    skein_at       at;
    skein_rc       rc = SKEIN_OK;

    what.lane = lane;
    for (int64_t from = 0; !rc && from < length; from += (int64_t)all.count) {
        skn_arena_reset(x->slice);
        what.from = from;
        what.count = length - from < SLICE ? length - from : SLICE;
        all.count = 0;
        if ((rc = skein_read(x->e, &what, x->slice, &all, &at, err)) || all.count == 0)
            break;
        rc = give(r, &all, err);
    }
    return rc;
}

/* A reply thread is read whole: what it holds hangs on one message. */
static skein_rc give_thread(const reading *r, skein_error *err)
{
    skn_exporter    *x = r->x;
    skein_mem       *mem = skein_mem_new();
    skein_reply_tree tree;
    skein_messages   part;
    skein_rc         rc;

    rc = skein_reply_tree_read(x->e, x->chat.id, x->version.number, x->req->root, mem, &tree,
                               err);
    for (size_t from = 0; !rc && from < tree.count; from += part.count) {
        skn_arena_reset(x->slice);
        part.count = tree.count - from < SLICE ? tree.count - from : SLICE;
        part.at = SKN_ARRAY(x->slice, part.count, skein_message);
        for (size_t i = 0; i < part.count; i++)
            part.at[i] = tree.at[from + i].message;
        rc = give(r, &part, err);
    }
    skein_mem_free(mem);
    return rc;
}

skein_rc skn_export_messages(skn_exporter *x, skn_str lane, skn_export_each *each, void *arg,
                             skein_error *err)
{
    reading r = {x, each, arg};

    if (lane.p)
        return give_lane(&r, lane, INT64_MAX, err);
    if (x->req->root.v)
        return give_thread(&r, err);
    return give_lane(&r, SKN_NONE, x->version.length, err);
}

/* --- What is asked for -------------------------------------------------------------------- */

static skein_rc read_world(skn_exporter *x, int64_t id, skein_error *err)
{
    skn_snapshot s = {.store = x->e->store};
    bool         found = false;

    while (skn_snapshot_next(&s, err))
        s.rc = skn_world_get(s.tx, id, x->mem, &x->world, &found, err);
    return s.rc || found ? s.rc : skn_fail(err, SKEIN_NOT_FOUND, "there is no such world");
}

static skein_rc find_chats(skn_exporter *x, skein_error *err)
{
    int64_t  world = x->req->world.v;
    skein_rc rc = SKEIN_OK;

    if (x->req->conversation.v) {
        x->chats = (skein_conversations){SKN_NEW(x->mem, skein_conversation), 1};
        rc = skein_conversation_get(x->e, x->req->conversation, x->mem, x->chats.at, err);
        world = rc ? 0 : x->chats.at[0].world.v;
    }
    if (!rc && !(rc = read_world(x, world, err)))
        rc = skein_agent_list(x->e, x->world.id, x->mem, &x->agents, err);
    if (!rc && !x->req->conversation.v)
        rc = skein_conversation_list(x->e, x->world.id, x->mem, &x->chats, err);
    return rc;
}

/* A delegation's lane has a parent; the others are the main lane and agents' memories. */
static void keep_delegations(skn_exporter *x)
{
    size_t n = 0;

    for (size_t i = 0; i < x->lanes.count; i++)
        if (x->lanes.at[i].parent.v)
            x->lanes.at[n++] = x->lanes.at[i];
    x->lanes.count = x->req->delegations == SKN_DELEGATIONS_NONE || x->req->root.v ? 0 : n;
}

static skein_rc begin_chat(skn_exporter *x, const skein_conversation *chat, skein_error *err)
{
    skein_rc rc;

    x->chat = *chat;
    forget_senders(x);
    rc = skein_version_get(x->e, chat->id, x->req->version ? x->req->version : chat->version,
                           x->mem, &x->version, err);
    if (!rc)
        rc = skein_lane_list(x->e, chat->id, x->mem, &x->lanes, err);
    if (!rc)
        keep_delegations(x);
    return rc;
}

static const skn_export_form *const forms[] = {[SKN_FORMAT_MD] = &skn_export_md,
                                               [SKN_FORMAT_JSON] = &skn_export_json,
                                               [SKN_FORMAT_JSONL] = &skn_export_jsonl,
                                               [SKN_FORMAT_MERMAID] = &skn_export_mermaid,
                                               [SKN_FORMAT_HTML] = &skn_export_html};

static skein_rc check_request(const skn_export_request *req, skein_error *err)
{
    bool part = req->version || req->root.v;

    if (!req->conversation.v && part)
        return skn_fail(err, SKEIN_USAGE, "a version or a message needs a conversation");
    if (req->format != SKN_FORMAT_ARCHIVE || (!part && !req->redact && !req->no_memory_only))
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_USAGE,
                         "Leave out version, message and filters, or take another format.",
                         "an archive is always complete");
}

static skein_rc write_form(skn_exporter *x, const skn_export_form *form, skein_error *err)
{
    skein_rc rc = form->begin ? form->begin(x, err) : SKEIN_OK;

    for (size_t i = 0; !rc && i < x->chats.count; i++) {
        x->number = i + 1;
        rc = begin_chat(x, &x->chats.at[i], err);
        if (!rc)
            rc = form->chat(x, err);
    }
    if (!rc && form->end)
        rc = form->end(x, err);
    return rc ? rc : flush_all(x, err);
}

skein_rc skn_export(skein_engine *e, const skn_export_request *req, skn_sink *sink,
                    skein_error *err)
{
    skn_exporter x = {.e = e, .req = req, .sink = sink};
    skein_rc     rc = check_request(req, err);

    if (rc)
        return rc;
    x.now = req->now ? req->now : skn_clock_micros();
    x.mem = skein_mem_new();
    x.slice = skein_mem_new();
    x.named = skein_mem_new();
    skn_buf_init(&x.out, SIZE_MAX / 4);
    rc = find_chats(&x, err);
    if (!rc && req->format == SKN_FORMAT_ARCHIVE)
        rc = skn_archive_export(e->store, x.world.id, req->conversation, sink, err);
    else if (!rc)
        rc = write_form(&x, forms[req->format], err);
    skn_buf_release(&x.out);
    skein_mem_free(x.named);
    skein_mem_free(x.slice);
    skein_mem_free(x.mem);
    return rc;
}

/* JSON: one document in the shapes of the API, or one message a line. */

typedef struct writing {
    skn_exporter *x;
    skn_jw        w;
    skn_str       lane; /* absent: the main one */
} writing;

static void add_message(writing *w, const skein_message *m, const skein_message_facts *f)
{
    skn_jw_object(&w->w);
    skn_shape_message_members(&w->w, w->x->chat.uid, m, f);
    skn_jw_kgiven(&w->w, "lane", w->lane);
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

    skn_jw_karray(w, "threads");
    for (size_t i = 0; !rc && i < all.count; i++) {
        if (x->req->redact)
            all.at[i].note = SKN_NONE;
        skn_shape_version(w, &all.at[i]);
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
        skn_jw_karray(&w->w, "messages");
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
    skn_jw_karray(&w->w, "delegations");
    for (size_t i = 0; !rc && i < w->x->lanes.count; i++)
        rc = add_delegation(w, &w->x->lanes.at[i], err);
    skn_jw_array_end(&w->w);
    return rc;
}

static skein_rc add_chat(writing *w, skein_error *err)
{
    skein_rc rc;

    skn_jw_key(&w->w, "chat");
    skn_shape_chat(&w->w, &w->x->chat);
    skn_jw_kint(&w->w, "version", w->x->version.number);
    if ((rc = add_threads(w->x, &w->w, err)))
        return rc;
    skn_jw_karray(&w->w, "messages");
    rc = skn_export_messages(w->x, SKN_NONE, each_message, w, err);
    skn_jw_array_end(&w->w);
    return rc ? rc : add_delegations(w, err);
}

static void redact_world(skn_exporter *x)
{
    x->world.description = SKN_NONE;
    for (size_t i = 0; i < x->agents.count; i++)
        x->agents.at[i].system_prompt = SKN_NONE;
    for (size_t i = 0; i < x->chats.count; i++)
        x->chats.at[i].title = SKN_NONE;
}

/* Of its conversations only those that are exported. */
static void add_world(skn_exporter *x, skn_jw *w)
{
    if (x->req->redact)
        redact_world(x);
    skn_jw_key(w, "world");
    skn_shape_world(w, &x->world, &x->agents, &x->chats, x->mem);
    skn_jw_karray(w, "agents");
    for (size_t i = 0; i < x->agents.count; i++)
        skn_shape_agent(w, &x->agents.at[i], x->mem);
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
    skn_jw_karray(&w->w, "chats");
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
