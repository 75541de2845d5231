-- CPU idle states as intervals; -1 is "not idle".

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE cpu_idle_counters(
  id LONG, track_id JOINID(track.id), ts TIMESTAMP, dur DURATION, idle LONG, cpu LONG
) AS
SELECT c.id, c.track_id, c.ts, c.dur,
  CAST(iif(c.value = 4294967295, -1, c.value) AS INTEGER) AS idle, t.cpu
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM cpu_counter_track AS track
  JOIN counter ON counter.track_id = track.id
  WHERE track.type = 'cpu_idle'
)) AS c
JOIN cpu_counter_track AS t ON t.id = c.track_id;
