/* web.h: the web page: its files, which are part of the program, and which requests mean it.
 *
 * Threads: any; nothing changes.  Lifetimes: files live as long as the program. */
#pragma once

#include "http/http_call.h"

/* A file of the built page; web/tools/embed.mjs writes the table. */
typedef struct skn_web_file {
    const char *name; /* "index.html", "assets/…" */
    const char *type;
    const char *tag; /* an ETag, with quotes; weak, since it holds for both forms */
    const char *bytes;
    size_t      size;
    const char *packed;      /* by gzip */
    size_t      packed_size; /* 0: that would not be shorter */
} skn_web_file;

extern const skn_web_file skn_web_files[]; /* ends with a NULL name; empty when built without */

/* The path that finds the route: that of the page for every address at which a browser opens it. */
skn_str skn_web_path(const skn_api_call *c);
/* True if the API and the page have the path in common, and Accept decides. */
bool skn_web_shares(skn_str path);
/* True if a person opens an address that nothing has: the page says so in its own words. */
bool skn_web_tells_lost(const skn_api_call *c);
