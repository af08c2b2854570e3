/* The tables of an archive. The order is that of the file: what a row refers to stands before
 * it, save where AHEAD says otherwise. */
#include "base/clock.h"
#include "store/store.h"

#define INT(name, min, max)                                                                    \
    {                                                                                          \
        name, SKN_CELL_INT, false, 0, min, max, NULL                                           \
    }
#define TIME(name)                                                                             \
    {                                                                                          \
        name, SKN_CELL_INT, false, 0, 0, SKN_TIME_LAST, NULL                                   \
    }
#define MAYBE_TIME(name)                                                                       \
    {                                                                                          \
        name, SKN_CELL_INT, true, 0, 0, SKN_TIME_LAST, NULL                                    \
    }
#define FLAG(name)                                                                             \
    {                                                                                          \
        name, SKN_CELL_INT, false, 0, 0, 1, NULL                                               \
    }
/* A number that older archives do not know: left out where it is 0. */
#define MAYBE_INT(name, max)                                                                   \
    {                                                                                          \
        name, SKN_CELL_INT, true, 0, 1, max, NULL                                              \
    }
/* A number, or -1 where it was not measured. */
#define MAYBE_COUNT(name)                                                                      \
    {                                                                                          \
        name, SKN_CELL_INT, true, 0, -1, INT64_MAX, NULL                                       \
    }
#define MAYBE_FLAG(name)                                                                       \
    {                                                                                          \
        name, SKN_CELL_INT, true, 0, 0, 1, NULL                                                \
    }
#define TEXT(name)                                                                             \
    {                                                                                          \
        name, SKN_CELL_TEXT, false, 0, 0, 0, NULL                                              \
    }
#define MAYBE_TEXT(name)                                                                       \
    {                                                                                          \
        name, SKN_CELL_TEXT, true, 0, 0, 0, NULL                                               \
    }
#define MAYBE_JSON(name)                                                                       \
    {                                                                                          \
        name, SKN_CELL_JSON, true, 0, 0, 0, NULL                                               \
    }
#define UID(name)                                                                              \
    {                                                                                          \
        name, SKN_CELL_UID, false, 0, 0, 0, NULL                                               \
    }
#define MAYBE_UID(name)                                                                        \
    {                                                                                          \
        name, SKN_CELL_UID, true, 0, 0, 0, NULL                                                \
    }
#define NAME(name)                                                                             \
    {                                                                                          \
        name, SKN_CELL_NAME, false, 0, 0, 0, NULL                                              \
    }
#define WORD(name, words)                                                                      \
    {                                                                                          \
        name, SKN_CELL_WORD, false, 0, 0, 0, words                                             \
    }
#define REF(name, to)                                                                          \
    {                                                                                          \
        name, SKN_CELL_REF, false, SKN_AR_##to, 0, 0, NULL                                     \
    }
#define MAYBE_REF(name, to)                                                                    \
    {                                                                                          \
        name, SKN_CELL_REF, true, SKN_AR_##to, 0, 0, NULL                                      \
    }
#define MAYBE_AHEAD(name, to)                                                                  \
    {                                                                                          \
        name, SKN_CELL_AHEAD, true, SKN_AR_##to, 0, 0, NULL                                    \
    }
#define KEY(name)                                                                              \
    {                                                                                          \
        name, SKN_CELL_KEY, false, SKN_AR_MESSAGES, 0, 0, NULL                                 \
    }
#define MAYBE_KEY(name)                                                                        \
    {                                                                                          \
        name, SKN_CELL_KEY, true, SKN_AR_MESSAGES, 0, 0, NULL                                  \
    }
#define SPANS(name)                                                                            \
    {                                                                                          \
        name, SKN_CELL_SPANS, false, 0, 0, 0, NULL                                             \
    }

