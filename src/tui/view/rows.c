#include "tui/view/rows.h"

#include "core/store/table.h"

struct maker {
    struct rows *rows;
    const struct rows_input *in;
    uint32_t depths; /* rows of one stack at most */
};

static struct row *push(struct maker *m, uint32_t node, enum row_kind kind, enum row_place place,
                        int indent)
{
    struct row *r = vec_push(&m->rows->v);
    *r = (struct row){.key = {.node = node, .kind = kind, .place = place}, .indent = indent};
    return r;
}

static bool is_pinned_below(const struct track_tree *tree, uint32_t node)
{
    for (; node != NO_NODE; node = tree->nodes.items[node].parent)
        if (tree->nodes.items[node].pinned)
            return true;
    return false;
}

bool rows_node_is_open(const struct track_tree *tree, uint32_t node, const struct row_id *cursor)
{
    const struct track_node *n = &tree->nodes.items[node];
    if (cursor->place == PLACE_PINNED && n->fold == FOLD_AUTO && !is_pinned_below(tree, node))
        return false; /* what is pinned does not open the process it was taken from */
    if (n->fold == FOLD_OPEN || n->fold == FOLD_ALL)
        return true;
    return n->fold == FOLD_AUTO && cursor->node != NO_NODE && cursor->place != PLACE_LINKED &&
           track_tree_is_within(tree, cursor->node, node) &&
           (cursor->node != node || n->kind == NODE_THREAD);
}

/* What has no event in the window is left out where the user wants that. */
static bool has_events(const struct maker *m, uint32_t node)
{
    const struct timeline *tl = m->in->tl;
    const struct track_tree *t = m->in->tree;
    const struct track_node *n = &t->nodes.items[node];
    int64_t t0 = m->in->viewport.start, t1 = viewport_end(&m->in->viewport);
    uint32_t track;
    switch (n->kind) {
    case NODE_THREAD:
        track = tl->threads[n->id].track;
        return timeline_running(tl, n->id, t0, t1) > 0 ||
               (track != NULL_U32 && lane_count_in(&tl->slices, tl->slice_base[track], t0, t1) > 0);
    case NODE_TRACKS:
        for (uint32_t i = 0; i < n->count; i++) {
            track = t->tracks.items[n->first + i];
            if (lane_count_in(&tl->slices, tl->slice_base[track], t0, t1) > 0)
                return true;
        }
        return false;
    case NODE_COUNTER:
        return steps_lower_bound(&tl->counters, n->id, t1) >
               steps_lower_bound(&tl->counters, n->id, t0);
    case NODE_PROCESS:
        for (uint32_t c = n->first_child; c != NO_NODE; c = t->nodes.items[c].next)
            if (t->nodes.items[c].kind == NODE_THREAD &&
                timeline_running(tl, t->nodes.items[c].id, t0, t1) > 0)
                return true;
        return n->first_child == NO_NODE;
    case NODE_CPUS:
    case NODE_CPU:
    case NODE_GROUP:
    case NODE_COUNTERS:
    case NODE_DEBUG:
        break;
    }
    return true;
}

static bool is_shown(const struct maker *m, uint32_t node)
{
    const struct track_tree *t = m->in->tree;
    const struct track_node *n = &t->nodes.items[node];
    if (n->pinned)
        return false; /* it stands at the top */
    if (track_tree_is_within(t, m->in->cursor.node, node))
        return true;
    if (n->hidden || n->filtered || (n->empty && !t->show_empty))
        return false;
    return !t->only_active || has_events(m, node);
}

/* Which depths of a track are shown. */
struct depth_rows {
    struct row_id track; /* node, place and track */
    uint32_t from;       /* the first depth */
    uint32_t wanted;     /* is shown in any case; NULL_U32: none */
    uint32_t max;        /* so many at most, around `wanted` */
    int indent;
};

/* A row for each depth below `last`, from `begin` on if not all have room. */
static void push_depths_below(struct maker *m, const struct depth_rows *w, uint32_t begin,
                              uint32_t last)
{
    const struct row_id *track = &w->track;
    uint32_t first = w->from;
    if (last - first > w->max) {
        bool wanted = w->wanted != NULL_U32;
        if (!wanted || w->wanted >= begin)
            first = begin < last - w->max ? begin : last - w->max;
        if (wanted && w->wanted >= first + w->max)
            first = w->wanted + 2 < last ? w->wanted + 2 - w->max : last - w->max;
    }
    if (first > w->from)
        push(m, track->node, ROW_ABOVE, track->place, w->indent)->hidden = first - w->from;
    uint32_t end = last - first > w->max ? first + w->max : last;
    for (uint32_t d = first; d < end; d++) {
        struct row *r = push(m, track->node, ROW_DEPTH, track->place, w->indent);
        r->key.track = track->track;
        r->key.depth = d;
    }
    if (end < last)
        push(m, track->node, ROW_DEEPER, track->place, w->indent)->hidden = last - end;
}

