#include "tui/view/at_time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "text/time_format.h"
#include "tui/view/events.h"

struct printer {
    FILE *out;
    const struct timeline *tl;
    struct track_tree *tree;
    struct viewport window;
    int64_t ts;
    bool *named; /* by node: its line is written */
    bool any;
    uint32_t asleep, still;
};

static int level_of(const struct track_tree *t, uint32_t node)
{
    int level = 0;
    while ((node = t->nodes.items[node].parent) != NO_NODE)
        level++;
    return level;
}

/* What the trace calls it, on one line. */
static void print_name(const struct printer *p, int level, const char *name)
{
    char *escaped = text_escape(str_from(name));
    fprintf(p->out, "%*s%s", level * 2, "", escaped);
    free(escaped);
}

static void print_label(const struct printer *p, uint32_t node, const char *behind)
{
    const struct track_node *n = &p->tree->nodes.items[node];
    char number[32];
    print_name(p, level_of(p->tree, node), n->label);
    snprintf(number, sizeof number, " %" PRId64, n->number);
    if (n->number >= 0 && !strstr(n->label, number)) /* "thread 7" */
        fputs(number, p->out);
    if (track_tree_is_main_thread(p->tree, p->tl, n))
        fputs(", main thread", p->out);
    fprintf(p->out, "%s\n", behind);
}

/* Once, below what it stands in. */
static void name_node(struct printer *p, uint32_t node)
{
    while (!p->named[node]) {
        uint32_t top = node;
        for (uint32_t up; (up = p->tree->nodes.items[top].parent) != NO_NODE && !p->named[up];)
            top = up;
        p->named[top] = p->any = true;
        print_label(p, top, "");
    }
}

/* "    traversal  11.652 ms from 612.966 ms" */
static void print_event(struct printer *p, uint32_t node, struct event_ref e)
{
    struct event_span span = event_times(p->tl, p->tree, e);
    char name[256], dur[40], from[40];
    name_node(p, node);
    event_name(p->tl, p->tree, e, name, sizeof name);
    format_ms_unit(from, sizeof from, span.ts - p->tl->start);
    print_name(p, level_of(p->tree, node) + 1, name);
    if (span.end > span.ts) {
        format_dur_short(dur, sizeof dur, span.end - span.ts);
        fprintf(p->out, "  %s from %s\n", dur, from);
    } else {
        fprintf(p->out, "  at %s\n", from);
    }
}

/* What a row of that key would show, unfolded. */
static struct event_ref event_on(const struct printer *p, struct row_id key)
{
    return row_event_at(p->tl, p->tree, &(struct row){.key = key, .open = true}, p->ts);
}

/* Of what are mostly instants, the first that begins in the cell does as well. */
static struct event_ref cell_event(const struct printer *p, uint32_t node, uint32_t debug,
                                   uint32_t lane)
{
    const struct debug_track *d = p->tree->debug.items[debug];
    const struct lanes *l = &d->lanes;
    struct event_ref e =
        event_on(p, (struct row_id){.node = node, .kind = ROW_DEPTH, .depth = lane});
    int cell = viewport_cell(&p->window, p->ts);
    uint32_t first = lane_lower_bound(l, lane, viewport_time(&p->window, cell));
    bool inside =
        first < l->starts[lane + 1] && lanes_ts(l, first) < viewport_time(&p->window, cell + 1);
    return e.kind || !inside ? e : (struct event_ref){d->kind, lanes_row(l, first), debug};
}

/* From the outermost slice down. Returns whether there was one. */
static bool print_stack(struct printer *p, uint32_t node, uint32_t track)
{
    uint32_t depths = timeline_track_depths(p->tl, track), found = 0;
    for (uint32_t d = 0; d < depths; d++) {
        struct event_ref e =
            event_on(p,
                     (struct row_id){.node = node, .kind = ROW_DEPTH, .track = track, .depth = d});
        if (e.kind)
            print_event(p, node, e);
        found += e.kind != NULL;
    }
    return found > 0;
}

static bool is_at_rest(const struct printer *p, struct event_ref state)
{
    enum thread_mode mode = state.kind ? timeline_mode(p->tl, state.row) : MODE_ENDED;
    return mode == MODE_SLEEPING || mode == MODE_ENDED || mode == MODE_OTHER;
}

static void print_thread(struct printer *p, uint32_t node, uint32_t utid)
{
    struct event_ref state = event_on(p, (struct row_id){.node = node});
    uint32_t track = p->tl->threads[utid].track;
    bool sliced = track != NULL_U32 && timeline_innermost(p->tl, utid, p->ts) != NULL_U32;
    if (is_at_rest(p, state) && !sliced) {
        p->asleep += state.kind != NULL;
        return;
    }
    if (state.kind)
        print_event(p, node, state);
    if (sliced)
        print_stack(p, node, track);
}

