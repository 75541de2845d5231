/* Dates and times as the programs of sysstat print them. */
#ifndef TPTUI_PARSERS_TEXT_SYSSTAT_TIME_H
#define TPTUI_PARSERS_TEXT_SYSSTAT_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* The day that lines are of; starts as zeros. */
struct sysstat_day {
    int64_t begin; /* ns since 1970 */
    int64_t last;  /* the last time of that day */
};

/* "2026-11-22", "11/22/2026" or "11/22/26": ns since 1970 of its begin. */
bool sysstat_read_date(struct str text, int64_t *ns);

/* Takes "14:33:57", "02:33:57 PM" or "1795358043" off the line: ns of the day, or of all time. */
bool sysstat_take_time(struct str *line, int64_t *ns, bool *of_day);

/* The time since 1970 of a time of the day, which is the next one where it goes back by half a
 * day. */
int64_t sysstat_time_of(struct sysstat_day *day, int64_t ns_of_day);

/* The date in "Linux 6.1.0 (host)  11/22/26  _x86_64_  (2 CPU)". */
bool sysstat_date_of_header(struct str line, int64_t *ns);

#endif
