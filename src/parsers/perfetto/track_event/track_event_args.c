#include "parsers/perfetto/track_event/track_event_args.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "parsers/perfetto/chrome/chrome_processes.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/profile/callstack.h"
#include "parsers/perfetto/profile/symbols.h"
#include "parsers/perfetto/track_event/known_args.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/proto/json_args.h"
#include "parsers/proto/reflect.h"
#include "pb_fields.h"
#include "core/store/rows.h"

/* Members of TrackEvent that are shown as they are; extensions always are. */
#define BIT(field) (UINT64_C(1) << PB_TrackEvent_##field)
static const uint64_t reflected =
    BIT(cc_scheduler_state) | BIT(chrome_user_event) | BIT(chrome_keyed_service) |
    BIT(chrome_legacy_ipc) | BIT(chrome_histogram_sample) | BIT(chrome_latency_info) |
    BIT(chrome_frame_reporter) | BIT(source_location) | BIT(source_location_iid) |
    BIT(chrome_message_pump) | BIT(chrome_mojo_event_info) | BIT(chrome_application_state_info) |
    BIT(chrome_renderer_scheduler_state) | BIT(chrome_window_handle_event_info) |
    BIT(chrome_content_settings_event_info) | BIT(chrome_active_processes) | BIT(screenshot);
#undef BIT

/* Extensions with rows of their own. */
static const uint32_t hidden[] = {
    PB_TrackEvent_process_start_event,
    PB_TrackEvent_binder_died_event,
};

/* A reflector for track events, and whose event it is just now. */
struct event_reflect {
    struct reflect reflect;
    struct import *im;
    const struct track_event *event;
    uint32_t type;
    bool says_more; /* something was counted or noted besides the event's args */
    VEC(char) text; /* for what hooks return */
    struct known_args *known;
};

static struct bytes interned(const struct track_event *e, uint32_t field, uint64_t iid)
{
    return interned_find(e->generation->interned, field, iid);
}

static struct str hook_interned(void *self, uint32_t field, uint64_t iid)
{
    struct event_reflect *er = self;
    struct bytes entry = interned(er->event, field, iid);
    er->says_more |= !entry.p;
    return interned_text(entry);
}

static void hook_json(void *self, struct reflect *r, struct str text)
{
    (void)self;
    json_add_args(r, text);
}

/* What is absent becomes null, not the empty string. */
static string_id intern_present(struct import *im, struct str s)
{
    return s.p ? trace_intern(im->trace, s) : NULL_STRING;
}

struct source_location {
    struct str file, function;
    uint32_t line;
    bool known, has_line;
};

static struct source_location find_location(const struct track_event *e, uint64_t iid)
{
    struct bytes entry = interned(e, PB_InternedData_source_locations, iid);
    struct source_location l = {.known = entry.p != NULL, .file = {"", 0}, .function = {NULL, 0}};
    struct pb_reader r = pb_reader_from(entry.p, entry.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_SourceLocation_file_name:
            l.file = pb_str(&f);
            break;
        case PB_SourceLocation_function_name:
            l.function = pb_str(&f);
            break;
        case PB_SourceLocation_line_number:
            l.line = pb_u32(&f);
            l.has_line = true;
            break;
        default:
            break;
        }
    }
    return l;
}

/* Windows' separators become slashes, so that one query serves all platforms. */
static struct str with_slashes(struct event_reflect *er, struct str path)
{
    if (str_find(path, '\\') == path.n)
        return path;
    vec_reserve(&er->text, path.n);
    for (size_t i = 0; i < path.n; i++)
        er->text.items[i] = path.p[i] == '\\' ? '/' : path.p[i];
    return (struct str){er->text.items, path.n};
}

/* An arg beside the current one: its key with another last name. */
static void add_sibling(struct event_reflect *er, const char *name, struct arg a)
{
    const struct reflect *r = &er->reflect;
    size_t n = r->key.count, name_length = strlen(name);
    while (n > 0 && r->key.items[n - 1] != '.')
        n--;
    char key[160];
    if (n + name_length > sizeof key)
        return;
    memcpy(key, r->key.items, n);
    memcpy(key + n, name, name_length);
    a.key = a.flat_key = trace_intern(er->im->trace, (struct str){key, n + name_length});
    arg_list_add(r->out, a);
}

