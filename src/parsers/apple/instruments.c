/* Samples of Apple's Instruments, as `xctrace export --xpath` writes tables of them:
 *
 *     <row><sample-time id="1">1234</sample-time>
 *          <thread id="2" fmt="Main Thread"><tid id="3">259</tid>
 *                  <process id="4" fmt="App"><pid id="5">77</pid></process></thread>
 *          <core id="6">3</core>
 *          <backtrace id="7"><frame id="8" name="main" addr="0x120001234">
 *                  <binary id="9" name="App" UUID="..." load-addr="0x120000000" path="/App"/>
 *          </frame><frame ref="10"/></backtrace></row>
 *
 * Newer ones have the backtrace in a <tagged-backtrace id="11">, which rows refer to instead. The
 * form is what xctrace of Xcode 12 to 16 writes of the schemas time-sample, time-profile and
 * cpu-profile; Apple does not describe it.
 *
 * What has an id stands there once, later it is only referred to. Rows of the signpost
 * dev.perfetto.clock_sync relate the times to those of a recording of Perfetto. */
#include "core/import_log.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"
#include "parsers/input/progress.h"
#include "parsers/input/trace_format.h"
#include "parsers/input/xml_scan.h"
#include "parsers/samples/samples.h"

enum { NONE = 0, TAGS_PER_CHECK = 1 << 12 };

/* What an id stands for: its kind is known from the element that it is on. Index + 1 of a list, or
 * a value. */
struct process {
    int64_t pid;
    string_id name;
};

struct thread {
    int64_t tid;
    string_id name;
    uint32_t process_plus_one;
};

struct binary {
    string_id path, build_id;
    uint64_t load, end;
    uint32_t mapping; /* NULL_U32: not made yet */
};

struct frame {
    uint64_t address;
    string_id name;
    uint32_t binary_plus_one;
};

struct backtrace {
    size_t first, count; /* of `stack_frames`, innermost first */
};

struct sample_row {
    bool has_time, has_core, is_sync;
    int64_t ts;
    uint32_t thread_plus_one, backtrace_plus_one, core;
    uint64_t number;
};

struct instruments {
    struct trace *trace;
    struct samples samples;
    struct map ids; /* of any element -> index of `values` */
    VEC(uint64_t) values;
    VEC(struct process) processes;
    VEC(struct thread) threads;
    VEC(struct binary) binaries;
    VEC(struct frame) frames;
    VEC(uint32_t) stack_frames; /* of `frames`; NULL_U32: one that the file does not have */
    VEC(struct backtrace) backtraces;
    VEC(struct sample_row) rows;
    struct sample_row row;
    struct xml_text text;
    uint32_t new_thread, new_process, new_frame; /* index + 1 of what is open */
    uint32_t tag_plus_one; /* index + 1 of `values`, of the backtrace with tags that is open */
    uint32_t value_index_plus_one; /* of `values`, that the text which follows is put to */
    struct str element;            /* that the text is in */
};

/* The value of the element's id or ref. `*is_new`: it has no value yet. Elements without either are
 * new each time. */
static uint32_t value_of(struct instruments *im, struct str attributes, bool *is_new)
{
    struct str text;
    uint64_t id = 0;
    bool has_ref = xml_attribute(attributes, STR("ref"), &text);
    bool has_id = has_ref || xml_attribute(attributes, STR("id"), &text);
    has_id = has_id && str_to_u64(text, 10, &id);
    *is_new = true;
    uint32_t *index = NULL;
    if (has_id) {
        bool inserted;
        index = map_insert(&im->ids, id, &inserted);
        *is_new = inserted && !has_ref;
        if (!inserted)
            return *index;
        *index = (uint32_t)im->values.count;
    }
    *vec_push(&im->values) = NONE;
    return (uint32_t)im->values.count - 1;
}

/* The value as index + 1 of a list with so many items: a damaged file may refer to anything. */
static uint32_t item_of(const struct instruments *im, uint32_t value, size_t count)
{
    uint64_t v = im->values.items[value];
    return v <= count ? (uint32_t)v : NONE;
}

static string_id attribute_text(struct instruments *im, struct str attributes, struct str name)
{
    struct str value;
    if (!xml_attribute(attributes, name, &value))
        return NULL_STRING;
    return trace_intern(im->trace, xml_decode(value, &im->text));
}

static uint64_t attribute_number(struct str attributes, struct str name)
{
    struct str value;
    uint64_t v = 0;
    if (xml_attribute(attributes, name, &value))
        str_to_u64(value, 16, &v);
    return v;
}

