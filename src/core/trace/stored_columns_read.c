#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/trace/ftrace_rows.h"
#include "core/trace/stored_parts.h"

/* The tables that are large in large traces. Whoever reads them asks stored_table_ready before; all
 * others are checked when the file is opened. */
static const enum table_number checked_late[] = {
    TABLE_ftrace_event,         TABLE_slice,   TABLE_sched_slice,
    TABLE_thread_state,         TABLE_counter, TABLE_heap_graph_object,
    TABLE_heap_graph_reference,
};

enum group_state { GROUP_UNCHECKED, GROUP_SOUND, GROUP_DAMAGED };

/* A mapped file. Its pages are private: what the program changes does not reach the file. */
struct stored_columns {
    uint8_t *map;
    size_t size;
    struct stored_list parts;
    const struct stored_place *places; /* of each part; in the map */
    struct stored_flat flat;
    pthread_mutex_t lock; /* around checking */
    _Atomic uint8_t states[STORED_GROUPS];
    atomic_bool damaged;
    struct trace *trace;
};

static struct status unusable(const char *why)
{
    return status_error(STATUS_FORMAT, "%s", why);
}

static bool same_source(const struct stored_source *a, const struct stored_source *b)
{
    return file_identity_same(&a->file, &b->file) && a->content == b->content && a->as == b->as;
}

static bool is_of_this_version(const struct stored_head *h)
{
    return h->version == STORED_VERSION && h->byte_order == STORED_BYTE_ORDER &&
           h->schema == stored_schema();
}

static struct status check_head(const struct stored_columns *s, const struct stored_source *source)
{
    const struct stored_head *h = (const void *)s->map;
    if (s->size < sizeof *h || memcmp(h->magic, STORED_MAGIC, sizeof h->magic) != 0)
        return unusable("it is no file of columns");
    if (!is_of_this_version(h))
        return status_error(STATUS_USAGE, "it is of another version of the program");
    uint64_t room = (s->size - sizeof *h) / sizeof *s->places;
    if (h->size != s->size || h->part_count > room)
        return unusable("it is cut short");
    if (h->head_sum != stored_head_sum(h, s->places))
        return unusable("its head is damaged");
    if (source && !same_source(&h->source, source))
        return unusable("it is of another trace");
    return status_ok_value();
}

static bool is_small(const struct stored_part *part)
{
    return part->column && part->column->def->type == COLUMN_TYPE_SMALL;
}

static bool place_fits(const struct stored_columns *s, const struct stored_part *part,
                       const struct stored_place *place)
{
    if (place->offset % STORED_ALIGNMENT || place->offset > s->size ||
        place->size > s->size - place->offset)
        return false;
    if (is_small(part))
        return place->size == part->size || place->size == part->size / 2 ||
               place->size == part->size / 4;
    return place->size == part->size || (part->optional && place->size == 0);
}

/* Has the trace point into the map. */
static bool attach(struct stored_columns *s, struct trace *t)
{
    const struct stored_head *h = (const void *)s->map;
    const struct stored_counts *c = &h->counts;
    if (c->strings == 0 || c->strings >= (uint64_t)STRING_CHUNKS << STRING_CHUNK_BITS ||
        c->arg_sets >= UINT32_MAX || c->place_bits != t->args.place_bits ||
        c->cpu_block_count > CPU_MACHINES_MAX)
        return false;
    for (uint32_t i = 0; i < TABLE_COUNT; i++)
        tables_array(&t->tables)[i].rows = h->rows[i];
    stored_parts(&s->parts, t, c, &s->flat);
    if (s->parts.v.count != h->part_count)
        return false;
    for (size_t i = 0; i < s->parts.v.count; i++)
        if (!place_fits(s, &s->parts.v.items[i], &s->places[i]))
            return false;
    for (size_t i = 0; i < s->parts.v.count; i++) {
        const struct stored_part *part = &s->parts.v.items[i];
        const struct stored_place *place = &s->places[i];
        stored_part_set(part, place->size ? s->map + place->offset : NULL);
        if (part->column)
            part->column->unsorted = place->unsorted;
        if (is_small(part) && place->size > 0)
            part->column->width = (uint8_t)(sizeof(uint32_t) / (part->size / place->size));
    }
    return true;
}

