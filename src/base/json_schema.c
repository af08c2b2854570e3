#include "base/json_schema.h"
#include "base/json_write.h"

#include <math.h>
#include <stdlib.h>

/* A value that is still to be looked at. */
typedef struct pending {
    const skn_json *schema, *value;
    skn_str         path;
} pending;

/* What takes longer is not done: a list of values is held against a list of allowed ones. */
enum { STEPS_MOST = 1 << 26 };

typedef struct looking {
    skn_arena *a;
    size_t     steps; /* about one for each byte and each member that was looked at */
    skn_vec(pending) rest;
} looking;

static bool goes_on(looking *l, size_t steps)
{
    l->steps += steps;
    return l->steps < STEPS_MOST;
}

static const skn_json *member(looking *l, const skn_json *of, skn_str key)
{
    if (!of || !goes_on(l, of->count + 1))
        return NULL;
    return skn_json_member(of, key);
}

static skn_str misfit(looking *l, const pending *p, const char *what)
{
    return skn_arena_printf(l->a, "%.*s %s", SKN_FMT(p->path.n ? p->path : SKN_STR("it")),
                            what);
}

static void add(looking *l, const skn_json *schema, const skn_json *value, skn_str path)
{
    if (schema && schema->kind == SKN_JSON_OBJECT)
        skn_vec_add(l->a, &l->rest, ((pending){schema, value, path}));
}

static double number(looking *l, const skn_json *v)
{
    return strtod(skn_arena_copy(l->a, v->text).p, NULL);
}

static bool is_whole(looking *l, const skn_json *v)
{
    double n = number(l, v);

    return isfinite(n) && floor(n) == n;
}

static bool is_of(looking *l, const skn_json *v, skn_str type)
{
    switch (v->kind) {
    case SKN_JSON_NULL:
        return skn_str_is(type, "null");
    case SKN_JSON_BOOL:
        return skn_str_is(type, "boolean");
    case SKN_JSON_NUMBER:
        return skn_str_is(type, "number") || (skn_str_is(type, "integer") && is_whole(l, v));
    case SKN_JSON_STRING:
        return skn_str_is(type, "string");
    case SKN_JSON_ARRAY:
        return skn_str_is(type, "array");
    case SKN_JSON_OBJECT:
        return skn_str_is(type, "object");
    }
    return false;
}

/* As one text, whatever the order of members and the blanks. */
static skn_str sorted(looking *l, const skn_json *v)
{
    skn_buf b;
    skn_jw  w;

    skn_buf_init(&b, SIZE_MAX / 2);
    skn_jw_init(&w, &b);
    skn_json_write_sorted(&w, v, NULL, NULL, l->a);
    return skn_buf_keep(&b, l->a);
}

static bool is_same(looking *l, const skn_json *a, const skn_json *b)
{
    if (a->kind != b->kind || !goes_on(l, 1))
        return false;
    switch (a->kind) {
    case SKN_JSON_NULL:
        return true;
    case SKN_JSON_BOOL:
        return a->boolean == b->boolean;
    case SKN_JSON_NUMBER:
    case SKN_JSON_STRING:
        return skn_str_eq(a->text, b->text) && goes_on(l, a->text.n);
    case SKN_JSON_ARRAY:
    case SKN_JSON_OBJECT:
        break;
    }
    return a->count == b->count && goes_on(l, a->raw.n + b->raw.n) &&
           skn_str_eq(sorted(l, a), sorted(l, b));
}

static bool is_one_of(looking *l, const skn_json *value, const skn_json *list)
{
    for (const skn_json *one = list->first; one; one = one->next)
        if (is_same(l, one, value))
            return true;
    return false;
}

static skn_str check_type(looking *l, const pending *p)
{
    const skn_json *type = skn_json_get(p->schema, "type"), *one = type;
    const skn_json *all = skn_json_get(p->schema, "enum"),
                   *same = skn_json_get(p->schema, "const");
    bool fits = !type;

    if (type && type->kind == SKN_JSON_ARRAY)
        one = type->first;
    for (; one && !fits; one = type->kind == SKN_JSON_ARRAY ? one->next : NULL)
        fits = is_of(l, p->value, one->text);
    if (!fits)
        return misfit(l, p,
                      skn_arena_printf(l->a, "must be of type %.*s", SKN_FMT(type->raw)).p);
    if ((all && all->kind == SKN_JSON_ARRAY && !is_one_of(l, p->value, all)) ||
        (same && !is_same(l, same, p->value)))
        return misfit(
            l, p, skn_arena_printf(l->a, "must be %.*s", SKN_FMT((all ? all : same)->raw)).p);
    return SKN_NONE;
}

