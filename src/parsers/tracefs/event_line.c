#include "parsers/tracefs/event_line.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/proto/text_put.h"
#include "text/gfp_flags.h"
#include "text/softirq.h"
#include "text/task_state.h"

/* How an event's args are written, where that is not " name=value" for each. Text stands for
 * itself, but
 *     {name}         " name=value"; nothing where the event has no such arg
 *     {label=name}   " label=value"; with an empty label the value alone
 *     {name:style}   the value in that style: one of `styles` */
struct line_format {
    const char *event, *args;
};

/* Marks without a blank before them, and cpus without names: so Trace Processor's to_ftrace writes
 * them, and its users compare with that. */
static const struct line_format formats[] = {
    {"binder_transaction",
     " transaction={=debug_id:u} dest_node={=target_node:u} dest_proc={=to_proc} "
     "dest_thread={=to_thread} reply={=reply} flags=0x{=flags:x} code=0x{=code:x}"},
    {"binder_transaction_alloc_buf", " transaction={=debug_id:u}{data_size}{offsets_size}"},
    {"binder_transaction_received", " transaction={=debug_id:u}"},
    {"cgroup_attach_task", "{dst_root}{dst_id}{cgroup=cname}{dst_level}{dst_path}{pid}{comm}"},
    {"clk_set_rate", " {=name} {=rate}"},
    {"clock_disable", "{=name}{state}{cpu_id}"},
    {"clock_enable", "{=name}{state}{cpu_id}"},
    {"clock_set_rate", " {=name}{state}{cpu_id}"},
    {"dpu_tracing_mark_write", "{=type:c}|{=pid}|{=name}|{=value}"},
    {"g2d_tracing_mark_write", "{=type:c}|{=pid}|{=name}|{=value}"},
    {"hrtimer_expire_entry", "{function:function}"},
    {"irq_handler_entry", "{irq}{name}"},
    {"irq_handler_exit", "{irq} ret={=ret:handled}"},
    {"mm_filemap_add_to_page_cache",
     " dev {=s_dev:major}:{=s_dev:minor} ino {=i_ino:x} page=0000000000000000 pfn={=pfn} "
     "ofs={=index:page}"},
    {"panel_write_generic", "{=type:c}|{=pid}|{=name}|{=value}"},
    {"print", " {=buf:line}"},
    {"samsung_tracing_mark_write", "{=trace_type:c}|{=pid}|{=trace_name}|{=value}"},
    {"sched_blocked_reason", "{pid}{iowait=io_wait}{caller:function}"},
    {"sched_switch", "{prev_comm}{prev_pid}{prev_prio}{prev_state:state} ==>{next_comm}{next_pid}"
                     "{next_prio}"},
    {"sched_wakeup", "{comm}{pid}{prio}{target_cpu:03}"},
    {"softirq_entry", "{vec} [action={=vec:softirq}]"},
    {"softirq_exit", "{vec} [action={=vec:softirq}]"},
    {"tracing_mark_write", "{=trace_begin:mark}|{=pid}|{=trace_name}"},
    {"workqueue_activate_work", " work struct {=work:x}"},
    {"workqueue_execute_end", " work struct {=work:x}"},
    {"workqueue_execute_start", " work struct {=work:x}: function {=function:function}"},
    {"workqueue_queue_work",
     " work struct={=work:x}{function:function}{workqueue:x}{=req_cpu}{=cpu}"},
};

enum { FORMATS = sizeof formats / sizeof *formats };

/* The published function does not look at the trace's kernel: bits mean what they mean in 4.4. */
enum { UNKNOWN_KERNEL = 0 };

struct event_lines {
    const struct trace *trace;
    string_id events[FORMATS]; /* the formats' events; NULL_STRING where the trace has none */
    struct arg_list args;
};

/* A line being written. */
struct line {
    struct text *out;
    const struct event_lines *lines;
};

static void put_char(struct line *l, char c)
{
    text_put(l->out, &c, 1);
}

/* As printf has it, which takes twice as long: `pad` is a blank or 0. */
static void put_number(struct line *l, bool negative, uint64_t v, size_t width, char pad)
{
    char digits[32];
    size_t at = sizeof digits;
    bool sign_last = negative && pad == '0';
    do
        digits[--at] = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    if (negative && !sign_last)
        digits[--at] = '-';
    while (sizeof digits - at + sign_last < width)
        digits[--at] = pad;
    if (sign_last)
        digits[--at] = '-';
    text_put(l->out, digits + at, sizeof digits - at);
}

static void put_unsigned(struct line *l, uint64_t v)
{
    put_number(l, false, v, 1, ' ');
}

static void put_int(struct line *l, int64_t v, size_t width, char pad)
{
    put_number(l, v < 0, v < 0 ? -(uint64_t)v : (uint64_t)v, width, pad);
}

