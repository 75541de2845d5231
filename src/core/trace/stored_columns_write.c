#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "core/trace/ftrace_rows.h"
#include "core/trace/settled_args.h"
#include "core/trace/stored_parts.h"

/* A trace as parts: those that are made for the file are owned. */
struct stored_image {
    struct trace trace; /* a copy of the struct: reading it needs no lock */
    struct stored_head head;
    struct stored_flat flat;
    struct byte_list decoders;
    struct stored_list parts;
    struct stored_place *places; /* of each */
};

bool stored_columns_possible(const struct trace *t)
{
    for (size_t i = 0; i < t->args.decoders.count; i++)
        if (!t->args.decoders.items[i].name)
            return false;
    return true;
}

static void flatten_strings(struct stored_image *m)
{
    const struct string_pool *pool = &m->trace.strings;
    uint32_t count = __atomic_load_n(&m->trace.strings.count, __ATOMIC_ACQUIRE);
    uint64_t size = 0;
    m->flat.string_ends = alloc_array(count, sizeof *m->flat.string_ends);
    for (uint32_t i = 0; i < count; i++)
        m->flat.string_ends[i] = size += string_pool_get(pool, i).n + 1;
    m->flat.string_bytes = alloc_bytes(size);
    char *to = m->flat.string_bytes;
    for (uint32_t i = 0; i < count; i++) {
        struct str s = string_pool_get(pool, i);
        memcpy(to, s.p, s.n);
        to[s.n] = '\0';
        to += s.n + 1;
    }
    m->head.counts.strings = count;
    m->head.counts.string_bytes = size;
}

static const struct str *payload_at(const struct trace *t, uint64_t i)
{
    uint64_t videos = t->video_payloads.count;
    return i < videos ? &t->video_payloads.items[i] : &t->heap_arrays.items[i - videos];
}

static void flatten_payloads(struct stored_image *m)
{
    const struct trace *t = &m->trace;
    uint64_t count = t->video_payloads.count + t->heap_arrays.count, size = 0;
    m->flat.payload_sizes = alloc_array(count, sizeof *m->flat.payload_sizes);
    for (uint64_t i = 0; i < count; i++)
        size += m->flat.payload_sizes[i] = payload_at(t, i)->n;
    m->flat.payload_bytes = alloc_bytes(size);
    uint8_t *to = m->flat.payload_bytes;
    for (uint64_t i = 0; i < count; i++) {
        struct str s = *payload_at(t, i);
        if (s.n)
            memcpy(to, s.p, s.n);
        to += s.n;
    }
    m->head.counts.payloads = count;
    m->head.counts.video_payloads = t->video_payloads.count;
    m->head.counts.payload_bytes = size;
}

static void flatten_args(struct stored_image *m)
{
    const struct args *a = &m->trace.args;
    for (size_t i = 0; i < a->decoders.count; i++) {
        const struct args_decoder *d = &a->decoders.items[i];
        struct byte_list state = {0};
        if (d->save)
            d->save(d->self, &state);
        byte_list_str(&m->decoders, str_from(d->name));
        byte_list_str(&m->decoders, (struct str){(const char *)state.v.items, state.v.count});
        vec_release(&state.v);
    }
    m->flat.kinds = a->kinds.items;
    m->flat.decoders = m->decoders.v.items;
    struct stored_counts *c = &m->head.counts;
    c->decoder_bytes = m->decoders.v.count;
    c->arg_kinds = a->kinds.count;
    c->arg_sets = a->places.count;
    c->shared_bytes = a->shared.bytes.count;
    c->shared_laps = a->shared.laps.count;
    c->unshared_bytes = a->unshared.bytes.count;
    c->unshared_laps = a->unshared.laps.count;
    c->place_bits = a->place_bits;
}

static void count_rest(struct stored_image *m)
{
    const struct trace *t = &m->trace;
    struct stored_counts *c = &m->head.counts;
    c->root_distances = t->heap_root_distances.count;
    c->start_ts = t->start_ts;
    c->end_ts = t->end_ts;
    c->is_window = t->is_window;
    c->whole_start = t->whole_start;
    c->whole_end = t->whole_end;
    c->cpu_block_count = t->cpu_block_count;
    memcpy(c->cpu_blocks, t->cpu_blocks, sizeof c->cpu_blocks);
    for (uint32_t i = 0; i < TABLE_COUNT; i++)
        m->head.rows[i] = tables_array(&m->trace.tables)[i].rows;
}

