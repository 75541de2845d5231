#include "tui/view/track_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "base/map.h"
#include "tui/view/rows.h"
#include "tui/view/track_groups.h"

enum { LABEL_MAX = 256 };

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

/* Tracks in the order of their rows: by owner, group or name, so that those that share a row lie
 * together. */
struct track_key {
    uint32_t track, cpu, utid, upid, group;
    string_id type, name;
    bool counter;
    double drawn; /* by a power rail, in the whole trace */
};

struct track_keys {
    struct track_key *items;
    uint32_t count;
};

/* The most active first; of equals, the one made first. Main threads before all others. */
struct ranked {
    uint32_t id;
    bool first;
    int64_t running;
    uint32_t slices;
    double memory; /* bytes at most */
};

/* Threads by process: those of upid u are threads[starts[u] .. starts[u + 1]). */
struct thread_groups {
    uint32_t *starts;
    struct ranked *threads;
};

struct tree_builder {
    struct track_tree *tree;
    const struct timeline *tl;
    VEC(uint32_t) last_child; /* by node: appending must not walk the list */
    struct track_keys keys;
    struct thread_groups groups; /* while processes are added */
};

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

static uint32_t add_child(struct tree_builder *b, uint32_t parent, enum node_kind kind, uint32_t id,
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

static void label_track(const struct timeline *tl, const struct track_key *k, char *out,
                        size_t size)
{
    struct str name = timeline_str(tl, k->name), type = timeline_str(tl, k->type);
    struct str s = name.n ? name : type;
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
        add_child(b, parent, k->counter ? NODE_COUNTER : NODE_TRACKS, k->track, label, -1);
    t->nodes.items[node].first = (uint32_t)t->tracks.count;
    t->nodes.items[node].count = n;
    for (uint32_t i = 0; i < n; i++) {
        *vec_push(&t->tracks) = k[i].track;
        t->track_node[k[i].track] = node;
    }
}

/* Adds the rows of tracks [from, to) of one owner, slices or counters only. Returns how many. */
static uint32_t add_owned(struct tree_builder *b, uint32_t parent, uint32_t from, uint32_t to,
                          bool counters)
{
    const struct track_keys *k = &b->keys;
    uint32_t rows = 0;
    for (uint32_t i = from, n; i < to; i += n) {
        for (n = 1; i + n < to && share_row(&k->items[i], &k->items[i + n]);)
            n++;
        if (k->items[i].counter == counters) {
            add_tracks(b, parent, &k->items[i], n);
            rows++;
        }
    }
    return rows;
}

/* The range of tracks with this owner; keys are sorted by cpu, utid, upid. */
struct key_range {
    uint32_t from, to;
};

static int compare_owner(const struct track_key *k, uint32_t cpu, uint32_t utid, uint32_t upid)
{
    int d = compare_u32(k->cpu, cpu);
    d = d ? d : compare_u32(k->utid, utid);
    return d ? d : compare_u32(k->upid, upid);
}

static struct key_range owned_by(const struct track_keys *k, uint32_t cpu, uint32_t utid,
                                 uint32_t upid)
{
    uint32_t lo = BISECT(mid, 0, k->count, compare_owner(&k->items[mid], cpu, utid, upid) < 0);
    uint32_t hi = lo;
    while (hi < k->count && compare_owner(&k->items[hi], cpu, utid, upid) == 0)
        hi++;
    return (struct key_range){lo, hi};
}

static bool cpu_is_there(const struct timeline *tl, const struct track_keys *k, uint32_t ucpu)
{
    struct key_range r = owned_by(k, ucpu, NULL_U32, NULL_U32);
    return lane_size(&tl->sched, ucpu) > 0 || r.to > r.from;
}

static void add_cpu(struct tree_builder *b, uint32_t parent, uint32_t ucpu)
{
    struct key_range r = owned_by(&b->keys, ucpu, NULL_U32, NULL_U32);
    char label[LABEL_MAX];
    snprintf(label, sizeof label, "CPU %u", ucpu % CPUS_PER_MACHINE);
    uint32_t node = add_child(b, parent, NODE_CPU, ucpu, label, -1);
    b->tree->cpu_node[ucpu] = node;
    if (lane_size(&b->tl->sched, ucpu) == 0) /* its own row would be empty */
        b->tree->nodes.items[node].fold = FOLD_OPEN;
    add_owned(b, node, r.from, r.to, true);
    add_owned(b, node, r.from, r.to, false);
}

/* Those of one machine. */
static void add_machine_cpus(struct tree_builder *b, const uint32_t *cpus, uint32_t count)
{
    uint32_t machine = timeline_cpu_machine(b->tl, cpus[0]);
    char label[LABEL_MAX], prefix[MACHINE_PREFIX_MAX];
    timeline_machine_prefix(b->tl, machine, prefix);
    snprintf(label, sizeof label, "%sCPUs 0-%u", prefix, cpus[count - 1] % CPUS_PER_MACHINE);
    uint32_t parent = add_child(b, NO_NODE, NODE_CPUS, machine, label, -1);
    for (uint32_t i = 0; i < count; i++)
        add_cpu(b, parent, cpus[i]);
}

/* CPUs of one machine lie side by side. */
static void add_cpus(struct tree_builder *b)
{
    const struct timeline *tl = b->tl;
    uint32_t *cpus = alloc_array((size_t)tl->sched.lane_count + 1, sizeof *cpus), count = 0, n;
    for (uint32_t i = 0; i < tl->sched.lane_count; i++)
        if (cpu_is_there(tl, &b->keys, i))
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

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->first != y->first)
        return x->first ? -1 : 1;
    if (x->running != y->running)
        return x->running > y->running ? -1 : 1;
    if (x->slices != y->slices)
        return x->slices > y->slices ? -1 : 1;
    if (x->memory != y->memory)
        return x->memory > y->memory ? -1 : 1;
    return compare_u32(x->id, y->id);
}

