#include "parsers/text/anr_traces.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "parsers/input/time_sort.h"
#include "parsers/samples/samples.h"
#include "parsers/text/civil_time.h"
#include "parsers/text/text_lines.h"

/* As the text has it, innermost first. */
struct dump_frame {
    string_id function, mapping, file;
    uint32_t line;
};

/* A thread, until its time comes. */
struct dump_thread {
    uint32_t pid, tid; /* tid: 0 where it is not told */
    string_id process, name;
    uint32_t callsite;
};

struct anr_traces {
    struct trace *trace;
    struct samples samples;
    VEC(struct dump_frame) frames;
    VEC(struct dump_thread) threads;
    VEC(struct timed) order;   /* rank is the index in `threads` */
    struct dump_thread thread; /* the one that is being read, or its process */
    struct dump_frame waits;   /* what it waits for, if its function is not NULL_STRING */
    int64_t ts;
    int64_t
        next; /* of a dump of Java's whose time is not told, or that was told in the line before */
    uint32_t pid; /* in the line before; 0: none */
    bool in_process, in_thread;
};

static const struct str prefix = {"----- pid ", 10};
static const struct str java_prefix = {"Full thread dump ", 17};

/* "2023-06-24 16:29:50.123456789+0000 -----"; before Android 10 without a fraction. Local, as the
 * times of logcat are. */
static bool read_time(struct str text, int64_t *ts)
{
    enum { TO_SECONDS = 19 };
    char whole[TO_SECONDS + 3];
    struct civil_time time;
    if (text.n < TO_SECONDS)
        return false;
    if (text.n == TO_SECONDS || text.p[TO_SECONDS] != '.') {
        memcpy(whole, text.p, TO_SECONDS);
        memcpy(whole + TO_SECONDS, ".0", 3);
        text = (struct str){whole, TO_SECONDS + 2};
    }
    if (!civil_time_take(&text, &time) || time.year == 0)
        return false;
    time.zone_minute = 0;
    *ts = civil_time_ns(&time);
    return true;
}

/* "----- pid 4242 at TIME -----" */
static bool read_process(struct str line, uint32_t *pid, int64_t *ts)
{
    uint64_t number;
    if (!str_starts(line, prefix))
        return false;
    struct str rest = str_skip(line, prefix.n);
    if (!str_to_u64(str_take_word(&rest), 10, &number) || number > INT32_MAX ||
        !str_eq(str_take_word(&rest), STR("at")))
        return false;
    *pid = (uint32_t)number;
    return read_time(str_trim(rest), ts);
}

static uint32_t callsite_of(struct anr_traces *a, uint32_t parent, const struct dump_frame *f)
{
    uint32_t frame = samples_named_frame(a->trace, f->mapping, f->function, f->file, f->line);
    return stack_callsite_intern(a->trace, parent, frame);
}

static void finish_thread(struct anr_traces *a)
{
    if (!a->in_thread)
        return;
    a->in_thread = false;
    uint32_t callsite = NULL_U32;
    for (size_t i = a->frames.count; i-- > 0;)
        callsite = callsite_of(a, callsite, &a->frames.items[i]);
    if (a->waits.function)
        callsite = callsite_of(a, callsite, &a->waits);
    a->thread.callsite = callsite;
    *vec_push(&a->order) = (struct timed){.ts = a->ts, .rank = (int64_t)a->threads.count};
    *vec_push(&a->threads) = a->thread;
}

/* The number behind "sysTid=", of other virtual machines "nid=", which is hexadecimal in most. */
static void take_tid(struct anr_traces *a, struct str line)
{
    uint64_t tid;
    for (struct str word; (word = str_take_word(&line)).n > 0;) {
        struct str key = str_cut(&word, '=');
        bool is = str_eq(key, STR("sysTid")) || str_eq(key, STR("nid"));
        if (is && str_to_u64(word, str_starts(word, STR("0x")) ? 16 : 10, &tid) && tid <= INT32_MAX)
            a->thread.tid = (uint32_t)tid;
    }
}

/* "\"main\" prio=5 tid=1 Blocked" */
static void begin_thread(struct anr_traces *a, struct str line)
{
    const char *quote = memrchr(line.p, '"', line.n);
    size_t end = (size_t)(quote - line.p);
    if (end == 0)
        return;
    a->in_thread = true;
    a->frames.count = 0;
    a->waits.function = NULL_STRING;
    a->thread.tid = 0;
    a->thread.name = trace_intern(a->trace, str_from_to(line, 1, end));
    take_tid(a, str_skip(line, end + 1));
}