static uint64_t part_size(const struct stored_part *p)
{
    return p->optional && !stored_part_data(p) ? 0 : p->size;
}

struct stored_place stored_place_behind(uint64_t *end, uint64_t size)
{
    if (size == 0)
        return (struct stored_place){0};
    uint64_t offset = (*end + STORED_ALIGNMENT - 1) / STORED_ALIGNMENT * STORED_ALIGNMENT;
    *end = offset + size;
    return (struct stored_place){.offset = offset, .size = size};
}

static void place_parts(struct stored_image *m)
{
    size_t count = m->parts.v.count;
    m->places = alloc_array(count, sizeof *m->places);
    uint64_t end = sizeof m->head + count * sizeof *m->places;
    for (size_t i = 0; i < count; i++) {
        const struct stored_part *p = &m->parts.v.items[i];
        m->places[i] = stored_place_behind(&end, part_size(p));
        m->places[i].unsorted = p->column && p->column->unsorted;
    }
    m->head.part_count = count;
    m->head.size = end;
}

struct stored_image *stored_image_new(const struct trace *t)
{
    ftrace_rows_ready(t);
    if (!settled_args_ready(t))
        return NULL;
    struct stored_image *m = alloc_array(1, sizeof *m);
    m->trace = *t;
    flatten_strings(m);
    flatten_payloads(m);
    flatten_args(m);
    count_rest(m);
    stored_parts(&m->parts, &m->trace, &m->head.counts, &m->flat);
    place_parts(m);
    return m;
}

void stored_image_free(struct stored_image *m)
{
    free(m->flat.string_ends);
    free(m->flat.string_bytes);
    free(m->flat.payload_sizes);
    free(m->flat.payload_bytes);
    vec_release(&m->decoders.v);
    vec_release(&m->parts.v);
    free(m->places);
    free(m);
}

uint64_t stored_image_size(const struct stored_image *m)
{
    return m->head.size;
}

struct status stored_write(int fd, const void *data, uint64_t n, uint64_t offset,
                           const atomic_bool *cancel)
{
    enum { STEP = 16 << 20 };
    const uint8_t *p = data;
    while (n > 0) {
        if (cancel && atomic_load(cancel))
            return status_error(STATUS_CANCELLED, "cancelled");
        ssize_t done = pwrite(fd, p, n < STEP ? n : STEP, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return status_error(STATUS_IO, "cannot be written: %s", strerror(errno));
        p += done;
        n -= (uint64_t)done;
        offset += (uint64_t)done;
    }
    return status_ok_value();
}

static struct status write_parts(struct stored_image *m, int fd, const atomic_bool *cancel)
{
    struct status s = status_ok_value();
    for (size_t i = 0; i < m->parts.v.count && status_ok(s); i++) {
        struct stored_place *place = &m->places[i];
        const void *data = stored_part_data(&m->parts.v.items[i]);
        place->sum = stored_sum(data, place->size);
        s = stored_write(fd, data, place->size, place->offset, cancel);
    }
    return s;
}

/* The head last: without it the file is none. */
struct status stored_image_write(struct stored_image *m, const struct stored_source *source, int fd,
                                 const atomic_bool *cancel)
{
    struct stored_head *h = &m->head;
    memcpy(h->magic, STORED_MAGIC, sizeof h->magic);
    h->version = STORED_VERSION;
    h->byte_order = STORED_BYTE_ORDER;
    h->schema = stored_schema();
    h->source = *source;
    struct status s = write_parts(m, fd, cancel);
    h->head_sum = stored_head_sum(h, m->places);
    if (status_ok(s))
        s = stored_write(fd, m->places, m->parts.v.count * sizeof *m->places, sizeof *h, cancel);
    if (status_ok(s))
        s = stored_write(fd, h, sizeof *h, 0, cancel);
    return s;
}

struct status stored_columns_write(const struct trace *t, const struct stored_source *source,
                                   int fd, const atomic_bool *cancel)
{
    struct stored_image *m = stored_image_new(t);
    if (!m)
        return status_error(STATUS_IO, "%s", settled_args_lost);
    struct status s = stored_image_write(m, source, fd, cancel);
    stored_image_free(m);
    return s;
}
