/* errand.c: requests to models for extracts of context files, for squashes, and for knowledge from background work. */
#include "exchange/exchange.h"
#include "runtime/model_request.h"

/* Extracts: before a turn, a model applies the prompts of context files to their contents. Each extract is made once
 * for a content, by the first agent that needs it; a failed one is tried again later. */

enum { MOST_IN_A_TURN = 20, TEXT_BYTES = 4 << 20, LOOK_MS = 50 };

typedef struct extract {
    skn_str             name; /* of the extract to be made */
    skein_context_files files;
    skn_extract         what;
} extract;

/* --- The request ------------------------------------------------------------------------------------------ */

static skein_rc read_file(skn_model_request *q, skein_error *err)
{
    extract    *x = q->own;
    const char *root = q->r->o.files;
    skn_buf     b;
    skein_rc    rc = skein_context_file_list(q->r->o.engine, q->chat, q->a, &x->files, err);

    if (rc)
        return rc;
    if (!skn_extract_next(&x->files, root, q->a, &x->what) ||
        !skn_str_eq(x->what.name, x->name)) /* the file has just changed */
        return SKEIN_NOTHING;
    skn_buf_init(&b, TEXT_BYTES);
    skn_buf_addf(&b, "%.*s\n", SKN_FMT(x->what.file->prompt));
    q->head = b.n;
    skn_brief_file(&b, x->what.file, &x->what.parts);
    q->text = skn_arena_copy(q->a, skn_buf_str(&b));
    skn_buf_release(&b);
    q->system = SKN_STR("You take from a file what another model needs of it, in the form that "
                        "the instruction before the file asks for. Keep names and code as they "
                        "are written there. Write only what was asked for.");
    return SKEIN_OK;
}

static skein_rc store_text(skn_model_request *q, skein_error *err)
{
    const extract *x = q->own;

    if (!q->wrote.n)
        return skn_fail(err, SKEIN_PROVIDER, "the model wrote nothing");
    q->out.text = skn_arena_copy(q->a, q->wrote);
    return skn_extract_keep(q->r->o.files, x->what.name, q->wrote, SKN_NONE, err);
}

static const skn_model_request_kind extract_kind = {
    "summary", "the prompt of a context file was not applied", read_file, store_text,
    .whole = true};

/* --- In a turn --------------------------------------------------------------------------------------------- */

static void ask_next(skn_run *run);

static void load_again(skn_run *run)
{
    run->rc = skn_run_load(run, &run->err);
}

static void go_on_with_turn(skn_run *run)
{
    run->extracts = MOST_IN_A_TURN; /* no further extract in this turn */
    skn_run_job(run, load_again, skn_run_loaded);
}

/* Stores why the extract failed, too, so that people and models see it and it is not tried again at once. */
static void note_failure(skn_run *run)
{
    if (skn_extract_keep(run->r->o.files, run->next_extract, SKN_NONE,
                         skn_str_of(run->why_unextracted.message), NULL))
        run->extracts = MOST_IN_A_TURN;
}

static void extract_noted(skn_run *run)
{
    run->extracting = SKN_NONE;
    ask_next(run);
}

static void on_extracted(void *arg, const skn_model_result *out, const skein_error *err)
{
    skn_run *run = arg;

    (void)out;
    skn_run_enter(run, SKN_RUN_READY);
    run->why_unextracted = *err;
    if (err->rc && err->rc != SKEIN_NOTHING && !run->r->closing)
        skn_run_job(run, note_failure, extract_noted);
    else
        extract_noted(run);
}

static void ask_for_extract(skn_run *run)
{
    skn_model_request *q = skn_model_request_new(run->r, &extract_kind);
    extract           *x = SKN_NEW(q->a, extract);

    run->extracts++;
    run->extracting = run->next_extract;
    x->name = skn_arena_copy(q->a, run->next_extract);
    q->own = x;
    q->world = run->turn.world;
    q->chat = run->turn.chat;
    q->agent = run->agent;
    q->model = skn_arena_copy(q->a, run->model);
    skn_run_enter(run, SKN_RUN_REQUESTING);
    run->request = q;
    skn_model_request_start(q, on_extracted, run);
}

/* Whether another run is making this extract. */
static bool extract_is_under_way(const skn_run *run)
{
    for (const skn_run *other = run->r->runs; other; other = other->next)
        if (other != run && other->extracting.n &&
            skn_str_eq(other->extracting, run->next_extract))
            return true;
    return false;
}

static void wait_for_other_run(skn_run *run)
{
    if (extract_is_under_way(run))
        skn_run_later(run, SKN_RUN_PAUSING, wait_for_other_run, LOOK_MS);
    else
        ask_next(run);
}

/* One run asks a model; the others wait for the result. */
static void ask_or_wait(skn_run *run)
{
    if (!run->next_extract.n)
        go_on_with_turn(run);
    else if (extract_is_under_way(run))
        wait_for_other_run(run);
    else
        ask_for_extract(run);
}

