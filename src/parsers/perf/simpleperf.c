/* Records of 64 KB and more are split: each piece is the body of a record, and an empty record ends
 * them. What they make has a header of its own, with a size of 32 bits:
 *
 *     type:32 size_high:16 size_low:16 ...  */
#include "parsers/perf/simpleperf.h"

#include "parsers/perf/tracepoint.h"

/* What is said of events that were opened later. */
static void read_event_ids(struct perf_import *im, struct perf_reader r)
{
    uint64_t count = perf_u64(&r);
    for (uint64_t i = 0; i < count && r.left.n >= 16; i++) {
        uint64_t attr = perf_u64(&r), id = perf_u64(&r);
        if (attr < im->attrs.items.count)
            perf_attrs_add_id(&im->attrs, id, (uint32_t)attr);
    }
}

static bool read_whole(struct perf_import *im, uint32_t type, struct bytes body)
{
    struct perf_reader r = perf_reader_of(im, body);
    switch (type) {
    case SIMPLE_PERF_RECORD_EVENT_ID:
        read_event_ids(im, r);
        return false; /* counted as unknown, as by Trace Processor */
    case SIMPLE_PERF_RECORD_TRACING_DATA:
        perf_tracepoints_read(im->tracepoints, perf_take(&r, perf_u32(&r)));
        return true;
    default:
        return false;
    }
}

static bool read_pieces(struct perf_import *im)
{
    struct perf_reader r = perf_reader_of(im, (struct bytes){im->pieces.items, im->pieces.count});
    uint32_t type = perf_u32(&r);
    perf_u32(&r); /* the size is that of all pieces */
    bool used = !r.failed && read_whole(im, type, r.left);
    im->pieces.count = 0;
    return used;
}

bool simpleperf_read(struct perf_import *im, uint32_t type, struct bytes body)
{
    if (type == SIMPLE_PERF_RECORD_SPLIT_END)
        return read_pieces(im);
    if (type != SIMPLE_PERF_RECORD_SPLIT)
        return read_whole(im, type, body);
    vec_append(&im->pieces, body.p, body.n);
    return true;
}
