/* Durations for people. */
#ifndef TPTUI_TEXT_DURATION_TEXT_H
#define TPTUI_TEXT_DURATION_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A duration with three decimals in the largest unit it fills: "5.375 ms", "140.000 us", "12 ns";
 * from an hour on "21h 46m 33s". At most `size` bytes with a NUL. */
void format_dur(char *out, size_t size, int64_t ns);
/* Shorter, for tables and headers: "5.375 ms", "140 us", "12 ns", "2.149 s". */
void format_dur_short(char *out, size_t size, int64_t ns);

/* Whether a column of that name has durations in ns: "dur", "cpu_dur", "sum(s.dur)". */
bool name_is_of_durations(const char *name);
/* Or times: "ts", "end_ts", "ts_end". */
bool name_is_of_times(const char *name);

#endif
