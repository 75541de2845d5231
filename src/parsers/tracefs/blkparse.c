/* What blkparse prints of blktrace's recordings: what happens to requests of block devices, an
 * event a line.
 *
 *     device cpu sequence time pid action kind sector + sectors [command]
 *     259,0    0      180     0.001016281 10587  D  WS 4403456 + 256 [fio]
 *     259,0    0      185     0.001852373     0  C  WS 4403456 + 256 [0]
 *
 * As blkparse(1) says. Events are those of the kernel's tracer blk, and from where a request was
 * issued to its device (D) to where it is complete (C) is a slice on a lane of the device. */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/text_lines.h"
#include "parsers/tracefs/ftrace_text.h"

enum { LANES_MAX = 256 };

/* A line; strings are within it. */
struct block_event {
    int64_t ts, cpu, pid, sector;
    struct str device, action, kind, sectors, comm, rest;
    bool has_sector;
};

/* A request at its device. */
struct block_request {
    int64_t ts, dur; /* dur -1: it is not complete */
    int64_t sector;
    string_id device, name, comm;
};

struct block_lane {
    uint32_t track;
    int64_t end; /* of its last slice */
};

struct block_device {
    string_id name;
    VEC(struct block_lane) lanes;
};

struct blkparse {
    struct trace *trace;
    struct ftrace_text *text;
    VEC(struct block_request) requests;
    VEC(struct block_device) devices;
    struct map device_numbers; /* name -> index of `devices` */
    struct map open;           /* hash of device and sector -> index of its last request */
    string_id comm;
    bool in_summary; /* behind the events */
};

static bool take_number(struct str *rest, int64_t most, int64_t *out)
{
    uint64_t number;
    if (!str_to_u64(str_take_word(rest), 10, &number) || number > (uint64_t)most)
        return false;
    *out = (int64_t)number;
    return true;
}

/* "8,0" */
static bool is_device(struct str word)
{
    size_t digits = str_count_digits(word);
    struct str minor = str_behind(word, digits);
    return digits > 0 && digits < word.n && word.p[digits] == ',' && minor.n > 0 &&
           str_count_digits(minor) == minor.n;
}

static bool is_action(struct str word)
{
    static const char letters[] = "QGIDCMFPUSTXABRmnN";
    return (word.n == 1 || (word.n == 2 && word.p[1] == 'T')) &&
           memchr(letters, *word.p, sizeof letters - 1);
}

static bool read_line(struct str line, struct block_event *e)
{
    struct str rest = line;
    int64_t sequence;
    *e = (struct block_event){.comm = {line.p, 0}, .sectors = {line.p, 0}};
    e->device = str_take_word(&rest);
    if (!is_device(e->device) || !take_number(&rest, UINT16_MAX, &e->cpu) ||
        !take_number(&rest, INT64_MAX, &sequence) || !text_seconds(str_take_word(&rest), &e->ts) ||
        !take_number(&rest, INT32_MAX, &e->pid))
        return false;
    e->action = str_take_word(&rest);
    e->rest = str_trim(rest);
    e->kind = str_take_word(&rest);
    struct str sectors = rest;
    e->has_sector = take_number(&sectors, INT64_MAX, &e->sector);
    if (e->has_sector && str_eq(str_take_word(&sectors), STR("+")))
        e->sectors = str_take_word(&sectors);
    const char *open = e->rest.n ? memrchr(e->rest.p, '[', e->rest.n) : NULL;
    if (open && !str_eq(e->action, STR("C"))) { /* of those it is an error's number */
        struct str comm = str_skip(e->rest, (size_t)(open - e->rest.p) + 1);
        e->comm = str_cut(&comm, ']');
    }
    return is_action(e->action) && e->kind.n > 0;
}

static uint64_t key_of(string_id device, int64_t sector)
{
    return hash_mix(device, (uint64_t)sector);
}

