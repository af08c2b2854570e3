/* whole.h: all that a store holds, read through the public calls: every lane of every version of
 * every conversation. What crash tests compare before and after.
 *
 * Threads: one.  Lifetimes: all of it lives in the skein_mem that it was read into. */
#ifndef SKN_TESTS_WHOLE_H
#define SKN_TESTS_WHOLE_H

#include "base/buf.h"
#include "base/hash.h"
#include "store/fixture.h"
#include <skein/skein.h>

typedef struct skn_whole_lane {
    skein_str      key;
    skein_messages messages;
} skn_whole_lane;

typedef struct skn_whole_version {
    skein_version   version;
    skn_whole_lane *lanes; /* main first */
    size_t          lane_count;
} skn_whole_version;

typedef struct skn_whole_chat {
    skein_conversation conversation;
    skein_lanes        lanes;
    skn_whole_version *versions; /* newest first */
    size_t             version_count;
} skn_whole_chat;

typedef struct skn_whole {
    skein_worlds    worlds;
    skein_agents   *agents; /* of each world */
    skn_whole_chat *chats;
    size_t          chat_count;
    skn_map        *messages; /* public id -> skein_message, of all versions */
} skn_whole;

/* Reads everything; what cannot be read fails the test. */
void skn_whole_read(skein_engine *e, skein_mem *mem, skn_whole *out);
/* Everything but ids and times as text, with the number of rows of every table: two stores where
 * the same was done have the same text. The text lives in mem. */
skein_str skn_whole_text(skn_fixture *fx, skein_engine *e, skein_mem *mem);
/* Fails the test at the first difference between two such texts. */
void skn_whole_expect(skein_str is, skein_str expected, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails the test with the first thing that skein_fsck finds. */
void skn_whole_sound(skein_engine *e, const char *when);
/* Opens an engine on the place, or fails the test. */
skein_engine *skn_whole_open(const char *address);

/* What must hold in every store whose messages are all heard by every agent: positions are dense,
 * nothing stands twice in a lane, and every agent's lane holds what the main lane holds. */
void skn_whole_check(const skn_whole *w);

#endif
