#include "parsers/perfetto/window/scan.h"

#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/perfetto/ftrace/ftrace_bundle.h"
#include "parsers/perfetto/packets/reader.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/window/track_event.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* Finds the scan of an import. */
static const struct import_state_kind scan_state_kind = {.size = sizeof(struct window_scan *)};

struct packet scan_timed(const struct packet *p, int64_t ts)
{
    struct packet timed = *p;
    timed.ts = ts;
    timed.has_timestamp = ts > PACKET_TIME_NONE;
    return timed;
}

struct window_scan *scan_of(struct import *im)
{
    return *(struct window_scan **)import_state(im, &scan_state_kind);
}

struct status scan_walk(struct window_scan *w, const struct import_handlers *handlers)
{
    struct import im;
    struct byte_source source = byte_source_memory(w->input, w->mapped, w->progress);
    import_init(&im, w->trace, w->input);
    im.name = w->name;
    im.source = &source;
    im.progress = w->progress;
    im.handlers = handlers;
    im.modules = w->modules;
    track_event_import_init(&im);
    ftrace_of(&im)->retimed = w->retimed;
    *(struct window_scan **)import_state(&im, &scan_state_kind) = w;
    struct status s = packets_read(&im);
    w->retimed = ftrace_of(&im)->retimed;
    w->keeps_old |= ftrace_of(&im)->keep_old_data;
    if (w->tracks.tracks.count == 0)
        track_owners_read(&w->tracks, &im);
    ftrace_of(&im)->retimed = NULL;
    track_event_import_release(&im);
    ftrace_import_release(&im);
    import_release(&im);
    byte_source_release(&source);
    return s;
}

static void set_time(struct window_scan *w, uint64_t packet, int64_t ts)
{
    while (w->times.count <= packet)
        *vec_push(&w->times) = PACKET_TIME_UNKNOWN;
    w->times.items[packet] = ts;
}

/* What is before time 0 makes no rows (packets/sorter.h), but where they have times that nothing is
 * sorted by: those that a packet about the whole trace tells. */
static bool makes_rows(const struct packet_module *module, int64_t ts)
{
    return ts >= 0 || (module && module->felt == PACKET_ALWAYS && module->span);
}

static void note_any(struct window_scan *w, int64_t ts)
{
    w->first_any = ts < w->first_any ? ts : w->first_any;
    w->last_any = ts > w->last_any ? ts : w->last_any;
}

static void note_row(struct window_scan *w, int64_t ts)
{
    w->zero = ts < w->zero ? ts : w->zero;
}

/* The timeline begins with what has rows: not with what the kernel had before the recording, nor
 * with compact events of a CPU of which it is not known who runs there. */
static void note_bundle_rows(struct window_scan *w, struct import *im, const struct bundle_span *s,
                             uint32_t *knows_running)
{
    int64_t started = ftrace_of(im)->keep_old_data ? INT64_MIN : im->tracing_started_ts;
    int64_t ts = *knows_running ? s->first : s->first_row;
    if (s->last < started || s->last < 0)
        return;
    *knows_running |= s->first_switch < INT64_MAX;
    ts = ts < started ? started : ts;
    note_row(w, ts < 0 ? 0 : ts);
}

static void note_span(struct window_scan *w, int64_t first, int64_t last)
{
    w->first = first < w->first ? first : w->first;
    w->last = last > w->last ? last : w->last;
}

static void note_events(struct window_scan *w, int64_t first, int64_t last)
{
    if (last >= 0)
        note_span(w, first < 0 ? 0 : first, last);
}

static void note_bundle(struct window_scan *w, struct import *im, const struct packet *p)
{
    struct bundle_span span;
    bool inserted;
    if (!ftrace_bundle_span(im, p, &span))
        return;
    set_time(w, p->number, span.offset);
    if (span.first <= span.last)
        note_events(w, span.first, span.last);
    while (w->valid_from.count <= p->machine)
        *vec_push(&w->valid_from) = INT64_MIN;
    uint32_t *knows_running =
        map_insert(&w->seen_cpus, (uint64_t)p->machine << 32 | span.cpu, &inserted);
    note_bundle_rows(w, im, &span, knows_running);
    if (inserted && span.valid_from > w->valid_from.items[p->machine])
        w->valid_from.items[p->machine] = span.valid_from;
    struct own_span own = scan_own_times(im, p);
    if (own.begin <= own.end && own.end >= 0) {
        note_events(w, own.begin, own.end);
        note_row(w, own.begin < 0 ? 0 : own.begin);
    }
}

