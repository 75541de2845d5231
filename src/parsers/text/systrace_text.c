#include "parsers/text/systrace_text.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/trace_builder.h"
#include "parsers/text/systrace.h"
#include "parsers/text/text_lines.h"
#include "parsers/input/time_sort.h"

/* One event; its texts live in the arena. */
struct line {
    int64_t ts, pid, tgid; /* tgid is -1 where it is not known */
    uint32_t cpu;
    string_id task; /* NULL_STRING where it is not known */
    string_id event;
    struct str args;
};

struct systrace_text {
    struct trace *trace;
    struct arena arena;
    VEC(struct timed) entries;
    struct map cpus; /* cpu -> index + 1 */
    VEC(struct sched_cpu) cpu_states;
    struct arg_list args; /* scratch */
    bool has_waking;      /* a wakeup follows each */
    uint32_t machine;
};

static void release(struct systrace_text *s)
{
    arena_release(&s->arena);
    vec_release(&s->entries);
    map_release(&s->cpus);
    vec_release(&s->cpu_states);
    arg_list_release(&s->args);
}

static size_t count_digits(struct str s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    return n;
}

/* "123" at the start of `rest`, which then begins behind it. */
static bool take_number(struct str *rest, uint64_t *out)
{
    size_t n = count_digits(*rest);
    if (n == 0 || !str_to_u64(str_from_to(*rest, 0, n), 10, out))
        return false;
    *rest = str_skip(*rest, n);
    return true;
}

/* Seconds with a fraction and a colon behind: through a double, whose last digits others see, too.
 */
static bool take_time(struct str *rest, int64_t *out)
{
    size_t whole = count_digits(*rest);
    if (whole == 0 || whole >= rest->n || rest->p[whole] != '.')
        return false;
    size_t end = whole + 1 + count_digits(str_skip(*rest, whole + 1));
    double seconds;
    if (end == whole + 1 || end >= rest->n || rest->p[end] != ':' ||
        !str_to_f64(str_from_to(*rest, 0, end), &seconds) || seconds > 9e9)
        return false;
    *out = (int64_t)(seconds * 1e9);
    *rest = str_skip(*rest, end + 1);
    return true;
}

static bool is_flag(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
}

/* Up to five characters about interrupts, perhaps none, and the time: they may touch. */
static bool take_flags_and_time(struct str *rest, int64_t *ts)
{
    *rest = str_trim(*rest);
    if (take_time(rest, ts))
        return true;
    enum { FLAGS_MAX = 5 };
    size_t n = 0;
    while (n < FLAGS_MAX && n < rest->n && is_flag(rest->p[n]))
        n++;
    *rest = str_trim(str_skip(*rest, n));
    return take_time(rest, ts);
}

/* "(  77)" or "(-----)", which may be missing. */
static void take_tgid(struct str *rest, int64_t *tgid)
{
    uint64_t id;
    *rest = str_trim(*rest);
    *tgid = -1;
    if (!rest->n || *rest->p != '(')
        return;
    size_t end = str_find(*rest, ')');
    struct str inside = str_trim(str_from_to(*rest, 1, end));
    if (take_number(&inside, &id) && id <= UINT32_MAX)
        *tgid = (int64_t)id;
    *rest = str_skip(*rest, end < rest->n ? end + 1 : end);
}

/* What follows the dash behind the task's name: "77 (  77) [004] .... 316.196720: event: args". */
static bool read_from_pid(struct str rest, struct line *l, struct str *event)
{
    uint64_t pid, cpu;
    if (!take_number(&rest, &pid) || pid > UINT32_MAX || !rest.n || !str_is_blank(*rest.p))
        return false;
    l->pid = (int64_t)pid;
    take_tgid(&rest, &l->tgid);
    rest = str_trim(rest);
    if (!rest.n || *rest.p != '[')
        return false;
    rest = str_skip(rest, 1);
    if (!take_number(&rest, &cpu) || cpu > UINT16_MAX || !rest.n || *rest.p != ']')
        return false;
    l->cpu = (uint32_t)cpu;
    rest = str_skip(rest, 1);
    if (!take_flags_and_time(&rest, &l->ts))
        return false;
    rest = str_trim(rest);
    size_t colon = str_find(rest, ':');
    if (colon == 0 || colon == rest.n)
        return false;
    *event = str_from_to(rest, 0, colon);
    l->args = str_trim(str_skip(rest, colon + 1));
    return true;
}

