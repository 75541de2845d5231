/* Dates and times of day in text. */
#ifndef TPTUI_PARSERS_TEXT_CIVIL_TIME_H
#define TPTUI_PARSERS_TEXT_CIVIL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct civil_time {
    int32_t year; /* 0: not said */
    uint32_t month, day, hour, minute, second;
    int64_t ns;          /* behind the point */
    int32_t zone_minute; /* east of Greenwich */
};

/* Takes "[2022-]06-24 16:24:23.441532 [+0130]" and the blanks behind it off the front of a text.
 * False, and nothing is taken, where there is no such time. */
bool civil_time_take(struct str *text, struct civil_time *out);
/* The whole of "2022-06-24T16:24:23[.441532][Z|+01:30]", as ISO 8601 writes times; in UTC where the
 * zone is not told. Ns since 1970. */
bool civil_time_iso(struct str text, int64_t *ns);
/* Ns since 1970 in UTC. */
int64_t civil_time_ns(const struct civil_time *c);
/* The year of a time. */
int32_t civil_year(int64_t ns);

#endif
