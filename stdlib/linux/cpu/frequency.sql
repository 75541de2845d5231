-- CPU frequencies as intervals.

INCLUDE PERFETTO MODULE counters.intervals;

-- Each time a CPU had one frequency.
CREATE PERFETTO TABLE cpu_frequency_counters(
  -- First counter sample of that frequency, joins counter.
  id LONG,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency, kHz.
  freq LONG,
  -- CPU, unique over all machines; joins cpu.
  ucpu LONG,
  -- CPU number on its machine.
  cpu LONG
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
