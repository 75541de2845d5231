#include "parsers/perf/etm.h"
#include "core/counter.h"
#include "core/store/rows.h"

#include <inttypes.h>
#include <stdio.h>

/* What the parameters of a CPU begin with. */
#define MAGIC_ETMV4 UINT64_C(0x4040404040404040)
#define MAGIC_ETE   UINT64_C(0x5050505050505050)

enum {
    TRACE_ID_MASK = 0x7f,
    TRACE_ID_LAST = 0x6f, /* those above are reserved */
    IDR0_CYCLE_COUNTS = 1 << 7,
    CONFIGR_TIMESTAMPS = 1 << 11,
    FRAME_BYTES = 16,
};

/* Bits of etm_v4_configuration.bool_flags. */
enum { FLAG_CYCLE_COUNTS = 1, FLAG_TIMESTAMPS = 2 };

void perf_etm_release(struct perf_etm *e)
{
    for (size_t i = 0; i < e->cpus.count; i++)
        vec_release(&e->cpus.items[i].unframed);
    for (size_t i = 0; i < e->sessions.count; i++)
        vec_release(&e->sessions.items[i].chunks);
    vec_release(&e->cpus);
    vec_release(&e->sessions);
    vec_release(&e->ended);
}

static struct perf_etm_cpu *find_cpu(struct perf_etm *e, uint32_t cpu)
{
    for (size_t i = 0; i < e->cpus.count; i++)
        if (e->cpus.items[i].cpu == cpu)
            return &e->cpus.items[i];
    return NULL;
}

/* NULL for padding, and streams of other units. */
static struct perf_etm_cpu *find_stream(struct perf_etm *e, uint32_t trace_id)
{
    uint32_t index = e->streams[trace_id];
    return index > 0 ? &e->cpus.items[index - 1] : NULL;
}

static void set_stream(struct perf_etm *e, struct perf_etm_cpu *c, uint32_t trace_id)
{
    c->trace_id = trace_id & TRACE_ID_MASK;
    if (c->trace_id > 0 && c->trace_id <= TRACE_ID_LAST)
        e->streams[c->trace_id] = (uint32_t)(c - e->cpus.items) + 1;
}

/* One CPU: a magic number, the CPU's, how many registers follow, and those. */
static bool read_cpu(struct perf_etm *e, struct perf_reader *r)
{
    uint64_t magic = perf_u64(r), number = perf_u64(r), registers = perf_u64(r);
    if (r->failed || registers > r->left.n / 8 || number > UINT32_MAX ||
        (magic != MAGIC_ETMV4 && magic != MAGIC_ETE))
        return false;
    struct perf_reader in = perf_reader_make(perf_take(r, registers * 8), r->big);
    struct perf_etm_cpu c = {.cpu = (uint32_t)number, .is_ete = magic == MAGIC_ETE};
    c.configr = (uint32_t)perf_u64(&in);
    uint32_t trace_id = (uint32_t)perf_u64(&in);
    c.idr0 = (uint32_t)perf_u64(&in);
    c.idr1 = (uint32_t)perf_u64(&in);
    c.idr2 = (uint32_t)perf_u64(&in);
    c.idr8 = (uint32_t)perf_u64(&in);
    if (in.failed || find_cpu(e, c.cpu))
        return false;
    perf_u64(&in); /* what may be traced */
    c.devarch = c.is_ete ? (uint32_t)perf_u64(&in) : 0;
    *vec_push(&e->cpus) = c;
    set_stream(e, &vec_last(&e->cpus), trace_id);
    return true;
}

bool perf_etm_info(struct perf_etm *e, struct perf_reader r)
{
    perf_take(&r, 4); /* nothing */
    uint64_t version = perf_u64(&r), cpus = perf_u64(&r) & UINT32_MAX;
    perf_u64(&r); /* whether it is a snapshot */
    if (r.failed || version == 0)
        return false;
    for (uint64_t i = 0; i < cpus; i++)
        if (!read_cpu(e, &r))
            return false;
    return true;
}

