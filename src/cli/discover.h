/* discover.h: the server that runs on a store: where it says so, and how others find it.
 *
 * A server holds a lock on a file beside its data for as long as it runs, and describes itself in
 * another file there. Without the lock the description is a leftover, whatever it says. Servers that only read share a
 * store with any other: the first of them has a lock and a description of its own.
 * What such a file says counts only where nobody but the user and root can have written it (own.h).
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#pragma once

#include "cli/cli.h"

typedef struct skn_server {
    const char     *url;    /* "http://127.0.0.1:7534/", always with the last slash */
    const char     *socket; /* path of its Unix socket; NULL: none */
    skn_str         token;  /* for "Authorization: Bearer"; absent: none. Never to be shown */
    int64_t         pid;    /* 0: not known */
    int64_t         started_at;
    const char     *version; /* NULL: not known */
    bool            here;    /* it said itself where it is: it must be of this computer */
    skein_engine   *engine;  /* set: there is no server, this process answers by itself … */
    struct skn_api *api;     /* … with this */
    bool            read_only;
} skn_server;

/* Where a server of a store leaves its traces. */
typedef struct skn_traces {
    const char *folder;                    /* that holds them */
    const char *lock, *json;               /* files */
    const char *reader_lock, *reader_json; /* the same of a server that only reads */
    const char *current; /* the file with the default world; NULL: the store is not a file */
    const char *socket;  /* where its Unix socket is, unless configured otherwise */
    const char *token;   /* file of the token that nobody named */
    const char *backups; /* folder of backups; NULL: the store is not a file */
} skn_traces;

/* The server of --server or SKEIN_SERVER, or the one that runs on the store; *found is false when
 * there is none. */
skein_rc skn_discover(skn_cli *cli, skn_server *out, bool *found);
/* The same; where there is none, one that only reads will do. */
skein_rc skn_discover_any(skn_cli *cli, skn_server *out, bool *found);
/* The one that runs on the store and only reads, whatever else runs; none where --server or SKEIN_SERVER names another. */
skein_rc skn_discover_reader(skn_cli *cli, skn_server *out, bool *found);
/* Where no other server was found: does one run that only reads? */
bool skn_only_reads(skn_cli *cli);
/* The same as the beginning of a sentence. */
const char *skn_nobody_runs(skn_cli *cli);
/* After a change that an agent is to act on: says so where it cannot, since no server runs. `does`: "begins". */
void skn_note_nobody(skn_cli *cli, skn_str agent, const char *does);
/* The address that is meant by "host:port". */
const char *skn_discover_url(skn_cli *cli, const char *named);
/* The one that runs on the store, whatever else is named. */
skein_rc skn_discover_here(skn_cli *cli, skn_server *out, bool *found);
/* True for an address that only this computer reaches. */
bool skn_is_loopback(const char *host);
/* What files are named after that belong to a store or a server at this address. */
const char *skn_address_mark(skn_cli *cli, const char *address);
/* The places that belong to the store of this run. */
skein_rc skn_traces_of(skn_cli *cli, skn_traces *out);
/* Who holds the lock; 0 when nobody does. -1: somebody whose number cannot be known. */
int64_t skn_lock_holder(const char *path);
/* Reads a token that a person named: one line, 16 characters or more, none of them blank. *open is how others can read
 * the file (0644), or 0. */
skein_rc skn_token_read(skn_cli *cli, const char *path, skn_str *out, int *open);

/* Reads the token of the data folder, which is made if it is not there; only the user can read it. */
skein_rc skn_token_ensure(skn_cli *cli, const char *path, skn_str *out);
