/* reply.h: who answers whom in one version of a conversation.
 *
 * A reply counts by lineage: one that was given to an earlier text of a message belongs to the text
 * that the version holds, and one given to a message that was squashed away belongs to what the
 * squash made of it. A link whose target is not in the version at all makes no parent.
 *
 * A squash answers all that its sources answered: it counts as a reply to each of those, but has one
 * place in the tree, under the first.
 *
 * Links point to smaller ids, but what stands in for their targets may be younger, so walks do not
 * rely on any order: a loop is cut before its first message in the thread.
 *
 * Threads: a skn_replies belongs to one transaction.  Lifetimes: everything lives in its arena. */
#pragma once

#include "engine/core.h"

/* An agent's memory in the version. */
typedef struct skn_listener {
    int64_t    lane, agent;
    skn_thread thread;
} skn_listener;

typedef struct skn_replies {
    skn_trees            trees;
    skn_conversation_row conversation;
    skn_version_row      version;
    skn_thread           thread; /* of the lane; length 0 when it has none in this version */
    /* Filled by answered.c when it is first asked. */
    bool          known;
    skn_listener *listeners;
    size_t        listener_count;
    skn_str      *names; /* of the world's agents */
    size_t        name_count;
} skn_replies;

/* The main lane; version 0 is the current one. */
skein_rc skn_replies_open(skn_replies *r, skn_tx *tx, skein_conversation_id conversation,
                          int64_t version, skn_arena *a, skein_error *err);
/* The message that a link to `id` means here: itself, the latest text of it, or what it was squashed
 * into; *out is 0 when the lane holds none of them. */
skein_rc skn_reply_target(skn_replies *r, int64_t id, int64_t *out, int64_t *position,
                          skein_error *err);
/* The message to show as the parent of one that the lane holds; 0 for a root. */
skein_rc skn_reply_parent(skn_replies *r, int64_t id, int64_t *parent, skein_error *err);
/* The direct replies to a message that the lane holds, in order of the thread; *under, unless NULL, is
 * how many of them, and which, have their place in the tree under it. */
skein_rc skn_reply_ids(skn_replies *r, int64_t of, skn_ids *out, skn_ids *under,
                       skein_error *err);
/* Messages by their ids, with their positions. */
skein_rc skn_reply_messages(skn_replies *r, const skn_ids *ids, skein_messages *out,
                            skein_error *err);

/* --- reply.c -------------------------------------------------------------------------------- */

/* A message of the whole lane, linked. Indexes are places in the thread; -1 is none. */
typedef struct skn_reply_item {
    int64_t        id, lineage, reply_to;
    int64_t        parent, first, last, next; /* first and last child, next sibling */
    int64_t        replies, created_at;
    skein_message *message; /* NULL unless it was asked for */
    skn_str        sender;
    bool           stands; /* may stand for others: a squash, or another text of a message */
    bool           asks;   /* words that wait for an answer: see skn_asks */
    bool           aside;  /* looks like a note to others: see answered.c */
    bool           result; /* of a tool */
} skn_reply_item;

typedef struct skn_reply_items {
    skn_reply_item *at;
    size_t          count;
} skn_reply_items;

/* Reads the lane once and links all of it; with `full` the messages are kept. */
skein_rc skn_reply_items_read(skn_replies *r, bool full, skn_reply_items *out,
                              skein_error *err);
/* The next one in the order in which a tree is printed; start with -1, ends with -1. *depth is kept
 * for the caller. */
int64_t skn_reply_items_next(const skn_reply_items *items, int64_t at, int *depth);

/* --- reply.c -------------------------------------------------------------------------------- */

/* The tree under one message, by asking for the replies of each. */
skein_rc skn_reply_subtree(skn_replies *r, skein_message_id root, skein_reply_tree *out,
                           skein_error *err);

/* --- answered.c: when a message is left without an answer --------------------------------------------- *
 * The one rule behind "unanswered" and behind "[in-memory, no reply]", for every view. */

/* Words of a person or an agent, not a step on the way to some, and no squash of what agents said. */
bool skn_speaks(const skein_message *m);
/* The same of what waits for an answer: an agent's answer to somebody ends an exchange. */
bool skn_asks(const skein_message *m);
/* Could it be an agent's note to others: its own words, that answer nothing or have an "@"? The part
 * of the rule that can be told from the message alone. */
bool skn_may_be_aside(const skein_message *m);
/* Is it only in somebody's memory: an agent's words that another agent has in memory (heard), that
 * nobody replies to, and that reply to nothing themselves or mention somebody, on any line? The same
 * in the main lane and in every memory. A squash never is: it stands for what was said, and was said to
 * nobody. */
bool skn_memory_only_rule(const skein_message *m, int64_t replies, bool heard, bool mention);
/* The same, when only the replies were counted: looks up the rest, and only where it matters. */
skein_rc skn_memory_only(skn_replies *r, const skein_message *m, int64_t replies, bool *out,
                         skein_error *err);
/* Does it wait for an answer that nobody gave? */
bool skn_unanswered(const skein_message *m, int64_t replies, bool memory_only);
