#include "tui/index/stored_timeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/trace/stored_parts.h"

#define TIMELINE_MAGIC "tptui timeline\n"

/* How much there is of everything that the trace's tables do not say. */
struct timeline_counts {
    uint32_t slice_lanes, slices, state_lanes, states, sched_lanes, sched;
    uint32_t counter_lanes, counters;
    uint32_t names, cpus;
};

struct timeline_head {
    char magic[sizeof TIMELINE_MAGIC];
    uint64_t schema; /* stored_schema() */
    uint64_t trace;  /* trace_hash() */
    struct timeline_counts counts;
    uint64_t part_count, size; /* of the file */
    uint64_t head_sum;         /* of what stands before, and of the list of parts behind it */
};

struct timeline_part {
    void *slot; /* the pointer of the timeline to its bytes, of any type */
    uint64_t size;
    bool late; /* checked by stored_timeline_is_sound */
};

struct timeline_parts {
    VEC(struct timeline_part) v;
};

struct stored_timeline {
    uint8_t *map;
    size_t size;
    const struct stored_place *places; /* in the map */
    struct timeline_parts parts;
    uint32_t *names; /* in the map */
};

static void add(struct timeline_parts *list, void *slot, uint64_t count, uint64_t size, bool late)
{
    *vec_push(&list->v) = (struct timeline_part){slot, count * size, late};
}

/* Sets how many levels a pyramid over so many events has, and adds them. */
static uint32_t add_levels(struct timeline_parts *list, void **slots, uint64_t count, uint64_t size,
                           uint32_t most)
{
    uint32_t levels = 0;
    for (; levels < most && count > LANES_FANOUT; levels++) {
        count = (count + LANES_FANOUT - 1) / LANES_FANOUT;
        add(list, (char *)slots + levels * sizeof *slots, count, size, true);
    }
    return levels;
}

static void add_lanes(struct timeline_parts *list, struct lanes *l, uint32_t lanes, uint32_t count)
{
    l->lane_count = lanes;
    l->count = count;
    add(list, &l->starts, (uint64_t)lanes + 1, sizeof *l->starts, false);
    add(list, &l->rows, count, sizeof *l->rows, true);
    add(list, &l->before, lanes_sums(count), sizeof *l->before, true);
    l->levels = add_levels(list, (void **)(void *)l->best, count, sizeof **l->best, LANES_LEVELS);
}

static void add_steps(struct timeline_parts *list, struct steps *s, uint32_t lanes, uint32_t count)
{
    s->lane_count = lanes;
    s->count = count;
    add(list, &s->starts, (uint64_t)lanes + 1, sizeof *s->starts, false);
    add(list, &s->rows, count, sizeof *s->rows, true);
    s->levels =
        add_levels(list, (void **)(void *)s->blocks, count, sizeof **s->blocks, STEPS_LEVELS);
}

/* The parts of `tl`, always in the same order. */
static void list_parts(struct timeline_parts *list, struct timeline *tl,
                       const struct timeline_counts *c, uint32_t **names)
{
    const struct tables *t = &tl->trace->tables;
    add_lanes(list, &tl->slices, c->slice_lanes, c->slices);
    add_lanes(list, &tl->states, c->state_lanes, c->states);
    add_lanes(list, &tl->sched, c->sched_lanes, c->sched);
    add_steps(list, &tl->counters, c->counter_lanes, c->counters);
    add(list, &tl->slice_base, (uint64_t)t->track.rows + 1, sizeof *tl->slice_base, false);
    add(list, &tl->slice_dur, t->slice.rows, sizeof *tl->slice_dur, true);
    add(list, &tl->running, c->states, sizeof *tl->running, true);
    add(list, &tl->busy, c->sched, sizeof *tl->busy, true);
    add(list, &tl->flows_out, t->flow.rows, sizeof *tl->flows_out, false);
    add(list, &tl->flows_in, t->flow.rows, sizeof *tl->flows_in, false);
    add(list, &tl->threads, t->thread.rows, sizeof *tl->threads, false);
    add(list, &tl->processes, t->process.rows, sizeof *tl->processes, false);
    add(list, &tl->track_cpu, t->track.rows, sizeof *tl->track_cpu, false);
    add(list, names, c->names, sizeof **names, true);
}

static uint64_t trace_hash(const struct trace *t, uint64_t content)
{
    uint64_t h = hash_mix(content, (uint64_t)t->start_ts);
    h = hash_mix(h, (uint64_t)t->end_ts);
    const struct table *tables = (const struct table *)(const void *)&t->tables;
    for (uint32_t i = 0; i < TABLE_COUNT; i++)
        h = hash_mix(h ^ tables[i].rows, i + 1);
    return h;
}

