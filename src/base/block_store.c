#include "base/block_store.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/memory_left.h"
#include "base/unnamed_file.h"

#undef free /* the C library's */

/* Smaller arrays stay in memory: there are many, and they would be small maps. */
enum { LEAST_KNOWN = 1 << 20, LEAST_PAGE = 4096 };
/* An array's part of the file has room for so many times its size, so that it is seldom moved: what
 * is not used is a hole. Parts begin at multiples of ALIGNMENT. */
enum { ROOM = 64, ALIGNMENT = 1 << 21 };
/* Of what is free on disk, all but one part of so many. */
enum { SPACE_SHARE = 10 };
/* With so much memory pages of the file are made many at a time, which takes a third less of the
 * kernel's time; with less, what is not being used would fill it. */
enum { HUGE_FROM = 128 << 20 };

/* A large array. In the file, what there was no room for on disk follows in memory. */
struct block {
    uint8_t *p;
    size_t size; /* in the file in whole pages */
    bool in_file;
    size_t backed; /* of `size`, by the file */
    uint64_t offset, room;
};

static struct {
    pthread_mutex_t
        lock; /* around what follows, up to the atomics; long, while arrays are copied */
    pthread_mutex_t
        list; /* besides, while the list of blocks changes, or is read without the former */
    struct {
        struct block *items;
        size_t count, cap;
    } blocks;
    char *folder, *place;
    int fd;
    uint64_t end;       /* of the parts in the file */
    uint64_t room;      /* what all parts may take on disk: others need some of it */
    bool has_leftovers; /* holes cannot be made there: what was used once is not zero */
    _Atomic uint64_t limit, in_memory, in_file;
    atomic_bool has_limit, is_fixed;
    atomic_int full;
    atomic_size_t count; /* of blocks */
} store = {.lock = PTHREAD_MUTEX_INITIALIZER, .list = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

void block_store_place(const char *folder)
{
    pthread_mutex_lock(&store.lock);
    free(store.folder);
    store.folder = folder ? alloc_copy(folder, strlen(folder)) : NULL;
    pthread_mutex_unlock(&store.lock);
}

void block_store_limit(uint64_t bytes)
{
    atomic_store(&store.has_limit, true);
    if (!atomic_load(&store.is_fixed))
        atomic_store(&store.limit, bytes);
}

void block_store_fix_limit(uint64_t bytes)
{
    atomic_store(&store.is_fixed, true);
    atomic_store(&store.has_limit, true);
    atomic_store(&store.limit, bytes);
}

static void set_usual_limit(void)
{
    struct memory_meter meter;
    memory_meter_init(&meter, "");
    uint64_t left = memory_meter_read(&meter).left, data = memory_data_left();
    block_store_limit((data < left ? data : left) / 2);
}

struct block_store_use block_store_use(void)
{
    struct block_store_use use = {.in_memory = atomic_load(&store.in_memory),
                                  .in_file = atomic_load(&store.in_file),
                                  .is_fixed = atomic_load(&store.is_fixed),
                                  .full = atomic_load(&store.full)};
    pthread_mutex_lock(&store.lock);
    if (store.place)
        snprintf(use.place, sizeof use.place, "%s", store.place);
    pthread_mutex_unlock(&store.lock);
    return use;
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static struct block *find(const void *p)
{
    for (size_t i = 0; p && i < store.blocks.count; i++)
        if (store.blocks.items[i].p == p)
            return &store.blocks.items[i];
    return NULL;
}

static _Atomic uint64_t *sum_of(const struct block *b)
{
    return b->in_file ? &store.in_file : &store.in_memory;
}

/* The list itself is the C library's: it must not come back here. */
static void know(struct block b)
{
    pthread_mutex_lock(&store.list);
    if (store.blocks.count == store.blocks.cap) {
        store.blocks.cap = store.blocks.cap * 2 + 64;
        store.blocks.items = reallocarray(store.blocks.items, store.blocks.cap, sizeof b);
        if (!store.blocks.items)
            alloc_fail();
    }
    store.blocks.items[store.blocks.count++] = b;
    atomic_store(&store.count, store.blocks.count);
    pthread_mutex_unlock(&store.list);
    atomic_fetch_add(sum_of(&b), b.size);
}

/* Of one in the file its part was given back: what is behind the last one that is left can be used
 * again. */
static void forget(struct block *b)
{
    bool in_file = b->in_file;
    atomic_fetch_sub(sum_of(b), b->size);
    pthread_mutex_lock(&store.list);
    *b = store.blocks.items[--store.blocks.count];
    atomic_store(&store.count, store.blocks.count);
    pthread_mutex_unlock(&store.list);
    if (!in_file || store.has_leftovers)
        return;
    store.end = 0;
    for (size_t i = 0; i < store.blocks.count; i++) {
        const struct block *other = &store.blocks.items[i];
        if (other->in_file && other->offset + other->room > store.end)
            store.end = other->offset + other->room;
    }
}

/* --- The file. */

static void give_back(uint64_t offset, size_t n)
{
    const int hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    if (n > 0 && fallocate(store.fd, hole, (off_t)offset, (off_t)n) != 0)
        store.has_leftovers = true;
}

/* Whether it has these bytes on disk now. */
static bool back(uint64_t offset, size_t n)
{
    struct rlimit most;
    int error = 0;
    uint64_t used = atomic_load(&store.in_file);
    if (used > store.room || n > store.room - used)
        error = ENOSPC;
    else if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
             (most.rlim_cur < offset || most.rlim_cur - offset < n))
        error = EFBIG; /* or there would be a signal */
    else
        while ((error = posix_fallocate(store.fd, (off_t)offset, (off_t)n)) == EINTR)
            ;
    if (error == ENOSPC)
        give_back(offset, n); /* some of it may be there */
    if (error)
        atomic_store(&store.full, error);
    return !error;
}

static bool open_file(void)
{
    if (store.fd < 0 && !atomic_load(&store.full)) {
        struct statvfs fs;
        store.fd = unnamed_file_open_on_disk(store.folder, &store.place);
        if (store.fd < 0)
            atomic_store(&store.full, errno);
        else if (fstatvfs(store.fd, &fs) == 0)
            store.room = (uint64_t)fs.f_bavail * fs.f_frsize / SPACE_SHARE * (SPACE_SHARE - 1);
    }
    return store.fd >= 0;
}

/* A part of it for `size` bytes that may become `times` as many, mapped at `at`, or anywhere; false
 * where there is no room. */
static bool take_part(struct block *b, void *at, size_t size, unsigned times)
{
    uint64_t room, end;
    if (__builtin_mul_overflow((uint64_t)size, (uint64_t)times, &room) ||
        __builtin_add_overflow(room, (uint64_t)ALIGNMENT - 1, &room) ||
        __builtin_add_overflow(store.end, room - room % ALIGNMENT, &end) || end > INT64_MAX) {
        atomic_store(&store.full, EFBIG);
        return false;
    }
    if (!back(store.end, size))
        return false;
    void *p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), store.fd,
                   (off_t)store.end);
    if (p == MAP_FAILED) {
        give_back(store.end, size);
        return false;
    }
    if (atomic_load(&store.limit) >= HUGE_FROM)
        madvise(p, size, MADV_HUGEPAGE);
    *b = (struct block){.p = p,
                        .size = size,
                        .in_file = true,
                        .backed = size,
                        .offset = store.end,
                        .room = end - store.end};
    store.end = end;
    return true;
}

