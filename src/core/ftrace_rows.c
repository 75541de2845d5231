#include "core/ftrace_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/block_store.h"
#include "base/little_endian.h"
#include "core/store/args_sets.h"

/* What of a row differs from the one before: a byte that says what is there, then in this order, in
 * as many bytes, or in all of the type's where one would not fit (NOTE_WIDE)
 *   3  time, as the difference
 *   2  NOTE_CPU    ucpu
 *   2  NOTE_THREAD utid, where it is another than the CPU's last one
 *   2  NOTE_FLAGS  common_flags
 *   3  NOTE_LISTED name
 *   4              arg set and one, 0 for none; else the payload in the file:
 *   1              how far it is behind the CPU's last payload
 *   1  NOTE_GAP    how many sets were deferred since the last row that deferred one
 *   1              the shape's place
 *   12 NOTE_SHAPE  the shape, where it is new there */
enum {
    NOTE_CPU = 1,
    NOTE_THREAD = 2,
    NOTE_FLAGS = 4,
    NOTE_LISTED = 8,
    NOTE_SHAPE = 16,
    NOTE_GAP = 32,
    NOTE_WIDE = 64,
};
enum { NOTE_MAX = 64, SHAPES = 256, CPUS = 64, RELEASED_AT_ONCE = 1 << 20 };

struct note_shape {
    uint32_t kind, size;
    string_id name;
};

/* CPUs whose numbers end alike share one: their rows take more room. */
struct note_cpu {
    uint32_t ucpu, utid;
    uint64_t end; /* of the last payload */
};

struct ftrace_note_state {
    int64_t ts;
    uint32_t ucpu, next_set;
    struct note_cpu cpus[CPUS];
    struct note_shape shapes[SHAPES];
};

/* A row's payload in the file. */
struct note_payload {
    struct note_shape shape;
    uint64_t offset;
};

