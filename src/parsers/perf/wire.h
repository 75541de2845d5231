/* Reading the bytes of perf.data: numbers in the order of bytes of the machine that wrote them, and
 * the names that Linux's perf_event.h and perf's own headers give to types, bits and features. */
#ifndef TPTUI_PARSERS_PERF_WIRE_H
#define TPTUI_PARSERS_PERF_WIRE_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "parsers/input/bytes.h"

/* Types of records: the kernel's, then perf's own, then simpleperf's. */
enum {
    PERF_RECORD_MMAP = 1,
    PERF_RECORD_LOST = 2,
    PERF_RECORD_COMM = 3,
    PERF_RECORD_EXIT = 4,
    PERF_RECORD_THROTTLE = 5,
    PERF_RECORD_UNTHROTTLE = 6,
    PERF_RECORD_FORK = 7,
    PERF_RECORD_READ = 8,
    PERF_RECORD_SAMPLE = 9,
    PERF_RECORD_MMAP2 = 10,
    PERF_RECORD_AUX = 11,
    PERF_RECORD_ITRACE_START = 12,
    PERF_RECORD_LOST_SAMPLES = 13,
    PERF_RECORD_SWITCH = 14,
    PERF_RECORD_SWITCH_CPU_WIDE = 15,
    PERF_RECORD_NAMESPACES = 16,
    PERF_RECORD_KSYMBOL = 17,
    PERF_RECORD_BPF_EVENT = 18,
    PERF_RECORD_CGROUP = 19,
    PERF_RECORD_TEXT_POKE = 20,
    PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
    PERF_RECORD_USER_TYPE_START = 64,
    PERF_RECORD_HEADER_ATTR = 64,
    PERF_RECORD_HEADER_EVENT_TYPE = 65,
    PERF_RECORD_HEADER_TRACING_DATA = 66,
    PERF_RECORD_HEADER_BUILD_ID = 67,
    PERF_RECORD_FINISHED_ROUND = 68,
    PERF_RECORD_ID_INDEX = 69,
    PERF_RECORD_AUXTRACE_INFO = 70,
    PERF_RECORD_AUXTRACE = 71,
    PERF_RECORD_THREAD_MAP = 73,
    PERF_RECORD_CPU_MAP = 74,
    PERF_RECORD_STAT_CONFIG = 75,
    PERF_RECORD_STAT = 76,
    PERF_RECORD_STAT_ROUND = 77,
    PERF_RECORD_EVENT_UPDATE = 78,
    PERF_RECORD_TIME_CONV = 79,
    PERF_RECORD_HEADER_FEATURE = 80,
    PERF_RECORD_COMPRESSED = 81,
    PERF_RECORD_FINISHED_INIT = 82,
    PERF_RECORD_COMPRESSED2 = 83,
    PERF_RECORD_BPF_METADATA = 84,
    SIMPLE_PERF_RECORD_TYPE_START = 32768,
    SIMPLE_PERF_RECORD_SPLIT = 32772,
    SIMPLE_PERF_RECORD_SPLIT_END = 32773,
    SIMPLE_PERF_RECORD_EVENT_ID = 32774,
    SIMPLE_PERF_RECORD_TRACING_DATA = 32777,
};

/* Bits of a record's `misc`. */
enum {
    PERF_RECORD_MISC_CPUMODE_MASK = 7,
    PERF_RECORD_MISC_COMM_EXEC = 1 << 13,
    PERF_RECORD_MISC_SWITCH_OUT = 1 << 13,
    PERF_RECORD_MISC_MMAP_BUILD_ID = 1 << 14,
    PERF_RECORD_MISC_SWITCH_OUT_PREEMPT = 1 << 14,
    PERF_RECORD_MISC_BUILD_ID_SIZE = 1 << 15,
};

/* The cpu mode of `misc`. */
enum perf_cpu_mode {
    PERF_MODE_UNKNOWN,
    PERF_MODE_KERNEL,
    PERF_MODE_USER,
    PERF_MODE_HYPERVISOR,
    PERF_MODE_GUEST_KERNEL,
    PERF_MODE_GUEST_USER,
    PERF_MODE_COUNT,
};

/* Bits of perf_event_attr.sample_type. */
enum {
    PERF_SAMPLE_IP = 1 << 0,
    PERF_SAMPLE_TID = 1 << 1,
    PERF_SAMPLE_TIME = 1 << 2,
    PERF_SAMPLE_ADDR = 1 << 3,
    PERF_SAMPLE_READ = 1 << 4,
    PERF_SAMPLE_CALLCHAIN = 1 << 5,
    PERF_SAMPLE_ID = 1 << 6,
    PERF_SAMPLE_CPU = 1 << 7,
    PERF_SAMPLE_PERIOD = 1 << 8,
    PERF_SAMPLE_STREAM_ID = 1 << 9,
    PERF_SAMPLE_RAW = 1 << 10,
    PERF_SAMPLE_IDENTIFIER = 1 << 16,
};

