#include "tui/app/kept_timeline.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tui/index/stored_timeline.h"

struct timeline_keeper {
    const struct timeline *tl;
    const struct cache_outcome *to;
    atomic_bool cancel;
    pthread_t thread;
};

bool kept_timeline_open(struct timeline *tl, const struct trace *trace,
                        const struct cache_outcome *from)
{
    int fd = from->hit ? cache_open_beside(from) : -1;
    if (fd < 0)
        return false;
    bool opened = stored_timeline_open(tl, trace, fd, from->content);
    close(fd);
    return opened;
}

static struct status write_timeline(void *self, int fd)
{
    const struct timeline_keeper *k = self;
    return stored_timeline_write(k->tl, fd, k->to->content, &k->cancel);
}

/* What cannot be kept is made again the next time: nobody needs to know. */
static void *run_keeper(void *self)
{
    struct timeline_keeper *k = self;
    struct status s = cache_write_beside(k->to, stored_timeline_size(k->tl), write_timeline, k);
    status_release(&s);
    return NULL;
}

struct timeline_keeper *timeline_keeper_start(const struct timeline *tl,
                                              const struct cache_outcome *to)
{
    if (!to->beside || tl->stored)
        return NULL;
    struct timeline_keeper *k = alloc_array(1, sizeof *k);
    k->tl = tl;
    k->to = to;
    if (pthread_create(&k->thread, NULL, run_keeper, k) == 0)
        return k;
    free(k);
    return NULL;
}

void timeline_keeper_end(struct timeline_keeper *k, bool wait)
{
    if (!k)
        return;
    atomic_store(&k->cancel, !wait);
    pthread_join(k->thread, NULL);
    free(k);
}