static void write_plain(struct line *l, const struct arg *a)
{
    switch (a->type) {
    case ARG_NULL:
        text_put_str(l->out, STR("[NULL]"));
        break;
    case ARG_INT:
        put_int(l, a->i, 1, ' ');
        break;
    case ARG_UINT:
    case ARG_POINTER:
        put_unsigned(l, (uint64_t)a->i);
        break;
    case ARG_BOOL:
        text_put_str(l->out, str_from(a->i ? "true" : "false"));
        break;
    case ARG_REAL:
        text_put_format(l->out, "%f", a->d);
        break;
    case ARG_STRING:
    case ARG_JSON:
        text_put_str(l->out, string_pool_get(&l->lines->trace->strings, a->s));
        break;
    }
}

/* "GFP_KERNEL|GFP_ZERO", as the kernel prints them. */
static void write_gfp_flags(struct line *l, const struct arg *a)
{
    uint64_t left = (uint64_t)a->i;
    const char *mark = "", *name;
    if (left == 0)
        text_put_str(l->out, STR("GFP_NOWAIT"));
    for (; left > 0 && (name = gfp_flags_take(&left, UNKNOWN_KERNEL)); mark = "|")
        text_put_format(l->out, "%s%s", mark, name);
    if (left > 0)
        text_put_format(l->out, "%s0x%llx", mark, (unsigned long long)left);
}

static void write_unsigned(struct line *l, const struct arg *a)
{
    put_unsigned(l, (uint32_t)a->i);
}

static void write_hex(struct line *l, const struct arg *a)
{
    text_put_format(l->out, "%llx", (unsigned long long)a->i);
}

static void write_char(struct line *l, const struct arg *a)
{
    put_char(l, (char)a->i);
}

static void write_3_digits(struct line *l, const struct arg *a)
{
    put_int(l, a->i, 3, '0');
}

/* A device's number is 12 bits of major and 20 of minor. */
static void write_major(struct line *l, const struct arg *a)
{
    put_unsigned(l, (uint64_t)a->i >> 20);
}

static void write_minor(struct line *l, const struct arg *a)
{
    put_unsigned(l, (uint64_t)a->i & 0xfffff);
}

static void write_page(struct line *l, const struct arg *a)
{
    put_unsigned(l, (uint64_t)a->i << 12);
}

static void write_handled(struct line *l, const struct arg *a)
{
    text_put_str(l->out, str_from(a->i ? "handled" : "unhandled"));
}

static void write_mark(struct line *l, const struct arg *a)
{
    put_char(l, a->i ? 'B' : 'E');
}

static void write_softirq(struct line *l, const struct arg *a)
{
    const char *name = softirq_name((uint64_t)a->i);
    text_put_str(l->out, str_from(name ? name : "UNKNOWN"));
}

static void write_state(struct line *l, const struct arg *a)
{
    struct task_state_text t = task_state_from_raw(a->i, UNKNOWN_KERNEL);
    for (size_t i = 0; i < t.n; i++) {
        if (i > 0 && t.text[i] != '+')
            text_put_str(l->out, STR("|"));
        put_char(l, t.text[i]);
    }
}

/* Without the newline that ends it. */
static void write_text_line(struct line *l, const struct arg *a)
{
    struct str s =
        a->type == ARG_STRING ? string_pool_get(&l->lines->trace->strings, a->s) : STR("");
    if (str_ends(s, STR("\n")))
        s.n--;
    text_put_str(l->out, s);
}

static const struct {
    const char *name;
    void (*write)(struct line *l, const struct arg *a);
} styles[] = {
    {"u", write_unsigned},     {"x", write_hex},           {"c", write_char},
    {"03", write_3_digits},    {"major", write_major},     {"minor", write_minor},
    {"page", write_page},      {"handled", write_handled}, {"mark", write_mark},
    {"line", write_text_line}, {"state", write_state},     {"softirq", write_softirq},
    {"function", write_hex},
};

static const struct arg *find_arg(const struct event_lines *lines, struct str name)
{
    for (size_t i = 0; i < lines->args.v.count; i++) {
        const struct arg *a = &lines->args.v.items[i];
        if (str_eq(string_pool_get(&lines->trace->strings, a->key), name))
            return a;
    }
    return NULL;
}

/* A text stands for itself where a number was expected: the name of a kernel function for its
 * address, of a work queue for its own. */
static void write_value(struct line *l, const struct arg *a, struct str style)
{
    bool is_text = a->type == ARG_STRING && !str_eq(style, STR("line"));
    for (size_t i = 0; i < sizeof styles / sizeof *styles && !is_text; i++)
        if (str_eq(style, str_from(styles[i].name))) {
            styles[i].write(l, a);
            return;
        }
    write_plain(l, a);
}

/* What stands between braces. */
static void write_field(struct line *l, struct str field)
{
    size_t colon = str_find(field, ':'), equals = str_find(field, '=');
    struct str style = colon < field.n ? str_skip(field, colon + 1) : STR("");
    struct str name = str_from_to(field, equals < colon ? equals + 1 : 0, colon);
    struct str label = equals < colon ? str_from_to(field, 0, equals) : name;
    const struct arg *a = find_arg(l->lines, name);
    if (!a)
        return;
    if (label.n > 0) {
        text_put_str(l->out, STR(" "));
        text_put_str(l->out, label);
        text_put_str(l->out, STR("="));
    }
    write_value(l, a, style);
}

