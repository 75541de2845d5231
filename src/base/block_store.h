/* Arrays that may become larger than memory: all that are allocated (base/alloc.h) with at least a
 * megabyte. They are in memory as long as all of them together stay below a limit; beyond, they go
 * to a file without a name (base/unnamed_file.h) that is mapped, so that the system may write out
 * what is not being used. There they grow without being copied. There is one store in a process, as
 * limits are the process's. A child of fork() shares the file: it may read arrays, and exec.
 *
 * An array goes to the file when it is made or grows beyond the limit; what does neither stays
 * where it is.
 * Where the disk has no room, an array goes on in memory, and block_store_use tells. Pages of the
 * file are allocated before they are mapped: writing to an array never fails.
 *
 * The file is never in a file system that is in memory, and takes at most nine tenths of what the
 * disk had free. */
#ifndef TPTUI_BASE_BLOCK_STORE_H
#define TPTUI_BASE_BLOCK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the file shall lie, if it can: a folder, which is copied; NULL: with other temporary files.
 * Nothing happens once there is a file. */
void block_store_place(const char *folder);
/* How many bytes of arrays stay in memory: at first, half of what memory and control groups leave
 * when an array becomes large (base/memory_left.h). */
void block_store_limit(uint64_t bytes);
/* The same, for a limit that the user chose: block_store_limit changes nothing any more. */
void block_store_fix_limit(uint64_t bytes);

/* What there is, for messages and tests. */
struct block_store_use {
    uint64_t in_memory, in_file; /* bytes of arrays, of those in memory only large ones */
    bool is_fixed;               /* the user chose the limit */
    int full;                    /* errno of when the file had no room or no place; 0: never */
    char place[128];             /* of the file; "" where there was none; cut where it is longer */
};
struct block_store_use block_store_use(void);

/* What base/alloc.h allocates with: as malloc or calloc, and realloc, of at least one byte. NULL
 * where there is no memory; what was to be resized is then as it was. Any thread, for different
 * arrays. */
void *block_new(size_t bytes, bool zeroed);
void *block_resize(void *p, size_t bytes);
/* What free() is everywhere else (base/banned.h): also of what malloc gave; NULL is ok. */
void block_free(void *p);

/* By how many bytes an array of a megabyte or more shall grow at most: in the file by few at a
 * time, as only what was written before the last ones can be written out. */
size_t block_store_step(void);

/* Puts `n` bytes of private memory, whole pages, into the file where they are beyond the limit. To
 * be followed by block_uncover of the same, or of more around them, before they are unmapped. */
void block_cover(void *p, size_t n);
void block_uncover(void *p, size_t n);

/* What lies in these whole pages of an array is not read or written any more: memory and disk are
 * given back. */
void block_forget(void *from, size_t n);

#endif
