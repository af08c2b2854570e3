/* libyaml's events become values; open maps and lists stand in a fixed array. Texts are copied out of
 * each event before it is deleted. */
#include "base/yaml.h"

#include "base/hash.h"
#include "base/utf8.h"

#include <strings.h>
#include <yaml.h>

enum {
    DEPTH = 8,
    MOST_BYTES = 1 << 20,
    MOST_VALUES = 1 << 16,
    FEW_KEYS = 16 /* up to here keys are compared one by one, which is faster */
};

typedef struct level {
    skn_yaml  *v;
    skn_yaml **tail;         /* where the next child is linked */
    skn_map   *keys;         /* of a map with more than FEW_KEYS members */
    skn_str    key;          /* of the value to come; absent: a key is to come */
    int        line, column; /* of that key */
} level;

typedef struct reader {
    skn_str      source;
    const char  *what;
    skn_arena   *a;
    skein_error *err;
    skn_yaml    *root;
    size_t       values, depth, documents;
    level        open[DEPTH];
} reader;

static skein_rc fail_at(reader *r, yaml_mark_t at, const char *message)
{
    return skn_fail(r->err, SKEIN_INVALID, "%s:%zu:%zu: %s", r->what, at.line + 1,
                    at.column + 1, message);
}

/* Whether the line is indented with a tab, which libyaml reports in words that help nobody. */
static bool tab_before_text(const reader *r, size_t line)
{
    const char *p = r->source.p, *end = p + r->source.n;

    for (; line > 0 && p < end; p++)
        line -= *p == '\n';
    while (p < end && *p == ' ')
        p++;
    return p < end && *p == '\t';
}

static skein_rc fail_parser(reader *r, const yaml_parser_t *parser)
{
    yaml_mark_t at = parser->problem_mark;

    if (parser->error == YAML_READER_ERROR)
        at = parser->mark;
    if (tab_before_text(r, at.line))
        return fail_at(r, at, "a tab where spaces are needed; use spaces");
    return fail_at(r, at, parser->problem ? parser->problem : "this cannot be read");
}

static bool has_key(const level *in, skn_str key)
{
    if (in->keys)
        return skn_map_get(in->keys, key);
    for (const skn_yaml *v = in->v->first; v; v = v->next) {
        if (skn_str_eq(v->key, key))
            return true;
    }
    return false;
}

static void index_keys(reader *r, level *in)
{
    in->keys = skn_map_new(r->a);
    for (skn_yaml *v = in->v->first; v; v = v->next)
        *skn_map_slot(in->keys, v->key) = v;
}

static skein_rc take_key(reader *r, level *in, skn_str key, const yaml_event_t *ev)
{
    bool plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

    if (plain && skn_str_is(key, "<<"))
        return fail_at(r, ev->start_mark, "merge keys are not used here");
    if (has_key(in, key))
        return skn_fail(r->err, SKEIN_INVALID, "%s:%zu:%zu: \"%.*s\" is here twice", r->what,
                        ev->start_mark.line + 1, ev->start_mark.column + 1,
                        SKN_FMT(skn_utf8_cut(key, 80)));
    in->key = key;
    in->line = (int)ev->start_mark.line + 1;
    in->column = (int)ev->start_mark.column + 1;
    return SKEIN_OK;
}

/* Links a value into what is open around it. */
static void put_value(reader *r, skn_yaml *v)
{
    level *in = r->depth ? &r->open[r->depth - 1] : NULL;

    if (!in) {
        r->root = v;
        return;
    }
    *in->tail = v;
    in->tail = &v->next;
    in->v->count++;
    if (in->v->kind != SKN_YAML_MAP)
        return;
    v->key = in->key;
    v->key_line = in->line;
    v->key_column = in->column;
    in->key = SKN_NONE;
    if (in->keys)
        *skn_map_slot(in->keys, v->key) = v;
    else if (in->v->count == FEW_KEYS)
        index_keys(r, in);
}

static skein_rc new_value(reader *r, skn_yaml_kind kind, const yaml_event_t *ev, skn_yaml **out)
{
    if (++r->values > MOST_VALUES)
        return fail_at(r, ev->start_mark, "too many values");
    *out = SKN_NEW(r->a, skn_yaml);
    (*out)->kind = kind;
    (*out)->line = (int)ev->start_mark.line + 1;
    (*out)->column = (int)ev->start_mark.column + 1;
    return SKEIN_OK;
}

static skein_rc on_scalar(reader *r, const yaml_event_t *ev)
{
    level    *in = r->depth ? &r->open[r->depth - 1] : NULL;
    skn_str   text = {(const char *)ev->data.scalar.value, ev->data.scalar.length};
    skn_yaml *v;
    size_t    bad;
    skein_rc  rc;

    if (ev->data.scalar.anchor || ev->data.scalar.tag)
        return fail_at(r, ev->start_mark, "anchors and tags are not used here");
    if (!skn_utf8_valid(text, &bad)) /* from an escape */
        return fail_at(r, ev->start_mark, "the text holds a character that cannot be kept");
    text = skn_arena_copy(r->a, text);
    if (in && in->v->kind == SKN_YAML_MAP && !in->key.p)
        return take_key(r, in, text, ev);
    if ((rc = new_value(r, SKN_YAML_TEXT, ev, &v)))
        return rc;
    v->text = text;
    v->quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    put_value(r, v);
    return SKEIN_OK;
}

