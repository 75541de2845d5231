#include "parsers/perf/tracepoint.h"

#include <stdio.h>

#include "parsers/perf/sched.h"
#include "core/trace/ftrace_rows.h"

enum { NO_CPU = -1, CALL_ARG_BYTES = 8 };

void perf_tracepoints_release(struct perf_tracepoints *tps)
{
    map_release(&tps->by_id);
    vec_release(&tps->items);
    vec_release(&tps->fields);
    perf_syscalls_release(&tps->calls);
    arg_list_release(&tps->args);
    event_format_release(&tps->format);
}

static enum perf_sched_event kind_of(struct str name)
{
    static const struct {
        struct str name;
        enum perf_sched_event kind;
    } kinds[] = {
        {{"sched_switch", 12}, PERF_SCHED_SWITCH},
        {{"sched_waking", 12}, PERF_SCHED_WAKING},
        {{"sched_wakeup", 12}, PERF_SCHED_WAKEUP},
        {{"sched_wakeup_new", 16}, PERF_SCHED_NEW_TASK},
        {{"sched_process_exit", 18}, PERF_SCHED_EXIT},
        {{"task_rename", 11}, PERF_SCHED_RENAME},
        {{"sys_enter", 9}, PERF_SYS_ENTER},
        {{"sys_exit", 8}, PERF_SYS_EXIT},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (str_eq(kinds[i].name, name))
            return kinds[i].kind;
    if (str_starts(name, STR("sys_enter_")))
        return PERF_SYS_ENTER_ONE;
    return str_starts(name, STR("sys_exit_")) ? PERF_SYS_EXIT_ONE : PERF_SCHED_NONE;
}

/* "sys_read" of sys_enter_read and sys_exit_read. */
static string_id call_of(struct trace *t, struct str event)
{
    char text[128];
    struct str name = str_skip(event, STR("sys_").n);
    name = str_skip(name, str_find(name, '_') + 1);
    int n = snprintf(text, sizeof text, "sys_%.*s", (int)(name.n < 96 ? name.n : 96), name.p);
    return trace_intern(t, (struct str){text, (size_t)n});
}

/* Numbers and text only: false for the others. */
static bool take_field(struct trace *t, const struct event_field *field, struct perf_field *out)
{
    uint32_t n = field->size;
    bool one_number = !field->is_array && (n == 1 || n == 2 || n == 4 || n == 8);
    *out = (struct perf_field){
        .key = trace_intern(t, field->name),
        .offset = field->offset,
        .size = field->size,
        .is_signed = field->is_signed,
        .is_text = field->is_text,
        .place = field->place,
    };
    return field->is_text || one_number;
}

static void read_format(struct perf_tracepoints *tps, struct str text)
{
    struct trace *t = tps->import->trace;
    struct event_format *format = &tps->format;
    if (!event_format_read(text, format))
        return;
    struct perf_tracepoint tp = {
        .name = trace_intern(t, format->name),
        .kind = kind_of(format->name),
        .first_field = tps->fields.count,
    };
    for (size_t i = 0; i < format->fields.count; i++) {
        struct perf_field field;
        if (take_field(t, &format->fields.items[i], &field))
            *vec_push(&tps->fields) = field;
        else if (tp.kind == PERF_SYS_ENTER && str_eq(format->fields.items[i].name, STR("args"))) {
            tp.args_offset = field.offset;
            tp.args_count = field.size / CALL_ARG_BYTES;
        }
    }
    if (tp.kind == PERF_SYS_ENTER_ONE || tp.kind == PERF_SYS_EXIT_ONE)
        tp.call = call_of(t, format->name);
    tp.field_count = tps->fields.count - tp.first_field;
    map_set(&tps->by_id, format->id, (uint32_t)tps->items.count);
    *vec_push(&tps->items) = tp;
}

/* A block with its size, 64 bits, in front. */
static struct bytes take_block(struct perf_reader *r)
{
    uint64_t n = perf_u64(r);
    return perf_take(r, n);
}

static void read_formats(struct perf_tracepoints *tps, struct perf_reader *r, uint32_t count)
{
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        struct bytes format = take_block(r);
        read_format(tps, (struct str){(const char *)format.p, format.n});
    }
}

void perf_tracepoints_read(struct perf_tracepoints *tps, struct bytes data)
{
    static const char magic[] = "\x17\x08\x44tracing";
    enum { LONG_AND_PAGE_SIZE = 5 };
    struct perf_reader r = perf_reader_make(data, false);
    struct bytes begin = perf_take(&r, sizeof magic - 1);
    if (r.failed || memcmp(begin.p, magic, begin.n) != 0)
        return;
    perf_c_string(&r); /* version */
    struct bytes big = perf_take(&r, 1);
    r.big = big.n && big.p[0];
    perf_take(&r, LONG_AND_PAGE_SIZE);
    perf_c_string(&r); /* "header_page" */
    take_block(&r);
    perf_c_string(&r); /* "header_event" */
    take_block(&r);
    read_formats(tps, &r, perf_u32(&r));
    uint32_t systems = perf_u32(&r);
    for (uint32_t i = 0; i < systems && !r.failed; i++) {
        perf_c_string(&r); /* its name */
        read_formats(tps, &r, perf_u32(&r));
    }
}

