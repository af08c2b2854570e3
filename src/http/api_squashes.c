/* Squashes by hand, and branches. */
#include "http/handlers.h"

#include "base/error.h"

skein_rc skn_api_list_squashes(skn_http_call *c)
{
    skein_uids   uids;
    skein_squash one;
    skn_page     page;
    skein_rc     rc;

    if ((rc = skn_find_chat_param(c)) ||
        (rc = skein_squash_list(c->engine, c->chat.id, 0, c->mem, &uids, &c->error)) ||
        (rc = skn_page_of(c, SKN_STR("squashes"), uids.count, true, &page)))
        return rc;
    skn_call_list(c);
    for (int64_t i = page.from; i < page.from + page.count; i++) {
        if ((rc = skein_squash_get(c->engine, uids.at[i], c->mem, &one, &c->error)))
            return rc;
        skn_shape_squash(&c->w, &one);
    }
    skn_page_end(c, &page);
    return SKEIN_OK;
}

/* The agent that did it: a name, or true for one that is not named. */
static skein_rc read_performer(skn_http_call *c, skein_agent_id *out)
{
    const skn_json *v = skn_json_get(c->json, "performedByAgent");
    skein_agent     agent;
    skein_rc        rc;

    *out = (skein_agent_id){0};
    if (!v || v->kind == SKN_JSON_NULL || (v->kind == SKN_JSON_BOOL && !v->boolean))
        return SKEIN_OK;
    if (v->kind != SKN_JSON_STRING)
        return skn_call_invalid(c, "/performedByAgent", "must be the name of an agent");
    rc = skn_find_agent(c, v->text, &agent);
    *out = agent.id;
    return rc;
}

static skein_rc read_spec(skn_http_call *c, skein_squash_spec *spec)
{
    skein_rc rc;

    *spec = (skein_squash_spec){.content = SKN_NONE};
    if ((rc = skn_api_ids(c, "sourceMessageIds", &spec->sources)) ||
        (rc = skn_call_text(c, "content", false, &spec->content)) ||
        (rc = skn_call_text(c, "prompt", false, &spec->prompt)) ||
        (rc = skn_call_text(c, "model", false, &spec->model)) ||
        (rc = read_performer(c, &spec->agent)))
        return rc;
    if (spec->sources.count < 2)
        return skn_call_invalid(c, "/sourceMessageIds", "must name two messages or more");
    if (!spec->content.p)
        return skn_api_needs_model(c, "/content");
    return skn_str_trim(spec->content).n ? SKEIN_OK
                                         : skn_call_invalid(c, "/content", "has no text");
}

skein_rc skn_api_squash(skn_http_call *c)
{
    skein_squash_spec spec;
    skein_change      how;
    skein_squash      made;
    skein_rc          rc;

    if ((rc = skn_find_chat_param(c)) || (rc = skn_api_change(c, false, &how)) ||
        (rc = read_spec(c, &spec)))
        return rc;
    rc = skein_squash_messages(c->engine, &how, &spec, c->mem, &made, &c->error);
    if (rc)
        return skn_api_changed(c, rc);
    c->status = how.dry_run ? 200 : 201;
    skn_jw_object(&c->w);
    skn_shape_squash_members(&c->w, &made);
    skn_jw_kbool(&c->w, "dryRun", how.dry_run);
    if (!how.dry_run) {
        skn_shape_undo(&c->w, c->world.name, c->chat.uid, made.version.origin_thread_uid);
        skn_api_location(c, "/squashes/%.*s", SKN_FMT(made.uid));
        skn_api_fresh_etag(c);
    }
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

/* Only those of this world: an id alone says nothing about where it belongs. */
skein_rc skn_api_get_squash(skn_http_call *c)
{
    skein_squash       squash;
    skein_message      m;
    skein_conversation home;
    skein_rc           rc;

    if ((rc = skn_find_world(c)) ||
        (rc = skein_squash_get(c->engine, c->params[1], c->mem, &squash, &c->error)))
        return rc;
    rc = skein_message_in_world(c->engine, c->world.id, squash.result.uid, c->mem, &m, &home,
                                &c->error);
    if (rc == SKEIN_NOT_FOUND)
        return skn_fail(&c->error, SKEIN_NOT_FOUND, "this world has no squash \"%.*s\"",
                        SKN_FMT(c->params[1]));
    if (rc)
        return rc;
    skn_shape_squash(&c->w, &squash);
    return SKEIN_OK;
}

/* --- Branches ----------------------------------------------------------------------------- */

/* Up to and including a message, or so much of a version. */
static skein_rc read_cut(skn_http_call *c, skein_version *v, int64_t *length)
{
    skn_str       thread, id;
    skein_message m;
    skein_rc      rc;

    if ((rc = skn_call_text(c, "threadId", false, &thread)) ||
        (rc = skn_call_text(c, "messageId", false, &id)) ||
        (rc = skn_call_int(c, "length", 0, INT64_MAX, -1, length)) ||
        (rc = skn_find_version(c, thread, v)))
        return rc;
    if (!thread.p && !id.p)
        return skn_call_invalid(c, "/messageId", "is required, or \"threadId\"");
    if (*length > v->length)
        return skn_call_invalid(c, "/length", "is more than the version has");
    if (!id.p)
        return SKEIN_OK;
    if ((rc = skn_find_message(c, id, &m)) ||
        (rc = skein_message_find(c->engine, c->chat.id, v->number, id, c->mem, &m, &c->error)))
        return rc;
    *length = m.position + 1;
    return m.position >= 0 ? SKEIN_OK
                           : skn_call_invalid(c, "/messageId", "is not in this version");
}

skein_rc skn_api_branch(skn_http_call *c)
{
    skein_change       how;
    skein_version      v;
    skein_conversation made;
    skn_str            title;
    int64_t            length;
    skein_rc           rc;

    if ((rc = skn_find_chat_param(c)) || (rc = read_cut(c, &v, &length)) ||
        (rc = skn_call_text(c, "title", false, &title)))
        return rc;
    how = (skein_change){.conversation = c->chat.id};
    rc = skein_branch(c->engine, &how, v.number, length, title, c->mem, &made, &c->error);
    if (rc)
        return skn_api_blame(c, rc);
    c->status = 201;
    skn_api_location(c, "/chats/%.*s", SKN_FMT(made.uid));
    skn_call_add_header(c, "ETag", skn_call_chat_etag(c, &made));
    skn_shape_chat(&c->w, &made);
    return SKEIN_OK;
}
