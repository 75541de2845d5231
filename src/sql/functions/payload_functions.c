/* Functions that give the bytes behind a row. */
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"

/* The encoded picture, or a decoder's configuration, of a row of __intrinsic_video_frames. */
static void fn_video_payload(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    const struct sql_session *s = sqlite3_user_data(ctx);
    int64_t id = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        sqlite3_result_error(
            ctx,
            "__intrinsic_video_frame_au_data: the argument is an id of __intrinsic_video_frames",
            -1);
        return;
    }
    if (id < 0 || (uint64_t)id >= s->trace->video_payloads.count)
        return;
    struct str payload = s->trace->video_payloads.items[id];
    sqlite3_result_blob64(ctx, payload.p, payload.n, SQLITE_STATIC);
}

/* The elements of a Java array: NULL, because none of the traces that are read has them. */
static void fn_heap_array(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    int type = sqlite3_value_type(argv[0]);
    if (type != SQLITE_NULL && type != SQLITE_INTEGER)
        sqlite3_result_error(ctx,
                             "__intrinsic_heap_graph_array: the argument is an array_data_id of "
                             "heap_graph_object_data",
                             -1);
}

static const struct native_function functions[] = {
    {.name = "__intrinsic_video_frame_au_data", .argc = 1, .flags = PURE, .call = fn_video_payload},
    {.name = "__intrinsic_heap_graph_array", .argc = 1, .flags = PURE, .call = fn_heap_array},
    {.name = "__intrinsic_heap_graph_array_json", .argc = 1, .flags = PURE, .call = fn_heap_array},
    {0},
};

const struct sql_family payload_functions_family = {.functions = functions};
