/* Rows of a table sorted into lanes: what lanes (tui/index/lanes.h) and steps (tui/index/steps.h)
 * begin with.
 *
 * Tables may lie in a file (base/block_store.h), so an index goes through a table once, in its
 * order, and writes at the end of each lane, instead of going through each lane. */
#ifndef TPTUI_TUI_INDEX_LANE_ROWS_H
#define TPTUI_TUI_INDEX_LANE_ROWS_H

#include <stdint.h>

/* The caller frees both. */
struct lane_rows {
    uint32_t *starts; /* lane_count + 1 positions, the last of which is how many there are */
    uint32_t *rows; /* position -> row: lanes one behind the other, each in order of time, and rows
                       of the same time in their own order */
};

/* `lane_of[row]` says where a row goes, NULL_U32 nowhere; `ts[row]` (ns) is its time. */
struct lane_rows lane_rows_sort(const uint32_t *lane_of, uint32_t lane_count, uint32_t table_rows,
                                const int64_t *ts);

#endif
