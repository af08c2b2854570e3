/* Tags, and the instructions they put on messages. */
#include "api/call.h"

#include "base/clean.h"

/* --- Tags --------------------------------------------------------------------------------- */

static skein_rc answer_tags(skn_api_call *c)
{
    skein_tags tags;
    skein_rc rc = skein_tag_list(c->engine, c->world.id, c->chat.id, c->mem, &tags, &c->error);

    return rc ? rc
              : skn_answer_list(c, SKN_STR("tags"), SKN_LIST_WHOLE, tags.at, tags.count,
                                &skn_tag_shape);
}

/* Tags are switched on in a chat; without a chat none is. */
static skein_rc find_place(skn_api_call *c)
{
    skn_str  id;
    skein_rc rc;

    if ((rc = skn_call_chat_id(c, &id)) || !id.p)
        return rc;
    return skn_find_chat(c, id);
}

skein_rc skn_api_list_tags(skn_api_call *c)
{
    skein_rc rc = find_place(c);

    return rc ? rc : answer_tags(c);
}

static skein_rc bad_tag(skn_api_call *c, size_t i, const char *why)
{
    return skn_call_wrong(c, why, "/tags/%zu", i);
}

/* The definition of a tag, without its name. */
static skein_rc read_definition(const skn_json *v, skein_tag *out, skein_error *err)
{
    skein_rc rc;

    if ((rc = skn_json_text(v, "control", &out->control, err)) ||
        (rc = skn_json_text(v, "instruction", &out->instruction, err)) ||
        (rc = skn_json_text(v, "target", &out->target, err)) ||
        (rc = skn_json_flag(v, "includeInMessage", true, &out->include_in_message, err)))
        return rc;
    if (!out->control.p)
        out->control = SKN_STR("toggle");
    if (!out->instruction.p)
        out->instruction = out->name;
    return SKEIN_OK;
}

static skein_rc read_tag(skn_api_call *c, const skn_json *v, size_t i, skein_tag *out)
{
    skein_error err = {.rc = SKEIN_OK};

    *out = (skein_tag){.name = SKN_NONE};
    if (v->kind != SKN_JSON_OBJECT)
        return bad_tag(c, i, "must be an object");
    if (skn_json_text(v, "name", &out->name, &err) || read_definition(v, out, &err) ||
        skn_json_flag(v, "active", false, &out->active, &err))
        return bad_tag(c, i, err.message);
    return out->name.n ? SKEIN_OK : bad_tag(c, i, "needs a name");
}

skein_rc skn_api_set_tags(skn_api_call *c)
{
    const skn_json *list;
    skein_tags      tags = {0};
    bool           *touch;
    size_t          bad;
    skein_rc        rc;

    if ((rc = find_place(c)) || (rc = skn_api_body_list(c, "tags", &list)))
        return rc;
    tags.at = SKN_ARRAY(c->mem, list->count + 1, skein_tag);
    touch = SKN_ARRAY(c->mem, list->count + 1, bool);
    for (const skn_json *v = list->first; v; v = v->next, tags.count++) {
        touch[tags.count] = skn_json_get(v, "active") != NULL;
        if ((rc = read_tag(c, v, tags.count, &tags.at[tags.count])))
            return rc;
    }
    rc = skein_tag_replace(c->engine, c->world.id, c->chat.id, &tags, touch, &bad, &c->error);
    if (rc == SKEIN_INVALID && bad < tags.count)
        return bad_tag(c, bad, c->error.message);
    return rc ? rc : answer_tags(c);
}

skein_rc skn_no_tag(skn_str name, skn_arena *a, skein_error *err)
{
    skein_rc rc = skn_fail(err, SKEIN_NOT_FOUND, "there is no tag \"%.*s\"", SKN_FMT(name));

    return skn_hint(err, rc, "Define it: skein tag new %.*s",
                    SKN_FMT(skn_shell_word(a, skn_arena_copy(a, name).p)));
}

/* The tag that the path names, as it is in the chat. */
static skein_rc find_tag(skn_api_call *c, skein_tag *out)
{
    skein_tags tags;
    skein_rc   rc;

    if ((rc = find_place(c)) ||
        (rc = skein_tag_list(c->engine, c->world.id, c->chat.id, c->mem, &tags, &c->error)))
        return rc;
    for (size_t i = 0; i < tags.count; i++)
        if (skn_str_eq(tags.at[i].name, c->params[1])) {
            *out = tags.at[i];
            return SKEIN_OK;
        }
    return skn_no_tag(c->params[1], c->mem, &c->error);
}

