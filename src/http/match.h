/* match.h: which route a path belongs to.
 *
 * The table of routes becomes a tree of path segments, so that finding one costs the length of the
 * path and not the length of the table. A literal segment is preferred to a parameter.
 * Threads: any, once it is made.  Lifetimes: lives in the arena it was made in. */
#ifndef SKN_HTTP_MATCH_H
#define SKN_HTTP_MATCH_H

#include "http/call.h"

#define SKN_PATH_SEGMENTS 12

typedef struct skn_tree skn_tree;

typedef struct skn_match {
    const skn_route *route; /* NULL: see the rest */
    skn_str          params[4];
    bool             bad;   /* a parameter that does not decode */
    skn_str          allow; /* methods that the path has; absent: there is no such path */
} skn_match;

skn_tree *skn_tree_new(const skn_route *routes, skn_arena *a);
/* The path without "/api/v1" or "/api" before it. */
skn_str skn_path_bare(skn_str path);
/* HEAD is GET. The path is as it came, with or without a prefix. */
void skn_tree_match(const skn_tree *t, skn_str method, skn_str path, skn_arena *a,
                    skn_match *out);

#endif
