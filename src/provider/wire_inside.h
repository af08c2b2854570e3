/* wire_inside.h: the provider behind HTTP, shared by wire.c, wire_models.c, wire_show.c and
 * wire_words.c.
 *
 * Threads: the loop's. Lifetimes: everything lives in the provider's arena. */
#ifndef SKN_PROVIDER_WIRE_INSIDE_H
#define SKN_PROVIDER_WIRE_INSIDE_H

#include "provider/wire.h"

typedef struct skn_wire_talk   skn_wire_talk;
typedef struct skn_wire_asking skn_wire_asking;
typedef struct skn_wire_show   skn_wire_show;

typedef struct skn_wire {
    skn_provider           base;
    skn_loop              *loop;
    skn_net               *net;
    const skn_wire_format *format;
    skn_arena             *a, *scratch;
    skn_str                url, models_url, version_url; /* the last one: only Ollama's */
    char                  *key;                          /* wiped before it is freed */
    skn_wire_secrets       secrets;                      /* wiped too */
    bool                   key_needed;
    skn_fetch_header       headers[32]; /* sent with every request */
    size_t                 header_count;
    int64_t                stall_ms, total_ms, backoff_ms;
    int                    retries, at_once, busy;
    skn_wire_talk         *first;        /* requests that wait for others to end, by round */
    int64_t                round;        /* of the request that was sent last */
    bool                   learns_slots; /* at_once is not set */
    int64_t                props_at;     /* monotonic, ms: /props was asked; 0: never */
    skn_wire_asking       *lists;        /* requests for the list of models */
    skn_arena             *known;        /* holds the models of the last list; or NULL */
    skn_model             *models;
    size_t                 model_count;
    skn_str        root; /* the address without "/v1", where some servers tell more; absent: not
                     * here */
    bool           famous; /* a well-known service */
    skn_wire_show *shows;  /* single models: known windows, or requests for them */
    size_t         show_count;
} skn_wire;

/* How much a model can read, from its server. */
skn_window skn_wire_window(skn_provider *p, skn_str model, bool ask);

/* Ends all requests for lists of models with an error. */
void skn_wire_end_lists(skn_wire *p);

/* --- wire_show.c ------------------------------------------------------------------------------- */

/* The same for a model that no list describes: its server is asked once, if `ask`. */
skn_window skn_wire_shown(skn_wire *p, skn_str model, bool ask);
void       skn_wire_end_shows(skn_wire *p);

/* Asks how many requests the server accepts at once, because one has to wait; not if that is known or was just
 * asked. */
void skn_wire_ask_slots(skn_wire *p);
/* wire.c: sets how many requests are sent at once from now on. */
void skn_wire_take(skn_wire *p, int at_once);

/* --- wire_words.c ------------------------------------------------------------------------------ */

/* A limit of the provider that is reached. */
typedef struct skn_wire_limit {
    const char *which; /* "requests"; NULL: unknown */
    int64_t     ms;    /* time until the next request is possible; 0: unknown */
} skn_wire_limit;

/* Makes the message of a failure from the server's words, with the provider's name, the status and the limit (may be
 * NULL). */
void skn_wire_explain(const skn_wire *p, skn_ask_state state, int status,
                      const skn_wire_limit *limit, const char *words, skein_error *out);
/* Reads the limits in a head, and how long to wait. */
skn_wire_limit skn_wire_limit_of(const skn_fetch_head *head);
/* "Please try again in 6m0s.": 360000; 0: the error does not say. */
int64_t skn_wire_wait_in(skn_str words);
/* The state of a request that ended like this before or instead of an answer. */
skn_ask_state skn_wire_state_of_end(skn_fetch_end end);

#endif
