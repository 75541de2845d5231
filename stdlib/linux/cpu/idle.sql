-- CPU idle states as intervals; -1 is "not idle".

INCLUDE PERFETTO MODULE counters.intervals;

-- Each time a CPU was in one idle state.
CREATE PERFETTO TABLE cpu_idle_counters(
  -- First counter sample of that state, joins counter.
  id LONG,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Idle state, the kernel's number; -1 is not idle.
  idle LONG,
  -- CPU number.
  cpu LONG
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
