-- Frequencies of GPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- Frequencies of each GPU over time, one row per change.
CREATE PERFETTO TABLE android_gpu_frequency(
  -- When the frequency was set.
  ts TIMESTAMP,
  -- How long the frequency stayed.
  dur DURATION,
  -- Number of the GPU.
  gpu_id LONG,
  -- Frequency in kHz.
  gpu_freq LONG,
  -- The one before in kHz; NULL for the first.
  prev_gpu_freq LONG,
  -- The one after in kHz; NULL for the last.
  next_gpu_freq LONG
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
