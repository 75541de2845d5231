#include "sql/tokens/keywords.h"

#include "base/bisect.h"

static const char *const keywords[] = {
    "ALL",       "ALTER",     "ANALYZE",   "AND",          "AS",        "ASC",     "BETWEEN",
    "BY",        "CASE",      "CAST",      "COLLATE",      "CREATE",    "CROSS",   "CURRENT",
    "DEFAULT",   "DELEGATES", "DELETE",    "DESC",         "DISTINCT",  "DROP",    "ELSE",
    "END",       "ESCAPE",    "EXCEPT",    "EXISTS",       "EXPLAIN",   "FALSE",   "FILTER",
    "FIRST",     "FOLLOWING", "FROM",      "FULL",         "FUNCTION",  "GLOB",    "GROUP",
    "HAVING",    "IF",        "IN",        "INCLUDE",      "INDEX",     "INNER",   "INSERT",
    "INTERSECT", "INTO",      "IS",        "ISNULL",       "JOIN",      "LAST",    "LEFT",
    "LIKE",      "LIMIT",     "MACRO",     "MATERIALIZED", "MODULE",    "NATURAL", "NOT",
    "NOTNULL",   "NULL",      "NULLS",     "OFFSET",       "ON",        "OR",      "ORDER",
    "OUTER",     "OVER",      "PARTITION", "PARTITIONED",  "PERFETTO",  "PRAGMA",  "PRECEDING",
    "RANGE",     "RECURSIVE", "REGEXP",    "REPLACE",      "RETURNS",   "RIGHT",   "ROW",
    "ROWS",      "SELECT",    "SET",       "SPAN_JOIN",    "TABLE",     "TEMP",    "TEMPORARY",
    "THEN",      "TO",        "TRIGGER",   "TRUE",         "UNBOUNDED", "UNION",   "UPDATE",
    "USING",     "VALUES",    "VIEW",      "VIRTUAL",      "WHEN",      "WHERE",   "WINDOW",
    "WITH",      "WITHOUT",   NULL,
};

enum { KEYWORDS = sizeof keywords / sizeof *keywords - 1 };

bool sql_is_keyword(struct str word)
{
    size_t at = BISECT(i, 0, (size_t)KEYWORDS, compare_any_case_n(keywords[i], word.p, word.n) < 0);
    return at < KEYWORDS && compare_any_case_n(keywords[at], word.p, word.n) == 0 &&
           keywords[at][word.n] == '\0';
}