/* The task's name may hold dashes: it ends at the first one behind which the line makes sense. */
static bool read_line(struct str text, struct line *l, struct str *task, struct str *event)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '-' || !read_from_pid(str_skip(text, i + 1), l, event))
            continue;
        *task = str_trim(str_from_to(text, 0, i));
        return true;
    }
    return false;
}

/* Headers, and what trace-cmd says about lost events and its own file. */
static bool is_header(struct str text)
{
    return text.n == 0 || *text.p == '#' || str_starts(text, STR("TRACE:")) ||
           str_starts(text, STR("cpus=")) || str_starts(text, STR("version =")) ||
           str_starts(text, STR("CPU:"));
}

static bool has_event_line(struct bytes data)
{
    enum { HEAD_BYTES = 4096 };
    struct str head = {(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES};
    struct line l;
    struct str task, event;
    while (head.n > 0) {
        size_t n = str_find(head, '\n');
        if (read_line(str_from_to(head, 0, n), &l, &task, &event))
            return true;
        head = str_skip(head, n < head.n ? n + 1 : n);
    }
    return false;
}

static void add_line(struct systrace_text *s, struct str text)
{
    struct line l = {0};
    struct str task, event;
    text = str_trim(text);
    if (is_header(text))
        return;
    if (!read_line(text, &l, &task, &event)) {
        stats_count(s->trace, STAT_systrace_parse_failure);
        return;
    }
    if (l.pid != 0 && !str_eq(task, STR("<...>")))
        l.task = trace_intern(s->trace, task);
    if (!clock_file_time(s->trace, l.ts, &l.ts))
        return;
    l.event = trace_intern(s->trace, event);
    char *args = arena_alloc_bytes(&s->arena, l.args.n);
    memcpy(args, l.args.p, l.args.n);
    l.args.p = args;
    struct line *kept = arena_alloc(&s->arena, sizeof *kept);
    *kept = l;
    *vec_push(&s->entries) = (struct timed){.ts = l.ts, .record = kept};
}

/* The value of "key=value ..." up to the next such pair: names may hold spaces. */
static struct str arg_text(struct str args, struct str key)
{
    for (size_t at = 0; at + key.n < args.n; at++) {
        struct str here = str_skip(args, at);
        if ((at > 0 && !str_is_blank(args.p[at - 1])) || !str_starts(here, key) ||
            here.p[key.n] != '=')
            continue;
        struct str value = str_skip(here, key.n + 1);
        size_t end = str_find(value, '=');
        while (end < value.n && end > 0 && !str_is_blank(value.p[end - 1]))
            end--;
        return str_trim(str_from_to(value, 0, end));
    }
    return (struct str){NULL, 0};
}

static bool arg_number(struct str args, struct str key, int64_t *out)
{
    struct str text = arg_text(args, key);
    text.n = str_find(text, ' ');
    uint64_t hex;
    if (str_starts(text, STR("0x")) && str_to_u64(text, 16, &hex)) {
        *out = (int64_t)hex;
        return true;
    }
    return str_to_i64(text, out);
}

static int64_t arg_number_or(struct str args, struct str key, int64_t none)
{
    int64_t v;
    return arg_number(args, key, &v) ? v : none;
}

static void count_failure(struct systrace_text *s)
{
    stats_count(s->trace, STAT_systrace_parse_failure);
}

static struct sched_cpu *cpu_state(struct systrace_text *s, uint32_t cpu)
{
    bool inserted;
    uint32_t *index = map_insert(&s->cpus, cpu, &inserted);
    if (inserted) {
        *index = (uint32_t)s->cpu_states.count;
        uint32_t ucpu = trace_ucpu(s->trace, s->machine, cpu);
        *vec_push(&s->cpu_states) = sched_cpu_make(0, ucpu);
    }
    return &s->cpu_states.items[*index];
}

/* "R+", "D|K": the letters of kernels before 4.8. */
static int64_t raw_state(struct str letters)
{
    static const struct {
        char letter;
        int bit;
    } bits[] = {{'S', 1},   {'D', 2},   {'T', 4},   {'t', 8},    {'X', 16},   {'Z', 32},  {'x', 64},
                {'K', 128}, {'W', 256}, {'P', 512}, {'N', 1024}, {'I', 1026}, {'+', 2048}};
    int64_t raw = 0;
    for (size_t i = 0; i < letters.n; i++)
        for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++)
            if (bits[k].letter == letters.p[i])
                raw |= bits[k].bit;
    return raw;
}