static size_t in_pages(size_t bytes)
{
    size_t page = page_size(), sum;
    if (__builtin_add_overflow(bytes ? bytes : 1, page - 1, &sum))
        alloc_fail();
    return sum / page * page;
}

static void leave_part(const struct block *b)
{
    munmap(b->p, b->size);
    give_back(b->offset, b->backed);
}

/* What is larger than its part moves to a larger one; false where there is none. */
static bool move_part(struct block *b, size_t size)
{
    struct block to;
    if (!take_part(&to, NULL, size, ROOM))
        return false;
    memcpy(to.p, b->p, b->size);
    leave_part(b);
    *b = to;
    return true;
}

/* The pages that the file has no room for are in memory; false where there is no room for all. */
static bool extend_in_memory(struct block *b, size_t size)
{
    uint8_t *to = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
    size_t tail = b->size - b->backed;
    if (to == MAP_FAILED)
        return false;
    if ((b->backed > 0 && mremap(b->p, b->backed, b->backed, flags, to) == MAP_FAILED) ||
        (tail > 0 && mremap(b->p + b->backed, tail, tail, flags, to + b->backed) == MAP_FAILED))
        alloc_fail();
    b->p = to;
    b->size = size;
    return true;
}

static bool extend(struct block *b, size_t size)
{
    bool whole = b->backed == b->size;
    if (whole && size > b->room && move_part(b, size))
        return true;
    if (!whole || size > b->room || !back(b->offset + b->backed, size - b->backed))
        return extend_in_memory(b, size);
    void *p = mremap(b->p, b->size, size, MREMAP_MAYMOVE);
    if (p == MAP_FAILED) {
        give_back(b->offset + b->backed, size - b->backed);
        return false;
    }
    b->p = p;
    b->size = b->backed = size;
    return true;
}

static void cut(struct block *b, size_t size)
{
    munmap(b->p + size, b->size - size);
    if (size < b->backed) {
        give_back(b->offset + size, b->backed - size);
        b->backed = size;
    }
    b->size = size;
}

