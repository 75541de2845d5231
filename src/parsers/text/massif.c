/* What Valgrind's Massif writes (massif.out.PID): how much of the heap is in use at times, and of
 * some of them, by whom it was asked for, callers below what they called.
 *
 *     desc: --massif-out-file=massif.out
 *     cmd: ./app
 *     time_unit: ms
 *     #-----------
 *     snapshot=1
 *     #-----------
 *     time=376
 *     mem_heap_B=1024
 *     mem_heap_extra_B=8
 *     mem_stacks_B=0
 *     heap_tree=peak
 *     n1: 1024 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *      n0: 1024 0x10920F: main (app.c:10)
 *
 * As Valgrind's manual says of Massif. Times that are bytes or instructions are taken for ns. */
#include <stdio.h>

#include "core/trace_builder.h"
#include "core/counter.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/samples.h"
#include "parsers/text/source_place.h"
#include "parsers/text/stack_sums.h"
#include "parsers/text/text_lines.h"

enum { DEPTH_MAX = 1 << 10, TITLE_MAX = 128 };

/* A line of a tree. */
struct massif_call {
    uint32_t frame; /* NULL_U32: the root, which is no function */
    double value;   /* that none of its callers asked for, as far as they have been read */
};

struct massif {
    struct trace *trace;
    int64_t unit_ns, time, ts;
    uint32_t upid;
    uint32_t profile; /* of the tree that is being read; NULL_U32: none */
    struct str unit;  /* of times; a constant */
    char snapshot[24];
    VEC(struct massif_call) open; /* innermost first: what asked, its caller, ... */
};

static const struct {
    struct str key;
    const char *type, *name;
} counters[] = {{{"mem_heap_B", 10}, "massif_heap", "Heap"},
                {{"mem_heap_extra_B", 16}, "massif_heap_extra", "Heap administration"},
                {{"mem_stacks_B", 12}, "massif_stacks", "Stacks"}};

/* Takes "key=" or "key: " off the front. */
static bool take_key(struct str *line, struct str key)
{
    if (!str_starts(*line, key))
        return false;
    *line = str_trim(str_skip(*line, key.n));
    return true;
}

/* The last call that was read has no further callers: what they did not ask for came from others.
 */
static void close_call(struct massif *m)
{
    struct massif_call call = vec_last(&m->open);
    uint32_t callsite = NULL_U32;
    if (call.value > 0) {
        for (size_t i = m->open.count; i-- > 0;) {
            uint32_t frame = m->open.items[i].frame;
            if (frame != NULL_U32)
                callsite = stack_callsite_intern(m->trace, callsite, frame);
        }
        if (callsite == NULL_U32)
            callsite = stack_sums_call(m->trace, NULL_U32, STR(""), STR("[others]"));
        stack_sums_add(m->trace, m->profile, callsite, call.value);
    }
    m->open.count--;
}

static void close_tree(struct massif *m)
{
    while (m->open.count > 0)
        close_call(m);
    m->profile = NULL_U32;
}

/* " n1: 1024 0x10920F: main (app.c:10)"; how far it is indented is how deep it stands. */
static void read_call(struct massif *m, struct str line)
{
    size_t depth = 0;
    uint64_t callers, bytes;
    struct str whole = line;
    while (depth < line.n && line.p[depth] == ' ')
        depth++;
    line = str_skip(line, depth);
    struct str callers_text = str_cut(&line, ':');
    if (depth > m->open.count || depth > DEPTH_MAX || !str_starts(callers_text, STR("n")) ||
        !str_to_u64(str_skip(callers_text, 1), 10, &callers) ||
        !str_to_u64(str_take_word(&line), 10, &bytes)) {
        text_lines_unread(m->trace, whole);
        return;
    }
    while (m->open.count > depth)
        close_call(m);
    if (depth > 0)
        vec_last(&m->open).value -= (double)bytes;
    *vec_push(&m->open) =
        (struct massif_call){.frame = depth > 0 ? source_place_valgrind(m->trace, str_trim(line))
                                                : NULL_U32,
                             .value = (double)bytes};
}

