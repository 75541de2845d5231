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
    [RULE_SHARED] = {"shared:", 7},   [RULE_SYMPTOM] = {"symptom:", 8},
    [RULE_BELIEF] = {"belief:", 7},   [RULE_COUNT] = {"count:", 6},
    [RULE_MEASURE] = {"measure:", 8}, [RULE_TIMES] = {"times:", 6},
};

/* Behind those that are there. */
static void add_need(struct str *needs, struct str line)
{
    for (size_t i = 0; line.p && i < NEEDS_MAX; i++)
        if (!needs[i].p) {
            needs[i] = line;
            return;
        }
}

/* Takes what a line says of a rule. */
static void read_header(struct explain_rule *rule, struct str line)
{
    struct str level = header_value(line, STR("level:"));
    struct str waiting = header_value(line, STR("level-waiting:"));
    struct str unknown = header_value(line, STR("level-unknown:"));
    struct str condition = header_value(line, STR("if:"));
    if (level.p)
        rule->level = level_of(level, rule->level);
    if (waiting.p)
        rule->level_waiting = level_of(waiting, rule->level_waiting);
    if (unknown.p)
        rule->level_unknown = level_of(unknown, rule->level_unknown);
    if (condition.p)
        rule->condition = condition;
    add_need(rule->needs, header_value(line, STR("needs:")));
    add_need(rule->lacks, header_value(line, STR("lacks:")));
}

