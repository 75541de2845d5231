-- Frequency of the TPU, and how many requests it works on.

CREATE PERFETTO TABLE _tpu_freq_slices AS
SELECT s.ts, iif(s.dur = -1, trace_end() - s.ts, s.dur) AS dur, CAST(s.name AS INTEGER) AS freq,
  CASE
    WHEN s.name GLOB '*Cluster Both*' THEN 2
    WHEN s.name GLOB '*Cluster 0*' THEN 0
    WHEN s.name GLOB '*Cluster 1*' THEN 1
    ELSE 2
  END AS cluster
FROM track AS t
JOIN slice AS s ON s.track_id = t.id
WHERE t.name = 'DVFS';

-- From the trace's start to its end; 0 where nothing is said.
CREATE PERFETTO TABLE _tpu_freq AS
SELECT ts, dur, freq, cluster
FROM (
  SELECT ts, dur, freq, cluster FROM _tpu_freq_slices
  UNION ALL
  SELECT trace_start(), min(ts) - trace_start(), 0, 0 FROM _tpu_freq_slices
  UNION ALL
  SELECT ts + dur, lead(ts, 1, trace_end()) OVER (ORDER BY ts) - (ts + dur), 0, 0
  FROM _tpu_freq_slices
)
WHERE dur > 0
ORDER BY ts;

CREATE PERFETTO TABLE _tpu_requests_count AS
WITH request AS (
  SELECT s.ts, s.dur
  FROM track AS t
  JOIN slice AS s ON s.track_id = t.id
  WHERE t.name = 'TPU Requests'
),
change AS (
  SELECT trace_start() AS ts, 0 AS step
  UNION ALL
  SELECT ts, 1 FROM request
  UNION ALL
  SELECT ts + dur, -1 FROM request
)
SELECT ts, dur, requests
FROM (
  SELECT ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) - ts AS dur,
    max(0, min(16, sum(step) OVER (ORDER BY ts))) AS requests
  FROM (SELECT ts, sum(step) AS step FROM change GROUP BY ts)
)
WHERE dur > 0;
