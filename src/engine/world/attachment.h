/* attachment.h: files that messages carry: what a message may name, and what goes with it.
 *
 * Bytes are kept once in a store, under their SHA-256. A world has a file from when it was given until no message of it
 * carries it, and a day at least. Threads, lifetimes: those of the transaction. */
#pragma once

#include "engine/core.h"

/* Removes the files that these messages alone carry, with their bytes. */
skein_rc skn_files_erase(skn_tx *tx, const skn_ids *messages, skn_arena *a, skein_error *err);
