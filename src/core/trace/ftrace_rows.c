#include "core/trace/ftrace_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/block_store.h"
#include "base/little_endian.h"
#include "core/store/args_sets.h"

/* What of a row differs from the one before: a byte that says what is there, then in as many bytes
 *   3  time, as the difference; 8 where it is NOTE_WIDE
 * of a row whose payload lies in the file, and whose set is the next that was deferred elsewhere:
 *   1  how far it is behind the CPU's last payload; 8 where it is NOTE_WIDE
 *   1  the shape's place
 *   8  NOTE_SHAPE   the shape, where another was there
 * of others, which are NOTE_LISTED:
 *   4  name
 *   4  arg set
 * and of both:
 *   1  NOTE_CPU     the CPU's place
 *   4  NOTE_NEW_CPU ucpu, where another was there
 *   4  NOTE_THREAD  utid, where it is another than the CPU's last one
 *   4  NOTE_FLAGS   common_flags */
enum {
    NOTE_WIDE = 1,
    NOTE_LISTED = 2,
    NOTE_SHAPE = 4,
    NOTE_CPU = 8,
    NOTE_NEW_CPU = 16,
    NOTE_THREAD = 32,
    NOTE_FLAGS = 64,
};
enum { NOTE_MAX = 64, SHAPES = UINT8_MAX + 1, CPUS = UINT8_MAX + 1, RELEASED_AT_ONCE = 1 << 20 };

/* What a row's payload is: its kind, its size, and the row's name. */
enum { SHAPE_KIND = 16, SHAPE_NAME = 32 };
_Static_assert((int)ARGS_DEFERRED_SIZE_BITS <= (int)SHAPE_KIND &&
                   (int)ARGS_DEFERRED_KIND_BITS <= (int)SHAPE_NAME - (int)SHAPE_KIND,
               "a shape is 64 bits");

static inline uint64_t pack_shape(uint32_t kind, size_t size, string_id name)
{
    return size | (uint64_t)kind << SHAPE_KIND | (uint64_t)name << SHAPE_NAME;
}

static inline uint32_t shape_size(uint64_t shape)
{
    return (uint32_t)shape & ((1u << SHAPE_KIND) - 1);
}

static inline uint32_t shape_kind(uint64_t shape)
{
    return (uint32_t)shape >> SHAPE_KIND;
}

/* Kinds that come one after the other, and sizes that do, have places of their own. */
static inline uint8_t shape_place(uint32_t kind, size_t size)
{
    return (uint8_t)(kind * 37 + size);
}

/* Those of one machine share none up to 256, those of two none up to 96 each. Rows of CPUs that
 * share one take more room. */
struct note_cpu {
    uint32_t ucpu, utid;
    uint64_t end; /* of the last payload */
};

static inline uint8_t cpu_place(uint32_t ucpu)
{
    return (uint8_t)(ucpu + ucpu / CPUS_PER_MACHINE * 96);
}

struct ftrace_note_state {
    int64_t ts;
    size_t cpu; /* the place of the last row's */
    uint32_t next_set;
    struct note_cpu cpus[CPUS];
    uint64_t shapes[SHAPES];
};

static void state_init(struct ftrace_note_state *s)
{
    *s = (struct ftrace_note_state){0};
    for (size_t i = 0; i < CPUS; i++)
        s->cpus[i].ucpu = NULL_U32;
}

void ftrace_notes_init(struct ftrace_notes *n)
{
    pthread_mutex_init(&n->lock, NULL);
}

static void forget_notes(struct ftrace_notes *n)
{
    vec_release(&n->bytes);
    vec_release(&n->ucpus);
    free(n->last);
    n->last = NULL;
}

void ftrace_notes_release(struct ftrace_notes *n)
{
    forget_notes(n);
    pthread_mutex_destroy(&n->lock);
}

/* A field's lowest `n` bytes; eight may be written. */
static inline uint8_t *put(uint8_t *to, uint64_t v, size_t n)
{
    v = le64(v);
    memcpy(to, &v, sizeof v);
    return to + n;
}

