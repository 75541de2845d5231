#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "base/bisect.h"
#include "core/trace/stored_columns.h"
#include "tui/view/empty_timeline.h"
#include "tui/view/scene.h"
#include "text/time_format.h"

enum { GUTTER_MIN = 8, GUTTER_MAX = 60 };

/* From here on times are hours, minutes and seconds. */
#define CLOCK_FROM INT64_C(3600000000000)

/* Cells for the names of tracks; half of the screen is left to the tracks. */
static int gutter_width(int width, int more)
{
    int usual = width >= 140 ? width / 5 : width >= 100 ? 23 : width >= 60 ? 18 : 11;
    usual = usual > GUTTER_MAX ? GUTTER_MAX : usual;
    int most = width / 2 > usual ? width / 2 : usual;
    return usual + more < GUTTER_MIN ? GUTTER_MIN : usual + more > most ? most : usual + more;
}

struct layout layout_make(int width, int height, int details, int more_gutter)
{
    struct layout l = {.width = width, .height = height, .overview_y = -1};
    l.gutter = gutter_width(width, more_gutter);
    l.track_x = l.gutter + 1;
    l.track_w = width - l.track_x > 1 ? width - l.track_x : 1;
    l.hints_y = height - 1;
    l.status_y = height - 2;
    int y = 1;
    if (height >= 30)
        l.overview_y = y++;
    l.ruler_y = y++;
    l.tracks_y = y;
    int usual = height >= 44 ? 12 : height >= 30 ? 9 : height >= 20 ? 6 : 0;
    l.details_h = details > 0 ? details : usual;
    int room = l.status_y - l.tracks_y;
    if (details > 0 && l.details_h > room - 2)
        l.details_h = room > 4 ? room - 2 : 0;
    else if (details == 0 && l.details_h > room - 4)
        l.details_h = room > 8 ? room - 4 : 0;
    l.details_y = l.status_y - l.details_h;
    l.tracks_h = l.details_y - l.tracks_y;
    return l;
}

/* Both as the later one is written. */
static void format_edges(const struct scene *s, char *start, char *end, size_t size)
{
    int64_t from = s->viewport.start - s->tl->start, to = viewport_end(&s->viewport) - s->tl->start;
    format_ms_unit(end, size, to);
    if (to >= CLOCK_FROM)
        format_clock(start, size, from, 3);
    else
        format_ms(start, size, from);
}

/* What is doubtful only where there is room for all of it. */
static void draw_loss(struct cells *c, const struct scene *s, int x, int width)
{
    const struct loss_total *lost = &s->loss;
    bool any = lost->events > 0 || lost->more;
    char doubtful[48];
    int end = x + width;
    x += cells_put_format(c, x, 0, width, any ? ROLE_HEADER_WARNING : ROLE_HEADER, 0,
                          lost->more && !lost->events ? "data loss: some"
                                                      : "data loss %" PRId64 "%s",
                          lost->events, lost->more ? "+" : "");
    if (any && s->tl->trace->is_window && x + 19 < end)
        x += cells_put_text(c, x, 0, 17, STR(" in the recording"), ROLE_HEADER_WARNING, 0);
    int n = snprintf(doubtful, sizeof doubtful, ", %" PRId64 " doubtful", lost->doubtful);
    if (lost->doubtful > 0 && x + n + 2 < end)
        cells_put_text(c, x, 0, n, str_from(doubtful), ROLE_HEADER_WARNING, 0);
}

