/* learned.h: what was learned of a model by asking it, as it is stored. */
#pragma once

#include "base/str.h"

#define SKN_LEARNED_WINDOW   "window"  /* {"refused":4096,"against":8192,"scale":131} */
#define SKN_LEARNED_NO_TOOLS "noTools" /* why, in words */

typedef struct skn_learned {
    skn_str model; /* "provider/model" */
    skn_str what;
    skn_str value; /* to be stored: absent to forget it */
} skn_learned;

typedef struct skn_learned_list {
    skn_learned *at;
    size_t       count;
} skn_learned_list;
