#include "base/shape.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *skn_enum_name(const skn_enum *names, int number)
{
    return number >= 0 && (size_t)number < names->count ? names->at[number] : NULL;
}

bool skn_enum_from(const skn_enum *names, skn_str name, int *out)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->at[i] && skn_str_is(name, names->at[i])) {
            *out = (int)i;
            return true;
        }
    return false;
}

static const void *at(const void *thing, size_t place)
{
    return (const char *)thing + place;
}

static void *into(void *thing, size_t place)
{
    return (char *)thing + place;
}

static skn_str text_at(const void *thing, const skn_member *m)
{
    return *(const skn_str *)at(thing, m->at);
}

static int64_t int_at(const void *thing, const skn_member *m)
{
    return *(const int64_t *)at(thing, m->at);
}

static size_t count_at(const void *thing, const skn_member *m)
{
    return *(const size_t *)at(thing, m->count_at);
}

/* Enums have the size of an int, but are none. */
static int number_at(const void *thing, const skn_member *m)
{
    int n;

    memcpy(&n, at(thing, m->at), sizeof n);
    return n;
}

static const void *pointer_at(const void *thing, const skn_member *m)
{
    const void *p;

    memcpy(&p, at(thing, m->at), sizeof p);
    return p;
}

static bool is_there(const void *thing, const skn_member *m)
{
    uint64_t other;

    if (!m->when)
        return true;
    memcpy(&other, at(thing, m->when - 1U), sizeof other);
    return other != 0;
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void write_version(skn_jw *w, int64_t number)
{
    char text[32];

    if (number)
        snprintf(text, sizeof text, "v%" PRId64, number);
    skn_jw_str(w, number ? skn_str_of(text) : SKN_NONE);
}

static void write_any(skn_jw *w, skn_str text)
{
    skn_arena      *a = text.p ? skn_arena_new() : NULL;
    const skn_json *v;

    if (a && skn_json_parse(&v, text, "text", a, NULL) == SKEIN_OK)
        skn_jw_raw(w, v->raw);
    else
        skn_jw_str(w, text);
    skn_arena_free(a);
}

static void write_time(skn_jw *w, int64_t micros)
{
    char text[SKN_TIME_TEXT];

    skn_jw_str(w, micros ? skn_time_format(micros, text) : SKN_NONE);
}

static void write_raw(skn_jw *w, skn_str json, const char *otherwise)
{
    skn_jw_raw(w, json.n ? json : otherwise ? skn_str_of(otherwise) : SKN_STR("null"));
}

static void write_list(skn_jw *w, const void *thing, const skn_member *m)
{
    const skn_shape *s = m->of;
    const char      *one = pointer_at(thing, m);
    size_t           n = count_at(thing, m);

    skn_jw_array(w);
    for (size_t i = 0; i < n; i++) {
        if (m->kind == SKN_AS_TEXTS)
            skn_jw_str(w, ((const skn_str *)(const void *)one)[i]);
        else if (m->kind == SKN_AS_INTS)
            skn_jw_int(w, ((const int64_t *)(const void *)one)[i]);
        else
            skn_shape_write(w, s, one + i * s->size);
    }
    skn_jw_array_end(w);
}

static void write_value(skn_jw *w, const skn_member *m, const void *thing)
{
    switch ((skn_member_kind)m->kind) {
    case SKN_AS_TEXT:
        skn_jw_str(w, text_at(thing, m));
        break;
    case SKN_AS_WORDS:
        skn_jw_str(w, text_at(thing, m).p ? text_at(thing, m) : SKN_STR(""));
        break;
    case SKN_AS_FILLED:
        skn_jw_str(w, text_at(thing, m).n ? text_at(thing, m) : SKN_NONE);
        break;
    case SKN_AS_RAW:
        write_raw(w, text_at(thing, m), m->of);
        break;
    case SKN_AS_ANY:
        write_any(w, text_at(thing, m));
        break;
    case SKN_AS_INT:
        skn_jw_int(w, int_at(thing, m));
        break;
    case SKN_AS_SMALL:
        skn_jw_int(w, number_at(thing, m));
        break;
    case SKN_AS_COUNT:
        if (int_at(thing, m) < 0)
            skn_jw_null(w);
        else
            skn_jw_int(w, int_at(thing, m));
        break;
    case SKN_AS_DOUBLE:
        skn_jw_double(w, *(const double *)at(thing, m->at));
        break;
    case SKN_AS_FLAG:
        skn_jw_bool(w, *(const bool *)at(thing, m->at));
        break;
    case SKN_AS_TIME:
        write_time(w, int_at(thing, m));
        break;
    case SKN_AS_VERSION:
        write_version(w, int_at(thing, m));
        break;
    case SKN_AS_NAME:
        skn_jw_str(w, skn_str_of(skn_enum_name(m->of, number_at(thing, m))));
        break;
    case SKN_AS_TEXTS:
    case SKN_AS_INTS:
    case SKN_AS_LIST:
        write_list(w, thing, m);
        break;
    case SKN_AS_PART:
        skn_shape_write(w, m->of, at(thing, m->at));
        break;
    case SKN_AS_MEMBERS:
        skn_shape_members(w, m->of, at(thing, m->at));
        break;
    case SKN_AS_OWN:
        break;
    }
}

void skn_shape_members(skn_jw *w, const skn_shape *s, const void *thing)
{
    for (const skn_member *m = s->at, *end = m + s->count; m < end; m++) {
        if (!is_there(thing, m))
            continue;
        if (m->key)
            skn_jw_key_raw(w, (skn_str){m->key, m->key_n + 3U});
        if (m->put)
            m->put(w, thing);
        else
            write_value(w, m, thing);
    }
}

void skn_shape_write(skn_jw *w, const skn_shape *s, const void *thing)
{
    skn_jw_object(w);
    skn_shape_members(w, s, thing);
    skn_jw_object_end(w);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static skn_str text_of(const skn_json *v)
{
    return v->kind == SKN_JSON_STRING ? v->text : SKN_NONE;
}

static int64_t int_of(const skn_json *v, int64_t otherwise)
{
    int64_t n;

    return v->kind == SKN_JSON_NUMBER && skn_str_int(v->text, &n) ? n : otherwise;
}

static int64_t version_of(skn_str name)
{
    int64_t n;

    return name.n > 1 && skn_str_int(skn_str_sub(name, 1, name.n), &n) ? n : 0;
}

static int64_t time_of(skn_str text)
{
    int64_t micros;

    return skn_time_parse(text, &micros) ? micros : 0;
}

static void read_list(const skn_member *m, const skn_json *v, skn_arena *a, void *thing)
{
    size_t   n = 0;
    skn_str *texts = NULL;
    int64_t *ints = NULL;
    void    *list;

    if (v->kind != SKN_JSON_ARRAY)
        return;
    if (m->kind == SKN_AS_LIST)
        list = skn_shape_read_list(m->of, v, a, &n);
    else if (m->kind == SKN_AS_TEXTS)
        list = texts = SKN_ARRAY(a, v->count, skn_str);
    else
        list = ints = SKN_ARRAY(a, v->count, int64_t);
    for (const skn_json *one = v->first; one && (texts || ints); one = one->next)
        if (texts && one->kind == SKN_JSON_STRING)
            texts[n++] = one->text;
        else if (ints && one->kind == SKN_JSON_NUMBER && skn_str_int(one->text, &ints[n]))
            n++;
    memcpy(into(thing, m->at), &list, sizeof list);
    memcpy(into(thing, m->count_at), &n, sizeof n);
}

static void read_name(const skn_member *m, const skn_json *v, void *thing)
{
    int number;

    if (skn_enum_from(m->of, text_of(v), &number))
        memcpy(into(thing, m->at), &number, sizeof number);
}

static void read_value(const skn_member *m, const skn_json *v, skn_arena *a, void *thing)
{
    void *out = into(thing, m->at);

    switch ((skn_member_kind)m->kind) {
    case SKN_AS_TEXT:
    case SKN_AS_WORDS:
    case SKN_AS_FILLED:
        *(skn_str *)out = text_of(v);
        break;
    case SKN_AS_RAW:
    case SKN_AS_ANY:
        *(skn_str *)out = v->kind == SKN_JSON_NULL ? SKN_NONE : v->raw;
        break;
    case SKN_AS_INT:
        *(int64_t *)out = int_of(v, 0);
        break;
    case SKN_AS_SMALL:
        *(int *)out = (int)int_of(v, 0);
        break;
    case SKN_AS_COUNT:
        *(int64_t *)out = int_of(v, -1);
        break;
    case SKN_AS_DOUBLE:
        *(double *)out = v->kind == SKN_JSON_NUMBER ? strtod(skn_arena_copy(a, v->text).p, NULL)
                                                    : 0;
        break;
    case SKN_AS_FLAG:
        *(bool *)out = v->kind == SKN_JSON_BOOL && v->boolean;
        break;
    case SKN_AS_TIME:
        *(int64_t *)out = time_of(text_of(v));
        break;
    case SKN_AS_VERSION:
        *(int64_t *)out = version_of(text_of(v));
        break;
    case SKN_AS_NAME:
        read_name(m, v, thing);
        break;
    case SKN_AS_TEXTS:
    case SKN_AS_INTS:
    case SKN_AS_LIST:
        read_list(m, v, a, thing);
        break;
    case SKN_AS_PART:
        skn_shape_fill(m->of, v, a, out);
        break;
    case SKN_AS_MEMBERS: /* they stand in the object that is being read */
    case SKN_AS_OWN:
        break;
    }
}

/* The row of a key. What we wrote has its members in the order of the rows, so it is mostly the next one. */
static const skn_member *row_of(const skn_shape *s, skn_str key, size_t *next)
{
    for (size_t i = 0; i < s->count; i++) {
        const skn_member *m;

        if (*next >= s->count)
            *next = 0;
        m = &s->at[(*next)++];
        if (m->key && m->key_n == key.n && memcmp(m->key + 1, key.p, key.n) == 0)
            return m;
    }
    return NULL;
}

bool skn_shape_has(const skn_shape *s, skn_str key)
{
    return row_of(s, key, &(size_t){0}) != NULL;
}

void skn_shape_fill(const skn_shape *s, const skn_json *v, skn_arena *a, void *thing)
{
    size_t next = 0;

    if (!v || v->kind != SKN_JSON_OBJECT)
        return;
    for (const skn_json *one = v->first; one; one = one->next) {
        const skn_member *m = row_of(s, one->key, &next);

        if (m && m->take)
            m->take(one, thing, a);
        else if (m)
            read_value(m, one, a, thing);
    }
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].kind == SKN_AS_MEMBERS)
            skn_shape_fill(s->at[i].of, v, a, into(thing, s->at[i].at));
    if (s->after)
        s->after(v, thing, a);
}

