#include "tui/view/track_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "core/track.h"
#include "tui/view/rows.h"
#include "tui/view/shared_axes.h"
#include "tui/view/track_groups.h"
#include "tui/view/tree_builder.h"

static const char *keep_label(struct track_tree *t, const char *label)
{
    size_t n = strlen(label) + 1;
    return memcpy(arena_alloc_bytes(&t->arena, n), label, n);
}

static uint32_t add_node(struct track_tree *t, enum node_kind kind, uint32_t id, const char *label,
                         int64_t number)
{
    *vec_push(&t->nodes) = (struct track_node){
        .kind = kind,
        .id = id,
        .parent = NO_NODE,
        .first_child = NO_NODE,
        .next = NO_NODE,
        .label = keep_label(t, label),
        .number = number,
    };
    return (uint32_t)t->nodes.count - 1;
}

static void attach(struct tree_builder *b, uint32_t parent, uint32_t child)
{
    struct track_tree *t = b->tree;
    while (b->last_child.count < t->nodes.count)
        *vec_push(&b->last_child) = NO_NODE;
    uint32_t *first = parent == NO_NODE ? &t->first_root : &t->nodes.items[parent].first_child;
    uint32_t *last = parent == NO_NODE ? &t->last_root : &b->last_child.items[parent];
    if (*first == NO_NODE)
        *first = child;
    else
        t->nodes.items[*last].next = child;
    *last = child;
    t->nodes.items[child].parent = parent;
    if (parent != NO_NODE)
        t->nodes.items[parent].children++;
}

uint32_t tree_builder_add(struct tree_builder *b, uint32_t parent, enum node_kind kind, uint32_t id,
                          const char *label, int64_t number)
{
    uint32_t node = add_node(b->tree, kind, id, label, number);
    attach(b, parent, node);
    return node;
}