static inline uint64_t take(const uint8_t **from, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)(*from)[i] << 8 * i;
    *from += n;
    return v;
}

static inline bool fits(uint64_t v, size_t bytes)
{
    return v >> 8 * bytes == 0;
}

/* To be told of each row's time: how much later it is than the last one. */
static inline uint64_t pass_time(struct ftrace_notes *n, int64_t ts)
{
    uint64_t time = (uint64_t)ts - (uint64_t)n->last->ts;
    n->last->ts = ts;
    if (ts < n->first_ts)
        n->first_ts = ts;
    if (ts > n->last_ts)
        n->last_ts = ts;
    return time;
}

/* What is seldom to be done: room for the next note, and that a CPU has rows. */
__attribute__((noinline)) static void make_room(struct ftrace_notes *n, uint32_t ucpu)
{
    *vec_push(&n->ucpus) = ucpu;
    vec_reserve(&n->bytes, n->bytes.count + NOTE_MAX);
}

/* The rest of the note at `begin`, and room for the next one: last, as all before is quicker where
 * nothing is to be kept over a call. */
static inline void end_note(struct trace *t, const struct ftrace_event_row *row, uint8_t *begin,
                            uint8_t *to, unsigned has)
{
    struct ftrace_notes *n = &t->ftrace;
    struct ftrace_note_state *s = n->last;
    uint32_t ucpu = row->ucpu, utid = row->utid, flags = row->common_flags, place = cpu_place(ucpu);
    struct note_cpu *cpu = &s->cpus[place];
    if (place != s->cpu) {
        has |= NOTE_CPU;
        s->cpu = place;
        to = put(to, place, 1);
    }
    if (ucpu != cpu->ucpu) {
        has |= NOTE_NEW_CPU;
        cpu->ucpu = ucpu;
        to = put(to, ucpu, sizeof ucpu);
    }
    if (utid != cpu->utid) {
        has |= NOTE_THREAD;
        cpu->utid = utid;
        to = put(to, utid, sizeof utid);
    }
    if (flags) {
        has |= NOTE_FLAGS;
        to = put(to, flags, sizeof flags);
    }
    *begin = (uint8_t)has;
    n->bytes.count += (size_t)(to - begin);
    t->tables.ftrace_event.rows++;
    if (has & NOTE_NEW_CPU || n->bytes.cap - n->bytes.count < NOTE_MAX)
        make_room(n, ucpu);
}

static void note_listed(struct trace *t, const struct ftrace_event_row *row)
{
    struct ftrace_notes *n = &t->ftrace;
    uint64_t time = pass_time(n, row->ts);
    bool narrow = fits(time, 3);
    uint8_t *begin = n->bytes.items + n->bytes.count;
    uint8_t *to = put(begin + 1, time, narrow ? 3 : sizeof time);
    to = put(to, row->name | (uint64_t)row->arg_set_id << 32, sizeof(uint64_t));
    end_note(t, row, begin, to, NOTE_LISTED | (narrow ? 0 : NOTE_WIDE));
}

static inline void note_payload(struct trace *t, const struct ftrace_event_row *row, uint32_t kind,
                                uint64_t offset, size_t size)
{
    struct ftrace_notes *n = &t->ftrace;
    struct ftrace_note_state *s = n->last;
    struct note_cpu *cpu = &s->cpus[cpu_place(row->ucpu)];
    uint64_t time = pass_time(n, row->ts), step = offset - cpu->end;
    uint64_t shape = pack_shape(kind, size, row->name);
    uint8_t place = shape_place(kind, size), *begin = n->bytes.items + n->bytes.count, *to;
    unsigned has = 0;
    cpu->end = offset + size;
    if (fits(time, 3) && fits(step, 1)) {
        to = put(begin, time << 8 | step << 32 | (uint64_t)place << 40, 6);
    } else {
        has |= NOTE_WIDE;
        to = put(begin + 1, time, sizeof time);
        to = put(to, step, sizeof step);
        to = put(to, place, 1);
    }
    if (shape != s->shapes[place]) {
        has |= NOTE_SHAPE;
        s->shapes[place] = shape;
        to = put(to, shape, sizeof shape);
    }
    end_note(t, row, begin, to, has);
}

