/* Editing a message of a person: how much that would take away, taking it away, and saying it again. */
#include "api/call.h"

/* --- Before anything changes, in the order that the first clients expect ----------------------------------------- */

static bool is_users(const skein_message *m)
{
    return m->author == SKEIN_BY_HUMAN && m->role == SKEIN_USER;
}

static skein_rc find_target(skn_api_call *c, skein_message *out)
{
    skn_str  chat;
    skein_rc rc = skn_call_chat_id(c, &chat);

    if (rc)
        return rc;
    return chat.p ? skn_api_message(c, out) : skn_call_invalid(c, "/chatId", "is required");
}

/* The versions that still hold it, so that it can be found again. */
static void name_threads(skn_api_call *c, const skein_message_facts *f)
{
    skn_buf       b;
    skn_jw        w;
    skein_version v;

    skn_jw_open(&w, &b, (size_t)1 << 16);
    skn_jw_array(&w);
    for (size_t i = 0; i < f->version_count; i++)
        if (!skein_version_get(c->engine, c->chat.id, f->versions[i], c->mem, &v, NULL))
            skn_jw_str(&w, v.thread_uid);
    skn_jw_array_end(&w);
    c->problem_extra = skn_arena_printf(c->mem, "\"inThreads\":%.*s", SKN_FMT(skn_buf_str(&b)));
    skn_buf_release(&b);
}

/* A message that only other versions have is not found, but it is not lost. */
static skein_rc check_here(skn_api_call *c, skein_message *m)
{
    skein_messages      one = {m, 1};
    skein_message_facts facts = {0};
    skein_rc            rc;

    if (m->position >= 0)
        return SKEIN_OK;
    rc = skein_message_explain(c->engine, c->chat.id, c->chat.version, &one, c->mem, &facts,
                               &c->error);
    for (size_t i = 0; rc == SKEIN_OK && i < facts.version_count; i++)
        if (facts.versions[i] == c->chat.version)
            return SKEIN_OK; /* it stands in a delegation */
    if (rc)
        return rc;
    name_threads(c, &facts);
    c->more.thing = "message";
    return skn_hint(&c->error,
                    skn_fail(&c->error, SKEIN_NOT_FOUND,
                             "the current version has no message \"%.*s\"", SKN_FMT(m->uid)),
                    "Other versions have it: \"skein show %.*s\" lists them.", SKN_FMT(m->uid));
}

static skein_rc check_kind(skn_api_call *c, const skein_message *m)
{
    if (is_users(m))
        return SKEIN_OK;
    return skn_fail(&c->error, SKEIN_NOT_USER_MESSAGE,
                    "message \"%.*s\" was not written by a person", SKN_FMT(m->uid));
}

static bool in_session(const skn_api_call *c)
{
    return c->world.current_chat.v != 0 || c->chat.mode != SKEIN_CHAT;
}

static skein_rc check_session(skn_api_call *c)
{
    if (in_session(c))
        return SKEIN_OK;
    return skn_fail_hint(
        &c->error, SKEIN_SESSION_OFF, "Make a chat the world's currentChatId, then edit again.",
        "session mode is off in world \"%.*s\": nothing was changed", SKN_FMT(c->world.name));
}

/* --- Counting ----------------------------------------------------------------------------- */

static skein_rc find_block(skn_api_call *c, const skein_message *m, skn_str *out)
{
    skn_at_work work;
    bool        busy = false;
    skein_rc    rc = skn_api_at_work(c, c->world.id, &work);

    for (size_t i = 0; rc == SKEIN_OK && i < work.turns.count; i++)
        busy = busy || work.turns.at[i].chat.v == c->chat.id.v;
    for (size_t i = 0; rc == SKEIN_OK && i < work.dues.count; i++)
        busy = busy || work.dues.at[i].chat.v == c->chat.id.v;
    *out = !is_users(m)     ? SKN_STR("not-a-user-message")
           : !in_session(c) ? SKN_STR("session-off")
           : busy           ? SKN_STR("world-busy")
                            : SKN_NONE;
    return rc;
}

