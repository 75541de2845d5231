#include "sql/hints/dialect.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/grammar/parse.h"
#include "sql/tokens/token_cursor.h"

static const struct foreign {
    const char *name, *instead;
} functions[] = {
    {"any_value", "min(value) or max(value)"},
    {"approx_count_distinct", "count(DISTINCT value)"},
    {"approx_quantile", "percentile(value, percent)"},
    {"array_agg", "group_concat(value) or json_group_array(value)"},
    {"contains", "instr(text, part) > 0, or text GLOB '*part*'"},
    {"countif", "count(*) FILTER (WHERE condition)"},
    {"count_if", "count(*) FILTER (WHERE condition)"},
    {"ends_with", "text GLOB '*part'"},
    {"greatest", "max(a, b)"},
    {"least", "min(a, b)"},
    {"left", "substr(text, 1, count)"},
    {"len", "length(text)"},
    {"listagg", "group_concat(value)"},
    {"nvl", "ifnull(value, otherwise)"},
    {"quantile", "percentile(value, percent)"},
    {"regexp_contains", "regexp(pattern, text)"},
    {"regexp_like", "regexp(pattern, text)"},
    {"regexp_matches", "regexp_extract(text, pattern)"},
    {"regexp_replace", "regexp_replace_simple(text, pattern, with)"},
    {"right", "substr(text, -count)"},
    {"safe_divide", "a / nullif(b, 0)"},
    {"split", "str_split(text, separator, index)"},
    {"split_part", "str_split(text, separator, index), from 0"},
    {"starts_with", "text GLOB 'part*'"},
    {"strpos", "instr(text, part)"},
    {"sumif", "sum(value) FILTER (WHERE condition)"},
    {"to_char", "format('%d', value)"},
    {"to_json", "json_quote(value)"},
};

#define SINGLE_ROWS "WHERE sees single rows: conditions on groups stand in HAVING, behind GROUP BY"

static const struct mistake {
    const char *message, *hint;
} mistakes[] = {
    {"near \"&\": syntax error", "conditions are joined with AND"},
    {"near \"~\": syntax error",
     "GLOB matches patterns, regexp(pattern, text) regular expressions"},
    {"near \"DESCRIBE\": syntax error",
     "SELECT name, type FROM pragma_table_info('slice') lists the columns of slice"},
    {"near \"SHOW\": syntax error",
     "SELECT name, description FROM __intrinsic_schema_tables lists tables and views"},
    {"misuse of aggregate: ", SINGLE_ROWS},
    {"misuse of aliased window function",
     "WHERE is before the windows: put this SELECT in the FROM of another, which has the WHERE"},
    {"misuse of aliased aggregate", SINGLE_ROWS},
    {"misuse of window function", "window functions are called with OVER: row_number() OVER (ORDER "
                                  "BY ts)"},
};

const char *dialect_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (compare_any_case(functions[i].name, name) == 0)
            return functions[i].instead;
    return NULL;
}

/* Nanoseconds that are one of the unit; 0: it is none. */
static int64_t nanoseconds(struct str unit)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (str_eq(unit, str_from(units[i].name)))
            return units[i].ns;
    return 0;
}

/* What the message quotes behind those words, without the quote at its end; no bytes: nothing. */
static struct str quoted_behind(const char *message, const char *words)
{
    const char *hit = strstr(message, words);
    if (!hit)
        return STR("");
    hit += strlen(words);
    return (struct str){hit, strcspn(hit, "\"")};
}

static char *convert_unit(struct str digits, struct str unit)
{
    int64_t ns = nanoseconds(unit), count, product;
    if (ns == 0 || !str_to_i64(digits, &count) || __builtin_mul_overflow(count, ns, &product))
        return NULL;
    return sqlite3_mprintf("times are nanoseconds: write %lld", (long long)product);
}

/* 10ms, 10 ms */
static char *explain_unit(const struct token_list *tokens, const char *message)
{
    struct str token = quoted_behind(message, "unrecognized token: \"");
    struct str near = quoted_behind(message, "near \""), last = STR("");
    size_t digits = 0;
    while (digits < token.n && token.p[digits] >= '0' && token.p[digits] <= '9')
        digits++;
    char *text = convert_unit(str_from_to(token, 0, digits), str_skip(token, digits));
    bool is_unit = nanoseconds(near) != 0;
    for (size_t i = 0; !text && is_unit && i < tokens->v.count; i++) {
        struct token t = token_written(tokens->v.items[i]);
        if (token_is_blank(t))
            continue;
        bool is_number = last.n > 0 && last.p[0] >= '0' && last.p[0] <= '9';
        if (is_number && str_eq(t.text, near))
            text = convert_unit(last, near);
        if (is_number && str_eq(t.text, near) && !text)
            text = sqlite3_mprintf("times are nanoseconds");
        last = t.text;
    }
    return text;
}

