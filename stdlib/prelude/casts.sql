-- Casts with the types of PerfettoSQL.

-- Casts to an integer, rounding towards zero.
CREATE PERFETTO MACRO cast_int(
  -- Value to cast.
  value Expr
) RETURNS Expr AS CAST($value AS INTEGER);

-- Casts to a floating point number.
CREATE PERFETTO MACRO cast_double(
  -- Value to cast.
  value Expr
) RETURNS Expr AS CAST($value AS REAL);

-- Casts to text.
CREATE PERFETTO MACRO cast_string(
  -- Value to cast.
  value Expr
) RETURNS Expr AS CAST($value AS TEXT);
