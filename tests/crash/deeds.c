#include "deeds.h"

#include "store/fixture.h"

#include <stdlib.h>
#include <string.h>

#define LONG_TEXT 60000 /* bytes; a dozen pages */

/* --- The scene -------------------------------------------------------------------------------- */

typedef struct maker {
    skein_engine *e;
    skein_mem    *mem;
    skn_scene    *s;
} maker;

static skein_rc say(skein_engine *e, const skn_scene *s, const char *lane, const char *text,
                    skein_mem *mem, skein_messages *out, skein_error *err)
{
    skein_new_message    m = {.role = SKEIN_USER, .content = skein_text(text)};
    skein_append_request r = {
        .conversation = s->chat, .lane = skein_text(lane), .messages = &m, .count = 1};

    return skein_append(e, &r, mem, out, err);
}

static skein_rc call_tool(skein_engine *e, const skn_scene *s, const char *id, skein_mem *mem,
                          skein_messages *out, skein_error *err)
{
    skein_tool_call   call = {skein_text(id), skein_text("look"), skein_text("{\"at\":1}")};
    skein_new_message m[2] = {
        {.role = SKEIN_ASSISTANT, .sender = skein_text("ada"), .calls = &call, .call_count = 1},
        {.role = SKEIN_TOOL,
         .sender = skein_text("look"),
         .tool_call_id = skein_text(id),
         .content = skein_text("seen")}};
    skein_append_request r = {.conversation = s->chat, .messages = m, .count = 2};

    return skein_append(e, &r, mem, out, err);
}

static void make_people(maker *m)
{
    static const char *const names[] = {"ada", "bo"};
    skein_world              w = {.name = skein_text("office")};
    skein_agent              a;
    skein_conversation       c;
    skein_error              err;

    SKN_OK(skein_world_new(m->e, &w, m->mem, &err), err);
    m->s->world = w.id;
    for (int i = 0; i < 2; i++) {
        a = (skein_agent){.world = w.id, .name = skein_text(names[i])};
        SKN_OK(skein_agent_new(m->e, &a, m->mem, &err), err);
        if (i == 0)
            m->s->ada = a.id;
    }
    SKN_OK(skein_chat_new(m->e, w.id, skein_text("talk"), m->mem, &c, &err), err);
    m->s->chat = c.id;
}

static void make_talk(maker *m)
{
    static const char *const texts[SKN_SCENE_SAID] = {"one",  "two",  "three",
                                                      "four", "five", "six"};
    skein_messages           out;
    skein_lane               lane;
    skein_error              err;

    for (int i = 0; i < SKN_SCENE_SAID; i++) {
        SKN_OK(say(m->e, m->s, NULL, texts[i], m->mem, &out, &err), err);
        m->s->said[i] = out.at[0].id;
        if (i != 2)
            continue;
        SKN_OK(call_tool(m->e, m->s, "call_1", m->mem, &out, &err), err);
        m->s->call = out.at[0].id;
        SKN_OK(skein_lane_new(m->e, m->s->chat, skein_text("main"), m->s->call,
                              skein_text("call_1"), m->mem, &lane, &err),
               err);
        m->s->delegation = lane.id;
        SKN_OK(say(m->e, m->s, "main.1", "aside", m->mem, &out, &err), err);
    }
}

static void make_past(maker *m)
{
    skein_change      how = {.conversation = m->s->chat};
    skein_tag         tag = {.name = skein_text("urgent"),
                             .control = skein_text("toggle"),
                             .instruction = skein_text("Urgent"),
                             .include_in_message = true};
    skein_new_message n = {.role = SKEIN_USER, .content = skein_text("between")};
    skein_version     v;
    skein_message     made;
    skein_move        move;
    skein_error       err;

    SKN_OK(skein_insert(m->e, &how, m->s->said[1], &n, m->mem, &v, &made, &err), err);
    m->s->gone = made.id;
    SKN_OK(skein_delete(m->e, &how, (skein_message_ids){&made.id, 1}, m->mem, &v, &err), err);
    SKN_OK(skein_amend(m->e, &how, m->s->said[4], skein_text("5"), m->mem, &v, &made, &err),
           err);
    SKN_OK(skein_undo(m->e, &how, 1, m->mem, &move, &err), err);
    SKN_OK(skein_tag_define(m->e, m->s->world, &tag, &err), err);
}