/* Instead of "a.source_location_iid": a.file_name, a.function_name, a.line_number. */
static bool override_location(void *self, struct reflect *r, const struct pb_field *f)
{
    struct event_reflect *er = self;
    struct trace *t = er->im->trace;
    struct source_location l = find_location(er->event, pb_u64(f));
    (void)r;
    er->says_more |= !l.known;
    if (!l.known)
        return false;
    string_id file = trace_intern(t, with_slashes(er, l.file));
    add_sibling(er, "file_name", (struct arg){.type = ARG_STRING, .s = file});
    add_sibling(er, "function_name",
                (struct arg){.type = ARG_STRING, .s = intern_present(er->im, l.function)});
    if (l.has_line)
        add_sibling(er, "line_number", (struct arg){.type = ARG_INT, .i = l.line});
    return true;
}

/* Mojo methods are told by the address of a function that exists for its name alone:
 * "a::mojom::B::Method_Sym::IPCStableHash". */
static void add_mojo_method(struct event_reflect *er, struct str function)
{
    static const char *const suffixes[] = {"_Sym::IPCStableHash", "_Sym::IPCStableHash()"};
    struct trace *t = er->im->trace;
    struct str method = function, tag = function;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (str_ends(function, str_from(suffixes[i])))
            method = str_from_to(function, 0, function.n - strlen(suffixes[i]));
    if (method.n != function.n) {
        size_t n = method.n;
        while (n > 0 && method.p[n - 1] != ':')
            n--;
        er->text.count = 0;
        for (size_t i = 0; i + 2 < n; i++) {
            bool colons = method.p[i] == ':' && method.p[i + 1] == ':';
            *vec_push(&er->text) = colons ? '.' : method.p[i];
            i += colons;
        }
        tag = (struct str){er->text.items, er->text.count};
    }
    add_sibling(er, "mojo_interface_tag",
                (struct arg){.type = ARG_STRING, .s = trace_intern(t, tag)});
    add_sibling(er, "mojo_method_name",
                (struct arg){.type = ARG_STRING, .s = trace_intern(t, method)});
}

static bool override_mojo_method(void *self, struct reflect *r, const struct pb_field *f)
{
    struct event_reflect *er = self;
    const struct interned_generation *interned = er->event->generation->interned;
    struct bytes location =
        interned_find(interned, PB_InternedData_unsymbolized_source_locations, pb_u64(f));
    struct pb_reader reader = pb_reader_from(location.p, location.n);
    struct pb_field g;
    uint64_t mapping_id = 0, rel_pc = 0;
    (void)r;
    er->says_more |= !location.p;
    if (!location.p)
        return false;
    while (pb_next(&reader, &g)) {
        if (g.number == PB_UnsymbolizedSourceLocation_mapping_id)
            mapping_id = pb_u64(&g);
        else if (g.number == PB_UnsymbolizedSourceLocation_rel_pc)
            rel_pc = pb_u64(&g);
    }
    uint32_t mapping = callstack_mapping(er->im, interned, mapping_id);
    er->says_more |= mapping == NULL_U32;
    if (mapping == NULL_U32)
        return false;
    struct str function = module_symbols_find(er->im, mapping, rel_pc);
    if (function.p) {
        add_mojo_method(er, function);
        return true;
    }
    add_sibling(er, "mojo_interface_method.native_symbol.mapping_id",
                (struct arg){.type = ARG_UINT, .i = mapping});
    add_sibling(er, "mojo_interface_method.native_symbol.rel_pc",
                (struct arg){.type = ARG_UINT, .i = (int64_t)rel_pc});
    return true;
}

/* The args are as usual; the process is known to run. */
static bool override_active_process(void *self, struct reflect *r, const struct pb_field *f)
{
    struct event_reflect *er = self;
    (void)r;
    er->says_more = true;
    chrome_process_active(er->im, er->event->generation->machine, er->event->ts, pb_i32(f));
    return false;
}

static void note_active_processes(struct import *im, const struct track_event *e)
{
    struct pb_reader r = pb_message(&e->active_processes);
    struct pb_field f;
    uint64_t pid;
    while (pb_next(&r, &f)) {
        if (f.number != PB_ChromeActiveProcesses_pid)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &pid))
            chrome_process_active(im, e->generation->machine, e->ts, (int32_t)pid);
    }
}

static struct event_reflect *reflector(struct import *im)
{
    static const char *const locations[] = {
        "begin_impl_frame_args.current_args.source_location_iid",
        "begin_impl_frame_args.last_args.source_location_iid",
        "begin_frame_observer_state.last_begin_frame_args.source_location_iid",
        "chrome_memory_pressure_notification.creation_location_iid",
    };
    struct track_event_import *te = im->track_event;
    if (te->reflect)
        return te->reflect;
    struct event_reflect *er = alloc_array(1, sizeof *er);
    struct descriptors *descriptors = import_descriptors(im);
    er->im = im;
    er->type = descriptors_find(descriptors, STR("perfetto.protos.TrackEvent"));
    reflect_init(&er->reflect, descriptors, &im->trace->strings);
    er->reflect.hooks =
        (struct reflect_hooks){.interned = hook_interned, .json = hook_json, .self = er};
    for (size_t i = 0; i < sizeof locations / sizeof *locations; i++)
        reflect_override(&er->reflect, locations[i], override_location, er);
    reflect_override(&er->reflect, "active_processes.pid", override_active_process, er);
    reflect_override(&er->reflect, "chrome_mojo_event_info.mojo_interface_method_iid",
                     override_mojo_method, er);
    er->known = known_args_new();
    te->reflect = er;
    return er;
}

