/* Heap profiles and samples of each process as files that pprof reads. */
#include "cli/convert_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/standard_streams.h"
#include "cli/workspace.h"
#include "sql/session.h"

/* What profiles are made of: a query of rows (pid, name or NULL, profile). %s is a condition on the
 * process and the time. */
struct profile_kind {
    const char *exists; /* a table that has rows where there are such profiles */
    const char *flag;
    const char *file;     /* how names of files begin */
    const char *pid_word; /* what stands before the pid in them */
    const char *time;     /* what --timestamps is about; NULL: nothing */
    const char *modules, *query;
};

/* Each dump has all that went before it. */
static const struct profile_kind heap_kind = {
    .exists = "heap_profile_allocation",
    .flag = "--alloc",
    .file = "heap_dump",
    .pid_word = "",
    .time = "d.ts",
    .modules = "",
    .query = "SELECT p.pid, d.heap_name, experimental_profile("
             "stack_from_stack_profile_callsite(a.callsite_id), "
             "'Unreleased malloc count', 'count', a.count, "
             "'Unreleased malloc size', 'bytes', a.size, "
             "'Total malloc count', 'count', max(a.count, 0), "
             "'Total malloc size', 'bytes', max(a.size, 0)) "
             "FROM (SELECT DISTINCT upid, ts, heap_name FROM heap_profile_allocation) d "
             "JOIN process p USING (upid) JOIN heap_profile_allocation a ON a.upid = d.upid "
             "AND a.heap_name = d.heap_name AND a.ts <= d.ts WHERE %s "
             "GROUP BY d.upid, d.ts, d.heap_name ORDER BY d.upid, d.ts, d.heap_name",
};
static const struct profile_kind samples_kind = {
    .exists = "perf_sample",
    .flag = "--perf",
    .file = "profile",
    .pid_word = "pid.",
    .modules = "",
    .query = "SELECT p.pid, NULL, experimental_profile("
             "stack_from_stack_profile_callsite(s.callsite_id), 'samples', 'count', s.samples) "
             "FROM (SELECT t.upid, s.callsite_id, count(*) AS samples FROM perf_sample s "
             "JOIN thread t USING (utid) WHERE s.callsite_id IS NOT NULL "
             "GROUP BY t.upid, s.callsite_id) s "
             "JOIN process p USING (upid) WHERE %s GROUP BY s.upid ORDER BY s.upid",
};
/* Classes on the shortest paths from the roots. What is deeper, as in long lists, counts where the
 * path becomes too long: each object's whole path is written. */
static const struct profile_kind java_kind = {
    .exists = "__intrinsic_heap_graph_object",
    .flag = "--java-heap",
    .file = "java_heap_dump",
    .pid_word = "",
    .time = "s.ts",
    .modules = "INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree; ",
    .query = "WITH RECURSIVE s(ts, upid, id, self_count, self_size, stack, depth) AS ("
             "SELECT graph_sample_ts, upid, id, self_count, self_size, cat_stacks(name), 1 "
             "FROM _heap_graph_class_tree WHERE parent_id IS NULL UNION ALL "
             "SELECT s.ts, s.upid, c.id, c.self_count, c.self_size, "
             "iif(s.depth < 256, cat_stacks(s.stack, c.name), s.stack), s.depth + 1 "
             "FROM s JOIN _heap_graph_class_tree c ON c.parent_id = s.id) "
             "SELECT p.pid, NULL, experimental_profile(s.stack, "
             "'Total allocation count', 'count', s.self_count, "
             "'Total allocation size', 'bytes', s.self_size) "
             "FROM s JOIN process p USING (upid) WHERE s.self_count > 0 AND %s "
             "GROUP BY s.upid, s.ts ORDER BY s.upid, s.ts",
};

/* Rows becoming files. */
struct profile_files {
    const char *folder;
    const struct profile_kind *kind;
    size_t written, of_kind;
    struct status bad;
};

/* A heap's name without what a file's must not have. */
static void clean_name(struct str name, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < name.n && n + 1 < size; i++) {
        char c = name.p[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                     strchr("._-", c);
        out[n++] = plain && c ? c : '_';
    }
    out[n] = 0;
}

static bool write_profile(void *self, int columns, const struct sql_value *values)
{
    struct profile_files *p = self;
    char heap[64] = "", path[4096];
    if (columns != 3 || values[2].type != SQL_BLOB)
        return true;
    if (values[1].type == SQL_TEXT)
        clean_name(values[1].s, heap, sizeof heap);
    snprintf(path, sizeof path, "%s/%s.%zu.%s%" PRId64 "%s%s.pb", p->folder, p->kind->file,
             ++p->of_kind, p->kind->pid_word, values[0].type == SQL_INT ? values[0].i : 0,
             *heap ? "." : "", heap);
    p->written++;
    p->bad = replace_file_text(path, values[2].s.p, values[2].s.n);
    return status_ok(p->bad);
}