static void append_sched_row(struct systrace_text *s, const struct line *l,
                             const struct sched_cpu *cpu, const struct sched_switch *sw,
                             int64_t prev_prio, int64_t raw, uint32_t utid)
{
    struct trace *t = s->trace;
    struct arg_list *args = &s->args;
    arg_list_clear(args);
    arg_list_str(args, trace_intern(t, STR("prev_comm")), sw->prev_comm);
    arg_list_int(args, trace_intern(t, STR("prev_pid")), sw->prev_pid);
    arg_list_int(args, trace_intern(t, STR("prev_prio")), prev_prio);
    arg_list_int(args, trace_intern(t, STR("prev_state")), raw);
    arg_list_str(args, trace_intern(t, STR("next_comm")), sw->next_comm);
    arg_list_int(args, trace_intern(t, STR("next_pid")), sw->next_pid);
    arg_list_int(args, trace_intern(t, STR("next_prio")), sw->next_prio);
    struct ftrace_event_row row = {
        .ts = l->ts,
        .name = l->event,
        .utid = utid,
        .arg_set_id = args_intern(&t->args, args),
        .ucpu = cpu->ucpu,
    };
    ftrace_event_append(&t->tables.ftrace_event, &row);
}

static void apply_switch(struct systrace_text *s, const struct line *l)
{
    struct trace *t = s->trace;
    struct sched_switch sw = {.ts = l->ts};
    int64_t prev_prio, raw;
    if (!arg_number(l->args, STR("prev_pid"), &sw.prev_pid) ||
        !arg_number(l->args, STR("prev_prio"), &prev_prio) ||
        !arg_number(l->args, STR("next_pid"), &sw.next_pid) ||
        !arg_number(l->args, STR("next_prio"), &sw.next_prio)) {
        count_failure(s);
        return;
    }
    sw.prev_comm = trace_intern(t, arg_text(l->args, STR("prev_comm")));
    sw.next_comm = trace_intern(t, arg_text(l->args, STR("next_comm")));
    struct str state = arg_text(l->args, STR("prev_state"));
    state.n = str_find(state, ' ');
    if (!str_to_i64(state, &raw))
        raw = raw_state(state);
    sw.prev_state = sched_state_string(t, raw, 0);
    struct sched_cpu *cpu = cpu_state(s, l->cpu);
    uint32_t prev = sched_switch(t, cpu, &sw);
    append_sched_row(s, l, cpu, &sw, prev_prio, raw, prev);
}

static void apply_waking(struct systrace_text *s, const struct line *l, uint32_t utid)
{
    int64_t pid;
    if (!arg_number(l->args, STR("pid"), &pid)) {
        count_failure(s);
        return;
    }
    struct trace *t = s->trace;
    uint32_t woken = process_tracker_thread(t, s->machine, pid);
    process_tracker_set_thread_name(t, woken, trace_intern(t, arg_text(l->args, STR("comm"))),
                                    THREAD_NAME_FTRACE);
    sched_waking(t, l->ts, woken, utid, NULL_U32);
}

static void apply_blocked(struct systrace_text *s, const struct line *l)
{
    int64_t pid;
    if (!arg_number(l->args, STR("pid"), &pid)) {
        count_failure(s);
        return;
    }
    struct str caller = arg_text(l->args, STR("caller"));
    caller.n = str_find(caller, '+');
    sched_blocked_reason(s->trace, process_tracker_thread(s->trace, s->machine, pid),
                         arg_number_or(l->args, STR("iowait"), 0) != 0,
                         trace_intern(s->trace, caller));
}

static void apply_cpu_counter(struct systrace_text *s, const struct line *l, const char *type,
                              const char *name)
{
    int64_t cpu, state;
    if (!arg_number(l->args, STR("cpu_id"), &cpu) || !arg_number(l->args, STR("state"), &state) ||
        cpu < 0 || cpu > UINT16_MAX) {
        count_failure(s);
        return;
    }
    trace_ucpu(s->trace, s->machine, (uint32_t)cpu);
    uint32_t track = track_cpu_counter(s->trace, type, name, NULL, 0, (uint32_t)cpu);
    counter_push(s->trace, l->ts, track, (double)state);
}

