SELECT w.name, t.name, count(*) FROM thread_state s
JOIN thread t USING (utid) JOIN thread w ON w.utid = s.waker_utid
WHERE s.state = 'R' GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 40;