/* worker */
static void find_next(skn_run *run)
{
    skn_arena          *a = skn_arena_new();
    skein_context_files files;
    skn_extract         what;

    run->next_extract = SKN_NONE;
    if (!skein_context_file_list(run->r->o.engine, run->turn.chat, a, &files, NULL) &&
        skn_extract_next(&files, run->r->o.files, a, &what))
        run->next_extract = skn_arena_copy(run->a, what.name);
    skn_arena_free(a);
}

static void ask_next(skn_run *run)
{
    if (run->extracts == MOST_IN_A_TURN)
        go_on_with_turn(run);
    else
        skn_run_job(run, find_next, ask_or_wait);
}

bool skn_run_extract(skn_run *run)
{
    if (!run->wants_extracts || run->extracts)
        return false;
    ask_next(run);
    return true;
}

/* Squashes whose text a model writes. The sources are read again when the squash is stored: a source that has changed
 * is a conflict, and nothing is changed. */

enum { TEXT_TEXT_BYTES = 4 << 20 };

typedef struct squash {
    skein_message_id *ids;
    size_t            count;
    skn_str           prompt, actor;
    skein_squash      made;
    bool              dry_run;
} squash;

static skein_rc add_sources(skn_model_request *q, const squash *s, skn_buf *b, skein_error *err)
{
    const skein_message_ids ids = {s->ids, s->count};
    skein_messages          m;
    skein_rc                rc = skein_messages_get(q->r->o.engine, ids, q->a, &m, err);

    for (size_t i = 0; !rc && i < m.count; i++) {
        skn_buf_addf(b, "--- %.*s (%s)\n%.*s\n", SKN_FMT(m.at[i].sender),
                     skein_role_name(m.at[i].role), SKN_FMT(m.at[i].content));
        for (size_t k = 0; k < m.at[i].call_count; k++)
            skn_buf_addf(b, "[calls %.*s %.*s]\n", SKN_FMT(m.at[i].calls[k].tool_name),
                         SKN_FMT(m.at[i].calls[k].args));
    }
    return rc;
}

static skein_rc read_sources(skn_model_request *q, skein_error *err)
{
    squash  *s = q->own;
    skn_buf  b;
    skein_rc rc;

    skn_buf_init(&b, TEXT_TEXT_BYTES);
    skn_buf_addf(&b, "%.*s\n\nThe messages:\n", SKN_FMT(s->prompt));
    q->head = b.n;
    rc = add_sources(q, s, &b, err);
    q->text = skn_arena_copy(q->a, skn_buf_str(&b));
    if (!rc && b.over)
        rc = skn_fail(err, SKEIN_LIMIT, "the messages are over %d MB together",
                      TEXT_TEXT_BYTES >> 20);
    skn_buf_release(&b);
    q->system = SKN_STR("You merge messages of a conversation into one that takes their place. "
                        "Follow the person's instruction. Write only the new message.");
    return rc;
}

static skein_rc store_squash(skn_model_request *q, skein_error *err)
{
    squash                 *s = q->own;
    const skein_change      how = {.conversation = q->chat, .actor = s->actor};
    const skein_squash_spec spec = {.sources = {s->ids, s->count},
                                    .content = q->wrote,
                                    .prompt = s->prompt,
                                    .model = q->out.model,
                                    .by_agent = true,
                                    .call = skn_model_request_call(q)};
    skein_rc                rc;

    q->out.text = skn_arena_copy(q->a, q->wrote);
    if (s->dry_run)
        return SKEIN_OK;
    rc = skein_squash_messages(q->r->o.engine, &how, &spec, q->a, &s->made, err);
    if (rc == SKEIN_NOT_FOUND) /* one left this version while the model wrote */
        return skn_fail(err, SKEIN_CONFLICT,
                        "a message that was to be squashed is not in the current version any "
                        "more; nothing was changed");
    if (rc)
        return rc;
    q->out.message = &s->made.result;
    q->out.squash = &s->made;
    return SKEIN_OK;
}

static const skn_model_request_kind squash_kind = {"squash", "a squash was not made",
                                                   read_sources, store_squash, .whole = true};

skn_model_request *skn_runtime_squash(skn_runtime *r, const skn_squash_spec *spec,
                                      skn_model_request_done *done, void *arg)
{
    skn_model_request *q = skn_model_request_new(r, &squash_kind);
    squash            *s = SKN_NEW(q->a, squash);

    q->own = s;
    q->world = spec->world;
    q->chat = spec->chat;
    q->model = skn_arena_copy(q->a, spec->model);
    s->prompt = skn_arena_copy(q->a, spec->prompt);
    s->actor = skn_arena_copy(q->a, spec->actor);
    s->dry_run = spec->dry_run;
    s->count = spec->source_count;
    s->ids = SKN_ARRAY(q->a, s->count, skein_message_id);
    for (size_t i = 0; i < s->count; i++)
        s->ids[i] = spec->sources[i];
    skn_model_request_start(q, done, arg);
    return q;
}