void track_event_reflect_release(struct import *im)
{
    struct event_reflect *er = im->track_event->reflect;
    if (!er)
        return;
    reflect_release(&er->reflect);
    vec_release(&er->text);
    known_args_free(er->known);
    free(er);
}

struct location_keys {
    string_id file, function, line;
};

static bool add_location(struct event_reflect *er, uint64_t iid, struct location_keys keys,
                         struct arg_list *out)
{
    struct trace *t = er->im->trace;
    struct source_location l = find_location(er->event, iid);
    if (iid == 0 || !l.known)
        return false;
    arg_list_str(out, keys.file, trace_intern(t, with_slashes(er, l.file)));
    arg_list_str(out, keys.function, intern_present(er->im, l.function));
    arg_list_uint(out, keys.line, l.line);
    return true;
}

static bool add_task(struct event_reflect *er, struct pb_reader r, struct arg_list *out)
{
    const struct track_event_keys *keys = &er->im->track_event->keys;
    struct pb_field f = pb_last(r, PB_TaskExecution_posted_from_iid);
    uint64_t iid = pb_u64(&f);
    return add_location(er, iid,
                        (struct location_keys){keys->task_file, keys->task_function,
                                               keys->task_line},
                        out);
}

/* "file:line" */
static string_id location_tag(struct event_reflect *er, const struct source_location *l)
{
    char line[16];
    int n = snprintf(line, sizeof line, ":%" PRIu32, l->line);
    vec_reserve(&er->text, l->file.n + (size_t)n);
    memcpy(er->text.items, l->file.p, l->file.n);
    memcpy(er->text.items + l->file.n, line, (size_t)n);
    return trace_intern(er->im->trace, (struct str){er->text.items, l->file.n + (size_t)n});
}

/* A log message is an arg and a row of the logs, too. */
static bool add_log(struct event_reflect *er, struct pb_reader r, struct arg_list *out)
{
    enum { PRIORITY_INFO = 4, PRIORITIES = 8 };
    struct trace *t = er->im->trace;
    const struct track_event *e = er->event;
    const struct track_event_keys *keys = &er->im->track_event->keys;
    uint64_t body_iid = 0, location_iid = 0, priority = PRIORITY_INFO;
    bool has_location = false, has_priority = false;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_LogMessage_body_iid:
            body_iid = pb_u64(&f);
            break;
        case PB_LogMessage_source_location_iid:
            location_iid = pb_u64(&f);
            has_location = true;
            break;
        case PB_LogMessage_prio:
            priority = pb_u64(&f) < PRIORITIES ? pb_u64(&f) : 0;
            has_priority = true;
            break;
        default:
            break;
        }
    }
    struct bytes body = interned(e, PB_InternedData_log_message_body, body_iid);
    if (e->utid == NULL_U32 || !body.p)
        return false;
    struct logs_row row = logs_row_null();
    row.ts = e->ts;
    row.utid = e->utid;
    row.prio = (uint32_t)priority;
    row.log_source = trace_intern_c(t, "android_logcat");
    row.msg = trace_intern(t, interned_text(body));
    arg_list_str(out, keys->log_body, row.msg);
    if (has_location) {
        struct source_location l = find_location(e, location_iid);
        if (!l.known)
            return false;
        row.tag = location_tag(er, &l);
        arg_list_str(out, keys->log_file, trace_intern(t, l.file));
        arg_list_str(out, keys->log_function, intern_present(er->im, l.function));
        arg_list_int(out, keys->log_line, l.line);
    }
    if (has_priority)
        arg_list_int(out, keys->log_priority, (int64_t)priority);
    logs_append(&t->tables.logs, &row);
    return true;
}

static bool add_histogram_name(struct event_reflect *er, struct pb_reader r, struct arg_list *out)
{
    uint64_t iid = 0;
    bool has_iid = false, has_name = false;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ChromeHistogramSample_name_iid) {
            iid = pb_u64(&f);
            has_iid = true;
        } else if (f.number == PB_ChromeHistogramSample_name) {
            has_name = true;
        }
    }
    if (!has_iid)
        return true;
    struct bytes entry = interned(er->event, PB_InternedData_histogram_names, iid);
    if (has_name || !entry.p)
        return false;
    arg_list_str(out, er->im->track_event->keys.histogram_name,
                 trace_intern(er->im->trace, interned_text(entry)));
    return true;
}

