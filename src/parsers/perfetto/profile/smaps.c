/* Memory mappings of a process with their sizes, as /proc/PID/smaps tells them. */
#include <stddef.h>

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "pb_fields.h"
#include "core/store/rows.h"

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

static struct profiler_smaps_row empty_row(const struct packet *p, uint32_t upid)
{
    return (struct profiler_smaps_row){.upid = upid, .ts = p->ts, .aggregate_count = 1};
}

static void set_path(struct profiler_smaps_row *row, struct smaps_path path)
{
    row->path = path.path;
    row->path_trimmed = path.trimmed;
    row->is_deleted = path.deleted;
}

static void add_entry(struct import *im, const struct packet *p, uint32_t upid, const SmapsEntry *e)
{
    struct trace *t = im->trace;
    struct profiler_smaps_row row = empty_row(p, upid);
    if (e->has_path)
        set_path(&row, intern_path(t, unpacked_str(e->path)));
    row.size_kb = (int64_t)e->size_kb;
    row.private_dirty_kb = (int64_t)e->private_dirty_kb;
    row.swap_kb = (int64_t)e->swap_kb;
    row.file_name = intern_unpacked(im, UNPACKED_TEXT(e, file_name));
    row.start_address = (int64_t)e->start_address;
    row.module_timestamp = (int64_t)e->module_timestamp;
    row.module_debugid = intern_unpacked(im, UNPACKED_TEXT(e, module_debugid));
    row.module_debug_path = intern_unpacked(im, UNPACKED_TEXT(e, module_debug_path));
    row.protection_flags = e->protection_flags;
    row.private_clean_resident_kb = (int64_t)e->private_clean_resident_kb;
    row.shared_dirty_resident_kb = (int64_t)e->shared_dirty_resident_kb;
    row.shared_clean_resident_kb = (int64_t)e->shared_clean_resident_kb;
    row.locked_kb = (int64_t)e->locked_kb;
    row.proportional_resident_kb = (int64_t)e->proportional_resident_kb;
    profiler_smaps_append(&t->tables.profiler_smaps, &row);
}

/* Numbers of all mappings, and where they go in a row. */
struct packed_column {
    size_t count;
    const uint64_t *values;
    size_t offset;
};

struct packed_rows {
    size_t count; /* of the shortest column */
    bool valid;   /* all are of one length */
};

static void count_column(struct packed_rows *rows, size_t expected, size_t n)
{
    rows->valid = rows->valid && (n == 0 || n == expected);
    rows->count = n && n < rows->count ? n : rows->count;
}

static struct packed_rows count_rows(const PackedSmaps *s, const struct packed_column *columns,
                                     size_t n)
{
    size_t expected = s->n_aggregate_count ? s->n_string_table : s->n_name_id;
    struct packed_rows rows = {.count = expected, .valid = true};
    count_column(&rows, expected, s->n_name_id);
    count_column(&rows, expected, s->n_aggregate_count);
    for (size_t i = 0; i < n; i++)
        count_column(&rows, expected, columns[i].count);
    return rows;
}

/* A table by columns: a mapping is what stands at one position of all fields that are there. Names
 * are counted from the list of strings, unless each string is one row that sums up mappings. */
static void add_packed(struct import *im, const struct packet *p, uint32_t upid,
                       const PackedSmaps *s)
{
#define COLUMN(field, member)                                                                      \
    {                                                                                              \
        s->n_##field, s->field, offsetof(struct profiler_smaps_row, member)                        \
    }
    const struct packed_column columns[] = {
        COLUMN(size_kb, size_kb),
        COLUMN(rss_kb, rss_kb),
        COLUMN(anonymous_kb, anonymous_kb),
        COLUMN(swap_kb, swap_kb),
        COLUMN(shared_clean_kb, shared_clean_resident_kb),
        COLUMN(shared_dirty_kb, shared_dirty_resident_kb),
        COLUMN(private_clean_kb, private_clean_resident_kb),
        COLUMN(private_dirty_kb, private_dirty_kb),
        COLUMN(locked_kb, locked_kb),
        COLUMN(pss_kb, proportional_resident_kb),
        COLUMN(pss_dirty_kb, pss_dirty_kb),
        COLUMN(swap_pss_kb, swap_pss_kb),
    };
#undef COLUMN
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    struct trace *t = im->trace;
    bool sums = s->n_aggregate_count > 0;
    struct packed_rows rows = count_rows(s, columns, COLUMNS);
    for (size_t i = 0; i < rows.count; i++) {
        size_t name = sums ? i : s->name_id[i];
        if (name >= s->n_string_table) {
            rows.valid = false;
            break;
        }
        struct profiler_smaps_row row = empty_row(p, upid);
        set_path(&row, intern_path(t, unpacked_str(s->string_table[name])));
        if (sums)
            row.aggregate_count = s->aggregate_count[i];
        for (size_t k = 0; k < COLUMNS; k++)
            if (columns[k].count)
                *(int64_t *)((char *)&row + columns[k].offset) = (int64_t)columns[k].values[i];
        profiler_smaps_append(&t->tables.profiler_smaps, &row);
    }
    if (!rows.valid)
        stats_count(t, STAT_smaps_parser_errors);
}

static void smaps_packet_parse(struct import *im, const struct packet *p)
{
    const SmapsPacket *smaps = unpack_packet(im, &smaps_packet__descriptor, p);
    uint32_t upid = process_tracker_process(im->trace, p->machine, smaps->pid);
    if (smaps->packed_entries) {
        add_packed(im, p, upid, smaps->packed_entries);
        return;
    }
    for (size_t i = 0; i < smaps->n_entries; i++)
        add_entry(im, p, upid, smaps->entries[i]);
}

const struct packet_module smaps_packets[] = {
    {PB_TracePacket_smaps_packet, .parse = smaps_packet_parse, .felt = PACKET_MOMENT},
    {0},
};
