/* Processes and their threads in the tree of tracks, the most active first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tui/view/tree_builder.h"

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

/* The processes that have rows, in the order of their rank. */
struct process_list {
    struct tree_builder *builder;
    struct thread_groups groups;
    struct ranked *items;
    uint32_t count;
};

static int compare_u32(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
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
    uint32_t node = tree_builder_add(b, parent, NODE_THREAD, utid, label, timeline_tid(tl, utid));
    struct key_range r = tree_builder_owned(b, NULL_U32, utid, NULL_U32);
    b->tree->nodes.items[node].empty =
        tl->threads[utid].slices == 0 && lane_size(&tl->states, utid) == 0 && r.from == r.to;
    b->tree->thread_node[utid] = node;
    tree_builder_add_owned(b, node, r, false);
    tree_builder_add_owned(b, node, r, true);
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

/* The threads [from, to) of the groups; whether all of them are idle. */
static bool add_threads(struct process_list *l, uint32_t parent, uint32_t from, uint32_t to)
{
    bool all_idle = true;
    for (uint32_t i = from; i < to; i++) {
        struct tree_builder *b = l->builder;
        uint32_t utid = l->groups.threads[i].id;
        add_thread(b, parent, utid);
        bool idle = thread_is_idle(b->tl, utid);
        if (idle)
            b->tree->nodes.items[b->tree->thread_node[utid]].empty = true;
        all_idle &= idle;
    }
    return all_idle;
}

/* The first that it says of itself behind its name, as a renderer the title of its page. */
static void append_label(const struct timeline *tl, uint32_t upid, char label[LABEL_MAX])
{
    const struct table *t = &tl->trace->tables.process;
    string_id key = string_pool_lookup(&tl->trace->strings, STR("chrome.process_label"));
    struct arg_list list = {0};
    size_t n = strlen(label), i = 0;
    if (key != NULL_STRING)
        args_read(&tl->trace->args, table_u32(t, process_col_arg_set_id)[upid], &list);
    while (i < list.v.count &&
           (list.v.items[i].flat_key != key || list.v.items[i].type != ARG_STRING ||
            timeline_str(tl, list.v.items[i].s).n == 0))
        i++;
    if (i < list.v.count) {
        struct str text = timeline_str(tl, list.v.items[i].s);
        snprintf(label + n, LABEL_MAX - n, " (%.*s)",
                 (int)(text.n < LABEL_MAX ? text.n : LABEL_MAX), text.p);
    }
    arg_list_release(&list);
}

static void add_process(struct process_list *l, uint32_t parent, uint32_t upid)
{
    struct tree_builder *b = l->builder;
    const struct timeline *tl = b->tl;
    const struct process_facts *f = &tl->processes[upid];
    char label[LABEL_MAX];
    timeline_process_name(tl, upid, label, sizeof label);
    append_label(tl, upid, label);
    uint32_t node = tree_builder_add(b, parent, NODE_PROCESS, upid, label, timeline_pid(tl, upid));
    b->tree->nodes.items[node].prefix = prefix_bytes(tl, upid);
    b->tree->process_node[upid] = node;
    b->tree->nodes.items[node].empty = f->running == 0 && f->slices == 0 && f->counters == 0;
    struct key_range r = tree_builder_owned(b, NULL_U32, NULL_U32, upid);
    tree_builder_add_owned(b, node, r, false);
    add_threads(l, node, l->groups.starts[upid], l->groups.starts[upid + 1]);
    if (f->counters == 0)
        return;
    snprintf(label, sizeof label, "%u counter%s", f->counters, f->counters == 1 ? "" : "s");
    uint32_t counters = tree_builder_add(b, node, NODE_COUNTERS, upid, label, -1);
    tree_builder_add_owned(b, counters, r, true);
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
static void find_memory(struct tree_builder *b)
{
    struct track_tree *t = b->tree;
    const struct timeline *tl = b->tl;
    const struct track_keys *k = &b->keys;
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

static void add_class(struct process_list *l, enum process_class class, const char *heading)
{
    struct tree_builder *b = l->builder;
    uint32_t members = 0, shown = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (classify(b->tl, l->items[i].id) == class) {
            const struct process_facts *f = &b->tl->processes[l->items[i].id];
            members++;
            shown += f->running || f->slices || f->counters;
        }
    if (members == 0)
        return;
    char label[LABEL_MAX];
    snprintf(label, sizeof label, "%s (%u)", heading, shown);
    uint32_t parent = tree_builder_add(b, NO_NODE, NODE_GROUP, 0, label, -1);
    b->tree->nodes.items[parent].empty = shown == 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (classify(b->tl, l->items[i].id) == class)
            add_process(l, parent, l->items[i].id);
}

/* A row of active processes: one, or those of one name of which each did hardly anything. */
struct process_unit {
    struct ranked rank;   /* the sum; id: of the first */
    struct ranked lead;   /* of the most active unit of its name, on any machine */
    uint32_t first, last; /* members, as indexes of the list; each names the next */
    uint32_t members;
};

struct process_units {
    struct process_unit *items;
    uint32_t count;
    uint32_t *next; /* by index of the list: the next member */
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

/* Adds process `i` of the list to the unit of its name, where it is small. */
static void add_to_units(struct process_units *u, struct map *by_name, const struct process_list *l,
                         uint32_t i, bool small)
{
    const struct ranked *r = &l->items[i];
    uint64_t identity = small ? process_identity(l->builder->tl, r->id) : 0;
    bool is_new = true;
    uint32_t *at = identity ? map_insert(by_name, identity, &is_new) : NULL;
    if (!is_new) {
        struct process_unit *unit = &u->items[*at];
        unit->rank.running += r->running;
        unit->rank.slices += r->slices;
        unit->members++;
        u->next[unit->last] = i;
        unit->last = i;
        return;
    }
    if (at)
        *at = u->count;
    u->items[u->count++] = (struct process_unit){*r, *r, i, i, 1};
}

static void add_unit(struct process_list *l, const struct process_units *u,
                     const struct process_unit *unit)
{
    struct tree_builder *b = l->builder;
    char name[LABEL_MAX - 16], label[LABEL_MAX];
    timeline_process_name(b->tl, unit->rank.id, name, sizeof name);
    snprintf(label, sizeof label, "%s (%u)", name, unit->members);
    uint32_t parent = tree_builder_add(b, NO_NODE, NODE_GROUP, 0, label, -1);
    b->tree->nodes.items[parent].prefix = prefix_bytes(b->tl, unit->rank.id);
    for (uint32_t k = 0, i = unit->first; k < unit->members; k++, i = u->next[i])
        add_process(l, parent, l->items[i].id);
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

/* Which of the active processes did hardly anything, of names that several of them have. */
static void find_small(const struct process_list *l, bool *small)
{
    const struct timeline *tl = l->builder->tl;
    struct map sizes = {0};
    int64_t running = 0;
    uint64_t slices = 0;
    bool is_new;
    for (uint32_t i = 0; i < l->count; i++) {
        running += l->items[i].running;
        slices += l->items[i].slices;
    }
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t upid = l->items[i].id;
        small[i] =
            classify(tl, upid) == PROCESS_ACTIVE && process_is_small(tl, upid, running, slices);
        uint32_t *size = small[i] ? map_insert(&sizes, process_identity(tl, upid), &is_new) : NULL;
        if (size)
            *size = is_new ? 1 : *size + 1;
    }
    for (uint32_t i = 0; i < l->count; i++)
        small[i] =
            small[i] && *map_find(&sizes, process_identity(tl, l->items[i].id)) >= SHARED_MIN;
    map_release(&sizes);
}

static void find_units(const struct process_list *l, struct process_units *u)
{
    const struct timeline *tl = l->builder->tl;
    bool *small = alloc_array((size_t)l->count + 1, sizeof *small);
    struct map by_name = {0};
    if (l->count > FEW_PROCESSES)
        find_small(l, small);
    for (uint32_t i = 0; i < l->count; i++)
        if (classify(tl, l->items[i].id) == PROCESS_ACTIVE)
            add_to_units(u, &by_name, l, i, small[i]);
    map_release(&by_name);
    free(small);
}

/* The active processes, most active first; small ones of one name share a heading: "bash (7)". */
static void add_active_processes(struct process_list *l)
{
    struct process_units u = {
        .items = alloc_array((size_t)l->count + 1, sizeof *u.items),
        .next = alloc_array((size_t)l->count + 1, sizeof *u.next),
    };
    find_units(l, &u);
    if (timeline_several_machines(l->builder->tl))
        find_leads(l->builder->tl, u.items, u.count);
    else
        for (uint32_t i = 0; i < u.count; i++)
            u.items[i].lead = u.items[i].rank;
    qsort(u.items, u.count, sizeof *u.items, compare_units);
    for (uint32_t i = 0; i < u.count; i++) {
        if (u.items[i].members > 1)
            add_unit(l, &u, &u.items[i]);
        else
            add_process(l, NO_NODE, u.items[i].rank.id);
    }
    free(u.items);
    free(u.next);
}

static void add_threads_alone(struct process_list *l)
{
    struct tree_builder *b = l->builder;
    uint32_t processes = b->tl->trace->tables.process.rows;
    uint32_t from = l->groups.starts[processes], to = l->groups.starts[processes + 1];
    if (from == to)
        return;
    uint32_t group = tree_builder_add(b, NO_NODE, NODE_GROUP, 0, "Threads of no process", -1);
    bool idle = add_threads(l, group, from, to);
    b->tree->nodes.items[group].empty = idle;
}

void tree_builder_add_processes(struct tree_builder *b)
{
    const struct timeline *tl = b->tl;
    uint32_t count = tl->trace->tables.process.rows;
    struct process_list l = {
        .builder = b,
        .groups = group_threads(tl),
        .items = alloc_array((size_t)count + 1, sizeof *l.items),
    };
    find_memory(b);
    for (uint32_t i = 0; i < count; i++) {
        bool idle_task = timeline_pid(tl, i) == 0 && tl->processes[i].slices == 0;
        if (!idle_task)
            l.items[l.count++] =
                (struct ranked){i, false, tl->processes[i].running, tl->processes[i].slices,
                                most_memory_of(tl, b->tree->process_memory[i])};
    }
    qsort(l.items, l.count, sizeof *l.items, compare_ranked);
    add_active_processes(&l);
    add_class(&l, PROCESS_KERNEL, "Kernel threads");
    add_threads_alone(&l);
    add_class(&l, PROCESS_QUIET, "Quiet processes");
    free(l.items);
    free(l.groups.starts);
    free(l.groups.threads);
}
