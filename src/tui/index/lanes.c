#include "tui/index/lanes.h"

#include <string.h>

#include "base/bisect.h"
#include "base/alloc.h"
#include "tui/index/lane_rows.h"

int64_t lanes_open_end(const struct lanes *l, uint32_t pos)
{
    /* The first lane that begins behind the position is the one after its own. */
    uint32_t next = BISECT(lane, 1, l->lane_count, l->starts[lane] <= pos);
    int64_t ts = lanes_ts(l, pos), end = l->end;
    if (pos + 1 < l->starts[next] && pos + 1 < l->count)
        end = lanes_ts(l, pos + 1);
    return end > ts ? end : ts;
}

/* The longest event of block `i` of a level; of the lowest, the event itself. */
static uint32_t longest_of(const struct lanes *l, uint32_t level, uint32_t i)
{
    uint32_t p = level ? l->best[level - 1][i] : i;
    return p < l->count ? p : 0;
}

/* A lane's rows are in the order of the table, but for those of tables that are not sorted. */
void lanes_measure(const struct lanes *l, const uint32_t *lane_of,
                   bool (*counts)(const void *ctx, uint32_t row), const void *ctx, int64_t *out)
{
    uint32_t *next = alloc_array((size_t)l->lane_count + 1, sizeof *next);
    bool in_order = true;
    memcpy(next, l->starts, l->lane_count * sizeof *next);
    for (uint32_t row = 0; row < l->table_rows && in_order; row++) {
        uint32_t lane = lane_of[row];
        if (lane >= l->lane_count)
            continue;
        uint32_t p = next[lane]++;
        in_order = l->rows[p] == row;
        out[p] = !counts || counts(ctx, row) ? lanes_dur(l, p) : 0;
    }
    for (uint32_t p = 0; p < l->count && !in_order; p++)
        out[p] = !counts || counts(ctx, lanes_row(l, p)) ? lanes_dur(l, p) : 0;
    free(next);
}

/* Of each block of a level, from how long the longest of each block below last, which become those
 * of this level. */
static void build_level(struct lanes *l, uint32_t level, uint32_t below, int64_t *longest)
{
    uint32_t blocks = (below + LANES_FANOUT - 1) / LANES_FANOUT;
    l->best[level] = alloc_array(blocks, sizeof *l->best[level]);
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t from = b * LANES_FANOUT, best = from;
        for (uint32_t i = from; i < from + LANES_FANOUT && i < below; i++)
            if (longest[i] > longest[best])
                best = i;
        l->best[level][b] = longest_of(l, level, best);
        longest[b] = longest[best];
    }
    l->levels = level + 1;
}

static void build_pyramid(struct lanes *l, int64_t *longest)
{
    uint32_t below = l->count;
    for (uint32_t level = 0; level < LANES_LEVELS && below > LANES_FANOUT; level++) {
        build_level(l, level, below, longest);
        below = (below + LANES_FANOUT - 1) / LANES_FANOUT;
    }
}

static void build_sums(struct lanes *l, const int64_t *durations)
{
    uint64_t sum = 0;
    l->before = alloc_array(lanes_sums(l->count), sizeof *l->before);
    for (uint32_t i = 0; i < l->count; i++) {
        if (i % LANES_FANOUT == 0)
            l->before[i / LANES_FANOUT] = sum;
        sum += (uint64_t)durations[i];
    }
    if (l->count % LANES_FANOUT == 0)
        l->before[l->count / LANES_FANOUT] = sum;
}

void lanes_build(struct lanes *l, const uint32_t *lane_of, uint32_t lane_count, uint32_t rows,
                 const int64_t *ts, const int64_t *dur, int64_t end)
{
    *l = (struct lanes){
        .lane_count = lane_count, .table_rows = rows, .ts = ts, .dur = dur, .end = end};
    struct lane_rows sorted = lane_rows_sort(lane_of, lane_count, rows, ts);
    l->starts = sorted.starts;
    l->rows = sorted.rows;
    l->count = sorted.starts[lane_count];
    int64_t *durations = alloc_array((size_t)l->count + 1, sizeof *durations);
    lanes_measure(l, lane_of, NULL, NULL, durations);
    build_sums(l, durations);
    build_pyramid(l, durations);
    free(durations);
}

