/* What surrounds messages: who remembers them, who answers them, where they come from, which versions
 * hold them. Small cases, and random histories against what the other calls say. */
#include "store/kit.h"

#include "exchange/exchange.h"

#include <stdlib.h>

/* The facts of the whole main lane of a version. */
typedef struct page {
    skein_messages       m;
    skein_message_facts *f;
} page;

static page explain(kit *k, const skein_slice *what)
{
    skein_slice s = *what;
    page        p;

    if (s.conversation.v == 0)
        s.conversation = k->how.conversation;
    KIT_OK(k, skein_read(k->e, &s, k->mem, &p.m, NULL, &k->err));
    p.f = calloc(p.m.count + 1, sizeof *p.f);
    KIT_OK(k,
           skein_message_explain(k->e, s.conversation, s.version, &p.m, k->mem, p.f, &k->err));
    return p;
}

static page explain_version(kit *k, int64_t version)
{
    return explain(k, &(skein_slice){.version = version});
}

static skein_message_facts one_fact(kit *k, int64_t version, skein_message m)
{
    skein_messages      list = {&m, 1};
    skein_message_facts f;

    KIT_OK(k, skein_message_explain(k->e, k->how.conversation, version, &list, k->mem, &f,
                                    &k->err));
    return f;
}

static skein_message amend(kit *k, skein_message_id id, const char *text)
{
    skein_version v;
    skein_message m;

    KIT_OK(k, skein_amend(k->e, &k->how, id, skein_text(text), k->mem, &v, &m, &k->err));
    return m;
}

static skein_squash squash(kit *k, skein_message a, skein_message b, const char *text)
{
    skein_message_id  ids[] = {a.id, b.id};
    skein_squash_spec spec = {.sources = {ids, 2}, .content = skein_text(text)};
    skein_squash      s;

    KIT_OK(k, skein_squash_messages(k->e, &k->how, &spec, k->mem, &s, &k->err));
    return s;
}

static skein_message last_of(kit *k)
{
    skein_message m;

    KIT_OK(k, skein_message_find(k->e, k->how.conversation, 0, skein_text("@"), k->mem, &m,
                                 &k->err));
    return m;
}

static bool same(skein_str a, skein_str b)
{
    return !a.p == !b.p && a.n == b.n && (!a.p || memcmp(a.p, b.p, a.n) == 0);
}

/* "ada bo" */
static const char *listeners(const skein_message_facts *f, char out[static 64])
{
    out[0] = '\0';
    for (size_t i = 0; i < f->seen_by_count; i++)
        snprintf(out + strlen(out), 64 - strlen(out), "%s%s", i ? " " : "", f->seen_by[i].p);
    return out;
}

/* --- Small cases ------------------------------------------------------------------------------------- */

static void seen_by_names_the_agents_that_have_it_in_memory(void **state)
{
    kit            k;
    page           p;
    skein_str      some[] = {skein_text("cy"), skein_text("ada")};
    skein_messages out;
    char           names[64];

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "all");
    KIT_OK(&k, kit_append(&k,
                          &(skein_new_message){.role = SKEIN_USER,
                                               .content = skein_text("some"),
                                               .heard_by = some,
                                               .heard_by_count = 2,
                                               .heard_by_given = true},
                          1, &out));
    kit_call(&k, "bo", "c1");
    kit_result(&k, "c1");
    p = explain_version(&k, 0);
    assert_string_equal(listeners(&p.f[0], names), "ada bo cy");
    assert_string_equal(listeners(&p.f[1], names), "ada cy");
    assert_string_equal(listeners(&p.f[3], names), "bo");
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[2].id, false, &k.err));
    free(p.f);
    p = explain_version(&k, 0);
    assert_string_equal(listeners(&p.f[1], names), "ada");
    free(p.f);
    kit_close(&k);
}

