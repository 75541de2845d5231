#include "complete/grow.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "sql/export/result_writer.h"
#include "fmt/format.h"
#include "sql/grammar/parse.h"
#include "sql/tokens/keywords.h"
#include "sql/tokens/lexer.h"

/* The script's last statement. */
struct last_statement {
    struct str before, text;  /* without the semicolon */
    struct token_list tokens; /* of `text`, without blanks */
    VEC(char) again;          /* `before` lies in it */
};

static void release_last(struct last_statement *s)
{
    vec_release(&s->tokens.v);
    vec_release(&s->again);
}

static bool is_created_once(const struct sql_node *n)
{
    return (sql_is(n, SQL_CREATE_TABLE) || sql_is(n, SQL_CREATE_VIEW) ||
            sql_is(n, SQL_CREATE_FUNCTION) || sql_is(n, SQL_CREATE_MACRO) ||
            sql_is(n, SQL_CREATE_INDEX)) &&
           n->op != SQL_OP_OR_REPLACE;
}

/* Adds the script from `from` to `to`, of which the statement is part, to what stands before. It
 * has run once: what it defined is there, and is to be replaced. */
static void add_before(struct last_statement *s, const struct sql_source *source, size_t from,
                       size_t to)
{
    static const char replace[] = " OR REPLACE";
    struct arena arena;
    arena_init(&arena);
    const struct sql_node *root = sql_parse_head(&arena, &s->tokens).root;
    if (is_created_once(root)) {
        struct token create = s->tokens.v.items[root->span.first];
        size_t behind = token_at(create) + create.text.n;
        vec_append(&s->again, source->text.p + from, behind - from);
        vec_append(&s->again, replace, sizeof replace - 1);
        from = behind;
    }
    vec_append(&s->again, source->text.p + from, to - from);
    arena_release(&arena);
}

static void read_last(const struct sql_source *source, struct last_statement *out)
{
    struct token_list all = {0};
    size_t added = 0;
    *out = (struct last_statement){.text = {"", 0}};
    for (size_t at = 0; at < source->text.n;) {
        all.v.count = 0;
        at = lexer_statement(source, at, &all);
        size_t first = 0, last = all.v.count;
        while (first < last && token_is_blank(all.v.items[first]))
            first++;
        while (last > first && token_is_blank(all.v.items[last - 1]))
            last--;
        if (first == last)
            continue;
        size_t from = token_at(all.v.items[first]);
        struct token end = all.v.items[last - 1];
        add_before(out, source, added, from);
        added = from;
        out->text = str_from_to(source->text, from, token_at(end) + end.text.n);
        out->tokens.v.count = 0;
        for (size_t i = first; i < last; i++)
            if (!token_is_blank(all.v.items[i]))
                *vec_push(&out->tokens.v) = all.v.items[i];
    }
    out->before = (struct str){out->again.items ? out->again.items : "", out->again.count};
    vec_release(&all.v);
}

/* Prints, and formats what that makes. */
__attribute__((format(printf, 1, 2))) static char *print_script(const char *format, ...)
{
    va_list args;
    char *text = NULL, *formatted = NULL;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return alloc_copy("", 0);
    struct status s = sql_format("query", (struct str){text, (size_t)n}, &formatted);
    if (!status_ok(s)) {
        status_release(&s);
        return text;
    }
    free(text);
    n = (int)strlen(formatted);
    if (n > 0 && formatted[n - 1] == '\n')
        formatted[n - 1] = '\0';
    return formatted;
}

static bool is_plain(const char *name)
{
    if (!*name || (*name >= '0' && *name <= '9') || sql_is_keyword(str_from(name)))
        return false;
    for (const char *c = name; *c; c++)
        if (!(*c == '_' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
              (*c >= '0' && *c <= '9')))
            return false;
    return true;
}

/* In quotes, which are doubled inside. */
static char *quote(struct str s, char mark)
{
    char *out = alloc_bytes(2 * s.n + 3);
    size_t used = 0;
    out[used++] = mark;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == mark)
            out[used++] = mark;
        out[used++] = s.p[i];
    }
    out[used++] = mark;
    out[used] = '\0';
    return out;
}

