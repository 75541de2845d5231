/* The fields of Bitmap objects whose values Java heap dumps tell; they tell those of no other
 * class.
 */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_BITMAP_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_BITMAP_H

#include "core/trace_builder.h"
#include "parsers/proto/wire.h"

enum { HEAP_BITMAP_FIELDS = 4 };

struct heap_bitmap {
    int64_t values[HEAP_BITMAP_FIELDS];
    bool known[HEAP_BITMAP_FIELDS];
};

/* Takes a field of a HeapGraphObject if it is of a bitmap. */
void heap_bitmap_read(struct heap_bitmap *b, const struct pb_field *f);
/* Adds the row of heap_graph_object_data with these values; NULL_U32 where none are known. */
uint32_t heap_bitmap_write(struct trace *t, const struct heap_bitmap *b);

#endif