static void write_format(struct line *l, struct str format)
{
    while (format.n > 0) {
        size_t open = str_find(format, '{');
        text_put_str(l->out, str_from_to(format, 0, open));
        format = str_skip(format, open);
        if (format.n == 0)
            return;
        size_t close = str_find(format, '}');
        write_field(l, str_from_to(format, 1, close));
        format = str_skip(format, close + 1);
    }
}

static void write_all_args(struct line *l)
{
    for (size_t i = 0; i < l->lines->args.v.count; i++) {
        const struct arg *a = &l->lines->args.v.items[i];
        struct str key = string_pool_get(&l->lines->trace->strings, a->key);
        text_put_str(l->out, STR(" "));
        text_put_str(l->out, key);
        text_put_str(l->out, STR("="));
        if (str_eq(key, STR("gfp_flags")))
            write_gfp_flags(l, a);
        else
            write_plain(l, a);
    }
}

static const char *args_format(const struct event_lines *lines, string_id event)
{
    for (int i = 0; i < FORMATS; i++)
        if (lines->events[i] == event)
            return formats[i].args;
    return NULL;
}

static struct str thread_name(const struct trace *t, uint32_t utid, int64_t tid)
{
    string_id name = column_str(&t->tables.thread.columns[thread_col_name], utid);
    struct str s = string_pool_get(&t->strings, name);
    if (tid == 0)
        return STR("<idle>");
    return s.n > 0 ? s : STR("<unknown>");
}

/* "            comm-123   (  100) [001] .... 12.345678: " */
static void write_prefix(struct line *l, uint32_t row)
{
    const struct trace *t = l->lines->trace;
    const struct table *events = &t->tables.ftrace_event, *cpus = &t->tables.cpu;
    uint32_t utid = table_small(events, ftrace_event_col_utid, row);
    uint32_t ucpu = table_small(events, ftrace_event_col_ucpu, row);
    uint32_t cpu = ucpu < cpus->rows ? table_u32(cpus, cpu_col_cpu)[ucpu] : NULL_U32;
    uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
    int64_t ts = table_i64(events, ftrace_event_col_ts)[row];
    int64_t tid = column_int(&t->tables.thread.columns[thread_col_tid], utid);
    int64_t tgid =
        upid == NULL_U32 ? 0 : column_int(&t->tables.process.columns[process_col_pid], upid);
    struct str name = thread_name(t, utid, tid);
    text_put(l->out, "                ", name.n < 16 ? 16 - name.n : 0);
    size_t begin = l->out->v.count;
    text_put_str(l->out, name);
    for (size_t i = begin; i < l->out->v.count; i++) /* '-' ends the name */
        if (l->out->v.items[i] == '-')
            l->out->v.items[i] = '_';
    put_char(l, '-');
    begin = l->out->v.count;
    put_int(l, tid, 1, ' ');
    while (l->out->v.count < begin + 5)
        put_char(l, ' ');
    text_put_str(l->out, STR(" ("));
    if (tgid == 0)
        text_put_str(l->out, STR("-----"));
    else
        put_int(l, tgid, 5, ' ');
    text_put_str(l->out, STR(") ["));
    put_number(l, false, cpu == NULL_U32 ? 0 : cpu, 3, '0');
    text_put_str(l->out, STR("] .... "));
    put_int(l, ts / 1000000000, 1, ' ');
    put_char(l, '.');
    put_int(l, ts % 1000000000 / 1000, 6, '0');
    text_put_str(l->out, STR(": "));
}

static void write_event(struct line *l, string_id event)
{
    struct str name = string_pool_get(&l->lines->trace->strings, event);
    bool mark = str_eq(name, STR("print")) || str_eq(name, STR("g2d_tracing_mark_write")) ||
                str_eq(name, STR("dpu_tracing_mark_write"));
    const char *format = args_format(l->lines, event);
    text_put_str(l->out, mark ? STR("tracing_mark_write") : name);
    text_put_str(l->out, STR(":"));
    if (format)
        write_format(l, str_from(format));
    else
        write_all_args(l);
}

struct event_lines *event_lines_new(const struct trace *t)
{
    struct event_lines *lines = alloc_array(1, sizeof *lines);
    lines->trace = t;
    for (int i = 0; i < FORMATS; i++)
        lines->events[i] = string_pool_lookup(&t->strings, str_from(formats[i].event));
    return lines;
}

void event_lines_free(struct event_lines *lines)
{
    arg_list_release(&lines->args);
    free(lines);
}

void event_lines_put(struct event_lines *lines, uint32_t row, struct text *out)
{
    const struct table *events = &lines->trace->tables.ftrace_event;
    struct line l = {out, lines};
    arg_list_clear(&lines->args);
    args_read(&lines->trace->args, table_u32(events, ftrace_event_col_arg_set_id)[row],
              &lines->args);
    write_prefix(&l, row);
    write_event(&l, column_str(&events->columns[ftrace_event_col_name], row));
}
