/* extract_text.c: what a model takes from context files by their prompts, before a turn asks its own. Each is made
 * once for what the file holds; one that could not be made is tried again in the next turn. */
#include "runtime/wish.h"

enum { MOST_IN_A_TURN = 20, TEXT_BYTES = 4 << 20 };

typedef struct extract {
    size_t              skip; /* files that a model could not be asked about in this turn */
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

    if (rc || !skn_extract_next(&x->files, root, x->skip, w->a, &x->what))
        return rc ? rc : SKEIN_NOTHING;
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

/* Why it could not be made is kept, too: people and models are told. */
static void note_failure(skn_run *run)
{
    skein_context_files files;
    skn_extract         what;

    if (!skein_context_file_list(run->r->o.engine, run->turn.chat, run->round, &files, NULL) &&
        skn_extract_next(&files, run->r->o.files, run->unextracted, run->round, &what))
        skn_extract_keep(run->r->o.files, what.name, SKN_NONE,
                         skn_str_of(run->why_unextracted.message), NULL);
    run->unextracted++;
}

static void on_extracted(void *arg, const skn_wished *out, const skein_error *err)
{
    skn_run *run = arg;

    (void)out;
    run->wish = NULL;
    run->why_unextracted = *err;
    if (err->rc == SKEIN_NOTHING)
        skn_run_job(run, load_again, skn_run_loaded);
    else if (err->rc)
        skn_run_job(run, note_failure, ask_next);
    else
        ask_next(run);
}

static void ask_next(skn_run *run)
{
    skn_wish *w;
    extract  *x;

    if (run->extracts == MOST_IN_A_TURN) {
        skn_run_job(run, load_again, skn_run_loaded);
        return;
    }
    run->extracts++;
    w = skn_wish_new(run->r, &extract_kind);
    x = SKN_NEW(w->a, extract);
    x->skip = run->unextracted;
    w->own = x;
    w->world = run->turn.world;
    w->chat = run->turn.chat;
    w->agent = run->agent;
    w->model = skn_arena_copy(w->a, run->model);
    run->wish = w;
    skn_wish_start(w, on_extracted, run);
}

bool skn_run_extract(skn_run *run)
{
    if (!run->wants_extracts || run->extracts)
        return false;
    ask_next(run);
    return true;
}
