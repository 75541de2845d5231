-- Frequencies (kHz) of devices that are not CPUs. Needs devfreq_frequency events.

INCLUDE PERFETTO MODULE counters.intervals;

-- Frequencies of the devices whose names fit, each until the next.
CREATE PERFETTO FUNCTION _get_devfreq_counters(device_name STRING) RETURNS TABLE(
  id LONG, ts TIMESTAMP, dur DURATION, freq LONG
) AS
SELECT id, ts, dur, CAST(value AS INTEGER) AS freq
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM track
  JOIN counter ON counter.track_id = track.id
  WHERE track.type = 'linux_device_frequency'
    AND extract_arg(track.dimension_arg_set_id, 'linux_device') GLOB $device_name
));

-- The DynamIQ Shared Unit of Arm CPUs.
CREATE PERFETTO TABLE linux_devfreq_dsu_counter(
  -- First counter sample of that frequency, joins counter.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frequency, kHz.
  dsu_freq LONG
) AS
SELECT id, ts, dur, freq AS dsu_freq FROM _get_devfreq_counters('*dsufreq');