static skein_rc on_open(reader *r, skn_yaml_kind kind, bool marked, const yaml_event_t *ev)
{
    level    *in = r->depth ? &r->open[r->depth - 1] : NULL;
    skn_yaml *v;
    skein_rc  rc;

    if (marked)
        return fail_at(r, ev->start_mark, "anchors and tags are not used here");
    if (in && in->v->kind == SKN_YAML_MAP && !in->key.p)
        return fail_at(r, ev->start_mark, "a key must be text");
    if (r->depth == DEPTH)
        return fail_at(r, ev->start_mark, "nested more than 8 deep");
    if ((rc = new_value(r, kind, ev, &v)))
        return rc;
    put_value(r, v);
    r->open[r->depth++] = (level){.v = v, .tail = &v->first};
    return SKEIN_OK;
}

static skein_rc on_document(reader *r, const yaml_event_t *ev)
{
    if (ev->data.document_start.version_directive ||
        ev->data.document_start.tag_directives.start !=
            ev->data.document_start.tag_directives.end)
        return fail_at(r, ev->start_mark, "directives are not used here");
    if (r->documents++)
        return fail_at(r, ev->start_mark, "a second document; only one is read");
    return SKEIN_OK;
}

static skein_rc on_event(reader *r, const yaml_event_t *ev)
{
    switch (ev->type) {
    case YAML_DOCUMENT_START_EVENT:
        return on_document(r, ev);
    case YAML_ALIAS_EVENT:
        return fail_at(r, ev->start_mark, "aliases are not used here");
    case YAML_SCALAR_EVENT:
        return on_scalar(r, ev);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(r, SKN_YAML_LIST,
                       ev->data.sequence_start.anchor || ev->data.sequence_start.tag, ev);
    case YAML_MAPPING_START_EVENT:
        return on_open(r, SKN_YAML_MAP,
                       ev->data.mapping_start.anchor || ev->data.mapping_start.tag, ev);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        r->depth--;
        return SKEIN_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return SKEIN_OK;
    }
    return SKEIN_OK;
}

static skein_rc read_events(reader *r, yaml_parser_t *parser)
{
    yaml_event_t ev;
    skein_rc     rc = SKEIN_OK;
    bool         end = false;

    while (!rc && !end) {
        if (!yaml_parser_parse(parser, &ev))
            return fail_parser(r, parser);
        rc = on_event(r, &ev);
        end = ev.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&ev);
    }
    return rc;
}

static skein_rc check_source(const reader *r)
{
    size_t line = 1, bad;

    if (r->source.n > MOST_BYTES)
        return skn_fail(r->err, SKEIN_LIMIT, "%s: %zu bytes; the limit is 1 MB", r->what,
                        r->source.n);
    if (skn_utf8_valid(r->source, &bad))
        return SKEIN_OK;
    for (size_t i = 0; i < bad; i++)
        line += r->source.p[i] == '\n';
    return skn_fail(r->err, SKEIN_INVALID, "%s:%zu:1: this line is not UTF-8 text", r->what,
                    line);
}

/* What was read; where nothing is written, an empty map. */
static const skn_yaml *read_document(reader *r)
{
    skn_yaml *v = r->root;

    if (v && (v->kind != SKN_YAML_TEXT || v->quoted || v->text.n))
        return v;
    v = SKN_NEW(r->a, skn_yaml);
    *v = (skn_yaml){.kind = SKN_YAML_MAP, .line = 1, .column = 1};
    return v;
}

skein_rc skn_yaml_parse(const skn_yaml **out, skn_str source, const char *what, skn_arena *a,
                        skein_error *err)
{
    reader        r = {.source = source, .what = what, .a = a, .err = err};
    yaml_parser_t parser;
    skein_rc      rc;

    *out = NULL;
    if ((rc = check_source(&r)))
        return rc;
    if (!yaml_parser_initialize(&parser))
        return skn_fail(err, SKEIN_LIMIT, "%s: no memory to read it", what);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(source.p ? source.p : ""),
                                 source.n);
    if (!(rc = read_events(&r, &parser)))
        *out = read_document(&r);
    yaml_parser_delete(&parser);
    return rc;
}

const skn_yaml *skn_yaml_get(const skn_yaml *map, const char *key)
{
    if (!map || map->kind != SKN_YAML_MAP)
        return NULL;
    for (const skn_yaml *v = map->first; v; v = v->next) {
        if (skn_str_is(v->key, key))
            return v;
    }
    return NULL;
}

bool skn_yaml_bool(const skn_yaml *v, bool *out)
{
    static const struct {
        const char *word;
        bool        means;
    } words[] = {{"true", true},   {"yes", true}, {"on", true},
                 {"false", false}, {"no", false}, {"off", false}};

    if (!v || v->kind != SKN_YAML_TEXT)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (skn_str_is_word(v->text, words[i].word)) {
            *out = words[i].means;
            return true;
        }
    }
    return false;
}