/* Knowledge: notes from an agent's background work, where the settings of its world ask for them. A mark in the store
 * says how far the work was read, so that nothing is read twice. */

enum { MESSAGES_LEAST = 4, MESSAGES_MOST = 200, ITEMS_MOST = 20, LEARN_TEXT_BYTES = 1 << 20 };
enum { UNSURE = 50 }; /* percent, if the model does not say how sure it is */

typedef struct learning {
    int64_t from, upto;
    bool    again; /* work ended meanwhile: look once more */
} learning;

static skein_rc read_work(skn_model_request *q, skein_error *err)
{
    learning      *l = q->own;
    skein_messages m;
    skn_buf        b;
    skein_rc       rc = skein_knowledge_due(q->r->o.engine, q->agent, MESSAGES_MOST, q->a, &m,
                                            &l->from, &l->upto, err);

    if (rc)
        return rc;
    if (m.count < MESSAGES_LEAST)
        return SKEIN_NOTHING;
    skn_buf_init(&b, LEARN_TEXT_BYTES);
    skn_buf_add(&b, SKN_STR("What is worth remembering of this work?\n\n"));
    q->head = b.n;
    for (size_t i = 0; i < m.count; i++)
        skn_buf_addf(&b, "%.*s: %.*s\n", SKN_FMT(m.at[i].sender), SKN_FMT(m.at[i].content));
    q->text = skn_arena_copy(q->a, skn_buf_str(&b));
    skn_buf_release(&b);
    q->system = SKN_STR(
        "You read the work of an agent and note what will be of use in later work. Write one "
        "JSON "
        "object a line and nothing else: {\"type\":\"fact|technique|pattern|lesson\","
        "\"content\":\"one sentence\",\"confidence\":0.0 to 1.0}. Write {} when there is "
        "nothing.");
    return SKEIN_OK;
}

/* Reads one line of the answer; returns false if it is not an item. Models put fences and words around what they
 * write. */
static bool read_item(skn_str line, skn_arena *a, skein_knowledge *out)
{
    const skn_json *json;
    skn_str         text = skn_str_trim(line);

    *out = (skein_knowledge){0};
    if (!text.n || text.p[0] != '{' || skn_json_parse(&json, text, "item", a, NULL) ||
        skn_json_text(json, "content", &out->content, NULL) ||
        skn_json_text(json, "type", &out->type, NULL))
        return false;
    if (skn_tool_confidence(json, &out->confidence, NULL) || out->confidence < 0)
        out->confidence = UNSURE;
    if (!out->type.n)
        out->type = SKN_STR("fact");
    return skn_str_trim(out->content).n > 0;
}

static skein_rc store_items(skn_model_request *q, skein_error *err)
{
    learning       *l = q->own;
    skein_knowledge items[ITEMS_MOST];
    size_t          count = 0;
    int64_t         stored;
    skn_str         rest = q->wrote, line;

    while (count < ITEMS_MOST && skn_str_split(&rest, '\n', &line))
        count += read_item(line, q->a, &items[count]);
    return skein_knowledge_take(q->r->o.engine, q->agent, l->from, l->upto, items, count,
                                skn_model_request_call(q), q->a, &stored, err);
}

static const skn_model_request_kind learn_kind = {"knowledge", "no knowledge was noted",
                                                  read_work, store_items, .whole = false};

static skn_model_request *under_way(const skn_runtime *r, skein_agent_id agent)
{
    skn_model_request *q = r->requests;

    while (q && (q->kind != &learn_kind || q->agent.v != agent.v || q->cancelled))
        q = q->next;
    return q;
}

static void learned(skn_model_request *q);

static void learn(skn_runtime *r, skein_world_id world, skein_conversation_id chat,
                  skein_agent_id agent, skn_str model)
{
    skn_model_request *q = skn_model_request_new(r, &learn_kind);

    q->own = SKN_NEW(q->a, learning);
    q->world = world;
    q->chat = chat;
    q->agent = agent;
    q->model = skn_arena_copy(q->a, model);
    q->over = learned;
    skn_model_request_start(q, NULL, NULL);
}

static void learned(skn_model_request *q)
{
    const learning *l = q->own;

    if (l->again && !q->r->closing && (q->rc == SKEIN_OK || q->rc == SKEIN_NOTHING))
        learn(q->r, q->world, q->chat, q->agent, q->model);
}

void skn_learn_consider(skn_run *run)
{
    skn_model_request *q = under_way(run->r, run->agent);

    if (!run->rights.learns || run->turn.mode != SKEIN_BACKGROUND || run->lane.v ||
        run->r->closing)
        return;
    if (q)
        ((learning *)q->own)->again = true;
    else
        learn(run->r, run->turn.world, run->chat, run->agent, run->model);
}