static int compare_u32(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_tracks(const void *a, const void *b)
{
    const struct track_key *x = a, *y = b;
    int d = compare_u32(x->cpu, y->cpu);
    d = d ? d : compare_u32(x->utid, y->utid);
    d = d ? d : compare_u32(x->upid, y->upid);
    d = d ? d : compare_u32(x->counter, y->counter);
    d = d ? d : compare_u32(x->group, y->group);
    d = d ? d : compare_u32(x->type, y->type);
    d = d ? d : (x->drawn < y->drawn) - (x->drawn > y->drawn);
    d = d ? d : compare_u32(x->name, y->name);
    return d ? d : compare_u32(x->track, y->track);
}

static bool share_row(const struct track_key *a, const struct track_key *b)
{
    if (a->counter || b->counter || a->cpu != b->cpu || a->utid != b->utid || a->upid != b->upid)
        return false;
    if (a->group != NULL_U32 || b->group != NULL_U32)
        return a->group == b->group;
    return a->type == b->type && a->name == b->name;
}

/* Rails that draw most stand first. */
static double drawn_by(const struct timeline *tl, uint32_t track)
{
    const struct steps *s = &tl->counters;
    const struct column *types = &tl->trace->tables.track.columns[track_col_type];
    if (!str_eq(timeline_str(tl, column_str(types, track)), STR("power_rails")))
        return 0;
    double drawn = steps_value(s, s->starts[track + 1] - 1) - steps_value(s, s->starts[track]);
    return isfinite(drawn) ? drawn : 0;
}

/* All tracks with events but the main ones of threads, which are the threads' own rows. */
static struct track_keys sort_tracks(const struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.track;
    struct track_keys k = {.items = alloc_array((size_t)t->rows + 1, sizeof *k.items)};
    for (uint32_t i = 0; i < t->rows; i++) {
        uint32_t utid = table_u32(t, track_col_utid)[i];
        bool counter = timeline_track_steps(tl, i) > 0;
        if (!counter && timeline_track_depths(tl, i) == 0)
            continue;
        if (utid < tl->trace->tables.thread.rows && tl->threads[utid].track == i)
            continue;
        k.items[k.count++] = (struct track_key){
            .track = i,
            .cpu = tl->track_cpu[i],
            .utid = utid,
            .upid = table_u32(t, track_col_upid)[i],
            .group = counter ? NULL_U32 : table_u32(t, track_col_track_group_id)[i],
            .type = column_str(&t->columns[track_col_type], i),
            .name = column_str(&t->columns[track_col_name], i),
            .counter = counter,
            .drawn = counter ? drawn_by(tl, i) : 0,
        };
    }
    qsort(k.items, k.count, sizeof *k.items, compare_tracks);
    return k;
}

/* Of a thread's stacks only those come here that are not its own row. */
static void label_track(const struct timeline *tl, const struct track_key *k, char *out,
                        size_t size)
{
    struct str name = timeline_str(tl, k->name), type = timeline_str(tl, k->type);
    bool stack = track_is_stack_of_thread(tl->trace, k->track);
    struct str s = name.n ? name : stack ? STR("other slices") : type;
    str_copy(s, out, size);
}

/* Makes the node of the tracks k[0..n), which share a row, under `parent`. */
static void add_tracks(struct tree_builder *b, uint32_t parent, const struct track_key *k,
                       uint32_t n)
{
    struct track_tree *t = b->tree;
    char label[LABEL_MAX];
    label_track(b->tl, k, label, sizeof label);
    uint32_t node =
        tree_builder_add(b, parent, k->counter ? NODE_COUNTER : NODE_TRACKS, k->track, label, -1);
    t->nodes.items[node].first = (uint32_t)t->tracks.count;
    t->nodes.items[node].count = n;
    for (uint32_t i = 0; i < n; i++) {
        *vec_push(&t->tracks) = k[i].track;
        t->track_node[k[i].track] = node;
    }
}

void tree_builder_add_owned(struct tree_builder *b, uint32_t parent, struct key_range r,
                            bool counters)
{
    const struct track_keys *k = &b->keys;
    for (uint32_t i = r.from, n; i < r.to; i += n) {
        for (n = 1; i + n < r.to && share_row(&k->items[i], &k->items[i + n]);)
            n++;
        if (k->items[i].counter == counters)
            add_tracks(b, parent, &k->items[i], n);
    }
}

static int compare_owner(const struct track_key *k, uint32_t cpu, uint32_t utid, uint32_t upid)
{
    int d = compare_u32(k->cpu, cpu);
    d = d ? d : compare_u32(k->utid, utid);
    return d ? d : compare_u32(k->upid, upid);
}

struct key_range tree_builder_owned(const struct tree_builder *b, uint32_t cpu, uint32_t utid,
                                    uint32_t upid)
{
    const struct track_keys *k = &b->keys;
    uint32_t lo = BISECT(mid, 0, k->count, compare_owner(&k->items[mid], cpu, utid, upid) < 0);
    uint32_t hi = lo;
    while (hi < k->count && compare_owner(&k->items[hi], cpu, utid, upid) == 0)
        hi++;
    return (struct key_range){lo, hi};
}

static bool cpu_is_there(const struct tree_builder *b, uint32_t ucpu)
{
    struct key_range r = tree_builder_owned(b, ucpu, NULL_U32, NULL_U32);
    return lane_size(&b->tl->sched, ucpu) > 0 || r.to > r.from;
}

static void add_cpu(struct tree_builder *b, uint32_t parent, uint32_t ucpu)
{
    struct key_range r = tree_builder_owned(b, ucpu, NULL_U32, NULL_U32);
    char label[LABEL_MAX];
    snprintf(label, sizeof label, "CPU %u", ucpu % CPUS_PER_MACHINE);
    uint32_t node = tree_builder_add(b, parent, NODE_CPU, ucpu, label, -1);
    b->tree->cpu_node[ucpu] = node;
    if (lane_size(&b->tl->sched, ucpu) == 0) /* its own row would be empty */
        b->tree->nodes.items[node].fold = FOLD_OPEN;
    tree_builder_add_owned(b, node, r, true);
    tree_builder_add_owned(b, node, r, false);
}

/* "Irq Cpu 1" of CPU 1. */
static bool names_cpu(const char *label, uint32_t cpu)
{
    char text[24];
    snprintf(text, sizeof text, "cpu %u", cpu);
    size_t n = strlen(text);
    for (; *label; label++)
        if (compare_any_case_n(label, text, n) == 0 && !(label[n] >= '0' && label[n] <= '9'))
            return true;
    return false;
}

/* Of a CPU on which nothing is known to have run only its tracks: "CPU 0 cpufreq". */
static void add_cpu_tracks(struct tree_builder *b, uint32_t parent, uint32_t ucpu)
{
    struct key_range r = tree_builder_owned(b, ucpu, NULL_U32, NULL_U32);
    struct track_tree *t = b->tree;
    size_t from = t->nodes.count;
    char label[LABEL_MAX + 16];
    tree_builder_add_owned(b, parent, r, true);
    tree_builder_add_owned(b, parent, r, false);
    t->cpu_node[ucpu] = (uint32_t)from;
    for (size_t i = from; i < t->nodes.count; i++) {
        uint32_t cpu = ucpu % CPUS_PER_MACHINE;
        if (names_cpu(t->nodes.items[i].label, cpu))
            continue;
        snprintf(label, sizeof label, "CPU %u %s", cpu, t->nodes.items[i].label);
        t->nodes.items[i].label = keep_label(t, label);
    }
}

/* Those of one machine. */
static void add_machine_cpus(struct tree_builder *b, const uint32_t *cpus, uint32_t count)
{
    uint32_t machine = timeline_cpu_machine(b->tl, cpus[0]);
    char label[LABEL_MAX], prefix[MACHINE_PREFIX_MAX];
    timeline_machine_prefix(b->tl, machine, prefix);
    uint32_t last = cpus[count - 1] % CPUS_PER_MACHINE;
    if (last == 0)
        snprintf(label, sizeof label, "%sCPUs", prefix);
    else
        snprintf(label, sizeof label, "%sCPUs 0-%u", prefix, last);
    uint32_t parent = tree_builder_add(b, NO_NODE, NODE_CPUS, machine, label, -1);
    bool ran = false;
    for (uint32_t i = 0; i < count; i++)
        ran |= lane_size(&b->tl->sched, cpus[i]) > 0;
    for (uint32_t i = 0; i < count; i++)
        (ran ? add_cpu : add_cpu_tracks)(b, parent, cpus[i]);
}

/* CPUs of one machine lie side by side. */
static void add_cpus(struct tree_builder *b)
{
    const struct timeline *tl = b->tl;
    uint32_t *cpus = alloc_array((size_t)tl->sched.lane_count + 1, sizeof *cpus), count = 0, n;
    for (uint32_t i = 0; i < tl->sched.lane_count; i++)
        if (cpu_is_there(b, i))
            cpus[count++] = i;
    for (uint32_t i = 0; i < count; i += n) {
        for (n = 1; i + n < count &&
                    timeline_cpu_machine(tl, cpus[i + n]) == timeline_cpu_machine(tl, cpus[i]);)
            n++;
        add_machine_cpus(b, cpus + i, n);
    }
    free(cpus);
}

uint32_t track_tree_cpus(const struct track_tree *t, uint64_t machine)
{
    for (uint32_t i = t->first_root; i != NO_NODE; i = t->nodes.items[i].next)
        if (t->nodes.items[i].kind == NODE_CPUS && t->nodes.items[i].id == machine)
            return i;
    return NO_NODE;
}

/* Tracks of nobody, under the heading of their type, headings in order of their first track. */
static void add_global_tracks(struct tree_builder *b)
{
    const struct track_keys *k = &b->keys;
    struct key_range r = tree_builder_owned(b, NULL_U32, NULL_U32, NULL_U32);
    struct {
        const char *name;
        uint32_t node;
    } groups[32];
    uint32_t group_count = 0;
    for (uint32_t i = r.from, n; i < r.to; i += n) {
        for (n = 1; i + n < r.to && share_row(&k->items[i], &k->items[i + n]);)
            n++;
        const char *name = track_group_name(timeline_str(b->tl, k->items[i].type));
        uint32_t g = 0;
        while (g < group_count && strcmp(groups[g].name, name) != 0)
            g++;
        if (g == group_count) {
            groups[g].name = name;
            groups[g].node = tree_builder_add(b, NO_NODE, NODE_GROUP, 0, name, -1);
            group_count++;
        }
        add_tracks(b, groups[g].node, &k->items[i], n);
    }
}

void track_tree_add_own(struct tree_builder *b, const char *heading, struct debug_track *d)
{
    struct track_tree *t = b->tree;
    uint32_t group = t->first_root;
    while (group != NO_NODE && (t->nodes.items[group].kind != NODE_GROUP ||
                                strcmp(t->nodes.items[group].label, heading) != 0))
        group = t->nodes.items[group].next;
    if (group == NO_NODE)
        group = tree_builder_add(b, NO_NODE, NODE_GROUP, 0, heading, -1);
    *vec_push(&t->debug) = d;
    d->node = tree_builder_add(b, group, NODE_DEBUG, (uint32_t)t->debug.count - 1, d->label, -1);
}

static void add_own_tracks(struct tree_builder *b)
{
#define ADDRESS(kind) &kind,
    static const struct event_kind *const kinds[] = {EVENT_KINDS(ADDRESS)};
#undef ADDRESS
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->add_tracks)
            kinds[i]->add_tracks(b, b->tl);
}

