/* Numbers for people: times, durations, counts, values. All write at most `size` bytes with a NUL.
 */
#ifndef TPTUI_TUI_VIEW_FORMAT_H
#define TPTUI_TUI_VIEW_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "text/duration_text.h"
#include "base/str.h"

/* Hours, minutes and seconds: "12:00:00.435"; `decimals` is at most 9. Returns the length. */
int format_clock(char *out, size_t size, int64_t ns, int decimals);
/* Milliseconds with three decimals and nothing behind, "5.375"; from an hour on "12:00:00.435". */
void format_ms(char *out, size_t size, int64_t ns);
/* The same with the unit: "5.375 ms", "12:00:00.435". */
void format_ms_unit(char *out, size_t size, int64_t ns);
/* As format_ms, in a list of times in what takes `whole`: all of them in one way. */
void format_ms_of(char *out, size_t size, int64_t ns, int64_t whole);
/* Milliseconds and the nanoseconds behind them: "614.037 277 ms", "12:00:00.435 284 245". */
void format_exact(char *out, size_t size, int64_t ns);
/* A counter's value: digits grouped as far as they are whole ("2,007,040"), else six significant.
 */
void format_value(char *out, size_t size, double value);
/* The same in a few cells: "1.716 M", and of bytes in powers of 1024: "540.7 Mi". */
void format_short_value(char *out, size_t size, double value, struct str unit);
/* 11 -> "11th". */
void format_ordinal(char *out, size_t size, uint64_t n);

#endif
