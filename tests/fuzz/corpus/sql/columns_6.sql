SELECT name, sum(total(dur)) OVER (ROWS CURRENT ROW), (SELECT name FROM thread WHERE utid = slice.id) FROM (SELECT *, NULL AS e, extract_arg(arg_set_id, 'x') AS f FROM slice) slice GROUP BY name;
