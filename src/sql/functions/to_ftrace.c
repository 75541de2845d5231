/* to_ftrace(id): an event of ftrace_event as the line that the kernel's text interface and systrace
 * have for it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "text/gfp_flags.h"
#include "core/settled_args.h"
#include "core/stored_columns.h"
#include "text/task_state.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

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

struct ftrace_lines {
    struct sql_session *session;
    string_id events[FORMATS]; /* the formats' events; NULL_STRING where the trace has none */
    struct arg_list args;
};

/* A line being written. */
struct line {
    sqlite3_str *out;
    const struct ftrace_lines *lines;
};

static void append(sqlite3_str *out, struct str s)
{
    sqlite3_str_append(out, s.p, (int)s.n);
}

static void write_plain(struct line *l, const struct arg *a)
{
    switch (a->type) {
    case ARG_NULL:
        sqlite3_str_appendall(l->out, "[NULL]");
        break;
    case ARG_INT:
        sqlite3_str_appendf(l->out, "%lld", (long long)a->i);
        break;
    case ARG_UINT:
    case ARG_POINTER:
        sqlite3_str_appendf(l->out, "%llu", (unsigned long long)a->i);
        break;
    case ARG_BOOL:
        sqlite3_str_appendall(l->out, a->i ? "true" : "false");
        break;
    case ARG_REAL:
        sqlite3_str_appendf(l->out, "%f", a->d);
        break;
    case ARG_STRING:
    case ARG_JSON:
        append(l->out, string_pool_get(&l->lines->session->trace->strings, a->s));
        break;
    }
}

/* "GFP_KERNEL|GFP_ZERO", as the kernel prints them. */
static void write_gfp_flags(struct line *l, const struct arg *a)
{
    uint64_t left = (uint64_t)a->i;
    const char *mark = "", *name;
    if (left == 0)
        sqlite3_str_appendall(l->out, "GFP_NOWAIT");
    for (; left > 0 && (name = gfp_flags_take(&left, UNKNOWN_KERNEL)); mark = "|")
        sqlite3_str_appendf(l->out, "%s%s", mark, name);
    if (left > 0)
        sqlite3_str_appendf(l->out, "%s0x%llx", mark, (unsigned long long)left);
}

static void write_unsigned(struct line *l, const struct arg *a)
{
    sqlite3_str_appendf(l->out, "%u", (unsigned)a->i);
}

static void write_hex(struct line *l, const struct arg *a)
{
    sqlite3_str_appendf(l->out, "%llx", (unsigned long long)a->i);
}

static void write_char(struct line *l, const struct arg *a)
{
    sqlite3_str_appendchar(l->out, 1, (char)a->i);
}

static void write_3_digits(struct line *l, const struct arg *a)
{
    sqlite3_str_appendf(l->out, "%03lld", (long long)a->i);
}

/* A device's number is 12 bits of major and 20 of minor. */
static void write_major(struct line *l, const struct arg *a)
{
    sqlite3_str_appendf(l->out, "%llu", (unsigned long long)a->i >> 20);
}

static void write_minor(struct line *l, const struct arg *a)
{
    sqlite3_str_appendf(l->out, "%llu", (unsigned long long)a->i & 0xfffff);
}

static void write_page(struct line *l, const struct arg *a)
{
    sqlite3_str_appendf(l->out, "%llu", (unsigned long long)a->i << 12);
}

static void write_handled(struct line *l, const struct arg *a)
{
    sqlite3_str_appendall(l->out, a->i ? "handled" : "unhandled");
}

static void write_mark(struct line *l, const struct arg *a)
{
    sqlite3_str_appendchar(l->out, 1, a->i ? 'B' : 'E');
}

