CREATE PERFETTO MACRO two(a Expr, b Expr) RETURNS Expr AS ($a + two!($b, $a)) -- endless
;CREATE PERFETTO MACRO one(a Expr) RETURNS Expr AS __intrinsic_stringify!($a 'x''y');
SELECT two!(1, (2, 3)), one!(one!(a b  c)), three!(), one!(
