/* A trace: its strings, tables and args. Everything that SQL and the timeline show comes from here.
 * While it is being loaded, core/trace_builder.h has what fills it; afterwards it is const. What is
 * found out when somebody asks for it (strings that queries make, decoded args, whether a stored
 * part is sound) is added under locks of its own, and changes nothing that was there. */
#ifndef TPTUI_CORE_TRACE_TRACE_H
#define TPTUI_CORE_TRACE_TRACE_H

#include "core/trace/ftrace_notes.h"
#include "core/store/args.h"
#include "core/store/string_pool.h"
#include "core/store/tables.h"

/* Rows of `cpu` come in blocks of this size, one for each machine in the order in which they name a
 * cpu, as in Trace Processor. Rows of numbers that nobody has named are null. */
enum { CPUS_PER_MACHINE = 4096, CPU_MACHINES_MAX = 64 };

struct trace_builder;
struct stored_columns;

/* What a Java array has; numbers as in hprof files. */
enum heap_element {
    HEAP_BOOLEAN = 4,
    HEAP_CHAR,
    HEAP_FLOAT,
    HEAP_DOUBLE,
    HEAP_BYTE,
    HEAP_SHORT,
    HEAP_INT,
    HEAP_LONG,
};

struct trace {
    struct string_pool strings;
    struct tables tables;
    struct args args;
    struct ftrace_notes ftrace;    /* core/trace/ftrace_rows.h */
    struct trace_builder *builder; /* NULL once loaded */
    struct stored_columns *stored; /* the file that columns are mapped from; NULL: they are not */
    uint32_t cpu_blocks[CPU_MACHINES_MAX]; /* by machine, from 1; 0: none yet */
    uint32_t cpu_block_count;
    struct arena payload_bytes;
    /* Of each row of heap_graph_object: references from the nearest root, -1 where none leads
     * there. The column root_distance stays -1, as in Trace Processor, until a heap is
     * walked. */
    VEC(int32_t) heap_root_distances;
    VEC(struct str) video_payloads; /* of each row of video_frames */
    /* By array_data_id of heap_graph_object_data: a byte, enum heap_element, then the elements,
     * each as the machine has it. */
    VEC(struct str) heap_arrays;
    pthread_t settler; /* core/trace/settled_args.h; only where `settling` */
    bool settling;
    int64_t start_ts, end_ts; /* trace_bounds; 0, 0 where nothing has a time */
    bool is_window; /* a part of a recording; what is open in it from before has earlier times: */
    int64_t whole_start, whole_end; /* of the recording's events */
};

/* The row of `cpu` for a machine's cpu number. Numbers that only a damaged trace has (beyond the
 * two limits) share the last one. */
uint32_t trace_ucpu(struct trace *t, uint32_t machine, uint32_t cpu);
/* The same for who only refers to it: where nobody names the cpu, its row stays null. */
uint32_t trace_ucpu_unnamed(struct trace *t, uint32_t machine, uint32_t cpu);

/* The bytes, which are copied, of the row of video_frames that was added last. */
void trace_add_video_payload(struct trace *t, struct str payload);
/* Room for `n` bytes of elements of a new last row of heap_arrays. */
uint8_t *trace_add_heap_array(struct trace *t, uint8_t element, size_t n);

static inline string_id trace_intern(const struct trace *t, struct str s)
{
    return string_pool_intern(&t->strings, s);
}

static inline string_id trace_intern_c(const struct trace *t, const char *s)
{
    return string_pool_intern(&t->strings, str_from(s));
}

#endif
