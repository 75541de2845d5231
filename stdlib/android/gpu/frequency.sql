-- Frequencies of GPUs.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE android_gpu_frequency(
  ts TIMESTAMP, dur DURATION, gpu_id LONG, gpu_freq LONG, prev_gpu_freq LONG, next_gpu_freq LONG
) AS
SELECT c.ts, c.dur, extract_arg(t.dimension_arg_set_id, 'gpu') AS gpu_id,
  CAST(c.value AS INTEGER) AS gpu_freq, CAST(c.value - c.delta_value AS INTEGER) AS prev_gpu_freq,
  CAST(c.next_value AS INTEGER) AS next_gpu_freq
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM counter_track AS t
  JOIN counter ON counter.track_id = t.id
  WHERE t.type = 'gpu_frequency'
)) AS c
JOIN counter_track AS t ON t.id = c.track_id;
