/* Profiles of Papyrus, the language of scripts in Skyrim and Fallout: calls of functions on stacks,
 * with the time in ms.
 *
 *     Stack_3185 log opened (PC)
 *     50018:PUSH:3185:3: (00018A56):Form..GetFormID
 *     50035:POP:3185:3: (00018A56):Form..GetFormID
 *     Log closed
 *
 * As the wiki of the Creation Kit says of StartStackProfiling. QUEUE_PUSH and QUEUE_POP say that
 * the engine has been asked for a call; that it waits until then is no call. */
#include <stdio.h>

#include "base/map.h"
#include "core/trace_builder.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/samples.h"
#include "parsers/text/text_lines.h"

struct papyrus {
    struct trace *trace;
    struct map tracks; /* number of a stack -> its track */
    string_id object;
    int64_t pid; /* 0: no stack so far */
};

struct papyrus_line {
    int64_t ts;
    uint64_t stack;
    bool push, pop;
    struct str object, function;
};

/* "50018:PUSH:3185:3:player (00000014):Form..GetFormID": of names with colons the last is the one.
 */
static bool read_line(struct str line, struct papyrus_line *l)
{
    uint64_t ms, depth;
    struct str rest = str_trim(line);
    if (!str_to_u64(str_cut(&rest, ':'), 10, &ms) || ms > INT64_MAX / 1000000)
        return false;
    struct str kind = str_cut(&rest, ':');
    l->ts = (int64_t)ms * 1000000;
    l->push = str_eq(kind, STR("PUSH"));
    l->pop = str_eq(kind, STR("POP"));
    bool known = l->push || l->pop || str_eq(kind, STR("QUEUE_PUSH")) ||
                 str_eq(kind, STR("QUEUE_POP")) || str_eq(kind, STR("START"));
    if (!known || !str_to_u64(str_cut(&rest, ':'), 10, &l->stack))
        return false;
    if (!l->push && !l->pop)
        return true;
    const char *colon = NULL;
    if (str_to_u64(str_cut(&rest, ':'), 10, &depth) && rest.n > 0)
        colon = memrchr(rest.p, ':', rest.n);
    if (!colon)
        return false;
    l->object = str_trim((struct str){rest.p, (size_t)(colon - rest.p)});
    l->function = str_skip(rest, (size_t)(colon - rest.p) + 1);
    return l->function.n > 0;
}

static uint32_t track_of(struct papyrus *p, uint64_t stack)
{
    struct trace *t = p->trace;
    bool inserted;
    uint32_t *track = map_insert(&p->tracks, stack, &inserted);
    if (!inserted)
        return *track;
    char name[40];
    snprintf(name, sizeof name, "Stack %llu", (unsigned long long)stack);
    uint32_t utid = samples_new_thread(t, p->pid, trace_intern_c(t, name));
    if (p->pid == 0) {
        p->pid = table_i64(&t->tables.thread, thread_col_tid)[utid];
        process_tracker_set_process_name(t, table_u32(&t->tables.thread, thread_col_upid)[utid],
                                         trace_intern(t, STR("Papyrus")), PROCESS_NAME_OTHER);
    }
    *track = track_thread(t, utid);
    return *track;
}

static void add_line(void *self, struct str line)
{
    struct papyrus *p = self;
    struct trace *t = p->trace;
    struct papyrus_line l;
    int64_t ts;
    if (!read_line(line, &l)) {
        if (!str_ends(str_trim(line), STR("log opened (PC)")) &&
            !str_eq(str_trim(line), STR("Log closed")))
            text_lines_unread(t, line);
        return;
    }
    if (!(l.push || l.pop) || !clock_file_time(t, l.ts, &ts))
        return;
    uint32_t track = track_of(p, l.stack);
    string_id name = trace_intern(t, l.function);
    if (l.pop) {
        slice_end(t, ts, track, NULL_STRING, name);
        return;
    }
    uint32_t slice = slice_begin(t, ts, track, NULL_STRING, name);
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (args && l.object.n > 0 && !str_eq(l.object, STR("None")))
        arg_list_str(args, p->object, trace_intern(t, l.object));
}

static bool papyrus_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), line;
    struct papyrus_line l;
    return str_next_line(&head, &line) && str_ends(str_trim(line), STR("log opened (PC)")) &&
           str_next_line(&head, &line) && read_line(line, &l);
}

static struct status papyrus_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct papyrus p = {.trace = t, .object = trace_intern(t, STR("args.object"))};
    bool whole = text_lines_read(t, source, add_line, &p);
    map_release(&p.tracks);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format papyrus_trace_format = {
    .name = "Papyrus profile",
    .type = "papyrus",
    .about =
        "profiles of Papyrus scripts (Skyrim, Fallout): begins with \"Stack_1 log opened (PC)\"",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .by_lines = true,
    .sniff = papyrus_sniff,
    .read_source = papyrus_import,
};