void skn_shape_read(const skn_shape *s, const skn_json *v, skn_arena *a, void *thing)
{
    memset(thing, 0, s->size);
    skn_shape_fill(s, v, a, thing);
}

void *skn_shape_read_list(const skn_shape *s, const skn_json *v, skn_arena *a, size_t *count)
{
    size_t n = v && v->kind == SKN_JSON_ARRAY ? v->count : 0;
    char  *list = skn_arena_array(a, n, s->size);

    *count = 0;
    for (const skn_json *one = n ? v->first : NULL; one; one = one->next)
        skn_shape_fill(s, one, a, list + (*count)++ * s->size);
    return list;
}

/* --- Keeping and comparing -------------------------------------------------------------------- */

static size_t size_of_one(const skn_member *m)
{
    return m->kind == SKN_AS_TEXTS  ? sizeof(skn_str)
           : m->kind == SKN_AS_INTS ? sizeof(int64_t)
                                    : ((const skn_shape *)m->of)->size;
}

static void keep_list(const skn_member *m, void *thing, skn_arena *a)
{
    size_t n = count_at(thing, m), size = size_of_one(m);
    char  *list = skn_arena_array(a, n, size);

    if (n)
        memcpy(list, pointer_at(thing, m), n * size);
    memcpy(into(thing, m->at), &list, sizeof(void *));
    for (size_t i = 0; i < n && m->kind == SKN_AS_TEXTS; i++) {
        skn_str *text = (void *)(list + i * size);

        *text = skn_arena_copy(a, *text);
    }
    for (size_t i = 0; i < n && m->kind == SKN_AS_LIST; i++)
        skn_shape_keep(m->of, list + i * size, a);
}