static uint64_t take_shape(struct ftrace_note_state *s, const uint8_t **from, unsigned has)
{
    uint64_t *shape = &s->shapes[take(from, 1)];
    if (has & NOTE_SHAPE)
        *shape = take(from, sizeof *shape);
    return *shape;
}

static struct note_cpu *take_cpu(struct ftrace_note_state *s, const uint8_t **from, unsigned has)
{
    if (has & NOTE_CPU)
        s->cpu = take(from, 1);
    struct note_cpu *cpu = &s->cpus[s->cpu];
    if (has & NOTE_NEW_CPU)
        cpu->ucpu = (uint32_t)take(from, 4);
    if (has & NOTE_THREAD)
        cpu->utid = (uint32_t)take(from, 4);
    return cpu;
}

/* Of a row that is not NOTE_LISTED, once its CPU is known. */
static void take_set(struct trace *t, struct note_cpu *cpu, uint64_t shape, uint64_t step,
                     struct ftrace_event_row *row)
{
    uint64_t offset = cpu->end + step;
    cpu->end = offset + shape_size(shape);
    row->name = (string_id)(shape >> SHAPE_NAME);
    row->arg_set_id = args_defer_next(&t->args, &t->ftrace.last->next_set, shape_kind(shape),
                                      offset, shape_size(shape));
}

static void take_row(struct trace *t, struct ftrace_note_state *s, const uint8_t **from,
                     struct ftrace_event_row *row)
{
    unsigned has = (unsigned)take(from, 1);
    uint64_t step = 0, shape = 0;
    s->ts = (int64_t)((uint64_t)s->ts + take(from, has & NOTE_WIDE ? 8 : 3));
    *row = (struct ftrace_event_row){.ts = s->ts};
    if (has & NOTE_LISTED) {
        row->name = (string_id)take(from, 4);
        row->arg_set_id = (uint32_t)take(from, 4);
    } else {
        step = take(from, has & NOTE_WIDE ? 8 : 1);
        shape = take_shape(s, from, has);
    }
    struct note_cpu *cpu = take_cpu(s, from, has);
    row->ucpu = cpu->ucpu;
    row->utid = cpu->utid;
    if (has & NOTE_FLAGS)
        row->common_flags = (uint32_t)take(from, 4);
    if (!(has & NOTE_LISTED))
        take_set(t, cpu, shape, step, row);
}

/* Gives back whole pages of what was read, `*from`, while the table grows. */
static void release_behind(uintptr_t *from, const uint8_t *next)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), to = (uintptr_t)next / page * page;
    *from = (*from + page - 1) / page * page;
    if (*from < to)
        block_forget((void *)*from, to - *from);
    *from = to;
}

/* Beside the table, whose number of rows others read meanwhile. */
static void make(struct trace *t)
{
    struct ftrace_notes *n = &t->ftrace;
    struct table *table = &t->tables.ftrace_event, made;
    struct column columns[ftrace_event_col_ucpu + 1] = {0};
    table_init(&made, table->def, columns);
    table_reserve(&made, table->rows);
    args_defer_all(&t->args);
    state_init(n->last);
    const uint8_t *from = n->bytes.items, *end = from + n->bytes.count;
    uintptr_t released = (uintptr_t)from;
    while (from < end) {
        struct ftrace_event_row row;
        take_row(t, n->last, &from, &row);
        ftrace_event_append(&made, &row);
        if ((uintptr_t)from > released + RELEASED_AT_ONCE)
            release_behind(&released, from);
    }
    table_shrink(&made);
    for (uint32_t i = 0; i < made.def->column_count; i++)
        table->columns[i] = columns[i];
    table->cap = made.cap;
    forget_notes(n);
}

