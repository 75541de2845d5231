#include "base/page_ahead.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

enum { ASKED_MAX = 64 }; /* what is asked for beyond is left to who writes there */

struct asked_pages {
    uintptr_t from, to;
};

struct page_ahead {
    pthread_t thread;
    bool is_possible, has_thread;
    struct page_ahead *before; /* of the thread that asks */
    uintptr_t page;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    struct asked_pages asked[ASKED_MAX]; /* a ring */
    size_t first, count;
    bool stop;
};

static _Thread_local struct page_ahead *current; /* of this thread */

static bool has_second_processor(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

static bool next_asked(struct page_ahead *p, struct asked_pages *out)
{
    pthread_mutex_lock(&p->lock);
    while (p->count == 0 && !p->stop)
        pthread_cond_wait(&p->changed, &p->lock);
    bool found = !p->stop;
    if (found) {
        *out = p->asked[p->first];
        p->first = (p->first + 1) % ASKED_MAX;
        p->count--;
    }
    pthread_mutex_unlock(&p->lock);
    return found;
}

/* What was freed meanwhile, or cannot be written, is refused by the system; what lies there now may
 * get pages a little too early. A system that does not know how refuses everything. */
static void *run(void *self)
{
    struct page_ahead *p = self;
    struct asked_pages pages;
    while (next_asked(p, &pages)) {
#ifdef MADV_POPULATE_WRITE
        madvise((void *)pages.from, pages.to - pages.from, MADV_POPULATE_WRITE);
#endif
    }
    return NULL;
}

/* Signals are for the thread that asks. */
static void start_thread(struct page_ahead *p)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    p->has_thread = pthread_create(&p->thread, NULL, run, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    p->is_possible = p->has_thread;
}

struct page_ahead *page_ahead_begin(void)
{
    struct page_ahead *p = alloc_array(1, sizeof *p);
    p->is_possible = has_second_processor();
    p->page = (uintptr_t)sysconf(_SC_PAGESIZE);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->before = current;
    current = p;
    return p;
}

void page_ahead_end(struct page_ahead *p)
{
    current = p->before;
    if (p->has_thread) {
        pthread_mutex_lock(&p->lock);
        p->stop = true;
        pthread_cond_signal(&p->changed);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->thread, NULL);
    }
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

bool page_ahead_is_on(void)
{
    return current && current->is_possible;
}

void page_ahead_ask(const void *start, size_t n)
{
    struct page_ahead *p = current;
    if (!page_ahead_is_on() || n == 0)
        return;
    if (!p->has_thread)
        start_thread(p);
    uintptr_t from = (uintptr_t)start, to = from + (n < PAGE_AHEAD_BYTES ? n : PAGE_AHEAD_BYTES);
    pthread_mutex_lock(&p->lock);
    if (p->count < ASKED_MAX)
        p->asked[(p->first + p->count++) % ASKED_MAX] =
            (struct asked_pages){from / p->page * p->page, (to + p->page - 1) / p->page * p->page};
    if (p->count == 1)
        pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}
