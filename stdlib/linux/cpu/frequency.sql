-- CPU frequencies as intervals.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE cpu_frequency_counters(
  id LONG, track_id JOINID(track.id), ts TIMESTAMP, dur DURATION, freq LONG, ucpu LONG, cpu LONG
) AS
SELECT c.id, c.track_id, c.ts, c.dur, CAST(c.value AS INTEGER) AS freq, cpu.ucpu, t.cpu
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM cpu_counter_track AS track
  JOIN counter ON counter.track_id = track.id
  WHERE track.type = 'cpu_frequency'
)) AS c
JOIN cpu_counter_track AS t ON t.id = c.track_id
LEFT JOIN cpu ON cpu.cpu = t.cpu AND cpu.machine_id IS t.machine_id;