static const struct perf_tracepoint *find(const struct perf_tracepoints *tps, uint64_t id)
{
    const uint32_t *index = map_find(&tps->by_id, id);
    return index ? &tps->items.items[*index] : NULL;
}

void perf_tracepoints_expect(struct perf_tracepoints *tps, uint64_t id)
{
    const struct perf_tracepoint *tp = find(tps, id);
    if (!tp)
        return;
    tps->has_waking |= tp->kind == PERF_SCHED_WAKING;
    tps->import->sched.has_switches |= tp->kind == PERF_SCHED_SWITCH;
}

static struct bytes field_bytes_of(const struct perf_import *im, const struct perf_field *f,
                                   struct bytes raw)
{
    const struct bytes none = {raw.p, 0};
    if (f->offset > raw.n || f->size > raw.n - f->offset)
        return none;
    if (f->place == FIELD_HERE)
        return (struct bytes){raw.p + f->offset, f->size};
    if (f->size < 4)
        return none;
    uint32_t where = perf_load32(raw.p + f->offset, im->big);
    size_t n = where >> 16, at = where & 0xffff;
    if (f->place == FIELD_LOCATED_BEHIND)
        at += f->offset + f->size;
    if (at > raw.n || n > raw.n - at)
        return none;
    return (struct bytes){raw.p + at, n};
}

static int64_t number_in(struct bytes b, bool is_signed, bool big)
{
    switch (b.n) {
    case 1:
        return is_signed ? (int8_t)b.p[0] : b.p[0];
    case 2:
        return is_signed ? (int16_t)perf_load16(b.p, big) : perf_load16(b.p, big);
    case 4:
        return is_signed ? (int32_t)perf_load32(b.p, big) : (int64_t)perf_load32(b.p, big);
    case 8:
        return (int64_t)perf_load64(b.p, big);
    default:
        return 0;
    }
}

static const struct perf_field *field_named(const struct perf_tracepoints *tps,
                                            const struct perf_tracepoint *tp, struct str name)
{
    string_id key = trace_intern(tps->import->trace, name);
    for (size_t i = 0; i < tp->field_count; i++)
        if (tps->fields.items[tp->first_field + i].key == key)
            return &tps->fields.items[tp->first_field + i];
    return NULL;
}

/* Fields of the event that is being applied, by name. */
struct event {
    struct perf_tracepoints *tps;
    const struct perf_tracepoint *tp;
    struct bytes raw;
};

static int64_t number(const struct event *e, struct str name)
{
    const struct perf_field *f = field_named(e->tps, e->tp, name);
    if (!f || f->is_text)
        return 0;
    const struct perf_import *im = e->tps->import;
    return number_in(field_bytes_of(im, f, e->raw), f->is_signed, im->big);
}

static string_id text(const struct event *e, struct str name)
{
    const struct perf_field *f = field_named(e->tps, e->tp, name);
    if (!f || !f->is_text)
        return NULL_STRING;
    return trace_intern(e->tps->import->trace,
                        perf_text(field_bytes_of(e->tps->import, f, e->raw)));
}

static void apply_switch(const struct event *e, int64_t ts, uint32_t cpu)
{
    struct perf_import *im = e->tps->import;
    int64_t state = number(e, STR("prev_state"));
    struct sched_switch s = {
        .ts = ts,
        .prev_pid = number(e, STR("prev_pid")),
        .next_pid = number(e, STR("next_pid")),
        .prev_comm = text(e, STR("prev_comm")),
        .next_comm = text(e, STR("next_comm")),
        .next_prio = number(e, STR("next_prio")),
        .prev_state = sched_state_string(im->trace, state, im->sched.version),
    };
    sched_switch(im->trace, perf_sched_cpu(&im->sched, im->trace, cpu), &s);
}

static void apply_waking(const struct event *e, int64_t ts, uint32_t waker)
{
    struct perf_import *im = e->tps->import;
    uint32_t utid = process_tracker_thread(im->trace, im->machine, number(e, STR("pid")));
    process_tracker_set_thread_name(im->trace, utid, text(e, STR("comm")), THREAD_NAME_KERNEL);
    if (e->tp->kind == PERF_SCHED_NEW_TASK)
        sched_new_task(im->trace, ts, utid, waker);
    else
        sched_waking(im->trace, ts, utid, waker, NULL_U32);
}