static void begin_tree(struct massif *m, struct str kind)
{
    char name[TITLE_MAX];
    bool peak = str_eq(kind, STR("peak"));
    if (!peak && !str_eq(kind, STR("detailed")))
        return;
    snprintf(name, sizeof name, "snapshot %s at %lld %.*s%s", m->snapshot, (long long)m->time,
             (int)m->unit.n, m->unit.p, peak ? ", the peak" : "");
    m->profile =
        stack_sums_profile(m->trace, STR("massif"), str_from(name), STR("space"), STR("bytes"));
}

static bool add_counter(struct massif *m, struct str line)
{
    struct trace *t = m->trace;
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        struct str rest = line;
        uint64_t bytes;
        if (!take_key(&rest, counters[i].key) || !take_key(&rest, STR("=")) ||
            !str_to_u64(rest, 10, &bytes) || !clock_file_time(t, m->time * m->unit_ns, &m->ts))
            continue;
        uint32_t track =
            track_process_counter(t, counters[i].type, trace_intern_c(t, counters[i].name), "bytes",
                                  m->upid);
        counter_push(t, m->ts, track, (double)bytes);
        return true;
    }
    return false;
}

static void read_unit(struct massif *m, struct str unit)
{
    bool bytes = str_eq(unit, STR("B"));
    m->unit_ns = str_eq(unit, STR("ms")) ? 1000000 : 1;
    m->unit = m->unit_ns > 1 ? STR("ms") : bytes ? STR("bytes") : STR("instructions");
}

static void add_line(void *self, struct str line)
{
    struct massif *m = self;
    struct str rest = line;
    uint64_t number;
    if (m->profile != NULL_U32 && !str_starts(line, STR("#"))) {
        read_call(m, line);
        return;
    }
    if (take_key(&rest, STR("snapshot="))) {
        str_copy(rest, m->snapshot, sizeof m->snapshot);
    } else if (take_key(&rest, STR("time="))) {
        if (str_to_u64(rest, 10, &number) && number <= (uint64_t)INT64_MAX / 1000000)
            m->time = (int64_t)number;
        else
            text_lines_unread(m->trace, line);
    } else if (take_key(&rest, STR("heap_tree="))) {
        begin_tree(m, rest);
    } else if (take_key(&rest, STR("time_unit:"))) {
        read_unit(m, rest);
    } else if (take_key(&rest, STR("cmd:"))) {
        process_tracker_set_process_name(m->trace, m->upid, trace_intern(m->trace, rest),
                                         PROCESS_NAME_OTHER);
    } else if (str_starts(line, STR("#"))) {
        close_tree(m);
    } else if (!add_counter(m, line) && !str_starts(line, STR("desc:"))) {
        text_lines_unread(m->trace, line);
    }
}

static bool massif_sniff(struct bytes data)
{
    enum { LINES = 16 };
    struct str head = trace_format_head(data), line;
    bool described = false, timed = false;
    for (int i = 0; i < LINES && str_next_line(&head, &line); i++) {
        described |= str_starts(line, STR("desc:"));
        timed |= described && str_starts(line, STR("time_unit:"));
        if (timed && str_starts(line, STR("snapshot=")))
            return true;
    }
    return false;
}

static struct status massif_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct massif m = {.trace = t, .unit_ns = 1, .unit = STR("instructions"), .profile = NULL_U32};
    uint32_t utid = samples_new_thread(t, 0, NULL_STRING);
    m.upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
    bool whole = text_lines_read(t, source, add_line, &m);
    close_tree(&m);
    vec_release(&m.open);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format massif_trace_format = {
    .name = "Massif",
    .type = "massif",
    .about = "massif.out of Valgrind: how large the heap is: lines desc:, cmd:, time_unit: and "
             "snapshot=",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .by_lines = true,
    .sniff = massif_sniff,
    .read_source = massif_import,
};