skein_rc skn_api_count_removal(skn_api_call *c)
{
    skein_message m;
    skein_change  how;
    skein_removal would;
    skn_str       block;
    skein_rc      rc;

    if ((rc = find_target(c, &m)) || (rc = check_here(c, &m)) ||
        (rc = find_block(c, &m, &block)))
        return rc;
    how = (skein_change){.conversation = c->chat.id, .dry_run = true};
    if ((rc = skein_remove_from(c->engine, &how, m.id, false, c->mem, &would, &c->error)))
        return rc;
    skn_shape_count(&c->w, c->chat.uid, in_session(c), block, &m, &would);
    return SKEIN_OK;
}

/* --- Removing and editing ----------------------------------------------------------------- */

/* A removal that the store could not do is remembered, and can be tried again. */
static skein_rc removal_failed(skn_api_call *c, const skein_message *m, const char *what,
                               skein_rc rc)
{
    skein_edit_error log = {.chat = c->chat.id,
                            .message_uid = m->uid,
                            .operation = skn_str_of(what),
                            .error = skn_arena_printf(c->mem, "%s", c->error.message)};

    if (skein_rc_http(rc) < 500)
        return skn_api_changed(c, rc);
    (void)skein_edit_error_add(c->engine, c->world.id, &log, NULL);
    if (skein_rc_http(rc) == 500) {
        c->problem = "removal-failed";
        c->problem_status = 500;
    }
    return rc;
}

static skein_rc prepare(skn_api_call *c, skein_message *m, skein_change *how)
{
    skein_rc rc;

    if (!c->key.p && (rc = check_here(c, m))) /* with a key it may have been removed by it */
        return rc;
    if ((rc = check_kind(c, m)) || (rc = check_session(c)))
        return rc;
    return skn_api_change(c, false, how);
}

/* With a key, the engine knows whether this removal was made before; if it was not, the message is not found. */
static skein_rc not_found_now(skn_api_call *c, skein_message *m, skein_rc rc)
{
    skein_error err = c->error;

    if (rc != SKEIN_NOT_FOUND)
        return rc;
    if (check_here(c, m) == SKEIN_OK)
        c->error = err;
    return rc;
}

static skein_rc answer_removal(skn_api_call *c, const skein_removal *done)
{
    skn_shape_removal(&c->w, c->world.name, c->chat.uid, done);
    skn_api_fresh_etag(c);
    return SKEIN_OK;
}

/* An edit under way; it is its worker's, from begin to end. */
struct skn_editing {
    skein_conversation_id chat;
    skn_editing          *next;
};

/* One edit of a chat at a time. An edit removes the later messages, so a second edit was meant for a conversation that is
 * about to change: its sender is told instead of being queued. */

static skein_rc edit_begin(skn_api_call *c, skn_editing *e)
{
    skn_api *api = c->api;
    bool     running = false;

    pthread_mutex_lock(&api->mu);
    for (const skn_editing *one = api->editing; one; one = one->next)
        running = running || one->chat.v == c->chat.id.v;
    if (!running) {
        *e = (skn_editing){c->chat.id, api->editing};
        api->editing = e;
    }
    pthread_mutex_unlock(&api->mu);
    if (!running)
        return SKEIN_OK;
    return skn_call_problem(c, 409, "edit-in-progress",
                            "another edit of chat \"%.*s\" is under way", SKN_FMT(c->chat.uid));
}

static void edit_end(skn_api_call *c, skn_editing *e)
{
    skn_api      *api = c->api;
    skn_editing **at;

    pthread_mutex_lock(&api->mu);
    for (at = &api->editing; *at != e;)
        at = &(*at)->next;
    *at = e->next;
    pthread_mutex_unlock(&api->mu);
}

/* Finds the message, and edits while nobody else edits its chat. */
static skein_rc edit_alone(skn_api_call *c, skein_rc (*edit)(skn_api_call *, skein_message *))
{
    skein_message m;
    skn_editing   e;
    skein_rc      rc;

    if ((rc = find_target(c, &m)) || (rc = edit_begin(c, &e)))
        return rc;
    rc = edit(c, &m);
    edit_end(c, &e);
    return rc;
}

static skein_rc remove_message(skn_api_call *c, skein_message *m)
{
    skein_change  how;
    skein_removal done;
    skein_rc      rc;

    if ((rc = prepare(c, m, &how)) || (rc = skn_api_flag(c, "resubmit", &how.resubmit)))
        return rc;
    if ((rc = skein_remove_from(c->engine, &how, m->id, true, c->mem, &done, &c->error)))
        return removal_failed(c, m, "remove", not_found_now(c, m, rc));
    return answer_removal(c, &done);
}

