-- Frequency and state of the GPU.

INCLUDE PERFETTO MODULE android.gpu.frequency;
INCLUDE PERFETTO MODULE android.gpu.mali_power_state;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

CREATE PERFETTO TABLE _pvr_gpu_power_state(ts TIMESTAMP, dur DURATION, power_state LONG) AS
SELECT s.ts, iif(s.dur = -1, trace_end() - s.ts, s.dur) AS dur,
  CASE s.name WHEN 'OFF' THEN 0 WHEN 'PG' THEN 1 WHEN 'ON' THEN 2 ELSE -1 END AS power_state
FROM track AS t
JOIN slice AS s ON s.track_id = t.id
WHERE t.name = 'powervr_gpu_power_state';

-- 0 is off, 1 asleep, 2 at work: of a Mali or of a PowerVR, whichever the device has.
CREATE PERFETTO VIEW _gpu_power_state AS
SELECT ts, dur, power_state FROM android_mali_gpu_power_state
UNION ALL
SELECT ts, dur, power_state FROM _pvr_gpu_power_state;

CREATE PERFETTO TABLE _own_gpu_freq AS
SELECT f.ts, f.dur, f.gpu_freq AS freq, f.prev_gpu_freq AS prev_freq, f.next_gpu_freq AS next_freq,
  f.gpu_id
FROM android_gpu_frequency AS f
JOIN _gpuid_map AS m USING (gpu_id)
JOIN _wattson_device ON name = m.device;

-- NULL before the first one.
CREATE PERFETTO TABLE _gapless_gpu_freq AS
SELECT trace_start() AS ts, min(ts) - trace_start() AS dur, NULL AS freq, NULL AS prev_freq,
  next_freq, gpu_id
FROM _own_gpu_freq
HAVING min(ts) IS NOT NULL
UNION ALL
SELECT ts, dur, freq, prev_freq, next_freq, gpu_id FROM _own_gpu_freq;

CREATE PERFETTO TABLE _gapless_gpu_power_state AS
SELECT trace_start() AS ts, min(ts) - trace_start() AS dur, NULL AS power_state
FROM _gpu_power_state
HAVING min(ts) IS NOT NULL
UNION ALL
SELECT ts, dur, power_state FROM _gpu_power_state;

-- A GPU at work whose frequency is said to be 0 is asleep at the one before.
CREATE PERFETTO TABLE _gpu_freq_idle AS
SELECT ts, dur, iif(rests, iif(prev_freq = 0, next_freq, prev_freq), freq) AS freq,
  iif(rests, 1, power_state) AS power_state
FROM (
  SELECT i.ts, i.dur, f.freq, f.prev_freq, f.next_freq, p.power_state,
    p.power_state = 2 AND f.freq = 0 AS rests
  FROM _interval_intersect!(
    (_ii_subquery!(_gapless_gpu_freq), _ii_subquery!(_gapless_gpu_power_state)), ()) AS i
  JOIN _gapless_gpu_freq AS f ON f._auto_id = i.id_0
  JOIN _gapless_gpu_power_state AS p ON p._auto_id = i.id_1
);