static void previous_is_the_one_before_it_in_the_version(void **state)
{
    kit           k;
    page          p;
    skein_message a, b, c, a2;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_say(&k, SKEIN_USER, "human", "b");
    c = kit_say(&k, SKEIN_USER, "human", "c");
    a2 = amend(&k, a.id, "a2");
    p = explain(&k, &(skein_slice){.from = 1});
    assert_true(same(p.f[0].previous_uid, a2.uid));
    assert_true(same(p.f[1].previous_uid, b.uid));
    assert_true(same(one_fact(&k, 1, b).previous_uid, a.uid));
    assert_null(one_fact(&k, 0, a2).previous_uid.p);
    assert_null(one_fact(&k, 0, a).previous_uid.p); /* not in this version */
    assert_true(same(one_fact(&k, 0, c).previous_uid, b.uid));
    free(p.f);
    p = explain(&k, &(skein_slice){.from = 0});
    p.m.at[1] = p.m.at[2];
    p.m.count = 2; /* a page with a hole in it */
    KIT_OK(&k, skein_message_explain(k.e, k.chat.id, 0, &p.m, k.mem, p.f, &k.err));
    assert_true(same(p.f[1].previous_uid, b.uid));
    free(p.f);
    kit_close(&k);
}

static void a_reply_to_an_edited_message_counts_for_its_new_text(void **state)
{
    kit                 k;
    skein_message       ask, answer, edited;
    skein_message_facts f;

    kit_open(&k, state);
    ask = kit_say(&k, SKEIN_USER, "human", "why");
    answer = kit_reply(&k, "ada", "because", ask.uid);
    edited = amend(&k, ask.id, "how");
    f = one_fact(&k, 0, edited);
    assert_int_equal(f.reply_count, 1);
    assert_int_equal(f.original_count, 1);
    assert_true(same(f.original_ids[0], ask.uid));
    assert_true(same(one_fact(&k, 0, answer).shown_reply, edited.uid));
    assert_true(same(one_fact(&k, 1, answer).shown_reply, ask.uid));
    assert_int_equal(one_fact(&k, 1, ask).reply_count, 1);
    assert_int_equal(one_fact(&k, 1, ask).original_count, 0);
    assert_int_equal(one_fact(&k, 0, ask).reply_count,
                     1); /* by lineage, though it is not there */
    kit_close(&k);
}

static void a_reply_to_a_squashed_message_is_shown_under_the_result(void **state)
{
    kit                 k;
    skein_message       a, b, answer, edited;
    skein_squash        s, again;
    skein_message_facts f;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_say(&k, SKEIN_USER, "human", "b");
    answer = kit_reply(&k, "ada", "yes", b.uid);
    s = squash(&k, a, b, "ab");
    f = one_fact(&k, 0, s.result);
    assert_int_equal(f.reply_count, 1);
    assert_int_equal(f.original_count, 2);
    assert_true(same(f.original_ids[0], a.uid) && same(f.original_ids[1], b.uid));
    assert_true(same(one_fact(&k, 0, answer).shown_reply, s.result.uid));
    edited = amend(&k, s.result.id, "AB");
    assert_true(same(one_fact(&k, 0, answer).shown_reply, edited.uid));
    assert_int_equal(one_fact(&k, 0, edited).reply_count, 1);
    again = squash(&k, edited, kit_say(&k, SKEIN_USER, "human", "c"), "abc");
    assert_true(same(one_fact(&k, 0, answer).shown_reply, again.result.uid));
    assert_int_equal(one_fact(&k, 0, again.result).reply_count, 1);
    assert_true(same(one_fact(&k, 1, answer).shown_reply, b.uid));
    kit_close(&k);
}

static void a_parent_that_left_the_version_is_not_shown(void **state)
{
    kit           k;
    skein_message ask, answer;
    skein_version v;

    kit_open(&k, state);
    ask = kit_say(&k, SKEIN_USER, "human", "why");
    answer = kit_reply(&k, "ada", "because", ask.uid);
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&ask.id, 1}, k.mem, &v, &k.err));
    assert_null(one_fact(&k, 0, answer).shown_reply.p);
    assert_true(same(one_fact(&k, 1, answer).shown_reply, ask.uid));
    kit_close(&k);
}