static void draw_header(struct cells *c, const struct scene *s)
{
    const struct layout *l = &s->layout;
    char total[32], dur[32], cell[32], start[40], end[40];
    format_dur_short(total, sizeof total, s->tl->end - s->tl->start);
    format_dur_short(dur, sizeof dur, s->viewport.dur);
    format_dur_short(cell, sizeof cell, s->viewport.dur / s->viewport.width);
    format_edges(s, start, end, sizeof start);
    cells_fill(c, (struct rect){0, 0, l->width, 1}, ' ', ROLE_HEADER, 0);
    char window[160];
    int n = l->width < 60 ? snprintf(window, sizeof window, "%s ", dur)
            : l->width < 100
                ? snprintf(window, sizeof window, "%s..%s = %s ", start, end, dur)
                : snprintf(window, sizeof window, "%s .. %s = %s, %s/cell ", start, end, dur, cell);
    int left = l->width - n - 2;
    int x = 1 + cells_put_text(c, 1, 0, l->width < 100 ? left - 12 : left / 2, s->title,
                               ROLE_HEADER, 0);
    if (x + 12 < left)
        x += 2 + cells_put_format(c, x + 2, 0, left - x, ROLE_HEADER, 0, "%s%s", total,
                                  s->tl->trace->is_window ? " window" : "");
    if (s->tl->cpu_count && x + 10 < left)
        x += 2 + cells_put_format(c, x + 2, 0, left - x, ROLE_HEADER, 0, "%u CPU%s",
                                  s->tl->cpu_count, s->tl->cpu_count == 1 ? "" : "s");
    if (s->part)
        cells_put_text(c, x + 2, 0, left - x, str_from(s->part), ROLE_HEADER_WARNING, 0);
    else if (x + 16 < left)
        draw_loss(c, s, x + 2, left - x);
    cells_put(c, l->width - n - 2, 0, U'│', ROLE_HEADER, 0);
    cells_put_text(c, l->width - n, 0, n, str_from(window), ROLE_HEADER, 0);
}

/* Events that are counted where no CPU is known. */
struct counted {
    const char *title; /* NULL: there are none */
    const struct table *table;
    uint32_t ts;
};

/* The first kind of which there are any. */
static struct counted find_counted(const struct timeline *tl)
{
    const struct tables *t = &tl->trace->tables;
    const struct counted kinds[] = {
        {"slices", &t->slice, slice_col_ts},
        {"samples", &t->profiler_sample, profiler_sample_col_ts},
        {"counters", &t->counter, counter_col_ts},
        {"logs", &t->logs, logs_col_ts},
        {"ftrace", &t->ftrace_event, ftrace_event_col_ts},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].table->rows > 0 && stored_table_ready(tl->trace, kinds[i].table) &&
            !kinds[i].table->columns[kinds[i].ts].unsorted)
            return kinds[i];
    return (struct counted){.title = NULL};
}

/* How many begin until `t1`, behind the first `*before`. */
static double density(const struct counted *counted, int64_t t1, int64_t per_cell, uint32_t *before)
{
    if (!counted->title || per_cell <= 0)
        return 0;
    const int64_t *ts = table_i64(counted->table, counted->ts);
    uint32_t until = BISECT(mid, *before, counted->table->rows, ts[mid] < t1);
    double share = (double)(until - *before) / (double)per_cell / 3;
    *before = until;
    return share > 1 ? 1 : share;
}

/* It changes with the screen's width only. */
static void fill_overview(struct overview *o, const struct timeline *tl, const struct viewport *v)
{
    struct counted counted = {.title = NULL};
    if (tl->cpu_count == 0)
        counted = find_counted(tl);
    int64_t mean = counted.title ? counted.table->rows / (uint32_t)v->width + 1 : 0;
    uint32_t before = 0;
    o->shares.count = 0;
    for (int i = 0; i < v->width; i++) {
        int64_t t0 = viewport_time(v, i), t1 = viewport_time(v, i + 1);
        *vec_push(&o->shares) = tl->cpu_count ? timeline_load(tl, NULL_U32, t0, t1)
                                              : density(&counted, t1, mean, &before);
    }
}

