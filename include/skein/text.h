/* text.h: text and memory as they cross the library's border.
 *
 * Text is UTF-8 with its length; text that the library returns also ends in a NUL. What a call
 * returns lives in the skein_mem it was given, until that is reset or freed. A skein_mem is used
 * by one thread at a time. */
#ifndef SKEIN_TEXT_H
#define SKEIN_TEXT_H

#include <skein/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A struct that the caller fills in begins with its size, so that a program that was compiled with older headers works
 * with a newer library: new fields come at the end, and those that the size does not cover have their defaults. A size of 0
 * covers what is there in 0.1. */
#ifdef __cplusplus
#define SKEIN_INIT(type)                                                                       \
    ([] {                                                                                      \
        type init = type();                                                                    \
        init.size = sizeof(type);                                                              \
        return init;                                                                           \
    }())
#else
#define SKEIN_INIT(type)                                                                       \
    {                                                                                          \
        .size = sizeof(type)                                                                   \
    }
#endif

typedef struct skein_str {
    const char *p; /* NULL means absent, which is not the same as empty */
    size_t      n;
} skein_str;

typedef struct skein_mem skein_mem;

/* Makes memory for the results of calls; free it with skein_mem_free. */
SKEIN_API skein_mem *skein_mem_new(void);
/* Frees everything that was returned through it; the skein_mem itself stays usable. */
SKEIN_API void skein_mem_reset(skein_mem *mem);
/* Frees it with all that was returned through it. NULL is fine. */
SKEIN_API void skein_mem_free(skein_mem *mem);
/* A view of a C string; NULL gives an absent text. */
SKEIN_API skein_str skein_text(const char *s);

#ifdef __cplusplus
}
#endif
#endif