static void apply_transaction(struct systrace_text *s, const struct line *l)
{
    struct trace *t = s->trace;
    struct str args = l->args, code = arg_text(args, STR("code"));
    char text[64];
    int n = snprintf(text, sizeof text, "%.*s Java Layer Dependent",
                     (int)(code.n < 32 ? code.n : 32), code.p ? code.p : "");
    struct binder_transaction b = {
        .target_node = arg_number_or(args, STR("dest_node"), 0),
        .to_process = arg_number_or(args, STR("dest_proc"), 0),
        .to_thread = arg_number_or(args, STR("dest_thread"), 0),
        .is_reply = arg_number_or(args, STR("reply"), 0) == 1,
        .flags = (uint32_t)arg_number_or(args, STR("flags"), 0),
        .code = (uint32_t)arg_number_or(args, STR("code"), 0),
        .code_text = trace_intern(t, (struct str){text, (size_t)n}),
        .calling_tid = l->pid,
    };
    if (!arg_number(args, STR("transaction"), &b.debug_id))
        count_failure(s);
    else
        binder_transaction(t, s->machine, l->ts, &b);
}

static void apply_workqueue(struct systrace_text *s, const struct line *l, uint32_t utid,
                            bool start)
{
    struct trace *t = s->trace;
    string_id category = trace_intern(t, STR("workqueue"));
    uint32_t track = track_thread(t, utid);
    if (!start) {
        slice_end(t, l->ts, track, category, NULL_STRING);
        return;
    }
    static const char before[] = "function ";
    const char *name = l->args.n ? memmem(l->args.p, l->args.n, before, sizeof before - 1) : NULL;
    if (!name) {
        count_failure(s);
        return;
    }
    struct str function = str_skip(l->args, (size_t)(name - l->args.p) + sizeof before - 1);
    slice_begin(t, l->ts, track, category, trace_intern(t, function));
}

static void apply_binder_command(struct systrace_text *s, const struct line *l, bool to_kernel)
{
    int64_t command;
    if (!arg_number(l->args, STR("cmd"), &command))
        count_failure(s);
    else if (to_kernel)
        binder_command(s->trace, s->machine, l->pid, (uint32_t)command);
    else
        binder_return(s->trace, s->machine, l->ts, l->pid, (uint32_t)command);
}

static void apply_event(struct systrace_text *s, const struct line *l, uint32_t utid)
{
    struct trace *t = s->trace;
    struct str event = string_pool_get(&t->strings, l->event);
    if (str_eq(event, STR("tracing_mark_write")) || str_eq(event, STR("print")) ||
        str_eq(event, STR("0"))) {
        systrace_parse(t, s->machine, l->ts, l->pid, l->args);
    } else if (str_eq(event, STR("sched_switch"))) {
        apply_switch(s, l);
    } else if (str_eq(event, STR("sched_waking"))) {
        s->has_waking = true;
        apply_waking(s, l, utid);
    } else if (str_eq(event, STR("sched_wakeup"))) {
        if (!s->has_waking)
            apply_waking(s, l, utid);
    } else if (str_eq(event, STR("sched_blocked_reason"))) {
        apply_blocked(s, l);
    } else if (str_eq(event, STR("cpu_frequency"))) {
        apply_cpu_counter(s, l, "cpu_frequency", "cpufreq");
    } else if (str_eq(event, STR("cpu_idle"))) {
        apply_cpu_counter(s, l, "cpu_idle", "cpuidle");
    } else if (str_eq(event, STR("binder_transaction"))) {
        apply_transaction(s, l);
    } else if (str_eq(event, STR("binder_transaction_received"))) {
        binder_received(t, s->machine, l->ts, l->pid,
                        arg_number_or(l->args, STR("transaction"), 0));
    } else if (str_eq(event, STR("binder_transaction_alloc_buf"))) {
        binder_alloc_buf(t, s->machine, l->ts, l->pid,
                         (uint64_t)arg_number_or(l->args, STR("data_size"), 0),
                         (uint64_t)arg_number_or(l->args, STR("offsets_size"), 0));
    } else if (str_eq(event, STR("binder_command"))) {
        apply_binder_command(s, l, true);
    } else if (str_eq(event, STR("binder_return"))) {
        apply_binder_command(s, l, false);
    } else if (str_eq(event, STR("workqueue_execute_start"))) {
        apply_workqueue(s, l, utid, true);
    } else if (str_eq(event, STR("workqueue_execute_end"))) {
        apply_workqueue(s, l, utid, false);
    }
}

static void apply(struct systrace_text *s)
{
    time_sort(s->entries.items, s->entries.count);
    for (size_t i = 0; i < s->entries.count; i++) {
        const struct line *l = s->entries.items[i].record;
        uint32_t utid = l->tgid >= 0
                            ? process_tracker_update_thread(s->trace, s->machine, l->pid, l->tgid)
                            : process_tracker_thread(s->trace, s->machine, l->pid);
        process_tracker_set_thread_name(s->trace, utid, l->task, THREAD_NAME_FTRACE);
        apply_event(s, l, utid);
    }
}

