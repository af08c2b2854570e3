/* Squashes, by hand and by models, and branches. */
#include "api/call.h"

skein_rc skn_api_list_squashes(skn_api_call *c)
{
    skein_uids   uids;
    skein_squash one;
    skn_page     page;
    skein_rc     rc;

    if ((rc = skein_squash_list(c->engine, c->chat.id, 0, c->mem, &uids, &c->error)) ||
        (rc = skn_page_open(c, SKN_STR("squashes"), uids.count, SKN_LIST_NEWEST, &page)))
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++) {
        if ((rc = skein_squash_get(c->engine, uids.at[i], c->mem, &one, &c->error)))
            return rc;
        skn_shape_squash(&c->w, &one);
    }
    return skn_page_close(c, &page, NULL);
}

/* The agent that squashes: a name, or true for one without a name. It is also the actor, unless "by" names another. */
static skein_rc read_performer(skn_api_call *c, skn_squash_request *request)
{
    const skn_json *v = skn_json_get(c->json, "performedByAgent");
    skein_agent     agent = {.id = {0}};
    skein_rc        rc;

    request->spec.by_agent = v && v->kind == SKN_JSON_BOOL && v->boolean;
    if (!v || v->kind == SKN_JSON_NULL || v->kind == SKN_JSON_BOOL)
        return SKEIN_OK;
    if (v->kind != SKN_JSON_STRING)
        return skn_call_invalid(c, "/performedByAgent",
                                "must be the name of an agent, true or false");
    if ((rc = skn_find_agent(c, v->text, &agent)))
        return rc;
    request->spec.agent = agent.id;
    if (!request->how.actor.p)
        request->how.actor = agent.name;
    return SKEIN_OK;
}

static skein_rc read_spec(skn_api_call *c, skein_squash_spec *spec)
{
    skein_rc rc;

    *spec = (skein_squash_spec){.content = SKN_NONE};
    if ((rc = skn_api_ids(c, "sourceMessageIds", &spec->sources)) ||
        (rc = skn_call_words(c, "content", false, &spec->content)) ||
        (rc = skn_call_text(c, "prompt", false, &spec->prompt)) ||
        (rc = skn_call_text(c, "model", false, &spec->model)))
        return rc;
    /* One that calls tools comes with its results; before a model is asked that is not looked up. */
    if (!spec->sources.count || (spec->sources.count < 2 && !spec->content.p))
        return skn_call_invalid(c, "/sourceMessageIds", "must name two messages or more");
    if (!spec->content.p && !spec->prompt.p)
        return skn_call_invalid(c, "/content", "is required, or \"prompt\" for a model");
    return spec->content.p || skn_str_trim(spec->prompt).n
               ? SKEIN_OK
               : skn_call_invalid(c, "/prompt", "has no text");
}

/* Agents at work would make the squash fail later: refused before a model is asked. A dry run is always possible. */
static skein_rc check_idle(skn_api_call *c, const skein_change *how)
{
    skein_turns turns;
    skein_rc    rc;

    if (how->force || how->dry_run)
        return SKEIN_OK;
    rc = skein_turns_open(c->engine, c->world.id, c->chat.id, c->mem, &turns, &c->error);
    if (rc || turns.count == 0)
        return rc;
    return skn_fail(&c->error, SKEIN_AT_WORK, "agents are at work in this chat");
}

static skein_rc read_sources(skn_api_call *c, const skein_squash *was, skein_message_ids *out)
{
    skein_message_id *ids = SKN_ARRAY(c->mem, was->source_count + 1, skein_message_id);
    skein_message     m;
    skein_rc          rc;

    for (size_t i = 0; i < was->source_count; i++) {
        if ((rc = skn_find_message(c, was->sources[i], &m)))
            return rc;
        ids[i] = m.id;
    }
    *out = (skein_message_ids){ids, was->source_count};
    return SKEIN_OK;
}

static skein_rc send_squash(skn_api_call *c, const skn_squash_request *what)
{
    return c->api->o.send_squash ? c->api->o.send_squash(c, what) : skn_api_no_models(c);
}

/* The squash must be possible before a model is asked, so the engine tries it with any text. It names the messages that
 * have to go along, such as results of tool calls: the model reads them, too. */
static skein_rc ask_model(skn_api_call *c, skn_squash_request *request)
{
    skein_squash_spec trial = request->spec;
    skein_change      how = request->how;
    skein_squash      made;
    skein_rc          rc = check_idle(c, &how);

    if (rc)
        return rc;
    trial.content = SKN_STR("…");
    how.dry_run = true;
    how.key = SKN_NONE;
    if ((rc = skein_squash_messages(c->engine, &how, &trial, c->mem, &made, &c->error)))
        return skn_api_changed(c, rc);
    if ((rc = read_sources(c, &made, &request->spec.sources)))
        return rc;
    request->world = c->world.id;
    request->spec.by_agent = true;
    return send_squash(c, request);
}

