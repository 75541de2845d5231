#include "explain/rules.h"

#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/embedded_file.h"
#include "core/store/table.h"
#include "sql/session.h"

extern const struct embedded_file explain_files[];

enum { ROWS_MAX = 1000 }; /* of a rule */

static const char *const level_words[] = {"severe", "problem", "note"};
enum { LEVELS = sizeof level_words / sizeof *level_words };

const char *explain_level_word(enum explain_level level)
{
    return level_words[level];
}

static enum explain_level level_of(struct str word, enum explain_level usual)
{
    for (int i = 0; i < LEVELS; i++)
        if (str_eq(word, str_from(level_words[i])))
            return (enum explain_level)i;
    return usual;
}

static bool is_word_char(char c)
{
    return c == '_' || isalnum((unsigned char)c);
}

/* What stands behind "-- KEY:" in a line; p is NULL where it is no such line. */
static struct str header_value(struct str line, struct str key)
{
    line = str_trim(line);
    if (!str_starts(line, STR("-- ")) || !str_starts(str_skip(line, 3), key))
        return (struct str){NULL, 0};
    return str_trim(str_skip(line, 3 + key.n));
}

static const struct str rule_words[] = {
    [RULE_SHARED] = {"shared:", 7}, [RULE_SYMPTOM] = {"symptom:", 8},
    [RULE_BELIEF] = {"belief:", 7}, [RULE_MEASURE] = {"measure:", 8},
    [RULE_TIMES] = {"times:", 6},
};

static void add_rules(struct explain_rules *r, const char *place, struct str text)
{
    struct str rest = text, line;
    struct explain_rule *rule = NULL;
    while (str_next_line(&rest, &line)) {
        struct str name = {NULL, 0};
        enum rule_kind kind = RULE_SHARED;
        for (int k = RULE_SHARED; k <= RULE_TIMES && !name.p; k++) {
            name = header_value(line, rule_words[k]);
            kind = (enum rule_kind)k;
        }
        if (name.p) {
            rule = vec_push(&r->v);
            *rule = (struct explain_rule){.kind = kind,
                                          .name = name,
                                          .level = LEVEL_PROBLEM,
                                          .level_waiting = LEVEL_NOTE,
                                          .level_unknown = LEVEL_PROBLEM,
                                          .sql = {rest.p, 0},
                                          .place = place};
            continue;
        }
        if (!rule)
            continue;
        struct str level = header_value(line, STR("level:"));
        struct str waiting = header_value(line, STR("level-waiting:"));
        struct str unknown = header_value(line, STR("level-unknown:"));
        struct str needs = header_value(line, STR("needs:"));
        struct str slices = header_value(line, STR("slices:"));
        if (level.p)
            rule->level = level_of(level, rule->level);
        if (waiting.p)
            rule->level_waiting = level_of(waiting, rule->level_waiting);
        if (unknown.p)
            rule->level_unknown = level_of(unknown, rule->level_unknown);
        if (needs.p)
            rule->needs = needs;
        if (slices.p)
            rule->slices = slices;
        rule->sql.n = (size_t)(line.p + line.n - rule->sql.p);
    }
}

void explain_rules_init(struct explain_rules *r)
{
    *r = (struct explain_rules){0};
    for (const struct embedded_file *f = explain_files; f->name; f++)
        add_rules(r, f->name, (struct str){(const char *)f->bytes, f->size});
}

void explain_rules_release(struct explain_rules *r)
{
    vec_release(&r->v);
}

/* ---- what rules read of each other ---- */

static bool has_word(struct str text, struct str word)
{
    for (const char *at; (at = memmem(text.p, text.n, word.p, word.n)) != NULL;) {
        text = str_skip(text, (size_t)(at - text.p) + word.n);
        if (text.n == 0 || !is_word_char(text.p[0]))
            return true;
    }
    return false;
}

/* Whether a statement reads a table that a rule makes. */
static bool reads(struct str sql, const struct explain_rule *maker)
{
    const struct str make = STR("TABLE _explain_");
    struct str rest = maker->sql;
    for (const char *at; (at = memmem(rest.p, rest.n, make.p, make.n)) != NULL;) {
        struct str name = {at + 6, make.n - 6};
        rest = str_skip(rest, (size_t)(name.p - rest.p));
        while (name.n < rest.n && is_word_char(name.p[name.n]))
            name.n++;
        if (has_word(sql, name))
            return true;
    }
    return false;
}

