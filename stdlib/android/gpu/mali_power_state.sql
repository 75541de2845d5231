-- Power states of Mali GPUs.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE android_mali_gpu_power_state(ts TIMESTAMP, dur DURATION, power_state LONG) AS
SELECT ts, dur, CAST(value AS INTEGER) AS power_state
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM counter_track AS t
  JOIN counter ON counter.track_id = t.id
  WHERE t.name = 'mali_gpu_power_state'
));