static uint32_t *no_nodes(uint32_t count)
{
    uint32_t *nodes = alloc_array((size_t)count + 1, sizeof *nodes);
    memset(nodes, 0xff, ((size_t)count + 1) * sizeof *nodes);
    return nodes;
}

void track_tree_init(struct track_tree *t, const struct timeline *tl)
{
    const struct tables *tables = &tl->trace->tables;
    *t = (struct track_tree){.first_root = NO_NODE, .last_root = NO_NODE};
    arena_init(&t->arena);
    t->process_node = no_nodes(tables->process.rows);
    t->process_memory = no_nodes(tables->process.rows);
    t->thread_node = no_nodes(tables->thread.rows);
    t->track_node = no_nodes(tables->track.rows);
    t->cpu_node = no_nodes(tl->sched.lane_count);
    t->axis_next = shared_axes_make(tl);
    struct tree_builder b = {.tree = t, .tl = tl, .keys = sort_tracks(tl)};
    add_cpus(&b);
    tree_builder_add_processes(&b);
    add_global_tracks(&b);
    add_own_tracks(&b);
    for (uint32_t utid = 0; utid < tables->thread.rows; utid++)
        if (tl->threads[utid].track != NULL_U32)
            t->track_node[tl->threads[utid].track] = t->thread_node[utid];
    free(b.keys.items);
    vec_release(&b.last_child);
}

