/* timeline.h: the events of each lane, in the order in which they are shown.
 *
 * A record is applied to its timeline. Loading a whole history and adding one more record are the same call, so a
 * kept skein_timelines is a cache of the start of a history. The result does not depend on how the records were cut
 * into batches, nor on how those of different lanes were mixed.
 *
 * Threads: one at a time for a skein_timelines and everything read from it, also for reading. Lifetimes: everything
 * read from a skein_timelines is borrowed from it, until it is freed. Text ends in a NUL, except for the parts of a
 * message that thinking was split from. */
#ifndef SKEIN_TIMELINE_H
#define SKEIN_TIMELINE_H

#include <skein/message.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Records ------------------------------------------------------------------------------ */

typedef enum skein_record_type {
    SKEIN_RECORD_USER_MESSAGE,
    SKEIN_RECORD_AGENT_MESSAGE,
    SKEIN_RECORD_THINKING,
    SKEIN_RECORD_SYSTEM_PROMPT,
    SKEIN_RECORD_USER_SYSTEM_PROMPT,
    SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE,
    SKEIN_RECORD_TOOL_CALL,
    SKEIN_RECORD_TOOL_RESULT,
    SKEIN_RECORD_SUMMARY
} skein_record_type;

/* One event in a lane. Texts are UTF-8; members that do not apply are absent. */
typedef struct skein_record {
    skein_str         id;   /* unique in its lane; a record without an id is never a repeat */
    skein_str         lane; /* "main", "main.1", … */
    skein_record_type type;
    bool              failed;     /* of a result */
    skein_unfinished  unfinished; /* of an agent's message */
    int64_t           at;         /* microseconds UTC, only for display; 0: unknown */
    skein_str         text;       /* the message, or a result's output if that is plain text */
    skein_str         call_id;    /* pairs a call with its result */
    skein_str         tool_name;
    skein_str         input;      /* of a call: JSON text */
    skein_str         output;     /* of a result: JSON text; comes before `text` */
    skein_str         error;      /* of a result */
    skein_str         child;      /* the lane that was started: of a call its
                                   * input.delegateThreadId, of a result its
                                   * metadata.threadId */
    skein_str         message_id; /* of the stored message */
    skein_str         turn_id;
    skein_str         sender;
} skein_record;

/* The name of a record's type, as it stands in event lines: "TOOL_CALL". */
SKEIN_API const char *skein_record_type_name(skein_record_type type);
/* Finds a record's type by its name; false when the name is none. */
SKEIN_API bool skein_record_type_from(skein_str name, skein_record_type *out);

/* --- The fold ----------------------------------------------------------------------------- */

typedef struct skein_timelines skein_timelines; /* all lanes of one history */
typedef struct skein_timeline  skein_timeline;  /* one of them */

typedef struct skein_timeline_options {
    size_t size;        /* set by SKEIN_TIMELINE_OPTIONS_INIT */
    bool   guess_links; /* guess unstated links from notices and times; marked */
} skein_timeline_options;
#define SKEIN_TIMELINE_OPTIONS_INIT SKEIN_INIT(skein_timeline_options)

/* Creates empty timelines; they are the caller's, for skein_timelines_free. NULL options are the defaults. */
SKEIN_API skein_timelines *skein_timelines_new(const skein_timeline_options *options);
/* Frees timelines and everything that was read from them. NULL is fine. */
SKEIN_API void skein_timelines_free(skein_timelines *set);
/* Makes an independent copy; it is the caller's, for skein_timelines_free. */
SKEIN_API skein_timelines *skein_timelines_clone(const skein_timelines *set);

/* Applies a record to its lane, at a cost that does not depend on earlier records. A record whose id the lane already
 * has is a repeat if it is the same byte for byte, and SKEIN_CONFLICT otherwise. A failed call has changed nothing. */
SKEIN_API skein_rc skein_timelines_apply(skein_timelines *set, const skein_record *record,
                                         skein_error *err);
/* Adds a lane that may never have a record. */
SKEIN_API skein_rc skein_timelines_declare(skein_timelines *set, skein_str lane,
                                           skein_error *err);

/* Which call of which lane started a child lane. It may be stated before or after the call itself. */
typedef struct skein_lane_link {
    size_t    size; /* set by SKEIN_LANE_LINK_INIT */
    skein_str child, parent;
    skein_str call_id;    /* absent: the child is not attached to any call */
    skein_str message_id; /* of the message with the call; absent: by occurrence */
    uint32_t  occurrence; /* which call with this id, from 1; 0 is the first */
} skein_lane_link;
#define SKEIN_LANE_LINK_INIT SKEIN_INIT(skein_lane_link)

/* States a link, which takes precedence over the records of this child. The first link to a call counts; another one
 * for the same child is SKEIN_CONFLICT. */
SKEIN_API skein_rc skein_timelines_link(skein_timelines *set, const skein_lane_link *link,
                                        skein_error *err);

/* Applies event lines: one JSON object a line, {"id","threadId","type","timestamp","data"}. The
 * lines before a bad one are applied; the error names its number. */
SKEIN_API skein_rc skein_timelines_read_events(skein_timelines *set, skein_str lines,
                                               skein_error *err);

/* --- Reading ------------------------------------------------------------------------------ */