/* Takes "(...)" off the end. */
static bool take_brackets(struct str *text, struct str *inside)
{
    if (!str_ends(*text, STR(")")))
        return false;
    size_t open = text->n, depth = 0;
    while (open > 0) {
        char c = text->p[--open];
        depth += c == ')';
        depth -= c == '(';
        if (depth == 0)
            break;
    }
    if (depth > 0)
        return false;
    *inside = str_from_to(*text, open + 1, text->n - 1);
    *text = str_trim(str_from_to(*text, 0, open));
    return true;
}

static void add_frame(struct anr_traces *a, struct str function, struct str mapping)
{
    struct trace *t = a->trace;
    *vec_push(&a->frames) = (struct dump_frame){.function = trace_intern(t, function),
                                                .mapping = trace_intern(t, mapping),
                                                .line = NULL_U32};
}

/* "com.example.Store.get(Store.java:42)", "java.lang.Object.wait(java.base@17/Object.java:338)" */
static void add_java(struct anr_traces *a, struct str text)
{
    struct str source = {text.p, 0};
    uint64_t line;
    take_brackets(&text, &source);
    add_frame(a, text, STR("java"));
    const char *module = source.n ? memrchr(source.p, '/', source.n) : NULL;
    if (module)
        source = str_skip(source, (size_t)(module - source.p) + 1);
    size_t colon = str_find(source, ':');
    if (colon < source.n && str_to_u64(str_skip(source, colon + 1), 10, &line) && line < NULL_U32) {
        vec_last(&a->frames).file = trace_intern(a->trace, str_from_to(source, 0, colon));
        vec_last(&a->frames).line = (uint32_t)line;
    }
}

static struct str without_offset(struct str function)
{
    const char *plus = function.n ? memrchr(function.p, '+', function.n) : NULL;
    return plus ? str_from_to(function, 0, (size_t)(plus - function.p)) : function;
}

/* "#00 pc 0000000000081dd8  /system/lib64/libc.so (syscall+28) (BuildId: 1234)" */
static void add_native(struct anr_traces *a, struct str text)
{
    struct str function = {text.p, 0}, inside;
    str_take_word(&text);
    if (!str_eq(str_take_word(&text), STR("pc")))
        return;
    struct str pc = str_take_word(&text);
    text = str_trim(text);
    while (take_brackets(&text, &inside))
        if (!str_starts(inside, STR("BuildId:")) && !str_starts(inside, STR("offset ")))
            function = without_offset(inside);
    add_frame(a, function.n ? function : pc, text);
}

static void read_frame(struct anr_traces *a, struct str text)
{
    struct str rest = text, word = str_take_word(&rest);
    rest = str_trim(rest);
    if (str_eq(word, STR("at")))
        add_java(a, rest);
    else if (str_eq(word, STR("native:")))
        add_native(a, rest);
    else if (str_eq(word, STR("kernel:")))
        add_frame(a, without_offset(rest), STR("[kernel]"));
    else if (str_starts(word, STR("#")))
        add_native(a, text);
    else if (str_eq(word, STR("|")))
        take_tid(a, rest);
    else if (str_eq(word, STR("-")) && !a->waits.function &&
             (str_starts(rest, STR("waiting ")) || str_starts(rest, STR("parking to wait "))))
        a->waits = (struct dump_frame){.function = trace_intern(a->trace, rest),
                                       .mapping = trace_intern(a->trace, STR("java")),
                                       .line = NULL_U32};
}

/* "Full thread dump OpenJDK 64-Bit Server VM (17.0.8+7 mixed mode):", in front of which are its
 * time and, where jcmd has printed it, "4242:". False where the line is none of these. */
static bool read_java(struct anr_traces *a, struct str line)
{
    enum { TIME_BYTES = sizeof "2023-12-07 16:45:12" - 1 };
    uint64_t pid;
    if (str_starts(line, java_prefix)) {
        finish_thread(a);
        a->in_process = clock_file_time(a->trace, a->next, &a->ts);
        a->thread = (struct dump_thread){.pid = a->pid};
        a->next = time_plus(a->next, 1000000000);
        return true;
    }
    if (str_ends(line, STR(":")) && str_to_u64(str_from_to(line, 0, line.n - 1), 10, &pid)) {
        a->pid = pid <= INT32_MAX ? (uint32_t)pid : 0;
        return true;
    }
    return line.n == TIME_BYTES && read_time(line, &a->next);
}

