/* The events that a recording of perf is about (perf_event_attr): what each counts, what its
 * records hold, and by which ids records name it. */
#ifndef TPTUI_PARSERS_PERF_ATTRS_H
#define TPTUI_PARSERS_PERF_ATTRS_H

#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/perf/wire.h"

/* Values of an event's type. */
enum {
    PERF_TYPE_HARDWARE,
    PERF_TYPE_SOFTWARE,
    PERF_TYPE_TRACEPOINT,
    PERF_TYPE_HW_CACHE,
    PERF_TYPE_RAW,
    PERF_TYPE_BREAKPOINT,
};

/* An event that is counted. */
struct perf_attr {
    uint32_t type;
    uint64_t config, sample_period, sample_type, read_format;
    bool has_period;    /* else a frequency was asked for */
    bool sample_id_all; /* records other than samples end in the fields of a sample, too */
    uint32_t clock;     /* of its times: a number of BuiltinClock */
    string_id name;
    uint32_t session;        /* its row of profiler_session */
    struct map track_of_cpu; /* rows of `track`; UINT32_MAX is no cpu */
    struct map total_of_cpu; /* indexes of perf_attrs.totals */
};

struct perf_attrs {
    uint32_t machine;
    VEC(struct perf_attr) items;
    struct map by_id;      /* an id of an event -> its attr's index */
    struct map last_of_id; /* and what it had counted last, index of `totals` */
    VEC(double) totals;    /* of what was counted on a cpu, or by an id */
};

void perf_attrs_release(struct perf_attrs *attrs);

/* Adds the event that `attr`, a struct perf_event_attr, describes. Returns its index. */
uint32_t perf_attrs_add(struct perf_attrs *attrs, struct trace *t, struct bytes attr, bool big);
/* Records name the event by this id. */
void perf_attrs_add_id(struct perf_attrs *attrs, uint64_t id, uint32_t attr);

/* The event of an id, or NULL. */
struct perf_attr *perf_attr_of_id(struct perf_attrs *attrs, uint64_t id);
/* The event that a record of the kernel belongs to; NULL where it cannot be told. */
struct perf_attr *perf_attr_of_record(struct perf_attrs *attrs, const struct perf_record *record,
                                      bool big);

/* When a record happened. False where it is too short to say so. `*time` is 0 where it does not
 * say. */
bool perf_attr_time(const struct perf_attr *attr, const struct perf_record *record, bool big,
                    uint64_t *time);

/* Who a record other than a sample is about, as far as it says: the fields at its end. */
struct perf_sample_id {
    uint32_t pid, tid, cpu;
    bool has_tid, has_cpu;
};

struct perf_sample_id perf_attr_sample_id(const struct perf_attr *attr,
                                          const struct perf_record *record, bool big);

/* A name for what an event counts, for events that nobody named; "" where it has none. */
const char *perf_attr_default_name(const struct perf_attr *attr);

/* Adds to what the event has counted on a cpu (UINT32_MAX: anywhere), and a row of `counter` that
 * says so. Returns that row. */
uint32_t perf_attr_count(struct perf_attrs *attrs, struct perf_attr *attr, struct trace *t,
                         int64_t ts, uint32_t cpu, double more);
/* The same from what one of its ids has counted in all. */
uint32_t perf_attr_count_to(struct perf_attrs *attrs, struct perf_attr *attr, struct trace *t,
                            int64_t ts, uint32_t cpu, uint64_t id, double total);

#endif
