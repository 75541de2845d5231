/* The tab with the slices of the event's name, longest first. */
#include <stdio.h>

#include "base/bisect.h"
#include "base/utf8.h"
#include "core/trace/trace_window.h"
#include "text/name_family.h"
#include "text/time.h"
#include "tui/view/details_parts.h"
#include "text/time_format.h"

static int64_t dur_of(const struct timeline *tl, uint32_t slice)
{
    return time_minus(slice_end_ts(tl, slice), slice_ts(tl, slice));
}

/* The value below which `hundredths` of the slices lie: they are sorted, longest first. */
static int64_t percentile(const struct timeline *tl, struct row_list same, uint32_t hundredths)
{
    uint64_t below = (uint64_t)(same.count - 1) * (100 - hundredths) / 100;
    return dur_of(tl, same.rows[below]);
}

/* Where the slice stands among them. */
static void put_place(struct details *d, const struct timeline *tl, struct row_list same,
                      uint32_t slice)
{
    char ordinal[32], dur[32];
    uint32_t rank = details_rank(tl, same, slice);
    uint32_t not_shorter =
        BISECT(mid, 0, same.count, dur_of(tl, same.rows[mid]) >= dur_of(tl, slice));
    format_ordinal(ordinal, sizeof ordinal, rank);
    format_dur_short(dur, sizeof dur, dur_of(tl, slice));
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "this one ");
    details_put(d, &d->left, ROLE_VALUE, "%s", dur);
    details_put(d, &d->left, ROLE_DEFAULT, "   %s longest, longer than %.4g %% of them", ordinal,
                100.0 * (same.count - not_shorter) / same.count);
}

/* " of doFrame N" */
static void put_family(struct details *d, const struct timeline *tl, uint32_t slice)
{
    char family[256];
    struct str name = slice_name(tl, slice);
    name.n = name.n < sizeof family ? name.n : sizeof family;
    details_put(d, &d->left, ROLE_DEFAULT, " of ");
    details_put_name(d, &d->left, ROLE_STRONG,
                     (struct str){family, name_family_print(name, family)});
}

static void put_sums(struct details *d, const struct details_input *in, struct row_list same)
{
    const struct timeline *tl = in->tl;
    uint32_t slice = in->cursor.event.row, open = 0;
    wide_int sum = 0;
    for (uint32_t i = 0; i < same.count; i++) {
        sum += dur_of(tl, same.rows[i]);
        open += slice_is_open(tl, same.rows[i]);
    }
    const struct {
        const char *key;
        int64_t ns;
    } sums[] = {{"sum", sum > INT64_MAX ? INT64_MAX : (int64_t)sum},
                {"mean", (int64_t)(sum / same.count)},
                {"p50", percentile(tl, same, 50)},
                {"p90", percentile(tl, same, 90)},
                {"p99", percentile(tl, same, 99)}};
    enum { COUNT = sizeof sums / sizeof *sums, FIRST_PERCENTILE = 2, PERCENTILE_WIDTH = 17 };
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_STRONG, "%u slices", same.count);
    if (timeline_name_is_one_of_many(tl, slice_u32(tl, slice, slice_col_name)))
        put_family(d, tl, slice); /* there are others than doFrame 42 */
    for (int i = 0; i < COUNT; i++) {
        char text[32];
        if (i == FIRST_PERCENTILE) /* they stay beside each other */
            details_wrap(d, &d->left, details_left_width(in), (COUNT - i) * PERCENTILE_WIDTH);
        format_dur_short(text, sizeof text, sums[i].ns);
        details_put(d, &d->left, ROLE_KEY, "   %s ", sums[i].key);
        details_put(d, &d->left, ROLE_VALUE, "%s", text);
    }
    if (open > 0)
        details_put(d, &d->left, ROLE_ERROR, "   %u %s", open, trace_open_words(tl->trace));
}

/* How many take how long: a line for each power of two from the shortest to the longest, as bars
 * that grow with the count. */
static void put_histogram(struct details *d, const struct timeline *tl, struct row_list same)
{
    enum { BUCKETS = 64 };
    uint32_t counts[BUCKETS] = {0}, most = 0;
    int first = BUCKETS, last = 0;
    for (uint32_t i = 0; i < same.count; i++) {
        int64_t dur = dur_of(tl, same.rows[i]);
        int bucket = dur > 0 ? 63 - __builtin_clzll((uint64_t)dur) : 0;
        counts[bucket]++;
        most = counts[bucket] > most ? counts[bucket] : most;
        first = bucket < first ? bucket : first;
        last = bucket > last ? bucket : last;
    }
    for (int b = first; b <= last && last > first; b++) {
        char from[32], bar[BAR_BYTES_MAX];
        bar_text(counts[b], most, BAR_MAX, bar);
        format_dur_short(from, sizeof from, (int64_t)1 << b);
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "%12s.. ", from);
        details_put(d, &d->left, ROLE_VALUE, "%7u ", counts[b]);
        details_put(d, &d->left, ROLE_COUNTER, "%s", bar);
    }
}

static void add_same_name(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    struct row_list same = details_same_name(in);
    if (same.count > 1) {
        put_sums(d, in, same);
        put_place(d, tl, same, in->cursor.event.row);
        put_histogram(d, tl, same);
    }
    for (uint32_t i = 0; i < same.count && i < 1000; i++) {
        uint32_t slice = same.rows[i];
        char start[40], dur[40];
        format_ms(start, sizeof start, time_minus(slice_ts(tl, slice), tl->start));
        format_ms_unit(dur, sizeof dur, time_minus(slice_end_ts(tl, slice), slice_ts(tl, slice)));
        details_line(d, &d->left, event_of(&slice_events, slice));
        details_put(d, &d->left, ROLE_VALUE, "%15s  at %14s  ", dur, start);
        details_put_slice(d, &d->left, slice == in->cursor.event.row ? ROLE_STRONG : ROLE_LINK, tl,
                          slice);
        details_put(d, &d->left, ROLE_DEFAULT, "  ");
        details_put_slice_track(d, &d->left, tl, slice);
    }
}

static void print_title(const struct tab_facts *facts, char *out, size_t size)
{
    snprintf(out, size, "Same name (%u)", facts->same_name);
}

const struct details_tab same_name_tab = {.print_title = print_title, .add = add_same_name};