static void versions_are_those_that_hold_it_newest_first(void **state)
{
    kit                 k;
    skein_message       a, b, a2;
    skein_message_facts f;
    skein_move          move;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_say(&k, SKEIN_USER, "human", "b");
    a2 = amend(&k, a.id, "a2");
    for (int i = 0; i < 70; i++)
        amend(&k, last_of(&k).id, "b again");
    f = one_fact(&k, 0, a);
    assert_int_equal(f.version_count, 1);
    assert_int_equal(f.versions[0], 1);
    f = one_fact(&k, 0, b);
    assert_int_equal(f.version_count, 2);
    assert_int_equal(f.versions[0], 2);
    f = one_fact(&k, 0, a2);
    assert_int_equal(f.version_count, 64);
    for (int i = 0; i < 64; i++)
        assert_int_equal(f.versions[i], 72 - i);
    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err));
    assert_int_equal(one_fact(&k, 1, a2).versions[0], 72);
    kit_close(&k);
}

static void messages_of_a_delegation_are_explained_in_their_lane(void **state)
{
    kit                  k;
    skein_message        call, edited;
    skein_lane           lane;
    skein_messages       out;
    skein_new_message    m[2] = {{.role = SKEIN_USER, .content = skein_text("do")},
                                 {.role = SKEIN_ASSISTANT,
                                  .sender = skein_text("worker"),
                                  .content = skein_text("did")}};
    skein_append_request r = {.lane = skein_text("main.1"), .messages = m, .count = 2};
    page                 p;

    kit_open(&k, state);
    call = kit_call(&k, "ada", "c1");
    KIT_OK(&k, skein_lane_new(k.e, k.chat.id, skein_text("main"), call.id, skein_text("c1"),
                              k.mem, &lane, &k.err));
    m[0].uid = skein_text("order");
    m[1].reply_to = skein_text("order");
    r.conversation = k.chat.id;
    KIT_OK(&k, skein_append(k.e, &r, k.mem, &out, &k.err));
    edited = amend(&k, out.at[0].id, "do it");
    p = explain(&k, &(skein_slice){.lane = skein_text("main.1")});
    assert_int_equal(p.m.count, 2);
    assert_int_equal(p.f[0].reply_count, 1);
    assert_null(p.f[0].previous_uid.p);
    assert_true(same(p.f[1].shown_reply, edited.uid));
    assert_true(same(p.f[1].previous_uid, edited.uid));
    assert_int_equal(p.f[0].seen_by_count, 0);
    assert_int_equal(p.f[1].version_count, 2);
    assert_int_equal(p.f[0].version_count, 1);
    free(p.f);
    kit_close(&k);
}

static void an_unanswered_note_to_others_is_only_in_memory(void **state)
{
    kit           k;
    page          p;
    skein_message note;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "hi");
    note = kit_say(&k, SKEIN_ASSISTANT, "ada", "@bo have a look");
    p = explain_version(&k, 0);
    assert_false(p.f[0].memory_only);
    assert_true(p.f[1].memory_only);
    free(p.f);
    p = explain(&k, &(skein_slice){.agent = k.agent[1].id});
    assert_int_equal(p.m.at[1].role, SKEIN_USER);
    assert_true(p.f[1].memory_only);
    free(p.f);
    kit_reply(&k, "bo", "I did", note.uid);
    p = explain_version(&k, 0);
    assert_false(p.f[1].memory_only);
    free(p.f);
    p = explain(&k, &(skein_slice){.agent = k.agent[1].id});
    assert_false(p.f[1].memory_only);
    free(p.f);
    kit_close(&k);
}

static bool only_in_memory(const page *p, skein_message_id id, bool *held)
{
    for (size_t i = 0; i < p->m.count; i++)
        if (p->m.at[i].id.v == id.v) {
            *held = true;
            return p->f[i].memory_only;
        }
    *held = false;
    return false;
}

/* Whether the line of an export that names the message marks it. */
static bool export_marks(skn_str text, skein_str uid)
{
    skn_str line;

    while (skn_str_split(&text, '\n', &line))
        if (skn_str_find(line, uid) >= 0)
            return skn_str_find(line, SKN_STR("[in-memory, no reply]")) >= 0;
    fail_msg("the export does not name %.*s", SKN_FMT(uid));
    return false;
}

