#include "parsers/perfetto/packets/sorter.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/block_store.h"
#include "parsers/input/input_file.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/packet.h"
#include "parsers/perfetto/packets/unpacked.h"

enum { REF_BITS = 56 };
#define REF_MASK ((UINT64_C(1) << REF_BITS) - 1)

enum { COPIED_RECORDS = 512, MAPPED_RECORDS = 8192 };
enum { RECORDS_PER_CHECK = 8192 };    /* between looks at the cancel flag */
enum { RECORDS_PER_RELEASE = 65536 }; /* between giving memory back; a multiple of the above */

static void add_queue(struct sorter *s, uint32_t machine, uint32_t cpu)
{
    *vec_push(&s->queues) = (struct sorter_queue){.machine = machine, .cpu = cpu};
}

uint32_t sorter_cpu_queue(struct sorter *s, uint32_t machine, uint32_t cpu)
{
    bool is_new;
    uint32_t *index = map_insert(&s->by_cpu, (uint64_t)machine << 32 | cpu, &is_new);
    if (!is_new)
        return *index;
    if (s->queues.count == 0)
        add_queue(s, 0, 0);
    *index = (uint32_t)s->queues.count;
    add_queue(s, machine, cpu);
    return *index;
}

/* The first index in [from, to) whose ts is above `ts`, near `to`. */
static size_t last_above(const struct sorter_record *r, size_t from, size_t to, int64_t ts)
{
    size_t step = 1;
    while (step < to - from && r[to - step].ts > ts)
        step *= 2;
    from = step < to - from ? to - step : from;
    return BISECT(i, from, to, r[i].ts <= ts);
}

/* The first index in [from, to) whose ts is at or above `ts`, near `from`. */
static size_t first_at(const struct sorter_record *r, size_t from, size_t to, int64_t ts)
{
    size_t step = 1;
    while (step < to - from && r[from + step].ts < ts)
        step *= 2;
    to = step < to - from ? from + step : to;
    return BISECT(i, from, to, r[i].ts < ts);
}

/* Merges the sorted runs [from, mid) and [mid, to), stably. What is in place already is not
 * touched: runs of consecutive bundles overlap little or not at all. */
static void merge_runs(struct sorter_record *r, size_t from, size_t mid, size_t to,
                       struct sorter_records *scratch)
{
    from = last_above(r, from, mid, r[mid].ts);
    if (from == mid)
        return;
    to = first_at(r, mid, to, r[mid - 1].ts);
    size_t n = mid - from;
    vec_reserve(scratch, n);
    const struct sorter_record *left = scratch->items;
    memcpy(scratch->items, r + from, n * sizeof *left);
    const struct sorter_record *end = left + n, *right = r + mid, *right_end = r + to;
    struct sorter_record *out = r + from;
    /* Without a branch, as which run goes on cannot be foretold. */
    while (left < end && right < right_end) {
        bool from_right = right->ts < left->ts;
        const struct sorter_record *next = from_right ? right : left;
        *out++ = *next;
        right += from_right;
        left += !from_right;
    }
    memcpy(out, left, (size_t)(end - left) * sizeof *left);
}

/* The last two runs of the queue become one. */
static void merge_last(struct sorter *s, struct sorter_queue *q)
{
    struct sorted_run last = q->runs.items[--q->runs.count];
    struct sorted_run *before = &vec_last(&q->runs);
    merge_runs(q->records.items, before->from, last.from, q->records.count, &s->merged);
    before->merges++;
}

/* Natural merge sort: per-cpu streams and sequences consist of few long runs. What lies together is
 * merged first, and as soon as it is there: a queue may be larger than memory
 * (base/block_store.h). */
static void begin_run(struct sorter *s, struct sorter_queue *q)
{
    size_t n;
    if (q->runs.count == 0)
        *vec_push(&q->runs) = (struct sorted_run){0};
    while ((n = q->runs.count) > 1 && q->runs.items[n - 2].merges == q->runs.items[n - 1].merges)
        merge_last(s, q);
    *vec_push(&q->runs) = (struct sorted_run){.from = q->records.count};
}

void sorter_push(struct sorter *s, uint32_t queue, int64_t ts, enum record_kind kind, uint64_t ref)
{
    if (ts < 0) {
        s->before_zero++;
        return;
    }
    if (s->queues.count == 0)
        add_queue(s, 0, 0);
    struct sorter_queue *q = &s->queues.items[queue];
    if (q->records.count > 0 && ts < vec_last(&q->records).ts)
        begin_run(s, q);
    if (ts > s->max_ts)
        s->max_ts = ts;
    if (q->records.count == COPIED_RECORDS) /* larger ones grow without a copy */
        vec_reserve(&q->records, MAPPED_RECORDS);
    *vec_push(&q->records) =
        (struct sorter_record){ts, (uint64_t)kind << REF_BITS | (ref & REF_MASK)};
}

void sorter_release(struct sorter *s)
{
    for (size_t i = 0; i < s->queues.count; i++) {
        vec_release(&s->queues.items[i].records);
        vec_release(&s->queues.items[i].runs);
    }
    vec_release(&s->queues);
    vec_release(&s->merged);
    map_release(&s->by_cpu);
}