/* `b` is in the list, which another thread may be reading. NULL as block_resize. */
static void *resize_in_file(struct block *b, size_t bytes)
{
    size_t size = in_pages(bytes);
    struct block now = *b;
    if (size > now.size && !extend(&now, size))
        return NULL;
    if (size < now.size)
        cut(&now, size);
    atomic_fetch_add(&store.in_file, now.size - b->size);
    pthread_mutex_lock(&store.list);
    *b = now;
    pthread_mutex_unlock(&store.list);
    return now.p;
}

/* --- Which arrays go there. All with the lock held. */

static bool is_over(const struct block *b, size_t bytes)
{
    if (!atomic_load(&store.has_limit))
        set_usual_limit();
    uint64_t others = atomic_load(&store.in_memory) - (b ? b->size : 0);
    uint64_t limit = atomic_load(&store.limit);
    return bytes >= LEAST_KNOWN && (others > limit || bytes > limit - others);
}

/* `b` is what is known of `p`, of whose bytes `old` are kept; NULL, where it stays as it is. */
static void *move_to_file(struct block *b, void *p, size_t old, size_t bytes, unsigned times)
{
    struct block to;
    if (!is_over(b, bytes) || !open_file() || !take_part(&to, NULL, in_pages(bytes), times))
        return NULL;
    if (old)
        memcpy(to.p, p, old < bytes ? old : bytes);
    if (b)
        forget(b);
    free(p);
    know(to);
    return to.p;
}

static void *resize_in_memory(struct block *b, void *p, size_t bytes)
{
    p = realloc(p, bytes);
    if (!p)
        return NULL;
    if (b)
        forget(b);
    if (bytes >= LEAST_KNOWN)
        know((struct block){.p = p, .size = bytes});
    return p;
}

/* Whether `p`, which is the caller's, is in the list. Those in the file begin a page, others are
 * large: most are neither, and cost no lock. What is looked up does not wait for what is copied. */
static bool is_known(void *p)
{
    if (!p || atomic_load_explicit(&store.count, memory_order_relaxed) == 0 ||
        ((uintptr_t)p % LEAST_PAGE != 0 && malloc_usable_size(p) < LEAST_KNOWN))
        return false;
    pthread_mutex_lock(&store.list);
    bool known = find(p) != NULL;
    pthread_mutex_unlock(&store.list);
    return known;
}

void *block_resize(void *p, size_t bytes)
{
    if (bytes < LEAST_KNOWN && !is_known(p))
        return realloc(p, bytes);
    pthread_mutex_lock(&store.lock);
    struct block *b = find(p);
    void *to;
    if (b && b->in_file) {
        to = resize_in_file(b, bytes);
    } else {
        to = move_to_file(b, p, b ? b->size : malloc_usable_size(p), bytes, ROOM);
        if (!to)
            to = resize_in_memory(b, p, bytes);
    }
    pthread_mutex_unlock(&store.lock);
    return to;
}

void *block_new(size_t bytes, bool zeroed)
{
    if (bytes < LEAST_KNOWN)
        return zeroed ? calloc(1, bytes) : malloc(bytes);
    pthread_mutex_lock(&store.lock);
    void *p = move_to_file(NULL, NULL, 0, bytes, 1); /* its parts are new, and zero */
    if (!p) {
        p = zeroed ? calloc(1, bytes) : malloc(bytes);
        if (p)
            know((struct block){.p = p, .size = bytes});
    }
    pthread_mutex_unlock(&store.lock);
    return p;
}

void block_free(void *p)
{
    if (is_known(p)) {
        pthread_mutex_lock(&store.lock);
        struct block *b = find(p);
        bool in_file = b && b->in_file;
        if (in_file)
            leave_part(b);
        if (b)
            forget(b);
        pthread_mutex_unlock(&store.lock);
        if (in_file)
            return;
    }
    free(p);
}

void block_cover(void *p, size_t n)
{
    struct block b = {.p = p, .size = n};
    pthread_mutex_lock(&store.lock);
    if (is_over(NULL, n) && open_file() && take_part(&b, p, n, 1))
        know(b);
    else if (n >= LEAST_KNOWN)
        know((struct block){.p = p, .size = n});
    pthread_mutex_unlock(&store.lock);
}

void block_uncover(void *p, size_t n)
{
    uint8_t *from = p;
    pthread_mutex_lock(&store.lock);
    for (size_t i = store.blocks.count; i-- > 0;) {
        struct block *b = &store.blocks.items[i];
        if (b->p < from || b->p >= from + n)
            continue;
        if (b->in_file)
            give_back(b->offset, b->backed);
        forget(b);
    }
    pthread_mutex_unlock(&store.lock);
}

void block_forget(void *from, size_t n)
{
    if (madvise(from, n, MADV_REMOVE) != 0)
        madvise(from, n, MADV_DONTNEED);
}