/* The condition of a kind's query, from sqlite3_mprintf. */
static char *make_condition(const struct profile_kind *kind, const struct convert_settings *s)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendall(out, "1");
    if (s->pid)
        sqlite3_str_appendf(out, " AND p.pid = %lld", (long long)s->pid);
    if (s->timestamps && kind->time)
        sqlite3_str_appendf(out, " AND %s IN (%s)", kind->time, s->timestamps);
    return sqlite3_str_finish(out);
}

static struct status write_kind(struct profile_files *p, const struct profile_kind *kind,
                                const struct convert_settings *s)
{
    const char *at = strstr(kind->query, "%s");
    char *condition = make_condition(kind, s);
    char *sql = sqlite3_mprintf("%s%.*s%s%s", kind->modules, (int)(at - kind->query), kind->query,
                                condition, at + 2);
    struct sql_sink sink = {.row = write_profile, .self = p};
    p->kind = kind;
    p->of_kind = 0;
    struct status status = sql_session_run(workspace_session(), "profiles", str_from(sql), &sink);
    sqlite3_free(condition);
    sqlite3_free(sql);
    if (status_ok(p->bad))
        return status;
    status_release(&status);
    return p->bad;
}

/* The folder that is asked for, or a new one. `*is_new`: it was not there. */
static struct status make_folder(const struct convert_settings *s, char *path, size_t size,
                                 bool *is_new)
{
    const char *temporary = getenv("TMPDIR");
    if (s->output_folder)
        snprintf(path, size, "%s", s->output_folder);
    else
        snprintf(path, size, "%s/profiles-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    *is_new = s->output_folder ? mkdir(path, 0777) == 0 : mkdtemp(path) != NULL;
    bool made = *is_new || (s->output_folder && errno == EEXIST);
    return made ? status_ok_value() : status_error(STATUS_IO, "%s: %s", path, strerror(errno));
}

static const struct profile_kind *const kinds[] = {&heap_kind, &samples_kind, &java_kind};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool keep_number(void *self, int columns, const struct sql_value *values)
{
    *(int64_t *)self = columns > 0 && values[0].type == SQL_INT ? values[0].i : 0;
    return true;
}

static struct status has_profiles(const struct profile_kind *kind, bool *has)
{
    int64_t number = 0;
    struct sql_sink sink = {.row = keep_number, .self = &number};
    char *sql = sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM %s)", kind->exists);
    struct status status = sql_session_run(workspace_session(), "profiles", str_from(sql), &sink);
    sqlite3_free(sql);
    *has = number != 0;
    return status;
}

/* Fails where the trace has profiles of several kinds, of which one was to be named. */
static struct status check_single(void)
{
    char flags[64] = "";
    size_t used = 0, count = 0;
    for (size_t i = 0; i < KINDS; i++) {
        bool has;
        struct status status = has_profiles(kinds[i], &has);
        if (!status_ok(status))
            return status;
        count += has;
        if (has)
            used += (size_t)snprintf(flags + used, sizeof flags - used, " %s", kinds[i]->flag);
    }
    return count < 2 ? status_ok_value()
                     : status_error(STATUS_USAGE,
                                    "More than one type of profile found in the trace, pass one "
                                    "of:%s",
                                    flags);
}

struct status convert_to_profiles(const struct convert_settings *s)
{
    char folder[2048];
    struct profile_files p = {.folder = folder};
    const bool wanted[KINDS] = {s->heap, s->samples, s->java_heap};
    bool all = !s->heap && !s->samples && !s->java_heap, is_new = false;
    struct status status = all && s->single_kind ? check_single() : status_ok_value();
    if (status_ok(status))
        status = make_folder(s, folder, sizeof folder, &is_new);
    for (size_t i = 0; i < KINDS && status_ok(status); i++)
        if (all || wanted[i])
            status = write_kind(&p, kinds[i], s);
    if (is_new && p.written == 0)
        rmdir(folder);
    if (status_ok(status) && p.written == 0)
        fputs("The trace has no such profiles: nothing was written\n", standard_errors());
    else if (status_ok(status))
        fprintf(standard_errors(), "Wrote profiles to %s: %zu\n", folder, p.written);
    return status;
}