typedef enum skein_item_kind {
    SKEIN_ITEM_USER_MESSAGE,
    SKEIN_ITEM_AGENT_MESSAGE,
    SKEIN_ITEM_THINKING,
    SKEIN_ITEM_SYSTEM_MESSAGE,
    SKEIN_ITEM_TOOL_EXECUTION, /* a call, with its result if there is one */
    SKEIN_ITEM_ORPHAN_RESULT,  /* a result without its call */
    SKEIN_ITEM_SUMMARY,
    SKEIN_ITEM_EPHEMERAL /* unfinished text; never counted, never given an id */
} skein_item_kind;

/* The name of an item's kind, as it stands in JSON: "tool_execution". */
SKEIN_API const char *skein_item_kind_name(skein_item_kind kind);

typedef struct skein_timeline_item {
    skein_item_kind kind;
    skein_record    record; /* the record that it shows; of a tool_execution the call */
    skein_str       text;   /* the part of the record's text that this item shows */
    skein_str    source; /* that part with its tags; the parts in order are the record's text */
    bool         split;  /* thinking was split off; `part` counts the parts from 0 */
    uint32_t     part;
    bool         answered;
    skein_record result;          /* of an answered tool_execution */
    uint32_t     duplicate_count; /* further results for the same call */
    uint32_t     occurrence;      /* which call with this id in its lane, from 1 */
    skein_str    delegation;      /* the lane that this call started; absent: none */
    bool         guessed;         /* that link was guessed */
} skein_timeline_item;

/* The timeline of a lane; NULL when there is none. */
SKEIN_API const skein_timeline *skein_timelines_get(skein_timelines *set, skein_str lane);
/* The timeline of the first lane whose key has no dot, or the first of all; NULL when there is none. */
SKEIN_API const skein_timeline *skein_timelines_main(skein_timelines *set);
/* Counts the lanes, including those that are only known by a link. */
SKEIN_API size_t skein_timelines_count(skein_timelines *set);
/* Timeline number `index`, outer lanes first. */
SKEIN_API const skein_timeline *skein_timelines_at(skein_timelines *set, size_t index);

/* The key of the lane: "main.1". */
SKEIN_API skein_str skein_timeline_lane(const skein_timeline *t);
/* The lane that started this one; NULL if none did, or it is unknown. */
SKEIN_API const skein_timeline *skein_timeline_parent(const skein_timeline *t);
/* Counts the items. */
SKEIN_API size_t skein_timeline_item_count(const skein_timeline *t);
/* Item number `index`, which must be below the count. */
SKEIN_API skein_timeline_item skein_timeline_item_at(const skein_timeline *t, size_t index);
/* Extra result number `which` of a tool_execution. */
SKEIN_API skein_record skein_timeline_duplicate(const skein_timeline *t, size_t index,
                                                size_t which);
/* Counts the records that were applied, without repeats. */
SKEIN_API size_t skein_timeline_record_count(const skein_timeline *t);
/* Record number `index` in the order in which they were applied, repeats left out. */
SKEIN_API skein_record skein_timeline_record_at(const skein_timeline *t, size_t index);
/* Checks that every record is in exactly one place of the items, with every byte of its text; SKEIN_DAMAGED names the
 * first that is not. */
SKEIN_API skein_rc skein_timeline_check(const skein_timeline *t, skein_error *err);

/* An unfinished text; it becomes a message with the same turn id. */
typedef struct skein_ephemeral {
    skein_str text;
    int64_t   at;
    skein_str turn_id;
} skein_ephemeral;

/* A lane as it is shown: its items, then unfinished texts. */
typedef struct skein_timeline_view {
    const skein_timeline  *timeline;
    size_t                 event_count, item_count, message_count;
    int64_t                last_activity_at; /* 0: no record had a time */
    skein_str              version;          /* lane:records:last id */
    const skein_ephemeral *ephemeral;        /* those that no message has replaced yet */
    size_t                 ephemeral_count;
} skein_timeline_view;

/* --- In one call -------------------------------------------------------------------------- */

/* Applies records of any lanes; those before a failing one stay applied. */
SKEIN_API skein_rc skein_process_threads(skein_timelines *set, const skein_record *records,
                                         size_t count, skein_error *err);
/* Applies records of one lane and returns that lane; SKEIN_INVALID, and nothing applied, if they are of several
 * lanes. Without records it returns the main lane. */
SKEIN_API skein_rc skein_process_events(skein_timelines *set, const skein_record *records,
                                        size_t count, const skein_timeline **out,
                                        skein_error *err);
/* Shows a lane. An unfinished text is left out once a message of its turn was applied. */
SKEIN_API skein_timeline_view skein_build_timeline(const skein_timeline  *t,
                                                   const skein_ephemeral *ephemeral,
                                                   size_t count, skein_mem *mem);
/* Does skein_process_events, then skein_build_timeline. */
SKEIN_API skein_rc skein_process_thread(skein_timelines *set, const skein_record *records,
                                        size_t count, const skein_ephemeral *ephemeral,
                                        size_t ephemeral_count, skein_mem *mem,
                                        skein_timeline_view *out, skein_error *err);
/* The whole set as JSON: {"mainTimeline":Timeline,"delegateTimelines":{"main.1":Timeline}}. */
SKEIN_API skein_rc skein_timelines_json(skein_timelines *set, skein_mem *mem, skein_str *out,
                                        skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
