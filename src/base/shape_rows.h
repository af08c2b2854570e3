/* shape_rows.h: a shape (base/shape.h) as a table: SHAPE, a row for each member, SHAPE_END. THING is the struct meanwhile.
 *
 * A row says the member of the struct and then its key. What is of another type than the row is for does not compile. */
#pragma once

#include "base/shape.h"

#include <stddef.h>

#define SHAPE(name) static const skn_member name##_rows[] = {
/* Ends skn_NAME_shape; or one with a function for when all rows are read; or NAME_shape, for this file alone. */
#define SHAPE_END(name)             SHAPE_MADE(const, skn_##name##_shape, name##_rows, NULL)
#define SHAPE_END_AFTER(name, done) SHAPE_MADE(const, skn_##name##_shape, name##_rows, done)
#define SHAPE_END_LOCAL(name)       SHAPE_MADE(static const, name##_shape, name##_rows, NULL)
#define SHAPE_MADE(how, shape, rows, done)                                                     \
    }                                                                                          \
    ;                                                                                          \
    how skn_shape shape = {(rows), sizeof(rows) / sizeof *(rows), sizeof(THING), (done)};

#define SHAPE_IS(field, type) _Generic(((THING *)0)->field, type : offsetof(THING, field))
#define SHAPE_KEY(name, as)                                                                    \
    .key = "\"" name "\":", .key_n = sizeof name - 1, .kind = SKN_AS_##as
#define SHAPE_AS(as, field, type, name) SHAPE_KEY(name, as), .at = SHAPE_IS(field, type)
#define SHAPE_MANY(as, field, count, name)                                                     \
    SHAPE_KEY(name, as), .at = offsetof(THING, field), .count_at = SHAPE_IS(count, size_t)
#define SHAPE_WHEN(other) .when = 1 + offsetof(THING, other)

#define TEXT(field, key)    {SHAPE_AS(TEXT, field, skn_str, key)},
#define WORDS(field, key)   {SHAPE_AS(WORDS, field, skn_str, key)},
#define FILLED(field, key)  {SHAPE_AS(FILLED, field, skn_str, key)},
#define ANY(field, key)     {SHAPE_AS(ANY, field, skn_str, key)},
#define INT(field, key)     {SHAPE_AS(INT, field, int64_t, key)},
#define SMALL(field, key)   {SHAPE_AS(SMALL, field, int, key)},
#define COUNT(field, key)   {SHAPE_AS(COUNT, field, int64_t, key)},
#define DOUBLE(field, key)  {SHAPE_AS(DOUBLE, field, double, key)},
#define FLAG(field, key)    {SHAPE_AS(FLAG, field, bool, key)},
#define TIME(field, key)    {SHAPE_AS(TIME, field, int64_t, key)},
#define VERSION(field, key) {SHAPE_AS(VERSION, field, int64_t, key)},
/* What stands there when there is nothing: "null", "{}". */
#define RAW(field, key, otherwise) {SHAPE_AS(RAW, field, skn_str, key), .of = otherwise},
#define NAME(field, key, names)                                                                \
    {SHAPE_KEY(key, NAME),                                                                     \
     .at = _Generic(((THING *)0)->field, unsigned                                              \
                    : offsetof(THING, field)),                                                 \
     .of = names},

/* Left out while another member, a number or a text, is zero or absent. */
#define TEXT_WHEN(field, other, key) {SHAPE_AS(TEXT, field, skn_str, key), SHAPE_WHEN(other)},
#define INT_WHEN(field, other, key)  {SHAPE_AS(INT, field, int64_t, key), SHAPE_WHEN(other)},
#define TIME_WHEN(field, other, key) {SHAPE_AS(TIME, field, int64_t, key), SHAPE_WHEN(other)},

/* Lists: the pointer, and how many. */
#define TEXTS(field, count, key)       {SHAPE_MANY(TEXTS, field, count, key)},
#define INTS(field, count, key)        {SHAPE_MANY(INTS, field, count, key)},
#define LIST(field, count, key, shape) {SHAPE_MANY(LIST, field, count, key), .of = shape},

/* An object: of a struct inside of this one, or of some of its own members. */
#define PART(field, key, shape)                                                                \
    {SHAPE_KEY(key, PART), .at = offsetof(THING, field), .of = shape},
#define PART_OF_IT(key, shape) {SHAPE_KEY(key, PART), .of = shape},
/* Members in the same object: of a struct inside of this one, or more of its own, which may be left out while another
 * member is zero. */
#define MEMBERS(field, shape)                                                                  \
    {.kind = SKN_AS_MEMBERS, .at = offsetof(THING, field), .of = shape},
#define MORE(shape)             {.kind = SKN_AS_MEMBERS, .of = shape},
#define MORE_WHEN(other, shape) {.kind = SKN_AS_MEMBERS, .of = shape, SHAPE_WHEN(other)},

/* A function writes the value; the struct is read, kept and compared as the row says. */
#define TEXT_BY(field, key, put_it) {SHAPE_AS(TEXT, field, skn_str, key), .put = put_it},
#define LIST_BY(field, count, key, shape, put_it)                                              \
    {SHAPE_MANY(LIST, field, count, key), .of = shape, .put = put_it},
/* One writes it and one reads it. */
#define TEXT_OWN(field, key, put_it, take_it)                                                  \
    {SHAPE_AS(TEXT, field, skn_str, key), .put = put_it, .take = take_it},
/* The same, of no member in particular; take_it may be NULL. */
#define OWN(key, put_it, take_it) {SHAPE_KEY(key, OWN), .put = put_it, .take = take_it},
