/* Functions that give the bytes behind a row. */
#include "sql/engine/internal.h"

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

int payload_functions_register(struct sql_session *s)
{
    static const struct {
        const char *name;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"__intrinsic_video_frame_au_data", fn_video_payload},
        {"__intrinsic_heap_graph_array", fn_heap_array},
        {"__intrinsic_heap_graph_array_json", fn_heap_array},
    };
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof functions / sizeof *functions; i++)
        rc = sqlite3_create_function_v2(s->db, functions[i].name, 1, flags, s, functions[i].call,
                                        NULL, NULL, NULL);
    return rc;
}
