/* shape.h: structs that describe themselves: one row a member, for everything that is done with all of them.
 *
 * A shape is a const table of the members of a struct as they stand in JSON, in order. Of it a thing is written, read,
 * kept in an arena and compared, and it is what a person may name in "fields". The rows of a shape stand in a .def file of
 * their own, by the macros of base/shape_rows.h:
 *
 *     TEXT(uid, "id")                    skein_task has skn_str uid; null when it is absent
 *     TIME(created_at, "createdAt")      int64_t, microseconds; null when it is 0
 *     OWN("label", put_label, NULL)      no member of the struct says it: a function writes the value
 *
 * One .c file includes the file, which makes the table, and a header says its name:
 *
 *     #include "engine/view/shapes/task.def"
 *     SKN_SHAPED(task, skein_task);       in the header
 *
 * To write one: skn_shape_task(w, &task). To read one from an answer: skn_task_from_json(v, cli->keep, &task); the items of
 * an array: skn_task_list_from_json(array, cli->keep, &count). What is told with more than its struct (skn_told_message)
 * is written and read by skn_shape_write and skn_shape_read.
 *
 * Lifetimes: what is read are views of the JSON; lists live in the arena. Threads: any. */
#pragma once

#include "base/json.h"
#include "base/json_write.h"

typedef enum skn_member_kind {
    SKN_AS_TEXT,    /* skn_str; null when it is absent */
    SKN_AS_WORDS,   /* skn_str; "" when it is absent */
    SKN_AS_FILLED,  /* skn_str; null also when it is empty */
    SKN_AS_RAW,     /* skn_str that is JSON; when it is empty what the row says, or null */
    SKN_AS_ANY,     /* skn_str that is JSON or else a text; read as JSON */
    SKN_AS_INT,     /* int64_t */
    SKN_AS_SMALL,   /* int */
    SKN_AS_COUNT,   /* int64_t; null below 0 */
    SKN_AS_DOUBLE,  /* double */
    SKN_AS_FLAG,    /* bool */
    SKN_AS_TIME,    /* int64_t, microseconds UTC; null when it is 0 */
    SKN_AS_VERSION, /* int64_t; "v7", or null when it is 0 */
    SKN_AS_NAME,    /* an enum; the name its table has for it, or null */
    SKN_AS_TEXTS,   /* a list of skn_str */
    SKN_AS_INTS,    /* a list of int64_t */
    SKN_AS_LIST,    /* a list of structs with a shape */
    SKN_AS_PART,    /* an object: a struct with a shape */
    SKN_AS_MEMBERS, /* the members of a struct with a shape, in the same object */
    SKN_AS_OWN      /* none of these: functions write and read it */
} skn_member_kind;

typedef struct skn_shape skn_shape;

/* Writes the value of a member of *thing; its key stands there. */
typedef void skn_member_put(skn_jw *w, const void *thing);
/* Reads it back into *thing. */
typedef void skn_member_take(const skn_json *v, void *thing, skn_arena *a);

/* The names of an enum, by its numbers; NULL: that one is null in JSON. */
typedef struct skn_enum {
    const char *const *at;
    size_t             count;
} skn_enum;
#define SKN_ENUM(list)                                                                         \
    {                                                                                          \
        (list), sizeof(list) / sizeof *(list)                                                  \
    }

typedef struct skn_member {
    const char *key;   /* with quotes and colon, as it is written */
    uint8_t     key_n; /* of the key alone */
    uint8_t     kind;
    uint8_t     kept;         /* the kind as which it is kept and compared; SKN_AS_OWN: not */
    uint16_t    at, count_at; /* in the struct; of a list: its pointer and how many */
    uint16_t    when; /* 1 + the place of a number or pointer: left out while that is zero */
    const void *of;   /* skn_shape, skn_enum or a JSON text, as the kind has it */
    skn_member_put  *put;
    skn_member_take *take;
} skn_member;

struct skn_shape {
    const skn_member *at;
    size_t            count;
    size_t            size; /* of the struct */
    /* What the rows cannot say, when all of them were read from v; or NULL. */
    void (*after)(const skn_json *v, void *thing, skn_arena *a);
};

#define SKN_SHAPE(rows, type)                                                                  \
    {                                                                                          \
        (rows), sizeof(rows) / sizeof *(rows), sizeof(type), NULL                              \
    }

/* As an object, or its members alone inside of one that the caller opened. */
void skn_shape_write(skn_jw *w, const skn_shape *s, const void *thing);
void skn_shape_members(skn_jw *w, const skn_shape *s, const void *thing);
/* Whatever is missing or of another kind is zero, absent or empty; so is all of it when v is NULL or no object. */
void skn_shape_read(const skn_shape *s, const skn_json *v, skn_arena *a, void *thing);
/* The same, but whatever is missing stays as it is. */
void skn_shape_fill(const skn_shape *s, const skn_json *v, skn_arena *a, void *thing);
/* skn_shape_read of each thing in an array; *count of them. */
void *skn_shape_read_list(const skn_shape *s, const skn_json *v, skn_arena *a, size_t *count);
/* Copies every text and list of it into the arena. */
void skn_shape_keep(const skn_shape *s, void *thing, skn_arena *a);
/* Are all members of the struct alike? What rows only compute is not looked at. */
bool skn_shape_equal(const skn_shape *s, const void *one, const void *two);
/* Does a row of it have this key? */
bool skn_shape_has(const skn_shape *s, skn_str key);
/* "id,agent,content": every key, the way "fields" names them. */
skn_str skn_shape_fields(const skn_shape *s, skn_arena *a);

/* The shape skn_NAME_shape, and writing and reading by it of its own struct alone. */
#define SKN_SHAPED(name, type)                                                                 \
    extern const skn_shape skn_##name##_shape;                                                 \
    static inline void     skn_shape_##name(skn_jw *w, const type *thing)                      \
    {                                                                                          \
        skn_shape_write(w, &skn_##name##_shape, thing);                                        \
    }                                                                                          \
    static inline void skn_##name##_from_json(const skn_json *v, skn_arena *a, type *out)      \
    {                                                                                          \
        skn_shape_read(&skn_##name##_shape, v, a, out);                                        \
    }                                                                                          \
    static inline type *skn_##name##_list_from_json(const skn_json *v, skn_arena *a,           \
                                                    size_t *count)                             \
    {                                                                                          \
        return skn_shape_read_list(&skn_##name##_shape, v, a, count);                          \
    }                                                                                          \
    extern const skn_shape skn_##name##_shape

/* Calls fn for every key and the row it comes from; those of MEMBERS are among them. */
typedef void skn_shape_visit(void *arg, skn_str key, const skn_member *m);
void         skn_shape_each(const skn_shape *s, skn_shape_visit *fn, void *arg);

/* The name of a number, or NULL; and the number of a name, false when it is none. */
const char *skn_enum_name(const skn_enum *names, int number);
bool        skn_enum_from(const skn_enum *names, skn_str name, int *out);
