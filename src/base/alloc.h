/* Memory that is there or the program ends: the one place where running out of it is handled. */
#ifndef TPTUI_BASE_ALLOC_H
#define TPTUI_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* All of these return memory for free(), which is in a file where it is large and memory is short
 * (base/block_store.h). They never return NULL: where the size overflows or the
 * system has no memory, not even with the reserve below, they write one line to stderr and abort.
 */
void *alloc_bytes(size_t size);
void *alloc_array(size_t count, size_t size); /* zeroed */
void *realloc_array(void *p, size_t count, size_t size);
char *alloc_copy(const void *p, size_t n); /* n bytes and a NUL after them */

/* realloc_array for `*count` items, or as many fewer as there is memory for, but at least `least`;
 * `*count` becomes how many there are. */
void *realloc_at_least(void *p, size_t *count, size_t least, size_t size);

/* Where memory runs out in this thread from now on, the program ends with `line` on stderr and exit
 * status 3, instead of aborting; NULL: as before. The line is not copied. */
void alloc_end_with(const char *line);

/* What they do then, for a size that no memory has. */
_Noreturn void alloc_fail(void);
/* The same where there is no room for a thread that the program cannot do without. */
_Noreturn void alloc_fail_thread(void);

/* Called before the program ends for want of memory; the terminal sets it to restore itself. */
extern void (*alloc_failed_hook)(void);

/* Memory set aside for a thread whose work can be stopped: where the system has none left, it is
 * given back to it, and what the thread allocates until it has stopped comes from there. It is
 * address space only, twice as large as the largest block that the thread has taken: what works on
 * a collected input asks for blocks of that size before it can be stopped. */
struct alloc_reserve {
    /* Called when memory has run out, also for the reserve: has the work stop soon. Must not
     * allocate. */
    void (*low)(void *self);
    void *self;
    void *memory; /* NULL where there was none to set aside, and once it is given back */
    size_t size;
    bool given_back;
};

/* Sets aside the least that there must be, and no more; nothing happens where the system has no
 * memory for it. */
void alloc_reserve_fill(struct alloc_reserve *r);
void alloc_reserve_release(struct alloc_reserve *r);

/* The reserve of the calling thread from now on, NULL for none; returns the one of before. */
struct alloc_reserve *alloc_reserve_use(struct alloc_reserve *r);

/* Whether the thread's reserve was given back: nothing that needs much memory should begin now. */
bool alloc_is_low(void);

/* For blocks of such work that may be large without one of nearly that size before: as alloc_bytes
 * and alloc_array, but NULL where the thread has a reserve, there is no memory for the block, and
 * `low` has been called. */
void *alloc_try_bytes(size_t size);
void *alloc_try_array(size_t count, size_t size);

#endif
