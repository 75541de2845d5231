#include "parsers/art/methods.h"

#include <string.h>

enum { FIELDS_MAX = 8, NAME_BYTES_MAX = 2047 };

void art_methods_init(struct art_methods *m, struct trace *t)
{
    *m = (struct art_methods){.trace = t};
}

void art_methods_release(struct art_methods *m)
{
    for (size_t i = 0; i < m->threads.count; i++)
        vec_release(&m->threads.items[i].stack);
    map_release(&m->method_of);
    map_release(&m->thread_of);
    vec_release(&m->methods);
    vec_release(&m->threads);
    vec_release(&m->calls);
    vec_release(&m->order);
    vec_release(&m->text);
}

static void append(struct art_methods *m, struct str s)
{
    vec_append(&m->text, s.p, s.n);
}

static string_id take_text(struct art_methods *m)
{
    size_t n = m->text.count < NAME_BYTES_MAX ? m->text.count : NAME_BYTES_MAX;
    m->text.count = 0;
    return trace_intern(m->trace, (struct str){m->text.items, n});
}

/* The file of a class "com/example/Name" is in com/example. */
static string_id file_name(struct art_methods *m, struct str class_name, struct str file)
{
    size_t slash = class_name.n;
    while (slash > 0 && class_name.p[slash - 1] != '/')
        slash--;
    if (slash > 0 && str_ends(file, STR(".java")))
        append(m, str_from_to(class_name, 0, slash));
    append(m, file);
    return take_text(m);
}

static uint32_t line_number(struct str text)
{
    uint64_t v;
    return str_to_u64(text, 10, &v) && v < NULL_U32 ? (uint32_t)v : NULL_U32;
}

static size_t split(struct str line, struct str fields[FIELDS_MAX])
{
    size_t count = 0;
    while (line.n > 0 && count < FIELDS_MAX) {
        size_t n = str_find(line, '\t');
        if (n > 0)
            fields[count++] = str_from_to(line, 0, n);
        line = str_behind(line, n);
    }
    return count;
}

void art_methods_add(struct art_methods *m, uint64_t id, struct str line)
{
    struct str f[FIELDS_MAX] = {{NULL, 0}}, none = {NULL, 0}, name = none, signature = none;
    struct art_method method = {.file = NULL_STRING, .line = NULL_U32};
    size_t n = split(line, f);
    bool has_signature = n > 2 && str_starts(f[2], STR("("));
    if (n == 5 || has_signature) {
        name = f[1];
        signature = f[2];
    }
    if (n == 5) {
        method.file = file_name(m, f[0], f[3]);
        method.line = line_number(f[4]);
    } else if (has_signature && n > 3) {
        method.file = trace_intern(m->trace, f[3]);
    } else if (n > 2 && !has_signature) {
        method.file = trace_intern(m->trace, f[1]);
        method.line = line_number(f[2]);
    }
    append(m, f[0]);
    append(m, STR("."));
    append(m, name);
    append(m, STR(": "));
    append(m, signature);
    method.name = take_text(m);
    bool inserted;
    uint32_t *index = map_insert(&m->method_of, id, &inserted);
    if (inserted) {
        *index = (uint32_t)m->methods.count;
        vec_push(&m->methods);
    }
    m->methods.items[*index] = method;
}

void art_methods_add_thread(struct art_methods *m, uint32_t tid, struct str name)
{
    bool inserted;
    uint32_t *index = map_insert(&m->thread_of, tid, &inserted);
    if (inserted) {
        *index = (uint32_t)m->threads.count;
        *vec_push(&m->threads) = (struct art_thread){.tid = tid};
    }
    m->threads.items[*index].name = trace_intern(m->trace, name);
}

struct art_thread *art_methods_thread(struct art_methods *m, uint32_t tid)
{
    const uint32_t *index = map_find(&m->thread_of, tid);
    return index ? &m->threads.items[*index] : NULL;
}

void art_methods_call(struct art_methods *m, int64_t ns, uint32_t tid, uint64_t method,
                      bool is_exit)
{
    const uint32_t *index = map_find(&m->method_of, method);
    int64_t ts;
    if (!clock_file_time(m->trace, ns, &ts))
        return;
    *vec_push(&m->order) = (struct timed){.ts = ts, .rank = (int64_t)m->calls.count};
    *vec_push(&m->calls) = (struct art_call){.tid = tid,
                                             .method_plus_one = index ? *index + 1 : 0,
                                             .is_exit = is_exit};
}

static uint32_t track_of(struct art_methods *m, uint32_t tid)
{
    struct trace *t = m->trace;
    uint32_t utid = process_tracker_thread(t, stats_scope(t)->machine, tid);
    struct art_thread *thread = art_methods_thread(m, tid);
    if (thread && thread->name) {
        process_tracker_set_thread_name(t, utid, thread->name, THREAD_NAME_OTHER);
        process_tracker_set_process_name_if_main(t, utid, thread->name, PROCESS_NAME_SYSTEM);
        thread->name = NULL_STRING; /* it is told once */
    }
    struct track_spec spec = {
        .type = "art_method_tracing",
        .machine = stats_scope(t)->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "utid", .type = ARG_INT, .i = utid}},
    };
    return track_intern(t, &spec);
}

static void begin(struct art_methods *m, int64_t ts, uint32_t track, const struct art_call *call)
{
    struct trace *t = m->trace;
    const struct art_method *method =
        call->method_plus_one ? &m->methods.items[call->method_plus_one - 1] : NULL;
    uint32_t slice = slice_begin(t, ts, track, NULL_STRING, method ? method->name : NULL_STRING);
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (args && method && method->file)
        arg_list_str(args, trace_intern(t, STR("pathname")), method->file);
    if (args && method && method->line != NULL_U32)
        arg_list_int(args, trace_intern(t, STR("line_number")), method->line);
}

void art_methods_apply(struct art_methods *m)
{
    time_sort(m->order.items, m->order.count);
    for (size_t i = 0; i < m->order.count; i++) {
        const struct timed *at = &m->order.items[i];
        const struct art_call *call = &m->calls.items[at->rank];
        uint32_t track = track_of(m, call->tid);
        if (call->is_exit)
            slice_end(m->trace, at->ts, track, NULL_STRING, NULL_STRING);
        else
            begin(m, at->ts, track, call);
    }
}
