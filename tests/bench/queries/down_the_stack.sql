SELECT count(*), sum(d.dur) FROM (SELECT id FROM slice WHERE depth = 0 LIMIT 20000) s
JOIN descendant_slice(s.id) d;
