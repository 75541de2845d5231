/* Slices arranged for drawing: in rows that do not overlap, and flat, as the innermost at each
 * time. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/settled_args.h"
#include "text/time.h"
#include "sql/tables/catalog.h"
#include "sql/engine/family.h"
#include "base/poll_sort.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_builder.h"
#include "sql/engine/table_function.h"

struct row_numbers {
    VEC(uint32_t) v;
};

static int64_t end_of_slice(const struct table *t, uint32_t row, int64_t unfinished)
{
    int64_t ts = column_int(&t->columns[slice_col_ts], row), end;
    int64_t dur = column_int(&t->columns[slice_col_dur], row);
    return dur < 0 || __builtin_add_overflow(ts, dur, &end) ? unfinished : end;
}

static int compare_rows(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The slices of the tracks "1,2,3", in the order of the table, each once. */
static struct status slices_of_tracks(const struct sql_session *s, struct sql_table *slices,
                                      const char *tracks, struct row_numbers *out)
{
    const struct sql_index *index = sql_table_index(slices, slice_col_track_id);
    if (!index)
        return interrupted();
    while (*tracks) {
        char *end;
        long long id = strtoll(tracks, &end, 10);
        if (end == tracks)
            return status_error(STATUS_SQL,
                                "experimental_slice_layout: '%s': expected track ids as in '1,2,3'",
                                tracks);
        struct index_rows rows = sql_index_find(index, key_of_int(id));
        for (uint32_t i = 0; i < rows.count; i++)
            *vec_push(&out->v) = rows.items[i];
        tracks = end + strspn(end, ", ");
    }
    if (!poll_sort(&s->cancel, out->v.items, out->v.count, sizeof *out->v.items, compare_rows))
        return interrupted();
    size_t n = 0;
    for (size_t i = 0; i < out->v.count; i++)
        if (n == 0 || out->v.items[n - 1] != out->v.items[i])
            out->v.items[n++] = out->v.items[i];
    out->v.count = n;
    return status_ok_value();
}

/* A slice with all inside it; they keep their places to each other. */
struct block {
    int64_t start, end;
    uint32_t height; /* rows */
    uint32_t at;     /* the first of them */
    uint32_t order;
};

struct block_layout {
    struct row_numbers slices;
    uint32_t *block_of; /* of each of slices */
    VEC(struct block) blocks;
};

static void make_blocks(const struct table *t, struct block_layout *l)
{
    const uint32_t *parent = table_u32(t, slice_col_parent_id);
    const uint32_t *depth = table_u32(t, slice_col_depth);
    struct map block_of_row = {0};
    l->block_of = alloc_array(l->slices.v.count + 1, sizeof *l->block_of);
    for (size_t i = 0; i < l->slices.v.count; i++) {
        uint32_t row = l->slices.v.items[i];
        int64_t ts = column_int(&t->columns[slice_col_ts], row);
        int64_t end = end_of_slice(t, row, INT64_MAX);
        const uint32_t *above = map_find(&block_of_row, parent[row]);
        uint32_t number = above ? *above : (uint32_t)l->blocks.count;
        if (!above)
            *vec_push(&l->blocks) = (struct block){ts, end, 0, 0, number};
        struct block *b = &l->blocks.items[number];
        b->end = end > b->end ? end : b->end;
        b->height = depth[row] + 1 > b->height ? depth[row] + 1 : b->height;
        l->block_of[i] = number;
        map_set(&block_of_row, row, number);
    }
    map_release(&block_of_row);
}

