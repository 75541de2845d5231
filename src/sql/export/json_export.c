#include "sql/export/json_export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sql/engine/session_state.h"
#include "sql/export/args_json.h"
#include "sql/export/json_text.h"

/* Written so far in pieces of this size. */
enum { BUFFER_SIZE = 1 << 16 };

struct json_writer {
    struct sql_session *session;
    FILE *file;
    sqlite3_str *out;
    const char *separator;
};

static void flush(struct json_writer *w)
{
    fwrite(sqlite3_str_value(w->out), 1, (size_t)sqlite3_str_length(w->out), w->file);
    sqlite3_str_reset(w->out);
}

/* {"ph":"X","pid":1,"tid":2: the caller goes on from there. */
static void begin_event(struct json_writer *w, const char *phase, int64_t pid, int64_t tid)
{
    sqlite3_str_appendf(w->out, "%s{\"ph\":\"%s\",\"pid\":%lld,\"tid\":%lld", w->separator, phase,
                        (long long)pid, (long long)tid);
    w->separator = ",\n";
}

static void end_event(struct json_writer *w)
{
    sqlite3_str_appendchar(w->out, 1, '}');
    if (sqlite3_str_length(w->out) > BUFFER_SIZE)
        flush(w);
}

/* Microseconds with all of the nanoseconds. */
static void append_time(struct json_writer *w, const char *key, int64_t ns)
{
    uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    sqlite3_str_appendf(w->out, ",\"%s\":%s%llu.%03llu", key, ns < 0 ? "-" : "",
                        (unsigned long long)n / 1000, (unsigned long long)n % 1000);
}

static void append_text(struct json_writer *w, const char *key, sqlite3_stmt *row, int column)
{
    struct str s = {(const char *)sqlite3_column_text(row, column),
                    (size_t)sqlite3_column_bytes(row, column)};
    sqlite3_str_appendf(w->out, ",\"%s\":", key);
    json_append_text(w->out, s.p ? s : STR(""));
}

static bool is_null(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL;
}

static void append_args(struct json_writer *w, sqlite3_stmt *row, int column)
{
    if (is_null(row, column))
        return;
    sqlite3_str_appendall(w->out, ",\"args\":");
    if (!args_append_json(w->out, w->session, (uint32_t)sqlite3_column_int64(row, column),
                          ARGS_JSON_OF_CHROME))
        sqlite3_str_appendall(w->out, "{}");
}

static const char names_query[] =
    "SELECT 'process_name', pid, 0, name FROM process WHERE name IS NOT NULL UNION ALL "
    "SELECT 'thread_name', ifnull(p.pid, 0), t.tid, t.name FROM thread AS t "
    "LEFT JOIN process AS p USING (upid) WHERE t.name IS NOT NULL";

static void write_name(struct json_writer *w, sqlite3_stmt *row)
{
    begin_event(w, "M", sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2));
    append_text(w, "name", row, 0);
    sqlite3_str_appendall(w->out, ",\"args\":{\"name\":");
    json_append_text(w->out, (struct str){(const char *)sqlite3_column_text(row, 3),
                                          (size_t)sqlite3_column_bytes(row, 3)});
    sqlite3_str_appendchar(w->out, 1, '}');
    end_event(w);
}

enum {
    SLICE_TS,
    SLICE_DUR,
    SLICE_NAME,
    SLICE_CATEGORY,
    SLICE_ARGS,
    SLICE_CPU_TS,
    SLICE_CPU_DUR,
    SLICE_TID,
    SLICE_PID,
    SLICE_TRACK,
    SLICE_OF_THREAD
};

static const char slices_query[] =
    "SELECT s.ts, s.dur, s.name, s.category, s.arg_set_id, s.thread_ts, s.thread_dur, "
    "ifnull(t.tid, 0), coalesce(tp.pid, p.pid, 0), s.track_id, t.utid IS NOT NULL "
    "FROM slice AS s LEFT JOIN thread_track AS tt ON tt.id = s.track_id "
    "LEFT JOIN thread AS t ON t.utid = tt.utid LEFT JOIN process AS tp ON tp.upid = t.upid "
    "LEFT JOIN process_track AS pt ON pt.id = s.track_id "
    "LEFT JOIN process AS p ON p.upid = pt.upid";

static void append_slice(struct json_writer *w, sqlite3_stmt *row, int64_t ts)
{
    append_time(w, "ts", ts);
    append_text(w, "cat", row, SLICE_CATEGORY);
    append_text(w, "name", row, SLICE_NAME);
}

/* A thread's slices nest; an unfinished one is a beginning. */
static void write_thread_slice(struct json_writer *w, sqlite3_stmt *row, int64_t ts, int64_t dur)
{
    const char *phase = dur < 0 ? "B" : dur == 0 ? "i" : "X";
    begin_event(w, phase, sqlite3_column_int64(row, SLICE_PID),
                sqlite3_column_int64(row, SLICE_TID));
    append_slice(w, row, ts);
    if (dur > 0)
        append_time(w, "dur", dur);
    if (dur == 0)
        sqlite3_str_appendall(w->out, ",\"s\":\"t\"");
    if (!is_null(row, SLICE_CPU_TS))
        append_time(w, "tts", sqlite3_column_int64(row, SLICE_CPU_TS));
    if (dur > 0 && !is_null(row, SLICE_CPU_DUR))
        append_time(w, "tdur", sqlite3_column_int64(row, SLICE_CPU_DUR));
    append_args(w, row, SLICE_ARGS);
    end_event(w);
}

