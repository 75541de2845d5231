-- Refresh rates, repeated frames and underruns of the display.
INCLUDE PERFETTO MODULE counters.intervals;

-- A span for each time that the panel kept a refresh rate. What it had at last has no end.
CREATE OR REPLACE PERFETTO TABLE _panel_rate AS
SELECT
  CAST(s.value AS INT) AS fps,
  s.next_ts - s.ts AS dur
FROM (
  SELECT ts, value, lead(ts) OVER (ORDER BY ts) AS next_ts
  FROM (
    SELECT c.ts, c.value, lag(c.value) OVER (ORDER BY c.ts) AS last_value
    FROM counter AS c
    JOIN track AS t ON t.id = c.track_id
    WHERE t.name = 'panel_fps'
  )
  WHERE last_value IS NULL OR value != last_value
) AS s;

CREATE OR REPLACE PERFETTO TABLE _display_counts AS
SELECT t.name, c.value
FROM counter AS c
JOIN track AS t ON t.id = c.track_id
WHERE t.name GLOB '*SAME_FRAME*' OR t.name GLOB '*[uU][nN][dD][eE][rR][rR][uU][nN]*';

CREATE OR REPLACE PERFETTO VIEW _underruns AS
SELECT
  name,
  iif(lower(name) GLOB '*ddic*' OR lower(name) GLOB '*panel*', 'panel', 'dpu') AS part,
  CAST(max(value) - min(value) AS INT) AS number
FROM _display_counts
WHERE name NOT GLOB '*SAME_FRAME*'
GROUP BY name;

CREATE OR REPLACE PERFETTO VIEW display_metrics_output AS
SELECT AndroidDisplayMetrics(
  'total_duplicate_frames', (
    SELECT CAST(ifnull(sum(value), 0) AS INT) FROM _display_counts WHERE name GLOB '*SAME_FRAME*'
  ),
  'duplicate_frames_logged', (
    SELECT count(*) FROM _display_counts WHERE name GLOB '*SAME_FRAME*' AND value > 0
  ),
  'dpu_state', (
    SELECT AndroidDisplayMetrics_DpuState(
      'total_dpu_underrun_count', ifnull(sum(number), 0),
      'dpu_underrun_detail', RepeatedField(AndroidDisplayMetrics_DpuUnderrunDetail(
        'name', name, 'dpu_underrun_count', number)))
    FROM _underruns
    WHERE part = 'dpu'
  ),
  'panel_state', (
    SELECT AndroidDisplayMetrics_PanelState(
      'total_ddic_underrun_count', ifnull(sum(number), 0),
      'ddic_underrun_detail', RepeatedField(AndroidDisplayMetrics_DdicUnderrunDetail(
        'name', name, 'ddic_underrun_count', number)))
    FROM _underruns
    WHERE part = 'panel'
  ),
  'refresh_rate_switches', (SELECT max(count(*) - 1, 0) FROM _panel_rate),
  'refresh_rate_stats', (
    SELECT RepeatedField(AndroidDisplayMetrics_RefreshRateStat(
      'refresh_rate_fps', fps,
      'count', number,
      'total_dur_ms', total / 1e6,
      'avg_dur_ms', total / 1e6 / number))
    FROM (
      SELECT fps, count(*) AS number, sum(dur) AS total
      FROM _panel_rate
      WHERE dur IS NOT NULL
      GROUP BY fps
      ORDER BY fps
    )
  ),
  'update_power_state', (
    SELECT AndroidDisplayMetrics_UpdatePowerState(
      'avg_runtime_micro_secs', CAST(avg(dur) / 1000 AS INT))
    FROM slice
    WHERE name = 'DisplayPowerController#updatePowerState' AND dur >= 0
  )
) AS message;
