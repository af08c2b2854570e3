/* provider_slots.h: what the files of the provider set share. Nobody else includes it.
 *
 * A slot is a provider that outsiders hold. Behind it is a host, which has the connection; when that must be
 * another, the old host is retired and goes with its last question.
 * Threads: the loop's. */
#ifndef SKN_SERVE_PROVIDER_SLOTS_H
#define SKN_SERVE_PROVIDER_SLOTS_H

#include "config/provider_plan.h"
#include "serve/provider_set.h"

typedef struct skn_host {
    struct skn_host *next;  /* of those that are retired */
    skn_provider    *wire;  /* NULL: a recording, or the scripted one */
    skn_provider    *front; /* who is asked: the wire, or a recorder before it */
    bool             owned; /* the scripted one is not */
    int              questions;
    char             sum[65]; /* of what it was made from */
} skn_host;

enum { SKN_LIMIT_TEXT = 160 }; /* a provider's limit in words, with the month */

/* A model that has refused tools. */
typedef struct skn_toolless {
    struct skn_toolless *next;
    char                *model, *why; /* why: and what to do about it */
} skn_toolless;

typedef struct skn_slot {
    skn_provider       base; /* first */
    skn_provider_set  *set;
    char              *name;
    skn_provider_plan *plan; /* NULL: it is gone */
    skn_host          *host; /* NULL: there is none to ask; `broken` says why */
    skein_error        broken;
    bool               found; /* as a server on this computer */
    skn_ask_state      last;  /* of the last question or test */
    char               problem[400];
    char               limit[SKN_LIMIT_TEXT]; /* that a person was asked about; "": none */
    skein_approval     said;                  /* to it, as far as is known */
    int64_t            used_at, failed_at;
    skn_toolless      *toolless;
    skn_arena         *mem;       /* of the next four */
    skn_str            listed_at; /* the address that the models were listed for */
    skn_model         *models;
    size_t             model_count;
    skn_str            version;
} skn_slot;

typedef struct skn_looking  skn_looking;  /* somebody who waits for a detection */
typedef struct skn_listing  skn_listing;  /* somebody who waits for a list of models */
typedef struct skn_errand   skn_errand;   /* something that the workers do */
typedef struct skn_spending skn_spending; /* what models used in this month */

/* What was read from the configuration. */
typedef struct skn_set_config {
    skn_arena             *mem;
    skn_provider_setting  *settings;
    size_t                 count;
    const skn_model_price *prices; /* of all providers */
    size_t                 price_count;
    skn_str                model;              /* by default; may be "auto" */
    bool                   local, environment; /* what to look for */
    bool                   no_commands;        /* no program is asked for a key */
} skn_set_config;

struct skn_provider_set {
    skn_provider_set_options o;
    skn_arena               *mem; /* of the plans */
    skn_provider_plans       plans;
    skn_set_config           config;
    skn_slot               **slots; /* in the order of coming */
    size_t                   slot_count;
    skn_host                *retired;
    skn_timer               *sweeper;
    skn_detecting           *detecting;
    skn_looking             *looking;
    skn_arena               *found_mem;
    skn_detected            *found;
    skn_errand              *errands; /* the first of them is under way */
    skn_listing             *listings;
    skn_spending            *spending;
    skn_arena               *model_mem; /* of what default_model gave */
    skn_arena               *usual_mem;
    skn_str usual; /* of a replay: the model by default; of a recording: that was kept */
};

skn_slot *skn_slot_find(const skn_provider_set *set, skn_str name);
/* Calls o.changed. */
void skn_set_changed(skn_provider_set *set);
/* Takes new plans, which live in `mem`; both are the set's from here on. */
void skn_set_apply(skn_provider_set *set, const skn_provider_plans *plans, skn_arena *mem);
/* provider_ask.c: asking through a slot. */
extern const skn_provider_ops skn_slot_ops;
void skn_slot_note(skn_slot *s, skn_ask_state state, const skein_error *err);
/* Models that refused tools are offered them again. */
void skn_slot_forget_toolless(skn_slot *s);
/* A question of this host is over. */
void skn_host_leave(skn_provider_set *set, skn_host *h);
void skn_host_free(skn_host *h);
void skn_slot_keep_models(skn_slot *s, const skn_model *models, size_t count, skn_str version);
skn_model *skn_models_copy(skn_arena *a, const skn_model *models, size_t count);
/* Fails for this reason, with the hint of the plan. */
skein_rc skn_plan_fail(const skn_provider_plan *p, skn_str why, skein_error *err);
/* What was listed at another address is not known of this one. */
void skn_slot_forget_models(skn_slot *s);

/* provider_errand.c: what the workers do, one after the other. */
skein_rc skn_set_begin(skn_provider_set *set, const skn_config *config, skein_error *err);
void     skn_errands_drop(skn_provider_set *set);
void     skn_set_config_free(skn_set_config *c);

/* provider_ask.c: what models used in this month, by the store and by what was answered since. */
skn_spending *skn_spending_new(skn_provider_set *set);
void          skn_spending_free(skn_spending *p); /* the workers have ended; NULL is fine */
/* What the store has of a month, and of the day. */
void skn_spending_take(skn_spending *p, int64_t month, int64_t day,
                       const skein_model_uses *found);
/* Millionths of a dollar in this month, or in this day, of those of its models that have a price. */
int64_t skn_spending_used(const skn_slot *s, bool today);
/* The one word for the limit of a month, the other for that of a day, whichever is reached. */
const char *skn_limit_word(const skn_slot *s, const char *month, const char *day);
/* Who waits for a limit that is not reached any more goes on. */
void skn_limits_lift(skn_provider_set *set);
/* Those that have none, where there is a limit: that were used, or that the file names. */
size_t skn_spending_unpriced(const skn_slot *s, skn_arena *a, const skn_str **out);
/* Whether the limit is reached; then err says so. */
bool skn_spending_over(const skn_slot *s, skein_error *err);

/* provider_ask.c: what a person has said to the limit of this month; open: nothing yet. */
skein_approval skn_limit_said(const skn_slot *s);

/* provider_set.c */
skn_provider_state skn_slot_state(const skn_slot *s);

#endif
