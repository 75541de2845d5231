/* Snapshots of clocks, and how far another machine's clock is from the host's. */
#define PB_READS_LITTLE
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { READINGS_MAX = 64 };

static struct clock_reading read_clock(struct import *im, const struct packet *p,
                                       struct pb_reader r)
{
    struct clock_reading c = {.unit_ns = 1};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ClockSnapshot_Clock_clock_id:
            c.clock = clock_of_packet(im, p->sequence, p->machine, pb_u32(&f));
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

static bool has_clock(const struct clock_reading *readings, size_t n, uint32_t number)
{
    for (size_t i = 0; i < n; i++)
        if (readings[i].clock.number == number)
            return true;
    return false;
}

/* Older recordings do not say what their times are in: it is BOOTTIME, if they know that. */
static uint32_t primary_clock(const struct clock_reading *readings, size_t n, uint32_t said)
{
    if (said != 0)
        return said;
    return has_clock(readings, n, CLOCK_BOOTTIME_NUMBER) &&
                   !has_clock(readings, n, CLOCK_TRACE_FILE_NUMBER)
               ? CLOCK_BOOTTIME_NUMBER
               : 0;
}

static bool clock_snapshot_tokenize(struct import *im, struct packet *p)
{
    struct clock_reading readings[READINGS_MAX];
    size_t n = 0;
    uint32_t primary = 0;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ClockSnapshot_primary_trace_clock)
            primary = pb_u32(&f);
        else if (f.number == PB_ClockSnapshot_clocks && n < READINGS_MAX)
            readings[n++] = read_clock(im, p, pb_message(&f));
    }
    if (r.error)
        stats_count(im->trace, STAT_invalid_clock_snapshots);
    primary = primary_clock(readings, n, primary);
    if (primary != 0)
        clock_claim(im->trace, p->machine, primary);
    clock_add_snapshot(im->trace, p->machine, readings, n);
    return true;
}

/* What clocks showed on the host, and on the other machine right before. */
struct sync {
    struct clock_reading host[READINGS_MAX], client[READINGS_MAX];
    size_t host_count, client_count;
};

static size_t read_clocks(struct import *im, const struct packet *p, struct pb_reader r,
                          struct clock_reading *out)
{
    struct pb_field f;
    size_t n = 0;
    while (pb_next(&r, &f)) {
        if (f.number != PB_ClockSnapshot_clocks || n == READINGS_MAX)
            continue;
        struct clock_reading c = read_clock(im, p, pb_message(&f));
        out[n++] = (struct clock_reading){
            .clock = clock_of_machine(im->trace, p->machine, c.clock.number, 0),
            .timestamp = c.timestamp,
            .unit_ns = 1,
        };
    }
    return n;
}

/* The last one counts. */
static int64_t reading_of(const struct clock_reading *readings, size_t n, uint32_t clock)
{
    int64_t ts = 0;
    for (size_t i = 0; i < n; i++)
        if (readings[i].clock.number == clock)
            ts = readings[i].timestamp;
    return ts;
}

struct clock_pair {
    int64_t host, client; /* 0: not known */
};

static struct clock_pair pair_of(const struct sync *s, uint32_t clock)
{
    return (struct clock_pair){reading_of(s->host, s->host_count, clock),
                               reading_of(s->client, s->client_count, clock)};
}

static struct sync read_sync(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct sync s = {.host_count = 0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_RemoteClockSync_SyncedClocks_client_clocks)
            s.client_count = read_clocks(im, p, pb_message(&f), s.client);
        else if (f.number == PB_RemoteClockSync_SyncedClocks_host_clocks)
            s.host_count = read_clocks(im, p, pb_message(&f), s.host);
    }
    return s;
}

__extension__ typedef __int128 wide;

/* The clocks that all machines have, in the order in which Trace Processor relates them. */
static const uint32_t synced_clocks[] = {
    PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW,    PB_BuiltinClock_BUILTIN_CLOCK_REALTIME,
    PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC,        PB_BuiltinClock_BUILTIN_CLOCK_REALTIME_COARSE,
    PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE, PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME,
};
enum { SYNCED_CLOCKS = sizeof synced_clocks / sizeof synced_clocks[0] };

/* How far the machine's clock is ahead of the host's. */
struct offset {
    wide sum;
    int64_t count;
    int64_t host; /* what the host's showed last */
};

/* Readings that follow each other (client, host, client, host) are two round trips: in each, the
 * one in the middle was taken halfway between the others. */
static void add_round_trips(struct offset *o, struct clock_pair a, struct clock_pair b)
{
    if (a.host == 0 || a.client == 0 || b.host == 0 || b.client == 0)
        return;
    o->sum += ((wide)a.client + b.client) / 2 - a.host;
    o->sum += b.client - ((wide)a.host + b.host) / 2;
    o->count += 2;
}

/* Offsets of the synced clocks. */
static void add_sync(struct offset *offsets, const struct sync *before, const struct sync *now)
{
    const int64_t round_max_ns = INT64_C(30000000000);
    int64_t from = pair_of(before, CLOCK_BOOTTIME_NUMBER).client,
            to = pair_of(now, CLOCK_BOOTTIME_NUMBER).client;
    bool of_one_round = to >= from && (wide)to - from < round_max_ns;
    for (size_t i = 0; i < SYNCED_CLOCKS; i++) {
        struct clock_pair pair = pair_of(now, synced_clocks[i]);
        if (of_one_round)
            add_round_trips(&offsets[i], pair_of(before, synced_clocks[i]), pair);
        if (pair.host != 0)
            offsets[i].host = pair.host;
    }
}

/* The clocks of the machine that trace times are of, and of the one that the packet is from. */
static bool remote_clock_sync_tokenize(struct import *im, struct packet *p)
{
    struct offset offsets[SYNCED_CLOCKS] = {0};
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    struct sync before = {.host_count = 0};
    while (pb_next(&r, &f)) {
        if (f.number != PB_RemoteClockSync_synced_clocks)
            continue;
        struct sync now = read_sync(im, p, pb_message(&f));
        clock_add_snapshot(im->trace, p->machine, now.client, now.client_count);
        add_sync(offsets, &before, &now);
        before = now;
    }
    for (size_t i = 0; i < SYNCED_CLOCKS; i++) {
        const struct offset *o = &offsets[i];
        struct clock_id host = {.number = synced_clocks[i],
                                .machine = clock_trace_machine(im->trace)},
                        client = {.number = synced_clocks[i], .machine = p->machine};
        if (o->count > 0)
            clock_relate(im->trace, host, o->host, client, (int64_t)(o->host + o->sum / o->count),
                         true);
    }
    return true;
}

const struct packet_module clock_snapshot_packets[] = {
    {PB_TracePacket_clock_snapshot, .tokenize = clock_snapshot_tokenize, .felt = PACKET_ALWAYS,
     .tells = TELLS_TIMES},
    {PB_TracePacket_remote_clock_sync, .tokenize = remote_clock_sync_tokenize,
     .felt = PACKET_ALWAYS, .tells = TELLS_TIMES},
    {0},
};
