/* log.h: messages for the administrator, one line each, as text or JSON.
 *
 * Values of fields are escaped so that a line stays a line. A text that was given to skn_log_hide (a token, a key) is
 * replaced by "…" wherever it would appear. Message text is never logged.
 * Threads: any. */
#pragma once

#include "base/str.h"

typedef enum skn_log_level {
    SKN_LOG_ERROR,
    SKN_LOG_WARN,
    SKN_LOG_INFO,
    SKN_LOG_DEBUG,
    SKN_LOG_TRACE
} skn_log_level;

typedef struct skn_log skn_log;

typedef struct skn_log_field {
    const char *key;
    skn_str     text; /* absent: number */
    int64_t     number;
} skn_log_field;

/* fd stays the caller's. */
skn_log *skn_log_new(int fd, bool json, skn_log_level level);
void     skn_log_free(skn_log *log);
void     skn_log_hide(skn_log *log, skn_str secret);
void     skn_log_set_level(skn_log *log, skn_log_level level);
bool     skn_log_level_from(skn_str name, skn_log_level *out);
/* log may be NULL. `what` is a constant phrase: "request", "turn failed". */
void skn_log_write(skn_log *log, skn_log_level level, const char *what,
                   const skn_log_field *fields, size_t count);
/* A phrase and a message in one: for what has no fields. */
void skn_log_say(skn_log *log, skn_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