/* A queue in the merge: `next` is its first record that was not applied yet. */
struct queue_cursor {
    const struct sorter_record *next, *end;
    uintptr_t released; /* where the records begin whose memory was not given back yet */
    uint64_t rank;      /* at equal times the lower rank goes first */
    uint32_t queue;
};

static bool comes_before(const struct queue_cursor *a, const struct queue_cursor *b)
{
    return a->next->ts != b->next->ts ? a->next->ts < b->next->ts : a->rank < b->rank;
}

/* Restores the heap below its root. */
static void sift_down(struct queue_cursor *heap, size_t n, size_t at)
{
    struct queue_cursor moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_before(&heap[child + 1], &heap[child]))
            child++;
        if (!comes_before(&heap[child], &moving))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static void apply(struct import *im, uint32_t queue, const struct sorter_record *r)
{
    uint64_t ref = r->kind_and_ref & REF_MASK;
    enum record_kind kind = (enum record_kind)(r->kind_and_ref >> REF_BITS);
    switch (kind) {
    case RECORD_FTRACE:
    case RECORD_SCHED_SWITCH:
    case RECORD_SCHED_WAKING:
        stats_enter_machine(im->trace, im->sorter.queues.items[queue].machine);
        im->handlers->ftrace(im, queue, r->ts, kind, ref);
        return;
    case RECORD_TRACK_EVENT:
        im->handlers->track_event(im, r->ts, ref);
        return;
    case RECORD_PACKET: {
        const struct packet *p = (const struct packet *)(uintptr_t)ref;
        const struct packet_module *module = packet_modules_find(&im->modules, p->field_number);
        stats_enter_machine(im->trace, p->machine);
        if (module && module->parse)
            module->parse(im, p);
        forget_unpacked(im);
        return;
    }
    case RECORD_CALL: {
        const struct record_call *call = (const struct record_call *)(uintptr_t)ref;
        stats_enter_machine(im->trace, call->machine);
        call->apply(im, r->ts, call);
        forget_unpacked(im);
        return;
    }
    case RECORD_KIND_COUNT:
        return;
    }
}

static struct status report(struct import *im, uint64_t done)
{
    return progress_report(im->progress, done) ? status_ok_value() : progress_cancelled(im->name);
}

/* Gives back the memory of what was applied, while the tables grow: the input's pages and whole
 * pages of records, which are not looked at again; in a file many at a time. */
static void release_behind(struct queue_cursor *heap, size_t n)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    size_t step = block_store_step(), least = step == SIZE_MAX ? page : step;
    input_file_release_pages();
    for (size_t i = 0; i < n; i++) {
        struct queue_cursor *c = &heap[i];
        uintptr_t from = (c->released + page - 1) / page * page;
        uintptr_t to = (uintptr_t)c->next / page * page;
        if (to < from || to - from < least)
            continue;
        block_forget((void *)from, to - from);
        c->released = to;
    }
}

static struct status merge(struct import *im, struct queue_cursor *heap, size_t n, uint64_t total)
{
    uint64_t done = 0;
    for (size_t i = n / 2; i-- > 0;)
        sift_down(heap, n, i);
    while (n > 0) {
        /* The others' first: up to and including that time this queue goes on. */
        int64_t limit = n > 1 ? heap[1].next->ts : INT64_MAX;
        if (n > 2 && heap[2].next->ts < limit)
            limit = heap[2].next->ts;
        do {
            apply(im, heap[0].queue, heap[0].next++);
            if (++done % RECORDS_PER_CHECK != 0)
                continue;
            struct status s = report(im, done);
            if (!status_ok(s))
                return s;
            if (done % RECORDS_PER_RELEASE == 0)
                release_behind(heap, n);
        } while (heap[0].next < heap[0].end && heap[0].next->ts <= limit);
        if (heap[0].next == heap[0].end)
            heap[0] = heap[--n];
        if (n > 1)
            sift_down(heap, n, 0);
    }
    return report(im, total);
}

struct status sorter_run(struct import *im)
{
    struct sorter *s = &im->sorter;
    struct queue_cursor *heap = alloc_array(s->queues.count, sizeof *heap);
    size_t n = 0;
    uint64_t total = 0;
    if (s->before_zero > 0)
        stats_add(im->trace, STAT_trace_sorter_negative_timestamp_dropped, STAT_SINGLE,
                  s->before_zero);
    progress_begin(im->progress, LOAD_SORTING, 0);
    for (uint32_t i = 0; i < s->queues.count; i++) {
        struct sorter_queue *q = &s->queues.items[i];
        while (q->runs.count > 1)
            merge_last(s, q);
        total += q->records.count;
        if (q->records.count > 0)
            heap[n++] =
                (struct queue_cursor){.next = q->records.items,
                                      .end = q->records.items + q->records.count,
                                      .released = (uintptr_t)q->records.items,
                                      .rank = i ? ((uint64_t)q->machine << 32 | q->cpu) + 1 : 0,
                                      .queue = i};
    }
    vec_release(&s->merged);
    progress_begin(im->progress, LOAD_SORTING, total);
    struct status status = merge(im, heap, n, total);
    free(heap);
    sorter_release(s);
    return status;
}