void lanes_release(struct lanes *l)
{
    free(l->starts);
    free(l->rows);
    free(l->before);
    for (uint32_t i = 0; i < l->levels; i++)
        free(l->best[i]);
    *l = (struct lanes){0};
}

uint32_t lane_lower_bound(const struct lanes *l, uint32_t lane, int64_t t)
{
    return BISECT(mid, l->starts[lane], l->starts[lane + 1], lanes_ts(l, mid) < t);
}

uint32_t lane_first_in(const struct lanes *l, uint32_t lane, int64_t t)
{
    uint32_t p = lane_lower_bound(l, lane, t);
    if (p > l->starts[lane] && lanes_end(l, p - 1) > t)
        return p - 1;
    return p;
}

uint32_t lane_at(const struct lanes *l, uint32_t lane, int64_t t)
{
    uint32_t p = t == INT64_MAX ? l->starts[lane + 1] : lane_lower_bound(l, lane, t + 1);
    if (p == l->starts[lane])
        return NO_POSITION;
    p--;
    return lanes_end(l, p) > t || lanes_ts(l, p) == t ? p : NO_POSITION;
}

uint32_t lane_find_row(const struct lanes *l, uint32_t lane, uint32_t row)
{
    uint32_t p = lane_lower_bound(l, lane, l->ts[row]);
    for (; p < l->starts[lane + 1] && lanes_ts(l, p) == l->ts[row]; p++)
        if (lanes_row(l, p) == row)
            return p;
    return NO_POSITION;
}

static uint32_t longer(const struct lanes *l, uint32_t a, uint32_t b)
{
    if (a == NO_POSITION)
        return b;
    int64_t da = lanes_dur(l, a), db = lanes_dur(l, b);
    return db > da || (db == da && b < a) ? b : a;
}

uint32_t lanes_longest(const struct lanes *l, uint32_t from, uint32_t to)
{
    uint32_t best = NO_POSITION, level = 0;
    /* Climb while whole blocks remain; the rest at both ends is compared one by one. */
    while (from < to) {
        while (from < to &&
               (from % LANES_FANOUT != 0 || level == l->levels || to - from < LANES_FANOUT)) {
            best = longer(l, best, longest_of(l, level, from));
            from++;
        }
        while (to > from && to % LANES_FANOUT != 0) {
            to--;
            best = longer(l, best, longest_of(l, level, to));
        }
        from /= LANES_FANOUT;
        to /= LANES_FANOUT;
        level++;
    }
    return best;
}

uint32_t lane_count_in(const struct lanes *l, uint32_t lane, int64_t t0, int64_t t1)
{
    uint32_t from = lane_first_in(l, lane, t0), to = lane_lower_bound(l, lane, t1);
    return to > from ? to - from : 0;
}

/* Of all events before a position. */
static uint64_t dur_before(const struct lanes *l, uint32_t pos)
{
    uint64_t sum = l->before[pos / LANES_FANOUT];
    for (uint32_t i = pos - pos % LANES_FANOUT; i < pos; i++)
        sum += (uint64_t)lanes_dur(l, i);
    return sum;
}

float lane_busy(const struct lanes *l, uint32_t lane, uint32_t from, uint32_t to, int64_t t0,
                int64_t t1)
{
    if (from > l->starts[lane] && lanes_end(l, from - 1) > t0)
        from--;
    uint64_t sum = 0;
    if (to - from > 2 * LANES_FANOUT) { /* only those at both ends reach beyond */
        sum = dur_before(l, to - 1) - dur_before(l, from + 1);
        sum += (uint64_t)lanes_dur_in(l, from, t0, t1) + (uint64_t)lanes_dur_in(l, to - 1, t0, t1);
    }
    for (uint32_t i = from; to - from <= 2 * LANES_FANOUT && i < to; i++)
        sum += (uint64_t)lanes_dur_in(l, i, t0, t1);
    float share = (float)sum / (float)(t1 - t0);
    return share < 1 ? share : 1;
}

/* What events of one name take together. */
struct tally {
    uint32_t name, pos; /* of the first of them */
    uint64_t dur;
};

static void tally_add(struct tally *tallies, int *count, const struct lanes *l, uint32_t pos,
                      uint64_t dur)
{
    uint32_t name = l->names[lanes_row(l, pos)];
    int i = 0;
    while (i < *count && tallies[i].name != name)
        i++;
    if (i == *count)
        tallies[(*count)++] = (struct tally){.name = name, .pos = pos};
    tallies[i].dur += dur;
}

