/* verbs_feed.h: events, and the small things that the program keeps beside conversations: settings,
 * answers, failed edits; part of the door (store.h includes it).
 *
 * An event is only collected when it is added, and written with the others of its transaction right
 * before that is committed. Whoever reads up to a settled id (skn_event_settled) finds all that come
 * later behind it: on SQLite since commits follow each other, on PostgreSQL by a lock that writers
 * share from their id to their commit, so that they still can commit together.
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_FEED_H
#define SKN_STORE_VERBS_FEED_H

#include <skein/work.h>

typedef struct skn_event_row {
    int64_t id, world_id, conversation_id, version_id, message_id, at;
    skn_str cause, type, data; /* data: a JSON object, or absent */
    /* Filled in when it is read. */
    skn_str world, chat_uid, thread_uid;
} skn_event_row;

typedef struct skn_event_rows {
    skn_event_row *at;
    size_t         count;
} skn_event_rows;

/* --- events: store_feed.c --- */
/* Collects an event, a copy of it; nothing is kept of it when the work does not succeed. */
void skn_event_add(skn_tx *tx, const skn_event_row *row);
/* The greatest id up to which no event is missing that may still come; 0 when there is no event
 * after `after`. Only for another transaction, whose snapshot is taken later. */
skein_rc skn_event_settled(skn_tx *tx, int64_t after, int64_t *upto, skein_error *err);

typedef struct skn_event_range {
    int64_t world, conversation; /* both zero: all */
    int64_t after, upto;         /* greater than the one, not than the other */
    size_t  limit;
} skn_event_range;
/* Events in order. */
skein_rc skn_event_rows_in(skn_tx *tx, const skn_event_range *range, skn_arena *a,
                           skn_event_rows *out, skein_error *err);
/* store_message.c: messages by their ids, each named once, in ascending order; those that are not
 * there are left out. */
skein_rc skn_message_many(skn_tx *tx, const skn_ids *ids, skn_arena *a, skein_messages *out,
                          skein_error *err);
/* The newest event there is; smaller ones may still come. */
skein_rc skn_event_newest(skn_tx *tx, int64_t *newest, skein_error *err);
/* The newest event of those up to a settled one, and of those that were forgotten; 0 for none. */
skein_rc skn_event_span(skn_tx *tx, int64_t upto, int64_t *newest, int64_t *forgotten,
                        skein_error *err);
/* The oldest event that is there, and the first that a time leaves: the newest always stays. */
skein_rc skn_event_older(skn_tx *tx, int64_t before, int64_t *oldest, int64_t *stays,
                         skein_error *err);
/* Deletes all below a number, and keeps in mind which was the last. */
skein_rc skn_event_forget(skn_tx *tx, int64_t below, int64_t *gone, skein_error *err);

/* --- browsers that are signed in: store_audit.c --- */
skein_rc skn_session_insert(skn_tx *tx, const skn_session *what, skein_error *err);
/* Deletes those that are over, and the oldest where there are more than `most`. */
skein_rc skn_session_trim(skn_tx *tx, int64_t now, int64_t most, skein_error *err);
/* Those that are not over, in the order of their beginning. */
skein_rc skn_session_rows(skn_tx *tx, int64_t now, skn_arena *a, skn_sessions *out,
                          skein_error *err);
/* An absent uid means all of them. */
skein_rc skn_session_delete(skn_tx *tx, skn_str uid, int64_t *gone, skein_error *err);

/* --- settings, answers, failed edits: store_feed.c --- */
/* Nobody else changes them until the transaction ends. */
skein_rc skn_setting_hold(skn_tx *tx, skein_error *err);
skein_rc skn_setting_rows(skn_tx *tx, skn_arena *a, skein_settings *out, skein_error *err);
/* An absent value removes the key. */
skein_rc skn_setting_put(skn_tx *tx, const skein_setting *setting, skein_error *err);
/* Counts that they were changed, and how often that was. */
skein_rc skn_setting_changed(skn_tx *tx, skein_error *err);
skein_rc skn_setting_changes(skn_tx *tx, int64_t *out, skein_error *err);
/* A number that is another one after an event, and after a change of the settings. */
skein_rc skn_stamp_number(skn_tx *tx, int64_t *out, skein_error *err);
skein_rc skn_answer_get(skn_tx *tx, skn_str key, int64_t since, skn_arena *a,
                        skein_kept_answer *out, bool *found, skein_error *err);
/* Keeps it in the place of an older one with its key. */
skein_rc skn_answer_put(skn_tx *tx, const skein_kept_answer *answer, int64_t now,
                        skein_error *err);
/* Marks it as begun, unless there is one that is younger than `since` and has not failed. */
skein_rc skn_answer_begin(skn_tx *tx, skn_str key, int64_t request, int64_t now, int64_t since,
                          bool *begun, skein_error *err);
/* Empties them all: any may repeat what is erased. */
skein_rc skn_answer_erase(skn_tx *tx, skein_error *err);
/* Deletes at most 100 answers that are older than a time. */
skein_rc skn_answer_expire(skn_tx *tx, int64_t before, skein_error *err);
skein_rc skn_edit_error_insert(skn_tx *tx, int64_t world, const skein_edit_error *what,
                               skein_error *err);
/* Deletes all of a world but its newest. */
skein_rc skn_edit_error_trim(skn_tx *tx, int64_t world, size_t keep, skein_error *err);
/* Deletes those of a message that was edited or removed since. */
skein_rc skn_edit_error_solved(skn_tx *tx, int64_t world, int64_t conversation, skn_str message,
                               skein_error *err);
/* Edits whose messages were removed before a time and whose new text never came, newest first. */
skein_rc skn_edit_half_rows(skn_tx *tx, int64_t world, int64_t before, size_t most,
                            skn_arena *a, skein_edit_errors *out, skein_error *err);
/* Adds what is stored to the list, newest first. */
skein_rc skn_edit_error_rows(skn_tx *tx, int64_t world, skn_arena *a, skein_edit_errors *out,
                             skein_error *err);

#endif