static void begin_request(struct blkparse *b, const struct block_event *e, int64_t ts)
{
    struct trace *t = b->trace;
    char name[64];
    int n = snprintf(name, sizeof name, "%.*s %" PRId64 " + %.*s", (int)e->kind.n, e->kind.p,
                     e->sector, e->sectors.n < 20 ? (int)e->sectors.n : 20, e->sectors.p);
    string_id device = trace_intern(t, e->device);
    map_set(&b->open, key_of(device, e->sector), (uint32_t)b->requests.count);
    *vec_push(&b->requests) = (struct block_request){
        .ts = ts,
        .dur = -1,
        .sector = e->sector,
        .device = device,
        .name = trace_intern(t, (struct str){name, n < 64 ? (size_t)n : sizeof name - 1}),
        .comm = e->comm.n ? trace_intern(t, e->comm) : NULL_STRING,
    };
}

static void end_request(struct blkparse *b, const struct block_event *e, int64_t ts)
{
    string_id device = trace_intern(b->trace, e->device);
    uint64_t key = key_of(device, e->sector);
    const uint32_t *index = map_find(&b->open, key);
    struct block_request *r = index ? &b->requests.items[*index] : NULL;
    if (!r || r->device != device || r->sector != e->sector || ts < r->ts)
        return;
    r->dur = time_minus(ts, r->ts);
    map_remove(&b->open, key);
}

/* The line that the kernel's tracer would have printed. */
static void add_event(struct blkparse *b, const struct block_event *e)
{
    const int64_t second = 1000000000;
    char line[512];
    struct str comm = e->comm.n ? e->comm : STR("<...>");
    int n =
        snprintf(line, sizeof line,
                 "%.*s-%" PRId64 " [%03" PRId64 "] .... %" PRId64 ".%09" PRId64 ": %.*s %.*s %.*s",
                 comm.n < 64 ? (int)comm.n : 64, comm.p, e->pid, e->cpu, e->ts / second,
                 e->ts % second, (int)e->device.n, e->device.p, (int)e->action.n, e->action.p,
                 e->rest.n < 256 ? (int)e->rest.n : 256, e->rest.p);
    if (n > 0 && (size_t)n < sizeof line)
        ftrace_text_add_retold(b->text, (struct str){line, (size_t)n});
}

/* "Skips: 5 forward (1,234 -   0.5%)": gaps in what was recorded, and the events of all of them. */
static void count_skipped(struct blkparse *b, struct str line)
{
    struct str rest = str_behind(line, str_find(line, '('));
    int64_t events = 0;
    for (size_t i = 0; i < rest.n && (str_is_digit(rest.p[i]) || rest.p[i] == ','); i++)
        if (rest.p[i] != ',' && events < INT64_MAX / 20)
            events = events * 10 + (rest.p[i] - '0');
    stats_add(b->trace, STAT_ftrace_text_overwritten, STAT_SINGLE, events);
}

/* The table of each CPU and of all, and what the program says before. */
static bool is_other_line(struct blkparse *b, struct str line)
{
    static const char *const begins[] = {"CPU", "Total (", "Throughput (", "Events ("};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        b->in_summary |= str_starts(line, str_from(begins[i]));
    if (str_starts(line, STR("Skips: ")))
        count_skipped(b, line);
    return str_starts(line, STR("Input file ")) || str_starts(line, STR("Skips: ")) ||
           (b->in_summary && line.n > 0 && !str_is_digit(*line.p));
}

static void add_line(void *self, struct str line)
{
    struct blkparse *b = self;
    struct block_event e;
    int64_t ts;
    enum { WORD_MAX = 32 };
    if (!read_line(str_trim(line), &e) || e.device.n > WORD_MAX || e.kind.n > WORD_MAX) {
        if (!is_other_line(b, str_trim(line)))
            text_lines_unread(b->trace, line);
        return;
    }
    add_event(b, &e);
    if (!e.has_sector || !clock_file_time(b->trace, e.ts, &ts))
        return;
    if (str_eq(e.action, STR("D")))
        begin_request(b, &e, ts);
    else if (str_eq(e.action, STR("C")))
        end_request(b, &e, ts);
}

