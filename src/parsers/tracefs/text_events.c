#include "parsers/tracefs/text_events.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/atrace_tracker.h"
#include "core/trace/ftrace_rows.h"
#include "core/trace_bounds.h"
#include "core/trace_builder.h"
#include "parsers/text/systrace.h"
#include "pb_fields.h"

void text_events_init(struct text_events *f, struct trace *t)
{
    *f = (struct text_events){.trace = t, .machine = stats_scope(t)->machine};
    import_init(&f->import, t, (struct bytes){NULL, 0});
    ftrace_of(&f->import)->symbols_are_strings = true;
    f->text_args = text_args_of(t);
}

void text_events_release(struct text_events *f)
{
    trace_bounds_add_text(f->trace, f->rows);
    ftrace_import_release(&f->import);
    import_release(&f->import);
    map_release(&f->kind_numbers);
    for (size_t i = 0; i < f->kinds.count; i++) {
        event_text_free(f->kinds.items[i]->text);
        free(f->kinds.items[i]);
    }
    vec_release(&f->kinds);
    pb_bytes_release(&f->message);
    if (f->samples.trace)
        samples_release(&f->samples);
}

static string_id joined(struct trace *t, const char *before, struct str name)
{
    char text[128];
    int n = snprintf(text, sizeof text, "%s%.*s", before, (int)(name.n < 96 ? name.n : 96), name.p);
    return trace_intern(t, (struct str){text, (size_t)n});
}

/* "sys_read" is what sys_enter_read prints, and sys_exit_read. */
static void make_call(struct text_events *f, struct text_kind *k, struct str name)
{
    struct str before = STR("sys_"), call = name;
    if (str_starts(call, before))
        call = str_skip(call, before.n);
    k->slice = trace_intern(f->trace, name);
    k->name = joined(f->trace, k->line == LINE_CALL ? "sys_enter_" : "sys_exit_", call);
    k->read = k->line == LINE_CALL ? text_read_call : text_read_return;
    k->say = k->line == LINE_CALL ? text_say_call : text_say_return;
}

static void make_event(struct text_events *f, struct text_kind *k, struct str name)
{
    const struct text_event_reader *reader = text_reader_find(name);
    k->name = trace_intern(f->trace, name);
    if (reader) {
        k->read = reader->read;
        k->say = reader->say;
        k->role = reader->role;
    }
    k->text = event_text_new(k->role == TEXT_MARK ? STR("print") : name);
    if (k->text)
        k->handler = ftrace_handlers_find(&f->import.ftrace->handlers, event_text_event(k->text));
    f->has_waking |= k->role == TEXT_WAKING || str_eq(name, STR(TEXT_HAS_WAKING));
    f->has_newtask |= str_eq(name, STR("task_newtask")) || str_eq(name, STR(TEXT_HAS_NEWTASK));
}

static uint32_t new_kind(struct text_events *f, enum trace_line_kind line, struct str name)
{
    struct text_kind *k = alloc_array(1, sizeof *k);
    k->line = line;
    if (line == LINE_EVENT)
        make_event(f, k, name);
    else if (line == LINE_FUNCTION)
        k->name = trace_intern(f->trace, STR("function"));
    else
        make_call(f, k, name);
    *vec_push(&f->kinds) = k;
    return (uint32_t)f->kinds.count - 1;
}

uint32_t text_events_kind(struct text_events *f, enum trace_line_kind line, struct str name)
{
    if (line == LINE_FUNCTION) /* `name` is a function */
        name = STR("function");
    bool inserted;
    uint64_t hash = hash_bytes(name.p, name.n, (uint64_t)line);
    uint32_t *number = map_insert(&f->kind_numbers, hash, &inserted);
    if (inserted)
        *number = new_kind(f, line, name);
    return *number;
}

enum text_role text_events_role(const struct text_events *f, uint32_t kind)
{
    return f->kinds.items[kind]->role;
}

bool text_events_mean(const struct text_events *f, uint32_t kind, struct str args)
{
    const struct text_kind *k = f->kinds.items[kind];
    struct atrace_point point;
    return k->role == TEXT_MARK ? systrace_point(args, &point) : k->read || k->handler;
}

static struct ftrace_cpu *cpu_of(struct text_events *f, uint32_t number)
{
    struct ftrace_cpu *cpu = ftrace_cpu_of(f->import.ftrace, number);
    if (cpu->known)
        return cpu;
    cpu->known = true;
    cpu->machine = f->machine;
    cpu->cpu = number;
    cpu->ucpu = trace_ucpu_unnamed(f->trace, f->machine, number);
    cpu->sched = sched_cpu_make(f->machine, cpu->ucpu);
    cpu->valid_from = INT64_MIN;
    return cpu;
}

