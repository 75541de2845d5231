#include "parsers/perfetto/chrome/chrome_processes.h"

#include "base/bisect.h"
#include "parsers/perfetto/packets/import.h"

/* Times of one process, NULL_I64 where there is none yet. */
struct chrome_process {
    uint32_t upid;
    int64_t first_descriptor, first_active;
};

struct chrome_processes {
    struct map by_upid;
    VEC(struct chrome_process) list;
    VEC(int64_t) active_times; /* of events that list the running processes, in order */
};

static void chrome_processes_release(void *state)
{
    struct chrome_processes *c = state;
    map_release(&c->by_upid);
    vec_release(&c->list);
    vec_release(&c->active_times);
}

static int64_t next_active_time(const struct chrome_processes *c, int64_t after)
{
    size_t next = BISECT(i, 0, c->active_times.count, c->active_times.items[i] <= after);
    return next < c->active_times.count ? c->active_times.items[next] : INT64_MAX;
}

/* A process has until the next list to describe itself. */
static void chrome_processes_finish(struct import *im, void *state)
{
    const struct chrome_processes *c = state;
    for (size_t i = 0; i < c->list.count; i++) {
        const struct chrome_process *p = &c->list.items[i];
        if (p->first_active == NULL_I64)
            continue;
        bool never = p->first_descriptor == NULL_I64;
        if (!never && p->first_descriptor <= next_active_time(c, p->first_active))
            continue;
        struct experimental_missing_chrome_processes_row row = {.upid = p->upid,
                                                                .reliable_from =
                                                                    p->first_descriptor};
        experimental_missing_chrome_processes_append(
            &im->trace->tables.experimental_missing_chrome_processes, &row);
    }
}

static const struct import_state_kind chrome_processes_kind = {
    .size = sizeof(struct chrome_processes),
    .finish = chrome_processes_finish,
    .release = chrome_processes_release,
};

static struct chrome_process *find(struct import *im, uint32_t upid)
{
    struct chrome_processes *c = import_state(im, &chrome_processes_kind);
    bool inserted;
    uint32_t *at = map_insert(&c->by_upid, upid, &inserted);
    if (inserted) {
        *at = (uint32_t)c->list.count;
        *vec_push(&c->list) = (struct chrome_process){upid, NULL_I64, NULL_I64};
    }
    return &c->list.items[*at];
}

void chrome_process_described(struct import *im, int64_t ts, uint32_t upid)
{
    struct chrome_process *p = find(im, upid);
    if (p->first_descriptor == NULL_I64)
        p->first_descriptor = ts;
}

void chrome_process_active(struct import *im, uint32_t machine, int64_t ts, int64_t pid)
{
    struct chrome_processes *c = import_state(im, &chrome_processes_kind);
    struct chrome_process *p = find(im, process_tracker_process(im->trace, machine, pid));
    if (p->first_active == NULL_I64)
        p->first_active = ts;
    if (c->active_times.count == 0 || vec_last(&c->active_times) != ts)
        *vec_push(&c->active_times) = ts;
}