void skn_shape_keep(const skn_shape *s, void *thing, skn_arena *a)
{
    for (const skn_member *m = s->at, *end = m + s->count; m < end; m++) {
        skn_str *text = into(thing, m->at);

        if (m->kind <= SKN_AS_ANY)
            *text = skn_arena_copy(a, *text);
        else if (m->kind >= SKN_AS_TEXTS && m->kind <= SKN_AS_LIST)
            keep_list(m, thing, a);
        else if (m->kind == SKN_AS_PART || m->kind == SKN_AS_MEMBERS)
            skn_shape_keep(m->of, into(thing, m->at), a);
    }
}

static bool equal_lists(const skn_member *m, const void *one, const void *two)
{
    const char *a = pointer_at(one, m), *b = pointer_at(two, m);
    size_t      n = count_at(one, m), size = size_of_one(m);
    bool        equal = n == count_at(two, m);

    for (size_t i = 0; equal && i < n; i++, a += size, b += size)
        equal = m->kind == SKN_AS_LIST    ? skn_shape_equal(m->of, a, b)
                : m->kind == SKN_AS_TEXTS ? skn_str_eq(*(const skn_str *)(const void *)a,
                                                       *(const skn_str *)(const void *)b)
                                          : memcmp(a, b, size) == 0;
    return equal;
}

