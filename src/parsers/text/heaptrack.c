/* What heaptrack writes (heaptrack.APP.PID.zst): every block of the heap that was asked for or
 * given back, and from where. All numbers are hexadecimal.
 *
 *     v 10400 3                  versions of the program and of the format
 *     X ./app                    the command
 *     I 1000 5e2990              bytes of a page, pages of the machine
 *     s 4 main                   string 1, its size in front of it since format 3
 *     i 560d17ea 1 2 3 6 4 3 4   address 1: file; function, source and line of its code, then of
 *                                what that was inlined into; each a string, 0 for none
 *     t 1 0                      stack 1: an address, and the stack that called it
 *     a 3e8 1                    block 0: its size, and the stack that asks for it
 *     + 0                        block 0 is asked for
 *     - 0                        and is given back
 *     c 5                        ms since the begin
 *     R 112                      pages in memory
 *
 * As heaptrack's README says, and what heaptrack 1.4 records shows. */
#include <stdio.h>

#include "core/trace_builder.h"
#include "core/counter.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/samples.h"
#include "parsers/text/stack_sums.h"
#include "parsers/text/text_lines.h"

enum { NS_PER_MS = 1000000, STRINGS_WITH_SIZE = 3, ADDRESS_NAME = 24 };

/* What is counted of a stack. The current values become those at the end. */
enum sum {
    SUM_BYTES,
    SUM_BLOCKS,
    SUM_PEAK_BYTES,
    SUM_PEAK_BLOCKS,
    SUM_CURRENT_BYTES,
    SUM_CURRENT_BLOCKS,
    SUM_TEMPORARY,
    SUM_COUNT
};

static const struct {
    struct str name, type, unit;
} sum_kinds[SUM_COUNT] = {
    [SUM_BYTES] = {{"bytes in total", 14}, {"space", 5}, {"bytes", 5}},
    [SUM_BLOCKS] = {{"blocks in total", 15}, {"blocks", 6}, {"count", 5}},
    [SUM_PEAK_BYTES] = {{"bytes at the maximum", 20}, {"space", 5}, {"bytes", 5}},
    [SUM_PEAK_BLOCKS] = {{"blocks at the maximum", 21}, {"blocks", 6}, {"count", 5}},
    [SUM_CURRENT_BYTES] = {{"bytes at the end", 16}, {"space", 5}, {"bytes", 5}},
    [SUM_CURRENT_BLOCKS] = {{"blocks at the end", 17}, {"blocks", 6}, {"count", 5}},
    [SUM_TEMPORARY] = {{"blocks given back at once", 25}, {"blocks", 6}, {"count", 5}},
};

struct stack {
    uint32_t callsite;
    uint64_t changed; /* the event that changed it last */
    double sums[SUM_COUNT];
};

struct block {
    uint64_t size;
    uint32_t stack; /* index, which counts from 0 */
};

struct frame_range {
    uint32_t first, count; /* of `frames`, innermost first */
};

struct heaptrack {
    struct trace *trace;
    VEC(string_id) strings;
    VEC(uint32_t) frames;
    VEC(struct frame_range) addresses;
    VEC(struct stack) stacks;
    VEC(struct block) blocks;
    uint64_t version, page_size;
    uint64_t events, peak_event; /* so many there were, and then */
    uint64_t last;               /* block that was asked for in the event before; UINT64_MAX */
    double current, peak;        /* bytes */
    int64_t ts;
    uint32_t upid;
    bool raw;
};

/* The next number of a line; false where there is none. */
static bool take_number(struct str *line, uint64_t *out)
{
    return str_to_u64(str_take_word(line), 16, out);
}

/* The string of a number that a line has next; NULL_STRING for none. */
static string_id take_string(const struct heaptrack *h, struct str *line)
{
    uint64_t i;
    if (!take_number(line, &i) || i == 0 || i > h->strings.count)
        return NULL_STRING;
    return h->strings.items[i - 1];
}

static void add_string(struct heaptrack *h, struct str line)
{
    uint64_t size;
    if (h->version >= STRINGS_WITH_SIZE && take_number(&line, &size) && line.n > 0)
        line = str_skip(line, 1);
    *vec_push(&h->strings) = trace_intern(h->trace, line);
}

static uint32_t nameless_frame(struct heaptrack *h, uint32_t mapping, uint64_t address)
{
    char name[ADDRESS_NAME];
    snprintf(name, sizeof name, "0x%llx", (unsigned long long)address);
    return stack_frame_intern_source(h->trace, mapping, trace_intern_c(h->trace, name), NULL_STRING,
                                     NULL_U32);
}

