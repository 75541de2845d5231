#include "parsers/perfetto/modules.h"
#include "pb_fields.h"

enum { READINGS_MAX = 64 };

static struct clock_reading read_clock(struct pb_reader r)
{
    struct clock_reading c = {.unit_ns = 1};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ClockSnapshot_Clock_clock_id:
            c.clock = pb_u32(&f);
            break;
        case PB_ClockSnapshot_Clock_timestamp:
            c.timestamp = pb_i64(&f);
            break;
        case PB_ClockSnapshot_Clock_is_incremental:
            c.incremental = pb_bool(&f);
            break;
        case PB_ClockSnapshot_Clock_unit_multiplier_ns:
            c.unit_ns = pb_i64(&f) ? pb_i64(&f) : 1;
            break;
        default:
            break;
        }
    }
    return c;
}

bool clock_snapshot_tokenize(struct import *im, struct packet *p)
{
    struct clock_reading readings[READINGS_MAX];
    size_t n = 0;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ClockSnapshot_primary_trace_clock && pb_u32(&f) != 0)
            clock_set_trace_clock(im, pb_u32(&f));
        else if (f.number == PB_ClockSnapshot_clocks && n < READINGS_MAX)
            readings[n++] = read_clock(pb_message(&f));
    }
    if (r.error)
        stats_count(im->trace, STAT_invalid_clock_snapshots);
    clock_add_snapshot(im, p->sequence, p->machine, readings, n);
    return true;
}