/* Those that occur in the window. Of calls that are all there is at their depths in the trace, as
 * at a program's entry, the innermost tells most, as it calls several; what is linked begins with
 * what the link leads to. */
static void push_depths(struct maker *m, const struct depth_rows *w)
{
    const struct timeline *tl = m->in->tl;
    uint32_t track = w->track.track, depths = timeline_track_depths(tl, track), last = w->from;
    uint32_t trunk = w->from;
    int64_t t0 = m->in->viewport.start, t1 = viewport_end(&m->in->viewport);
    for (uint32_t d = w->from; d < depths; d++) {
        uint32_t lane = tl->slice_base[track] + d;
        if (d == w->wanted || lane_count_in(&tl->slices, lane, t0, t1) > 0)
            last = d + 1;
        trunk += d == trunk && lane_size(&tl->slices, lane) == 1;
    }
    bool has_trunk = trunk > w->from && trunk < last && w->track.place != PLACE_LINKED;
    push_depths_below(m, w, has_trunk ? trunk - 1 : w->from, last);
}

static uint32_t cursor_depth(const struct maker *m, uint32_t node, uint32_t track)
{
    const struct row_id *c = &m->in->cursor;
    return c->node == node && c->kind == ROW_DEPTH && c->track == track ? c->depth : NULL_U32;
}

static struct row_id linked_track(const struct link *link, uint32_t track)
{
    return (struct row_id){.node = link->node, .place = PLACE_LINKED, .track = track};
}

/* All slices around what a thread did at a time. */
static void push_depths_at(struct maker *m, const struct link *link, int64_t ts, int indent)
{
    const struct timeline *tl = m->in->tl;
    uint32_t slice = timeline_innermost(tl, m->in->tree->nodes.items[link->node].id, ts);
    if (slice == NULL_U32)
        return;
    push_depths(m, &(struct depth_rows){.track = linked_track(link, slice_u32(tl, slice,
                                                                              slice_col_track_id)),
                                        .wanted = slice_u32(tl, slice, slice_col_depth),
                                        .max = ROWS_LINKED_DEPTHS,
                                        .indent = indent});
}

/* Of slices those from the linked one down, of a debug track its lane. */
static void push_linked_depths(struct maker *m, const struct link *link, int indent)
{
    const struct timeline *tl = m->in->tl;
    if (link->to.kind == &slice_events) {
        push_depths(m,
                    &(struct depth_rows){.track = linked_track(link, slice_u32(tl, link->to.row,
                                                                               slice_col_track_id)),
                                         .from = slice_u32(tl, link->to.row, slice_col_depth),
                                         .wanted = NULL_U32,
                                         .max = ROWS_LINKED_DEPTHS,
                                         .indent = indent});
        return;
    }
    if (link->to.kind == &state_events) {
        const struct table *states = &tl->trace->tables.thread_state;
        push_depths_at(m, link, table_i64(states, thread_state_col_ts)[link->from.row], indent);
        return;
    }
    uint32_t lane = link->to.kind->lane(tl, m->in->tree, link->to);
    if (lane > 0)
        push(m, link->node, ROW_DEPTH, PLACE_LINKED, indent)->key.depth = lane;
}

static void push_links(struct maker *m, int indent)
{
    for (int i = 0; i < m->in->link_count; i++) {
        const struct link *link = &m->in->links[i];
        size_t from = m->rows->v.count;
        const struct track_node *n = &m->in->tree->nodes.items[link->node];
        if (n->hidden || link_is_in_place(m->in->tree, link))
            continue;
        if (link->level == 0)
            push(m, link->node, ROW_LINK, PLACE_LINKED, 0);
        struct row *head = push(m, link->node, ROW_HEAD, PLACE_LINKED, indent);
        bool interrupt = link->kind == LINK_INTERRUPT && link->to.kind == &slice_events;
        head->open = link->level == 0 && !interrupt; /* that is the head itself */
        if (head->open)
            push_linked_depths(m, link, indent);
        for (size_t k = from; k < m->rows->v.count; k++)
            m->rows->v.items[k].link = link;
    }
}