/* Exports for people name a message in the line of its marks: Markdown as "  (UID, ", HTML as "<code>UID</code>". */
static void assert_export_agrees(kit *k, const page *room, skn_format format,
                                 const char *before, const char *after)
{
    skn_export_request req = {.conversation = k->chat.id, .format = format};
    skn_buf            out;
    skn_sink           sink = skn_sink_buf(&out);

    skn_buf_init(&out, (size_t)1 << 24);
    KIT_OK(k, skn_export(k->e, &req, &sink, &k->err));
    for (size_t i = 0; i < room->m.count; i++) {
        char uid[100];

        snprintf(uid, sizeof uid, "%s%.*s%s", before, SKN_FMT(room->m.at[i].uid), after);
        assert_int_equal(export_marks(skn_buf_str(&out), skein_text(uid)),
                         room->f[i].memory_only);
    }
    skn_buf_release(&out);
}

/* Nothing that is marked is left when an export is asked for without it, and nothing else goes. */
static void assert_export_leaves_out(kit *k, const page *room)
{
    skn_export_request req = {
        .conversation = k->chat.id, .format = SKN_FORMAT_MD, .no_memory_only = true};
    skn_buf  out;
    skn_sink sink = skn_sink_buf(&out);

    skn_buf_init(&out, (size_t)1 << 24);
    KIT_OK(k, skn_export(k->e, &req, &sink, &k->err));
    for (size_t i = 0; i < room->m.count; i++) {
        char uid[100];

        snprintf(uid, sizeof uid, "  (%.*s, ", (int)room->m.at[i].uid.n, room->m.at[i].uid.p);
        assert_int_equal(skn_str_find(skn_buf_str(&out), skein_text(uid)) < 0,
                         room->f[i].memory_only);
    }
    skn_buf_release(&out);
}

/* The main lane against the tree, the exports, and the memory of every agent that heard the message. */
static void assert_all_agree(kit *k)
{
    page             room = explain_version(k, 0), memory[3];
    skein_reply_tree tree;
    bool             held;

    KIT_OK(k, skein_reply_tree_read(k->e, k->chat.id, 0, (skein_message_id){0}, k->mem, &tree,
                                    &k->err));
    assert_int_equal(tree.count, room.m.count);
    for (size_t i = 0; i < tree.count; i++)
        assert_int_equal(tree.at[i].memory_only,
                         only_in_memory(&room, tree.at[i].message.id, &held));
    for (int a = 0; a < 3; a++) {
        memory[a] = explain(k, &(skein_slice){.agent = k->agent[a].id});
        for (size_t i = 0; i < room.m.count; i++) {
            bool here = only_in_memory(&memory[a], room.m.at[i].id, &held);

            if (held)
                assert_int_equal(here, room.f[i].memory_only);
        }
        free(memory[a].f);
    }
    assert_export_agrees(k, &room, SKN_FORMAT_MD, "  (", ", ");
    assert_export_agrees(k, &room, SKN_FORMAT_HTML, "<code>", "</code></span>");
    assert_export_leaves_out(k, &room);
    free(room.f);
}

static void room_memory_tree_and_exports_agree_on_what_is_only_in_memory_for_any_text(
    void **state)
{
    static const char *const pieces[] = {"@bo ", "@cy: ", "@nobody ", "look ", "\n",     "\r\n",
                                         " ",    "a@bo ", "@ada, ",   "@",     "\n\t@bo"};
    static const char *const who[] = {"ada", "bo", "cy"};
    uint32_t                 dice = 7;
    kit                      k;
    skein_message            last;

    kit_open(&k, state);
    last = kit_say(&k, SKEIN_USER, "human", "hi");
    for (int i = 0; i < 60; i++) {
        char text[120];
        int  at = 0;

        for (int n = 0; n < 6; n++) {
            dice = dice * 1664525 + 1013904223;
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%s",
                           pieces[(dice >> 16) % 11], n == 5 ? "." : "");
        }
        dice = dice * 1664525 + 1013904223;
        if ((dice >> 20) % 3)
            last = kit_reply(&k, who[(dice >> 16) % 3], text, last.uid);
        else
            last = kit_say(&k, SKEIN_ASSISTANT, who[(dice >> 16) % 3], text);
        if ((dice >> 24) % 4 == 0)
            last = kit_say(&k, SKEIN_USER, "human", text);
    }
    assert_all_agree(&k);
    kit_close(&k);
}