char *grow_name(const char *column)
{
    return is_plain(column) ? alloc_copy(column, strlen(column)) : quote(str_from(column), '"');
}

char *grow_literal(const struct sql_value *v)
{
    if (v->type == SQL_NULL)
        return alloc_copy("NULL", 4);
    if (v->type == SQL_TEXT)
        return quote(v->s, '\'');
    char *text = result_value_text(v);
    if (v->type != SQL_BLOB)
        return text;
    char *blob = alloc_bytes(strlen(text) + 4);
    snprintf(blob, strlen(text) + 4, "x'%s'", text);
    free(text);
    return blob;
}

/* What the statement is, as far as a condition can go into it. */
enum shape {
    SHAPE_OTHER,
    SHAPE_PLAIN, /* SELECT * or names FROM one table */
    SHAPE_WHERE, /* the same with a WHERE of ANDs */
};

static enum shape shape_of(const struct last_statement *s)
{
    enum shape shape = SHAPE_PLAIN;
    bool from = false;
    size_t depth = 0;
    if (s->tokens.v.count == 0 || !token_is_word(s->tokens.v.items[0], "SELECT"))
        return SHAPE_OTHER;
    for (size_t i = 1; i < s->tokens.v.count; i++) {
        struct token t = s->tokens.v.items[i];
        depth += token_is(t, '(');
        depth -= token_is(t, ')') && depth > 0;
        if (depth > 0 && !from)
            return SHAPE_OTHER; /* what is computed has a name only outside */
        if (depth > 0)
            continue;
        bool plain = token_is_name(t) || token_is(t, ',') || token_is(t, '.') || token_is(t, '*');
        if (token_is_word(t, "FROM"))
            from = true;
        else if (token_is_word(t, "WHERE"))
            shape = SHAPE_WHERE;
        else if (shape == SHAPE_WHERE && token_is_word(t, "OR"))
            return SHAPE_OTHER;
        else if (!from && (!plain || (t.kind == TOKEN_WORD && sql_is_keyword(t.text))))
            return SHAPE_OTHER;
        else if (from && shape == SHAPE_PLAIN && !token_is(t, ')') &&
                 (token_is(t, ',') || (t.kind == TOKEN_WORD && sql_is_keyword(t.text))))
            return SHAPE_OTHER;
        else if (shape == SHAPE_WHERE &&
                 (token_is_word(t, "GROUP") || token_is_word(t, "ORDER") ||
                  token_is_word(t, "LIMIT") || token_is_word(t, "UNION") ||
                  token_is_word(t, "EXCEPT") || token_is_word(t, "INTERSECT") ||
                  token_is_word(t, "WINDOW") || token_is(t, '|')))
            return SHAPE_OTHER;
    }
    return from ? shape : SHAPE_OTHER;
}

/* The statement with something in front of it and behind; it stands in brackets. */
static char *wrap(struct str script, const char *before, const char *behind)
{
    struct sql_source source = {.name = "query", .text = script};
    struct last_statement s;
    read_last(&source, &s);
    char *out = print_script("%.*s%s (\n%.*s\n)%s;", (int)s.before.n, s.before.p, before,
                             (int)s.text.n, s.text.p, behind);
    release_last(&s);
    return out;
}

char *grow_condition(struct str script, const char *condition)
{
    struct sql_source source = {.name = "query", .text = script};
    struct last_statement s;
    read_last(&source, &s);
    enum shape shape = shape_of(&s);
    char *out;
    if (shape == SHAPE_OTHER)
        out = print_script("%.*sSELECT * FROM (\n%.*s\n) WHERE %s;", (int)s.before.n, s.before.p,
                           (int)s.text.n, s.text.p, condition);
    else
        out = print_script("%.*s%.*s\n%s %s;", (int)s.before.n, s.before.p, (int)s.text.n, s.text.p,
                           shape == SHAPE_WHERE ? "AND" : "WHERE", condition);
    release_last(&s);
    return out;
}

