-- Lists of expressions without the parentheses around them.

CREATE PERFETTO MACRO __unparenthesize_identity(x Expr) RETURNS Expr AS $x;

-- "(a, b)" becomes "a, b", to stand between other columns.
CREATE PERFETTO MACRO metasql_unparenthesize_exprlist(
  -- Expressions in parentheses, separated by commas.
  expr ExprList
) RETURNS UnparenExprList AS
__intrinsic_token_apply!(__unparenthesize_identity, $expr);