static void add_address(struct heaptrack *h, struct str line)
{
    uint64_t address = 0, number;
    struct frame_range range = {.first = (uint32_t)h->frames.count};
    (void)take_number(&line, &address);
    string_id file = take_string(h, &line);
    struct str name =
        file == NULL_STRING ? STR("[unknown]") : string_pool_get(&h->trace->strings, file);
    uint32_t mapping = stack_mapping_of_source(h->trace, name);
    while (str_trim(line).n > 0) {
        string_id function = take_string(h, &line), source = take_string(h, &line);
        uint32_t at =
            take_number(&line, &number) && number < NULL_U32 ? (uint32_t)number : NULL_U32;
        if (function != NULL_STRING)
            *vec_push(&h->frames) =
                stack_frame_intern_source(h->trace, mapping, function, source, at);
    }
    if (h->frames.count == range.first)
        *vec_push(&h->frames) = nameless_frame(h, mapping, address);
    range.count = (uint32_t)h->frames.count - range.first;
    *vec_push(&h->addresses) = range;
}

static void add_stack(struct heaptrack *h, struct str line)
{
    uint64_t address, caller;
    struct stack stack = {.callsite = NULL_U32};
    bool known = take_number(&line, &address) && address > 0 && address <= h->addresses.count;
    if (take_number(&line, &caller) && caller > 0 && caller <= h->stacks.count)
        stack.callsite = h->stacks.items[caller - 1].callsite;
    struct frame_range range = known ? h->addresses.items[address - 1] : (struct frame_range){0, 0};
    for (uint32_t i = range.count; i-- > 0;)
        stack.callsite =
            stack_callsite_intern(h->trace, stack.callsite, h->frames.items[range.first + i]);
    *vec_push(&h->stacks) = stack;
}

static void add_block(struct heaptrack *h, struct str line)
{
    struct block block = {.stack = NULL_U32};
    uint64_t stack;
    if (take_number(&line, &block.size) && take_number(&line, &stack) && stack > 0 &&
        stack <= h->stacks.count)
        block.stack = (uint32_t)stack - 1;
    *vec_push(&h->blocks) = block;
}

/* The block of an event; NULL where there is none, or no stack of it. */
static const struct block *take_block(const struct heaptrack *h, struct str line, uint64_t *number)
{
    if (!take_number(&line, number) || *number >= h->blocks.count ||
        h->blocks.items[*number].stack == NULL_U32)
        return NULL;
    return &h->blocks.items[*number];
}

/* If there was a new maximum since the stack changed, it has held then what it holds now. */
static void keep_peak(const struct heaptrack *h, struct stack *s)
{
    if (s->changed > h->peak_event)
        return;
    s->sums[SUM_PEAK_BYTES] = s->sums[SUM_CURRENT_BYTES];
    s->sums[SUM_PEAK_BLOCKS] = s->sums[SUM_CURRENT_BLOCKS];
}

/* A block comes (1) or goes (-1). */
static struct stack *change(struct heaptrack *h, const struct block *b, int by)
{
    struct stack *s = &h->stacks.items[b->stack];
    keep_peak(h, s);
    s->changed = ++h->events;
    s->sums[SUM_CURRENT_BYTES] += by * (double)b->size;
    s->sums[SUM_CURRENT_BLOCKS] += by;
    h->current += by * (double)b->size;
    return s;
}

static void ask(struct heaptrack *h, struct str line)
{
    const struct block *b = take_block(h, line, &h->last);
    if (!b)
        return;
    struct stack *s = change(h, b, 1);
    s->sums[SUM_BYTES] += (double)b->size;
    s->sums[SUM_BLOCKS]++;
    if (h->current > h->peak) {
        h->peak = h->current;
        h->peak_event = h->events;
    }
}

static void give_back(struct heaptrack *h, struct str line)
{
    uint64_t number;
    const struct block *b = take_block(h, line, &number);
    if (b) {
        struct stack *s = change(h, b, -1);
        s->sums[SUM_TEMPORARY] += number == h->last;
    }
    h->last = UINT64_MAX;
}

static void add_counter(struct heaptrack *h, const char *type, const char *name, double bytes)
{
    struct trace *t = h->trace;
    uint32_t track = track_process_counter(t, type, trace_intern_c(t, name), "bytes", h->upid);
    counter_push(t, h->ts, track, bytes);
}

static void add_time(struct heaptrack *h, struct str line)
{
    uint64_t ms;
    if (take_number(&line, &ms) && ms <= INT64_MAX / NS_PER_MS &&
        clock_file_time(h->trace, (int64_t)ms * NS_PER_MS, &h->ts))
        add_counter(h, "heaptrack_heap", "Heap", h->current);
}

static void read_versions(struct heaptrack *h, struct str line)
{
    uint64_t program = 0;
    (void)take_number(&line, &program);
    if (!take_number(&line, &h->version))
        h->version = program == 0x010200; /* which was counted as the format's then */
}

