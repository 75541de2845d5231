/* What Android's runtime says of a process whose heap is dumped: who it is, and where it ran out of
 * memory. */
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/profile/heap_graph.h"
#include "pb_fields.h"
#include "core/store/rows.h"

struct packages {
    struct map known; /* name << 32 | uid, of the list's first `rows` */
    uint32_t rows;
};

static void packages_release(void *state)
{
    struct packages *s = state;
    map_release(&s->known);
}

static const struct import_state_kind packages_kind = {.size = sizeof(struct packages),
                                                       .release = packages_release};

static uint64_t package_key(string_id name, uint32_t uid)
{
    return (uint64_t)name << 32 | uid;
}

/* Other packets list packages too. */
static void add_package(struct import *im, string_id name, uint32_t uid)
{
    struct packages *s = import_state(im, &packages_kind);
    struct table *table = &im->trace->tables.package_list;
    const string_id *names = table->columns[package_list_col_package_name].data;
    const int64_t *uids = table_i64(table, package_list_col_uid);
    for (; s->rows < table->rows; s->rows++)
        if (uids[s->rows] >= 0 && uids[s->rows] <= UINT32_MAX)
            map_set(&s->known, package_key(names[s->rows], (uint32_t)uids[s->rows]), 1);
    if (map_find(&s->known, package_key(name, uid)))
        return;
    struct package_list_row row = {.package_name = name, .uid = uid};
    package_list_append(table, &row);
}

/* "void android.os.Handler.run(int)": what stands between the result and the parameters. */
static struct str method_name(struct str text)
{
    size_t end = 0, start = 0;
    while (end < text.n && text.p[end] != '(')
        end++;
    for (size_t i = 0; i < end; i++)
        if (text.p[i] == ' ')
            start = i + 1;
    return (struct str){text.p + start, end - start};
}

/* The innermost frame comes first. */
static uint32_t intern_stack(struct import *im, const JavaStack *stack)
{
    uint32_t callsite = NULL_U32;
    uint32_t mapping = stack_mapping_of_source(im->trace, STR("art_process_metadata"));
    for (size_t i = stack->n_frames; i-- > 0;) {
        const JavaFrame *f = stack->frames[i];
        if (!f->has_method_name)
            continue;
        string_id name = trace_intern(im->trace, method_name(unpacked_str(f->method_name)));
        uint32_t frame =
            stack_frame_intern_source(im->trace, mapping, name,
                                      intern_unpacked(im, UNPACKED_TEXT(f, source_file)),
                                      f->has_line_number ? (uint32_t)f->line_number : NULL_U32);
        callsite = stack_callsite_intern(im->trace, callsite, frame);
    }
    return callsite;
}

static void add_oome(struct import *im, const struct packet *p, const ArtProcessMetadata *m,
                     uint32_t graph)
{
    struct trace *t = im->trace;
    struct heap_graph_java_oome_details_row oome = {
        .heap_graph_id = graph,
        .allocation_size_bytes = (int64_t)m->oom_allocation_size,
        .total_bytes_free = (int64_t)m->oom_total_bytes_free,
        .free_bytes_until_oom = (int64_t)m->oom_free_bytes_until_oom,
        .error_msg = intern_unpacked(im, UNPACKED_TEXT(m, oom_error_msg)),
    };
    table_set_str(&t->tables.heap_graph, heap_graph_col_dump_reason, graph,
                  trace_intern(t, STR("OOME")));
    heap_graph_java_oome_details_append(&t->tables.heap_graph_java_oome_details, &oome);
    if (!m->oom_thread_java_stack)
        return;
    struct heap_graph_thread_callsite_row row = {
        .heap_graph_id = graph,
        .utid = process_tracker_update_thread(t, p->machine, m->pid, m->pid),
        .callsite_id = intern_stack(im, m->oom_thread_java_stack),
    };
    heap_graph_thread_callsite_append(&t->tables.heap_graph_thread_callsite, &row);
}

static void art_process_metadata_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    const ArtProcessMetadata *m = unpack_packet(im, &art_process_metadata__descriptor, p);
    string_id name = intern_unpacked(im, UNPACKED_TEXT(m, process_name));
    bool has_uid = m->has_uid && m->uid >= 0;
    uint32_t upid = process_tracker_process(t, p->machine, m->pid);
    process_tracker_set_process_name(t, upid, name, PROCESS_NAME_TRACK_DESCRIPTOR);
    if (has_uid)
        process_tracker_set_uid(t, upid, (uint32_t)m->uid);
    if (m->has_package_name && has_uid)
        add_package(im, trace_intern(t, unpacked_str(m->package_name)), (uint32_t)m->uid);
    uint32_t graph = heap_graph_row_of(im, upid, p->ts);
    if (m->has_oom_allocation_size)
        add_oome(im, p, m, graph);
}

/* What ran out of memory when. */
static bool art_process_metadata_span(struct import *im, const struct packet *p,
                                      struct packet_span *out)
{
    (void)im;
    return packet_span_lasting(p, 0, out);
}

const struct packet_module art_metadata_packets[] = {
    {PB_TracePacket_art_process_metadata, .parse = art_process_metadata_parse,
     .felt = PACKET_ALWAYS, .span = art_process_metadata_span},
    {0},
};
