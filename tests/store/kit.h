/* kit.h: short words for tests of the engine: a lab with three agents and a chat, and saying things. */
#ifndef SKN_TESTS_KIT_H
#define SKN_TESTS_KIT_H

#include "store/fixture.h"

#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

typedef struct kit {
    skn_fixture       *fx;
    skein_engine      *e;
    skein_mem         *mem;
    skein_error        err;
    skein_world        world;
    skein_agent        agent[3]; /* ada, bo, cy */
    skein_conversation chat;
    skein_change       how; /* of the chat */
} kit;

/* Opens an engine on the fixture's store, with the world "lab", its agents and a chat. */
void kit_open(kit *k, void **state);
void kit_close(kit *k);

/* Says one thing in the chat; fails the test when it is refused. */
skein_message kit_say(kit *k, skein_role role, const char *sender, const char *text);
/* The same as a reply. */
skein_message kit_reply(kit *k, const char *sender, const char *text, skein_str to);
/* A call of a tool, and its result. */
skein_message kit_call(kit *k, const char *sender, const char *call_id);
skein_message kit_result(kit *k, const char *call_id);
/* Appends what the caller made, and returns the code. */
skein_rc kit_append(kit *k, const skein_new_message *m, size_t count, skein_messages *out);
/* The texts of a lane of a version (0: the current one), joined by blanks. */
const char *kit_texts(kit *k, const char *lane, int64_t version);
/* What a model would be sent for this agent ("": the main lane): "user:text assistant:text …". */
const char *kit_context(kit *k, const char *agent);
/* Where the main lane stands. */
skein_at kit_at(kit *k);
/* Everything the conversation holds, every lane of every version, and how many rows there are: two
 * that are equal show that nothing was written between them. */
const char *kit_state(kit *k);
/* Says something that only this agent hears. */
skein_message kit_whisper(kit *k, const char *to, const char *text);
/* What a model would be sent for the main lane and for every agent is a list it accepts. */
void kit_valid(kit *k);
/* fsck finds nothing. */
void kit_check(kit *k);

#define KIT_OK(k, call) SKN_OK(call, (k)->err)

/* Takes back what the schemas after 13 added. */
#define KIT_DOWN_TO_13                                                                         \
    "DROP TABLE copies; DROP INDEX tasks_call;"                                                \
    "ALTER TABLE tasks DROP COLUMN call_message_id;"                                           \
    "DROP INDEX expected_task;"                                                                \
    "ALTER TABLE deliveries DROP COLUMN most_tokens;"                                          \
    "ALTER TABLE waiting DROP COLUMN most_tokens;"                                             \
    "ALTER TABLE waiting DROP COLUMN said;"                                                    \
    "ALTER TABLE waiting ADD COLUMN sender TEXT;"                                              \
    "ALTER TABLE waiting ADD COLUMN content TEXT;"                                             \
    "ALTER TABLE waiting ADD COLUMN reply_to TEXT;"                                            \
    "ALTER TABLE waiting ADD COLUMN instructions TEXT;"                                        \
    "ALTER TABLE deliveries DROP COLUMN without_tools;"                                        \
    "ALTER TABLE expected DROP COLUMN task_id;"                                                \
    "DROP TABLE definitions;"                                                                  \
    "ALTER TABLE inbox DROP COLUMN definition_id;"                                             \
    "ALTER TABLE inbox DROP COLUMN definition_state;"                                          \
    "DROP TABLE audit;"                                                                        \
    "ALTER TABLE messages DROP COLUMN hash;"                                                   \
    "ALTER TABLE messages DROP COLUMN reasoning;"                                              \
    "ALTER TABLE messages DROP COLUMN files;"                                                  \
    "DROP TABLE carried; DROP TABLE attachments; DROP TABLE blobs;"                            \
    "DROP TABLE learned;"                                                                      \
    "DROP TABLE sessions;"                                                                     \
    "DROP INDEX model_calls_world;"                                                            \
    "DROP INDEX model_calls_time;"                                                             \
    "CREATE INDEX model_calls_world ON model_calls(world_id);"                                 \
    "CREATE INDEX model_calls_time ON model_calls(created_at);"                                \
    "ALTER TABLE model_calls DROP COLUMN tokens_cached;"                                       \
    "ALTER TABLE model_calls DROP COLUMN tokens_written;"                                      \
    "ALTER TABLE model_calls DROP COLUMN cost;"                                                \
    "ALTER TABLE messages DROP COLUMN tokens_cached;"                                          \
    "ALTER TABLE messages DROP COLUMN tokens_written;"                                         \
    "ALTER TABLE messages DROP COLUMN cost;"

#endif