static void name_process(struct heaptrack *h, struct str command)
{
    process_tracker_set_process_name(h->trace, h->upid, trace_intern(h->trace, str_trim(command)),
                                     PROCESS_NAME_OTHER);
}

/* Whether so many numbers follow each other. */
static bool has_numbers(struct str line, int count)
{
    uint64_t number;
    while (count > 0 && take_number(&line, &number))
        count--;
    return count == 0;
}

/* What lines begin with that hold numbers, and how many of them each has at least. Others are "A",
 * which says that the program was attached to, and "S", what leaks may be left out. */
static bool is_whole(struct str line)
{
    static const struct {
        char kind;
        int numbers;
    } kinds[] = {{'v', 1}, {'I', 2}, {'i', 2}, {'t', 2}, {'a', 2}, {'+', 1}, {'-', 1}, {'c', 1},
                 {'R', 1}, {'x', 0}, {'X', 0}, {'s', 0}, {'A', 0}, {'S', 0}, {'m', 0}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (line.n > 0 && *line.p == kinds[i].kind)
            return (line.n == 1 || line.p[1] == ' ') &&
                   has_numbers(str_skip(line, 1), kinds[i].numbers);
    return false;
}

static void add_line(void *self, struct str line)
{
    struct heaptrack *h = self;
    struct str rest = str_skip(line, line.n < 2 ? line.n : 2);
    uint64_t pages;
    if (!is_whole(line))
        text_lines_unread(h->trace, line);
    switch (line.n > 0 ? line.p[0] : '\0') {
    case 'v':
        read_versions(h, rest);
        break;
    case 'x':
        h->raw = true;
        break;
    case 'X':
        name_process(h, rest);
        break;
    case 'I':
        (void)take_number(&rest, &h->page_size);
        break;
    case 's':
        add_string(h, rest);
        break;
    case 'i':
        add_address(h, rest);
        break;
    case 't':
        add_stack(h, rest);
        break;
    case 'a':
        add_block(h, rest);
        break;
    case '+':
        ask(h, rest);
        break;
    case '-':
        give_back(h, rest);
        break;
    case 'c':
        add_time(h, rest);
        break;
    case 'R':
        if (take_number(&rest, &pages))
            add_counter(h, "heaptrack_rss", "RSS", (double)pages * (double)h->page_size);
        break;
    default:
        break;
    }
}

static void add_sums(struct heaptrack *h)
{
    for (size_t i = 0; i < h->stacks.count; i++)
        keep_peak(h, &h->stacks.items[i]);
    for (int sum = 0; sum < SUM_COUNT; sum++) {
        uint32_t profile = NULL_U32;
        for (size_t i = 0; i < h->stacks.count; i++) {
            const struct stack *s = &h->stacks.items[i];
            if (!(s->sums[sum] > 0) || s->callsite == NULL_U32)
                continue;
            if (profile == NULL_U32)
                profile = stack_sums_profile(h->trace, STR("heaptrack"), sum_kinds[sum].name,
                                             sum_kinds[sum].type, sum_kinds[sum].unit);
            stack_sums_add(h->trace, profile, s->callsite, s->sums[sum]);
        }
    }
}

/* "v 10400 3", and behind it the command. */
static bool heaptrack_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), line;
    uint64_t version;
    if (!str_next_line(&head, &line) || !str_starts(line, STR("v ")))
        return false;
    line = str_skip(line, 2);
    return take_number(&line, &version) && version >= 0x010000 && str_next_line(&head, &line) &&
           (str_starts(line, STR("X ")) || str_starts(line, STR("x ")));
}

static struct status heaptrack_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct heaptrack h = {.trace = t, .page_size = 4096, .last = UINT64_MAX};
    uint32_t utid = samples_new_thread(t, 0, NULL_STRING);
    h.upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
    bool whole = text_lines_read(t, source, add_line, &h);
    if (!h.raw && h.version > 0)
        add_sums(&h);
    vec_release(&h.strings);
    vec_release(&h.frames);
    vec_release(&h.addresses);
    vec_release(&h.stacks);
    vec_release(&h.blocks);
    if (!whole)
        return progress_cancelled(name);
    if (h.raw)
        return status_error(STATUS_FORMAT,
                            "%s: raw data of heaptrack, without names: "
                            "heaptrack_interpret makes what can be read of it",
                            name);
    if (h.version == 0)
        return status_error(STATUS_FORMAT,
                            "%s: line 1: heaptrack's format of before version 1.0, "
                            "expected version 1 to 3",
                            name);
    return status_ok_value();
}

const struct trace_format heaptrack_trace_format = {
    .name = "heaptrack",
    .type = "heaptrack",
    .about = "what heaptrack writes: begins with \"v 10400 3\" and \"X COMMAND\"",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .by_lines = true,
    .sniff = heaptrack_sniff,
    .read_source = heaptrack_import,
};