/* How many depths of a thread's stack are shown. */
static uint32_t most_depths(const struct maker *m, const struct track_node *n)
{
    if (n->fold == FOLD_ALL)
        return UINT32_MAX;
    bool part = n->shown > 1 && n->shown < ROWS_DEPTHS;
    return part ? m->depths - ROWS_DEPTHS + n->shown : m->depths;
}

static void push_thread(struct maker *m, uint32_t node, enum row_place place, int indent)
{
    const struct rows_input *in = m->in;
    uint32_t utid = in->tree->nodes.items[node].id, track = in->tl->threads[utid].track;
    struct row *head = push(m, node, ROW_HEAD, place, indent);
    head->foldable = true;
    head->open = rows_node_is_open(in->tree, node, &in->cursor);
    if (head->open && track != NULL_U32)
        push_depths(m, &(struct depth_rows){.track = {.node = node, .place = place, .track = track},
                                            .wanted = cursor_depth(m, node, track),
                                            .max = most_depths(m, &in->tree->nodes.items[node]),
                                            .indent = indent});
}

static void push_tracks(struct maker *m, uint32_t node, enum row_place place, int indent)
{
    const struct track_tree *t = m->in->tree;
    const struct track_node *n = &t->nodes.items[node];
    struct row *head = push(m, node, ROW_HEAD, place, indent);
    uint32_t first_track = t->tracks.items[n->first];
    head->foldable = n->count > 1 || timeline_track_depths(m->in->tl, first_track) > 1;
    head->open = head->foldable && (n->fold == FOLD_OPEN || n->fold == FOLD_ALL);
    bool inside = m->in->cursor.node == node && m->in->cursor.kind == ROW_DEPTH;
    if (!head->open && !inside)
        return;
    head->open = true;
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t track = t->tracks.items[n->first + i];
        push_depths(m, &(struct depth_rows){.track = {.node = node, .place = place, .track = track},
                                            .from = n->count == 1 && track == first_track ? 1 : 0,
                                            .wanted = cursor_depth(m, node, track),
                                            .max = ROWS_DEPTHS,
                                            .indent = indent});
    }
}

static void push_debug(struct maker *m, uint32_t node, enum row_place place, int indent)
{
    const struct track_tree *t = m->in->tree;
    const struct track_node *n = &t->nodes.items[node];
    const struct debug_track *d = t->debug.items[n->id];
    struct row *head = push(m, node, ROW_HEAD, place, indent);
    bool open = d->lanes.lane_count > 1 && n->fold != FOLD_CLOSED;
    head->foldable = d->lanes.lane_count > 1;
    head->open = open;
    const struct depth_rows below_head = {
        .track = {.node = node, .place = place},
        .from = 1,
        .wanted = cursor_depth(m, node, 0),
        .max = n->fold == FOLD_ALL ? UINT32_MAX : ROWS_DEPTHS,
        .indent = indent,
    };
    if (open)
        push_depths_below(m, &below_head, below_head.from, d->lanes.lane_count);
}

/* The children of an open process; those that are left out are counted in a last row. */
static void push_children(struct maker *m, uint32_t node, int indent);

static void push_node(struct maker *m, uint32_t node, enum row_place place, int indent)
{
    const struct track_tree *t = m->in->tree;
    const struct track_node *n = &t->nodes.items[node];
    switch (n->kind) {
    case NODE_THREAD:
        push_thread(m, node, place, indent);
        break;
    case NODE_TRACKS:
        push_tracks(m, node, place, indent);
        break;
    case NODE_DEBUG:
        push_debug(m, node, place, indent);
        break;
    case NODE_COUNTER:
        push(m, node, ROW_HEAD, place, indent);
        for (uint32_t i = 1; i < n->look.lines; i++)
            push(m, node, ROW_BODY, place, indent)->key.depth = i;
        break;
    case NODE_CPUS:
    case NODE_CPU:
    case NODE_GROUP:
    case NODE_PROCESS:
    case NODE_COUNTERS: {
        struct row *head = push(m, node, ROW_HEAD, place, indent);
        head->foldable = n->first_child != NO_NODE;
        head->open = head->foldable && rows_node_is_open(t, node, &m->in->cursor);
        if (head->open)
            push_children(m, node, indent + 1);
        return;
    }
    }
    if (m->in->link_count > 0 && m->in->cursor.node == node && m->in->cursor.place == place)
        push_links(m, indent);
    for (uint32_t c = n->first_child; c != NO_NODE; c = t->nodes.items[c].next)
        if (rows_node_is_open(t, node, &m->in->cursor) && is_shown(m, c))
            push_node(m, c, place, indent + 1);
}