static int compare_starts(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int compare_orders(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* The lowest place where a block touches none of those that are still open, which stand in the
 * order of their places. */
static size_t find_place(const struct block *blocks, const uint32_t *open, size_t count,
                         struct block *b)
{
    size_t i = 0;
    b->at = 0;
    while (i < count && blocks[open[i]].at < b->at + b->height) {
        b->at = blocks[open[i]].at + blocks[open[i]].height;
        i++;
    }
    return i;
}

static struct status place_blocks(const struct sql_session *s, struct block_layout *l)
{
    struct block *blocks = l->blocks.items;
    size_t n = l->blocks.count, count = 0;
    uint32_t *open = alloc_array(n + 1, sizeof *open);
    struct status status = status_ok_value();
    if (!poll_sort(&s->cancel, blocks, n, sizeof *blocks, compare_starts))
        status = interrupted();
    for (size_t i = 0; i < n && status_ok(status); i++) {
        size_t kept = 0;
        for (size_t k = 0; k < count; k++)
            if (blocks[open[k]].end > blocks[i].start)
                open[kept++] = open[k];
        size_t place = find_place(blocks, open, kept, &blocks[i]);
        memmove(open + place + 1, open + place, (kept - place) * sizeof *open);
        open[place] = (uint32_t)i;
        count = kept + 1;
        if ((i & 0xff) == 0 && atomic_load(&s->cancel))
            status = interrupted();
    }
    free(open);
    if (status_ok(status) && !poll_sort(&s->cancel, blocks, n, sizeof *blocks, compare_orders))
        status = interrupted();
    return status;
}

/* experimental_slice_layout('1,2,3') */
static struct status fill_layout(struct sql_session *session, sqlite3_value **argv,
                                 struct table_builder *out)
{
    struct sql_table *slices = catalog_find(&session->catalog, "__intrinsic_slice");
    const uint32_t *depth = table_u32(slices->table, slice_col_depth);
    const char *tracks = (const char *)sqlite3_value_text(argv[0]);
    struct block_layout l = {0};
    struct status status = slices_of_tracks(session, slices, tracks ? tracks : "", &l.slices);
    if (status_ok(status)) {
        make_blocks(slices->table, &l);
        status = place_blocks(session, &l);
    }
    for (size_t i = 0; status_ok(status) && i < l.slices.v.count; i++) {
        uint32_t row = l.slices.v.items[i];
        table_builder_row(out, cell_int(row),
                          cell_int(l.blocks.items[l.block_of[i]].at + (int64_t)depth[row]));
    }
    vec_release(&l.slices.v);
    vec_release(&l.blocks);
    free(l.block_of);
    return status;
}

/* A stretch of a track in which one slice is the innermost; NULL_U32: none. */
struct stretch {
    int64_t ts, end;
    uint32_t slice, track;
};

struct flattening {
    const struct table *slices;
    int64_t start, end; /* of the window */
    int64_t now;        /* up to where the track is done */
    uint32_t track;
    VEC(uint32_t) open; /* the track's slices around `now`, innermost last */
    VEC(struct stretch) out;
};

static void advance(struct flattening *f, int64_t to)
{
    uint32_t slice = f->open.count ? vec_last(&f->open) : NULL_U32;
    to = to < f->end ? to : f->end;
    if (to <= f->now)
        return;
    *vec_push(&f->out) = (struct stretch){f->now, to, slice, f->track};
    f->now = to;
}

static void close_slices(struct flattening *f, int64_t before)
{
    while (f->open.count > 0 && end_of_slice(f->slices, vec_last(&f->open), f->end) <= before) {
        advance(f, end_of_slice(f->slices, vec_last(&f->open), f->end));
        f->open.count--;
    }
}

/* Instants take no time and count for nothing; a track shows where one of its slices meets the
 * window. */
static void flatten_track(struct flattening *f, struct index_rows rows)
{
    bool met = false;
    f->now = f->start;
    f->open.count = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
        uint32_t row = rows.items[i];
        int64_t ts = column_int(&f->slices->columns[slice_col_ts], row);
        int64_t end = end_of_slice(f->slices, row, f->end);
        if (end <= ts || end <= f->start || ts >= f->end)
            continue;
        met = true;
        close_slices(f, ts);
        advance(f, ts);
        *vec_push(&f->open) = row;
    }
    if (!met)
        return;
    close_slices(f, f->end);
    while (f->open.count > 0) {
        advance(f, end_of_slice(f->slices, vec_last(&f->open), f->end));
        f->open.count--;
    }
    advance(f, f->end);
}

static int compare_stretches(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return (x->track > y->track) - (x->track < y->track);
}

static struct table_cell slice_cell(const struct table *t, uint32_t column, uint32_t row)
{
    return row == NULL_U32 ? CELL_NULL : cell_of(&t->columns[column], row);
}

/* experimental_flat_slice(start, end) */
static struct status fill_flat(struct sql_session *session, sqlite3_value **argv,
                               struct table_builder *out)
{
    struct sql_table *slices = catalog_find(&session->catalog, "__intrinsic_slice");
    struct sql_table *tracks = catalog_find(&session->catalog, "__intrinsic_track");
    const struct sql_index *index = sql_table_index(slices, slice_col_track_id);
    struct flattening f = {.slices = slices->table,
                           .start = sqlite3_value_int64(argv[0]),
                           .end = sqlite3_value_int64(argv[1])};
    struct status status = index ? status_ok_value() : interrupted();
    if (status_ok(status) && !settled_args_ready(session->trace))
        status = status_error(STATUS_SQL, "experimental_flat_slice: %s", settled_args_lost);
    for (uint32_t track = 0; status_ok(status) && track < tracks->table->rows; track++) {
        f.track = track;
        flatten_track(&f, sql_index_find(index, key_of_int(track)));
        if (atomic_load(&session->cancel))
            status = interrupted();
    }
    if (status_ok(status) && !poll_sort(&session->cancel, f.out.items, f.out.count,
                                        sizeof *f.out.items, compare_stretches))
        status = interrupted();
    for (size_t i = 0; status_ok(status) && i < f.out.count; i++) {
        const struct stretch *s = &f.out.items[i];
        table_builder_row(out, cell_int(s->ts), cell_int(time_minus(s->end, s->ts)),
                          cell_int(s->track), slice_cell(f.slices, slice_col_category, s->slice),
                          slice_cell(f.slices, slice_col_name, s->slice),
                          slice_cell(f.slices, slice_col_arg_set_id, s->slice), cell_id(s->slice));
    }
    vec_release(&f.open);
    vec_release(&f.out);
    return status;
}

static const struct table_function table_functions[] = {
    {.name = "experimental_slice_layout",
     .columns = "id LONG, layout_depth LONG",
     .parameters = "filter_track_ids",
     .fill = fill_layout},
    {.name = "experimental_flat_slice",
     .columns = "ts LONG, dur LONG, track_id LONG, category STRING, name STRING, arg_set_id LONG, "
                "source_id LONG",
     .parameters = "start_bound, end_bound",
     .fill = fill_flat},
    {0},
};

const struct sql_family slice_functions_family = {.table_functions = table_functions};