static void what_is_posted_in_an_agents_name_is_assistant_in_its_own_memory(void **state)
{
    kit  k;
    page p;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "ada", "in her name");
    p = explain(&k, &(skein_slice){.agent = k.agent[0].id});
    assert_int_equal(p.m.count, 1);
    assert_int_equal(p.m.at[0].role, SKEIN_ASSISTANT);
    free(p.f);
    p = explain(&k, &(skein_slice){.agent = k.agent[1].id});
    assert_int_equal(p.m.at[0].role, SKEIN_USER);
    free(p.f);
    kit_close(&k);
}

/* Whom it speaks to is read as for routing: on every line. */
static void a_mention_on_a_later_line_is_a_note_to_others_too(void **state)
{
    kit           k;
    page          p;
    skein_message said;

    kit_open(&k, state);
    said = kit_say(&k, SKEIN_USER, "human", "hi");
    kit_reply(&k, "ada", "Hello.\n@bo have a look", said.uid);
    p = explain_version(&k, 0);
    assert_true(p.f[1].memory_only);
    free(p.f);
    kit_close(&k);
}

/* Also where the agent called a tool on the way: it stays on the agent's side. */
static void a_squash_of_tool_work_is_the_agents_and_keeps_the_question_answered(void **state)
{
    kit               k;
    page              p;
    skein_message     asked;
    skein_tool_call   call = {skein_text("c1"), skein_text("look"), skein_text("{}")};
    skein_new_message m[3];
    skein_messages    out;

    kit_open(&k, state);
    asked = kit_say(&k, SKEIN_USER, "human", "how many?");
    m[0] = (skein_new_message){.role = SKEIN_ASSISTANT,
                               .sender = skein_text("ada"),
                               .reply_to = asked.uid,
                               .calls = &call,
                               .call_count = 1};
    m[1] = (skein_new_message){
        .role = SKEIN_TOOL, .content = skein_text("3"), .tool_call_id = skein_text("c1")};
    m[2] = (skein_new_message){.role = SKEIN_ASSISTANT,
                               .sender = skein_text("ada"),
                               .content = skein_text("three"),
                               .reply_to = asked.uid};
    KIT_OK(&k, kit_append(&k, m, 3, &out));
    squash(&k, out.at[0], out.at[2], "looked, three");
    p = explain_version(&k, 0);
    assert_int_equal(p.m.count, 2);
    assert_int_equal(p.m.at[1].role, SKEIN_ASSISTANT);
    assert_int_equal(p.m.at[1].author_agent.v, k.agent[0].id.v);
    assert_int_equal(p.f[0].reply_count, 1);
    assert_true(same(p.f[1].shown_reply, asked.uid));
    free(p.f);
    kit_close(&k);
}

/* Also where they were several: each of them has the squash as its answer. */
static void a_squash_of_answers_keeps_each_question_answered(void **state)
{
    kit           k;
    page          p;
    skein_message q1, q2, a1, a2;

    kit_open(&k, state);
    q1 = kit_say(&k, SKEIN_USER, "human", "how many?");
    q2 = kit_say(&k, SKEIN_USER, "human", "and why?");
    a1 = kit_reply(&k, "ada", "three", q1.uid);
    a2 = kit_reply(&k, "ada", "because", q2.uid);
    squash(&k, a1, a2, "three, because");
    p = explain_version(&k, 0);
    assert_int_equal(p.m.count, 3);
    assert_int_equal(p.f[0].reply_count, 1);
    assert_int_equal(p.f[1].reply_count, 1);
    assert_true(same(p.f[2].shown_reply, q1.uid));
    free(p.f);
    kit_close(&k);
}