void anr_traces_line(struct anr_traces *a, struct str line)
{
    struct str command = STR("Cmd line: ");
    uint32_t pid;
    int64_t ts;
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    if (read_process(line, &pid, &ts)) {
        finish_thread(a);
        a->in_process = clock_file_time(a->trace, ts, &a->ts);
        a->thread = (struct dump_thread){.pid = pid};
    } else if (read_java(a, line) || !a->in_process) {
        return;
    } else if (str_starts(line, STR("----- "))) {
        finish_thread(a);
        a->in_process = false;
    } else if (str_starts(line, command)) {
        a->thread.process = trace_intern(a->trace, str_trim(str_skip(line, command.n)));
    } else if (str_starts(line, STR("\""))) {
        finish_thread(a);
        begin_thread(a, line);
    } else if (str_trim(line).n == 0) {
        finish_thread(a);
    } else if (a->in_thread) {
        read_frame(a, str_trim(line));
    }
}

static void apply_thread(struct anr_traces *a, int64_t ts, const struct dump_thread *d)
{
    struct trace *t = a->trace;
    uint32_t machine = stats_scope(t)->machine, utid;
    if (d->tid) {
        utid = d->pid ? process_tracker_update_thread(t, machine, d->tid, d->pid)
                      : process_tracker_thread(t, machine, d->tid);
        process_tracker_set_thread_name(t, utid, d->name, THREAD_NAME_OTHER);
    } else {
        utid = samples_new_thread(t, d->pid, d->name);
    }
    if (d->process)
        process_tracker_set_process_name(t, process_tracker_process(t, machine, d->pid), d->process,
                                         PROCESS_NAME_SYSTEM);
    samples_add(&a->samples, ts, utid, d->callsite);
}

static bool anr_traces_sniff(struct bytes data)
{
    struct str head = trace_format_head(data);
    for (struct str line; str_next_line(&head, &line);) {
        uint32_t pid;
        int64_t ts;
        if (read_process(line, &pid, &ts))
            return true;
    }
    return false;
}

struct anr_traces *anr_traces_begin(struct trace *t)
{
    struct anr_traces *a = alloc_array(1, sizeof *a);
    a->trace = t;
    a->samples = samples_begin(t, STR("anr"));
    return a;
}

void anr_traces_finish(struct anr_traces *a)
{
    finish_thread(a);
    time_sort(a->order.items, a->order.count);
    for (size_t i = 0; i < a->order.count; i++)
        apply_thread(a, a->order.items[i].ts, &a->threads.items[a->order.items[i].rank]);
    samples_release(&a->samples);
    vec_release(&a->frames);
    vec_release(&a->threads);
    vec_release(&a->order);
    free(a);
}

static void add_line(void *self, struct str line)
{
    anr_traces_line(self, line);
}

static struct status anr_traces_import(struct trace *t, const char *name,
                                       struct byte_source *source)
{
    struct anr_traces *a = anr_traces_begin(t);
    bool whole = text_lines_read(t, source, add_line, a);
    anr_traces_finish(a);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format anr_traces_trace_format = {
    .name = "ANR traces",
    .type = "anr_traces",
    .about = "what Android's threads were doing when an app did not respond, of /data/anr: "
             "\"----- pid 123 at TIME -----\"",
    .clock = CLOCK_REALTIME_NUMBER,
    .by_lines = true,
    .sniff = anr_traces_sniff,
    .read_source = anr_traces_import,
};

/* Those of a Java virtual machine on its own: what a log of other things has in it is not looked
 * for behind its first lines. */
static bool java_threads_sniff(struct bytes data)
{
    struct str head = trace_format_head(data);
    for (struct str line; str_next_line(&head, &line);)
        if (str_starts(line, java_prefix))
            return true;
    return false;
}

const struct trace_format java_threads_trace_format = {
    .name = "Java thread dump",
    .type = "java_threads",
    .about =
        "what jstack, jcmd Thread.print and kill -QUIT print of a Java virtual machine's threads: "
        "\"Full thread dump ...\"",
    .clock = CLOCK_REALTIME_NUMBER,
    .by_lines = true,
    .sniff = java_threads_sniff,
    .read_source = anr_traces_import,
};
