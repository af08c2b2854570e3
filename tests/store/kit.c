#include "store/kit.h"

#include "base/arena.h"
#include "base/buf.h"

void kit_open(kit *k, void **state)
{
    static const char *const names[] = {"ada", "bo", "cy"};
    skein_options            options = SKEIN_OPTIONS_INIT;

    memset(k, 0, sizeof *k);
    k->fx = skn_fixture_of(state);
    k->mem = skein_mem_new();
    options.store = skein_text(k->fx->address);
    KIT_OK(k, skein_open(&k->e, &options, &k->err));
    k->world.name = skein_text("lab");
    KIT_OK(k, skein_world_new(k->e, &k->world, k->mem, &k->err));
    for (int i = 0; i < 3; i++) {
        k->agent[i] = (skein_agent){.world = k->world.id, .name = skein_text(names[i])};
        KIT_OK(k, skein_agent_new(k->e, &k->agent[i], k->mem, &k->err));
    }
    KIT_OK(k, skein_chat_new(k->e, k->world.id, skein_text("talk"), k->mem, &k->chat, &k->err));
    k->how.conversation = k->chat.id;
}

void kit_close(kit *k)
{
    kit_check(k);
    skein_close(k->e);
    skein_mem_free(k->mem);
}

skein_rc kit_append(kit *k, const skein_new_message *m, size_t count, skein_messages *out)
{
    skein_append_request r = {
        .conversation = k->how.conversation, .messages = m, .count = count};

    return skein_append(k->e, &r, k->mem, out, &k->err);
}

static skein_message append_one(kit *k, const skein_new_message *m)
{
    skein_messages out;

    KIT_OK(k, kit_append(k, m, 1, &out));
    return out.at[0];
}

skein_message kit_say(kit *k, skein_role role, const char *sender, const char *text)
{
    return append_one(k, &(skein_new_message){.role = role,
                                              .sender = skein_text(sender),
                                              .content = skein_text(text)});
}

skein_message kit_reply(kit *k, const char *sender, const char *text, skein_str to)
{
    return append_one(k, &(skein_new_message){.role = SKEIN_ASSISTANT,
                                              .sender = skein_text(sender),
                                              .content = skein_text(text),
                                              .reply_to = to});
}

skein_message kit_whisper(kit *k, const char *to, const char *text)
{
    skein_str hearer = skein_text(to);

    return append_one(k, &(skein_new_message){.role = SKEIN_USER,
                                              .content = skein_text(text),
                                              .heard_by = &hearer,
                                              .heard_by_count = 1,
                                              .heard_by_given = true});
}

skein_message kit_call(kit *k, const char *sender, const char *call_id)
{
    skein_tool_call call = {skein_text(call_id), skein_text("look"), skein_text("{\"at\":1}")};

    return append_one(k, &(skein_new_message){.role = SKEIN_ASSISTANT,
                                              .sender = skein_text(sender),
                                              .content = skein_text("calling"),
                                              .calls = &call,
                                              .call_count = 1});
}

skein_message kit_result(kit *k, const char *call_id)
{
    return append_one(k, &(skein_new_message){.role = SKEIN_TOOL,
                                              .content = skein_text("found"),
                                              .tool_call_id = skein_text(call_id)});
}

const char *kit_texts(kit *k, const char *lane, int64_t version)
{
    skein_slice what = {
        .conversation = k->how.conversation, .lane = skein_text(lane), .version = version};
    skein_messages m;
    skein_at       at;
    skn_buf        buf;
    skn_str        text;

    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, &at, &k->err));
    skn_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < m.count; i++)
        skn_buf_addf(&buf, "%s%s", i ? " " : "", m.at[i].content.p);
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

const char *kit_context(kit *k, const char *agent)
{
    skein_slice   what = {.conversation = k->how.conversation};
    skein_context c;
    skn_buf       buf;
    skn_str       text;

    for (int i = 0; i < 3; i++)
        if (strcmp(k->agent[i].name.p, agent) == 0)
            what.agent = k->agent[i].id;
    KIT_OK(k, skein_context_read(k->e, &what, k->mem, &c, &k->err));
    skn_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < c.count; i++)
        skn_buf_addf(&buf, "%s%s:%s", i ? " | " : "", skein_role_name(c.at[i].role),
                     c.at[i].text.p ? c.at[i].text.p : "");
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