static void state_init(struct ftrace_note_state *s)
{
    *s = (struct ftrace_note_state){.ucpu = NULL_U32};
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

static inline size_t shape_place(const struct note_shape *s)
{
    return (s->kind * 37 + s->size) % SHAPES;
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

/* The sizes of the fields above. */
struct note_widths {
    size_t time, cpu, thread, flags, name, step, gap;
};
static const struct note_widths narrow = {3, 2, 2, 2, 3, 1, 1}, wide = {8, 4, 4, 4, 4, 8, 4};

static inline bool fits(uint64_t v, size_t bytes)
{
    return v >> 8 * bytes == 0;
}

/* What a row says that the state does not. `payload` is NULL where the set is there already. */
struct note_fields {
    uint64_t time, step;
    uint32_t gap;
    const struct ftrace_event_row *row;
    const struct note_payload *payload;
};

static inline uint8_t *put_fields(uint8_t *to, unsigned has, const struct note_fields *f,
                                  struct note_widths w)
{
    to = put(to, has, 1);
    to = put(to, f->time, w.time);
    if (has & NOTE_CPU)
        to = put(to, f->row->ucpu, w.cpu);
    if (has & NOTE_THREAD)
        to = put(to, f->row->utid, w.thread);
    if (has & NOTE_FLAGS)
        to = put(to, f->row->common_flags, w.flags);
    if (has & NOTE_LISTED) {
        to = put(to, f->row->name, w.name);
        return put(to, f->row->arg_set_id + 1, sizeof(uint32_t));
    }
    to = put(to, f->step, w.step);
    if (has & NOTE_GAP)
        to = put(to, f->gap, w.gap);
    to = put(to, shape_place(&f->payload->shape), 1);
    if (has & NOTE_SHAPE) {
        memcpy(to, &f->payload->shape, sizeof f->payload->shape);
        to += sizeof f->payload->shape;
    }
    return to;
}

static inline bool is_narrow(unsigned has, const struct note_fields *f)
{
    uint64_t small = f->row->ucpu | f->row->utid | f->row->common_flags;
    bool rest = has & NOTE_LISTED ? fits(f->row->name, narrow.name)
                                  : fits(f->step, narrow.step) && fits(f->gap, narrow.gap);
    return fits(f->time, narrow.time) && fits(small, narrow.cpu) && rest;
}

static void note(struct trace *t, const struct ftrace_event_row *row,
                 const struct note_payload *payload)
{
    struct ftrace_notes *n = &t->ftrace;
    struct ftrace_note_state *s = n->last;
    struct note_fields f = {.time = (uint64_t)row->ts - (uint64_t)s->ts,
                            .row = row,
                            .payload = payload};
    struct note_cpu *cpu = &s->cpus[row->ucpu % CPUS];
    unsigned has = row->common_flags ? NOTE_FLAGS : 0;
    s->ts = row->ts;
    n->first_ts = row->ts < n->first_ts ? row->ts : n->first_ts;
    n->last_ts = row->ts > n->last_ts ? row->ts : n->last_ts;
    if (row->ucpu != s->ucpu) {
        has |= NOTE_CPU;
        s->ucpu = row->ucpu;
        if (cpu->ucpu != row->ucpu)
            *vec_push(&n->ucpus) = cpu->ucpu = row->ucpu;
    }
    if (row->utid != cpu->utid) {
        has |= NOTE_THREAD;
        cpu->utid = row->utid;
    }
    if (payload) {
        struct note_shape *shape = &s->shapes[shape_place(&payload->shape)];
        if (shape->kind != payload->shape.kind || shape->size != payload->shape.size ||
            shape->name != payload->shape.name) {
            *shape = payload->shape;
            has |= NOTE_SHAPE;
        }
        uint32_t number = row->arg_set_id & ~ARGS_DEFERRED;
        f.step = payload->offset - cpu->end;
        f.gap = number - s->next_set;
        has |= f.gap ? NOTE_GAP : 0;
        cpu->end = payload->offset + payload->shape.size;
        s->next_set = number + 1;
    } else {
        has |= NOTE_LISTED;
    }
    vec_reserve(&n->bytes, n->bytes.count + NOTE_MAX);
    uint8_t *begin = n->bytes.items + n->bytes.count;
    const uint8_t *end = is_narrow(has, &f) ? put_fields(begin, has, &f, narrow)
                                            : put_fields(begin, has | NOTE_WIDE, &f, wide);
    n->bytes.count += (size_t)(end - begin);
    t->tables.ftrace_event.rows++;
}

static void take_payload(struct trace *t, struct ftrace_note_state *s, struct note_cpu *cpu,
                         const uint8_t **from, unsigned has, struct ftrace_event_row *row)
{
    const struct note_widths *w = has & NOTE_WIDE ? &wide : &narrow;
    uint64_t offset = cpu->end + take(from, w->step);
    if (has & NOTE_GAP)
        s->next_set += (uint32_t)take(from, w->gap);
    struct note_shape *shape = &s->shapes[take(from, 1)];
    if (has & NOTE_SHAPE) {
        memcpy(shape, *from, sizeof *shape);
        *from += sizeof *shape;
    }
    cpu->end = offset + shape->size;
    row->name = shape->name;
    row->arg_set_id = ARGS_DEFERRED | s->next_set++;
    args_defer_at(&t->args, row->arg_set_id, shape->kind, offset, shape->size);
}

static void take_row(struct trace *t, struct ftrace_note_state *s, const uint8_t **from,
                     struct ftrace_event_row *row)
{
    unsigned has = (unsigned)take(from, 1);
    const struct note_widths *w = has & NOTE_WIDE ? &wide : &narrow;
    s->ts = (int64_t)((uint64_t)s->ts + take(from, w->time));
    if (has & NOTE_CPU)
        s->ucpu = (uint32_t)take(from, w->cpu);
    struct note_cpu *cpu = &s->cpus[s->ucpu % CPUS];
    if (has & NOTE_THREAD)
        cpu->utid = (uint32_t)take(from, w->thread);
    *row = (struct ftrace_event_row){.ts = s->ts, .utid = cpu->utid, .ucpu = s->ucpu};
    if (has & NOTE_FLAGS)
        row->common_flags = (uint32_t)take(from, w->flags);
    if (has & NOTE_LISTED) {
        row->name = (string_id)take(from, w->name);
        row->arg_set_id = (uint32_t)take(from, sizeof(uint32_t)) - 1;
    } else {
        take_payload(t, s, cpu, from, has, row);
    }
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

/* Whether rows are noted: the first one decides. A table that came as such has rows already. */
static bool is_noting(struct trace *t)
{
    struct ftrace_notes *n = &t->ftrace;
    enum ftrace_rows_state state = atomic_load_explicit(&n->state, memory_order_relaxed);
    if (state != FTRACE_ROWS_UNKNOWN)
        return state == FTRACE_ROWS_NOTED;
    bool noted = t->tables.ftrace_event.rows == 0;
    atomic_store(&n->state, noted ? FTRACE_ROWS_NOTED : FTRACE_ROWS_MADE);
    if (noted) {
        n->last = alloc_array(1, sizeof *n->last);
        state_init(n->last);
        n->first_ts = INT64_MAX;
        n->last_ts = INT64_MIN;
        args_defer_elsewhere(&t->args);
    }
    return noted;
}

void ftrace_rows_expect(struct trace *t, uint32_t rows)
{
    if (!is_noting(t))
        table_reserve(&t->tables.ftrace_event, rows);
}

void ftrace_rows_append(struct trace *t, const struct ftrace_event_row *row)
{
    if (is_noting(t))
        note(t, row, NULL);
    else
        ftrace_event_append(&t->tables.ftrace_event, row);
}

uint32_t ftrace_rows_append_payload(struct trace *t, struct ftrace_event_row *row, uint32_t kind,
                                    const uint8_t *payload, size_t n)
{
    struct note_payload p = {.shape = {.kind = kind, .size = (uint32_t)n, .name = row->name}};
    row->arg_set_id =
        is_noting(t) ? args_defer_number(&t->args, kind, payload, n, &p.offset) : NULL_U32;
    if (row->arg_set_id != NULL_U32) {
        note(t, row, &p);
    } else {
        row->arg_set_id = args_intern_payload_later(&t->args, kind, payload, n);
        ftrace_rows_append(t, row);
    }
    return row->arg_set_id;
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