static double characters(skn_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.n; i++)
        n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
    return (double)n;
}

/* A number, or how many characters, items or members there are. */
static skn_str check_limits(looking *l, const pending *p)
{
    static const char *const names[][2] = {
        [SKN_JSON_NUMBER] = {"minimum", "maximum"},
        [SKN_JSON_STRING] = {"minLength", "maxLength"},
        [SKN_JSON_ARRAY] = {"minItems", "maxItems"},
        [SKN_JSON_OBJECT] = {"minProperties", "maxProperties"}};
    skn_json_kind kind = p->value->kind;
    double        n;

    if (!names[kind][0])
        return SKN_NONE;
    n = kind == SKN_JSON_NUMBER   ? number(l, p->value)
        : kind == SKN_JSON_STRING ? characters(p->value->text)
                                  : (double)p->value->count;
    for (int i = 0; i < 2; i++) {
        const skn_json *limit = skn_json_get(p->schema, names[kind][i]);

        if (limit && limit->kind == SKN_JSON_NUMBER &&
            (i ? n > number(l, limit) : n < number(l, limit)))
            return misfit(l, p,
                          skn_arena_printf(l->a, "is outside of its %s %.*s", names[kind][i],
                                           SKN_FMT(limit->text))
                              .p);
    }
    return SKN_NONE;
}

static skn_str check_members(looking *l, const pending *p)
{
    const skn_json *known = skn_json_get(p->schema, "properties");
    const skn_json *others = skn_json_get(p->schema, "additionalProperties");
    const skn_json *needed = skn_json_get(p->schema, "required");

    for (const skn_json *m = needed ? needed->first : NULL; m; m = m->next)
        if (m->kind == SKN_JSON_STRING && !member(l, p->value, m->text))
            return misfit(
                l, p,
                skn_arena_printf(l->a, "must have a member \"%.*s\"", SKN_FMT(m->text)).p);
    for (const skn_json *m = p->value->first; m; m = m->next) {
        const skn_json *schema = member(l, known, m->key);

        if (!schema && others && others->kind == SKN_JSON_BOOL && !others->boolean)
            return misfit(
                l, p, skn_arena_printf(l->a, "may have no member \"%.*s\"", SKN_FMT(m->key)).p);
        add(l, schema ? schema : others, m,
            skn_arena_printf(l->a, "%.*s/%.*s", SKN_FMT(p->path), SKN_FMT(m->key)));
    }
    return SKN_NONE;
}

static void add_items(looking *l, const pending *p)
{
    const skn_json *items = skn_json_get(p->schema, "items");
    size_t          i = 0;

    for (const skn_json *v = p->value->first; v; v = v->next)
        add(l, items, v, skn_arena_printf(l->a, "%.*s/%zu", SKN_FMT(p->path), i++));
}

static skn_str check_value(looking *l, const pending *p)
{
    skn_str said;

    if ((said = check_type(l, p)).p || (said = check_limits(l, p)).p)
        return said;
    if (p->value->kind == SKN_JSON_ARRAY)
        add_items(l, p);
    return p->value->kind == SKN_JSON_OBJECT ? check_members(l, p) : SKN_NONE;
}

skn_str skn_json_misfit(const skn_json *schema, const skn_json *value, skn_arena *a)
{
    looking l = {.a = a};
    skn_str said;

    add(&l, schema, value, SKN_NONE);
    while (l.rest.n) {
        pending p = l.rest.p[--l.rest.n];

        said = check_value(&l, &p);
        if (!goes_on(&l, 1))
            return SKN_STR("it and the schema are too much to be compared");
        if (said.p)
            return said;
    }
    return SKN_NONE;
}

/* --- Schemas ------------------------------------------------------------------------------------- */

typedef enum kind { TYPES, LIST, NAMES, NUMBER, COUNT, SCHEMA, SCHEMAS, SCHEMA_LIST } kind;