char *grow_group(struct str script, const char *column, const char *summed)
{
    char *name = grow_name(column), before[600], behind[300];
    char *sum = summed ? grow_name(summed) : NULL;
    if (sum)
        snprintf(before, sizeof before,
                 "SELECT %s, count(*) AS count, sum(%s) AS total_%s, avg(%s) AS mean_%s,"
                 " max(%s) AS longest_%s FROM",
                 name, sum, summed, sum, summed, sum, summed);
    else
        snprintf(before, sizeof before, "SELECT %s, count(*) AS count FROM", name);
    snprintf(behind, sizeof behind, " GROUP BY %s ORDER BY %s%s DESC", name,
             sum ? "total_" : "count", sum ? summed : "");
    char *out = wrap(script, before, behind);
    free(name);
    free(sum);
    return out;
}

char *grow_column(struct str script, struct str expression)
{
    size_t size = expression.n + 32;
    char *before = alloc_bytes(size);
    snprintf(before, size, "SELECT *, %.*s FROM", (int)expression.n, expression.p);
    char *out = wrap(script, before, "");
    free(before);
    return out;
}

char *grow_order(struct str script, const char *column, bool descending)
{
    char *name = grow_name(column), behind[300];
    struct sql_source source = {.name = "query", .text = script};
    struct last_statement s;
    read_last(&source, &s);
    snprintf(behind, sizeof behind, " ORDER BY %s%s", name, descending ? " DESC" : "");
    char *out = shape_of(&s) == SHAPE_OTHER
                    ? wrap(script, "SELECT * FROM", behind)
                    : print_script("%.*s%.*s%s;", (int)s.before.n, s.before.p, (int)s.text.n,
                                   s.text.p, behind);
    release_last(&s);
    free(name);
    return out;
}

/* The text of a node of the statement. */
static struct str node_text(const struct last_statement *s, const struct sql_node *n)
{
    if (!n || n->span.first >= n->span.end)
        return STR("");
    const struct token *tokens = s->tokens.v.items;
    struct token first = tokens[n->span.first], last = tokens[n->span.end - 1];
    return (struct str){first.text.p, (size_t)(last.text.p + last.text.n - first.text.p)};
}

/* A column as it is called: its table, where that is said, and its name; empty for other
 * expressions.
 */
struct column_words {
    struct str table, name;
};

static struct column_words column_words(const struct last_statement *s, const struct sql_node *n)
{
    if (sql_is(n, SQL_NAME))
        return (struct column_words){.table = STR(""), .name = node_text(s, n)};
    if (!sql_is(n, SQL_COLUMN))
        return (struct column_words){.table = STR(""), .name = STR("")};
    return (struct column_words){node_text(s, n->part[COLUMN_TABLE]),
                                 node_text(s, n->part[COLUMN_NAME])};
}

static bool same_column(struct column_words a, struct column_words b)
{
    return a.name.n > 0 && str_eq_any_case(a.name, b.name) &&
           (a.table.n == 0 || b.table.n == 0 || str_eq_any_case(a.table, b.table));
}

/* Whether a result has that name and does not compute it from a column of that name, which GROUP BY
 * would mean: upper(name) AS name. */
static bool is_named(const struct last_statement *s, const struct sql_node *result, struct str name)
{
    const struct sql_node *value = result->part[RESULT_VALUE];
    if (name.n == 0 || !str_eq_any_case(name, node_text(s, result->part[RESULT_NAME])))
        return false;
    for (size_t i = value->span.first; i < value->span.end; i++)
        if (str_eq_any_case(name, s->tokens.v.items[i].text))
            return false;
    return true;
}

/* The result's column that a key of GROUP BY is, by its number, its name or what it computes; -1
 * for none. */
static int column_of(const struct last_statement *s, const struct sql_node *results,
                     const struct sql_node *key)
{
    uint64_t number;
    if (sql_is(key, SQL_LITERAL) && str_to_u64(node_text(s, key), 10, &number))
        return number >= 1 && number <= results->count ? (int)number - 1 : -1;
    struct column_words name = column_words(s, key);
    for (uint32_t i = 0; i < results->count; i++) {
        const struct sql_node *r = results->part[i];
        if (!sql_is(r, SQL_RESULT))
            return -1; /* of * it is not known how many there are */
        if (sql_tree_equal(key, &s->tokens, r->part[RESULT_VALUE], &s->tokens) ||
            (name.table.n == 0 && is_named(s, r, name.name)) ||
            same_column(name, column_words(s, r->part[RESULT_VALUE])))
            return (int)i;
    }
    return -1;
}

