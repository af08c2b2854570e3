#include "base/late.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* What the dynamic linker goes by. A program that is linked statically has none; it could load a library only where the C
 * library is the very one that it was linked with, and ends in a crash elsewhere. */
extern const char _DYNAMIC[] __attribute__((weak));

static bool can_load(void)
{
    return _DYNAMIC != NULL;
}

const char *skn_late_load(const char *library, const char *const *names, size_t count,
                          void *calls)
{
    void *lib = can_load() ? dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
    const char *missing = lib ? NULL : library;

    for (size_t i = 0; i < count && !missing; i++) {
        void *call = dlsym(lib, names[i]);

        missing = call ? NULL : names[i];
        memcpy((char *)calls + i * sizeof call, &call,
               sizeof call); /* C has no cast from data to function */
    }
    if (lib)
        dlclose(lib);
    return missing;
}

const char *skn_late_advice(const char *install)
{
    return can_load() ? install
                      : "this program is linked statically and loads no libraries; use the one "
                        "that make "
                        "install brings";
}
