-- Estimated power of the TPU, in mW.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.tpu.freq_idle;
INCLUDE PERFETTO MODULE wattson.utils;

CREATE PERFETTO TABLE _tpu_combined_state AS
SELECT i.ts, i.dur, f.freq, f.cluster, r.requests
FROM _interval_intersect!((_ii_subquery!(_tpu_freq), _ii_subquery!(_tpu_requests_count)), ()) AS i
JOIN _tpu_freq AS f ON f._auto_id = i.id_0
JOIN _tpu_requests_count AS r ON r._auto_id = i.id_1;

CREATE PERFETTO TABLE _tpu_estimates_mw AS
SELECT s.ts, s.dur, coalesce(c.active, 0) AS tpu_mw
FROM _tpu_combined_state AS s
JOIN _tpu_filtered_curves AS c ON c.freq = s.freq AND c.cluster = s.cluster
  AND c.requests = min(s.requests, 8)
ORDER BY s.ts;
