/* Import of Chrome JSON traces (Google's document "Trace Event Format"), shared by the files of
 * this folder: json.c walks the container, event.c makes one record of an event, apply.c turns
 * records into rows in time order. */
#ifndef TPTUI_PARSERS_JSON_IMPORT_H
#define TPTUI_PARSERS_JSON_IMPORT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_scan.h"
#include "parsers/json/numbers.h"
#include "parsers/json/order.h"
#include "parsers/json/profiles.h"
#include "parsers/proto/reflect.h"
#include "parsers/input/time_sort.h"

/* What an event carries besides; each is one value behind the record, in this order. Times are
 * ns. */
enum json_part {
    JSON_PART_DUR = 1 << 0,
    JSON_PART_THREAD_TS = 1 << 1,
    JSON_PART_THREAD_DUR = 1 << 2,
    JSON_PART_ID = 1 << 3,      /* of async events a hash, of flows a number */
    JSON_PART_BIND_ID = 1 << 4, /* a number */
    JSON_PART_TEXT = 1 << 5,    /* string_id: a name to set, a blocked function */
    JSON_PART_NUMBER = 1 << 6,  /* a sort index, a cpu */
    JSON_PART_IO_WAIT = 1 << 7,
    JSON_PART_VALUE = 1 << 8, /* double: of a counter */
    JSON_PART_ARGS = 1 << 9,  /* address of the args of an event that ends a slice */
    JSON_PART_ARGS_SIZE = 1 << 10,
    JSON_PARTS = 11,
};

enum json_flag {
    JSON_FLOW_IN = 1,
    JSON_FLOW_OUT = 2,
    JSON_BIND_ENCLOSING = 4,
    JSON_ID_LOCAL = 8,  /* ids of different processes are different */
    JSON_FAULT = 16,    /* to be told of when its turn comes */
    JSON_OF_FRAME = 32, /* a sample of a frame of "stackFrames", else of a node of V8's */
    JSON_NO_PID = 64,   /* a sample of which only the thread is known: its number is a part */
};

/* One event between reading and its turn. */
struct json_record {
    uint32_t thread; /* index in json_import.threads */
    string_id name, category;
    uint32_t arg_set; /* NULL_U32 for none */
    char phase;
    char scope; /* of an instant: g, p or t */
    uint8_t flags;
    uint8_t unused;
    uint32_t parts; /* enum json_part; their values (int64_t) stand behind the record */
};

/* A pair of pid and tid as events name it. Either may be a text, which then is its name. */
struct json_thread {
    int64_t pid, tid;
    string_id pid_name, tid_name;
    bool pid_text, tid_text;
    uint32_t utid;           /* NULL_U32 until the first event is applied */
    uint32_t track_plus_one; /* 0 until the first slice */
};

struct json_keys {
    string_id thread_name, process_name, process_sort_index, thread_sort_index;
    string_id sort_index_process, sort_index_thread, running, no_name;
    string_id source, chrome, source_scope, is_process_scoped, upid, utid;
    string_id event_name, event_phase, cpu_profile;
    string_id conflicting_name, conflicting_ts, conflicting_dur, overlap_start, overlap_end;
};

struct json_import {
    struct trace *trace;
    const char *name;
    uint32_t machine;
    struct byte_source *source;
    struct json_scan scan;
    struct arena arena; /* records */
    /* Records to be sorted, as order.h says; ends get their ranks from rank_ends(). */
    VEC(struct timed) entries;
    struct json_order order;
    VEC(struct json_thread) threads;
    struct map threads_by_id;
    uint32_t thread;    /* of the event before */
    string_id category; /* of the event before, or NULL_STRING */
    uint32_t args_kind;
    struct json_keys keys;
    VEC(char) series;       /* scratch */
    struct map async_names; /* async id -> name of its first event */
    struct json_profiles profiles;
    struct json_numbers *numbers; /* of all files of a trace */
    /* Strings that have their number, or took their place among them: the trace's from before the
     * import, and its own, by how far they are behind those. */
    uint32_t strings_before;
    struct map counted_before;
    VEC(bool) counted;
    struct arg_list args; /* scratch */
    bool found_events;
    VEC(char) members; /* the names of the first ones of the document: what it is, if no trace */
    bool closed;       /* the last list or object ended as it should */
    bool gave_up; /* Trace Processor reads nothing behind a number that is none; we do, and count
                   * no faults there */
    uint64_t dropped;      /* of the input: bytes before the window */
    uint64_t read, wasted; /* bytes of events: of good ones, and looked at for nothing */
};

/* A record's part, which it must have. */
static inline int64_t json_part(const struct json_record *r, enum json_part part)
{
    int64_t value;
    size_t before = (size_t)__builtin_popcount(r->parts & ((uint32_t)part - 1));
    memcpy(&value, (const char *)(r + 1) + before * sizeof value, sizeof value);
    return value;
}

static inline int64_t json_part_or(const struct json_record *r, enum json_part part, int64_t none)
{
    return r->parts & part ? json_part(r, part) : none;
}

#endif
