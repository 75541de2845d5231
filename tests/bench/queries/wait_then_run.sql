SELECT t.name, count(*), max(a.dur) FROM thread_state a
JOIN thread_state b ON b.utid = a.utid AND b.ts = a.ts + a.dur JOIN thread t ON t.utid = a.utid
WHERE a.state IN ('R', 'R+') AND b.state = 'Running' GROUP BY a.utid ORDER BY 3 DESC LIMIT 40;