void track_tree_release(struct track_tree *t)
{
    for (size_t i = 0; i < t->debug.count; i++)
        debug_track_free(t->debug.items[i]);
    vec_release(&t->debug);
    arrows_release(&t->arrows);
    vec_release(&t->nodes);
    vec_release(&t->tracks);
    vec_release(&t->pinned);
    free(t->axis_next);
    free(t->process_node);
    free(t->process_memory);
    free(t->thread_node);
    free(t->track_node);
    free(t->cpu_node);
    arena_release(&t->arena);
    *t = (struct track_tree){0};
}

uint32_t track_tree_add_debug(struct track_tree *t, struct debug_track *d)
{
    *vec_push(&t->debug) = d;
    uint32_t node = add_node(t, NODE_DEBUG, (uint32_t)t->debug.count - 1, d->label, -1);
    d->node = node;
    track_tree_pin(t, node, true);
    return node;
}

void track_tree_put_first(struct track_tree *t, uint32_t root)
{
    uint32_t before = t->first_root;
    if (before == root)
        return;
    while (before != NO_NODE && t->nodes.items[before].next != root)
        before = t->nodes.items[before].next;
    if (before == NO_NODE)
        return;
    t->nodes.items[before].next = t->nodes.items[root].next;
    if (t->last_root == root)
        t->last_root = before;
    t->nodes.items[root].next = t->first_root;
    t->first_root = root;
}

void track_tree_pin(struct track_tree *t, uint32_t node, bool pin)
{
    struct track_node *n = &t->nodes.items[node];
    if (n->pinned == pin)
        return;
    n->pinned = pin;
    if (pin) {
        *vec_push(&t->pinned) = node;
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < t->pinned.count; i++)
        if (t->pinned.items[i] != node)
            t->pinned.items[kept++] = t->pinned.items[i];
    t->pinned.count = kept;
}

uint32_t track_tree_node(const struct track_tree *t, const struct timeline *tl, struct event_ref e)
{
    return e.kind && e.kind->place ? e.kind->place(tl, t, e).node : NO_NODE;
}

uint32_t track_tree_slice_node(const struct track_tree *t, const struct timeline *tl,
                               uint32_t slice)
{
    uint32_t track = slice_u32(tl, slice, slice_col_track_id);
    return track < tl->trace->tables.track.rows ? t->track_node[track] : NO_NODE;
}

bool track_tree_is_main_thread(const struct track_tree *t, const struct timeline *tl,
                               const struct track_node *n)
{
    if (n->kind != NODE_THREAD || n->parent == NO_NODE)
        return false;
    const struct track_node *process = &t->nodes.items[n->parent];
    return process->kind == NODE_PROCESS && tl->processes[process->id].main_thread == n->id;
}

bool track_tree_is_within(const struct track_tree *t, uint32_t node, uint32_t ancestor)
{
    for (; node != NO_NODE; node = t->nodes.items[node].parent)
        if (node == ancestor)
            return true;
    return false;
}
