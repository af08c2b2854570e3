/* yaml.h: a strict subset of YAML, for what people write: configuration, scripts, teams. The home of
 * libyaml.
 *
 * All scalars are text; their meaning comes from who reads them. Anchors, aliases, tags, merge keys,
 * several documents and repeated keys are errors; tabs get "use spaces". Depth 8, 1 MB, UTF-8 only.
 * Every value knows its line and column, so that messages can name them: "FILE:3:3: …".
 * Lifetimes: values live in the arena. */
#pragma once

#include "base/arena.h"
#include "base/error.h"

typedef enum skn_yaml_kind { SKN_YAML_TEXT, SKN_YAML_LIST, SKN_YAML_MAP } skn_yaml_kind;

typedef struct skn_yaml skn_yaml;
struct skn_yaml {
    skn_yaml_kind kind;
    skn_str       key; /* as a member of a map */
    int           key_line, key_column;
    skn_str       text; /* TEXT */
    bool          quoted;
    int           line, column; /* from 1 */
    skn_yaml     *first, *next; /* children in order */
    size_t        count;
};

/* `what` names the source in messages. An empty document is an empty map. */
skein_rc skn_yaml_parse(const skn_yaml **out, skn_str source, const char *what, skn_arena *a,
                        skein_error *err);
const skn_yaml *skn_yaml_get(const skn_yaml *map, const char *key);
/* False when it is none. */
bool skn_yaml_bool(const skn_yaml *v, bool *out); /* true false yes no on off */
