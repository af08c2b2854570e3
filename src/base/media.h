/* media.h: what bytes are, by their beginning: images by their headers, the rest by a few marks. Pixels are never decoded. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { SKN_MEDIA_SIDE = 100000 }; /* pixels; more is no image that anybody shows */

typedef struct skn_media {
    const char *type; /* "image/png"; "text/plain" of any text; "application/octet-stream" */
    int64_t     width, height; /* of an image; else 0 */
} skn_media;

skn_media skn_media_look(skn_str bytes);
/* A type without its parameters that a file may be kept under: the declared one, where the bytes do not contradict it; by the
 * ending of the name where nothing is declared; else what the bytes are. Absent: an image was declared, and it is none. */
skn_str skn_media_type(const skn_media *seen, skn_str declared, skn_str name);
/* One that browsers may show in their own window: an image that cannot carry a script. */
bool skn_media_is_image(skn_str type);
/* A text that a person can read as it is. */
bool skn_media_is_text(skn_str type);
