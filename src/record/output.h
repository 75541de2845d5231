/* Where packets go: a file or pipe as a stream, or a ring in memory of which only the end is kept.
 */
#ifndef TPTUI_RECORD_OUTPUT_H
#define TPTUI_RECORD_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "parsers/proto/write.h"

/* Packets of a stretch of time, which make sense without those before. */
struct record_stretch {
    int64_t begin_ns; /* BOOTTIME */
    struct pb_bytes packets;
};

struct record_output {
    int fd;           /* -1: a ring */
    const char *path; /* for messages */
    bool compress;
    struct pb_bytes pending, packed; /* whole packets that are not written; as they are written */
    VEC(struct record_stretch) ring; /* oldest first */
    size_t ring_bytes, stretch_most; /* a stretch is full then; 0: never */
    uint64_t written;                /* up to the end of a packet */
    int error;                       /* errno of the first write that failed */
};

/* Appends a packet: fields, and a message behind them, or NULL. */
void record_output_packet(struct record_output *o, const struct pb_bytes *fields, uint32_t field,
                          const struct pb_bytes *message);
/* Writes what is pending, or puts it into the ring. What a full disk took of it is cut off again,
 * so that a file ends with a packet; `error` then says why. */
void record_output_flush(struct record_output *o);
/* Begins a stretch of the ring; those that lie wholly before `keep_from_ns` are dropped, and so are
 * the oldest while it has more than `most` bytes. */
void record_output_stretch(struct record_output *o, int64_t now_ns, int64_t keep_from_ns,
                           size_t most);
/* Whether the stretch that began last has its part of the ring: another is to begin before more is
 * taken. */
bool record_output_is_full(const struct record_output *o);
/* Writes what the ring has to `fd`; an errno, or 0. */
int record_output_write_ring(struct record_output *o, int fd);
void record_output_release(struct record_output *o);

/* All of it, in spite of signals and short writes; an errno, or 0. `written` is how much was. */
int write_whole(int fd, const void *p, size_t n, size_t *written);

#endif