void explain_rule_print(const struct explain_rule *rule, FILE *f)
{
    struct explain_rules all;
    explain_rules_init(&all);
    bool *read = alloc_array(all.v.count + 1, sizeof *read);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < all.v.count; i++) {
            const struct explain_rule *maker = &all.v.items[i];
            bool is_read = maker->kind == RULE_SHARED && reads(rule->sql, maker);
            for (size_t k = 0; k < all.v.count && maker->kind == RULE_SHARED && !is_read; k++)
                is_read = read[k] && reads(all.v.items[k].sql, maker);
            more = more || (is_read && !read[i]);
            read[i] = is_read;
        }
    }
    for (size_t i = 0; i < all.v.count; i++)
        if (read[i])
            fprintf(f, "%.*s\n", (int)all.v.items[i].sql.n, all.v.items[i].sql.p);
    fprintf(f, "%.*s", (int)rule->sql.n, rule->sql.p);
    free(read);
    explain_rules_release(&all);
}

/* ---- rows ---- */

#define COLUMNS(X)                                                                                 \
    X(ts)                                                                                          \
    X(dur)                                                                                         \
    X(name)                                                                                        \
    X(level)                                                                                       \
    X(utid)                                                                                        \
    X(upid)                                                                                        \
    X(ref)                                                                                         \
    X(ref_id) X(cost) X(limit_ns) X(cause) X(key) X(part_of) X(in_slice) X(kind) X(text) X(value)
#define COLUMN_ID(name)   COL_##name,
#define COLUMN_NAME(name) #name,
enum { COLUMNS(COLUMN_ID) COL_COUNT };
static const char *const column_names[] = {COLUMNS(COLUMN_NAME)};

struct reading {
    const struct explain_rule *rule;
    struct findings_of_rules *out;
    int columns[COL_COUNT]; /* -1: not there */
    int rows;
};

static bool begin_rows(void *self, int columns, const char *const *names)
{
    struct reading *r = self;
    for (int i = 0; i < COL_COUNT; i++) {
        r->columns[i] = -1;
        for (int c = 0; c < columns; c++)
            if (strcmp(names[c], column_names[i]) == 0)
                r->columns[i] = c;
    }
    return true;
}

static int64_t int_of(const struct reading *r, const struct sql_value *values, int column,
                      int64_t none)
{
    int c = r->columns[column];
    if (c < 0)
        return none;
    if (values[c].type == SQL_REAL)
        return fabs(values[c].d) < 9e18 ? (int64_t)values[c].d : none;
    return values[c].type == SQL_INT ? values[c].i : none;
}

static uint32_t id_of(const struct reading *r, const struct sql_value *values, int column)
{
    int64_t v = int_of(r, values, column, -1);
    return v >= 0 && v < NULL_U32 ? (uint32_t)v : NULL_U32;
}

static struct str text_of(const struct reading *r, const struct sql_value *values, int column)
{
    int c = r->columns[column];
    if (c < 0 || values[c].type == SQL_NULL)
        return STR("");
    if (values[c].type == SQL_TEXT)
        return arena_copy(r->out->arena, values[c].s);
    char number[32];
    int n = values[c].type == SQL_INT
                ? snprintf(number, sizeof number, "%lld", (long long)values[c].i)
                : snprintf(number, sizeof number, "%g", values[c].d);
    return arena_copy(r->out->arena, (struct str){number, (size_t)n});
}

