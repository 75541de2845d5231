/* The battery's history as `dumpsys batterystats -c` prints it: changes of states, levels, wake
 * locks and what apps did, each some ms after the line before.
 *
 *     9,0,i,vers,36,214,AP1A,AP2A        version of the format
 *     9,hsp,1,1001,"*telephony-radio*"   number, user and text of a string
 *     9,h,0:RESET:TIME:1732816430344     ms since 1970
 *     9,h,10,Bl=100,+w=1,-S,Etp=0        level, wake lock 1 taken, screen off, string 0 on top
 *
 * The names of states and events are those of Android's BatteryStats.java
 * (HISTORY_STATE_DESCRIPTIONS, HISTORY_EVENT_CHECKIN_NAMES). */
#ifndef TPTUI_PARSERS_TEXT_BATTERY_HISTORY_H
#define TPTUI_PARSERS_TEXT_BATTERY_HISTORY_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/store/string_pool.h"
#include "parsers/input/time_sort.h"

struct trace;

struct history_string {
    int64_t uid;
    string_id text;
};

struct battery_history {
    struct trace *trace;
    struct arena arena;
    VEC(struct timed) entries;
    struct map string_at; /* number of a string -> index in `strings` */
    VEC(struct history_string) strings;
    int64_t version;
    int64_t now_ms;
};

/* `t` must last until the end. */
void battery_history_begin(struct battery_history *h, struct trace *t);
/* Lines of other kinds are skipped. */
void battery_history_line(struct battery_history *h, struct str line);
/* Adds counters and slices in order of time, and ends it. */
void battery_history_finish(struct battery_history *h);

#endif