skein_rc skn_api_squash(skn_api_call *c)
{
    skn_squash_request request = {.rerun_of = SKN_NONE};
    skein_squash       made;
    skein_rc           rc;

    if ((rc = skn_api_change(c, false, &request.how)) || (rc = read_spec(c, &request.spec)) ||
        (rc = read_performer(c, &request)))
        return rc;
    if (!request.spec.content.p)
        return ask_model(c, &request);
    if ((rc = skein_squash_messages(c->engine, &request.how, &request.spec, c->mem, &made,
                                    &c->error)))
        return skn_api_changed(c, rc);
    skn_jw_object(&c->w);
    skn_shape_members(&c->w, &skn_squash_shape, &made);
    skn_jw_kbool(&c->w, "dryRun", request.how.dry_run);
    if (!request.how.dry_run) {
        skn_shape_undo(&c->w, c->world.name, c->chat.uid, made.version.origin_thread_uid);
        skn_api_location(c, 201, "/squashes/%.*s", SKN_FMT(made.uid));
        skn_api_fresh_etag(c);
    }
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

/* An id does not say which world it belongs to. */
static skein_rc find_squash(skn_api_call *c, skein_squash *out)
{
    skein_message m;
    skein_rc      rc = skein_squash_get(c->engine, c->params[1], c->mem, out, &c->error);

    if (rc)
        return rc;
    rc = skein_message_in_world(c->engine, c->world.id, out->result.uid, c->mem, &m, &c->chat,
                                &c->error);
    if (rc == SKEIN_NOT_FOUND)
        return skn_fail(&c->error, SKEIN_NOT_FOUND, "this world has no squash \"%.*s\"",
                        SKN_FMT(c->params[1]));
    return rc;
}

skein_rc skn_api_get_squash(skn_api_call *c)
{
    skein_squash squash;
    skein_rc     rc = find_squash(c, &squash);

    if (rc == SKEIN_OK)
        skn_shape_squash(&c->w, &squash);
    return rc;
}

/* --- Squashes again ----------------------------------------------------------------------- */

/* While the squash stands, its sources cannot be squashed again. */
static skein_rc check_undone(skn_api_call *c, const skein_squash *was)
{
    skein_message m;
    skein_rc rc = skein_message_find(c->engine, c->chat.id, c->chat.version, was->result.uid,
                                     c->mem, &m, NULL);

    if (rc || m.position < 0 || !skn_str_eq(m.uid, was->result.uid))
        return SKEIN_OK;
    return skn_fail_hint(&c->error, SKEIN_CONFLICT,
                         "Undo it first, or ask for a preview with \"dryRun\".",
                         "squash \"%.*s\" still stands", SKN_FMT(was->uid));
}

/* Asks again for the same messages; the body may have another prompt or model. */
skein_rc skn_api_rerun_squash(skn_api_call *c)
{
    skn_squash_request request = {.rerun_of = c->params[1]};
    skein_squash_spec *spec = &request.spec;
    skein_squash       was;
    skein_rc           rc;

    if ((rc = find_squash(c, &was)) || (rc = skn_api_change(c, false, &request.how)) ||
        (rc = skn_call_text(c, "prompt", false, &spec->prompt)) ||
        (rc = skn_call_text(c, "model", false, &spec->model)) ||
        (rc = read_sources(c, &was, &spec->sources)))
        return rc;
    spec->prompt = spec->prompt.p ? spec->prompt : was.prompt;
    spec->model = spec->model.p ? spec->model : was.model;
    if (!skn_str_trim(spec->prompt).n)
        return skn_call_invalid(c, "/prompt", "is required: the squash was made by hand");
    if (request.how.dry_run) {
        request.world = c->world.id;
        return send_squash(c, &request);
    }
    rc = check_undone(c, &was);
    return rc ? rc : ask_model(c, &request);
}

/* --- Branches ----------------------------------------------------------------------------- */

/* Up to and including a message, or so much of a version. */
static skein_rc read_cut(skn_api_call *c, skein_version *v, int64_t *length)
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

skein_rc skn_api_branch(skn_api_call *c)
{
    skein_change       how;
    skein_version      v;
    skein_conversation made;
    skn_str            title;
    int64_t            length;
    skein_rc           rc;

    if ((rc = read_cut(c, &v, &length)) || (rc = skn_call_text(c, "title", false, &title)))
        return rc;
    how = (skein_change){.conversation = c->chat.id};
    if ((rc = skein_branch(c->engine, &how, v.number, length, title, c->mem, &made, &c->error)))
        return skn_api_blame(c, rc);
    skn_api_location(c, 201, "/chats/%.*s", SKN_FMT(made.uid));
    skn_call_add_header(c, "ETag", skn_call_chat_etag(c, &made));
    skn_shape_chat(&c->w, &made);
    return SKEIN_OK;
}
