#include "tui/view/shared_axes.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"

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

uint32_t *shared_axes_make(const struct timeline *tl)
{
    uint32_t tracks = tl->trace->tables.track.rows;
    string_id key = string_pool_lookup(&tl->trace->strings, STR("y_axis_share_key"));
    struct arg_list list = {0};
    struct map first = {0};
    uint32_t *next = alloc_array((size_t)tracks + 1, sizeof *next);
    for (uint32_t i = 0; i < tracks; i++) {
        next[i] = i;
        uint64_t axis = timeline_track_steps(tl, i) > 0 ? axis_of(tl, i, key, &list) : 0;
        bool is_new;
        uint32_t *at = axis != 0 ? map_insert(&first, axis, &is_new) : NULL;
        if (at && is_new)
            *at = i;
        if (at && !is_new) {
            next[i] = next[*at];
            next[*at] = i;
        }
    }
    arg_list_release(&list);
    map_release(&first);
    return next;
}
