/* sha256.h: SHA-256 (FIPS 180-4) of bytes that come in pieces, for files that leave this
 * machine.
 *
 * Threads: one at a time for each state. */
#ifndef SKN_BASE_SHA256_H
#define SKN_BASE_SHA256_H

#include "base/str.h"

#define SKN_SHA256_TEXT 65 /* 64 hexadecimal digits and a NUL */

typedef struct skn_sha256 {
    uint32_t      h[8];
    uint64_t      bytes; /* taken so far */
    unsigned char block[64];
} skn_sha256;

void skn_sha256_init(skn_sha256 *s);
void skn_sha256_add(skn_sha256 *s, skn_str bytes);
/* The digest of all that was added, in lower-case hexadecimal; the state is used up. */
skn_str skn_sha256_text(skn_sha256 *s, char out[SKN_SHA256_TEXT]);

#endif
