/* Arrays that grow and may become larger than memory. They are in memory as long as all of them
 * together stay below a limit; beyond, they go to a file without a name (base/unnamed_file.h) that
 * is mapped, so that the system may write out what is not being used. There they grow without being
 * copied. As with the allocator, there is one store in a process, as limits are the process's.
 *
 * An array moves to the file when it grows beyond the limit; what does not grow stays where it is.
 * Where the disk has no room, an array goes on in memory, and block_store_use tells. Pages of the
 * file are allocated before they are mapped: writing to an array never fails. */
#ifndef TPTUI_BASE_BLOCK_STORE_H
#define TPTUI_BASE_BLOCK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

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

/* An array of `old` items of `size` bytes (none: NULL) as one of `count` items; those behind the
 * old ones are uninitialised. As realloc_array, but for block_free. Any thread, for different
 * arrays. */
void *block_grow(void *p, size_t old, size_t count, size_t size);
/* As realloc_at_least. */
void *block_grow_at_least(void *p, size_t old, size_t *count, size_t least, size_t size);
/* One that does not grow. */
void *block_fixed(size_t bytes);
/* Zeroed. */
void *block_new(size_t count, size_t size);
/* Of what malloc gave, too; NULL is ok. */
void block_free(void *p);

/* Maps the file over `n` bytes of private memory that nobody has touched, whole pages, where they
 * would be beyond the limit. To be followed by block_uncover of the same, or of more around them,
 * before they are unmapped. */
void block_cover(void *p, size_t n);
void block_uncover(void *p, size_t n);

/* What lies in these whole pages of an array is not read or written any more: memory and disk are
 * given back. */
void block_forget(void *from, size_t n);

/* VECs whose items are such an array; to be released by vec_release_in_blocks. */
#define vec_reserve_in_blocks(v, n)                                                                \
    vec_reserve_by(v, n, block_grow_at_least((v)->items, (v)->cap, &cap_, (n), sizeof *(v)->items))
#define vec_push_in_blocks(v)         vec_push_by(v, vec_reserve_in_blocks)
#define vec_append_in_blocks(v, p, n) vec_append_by(v, p, n, vec_reserve_in_blocks)

#define vec_release_in_blocks(v)                                                                   \
    do {                                                                                           \
        block_free((v)->items);                                                                    \
        (v)->items = NULL;                                                                         \
        (v)->count = (v)->cap = 0;                                                                 \
    } while (0)

#endif