/* What no task is known of counts as the idle thread's, as rows must name one. */
void text_row_append(struct text_events *f, const struct ftrace_event *e, string_id name)
{
    struct ftrace_event_row row = {
        .ts = e->ts,
        .name = name,
        .utid = e->utid == NULL_U32 ? 0 : e->utid,
        .arg_set_id = e->arg_set,
        .common_flags = e->common_flags,
        .ucpu = e->cpu->ucpu,
    };
    ftrace_rows_append(f->trace, &row);
    f->rows++;
}

/* The event's own text as the args of its row. */
static void add_text_row(struct text_events *f, struct text_line *l)
{
    static const enum text_words words[] = {[LINE_CALL] = TEXT_CALL,
                                            [LINE_RETURN] = TEXT_RETURN,
                                            [LINE_EVENT] = TEXT_EVENT,
                                            [LINE_FUNCTION] = TEXT_EVENT};
    if (!l->kind->args)
        l->kind->args = text_args_kind(f->text_args, words[l->kind->line]);
    l->e.arg_set = args_intern_payload_later(&f->trace->args, l->kind->args,
                                             (const uint8_t *)l->args.p, l->args.n);
    text_row_append(f, &l->e, l->kind->name);
}

/* The event as a message: its number and payload. */
static void encode(struct text_events *f, struct text_kind *k, struct str args,
                   struct ftrace_event *e)
{
    f->message.v.count = 0;
    if (k->role == TEXT_MARK)
        pb_put_str(&f->message, PB_PrintFtraceEvent_buf, args);
    else
        event_text_encode(k->text, args, &f->trace->strings, &f->message);
    e->id = event_text_event(k->text);
    e->p = f->message.v.items;
    e->n = f->message.v.count;
}

bool text_events_tell_owner(const struct text_events *f, uint32_t kind)
{
    const struct text_kind *k = f->kinds.items[kind];
    return !k->say && k->handler && k->handler->felt.tells_owner;
}

void text_events_felt(struct text_events *f, uint32_t kind, struct str args,
                      const struct ftrace_event *e, struct felt_sink *out)
{
    struct text_kind *k = f->kinds.items[kind];
    struct ftrace_event told = *e;
    told.f = f->import.ftrace;
    told.t = f->trace;
    if (k->say) {
        k->say(&told, string_pool_get(&f->trace->strings, k->slice ? k->slice : k->name), args,
               out);
    } else if (k->handler && k->handler->felt.kind != FELT_MOMENT) {
        encode(f, k, args, &told);
        ftrace_felt_add(&k->handler->felt, &told, out);
    }
}

/* The event as a message, which its row has the args of. */
static void add_message_row(struct text_events *f, struct text_line *l)
{
    struct text_kind *k = l->kind;
    encode(f, k, l->args, &l->e);
    if (!k->args)
        k->args = args_kind(&f->trace->args, f->import.ftrace->decoder_number,
                            ftrace_decoder_context(l->e.id, FTRACE_SYMBOLS_ARE_STRINGS));
    l->e.arg_set = args_intern_payload(&f->trace->args, k->args, l->e.p, l->e.n);
    text_row_append(f, &l->e, k->name);
}

static uint32_t thread_of(struct text_events *f, const struct text_record *r)
{
    if (r->is_of_cpu)
        return NULL_U32;
    return r->tgid == NULL_U32
               ? process_tracker_thread(f->trace, f->machine, r->pid)
               : process_tracker_update_thread(f->trace, f->machine, r->pid, r->tgid);
}

void text_events_apply(struct text_events *f, const struct text_record *r, int64_t ts)
{
    struct trace *t = f->trace;
    struct text_line l = {.r = r,
                          .kind = f->kinds.items[r->kind],
                          .args = {r->args, r->args_size},
                          .ts = ts};
    uint32_t utid = thread_of(f, r);
    if (r->task)
        process_tracker_set_thread_name(t, utid, r->task, THREAD_NAME_KERNEL);
    l.e = (struct ftrace_event){.f = f->import.ftrace,
                                .t = t,
                                .cpu = cpu_of(f, r->cpu),
                                .ts = ts,
                                .pid = r->pid,
                                .utid = utid,
                                .common_flags = r->flags,
                                .arg_set = NULL_U32};
    if (l.kind->role != TEXT_SWITCH && l.kind->text)
        add_message_row(f, &l);
    else if (l.kind->role != TEXT_SWITCH)
        add_text_row(f, &l);
    bool done = l.kind->read && l.kind->read(f, &l);
    if (!done && l.kind->handler && l.kind->handler->handle)
        l.kind->handler->handle(&l.e);
}
