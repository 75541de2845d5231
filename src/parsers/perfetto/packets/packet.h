/* One packet, as the modules that handle it see it. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_PACKET_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/store/args.h"
#include "core/stats.h"
#include "parsers/input/bytes.h"

struct import;

/* Kept in the import's arena where it is pushed to the sorter (or by packet_keep); its bytes last
 * as long as the import. */
struct packet {
    struct bytes data;  /* the whole TracePacket */
    struct bytes field; /* the payload of `field_number` in it */
    uint32_t field_number;
    int64_t ts; /* trace clock, ns */
    struct packet_sequence *sequence;
    struct interned_generation *generation; /* never NULL */
    uint64_t number;                        /* in the file, from 0 */
    uint64_t raw_machine;                   /* as the packet says it */
    uint32_t machine;                       /* row of `machine` */
    uint32_t sequence_flags;                /* TracePacket.sequence_flags */
    bool has_timestamp, has_sequence;
    bool begins_sequence; /* the first of its sequence that is read */
};

/* The pid of the process that wrote the packet, 0 where the packet does not say it. */
int64_t packet_writer(const struct packet *p);

/* Where the packet stands in the file; -1 for those that were compressed. */
int64_t packet_offset(const struct import *im, const struct packet *p);
/* Counts a fault of the packet and logs where it stands in the file; `args` may be NULL and stay
 * the caller's. */
void packet_log(struct import *im, const struct packet *p, enum stat_key key,
                const struct arg_list *args);
/* The same with the number of its sequence, or with the uuid of a track, as the only arg. */
void packet_log_sequence(struct import *im, const struct packet *p, enum stat_key key);
void packet_log_track(struct import *im, const struct packet *p, enum stat_key key, uint64_t uuid);
/* The same for faults that are known when the packet's time has come. */
void packet_log_time(struct import *im, const struct packet *p, enum stat_key key,
                     const struct arg_list *args);

/* A copy of the packet that lives until the import ends. */
struct packet *packet_keep(struct import *im, const struct packet *p);

#endif