/* It stands for what was said, and was said to nobody: the same whoever said what it stands for. */
static void a_squash_is_never_only_in_memory(void **state)
{
    kit           k;
    page          p;
    skein_message a, b, c, d;
    skein_stats   s;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_ASSISTANT, "ada", "a");
    b = kit_say(&k, SKEIN_ASSISTANT, "ada", "b");
    c = kit_say(&k, SKEIN_ASSISTANT, "ada", "c");
    d = kit_say(&k, SKEIN_ASSISTANT, "bo", "d");
    squash(&k, a, b, "of one");
    squash(&k, c, d, "of two");
    p = explain_version(&k, 0);
    assert_int_equal(p.m.count, 2);
    assert_false(p.f[0].memory_only);
    assert_false(p.f[1].memory_only);
    free(p.f);
    p = explain(&k, &(skein_slice){.agent = k.agent[1].id});
    assert_false(p.f[0].memory_only);
    free(p.f);
    KIT_OK(&k, skein_stats_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &s, &k.err));
    assert_int_equal(s.memory_only, 0);
    assert_int_equal(s.unanswered, 0);
    kit_close(&k);
}

static void a_branch_explains_what_came_along(void **state)
{
    kit                 k;
    skein_conversation  branch;
    skein_message       a, b, b2;
    skein_message_facts f;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_reply(&k, "ada", "b", a.uid);
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, skein_text("b"), k.mem, &branch, &k.err));
    k.how.conversation = branch.id;
    b2 = amend(&k, b.id, "b2");
    f = one_fact(&k, 0, a);
    assert_int_equal(f.reply_count, 1);
    assert_int_equal(f.seen_by_count, 3);
    assert_int_equal(f.version_count, 2);
    f = one_fact(&k, 0, b2);
    assert_true(same(f.shown_reply, a.uid) && same(f.previous_uid, a.uid));
    assert_true(same(f.original_ids[0], b.uid));
    kit_close(&k);
}

static void a_message_without_an_id_is_refused(void **state)
{
    kit                 k;
    skein_message       m = {.position = -1};
    skein_message_facts f;

    kit_open(&k, state);
    assert_int_equal(
        skein_message_explain(k.e, k.chat.id, 0, &(skein_messages){&m, 1}, k.mem, &f, &k.err),
        SKEIN_INVALID);
    KIT_OK(&k,
           skein_message_explain(k.e, k.chat.id, 0, &(skein_messages){0}, k.mem, NULL, &k.err));
    kit_close(&k);
}

/* --- Random histories -------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static size_t below(uint64_t *seed, size_t n)
{
    return (size_t)(next_random(seed) % n);
}

static skein_messages room(kit *k, const char *lane, int64_t version)
{
    skein_slice    what = {.conversation = k->chat.id, .version = version};
    skein_messages m;

    what.lane = skein_text(lane);
    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, NULL, &k->err));
    return m;
}

/* A message that replies to any message there ever was, or to nothing. */
static void say_something(kit *k, uint64_t *seed, skein_message *ever, size_t *count)
{
    static const char *const who[] = {"ada", "bo", "cy"};
    skein_str                to = {NULL, 0};

    if (*count > 0 && below(seed, 3) > 0)
        to = ever[below(seed, *count)].uid;
    ever[(*count)++] = kit_reply(k, who[below(seed, 3)], "text", to);
}

static void change_something(kit *k, uint64_t *seed, skein_message *ever, size_t *count)
{
    skein_messages now = room(k, "main", 0);
    skein_message  m = now.at[below(seed, now.count)], other = now.at[below(seed, now.count)];
    skein_version  v;
    skein_move     move;
    skein_rc       rc = SKEIN_OK;

    switch (below(seed, 6)) {
    case 0:
    case 1:
        ever[(*count)++] = amend(k, m.id, "edited");
        break;
    case 2:
        if (m.id.v != other.id.v)
            ever[(*count)++] = squash(k, m, other, "squashed").result;
        break;
    case 3:
        rc = skein_delete(k->e, &k->how, (skein_message_ids){&m.id, 1}, k->mem, &v, &k->err);
        break;
    case 4:
        if (m.id.v != other.id.v)
            rc = skein_reorder(k->e, &k->how, (skein_message_ids){&m.id, 1}, other.id, k->mem,
                               &v, &k->err);
        break;
    default:
        rc = skein_undo(k->e, &k->how, 1, k->mem, &move, &k->err);
        break;
    }
    if (rc != SKEIN_OK && rc != SKEIN_NOTHING)
        fail_msg("%s", k->err.message);
}

