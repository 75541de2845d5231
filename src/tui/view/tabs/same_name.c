/* The tab with the slices of the event's name, longest first. */
#include <stdio.h>

#include "tui/view/details_parts.h"
#include "tui/view/time_format.h"

static void add_same_name(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    struct row_list same = details_same_name(in);
    for (uint32_t i = 0; i < same.count && i < 1000; i++) {
        uint32_t slice = same.rows[i];
        char start[40], dur[40];
        format_ms(start, sizeof start, slice_ts(tl, slice) - tl->start);
        format_ms(dur, sizeof dur, slice_end_ts(tl, slice) - slice_ts(tl, slice));
        details_line(d, &d->left, event_of(&slice_events, slice));
        details_put(d, &d->left, ROLE_VALUE, "%12s ms  at %14s  ", dur, start);
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
