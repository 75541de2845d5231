#include "parsers/perf/spe.h"

#include "base/alloc.h"
#include "core/store/rows.h"

/* Headers, and the bits of them that tell. */
enum {
    PACKET_PADDING = 0x00,
    PACKET_END = 0x01,
    PACKET_TIMESTAMP = 0x71,
    PACKET_EVENTS = 0x42,
    PACKET_DATA_SOURCE = 0x43,
    PACKET_SIZED_MASK = 0xcf, /* without the size */
    PACKET_OPERATION = 0x48,
    PACKET_CONTEXT = 0x64,
    PACKET_CLASS_MASK = 0xfc, /* without the class or index */
    PACKET_COUNTER = 0x98,
    PACKET_ADDRESS = 0xb0,
    PACKET_INDEX_MASK = 0xf8,
    PACKET_EXTENDED = 0x20,
    PACKET_KIND_MASK = 0xe0,
};

enum { RECORD_MOST = 2048 }; /* bytes of the longest that a processor may write */
enum { ADDRESS_INSTRUCTION = 0, ADDRESS_DATA = 2, ADDRESS_PHYSICAL = 3 };
enum { LATENCY_TOTAL, LATENCY_ISSUE, LATENCY_TRANSLATION };
enum { CLASS_OTHER, CLASS_MEMORY, CLASS_BRANCH };

/* Of one packet. */
struct spe_packet {
    uint8_t header;
    unsigned index; /* of an address or counter */
    struct bytes payload;
};

/* A record that waits. */
struct kept {
    uint32_t size;
    uint8_t bytes[];
};

static bool is_extended(uint8_t header)
{
    return (header & PACKET_KIND_MASK) == PACKET_EXTENDED;
}

/* False where it is cut. */
static bool next_packet(struct bytes *left, struct spe_packet *p)
{
    size_t at = 0;
    unsigned high = 0;
    if (left->n > 0 && is_extended(left->p[0])) {
        high = (left->p[0] & 3u) << 3;
        at = 1;
    }
    if (at >= left->n)
        return false;
    p->header = left->p[at++];
    p->index = high + (p->header & 7u);
    size_t size = p->header & PACKET_KIND_MASK ? (size_t)1 << (p->header >> 4 & 3) : 0;
    if (size > left->n - at)
        return false;
    p->payload = (struct bytes){left->p + at, size};
    left->p += at + size;
    left->n -= at + size;
    return true;
}

/* Payloads are little-endian whatever the machine is. */
static uint64_t value_of(struct bytes payload)
{
    uint64_t v = 0;
    for (size_t i = 0; i < payload.n; i++)
        v |= (uint64_t)payload.p[i] << 8 * i;
    return v;
}

bool perf_spe_next(struct bytes *left, struct perf_spe_record *record)
{
    while (left->n > 0 && *left->p == PACKET_PADDING) {
        left->p++;
        left->n--;
    }
    struct bytes rest = *left;
    struct spe_packet p;
    while (next_packet(&rest, &p)) {
        if (p.header != PACKET_END && p.header != PACKET_TIMESTAMP)
            continue;
        *record = (struct perf_spe_record){
            .bytes = {left->p, left->n - rest.n},
            .cycles = value_of(p.payload),
            .has_cycles = p.header == PACKET_TIMESTAMP,
        };
        *left = rest;
        return true;
    }
    if (left->n > RECORD_MOST)
        left->n = 0;
    return false;
}

void perf_spe_keep(struct perf_import *im, int64_t ts, struct bytes record)
{
    struct kept *kept = arena_alloc(&im->arena, sizeof *kept + record.n);
    kept->size = (uint32_t)record.n;
    memcpy(kept->bytes, record.p, record.n);
    *vec_push(&im->records) = (struct timed){.ts = ts, .rank = PERF_RANK_SPE, .record = kept};
}

static const char *data_source_name(uint64_t source)
{
    static const char *const names[] = {
        [0x0] = "L1D",       [0x8] = "L2",           [0x9] = "PEER_CORE", [0xa] = "LOCAL_CLUSTER",
        [0xb] = "SYS_CACHE", [0xc] = "PEER_CLUSTER", [0xd] = "REMOTE",    [0xe] = "DRAM",
    };
    const char *name = source < sizeof names / sizeof names[0] ? names[source] : NULL;
    return name ? name : "UNKNOWN";
}

