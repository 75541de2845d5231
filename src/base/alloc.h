/* Memory that is there or the program ends: the one place where running out of it is handled. */
#ifndef TPTUI_BASE_ALLOC_H
#define TPTUI_BASE_ALLOC_H

#include <stddef.h>

/* All of these return memory for free(). They never return NULL: where the size overflows or the
 * system has no memory, they write one line to stderr and abort. */
void *alloc_bytes(size_t size);
void *alloc_array(size_t count, size_t size); /* zeroed */
void *realloc_array(void *p, size_t count, size_t size);
char *alloc_copy(const void *p, size_t n); /* n bytes and a NUL after them */

/* Called before the program ends for want of memory; the terminal sets it to restore itself. */
extern void (*alloc_failed_hook)(void);

#endif
