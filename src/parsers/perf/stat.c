#include "parsers/perf/stat.h"

void perf_stat_read(struct perf_import *im, struct bytes body)
{
    struct perf_reader r = perf_reader_of(im, body);
    struct perf_count c = {.id = perf_u64(&r), .cpu = perf_u32(&r)};
    perf_u32(&r); /* the thread's place in the map of threads */
    c.value = (double)perf_u64(&r);
    uint64_t enabled = perf_u64(&r), running = perf_u64(&r);
    if (r.failed || running == 0)
        return;
    /* Events that shared a hardware counter ran for a part of the time: what they would have
     * counted, as perf stat says it. */
    if (enabled > running)
        c.value *= (double)enabled / (double)running;
    *vec_push(&im->counts) = c;
}

void perf_stat_round(struct perf_import *im, struct bytes body)
{
    struct perf_reader r = perf_reader_of(im, body);
    perf_u64(&r); /* of an interval, or the last one */
    uint64_t time = perf_u64(&r);
    int64_t ts;
    bool known = !r.failed && time <= INT64_MAX && clock_file_time(im->trace, (int64_t)time, &ts);
    if (!known)
        im->counts.count = im->counts_timed;
    for (; im->counts_timed < im->counts.count; im->counts_timed++)
        im->counts.items[im->counts_timed].ts = ts;
}

void perf_stat_apply(struct perf_import *im)
{
    for (size_t i = 0; i < im->counts_timed; i++) {
        const struct perf_count *c = &im->counts.items[i];
        struct perf_attr *attr = perf_attr_of_id(&im->attrs, c->id);
        if (attr)
            perf_attr_count_to(&im->attrs, attr, im->trace, c->ts, c->cpu, c->id, c->value);
    }
}