static void write_softirq(struct line *l, const struct arg *a)
{
    static const char *const names[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                        "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
    uint64_t v = (uint64_t)a->i;
    sqlite3_str_appendall(l->out, v < sizeof names / sizeof *names ? names[v] : "UNKNOWN");
}

static void write_state(struct line *l, const struct arg *a)
{
    struct task_state_text t = task_state_from_raw(a->i, UNKNOWN_KERNEL);
    for (size_t i = 0; i < t.n; i++) {
        if (i > 0 && t.text[i] != '+')
            sqlite3_str_appendchar(l->out, 1, '|');
        sqlite3_str_appendchar(l->out, 1, t.text[i]);
    }
}

/* Without the newline that ends it. */
static void write_text_line(struct line *l, const struct arg *a)
{
    struct str s =
        a->type == ARG_STRING ? string_pool_get(&l->lines->session->trace->strings, a->s) : STR("");
    if (str_ends(s, STR("\n")))
        s.n--;
    append(l->out, s);
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

static const struct arg *find_arg(const struct ftrace_lines *lines, struct str name)
{
    for (size_t i = 0; i < lines->args.v.count; i++) {
        const struct arg *a = &lines->args.v.items[i];
        if (str_eq(string_pool_get(&lines->session->trace->strings, a->key), name))
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
        sqlite3_str_appendchar(l->out, 1, ' ');
        append(l->out, label);
        sqlite3_str_appendchar(l->out, 1, '=');
    }
    write_value(l, a, style);
}

static void write_format(struct line *l, struct str format)
{
    while (format.n > 0) {
        size_t open = str_find(format, '{');
        append(l->out, str_from_to(format, 0, open));
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
        struct str key = string_pool_get(&l->lines->session->trace->strings, a->key);
        sqlite3_str_appendchar(l->out, 1, ' ');
        append(l->out, key);
        sqlite3_str_appendchar(l->out, 1, '=');
        if (str_eq(key, STR("gfp_flags")))
            write_gfp_flags(l, a);
        else
            write_plain(l, a);
    }
}

static const char *args_format(const struct ftrace_lines *lines, string_id event)
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
    const struct trace *t = l->lines->session->trace;
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
    if (name.n < 16)
        sqlite3_str_appendchar(l->out, 16 - (int)name.n, ' ');
    for (size_t i = 0; i < name.n; i++) /* '-' ends the name */
        sqlite3_str_appendchar(l->out, 1, name.p[i] == '-' ? '_' : name.p[i]);
    sqlite3_str_appendf(l->out, "-%-5lld (", (long long)tid);
    if (tgid == 0)
        sqlite3_str_appendall(l->out, "-----");
    else
        sqlite3_str_appendf(l->out, "%5lld", (long long)tgid);
    sqlite3_str_appendf(l->out, ") [%03u] .... %lld.%06lld: ", cpu == NULL_U32 ? 0 : cpu,
                        (long long)(ts / 1000000000), (long long)(ts % 1000000000 / 1000));
}

static void write_event(struct line *l, string_id event)
{
    struct str name = string_pool_get(&l->lines->session->trace->strings, event);
    bool mark = str_eq(name, STR("print")) || str_eq(name, STR("g2d_tracing_mark_write")) ||
                str_eq(name, STR("dpu_tracing_mark_write"));
    const char *format = args_format(l->lines, event);
    append(l->out, mark ? STR("tracing_mark_write") : name);
    sqlite3_str_appendchar(l->out, 1, ':');
    if (format)
        write_format(l, str_from(format));
    else
        write_all_args(l);
}

static void fn_to_ftrace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct ftrace_lines *lines = sqlite3_user_data(ctx);
    const struct trace *t = lines->session->trace;
    const struct table *events = &t->tables.ftrace_event;
    int64_t row = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (!stored_table_ready(t, events))
        return; /* the statement fails for it */
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || row < 0 || row >= events->rows) {
        result_error(ctx, "to_ftrace: the argument is an id of ftrace_event");
        return;
    }
    if (!settled_args_ready(t)) {
        result_error(ctx, "%s", settled_args_lost);
        return;
    }
    arg_list_clear(&lines->args);
    args_read(&t->args, table_u32(events, ftrace_event_col_arg_set_id)[row], &lines->args);
    struct line l = {sqlite3_str_new(lines->session->db), lines};
    write_prefix(&l, (uint32_t)row);
    write_event(&l, column_str(&events->columns[ftrace_event_col_name], (uint32_t)row));
    result_built(ctx, l.out);
}

static void free_lines(void *p)
{
    struct ftrace_lines *lines = p;
    arg_list_release(&lines->args);
    free(lines);
}

static void *make_lines(struct sql_session *s)
{
    struct ftrace_lines *lines = alloc_array(1, sizeof *lines);
    lines->session = s;
    for (int i = 0; i < FORMATS; i++)
        lines->events[i] = string_pool_lookup(&s->trace->strings, str_from(formats[i].event));
    return lines;
}

static const struct native_function functions[] = {
    SQL_PURE("to_ftrace", 1, fn_to_ftrace),
    {0},
};

const struct sql_family to_ftrace_family = {.functions = functions,
                                            .init = make_lines,
                                            .release = free_lines};