static void add_lines(struct systrace_text *s, struct str text)
{
    while (text.n > 0) {
        size_t n = str_find(text, '\n');
        add_line(s, str_from_to(text, 0, n));
        text = str_skip(text, n < text.n ? n + 1 : n);
    }
}

void systrace_text_read(struct trace *t, struct str text)
{
    struct systrace_text s = {.trace = t, .machine = stats_scope(t)->machine};
    arena_init(&s.arena);
    add_lines(&s, text);
    apply(&s);
    release(&s);
}

static void add_source_line(void *self, struct str line)
{
    add_line(self, line);
}

static struct status systrace_text_import(struct trace *t, const char *name,
                                          struct byte_source *source)
{
    struct systrace_text s = {.trace = t, .machine = stats_scope(t)->machine};
    arena_init(&s.arena);
    bool whole = text_lines_read(source, add_source_line, &s);
    if (whole)
        apply(&s);
    release(&s);
    return whole ? status_ok_value() : progress_cancelled(name);
}

/* The whole page: it has to be searched. */
static struct str whole_window(struct byte_source *source)
{
    while (byte_source_more(source, 0))
        continue;
    return (struct str){(const char *)source->window.p, source->window.n};
}

/* The text between the first `open` and `close` behind it; `page` goes on behind that. */
static bool next_between(struct str *page, struct str open, struct str close, struct str *inside)
{
    const char *start = page->n ? memmem(page->p, page->n, open.p, open.n) : NULL;
    if (!start)
        return false;
    *page = str_skip(*page, (size_t)(start - page->p) + open.n);
    const char *end = page->n ? memmem(page->p, page->n, close.p, close.n) : NULL;
    size_t n = end ? (size_t)(end - page->p) : page->n;
    *inside = str_from_to(*page, 0, n);
    *page = str_skip(*page, n);
    return true;
}

/* The oldest pages hold the text as a string of a script: each line ends with \n\ . */
static void add_script_lines(struct systrace_text *s, struct str text)
{
    struct str end = STR("\\n\\");
    while (text.n > 0) {
        size_t n = str_find(text, '\n');
        struct str line = str_from_to(text, 0, n);
        if (str_ends(line, end))
            line.n -= end.n;
        add_line(s, line);
        text = str_skip(text, n < text.n ? n + 1 : n);
    }
}

static struct status systrace_html_import(struct trace *t, const char *name,
                                          struct byte_source *source)
{
    struct systrace_text s = {.trace = t, .machine = stats_scope(t)->machine};
    struct str page = whole_window(source), rest = page, inside;
    bool found = false;
    arena_init(&s.arena);
    while (next_between(&rest, STR("<script class=\"trace-data\" type=\"application/text\">"),
                        STR("</script>"), &inside)) {
        found = true;
        if (memmem(inside.p, inside.n, "# tracer", sizeof "# tracer" - 1))
            add_lines(&s, inside);
    }
    if (!found &&
        next_between(&page, STR("var linuxPerfData = \"\\\n"), STR("\n  </script>"), &inside)) {
        found = true;
        add_script_lines(&s, inside);
    }
    if (found)
        apply(&s);
    release(&s);
    if (found)
        return status_ok_value();
    return status_error(STATUS_FORMAT, "%s: expected a systrace page, found no trace in it", name);
}

static bool contains(struct str s, struct str what)
{
    return s.n >= what.n && memmem(s.p, s.n, what.p, what.n) != NULL;
}

static bool sniff_ftrace_text(struct bytes data)
{
    struct str s = trace_format_head(data);
    return str_starts(s, STR("# tracer:")) || str_starts(s, STR("TRACE:")) ||
           contains(s, STR("\n# tracer:")) || contains(s, STR("\nTRACE:\n")) ||
           has_event_line(data);
}

const struct trace_format systrace_text_trace_format = {
    .name = "ftrace text",
    .type = "systrace",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .has_idle_task = true,
    .sniff = sniff_ftrace_text,
    .read_source = systrace_text_import,
};

static bool sniff_html(struct bytes data)
{
    struct str s = trace_format_skip_space(trace_format_head(data));
    return str_starts(s, STR("<!DOCTYPE html")) || str_starts(s, STR("<!doctype html")) ||
           str_starts(s, STR("<html"));
}

const struct trace_format systrace_html_trace_format = {
    .name = "systrace HTML",
    .type = "systrace",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .has_idle_task = true,
    .sniff = sniff_html,
    .read_source = systrace_html_import,
};
