/* settings.c: what the program keeps for itself: settings, answers to requests, failed edits. */
#include "base/utf8.h"
#include "engine/core.h"
#include "engine/engine.h"

#define SETTINGS_MAX    ((size_t)1000)
#define SETTING_BYTES   ((size_t)64 << 10)
#define ANSWER_BYTES    ((size_t)32 << 20)
#define DAY             (INT64_C(24) * 60 * 60 * 1000000)
#define EDIT_ERRORS     ((size_t)100)
#define EDIT_ERROR_TEXT ((size_t)4096)
#define EDIT_HALF_AGE                                                                          \
    ((int64_t)60 * 1000 * 1000) /* until then the new text may be on its way */

/* --- Settings --------------------------------------------------------------------------------- */

typedef struct settings_call {
    const skein_settings *was; /* as they must still be; NULL: they may be any */
    const skein_setting  *list;
    size_t                count;
} settings_call;

static bool are_same(const skein_settings *a, const skein_settings *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = skn_str_eq(a->at[i].key, b->at[i].key) &&
               skn_str_eq(a->at[i].value, b->at[i].value);
    return same;
}

static skein_rc check_unchanged(skn_working *w, const settings_call *c, skein_error *err)
{
    skein_settings now;
    skein_rc       rc;

    if (!c->was)
        return SKEIN_OK;
    if ((rc = skn_setting_hold(w->tx, err)) || (rc = skn_setting_rows(w->tx, w->a, &now, err)))
        return rc;
    return are_same(c->was, &now)
               ? SKEIN_OK
               : skn_fail(err, SKEIN_VERSION_CHANGED, "the settings were changed meanwhile");
}

/* What pages keep for themselves ("ui.") is nobody's business. */
static skein_rc note_change(skn_working *w, const skein_settings *before,
                            const skein_setting *now, skein_error *err)
{
    skn_str was = SKN_NONE;

    for (size_t i = 0; i < before->count; i++)
        if (skn_str_eq(before->at[i].key, now->key))
            was = before->at[i].value;
    if (skn_str_starts(now->key, SKN_STR("ui.")) || skn_str_eq(was, now->value))
        return SKEIN_OK;
    if (skn_str_is(now->key, "providers"))
        return skn_audit_in(w, "provider.change", now->key,
                            skn_audit_changes(was, now->value, w->a), err);
    return skn_audit_in(w, "setting.change", now->key,
                        now->value.p ? SKN_NONE : SKN_STR("removed"), err);
}

static skein_rc setting_put(skn_working *w, void *arg, skein_error *err)
{
    settings_call *c = arg;
    skein_settings all, before = {0};
    skein_rc       rc = check_unchanged(w, c, err);

    if (!rc)
        rc = skn_setting_rows(w->tx, w->a, &before, err);
    for (size_t i = 0; rc == SKEIN_OK && i < c->count; i++)
        if (!(rc = skn_setting_put(w->tx, &c->list[i], err)))
            rc = note_change(w, &before, &c->list[i], err);
    if (rc || (rc = skn_setting_changed(w->tx, err)) ||
        (rc = skn_setting_rows(w->tx, w->a, &all, err)))
        return rc;
    return all.count <= SETTINGS_MAX
               ? SKEIN_OK
               : skn_fail(err, SKEIN_LIMIT, "more than %zu settings", SETTINGS_MAX);
}

static skein_rc check_setting(const skein_setting *s, skn_arena *a, skein_error *err)
{
    const skn_json *value;
    skein_rc        rc = skn_check_word(s->key, "a setting's name", SKN_WORD_MAX, err);

    if (rc || !s->value.p)
        return rc;
    if (s->value.n > SETTING_BYTES)
        return skn_fail(err, SKEIN_LIMIT, "setting \"%.*s\" is over %zu bytes", SKN_FMT(s->key),
                        SETTING_BYTES);
    return skn_json_parse(&value, s->value, "the setting", a, err);
}

skein_rc skein_setting_put_from(skein_engine *e, const skein_settings *was,
                                const skein_setting *list, size_t count, skein_error *err)
{
    settings_call c = {was, list, count};
    skn_arena    *scratch = skn_arena_new();
    skein_rc      rc = SKEIN_OK;

    if (count > SETTINGS_MAX)
        rc = skn_fail(err, SKEIN_LIMIT, "more than %zu settings", SETTINGS_MAX);
    for (size_t i = 0; rc == SKEIN_OK && i < count; i++)
        rc = check_setting(&list[i], scratch, err);
    if (rc == SKEIN_OK)
        rc = skn_write(e, scratch, setting_put, &c, err);
    skn_arena_free(scratch);
    return rc;
}

skein_rc skein_setting_put(skein_engine *e, const skein_setting *list, size_t count,
                           skein_error *err)
{
    return skein_setting_put_from(e, NULL, list, count, err);
}

/* --- Answers ----------------------------------------------------------------------------------- */

skein_rc skein_answer_find(skein_engine *e, skein_str key, skein_mem *mem,
                           skein_kept_answer *out, bool *found, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *found = false;
    s.rc = skn_check_word(key, "the key", SKN_TITLE_MAX, err);
    while (skn_snapshot_next(&s, err))
        s.rc = skn_answer_get(s.tx, key, SKN_NOW() - DAY, mem, out, found, err);
    return s.rc;
}

/* Old ones go a few at a time, with those that come. */
static skein_rc answer_keep(skn_working *w, void *arg, skein_error *err)
{
    skein_rc rc = skn_answer_put(w->tx, arg, w->now, err);

    return rc ? rc : skn_answer_expire(w->tx, w->now - DAY, err);
}

