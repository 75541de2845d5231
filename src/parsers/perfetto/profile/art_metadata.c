/* What Android's runtime says of a process whose heap is dumped: who it is, and where it ran out of
 * memory. */
#include "parsers/perfetto/packets/modules.h"
#include "pb_fields.h"

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

struct java_frame {
    struct str method;
    string_id file;
    uint32_t line;
};

static struct java_frame read_frame(struct import *im, struct pb_reader r)
{
    struct java_frame frame = {.line = NULL_U32};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_JavaFrame_method_name)
            frame.method = pb_str(&f);
        else if (f.number == PB_JavaFrame_source_file)
            frame.file = trace_intern(im->trace, pb_str(&f));
        else if (f.number == PB_JavaFrame_line_number)
            frame.line = pb_u32(&f);
    }
    return frame;
}

/* The innermost frame comes first. */
static uint32_t intern_stack(struct import *im, struct pb_reader r)
{
    VEC(struct java_frame) frames = {0};
    struct pb_field f;
    uint32_t callsite = NULL_U32;
    while (pb_next(&r, &f))
        if (f.number == PB_JavaStack_frames)
            *vec_push(&frames) = read_frame(im, pb_message(&f));
    for (size_t i = frames.count; i-- > 0;) {
        const struct java_frame *j = &frames.items[i];
        if (!j->method.p)
            continue;
        string_id name = trace_intern(im->trace, method_name(j->method));
        uint32_t frame = stack_frame_intern_source(im->trace, name, j->file, j->line);
        callsite = stack_callsite_intern(im->trace, callsite, frame);
    }
    vec_release(&frames);
    return callsite;
}

void art_process_metadata_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    struct pb_reader r = bytes_reader(p->field), stack = {0};
    struct pb_field f;
    struct heap_graph_java_oome_details_row oome = {0};
    int64_t pid = 0, uid = -1;
    string_id name = NULL_STRING, package = NULL_STRING;
    bool is_oome = false, has_stack = false;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ArtProcessMetadata_pid:
            pid = pb_i32(&f);
            break;
        case PB_ArtProcessMetadata_uid:
            uid = pb_i32(&f);
            break;
        case PB_ArtProcessMetadata_process_name:
            name = trace_intern(t, pb_str(&f));
            break;
        case PB_ArtProcessMetadata_package_name:
            package = trace_intern(t, pb_str(&f));
            break;
        case PB_ArtProcessMetadata_oom_allocation_size:
            oome.allocation_size_bytes = pb_i64(&f);
            is_oome = true;
            break;
        case PB_ArtProcessMetadata_oom_total_bytes_free:
            oome.total_bytes_free = pb_i64(&f);
            break;
        case PB_ArtProcessMetadata_oom_free_bytes_until_oom:
            oome.free_bytes_until_oom = pb_i64(&f);
            break;
        case PB_ArtProcessMetadata_oom_error_msg:
            oome.error_msg = trace_intern(t, pb_str(&f));
            break;
        case PB_ArtProcessMetadata_oom_thread_java_stack:
            stack = pb_message(&f);
            has_stack = true;
            break;
        default:
            break;
        }
    }
    uint32_t upid = process_tracker_process(t, p->machine, pid);
    process_tracker_set_process_name(t, upid, name, PROCESS_NAME_SYSTEM);
    if (uid >= 0)
        process_tracker_set_uid(t, upid, (uint32_t)uid);
    if (package != NULL_STRING && uid >= 0)
        add_package(im, package, (uint32_t)uid);
    oome.heap_graph_id = heap_graph_row_of(im, upid, p->ts);
    if (!is_oome)
        return;
    table_set_str(&t->tables.heap_graph, heap_graph_col_dump_reason, oome.heap_graph_id,
                  trace_intern(t, STR("OOME")));
    heap_graph_java_oome_details_append(&t->tables.heap_graph_java_oome_details, &oome);
    if (!has_stack)
        return;
    struct heap_graph_thread_callsite_row row = {.heap_graph_id = oome.heap_graph_id,
                                                 .utid =
                                                     process_tracker_update_thread(t, p->machine,
                                                                                   pid, pid),
                                                 .callsite_id = intern_stack(im, stack)};
    heap_graph_thread_callsite_append(&t->tables.heap_graph_thread_callsite, &row);
}