void perf_etm_set_stream(struct perf_etm *e, uint32_t cpu, uint32_t trace_id)
{
    struct perf_etm_cpu *c = find_cpu(e, cpu);
    if (c)
        set_stream(e, c, trace_id);
}

static void end_session(struct perf_etm *e, struct perf_etm_cpu *c)
{
    if (c->session > 0)
        *vec_push(&e->ended) = c->session - 1;
    c->session = 0;
}

static void start_session(struct perf_etm *e, struct perf_etm_cpu *c, int64_t ts)
{
    end_session(e, c);
    *vec_push(&e->sessions) =
        (struct perf_etm_session){.cpu = (uint32_t)(c - e->cpus.items), .ts = ts};
    c->session = (uint32_t)e->sessions.count;
}

void perf_etm_start(struct perf_etm *e, uint32_t cpu, int64_t ts)
{
    struct perf_etm_cpu *c = find_cpu(e, cpu);
    if (c)
        start_session(e, c, ts);
}

static void add_chunk(struct perf_etm *e, struct perf_etm_cpu *c, const uint8_t *bytes, size_t n)
{
    if (n == 0)
        return;
    if (c->session == 0)
        start_session(e, c, -1);
    *vec_push(&e->sessions.items[c->session - 1].chunks) = (struct perf_etm_chunk){bytes, n};
}

/* Seven pairs of bytes and one more, of which the last byte of the frame has the lowest bits: an
 * odd first byte of a pair says whose bytes follow, at once or behind the second of the pair. */
static void read_frame(struct perf_etm *e, const uint8_t *frame, struct perf_etm_cpu **stream)
{
    uint8_t bits = frame[FRAME_BYTES - 1];
    for (int i = 0; i < FRAME_BYTES - 1; i += 2) {
        bool bit = bits >> i / 2 & 1, changes = frame[i] & 1;
        bool has_second = i + 1 < FRAME_BYTES - 1;
        struct perf_etm_cpu *next = changes ? find_stream(e, frame[i] >> 1) : *stream;
        struct perf_etm_cpu *of_second = changes && bit ? *stream : next;
        if (!changes && *stream)
            *vec_push(&(*stream)->unframed) = (uint8_t)(frame[i] | bit);
        if (has_second && of_second)
            *vec_push(&of_second->unframed) = frame[i + 1];
        *stream = next;
    }
}

/* Whose the bytes are must be told anew in each piece. */
static void read_frames(struct perf_import *im, struct perf_etm *e, struct bytes data)
{
    struct perf_etm_cpu *stream = NULL;
    for (size_t at = 0; data.n - at >= FRAME_BYTES; at += FRAME_BYTES)
        read_frame(e, data.p + at, &stream);
    for (size_t i = 0; i < e->cpus.count; i++) {
        struct perf_etm_cpu *c = &e->cpus.items[i];
        uint8_t *copy = arena_alloc_bytes(&im->arena, c->unframed.count);
        if (c->unframed.count > 0)
            memcpy(copy, c->unframed.items, c->unframed.count);
        add_chunk(e, c, copy, c->unframed.count);
        c->unframed.count = 0;
    }
}

void perf_etm_data(struct perf_import *im, struct perf_etm *e, uint32_t cpu, uint64_t flags,
                   struct bytes data)
{
    struct perf_etm_cpu *c = find_cpu(e, cpu);
    if (!(flags & PERF_AUX_FLAG_CORESIGHT_RAW))
        read_frames(im, e, data);
    else if (c)
        add_chunk(e, c, data.p, data.n);
}

static bool is_aa64(const struct perf_etm_cpu *c)
{
    return c->is_ete || (c->idr0 >> 4 & 0xf) >= 4;
}

