/* Who handles which payload of a packet. A file that handles packets exports one const table with a
 * row for each field of TracePacket that it takes; parsers/perfetto/perfetto.c lists and declares
 * the tables, so that a file needs no header for its own. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_MODULES_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct import;
struct packet;

/* At least one of the functions is there. A row of zeros ends a table. */
struct packet_module {
    uint32_t field; /* TracePacket field number */
    /* Called while reading, in file order. True: done, false: call `parse` in its turn. */
    bool (*tokenize)(struct import *im, struct packet *p);
    /* Called in time order. */
    void (*parse)(struct import *im, const struct packet *p);
    bool reads_without_state; /* what the lost state does not tell is left open in its rows */
};

/* The rows of all tables by field number. */
struct packet_modules {
    const struct packet_module **by_field;
    uint32_t count;
};

/* `tables` ends with NULL. No field stands in two tables. */
struct packet_modules packet_modules_index(const struct packet_module *const *tables);
void packet_modules_release(struct packet_modules *m);

/* The row of a field, or NULL. */
static inline const struct packet_module *packet_modules_find(const struct packet_modules *m,
                                                              uint32_t field)
{
    return field < m->count ? m->by_field[field] : NULL;
}

#endif
