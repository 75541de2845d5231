#include "parsers/perfetto/profile/profiler_sample.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/sequence.h"
#include "core/counter.h"
#include "core/store/rows.h"

struct sample_state {
    struct map tasks, executions; /* hash -> row */
    struct map sessions;          /* hash of sequence and source -> row */
};

static void sample_state_release(void *state)
{
    struct sample_state *s = state;
    map_release(&s->tasks);
    map_release(&s->executions);
    map_release(&s->sessions);
}

static const struct import_state_kind sample_kind = {.size = sizeof(struct sample_state),
                                                     .release = sample_state_release};

uint32_t profiler_task_context(struct import *im, uint32_t upid, uint32_t utid,
                               uint32_t async_context)
{
    struct sample_state *s = import_state(im, &sample_kind);
    bool inserted;
    uint64_t key = hash_mix((uint64_t)upid << 32 | utid, async_context);
    uint32_t *row = map_insert(&s->tasks, key, &inserted);
    if (inserted) {
        struct profiler_task_context_row r = {.upid = upid,
                                              .utid = utid,
                                              .async_context_id = async_context};
        *row = profiler_task_context_append(&im->trace->tables.profiler_task_context, &r);
    }
    return *row;
}

uint32_t profiler_execution_context(struct import *im, uint32_t ucpu, string_id cpu_mode)
{
    struct sample_state *s = import_state(im, &sample_kind);
    bool inserted;
    uint32_t *row = map_insert(&s->executions, (uint64_t)ucpu << 32 | cpu_mode, &inserted);
    if (inserted) {
        struct profiler_execution_context_row r = {.ucpu = ucpu, .cpu_mode = cpu_mode};
        *row = profiler_execution_context_append(&im->trace->tables.profiler_execution_context, &r);
    }
    return *row;
}

uint32_t profiler_session(struct import *im, const struct packet *p, string_id source)
{
    struct sample_state *s = import_state(im, &sample_kind);
    bool inserted;
    uint64_t key = hash_mix((uint64_t)p->machine << 32 | p->sequence->id, source);
    uint32_t *row = map_insert(&s->sessions, key, &inserted);
    if (inserted) {
        struct profiler_session_row r = {.source = source};
        *row = profiler_session_append(&im->trace->tables.profiler_session, &r);
    }
    return *row;
}

void profiler_session_set_unit(struct import *im, uint32_t session, string_id unit)
{
    struct table *table = &im->trace->tables.profiler_session;
    if (!table_u32(table, profiler_session_col_timebase_unit)[session])
        table_set_str(table, profiler_session_col_timebase_unit, session, unit);
}

void sample_counters_add(struct import *im, struct sample_counters *c, int64_t ts, uint32_t track,
                         double value)
{
    struct table *table = &im->trace->tables.profiler_counter_set;
    if (c->count++ == 0)
        c->first_row = table->rows;
    struct profiler_counter_set_row row = {.counter_set_id = c->first_row,
                                           .counter_id = counter_push(im->trace, ts, track, value)};
    profiler_counter_set_append(table, &row);
}

uint32_t sample_counters_id(const struct sample_counters *c)
{
    return c->count ? c->first_row : NULL_U32;
}
