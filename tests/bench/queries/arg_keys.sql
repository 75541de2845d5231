SELECT flat_key, count(*), count(DISTINCT display_value) FROM args GROUP BY flat_key;