/* What has to be done of a packet so that the times of others can be known. */
static void note_state(struct import *im, const struct packet_module *module, struct packet *p)
{
    if (module->tells == TELLS_NOTHING)
        return;
    if (module->tokenize)
        module->tokenize(im, p);
    else
        module->parse(im, p);
}

static void note_packet(struct import *im, struct packet *p)
{
    struct window_scan *w = scan_of(im);
    const struct packet_module *module = packet_modules_find(&im->modules, p->field_number);
    enum packet_felt felt = packet_felt_of(&im->modules, p->field_number);
    int64_t ts = p->has_timestamp ? p->ts : PACKET_TIME_NONE;
    struct packet_span span = {ts, ts};
    if (felt == PACKET_FTRACE) {
        note_bundle(w, im, p);
        return;
    }
    if (module)
        note_state(im, module, p);
    if (module && module->span && !module->span(im, p, &span)) {
        if (felt != PACKET_SPAN)
            return;
        span = (struct packet_span){ts, ts};
    }
    if (span.first <= PACKET_TIME_NONE && p->has_timestamp)
        return;
    set_time(w, p->number, felt == PACKET_SPAN ? ts : span.first);
    if (span.first != PACKET_TIME_NONE && makes_rows(module, span.last)) {
        if (!makes_rows(module, span.first))
            span.first = 0;
        note_any(w, span.first);
        bool happens = felt != PACKET_ALWAYS && felt != PACKET_AHEAD && felt != PACKET_DONE;
        if (happens || (module && module->span)) {
            note_span(w, span.first, span.last);
            note_row(w, span.first);
        }
    }
    w->tracing_started = im->tracing_started_ts;
}

struct status scan_times(struct window_scan *w)
{
    static const struct import_handlers handlers = {.packet = note_packet,
                                                    .sequence_cleared = track_event_sequence_reset};
    w->first = w->first_any = w->zero = INT64_MAX;
    w->last = w->last_any = INT64_MIN;
    w->tracing_started = INT64_MIN;
    struct status s = scan_walk(w, &handlers);
    if (w->first > w->last) {
        w->first = w->first_any;
        w->last = w->last_any;
    }
    if (w->zero == INT64_MAX)
        w->zero = w->first;
    if (w->keeps_old)
        w->tracing_started = INT64_MIN;
    return s;
}

bool scan_ftrace_counts(const struct window_scan *w, uint32_t machine, int64_t ts)
{
    return ts >= 0 && ts >= w->tracing_started &&
           (machine >= w->valid_from.count || ts >= w->valid_from.items[machine]);
}

/* What a value is of: the first number of a message in it, and which others it has. */
static uint64_t value_key(const struct pb_field *value)
{
    struct pb_reader r = pb_message(value);
    struct pb_field f;
    uint64_t h = hash_u64(value->number), fields = 0;
    while (pb_next(&r, &f)) {
        if (f.number == 1 && f.wire_type == PB_WIRE_VARINT)
            h = hash_mix(h, f.value);
        fields ^= hash_u64(f.number);
    }
    return hash_mix(h, fields);
}

static bool says_whose(const struct packet_module *module, uint32_t field)
{
    for (int i = 0; i < PACKET_WHOSE; i++)
        if (module->whose[i] == field)
            return true;
    return false;
}

/* Behind the window, the first of each key tells the values of the last ones that are in it. */
static void keep_value(struct window_scan *w, const struct packet_module *module, uint64_t key,
                       int64_t ts, uint64_t number)
{
    struct window_item next = {.ts = ts, .number = number, .stays = true};
    if (ts >= w->to)
        selection_first(&w->selection, ~key, &next);
    else if (ts >= w->from)
        return;
    else if (module->tells_changes)
        selection_last_two(&w->selection, key, ts, number);
    else
        selection_last(&w->selection, key, ts, number);
}