static void draw_overview(struct cells *c, const struct scene *s)
{
    const struct layout *l = &s->layout;
    struct viewport whole = {s->tl->start, s->tl->end - s->tl->start, l->track_w};
    if (whole.dur < whole.width)
        whole.dur = whole.width;
    if (s->overview->shares.count != (size_t)whole.width)
        fill_overview(s->overview, s->tl, &whole);
    const char *counted = s->tl->cpu_count ? "CPU load" : find_counted(s->tl).title;
    cells_put_format(c, 1, l->overview_y, l->gutter - 1, ROLE_DIM, 0, "%s%s%s",
                     counted ? counted : "", counted ? ", " : "",
                     s->tl->trace->is_window ? "loaded part" : "whole trace");
    cells_put(c, l->gutter, l->overview_y, U'│', ROLE_BORDER, 0);
    for (int i = 0; i < l->track_w; i++) {
        double share = s->overview->shares.items[i];
        int eighths = share <= 0 ? 0 : (int)(share * 8 + 0.5) < 1 ? 1 : (int)(share * 8 + 0.5);
        cells_put(c, l->track_x + i, l->overview_y, glyph_bar(eighths, s->look.ascii),
                  ROLE_OVERVIEW, 0);
    }
    int from = viewport_cell(&whole, s->viewport.start);
    int to = viewport_cell(&whole, viewport_end(&s->viewport) - 1);
    from = from < 0 ? 0 : from >= l->track_w ? l->track_w - 1 : from;
    to = to < from ? from : to >= l->track_w ? l->track_w - 1 : to;
    if (to - from + 1 >= l->track_w)
        return;
    cells_set_role(c, (struct rect){l->track_x + from, l->overview_y, to - from + 1, 1},
                   ROLE_OVERVIEW_WINDOW);
    cells_put(c, l->track_x + from - 1, l->overview_y, from > 0 ? U'▕' : U'│', ROLE_OVERVIEW_WINDOW,
              0);
    cells_put(c, l->track_x + to + 1, l->overview_y, U'▏', ROLE_OVERVIEW_WINDOW, 0);
    if (from == 0)
        cells_put(c, l->gutter, l->overview_y, U'│', ROLE_BORDER, 0);
}

struct ruler_unit {
    int64_t ns;
    const char *name;
    bool clock; /* hours, minutes and seconds */
};

/* The unit in which the times of a window of `dur` that ends at `end` have few digits before the
 * point. */
static struct ruler_unit ruler_unit_for(int64_t dur, int64_t end)
{
    if (end >= CLOCK_FROM)
        return (struct ruler_unit){1000000000, "h:min:s", true};
    if (dur >= INT64_C(20000000000))
        return (struct ruler_unit){1000000000, "s", false};
    return dur >= 20000 ? (struct ruler_unit){1000000, "ms", false}
                        : (struct ruler_unit){1000, "us", false};
}

static int decimals_of(int64_t step, int64_t unit)
{
    int n = 0;
    while (unit > 1 && step % unit != 0 && n < 9) {
        unit /= 10;
        n++;
    }
    return n;
}

static int format_tick(char *out, size_t size, int64_t t, struct ruler_unit unit, int decimals)
{
    return unit.clock ? format_clock(out, size, t, decimals)
                      : snprintf(out, size, "%.*f", decimals, (double)t / (double)unit.ns);
}

/* The next of 1, 2, 5, 10, 20 ...; from a second on such a part of a minute, an hour or a day where
 * these are shown. */
