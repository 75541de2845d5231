#include "tui/view/counter_look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/name_family.h"
#include "tui/cells/cells.h"
#include "text/time_format.h"

/* What the types of tracks say that the trace does not: their unit, and whether they only grow. */
static const struct {
    const char *type, *unit;
    bool grows;
} types[] = {
    {"cpu_frequency", "kHz", false},
    {"cpu_max_frequency_limit", "kHz", false},
    {"cpu_min_frequency_limit", "kHz", false},
    {"cpustat", "", true},
    {"gpu_frequency", "kHz", false},
    {"num_forks", "", true},
    {"num_irq", "", true},
    {"num_irq_total", "", true},
    {"num_softirq", "", true},
    {"num_softirq_total", "", true},
    {"power_rails", "uWs", true},
    {"process_memory", "bytes", false},
};

/* Ends of names that say the unit. */
static const struct {
    const char *end, *unit;
} endings[] = {
    {"_pct", "%"}, {"_uah", "uAh"}, {"_ua", "uA"}, {"_uv", "uV"},
    {"_ns", "ns"}, {"_uws", "uWs"}, {"_kb", "kB"}, {"_bytes", "bytes"},
};

static struct str track_type(const struct timeline *tl, uint32_t track)
{
    const struct table *t = &tl->trace->tables.track;
    return timeline_str(tl, column_str(&t->columns[track_col_type], track));
}

static bool only_grows(const struct timeline *tl, uint32_t track)
{
    struct str type = track_type(tl, track);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eq(type, str_from(types[i].type)))
            return types[i].grows;
    return false;
}

struct str counter_unit(const struct timeline *tl, uint32_t track)
{
    const struct table *t = &tl->trace->tables.track;
    struct str unit = timeline_str(tl, column_str(&t->columns[track_col_counter_unit], track));
    struct str name = timeline_str(tl, column_str(&t->columns[track_col_name], track));
    struct str type = track_type(tl, track);
    if (unit.n > 0)
        return unit;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].unit[0] && str_eq(type, str_from(types[i].type)))
            return str_from(types[i].unit);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends(name, str_from(endings[i].end)))
            return str_from(endings[i].unit);
    return unit;
}

uint16_t counter_role(const struct timeline *tl, uint32_t track)
{
    const struct table *t = &tl->trace->tables.track;
    struct str name = timeline_str(tl, column_str(&t->columns[track_col_name], track));
    return role_counter(name_family_hash(name) >> 17);
}

struct counter_look counter_look_resolve(const struct timeline *tl, uint32_t track,
                                         struct counter_look look)
{
    const struct steps *s = &tl->counters;
    look.lines = look.lines < 1                   ? 1
                 : look.lines > COUNTER_LINES_MAX ? COUNTER_LINES_MAX
                                                  : look.lines;
    if (look.mode == COUNTER_AUTO)
        look.mode = only_grows(tl, track) ? COUNTER_RATE : COUNTER_VALUE;
    if (look.scale != SCALE_AUTO)
        return look;
    look.scale = SCALE_ZERO;
    if (look.mode != COUNTER_VALUE || timeline_track_steps(tl, track) == 0)
        return look;
    struct value_range all = steps_range(s, s->starts[track], s->starts[track + 1]);
    if (all.min > 0 && all.max > all.min && all.max - all.min < all.max / 4)
        look.scale = SCALE_WINDOW;
    return look;
}

/* The change between two positions, or how fast it was; NAN where no time passes. */
static double change_between(const struct steps *s, uint32_t from, uint32_t to, bool rate)
{
    double change = steps_value(s, to) - steps_value(s, from);
    double seconds = (double)(steps_ts(s, to) - steps_ts(s, from)) / 1e9;
    return seconds <= 0 ? NAN : rate ? change / seconds : change;
}

/* From the step in force at `t` to the next one at another time. */
static double change_at(const struct timeline *tl, uint32_t track, int64_t t, bool rate)
{
    const struct steps *s = &tl->counters;
    uint32_t p = steps_at(s, track, t);
    if (p == UINT32_MAX)
        return NAN;
    uint32_t next = steps_lower_bound(s, track, steps_ts(s, p) + 1);
    return next < s->starts[track + 1] ? change_between(s, p, next, rate) : NAN;
}

/* The same over all steps of a cell. */
static double change_in(const struct timeline *tl, uint32_t track, int64_t t0, int64_t t1,
                        bool rate)
{
    const struct steps *s = &tl->counters;
    uint32_t first = steps_lower_bound(s, track, t0), end = steps_lower_bound(s, track, t1);
    double change = end - first < 2 ? NAN : change_between(s, first, end - 1, rate);
    return isnan(change) ? change_at(tl, track, t1 - 1, rate) : change;
}

double counter_at(const struct timeline *tl, uint32_t track, struct counter_look look, int64_t t)
{
    uint32_t p = steps_at(&tl->counters, track, t);
    if (look.mode == COUNTER_DELTA || look.mode == COUNTER_RATE)
        return change_at(tl, track, t, look.mode == COUNTER_RATE);
    return p == UINT32_MAX ? NAN : steps_value(&tl->counters, p);
}

/* The highest level in a cell: of idle counters that of the deepest state. */
static double value_in(const struct timeline *tl, uint32_t track, int64_t t0, int64_t t1)
{
    struct step_cell cell = steps_cell(&tl->counters, track, t0, t1);
    if (!cell.known)
        return NAN;
    double level = timeline_level(tl, track, cell.range.max);
    if (timeline_is_idle_counter(tl, track) && level == 0)
        level = timeline_level(tl, track, cell.range.min);
    return level;
}