static void open_thread(struct instruments *im, struct str attributes)
{
    bool is_new;
    uint32_t value = value_of(im, attributes, &is_new);
    if (is_new) {
        *vec_push(&im->threads) =
            (struct thread){.name = attribute_text(im, attributes, STR("fmt"))};
        im->values.items[value] = im->threads.count;
        im->new_thread = (uint32_t)im->threads.count;
    }
    im->row.thread_plus_one = item_of(im, value, im->threads.count);
}

static void open_process(struct instruments *im, struct str attributes)
{
    bool is_new;
    uint32_t value = value_of(im, attributes, &is_new);
    if (is_new) {
        *vec_push(&im->processes) =
            (struct process){.name = attribute_text(im, attributes, STR("fmt"))};
        im->values.items[value] = im->processes.count;
        im->new_process = (uint32_t)im->processes.count;
    }
    if (im->new_thread)
        im->threads.items[im->new_thread - 1].process_plus_one =
            item_of(im, value, im->processes.count);
}

static void open_backtrace(struct instruments *im, struct str attributes)
{
    bool is_new;
    uint32_t value = value_of(im, attributes, &is_new);
    if (is_new) {
        *vec_push(&im->backtraces) = (struct backtrace){.first = im->stack_frames.count};
        im->values.items[value] = im->backtraces.count;
    }
    im->row.backtrace_plus_one = item_of(im, value, im->backtraces.count);
    if (im->tag_plus_one)
        im->values.items[im->tag_plus_one - 1] = im->row.backtrace_plus_one;
}

/* Newer ones put the backtrace into an element of its own, and refer to that. */
static void open_tagged_backtrace(struct instruments *im, struct str attributes)
{
    bool is_new;
    uint32_t value = value_of(im, attributes, &is_new);
    if (is_new)
        im->tag_plus_one = value + 1;
    else
        im->row.backtrace_plus_one = item_of(im, value, im->backtraces.count);
}

static void open_frame(struct instruments *im, struct str attributes)
{
    bool is_new;
    uint32_t value = value_of(im, attributes, &is_new);
    if (is_new) {
        *vec_push(&im->frames) =
            (struct frame){.address = attribute_number(attributes, STR("addr")),
                           .name = attribute_text(im, attributes, STR("name"))};
        im->values.items[value] = im->frames.count;
        im->new_frame = (uint32_t)im->frames.count;
    }
    uint32_t frame = item_of(im, value, im->frames.count), at = im->row.backtrace_plus_one;
    struct backtrace *b = at ? &im->backtraces.items[at - 1] : NULL;
    /* Frames belong to the backtrace that was opened last. */
    if (b && b->first + b->count == im->stack_frames.count) {
        *vec_push(&im->stack_frames) = frame ? frame - 1 : NULL_U32;
        b->count++;
    }
}

static void open_binary(struct instruments *im, struct str attributes)
{
    bool is_new;
    uint32_t value = value_of(im, attributes, &is_new);
    if (is_new) {
        uint64_t load = attribute_number(attributes, STR("load-addr"));
        *vec_push(&im->binaries) =
            (struct binary){.path = attribute_text(im, attributes, STR("path")),
                            .build_id = attribute_text(im, attributes, STR("UUID")),
                            .load = load,
                            .end = load,
                            .mapping = NULL_U32};
        im->values.items[value] = im->binaries.count;
    }
    if (im->new_frame)
        im->frames.items[im->new_frame - 1].binary_plus_one =
            item_of(im, value, im->binaries.count);
}

/* Elements whose text is a number: the value of their id. */
static void open_number(struct instruments *im, struct str attributes)
{
    bool is_new;
    im->value_index_plus_one = value_of(im, attributes, &is_new) + 1;
}

static uint64_t current_number(const struct instruments *im)
{
    return im->value_index_plus_one ? im->values.items[im->value_index_plus_one - 1] : 0;
}

static bool is_number_element(struct str name)
{
    static const struct str names[] = {{"sample-time", 11}, {"event-time", 10}, {"core", 4},
                                       {"tid", 3},          {"pid", 3},         {"uint64", 6},
                                       {"subsystem", 9}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(name, names[i]))
            return true;
    return false;
}

static void open_element(struct instruments *im, const struct xml_scan *x)
{
    im->element = x->name;
    if (str_eq(x->name, STR("row")))
        im->row = (struct sample_row){.thread_plus_one = NONE};
    else if (str_eq(x->name, STR("thread")))
        open_thread(im, x->attributes);
    else if (str_eq(x->name, STR("process")))
        open_process(im, x->attributes);
    else if (str_eq(x->name, STR("backtrace")))
        open_backtrace(im, x->attributes);
    else if (str_eq(x->name, STR("tagged-backtrace")))
        open_tagged_backtrace(im, x->attributes);
    else if (str_eq(x->name, STR("frame")))
        open_frame(im, x->attributes);
    else if (str_eq(x->name, STR("binary")))
        open_binary(im, x->attributes);
    else if (is_number_element(x->name))
        open_number(im, x->attributes);
}