skein_at kit_at(kit *k)
{
    skein_slice    what = {.conversation = k->how.conversation, .from = -1};
    skein_messages m;
    skein_at       at;

    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, &at, &k->err));
    return at;
}

/* --- Everything there is ------------------------------------------------------------------------ */

static void add_lane(kit *k, skn_buf *out, const skein_lane *lane, int64_t version)
{
    skein_slice what = {
        .conversation = k->how.conversation, .lane = lane->key, .version = version};
    skein_messages m;
    skein_at       at;

    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, &at, &k->err));
    skn_buf_addf(out, "  %s:", lane->key.p);
    for (size_t i = 0; i < m.count; i++)
        skn_buf_addf(out, " %s=%s", m.at[i].uid.p, m.at[i].content.p);
    skn_buf_addf(out, "\n");
}

/* Rows of all tables but the search index, which is filled while reading. */
static int64_t count_rows(kit *k)
{
    static const char *const tables[] = {
        "worlds",   "agents", "conversations",  "versions",    "ops",
        "lanes",    "items",  "message_calls",  "threads",     "messages",
        "squashes", "nodes",  "squash_sources", "compactions", "idempotency"};
    skn_buf sql;
    int64_t n;

    skn_buf_init(&sql, 4096);
    skn_buf_addf(&sql, "SELECT 0");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        skn_buf_addf(&sql, " + (SELECT count(*) FROM %s)", tables[i]);
    n = skn_fixture_number(k->fx, sql.p);
    skn_buf_release(&sql);
    return n;
}

const char *kit_state(kit *k)
{
    skein_versions v;
    skein_lanes    lanes;
    skn_buf        buf;
    skn_str        text;

    KIT_OK(k, skein_history(k->e, k->how.conversation, k->mem, &v, &k->err));
    KIT_OK(k, skein_lane_list(k->e, k->how.conversation, k->mem, &lanes, &k->err));
    skn_buf_init(&buf, 1 << 24);
    for (size_t i = 0; i < v.count; i++) {
        skn_buf_addf(&buf, "v%lld %s%s\n", (long long)v.at[i].number, v.at[i].kind.p,
                     v.at[i].current ? " current" : "");
        for (size_t n = 0; n < lanes.count; n++)
            add_lane(k, &buf, &lanes.at[n], v.at[i].number);
    }
    skn_buf_addf(&buf, "%lld rows\n", (long long)count_rows(k));
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

/* --- What a model accepts ----------------------------------------------------------------------- */

/* The results of the calls at `i` follow at once, each call has one, and nothing else does. */
static size_t check_batch(const skein_context *c, size_t i)
{
    const skein_prompt_message *calls = &c->at[i];

    for (size_t n = 0; n < calls->call_count; n++) {
        bool found = false;

        for (size_t r = i + 1; r <= i + calls->call_count; r++) {
            assert_true(r < c->count && c->at[r].role == SKEIN_TOOL);
            found = found || strcmp(c->at[r].tool_call_id.p, calls->calls[n].call_id.p) == 0;
        }
        assert_true(found);
    }
    return i + calls->call_count;
}

static void check_context(kit *k, skein_agent_id agent)
{
    skein_slice   what = {.conversation = k->how.conversation, .agent = agent};
    skein_context c;

    KIT_OK(k, skein_context_read(k->e, &what, k->mem, &c, &k->err));
    for (size_t i = 0; i < c.count; i++) {
        assert_int_not_equal(c.at[i].role, SKEIN_TOOL); /* the batch before took its own */
        i = check_batch(&c, i);
    }
}

void kit_valid(kit *k)
{
    check_context(k, (skein_agent_id){0});
    for (int i = 0; i < 3; i++)
        check_context(k, k->agent[i].id);
}

void kit_check(kit *k)
{
    skein_check check;

    KIT_OK(k, skein_fsck(k->e, k->mem, &check, &k->err));
    for (size_t i = 0; i < check.count; i++)
        print_error("%s: %s\n", check.at[i].invariant.p, check.at[i].text.p);
    assert_int_equal(check.count, 0);
}
