/* answered.h: when a message is left without an answer: the one rule behind "unanswered" and
 * behind "[in-memory, no reply]", for every view.
 *
 * Threads, lifetimes: as in reply.h. */
#ifndef SKN_ENGINE_READ_ANSWERED_H
#define SKN_ENGINE_READ_ANSWERED_H

#include "engine/read/reply.h"

/* Words of a person or an agent, not a step on the way to some, and no squash of what agents said. */
bool skn_speaks(const skein_message *m);
/* The same of what waits for an answer: an agent's answer to somebody ends an exchange. */
bool skn_asks(const skein_message *m);
/* Could it be an agent's note to others: its own words, that answer nothing or have an "@"? The part
 * of the rule that can be told from the message alone. */
bool skn_may_be_aside(const skein_message *m);
/* Is it only in somebody's memory: an agent's words that another agent has in memory (heard), that
 * nobody replies to, and that reply to nothing themselves or mention somebody, on any line? The same
 * in the room and in every memory. A squash never is: it stands for what was said, and was said to
 * nobody. */
bool skn_memory_only_rule(const skein_message *m, int64_t replies, bool heard, bool mention);
/* The same, when only the replies were counted: looks up the rest, and only where it matters. */
skein_rc skn_memory_only(skn_replies *r, const skein_message *m, int64_t replies, bool *out,
                         skein_error *err);
/* Does it wait for an answer that nobody gave? */
bool skn_unanswered(const skein_message *m, int64_t replies, bool memory_only);

#endif
