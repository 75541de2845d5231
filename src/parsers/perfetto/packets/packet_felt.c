#include "text/time.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/packet.h"

static struct window_item item_of(const struct packet_felt_sink *out, int64_t ts)
{
    return (
        struct window_item){.ts = ts, .number = item_number(out->number, out->part), .stays = true};
}

void packet_felt_last(struct packet_felt_sink *out, int64_t ts, uint64_t key)
{
    struct window_item item = item_of(out, ts);
    if (ts < out->from)
        selection_last_item(out->selection, key, &item);
}

void packet_felt_anywhere(struct packet_felt_sink *out, int64_t ts, uint64_t key)
{
    struct window_item item = item_of(out, ts);
    packet_felt_last(out, ts, key);
    if (ts >= out->to)
        selection_first(out->selection, ~key, &item);
}

static void add_mark(struct packet_felt_sink *out, const struct window_mark *m)
{
    if (m->ts < out->from)
        selection_mark(out->selection, m);
}

void packet_felt_mark(struct packet_felt_sink *out, enum mark_kind kind, int64_t ts, uint64_t key)
{
    add_mark(out, &(struct window_mark){.ts = ts,
                                        .key = key,
                                        .number = item_number(out->number, out->part),
                                        .kind = (uint8_t)kind,
                                        .stays = true});
}

void packet_felt_again(struct packet_felt_sink *out, enum mark_kind kind, int64_t ts, uint64_t key)
{
    add_mark(out, &(struct window_mark){.ts = ts,
                                        .key = key,
                                        .number = item_number(out->number, out->part),
                                        .kind = (uint8_t)kind});
}

void packet_felt_crossing(struct packet_felt_sink *out, int64_t ts, uint64_t key, bool begins)
{
    struct window_item item = item_of(out, ts);
    if (ts < out->to)
        selection_before_end(out->selection, key, &item, begins);
    else
        selection_behind_end(out->selection, key, &item, begins);
}

void packet_span_add(struct packet_span *span, int64_t ts)
{
    span->first = ts < span->first ? ts : span->first;
    span->last = ts > span->last ? ts : span->last;
}

bool packet_span_lasting(const struct packet *p, int64_t dur, struct packet_span *out)
{
    *out = (struct packet_span){p->ts, time_plus(p->ts, dur > 0 ? dur : 0)};
    return p->has_timestamp;
}
