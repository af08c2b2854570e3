/* disk.h: a disk that fails when it is told to.
 *
 * The calls by which SQLite changes files (pwrite, ftruncate, fsync, fdatasync) are defined once
 * more in the test program; the dynamic linker takes these before the system's. They pass on what
 * they are given until skn_disk_break says otherwise.
 *
 * Threads: any.  There is one disk for the whole program. */
#ifndef SKN_TESTS_DISK_H
#define SKN_TESTS_DISK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct skn_disk {
    int64_t  nth;    /* the n-th call from now fails */
    bool     stays;  /* and so do all after it */
    unsigned one_in; /* or each call fails once in so many; 0: none does */
    uint64_t seed;   /* of that */
    bool     torn;   /* a write that fails has written its first half */
    int      error;  /* what errno says: EIO, ENOSPC */
    bool     full;   /* files may grow by `room` bytes more, then ENOSPC */
    int64_t  room;
} skn_disk;

/* From here on the disk is broken like this; counts begin again. */
void skn_disk_break(const skn_disk *how);
/* From here on it is whole again; how many calls have failed. */
int64_t skn_disk_mend(void);

/* Watches one file: has all that was written to it also been synced? */
void skn_disk_watch(const char *path);
bool skn_disk_synced(void);
/* How many writes the watched file has got. */
int64_t skn_disk_writes(void);

/* Copies the first n bytes of a file (-1: all of it); false when it cannot. */
bool skn_disk_copy(const char *from, const char *to, int64_t n);

#endif