static void keep_last(struct window_scan *w, const struct packet *p, int64_t ts)
{
    const struct packet_module *module = packet_modules_find(&w->modules, p->field_number);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t number = item_number(p->number, 0), who = 0;
    uint64_t source = hash_mix(hash_mix(p->field_number, p->sequence->id), p->machine);
    while (pb_next(&r, &f))
        if (says_whose(module, f.number))
            who = f.data ? hash_bytes(f.data, (size_t)f.value, who) : hash_mix(who, f.value);
    r = bytes_reader(p->field);
    while (pb_next(&r, &f)) {
        if (f.number == module->describes && ts < w->from)
            selection_keep(&w->selection, ts, number);
        uint64_t key = hash_mix(f.data ? value_key(&f) : hash_u64(f.number), source ^ who);
        keep_value(w, module, key, ts, number);
    }
}

/* Of those that go on from what was before, the first behind the window is enough. */
static void keep_next(struct window_scan *w, const struct packet *p, enum packet_felt felt,
                      int64_t ts)
{
    struct window_item next = {.ts = ts, .number = item_number(p->number, 0), .stays = true};
    if (felt == PACKET_LAST)
        keep_last(w, p, ts);
    else
        selection_first(&w->selection, hash_mix(p->field_number, p->machine), &next);
}

void scan_follow(struct import *im, struct packet *p)
{
    const struct packet_module *module = packet_modules_find(&im->modules, p->field_number);
    if (module && module->tells == TELLS_MEANING)
        module->tokenize(im, p);
}

static void say(struct window_scan *w, struct import *im, const struct packet *p,
                const struct packet_module *module, int64_t ts)
{
    struct packet timed = scan_timed(p, ts);
    struct packet_felt_sink out = {.selection = &w->selection,
                                   .from = w->from,
                                   .to = w->to,
                                   .number = p->number};
    module->say(im, &timed, &out);
}

static bool look_at_packet(struct import *im, struct packet *p, bool usable)
{
    struct window_scan *w = scan_of(im);
    int64_t ts = scan_time(w, p->number);
    enum packet_felt felt = packet_felt_of(&w->modules, p->field_number);
    const struct packet_module *module = packet_modules_find(&w->modules, p->field_number);
    if (usable)
        scan_follow(im, p);
    if (!usable || ts == PACKET_TIME_UNKNOWN)
        return true;
    /* That of a bundle is how far its clock is from the trace's. */
    if (ts > PACKET_TIME_NONE && felt != PACKET_FTRACE && !makes_rows(module, ts))
        return true;
    if (module && module->say)
        say(w, im, p, module, ts);
    if (felt == PACKET_FTRACE)
        scan_ftrace_bundle(w, im, p);
    else if (felt == PACKET_TRACK_EVENT && ts >= w->from && ts < w->to)
        scan_later_track_event(w, im, p);
    else if (ts >= w->to && ts != PACKET_TIME_NONE && module && module->looks_back)
        keep_next(w, p, felt, ts);
    else if (ts >= w->from || ts == PACKET_TIME_NONE)
        return true;
    else if (felt == PACKET_TRACK_EVENT)
        scan_track_event(w, im, p, ts);
    else if (felt == PACKET_LAST)
        keep_last(w, p, ts);
    else if (felt == PACKET_AHEAD || felt == PACKET_EACH)
        selection_keep(&w->selection, ts, item_number(p->number, 0));
    return true;
}

static void mark_named(struct window_scan *w)
{
    for (size_t i = 0; i < w->sched.threads.count; i++) {
        struct sched_thread_state *t = &w->sched.threads.items[i];
        uint32_t machine = w->sched.cpus.items[t->seen_cpu].place.machine;
        t->named = map_find(&w->owners.named, (uint64_t)machine << 32 | (uint32_t)t->task.pid);
    }
}

struct status scan_state(struct window_scan *w)
{
    static const struct import_handlers handlers = {.inspect = look_at_packet,
                                                    .interned = cut_names_interned,
                                                    .sequence_cleared = track_event_sequence_reset};
    struct status s = status_ok_value();
    if (w->first < w->from || w->first_any < w->from || w->last >= w->to || w->last_any >= w->to)
        s = scan_walk(w, &handlers);
    mark_named(w);
    if (status_ok(s))
        retelling_make(&w->told, &w->selection, &w->sched, w->from);
    return s;
}

void scan_release(struct window_scan *w)
{
    vec_release(&w->times);
    vec_release(&w->valid_from);
    map_release(&w->seen_cpus);
    track_owners_release(&w->tracks);
    selection_release(&w->selection);
    sched_states_release(&w->sched);
    thread_owners_release(&w->owners);
    ftrace_retimed_free(w->retimed);
    retelling_release(&w->told);
}