static skein_rc answer_tag(skn_api_call *c)
{
    skein_tag tag;
    skein_rc  rc = find_tag(c, &tag);

    if (!rc)
        skn_shape_tag(&c->w, &tag);
    return rc;
}

skein_rc skn_api_set_tag(skn_api_call *c)
{
    skein_tag tag = {.name = c->params[1]};
    skein_rc  rc;

    if ((rc = find_place(c)) || (rc = read_definition(c->json, &tag, &c->error)) ||
        (rc = skein_tag_define(c->engine, c->world.id, &tag, &c->error)))
        return rc;
    return answer_tag(c);
}

skein_rc skn_api_switch_tag(skn_api_call *c)
{
    skein_tag tag;
    bool      active;
    skein_rc  rc;

    if ((rc = skn_api_chat_or_current(c)) || (rc = find_tag(c, &tag)) ||
        (rc = skn_api_flag(c, "active", &active)))
        return rc;
    if (!skn_api_has(c, "active"))
        return skn_call_invalid(c, "/active", "is required");
    if ((rc = skein_tag_activate(c->engine, c->chat.id, tag.name, active, &c->error)))
        return rc;
    return answer_tag(c);
}

skein_rc skn_api_remove_tag(skn_api_call *c)
{
    skein_tag tag;
    skein_rc  rc = find_tag(c, &tag);

    return rc ? rc : skein_tag_forget(c->engine, c->world.id, tag.name, &c->error);
}

/* --- Instructions of a message ------------------------------------------------------------ */

static void write_instructions(skn_api_call *c, const skein_message *m, const skn_json *whole)
{
    skn_jw_object(&c->w);
    skn_jw_kstr(&c->w, "messageId", m->uid);
    skn_jw_kraw(&c->w, "instructions", whole->raw);
}

/* Some instructions follow from the author; the shape of a message adds them. */
static skein_rc shape_of(skn_api_call *c, const skein_message *m, const skn_json **out)
{
    const skn_json *whole;
    skn_buf         b;
    skn_jw          w;
    skein_message   light = *m;
    skein_rc        rc;

    light.content = light.thinking = SKN_NONE;
    light.call_count = 0;
    skn_jw_open(&w, &b, (size_t)1 << 24);
    skn_shape_message(&w, c->chat.uid, &light, NULL);
    rc = skn_json_parse(&whole, skn_arena_copy(c->mem, skn_buf_str(&b)), "the message", c->mem,
                        &c->error);
    skn_buf_release(&b);
    *out = rc ? NULL : skn_json_get(whole, "instructions");
    return rc;
}

skein_rc skn_api_get_instructions(skn_api_call *c)
{
    const skn_json *list;
    skein_message   m;
    skein_rc        rc;

    if ((rc = skn_api_message(c, &m)) || (rc = shape_of(c, &m, &list)))
        return rc;
    write_instructions(c, &m, list);
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

/* A message never changes: with other instructions it is another one, in a new version. */
skein_rc skn_api_set_instructions(skn_api_call *c)
{
    const skn_json    *list;
    skein_instruction *wanted;
    size_t             count;
    skein_message      m, now;
    skein_change       how;
    skein_version      made;
    skein_rc           rc;

    if ((rc = skn_api_message(c, &m)) || (rc = skn_api_change(c, false, &how)) ||
        (rc = skn_api_instructions(c, c->json, &wanted, &count)))
        return rc;
    if (!skn_api_has(c, "instructions"))
        return skn_call_invalid(c, "/instructions", "is required");
    if ((rc = skein_retag(c->engine, &how, m.id, wanted, count, c->mem, &made, &now,
                          &c->error)))
        return skn_api_changed(c, rc);
    if ((rc = shape_of(c, &now, &list)))
        return rc;
    write_instructions(c, how.dry_run ? &m : &now, list);
    skn_jw_kstr(&c->w, "originalMessageId", m.uid);
    skn_jw_kstr(&c->w, "threadId", made.thread_uid);
    if (!how.dry_run)
        skn_shape_undo(&c->w, c->world.name, c->chat.uid, made.origin_thread_uid);
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}
