/* door_view.h: what can be read of a conversation that is elsewhere. Threads, lifetimes: those of door.h. */
#ifndef SKN_CLI_DOOR_VIEW_H
#define SKN_CLI_DOOR_VIEW_H

#include "cli/say.h"

/* Messages of a lane with what surrounds them, oldest first. */
typedef struct skn_door_log {
    skein_messages       list;
    skein_message_facts *facts;
    skein_deliveries    *deliveries;
    const skn_json     **items;  /* as they came */
    int64_t              length; /* of the lane */
} skn_door_log;

/* Which of them: those of a slice, whose agent and lane may be named. */
typedef struct skn_door_slice {
    skn_str thread; /* of the version */
    skn_str agent, lane;
    bool    raw;
    int64_t last; /* only so many, from the end; 0: all */
} skn_door_slice;

/* "&name=value", or nothing. */
const char *skn_door_parameter(skn_cli *cli, const char *name, skn_str value);
skein_rc    skn_door_log_read(skn_cli *cli, const skn_door_slice *what, skn_door_log *out);
/* So many of them from a place on; a negative one counts from the end. `last` says nothing here. */
skein_rc skn_door_log_part(skn_cli *cli, const skn_door_slice *what, int64_t from,
                           int64_t count, skn_door_log *out);
/* The ids of a message and of the replies below it, as keys. */
skein_rc skn_door_subtree(skn_cli *cli, skn_str uid, skn_str thread, skn_map **out);

/* The replies under a message, or all of the version when it is absent. */
skein_rc skn_door_tree(skn_cli *cli, skn_str thread, skn_str root, skein_reply_tree *out);

#endif