static bool is_collated(const struct sql_node *n)
{
    return sql_is(n, SQL_BINARY) && n->op == SQL_OP_COLLATE;
}

/* The same where a collation says how the key is compared. */
static int column_of_key(const struct last_statement *s, const struct sql_node *results,
                         const struct sql_node *key)
{
    int column = column_of(s, results, key);
    while (column < 0 && is_collated(key)) {
        key = key->part[0];
        column = column_of(s, results, key);
    }
    return column;
}

/* As a condition compares it: all digits. */
static char *exact_literal(const struct sql_value *v)
{
    char text[40];
    if (v->type != SQL_REAL)
        return grow_literal(v);
    int n = snprintf(text, sizeof text, "%.17g", v->d);
    if (!strpbrk(text, ".en"))
        n += snprintf(text + n, sizeof text - (size_t)n, ".0");
    return alloc_copy(text, (size_t)n);
}

/* Whether an operator stands at its top, which IS behind it may tear apart: NOT x, a OR b. */
static bool is_operation(const struct sql_node *n)
{
    return sql_is(n, SQL_UNARY) || sql_is(n, SQL_POSTFIX) || sql_is(n, SQL_BINARY) ||
           sql_is(n, SQL_LIKE) || sql_is(n, SQL_BETWEEN) || sql_is(n, SQL_IN);
}

/* That what a column is computed from is the value, compared as the collation says, if there is
 * one. */
static void put_condition(FILE *f, const struct last_statement *s, const struct sql_node *of,
                          const struct sql_node *collation, const struct sql_value *value)
{
    struct str key = node_text(s, of), how = node_text(s, collation);
    char *literal = exact_literal(value);
    fprintf(f, is_operation(of) ? "(%.*s)" : "%.*s", (int)key.n, key.p);
    fprintf(f, how.n ? " COLLATE %.*s IS %s" : "%.*s IS %s", (int)how.n, how.p, literal);
    free(literal);
}

