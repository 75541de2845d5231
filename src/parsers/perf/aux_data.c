#include "parsers/perf/aux_data.h"

#include "parsers/perf/spe.h"

/* Values of AUXTRACE_INFO's type. */
enum { PERF_AUXTRACE_CS_ETM = 3, PERF_AUXTRACE_ARM_SPE = 4 };

enum { FLAG_TRUNCATED = 1, FLAG_PARTIAL = 4, FLAG_COLLISION = 8, NO_CPU = -1 };

void perf_aux_release(struct perf_aux *a)
{
    for (size_t i = 0; i < a->streams.count; i++) {
        struct perf_aux_stream *s = &a->streams.items[i];
        vec_release(&s->valid.pieces);
        vec_release(&s->data.pieces);
        vec_release(&s->unparsed);
    }
    vec_release(&a->streams);
    perf_etm_release(&a->etm);
    map_release(&a->stream_of_cpu);
}

/* Builds of Trace Processor without a decoder count that they have none. */
static bool read_etm_info(struct perf_aux *a, struct perf_reader r)
{
    if (!PERF_ETM_IS_DECODED)
        stats_count(a->import->trace, STAT_etm_no_importer);
    return perf_etm_info(&a->etm, r);
}

bool perf_aux_info(struct perf_aux *a, struct bytes body)
{
    struct perf_reader r = perf_reader_of(a->import, body);
    uint32_t type = perf_u32(&r);
    if (r.failed || a->described)
        return false;
    a->described = true;
    a->type = type;
    if (type == PERF_AUXTRACE_CS_ETM)
        return read_etm_info(a, r);
    if (type != PERF_AUXTRACE_ARM_SPE)
        stats_add(a->import->trace, STAT_perf_unknown_aux_data, type, 1);
    return true;
}

bool perf_aux_time_conversion(struct perf_aux *a, struct bytes body)
{
    enum { CAP_ZERO_AND_SHORT = 2, WITHOUT_SHORT = 24 };
    struct perf_reader r = perf_reader_of(a->import, body);
    struct perf_time_conversion t = {.shift = perf_u64(&r)};
    t.multiplier = perf_u64(&r);
    t.zero = perf_u64(&r);
    if (r.failed || t.shift > 63)
        return false;
    if (body.n > WITHOUT_SHORT) { /* older ones end here */
        t.cycles = perf_u64(&r);
        t.mask = perf_u64(&r);
        struct bytes caps = perf_take(&r, CAP_ZERO_AND_SHORT);
        t.is_short = caps.n && caps.p[1];
    }
    t.known = !r.failed;
    a->time = t;
    return t.known;
}

static uint64_t time_of_cycles(const struct perf_time_conversion *t, uint64_t cycles)
{
    if (t->is_short)
        cycles = t->cycles + ((cycles - t->cycles) & t->mask);
    uint64_t whole = cycles >> t->shift, rest = cycles & ((UINT64_C(1) << t->shift) - 1);
    return t->zero + whole * t->multiplier + (rest * t->multiplier >> t->shift);
}

static struct perf_aux_stream *stream_of(struct perf_aux *a, uint32_t cpu)
{
    bool inserted;
    uint32_t *index = map_insert(&a->stream_of_cpu, cpu, &inserted);
    if (inserted) {
        *index = (uint32_t)a->streams.count;
        *vec_push(&a->streams) = (struct perf_aux_stream){.cpu = cpu};
    }
    return &a->streams.items[*index];
}

/* Bytes that nobody can read; what began before them has no end. */
static void lose(struct perf_aux *a, struct perf_aux_stream *s, uint64_t until)
{
    s->unparsed.count = 0;
    if (a->type != PERF_AUXTRACE_ARM_SPE)
        stats_add(a->import->trace, STAT_perf_aux_lost, STAT_SINGLE, (int64_t)(until - s->read));
    s->read = until;
}

/* When a record of SPE happened: its own time, or that of the AUX record. */
static int64_t time_of_spe(struct perf_aux *a, const struct perf_spe_record *record, int64_t time)
{
    struct trace *t = a->import->trace;
    if (!record->has_cycles)
        stats_count(t, STAT_spe_no_timestamp);
    else if (!a->time.known)
        stats_count(t, STAT_perf_no_tsc_data);
    else
        time = (int64_t)time_of_cycles(&a->time, record->cycles);
    return time >= 0 ? time : a->import->latest;
}

/* Records of SPE wait for their turn, as others do. */
static void read_spe(struct perf_aux *a, struct perf_aux_stream *s, struct bytes piece,
                     int64_t time)
{
    vec_append(&s->unparsed, piece.p, piece.n);
    struct bytes left = {s->unparsed.items, s->unparsed.count};
    struct perf_spe_record record;
    while (perf_spe_next(&left, &record))
        perf_spe_keep(a->import, time_of_spe(a, &record, time), record.bytes);
    memmove(s->unparsed.items, left.p, left.n);
    s->unparsed.count = left.n;
}

static void read_piece(struct perf_aux *a, struct perf_aux_stream *s, struct bytes piece,
                       const struct perf_aux_piece *valid)
{
    bool is_etm = a->type == PERF_AUXTRACE_CS_ETM;
    if (a->type == PERF_AUXTRACE_ARM_SPE)
        read_spe(a, s, piece, valid->time);
    else if (!is_etm || !PERF_ETM_IS_DECODED)
        stats_add(a->import->trace, STAT_perf_aux_ignored, STAT_SINGLE, (int64_t)piece.n);
    if (is_etm)
        perf_etm_data(a->import, &a->etm, s->cpu, valid->flags, piece);
}