static uint64_t head_sum(const struct timeline_head *h, const struct stored_place *places)
{
    uint64_t sum = stored_sum(h, offsetof(struct timeline_head, head_sum));
    return hash_mix(sum, stored_sum(places, h->part_count * sizeof *places));
}

static void *part_data(const struct timeline_part *p)
{
    void *data;
    memcpy(&data, p->slot, sizeof data);
    return data;
}

static void part_set(const struct timeline_part *p, const void *data)
{
    memcpy(p->slot, &data, sizeof data);
}

/* --- Writing: of a copy of the struct, as listing its parts says how many there are. */

struct image {
    struct timeline tl;
    struct timeline_head head;
    struct timeline_parts parts;
    uint32_t *names;
    struct stored_place *places;
};

static void image_make(struct image *m, const struct timeline *tl)
{
    *m = (struct image){.tl = *tl};
    struct timeline_counts *c = &m->head.counts;
    struct row_list names = timeline_named(tl);
    m->names = (uint32_t *)(uintptr_t)names.rows;
    *c = (struct timeline_counts){
        .slice_lanes = tl->slices.lane_count,
        .slices = tl->slices.count,
        .state_lanes = tl->states.lane_count,
        .states = tl->states.count,
        .sched_lanes = tl->sched.lane_count,
        .sched = tl->sched.count,
        .counter_lanes = tl->counters.lane_count,
        .counters = tl->counters.count,
        .names = names.count,
        .cpus = tl->cpu_count,
    };
    list_parts(&m->parts, &m->tl, c, &m->names);
    size_t count = m->parts.v.count;
    m->places = alloc_array(count, sizeof *m->places);
    uint64_t end = sizeof m->head + count * sizeof *m->places;
    for (size_t i = 0; i < count; i++)
        m->places[i] = stored_place_behind(&end, m->parts.v.items[i].size);
    m->head.part_count = count;
    m->head.size = end;
}

static void image_release(struct image *m)
{
    vec_release(&m->parts.v);
    free(m->places);
}

uint64_t stored_timeline_size(const struct timeline *tl)
{
    struct image m;
    image_make(&m, tl);
    uint64_t size = m.head.size;
    image_release(&m);
    return size;
}

/* The head last: without it the file is none. */
struct status stored_timeline_write(const struct timeline *tl, int fd, uint64_t content,
                                    const atomic_bool *cancel)
{
    struct image m;
    struct status s = status_ok_value();
    image_make(&m, tl);
    for (size_t i = 0; i < m.parts.v.count && status_ok(s); i++) {
        const void *data = part_data(&m.parts.v.items[i]);
        m.places[i].sum = stored_sum(data, m.places[i].size);
        s = stored_write(fd, data, m.places[i].size, m.places[i].offset, cancel);
    }
    struct timeline_head *h = &m.head;
    memcpy(h->magic, TIMELINE_MAGIC, sizeof h->magic);
    h->schema = stored_schema();
    h->trace = trace_hash(tl->trace, content);
    h->head_sum = head_sum(h, m.places);
    if (status_ok(s))
        s = stored_write(fd, m.places, h->part_count * sizeof *m.places, sizeof *h, cancel);
    if (status_ok(s))
        s = stored_write(fd, h, sizeof *h, 0, cancel);
    image_release(&m);
    return s;
}

/* --- Reading. */

static bool map_file(struct stored_timeline *s, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        (uint64_t)st.st_size < sizeof(struct timeline_head))
        return false;
    s->size = (size_t)st.st_size;
    void *map = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    s->map = map;
    s->places = (const void *)(s->map + sizeof(struct timeline_head));
    return true;
}

static bool head_is_sound(const struct stored_timeline *s, const struct trace *t, uint64_t content)
{
    const struct timeline_head *h = (const void *)s->map;
    uint64_t room = (s->size - sizeof *h) / sizeof *s->places;
    return memcmp(h->magic, TIMELINE_MAGIC, sizeof h->magic) == 0 && h->schema == stored_schema() &&
           h->trace == trace_hash(t, content) && h->size == s->size && h->part_count <= room &&
           h->head_sum == head_sum(h, s->places);
}

static bool counts_fit(const struct timeline_counts *c, const struct tables *t)
{
    return c->slices <= t->slice.rows && c->names <= t->slice.rows &&
           c->states <= t->thread_state.rows && c->sched <= t->sched_slice.rows &&
           c->counters <= t->counter.rows && c->state_lanes == t->thread.rows &&
           c->counter_lanes == t->track.rows && c->cpus <= c->sched_lanes;
}

static bool place_fits(const struct stored_timeline *s, const struct stored_place *place,
                       uint64_t size)
{
    return place->offset % STORED_ALIGNMENT == 0 && place->offset <= s->size &&
           place->size == size && place->size <= s->size - place->offset;
}

static bool part_is_sound(const struct stored_timeline *s, size_t i)
{
    const struct stored_place *place = &s->places[i];
    return stored_sum(s->map + place->offset, place->size) == place->sum;
}

