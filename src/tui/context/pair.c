#include "tui/context/pair.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/embedded_file.h"
#include "base/tar_file.h"
#include "base/unnamed_file.h"
#include "core/trace_builder.h"
#include "sql/session.h"

extern const struct embedded_file compare_files[];

enum { NAME_SIZE = 90, MANIFEST_SIZE = 2048 };

/* What is known of a trace before both are loaded. */
struct side {
    const char *path;
    char member[NAME_SIZE]; /* what it is called in the archive: "A/trace.pftrace" */
    char clock[32];         /* of its times: ", \"clock\": \"BOOTTIME\""; "": the file's own */
    int64_t anchor;         /* the time that is aligned */
    int64_t end;
};

/* The file's own name, as far as a manifest need not escape it. */
static void name_member(struct side *side, char letter)
{
    const char *slash = strrchr(side->path, '/'), *name = slash ? slash + 1 : side->path;
    size_t n = (size_t)snprintf(side->member, NAME_SIZE, "%c/", letter);
    for (; *name && n < NAME_SIZE - 1; name++)
        side->member[n++] =
            (char)(isalnum((unsigned char)*name) || strchr("._-", *name) ? *name : '_');
    side->member[n] = '\0';
}

/* The clock that times are in after loading, where its format tells of several. */
static struct status ask_clock(struct sql_session *s, struct side *side)
{
    static const char *const names[] = {"",          "REALTIME",         "REALTIME_COARSE",
                                        "MONOTONIC", "MONOTONIC_COARSE", "MONOTONIC_RAW",
                                        "BOOTTIME"};
    int64_t number = 0, files = 0;
    struct status status =
        sql_session_int(s,
                        "SELECT iif(t.str_value = 'proto', ifnull(c.int_value, 6), 0)\n"
                        "FROM (SELECT 1)\n"
                        "LEFT JOIN metadata t ON t.name = 'trace_type'\n"
                        "LEFT JOIN metadata c ON c.name = 'trace_time_clock_id' LIMIT 1;",
                        &number);
    if (status_ok(status))
        status = sql_session_int(s,
                                 "SELECT count() FROM __intrinsic_trace_file\n"
                                 "WHERE trace_type NOT IN ('gzip', 'zstd');",
                                 &files);
    if (!status_ok(status))
        return status;
    if (files > 1)
        return status_error(STATUS_USAGE, "%s: traces are compared one by one, this is an archive",
                            side->path);
    side->clock[0] = '\0';
    if (number > 0 && number < (int64_t)(sizeof names / sizeof *names))
        snprintf(side->clock, sizeof side->clock, ", \"clock\": \"%s\"", names[number]);
    return status;
}

static struct status ask_anchor(struct sql_session *s, struct side *side, const char *align)
{
    struct status status = sql_session_int(s, "SELECT ifnull(trace_end(), 0);", &side->end);
    if (!status_ok(status))
        return status;
    if (!align)
        return sql_session_int(s, "SELECT ifnull(trace_start(), 0);", &side->anchor);
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return status_error(STATUS_IO, "out of memory");
    fputs("SELECT ifnull(min(ts), -1) FROM slice WHERE name GLOB '", f);
    for (const char *c = align; *c; c++)
        fprintf(f, "%s%c", *c == '\'' ? "'" : "", *c);
    fputs("';", f);
    fclose(f);
    status = sql_session_int(s, text, &side->anchor);
    free(text);
    if (status_ok(status) && side->anchor < 0)
        return status_error(STATUS_USAGE, "%s: no slice to align by: %s", side->path, align);
    return status;
}

/* Loads the trace alone, to learn what is asked. */
static struct status look_at(struct side *side, const struct pair_options *p,
                             const struct cache_options *cache, struct load_progress *progress)
{
    struct trace *t = alloc_array(1, sizeof *t);
    struct cache_outcome outcome = {0};
    trace_init(t);
    struct status status = trace_open(t, side->path, NULL, cache, progress, &outcome), opened;
    if (status_ok(status)) {
        struct sql_session *s = sql_session_new(t, &status);
        opened = status_ok(status) ? ask_clock(s, side) : status_ok_value();
        if (status_ok(status) && status_ok(opened))
            opened = ask_anchor(s, side, p->align);
        sql_session_free(s);
        if (status_ok(status))
            status = opened;
    }
    struct status kept = cache_writer_end(outcome.writer, &progress->cancel);
    status_release(&kept);
    free(outcome.note);
    free(outcome.beside);
    trace_release(t);
    free(t);
    return status;
}

static void print_manifest(char *out, size_t size, const struct side *a, const struct side *b,
                           int64_t shift)
{
    char time[NAME_SIZE + 96] = "";
    if (a->clock[0])
        snprintf(time, sizeof time, "\"trace_time\": {\"file\": \"%s\", \"machine\": \"A\"%s}, ",
                 a->member, a->clock);
    snprintf(out, size,
             "{\"perfetto_manifest\": {\"version\": 1, %s\"files\": [\n"
             " {\"path\": \"%s\", \"machine\": {\"name\": \"A\"}},\n"
             " {\"path\": \"%s\", \"machine\": {\"name\": \"B\"}, \"clocks\": {\"offset_ns\": "
             "%" PRId64 "%s%s,\n"
             "  \"sync_to\": {\"file\": \"%s\", \"machine\": \"A\"%s}}}]}}\n",
             time, a->member, b->member, shift, b->clock[0] ? ", \"machine\": \"B\"" : "", b->clock,
             a->member, a->clock);
}

