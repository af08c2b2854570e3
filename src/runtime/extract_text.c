/* extract_text.c: what a model takes from context files by their prompts, before a turn asks its own. Each is made
 * once for what the file holds, whoever of the agents needs it first; one that could not be made is tried again later. */
#include "runtime/wish.h"

enum { MOST_IN_A_TURN = 20, TEXT_BYTES = 4 << 20, LOOK_MS = 50 };

typedef struct extract {
    skn_str             name; /* of what is to be made */
    skein_context_files files;
    skn_extract         what;
} extract;

/* --- The wish ------------------------------------------------------------------------------------------ */

static skein_rc read_file(skn_wish *w, skein_error *err)
{
    extract    *x = w->own;
    const char *root = w->r->o.files;
    skn_buf     b;
    skein_rc    rc = skein_context_file_list(w->r->o.engine, w->chat, w->a, &x->files, err);

    if (rc)
        return rc;
    if (!skn_extract_next(&x->files, root, w->a, &x->what) ||
        !skn_str_eq(x->what.name, x->name)) /* the file was changed just now */
        return SKEIN_NOTHING;
    skn_buf_init(&b, TEXT_BYTES);
    skn_buf_addf(&b, "%.*s\n", SKN_FMT(x->what.file->prompt));
    skn_brief_file(&b, x->what.file, &x->what.parts);
    w->text = skn_arena_copy(w->a, skn_buf_str(&b));
    skn_buf_release(&b);
    w->system = SKN_STR("You take from a file what another model needs of it, in the form that "
                        "the instruction before the file asks for. Keep names and code as they "
                        "are written there. Write only what was asked for.");
    return SKEIN_OK;
}

static skein_rc store_text(skn_wish *w, skein_error *err)
{
    const extract *x = w->own;

    if (!w->wrote.n)
        return skn_fail(err, SKEIN_PROVIDER, "the model wrote nothing");
    w->out.text = skn_arena_copy(w->a, w->wrote);
    return skn_extract_keep(w->r->o.files, x->what.name, w->wrote, SKN_NONE, err);
}

static const skn_wish_kind extract_kind = {"summary",
                                           "the prompt of a context file was not applied",
                                           read_file, store_text, .whole = true};

/* --- In a turn --------------------------------------------------------------------------------------------- */

static void ask_next(skn_run *run);

static void load_again(skn_run *run)
{
    run->rc = skn_run_load(run, &run->err);
}

static void go_on_with_turn(skn_run *run)
{
    run->extracts = MOST_IN_A_TURN; /* not again in this turn */
    skn_run_job(run, load_again, skn_run_loaded);
}

/* Why it could not be made is kept, too: people and models are told, and it is not tried again at once. */
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

static void on_extracted(void *arg, const skn_wished *out, const skein_error *err)
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
    skn_wish *w = skn_wish_new(run->r, &extract_kind);
    extract  *x = SKN_NEW(w->a, extract);

    run->extracts++;
    run->extracting = run->next_extract;
    x->name = skn_arena_copy(w->a, run->next_extract);
    w->own = x;
    w->world = run->turn.world;
    w->chat = run->turn.chat;
    w->agent = run->agent;
    w->model = skn_arena_copy(w->a, run->model);
    skn_run_enter(run, SKN_RUN_WISHING);
    run->wish = w;
    skn_wish_start(w, on_extracted, run);
}

/* Does another run have it made? */
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

/* A model is asked by one of them; the others wait for what it writes. */
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
