#include "tui/timeline/side.h"

#include "tui/context/state.h"

static uint32_t machine_of_row(uint32_t row, const struct table *t, uint32_t column)
{
    return row < t->rows ? table_u32(t, column)[row] : 0;
}

char app_side(struct app *a, uint32_t node)
{
    const struct track_tree *tree = app_tree(a);
    const struct trace *t = &a->opened->trace;
    const struct tables *tables_of = &t->tables;
    for (; node != NO_NODE; node = tree->nodes.items[node].parent) {
        const struct track_node *n = &tree->nodes.items[node];
        switch (n->kind) {
        case NODE_CPUS:
            return pair_side(t, n->id);
        case NODE_CPU:
            return pair_side(t, timeline_cpu_machine(app_timeline(a), n->id));
        case NODE_PROCESS:
            return pair_side(t, timeline_process_machine(app_timeline(a), n->id));
        case NODE_THREAD:
            return pair_side(t, machine_of_row(n->id, &tables_of->thread, thread_col_machine_id));
        case NODE_COUNTER:
            return pair_side(t, machine_of_row(n->id, &tables_of->track, track_col_machine_id));
        case NODE_TRACKS:
            return pair_side(t, machine_of_row(tree->tracks.items[n->first], &tables_of->track,
                                               track_col_machine_id));
        case NODE_GROUP:
        case NODE_COUNTERS:
        case NODE_DEBUG:
            break;
        }
    }
    return 0;
}
