/* What the targets for Perfetto's packets share: a run loads a trace, decodes all of its args and
 * checks the rows. The built-in descriptors and the string pool's blocks are kept from run to run,
 * which makes a run thirty times as fast. */
#ifndef TPTUI_TESTS_FUZZ_PACKETS_H
#define TPTUI_TESTS_FUZZ_PACKETS_H

#include "core/trace/trace.h"
#include "fuzz.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

struct packet_target {
    /* The payloads that the target is about, as fields of TracePacket: any other one is taken for
     * one of these, so that no run is spent elsewhere. None: the bytes are loaded as they are. */
    const uint32_t *payloads;
    size_t payload_count;
    void (*check)(const struct tables *s); /* of a loaded trace's rows; may be NULL */
};

/* Returns 0. */
int packet_target_run(const struct packet_target *target, const uint8_t *data, size_t size);

#endif
