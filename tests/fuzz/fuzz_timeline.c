/* A timeline as it comes from a file that is not checked yet: any value in what is as large as the
 * tables, of the indexes and of the tables themselves, is whatever the input says. It is drawn at
 * some zooms, and everything is asked that keys ask of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace/stored_columns.h"
#include "core/trace_builder.h"
#include "fuzz.h"
#include "parsers/load.h"
#include "tui/view/details.h"
#include "tui/view/events.h"
#include "tui/view/scene.h"

enum { WIDTH = 90, HEIGHT = 40, AREAS_MAX = 128, ROUNDS = 60 };

/* Memory whose bytes may be anything. */
struct area_of_memory {
    void *bytes;
    size_t size;
};

static struct {
    struct trace trace;
    struct timeline tl;
    struct track_tree tree;
    struct area_of_memory areas[AREAS_MAX];
    size_t area_count;
    bool made;
} base;

static void add_area(void *bytes, uint64_t count, size_t size)
{
    if (bytes && count > 0 && base.area_count < AREAS_MAX)
        base.areas[base.area_count++] = (struct area_of_memory){bytes, count * size};
}

static void add_lanes(struct lanes *l)
{
    uint32_t blocks = l->count;
    add_area(l->rows, l->count, sizeof *l->rows);
    for (uint32_t i = 0; i < l->levels; i++) {
        blocks = (blocks + LANES_FANOUT - 1) / LANES_FANOUT;
        add_area(l->best[i], blocks, sizeof *l->best[i]);
    }
}

static void add_table(struct table *t)
{
    for (uint32_t i = 0; i < t->def->column_count; i++) {
        const struct column *c = &t->columns[i];
        bool small = c->def->type == COLUMN_TYPE_SMALL;
        add_area(c->data, t->rows, small ? c->width : column_value_size(c->def->type));
    }
}

static void add_areas(void)
{
    struct timeline *tl = &base.tl;
    struct tables *t = &base.trace.tables;
    add_lanes(&tl->slices);
    add_lanes(&tl->states);
    add_lanes(&tl->sched);
    add_area(tl->counters.rows, tl->counters.count, sizeof *tl->counters.rows);
    add_area(tl->slice_dur, t->slice.rows, sizeof *tl->slice_dur);
    add_area(tl->running, tl->states.count, sizeof *tl->running);
    add_area(tl->busy, tl->sched.count, sizeof *tl->busy);
    add_table(&t->slice);
    add_table(&t->thread_state);
    add_table(&t->sched_slice);
    add_table(&t->counter);
}

/* Two threads that take turns, with slices, counters and wakeups. */
static char *make_text(size_t *size)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    if (!f)
        abort();
    fputs("# tracer: nop\n", f);
    for (int i = 0; i < ROUNDS; i++) {
        int a = 100 + i % 2 * 100, b = 300 - a, us = 1000 + i * 100;
        fprintf(f,
                "  app-%d ( 100) [00%d] d..3 10.%06d: sched_switch: prev_comm=app prev_pid=%d "
                "prev_prio=120 prev_state=S ==> next_comm=other next_pid=%d next_prio=100\n",
                b, i % 3 == 0, us, b, a);
        fprintf(f, "  app-%d ( 100) [001] .... 10.%06d: tracing_mark_write: B|100|outer\n", a,
                us + 5);
        fprintf(f, "  app-%d ( 100) [001] .... 10.%06d: tracing_mark_write: B|100|inner%d\n", a,
                us + 9, i % 5);
        fprintf(f,
                "  app-%d ( 100) [001] d..3 10.%06d: sched_waking: comm=app pid=%d prio=120 "
                "target_cpu=001\n",
                a, us + 20, b);
        fprintf(f, "  app-%d ( 100) [001] .... 10.%06d: cpu_frequency: state=%d cpu_id=1\n", a,
                us + 25, i * 7 % 1000);
        fprintf(f, "  app-%d ( 100) [001] .... 10.%06d: tracing_mark_write: C|100|count|%d\n", a,
                us + 30, i);
        for (int k = 0; k < 2 - (i % 7 == 0); k++)
            fprintf(f, "  app-%d ( 100) [001] .... 10.%06d: tracing_mark_write: E|100\n", a,
                    us + 40 + k);
    }
    fclose(f);
    return text;
}