static struct status write_archive(FILE *tar, const struct side *a, const struct side *b,
                                   int64_t shift)
{
    char manifest[MANIFEST_SIZE];
    print_manifest(manifest, sizeof manifest, a, b, shift);
    struct status s = tar_add_bytes(tar, "perfetto_manifest.json", str_from(manifest));
    if (status_ok(s))
        s = tar_add_file(tar, a->member, a->path);
    if (status_ok(s))
        s = tar_add_file(tar, b->member, b->path);
    return status_ok(s) ? tar_end(tar) : s;
}

/* ---- what never ended ---- */

static uint32_t machine_of_track(const struct trace *t, uint32_t track)
{
    return track < t->tables.track.rows ? table_u32(&t->tables.track, track_col_machine_id)[track]
                                        : 0;
}

static uint32_t machine_of_thread(const struct trace *t, uint32_t utid)
{
    return utid < t->tables.thread.rows ? table_u32(&t->tables.thread, thread_col_machine_id)[utid]
                                        : 0;
}

/* Ends the open events of a table with the trace that they are of. */
static void end_rows(struct trace *t, struct table *table, uint32_t ts_column, uint32_t dur_column,
                     uint32_t owner_column,
                     uint32_t (*machine_of)(const struct trace *t, uint32_t owner),
                     const int64_t ends[2])
{
    for (uint32_t i = 0; i < table->rows; i++) {
        int64_t ts = table_i64(table, ts_column)[i], dur;
        if (table_i64(table, dur_column)[i] >= 0)
            continue;
        bool is_b = pair_side(t, machine_of(t, table_u32(table, owner_column)[i])) == 'B';
        if (!__builtin_sub_overflow(ends[is_b], ts, &dur))
            table_set_i64(table, dur_column, i, dur > 0 ? dur : 0);
    }
}

static void end_open_events(struct trace *t, const int64_t ends[2])
{
    struct tables *tables = &t->tables;
    end_rows(t, &tables->slice, slice_col_ts, slice_col_dur, slice_col_track_id, machine_of_track,
             ends);
    end_rows(t, &tables->thread_state, thread_state_col_ts, thread_state_col_dur,
             thread_state_col_utid, machine_of_thread, ends);
    end_rows(t, &tables->sched_slice, sched_slice_col_ts, sched_slice_col_dur, sched_slice_col_utid,
             machine_of_thread, ends);
}

/* ---- both ---- */

/* By way of a file that has no name: nothing stays behind, whatever happens. */
static struct status load_archive(struct trace *t, const struct side *a, const struct side *b,
                                  int64_t shift, struct load_progress *progress)
{
    char path[40];
    int fd = unnamed_file_open();
    FILE *tar = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!tar)
        return status_error(STATUS_IO, "a temporary file: %s", strerror(errno));
    struct status s = write_archive(tar, a, b, shift);
    if (fflush(tar) != 0 && status_ok(s))
        s = status_error(STATUS_IO, "a temporary file: %s", strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (status_ok(s))
        s = trace_load_file(t, path, progress);
    fclose(tar);
    return s;
}

struct status pair_load(struct trace *t, struct pair_options *p, const struct cache_options *cache,
                        struct load_progress *progress)
{
    struct side a = {.path = p->a}, b = {.path = p->b};
    int64_t ends[2];
    name_member(&a, 'A');
    name_member(&b, 'B');
    struct status s = look_at(&a, p, cache, progress);
    if (status_ok(s))
        s = look_at(&b, p, cache, progress);
    if (!status_ok(s))
        return s;
    if (!p->shifted && __builtin_sub_overflow(a.anchor, b.anchor, &p->shift))
        return status_error(STATUS_USAGE, "%s and %s: their times are too far apart", p->a, p->b);
    ends[0] = a.end;
    if (__builtin_add_overflow(b.end, p->shift, &ends[1]))
        ends[1] = INT64_MAX;
    s = load_archive(t, &a, &b, p->shift, progress);
    if (status_ok(s))
        end_open_events(t, ends);
    return s;
}

void pair_register(struct sql_session *s)
{
    for (const struct embedded_file *f = compare_files; f->name; f++)
        sql_session_add_module(s, "tptui.diff", (struct str){(const char *)f->bytes, f->size});
}

char pair_side(const struct trace *t, uint32_t machine)
{
    const struct table *table = &t->tables.machine;
    if (table->rows < 2 || machine >= table->rows)
        return 0;
    struct str name =
        string_pool_get(&t->strings, column_str(&table->columns[machine_col_name], machine));
    return str_eq(name, STR("A")) ? 'A' : str_eq(name, STR("B")) ? 'B' : 0;
}
