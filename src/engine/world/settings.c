/* settings.c: what the program keeps for itself: settings, answers to requests, failed edits. */
#include "base/json.h"
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
    skein_engine         *e;
    const skein_settings *was; /* as they must still be; NULL: they may be any */
    const skein_setting  *list;
    size_t                count;
    skein_mem            *mem;
    skein_settings       *out;
} settings_call;

static skein_rc setting_list(skn_tx *tx, void *arg, skein_error *err)
{
    settings_call *c = arg;

    return skn_setting_rows(tx, c->mem, c->out, err);
}

skein_rc skein_setting_list(skein_engine *e, skein_mem *mem, skein_settings *out,
                            skein_error *err)
{
    settings_call c = {.mem = mem, .out = out};

    *out = (skein_settings){0};
    return skn_store_read(e->store, setting_list, &c, err);
}

static bool are_same(const skein_settings *a, const skein_settings *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = skn_str_eq(a->at[i].key, b->at[i].key) &&
               skn_str_eq(a->at[i].value, b->at[i].value);
    return same;
}

static skein_rc check_unchanged(skn_tx *tx, const settings_call *c, skein_error *err)
{
    skein_settings now;
    skein_rc       rc;

    if (!c->was)
        return SKEIN_OK;
    if ((rc = skn_setting_hold(tx, err)) || (rc = skn_setting_rows(tx, c->mem, &now, err)))
        return rc;
    return are_same(c->was, &now)
               ? SKEIN_OK
               : skn_fail(err, SKEIN_VERSION_CHANGED, "the settings were changed meanwhile");
}

/* What pages keep for themselves ("ui.") is nobody's business. */
static skein_rc note_change(skn_tx *tx, const settings_call *c, const skein_settings *before,
                            const skein_setting *now, skein_error *err)
{
    skn_str was = SKN_NONE;

    for (size_t i = 0; i < before->count; i++)
        if (skn_str_eq(before->at[i].key, now->key))
            was = before->at[i].value;
    if (skn_str_starts(now->key, SKN_STR("ui.")) || skn_str_eq(was, now->value))
        return SKEIN_OK;
    if (skn_str_is(now->key, "providers"))
        return skn_audit_in(tx, c->e, "provider.change", now->key,
                            skn_audit_changes(was, now->value, c->mem), err);
    return skn_audit_in(tx, c->e, "setting.change", now->key,
                        now->value.p ? SKN_NONE : SKN_STR("removed"), err);
}

static skein_rc setting_put(skn_tx *tx, void *arg, skein_error *err)
{
    settings_call *c = arg;
    skein_settings all, before = {0};
    skein_rc       rc = check_unchanged(tx, c, err);

    if (!rc)
        rc = skn_setting_rows(tx, c->mem, &before, err);
    for (size_t i = 0; rc == SKEIN_OK && i < c->count; i++)
        if (!(rc = skn_setting_put(tx, &c->list[i], err)))
            rc = note_change(tx, c, &before, &c->list[i], err);
    if (rc || (rc = skn_setting_changed(tx, err)) ||
        (rc = skn_setting_rows(tx, c->mem, &all, err)))
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
    settings_call c = {
        .e = e, .was = was, .list = list, .count = count, .mem = skn_arena_new()};
    skein_rc rc = SKEIN_OK;

    if (count > SETTINGS_MAX)
        rc = skn_fail(err, SKEIN_LIMIT, "more than %zu settings", SETTINGS_MAX);
    for (size_t i = 0; rc == SKEIN_OK && i < count; i++)
        rc = check_setting(&list[i], c.mem, err);
    if (rc == SKEIN_OK)
        rc = skn_store_write(e->store, setting_put, &c, err);
    skn_arena_free(c.mem);
    return rc;
}

skein_rc skein_setting_put(skein_engine *e, const skein_setting *list, size_t count,
                           skein_error *err)
{
    return skein_setting_put_from(e, NULL, list, count, err);
}