static void make_base(void)
{
    size_t size;
    char *text = make_text(&size);
    trace_init(&base.trace);
    struct status s = trace_load_memory(&base.trace, "base", (const uint8_t *)text, size, NULL);
    free(text);
    if (!status_ok(s) || base.trace.tables.slice.rows < ROUNDS)
        abort();
    timeline_init(&base.tl, &base.trace);
    struct row_list names = timeline_named(&base.tl); /* sorted while all is sound */
    if (names.count == 0)
        abort();
    track_tree_init(&base.tree, &base.tl);
    for (size_t i = 0; i < base.tree.nodes.count; i++)
        base.tree.nodes.items[i].fold = FOLD_ALL;
    add_areas();
    base.made = true;
}

static void ask_row(const struct scene *s, const struct row *row, int64_t ts)
{
    char name[64];
    struct details d;
    struct event_ref e = row_event_at(s->tl, s->tree, row, ts);
    row_event_in(s->tl, s->tree, row, ts, ts + s->viewport.dur / 7 + 1);
    row_gap_at(s->tl, s->tree, row, ts);
    for (int direction = -1; direction <= 1; direction += 2) {
        struct event_ref next = row_event_step(s->tl, s->tree, row, e, ts, direction);
        event_times(s->tl, s->tree, next);
        event_name(s->tl, s->tree, next, name, sizeof name);
    }
    if (e.kind && e.kind->place)
        e.kind->place(s->tl, s->tree, e);
    struct details_input in = {.tl = s->tl,
                               .tree = s->tree,
                               .row = row,
                               .cursor = {.key = row->key, .ts = ts, .event = e},
                               .viewport = s->viewport,
                               .width = 130};
    details_init(&d);
    details_make(&d, &in, &event_tab);
    details_make(&d, &in, &chain_tab);
    details_make(&d, &in, &same_name_tab);
    details_release(&d);
}

static void look(int64_t start, int64_t dur)
{
    struct layout layout = layout_make(WIDTH, HEIGHT, 0, 0);
    struct rows rows = {0};
    struct cells cells;
    struct shown_spans shown = {0};
    struct overview overview = {0};
    struct link links[LINKS_MAX];
    struct scene s = {.tl = &base.tl,
                      .tree = &base.tree,
                      .layout = layout,
                      .viewport = {start, dur, layout.track_w},
                      .rows = &rows,
                      .shown = &shown,
                      .overview = &overview,
                      .links = links,
                      .title = STR("trace")};
    struct rows_input in = {.tl = s.tl, .tree = s.tree, .viewport = s.viewport, .height = HEIGHT};
    in.cursor = (struct row_id){.node = base.tree.first_root};
    rows_build(&rows, &in);
    cells_init(&cells, WIDTH, HEIGHT);
    draw_timeline(&cells, &s);
    for (size_t i = 0; i < rows.v.count; i++)
        ask_row(&s, &rows.v.items[i], start + dur / 3);
    links_find(s.tl, s.tree, (struct event_ref){.kind = &slice_events, .row = 0}, links);
    cells_release(&cells);
    rows_release(&rows);
    shown_spans_release(&shown);
    vec_release(&overview.shares);
}

/* Changes four bytes; what they were. */
static uint32_t poke(uint32_t place, uint32_t value)
{
    const struct area_of_memory *m = &base.areas[place % base.area_count];
    size_t at = place / base.area_count % (m->size / 4) * 4;
    uint32_t old;
    memcpy(&old, (char *)m->bytes + at, 4);
    memcpy((char *)m->bytes + at, &value, 4);
    return old;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { RECORD = 8, RECORDS_MAX = 256 };
    uint32_t places[RECORDS_MAX], olds[RECORDS_MAX];
    size_t count = 0;
    if (!base.made)
        make_base();
    for (; size >= RECORD && count < RECORDS_MAX; data += RECORD, size -= RECORD, count++) {
        uint32_t value;
        memcpy(&places[count], data, 4);
        memcpy(&value, data + 4, 4);
        olds[count] = poke(places[count], value);
    }
    int64_t all = base.tl.end - base.tl.start;
    look(base.tl.start, all);
    look(base.tl.start + all / 3, all / 9);
    while (count-- > 0)
        poke(places[count], olds[count]);
    return 0;
}
