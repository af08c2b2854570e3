/* provider_slots.h: what the files of the provider set share. No other file includes it.
 *
 * A slot is the provider that callers hold. Its host has the connection; when the connection changes, the old host is
 * retired and is freed when its last request ends.
 * Threads: the loop's. */
#ifndef SKN_SERVE_PROVIDER_SLOTS_H
#define SKN_SERVE_PROVIDER_SLOTS_H

#include "base/clock.h"
#include "config/provider_plan.h"
#include "serve/provider_set.h"

typedef struct skn_host {
    struct skn_host *next;  /* in the list of retired hosts */
    skn_provider    *wire;  /* NULL: a recording, or the scripted provider */
    skn_provider    *front; /* receives the requests: the wire, or a recorder before it */
    bool             owned; /* the scripted one is not */
    int              questions;
    char             sum[65]; /* hash of the settings that it was created from */
} skn_host;

enum { SKN_LIMIT_TEXT = 160 }; /* a provider's limit as text, with the month */

/* A model that has refused tools. */
typedef struct skn_toolless {
    struct skn_toolless *next;
    char                *model, *why; /* why: with the remedy */
} skn_toolless;

typedef struct skn_slot {
    skn_provider       base; /* first */
    skn_provider_set  *set;
    char              *name;
    skn_provider_plan *plan; /* NULL: the provider was removed */
    skn_host          *host; /* NULL: no connection; `broken` says why */
    skein_error        broken;
    bool               found; /* as a server on this computer */
    skn_ask_state      last;  /* of the last request or test */
    char               problem[400];
    struct {
        char key[SKN_LIMIT_TEXT]; /* the limit that a person was asked about; "": none */
        skein_approval said;      /* the person's decision, as last read */
    } limits[2];                  /* of the month, and of the day */
    int64_t       used_at, failed_at;
    skn_toolless *toolless;
    skn_arena    *mem;       /* holds the next four */
    skn_str       listed_at; /* the address whose models are listed */
    skn_model    *models;
    size_t        model_count;
    skn_str       version;
} skn_slot;

typedef struct skn_looking  skn_looking;  /* a caller that waits for detection */
typedef struct skn_listing  skn_listing;  /* a caller that waits for a list of models */
typedef struct skn_errand   skn_errand;   /* a job for the workers */
typedef struct skn_spending skn_spending; /* what models have cost in this month */

/* Values from the configuration. */
typedef struct skn_set_config {
    skn_arena             *mem;
    skn_provider_setting  *settings;
    size_t                 count;
    const skn_model_price *prices; /* of all providers */
    size_t                 price_count;
    skn_str                model;              /* the default; may be "auto" */
    bool                   local, environment; /* which sources detection may use */
    bool                   no_commands;        /* no command may be run for a key */
} skn_set_config;

struct skn_provider_set {
    skn_provider_set_options o;
    skn_arena               *mem; /* holds the plans */
    skn_provider_plans       plans;
    skn_set_config           config;
    skn_slot               **slots; /* oldest first */
    size_t                   slot_count;
    skn_host                *retired;
    skn_timer               *sweeper;
    skn_detecting           *detecting;
    skn_looking             *looking;
    skn_arena               *found_mem;
    skn_detected            *found;
    skn_errand              *errands; /* the first one is running */
    skn_listing             *listings;
    skn_spending            *spending;
    bool                     learned;   /* what is stored of models was taken in */
    skn_arena               *model_mem; /* holds the result of default_model */
    skn_arena               *usual_mem;
    skn_str usual; /* the default model: of a replay, or the one that a recording stored */
};

skn_slot *skn_slot_find(const skn_provider_set *set, skn_str name);
/* Calls o.changed. */
void skn_set_changed(skn_provider_set *set);
/* Replaces the plans. The set takes over `plans` and `mem`, in which they live. */
void skn_set_apply(skn_provider_set *set, const skn_provider_plans *plans, skn_arena *mem);
/* provider_ask.c: requests through a slot. */
extern const skn_provider_ops skn_slot_ops;
void skn_slot_note(skn_slot *s, skn_ask_state state, const skein_error *err);
/* Forgets which models refused tools, so that they are offered tools again. */
void skn_slot_forget_toolless(skn_slot *s, bool stored);
/* Takes in what is stored of models. */
void skn_set_learned(skn_provider_set *set, const skn_learned_list *all);
/* Notes the end of a request of this host. */
void skn_host_leave(skn_provider_set *set, skn_host *h);
void skn_host_free(skn_host *h);
void skn_slot_keep_models(skn_slot *s, const skn_model *models, size_t count, skn_str version);
skn_model *skn_models_copy(skn_arena *a, const skn_model *models, size_t count);
/* Fails for this reason, with the hint of the plan. */
skein_rc skn_plan_fail(const skn_provider_plan *p, skn_str why, skein_error *err);
/* Forgets models that were listed at another address. */
void skn_slot_forget_models(skn_slot *s);

/* provider_errand.c: jobs for the workers, one after the other. */
skein_rc skn_set_begin(skn_provider_set *set, const skn_config *config, skein_error *err);
void     skn_errands_drop(skn_provider_set *set);
void     skn_set_config_free(skn_set_config *c);

/* provider_ask.c: spending in this month, from the store and from answers since the last reading. */
skn_spending *skn_spending_new(skn_provider_set *set);
void          skn_spending_free(skn_spending *p); /* the workers have ended; NULL is fine */
/* Takes the store's figures of a month and of the day. */
void skn_spending_take(skn_spending *p, int64_t month, int64_t day,
                       const skein_model_uses *found);
/* Returns millionths of a dollar spent in this month or on this day, by models that have a price. */
int64_t skn_spending_used(const skn_slot *s, bool today);
/* Resumes work that waits for a limit which is not reached any more. */
void skn_limits_lift(skn_provider_set *set);
/* Lists the models without a price, used or named in the file, if the provider has a limit. */
size_t skn_spending_unpriced(const skn_slot *s, skn_arena *a, const skn_str **out);
/* A limit that is reached. */
typedef struct skn_reached {
    bool           daily; /* of the day; else of the month */
    int64_t        most, used;
    char           of[SKN_MONTH_TEXT];  /* "2026-11-19", "November 2026" */
    char           key[SKN_LIMIT_TEXT]; /* another amount, month or day is another limit */
    skein_approval said;                /* by a person; open: nothing, as far as is known */
} skn_reached;

/* Whether a limit is reached: first one that nobody has allowed. Then err says so. */
bool skn_spending_over(const skn_slot *s, skn_reached *which, skein_error *err);

/* provider_set.c */
skn_provider_state skn_slot_state(const skn_slot *s);

#endif
