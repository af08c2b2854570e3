/* Whatever a lane holds, its view is one that both providers take, and viewing it again changes
 * nothing. */
#include "view_bytes.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skein_error err;

    if (!view_holds(data, size, &err)) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    return 0;
}