static void write_async_end(struct json_writer *w, sqlite3_stmt *row, const char *phase, int64_t ts)
{
    begin_event(w, phase, sqlite3_column_int64(row, SLICE_PID), 0);
    append_slice(w, row, ts);
    sqlite3_str_appendf(w->out, ",\"id\":\"0x%llx\"",
                        (unsigned long long)sqlite3_column_int64(row, SLICE_TRACK));
    if (*phase != 'e')
        append_args(w, row, SLICE_ARGS);
    end_event(w);
}

/* Other tracks are asynchronous operations that have the track's id. */
static void write_slice(struct json_writer *w, sqlite3_stmt *row)
{
    int64_t ts = sqlite3_column_int64(row, SLICE_TS), dur = sqlite3_column_int64(row, SLICE_DUR);
    int64_t end;
    if (sqlite3_column_int(row, SLICE_OF_THREAD)) {
        write_thread_slice(w, row, ts, dur);
        return;
    }
    write_async_end(w, row, dur == 0 ? "n" : "b", ts);
    if (dur > 0 && !__builtin_add_overflow(ts, dur, &end))
        write_async_end(w, row, "e", end);
}

static const char counters_query[] =
    "SELECT c.ts, ct.name, c.value, coalesce(p.pid, tp.pid, 0), ifnull(t.tid, 0) FROM counter AS c "
    "JOIN counter_track AS ct ON ct.id = c.track_id "
    "LEFT JOIN process_counter_track AS pt ON pt.id = c.track_id "
    "LEFT JOIN process AS p ON p.upid = pt.upid "
    "LEFT JOIN thread_counter_track AS tt ON tt.id = c.track_id "
    "LEFT JOIN thread AS t ON t.utid = tt.utid LEFT JOIN process AS tp ON tp.upid = t.upid";

static void write_counter(struct json_writer *w, sqlite3_stmt *row)
{
    begin_event(w, "C", sqlite3_column_int64(row, 3), sqlite3_column_int64(row, 4));
    append_time(w, "ts", sqlite3_column_int64(row, 0));
    append_text(w, "name", row, 1);
    sqlite3_str_appendall(w->out, ",\"args\":{\"value\":");
    json_append_real(w->out, sqlite3_column_double(row, 2));
    sqlite3_str_appendchar(w->out, 1, '}');
    end_event(w);
}

static const char flows_query[] =
    "SELECT phase, f.id, s.ts, ifnull(p.pid, 0), t.tid FROM (SELECT 's' AS phase, id, slice_out AS "
    "slice FROM flow UNION ALL SELECT 'f', id, slice_in FROM flow) AS f "
    "JOIN slice AS s ON s.id = f.slice JOIN thread_track AS tt ON tt.id = s.track_id "
    "JOIN thread AS t USING (utid) LEFT JOIN process AS p USING (upid)";

static void write_flow(struct json_writer *w, sqlite3_stmt *row)
{
    begin_event(w, (const char *)sqlite3_column_text(row, 0), sqlite3_column_int64(row, 3),
                sqlite3_column_int64(row, 4));
    append_time(w, "ts", sqlite3_column_int64(row, 2));
    sqlite3_str_appendf(w->out, ",\"cat\":\"flow\",\"name\":\"flow\",\"id\":%lld,\"bp\":\"e\"",
                        (long long)sqlite3_column_int64(row, 1));
    end_event(w);
}

static const char metadata_query[] =
    "SELECT name, CAST(coalesce(str_value, int_value) AS TEXT) FROM metadata "
    "WHERE coalesce(str_value, int_value) IS NOT NULL GROUP BY name";

static void write_metadata(struct json_writer *w, sqlite3_stmt *row)
{
    sqlite3_str_appendall(w->out, w->separator);
    json_append_text(w->out, str_from((const char *)sqlite3_column_text(row, 0)));
    sqlite3_str_appendchar(w->out, 1, ':');
    json_append_text(w->out, (struct str){(const char *)sqlite3_column_text(row, 1),
                                          (size_t)sqlite3_column_bytes(row, 1)});
    w->separator = ",\n";
}

static struct status write_rows(struct json_writer *w, const char *query,
                                void (*write)(struct json_writer *w, sqlite3_stmt *row))
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(w->session->db, query, -1, &stmt, NULL);
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        write(w, stmt);
    rc = sqlite3_finalize(stmt);
    if (rc == SQLITE_OK)
        return status_ok_value();
    if (rc == SQLITE_INTERRUPT)
        return status_error(STATUS_CANCELLED, "interrupted");
    return status_error(STATUS_SQL, "%s", sqlite3_errmsg(w->session->db));
}

static struct status write_all(struct json_writer *w)
{
    static const struct {
        const char *query;
        void (*write)(struct json_writer *w, sqlite3_stmt *row);
    } events[] = {
        {names_query, write_name},
        {slices_query, write_slice},
        {counters_query, write_counter},
        {flows_query, write_flow},
    };
    struct status s = status_ok_value();
    sqlite3_str_appendall(w->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    w->separator = "";
    for (size_t i = 0; i < sizeof events / sizeof *events && status_ok(s); i++)
        s = write_rows(w, events[i].query, events[i].write);
    sqlite3_str_appendall(w->out, "],\n\"metadata\":{");
    w->separator = "";
    if (status_ok(s))
        s = write_rows(w, metadata_query, write_metadata);
    sqlite3_str_appendall(w->out, "}}\n");
    flush(w);
    return s;
}

struct status json_export(struct sql_session *s, FILE *file)
{
    struct json_writer w = {.session = s, .file = file, .out = sqlite3_str_new(NULL)};
    struct status status = write_all(&w);
    sqlite3_free(sqlite3_str_finish(w.out));
    return status;
}
