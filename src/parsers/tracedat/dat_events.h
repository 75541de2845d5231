/* Events of the ring buffer as messages of FtraceEvent: what Perfetto's recorder writes where it
 * runs next to the kernel. Events that FtraceEvent does not have are described. */
#ifndef TPTUI_PARSERS_TRACEDAT_DAT_EVENTS_H
#define TPTUI_PARSERS_TRACEDAT_DAT_EVENTS_H

#include "base/byte_list.h"
#include "base/map.h"
#include "parsers/input/event_format.h"
#include "parsers/proto/write.h"
#include "parsers/tracedat/dat_file.h"
#include "parsers/tracedat/kernel_symbols.h"

/* A text of trace_printk, by its address. */
struct dat_printk {
    uint64_t address;
    struct str text;
};

enum dat_value {
    DAT_NUMBER,
    DAT_NUMBERS,
    DAT_TEXT,
    DAT_DEVICE,      /* as userspace numbers them */
    DAT_SYMBOL,      /* a kernel function's interned id */
    DAT_SYMBOL_TEXT, /* its name */
    DAT_PRINTK_TEXT, /* the text at that address */
    DAT_PRINTK,      /* the same with the values of the array; `element` is where the address is */
};

struct dat_field {
    uint32_t number; /* of the message's field */
    uint32_t offset, size, element;
    enum dat_value value;
    enum field_place place;
    bool is_signed;
};

struct dat_kind {
    uint32_t number; /* field of FtraceEvent */
    size_t first_field, field_count;
};

struct dat_events {
    const struct dat_file *file;
    bool with_flags;
    VEC(uint32_t) by_id; /* common_type -> index of `kinds`; UINT32_MAX: none */
    VEC(struct dat_kind) kinds;
    VEC(struct dat_field) fields;
    struct kernel_symbols symbols;
    VEC(struct dat_printk) printk;
    struct map symbol_ids;       /* address of a function -> interned id */
    struct pb_bytes interned;    /* fields of InternedData: the functions so far */
    struct pb_bytes descriptors; /* fields of FtraceEventBundle: events that are described */
    uint32_t described;
    struct byte_list text; /* scratch */
    uint64_t unknown;      /* events of no known format */
};

/* With `with_flags` an event says its common_flags. Perfetto's recorder leaves them out, and its
 * reader takes them for one more event, without a name: not in what others are to read. */
void dat_events_init(struct dat_events *e, const struct dat_file *file, bool with_flags);
void dat_events_release(struct dat_events *e);
/* Functions are told anew: nothing refers to those in `interned` any more. */
void dat_events_forget_interned(struct dat_events *e);

/* Appends the event to a bundle: its field `event`. */
void dat_events_encode(struct dat_events *e, uint64_t ts, struct bytes data,
                       struct pb_bytes *bundle);

#endif