static bool child_is_listed(const struct maker *m, uint32_t child, uint32_t rank)
{
    const struct track_tree *t = m->in->tree;
    const struct track_node *c = &t->nodes.items[child], *parent = &t->nodes.items[c->parent];
    if (parent->kind != NODE_PROCESS || parent->fold == FOLD_ALL || c->fold == FOLD_OPEN ||
        track_tree_is_within(t, m->in->cursor.node, child))
        return true;
    if (parent->shown > 0 && parent->shown < SHOWN_ALL)
        return c->kind == NODE_THREAD && rank < parent->shown;
    return parent->fold == FOLD_OPEN && c->kind != NODE_COUNTERS && rank < ROWS_TOP_THREADS;
}

static void push_children(struct maker *m, uint32_t node, int indent)
{
    const struct track_tree *t = m->in->tree;
    uint32_t rank = 0, threads = 0, others = 0;
    for (uint32_t c = t->nodes.items[node].first_child; c != NO_NODE; c = t->nodes.items[c].next) {
        const struct track_node *child = &t->nodes.items[c];
        if (!is_shown(m, c))
            continue;
        if (child_is_listed(m, c, rank))
            push_node(m, c, PLACE_TREE, indent);
        else if (child->kind == NODE_THREAD)
            threads++;
        else
            others += child->kind == NODE_COUNTERS ? child->children : 1;
        rank += child->kind == NODE_THREAD;
    }
    if (threads + others == 0)
        return;
    struct row *rest = push(m, node, ROW_REST, PLACE_TREE, indent);
    rest->threads = threads;
    rest->others = others;
    rest->foldable = true;
}

static void make_rows(struct rows *rows, const struct rows_input *in, uint32_t depths)
{
    struct maker m = {rows, in, depths};
    const struct track_tree *t = in->tree;
    rows->v.count = 0;
    for (size_t i = 0; i < t->pinned.count; i++)
        push_node(&m, t->pinned.items[i], PLACE_PINNED, 0);
    for (uint32_t n = t->first_root; n != NO_NODE; n = t->nodes.items[n].next)
        if (is_shown(&m, n))
            push_node(&m, n, PLACE_TREE, 0);
}

/* Depths that were left out of the stacks of threads. */
static bool has_hidden_depths(const struct rows *rows, const struct track_tree *tree)
{
    for (size_t i = 0; i < rows->v.count; i++) {
        const struct row_id *key = &rows->v.items[i].key;
        if ((key->kind == ROW_DEEPER || key->kind == ROW_ABOVE) && key->place != PLACE_LINKED &&
            tree->nodes.items[key->node].kind == NODE_THREAD)
            return true;
    }
    return false;
}

void rows_load(struct track_tree *tree, const struct timeline *tl, const struct row_id *cursor)
{
    for (size_t i = 0; i < tree->debug.count; i++) {
        const struct debug_track *d = tree->debug.items[i];
        if (!d->waiting)
            continue;
        uint32_t parent = tree->nodes.items[d->node].parent;
        if (tree->nodes.items[d->node].pinned || rows_node_is_open(tree, parent, cursor))
            d->kind->load_tracks(tree, tl);
    }
}

void rows_build(struct rows *rows, const struct rows_input *in)
{
    make_rows(rows, in, ROWS_DEPTHS);
    int free_rows = in->height - (int)rows->v.count;
    if (free_rows > 0 && has_hidden_depths(rows, in->tree))
        make_rows(rows, in, ROWS_DEPTHS + (uint32_t)free_rows);
}

void rows_release(struct rows *rows)
{
    vec_release(&rows->v);
}

static bool same_key(const struct row_id *a, const struct row_id *b)
{
    return a->node == b->node && a->kind == b->kind && a->place == b->place &&
           ((a->kind != ROW_DEPTH && a->kind != ROW_BODY) ||
            (a->track == b->track && a->depth == b->depth));
}

uint32_t rows_find(const struct rows *rows, const struct track_tree *tree, const struct row_id *key)
{
    for (uint32_t i = 0; i < rows->v.count; i++)
        if (same_key(&rows->v.items[i].key, key))
            return i;
    for (uint32_t node = key->node; node != NO_NODE; node = tree->nodes.items[node].parent)
        for (uint32_t i = 0; i < rows->v.count; i++)
            if (rows->v.items[i].key.node == node && rows->v.items[i].key.kind == ROW_HEAD &&
                rows->v.items[i].key.place != PLACE_LINKED)
                return i;
    return 0;
}

