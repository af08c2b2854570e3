/* chat_ask.h: what a chat asks of the store, through its API. Threads: one. Lifetimes: what is read lives in the
 * memory that is given, or in the chat's scratch memory; lanes until they are forgotten. */
#ifndef SKN_TERMINAL_CHAT_ASK_H
#define SKN_TERMINAL_CHAT_ASK_H

#include "cli/door_view.h"
#include "terminal/chat.h"

/* A question apart from the chat's own run; the chat is told its outcome. */
skn_cli *skn_chat_ask(skn_chat *c, skn_arena *mem, skn_door_question *q);
skein_rc skn_chat_told(skn_chat *c, const skn_door_question *q, skein_rc rc);

/* The conversation as it is now. */
skein_rc skn_chat_now(skn_chat *c, skn_arena *mem, skein_conversation *out);
/* The last messages of the version that is shown. */
skein_rc skn_chat_last(skn_chat *c, skn_arena *mem, int64_t count, skn_door_log *out);
/* The ids ("messageId") of those from one place on, in a version; 0: the current one. */
skein_rc skn_chat_ids(skn_chat *c, skn_arena *mem, int64_t version, int64_t from, int64_t count,
                      skn_json_list *out);
/* Does the version that is current now hold a message of which this is known? */
bool skn_chat_holds(skn_chat *c, const skein_message_facts *facts);
/* The agents of the world and what they do here, into the chat. */
skein_rc skn_chat_agents_read(skn_chat *c);
/* Is nobody at work here, and was all told that has happened? */
skein_rc skn_chat_settled(skn_chat *c, bool *out);

/* --- What is drawn again and again: it is read once, until it is forgotten ------------------ */

skein_rc skn_chat_delegations(skn_chat *c, const skein_delegations **out);
/* The last messages of a delegation, or of "main". */
skein_rc skn_chat_lane(skn_chat *c, skn_str key, int64_t last, const skn_door_log **out);
/* Something happened in a lane; `all`: with a delegation itself. */
void skn_chat_forget(skn_chat *c, bool all);

#endif
