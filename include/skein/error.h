/* error.h: how a call says that it failed.
 *
 * A failing call returns a code and, if the caller passed a skein_error, fills it once, where the
 * cause was known. The error is a plain value: copy it, keep it, hand it to another thread. */
#ifndef SKEIN_ERROR_H
#define SKEIN_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SKEIN_API __attribute__((visibility("default")))
#else
#define SKEIN_API
#endif

typedef enum skein_rc {
    SKEIN_OK = 0,
#define SKEIN_CODE(name, json, http, exit) SKEIN_##name,
#include <skein/codes.def>
#undef SKEIN_CODE
} skein_rc;

typedef struct skein_error {
    skein_rc rc;
    char     message[400]; /* one line: what is wrong, and with which thing */
    char     hint[240];    /* one sentence on what to do; may be empty */
} skein_error;

/* The stable name of a code, as it stands in JSON: "NOT_FOUND". */
SKEIN_API const char *skein_rc_name(skein_rc rc);
/* The HTTP status that goes with a code. */
SKEIN_API int skein_rc_http(skein_rc rc);
/* The exit status that goes with a code. */
SKEIN_API int skein_rc_exit(skein_rc rc);

#ifdef __cplusplus
}
#endif
#endif
