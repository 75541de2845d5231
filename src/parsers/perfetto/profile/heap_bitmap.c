#include "parsers/perfetto/profile/heap_bitmap.h"

#include "pb_fields.h"
#include "core/store/rows.h"

static const struct {
    uint32_t number;
    bool is_long; /* in Java; else int */
    const char *name;
} fields[HEAP_BITMAP_FIELDS] = {
    {PB_HeapGraphObject_bitmap_id_field, true, "android.graphics.Bitmap.mId"},
    {PB_HeapGraphObject_bitmap_source_id_field, true, "android.graphics.Bitmap.mSourceId"},
    {PB_HeapGraphObject_bitmap_width_field, false, "android.graphics.Bitmap.mWidth"},
    {PB_HeapGraphObject_bitmap_height_field, false, "android.graphics.Bitmap.mHeight"},
};

void heap_bitmap_read(struct heap_bitmap *b, const struct pb_field *f)
{
    for (size_t i = 0; i < HEAP_BITMAP_FIELDS; i++) {
        if (f->number != fields[i].number)
            continue;
        b->values[i] = fields[i].is_long ? pb_i64(f) : pb_u32(f);
        b->known[i] = true;
    }
}

uint32_t heap_bitmap_write(struct trace *t, const struct heap_bitmap *b)
{
    struct table *values = &t->tables.heap_graph_primitive;
    uint32_t set = values->rows;
    for (size_t i = 0; i < HEAP_BITMAP_FIELDS; i++) {
        if (!b->known[i])
            continue;
        struct heap_graph_primitive_row row = heap_graph_primitive_row_null();
        row.field_set_id = set;
        row.field_name = trace_intern_c(t, fields[i].name);
        row.field_type = trace_intern(t, fields[i].is_long ? STR("long") : STR("int"));
        *(fields[i].is_long ? &row.long_value : &row.int_value) = b->values[i];
        heap_graph_primitive_append(values, &row);
    }
    if (values->rows == set)
        return NULL_U32;
    struct heap_graph_object_data_row data = heap_graph_object_data_row_null();
    data.field_set_id = set;
    return heap_graph_object_data_append(&t->tables.heap_graph_object_data, &data);
}