static void read_text(struct instruments *im, struct str text)
{
    uint64_t v;
    text = str_trim_lines(text);
    if (text.n == 0 || !im->value_index_plus_one)
        return;
    uint64_t *value = &im->values.items[im->value_index_plus_one - 1];
    if (str_eq(im->element, STR("subsystem")))
        *value = str_eq(text, STR("dev.perfetto.clock_sync"));
    else if (str_to_u64(text, 10, &v))
        *value = v;
}

static void close_frame(struct instruments *im)
{
    if (!im->new_frame)
        return;
    const struct frame *f = &im->frames.items[im->new_frame - 1];
    struct binary *b = f->binary_plus_one ? &im->binaries.items[f->binary_plus_one - 1] : NULL;
    if (b && f->address > b->end)
        b->end = f->address; /* where it ends is not told */
    im->new_frame = NONE;
}

static void close_row(struct instruments *im)
{
    if (im->row.backtrace_plus_one || im->row.is_sync)
        *vec_push(&im->rows) = im->row;
}

static void close_number(struct instruments *im, struct str name)
{
    uint64_t v = current_number(im);
    if (str_eq(name, STR("sample-time")) || str_eq(name, STR("event-time"))) {
        im->row.has_time = true;
        im->row.ts = (int64_t)v;
    } else if (str_eq(name, STR("core"))) {
        im->row.has_core = true;
        im->row.core = (uint32_t)v;
    } else if (str_eq(name, STR("uint64"))) {
        im->row.number = v;
    } else if (str_eq(name, STR("subsystem"))) {
        im->row.is_sync = v == 1;
    } else if (str_eq(name, STR("tid")) && im->new_thread) {
        im->threads.items[im->new_thread - 1].tid = (int64_t)v;
    } else if (str_eq(name, STR("pid")) && im->new_process) {
        im->processes.items[im->new_process - 1].pid = (int64_t)v;
    }
    im->value_index_plus_one = NONE;
}

static void close_element(struct instruments *im, struct str name)
{
    if (str_eq(name, STR("row")))
        close_row(im);
    else if (str_eq(name, STR("frame")))
        close_frame(im);
    else if (str_eq(name, STR("tagged-backtrace")))
        im->tag_plus_one = NONE;
    else if (str_eq(name, STR("thread")))
        im->new_thread = NONE;
    else if (str_eq(name, STR("process")))
        im->new_process = NONE;
    else if (is_number_element(name))
        close_number(im, name);
}

static void relate_clocks(struct instruments *im)
{
    struct trace *t = im->trace;
    uint32_t machine = stats_scope(t)->machine;
    uint64_t last = 0;
    for (size_t i = 0; i < im->rows.count; i++) {
        const struct sample_row *r = &im->rows.items[i];
        if (!r->is_sync || r->backtrace_plus_one || r->number < last)
            continue;
        last = r->number;
        clock_relate(t, clock_of_machine(t, machine, CLOCK_TRACE_FILE_NUMBER, 0), r->ts,
                     clock_of_machine(t, machine, CLOCK_BOOTTIME_NUMBER, 0), (int64_t)r->number,
                     true);
    }
}

static uint32_t mapping_of(struct instruments *im, uint32_t binary_plus_one)
{
    struct trace *t = im->trace;
    if (!binary_plus_one)
        return stack_mapping_of_source(t, STR(""));
    struct binary *b = &im->binaries.items[binary_plus_one - 1];
    if (b->mapping == NULL_U32) {
        struct stack_mapping m = {
            .build_id = b->build_id ? b->build_id : trace_intern(t, STR("")),
            .name = b->path ? b->path : trace_intern(t, STR("")),
            .start = (int64_t)b->load,
            .end = (int64_t)b->end,
        };
        b->mapping = stack_mapping_intern(t, &m);
    }
    return b->mapping;
}

/* Frames are told from the innermost on. An address that was returned to is behind the call. Those
 * that the file does not have are left out, and logged at `ts`. */
static uint32_t callsite_of(struct instruments *im, const struct backtrace *b, int64_t ts)
{
    struct trace *t = im->trace;
    uint32_t site = NULL_U32;
    for (size_t i = b->count; i-- > 0;) {
        uint32_t index = im->stack_frames.items[b->first + i];
        if (index == NULL_U32) {
            import_log_at(t, STAT_instruments_row_missing_frame, ts, NULL);
            continue;
        }
        const struct frame *f = &im->frames.items[index];
        uint64_t pc = f->address;
        if (f->binary_plus_one)
            pc -= im->binaries.items[f->binary_plus_one - 1].load;
        if (pc != 0 && i > 0)
            pc--;
        uint32_t frame = stack_frame_intern(t, mapping_of(im, f->binary_plus_one),
                                            f->name ? f->name : trace_intern(t, STR("")),
                                            (int64_t)pc, NULL_STRING);
        site = stack_callsite_intern(t, site, frame);
    }
    return site;
}