void skn_scene_make(skein_engine *e, skn_scene *s)
{
    maker m = {.e = e, .mem = skein_mem_new(), .s = s};

    *s = (skn_scene){0};
    make_people(&m);
    make_talk(&m);
    make_past(&m);
    skein_mem_free(m.mem);
}

/* --- Deeds ------------------------------------------------------------------------------------ */

#define DEED(name)                                                                             \
    static skein_rc name(skein_engine *e, const skn_scene *s, skein_mem *mem, skein_error *err)

DEED(make_world)
{
    skein_world w = {.name = skein_text("yard")};

    (void)s;
    return skein_world_new(e, &w, mem, err);
}

DEED(remove_world)
{
    (void)mem;
    return skein_world_remove(e, s->world, true, err);
}

DEED(leave_session)
{
    (void)mem;
    return skein_world_set_chat(e, s->world, (skein_conversation_id){0}, err);
}

DEED(make_agent)
{
    skein_agent a = {
        .world = s->world, .name = skein_text("cy"), .lead_name = skein_text("ada")};

    return skein_agent_new(e, &a, mem, err);
}

DEED(remove_agent)
{
    (void)mem;
    return skein_agent_remove(e, s->ada, true, err);
}

DEED(make_chat)
{
    skein_conversation c;

    return skein_chat_new(e, s->world, skein_text("more"), mem, &c, err);
}

DEED(use_foreground)
{
    skein_conversation c;

    return skein_conversation_of(e, s->ada, SKEIN_FOREGROUND, mem, &c, err);
}

DEED(remove_chat)
{
    (void)mem;
    return skein_conversation_remove(e, s->chat, true, err);
}

DEED(make_lane)
{
    skein_lane lane;

    return skein_lane_new(e, s->chat, skein_text("main"), s->call, skein_text("call_1"), mem,
                          &lane, err);
}

DEED(finish_lane)
{
    (void)mem;
    return skein_lane_finish(e, s->delegation, SKEIN_LANE_DONE, err);
}

DEED(append)
{
    skein_messages out;

    return say(e, s, NULL, "seven", mem, &out, err);
}

DEED(append_two)
{
    skein_messages out;

    return call_tool(e, s, "call_2", mem, &out, err);
}

DEED(append_in_lane)
{
    skein_messages out;

    return say(e, s, "main.1", "another aside", mem, &out, err);
}

DEED(append_long)
{
    char          *text = skn_heap(LONG_TEXT + 1);
    skein_messages out;
    skein_rc       rc;

    memset(text, 'x', LONG_TEXT);
    rc = say(e, s, NULL, text, mem, &out, err);
    free(text);
    return rc;
}

DEED(amend)
{
    skein_change  how = {.conversation = s->chat, .key = skein_text("amend-1")};
    skein_version v;
    skein_message m;

    return skein_amend(e, &how, s->said[1], skein_text("2"), mem, &v, &m, err);
}

DEED(delete_pair)
{
    skein_change     how = {.conversation = s->chat};
    skein_message_id ids[2] = {s->said[0], s->call};
    skein_version    v;

    return skein_delete(e, &how, (skein_message_ids){ids, 2}, mem, &v, err);
}

DEED(insert)
{
    skein_change      how = {.conversation = s->chat};
    skein_new_message n = {.role = SKEIN_USER, .content = skein_text("put in")};
    skein_version     v;
    skein_message     m;

    return skein_insert(e, &how, s->said[3], &n, mem, &v, &m, err);
}

DEED(reorder)
{
    skein_change     how = {.conversation = s->chat};
    skein_message_id ids[2] = {s->said[5], s->said[4]};
    skein_version    v;

    return skein_reorder(e, &how, (skein_message_ids){ids, 2}, s->said[0], mem, &v, err);
}

DEED(squash)
{
    skein_change      how = {.conversation = s->chat};
    skein_message_id  ids[3] = {s->said[0], s->said[3], s->said[5]};
    skein_squash_spec spec = {.sources = {ids, 3}, .content = skein_text("in short")};
    skein_squash      out;

    return skein_squash_messages(e, &how, &spec, mem, &out, err);
}

DEED(remove_from)
{
    skein_change  how = {.conversation = s->chat};
    skein_removal out;

    return skein_remove_from(e, &how, s->said[1], true, mem, &out, err);
}

DEED(edit)
{
    skein_change  how = {.conversation = s->chat};
    skein_removal out;

    return skein_edit(e, &how, s->said[1], skein_text("two again"), mem, &out, err);
}