static bool sums_match(const struct stored_columns *s, uint32_t group)
{
    for (size_t i = 0; i < s->parts.v.count; i++) {
        const struct stored_place *place = &s->places[i];
        if (s->parts.v.items[i].group == group && place->size > 0 &&
            stored_sum(s->map + place->offset, place->size) != place->sum)
            return false;
    }
    return true;
}

static bool group_is_sound(struct stored_columns *s, uint32_t group)
{
    if (!sums_match(s, group))
        return false;
    if (group < TABLE_COUNT)
        return stored_table_is_sound(s->trace, &tables_array(&s->trace->tables)[group]);
    return group != STORED_ARGS || args_are_sound(&s->trace->args, s->trace->strings.count);
}

static bool group_ready(struct stored_columns *s, uint32_t group)
{
    if (atomic_load(&s->states[group]) == GROUP_UNCHECKED) {
        pthread_mutex_lock(&s->lock);
        if (atomic_load(&s->states[group]) == GROUP_UNCHECKED) {
            bool sound = group_is_sound(s, group);
            if (!sound)
                atomic_store(&s->damaged, true);
            atomic_store(&s->states[group], sound ? GROUP_SOUND : GROUP_DAMAGED);
        }
        pthread_mutex_unlock(&s->lock);
    }
    return atomic_load(&s->states[group]) == GROUP_SOUND;
}

static bool check_args(void *self)
{
    return group_ready(self, STORED_ARGS);
}

static bool read_strings(const struct stored_columns *s, struct trace *t)
{
    const struct stored_head *h = (const void *)s->map;
    uint64_t from = 0;
    for (uint64_t i = 0; i < h->counts.strings; i++) {
        uint64_t end = s->flat.string_ends[i];
        if (end <= from || end > h->counts.string_bytes || s->flat.string_bytes[end - 1] != '\0')
            return false;
        struct str text = {s->flat.string_bytes + from, end - 1 - from};
        if (!string_pool_adopt(&t->strings, text, (uint32_t)i))
            return false;
        from = end;
    }
    string_pool_index(&t->strings);
    return true;
}

static bool restore_decoder(struct trace *t, struct byte_reader *r,
                            const struct args_restorer *restorers)
{
    struct str name = byte_reader_str(r), state = byte_reader_str(r);
    struct byte_reader reader = {(const uint8_t *)state.p, state.n, false};
    size_t before = t->args.decoders.count;
    if (r->failed)
        return false;
    for (; restorers->name; restorers++)
        if (str_eq(name, str_from(restorers->name)))
            return restorers->restore(t, reader) && t->args.decoders.count == before + 1;
    return false;
}

static bool read_args(const struct stored_columns *s, struct trace *t,
                      const struct args_restorer *restorers)
{
    const struct stored_counts *c = &((const struct stored_head *)(const void *)s->map)->counts;
    struct args *a = &t->args;
    struct byte_reader r = {s->flat.decoders, c->decoder_bytes, false};
    while (r.n > 0)
        if (!restore_decoder(t, &r, restorers))
            return false;
    a->kinds.count = 0;
    for (uint64_t i = 0; i < c->arg_kinds; i++) {
        struct args_kind kind = s->flat.kinds[i];
        if (i > 0 && kind.decoder >= a->decoders.count)
            return false;
        *vec_push(&a->kinds) = kind;
        map_set(&a->kind_numbers, (uint64_t)kind.decoder << 32 | kind.context, (uint32_t)i);
    }
    a->places.count = c->arg_sets;
    a->shared.bytes.count = c->shared_bytes;
    a->shared.laps.count = c->shared_laps;
    a->unshared.bytes.count = c->unshared_bytes;
    a->unshared.laps.count = c->unshared_laps;
    return c->arg_kinds > 0;
}

static bool read_payloads(const struct stored_columns *s, struct trace *t)
{
    const struct stored_counts *c = &((const struct stored_head *)(const void *)s->map)->counts;
    uint64_t from = 0;
    for (uint64_t i = 0; i < c->payloads; i++) {
        uint64_t n = s->flat.payload_sizes[i];
        if (n > c->payload_bytes - from)
            return false;
        struct str payload = {(char *)s->flat.payload_bytes + from, n};
        if (i < c->video_payloads)
            *vec_push(&t->video_payloads) = payload;
        else
            *vec_push(&t->heap_arrays) = payload;
        from += n;
    }
    t->heap_root_distances.count = c->root_distances;
    return c->root_distances == 0 || c->root_distances == t->tables.heap_graph_object.rows;
}