/* The value in force, where there was a step in the window: "  cpufreq: 1.803 GHz". */
static void print_steps(struct printer *p, uint32_t node, const struct steps *st, uint32_t lane)
{
    const struct track_node *n = &p->tree->nodes.items[node];
    struct counter_look look = {0};
    char text[60] = ": ";
    bool moves = steps_lower_bound(st, lane, viewport_end(&p->window)) >
                 steps_lower_bound(st, lane, p->window.start);
    p->still += !moves;
    if (!moves || steps_at(st, lane, p->ts) == NO_POSITION)
        return;
    if (n->kind == NODE_COUNTER) {
        look = counter_look_resolve(p->tl, lane, n->look);
        counter_print(p->tl, lane, look, counter_at(p->tl, lane, look, p->ts), text + 2,
                      sizeof text - 2);
    } else {
        format_value(text + 2, sizeof text - 2, steps_value(st, steps_at(st, lane, p->ts)));
    }
    if (n->parent != NO_NODE)
        name_node(p, n->parent);
    print_label(p, node, text);
    p->any = true;
}

static void print_own(struct printer *p, uint32_t node, uint32_t debug)
{
    const struct debug_track *d = p->tree->debug.items[debug];
    if (!d->kind->lanes) {
        print_steps(p, node, &d->steps, 0);
        return;
    }
    for (uint32_t lane = 0; lane < d->lanes.lane_count; lane++) {
        struct event_ref e = cell_event(p, node, debug, lane);
        if (e.kind)
            print_event(p, node, e);
    }
}

static void print_cpu(struct printer *p, uint32_t node, uint32_t ucpu)
{
    struct event_ref e = event_on(p, (struct row_id){.node = node});
    if (e.kind && timeline_busy(p->tl, ucpu, p->ts, p->ts + 1) > 0) {
        print_event(p, node, e);
    } else if (e.kind) {
        name_node(p, node);
        fprintf(p->out, "%*sidle\n", level_of(p->tree, node) * 2 + 2, "");
    }
}

static void print_node(struct printer *p, uint32_t node)
{
    const struct track_node *n = &p->tree->nodes.items[node];
    switch (n->kind) {
    case NODE_CPU:
        print_cpu(p, node, n->id);
        break;
    case NODE_THREAD:
        print_thread(p, node, n->id);
        break;
    case NODE_COUNTER:
        print_steps(p, node, &p->tl->counters, n->id);
        break;
    case NODE_TRACKS:
        for (uint32_t i = 0; i < n->count; i++)
            print_stack(p, node, p->tree->tracks.items[n->first + i]);
        break;
    case NODE_DEBUG:
        print_own(p, node, n->id);
        break;
    case NODE_CPUS:
    case NODE_GROUP:
    case NODE_PROCESS:
    case NODE_COUNTERS:
        break;
    }
}

static uint32_t next_node(const struct track_tree *t, uint32_t node)
{
    if (t->nodes.items[node].first_child != NO_NODE)
        return t->nodes.items[node].first_child;
    while (node != NO_NODE && t->nodes.items[node].next == NO_NODE)
        node = t->nodes.items[node].parent;
    return node == NO_NODE ? NO_NODE : t->nodes.items[node].next;
}

void at_time_print(FILE *out, const struct timeline *tl, struct track_tree *tree,
                   const struct viewport *window, int64_t ts)
{
    struct printer p = {.out = out, .tl = tl, .tree = tree, .window = *window, .ts = ts};
    char at[60];
    for (size_t i = 0; i < tree->debug.count; i++)
        if (tree->debug.items[i]->waiting)
            tree->debug.items[i]->kind->load_tracks(tree, tl);
    p.named = alloc_array(tree->nodes.count, sizeof *p.named);
    format_exact(at, sizeof at, ts - tl->start);
    fprintf(out, "at %s\n", at);
    for (size_t i = 0; i < tree->pinned.count; i++)
        print_node(&p, tree->pinned.items[i]);
    for (uint32_t node = tree->first_root; node != NO_NODE; node = next_node(tree, node))
        if (!tree->nodes.items[node].pinned)
            print_node(&p, node);
    if (!p.any)
        fputs("nothing\n", out);
    if (p.asleep > 0)
        fprintf(out, "%u thread%s at rest\n", p.asleep, p.asleep == 1 ? "" : "s");
    if (p.still > 0)
        fprintf(out, "%u counter%s without a step in the window\n", p.still,
                p.still == 1 ? "" : "s");
    free(p.named);
}