static skein_rc setting_changes(skn_tx *tx, void *arg, skein_error *err)
{
    return skn_setting_changes(tx, arg, err);
}

skein_rc skein_setting_changes(skein_engine *e, int64_t *out, skein_error *err)
{
    *out = 0;
    return skn_store_read(e->store, setting_changes, out, err);
}

/* --- Answers ----------------------------------------------------------------------------------- */

typedef struct answer_call {
    skn_str                  key;
    skein_mem               *mem;
    skein_kept_answer       *out;
    bool                    *found;
    const skein_kept_answer *answer;
} answer_call;

static skein_rc answer_find(skn_tx *tx, void *arg, skein_error *err)
{
    answer_call *c = arg;

    return skn_answer_get(tx, c->key, SKN_NOW() - DAY, c->mem, c->out, c->found, err);
}

skein_rc skein_answer_find(skein_engine *e, skein_str key, skein_mem *mem,
                           skein_kept_answer *out, bool *found, skein_error *err)
{
    answer_call c = {.key = key, .mem = mem, .out = out, .found = found};
    skein_rc    rc = skn_check_word(key, "the key", SKN_TITLE_MAX, err);

    *found = false;
    return rc ? rc : skn_store_read(e->store, answer_find, &c, err);
}

/* Old ones go a few at a time, with those that come. */
static skein_rc answer_keep(skn_tx *tx, void *arg, skein_error *err)
{
    answer_call *c = arg;
    int64_t      now = SKN_NOW();
    skein_rc     rc = skn_answer_put(tx, c->answer, now, err);

    return rc ? rc : skn_answer_expire(tx, now - DAY, err);
}

skein_rc skein_answer_keep(skein_engine *e, const skein_kept_answer *answer, skein_error *err)
{
    answer_call c = {.answer = answer};
    skein_rc    rc = skn_check_word(answer->key, "the key", SKN_TITLE_MAX, err);

    if (rc)
        return rc;
    if (answer->head.n + answer->body.n > ANSWER_BYTES)
        return skn_fail(err, SKEIN_LIMIT, "the answer is over %zu bytes", ANSWER_BYTES);
    return skn_store_write(e->store, answer_keep, &c, err);
}

typedef struct begin_call {
    skn_str key;
    int64_t request;
    bool   *begun;
} begin_call;

static skein_rc answer_begin(skn_tx *tx, void *arg, skein_error *err)
{
    const begin_call *c = arg;
    int64_t           now = SKN_NOW();

    return skn_answer_begin(tx, c->key, c->request, now, now - DAY, c->begun, err);
}

skein_rc skein_answer_begin(skein_engine *e, skein_str key, int64_t request, bool *begun,
                            skein_error *err)
{
    begin_call c = {key, request, begun};
    skein_rc   rc = skn_check_word(key, "the key", SKN_TITLE_MAX, err);

    *begun = false;
    return rc ? rc : skn_store_write(e->store, answer_begin, &c, err);
}

/* --- Failed edits -------------------------------------------------------------------------------- */

typedef struct edit_call {
    skein_world_id     world;
    skein_edit_error   what;
    skein_mem         *mem;
    skein_edit_errors *out;
} edit_call;

static skein_rc need_world(skn_tx *tx, const edit_call *c, skein_error *err)
{
    skein_world world;
    bool        found;
    skein_rc    rc = skn_world_get(tx, c->world.v, c->mem, &world, &found, err);

    if (rc || found)
        return rc;
    return skn_fail(err, SKEIN_NOT_FOUND, "there is no world with the number %lld",
                    (long long)c->world.v);
}

static skein_rc edit_error_add(skn_tx *tx, void *arg, skein_error *err)
{
    edit_call *c = arg;
    char       uid[11];
    skein_rc   rc = need_world(tx, c, err);

    if (rc)
        return rc;
    skn_tx_uid(tx, uid);
    c->what.uid = skn_arena_printf(c->mem, "ee_%s", uid);
    if (!c->what.at)
        c->what.at = SKN_NOW();
    if ((rc = skn_edit_error_insert(tx, c->world.v, &c->what, err)))
        return rc;
    return skn_edit_error_trim(tx, c->world.v, EDIT_ERRORS, err);
}

