SELECT count(*), max(a.depth) FROM (SELECT id FROM slice WHERE depth > 1 LIMIT 20000) s
JOIN ancestor_slice(s.id) a;
