#include "parsers/memory_watch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/block_store.h"

/* A sixty-fourth of the limit is kept free, within these bounds. */
enum { SHARE = 64, LEAST_MB = 32, MOST_MB = 512 };
/* What is stored may take a half of what is left when the load begins. Once only a quarter is left
 * of that, as others take it or what is not stored grows, nothing more is stored in memory. */
enum { STORED_SHARE = 2, LITTLE_SHARE = 4 };
/* How fast a load may take memory, in bytes a millisecond, and how long not to look at most. */
enum { GROWTH = 4 << 20, LONGEST_MS = 250 };

struct memory_watch {
    struct memory_meter meter;
    const char *name;
    struct load_progress *progress;
    uint64_t little; /* that much left is little */
    char *line;      /* for when memory cannot be had; made while it can */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool threaded, end;
    struct memory_left found; /* when it was too little */
};

#define WAYS_OUT "--from TIME --to TIME loads a part of it, `tptui trim` writes one as a trace"

static uint64_t kept_free(struct memory_left l)
{
    uint64_t least = (uint64_t)LEAST_MB << 20, most = (uint64_t)MOST_MB << 20;
    uint64_t share = l.limit / SHARE;
    return share < least ? least : share > most ? most : share;
}

/* Until what is left can have been taken. */
static struct timespec next_look(uint64_t spare)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    uint64_t ms = spare / GROWTH;
    ms = ms < 1 ? 1 : ms > LONGEST_MS ? LONGEST_MS : ms;
    int64_t ns = at.tv_nsec + (int64_t)ms * 1000000;
    at.tv_sec += ns / 1000000000;
    at.tv_nsec = ns % 1000000000;
    return at;
}

/* How much may be taken until the load has to stop; 0: it has to. */
static uint64_t look(struct memory_watch *w)
{
    struct memory_left l = memory_meter_read(&w->meter);
    uint64_t free = kept_free(l);
    if (l.left > free && l.left - free < w->little)
        block_store_limit(0);
    if (l.left > free)
        return l.left - free;
    w->found = l;
    atomic_store(&w->progress->low, true);
    return 0;
}

static void *run(void *self)
{
    struct memory_watch *w = self;
    uint64_t spare;
    pthread_mutex_lock(&w->lock);
    while (!w->end && (spare = look(w)) > 0) {
        struct timespec at = next_look(spare);
        pthread_cond_timedwait(&w->wake, &w->lock, &at);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static char *make_line(const char *name)
{
    size_t n = strlen(name) + sizeof WAYS_OUT + 64;
    char *line = alloc_bytes(n);
    snprintf(line, n, "tptui: %s: it does not fit into memory: " WAYS_OUT "\n", name);
    return line;
}

static void limit_stored(struct memory_watch *w)
{
    struct memory_left l = memory_meter_read(&w->meter);
    uint64_t free = kept_free(l), data = memory_data_left();
    uint64_t left = l.left > free ? l.left - free : 0;
    if (data < left)
        left = data;
    uint64_t stored = block_store_use().in_memory;
    w->little = left / LITTLE_SHARE;
    block_store_limit(stored + left / STORED_SHARE);
}

struct memory_watch *memory_watch_start(const char *name, struct load_progress *progress)
{
    struct memory_watch *w = alloc_array(1, sizeof *w);
    pthread_condattr_t clock;
    w->name = name;
    w->progress = progress;
    w->line = make_line(name);
    atomic_store(&progress->low, false);
    memory_meter_init(&w->meter, progress->memory_root ? progress->memory_root : "");
    limit_stored(w);
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &clock);
    pthread_condattr_destroy(&clock);
    w->threaded = look(w) > 0 && pthread_create(&w->thread, NULL, run, w) == 0;
    alloc_end_with(w->line);
    return w;
}

static void stop(struct memory_watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->end = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    if (w->threaded)
        pthread_join(w->thread, NULL);
}

static struct status does_not_fit(const struct memory_watch *w)
{
    struct block_store_use use = block_store_use();
    char disk[512] = "";
    if (use.full)
        snprintf(disk, sizeof disk, ", nor on disk (%s: %s)",
                 *use.place ? use.place : "no folder for temporary files", strerror(use.full));
    return status_error(
        STATUS_IO,
        "%s: it does not fit into memory (%.0f MB left of the %s's %.0f MB)%s: " WAYS_OUT, w->name,
        (double)w->found.left / 1e6, w->found.of_group ? "control group" : "machine",
        (double)w->found.limit / 1e6, disk);
}

struct status memory_watch_end(struct memory_watch *w, struct status loaded)
{
    stop(w);
    alloc_end_with(NULL);
    if (loaded.code == STATUS_CANCELLED && atomic_load(&w->progress->low) &&
        !atomic_load(&w->progress->cancel)) {
        status_release(&loaded);
        loaded = does_not_fit(w);
    }
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w->line);
    free(w);
    return loaded;
}