skein_rc skn_api_remove_message(skn_api_call *c)
{
    return edit_alone(c, remove_message);
}

static skein_rc read_new_content(skn_api_call *c, skn_str *out)
{
    skein_rc rc = skn_call_words(c, "newContent", false, out);

    if (!rc && !out->p)
        rc = skn_call_words(c, "content", false, out);
    return rc || out->p ? rc : skn_call_invalid(c, "/newContent", "is required");
}

static skein_rc edit_message(skn_api_call *c, skein_message *m)
{
    skein_change  how;
    skein_removal done;
    skn_str       content;
    skein_rc      rc;

    if ((rc = prepare(c, m, &how)) || (rc = read_new_content(c, &content)) ||
        (rc = skn_call_text(c, "clientMessageId", false, &how.client_id)) ||
        (rc = skn_call_flag(c, "answer", true, &how.wake)))
        return rc;
    if ((rc = skein_edit(c->engine, &how, m->id, content, c->mem, &done, &c->error)))
        return removal_failed(c, m, "edit", not_found_now(c, m, rc));
    return answer_removal(c, &done);
}

skein_rc skn_api_edit_message(skn_api_call *c)
{
    return edit_alone(c, edit_message);
}

static skein_rc ask_another(skn_api_call *c, skein_message *m)
{
    skein_again   what = {.message = m->id};
    skein_change  how;
    skein_removal done;
    skein_rc      rc;

    if ((!c->key.p && (rc = check_here(c, m))) || (rc = skn_api_change(c, false, &how)) ||
        (rc = skn_api_read_again(c, &what)))
        return rc;
    if ((rc = skein_ask_another(c->engine, &how, &what, c->mem, &done, &c->error)))
        return removal_failed(c, m, "retry", not_found_now(c, m, rc));
    return answer_removal(c, &done);
}

skein_rc skn_api_ask_another(skn_api_call *c)
{
    return edit_alone(c, ask_another);
}

/* --- What failed -------------------------------------------------------------------------- */

static skein_rc find_error(skn_api_call *c, skein_edit_error *out)
{
    skein_edit_errors list;
    skein_rc rc = skein_edit_error_list(c->engine, c->world.id, c->mem, &list, &c->error);

    if (rc)
        return rc;
    for (size_t i = 0; i < list.count; i++)
        if (skn_str_eq(list.at[i].uid, c->params[1])) {
            *out = list.at[i];
            return SKEIN_OK;
        }
    return skn_fail(&c->error, SKEIN_NOT_FOUND, "there is no failed edit \"%.*s\"",
                    SKN_FMT(c->params[1]));
}

/* After half an edit the removal is done: nothing is left to retry. */
static skein_rc check_whole(skn_api_call *c, const skein_edit_error *failed)
{
    if (!skn_str_starts(failed->uid, SKN_STR(SKEIN_EDIT_HALF)))
        return SKEIN_OK;
    return skn_fail_hint(
        &c->error, SKEIN_CONFLICT, "Put them back with undo, and edit again.",
        "the messages of this edit were removed already, and its new text never came");
}

/* A change moves all lanes or none, so the retry is for all agents. */
static skein_rc remove_again(skn_api_call *c, skein_message *m)
{
    skein_change  how;
    skein_removal done;
    skein_rc      rc;

    if ((rc = skn_api_change(c, false, &how)) || (rc = check_here(c, m)) ||
        (rc = check_session(c)))
        return rc;
    rc = skein_remove_from(c->engine, &how, m->id, true, c->mem, &done, &c->error);
    return rc ? removal_failed(c, m, "remove", rc) : answer_removal(c, &done);
}

skein_rc skn_api_retry_edit(skn_api_call *c)
{
    skein_edit_error failed;
    skein_message    m;
    skn_editing      e;
    skein_rc         rc;

    if ((rc = find_error(c, &failed)) || (rc = check_whole(c, &failed)) ||
        (rc = skn_find_chat(c, failed.chat_uid)) ||
        (rc = skn_find_message(c, failed.message_uid, &m)) || (rc = edit_begin(c, &e)))
        return rc;
    rc = remove_again(c, &m);
    edit_end(c, &e);
    return rc;
}