static bool take_row(void *self, int columns, const struct sql_value *values)
{
    struct reading *r = self;
    (void)columns;
    if (r->rows++ >= ROWS_MAX || r->rule->kind == RULE_SHARED)
        return true;
    if (r->rule->kind == RULE_MEASURE || r->rule->kind == RULE_TIMES) {
        int c = r->columns[COL_value];
        if (c < 0 || (values[c].type != SQL_INT && values[c].type != SQL_REAL))
            return true;
        double value = values[c].type == SQL_INT ? (double)values[c].i : values[c].d;
        if (r->rule->kind == RULE_MEASURE)
            *vec_push(&r->out->measures) = (struct measure){r->rule->name, value};
        else
            *vec_push(&r->out->times) = (struct measure){text_of(r, values, COL_name), value};
        return true;
    }
    if (r->rule->kind == RULE_BELIEF) {
        *vec_push(&r->out->beliefs) =
            (struct belief){text_of(r, values, COL_kind), text_of(r, values, COL_text)};
        return true;
    }
    int64_t dur = int_of(r, values, COL_dur, 0);
    *vec_push(&r->out->symptoms) = (struct symptom){
        .rule = r->rule,
        .level = level_of(text_of(r, values, COL_level), r->rule->level),
        .ts = int_of(r, values, COL_ts, 0),
        .dur = dur,
        .cost = int_of(r, values, COL_cost, dur),
        .limit = int_of(r, values, COL_limit_ns, 0),
        .utid = id_of(r, values, COL_utid),
        .upid = id_of(r, values, COL_upid),
        .ref_id = int_of(r, values, COL_ref_id, -1),
        .ref = text_of(r, values, COL_ref),
        .name = text_of(r, values, COL_name),
        .cause = text_of(r, values, COL_cause),
        .key = text_of(r, values, COL_key),
        .part_of = text_of(r, values, COL_part_of),
        .in_slice = text_of(r, values, COL_in_slice),
    };
    return true;
}

static bool has_rows(struct str table, struct sql_session *s, struct findings_of_rules *out)
{
    char sql[400];
    int64_t rows = 0;
    for (size_t i = 0; i < out->needed.count; i++)
        if (str_eq(out->needed.items[i].table, table))
            return out->needed.items[i].has_rows;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT 1 FROM %.*s LIMIT 1)", (int)table.n,
             table.p);
    struct status status = sql_session_int(s, sql, &rows);
    status_release(&status);
    *vec_push(&out->needed) = (struct needed_table){table, rows > 0};
    return rows > 0;
}

/* Whether all tables that a rule needs have rows. */
static bool has_what_it_needs(const struct explain_rule *rule, struct sql_session *s,
                              struct findings_of_rules *out)
{
    struct str rest = rule->needs;
    while (rest.n > 0)
        if (!has_rows(str_trim(str_cut(&rest, ',')), s, out))
            return false;
    return true;
}

void names_of_slices_init(struct names_of_slices *names, const struct trace *t)
{
    const struct column *c = &t->tables.slice.columns[slice_col_name];
    bool *seen = alloc_array((size_t)t->strings.count + 1, sizeof *seen);
    *names = (struct names_of_slices){.strings = &t->strings};
    for (uint32_t i = 0; i < t->tables.slice.rows; i++) {
        string_id id = column_str(c, i);
        if (!seen[id])
            *vec_push(&names->v) = id;
        seen[id] = true;
    }
    free(seen);
}

void names_of_slices_release(struct names_of_slices *names)
{
    vec_release(&names->v);
}

/* Whether a slice of the trace has a name that a rule is about. */
static bool has_its_slices(const struct explain_rule *rule, const struct names_of_slices *names)
{
    struct str rest = rule->slices;
    while (rest.n > 0) {
        struct str glob = str_trim(str_cut(&rest, ','));
        char *pattern = alloc_copy(glob.p, glob.n);
        bool found = false;
        for (size_t i = 0; i < names->v.count && !found; i++)
            found =
                sqlite3_strglob(pattern, string_pool_get(names->strings, names->v.items[i]).p) == 0;
        free(pattern);
        if (found)
            return true;
    }
    return rule->slices.n == 0;
}

struct status explain_rule_run(const struct explain_rule *rule, const struct names_of_slices *names,
                               struct sql_session *s, struct findings_of_rules *out)
{
    struct reading r = {.rule = rule, .out = out};
    struct sql_sink sink = {.begin = begin_rows, .row = take_row, .self = &r};
    if (!has_its_slices(rule, names) || !has_what_it_needs(rule, s, out))
        return status_ok_value();
    struct status status = sql_session_run(s, rule->place, rule->sql, &sink);
    if (status_ok(status) || status.code == STATUS_CANCELLED)
        return status;
    *vec_push(&out->failed) = arena_copy(out->arena, str_from(status.message));
    status_release(&status);
    return status_ok_value();
}
