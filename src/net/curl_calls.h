/* curl_calls.h: the functions of libcurl that we call; the only file that includes curl/curl.h.
 *
 * libcurl is loaded with the first request: it brings thirty more libraries, which would cost every start of the
 * program milliseconds and 6 MB. Once loaded, it stays. */
#ifndef SKN_NET_CURL_CALLS_H
#define SKN_NET_CURL_CALLS_H

#define CURL_DISABLE_TYPECHECK /* its macros cannot be called through pointers */
#include <curl/curl.h>

#define CURL_CALLS(X)                                                                          \
    X(curl_global_init)                                                                        \
    X(curl_global_cleanup)                                                                     \
    X(curl_easy_init)                                                                          \
    X(curl_easy_cleanup)                                                                       \
    X(curl_easy_setopt)                                                                        \
    X(curl_easy_getinfo)                                                                       \
    X(curl_easy_pause)                                                                         \
    X(curl_easy_strerror)                                                                      \
    X(curl_slist_append)                                                                       \
    X(curl_slist_free_all)                                                                     \
    X(curl_multi_init)                                                                         \
    X(curl_multi_cleanup)                                                                      \
    X(curl_multi_setopt)                                                                       \
    X(curl_multi_add_handle)                                                                   \
    X(curl_multi_remove_handle)                                                                \
    X(curl_multi_socket_action)                                                                \
    X(curl_multi_info_read)                                                                    \
    X(curl_multi_assign)

/* One pointer for each function, with the function's name. */
typedef struct skn_curl_calls {
#define CURL_FIELD(name) __typeof__(&name) name;
    CURL_CALLS(CURL_FIELD)
#undef CURL_FIELD
} skn_curl_calls;

#endif