/* Bits of perf_event_attr.read_format. */
enum {
    PERF_FORMAT_TOTAL_TIME_ENABLED = 1 << 0,
    PERF_FORMAT_TOTAL_TIME_RUNNING = 1 << 1,
    PERF_FORMAT_ID = 1 << 2,
    PERF_FORMAT_GROUP = 1 << 3,
    PERF_FORMAT_LOST = 1 << 4,
};

/* Among the addresses of a callchain: what follows was in this mode. */
#define PERF_CONTEXT_HV           ((uint64_t)-32)
#define PERF_CONTEXT_KERNEL       ((uint64_t)-128)
#define PERF_CONTEXT_USER         ((uint64_t)-512)
#define PERF_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER   ((uint64_t)-2560)
#define PERF_CONTEXT_MAX          ((uint64_t)-4095) /* no address is as large */

/* Numbers of the sections behind the records. */
enum {
    PERF_FEATURE_TRACING_DATA = 1,
    PERF_FEATURE_BUILD_ID = 2,
    PERF_FEATURE_OSRELEASE = 4,
    PERF_FEATURE_ARCH = 6,
    PERF_FEATURE_CMDLINE = 11,
    PERF_FEATURE_EVENT_DESC = 12,
    PERF_FEATURE_GROUP_DESC = 17,
    PERF_FEATURE_SIMPLEPERF_FILE = 128,
    PERF_FEATURE_SIMPLEPERF_META_INFO = 129,
    PERF_FEATURE_SIMPLEPERF_FILE2 = 132,
    PERF_FEATURES = 256,
};

/* Goes through bytes; what does not fit in them reads as zero and sets `failed`. */
struct perf_reader {
    struct bytes left;
    bool big; /* most significant byte first */
    bool failed;
};

static inline struct perf_reader perf_reader_make(struct bytes b, bool big)
{
    return (struct perf_reader){.left = b, .big = big};
}

/* The next `n` bytes; empty where there are not as many. */
static inline struct bytes perf_take(struct perf_reader *r, uint64_t n)
{
    if (n > r->left.n) {
        r->failed = true;
        r->left.n = 0;
        return (struct bytes){r->left.p, 0};
    }
    struct bytes taken = {r->left.p, (size_t)n};
    if (n > 0) /* of nothing there may be no pointer */
        r->left.p += n;
    r->left.n -= (size_t)n;
    return taken;
}

static inline uint16_t perf_load16(const uint8_t *p, bool big)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return big ? be16toh(v) : le16toh(v);
}

static inline uint32_t perf_load32(const uint8_t *p, bool big)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return big ? be32toh(v) : le32toh(v);
}

static inline uint64_t perf_load64(const uint8_t *p, bool big)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return big ? be64toh(v) : le64toh(v);
}

static inline uint16_t perf_u16(struct perf_reader *r)
{
    struct bytes b = perf_take(r, 2);
    return b.n ? perf_load16(b.p, r->big) : 0;
}

static inline uint32_t perf_u32(struct perf_reader *r)
{
    struct bytes b = perf_take(r, 4);
    return b.n ? perf_load32(b.p, r->big) : 0;
}

static inline uint64_t perf_u64(struct perf_reader *r)
{
    struct bytes b = perf_take(r, 8);
    return b.n ? perf_load64(b.p, r->big) : 0;
}

/* The text up to a NUL or the end. */
static inline struct str perf_text(struct bytes b)
{
    struct str s = {(const char *)b.p, b.n};
    s.n = str_find(s, '\0');
    return s;
}

/* The text up to a NUL, which is taken, too. */
static inline struct str perf_c_string(struct perf_reader *r)
{
    struct str s = perf_text(r->left);
    if (s.n == r->left.n)
        r->failed = true;
    perf_take(r, s.n < r->left.n ? s.n + 1 : s.n);
    return s;
}

/* A text with its length in front and NULs behind it, as in the sections of features. */
static inline struct str perf_string(struct perf_reader *r)
{
    uint32_t n = perf_u32(r);
    return perf_text(perf_take(r, n));
}

/* What each record begins with. */
struct perf_record {
    uint32_t type;
    uint16_t misc;
    struct bytes body; /* what follows the header */
};

enum { PERF_RECORD_HEADER_BYTES = 8 };

/* The record in front of `r`, which is taken. False where there is no whole one. */
static inline bool perf_record_next(struct perf_reader *r, struct perf_record *record)
{
    if (r->left.n < PERF_RECORD_HEADER_BYTES)
        return false;
    const uint8_t *p = r->left.p;
    size_t size = perf_load16(p + 6, r->big);
    if (size < PERF_RECORD_HEADER_BYTES || size > r->left.n)
        return false;
    record->type = perf_load32(p, r->big);
    record->misc = perf_load16(p + 4, r->big);
    perf_take(r, PERF_RECORD_HEADER_BYTES);
    record->body = perf_take(r, size - PERF_RECORD_HEADER_BYTES);
    return true;
}

#endif