skein_rc skein_answer_keep(skein_engine *e, const skein_kept_answer *answer, skein_error *err)
{
    skein_kept_answer kept = *answer;
    skein_rc          rc = skn_check_word(answer->key, "the key", SKN_TITLE_MAX, err);

    if (rc)
        return rc;
    if (answer->head.n + answer->body.n > ANSWER_BYTES)
        return skn_fail(err, SKEIN_LIMIT, "the answer is over %zu bytes", ANSWER_BYTES);
    return skn_write(e, NULL, answer_keep, &kept, err);
}

typedef struct begin_call {
    skn_str key;
    int64_t request;
    bool   *begun;
} begin_call;

static skein_rc answer_begin(skn_working *w, void *arg, skein_error *err)
{
    const begin_call *c = arg;

    return skn_answer_begin(w->tx, c->key, c->request, w->now, w->now - DAY, c->begun, err);
}

skein_rc skein_answer_begin(skein_engine *e, skein_str key, int64_t request, bool *begun,
                            skein_error *err)
{
    begin_call c = {key, request, begun};
    skein_rc   rc = skn_check_word(key, "the key", SKN_TITLE_MAX, err);

    *begun = false;
    return rc ? rc : skn_write(e, NULL, answer_begin, &c, err);
}

/* --- Failed edits -------------------------------------------------------------------------------- */

typedef struct edit_call {
    int64_t          world;
    skein_edit_error what;
} edit_call;

static skein_rc edit_error_add(skn_working *w, void *arg, skein_error *err)
{
    edit_call  *c = arg;
    char        uid[11];
    skein_world world;
    skein_rc    rc = skn_world_need(w->tx, c->world, w->a, &world, err);

    if (rc)
        return rc;
    skn_tx_uid(w->tx, uid);
    c->what.uid = skn_arena_printf(w->a, "ee_%s", uid);
    if (!c->what.at)
        c->what.at = w->now;
    if ((rc = skn_edit_error_insert(w->tx, c->world, &c->what, err)))
        return rc;
    return skn_edit_error_trim(w->tx, c->world, EDIT_ERRORS, err);
}

skein_rc skein_edit_error_add(skein_engine *e, skein_world_id world,
                              const skein_edit_error *what, skein_error *err)
{
    edit_call c = {.world = world.v, .what = *what};
    skein_rc  rc;

    if ((rc = skn_check_word(what->operation, "the operation", SKN_WORD_MAX, err)) ||
        (rc = skn_check_given(what->message_uid, "the message's id", SKN_WORD_MAX, err)) ||
        (rc = skn_check_text(e, what->error, "the error", err)))
        return rc;
    c.what.error = what->error.n > EDIT_ERROR_TEXT ? skn_utf8_cut(what->error, EDIT_ERROR_TEXT)
                                                   : what->error;
    if (!c.what.error.p)
        c.what.error = SKN_STR("");
    return skn_write(e, NULL, edit_error_add, &c, err);
}

skein_rc skein_edit_error_list(skein_engine *e, skein_world_id world, skein_mem *mem,
                               skein_edit_errors *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    while (skn_snapshot_next(&s, err)) {
        *out = (skein_edit_errors){0};
        if (!(s.rc = skn_edit_half_rows(s.tx, world.v, SKN_NOW() - EDIT_HALF_AGE, EDIT_ERRORS,
                                        mem, out, err)))
            s.rc = skn_edit_error_rows(s.tx, world.v, mem, out, err);
    }
    return s.rc;
}

/* --- What was learned of models --------------------------------------------------------------------- */

static skein_rc put_learned(skn_working *w, void *arg, skein_error *err)
{
    const skn_learned_list *all = arg;
    skein_rc                rc = SKEIN_OK;

    for (size_t i = 0; i < all->count && !rc; i++)
        rc = all->at[i].value.p ? skn_learned_set(w->tx, &all->at[i], w->now, err)
                                : skn_learned_forget(w->tx, &all->at[i], err);
    return rc;
}

skein_rc skn_learned_put(skein_engine *e, const skn_learned *list, size_t count,
                         skein_error *err)
{
    skn_learned_list all = {(skn_learned *)(uintptr_t)list, count};
    skein_rc         rc = SKEIN_OK;

    for (size_t i = 0; i < count && !rc; i++)
        rc = skn_check_word(list[i].model, "the model", SKN_TITLE_MAX, err);
    return rc || !count ? rc : skn_write(e, NULL, put_learned, &all, err);
}

/* Browsers that are signed in. The server decides who is; here it is kept. */

typedef struct session_call {
    const skn_session *what;
    skn_str            uid, with;
    int64_t           *gone;
} session_call;

static skein_rc session_put(skn_working *w, void *arg, skein_error *err)
{
    session_call *c = arg;
    skein_rc      rc = skn_session_insert(w->tx, c->what, err);

    if (rc || (rc = skn_session_trim(w->tx, c->what->created_at, SKN_SESSIONS_MOST, err)))
        return rc;
    return skn_audit_in(w, "sign-in", c->what->uid, c->with, err);
}

skein_rc skn_session_put(skein_engine *e, const skn_session *what, skn_str with,
                         skein_error *err)
{
    session_call c = {.what = what, .with = with};

    return skn_write(e, NULL, session_put, &c, err);
}

static skein_rc session_remove(skn_working *w, void *arg, skein_error *err)
{
    session_call *c = arg;
    skein_rc      rc = skn_session_delete(w->tx, c->uid, c->gone, err);

    if (rc || !*c->gone)
        return rc;
    return skn_audit_in(w, "session.remove", c->uid.p ? c->uid : SKN_STR("all"), SKN_NONE, err);
}

skein_rc skn_session_remove(skein_engine *e, skn_str uid, int64_t *gone, skein_error *err)
{
    session_call c = {.uid = uid, .gone = gone};

    return skn_write(e, NULL, session_remove, &c, err);
}
