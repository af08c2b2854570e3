/* fsck_store.h: a store with some of everything, and names for its rows in SQL: what is damaged on purpose. */
#ifndef SKN_TESTS_FSCK_STORE_H
#define SKN_TESTS_FSCK_STORE_H

#include "store/fsck_kit.h"

static inline skein_message_id id_of(kit *k, const char *uid)
{
    skein_message m;

    KIT_OK(k, skein_message_find(k->e, k->chat.id, 0, skein_text(uid), k->mem, &m, &k->err));
    return m.id;
}

static inline void say(kit *k, const char *uid, skein_role role, const char *sender,
                       const char *reply)
{
    skein_new_message m = {.uid = skein_text(uid),
                           .role = role,
                           .sender = skein_text(sender),
                           .content = skein_text("some words"),
                           .reply_to = reply ? skein_text(reply) : (skein_str){0}};
    skein_messages    out;

    KIT_OK(k, kit_append(k, &m, 1, &out));
}

static inline void say_in(kit *k, const char *lane, const char *uid)
{
    skein_new_message m = {
        .uid = skein_text(uid), .role = SKEIN_USER, .content = skein_text("in a delegation")};
    skein_append_request r = {
        .conversation = k->chat.id, .lane = skein_text(lane), .messages = &m, .count = 1};
    skein_messages out;

    KIT_OK(k, skein_append(k->e, &r, k->mem, &out, &k->err));
}

static inline void call_a_tool(kit *k)
{
    skein_tool_call   call = {skein_text("c1"), skein_text("look"), skein_text("{}")};
    skein_new_message m[] = {{.uid = skein_text("m4"),
                              .role = SKEIN_ASSISTANT,
                              .sender = skein_text("ada"),
                              .calls = &call,
                              .call_count = 1},
                             {.uid = skein_text("m5"),
                              .role = SKEIN_TOOL,
                              .content = skein_text("seen"),
                              .tool_call_id = skein_text("c1")}};
    skein_messages    out;

    KIT_OK(k, kit_append(k, m, 2, &out));
}

static inline void delegate(kit *k)
{
    skein_lane lane;

    KIT_OK(k, skein_lane_new(k->e, k->chat.id, skein_text("main"), id_of(k, "m4"),
                             skein_text("c1"), k->mem, &lane, &k->err));
    KIT_OK(k, skein_lane_new(k->e, k->chat.id, skein_text("main.1"), (skein_message_id){0},
                             (skein_str){0}, k->mem, &lane, &k->err));
    KIT_OK(k, skein_lane_new(k->e, k->chat.id, skein_text("main"), (skein_message_id){0},
                             (skein_str){0}, k->mem, &lane, &k->err));
}

static inline void change(kit *k)
{
    skein_message_id  two[] = {id_of(k, "m7"), id_of(k, "m8")};
    skein_squash_spec spec = {.sources = {two, 2}, .content = skein_text("seven and eight")};
    skein_compaction  c = {.covers = 3, .content = skein_text("what was before")};
    skein_version     v;
    skein_message     m;
    skein_squash      s;
    skein_move        move;
    int64_t           covers;

    KIT_OK(k, skein_amend(k->e, &k->how, id_of(k, "m6"), skein_text("another six"), k->mem, &v,
                          &m, &k->err));
    KIT_OK(k, skein_squash_messages(k->e, &k->how, &spec, k->mem, &s, &k->err));
    KIT_OK(k, skein_undo(k->e, &k->how, 1, k->mem, &move, &k->err));
    KIT_OK(k, skein_redo(k->e, &k->how, 1, k->mem, &move, &k->err));
    KIT_OK(k, skein_compact(k->e, k->chat.id, &c, k->mem, &m, &covers, &k->err));
}

static inline void furnish(kit *k)
{
    skein_tag            tag = {.name = skein_text("brief"),
                                .control = skein_text("toggle"),
                                .instruction = skein_text("Short")};
    skein_str            item = skein_text("fun main");
    skein_world          other = {.name = skein_text("elsewhere")};
    skein_context_file   file = {.path = skein_text("src/main.c"),
                                 .items = &item,
                                 .item_count = 1,
                                 .prompt = skein_text("Only names.")};
    skein_search_request what = {.query = skein_text("words")};
    skein_conversation   branch;
    skein_hits           hits;

    KIT_OK(k, skein_chat_new(k->e, k->world.id, skein_text("alone"), k->mem, &branch, &k->err));
    KIT_OK(k,
           skein_branch(k->e, &k->how, 0, -1, skein_text("branch"), k->mem, &branch, &k->err));
    KIT_OK(k, skein_world_new(k->e, &other, k->mem, &k->err));
    KIT_OK(k, skein_tag_define(k->e, k->world.id, &tag, &k->err));
    KIT_OK(k, skein_tag_activate(k->e, k->chat.id, tag.name, true, &k->err));
    KIT_OK(k, skein_context_file_set(k->e, k->chat.id, &file, &k->err));
    KIT_OK(k, skein_search(k->e, &what, k->mem, &hits, &k->err));
    assert_true(hits.count > 0);
}

static inline void build(kit *k, void **state)
{
    kit_open(k, state);
    say(k, "m1", SKEIN_USER, "human", NULL);
    say(k, "m2", SKEIN_ASSISTANT, "ada", "m1");
    say(k, "m3", SKEIN_ASSISTANT, "bo", "m2");
    call_a_tool(k);
    for (int i = 6; i <= 10; i++) {
        char uid[8];

        snprintf(uid, sizeof uid, "m%d", i);
        say(k, uid, SKEIN_USER, "human", NULL);
    }
    delegate(k);
    change(k);
    say_in(k, "main.2", "d1");
    say_in(k, "main.2", "d2");
    furnish(k);
    say_in(k, "main.2", "d3"); /* after the branch */
}

#define CHAT    "(SELECT MIN(id) FROM conversations)"
#define BRANCH  "(SELECT MAX(id) FROM conversations)"
#define ID(uid) "(SELECT id FROM messages x WHERE x.uid = '" uid "')"
#define LANE(conversation, key)                                                                \
    "(SELECT id FROM lanes x WHERE x.conversation_id = " conversation " AND x.key = '" key "'" \
    ")"
/* The thread that d1, d2 and d3 were said in. */
#define SIDE "(SELECT thread_id FROM items x WHERE x.message_id = " ID("d1") ")"
#define V(n)                                                                                   \
    "(SELECT id FROM versions x WHERE x.conversation_id = " CHAT " AND x.number = " #n ")"

#endif
