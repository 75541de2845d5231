SELECT * FROM (INTERVAL INTERSECTION OF (sched AS a, (SELECT 0 AS ts, 1 AS dur, 2 AS cpu) b) PER cpu |> SELECT a.ts, b.*, (SELECT 1));
