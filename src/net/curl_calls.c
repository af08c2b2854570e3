#include "net/curl_calls.h"

#include <dlfcn.h>
#include <string.h>

const char *skn_curl_load(skn_curl_calls *curl)
{
    void       *lib = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const char *missing = lib ? NULL : "libcurl.so.4";
    void       *call;

#define CURL_LOAD(name)                                                                        \
    if (!missing) {                                                                            \
        call = dlsym(lib, #name);                                                              \
        missing = call ? NULL : #name;                                                         \
        memcpy(&curl->name, &call, sizeof call); /* C has no cast from data to function */     \
    }
    CURL_CALLS(CURL_LOAD)
#undef CURL_LOAD
    if (lib)
        dlclose(lib);
    return missing;
}