/* TRCDEVARCH, which only ETE has, tells it from ETMv4. */
static string_id intern_registers(struct trace *t, const struct perf_etm_cpu *c)
{
    char text[256];
    int n = snprintf(text, sizeof text,
                     "TRCCONFIGR=0x%" PRIx32 " TRCTRACEIDR=0x%" PRIx32 " TRCIDR0=0x%" PRIx32
                     " TRCIDR1=0x%" PRIx32 " TRCIDR2=0x%" PRIx32 " TRCIDR8=0x%" PRIx32,
                     c->configr, c->trace_id, c->idr0, c->idr1, c->idr2, c->idr8);
    if (c->is_ete)
        n += snprintf(text + n, sizeof text - (size_t)n, " TRCDEVARCH=0x%" PRIx32, c->devarch);
    return trace_intern(t, (struct str){text, (size_t)n});
}

static void add_configuration(struct trace *t, const struct perf_etm_cpu *c, uint32_t set_id)
{
    struct etm_v4_configuration_row row = {
        .set_id = set_id,
        .cpu = c->cpu,
        .cs_trace_stream_id = c->trace_id,
        .core_profile = trace_intern(t, STR("CORTEX_A")),
        .arch_version = trace_intern(t, is_aa64(c) ? STR("AA64") : STR("V8")),
        .major_version = c->idr1 >> 8 & 0xf,
        .minor_version = c->idr1 >> 4 & 0xf,
        .max_speculation_depth = c->idr8,
        .bool_flags = (c->idr0 & IDR0_CYCLE_COUNTS ? FLAG_CYCLE_COUNTS : 0) |
                      (c->configr & CONFIGR_TIMESTAMPS ? FLAG_TIMESTAMPS : 0),
        .registers = intern_registers(t, c),
    };
    etm_v4_configuration_append(&t->tables.etm_v4_configuration, &row);
}

static void add_session(struct perf_import *im, const struct perf_etm_session *s, uint32_t first)
{
    struct trace *t = im->trace;
    struct etm_v4_session_row row = etm_v4_session_row_null();
    int64_t ts = s->ts;
    row.configuration_id = first + s->cpu;
    if (ts >= 0 &&
        (!im->converts || clock_convert(t, im->machine, im->clock, ts, &ts) == CLOCK_CONVERTED))
        row.start_ts = ts;
    uint32_t session = etm_v4_session_append(&t->tables.etm_v4_session, &row);
    if (row.start_ts == NULL_I64)
        return;
    uint32_t track =
        track_global_counter(t, "etm_session", trace_intern_c(t, "ETMSession"), NULL, im->machine);
    counter_push(t, row.start_ts, track, session);
}

static void add_chunks(struct trace *t, const struct perf_etm_session *s, uint32_t session)
{
    uint32_t set_id = t->tables.etm_v4_chunk.rows;
    for (size_t i = 0; i < s->chunks.count; i++) {
        const struct perf_etm_chunk *c = &s->chunks.items[i];
        struct etm_v4_chunk_row row = {
            .session_id = session,
            .chunk_set_id = set_id,
            .size = (int64_t)c->n,
            .data = trace_intern(t, (struct str){(const char *)c->bytes, c->n}),
        };
        etm_v4_chunk_append(&t->tables.etm_v4_chunk, &row);
    }
}

void perf_etm_apply(struct perf_import *im, struct perf_etm *e)
{
    struct trace *t = im->trace;
    uint32_t first_cpu = t->tables.etm_v4_configuration.rows;
    uint32_t first_session = t->tables.etm_v4_session.rows;
    for (size_t i = 0; i < e->cpus.count; i++) {
        add_configuration(t, &e->cpus.items[i], first_cpu);
        end_session(e, &e->cpus.items[i]);
    }
    for (size_t i = 0; i < e->sessions.count; i++)
        add_session(im, &e->sessions.items[i], first_cpu);
    for (size_t i = 0; i < e->ended.count; i++)
        add_chunks(t, &e->sessions.items[e->ended.items[i]], first_session + e->ended.items[i]);
}
