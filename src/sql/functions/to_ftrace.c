/* to_ftrace(id): an event of ftrace_event as a line of the kernel's text interface. */
#include <stdlib.h>

#include "base/alloc.h"
#include "core/trace/settled_args.h"
#include "core/trace/stored_columns.h"
#include "parsers/tracefs/event_line.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

struct ftrace_lines {
    const struct trace *trace;
    struct event_lines *lines;
    struct text text; /* the last one */
};

static void fn_to_ftrace(SQL_FUNCTION_ARGS)
{
    struct ftrace_lines *f = sqlite3_user_data(ctx);
    const struct table *events = &f->trace->tables.ftrace_event;
    int64_t row = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (!stored_table_ready(f->trace, events))
        return; /* the statement fails for it */
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || row < 0 || row >= events->rows) {
        result_error(ctx, "to_ftrace: the argument is an id of ftrace_event");
        return;
    }
    if (!settled_args_ready(f->trace)) {
        result_error(ctx, "%s", settled_args_lost);
        return;
    }
    f->text.v.count = 0;
    event_lines_put(f->lines, (uint32_t)row, &f->text);
    sqlite3_result_text64(ctx, f->text.v.items, f->text.v.count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void free_lines(void *p)
{
    struct ftrace_lines *f = p;
    event_lines_free(f->lines);
    vec_release(&f->text.v);
    free(f);
}

static void *make_lines(struct sql_session *s)
{
    struct ftrace_lines *f = alloc_array(1, sizeof *f);
    f->trace = s->trace;
    f->lines = event_lines_new(s->trace);
    return f;
}

static const struct native_function functions[] = {
    SQL_PURE("to_ftrace", 1, fn_to_ftrace),
    {0},
};

const struct sql_family to_ftrace_family = {.functions = functions,
                                            .init = make_lines,
                                            .release = free_lines};