/* Of both queues, the bytes that are in both. */
static void read_pieces(struct perf_aux *a, struct perf_aux_stream *s)
{
    while (s->valid.first < s->valid.pieces.count && s->data.first < s->data.pieces.count) {
        const struct perf_aux_piece *valid = &s->valid.pieces.items[s->valid.first];
        const struct perf_aux_piece *data = &s->data.pieces.items[s->data.first];
        uint64_t valid_end = valid->offset + valid->size, data_end = data->offset + data->size;
        uint64_t from = valid->offset > data->offset ? valid->offset : data->offset;
        uint64_t to = valid_end < data_end ? valid_end : data_end;
        if (from < s->read)
            from = s->read;
        if (from < to) {
            if (s->read < from)
                lose(a, s, from);
            struct bytes piece = {data->bytes + (from - data->offset), (size_t)(to - from)};
            read_piece(a, s, piece, valid);
            s->read = to;
        }
        if (valid_end <= data_end)
            s->valid.first++;
        else
            s->data.first++;
    }
}

/* False where it lies before the end of those so far. */
static bool add_piece(struct perf_aux *a, struct perf_aux_queue *q, struct perf_aux_piece piece,
                      enum stat_key missing)
{
    if (piece.offset < q->end || piece.size > INT64_MAX || piece.offset > INT64_MAX)
        return false;
    if (piece.offset > q->end)
        stats_add(a->import->trace, missing, STAT_SINGLE, (int64_t)(piece.offset - q->end));
    q->end = piece.offset + piece.size;
    *vec_push(&q->pieces) = piece;
    return true;
}

bool perf_aux_valid(struct perf_aux *a, const struct perf_attr *attr,
                    const struct perf_record *record)
{
    struct trace *t = a->import->trace;
    struct perf_reader r = perf_reader_of(a->import, record->body);
    struct perf_aux_piece piece = {.offset = perf_u64(&r), .time = -1};
    piece.size = perf_u64(&r);
    uint64_t flags = perf_u64(&r), time;
    piece.flags = flags;
    struct perf_sample_id id = perf_attr_sample_id(attr, record, a->import->big);
    if (r.failed || !a->described || !id.has_cpu)
        return false;
    if (perf_attr_time(attr, record, a->import->big, &time) && time && time <= INT64_MAX)
        piece.time = (int64_t)time;
    struct perf_aux_stream *s = stream_of(a, id.cpu);
    if (!add_piece(a, &s->valid, piece, STAT_perf_aux_missing))
        return false;
    if (flags & FLAG_TRUNCATED)
        stats_count(t, STAT_perf_aux_truncated);
    if (flags & FLAG_PARTIAL)
        stats_count(t, STAT_perf_aux_partial);
    if (flags & FLAG_COLLISION)
        stats_count(t, STAT_perf_aux_collision);
    read_pieces(a, s);
    return true;
}

void perf_aux_start(struct perf_aux *a, const struct perf_attr *attr,
                    const struct perf_record *record, uint64_t time)
{
    struct perf_sample_id id = perf_attr_sample_id(attr, record, a->import->big);
    if (id.has_cpu)
        perf_etm_start(&a->etm, id.cpu, time > 0 ? (int64_t)time : -1);
}

void perf_aux_output_id(struct perf_aux *a, const struct perf_attr *attr,
                        const struct perf_record *record)
{
    struct perf_sample_id id = perf_attr_sample_id(attr, record, a->import->big);
    struct perf_reader r = perf_reader_of(a->import, record->body);
    uint64_t hardware = perf_u64(&r);
    if (id.has_cpu && !r.failed)
        perf_etm_set_stream(&a->etm, id.cpu, (uint32_t)hardware);
}

bool perf_aux_data(struct perf_aux *a, struct bytes body, struct bytes data)
{
    enum { SIZE_OFFSET_AND_REFERENCE = 24, INDEX_AND_TID = 8 };
    struct perf_reader r = perf_reader_of(a->import, body), offset = r;
    perf_u64(&offset);
    perf_take(&r, SIZE_OFFSET_AND_REFERENCE + INDEX_AND_TID);
    struct perf_aux_piece piece = {.offset = perf_u64(&offset),
                                   .size = data.n,
                                   .bytes = data.p,
                                   .time = -1};
    uint32_t cpu = perf_u32(&r);
    if (r.failed || !a->described || cpu == (uint32_t)NO_CPU)
        return false;
    struct perf_aux_stream *s = stream_of(a, cpu);
    if (!add_piece(a, &s->data, piece, STAT_perf_auxtrace_missing))
        return false;
    read_pieces(a, s);
    return true;
}

void perf_aux_finish(struct perf_aux *a)
{
    struct trace *t = a->import->trace;
    for (size_t i = 0; i < a->streams.count; i++) {
        struct perf_aux_stream *s = &a->streams.items[i];
        uint64_t valid = s->valid.end, data = s->data.end, end = valid > data ? valid : data;
        if (valid < data)
            stats_add(t, STAT_perf_aux_missing, STAT_SINGLE, (int64_t)(data - valid));
        else if (data < valid)
            stats_add(t, STAT_perf_auxtrace_missing, STAT_SINGLE, (int64_t)(valid - data));
        if (s->read < end)
            lose(a, s, end);
    }
}
