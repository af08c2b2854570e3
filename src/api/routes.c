/* The table of operations as data. */
#include "api/handlers.h"

#define CHANGES SKN_ROUTE_CHANGES
#define OPEN    SKN_ROUTE_OPEN
#define PLAIN   SKN_ROUTE_PLAIN
#define LONG    SKN_ROUTE_LONG
#define UPLOAD  SKN_ROUTE_UPLOAD
#define ONCE    (SKN_ROUTE_CHANGES | SKN_ROUTE_ONCE)
#define TEXT    SKN_ROUTE_TEXT
#define KNOWN   (SKN_ROUTE_CHANGES | SKN_ROUTE_KNOWN)
#define SERVED  SKN_ROUTE_SERVED
#define STOPS   SKN_ROUTE_STOPS
#define LIST    SKN_ROUTE_LIST

const skn_route skn_routes[] = {
#define OPERATION(method, path, handler, flags, id, summary)                                   \
    {#method, path, skn_api_##handler, flags, id, summary},
#define SERVER_ONLY(method, path, flags, id, summary)                                          \
    {#method, path, NULL, (flags) | SERVED, id, summary},
#include "api/operations.def"
    {0},
};