static void apply_sched(const struct event *e, int64_t ts, const struct perf_sample *sample)
{
    struct perf_import *im = e->tps->import;
    struct trace *t = im->trace;
    switch (e->tp->kind) {
    case PERF_SCHED_SWITCH:
        apply_switch(e, ts, sample->cpu);
        return;
    case PERF_SCHED_WAKEUP:
        if (e->tps->has_waking)
            return;
        /* fall through */
    case PERF_SCHED_WAKING:
    case PERF_SCHED_NEW_TASK:
        apply_waking(e, ts, sample->utid);
        return;
    case PERF_SCHED_EXIT:
        process_tracker_end_thread(t, im->machine, ts, number(e, STR("pid")));
        return;
    case PERF_SCHED_RENAME:
        process_tracker_set_thread_name(t,
                                        process_tracker_thread(t, im->machine,
                                                               number(e, STR("pid"))),
                                        text(e, STR("newcomm")), THREAD_NAME_KERNEL);
        return;
    default:
        return;
    }
}

/* Those of a call of any kind. */
static void add_call_args(const struct event *e, struct arg_list *args)
{
    enum { MOST = 8 };
    struct perf_import *im = e->tps->import;
    string_id flat = trace_intern(im->trace, STR("args"));
    for (uint32_t i = 0; i < e->tp->args_count && i < MOST; i++) {
        size_t at = e->tp->args_offset + (size_t)i * CALL_ARG_BYTES;
        if (at > e->raw.n || e->raw.n - at < CALL_ARG_BYTES)
            return;
        char key[16];
        int n = snprintf(key, sizeof key, "args[%u]", i);
        arg_list_add(args,
                     (struct arg){.flat_key = flat,
                                  .key = trace_intern(im->trace, (struct str){key, (size_t)n}),
                                  .type = ARG_UINT,
                                  .i = (int64_t)perf_load64(e->raw.p + at, im->big)});
    }
}

/* Uses tps->args, which hold the event's fields. */
static void apply_call(const struct event *e, int64_t ts, uint32_t utid)
{
    struct perf_tracepoints *tps = e->tps;
    struct trace *t = tps->import->trace;
    bool any = e->tp->kind == PERF_SYS_ENTER || e->tp->kind == PERF_SYS_EXIT;
    if (e->tp->kind < PERF_SYS_ENTER)
        return;
    string_id name =
        any ? perf_syscall_name(&tps->calls, t, (uint64_t)number(e, STR("id"))) : e->tp->call;
    switch (e->tp->kind) {
    case PERF_SYS_ENTER:
        arg_list_clear(&tps->args);
        add_call_args(e, &tps->args);
        /* fall through */
    case PERF_SYS_ENTER_ONE:
        perf_syscall_enter(t, ts, utid, name, &tps->args);
        return;
    case PERF_SYS_EXIT:
    case PERF_SYS_EXIT_ONE:
        perf_syscall_exit(&tps->calls, t, ts, utid, name, number(e, STR("ret")));
        return;
    default:
        return;
    }
}

static void add_args(struct perf_tracepoints *tps, const struct event *e)
{
    struct perf_import *im = tps->import;
    arg_list_clear(&tps->args);
    for (size_t i = 0; i < e->tp->field_count; i++) {
        const struct perf_field *f = &tps->fields.items[e->tp->first_field + i];
        struct bytes b = field_bytes_of(im, f, e->raw);
        if (f->is_text)
            arg_list_str(&tps->args, f->key, trace_intern(im->trace, perf_text(b)));
        else if (f->is_signed)
            arg_list_int(&tps->args, f->key, number_in(b, true, im->big));
        else
            arg_list_uint(&tps->args, f->key, (uint64_t)number_in(b, false, im->big));
    }
}

void perf_tracepoint_add(struct perf_tracepoints *tps, int64_t ts, const struct perf_attr *attr,
                         const struct perf_sample *sample)
{
    struct perf_import *im = tps->import;
    struct event e = {tps, find(tps, attr->config), sample->raw};
    if (!e.tp || sample->raw.n == 0 || sample->cpu == (uint32_t)NO_CPU)
        return;
    add_args(tps, &e);
    struct ftrace_event_row row = {
        .ts = ts,
        .name = e.tp->name,
        .utid = sample->utid,
        .arg_set_id = args_intern(&im->trace->args, &tps->args),
        .ucpu = trace_ucpu(im->trace, im->machine, sample->cpu),
    };
    ftrace_rows_append(im->trace, &row);
    /* Of some of the events, or of some threads, the tables would tell what never was. */
    bool all = attr->has_period && attr->sample_period == 1;
    if (all && im->sched.system_wide)
        apply_sched(&e, ts, sample);
    if (all)
        apply_call(&e, ts, sample->utid);
}