static struct thread_groups group_threads(const struct timeline *tl)
{
    uint32_t threads = tl->trace->tables.thread.rows, processes = tl->trace->tables.process.rows;
    struct thread_groups g = {
        .starts = alloc_array((size_t)processes + 3, sizeof *g.starts),
        .threads = alloc_array((size_t)threads + 1, sizeof *g.threads),
    };
    /* Threads without a process come last, as those of one more. */
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < threads; i++) {
            uint32_t upid = timeline_upid(tl, i);
            upid = upid < processes ? upid : processes;
            if (pass == 0)
                g.starts[upid + 2]++;
            else
                g.threads[g.starts[upid + 1]++] =
                    (struct ranked){i, upid < processes && tl->processes[upid].main_thread == i,
                                    tl->threads[i].running, tl->threads[i].slices, 0};
        }
        for (uint32_t i = 2; pass == 0 && i <= processes + 2; i++)
            g.starts[i] += g.starts[i - 1];
    }
    for (uint32_t i = 0; i <= processes; i++)
        qsort(g.threads + g.starts[i], g.starts[i + 1] - g.starts[i], sizeof *g.threads,
              compare_ranked);
    return g;
}

static void add_thread(struct tree_builder *b, uint32_t parent, uint32_t utid)
{
    const struct timeline *tl = b->tl;
    char label[LABEL_MAX];
    timeline_thread_name(tl, utid, label, sizeof label);
    uint32_t node = add_child(b, parent, NODE_THREAD, utid, label, timeline_tid(tl, utid));
    struct key_range r = owned_by(&b->keys, NULL_U32, utid, NULL_U32);
    b->tree->nodes.items[node].empty =
        tl->threads[utid].slices == 0 && lane_size(&tl->states, utid) == 0 && r.from == r.to;
    b->tree->thread_node[utid] = node;
    add_owned(b, node, r.from, r.to, false);
    add_owned(b, node, r.from, r.to, true);
}

/* Whether the thread only ever slept: it has nothing to show. */
static bool thread_is_idle(const struct timeline *tl, uint32_t utid)
{
    return tl->threads[utid].running == 0 && tl->threads[utid].slices == 0;
}

/* Of a process's name. */
static uint8_t prefix_bytes(const struct timeline *tl, uint32_t upid)
{
    char prefix[MACHINE_PREFIX_MAX];
    timeline_machine_prefix(tl, timeline_process_machine(tl, upid), prefix);
    return (uint8_t)strlen(prefix);
}

static void add_process(struct tree_builder *b, uint32_t parent, uint32_t upid)
{
    const struct thread_groups *g = &b->groups;
    const struct timeline *tl = b->tl;
    const struct process_facts *f = &tl->processes[upid];
    char label[LABEL_MAX];
    timeline_process_name(tl, upid, label, sizeof label);
    uint32_t node = add_child(b, parent, NODE_PROCESS, upid, label, timeline_pid(tl, upid));
    b->tree->nodes.items[node].prefix = prefix_bytes(tl, upid);
    b->tree->process_node[upid] = node;
    b->tree->nodes.items[node].empty = f->running == 0 && f->slices == 0 && f->counters == 0;
    struct key_range r = owned_by(&b->keys, NULL_U32, NULL_U32, upid);
    add_owned(b, node, r.from, r.to, false);
    for (uint32_t i = g->starts[upid]; i < g->starts[upid + 1]; i++) {
        add_thread(b, node, g->threads[i].id);
        if (thread_is_idle(tl, g->threads[i].id))
            b->tree->nodes.items[b->tree->thread_node[g->threads[i].id]].empty = true;
    }
    if (f->counters == 0)
        return;
    snprintf(label, sizeof label, "%u counters", f->counters);
    uint32_t counters = add_child(b, node, NODE_COUNTERS, upid, label, -1);
    add_owned(b, counters, r.from, r.to, true);
}

