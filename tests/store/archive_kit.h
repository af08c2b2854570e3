/* archive_kit.h: a world with everything that an archive has to keep. */
#ifndef SKN_TESTS_ARCHIVE_KIT_H
#define SKN_TESTS_ARCHIVE_KIT_H

#include "exchange_kit.h"

#include "base/hash.h"
#include "exchange/archive.h"

typedef struct history {
    skein_world        world;
    skein_conversation chat, branch;
} history;

/* The archive with one text replaced by another, and a last line that fits again. */
static inline void forge(const skn_buf *archive, const char *from, const char *to, skn_buf *out)
{
    const char *at = strstr(archive->p, from), *end = archive->p + archive->n - 1;
    char        digits[SKN_SHA256_TEXT];
    skn_sha256  hash;
    int64_t     rows = -1;

    if (!at)
        fail_msg("\"%s\" is not in the archive: %s", from, archive->p);
    while (end[-1] != '\n')
        end--;
    skn_buf_init(out, archive->n + 1000);
    skn_buf_add(out, (skn_str){archive->p, (size_t)(at - archive->p)});
    skn_buf_addf(out, "%s", to);
    at += strlen(from);
    skn_buf_add(out, (skn_str){at, (size_t)(end - at)});
    for (size_t i = 0; i < out->n; i++)
        rows += out->p[i] == '\n';
    skn_sha256_init(&hash);
    skn_sha256_add(&hash, skn_buf_str(out));
    skn_buf_addf(out, "{\"end\":true,\"rows\":%lld,\"sha256\":\"%s\"}\n", (long long)rows,
                 skn_sha256_text(&hash, digits).p);
}

static inline skein_message_id ids_at(place *p, skein_conversation_id chat, int64_t position)
{
    skein_slice    what = {.conversation = chat, .from = position, .count = 1};
    skein_messages m;
    skein_at       at;

    SKN_OK(skein_read(p->e, &what, p->mem, &m, &at, &p->err), p->err);
    assert_int_equal(m.count, 1);
    return m.at[0].id;
}

static inline void talk(place *p, skein_conversation_id chat)
{
    skein_tool_call call = {T("call_1"), T("search"), T("{\"q\": [1, \"\xf0\x9f\x8c\xb1\"]}")};
    skein_instruction tags[] = {{T("Source.User"), T(NULL)},
                                {T("ResponseExpected"), T("lead")}};
    skein_new_message asks = {
        .content = T("Plan the launch.\n\t\"quoted\" \\ \x01 \xe2\x80\xa9"),
        .instructions = tags,
        .instruction_count = 2};
    skein_message     first = say(p, chat, NULL, &asks);
    skein_new_message works = {.role = SKEIN_ASSISTANT, .sender = T("lead"), .calls = &call};
    skein_new_message result = {
        .role = SKEIN_TOOL, .content = T("nothing"), .tool_failed = true};

    works.call_count = 1;
    works.thinking = T("hm");
    works.reasoning = T("{\"type\":\"anthropic\",\"model\":\"a/m\",\"parts\":[{\"call\":0,"
                        "\"part\":{\"type\":\"redacted_thinking\",\"data\":\"x\"}}]}");
    works.model = T("demo/scripted");
    works.turn_uid = T("turn-1");
    works.reply_to = first.uid;
    result.tool_call_id = call.call_id;
    say(p, chat, NULL, &works);
    say(p, chat, NULL, &result);
    say_as(p, chat, SKEIN_ASSISTANT, "ada", "The dates: noon.", first.uid.p);
    say_as(p, chat, SKEIN_ASSISTANT, "bo", "Friday clashes.", "nobody-said-this");
    say_as(p, chat, SKEIN_USER, "human", "Then Monday.", NULL);
}

static inline void delegate(place *p, skein_conversation_id chat)
{
    skein_new_message inside = {
        .role = SKEIN_ASSISTANT, .sender = T("ada"), .content = T("done")};
    skein_lane lane, deeper;

    SKN_OK(skein_lane_new(p->e, chat, T(NULL), ids_at(p, chat, 1), T("call_1"), p->mem, &lane,
                          &p->err),
           p->err);
    say(p, chat, lane.key.p, &inside);
    SKN_OK(skein_lane_new(p->e, chat, lane.key, (skein_message_id){0}, T(NULL), p->mem, &deeper,
                          &p->err),
           p->err);
    SKN_OK(skein_lane_finish(p->e, lane.id, SKEIN_LANE_DONE, &p->err), p->err);
}

