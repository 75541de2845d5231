/* __intrinsic_symbolize_agg(file_name, rel_pc, mapping_id, address) collects addresses,
 * __intrinsic_symbolize(addresses) makes a table of their names. */
#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/values/values.h"
#include "symbols/symbolizer_process.h"

#define INPUT_TYPE "SYMBOLIZATION_INPUT"

struct wanted_address {
    char *file; /* owned; NULL where it is not known */
    int64_t rel_pc, mapping, address;
};

struct wanted_addresses {
    VEC(struct wanted_address) v;
};

static void free_wanted(void *p)
{
    struct wanted_addresses *w = p;
    for (size_t i = 0; i < w->v.count; i++)
        free(w->v.items[i].file);
    vec_release(&w->v);
    free(w);
}

static void wanted_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    for (int i = 1; i < argc; i++)
        if (sqlite3_value_type(argv[i]) != SQLITE_INTEGER) {
            result_error(ctx, "__intrinsic_symbolize_agg takes a file's name and the integers "
                              "rel_pc, mapping_id and address");
            return;
        }
    struct wanted_addresses *w = group_state(ctx, sizeof *w);
    if (!w)
        return;
    struct str file = value_str(argv[0]);
    *vec_push(&w->v) = (struct wanted_address){
        sqlite3_value_type(argv[0]) == SQLITE_TEXT ? alloc_copy(file.p, file.n) : NULL,
        sqlite3_value_int64(argv[1]),
        sqlite3_value_int64(argv[2]),
        sqlite3_value_int64(argv[3]),
    };
}

static void wanted_final(sqlite3_context *ctx)
{
    struct wanted_addresses *w = group_state_made(ctx);
    if (w)
        result_pointer(ctx, w, INPUT_TYPE, free_wanted);
}

static struct table_cell known_name(struct str s)
{
    return cell_str(s.n > 0 ? s : STR("<invalid>"));
}

static void put_line(struct table_builder *b, const struct wanted_address *w,
                     const struct symbol_line *line)
{
    if (line)
        table_builder_put(b, known_name(line->function), known_name(line->file),
                          cell_int(line->line));
    else
        table_builder_put(b, CELL_NULL, CELL_NULL, CELL_NULL);
    table_builder_row(b, cell_int(w->mapping), cell_int(w->address));
}

/* A row for each function at an address; one without names where nothing is known of it. */
static struct status put_address(struct sql_session *s, struct symbolizer_process *symbolizer,
                                 const struct wanted_address *w, struct symbolized *found,
                                 struct table_builder *b)
{
    struct status status = status_ok_value();
    found->v.count = 0;
    if (symbolizer && w->file)
        status =
            symbolizer_process_ask(symbolizer, w->file, (uint64_t)w->rel_pc, &s->cancel, found);
    for (size_t i = 0; i < found->v.count && status_ok(status); i++)
        put_line(b, w, &found->v.items[i]);
    if (found->v.count == 0)
        put_line(b, w, NULL);
    return status;
}

static void fn_symbolize(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct wanted_addresses *w = pointer_of(argv[0], INPUT_TYPE);
    if (!w && sqlite3_value_type(argv[0]) != SQLITE_NULL) {
        result_error(ctx, "__intrinsic_symbolize takes what __intrinsic_symbolize_agg gives");
        return;
    }
    struct table_builder *b =
        table_builder_of(&s->trace->strings,
                         "function_name, file_name, line_number, mapping_id, address");
    struct symbolizer_process *symbolizer = w ? symbolizer_process_start() : NULL;
    struct symbolized found = {0};
    struct status status = status_ok_value();
    for (size_t i = 0; w && i < w->v.count && status_ok(status); i++)
        status = put_address(s, symbolizer, &w->v.items[i], &found, b);
    symbolizer_process_stop(symbolizer);
    vec_release(&found.v);
    vec_release(&found.text);
    if (status_ok(status)) {
        ptr_table_result(ctx, s, b);
        return;
    }
    table_builder_free(b);
    result_error(ctx, "%s", status.message);
    if (status.code == STATUS_CANCELLED)
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    status_release(&status);
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("__intrinsic_symbolize_agg", 4, wanted),
    SQL_FUNCTION("__intrinsic_symbolize", 1, fn_symbolize),
    {0},
};

const struct sql_family symbolize_functions_family = {.functions = functions};