/* The values that hold at some time in [t0, t1) of all counters on a track's axis. */
static struct value_range range_of_axis(const struct timeline *tl, const uint32_t *axis_next,
                                        uint32_t track, int64_t t0, int64_t t1)
{
    const struct steps *s = &tl->counters;
    struct value_range all = {NAN, NAN};
    uint32_t other = track;
    do {
        uint32_t from = steps_at(s, other, t0), to = steps_lower_bound(s, other, t1);
        from = from == UINT32_MAX ? s->starts[other] : from;
        if (to > from) {
            struct value_range range = steps_range(s, from, to);
            all.min = fmin(all.min, range.min);
            all.max = fmax(all.max, range.max);
        }
        other = axis_next[other];
    } while (other != track);
    return all;
}

/* What the rows stand for where the whole trace counts, not the window. */
static struct counter_range range_of_trace(const struct timeline *tl, const uint32_t *axis_next,
                                           uint32_t track)
{
    enum { IDLE_STATES = 4 };
    struct value_range all = range_of_axis(tl, axis_next, track, INT64_MIN, INT64_MAX);
    if (!timeline_is_idle_counter(tl, track))
        return (struct counter_range){fmin(all.min, 0), all.max};
    double high = all.max >= 4294967295.0 ? IDLE_STATES : all.max + 1;
    return (struct counter_range){0, fmax(high, IDLE_STATES)};
}

struct counter_range counter_cells(const struct timeline *tl, const uint32_t *axis_next,
                                   uint32_t track, struct counter_look look,
                                   const struct viewport *v, double *out)
{
    struct counter_range range = {INFINITY, -INFINITY};
    bool changes = look.mode == COUNTER_DELTA || look.mode == COUNTER_RATE;
    if (timeline_track_steps(tl, track) == 0)
        return (struct counter_range){0, 0};
    for (int cell = 0; cell < v->width; cell++) {
        int64_t t0 = viewport_time(v, cell), t1 = viewport_time(v, cell + 1);
        out[cell] = changes ? change_in(tl, track, t0, t1, look.mode == COUNTER_RATE)
                            : value_in(tl, track, t0, t1);
        range.low = fmin(range.low, out[cell]);
        range.high = fmax(range.high, out[cell]);
    }
    if (look.scale == SCALE_WINDOW && !changes && axis_next[track] != track) {
        struct value_range all = range_of_axis(tl, axis_next, track, v->start, viewport_end(v));
        range.low = fmin(range.low, all.min);
        range.high = fmax(range.high, all.max);
    }
    if (look.scale == SCALE_WINDOW)
        return range.high > range.low ? range
                                      : (struct counter_range){range.low - 1, range.low + 1};
    if (!changes)
        return range_of_trace(tl, axis_next, track);
    return (struct counter_range){fmin(range.low, 0), fmax(range.high, 0)};
}

double counter_height(struct counter_range range, struct counter_look look, double value)
{
    double size = range.high - range.low, above = value - range.low;
    if (!(size > 0) || !(above >= 0))
        return 0;
    double height = look.scale == SCALE_LOG ? log1p(above) / log1p(size) : above / size;
    return height < 1 ? height : 1; /* also where both are infinite */
}

/* Units with a prefix of their own: what they are without it, and what their rate is called. */
static const struct {
    const char *unit;
    double factor;
    const char *base, *per_second;
} scaled[] = {
    {"uWs", 1e-6, "Ws", "W"}, {"uAh", 1e-6, "Ah", "Ah/s"}, {"uA", 1e-6, "A", "A/s"},
    {"uV", 1e-6, "V", "V/s"}, {"kHz", 1e3, "Hz", "Hz/s"},  {"kB", 1e3, "B", "B/s"},
    {"ns", 1e-9, "s", "s/s"}, {"ms", 1e-3, "s", "s/s"},    {"MB", 1e6, "B", "B/s"},
};

static void print_si(double value, const char *unit, char *out, size_t size)
{
    static const char *const prefixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P"};
    double left = fabs(value) * 1e9;
    int power = 0;
    while (left >= 1000 && power < 8) {
        left /= 1000;
        power++;
    }
    if (left < 1)
        snprintf(out, size, "0 %s", unit);
    else
        snprintf(out, size, "%s%.4g %s%s", value < 0 ? "-" : "", left, prefixes[power], unit);
}

void counter_print(const struct timeline *tl, uint32_t track, struct counter_look look,
                   double value, char *out, size_t size)
{
    struct str unit = counter_unit(tl, track);
    char number[40];
    bool rate = look.mode == COUNTER_RATE;
    if (isnan(value)) {
        snprintf(out, size, "-");
        return;
    }
    if (timeline_is_idle_counter(tl, track) && look.mode == COUNTER_VALUE) {
        if (value >= 4294967295.0)
            snprintf(out, size, "awake");
        else
            format_value(out, size, value);
        return;
    }
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        if (str_eq(unit, str_from(scaled[i].unit))) {
            print_si(value * scaled[i].factor, rate ? scaled[i].per_second : scaled[i].base, out,
                     size);
            return;
        }
    format_short_value(number, sizeof number, value, unit);
    bool bytes = str_eq(unit, STR("bytes"));
    snprintf(out, size, "%s%s%.*s%s", number, unit.n > 0 && !strchr(number, ' ') ? " " : "",
             bytes ? 1 : (int)unit.n,
             bytes    ? "B"
             : unit.n ? unit.p
                      : "",
             rate ? "/s" : "");
}

void counter_look_print(struct counter_look look, char *out, size_t size)
{
    static const char *const modes[] = {"value", "value", "change", "rate"};
    static const char *const scales[] = {"from 0", "from 0", "from the window's least", "log"};
    snprintf(out, size, "%s, %s", modes[look.mode], scales[look.scale]);
}
