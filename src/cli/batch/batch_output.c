/* Rows of all traces as one result: the trace and its metadata in front, in a format or a table. */
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/output_file.h"
#include "base/own_file.h"
#include "base/standard_streams.h"
#include "cli/batch/batch.h"
#include "cli/batch/batch_rows.h"
#include "sql/engine/database.h"

struct batch_sink {
    const struct batch_settings *settings;
    const struct batch_task *task; /* whose rows come */
    struct result_writer *writer;  /* NULL: into `db` */
    struct sql_sink text;
    sqlite3 *db;
    sqlite3_stmt *insert;
    char *tmp;    /* the name of `db` until it is complete */
    char **names; /* of the columns, once known; `columns` of them, owned */
    int columns;
    bool begun, mismatch;
    bool unwritten;           /* a message */
    char *message_path;       /* of the last one; owned */
    char *error;              /* of `db`; owned */
    struct sql_value *values; /* a row: the trace, then those of the task */
};

static bool db_failed(struct batch_sink *s)
{
    if (!s->error)
        s->error = alloc_copy(sqlite3_errmsg(s->db), strlen(sqlite3_errmsg(s->db)));
    return false;
}

static bool run_sql(struct batch_sink *s, char *sql)
{
    bool done = sql && sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(sql);
    return done || db_failed(s);
}

static bool make_table(struct batch_sink *s)
{
    sqlite3_str *create = sqlite3_str_new(NULL), *insert = sqlite3_str_new(NULL);
    sqlite3_str_appendall(create, "CREATE TABLE result(\"trace\"");
    sqlite3_str_appendall(insert, "INSERT INTO result VALUES(?");
    for (int i = 0; i < s->columns; i++) {
        bool twice = sqlite3_stricmp(s->names[i], "trace") == 0;
        for (int k = 0; k < i; k++)
            twice |= sqlite3_stricmp(s->names[i], s->names[k]) == 0;
        if (twice)
            sqlite3_str_appendf(create, ",\"%w_%d\"", s->names[i], i + 1);
        else
            sqlite3_str_appendf(create, ",\"%w\"", s->names[i]);
        sqlite3_str_appendall(insert, ",?");
    }
    sqlite3_str_appendall(create, ")");
    sqlite3_str_appendall(insert, ")");
    bool made = run_sql(s, sqlite3_str_finish(create));
    char *sql = sqlite3_str_finish(insert);
    made =
        made && (sqlite3_prepare_v2(s->db, sql, -1, &s->insert, NULL) == SQLITE_OK || db_failed(s));
    sqlite3_free(sql);
    return made;
}

static bool begin_output(struct batch_sink *s)
{
    s->begun = true;
    s->values = alloc_array((size_t)s->columns + 1, sizeof *s->values);
    if (!s->writer)
        return make_table(s);
    const char **names = alloc_array((size_t)s->columns + 1, sizeof *names);
    names[0] = "trace";
    for (int i = 0; i < s->columns; i++)
        names[i + 1] = s->names[i];
    bool takes = sink_begin(&s->text, s->columns + 1, names);
    free(names);
    return takes;
}

/* The columns of the first trace are those of the result. */
static bool begin(void *self, int columns, const char *const *names)
{
    struct batch_sink *s = self;
    if (s->begun) {
        s->mismatch = columns != s->columns;
        for (int i = 0; i < columns && !s->mismatch; i++)
            s->mismatch = strcmp(names[i], s->names[i]) != 0;
        return !s->mismatch;
    }
    s->columns = columns;
    s->names = alloc_array((size_t)columns + 1, sizeof *s->names);
    for (int i = 0; i < columns; i++)
        s->names[i] = alloc_copy(names[i], strlen(names[i]));
    return begin_output(s);
}

static void bind(sqlite3_stmt *stmt, int at, const struct sql_value *v)
{
    switch (v->type) {
    case SQL_NULL:
        sqlite3_bind_null(stmt, at);
        break;
    case SQL_INT:
        sqlite3_bind_int64(stmt, at, v->i);
        break;
    case SQL_REAL:
        sqlite3_bind_double(stmt, at, v->d);
        break;
    case SQL_TEXT:
        sqlite3_bind_text64(stmt, at, v->s.p, v->s.n, SQLITE_STATIC, SQLITE_UTF8);
        break;
    case SQL_BLOB:
        sqlite3_bind_blob64(stmt, at, v->s.p, v->s.n, SQLITE_STATIC);
        break;
    }
}

/* The message of the task, which is the last value, becomes a file, whose name takes its place:
 * that of the trace, and what tells it from others of that name. */
static bool write_message(struct batch_sink *s, struct sql_value *value)
{
    const char *folder = s->settings->messages, *slash = strrchr(s->task->path, '/');
    const char *name = slash ? slash + 1 : s->task->path;
    size_t size = strlen(folder) + strlen(name) + 32;
    free(s->message_path);
    s->message_path = alloc_bytes(size);
    snprintf(s->message_path, size, "%s/%s-%08" PRIx32 ".pb", folder, name,
             (uint32_t)hash_bytes(s->task->path, strlen(s->task->path), 0));
    struct status written = replace_file_text(s->message_path, value->s.p, value->s.n);
    *value = (struct sql_value){.type = SQL_TEXT, .s = str_from(s->message_path)};
    bool good = status_ok(written);
    status_release(&written);
    return good;
}

