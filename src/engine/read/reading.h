/* reading.h: a lane of a version, opened to be read.
 *
 * Threads: a skn_reading belongs to one transaction.  Lifetimes: everything lives in its arena. */
#pragma once

#include "engine/read/reply.h"

typedef struct skn_reading {
    skn_trees            trees;
    skn_conversation_row conversation;
    skn_version_row      version;
    skn_lane_row         lane;   /* id 0: the agent has heard nothing here yet */
    skn_thread           thread; /* empty when the lane has none in this version */
} skn_reading;

/* Opens the lane that the slice names: an agent's memory when it names an agent and no lane. The
 * slice's range is not looked at. */
skein_rc skn_reading_open(skn_reading *r, skn_tx *tx, const skein_slice *what, skn_arena *a,
                          skein_error *err);
/* A look at the replies of what is read. */
skn_replies skn_replies_of(const skn_reading *r);
/* A thread whose row was read among others. */
skein_rc skn_thread_open(skn_trees *f, const skn_thread_row *row, skn_thread *out,
                         skein_error *err);
/* The message of the lane that a link to `id` means: itself, its latest text, or what it was squashed
 * into; the message itself with position -1 when the lane holds none of them. */
skein_rc skn_reading_target(skn_reading *r, int64_t id, skein_message *out, bool *found,
                            skein_error *err);

/* alternatives.c: fills in the alternatives of those of these messages that are answers. */
skein_rc skn_alternatives_find(skn_reading *r, const skein_message *at, size_t count,
                               skein_message_facts *facts, skein_error *err);

/* context.c: the newest summary of a thread that holds, and its record; row->id is 0 when there is none. */
skein_rc skn_summary_find(skn_trees *f, const skn_thread *t, skein_message *summary,
                          skn_compaction_row *row, skein_error *err);

/* The part of a lane that a model is shown. */
typedef struct skn_context_spec {
    skein_agent_id            agent;   /* with whose eyes; zero: whose conversation it is */
    const skein_message      *summary; /* put first, when the record has an id */
    const skn_compaction_row *record;
    int64_t                   to;      /* up to this position */
    bool                      told;    /* calls of tools and their results as text */
    const skein_slice        *at_work; /* set: its task is in hand */
} skn_context_spec;

/* context.c */
skein_rc skn_context_fill(skn_reading *r, const skn_context_spec *spec, skein_context *out,
                          skein_error *err);

/* search.c: removes a message from the search index permanently. Call it before the message is erased, in the
 * same transaction. */
skein_rc skn_search_forget(skn_tx *tx, int64_t message, skn_arena *a, skein_error *err);