/* No trace is defined const, they are only passed so. */
void ftrace_rows_make(const struct trace *trace)
{
    struct trace *t = (struct trace *)(uintptr_t)trace;
    struct ftrace_notes *n = &t->ftrace;
    pthread_mutex_lock(&n->lock);
    if (atomic_load(&n->state) == FTRACE_ROWS_NOTED) {
        make(t);
        atomic_store(&n->state, FTRACE_ROWS_MADE);
    }
    pthread_mutex_unlock(&n->lock);
}

/* The first row decides. A table that came as such has rows already. */
static bool begin_noting(struct trace *t)
{
    struct ftrace_notes *n = &t->ftrace;
    bool noted = t->tables.ftrace_event.rows == 0;
    atomic_store(&n->state, noted ? FTRACE_ROWS_NOTED : FTRACE_ROWS_MADE);
    if (noted) {
        n->last = alloc_array(1, sizeof *n->last);
        state_init(n->last);
        n->first_ts = INT64_MAX;
        n->last_ts = INT64_MIN;
        vec_reserve(&n->bytes, NOTE_MAX);
        args_begin_elsewhere(&t->args);
    }
    return noted;
}

static bool is_noting(struct trace *t)
{
    enum ftrace_rows_state state = atomic_load_explicit(&t->ftrace.state, memory_order_relaxed);
    return state == FTRACE_ROWS_NOTED || (state == FTRACE_ROWS_UNKNOWN && begin_noting(t));
}

void ftrace_rows_expect(struct trace *t, uint32_t rows)
{
    if (!is_noting(t))
        table_reserve(&t->tables.ftrace_event, rows);
}

void ftrace_rows_append(struct trace *t, const struct ftrace_event_row *row)
{
    if (is_noting(t))
        note_listed(t, row);
    else
        ftrace_event_append(&t->tables.ftrace_event, row);
}

/* The first row, and those whose payload cannot be deferred. Not inlined, nor is make_room: what is
 * usual is quicker alone. */
__attribute__((noinline)) static void append_listed(struct trace *t, struct ftrace_event_row *row,
                                                    uint32_t kind, const uint8_t *payload, size_t n)
{
    row->arg_set_id = args_intern_payload_later(&t->args, kind, payload, n);
    ftrace_rows_append(t, row);
}

void ftrace_rows_append_payload(struct trace *t, struct ftrace_event_row *row, uint32_t kind,
                                const uint8_t *payload, size_t n)
{
    uint64_t offset;
    if (!ftrace_rows_are_noted(t) || !args_can_defer(&t->args, kind, payload, n, &offset)) {
        append_listed(t, row, kind, payload, n);
        return;
    }
    row->arg_set_id = args_defer_elsewhere(&t->args);
    note_payload(t, row, kind, offset, n);
}

bool ftrace_rows_noted_times(const struct trace *t, int64_t *first, int64_t *last)
{
    if (!ftrace_rows_are_noted(t) || t->tables.ftrace_event.rows == 0)
        return false;
    *first = t->ftrace.first_ts;
    *last = t->ftrace.last_ts;
    return true;
}

void ftrace_rows_cpus(const struct trace *trace, void (*found)(void *self, uint32_t ucpu),
                      void *self)
{
    struct trace *t = (struct trace *)(uintptr_t)trace;
    const struct table *table = &t->tables.ftrace_event;
    pthread_mutex_lock(&t->ftrace.lock);
    bool noted = ftrace_rows_are_noted(t);
    for (size_t i = 0; noted && i < t->ftrace.ucpus.count; i++)
        found(self, t->ftrace.ucpus.items[i]);
    pthread_mutex_unlock(&t->ftrace.lock);
    for (uint32_t i = 0; !noted && i < table->rows; i++)
        found(self, table_small(table, ftrace_event_col_ucpu, i));
}