static bool process_is_kernel(const struct timeline *tl, uint32_t upid)
{
    const struct table *t = &tl->trace->tables.process;
    uint32_t parent = table_u32(t, process_col_parent_upid)[upid];
    struct str name = timeline_str(tl, column_str(&t->columns[process_col_name], upid));
    if (timeline_pid(tl, upid) == 2 && str_eq(name, STR("kthreadd")))
        return true;
    return parent < t->rows && parent != upid && timeline_pid(tl, parent) == 2;
}

/* The most that a counter ever stood at, 0 for none. */
static double most_memory_of(const struct timeline *tl, uint32_t track)
{
    const struct steps *s = &tl->counters;
    if (track == NO_NODE)
        return 0;
    double most = steps_range(s, s->starts[track], s->starts[track + 1]).max;
    return isfinite(most) ? most : 0;
}

/* Which counters say what processes have in RAM. */
static void find_memory(struct track_tree *t, const struct timeline *tl, const struct track_keys *k)
{
    string_id type = string_pool_lookup(&tl->trace->strings, STR("process_memory"));
    string_id name = string_pool_lookup(&tl->trace->strings, STR("mem.rss"));
    uint32_t processes = tl->trace->tables.process.rows;
    for (uint32_t i = 0; i < k->count && type != NULL_STRING && name != NULL_STRING; i++) {
        const struct track_key *key = &k->items[i];
        if (!key->counter || key->upid >= processes || key->type != type || key->name != name)
            continue;
        t->process_memory[key->upid] = key->track;
        t->most_memory = fmax(t->most_memory, most_memory_of(tl, key->track));
    }
}

enum process_class { PROCESS_ACTIVE, PROCESS_KERNEL, PROCESS_QUIET };

static enum process_class classify(const struct timeline *tl, uint32_t upid)
{
    const struct process_facts *f = &tl->processes[upid];
    if (process_is_kernel(tl, upid))
        return PROCESS_KERNEL;
    return f->running || f->slices ? PROCESS_ACTIVE : PROCESS_QUIET;
}

static void add_processes(struct tree_builder *b, const struct ranked *order, uint32_t count,
                          enum process_class class, const char *heading)
{
    uint32_t members = 0, shown = 0;
    for (uint32_t i = 0; i < count; i++)
        if (classify(b->tl, order[i].id) == class) {
            const struct process_facts *f = &b->tl->processes[order[i].id];
            members++;
            shown += f->running || f->slices || f->counters;
        }
    if (members == 0)
        return;
    char label[LABEL_MAX];
    snprintf(label, sizeof label, "%s (%u)", heading, shown);
    uint32_t parent = add_child(b, NO_NODE, NODE_GROUP, 0, label, -1);
    b->tree->nodes.items[parent].empty = shown == 0;
    for (uint32_t i = 0; i < count; i++)
        if (classify(b->tl, order[i].id) == class)
            add_process(b, parent, order[i].id);
}

/* A row of active processes: one, or those of one name of which each did hardly anything. */
struct process_unit {
    struct ranked rank; /* the sum; id: of the first */
    uint64_t identity;  /* shared; 0 for one alone */
    struct ranked lead; /* of the most active unit of its name, on any machine */
    uint32_t members;
};

enum { SHARED_MIN = 3, SMALL_PART = 50, FEW_PROCESSES = 20 };

static bool process_is_small(const struct timeline *tl, uint32_t upid, int64_t running,
                             uint64_t slices)
{
    const struct process_facts *f = &tl->processes[upid];
    return running > 0 ? f->running < running / SMALL_PART
                       : (uint64_t)f->slices * SMALL_PART < slices;
}

static string_id process_name(const struct timeline *tl, uint32_t upid)
{
    return column_str(&tl->trace->tables.process.columns[process_col_name], upid);
}