static void read_numbers(const struct stored_columns *s, struct trace *t)
{
    const struct stored_counts *c = &((const struct stored_head *)(const void *)s->map)->counts;
    t->start_ts = c->start_ts;
    t->end_ts = c->end_ts;
    t->is_window = c->is_window;
    t->whole_start = c->whole_start;
    t->whole_end = c->whole_end;
    t->cpu_block_count = c->cpu_block_count;
    memcpy(t->cpu_blocks, c->cpu_blocks, sizeof t->cpu_blocks);
}

static bool cpu_blocks_exist(const struct trace *t)
{
    for (uint32_t i = 0; i < CPU_MACHINES_MAX; i++)
        if (t->cpu_blocks[i] > t->cpu_block_count)
            return false;
    return true;
}

static bool is_checked_late(uint32_t table)
{
    for (size_t i = 0; i < sizeof checked_late / sizeof *checked_late; i++)
        if (checked_late[i] == table)
            return true;
    return false;
}

static bool small_tables_are_sound(struct stored_columns *s)
{
    for (uint32_t i = 0; i < TABLE_COUNT; i++)
        if (!is_checked_late(i) && !group_ready(s, i))
            return false;
    return true;
}

static struct status fill(struct stored_columns *s, struct trace *t,
                          const struct args_restorer *restorers)
{
    if (!attach(s, t) || !sums_match(s, STORED_REST))
        return unusable("it is damaged");
    read_numbers(s, t);
    if (!read_strings(s, t) || !read_args(s, t, restorers) || !read_payloads(s, t) ||
        !cpu_blocks_exist(t) || !small_tables_are_sound(s))
        return unusable("it is damaged");
    t->args.check = check_args;
    t->args.check_self = s;
    return status_ok_value();
}

static struct status map_file(struct stored_columns *s, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return unusable("it is no file of columns");
    s->size = (size_t)st.st_size;
    void *map = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    if (map == MAP_FAILED)
        return unusable("it cannot be mapped");
    s->map = map;
    s->places = (const void *)(s->map + sizeof(struct stored_head));
    return status_ok_value();
}

struct status stored_columns_read(struct trace *t, const struct stored_source *source, int fd,
                                  const struct args_restorer *restorers)
{
    struct stored_columns *s = alloc_array(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->trace = t;
    t->stored = s;
    struct status status = map_file(s, fd);
    if (status_ok(status))
        status = check_head(s, source);
    if (status_ok(status))
        status = fill(s, t, restorers);
    return status;
}

bool stored_columns_describe(int fd, struct stored_source *source, bool *of_this_version)
{
    struct stored_head h;
    if (pread(fd, &h, sizeof h, 0) != sizeof h ||
        memcmp(h.magic, STORED_MAGIC, sizeof h.magic) != 0)
        return false;
    *of_this_version = is_of_this_version(&h);
    *source = h.source;
    source->name[sizeof source->name - 1] = '\0';
    return true;
}

bool stored_table_ready(const struct trace *t, const struct table *table)
{
    const struct table *first = tables_array_const(&t->tables);
    if (table == &t->tables.ftrace_event)
        ftrace_rows_ready(t);
    if (!t->stored || table < first || table >= first + TABLE_COUNT)
        return true;
    return group_ready(t->stored, (uint32_t)(table - first));
}

bool stored_columns_check(const struct trace *t)
{
    for (uint32_t i = 0; t->stored && i < TABLE_COUNT; i++)
        if (i != TABLE_ftrace_event && !group_ready(t->stored, i))
            return false;
    return true;
}

bool stored_columns_damaged(const struct trace *t)
{
    return t->stored && atomic_load(&t->stored->damaged);
}

struct status stored_columns_error(void)
{
    return status_error(STATUS_SQL, "the kept columns of the trace are damaged: remove them "
                                    "(tptui cache clear) or go on with --no-cache");
}

static void forget_parts(struct stored_columns *s)
{
    for (size_t i = 0; i < s->parts.v.count; i++)
        stored_part_set(&s->parts.v.items[i], NULL);
    vec_release(&s->parts.v);
}

void stored_columns_release(struct trace *t)
{
    struct stored_columns *s = t->stored;
    if (!s)
        return;
    forget_parts(s);
    if (s->map)
        munmap(s->map, s->size);
    pthread_mutex_destroy(&s->lock);
    free(s);
    t->stored = NULL;
}
