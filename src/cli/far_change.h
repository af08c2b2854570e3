/* far_change.h: changes of a conversation that is elsewhere, each one request. They answer like the calls of
 * the engine that they stand for. Threads, lifetimes: those of far.h. */
#ifndef SKN_CLI_FAR_CHANGE_H
#define SKN_CLI_FAR_CHANGE_H

#include "cli/far.h"
#include "cli/place.h"

/* Messages are named by their ids; an absent one stands for the end. */
skein_rc skn_far_amend(skn_cli *cli, const skein_change *how, skn_str target, skn_str text,
                       skein_version *out, skein_message *amended);
skein_rc skn_far_insert(skn_cli *cli, const skein_change *how, skn_str before, skn_str text,
                        skein_version *out, skein_message *inserted);
skein_rc skn_far_delete(skn_cli *cli, const skein_change *how, const skn_uids *ids,
                        skein_version *out);
skein_rc skn_far_reorder(skn_cli *cli, const skein_change *how, const skn_uids *ids,
                         skn_str before, skein_version *out);
/* With a text the message is said again, in the same request. */
skein_rc skn_far_remove(skn_cli *cli, const skein_change *how, skn_str target, skn_str text,
                        skein_removal *out);
/* The move is "undo" or "redo", by so many steps; NULL: to the version with that number. */
skein_rc skn_far_travel(skn_cli *cli, const skein_change *how, const char *move, int64_t where,
                        skein_move *out);
/* With so many messages of the version; -1: with all. */
skein_rc skn_far_branch(skn_cli *cli, int64_t version, int64_t length, skn_str title,
                        skein_conversation *out);
skein_rc skn_far_squash(skn_cli *cli, const skein_change *how, const skn_uids *ids,
                        skn_str text, skein_squash *out);
skein_rc skn_far_squash_get(skn_cli *cli, skn_str uid, skein_squash *out);
/* Erases the messages, or without ids all that the current version does not hold; or looks, by a dry run. */
skein_rc skn_far_purge(skn_cli *cli, const skein_change *how, const skn_uids *ids,
                       const skn_json **out);
/* Messages of any role, each a JSON object; they wake nobody. */
typedef struct skn_append {
    const skn_str *messages;
    size_t         count;
    skn_str        lane,
        call_id; /* may be absent; the call starts the lane, if that is the next one */
    bool strict; /* refuse results of tools without a call */
} skn_append;

/* *out is the list of them, as they were stored. */
skein_rc skn_far_append(skn_cli *cli, const skn_append *what, const skn_json **out);
skein_rc skn_far_delegation(skn_cli *cli, skn_str key, skein_delegation *out);
/* Those of the conversation, the oldest first. */
skein_rc skn_far_delegation_list(skn_cli *cli, skein_delegations *out);
/* The next child of a lane, for a call if one is named. A dry run says what it would be. */
skein_rc skn_far_delegation_new(skn_cli *cli, skn_str parent, skn_str call_id,
                                skein_delegation *out);
skein_rc skn_far_delegation_finish(skn_cli *cli, skn_str key, skein_lane_state state,
                                   skein_delegation *out);
/* "cancel" or "retry" */
skein_rc skn_far_delegation_do(skn_cli *cli, skn_str key, const char *what);
skein_rc skn_far_answer_again(skn_cli *cli, skn_str message, skn_str agent, bool without_tools);
/* The edits of the world that failed, newest first. */
skein_rc skn_far_edit_errors(skn_cli *cli, skein_edit_errors *out);
/* The one conversation of this kind that the agent has; it comes into being. */
skein_rc skn_far_chat_of(skn_cli *cli, skn_str agent, skein_mode mode, skein_conversation *out);
/* A new chat, which becomes the current one. */
skein_rc skn_far_chat_new(skn_cli *cli, skn_str title, skein_conversation *out);
/* Makes a conversation the current one; absent: none. */
skein_rc skn_far_set_current(skn_cli *cli, skn_str chat_uid);
/* Waits until no agent of the world is at work. */
skein_rc skn_far_wait_idle(skn_cli *cli);

#endif
