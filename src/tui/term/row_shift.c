#include "tui/term/row_shift.h"

#include <string.h>

#include "base/utf8.h"

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return a->ch == b->ch && a->role == b->role && a->attrs == b->attrs && a->ground == b->ground;
}

static bool is_blank(const struct cell *c)
{
    return c->ch == ' ' && c->role == ROLE_DEFAULT && c->attrs == 0 && c->ground == ROLE_DEFAULT;
}

/* Characters of two cells could be cut in halves, and marks are not compared. */
static bool is_simple(const struct cell *row, int width)
{
    for (int x = 0; x < width; x++)
        if (row[x].ch == 0 || row[x].marks[0] ||
            (row[x].ch >= 0x1100 && utf8_width(row[x].ch) != 1))
            return false;
    return true;
}

/* How many cells from `from` on have to be written behind the shift; more than `most` need not be
 * counted. */
static int left_to_write(const struct cell *before, const struct cell *after, int from, int width,
                         int by, int most)
{
    int count = 0;
    for (int x = from; x < width && count <= most; x++) {
        int was = x + by;
        bool kept = was >= from && was < width;
        count += kept ? !same_cell(&before[was], &after[x]) : !is_blank(&after[x]);
    }
    return count;
}

struct row_shift row_shift_find(const struct cells *before, const struct cells *after, int y,
                                int by)
{
    const struct cell *was = cells_at(before, 0, y), *is = cells_at(after, 0, y);
    int width = after->width, from = 0;
    while (from < width && same_cell(&was[from], &is[from]))
        from++;
    struct row_shift best = {from, 0};
    int least = left_to_write(was, is, from, width, 0, width) - ROW_SHIFT_GAIN;
    if (least < 0 || !is_simple(was, width) || !is_simple(is, width))
        return best;
    int farthest = (width - from) * 3 / 4, first = by ? by : -farthest, last = by ? by : farthest;
    for (int d = first; d <= last; d++) {
        if (-d > (width - from) / 2) /* tmux 3.3 clears no more cells than it moves to the right */
            continue;
        int count = d ? left_to_write(was, is, from, width, d, least) : width;
        if (count > least)
            continue;
        least = count - 1;
        best.by = d;
    }
    return best;
}

int row_shift_most(const struct cells *before, const struct cells *after)
{
    int most = 0, best = -1;
    for (int y = 0; y < after->height; y++) {
        const struct cell *was = cells_at(before, 0, y), *is = cells_at(after, 0, y);
        int count = 0;
        if (memcmp(was, is, (size_t)after->width * sizeof *is) == 0)
            continue;
        for (int x = 0; x < after->width; x++)
            count += !same_cell(&was[x], &is[x]);
        if (count <= best)
            continue;
        best = count;
        most = y;
    }
    return most;
}
