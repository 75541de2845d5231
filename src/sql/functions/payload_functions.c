/* Functions that give the bytes behind a row. */
#include <math.h>

#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "sql/export/json_text.h"

/* The encoded picture, or a decoder's configuration, of a row of __intrinsic_video_frames. */
static void fn_video_payload(SQL_FUNCTION_ARGS)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    int64_t id = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        result_error(
            ctx,
            "__intrinsic_video_frame_au_data: the argument is an id of __intrinsic_video_frames");
        return;
    }
    if (id < 0 || (uint64_t)id >= s->trace->video_payloads.count)
        return;
    struct str payload = s->trace->video_payloads.items[id];
    sqlite3_result_blob64(ctx, payload.p, payload.n, SQLITE_STATIC);
}

/* The array, see trace.h; NULL where the argument is none, or an error. */
static const struct str *heap_array(sqlite3_context *ctx, sqlite3_value *arg)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    int type = sqlite3_value_type(arg);
    int64_t id = sqlite3_value_int64(arg);
    if (type != SQLITE_NULL && type != SQLITE_INTEGER)
        result_error(ctx, "__intrinsic_heap_graph_array: the argument is an array_data_id of "
                          "heap_graph_object_data");
    if (type != SQLITE_INTEGER || id < 0 || (uint64_t)id >= s->trace->heap_arrays.count)
        return NULL;
    const struct str *array = &s->trace->heap_arrays.items[id];
    return array->n > 0 ? array : NULL;
}

static void fn_heap_array(SQL_FUNCTION_ARGS)
{
    const struct str *array = heap_array(ctx, argv[0]);
    if (array)
        sqlite3_result_blob64(ctx, array->p + 1, array->n - 1, SQLITE_STATIC);
}

static size_t element_size(uint8_t element)
{
    switch (element) {
    case HEAP_BOOLEAN:
    case HEAP_BYTE:
        return 1;
    case HEAP_CHAR:
    case HEAP_SHORT:
        return 2;
    case HEAP_FLOAT:
    case HEAP_INT:
        return 4;
    default:
        return 8;
    }
}

static void append_real(sqlite3_str *out, double v)
{
    if (isfinite(v))
        json_append_real(out, v);
    else
        sqlite3_str_appendall(out, isnan(v) ? "\"NaN\"" : v < 0 ? "\"-Infinity\"" : "\"Infinity\"");
}

static void append_element(sqlite3_str *out, uint8_t element, const char *at)
{
    uint64_t bits = 0; /* the lowest byte stands first */
    for (size_t i = element_size(element); i-- > 0;)
        bits = bits << 8 | (uint8_t)at[i];
    uint32_t low = (uint32_t)bits;
    float single;
    double real;
    switch (element) {
    case HEAP_BOOLEAN:
        sqlite3_str_appendall(out, bits ? "true" : "false");
        break;
    case HEAP_CHAR:
        sqlite3_str_appendf(out, "%d", (uint16_t)bits);
        break;
    case HEAP_BYTE:
        sqlite3_str_appendf(out, "%d", (int8_t)bits);
        break;
    case HEAP_SHORT:
        sqlite3_str_appendf(out, "%d", (int16_t)bits);
        break;
    case HEAP_INT:
        sqlite3_str_appendf(out, "%d", (int32_t)bits);
        break;
    case HEAP_FLOAT:
        memcpy(&single, &low, sizeof single);
        append_real(out, (double)single);
        break;
    case HEAP_DOUBLE:
        memcpy(&real, &bits, sizeof real);
        append_real(out, real);
        break;
    default: /* a text: JSON's readers take numbers as doubles */
        sqlite3_str_appendf(out, "\"%lld\"", (long long)bits);
        break;
    }
}

static void fn_heap_array_json(SQL_FUNCTION_ARGS)
{
    const struct str *array = heap_array(ctx, argv[0]);
    if (!array)
        return;
    uint8_t element = (uint8_t)array->p[0];
    size_t size = element_size(element);
    const struct sql_session *s = sqlite3_user_data(ctx);
    sqlite3_str *out = sqlite3_str_new(s->db);
    for (size_t at = 1; at + size <= array->n; at += size) {
        sqlite3_str_appendchar(out, 1, at == 1 ? '[' : ',');
        append_element(out, element, array->p + at);
    }
    sqlite3_str_appendall(out, array->n > size ? "]" : "[]");
    result_built(ctx, out);
}

static const struct native_function functions[] = {
    SQL_PURE("__intrinsic_video_frame_au_data", 1, fn_video_payload),
    SQL_PURE("__intrinsic_heap_graph_array", 1, fn_heap_array),
    SQL_PURE("__intrinsic_heap_graph_array_json", 1, fn_heap_array_json),
    {0},
};

const struct sql_family payload_functions_family = {.functions = functions};