/* Has the timeline point into the map; what is small is checked. */
static bool attach(struct stored_timeline *s, struct timeline *tl)
{
    const struct timeline_head *h = (const void *)s->map;
    if (!counts_fit(&h->counts, &tl->trace->tables))
        return false;
    list_parts(&s->parts, tl, &h->counts, &s->names);
    if (s->parts.v.count != h->part_count)
        return false;
    for (size_t i = 0; i < s->parts.v.count; i++) {
        const struct timeline_part *part = &s->parts.v.items[i];
        if (!place_fits(s, &s->places[i], part->size) || (!part->late && !part_is_sound(s, i)))
            return false;
        part_set(part, s->map + s->places[i].offset);
    }
    return true;
}

static bool starts_are_sound(const uint32_t *starts, uint32_t lanes, uint32_t count)
{
    bool ascending = starts[0] == 0;
    for (uint32_t i = 0; i < lanes; i++)
        ascending &= starts[i] <= starts[i + 1];
    return ascending && starts[lanes] == count;
}

static bool all_below(const uint32_t *rows, uint32_t count, uint32_t limit)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = rows[i] > most ? rows[i] : most;
    return count == 0 || most < limit;
}

static bool small_parts_are_sound(const struct timeline *tl)
{
    const struct tables *t = &tl->trace->tables;
    for (uint32_t i = 0; i < t->thread.rows; i++)
        if (tl->threads[i].track != NULL_U32 && tl->threads[i].track >= t->track.rows)
            return false;
    for (uint32_t i = 0; i < t->process.rows; i++)
        if (tl->processes[i].main_thread != NULL_U32 &&
            tl->processes[i].main_thread >= t->thread.rows)
            return false;
    return starts_are_sound(tl->slices.starts, tl->slices.lane_count, tl->slices.count) &&
           starts_are_sound(tl->states.starts, tl->states.lane_count, tl->states.count) &&
           starts_are_sound(tl->sched.starts, tl->sched.lane_count, tl->sched.count) &&
           starts_are_sound(tl->counters.starts, tl->counters.lane_count, tl->counters.count) &&
           starts_are_sound(tl->slice_base, t->track.rows, tl->slices.lane_count) &&
           all_below(tl->flows_out, t->flow.rows, t->flow.rows) &&
           all_below(tl->flows_in, t->flow.rows, t->flow.rows);
}

static void set_tables(struct timeline *tl)
{
    const struct tables *t = &tl->trace->tables;
    tl->slices.table_rows = t->slice.rows;
    tl->slices.ts = table_i64(&t->slice, slice_col_ts);
    tl->slices.dur = tl->slice_dur;
    tl->slices.names = table_u32(&t->slice, slice_col_name);
    tl->states.table_rows = t->thread_state.rows;
    tl->states.ts = table_i64(&t->thread_state, thread_state_col_ts);
    tl->states.dur = table_i64(&t->thread_state, thread_state_col_dur);
    tl->sched.table_rows = t->sched_slice.rows;
    tl->sched.ts = table_i64(&t->sched_slice, sched_slice_col_ts);
    tl->sched.dur = table_i64(&t->sched_slice, sched_slice_col_dur);
    tl->counters.table_rows = t->counter.rows;
    tl->counters.ts = table_i64(&t->counter, counter_col_ts);
    tl->counters.values = table_f64(&t->counter, counter_col_value);
    tl->slices.end = tl->states.end = tl->sched.end = tl->end;
}

bool stored_timeline_open(struct timeline *tl, const struct trace *trace, int fd, uint64_t content)
{
    struct stored_timeline *s = alloc_array(1, sizeof *s);
    timeline_begin(tl, trace);
    tl->stored = s;
    if (map_file(s, fd) && head_is_sound(s, trace, content) && attach(s, tl) &&
        small_parts_are_sound(tl)) {
        const struct timeline_head *h = (const void *)s->map;
        set_tables(tl);
        timeline_list_cpus(tl);
        tl->names = slice_names_adopt(tl, s->names, h->counts.names);
        return true;
    }
    timeline_release(tl);
    return false;
}

bool stored_timeline_is_sound(const struct timeline *tl)
{
    const struct stored_timeline *s = tl->stored;
    for (size_t i = 0; s && i < s->parts.v.count; i++)
        if (s->parts.v.items[i].late && !part_is_sound(s, i))
            return false;
    return true;
}

void stored_timeline_release(struct timeline *tl)
{
    struct stored_timeline *s = tl->stored;
    if (!s)
        return;
    for (size_t i = 0; i < s->parts.v.count; i++)
        part_set(&s->parts.v.items[i], NULL);
    vec_release(&s->parts.v);
    if (s->map)
        munmap(s->map, s->size);
    free(s);
    tl->stored = NULL;
}