static bool add_correlation(struct event_reflect *er, struct arg_list *out)
{
    struct trace *t = er->im->trace;
    const struct track_event *e = er->event;
    string_id key = er->im->track_event->keys.correlation_id;
    if (e->has_correlation_id) {
        char text[40];
        snprintf(text, sizeof text, "tp:#%" PRIu64, e->correlation_id);
        arg_list_str(out, key, trace_intern_c(t, text));
    }
    if (e->correlation_id_str.data)
        arg_list_str(out, key, trace_intern(t, pb_str(&e->correlation_id_str)));
    if (!e->has_correlation_id_iid)
        return true;
    struct bytes entry = interned(e, PB_InternedData_correlation_id_str, e->correlation_id_iid);
    if (!entry.p)
        return false;
    arg_list_str(out, key, trace_intern(t, interned_text(entry)));
    return true;
}

static bool add_annotations(struct event_reflect *er)
{
    struct reflect *r = &er->reflect;
    struct pb_reader bytes = er->event->bytes;
    struct reflect_mark mark = reflect_enter(r, STR("debug"));
    struct pb_field f;
    bool ok = true;
    while (pb_next(&bytes, &f))
        if (f.number == PB_TrackEvent_debug_annotations)
            ok &= reflect_annotation(r, pb_message(&f));
    reflect_leave(r, mark);
    return ok;
}

static bool make_event_args(struct event_reflect *er, const struct track_event *e,
                            struct arg_list *out)
{
    const struct reflect_options options = {.allowed = reflected,
                                            .hidden = hidden,
                                            .hidden_count = sizeof hidden / sizeof *hidden};
    struct import *im = er->im;
    const struct track_event_keys *keys = &im->track_event->keys;
    bool ok = true;
    if (e->has_source_location)
        ok &= add_location(er, e->source_location_iid,
                           (struct location_keys){keys->source_file, keys->source_function,
                                                  keys->source_line},
                           out);
    if (e->task_execution.data)
        ok &= add_task(er, pb_message(&e->task_execution), out);
    if (e->log_message.data)
        ok &= add_log(er, pb_message(&e->log_message), out);
    if (e->histogram_sample.data)
        ok &= add_histogram_name(er, pb_message(&e->histogram_sample), out);
    note_active_processes(im, e);
    ok &= add_correlation(er, out);
    if (e->has_source_id)
        arg_list_int(out, keys->legacy_source_id, e->source_id);
    reflect_begin(&er->reflect, out);
    reflect_continue_arrays(&er->reflect);
    if (e->has_typed_args)
        ok &= reflect_message(&er->reflect, er->type, e->bytes, &options);
    if (e->has_annotations)
        ok &= add_annotations(er);
    if (er->reflect.unknown_fields) {
        stats_add(im->trace, STAT_unknown_extension_fields, STAT_SINGLE,
                  (int64_t)er->reflect.unknown_fields);
        er->reflect.unknown_fields = 0;
        er->says_more = true;
    }
    return ok;
}

static bool add_event_args(struct import *im, const struct track_event *e, struct arg_list *out)
{
    struct event_reflect *er = reflector(im);
    er->event = e;
    bool only_bytes_matter = out->v.count == 0 && e->has_args && !e->has_source_id &&
                             !e->active_processes.data && !e->log_message.data;
    if (!only_bytes_matter)
        return make_event_args(er, e, out);
    struct bytes said = {e->args, (size_t)(e->args_end - e->args)};
    if (known_args_find(er->known, e->record->generation, said, out))
        return true;
    er->says_more = false;
    bool ok = make_event_args(er, e, out);
    if (ok && !er->says_more)
        known_args_keep(er->known, out);
    return ok;
}

void track_event_add_args(struct import *im, const struct track_event *e, struct arg_list *args)
{
    bool says_nothing = !e->has_args && !e->has_source_id && e->passthrough_utid == NULL_U32;
    if (!args || says_nothing)
        return;
    size_t before = args->v.count;
    if ((e->has_args || e->has_source_id) && !add_event_args(im, e, args))
        stats_count(im->trace, STAT_track_event_parser_errors);
    translate_args(im, args, before);
    if (e->passthrough_utid == NULL_U32)
        return;
    string_id key = im->track_event->keys.passthrough_utid;
    for (size_t i = 0; i < args->v.count; i++)
        if (args->v.items[i].key == key)
            return;
    arg_list_uint(args, key, e->passthrough_utid);
}
