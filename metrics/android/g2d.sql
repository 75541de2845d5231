-- Frames of the 2D accelerator, on hardware and in software.

-- A counter is 1 while a frame is worked on. One that is told to be 1 or 0 again is an error, at the
-- first of two times 1 and at the last of two times 0.
CREATE OR REPLACE PERFETTO TABLE _g2d AS
SELECT
  iif(name GLOB 'g2d_frame_sw*', 'sw', 'hw') AS kind,
  name,
  iif(value = 1 AND next_value = 0, next_ts - ts, NULL) AS dur,
  ifnull(value = 1 AND next_value = 1, FALSE)
    OR ifnull(value = 0 AND former_value = 0, FALSE) AS is_error
FROM (
  SELECT
    t.name,
    c.ts,
    c.value,
    lead(c.ts) OVER by_time AS next_ts,
    lead(c.value) OVER by_time AS next_value,
    lag(c.value) OVER by_time AS former_value
  FROM counter AS c
  JOIN process_counter_track AS t ON t.id = c.track_id
  WHERE t.name GLOB 'g2d_frame_hw*' OR t.name GLOB 'g2d_frame_sw*'
  WINDOW by_time AS (PARTITION BY t.name ORDER BY c.ts)
);

CREATE OR REPLACE PERFETTO FUNCTION _g2d_metric(kind STRING)
RETURNS BYTES AS
SELECT G2dMetrics_G2dMetric(
  'instances', (
    SELECT RepeatedField(G2dMetrics_G2dInstance(
      'name', name,
      'frame_count', frames,
      'error_count', errors,
      'max_dur_ms', max_dur,
      'min_dur_ms', min_dur,
      'avg_dur_ms', avg_dur))
    FROM (
      SELECT
        name,
        count(dur) AS frames,
        sum(is_error) AS errors,
        max(dur) / 1e6 AS max_dur,
        min(dur) / 1e6 AS min_dur,
        avg(dur) / 1e6 AS avg_dur
      FROM _g2d
      WHERE kind = $kind
      GROUP BY name
      HAVING count(dur) > 0
      ORDER BY name
    )
  ),
  'frame_count', count(dur),
  'error_count', count(*) FILTER (WHERE is_error),
  'max_dur_ms', max(dur) / 1e6,
  'min_dur_ms', min(dur) / 1e6,
  'avg_dur_ms', avg(dur) / 1e6)
FROM _g2d
WHERE kind = $kind;

CREATE OR REPLACE PERFETTO VIEW g2d_output AS
SELECT G2dMetrics('g2d_hw', _g2d_metric('hw'), 'g2d_sw', _g2d_metric('sw')) AS message;
