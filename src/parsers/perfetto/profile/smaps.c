/* Memory mappings of a process with their sizes, as /proc/PID/smaps tells them. */
#include <stddef.h>

#include "parsers/perfetto/packets/modules.h"
#include "pb_fields.h"

/* A mapping's path, and the path of its file where that was deleted since. */
struct smaps_path {
    string_id path, trimmed;
    bool deleted;
};

static struct smaps_path intern_path(struct trace *t, struct str path)
{
    const struct str ending = STR(" (deleted)");
    struct str trimmed = path;
    bool deleted = str_ends(path, ending);
    if (deleted)
        trimmed.n -= ending.n;
    return (struct smaps_path){trace_intern(t, path), trace_intern(t, trimmed), deleted};
}

static struct profiler_smaps_row empty_row(struct trace *t, const struct packet *p, uint32_t upid)
{
    string_id empty = trace_intern(t, STR(""));
    return (struct profiler_smaps_row){.upid = upid,
                                       .ts = p->ts,
                                       .path = empty,
                                       .path_trimmed = empty,
                                       .file_name = empty,
                                       .module_debugid = empty,
                                       .module_debug_path = empty,
                                       .aggregate_count = 1};
}

static void set_path(struct profiler_smaps_row *row, struct smaps_path path)
{
    row->path = path.path;
    row->path_trimmed = path.trimmed;
    row->is_deleted = path.deleted;
}

static void add_entry(struct import *im, const struct packet *p, uint32_t upid, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct profiler_smaps_row row = empty_row(t, p, upid);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_SmapsEntry_path:
            set_path(&row, intern_path(t, pb_str(&f)));
            break;
        case PB_SmapsEntry_size_kb:
            row.size_kb = pb_i64(&f);
            break;
        case PB_SmapsEntry_private_dirty_kb:
            row.private_dirty_kb = pb_i64(&f);
            break;
        case PB_SmapsEntry_swap_kb:
            row.swap_kb = pb_i64(&f);
            break;
        case PB_SmapsEntry_file_name:
            row.file_name = trace_intern(t, pb_str(&f));
            break;
        case PB_SmapsEntry_start_address:
            row.start_address = pb_i64(&f);
            break;
        case PB_SmapsEntry_module_timestamp:
            row.module_timestamp = pb_i64(&f);
            break;
        case PB_SmapsEntry_module_debugid:
            row.module_debugid = trace_intern(t, pb_str(&f));
            break;
        case PB_SmapsEntry_module_debug_path:
            row.module_debug_path = trace_intern(t, pb_str(&f));
            break;
        case PB_SmapsEntry_protection_flags:
            row.protection_flags = pb_u32(&f);
            break;
        case PB_SmapsEntry_private_clean_resident_kb:
            row.private_clean_resident_kb = pb_i64(&f);
            break;
        case PB_SmapsEntry_shared_dirty_resident_kb:
            row.shared_dirty_resident_kb = pb_i64(&f);
            break;
        case PB_SmapsEntry_shared_clean_resident_kb:
            row.shared_clean_resident_kb = pb_i64(&f);
            break;
        case PB_SmapsEntry_locked_kb:
            row.locked_kb = pb_i64(&f);
            break;
        case PB_SmapsEntry_proportional_resident_kb:
            row.proportional_resident_kb = pb_i64(&f);
            break;
        default:
            break;
        }
    }
    profiler_smaps_append(&t->tables.profiler_smaps, &row);
}

