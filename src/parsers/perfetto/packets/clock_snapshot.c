/* Snapshots of clocks, and how far another machine's clock is from the host's. */
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
    while (pb_next(&r, &f))
        if (f.number == PB_ClockSnapshot_clocks && n < READINGS_MAX)
            out[n++] = read_clock(im, p, pb_message(&f));
    return n;
}

static int64_t reading_of(const struct clock_reading *readings, size_t n, uint32_t clock)
{
    for (size_t i = 0; i < n; i++)
        if (readings[i].clock.number == clock)
            return readings[i].timestamp;
    return 0;
}

struct clock_pair {
    int64_t host, client; /* 0: not known */
};

static struct clock_pair boottimes(const struct sync *s)
{
    return (struct clock_pair){reading_of(s->host, s->host_count, CLOCK_BOOTTIME_NUMBER),
                               reading_of(s->client, s->client_count, CLOCK_BOOTTIME_NUMBER)};
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

struct offsets {
    wide sum;
    int64_t count;
};

/* Readings that follow each other (client, host, client, host) are two round trips: in each, the
 * one in the middle was taken halfway between the others. */
static void add_round_trips(struct offsets *o, struct clock_pair a, struct clock_pair b)
{
    if (a.host == 0 || a.client == 0 || b.host == 0 || b.client == 0)
        return;
    o->sum += ((wide)a.client + b.client) / 2 - a.host;
    o->sum += b.client - ((wide)a.host + b.host) / 2;
    o->count += 2;
}

static void relate_to_host(struct import *im, const struct packet *p, struct clock_pair pair)
{
    uint32_t host = trace_machine(im->trace, HOST_RAW_ID);
    if (host != p->machine)
        clock_relate(im->trace, clock_of_machine(im->trace, host, CLOCK_BOOTTIME_NUMBER, 0),
                     pair.host, clock_of_machine(im->trace, p->machine, CLOCK_BOOTTIME_NUMBER, 0),
                     pair.client, true);
}

/* The host's clocks, and those of the machine that the packet is from. A single reading of both has
 * to do where there are no round trips. */
static bool remote_clock_sync_tokenize(struct import *im, struct packet *p)
{
    const int64_t round_max_ns = INT64_C(30000000000);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    struct offsets offsets = {0, 0};
    struct sync before = {.host_count = 0};
    struct clock_pair last = {0, 0};
    while (pb_next(&r, &f)) {
        if (f.number != PB_RemoteClockSync_synced_clocks)
            continue;
        struct sync now = read_sync(im, p, pb_message(&f));
        if (now.client_count > 0)
            clock_add_snapshot(im->trace, p->machine, now.client, now.client_count);
        struct clock_pair pair = boottimes(&now);
        if (pair.host != 0 && pair.client != 0)
            last = pair;
        if ((wide)pair.client - boottimes(&before).client < round_max_ns)
            add_round_trips(&offsets, boottimes(&before), pair);
        before = now;
    }
    if (offsets.count > 0)
        last.client = (int64_t)(last.host + offsets.sum / offsets.count);
    if (last.host != 0)
        relate_to_host(im, p, last);
    return true;
}

const struct packet_module clock_snapshot_packets[] = {
    {PB_TracePacket_clock_snapshot, .tokenize = clock_snapshot_tokenize, .felt = PACKET_ALWAYS,
     .tells = TELLS_TIMES},
    {PB_TracePacket_remote_clock_sync, .tokenize = remote_clock_sync_tokenize,
     .felt = PACKET_ALWAYS, .tells = TELLS_TIMES},
    {0},
};