/* " AND key IS value" for each key, for free(); NULL where one is no column of the result. */
static char *key_conditions(const struct last_statement *s, const struct sql_node *core,
                            struct sql_value (*value)(void *ctx, uint32_t column), void *ctx)
{
    const struct sql_node *keys = core->part[CORE_GROUP], *results = core->part[CORE_RESULTS];
    char *text = NULL;
    size_t size = 0;
    bool found = true;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    for (uint32_t i = 0; i < keys->count && found; i++) {
        int column = column_of_key(s, results, keys->part[i]);
        found = column >= 0;
        if (!found)
            break;
        fputs(i || core->part[CORE_WHERE] ? " AND " : "", f);
        struct sql_value v = value(ctx, (uint32_t)column);
        const struct sql_node *of = results->part[column]->part[RESULT_VALUE];
        bool collated = is_collated(keys->part[i]);
        put_condition(f, s, of, collated ? keys->part[i]->part[1] : NULL, &v);
    }
    fclose(f);
    if (!found) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The SELECT that a statement consists of, if it is one with a GROUP BY; NULL for others. */
static const struct sql_node *grouping_core(const struct sql_tree *tree)
{
    const struct sql_node *body =
        tree->whole && sql_is(tree->root, SQL_SELECT) ? tree->root->part[SELECT_BODY] : NULL;
    if (sql_is(body, SQL_COMPOUND) && body->count == 1)
        body = body->part[0];
    if (sql_is(body, SQL_ARM))
        body = body->part[0];
    return sql_is(body, SQL_CORE) && body->part[CORE_GROUP] && body->part[CORE_FROM] ? body : NULL;
}

char *grow_behind(struct str script, struct sql_value (*value)(void *ctx, uint32_t column),
                  void *ctx)
{
    struct sql_source source = {.name = "query", .text = script};
    struct last_statement s;
    struct arena arena;
    char *conditions = NULL, *out = NULL;
    read_last(&source, &s);
    arena_init(&arena);
    struct sql_tree tree = sql_parse_statement(&arena, &s.tokens);
    const struct sql_node *core = grouping_core(&tree);
    if (core)
        conditions = key_conditions(&s, core, value, ctx);
    if (conditions) {
        struct str with = node_text(&s, tree.root->part[SELECT_WITH]);
        struct str from = node_text(&s, core->part[CORE_FROM]);
        struct str where = node_text(&s, core->part[CORE_WHERE]);
        bool alone = where.n == 0;
        out = print_script("%.*s%.*s\nSELECT * FROM %.*s WHERE %s%.*s%s%s;", (int)s.before.n,
                           s.before.p, (int)with.n, with.p, (int)from.n, from.p, alone ? "" : "(",
                           (int)where.n, where.p, alone ? "" : ")", conditions);
    }
    free(conditions);
    arena_release(&arena);
    release_last(&s);
    return out;
}

bool grow_groups(struct str script)
{
    struct sql_source source = {.name = "query", .text = script};
    struct last_statement s;
    struct arena arena;
    read_last(&source, &s);
    arena_init(&arena);
    struct sql_tree tree = sql_parse_statement(&arena, &s.tokens);
    bool groups = grouping_core(&tree) != NULL;
    arena_release(&arena);
    release_last(&s);
    return groups;
}

static const struct grow_join joins[] = {
    {"utid", "its thread and process",
     "thread.tid, thread.name AS thread_name, process.pid, process.name AS process_name",
     "LEFT JOIN thread USING (utid) LEFT JOIN process USING (upid)"},
    {"upid", "its process", "process.pid, process.name AS process_name",
     "LEFT JOIN process USING (upid)"},
    {
        "track_id",
        "its track, and the thread and process of that",
        "track.name AS track_name, thread.utid, thread.tid, thread.name AS thread_name,"
        " process.name AS process_name",
        "LEFT JOIN track ON track.id = q.track_id LEFT JOIN thread_track ON thread_track.id ="
        " q.track_id LEFT JOIN thread ON thread.utid = thread_track.utid LEFT JOIN process ON"
        " process.upid = thread.upid",
    },
    {"slice_id", "its slice",
     "slice.ts AS slice_ts, slice.dur AS slice_dur, slice.name AS slice_name",
     "LEFT JOIN slice ON slice.id = q.slice_id"},
    {"parent_id", "the slice around it", "parent.name AS parent_name, parent.dur AS parent_dur",
     "LEFT JOIN slice AS parent ON parent.id = q.parent_id"},
    {"arg_set_id", "its args, a row each", "args.key, args.display_value",
     "LEFT JOIN args USING (arg_set_id)"},
    {"ucpu", "its CPU", "cpu.cpu, cpu.processor", "LEFT JOIN cpu USING (ucpu)"},
};

const struct grow_join *grow_join_at(uint32_t i)
{
    return i < sizeof joins / sizeof *joins ? &joins[i] : NULL;
}

char *grow_add_join(struct str script, const struct grow_join *join)
{
    char before[500], behind[600];
    snprintf(before, sizeof before, "SELECT q.*, %s FROM", join->columns);
    snprintf(behind, sizeof behind, " AS q %s", join->tables);
    return wrap(script, before, behind);
}

char *grow_states(struct str script)
{
    static const char include[] = "INCLUDE PERFETTO MODULE intervals.intersect;\n";
    struct sql_source source = {.name = "query", .text = script};
    struct last_statement s;
    read_last(&source, &s);
    bool included = s.before.n >= sizeof include - 1 &&
                    memmem(s.before.p, s.before.n, "intervals.intersect", 19) != NULL;
    char *out = print_script(
        "%s%.*sWITH q AS (\n%.*s\n) SELECT met.ts, met.dur, met.utid, state.state, state.io_wait,"
        " state.blocked_function, q.id, q.ts AS of_ts, q.dur AS of_dur"
        " FROM _interval_intersect!(((SELECT id, ts, dur, utid FROM q WHERE dur > 0),"
        " (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)), (utid)) AS met"
        " JOIN thread_state AS state ON state.id = met.id_1 JOIN q ON q.id = met.id_0"
        " ORDER BY met.ts;",
        included ? "" : include, (int)s.before.n, s.before.p, (int)s.text.n, s.text.p);
    release_last(&s);
    return out;
}
