/* The inbox: briefings, questions, failures and what waits for a person's permission, of all worlds. */
#include "api/call.h"

#include "base/clock.h"

/* --- Lists -------------------------------------------------------------------------------- */

/* "world" of the query or the body; absent: all. */
static skein_rc find_world_named(skn_api_call *c, skn_str name)
{
    if (!name.p)
        return SKEIN_OK;
    c->params[0] = name;
    return skn_find_world(c);
}

static skein_rc check_kind(skn_api_call *c, skn_str kind)
{
    if (!kind.p || skn_str_among(kind, "briefing question failure finished mention approval"))
        return SKEIN_OK;
    return skn_call_invalid(
        c, "/type", "is none of briefing, question, failure, finished, mention and approval");
}

static skein_rc read_state(skn_api_call *c, int *out)
{
    static const char *const names[] = {"all", "open", "done", "snoozed"};
    static const skn_enum    states = SKN_ENUM(names);
    skn_str                  state = skn_call_query(c, "state");
    int                      i = 1;

    if (state.p && !skn_enum_from(&states, state, &i))
        return skn_call_invalid(c, "/state", "is none of open, done, snoozed and all");
    *out = i - 1;
    return SKEIN_OK;
}

static const skn_str inbox_tag = {"inbox:", 6};

static skein_rc read_query(skn_api_call *c, skein_inbox_query *q, int64_t *limit)
{
    bool     unread;
    skein_rc rc;

    *q = (skein_inbox_query){.kind = skn_call_query(c, "type")};
    if ((rc = find_world_named(c, skn_call_query(c, "world"))) ||
        (rc = check_kind(c, q->kind)) || (rc = skn_call_query_flag(c, "unread", &unread)) ||
        (rc = read_state(c, &q->done)) || (rc = skn_page_after(c, inbox_tag, &q->before)) ||
        (rc = skn_page_limit(c, SKN_PAGE_DEFAULT, limit)))
        return rc;
    q->world = c->world.id;
    q->unread = unread;
    q->limit = (size_t)*limit + 1; /* one more, to see whether there is more */
    return SKEIN_OK;
}

static void write_counts(skn_api_call *c, const skein_inbox *inbox)
{
    skn_jw_kint(&c->w, "unread", inbox->unread);
    skn_jw_kint(&c->w, "needsYou", inbox->needs_you);
}

skein_rc skn_api_list_inbox(skn_api_call *c)
{
    skein_inbox_query q;
    skein_inbox       inbox;
    int64_t           limit;
    size_t            shown;
    skein_rc          rc;

    if ((rc = read_query(c, &q, &limit)) ||
        (rc = skein_inbox_list(c->engine, &q, c->mem, &inbox, &c->error)))
        return rc;
    shown = inbox.count > (size_t)limit ? (size_t)limit : inbox.count;
    skn_jw_object(&c->w);
    write_counts(c, &inbox);
    skn_jw_karray(&c->w, "data");
    for (size_t i = 0; i < shown; i++)
        skn_shape_inbox_item(&c->w, &inbox.at[i]);
    skn_page_end_after(c, inbox_tag, shown < inbox.count ? inbox.at[shown - 1].uid : SKN_NONE);
    return skn_page_fields(c, SKN_FIELDS_INBOX_ITEM);
}

static skein_rc count_unread(skn_api_call *c)
{
    skein_inbox_query q = {.world = c->world.id, .limit = 1};
    skein_inbox       inbox;
    skein_rc          rc = skein_inbox_list(c->engine, &q, c->mem, &inbox, &c->error);

    if (rc == SKEIN_OK)
        write_counts(c, &inbox);
    return rc;
}

skein_rc skn_api_count_unread(skn_api_call *c)
{
    skein_rc rc = find_world_named(c, skn_call_query(c, "world"));

    skn_jw_object(&c->w);
    rc = rc ? rc : count_unread(c);
    skn_jw_object_end(&c->w);
    return rc;
}

skein_rc skn_api_read_inbox(skn_api_call *c)
{
    skn_str  world, kind;
    int64_t  count;
    skein_rc rc;

    if ((rc = skn_call_text(c, "world", false, &world)) ||
        (rc = skn_call_text(c, "type", false, &kind)) || (rc = check_kind(c, kind)) ||
        (rc = find_world_named(c, world)) ||
        (rc = skein_inbox_read_all(c->engine, c->world.id, kind, &count, &c->error)))
        return rc;
    skn_jw_object(&c->w);
    skn_jw_kint(&c->w, "marked", count);
    rc = count_unread(c);
    skn_jw_object_end(&c->w);
    return rc;
}

/* --- One item ----------------------------------------------------------------------------- */

/* By its own id alone: briefings have an address of their own. */
static skein_rc find_item(skn_api_call *c, skein_inbox_item *out)
{
    skein_rc rc = skein_inbox_get(c->engine, c->params[0], c->mem, out, &c->error);

    if (rc == SKEIN_OK && !skn_str_eq(out->uid, c->params[0]))
        rc = skn_fail(&c->error, SKEIN_NOT_FOUND, "there is no inbox item \"%.*s\"",
                      SKN_FMT(c->params[0]));
    return skn_api_missing(c, rc, "inbox-not-found");
}

