#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/block_store.h"

/* The reserve that a statement begins with, what it makes do with where there is not so much, and
 * how many times the largest block it is. */
enum { RESERVE_SIZE = 64 << 20, RESERVE_LEAST = 1 << 20, RESERVE_BLOCKS = 2 };

void (*alloc_failed_hook)(void);

static _Thread_local struct alloc_reserve *reserve; /* of this thread */

static _Thread_local const char *last_line; /* of this thread; see alloc_end_with */

static _Noreturn void end_with(const char *message)
{
    enum { STATUS = 3 };
    if (alloc_failed_hook)
        alloc_failed_hook();
    ssize_t written = write(STDERR_FILENO, message, strlen(message));
    (void)written;
    if (last_line)
        _exit(STATUS);
    abort();
}

_Noreturn void alloc_fail(void)
{
    end_with(last_line ? last_line : "tptui: out of memory\n");
}

_Noreturn void alloc_fail_thread(void)
{
    end_with("tptui: no thread can be started: the limit of memory or processes is reached\n");
}

void alloc_end_with(const char *line)
{
    last_line = line;
}

static bool reserve_resize(struct alloc_reserve *r, size_t size)
{
    void *p = r->memory ? mremap(r->memory, r->size, size, MREMAP_MAYMOVE)
                        : mmap(NULL, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    r->memory = p;
    r->size = size;
    return true;
}

void alloc_reserve_fill(struct alloc_reserve *r)
{
    r->given_back = false;
    if (r->memory && r->size == RESERVE_SIZE)
        return;
    for (size_t size = RESERVE_SIZE; size >= RESERVE_LEAST && !reserve_resize(r, size);)
        size /= 2;
}

void alloc_reserve_release(struct alloc_reserve *r)
{
    if (r->memory)
        munmap(r->memory, r->size);
    r->memory = NULL;
}

struct alloc_reserve *alloc_reserve_use(struct alloc_reserve *r)
{
    struct alloc_reserve *before = reserve;
    reserve = r;
    return before;
}

bool alloc_is_low(void)
{
    return reserve && reserve->given_back;
}

/* What this thread does shall stop; whether it makes sense to try again. */
static bool give_reserve_back(void)
{
    if (!reserve)
        return false;
    bool had = reserve->memory != NULL;
    alloc_reserve_release(reserve);
    reserve->given_back = true;
    reserve->low(reserve->self);
    return had;
}

/* A block of that size has been taken: the reserve follows. */
static void follow_block(size_t size)
{
    if (!reserve || !reserve->memory || size <= reserve->size / RESERVE_BLOCKS)
        return;
    size_t wanted;
    if (__builtin_mul_overflow(size, (size_t)RESERVE_BLOCKS, &wanted) ||
        !reserve_resize(reserve, wanted))
        give_reserve_back();
}

static void *try_bytes(size_t size)
{
    void *p = block_new(size ? size : 1, false);
    if (!p && give_reserve_back())
        p = block_new(size ? size : 1, false);
    if (p)
        follow_block(size);
    return p;
}

static void *try_array(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count ? count : 1, size ? size : 1, &total))
        return NULL;
    void *p = block_new(total, true);
    if (!p && give_reserve_back())
        p = block_new(total, true);
    if (p)
        follow_block(total);
    return p;
}

static void *required(void *p)
{
    if (!p)
        alloc_fail();
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
    void *p = block_resize(old, total ? total : 1);
    if (p)
        follow_block(total);
    return p;
}

void *realloc_array(void *old, size_t count, size_t size)
{
    void *p = try_realloc(old, count, size);
    if (!p && give_reserve_back())
        p = try_realloc(old, count, size);
    return required(p);
}

/* What does not fit into memory grows by little. */
static size_t few_more(size_t count, size_t least, size_t size)
{
    enum { LARGE = 1 << 20 };
    size_t step = block_store_step();
    bool is_large = step != SIZE_MAX && least > LARGE / size;
    return is_large && count - least > step / size ? least + step / size : count;
}

void *realloc_at_least(void *old, size_t *count, size_t least, size_t size)
{
    *count = few_more(*count, least, size);
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
        alloc_fail();
    char *copy = alloc_bytes(size);
    if (n)
        memcpy(copy, p, n);
    copy[n] = '\0';
    return copy;
}
