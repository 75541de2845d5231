/* Functions of scripts that random statements call, whose bodies batches read in their place. */
#ifndef TPTUI_VECTOR_FUNCTIONS_H
#define TPTUI_VECTOR_FUNCTIONS_H

static const char vector_functions[] =
    "CREATE PERFETTO FUNCTION f_sum(x LONG, y LONG) RETURNS LONG AS"
    " SELECT $x * 2 + coalesce($y, 1);"
    "CREATE PERFETTO FUNCTION f_same(x ANY) RETURNS ANY AS SELECT $x;"
    "CREATE PERFETTO FUNCTION f_real(x DOUBLE) RETURNS DOUBLE AS SELECT $x / 2.5 - 1;"
    "CREATE PERFETTO FUNCTION f_label(x STRING, y LONG) RETURNS STRING AS"
    " SELECT CASE WHEN $y > 3 THEN $x ELSE 'small ' || $y END AS label;"
    "CREATE PERFETTO FUNCTION f_nested(x LONG) RETURNS LONG AS SELECT f_sum($x, f_same(3)) - 1;"
    "CREATE PERFETTO FUNCTION f_first(x LONG, other ANY) RETURNS BOOL AS SELECT $x IS NULL;"
    "CREATE PERFETTO FUNCTION lower(x STRING, y LONG) RETURNS STRING AS SELECT upper($x) || $y;";

#endif
