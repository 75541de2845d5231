#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RESERVE_SIZE = 64 << 20 };

void (*alloc_failed_hook)(void);

static _Thread_local struct alloc_reserve *reserve; /* of this thread */

static _Noreturn void out_of_memory(void)
{
    static const char message[] = "tptui: out of memory\n";
    if (alloc_failed_hook)
        alloc_failed_hook();
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    abort();
}

void alloc_reserve_fill(struct alloc_reserve *r)
{
    if (r->memory)
        return;
    r->memory =
        mmap(NULL, RESERVE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (r->memory == MAP_FAILED)
        r->memory = NULL;
}

void alloc_reserve_release(struct alloc_reserve *r)
{
    if (r->memory)
        munmap(r->memory, RESERVE_SIZE);
    r->memory = NULL;
}

struct alloc_reserve *alloc_reserve_use(struct alloc_reserve *r)
{
    struct alloc_reserve *before = reserve;
    reserve = r;
    return before;
}

/* What this thread does shall stop; whether it makes sense to try again. */
static bool give_reserve_back(void)
{
    if (!reserve)
        return false;
    bool had = reserve->memory != NULL;
    alloc_reserve_release(reserve);
    reserve->low(reserve->self);
    return had;
}

static void *try_bytes(size_t size)
{
    void *p = malloc(size ? size : 1);
    return p || !give_reserve_back() ? p : malloc(size ? size : 1);
}

static void *try_array(size_t count, size_t size)
{
    count = count ? count : 1;
    size = size ? size : 1;
    void *p = calloc(count, size);
    return p || !give_reserve_back() ? p : calloc(count, size);
}

static void *required(void *p)
{
    if (!p)
        out_of_memory();
    return p;
}

void *alloc_bytes(size_t size)
{
    return required(try_bytes(size));
}

void *alloc_array(size_t count, size_t size)
{
    return required(try_array(count, size));
}

void *alloc_try_bytes(size_t size)
{
    void *p = try_bytes(size);
    return reserve ? p : required(p);
}

void *alloc_try_array(size_t count, size_t size)
{
    void *p = try_array(count, size);
    return reserve ? p : required(p);
}

/* NULL where the size overflows or there is no memory for it. */
static void *try_realloc(void *old, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    return realloc(old, total ? total : 1);
}

void *realloc_array(void *old, size_t count, size_t size)
{
    void *p = try_realloc(old, count, size);
    if (!p && give_reserve_back())
        p = try_realloc(old, count, size);
    return required(p);
}

void *realloc_at_least(void *old, size_t *count, size_t least, size_t size)
{
    void *p = try_realloc(old, *count, size);
    if (!p && give_reserve_back())
        p = try_realloc(old, *count, size);
    if (!p) {
        *count = least + (*count - least) / 16;
        p = try_realloc(old, *count, size);
    }
    if (p)
        return p;
    *count = least;
    return required(try_realloc(old, least, size));
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