/* An event of the name that takes most of [t0, t1), by the longest and some others of [from, to),
 * as all of them may be millions. An instant, too, takes something. */
static uint32_t most_of(const struct lanes *l, uint32_t from, uint32_t to, uint32_t longest,
                        int64_t t0, int64_t t1)
{
    enum { SAMPLE = 16 };
    struct tally tallies[SAMPLE + 1];
    int count = 0, most = 0;
    if (!l->names || to - from < 3)
        return longest;
    uint32_t step = (to - from + SAMPLE - 1) / SAMPLE;
    tally_add(tallies, &count, l, longest, (uint64_t)lanes_dur_in(l, longest, t0, t1) + 1);
    for (uint64_t i = from + step / 2; i < to; i += step)
        if (i != longest)
            tally_add(tallies, &count, l, (uint32_t)i,
                      ((uint64_t)lanes_dur_in(l, (uint32_t)i, t0, t1) + 1) * step);
    for (int i = 1; i < count; i++)
        if (tallies[i].dur > tallies[most].dur)
            most = i;
    return tallies[most].pos;
}

/* The last cell an event touches. */
static int last_cell(const struct lanes *l, uint32_t pos, const struct viewport *v)
{
    int64_t ts = lanes_ts(l, pos), end = lanes_end(l, pos);
    int c = viewport_cell(v, end > ts ? end - 1 : ts);
    return c >= v->width ? v->width - 1 : c;
}

/* lane_lower_bound for what usually lies near behind `from`, which begins before `t`. */
static uint32_t bound_behind(const struct lanes *l, uint32_t from, uint32_t end, int64_t t)
{
    uint32_t step = 1;
    while (step < end - from && lanes_ts(l, from + step) < t) {
        from += step;
        step *= 2;
    }
    uint32_t to = step < end - from ? from + step : end;
    return BISECT(mid, from + 1, to, lanes_ts(l, mid) < t);
}

/* What the cells of a narrow span show: its first events, and where the shown one goes on. */
static void weigh(const struct lanes *l, uint32_t lane, const struct viewport *v, struct span *s)
{
    int64_t t0 = viewport_time(v, s->c0), t1 = viewport_time(v, s->c0 + 1);
    s->most = s->longest;
    if (s->c1 - s->c0 > SPAN_NARROW)
        return;
    uint32_t end = s->first + s->count;
    s->most = most_of(l, s->first, end, s->longest, t0, t1);
    s->busy[0] = lane_busy(l, lane, s->first, end, t0, t1);
    if (s->c1 - s->c0 == SPAN_NARROW)
        s->busy[1] = lane_busy(l, lane, end, end, t1, viewport_time(v, s->c1));
}

int lane_spans(const struct lanes *l, uint32_t lane, const struct viewport *v, struct span *out)
{
    uint32_t end = l->starts[lane + 1], p = lane_first_in(l, lane, v->start);
    int n = 0, cell = 0;
    while (p < end && lanes_ts(l, p) < viewport_end(v)) {
        int c0 = viewport_cell(v, lanes_ts(l, p));
        c0 = c0 < cell ? cell : c0;
        if (c0 >= v->width)
            break;
        /* All events that begin in this cell; the last of them may reach beyond it. */
        uint32_t next = bound_behind(l, p, end, viewport_time(v, c0 + 1));
        uint32_t shown = next - 1;
        int c1 = last_cell(l, shown, v) + 1;
        if (c1 <= c0 + 1) {
            c1 = c0 + 1;
            shown = lanes_longest(l, p, next);
        }
        if (n > 0 && out[n - 1].c1 > c0) { /* it ended in the cell in which this one begins */
            out[n - 1].c1 = c0;
            out[n - 1].ends = true;
        }
        if (n > 0)
            weigh(l, lane, v, &out[n - 1]);
        out[n++] = (struct span){
            .c0 = c0,
            .c1 = c1,
            .longest = shown,
            .first = p,
            .count = next - p,
            .begins = lanes_ts(l, shown) >= v->start,
            .ends = lanes_end(l, shown) <= viewport_end(v),
        };
        cell = c0 + 1;
        p = next;
    }
    if (n > 0)
        weigh(l, lane, v, &out[n - 1]);
    return n;
}
