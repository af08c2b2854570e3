/* backups.h: the copies that a server makes of its store now and then, in a folder of their own.
 *
 * Threads: any; two at once on one folder would remove the same copies. */
#pragma once

#include "engine/engine.h"

/* Makes a copy named after the time, then removes the oldest until `keep` are left. */
skein_rc skn_backup_make(skein_engine *e, const char *folder, int64_t keep, skein_error *err);
/* When the newest copy was made, microseconds UTC (0: there is none), and how many there are. */
int64_t skn_backup_newest(const char *folder, int64_t *count);
/* "skein-20261115T140203Z.db" of a time. */
#define SKN_BACKUP_NAME 40
void skn_backup_name(int64_t micros, char out[SKN_BACKUP_NAME]);
