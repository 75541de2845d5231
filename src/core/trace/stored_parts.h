/* The parts of a file of columns: what writing and reading it share. */
#ifndef TPTUI_CORE_TRACE_STORED_PARTS_H
#define TPTUI_CORE_TRACE_STORED_PARTS_H

#include "core/trace/stored_columns.h"

enum { STORED_ALIGNMENT = 64, STORED_VERSION = 3, STORED_BYTE_ORDER = 0x01020304 };

#define STORED_MAGIC "tptui columns\n\0"

/* How many of what there is that is no table. */
struct stored_counts {
    uint64_t strings, string_bytes;
    uint64_t shared_bytes, shared_laps, unshared_bytes, unshared_laps, arg_sets, arg_kinds;
    uint64_t decoder_bytes;
    uint64_t root_distances;
    uint64_t payloads, video_payloads, payload_bytes; /* the videos' come first */
    uint64_t place_bits;
    int64_t start_ts, end_ts, whole_start, whole_end;
    uint32_t cpu_block_count, cpu_blocks[CPU_MACHINES_MAX];
    uint32_t is_window;
};

struct stored_head {
    char magic[sizeof STORED_MAGIC];
    uint32_t version, byte_order;
    uint64_t schema; /* stored_schema() */
    struct stored_source source;
    struct stored_counts counts;
    uint64_t part_count, size; /* of the file */
    uint32_t rows[TABLE_COUNT];
    uint64_t head_sum; /* of what stands before, and of the list of parts behind it */
};

/* Where a part lies. */
struct stored_place {
    uint64_t offset, size, sum;
    uint64_t unsorted; /* of a column's values */
};

enum stored_group { STORED_REST = TABLE_COUNT, STORED_ARGS, STORED_GROUPS };

/* A part of the file. */
struct stored_part {
    void *slot;            /* the pointer of the trace that points to its bytes, of any type */
    uint64_t size;         /* what it must have, or 0; see `optional`. Of a SMALL column whose width
                            * is not known, of one that is 4 wide */
    struct column *column; /* whose values these are, or NULL */
    bool optional;         /* there or not, depending on the trace */
    uint32_t group;        /* the number of a table, or enum stored_group */
};

/* What has no pointer of its own in a trace. */
struct stored_flat {
    uint64_t *string_ends; /* of each string, with the NUL behind it */
    char *string_bytes;
    struct args_kind *kinds;
    uint8_t *decoders; /* name and state of each */
    uint64_t *payload_sizes;
    uint8_t *payload_bytes;
};

struct stored_list {
    VEC(struct stored_part) v;
};

/* The parts of `t`, whose tables have their rows, with counts `c`; `f` takes the rest. Always as
 * many, in the same order. */
void stored_parts(struct stored_list *list, struct trace *t, const struct stored_counts *c,
                  struct stored_flat *f);

static inline void *stored_part_data(const struct stored_part *p)
{
    void *data;
    memcpy(&data, p->slot, sizeof data);
    return data;
}

static inline void stored_part_set(const struct stored_part *p, const void *data)
{
    memcpy(p->slot, &data, sizeof data);
}

/* A hash of everything that decides what the bytes mean: the schema and the build. */
uint64_t stored_schema(void);
/* The sum of a part, and of a head with its list of parts. */
uint64_t stored_sum(const void *data, size_t n);
uint64_t stored_head_sum(const struct stored_head *h, const struct stored_place *places);

/* The place of a part of `size` bytes behind what ends at `*end`, which becomes its own end. An
 * empty one takes none: nothing is written of it, and the file would end before it. */
struct stored_place stored_place_behind(uint64_t *end, uint64_t size);

/* Writes `n` bytes at an offset; STATUS_CANCELLED once `cancel`, if there is one, is set. */
struct status stored_write(int fd, const void *data, uint64_t n, uint64_t offset,
                           const atomic_bool *cancel);

/* Whether all that a table refers to is there; sums are checked elsewhere. */
bool stored_table_is_sound(const struct trace *t, const struct table *table);

#endif