static inline void change(place *p, skein_conversation_id chat)
{
    skein_change      how = {.conversation = chat};
    skein_message_id  two[2];
    skein_squash_spec spec = {.sources = {two, 2}, .content = T("both"), .prompt = T("why")};
    skein_version     v;
    skein_move        move;
    skein_squash      squash;
    skein_removal     removal;

    SKN_OK(skein_amend(p->e, &how, ids_at(p, chat, 3), T("The dates: one."), p->mem, &v, NULL,
                       &p->err),
           p->err);
    two[0] = ids_at(p, chat, 3);
    two[1] = ids_at(p, chat, 4);
    SKN_OK(skein_squash_messages(p->e, &how, &spec, p->mem, &squash, &p->err), p->err);
    SKN_OK(skein_undo(p->e, &how, 1, p->mem, &move, &p->err), p->err);
    SKN_OK(skein_reorder(p->e, &how, (skein_message_ids){two, 1}, ids_at(p, chat, 0), p->mem,
                         &v, &p->err),
           p->err);
    SKN_OK(skein_delete(p->e, &how, (skein_message_ids){two + 1, 1}, p->mem, &v, &p->err),
           p->err);
    say_as(p, chat, SKEIN_USER, "human", "after the change", NULL);
    SKN_OK(skein_remove_from(p->e, &how, ids_at(p, chat, 4), false, p->mem, &removal, &p->err),
           p->err);
    SKN_OK(skein_undo(p->e, &how, 1, p->mem, &move, &p->err), p->err);
}

static inline void sum_up(place *p, skein_conversation_id chat)
{
    skein_compaction what = {.content = T("In short: Monday."), .model = T("m")};
    skein_message    summary;
    int64_t          covers;

    SKN_OK(skein_compact(p->e, chat, &what, p->mem, &summary, &covers, &p->err), p->err);
    say_as(p, chat, SKEIN_USER, "human", "go on", NULL);
}

static inline void dress(place *p, const history *h)
{
    skein_str          items[] = {{"142:156", 7}, {"fun x", 5}};
    skein_context_file file = {.path = T("src/main.c"), .items = items, .item_count = 2};
    skein_tag          tag = {.name = T("expect"), .control = T("toggle"), .target = T("lead")};

    tag.instruction = T("ResponseExpected");
    tag.include_in_message = true;
    SKN_OK(skein_tag_define(p->e, h->world.id, &tag, &p->err), p->err);
    SKN_OK(skein_tag_activate(p->e, h->chat.id, tag.name, true, &p->err), p->err);
    SKN_OK(skein_context_file_set(p->e, h->chat.id, &file, &p->err), p->err);
}

/* A message carries a file with bytes that no text has. */
static inline void carry(place *p, const history *h)
{
    static const char bytes[] = "GIF89a\x03\0\x02\0\xf0\xff\0\"";
    skein_attachment  f = {.name = T("plan.gif")};
    char              sql[300];

    SKN_OK(skein_attachment_add(p->e, h->world.id, (skein_str){bytes, sizeof bytes}, &f, p->mem,
                                &p->err),
           p->err);
    snprintf(sql, sizeof sql,
             "INSERT INTO carried(attachment_id, message_id) SELECT MAX(a.id), MIN(m.id) FROM "
             "attachments a, messages m WHERE m.conversation_id = %lld",
             (long long)h->chat.id.v);
    skn_fixture_sql(p->fx, sql);
}

/* Only agents at work make messages of others. */
static inline void repeat(place *p, skein_conversation_id chat)
{
    char sql[200];

    snprintf(sql, sizeof sql,
             "INSERT INTO copies(message_id, source_id) SELECT MAX(id), MIN(id) FROM messages "
             "WHERE conversation_id = %lld AND purged_at IS NULL",
             (long long)chat.v);
    skn_fixture_sql(p->fx, sql);
}

static inline history make_history(place *p, const char *name)
{
    history      h = {.world = make_world(p, name)};
    skein_change how;
    int64_t      erased;
    skein_agent  ada;

    SKN_OK(skein_chat_new(p->e, h.world.id, T("the launch"), p->mem, &h.chat, &p->err), p->err);
    talk(p, h.chat.id);
    delegate(p, h.chat.id);
    change(p, h.chat.id);
    how = (skein_change){.conversation = h.chat.id};
    SKN_OK(skein_branch(p->e, &how, 0, 3, T("aside"), p->mem, &h.branch, &p->err), p->err);
    say_as(p, h.branch.id, SKEIN_USER, "human", "in the branch", NULL);
    say_as(p, h.chat.id, SKEIN_USER, "human", "in the chat meanwhile", NULL);
    sum_up(p, h.chat.id);
    skein_message_id gone = ids_at(p, h.chat.id, 3);
    SKN_OK(skein_purge(p->e, &how, (skein_message_ids){&gone, 1}, &erased, &p->err), p->err);
    dress(p, &h);
    carry(p, &h);
    repeat(p, h.chat.id);
    SKN_OK(skein_agent_find(p->e, h.world.id, T("ada"), p->mem, &ada, &p->err), p->err);
    SKN_OK(skein_conversation_of(p->e, ada.id, SKEIN_BACKGROUND, p->mem, &h.branch, &p->err),
           p->err);
    SKN_OK(
        skein_conversation_list(p->e, h.world.id, p->mem, &(skein_conversations){0}, &p->err),
        p->err);
    return h;
}

/* Rows of the store that an import writes first, and most of. */
static inline int64_t rows_of(place *p)
{
    return skn_fixture_number(p->fx, "SELECT (SELECT count(*) FROM worlds) + "
                                     "(SELECT count(*) FROM messages) + "
                                     "(SELECT count(*) FROM items)");
}

#endif