/* A name on a machine; 0: none. */
static uint64_t process_identity(const struct timeline *tl, uint32_t upid)
{
    string_id name = process_name(tl, upid);
    return name ? (uint64_t)timeline_process_machine(tl, upid) << 32 | name : 0;
}

/* Adds a process to the unit of its name, where it is small. */
static void add_to_units(struct map *by_name, struct process_unit *units, uint32_t *count,
                         const struct timeline *tl, struct ranked r, bool small)
{
    uint64_t identity = process_identity(tl, r.id);
    bool is_new = true;
    uint32_t *at = small && identity ? map_insert(by_name, identity, &is_new) : NULL;
    if (!is_new) {
        units[*at].rank.running += r.running;
        units[*at].rank.slices += r.slices;
        units[*at].members++;
        return;
    }
    if (at)
        *at = *count;
    units[(*count)++] = (struct process_unit){r, at ? identity : 0, r, 1};
}

static void add_unit(struct tree_builder *b, const struct process_unit *unit,
                     const struct ranked *order, uint32_t count, const bool *small)
{
    char name[LABEL_MAX - 16], label[LABEL_MAX];
    timeline_process_name(b->tl, unit->rank.id, name, sizeof name);
    snprintf(label, sizeof label, "%s (%u)", name, unit->members);
    uint32_t parent = add_child(b, NO_NODE, NODE_GROUP, 0, label, -1);
    b->tree->nodes.items[parent].prefix = prefix_bytes(b->tl, unit->rank.id);
    for (uint32_t i = 0; i < count; i++)
        if (small[i] && process_identity(b->tl, order[i].id) == unit->identity)
            add_process(b, parent, order[i].id);
}

/* Those of one name stand together, whichever machine they are of. */
static int compare_units(const void *a, const void *b)
{
    const struct process_unit *x = a, *y = b;
    int order = compare_ranked(&x->lead, &y->lead);
    return order ? order : compare_u32(x->rank.id, y->rank.id);
}

/* Finds what stands first of each name. */
static void find_leads(const struct timeline *tl, struct process_unit *units, uint32_t count)
{
    struct map leads = {0};
    bool is_new;
    for (uint32_t i = 0; i < count; i++) {
        string_id name = process_name(tl, units[i].rank.id);
        uint32_t *lead = name ? map_insert(&leads, name, &is_new) : NULL;
        units[i].lead = units[i].rank;
        if (lead && (is_new || compare_ranked(&units[i].rank, &units[*lead].rank) < 0))
            *lead = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        string_id name = process_name(tl, units[i].rank.id);
        if (name)
            units[i].lead = units[*map_find(&leads, name)].rank;
    }
    map_release(&leads);
}

