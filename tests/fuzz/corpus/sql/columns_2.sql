WITH a AS (SELECT *, ts + dur AS e FROM slice WHERE dur > 0) SELECT s.e, lag(s.ts, 2, 0) OVER (PARTITION BY s.track_id ORDER BY s.ts), row_number() OVER (PARTITION BY track_id ORDER BY ts) FROM a s;