static const struct {
    const char *name;
    kind        must;
    const char *say;
} words[] = {
    {"type", TYPES, "must be null, boolean, number, integer, string, array or object"},
    {"enum", LIST, "must be a list"},
    {"required", NAMES, "must be a list of names"},
    {"minimum", NUMBER, "must be a number"},
    {"maximum", NUMBER, "must be a number"},
    {"minLength", COUNT, "must be a number from 0 on"},
    {"maxLength", COUNT, "must be a number from 0 on"},
    {"minItems", COUNT, "must be a number from 0 on"},
    {"maxItems", COUNT, "must be a number from 0 on"},
    {"minProperties", COUNT, "must be a number from 0 on"},
    {"maxProperties", COUNT, "must be a number from 0 on"},
    {"items", SCHEMA, "must be a schema: an object, true or false"},
    {"additionalProperties", SCHEMA, "must be a schema: an object, true or false"},
    {"properties", SCHEMAS, "must be an object with schemas"},
    {"$defs", SCHEMAS, "must be an object with schemas"},
    {"anyOf", SCHEMA_LIST, "must be a list of schemas"},
    {"oneOf", SCHEMA_LIST, "must be a list of schemas"},
    {"allOf", SCHEMA_LIST, "must be a list of schemas"},
};

static bool is_type(const skn_json *v)
{
    return v->kind == SKN_JSON_STRING &&
           skn_str_among(v->text, "null boolean number integer string array object");
}

static bool all_are(const skn_json *list, bool types)
{
    bool fit = list->kind == SKN_JSON_ARRAY && (!types || list->first);

    for (const skn_json *v = fit ? list->first : NULL; v && fit; v = v->next)
        fit = types ? is_type(v) : v->kind == SKN_JSON_STRING;
    return fit;
}

/* Schemas inside of it are looked at later. */
static bool is_word(looking *l, const skn_json *v, kind must, skn_str path)
{
    skn_json_kind list = must == SCHEMAS ? SKN_JSON_OBJECT : SKN_JSON_ARRAY;
    size_t        i = 0;

    switch (must) {
    case TYPES:
        return is_type(v) || all_are(v, true);
    case LIST:
        return v->kind == SKN_JSON_ARRAY;
    case NAMES:
        return all_are(v, false);
    case NUMBER:
    case COUNT:
        return v->kind == SKN_JSON_NUMBER && (must == NUMBER || number(l, v) >= 0);
    case SCHEMA:
        skn_vec_add(l->a, &l->rest, ((pending){.schema = v, .path = path}));
        return true;
    case SCHEMAS:
    case SCHEMA_LIST:
        break;
    }
    for (const skn_json *one = v->kind == list ? v->first : NULL; one; one = one->next, i++) {
        skn_str at = one->key.p
                         ? skn_arena_printf(l->a, "%.*s/%.*s", SKN_FMT(path), SKN_FMT(one->key))
                         : skn_arena_printf(l->a, "%.*s/%zu", SKN_FMT(path), i);

        skn_vec_add(l->a, &l->rest, ((pending){.schema = one, .path = at}));
    }
    return v->kind == list;
}

static const char *wrong_word(looking *l, const skn_json *m, skn_str path)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (skn_str_is(m->key, words[i].name))
            return is_word(l, m, words[i].must, path) ? NULL : words[i].say;
    return NULL;
}

const char *skn_json_schema_fault(const skn_json *schema, skn_arena *a, skn_str *path,
                                  const skn_json **value)
{
    looking l = {.a = a};

    skn_vec_add(a, &l.rest, ((pending){.schema = schema, .path = SKN_STR("")}));
    while (l.rest.n) {
        pending p = l.rest.p[--l.rest.n];

        *path = p.path;
        *value = p.schema;
        if (p.schema->kind == SKN_JSON_BOOL)
            continue;
        if (p.schema->kind != SKN_JSON_OBJECT)
            return "must be a schema: an object, true or false";
        for (const skn_json *m = p.schema->first; m; m = m->next) {
            const char *fault;

            *path = skn_arena_printf(a, "%.*s/%.*s", SKN_FMT(p.path), SKN_FMT(m->key));
            *value = m;
            if ((fault = wrong_word(&l, m, *path)))
                return fault;
        }
    }
    return NULL;
}
