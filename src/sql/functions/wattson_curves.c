/* __intrinsic_wattson_curves_*: the power that the parts of devices take, as measured. They come
 * from the user's files, DEVICE/NAME.csv below a folder, whose first lines name their columns. */
#include "sql/functions/wattson_curves.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/user_path.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/sql_folder.h"
#include "sql/engine/table_function.h"

const char *wattson_curves_folder(const char *given, char *out, size_t size)
{
    if (given)
        return given;
    return user_path(USER_CONFIG, "wattson", out, size, false) ? out : NULL;
}

enum { COLUMNS_MAX = 16 };

/* What reads the files of one name. */
struct curve_reader {
    struct table_builder *rows;
    struct str columns;
    struct status status; /* of the first file that is wrong */
};

static bool put_field(struct table_builder *b, enum declared_type type, struct str field)
{
    int64_t integer;
    double real;
    switch (type) {
    case DECLARED_LONG:
        if (!str_to_i64(field, &integer))
            return false;
        table_builder_put(b, cell_int(integer));
        return true;
    case DECLARED_DOUBLE:
        if (!str_to_f64(field, &real))
            return false;
        table_builder_put(b, cell_real(real));
        return true;
    default:
        table_builder_put(b, cell_str(field));
        return true;
    }
}

/* Splits a line at its commas; returns how many fields it has, also where these are too many. */
static size_t split(struct str line, struct str fields[COLUMNS_MAX])
{
    size_t count = 0;
    line = str_trim_lines(line);
    while (line.n > 0 || count == 0) {
        struct str field = str_trim(str_cut(&line, ','));
        if (count < COLUMNS_MAX)
            fields[count] = field;
        count++;
    }
    return count;
}

/* For each column of the table the field of a line that holds it. */
static struct status find_fields(struct str columns, struct str head, const char *file,
                                 size_t at[COLUMNS_MAX], size_t *count)
{
    struct str names[COLUMNS_MAX], name;
    enum declared_type type;
    *count = split(head, names);
    if (*count > COLUMNS_MAX)
        return status_error(STATUS_FORMAT, "%s: expected at most %d columns, found %zu", file,
                            COLUMNS_MAX, *count);
    for (size_t i = 0; column_take(&columns, &name, &type); i++) {
        at[i] = 0;
        while (at[i] < *count && !str_eq(names[at[i]], name))
            at[i]++;
        if (at[i] == *count)
            return status_error(STATUS_FORMAT, "%s: expected a column %.*s, found none", file,
                                (int)name.n, name.p);
    }
    return status_ok_value();
}

static struct status read_curves(const struct curve_reader *r, const char *file, struct str text)
{
    struct str line, fields[COLUMNS_MAX];
    size_t at[COLUMNS_MAX], count = 0;
    if (!str_next_line(&text, &line))
        line = STR("");
    struct status status = find_fields(r->columns, line, file, at, &count);
    for (int number = 2; status_ok(status) && str_next_line(&text, &line); number++) {
        if (str_trim_lines(line).n == 0)
            continue;
        size_t found = split(line, fields);
        if (found != count)
            return status_error(STATUS_FORMAT, "%s, line %d: expected %zu fields, found %zu", file,
                                number, count, found);
        struct str columns = r->columns, name;
        enum declared_type type;
        for (size_t i = 0; column_take(&columns, &name, &type); i++) {
            struct str field = fields[at[i]];
            if (!put_field(r->rows, type, field))
                return status_error(STATUS_FORMAT,
                                    "%s, line %d: expected a number for %.*s, found %.*s", file,
                                    number, (int)name.n, name.p, (int)field.n, field.p);
        }
        table_builder_end_row(r->rows);
    }
    return status;
}

static void add_file(void *self, const char *below, struct str text)
{
    struct curve_reader *r = self;
    if (status_ok(r->status))
        r->status = read_curves(r, below, text);
    free((void *)(uintptr_t)text.p);
}

static struct status fill(struct sql_session *s, const char *file, const char *columns,
                          struct table_builder *b)
{
    char path[4096];
    const char *folder = wattson_curves_folder(s->curves_folder, path, sizeof path);
    struct curve_reader r = {.rows = b, .columns = str_from(columns), .status = status_ok_value()};
    if (!folder)
        return r.status;
    struct status status = sql_folder_read(folder, file, false, add_file, &r);
    if (status_ok(status))
        return r.status;
    status_release(&r.status);
    return status;
}

/* C(name of the files, columns) */
#define CURVES(C)                                                                                  \
    C(cpu_1d, "device STRING, policy LONG, freq_khz LONG, static DOUBLE, active DOUBLE, idle0 "    \
              "DOUBLE, idle1 DOUBLE")                                                              \
    C(cpu_2d, "device STRING, policy LONG, freq_khz LONG, dep_policy LONG, dep_freq LONG, static " \
              "DOUBLE, active DOUBLE, idle0 DOUBLE, idle1 DOUBLE, interconnect DOUBLE")            \
    C(gpu, "device STRING, freq_khz LONG, active DOUBLE, idle1 DOUBLE, idle2 DOUBLE")              \
    C(l3, "device STRING, freq_khz LONG, dep_policy LONG, dep_freq LONG, l3_hit DOUBLE, l3_miss "  \
          "DOUBLE")                                                                                \
    C(tpu, "device STRING, cluster LONG, requests LONG, freq LONG, active DOUBLE")

#define FILL(NAME, COLUMNS)                                                                        \
    static struct status fill_##NAME(struct sql_session *s, sqlite3_value **argv,                  \
                                     struct table_builder *b) {                                    \
        (void)argv;                                                                                \
        return fill(s, "/" #NAME ".csv", COLUMNS, b);                                              \
    }
CURVES(FILL)
#undef FILL

/* The latter once the module is included that says which device the trace is of. */
#define FROM_FILES                                                                                 \
    .needs = "power curves of devices: --wattson-curves DIR, or ~/.config/tptui/wattson",          \
    .missing = "SELECT ifnull('power curves of the device ' || model.name, "                       \
               "'a trace that tells its device (metadata android_soc_model)') || "                 \
               "', there are those of ' || there FROM _wattson_model AS model, (SELECT "           \
               "group_concat(device, ', ') AS there FROM (SELECT device FROM "                     \
               "__intrinsic_wattson_curves_cpu_1d UNION SELECT device FROM "                       \
               "__intrinsic_wattson_curves_cpu_2d)) "                                              \
               "WHERE there IS NOT NULL AND NOT EXISTS (SELECT 1 FROM _wattson_device)"

#define ROW(NAME, COLUMNS)                                                                         \
    {.name = "__intrinsic_wattson_curves_" #NAME,                                                  \
     .columns = COLUMNS,                                                                           \
     .fill = fill_##NAME,                                                                          \
     FROM_FILES},
static const struct table_function table_functions[] = {CURVES(ROW){0}};

const struct sql_family wattson_curves_family = {.table_functions = table_functions};
