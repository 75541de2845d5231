#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void (*alloc_failed_hook)(void);

static _Noreturn void out_of_memory(void)
{
    static const char message[] = "tptui: out of memory\n";
    if (alloc_failed_hook)
        alloc_failed_hook();
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    abort();
}

void *alloc_bytes(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *alloc_array(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *realloc_array(void *old, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        out_of_memory();
    void *p = realloc(old, total ? total : 1);
    if (!p)
        out_of_memory();
    return p;
}

char *alloc_copy(const void *p, size_t n)
{
    size_t size;
    if (__builtin_add_overflow(n, (size_t)1, &size))
        out_of_memory();
    char *copy = alloc_bytes(size);
    if (n)
        memcpy(copy, p, n);
    copy[n] = '\0';
    return copy;
}
