#include "parsers/perfetto/chrome/chrome_processes.h"

#include "base/bisect.h"
#include "text/time.h"
#include "parsers/perfetto/packets/import.h"
#include "core/store/rows.h"

/* A descriptor belongs to a list of processes when they are no farther apart. Chrome describes
 * everything anew every 5 s. */
static const int64_t together_ns = 200000000;

struct times {
    VEC(int64_t) ns; /* in order */
};

struct chrome_process {
    uint32_t upid;
    struct times described, active;
};

struct chrome_processes {
    struct map by_upid;
    VEC(struct chrome_process) list;
    struct times active; /* of events that list the running processes */
};

static void chrome_processes_release(void *state)
{
    struct chrome_processes *c = state;
    for (size_t i = 0; i < c->list.count; i++) {
        vec_release(&c->list.items[i].described.ns);
        vec_release(&c->list.items[i].active.ns);
    }
    map_release(&c->by_upid);
    vec_release(&c->list);
    vec_release(&c->active.ns);
}

static void add_time(struct times *t, int64_t ns)
{
    if (t->ns.count == 0 || vec_last(&t->ns) != ns)
        *vec_push(&t->ns) = ns;
}

/* The first time that is not before `ns`, NULL_I64 where there is none. */
static int64_t time_from(const struct times *t, int64_t ns)
{
    size_t i = BISECT(k, 0, t->ns.count, t->ns.items[k] < ns);
    return i < t->ns.count ? t->ns.items[i] : NULL_I64;
}

/* A list names the process without a descriptor nearby: what it did is not in the trace, until it
 * is described or, if it never is, was gone from the next list on. */
static void finish_process(struct import *im, const struct times *lists,
                           const struct chrome_process *p)
{
    bool missing = false;
    int64_t reliable_from = NULL_I64;
    for (size_t i = 0; i < p->active.ns.count; i++) {
        int64_t ns = p->active.ns.items[i];
        int64_t described = time_from(&p->described, time_minus(ns, together_ns));
        if (described != NULL_I64 && time_minus(described, ns) <= together_ns)
            continue;
        missing = true;
        reliable_from = described != NULL_I64 ? described : time_from(lists, time_plus(ns, 1));
    }
    struct experimental_missing_chrome_processes_row row = {.upid = p->upid,
                                                            .reliable_from = reliable_from};
    if (missing)
        experimental_missing_chrome_processes_append(
            &im->trace->tables.experimental_missing_chrome_processes, &row);
}

static void chrome_processes_finish(struct import *im, void *state)
{
    const struct chrome_processes *c = state;
    for (size_t i = 0; i < c->list.count; i++)
        finish_process(im, &c->active, &c->list.items[i]);
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
        *vec_push(&c->list) = (struct chrome_process){.upid = upid};
    }
    return &c->list.items[*at];
}

void chrome_process_described(struct import *im, int64_t ts, uint32_t upid)
{
    add_time(&find(im, upid)->described, ts);
}

void chrome_process_active(struct import *im, uint32_t machine, int64_t ts, int64_t pid)
{
    struct chrome_processes *c = import_state(im, &chrome_processes_kind);
    add_time(&find(im, process_tracker_process(im->trace, machine, pid))->active, ts);
    add_time(&c->active, ts);
}