/* clang-format off */
const skn_archive_shape skn_archive_tables[SKN_AR_TABLES] = {
    [SKN_AR_WORLDS] = {"worlds", true, 8, {
        UID("uid"), NAME("name"), MAYBE_TEXT("description"), INT("turn_limit", 0, INT64_MAX),
        INT("compact_at", 0, INT64_MAX), MAYBE_AHEAD("current_conversation_id", CONVERSATIONS),
        TIME("created_at"), MAYBE_TIME("removed_at")}},
    [SKN_AR_AGENTS] = {"agents", true, 9, {
        UID("uid"), REF("world_id", WORLDS), MAYBE_REF("lead_id", AGENTS), NAME("name"),
        MAYBE_TEXT("system_prompt"), MAYBE_TEXT("model"), MAYBE_JSON("settings"),
        TIME("created_at"), MAYBE_TIME("removed_at")}},
    [SKN_AR_TAGS] = {"tag_definitions", true, 7, {
        REF("world_id", WORLDS), TEXT("name"), TEXT("control"), TEXT("instruction"),
        MAYBE_TEXT("target"), FLAG("include_in_message"), TIME("created_at")}},
    [SKN_AR_CONVERSATIONS] = {"conversations", true, 11, {
        UID("uid"), REF("world_id", WORLDS), MAYBE_REF("agent_id", AGENTS),
        WORD("mode", "|chat|foreground|background|"), MAYBE_TEXT("title"),
        MAYBE_AHEAD("version_id", VERSIONS), MAYBE_REF("branched_from_id", CONVERSATIONS),
        TIME("created_at"), MAYBE_TIME("removed_at"), MAYBE_REF("expects_agent_id", AGENTS),
        MAYBE_FLAG("read_only")}},
    [SKN_AR_ACTIVE_TAGS] = {"active_tags", false, 2, {
        REF("conversation_id", CONVERSATIONS), REF("tag_id", TAGS)}},
    [SKN_AR_FILES] = {"context_files", true, 4, {
        REF("conversation_id", CONVERSATIONS), TEXT("path"), MAYBE_JSON("items"),
        TIME("created_at")}},
    [SKN_AR_VERSIONS] = {"versions", true, 8, {
        REF("conversation_id", CONVERSATIONS), INT("number", 1, INT64_MAX),
        MAYBE_REF("origin_id", VERSIONS), INT("origin_length", 0, INT64_MAX), TEXT("kind"),
        TEXT("actor"), MAYBE_TEXT("note"), TIME("created_at")}},
    [SKN_AR_LANES] = {"lanes", true, 11, {
        REF("conversation_id", CONVERSATIONS), TEXT("key"), MAYBE_REF("agent_id", AGENTS),
        MAYBE_REF("parent_id", LANES), INT("ordinal", 0, INT64_MAX),
        MAYBE_AHEAD("spawn_message_id", MESSAGES), MAYBE_TEXT("spawn_call_id"),
        INT("children", 0, INT64_MAX),
        WORD("state", "|running|done|failed|cancelled|interrupted|"),
        MAYBE_REF("branched_from_id", LANES), TIME("created_at")}},
    [SKN_AR_MESSAGES] = {"messages", true, 27, {
        UID("uid"), REF("conversation_id", CONVERSATIONS),
        WORD("role", "|user|assistant|tool|summary|system|"),
        WORD("author", "|human|agent|tool|system|"), MAYBE_REF("agent_id", AGENTS),
        TEXT("sender"), TEXT("content"), MAYBE_TEXT("thinking"), MAYBE_JSON("calls"),
        MAYBE_TEXT("tool_call_id"), FLAG("tool_failed"), MAYBE_JSON("instructions"),
        MAYBE_TEXT("reply_to_uid"), MAYBE_REF("reply_to_id", MESSAGES),
        INT("reply_depth", 0, 99), MAYBE_REF("lineage_id", MESSAGES),
        MAYBE_REF("version_of_id", MESSAGES), MAYBE_UID("squash_uid"), MAYBE_TEXT("model"),
        MAYBE_TEXT("turn"), MAYBE_TEXT("warning"), TIME("created_at"),
        MAYBE_TIME("purged_at"), MAYBE_INT("stopped", 3), MAYBE_COUNT("tokens_in"),
        MAYBE_COUNT("tokens_out"), MAYBE_FLAG("tokens_estimated")}},
    [SKN_AR_THREADS] = {"threads", true, 8, {
        UID("uid"), REF("lane_id", LANES), REF("version_id", VERSIONS),
        MAYBE_REF("origin_id", THREADS), INT("origin_length", 0, INT64_MAX),
        MAYBE_AHEAD("root_id", NODES), INT("base_length", 0, INT64_MAX),
        MAYBE_AHEAD("compaction_id", COMPACTIONS)}},
    [SKN_AR_ITEMS] = {"items", false, 4, {
        REF("thread_id", THREADS), INT("seq", -INT64_MAX, INT64_MAX),
        REF("message_id", MESSAGES), MAYBE_KEY("okey")}},
    [SKN_AR_NODES] = {"nodes", true, 3, {
        REF("conversation_id", CONVERSATIONS), INT("level", 0, 63), SPANS("entries")}},
    [SKN_AR_COMPACTIONS] = {"compactions", true, 8, {
        REF("thread_id", THREADS), INT("covers", 1, INT64_MAX),
        REF("last_message_id", MESSAGES), REF("summary_message_id", MESSAGES),
        MAYBE_REF("previous_id", COMPACTIONS), TEXT("reason"), MAYBE_TEXT("model"),
        TIME("created_at")}},
    [SKN_AR_SQUASHES] = {"squashes", true, 8, {
        UID("uid"), REF("conversation_id", CONVERSATIONS), REF("version_id", VERSIONS),
        REF("result_message_id", MESSAGES), MAYBE_TEXT("prompt"), MAYBE_TEXT("model"),
        FLAG("by_agent"), TIME("created_at")}},
    [SKN_AR_SOURCES] = {"squash_sources", false, 3, {
        REF("squash_id", SQUASHES), INT("idx", 0, INT64_MAX), REF("message_id", MESSAGES)}},
    [SKN_AR_OPS] = {"ops", true, 9, {
        REF("conversation_id", CONVERSATIONS), TEXT("kind"), REF("from_version_id", VERSIONS),
        REF("to_version_id", VERSIONS), KEY("newest_message_id"), MAYBE_REF("undoes_id", OPS),
        MAYBE_AHEAD("undone_by_id", OPS), TEXT("actor"), TIME("at")}},
    [SKN_AR_COPIES] = {"copies", true, 2, {
        REF("message_id", MESSAGES), REF("source_id", MESSAGES)}},
};
/* clang-format on */
