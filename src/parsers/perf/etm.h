/* Arm's instruction trace (ETMv4 and ETE) in AUX data of perf: how each CPU was set up, recordings
 * and their chunks of bytes, which become rows. What the bytes say is decoded by who asks
 * (sql/functions/etm.c).
 *
 * A CPU's data is raw, or the streams of several CPUs in CoreSight's frames of 16 bytes (Arm
 * CoreSight Architecture Specification, "Trace Formatter"). */
#ifndef TPTUI_PARSERS_PERF_ETM_H
#define TPTUI_PARSERS_PERF_ETM_H

#include "parsers/perf/import.h"

#ifdef TPTUI_HAVE_OPENCSD
enum { PERF_ETM_IS_DECODED = true };
#else
enum { PERF_ETM_IS_DECODED = false };
#endif

/* AUX records' flag: no frames are around the data. */
enum { PERF_AUX_FLAG_CORESIGHT_RAW = 0x100 };

/* A CPU's unit, as its registers tell. */
struct perf_etm_cpu {
    uint32_t cpu, trace_id; /* trace_id: of its stream */
    bool is_ete;
    uint32_t configr, idr0, idr1, idr2, idr8, devarch;
    uint32_t session;      /* that goes on, plus one; 0: none */
    VEC(uint8_t) unframed; /* of the piece that is being read */
};

struct perf_etm_chunk {
    const uint8_t *bytes; /* in the file, or in the import's arena */
    size_t n;
};

struct perf_etm_session {
    uint32_t cpu; /* index of `cpus` */
    int64_t ts;   /* of the recording's clock; -1: not known */
    VEC(struct perf_etm_chunk) chunks;
};

enum { PERF_ETM_STREAMS = 128 };

struct perf_etm {
    uint32_t streams[PERF_ETM_STREAMS]; /* index of `cpus` plus one of whose stream it is, or 0 */
    VEC(struct perf_etm_cpu) cpus;
    VEC(struct perf_etm_session) sessions;
    VEC(uint32_t) ended; /* sessions in the order in which they ended */
};

void perf_etm_release(struct perf_etm *e);

/* AUXTRACE_INFO, behind its type. False where it cannot be used. */
bool perf_etm_info(struct perf_etm *e, struct perf_reader r);
/* Which stream a CPU writes, where AUXTRACE_INFO was written before that was known. */
void perf_etm_set_stream(struct perf_etm *e, uint32_t cpu, uint32_t trace_id);
/* A recording begins on a CPU; the one before ends. */
void perf_etm_start(struct perf_etm *e, uint32_t cpu, int64_t ts);
/* Data that a CPU has collected, with the flags of its AUX record. The bytes last as long as the
 * import. */
void perf_etm_data(struct perf_import *im, struct perf_etm *e, uint32_t cpu, uint64_t flags,
                   struct bytes data);
/* There is no more; the rows. */
void perf_etm_apply(struct perf_import *im, struct perf_etm *e);

#endif