static void add_rules(struct explain_rules *r, const char *place, struct str text)
{
    struct str rest = text, line;
    struct explain_rule *rule = NULL;
    while (str_next_line(&rest, &line)) {
        struct str name = {NULL, 0};
        enum rule_kind kind = RULE_SHARED;
        bool is_comment = str_starts(line, STR("--"));
        for (int k = RULE_SHARED; k <= RULE_TIMES && is_comment && !name.p; k++) {
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
        if (is_comment)
            read_header(rule, line);
        rule->sql.n = (size_t)(line.p + line.n - rule->sql.p);
    }
}

/* The next name of a table that rules make; empty: there is none. `*rest` becomes what follows. */
static struct str next_table(struct str *rest)
{
    const struct str prefix = STR("_explain_");
    const char *at = rest->n ? memmem(rest->p, rest->n, prefix.p, prefix.n) : NULL;
    if (!at)
        return *rest = STR("");
    struct str name = {at, prefix.n};
    *rest = str_skip(*rest, (size_t)(at - rest->p));
    while (name.n < rest->n && is_word_char(name.p[name.n]))
        name.n++;
    *rest = str_skip(*rest, name.n);
    return name;
}

static void find_tables(struct explain_rules *r, size_t rule)
{
    const struct str make = STR("TABLE ");
    struct str sql = r->v.items[rule].sql, rest = sql;
    for (struct str name; (name = next_table(&rest)).n > 0;)
        if ((size_t)(name.p - sql.p) >= make.n && memcmp(name.p - make.n, make.p, make.n) == 0)
            *vec_push(&r->shared) = (struct shared_table){name, rule};
}

void explain_rules_init(struct explain_rules *r)
{
    *r = (struct explain_rules){0};
    for (const struct embedded_file *f = explain_files; f->name; f++)
        add_rules(r, f->name, (struct str){(const char *)f->bytes, f->size});
    for (size_t i = 0; i < r->v.count; i++)
        if (r->v.items[i].kind == RULE_SHARED)
            find_tables(r, i);
}

void explain_rules_release(struct explain_rules *r)
{
    vec_release(&r->v);
    vec_release(&r->shared);
}

/* ---- what rules read of each other ---- */

/* Sets what shared rules make that a text reads; returns whether any is new. */
static bool add_read(const struct explain_rules *all, struct str sql, bool *read)
{
    bool more = false;
    for (struct str name; (name = next_table(&sql)).n > 0;)
        for (size_t i = 0; i < all->shared.count; i++)
            if (str_eq(all->shared.items[i].name, name)) {
                more = more || !read[all->shared.items[i].rule];
                read[all->shared.items[i].rule] = true;
            }
    return more;
}

/* Which shared rules make what a rule reads, and what these read; for free(). */
static bool *rules_read_by(const struct explain_rules *all, const struct explain_rule *rule)
{
    bool *read = alloc_array(all->v.count + 1, sizeof *read);
    for (bool more = add_read(all, rule->sql, read); more;) {
        more = false;
        for (size_t i = 0; i < all->v.count; i++)
            more = (read[i] && add_read(all, all->v.items[i].sql, read)) || more;
    }
    return read;
}

void explain_rule_print(const struct explain_rule *rule, FILE *f)
{
    struct explain_rules all;
    explain_rules_init(&all);
    bool *read = rules_read_by(&all, rule);
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

/* What was recorded of one kind, behind what was counted before. */
static void add_count(struct findings_of_rules *out, struct str what, double count)
{
    struct belief *b = out->counted ? &out->beliefs.items[out->counted - 1] : NULL;
    char number[32];
    int n = snprintf(number, sizeof number, "%s%.0f ", b ? ", " : "", count);
    struct str before = b ? b->text : STR(""), pieces[] = {before, {number, (size_t)n}, what};
    char *text = arena_alloc_bytes(out->arena, before.n + (size_t)n + what.n), *at = text;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        memcpy(at, pieces[i].p, pieces[i].n);
        at += pieces[i].n;
    }
    if (!b) {
        b = vec_push(&out->beliefs);
        b->kind = STR("recorded");
        out->counted = out->beliefs.count;
    }
    b->text = (struct str){text, (size_t)(at - text)};
}

/* The value of a row that is a number of its rule. */
static void take_value(struct reading *r, const struct sql_value *values)
{
    int c = r->columns[COL_value];
    if (c < 0 || (values[c].type != SQL_INT && values[c].type != SQL_REAL))
        return;
    double value = values[c].type == SQL_INT ? (double)values[c].i : values[c].d;
    if (r->rule->kind == RULE_MEASURE)
        *vec_push(&r->out->measures) = (struct measure){r->rule->name, value};
    else if (r->rule->kind == RULE_TIMES)
        *vec_push(&r->out->times) = (struct measure){text_of(r, values, COL_name), value};
    else if (value > 0)
        add_count(r->out, r->rule->name, value);
}

static bool take_row(void *self, int columns, const struct sql_value *values)
{
    struct reading *r = self;
    (void)columns;
    if (r->rows++ >= ROWS_MAX || r->rule->kind == RULE_SHARED)
        return true;
    if (r->rule->kind == RULE_MEASURE || r->rule->kind == RULE_TIMES ||
        r->rule->kind == RULE_COUNT) {
        take_value(r, values);
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

/* ---- running ---- */

void rules_run_init(struct rules_run *run, const struct explain_rules *rules, const struct trace *t,
                    struct sql_session *s, struct findings_of_rules *out)
{
    *run = (struct rules_run){.rules = rules, .session = s, .out = out, .seen = {.trace = t}};
    run->made = alloc_array(rules->v.count + 1, sizeof *run->made);
}

void rules_run_release(struct rules_run *run)
{
    seen_columns_release(&run->seen);
    free(run->made);
}

/* Whether one of the lines holds. */
static struct status check_lines(struct rules_run *run, const struct str *needs, bool *holds)
{
    struct status status = status_ok_value();
    *holds = false;
    for (size_t i = 0; i < NEEDS_MAX && needs[i].p && !*holds && status_ok(status); i++)
        status = needs_check(&run->seen, needs[i], holds);
    return status;
}

static struct status check_condition(struct rules_run *run, struct str condition, bool *holds)
{
    int64_t value = 0;
    char *sql = alloc_copy(condition.p, condition.n);
    struct status status = sql_session_int(run->session, sql, &value);
    free(sql);
    *holds = value != 0;
    return status;
}

/* Whether the trace has what a rule is about. */
static struct status is_about(struct rules_run *run, const struct explain_rule *rule, bool *is)
{
    bool lacks = true;
    struct status status = check_lines(run, rule->needs, is);
    *is = *is || !rule->needs[0].p;
    if (status_ok(status) && *is)
        status = check_lines(run, rule->lacks, &lacks);
    *is = *is && !lacks;
    if (status_ok(status) && *is && rule->condition.p)
        status = check_condition(run, rule->condition, is);
    return status;
}

static struct status run_statements(struct rules_run *run, const struct explain_rule *rule)
{
    struct reading r = {.rule = rule, .out = run->out};
    struct sql_sink sink = {.begin = begin_rows, .row = take_row, .self = &r};
    return sql_session_run(run->session, rule->place, rule->sql, &sink);
}

static struct status make_what_it_reads(struct rules_run *run, const struct explain_rule *rule)
{
    const struct explain_rules *all = run->rules;
    struct status status = status_ok_value();
    bool *read = rules_read_by(all, rule);
    for (size_t i = 0; i < all->v.count && status_ok(status); i++) {
        bool wanted = false;
        if (!read[i] || run->made[i])
            continue;
        run->made[i] = true;
        status = is_about(run, &all->v.items[i], &wanted);
        if (status_ok(status) && wanted)
            status = run_statements(run, &all->v.items[i]);
    }
    free(read);
    return status;
}

struct status explain_rule_run(struct rules_run *run, const struct explain_rule *rule)
{
    bool wanted = false;
    struct status status = is_about(run, rule, &wanted);
    if (status_ok(status) && wanted)
        status = make_what_it_reads(run, rule);
    if (status_ok(status) && wanted)
        status = run_statements(run, rule);
    if (status_ok(status) || status.code == STATUS_CANCELLED)
        return status;
    *vec_push(&run->out->failed) = arena_copy(run->out->arena, str_from(status.message));
    status_release(&status);
    return status_ok_value();
}