static bool holds(const skein_messages *m, int64_t id)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->at[i].id.v == id)
            return true;
    return false;
}

static void check_links(kit *k, int64_t version, const page *p, size_t i)
{
    skein_messages children, above;

    KIT_OK(k, skein_reply_children(k->e, k->chat.id, version, p->m.at[i].id, k->mem, &children,
                                   &k->err));
    KIT_OK(k, skein_reply_ancestors(k->e, k->chat.id, version, p->m.at[i].id, k->mem, &above,
                                    &k->err));
    assert_int_equal(p->f[i].reply_count, children.count);
    assert_true(
        same(p->f[i].shown_reply, above.count ? above.at[0].uid : (skein_str){NULL, 0}));
    assert_true(same(p->f[i].previous_uid, i ? p->m.at[i - 1].uid : (skein_str){NULL, 0}));
}

static void check_version(kit *k, int64_t version, const skein_messages *versions, size_t count)
{
    page           p = explain_version(k, version);
    skein_messages memory = room(k, "@bo", version);

    for (size_t i = 0; i < p.m.count; i++) {
        int64_t id = p.m.at[i].id.v;
        size_t  n = 0;
        bool    bo = false;

        check_links(k, version, &p, i);
        for (size_t v = count; v-- > 0;)
            if (holds(&versions[v], id))
                assert_int_equal(p.f[i].versions[n++], v + 1);
        assert_int_equal(p.f[i].version_count, n);
        for (size_t s = 0; s < p.f[i].seen_by_count; s++)
            bo = bo || same(p.f[i].seen_by[s], skein_text("bo"));
        assert_int_equal(bo, holds(&memory, id));
    }
    free(p.f);
}

static void facts_are_what_the_other_calls_say_after_any_history(void **state)
{
    enum { STEPS = 60 };
    kit             k;
    uint64_t        seed = 88172645463325252u;
    skein_message   ever[2 * STEPS];
    size_t          count = 0;
    skein_versions  all;
    skein_messages *versions;

    kit_open(&k, state);
    for (int step = 0; step < STEPS; step++) {
        if (room(&k, "main", 0).count < 4 || below(&seed, 2))
            say_something(&k, &seed, ever, &count);
        else
            change_something(&k, &seed, ever, &count);
    }
    KIT_OK(&k, skein_history(k.e, k.chat.id, k.mem, &all, &k.err));
    assert_true(all.count > 10);
    versions = calloc(all.count, sizeof *versions);
    for (size_t v = 0; v < all.count; v++)
        versions[v] = room(&k, "main", (int64_t)v + 1);
    for (size_t v = 0; v < all.count; v += 3)
        check_version(&k, (int64_t)v + 1, versions, all.count);
    free(versions);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(seen_by_names_the_agents_that_have_it_in_memory),
        SKN_BOTH(previous_is_the_one_before_it_in_the_version),
        SKN_BOTH(a_reply_to_an_edited_message_counts_for_its_new_text),
        SKN_BOTH(a_reply_to_a_squashed_message_is_shown_under_the_result),
        SKN_BOTH(a_parent_that_left_the_version_is_not_shown),
        SKN_BOTH(versions_are_those_that_hold_it_newest_first),
        SKN_BOTH(messages_of_a_delegation_are_explained_in_their_lane),
        SKN_BOTH(an_unanswered_note_to_others_is_only_in_memory),
        SKN_BOTH(room_memory_tree_and_exports_agree_on_what_is_only_in_memory_for_any_text),
        SKN_BOTH(a_mention_on_a_later_line_is_a_note_to_others_too),
        SKN_BOTH(what_is_posted_in_an_agents_name_is_assistant_in_its_own_memory),
        SKN_BOTH(a_squash_of_tool_work_is_the_agents_and_keeps_the_question_answered),
        SKN_BOTH(a_squash_of_answers_keeps_each_question_answered),
        SKN_BOTH(a_squash_is_never_only_in_memory),
        SKN_BOTH(a_branch_explains_what_came_along),
        SKN_BOTH(a_message_without_an_id_is_refused),
        SKN_BOTH(facts_are_what_the_other_calls_say_after_any_history),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
