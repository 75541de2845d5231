/* Heap profiles and samples of each process as files that pprof reads. */
#include "cli/convert_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "cli/workspace.h"
#include "sql/session.h"

/* A query of rows (pid, name, profile). %s is a condition on the process. */
static const char heap_query[] =
    "SELECT p.pid, coalesce(p.name, ''), experimental_profile("
    "stack_from_stack_profile_callsite(a.callsite_id), "
    "'Unreleased malloc count', 'count', a.left_count, "
    "'Unreleased malloc size', 'bytes', a.left_size, "
    "'Total malloc count', 'count', a.all_count, "
    "'Total malloc size', 'bytes', a.all_size) "
    "FROM (SELECT upid, heap_name, callsite_id, sum(count) AS left_count, sum(size) AS left_size, "
    "sum(max(count, 0)) AS all_count, sum(max(size, 0)) AS all_size FROM heap_profile_allocation "
    "GROUP BY upid, heap_name, callsite_id) a JOIN process p USING (upid) WHERE %s "
    "GROUP BY a.upid, a.heap_name ORDER BY a.upid, a.heap_name";
static const char samples_query[] =
    "SELECT p.pid, coalesce(p.name, ''), experimental_profile("
    "stack_from_stack_profile_callsite(s.callsite_id), 'samples', 'count', s.samples) "
    "FROM (SELECT t.upid, s.callsite_id, count(*) AS samples FROM perf_sample s JOIN thread t "
    "USING (utid) WHERE s.callsite_id IS NOT NULL GROUP BY t.upid, s.callsite_id) s "
    "JOIN process p USING (upid) WHERE %s GROUP BY s.upid ORDER BY s.upid";

/* Rows becoming files. */
struct profile_files {
    const char *folder, *kind;
    size_t written;
    struct status bad;
};

static bool begin_profiles(void *self, int columns, const char *const *names)
{
    (void)self, (void)columns, (void)names;
    return true;
}

static bool end_profiles(void *self)
{
    (void)self;
    return true;
}

/* A process' name without what a file's must not have. */
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
    char name[64], path[4096];
    if (columns != 3 || values[2].type != SQL_BLOB)
        return true;
    clean_name(values[1].s, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s.%zu.%" PRId64 ".%s.pb", p->folder, p->kind, ++p->written,
             values[0].type == SQL_INT ? values[0].i : 0, name);
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(values[2].s.p, 1, values[2].s.n, f) == values[2].s.n;
    good = f && fclose(f) == 0 && good;
    if (!good)
        p->bad = status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    return good;
}

static struct status write_kind(struct profile_files *p, const char *kind, const char *query,
                                uint64_t pid)
{
    char condition[64] = "1", *sql;
    if (pid)
        snprintf(condition, sizeof condition, "p.pid = %" PRIu64, pid);
    size_t size = strlen(query) + sizeof condition;
    sql = alloc_bytes(size);
    const char *at = strstr(query, "%s");
    snprintf(sql, size, "%.*s%s%s", (int)(at - query), query, condition, at + 2);
    struct sql_sink sink = {.begin = begin_profiles,
                            .row = write_profile,
                            .end = end_profiles,
                            .self = p};
    p->kind = kind;
    struct status s = sql_session_run(workspace_session(), "profiles", str_from(sql), &sink);
    free(sql);
    if (status_ok(p->bad))
        return s;
    status_release(&s);
    return p->bad;
}

/* The folder that is asked for, or a new one. */
static struct status make_folder(const struct convert_settings *s, char *path, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    if (s->output_folder)
        snprintf(path, size, "%s", s->output_folder);
    else
        snprintf(path, size, "%s/profiles-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    bool made =
        s->output_folder ? mkdir(path, 0777) == 0 || errno == EEXIST : mkdtemp(path) != NULL;
    return made ? status_ok_value() : status_error(STATUS_IO, "%s: %s", path, strerror(errno));
}

struct status convert_to_profiles(const struct convert_settings *s)
{
    char folder[2048];
    struct profile_files p = {.folder = folder};
    bool both = s->heap == s->samples;
    struct status status = make_folder(s, folder, sizeof folder);
    if (status_ok(status) && (both || s->heap))
        status = write_kind(&p, "heap_dump", heap_query, s->pid);
    if (status_ok(status) && (both || s->samples))
        status = write_kind(&p, "profile", samples_query, s->pid);
    if (status_ok(status))
        fprintf(stderr, "Wrote profiles to %s: %zu\n", folder, p.written);
    return status;
}