DEED(restore)
{
    skein_change  how = {.conversation = s->chat};
    skein_version v;

    return skein_restore(e, &how, 1, mem, &v, err);
}

DEED(undo)
{
    skein_change how = {.conversation = s->chat};
    skein_move   m;

    return skein_undo(e, &how, 2, mem, &m, err);
}

DEED(redo)
{
    skein_change how = {.conversation = s->chat};
    skein_move   m;

    return skein_redo(e, &how, 1, mem, &m, err);
}

DEED(switch_version)
{
    skein_change how = {.conversation = s->chat};
    skein_move   m;

    return skein_switch(e, &how, 1, mem, &m, err);
}

DEED(branch)
{
    skein_change       how = {.conversation = s->chat};
    skein_conversation c;

    return skein_branch(e, &how, 2, 4, skein_text("branch"), mem, &c, err);
}

DEED(compact)
{
    skein_compaction what = {.content = skein_text("so far"), .reason = skein_text("manual")};
    skein_slice      slice = {.conversation = s->chat};
    skein_message    summary;
    skein_messages   read;
    int64_t          covers;
    skein_rc         rc = skein_read(e, &slice, mem, &read, &what.seen, err);

    return rc ? rc : skein_compact(e, s->chat, &what, mem, &summary, &covers, err);
}

DEED(activate_tag)
{
    (void)mem;
    return skein_tag_activate(e, s->chat, skein_text("urgent"), true, err);
}

DEED(set_context_file)
{
    skein_context_file file = {.path = skein_text("notes.txt")};

    (void)mem;
    return skein_context_file_set(e, s->chat, &file, err);
}

DEED(purge)
{
    skein_change how = {.conversation = s->chat};
    int64_t      erased;

    (void)mem;
    return skein_purge(e, &how, (skein_message_ids){&s->gone, 1}, &erased, err);
}

const skn_deed skn_deeds[] = {
    {"make a world", make_world, SKN_DEED_PLAIN},
    {"remove a world", remove_world, SKN_DEED_FINAL},
    {"leave a session", leave_session, SKN_DEED_PLAIN},
    {"make an agent", make_agent, SKN_DEED_PLAIN},
    {"remove an agent", remove_agent, SKN_DEED_PLAIN},
    {"make a chat", make_chat, SKN_DEED_PLAIN},
    {"use a foreground conversation", use_foreground, SKN_DEED_PLAIN},
    {"remove a chat", remove_chat, SKN_DEED_FINAL},
    {"make a lane", make_lane, SKN_DEED_PLAIN},
    {"finish a lane", finish_lane, SKN_DEED_PLAIN},
    {"append", append, SKN_DEED_PLAIN},
    {"append two", append_two, SKN_DEED_PLAIN},
    {"append in a lane", append_in_lane, SKN_DEED_PLAIN},
    {"append a long text", append_long, SKN_DEED_PLAIN},
    {"amend", amend, SKN_DEED_PLAIN},
    {"delete", delete_pair, SKN_DEED_PLAIN},
    {"insert", insert, SKN_DEED_PLAIN},
    {"reorder", reorder, SKN_DEED_PLAIN},
    {"squash", squash, SKN_DEED_PLAIN},
    {"remove from", remove_from, SKN_DEED_PLAIN},
    {"edit", edit, SKN_DEED_PLAIN},
    {"restore", restore, SKN_DEED_PLAIN},
    {"undo", undo, SKN_DEED_PLAIN},
    {"redo", redo, SKN_DEED_PLAIN},
    {"switch", switch_version, SKN_DEED_PLAIN},
    {"branch", branch, SKN_DEED_PLAIN},
    {"compact", compact, SKN_DEED_PLAIN},
    {"activate a tag", activate_tag, SKN_DEED_PLAIN},
    {"set a context file", set_context_file, SKN_DEED_PLAIN},
    {"purge", purge, SKN_DEED_TWO_STEPS}, /* first erased from the views, then from the files */
};
const int skn_deed_count = sizeof skn_deeds / sizeof skn_deeds[0];

skein_rc skn_deed_run(const skn_deed *d, skein_engine *e, const skn_scene *s, skein_error *err)
{
    skein_mem *mem = skein_mem_new();
    skein_rc   rc;

    *err = (skein_error){0};
    rc = d->run(e, s, mem, err);
    skein_mem_free(mem);
    return rc;
}
