/* A Gecko profile as it was written: tables of numbers that refer to each other by position. Two
 * forms are in use, of which one holds a table as a list of columns,
 *
 *     "stackTable": {"frame": [0, 1], "prefix": [null, 0], "length": 2}              processed
 *     "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]}     raw
 *
 * the other as a list of rows. Both are read into columns. The tables that threads share stand in
 * each thread, or once for all in "shared". As in the documents of firefox-devtools/profiler,
 * docs-developer/gecko-profile-format.md and processed-profile-format.md. */
#ifndef TPTUI_PARSERS_GECKO_PROFILE_H
#define TPTUI_PARSERS_GECKO_PROFILE_H

#include "base/vec.h"
#include "core/trace/trace.h"
#include "parsers/input/json_scan.h"

enum gecko_column {
    GECKO_FRAME_FUNC,     /* processed */
    GECKO_FRAME_LOCATION, /* raw: a string */
    GECKO_FUNC_NAME,
    GECKO_STACK_PREFIX,
    GECKO_STACK_FRAME,
    GECKO_SAMPLE_STACK,
    GECKO_SAMPLE_TIME,       /* ms, as all times */
    GECKO_SAMPLE_TIME_DELTA, /* since the sample before */
    GECKO_MARKER_NAME,
    GECKO_MARKER_START,
    GECKO_MARKER_END,
    GECKO_MARKER_PHASE,
    GECKO_MARKER_CATEGORY,
    GECKO_COUNTER_TIME,
    GECKO_COUNTER_TIME_DELTA,
    GECKO_COUNTER_COUNT,
    GECKO_COLUMNS,
};

/* A column by its name in a table; the last of a list has none. */
struct gecko_column_name {
    const char *name;
    int column;
};

enum gecko_phase {
    GECKO_INSTANT,
    GECKO_INTERVAL,
    GECKO_INTERVAL_START,
    GECKO_INTERVAL_END,
};

/* What is null or no number is NAN; columns of one table may differ in length. */
struct gecko_tables {
    VEC(double) columns[GECKO_COLUMNS];
    VEC(string_id) strings;
    VEC(struct str) marker_data; /* as written; empty for none */
    bool samples_in_rows;
};

struct gecko_thread {
    struct gecko_tables tables;
    string_id name;
    int64_t pid, tid;
    double time_shift; /* ms: its process began so much later than the first one */
};

struct gecko_counter {
    struct gecko_tables tables;
    string_id name, category;
    int64_t pid;
    double time_shift;
};

struct gecko_profile {
    VEC(struct gecko_thread) threads;
    VEC(struct gecko_counter) counters;
    VEC(string_id) categories;
    struct gecko_tables shared;
    VEC(char *) texts; /* profiles that were texts within the file */
    /* ms; INFINITY where it is not said. Firefox's developer tools say it around the profile, and
     * count the times of samples from when they began, those of markers as the process does. */
    double duration;
};

/* Reads the profile and those of its other processes. `json` must outlive the profile. False where
 * the text is malformed or cut short: what comes before is there. */
bool gecko_profile_read(struct trace *t, struct gecko_profile *p, struct str json);
void gecko_profile_release(struct gecko_profile *p);

#endif
