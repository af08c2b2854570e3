/* wire_inside.h: what wire.c, wire_models.c and wire_words.c share: the provider behind HTTP.
 *
 * Threads: the loop's.  Lifetimes: all of it lives in the provider's arena. */
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
    skn_str                url, models_url, version_url; /* the last: of Ollama only */
    char                  *key;                          /* wiped when it goes */
    skn_wire_secrets       secrets;                      /* wiped too */
    bool                   key_needed;
    skn_fetch_header       headers[32]; /* of every request */
    size_t                 header_count;
    int64_t                stall_ms, total_ms, backoff_ms;
    int                    retries, at_once, busy;
    skn_wire_talk *first;        /* that wait for others to end, in the order of their rounds */
    int64_t        round;        /* of the one that was let out last */
    bool           learns_slots; /* nobody has set at_once */
    struct {
        skn_fetch *fetch; /* of how many there are; NULL: it is not under way */
        skn_buf    body;
        int        status;
        int64_t    asked_at; /* monotonic, ms; 0: never */
    } slots;
    skn_wire_asking *lists; /* of models, that are asked for */
    skn_arena       *known; /* of the models in the list that came last; or NULL */
    skn_model       *models;
    size_t           model_count;
    skn_str root;   /* its address without "/v1": where servers say more; absent: they do not */
    bool    famous; /* a well-known service */
    skn_wire_show *shows; /* what is known of single models, or asked */
    size_t         show_count;
} skn_wire;

/* What a model can read, as its server told. */
skn_window skn_wire_window(skn_provider *p, skn_str model, bool ask);

/* Ends all askings for lists of models with an error. */
void skn_wire_end_lists(skn_wire *p);

/* --- wire_show.c ------------------------------------------------------------------------------- */

/* The same of a model that no list told of: its server is asked for it once, if `ask`. */
skn_window skn_wire_shown(skn_wire *p, skn_str model, bool ask);
void       skn_wire_end_shows(skn_wire *p);

/* --- wire_slots.c ------------------------------------------------------------------------------ */

/* A question waits: how many the server takes at once is asked, unless it is known or was just asked. */
void skn_wire_ask_slots(skn_wire *p);
void skn_wire_end_slots(skn_wire *p);
/* wire.c: so many questions are sent at once from now on. */
void skn_wire_take(skn_wire *p, int at_once);

/* --- wire_words.c ------------------------------------------------------------------------------ */

/* A limit that is reached. */
typedef struct skn_wire_limit {
    const char *which; /* "requests"; NULL: not told */
    int64_t     ms;    /* until it can be asked again; 0: not told */
} skn_wire_limit;

/* The message of a failure whose words are in `words`: with the provider's name, the status, and the limit (may be
 * NULL). */
void skn_wire_explain(const skn_wire *p, skn_ask_state state, int status,
                      const skn_wire_limit *limit, const char *words, skein_error *out);
/* What a head says of limits, and how long it asks to wait. */
skn_wire_limit skn_wire_limit_of(const skn_fetch_head *head);
/* "Please try again in 6m0s.": 360000; 0: the words of an error do not say. */
int64_t skn_wire_wait_in(skn_str words);
/* The state of a request that ended like this before or instead of an answer. */
skn_ask_state skn_wire_state_of_end(skn_fetch_end end);

#endif