static const char *operation_name(uint8_t header, uint64_t payload)
{
    switch (header & 3) {
    case CLASS_OTHER:
        return (payload & 0xfe) == 0 ? "OTHER" : (payload & 0x89) == 8 ? "SVE_VEC_OP" : "UNKNOWN";
    case CLASS_MEMORY:
        return payload & 1 ? "STORE" : "LOAD";
    case CLASS_BRANCH:
        return "BRANCH";
    default:
        return "UNKNOWN";
    }
}

/* The upper bits of an address tell its exception level and security state. */
static int64_t address_of(uint64_t payload)
{
    return (int64_t)(payload & UINT64_C(0x0fffffffffffffff));
}

static void set_latency(struct spe_record_row *row, const struct spe_packet *p)
{
    uint32_t cycles = (uint32_t)value_of(p->payload);
    if (p->index == LATENCY_TOTAL)
        row->total_latency = cycles;
    else if (p->index == LATENCY_ISSUE)
        row->issue_latency = cycles;
    else if (p->index == LATENCY_TRANSLATION)
        row->translation_latency = cycles;
}

static void set_field(struct perf_import *im, struct spe_record_row *row,
                      const struct spe_packet *p)
{
    struct trace *t = im->trace;
    uint64_t v = value_of(p->payload);
    if ((p->header & PACKET_INDEX_MASK) == PACKET_COUNTER)
        set_latency(row, p);
    else if ((p->header & PACKET_SIZED_MASK) == PACKET_EVENTS)
        row->events_bitmask = (int64_t)v;
    else if ((p->header & PACKET_SIZED_MASK) == PACKET_DATA_SOURCE)
        row->data_source = trace_intern_c(t, data_source_name(v));
    else if ((p->header & PACKET_CLASS_MASK) == PACKET_CONTEXT)
        row->utid = process_tracker_thread(t, im->machine, (int64_t)v);
    else if ((p->header & PACKET_CLASS_MASK) == PACKET_OPERATION)
        row->operation = trace_intern_c(t, operation_name(p->header, v));
    else if ((p->header & PACKET_INDEX_MASK) == PACKET_ADDRESS && p->index == ADDRESS_DATA)
        row->data_virtual_address = address_of(v);
    else if ((p->header & PACKET_INDEX_MASK) == PACKET_ADDRESS && p->index == ADDRESS_PHYSICAL)
        row->data_physical_address = address_of(v);
}

/* The instruction's exception level, and its frame. */
static void set_instruction(struct perf_import *im, struct spe_record_row *row, uint64_t payload)
{
    static const char *const levels[] = {"EL0", "EL1", "EL2", "EL3"};
    struct trace *t = im->trace;
    unsigned level = payload >> 61 & 3;
    uint64_t ip = (uint64_t)address_of(payload);
    uint32_t upid = NULL_U32;
    row->exception_level = trace_intern_c(t, levels[level]);
    if (level == 0 && row->utid != NULL_U32)
        upid = table_u32(&t->tables.thread, thread_col_upid)[row->utid];
    bool user = upid != NULL_U32;
    uint32_t pid = user ? (uint32_t)table_i64(&t->tables.process, process_col_pid)[upid] : 0;
    if ((user || level == 1) &&
        perf_maps_find_frame(&im->maps, !user, pid, ip, &row->instruction_frame_id))
        return;
    row->instruction_frame_id = perf_maps_other_frame(&im->maps, STR("spe_dummy"), ip);
}

void perf_spe_apply(struct perf_import *im, int64_t ts, const void *kept)
{
    const struct kept *k = kept;
    struct bytes left = {k->bytes, k->size};
    struct spe_record_row row = spe_record_row_null();
    struct spe_packet p;
    uint64_t instruction = 0;
    bool has_instruction = false;
    row.ts = ts;
    while (next_packet(&left, &p)) {
        if ((p.header & PACKET_INDEX_MASK) == PACKET_ADDRESS && p.index == ADDRESS_INSTRUCTION) {
            instruction = value_of(p.payload);
            has_instruction = true;
        } else {
            set_field(im, &row, &p);
        }
    }
    if (has_instruction)
        set_instruction(im, &row, instruction);
    spe_record_append(&im->trace->tables.spe_record, &row);
}