skein_rc skein_edit_error_add(skein_engine *e, skein_world_id world,
                              const skein_edit_error *what, skein_error *err)
{
    edit_call c = {.world = world, .what = *what};
    skein_rc  rc;

    if ((rc = skn_check_word(what->operation, "the operation", SKN_WORD_MAX, err)) ||
        (what->message_uid.p &&
         (rc = skn_check_word(what->message_uid, "the message's id", SKN_WORD_MAX, err))) ||
        (rc = skn_check_text(e, what->error, "the error", err)))
        return rc;
    c.what.error = what->error.n > EDIT_ERROR_TEXT ? skn_utf8_cut(what->error, EDIT_ERROR_TEXT)
                                                   : what->error;
    if (!c.what.error.p)
        c.what.error = SKN_STR("");
    c.mem = skn_arena_new();
    rc = skn_store_write(e->store, edit_error_add, &c, err);
    skn_arena_free(c.mem);
    return rc;
}

static skein_rc edit_error_list(skn_tx *tx, void *arg, skein_error *err)
{
    edit_call *c = arg;
    skein_rc   rc = skn_edit_half_rows(tx, c->world.v, SKN_NOW() - EDIT_HALF_AGE, EDIT_ERRORS,
                                       c->mem, c->out, err);

    return rc ? rc : skn_edit_error_rows(tx, c->world.v, c->mem, c->out, err);
}

skein_rc skein_edit_error_list(skein_engine *e, skein_world_id world, skein_mem *mem,
                               skein_edit_errors *out, skein_error *err)
{
    edit_call c = {.world = world, .mem = mem, .out = out};

    *out = (skein_edit_errors){0};
    return skn_store_read(e->store, edit_error_list, &c, err);
}

/* Browsers that are signed in. The server decides who is; here it is kept. */

typedef struct session_call {
    skein_engine      *e;
    const skn_session *what;
    skn_str            uid, with;
    skein_mem         *mem;
    skn_sessions      *out;
    int64_t            now, *gone;
} session_call;

static skein_rc session_put(skn_tx *tx, void *arg, skein_error *err)
{
    session_call *c = arg;
    skein_rc      rc = skn_session_insert(tx, c->what, err);

    if (rc || (rc = skn_session_trim(tx, c->now, SKN_SESSIONS_MOST, err)))
        return rc;
    return skn_audit_in(tx, c->e, "sign-in", c->what->uid, c->with, err);
}

skein_rc skn_session_put(skein_engine *e, const skn_session *what, skn_str with,
                         skein_error *err)
{
    session_call c = {.e = e, .what = what, .with = with, .now = what->created_at};

    return skn_store_write(e->store, session_put, &c, err);
}

static skein_rc session_list(skn_tx *tx, void *arg, skein_error *err)
{
    session_call *c = arg;

    return skn_session_rows(tx, c->now, c->mem, c->out, err);
}

skein_rc skn_session_list(skein_engine *e, int64_t now, skein_mem *mem, skn_sessions *out,
                          skein_error *err)
{
    session_call c = {.now = now, .mem = mem, .out = out};

    *out = (skn_sessions){0};
    return skn_store_read(e->store, session_list, &c, err);
}

static skein_rc session_remove(skn_tx *tx, void *arg, skein_error *err)
{
    session_call *c = arg;
    skein_rc      rc = skn_session_delete(tx, c->uid, c->gone, err);

    if (rc || !*c->gone)
        return rc;
    return skn_audit_in(tx, c->e, "session.remove", c->uid.p ? c->uid : SKN_STR("all"),
                        SKN_NONE, err);
}

skein_rc skn_session_remove(skein_engine *e, skn_str uid, int64_t *gone, skein_error *err)
{
    session_call c = {.e = e, .uid = uid, .gone = gone};

    return skn_store_write(e->store, session_remove, &c, err);
}
