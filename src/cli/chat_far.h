/* chat_far.h: what a chat needs of a store that is elsewhere. Threads: one. Lifetimes: what is read lives in the
 * chat's scratch memory. */
#ifndef SKN_CLI_CHAT_FAR_H
#define SKN_CLI_CHAT_FAR_H

#include "cli/chat.h"

skein_rc skn_chat_far_message(skn_chat *c, skn_str uid, skein_message *out,
                              skein_message_facts *facts);
/* The last `count` messages, oldest first. */
skein_rc skn_chat_far_last(skn_chat *c, int64_t count, skein_messages *out,
                           skein_message_facts **facts);
skein_rc skn_chat_far_queue(skn_chat *c, skein_queue *out);
/* Says a waiting message now. */
skein_rc skn_chat_far_now(skn_chat *c, skn_str uid);
/* Lets it wait with another text. */
skein_rc skn_chat_far_requeue(skn_chat *c, skn_str uid, skn_str text);
skein_rc skn_chat_far_version(skn_chat *c, int64_t *out);
/* The agents of the world and what they do, into the chat. */
skein_rc skn_chat_far_agents(skn_chat *c);
/* Is nobody at work, and was all told that has happened? */
skein_rc skn_chat_far_settled(skn_chat *c, bool *out);

#endif
