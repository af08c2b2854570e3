/* explain.h: what surrounds the messages of a page; shared by the explain*.c files only.
 *
 * All that is asked of the store is asked for the whole page at once. Messages are known by their
 * number in `ids`, which has no repeats.
 *
 * Threads: one transaction.  Lifetimes: everything lives in the transaction's arena. */
#ifndef SKN_ENGINE_READ_EXPLAIN_H
#define SKN_ENGINE_READ_EXPLAIN_H

#include "engine/read/reading.h"
#include "engine/read/reply.h"
#include "engine/tree/holds.h"

#define SKN_NO_LANE SIZE_MAX

/* A lane of the conversation in the version that is looked at. */
typedef struct skn_explain_lane {
    skn_lane_row   row;
    skn_thread_row thread_row; /* id 0: the version has no thread of it */
    skn_thread     thread;
    bool           opened;
} skn_explain_lane;

typedef struct skn_explain {
    skn_reading          main;
    skn_trees           *trees; /* of main */
    skn_arena           *a;
    const skein_message *at; /* the messages */
    skein_message_facts *facts;
    size_t               count;
    skn_explain_lane    *lanes; /* main, then delegations, then agents' memories */
    size_t               lane_count;
    skn_idset            ids;
    size_t              *number; /* of each message, in ids */
    skn_batch            batch;  /* of ids */
    size_t              *home;   /* of each id: the first lane that holds it, or SKN_NO_LANE */
    int64_t *previous, *shown;   /* of each message: ids whose names are still to be read */
    int64_t *replies;            /* of each message */
    bool    *heard; /* of each message: another agent than its author has it in memory */
} skn_explain;

/* explain.c: fills in the lanes. */
skein_rc skn_explain_lanes(skn_explain *x, skein_error *err);
/* Finds the home of each message. */
skein_rc skn_explain_homes(skn_explain *x, skein_error *err);
/* The lane's thread; empty when the version has none of it. */
skein_rc skn_explain_thread(skn_explain *x, size_t lane, const skn_thread **out,
                            skein_error *err);
/* A look at the replies of a lane. */
skein_rc skn_explain_replies(skn_explain *x, size_t lane, skn_replies *out, skein_error *err);
/* Marks, in marks[lane_count], the lanes that can hold one of the messages with these numbers. */
void skn_explain_lanes_of(const skn_explain *x, const bool *numbers, bool *marks);

/* explain.c: replies, and shown parents, of the messages that are at home in a lane; those
 * that are nowhere belong to main. */
skein_rc skn_explain_links(skn_explain *x, size_t lane, skein_error *err);
/* explain.c: the versions that hold each message. */
skein_rc skn_explain_versions(skn_explain *x, skein_error *err);

#endif