static bool equal_members(const skn_member *m, const void *one, const void *two)
{
    switch ((skn_member_kind)m->kind) {
    case SKN_AS_TEXT:
    case SKN_AS_WORDS:
    case SKN_AS_FILLED:
    case SKN_AS_RAW:
    case SKN_AS_ANY:
        return skn_str_eq(text_at(one, m), text_at(two, m));
    case SKN_AS_INT:
    case SKN_AS_COUNT:
    case SKN_AS_TIME:
    case SKN_AS_VERSION:
        return int_at(one, m) == int_at(two, m);
    case SKN_AS_SMALL:
    case SKN_AS_NAME:
        return number_at(one, m) == number_at(two, m);
    case SKN_AS_DOUBLE:
        return memcmp(at(one, m->at), at(two, m->at), sizeof(double)) == 0;
    case SKN_AS_FLAG:
        return *(const bool *)at(one, m->at) == *(const bool *)at(two, m->at);
    case SKN_AS_TEXTS:
    case SKN_AS_INTS:
    case SKN_AS_LIST:
        return equal_lists(m, one, two);
    case SKN_AS_PART:
    case SKN_AS_MEMBERS:
        return skn_shape_equal(m->of, at(one, m->at), at(two, m->at));
    case SKN_AS_OWN:
        break;
    }
    return true;
}

bool skn_shape_equal(const skn_shape *s, const void *one, const void *two)
{
    for (size_t i = 0; i < s->count; i++)
        if (!equal_members(&s->at[i], one, two))
            return false;
    return true;
}

/* --- What there is ---------------------------------------------------------------------------- */

void skn_shape_each(const skn_shape *s, skn_shape_visit *fn, void *arg)
{
    for (const skn_member *m = s->at, *end = m + s->count; m < end; m++)
        if (m->key)
            fn(arg, (skn_str){m->key + 1, m->key_n}, m);
        else
            skn_shape_each(m->of, fn, arg);
}

static void add_key(void *arg, skn_str key, const skn_member *m)
{
    skn_buf *b = arg;

    (void)m;
    if (b->n)
        skn_buf_addc(b, ',');
    skn_buf_add(b, key);
}

skn_str skn_shape_fields(const skn_shape *s, skn_arena *a)
{
    skn_buf b;

    skn_buf_init(&b, SIZE_MAX);
    skn_shape_each(s, add_key, &b);
    return skn_buf_keep(&b, a);
}
