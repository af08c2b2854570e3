#include "net/curl_calls.h"

#include "base/late.h"

const char *skn_curl_load(skn_curl_calls *curl)
{
#define CURL_NAME(name) #name,
    static const char *const names[] = {CURL_CALLS(CURL_NAME)};
#undef CURL_NAME

    return skn_late_load("libcurl.so.4", names, sizeof names / sizeof *names, curl);
}
