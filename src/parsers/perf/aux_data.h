/* AUX data: what a trace unit of a cpu writes into a buffer of its own. AUXTRACE records bring the
 * bytes, AUX records say which of them are valid; both count the bytes of a cpu from 0. Arm's SPE
 * and ETM are read, other data is counted in stats. */
#ifndef TPTUI_PARSERS_PERF_AUX_DATA_H
#define TPTUI_PARSERS_PERF_AUX_DATA_H

#include "parsers/perf/etm.h"
#include "parsers/perf/import.h"

/* Bytes [offset, offset + size) of a cpu. */
struct perf_aux_piece {
    uint64_t offset, size;
    const uint8_t *bytes; /* of AUXTRACE */
    uint64_t flags;       /* of AUX */
    int64_t time;         /* of AUX, ns of perf's clock; -1: not known */
};

struct perf_aux_queue {
    VEC(struct perf_aux_piece) pieces;
    size_t first; /* that is not used up */
    uint64_t end; /* of all so far */
};

struct perf_aux_stream {
    uint32_t cpu;
    struct perf_aux_queue valid, data;
    uint64_t read;         /* up to here both were there, or are lost */
    VEC(uint8_t) unparsed; /* the begin of a record */
};

/* How a cycle counter relates to perf's clock (TIME_CONV). */
struct perf_time_conversion {
    bool known, is_short;
    uint64_t shift, multiplier, zero, cycles, mask;
};

struct perf_aux {
    struct perf_import *import;
    uint32_t type;
    bool described; /* AUXTRACE_INFO was there */
    struct perf_time_conversion time;
    struct map stream_of_cpu; /* index of `streams` */
    VEC(struct perf_aux_stream) streams;
    struct perf_etm etm;
};

void perf_aux_release(struct perf_aux *a);

/* Take a record each: AUXTRACE_INFO, TIME_CONV, AUX, AUXTRACE. False where it cannot be used, which
 * the caller counts. */
bool perf_aux_info(struct perf_aux *a, struct bytes body);
bool perf_aux_time_conversion(struct perf_aux *a, struct bytes body);
bool perf_aux_valid(struct perf_aux *a, const struct perf_attr *attr,
                    const struct perf_record *record);
/* ITRACE_START, where `time` is not 0 if it is known, and AUX_OUTPUT_HW_ID: of ETM. */
void perf_aux_start(struct perf_aux *a, const struct perf_attr *attr,
                    const struct perf_record *record, uint64_t time);
void perf_aux_output_id(struct perf_aux *a, const struct perf_attr *attr,
                        const struct perf_record *record);
/* `data` is what stands behind the record; it must last until perf_aux_finish. */
bool perf_aux_data(struct perf_aux *a, struct bytes body, struct bytes data);
/* There are no more. */
void perf_aux_finish(struct perf_aux *a);

#endif
