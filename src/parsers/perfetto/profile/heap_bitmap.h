/* Bitmap is the only class of which Java heap dumps tell the values of fields: a few of them, for
 * each of its objects. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_BITMAP_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_BITMAP_H

#include "core/trace_builder.h"
#include "parsers/proto/wire.h"

enum { HEAP_BITMAP_FIELDS = 4 };

struct heap_bitmap {
    int64_t values[HEAP_BITMAP_FIELDS];
    bool known[HEAP_BITMAP_FIELDS];
};

/* Takes over a field of a HeapGraphObject that is such a value; ignores others. */
void heap_bitmap_read(struct heap_bitmap *b, const struct pb_field *f);
/* Adds the row of heap_graph_object_data with these values; NULL_U32 where none are known. */
uint32_t heap_bitmap_write(struct trace *t, const struct heap_bitmap *b);

#endif
