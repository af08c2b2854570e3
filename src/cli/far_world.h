/* far_world.h: what is set and brought out of a store that is elsewhere. Threads, lifetimes: those of far.h. */
#ifndef SKN_CLI_FAR_WORLD_H
#define SKN_CLI_FAR_WORLD_H

#include "cli/far.h"
#include "exchange/exchange.h"

/* Makes one of name, description, turn_limit and compact_at. */
skein_rc skn_far_world_new(skn_cli *cli, skein_world *world);
/* Hides the world, or the conversation, that this run is about. */
skein_rc skn_far_remove_world(skn_cli *cli, bool force);
skein_rc skn_far_remove_chat(skn_cli *cli, bool force);
/* Sets a member of the world, or with a dot one inside of its settings, to a JSON value; null removes it. */
skein_rc skn_far_world_set(skn_cli *cli, skn_str key, skn_str value, skein_world *now);

typedef struct skn_far_export_spec {
    bool    whole_world; /* else the conversation */
    skn_str thread,
        root; /* a version; a message with the replies under it. Absent: the current one, all */
    skn_format      format;
    skn_delegations delegations;
    bool            no_memory_only, redact;
} skn_far_export_spec;

/* As it comes; what a server made for people's eyes is cleaned, whoever it is. */
skein_rc skn_far_export(skn_cli *cli, const skn_far_export_spec *what, const skn_sink *sink);
/* A summary by hand, also whole, for who asked for JSON. */
skein_rc skn_far_compact(skn_cli *cli, const skein_compaction *what, skein_message *out,
                         int64_t *covers, const skn_json **whole);

#endif
