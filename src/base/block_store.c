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

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/* Smaller arrays stay in memory: there are many, and they would be small maps. */
enum { LEAST_KNOWN = 1 << 20, LEAST_PAGE = 4096 };
/* An array's part of the file has room for so many times its size, so that it is seldom moved: what
 * is not used is a hole. Parts begin at multiples of ALIGNMENT. */
enum { ROOM = 64, ALIGNMENT = 1 << 21 };
/* In how many bytes at a time arrays grow there: a share of the limit, as of each array so many
 * steps are in memory. What grows by more steps at once is mapped. */
enum { STEP_SHARE = 512, STEP_LEAST = 1 << 18, STEP_MOST = 1 << 20 };
enum { STEPS_KEPT = 2, STEPS_AT_ONCE = 4 };
/* Of what is free on disk, all but one part of so many. */
enum { SPACE_SHARE = 10 };
/* With so much memory pages of the file are made many at a time, which takes a third less of the
 * kernel's time; with less, what is not being used would fill it. */
enum { HUGE_FROM = 128 << 20 };

/* A large array. In the file, what is written last, or had no room on disk, follows in memory. */
struct block {
    uint8_t *p;
    size_t size; /* in the file in whole pages */
    bool in_file;
    size_t backed; /* of `size`, by the file */
    size_t tail;   /* behind that, in memory: whole steps */
    size_t span;   /* of addresses, from p */
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
    atomic_size_t step; /* that arrays grow by there */
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

size_t block_store_step(void)
{
    return atomic_load(&store.in_file) > 0 ? atomic_load(&store.step) : SIZE_MAX;
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
    if (b.in_file && b.offset + b.room > store.end)
        store.end = b.offset + b.room;
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

static size_t choose_step(void)
{
    uint64_t step = atomic_load(&store.limit) / STEP_SHARE;
    step = step < STEP_LEAST ? STEP_LEAST : step > STEP_MOST ? STEP_MOST : step;
    return (size_t)step / page_size() * page_size();
}

static bool open_file(void)
{
    if (store.fd < 0 && !atomic_load(&store.full)) {
        struct statvfs fs;
        store.fd = unnamed_file_open_on_disk(store.folder, &store.place);
        store.step = choose_step();
        if (store.fd < 0)
            atomic_store(&store.full, errno);
        else if (fstatvfs(store.fd, &fs) == 0)
            store.room = (uint64_t)fs.f_bavail * fs.f_frsize / SPACE_SHARE * (SPACE_SHARE - 1);
    }
    return store.fd >= 0;
}

static size_t in_pages(size_t bytes)
{
    size_t page = page_size(), sum;
    if (__builtin_add_overflow(bytes ? bytes : 1, page - 1, &sum))
        alloc_fail();
    return sum / page * page;
}

/* Where in it an array of `size` bytes, which may become `times` as many, has room; false where it
 * has none. Nothing is taken. */
static bool find_part(struct block *b, size_t size, unsigned times)
{
    uint64_t room, end;
    if (__builtin_mul_overflow((uint64_t)size, (uint64_t)times, &room) ||
        __builtin_add_overflow(room, (uint64_t)ALIGNMENT - 1, &room) ||
        __builtin_add_overflow(store.end, room - room % ALIGNMENT, &end) || end > INT64_MAX) {
        atomic_store(&store.full, EFBIG);
        return false;
    }
    *b = (struct block){.in_file = true, .offset = store.end, .room = end - store.end};
    return true;
}

/* Whether the part's next `n` bytes are mapped at `at`, in place of what is there; NULL: anywhere.
 * They have to be on disk. */
static uint8_t *map_part(const struct block *b, void *at, size_t n)
{
    void *p = mmap(at, n, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), store.fd,
                   (off_t)(b->offset + b->backed));
    return p == MAP_FAILED ? NULL : p;
}

/* As find_part, on disk and mapped as a whole: new, and zero. */
static bool take_part(struct block *b, size_t size)
{
    if (!find_part(b, size, 1) || !back(b->offset, size))
        return false;
    b->p = map_part(b, NULL, size);
    if (!b->p) {
        give_back(b->offset, size);
        return false;
    }
    if (atomic_load(&store.limit) >= HUGE_FROM) {
        madvise(b->p, size, MADV_HUGEPAGE);
        madvise(b->p, size, MADV_RANDOM); /* or as much again would be read behind it */
    }
    b->size = b->backed = b->span = size;
    return true;
}

/* --- How an array grows there:
 *
 *     p                p + backed                        p + span
 *     | in the file, mapped | memory, so many steps | nothing yet |
 *
 * What is written last is in memory, and goes to the file by pwrite a step at a time, whose memory
 * then is that of the next step. Writing to new pages of a mapped file takes more of the kernel's
 * time (5.0 s instead of 3.1 of a load of 1 GB in 512 MB): it clears them first, and looks for each
 * of them at all that were made together. */

static uint8_t *reserve_span(size_t span)
{
    size_t all;
    if (__builtin_add_overflow(span, (size_t)ALIGNMENT, &all))
        return NULL;
    uint8_t *p = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t before = (ALIGNMENT - (uintptr_t)p % ALIGNMENT) % ALIGNMENT;
    if (before > 0)
        munmap(p, before);
    munmap(p + before + span, all - before - span);
    return p + before;
}

/* So that `size` bytes and a step, which the memory of one that is written moves to, have
 * addresses; false where there are none. */
static bool make_span(struct block *b, size_t size)
{
    size_t span, step = store.step;
    struct block none = {.offset = b->offset};
    if (__builtin_add_overflow(size, 2 * step, &span))
        return false;
    if (b->p && span <= b->span)
        return true;
    if (__builtin_mul_overflow(span, (size_t)2, &span))
        return false;
    uint8_t *to = reserve_span(span);
    if (!to)
        return false;
    if (b->backed > 0 && !map_part(&none, to, b->backed)) {
        munmap(to, span);
        return false;
    }
    for (size_t at = b->backed; at < b->backed + b->tail; at += step)
        if (mremap(b->p + at, step, step, MREMAP_MAYMOVE | MREMAP_FIXED, to + at) == MAP_FAILED)
            alloc_fail();
    if (b->backed > 0)
        munmap(b->p, b->backed);
    if (b->span > b->backed + b->tail)
        munmap(b->p + b->backed + b->tail, b->span - b->backed - b->tail);
    b->p = to;
    b->span = span;
    return true;
}

static bool write_at(const uint8_t *from, size_t n, uint64_t offset)
{
    for (size_t done = 0; done < n;) {
        ssize_t now = pwrite(store.fd, from + done, n - done, (off_t)(offset + done));
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0) {
            atomic_store(&store.full, now < 0 ? errno : ENOSPC);
            return false;
        }
        done += (size_t)now;
    }
    return true;
}