static int64_t next_step(int64_t step, bool clock)
{
    static const int32_t parts[] = {2,    5,    10,   20,   30,    60,    120,   300,  600,
                                    1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    const int64_t second = 1000000000;
    int64_t base = 1;
    for (size_t i = 0; clock && step >= second && i < sizeof parts / sizeof *parts; i++)
        if (parts[i] * second > step)
            return parts[i] * second;
    while (base <= step / 10)
        base *= 10;
    if (step > INT64_MAX / 4)
        return INT64_MAX;
    return step < 2 * base ? 2 * base : step < 5 * base ? 5 * base : 10 * base;
}

/* The time of the cursor and its place on the ruler: cells [from, to), of which `x` is the
 * cursor's. `from` is -1 where the cursor is outside the window. */
struct cursor_label {
    char text[40];
    int from, to, x;
};

static struct cursor_label place_cursor_time(const struct scene *s, struct ruler_unit unit)
{
    const struct viewport *v = &s->viewport;
    struct cursor_label label = {.from = -1, .to = -1, .x = viewport_cell(v, s->cursor.ts)};
    int decimals = decimals_of(1, unit.ns);
    if (label.x < 0 || label.x >= v->width)
        return label;
    for (int64_t scale = v->dur / v->width; scale >= 10 && decimals > 3; scale /= 10)
        decimals--;
    int n = format_tick(label.text, sizeof label.text, s->cursor.ts - s->tl->start, unit, decimals);
    label.from = label.x + 1 + n <= v->width ? label.x : label.x - n;
    label.to = label.from + n + 1;
    return label;
}

static void draw_cursor_time(struct cells *c, const struct scene *s,
                             const struct cursor_label *label)
{
    const struct layout *l = &s->layout;
    if (label->to < 0)
        return;
    int left = label->from == label->x ? label->x + 1 : label->from;
    cells_put_text(c, l->track_x + left, l->ruler_y, l->track_w, str_from(label->text), ROLE_CURSOR,
                   0);
    cells_put(c, l->track_x + label->x, l->ruler_y, U'▼', ROLE_CURSOR, 0);
}

static void draw_ruler(struct cells *c, const struct scene *s)
{
    const struct layout *l = &s->layout;
    const struct viewport *v = &s->viewport;
    int64_t from = v->start - s->tl->start, step = 1;
    struct ruler_unit unit = ruler_unit_for(v->dur, from + v->dur);
    char text[40];
    int cells;
    bool halved = false; /* room for a line between two labels */
    cells_fill(c, (struct rect){0, l->ruler_y, l->width, 1}, ' ', ROLE_RULER, 0);
    cells_put_text(c, l->gutter / 2, l->ruler_y, l->gutter, str_from(unit.name), ROLE_RULER, 0);
    cells_put(c, l->gutter, l->ruler_y, U'│', ROLE_BORDER, 0);
    for (;; step = next_step(step, unit.clock)) {
        int n = format_tick(text, sizeof text, from + v->dur, unit, decimals_of(step, unit.ns));
        cells = (int)((wide_int)step * v->width / v->dur);
        if (cells >= n + 4 || step > INT64_MAX / 4) {
            halved = step % 2 == 0 && cells / 2 >= n + 2;
            break;
        }
    }
    struct rect ruler = {l->track_x, l->ruler_y, l->track_w, 1};
    struct cursor_label label = place_cursor_time(s, unit);
    int64_t minor = halved ? step / 2 : step;
    int64_t first = from >= 0 ? (from + minor - 1) / minor : from / minor;
    for (int64_t k = first; k <= (from + v->dur) / minor; k++) {
        int64_t t = k * minor;
        int x = viewport_cell(v, s->tl->start + t);
        if (x < 0 || x >= l->track_w)
            continue;
        int n = t % step ? 0 : format_tick(text, sizeof text, t, unit, decimals_of(step, unit.ns));
        if (x < label.to + 1 && x + n + 2 > label.from)
            continue;
        cells_put(c, l->track_x + x, l->ruler_y, '|', n ? ROLE_RULER : ROLE_BORDER, 0);
        if (n && x + 1 + n <= l->track_w)
            cells_put_text(c, l->track_x + x + 1, l->ruler_y, n, str_from(text), ROLE_RULER, 0);
    }
    cells_set_ground(c, ruler, ROLE_RULER); /* of the lines, too: fewer bytes, and no holes */
    for (int i = 0; i < s->mark_count; i++) {
        int x = viewport_cell(v, s->marks[i].ts);
        if (x >= 0 && x < l->track_w)
            cells_put(c, l->track_x + x, l->ruler_y, (char32_t)s->marks[i].letter, ROLE_MARK, 0);
    }
    draw_cursor_time(c, s, &label);
}

/* A name that may not fit: packages and paths keep their end, which tells them apart; others lose
 * their middle. */
static int put_name(struct cells *c, int x, int y, int max, const char *name, uint16_t role)
{
    struct str s = str_from(name);
    char cut[256];
    bool path = (str_find(s, '.') < s.n || str_find(s, '/') < s.n) && str_find(s, ' ') == s.n;
    int width = text_width(s);
    if (width <= max || max < 6)
        return cells_put_text(c, x, y, max, s, role, 0);
    if (!path) {
        text_cut_middle(s, max, cut, sizeof cut);
        return cells_put_text(c, x, y, max, str_from(cut), role, 0);
    }
    char glyph[TEXT_ESCAPE_MAX];
    for (int left = width; left > max - 2; s = str_skip(s, text_escape_next(s, glyph).used))
        left -= text_escape_next(s, glyph).width;
    while (s.n > 0 && text_escape_next(s, glyph).width == 0) /* a mark of what was cut */
        s = str_skip(s, text_escape_next(s, glyph).used);
    cells_put_text(c, x, y, 2, STR(".."), role, 0);
    return 2 + cells_put_text(c, x + 2, y, max - 2, s, role, 0);
}

/* A node's label; what names its machine stays. */
static void put_label(struct cells *c, int x, int y, int max, const struct track_node *n,
                      uint16_t role)
{
    int used = cells_put_text(c, x, y, max, (struct str){n->label, n->prefix}, role, 0);
    put_name(c, x + used, y, max - used, n->label + n->prefix, role);
}

static void gutter_number(const struct scene *s, const struct row *row, char *out, size_t size)
{
    const struct track_node *n = &s->tree->nodes.items[row->key.node];
    out[0] = '\0';
    switch (n->kind) {
    case NODE_THREAD:
        if (row->key.place == PLACE_TREE && track_tree_is_main_thread(s->tree, s->tl, n))
            snprintf(out, size, "main");
        else
            snprintf(out, size, "%" PRId64, n->number);
        break;
    case NODE_PROCESS:
        snprintf(out, size, "%" PRId64, n->number);
        break;
    case NODE_COUNTER: {
        struct counter_look look = counter_look_resolve(s->tl, n->id, n->look);
        double value = counter_at(s->tl, n->id, look, s->cursor.ts);
        if (!isnan(value))
            counter_print(s->tl, n->id, look, value, out, size);
        break;
    }
    case NODE_DEBUG:
    case NODE_CPUS:
    case NODE_CPU:
    case NODE_GROUP:
    case NODE_COUNTERS:
    case NODE_TRACKS:
        break;
    }
}

static uint16_t gutter_role(const struct scene *s, const struct row *row)
{
    const struct track_node *n = &s->tree->nodes.items[row->key.node];
    if (row->key.place == PLACE_LINKED)
        return ROLE_GUTTER_LINKED;
    if (row->key.place == PLACE_PINNED)
        return ROLE_GUTTER_PINNED;
    return n->kind == NODE_PROCESS || n->kind == NODE_CPUS || n->kind == NODE_GROUP
               ? ROLE_GUTTER_GROUP
               : ROLE_GUTTER;
}

/* What is left of a name must say whose the number beside it is, which the details have, too. */
static bool says_enough(int room, int name)
{
    enum { ENOUGH = 10, ENOUGH_TENTHS = 7 };
    return room >= ENOUGH || room * 10 >= name * ENOUGH_TENTHS;
}

static void draw_gutter_head(struct cells *c, struct rect area, const struct scene *s,
                             const struct row *row, uint16_t role)
{
    const struct track_node *n = &s->tree->nodes.items[row->key.node];
    char number[40];
    gutter_number(s, row, number, sizeof number);
    int digits = (int)str_from(number).n, x = area.x + (row->indent > 4 ? 4 : row->indent);
    bool leaf = !row->foldable || n->kind == NODE_THREAD;
    char32_t sign = row->key.place == PLACE_LINKED   ? U'»'
                    : row->key.place == PLACE_PINNED ? U'*'
                    : leaf                           ? U' '
                    : row->open                      ? U'▾'
                                                     : U'▸';
    cells_put(c, x, area.y, sign, role, 0);
    int room = area.x + area.w - x - 2 - (digits ? digits + 1 : 0);
    if (digits && !says_enough(room, text_width(str_from(n->label)))) {
        room += digits + 1;
        digits = 0;
    }
    char busy[64];
    uint32_t ran = n->kind == NODE_CPUS ? timeline_cpus(s->tl, n->id) : 0;
    int busy_n = snprintf(busy, sizeof busy, "%s (busy of %u)", n->label, ran);
    if (ran > 0 && busy_n <= room)
        cells_put_text(c, x + 2, area.y, room, str_from(busy), role, 0);
    else
        put_label(c, x + 2, area.y, room, n, role);
    cells_put_text(c, area.x + area.w - digits, area.y, digits, str_from(number), role, 0);
}

/* What an open process leaves out: "9 threads, 19 tracks". */
static void rest_text(const struct row *row, char *out, size_t size)
{
    size_t used = 0;
    if (row->threads) {
        int n = snprintf(out, size, "%u thread%s%s", row->threads, row->threads == 1 ? "" : "s",
                         row->others ? ", " : "");
        used = n > 0 && (size_t)n < size ? (size_t)n : 0;
    }
    if (row->others)
        snprintf(out + used, size - used, "%u track%s", row->others, row->others == 1 ? "" : "s");
}

/* Beside a counter of several lines: what its top and bottom stand for. */
static void draw_gutter_scale(struct cells *c, struct rect area, const struct scene *s,
                              const struct row *row, uint16_t role)
{
    const struct track_node *n = &s->tree->nodes.items[row->key.node];
    struct counter_look look = counter_look_resolve(s->tl, n->id, n->look);
    bool last = row->key.depth + 1 == look.lines, first = row->key.depth == 1;
    if (!last && !first)
        return;
    double *values = alloc_array((size_t)s->viewport.width, sizeof *values);
    struct counter_range range =
        counter_cells(s->tl, s->tree->axis_next, n->id, look, &s->viewport, values);
    char low[40], high[40], text[96];
    free(values);
    counter_print(s->tl, n->id, look, range.low, low, sizeof low);
    counter_print(s->tl, n->id, look, range.high, high, sizeof high);
    snprintf(text, sizeof text, "%s%s%s ", last ? low : "", first && last ? " .. " : "",
             first ? high : "");
    int width = (int)str_from(text).n;
    cells_put_text(c, area.x + (width < area.w ? area.w - width : 0), area.y, area.w,
                   str_from(text), role == ROLE_GUTTER ? ROLE_DIM : role, 0);
}

void draw_gutter(struct cells *c, struct rect area, const struct scene *s, const struct row *row,
                 bool at_cursor)
{
    const struct track_node *n = &s->tree->nodes.items[row->key.node];
    uint16_t role = at_cursor ? ROLE_CURSOR_ROW : gutter_role(s, row);
    if (at_cursor || role == ROLE_GUTTER_GROUP)
        cells_fill(c, area, ' ', role, 0);
    char text[64];
    switch (row->key.kind) {
    case ROW_HEAD:
        draw_gutter_head(c, area, s, row, role);
        break;
    case ROW_DEPTH:
        if (n->kind == NODE_TRACKS && n->count > 1)
            snprintf(text, sizeof text, "#%u %u ", row->key.track, row->key.depth);
        else
            snprintf(text, sizeof text, "%u ", row->key.depth);
        cells_put_text(c, area.x + area.w - (int)str_from(text).n, area.y, area.w, str_from(text),
                       role, 0);
        break;
    case ROW_ABOVE:
        cells_put_format(c, area.x + 4, area.y, area.w - 4, role, 0, "%u above", row->hidden);
        break;
    case ROW_DEEPER:
        cells_put_format(c, area.x + 4, area.y, area.w - 4, role, 0, "+%u deeper", row->hidden);
        break;
    case ROW_REST:
        cells_put(c, area.x + 1, area.y, U'▸', role, 0);
        rest_text(row, text, sizeof text);
        cells_put_text(c, area.x + 3, area.y, area.w - 3, str_from(text), role, 0);
        break;
    case ROW_BODY:
        draw_gutter_scale(c, area, s, row, role);
        break;
    case ROW_LINK:
        cells_put(c, area.x, area.y, U'»', role, 0);
        if (n->parent != NO_NODE) {
            const struct track_node *process = &s->tree->nodes.items[n->parent];
            text[0] = '\0'; /* CPUs have none */
            if (process->number >= 0)
                snprintf(text, sizeof text, "%" PRId64, process->number);
            int digits = (int)str_from(text).n;
            put_label(c, area.x + 2, area.y, area.w - 3 - digits, process, role);
            cells_put_text(c, area.x + area.w - digits, area.y, digits, str_from(text), role, 0);
        } else {
            put_label(c, area.x + 2, area.y, area.w - 2, n, role);
        }
        break;
    }
    if (at_cursor)
        cells_put(c, area.x, area.y, '>', role, CELL_BOLD);
}

/* Over what is blank. */
static void put_arrow(struct cells *c, const struct scene *s, int x, int64_t row, char32_t ch)
{
    const struct layout *l = &s->layout;
    int64_t y = row - s->top;
    if (y < 0 || y >= l->tracks_h || x < 0 || x >= l->track_w)
        return;
    struct cell *cell = cells_at(c, l->track_x + x, l->tracks_y + (int)y);
    if (cell && (cell->ch == ' ' || cell->ch == U'·' || cell->ch == '.'))
        cells_put(c, l->track_x + x, l->tracks_y + (int)y, ch, ROLE_ARROW, 0);
}

static int arrow_start(const struct scene *s, const struct link *link)
{
    return viewport_cell(&s->viewport, event_times(s->tl, s->tree, link->from).ts);
}

/* From the event under the cursor to a row that is elsewhere on the screen, above or below. */
static void draw_arrow_in_place(struct cells *c, const struct scene *s, const struct link *link,
                                int64_t cursor)
{
    struct row_id key = link->to.kind->place(s->tl, s->tree, link->to);
    key.place = PLACE_PINNED;
    int64_t row = rows_find(s->rows, s->tree, &key), step = row > cursor ? 1 : -1;
    int x = arrow_start(s, link);
    int to = viewport_cell(&s->viewport, event_times(s->tl, s->tree, link->to).ts);
    if (s->rows->v.items[row].key.node != link->node || row == cursor)
        return;
    for (int64_t k = cursor + step; k != row; k += step)
        put_arrow(c, s, x, k, U'│');
    int right = to > x ? 1 : -1, head = to - right;
    if (to == x) {
        put_arrow(c, s, x, row - step, link->incoming == (step > 0) ? U'▲' : U'▼');
        return;
    }
    put_arrow(c, s, x, row, step > 0 ? (right > 0 ? U'└' : U'┘') : (right > 0 ? U'┌' : U'┐'));
    for (int k = x + right; k != head && k >= 0 && k < s->layout.track_w && k != to; k += right)
        put_arrow(c, s, k, row, U'─');
    if (head != x)
        put_arrow(c, s, head, row, link->incoming == (right > 0) ? U'◀' : U'▶');
}

/* The lines from the event under the cursor to what is linked to it: down to the heading of a
 * linked thread, or to the row itself. */
static void draw_arrows(struct cells *c, const struct scene *s)
{
    uint32_t cursor = rows_find(s->rows, s->tree, &s->cursor.key);
    bool linked = s->cursor.key.place == PLACE_LINKED;
    for (uint32_t i = 0; i < s->rows->v.count; i++) {
        const struct row *r = &s->rows->v.items[i];
        if (r->key.kind != ROW_LINK)
            continue;
        for (uint32_t k = cursor + 1; k < i; k++)
            put_arrow(c, s, arrow_start(s, r->link), k, U'│');
    }
    for (int i = 0; i < s->link_count && !linked; i++)
        if (link_is_in_place(s->tree, &s->links[i]))
            draw_arrow_in_place(c, s, &s->links[i], cursor);
}

/* The area's ground under everything that has no ground of its own. */
static void draw_area_line(struct cells *c, const struct scene *s, int y, int from, int to)
{
    for (int x = from; x <= to; x++) {
        struct cell *cell = cells_at(c, s->layout.track_x + x, y);
        bool covered = role_is_slice(cell->role) && !(cell->attrs & CELL_SOLID);
        if (!covered && cell->role != ROLE_CURSOR && cell->role != ROLE_SELECTION)
            cell->ground = ROLE_AREA;
    }
}

/* On the ruler and the rows that it covers. */
static void draw_area(struct cells *c, const struct scene *s)
{
    const struct layout *l = &s->layout;
    if (!s->area.on)
        return;
    int from = viewport_cell(&s->viewport, s->area.from);
    int to = viewport_cell(&s->viewport, s->area.to - 1);
    from = from < 0 ? 0 : from;
    to = to >= l->track_w ? l->track_w - 1 : to;
    draw_area_line(c, s, l->ruler_y, from, to);
    for (int i = 0; i < l->tracks_h && s->top + (uint32_t)i < s->rows->v.count; i++)
        if (band_has(s->area.band, s->tree, s->rows->v.items[s->top + (uint32_t)i].key.node))
            draw_area_line(c, s, l->tracks_y + i, from, to);
}

/* Below the rows that there are, broken at blanks. */
static void draw_why_empty(struct cells *c, const struct scene *s)
{
    enum { TEXT_SIZE = 2048 };
    const struct layout *l = &s->layout;
    char text[TEXT_SIZE];
    empty_timeline_print(s->tl->trace, text, sizeof text);
    struct str rest = str_from(text);
    int y = l->tracks_y + (int)s->rows->v.count + 1, width = l->track_w - 2;
    for (; rest.n > 0 && y < l->details_y && width > 0; y++) {
        size_t line = str_find(rest, '\n'), end = line;
        if (end > (size_t)width) {
            for (end = (size_t)width; end > 0 && rest.p[end] != ' ';)
                end--;
            end = end > 0 ? end : (size_t)width;
        }
        cells_put_text(c, l->track_x + 1, y, width, str_from_to(rest, 0, end), ROLE_DEFAULT, 0);
        rest = str_skip(rest, end < rest.n ? end + (rest.p[end] == ' ' || end == line) : end);
    }
}

void draw_timeline(struct cells *c, const struct scene *s)
{
    const struct layout *l = &s->layout;
    draw_header(c, s);
    if (l->overview_y >= 0)
        draw_overview(c, s);
    draw_ruler(c, s);
    uint32_t cursor = rows_find(s->rows, s->tree, &s->cursor.key);
    for (int i = 0; i < l->tracks_h; i++) {
        uint32_t index = s->top + (uint32_t)i;
        int y = l->tracks_y + i;
        if (index < s->rows->v.count) {
            const struct row *row = &s->rows->v.items[index];
            struct rect gutter = {0, y, l->gutter, 1}, lane = {l->track_x, y, l->track_w, 1};
            struct rect clip = cells_clip(c, gutter);
            draw_gutter(c, gutter, s, row, index == cursor);
            cells_clip(c, lane);
            draw_track(c, lane, s, row);
            cells_clip(c, clip);
        }
        cells_put(c, l->gutter, y, U'│', ROLE_BORDER, 0);
    }
    if (s->is_empty)
        draw_why_empty(c, s);
    draw_arrows(c, s);
    draw_area(c, s);
}