static int thread_sources(const struct timeline *tl, uint32_t utid, bool slices,
                          struct event_source *out)
{
    int n = 0;
    uint32_t track = tl->threads[utid].track;
    if (slices && track != NULL_U32)
        out[n++] = (struct event_source){.kind = &slice_events, .lane = tl->slice_base[track]};
    out[n++] = (struct event_source){.kind = &state_events, .lane = utid};
    return n;
}

/* A folded debug track shows all of its lanes in one. */
static int debug_sources(const struct track_tree *tree, const struct track_node *n,
                         const struct row *row, struct event_source out[SOURCES_MAX])
{
    const struct debug_track *d = tree->debug.items[n->id];
    int count = row->foldable && !row->open ? (int)d->lanes.lane_count : 1;
    for (int i = 0; i < count && i < SOURCES_MAX; i++)
        out[i] =
            (struct event_source){.kind = d->kind,
                                  .lane = row->key.kind == ROW_DEPTH ? row->key.depth : (uint32_t)i,
                                  .debug = n->id};
    return count < SOURCES_MAX ? count : SOURCES_MAX;
}

/* A folded process: the main thread's outermost slices; where it is not known who ran when, those
 * of its other threads and tracks, too; where there are none, what it has in RAM. */
static int process_sources(const struct timeline *tl, const struct track_tree *tree,
                           const struct track_node *n, struct event_source out[SOURCES_MAX])
{
    enum { PROCESS_LANES = 12 };
    int count = 0;
    if (tl->processes[n->id].running > 0)
        return tl->processes[n->id].main_thread == NULL_U32
                   ? 0
                   : thread_sources(tl, tl->processes[n->id].main_thread, true, out) - 1;
    for (uint32_t c = n->first_child; c != NO_NODE && count < PROCESS_LANES;
         c = tree->nodes.items[c].next) {
        const struct track_node *child = &tree->nodes.items[c];
        uint32_t track = child->kind == NODE_THREAD   ? tl->threads[child->id].track
                         : child->kind == NODE_TRACKS ? tree->tracks.items[child->first]
                                                      : NULL_U32;
        if (track != NULL_U32)
            out[count++] =
                (struct event_source){.kind = &slice_events, .lane = tl->slice_base[track]};
    }
    if (count == 0 && tree->process_memory[n->id] != NO_NODE)
        out[count++] =
            (struct event_source){.kind = &counter_events, .lane = tree->process_memory[n->id]};
    return count;
}

int row_sources(const struct timeline *tl, const struct track_tree *tree, const struct row *row,
                struct event_source out[SOURCES_MAX])
{
    const struct track_node *n = &tree->nodes.items[row->key.node];
    int count = 0;
    if (row->key.kind != ROW_HEAD && row->key.kind != ROW_DEPTH && row->key.kind != ROW_BODY)
        return 0;
    if (row->key.kind == ROW_DEPTH && n->kind != NODE_DEBUG) {
        out[0] = (struct event_source){.kind = &slice_events,
                                       .lane = tl->slice_base[row->key.track] + row->key.depth};
        return 1;
    }
    switch (n->kind) {
    case NODE_THREAD:
        return thread_sources(tl, n->id, !row->open, out);
    case NODE_PROCESS:
        return row->open ? 0 : process_sources(tl, tree, n, out);
    case NODE_CPU:
        out[0] = (struct event_source){.kind = &sched_events, .lane = n->id};
        return n->id < tl->sched.lane_count;
    case NODE_COUNTER:
        out[0] = (struct event_source){.kind = &counter_events, .lane = n->id};
        return 1;
    case NODE_TRACKS:
        for (uint32_t i = 0; i < n->count && count < SOURCES_MAX; i++)
            out[count++] =
                (struct event_source){.kind = &slice_events,
                                      .lane = tl->slice_base[tree->tracks.items[n->first + i]]};
        return count;
    case NODE_DEBUG:
        return debug_sources(tree, n, row, out);
    case NODE_CPUS:
    case NODE_GROUP:
    case NODE_COUNTERS:
        break;
    }
    return 0;
}

const struct lanes *source_lanes(const struct timeline *tl, const struct track_tree *tree,
                                 const struct event_source *s)
{
    return s->kind->lanes ? s->kind->lanes(tl, tree, s->debug) : NULL;
}

const struct steps *source_steps(const struct timeline *tl, const struct track_tree *tree,
                                 const struct event_source *s)
{
    return s->kind->steps ? s->kind->steps(tl, tree, s->debug) : NULL;
}