static struct block_device *device_of(struct blkparse *b, string_id name)
{
    bool inserted;
    uint32_t *index = map_insert(&b->device_numbers, name, &inserted);
    if (inserted) {
        *index = (uint32_t)b->devices.count;
        *vec_push(&b->devices) = (struct block_device){.name = name};
    }
    return &b->devices.items[*index];
}

static uint32_t new_track(struct blkparse *b, const struct block_device *device)
{
    struct trace *t = b->trace;
    char name[48];
    snprintf(name, sizeof name, "Disk %s", string_pool_get(&t->strings, device->name).p);
    struct track_spec spec = {
        .type = "block_request",
        .event_type = TRACK_SLICE,
        .machine = stats_scope(t)->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "device", .type = ARG_STRING, .s = device->name},
                       {.key = "lane", .type = ARG_INT, .i = (int64_t)device->lanes.count}},
        .name = trace_intern_c(t, name),
    };
    return track_intern(t, &spec);
}

/* Requests overlap, but none is part of another: each has a lane for itself while it lasts. */
static void show_request(struct blkparse *b, const struct block_request *r)
{
    struct block_device *device = device_of(b, r->device);
    size_t lane = 0;
    while (lane < device->lanes.count && device->lanes.items[lane].end > r->ts)
        lane++;
    if (lane == LANES_MAX) {
        stats_count(b->trace, STAT_slice_drop_overlapping_complete_event);
        return;
    }
    if (lane == device->lanes.count)
        *vec_push(&device->lanes) = (struct block_lane){.track = new_track(b, device)};
    struct block_lane *l = &device->lanes.items[lane];
    l->end = time_plus(r->ts, r->dur > 0 ? r->dur : 1);
    uint32_t slice = slice_complete(b->trace, r->ts, r->dur, l->track, NULL_STRING, r->name);
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(b->trace, l->track, slice);
    if (args && r->comm)
        arg_list_str(args, b->comm, r->comm);
}

static void apply(struct blkparse *b)
{
    VEC(struct timed) order = {0};
    for (size_t i = 0; i < b->requests.count; i++)
        if (b->requests.items[i].dur >= 0)
            *vec_push(&order) = (struct timed){.ts = b->requests.items[i].ts, .rank = (int64_t)i};
    time_sort(order.items, order.count);
    for (size_t i = 0; i < order.count; i++)
        show_request(b, &b->requests.items[order.items[i].rank]);
    vec_release(&order);
    ftrace_text_apply(b->text);
}

static bool blkparse_sniff(struct bytes data)
{
    enum { LINES = 8 };
    struct str head = trace_format_head(data), line;
    struct block_event e;
    for (int i = 0; i < LINES && str_next_line(&head, &line); i++)
        if (read_line(str_trim(line), &e))
            return true;
    return false;
}

static struct status blkparse_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct blkparse b = {.trace = t,
                         .text = ftrace_text_new(t),
                         .comm = trace_intern(t, STR("args.comm"))};
    bool whole = text_lines_read(t, source, add_line, &b);
    if (whole)
        apply(&b);
    for (size_t i = 0; i < b.devices.count; i++)
        vec_release(&b.devices.items[i].lanes);
    ftrace_text_free(b.text);
    vec_release(&b.requests);
    vec_release(&b.devices);
    map_release(&b.open);
    map_release(&b.device_numbers);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format blkparse_trace_format = {
    .name = "blkparse",
    .type = "blkparse",
    .about =
        "requests of block devices as blkparse prints them: lines \"8,0 cpu sequence time pid D "
        "WS sector + n [command]\"",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .has_idle_task = true,
    .by_lines = true,
    .sniff = blkparse_sniff,
    .read_source = blkparse_import,
};