static uint32_t utid_of(struct instruments *im, const struct thread *thread)
{
    struct trace *t = im->trace;
    uint32_t machine = stats_scope(t)->machine;
    const struct process *p = &im->processes.items[thread->process_plus_one - 1];
    uint32_t utid = process_tracker_update_thread(t, machine, thread->tid, p->pid);
    uint32_t upid = process_tracker_process(t, machine, p->pid);
    process_tracker_set_thread_name(t, utid, thread->name, THREAD_NAME_OTHER);
    if (p->name)
        process_tracker_set_process_name(t, upid, p->name, PROCESS_NAME_OTHER);
    return utid;
}

static void add_sample(struct instruments *im, const struct sample_row *r)
{
    struct trace *t = im->trace;
    int64_t ts;
    const struct thread *thread =
        r->thread_plus_one ? &im->threads.items[r->thread_plus_one - 1] : NULL;
    if (!clock_file_time(t, r->ts, &ts))
        return;
    if (!thread) {
        import_log_at(t, STAT_instruments_row_missing_thread, ts, NULL);
        return;
    }
    if (!thread->process_plus_one) {
        import_log_at(t, STAT_instruments_row_missing_process, ts, NULL);
        return;
    }
    struct profiler_sample_row row = profiler_sample_row_null();
    row.ts = ts;
    row.source = im->samples.source;
    row.task_context_id = samples_task(&im->samples, utid_of(im, thread));
    if (r->has_core)
        row.execution_context_id =
            samples_execution(&im->samples, trace_ucpu(t, stats_scope(t)->machine, r->core),
                              NULL_STRING);
    row.callsite_id = callsite_of(im, &im->backtraces.items[r->backtrace_plus_one - 1], ts);
    profiler_sample_append(&t->tables.profiler_sample, &row);
}

static void release(struct instruments *im)
{
    map_release(&im->ids);
    vec_release(&im->values);
    vec_release(&im->processes);
    vec_release(&im->threads);
    vec_release(&im->binaries);
    vec_release(&im->frames);
    vec_release(&im->stack_frames);
    vec_release(&im->backtraces);
    vec_release(&im->rows);
    vec_release(&im->text.v);
    samples_release(&im->samples);
}

/* False where loading was cancelled. */
static bool read_document(struct instruments *im, struct bytes data, struct load_progress *progress)
{
    struct xml_scan x = xml_scan_from((struct str){(const char *)data.p, data.n});
    bool ended = false;
    uint32_t tags = 0;
    for (enum xml_token token; (token = xml_next(&x)) != XML_END; tags++) {
        if (token == XML_OPEN)
            open_element(im, &x);
        else if (token == XML_CLOSE)
            close_element(im, x.name);
        else
            read_text(im, x.text);
        ended |= token == XML_CLOSE && str_eq(x.name, STR("trace-query-result"));
        if (tags % TAGS_PER_CHECK == 0 &&
            !progress_report(progress, (uint64_t)(x.p - (const char *)data.p)))
            return false;
    }
    if (!ended)
        trace_format_ends_early(im->trace);
    return true;
}

static struct status import(struct trace *t, const char *name, struct bytes data,
                            struct load_progress *progress)
{
    struct instruments im = {.trace = t, .samples = samples_begin(t, STR("instruments"))};
    bool whole = read_document(&im, data, progress);
    if (whole)
        relate_clocks(&im);
    for (size_t i = 0; whole && i < im.rows.count; i++)
        if (im.rows.items[i].backtrace_plus_one)
            add_sample(&im, &im.rows.items[i]);
    release(&im);
    return whole ? status_ok_value() : progress_cancelled(name);
}

static bool sniff(struct bytes data)
{
    struct str head = trace_format_skip_space(trace_format_head(data));
    struct str mark = STR("<trace-query-result>");
    return str_starts(head, mark) ||
           (str_starts(head, STR("<?xml")) && memmem(head.p, head.n, mark.p, mark.n));
}

const struct trace_format instruments_trace_format = {
    .name = "Instruments",
    .type = "instruments_xml",
    .about = "samples of Apple's Instruments, exported by xctrace: XML with <trace-query-result>",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff,
    .is_text = true,
    .read = import,
};
