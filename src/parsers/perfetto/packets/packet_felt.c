#include "core/time.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/packet.h"

void packet_felt_last(struct packet_felt_sink *out, int64_t ts, uint64_t key)
{
    struct window_item item = {.ts = ts, .number = item_number(out->number, 0), .stays = true};
    if (ts < out->from)
        selection_last_item(out->selection, key, &item);
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
                                        .number = item_number(out->number, 0),
                                        .kind = (uint8_t)kind,
                                        .stays = true});
}

void packet_felt_again(struct packet_felt_sink *out, enum mark_kind kind, int64_t ts, uint64_t key)
{
    add_mark(out, &(struct window_mark){.ts = ts,
                                        .key = key,
                                        .number = item_number(out->number, 0),
                                        .kind = (uint8_t)kind});
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
