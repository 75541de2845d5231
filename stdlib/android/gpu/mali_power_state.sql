-- Power states of Mali GPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- Power states of a Mali GPU over time, as its driver traces them.
CREATE PERFETTO TABLE android_mali_gpu_power_state(
  -- When the state began.
  ts TIMESTAMP,
  -- How long the state lasted.
  dur DURATION,
  -- The driver's number of the state that the GPU went to.
  power_state LONG
) AS
SELECT ts, dur, CAST(value AS INTEGER) AS power_state
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM counter_track AS t
  JOIN counter ON counter.track_id = t.id
  WHERE t.name = 'mali_gpu_power_state'
));