struct call_search {
    const struct token_list *tokens;
    struct str name;
    bool found;
};

/* SELECTs inside of a condition have their own. */
static bool find_call(void *self, const struct sql_node *n)
{
    struct call_search *s = self;
    if (n->kind == SQL_CALL) {
        struct token name = s->tokens->v.items[n->part[CALL_NAME]->span.first];
        s->found |= str_eq_any_case(name.text, s->name);
    }
    return n->kind != SQL_CORE;
}

static const struct sql_node *condition_of(const struct sql_node *n)
{
    if (n->kind == SQL_STAGE && n->op == SQL_OP_WHERE)
        return n->part[STAGE_ITEMS];
    return n->kind == SQL_CORE   ? n->part[CORE_WHERE]
           : n->kind == SQL_JOIN ? n->part[JOIN_ON]
                                 : NULL;
}

static bool find_in_condition(void *self, const struct sql_node *n)
{
    sql_visit(condition_of(n), find_call, self);
    return true;
}

/* Whether the function is called in a WHERE or ON, inside of whatever else. */
static bool is_in_condition(const struct token_list *tokens, struct str name)
{
    struct call_search search = {tokens, name, false};
    struct arena arena;
    arena_init(&arena);
    sql_visit(sql_parse_statement(&arena, tokens).root, find_in_condition, &search);
    arena_release(&arena);
    return search.found;
}

/* WHERE sum(dur) > 1; sum(count(*)) */
static char *explain_aggregate(const struct token_list *tokens, const char *message)
{
    static const char before[] = "misuse of aggregate function ";
    const char *hit = strstr(message, before);
    if (!hit)
        return NULL;
    hit += sizeof before - 1;
    bool condition = is_in_condition(tokens, (struct str){hit, strcspn(hit, "(")});
    return sqlite3_mprintf("%s", condition ? SINGLE_ROWS
                                           : "aggregates do not nest: put the inner one in a "
                                             "SELECT in FROM");
}

/* left(name, 1): these two begin joins. */
static char *explain_side(const struct token_list *tokens, const char *message)
{
    static const char *const sides[] = {"LEFT", "RIGHT"};
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    if (!strstr(message, "near \"(\": syntax error"))
        return NULL;
    for (struct token t; (t = cursor_take(&c)).kind != TOKEN_END;)
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
            if (token_is_word(t, sides[i]) && token_is(cursor_peek(&c), '('))
                return sqlite3_mprintf("use %s", dialect_function(sides[i]));
    return NULL;
}

/* value::type, which the lexer has as two colons, or as one and a variable. */
static bool has_double_colon(const struct token_list *tokens)
{
    for (size_t i = 0; i + 1 < tokens->v.count; i++) {
        struct str a = token_written(tokens->v.items[i]).text;
        struct str b = token_written(tokens->v.items[i + 1]).text;
        if (str_ends(a, STR(":")) && str_starts(b, STR(":")))
            return true;
        if (str_starts(a, STR("::")) || str_starts(b, STR("::")))
            return true;
    }
    return false;
}

static bool has_top(const struct token_list *tokens)
{
    bool select = false;
    for (size_t i = 0; i < tokens->v.count; i++) {
        struct token t = token_written(tokens->v.items[i]);
        if (token_is_blank(t))
            continue;
        if (select && token_is_word(t, "TOP"))
            return true;
        select = token_is_word(t, "SELECT");
    }
    return false;
}

static bool contains(const char *text, const char *part)
{
    size_t n = strlen(part);
    while (*text && compare_any_case_n(text, part, n) != 0)
        text++;
    return *text != '\0';
}

char *dialect_explain(const struct token_list *tokens, const char *message)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (contains(message, mistakes[i].message))
            return sqlite3_mprintf("%s", mistakes[i].hint);
    if (strstr(message, "unrecognized token: \":\"") && has_double_colon(tokens))
        return sqlite3_mprintf("CAST(value AS type) converts");
    if (strstr(message, "syntax error") && has_top(tokens))
        return sqlite3_mprintf("LIMIT at the end of the statement takes the place of TOP");
    char *text = explain_aggregate(tokens, message);
    if (!text)
        text = explain_side(tokens, message);
    return text ? text : explain_unit(tokens, message);
}