/* The active processes, most active first; small ones of one name share a heading: "bash (7)". */
static void add_active_processes(struct tree_builder *b, const struct ranked *order, uint32_t count)
{
    struct process_unit *units = alloc_array((size_t)count + 1, sizeof *units);
    bool *small = alloc_array((size_t)count + 1, sizeof *small);
    struct map by_name = {0}, sizes = {0};
    int64_t running = 0;
    uint64_t slices = 0;
    uint32_t unit_count = 0;
    bool is_new;
    for (uint32_t i = 0; i < count; i++) {
        running += order[i].running;
        slices += order[i].slices;
    }
    for (uint32_t i = 0; i < count && count > FEW_PROCESSES; i++) {
        small[i] = classify(b->tl, order[i].id) == PROCESS_ACTIVE &&
                   process_is_small(b->tl, order[i].id, running, slices);
        if (small[i]) {
            uint32_t *size = map_insert(&sizes, process_identity(b->tl, order[i].id), &is_new);
            *size = is_new ? 1 : *size + 1;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        small[i] &=
            *map_insert(&sizes, process_identity(b->tl, order[i].id), &is_new) >= SHARED_MIN;
        if (classify(b->tl, order[i].id) == PROCESS_ACTIVE)
            add_to_units(&by_name, units, &unit_count, b->tl, order[i], small[i]);
    }
    if (timeline_several_machines(b->tl))
        find_leads(b->tl, units, unit_count);
    else
        for (uint32_t i = 0; i < unit_count; i++)
            units[i].lead = units[i].rank;
    qsort(units, unit_count, sizeof *units, compare_units);
    for (uint32_t i = 0; i < unit_count; i++) {
        if (units[i].members > 1)
            add_unit(b, &units[i], order, count, small);
        else
            add_process(b, NO_NODE, units[i].rank.id);
    }
    map_release(&by_name);
    map_release(&sizes);
    free(units);
    free(small);
}

static void add_all_processes(struct tree_builder *b)
{
    const struct timeline *tl = b->tl;
    uint32_t count = tl->trace->tables.process.rows, n = 0;
    b->groups = group_threads(tl);
    const struct thread_groups *g = &b->groups;
    struct ranked *order = alloc_array((size_t)count + 1, sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        bool idle_task = timeline_pid(tl, i) == 0 && tl->processes[i].slices == 0;
        if (!idle_task)
            order[n++] =
                (struct ranked){i, false, tl->processes[i].running, tl->processes[i].slices,
                                most_memory_of(tl, b->tree->process_memory[i])};
    }
    qsort(order, n, sizeof *order, compare_ranked);
    add_active_processes(b, order, n);
    add_processes(b, order, n, PROCESS_KERNEL, "Kernel threads");
    uint32_t from = g->starts[count], to = g->starts[count + 1];
    if (to > from) {
        uint32_t group = add_child(b, NO_NODE, NODE_GROUP, 0, "Threads of no process", -1);
        bool empty = true;
        for (uint32_t i = from; i < to; i++) {
            add_thread(b, group, g->threads[i].id);
            bool idle = thread_is_idle(tl, g->threads[i].id);
            b->tree->nodes.items[b->tree->thread_node[g->threads[i].id]].empty = idle;
            empty &= idle;
        }
        b->tree->nodes.items[group].empty = empty;
    }
    add_processes(b, order, n, PROCESS_QUIET, "Quiet processes");
    free(order);
    free(g->starts);
    free(g->threads);
}

/* Tracks of nobody, under the heading of their type, headings in order of their first track. */
static void add_global_tracks(struct tree_builder *b)
{
    const struct track_keys *k = &b->keys;
    struct key_range r = owned_by(&b->keys, NULL_U32, NULL_U32, NULL_U32);
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
            groups[g].node = add_child(b, NO_NODE, NODE_GROUP, 0, name, -1);
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
        group = add_child(b, NO_NODE, NODE_GROUP, 0, heading, -1);
    *vec_push(&t->debug) = d;
    d->node = add_child(b, group, NODE_DEBUG, (uint32_t)t->debug.count - 1, d->label, -1);
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

/* What counters share an axis by: the trace's word for it and whose they are, or that they are
 * frequencies of CPUs. 0: nothing. */
static uint64_t axis_of(const struct timeline *tl, uint32_t track, string_id key,
                        struct arg_list *list)
{
    const struct table *t = &tl->trace->tables.track;
    uint64_t upid = table_u32(t, track_col_upid)[track], utid = table_u32(t, track_col_utid)[track];
    struct str type = timeline_str(tl, column_str(&t->columns[track_col_type], track));
    if (str_eq(type, STR("cpu_frequency")))
        return 1;
    if (key == NULL_STRING)
        return 0;
    arg_list_clear(list);
    args_read(&tl->trace->args, table_u32(t, track_col_source_arg_set_id)[track], list);
    for (size_t i = 0; i < list->v.count; i++)
        if (list->v.items[i].key == key && list->v.items[i].type == ARG_STRING)
            return hash_mix(hash_mix(hash_u64(list->v.items[i].s), upid), utid) | 2;
    return 0;
}

static void find_shared_axes(struct track_tree *t, const struct timeline *tl)
{
    uint32_t tracks = tl->trace->tables.track.rows;
    string_id key = string_pool_lookup(&tl->trace->strings, STR("y_axis_share_key"));
    struct arg_list list = {0};
    struct map first = {0};
    t->axis_next = alloc_array((size_t)tracks + 1, sizeof *t->axis_next);
    for (uint32_t i = 0; i < tracks; i++) {
        t->axis_next[i] = i;
        uint64_t axis = timeline_track_steps(tl, i) > 0 ? axis_of(tl, i, key, &list) : 0;
        bool is_new;
        uint32_t *at = axis != 0 ? map_insert(&first, axis, &is_new) : NULL;
        if (at && is_new)
            *at = i;
        if (at && !is_new) {
            t->axis_next[i] = t->axis_next[*at];
            t->axis_next[*at] = i;
        }
    }
    arg_list_release(&list);
    map_release(&first);
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
    find_shared_axes(t, tl);
    struct tree_builder b = {.tree = t, .tl = tl, .keys = sort_tracks(tl)};
    find_memory(t, tl, &b.keys);
    add_cpus(&b);
    add_all_processes(&b);
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

bool track_tree_is_within(const struct track_tree *t, uint32_t node, uint32_t ancestor)
{
    for (; node != NO_NODE; node = t->nodes.items[node].parent)
        if (node == ancestor)
            return true;
    return false;
}
