-- Frames of the 2D accelerator, on hardware and in software.
INCLUDE PERFETTO MODULE slices.with_context;

CREATE OR REPLACE PERFETTO TABLE _g2d AS
SELECT
  iif(t.name GLOB 'g2d_frame_sw*', 'sw', 'hw') AS kind,
  t.name,
  c.value,
  lead(c.ts) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur
FROM counter AS c
JOIN track AS t ON t.id = c.track_id
WHERE t.name GLOB 'g2d_frame_hw*' OR t.name GLOB 'g2d_frame_sw*';

-- The counter is 1 while a frame is worked on; a frame that ends at once is an error.
CREATE OR REPLACE PERFETTO VIEW _g2d_frame AS
SELECT kind, name, dur FROM _g2d WHERE value = 1 AND dur IS NOT NULL;

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
        count(*) FILTER (WHERE dur > 0) AS frames,
        count(*) FILTER (WHERE dur <= 0) AS errors,
        max(dur) FILTER (WHERE dur > 0) / 1e6 AS max_dur,
        min(dur) FILTER (WHERE dur > 0) / 1e6 AS min_dur,
        avg(dur) FILTER (WHERE dur > 0) / 1e6 AS avg_dur
      FROM _g2d_frame
      WHERE kind = $kind
      GROUP BY name
      ORDER BY name
    )
  ),
  'frame_count', count(*) FILTER (WHERE dur > 0),
  'error_count', count(*) FILTER (WHERE dur <= 0),
  'max_dur_ms', max(dur) FILTER (WHERE dur > 0) / 1e6,
  'min_dur_ms', min(dur) FILTER (WHERE dur > 0) / 1e6,
  'avg_dur_ms', avg(dur) FILTER (WHERE dur > 0) / 1e6)
FROM _g2d_frame
WHERE kind = $kind;

CREATE OR REPLACE PERFETTO VIEW g2d_output AS
SELECT G2dMetrics('g2d_hw', _g2d_metric('hw'), 'g2d_sw', _g2d_metric('sw')) AS message;
