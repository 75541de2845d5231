#include "parsers/perf/sched.h"
#include "core/store/rows.h"

void perf_sched_release(struct perf_sched *s)
{
    map_release(&s->cpu_numbers);
    vec_release(&s->cpus);
}

struct sched_cpu *perf_sched_cpu(struct perf_sched *s, struct trace *t, uint32_t cpu)
{
    bool inserted;
    uint32_t *index = map_insert(&s->cpu_numbers, cpu, &inserted);
    if (inserted) {
        *index = (uint32_t)s->cpus.count;
        *vec_push(&s->cpus) = sched_cpu_make(s->machine, trace_ucpu(t, s->machine, cpu));
    }
    return &s->cpus.items[*index];
}

/* Ends what runs on the cpu; a record of its end may have been lost. */
static void end_slice(struct trace *t, struct sched_cpu *cpu, int64_t ts, string_id end_state)
{
    struct table *sched = &t->tables.sched_slice;
    if (cpu->row == NULL_U32)
        return;
    int64_t start = table_i64(sched, sched_slice_col_ts)[cpu->row];
    table_set_i64(sched, sched_slice_col_dur, cpu->row, time_minus(ts, start));
    table_set_str(sched, sched_slice_col_end_state, cpu->row, end_state);
    thread_state_close(t, ts, cpu->utid);
    cpu->row = NULL_U32;
}

void perf_sched_in(struct perf_sched *s, struct trace *t, int64_t ts, uint32_t cpu, uint32_t utid)
{
    struct sched_cpu *c = perf_sched_cpu(s, t, cpu);
    end_slice(t, c, ts, NULL_STRING);
    struct sched_slice_row row = {.ts = ts,
                                  .dur = -1,
                                  .utid = utid,
                                  .priority = NULL_I64, /* no record tells it */
                                  .ucpu = c->ucpu};
    c->row = sched_slice_append(&t->tables.sched_slice, &row);
    c->utid = utid;
    thread_state_close(t, ts, utid);
    thread_state_open(t, ts, utid, trace_intern(t, STR("Running")), c->ucpu, NULL_U32, NULL_U32);
}

/* Who was not preempted sleeps: whether it can be interrupted is not told. */
void perf_sched_out(struct perf_sched *s, struct trace *t, int64_t ts, uint32_t cpu, uint32_t utid,
                    bool preempted)
{
    struct sched_cpu *c = perf_sched_cpu(s, t, cpu);
    string_id state = preempted ? trace_intern(t, STR("R+")) : trace_intern(t, STR("S"));
    bool known = c->row != NULL_U32 && c->utid == utid;
    end_slice(t, c, ts, known ? state : NULL_STRING);
    thread_state_open(t, ts, utid, state, NULL_U32, NULL_U32, NULL_U32);
}
