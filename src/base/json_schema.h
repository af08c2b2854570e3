/* json_schema.h: does a value fit a JSON Schema? Looked at are type, enum, const, properties, required, items,
 * additionalProperties: false, and the limits of numbers, texts and lists; anything else fits.
 *
 * Threads: any.  Lifetimes: what is said of a fault lives in the arena. */
#ifndef SKN_BASE_JSON_SCHEMA_H
#define SKN_BASE_JSON_SCHEMA_H

#include "base/json.h"

/* Absent when it fits; else where it does not, and what it must be: "/items/2/price must be a number". */
skn_str skn_json_misfit(const skn_json *schema, const skn_json *value, skn_arena *a);

/* What is wrong with a schema itself, and where: "must be a list", "/properties/price/enum", and the value there. NULL when
 * all that is looked at can be. */
const char *skn_json_schema_fault(const skn_json *schema, skn_arena *a, skn_str *path,
                                  const skn_json **value);

#endif