skein_rc skn_api_get_inbox_item(skn_api_call *c)
{
    skein_inbox_item item;
    skein_rc         rc = find_item(c, &item);

    return rc ? rc : skn_answer_one(c, &skn_inbox_item_shape, &item);
}

skein_rc skn_api_get_briefing(skn_api_call *c)
{
    skein_inbox_item item;
    skein_rc         rc = skein_inbox_get(c->engine, c->params[0], c->mem, &item, &c->error);

    if (rc == SKEIN_OK && !item.briefing_uid.p)
        rc = skn_fail(&c->error, SKEIN_NOT_FOUND, "\"%.*s\" is not a briefing",
                      SKN_FMT(c->params[0]));
    if (rc)
        return skn_api_missing(c, rc, "inbox-not-found");
    return skn_answer_one(c, &skn_briefing_shape, &item);
}

/* -1 when the body has no such member; null is no. */
static skein_rc read_switch(skn_api_call *c, const char *member, int *out)
{
    bool     on;
    skein_rc rc = skn_call_flag(c, member, false, &on);

    *out = skn_api_has(c, member) ? on : -1;
    return rc;
}

static skein_rc read_snooze(skn_api_call *c, int64_t *out)
{
    skn_str  text;
    skein_rc rc = skn_call_text(c, "snoozedUntil", false, &text);

    *out = skn_api_has(c, "snoozedUntil") ? 0 : -1;
    if (rc || !text.p)
        return rc;
    return skn_time_parse(text, out) && *out > 0
               ? SKEIN_OK
               : skn_call_invalid(c, "/snoozedUntil", "must be a time: 2026-11-15T14:02:03Z");
}

skein_rc skn_api_change_inbox_item(skn_api_call *c)
{
    skein_inbox_change change = {.remove = false};
    skein_inbox_item   item;
    skein_rc           rc;

    if ((rc = find_item(c, &item)) || (rc = read_switch(c, "read", &change.read)) ||
        (rc = read_switch(c, "done", &change.done)) ||
        (rc = read_snooze(c, &change.snoozed_until)) ||
        (rc = skein_inbox_set(c->engine, item.uid, &change, c->mem, &item, &c->error)))
        return skn_api_missing(c, rc, "inbox-not-found");
    return skn_answer_one(c, &skn_inbox_item_shape, &item);
}

skein_rc skn_api_remove_inbox_item(skn_api_call *c)
{
    skein_inbox_change change = {.read = -1, .done = -1, .snoozed_until = -1, .remove = true};
    skein_inbox_item   item;
    skein_rc           rc = find_item(c, &item);

    if (rc == SKEIN_OK)
        rc = skein_inbox_set(c->engine, item.uid, &change, c->mem, &item, &c->error);
    return skn_api_missing(c, rc, "inbox-not-found");
}

/* --- Answers ------------------------------------------------------------------------------ */

/* What a person says to it: a text, and of what an agent may do or not, the decision. */
static skein_rc read_answer(skn_api_call *c, const skein_inbox_item *item, skn_str *out)
{
    bool     decide = skn_str_is(item->kind, "approval");
    skein_rc rc = decide ? skn_call_text(c, "decision", true, out)
                         : skn_call_words(c, "text", true, out);

    return rc || !decide || skn_str_among(*out, "allow deny")
               ? rc
               : skn_call_invalid(c, "/decision", "must be allow or deny");
}

static skein_rc write_message(skn_api_call *c, const skein_inbox_item *item,
                              const skein_message *told)
{
    skein_message      m;
    skein_conversation chat;
    skein_rc           rc;

    if (!told->uid.p) {
        skn_jw_null(&c->w);
        return SKEIN_OK;
    }
    rc = skein_message_in_world(c->engine, item->world, told->uid, c->mem, &m, &chat,
                                &c->error);
    if (rc == SKEIN_OK)
        skn_shape_message(&c->w, chat.uid, &m, NULL);
    return rc;
}

skein_rc skn_api_answer_inbox_item(skn_api_call *c)
{
    skein_inbox_item item;
    skein_message    told = {.position = -1};
    skn_str          text;
    skein_rc         rc;

    if ((rc = find_item(c, &item)) || (rc = read_answer(c, &item, &text)) ||
        (rc = skein_inbox_answer(c->engine, item.uid, text, c->mem, &item, &told, &c->error)))
        return skn_api_missing(c, skn_api_blame(c, rc), "inbox-not-found");
    skn_jw_object(&c->w);
    skn_jw_key(&c->w, "item");
    skn_shape_inbox_item(&c->w, &item);
    skn_jw_key(&c->w, "message");
    rc = write_message(c, &item, &told);
    skn_jw_object_end(&c->w);
    return rc;
}
