SELECT th.name, pr.name, sum(sc.dur) / 1e6 AS ms
FROM sched sc JOIN thread th USING (utid) LEFT JOIN process pr USING (upid)
GROUP BY utid ORDER BY ms DESC LIMIT 40;