static bool row(void *self, int columns, const struct sql_value *values)
{
    struct batch_sink *s = self;
    s->values[0] = (struct sql_value){.type = SQL_TEXT, .s = str_from(s->task->path)};
    for (int i = 0; i < columns; i++)
        s->values[i + 1] = values[i];
    if (s->settings->messages && !write_message(s, &s->values[columns])) {
        s->unwritten = true;
        return false;
    }
    if (s->writer)
        return s->text.row(s->text.self, columns + 1, s->values);
    for (int i = 0; i <= columns; i++)
        bind(s->insert, i + 1, &s->values[i]);
    bool done = sqlite3_step(s->insert) == SQLITE_DONE;
    sqlite3_reset(s->insert);
    return done || db_failed(s);
}

static bool add(void *self, const struct batch_task *task, struct status *error)
{
    struct batch_sink *s = self;
    struct sql_sink sink = {.begin = begin, .row = row, .self = s};
    if (s->settings->rows_only)
        return true;
    s->task = task;
    s->mismatch = s->unwritten = false;
    *error = batch_rows_read(task->rows, &sink);
    if (status_ok(*error)) /* who reads it sees the trace now */
        return !s->writer || fflush(standard_output()) == 0;
    if (error->code != STATUS_CANCELLED)
        return true;
    status_release(error);
    *error = status_ok_value();
    if (s->mismatch)
        *error = status_error(STATUS_SQL, "its columns are not those of the first trace");
    if (s->unwritten)
        *error = status_error(STATUS_IO, "%s cannot be written", s->message_path);
    return s->mismatch || s->unwritten;
}

bool batch_sink_begin(struct batch_sink *s, int columns, const char *const *names)
{
    return s->settings->rows_only || begin(s, columns, names);
}

bool batch_sink_row(struct batch_sink *s, const struct batch_task *trace, int columns,
                    const struct sql_value *values)
{
    s->task = trace;
    return s->settings->rows_only || row(s, columns, values);
}

static struct status open_db(struct batch_sink *s, const char *path)
{
    if (access(path, F_OK) == 0)
        return status_error(STATUS_USAGE, "%s is there already", path);
    int fd = own_file_make(path, 0666, &s->tmp);
    if (fd < 0)
        return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    close(fd);
    if (database_open(s->tmp, SQLITE_OPEN_READWRITE, NULL, &s->db) == SQLITE_OK &&
        run_sql(s, sqlite3_mprintf("PRAGMA journal_mode=OFF")) &&
        run_sql(s, sqlite3_mprintf("PRAGMA synchronous=OFF")) &&
        run_sql(s, sqlite3_mprintf("BEGIN"))) {
        database_seal(s->db, NULL);
        return status_ok_value();
    }
    return status_error(STATUS_IO, "%s: %s", path, sqlite3_errmsg(s->db));
}

struct batch_sink *batch_sink_new(const struct batch_settings *b, struct status *error)
{
    struct batch_sink *s = alloc_array(1, sizeof *s);
    s->settings = b;
    *error = status_ok_value();
    if (b->into) {
        *error = open_db(s, b->into);
        return s;
    }
    bool terminal = isatty(STDOUT_FILENO);
    const struct result_format *usual = terminal ? &table_format : &csv_format;
    s->writer = result_writer_new(standard_output(), b->format ? b->format : usual, terminal);
    s->text = result_writer_sink(s->writer);
    return s;
}

struct batch_output batch_sink_output(struct batch_sink *s)
{
    return (struct batch_output){add, s};
}

static bool put_errors_into_db(struct batch_sink *s, const struct batch_tasks *tasks)
{
    if (!run_sql(s, sqlite3_mprintf("CREATE TABLE errors(trace, error)")))
        return false;
    for (size_t i = 0; i < tasks->v.count; i++) {
        const struct batch_task *t = &tasks->v.items[i];
        if (t->state == TASK_FAILED &&
            !run_sql(s, sqlite3_mprintf("INSERT INTO errors VALUES(%Q,%Q)", t->path, t->error)))
            return false;
    }
    return true;
}

static struct status finish_db(struct batch_sink *s, const struct batch_tasks *tasks)
{
    bool done = !s->error && put_errors_into_db(s, tasks) && run_sql(s, sqlite3_mprintf("COMMIT"));
    sqlite3_finalize(s->insert);
    sqlite3_close(s->db);
    const char *path = s->settings->into;
    if (done && rename(s->tmp, path) == 0)
        return status_ok_value();
    struct status status = status_error(STATUS_IO, "%s cannot be written: %s", path,
                                        s->error ? s->error : strerror(errno));
    unlink(s->tmp);
    return status;
}

struct status batch_sink_finish(struct batch_sink *s, const struct batch_tasks *tasks)
{
    struct status status = status_ok_value();
    if (s->writer) {
        if (s->begun)
            sink_end(&s->text);
        result_writer_free(s->writer);
    } else if (s->db) {
        status = finish_db(s, tasks);
    }
    for (int i = 0; i < s->columns; i++)
        free(s->names[i]);
    free(s->names);
    free(s->values);
    free(s->error);
    free(s->message_path);
    free(s->tmp);
    free(s);
    return status;
}
