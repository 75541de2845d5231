/* Memory mappings of a process with their sizes, as /proc/PID/smaps tells them. */
#include "parsers/perfetto/modules.h"
#include "pb_fields.h"

static void add_entry(struct import *im, const struct packet *p, uint32_t upid, struct pb_reader r)
{
    struct trace *t = im->trace;
    string_id empty = trace_intern(t, STR(""));
    struct profiler_smaps_row row = {.upid = upid,
                                     .ts = p->ts,
                                     .path = empty,
                                     .path_trimmed = empty,
                                     .file_name = empty,
                                     .module_debugid = empty,
                                     .module_debug_path = empty,
                                     .aggregate_count = 1};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_SmapsEntry_path:
            row.path = trace_intern(t, pb_str(&f));
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

void smaps_packet_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field), entries = r;
    struct pb_field f;
    uint32_t pid = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_SmapsPacket_pid)
            pid = pb_u32(&f);
    uint32_t upid = process_tracker_process(im->trace, p->machine, pid);
    while (pb_next(&entries, &f))
        if (f.number == PB_SmapsPacket_entries)
            add_entry(im, p, upid, pb_message(&f));
}