/* Where the numbers of a packed field go, by field number. */
static const size_t packed_columns[] = {
    [PB_PackedSmaps_size_kb] = offsetof(struct profiler_smaps_row, size_kb),
    [PB_PackedSmaps_rss_kb] = offsetof(struct profiler_smaps_row, rss_kb),
    [PB_PackedSmaps_anonymous_kb] = offsetof(struct profiler_smaps_row, anonymous_kb),
    [PB_PackedSmaps_swap_kb] = offsetof(struct profiler_smaps_row, swap_kb),
    [PB_PackedSmaps_shared_clean_kb] =
        offsetof(struct profiler_smaps_row, shared_clean_resident_kb),
    [PB_PackedSmaps_shared_dirty_kb] =
        offsetof(struct profiler_smaps_row, shared_dirty_resident_kb),
    [PB_PackedSmaps_private_clean_kb] =
        offsetof(struct profiler_smaps_row, private_clean_resident_kb),
    [PB_PackedSmaps_private_dirty_kb] = offsetof(struct profiler_smaps_row, private_dirty_kb),
    [PB_PackedSmaps_locked_kb] = offsetof(struct profiler_smaps_row, locked_kb),
    [PB_PackedSmaps_pss_kb] = offsetof(struct profiler_smaps_row, proportional_resident_kb),
    [PB_PackedSmaps_pss_dirty_kb] = offsetof(struct profiler_smaps_row, pss_dirty_kb),
    [PB_PackedSmaps_swap_pss_kb] = offsetof(struct profiler_smaps_row, swap_pss_kb),
};

enum { PACKED_FIELDS = sizeof packed_columns / sizeof *packed_columns };

struct packed_values {
    VEC(uint64_t) v;
};

/* A table by columns: a mapping is what stands at one position of all fields that are there. Names
 * are counted from the list of strings, unless each string is one row that sums up mappings. */
struct packed_smaps {
    VEC(struct smaps_path) paths;
    struct packed_values fields[PACKED_FIELDS]; /* by field number */
};

static void read_packed(struct trace *t, struct packed_smaps *s, struct pb_reader r)
{
    struct pb_field f;
    uint64_t v;
    while (pb_next(&r, &f)) {
        if (f.number == PB_PackedSmaps_string_table)
            *vec_push(&s->paths) = intern_path(t, pb_str(&f));
        if (f.number < PB_PackedSmaps_name_id || f.number >= PACKED_FIELDS)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &v))
            *vec_push(&s->fields[f.number].v) = v;
    }
}

static void add_packed(struct import *im, const struct packet *p, uint32_t upid, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct packed_smaps s = {0};
    read_packed(t, &s, r);
    const uint64_t *names = s.fields[PB_PackedSmaps_name_id].v.items;
    const uint64_t *counts = s.fields[PB_PackedSmaps_aggregate_count].v.items;
    size_t rows = counts ? s.paths.count : s.fields[PB_PackedSmaps_name_id].v.count;
    size_t shortest = rows;
    bool valid = true;
    for (size_t i = PB_PackedSmaps_name_id; i < PACKED_FIELDS; i++) {
        size_t n = s.fields[i].v.count;
        valid = valid && (n == 0 || n == rows);
        shortest = n && n < shortest ? n : shortest;
    }
    for (size_t i = 0; i < shortest; i++) {
        uint64_t name = counts ? i : names[i];
        if (name >= s.paths.count) {
            valid = false;
            break;
        }
        struct profiler_smaps_row row = empty_row(t, p, upid);
        set_path(&row, s.paths.items[name]);
        if (counts)
            row.aggregate_count = (uint32_t)counts[i];
        for (size_t j = PB_PackedSmaps_size_kb; j < PACKED_FIELDS; j++)
            if (s.fields[j].v.count)
                *(int64_t *)((char *)&row + packed_columns[j]) = (int64_t)s.fields[j].v.items[i];
        profiler_smaps_append(&t->tables.profiler_smaps, &row);
    }
    if (!valid)
        stats_count(t, STAT_smaps_parser_errors);
    vec_release(&s.paths);
    for (size_t i = 0; i < PACKED_FIELDS; i++)
        vec_release(&s.fields[i].v);
}

void smaps_packet_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field), entries = r;
    struct pb_field f;
    struct pb_field packed = {0};
    uint32_t pid = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_SmapsPacket_pid)
            pid = pb_u32(&f);
        else if (f.number == PB_SmapsPacket_packed_entries)
            packed = f;
    }
    uint32_t upid = process_tracker_process(im->trace, p->machine, pid);
    if (packed.number) {
        add_packed(im, p, upid, pb_message(&packed));
        return;
    }
    while (pb_next(&entries, &f))
        if (f.number == PB_SmapsPacket_entries)
            add_entry(im, p, upid, pb_message(&f));
}
