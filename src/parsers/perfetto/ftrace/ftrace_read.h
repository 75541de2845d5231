/* FtraceEvent on the wire: time, pid and one event, nearly always in this order and nothing else.
 */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_READ_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_READ_H

#include "parsers/input/bytes.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* What a record of the sorter refers to: the address of the event's length prefix, or of the pid of
 * one in the usual form. Addresses have less than 53 bits; those above say what it is and what is
 * to be done with it. */
#define FTRACE_REF_USUAL        (UINT64_C(1) << 53)
#define FTRACE_REF_ROW_ONLY     (UINT64_C(1) << 54)
#define FTRACE_REF_HANDLER_ONLY (UINT64_C(1) << 55)
#define FTRACE_REF_ADDRESS      (FTRACE_REF_USUAL - 1)

/* A varint of at most eight bytes at `*p`; eight bytes must be readable there. */
static inline bool short_varint(const uint8_t **p, uint64_t *out)
{
    uint64_t v = load_le64(*p), stops = ~v & UINT64_C(0x8080808080808080);
    if (!stops)
        return false;
    *p += (__builtin_ctzll(stops) >> 3) + 1;
    v &= (stops ^ (stops - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    *out = (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
    return true;
}

/* A varint of at most three bytes: pids, tags, lengths. */
static inline bool small_varint(const uint8_t **p, const uint8_t *end, uint32_t *out)
{
    const uint8_t *q = *p;
    if (end - q >= 1 && q[0] < 0x80) {
        *out = q[0];
        *p = q + 1;
        return true;
    }
    if (end - q >= 2 && q[1] < 0x80) {
        *out = (q[0] & 0x7fu) | (uint32_t)q[1] << 7;
        *p = q + 2;
        return true;
    }
    if (end - q < 3 || q[2] >= 0x80)
        return false;
    *out = (q[0] & 0x7fu) | (q[1] & 0x7fu) << 7 | (uint32_t)q[2] << 14;
    *p = q + 3;
    return true;
}

/* The time of an event of n bytes in the usual form; returns the address behind it, NULL where the
 * form is another. */
static inline const uint8_t *usual_event_time(const uint8_t *p, size_t n, int64_t *ts)
{
    enum { TAG_TIME = PB_FtraceEvent_timestamp << 3 };
    uint64_t v;
    if (n < 10 || *p++ != TAG_TIME || !short_varint(&p, &v))
        return NULL;
    *ts = (int64_t)v;
    return p;
}

struct usual_event {
    uint32_t id, pid;
    struct bytes payload;
};

/* What is behind the time, within the `left` bytes at p; false where the form is another. */
static inline bool usual_event_rest(const uint8_t *p, size_t left, struct usual_event *e)
{
    enum { TAG_PID = PB_FtraceEvent_pid << 3, HEAD_MAX = 10 };
    const uint8_t *start = p, *end = p + (left < HEAD_MAX ? left : HEAD_MAX);
    uint32_t tag, n;
    if (p == end || *p++ != TAG_PID || !small_varint(&p, end, &e->pid) ||
        !small_varint(&p, end, &tag) || (tag & 7) != PB_WIRE_LEN || !small_varint(&p, end, &n) ||
        n > left - (size_t)(p - start))
        return false;
    e->id = tag >> 3;
    e->payload = (struct bytes){p, n};
    return true;
}

/* The parts of an event in any form. */
struct event_parts {
    int64_t ts;
    uint32_t id, pid, common_flags;
    struct bytes payload;
    bool has_ts, has_pid;
};

/* Reads up to and including the next event: an FtraceEvent normally holds one. */
static inline bool event_next(struct pb_reader *r, struct event_parts *e)
{
    struct pb_field f;
    while (pb_next(r, &f)) {
        if (f.wire_type == PB_WIRE_LEN) {
            e->id = f.number;
            e->payload = (struct bytes){f.data, (size_t)f.value};
            return true;
        }
        switch (f.number) {
        case PB_FtraceEvent_timestamp:
            e->ts = pb_i64(&f);
            e->has_ts = true;
            break;
        case PB_FtraceEvent_pid:
            e->pid = pb_u32(&f);
            e->has_pid = true;
            break;
        case PB_FtraceEvent_common_flags:
            e->common_flags = pb_u32(&f);
            break;
        }
    }
    return false;
}

/* The first one, and the time also where that stands behind it; false: there is no event. */
static inline bool event_first(struct pb_reader *r, struct event_parts *e)
{
    bool has_event = event_next(r, e);
    struct event_parts rest = {.ts = e->ts, .has_ts = e->has_ts};
    while (has_event && !e->has_ts && event_next(r, &rest))
        ;
    e->ts = rest.ts;
    e->has_ts = rest.has_ts;
    return has_event;
}

#endif