/* To a part with room for more; false where there is none. */
static bool move_part(struct block *b)
{
    struct block to;
    if (!find_part(&to, b->size, ROOM) || !back(to.offset, b->backed))
        return false;
    if (!write_at(b->p, b->backed, to.offset) || !map_part(&to, b->p, b->backed)) {
        give_back(to.offset, b->backed);
        return false;
    }
    give_back(b->offset, b->backed);
    b->offset = to.offset;
    b->room = to.room;
    store.end = to.offset + to.room;
    return true;
}

/* Whether the first `n` bytes of what is in memory are in the file, too. */
static bool write_tail(struct block *b, size_t n)
{
    if ((n > b->room - b->backed && !move_part(b)) || !back(b->offset + b->backed, n))
        return false;
    if (write_at(b->p + b->backed, n, b->offset + b->backed))
        return true;
    give_back(b->offset + b->backed, n);
    return false;
}

static bool new_memory(uint8_t *at, size_t n)
{
    return mmap(at, n, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* The pages move, and where they were stays taken until it is mapped. */
static bool move_memory(uint8_t *from, uint8_t *to, size_t n)
{
    const int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
    return mremap(from, n, n, flags, to) != MAP_FAILED;
}

/* A step goes to the file, and its memory behind the others; false where it stays. */
static bool write_step(struct block *b)
{
    uint8_t *from = b->p + b->backed, *to = from + b->tail;
    if (!write_tail(b, store.step))
        return false;
    bool moved = move_memory(from, to, store.step);
    if ((!moved && !new_memory(to, store.step)) || !map_part(b, from, store.step)) {
        if (moved && !move_memory(to, from, store.step))
            alloc_fail();
        give_back(b->offset + b->backed, store.step);
        return false;
    }
    b->backed += store.step;
    return true;
}

/* So that the array's first `size` bytes, whole pages, are in the file: what of them is in memory
 * is written, the rest is new; false where not all is. What is behind them is to be unmapped. */
static bool put_in_file(struct block *b, size_t size)
{
    size_t kept = (b->size < size ? b->size : size) - b->backed, n = size - b->backed;
    if (n > b->room - b->backed && !move_part(b))
        return false;
    if (n > b->room - b->backed || !back(b->offset + b->backed, n))
        return false;
    if (!write_at(b->p + b->backed, kept, b->offset + b->backed) ||
        !map_part(b, b->p + b->backed, n)) {
        give_back(b->offset + b->backed, n);
        return false;
    }
    b->tail = 0;
    b->size = b->backed = size;
    return true;
}

/* Of what grows by many steps at once nobody knows how much of it is written, and when: that is all
 * in the file. False where there are no addresses. */
static bool extend(struct block *b, size_t size)
{
    size_t kept = STEPS_KEPT * store.step; /* more: the file had no room for it, it stays */
    if (!make_span(b, size))
        return false;
    if (b->tail <= kept && size - b->size > STEPS_AT_ONCE * store.step && put_in_file(b, size))
        return true;
    while (size > b->backed + b->tail) {
        if (b->tail == kept && write_step(b))
            continue;
        if (!new_memory(b->p + b->backed + b->tail, store.step))
            return false;
        b->tail += store.step;
    }
    b->size = size;
    return true;
}

/* What does not grow any more leaves nothing in memory. */
static void cut(struct block *b, size_t size)
{
    if (size > b->backed && !put_in_file(b, size)) {
        b->size = size;
        return;
    }
    if (size < b->backed)
        give_back(b->offset + size, b->backed - size);
    munmap(b->p + size, b->span - size);
    b->tail = 0;
    b->size = b->backed = b->span = size;
}

static void leave_part(const struct block *b)
{
    munmap(b->p, b->span);
    give_back(b->offset, b->backed);
}

/* An array of `size` bytes that grows in the file and begins with `n` bytes at `from`; false where
 * there is no room. */
static bool begin_part(struct block *b, const void *from, size_t n, size_t size)
{
    size_t written = n / store.step * store.step;
    if (!find_part(b, size, ROOM) || !make_span(b, size))
        return false;
    if (written > 0 && (!back(b->offset, written) || !write_at(from, written, b->offset) ||
                        !map_part(b, b->p, written))) {
        leave_part(b);
        give_back(b->offset, written);
        return false;
    }
    b->size = b->backed = written;
    if (!extend(b, size)) {
        leave_part(b);
        return false;
    }
    if (n > written)
        memcpy(b->p + written, (const uint8_t *)from + written, n - written);
    return true;
}

/* `b` is in the list, which another thread may be reading. NULL as block_resize. */
static void *resize_in_file(struct block *b, size_t bytes)
{
    size_t size = in_pages(bytes);
    struct block now = *b;
    bool has_room = size <= now.size || extend(&now, size);
    if (size < now.size)
        cut(&now, size);
    atomic_fetch_add(&store.in_file, now.size - b->size);
    pthread_mutex_lock(&store.list);
    *b = now; /* it may have moved, too, where there was no room in the end */
    pthread_mutex_unlock(&store.list);
    return has_room ? now.p : NULL;
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
static void *move_to_file(struct block *b, void *p, size_t old, size_t bytes)
{
    struct block to;
    if (!is_over(b, bytes) || !open_file() ||
        !begin_part(&to, p, old < bytes ? old : bytes, in_pages(bytes)))
        return NULL;
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
        to = move_to_file(b, p, b ? b->size : malloc_usable_size(p), bytes);
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
    struct block b = {.size = bytes};
    if (!is_over(NULL, bytes) || !open_file() || !take_part(&b, in_pages(bytes)))
        b = (struct block){.p = zeroed ? calloc(1, bytes) : malloc(bytes), .size = bytes};
    if (b.p)
        know(b);
    pthread_mutex_unlock(&store.lock);
    return b.p;
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
    if (is_over(NULL, n) && open_file() && find_part(&b, n, 1)) {
        b.p = p;
        b.size = n;
        b.in_file = put_in_file(&b, n);
    }
    if (b.in_file || n >= LEAST_KNOWN)
        know(b);
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
